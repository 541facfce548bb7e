"""The curves, and `make_curve` by name: logistic, timesharing, normal, bounded, and Stob's (Smith 1994, section 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np

from ludometer.arrays import Floats
from ludometer.curves.curve import ELO_SLOPE, Curve, check_positive, check_probabilities, invert
from ludometer.errors import LudometerError
from ludometer.scale import ELO


@dataclass(frozen=True)
class Logistic:
    """1 / (1 + exp(-x / points_per_unit)): Zermelo, Bradley and Terry, Elo today; games of wrong moves (eq. 24).

    >>> Logistic()(np.array([0.0, 400.0])).round(3).tolist()
    [0.5, 0.909]
    """

    points_per_unit: float = ELO
    name: ClassVar[str] = "logistic"

    def __post_init__(self) -> None:
        check_positive("points_per_unit", self.points_per_unit)

    @property
    def parameters(self) -> dict[str, Any]:
        """The points in which odds grow by a factor e."""
        return {"points_per_unit": self.points_per_unit}

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-np.asarray(x) / self.points_per_unit)))

    def slope(self, x: Floats) -> Floats:
        """p (1 - p) / points_per_unit."""
        return self(x) * self(-np.asarray(x)) / self.points_per_unit

    def inverse(self, p: Floats) -> Floats:
        """The log-odds, in points."""
        chance = check_probabilities(p)
        with np.errstate(divide="ignore"):
            return np.asarray(self.points_per_unit * (np.log(chance) - np.log1p(-chance)))

    def with_slope(self, slope: float) -> Logistic:
        """The same curve with this slope at 0."""
        return Logistic(1 / (4 * check_positive("slope", slope)))


@dataclass(frozen=True)
class Timesharing:
    """1/2 [1 + sign(x) (1 - 2^(-|x| / halving))]: the better is now out of reach, now level (theorem 4).

    From 1 - wp(x + y) = 2 (1 - wp(x)) (1 - wp(y)), x, y > 0. The weaker's chance halves every `halving` points.

    >>> Timesharing(halving=200)(np.array([-400.0, 0.0, 200.0])).tolist()
    [0.125, 0.5, 0.75]
    """

    halving: float = math.log(2) / (2 * ELO_SLOPE)
    name: ClassVar[str] = "timesharing"

    def __post_init__(self) -> None:
        check_positive("halving", self.halving)

    @property
    def parameters(self) -> dict[str, Any]:
        """The points in which the weaker's chance halves."""
        return {"halving": self.halving}

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        weaker: Floats = 0.5 * np.exp2(-np.abs(x) / self.halving)
        return np.asarray(np.where(np.asarray(x) < 0, weaker, 1 - weaker))

    def slope(self, x: Floats) -> Floats:
        """Exponential on both sides."""
        return np.asarray(0.5 * math.log(2) / self.halving * np.exp2(-np.abs(x) / self.halving))

    def inverse(self, p: Floats) -> Floats:
        """How often the weaker's chance was halved."""
        chance = check_probabilities(p)
        with np.errstate(divide="ignore"):
            distance = -self.halving * np.log2(2 * np.minimum(chance, 1 - chance))
        return np.asarray(np.where(chance < 0.5, -distance, distance))

    def with_slope(self, slope: float) -> Timesharing:
        """The same curve with this slope at 0."""
        return Timesharing(math.log(2) / (2 * check_positive("slope", slope)))


@dataclass(frozen=True)
class Normal:
    """Phi(x / (root 2 sd)): both perform normally with this SD (Thurstone, Mosteller; Elo's own, with an SD of 200).

    >>> Normal(sd=200)(np.array([-200.0, 0.0, 200.0])).round(3).tolist()
    [0.24, 0.5, 0.76]
    """

    sd: float = 1 / (2 * math.sqrt(math.pi) * ELO_SLOPE)
    name: ClassVar[str] = "normal"

    def __post_init__(self) -> None:
        check_positive("sd", self.sd)

    @property
    def parameters(self) -> dict[str, Any]:
        """The SD of one performance."""
        return {"sd": self.sd}

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        from scipy.special import ndtr

        return np.asarray(ndtr(np.asarray(x) / (math.sqrt(2) * self.sd)))

    def slope(self, x: Floats) -> Floats:
        """The normal density."""
        z = np.asarray(x) / (math.sqrt(2) * self.sd)
        return np.asarray(np.exp(-0.5 * z * z) / (2 * math.sqrt(math.pi) * self.sd))

    def inverse(self, p: Floats) -> Floats:
        """The normal quantile."""
        from scipy.special import ndtri

        return np.asarray(math.sqrt(2) * self.sd * ndtri(check_probabilities(p)))

    def with_slope(self, slope: float) -> Normal:
        """The same curve with this slope at 0."""
        return Normal(1 / (2 * math.sqrt(math.pi) * check_positive("slope", slope)))


@dataclass(frozen=True)
class Bounded:
    """floor + (ceiling - floor) curve(x): in such games even perfect play loses, and the worst wins now and then.

    Smith 1994, footnotes 4 and 7; with ceiling = 1 - floor, which is taken where none is given, it is Duersch et al.
    2020, footnote 34, for a game of which the share ceiling - floor is played. Another ceiling favours one seat.

    >>> from ludometer.curves import Logistic
    >>> Bounded(Logistic(), floor=0.1)(np.array([-4000.0, 0.0, 4000.0])).round(3).tolist()
    [0.1, 0.5, 0.9]
    """

    curve: Curve
    floor: float = 0.0
    ceiling: float = math.nan

    def __post_init__(self) -> None:
        if math.isnan(self.ceiling):
            object.__setattr__(self, "ceiling", 1 - self.floor)
        if not 0 <= self.floor < self.ceiling <= 1:
            raise LudometerError(
                f"floor and ceiling must be chances, the floor below the ceiling: not {self.floor} and {self.ceiling}"
            )

    @property
    def name(self) -> str:
        """That of the curve, and that it is bounded."""
        return f"bounded {self.curve.name}"

    @property
    def parameters(self) -> dict[str, Any]:
        """The bounds, and those of the curve."""
        return {"floor": self.floor, "ceiling": self.ceiling} | self.curve.parameters

    def __call__(self, x: Floats) -> Floats:
        """The chance of a player who is x points better."""
        return self.floor + (self.ceiling - self.floor) * self.curve(x)

    def slope(self, x: Floats) -> Floats:
        """Less steep than the curve by what the bounds take."""
        return (self.ceiling - self.floor) * self.curve.slope(x)

    def inverse(self, p: Floats) -> Floats:
        """The difference at which the chance is p: infinite at the bounds, none beyond."""
        chance = check_probabilities(p)
        if ((chance < self.floor) | (chance > self.ceiling)).any():
            raise LudometerError(f"no difference gives a chance below {self.floor:g} or above {self.ceiling:g}")
        return self.curve.inverse(np.clip((chance - self.floor) / (self.ceiling - self.floor), 0, 1))

    def with_slope(self, slope: float) -> Bounded:
        """The same bounds, the curve between them stretched to this slope at 0."""
        return replace(self, curve=self.curve.with_slope(slope / (self.ceiling - self.floor)))


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
