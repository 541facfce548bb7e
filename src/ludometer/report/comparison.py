"""Several games side by side: who shows most skill, by which yardstick, and how sure the order is."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ludometer.drawing import to_svg
from ludometer.report.parts import (
    NOTHING,
    Game,
    between,
    number,
    paragraphs,
    table,
    with_interval,
)

if TYPE_CHECKING:
    from ludometer.measurement import Comparison

_SAID = {
    "skill": "predominantly skill by both yardsticks",
    "chance": "predominantly chance by both yardsticks",
    "depends": "it depends on the yardstick",
    "cannot tell": "these data cannot tell",
}


def summarise(games: Sequence[Game]) -> str:
    """The lead: most and least, and the verdicts. Games are in order."""
    return f'<p class="lead">{_extremes(games)}</p>{_verdicts(games)}'


def _extremes(games: Sequence[Game]) -> str:
    told = [
        f"<b>{escape(name)}</b> (SD {with_interval(game.main.sd, game.main.sd_interval)})"
        for name, game in games
        if game.main.sd is not None
    ]
    untold = len(games) - len(told)
    rest = f" Of {untold} game{'s' * (untold > 1)} these data cannot tell." if untold else ""
    if not told:
        return "These data cannot tell: in no game do two players have enough matches."
    if len(told) == 1:
        return f"Only {told[0]} can be measured.{rest}"
    return f"Most skill shows in {told[0]}, least in {told[-1]}.{rest}"


def _verdicts(games: Sequence[Game]) -> str:
    said = {
        answer: [name for name, game in games if game.verdict and game.verdict.answer == answer] for answer in _SAID
    }
    items = "".join(
        f"<li>{_SAID[answer][0].upper()}{_SAID[answer][1:]}: {escape(', '.join(names))}.</li>"
        for answer, names in said.items()
        if names
    )
    if not items:
        return paragraphs("There are no verdicts: nothing was simulated (--quick).")
    return f"<ul>{items}</ul>" + paragraphs("This is said of each game as played by these players.")


def side_by_side(found: Comparison) -> str:
    """The section with the yardsticks of all games, their table, and the confidence in their order."""
    return f"<section><h2>The games side by side</h2>{_yardsticks(found)}{_table(found)}{_order(found)}</section>"


def _yardsticks(found: Comparison) -> str:
    charts = found.charts(narrow=True)
    if "skill" not in charts:
        return ""
    panels = [f"<div>{to_svg(charts[name])}</div>" for name in ("skill", "reference")]
    return (
        f'<figure><div class="pair">{"".join(panels)}</div><figcaption>The two yardsticks that the verdicts rest on, '
        "simulated on the schedule of each game. A bar right of the line: predominantly skill by that yardstick; "
        "left of it: predominantly chance. An arrow: more than the whole benchmark.</figcaption></figure>"
    )


def _table(found: Comparison) -> str:
    games = found.games
    reference = games[0][1].reference_name
    headers = ["Game", "SD of ratings", "SD of skills", "Share of strength", f"Share of {reference}", "Verdict"]
    headers += ["Matches", "Players"]
    rows = []
    for name, game in games:
        both, matched = game.shares, game.yardstick
        skill = None if matched is None or game.is_refused else matched.skill
        rows.append(
            [
                name,
                with_interval(game.main.sd, game.main.sd_interval),
                NOTHING if skill is None else _skill(skill.estimate, skill.interval),
                *((str(share) for share in both) if both else (NOTHING, NOTHING)),
                NOTHING if game.verdict is None else game.verdict.answer,
                f"{game.data.n_matches:,}",
                f"{game.main.n:,}",
            ]
        )
    simulated = any(game.verdict is not None for _, game in games)
    if not simulated:
        headers, *rows = ([*row[:2], *row[6:]] for row in (headers, *rows))
    if found.is_matched:
        words = (
            "Most skill first, by the SD of skills: that of players whose ratings would spread like the record's on "
            "its own schedule. Unlike the SD of ratings it does not depend on how long a record is."
        )
    else:
        words = (
            "Most skill first, by the SD of ratings, since not all games could be matched on their own schedules. "
            "Records of different lengths do not compare well by it."
        )
    if simulated:
        level = _level(games)
        others = "" if level == "95" else "; of the SD of ratings 95%"
        words += f" Brackets: intervals of {level}%{others}."
    return paragraphs(words) + table(headers, rows, words=(5,) if simulated else ())


def _level(games: Sequence[Game]) -> str:
    levels = sorted({game.yardstick.confidence for _, game in games if game.yardstick})
    return " or ".join(map(str, levels)) or "95"


def _skill(estimate: float, interval: tuple[float, float]) -> str:
    def whole(value: float) -> str:
        return number(value, 0) if np.isfinite(value) else NOTHING

    return f"{whole(estimate)} {between(interval, whole)}"


def _order(found: Comparison) -> str:
    games = found.games
    trusted = [not game.is_refused for _, game in games]
    rows = [
        [
            f"{row + 1}. {name}",
            *(_sure(found.more_skill[row, column], trusted[row] and trusted[column]) for column in range(len(games))),
        ]
        for row, name in enumerate(found.names)
    ]
    if all(cell in {"", NOTHING} for row in rows for cell in row[1:]):
        return ""
    for place, row in enumerate(rows):
        row[place + 1] = ""
    headers = ["shows more skill than game", *(f"{place}" for place in range(1, len(games) + 1))]
    return (
        "<h3>How sure is the order?</h3>"
        + table(headers, rows)
        + paragraphs(
            "Confidence that the game in the row shows more skill than the game in the column: the share of pairs of "
            "simulated solutions for the SD of skills in that order. It comes from an inversion, as a p-value does, "
            "and is not a posterior probability."
        )
    )


def _sure(confidence: float, trusted: bool) -> str:
    if not trusted or not np.isfinite(confidence):
        return NOTHING
    return "> 99%" if confidence > 0.99 else "< 1%" if confidence < 0.01 else f"{100 * confidence:.0f}%"
