"""How many matches players had behind them at each match, and records restricted by that."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Codes, Counts
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches


def earlier_matches(player: Codes) -> Counts:
    """For each seat, in how many earlier ones the same player sat.

    >>> earlier_matches(np.array([0, 1, 0, 2, 0])).tolist()
    [0, 0, 1, 0, 2]
    """
    order = np.argsort(player, kind="stable")
    ordered = player[order]
    fresh = np.ones(len(player), bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    begin = np.maximum.accumulate(np.where(fresh, np.arange(len(player)), 0))
    earlier = np.empty(len(player), np.int64)
    earlier[order] = np.arange(len(player)) - begin
    return earlier


def least_experience(matches: Matches) -> Counts:
    """For each match, how many matches its least experienced player had played before."""
    seats = matches.seats
    return np.minimum.reduceat(earlier_matches(seats.player), seats.starts[:-1])


def with_experience(matches: Matches, text: str) -> Matches:
    """Only matches whose players all had so many earlier ones: "150:250" is from 150 to 250, "150:" or ":250" too.

    >>> duels = Matches.of_pairs([0, 0, 0], [1, 1, 1], [1, 0, 1])
    >>> len(with_experience(duels, "1:")), len(with_experience(duels, ":0"))
    (2, 1)
    """
    low, colon, high = text.partition(":")
    try:
        least, most = int(low or 0), int(high) if high.strip() else None
    except ValueError:
        colon = ""
    if not colon or least < 0 or (most is not None and most < least):
        raise LudometerError(
            f"--experience {text}: write two numbers of matches, such as 150:250, or one, such as 150:"
        )
    seats = matches.seats
    if not len(seats):
        return matches
    earlier = earlier_matches(seats.player)
    inside = np.minimum.reduceat(earlier, seats.starts[:-1]) >= least
    if most is not None:
        inside &= np.maximum.reduceat(earlier, seats.starts[:-1]) <= most
    if not inside.any():
        raise MatchDataError(f"in no match did all players have an experience of {text} matches")
    kept = matches.take(inside)
    return kept.recode(kept.counts > 0)
