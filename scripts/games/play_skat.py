"""Skat: xskat at its five levels, eight players of each, in series of 36 games at tables of three.

The levels differ in bidding: a player of level -4 declares too much. A series is scored by the extended Seeger system,
as leagues do. The players of one level are equally strong, so how far apart their ratings come out is chance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from ladder import Ladder, Scores, Task

from ludometer.skat.programs.xskat import LEVELS, play_xskat
from ludometer.skat.reading.xskat import read_xskat
from ludometer.skat.rules.series import LENGTHS, score_table

STYLES = [(level, letter) for level in LEVELS for letter in "ABCDEFGH"]


def play(task: Task) -> Scores:
    """The scores of a series."""
    return play_many([task])[0]


def play_many(tasks: Sequence[Task]) -> list[Scores]:
    """The scores of several series; xskat deals by the number of the match."""
    logs = []
    for number, seated in tasks:
        first, second, third = (STYLES[player][0] for player in seated)
        logs.append(play_xskat(LENGTHS[3], (first, second, third), seed=number + 1))
    games = read_xskat("".join(logs).splitlines(), names=("0", "1", "2"))
    return [score(games.filter(games["series"] == str(number + 1)).to_dicts()) for number, _ in tasks]


def score(games: Sequence[dict[str, object]]) -> Scores:
    """The three scores of a series, from its games."""
    points, won, lost = np.zeros(3, np.int64), np.zeros(3, np.int64), np.zeros(3, np.int64)
    for game in games:
        if game["declarer"] is not None:
            column = int(str(game[f"player_{game['declarer']}"]))
            points[column] += int(str(game["points"]))
            (won if game["won"] else lost)[column] += 1
    return tuple(score_table(points, won, lost).tolist())


LADDER = Ladder(
    "skat", [f"xskat level {level} {letter}" for level, letter in STYLES], play, 6_000, seats=3, play_many=play_many
)
