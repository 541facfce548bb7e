"""Rank probabilities and expected shares equal the sums over all finishing orders."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Floats
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import kernel
from ludometer.kernels.skills import ranks


def by_orders(weight: Floats) -> Floats:
    """The n! sum."""
    n = len(weight)
    orders = np.array(list(permutations(range(n))))
    ordered = weight[orders]
    left = np.cumsum(ordered[:, ::-1], axis=1)[:, ::-1]
    chance = (ordered / left).prod(axis=1)
    probability = np.zeros((n, n))
    for place in range(n):
        np.add.at(probability[:, place], orders[:, place], chance)
    return probability


def weights(ratings: list[float] | Floats) -> Floats:
    return np.asarray(10 ** (np.asarray(ratings) / 400), np.float64)


RATINGS = st.lists(st.floats(-800, 800), min_size=2, max_size=6)


@given(RATINGS)
def test_rank_probabilities_are_the_sum_over_all_orders(ratings: list[float]) -> None:
    weight = weights(ratings)
    np.testing.assert_allclose(ranks.rank_probabilities(weight), by_orders(weight), atol=1e-9)
    np.testing.assert_allclose(ranks.rank_probabilities_plain(weight), by_orders(weight), atol=1e-9)


def test_seven_players_over_the_whole_range_are_exact() -> None:
    rng = np.random.default_rng(0)
    for ratings in (
        np.linspace(-800, 800, 7),
        rng.uniform(-800, 800, 7),
        np.zeros(7),
        np.repeat([800.0, -800], [1, 6]),
    ):
        weight = weights(ratings)
        np.testing.assert_allclose(ranks.rank_probabilities(weight), by_orders(weight), atol=1e-12)


@pytest.mark.parametrize("n", [2, 8, 20, 50, 80])
@pytest.mark.parametrize("kind", ["equal", "spread", "two groups", "one ahead"])
def test_rows_and_columns_sum_to_one(n: int, kind: str) -> None:
    ratings = {
        "equal": np.zeros(n),
        "spread": np.random.default_rng(n).uniform(-800, 800, n),
        "two groups": np.where(np.arange(n) % 2, 800.0, -800.0),
        "one ahead": np.where(np.arange(n) == n // 2, 800.0, -800.0),
    }[kind]
    probability = ranks.rank_probabilities(weights(ratings))
    np.testing.assert_allclose(probability.sum(axis=0), 1, atol=1e-9)
    np.testing.assert_allclose(probability.sum(axis=1), 1, atol=1e-9)
    assert probability.min() > -1e-12


def test_the_plain_twin_agrees_for_many_players() -> None:
    weight = weights(np.random.default_rng(3).uniform(-800, 800, 25))
    np.testing.assert_allclose(ranks.rank_probabilities(weight), ranks.rank_probabilities_plain(weight), atol=1e-12)


def test_equal_players_finish_everywhere_equally_often() -> None:
    np.testing.assert_allclose(ranks.rank_probabilities(np.full(12, 3.0)), 1 / 12, atol=1e-12)


def test_the_scale_of_the_weights_does_not_matter() -> None:
    weight = weights([0.0, 100, -250, 700])
    np.testing.assert_allclose(ranks.rank_probabilities(weight), ranks.rank_probabilities(1e9 * weight), atol=1e-14)


@given(RATINGS, st.lists(st.floats(0, 1), min_size=5, max_size=5), st.integers(0, 5))
def test_expected_shares_are_the_sum_over_all_orders(ratings: list[float], rest: list[float], n_unpaid: int) -> None:
    n = len(ratings)
    prize = np.array([1.0, *sorted(rest, reverse=True)])[:n]
    prize[max(1, n - n_unpaid) :] = 0
    weight = weights(ratings)
    np.testing.assert_allclose(ranks.expect_shares(weight, prize), by_orders(weight) @ prize, atol=1e-12)


PRIZES = {
    "winner": np.eye(9)[0],
    "linear": np.linspace(1, 0, 9),
    "even with a floor": np.linspace(1, 0.2, 9),
    "first two": np.array([1, 0.4, *[0.0] * 7]),
    "first three": np.array([1, 0.6, 0.4, *[0.0] * 6]),
    "first three and a floor": np.array([1, 0.6, 0.4, *[0.1] * 6]),
    "first five": np.array([1, 0.6, 0.4, 0.3, 0.1, *[0.0] * 4]),
    "all but the last": np.array([*[1.0] * 8, 0]),
    "all alike": np.ones(9),
    "curved": np.linspace(1, 0, 9) ** 2,
}


@pytest.mark.parametrize("kind", PRIZES)
@pytest.mark.parametrize("ahead", [0.0, 800.0, 6000.0])
def test_every_kind_of_prizes_equals_the_definition(kind: str, ahead: float) -> None:
    ratings = np.random.default_rng(1).uniform(-400, 400, 9)
    ratings[4] += ahead
    weight = weights(ratings)
    expected = ranks.expect_shares(weight, PRIZES[kind])
    np.testing.assert_allclose(expected, ranks.expect_shares_plain(weight, PRIZES[kind]), atol=1e-12)
    assert expected.sum() == pytest.approx(PRIZES[kind].sum(), abs=1e-12)


def test_a_player_out_of_reach_costs_the_others_no_digits() -> None:
    # without the player ahead, the second and third prizes are the first two of the others
    others = weights(np.random.default_rng(2).uniform(-200, 200, 8))
    alone = ranks.expect_shares(others, np.array([1, 0.5, *[0.0] * 6]))
    weight = np.append(others, 1e40)
    with_him = ranks.expect_shares(weight, np.array([1, 0.6, 0.3, *[0.0] * 6]))
    np.testing.assert_allclose(with_him[:8], 0.6 * alone, rtol=1e-12)


@kernel
def _expect_at(rating: Any, prize: Floats, expected: Any, scratch: Any) -> None:
    n = len(rating)
    ranks.expect_at(rating, n, prize, 0, np.empty_like(rating), expected, scratch)


def expected_at(rating: Any, prize: Floats) -> Any:
    """Of one rating per player, or of eight lanes of them, or sixteen of single precision."""
    expected = np.empty_like(rating)
    _expect_at(rating, prize, expected, np.empty((ranks.scratch_rows(len(rating)), *rating.shape[1:]), rating.dtype))
    return expected


@pytest.mark.parametrize("half", [0.0, 0.5, 0.9, 1.4, 2.0, 2.8, 3.5, 4.15, 5.05, 5.06, 40.0])
@pytest.mark.parametrize("n", [17, 23, 40, 74, 101])
def test_the_smooth_sum_is_the_sum_over_opponents(half: float, n: int) -> None:
    rating = 7.0 + half * np.cos(np.arange(n) * 2.4)
    rating[:2] = 7.0 - half, 7.0 + half
    prize = np.linspace(1, 0.25, n)
    expected = expected_at(rating, prize)
    beats = 0.5 * (1 + np.tanh((rating[:, np.newaxis] - rating) / 2))
    np.testing.assert_allclose(expected, 0.25 + 0.75 / (n - 1) * (beats.sum(axis=1) - 0.5), rtol=0, atol=1e-12)
    assert expected.sum() == pytest.approx(prize.sum(), abs=1e-11)


def test_the_smooth_sum_equals_the_plain_twin() -> None:
    rating = np.random.default_rng(3).uniform(-2, 2, 60)
    prize = np.linspace(1, 0, 60)
    plain = ranks.expect_shares_plain(np.exp(rating), prize)
    np.testing.assert_allclose(expected_at(rating, prize), plain, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", PRIZES)
def test_ratings_and_weights_give_the_same_shares(kind: str) -> None:
    rating = lanes.allocate(9, 8)
    rating[:] = np.random.default_rng(5).normal(0, 2, (9, 8))
    expected = expected_at(rating, PRIZES[kind])
    for lane in range(8):
        by_weight = ranks.expect_shares(np.exp(rating[:, lane]), PRIZES[kind])
        np.testing.assert_allclose(expected[:, lane], by_weight, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ahead", [0.0, 2.0, 6.0])
@pytest.mark.parametrize("sd", [0.0, 0.8])
def test_three_prizes_in_large_matches_equal_the_definition(ahead: float, sd: float) -> None:
    # by a power series, or pair by pair if somebody is far ahead
    rating = sd * np.random.default_rng(8).standard_normal(50)
    rating[11] += ahead
    prize = np.array([1, 0.6, 0.4, *[0.1] * 47])
    expected = ranks.expect_shares(np.exp(rating), prize)
    np.testing.assert_allclose(expected, ranks.expect_shares_plain(np.exp(rating), prize), rtol=0, atol=1e-12)
    assert expected.sum() == pytest.approx(prize.sum(), abs=1e-12)


def test_each_lane_of_three_prizes_is_that_lane_alone() -> None:
    rating = lanes.allocate(80, 8)
    rating[:] = np.random.default_rng(9).standard_normal((80, 8)) * np.linspace(0, 1.2, 8)
    prize = np.array([1, 0.6, 0.4, *[0.0] * 77])
    expected = expected_at(rating, prize)
    for lane in range(8):
        np.testing.assert_allclose(expected[:, lane], expected_at(rating[:, lane].copy(), prize), rtol=0, atol=1e-13)


def test_each_lane_of_the_smooth_sum_has_its_own_middle() -> None:
    rng = np.random.default_rng(6)
    rating = lanes.allocate(50, 8)
    rating[:] = np.linspace(-300, 300, 8) + rng.uniform(-1, 1, (50, 8)) * np.linspace(0, 3, 8)
    prize = np.linspace(1, 0, 50)
    expected = expected_at(rating, prize)
    for lane in range(8):
        np.testing.assert_allclose(expected[:, lane], expected_at(rating[:, lane].copy(), prize), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", [*PRIZES, "smooth", "smooth and wide", "three of many", "curve of many"])
def test_single_precision_gives_the_same_shares(kind: str) -> None:
    n, sd = {"smooth": (40, 0.7), "smooth and wide": (101, 1.5)}.get(kind, (60, 0.8) if "many" in kind else (9, 2.0))
    many = {"three of many": np.array([1, 0.6, 0.4, *[0.0] * 57]), "curve of many": np.linspace(1, 0, 60) ** 3}
    prize = (PRIZES | many).get(kind, np.linspace(1, 0, n))
    rating = lanes.allocate_single(n)
    rating[:] = np.random.default_rng(7).normal(0, sd, (n, 16))
    expected = expected_at(rating, prize)
    for lane in (0, 3, 15):
        exact = expected_at(rating[:, lane].astype(np.float64), prize)
        np.testing.assert_allclose(expected[:, lane], exact, rtol=0, atol=2e-6)


@pytest.mark.parametrize("kind", PRIZES)
def test_single_precision_stays_finite_however_far_players_are_apart(kind: str) -> None:
    rating = lanes.allocate_single(9)
    rating[:] = np.linspace(0, 2_000, 9)[:, np.newaxis] * np.linspace(-1, 1, 16)
    expected = expected_at(rating, PRIZES[kind])
    assert np.isfinite(expected).all()
    assert expected.sum(axis=0) == pytest.approx(PRIZES[kind].sum(), abs=1e-4)


def test_players_far_below_the_best_are_told_apart() -> None:
    # products of four weights must not underflow
    weight = np.exp(-np.array([0.0, 150, 151, 160, 169, 170, 170]))
    expected = ranks.expect_shares(weight, np.linspace(1, 0, 7))
    beats = weight[:, np.newaxis] / (weight[:, np.newaxis] + weight)
    np.testing.assert_allclose(expected, (beats.sum(axis=1) - 0.5) / 6, rtol=1e-12)
