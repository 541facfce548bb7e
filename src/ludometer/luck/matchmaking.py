"""Whom players meet: the difference of those who met, and what chance alone would give on the same activity."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.errors import NoFiniteFit
from ludometer.luck.spread import measure_spread
from ludometer.matches import Matches
from ludometer.ratings.best_fit import fit_best_elo
from ludometer.ratings.draws import draw_results, fit_draws
from ludometer.scale import expected_score, from_elo, to_elo


def mean_rating_difference(matches: Matches, *, k: float) -> float:
    """The mean of |R_i - R_j| over matches, with the ratings at the time of each (Duersch et al. 2020, Table 3)."""
    from ludometer.kernels.elo import elo_pass

    rating, total = np.zeros((len(matches.players), 1)), 0.0
    for part in matches.parts():
        pairs, before = part.pairs, np.empty((len(part), 2))
        elo_pass(pairs.first, pairs.second, pairs.halves, rating, from_elo(k), np.empty(0), before)
        total += float(np.abs(before[:, 0] - before[:, 1]).sum())
    return to_elo(total / len(matches))


def ratio_if_random(
    matches: Matches, *, sd: float, min_matches: int, seed: int = 0, replicates: int = 4
) -> float | None:
    """Mean difference over SD when the same players play as often as they did, but against anybody.

    Opponents are shuffled, skills are normal with the SD of the record, results logistic with its draw rate; the mean
    of a few such games, each fitted like the record. The record's ratio means something only beside this one, and even
    then little: players who meet only their like have narrower ratings too, so that the ratio hardly moves.
    None if the ratings of a simulated game do not spread, or have no best fit.
    """
    ratios = []
    for child in np.random.SeedSequence(seed).spawn(replicates):
        rng = np.random.default_rng(child)
        shuffled = _shuffle_opponents(matches, rng)
        simulated = _play(matches, *shuffled, skill=sd * rng.standard_normal(len(matches.players)), rng=rng)
        try:
            fit = fit_best_elo(simulated)
        except NoFiniteFit:
            return None
        spread = measure_spread(fit.rating, simulated.counts, min_matches=min_matches)
        if not spread.sd:
            return None
        ratios.append(mean_rating_difference(simulated, k=fit.k) / spread.sd)
    return float(np.mean(ratios))


def _shuffle_opponents(matches: Matches, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """The first seats as they are, the second seats shuffled; who would meet himself swaps with somebody."""
    first, second = matches.pairs.first, rng.permutation(matches.pairs.second)
    for _ in range(100):
        same = np.flatnonzero(first == second)
        if not len(same):
            break
        other = rng.integers(0, len(first), len(same))
        for i, j in zip(same, other, strict=True):
            second[i], second[j] = second[j], second[i]
    sound = first != second
    return first[sound], second[sound]


def _play(matches: Matches, first: Codes, second: Codes, *, skill: Floats, rng: np.random.Generator) -> Matches:
    expected = expected_score(skill[first] - skill[second])
    halves = draw_results(expected, fit_draws(expected, matches.draw_rate or 0.0), rng)
    return Matches.of_pairs(first, second, halves, players=matches.players, ordered=True)
