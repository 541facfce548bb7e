"""What normal sites leave out, to first order: the skewness of the pairs' factors, and how they work together.

If c is the third cumulant of a factor's distribution of its own difference d, then

    log Z = log Z_EP + sum over pairs of factors a < b of c_a c_b / 6 (S_ab / (S_aa S_bb))^3 + ...

with the covariances S of the differences under the normal approximation (Opper, Paquet and Winther 2013, section 3; the
fourth cumulants change nothing that can be seen). On a tree S_ab is a product of regressions along the path between a
and b, so the sum over all pairs of factors is a recursion along the graph, as the messages are.
"""

from __future__ import annotations

import math

import numpy as np

from ludometer.arrays import Floats
from ludometer.kernels.evidence.pairs import (
    STEEPEST,
    Messages,
    PairTable,
    Point,
    Quadrature,
    log_results,
    match_tie,
    match_win,
)
from ludometer.kernels.runtime.compile import kernel


@kernel
def measure_cumulants(
    pairs: PairTable, messages: Messages, point: Point, quadrature: Quadrature, cumulants: Floats
) -> None:
    """c / S^3 of every pair's own difference, whose variance is S, into `cumulants`."""
    q, t, share, node, table = point.q, point.t, point.share, quadrature.node, quadrature.table
    site, letter, precision, lean = messages.site, messages.letter, messages.precision, messages.lean
    for row in range(len(pairs.one)):
        i, j = np.uint32(pairs.one[row]), np.uint32(pairs.other[row])
        won, lost, tied = pairs.won[row], pairs.lost[row], pairs.tied[row]
        variance = q / (1.0 + q * (precision[i] - letter[row, 0])) + q / (1.0 + q * (precision[j] - letter[row, 1]))
        strong, pull, centre = site[row, 0], site[row, 1], q * (lean[i] - lean[j])
        shrunk = 1.0 + variance * strong
        if won + lost + tied == 1.0:
            gap, sd = centre * shrunk - variance * pull, math.sqrt(2.0 + variance)
            if tied > 0.0:
                a, b, c, _ = match_tie(gap, t, sd, table)
            else:
                sign = won - lost
                a, b, c = match_win((sign * gap - t) / sd, sd, share, table)
                a, c = sign * a, sign * c
            # the third derivative of log Z: V^3 of it is the cumulant
            cumulants[row] = shrunk * shrunk * shrunk * (c - 3.0 * a * b + 2.0 * a * a * a)
            continue
        width = math.sqrt(variance / shrunk)
        value, _ = log_results(centre, won, lost, tied, t, share, table)
        top = value - (pull - 0.5 * strong * centre) * centre
        total = first = second = third = 0.0
        for k in range(len(node)):
            x = node[k]
            d = centre + width * x
            value, _ = log_results(d, won, lost, tied, t, share, table)
            w = quadrature.weight[k] * math.exp(min(value - (pull - 0.5 * strong * d) * d - top, STEEPEST))
            total += w
            first += w * x
            second += w * x * x
            third += w * x * x * x
        m, s, u = first / total, second / total, third / total
        cumulants[row] = (u - 3.0 * m * s + 2.0 * m * m * m) / (width * width * width)


@kernel
def correlate(pairs: PairTable, messages: Messages, q: float, cumulants: Floats, passes: int) -> float:
    """The sum over all pairs of factors of c_a c_b S_ab^3, c being what `cumulants` holds.

    The flux of a pair to one of its players is the sum over all factors behind it of c times the third power of the
    regression of that factor's difference on the player's skill.
    """
    n = len(messages.precision)
    letter, precision, site = messages.letter, messages.precision, messages.site
    flow, flux = np.zeros(n), np.zeros((len(pairs.one), 2))
    total = 0.0
    for turn in range(passes + 1):
        for row in range(len(pairs.one)):
            i, j = np.uint32(pairs.one[row]), np.uint32(pairs.other[row])
            own = site[row, 0]
            far_i = own * q / (1.0 + q * (precision[i] - letter[row, 0]))
            far_j = own * q / (1.0 + q * (precision[j] - letter[row, 1]))
            to_i, to_j = 1.0 / (1.0 + far_j), 1.0 / (1.0 + far_i)
            own_i, own_j = cumulants[row] * to_i * to_i * to_i, -cumulants[row] * to_j * to_j * to_j
            if turn == passes:
                spread_i, spread_j = q / (1.0 + q * precision[i]), q / (1.0 + q * precision[j])
                total += own_i * spread_i * spread_i * spread_i * (flow[i] - flux[row, 0])
                total += own_j * spread_j * spread_j * spread_j * (flow[j] - flux[row, 1])
                continue
            through_i, through_j = far_j * to_i, far_i * to_j
            new_i = own_i + through_i * through_i * through_i * (flow[j] - flux[row, 1])
            new_j = own_j + through_j * through_j * through_j * (flow[i] - flux[row, 0])
            flow[i] += new_i - flux[row, 0]
            flow[j] += new_j - flux[row, 1]
            flux[row, 0], flux[row, 1] = new_i, new_j
    return 0.5 * total
