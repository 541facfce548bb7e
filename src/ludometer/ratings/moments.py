"""Rating noise with steps of any size: variances of skill and error, carried on from game to game.

With skill s, error x = R - s and an opponent (s', x') one update with k = h / 2 is x += k (S - E). If all are normal,

    cov(s, x) += k (var(s) A - cov(s, R) B),  var(x) += 2 k (cov(s, x) A - cov(x, R) B) + k^2 E[(S - E)^2]

with A and B the mean slopes of wp over differences of skill and of rating. What Smith 1994 (section 6.2) looks for, and
`noise` has in closed form, is the limit of small k; here errors widen the differences and miss more of the results.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from ludometer.arrays import Floats

_ROUNDS = 200
_CLOSE = 1e-5
_STAGES = 50
"""Stages of a lifetime, short at first, in which the coefficients are held."""

_LIFETIMES = 12
"""Of exponential lifetimes so many means are followed: e^-12 live on."""


def settle_noise(*, sd: float, step: float) -> float:
    """The SD of the errors of players who stay for ever, in natural units like the SD of skills and the step k."""
    variance, shared = 0.5 * step, 0.0
    skill = sd * sd
    slope = mean_slope(2 * skill)
    for _ in range(_ROUNDS):
        change, miss = _coefficients(skill, 2 * (skill + 2 * shared + variance), 2 * (skill + shared))
        # where neither moment moves any more
        covariance = skill * (slope / change - 1)
        new = (0.5 * step * miss + covariance * slope) / change - covariance
        settled = abs(new - variance) + abs(covariance - shared) < _CLOSE * new
        variance, shared = new, covariance
        if settled:
            break
    return math.sqrt(variance)


def carry_noise(*, sd: float, step: float, games: float, entry_error: float, exponential: bool) -> float:
    """The root mean square error over all ages in a league whose players stay for a mean of so many games.

    Ratings at entry are expectations from what is known (no error is correlated with its rating); those whose error is
    larger than the spread of skills know nothing.
    """
    skill = sd * sd
    variance, covariance = entry_error**2, -min(entry_error**2, skill)
    stages = _make_stages(games, exponential)
    for _ in range(_ROUNDS):
        new, shared = _live(sd, step, entry_error, stages, variance, covariance)
        settled = abs(new - variance) + abs(shared - covariance) < _CLOSE * new
        variance, covariance = new, shared
        if settled:
            break
    return math.sqrt(variance)


def mean_slope(variance: float) -> float:
    """E[wp'] over normal differences of this variance, in natural units.

    >>> round(mean_slope(0.0), 6)
    0.25
    """
    node, weight = _normal(60)
    expected = 1 / (1 + np.exp(-math.sqrt(variance) * node))
    return float(weight @ (expected * (1 - expected)))


def _live(
    sd: float, step: float, entry_error: float, stages: Floats, others: float, others_shared: float
) -> tuple[float, float]:
    """The mean moments of a life among others with these."""
    skill = sd * sd
    slope = mean_slope(2 * skill)
    variance, covariance = entry_error**2, -min(entry_error**2, skill)
    opponents = skill + 2 * others_shared + others
    total = np.zeros(2)
    for n_games, weight in stages:
        rating = skill + 2 * covariance + variance
        change, miss = _coefficients(skill, rating + opponents, 2 * skill + covariance + others_shared)
        end = skill * (slope / change - 1)
        covariance, mean_covariance = _approach(covariance, end, 1 - step * change, n_games)
        # while it changes: its mean over the stage
        limit = (0.5 * step * miss + mean_covariance * slope) / change - mean_covariance
        variance, mean_variance = _approach(variance, limit, 1 - 2 * step * change, n_games)
        total += weight * np.array([mean_variance, mean_covariance])
    return float(total[0]), float(total[1])


def _approach(start: float, end: float, factor: float, n_games: float) -> tuple[float, float]:
    """Where end + (start - end) factor^n leads in n games, and its mean on the way."""
    left = factor ** int(n_games)
    mean = (1 - left) / (n_games * (1 - factor))
    return end + (start - end) * left, end + (start - end) * mean


def _make_stages(games: float, exponential: bool) -> Floats:
    """(stages, 2): games in each, and the share of all games that players of this age play."""
    last = math.ceil(_LIFETIMES * games if exponential else games)
    bounds = np.unique(np.geomspace(1, last, _STAGES).round())
    bounds = np.concatenate(([0.0], bounds))
    if exponential:
        alive = -np.expm1(bounds * math.log1p(-1 / games)) if games > 1 else np.minimum(bounds, 1.0)
    else:
        alive = np.minimum(bounds, games)
    weight = np.diff(alive)
    return np.column_stack((np.diff(bounds), weight / weight.sum()))


def _coefficients(skill: float, rated: float, shared: float) -> tuple[float, float]:
    """B and E[(S - E)^2]; differences of rating have the variance `rated` and this covariance with those of skill."""
    node, weight = _normal(24)
    forecast = 1 / (1 + np.exp(-math.sqrt(max(rated, 0.0)) * node))
    along = shared / math.sqrt(rated) if rated > 0 else 0.0
    rest = math.sqrt(max(2 * skill - along**2, 0.0))
    truth = 1 / (1 + np.exp(-(along * node[:, np.newaxis] + rest * node)))
    squares = truth * (1 - truth) + (truth - forecast[:, np.newaxis]) ** 2
    return mean_slope(max(rated, 0.0)), float(weight @ squares @ weight)


@cache
def _normal(n: int) -> tuple[Floats, Floats]:
    """Gauss-Hermite nodes and weights of a standard normal."""
    node, weight = np.polynomial.hermite_e.hermegauss(n)
    return node, weight / weight.sum()
