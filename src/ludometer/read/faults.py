"""Faults found while reading: all are counted, the first of each kind are shown with row, column and value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from ludometer.arrays import Counts

_SHOWN = 3
_COUNTED = 10_000
"""Values of one batch that are looked at."""


@dataclass
class Faults:
    """What is wrong with the rows of one file, collected over its batches."""

    kinds: dict[str, _Kind] = field(default_factory=dict)
    n_bad_rows: int = 0
    locate: Callable[[int], str] = field(default=lambda row: f"row {row + 1:,}")
    """Where a row is, in words."""

    def __bool__(self) -> bool:
        return bool(self.kinds)

    def add(self, kind: str, rows: Counts, values: Iterable[object] = ()) -> None:
        """Note that these rows (counted from 0) have this fault; `values` are the values there."""
        if not len(rows):
            return
        entry = self.kinds.setdefault(kind, _Kind())
        entry.count += len(rows)
        quoted = False
        for row, value in zip(rows.tolist(), values, strict=False):
            quoted = True
            entry.note(row, str(value))
        if not quoted:
            for row in rows[:_SHOWN].tolist():
                entry.note(row, f"{row}", is_quoted=False)

    def lines(self) -> list[str]:
        """Every kind with its count and first rows."""
        return [f"  {kind}: {entry.count:,} ({entry.describe(self.locate)})" for kind, entry in self.kinds.items()]

    def message(self, name: str, n_rows: int, *, below_header: bool) -> str:
        """One text for the reader: every kind with its count and first rows, then the remedy."""
        rows = "row" if self.n_bad_rows == 1 else "rows"
        lines = [f"{name}: {self.n_bad_rows:,} bad {rows} of {n_rows:,}", *self.lines()]
        header = " below the header" if below_header else ""
        lines.append(f"Row 1 is the first row{header}. Correct the rows, or leave them out with --drop-bad-rows")
        return "\n".join(lines)


@dataclass
class _Example:
    """A value, or a row where no value is shown: where it was first, and how often it was."""

    row: int
    is_quoted: bool
    count: int = 0


@dataclass
class _Kind:
    count: int = 0
    examples: dict[str, _Example] = field(default_factory=dict)

    def note(self, row: int, value: str, *, is_quoted: bool = True) -> None:
        """One more; only the first few different ones are kept."""
        if value in self.examples or len(self.examples) < _SHOWN:
            self.examples.setdefault(value, _Example(row, is_quoted)).count += 1

    def describe(self, locate: Callable[[int], str]) -> str:
        """Where and what the first ones are."""
        shown = []
        for value, example in self.examples.items():
            text = locate(example.row)
            if example.is_quoted:
                text += f": {value[:40] + '...' if len(value) > 40 else value!r}"
            shown.append(text + (f" and {example.count - 1:,} more like it" if example.count > 1 else ""))
        more = ", ..." if self.count > sum(example.count for example in self.examples.values()) else ""
        return ", ".join(shown) + more


def first_values(column: Iterable[object], rows: Counts) -> list[object]:
    """The values at the first of these positions of a column that can be indexed: enough to count what is common."""
    return [column[int(row)] for row in np.asarray(rows)[:_COUNTED]]  # type: ignore[index]
