"""Many games on one schedule are fitted as each alone would be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludometer.errors import NoFiniteFit
from ludometer.matches import Matches, Pairs
from ludometer.measurement.benchmarks.yardstick import make_schedule
from ludometer.ratings.prizes import WINNER, Prizes, make_prizes, seat_columns
from ludometer.ratings.replicates import ReplicateFits, Schedule, fit_replicates
from ludometer.ratings.systems.best_fit import fit_best_elo
from ludometer.simulate import deterministic_on, simulate_coin, simulate_deterministic, simulate_strengths

LINEAR = make_prizes("linear")


def results_of(matches: Matches, prizes: Prizes = WINNER) -> Any:
    """The results of a record as one column of many games."""
    table = matches.table
    column: Any = table.halves if isinstance(table, Pairs) else seat_columns(table, prizes)[1]
    return np.ascontiguousarray(column[:, np.newaxis])


def replay(matches: Matches, prizes: Prizes = WINNER, *, guess: float = 20.0, min_matches: int = 25) -> ReplicateFits:
    course = make_schedule(matches, prizes)
    counted = matches.counts >= min_matches
    return fit_replicates(course, results_of(matches, prizes), counted=counted, guess=np.array([guess]))


RECORDS = {
    "strengths": (simulate_strengths(80, 6_000, sd=150, seed=1), WINNER),
    "draws": (simulate_strengths(80, 6_000, sd=100, draws=0.3, seed=2), WINNER),
    "unequal": (simulate_strengths(200, 4_000, sd=200, activity=1.0, seed=3), WINNER),
    "deterministic": (simulate_deterministic(100, 8_000, x=30, seed=4), WINNER),
    "hardly any skill": (simulate_deterministic(100, 20_000, x=10, seed=5), WINNER),
    "table for the winner": (simulate_strengths(60, 3_000, sd=150, per_match=4, seed=6), WINNER),
    "table, linear": (simulate_deterministic(60, 3_000, x=40, per_match=3, seed=7), LINEAR),
}


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("guess", [3.0, 30.0, 400.0])
def test_one_game_is_fitted_as_best_fit_elo_does(name: str, guess: float) -> None:
    matches, prizes = RECORDS[name]
    best = fit_best_elo(matches, prizes=prizes)
    found = replay(matches, prizes, guess=guess)
    # the polynomial is searched in 2,000 steps of ln k, 9e-4 each
    assert found.k[0] == pytest.approx(best.k, rel=5e-4)
    assert found.loss[0] == pytest.approx(best.loss, rel=2e-6)
    assert found.sd[0] == pytest.approx(best.rating[matches.counts >= 25].std(ddof=1), rel=1e-3)


def test_games_of_chance_have_the_k_of_best_fit_elo_and_often_0() -> None:
    n_without = 0
    for seed in range(20):
        matches = simulate_coin(60, 2_000, activity=0.7, seed=seed)
        best, found = fit_best_elo(matches), replay(matches)
        sd = best.rating[matches.counts >= 25].std(ddof=1)
        assert found.k[0] == pytest.approx(best.k, rel=5e-4, abs=1e-3)
        assert found.sd[0] == pytest.approx(sd, rel=1e-3, abs=1e-2)
        # of a game that does not spread it is the loss at the least k that is tried
        assert found.loss[0] == pytest.approx(best.loss, abs=3e-5)
        if best.k == 0:
            assert (found.k[0], found.sd[0]) == (0, 0)
            n_without += 1
    assert 5 <= n_without <= 15


def test_results_without_contradictions_have_no_best_k() -> None:
    for matches in (
        Matches.of_pairs([0] * 40, [1, 2, 3, 4] * 10, [1] * 40),
        Matches.of_pairs([0] * 40, [1] * 40, [1] * 40),
    ):
        with pytest.raises(NoFiniteFit):
            fit_best_elo(matches)
        for guess in (1.0, 200.0, 8_000.0):
            found = replay(matches, min_matches=1, guess=guess)
            assert (found.k[0], found.sd[0]) == (np.inf, np.inf)


def test_games_together_are_fitted_as_each_alone() -> None:
    schedule = simulate_coin(60, 3_000, activity=0.8, seed=1)
    games = [deterministic_on(schedule, x, seed=seed)[0] for seed, x in enumerate((0, 0, 5, 20, 60, 95, 100))]
    counted = schedule.counts >= 25
    together = fit_replicates(
        Schedule(schedule), np.hstack([results_of(game) for game in games]), counted=counted, guess=np.full(7, 20.0)
    )
    for place, game in enumerate(games):
        alone = replay(game)
        for name in ("k", "loss", "sd"):
            assert getattr(together, name)[place] == getattr(alone, name)[0], (place, name)
    assert (np.diff(together.sd[2:]) > 0).all()


def test_groups_of_players_have_their_own_sd_and_share_the_k() -> None:
    matches = simulate_strengths(200, 4_000, sd=200, activity=1.0, seed=3)
    groups = np.stack([matches.counts >= cutoff for cutoff in (1, 25, 60)])
    found = fit_replicates(Schedule(matches), results_of(matches), counted=groups, guess=np.array([20.0]))
    assert found.sd.shape == (1, 3)
    best = fit_best_elo(matches)
    for place, group in enumerate(groups):
        alone = fit_replicates(Schedule(matches), results_of(matches), counted=group, guess=np.array([20.0]))
        assert found.sd[0, place] == pytest.approx(alone.sd[0], rel=1e-12)
        assert found.sd[0, place] == pytest.approx(best.rating[group].std(ddof=1), rel=1e-3)
    assert len({round(float(sd)) for sd in found.sd[0]}) == 3


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(0, 300), st.floats(0, 0.5), st.floats(0.05, 3_000))
def test_the_guess_does_not_matter(seed: int, sd: float, draws: float, guess: float) -> None:
    matches = simulate_strengths(40, 1_500, sd=sd, draws=draws, seed=seed)
    one, other = replay(matches, guess=guess), replay(matches, guess=25.0)
    assert one.loss[0] == pytest.approx(other.loss[0], abs=3e-5)
    assert one.sd[0] == pytest.approx(other.sd[0], rel=2e-3, abs=0.02)


def test_a_table_has_a_row_for_each_match_of_two_or_each_seat() -> None:
    assert Schedule(simulate_coin(10, 50)).n_results == 50
    assert make_schedule(simulate_coin(10, 50, per_match=3)).n_results == 150


def test_a_game_of_draws_alone_does_not_spread() -> None:
    schedule = simulate_coin(12, 400, seed=1).pairs
    found = replay(Matches.of_pairs(schedule.first, schedule.second, np.full(400, 0.5)))
    assert (found.k[0], found.loss[0], found.sd[0]) == (0, 0, 0)
