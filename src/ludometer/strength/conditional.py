"""The posterior of ratings under a prior: its maximum, each player's mean given the others, and the errors of both.

The log posterior is the sum over matches of S ln E + (1 - S) ln(1 - E), E the logistic expectation, a draw being half a
win and half a loss, plus the log prior of each player's rating (Smith 1994, eq. 48). Natural units around the prior's
mean throughout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.kernels.solve import conjugate_gradients
from ludometer.scale import ELO, to_elo
from ludometer.strength.comparisons import Comparisons
from ludometer.strength.newton import Maximum, maximise
from ludometer.strength.priors import Prior

Procedure = Literal["newton", "printed"]

_MOST_CORRECTIONS = 40
_EXACT = 300
"""Up to so many players one solution each; above, a stochastic estimate."""


@dataclass(frozen=True, eq=False)
class Record:
    """Who met whom how often, each pair in the rows of both, and the points of each player."""

    starts: Counts
    opponent: Codes
    met: Floats
    points: Floats

    @classmethod
    def of(cls, comparisons: Comparisons) -> Record:
        """From pairs that stand in one row each."""
        wins, ties, losses = comparisons.outcomes
        return cls.of_pairs(comparisons.starts, comparisons.opponent, wins + 0.5 * ties, wins + ties + losses)

    @classmethod
    def of_pairs(cls, starts: Counts, opponent: Codes, scored: Floats, met: Floats) -> Record:
        """From lists of opponents with what each row's player scored against them."""
        from ludometer.kernels.expected import mirror_pairs

        return cls(*mirror_pairs(starts, opponent, scored, met))

    @property
    def n_players(self) -> int:
        """All players, also those without a match."""
        return len(self.points)

    @cached_property
    def row(self) -> Codes:
        """The player in whose row each entry stands."""
        return np.repeat(np.arange(self.n_players, dtype=np.int32), np.diff(self.starts))

    @cached_property
    def matches(self) -> Floats:
        """Matches of each player, as sums of weights."""
        return np.bincount(self.row, self.met, self.n_players).astype(np.float64)


class Posterior:
    """The log posterior of the free players' ratings as a function to be maximised; the others' stay as they are."""

    def __init__(self, record: Record, prior: Prior, free: Mask) -> None:
        self.record, self.prior, self.free = record, prior, free
        self.diagonal = np.zeros(record.n_players)
        self.prior_bend = np.zeros(record.n_players)
        self.gradient = np.zeros(record.n_players)
        self._curvature = np.zeros(len(record.opponent))
        self._image = np.zeros(record.n_players)

    def start(self) -> Floats:
        """The log-odds of shares of points, drawn to the prior's mean by a few matches' worth."""
        record = self.record
        share = (record.points + 1) / (record.matches + 2)
        spread = (self.prior.sd / ELO) ** 2
        # as if those odds had been found with a variance of 4 over the matches
        trust = spread / (spread + 4 / (record.matches + 2))
        return np.asarray(trust * (np.log(share) - np.log1p(-share)))

    def evaluate(self, x: Floats) -> tuple[float, Floats]:
        """The log posterior and its gradient, 0 where players are not free."""
        from ludometer.kernels.expected import evaluate_ratings

        record, gradient = self.record, np.empty_like(x)
        value = evaluate_ratings(
            record.starts,
            record.opponent,
            record.met,
            record.points,
            x,
            self.free,
            gradient,
            self._curvature,
            self.diagonal,
        )
        level, slope, bend = self.prior.derivatives(self.prior.mean + to_elo(x))
        gradient += np.where(self.free, slope * ELO, 0.0)
        # a prior of several humps bends the wrong way in places; without those parts the steps still lead uphill
        self.prior_bend = np.where(self.free, np.maximum(bend * ELO**2, 0.0), 0.0)
        self.diagonal += self.prior_bend
        self.gradient = gradient
        return value + float(level[self.free].sum()), gradient

    def hold(self, pull: Floats) -> None:
        """Put this in the place of the prior's curvature, where it is not too weak to hold anything."""
        weakest = 0.05 * (ELO / self.prior.sd) ** 2
        held = np.where(self.free, np.maximum(pull, weakest), 0.0)
        self.diagonal += held - self.prior_bend
        self.prior_bend = held

    def multiply(self, x: Floats) -> Floats:
        """Minus the Hessian times x."""
        from ludometer.kernels.expected import multiply_curvature

        record = self.record
        multiply_curvature(record.starts, record.opponent, self._curvature, self.diagonal, self.free, x, self._image)
        return self._image

    def longest_step(self, x: Floats, step: Floats) -> float:  # noqa: ARG002 - part of what is maximised
        """Any."""
        return math.inf

    def solve(self, right: Floats, *, tolerance: float) -> Floats:
        """The inverse of minus the Hessian times the right side."""
        return conjugate_gradients(self.multiply, right, self.diagonal, tolerance=tolerance)

    def perturbation(self, rng: np.random.Generator) -> Floats:
        """A random vector whose covariance is minus the Hessian: a push along each pair, and one by the prior."""
        n = self.record.n_players
        once, row, opponent = self._once
        push = np.sqrt(self._curvature[once]) * rng.standard_normal(len(row))
        right = (np.bincount(row, push, n) - np.bincount(opponent, push, n)).astype(np.float64)
        right += np.sqrt(self.prior_bend) * rng.standard_normal(n)
        return np.where(self.free, right, 0.0)

    @cached_property
    def _once(self) -> tuple[Counts, Codes, Codes]:
        """Each pair with a free player once: where it stands, and whose it is."""
        record = self.record
        free = self.free[record.row] & ((record.row < record.opponent) | ~self.free[record.opponent])
        place = np.flatnonzero(free)
        return place, record.row[place], record.opponent[place]


@dataclass(frozen=True, eq=False)
class Estimate:
    """Ratings with their variances given all others, and how they were reached."""

    rating: Floats
    variance: Floats
    n_sweeps: int
    largest_move: float
    """Of the last sweep or step, in natural units."""
    converged: bool


def find_mode(posterior: Posterior, start: Floats) -> Maximum:
    """The most likely ratings; at the prior's lower end, if it has one, stay those who would be below it.

    Who is held there is settled in rounds: whoever falls below is held, whoever is held and would rise is let go.
    """
    lowest = (posterior.prior.lowest - posterior.prior.mean) / ELO
    everyone, held = posterior.free, np.zeros_like(posterior.free)
    x, n_steps = start, 0
    while True:
        posterior.free = everyone & ~held
        maximum = maximise(posterior, np.where(held, lowest, x))
        x, n_steps = maximum.x, n_steps + maximum.n_steps
        posterior.free = everyone
        if lowest == -math.inf:
            return maximum
        posterior.evaluate(np.where(everyone, np.maximum(x, lowest), x))
        below = everyone & ((x < lowest) | (held & (posterior.gradient <= 0)))
        if (below == held).all() or n_steps > 1000:
            return Maximum(x, maximum.value, n_steps, maximum.converged and bool((below == held).all()), False)
        held = below


def find_means(
    posterior: Posterior,
    start: Floats,
    *,
    tolerance: float,
    procedure: Procedure = "newton",
    most_sweeps: int = 10_000,
) -> Estimate:
    """Ratings each of which is its mean given all others: what the paper's sweeps end at, when nothing moves.

    With a normal prior of variance s^2 one sweep brings any two sets of ratings closer, in the largest difference, by
    the factor 1 - v / s^2, v the smallest variance of a player given the others: so there is one end, but for busy
    players (v small) it takes thousands of sweeps. "newton" looks for it by R += H^-1 ((mean - R) / v), with H the
    curvature at R: the sweep's own derivative, divided by v, is about H - exactly so along what moves slowest, since
    the rows of both have the prior's curvature as their sums. "printed" is the sweep itself.
    """
    if procedure == "printed":
        return _sweep(posterior, start, tolerance, most_sweeps)
    rating, last, n = start.copy(), math.inf, 0
    for n in range(1, _MOST_CORRECTIONS + 1):
        given = measure_players(posterior, rating)
        if given.furthest > 2 * last:
            # the curvature was no guide: the sweep always brings ratings nearer
            return _sweep(posterior, given.mean, tolerance, most_sweeps)
        posterior.evaluate(rating)
        posterior.hold(given.pull)
        right = np.where(posterior.free, (given.mean - rating) / np.where(posterior.free, given.variance, 1.0), 0.0)
        step = posterior.solve(right, tolerance=1e-2)
        rating, last = rating + step, given.furthest
        move = max(given.furthest, float(np.abs(step).max(initial=0.0)))
        if move < tolerance:
            # the variances are those at most a tolerance before
            return Estimate(rating, given.variance, n, move, True)
    return _sweep(posterior, rating, tolerance, most_sweeps)


@dataclass(frozen=True, eq=False)
class GivenOthers:
    """Each player's mean and variance given the others' ratings, and how strongly the prior holds the mean."""

    mean: Floats
    variance: Floats
    pull: Floats
    furthest: float
    """The largest distance of a rating to its mean."""


def measure_players(posterior: Posterior, rating: Floats) -> GivenOthers:
    """One integral a player."""
    mean, variance, pull = np.empty((3, len(rating)))
    furthest = _pass(posterior, rating, mean, variance, pull, at_once=False)
    return GivenOthers(mean, variance, pull, furthest)


def find_variances(
    posterior: Posterior, rating: Floats, given: GivenOthers, *, n_draws: int | None, seed: int
) -> Floats:
    """Variances with the opponents' own errors in them: those given the others, times (H^-1)_ii H_ii.

    The factor is that of the normal approximation, H the curvature at the ratings. It is exact within it for up to 300
    players unless `n_draws` is given; else, as in `uncertainty`, 1 + H_ii times the variance, in draws x of N(0, H^-1),
    of what the others' errors add to x_i.
    """
    posterior.evaluate(rating)
    posterior.hold(given.pull)
    free = np.flatnonzero(posterior.free)
    inverse = np.where(posterior.free, 1 / np.where(posterior.free, posterior.diagonal, 1.0), 0.0)
    extra = np.zeros(len(rating))
    if n_draws is None and len(free) <= _EXACT:
        for i in free:
            right = np.zeros(len(rating))
            right[i] = 1.0
            extra[i] = posterior.solve(right, tolerance=1e-9)[i] - inverse[i]
    else:
        rng, n = np.random.default_rng(seed), 64 if n_draws is None else n_draws
        for _ in range(n):
            right = posterior.perturbation(rng)
            extra += (inverse * right - posterior.solve(right, tolerance=1e-3)) ** 2 / n
    return np.asarray(given.variance * (1 + extra * posterior.diagonal))


def _sweep(posterior: Posterior, start: Floats, tolerance: float, most_sweeps: int) -> Estimate:
    rating, (mean, variance, pull) = start.copy(), np.empty((3, len(start)))
    furthest, n = math.inf, 0
    while furthest >= tolerance and n < most_sweeps:
        furthest = _pass(posterior, rating, mean, variance, pull, at_once=True)
        n += 1
    return Estimate(rating, variance, n, furthest, furthest < tolerance)


def _pass(
    posterior: Posterior, rating: Floats, mean: Floats, variance: Floats, pull: Floats, *, at_once: bool
) -> float:
    from ludometer.kernels.expected import sweep_ratings

    record = posterior.record
    return sweep_ratings(
        record.starts,
        record.opponent,
        record.met,
        record.points,
        rating,
        posterior.free,
        posterior.prior.table(),
        at_once,
        mean,
        variance,
        pull,
    )
