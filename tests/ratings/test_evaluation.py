"""Scores of forecasts as the contract defines them, and a calibration that calibrates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from ludometer.arrays import Codes, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings import BestFit, Elo, evaluate
from ludometer.ratings.prizes import WINNER, make_prizes
from ludometer.ratings.scoring import Outcomes, wilson_interval
from ludometer.scale import expected_score
from ludometer.simulate import StrengthGame, simulate_coin, simulate_strengths


def test_scores_are_those_of_a_few_lines_of_python() -> None:
    matches = simulate_strengths(20, 500, draws=0.2, seed=4)
    rating = dict.fromkeys(range(20), 0.0)
    log_loss = brier = accuracy = 0.0
    for i, j, s in zip(
        matches.pairs.first.tolist(), matches.pairs.second.tolist(), matches.pairs.score.tolist(), strict=True
    ):
        e = 1 / (1 + 10 ** (-(rating[i] - rating[j]) / 400))
        log_loss -= s * math.log(e) + (1 - s) * math.log(1 - e)
        brier += (s - e) ** 2
        accuracy += 0.5 if s == 0.5 or e == 0.5 else float((e > 0.5) == (s > 0.5))
        rating[i] += 24 * (s - e)
        rating[j] -= 24 * (s - e)
    (score,) = evaluate(matches, systems=[Elo()]).systems
    assert (score.log_loss, score.brier, score.accuracy) == pytest.approx((log_loss / 500, brier / 500, accuracy / 500))
    assert score.n == 500


def test_a_coin_teaches_nothing() -> None:
    result = evaluate(simulate_coin(50, 20_000, seed=1), systems=[Elo(k=0), Elo(k=32)])
    still, moving = result.systems
    assert still.log_loss == pytest.approx(math.log(2))
    assert still.accuracy == 0.5
    assert moving.log_loss > math.log(2)
    assert result.coin.log_loss == pytest.approx(math.log(2))
    assert result.to_frame()["system"].to_list() == ["elo (k 0)", "elo (k 32)"]


def test_only_matches_from_a_date_on_are_scored_but_all_are_played() -> None:
    time = np.arange("2020-01-01", "2020-01-11", dtype="datetime64[D]")
    matches = Matches.of_pairs([0] * 10, [1] * 10, [1] * 10, time=time)
    (score,) = evaluate(matches, systems=[Elo()], since="2020-01-06").systems
    assert score.n == 5
    assert score.accuracy == 1
    with pytest.raises(MatchDataError, match="no matches to score"):
        evaluate(matches, systems=[Elo()], since="2021")
    with pytest.raises(LudometerError, match="--from soon: write a date, such as 2015-01-31"):
        evaluate(matches, systems=[Elo()], since="soon")
    with pytest.raises(MatchDataError, match="no times"):
        evaluate(Matches.of_pairs([0], [1], [1]), systems=[Elo()], since="2020")


def test_numbers_can_be_times_too() -> None:
    matches = Matches.of_pairs([0] * 4, [1] * 4, [1] * 4, time=[1, 2, 3, 4])
    assert evaluate(matches, systems=[Elo()], since="3").systems[0].n == 2
    assert evaluate(matches, systems=[Elo()], since=4).systems[0].n == 1
    with pytest.raises(LudometerError, match="--from soon: write a number"):
        evaluate(matches, systems=[Elo()], since="soon")


def test_the_summary_writes_percentages_as_elsewhere() -> None:
    matches = Matches.of_pairs([0] * 4, [1] * 4, [1] * 4)
    header, *rows = evaluate(matches, systems=[Elo()]).summary().splitlines()
    assert " 87.5%  " in rows[0]
    assert {row.index("%") + len("%") for row in rows} == {header.index("accuracy") + len("accuracy")}


def test_batches_score_as_the_whole() -> None:
    whole = simulate_strengths(30, 2_000, seed=2)
    early = np.arange(2_000) < 700
    parts = evaluate([whole.take(early), whole.take(~early)], systems=[Elo()]).systems[0]
    once = evaluate(whole, systems=[Elo()]).systems[0]
    assert parts.log_loss == pytest.approx(once.log_loss, rel=1e-12)
    np.testing.assert_array_equal(parts.calibration.n, once.calibration.n)


def test_who_is_listed_first_does_not_matter() -> None:
    matches = simulate_strengths(30, 3_000, draws=0.1, seed=6)
    pairs = matches.pairs
    mirrored = Matches.of_pairs(pairs.second, pairs.first, 1 - pairs.score)
    one, other = (evaluate(m, systems=[Elo()]).systems[0] for m in (matches, mirrored))
    assert one.log_loss == pytest.approx(other.log_loss)
    np.testing.assert_allclose(one.calibration.score, other.calibration.score)


@dataclass(frozen=True)
class Oracle:
    """A rating system that knows the true skills."""

    game: StrengthGame
    name: ClassVar[str] = "oracle"
    parameters: ClassVar[dict[str, Any]] = {}

    def start(self, _: int) -> None:
        return None

    def play(self, state: None, matches: Matches) -> tuple[None, Floats]:
        return state, self.expect(state, matches.pairs.first, matches.pairs.second)

    def ratings(self, _: None) -> Floats:
        return self.game.skill

    def expect(self, _: None, first: Codes, second: Codes) -> Floats:
        return expected_score(self.game.skill[first] - self.game.skill[second])


def test_calibration_intervals_cover_the_truth() -> None:
    covered = total = 0
    for seed in range(40):
        game = StrengthGame(100, sd=200, seed=seed)
        (batch,) = game.batches(2_000)
        bins = evaluate(batch, systems=[Oracle(game)]).systems[0].calibration
        large = bins.n >= 30
        inside = (bins.interval_low <= bins.forecast) & (bins.forecast <= bins.interval_high)
        covered, total = covered + int(inside[large].sum()), total + int(large.sum())
    # 40 games of about 10 bins: 95% with a standard error of 1.1
    assert 0.92 < covered / total < 0.98


def test_wilson_holds_at_the_ends() -> None:
    low, high = wilson_interval(np.array([0.0, 1.0]), np.array([10.0, 10.0]))
    assert low[0] == pytest.approx(0, abs=1e-12)
    assert high[1] == pytest.approx(1)
    assert 0.2 < high[0] < 0.35


def test_the_summary_is_a_table_and_the_plot_is_drawn() -> None:
    result = evaluate(simulate_strengths(20, 400, seed=1), systems=[Elo(), Elo(k=50)])
    assert len(result.summary().splitlines()) == 4
    assert "layer" in result.plot().to_dict()


def test_no_system_is_an_error() -> None:
    with pytest.raises(LudometerError, match="at least one"):
        evaluate(simulate_coin(5, 10), systems=[])


def clustered_error(matches: Matches, apart: Floats) -> float:
    """Match by match and pair by pair: those with a player in common count."""
    seats = [set(row) for row in zip(matches.pairs.first.tolist(), matches.pairs.second.tolist(), strict=True)]
    rest = apart - apart.mean()
    n_players = len(set().union(*seats))
    pairs = sum(float(rest[k] * rest[[bool(one & other) for other in seats]].sum()) for k, one in enumerate(seats))
    return max(math.sqrt(pairs * n_players / (n_players - 1)), float(apart.std(ddof=1)) * math.sqrt(len(seats))) / len(
        seats
    )


def test_differences_are_paired_over_the_matches() -> None:
    matches = simulate_strengths(30, 1_000, draws=0.1, seed=6)
    systems = [Elo(k=8), Elo(k=24), Elo(k=120)]
    result = evaluate(matches, systems=systems)
    score = matches.pairs.score
    expected = [system.play(system.start(0), matches)[1] for system in systems]
    losses = [-(score * np.log(e) + (1 - score) * np.log(1 - e)) for e in expected]
    best = min(range(3), key=lambda k: float(losses[k].mean()))
    for one, loss in zip(result.systems, losses, strict=True):
        apart = loss - losses[best]
        assert one.difference == pytest.approx(float(apart.mean()), abs=1e-12)
        assert one.difference_se == pytest.approx(clustered_error(matches, apart), abs=1e-12)
    frame = result.to_frame()
    assert frame["difference"].to_list() == sorted(frame["difference"].to_list())
    assert frame["difference"][0] == frame["difference_se"][0] == 0
    assert "above the best" in result.summary()
    apart = np.log(2) - losses[best]
    assert result.coin.difference == pytest.approx(float(apart.mean()))


def test_the_error_of_a_difference_is_how_much_it_varies() -> None:
    # two forecasts that do not learn: the truth and a flattened one, over many records
    @dataclass(frozen=True)
    class Flattened(Oracle):
        name: ClassVar[str] = "flattened"

        def expect(self, _: None, first: Codes, second: Codes) -> Floats:
            return expected_score(0.8 * (self.game.skill[first] - self.game.skill[second]))

    differences, errors = [], []
    for seed in range(80):
        game = StrengthGame(50, sd=200, seed=seed)
        (batch,) = game.batches(300)
        result = evaluate(batch, systems=[Oracle(game), Flattened(game)])
        sign = 1 if result.systems[1].difference else -1
        one = result.systems[0 if sign < 0 else 1]
        differences.append(sign * one.difference)
        errors.append(one.difference_se)
    # the SD of 80 differences is known to 8%
    assert np.std(differences) == pytest.approx(np.mean(errors), rel=0.24)


def test_errors_know_that_a_player_who_is_misjudged_is_misjudged_again() -> None:
    # new players in each record, whom one system knows and the other misjudges for good
    @dataclass(frozen=True)
    class Misjudging(Oracle):
        name: ClassVar[str] = "misjudging"

        def expect(self, _: None, first: Codes, second: Codes) -> Floats:
            error = np.random.default_rng(int(abs(self.game.skill[0]) * 1e9)).normal(0, 150, len(self.game.skill))
            wrong = self.game.skill + error
            return expected_score(wrong[first] - wrong[second])

    differences, errors, independent = [], [], []
    for seed in range(80):
        game = StrengthGame(40, sd=200, seed=seed)
        (batch,) = game.batches(4_000)
        result = evaluate(batch, systems=[Oracle(game), Misjudging(game)])
        differences.append(result.systems[1].difference)
        errors.append(result.systems[1].difference_se)
        score = batch.pairs.score
        forecasts = [system.play(None, batch)[1] for system in (Oracle(game), Misjudging(game))]
        one, other = (-(score * np.log(e) + (1 - score) * np.log(1 - e)) for e in forecasts)
        independent.append(float((other - one).std(ddof=1)) / math.sqrt(len(batch)))
    # the SD of 80 differences is known to 8%
    assert np.std(differences) == pytest.approx(np.mean(errors), rel=0.24)
    assert np.std(differences) > 2 * np.mean(independent)


def test_errors_of_multiplayer_matches_know_who_played() -> None:
    matches = simulate_strengths(12, 400, per_match=4, seed=6)
    result = evaluate(matches, systems=[Elo(k=8), Elo(k=60)])
    losses = []
    for system in (Elo(k=8), Elo(k=60)):
        _, expected = system.play(system.start(0), matches)
        losses.append(Outcomes.of(matches, WINNER).judge(expected).log_loss)
    apart = losses[1] - losses[0]
    rest = apart - apart.mean()
    table = matches.seats.player.reshape(-1, 4)
    total = 0.0
    for k, one in enumerate(table):
        shared = np.isin(table, one).sum(axis=1)
        # the same four players count once, any others as often as they meet
        total += float(rest[k] * (rest * np.where(shared == 4, 1, shared)).sum())
    by_hand = math.sqrt(max(total * 12 / 11, float((rest @ rest) * 400 / 399))) / 400
    assert max(score.difference_se for score in result.systems) == pytest.approx(by_hand)


def test_a_system_worse_than_a_coin_is_told() -> None:
    result = evaluate(simulate_coin(50, 5_000, seed=1), systems=[Elo(k=200), Elo(k=0)])
    (warning,) = result.warnings
    assert warning.startswith("elo (k 200) forecasts worse than a coin: log loss 0.")
    assert warning in result.summary()
    document = result.document()
    assert document["warnings"] == [warning]
    assert [entry["worse_than_coin"] for entry in document["systems"]] == [False, True]


def test_without_names_all_systems_are_compared_best_first() -> None:
    matches = simulate_strengths(60, 3_000, draws=0.1, seed=6)
    result = evaluate(matches)
    assert {score.system for score in result.systems} == {
        "state-space",
        "elo",
        "best-fit",
        "dynamic",
        "dynamic-shrinking",
        "ics",
        "smith",
        "glicko2",
        "static",
    }
    assert not result.left_out
    assert result.to_frame()["log_loss"].is_sorted()
    assert all(score.log_loss < result.coin.log_loss for score in result.systems)
    assert len(result.summary().splitlines()) <= 25


def test_without_names_systems_of_several_play_matches_of_several() -> None:
    result = evaluate(simulate_strengths(30, 1_000, per_match=4, seed=6))
    assert {score.system for score in result.systems} == {"state-space", "elo", "best-fit"}
    linear = evaluate(simulate_strengths(30, 1_000, per_match=4, seed=6), prizes=make_prizes("linear"))
    assert {score.parameters["prizes"] for score in linear.systems} == {"linear"}
    of_two = evaluate(simulate_strengths(30, 1_000, seed=6), prizes=make_prizes("linear"))
    assert len(of_two.systems) == 9


def test_what_cannot_be_fitted_is_left_out_unless_it_was_named() -> None:
    matches = Matches.of_pairs([0] * 50, [1] * 50, [1] * 50)
    result = evaluate(matches)
    assert "no finite rating" in result.left_out["best-fit"]
    assert "best-fit is left out" in result.summary()
    assert "elo" in {score.system for score in result.systems}
    with pytest.raises(LudometerError, match="no finite rating"):
        evaluate(matches, systems=[BestFit()])
