"""Gathered pairs equal their plain twin, and lose nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.kernels.skills.paired import gather_pairs, gather_pairs_plain

MATCHES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(1, 4), st.integers(0, 2), st.floats(0.25, 4)), min_size=0, max_size=60
)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@given(matches=MATCHES)
def test_gathered_pairs_equal_their_plain_twin(
    ordered: bool, weighted: bool, matches: list[tuple[int, int, int, float]]
) -> None:
    first = np.array([i for i, _, _, _ in matches], np.int32)
    second = np.array([(i + d) % 5 for i, d, _, _ in matches], np.int32)
    halves = np.array([s for _, _, s, _ in matches], np.int8)
    weight = np.array([w for _, _, _, w in matches]) if weighted else np.empty(0)
    fast = gather_pairs(first, second, halves, weight, 5, ordered=ordered)
    plain = gather_pairs_plain(first, second, halves, weight, 5, ordered)
    for ours, theirs in zip(fast, plain, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fast[2].sum() == pytest.approx(weight.sum() if weighted else len(matches))
