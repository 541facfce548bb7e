"""Teams in one row: one column per player, or more than one name in a cell; rows become seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Halves, Mask
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    import polars as pl

_MOST_NAMES = 100
_SEPARATORS = ("/", "&", ";", "+")
_SAMPLE = 1_000


def split_names(frame: pl.DataFrame, columns: Sequence[str], separator: str | None) -> list[pl.Series]:
    """The players of one side: one column each; cells with several names become as many columns as the longest needs.

    >>> import polars as pl
    >>> cells = pl.DataFrame({"winner": ["Ann / Ben", "Cem"]})
    >>> [names.to_list() for names in split_names(cells, ["winner"], "/")]
    [['Ann ', 'Cem'], [' Ben', None]]
    """
    import polars as pl

    if separator is None:
        return [frame[name] for name in columns]
    split = []
    # blanks around a sign mean nothing, but those around a word keep it from being found within a name
    mark = separator if separator.strip().isalnum() else separator.strip()
    for name in columns:
        parts = frame[name].cast(pl.String).str.split(mark)
        most = int(parts.list.len().max() or 1)  # type: ignore[arg-type]
        if most > _MOST_NAMES:
            raise LudometerError(f"a cell of column {name} holds {most:,} names: at most {_MOST_NAMES} are read")
        split += [parts.list.get(seat, null_on_oob=True) for seat in range(most)]
    return split


def repeated_players(ours: Codes, theirs: Codes) -> tuple[Mask, Mask]:
    """Rows in which a player appears twice, and those of them in which they do on both sides."""
    codes = np.sort(np.hstack((ours, theirs)), axis=1)
    twice = ((np.diff(codes, axis=1) == 0) & (codes[:, 1:] >= 0)).any(axis=1)
    both = np.zeros(len(codes), bool)
    rows = np.flatnonzero(twice)
    meets = (ours[rows][:, :, None] == theirs[rows][:, None, :]) & (ours[rows][:, :, None] >= 0)
    both[rows] = meets.any(axis=(1, 2))
    return twice, both


def seats_of(ours: Codes, theirs: Codes, halves: Halves) -> tuple[Mask, Counts, Codes, Codes, Codes]:
    """Which cells hold a player, and of these: offsets of the matches, players, places and sides (0 or 1)."""
    codes = np.hstack((ours, theirs))
    present = codes >= 0
    side = np.repeat(np.array([0, 1], np.int32), [ours.shape[1], theirs.shape[1]])
    lost = np.where(side == 0, halves[:, None] < 1, halves[:, None] > 1)
    starts = np.concatenate(([0], np.cumsum(present.sum(axis=1))))
    return (
        present,
        starts,
        codes[present],
        (1 + lost)[present].astype(np.int32),
        np.broadcast_to(side, codes.shape)[present],
    )


def spread(values: Array, present: Mask, side: Codes) -> Array:
    """Values of the two sides, or of each player, as values of seats."""
    if values.shape[1] == present.shape[1]:
        return values[present]
    if not values.shape[1]:
        return values
    row = np.repeat(np.arange(len(values)), present.sum(axis=1))
    return values[row, side]


def padded(codes: Sequence[Codes]) -> Codes:
    """Players of all batches, whose cells may hold more names in one than in another."""
    width = max(own.shape[1] for own in codes)
    return np.concatenate([np.pad(own, ((0, 0), (0, width - own.shape[1])), constant_values=-1) for own in codes])


def find_separator(names: pl.Series) -> str | None:
    """What separates players, if most names look like several of them."""
    head = names.head(_SAMPLE)
    for separator in _SEPARATORS:
        if 2 * int(head.str.contains(rf"\w\s*[{separator}]\s*\w").sum()) > len(head):
            return separator
    return None
