"""A measured game: known limits, sensible answers or clear words, and nothing that is not a number."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from dataclasses import fields, replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError, MatchDataError, NoFiniteFit
from ludometer.kernels.systems import elo, multiplayer
from ludometer.matches import Matches
from ludometer.measurement import (
    Comparison,
    Measurement,
    PopulationLuck,
    Reference,
    Verdict,
    Yardstick,
    measure,
    measure_reference,
)
from ludometer.measurement.measurement import REGULAR, Forecasts, Matchmaking, RecordCounts
from ludometer.players import Players
from ludometer.ratings import Elo, evaluate
from ludometer.ratings.prizes import make_prizes
from ludometer.scale import from_elo
from ludometer.simulate import simulate_coin, simulate_deterministic, simulate_strengths


def sound(game: Measurement) -> Measurement:
    """The measurement, once nothing in it was found that is not a number."""
    frame = game.to_frame()
    for name in frame.columns:
        if frame[name].dtype == pl.Float64:
            assert frame[name].drop_nulls().is_finite().all(), name
    words = [game.summary(), *game.absent().values()]
    assert not [word for text in words for word in re.findall(r"\b(?:nan|inf|None)\b", text, re.I)]
    assert all(game.absent().values())
    finite(game.document())
    assert game.plot().to_json()
    return game


@pytest.mark.parametrize("per_match", [2, 3])
def test_elo_is_played_once_at_the_best_k(monkeypatch: pytest.MonkeyPatch, per_match: int) -> None:
    module, name = (elo, "elo_pass") if per_match == 2 else (multiplayer, "seats_pass")
    played, steps = getattr(module, name), []

    def counted(*args: Any) -> Any:
        steps.append(args[4 if per_match == 2 else 5])
        return played(*args)

    monkeypatch.setattr(module, name, counted)
    game = measure(simulate_deterministic(40, 2_000, x=30, per_match=per_match, seed=1), quick=True)
    assert steps == [pytest.approx(from_elo(game.best_fit.k))]


def test_a_quick_measurement_loads_nothing_that_simulates() -> None:
    code = (
        "import sys; from ludometer.measurement import measure; from ludometer.simulate import simulate_coin; "
        "measure(simulate_coin(20, 500), quick=True).document(); "
        "print(*(name for name in sys.modules if name.startswith('ludometer')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    rooms = ("ludometer.kernels.gibbs", "ludometer.strength", "ludometer.measurement.luck")
    assert not [name for name in loaded if name.startswith((*rooms, "ludometer.measurement.verdict"))]


def test_no_part_has_more_than_a_dozen_fields() -> None:
    for part in (Measurement, RecordCounts, Matchmaking, Forecasts, Comparison, Verdict, Yardstick, PopulationLuck):
        assert len(fields(part)) <= 12, part


def finite(value: object) -> None:
    if isinstance(value, dict):
        for entry in value.values():
            finite(entry)
    elif isinstance(value, list):
        for entry in value:
            finite(entry)
    elif isinstance(value, float):
        assert math.isfinite(value)


def test_a_million_coin_flips_have_next_to_no_spread() -> None:
    game = sound(measure(simulate_coin(1_000, 1_000_000), quick=True))
    assert game.data.n_regulars == 1_000
    assert game.main.sd is not None
    assert game.main.sd < 0.5
    assert game.published[0] == pytest.approx(0, abs=0.5)
    assert game.persistence.slope is not None
    assert game.persistence.std_error is not None
    assert abs(game.persistence.slope) < 3 * game.persistence.std_error


def test_two_players_are_measured() -> None:
    score = (np.random.default_rng(0).random(400) < 0.75).astype(float)
    game = sound(measure(Matches.of_pairs([0] * 400, [1] * 400, score)))
    assert (game.data.n_players, game.main.n) == (2, 2)
    assert game.main.sd is not None
    assert game.best_fit.rating.sum() == pytest.approx(0, abs=1e-9)
    # two players: the SD is their difference over the root of 2
    assert game.main.sd == pytest.approx(abs(game.best_fit.rating[0]) * math.sqrt(2))
    assert game.persistence.slope is None


def test_two_even_players_have_no_spread() -> None:
    game = sound(measure(Matches.of_pairs([0] * 100, [1] * 100, [1, 0] * 50)))
    assert (game.best_fit.k, game.main.sd, game.matchmaking.ratio_to_sd, game.matchmaking.ratio_if_random) == (
        0,
        0,
        None,
        None,
    )
    assert game.absent()["matchmaking.ratio_to_sd"] == "there is no SD to compare with"


def test_one_match_is_refused() -> None:
    with pytest.raises(MatchDataError, match="no player has more than 1 match: skill shows only in players who come"):
        measure(Matches.of_pairs([0], [1], [1]))


def test_no_matches_are_refused() -> None:
    with pytest.raises(MatchDataError, match="there are no matches"):
        measure(Matches.of_pairs([], [], [], players=Players.numbered(3)))


@pytest.mark.parametrize("times", [1, 2])
def test_anonymous_ids_are_refused(times: int) -> None:
    ids = np.arange(1_000)
    first, second = (ids[::2], ids[1::2]) if times == 1 else (ids, np.roll(ids, 1))
    with pytest.raises(MatchDataError, match="If the ids are anonymous or new for each match"):
        measure(Matches.of_pairs(first, second, np.ones(len(first))))


def test_all_draws_are_a_game_without_a_spread() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 10, 200)
    draws = Matches.of_pairs(first, (first + rng.integers(1, 10, 200)) % 10, np.full(200, 0.5))
    game = sound(measure(draws, replicates=19))
    assert (game.data.draw_rate, game.best_fit.k, game.best_fit.loss, game.main.sd, game.main.rep) == (1, 0, 0, 0, None)
    assert "no number of games would show who is one SD better" in game.summary()
    assert game.absent()["spread.0.rep"].startswith("a player one SD better scores hardly more than 50%")


def test_one_player_who_only_wins_is_told_so() -> None:
    with pytest.raises(NoFiniteFit, match="some only win, others only lose"):
        measure(Matches.of_pairs([0] * 30, [1] * 30, [1] * 30))
    printed = sound(measure(Matches.of_pairs([0] * 30, [1] * 30, [1] * 30), procedure="printed"))
    assert "beyond the search" in printed.summary()


def islands() -> Matches:
    """80 players on one island, 30 on another, two who met only each other."""
    large, small = simulate_strengths(80, 6_000, sd=150, seed=1).pairs, simulate_strengths(30, 2_000, seed=2).pairs
    return Matches.of_pairs(
        np.concatenate((large.first, 80 + small.first, [110] * 3)),
        np.concatenate((large.second, 80 + small.second, [111] * 3)),
        np.concatenate((large.score, small.score, [1, 0, 1])),
    )


def test_of_two_islands_the_larger_stays() -> None:
    game = sound(measure(islands(), quick=True))
    assert (game.data.n_matches, game.data.n_players, game.data.dropped_matches, game.data.dropped_players) == (
        6_000,
        80,
        2_003,
        32,
    )
    alone = measure(simulate_strengths(80, 6_000, sd=150, seed=1), quick=True)
    assert game.spread == alone.spread
    assert game.best_fit.k == alone.best_fit.k


def test_smaller_components_can_be_kept() -> None:
    both = sound(measure(islands(), min_component=30, quick=True))
    assert (both.data.n_matches, both.data.n_players, both.data.dropped_matches, both.data.dropped_players) == (
        8_000,
        110,
        3,
        2,
    )
    everybody = measure(islands(), min_component=1, quick=True)
    assert (everybody.data.n_players, everybody.data.dropped_players) == (112, 0)
    with pytest.raises(MatchDataError, match="no group has 200 players; the largest has 80"):
        measure(islands(), min_component=200)


def test_the_spread_rises_with_the_true_spread() -> None:
    games = [measure(simulate_strengths(500, 50_000, sd=sd, seed=3), quick=True) for sd in (20, 50, 100, 200, 300)]
    spreads = [sound(game).main.sd or 0 for game in games]
    assert spreads == sorted(spreads)
    assert spreads[0] > 5
    # ratings of 200 matches a player lag behind the true skills, by less than a third from SD 100 on
    for true, measured in zip((100, 200, 300), spreads[2:], strict=True):
        assert 0.67 * true < measured < 1.1 * true
    for name in ("k", "loss"):
        values = [getattr(game.best_fit, name) for game in games]
        assert values == sorted(values, reverse=name == "loss")


def test_cutoffs_are_taken_as_given_and_the_regulars_lead() -> None:
    matches = simulate_strengths(200, 4_000, activity=1.0, seed=4)
    game = sound(measure(matches, cutoffs=[1, 25, 5, 1], quick=True))
    assert [spread.min_matches for spread in game.spread] == [1, 25, 5]
    assert game.main.min_matches == REGULAR
    assert measure(matches, cutoffs=[7, 3], quick=True).main.min_matches == 7
    assert game.to_frame()["min_matches"].to_list() == [1, 25, 5]
    for spread in game.spread:
        assert spread.n == int((matches.counts >= spread.min_matches).sum())
        assert spread.sd == pytest.approx(game.cutoffs.sd[spread.min_matches - 1], rel=1e-9)
        assert spread.n == game.cutoffs.n[spread.min_matches - 1]


@pytest.mark.parametrize("cutoffs", [[], [0], [25, -1]])
def test_impossible_cutoffs_are_refused(cutoffs: list[int]) -> None:
    with pytest.raises(LudometerError, match="1 or more"):
        measure(simulate_coin(10, 100), cutoffs=cutoffs)


def test_a_game_without_regulars_says_so() -> None:
    game = sound(measure(simulate_strengths(100, 500, seed=1)))
    assert (game.data.n_regulars, game.main.sd, game.matchmaking.ratio_to_sd, game.matchmaking.ratio_if_random) == (
        0,
        None,
        None,
        None,
    )
    assert game.published == (None, None)
    assert game.summary() == (
        "These data cannot tell: only 0 players have 25 matches or more, and at least 10 are needed."
    )
    absent = game.absent()
    for name in ("sd", "min", "q01", "q99", "max", "p_sd", "p_1_99", "rep"):
        assert absent[f"spread.0.{name}"] == "fewer than two players have 25 matches"
    assert absent["yardstick.published.x_chess"] == "there is no SD"
    # of all players there is an SD, but without regulars nothing is simulated, so it has no interval
    assert {name for name in absent if name.startswith("spread.1.")} == {
        f"spread.1.{name}" for name in ("sd_interval", "p_sd_interval", "rep_interval")
    }
    assert game.verdict is not None
    assert game.verdict.answer == "cannot tell"
    assert game.verdict.statement == (
        "These data cannot tell: only 0 players have 25 matches or more, and at least 10 are needed."
    )
    assert game.yardstick is None


def test_above_the_published_lines_there_is_no_x() -> None:
    game = sound(measure(simulate_strengths(200, 30_000, sd=400, seed=1), quick=True))
    assert game.published == (None, None)
    assert game.absent()["yardstick.published.x_deterministic"] == "the SD is above the published line"


def test_quick_leaves_out_what_is_simulated_and_nothing_else() -> None:
    matches = simulate_strengths(60, 2_000, activity=0.6, seed=6)
    quick, whole = measure(matches, quick=True), measure(matches, seed=9, replicates=19)
    assert quick.persistence == whole.persistence
    assert quick.spread == tuple(replace(spread, sd_interval=None) for spread in whole.spread)
    assert [quick.yardstick, quick.verdict, quick.matchmaking.pairing, quick.best_fit.k_interval] == [None] * 4
    assert whole.yardstick is not None
    assert whole.verdict is not None
    for spread in whole.spread:
        assert spread.sd_interval is not None
        assert spread.sd is not None
        assert spread.sd_interval[0] < spread.sd < spread.sd_interval[1]
    assert whole.best_fit.k_interval is not None
    assert whole.best_fit.k_interval[0] < whole.best_fit.k < whole.best_fit.k_interval[1]
    assert quick.matchmaking.ratio_if_random is None
    assert quick.absent()["matchmaking.ratio_if_random"] == "left out by --quick"
    assert whole.matchmaking.ratio_if_random is not None
    assert "matchmaking.ratio_if_random" not in whole.absent()
    assert (quick.provenance.seed, whole.provenance.seed) == (None, 9)
    assert measure(matches, seed=9, replicates=19).summary() == whole.summary()


def test_the_forecasts_are_those_of_the_best_fit() -> None:
    matches = simulate_strengths(100, 5_000, draws=0.2, seed=6)
    game = measure(matches, quick=True)
    (score,) = evaluate(matches, systems=[Elo(game.best_fit.k, 0.0)]).systems
    assert game.forecasts.elo.log_loss == pytest.approx(score.log_loss, rel=1e-12)
    assert game.forecasts.elo.brier == pytest.approx(game.best_fit.loss / 2, rel=1e-12)
    assert game.matchmaking.ratio_to_sd == pytest.approx(game.matchmaking.mean_rating_difference / (game.main.sd or 0))


@pytest.mark.parametrize("rule", ["winner", "linear"])
def test_matches_of_several_players_are_measured(rule: str) -> None:
    # x%-deterministic: in order of strength with probability x, else in a random order
    prizes = make_prizes(rule)
    game = sound(measure(simulate_deterministic(40, 800, x=30, per_match=3, seed=2), prizes=prizes, replicates=19))
    assert game.data.players_per_match == (3, 3.0, 3)
    assert game.yardstick is not None
    low, high = game.yardstick.deterministic.interval
    assert low < 30 < high
    assert high - low < 20
    assert game.verdict is not None
    kinds = {check.kind for check in game.verdict.checks}
    assert "prizes" in kinds
    assert "unit" not in kinds


def test_base_e_is_wider_and_stands_at_the_same_place() -> None:
    matches = simulate_strengths(20, 400, sd=150, per_match=3, seed=3)
    ten, e = (measure(matches, base=base, replicates=19) for base in ("10", "e"))
    wider = math.log(10)
    assert e.best_fit.k == pytest.approx(wider * ten.best_fit.k, rel=1e-6)
    assert e.main.sd == pytest.approx(wider * (ten.main.sd or 0), rel=1e-6)
    assert e.main.sd_interval == pytest.approx([wider * end for end in ten.main.sd_interval or ()], rel=1e-6)
    assert e.best_fit.k_interval == pytest.approx([wider * end for end in ten.best_fit.k_interval or ()], rel=1e-6)
    assert e.matchmaking.mean_rating_difference == pytest.approx(
        wider * ten.matchmaking.mean_rating_difference, rel=1e-6
    )
    for name in ("deterministic", "chess", "skill"):
        one, other = (getattr(game.yardstick, name).solutions for game in (ten, e))
        np.testing.assert_allclose(one, other, rtol=1e-6)
    assert ten.verdict is not None
    assert e.verdict is not None
    assert e.verdict.answer == ten.verdict.answer
    # but another choice beforehand
    assert e.verdict.primary != ten.verdict.primary


@pytest.mark.parametrize("seed", [0, 1])
def test_a_coin_is_chance_even_where_its_ratings_do_not_spread_at_all(seed: int) -> None:
    game = sound(measure(simulate_coin(30, 900, seed=seed), replicates=19))
    assert (game.main.sd == 0) == (seed == 1)
    assert game.verdict is not None
    assert game.verdict.answer == "chance"
    assert game.yardstick is not None
    assert game.yardstick.deterministic.interval[0] == 0
    assert 0 < game.yardstick.deterministic.interval[1] < 40


def test_certain_strength_is_skill_beyond_all_yardsticks() -> None:
    game = sound(measure(simulate_deterministic(20, 800, x=98, seed=2), replicates=19))
    assert game.verdict is not None
    assert game.verdict.answer == "skill"
    assert game.yardstick is not None
    assert list(game.yardstick.chess.interval) == [100, np.inf]
    assert "chess share more than 100%" in game.summary()
    assert "yardstick.matched.x_chess" in game.absent()


@pytest.mark.parametrize("n_players", [3, 5])
@pytest.mark.parametrize("sd", [100, 900, 1_500])
def test_a_handful_of_players_has_finite_intervals_and_no_verdict(n_players: int, sd: float) -> None:
    for seed in range(3):
        try:
            game = sound(measure(simulate_strengths(n_players, 40 * n_players, sd=sd, seed=seed), replicates=19))
        except NoFiniteFit:
            continue
        assert game.verdict is not None
        assert game.verdict.answer == "cannot tell"
        for spread in game.spread:
            if spread.sd_interval is not None and spread.sd is not None:
                assert 0 <= spread.sd_interval[0] <= spread.sd <= spread.sd_interval[1] < 20 * spread.sd + 500


def test_the_reference_is_the_skill_of_its_own_record() -> None:
    found = measure_reference("club", simulate_strengths(100, 8_000, sd=120, draws=0.25, seed=1))
    assert found.name == "club"
    # 100 skills: their own SD is known to 7%
    assert found.sd == pytest.approx(120, rel=0.2)
    assert found.draws == pytest.approx(0.25, abs=0.02)
    # a record beside itself is 100% of itself
    game = measure(simulate_strengths(100, 3_000, sd=120, draws=0.25, seed=2), reference=found, replicates=19)
    assert game.yardstick is not None
    assert game.yardstick.chess.interval[0] > 65
    assert game.verdict is not None
    assert "club" in "".join(game.verdict.reasons)
    with pytest.raises(MatchDataError, match="the reference few has fewer than 10 players"):
        measure_reference("few", simulate_strengths(40, 100))


def test_a_coin_is_no_reference() -> None:
    coins = [simulate_coin(40, 2_000, seed=seed) for seed in range(4)]
    still = next(coin for coin in coins if measure(coin, quick=True).main.sd == 0)
    with pytest.raises(MatchDataError, match="the ratings of the reference coin do not spread"):
        measure_reference("coin", still)


def test_too_few_replicates_are_refused() -> None:
    with pytest.raises(LudometerError, match="at least 19 replicates are needed for an interval, not 18"):
        measure(simulate_strengths(40, 2_000), replicates=18)


def test_the_intervals_of_p_sd_and_rep_are_those_of_the_sd() -> None:
    game = measure(simulate_strengths(20, 600, sd=60, seed=1), replicates=19)
    low, high = game.main.sd_interval or (0, 0)
    assert game.main.p_sd_interval == pytest.approx([1 / (1 + 10 ** (-sd / 400)) for sd in (low, high)])
    assert game.main.rep_interval is not None
    fewest, most = game.main.rep_interval
    assert fewest is not None
    assert game.main.rep is not None
    assert fewest <= game.main.rep
    assert most is None or most >= game.main.rep


def test_the_primary_analysis_is_named_by_its_choices_alone() -> None:
    # no regulars: refused at once, but the choices stand
    records = [simulate_strengths(40, 200, seed=seed) for seed in (1, 2, 1)]
    verdicts = [
        measure(record, reference=Reference(name)).verdict
        for record, name in zip(records, ("chess", "chess", "go"), strict=True)
    ]
    one, other, changed = (verdict.primary for verdict in verdicts if verdict is not None)
    assert one == other != changed
