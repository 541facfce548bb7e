"""Tables of the Skat commands as rows of text, for the terminal and the page alike, in German and English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ludometer.report.documents import as_text
from ludometer.report.skat_words import PHRASES, phrase
from ludometer.report.text import format_table
from ludometer.skat.words import Language

if TYPE_CHECKING:
    import polars as pl

Table = tuple[list[str], list[list[str]]]
"""Headings and rows."""

LEFT = ("player", "team")
_DIGITS = {"average_list": 1, "average_game": 2, "total": 0, "best": 0, "against": 1, "won": 0, "lost": 0}


def sheet_table(sheet: pl.DataFrame, language: Language, *, has_totals: bool) -> Table:
    """One list: place, player, points, won, lost, score."""
    names = ["place", "player", *(["games"] if sheet["games"].min() else [])]
    names += ["points", "won", "lost", "others_lost"] if has_totals else []
    names.append("score")
    rows = [[_number(value, 0) for value in row] for row in sheet.select(names).iter_rows()]
    return [phrase(name, language) for name in names], rows


def rating_table(players: pl.DataFrame, language: Language) -> Table:
    """The rating list with its uncertainty."""
    titled = "title" in players.columns
    names = ["place", "player", "rating", "±", "provisional", "n_series", "average", "last"]
    headers = [phrase(name, language) for name in names] + ([phrase("title", language)] if titled else [])
    rows = [
        [
            f"{place}",
            row["player"],
            f"{row['rating']:.1f}",
            f"{row['sd']:.0f}",
            phrase("provisional", language) if row["provisional"] else "",
            f"{row['series']:,}",
            f"{row['average']:.1f}",
            _moment(row["last"]),
            *([row["title"] or ""] if titled else []),
        ]
        for place, row in enumerate(players.iter_rows(named=True), 1)
    ]
    return headers, rows


def plain_table(frame: pl.DataFrame, language: Language, *, names: Mapping[str, str] | None = None) -> Table:
    """Any table: a number as such, yes or no in words."""
    words = names or {}
    headers = [phrase(words.get(name, name), language) for name in frame.columns]
    rows = []
    for row in frame.iter_rows(named=True):
        cells = []
        for name, value in row.items():
            if isinstance(value, bool):
                cells.append(phrase("yes" if value else "no", language))
            else:
                cells.append(_number(value, _DIGITS.get(name, 1)))
        rows.append(cells)
    return headers, rows


def season_names() -> dict[str, str]:
    """Headings of a season table that mean something else elsewhere."""
    return {"series": "n_series"}


def show(table: Table, *, left: Sequence[int] = (1,)) -> str:
    """For the terminal."""
    headers, rows = table
    return format_table(headers, rows, left=left)


def describe_difference(row: Mapping[str, Any], language: Language) -> str:
    """One game that is recorded otherwise than by the rules."""
    what = PHRASES["written"][1 if language == "de" else 0]
    values = {"written": _number(row["written"], 0), "rules": _number(row["by_rules"], 0)}
    place = " ".join(filter(None, (phrase("series", language), row["series"], phrase("game", language), row["game"])))
    who = f" ({row['player']})" if row["player"] else ""
    said = "" if row["written"] == row["by_rules"] else what.format(**values)
    return f"  {place}{who}: " + "; ".join(dict.fromkeys(filter(None, (said, row["reason"]))))


def _number(value: Any, digits: int) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.{digits if value != round(value) or digits > 1 else min(digits, 1)}f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _moment(value: Any) -> str:
    if isinstance(value, str):
        return value
    # of a time of day nobody asks in a list
    return str(as_text(value)).removesuffix(" 00:00:00").partition(" ")[0]
