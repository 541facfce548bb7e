"""The chart of docs/growth.svg: cost per match over the number of matches and of players, labelled at the lines."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from schedules import stored

INK, ACCENT, GREEN, GREY = "#24405f", "#b4530a", "#2f7d4f", "#767676"
SERIES = {
    "measure --quick": ("measure --quick", ACCENT),
    "calibrating k": ("fitting k", ACCENT),
    "streamed, 8 lanes": ("streamed, each of 8 k", GREEN),
    "one k": ("one k", INK),
    "C, one k": ("one k in C", GREY),
    "8 lanes": ("each of 8 k at once", INK),
    "C, 8 lanes": ("each of 8 k in C", GREY),
}
"""Name in the results → words beside the line, and its colour."""

PLAYERS, MATCHES = 1_000, 10_000_000
"""What stays the same in either panel."""

APART = 0.05
"""Smallest distance of two labels, as a share of the height."""


def draw(rows: list[dict[str, Any]]) -> None:
    """Write docs/growth.svg."""
    import vl_convert

    svg = vl_convert.vegalite_to_svg(make_chart(rows).to_json(validate=False))
    (Path(__file__).parents[1] / "docs" / "growth.svg").write_text(svg + "\n", encoding="utf-8")


def make_chart(rows: list[dict[str, Any]]) -> Any:
    """Two panels with one scale of cost."""
    import altair as alt

    costs = [row[name] for row in rows for name in SERIES if name in row]
    limits = (10 ** math.floor(math.log10(min(costs))), 10 ** math.ceil(math.log10(max(costs))))
    by_matches = [row for row in rows if row["players"] == PLAYERS]
    by_players = [row for row in rows if row["matches"] == MATCHES]
    panels = [
        _panel(by_matches, "matches", f"Matches, of {PLAYERS:,} players", limits),
        _panel(by_players, "players", f"Players, in {MATCHES:,} matches", limits),
    ]
    return (
        alt.hconcat(*panels, spacing=20)
        .configure(font="system-ui, sans-serif", background="white")
        .configure_axis(labelFontSize=12, titleFontSize=13, titleFontWeight="normal", gridColor="#e5e5e5")
        .configure_view(stroke=None)
        .properties(padding={"left": 5, "top": 10, "right": 45, "bottom": 5})
    )


def spread_labels(places: list[float], apart: float) -> list[float]:
    """The places, in order, moved no further than needed so that no two are nearer than `apart`.

    >>> [round(place, 2) for place in spread_labels([0.0, 0.1, 1.0], 0.5)]
    [-0.2, 0.3, 1.0]
    """
    groups: list[list[float]] = []
    for place in places:
        groups.append([place])
        while len(groups) > 1 and _lowest(groups[-1], apart) - _highest(groups[-2], apart) < apart - 1e-12:
            last = groups.pop()
            groups[-1] += last
    return [_lowest(group, apart) + n * apart for group in groups for n in range(len(group))]


def _lowest(group: list[float], apart: float) -> float:
    return sum(group) / len(group) - (len(group) - 1) * apart / 2


def _highest(group: list[float], apart: float) -> float:
    return _lowest(group, apart) + (len(group) - 1) * apart


def _panel(rows: list[dict[str, Any]], over: str, title: str, limits: tuple[float, float]) -> Any:
    import altair as alt

    rows = sorted(rows, key=lambda row: row[over])
    names = [name for name in SERIES if all(name in row for row in rows)]
    points = [{"series": name, "x": row[over], "y": row[name]} for row in rows for name in names]
    height = math.log10(limits[1] / limits[0])
    names.sort(key=lambda name: rows[-1][name])
    places = spread_labels([math.log10(rows[-1][name]) / height for name in names], APART)
    labels = [
        {"x": rows[-1][over], "y": 10 ** (place * height), "text": SERIES[name][0], "series": name}
        for name, place in zip(names, places, strict=True)
    ]
    colour = alt.Color(
        "series:N",
        legend=None,
        scale=alt.Scale(domain=list(SERIES), range=[colour for _, colour in SERIES.values()]),
    )
    x = alt.X(
        "x:Q",
        title=title,
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format="~s", labelFlush=False, values=[row[over] for row in rows]),
    )
    y = alt.Y(
        "y:Q",
        title="Nanoseconds per match",
        scale=alt.Scale(type="log", domain=limits),
        axis=alt.Axis(
            format=",~r", values=[10**n for n in range(round(math.log10(limits[0])), round(math.log10(limits[1])) + 1)]
        ),
    )
    dash = alt.condition("substring(datum.series, 0, 1) == 'C'", alt.value([5, 3]), alt.value([1, 0]))
    base = alt.Chart(alt.InlineData(values=points))
    words = alt.Chart(alt.InlineData(values=labels)).mark_text(align="left", dx=8, fontSize=12)
    return alt.layer(
        base.mark_line().encode(x=x, y=y, color=colour, strokeDash=dash, detail="series:N"),
        base.mark_point(filled=True, size=30, opacity=1).encode(x=x, y=y, color=colour),
        words.encode(x="x:Q", y="y:Q", text="text:N", color=colour),
    ).properties(width=260, height=320)


if __name__ == "__main__":
    draw(stored("growth")["sizes"])
