"""Chess games as they were recorded: players, moves in the words of the record, and evaluations in its comments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ludometer.moves.evaluations import EvaluatedGame

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
"""The start position of chess."""


@dataclass(frozen=True)
class ChessGame:
    """One game: its moves as written (e4, Nf3, O-O, or e2e4), not yet checked against the rules.

    `evaluation` holds what the comments say, in centipawns from White's view: first of the start position, then after
    each move; an infinity is a forced mate, NaN is not said. It is empty where no comment says anything.
    """

    name: str
    white: str
    black: str
    moves: tuple[str, ...]
    event: str = ""
    halves: int = -1
    """What White scored in half points; -1: not known."""
    white_rating: float = math.nan
    black_rating: float = math.nan
    start: str = START
    evaluation: tuple[float, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    """All that the headers say, in their order."""

    @property
    def n_positions(self) -> int:
        """The start position and one after each move."""
        return len(self.moves) + 1

    @property
    def white_begins(self) -> bool:
        """Whether White has the first move."""
        return self.start.split()[1:2] != ["b"]

    @property
    def first_ply(self) -> int:
        """Moves made before the start position, by its move number; never fewer than none."""
        fields = self.start.split()
        number = int(fields[5]) if len(fields) > 5 and fields[5].isdigit() else 1
        return max(0, 2 * (number - 1) + (not self.white_begins))

    def evaluated(
        self,
        evaluation: Sequence[float],
        *,
        lines: Sequence[Sequence[float]] | None = None,
        choice: Sequence[int] | None = None,
        material: Sequence[int] | None = None,
    ) -> EvaluatedGame:
        """With these evaluations of its positions."""
        return EvaluatedGame(
            name=self.name,
            white=self.white,
            black=self.black,
            evaluation=evaluation,
            event=self.event,
            halves=self.halves,
            white_rating=self.white_rating,
            black_rating=self.black_rating,
            first_ply=self.first_ply,
            white_begins=self.white_begins,
            lines=lines,
            choice=choice,
            material=material,
        )


def format_evaluation(centipawns: float) -> str:
    """As in a comment of PGN: pawns with two digits, a mate as # and its sign.

    >>> format_evaluation(-13.0), format_evaluation(float("-inf"))
    ('-0.13', '#-1')
    """
    if math.isinf(centipawns):
        return "#1" if centipawns > 0 else "#-1"
    return f"{centipawns / 100:.2f}"
