"""Weighted expected scores: the kernel equals the plain twin, and equal weights equal the sorted statistic."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ludometer.moves.gains import expected_score
from ludometer.moves.kernel import weighted_scores, weighted_scores_plain

sizes = st.lists(st.integers(1, 12), min_size=2, max_size=5)


@given(sizes, st.integers(0, 10_000), st.integers(1, 9))
def test_the_kernel_equals_the_plain_twin(sizes: list[int], seed: int, n_lanes: int) -> None:
    rng = np.random.default_rng(seed)
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    value = np.concatenate([np.sort(rng.integers(-4, 3, size)) for size in sizes]).astype(np.int32)
    game = rng.integers(0, 4, len(value)).astype(np.int32)
    weight = rng.exponential(size=(4, n_lanes))
    weight[:, 0] = 1.0
    first, second = (codes.astype(np.int32) for codes in np.triu_indices(len(sizes), 0))
    fast = weighted_scores(value, game, starts, first, second, weight)
    np.testing.assert_allclose(
        fast, weighted_scores_plain(value, game, starts, first, second, weight), rtol=1e-12, atol=1e-14
    )
    parts = [value[starts[k] : starts[k + 1]] for k in range(len(sizes))]
    plain = [expected_score(parts[i], parts[j]) for i, j in zip(first, second, strict=True)]
    assert fast[:, 0].tolist() == plain


def test_a_sample_against_itself_is_a_half_whatever_the_weights() -> None:
    rng = np.random.default_rng(1)
    value = np.sort(rng.integers(-50, 5, 60)).astype(np.int32)
    game = rng.integers(0, 6, 60).astype(np.int32)
    zero = np.zeros(1, np.int32)
    score = weighted_scores(value, game, np.array([0, 60]), zero, zero, rng.exponential(size=(6, 20)))
    np.testing.assert_allclose(score, 0.5, rtol=1e-12)
