"""A list of ratings from a file with one row per player."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.columns.names import FIRST, MATCH, find_named
from ludometer.read.columns.outcomes import numbers
from ludometer.read.faults import Faults, first_values
from ludometer.read.files.opening import open_source
from ludometer.read.files.source import Source

_RATING = ("rating", "elo", "ratings")


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
