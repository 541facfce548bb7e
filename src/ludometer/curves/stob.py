"""The curves that points and matches of the first to n points share (Smith 1994, section 3.7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from ludometer.arrays import Floats
from ludometer.curves.curve import ELO_SLOPE, check_positive, invert
from ludometer.errors import LudometerError

_TERMS = 14
_SMALL = 0.125
"""Where the series, in units of 1 / steepness, is exact to rounding with so many terms."""


@dataclass(frozen=True)
class Stob:
    """The curve that points and matches of the first to `points` points share, but for the scale (eqs. 37-41).

    wp(kappa x) = F(wp(x)), F the chance in a match: p^2 (3 - 2 p) and kappa 3/2 for two points. The series around 0 is
    1/2 + a x - 16/15 a^3 x^3 + 1024/975 a^5 x^5 - 65536/77805 a^7 x^7 + ..., a the `steepness`; where x is not small
    the equation makes it so. ln wp(-x) falls like x^(log 2 / log 1.5): between logistic and normal.

    >>> p, match = Stob()(np.array([200.0, 300.0]))
    >>> round(float(p), 4), round(float(match), 4), round(float(p**2 * (3 - 2 * p)), 4)
    (0.7643, 0.8596, 0.8596)
    """

    steepness: float = ELO_SLOPE
    points: int = 2
    name: ClassVar[str] = "stob"

    def __post_init__(self) -> None:
        check_positive("steepness", self.steepness)
        if not 2 <= self.points <= 25:
            raise LudometerError(f"a match needs from 2 to 25 points, not {self.points}")

    @property
    def parameters(self) -> dict[str, Any]:
        """The slope at 0, and the points that win a match."""
        return {"steepness": self.steepness, "points": self.points}

    @property
    def stretch(self) -> float:
        """Kappa: how much wider apart in a match two players are than in a point."""
        return self._density_factor / float(4 ** (self.points - 1))

    @property
    def tail_exponent(self) -> float:
        """Log n / log kappa: the power of x with which ln wp(-x) falls (eq. 41); 1 would be an exponential tail."""
        return math.log(self.points) / math.log(self.stretch)

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        weaker = self._weaker(x)[0]
        return np.where(np.asarray(x) < 0, weaker, 1 - weaker)

    def slope(self, x: Floats) -> Floats:
        """By the equation, differentiated: kappa wp'(kappa x) = F'(wp(x)) wp'(x)."""
        return self._weaker(x)[1] * self.steepness

    def inverse(self, p: Floats) -> Floats:
        """By a search."""
        return invert(self, p)

    def with_slope(self, slope: float) -> Stob:
        """The same curve with this slope at 0."""
        return Stob(check_positive("slope", slope), self.points)

    def win_match(self, p: Floats) -> Floats:
        """F(p): the chance to be the first with so many points (eq. 36)."""
        n = self.points
        lost = sum(math.comb(n - 1 + j, j) * (1 - np.asarray(p)) ** j for j in range(n))
        return np.asarray(np.asarray(p) ** n * lost)

    @property
    def _density_factor(self) -> int:
        # 1 / B(n, n): F' is the density of the middle one of 2 n - 1 uniform numbers
        return self.points * math.comb(2 * self.points - 1, self.points)

    def _weaker(self, x: Floats) -> tuple[Floats, Floats]:
        """The chance of the weaker, which keeps its digits however small, and the slope over that at 0."""
        z = np.minimum(np.abs(np.asarray(x, np.float64)) * self.steepness, 1e6)
        with np.errstate(divide="ignore"):
            times = np.maximum(np.ceil(np.log(z / _SMALL) / math.log(self.stretch)), 0).astype(np.int64)
        z = z / self.stretch**times
        series = _stob_series(self.points)
        square = z * z
        p = 0.5 - z * np.polynomial.polynomial.polyval(square, series)
        slope = np.polynomial.polynomial.polyval(square, series * (2 * np.arange(_TERMS) + 1))
        for step in range(int(times.max(initial=0))):
            density = self._density_factor * (p * (1 - p)) ** (self.points - 1)
            slope = np.where(times > step, slope * density / self.stretch, slope)
            p = np.where(times > step, self.win_match(p), p)
        return p, slope


@cache
def _stob_series(points: int) -> Floats:
    """The coefficients of a x, (a x)^3, ...: kappa^(2 k + 1) c_k = those of F(1/2 + f) - 1/2, one after the other.

    F' = (1/4 - f^2)^(n - 1) / B(n, n), so F is odd in f: a_0 f + a_1 f^3 + ..., a_0 being kappa.
    """
    n = points
    factor = n * math.comb(2 * n - 1, n)
    odd = [factor * math.comb(n - 1, j) * (-1) ** j / 4 ** (n - 1 - j) / (2 * j + 1) for j in range(n)]
    series = np.zeros(_TERMS)
    series[0] = 1.0
    for k in range(1, _TERMS):
        power, total = series[:k], 0.0
        square = np.convolve(power, power)[:k]
        for j in range(1, min(k, n - 1) + 1):
            power = np.convolve(power, square)[:k]
            total += odd[j] * power[k - j]
        series[k] = total / (odd[0] ** (2 * k + 1) - odd[0])
    return series
