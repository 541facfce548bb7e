"""Log loss of forecasts of two players, summed: what a search over parameters needs of each pass."""

from __future__ import annotations

import math

from ludometer.arrays import Floats, Halves
from ludometer.kernels.runtime.compile import kernel

_SURE = 1e-15


@kernel
def sum_log_loss(halves: Halves, expected: Floats) -> float:
    """The sum of -(S ln E + (1 - S) ln(1 - E)), forecasts kept 1e-15 away from 0 and 1."""
    total = 0.0
    for t in range(len(halves)):
        e = min(max(expected[t], _SURE), 1.0 - _SURE)
        if halves[t] == 2:
            total -= math.log(e)
        elif halves[t] == 0:
            total -= math.log1p(-e)
        else:
            total -= 0.5 * (math.log(e) + math.log1p(-e))
    return total
