"""Passes of older multiplayer ratings: one winner per match, in natural units, and quotients of scores and ratings."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.runtime.compile import JIT, kernel

MEAN, REPEATED, POINTS, SOFTMAX, EACH = range(5)
"""Against the mean opponent; the same n - 1 times; with n / 2 points at stake; shares of all; each opponent in turn."""


def winner_pass_plain(
    starts: Counts, player: Codes, place: Codes, rating: Floats, step: float, method: int, expected: Floats
) -> None:
    """The plain twin of `winner_pass`."""
    for start, stop in pairwise(starts):
        who, n = player[start:stop], stop - start
        own, won = rating[who], place[start:stop] == 1
        score = won / won.sum()
        others = (own.sum() - own) / (n - 1)
        against_mean = 1 / (1 + np.exp(others - own))
        weight = np.exp(own - own.max())
        share = weight / weight.sum()
        expected[start:stop] = share if method in (SOFTMAX, EACH) else against_mean
        if method == MEAN:
            rating[who] = own + step * (score - against_mean)
        elif method == POINTS:
            rating[who] = own + step * (n / 2 * score - against_mean)
        elif method == SOFTMAX:
            rating[who] = own + step * (score - share)
        elif method == REPEATED:
            for i in range(n):
                moved = own[i]
                for _ in range(n - 1):
                    moved += step * (score[i] - 1 / (1 + math.exp(others[i] - moved)))
                rating[who[i]] = moved
        else:
            for winner in who[won]:
                for loser in who[~won]:
                    miss = step / won.sum() * (1 - 1 / (1 + math.exp(rating[loser] - rating[winner])))
                    rating[winner] += miss
                    rating[loser] -= miss


@kernel
def _winner_pass(
    starts: Counts, player: Codes, place: Codes, rating: Floats, step: float, method: int, expected: Floats
) -> None:
    """Play matches with one winner, or with a shared win, moving `rating` in place."""
    own = np.empty(0 if len(starts) < 2 else np.diff(starts).max())
    for match in range(len(starts) - 1):
        start, stop = starts[match], starts[match + 1]
        n = stop - start
        total, weights, best, n_won = 0.0, 0.0, -math.inf, 0
        for seat in range(start, stop):
            own[seat - start] = rating[np.uint32(player[seat])]
            total += own[seat - start]
            best = max(best, own[seat - start])
            n_won += place[seat] == 1
        for i in range(n):
            weights += math.exp(own[i] - best)
        for seat in range(start, stop):
            mine = own[seat - start]
            others = (total - mine) / (n - 1)
            score = 1.0 / n_won if place[seat] == 1 else 0.0
            if method in (SOFTMAX, EACH):
                expected[seat] = math.exp(mine - best) / weights
            else:
                expected[seat] = _logistic(mine - others)
            if method == REPEATED:
                for _ in range(n - 1):
                    mine += step * (score - _logistic(mine - others))
            elif method != EACH:
                mine += step * ((score * n / 2 if method == POINTS else score) - expected[seat])
            rating[np.uint32(player[seat])] = mine
        if method == EACH:
            _beat_each(player, place, rating, start, stop, step / n_won)


winner_pass = _winner_pass if JIT else winner_pass_plain


def quotient_pass_plain(
    starts: Counts, player: Codes, score: Floats, rating: Floats, weight: float, before: Floats
) -> None:
    """The plain twin of `quotient_pass`."""
    for start, stop in pairwise(starts):
        who, own, result = player[start:stop], rating[player[start:stop]], score[start:stop]
        before[start:stop] = own
        for i in range(stop - start):
            game = result[i] * (result.sum() - result[i])
            elo = own[i] * (own.sum() - own[i])
            quotient = 1.0
            if game > 0 and elo > 0:
                quotient = result[i] / (result.sum() - result[i]) * (own.sum() - own[i]) / own[i]
            rating[who[i]] = (own[i] * weight + result[i] * math.sqrt(quotient)) / (weight + 1)


@kernel
def _quotient_pass(starts: Counts, player: Codes, score: Floats, rating: Floats, weight: float, before: Floats) -> None:
    """R <- (R f + S sqrt(Y)) / (f + 1), Y = (S / others' S) / (R / others' R), moving `rating` in place.

    Where a quotient is not positive, the score counts as it is. `before` gets the ratings before each series.
    """
    for match in range(len(starts) - 1):
        start, stop = starts[match], starts[match + 1]
        total, level = 0.0, 0.0
        for seat in range(start, stop):
            before[seat] = rating[np.uint32(player[seat])]
            total += score[seat]
            level += before[seat]
        for seat in range(start, stop):
            own, result = before[seat], score[seat]
            quotient = 1.0
            if result * (total - result) > 0.0 and own * (level - own) > 0.0:
                quotient = result / (total - result) * (level - own) / own
            rating[np.uint32(player[seat])] = (own * weight + result * math.sqrt(quotient)) / (weight + 1.0)


quotient_pass = _quotient_pass if JIT else quotient_pass_plain


@register_jitable
def _logistic(difference):  # type: ignore[no-untyped-def]  # Numba infers the types
    return 1.0 / (1.0 + math.exp(-difference))


@register_jitable
def _beat_each(player, place, rating, start, stop, step):  # type: ignore[no-untyped-def]
    """The winner beats the others one by one, in the order of the seats."""
    for winner in range(start, stop):
        if place[winner] == 1:
            for loser in range(start, stop):
                if place[loser] > 1:
                    i, j = np.uint32(player[winner]), np.uint32(player[loser])
                    miss = step * (1.0 - _logistic(rating[i] - rating[j]))
                    rating[i] += miss
                    rating[j] -= miss
