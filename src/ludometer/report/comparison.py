"""Several games side by side: who shows most skill, by which yardstick, and how sure the order is."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from ludometer.drawing import to_svg
from ludometer.measurement.verdict.comparison import compare_games
from ludometer.report.parts import (
    NOTHING,
    Game,
    between,
    confidence,
    is_refused,
    number,
    paragraphs,
    shares,
    table,
    with_interval,
)
from ludometer.report.scales import Row, share_chart

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


def side_by_side(games: Sequence[Game]) -> str:
    """The section with the yardsticks of all games, their table, and the confidence in their order."""
    return f"<section><h2>The games side by side</h2>{_yardsticks(games)}{_table(games)}{_order(games)}</section>"


def _yardsticks(games: Sequence[Game]) -> str:
    found = [(name, game.reference.name, both) for name, game in games if (both := shares(game)) is not None]
    if not found:
        return ""
    reference = found[0][1]
    panels = []
    for place, title in enumerate(("Share of strength, the rest coins", f"Share of {reference}, the rest coins")):
        rows = [Row(name, both[place], stands_out=True) for name, _, both in found]
        panels.append(f"<div>{to_svg(share_chart(rows, title, narrow=True))}</div>")
    return (
        f'<figure><div class="pair">{"".join(panels)}</div><figcaption>The two yardsticks that the verdicts rest on, '
        "simulated on the schedule of each game. A bar right of the line: predominantly skill by that yardstick; "
        "left of it: predominantly chance. An arrow: more than the whole benchmark.</figcaption></figure>"
    )


def _table(games: Sequence[Game]) -> str:
    reference = games[0][1].reference.name
    headers = ["Game", "SD of ratings", "SD of skills", "Share of strength", f"Share of {reference}", "Verdict"]
    headers += ["Matches", "Players"]
    rows = []
    for name, game in games:
        both, matched = shares(game), game.yardstick
        skill = None if matched is None or is_refused(game) else matched.skill
        rows.append(
            [
                name,
                with_interval(game.main.sd, game.main.sd_interval),
                NOTHING if skill is None else _skill(skill.estimate, skill.interval),
                *((str(share) for share in both) if both else (NOTHING, NOTHING)),
                NOTHING if game.verdict is None else game.verdict.answer,
                f"{game.n_matches:,}",
                f"{game.main.n:,}",
            ]
        )
    simulated = any(game.verdict is not None for _, game in games)
    if not simulated:
        headers, *rows = ([*row[:2], *row[6:]] for row in (headers, *rows))
    skills = compare_games(games).sd_of_skills
    if all(game.main.sd is None or sd is not None for (_, game), sd in zip(games, skills, strict=True)):
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
    levels = sorted({confidence(game.yardstick.replicates) for _, game in games if game.yardstick})
    return " or ".join(map(str, levels)) or "95"


def _skill(estimate: float, interval: tuple[float, float]) -> str:
    def whole(value: float) -> str:
        return number(value, 0) if np.isfinite(value) else NOTHING

    return f"{whole(estimate)} {between(interval, whole)}"


def _order(games: Sequence[Game]) -> str:
    found = compare_games(games)
    trusted = [not is_refused(game) for _, game in games]
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
