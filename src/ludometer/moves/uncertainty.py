"""Intervals of what moves tell: weights drawn over whole games, with Student's t where games are few."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludometer.arrays import Array, Counts, Floats
from ludometer.errors import LudometerError

TOO_FEW = "too few games"
NO_ESTIMATE = "no estimate yet"


def check_level(level: float) -> None:
    """Refuse a level of confidence that is not between 0 and 1."""
    if not 0 < level < 1:
        raise LudometerError(f"the level of an interval lies between 0 and 1, not {level:g}")


@dataclass(frozen=True)
class Intervals:
    """How intervals are made: a Bayesian bootstrap over games (Rubin 1981), with Student's t.

    >>> Intervals(level=0.9).around(np.array([0.0]), np.array([[-1.0, 1.0]]), np.array([4]))[1].round(3).tolist()
    [4.297]
    """

    level: float = 0.95
    """Confidence."""
    replicates: int = 1000
    min_games: int = 4
    """With fewer games there is no interval: "too few games"."""
    seed: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        if self.replicates < 2:
            raise LudometerError(f"an interval needs at least two replicates, not {self.replicates}")

    @property
    def parameters(self) -> dict[str, Any]:
        """What a result depends on, without the seed."""
        return {"level": self.level, "replicates": self.replicates, "min_games": self.min_games}

    def draw_weights(self, n_games: int) -> Floats:
        """Weights of games `[game][lane]`: ones in the first lane, replicates in the others.

        Exponential weights leave no player without games, as resampling would. Games are drawn, not moves: the moves
        of a game share its opening, its players' form and its difficulty.
        """
        weight = np.ones((n_games, self.replicates + 1))
        weight[:, 1:] = np.random.default_rng(self.seed).exponential(size=(self.replicates, n_games)).T
        return weight

    def errors(self, replicates: Floats, n_games: Array) -> Floats:
        """Standard errors; NaN with too few games or a replicate that is not finite.

        The replicates of a mean over n games spread too little by `sqrt((n - 1) / (n + 1))`, which is corrected here.
        """
        n = np.asarray(n_games, np.float64)
        enough = (n >= max(2, self.min_games)) & np.isfinite(replicates).all(axis=-1)
        safe = np.where(enough, n, 2.0)
        error = np.where(enough[..., None], replicates, 0.0).std(axis=-1, ddof=1)
        return np.where(enough, error * np.sqrt((safe + 1) / (safe - 1)), np.nan)

    def around(self, estimate: Array, replicates: Floats, n_games: Counts) -> tuple[Floats, Floats]:
        """Both ends: the estimate -+ t times its error, with n - 1 degrees of freedom; NaN where there is no error."""
        from scipy.special import stdtrit

        estimate = np.asarray(estimate, np.float64)
        n = np.broadcast_to(np.asarray(n_games, np.float64), estimate.shape)
        half = stdtrit(np.maximum(n - 1, 1), (1 + self.level) / 2) * self.errors(replicates, n)
        half = np.where(np.isfinite(estimate), half, np.nan)
        return estimate - half, estimate + half

    def around_sums(
        self, estimate: Floats, coefficient: Floats, error: Floats, n_games: Counts
    ) -> tuple[Floats, Floats]:
        """Both ends for sums `coefficient[i] @ parts` of independent parts, each with an error from its own games.

        The degrees of freedom are Satterthwaite's; a sum with a part whose error is not known has no interval.
        """
        from scipy.special import stdtrit

        used = np.abs(coefficient) > 1e-9
        part = np.where(used, coefficient**2 * np.where(np.isfinite(error), error, 0.0) ** 2, 0.0)
        unknown = (used & ~np.isfinite(error)).any(axis=1)
        whole, finer = part.sum(axis=1), (part**2 / np.maximum(n_games - 1, 1)).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            half = stdtrit(whole**2 / finer, (1 + self.level) / 2) * np.sqrt(whole)
        half = np.where(unknown | (whole == 0), np.nan, half)
        return estimate - half, estimate + half


USUAL = Intervals()
"""95%, 1,000 replicates, at least 4 games."""


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


def interval_words(low: float | None, high: float | None, *, sign: bool = False) -> str:
    """An interval in whole points, or that there are too few games.

    >>> interval_words(-3.2, 0.2, sign=True), interval_words(None, None)
    ('[-3, 0]', 'too few games')
    """
    return TOO_FEW if low is None or high is None else f"[{whole(low, sign=sign)}, {whole(high, sign=sign)}]"


def whole(value: float | None, *, sign: bool = False) -> str:
    """A whole number, or a dash; zero has no sign."""
    if value is None:
        return "-"
    return f"{value:{'+' if sign else ''}.0f}" if round(value) else "0"


def interval(low: float | None, high: float | None) -> list[float] | None:
    """Both ends for output, or nothing."""
    return None if low is None or high is None else [low, high]


def nullable(value: float) -> float | None:
    """A number for output: None where it is not finite."""
    return float(value) if math.isfinite(value) else None
