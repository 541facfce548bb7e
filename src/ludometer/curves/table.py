"""Curves as tables, for kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.curves.curve import UNITS, Curve, natural_unit
from ludometer.errors import LudometerError
from ludometer.scale import ELO


@dataclass(frozen=True, eq=False)
class CurveTable:
    """A curve as a table for kernels: uniform, with slopes, between them the cubic; constant beyond its ends."""

    knots: Floats
    """(n, 2): values, and slopes times the step."""
    low: float
    step: float
    error: float
    """The largest difference from the curve that was met."""
    name: str
    parameters: dict[str, Any]

    @property
    def natural(self) -> tuple[Floats, float, float]:
        """(knots, low, per_step) for `look_up` in kernels that hold ratings in natural units."""
        return self.knots, self.low / ELO, ELO / self.step

    @property
    def elo(self) -> tuple[Floats, float, float]:
        """(knots, low, per_step) for `look_up` in kernels that hold ratings in Elo points."""
        return self.knots, self.low, 1 / self.step

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        from ludometer.kernels.curve_table import read_table

        return read_table(*self.elo, np.asarray(x))


def tabulate(curve: Curve, *, tolerance: float = 1e-10) -> CurveTable:
    """A table of a curve that is nowhere further from it than the tolerance; it has a knot at 0.

    >>> from ludometer.curves import Logistic
    >>> table = tabulate(Logistic())
    >>> x = np.linspace(-5000, 5000, 9999)
    >>> bool(np.abs(table(x) - Logistic()(x)).max() < 1e-9)
    True
    """
    if not tolerance >= 1e-13:
        raise LudometerError(f"the tolerance must be at least 1e-13, not {tolerance}")
    unit = natural_unit(curve)
    grid: Floats = unit * np.arange(1, UNITS + 1, dtype=np.float64)
    ends = curve(np.array([-grid[-1], grid[-1]]))
    left_over = np.maximum(np.abs(curve(-grid) - ends[0]), np.abs(ends[1] - curve(grid)))
    reach = float(grid[np.argmax(left_over < tolerance / 4)])
    for power in range(7, 18):
        half = 1 << power
        step = reach / half
        x: Floats = step * np.arange(-half, half + 1, dtype=np.float64)
        table = CurveTable(
            np.column_stack((curve(x), step * curve.slope(x))), -reach, step, 0.0, curve.name, curve.parameters
        )
        between = (x[:-1] + step * np.array([[0.25], [0.5], [0.75]])).ravel()
        error = float(np.abs(table(between) - curve(between)).max())
        if error <= tolerance / 2:
            return replace(table, error=max(error, float(left_over[left_over < tolerance / 4].max())))
    raise LudometerError(f"the curve {curve.name} is not smooth enough for a table: it misses by {error:.2g}")
