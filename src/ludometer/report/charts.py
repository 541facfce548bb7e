"""Charts of a measured game as SVG, drawn without a browser and without JavaScript."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.luck.reference import reference_games

if TYPE_CHECKING:
    from ludometer.luck import Measurement

INK, ACCENT, GREY = "#24405f", "#b4530a", "#767676"
_LABELLED = {
    "Go": "Go",
    "Tennis": "Tennis",
    "Chess": "Chess",
    "50% Determ.": "half skill, half coin",
    "Tetris (2p)": "Tetris",
    "50% Chess": "half chess, half coin",
    "Rummy (2p)": "Rummy",
    "Poker (2p)": "Poker",
    "Crazy 8s (2p)": "Crazy 8s",
}
"""Published games that stand far enough apart on the scale to be named; the others are ticks."""


def to_svg(chart: Any) -> str:
    """The chart as an SVG element that scales with its page."""
    import vl_convert

    styled = chart.configure(font="system-ui, sans-serif").configure_axis(
        labelFontSize=12, titleFontSize=13, titleFontWeight="normal", gridColor="#e5e5e5", domainColor=GREY
    )
    svg: str = vl_convert.vegalite_to_svg(styled.configure_view(stroke=None).to_json())
    return re.sub(r'(<svg[^>]*?) width="[^"]*" height="[^"]*"', r"\1", svg, count=1)


def separate_ids(page: str) -> str:
    """The page with the ids of each SVG unlike those of any other.

    >>> separate_ids('<svg><g id="a"/></svg><svg><g id="a" clip-path="url(#a)"/></svg>')
    '<svg><g id="c1-a"/></svg><svg><g id="c2-a" clip-path="url(#c2-a)"/></svg>'
    """
    before, *parts = re.split(r"(?=<svg\b)", page)
    return before + "".join(_prefix_ids(part, f"c{n}-") for n, part in enumerate(parts, 1))


def _prefix_ids(svg: str, prefix: str) -> str:
    """Inside tags only: a name that reads like an id stays as it is."""
    return re.sub(r"<[^>]*>", lambda tag: re.sub(r'( id="|="url\(#|href="#)', rf"\g<1>{prefix}", tag[0]), svg)


def scale_chart(games: list[tuple[str, Measurement]], *, upright: bool) -> Any:
    """Where games stand between a coin flip and pure skill, beside the published games.

    Upright for narrow screens. The axis is stretched near 0 (square root), where most games are.
    """
    import altair as alt

    published = [{"sd": game.sd, "name": _LABELLED.get(game.game, "")} for game in reference_games()]
    published.append({"sd": 0.0, "name": "coin flip"})
    placed = [
        (name if len(games) > 1 else "this record", game.main.sd) for name, game in games if game.main.sd is not None
    ]
    highest = max([300.0, *(sd * 1.05 for _, sd in placed)])
    own = [
        {
            "sd": sd,
            "label": f"{_short(name, 15 if upright else 40)}: {sd:.0f}",
            "row": row,
            "side": "right" if sd**0.5 > 0.6 * highest**0.5 else "left",
        }
        for row, (name, sd) in enumerate(placed)
    ]
    along: dict[str, Any] = {
        "title": "SD of ratings (Elo points)",
        "scale": alt.Scale(type="sqrt", domain=[0, highest]),
        "axis": alt.Axis(values=[0, 10, 25, 50, 100, 150, 200, 250, 300, 400, 600], grid=False),
    }
    base, ours = (alt.Chart(alt.InlineData(values=rows)) for rows in (published, own))
    diamond: dict[str, Any] = {"filled": True, "size": 150, "shape": "diamond", "color": ACCENT, "opacity": 1}
    bold: dict[str, Any] = {"color": ACCENT, "fontWeight": "bold", "fontSize": 13}
    if upright:
        y = alt.Y("sd:Q", **along)
        layers = [
            base.mark_tick(color=GREY, orient="horizontal", size=14).encode(x=alt.value(20), y=y),
            base.mark_text(align="left", dx=12, color="#444", fontSize=12).encode(x=alt.value(24), y=y, text="name:N"),
            ours.mark_rule(color=ACCENT, opacity=0.4, strokeDash=[2, 3]).encode(
                x=alt.value(20), x2=alt.value(175), y=y
            ),
            ours.mark_point(**diamond).encode(x=alt.value(20), y=y),
            ours.mark_text(align="left", dx=4, **bold).encode(x=alt.value(175), y=y, text="label:N"),
        ]
        return alt.layer(*layers).properties(width=300, height=460)
    x = alt.X("sd:Q", **along)
    layers = [
        base.mark_tick(color=GREY, orient="vertical", size=14).encode(x=x, y=alt.value(110)),
        base.mark_text(align="left", angle=315, dx=8, dy=-4, color="#444", fontSize=12).encode(
            x=x, y=alt.value(102), text="name:N"
        ),
        ours.mark_point(**diamond).encode(x=x, y=alt.value(110)),
    ]
    for row in own:
        height = 134 + 20 * int(row["row"])
        one = alt.Chart(alt.InlineData(values=[row]))
        shift: dict[str, Any] = {"align": row["side"], "dx": -6 if row["side"] == "right" else 6}
        layers += [
            one.mark_rule(color=ACCENT).encode(x=x, y=alt.value(110), y2=alt.value(height)),
            one.mark_text(baseline="bottom", **shift, **bold).encode(x=x, y=alt.value(height + 2), text="label:N"),
        ]
    return alt.layer(*layers).properties(width=700, height=140 + 20 * len(own))


def _short(name: str, longest: int) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"


def rating_histogram(game: Measurement) -> Any:
    """The ratings of the regulars, with the span of one SD on either side of the mean."""
    import altair as alt

    main = game.main
    chosen = game.best_fit.rating[game.played >= main.min_matches]
    counts, edges = np.histogram(chosen, bins=min(50, max(8, int(len(chosen) ** 0.5))))
    bars = [{"low": a, "high": b, "players": int(n)} for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]
    mean, sd = float(chosen.mean()), float(main.sd or 0)
    marks = [
        {"at": mean + side * sd, "label": label} for side, label in ((-1, "1 SD below"), (0, "mean"), (1, "1 SD above"))
    ]
    histogram = (
        alt.Chart(alt.InlineData(values=bars))
        .mark_bar(color=INK, opacity=0.75, stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("low:Q", bin="binned", title="Rating (Elo points; a newcomer has 0)"),
            x2="high:Q",
            y=alt.Y("players:Q", title="Players"),
        )
    )
    rules = alt.Chart(alt.InlineData(values=marks))
    lines = rules.mark_rule(strokeDash=[4, 3], color=ACCENT).encode(x="at:Q")
    words = rules.mark_text(angle=270, align="right", dy=-6, dx=-4, color=ACCENT, fontSize=11).encode(
        x="at:Q", y=alt.value(4), text="label:N"
    )
    return (histogram + lines + words).properties(width=440, height=240)


def cutoff_chart(game: Measurement) -> Any:
    """The SD for every number of matches that a player must have."""
    import altair as alt

    return game.plot().properties(width=440, height=220) + alt.Chart(
        alt.InlineData(
            values=[{"cutoff": game.main.min_matches, "sd": game.main.sd, "label": f"{game.main.sd or 0:.0f}"}]
        )
    ).mark_point(filled=True, size=90, color=ACCENT).encode(x="cutoff:Q", y="sd:Q")


def loss_chart(game: Measurement) -> Any:
    """The loss over k."""
    return game.best_fit.plot().properties(width=440, height=220)


def calibration_chart(game: Measurement) -> Any:
    """What favourites were expected to score and what they scored."""
    import altair as alt

    rows = game.forecasts.calibration.to_frame().to_dicts()
    lowest = min(0.5, *(row["interval_low"] for row in rows))
    wide, high = alt.Scale(domain=[0.5, 1]), alt.Scale(domain=[lowest, 1], nice=True)
    base = alt.Chart(alt.InlineData(values=rows))
    percent = alt.Axis(format="%", tickCount=6)
    x = alt.X("forecast:Q", title="The favourite was expected to score", axis=percent, scale=wide)
    diagonal = alt.Chart(alt.InlineData(values=[{"a": 0.5}, {"a": 1.0}])).mark_line(strokeDash=[4, 3], color=GREY)
    return alt.layer(
        diagonal.encode(x=alt.X("a:Q", scale=wide), y=alt.Y("a:Q", scale=high)),
        base.mark_rule(color=INK).encode(
            x=x, y=alt.Y("interval_low:Q", title="The favourite scored", axis=percent, scale=high), y2="interval_high:Q"
        ),
        base.mark_point(filled=True, size=70, color=INK).encode(x=x, y=alt.Y("score:Q", scale=high)),
    ).properties(width=340, height=300)
