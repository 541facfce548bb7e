"""The posterior of players' strengths: logistic results, a normal prior, and a mean that may follow given directions.

Strengths s = V b + e with b free (a flat prior) and e_i normal with the variance v g_i + t: v is the variance of V b, g
the error of the directions for each player, and t, the variance that they leave, is fitted. The log posterior is the
sum of S ln E + (1 - S) ln(1 - E) minus half the squares of e over their variances. Around its maximum it is
approximated as normal (Laplace), and draws come from perturbed equations, so that no dense matrix is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ludometer.arrays import Codes, Floats

_HALVINGS = 9
_NEWTON_STEPS = 12
_LEAST_VARIANCE, _LARGEST_VARIANCE = 1e-3, 10.0
"""Of strengths in natural units, one of which is 174 Elo points."""

_DRAWS_WHILE_FITTING = 8


@dataclass(frozen=True)
class StrengthPosterior:
    """The most likely strengths, draws around them, and the SD that the directions leave."""

    mode: Floats
    draws: Floats
    """(players, n), in natural units."""
    residual_sd: float
    p_value: float
    """Of Wald's test that strengths do not follow the directions; 1 without directions."""


def fit_strengths(
    first: Codes,
    second: Codes,
    score: Floats,
    *,
    n_players: int,
    directions: Floats,
    looseness: Floats | None = None,
    n_draws: int,
    rng: np.random.Generator,
) -> StrengthPosterior:
    """Fit by empirical Bayes: t is where the residuals are as large as the prior says they are (MacKay's condition).

    `directions` is (players, q): what strengths may follow without a penalty; a constant is always among them.
    `looseness` is g: the error of each player's place along them, in units of their variance.

    >>> first, second = np.array([0, 0, 1] * 30), np.array([1, 2, 2] * 30)
    >>> fit = fit_strengths(first, second, np.tile([1, 1, 1, 1, 1, 1, 0, 1, 0], 10), n_players=3,
    ...                     directions=np.empty((3, 0)), n_draws=4, rng=np.random.default_rng(0))
    >>> bool(fit.mode[0] > fit.mode[1] > fit.mode[2]), fit.draws.shape
    (True, (3, 4))
    """
    model = _Model(first, second, np.asarray(score, np.float64), n_players, directions)
    loose = np.zeros(n_players) if looseness is None else looseness
    noise = model.noise(_DRAWS_WHILE_FITTING, rng)
    mode, along = np.zeros(n_players), 0.1 if directions.shape[1] else 0.0
    low, high = np.log(_LEAST_VARIANCE), np.log(_LARGEST_VARIANCE)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        prior = _Prior(model, along * loose + np.exp(middle))
        mode = prior.maximum(mode)
        along = model.variance_along(mode, prior) if directions.shape[1] else 0.0
        if prior.excess(mode, noise) > 1:
            low = middle
        else:
            high = middle
    prior = _Prior(model, along * loose + np.exp(0.5 * (low + high)))
    mode = prior.maximum(mode)
    draws = mode[:, np.newaxis] + prior.draw(mode, model.noise(n_draws, rng))
    return StrengthPosterior(mode, draws, float(np.sqrt(np.exp(0.5 * (low + high)))), prior.p_value(mode))


class _Model:
    """One row per pair of players: how often they met, and what the lower code scored."""

    def __init__(self, first: Codes, second: Codes, score: Floats, n_players: int, directions: Floats) -> None:
        low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second)
        key, inverse = np.unique(low * n_players + high, return_inverse=True)
        self.low, self.high = np.divmod(key, n_players)
        self.times = np.bincount(inverse).astype(np.float64)
        self.scored = np.bincount(inverse, weights=np.where(first < second, score, 1 - score))
        self.n_players = n_players
        self.free = np.column_stack((np.ones(n_players), directions))
        rows, ones = np.arange(len(key)), np.ones(len(key))
        self.difference = sparse.csr_array(
            (np.concatenate((ones, -ones)), (np.tile(rows, 2), np.concatenate((self.low, self.high)))),
            shape=(len(key), n_players),
        )
        self.played = np.bincount(self.low, self.times, n_players) + np.bincount(self.high, self.times, n_players)

    def noise(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """The random numbers of n draws, reused while the variance is fitted."""
        return rng.standard_normal((len(self.low), n)), rng.standard_normal((self.n_players, n))

    def forecast(self, strength: Floats) -> tuple[Floats, Floats]:
        """Expected scores of the lower codes, and the information of each row."""
        expected = 1 / (1 + np.exp(np.clip(strength[self.high] - strength[self.low], -50, 50)))
        return expected, self.times * expected * (1 - expected) + 1e-9

    def variance_along(self, strength: Floats, prior: _Prior) -> float:
        """The variance of the strengths along the directions, each player weighted by their matches."""
        along = strength - prior.project(prior.tight * strength) / prior.tight
        return float(np.cov(along, aweights=self.played))


class _Prior:
    """The model with a variance for each player around the free directions."""

    def __init__(self, model: _Model, variance: Floats) -> None:
        self.model = model
        self.tight = 1 / np.sqrt(variance)
        # an orthonormal basis of the free directions, in units in which all players are equally loose
        self.basis = np.linalg.qr(self.tight[:, np.newaxis] * model.free)[0]

    def project(self, scaled: Floats) -> Floats:
        """What the free directions leave."""
        return np.asarray(scaled - self.basis @ (self.basis.T @ scaled))

    def excess(self, mode: Floats, noise: tuple[Floats, Floats]) -> float:
        """Squares of the residuals at the mode over the number of them that the results determine: 1 if t is right."""
        shown = float(np.sum(self.project(self.tight * mode) ** 2))
        spread = self.project((self.tight * self.draw(mode, noise).T).T)
        undetermined = float(np.mean(np.sum(spread**2, axis=0)))
        return float(shown / max(self.model.n_players - self.basis.shape[1] - undetermined, 1.0))

    def maximum(self, strength: Floats) -> Floats:
        """Newton's steps to the most likely strengths."""
        model = self.model
        for _ in range(_NEWTON_STEPS):
            expected, weight = model.forecast(strength)
            gradient = model.difference.T @ (model.scored - model.times * expected) - self._penalty(strength)
            step = self._solve(gradient[:, np.newaxis], weight)[:, 0]
            largest = float(np.abs(step).max())
            strength = strength + step * min(1.0, 4.0 / max(largest, 1e-12))
            if largest < 1e-2:
                break
        return np.asarray(strength - strength.mean())

    def draw(self, mode: Floats, noise: tuple[Floats, Floats]) -> Floats:
        """Normal with the inverse of the curvature at the mode: solutions of equations with perturbed right sides."""
        _, weight = self.model.forecast(mode)
        right = self.model.difference.T @ (np.sqrt(weight)[:, np.newaxis] * noise[0])
        return self._solve(right + (self.tight * self.project(noise[1]).T).T, weight)

    def p_value(self, mode: Floats) -> float:
        """Wald's test of the directions: their coefficients against what the results tell of them beside the residuals.

        With the information L of the results and the precision D of the prior, that is V' L V - V' L (L + D)^-1 L V.
        """
        from scipy.stats import chi2

        directions = self.model.free[:, 1:]
        if not directions.shape[1]:
            return 1.0
        along = mode - self.project(self.tight * mode) / self.tight
        coefficient = np.linalg.lstsq(self.model.free, along, rcond=None)[0][1:]
        laplacian = self._laplacian(self.model.forecast(mode)[1])
        told = laplacian @ directions

        def multiply(x: Floats) -> Floats:
            return np.asarray(laplacian @ x + (self.tight**2 * x.T).T)

        explained = _conjugate_gradients(multiply, told, laplacian.diagonal() + self.tight**2)
        information = directions.T @ told - told.T @ explained
        return float(chi2.sf(coefficient @ information @ coefficient, directions.shape[1]))

    def _penalty(self, strength: Floats) -> Floats:
        return np.asarray((self.tight * self.project((self.tight * strength.T).T).T).T)

    def _solve(self, right: Floats, weight: Floats) -> Floats:
        laplacian = self._laplacian(weight)

        def multiply(x: Floats) -> Floats:
            return np.asarray(laplacian @ x + self._penalty(x))

        return _conjugate_gradients(multiply, right - right.mean(axis=0), laplacian.diagonal() + self.tight**2)

    def _laplacian(self, weight: Floats) -> Any:
        difference = self.model.difference
        return (difference.T @ (sparse.diags_array(weight) @ difference)).tocsr()


def _conjugate_gradients(multiply: Callable[[Floats], Floats], right: Floats, diagonal: Floats) -> Floats:
    """Solve for all columns at once, preconditioned by the diagonal, to a thousandth."""
    x = np.zeros_like(right)
    rest = right.copy()
    scaled = rest / diagonal[:, np.newaxis]
    direction = scaled.copy()
    size = np.sum(rest * scaled, axis=0)
    enough = 1e-6 * np.maximum(size, 1e-300)
    for _ in range(500):
        image = multiply(direction)
        step = size / np.maximum(np.sum(direction * image, axis=0), 1e-300)
        x += step * direction
        rest -= step * image
        scaled = rest / diagonal[:, np.newaxis]
        new = np.sum(rest * scaled, axis=0)
        if (new <= enough).all():
            break
        direction = scaled + new / np.maximum(size, 1e-300) * direction
        size = new
    return x
