"""Ranks: intervals that hold the true rank as often as they say, groups, probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import Elo, Glicko2, Static, rate
from ludometer.ratings.ranks import compare_players, probability_better, rank_intervals
from ludometer.simulate import StrengthGame


def true_ranks(skill: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    ranks = np.empty(len(skill), np.int64)
    ranks[np.argsort(-skill)] = np.arange(1, len(skill) + 1)
    return ranks


def test_intervals_hold_true_ranks_of_normal_errors() -> None:
    rng = np.random.default_rng(1)
    held, width = [], []
    for _ in range(40):
        skill, sd = rng.normal(0, 200, 30), rng.uniform(20, 150, 30)
        estimate = skill + sd * rng.standard_normal(30)
        # what is known of a skill: the estimate, drawn towards the mean of all
        share = 200**2 / (200**2 + sd**2)
        low, high = rank_intervals(share * estimate, sd * np.sqrt(share))
        ranks = true_ranks(skill)
        held.append((low <= ranks) & (ranks <= high))
        width.append(high - low)
    # the errors of 1,200 ranks are not independent: within two percentage points
    assert np.mean(held) == pytest.approx(0.96, abs=0.02)
    assert 3 < np.mean(width) < 20


def test_intervals_of_static_ratings_hold_true_ranks() -> None:
    held = []
    for seed in range(6):
        game = StrengthGame(24, sd=200, seed=seed)
        (matches,) = game.batches(900)
        ranks = rate(matches, system=Static()).with_ranks().ranks
        assert ranks is not None
        true = true_ranks(game.skill)
        held.append((ranks.low <= true) & (true <= ranks.high))
    assert np.mean(held) == pytest.approx(0.955, abs=0.035)


def test_two_players_by_hand() -> None:
    low, high = rank_intervals(np.array([100.0, 0.0]), np.array([30.0, 30.0]))
    # the second is better with probability 0.9%
    assert (low.tolist(), high.tolist()) == ([1, 2], [1, 2])
    low, high = rank_intervals(np.array([30.0, 0.0]), np.array([30.0, 30.0]))
    assert (low.tolist(), high.tolist()) == ([1, 1], [2, 2])
    assert probability_better(np.array([30.0]), np.array([30 * 2**0.5]))[0] == pytest.approx(0.7602, abs=1e-4)
    assert probability_better(np.array([0.0, 1.0, -1.0]), np.zeros(3)).tolist() == [0.5, 1.0, 0.0]
    low, high = rank_intervals(np.array([5.0, 5.0, 1.0]), np.zeros(3))
    assert (low.tolist(), high.tolist()) == ([1, 2, 3], [1, 2, 3])


def test_groups_end_where_the_best_of_them_is_surely_better() -> None:
    first, second = np.repeat([0, 0, 1, 2], 300), np.repeat([1, 2, 2, 3], 300)
    won = np.tile(np.arange(300) % 100, 4) < np.repeat([90, 90, 50, 55], 300)
    matches = Matches.of_pairs(first, second, won, players=Players.named(["Ann", "Ben", "Cem", "Dan"]))
    listed = rate(matches, system=Static()).with_ranks()
    frame = listed.to_frame()
    assert frame["group"].to_list()[0] == 1
    assert frame["group"].to_list()[1] == 2
    for row, following in zip(frame.rows(named=True)[:-1], frame.rows(named=True)[1:], strict=True):
        assert row["better_than_next"] == pytest.approx(compare_players(listed, row["player"], following["player"]))
    assert compare_players(listed, "Ann", "Ben") > 0.99
    assert compare_players(listed, "Ben", "Ann") == pytest.approx(1 - compare_players(listed, "Ann", "Ben"))


def test_players_with_few_matches_have_no_rank_and_change_no_other() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 6, 300)
    second = (first + rng.integers(1, 6, 300)) % 6
    results = rng.integers(0, 2, 300)
    few = Matches.of_pairs([*first, 6], [*second, 0], [*results, 1])
    listed = rate(few, system=Glicko2(period_matches=1)).with_ranks(min_matches=10)
    frame = listed.to_frame()
    rare = frame.filter(frame["matches"] < 10)
    assert rare["rank_low"].to_list() == [None]
    assert frame["rank_high"].max() == 6
    reasons = listed.document()["absent"]
    assert reasons["players.rank_interval"] == "null for players with fewer than 10 matches"


def test_systems_without_errors_have_no_ranks() -> None:
    listed = rate(Matches.of_pairs([0], [1], [1]), system=Elo())
    with pytest.raises(LudometerError, match="elo gives no errors of its ratings"):
        listed.with_ranks()
    with pytest.raises(LudometerError, match="elo gives no errors"):
        compare_players(listed, 0, 1)
