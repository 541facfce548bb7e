"""Charts of measured games: where they stand, what the checks give, ratings, forecasts, luck."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.chart_style import ACCENT, FAINT, GREY, INK
from ludometer.measurement.benchmarks.published import reference_games
from ludometer.wording import PERCENT_LABELS

if TYPE_CHECKING:
    from ludometer.measurement.benchmarks.inversion import Share
    from ludometer.measurement.comparison import Game
    from ludometer.measurement.luck.luck import LuckMetrics, RidgeLuck
    from ludometer.measurement.measurement import Measurement

MULTIVERSE = ("cutoff", "half", "activity", "draws", "prizes", "component")
"""Kinds of checks that change one choice of the analysis; the others look at parts of the record, or at units."""

_FEWEST_SHOWN = 10
"""Players: of fewer the SD over cutoffs is noise."""

_SHOWN = 20
"""Players on the chart of skills."""


_LABELLED = {
    "50% Determ.": "half skill, half coin",
    "50% Chess": "half chess, half coin",
    "Go": "Go",
    "Chess": "Chess",
    "Poker (2p)": "Poker",
    "Tennis": "Tennis",
    "Tetris (2p)": "Tetris",
    "Rummy (2p)": "Rummy",
    "Crazy 8s (2p)": "Crazy 8s",
}
"""Published games that are named on the scale where there is room, in this order; the others are ticks."""

_TICKS = (0, 10, 25, 50, 100, 150, 200, 300, 400, 600, 800, 1000, 1500, 2000, 3000, 4000, 6000)
_BEYOND = 108.0
"""Where a share of more than 100% is drawn."""


def draw_measurement(game: Measurement, *, narrow: bool) -> dict[str, Any]:
    """All charts that this measurement has, by name."""
    charts: dict[str, Any] = {}
    if game.main.sd is not None:
        charts["scale"] = draw_scale([("", game)], narrow=narrow)
        if game.shares is not None:
            names = ("skill share", f"{game.reference_name} share")
            rows = [ShareRow(name, share, stands_out=True) for name, share in zip(names, game.shares, strict=True)]
            charts["yardsticks"] = draw_shares(rows, "Share; a coin decides the rest", narrow=narrow)
            charts |= _draw_checks(game, game.shares, narrow=narrow)
        charts["ratings"] = _draw_ratings(game, narrow=narrow)
    charts["cutoffs"] = _draw_cutoffs(game, narrow=narrow)
    charts["calibration"] = _draw_calibration(game, narrow=narrow)
    charts |= game.best_fit.charts(narrow=narrow)
    return charts | ({} if game.luck is None else _draw_luck(game.luck, narrow=narrow))


def draw_comparison(games: Sequence[Game], *, narrow: bool) -> dict[str, Any]:
    """All games on one scale, and by both yardsticks."""
    charts = {}
    if any(game.main.sd is not None for _, game in games):
        charts["scale"] = draw_scale(games, narrow=narrow)
    found = [(name, game.shares) for name, game in games if game.shares is not None]
    if found:
        titles = (
            "Skill share, a coin decides the rest",
            f"Share of {games[0][1].reference_name}, a coin decides the rest",
        )
        for place, (name, title) in enumerate(zip(("skill", "reference"), titles, strict=True)):
            rows = [ShareRow(game, shares[place], stands_out=True) for game, shares in found]
            charts[name] = draw_shares(rows, title, narrow=narrow)
    return charts


def _draw_checks(game: Measurement, shares: tuple[Share, Share], *, narrow: bool) -> dict[str, Any]:
    """Both shares in each check of the analysis, and the share of skill for longer units of play."""
    checks = [(check, check.shares) for check in game.verdict.checks] if game.verdict else []
    kinds = {
        "checks": (MULTIVERSE, "primary analysis", 0, "Skill share, a coin decides the rest"),
        "checks_reference": (
            MULTIVERSE,
            "primary analysis",
            1,
            f"Share of {game.reference_name}, a coin decides the rest",
        ),
        "units": (("unit",), "1 game, as recorded", 0, "Share of units that skill alone decides"),
    }
    charts = {}
    for name, (chosen, first, place, title) in kinds.items():
        rows = [ShareRow(first, shares[place], stands_out=True)]
        rows += [
            ShareRow(check.name.removesuffix(" (model)"), found[place])
            for check, found in checks
            if check.kind in chosen and found is not None
        ]
        if len(rows) > 1:
            charts[name] = draw_shares(rows, title, narrow=narrow)
    return charts


def draw_scale(games: Sequence[Game], *, narrow: bool) -> Any:
    """Where games stand between a coin flip and pure skill, beside the published games, with their intervals.

    Upright for narrow screens. The axis is stretched near 0 (square root), where most games are.
    """
    placed = [
        (name if len(games) > 1 else "this record", game.main.sd, game.main.sd_interval or (game.main.sd,) * 2)
        for name, game in games
        if game.main.sd is not None
    ]
    highest = max([300.0, *(1.05 * max(sd, high) for _, sd, (_, high) in placed)])
    own = [
        {
            "sd": float(sd),
            "low": float(low),
            "high": float(high),
            "label": f"{_short(name, 15 if narrow else 40)}: {sd:.{0 if sd >= 9.95 else 1}f}",
            "is_high": bool(sd > 0.36 * highest),
        }
        for name, sd, (low, high) in placed
    ]
    return _draw_upright(own, highest) if narrow else _draw_lying(own, highest)


def _draw_lying(own: list[dict[str, Any]], highest: float) -> Any:
    import altair as alt

    x = _along(alt.X, highest, 700)
    published = alt.Chart(alt.InlineData(values=_published(highest, 700, apart=17)))
    layers = [
        published.mark_tick(color=GREY, orient="vertical", size=14).encode(x=x, y=alt.value(110)),
        published.mark_text(align="left", angle=315, dx=8, dy=-4, color="#444", fontSize=12).encode(
            x=x, y=alt.value(102), text="name:N"
        ),
    ]
    for row, game in enumerate(own):
        height = 132 + 22 * row
        one = alt.Chart(alt.InlineData(values=[game]))
        side: dict[str, Any] = {"align": "right", "dx": -9} if game["is_high"] else {"align": "left", "dx": 9}
        end = alt.X(("low" if game["is_high"] else "high") + ":Q")
        layers += [
            one.mark_rule(color=ACCENT, strokeDash=[2, 2]).encode(x=x, y=alt.value(104), y2=alt.value(height)),
            one.mark_rule(color=ACCENT, strokeWidth=3).encode(
                x=alt.X("low:Q"), x2="high:Q", y=alt.value(height), y2=alt.value(height)
            ),
            one.mark_point(**_DIAMOND).encode(x=x, y=alt.value(height)),
            one.mark_text(baseline="middle", **side, **_BOLD).encode(x=end, y=alt.value(height), text="label:N"),
        ]
    return alt.layer(*layers).properties(width=700, height=144 + 22 * len(own))


def _draw_upright(own: list[dict[str, Any]], highest: float) -> Any:
    import altair as alt

    height = max(460, 60 + 18 * len(own))
    y = _along(alt.Y, highest, height)
    published = alt.Chart(alt.InlineData(values=_published(highest, height, apart=14)))
    places = spread_out([height * (1 - math.sqrt(game["sd"] / highest)) for game in own], apart=16, end=height)
    ours = alt.Chart(alt.InlineData(values=own))
    layers = [
        published.mark_tick(color=GREY, orient="horizontal", size=14).encode(x=alt.value(20), y=y),
        published.mark_text(align="left", dx=12, color="#444", fontSize=12).encode(x=alt.value(24), y=y, text="name:N"),
        ours.mark_rule(color=ACCENT, strokeWidth=3).encode(x=alt.value(20), y=alt.Y("low:Q"), y2="high:Q"),
        ours.mark_rule(color=ACCENT, opacity=0.5, strokeDash=[2, 3]).encode(x=alt.value(20), x2=alt.value(164), y=y),
        ours.mark_point(**_DIAMOND).encode(x=alt.value(20), y=y),
    ]
    for game, place in zip(own, places, strict=True):
        one = alt.Chart(alt.InlineData(values=[game]))
        layers += [
            one.mark_rule(color=ACCENT, opacity=0.5, strokeDash=[2, 3]).encode(
                x=alt.value(164), x2=alt.value(176), y=y, y2=alt.value(place)
            ),
            one.mark_text(align="left", baseline="middle", dx=3, **_BOLD).encode(
                x=alt.value(176), y=alt.value(place), text="label:N"
            ),
        ]
    return alt.layer(*layers).properties(width=300, height=height)


_DIAMOND: dict[str, Any] = {"filled": True, "size": 130, "shape": "diamond", "color": ACCENT, "opacity": 1}
_BOLD: dict[str, Any] = {"color": ACCENT, "fontWeight": "bold", "fontSize": 13}


def _along(channel: Any, highest: float, length: float) -> Any:
    import altair as alt

    ticks: list[float] = []
    for tick in _TICKS:
        if tick <= highest and (not ticks or length * (math.sqrt(tick) - math.sqrt(ticks[-1])) > 30 * highest**0.5):
            ticks.append(tick)
    scale = alt.Scale(type="sqrt", domain=[0, highest], nice=False)
    return channel("sd:Q", title="SD of ratings (Elo points)", scale=scale, axis=alt.Axis(values=ticks, grid=False))


def _published(highest: float, length: float, *, apart: float) -> list[dict[str, Any]]:
    """Ticks with names where they do not run into each other."""
    named: dict[str, float] = {"coin flip": 0.0}
    by_name = {game.game: game.sd for game in reference_games()}
    for game, label in _LABELLED.items():
        place = length * math.sqrt(by_name[game] / highest)
        if all(abs(place - length * math.sqrt(other / highest)) >= apart for other in named.values()):
            named[label] = by_name[game]
    ticks = [{"sd": sd, "name": ""} for name, sd in by_name.items()]
    return [*ticks, *({"sd": sd, "name": name} for name, sd in named.items())]


def spread_out(places: Sequence[float], *, apart: float, end: float) -> list[float]:
    """Places moved as little as needed to be `apart`, none beyond `end`; their order stays.

    >>> spread_out([10.0, 12.0, 50.0], apart=10, end=60)
    [6.0, 16.0, 50.0]
    """
    order = sorted(range(len(places)), key=lambda one: places[one])
    clusters: list[list[float]] = []
    for one in order:
        clusters.append([places[one], 1.0])
        while len(clusters) > 1 and _overlap(clusters[-2], clusters[-1], apart):
            centre, size = clusters.pop()
            before, n = clusters[-1]
            clusters[-1] = [(before * n + centre * size) / (n + size), n + size]
    moved: dict[int, float] = {}
    rest = iter(order)
    for centre, size in clusters:
        half = apart * (size - 1) / 2
        middle = min(max(centre, half), end - half)
        for step in range(int(size)):
            moved[next(rest)] = middle - half + apart * step
    return [moved[one] for one in range(len(places))]


def _overlap(upper: list[float], lower: list[float], apart: float) -> bool:
    return lower[0] - upper[0] < apart * (upper[1] + lower[1]) / 2


@dataclass(frozen=True)
class ShareRow:
    """A line of a chart of shares."""

    label: str
    share: Share
    stands_out: bool = False


def draw_shares(rows: Sequence[ShareRow], title: str, *, narrow: bool) -> Any:
    """Shares of a benchmark from 0 to 100% with their intervals, and the line at 50%.

    On narrow screens names stand above their line, on wide ones beside it.
    """
    import altair as alt

    high = 108.0 if any(not math.isfinite(row.share.high) for row in rows) else 100.0
    step, width = (40, 310) if narrow else (26, 420)
    values = [
        {
            "y": place,
            "label": _short(row.label, 34 if narrow else 40),
            "value": str(row.share),
            "x": min(row.share.x, _BEYOND),
            "low": row.share.low,
            "high": min(row.share.high, _BEYOND),
            "shape": "circle" if math.isfinite(row.share.x) else "triangle-right",
            "colour": ACCENT if row.stands_out else INK,
        }
        for place, row in enumerate(rows)
    ]
    base = alt.Chart(alt.InlineData(values=values))
    beyond = alt.Chart(
        alt.InlineData(values=[row for row in values if row["high"] == _BEYOND and row["shape"] == "circle"])
    )
    below = 0.3 if narrow else 0.6
    y = alt.Y(
        "y:Q", axis=None, scale=alt.Scale(domain=[-0.75 if narrow else -0.6, len(rows) - 1 + below], reverse=True)
    )
    percent = alt.Axis(values=[0, 25, 50, 75, 100], labelExpr="datum.value + '%'", grid=False)
    x = alt.X("x:Q", title=title, scale=alt.Scale(domain=[0, high], nice=False), axis=percent)
    colour = alt.Color("colour:N", scale=None)
    half = alt.Chart(alt.InlineData(values=[{"x": 50}]))
    halves = alt.Chart(
        alt.InlineData(
            values=[
                {"x": 50, "label": "← more chance  ", "at": "right"},
                {"x": 50, "label": "  more skill →", "at": "left"},
            ]
        )
    )
    words: dict[str, Any] = {"fontSize": 12, "baseline": "middle"}
    halos: list[dict[str, Any]] = [{"stroke": "white", "strokeWidth": 5, "aria": False}, {}] if narrow else [{}]
    layers = [
        base.mark_rule(color=FAINT).encode(x=alt.value(0), x2=alt.value(width), y=y),
        half.mark_rule(color=GREY, strokeDash=[4, 3]).encode(x=alt.X("x:Q"), y=alt.value(-14), y2=alt.value("height")),
        *(
            halves.transform_filter(alt.datum.at == side)
            .mark_text(align=side, dx=8 if side == "left" else -8, color=GREY, fontSize=12, baseline="bottom")
            .encode(x=alt.X("x:Q"), y=alt.value(-4), text="label:N")
            for side in ("left", "right")
        ),
        base.mark_rule(strokeWidth=3).encode(x=alt.X("low:Q"), x2="high:Q", y=y, color=colour),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            x=x, y=y, color=colour, shape=alt.Shape("shape:N", scale=None)
        ),
        beyond.mark_point(filled=True, size=50, opacity=1, shape="triangle-right").encode(
            x=alt.X("high:Q"), y=y, color=colour
        ),
        *(
            # first in white, so that the line at 50% does not run through the letters
            base.mark_text(align="left" if narrow else "right", dy=-15 if narrow else 0, **words, **halo).encode(
                x=alt.value(0 if narrow else -12), y=y, text="label:N", color=colour
            )
            for halo in halos
        ),
        base.mark_text(align="right" if narrow else "left", dy=-15 if narrow else 0, fontWeight="bold", **words).encode(
            x=alt.value(width if narrow else width + 12), y=y, text="value:N", color=colour
        ),
    ]
    # letters of the reader's system may be wider than those that the drawing was measured with
    beside = {
        "left": 5 if narrow else 5 + 1.5 * max(len(_short(row.label, 40)) for row in rows),
        "right": 5 if narrow else 5 + 1.5 * max(len(str(row.share)) for row in rows),
        "top": 5,
        "bottom": 5,
    }
    return alt.layer(*layers).properties(width=width, height=step * len(rows) + (12 if narrow else 0), padding=beside)


def _short(name: str, longest: int) -> str:
    """A name cut to fit."""
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _draw_ratings(game: Measurement, *, narrow: bool) -> Any:
    """The ratings of the regulars, with the span of one SD on either side of the mean."""
    import altair as alt

    main = game.main
    chosen = game.best_fit.rating[game.data.played >= main.min_matches]
    counts, edges = np.histogram(chosen, bins=min(50, max(8, int(len(chosen) ** 0.5))))
    bars = [{"low": a, "high": b, "players": int(n)} for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)]
    mean, sd = float(chosen.mean()), float(main.sd or 0)
    marks = [{"at": mean + side * sd, "label": label} for side, label in ((-1, "−1 SD"), (0, "mean"), (1, "+1 SD"))]
    histogram = (
        alt.Chart(alt.InlineData(values=bars))
        .mark_bar(color=INK, opacity=0.45, stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X(
                "low:Q",
                bin="binned",
                title="Rating (Elo points; a newcomer has 0)",
                axis=alt.Axis(tickCount=6, labelOverlap="greedy", labelSeparation=6, grid=False),
            ),
            x2="high:Q",
            y=alt.Y("players:Q", title="Players", axis=alt.Axis(tickMinStep=1)),
        )
    )
    rules = alt.Chart(alt.InlineData(values=marks))
    lines = rules.mark_rule(strokeDash=[4, 3], color=ACCENT, strokeWidth=1.5).encode(x="at:Q")
    words = rules.mark_text(baseline="bottom", color=ACCENT, fontSize=12).encode(
        x="at:Q", y=alt.value(-3), text="label:N"
    )
    return (histogram + lines + words).properties(width=_width(narrow), height=240)


def _draw_cutoffs(game: Measurement, *, narrow: bool) -> Any:
    """The SD for every number of matches that a player must have; a dot at the cutoff that counts."""
    import altair as alt

    sweep, main = game.cutoffs, game.main
    rows = [
        {"cutoff": int(cutoff), "sd": float(sd), "players": int(n)}
        for cutoff, sd, n in zip(sweep.min_matches, sweep.sd, sweep.n, strict=True)
        if np.isfinite(sd) and n >= min(_FEWEST_SHOWN, main.n)
    ]
    line = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(color=INK)
        .encode(
            x=alt.X("cutoff:Q", title="Players with at least this many matches"),
            y=alt.Y("sd:Q", title="SD of ratings (Elo points)"),
            tooltip=["cutoff:Q", "sd:Q", "players:Q"],
        )
    )
    dots = [] if main.sd is None else [{"cutoff": main.min_matches, "sd": main.sd}]
    dot = alt.Chart(alt.InlineData(values=dots)).mark_point(filled=True, size=90, color=ACCENT)
    return (line + dot.encode(x="cutoff:Q", y="sd:Q")).properties(width=_width(narrow), height=220)


def _draw_calibration(game: Measurement, *, narrow: bool) -> Any:
    """What favourites were expected to score and what they scored."""
    import altair as alt

    rows = game.forecasts.elo.calibration.to_frame().to_dicts()
    # of two players the favourite expects at least a half; of more, a share of the largest prize
    first = min(0.5, *(row["forecast"] for row in rows)) if not game.data.is_two_player else 0.5
    lowest = min(first, *(row["interval_low"] for row in rows))
    wide, high = alt.Scale(domain=[first, 1]), alt.Scale(domain=[lowest, 1], nice=True)
    base = alt.Chart(alt.InlineData(values=rows))
    percent = alt.Axis(labelExpr=PERCENT_LABELS, tickCount=6)
    x = alt.X("forecast:Q", title="The favourite was expected to score", axis=percent, scale=wide)
    diagonal = alt.Chart(alt.InlineData(values=[{"a": first}, {"a": 1.0}])).mark_line(strokeDash=[4, 3], color=GREY)
    return alt.layer(
        diagonal.encode(x=alt.X("a:Q", scale=wide), y=alt.Y("a:Q", scale=high)),
        base.mark_rule(color=INK).encode(
            x=x, y=alt.Y("interval_low:Q", title="The favourite scored", axis=percent, scale=high), y2="interval_high:Q"
        ),
        base.mark_point(filled=True, size=70, color=INK).encode(x=x, y=alt.Y("score:Q", scale=high)),
    ).properties(width=260 if narrow else 340, height=260 if narrow else 300)


def _draw_luck(luck: LuckMetrics, *, narrow: bool) -> dict[str, Any]:
    charts = {}
    if luck.population is not None:
        charts["luck"] = luck.population.plot().properties(width=_width(narrow), height=200)
    if luck.ridge is not None:
        if luck.ridge.path is not None:
            charts["ridge"] = _draw_path(luck.ridge, narrow=narrow)
        charts["skills"] = _draw_skills(luck.ridge, narrow=narrow)
    return charts


def _draw_path(found: RidgeLuck, *, narrow: bool) -> Any:
    """l2 against the ridge, with the value used marked."""
    import altair as alt

    assert found.path is not None
    used = [{"ridge": found.skills.ridge, "l2": found.l2}] if found.skills.ridge else []
    dot = alt.Chart(alt.InlineData(values=used)).mark_point(filled=True, size=90, color=ACCENT)
    (path,) = found.path.charts(narrow=narrow).values()
    return (path + dot.encode(x="ridge:Q", y="l2:Q")).properties(width=_width(narrow), height=200)


def _draw_skills(found: RidgeLuck, *, narrow: bool) -> Any:
    """The strongest players with intervals of two standard errors, in Elo points."""
    import altair as alt

    frame = found.skills_frame().head(_SHOWN)
    rows = [
        {
            "player": row["player"],
            "elo": row["elo"],
            "low": row["elo"] - 1.96 * row["elo_error"],
            "high": row["elo"] + 1.96 * row["elo_error"],
        }
        for row in frame.iter_rows(named=True)
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("player:N", sort=None, title=None, axis=alt.Axis(labelLimit=110 if narrow else 200, labelOverlap=False))
    )
    x = alt.X("low:Q", title="Skill (Elo points around the mean)", scale=alt.Scale(zero=False))
    zero = alt.Chart(alt.InlineData(values=[{"at": 0}])).mark_rule(color=GREY, strokeDash=[4, 3]).encode(x="at:Q")
    return (
        zero
        + base.mark_rule(color=INK, strokeWidth=1.5).encode(x=x, x2="high:Q")
        + base.mark_point(filled=True, size=45, color=ACCENT).encode(x="elo:Q")
    ).properties(width=190 if narrow else 400, height=18 * len(rows))


def _width(narrow: bool) -> int:
    return 270 if narrow else 440
