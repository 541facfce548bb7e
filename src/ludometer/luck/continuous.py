"""Luck of outcomes on a continuous scale, such as points or money: L = exp(-I(O, A))."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ludometer.arrays import Array, Floats
from ludometer.errors import LudometerError, MatchDataError


def continuous_luck(information: float) -> float:
    """L = exp(-I(O, A)) for outcomes on a continuous scale, with the information in nats (Gilbert and Wells, eq. 5).

    >>> continuous_luck(0.0), round(continuous_luck(1.0), 3)
    (1.0, 0.368)
    """
    if not information >= 0:
        raise LudometerError(f"information is a number from 0 up, not {information}")
    return math.exp(-information)


def measure_continuous_luck(player: Sequence[int] | Array, score: Sequence[float] | Array) -> float:
    """L = exp(-I) for scores that are normal around each player's mean: root of (variance within / variance of all).

    Then I = ln(variance of all / variance within) / 2. The variances are unbiased: that within players pools their
    squares over N - players, that between them is what the analysis of variance leaves, at least 0.

    >>> rng = np.random.default_rng(0)
    >>> who = np.repeat(np.arange(500), 50)
    >>> round(measure_continuous_luck(who, rng.normal(size=500)[who] + rng.normal(size=25_000)), 1)
    0.7
    """
    who = np.unique(np.asarray(player), return_inverse=True)[1]
    value = np.asarray(score, np.float64)
    count = np.bincount(who)
    total, groups = len(value), len(count)
    if groups < 2 or total <= groups or not np.isfinite(value).all():
        raise MatchDataError("at least two players, one of them with two scores, and finite scores are needed")
    mean = np.bincount(who, value) / count
    within = float(((value - mean[who]) ** 2).sum()) / (total - groups)
    between = float((count * (mean - value.mean()) ** 2).sum()) / (groups - 1)
    size = (total - float((count**2).sum()) / total) / (groups - 1)
    variance = max((between - within) / size, 0.0)
    return math.sqrt(within / (within + variance)) if within + variance else math.nan


def information_of_densities(density: Floats, spacing: float, *, share: Floats | None = None) -> float:
    """I(O, A) in nats from players' densities (players, grid), on a grid with this spacing.

    >>> grid = np.arange(-10, 10, 0.01)
    >>> both = np.exp(-0.5 * (grid - np.array([[-5.0], [5.0]])) ** 2) / math.sqrt(2 * math.pi)
    >>> round(information_of_densities(both, 0.01), 3) == round(math.log(2), 3)
    True
    """
    from scipy.special import entr

    how_often = np.full(len(density), 1 / len(density)) if share is None else share / share.sum()
    own, all_together = entr(density).sum(axis=1) * spacing, float(entr(how_often @ density).sum()) * spacing
    return max(all_together - float(how_often @ own), 0.0)
