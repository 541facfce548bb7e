"""Triads are found as by looking at all threes, whatever the graph; lanes do not touch each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Codes, Floats
from ludometer.kernels.skills.graph import add_curls, add_curls_plain, count_triads, count_triads_plain, order_edges

Graph = tuple[int, list[tuple[int, int]]]

graphs = st.integers(3, 14).flatmap(
    lambda n: st.tuples(
        st.just(n), st.lists(st.sampled_from(list(combinations(range(n), 2))), unique=True, max_size=60)
    )
)


def columns(edges: list[tuple[int, int]], seed: int) -> tuple[Codes, Codes, Floats]:
    """The two ends, in either order, and a flow in three lanes."""
    rng = np.random.default_rng(seed)
    ends = np.array(edges, np.int32).reshape(-1, 2)
    turned = rng.random(len(ends)) < 0.5
    ends[turned] = ends[turned][:, ::-1]
    return ends[:, 0].copy(), ends[:, 1].copy(), rng.integers(-2, 3, (len(ends), 3)).astype(np.float64)


@given(graphs, st.integers(0, 10))
def test_cyclic_triads_are_those_of_all_threes(graph: Graph, seed: int) -> None:
    n, edges = graph
    first, second, flow = columns(edges, seed)
    beats = np.zeros((3, n, n), bool)
    for i, j, value in zip(first, second, flow, strict=True):
        beats[:, i, j], beats[:, j, i] = value > 0, value < 0
    met = {frozenset(edge) for edge in edges}
    threes = [
        three for three in combinations(range(n), 3) if all(frozenset(two) in met for two in combinations(three, 2))
    ]
    expected = [
        sum((m[a, b] and m[b, c] and m[c, a]) or (m[b, a] and m[c, b] and m[a, c]) for a, b, c in threes) for m in beats
    ]
    starts, neighbour, order, sign = order_edges(first, second, n)
    ahead = (np.sign(flow[order]) * sign[:, np.newaxis]).astype(np.int8)
    for count in (count_triads, count_triads_plain):
        cyclic = np.zeros(3, np.int64)
        assert count(starts, neighbour, ahead, cyclic) == len(threes)
        assert cyclic.tolist() == expected


@given(graphs, st.integers(0, 10))
def test_curls_are_the_product_with_the_matrix_of_triads(graph: Graph, seed: int) -> None:
    n, edges = graph
    first, second, flow = columns(edges, seed)
    starts, neighbour, order, sign = order_edges(first, second, n)
    oriented = flow[order] * sign[:, np.newaxis]
    number = {
        frozenset(edge): k for k, edge in enumerate(zip(first[order].tolist(), second[order].tolist(), strict=True))
    }
    rows = []
    for a, b, c in combinations(range(n), 3):
        if all(frozenset(two) in number for two in ((a, b), (b, c), (a, c))):
            row = np.zeros(len(order))
            for x, y in ((a, b), (b, c), (c, a)):
                k = number[frozenset((x, y))]
                # the edge's own direction is that of the renumbered players, which the sign turns
                row[k] = sign[k] if first[order][k] == x else -sign[k]
            rows.append(row)
    matrix = np.array(rows).reshape(len(rows), len(order))
    for add in (add_curls, add_curls_plain):
        total = np.zeros_like(oriented)
        add(starts, neighbour, oriented, total)
        np.testing.assert_allclose(total, matrix.T @ (matrix @ oriented), atol=1e-12)


def test_rows_stay_short_where_one_player_met_all() -> None:
    first, second = np.zeros(500, np.int32), np.arange(1, 501, dtype=np.int32)
    starts, *_ = order_edges(first, second, 501)
    assert np.diff(starts).max() == 1
