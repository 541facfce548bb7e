"""Sequential tests of a difference in strength: the generalised probability ratio test for games and pairs of games.

A game is worth 0, 1/2 or 1. A pair of games, with the same opening and colours reversed, brings 0 to 2 points; its mean
is 0, 1/4, 1/2, 3/4 or 1. With the frequencies f of these values a, the likelihood under the hypothesis that the mean is
s is highest for p = f / (1 + theta (a - s)), theta such that the mean is s (Van den Bergh 2020, after Owen 1988); the
ratio of two such maxima is compared with Wald's bounds. A hypothesis in normalised Elo fixes the mean in units of the
SD instead: it is reached by solving for a linear constraint repeatedly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ludometer.arrays import Array, Floats
from ludometer.errors import LudometerError
from ludometer.scale import ELO, expected_score

EloModel = Literal["logistic", "normalised"]
Decision = Literal["H0", "H1", "continue"]

NORMALISED = 2 * ELO
"""Normalised Elo points per SD of one game: 800 / ln 10, so that it is near Elo where every game is decided."""

_UNSEEN = 1e-3
"""A count in the place of 0, as no hypothesis can give a value without frequency its mean."""
_HALVINGS = 55
_ROUNDS = 60


@dataclass(frozen=True)
class Sprt:
    """A sequential test of H0, the difference is elo0, against H1, it is elo1."""

    elo0: float
    elo1: float
    alpha: float
    """The largest probability of accepting H1 where H0 is true."""
    beta: float
    """The largest probability of accepting H0 where H1 is true."""
    model: EloModel
    ratio: float
    """The logarithm of the likelihood ratio."""
    n_games: int
    is_paired: bool

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's: below the first H0 is accepted, above the second H1."""
        return wald_bounds(self.alpha, self.beta)

    @property
    def decision(self) -> Decision:
        """What the test says."""
        low, high = self.bounds
        return "H1" if self.ratio >= high else "H0" if self.ratio <= low else "continue"

    def summary(self) -> str:
        """One line."""
        low, high = self.bounds
        unit = "normalised Elo" if self.model == "normalised" else "Elo"
        said = {
            "H1": f"accept H1: the gain is {self.elo1:g} rather than {self.elo0:g}",
            "H0": f"accept H0: the gain is {self.elo0:g} rather than {self.elo1:g}",
            "continue": "play on",
        }[self.decision]
        test = f"{self.elo0:g} against {self.elo1:g} {unit}, {'pairs' if self.is_paired else 'single games'}"
        return f"SPRT {test}: LLR {self.ratio:.2f} ({low:.2f}, {high:.2f}): {said}"

    def document(self) -> dict[str, object]:
        """For JSON."""
        return {
            "elo0": self.elo0,
            "elo1": self.elo1,
            "alpha": self.alpha,
            "beta": self.beta,
            "model": self.model,
            "llr": self.ratio,
            "bounds": list(self.bounds),
            "decision": self.decision,
            "paired": self.is_paired,
            "games": self.n_games,
        }


def run_sprt(
    counts: Sequence[float] | Array,
    elo0: float,
    elo1: float,
    *,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: EloModel = "logistic",
) -> Sprt:
    """The state of the test after games with these counts, from the first engine's view.

    Three counts are losses, draws and wins of single games; five are pairs of games that brought 0, 1/2, 1, 3/2 and 2
    points. Apply it after each batch, and stop at the first decision.

    >>> test = run_sprt([10, 150, 380, 210, 20], 0, 5)
    >>> round(test.ratio, 2), test.decision
    (3.19, 'H1')
    """
    seen = np.asarray(counts, np.float64)
    if seen.shape not in ((3,), (5,)):
        raise LudometerError(f"three counts are needed (losses, draws, wins) or five of pairs, not {seen.size}")
    if not ((seen >= 0) & np.isfinite(seen)).all() or not seen.sum():
        raise LudometerError("counts have to be numbers from 0 up, and not all 0")
    if not (math.isfinite(elo0) and math.isfinite(elo1) and elo0 < elo1):
        raise LudometerError(f"H1 has to lie above H0: {elo0:g} is not less than {elo1:g}")
    for name, level in (("alpha", alpha), ("beta", beta)):
        if not 0 < level < 0.5:
            raise LudometerError(f"{name} must be between 0 and 0.5, not {level}")
    if model not in ("logistic", "normalised"):
        raise LudometerError(f"the model is logistic or normalised, not {model!r}")
    is_paired = seen.size == 5
    ratio = float(likelihood_ratio(seen, elo0, elo1, model=model))
    return Sprt(elo0, elo1, alpha, beta, model, ratio, int(seen.sum()) * (1 + is_paired), is_paired)


def wald_bounds(alpha: float, beta: float) -> tuple[float, float]:
    """The bounds of the log likelihood ratio (Wald 1945).

    >>> [round(bound, 3) for bound in wald_bounds(0.05, 0.05)]
    [-2.944, 2.944]
    """
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def likelihood_ratio(counts: Floats, elo0: float, elo1: float, *, model: EloModel = "logistic") -> Floats:
    """The logarithm of the generalised likelihood ratio, for counts along the last axis; many at once.

    >>> likelihood_ratio(np.array([[100.0, 200, 100], [80.0, 200, 120]]), 0, 20).round(2).tolist()
    [-1.32, 3.29]
    """
    seen = np.maximum(np.asarray(counts, np.float64), _UNSEEN)
    total = seen.sum(axis=-1, keepdims=True)
    share, value = seen / total, np.linspace(0, 1, seen.shape[-1])
    if model == "logistic":
        likeliest = [_with_mean(share, value, float(expected_score(np.array(elo)))) for elo in (elo0, elo1)]
    else:
        # the mean of two games scatters less than one game does
        scale = NORMALISED / math.sqrt(2 if len(value) == 5 else 1)
        likeliest = [_with_advantage(share, value, elo / scale) for elo in (elo0, elo1)]
    return np.asarray((total * share * (np.log(likeliest[1]) - np.log(likeliest[0]))).sum(axis=-1))


def _with_mean(share: Floats, value: Floats, mean: float | Floats) -> Floats:
    """The likeliest probabilities whose mean of these values is this one.

    The sum of f (a - s) / (1 + theta (a - s)) falls from plus to minus infinity between the poles: bisection finds 0.
    """
    gap = value - np.asarray(mean)[..., None]
    gap = np.broadcast_to(gap, share.shape)
    low, high = -1 / gap.max(axis=-1, keepdims=True), -1 / gap.min(axis=-1, keepdims=True)
    for _ in range(_HALVINGS):
        theta = 0.5 * (low + high)
        is_above = (share * gap / (1 + theta * gap)).sum(axis=-1, keepdims=True) > 0
        low, high = np.where(is_above, theta, low), np.where(is_above, high, theta)
    p = share / (1 + 0.5 * (low + high) * gap)
    return np.asarray(p / p.sum(axis=-1, keepdims=True))


def _with_advantage(share: Floats, value: Floats, advantage: float) -> Floats:
    """The likeliest probabilities whose mean lies this many SDs above 1/2.

    Where nearly all results are the same, the search may end at a lower maximum, or at none: so it begins twice, at the
    frequencies and in the middle, and the likelier end counts of those that keep the constraint.
    """
    ends = [_approach(share, value, advantage, start) for start in (share, np.full_like(share, 1 / len(value)))]
    merit = []
    for p in ends:
        mean, sd = _moments(p, value)
        miss = np.abs(mean - 0.5 - advantage * sd)
        merit.append(np.where(miss < 1e-7, (share * np.log(p)).sum(axis=-1, keepdims=True), -1e9 * (1 + miss)))
    return np.where(merit[0] >= merit[1], ends[0], ends[1])


def _approach(share: Floats, value: Floats, advantage: float, p: Floats) -> Floats:
    """From p on, solve for a linear constraint until nothing moves.

    With mean m and SD v of the present p, the derivative of m - 1/2 - t v by p_k is, apart from a constant,
    b_k = a_k - t (a_k^2 - 2 m a_k) / (2 v): so p is likeliest among those whose mean of b is the one that it has there.
    """
    for _ in range(_ROUNDS):
        mean, sd = _moments(p, value)
        tangent = value - advantage * (value**2 - 2 * mean * value) / (2 * sd)
        wanted = 0.5 + advantage * (sd**2 + mean**2) / (2 * sd)
        # far from the end the tangent may ask for a mean that no probabilities have
        least, most = tangent.min(axis=-1, keepdims=True), tangent.max(axis=-1, keepdims=True)
        margin = 1e-3 * (most - least)
        new = _with_mean(share, tangent, np.clip(wanted, least + margin, most - margin)[..., 0])
        moved = float(np.abs(new - p).max())
        p = new
        if moved < 1e-10:
            break
    return p


def _moments(p: Floats, value: Floats) -> tuple[Floats, Floats]:
    mean = (p * value).sum(axis=-1, keepdims=True)
    return mean, np.sqrt((p * (value - mean) ** 2).sum(axis=-1, keepdims=True))
