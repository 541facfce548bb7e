"""Charts of skill and luck in backgammon, each for wide and for narrow pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.backgammon.balance import follow_match
from ludometer.backgammon.skill import MILLI
from ludometer.drawing import ACCENT, GREY, INK
from ludometer.wording import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludometer.backgammon.balance import Balance
    from ludometer.backgammon.matches import AnalysedMatch
    from ludometer.backgammon.skill import SkillAndLuck

_SHOWN = 12
_NUMBER = "+.3~g"
_CLASSES = ((0, "none"), (10, "to 10"), (30, "to 30"), (60, "to 60"), (120, "to 120"), (None, "more"))
"""Upper ends in thousandths; from 30, 60 and 120 on GNU Backgammon calls a decision doubtful, bad and very bad."""


def balance_chart(balance: Balance, *, narrow: bool = False) -> Any:
    """Bars to the left and right of 0: for the second player and for the first."""
    import altair as alt

    parts = [("skill", balance.net_skill), ("luck", balance.net_luck)]
    if balance.result is not None and balance.rest is not None:
        parts += [("left open", balance.rest), ("result", balance.result)]
    scale = 100.0 if balance.unit == "match" else 1.0
    colours = {"skill": INK, "luck": ACCENT, "left open": GREY, "result": "#1c2733"}
    rows: list[dict[str, Any]] = [
        {"part": part, "value": scale * value, "label": _signed(scale * value, balance), "colour": colours[part]}
        for part, value in parts
    ]
    widest = max(abs(row["value"]) for row in rows) * (1.55 if narrow else 1.3) or 1.0
    title = "Percent of a match" if balance.unit == "match" else "Points"
    y = alt.Y("part:N", sort=[part for part, _ in parts], title=None, axis=alt.Axis(ticks=False, domain=False))
    x = alt.X(
        "value:Q",
        title=title,
        scale=alt.Scale(domain=[-widest, widest], nice=False),
        axis=alt.Axis(tickCount=4 if narrow else 7, format=_NUMBER),
    )
    base = alt.Chart(alt.InlineData(values=rows))
    bars = base.mark_bar(height=18).encode(x=x, y=y, color=alt.Color("colour:N", scale=None))
    zero = alt.Chart(alt.InlineData(values=[{"at": 0}])).mark_rule(color=GREY).encode(x="at:Q")
    layers = [bars, zero]
    align: Literal["left", "right"]
    for side, align, dx in (("datum.value >= 0", "left", 4), ("datum.value < 0", "right", -4)):
        words = base.transform_filter(side).mark_text(align=align, dx=dx, fontSize=12)
        layers.append(words.encode(x=x, y=y, text="label:N", color=alt.Color("colour:N", scale=None)))
    names: list[dict[str, Any]] = [
        {"value": -widest, "name": f"← for {balance.players[1]}"},
        {"value": widest, "name": f"for {balance.players[0]} →"},
    ]
    for entry in names:
        align = "left" if entry["value"] < 0 else "right"
        mark = alt.Chart(alt.InlineData(values=[entry])).mark_text(
            align=align,
            baseline="bottom",
            fontSize=12,
            fontWeight="bold",
            color="#56616d",
            limit=120 if narrow else 240,
        )
        layers.append(mark.encode(x=x, y=alt.value(-6), text="name:N"))
    return alt.layer(*layers).properties(width=250 if narrow else 520, height=32 * len(rows))


def course_chart(match: AnalysedMatch, *, narrow: bool = False) -> Any:
    """Skill and luck added up roll by roll, with a line where each game begins."""
    import altair as alt

    course = follow_match(match)
    scale = 100.0 if match.length else 1.0
    sides = (("skill", course.skill, INK), ("luck", course.luck, ACCENT))
    rows = [{"roll": 0, "value": 0.0, "part": part, "colour": colour} for part, _, colour in sides] + [
        {"roll": roll, "value": scale * value, "part": part, "colour": colour}
        for part, column, colour in sides
        for roll, value in enumerate(column.tolist(), 1)
    ]
    ends = [
        {"roll": len(column), "value": scale * float(column[-1]), "part": part, "colour": colour}
        for part, column, colour in sides
    ]
    _spread(ends, max(abs(row["value"]) for row in rows) or 1.0)
    unit = "percent of a match" if match.length else "points"
    title = f"For {match.names[0]} ({unit})" if not narrow else f"For {_short(match.names[0], 14)} ({unit})"
    x = alt.X("roll:Q", title="Rolls", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False, tickCount=5))
    y = alt.Y("value:Q", title=title, axis=alt.Axis(tickCount=5, format=_NUMBER))
    colour = alt.Color("colour:N", scale=None)
    base = alt.Chart(alt.InlineData(values=rows))
    games = [{"roll": int(start), "name": f"game {n}"} for n, start in enumerate(course.starts.tolist(), 1)]
    rules = alt.Chart(alt.InlineData(values=games)).mark_rule(color="#d9dee3").encode(x="roll:Q")
    zero = alt.Chart(alt.InlineData(values=[{"value": 0}])).mark_rule(color=GREY, strokeDash=[4, 3]).encode(y="value:Q")
    lines = base.mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, detail="part:N")
    words = (
        alt.Chart(alt.InlineData(values=ends))
        .mark_text(align="left", dx=5, fontSize=12, fontWeight="bold")
        .encode(x="roll:Q", y="at:Q", text="part:N", color=colour)
    )
    return alt.layer(rules, zero, lines, words).properties(width=225 if narrow else 500, height=200 if narrow else 240)


def loss_histograms(found: SkillAndLuck, *, narrow: bool = False) -> Any:
    """How much decisions gave away, in classes, of the players with most decisions."""
    import altair as alt

    codes = _most_active(found)
    names = [found.names[code] for code in codes]
    rows: list[dict[str, Any]] = []
    for code in codes:
        mine = -found.gains.value[found.gains.player == code]
        above = -1
        for upper, word in _CLASSES:
            share = float(np.mean((mine > above) & (mine <= (np.inf if upper is None else upper))))
            label = percent(share, 0) if share >= 0.005 else ("< 1%" if share else "")
            rows.append({"player": found.names[code], "class": word, "share": share, "label": label})
            above = above if upper is None else upper
    base = alt.Chart(width=270 if narrow else 250, height=100 if narrow else 110)
    x = alt.X("class:N", sort=[word for _, word in _CLASSES], title=None, axis=alt.Axis(labelAngle=0, labelFontSize=10))
    # room above the bars for their labels, so that the names of the players stay in line
    top = 1.15 * max(row["share"] for row in rows)
    y = alt.Y("share:Q", title=None, axis=None, scale=alt.Scale(domain=[0, top], nice=False))
    bars = base.mark_bar(color=INK, opacity=0.85).encode(x=x, y=y)
    words = base.mark_text(baseline="bottom", dy=-2, fontSize=11, color=INK).encode(x=x, y=y, text="label:N")
    return alt.layer(bars, words, data=alt.InlineData(values=rows)).facet(
        alt.Facet("player:N", title=None, sort=names, header=alt.Header(labelFontSize=13, labelFontWeight="bold")),
        columns=1 if narrow else 2,
        spacing=14,
    )


def luck_chart(found: SkillAndLuck, *, narrow: bool = False) -> Any:
    """The luck of each player, added up over all rolls."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"player": row["player"], "luck": row["luck"], "label": f"{row['luck']:+.2f}"}
        for row in found.to_frame().sort("luck", "player", descending=[True, False]).to_dicts()
    ]
    rows = rows if len(rows) <= _SHOWN else rows[: _SHOWN // 2] + rows[-_SHOWN // 2 :]
    widest = max(abs(row["luck"]) for row in rows) * (1.5 if narrow else 1.25) or 1.0
    base = alt.Chart(alt.InlineData(values=rows))
    y = alt.Y(
        "player:N",
        sort=[row["player"] for row in rows],
        title=None,
        axis=alt.Axis(ticks=False, domain=False, labelLimit=100 if narrow else 200),
    )
    x = alt.X(
        "luck:Q",
        title="Luck (points of equity)",
        scale=alt.Scale(domain=[-widest, widest], nice=False),
        axis=alt.Axis(tickCount=4 if narrow else 7, format=_NUMBER),
    )
    layers = [
        base.mark_bar(height=16, color=ACCENT).encode(x=x, y=y),
        alt.Chart(alt.InlineData(values=[{"at": 0}])).mark_rule(color=GREY).encode(x="at:Q"),
    ]
    align: Literal["left", "right"]
    for side, align, dx in (("datum.luck >= 0", "left", 4), ("datum.luck < 0", "right", -4)):
        words = base.transform_filter(side).mark_text(align=align, dx=dx, fontSize=12, color=ACCENT)
        layers.append(words.encode(x=x, y=y, text="label:N"))
    return alt.layer(*layers).properties(width=200 if narrow else 480, height=28 * len(rows))


def error_chart(found: SkillAndLuck, *, narrow: bool = False) -> Any:
    """Error rates with their intervals, best first, with their numbers."""
    import altair as alt

    rows = []
    for row in found.to_frame().to_dicts()[:30]:
        if row["loss"] is not None:
            ends = {name: MILLI * (row["loss"] if row[name] is None else row[name]) for name in ("low", "high")}
            rows.append(
                {"player": row["player"], "loss": MILLI * row["loss"], "label": f"{MILLI * row['loss']:.1f}"} | ends
            )
    base = alt.Chart(alt.InlineData(values=rows))
    y = alt.Y(
        "player:N",
        sort=[row["player"] for row in rows],
        title=None,
        axis=alt.Axis(labelLimit=100 if narrow else 200, ticks=False, labelPadding=10),
    )
    widest = max((row["high"] for row in rows), default=1.0) * (1.3 if narrow else 1.12) or 1.0
    title = "Error rate (thousandths)" if narrow else "Error rate (thousandths of a point a decision)"
    x = alt.X("low:Q", title=title, scale=alt.Scale(domain=[0, widest], nice=False), axis=alt.Axis(tickCount=5))
    bars = base.mark_rule(color=INK, strokeWidth=2).encode(x=x, x2="high:Q", y=y)
    dots = base.mark_point(filled=True, size=70, color=INK, opacity=1).encode(x="loss:Q", y=y)
    words = base.mark_text(align="left", dx=8, fontSize=12, color=INK).encode(x="high:Q", y=y, text="label:N")
    return (bars + dots + words).properties(width=200 if narrow else 460, height=30 * max(len(rows), 1))


def matches_chart(balances: Sequence[Balance], *, narrow: bool = False) -> Any:
    """Skill against luck, a point a match, from the winner's view."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"skill": sign * balance.net_skill * 100, "luck": sign * balance.net_luck * 100, "match": balance.match}
        for balance in balances
        if balance.unit == "match" and balance.winner is not None
        for sign in (1 if balance.winner == 0 else -1,)
    ]
    widest = max(max(abs(row["skill"]), abs(row["luck"])) for row in rows) * 1.15 or 1.0
    scale = alt.Scale(domain=[-widest, widest], nice=False)
    axis = alt.Axis(tickCount=5, format=_NUMBER, grid=False)
    x = alt.X("skill:Q", title="Skill of the winner (percent of a match)", scale=scale, axis=axis)
    y = alt.Y("luck:Q", title="Luck of the winner", scale=scale, axis=axis)
    zero = [
        alt.Chart(alt.InlineData(values=[{"at": 0}])).mark_rule(color=GREY, strokeDash=[4, 3]).encode(**{side: "at:Q"})
        for side in ("x", "y")
    ]
    corners = [
        alt.Chart(alt.InlineData(values=[{"skill": at * widest, "luck": up * widest, "word": word}]))
        .mark_text(align="right" if at > 0 else "left", dx=-5 * at, dy=10 * up, color=GREY, fontSize=12)
        .encode(x=x, y=y, text="word:N")
        for at, up, word in ((1, 1, "both"), (1, -1, "skill"), (-1, 1, "luck"), (-1, -1, "neither"))
    ]
    points = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_point(filled=True, size=60, color=INK, opacity=0.6)
        .encode(x=x, y=y, tooltip="match:N")
    )
    size = 240 if narrow else 340
    return alt.layer(*zero, *corners, points).properties(width=size, height=size)


def _signed(value: float, balance: Balance) -> str:
    return f"{value:+.1f}%" if balance.unit == "match" else f"{value:+.2f}"


def _spread(ends: list[dict[str, Any]], widest: float) -> None:
    """Where the words stand: at the ends of their lines, but not on top of each other."""
    apart = 0.18 * widest
    lower, upper = sorted(ends, key=lambda end: end["value"])
    short = max(apart - (upper["value"] - lower["value"]), 0.0) / 2
    lower["at"], upper["at"] = lower["value"] - short, upper["value"] + short


def _short(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _most_active(found: SkillAndLuck) -> list[int]:
    order = np.argsort(-found.decisions, kind="stable")[:_SHOWN]
    return [int(code) for code in order if found.decisions[code]]
