"""Normal approximations of each player's skill given the results: expectation propagation over the matches.

Every match sends each of its two players a message, a normal factor; the skill of a player is the prior times the
messages of their matches. A match's messages are such that, together with all other matches, the two players have the
mean and variance given its result (Minka 2001; Herbrich, Minka and Graepel 2007 for this factor). Where few matches
form a cycle the result is close to the true means and variances after a few passes; where the same players meet often
it overstates their certainty.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Floats
from ludometer.kernels.gibbs.likelihood import Record, log_phi
from ludometer.kernels.runtime.compile import kernel

_PASSES, _STILL = 30, 1e-3
"""Passes at most, and the change of a message's precision below which they stop."""

_RAREST = 1e-10
"""A tie less likely than this, given the other matches, sends no message: its moments would be rounding errors."""

_ROOT_2PI, _ROOT2 = math.sqrt(2.0 * math.pi), math.sqrt(2.0)


@register_jitable
def _weigh_win(x: float, table: Floats) -> tuple[float, float]:
    """How a win moves the mean and shrinks the variance of the difference, expected x SDs above t."""
    _, slope = log_phi(x, table)
    return slope, min(max(slope * (slope + x), 0.0), 1.0)


@register_jitable
def _weigh_tie(low: float, high: float) -> tuple[float, float]:
    """Like `_weigh_win` for a tie, between two bounds in SDs."""
    below, above = math.exp(-0.5 * low * low) / _ROOT_2PI, math.exp(-0.5 * high * high) / _ROOT_2PI
    chance = 0.5 * (math.erf(high / _ROOT2) - math.erf(low / _ROOT2))
    if chance < _RAREST:
        return 0.0, 0.0
    shift = (below - above) / chance
    return shift, min(max(shift * shift + (high * above - low * below) / chance, 0.0), 1.0)


@register_jitable
def _pass_on(
    one: Codes,
    other: Codes,
    times: Codes,
    threshold: float,
    is_tie: bool,
    table: Floats,
    precision: Floats,
    weighted: Floats,
    letter: Floats,
) -> float:
    """Renew the messages (precision, and precision times mean, to both players); return the largest change."""
    largest = 0.0
    for row in range(len(one)):
        i, j, count = np.uint32(one[row]), np.uint32(other[row]), float(times[row])
        cavity_i, cavity_j = precision[i] - letter[row, 0], precision[j] - letter[row, 2]
        pull_i, pull_j = weighted[i] - letter[row, 1], weighted[j] - letter[row, 3]
        variance_i, variance_j = 1.0 / cavity_i, 1.0 / cavity_j
        mean_i, mean_j = pull_i * variance_i, pull_j * variance_j
        square = 2.0 + variance_i + variance_j
        sd = math.sqrt(square)
        gap = mean_i - mean_j
        if is_tie:
            shift, shrink = _weigh_tie((-threshold - gap) / sd, (threshold - gap) / sd)
        else:
            shift, shrink = _weigh_win((gap - threshold) / sd, table)
        new_i = 1.0 / (variance_i * (1.0 - variance_i / square * shrink))
        new_j = 1.0 / (variance_j * (1.0 - variance_j / square * shrink))
        fresh = (
            new_i - cavity_i,
            new_i * (mean_i + variance_i / sd * shift) - pull_i,
            new_j - cavity_j,
            new_j * (mean_j - variance_j / sd * shift) - pull_j,
        )
        largest = max(largest, abs(fresh[0] - letter[row, 0]), abs(fresh[2] - letter[row, 2]))
        # equal results change their messages together, so each moves only part of the way
        share = 2.0 / (1.0 + count)
        precision[i] += share * count * (fresh[0] - letter[row, 0])
        weighted[i] += share * count * (fresh[1] - letter[row, 1])
        precision[j] += share * count * (fresh[2] - letter[row, 2])
        weighted[j] += share * count * (fresh[3] - letter[row, 3])
        for k in range(4):
            letter[row, k] += share * (fresh[k] - letter[row, k])
    return largest


@kernel
def pass_messages(record: Record, sigma: float, threshold: float, table: Floats, mean: Floats, variance: Floats) -> int:
    """Fill in each player's mean and variance given all results, sigma and t; return the number of passes."""
    n = len(mean)
    precision, weighted = np.full(n, 1.0 / (sigma * sigma)), np.zeros(n)
    won, tied = np.zeros((len(record.winner), 4)), np.zeros((len(record.first), 4))
    passes = 0
    for _ in range(_PASSES):
        passes += 1
        change = _pass_on(record.winner, record.loser, record.won, threshold, False, table, precision, weighted, won)
        other = _pass_on(record.first, record.second, record.tied, threshold, True, table, precision, weighted, tied)
        if max(change, other) < _STILL:
            break
    for i in range(n):
        variance[i] = 1.0 / precision[i]
        mean[i] = weighted[i] * variance[i]
    return passes
