"""The equations of all skills at once, (weight x'x + ridge I) s = right, by conjugate gradients."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.gibbs.likelihood import Record
from ludometer.kernels.runtime.compile import kernel

_CG_ERROR, _CG_TOTAL = 1e-3, 0.01
"""When to stop: r'D^-1 r with the residual r, for one skill (in SDs of its draw, squared) and for all together.

A draw off by e is a draw of the conditional distribution shifted by e, at a divergence of e'Qe / 2 from the right one;
e'Qe is a few times r'D^-1 r. So the second bounds, whatever is asked of the skills, how far the answer may be off.
"""

_MOST_STEPS = 500


class Meetings(NamedTuple):
    """Each pair of opponents once, at the one with the higher code; and how often everybody played."""

    starts: Counts
    opponent: Codes
    met: NDArray[np.float32]
    played: Floats


@kernel
def halve(record: Record) -> Meetings:
    """The list of opponents with every pair once."""
    n = len(record.starts) - 1
    starts, played = np.zeros(n + 1, np.int64), np.zeros(n)
    opponent = np.empty(len(record.opponent) // 2, np.int32)
    met = np.empty(len(opponent), np.float32)
    end = 0
    for i in range(n):
        for k in range(record.starts[i], record.starts[i + 1]):
            played[i] += record.met[k]
            if record.opponent[k] < i:
                opponent[end], met[end] = record.opponent[k], record.met[k]
                end += 1
        starts[i + 1] = end
    return Meetings(starts, opponent, met, played)


@kernel
def solve_block(meetings: Meetings, weight: float, ridge: float, right: Floats, x: Floats) -> int:
    """Solve (weight x'x + ridge I) s = right for s, from what `x` holds, into `x`; returns the number of steps.

    Conjugate gradients, scaled by the diagonal. Results do not tell the mean of all skills: it would be found last, and
    is solved for beforehand and kept out of all directions (deflation: Nicolaides 1987).
    """
    n = len(x)
    rest, direction, image = np.empty(n), np.empty(n), np.empty(n)
    inverse = 1.0 / (weight * meetings.played + ridge)
    _apply(meetings, weight, ridge, x, image)
    mean = 0.0
    for i in range(n):
        rest[i] = right[i] - image[i]
        mean += rest[i]
    mean /= n
    size = middle = 0.0
    for i in range(n):
        x[i] += mean / ridge
        rest[i] -= mean
        direction[i] = rest[i] * inverse[i]
        size += rest[i] * direction[i]
        middle += direction[i]
    direction -= middle / n
    # a draw has about this size in every direction, so the error is in units of its SD
    enough = min(n * _CG_ERROR**2, _CG_TOTAL)
    steps = 0
    while size > enough and steps < _MOST_STEPS:
        step = size / _apply(meetings, weight, ridge, direction, image)
        new = middle = 0.0
        for i in range(n):
            x[i] += step * direction[i]
            rest[i] -= step * image[i]
            image[i] = rest[i] * inverse[i]
            new += rest[i] * image[i]
            middle += image[i]
        growth, middle = new / size, middle / n
        for i in range(n):
            direction[i] = image[i] - middle + growth * direction[i]
        size = new
        steps += 1
    return steps


@register_jitable
def _apply(meetings: Meetings, weight: float, ridge: float, x: Floats, image: Floats) -> float:
    """Q x into `image`, with Q = weight x'x + ridge I; returns x'Q x."""
    starts, opponent, met = meetings.starts, meetings.opponent, meetings.met
    for i in range(len(x)):
        here, own = x[i], 0.0
        for k in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
            j = np.uint32(opponent[k])
            part = met[k] * (here - x[j])
            own += part
            image[j] -= part
        image[i] = own
    size = 0.0
    for i in range(len(x)):
        image[i] = weight * image[i] + ridge * x[i]
        size += x[i] * image[i]
    return size
