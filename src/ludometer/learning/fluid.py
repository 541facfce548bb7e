"""The fluid equation: how fast players of each rating learn, and the steady distribution of ratings that follows.

In a steady state with death rate D(x), learning rate L(x) and entrants of density p_in(x) the ratings have the density
p with (L p)' = p_in - D p (Smith 1994, section 5.1). Equation 99 there has a plus before the flow term (L p)', which
would let players flow downhill; its solution, equation 100, has the correct sign, as here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.scale import ELO


def solve_density(rating: Floats, learning: Floats, death: Floats | float, *, entrants: Floats | None = None) -> Floats:
    """The steady density of ratings on a grid, of area 1, for these learning and death rates.

    `entrants` is a density on the same grid. Without it everybody begins at its first point: p = c / L exp(-int D / L)
    (eq. 53); with it p = 1 / L exp(-int D / L) int exp(int D / L) p_in (eq. 100), by steps that cannot overflow.

    >>> grid = np.linspace(0, 5, 1001)
    >>> density = solve_density(grid, np.exp(-grid), 0.5)
    >>> bool(abs(density - LearningModel(c8=0.5, scale=1).density(grid)).max() < 1e-5)
    True
    """
    speed, loss = _check(rating, learning, death)
    if (speed <= 0).any():
        raise LudometerError("learning rates must be above 0: a rating that nobody leaves has no density")
    ratio = loss / speed
    if entrants is None:
        density = np.exp(-_integrate(ratio, rating)) / speed
    else:
        density = _flow(rating, ratio, np.asarray(entrants, np.float64)) / speed
    return np.asarray(density / _integrate(density, rating)[-1])


def solve_learning(rating: Floats, density: Floats, death: Floats | float, *, entrants: Floats | None = None) -> Floats:
    """The learning rate on a grid, from the density of ratings: L = 1 / p int_x^inf D p (eq. 54).

    With entrants L = 1 / p int_x^inf (D p - p_in), as many entering as dying. NaN where the density is 0.

    >>> grid = np.linspace(0, 5, 1001)
    >>> learning = solve_learning(grid, LearningModel(c8=0.5, scale=1).density(grid), 0.5)
    >>> learning[[0, 200]].round(4).tolist()
    [1.0, 0.3679]
    """
    p, loss = _check(rating, density, death)
    rate = loss * p
    if entrants is not None:
        joined = np.asarray(entrants, np.float64)
        rate = rate - joined * (_integrate(rate, rating)[-1] / _integrate(joined, rating)[-1])
    # summed from above, where the numbers are small: differences from the total would lose them
    above = -_integrate(rate[::-1], rating[::-1])[::-1]
    return np.divide(above, p, out=np.full_like(p, np.nan), where=p > 0)


def solve_curve(rating: Floats, learning: Floats, time: Floats) -> Floats:
    """The rating over time of a player who begins at the grid's first point and learns at the rates of the grid.

    The inverse of t = int dx / L (eq. 56); times beyond the end of the grid give its last rating.

    >>> grid = np.linspace(0, 5, 2001)
    >>> solve_curve(grid, np.exp(-grid), np.array([0.0, np.e - 1])).round(4).tolist()
    [0.0, 1.0]
    """
    speed, _ = _check(rating, learning, 0.0)
    if (speed <= 0).any():
        raise LudometerError("learning rates must be above 0")
    return np.interp(time, _integrate(1 / speed, rating), rating)


@dataclass(frozen=True)
class LearningModel:
    """L(R) = c7 e^-R: each step is harder by the same factor (Smith 1994, equations 59 to 61).

    R = (rating - origin) / scale. With a constant death rate D and c8 = D / c7 the density is
    c8 exp(c8 + R - c8 e^R), R > 0: a Gumbel density for minima, truncated at the origin. `scale` is in Elo points.
    """

    c8: float
    origin: float = 0.0
    scale: float = ELO

    def density(self, rating: Floats) -> Floats:
        """The density of ratings (eq. 60)."""
        return np.exp(self.log_density(rating))

    def log_density(self, rating: Floats) -> Floats:
        """Its logarithm, minus infinity below the origin."""
        x = (np.asarray(rating, np.float64) - self.origin) / self.scale
        inside = math.log(self.c8 / self.scale) + self.c8 + x - self.c8 * np.exp(np.minimum(x, 700.0))
        return np.where(x >= 0, inside, -np.inf)

    def learning(self, rating: Floats, *, death: float = 1.0) -> Floats:
        """L in Elo points per unit of time, with D per unit of time; with D = 1 it is L / D."""
        x = (np.asarray(rating, np.float64) - self.origin) / self.scale
        return np.asarray(death * self.scale / self.c8 * np.exp(-x))

    def curve(self, time: Floats, *, death: float = 1.0) -> Floats:
        """The rating after this time: origin + scale log(1 + c7 t) (eq. 61)."""
        return np.asarray(self.origin + self.scale * np.log1p(death / self.c8 * np.asarray(time)))


@dataclass(frozen=True)
class BoundedModel:
    """L(R) = c9 (R_max - R): there is a best possible rating (Smith 1994, equations 62 to 64).

    With power = D / c9 the density is power (top - x)^(power - 1) / (top - origin)^power from origin to top. The paper
    means it for the upper tail; applied everywhere, the density falls or rises all the way. (The paper's own postulates
    with a best move probability below 1 give a square of R_max - R near the top, not the straight line of eq. 62.)
    """

    power: float
    top: float
    origin: float = 0.0

    def density(self, rating: Floats) -> Floats:
        """The density of ratings."""
        return np.exp(self.log_density(rating))

    def log_density(self, rating: Floats) -> Floats:
        """Its logarithm, minus infinity outside."""
        x = np.asarray(rating, np.float64)
        inside = (x >= self.origin) & (x < self.top)
        share = np.where(inside, (self.top - x) / (self.top - self.origin), 1.0)
        density = math.log(self.power / (self.top - self.origin)) + (self.power - 1) * np.log(share)
        return np.where(inside, density, -np.inf)

    def learning(self, rating: Floats, *, death: float = 1.0) -> Floats:
        """L in Elo points per unit of time; with D = 1 it is L / D."""
        return np.asarray(death / self.power * np.maximum(self.top - np.asarray(rating, np.float64), 0.0))

    def curve(self, time: Floats, *, death: float = 1.0) -> Floats:
        """The rating after this time: from the origin to the top, the distance falling as e^(-c9 t) (eq. 63)."""
        return np.asarray(self.top - (self.top - self.origin) * np.exp(-death / self.power * np.asarray(time)))


def _check(rating: Floats, values: Floats, death: Floats | float) -> tuple[Floats, Floats]:
    grid, given = np.asarray(rating, np.float64), np.asarray(values, np.float64)
    loss = np.broadcast_to(np.asarray(death, np.float64), grid.shape)
    if grid.ndim != 1 or len(grid) < 3 or given.shape != grid.shape:
        raise LudometerError("give a grid of at least three ratings, and one value for each")
    if not (np.diff(grid) > 0).all():
        raise LudometerError("the ratings of the grid must increase")
    if not np.isfinite(given).all() or (given < 0).any() or not np.isfinite(loss).all() or (loss < 0).any():
        raise LudometerError("densities, learning and death rates must be numbers from 0 up")
    return given, loss


def _integrate(values: Floats, rating: Floats) -> Floats:
    """The integral up to each point of the grid, by Simpson's rule."""
    from scipy.integrate import cumulative_simpson

    if rating[0] > rating[-1]:
        # the rule needs a rising grid
        return -_integrate(values, -rating)
    return np.asarray(cumulative_simpson(values, x=rating, initial=0.0))


def _flow(rating: Floats, ratio: Floats, entrants: Floats) -> Floats:
    """L p from F' = p_in - (D / L) F, step by step; p_in and D / L are linear between points."""
    step = np.diff(rating)
    gone = np.diff(_integrate(ratio, rating))
    stay = np.exp(-gone)
    # int_0^1 exp(-gone (1 - u)) du and the same with u: the share that remains of those who enter during a step
    small = gone < 1e-4
    safe = np.where(small, 1.0, gone)
    whole = np.where(small, 1 - gone / 2 + gone**2 / 6, -np.expm1(-safe) / safe)
    late = np.where(small, 0.5 - gone / 6 + gone**2 / 24, (1 - whole) / safe)
    joined = step * (entrants[:-1] * (whole - late) + entrants[1:] * late)
    flow = np.zeros(len(rating))
    for k in range(len(step)):
        flow[k + 1] = flow[k] * stay[k] + joined[k]
    return flow
