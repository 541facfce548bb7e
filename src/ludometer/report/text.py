"""Text for the terminal: aligned tables, and names that cannot play tricks with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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
