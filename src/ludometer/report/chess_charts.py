"""Charts of strength from moves, each for wide and for narrow pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.intrinsic.trajectory import follow_player
from ludometer.report.charts import ACCENT, INK

if TYPE_CHECKING:
    from ludometer.intrinsic import Calibration, Gains, Strengths

_SHOWN = 12
_EDGE = 150
_BIN = 10


def strength_chart(strengths: Strengths, *, narrow: bool = False) -> Any:
    """Strengths with their intervals, strongest first; hollow points are known ratings."""
    return strengths.plot().properties(width=150 if narrow else 480)


def calibration_chart(calibration: Calibration, *, narrow: bool = False) -> Any:
    """Differences by moves over known ratings, with the fit."""
    return calibration.plot().properties(width=260 if narrow else 480)


def gain_histograms(gains: Gains, *, narrow: bool = False) -> Any:
    """Histograms side by side, of the players with most moves."""
    import altair as alt

    edges = np.arange(-_EDGE - _BIN / 2, _EDGE + _BIN, _BIN)
    rows = [
        {"player": gains.players.names[int(code)], "low": low / 100, "high": (low + _BIN) / 100, "share": share}
        for code in _most_active(gains)
        for mine in (np.clip(gains.value[gains.player == code], -_EDGE, _EDGE),)
        for low, share in zip(edges[:-1].tolist(), (np.histogram(mine, edges)[0] / len(mine)).tolist(), strict=True)
        if share
    ]
    names = [gains.players.names[int(code)] for code in _most_active(gains)]
    bars = (
        alt.Chart(width=130 if narrow else 160, height=90)
        .mark_bar(color=INK, opacity=0.8)
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                title=None,
                scale=alt.Scale(domain=[-1.55, 1.55]),
                axis=alt.Axis(values=[-1, 0, 1], grid=False),
            ),
            x2="high:Q",
            y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%", tickCount=3)),
        )
    )
    return bars.properties(data=alt.InlineData(values=rows)).facet(
        alt.Facet("player:N", title=None, sort=names), columns=2 if narrow else 4, spacing=14
    )


def trajectory_charts(gains: Gains, strengths: Strengths, *, narrow: bool = False) -> Any:
    """The estimate after each move, with its band, of the players with most moves."""
    import altair as alt

    shift = strengths.engine.strength or 0.0
    codes = _most_active(gains)
    rows = [row for code in codes for row in _trajectory(gains, strengths, gains.players.names[int(code)], shift)]
    bottom, top = _span(rows)
    scale = alt.Scale(domain=[bottom, top], clamp=True, nice=False)
    base = alt.Chart(width=130 if narrow else 160, height=100)
    x = alt.X("move:Q", title=None, axis=alt.Axis(tickCount=3, grid=False))
    band = base.mark_area(opacity=0.25, color=INK).encode(
        x=x, y=alt.Y("low:Q", title=None, scale=scale, axis=alt.Axis(tickCount=4)), y2="high:Q"
    )
    line = base.mark_line(color=ACCENT, strokeWidth=1.5).encode(x=x, y=alt.Y("value:Q", title=None, scale=scale))
    names = [gains.players.names[int(code)] for code in codes]
    return alt.layer(band, line, data=alt.InlineData(values=rows)).facet(
        alt.Facet("player:N", title=None, sort=names), columns=2 if narrow else 4, spacing=14
    )


def _trajectory(gains: Gains, strengths: Strengths, player: str, shift: float) -> list[dict[str, Any]]:
    found = follow_player(gains, player, engine=strengths.engine.strength, level=strengths.level)
    # a chart this small shows no more than some 200 points
    chosen = range(0, len(found), max(1, len(found) // 200))
    columns = (found.difference, found.low, found.high)
    return [
        {"player": player, "move": k + 1}
        | {name: v + shift for name, v in zip(("value", "low", "high"), at, strict=True)}
        for k in chosen
        for at in (tuple(float(column[k]) for column in columns),)
        if np.isfinite(at).all()
    ]


def _span(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """From a little below to a little above the lines once they have settled, so that the first moves do not rule."""
    settled = [row for row in rows if row["move"] > 20] or rows
    if not settled:
        return 0.0, 1.0
    low, high = (np.array([row[name] for row in settled]) for name in ("low", "high"))
    return float(np.floor(np.quantile(low, 0.02) / 50) * 50), float(np.ceil(np.quantile(high, 0.98) / 50) * 50)


def _most_active(gains: Gains) -> list[int]:
    moves, _ = gains.counts()
    order = np.argsort(-moves, kind="stable")[:_SHOWN]
    return [int(code) for code in order if moves[code]]
