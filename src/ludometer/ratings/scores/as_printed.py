"""Multiplayer ratings that Edelkamp's paper discusses before its own, as printed: for comparison only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches, Seats
from ludometer.ratings.driver import AnySystem
from ludometer.ratings.scores.elo import SeriesElo
from ludometer.ratings.scores.series import SERIES_COLUMNS, scores_of
from ludometer.scale import ELO, expected_score

if TYPE_CHECKING:
    pass

Method = Literal["mean", "repeated", "points", "softmax", "each"]

FORUM = SeriesElo(k=0.1, form="additive")
"""The proposal of 2007: E_i = R_i + mean(S) - mean(R), K 0.1."""


@dataclass(frozen=True)
class QuotientElo:
    """R <- (R f + S sqrt(Y)) / (f + 1), Y = (S / others' mean S) / (R / others' mean R).

    The first idea of Edelkamp's paper, rejected there: a moving mean of scores, each times the root of its quotient.
    Where a quotient is not positive, the score counts as it is. The sum of ratings is not constant.
    """

    f: float = 49.0
    start_rating: float = 800.0
    name: ClassVar[str] = "quotient-elo"
    uses: ClassVar[tuple[str, ...]] = SERIES_COLUMNS

    def __post_init__(self) -> None:
        if not (math.isfinite(self.f) and self.f >= 0 and math.isfinite(self.start_rating)):
            raise LudometerError(f"f must be a number from 0 up and the start a number: {self.f}, {self.start_rating}")

    @property
    def parameters(self) -> dict[str, Any]:
        """f and the start rating."""
        return {"f": self.f, "start_rating": self.start_rating}

    def start(self, n_players: int) -> Floats:
        """Everybody at the start rating."""
        return np.full(n_players, float(self.start_rating))

    def play(self, state: Floats, matches: Matches) -> tuple[Floats, Floats]:
        """Play the series in order; the forecast of who wins is the share of the ratings (0 for those below 0)."""
        from ludometer.kernels.systems.one_winner import quotient_pass

        score, seats = scores_of(matches), matches.seats
        grown = max(len(matches.players) - len(state), 0)
        rating, before = np.concatenate((state, self.start(grown))), np.empty(len(score))
        quotient_pass(seats.starts, seats.player, score, rating, self.f, before)
        chance = np.maximum(before, 1e-9)
        share = chance / np.repeat(np.add.reduceat(chance, seats.starts[:-1]), seats.sizes)
        return rating, share if isinstance(matches.table, Seats) else share[::2]

    def ratings(self, state: Floats) -> Floats:
        """In points of the scores."""
        return state.copy()

    def expect(self, state: Floats, first: Codes, second: Codes) -> Floats:
        """The first player's share of the two ratings."""
        mine, theirs = np.maximum(state[first], 1e-9), np.maximum(state[second], 1e-9)
        return np.asarray(mine / (mine + theirs))


@dataclass(frozen=True)
class MultiplayerElo:
    """Elo for one winner among n, in the ways that Edelkamp's paper discusses before its own.

    "mean": E against the mean opponent, 1 for the winner; the E of equals add up to n / 2, so points are lost.
    "repeated": the same n - 1 times. "points": n / 2 for the winner, so that equals lose nothing. "each": the winner
    beats one opponent after the other, in the order of the seats. "softmax": E_i = 10^(R_i / 400) / sum, which is `Elo`
    for the win.

    >>> table = Matches.of_seats([0, 3], [0, 1, 2], [1, 2, 3])
    >>> for method in ("mean", "points", "softmax"):
    ...     elo = MultiplayerElo(k=24, method=method)
    ...     print(elo.ratings(elo.play(elo.start(3), table)[0]).round(1).tolist())
    [1512.0, 1488.0, 1488.0]
    [1524.0, 1488.0, 1488.0]
    [1516.0, 1492.0, 1492.0]
    """

    k: float = 24.0
    method: Method = "mean"
    start_rating: float = 1500.0
    uses: ClassVar[tuple[str, ...]] = SERIES_COLUMNS

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise LudometerError(f"the method is one of {', '.join(get_args(Method))}, not {self.method!r}")
        if not (math.isfinite(self.k) and self.k >= 0):
            raise LudometerError(f"k must be a number from 0 up, not {self.k}")

    @property
    def name(self) -> str:
        """What users call it."""
        return f"elo-by-{self.method}"

    @property
    def parameters(self) -> dict[str, Any]:
        """k and the start rating."""
        return {"k": self.k, "start_rating": self.start_rating}

    def start(self, n_players: int) -> Floats:
        """Everybody at 0, in natural units about the start rating."""
        return np.zeros(n_players)

    def play(self, state: Floats, matches: Matches) -> tuple[Floats, Floats]:
        """Play the matches in order, by their first places."""
        from ludometer.kernels.systems import one_winner as multiplayer

        method = getattr(multiplayer, self.method.upper())
        seats = matches.seats
        rating = np.concatenate((state, np.zeros(max(len(matches.players) - len(state), 0))))
        expected = np.empty(len(seats.player))
        multiplayer.winner_pass(seats.starts, seats.player, seats.place, rating, self.k / ELO, method, expected)
        return rating, expected if isinstance(matches.table, Seats) else expected[::2]

    def ratings(self, state: Floats) -> Floats:
        """In Elo points."""
        return self.start_rating + ELO * state

    def expect(self, state: Floats, first: Codes, second: Codes) -> Floats:
        """The logistic curve of the rating differences."""
        return expected_score(ELO * (state[first] - state[second]))


def all_variants() -> list[AnySystem]:
    """Series Elo in both forms and every system of this module."""
    several: list[AnySystem] = [MultiplayerElo(method=method) for method in get_args(Method)]
    return [SeriesElo(), FORUM, QuotientElo(), *several]
