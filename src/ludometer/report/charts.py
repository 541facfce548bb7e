"""Charts of a measured game as SVG, drawn without a browser and without JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.drawing import ACCENT, GREY, INK
from ludometer.wording import PERCENT_LABELS

if TYPE_CHECKING:
    from ludometer.measurement import Measurement


def rating_histogram(game: Measurement, *, narrow: bool = False) -> Any:
    """The ratings of the regulars, with the span of one SD on either side of the mean."""
    import altair as alt

    main = game.main
    chosen = game.best_fit.rating[game.played >= main.min_matches]
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


def cutoff_chart(game: Measurement, *, narrow: bool = False) -> Any:
    """The SD for every number of matches that a player must have."""
    import altair as alt

    return game.plot().properties(width=_width(narrow), height=220) + alt.Chart(
        alt.InlineData(
            values=[{"cutoff": game.main.min_matches, "sd": game.main.sd, "label": f"{game.main.sd or 0:.0f}"}]
        )
    ).mark_point(filled=True, size=90, color=ACCENT).encode(x="cutoff:Q", y="sd:Q")


def loss_chart(game: Measurement, *, narrow: bool = False) -> Any:
    """The loss over k."""
    return game.best_fit.plot().properties(width=_width(narrow), height=220)


def calibration_chart(game: Measurement, *, narrow: bool = False) -> Any:
    """What favourites were expected to score and what they scored."""
    import altair as alt

    rows = game.forecasts.calibration.to_frame().to_dicts()
    # of two the favourite is expected to score a half at least; of several, a share of the largest prize
    first = min(0.5, *(row["forecast"] for row in rows)) if game.players_per_match[2] > 2 else 0.5
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


def _width(narrow: bool) -> int:
    return 270 if narrow else 440
