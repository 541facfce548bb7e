"""Edelkamp, ELO system for Skat and other games of chance: Tables II and VIII, and the numbers of its examples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludometer.matches import Matches
from ludometer.ratings.scores.audit import rate_series
from ludometer.ratings.scores.elo import SeriesElo
from ludometer.ratings.scores.series import make_series
from ludometer.skat.rules.series import score_table
from reproductions.cells import Cell, Table
from reproductions.published import load
from reproductions.sources import Sources

_SERVER = "needs the 83,844 expert games of a Skat server in 2,329 series, which are not public"
_PLAYERS = ("A", "B", "C")
_SERIES_SCORES = (1107.15, 1084.31, 1076.58, 1063.14, 1053.58)
"""Table I: average scores of a series of 36 games."""

_VALUES = {1: (29_930, 1_264_945), 2: (26_708, 1_069_177), 3: (27_206, 1_101_191)}
"""Table III: games and the sum of their values by position."""

_REPLAYED = {
    (0, 0, 0): 4_080, (0, 0, 1): 4_132, (0, 1, 0): 297, (0, 1, 1): 4_768,
    (1, 0, 0): 5_273, (1, 0, 1): 9_442, (1, 1, 0): 1_085, (1, 1, 1): 52_820,
}  # fmt: skip
"""Table VI: games by who won them: humans, open cards, the program."""

_WON = {"suit": (38_975, 41_041), "grand": (26_677, 26_984), "null": (1_531, 1_586), "null ouvert": (1_437, 1_551)}
"""Table VII: games won by humans and by the program."""


def tables() -> dict[str, Callable[[Sources], Table]]:
    """Name → what makes the table."""
    return {"edelkamp-2": series, "edelkamp-8": sensitivity, "edelkamp-examples": examples}


def series(_: Sources) -> Table:
    """Table II: ten series, start 800, K 0.02, nothing rounded on the way."""
    file, rows = "edelkamp_table2.csv", load("edelkamp_table2.csv")
    scores = [[row[f"S{seat}"] for seat in range(3)] for row in rows]
    updates = rate_series(_record(scores), system=SeriesElo(k=0.02, start_rating=800)).updates
    found = {
        letter: updates[column].to_numpy().reshape(len(rows), 3)
        for column, letter in (("score", "S"), ("expected", "E"), ("rating", "R"))
    }
    cells = [
        Cell(
            row.name, name, row[name], 0 if name[0] == "S" else 2, file,
            float(found[name[0]][number, int(name[1])]), "paper", given=name[0] == "S",
        )
        for number, row in enumerate(rows)
        for name in row.texts
    ]  # fmt: skip
    return Table("edelkamp-2", "Edelkamp, Table II: ten series, start 800, K 0.02", tuple(cells))


def sensitivity(_: Sources) -> Table:
    """Table VIII: by chance factors and K; only the means can be told without the games."""
    file, cells = "edelkamp_table8.csv", []
    conserved = "the rules keep the sum of ratings, so that the mean of all players stays at its start, 850.00"
    for row in load(file):
        for name in row.texts:
            ours = 850.0 if name == "mean" else None
            note = conserved if name == "mean" else _SERVER
            cells.append(Cell(row.name, name, row[name], 2, file, ours, "paper" if ours else None, note=note))
    about = (
        "Rows: i1, i2, K. With own records the same table comes from `ludometer skat sensitivity GAMES`; that its rows "
        "move as the printed ones do, on simulated series, is tested (tests/skat/test_sensitivity.py)."
    )
    return Table("edelkamp-8", "Edelkamp, Table VIII: ratings by chance factors and K", tuple(cells), (about,))


def examples(_: Sources) -> Table:
    """The worked examples, and what of Tables I, III, VI, VII follows from other numbers there."""
    file = "edelkamp_examples.csv"
    found, notes, wrong = _worked() | _tables(), _notes(), _misprints()
    cells = tuple(
        Cell(
            row.name, "printed", row["printed"], row.digits("printed"), file, found[row.name], "paper",
            misprint=wrong.get(row.name, ""), note=notes.get(row.name, ""),
        )
        for row in load(file)
    )  # fmt: skip
    return Table("edelkamp-examples", "Edelkamp, worked examples and Tables I, III, VI, VII", cells)


def _record(scores: list[list[float]]) -> Matches:
    numbers = np.repeat(np.arange(1, len(scores) + 1), 3)
    return make_series({"series": numbers, "player": list(_PLAYERS) * len(scores), "score": np.ravel(scores)})


def _worked() -> dict[str, float]:
    seeger = score_table([273, 152, 495], [8, 12, 11], [1, 4, 0])
    start = dict(zip(_PLAYERS, (1500, 750, 750), strict=True))
    updates = rate_series(_record([[1200, 800, 800]]), system=SeriesElo(k=0.02), ratings=start).updates
    strength, opponents = 9.5 / 8.72, 950 / 875
    found = {f"Seeger example, {name}: score": float(score) for name, score in zip(_PLAYERS, seeger, strict=True)}
    found["Seeger example, A: bonus of games"] = 50.0 * (8 - 1)
    for letter, column in (("E", "expected"), ("R", "rating")):
        found |= {f"Elo example: {letter}_{seat}": float(updates[column][seat]) for seat in range(3)}
    return found | {
        "hand strength: correction": strength,
        "hand strength: score of 86": 86 / strength,
        "stronger opponents: factor": opponents,
        "stronger opponents: score of 86": 86 / strength / opponents,
    }


def _tables() -> dict[str, float]:
    found = {f"Table I, player {k}: points a game": score / 36 for k, score in enumerate(_SERIES_SCORES, 1)}
    found |= {f"Table III: mean value, position {k}": total / games for k, (games, total) in _VALUES.items()}
    games, total = (sum(column) for column in zip(*_VALUES.values(), strict=True))
    found |= {"Table III: games": games, "Table III: sum of values": total, "Table III: mean value, all": total / games}
    found["Table VI: games"] = sum(_REPLAYED.values())
    human, program = (sum(column) for column in zip(*_WON.values(), strict=True))
    found |= {"Table VII: won by humans": human, "Table VII: won by the program": program}
    found |= {f"Table VII: {kind}, percent": 100 * theirs / own for kind, (own, theirs) in _WON.items()}
    return {name: float(value) for name, value in found.items()} | {"Table VII: all, percent": 100 * program / human}


def _misprints() -> dict[str, str]:
    return {
        "Seeger example, C: score": "1295 should be 1245: 495 + 550 + 200",
        "Table VI: games": "its eight rows add up to 81,897; 1,947 of the 83,844 games are missing",
    }


def _notes() -> dict[str, str]:
    cut = "cut off after two digits, not rounded"
    return {
        "Table I, player 2: points a game": cut,
        "Table I, player 3: points a game": cut,
        "Table I, player 5: points a game": cut,
        "hand strength: score of 86": "the example divides by the correction; the formula s' = c s would multiply",
        "stronger opponents: score of 86": "right as arithmetic, but it marks a win against stronger players down; "
        "ludometer leaves it out",
        "Table VII: won by humans": "also the sum of the rows of Table VI that humans won",
        "Table VII: won by the program": "also the sum of the rows of Table VI that the program won",
    }
