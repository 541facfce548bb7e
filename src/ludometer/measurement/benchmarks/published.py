"""The published games: where they stand on the scale from coin flip to pure skill."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

_FOLDER = Path(__file__).parent / "tables"
_TABLES = {
    25: "duersch2020_table2_regulars.csv",
    1: "duersch2020_table5_all.csv",
    100: "duersch2020_table6_100plus.csv",
}
"""Cutoff → the table of Duersch et al. 2020 with that cutoff."""

_CHESS_LINE = ((0, 0.0), (25, 22.9), (50, 44.9), (100, 171.7))
"""x%-chess, regulars: Table 2 for 50 and 100; for 25 the SD of two-player poker, which section 4 says it has."""


_PLAIN = {"50% Determ.": "half skill, half coin", "50% Chess": "half chess, half coin"}


@dataclass(frozen=True)
class ReferenceGame:
    """A game as published."""

    game: str
    sd: float
    q01: float
    q99: float
    p_sd: float
    p_1_99: float
    rep: int

    @property
    def label(self) -> str:
        """Its name for readers of no paper."""
        return _PLAIN.get(self.game, self.game)

    @property
    def is_benchmark(self) -> bool:
        """Made by mixing with coin flips, not played."""
        return self.game.startswith("50%")


@cache
def reference_games(min_matches: int = 25) -> tuple[ReferenceGame, ...]:
    """The games of Duersch et al. 2020 for players with 25, 1 or 100 matches (Tables 2, 5, 6), most skill first.

    >>> [game.game for game in reference_games()][:3]
    ['Go', 'Tennis', 'Chess']
    """
    rows = _rows(_TABLES[min_matches])
    games = (
        ReferenceGame(
            game=row["game"],
            sd=float(row["sd"]),
            q01=float(row["q01"]),
            q99=float(row["q99"]),
            p_sd=float(row["p_sd"]) / 100,
            p_1_99=float(row["p_1_99"]) / 100,
            rep=int(row["rep"]),
        )
        for row in rows
    )
    return tuple(sorted(games, key=lambda game: -game.sd))


def neighbours(sd: float) -> tuple[ReferenceGame | None, ReferenceGame | None]:
    """The published games just above and just below an SD, players with 25 matches or more.

    >>> [game.game for game in neighbours(200.0)]
    ['Tennis', 'Chess']
    """
    games = reference_games()
    above = [game for game in games if game.sd >= sd]
    below = [game for game in games if game.sd < sd]
    return (above[-1] if above else None, below[0] if below else None)


def describe_place(sd: float) -> str:
    """Where an SD stands among the published games, in words.

    >>> describe_place(200.0)
    'between Tennis (218.8) and Chess (171.7) on the published scale'
    """
    above, below = neighbours(sd)
    if above and below:
        return f"between {above.label} ({above.sd:g}) and {below.label} ({below.sd:g}) on the published scale"
    if below:
        return f"above all published games (the highest is {below.label}, {below.sd:g})"
    return f"below all published games (the lowest is {above.label}, {above.sd:g})" if above else "nowhere"


def published_x(sd: float) -> tuple[float | None, float | None]:
    """x of the x%-deterministic and the x%-chess game with this SD, read off the published lines; None above their end.

    >>> published_x(22.7)[0], published_x(22.9)[1]
    (15.0, 25.0)
    """
    rows = _rows("duersch2020_table9.csv")
    deterministic = [(0.0, 0.0), *sorted((float(row["game"].split("%")[0]), float(row["sd"])) for row in rows)]
    return _read_off(deterministic, sd), _read_off(_CHESS_LINE, sd)


def _read_off(line: tuple[tuple[float, float], ...] | list[tuple[float, float]], sd: float) -> float | None:
    x, height = zip(*line, strict=True)
    return float(np.interp(sd, height, x)) if sd <= height[-1] else None


def _rows(name: str) -> list[dict[str, str]]:
    with (_FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
