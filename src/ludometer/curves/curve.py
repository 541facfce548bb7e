"""What a win probability function is, how to check one, and its table for kernels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from ludometer.arrays import Array, Floats
from ludometer.errors import LudometerError
from ludometer.scale import ELO

if TYPE_CHECKING:
    import polars as pl

ELO_SLOPE = 1 / (4 * ELO)
"""How much a point between equals adds to the chance to win on Elo's curve: 0.00144."""

UNITS = 64
"""How far a curve is looked at, in units in which its slope at 0 is 1/4: Elo's curve has come to 1e-28 there."""


class Curve(Protocol):
    """A win probability function of a rating difference in Elo points."""

    @property
    def name(self) -> str:
        """The name that users write."""
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
            raise LudometerError(f"the curve {curve.name} never falls to {sought[short].min():g}")
        far = np.where(short, 2 * far, far)

    def miss(x: Floats, q: Floats) -> Floats:
        return np.asarray(np.log(np.maximum(curve(x), 5e-324)) - np.log(q))

    found = find_root(miss, (-far, np.zeros_like(far)), args=(sought,), tolerances={"xrtol": 1e-15, "xatol": 0})
    x = np.where(weaker == 0, -np.inf, np.where(weaker == 0.5, 0.0, np.asarray(found.x)))
    return np.where(chance > 0.5, -x, x)


def check_probabilities(p: Floats | Array) -> Floats:
    """Refuse numbers that are not probabilities."""
    chance = np.asarray(p, np.float64)
    if not ((chance >= 0) & (chance <= 1)).all():
        raise LudometerError("a chance must be from 0 to 1")
    return chance


def check_positive(name: str, value: float) -> float:
    """Refuse a scale that is not above 0."""
    if not (math.isfinite(value) and value > 0):
        raise LudometerError(f"{name} must be a number above 0, not {value}")
    return value


@dataclass(frozen=True)
class CurveCheck:
    """Which conditions of a win probability function a curve fulfils (Smith 1994, eqs. 13-17)."""

    curve: str
    increasing: bool
    lower: float
    """The chance at the far left end; the upper one at the right."""
    upper: float
    asymmetry: float
    """The largest |wp(x) + wp(-x) - 1|."""
    max_slope: float
    tail_exponent: float
    """ln(wp(-x) - lower) falls like this power of x: 1 is an exponential tail, 2 a normal one."""
    tail_rate: float
    """Q: how fast it falls with a point, far out."""

    @property
    def complete(self) -> bool:
        """From 0 to 1: a player who is good enough always wins."""
        return self.lower < 1e-9 and self.upper > 1 - 1e-9

    @property
    def symmetric(self) -> bool:
        """Both players are seen alike."""
        return self.asymmetry < 1e-9

    @property
    def exponential_tail(self) -> bool:
        """Whether it has the tail that games of moves lead to (eq. 17)."""
        return abs(self.tail_exponent - 1) < 0.05

    @property
    def largest_step(self) -> float:
        """2 / max wp': a rating system with a constant h below it lets errors shrink (1390 on Elo's curve)."""
        return 2 / self.max_slope

    def to_frame(self) -> pl.DataFrame:
        """One row."""
        import polars as pl

        return pl.DataFrame([vars(self)])

    def summary(self) -> str:
        """What holds and what does not, a line each."""
        tail = f"falls like exp(-c x^{self.tail_exponent:.3f})"
        return "\n".join(
            [
                f"{self.curve}: {'rises everywhere' if self.increasing else 'does not rise everywhere'}",
                f"from {self.lower:.3g} to {self.upper:.3g}, at most {self.max_slope:.3g} per point",
                f"wp(x) + wp(-x) {'is 1' if self.symmetric else f'differs from 1 by up to {self.asymmetry:.3g}'}",
                f"tail: {'exponential' if self.exponential_tail else 'not exponential'}, {tail}",
            ]
        )


def check_curve(curve: Curve) -> CurveCheck:
    """Look at a curve from end to end: does it rise, from 0 to 1, the same for both players, and how does it end?

    >>> from ludometer.curves import Logistic, Normal
    >>> check = check_curve(Logistic())
    >>> check.increasing, check.complete, check.symmetric, check.exponential_tail, round(check.largest_step)
    (True, True, True, True, 1390)
    >>> check_curve(Normal()).exponential_tail
    False
    """
    unit = natural_unit(curve)
    x = unit * np.linspace(-UNITS, UNITS, 128 * UNITS + 1)
    value, slope = curve(x), curve.slope(x)
    rise = np.diff(value)
    # rounding hides the rise where a curve is near its ends
    inside = np.minimum(value[1:] - value[0], value[-1] - value[:-1]) > 1e-11
    exponent, rate = _measure_tail(curve, unit, float(value[0]))
    return CurveCheck(
        curve=curve.name,
        increasing=bool((rise > -1e-14).all() and (rise[inside] > 0).all()),
        lower=float(value[0]),
        upper=float(value[-1]),
        asymmetry=float(np.abs(value + value[::-1] - 1).max()),
        max_slope=float(slope.max()),
        tail_exponent=exponent,
        tail_rate=rate,
    )


def _measure_tail(curve: Curve, unit: float, lower: float) -> tuple[float, float]:
    """The power a in ln(wp(-x) - lower) ~ -c x^a, from its slope at x and x / 2, and that slope at x."""
    x = unit * np.arange(8.0, UNITS / 2 + 1)
    above = curve(-x) - lower
    # far enough out to be a tail, near enough to have digits
    far = float(x[(above > 1e-9 * lower) & (above > 1e-290)].max(initial=x[0]))
    pair = np.array([-far / 2, -far])
    near, end = curve.slope(pair) / (curve(pair) - lower)
    return 1 + float(np.log2(end / near)), float(end)


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
        from ludometer.kernels.systems.curve_table import read_table

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
