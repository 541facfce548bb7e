"""Standard errors of fitted skills and of their differences, by solving equations: no matrix is ever inverted.

With H, minus the second derivatives of the penalised likelihood at its maximum, the covariance is H^-1: for ridge 0
the usual one; with a ridge that of the normal approximation to the posterior under the prior that the ridge stands
for, of variance 1 / (2 ridge). Skills are seen around the mean of their island, which the results do not determine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats, Mask
from ludometer.errors import LudometerError
from ludometer.kernels.skills.conjugate_gradients import conjugate_gradients
from ludometer.matches import Matches
from ludometer.strength.comparisons import gather
from ludometer.strength.pairwise import PenalisedLikelihood
from ludometer.strength.ranked import OrderLikelihood, Orders
from ludometer.strength.skills import Skills

_EXACT = 300
"""Up to so many players each is solved for; above, a stochastic estimate is made."""

_DRAWS, _MANY, _DRAWS_OF_MANY = 64, 20_000, 16
"""Draws of that estimate; fewer where there are many players, of whom nobody reads the third digit."""

_PART = 1 << 20
"""Pairs whose random numbers are drawn together."""


def estimate_errors(
    matches: Matches,
    skills: Skills,
    *,
    weights: Sequence[float] | Array | None = None,
    n_draws: int | None = None,
    seed: int = 0,
) -> Floats:
    """The standard error of each skill around its island's mean, in the units of the skills; NaN without a match.

    For the skills of `fit_skills` and of `fit_orders`, with the matches and weights of the fit.

    Exact for up to 300 players unless `n_draws` is given. Else from draws x of N(0, H^-1), solutions of H x = r with a
    random r: var x_i = 1 / H_ii + var(r_i / H_ii - x_i), of which only the second part, what the opponents' skills
    add, is estimated (Siden, Lindgren, Bolin and Villani 2018: Rao-Blackwellised Monte Carlo).

    >>> from ludometer.strength.pairwise import fit_skills
    >>> matches = Matches.of_pairs([0, 1, 2] * 4, [1, 2, 0] * 4, [1, 0, 1, 0, 1, 1] * 2)
    >>> estimate_errors(matches, fit_skills(matches)).round(3).tolist()
    [0.429, 0.395, 0.429]
    """
    curvature = _at_maximum(matches, skills, weights)
    if n_draws is None and curvature.n <= _EXACT:
        variance = _exact_variance(curvature)
    else:
        usual = _DRAWS if curvature.n <= _MANY else _DRAWS_OF_MANY
        variance = _drawn_variance(curvature, usual if n_draws is None else n_draws, np.random.default_rng(seed))
    return np.asarray(np.where(curvature.played, np.sqrt(np.maximum(variance, 0)), np.nan))


def estimate_difference_errors(
    matches: Matches,
    skills: Skills,
    first: Sequence[int] | Array,
    second: Sequence[int] | Array,
    *,
    weights: Sequence[float] | Array | None = None,
) -> Floats:
    """The standard error of s_first - s_second for each of these pairs of codes, exactly; NaN between two islands.

    >>> from ludometer.strength.pairwise import fit_skills
    >>> matches = Matches.of_pairs([0, 1, 2] * 4, [1, 2, 0] * 4, [1, 0, 1, 0, 1, 1] * 2)
    >>> estimate_difference_errors(matches, fit_skills(matches), [0], [1]).round(3).tolist()
    [0.705]
    """
    curvature = _at_maximum(matches, skills, weights)
    island = curvature.island
    errors = []
    for i, j in zip(np.atleast_1d(first), np.atleast_1d(second), strict=True):
        if island[i] != island[j]:
            errors.append(np.nan)
            continue
        right = np.zeros(curvature.n)
        right[i] += 1
        right[j] -= 1
        x = curvature.solve(right)
        errors.append(float(np.sqrt(x[i] - x[j])))
    return np.array(errors)


@dataclass(frozen=True)
class _OfPairs:
    """H of two-player matches: of the skills, the threshold and the advantage."""

    function: PenalisedLikelihood

    @property
    def n(self) -> int:
        return self.function.n

    @property
    def ridge(self) -> float:
        return self.function.ridge

    @property
    def diagonal(self) -> Floats:
        return self.function.diagonal[: self.n]

    @property
    def played(self) -> Mask:
        return self.function.comparisons.played

    @property
    def island(self) -> Codes:
        return self.function.comparisons.island

    def solve(self, right: Floats, *, tolerance: float = 1e-8) -> Floats:
        """Solve H x = right for the skills; a right side of n has 0 for the threshold and the advantage."""
        whole = np.concatenate((right, np.zeros(self.n + 2 - len(right))))
        solution = conjugate_gradients(self.function.multiply, whole, self.function.diagonal, tolerance=tolerance)
        return np.asarray(solution[: self.n])

    def perturb(self, rng: np.random.Generator) -> Floats:
        """A random vector with the covariance H: a normal push along each pair and, for the ridge, on each player."""
        function, pairs, n = self.function, self.function.comparisons, self.n
        right = np.zeros(n + 2)
        parts = [slice(start, start + _PART) for start in range(0, len(pairs), _PART)]
        for part in parts:
            push = np.sqrt(function.curvature[0, part])
            push *= rng.standard_normal(len(push))
            right[:n] += np.bincount(pairs.row[part], push, n)
            right[:n] -= np.bincount(pairs.opponent[part], push, n)
            if function.ties:
                right[n] += float((function.curvature[1, part] / self._safe(part) * push).sum())
            if pairs.ordered:
                right[n + 1] += float(push.sum())
        for part in parts if function.ties else ():
            dt, tt = function.curvature[1:, part]
            rest = np.sqrt(np.maximum(tt - dt * dt / self._safe(part), 0))
            right[n] += float((rest * rng.standard_normal(len(rest))).sum())
        right[:n] += np.sqrt(2 * function.ridge) * rng.standard_normal(n)
        return right

    def _safe(self, part: slice) -> Floats:
        return np.maximum(self.function.curvature[0, part], 1e-300)


@dataclass(frozen=True)
class _OfOrders:
    """H of finishing orders: each place is a choice among those still in."""

    function: OrderLikelihood
    skill: Floats

    @property
    def n(self) -> int:
        return len(self.skill)

    @property
    def ridge(self) -> float:
        return self.function.ridge

    @property
    def diagonal(self) -> Floats:
        return self.function.diagonal

    @property
    def played(self) -> Mask:
        return self._parts[1]

    @property
    def island(self) -> Codes:
        return self._parts[0]

    @cached_property
    def _parts(self) -> tuple[Codes, Mask]:
        return self.function.orders.islands(self.n)

    def solve(self, right: Floats, *, tolerance: float = 1e-8) -> Floats:
        """Solve H x = right for the skills."""
        return conjugate_gradients(self.function.multiply, right, self.diagonal, tolerance=tolerance)

    def perturb(self, rng: np.random.Generator) -> Floats:
        """A random vector with the covariance H: who was chosen in a place, had it been played again, less the mean."""
        right = self.function.replay(self.skill, rng)
        return np.asarray(right + np.sqrt(2 * self.ridge) * rng.standard_normal(self.n))


def _at_maximum(matches: Matches, skills: Skills, weights: Any) -> _OfPairs | _OfOrders:
    """The curvature where the skills are."""
    of_orders = skills.provenance.method == "Plackett-Luce skills"
    if not (of_orders or skills.provenance.method == "penalised skills") or (
        skills.provenance.data != matches.fingerprint
    ):
        raise LudometerError("errors need the matches that the skills were fitted to")
    skill = np.nan_to_num(skills.skill)
    if of_orders:
        orders = OrderLikelihood(Orders.of(matches, weights), skills.ridge, len(skill))
        orders.evaluate(skill)
        return _OfOrders(orders, skill)
    comparisons = gather(matches, ordered=skills.advantage is not None, weights=weights)
    pairs = PenalisedLikelihood(comparisons, skills.link, skills.ridge)
    pairs.evaluate(np.concatenate((skill, [skills.threshold, skills.advantage or 0.0])))
    return _OfPairs(pairs)


def _exact_variance(curvature: _OfPairs | _OfOrders) -> Floats:
    """Diagonal of the inverse on skills that add up to 0 in each island: one solution per player."""
    size, island = _island_sizes(curvature.island), curvature.island
    variance = np.zeros(curvature.n)
    for i in np.flatnonzero(curvature.played):
        right = np.where(island == island[i], -1 / size[i], 0.0)
        right[i] += 1
        variance[i] = right @ curvature.solve(right)
    return variance


def _drawn_variance(curvature: _OfPairs | _OfOrders, n_draws: int, rng: np.random.Generator) -> Floats:
    n, ridge, size = curvature.n, curvature.ridge, _island_sizes(curvature.island)
    inverse = 1 / np.where(curvature.played, curvature.diagonal, 1.0)
    on_others = 1 - 2 * ridge * inverse
    squares = np.zeros(n)
    for _ in range(n_draws):
        right = curvature.perturb(rng)
        # the draws' own chance is larger than this error by far
        x = curvature.solve(right, tolerance=1e-3)
        mean = np.bincount(curvature.island, x, n)[curvature.island] / size
        squares += (inverse * right[:n] - x + on_others * mean) ** 2
    # the island's mean, which only the ridge holds, is independent of the rest: its share is exact and taken off
    of_mean = (2 * inverse - 2 * ridge * inverse**2) / size
    return np.asarray(inverse - of_mean + squares / n_draws)


def _island_sizes(island: Codes) -> Counts:
    """How many players each player's island has."""
    return np.bincount(island)[island]
