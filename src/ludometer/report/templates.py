"""Pages from templates: one Jinja environment, in which everything that is not a template or a chart is escaped.

A page extends `base.html` and uses the macros of `parts.html`, both in `report/pages/`. A slice keeps its own templates
in a folder `pages/` of its package and names that package: `render("skat.html", package="ludometer.skat", ...)`.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ludometer import wording
from ludometer.chart_style import separate_ids, to_svg

if TYPE_CHECKING:
    import polars as pl
    from jinja2 import Environment
    from markupsafe import Markup

    from ludometer.result import Result

NOTHING = "-"
"""Stands in a table where there is no number."""

_CORE = "ludometer.report"
_FORMULA = r"(?s)^\s*[=+\-@].*[(|!]"


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart in its two forms, for wide and for narrow screens."""

    wide: Any
    narrow: Any


def figures(result: Result) -> dict[str, Figure]:
    """The charts of a result by name, as the macro `figure` takes them."""
    narrow = result.charts(narrow=True)
    return {name: Figure(chart, narrow[name]) for name, chart in result.charts().items()}


def render(template: str, *, package: str = _CORE, **values: Any) -> str:
    """A page as HTML text. Values are plain text, numbers, Polars frames and `Figure`s, never HTML.

    >>> "<title>A &lt; B</title>" in render("base.html", title="A < B")
    True
    """
    return separate_ids(environment(package).get_template(template).render(values))


@cache
def environment(package: str = _CORE) -> Environment:
    """Templates in the folder `pages/` of a package, and those of the core."""
    import jinja2

    packages = dict.fromkeys((package, _CORE))
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name, "pages") for name in packages]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "count": count,
        "csv": to_csv_link,
        "interval": interval,
        "number": number,
        "percent": percent,
        "sentence": sentence,
        "svg": _draw,
    }
    return made


def _draw(chart: Any) -> Markup:
    """The only text that templates do not escape: the drawing escapes the names in it itself."""
    from markupsafe import Markup

    return Markup(to_svg(chart))


def to_csv_link(frame: pl.DataFrame) -> str:
    """The address of a table that is inside the page."""
    return "data:text/csv;base64," + base64.b64encode(_defused(frame).write_csv().encode()).decode()


def _defused(frame: pl.DataFrame) -> pl.DataFrame:
    """Text that a spreadsheet would run as a formula, behind an apostrophe.

    Only what could call something: a player may well be called =Anna= or -1.
    """
    import polars as pl

    text = pl.col(pl.String)
    return frame.with_columns(pl.when(text.str.contains(_FORMULA)).then("'" + text).otherwise(text).name.keep())


def number(value: float | None, digits: int = 1) -> str:
    """A number, or a dash.

    >>> number(1234.56), number(None)
    ('1,234.6', '-')
    """
    return NOTHING if value is None else f"{value:,.{digits}f}"


def count(value: int | None) -> str:
    """A whole number, or a dash."""
    return NOTHING if value is None else f"{value:,}"


def percent(value: float | None, digits: int = 1) -> str:
    """A share of 1 as a percentage, or a dash."""
    return NOTHING if value is None else wording.percent(value, digits)


def interval(ends: tuple[float, float] | None, digits: int = 1, *, percent: bool = False) -> str:
    """An interval in brackets; empty if there is none.

    >>> interval((216.31, 219.4)), interval((0.51, 0.6), percent=True), interval(None)
    ('[216.3, 219.4]', '[51.0%, 60.0%]', '')
    """
    if ends is None:
        return ""
    low, high = (wording.percent(end, digits) if percent else number(end, digits) for end in ends)
    return f"[{low}, {high}]"


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."
