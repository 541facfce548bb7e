"""Union-find finds what spreading labels finds, in one go or batch by batch."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ludometer.kernels.skills.graph import components, components_plain, join, label_roots

pairs = st.integers(1, 30).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=40))
)


@given(pairs)
def test_components_equal_their_plain_twin(graph: tuple[int, list[tuple[int, int]]]) -> None:
    n_players, edges = graph
    first, second = np.array(edges, np.int32).reshape(-1, 2).T.copy()
    label = components(first, second, n_players)
    np.testing.assert_array_equal(label, components_plain(first, second, n_players))
    assert (label[first] == label[second]).all()


def test_batches_join_like_the_whole() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 500, (2, 300)).astype(np.int32)
    parent = np.arange(500, dtype=np.int32)
    for batch in range(0, 300, 70):
        join(first[batch : batch + 70], second[batch : batch + 70], parent)
    np.testing.assert_array_equal(label_roots(parent), components(first, second, 500))


def test_players_without_matches_stand_alone() -> None:
    nobody = np.array([], np.int32)
    np.testing.assert_array_equal(components(nobody, nobody, 3), [0, 1, 2])
