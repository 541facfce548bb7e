"""Who met whom, each pair once: links tallied from matches, and products with the matrices of their graph.

Links are in list layout: row i holds those with a higher code whom player i met, in order, from starts[i] to
starts[i + 1]. Vectors are of length players, or eight of them side by side, (players, 8): what is written with
`lanes.get` and `lanes.put` serves both. Nothing else is stored per link than what it needs, in single precision where
that is exact: counts of matches are whole numbers.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel

Singles = NDArray[np.float32]
"""Whole numbers and halves, in single precision."""

_LEAST_WEIGHT = 1e-9


def tally_links_plain(
    first: Codes, second: Codes, halves: Halves, n_players: int
) -> tuple[Counts, Codes, Singles, Singles]:
    """The plain twin of `tally_links`."""
    apart = first != second
    one, other = first[apart], second[apart]
    low, high = np.minimum(one, other).astype(np.int64), np.maximum(one, other)
    key, inverse = np.unique(low * n_players + high, return_inverse=True)
    rows, opponent = np.divmod(key, n_players)
    starts = np.searchsorted(rows, np.arange(n_players + 1)).astype(np.int64)
    times = np.bincount(inverse, minlength=len(key)).astype(np.float32)
    scored = np.empty(0, np.float32)
    if len(halves):
        own = np.where(one < other, halves[apart], 2 - halves[apart]) / 2
        scored = np.bincount(inverse, weights=own, minlength=len(key)).astype(np.float32)
    return starts, opponent.astype(np.int32), times, scored


def tally_links(first: Codes, second: Codes, halves: Halves, n_players: int) -> tuple[Counts, Codes, Singles, Singles]:
    """(starts, opponents, times, scored): how often each two met, and what the lower code scored of it.

    `halves` are what the first player scored in half points, or of length 0: then `scored` is so too. A player who is
    linked with themselves, as happens where opponents are shuffled, is left out.
    """
    if not JIT:
        return tally_links_plain(first, second, halves, n_players)
    ends, lower, half = _sort_links(first, second, halves, n_players)
    return _merge_links(ends, lower, half, n_players)


@kernel
def _sort_links(first: Codes, second: Codes, halves: Halves, n_players: int) -> tuple[Counts, Codes, Halves]:
    """Links in order of their higher code: where those of each end, their lower codes and what these scored."""
    place = np.zeros(n_players + 1, np.int64)
    for t in range(len(first)):
        if first[t] != second[t]:
            place[max(first[t], second[t]) + 1] += 1
    for i in range(n_players):
        place[i + 1] += place[i]
    n_links = place[n_players]
    lower, half = np.empty(n_links, np.int32), np.empty(n_links if len(halves) else 0, np.int8)
    for t in range(len(first)):
        i, j = first[t], second[t]
        if i != j:
            at = place[max(i, j)]
            place[max(i, j)] = at + 1
            lower[at] = min(i, j)
            if len(halves):
                half[at] = halves[t] if i < j else 2 - halves[t]
    return place[:-1], lower, half


@kernel
def _merge_links(ends: Counts, lower: Codes, half: Halves, n_players: int) -> tuple[Counts, Codes, Singles, Singles]:
    """Each two once, in rows of the lower code. The higher ones come in order, so that equal links are neighbours."""
    starts, newest, at = np.zeros(n_players + 1, np.int64), np.full(n_players, -1, np.int32), 0
    for j in range(n_players):
        while at < ends[j]:
            if newest[lower[at]] != j:
                newest[lower[at]] = j
                starts[lower[at] + 1] += 1
            at += 1
    for i in range(n_players):
        starts[i + 1] += starts[i]
    n_pairs, last = starts[n_players], starts[:-1] - 1
    opponent, times = np.empty(n_pairs, np.int32), np.zeros(n_pairs, np.float32)
    scored = np.zeros(n_pairs if len(half) else 0, np.float32)
    newest[:] = -1
    at = 0
    for j in range(n_players):
        while at < ends[j]:
            i = lower[at]
            if newest[i] != j:
                newest[i] = j
                last[i] += 1
                opponent[last[i]] = j
            times[last[i]] += 1
            if len(half):
                scored[last[i]] += np.float32(0.5) * half[at]
            at += 1
    return starts, opponent, times, scored


@kernel
def add_opponents(starts: Counts, opponent: Codes, times: Singles, x: Floats, result: Floats) -> None:
    """Write the sum of x over the matches of each player: the product of the adjacency and x."""
    for i in range(len(starts) - 1):
        lanes.put(result, i, 0.0 * lanes.get(x, i))
    for i in range(len(starts) - 1):
        one = lanes.get(x, i)
        own = lanes.get(result, i)
        for e in range(starts[i], starts[i + 1]):
            j, weight = opponent[e], float(times[e])
            own = own + weight * lanes.get(x, j)
            lanes.put(result, j, lanes.get(result, j) + weight * one)
        lanes.put(result, i, own)


@kernel
def multiply_laplacian(starts: Counts, opponent: Codes, weight: Floats, x: Floats, result: Floats) -> None:
    """Write the sum over the links of each player of weight times (own x minus the other's)."""
    for i in range(len(starts) - 1):
        lanes.put(result, i, 0.0 * lanes.get(x, i))
    for i in range(len(starts) - 1):
        one = lanes.get(x, i)
        own = lanes.get(result, i)
        for e in range(starts[i], starts[i + 1]):
            j = opponent[e]
            push = weight[e] * (one - lanes.get(x, j))
            own = own + push
            lanes.put(result, j, lanes.get(result, j) - push)
        lanes.put(result, i, own)


@kernel
def slope_links(
    starts: Counts,
    opponent: Codes,
    times: Singles,
    scored: Singles,
    strength: Floats,
    gradient: Floats,
    weight: Floats,
    diagonal: Floats,
) -> None:
    """Write the gradient of the log likelihood of logistic results, the information of each link, and their sums."""
    gradient[:] = 0
    diagonal[:] = 0
    for i in range(len(starts) - 1):
        own, information = 0.0, 0.0
        for e in range(starts[i], starts[i + 1]):
            j, met = opponent[e], float(times[e])
            expected = 1 / (1 + math.exp(min(max(strength[j] - strength[i], -50.0), 50.0)))
            push = float(scored[e]) - met * expected
            w = met * expected * (1 - expected) + _LEAST_WEIGHT
            weight[e] = w
            own += push
            information += w
            gradient[j] -= push
            diagonal[j] += w
        gradient[i] += own
        diagonal[i] += information


def push_links_plain(
    starts: Counts, opponent: Codes, weight: Floats, noise: Floats, low: int, high: int, result: Floats
) -> None:
    """The plain twin of `push_links`."""
    for i in range(low, high):
        for e in range(starts[i], starts[i + 1]):
            push = math.sqrt(weight[e]) * noise[e - starts[low]]
            result[i] += push
            result[opponent[e]] -= push


def push_links(
    starts: Counts, opponent: Codes, weight: Floats, noise: Floats, low: int, high: int, result: Floats
) -> None:
    """Add a random push along each link of the rows from `low` to `high`, of the variance `weight`, one way and back.

    `noise` (links of these rows, n) is standard normal, n a multiple of eight; `result` is (players, n).
    """
    (_push_links if JIT else push_links_plain)(starts, opponent, weight, noise, low, high, result)


@kernel
def _push_links(
    starts: Counts, opponent: Codes, weight: Floats, noise: Floats, low: int, high: int, result: Floats
) -> None:
    for i in range(low, high):
        for e in range(starts[i], starts[i + 1]):
            j, size = opponent[e], math.sqrt(weight[e])
            for column in range(0, noise.shape[1], lanes.WIDTH):
                push = size * lanes.load(noise, e - starts[low], column)
                lanes.store(result, i, column, lanes.load(result, i, column) + push)
                lanes.store(result, j, column, lanes.load(result, j, column) - push)


@kernel
def take_off(basis: Floats, x: Floats, along: Floats) -> None:
    """Subtract from x what it has along each column of an orthonormal `basis` (players, q); `along` is room for q."""
    n, q = basis.shape
    for k in range(q):
        lanes.put(along, k, 0.0 * lanes.get(x, 0))
    for i in range(n):
        own = lanes.get(x, i)
        for k in range(q):
            lanes.put(along, k, lanes.get(along, k) + basis[i, k] * own)
    for i in range(n):
        own = lanes.get(x, i)
        for k in range(q):
            own = own - basis[i, k] * lanes.get(along, k)
        lanes.put(x, i, own)
