"""Skill and luck in backgammon for readers: text for the terminal, and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.backgammon.balance import Balance, draw_running_balance
from ludometer.backgammon.skill import MILLI
from ludometer.moves.uncertainty import NO_ESTIMATE, TOO_FEW
from ludometer.wording import format_table, printable

if TYPE_CHECKING:
    from ludometer.backgammon.analysis import AnalysedMatch
    from ludometer.backgammon.skill import SkillAndLuck

NOTHING = "-"
_IN_TEXT = 12
_DRAWN = 8
"""Matches with their own pictures on the page."""
_LISTED = 40


def skill_text(found: SkillAndLuck) -> str:
    """For the terminal: what was analysed, the players, the pairs, and one sentence per match."""
    counts = (
        (len(found.balances), "match", "matches"),
        (found.gains.n_games, "game", "games"),
        (len(found.gains), "decision", "decisions"),
        (int(found.luck.rolls.sum()), "roll", "rolls"),
    )
    words = " · ".join(f"{n:,} {one if n == 1 else many}" for n, one, many in counts)
    lines = [f"{words} · {found.evaluator.describe(found.version)}", "", format_table(*_players(found))]
    lines += ["Error rate: thousandths of a point of equity given away per decision. Luck: points of equity.", ""]
    lines += [pair_sentence(row, found.intervals.level) for row in found.pairs_frame().to_dicts()[:_IN_TEXT]]
    lines.append("")
    for balance in found.balances[:_IN_TEXT]:
        lines += [f"{balance.match}: {balance.score_words()}", f"  {balance.sentence()}."]
    if len(found.balances) > _IN_TEXT:
        lines.append(f"and {len(found.balances) - _IN_TEXT:,} more matches (--json has all)")
    return "\n".join(lines)


def skill_page(matches: Sequence[AnalysedMatch], found: SkillAndLuck, *, command: str) -> str:
    """The report as one page."""
    from ludometer.report.templates import Figure, figures, render

    def both(draw: Any) -> Figure:
        return Figure(draw(), draw(narrow=True))

    is_single = len(matches) == 1
    rests = [abs(balance.rest) for balance in found.balances if balance.rest is not None and balance.unit == "match"]
    decided = [balance.decided for balance in found.balances]
    return render(
        "backgammon.html",
        package="ludometer.backgammon",
        title=f"{matches[0].name if is_single else f'{len(matches)} matches'}: skill and luck",
        command=command,
        found=found,
        figures=figures(found),
        level=f"{100 * found.intervals.level:g}%",
        has_intervals=bool(np.isfinite(found.skill.low).any()),
        n_decided=len(decided) - decided.count("nothing"),
        by={word: decided.count(word) for word in ("skill", "luck", "both", "neither")},
        players=_players(found),
        pairs=[pair_sentence(row, found.intervals.level) for row in found.pairs_frame().to_dicts()[:_LISTED]],
        matches=[_match_cells(balance) for balance in found.balances[:_LISTED]],
        drawn=[
            (match, balance, both(balance.draw), both(partial(draw_running_balance, match)))
            for match, balance in list(zip(matches, found.balances, strict=True))[:_DRAWN]
        ],
        left_open=f"{100 * float(np.mean(rests)):.1f}%" if rests else None,
    )


def _players(found: SkillAndLuck) -> tuple[list[str], list[list[str]]]:
    """Headers and one row per player, best first."""
    headers = ["player", "games", "decisions", "error rate", "interval", "to perfect", "luck", "per roll"]
    rows = [
        [
            row["player"],
            f"{row['games']:,}",
            f"{row['decisions']:,}",
            NOTHING if row["loss"] is None else f"{MILLI * row['loss']:.1f}",
            TOO_FEW if row["low"] is None else f"[{MILLI * row['low']:.1f}, {MILLI * row['high']:.1f}]",
            NO_ESTIMATE if row["perfect_difference"] is None else f"{row['perfect_difference']:+.0f}",
            f"{row['luck']:+.2f}",
            NOTHING if row["luck_a_roll"] is None else f"{row['luck_a_roll']:+.3f}",
            *([NOTHING if row["luck_match"] is None else f"{100 * row['luck_match']:+.1f}%"] * found.has_matches),
        ]
        for row in found.to_frame().to_dicts()
    ]
    return headers + ["luck in matches"] * found.has_matches, rows


def pair_sentence(row: Mapping[str, Any], level: float) -> str:
    """The expected score of two players against each other, by their decisions."""
    first, second = printable(row["player_1"]), printable(row["player_2"])
    score = row["expected_score"]
    if score < 0.5:
        first, second, score = second, first, 1 - score
    head = f"By their decisions {first} scores {score:.3f} against {second}"
    if row["difference"] is None:
        return f"{head}: every decision of one was better than any of the other."
    size = abs(row["difference"])
    if row["low"] is None:
        return f"{head}, a difference of {size:.0f} points; {TOO_FEW} for an interval."
    low, high = (row["low"], row["high"]) if row["difference"] >= 0 else (-row["high"], -row["low"])
    known = f"certain at {100 * level:g}% confidence" if low > 0 else "so the order may be the reverse"
    return f"{head}, a difference of {size:.0f} points [{low:.0f}, {high:.0f}], {known}."


def _match_cells(balance: Balance) -> list[str]:
    numbers = (balance.net_skill, balance.net_luck, balance.rest)
    return [
        balance.match,
        " - ".join(balance.players),
        f"{balance.sides[0].points}-{balance.sides[1].points}",
        *(NOTHING if value is None else balance.amount(value) for value in numbers),
        NOTHING if balance.decided == "nothing" else balance.decided,
    ]
