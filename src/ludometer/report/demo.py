"""The report of the demo: the page of several games, with what they are, who played, and how strong each player was."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludometer.drawing import ACCENT, GREY, INK, to_svg
from ludometer.measurement.charts import spread_out
from ludometer.measurement.comparison import compare_games
from ludometer.report.files import replacing
from ludometer.report.page import Additions, render_page
from ludometer.report.parts import Game, download, paragraphs, table

if TYPE_CHECKING:
    import polars as pl

    from ludometer.demo import BundledGame
    from ludometer.matches import Matches

CAUTION = (
    "How much skill a game shows depends on how far apart its players are. Here a ladder of programs played each game, "
    "from the best they do in a moment down to careless play; people, who are more alike, show less skill in the same "
    "game, as the published records of backgammon and Skat do."
)

_SPREAD = 1.96
"""Standard errors on either side of a strength."""

_WIDTH, _HEIGHT = 290, 220
_ROUND = 50.0


@dataclass(frozen=True, eq=False)
class Contest:
    """A bundled game, and how strong its players were."""

    about: BundledGame
    strengths: pl.DataFrame
    """player, strength, error, matches; best first. Elo points around 0."""

    def best(self, place: int) -> str:
        """Who has this place, and how strong he is; negative places count from the end."""
        row = self.strengths.row(place, named=True)
        return f"{row['player']}: {row['strength']:+.0f} ± {_SPREAD * row['error']:.0f}"


def find_strengths(matches: Matches) -> pl.DataFrame:
    """One strength a player from all results at once (Bradley-Terry, or Plackett-Luce for several), with its error.

    These players never change, so all their matches count alike.
    """
    import polars as pl

    from ludometer.scale import to_elo
    from ludometer.strength.pairwise import fit_skills
    from ludometer.strength.ranked import fit_orders
    from ludometer.strength.uncertainty import estimate_errors

    of_two = matches.sizes.max() == 2
    skills = fit_skills(matches, link="logit") if of_two else fit_orders(matches)
    frame = pl.DataFrame(
        {
            "player": matches.players.names,
            "strength": to_elo(skills.skill),
            "error": to_elo(estimate_errors(matches, skills)),
            "matches": matches.counts,
        }
    )
    return frame.sort("strength", "player", descending=[True, False])


def write_demo(games: Sequence[Game], contests: Sequence[Contest], path: Path, *, command: str) -> None:
    """Write the page; contests are those of the games, by name."""
    with replacing(path) as draft:
        draft.write_text(render_demo(games, contests, command=command), encoding="utf-8")


def render_demo(games: Sequence[Game], contests: Sequence[Contest], *, command: str) -> str:
    """The page of `render_page`, with the games explained."""
    by_name = {contest.about.name: contest for contest in contests}
    ordered = [by_name[name] for name, _ in compare_games(games).games]
    additions = Additions(
        answer=paragraphs(CAUTION),
        before=_played(ordered),
        after=_strengths(ordered),
        games={contest.about.name: _told(contest) for contest in ordered},
    )
    return render_page(games, command=command, additions=additions)


def _played(contests: Sequence[Contest]) -> str:
    items = "".join(
        f"<li><b>{escape(contest.about.name)}</b>: {escape(contest.about.what)} {escape(contest.about.who)}</li>"
        for contest in contests
    )
    return (
        f"<section><h2>What was played</h2><ul>{items}</ul>"
        + paragraphs(
            "All matches were really played, by programs that anybody can run; who met whom was drawn by lot. "
            "scripts/make_demo_data.py plays them again, byte for byte."
        )
        + "</section>"
    )


def _told(contest: Contest) -> str:
    """What a reader should know of a game before its numbers."""
    about = contest.about
    return paragraphs(f"{about.what} {about.who} Played by {about.script}.") + download(
        contest.strengths, f"{about.path.name.split('.')[0]}-strengths.csv", "Strengths of all players"
    )


def _strengths(contests: Sequence[Contest]) -> str:
    rows = [[contest.about.name, *(contest.best(place) for place in (0, -1))] for contest in contests]
    # the game of most skill would press all others flat
    limits = [_limits(contests[:1]), *[_limits(contests[1:])] * (len(contests) - 1)]
    panels = "".join(
        f"<div>{to_svg(_panel(contest, *span))}</div>" for contest, span in zip(contests, limits, strict=True)
    )
    words = (
        "One strength for each player that explains all results best, in Elo points, with its 95% interval. The "
        "program that finds them knows the results only; what the players are is on the axis below."
    )
    caption = (
        "The steeper, the more it pays to be good: all panels but the first have the same height in Elo points. Bars: "
        "95% intervals. Lines join players with the same share of random moves."
    )
    return (
        f"<section><h2>How strong is each player?</h2>{paragraphs(words)}"
        f'<figure><div class="pair">{panels}</div><figcaption>{caption}</figcaption></figure>'
        f"{table(['Game', 'Strongest', 'Weakest'], rows, left=(0, 1, 2))}</section>"
    )


def _limits(contests: Sequence[Contest]) -> tuple[float, float]:
    """Of an axis that fits all, in round numbers."""
    rows = [row for contest in contests for row in _points(contest)]
    low, high = min(row["low"] for row in rows), max(row["high"] for row in rows)
    return _ROUND * math.floor(low / _ROUND), _ROUND * math.ceil(high / _ROUND)


def _points(contest: Contest) -> list[dict[str, Any]]:
    """The players whose names tell a number, in order of it."""
    found = []
    for row in contest.strengths.iter_rows(named=True):
        name = re.fullmatch(contest.about.pattern, row["player"])
        if name:
            spread = _SPREAD * row["error"]
            found.append(
                {
                    "x": float(name[1] or 0),
                    "line": f"{name[2] or 0}%",
                    "strength": row["strength"],
                    "low": row["strength"] - spread,
                    "high": row["strength"] + spread,
                }
            )
    return sorted(found, key=lambda row: (row["line"], row["x"]))


def _panel(contest: Contest, low: float, high: float) -> Any:
    """Strength over what the players differ in."""
    import altair as alt

    points = _points(contest)
    base = alt.Chart(alt.InlineData(values=points))
    has_lines = len({row["line"] for row in points}) > 1
    scale = alt.Scale(type="log" if has_lines else "linear", nice=False, padding=8)
    x = alt.X("x:Q", title=contest.about.setting, scale=scale, axis=_axis(points))
    y = alt.Y(
        "strength:Q",
        title="Strength (Elo points)",
        scale=alt.Scale(domain=[low, high], nice=False),
        axis=alt.Axis(tickCount=6, minExtent=42, titlePadding=8),
    )
    layers = [
        base.mark_rule(color=GREY, opacity=0.7).encode(x=x, y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_point(filled=True, size=38, color=INK, opacity=0.9).encode(x=x, y=y),
    ]
    if has_lines:
        layers += [base.mark_line(color=INK, strokeWidth=1, opacity=0.6).encode(x=x, y=y, detail="line:N")]
        layers += _labels(points, x, low, high)
    return alt.layer(*layers).properties(
        width=_WIDTH, height=_HEIGHT, title=alt.Title(contest.about.name, anchor="start", fontSize=14, color=ACCENT)
    )


def _labels(points: Sequence[dict[str, Any]], x: Any, low: float, high: float) -> list[Any]:
    """The share of random moves at the end of each line, apart from each other."""
    import altair as alt

    furthest = max(row["x"] for row in points)
    ends = [row for row in points if row["x"] == furthest]
    heights = [_HEIGHT * (high - row["strength"]) / (high - low) for row in ends]
    labels = []
    for end, height in zip(ends, spread_out(heights, apart=12, end=_HEIGHT), strict=True):
        one = alt.Chart(alt.InlineData(values=[end | {"label": end["line"] + " random" * (end["line"] == "0%")}]))
        labels.append(
            one.mark_text(align="left", baseline="middle", dx=7, fontSize=11, color=ACCENT).encode(
                x=x, y=alt.value(height), text="label:N"
            )
        )
    return labels


def _axis(points: Sequence[dict[str, Any]]) -> Any:
    import altair as alt

    values = sorted({row["x"] for row in points})
    return alt.Axis(grid=False, values=values, labelOverlap="greedy") if len(values) < 9 else alt.Axis(grid=False)
