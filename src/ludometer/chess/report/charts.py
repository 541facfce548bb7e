"""Charts of strength from moves, each for wide and for narrow pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.chess.strength.trajectory import follow_player
from ludometer.drawing import ACCENT, INK
from ludometer.wording import PERCENT_LABELS

if TYPE_CHECKING:
    from ludometer.chess import Calibration, EventScale, MoveQuality
    from ludometer.moves import Gains, Strengths

_SHOWN = 12
_EDGE = 150
_BIN = 10
_POINTS = 200
"""A chart this small shows no more."""

Rows = Sequence[Mapping[str, Any]]


def strength_chart(strengths: Strengths, *, narrow: bool = False) -> Any:
    """Strengths with their intervals, strongest first; hollow points are known ratings."""
    rows = strengths.to_frame().to_dicts()
    key = "strength" if any(row["strength"] is not None for row in rows) else "relative"
    title = "Strength by moves (Elo points)" if key == "strength" else "Strength by moves (Elo points, mean 0)"
    shown = [{"name": row["player"], "value": row[key]} | _ends(row) | {"other": row["rating"]} for row in rows]
    return _ranked(shown, title, other="rating", narrow=narrow)


def events_chart(scale: EventScale, *, narrow: bool = False) -> Any:
    """The mean strength of each event with its interval; hollow points are mean ratings."""
    shown = [
        {"name": row["event"] or "without a name", "value": row["strength"]} | _ends(row) | {"other": row["rating"]}
        for row in scale.events_frame().to_dicts()
    ]
    return _ranked(shown, "Mean strength (Elo points)", other="mean rating", narrow=narrow)


def loss_chart(quality: MoveQuality, *, narrow: bool = False) -> Any:
    """Mean losses of moves with their intervals, smallest first."""
    shown = [
        {"name": row["player"], "value": row["loss"], "low": row["loss_low"], "high": row["loss_high"], "other": None}
        for row in quality.to_frame().to_dicts()
    ]
    return _ranked(shown, "Mean loss of a move (pawns)", form=".2f", narrow=narrow)


def calibration_chart(calibration: Calibration, *, narrow: bool = False) -> Any:
    """Differences by moves over known ratings, with the fit."""
    return calibration.plot().properties(width=260 if narrow else 480)


def gain_histograms(gains: Gains, *, narrow: bool = False) -> Any:
    """Histograms side by side, of the players with most moves."""
    import altair as alt

    edges = np.arange(-_EDGE - _BIN / 2, _EDGE + _BIN, _BIN)
    parts = {}
    for code in _most_active(gains):
        mine = np.clip(gains.value[gains.player == code], -_EDGE, _EDGE)
        share = np.histogram(mine, edges)[0] / len(mine)
        parts[gains.players.names[code]] = [
            {"low": low / 100, "high": (low + _BIN) / 100, "share": part}
            for low, part in zip(edges[:-1].tolist(), share.tolist(), strict=True)
            if part
        ]
    top = max((row["share"] for rows in parts.values() for row in rows), default=1.0)
    scale = alt.Scale(domain=[0, top])

    def draw(rows: Rows, is_first: bool) -> Any:
        x = alt.X(
            "low:Q",
            bin="binned",
            title="Gain (pawns)",
            scale=alt.Scale(domain=[-1.55, 1.55]),
            axis=alt.Axis(values=[-1, 0, 1], grid=False),
        )
        y = alt.Y(
            "share:Q",
            title="Share of moves" if is_first else None,
            scale=scale,
            axis=alt.Axis(labelExpr=PERCENT_LABELS, tickCount=3),
        )
        return alt.Chart(alt.InlineData(values=rows)).mark_bar(color=INK, opacity=0.8).encode(x=x, x2="high:Q", y=y)

    return _side_by_side(parts, draw, narrow=narrow)


def trajectory_charts(gains: Gains, strengths: Strengths, *, narrow: bool = False) -> Any:
    """The estimate after each move, with its band, of the players with most moves."""
    import altair as alt

    names = [gains.players.names[code] for code in _most_active(gains)]
    parts = {name: _trajectory(gains, strengths, name) for name in names}
    scale = alt.Scale(domain=_span([row for rows in parts.values() for row in rows]), clamp=True, nice=False)

    def draw(rows: Rows, is_first: bool) -> Any:
        base = alt.Chart(alt.InlineData(values=rows))
        x = alt.X("move:Q", title="Moves", axis=alt.Axis(tickCount=3, grid=False))
        y = alt.Y(
            "low:Q", title="Elo points" if is_first else None, scale=scale, axis=alt.Axis(tickCount=4, format="d")
        )
        return base.mark_area(opacity=0.25, color=INK, clip=True).encode(x=x, y=y, y2="high:Q") + base.mark_line(
            color=ACCENT, strokeWidth=1.5, clip=True
        ).encode(x=x, y=alt.Y("value:Q", scale=scale))

    return _side_by_side(parts, draw, narrow=narrow)


def _ranked(rows: Rows, title: str, *, other: str = "", form: str = "d", narrow: bool) -> Any:
    """A point and an interval a row, in this order; `other` is what the hollow points are, said beside one of them."""
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
    if any(row["other"] is not None for row in rows):
        layers += [base.mark_point(size=60, opacity=1, color=ACCENT).encode(x=alt.X("other:Q", **x), y=y)]
        layers += _label(rows, other, x, y)
    # between rows there is room for the word, and names are drawn wider than they are measured
    size = {"width": 170 if narrow else 460, "height": alt.Step(25), "padding": {"left": 18, "right": 5, "top": 5}}
    return alt.layer(*layers).properties(**size)


def _label(rows: Rows, word: str, x: Mapping[str, Any], y: Any) -> list[Any]:
    """The word above the hollow point that lies farthest out, where no other row is likely to have anything."""
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


def _side_by_side(parts: Mapping[str, Rows], draw: Any, *, narrow: bool) -> Any:
    """A small chart for each player under his name, axis titles on the left ones only."""
    import altair as alt

    columns = 2 if narrow else 4
    size = {"width": 105 if narrow else 150, "height": 90}
    charts = [
        draw(rows, place % columns == 0).properties(title=alt.Title(name, fontSize=12, fontWeight="normal"), **size)
        for place, (name, rows) in enumerate(parts.items())
    ]
    return alt.concat(*charts, columns=columns, spacing=12)


def _trajectory(gains: Gains, strengths: Strengths, player: str) -> list[dict[str, Any]]:
    shift = strengths.engine.strength or 0.0
    found = follow_player(gains, player, engine=strengths.engine.strength, level=strengths.level)
    columns = (found.difference, found.low, found.high)
    return [
        {"move": k + 1} | {name: value + shift for name, value in zip(("value", "low", "high"), at, strict=True)}
        for k in range(0, len(found), max(1, len(found) // _POINTS))
        for at in (tuple(float(column[k]) for column in columns),)
        if np.isfinite(at).all()
    ]


def _span(rows: Rows) -> tuple[float, float]:
    """From a little below to a little above the lines once they have settled, so that the first moves do not rule."""
    settled = [row for row in rows if row["move"] > 20] or rows
    if not settled:
        return 0.0, 1.0
    low, high = (np.array([row[name] for row in settled]) for name in ("low", "high"))
    return float(np.floor(np.quantile(low, 0.02) / 50) * 50), float(np.ceil(np.quantile(high, 0.98) / 50) * 50)


def _ends(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"low": row["low"], "high": row["high"]}


def _most_active(gains: Gains) -> list[int]:
    moves, _ = gains.counts()
    order = np.argsort(-moves, kind="stable")[:_SHOWN]
    return [int(code) for code in order if moves[code]]
