"""The questions that the law asks, and what this record answers: predominance, a material element, pure chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ludometer.measurement.benchmarks.inversion import Share
    from ludometer.measurement.legal.legal import LegalTests
    from ludometer.measurement.measurement import Measurement


@dataclass(frozen=True)
class Question:
    """What is asked, in the words of the law and in plain words, and the answer."""

    name: str
    asks: str
    answer: str

    def __str__(self) -> str:
        return f"{self.name}: {self.asks} {self.answer}"


PREDOMINANCE = "is more than half of what decides a match skill?"
"""The question that the verdict answers."""


def answer_questions(game: Measurement) -> tuple[Question, ...]:
    """The verdict names the first of these questions as its own; the others have lines of their own."""
    if game.verdict is None:
        return ()
    return (
        Question("Predominance", PREDOMINANCE, game.verdict.statement),
        Question("Material element", "is chance more than nothing?", _material_element(game)),
        Question("Pure chance", "is skill more than nothing?", _pure_chance(game.legal)),
    )


def _material_element(game: Measurement) -> str:
    if game.shares is None:
        return "These data cannot tell, for the same reasons."
    skill = game.shares[0]
    if not np.isfinite(skill.x):
        return "No chance shows: ratings spread at least as in a game where the better player always wins."
    if not np.isfinite(skill.high) or skill.high >= 100:
        return (
            f"Not shown: about {_rest(skill.x)} of matches look as if a coin had decided them, but the record would "
            "also fit a game where the better player always wins."
        )
    return f"Yes, by the yardstick of pure skill: {_coin(skill)} of matches look as if a coin had decided them."


def _coin(skill: Share) -> str:
    return f"{_rest(skill.x)} [{_rest(skill.high)}, {_rest(skill.low)}]"


def _rest(x: float) -> str:
    return f"{100 - x:.0f}%"


def _pure_chance(legal: LegalTests | None) -> str:
    if legal is None:
        return "Not tested."
    found = legal.by_name()["pure chance"]
    if found.figure is None:
        return f"Not tested: {found.says}."
    answer = "Yes" if found.figure < 0.05 else "Not shown"
    return f"{answer}: results exchanged at random between players look like this record with {found.in_words}."
