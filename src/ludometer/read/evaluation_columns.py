"""The columns of a table of evaluations, by their names."""

from __future__ import annotations

from ludometer.errors import LudometerError
from ludometer.read.source import Source

COLUMNS: dict[str, tuple[str, ...]] = {
    "game": ("game", "game_id", "match", "match_id"),
    "ply": ("ply",),
    "player": ("player",),
    "white": ("white",),
    "black": ("black",),
    "evaluation": ("evaluation", "eval"),
    "side": ("side", "color", "colour"),
    "event": ("event",),
    "result": ("result",),
    "rating": ("rating", "elo"),
    "white_rating": ("white_elo", "whiteelo", "white_rating"),
    "black_rating": ("black_elo", "blackelo", "black_rating"),
    "best": ("best",),
    "second": ("second",),
    "choice": ("choice",),
    "material": ("material",),
}
"""What a column may be called; the first that is there counts. `evaluation`, `best` and `second` are in pawns."""


def find_columns(opened: Source) -> dict[str, str]:
    """Which column of a table is which; those that have to be there are told if they are not."""
    folded = {name.strip().casefold(): name for name in reversed(list(opened.schema))}
    named = {
        key: next(folded[word] for word in words if word in folded)
        for key, words in COLUMNS.items()
        if any(word in folded for word in words)
    }
    wanted = [key for key in ("game", "ply", "evaluation") if key not in named]
    if "player" not in named and not {"white", "black"} <= named.keys():
        wanted.append("player (or white and black)")
    if wanted:
        shown = ", ".join(repr(name) for name in list(opened.schema)[:20])
        raise LudometerError(
            f"{opened.name}: a table of evaluations has columns game, ply, player and evaluation; "
            f"missing: {', '.join(wanted)}\nThe file has: {shown}"
        )
    if "player" in named:
        # who moved is said: White and Black would say it again
        named = {key: name for key, name in named.items() if key not in ("white", "black")}
    return named
