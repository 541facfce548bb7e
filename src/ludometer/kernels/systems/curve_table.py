"""A win probability function as a table: values at equal distances, between them the cubic with the right slopes.

`knots` is (n, 2): the value at low + i step, and the slope there times the step; `per_step` is 1 / step. Ratings may be
in any unit as long as `low` and `step` are in the same one. Beyond its ends a table is constant.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Floats
from ludometer.kernels.runtime.compile import JIT, kernel


@register_jitable
def look_up(knots, low, per_step, x):  # type: ignore[no-untyped-def]  # Numba infers the types
    """The value at one x: for use inside kernels."""
    position = (x - low) * per_step
    last = len(knots) - 1
    # written so that NaN reads the first knot, not memory outside the table
    if not position > 0.0:
        return knots[0, 0]
    if position >= last:
        return knots[last, 0]
    i = np.uint32(position)
    t = position - i
    rise = knots[i + 1, 0] - knots[i, 0]
    bend = knots[i, 1] - rise, rise - knots[i + 1, 1]
    return knots[i, 0] + t * (rise + (1.0 - t) * ((1.0 - t) * bend[0] + t * bend[1]))


@register_jitable
def look_up_slope(knots, low, per_step, x):  # type: ignore[no-untyped-def]  # Numba infers the types
    """The slope at one x, that of the cubic: 0 beyond the ends."""
    position = (x - low) * per_step
    last = len(knots) - 1
    if not 0.0 <= position <= last:
        return 0.0
    i = np.uint32(min(position, last - 1.0))
    t = position - i
    rise = knots[i + 1, 0] - knots[i, 0]
    bend = knots[i, 1] - rise, rise - knots[i + 1, 1]
    return per_step * (rise + (1.0 - t) * (1.0 - 3.0 * t) * bend[0] + t * (2.0 - 3.0 * t) * bend[1])


def read_table_plain(knots: Floats, low: float, per_step: float, x: Floats) -> Floats:
    """The plain twin of `read_table`, by Hermite's four polynomials."""
    position = np.clip((x - low) * per_step, 0, len(knots) - 1)
    i = np.minimum(position.astype(np.int64), len(knots) - 2)
    t = position - i
    (left, rise), (right, end) = knots[i].T, knots[i + 1].T
    return np.asarray(
        (2 * t**3 - 3 * t**2 + 1) * left
        + (t**3 - 2 * t**2 + t) * rise
        + (3 * t**2 - 2 * t**3) * right
        + (t**3 - t**2) * end
    )


def read_table(knots: Floats, low: float, per_step: float, x: Floats) -> Floats:
    """The values at many x.

    >>> line = np.array([[0.0, 0.5], [0.5, 0.5], [1.0, 0.5]])
    >>> read_table(line, -1.0, 1.0, np.array([-9.0, -0.5, 0.0, 0.25, 9.0])).tolist()
    [0.0, 0.25, 0.5, 0.625, 1.0]
    """
    values = np.ascontiguousarray(x, np.float64)
    read = _read_table if JIT else read_table_plain
    return read(knots, float(low), float(per_step), values.ravel()).reshape(values.shape)


@kernel
def _read_table(knots: Floats, low: float, per_step: float, x: Floats) -> Floats:
    values = np.empty(len(x))
    for t in range(len(x)):
        values[t] = look_up(knots, low, per_step, x[t])
    return values
