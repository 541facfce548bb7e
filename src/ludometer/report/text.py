"""Text for the terminal: aligned tables, lists of players, and names that cannot play tricks with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def format_table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, left: Iterable[int] = (0,)) -> str:
    """Columns side by side, numbers to the right; the columns in `left` to the left.

    >>> print(format_table(["player", "rating"], [["Ann", "1510.2"], ["Benedict", "989.0"]]))
    player    rating
    Ann       1510.2
    Benedict   989.0
    """
    table = [list(headers), *([_shortened(printable(cell)) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(headers))]
    flush_left = set(left)
    lines = (
        "  ".join(
            cell.ljust(width) if column in flush_left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in table
    )
    return "\n".join(line.rstrip() for line in lines)


def format_players(frame: pl.DataFrame) -> str:
    """A numbered list of players with ratings and, where they are known, uncertainty and time of the last match."""
    from ludometer.wording import time_text

    if frame.is_empty():
        return "no player fits"
    columns = {
        "player": list(frame["player"]),
        "rating": [f"{rating:.1f}" for rating in frame["rating"]],
        "± SD": [f"{sd:.0f}" for sd in frame["sd"] if sd is not None],
        "matches": [f"{matches:,}" for matches in frame["matches"]],
        "last played": [str(time_text(last)).split(".")[0] for last in frame["last"] if last is not None],
    }
    known = {name: cells for name, cells in columns.items() if cells}
    numbers = map(str, range(1, len(frame) + 1))
    return format_table(["", *known], list(zip(numbers, *known.values(), strict=True)), left=(1,))


_JOINERS = "\u200c\u200d"
"""They belong to names in Persian and Hindi, and to some emojis."""


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def printable(text: str) -> str:
    """The text without control characters, which a file could use to write elsewhere on the screen.

    >>> printable("Ann\\x1b[2J")
    'Ann�[2J'
    """
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() or mark in _JOINERS else "\ufffd" for mark in text)
