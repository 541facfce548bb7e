"""Text for the terminal: aligned tables, lists of players, and names that cannot play tricks with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludometer.wording import format_table, printable

if TYPE_CHECKING:
    import polars as pl

__all__ = ["format_players", "format_table", "printable"]


def format_players(frame: pl.DataFrame) -> str:
    """A numbered list of players with ratings and, where they are known, uncertainty and time of the last match."""
    from ludometer.wording import time_text

    if frame.is_empty():
        return "no player fits"
    columns = {
        "player": list(frame["player"]),
        "rating": [f"{rating:.1f}" for rating in frame["rating"]],
        "± SD": [f"{sd:.0f}" for sd in frame["sd"] if sd is not None],
        "matches": [f"{matches:,}" for matches in frame["matches"]],
        "last played": [str(time_text(last)).split(".")[0] for last in frame["last"] if last is not None],
    }
    known = {name: cells for name, cells in columns.items() if cells}
    numbers = map(str, range(1, len(frame) + 1))
    return format_table(["", *known], list(zip(numbers, *known.values(), strict=True)), left=(1,))
