"""What a win probability function is, and what can be asked of any."""

from __future__ import annotations

import math
from typing import Any, Protocol, Self

import numpy as np

from ludometer.arrays import Array, Floats
from ludometer.errors import LudometerError
from ludometer.scale import ELO

ELO_SLOPE = 1 / (4 * ELO)
"""How much a point between equals adds to the chance to win on Elo's curve: 0.00144."""

UNITS = 64
"""How far a curve is looked at, in units in which its slope at 0 is 1/4: Elo's curve has come to 1e-28 there."""


class Curve(Protocol):
    """A win probability function of a rating difference in Elo points."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def parameters(self) -> dict[str, Any]:
        """Its numbers, by name."""
        ...

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        ...

    def slope(self, x: Floats) -> Floats:
        """How much the chance grows with a point."""
        ...

    def inverse(self, p: Floats) -> Floats:
        """The difference at which the chance is p: infinite at 0 and 1."""
        ...

    def with_slope(self, slope: float) -> Self:
        """The same curve, stretched to this slope at 0."""
        ...


def natural_unit(curve: Curve) -> float:
    """The points in which a curve of this slope at 0 would multiply the odds by e, were it logistic."""
    slope = float(curve.slope(np.array(0.0)))
    if not (math.isfinite(slope) and slope > 0):
        raise LudometerError(f"the curve {curve.name} does not rise at 0: its slope there is {slope:g}")
    return 1 / (4 * slope)


def invert(curve: Curve, p: Floats | Array) -> Floats:
    """The differences at which a curve with wp(x) + wp(-x) = 1 has these values, by a search.

    >>> from ludometer.curves import Logistic
    >>> invert(Logistic(), np.array([0.5, 1 / 11])).round(6).tolist()
    [0.0, -400.0]
    """
    from scipy.optimize.elementwise import find_root

    chance = check_probabilities(p)
    weaker = np.minimum(chance, 1 - chance)
    # exactly 0 and 1/2 are known, and no search is started for them
    sought = np.where((weaker > 0) & (weaker < 0.5), weaker, 0.25)
    far = np.full(sought.shape, natural_unit(curve))
    while (short := curve(-far) > sought).any():
        if far.max() > 16 * UNITS * natural_unit(curve):
            raise LudometerError(f"the curve {curve.name} never comes down to {sought[short].min():g}")
        far = np.where(short, 2 * far, far)

    def miss(x: Floats, q: Floats) -> Floats:
        return np.asarray(np.log(np.maximum(curve(x), 5e-324)) - np.log(q))

    found = find_root(miss, (-far, np.zeros_like(far)), args=(sought,), tolerances={"xrtol": 1e-15, "xatol": 0})
    x = np.where(weaker == 0, -np.inf, np.where(weaker == 0.5, 0.0, np.asarray(found.x)))
    return np.where(chance > 0.5, -x, x)


def check_probabilities(p: Floats | Array) -> Floats:
    """Refuse what is no probability."""
    chance = np.asarray(p, np.float64)
    if not ((chance >= 0) & (chance <= 1)).all():
        raise LudometerError("a chance must be from 0 to 1")
    return chance


def check_positive(name: str, value: float) -> float:
    """Refuse what is no scale."""
    if not (math.isfinite(value) and value > 0):
        raise LudometerError(f"{name} must be a number above 0, not {value}")
    return value
