"""The pass of Smith's recommended system in natural units: newcomers by the static system, then the dynamic one.

A newcomer's posterior is on a grid of ratings, one row each in a pool; a row is free again once they are established.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel

RATING, VARIANCE, GAMES, ROW, CENTRE = range(5)
"""Columns of a player: rating, its variance while new, games, the row in the pool (-1: none), and the mean of the prior
at entry."""

N_POINTS = 64
REACH = 5.0
"""The grid covers so many SDs of the prior on both sides: 64 points 0.16 SDs apart, so that sums are integrals."""

N_USED, N_FREE = range(2)
"""Rows of the pool that were ever used, and those of them that are free again, listed in `free`."""

N_ENTERED, ENTRY_VARIANCE, RATINGS = range(3)
"""Sums over established players: how many, their variances when they became so, their ratings now."""


@kernel
def newcomers_pass(
    first: Codes,
    second: Codes,
    halves: Halves,
    player: Floats,
    pool: Floats,
    free: Codes,
    used: Codes,
    entered: Floats,
    grid: Floats,
    prior: Floats,
    weight: Floats,
    games: float,
    step: float,
    expected: Floats,
) -> None:
    """Play the matches in order, moving all but results, `grid`, `prior` and `weight` in place.

    A newcomer's rating is the expectation under the prior and their results against opponents as rated at the time;
    an established player moves by `step` (S - E), against a newcomer by the share of `games` that one had played.
    """
    if JIT:
        player, pool, free, used = lanes.borrow(player), lanes.borrow(pool), lanes.borrow(free), lanes.borrow(used)
        entered, grid, prior = lanes.borrow(entered), lanes.borrow(grid), lanes.borrow(prior)
    for t in range(len(first)):
        i, j = np.int64(first[t]), np.int64(second[t])
        _enter(player, i, entered)
        _enter(player, j, entered)
        x, y = player[i, RATING], player[j, RATING]
        n_i, n_j = player[i, GAMES], player[j, GAMES]
        # a normal uncertainty flattens the logistic curve about so much (MacKay 1992)
        flat = 1.0 / math.sqrt(1.0 + 0.125 * math.pi * (player[i, VARIANCE] + player[j, VARIANCE]))
        forecast = 1.0 / (1.0 + math.exp((y - x) * flat))
        expected[t] = forecast
        move = step * (0.5 * halves[t] - forecast)
        if n_i < games:
            _learn(player, i, y, halves[t], pool, free, used, entered, grid, prior, weight, games)
        else:
            _move(player, i, move * min(n_j / games, 1.0), entered)
        if n_j < games:
            _learn(player, j, x, 2 - halves[t], pool, free, used, entered, grid, prior, weight, games)
        else:
            _move(player, j, -move * min(n_i / games, 1.0), entered)


@register_jitable
def _move(player, i, move, entered):  # type: ignore[no-untyped-def]  # Numba infers the types
    player[i, RATING] += move
    player[i, GAMES] += 1.0
    entered[RATINGS] += move


@register_jitable
def _enter(player, i, entered):  # type: ignore[no-untyped-def]
    """A player before their first match is expected at the mean of established players, if there are any."""
    if player[i, GAMES] == 0.0 and entered[N_ENTERED] > 0.0:
        player[i, CENTRE] = entered[RATINGS] / entered[N_ENTERED]
        player[i, RATING] = player[i, CENTRE]


@register_jitable
def _learn(player, i, other, half, pool, free, used, entered, grid, prior, weight, games):  # type: ignore[no-untyped-def]
    """Multiply a newcomer's posterior by the likelihood of one result."""
    row = int(player[i, ROW])
    if row < 0:
        row = _take_row(free, used)
        player[i, ROW] = row
        pool[row] = prior
    odds = math.exp(min(max(other - player[i, CENTRE], -300.0), 300.0))
    posterior = pool[row]
    # a loop for each result, without branches, is done four or eight points at a time
    if half == 2:
        for k in range(N_POINTS):
            posterior[k] *= 1.0 / (1.0 + odds * weight[k])
    elif half == 0:
        for k in range(N_POINTS):
            posterior[k] *= odds * weight[k] / (1.0 + odds * weight[k])
    else:
        for k in range(N_POINTS):
            posterior[k] *= math.sqrt(odds * weight[k]) / (1.0 + odds * weight[k])
    total = first = second = 0.0
    for k in range(N_POINTS):
        total += posterior[k]
        first += posterior[k] * grid[k]
        second += posterior[k] * grid[k] * grid[k]
    for k in range(N_POINTS):
        posterior[k] /= total
    mean = first / total
    variance = second / total - mean * mean
    player[i, RATING], player[i, VARIANCE] = player[i, CENTRE] + mean, variance
    player[i, GAMES] += 1.0
    if player[i, GAMES] >= games:
        entered[N_ENTERED] += 1.0
        entered[ENTRY_VARIANCE] += variance
        entered[RATINGS] += player[i, RATING]
        player[i, VARIANCE], player[i, ROW] = 0.0, -1.0
        free[used[N_FREE]] = row
        used[N_FREE] += 1


@register_jitable
def _take_row(free, used):  # type: ignore[no-untyped-def]
    if used[N_FREE] > 0:
        used[N_FREE] -= 1
        return free[used[N_FREE]]
    used[N_USED] += 1
    return used[N_USED] - 1


def normal_prior(sd: float) -> tuple[Floats, Floats, Floats]:
    """The grid around 0, a normal distribution on it, which sums to 1, and exp(-grid), which each result needs."""
    grid = np.linspace(-REACH * sd, REACH * sd, N_POINTS)
    prior = np.exp(-0.5 * (grid / sd) ** 2)
    return grid, prior / prior.sum(), np.exp(-grid)


def unknown_players(n_players: int, sd: float) -> Floats:
    """Rows of players who have not played: at the mean of the prior, with its variance."""
    player = np.zeros((n_players, 5))
    player[:, VARIANCE], player[:, ROW] = sd * sd, -1.0
    return player
