"""Whom players meet: the difference of those who met, and what chance alone would give on the same activity."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.errors import NoFiniteFit
from ludometer.matches import Matches, Pairs, Seats
from ludometer.measurement.spread.spread import measure_spread
from ludometer.ratings.draws import draw_results, fit_draws
from ludometer.ratings.prizes import RECORDED, WINNER, Prizes, seat_columns
from ludometer.ratings.systems.best_fit import fit_best_elo
from ludometer.scale import expected_score, from_elo, to_elo


def mean_rating_difference(matches: Matches, *, k: float, prizes: Prizes = WINNER, share: float = 1.0) -> float:
    """The mean of |R_i - R_j| over matches, with the ratings at the time of each (Duersch et al. 2020, Table 3).

    Of several players it is the mean over the pairs of a match.
    """
    from ludometer.kernels.systems.elo import elo_pass
    from ludometer.kernels.systems.multiplayer import seats_pass

    rating, total = np.zeros((len(matches.players), 1)), 0.0
    for part in matches.parts():
        table = part.table
        if isinstance(table, Pairs):
            before = np.empty((len(part), 2))
            elo_pass(table.first, table.second, table.halves, rating, from_elo(k), np.empty(0), before, share)
            total += float(np.abs(before[:, 0] - before[:, 1]).sum())
        else:
            prize, score = seat_columns(table, prizes)
            ratings = np.empty(len(table.player))
            seats_pass(table.starts, table.player, score, prize, rating, from_elo(k), np.empty(0), ratings)
            total += _differences(table, ratings)
    return to_elo(total / len(matches))


def _differences(seats: Seats, value: Floats) -> float:
    """The sum over matches of the mean difference between two of its seats."""
    total = 0.0
    for size in np.unique(seats.sizes):
        rows = seats.starts[:-1][seats.sizes == size][:, np.newaxis] + np.arange(size)
        # in order of size each value is subtracted as often as smaller ones are counted, and added likewise
        weight = (2 * np.arange(size) - size + 1) / (size * (size - 1) / 2)
        total += float((np.sort(value[rows], axis=1) @ weight).sum())
    return total


def ratio_if_random(
    matches: Matches, *, sd: float, min_matches: int, prizes: Prizes = WINNER, seed: int = 0, replicates: int = 4
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
        skill = sd * rng.standard_normal(len(matches.players))
        simulated = _replay(matches, skill, rng)
        # shuffled seats have no prizes of their own
        paid = WINNER if prizes.rule == RECORDED.rule else prizes
        try:
            fit = fit_best_elo(simulated, prizes=paid)
        except NoFiniteFit:
            return None
        spread = measure_spread(fit.rating, simulated.counts, min_matches=min_matches)
        if not spread.sd:
            return None
        ratios.append(mean_rating_difference(simulated, k=fit.k, prizes=paid) / spread.sd)
    return float(np.mean(ratios))


def _replay(matches: Matches, skill: Floats, rng: np.random.Generator) -> Matches:
    """Players of these skills, equally active, against anybody."""
    if isinstance(matches.table, Seats):
        return _replay_seats(matches, skill, rng)
    first, second = _shuffle_opponents(matches, rng)
    expected = expected_score(skill[first] - skill[second])
    halves = draw_results(expected, fit_draws(expected, matches.draw_rate or 0.0), rng)
    return Matches.of_pairs(first, second, halves, players=matches.players, ordered=True)


def _replay_seats(matches: Matches, skill: Floats, rng: np.random.Generator) -> Matches:
    """All seats shuffled; matches in which somebody would sit twice are left out."""
    seats = matches.seats
    player = rng.permutation(seats.player)
    match = np.repeat(np.arange(len(seats)), seats.sizes)
    order = np.lexsort((player, match))
    twice = (np.diff(player[order]) == 0) & (np.diff(match[order]) == 0)
    sound = np.ones(len(seats), bool)
    sound[match[order[1:][twice]]] = False
    kept = sound[match]
    starts = np.concatenate(([0], np.cumsum(seats.sizes[sound])))
    key = from_elo(skill)[player] + rng.gumbel(size=len(player))
    return Matches.of_seats(starts, player[kept], -key[kept], players=matches.players, ordered=True)


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
