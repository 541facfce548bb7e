"""Series Elo: the paper's tables, what it keeps, what it survives, and how sure its ratings are."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.measurement import measure
from ludometer.ratings import Elo, evaluate, make_prizes, rate
from ludometer.ratings.scores.audit import rate_series
from ludometer.ratings.scores.elo import SeriesElo, SeriesEloFromMean, make_series_elo
from ludometer.ratings.scores.series import hide_players, make_series, scores_of, series_frame
from tests.ratings.simulated_series import series_of, simulate_series

GOLDEN = Path(__file__).parents[1] / "golden"


def table(scores: list[list[float]]) -> Matches:
    """The same players in each series, called A, B, C, ..."""
    n = len(scores[0])
    names = [chr(ord("A") + k) for k in range(n)]
    series = np.repeat(np.arange(1, len(scores) + 1), n)
    return series_of(series, names * len(scores), np.ravel(scores))


def test_table_2_of_the_paper_comes_out_to_two_decimals_in_all_ten_rows() -> None:
    printed = pl.read_csv(GOLDEN / "edelkamp_table2.csv", comment_prefix="#")
    record = table(printed.select("S0", "S1", "S2").cast(pl.Float64).rows())  # type: ignore[arg-type]
    updates = rate_series(record, system=SeriesElo(k=0.02, start_rating=800)).updates
    assert len(printed) == 10
    for column, letter in (("expected", "E"), ("rating", "R")):
        got = updates[column].to_numpy().reshape(10, 3)
        for seat in range(3):
            shown = [f"{value:.2f}" for value in got[:, seat]]
            assert shown == [f"{value:.2f}" for value in printed[f"{letter}{seat}"].cast(pl.Float64)]


def test_the_papers_example_gives_1496_752_752() -> None:
    ratings = rate_series(table([[1200, 800, 800]]), ratings={"A": 1500, "B": 750, "C": 750})
    assert ratings.updates["expected"].to_list() == [1400, 700, 700]
    assert ratings.updates["rating"].to_list() == pytest.approx([1496, 752, 752], abs=1e-12)


@pytest.mark.parametrize("form", ["proportional", "additive"])
@pytest.mark.parametrize("size", [2, 3, 4, 7])
def test_the_sum_of_ratings_stays_over_2329_series(form: str, size: int) -> None:
    record, _ = simulate_series(300, 2_329, size=size, seed=size)
    for system in (
        make_series_elo(form=form, start="850"),  # type: ignore[arg-type]
        make_series_elo(form=form, k=0.05, newcomer_k=0.2, newcomer_series=15),  # type: ignore[arg-type]
        SeriesEloFromMean(),
    ):
        ratings = rate(record, system=system).rating
        start = {"mean": scores_of(record).mean()}.get(str(system.parameters["start_rating"]))
        assert abs(ratings.sum() - 300 * (start or system.parameters["start_rating"])) < 1e-6
        assert ratings.std() > 10


def test_without_balance_newcomers_steps_create_points() -> None:
    # half of the players enter late, when the others' steps have become small
    early, _ = simulate_series(40, 400, seed=3)
    frame = series_frame(early)
    late = frame.with_columns(
        (pl.col("series").cast(pl.Int64) + 400).cast(pl.String).alias("series"),
        pl.when(pl.col("player").str.ends_with("1"))
        .then(pl.col("player") + "late")
        .otherwise("player")
        .alias("player"),
    )
    record = make_series(pl.concat((frame, late)))
    n = len(record.players)
    totals = {
        balanced: rate(
            record, system=SeriesElo(start_rating=850, newcomer_k=0.1, newcomer_series=50, balanced=balanced)
        ).rating.sum()
        for balanced in (True, False)
    }
    assert abs(totals[True] - 850 * n) < 1e-6
    assert abs(totals[False] - 850 * n) > 1


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("k", [0.02, 0.08])
def test_negative_series_and_a_large_k_do_not_diverge(size: int, k: float) -> None:
    for mean, spread, sd in ((-300.0, 300.0, 800.0), (0.0, 100.0, 800.0), (100.0, 400.0, 500.0)):
        record, strength = simulate_series(30, 20_000, size=size, mean=mean, spread=spread, sd=sd, seed=7)
        assert scores_of(record).min() < -1000
        rating = rate(record, system=SeriesElo(k=k, start_rating=850)).rating
        assert np.isfinite(rating).all()
        # nobody leaves the range of the scores, and the order is that of the strengths, not its reverse
        assert rating.max() - rating.min() < 2 * (scores_of(record).max() - scores_of(record).min())
        if mean < 0:
            assert np.corrcoef(rating, strength)[0, 1] > 0.7


def test_where_the_sum_is_negative_the_strongest_is_not_expected_to_lose_most() -> None:
    start = {"A": 1200, "B": 600}
    updates = rate_series(table([[-100, -300]]), ratings=start).updates
    assert updates["expected"].to_list() == [1200 - 1100, 600 - 1100]
    below = rate_series(table([[100, 300]]), ratings={"A": 600, "B": -100}).updates
    assert below["expected"].to_list() == [600 - 50, -100 - 50]


@given(st.integers(0, 200))
def test_two_halves_equal_the_whole(cut: int) -> None:
    record, _ = simulate_series(12, 200, seed=4)
    system = SeriesElo(newcomer_k=0.1, first=3, floor=500)
    whole, expected = system.play(system.start(0), record)
    half, one = system.play(system.start(0), record.part(0, cut))
    rest, other = system.play(half, record.part(cut, 200))
    assert np.array_equal(whole.player, rest.player)
    assert np.array_equal(expected, np.concatenate((one, other)))


def test_renaming_players_permutes_ratings_and_the_order_of_seats_does_not_matter() -> None:
    record, _ = simulate_series(10, 300, seed=5)
    rating = dict(rate_series(record).players.select("player", "rating").rows())
    shuffled = make_series(series_frame(record).reverse().sort(pl.col("series").cast(pl.Int64), maintain_order=True))
    for name, value in rate_series(shuffled).players.select("player", "rating").rows():
        assert value == pytest.approx(rating[name], abs=1e-9)
    hidden = rate_series(hide_players(record, seed=2)).players
    assert hidden["rating"].to_list() == pytest.approx(sorted(rating.values(), reverse=True), abs=1e-12)
    assert not set(hidden["player"]) & set(rating)


def test_the_first_n_series_can_be_averaged_into_the_start() -> None:
    record, _ = simulate_series(20, 400, seed=6)
    updates = rate_series(record, system=make_series_elo(start="first:5")).updates
    for _, own in updates.group_by("player"):
        rows = own.sort("number")
        assert rows["rating"][4] == pytest.approx(rows["score"].head(5).mean(), abs=1e-9)
        assert rows["k"].head(6).to_list() == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 0.02])


def test_a_newcomers_k_falls_in_a_line() -> None:
    record, _ = simulate_series(6, 60, seed=7)
    updates = rate_series(record, system=SeriesElo(newcomer_k=0.1, newcomer_series=4)).updates
    own = updates.filter(pl.col("player") == "P0")["k"].head(6).to_list()
    assert own == pytest.approx([0.1, 0.08, 0.06, 0.04, 0.02, 0.02])


def test_nobody_falls_below_the_floor() -> None:
    record, _ = simulate_series(10, 500, spread=400, seed=8)
    assert rate(record, system=SeriesElo(k=0.1, floor=750)).rating.min() == 750


@pytest.mark.parametrize(("form", "size"), [("proportional", 3), ("additive", 4)])
def test_the_stated_sd_of_settled_ratings_is_their_error(form: str, size: int) -> None:
    squares = []
    for seed in range(12):
        record, strength = simulate_series(60, 4_000, size=size, seed=seed)
        system = SeriesElo(start_rating=850, form=form)  # type: ignore[arg-type]
        state = system.settle(system.start(0), record)
        squares.append(((system.ratings(state) - strength) / system.uncertainty(state)) ** 2)
        # sd sqrt(K / 2), the published rule
        assert system.uncertainty(state).mean() == pytest.approx(state.sd * math.sqrt(0.02 / 2), rel=0.05)
        assert state.sd == pytest.approx(400, rel=0.04)
    assert np.mean(squares) == pytest.approx(1, abs=4 * math.sqrt(2 / np.size(squares)))


def test_early_ratings_are_not_said_to_be_surer_than_they_are() -> None:
    squares, flags = [], []
    for seed in range(12):
        record, strength = simulate_series(60, 200, seed=seed)
        system = SeriesElo(start_rating=850)
        state = system.settle(system.start(0), record)
        squares.append(((system.ratings(state) - strength) / system.uncertainty(state)) ** 2)
        flags.append(system.is_provisional(state))
    assert 0.5 < np.mean(squares) < 1 + 4 * math.sqrt(2 / np.size(squares))
    assert np.all(flags)


def test_a_rating_is_provisional_while_the_start_is_more_than_half_of_it() -> None:
    record, _ = simulate_series(3, 100, seed=9)
    flags = [rate_series(record.take(np.arange(100) < n)).players["provisional"].any() for n in (40, 60)]
    # (1 - 0.02 * 2 / 3)^n = 1 / 2 at n = 51.6, while scores are as high as ratings
    assert flags == [True, False]


def test_scores_forecast_finishing_orders_better_than_places_do_each_with_its_best_k() -> None:
    record, _ = simulate_series(40, 8_000, spread=150, seed=10)
    for prizes in (make_prizes("winner"), make_prizes("linear")):
        by_scores = [SeriesElo(start_rating=850, k=k, prizes=prizes) for k in (0.01, 0.02)]
        by_places = [Elo(k=k, prizes=prizes) for k in (4, 8)]
        result = evaluate(record, systems=[*by_scores, *by_places])
        losses = [score.log_loss for score in result.systems]
        others = min(result.systems[2:], key=lambda score: score.log_loss)
        assert min(losses[:2]) < min(losses[2:]) < result.coin.log_loss
        assert others.difference > 2 * others.difference_se


def test_forecasts_come_true() -> None:
    record, _ = simulate_series(40, 8_000, spread=150, seed=10)
    system = SeriesElo(start_rating=850, k=0.01)
    calibration = evaluate(record, systems=[system], since=None).systems[0].calibration
    often = calibration.n > 300
    assert often.sum() > 1
    # ratings lag behind strengths and Gumbel is not normal: the interval and 2 points more
    assert (calibration.forecast > calibration.interval_low - 0.02)[often].all()
    assert (calibration.forecast < calibration.interval_high + 0.02)[often].all()


def test_two_players_are_compared_by_the_chance_to_score_more() -> None:
    record, strength = simulate_series(30, 20_000, spread=150, seed=11)
    system = SeriesElo(start_rating=850)
    state = system.settle(system.start(0), record)
    order = np.argsort(strength).astype(np.int32)
    strong, weak = np.repeat(order[-10:], 10), np.tile(order[:10], 10)
    expected = system.expect(state, strong, weak)
    truth = [0.5 + 0.5 * math.erf((strength[i] - strength[j]) / 400 / 2) for i, j in zip(strong, weak, strict=True)]
    # twenty ratings of noise 40 each: four standard errors, and 0.01 between the logistic and the normal curve
    assert expected.mean() == pytest.approx(np.mean(truth), abs=4 * 0.16 / 312 * 40 * math.sqrt(2 / 10) + 0.01)
    np.testing.assert_allclose(expected + system.expect(state, weak, strong), 1)
    places = system.expect_places(state, np.arange(4, dtype=np.int32))
    np.testing.assert_allclose(places.sum(axis=0), 1)


def test_series_go_into_measure_as_matches_of_several_players() -> None:
    skill, _ = simulate_series(30, 3_000, spread=800, sd=200, seed=12)
    chance, _ = simulate_series(30, 3_000, spread=0, sd=200, seed=12)
    spreads = [measure(record, quick=True).main.sd or 0.0 for record in (skill, chance)]
    assert spreads[0] > 5 * spreads[1]


def test_rating_2329_series_costs_less_than_reading_them(tmp_path: Path) -> None:
    record, _ = simulate_series(700, 2_329, seed=13)
    path = tmp_path / "series.csv"
    series_frame(record).select("series", "player", "score").write_csv(path)
    system = SeriesElo()
    seconds: dict[str, list[float]] = {"read": [], "rate": []}
    for _ in range(5):
        begin = time.perf_counter()
        read = make_series(pl.read_csv(path))
        middle = time.perf_counter()
        system.play(system.start(0), read)
        seconds["read"].append(middle - begin)
        seconds["rate"].append(time.perf_counter() - middle)
    assert min(seconds["rate"]) < min(seconds["read"])
    np.testing.assert_array_equal(read.score, scores_of(record))


def test_what_makes_no_sense_is_refused() -> None:
    for parameters in (
        {"k": -1},
        {"k": math.nan},
        {"form": "cubic"},
        {"first": -1},
        {"floor": 900},
        {"newcomer_k": -1},
    ):
        with pytest.raises(LudometerError):
            SeriesElo(**parameters)
    for start in ("first:0", "first:x", "middle"):
        with pytest.raises(LudometerError, match="first:10"):
            make_series_elo(start=start)
    with pytest.raises(MatchDataError, match="series Elo rates scores"):
        rate(Matches.of_pairs([0], [1], [1]), system=SeriesElo())


@pytest.mark.parametrize("parameters", [{"k": 24.0}, {"newcomer_k": 1.5}])
def test_a_step_at_which_ratings_explode_is_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(LudometerError, match=r"too large for series Elo.*usually 0\.02"):
        SeriesElo(**parameters)  # type: ignore[arg-type]
    assert SeriesElo(k=1.0).k == 1
