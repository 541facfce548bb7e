"""Families of games with one parameter, played on the schedule of a record: what a record is measured against.

Each replicate draws its random numbers once; it can then be played at any value of the parameter. So the same luck is
compared at different values, and a spread rises smoothly with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from ludometer.arrays import Floats, Halves
from ludometer.matches import Pairs, Seats
from ludometer.ratings.draws import draw_probability, fit_draws
from ludometer.ratings.replicates import Schedule
from ludometer.scale import expected_score, from_elo

Replicate = Callable[[float], Any]
"""A value of the parameter → results: half points of first players, or shares of seats."""

CHESS_SD, CHESS_DRAWS = 172.0, 0.32
"""Players of over-the-board chess: the SD of their skills in Elo points, and the share of draws.

Matched to 2.3 million games on their own schedule, with players at random places in it.
"""

CHESS_SD_PAIRED = 210.0
"""The same, matched with simulated players who are paired by strength as those of chess are."""


class Family(Protocol):
    """Games that differ in one number."""

    @property
    def highest(self) -> float:
        """The largest value of the parameter; the smallest is 0, a game of chance."""
        ...

    def simulate(self, schedule: Schedule, skill: Floats, rng: np.random.Generator) -> Replicate:
        """A game among players with these skills (standard normal scores), all its chance drawn."""
        ...


@dataclass(frozen=True)
class Deterministic:
    """x percent of the matches are decided by strength alone, the others by a coin (Duersch et al. 2020, section 2).

    With `draws`, coins fall on their edge so often that this share of all matches is drawn, or all of them do.
    """

    draws: float = 0.0
    highest: ClassVar[float] = 100.0

    def simulate(self, schedule: Schedule, skill: Floats, rng: np.random.Generator) -> Replicate:
        """The better wins, or all finish in the order of strength, where a uniform number is below x."""
        table = schedule.matches.table
        if isinstance(table, Seats):
            return _mixed_seats(schedule, skill[table.player], rng)
        decided = 2 * (skill[table.first] > skill[table.second]).astype(np.int8)
        if not self.draws:
            return _mixed(decided, 2 * _coins(len(table), rng), rng)
        toss, chance = rng.random(len(table)), 100 * rng.random(len(table))
        even = np.full(1, 0.5)

        def play(x: float) -> Halves:
            drawn = min(self.draws / max(1 - x / 100, 1e-9), 1 - 1e-9)
            return np.where(chance < x, decided, _results(even, drawn, toss))

        return play


@dataclass(frozen=True)
class Mixed:
    """x percent of the results come from players with this SD of skill, the others from coins: x%-chess by default."""

    sd: float = CHESS_SD
    draws: float = CHESS_DRAWS
    highest: ClassVar[float] = 100.0

    def simulate(self, schedule: Schedule, skill: Floats, rng: np.random.Generator) -> Replicate:
        """Logistic results with Davidson's draws, and coins with as many; no ties with more than two players."""
        table = schedule.matches.table
        if isinstance(table, Seats):
            return _mixed_seats(schedule, _clocks(from_elo(self.sd) * skill[table.player], rng), rng)
        expected = _expected(table, self.sd * skill)
        played = _results(expected, self.draws, rng.random(len(table)))
        return _mixed(played, _results(np.full(1, 0.5), self.draws, rng.random(len(table))), rng)


@dataclass(frozen=True)
class Skilled:
    """Players whose skills are normal with an SD, the parameter, in Elo points; logistic results.

    A result may be that of a series of an odd number of games, won by who wins most of them.
    """

    draws: float = 0.0
    games: int = 1
    highest: ClassVar[float] = 3000.0

    def simulate(self, schedule: Schedule, skill: Floats, rng: np.random.Generator) -> Replicate:
        """Logistic results with Davidson's draws; a rank-ordered logit for multiplayer matches."""
        table = schedule.matches.table
        if isinstance(table, Seats):
            seats, noise = skill[table.player], rng.gumbel(size=len(table.player))
            return lambda sd: _shares(schedule, from_elo(sd) * seats + noise)
        chance = rng.random(len(table))
        if self.games > 1:
            return lambda sd: _results(_most_of(self.games, _expected(table, sd * skill)), 0.0, chance)
        return lambda sd: _results(_expected(table, sd * skill), self.draws, chance)


def _mixed(decided: Halves, coins: Halves, rng: np.random.Generator) -> Replicate:
    chance = 100 * rng.random(len(decided), dtype=np.float32)
    return lambda x: np.where(chance < x, decided, coins)


def _mixed_seats(schedule: Schedule, key: Floats, rng: np.random.Generator) -> Replicate:
    table = schedule.matches.seats
    chance = np.repeat(100 * rng.random(len(table), dtype=np.float32), table.sizes)
    # a random order of the seats of a match: no key of one is compared with that of another
    random = rng.random(len(key))
    return lambda x: _shares(schedule, np.where(chance < x, key, random))


def _coins(n: int, rng: np.random.Generator) -> Halves:
    return np.unpackbits(rng.integers(0, 256, -(-n // 8), dtype=np.uint8), count=n).view(np.int8)


def _expected(pairs: Pairs, skill: Floats) -> Floats:
    return expected_score(skill[pairs.first] - skill[pairs.second])


def _most_of(games: int, expected: Floats) -> Floats:
    """The probability of winning most of this many games, each won with the expected score."""
    from scipy.special import betainc

    half = (games + 1) // 2
    return np.asarray(betainc(half, half, expected))


def _results(expected: Floats, draws: float, chance: Floats) -> Halves:
    """Results in half points from uniform numbers: more of them are wins the larger the expectation."""
    drawn: Any = 0.0
    if draws:
        drawn = draw_probability(expected, _nu(expected, draws))
    wins, draws_too = chance < expected - drawn / 2, chance < expected + drawn / 2
    return np.asarray(wins.astype(np.int8) + draws_too.astype(np.int8))


def _nu(expected: Floats, draws: float) -> float:
    """Davidson's parameter at which these matches have this share of draws, by a sample of them."""
    if len(expected) == 1 and expected[0] == 0.5:
        return 2 * draws / (1 - draws)
    return fit_draws(expected[:: max(1, len(expected) // 2000)], draws)


def _clocks(natural: Floats, rng: np.random.Generator) -> Floats:
    """Keys whose order is that of a rank-ordered logit."""
    return natural + rng.gumbel(size=len(natural))


def _shares(schedule: Schedule, key: Floats) -> Floats:
    """What each seat gets when those of a match finish in the order of their keys, the largest first."""
    from ludometer.kernels.systems.multiplayer import order_seats

    seats = schedule.matches.seats
    assert schedule.prize is not None
    place = np.empty(len(key), np.int32)
    order_seats(seats.starts, key, place)
    return np.asarray(schedule.prize[np.repeat(seats.starts[:-1], seats.sizes) + place - 1])
