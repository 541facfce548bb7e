"""A rising line of straight pieces through noisy points with known errors, read forwards and backwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.errors import LudometerError

_MAX_PIECES = 3
_POINTS_PER_PIECE = 6
_LEAST_SLOPE = 1e-4
"""Points of d per point of rating: a line that does not rise cannot be inverted."""


@dataclass(frozen=True, eq=False)
class MonotoneFit:
    """`g(x) = b0 + sum b_k * (x beyond knot k, up to the next)`, all b_k above 0, with the covariance of b.

    `scatter` is the SD of the points around g beyond their own errors.
    """

    knots: Floats
    coefficient: Floats
    covariance: Floats
    scatter: float
    n_free: int
    """Points less coefficients that are not at their bound."""

    @property
    def n_pieces(self) -> int:
        """Straight pieces."""
        return len(self.knots) - 1

    def value(self, x: Floats) -> Floats:
        """g; straight beyond the outer knots."""
        return np.asarray(_design(np.asarray(x, np.float64), self.knots) @ self.coefficient)

    def error(self, x: Floats) -> Floats:
        """The standard error of g."""
        design = _design(np.asarray(x, np.float64), self.knots)
        return np.asarray(np.sqrt(np.einsum("ij,jk,ik->i", design, self.covariance, design)))

    def rise(self, low: float, high: float) -> tuple[float, float]:
        """g(high) - g(low) and its standard error."""
        row = np.subtract(*_design(np.array([high, low]), self.knots))
        return float(row @ self.coefficient), float(np.sqrt(row @ self.covariance @ row))

    def quantile(self, level: float) -> float:
        """Student's t of the free points."""
        from scipy.special import stdtrit

        return float(stdtrit(max(self.n_free, 1), (1 + level) / 2))

    def invert(self, y: float, low: float, high: float) -> float:
        """The x between low and high with g(x) = y."""
        from scipy.optimize import brentq

        ends = self.value(np.array([low, high])) - y
        if ends[0] >= 0 or ends[1] <= 0:
            return low if ends[0] >= 0 else high
        return float(brentq(lambda x: float(self.value(np.array([x]))[0]) - y, low, high, xtol=1e-9))

    def invert_interval(
        self, y: float, error: float, span: tuple[float, float], level: float
    ) -> tuple[float | None, float | None]:
        """All x for which y, measured with this error, is not too far from g(x); an end may be open.

        Ends are searched up to three times the span beyond it on either side, where g is straight.
        """
        reach = 3 * (span[1] - span[0])
        grid = np.linspace(span[0] - reach, span[1] + reach, 14_001)
        far = self.quantile(level) * np.sqrt(error**2 + self.scatter**2 + self.error(grid) ** 2)
        inside = np.flatnonzero(np.abs(y - self.value(grid)) <= far)
        if not len(inside):
            # the grid is finer than any interval of use: the estimate itself
            middle = self.invert(y, span[0], span[1])
            return middle, middle
        low, high = int(inside[0]), int(inside[-1])
        return float(grid[low]) if low > 0 else None, float(grid[high]) if high < len(grid) - 1 else None


def fit_monotone(x: Floats, y: Floats, error: Floats) -> MonotoneFit:
    """Fit y on x by weighted least squares with slopes above 0; scatter by likelihood; pieces by the corrected AIC.

    >>> x = np.linspace(0, 100, 30)
    >>> fit = fit_monotone(x, 3 + 0.5 * x, np.full(30, 0.1))
    >>> fit.value(np.array([50.0])).round(6).tolist(), round(fit.invert(28.0, 0, 100), 3)
    ([28.0], 50.0)
    """
    x, y, error = (np.asarray(column, np.float64) for column in (x, y, error))
    if len(x) < 4 or np.ptp(x) <= 0:
        raise LudometerError("a calibration needs units with different ratings")
    most = min(_MAX_PIECES, max(1, len(x) // _POINTS_PER_PIECE))
    fits = [_fit_pieces(x, y, error, pieces) for pieces in range(1, most + 1)]
    return min(fits, key=lambda entry: entry[0])[1]


def _fit_pieces(x: Floats, y: Floats, error: Floats, pieces: int) -> tuple[float, MonotoneFit]:
    from scipy.optimize import minimize_scalar

    knots = np.unique(np.quantile(x, np.linspace(0, 1, pieces + 1)))
    design = _design(x, knots)

    def loss(scatter: float) -> float:
        return _restricted_loss(design, y, error**2 + scatter**2)

    top = float(np.std(y)) + 1e-9
    found = minimize_scalar(loss, bounds=(0.0, 2 * top), method="bounded")
    scatter = 0.0 if loss(0.0) <= found.fun else float(found.x)
    variance = error**2 + scatter**2
    coefficient, free = _solve(design, y, variance)
    covariance = _covariance(design, variance)
    residual = y - design @ coefficient
    n, k = len(x), design.shape[1] + 1
    likelihood = -0.5 * float((residual**2 / variance + np.log(variance)).sum())
    criterion = 2 * k - 2 * likelihood + 2 * k * (k + 1) / max(n - k - 1, 1e-9)
    return criterion, MonotoneFit(knots, coefficient, covariance, scatter, n - int(free.sum()))


def _restricted_loss(design: Floats, y: Floats, variance: Floats) -> float:
    """Minus the restricted log likelihood: it allows for the coefficients that were fitted."""
    safe = np.maximum(variance, 1e-12)
    coefficient, free = _solve(design, y, safe)
    residual = y - design @ coefficient
    information = (design[:, free] / safe[:, None]).T @ design[:, free]
    return 0.5 * float((residual**2 / safe + np.log(safe)).sum() + np.linalg.slogdet(information)[1])


def _solve(design: Floats, y: Floats, variance: Floats) -> tuple[Floats, Mask]:
    from scipy.optimize import lsq_linear

    root = 1 / np.sqrt(np.maximum(variance, 1e-12))
    lower = np.full(design.shape[1], _LEAST_SLOPE)
    lower[0] = -np.inf
    plain = np.linalg.lstsq(design * root[:, None], y * root, rcond=None)[0]
    if (plain[1:] > lower[1:]).all():
        # as a rule no bound is active: then this is the solution, and much faster
        return np.asarray(plain), np.ones(len(plain), bool)
    found = lsq_linear(design * root[:, None], y * root, bounds=(lower, np.inf), method="bvls")
    free = np.asarray(found.x > lower + 1e-12)
    free[0] = True
    return np.asarray(found.x), free


def _covariance(design: Floats, variance: Floats) -> Floats:
    """Of all coefficients as if none were bounded: that one lies at its bound is not certain."""
    information = (design / np.maximum(variance, 1e-12)[:, None]).T @ design
    return np.asarray(np.linalg.pinv(information, hermitian=True))


def _design(x: Floats, knots: Floats) -> Floats:
    """A column of ones, then how far x lies in each piece; the outer pieces have no end."""
    low, high = knots[:-1].copy(), knots[1:].copy()
    low[0], high[-1] = -np.inf, np.inf
    part = np.clip(x[:, None], low, high) - knots[:-1]
    return np.column_stack((np.ones(len(x)), part))
