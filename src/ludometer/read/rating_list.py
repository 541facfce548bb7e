"""Lists of ratings from files with one row per player."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.errors import LudometerError, MatchDataError
from ludometer.players import Players
from ludometer.read.columns.names import FIRST, MATCH, find_named
from ludometer.read.columns.outcomes import numbers
from ludometer.read.faults import Faults, first_values
from ludometer.read.files.opening import open_source
from ludometer.read.files.source import Source, plain_errors

if TYPE_CHECKING:
    from ludometer.ratings.saved import StartRatings

_RATING = ("rating", "elo", "ratings")
_PLAYER = ("player", "name")
_SD = ("sd", "deviation", "± sd")


@dataclass(frozen=True)
class RatingList:
    """The ratings of a list, and how it was read."""

    name: str
    column: str
    rating: Floats
    n_bad_rows: int

    @property
    def fingerprint(self) -> str:
        """Of the numbers, in order."""
        return hashlib.sha256(np.ascontiguousarray(self.rating, "<f8").tobytes()).hexdigest()[:16]

    def describe(self) -> list[str]:
        """In a line or two."""
        lines = [f"{self.name}: {len(self.rating):,} ratings · {self.column}"]
        return lines + ([f"{self.n_bad_rows:,} rows without a number left out"] if self.n_bad_rows else [])


def find_ratings(source: Any, column: str | None = None) -> tuple[Source, str] | None:
    """The source and its column of ratings; None where the file holds matches."""
    opened = open_source(source)
    if column is not None:
        (found,) = find_named(list(opened.schema), [column], "--rating", file=opened.name)
        return opened, found
    names = {name.strip().lower(): name for name in opened.schema}
    if opened.is_pgn or any(name in names for name in (*FIRST, *MATCH)):
        return None
    return next(((opened, names[word]) for word in _RATING if word in names), None)


def read_ratings(source: Any, *, column: str | None = None, drop_bad_rows: bool = False) -> RatingList:
    """Ratings from a path, "-" or a table: the column `rating` or `elo` unless named. All faults are reported at once.

    >>> import polars as pl
    >>> read_ratings(pl.DataFrame({"player": ["Ann", "Ben"], "rating": [1620.0, 1480.5]})).rating.tolist()
    [1620.0, 1480.5]
    """
    found = find_ratings(source, column)
    if found is None:
        raise LudometerError(f"no column holds ratings ({'|'.join(_RATING)}); name it with --rating")
    return collect_ratings(*found, drop_bad_rows=drop_bad_rows)


def collect_ratings(opened: Source, name: str, *, drop_bad_rows: bool = False) -> RatingList:
    """The numbers of the column."""
    faults, parts, n_rows = Faults(), [], 0
    for batch in opened.batches([name]):
        values = numbers(batch[name])
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            faults.add(f"{name} is not a number", bad + n_rows, first_values(batch[name], bad))
            faults.n_bad_rows += len(bad)
        n_rows += len(values)
        parts.append(values[np.isfinite(values)])
    if faults and not drop_bad_rows:
        raise MatchDataError(faults.message(opened.name, n_rows, below_header=opened.is_csv))
    rating = np.concatenate(parts) if parts else np.empty(0)
    if not len(rating):
        raise MatchDataError(f"{opened.name}: no ratings found")
    return RatingList(opened.name, name, rating, faults.n_bad_rows)


def read_start_ratings(source: Any) -> StartRatings:
    """Players with the ratings at which they start, and the SDs of these where they are known.

    >>> import polars as pl
    >>> start = read_start_ratings(pl.DataFrame({"player": ["Ann", "Ben"], "rating": [1620.0, 1480.5]}))
    >>> start.players.names.to_list(), start.rating.tolist()
    (['Ann', 'Ben'], [1620.0, 1480.5])
    """
    import polars as pl

    opened = open_source(source)
    names = {name.strip().lower(): name for name in opened.schema}
    found = [next((names[word] for word in words if word in names), None) for words in (_PLAYER, _RATING, _SD)]
    player, rating, sd = found
    if player is None or rating is None:
        lack = f"players ({'|'.join(_PLAYER)})" if player is None else f"ratings ({'|'.join(_RATING)})"
        raise LudometerError(
            f"{opened.name}: no column holds {lack}: a list of start ratings has the columns player, rating and, if "
            f"known, sd. The file has: {', '.join(opened.schema)}"
        )
    with plain_errors(opened.name):
        frame = pl.concat(list(opened.batches([name for name in found if name is not None])))
    players = frame[player].cast(pl.String).str.strip_chars().to_list()
    values, errors = numbers(frame[rating]), None if sd is None else numbers(frame[sd])
    faults = Faults()
    _note(faults, f"{player} is empty", np.array([not name for name in players], bool), frame[player])
    twice = frame[player].is_duplicated().to_numpy() & np.array([bool(name) for name in players], bool)
    _note(faults, f"{player} is there twice", twice, frame[player])
    _note(faults, f"{rating} is not a number", ~np.isfinite(values), frame[rating])
    if sd is not None and errors is not None:
        is_given = frame[sd].cast(pl.String).fill_null("").str.strip_chars().to_numpy() != ""
        _note(faults, f"{sd} is not a number above 0", is_given & ~(np.isfinite(errors) & (errors > 0)), frame[sd])
    if faults:
        rows = f"Row 1 is the first row{' below the header' if opened.is_csv else ''}. Correct the rows"
        raise MatchDataError("\n".join([f"{opened.name}: bad rows of {len(frame):,}", *faults.lines(), rows]))
    from ludometer.ratings.saved import StartRatings

    return StartRatings(Players.named(players), values, errors)


def _note(faults: Faults, kind: str, bad: Mask, column: Any) -> None:
    rows = np.flatnonzero(bad)
    faults.add(kind, rows, first_values(column, rows))
