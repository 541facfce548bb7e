"""Faults found while reading: all are counted, the first of each kind are shown with row, column and value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ludometer.arrays import Counts

_SHOWN = 3


@dataclass
class Faults:
    """What is wrong with the rows of one file, collected over its batches."""

    kinds: dict[str, _Kind] = field(default_factory=dict)
    n_bad_rows: int = 0

    def __bool__(self) -> bool:
        return bool(self.kinds)

    def add(self, kind: str, rows: Counts, values: Iterable[object] = ()) -> None:
        """Note that these rows (counted from 0) have this fault; `values` are what stands there, for the first few."""
        if not len(rows):
            return
        entry = self.kinds.setdefault(kind, _Kind())
        entry.count += len(rows)
        free = _SHOWN - len(entry.examples)
        if free > 0:
            shown = [*values][:free] or [None] * min(free, len(rows))
            entry.examples += zip(rows[: len(shown)].tolist(), shown, strict=True)

    def message(self, name: str, n_rows: int, *, below_header: bool) -> str:
        """One text for the reader: every kind with its count and first rows, then the remedy."""
        rows = "row" if self.n_bad_rows == 1 else "rows"
        lines = [f"{name}: {self.n_bad_rows:,} bad {rows} of {n_rows:,}"]
        for kind, entry in self.kinds.items():
            lines.append(f"  {kind}: {entry.count:,} ({', '.join(_example(*example) for example in entry.examples)}")
            lines[-1] += ", ...)" if entry.count > len(entry.examples) else ")"
        header = " below the header" if below_header else ""
        lines.append(f"Rows are counted from 1{header}. Correct them, or go on without them: --drop-bad-rows")
        return "\n".join(lines)


@dataclass
class _Kind:
    count: int = 0
    examples: list[tuple[int, object]] = field(default_factory=list)


def _example(row: int, value: object) -> str:
    if value is None:
        return f"row {row + 1:,}"
    text = str(value)
    return f"row {row + 1:,}: {text[:40] + '...' if len(text) > 40 else text!r}"


def first_values(column: Iterable[object], rows: Counts) -> list[object]:
    """The values at the first few of these positions of a column that can be indexed."""
    return [column[int(row)] for row in np.asarray(rows)[:_SHOWN]]  # type: ignore[index]
