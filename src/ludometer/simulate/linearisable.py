"""Can a win probability of two strengths be written as a function of a difference, g(f(x) - f(y))?

If h(x, y) = g(f(x) - f(y)), then -h_y / h_x = f'(y) / f'(x): as a function of y the same for each x but for a factor
(Smith 1994, theorem 2, eqs. 6-8). Ratios of homogeneous polynomials of one degree can (theorem 3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Array, Floats
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    import polars as pl

WinProbability = Callable[[Floats, Floats], Floats]
"""h(x, y), or a derivative of it, for arrays."""

_NOISE = 1e-6
"""A larger gap is not the error of the differences that stand for derivatives."""


@dataclass(frozen=True, eq=False)
class Linearisation:
    """How far a win probability is from the form g(f(x) - f(y)), and f, if there is one."""

    gap: float
    """The largest error of ln(-h_y / h_x) = a(y) - a(x), in units of the logarithm; 0 if it is of the form."""
    strength: Floats
    rating: Floats
    """f at these strengths, from 0 up, f' being 1 in the middle."""

    @property
    def linearisable(self) -> bool:
        """Whether the gap is no more than rounding and differences explain."""
        return self.gap < _NOISE

    def to_frame(self) -> pl.DataFrame:
        """Strengths and ratings."""
        import polars as pl

        return pl.DataFrame({"strength": self.strength, "rating": self.rating})

    def summary(self) -> str:
        """One line."""
        verdict = "a function of a difference of ratings" if self.linearisable else "not a function of any difference"
        return f"{verdict}: the criterion is off by {self.gap:.2g}"


def linearise(
    win: WinProbability,
    *,
    low: float,
    high: float,
    n_points: int = 65,
    slopes: tuple[WinProbability, WinProbability] | None = None,
) -> Linearisation:
    """Test whether win(x, y) is of the form g(f(x) - f(y)) for strengths from low to high, and find f.

    Derivatives are differences of fourth order, which look a little beyond both ends, or exact where `slopes`, by x and
    by y, are given.

    >>> linearise(lambda x, y: x / (x + y), low=0.5, high=4).linearisable
    True
    >>> bent = lambda x, y: 0.5 + np.arctan((x - y) * (1 + x**2 + y**2)) / np.pi
    >>> linearise(bent, low=-1, high=1).linearisable
    False
    """
    if not (low < high and n_points >= 5):
        raise LudometerError("strengths must go up from low to high, in 5 points or more")
    strength = np.linspace(low, high, n_points)
    by_x, by_y = slopes or _differences(win, (high - low) * 1e-3)
    x, y = strength[:, np.newaxis] + 0 * strength, strength + 0 * strength[:, np.newaxis]
    up, down = by_x(x, y), by_y(x, y)
    if not ((up > 0) & (down < 0)).all():
        raise LudometerError("a win probability has to rise with the first strength and fall with the second")
    ratio = np.log(-down) - np.log(up)
    # the a with the least squares: differences of a matrix that is a(y) - a(x) have means of exactly that
    steepness = 0.5 * (ratio.mean(axis=0) - ratio.mean(axis=1))
    gap = float(np.abs(ratio - (steepness - steepness[:, np.newaxis])).max())
    slope = np.exp(steepness - steepness[n_points // 2])
    return Linearisation(gap, strength, _integrate(slope, strength))


@dataclass(frozen=True, eq=False)
class TableLinearisation:
    """Ratings whose differences put the chances of a table in their order, or that there are none."""

    linearisable: bool
    margin: float
    """How far apart differences of different chances can be kept when ratings go from 0 to 1; 0 if they cannot."""
    rating: Floats


def linearise_table(win: Sequence[Sequence[float]] | Array, *, tolerance: float = 1e-12) -> TableLinearisation:
    """Exactly, for finitely many players: are there ratings with win[i][j] a rising function of their differences?

    Chances in order need differences in the same order, equal ones equal: a linear programme. What is not known is NaN,
    as the diagonal may be.

    >>> strength = np.array([1.0, 2.0, 4.0])
    >>> fit = linearise_table(strength[:, np.newaxis] / (strength[:, np.newaxis] + strength))
    >>> fit.linearisable, fit.rating.round(6).tolist()
    (True, [0.0, 0.5, 1.0])
    """
    from scipy.optimize import linprog

    table = np.asarray(win, np.float64)
    n = len(table)
    if table.shape != (n, n) or n < 2:
        raise LudometerError("a table of chances needs a row and a column for each of two players or more")
    i, j = np.nonzero(np.isfinite(table))
    order = np.argsort(table[i, j], kind="stable")
    i, j, chance = i[order], j[order], table[i, j][order]
    difference = np.zeros((len(i), n + 1))
    rows = np.arange(len(i))
    difference[rows, i] += 1
    difference[rows, j] -= 1
    steps, same = difference[:-1] - difference[1:], np.diff(chance) <= tolerance
    # unknowns: the ratings, and the least step between differences of different chances, which is made large
    steps[~same, n] = 1
    objective = np.zeros(n + 1)
    objective[n] = -1
    solved = linprog(
        objective,
        A_ub=steps[~same],
        b_ub=np.zeros(np.count_nonzero(~same)),
        A_eq=steps[same],
        b_eq=np.zeros(np.count_nonzero(same)),
        bounds=[(0, 1)] * n + [(0, 1)],
    )
    if solved.x is None or solved.x[n] <= 1e-9:
        return TableLinearisation(False, 0.0, np.full(n, np.nan))
    return TableLinearisation(True, float(solved.x[n]), np.asarray(solved.x[:n]))


@dataclass(frozen=True)
class HomogeneousRatio:
    """A ratio of two homogeneous polynomials of one degree d, by their coefficients of x^d, x^(d-1) y, ..., y^d.

    It is a function of x / y alone: linear in R = log x (theorem 3).

    >>> best_of_three = HomogeneousRatio((1, 3, 0, 0), (1, 3, 3, 1))
    >>> best_of_three(np.array(0.6), np.array(0.4)).round(3).item()
    0.648
    >>> best_of_three.of_difference(np.log(np.array(1.5))).round(3).item()
    0.648
    """

    numerator: tuple[float, ...]
    denominator: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.numerator) != len(self.denominator) or not self.numerator:
            raise LudometerError("both polynomials need the same degree")

    def __call__(self, x: Floats, y: Floats) -> Floats:
        """The ratio at two strengths."""
        top, bottom = (_homogeneous(c, np.asarray(x), np.asarray(y)) for c in (self.numerator, self.denominator))
        return np.asarray(top / bottom)

    def of_difference(self, difference: Floats) -> Floats:
        """g(R_1 - R_2): both polynomials divided by y^d."""
        return self(np.exp(difference), np.ones_like(difference))


def _homogeneous(coefficients: tuple[float, ...], x: Floats, y: Floats) -> Floats:
    degree = len(coefficients) - 1
    return np.asarray(sum(c * x ** (degree - k) * y**k for k, c in enumerate(coefficients)))


def _differences(win: WinProbability, step: float) -> tuple[WinProbability, WinProbability]:
    def by_x(x: Floats, y: Floats) -> Floats:
        near, far = (win(x + k * step, y) - win(x - k * step, y) for k in (1, 2))
        return np.asarray((8 * near - far) / (12 * step))

    def by_y(x: Floats, y: Floats) -> Floats:
        near, far = (win(x, y + k * step) - win(x, y - k * step) for k in (1, 2))
        return np.asarray((8 * near - far) / (12 * step))

    return by_x, by_y


def _integrate(slope: Floats, strength: Floats) -> Floats:
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(strength, slope).antiderivative()(strength))
