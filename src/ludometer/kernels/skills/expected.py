"""One player's rating given all others': its mean and variance by quadrature, and what Newton's steps need.

With the opponents' ratings r_j, n_j matches against each and W points in all, the density of a rating x is
exp(W x - sum of n_j ln(1 + e^(x - r_j)) + ln p(x)): a draw is half a win and half a loss, so the points are enough
(Smith 1994, eq. 49 and section 8.1). Its logarithm is concave where ln p is. All in natural units.

Lists are those of `mirror_pairs`: each pair stands in the rows of both players.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.kernels.runtime.compile import kernel

_STEP = 0.7
"""Between nodes, in SDs: the trapezoid rule misses a normal density's mean by exp(-2 pi^2 / 0.49), 3e-18."""

_LONGEST = 0.35
"""And in natural units: beyond many opponents the density ends like exp(-e^x), which it misses by exp(-pi^2 / 0.35)."""

_REACH, _NEGLIGIBLE = 8.0, -30.0
"""How far the nodes go at first, in SDs, and the logarithm that the density must have fallen to at their ends."""

_MOST_NODES, _MOST_TRIES = 8192, 60
_FOLD = 600.0
"""Factors are multiplied as long as their product keeps within exp(600)."""

_PANEL = np.polynomial.legendre.leggauss(10)
_PANEL_NODES, _PANEL_WEIGHTS = (_PANEL[0] + 1) / 2, _PANEL[1] / 2


class PriorTable(NamedTuple):
    """The logarithm of a prior density and its slope on a uniform grid; cubic between, quadratic beyond."""

    start: float
    cell: float
    value: Floats
    slope: Floats
    bend_below: float
    bend_above: float
    """Minus the second derivative before the first and after the last point of the grid."""
    lowest: float
    """No rating is below it: minus infinity, or where the density begins with a jump."""
    longest: float
    """The longest step between nodes that the density's own shape allows."""


@register_jitable
def log_prior(table, x):  # type: ignore[no-untyped-def]  # Numba infers the types
    """The logarithm of the density, its slope, and minus its second derivative; continued smoothly below `lowest`."""
    last = len(table.value) - 1
    u = (x - table.start) / table.cell
    if u < 0 or u >= last:
        k = 0 if u < 0 else last
        bend = table.bend_below if u < 0 else table.bend_above
        d = x - table.start - k * table.cell
        return table.value[k] + d * (table.slope[k] - 0.5 * bend * d), table.slope[k] - bend * d, bend
    k = int(u)
    t = u - k
    a, b, rise = table.cell * table.slope[k], table.cell * table.slope[k + 1], table.value[k + 1] - table.value[k]
    two, three = 3 * rise - 2 * a - b, a + b - 2 * rise
    value = table.value[k] + t * (a + t * (two + t * three))
    return value, (a + t * (2 * two + 3 * t * three)) / table.cell, -(2 * two + 6 * t * three) / table.cell**2


@kernel
def look_up(table: PriorTable, x: Floats) -> Floats:
    """(3, n): `log_prior` of each x."""
    found = np.empty((3, len(x)))
    for i in range(len(x)):
        found[0, i], found[1, i], found[2, i] = log_prior(table, x[i])
    return found


@kernel
def mirror_pairs(starts: Counts, opponent: Codes, scored: Floats, met: Floats) -> tuple[Counts, Codes, Floats, Floats]:
    """(starts, opponents, matches with each, points of each player) with each pair in both players' rows.

    `scored` are the points that each pair's row player won from the other, `met` how often they met.
    """
    n = len(starts) - 1
    begin, points = np.zeros(n + 1, np.int64), np.zeros(n)
    for i in range(n):
        for e in range(starts[i], starts[i + 1]):
            j = opponent[e]
            begin[i + 1] += 1
            begin[j + 1] += 1
            points[i] += scored[e]
            points[j] += met[e] - scored[e]
    for i in range(n):
        begin[i + 1] += begin[i]
    place = begin[:-1].copy()
    other, times = np.empty(2 * len(opponent), np.int32), np.empty(2 * len(opponent))
    for i in range(n):
        for e in range(starts[i], starts[i + 1]):
            j = opponent[e]
            other[place[i]], times[place[i]] = j, met[e]
            other[place[j]], times[place[j]] = i, met[e]
            place[i] += 1
            place[j] += 1
    return begin, other, times, points


@kernel
def evaluate_ratings(
    starts: Counts,
    opponent: Codes,
    met: Floats,
    points: Floats,
    rating: Floats,
    free: Mask,
    gradient: Floats,
    curvature: Floats,
    diagonal: Floats,
) -> float:
    """The log likelihood of what free players' ratings explain; writes its gradient, curvature and their sums."""
    total = 0.0
    for i in range(len(rating)):
        gradient[i] = diagonal[i] = 0.0
        if not free[i]:
            continue
        expected, bend, level, all_met = 0.0, 0.0, 0.0, 0.0
        for e in range(starts[i], starts[i + 1]):
            j = np.uint32(opponent[e])
            d = rating[i] - rating[j]
            small = math.exp(-abs(d))
            high = 1 / (1 + small)
            low = small * high
            expected += met[e] * (high if d > 0 else low)
            curvature[e] = met[e] * high * low
            bend += curvature[e]
            all_met += met[e]
            # ln(2 cosh(d / 2)) is the same from both sides, so a pair of two free players counts half in each row
            level += (0.5 if free[j] else 1.0) * met[e] * (0.5 * abs(d) - math.log(high))
        gradient[i] = points[i] - expected
        diagonal[i] = bend
        total += rating[i] * (points[i] - 0.5 * all_met) - level
    return total


@kernel
def multiply_curvature(
    starts: Counts, opponent: Codes, curvature: Floats, diagonal: Floats, free: Mask, x: Floats, result: Floats
) -> None:
    """Write minus the Hessian times x, which is 0 for players who are not free."""
    for i in range(len(x)):
        own = 0.0
        if free[i]:
            own = diagonal[i] * x[i]
            for e in range(starts[i], starts[i + 1]):
                own -= curvature[e] * x[np.uint32(opponent[e])]
        result[i] = own


@kernel
def sweep_ratings(
    starts: Counts,
    opponent: Codes,
    met: Floats,
    points: Floats,
    rating: Floats,
    free: Mask,
    table: PriorTable,
    at_once: bool,
    mean: Floats,
    variance: Floats,
    pull: Floats,
) -> float:
    """Write each free player's mean and variance given the others, and return how far a rating is from its mean.

    `pull` is 1 less what a mean moves if all opponents move by 1, over the variance: how the prior holds it. With a
    normal prior it is 1 / sd^2. If `at_once`, each rating is replaced by its mean before the next player is looked
    at: the paper's sweep.
    """
    node, weight, level = np.empty(_MOST_NODES), np.empty(_MOST_NODES), np.empty(_MOST_NODES)
    ratio, product = np.empty(_MOST_NODES), np.empty(_MOST_NODES)
    furthest = 0.0
    for i in range(len(rating)):
        if not free[i]:
            mean[i], variance[i], pull[i] = rating[i], 0.0, 0.0
            continue
        row = slice(starts[i], starts[i + 1])
        mean[i], variance[i], pull[i] = _integrate(
            opponent[row], met[row], points[i], rating, rating[i], table, node, weight, level, ratio, product
        )
        furthest = max(furthest, abs(mean[i] - rating[i]))
        if at_once:
            rating[i] = mean[i]
    return furthest


@register_jitable
def _integrate(  # type: ignore[no-untyped-def]  # Numba infers the types
    opponent, met, points, rating, guess, table, node, weight, level, ratio, product
):
    """The mean and the variance of one rating, and how the prior holds it."""
    centre, slope, bend = _mode(opponent, met, points, rating, guess, table)
    sd = 1 / math.sqrt(max(bend, 1e-12))
    # where the density begins at its highest point it falls at least as fast as exp(slope x)
    right = min(_REACH * sd, 35 / -slope) if slope < 0 else _REACH * sd
    left = _REACH * sd
    n, top, width, bounded = 0, 0.0, 0.0, False
    for _ in range(_MOST_TRIES):
        bounded = centre - left < table.lowest
        if bounded:
            n, width = _place_panels(table.lowest, centre + right, sd, slope, table.longest, node, weight)
        else:
            n = _place_evenly(centre, left, right, sd, table.longest, node, weight)
        n_filled = n + 1 if bounded else n
        _fill(opponent, met, points, rating, centre, table, node, n_filled, level, ratio, product)
        top = level[0]
        for k in range(1, n):
            top = max(top, level[k])
        long_enough, far_enough = bounded or level[0] < top + _NEGLIGIBLE, level[n - 1] < top + _NEGLIGIBLE
        if long_enough and far_enough:
            break
        left = left if long_enough else 1.5 * left
        right = right if far_enough else 1.5 * right
    total, first, second, slopes, covariance = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        w = weight[k] * math.exp(level[k] - top)
        d = node[k] - centre
        prior_slope = log_prior(table, node[k])[1]
        total += w
        first += w * d
        second += w * d * d
        slopes += w * prior_slope
        covariance += w * d * prior_slope
    shift = first / total
    variance = second / total - shift * shift
    # by parts: the covariance of x and the results' slope is 1 less these two, a jump at the lower end being the second
    held = shift * slopes / total - covariance / total
    if bounded:
        held += (centre + shift - table.lowest) * math.exp(level[n] - top) / (total * width)
    return centre + shift, variance, held / variance


@register_jitable
def _mode(opponent, met, points, rating, guess, table):  # type: ignore[no-untyped-def]  # Numba infers the types
    """About where the density is highest, its logarithm's slope there if that is an end, and minus its curvature."""
    x = max(guess, table.lowest)
    below, above = -math.inf, math.inf
    slope, bend = 0.0, 1.0
    for _ in range(_MOST_TRIES):
        _, slope, prior_bend = log_prior(table, x)
        slope += points
        told = 0.0
        for e in range(len(opponent)):
            odds = math.exp(min(max(rating[np.uint32(opponent[e])] - x, -700.0), 700.0))
            p = 1 / (1 + odds)
            slope -= met[e] * p
            told += met[e] * p * (odds * p)
        # a multimodal prior may have the wrong curvature: that of the results still leads uphill
        bend = max(prior_bend + told, 0.1 * abs(prior_bend), 1e-12)
        if x <= table.lowest and slope <= 0:
            return x, slope, bend
        step = min(max(slope / bend, -3.0), 3.0)
        if abs(step) * math.sqrt(bend) < 0.1:
            return x, 0.0, bend
        if slope > 0:
            below = x
        else:
            above = x
        moved = max(x + step, table.lowest)
        if (moved <= below or moved >= above) and below > -math.inf and above < math.inf:
            moved = 0.5 * (below + above)
        x = moved
    return x, 0.0, bend


@register_jitable
def _place_evenly(centre, left, right, sd, longest, node, weight):  # type: ignore[no-untyped-def]
    """Nodes of the trapezoid rule."""
    step = max(min(_STEP * sd, _LONGEST, longest), (left + right) / (_MOST_NODES - 4))
    n_left, n_right = math.ceil(left / step), math.ceil(right / step)
    n = n_left + n_right + 1
    for k in range(n):
        node[k] = centre + (k - n_left) * step
        weight[k] = 1.0
    return n


@register_jitable
def _place_panels(low, high, sd, slope, longest, node, weight):  # type: ignore[no-untyped-def]
    """Nodes of Gauss and Legendre in panels, for a density that begins with a jump."""
    width = min(1.5 * sd, 2 * _LONGEST, 2 * longest)
    if slope < 0:
        width = min(width, 5 / -slope)
    n_panels = min(max(1, math.ceil((high - low) / width)), (_MOST_NODES - 1) // len(_PANEL_NODES))
    width = (high - low) / n_panels
    for panel in range(n_panels):
        for k in range(len(_PANEL_NODES)):
            node[panel * len(_PANEL_NODES) + k] = low + width * (panel + _PANEL_NODES[k])
            weight[panel * len(_PANEL_NODES) + k] = _PANEL_WEIGHTS[k]
    n = n_panels * len(_PANEL_NODES)
    node[n] = low
    return n, width


@register_jitable
def _fill(  # type: ignore[no-untyped-def]  # Numba infers the types
    opponent, met, points, rating, centre, table, node, n, level, ratio, product
):
    """The logarithm of the density at each node, less what it is at the centre.

    (1 + e^(x - r)) / (1 + e^(centre - r)) = q + p e^(x - centre) with p = 1 - q the expected score at the centre: no
    exponential and no logarithm a node and opponent, only a product.
    """
    at_centre = log_prior(table, centre)[0]
    reach = max(1e-3, abs(node[0] - centre), abs(node[n - 1] - centre), abs(node[n - 2] - centre))
    for k in range(n):
        d = node[k] - centre
        level[k] = points * d + log_prior(table, node[k])[0] - at_centre
        ratio[k] = math.exp(min(d, 700.0))
        product[k] = 1.0
    size = 0.0
    for e in range(len(opponent)):
        odds = math.exp(min(max(rating[np.uint32(opponent[e])] - centre, -700.0), 700.0))
        p = 1 / (1 + odds)
        q = odds * p
        times = met[e]
        if times > 4 or times != math.floor(times):
            for k in range(n):
                level[k] -= times * math.log(q + p * ratio[k])
            continue
        size += times * reach
        if size > _FOLD:
            size = times * reach
            for k in range(n):
                level[k] -= math.log(product[k])
                product[k] = 1.0
        for _ in range(int(times)):
            for k in range(n):
                product[k] *= q + p * ratio[k]
    for k in range(n):
        level[k] -= math.log(product[k])
