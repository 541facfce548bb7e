"""Days and rating periods of matches, counted absolutely: a part of a record keeps the periods of the whole."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches

_WEEK = 7.0
"""Forecasts use the ratings before the period: months make them stale during tournaments, days let deviations grow too
fast in pauses. Of 1, 7, 30 and 90 days a week predicted tennis best and came second in football and chess."""


def days_of(matches: Matches, purpose: str) -> Floats:
    """When each match was played, in days; times that are numbers are taken as days."""
    if matches.time is None:
        raise MatchDataError(f"{purpose} needs times, which these matches do not have; --time names a column")
    time: Any = matches.time
    if time.dtype.kind != "M":
        return np.asarray(time, np.float64)
    day = np.datetime64(1, "D") - np.datetime64(0, "D")
    return np.asarray((time - np.datetime64(0, "D")) / day)


def periods_of(matches: Matches, n_before: int, *, days: float | None, games: int | None) -> tuple[Counts, bool]:
    """The rating period of each match, and whether the periods that a player misses can be counted.

    A period has so many `games` of the record or so many `days`. With neither, it is a week where times are dates, one
    time where they are numbers (months, rounds), and one match where there are none; pauses are then unknown.

    >>> periods_of(Matches.of_pairs([0, 0, 0], [1, 1, 1], [1, 1, 1]), 4, days=None, games=5)[0].tolist()
    [0, 1, 1]
    """
    if games is not None:
        return (n_before + np.arange(len(matches))) // games, True
    if matches.time is None:
        if days is not None:
            days_of(matches, "a rating period in days")
        return n_before + np.arange(len(matches)), False
    is_date = matches.time.dtype.kind == "M"
    length = (_WEEK if is_date else 1.0) if days is None else days
    return np.floor(days_of(matches, "a rating period") / length).astype(np.int64), True


def times_of(matches: Matches) -> tuple[Floats, bool]:
    """When each match was played, in units of the usual period (weeks, or the numbers as they are), and whether it is
    known.
    """
    if matches.time is None:
        return np.zeros(len(matches)), False
    return days_of(matches, "time") / (_WEEK if matches.time.dtype.kind == "M" else 1.0), True


def check_periods(days: float | None, games: int | None) -> None:
    """Refuse periods without length, or with two lengths."""
    if isinstance(days, str):
        raise LudometerError(f"a rating period is a number of days, not {days!r}; matches=1 makes each match one")
    if days is not None and games is not None:
        raise LudometerError("give a rating period in days or in matches, not both")
    for value in (days, games):
        if value is not None and not (math.isfinite(value) and value > 0):
            raise LudometerError(f"a rating period must be above 0, not {value}")
    if games is not None and games != int(games):
        raise LudometerError(f"a rating period has a whole number of matches, not {games}")
