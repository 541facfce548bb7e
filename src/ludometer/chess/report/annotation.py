"""Games as PGN with the evaluations of their positions in comments."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ludometer.chess.games import ChessGame, format_evaluation
from ludometer.moves.evaluations import UNKNOWN, Evaluations

_PGN_WIDTH = 80
_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")


def annotate(games: Sequence[ChessGame], evaluations: Evaluations) -> str:
    """PGN of the games that were evaluated, with `[%eval]` after each move and before the first."""
    values = dict(zip(evaluations.games, range(len(evaluations)), strict=True))
    parts = []
    for game in games:
        if game.name in values:
            place = values[game.name]
            span = slice(int(evaluations.starts[place]), int(evaluations.starts[place + 1]))
            known = _plain_values(evaluations, span)
            parts.append(_annotated(game, known))
    return "\n".join(parts)


def _plain_values(evaluations: Evaluations, span: slice) -> list[float]:
    """Centipawns, an infinity for a mate, NaN where not known."""
    columns = zip(evaluations.evaluation[span].tolist(), evaluations.mate[span].tolist(), strict=True)
    return [
        math.nan if value == UNKNOWN else math.copysign(math.inf, value) if mate else float(value)
        for value, mate in columns
    ]


def _annotated(game: ChessGame, values: Sequence[float]) -> str:
    tags = {name: game.tags.get(name, "?") for name in _TAGS} | dict(game.tags)
    head = [f'[{name} "{_escaped(value)}"]' for name, value in tags.items()]
    words = _comment(values[0])
    is_white, number = game.white_begins, game.first_ply // 2 + 1
    for ply, move in enumerate(game.moves, 1):
        # every move has a comment before it, so every move of Black gets its number
        words += [f"{number}{'.' if is_white else '...'}", move, *_comment(values[ply])]
        number, is_white = number + (not is_white), not is_white
    return "\n".join([*head, "", *_wrapped([*words, tags["Result"] if tags["Result"] != "?" else "*"]), ""])


def _comment(value: float) -> list[str]:
    return [] if math.isnan(value) else [f"{{ [%eval {format_evaluation(value)}] }}"]


def _wrapped(words: Sequence[str]) -> list[str]:
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > _PGN_WIDTH:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return [*lines, line]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
