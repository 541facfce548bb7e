"""The pass of the internet chess server's system in natural units, provisional players included."""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel

RATING, VALUES, GAMES = range(3)
"""Columns of a player: rating, the sum of one value per game while provisional, games."""

_AHEAD = 16


@kernel
def ics_pass(
    first: Codes,
    second: Codes,
    halves: Halves,
    player: Floats,
    established: Floats,
    step: float,
    provisional: float,
    near: float,
    far: float,
    target: float,
    expected: Floats,
) -> None:
    """Play the matches in order, moving `player` (players, 4) and `established` (sum of ratings, number) in place.

    `near` is added to the average of two provisional players' ratings for a win, `far` to an established opponent's.
    """
    if JIT:
        player, established = lanes.borrow(player), lanes.borrow(established)
    n = len(first)
    for t in range(n):
        if JIT and t + _AHEAD < n:
            lanes.prefetch(player, first[t + _AHEAD], 0)
            lanes.prefetch(player, second[t + _AHEAD], 0)
        i, j = np.uint32(first[t]), np.uint32(second[t])
        x, y = player[i, RATING], player[j, RATING]
        n_i, n_j = player[i, GAMES], player[j, GAMES]
        forecast = 1.0 / (1.0 + math.exp(y - x))
        expected[t] = forecast
        score = 0.5 * halves[t]
        if n_i >= provisional and n_j >= provisional:
            move = step * (score - forecast)
            player[i, RATING] = x + move
            player[j, RATING] = y - move
            continue
        extra = 0.0
        if established[1] > 0.0:
            extra = 0.1 * (target - established[0] / established[1])
        usual, outcome = step * (score - forecast), 2.0 * score - 1.0
        _move(player, established, i, y, n_j, usual, outcome, provisional, near, far, extra, 0.5 * (x + y))
        _move(player, established, j, x, n_i, -usual, -outcome, provisional, near, far, extra, 0.5 * (x + y))


@register_jitable
def _move(player, established, i, other, n_other, usual, outcome, provisional, near, far, extra, middle):  # type: ignore[no-untyped-def]
    """One side of a match in which somebody is provisional."""
    games = player[i, GAMES]
    if games >= provisional:
        # n / 20 of the usual change against one who had played n
        move = usual * n_other / provisional
        player[i, RATING] += move
        established[0] += move
        return
    value = middle + near * outcome if n_other < provisional else other + far * outcome
    player[i, VALUES] += value
    player[i, GAMES] = games + 1.0
    player[i, RATING] = player[i, VALUES] / (games + 1.0) + extra
    if games + 1.0 >= provisional:
        established[0] += player[i, RATING]
        established[1] += 1.0
