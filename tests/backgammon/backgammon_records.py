"""Backgammon for tests: where GNU Backgammon is, a match written by hand, and an analysis made up."""

from __future__ import annotations

from typing import Any

import pytest

from ludometer.backgammon.analysis import AnalysedMatch, Evaluator, read_analysis
from ludometer.backgammon.gnubg import find_gnubg
from ludometer.errors import LudometerError

HAND_WRITTEN = """\
; [Site "by hand"]

 1 point match

 Game 1
 Ann : 0                        Ben : 0
  1) 31: 8/5 6/5                 31: 24/23 13/10
  2) 42: 8/4 6/4                 66: 23/17 13/7 13/7 8/2
      Wins 1 point
"""
"""Ann makes her five point with 3-1, which nothing beats; Ben plays the same roll badly."""


def has_gnubg() -> bool:
    """Whether the program is installed."""
    try:
        find_gnubg()
    except LudometerError:
        return False
    return True


needs_gnubg = pytest.mark.skipif(not has_gnubg(), reason="needs GNU Backgammon: apt-get install gnubg")


def move(player: int, *, loss: float | None = None, luck: float = 0.0, unit: float = 0.5) -> list[Any]:
    """A roll and a move; without a loss the move was forced."""
    n_moves, best, played = (1, 0.0, 0.0) if loss is None else (3, 0.25, 0.25 - loss)
    return ["move", player, unit, None, None, n_moves, best, played, luck]


def analysis(games: list[list[list[Any]]], *, winners: list[int], length: int = 3, **more: Any) -> dict[str, Any]:
    """What GNU Backgammon might have found: a game is a list of actions and brings its winner a point."""
    score, listed = [0, 0], []
    for actions, winner in zip(games, winners, strict=True):
        listed.append({"score": list(score), "winner": winner, "points": 1, "actions": actions})
        score[winner] += 1
    match = {"names": ["Ann", "Ben"], "length": length, "variation": "Standard", "games": listed}
    return {"match": match | more}


def made_up(games: list[list[list[Any]]], *, winners: list[int], name: str = "made up", **more: Any) -> AnalysedMatch:
    return read_analysis(name, analysis(games, winners=winners, **more), Evaluator(0, 0), "0", unfinished=True)
