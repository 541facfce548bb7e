"""What each player had scored on average before each of his matches."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.compile import kernel


def past_averages_plain(first: Codes, second: Codes, halves: Halves, n_players: int) -> tuple[Floats, Counts]:
    """The plain twin of `past_averages`."""
    past: list[list[float]] = [[] for _ in range(n_players)]
    average, count = np.full((len(first), 2), np.nan), np.zeros((len(first), 2), np.int64)
    for t in range(len(first)):
        for seat, player in enumerate((first[t], second[t])):
            count[t, seat] = len(past[player])
            if past[player]:
                average[t, seat] = sum(past[player]) / len(past[player])
        past[first[t]].append(halves[t] / 2)
        past[second[t]].append(1 - halves[t] / 2)
    return average, count


@kernel
def past_averages(first: Codes, second: Codes, halves: Halves, n_players: int) -> tuple[Floats, Counts]:
    """(averages, counts), each (matches, 2): before a player's first match the average is NaN, the count 0."""
    points, played = np.zeros(n_players, np.int64), np.zeros(n_players, np.int64)
    average, count = np.empty((len(first), 2), np.float64), np.empty((len(first), 2), np.int64)
    for t in range(len(first)):
        for seat in range(2):
            player = first[t] if seat == 0 else second[t]
            count[t, seat] = played[player]
            average[t, seat] = 0.5 * points[player] / played[player]
        points[first[t]] += halves[t]
        points[second[t]] += 2 - halves[t]
        played[first[t]] += 1
        played[second[t]] += 1
    return average, count
