"""Does past success go on? A regression of results on a player's own average before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Floats
from ludometer.matches import Matches, Seats
from ludometer.ratings.prizes import WINNER, Prizes, seat_columns

_FEWEST_PLAYERS = 3
"""Two who play only each other mirror each other: clustered by player their residuals cancel to an error of 0."""


@dataclass(frozen=True)
class Persistence:
    """OLS of the score in a match on the player's average score before it, errors clustered by player."""

    observations: int
    slope: float | None = None
    std_error: float | None = None
    t: float | None = None
    r2: float | None = None


def measure_persistence(matches: Matches, *, min_matches: int = 25, prizes: Prizes = WINNER) -> Persistence:
    """Regress S_i^t = a + b (average of i before t) for players with `min_matches` matches (Duersch et al., Table 4).

    One observation for each player and match with at least one earlier match. In a game of chance b is 0. In matches
    of several S is the share of the largest prize, and matches of other sizes have other means: read b with care.
    """
    from ludometer.kernels.skills.averages import past_moments, past_moments_of_seats

    table, n_players = matches.table, len(matches.players)
    if isinstance(table, Seats):
        score = seat_columns(table, prizes)[1]
        moments = past_moments_of_seats(table.player, score, score, n_players)
    else:
        moments = past_moments(table.first, table.second, table.halves, n_players)
    return regress(moments[matches.counts >= min_matches])


def measure_mixed_persistence(matches: Matches, x: float, *, min_matches: int = 25, seed: int = 0) -> Persistence:
    """Persistence of the x%-game of two as Duersch et al. (Table 4) have it: past averages mix real and coin results.

    A result is kept with probability x, as in `mix`, but in the averages before later matches every result counts x
    of what was played and the rest of a coin. This explains their slope of .331 for 50%-chess, which lies above what
    averages of the mixed results themselves give.
    """
    from ludometer.kernels.skills.averages import past_moments_of_seats
    from ludometer.simulate.benchmarks import coin_on, mix

    real, part = matches.pairs, x / 100
    mixed, coin = mix(matches, x, seed=seed).pairs.score, coin_on(matches, seed=seed + 1).pairs.score
    averaged = part * real.score + (1 - part) * coin
    player, score, earned = (
        np.ascontiguousarray(np.column_stack(pair).ravel())
        for pair in ((real.first, real.second), (mixed, 1 - mixed), (averaged, 1 - averaged))
    )
    moments = past_moments_of_seats(player, score, earned, len(matches.players))
    return regress(moments[matches.counts >= min_matches])


def regress(moments: Floats) -> Persistence:
    """The regression from each player's sums of 1, x, y, xx, xy, yy.

    The variance is the sandwich with G / (G - 1) * (N - 1) / (N - 2) for G players and N observations.
    """
    n, x, y, xx, xy, yy = moments.sum(axis=0)
    n_players = len(moments)
    if n_players < _FEWEST_PLAYERS or n < 3:
        return Persistence(int(n))
    sxx, sxy, syy = xx - x * x / n, xy - x * y / n, yy - y * y / n
    if sxx <= 1e-12 * n or syy <= 1e-12 * n:
        return Persistence(int(n))
    slope = sxy / sxx
    intercept = (y - slope * x) / n
    # each player's sum of (x - mean) times residual
    residual = moments[:, 2] - intercept * moments[:, 0] - slope * moments[:, 1]
    weighted = moments[:, 4] - intercept * moments[:, 1] - slope * moments[:, 3]
    scores = weighted - x / n * residual
    variance = (scores @ scores) / sxx**2 * n_players / (n_players - 1) * (n - 1) / (n - 2)
    error = float(np.sqrt(variance))
    t = float(slope / error) if error > 1e-12 else None
    return Persistence(int(n), float(slope), error, t, min(1.0, float(sxy**2 / (sxx * syy))))
