"""Families of games with one parameter, played on the schedule of a record: what a record is measured against.

Each replicate has its own luck, which is the same at any value of the parameter. So the same luck is compared at
different values, and a spread rises smoothly with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from ludometer.arrays import Floats
from ludometer.kernels.systems.dealing import CERTAIN, Keys, Rule, uniforms
from ludometer.matches import Pairs
from ludometer.ratings.draws import fit_draws
from ludometer.ratings.replicates import Game, Schedule
from ludometer.scale import expected_score, from_elo

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

    def rule(self, schedule: Schedule, skill: Floats, value: float) -> Rule:
        """How players with these skills (standard normal scores) play at this value of the parameter."""
        ...

    def guess(self, sd: float) -> float:
        """About where ratings have this SD: where a search begins."""
        ...


@dataclass(frozen=True, eq=False)
class Replicate:
    """A game of a family among players with these skills, all its chance fixed by a key."""

    family: Family
    schedule: Schedule
    skill: Floats
    key: Keys

    def at(self, value: float) -> Game:
        """The game at one value of the parameter."""
        return Game(self.skill, self.key, self.family.rule(self.schedule, self.skill, value))

    def of(self, rule: Rule) -> Game:
        """The same players and luck in a game of another kind."""
        return Game(self.skill, self.key, rule)

    def __call__(self, value: float) -> Any:
        """Its results: half points of first players, or shares of seats."""
        return self.at(value).results(self.schedule)


@dataclass(frozen=True)
class Deterministic:
    """x percent of the matches are decided by strength alone, the others by a coin (Duersch et al. 2020, section 2).

    With `draws`, coins fall on their edge so often that this share of all matches is drawn, or all of them do. Where a
    seat is better off, coins favour it so far that it scores as much as in the record, or always.
    """

    draws: float = 0.0
    highest: ClassVar[float] = 100.0

    def rule(self, schedule: Schedule, skill: Floats, value: float) -> Rule:  # noqa: ARG002 - the same for all
        """The better wins, or all finish in the order of strength, in x percent of the matches."""
        tossed = max(1 - value / 100, 1e-9)
        drawn = min(self.draws / tossed, 1 - 1e-9)
        return Rule(value / 100, CERTAIN, 0.0, even_nu(drawn), 0.0, _lead(schedule.excess / tossed))

    def guess(self, sd: float) -> float:
        """By the published SD of half skill, half coin, which rises faster than x."""
        return float(np.clip(50 * (sd / 122.8) ** 0.7, 1, 95))


@dataclass(frozen=True)
class Mixed:
    """x percent of the results come from players with this SD of skill, the others from coins: x%-chess by default."""

    sd: float = CHESS_SD
    draws: float = CHESS_DRAWS
    highest: ClassVar[float] = 100.0

    def rule(self, schedule: Schedule, skill: Floats, value: float) -> Rule:
        """Logistic results with Davidson's draws, and coins with as many; no ties with more than two players."""
        nu = davidson_nu(schedule, self.sd * skill, self.draws)
        lead = schedule.advantage, _lead(schedule.excess)
        return Rule(value / 100, from_elo(self.sd), nu, even_nu(self.draws), *lead)

    def guess(self, sd: float) -> float:
        """Ratings of all of the reference have about four fifths of the SD of its skills."""
        return float(np.clip(100 * (sd / (0.8 * self.sd)) ** 0.7, 1, 95))


@dataclass(frozen=True)
class Skilled:
    """Players whose skills are normal with an SD, the parameter, in Elo points; logistic results."""

    draws: float = 0.0
    highest: ClassVar[float] = 3000.0

    def rule(self, schedule: Schedule, skill: Floats, value: float) -> Rule:
        """Logistic results with Davidson's draws; a rank-ordered logit for multiplayer matches."""
        return Rule(1.0, from_elo(value), davidson_nu(schedule, value * skill, self.draws), lead=schedule.advantage)

    def guess(self, sd: float) -> float:
        """A little more than the SD of ratings."""
        return float(np.clip(1.2 * sd, 1, self.highest / 2))


def play_series(schedule: Schedule, skill: Floats, key: Keys, *, sd: float, games: int) -> Any:
    """Results of series of an odd number of games, each won by who wins most of it, among skilled players."""
    from scipy.special import betainc

    pairs, half = schedule.matches.pairs, (games + 1) // 2
    # a table is as good as the function: steps of 1/20,000 leave errors below 1e-6
    at = np.linspace(0, 1, 20_001)
    chance_of = betainc(half, half, at)
    halves = np.empty(len(pairs), np.int8)
    for start in range(0, len(pairs), _PART):
        first, second = pairs.first[start : start + _PART], pairs.second[start : start + _PART]
        _, chance = uniforms(key, np.arange(start, start + len(first), dtype=np.uint32))
        won = chance < np.interp(expected_score(sd * (skill[first] - skill[second])), at, chance_of)
        halves[start : start + len(first)] = 2 * won
    return halves


_PART = 1 << 20
"""Matches that are dealt at once."""


def even_nu(draws: float) -> float:
    """Davidson's parameter at which equals draw so often."""
    return 2 * draws / (1 - draws)


_SURE = 0.999999
"""An excess beyond which a seat always wins."""


def _lead(excess: float) -> float:
    """The difference in natural units at which one of two scores so much more than the other, from -1 to 1."""
    return float(2 * np.arctanh(np.clip(excess, -_SURE, _SURE)))


_SAMPLED, _BINS = 2000, 50
"""Matches that are looked at for the share of draws, and bins of what their favourites are expected to score."""


def davidson_nu(schedule: Schedule, elo: Floats, draws: float) -> float:
    """Davidson's parameter at which matches of players with these skills have this share of draws, by a sample."""
    table = schedule.matches.table
    if not draws or not isinstance(table, Pairs):
        return 0.0
    few = slice(None, None, max(1, len(table) // _SAMPLED))
    favourite = expected_score(np.abs(elo[table.first[few]] - elo[table.second[few]]))
    n_in = np.bincount(np.minimum((2 * _BINS * (favourite - 0.5)).astype(np.int64), _BINS - 1), minlength=_BINS)
    middle = 0.5 + (np.arange(_BINS) + 0.5) / (2 * _BINS)
    return fit_draws(middle[n_in > 0], draws, n_in[n_in > 0].astype(np.float64))
