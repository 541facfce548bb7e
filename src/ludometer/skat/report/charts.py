"""Charts of the Skat reports: the rating list as dots, ratings' courses in both views, scores, spreads, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.drawing import ACCENT, INK
from ludometer.ratings.scores.charts import View, plot_ratings
from ludometer.skat.report.phrases import localise, phrase
from ludometer.skat.words import Language

if TYPE_CHECKING:
    import polars as pl

    from ludometer.skat.luck.calibration import Calibration
    from ludometer.skat.sensitivity import Sensitivity

SHOWN = 30
_GERMAN_DAY = "%d.%m.%y"


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
            "label": f"{row['rating']:.0f} ± {row['sd']:.0f}",
            "fill": "white" if row["provisional"] else INK,
        }
        for row in best.iter_rows(named=True)
    ]
    order = best["player"].to_list()
    base = alt.Chart(alt.InlineData(values=rows))
    y = alt.Y("player:N", sort=order, title=None, axis=alt.Axis(labelLimit=110 if narrow else 200))
    x = alt.X(
        "low:Q",
        title=phrase("rating axis", language),
        scale=alt.Scale(zero=False, nice=True),
        axis=_axis(language, narrow=narrow),
    )
    bars = base.mark_rule(color=INK, strokeWidth=2).encode(y=y, x=x, x2="high:Q")
    dots = base.mark_point(filled=True, size=60, stroke=INK, opacity=1).encode(
        y=y, x="rating:Q", fill=alt.Fill("fill:N", scale=None)
    )
    words = base.mark_text(align="left", dx=6, color=ACCENT, fontSize=12).encode(y=y, x="high:Q", text="label:N")
    return (bars + dots + words).properties(width=150 if narrow else 440, height=max(20 * len(rows), 60))


def has_bands(players: Sequence[str]) -> bool:
    """Bands of more than two players hide one another."""
    return len(players) <= 2


def course_chart(
    updates: pl.DataFrame, players: Sequence[str], view: View, language: Language, *, narrow: bool = False
) -> Any:
    """The ratings of these players; each line ends in its name."""
    axis = "own series" if view == "contracted" else "all series"
    if view == "expanded" and "time" in updates.columns:
        axis = "date" if updates["time"].dtype.is_temporal() else "time"
    chart = plot_ratings(
        updates,
        players,
        view=view,
        band=has_bands(players),
        title=phrase("Series by series" if view == "contracted" else "Over time", language),
        x_title=phrase(axis, language),
        y_title=phrase("rating axis", language),
        date_format=_GERMAN_DAY if language == "de" else None,
        longest=12 if narrow else 22,
        width=180 if narrow else 500,
        height=220 if narrow else 280,
    )
    if language == "de":
        chart.layer[2].encoding.y.axis = _axis(language, narrow=narrow)
    return chart


def score_chart(scores: Sequence[float], language: Language, *, narrow: bool = False) -> Any:
    """How scores of series are spread, with their mean."""
    import altair as alt

    values = np.asarray(scores, float)
    counts, edges = np.histogram(values, bins=min(30, max(5, int(len(values) ** 0.5))))
    bars = [{"low": a, "high": b, "count": int(n)} for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]
    mean = float(values.mean())
    label = phrase("mean of", language, mean=localise(f"{mean:,.0f}", language))
    base = alt.Chart(alt.InlineData(values=bars))
    histogram = base.mark_bar(color=INK, opacity=0.75, stroke="white", strokeWidth=0.5).encode(
        x=alt.X("low:Q", bin="binned", title=phrase("score axis", language), axis=_axis(language, narrow=narrow)),
        x2="high:Q",
        y=alt.Y("count:Q", title=phrase("players' series", language), axis=alt.Axis(tickMinStep=1, tickCount=5)),
    )
    mark = alt.Chart(alt.InlineData(values=[{"at": mean, "label": label}]))
    line = mark.mark_rule(strokeDash=[4, 3], color=ACCENT).encode(x="at:Q")
    word = mark.mark_text(baseline="bottom", color=ACCENT, fontSize=12).encode(
        x="at:Q", y=alt.value(-3), text="label:N"
    )
    return (histogram + line + word).properties(width=260 if narrow else 500, height=200)


def spread_chart(found: Sensitivity, language: Language, *, narrow: bool = False) -> Any:
    """Ratings from the lowest to the highest, for each K and choice of factors."""
    import altair as alt

    frame = found.to_frame()
    names = [name for name in ("i1", "i2", "i3") if name in frame.columns]
    rows = [
        row
        | {
            "case": " ".join([*(name for name in names if row[name]), localise(f"K {row['k']:g}", language)]),
            "label": f"{row['max']:.0f}",
        }
        for row in frame.to_dicts()
    ]
    order = [row["case"] for row in rows]
    base = alt.Chart(alt.InlineData(values=rows))
    y = alt.Y("case:N", sort=order, title=None)
    x = alt.X(
        "min:Q",
        title=phrase("rating axis", language),
        scale=alt.Scale(zero=False),
        axis=_axis(language, narrow=narrow),
    )
    whole = base.mark_rule(color="#767676").encode(y=y, x=x, x2="max:Q")
    middle = base.mark_bar(color=INK, height=9).encode(y=y, x="top_90:Q", x2="top_10:Q")
    words = base.mark_text(align="left", dx=5, color=ACCENT, fontSize=11).encode(y=y, x="max:Q", text="label:N")
    return (whole + middle + words).properties(width=170 if narrow else 440, height=26 * len(rows))


def calibration_chart(found: Calibration, language: Language, *, narrow: bool = False) -> Any:
    """Games won against the predicted chance, a panel for each kind of game."""
    return found.plot(
        columns=1 if narrow else 3,
        size=200 if narrow else 150,
        x_title=phrase("predicted", language),
        y_title=phrase("observed", language),
        names={kind: phrase(kind, language) for kind in found.kind},
    )


def _axis(language: Language, *, narrow: bool) -> Any:
    """Numbers without a comma between thousands where that would be read as a decimal point."""
    import altair as alt

    ticks = 4 if narrow else 8
    return alt.Axis(format=".0f", tickCount=ticks) if language == "de" else alt.Axis(tickCount=ticks)
