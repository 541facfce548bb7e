"""Matches of two gathered into pairs: how often each met each, and how it ended, in Arrow's list layout.

Row i holds the opponents of player i from starts[i] to starts[i + 1], each once, so that a sum over pairs reads each
of them one time. Nothing is ever of the size players times players.
"""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.compile import JIT, kernel


def gather_pairs_plain(
    first: Codes, second: Codes, halves: Halves, weight: Floats, n_players: int, ordered: bool
) -> tuple[Counts, Codes, Floats]:
    """The plain twin of `gather_pairs`."""
    rows: list[dict[int, list[float]]] = [{} for _ in range(n_players)]
    for t in range(len(first)):
        i, j, half = int(first[t]), int(second[t]), int(halves[t])
        if not ordered and i > j:
            i, j, half = j, i, 2 - half
        rows[i].setdefault(j, [0.0, 0.0, 0.0])[2 - half] += float(weight[t]) if len(weight) else 1.0
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    opponent = np.array([j for row in rows for j in row], np.int32)
    outcomes = np.array([counts for row in rows for counts in row.values()], np.float64).reshape(-1, 3).T.copy()
    return starts, opponent, outcomes


def gather_pairs(
    first: Codes, second: Codes, halves: Halves, weight: Floats, n_players: int, *, ordered: bool
) -> tuple[Counts, Codes, Floats]:
    """(starts, opponents, outcomes): outcomes are (3, pairs), wins, ties and losses of the row's player.

    The row's player is the one with the lower code, or, if `ordered`, the one in the first seat. `weight` is one a
    match, or of length 0 for ones.
    """
    if not JIT:
        return gather_pairs_plain(first, second, halves, weight, n_players, ordered)
    return _gather_pairs(first, second, halves, weight, n_players, ordered)


@kernel
def _gather_pairs(
    first: Codes, second: Codes, halves: Halves, weight: Floats, n_players: int, ordered: bool
) -> tuple[Counts, Codes, Floats]:
    n_matches = len(first)
    # by row: a counting sort of the matches, then in each row a slot for each new opponent
    begin = np.zeros(n_players + 1, np.int64)
    for t in range(n_matches):
        row = first[t] if ordered else min(first[t], second[t])
        begin[row + 1] += 1
    for i in range(n_players):
        begin[i + 1] += begin[i]
    place = begin[:-1].copy()
    # opponent and outcome in one number, so that the second pass reads in order
    result = np.empty(n_matches, np.int64)
    sorted_weight = np.empty(len(weight))
    for t in range(n_matches):
        i, j, kind = first[t], second[t], 2 - halves[t]
        if not ordered and i > j:
            i, j, kind = j, i, 2 - kind
        result[place[i]] = 4 * np.int64(j) + kind
        if len(weight):
            sorted_weight[place[i]] = weight[t]
        place[i] += 1
    starts, slot = np.zeros(n_players + 1, np.int64), np.full(n_players, -1, np.int64)
    opponent, outcomes = np.empty(n_matches, np.int32), np.zeros((3, n_matches))
    n_pairs = 0
    for i in range(n_players):
        row_start = n_pairs
        for k in range(begin[i], begin[i + 1]):
            j, kind = result[k] >> 2, result[k] & 3
            if slot[j] < row_start:
                slot[j] = n_pairs
                opponent[n_pairs] = j
                n_pairs += 1
            outcomes[kind, slot[j]] += sorted_weight[k] if len(weight) else 1.0
        starts[i + 1] = n_pairs
    return starts, opponent[:n_pairs].copy(), outcomes[:, :n_pairs].copy()
