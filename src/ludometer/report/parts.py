"""The pieces that sections of the report are made of: figures, tables, downloads, numbers with their intervals."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from ludometer import wording
from ludometer.drawing import to_svg
from ludometer.measurement.verdict.verdict import describe_share
from ludometer.scale import points_per_unit

if TYPE_CHECKING:
    import polars as pl

    from ludometer.measurement import Measurement
    from ludometer.measurement.benchmarks.inversion import Inversion
    from ludometer.measurement.verdict.checks import Check

Game = tuple[str, "Measurement"]

_FORMULA = r"(?s)^\s*[=+\-@].*[(|!]"

NOTHING = "-"
"""In a table, where there is no number."""


@dataclass(frozen=True)
class Share:
    """x percent of a benchmark with its interval; infinite beyond the whole benchmark."""

    x: float
    low: float
    high: float

    @staticmethod
    def of(inversion: Inversion) -> Share:
        """What an inversion found."""
        return Share(inversion.estimate, *inversion.interval)

    @staticmethod
    def of_check(check: Check, yardstick: str) -> Share | None:
        """What a check found by "deterministic" or "chess"; None where it found nothing."""
        x, interval = getattr(check, f"x_{yardstick}"), getattr(check, f"x_{yardstick}_interval")
        return None if interval is None else Share(math.inf if x is None else x, *interval)

    def __str__(self) -> str:
        """In words.

        >>> str(Share(38.7, 36.6, 41.2)), str(Share(math.inf, 98.0, math.inf)), str(Share(math.inf, 100.0, math.inf))
        ('39% [37, 41]', '> 100% [98, > 100]', '> 100%')
        """
        return describe_share(self.x, (self.low, self.high)).replace("more than", ">")


def confidence(replicates: int) -> int:
    """Percent between the ends of an interval by inversion: 95, or fewer where there are too few replicates for that.

    >>> [confidence(n) for n in (119, 39, 19, 9)]
    [95, 95, 90, 80]
    """
    return round(100 * (1 - 2 * max(0.025, 1 / (replicates + 1))))


def is_refused(game: Measurement) -> bool:
    """Whether there is a verdict that declines to compare."""
    return game.verdict is not None and game.verdict.p_deterministic is None


def is_printed(game: Measurement) -> bool:
    """Whether ratings are on the scale of base e."""
    return game.provenance.parameters.get("base") == "e"


def widening(game: Measurement) -> float:
    """How many times as wide as Elo's the scale of the ratings is."""
    return points_per_unit("e") / points_per_unit("10") if is_printed(game) else 1.0


def shares(game: Measurement) -> tuple[Share, Share] | None:
    """x by strength and by the reference; None where there are none, or none that the verdict trusts."""
    matched = game.yardstick
    if matched is None or is_refused(game):
        return None
    return Share.of(matched.deterministic), Share.of(matched.chess)


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
