"""The Elo passes equal their plain twins, and lanes are independent."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Codes, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.systems import elo

NOTHING, NO_PAIR = np.empty(0), np.empty((0, 2))


def random_matches(seed: int, n_matches: int, n_players: int) -> tuple[Codes, Codes, Halves]:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n_players, n_matches).astype(np.int32)
    second = ((first + rng.integers(1, n_players, n_matches)) % n_players).astype(np.int32)
    return first, second, rng.integers(0, 3, n_matches).astype(np.int8)


@given(st.integers(0, 2**32), st.integers(0, 60), st.integers(2, 6), st.floats(0, 30))
def test_the_pass_equals_its_plain_twin(seed: int, n_matches: int, n_players: int, step: float) -> None:
    matches = random_matches(seed, n_matches, n_players)
    outcome = []
    for play in (elo.elo_pass, elo.elo_pass_plain):
        rating, expected, before = np.zeros((n_players, 1)), np.empty(n_matches), np.empty((n_matches, 2))
        loss = play(*matches, rating, step, expected, before)
        outcome.append((loss, rating, expected, before))
    for fast, plain in zip(*outcome, strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-12, atol=1e-12)


@given(
    st.integers(0, 2**32), st.integers(0, 60), st.integers(2, 6), st.lists(st.floats(0, 30), min_size=1, max_size=20)
)
def test_the_lanes_equal_their_plain_twin(seed: int, n_matches: int, n_players: int, steps: list[float]) -> None:
    matches = random_matches(seed, n_matches, n_players)
    outcome = []
    for play in (elo.elo_lanes, elo.elo_lanes_plain):
        rating, step, loss = (lanes.allocate(n, len(steps)) for n in (n_players, 1, 1))
        step[0, : len(steps)] = steps
        play(*matches, rating, step, loss)
        outcome.append((rating, loss))
    for fast, plain in zip(*outcome, strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-11, atol=1e-11)


def test_each_lane_is_the_pass_with_its_own_step() -> None:
    matches = random_matches(1, 20_000, 300)
    steps = np.array([0.0, 0.01, 0.05, 0.1, 0.27, 0.92, 1.5, 2.0, 0.3])
    rating, step, loss = (lanes.allocate(n, len(steps)) for n in (300, 1, 1))
    step[0, : len(steps)] = steps
    elo.elo_lanes(*matches, rating, step, loss)
    for lane, one_step in enumerate(steps):
        alone = np.zeros((300, 1))
        loss_alone = elo.elo_pass(*matches, alone, one_step, NOTHING, NO_PAIR)
        assert loss[0, lane] == pytest.approx(loss_alone, rel=1e-10)
        np.testing.assert_allclose(rating[:, lane], alone[:, 0], rtol=1e-8, atol=1e-9)


def test_the_sum_of_ratings_is_kept() -> None:
    matches = random_matches(2, 10_000, 50)
    rating = np.zeros((50, 1))
    elo.elo_pass(*matches, rating, 0.2, NOTHING, NO_PAIR)
    assert rating.sum() == pytest.approx(0, abs=1e-9)
    assert rating.std() > 0


def test_swapping_seats_mirrors() -> None:
    first, second, halves = random_matches(3, 5_000, 40)
    one, other = np.zeros((40, 1)), np.zeros((40, 1))
    expected, mirrored = np.empty(5_000), np.empty(5_000)
    elo.elo_pass(first, second, halves, one, 0.2, expected, NO_PAIR)
    elo.elo_pass(second, first, (2 - halves).astype(np.int8), other, 0.2, mirrored, NO_PAIR)
    np.testing.assert_allclose(one, other, atol=1e-12)
    np.testing.assert_allclose(expected, 1 - mirrored, atol=1e-12)


def test_the_logistic_of_the_lanes_is_exact() -> None:
    x = np.linspace(-60, 60, 9_999)
    first, second = np.array([1], np.int32), np.array([0], np.int32)
    rating, step, loss = (lanes.allocate(n, len(x)) for n in (2, 1, 1))
    rating[1, : len(x)] = x
    elo.elo_lanes(first, second, np.array([0], np.int8), rating, step, loss)
    forecast = np.sqrt(loss[0, : len(x)])
    np.testing.assert_allclose(forecast, 1 / (1 + np.exp(-x)), rtol=3e-15, atol=1e-15)


def test_huge_steps_stay_finite() -> None:
    matches = random_matches(4, 1_000, 5)
    rating, step, loss = (lanes.allocate(n, 8) for n in (5, 1, 1))
    step[0] = 1e9
    elo.elo_lanes(*matches, rating, step, loss)
    assert np.isfinite(rating).all()
    assert np.isfinite(loss).all()


def test_lanes_of_unequal_number_are_refused() -> None:
    with pytest.raises(ValueError, match="multiple of eight"):
        elo.elo_lanes(*random_matches(5, 3, 2), np.zeros((2, 3)), np.zeros((1, 3)), np.zeros((1, 3)))


def test_arrays_that_are_not_lanes_are_refused() -> None:
    rating, step, loss = (lanes.allocate(n, 8) for n in (4, 1, 1))
    matches = random_matches(5, 3, 4)
    for bad in (np.asfortranarray(rating), rating.astype(np.float32)):
        with pytest.raises(ValueError, match=r"lanes\.allocate"):
            elo.elo_lanes(*matches, bad, step, loss)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"lanes\.allocate"):
        elo.elo_lanes(*matches, rating, step, np.empty((0, 8)))


def test_lanes_start_on_a_cache_line() -> None:
    array = lanes.allocate(7, 9)
    assert array.shape == (7, 16)
    assert array.ctypes.data % 64 == 0


def test_without_the_compiler_the_kernels_still_answer() -> None:
    program = (
        "import numpy as np; from ludometer.kernels.runtime import lanes; from ludometer.kernels.systems import elo\n"
        "a, b, s = np.array([0, 1], np.int32), np.array([1, 2], np.int32), np.array([2, 1], np.int8)\n"
        "r, k, l = (lanes.allocate(n, 8) for n in (3, 1, 1)); k[0] = 0.1\n"
        "elo.elo_lanes(a, b, s, r, k, l)\n"
        "one = np.zeros((3, 1)); elo.elo_pass(a, b, s, one, 0.1, np.empty(0), np.empty((0, 2)))\n"
        "assert np.allclose(r[:, :1], one) and one[0, 0] == 0.05\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@given(st.integers(0, 2**32), st.integers(0, 40), st.integers(2, 6), st.integers(1, 4), st.floats(0, 1))
def test_games_in_groups_of_lanes_equal_their_plain_twin(
    seed: int, n_matches: int, n_players: int, n_groups: int, share: float
) -> None:
    first, second, _ = random_matches(seed, n_matches, n_players)
    halves = np.random.default_rng(seed).integers(0, 3, (n_matches, n_groups)).astype(np.int8)
    outcome = []
    for play in (elo.elo_lanes, elo.elo_lanes_plain):
        rating, step, loss = (lanes.allocate(n, 8 * n_groups) for n in (n_players, 1, 1))
        step[0] = np.tile(np.linspace(0, 3, 8), n_groups)
        play(first, second, halves, rating, step, loss, share)
        outcome.append((rating, loss))
    for fast, plain in zip(*outcome, strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-11, atol=1e-11)


def test_each_group_of_lanes_plays_its_own_game() -> None:
    first, second, _ = random_matches(6, 5_000, 60)
    halves = np.random.default_rng(1).integers(0, 3, (5_000, 3)).astype(np.int8)
    rating, step, loss = (lanes.allocate(n, 48) for n in (60, 1, 1))
    step[0] = np.tile(np.linspace(0.01, 1, 16), 3)
    elo.elo_lanes(first, second, halves, rating, step, loss)
    for group in range(3):
        alone, own_loss = lanes.allocate(60, 16), lanes.allocate(1, 16)
        own_step = lanes.allocate(1, 16)
        own_step[0] = np.linspace(0.01, 1, 16)
        elo.elo_lanes(first, second, np.ascontiguousarray(halves[:, group]), alone, own_step, own_loss)
        lane = slice(16 * group, 16 * group + 16)
        np.testing.assert_array_equal(rating[:, lane], alone)
        np.testing.assert_array_equal(loss[:, lane], own_loss)


def test_lanes_that_do_not_divide_into_groups_are_refused() -> None:
    first, second, _ = random_matches(5, 3, 2)
    rating, step, loss = (lanes.allocate(n, 16) for n in (2, 1, 1))
    with pytest.raises(ValueError, match="a multiple of eight in each group"):
        elo.elo_lanes(first, second, np.zeros((3, 3), np.int8), rating, step, loss)


@given(st.integers(0, 2**32), st.floats(0, 1))
def test_a_share_of_the_expectation_is_a_floor_and_a_ceiling(seed: int, share: float) -> None:
    matches = random_matches(seed, 200, 5)
    outcome = []
    for play in (elo.elo_pass, elo.elo_pass_plain):
        rating, expected = np.zeros((5, 1)), np.empty(200)
        loss = play(*matches, rating, 0.5, expected, NO_PAIR, share)
        outcome.append((loss, rating, expected))
    for fast, plain in zip(*outcome, strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-12, atol=1e-12)
    expected = outcome[0][2]
    assert (np.abs(expected - 0.5) <= share / 2 + 1e-12).all()


def test_without_any_share_all_forecasts_are_a_coin_and_with_all_of_it_the_usual_ones() -> None:
    matches = random_matches(7, 500, 6)
    expected, usual, whole = np.empty(500), np.empty(500), np.empty(500)
    elo.elo_pass(*matches, np.zeros((6, 1)), 0.3, expected, NO_PAIR, 0.0)
    assert (expected == 0.5).all()
    elo.elo_pass(*matches, np.zeros((6, 1)), 0.3, usual, NO_PAIR)
    elo.elo_pass(*matches, np.zeros((6, 1)), 0.3, whole, NO_PAIR, 1.0)
    np.testing.assert_array_equal(usual, whole)
    assert np.ptp(usual) > 0.3


def test_lanes_and_the_pass_agree_on_a_share() -> None:
    matches = random_matches(8, 5_000, 60)
    rating, step, loss = (lanes.allocate(n, 8) for n in (60, 1, 1))
    step[0] = np.linspace(0.02, 0.8, 8)
    elo.elo_lanes(*matches, rating, step, loss, 0.5)
    for lane in range(8):
        alone = np.zeros((60, 1))
        own = elo.elo_pass(*matches, alone, float(step[0, lane]), NOTHING, NO_PAIR, 0.5)
        assert loss[0, lane] == pytest.approx(own, rel=1e-10)
        np.testing.assert_allclose(rating[:, lane], alone[:, 0], rtol=1e-8, atol=1e-9)
