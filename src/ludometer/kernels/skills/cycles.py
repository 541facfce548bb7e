"""The likelihood of paired comparisons in which who beats whom may go in circles, over gathered pairs.

The log-odds, or probit, of i against j are d = s_i - s_j + u_i v_j - u_j v_i: a skill, and a plane in which players
stand; the second part changes its sign with the seats, as it must (Chen and Joachims 2016; Balduzzi et al. 2018).
Results have no ties here: a tie comes as half a win and half a loss.
"""

from __future__ import annotations

import math

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.runtime.compile import kernel
from ludometer.kernels.skills.paired import log_cdf


def evaluate_cycles_plain(
    starts: Counts, opponent: Codes, won: Floats, lost: Floats, x: Floats, probit: bool
) -> tuple[float, Floats]:
    """The plain twin of `evaluate_cycles`: the sum, and the slope of each pair in d."""
    from scipy.special import log_ndtr

    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    s, u, v = x
    d = s[row] - s[opponent] + u[row] * v[opponent] - u[opponent] * v[row]
    if not probit:
        up, down = -np.logaddexp(0, -d), -np.logaddexp(0, d)
        return float(won @ up + lost @ down), won * np.exp(down) - lost * np.exp(up)
    z = d / math.sqrt(2)
    up, down = log_ndtr(z), log_ndtr(-z)
    log_density = -0.5 * z * z - 0.5 * math.log(4 * math.pi)
    return float(won @ up + lost @ down), won * np.exp(log_density - up) - lost * np.exp(log_density - down)


@kernel
def evaluate_cycles(
    starts: Counts,
    opponent: Codes,
    won: Floats,
    lost: Floats,
    x: Floats,
    probit: bool,
    gradient: Floats,
    slope: Floats,
) -> float:
    """The log likelihood at x = (skills, u, v); writes the gradient, (3, players) too, and each pair's slope in d."""
    n = len(starts) - 1
    gradient[:] = 0
    total = 0.0
    for i in range(n):
        own, own_u, own_v = 0.0, 0.0, 0.0
        s_i, u_i, v_i = x[0, i], x[1, i], x[2, i]
        for e in range(starts[i], starts[i + 1]):
            j = np.uint32(opponent[e])
            d = s_i - x[0, j] + u_i * x[2, j] - x[1, j] * v_i
            wins, losses = won[e], lost[e]
            if probit:
                up, slope_up, _ = log_cdf(d, True)
                down, slope_down, _ = log_cdf(-d, True)
                total += wins * up + losses * down
                g = wins * slope_up - losses * slope_down
            else:
                small = math.exp(-abs(d))
                near = 1 / (1 + small)
                # the logarithm of the likelier of the two results; the other's is |d| less
                likely = -math.log1p(small)
                if d > 0:
                    total += (wins + losses) * likely - losses * d
                    g = wins - (wins + losses) * near
                else:
                    total += (wins + losses) * likely + wins * d
                    g = wins - (wins + losses) * small * near
            slope[e] = g
            own += g
            own_u += g * x[2, j]
            own_v -= g * x[1, j]
            gradient[0, j] -= g
            gradient[1, j] -= g * v_i
            gradient[2, j] += g * u_i
        gradient[0, i] += own
        gradient[1, i] += own_u
        gradient[2, i] += own_v
    return total
