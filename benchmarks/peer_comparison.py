"""One line of the peers' table: the same work done by a peer and by us, and how far the answers are apart."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ludometer.arrays import Floats

Answer = TypeVar("Answer")

LONG = 5.0
"""Processor seconds after which work is not repeated."""


@dataclass(frozen=True)
class Comparison:
    """Processor seconds of the same work, ours and the peer's, for so many units of it."""

    work: str
    ours: str
    matches: int
    players: int
    seconds: float
    our_seconds: float
    is_same: bool = True
    """Whether the two models are the same, so that the answers have to agree."""
    difference: float | None = None
    """The largest between the two answers, of any player."""
    difference_unit: str = "Elo points"
    log_loss: dict[str, float] = field(default_factory=dict)
    """Of forecasts of matches that nobody has seen: the peer's, ours, those of the true skills."""
    unit: str = "per match"
    remark: str = ""

    def to_dict(self) -> dict[str, Any]:
        """What is stored: seconds become microseconds a unit, the peer's in ours the ratio."""
        units = self.matches if self.unit == "per match" else 1
        return {
            "work": self.work,
            "ours": self.ours,
            "is_same": self.is_same,
            "matches": self.matches,
            "players": self.players,
            "unit": self.unit,
            "microseconds": _rounded(1e6 * self.seconds / units),
            "our_microseconds": _rounded(1e6 * self.our_seconds / units),
            "ratio": _rounded(self.seconds / self.our_seconds),
            "difference": None if self.difference is None else _rounded(self.difference, 2),
            "difference_unit": self.difference_unit,
            "log_loss": {name: round(loss, 4) for name, loss in self.log_loss.items()},
            "remark": self.remark,
        }


def fastest(work: Callable[[], Answer], repeats: int = 7) -> tuple[float, Answer]:
    """Processor seconds of the fastest of several runs, of one if it takes long, and what the last gave."""
    best, spent = float("inf"), 0.0
    for _ in range(repeats):
        begin = time.process_time()
        answer = work()
        seconds = time.process_time() - begin
        best, spent = min(best, seconds), spent + seconds
        if spent > LONG:
            break
    return best, answer


def race(ours: Callable[[], Answer], theirs: Callable[[], Any], repeats: int = 3) -> tuple[float, Answer, float, Any]:
    """Our seconds and answer, the peer's seconds and answer; ours before and after, as the machine's pace moves."""
    ours()
    before, answer = fastest(ours)
    seconds, other = fastest(theirs, repeats)
    after, _ = fastest(ours)
    return min(before, after), answer, seconds, other


def furthest(one: Floats, other: Floats) -> float:
    """The largest difference of any player."""
    return float(np.abs(np.asarray(one) - np.asarray(other)).max())


def _rounded(value: float, digits: int = 4) -> float:
    return float(f"{value:.{digits}g}")
