"""Charts have one style, wherever they are shown."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from ludometer.chart_style import ACCENT, INK, style, to_svg
from ludometer.result import Shown


class Drawn(Shown):
    def summary(self) -> str:
        return "<b>SD 12</b>"

    def to_frame(self) -> pl.DataFrame:
        return pl.DataFrame({"sd": [12]})

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        base = alt.Chart(alt.InlineData(values=[{"x": 1, "y": 2}, {"x": 3, "y": 4}]))
        line = base.mark_line().encode(x="x:Q", y="y:Q")
        dot = base.mark_point(color=ACCENT).encode(x="x:Q", y="y:Q")
        return {"line": line.properties(width=100 if narrow else 200), "dots": (line + dot).properties(width=200)}


def test_a_chart_looks_the_same_in_a_notebook_on_a_page_and_in_a_file() -> None:
    drawn = to_svg(Drawn().charts()["line"])
    assert to_svg(Drawn().plot()) == drawn
    assert drawn in Drawn()._repr_html_()
    assert Drawn().plot().to_dict()["config"] == style(Drawn().charts()["dots"]).to_dict()["config"]


def test_marks_are_in_ink_unless_they_have_a_colour_of_their_own() -> None:
    line, dots = (to_svg(chart) for chart in Drawn().charts().values())
    assert INK in line
    assert ACCENT not in line
    assert INK in dots
    assert ACCENT in dots


def test_charts_are_not_styled_before_they_are_joined() -> None:
    one, other = Drawn().charts().values()
    assert to_svg(one | other).count("<svg") == 1


def test_the_summary_in_a_notebook_is_text() -> None:
    assert "<pre>&lt;b&gt;SD 12&lt;/b&gt;</pre>" in Drawn()._repr_html_()
