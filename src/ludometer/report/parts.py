"""Pieces of pages as HTML text, for pages that are not templates yet; others use the macros of `pages/parts.html`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ludometer.drawing import to_svg
from ludometer.report.templates import NOTHING, to_csv_link

if TYPE_CHECKING:
    import polars as pl

__all__ = ["NOTHING", "bullets", "download", "figure", "paragraphs", "table"]


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
    return f'<p class="download"><a download="{escape(name)}" href="{to_csv_link(frame)}">{escape(label)} (CSV)</a></p>'
