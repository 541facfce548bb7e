"""Forms of chart that chess results share: ranked points with intervals, and small charts side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ludometer.chart_style import ACCENT, INK

Rows = Sequence[Mapping[str, Any]]


def ranked_chart(rows: Rows, title: str, *, other: str = "", form: str = "d", narrow: bool) -> Any:
    """One point with its interval per row (`name`, `value`, `low`, `high`), in this order.

    `other` names the hollow points (`other` in a row), once, beside one of them.
    """
    import altair as alt

    axis = alt.Axis(labelLimit=105 if narrow else 220)
    y = alt.Y("name:N", sort=[row["name"] for row in rows], title=None, axis=axis)
    ticks = alt.Axis(format=form, tickCount=4 if narrow else 8)
    x: dict[str, Any] = {"title": title, "scale": alt.Scale(zero=False), "axis": ticks}
    base = alt.Chart(alt.InlineData(values=list(rows)))
    layers = [
        base.mark_rule(color=INK, strokeWidth=1.5).encode(x=alt.X("low:Q", **x), x2="high:Q", y=y),
        base.mark_point(filled=True, size=60, opacity=1, color=INK).encode(x=alt.X("value:Q", **x), y=y),
    ]
    if any(row.get("other") is not None for row in rows):
        layers += [base.mark_point(size=60, opacity=1, color=ACCENT).encode(x=alt.X("other:Q", **x), y=y)]
        layers += _label(rows, other, x, y)
    # between rows there is room for the word, and names are drawn wider than they are measured
    size = {"width": 170 if narrow else 460, "height": alt.Step(25), "padding": {"left": 18, "right": 5, "top": 5}}
    return alt.layer(*layers).properties(**size)


def _label(rows: Rows, word: str, x: Mapping[str, Any], y: Any) -> list[Any]:
    """The word above the hollow point that lies farthest out, where nothing else is likely to be."""
    import altair as alt

    both = [row for row in rows if row["other"] is not None and row["value"] is not None]
    if not both:
        return []
    chosen = max(both, key=lambda row: abs(row["other"] - row["value"]))
    is_right = chosen["other"] >= chosen["value"]
    text = alt.Chart(alt.InlineData(values=[dict(chosen)])).mark_text(
        text=word, color=ACCENT, fontSize=12, align="right" if is_right else "left", dy=-10, dx=5 if is_right else -5
    )
    return [text.encode(x=alt.X("other:Q", **x), y=y)]


def side_by_side(rows_of: Mapping[str, Any], draw: Callable[[Any, bool], Any], *, narrow: bool) -> Any:
    """A small chart for each player below their name; the second argument of `draw`: whether to title the y axis."""
    import altair as alt

    columns = 2 if narrow else 4
    size = {"width": 105 if narrow else 150, "height": 90}
    charts = [
        draw(rows, place % columns == 0).properties(title=alt.Title(name, fontSize=12, fontWeight="normal"), **size)
        for place, (name, rows) in enumerate(rows_of.items())
    ]
    return alt.concat(*charts, columns=columns, spacing=12)
