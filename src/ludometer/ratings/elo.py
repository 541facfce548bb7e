"""Elo's rating system for two players, with one step k for all."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.scale import expected_score, from_elo, to_elo


@dataclass(frozen=True)
class EloState:
    """Ratings in natural units, from 0 at the start."""

    natural: Floats


@dataclass(frozen=True)
class Elo:
    """E = 1 / (1 + 10^(-(R_i - R_j) / 400)) and R_i += k (S - E), R_j -= k (S - E), match after match.

    Duersch et al. 2020, section 2, with their ratings starting at 0; leagues are used to 1500.

    >>> from ludometer.matches import Matches
    >>> elo = Elo(k=24)
    >>> state, expected = elo.play(elo.start(2), Matches.of_pairs([0, 0], [1, 1], [1, 1]))
    >>> expected.round(3).tolist(), elo.ratings(state).round(1).tolist()
    ([0.5, 0.534], [1523.2, 1476.8])
    """

    k: float = 24.0
    start_rating: float = 1500.0
    name: ClassVar[str] = "elo"

    def __post_init__(self) -> None:
        if not all(isinstance(value, int | float) for value in (self.k, self.start_rating)):
            raise LudometerError("k and the start rating must be numbers")
        if not (math.isfinite(self.k) and self.k >= 0):
            raise LudometerError(f"k must be a number from 0 up, not {self.k}")
        if not math.isfinite(self.start_rating):
            raise LudometerError(f"the start rating must be a number, not {self.start_rating}")

    @property
    def parameters(self) -> dict[str, Any]:
        """k and the start rating."""
        return asdict(self)

    def start(self, n_players: int) -> EloState:
        """Everybody at the start rating."""
        return EloState(np.zeros(n_players))

    def play(self, state: EloState, matches: Matches) -> tuple[EloState, Floats]:
        """Play the matches in order."""
        from ludometer.kernels.elo import elo_pass

        pairs = matches.pairs
        rating = np.zeros((max(len(matches.players), len(state.natural)), 1))
        rating[: len(state.natural), 0] = state.natural
        expected = np.empty(len(pairs))
        elo_pass(pairs.first, pairs.second, pairs.halves, rating, from_elo(self.k), expected, np.empty((0, 2)))
        return EloState(rating[:, 0]), expected

    def ratings(self, state: EloState) -> Floats:
        """In Elo points, around the start rating."""
        return self.start_rating + to_elo(state.natural)

    def expect(self, state: EloState, first: Codes, second: Codes) -> Floats:
        """The logistic curve of the rating differences."""
        return expected_score(to_elo(state.natural[first] - state.natural[second]))
