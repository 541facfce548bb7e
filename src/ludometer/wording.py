"""Numbers, times, tables and names in text and JSON, written the same way everywhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any


def percent(share: float, digits: int = 1) -> str:
    """A share of 1 as a percentage.

    >>> percent(0.777), percent(0.5, 0)
    ('77.7%', '50%')
    """
    return f"{100 * share:.{digits}f}%"


def percentages(shares: Sequence[float], digits: int = 1) -> list[str]:
    """Shares that add up to 1, as percentages that add up to 100: those that would lose most are rounded up.

    >>> percentages([0.38463, 0.33114, 0.28423])
    ['38.5%', '33.1%', '28.4%']
    """
    unit = 10**digits
    exact = [100 * unit * share for share in shares]
    whole = [int(value) for value in exact]
    missing = round(sum(exact)) - sum(whole)
    by_loss = sorted(range(len(exact)), key=lambda place: whole[place] - exact[place])
    for place in by_loss[:missing]:
        whole[place] += 1
    return [percent(value / (100 * unit), digits) for value in whole]


def ordinal(rank: int) -> str:
    """1st, 2nd, 3rd, 4th.

    >>> [ordinal(rank) for rank in (1, 2, 3, 11, 22, 113)]
    ['1st', '2nd', '3rd', '11th', '22nd', '113th']
    """
    ending = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank:,}{ending}"


def between(low: str, high: str) -> str:
    """From one to the other, or the one if they are equal.

    >>> between(ordinal(3), ordinal(7)), between("1st", "1st")
    ('3rd to 7th', '1st')
    """
    return low if low == high else f"{low} to {high}"


PERCENT_LABELS = "format(100 * datum.value, '~r') + '%'"
"""Percentages for the labels of an axis, as a Vega expression."""


def describe_parameters(parameters: Mapping[str, Any]) -> str:
    """The parameters of a rating system for a reader: in its own words where it has some, else its numbers.

    >>> describe_parameters({"k": 24.0, "start_rating": 1500, "in_sample": True})
    'k 24, start rating 1500'
    """
    if words := parameters.get("in_words"):
        return ", ".join(words)
    numbers = {
        name: value
        for name, value in parameters.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in numbers.items())


def time_text(moment: object) -> str | int | float | None:
    """A time for JSON and tables: ISO 8601, or a number.

    >>> time_text(datetime(2024, 2, 29, 18)), time_text(3.0)
    ('2024-02-29 18:00:00', 3)
    """
    if isinstance(moment, datetime):
        return moment.isoformat(sep=" ")
    if isinstance(moment, date):
        return moment.isoformat()
    if isinstance(moment, float) and moment.is_integer() and math.isfinite(moment):
        return int(moment)
    return moment if isinstance(moment, int | float) else None


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
