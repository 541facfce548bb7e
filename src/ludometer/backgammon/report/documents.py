"""Skill and luck in backgammon as JSON documents and as text for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ludometer.backgammon.skill import MILLI
from ludometer.moves.uncertainty import TOO_FEW
from ludometer.report.text import format_table, printable

if TYPE_CHECKING:
    from ludometer.backgammon.balance import Balance
    from ludometer.backgammon.play import PlayedMatches
    from ludometer.backgammon.skill import SkillAndLuck

SHOWN = 12
"""Matches in the terminal; a page and a document have all."""


def skill_document(found: SkillAndLuck) -> dict[str, Any]:
    """Players, pairs and matches; what is null has its reason in `absent`."""
    absent: dict[str, str] = {}
    return {
        "data": {
            "matches": len(found.balances),
            "games": found.gains.n_games,
            "players": len(found.names),
            "decisions": len(found.gains),
            "left_out_decisions": found.gains.n_left_out,
            "rolls": int(found.rolls.sum()),
        },
        "engine": {"name": "GNU Backgammon", "version": found.version, **vars(found.evaluator)},
        "decisions": found.choice,
        "level": found.level,
        "players": [_player(row, f"players.{place}", absent) for place, row in enumerate(found.to_frame().to_dicts())],
        "pairs": [_pair(row, f"pairs.{place}", absent) for place, row in enumerate(found.pairs_frame().to_dicts())],
        "matches": [_match(balance, f"matches.{place}", absent) for place, balance in enumerate(found.balances)],
        "absent": absent,
    }


def play_document(played: PlayedMatches) -> dict[str, Any]:
    """Settings and results of the players."""
    absent = {}
    rows = played.to_frame().to_dicts()
    for place, row in enumerate(rows):
        if row["share"] is None:
            absent[f"players.{place}.share"] = "he played no match"
    return {
        "matches": len(played.first),
        "games": int(played.n_games.sum()),
        "length": played.length,
        "engine": {"name": "GNU Backgammon", "version": played.version},
        "players": rows,
        "absent": absent,
    }


def skill_text(found: SkillAndLuck) -> str:
    """For the terminal: what was analysed, the players, the pairs, and each match in one sentence."""
    counts = (
        (len(found.balances), "match", "matches"),
        (found.gains.n_games, "game", "games"),
        (len(found.gains), "decision", "decisions"),
        (int(found.rolls.sum()), "roll", "rolls"),
    )
    words = " · ".join(f"{n:,} {one if n == 1 else many}" for n, one, many in counts)
    lines = [f"{words} · {found.evaluator.describe(found.version)}", "", players_table(found), ""]
    lines += [f"{pair_sentence(row, found.level)}" for row in found.pairs_frame().to_dicts()[:SHOWN]]
    lines.append("")
    for balance in found.balances[:SHOWN]:
        lines += [printable(f"{balance.match}: {score_words(balance)}"), printable(f"  {balance.sentence()}.")]
    if len(found.balances) > SHOWN:
        lines.append(f"and {len(found.balances) - SHOWN:,} matches more (--json has all)")
    return "\n".join(lines)


def players_table(found: SkillAndLuck) -> str:
    """The players as text, best first."""
    headers = ["player", "games", "decisions", "error rate", "interval", "to perfect", "luck", "a roll"]
    wide = [*headers, "luck in matches"] if _in_matches(found) else headers
    rows = [player_cells(row, in_matches=_in_matches(found)) for row in found.to_frame().to_dicts()]
    note = "Error rate: thousandths of a point of equity given away a decision. Luck: points of equity."
    return f"{format_table(wide, rows)}\n{note}"


def player_cells(row: Mapping[str, Any], *, in_matches: bool) -> list[str]:
    """A row of the table of players as text."""
    cells = [
        row["player"],
        f"{row['games']:,}",
        f"{row['decisions']:,}",
        "-" if row["loss"] is None else f"{MILLI * row['loss']:.1f}",
        loss_interval(row),
        "no estimate yet" if row["perfect_difference"] is None else f"{row['perfect_difference']:+.0f}",
        f"{row['luck']:+.2f}",
        "-" if row["luck_a_roll"] is None else f"{row['luck_a_roll']:+.3f}",
    ]
    if in_matches:
        cells.append("-" if row["luck_match"] is None else f"{100 * row['luck_match']:+.1f}%")
    return cells


def loss_interval(row: Mapping[str, Any]) -> str:
    """The interval of an error rate in words."""
    return TOO_FEW if row["low"] is None else f"[{MILLI * row['low']:.1f}, {MILLI * row['high']:.1f}]"


def pair_sentence(row: Mapping[str, Any], level: float) -> str:
    """What two players are expected to score against each other, by their decisions."""
    first, second = printable(row["player_1"]), printable(row["player_2"])
    score = row["expected_score"]
    if score < 0.5:
        first, second, score = second, first, 1 - score
    head = f"By their decisions {first} scores {score:.3f} against {second}"
    if row["difference"] is None:
        return f"{head}: every decision of one was better than any of the other."
    size = abs(row["difference"])
    if row["low"] is None:
        return f"{head}, {size:.0f} points of difference; {TOO_FEW} to say how sure that is."
    low, high = (row["low"], row["high"]) if row["difference"] >= 0 else (-row["high"], -row["low"])
    known = "told apart" if low > 0 else "which may as well be the other way round"
    return f"{head}, {size:.0f} points of difference [{low:.0f}, {high:.0f}], {known} at {100 * level:g}%."


def score_words(balance: Balance) -> str:
    """How a match ended, in a few words."""
    first, second = balance.players
    kind = f"match to {balance.length}" if balance.length else "session for money"
    if balance.result is None:
        return f"{kind}, {first} - {second} {balance.score[0]}-{balance.score[1]}, not over"
    if balance.winner is None:
        return f"{kind}, {first} and {second} level at {balance.score[0]}"
    winner, loser = balance.winner, 1 - balance.winner
    names = balance.players
    return f"{kind}, {names[winner]} beat {names[loser]} {balance.score[winner]}-{balance.score[loser]}"


def _in_matches(found: SkillAndLuck) -> bool:
    return any(balance.unit == "match" for balance in found.balances)


def _player(row: Mapping[str, Any], at: str, absent: dict[str, str]) -> dict[str, Any]:
    reasons = {
        "error_rate": (row["loss"], "none of his decisions counts"),
        "error_interval": (row["low"], TOO_FEW),
        "against_perfect.expected_score": (row["perfect_score"], "none of his decisions counts"),
        "against_perfect.difference": (row["perfect_difference"], "no estimate yet: no decision, or none was perfect"),
        "against_perfect.interval": (row["perfect_low"], f"{TOO_FEW}, or no estimate yet"),
        "luck.a_roll": (row["luck_a_roll"], "he never rolled"),
        "luck.matches": (row["luck_match"], "he played for money only"),
        "luck.points": (row["luck_points"], "he did not play for money"),
    }
    absent |= {f"{at}.{name}": why for name, (value, why) in reasons.items() if value is None}
    return {
        "player": row["player"],
        "games": row["games"],
        "decisions": row["decisions"],
        "error_rate": row["loss"],
        "error_interval": _interval(row["low"], row["high"]),
        "against_perfect": {
            "expected_score": row["perfect_score"],
            "difference": row["perfect_difference"],
            "interval": _interval(row["perfect_low"], row["perfect_high"]),
        },
        "luck": {
            "rolls": row["rolls"],
            "equity": row["luck"],
            "a_roll": row["luck_a_roll"],
            "matches": row["luck_match"],
            "points": row["luck_points"],
        },
    }


def _pair(row: Mapping[str, Any], at: str, absent: dict[str, str]) -> dict[str, Any]:
    if row["difference"] is None:
        absent[f"{at}.difference"] = "no estimate yet: every gain is on one side"
    if row["low"] is None:
        absent[f"{at}.interval"] = TOO_FEW
    names = ("player_1", "player_2", "meetings", "expected_score", "difference")
    return {name: row[name] for name in names} | {"interval": _interval(row["low"], row["high"])}


def _match(balance: Balance, at: str, absent: dict[str, str]) -> dict[str, Any]:
    if balance.winner is None:
        absent[f"{at}.winner"] = "it is not over" if balance.result is None else "nobody won"
    for name in ("result", "rest", "luck_adjusted"):
        if getattr(balance, name) is None:
            absent[f"{at}.{name}"] = "it is not over"
    players = [
        {
            "player": balance.players[seat],
            "points": balance.score[seat],
            "decisions": balance.n_decisions[seat],
            "rolls": balance.n_rolls[seat],
            "loss": balance.loss[seat],
            "luck": balance.luck[seat],
            "luck_equity": balance.luck_equity[seat],
        }
        for seat in (0, 1)
    ]
    return {
        "match": balance.match,
        "length": balance.length,
        "games": balance.n_games,
        "unit": balance.unit,
        "players": players,
        "winner": None if balance.winner is None else balance.players[balance.winner],
        "result": balance.result,
        "skill": balance.net_skill,
        "luck": balance.net_luck,
        "rest": balance.rest,
        "luck_adjusted": balance.luck_adjusted,
        "decided": balance.decided,
        "sentence": balance.sentence(),
    }


def _interval(low: float | None, high: float | None) -> list[float] | None:
    return None if low is None or high is None else [low, high]
