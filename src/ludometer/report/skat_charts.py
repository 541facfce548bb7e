"""Charts of the Skat report: the rating list as dots, and the ratings' courses in both views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ludometer.ratings.series_charts import View, plot_ratings
from ludometer.report.charts import ACCENT, INK
from ludometer.report.skat_words import phrase
from ludometer.skat.words import Language

if TYPE_CHECKING:
    import polars as pl

    from ludometer.skat.sensitivity import Sensitivity

SHOWN = 30


def rating_chart(players: pl.DataFrame, language: Language, *, narrow: bool = False) -> Any:
    """The best players with one SD on either side; provisional ones hollow."""
    import altair as alt

    best = players.head(SHOWN)
    rows = [
        {
            "player": row["player"],
            "rating": row["rating"],
            "low": row["rating"] - row["sd"],
            "high": row["rating"] + row["sd"],
            "label": f"{row['rating']:.0f}",
            "fill": "white" if row["provisional"] else INK,
        }
        for row in best.iter_rows(named=True)
    ]
    order = best["player"].to_list()
    base = alt.Chart(alt.InlineData(values=rows))
    y = alt.Y("player:N", sort=order, title=None, axis=alt.Axis(labelLimit=110 if narrow else 200))
    x = alt.X("low:Q", title=phrase("rating axis", language), scale=alt.Scale(zero=False, nice=True))
    bars = base.mark_rule(color=INK, strokeWidth=2).encode(y=y, x=x, x2="high:Q")
    dots = base.mark_point(filled=True, size=60, stroke=INK, opacity=1).encode(
        y=y, x="rating:Q", fill=alt.Fill("fill:N", scale=None)
    )
    words = base.mark_text(align="left", dx=6, color=ACCENT, fontSize=11).encode(y=y, x="high:Q", text="label:N")
    return (bars + dots + words).properties(width=190 if narrow else 440, height=max(20 * len(rows), 60))


def has_bands(players: Sequence[str]) -> bool:
    """Bands of more than two players hide one another."""
    return len(players) <= 2


def course_chart(
    updates: pl.DataFrame, players: Sequence[str], view: View, language: Language, *, narrow: bool = False
) -> Any:
    """The ratings of these players; the legend stands below, so that it fits a narrow screen."""
    import altair as alt

    title = phrase("Series by series" if view == "contracted" else "Over time", language)
    chart = plot_ratings(
        updates,
        players,
        view=view,
        band=has_bands(players),
        title=title,
        width=260 if narrow else 560,
        height=220 if narrow else 280,
    )
    axis = "own series" if view == "contracted" else "all series"
    if view == "expanded" and "time" in updates.columns:
        axis = "date"
    legend = alt.Legend(
        orient="bottom", columns=1 if narrow else 5, symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=2
    )
    for layer in chart.layer:
        encoding = layer.encoding
        encoding.x.title = phrase(axis, language)
        encoding.color.title = phrase("player", language)
        encoding.color.legend = legend
    lines = chart.layer[1].encoding
    lines.y.title = phrase("rating axis", language)
    lines.strokeDash.legend = legend
    lines.strokeDash.title = phrase("player", language)
    return chart


def spread_chart(found: Sensitivity, *, narrow: bool = False) -> Any:
    """Ratings from the lowest to the highest, for each K and choice of factors, one panel under the other."""
    import altair as alt

    frame = found.to_frame()
    names = [name for name in ("i1", "i2", "i3") if name in frame.columns]
    rows = [
        row | {"case": " ".join([*(name for name in names if row[name]), f"K {row['k']:g}"])}
        for row in frame.to_dicts()
    ]
    order = [row["case"] for row in rows]
    base = alt.Chart(alt.InlineData(values=rows))
    y = alt.Y("case:N", sort=order, title=None)
    whole = base.mark_rule(color="#767676").encode(
        y=y, x=alt.X("min:Q", title="Rating", scale=alt.Scale(zero=False)), x2="max:Q"
    )
    middle = base.mark_bar(color=INK, height=9).encode(y=y, x="top_90:Q", x2="top_10:Q")
    return (whole + middle).properties(width=200 if narrow else 440, height=26 * len(rows))
