"""A printed number beside ours, how well the two agree, and the tables that are made of such cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

Outcome = Literal["rounding", "percent", "chance", "further", "misprint", "absent", "given"]
Basis = Literal["paper", "data", "later", "other", "simulated"]

OUTCOMES: dict[Outcome, tuple[str, str]] = {
    "rounding": ("=", "within rounding"),
    "percent": ("~", "within 1%"),
    "chance": ("?", "within chance"),
    "further": ("x", "further off"),
    "misprint": ("!", "misprint"),
    "absent": (".", "not reproducible"),
    "given": ("", "input"),
}
"""Outcome → its mark and its name."""

BASES: dict[Basis, str] = {
    "paper": "computed from the paper's own numbers",
    "data": "measured from the paper's data",
    "later": "measured from a later state of the paper's source",
    "other": "measured from another collection of the same game",
    "simulated": "simulated anew",
}

_PERCENT = 0.01
_CHANCE = 2.0
_MORE_DIGITS = 4
_SLACK = 1e-9
"""Numbers such as 2.675 are not exact in binary; what is a half of the last digit counts as within rounding."""


@dataclass(frozen=True)
class Cell:
    """A number as printed and as it comes out here."""

    row: str
    column: str
    printed: float
    decimals: int
    """Of the print."""
    file: str
    """Where the printed number is kept."""
    ours: float | None = None
    basis: Basis | None = None
    span: tuple[float, float] | None = None
    """What the rounding of the printed numbers that go in allows ours to be."""
    sd: float | None = None
    """How far one run lies from the next, where the printed number comes from chance."""
    bound: bool = False
    """Printed as an upper bound."""
    given: bool = False
    """An input of other cells, no result."""
    misprint: str = ""
    """What the paper should have, where its number contradicts its own others."""
    note: str = ""
    """Why there is nothing of ours, or what is to be said of it."""

    def __post_init__(self) -> None:
        # digits that no comparison needs are dropped at once, so that what is stored is what was judged
        digits = self.decimals + _MORE_DIGITS
        for name in ("ours", "sd"):
            value = getattr(self, name)
            object.__setattr__(self, name, value if value is None else round(float(value), digits))
        if self.span is not None:
            low, high = self.span
            object.__setattr__(self, "span", (round(low, digits), round(high, digits)))

    @property
    def outcome(self) -> Outcome:
        """How well printed and ours agree."""
        if self.given:
            return "given"
        if self.misprint:
            return "misprint"
        if self.ours is None:
            return "absent"
        if self._agrees():
            return "rounding"
        if not self.bound and abs(self.ours - self.printed) <= _PERCENT * abs(self.printed):
            return "percent"
        if self.sd is not None and abs(self.ours - self.printed) <= _CHANCE * self.sd:
            return "chance"
        return "further"

    def _agrees(self) -> bool:
        assert self.ours is not None
        if self.bound:
            return self.ours < self.printed
        half = 0.5 * 10.0**-self.decimals
        slack = _SLACK * max(1.0, abs(self.printed))
        low, high = self.span or (self.ours, self.ours)
        return low - half - slack <= self.printed <= high + half + slack

    def show(self) -> tuple[str, str]:
        """Printed and ours as text, with the digits of the print; ours with its mark."""
        printed = ("<" if self.bound else "") + _text(self.printed, self.decimals)
        if self.given:
            return printed, ""
        mark = OUTCOMES[self.outcome][0]
        if self.ours is None:
            return printed, mark
        return printed, f"{_text(self.ours, self.decimals)} {mark}"

    def to_dict(self) -> dict[str, Any]:
        """What differs from the defaults, and the outcome."""
        kept = {field.name: getattr(self, field.name) for field in fields(self)}
        defaults = {field.name: field.default for field in fields(self)}
        return {name: value for name, value in kept.items() if value != defaults[name]} | {"outcome": self.outcome}

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Cell:
        """The cell that was stored."""
        values = {name: value for name, value in stored.items() if name != "outcome"}
        if "span" in values:
            values["span"] = tuple(values["span"])
        return cls(**values)


@dataclass(frozen=True)
class Table:
    """A published table: its cells, what to know of it, and the order of rows and columns, which is that of cells."""

    name: str
    title: str
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """Their order, where the first rows do not show it."""

    def counts(self) -> Counter[Outcome]:
        """How many cells came out how."""
        return Counter(cell.outcome for cell in self.cells)

    def to_text(self) -> str:
        """Two lines a row, as printed and ours with marks; with one column only, both beside each other."""
        rows = list(dict.fromkeys(cell.row for cell in self.cells))
        columns = list(self.columns or dict.fromkeys(cell.column for cell in self.cells))
        shown = {(cell.row, cell.column): cell.show() for cell in self.cells}
        if len(columns) == 1:
            pairs = [shown[row, columns[0]] for row in rows]
            return _grid(
                [("", "printed", "ours"), *((row, one, other) for row, (one, other) in zip(rows, pairs, strict=True))]
            )
        lines = [("", "", *(f"{column}  " for column in columns))]
        for row in rows:
            cells = [shown.get((row, column), ("", "")) for column in columns]
            lines.append((row, "printed", *(f"{printed}  " for printed, _ in cells)))
            if any(ours for _, ours in cells):
                lines.append(("", "ours", *(ours for _, ours in cells)))
        return _grid(lines, left=2)

    def remarks(self) -> list[str]:
        """What is to be said of cells: each remark once, with the cells that it is about."""
        about: dict[str, list[Cell]] = {}
        for cell in self.cells:
            said = "; ".join(part for part in (cell.misprint and f"misprint: {cell.misprint}", cell.note) if part)
            if said:
                about.setdefault(said, []).append(cell)
        return [f"{_places(cells)}: {said}" for said, cells in about.items()]

    def to_dict(self) -> dict[str, Any]:
        """For the stored results."""
        return {
            "name": self.name,
            "title": self.title,
            "notes": list(self.notes),
            "columns": list(self.columns),
            "cells": [cell.to_dict() for cell in self.cells],
        }

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Table:
        """The table that was stored."""
        cells = tuple(Cell.of_dict(cell) for cell in stored["cells"])
        return cls(stored["name"], stored["title"], cells, tuple(stored["notes"]), tuple(stored["columns"]))


def _text(value: float, decimals: int) -> str:
    text = f"{value:,.{decimals}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text


def _grid(lines: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns as wide as they need to be, the first ones to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    out = []
    for line in lines:
        parts = (
            f"{text:<{w}}" if k < left else f"{text:>{w}}" for k, (text, w) in enumerate(zip(line, widths, strict=True))
        )
        out.append("  ".join(parts).rstrip())
    return "\n".join(out)


def _places(cells: Sequence[Cell]) -> str:
    """Columns by row; rows that share their columns are told together, and many cells only counted."""
    columns: dict[str, list[str]] = {}
    for cell in cells:
        columns.setdefault(cell.row, []).append(cell.column)
    rows: dict[tuple[str, ...], list[str]] = {}
    for row, names in columns.items():
        rows.setdefault(tuple(names), []).append(row)
    if len(rows) > 3:
        return f"{len(cells)} cells"
    return "; ".join(
        ", ".join(which) + (f" ({', '.join(names)})" if names != ("printed",) else "") for names, which in rows.items()
    )
