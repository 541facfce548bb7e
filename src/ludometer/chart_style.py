"""How every chart is drawn: one style, and SVG without a browser and without JavaScript."""

from __future__ import annotations

import json
import re
from typing import Any

INK, ACCENT, GREY, FAINT = "#24405f", "#b4530a", "#767676", "#e5e5e5"
"""Of marks, of the mark that matters most, of what is beside the point, and of grid lines."""


def style(chart: Any) -> Any:
    """The chart in the style that all charts have, in a notebook as on a page and in a file.

    Marks without a colour of their own are drawn in ink. A styled chart cannot become a layer or a panel of another:
    join charts first, style the whole.
    """
    return chart.configure(
        font="system-ui, sans-serif",
        mark={"color": INK},
        text={"color": "black"},
        rule={"color": "black"},
        view={"stroke": None},
        axis={
            "labelFontSize": 12,
            "labelOverlap": "greedy",
            "labelSeparation": 8,
            "titleFontSize": 13,
            "titleFontWeight": "normal",
            "gridColor": FAINT,
            "domainColor": GREY,
        },
    )


def to_svg(chart: Any) -> str:
    """The chart, styled, as an SVG element that shrinks with its page."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(to_spec(chart))
    return re.sub(r'(<svg[^>]*?) width="([^"]*)" height="[^"]*"', r'\1 style="max-width:\2px"', svg, count=1)


def to_spec(chart: Any, *, font: str = "") -> str:
    """The chart, styled, as JSON that can be drawn; in this font where one is named."""
    spec: str = style(chart).to_json(validate=False)
    if font:
        spec = json.dumps(_with_font(json.loads(spec), font))
    if _ESCAPED.search(spec) or _ILLEGAL.search(spec):
        spec = json.dumps(_without_illegal(json.loads(spec)))
    return spec


def _with_font(spec: dict[str, Any], font: str) -> dict[str, Any]:
    return spec | {"config": spec.get("config", {}) | {"font": font}}


# What XML and the expressions of Vega have no place for, and as JSON writes it. The converter does not raise on some
# of it, it ends the process.
_ESCAPED = re.compile(r"\\u(?:00[01][0-9a-f]|202[89]|fff[ef]|d[89a-f][0-9a-f]{2})")
_ILLEGAL = re.compile("[^\t\n\r\x20-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _without_illegal(part: Any) -> Any:
    """A part of a chart whose texts have no character that SVG cannot hold."""
    if isinstance(part, str):
        return _ILLEGAL.sub("\ufffd", part)
    if isinstance(part, list):
        return [_without_illegal(one) for one in part]
    if isinstance(part, dict):
        return {_without_illegal(name): _without_illegal(one) for name, one in part.items()}
    return part


def separate_ids(page: str) -> str:
    """The page with the ids of each SVG unlike those of any other.

    >>> separate_ids('<svg><g id="a"/></svg><svg><g id="a" clip-path="url(#a)"/></svg>')
    '<svg><g id="c1-a"/></svg><svg><g id="c2-a" clip-path="url(#c2-a)"/></svg>'
    """
    before, *parts = re.split(r"(?=<svg\b)", page)
    return before + "".join(_prefix_ids(part, f"c{n}-") for n, part in enumerate(parts, 1))


def _prefix_ids(svg: str, prefix: str) -> str:
    """Inside tags only: a name that reads like an id stays as it is."""
    return re.sub(r"<[^>]*>", lambda tag: re.sub(r'( id="|="url\(#|href="#)', rf"\g<1>{prefix}", tag[0]), svg)
