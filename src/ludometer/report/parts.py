"""The pieces that sections of the report are made of: figures, tables, downloads, numbers with their intervals."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from ludometer import wording
from ludometer.drawing import to_svg
from ludometer.report.templates import Figure, figures

if TYPE_CHECKING:
    import polars as pl

    from ludometer.measurement import Comparison, Measurement

Game = tuple[str, "Measurement"]

_FORMULA = r"(?s)^\s*[=+\-@].*[(|!]"

NOTHING = "-"
"""In a table, where there is no number."""


def figure_of(result: Measurement | Comparison, name: str, caption: str) -> str:
    """A chart of a result; nothing where it has none of that name."""
    charts = _drawn(result).get(name)
    return "" if charts is None else figure(lambda *, narrow: charts.narrow if narrow else charts.wide, caption)


@lru_cache(maxsize=1)
def _drawn(result: Measurement | Comparison) -> dict[str, Figure]:
    return figures(result)


def figure(draw: Callable[..., Any], caption: str) -> str:
    """A chart in its two forms, for wide and for narrow screens; `draw` takes narrow as a keyword."""
    wide, narrow = (to_svg(draw(narrow=narrow)) for narrow in (False, True))
    return (
        f'<figure><div class="wide">{wide}</div><div class="narrow">{narrow}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Sequence[int] = (0,),
    words: Sequence[int] = (),
    first_stands_out: bool = False,
) -> str:
    """A table whose cells are text; columns are right-aligned but for names (`left`) and single `words`."""

    def line(tag: str, cells: Sequence[str], name: str = "") -> str:
        sides = (
            ' class="left"' if column in left else ' class="word"' if column in words else ""
            for column in range(len(cells))
        )
        inner = "".join(f"<{tag}{side}>{escape(cell)}</{tag}>" for side, cell in zip(sides, cells, strict=True))
        return f"<tr{name}>{inner}</tr>"

    marked = ' class="primary"' if first_stands_out else ""
    body = "".join(line("td", row, marked if place == 0 else "") for place, row in enumerate(rows))
    return f'<div class="scroll"><table><thead>{line("th", headers)}</thead><tbody>{body}</tbody></table></div>'


def paragraphs(*texts: str) -> str:
    """Plain text, a paragraph each; empty ones are left out."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts if text)


def bullets(texts: Sequence[str]) -> str:
    """Plain text as a list."""
    return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def download(frame: pl.DataFrame, name: str, label: str) -> str:
    """A table inside the page, as a link."""
    data = base64.b64encode(_defused(frame).write_csv().encode()).decode()
    return (
        f'<p class="download"><a download="{escape(name)}" href="data:text/csv;base64,{data}">{escape(label)} (CSV)</a>'
        "</p>"
    )


def _defused(frame: pl.DataFrame) -> pl.DataFrame:
    """Text that a spreadsheet would run as a formula, behind an apostrophe.

    Only what could call something: a player may well be called =Anna= or -1.
    """
    import polars as pl

    text = pl.col(pl.String)
    return frame.with_columns(pl.when(text.str.contains(_FORMULA)).then("'" + text).otherwise(text).name.keep())


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def number(value: float | None, digits: int = 1) -> str:
    """A number, or a dash."""
    return NOTHING if value is None else f"{value:,.{digits}f}"


def percent(value: float | None) -> str:
    """A share as a percentage, or a dash."""
    return NOTHING if value is None else wording.percent(value)


def count(value: int | None) -> str:
    """A whole number, or a dash."""
    return NOTHING if value is None else f"{value:,}"


def between(interval: tuple[float, float] | None, form: Callable[[float], str] = number) -> str:
    """An interval in brackets, or nothing."""
    return "" if interval is None else f"[{form(interval[0])}, {form(interval[1])}]"


def with_interval(value: float | None, interval: tuple[float, float] | None) -> str:
    """A number and, where there is one, its interval."""
    return f"{number(value)} {between(interval)}".strip()
