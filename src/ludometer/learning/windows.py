"""What players were worth in each window of so many of their games, by those games alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.experience import earlier_matches
from ludometer.matches import Matches
from ludometer.scale import from_elo, to_elo

YEAR = 365.25
"""Days."""


@dataclass(frozen=True, eq=False)
class Windows:
    """A row for each window of each player, in order of player and time; ratings in Elo points around 0."""

    player: Codes
    number: Counts
    """0 for a player's first games."""
    rating: Floats
    place: Floats
    """Where in the record the window lies, from 0 to 1, by matches."""
    time: Floats | None
    """The mean time of its games: in years, or as the record has it."""


def rate_windows(matches: Matches, *, games: int, k: float) -> tuple[Windows, Floats]:
    """The performance of each player in each full window of so many games, and all players' last Elo ratings.

    Opponents count with their Elo ratings before each game. Everybody starts where a first pass over the record, from
    its end to its beginning, has left him: from equal starts the ratings would spread for a long time, and the strong
    would seem to learn and the weak to forget. The player's own rating is not used, so that windows share no game.
    """
    if games < 5:
        raise LudometerError(f"a window needs five games or more, not {games}")
    pairs = matches.pairs
    before, last = _ratings_before(matches, k)
    player = np.column_stack((pairs.first, pairs.second)).ravel()
    opponent = before[:, ::-1].ravel()
    score = np.column_stack((pairs.score, 1 - pairs.score)).ravel()
    number = earlier_matches(player) // games
    order = np.lexsort((np.arange(len(player)), number, player))
    player, number = player[order], number[order]
    fresh = np.ones(len(player), bool)
    fresh[1:] = (np.diff(player) != 0) | (np.diff(number) != 0)
    starts = np.flatnonzero(fresh)
    full = np.diff(np.append(starts, len(player))) == games
    if not full.any():
        raise LudometerError(f"nobody played {games} games: take shorter windows (--window N)")
    rows = (starts[full][:, np.newaxis] + np.arange(games)).ravel()
    chosen = order[rows]
    rating = rate_performance(opponent[chosen].reshape(-1, games), score[chosen].reshape(-1, games))
    match = (chosen // 2).reshape(-1, games)
    time = None if matches.time is None else _years(matches)[match].mean(axis=1)
    place = match.mean(axis=1) / max(len(matches) - 1, 1)
    return Windows(player[starts[full]], number[starts[full]], to_elo(rating), place, time), to_elo(last)


def rate_performance(opponent: Floats, score: Floats) -> Floats:
    """For each row the rating at which a player is expected to score what he did against these opponents.

    In natural units, by maximum likelihood with Firth's correction (1993): sum (S - E) + sum pq (1 - 2p) / (2 sum pq)
    is 0. It takes off the bias of short windows and is finite for those who won all.

    >>> rate_performance(np.zeros((2, 4)), np.array([[1.0, 1, 0, 0], [1, 1, 1, 1]])).round(2).tolist()
    [0.0, 2.2]
    """
    from scipy.special import expit

    mean = score.mean(axis=1)
    games = score.shape[1]
    share = (mean * games + 0.5) / (games + 1)
    rating = opponent.mean(axis=1) + np.log(share / (1 - share))
    for _ in range(50):
        expected = expit(rating[:, np.newaxis] - opponent)
        each = expected * (1 - expected)
        weight = np.maximum(each.sum(axis=1), 1e-12)
        slope = (score - expected).sum(axis=1) + (each * (0.5 - expected)).sum(axis=1) / weight
        step = np.clip(slope / weight, -1.0, 1.0)
        rating = rating + step
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return np.asarray(rating)


def _ratings_before(matches: Matches, k: float) -> tuple[Floats, Floats]:
    """Both players' ratings before each match, in natural units, and everybody's after the last."""
    from ludometer.kernels.elo import elo_pass

    pairs, step = matches.pairs, from_elo(k)
    rating, before = np.zeros((len(matches.players), 1)), np.empty((len(matches), 2))
    first, second = np.ascontiguousarray(pairs.first[::-1]), np.ascontiguousarray(pairs.second[::-1])
    halves = np.ascontiguousarray(pairs.halves[::-1])
    elo_pass(first, second, halves, rating, step, np.empty(0), np.empty((0, 2)))
    elo_pass(pairs.first, pairs.second, pairs.halves, rating, step, np.empty(0), before)
    return before, rating[:, 0]


def _years(matches: Matches) -> Floats:
    time = matches.time
    assert time is not None
    if time.dtype.kind == "M":
        return np.asarray(time.astype("datetime64[us]").astype(np.int64) / (YEAR * 86_400e6))
    return time.astype(np.float64)
