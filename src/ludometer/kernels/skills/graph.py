"""Graphs of who met whom: connected components by union-find, and triads by merging sorted lists of neighbours.

For triads a graph is in list layout, each edge once: row u has its neighbours above u, sorted, from starts[u] to
starts[u + 1], and an edge is known by its position there. Nothing is stored per triad, of which there may be very many;
each search serves many lanes at once, a lane being one set of values on the edges.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.runtime.compile import JIT, kernel


def components_plain(first: Codes, second: Codes, n_players: int) -> Codes:
    """The plain twin of `components`: spread labels along matches until nothing changes."""
    label = np.arange(n_players, dtype=np.int32)
    while True:
        before = label.copy()
        lower = np.minimum(label[first], label[second])
        np.minimum.at(label, first, lower)
        np.minimum.at(label, second, lower)
        if np.array_equal(before, label):
            return np.unique(label, return_inverse=True)[1].astype(np.int32)


def components(first: Codes, second: Codes, n_players: int) -> Codes:
    """The component of each player, numbered from 0 by lowest player."""
    parent = np.arange(n_players, dtype=np.int32)
    join(first, second, parent)
    return label_roots(parent)


@kernel
def join(first: Codes, second: Codes, parent: Codes) -> None:
    """Unite the players of each match in the forest `parent`, in place; it may be called batch by batch."""
    for t in range(len(first)):
        i, j = _root(parent, first[t]), _root(parent, second[t])
        if i < j:
            parent[j] = i
        elif j < i:
            parent[i] = j


@kernel
def label_roots(parent: Codes) -> Codes:
    """Number the trees of the forest from 0, in the order of their roots."""
    label = np.empty(len(parent), np.int32)
    n_labels = 0
    for i in range(len(parent)):
        root = _root(parent, i)
        if root == i:
            label[i] = n_labels
            n_labels += 1
        else:
            label[i] = label[root]
    return label


@register_jitable
def _root(parent, i):  # type: ignore[no-untyped-def]  # Numba infers the types
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


Signs = NDArray[np.int8]


def order_edges(first: Codes, second: Codes, n_players: int) -> tuple[Counts, Codes, Counts, Floats]:
    """(starts, neighbours, order, sign): the list layout, with players renumbered from the fewest neighbours up.

    Position k holds the pair order[k], and sign[k] is -1 where its first player has the higher new number. In this
    order no row is longer than the root of twice the number of edges, even where players met thousands.
    """
    degree = np.bincount(first, minlength=n_players) + np.bincount(second, minlength=n_players)
    rank = np.empty(n_players, np.int64)
    rank[np.argsort(degree, kind="stable")] = np.arange(n_players)
    low, high = np.minimum(rank[first], rank[second]), np.maximum(rank[first], rank[second])
    order = np.lexsort((high, low))
    starts = np.concatenate(([0], np.cumsum(np.bincount(low, minlength=n_players)))).astype(np.int64)
    sign = np.where(rank[first] < rank[second], 1.0, -1.0)[order]
    return starts, high[order].astype(np.int32), order, sign


def count_triads_plain(starts: Counts, neighbour: Codes, ahead: Signs, cyclic: Counts) -> int:
    """The plain twin of `count_triads`."""
    n_triads = 0
    for near, far, across in _triads_plain(starts, neighbour):
        n_triads += 1
        cyclic += (ahead[near] != 0) & (ahead[near] == ahead[far]) & (ahead[near] == -ahead[across])
    return n_triads


def count_triads(starts: Counts, neighbour: Codes, ahead: Signs, cyclic: Counts) -> int:
    """Add to `cyclic` (lanes) the triads in which A beats B beats C beats A, and return how many triads there are.

    `ahead` (edges, lanes) is 1 where the row's player beats the neighbour, -1 where it is beaten, 0 if neither.
    """
    count = _count_triads if JIT else count_triads_plain
    return count(starts, neighbour, ahead, cyclic)


@kernel
def _count_triads(starts: Counts, neighbour: Codes, ahead: Signs, cyclic: Counts) -> int:
    n_triads, n_lanes = 0, ahead.shape[1]
    for u in range(len(starts) - 1):
        for near in range(starts[u], starts[u + 1]):
            v = neighbour[near]
            across, far = near + 1, starts[v]
            while across < starts[u + 1] and far < starts[v + 1]:
                if neighbour[across] < neighbour[far]:
                    across += 1
                elif neighbour[across] > neighbour[far]:
                    far += 1
                else:
                    n_triads += 1
                    for lane in range(n_lanes):
                        # 1, 1, -1 or -1, -1, 1: the only ways in which this sum is 3 or -3
                        turn = ahead[near, lane] + ahead[far, lane] - ahead[across, lane]
                        cyclic[lane] += (turn == 3) + (turn == -3)
                    across += 1
                    far += 1
    return n_triads


def add_curls_plain(starts: Counts, neighbour: Codes, flow: Floats, total: Floats) -> None:
    """The plain twin of `add_curls`."""
    for near, far, across in _triads_plain(starts, neighbour):
        curl = flow[near] + flow[far] - flow[across]
        total[near] += curl
        total[far] += curl
        total[across] -= curl


def add_curls(starts: Counts, neighbour: Codes, flow: Floats, total: Floats) -> None:
    """Add to each edge of `total` (edges, lanes) the curls of its triads, signed by the edge's direction in them.

    The curl of a triad is the sum of the flow around it, f_uv + f_vw - f_uw: `total` gets C'C times the flow.
    """
    add = _add_curls if JIT else add_curls_plain
    add(starts, neighbour, flow, total)


@kernel
def _add_curls(starts: Counts, neighbour: Codes, flow: Floats, total: Floats) -> None:
    n_lanes = flow.shape[1]
    for u in range(len(starts) - 1):
        for near in range(starts[u], starts[u + 1]):
            v = neighbour[near]
            across, far = near + 1, starts[v]
            while across < starts[u + 1] and far < starts[v + 1]:
                if neighbour[across] < neighbour[far]:
                    across += 1
                elif neighbour[across] > neighbour[far]:
                    far += 1
                else:
                    for lane in range(n_lanes):
                        curl = flow[near, lane] + flow[far, lane] - flow[across, lane]
                        total[near, lane] += curl
                        total[far, lane] += curl
                        total[across, lane] -= curl
                    across += 1
                    far += 1


def _triads_plain(starts: Counts, neighbour: Codes) -> list[tuple[int, int, int]]:
    """The edges uv, vw and uw of every triad u < v < w."""
    position = [{int(neighbour[k]): k for k in range(starts[u], starts[u + 1])} for u in range(len(starts) - 1)]
    return [
        (near, position[v][w], across)
        for row in position
        for v, near in row.items()
        for w, across in row.items()
        if w > v and w in position[v]
    ]
