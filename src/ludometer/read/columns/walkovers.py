"""Matches that were decided without play, where another column than the result says so: they count unless left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ludometer.arrays import Mask
from ludometer.read.columns.names import RESULT, Finder, PairColumns, SeatColumns
from ludometer.read.columns.outcomes import NO_PLAY

if TYPE_CHECKING:
    import polars as pl

_NAMES = ("walkover", "is_walkover", "walk_over", "forfeit", "is_forfeit", "forfeited")
_YES = ("1", "1.0", "true", "yes", "y", "x")


@dataclass
class Walkovers:
    """Counts the walkovers among the rows that are used."""

    column: str | None
    """A column of yes and no, or beside winner and loser one with the score, which may be W/O."""
    is_score: bool = False
    n_found: int = 0
    values: dict[str, None] = field(default_factory=dict)
    """How they are written, in order of appearance."""

    def count(self, frame: pl.DataFrame, kept: Mask) -> None:
        """Count those of one batch."""
        import polars as pl

        if self.column is None:
            return
        written = frame[self.column].filter(pl.Series(kept)).drop_nulls()
        if written.dtype == pl.Boolean:
            self.n_found += int(written.sum())
            return
        written = written.cast(pl.String)
        says_so = written.str.strip_chars().str.to_lowercase().is_in(sorted(NO_PLAY) if self.is_score else _YES)
        self.n_found += int(says_so.sum())
        self.values |= dict.fromkeys(written.filter(says_so).unique(maintain_order=True))

    def notes(self, schema: dict[str, pl.DataType]) -> list[str]:
        """How many there are, and how to leave them out."""
        if not self.n_found or self.column is None:
            return []
        name = self.column if self.column.isidentifier() else f"`{self.column}`"
        condition = f"not {name}"
        if self.values:
            is_number = schema[self.column].is_numeric()
            listed = ", ".join(text if is_number else f"'{text}'" for text in self.values)
            condition += f" in ({listed})"
        are, them = ("match is a walkover", "it") if self.n_found == 1 else ("matches are walkovers", "them")
        counts = "counts" if self.n_found == 1 else "count"
        return [
            f"{self.n_found:,} {are} by column {self.column} and {counts} as played; to leave {them} out: "
            f'--where "{condition}"'
        ]


def find_walkovers(names: Sequence[str], columns: PairColumns | SeatColumns, *, file: str) -> Walkovers:
    """The column of a file with these column names that tells of walkovers, if there is one."""
    if isinstance(columns, SeatColumns):
        return Walkovers(None)
    finder = Finder(tuple(names), file, is_wide=True)
    column = finder.first_of(_NAMES)
    if column is None and not columns.score:
        return Walkovers(finder.first_of(RESULT), is_score=True)
    return Walkovers(column)
