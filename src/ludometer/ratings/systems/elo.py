"""Elo's rating system for two players or more, with one step k for all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches, Seats
from ludometer.ratings.prizes import WINNER, Prizes, seat_columns
from ludometer.ratings.systems.tuning import Knob
from ludometer.scale import Base, expected_score, points_per_unit, to_elo


@dataclass(frozen=True)
class EloState:
    """Ratings in natural units, from 0 at the start."""

    natural: Floats


@dataclass(frozen=True)
class Elo:
    """E = 1 / (1 + 10^(-(R_i - R_j) / 400)) and R_i += k (S - E), R_j -= k (S - E), match after match.

    Duersch et al. 2020, section 2, where ratings start at 0; leagues usually start at 1500. Multiplayer matches follow
    their section 4: finishing orders by the rank-ordered logit with weights 10^(R / 400), with S a seat's share of the
    largest prize and E its expectation. Records with two-player matches only, without recorded prizes, are played for
    the win. Base e is the scale on which the paper prints multiplayer ratings. With a `share` below 1 the expectation
    of two players is share E + (1 - share) / 2: only this share of matches is decided by play, the others by a coin
    (footnote 34).

    >>> from ludometer.matches import Matches
    >>> elo = Elo(k=24)
    >>> state, expected = elo.play(elo.start(2), Matches.of_pairs([0, 0], [1, 1], [1, 1]))
    >>> expected.round(3).tolist(), elo.ratings(state).round(1).tolist()
    ([0.5, 0.534], [1523.2, 1476.8])
    """

    k: float = 24.0
    start_rating: float = 1500.0
    prizes: Prizes = WINNER
    base: Base = "10"
    share: float = 1.0
    name: ClassVar[str] = "elo"
    tunable: ClassVar[tuple[Knob, ...]] = (Knob("k", 0.1, 1000.0),)

    def __post_init__(self) -> None:
        if not all(isinstance(value, int | float) for value in (self.k, self.start_rating)):
            raise LudometerError("k and the start rating must be numbers")
        if not (math.isfinite(self.k) and self.k >= 0):
            raise LudometerError(f"k must be a number from 0 up, not {self.k}")
        if not math.isfinite(self.start_rating):
            raise LudometerError(f"the start rating must be a number, not {self.start_rating}")
        if self.base not in ("10", "e"):
            raise LudometerError(f"the base is 10 or e, not {self.base!r}")
        if not 0 < self.share <= 1:
            raise LudometerError(
                f"the share of matches decided by play must be above 0 and at most 1, not {self.share}"
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """k and the start rating; prizes, base and share where they are not the defaults."""
        return {"k": self.k, "start_rating": self.start_rating} | unusual(self.prizes, self.base, self.share)

    def start(self, n_players: int) -> EloState:
        """Everybody at the start rating."""
        return EloState(np.zeros(n_players))

    def play(self, state: EloState, matches: Matches) -> tuple[EloState, Floats]:
        """Play the matches in order."""
        rating = np.zeros((max(len(matches.players), len(state.natural)), 1))
        rating[: len(state.natural), 0] = state.natural
        expected = np.empty(len(matches.table.player if isinstance(matches.table, Seats) else matches))
        play_once(matches, rating, self.k / points_per_unit(self.base), self.prizes, self.base, expected, self.share)
        return EloState(rating[:, 0]), expected

    def enter(self, state: EloState, players: Codes, rating: Floats, sd: Floats, matches: Matches) -> EloState:  # noqa: ARG002
        """The state with new players at these ratings; Elo has no place for their SDs."""
        natural = np.zeros(max(len(state.natural), int(players.max(initial=-1)) + 1))
        natural[: len(state.natural)] = state.natural
        natural[players] = (rating - self.start_rating) / points_per_unit(self.base)
        return EloState(natural)

    def play_with_levels(self, state: EloState, matches: Matches) -> tuple[EloState, Floats, Floats]:
        """Play two-player matches in order; also the mean rating of each pair before its match."""
        rating = np.zeros((max(len(matches.players), len(state.natural)), 1))
        rating[: len(state.natural), 0] = state.natural
        expected, before = np.empty(len(matches.pairs)), np.empty((len(matches.pairs), 2))
        step = self.k / points_per_unit(self.base)
        play_once(matches, rating, step, self.prizes, self.base, expected, self.share, before)
        return EloState(rating[:, 0]), expected, self.start_rating + to_elo(before.mean(axis=1))

    def ratings(self, state: EloState) -> Floats:
        """In Elo points, around the start rating."""
        return self.start_rating + points_per_unit(self.base) * state.natural

    def expect(self, state: EloState, first: Codes, second: Codes) -> Floats:
        """The logistic curve of the rating differences."""
        expected = expected_score(to_elo(state.natural[first] - state.natural[second]))
        return expected if self.share == 1 else self.share * expected + (1 - self.share) / 2

    def expect_places(self, state: EloState, players: Codes) -> Floats:
        """The probability of each place (columns) for each of these players (rows) in one match."""
        from ludometer.kernels.skills.ranks import SPREAD, rank_probabilities

        natural = state.natural[players]
        return rank_probabilities(np.exp(np.maximum(natural - natural.max(), -SPREAD)))


def play_once(
    matches: Matches,
    rating: Floats,
    step: float,
    prizes: Prizes,
    base: Base,
    expected: Floats,
    share: float = 1.0,
    before: Floats | None = None,
    loss: float = 0.0,
) -> float:
    """One pass in natural units over matches of any kind; returns its loss.

    `rating` (players, 1) changes in place. Forecasts are written to `expected` unless its length is 0, and the ratings
    before each match to `before`, by match and player or by seat. The loss of two-player matches is added to `loss`.
    """
    from ludometer.kernels.systems.elo import elo_pass
    from ludometer.kernels.systems.multiplayer import seats_pass

    table = matches.table
    if not isinstance(table, Seats):
        refuse_base_of_several(base)
        before = np.empty((0, 2)) if before is None else before
        return elo_pass(table.first, table.second, table.halves, rating, step, expected, before, share, loss)
    refuse_share_of_several(share)
    prize, score = seat_columns(table, prizes)
    return seats_pass(
        table.starts, table.player, score, prize, rating, step, expected, np.empty(0) if before is None else before
    )


class PassObserver(Protocol):
    """What sees every match of a pass: what was expected of it, and the ratings before it."""

    def restart(self) -> None:
        """A new pass begins."""
        ...

    def add(self, part: Matches, expected: Floats, before: Floats) -> None:
        """The next matches; ratings in natural units, by match and player or by seat."""
        ...


def play_observed(
    matches: Matches,
    k: float,
    observer: PassObserver,
    *,
    prizes: Prizes = WINNER,
    base: Base = "10",
    share: float = 1.0,
) -> tuple[Floats, float]:
    """One pass at this k from ratings of 0: the ratings in natural units and the loss.

    Two-player matches are played in parts, so that long records need little memory.
    """
    observer.restart()
    rating, loss = np.zeros((len(matches.players), 1)), 0.0
    for part in (matches,) if isinstance(matches.table, Seats) else matches.parts():
        shape = (len(part.table.player),) if isinstance(part.table, Seats) else (len(part), 2)
        expected, before = np.empty(shape[0]), np.empty(shape)
        loss = play_once(part, rating, k / points_per_unit(base), prizes, base, expected, share, before, loss)
        observer.add(part, expected, before)
    return rating[:, 0], loss


def refuse_base_of_several(base: Base) -> None:
    """Two-player ratings have Elo's own scale only."""
    if base == "e":
        raise LudometerError("base e is the scale of printed multiplayer ratings: two-player matches need base 10")


def refuse_share_of_several(share: float) -> None:
    """The bounded expectation is defined for two players only."""
    if share != 1:
        raise LudometerError("a share of matches decided by play is only for two-player matches: leave it out")


def unusual(prizes: Prizes, base: Base, share: float = 1.0) -> dict[str, Any]:
    """Prizes, base and share where they are not the defaults, for a list of parameters."""
    given = {"prizes": prizes.name, "base": base, "share": share}
    usual = {"prizes": WINNER.name, "base": "10", "share": 1.0}
    return {name: value for name, value in given.items() if value != usual[name]}
