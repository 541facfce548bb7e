"""Runs inside GNU Backgammon: rolls the dice, asks it for the moves of both players, and writes who won.

A board is as GNU Backgammon has it: the chequers of one player on points 1 to 24, seen from his own side, then those on
the bar.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gnubg  # type: ignore[import-not-found]  # there is one in that program only

START = (0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
BEFORE = (
    "set display off", "set threads 1", "set automatic roll off", "set automatic game off", "set player 0 human",
    "set player 1 human", "new match 1",
)  # fmt: skip
"""Dice can be set only in a game that has begun, between people."""


def main() -> None:
    """Play the matches that were asked for."""
    for command in BEFORE:
        gnubg.command(command)
    tasks = json.loads(Path(os.environ["ASKED"]).read_text())
    won = [play(number, [context(*style) for style in styles]) for number, *styles in tasks]
    Path(os.environ["ANSWERED"]).write_text(json.dumps(won))


def context(plies: int, noise: float) -> dict[str, Any]:
    """How a player evaluates; the noise belongs to the position, so that it can be had again."""
    return {"cubeful": 0, "plies": plies, "deterministic": 1, "prune": 1, "noise": noise}


def play(number: int, contexts: Sequence[dict[str, Any]]) -> int:
    """1 if the first player wins, else 0."""
    rng = random.Random(f"backgammon {number}")
    boards = [list(START), list(START)]
    cube = gnubg.cubeinfo(1, -1, 0, 1, (0, 0), 0, 0)
    dice = roll(rng)
    # the higher die begins, and plays both
    while dice[0] == dice[1]:
        dice = roll(rng)
    turn = 0 if dice[0] > dice[1] else 1
    while True:
        mine, other = boards[turn], boards[1 - turn]
        gnubg.command(f"set dice {dice[0]} {dice[1]}")
        move(mine, other, gnubg.findbestmove((tuple(other), tuple(mine)), cube, contexts[turn]))
        if not any(mine):
            return 1 - turn
        turn, dice = 1 - turn, roll(rng)


def roll(rng: random.Random) -> tuple[int, int]:
    """Two dice."""
    return rng.randint(1, 6), rng.randint(1, 6)


def move(mine: list[int], other: list[int], steps: Sequence[int]) -> None:
    """Make the steps of a move: from, to, from, to ...; 25 is the bar, 0 is off the board."""
    for start, end in zip(steps[::2], steps[1::2], strict=True):
        mine[start - 1] -= 1
        if end > 0:
            mine[end - 1] += 1
            if other[24 - end]:
                other[24 - end] -= 1
                other[24] += 1


main()
