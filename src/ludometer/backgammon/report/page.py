"""The report on skill and luck in backgammon: one self-contained HTML page, without network and without JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ludometer.backgammon.report.charts import (
    balance_chart,
    course_chart,
    error_chart,
    loss_histograms,
    luck_chart,
    matches_chart,
)
from ludometer.backgammon.report.documents import pair_sentence, player_cells, score_words
from ludometer.report.files import replacing
from ludometer.report.frame import frame_page
from ludometer.report.parts import NOTHING, bullets, download, figure, paragraphs, table

if TYPE_CHECKING:
    from ludometer.backgammon.balance import Balance
    from ludometer.backgammon.matches import AnalysedMatch
    from ludometer.backgammon.skill import SkillAndLuck

_DRAWN = 8
"""Matches with pictures of their own."""
_LISTED = 40


def write_backgammon_page(matches: Sequence[AnalysedMatch], found: SkillAndLuck, path: Path, *, command: str) -> None:
    """Write the report."""
    title = f"{matches[0].name}: skill and luck" if len(matches) == 1 else f"{len(matches)} matches: skill and luck"
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<section class="answer">{_answer(found)}</section>',
        _skill(found),
        _luck(found),
        _matches(matches, found),
        _method(found, command),
    ]
    with replacing(path) as draft:
        draft.write_text(frame_page(title, "".join(body)), encoding="utf-8")


def _answer(found: SkillAndLuck) -> str:
    if len(found.balances) == 1:
        (balance,) = found.balances
        return (
            f'<p class="lead">{escape(balance.sentence())}.</p>'
            + paragraphs(f"{_capital(score_words(balance))}.")
            + _balance(balance)
        )
    decided = [balance.decided for balance in found.balances]
    n_over = len(decided) - decided.count("nothing")
    words = (
        f"Of {n_over} matches with a winner, {decided.count('skill')} were won by skill against the dice, "
        f"{decided.count('luck')} by luck against the better play, and in {decided.count('both')} both were with the "
        "winner"
    )
    n_neither = decided.count("neither")
    words += f"; {n_neither} are accounted for by neither." if n_neither else "."
    drawn = [balance for balance in found.balances if balance.unit == "match" and balance.winner is not None]
    picture = (
        figure(
            partial(matches_chart, found.balances),
            "Each point is a match, from its winner's view: to the right he played better than the loser, above the "
            "line he had the better dice.",
        )
        if len(drawn) > 2
        else ""
    )
    return f'<p class="lead">{escape(words)}</p>' + picture


def _balance(balance: Balance) -> str:
    caption = (
        f"What the errors of {balance.players[1]} cost more than those of {balance.players[0]} (skill), and what the "
        f"dice brought {balance.players[0]} more than {balance.players[1]} (luck)"
    )
    caption += (
        f"; together with what the evaluations leave open they add up to the result. {_result_words(balance)}"
        if balance.result is not None
        else ". The match is not over."
    )
    return figure(partial(balance_chart, balance), caption)


def _result_words(balance: Balance) -> str:
    if balance.unit == "points":
        return "The result is points won less points lost."
    return "Both begin with half a match, so who wins it gains half a match."


def _skill(found: SkillAndLuck) -> str:
    in_matches = any(balance.unit == "match" for balance in found.balances)
    headers = ["player", "games", "decisions", "error rate", "interval", "to perfect", "luck", "a roll"]
    headers += ["luck in matches"] if in_matches else []
    rows = found.to_frame().to_dicts()
    pairs = found.pairs_frame().to_dicts()
    known = any(row["low"] is not None for row in rows)
    bars = f"with {100 * found.level:g}% intervals over games" if known else "without intervals: too few games"
    return (
        "<h2>Skill</h2>"
        + paragraphs(
            "The error rate is the equity that a decision gave away on average, in thousandths of a point: what to "
            "move where there was a choice, whether to double, whether to take. GNU Backgammon calls a rate below 2 "
            "supernatural, below 5 world class, below 8 expert, below 12 advanced, below 18 intermediate."
        )
        + figure(partial(error_chart, found), f"Error rates, best first, {bars}. Further left is better.")
        + table(headers, [player_cells(row, in_matches=in_matches) for row in rows])
        + bullets([pair_sentence(row, found.level) for row in pairs[:_LISTED]])
        + paragraphs(
            "Points of difference are those of the method of gains: 200 √2 times the normal quantile of the chance "
            "that a random decision of one was better than one of the other. A decision is not a match: read them as "
            "an order with its certainty, not as a difference of ratings. To perfect: the same against a player who "
            "gives nothing away."
        )
        + figure(
            partial(loss_histograms, found),
            "Share of the decisions by what they gave away, in thousandths of a point; from 30 on GNU Backgammon calls "
            "a decision doubtful, from 60 on bad, from 120 on very bad.",
        )
        + download(found.to_frame(), "players.csv", "All players")
        + download(found.pairs_frame(), "pairs.csv", "All pairs")
    )


def _luck(found: SkillAndLuck) -> str:
    return (
        "<h2>Luck</h2>"
        + paragraphs(
            "The luck of a roll is the equity that it gives, played at its best, less the mean over all rolls. Before "
            "the dice fall it is 0 on average for everyone: what has added up says nothing of the player, and in a "
            "long record it shrinks to little a roll."
        )
        + figure(partial(luck_chart, found), "Luck added up over all rolls of a player; right of the line: good dice.")
    )


def _matches(matches: Sequence[AnalysedMatch], found: SkillAndLuck) -> str:
    parts = ["<h2>Roll by roll</h2>" if len(matches) == 1 else "<h2>The matches</h2>"]
    if len(matches) > 1:
        headers = ["match", "players", "score", "skill", "luck", "left open", "decided"]
        parts.append(table(headers, [_match_cells(balance) for balance in found.balances[:_LISTED]], left=(0, 1)))
        parts.append(
            paragraphs(
                "Skill, luck and what is left open are in favour of the first player: percent of a match, or points "
                "for money."
            )
        )
    for match, balance in list(zip(matches, found.balances, strict=True))[:_DRAWN]:
        picture = figure(
            partial(course_chart, match),
            f"Skill and luck in favour of {match.names[0]}, added up from roll to roll; below 0 they are for "
            f"{match.names[1]}. Thin lines: a new game.",
        )
        if len(matches) == 1:
            parts.append(picture)
        else:
            parts.append(
                f"<details><summary>{escape(match.name)}: {escape(score_words(balance))}</summary>"
                + paragraphs(f"{balance.sentence()}.")
                + _balance(balance)
                + picture
                + "</details>"
            )
    return "".join(parts) + download(found.matches_frame(), "matches.csv", "All matches")


def _match_cells(balance: Balance) -> list[str]:
    scale = 100 if balance.unit == "match" else 1
    form = "{:+.1f}%" if balance.unit == "match" else "{:+.2f}"
    numbers = (balance.net_skill, balance.net_luck, balance.rest)
    return [
        balance.match,
        " - ".join(balance.players),
        f"{balance.score[0]}-{balance.score[1]}",
        *(NOTHING if value is None else form.format(scale * value) for value in numbers),
        NOTHING if balance.decided == "nothing" else balance.decided,
    ]


def _method(found: SkillAndLuck, command: str) -> str:
    rests = [abs(balance.rest) for balance in found.balances if balance.rest is not None and balance.unit == "match"]
    evaluator = found.evaluator
    left_open = f" Here that is {100 * float(np.mean(rests)):.1f}% of a match on average." if rests else ""
    facts = [
        f"Matches: {len(found.balances):,}, games: {found.gains.n_games:,}, rolls: {int(found.rolls.sum()):,}, "
        f"decisions ({found.choice}): {len(found.gains):,}.",
        f"Analysed by {evaluator.describe(found.version)}, without noise; analyses that a file brings along are not "
        "used.",
        "Decisions that count: moves where there were two or more, doubles, takes and passes, and doubles not made "
        "that were close (by less than 0.16) or right. Gain of a decision: minus the equity that it gave away.",
        "Expected score of two players: the chance that a random decision of one gave away less than one of the other, "
        "ties count half (Ferreira 2012).",
        f"Intervals: a Bayesian bootstrap over whole games with Student's t; fewer than {found.min_games} games give "
        "none.",
        "Skill and luck of a match are in match-winning chance, by the match equity table of GNU Backgammon; for money "
        "in points, with the cube as it stood. What is left open is the result less both: evaluations before and after "
        f"a roll do not agree exactly.{left_open}",
    ]
    return f"<h2>How it was done</h2>{bullets(facts)}<p>Repeat with:</p><pre>{escape(command)}</pre>"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
