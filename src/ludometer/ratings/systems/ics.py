"""The rating system of the Internet Chess Server in 1993: a dynamic system with provisional players."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings.systems.dynamic import check_numbers, step_knob
from ludometer.ratings.systems.steps import check_step
from ludometer.ratings.systems.tuning import Knob
from ludometer.scale import expected_score, from_elo, to_elo

_NEAR, _FAR = 200.0, 400.0


@dataclass(frozen=True)
class ChessServerState:
    """Players' rows and the sum and number of established ratings, in natural units around a newcomer's rating."""

    player: Floats
    established: Floats


@dataclass(frozen=True)
class InternetChess:
    """h = 64 between established players; below 20 games a rating is provisional, the mean of one value per game.

    The value against a provisional opponent is the average of the two ratings (1600 for one who has not played) + 200
    for a win, - 200 for a loss; against an established opponent it is their rating + or - 400. A tenth of (1720 - mean
    of established players) is added to the mean once there are established players. Against a provisional opponent
    with n games an established player changes by n / 20 of the usual. Smith 1994, section 7.

    >>> system = InternetChess()
    >>> state, _ = system.play(system.start(2), Matches.of_pairs([0, 0], [1, 1], [1, 0.5]))
    >>> system.ratings(state).round(6).tolist()
    [1700.0, 1500.0]
    """

    h: float = 64.0
    provisional: int = 20
    start_rating: float = 1600.0
    target: float = 1720.0
    name: ClassVar[str] = "ics"

    def __post_init__(self) -> None:
        check_numbers(h=self.h, provisional=self.provisional, start_rating=self.start_rating, target=self.target)
        if self.provisional < 1 or self.provisional != int(self.provisional):
            raise LudometerError(f"players are provisional for a number of games from 1 up, not {self.provisional}")
        check_step(self.h)

    @property
    def tunable(self) -> tuple[Knob, ...]:
        """The step of established players."""
        return (step_knob(),)

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters."""
        return {
            "h": self.h,
            "provisional": self.provisional,
            "start_rating": self.start_rating,
            "target": self.target,
        }

    def start(self, n_players: int) -> ChessServerState:
        """Nobody has played."""
        return ChessServerState(np.zeros((n_players, 4)), np.zeros(2))

    def play(self, state: ChessServerState, matches: Matches) -> tuple[ChessServerState, Floats]:
        """Play the matches in order."""
        from ludometer.kernels.systems.ics import ics_pass

        pairs = matches.pairs
        grown = max(len(matches.players) - len(state.player), 0)
        player = np.concatenate((state.player, np.zeros((grown, 4))))
        established, expected = state.established.copy(), np.empty(len(pairs))
        ics_pass(
            pairs.first,
            pairs.second,
            pairs.halves,
            player,
            established,
            from_elo(self.h / 2),
            float(self.provisional),
            from_elo(_NEAR),
            from_elo(_FAR),
            from_elo(self.target - self.start_rating),
            expected,
        )
        return ChessServerState(player, established), expected

    def ratings(self, state: ChessServerState) -> Floats:
        """In Elo points, established and provisional."""
        return self.start_rating + to_elo(state.player[:, 0])

    def expect(self, state: ChessServerState, first: Codes, second: Codes) -> Floats:
        """The logistic curve of the rating differences."""
        return expected_score(to_elo(state.player[first, 0] - state.player[second, 0]))
