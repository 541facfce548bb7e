"""Curves by name."""

from __future__ import annotations

from ludometer.curves.bounded import Bounded
from ludometer.curves.curve import ELO_SLOPE, Curve
from ludometer.curves.forms import Logistic, Normal, Timesharing
from ludometer.curves.stob import Stob
from ludometer.errors import LudometerError

CURVES: dict[str, type[Logistic | Timesharing | Normal | Stob]] = {
    curve.name: curve for curve in (Logistic, Timesharing, Normal, Stob)
}
"""The curves that can be asked for by name."""


def make_curve(name: str, *, slope: float = ELO_SLOPE, floor: float = 0.0) -> Curve:
    """A curve by its name, with this slope at 0, and a floor if wanted.

    >>> import numpy as np
    >>> make_curve("normal").name, round(float(make_curve("stob", floor=0.1)(np.array(9e9))), 3)
    ('normal', 0.9)
    """
    if name not in CURVES:
        raise LudometerError(f"no curve is called {name!r}; there are: {', '.join(CURVES)}")
    curve: Curve = CURVES[name]()
    return (Bounded(curve, floor) if floor else curve).with_slope(slope)
