"""Matches to come, from a file with one row per pair of players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.columns.names import FIRST, SECOND, TIME, UNEQUAL, WINNER
from ludometer.read.faults import Faults, first_values
from ludometer.read.files.opening import open_source
from ludometer.read.files.source import plain_errors

if TYPE_CHECKING:
    from ludometer.ratings.prediction import Fixtures

_NEUTRAL = ("neutral", "is_neutral", "neutral_ground", "neutral_site", "neutral_venue")
_TRUE, _FALSE = frozenset(("1", "1.0", "true", "yes", "y")), frozenset(("", "0", "0.0", "false", "no", "n"))


def read_fixtures(source: Any, *, first: str | None = None, second: str | None = None) -> Fixtures:
    """Who meets whom: columns such as player_1 and player_2, white and black, home and away, or those that are named.

    White and the home side are better off, but on neutral ground, if a column says so. A date is kept.

    >>> import polars as pl
    >>> games = pl.DataFrame({"home": ["Ann", "Ben"], "away": ["Ben", "Cem"], "neutral": ["no", "yes"]})
    >>> read_fixtures(games).seat.tolist()
    [1, 0]
    """
    import polars as pl

    opened = open_source(source)
    names = {name.strip().lower(): name for name in opened.schema}
    pair = _find_pair(names, first, second)
    if pair is None:
        raise LudometerError(
            f"{opened.name}: no two columns name the players who meet: call them player_1 and player_2, white and "
            f"black, or home and away. The file has: {', '.join(opened.schema)}"
        )
    time = next((names[word] for word in TIME if word in names), None)
    neutral = next((names[word] for word in _NEUTRAL if word in names), None)
    wanted = [name for name in (*pair, time, neutral) if name is not None]
    with plain_errors(opened.name):
        parts = list(opened.batches(wanted))
    if not sum(map(len, parts)):
        raise MatchDataError(f"{opened.name}: the file has columns but no pairs")
    frame = pl.concat(parts).with_columns(pl.all().cast(pl.String).str.strip_chars())
    faults = Faults()
    for name in pair:
        empty = np.flatnonzero((frame[name].fill_null("") == "").to_numpy())
        faults.add(f"{name} is empty", empty, first_values(frame[name], empty))
    is_unequal = (pair[0].strip().lower(), pair[1].strip().lower()) in UNEQUAL
    seat = np.full(len(frame), is_unequal, np.int8)
    if neutral is not None:
        words = frame[neutral].fill_null("").str.to_lowercase()
        strange = np.flatnonzero(~words.is_in([*_TRUE, *_FALSE]).to_numpy())
        faults.add(f"{neutral} is not yes or no", strange, first_values(frame[neutral], strange))
        seat[words.is_in(list(_TRUE)).to_numpy()] = 0
    if faults:
        where = f"Row 1 is the first row{' below the header' if opened.is_csv else ''}. Correct the rows"
        raise MatchDataError("\n".join([f"{opened.name}: bad rows of {len(frame):,}", *faults.lines(), where]))
    one, two = (tuple(frame[name].to_list()) for name in pair)
    moments = None if time is None else tuple(moment or None for moment in frame[time])
    from ludometer.ratings.prediction import Fixtures

    return Fixtures(one, two, seat if is_unequal else None, moments, pair, opened.name)


def _find_pair(names: dict[str, str], first: str | None, second: str | None) -> tuple[str, str] | None:
    """The columns of the two players: those that are named if they are there, else by their usual names."""
    given = tuple(names.get((name or "").strip().lower()) for name in (first, second))
    if given[0] is not None and given[1] is not None:
        return given[0], given[1]
    usual = (*((one, two) for one, two in zip(FIRST, SECOND, strict=True) if one != WINNER), *UNEQUAL)
    return next(((names[one], names[two]) for one, two in usual if one in names and two in names), None)
