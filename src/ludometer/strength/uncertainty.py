"""Standard errors of fitted skills and of their differences, by solving equations: no matrix is ever inverted.

With H, minus the second derivatives of the penalised likelihood at its maximum, the covariance is H^-1: for ridge 0
the usual one; with a ridge that of the normal approximation to the posterior under the prior that the ridge stands
for, of variance 1 / (2 ridge). Skills are seen around the mean of their island, which the results do not determine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludometer.arrays import Array, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.kernels.solve import conjugate_gradients
from ludometer.matches import Matches
from ludometer.strength.comparisons import Comparisons, gather
from ludometer.strength.pairwise import PenalisedLikelihood
from ludometer.strength.skills import Skills

_EXACT = 300
"""Up to so many players one solution each; above, a stochastic estimate."""


def estimate_errors(
    matches: Matches,
    skills: Skills,
    *,
    weights: Sequence[float] | Array | None = None,
    n_draws: int | None = None,
    seed: int = 0,
) -> Floats:
    """The standard error of each skill around its island's mean, in the units of the skills; NaN without a match.

    Exact for up to 300 players unless `n_draws` is given. Else from draws x of N(0, H^-1), solutions of H x = r with a
    random r: var x_i = 1 / H_ii + var(r_i / H_ii - x_i), of which only the second part, what the opponents' skills
    add, is estimated (Siden, Lindgren, Bolin and Villani 2018: Rao-Blackwellised Monte Carlo).

    >>> from ludometer.strength.pairwise import fit_skills
    >>> matches = Matches.of_pairs([0, 1, 2] * 4, [1, 2, 0] * 4, [1, 0, 1, 0, 1, 1] * 2)
    >>> estimate_errors(matches, fit_skills(matches)).round(3).tolist()
    [0.429, 0.395, 0.429]
    """
    function = _at_maximum(matches, skills, weights)
    pairs = function.comparisons
    if n_draws is None and pairs.n_players <= _EXACT:
        variance = _exact_variance(function)
    else:
        variance = _drawn_variance(function, 64 if n_draws is None else n_draws, np.random.default_rng(seed))
    return np.asarray(np.where(pairs.played, np.sqrt(np.maximum(variance, 0)), np.nan))


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
    function = _at_maximum(matches, skills, weights)
    island = function.comparisons.island
    errors = []
    for i, j in zip(np.atleast_1d(first), np.atleast_1d(second), strict=True):
        if island[i] != island[j]:
            errors.append(np.nan)
            continue
        right = np.zeros(function.n + 2)
        right[i] += 1
        right[j] -= 1
        x = _solve(function, right)
        errors.append(float(np.sqrt(x[i] - x[j])))
    return np.array(errors)


def _at_maximum(matches: Matches, skills: Skills, weights: Any) -> PenalisedLikelihood:
    """The likelihood with its curvature where the skills are."""
    if skills.provenance.method != "penalised skills" or skills.provenance.data != matches.fingerprint:
        raise LudometerError("errors need the matches of two that the skills were fitted to")
    comparisons = gather(matches, ordered=skills.advantage is not None, weights=weights)
    function = PenalisedLikelihood(comparisons, skills.link, skills.ridge)
    x = np.concatenate((np.nan_to_num(skills.skill), [skills.threshold, skills.advantage or 0.0]))
    function.evaluate(x)
    return function


def _solve(function: PenalisedLikelihood, right: Floats, *, tolerance: float = 1e-8) -> Floats:
    return conjugate_gradients(function.multiply, right, function.diagonal, tolerance=tolerance)


def _exact_variance(function: PenalisedLikelihood) -> Floats:
    """Diagonal of the inverse on skills that add up to 0 in each island: one solution a player."""
    pairs = function.comparisons
    size = _island_sizes(pairs)
    variance = np.zeros(pairs.n_players)
    for i in np.flatnonzero(pairs.played):
        right = np.zeros(function.n + 2)
        right[: function.n] = np.where(pairs.island == pairs.island[i], -1 / size[i], 0.0)
        right[i] += 1
        variance[i] = right @ _solve(function, right)
    return variance


def _drawn_variance(function: PenalisedLikelihood, n_draws: int, rng: np.random.Generator) -> Floats:
    pairs, n = function.comparisons, function.n
    inverse = 1 / np.where(pairs.played, function.diagonal[:n], 1.0)
    on_others = 1 - 2 * function.ridge * inverse
    squares = np.zeros(n)
    for _ in range(n_draws):
        right = _perturbation(function, rng)
        # the draws' own chance is larger than this error by far
        x = _solve(function, right, tolerance=1e-3)[:n]
        mean = x - pairs.centre(x)
        squares += (inverse * right[:n] - x + on_others * mean) ** 2
    # the island's mean, which only the ridge holds, is independent of the rest: its share is exact and taken off
    of_mean = (2 * inverse - 2 * function.ridge * inverse**2) / _island_sizes(pairs)
    return np.asarray(inverse - of_mean + squares / n_draws)


def _perturbation(function: PenalisedLikelihood, rng: np.random.Generator) -> Floats:
    """A random vector with the covariance H: a normal push along each pair and, for the ridge, on each player."""
    pairs, n = function.comparisons, function.n
    right = np.zeros(n + 2)
    push = np.sqrt(function.curvature[0]) * rng.standard_normal(len(pairs))
    if function.ties:
        dd, dt, tt = function.curvature
        safe = np.maximum(dd, 1e-300)
        rest = np.sqrt(np.maximum(tt - dt * dt / safe, 0))
        right[n] = float((dt / safe * push).sum() + (rest * rng.standard_normal(len(pairs))).sum())
    right[:n] = np.bincount(pairs.row, push, n) - np.bincount(pairs.opponent, push, n)
    right[:n] += np.sqrt(2 * function.ridge) * rng.standard_normal(n)
    if pairs.ordered:
        right[n + 1] = float(push.sum())
    return right


def _island_sizes(pairs: Comparisons) -> Counts:
    """How many players each player's island has."""
    return np.bincount(pairs.island)[pairs.island]
