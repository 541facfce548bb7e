"""Charts of players' ratings: time-contracted (each change one step) and time-expanded (by table number or date)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from ludometer.errors import LudometerError

if TYPE_CHECKING:
    import altair
    import polars as pl

View = Literal["contracted", "expanded"]

_COLOURS = ("#24405f", "#b4530a", "#4f7f3a", "#8b3f78", "#767676", "#2e8b95", "#a58a1f", "#6b4fa0")
_DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3))
"""Beside the colours, for print and for those who cannot tell them apart."""


def plot_ratings(
    updates: pl.DataFrame,
    players: Sequence[str],
    *,
    view: View = "contracted",
    band: bool = True,
    title: str | None = None,
    width: int = 560,
    height: int = 280,
) -> altair.LayerChart:
    """The ratings of these players from the updates of `rate_series`, with a band of one SD on either side.

    "contracted": a step is a series of the player; "expanded": all players on the axis of dates, or of the numbers of
    the series where there are none (Edelkamp, figures 2 and 3).
    """
    import altair as alt

    rows, x = _rows(updates, players, view), _axis(updates, view)
    order = list(players)
    colour = alt.Scale(domain=order, range=[_COLOURS[k % len(_COLOURS)] for k in range(len(order))])
    dash = alt.Scale(domain=order, range=[list(_DASHES[k % len(_DASHES)]) for k in range(len(order))])
    whole = alt.Chart(alt.InlineData(values=rows), width=width, height=height, title=title or _title(view))
    # both layers share a legend, which has to show the lines and not the pale bands
    legend = alt.Legend(symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=2)
    shade = alt.Color("player:N", title="Player", scale=colour, legend=legend)
    y = alt.Y("rating:Q", title="Rating (points a series)", scale=alt.Scale(zero=False))
    lines = whole.mark_line(interpolate="step-after" if view == "expanded" else "linear").encode(
        x=x, y=y, color=shade, strokeDash=alt.StrokeDash("player:N", title="Player", scale=dash, legend=legend)
    )
    shown = "low" if band else "rating"
    shadow = whole.mark_area(opacity=0.12 if band else 0.0).encode(
        x=x, y=f"{shown}:Q", y2="high:Q" if band else "rating:Q", color=shade
    )
    chart: alt.LayerChart = shadow + lines
    return chart


def _rows(updates: pl.DataFrame, players: Sequence[str], view: View) -> list[dict[str, Any]]:
    """A row a point, each player from where he stood before his first series here."""
    import polars as pl

    if view not in ("contracted", "expanded"):
        raise LudometerError(f"the view is contracted or expanded, not {view!r}")
    missing = sorted(set(players) - set(updates["player"].to_list()))
    if missing:
        raise LudometerError(f"no updates of {', '.join(map(repr, missing))}")
    chosen = updates.filter(pl.col("player").is_in(list(players)))
    moment = "step" if view == "contracted" else ("time" if "time" in updates.columns else "number")
    chosen = chosen.with_columns(step=pl.int_range(1, pl.len() + 1).over("player"))
    if moment == "time" and chosen["time"].dtype.is_temporal():
        chosen = chosen.with_columns(pl.col("time").cast(pl.Datetime("ms")).dt.to_string("iso:strict"))
    points = chosen.select(
        "player",
        "series",
        "rating",
        "score",
        "expected",
        x=pl.col(moment),
        low=pl.col("rating") - pl.col("sd"),
        high=pl.col("rating") + pl.col("sd"),
    )
    if view == "expanded":
        return points.to_dicts()
    begin = chosen.group_by("player", maintain_order=True).first()
    first = [{"player": row["player"], "x": 0, "rating": row["before"]} for row in begin.iter_rows(named=True)]
    return first + points.to_dicts()


def _axis(updates: pl.DataFrame, view: View) -> Any:
    import altair as alt

    if view == "contracted":
        return alt.X("x:Q", title="Series of the player")
    if "time" in updates.columns and updates["time"].dtype.is_temporal():
        return alt.X("x:T", title="Date")
    return alt.X("x:Q", title="Time" if "time" in updates.columns else "Series of the whole record")


def _title(view: View) -> str:
    return "Ratings, series by series" if view == "contracted" else "Ratings over time"
