"""Simulated games have the truth that was asked for, and the same bytes for the same seed."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.simulate import StrengthGame, simulate_coin, simulate_strengths


def test_results_follow_the_logistic_curve() -> None:
    game = StrengthGame(300, sd=200, draws=0.15, seed=1)
    pairs = [batch.pairs for batch in game.batches(400_000)]
    first, second, score = (np.concatenate([getattr(p, name) for p in pairs]) for name in ("first", "second", "score"))
    expected = 1 / (1 + 10 ** (-(game.skill[first] - game.skill[second]) / 400))
    for low in np.arange(0, 1, 0.1):
        here = (expected >= low) & (expected < low + 0.1)
        assert score[here].mean() == pytest.approx(expected[here].mean(), abs=4 * np.sqrt(0.25 / here.sum()))
    assert (score == 0.5).mean() == pytest.approx(0.15, abs=0.005)
    assert game.skill.std() == pytest.approx(200, rel=0.15)


def test_a_coin_is_fair_and_nobody_meets_himself() -> None:
    pairs = simulate_coin(7, 50_000, draws=0.3, activity=1.2, seed=2).pairs
    assert pairs.score.mean() == pytest.approx(0.5, abs=0.01)
    assert (pairs.first != pairs.second).all()
    assert (pairs.score == 0.5).mean() == pytest.approx(0.3, abs=0.01)


def test_activity_makes_some_play_far_more_often() -> None:
    alike = simulate_coin(1_000, 50_000, seed=3).counts
    unequal = simulate_coin(1_000, 50_000, activity=1.2, seed=3).counts
    assert alike.std() < 15
    assert unequal.std() > 100


def test_even_the_most_unequal_activity_ends() -> None:
    pairs = simulate_coin(50, 5_000, activity=10, seed=3).pairs
    assert (pairs.first != pairs.second).all()
    with pytest.raises(LudometerError, match="at most 10"):
        simulate_coin(50, 10, activity=60)


def test_several_finish_by_the_rank_ordered_logit() -> None:
    game = StrengthGame(3, sd=200, seed=4, per_match=3)
    seats = next(game.batches(150_000)).seats
    order = np.argsort(seats.place.reshape(-1, 3), axis=1)
    finished = np.take_along_axis(seats.player.reshape(-1, 3), order, axis=1)
    weight = 10 ** (game.skill / 400)
    for first, second, third in permutations(range(3)):
        expected = weight[first] / weight.sum() * weight[second] / (weight[second] + weight[third])
        share = (finished == (first, second, third)).all(axis=1).mean()
        assert share == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 150_000))


@pytest.mark.parametrize("activity", [0.0, 1.2, 10.0])
def test_nobody_sits_twice_at_a_table(activity: float) -> None:
    matches = simulate_coin(12, 20_000, activity=activity, per_match=5, seed=5)
    table = np.sort(matches.seats.player.reshape(-1, 5), axis=1)
    assert (np.diff(table, axis=1) > 0).all()
    assert (np.sort(matches.seats.place.reshape(-1, 5), axis=1) == np.arange(1, 6)).all()


def test_seeds_decide_and_longer_runs_begin_like_shorter_ones() -> None:
    short, long = (simulate_strengths(50, n, draws=0.1, activity=0.5, seed=9) for n in (1_000, 300_000))
    np.testing.assert_array_equal(short.pairs.first, long.pairs.first[:1_000])
    np.testing.assert_array_equal(short.pairs.halves, long.pairs.halves[:1_000])
    several = [simulate_strengths(50, n, per_match=4, activity=0.5, seed=9) for n in (1_000, 200_000)]
    assert several[0].fingerprint == several[1].part(0, 1_000).fingerprint
    assert simulate_strengths(50, 1_000, seed=1).fingerprint != simulate_strengths(50, 1_000, seed=2).fingerprint


@pytest.mark.parametrize(
    "settings",
    [
        {"n_players": 1},
        {"sd": -1.0},
        {"draws": 1.0},
        {"activity": float("nan")},
        {"seed": -1},
        {"per_match": 1},
        {"per_match": 6},
        {"per_match": 3, "draws": 0.1},
    ],
)
def test_impossible_games_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(LudometerError):
        StrengthGame(**({"n_players": 5} | settings))  # type: ignore[arg-type]


def test_more_draws_than_such_skills_allow_are_refused() -> None:
    with pytest.raises(LudometerError, match="can be drawn, not 95%"):
        simulate_strengths(50, 100, sd=300, draws=0.95)


def test_no_match_is_no_game() -> None:
    with pytest.raises(LudometerError, match="at least 1 match"):
        simulate_coin(5, 0)
