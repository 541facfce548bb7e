"""How sure strengths from moves are: weights drawn over whole games, with Student's t for few of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ludometer.arrays import Array, Counts, Floats
from ludometer.errors import LudometerError

MIN_GAMES = 4
"""With fewer games there is no interval: "too few games"."""

REPLICATES = 1000
TOO_FEW = "too few games"


def draw_weights(n_games: int, *, replicates: int = REPLICATES, seed: int = 0) -> Floats:
    """Weights of games `[game][lane]`: ones in the first lane, then Bayesian bootstrap replicates (Rubin 1981).

    Exponential weights leave no player without games, as resampling would. Games are drawn, not moves: the moves of a
    game share its opening, its players' form and its difficulty.
    """
    if replicates < 2:
        raise LudometerError(f"an interval needs two replicates or more, not {replicates}")
    weight = np.ones((n_games, replicates + 1))
    weight[:, 1:] = np.random.default_rng(seed).exponential(size=(replicates, n_games)).T
    return weight


def find_intervals(
    estimate: Array, replicates: Floats, n_games: Counts, *, level: float = 0.95, min_games: int = MIN_GAMES
) -> tuple[Floats, Floats]:
    """Both ends for each estimate: its value -+ t times its error; NaN with too few games or no finite estimate.

    The spread of Bayesian bootstrap replicates over n games is too small by `sqrt((n - 1) / (n + 1))` for a mean, so
    it is made larger by that; t has n - 1 degrees of freedom.
    """
    from scipy.special import stdtrit

    check_level(level)
    estimate = np.asarray(estimate, np.float64)
    n = np.broadcast_to(np.asarray(n_games, np.float64), estimate.shape)
    enough = (n >= max(2, min_games)) & np.isfinite(estimate) & np.isfinite(replicates).all(axis=-1)
    safe = np.where(enough, n, 2.0)
    error = np.where(enough[..., None], replicates, 0.0).std(axis=-1, ddof=1) * np.sqrt((safe + 1) / (safe - 1))
    half = np.where(enough, stdtrit(safe - 1, (1 + level) / 2) * error, np.nan)
    return estimate - half, estimate + half


def find_errors(replicates: Floats, n_games: Counts, *, min_games: int = MIN_GAMES) -> Floats:
    """The standard errors behind `find_intervals`; NaN with too few games."""
    n = np.asarray(n_games, np.float64)
    enough = (n >= max(2, min_games)) & np.isfinite(replicates).all(axis=-1)
    safe = np.where(enough, n, 2.0)
    error = np.where(enough[..., None], replicates, 0.0).std(axis=-1, ddof=1)
    return np.where(enough, error * np.sqrt((safe + 1) / (safe - 1)), np.nan)


def combine_intervals(
    estimate: Floats, coefficient: Floats, error: Floats, n_games: Counts, *, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Both ends for sums `coefficient[i] @ parts` of independent parts with these errors, each from its own games.

    The degrees of freedom are Satterthwaite's; a sum with a part whose error is not known has no interval.
    """
    from scipy.special import stdtrit

    check_level(level)
    used = np.abs(coefficient) > 1e-9
    part = np.where(used, coefficient**2 * np.where(np.isfinite(error), error, 0.0) ** 2, 0.0)
    unknown = (used & ~np.isfinite(error)).any(axis=1)
    whole, finer = part.sum(axis=1), (part**2 / np.maximum(n_games - 1, 1)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        half = stdtrit(whole**2 / finer, (1 + level) / 2) * np.sqrt(whole)
    half = np.where(unknown | (whole == 0), np.nan, half)
    return estimate - half, estimate + half


def score_interval(score: Any, n_effective: Any, quantile: Any) -> tuple[Any, Any]:
    """Wilson's interval of an expected score from so many independent moves; it holds at 0 and 1 as well.

    >>> low, high = score_interval(0.0, 6, 1.96)
    >>> round(float(low), 3), round(float(high), 3)
    (0.0, 0.39)
    """
    square = quantile**2
    middle = (score + square / (2 * n_effective)) / (1 + square / n_effective)
    spread = score * (1 - score) / n_effective + square / (4 * n_effective**2)
    half = quantile / (1 + square / n_effective) * np.sqrt(spread)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def check_level(level: float) -> None:
    """A level of confidence lies between 0 and 1."""
    if not 0 < level < 1:
        raise LudometerError(f"the level of an interval lies between 0 and 1, not {level:g}")


def nullable(value: float) -> float | None:
    """A number for output: None where it is not finite."""
    return float(value) if math.isfinite(value) else None
