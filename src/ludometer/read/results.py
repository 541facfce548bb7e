"""How a result is written: 1, 0.5, 0, 1-0, 1/2-1/2, W, draw, 3:1, or a winner's points beside a loser's."""

from __future__ import annotations

import re

BAD = -1
UNPLAYED = -2
"""A word for a match that was not played, or not to its end: no fault, but no result either."""

_WORDS = {
    "1": 2, "1.0": 2, "0.5": 1, ".5": 1, "0,5": 1, "0": 0, "0.0": 0, "½": 1, "1/2": 1, "-0": 0, "-0.0": 0,
    "1-0": 2, "0-1": 0, "1/2-1/2": 1, "½-½": 1, "0.5-0.5": 1, "1:0": 2, "0:1": 0,
    "w": 2, "d": 1, "l": 0, "win": 2, "won": 2, "draw": 1, "drawn": 1, "drew": 1, "tie": 1, "tied": 1,
    "loss": 0, "lost": 0, "lose": 0, "t": 1,
    "white": 2, "black": 0, "home": 2, "away": 0, "h": 2, "a": 0,
}  # fmt: skip
_NO_PLAY = {
    "forfait", "forfeit", "forfeited", "walkover", "w.o.", "w.o", "wo", "w/o", "bye", "kampflos", "unplayed",
    "not played", "postponed", "cancelled", "canceled",
}  # fmt: skip
_POINTS = re.compile(r"(\d{1,18})\s*[-–:]\s*(\d{1,18})")


def parse_result(text: str) -> int:
    """What the first player scored in half points (2, 1, 0), -1 for what is no result, -2 for a walkover and the like.

    >>> [parse_result(text) for text in ("1-0", "1/2-1/2", "L", "3:3", "7", "W.O.")]
    [2, 1, 0, 1, -1, -2]
    """
    word = text.strip().casefold()
    if word in _WORDS:
        return _WORDS[word]
    if word in _NO_PLAY:
        return UNPLAYED
    points = _POINTS.fullmatch(word)
    if points:
        ours, theirs = int(points[1]), int(points[2])
        return 1 + (ours > theirs) - (ours < theirs)
    try:
        halves = 2 * float(word.replace(",", "."))
    except ValueError:
        return BAD
    return int(halves) if halves in (0, 1, 2) else BAD
