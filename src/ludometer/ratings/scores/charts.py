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

_LABEL_HEIGHT = 14
"""Pixels between the names at the ends of the lines."""


def plot_ratings(
    updates: pl.DataFrame,
    players: Sequence[str],
    *,
    view: View = "contracted",
    band: bool = True,
    title: str | None = None,
    x_title: str | None = None,
    y_title: str = "Rating (points a series)",
    date_format: str | None = None,
    longest: int = 22,
    width: int = 560,
    height: int = 280,
) -> altair.LayerChart:
    """The ratings of these players from the updates of `rate_series`, with a band of one SD on either side.

    "contracted": a step is a series of the player; "expanded": all players on the axis of dates, or of the numbers of
    the series where there are none (Edelkamp, figures 2 and 3). Each line ends in its player's name (cut after
    `longest` letters) and last rating.
    """
    import altair as alt

    rows = _rows(updates, players, view)
    order = list(players)
    low, high = _range(rows, band=band)
    ends = _ends(rows, order, gap=(high - low) * _LABEL_HEIGHT / height, longest=longest)
    shade = alt.Color("player:N", scale=alt.Scale(domain=order, range=_cycle(_COLOURS, len(order))), legend=None)
    dash = alt.StrokeDash(
        "player:N", scale=alt.Scale(domain=order, range=[list(own) for own in _cycle(_DASHES, len(order))]), legend=None
    )
    x = _axis(updates, view, x_title, date_format)
    y = alt.Y("rating:Q", title=y_title, scale=alt.Scale(domain=[low, high], zero=False, nice=False))
    whole = alt.Chart(alt.InlineData(values=rows), width=width, height=height, title=title or _title(view))
    lines = whole.mark_line(interpolate="step-after" if view == "expanded" else "linear").encode(
        x=x, y=y, color=shade, strokeDash=dash
    )
    shown = "low" if band else "rating"
    shadow = whole.mark_area(opacity=0.12 if band else 0.0).encode(
        x=x, y=f"{shown}:Q", y2="high:Q" if band else "rating:Q", color=shade
    )
    leads = [{"player": end["player"], "x": at, "rating": level} for end in ends for at, level in end["lead"]]
    leaders = alt.Chart(alt.InlineData(values=leads)).mark_line(strokeWidth=0.7, opacity=0.6).encode(
        x=x, y=y, color=shade
    )  # fmt: skip
    words = (
        alt.Chart(alt.InlineData(values=[{name: end[name] for name in ("player", "label", "at")} for end in ends]))
        .mark_text(align="left", baseline="middle", dx=5, fontSize=12)
        .encode(x=alt.value(width), y=alt.Y("at:Q"), text="label:N", color=shade)
    )
    chart: alt.LayerChart = shadow + leaders + lines + words
    return chart


def spread_apart(values: Sequence[float], gap: float) -> list[float]:
    """The places nearest to these values of which no two are closer than the gap, in the same order.

    >>> spread_apart([10.0, 11.0, 30.0], 4.0)
    [8.5, 12.5, 30.0]
    """
    order = sorted(range(len(values)), key=lambda place: values[place])
    blocks: list[list[float]] = []
    for rank, place in enumerate(order):
        # where each would lie if all gaps were taken out: equal places are pooled
        blocks.append([values[place] - rank * gap, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, n = blocks.pop()
            before, m = blocks.pop()
            blocks.append([(before * m + mean * n) / (m + n), m + n])
    found = [0.0] * len(values)
    rank = 0
    for mean, n in blocks:
        for _ in range(int(n)):
            found[order[rank]] = mean + rank * gap
            rank += 1
    return found


def _ends(rows: list[dict[str, Any]], order: list[str], *, gap: float, longest: int) -> list[dict[str, Any]]:
    """For each player where his name stands, and the line that leads there."""
    last = {row["player"]: row for row in rows}
    edge = max(row["x"] for row in rows)
    at = spread_apart([last[player]["rating"] for player in order], gap)
    return [
        {
            "player": player,
            "label": f"{_cut(player, longest)} {last[player]['rating']:.0f}",
            "at": place,
            "lead": [(last[player]["x"], last[player]["rating"]), (edge, place)],
        }
        for player, place in zip(order, at, strict=True)
    ]


def _range(rows: list[dict[str, Any]], *, band: bool) -> tuple[float, float]:
    names = ("rating", "low", "high") if band else ("rating",)
    values = [row[name] for row in rows for name in names if row.get(name) is not None]
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def _cycle(items: Sequence[Any], n: int) -> list[Any]:
    return [items[place % len(items)] for place in range(n)]


def _cut(name: str, longest: int) -> str:
    """A long name without its middle: those of a club often begin alike."""
    return name if len(name) <= longest else f"{name[: longest - 4]}…{name[-3:]}"


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


def _axis(updates: pl.DataFrame, view: View, title: str | None, date_format: str | None) -> Any:
    import altair as alt

    scale = alt.Scale(nice=False, zero=False)
    if view == "contracted":
        axis = alt.Axis(tickMinStep=1)
        return alt.X("x:Q", title=title or "Series of the player", scale=scale, axis=axis)
    if "time" in updates.columns and updates["time"].dtype.is_temporal():
        axis = alt.Axis(format=date_format) if date_format else alt.Axis()
        return alt.X("x:T", title=title or "Date", scale=alt.Scale(nice=False), axis=axis)
    usual = "Time" if "time" in updates.columns else "Series of the whole record"
    return alt.X("x:Q", title=title or usual, scale=scale)


def _title(view: View) -> str:
    return "Ratings, series by series" if view == "contracted" else "Ratings over time"
