"""The printed numbers: CSV files that lie in three places, each in one of them only."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = (
    ROOT / "reproductions" / "published",
    ROOT / "src/ludometer/measurement/benchmarks/tables",
    ROOT / "tests/golden",
)

KEYS: Mapping[str, tuple[str, ...]] = {
    "duersch2020_text.csv": ("number",),
    "edelkamp_examples.csv": ("number",),
    "edelkamp_table2.csv": (),
    "edelkamp_table8.csv": ("i1", "i2", "K"),
    "ferreira_figure1.csv": ("number",),
    "ferreira_table3_pairs.csv": ("player_1", "player_2"),
    "gilbert_wells_table2.csv": ("league", "season"),
    "gilbert_wells_table3.csv": ("league", "season"),
    "smith_learning.csv": ("bin",),
    "smith_numbers.csv": ("number",),
    "smith_tracking.csv": ("bin",),
}
"""The columns that name a row; elsewhere it is `game` or `player`. Rows without a name are numbered."""

NOT_PRINTED: Mapping[str, tuple[str, ...]] = {"ferreira_table3.csv": ("strength_exact",)}
"""Columns of the files that no paper has."""


@dataclass(frozen=True)
class Row:
    """A row as printed: its name, and the text of each number."""

    name: str
    texts: Mapping[str, str]

    def __getitem__(self, column: str) -> float:
        return float(self.texts[column])

    def digits(self, column: str) -> int:
        """Decimals of the text; right for files that keep the text of the print."""
        return len(self.texts[column].partition(".")[2])


@cache
def load(name: str) -> tuple[Row, ...]:
    """The rows of a file, wherever it lies; empty fields are left out."""
    with find(name).open(encoding="utf-8", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        found = list(csv.DictReader(lines))
    keys = KEYS.get(name) or tuple(key for key in ("game", "player") if found and key in found[0])
    rows = []
    for number, fields in enumerate(found, 1):
        label = " ".join(fields[key] for key in keys) or f"{number}"
        hidden = {*keys, *NOT_PRINTED.get(name, ())}
        rows.append(Row(label, {column: text for column, text in fields.items() if column not in hidden and text}))
    return tuple(rows)


def find(name: str) -> Path:
    """The path of a file of printed numbers."""
    for folder in FOLDERS:
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(name)


def by_name(name: str) -> dict[str, Row]:
    """The rows of a file by their names."""
    return {row.name: row for row in load(name)}
