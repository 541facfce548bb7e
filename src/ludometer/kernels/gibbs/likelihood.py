"""The likelihood of results by the gaps between skills, for any scale of the skills and any tie threshold.

Given z, sigma and t depend on the results only through the gaps between players, so one pass over many results puts the
gaps on a grid, and the likelihood of any sigma and t is then a sum over some hundred nodes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.runtime.compile import kernel

_FIRST, _LAST, _CELLS = -40.0, 9.0, 32
"""Where the table of log Phi begins and ends, and cells in one unit: exact to 1e-9."""

_ROOT2 = math.sqrt(2.0)
_NODES, _ROWS_A_NODE = 24, 4
"""Nodes of the grid of gaps per unit of skill, and rows per node from which on a grid is used."""


class Record(NamedTuple):
    """Who beat whom how often, who tied with whom how often, and who met whom how often (a list for each player)."""

    winner: Codes
    loser: Codes
    won: Codes
    first: Codes
    second: Codes
    tied: Codes
    starts: Counts
    opponent: Codes
    met: Floats


class Gaps(NamedTuple):
    """Skill of the winner minus that of the loser, and between those who tied, and how often each occurs."""

    won: Floats
    wins: Floats
    tied: Floats
    ties: Floats


def log_normal_table() -> Floats:
    """Cubic pieces of log Phi(x) with its value and slope at the ends of each cell."""
    from scipy.special import log_ndtr

    x = np.linspace(_FIRST, _LAST, round((_LAST - _FIRST) * _CELLS) + 1)
    value = log_ndtr(x)
    slope = np.exp(-0.5 * x * x - value) / math.sqrt(2 * math.pi) / _CELLS
    rise = np.diff(value)
    return np.column_stack(
        (value[:-1], slope[:-1], 3 * rise - 2 * slope[:-1] - slope[1:], slope[:-1] + slope[1:] - 2 * rise)
    )


@register_jitable
def log_phi(x: float, table: Floats) -> tuple[float, float]:
    """log Phi(x) and its slope."""
    if x < _FIRST + 1e-6:
        square = 1.0 / (x * x)
        return (
            -0.5 * x * x - math.log(-x) - 0.9189385332046727 - square * (1.0 - 2.5 * square),
            -x * (1.0 + square * (1.0 - 2.0 * square)),
        )
    if not x < _LAST:
        # what is no number has no place in the table, and stays none
        return (0.0, 0.0) if x >= _LAST else (x, x)
    place = (x - _FIRST) * _CELLS
    cell = np.uint32(place)
    f = place - cell
    a, b, c, d = table[cell, 0], table[cell, 1], table[cell, 2], table[cell, 3]
    return a + f * (b + f * (c + f * d)), _CELLS * (b + f * (2.0 * c + 3.0 * f * d))


@kernel
def log_likelihood(gaps: Gaps, scale: float, threshold: float, table: Floats) -> tuple[float, float, float]:
    """The log probability of all results for gaps scale * gap, and its slopes over the scale and the threshold.

    A win has Phi((d - t)/sqrt 2), a tie Phi((t - d)/sqrt 2) - Phi((-t - d)/sqrt 2), d being the difference.
    """
    total = by_scale = by_threshold = 0.0
    for row in range(len(gaps.won)):
        gap, times = gaps.won[row], gaps.wins[row]
        if times == 0.0:
            continue
        value, slope = log_phi((scale * gap - threshold) / _ROOT2, table)
        total += times * value
        by_scale += times * slope * gap
        by_threshold -= times * slope
    for row in range(len(gaps.tied)):
        gap, times = gaps.tied[row], gaps.ties[row]
        if times == 0.0:
            continue
        # the side on which the two probabilities are not both near 1
        if scale * gap < 0.0:
            gap = -gap
        upper, slope = log_phi((threshold - scale * gap) / _ROOT2, table)
        lower, slope_below = log_phi((-threshold - scale * gap) / _ROOT2, table)
        lack = lower - upper
        left = 1.0 - math.exp(lack) if lack < -0.01 else -math.expm1(lack)
        slope, slope_below = slope / left, slope_below * (1.0 - left) / left
        total += times * (upper + math.log(left))
        by_scale += times * (slope_below - slope) * gap
        by_threshold += times * (slope + slope_below)
    return total, by_scale / _ROOT2, by_threshold / _ROOT2


@kernel
def gather_gaps(record: Record, skill: Floats) -> tuple[Gaps, bool]:
    """The gaps of all rows, or of many rows on a grid, and whether it is a grid.

    A gap between two nodes counts at the four around it with the weights of the cubic through them, so any smooth
    function sums to the same over nodes as over gaps: log Phi to 1e-8 per match.
    """
    spread = skill.max() - skill.min()
    nodes = 3.0 * spread * _NODES
    if len(record.winner) + len(record.first) > _ROWS_A_NODE * (nodes + 10.0):
        won, wins = _grid(record.winner, record.loser, record.won, skill, spread, False)
        tied, ties = _grid(record.first, record.second, record.tied, skill, spread, True)
        return Gaps(won, wins, tied, ties), True
    won, wins = _rows(record.winner, record.loser, record.won, skill)
    tied, ties = _rows(record.first, record.second, record.tied, skill)
    return Gaps(won, wins, tied, ties), False


@register_jitable
def _rows(one: Codes, other: Codes, times: Codes, skill: Floats) -> tuple[Floats, Floats]:
    gap, count = np.empty(len(one)), np.empty(len(one))
    for row in range(len(one)):
        gap[row] = skill[np.uint32(one[row])] - skill[np.uint32(other[row])]
        count[row] = times[row]
    return gap, count


@register_jitable
def _grid(one: Codes, other: Codes, times: Codes, skill: Floats, spread: float, is_even: bool) -> tuple[Floats, Floats]:
    """Nodes and their weights; with `is_even` the sign of a gap does not count."""
    lowest = (0.0 if is_even else -spread) - 1.0 / _NODES
    n_nodes = int((spread - lowest) * _NODES) + 4
    weight = np.zeros(n_nodes)
    for row in range(len(one)):
        gap = skill[np.uint32(one[row])] - skill[np.uint32(other[row])]
        if is_even:
            gap = abs(gap)
        place = (gap - lowest) * _NODES
        # never left of the second node, whatever the rounding
        cell = max(np.uint32(place), np.uint32(1))
        f = place - cell
        count = float(times[row])
        outer, inner = count * f * (f - 1.0) / 6.0, count * (f + 1.0) * (f - 2.0) / 2.0
        weight[cell - np.uint32(1)] -= outer * (f - 2.0)
        weight[cell] += inner * (f - 1.0)
        weight[cell + np.uint32(1)] -= inner * f
        weight[cell + np.uint32(2)] += outer * (f + 1.0)
    return lowest + np.arange(n_nodes) / _NODES, weight
