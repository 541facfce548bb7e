"""What a curve has of what a win probability function should have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.curves.curve import UNITS, Curve, natural_unit

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class CurveCheck:
    """What a curve has of what a win probability function should have (Smith 1994, eqs. 13-17)."""

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
        """From 0 to 1: whoever is good enough always wins."""
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
                f"from {self.lower:.3g} to {self.upper:.3g}, at most {self.max_slope:.3g} a point",
                f"wp(x) + wp(-x) {'is 1' if self.symmetric else f'is off 1 by up to {self.asymmetry:.3g}'}",
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
