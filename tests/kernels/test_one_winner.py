"""The passes of one winner among several, and of quotients, equal their plain twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ludometer.kernels.systems import one_winner as multiplayer


@given(st.integers(0, 2**32), st.integers(0, 12), st.integers(2, 6), st.integers(0, 4), st.floats(0, 1))
def test_the_winners_pass_equals_its_plain_twin(
    seed: int, n_matches: int, n_players: int, method: int, step: float
) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, n_players + 1, n_matches)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    empty = [np.empty(0, np.int64)]
    player = np.concatenate([rng.permutation(n_players)[:n] for n in sizes] + empty).astype(np.int32)
    # now and then two share the win
    place = np.concatenate([np.where(rng.permutation(n) < rng.integers(1, 3), 1, 3) for n in sizes] + empty)
    outcome = []
    for play in (multiplayer.winner_pass, multiplayer.winner_pass_plain):
        rating, expected = np.linspace(0, 1, n_players), np.empty(len(player))
        play(starts, player, place.astype(np.int32), rating, step, method, expected)
        outcome.append(np.concatenate((rating, expected)))
    np.testing.assert_allclose(outcome[0], outcome[1], atol=1e-12)


@given(st.integers(0, 2**32), st.integers(0, 12), st.floats(0, 60), st.sampled_from([0.0, -2000.0]))
def test_the_quotients_pass_equals_its_plain_twin(seed: int, n_series: int, weight: float, low: float) -> None:
    rng = np.random.default_rng(seed)
    player = np.concatenate([rng.permutation(5)[:3] for _ in range(n_series)] + [np.empty(0, np.int64)])
    score = rng.uniform(low, 2000, len(player))
    outcome = []
    for play in (multiplayer.quotient_pass, multiplayer.quotient_pass_plain):
        rating, before = np.full(5, 800.0), np.empty(len(player))
        play(np.arange(0, 3 * n_series + 1, 3), player.astype(np.int32), score, rating, weight, before)
        outcome.append(np.concatenate((rating, before)))
    np.testing.assert_allclose(outcome[0], outcome[1], rtol=1e-9)
