"""Whether players were paired by strength or in pools, and skills for simulated players that are paired alike.

A spread of ratings is narrower where players meet their like, since such matches tell little. If the schedule shows
directions along which those who met lie close together, the simulated players of a benchmark must have strengths
that follow them as the real ones do: draws from the posterior of the strengths, given results and directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.luck.schedule import find_structure, links
from ludometer.matches import Matches
from ludometer.strength import StrengthPosterior, fit_strengths

TOO_CLOSE = 0.75
"""Above this correlation of the strengths of opponents the yardstick is not recovered on simulated schedules."""

_FOLLOWS, _MAY_FOLLOW = 0.01, 0.1
"""Strengths follow the schedule if the test that they do not gives less than the first; where those who met lie so
close that much would hang on it, less than the second is enough to reckon with it."""

DRAWS = 32


@dataclass(frozen=True)
class Pairing:
    """What the schedule tells of who met whom."""

    detected: bool
    """The schedule is not that of players who meet at random."""
    correlation: float
    """Between the strengths of those who met: 0 at random, 1 if only equals meet."""
    n_directions: int
    p_value: float
    """Of the test that strengths do not follow the schedule at all."""
    follows: bool
    """Whether strengths have to be taken as following the schedule."""
    orders: Floats | None = None
    """Skills for simulated players (players, n), as standard normal scores; None where random ones will do."""

    @property
    def is_sound(self) -> bool:
        """Whether benchmarks on this schedule can be trusted."""
        return self.correlation <= TOO_CLOSE

    @property
    def corrected(self) -> bool:
        """Whether simulated players are paired like the real ones."""
        return self.follows and self.is_sound

    def without_orders(self) -> Pairing:
        """What was found, without the skills, which are as large as the record."""
        return replace(self, orders=None)


def study_pairing(matches: Matches, *, seed: Sequence[int]) -> Pairing:
    """Look for directions in the schedule, and if there are any, draw skills that follow them.

    >>> from ludometer.games import simulate_strengths
    >>> study_pairing(simulate_strengths(300, 9000), seed=[0]).detected
    False
    """
    rng = np.random.default_rng(np.random.SeedSequence([*seed]))
    first, second, score = links(matches, rng)
    n_players = len(matches.players)
    structure = find_structure(matches, rng=rng)
    if not structure.detected:
        return Pairing(False, 0.0, 0, 1.0, follows=False)
    posterior = fit_strengths(
        first,
        second,
        score,
        n_players=n_players,
        directions=structure.directions,
        looseness=structure.looseness,
        n_draws=DRAWS,
        rng=rng,
    )
    n_directions = structure.directions.shape[1]
    if posterior.p_value > (_MAY_FOLLOW if structure.closeness > TOO_CLOSE else _FOLLOWS):
        return Pairing(True, 0.0, n_directions, posterior.p_value, follows=False)
    counts = matches.counts
    orders = _draws_as_close(posterior, structure.closeness, counts, first, second)
    met = float(np.mean([_correlation(order, first, second) for order in orders.T[:8]]))
    return Pairing(True, met, n_directions, posterior.p_value, True, orders)


def _draws_as_close(
    posterior: StrengthPosterior, closeness: float, counts: Counts, first: Codes, second: Codes
) -> Floats:
    """Draws, drawn together towards their mode as far as needed for opponents to be as close as the schedule says."""
    around = posterior.draws - posterior.mode[:, np.newaxis]
    along = float(np.cov(posterior.mode, aweights=counts))
    # the directions tell of that part of the strengths only which the posterior finds along them
    wanted = closeness * along / (along + posterior.residual_sd**2)
    low, high = 0.0, 1.0
    for _ in range(7):
        part = 0.5 * (low + high)
        sample = normal_scores(posterior.mode[:, np.newaxis] + part * around[:, :4], counts)
        met = np.mean([_correlation(order, first, second) for order in sample.T])
        low, high = (part, high) if met > wanted else (low, part)
    return normal_scores(posterior.mode[:, np.newaxis] + high * around, counts)


def normal_scores(strength: Floats, counts: Counts) -> Floats:
    """Strengths as standard normal scores of their ranks, among players who played about equally often.

    Those of players with few matches lie closer together only because less is known of them.
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    level = np.log2(np.maximum(counts, 1)).astype(np.int64)
    top = int(level.max())
    while top > 0 and int((level == top).sum()) < 50:
        level[level == top] = top - 1
        top -= 1
    scores = np.empty_like(strength)
    for one in np.unique(level):
        same = level == one
        scores[same] = ndtri((rankdata(strength[same], axis=0) - 0.5) / int(same.sum()))
    return scores


def _correlation(strength: Floats, first: Codes, second: Codes) -> float:
    """Of the strengths of those who met, each match counted both ways round."""
    one, other = strength[first], strength[second]
    both = np.concatenate((one, other))
    centre, variance = both.mean(), both.var()
    return float(((one - centre) * (other - centre)).mean() / variance) if variance > 0 else 0.0
