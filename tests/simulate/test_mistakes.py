"""Games of right and wrong moves are logistic, by the formula and move by move."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ludometer.curves import Logistic
from ludometer.errors import LudometerError
from ludometer.simulate.markov import lead_by
from ludometer.simulate.mistakes import (
    MoveGame,
    play_moves,
    rate_moves,
    right_move_probability,
    simulate_moves,
    win_by_moves,
)
from ludometer.simulate.points import win_lead_by


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_wrong_moves_make_the_logistic_curve(n: int) -> None:
    rating = np.random.default_rng(n).normal(0, 500, (2, 2000))
    mine, his = right_move_probability(rating, ahead=n, half_rating=100)
    expected = Logistic()(rating[0] - rating[1])
    assert np.abs(win_by_moves(mine, his, ahead=n) - expected).max() < 1e-12


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_formula_is_that_of_the_chain_and_of_a_match_of_single_games(n: int) -> None:
    mine, his = np.random.default_rng(n).uniform(0.01, 0.99, (2, 300))
    chain = lead_by(n).win_probability(mine / (1 - mine), his / (1 - his))
    np.testing.assert_allclose(win_by_moves(mine, his, ahead=n), chain, rtol=1e-12)
    np.testing.assert_allclose(win_lead_by(win_by_moves(mine, his), n), chain, rtol=1e-11)


def test_ratings_lead_to_right_moves_and_back() -> None:
    right = np.array([0.01, 0.5, 0.9])
    for ahead in (1, 4):
        rating = rate_moves(right, ahead=ahead, half_rating=1500)
        assert rating[1] == 1500
        np.testing.assert_allclose(right_move_probability(rating, ahead=ahead, half_rating=1500), right, rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_played_move_by_move_the_formula_comes_out(n: int) -> None:
    games, mine, his = 40_000, 0.7, 0.6
    played = play_moves(np.full(games, mine), np.full(games, his), ahead=n, rng=np.random.default_rng(n))
    chance = float(win_by_moves(np.array(mine), np.array(his), ahead=n))
    assert abs(played.won.mean() - chance) < 4 * math.sqrt(chance * (1 - chance) / games)
    # the walk: the expected lead at the end is what a move adds, times the moves (Wald)
    mean = n * (2 * chance - 1) / (mine - his)
    assert abs(played.n_moves.mean() - mean) < 4 * played.n_moves.std() / math.sqrt(games)
    assert played.n_moves.min() >= n


def test_both_routes_of_a_population_agree() -> None:
    by_moves, by_formula = (MoveGame(30, 300, 3, seed=5, by_moves=way) for way in (True, False))
    np.testing.assert_array_equal(by_moves.skill, by_formula.skill)
    n = 60_000
    (played,), (drawn,) = by_moves.batches(n), by_formula.batches(n)
    np.testing.assert_array_equal(played.pairs.first, drawn.pairs.first)
    expected = Logistic()(by_moves.skill[played.pairs.first] - by_moves.skill[played.pairs.second])
    spread = math.sqrt(float((expected * (1 - expected)).sum()))
    better = np.sign(expected - 0.5)
    for record in (played, drawn):
        assert abs(float((better * (record.pairs.score - expected)).sum())) < 4 * spread


def test_a_longer_run_begins_with_the_matches_of_a_shorter_one() -> None:
    short, long = simulate_moves(20, 50, ahead=2, seed=3), simulate_moves(20, 9000, ahead=2, seed=3)
    for column in ("first", "second", "halves"):
        np.testing.assert_array_equal(getattr(short.pairs, column), getattr(long.pairs, column)[:50])
    assert len(long) == 9000
    assert simulate_moves(20, 50, ahead=2, seed=4).fingerprint != short.fingerprint


def test_busy_players_play_more() -> None:
    counts = simulate_moves(50, 5000, activity=1.2, seed=1).counts
    assert counts.max() > 5 * np.median(counts)


def test_games_that_never_end_are_refused() -> None:
    with pytest.raises(LudometerError, match="never end"):
        play_moves(np.array([1.0]), np.array([1.0]), rng=np.random.default_rng(0))
    assert np.isnan(win_by_moves(np.array(1.0), np.array(1.0)))


@pytest.mark.parametrize(
    "settings",
    [{"n_players": 1}, {"ahead": 0}, {"sd": -1.0}, {"activity": 11.0}, {"half_rating": math.inf}, {"seed": -1}],
)
def test_impossible_games_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(LudometerError):
        MoveGame(**({"n_players": 5} | settings))  # type: ignore[arg-type]
