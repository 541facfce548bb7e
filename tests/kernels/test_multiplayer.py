"""The passes over matches of several equal their plain twins, and for two players the Elo pass."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.runtime import lanes
from ludometer.kernels.systems import elo
from ludometer.kernels.systems import multiplayer as seats

NOTHING = np.empty(0)
KINDS = ("winner", "linear", "three", "curved", "mixed")


def prizes_of(kind: str, n: int, match: int) -> Floats:
    if kind == "mixed":
        kind = KINDS[match % 4]
    prize = {
        "winner": np.eye(n)[0],
        "linear": np.linspace(1, 0, n),
        "three": np.array([1, 0.6, 0.4, *[0.0] * n])[:n],
        "curved": np.linspace(1, 0.1, n) ** 2,
    }[kind]
    return np.asarray(prize, np.float64)


def random_matches(seed: int, n_matches: int, n_players: int, kind: str) -> tuple[Counts, Codes, Floats, Floats]:
    """Matches of two to all players; now and then two share the prizes of their places."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, n_players + 1, n_matches)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    player = [rng.permutation(n_players)[:n] for n in sizes]
    prize = [prizes_of(kind, n, match) for match, n in enumerate(sizes)]
    score = [shares[rng.permutation(len(shares))] for shares in prize]
    for shares in score[::3]:
        shares[:2] = shares[:2].mean()
    empty = [np.empty(0)]
    return (
        starts,
        np.concatenate(player + empty).astype(np.int32),
        np.concatenate(score + empty),
        np.concatenate(prize + empty),
    )


@given(st.integers(0, 2**32), st.integers(0, 12), st.integers(2, 7), st.floats(0, 3), st.sampled_from(KINDS))
def test_the_pass_equals_its_plain_twin(seed: int, n_matches: int, n_players: int, step: float, kind: str) -> None:
    matches = random_matches(seed, n_matches, n_players, kind)
    outcome = []
    for play in (seats.seats_pass, seats.seats_pass_plain):
        rating, expected, before = np.zeros((n_players, 1)), np.empty(len(matches[1])), np.empty(len(matches[1]))
        loss = play(*matches, rating, step, expected, before)
        outcome.append((loss, rating, expected, before))
    for fast, plain in zip(*outcome, strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-12, atol=1e-12)


@given(st.integers(0, 2**32), st.integers(0, 5), st.integers(2, 7), st.sampled_from(KINDS), st.integers(1, 2))
def test_the_lanes_equal_their_plain_twin(seed: int, n_matches: int, n_players: int, kind: str, groups: int) -> None:
    starts, player, score, prize = random_matches(seed, n_matches, n_players, kind)
    both = np.column_stack((score, prize))[:, :groups].copy()
    outcome = []
    for play in (seats.seats_lanes, seats.seats_lanes_plain):
        rating, step, loss = (lanes.allocate(n, 8 * groups) for n in (n_players, 1, 1))
        step[0] = np.random.default_rng(seed).uniform(0, 3, 8 * groups)
        play(starts, player, both, prize, rating, step, loss)
        outcome.append((rating, loss))
    for fast, plain in zip(*outcome, strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("spread", [0.3, 1.5, 9.0])
def test_large_matches_equal_their_plain_twins(spread: float) -> None:
    # of 2, by pairs, by the smooth sum, and too far apart for it
    rng = np.random.default_rng(9)
    sizes = [2, 60, 31, 2, 83]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    player = np.concatenate([rng.permutation(90)[:n] for n in sizes]).astype(np.int32)
    prize = np.concatenate([np.linspace(1, 0.1, n) for n in sizes])
    score = np.concatenate([rng.permutation(prize[a:b]) for a, b in pairwise(starts)])
    begin = spread * rng.standard_normal(90)
    both = np.column_stack((score, prize))
    outcome = []
    for play in (seats.seats_lanes, by_definition):
        rating, step, loss = (lanes.allocate(n, 16) for n in (90, 1, 1))
        rating[:], step[0] = begin[:, np.newaxis] * np.linspace(0.5, 1, 16), np.linspace(0, 0.5, 16)
        play(starts, player, both, prize, rating, step, loss)
        outcome.append((rating, loss))
    for fast, plain in zip(*outcome, strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-12, atol=1e-12)


def by_definition(
    starts: Counts, player: Codes, score: Floats, prize: Floats, rating: Floats, step: Floats, loss: Floats
) -> None:
    """The pass in lanes for prizes in equal steps, each opponent beaten with the probability of the logistic curve."""
    group = np.arange(rating.shape[1]) * score.shape[1] // rating.shape[1]
    for a, b in pairwise(starts):
        own, shares = rating[player[a:b]], prize[a:b]
        beats = 0.5 * (1 + np.tanh((own[:, np.newaxis] - own) / 2))
        forecast = shares[-1] + (shares[0] - shares[1]) * (beats.sum(axis=1) - 0.5)
        miss = score[a:b][:, group] - forecast
        loss[0] += 0.5 * (miss**2).sum(axis=0)
        rating[player[a:b]] += step[0] * miss


@pytest.mark.parametrize("kind", KINDS)
def test_each_lane_is_the_pass_with_its_own_step_and_score(kind: str) -> None:
    starts, player, score, prize = random_matches(1, 2_000, 20, kind)
    both = np.column_stack((score, prize))
    rating, step, loss = (lanes.allocate(n, 32) for n in (20, 1, 1))
    step[0] = np.linspace(0, 1, 32)
    seats.seats_lanes(starts, player, both, prize, rating, step, loss)
    for lane in (0, 1, 15, 16, 31):
        alone = np.zeros((20, 1))
        own = both[:, lane // 16].copy()
        loss_alone = seats.seats_pass(starts, player, own, prize, alone, step[0, lane], NOTHING, NOTHING)
        assert loss[0, lane] == pytest.approx(loss_alone, rel=1e-10)
        np.testing.assert_allclose(rating[:, lane], alone[:, 0], rtol=1e-8, atol=1e-9)


def test_matches_of_two_are_the_elo_pass() -> None:
    rng = np.random.default_rng(4)
    first = rng.integers(0, 30, 5_000).astype(np.int32)
    second = ((first + rng.integers(1, 30, 5_000)) % 30).astype(np.int32)
    halves = rng.integers(0, 3, 5_000).astype(np.int8)
    rating, expected, before = np.zeros((30, 1)), np.empty(5_000), np.empty((5_000, 2))
    loss = elo.elo_pass(first, second, halves, rating, 0.3, expected, before)
    own, own_expected, own_before = np.zeros((30, 1)), np.empty(10_000), np.empty(10_000)
    score = np.column_stack((halves / 2, 1 - halves / 2)).ravel()
    player = np.column_stack((first, second)).ravel()
    starts, prize = np.arange(0, 10_001, 2), np.tile([1.0, 0.0], 5_000)
    own_loss = seats.seats_pass(starts, player, score, prize, own, 0.3, own_expected, own_before)
    assert own_loss == pytest.approx(loss, rel=1e-12)
    np.testing.assert_allclose(own, rating, atol=1e-12)
    np.testing.assert_allclose(own_expected[::2], expected, atol=1e-12)
    np.testing.assert_allclose(own_before.reshape(-1, 2), before, atol=1e-12)


def test_the_sum_of_ratings_is_kept_and_seats_may_be_swapped() -> None:
    starts, player, score, prize = random_matches(6, 500, 12, "curved")
    rating, mirrored = np.zeros((12, 1)), np.zeros((12, 1))
    seats.seats_pass(starts, player, score, prize, rating, 0.2, NOTHING, NOTHING)
    turned = np.concatenate([np.arange(b - 1, a - 1, -1) for a, b in pairwise(starts)])
    seats.seats_pass(starts, player[turned].copy(), score[turned].copy(), prize, mirrored, 0.2, NOTHING, NOTHING)
    np.testing.assert_allclose(rating, mirrored, atol=1e-11)
    assert rating.sum() == pytest.approx(0, abs=1e-9)
    assert rating.std() > 0


@pytest.mark.parametrize("kind", KINDS)
def test_huge_steps_stay_finite(kind: str) -> None:
    starts, player, score, prize = random_matches(7, 200, 6, kind)
    rating, step, loss = (lanes.allocate(n, 8) for n in (6, 1, 1))
    step[0] = 1e9
    seats.seats_lanes(starts, player, score[:, None].copy(), prize, rating, step, loss)
    assert np.isfinite(rating).all()
    assert np.isfinite(loss).all()


def test_wrong_lanes_are_refused() -> None:
    starts, player, score, prize = random_matches(5, 3, 4, "winner")
    rating, step, loss = (lanes.allocate(n, 8) for n in (4, 1, 1))
    one = score[:, None].copy()
    with pytest.raises(ValueError, match="multiple of eight"):
        seats.seats_lanes(starts, player, one, prize, np.zeros((4, 3)), np.zeros((1, 3)), np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r"lanes\.allocate"):
        seats.seats_lanes(starts, player, one, prize, np.asfortranarray(rating), step, loss)
    with pytest.raises(ValueError, match="equal parts"):
        seats.seats_lanes(starts, player, np.column_stack((score, score)), prize, rating, step, loss)


@given(st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=6), max_size=5))
def test_places_follow_the_keys(keys: list[list[int]]) -> None:
    starts = np.concatenate(([0], np.cumsum([len(key) for key in keys]))).astype(np.int64)
    key = np.array([value for match in keys for value in match], np.float64)
    place, plain = np.empty(len(key), np.int32), np.empty(len(key), np.int32)
    seats.order_seats(starts, key, place)
    seats.order_seats_plain(starts, key, plain)
    assert place.tolist() == plain.tolist()


def test_places_of_matches_that_are_sorted_follow_the_keys_too() -> None:
    rng = np.random.default_rng(8)
    starts = np.array([0, 3, 1_503, 2_503, 2_505])
    key = np.concatenate((rng.integers(0, 2, 3), rng.integers(0, 400, 1_500), rng.random(1_000), [1.0, 1.0]))
    place, plain = np.empty(len(key), np.int32), np.empty(len(key), np.int32)
    seats.order_seats(starts, key, place)
    seats.order_seats_plain(starts, key, plain)
    assert place.tolist() == plain.tolist()


def test_equal_keys_share_a_place() -> None:
    place = np.empty(4, np.int32)
    seats.order_seats(np.array([0, 4]), np.array([0.5, 7.0, 0.5, -1.0]), place)
    assert place.tolist() == [2, 1, 2, 4]


@given(st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=6), max_size=5))
def test_shared_prizes_are_those_of_the_plain_twin(keys: list[list[int]]) -> None:
    starts = np.concatenate(([0], np.cumsum([len(key) for key in keys]))).astype(np.int64)
    place = np.empty(starts[-1], np.int32)
    seats.order_seats(starts, np.array([value for match in keys for value in match], np.float64), place)
    prize = np.random.default_rng(1).random(len(place))
    fast, plain = np.empty(len(place)), np.empty(len(place))
    seats.share_prizes(starts, place, prize, fast)
    seats.share_prizes_plain(starts, place, prize, plain)
    np.testing.assert_allclose(fast, plain, atol=1e-15)
    assert fast.sum() == pytest.approx(prize.sum())


@given(st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=6), max_size=5))
def test_repeats_are_those_of_the_plain_twin(rows: list[list[int]]) -> None:
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    player = np.array([code for row in rows for code in row], np.int32)
    fast, plain = np.empty(len(player), bool), np.empty(len(player), bool)
    seats.find_repeats(starts, player, fast)
    seats.find_repeats_plain(starts, player, plain)
    assert fast.tolist() == plain.tolist()


def test_without_the_compiler_the_passes_still_answer() -> None:
    program = (
        "import numpy as np; from ludometer.kernels.runtime import lanes\n"
        "from ludometer.kernels.systems import multiplayer as seats\n"
        "starts, player = np.array([0, 3, 6]), np.array([0, 1, 2, 1, 0, 2], np.int32)\n"
        "score, prize = np.array([1, .5, 0, 1, .5, 0]), np.array([1, .5, 0, 1, .5, 0])\n"
        "r, k, l = (lanes.allocate(n, 8) for n in (3, 1, 1)); k[0] = 0.1\n"
        "seats.seats_lanes(starts, player, score[:, None], prize, r, k, l)\n"
        "one = np.zeros((3, 1)); seats.seats_pass(starts, player, score, prize, one, 0.1, np.empty(0), np.empty(0))\n"
        "assert np.allclose(r[:, :1], one) and one[0, 0] > 0.04\n"
        "place = np.empty(6, np.int32); seats.order_seats(starts, score, place)\n"
        "assert place.tolist() == [1, 2, 3] * 2\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
