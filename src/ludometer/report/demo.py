"""The demo: the bundled games compared, and how strong their players are, as text and as a page."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ludometer.chart_style import ACCENT, GREY, INK
from ludometer.measurement import LuckChoices, measure
from ludometer.measurement.benchmarks.published import reference_games
from ludometer.measurement.charts import spread_out
from ludometer.measurement.comparison import Comparison, compare_games
from ludometer.report.page import render_page
from ludometer.result import Provenance, Shown
from ludometer.wording import format_table, percent

if TYPE_CHECKING:
    import polars as pl

    from ludometer.demo import BundledGame
    from ludometer.matches import Matches
    from ludometer.measurement import Measurement
    from ludometer.parallel import Workers

CAUTION = (
    "How much skill a game shows depends on how far apart its players are. Here each game was played by a ladder of "
    "programs, from the best they can do in a moment down to careless play. People are more alike and show less skill "
    "in the same game, as the published records of backgammon and Skat do."
)

_BESIDE = ("Go", "Tennis", "Chess", "Tetris (2p)", "Rummy (2p)", "Skat", "Backgammon", "Poker (2p)", "Yahtzee (2p)")
"""Published games that have a line in the summary; the page has them all."""

_DRAWS = 200
"""Effective draws for the interval of ℓ², fewer than `measure` takes, so that everything is done within a minute."""

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

    @property
    def extremes(self) -> list[str]:
        """The game, its strongest and its weakest player."""
        ends = (self.strengths.row(place, named=True) for place in (0, -1))
        return [
            self.about.name,
            *(f"{row['player']}: {row['strength']:+.0f} ± {_SPREAD * row['error']:.0f}" for row in ends),
        ]


@dataclass(frozen=True, eq=False)
class Demo(Shown):
    """The bundled games compared, and the strengths of their players."""

    comparison: Comparison
    contests: tuple[Contest, ...]

    @property
    def ordered(self) -> list[Contest]:
        """The contests, most skill first."""
        by_name = {contest.about.name: contest for contest in self.contests}
        return [by_name[name] for name in self.comparison.names]

    @property
    def provenance(self) -> Provenance:
        """Where the games came from."""
        return self.comparison.provenance

    def to_frame(self) -> pl.DataFrame:
        """game, player, strength, error, matches."""
        import polars as pl

        frames = [one.strengths.select(pl.lit(one.about.name).alias("game"), pl.all()) for one in self.contests]
        return pl.concat(frames)

    def document(self) -> dict[str, Any]:
        """The comparison of the games."""
        return self.comparison.document()

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Those of the comparison, and the strengths of the players of each game, by its name."""
        panels = dict(zip(self.comparison.names, _draw_strengths(self.ordered), strict=True))
        return self.comparison.charts(narrow=narrow) | panels

    def summary(self) -> str:
        """The games among some of the published ones, and the strongest and weakest player of each."""
        published = [
            (game.sd, [f"  {game.label}", f"{game.sd:.1f}", percent(game.p_sd), "", "", "published"])
            for game in reference_games()
            if game.game in _BESIDE
        ]
        measured = [(game.main.sd or 0.0, _row(name, game)) for name, game in self.comparison.games]
        rows = [cells for _, cells in sorted([*published, *measured], key=lambda row: -row[0])]
        headers = ["", "SD of ratings", "one SD of ratings scores", "skill share", "chess share", "verdict"]
        players = [contest.extremes for contest in self.contests]
        return "\n".join(
            [
                "How much skill, how much luck?     ◆ measured now, beside games as people played them\n",
                format_table(headers, rows, left=(0, 5)),
                "\nHow strong is each player?         Elo points around the mean, ± 95%\n",
                format_table(["", "strongest", "weakest"], players, left=(0, 1, 2)),
                "\n" + fill(CAUTION, 100),
            ]
        )


def _row(name: str, game: Measurement) -> list[str]:
    shares = map(str, game.shares) if game.shares else ("-", "-")
    answer = game.verdict.answer if game.verdict else "-"
    return [f"◆ {name}", f"{game.main.sd or 0.0:.1f}", percent(game.main.p_sd or 0.5), *shares, answer]


def analyse_games(
    records: Sequence[tuple[BundledGame, Matches]],
    *,
    workers: Workers | None = None,
    on_game: Callable[[int], None] | None = None,
) -> Demo:
    """Measure the bundled games and rate their players; `on_game` receives how many are done."""
    games, contests = [], []
    for about, matches in records:
        games.append((about.name, measure(matches, luck=LuckChoices(draws=_DRAWS), workers=workers)))
        contests.append(Contest(about, find_strengths(matches)))
        if on_game:
            on_game(len(games))
    return Demo(compare_games(games), tuple(contests))


def find_strengths(matches: Matches) -> pl.DataFrame:
    """One strength per player from all results at once (Bradley-Terry, or Plackett-Luce if multiplayer), with errors.

    These players never change, so all their matches count equally.
    """
    import polars as pl

    from ludometer.scale import to_elo
    from ludometer.strength.pairwise import fit_skills
    from ludometer.strength.ranked import fit_orders
    from ludometer.strength.uncertainty import estimate_errors

    skills = fit_skills(matches, link="logit") if matches.sizes.max() == 2 else fit_orders(matches)
    frame = pl.DataFrame(
        {
            "player": matches.players.names,
            "strength": to_elo(skills.skill),
            "error": to_elo(estimate_errors(matches, skills)),
            "matches": matches.counts,
        }
    )
    return frame.sort("strength", "player", descending=[True, False])


def render_demo(demo: Demo, *, command: str) -> str:
    """The page that compares the games, with the games explained."""
    return render_page(
        demo.comparison.games,
        command=command,
        template="demo.html",
        caution=CAUTION,
        contests={contest.about.name: contest for contest in demo.contests},
        ordered=demo.ordered,
        panels=_draw_strengths(demo.ordered),
    )


def _draw_strengths(contests: Sequence[Contest]) -> list[Any]:
    """One panel per game; all but the first, which would press the others flat, have the same axis."""
    limits = [_limits(contests[:1]), *[_limits(contests[1:])] * (len(contests) - 1)]
    return [_draw_panel(contest, *span) for contest, span in zip(contests, limits, strict=True)]


def _limits(contests: Sequence[Contest]) -> tuple[float, float]:
    """The ends of an axis that fits all, in round numbers."""
    rows = [row for contest in contests for row in _points(contest)]
    low, high = min(row["low"] for row in rows), max(row["high"] for row in rows)
    return _ROUND * math.floor(low / _ROUND), _ROUND * math.ceil(high / _ROUND)


def _points(contest: Contest) -> list[dict[str, Any]]:
    """The players whose names hold a number, in order of it."""
    found = []
    for row in contest.strengths.iter_rows(named=True):
        name = re.fullmatch(contest.about.pattern, row["player"])
        if name:
            strength, spread = row["strength"], _SPREAD * row["error"]
            ends = {"low": strength - spread, "high": strength + spread}
            found.append({"x": float(name[1] or 0), "line": f"{name[2] or 0}%", "strength": strength} | ends)
    return sorted(found, key=lambda row: (row["line"], row["x"]))


def _draw_panel(contest: Contest, low: float, high: float) -> Any:
    """Strength over what the players differ in."""
    import altair as alt

    points = _points(contest)
    base = alt.Chart(alt.InlineData(values=points))
    has_lines = len({row["line"] for row in points}) > 1
    settings = sorted({row["x"] for row in points})
    few = alt.Axis(grid=False, values=settings, labelOverlap="greedy")
    x = alt.X(
        "x:Q",
        title=contest.about.setting,
        scale=alt.Scale(type="log" if has_lines else "linear", nice=False, padding=8),
        axis=few if len(settings) < 9 else alt.Axis(grid=False),
    )
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
        layers += _label_lines(points, x, low, high)
    return alt.layer(*layers).properties(
        width=_WIDTH, height=_HEIGHT, title=alt.Title(contest.about.name, anchor="start", fontSize=14, color=ACCENT)
    )


def _label_lines(points: Sequence[dict[str, Any]], x: Any, low: float, high: float) -> list[Any]:
    """The share of random moves at the end of each line, apart from each other."""
    import altair as alt

    furthest = max(row["x"] for row in points)
    ends = [row for row in points if row["x"] == furthest]
    heights = [_HEIGHT * (high - row["strength"]) / (high - low) for row in ends]
    labels = []
    for end, height in zip(ends, spread_out(heights, apart=12, end=_HEIGHT), strict=True):
        one = alt.Chart(alt.InlineData(values=[end | {"label": end["line"] + " random" * (end["line"] == "0%")}]))
        text = one.mark_text(align="left", baseline="middle", dx=7, fontSize=11, color=ACCENT)
        labels.append(text.encode(x=x, y=alt.value(height), text="label:N"))
    return labels
