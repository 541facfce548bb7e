"""Records that platforms could really have, of games whose truth is known: what all situations are made of.

A situation is a function World → Matches in the order in which the reader would have them, and a game: x percent of
its matches go to the better player and a coin decides the rest, or normal skills with logistic results. The situations
stand in situations_exports.py, situations_sessions.py, situations_pairing.py and situations_players.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from ludometer.arrays import Codes, Floats, Mask
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.scale import expected_score

Kind = Literal["table", "held up", "own"]
"""A row of the table of known failures, one of the records that held up already, or a situation of our own."""

N_PLAYERS, N_MATCHES, DAYS = 400, 12_000, 30.0
START, DAY, HOUR, MINUTE = np.datetime64("2024-01-01T00:00:00"), 86_400.0, 3_600.0, 60.0


class Game(Protocol):
    """What decides a match."""

    @property
    def name(self) -> str:
        """In a few letters."""

    @property
    def x(self) -> float | None:
        """The share of skill in percent, where the game is defined by it."""

    def skills(self, rng: np.random.Generator, n_players: int) -> Floats:
        """Of each player, in any unit."""

    def chance(self, ours: Any, theirs: Any) -> Any:
        """That the first of two wins."""


@dataclass(frozen=True)
class Deterministic:
    """x percent of the matches go to the better player, a coin decides the others."""

    x: float

    @property
    def name(self) -> str:
        """In a few letters."""
        return f"{self.x:g}%" if self.x else "coin"

    def skills(self, rng: np.random.Generator, n_players: int) -> Floats:
        """Standard normal: only their order counts."""
        return rng.standard_normal(n_players)

    def chance(self, ours: Any, theirs: Any) -> Any:
        """Half, and half of x to the better."""
        return 0.5 + self.x / 200 * np.sign(ours - theirs)


@dataclass(frozen=True)
class Noisy:
    """Normal skills of this SD in Elo points, logistic results: its x is the one that is matched on a clean record."""

    sd: float
    x: float | None = None

    @property
    def name(self) -> str:
        """In a few letters."""
        return f"SD {self.sd:g}"

    def skills(self, rng: np.random.Generator, n_players: int) -> Floats:
        """Standard normal."""
        return rng.standard_normal(n_players)

    def chance(self, ours: Any, theirs: Any) -> Any:
        """Elo's curve."""
        return expected_score(self.sd * (ours - theirs))


@dataclass(frozen=True)
class SharedAccounts:
    """Each account belongs to several persons, and one of them plays: the truth is that of the accounts."""

    base: float = 60.0
    persons: int = 3
    x: float | None = None

    @property
    def name(self) -> str:
        """In a few letters."""
        return f"{self.base:g}%, {self.persons} persons"

    def skills(self, rng: np.random.Generator, n_players: int) -> Floats:
        """One row per account."""
        return rng.standard_normal((n_players, self.persons))

    def chance(self, ours: Any, theirs: Any) -> Any:
        """The mean over who may sit there."""
        better = np.sign(ours[..., :, np.newaxis] - theirs[..., np.newaxis, :])
        return 0.5 + self.base / 200 * better.mean(axis=(-1, -2))


@dataclass(frozen=True)
class HalfDrawn:
    """Half of the matches are drawn whoever plays; of the others `base` percent go to the better player outright."""

    base: float
    x: float | None = None

    @property
    def name(self) -> str:
        """In a few letters."""
        return f"{self.base:g}%, half drawn"

    def skills(self, rng: np.random.Generator, n_players: int) -> Floats:
        """Standard normal."""
        return rng.standard_normal(n_players)

    def chance(self, ours: Any, theirs: Any) -> Any:
        """The expected score."""
        return 0.5 + self.base / 400 * np.sign(ours - theirs)


@dataclass(frozen=True)
class TwoClasses:
    """Half of the players are better than the others, and a coin decides among equals."""

    base: float
    x: float | None = None

    @property
    def name(self) -> str:
        """In a few letters."""
        return f"{self.base:g}%, two classes"

    def skills(self, rng: np.random.Generator, n_players: int) -> Floats:
        """0 or 1."""
        return (rng.permutation(n_players) < n_players // 2).astype(np.float64)

    def chance(self, ours: Any, theirs: Any) -> Any:
        """Half, and half of the base to the better."""
        return 0.5 + self.base / 200 * np.sign(ours - theirs)


COIN, LOW, MIDDLE, HIGH = Deterministic(0), Deterministic(20), Deterministic(40), Deterministic(60)
LITTLE, MUCH = Noisy(40), Noisy(250)


@dataclass(eq=False)
class World:
    """The players of one record, and the dice."""

    game: Game
    rng: np.random.Generator
    n_players: int = N_PLAYERS
    n_matches: int = N_MATCHES
    skill: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.skill = self.game.skills(self.rng, self.n_players)

    def chance(self, first: Any, second: Any) -> Any:
        """That the first of two players, by code, wins."""
        return self.game.chance(self.skill[first], self.skill[second])

    def decide(self, first: Any, second: Any, bonus: Any = 0.0) -> Mask:
        """Who wins: True is the first, who has a bonus of probability."""
        return self.toss(self.chance(first, second) + bonus)

    def score(self, first: Any, second: Any) -> Floats:
        """What the first players score: 1, 0, or a half where the game is drawn."""
        if not isinstance(self.game, HalfDrawn):
            return self.decide(first, second).astype(np.float64)
        # twice the edge in the matches that are not drawn
        decided = self.toss(2 * self.chance(first, second) - 0.5)
        return np.where(self.rng.random(decided.shape) < 0.5, 0.5, decided)

    def toss(self, chance: Floats) -> Mask:
        """True with these probabilities."""
        return np.asarray(self.rng.random(np.shape(chance)) < chance)

    def meet(self, n: int | None = None, weight: Floats | None = None) -> tuple[Codes, Codes]:
        """Random pairs, in proportion to activity where it is given."""
        n = self.n_matches if n is None else n
        first, second = self.draw(n, weight), self.draw(n, weight)
        while (again := np.flatnonzero(first == second)).size:
            second[again] = self.draw(len(again), weight)
        return first, second

    def draw(self, n: int, weight: Floats | None = None) -> Codes:
        """n players with replacement."""
        if weight is None:
            return self.rng.integers(0, self.n_players, n).astype(np.int32)
        return self.rng.choice(self.n_players, n, p=weight / weight.sum()).astype(np.int32)

    def sit(self, n_tables: int, size: int) -> Codes:
        """Tables of different players."""
        order = self.rng.random((n_tables, self.n_players)).argpartition(size, axis=1)
        return order[:, :size].astype(np.int32)

    def finish(self, tables: Codes, luck: Floats | None = None) -> Floats:
        """Performances at tables of an x%-deterministic game: all by strength, or all by luck."""
        luck = self.rng.random(tables.shape) if luck is None else luck
        assert self.game.x is not None
        by_skill = self.rng.random(len(tables)) < self.game.x / 100
        return np.where(by_skill[:, np.newaxis], self.skill[tables], luck)

    def clock(self, n: int | None = None, days: float = DAYS) -> Floats:
        """Seconds at which n matches began, in order."""
        n = self.n_matches if n is None else n
        return np.sort(self.rng.random(n) * days * DAY)

    def record(self, first: Any, second: Any, won: Any, seconds: Any = None) -> Matches:
        """Rows of a file as the reader has them: by time where there is one, rows of one time in the file's order.

        `won` tells whether the first player won; as numbers they are scores.
        """
        result = np.asarray(won, np.float64)
        time = None if seconds is None else START + np.floor(seconds).astype("timedelta64[s]")
        players = Players.numbered(self.n_players)
        return Matches.of_pairs(first, second, result, players=players, time=time, ordered=time is None)

    def tables(self, tables: Codes, performance: Floats, seconds: Floats | None = None) -> Matches:
        """Tables of one size as matches of several players."""
        n_tables, size = tables.shape
        place = (-performance).argsort(axis=1).argsort(axis=1) + 1
        starts = np.arange(0, n_tables * size + 1, size)
        time = None if seconds is None else START + np.floor(seconds).astype("timedelta64[s]")
        return Matches.of_seats(
            starts, tables.ravel(), place.ravel(), players=Players.numbered(self.n_players), time=time
        )


@dataclass(eq=False)
class Log:
    """Matches played one after the other, where what happens next depends on what happened."""

    world: World
    first: list[int] = field(default_factory=list)
    second: list[int] = field(default_factory=list)
    won: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def is_full(self) -> bool:
        """Whether there are as many matches as there should be."""
        return len(self) >= self.world.n_matches

    def play(self, one: int, other: int, at: float, bonus: float = 0.0) -> bool:
        """Whether the one won, at a second, with a bonus of probability. Who is listed first is random."""
        chance = float(self.world.chance(one, other)) + bonus
        won = bool(self.world.rng.random() < chance)
        self.add(one, other, won, at)
        return won

    def add(self, one: int, other: int, score: float, at: float) -> None:
        """Write a result down."""
        if self.world.rng.random() < 0.5:
            one, other, score = other, one, 1 - score
        self.first.append(int(one))
        self.second.append(int(other))
        self.won.append(float(score))
        self.seconds.append(at)

    def record(self) -> Matches:
        """All of them."""
        return self.world.record(self.first, self.second, self.won, np.array(self.seconds))


@dataclass(eq=False)
class PlatformRating:
    """The Elo rating of a platform, known to the platform only."""

    rating: Floats
    k: float = 24.0

    def expected(self, one: int, other: int) -> float:
        """What the platform expects the one to score."""
        return float(1 / (1 + 10 ** ((self.rating[other] - self.rating[one]) / 400)))

    def update(self, one: int, other: int, score: float) -> None:
        """After a match."""
        step = self.k * (score - self.expected(one, other))
        self.rating[one] += step
        self.rating[other] -= step


@dataclass(frozen=True)
class Situation:
    """A record that a platform could have, and what is true of its game."""

    name: str
    sentence: str
    kind: Kind
    game: Game
    make: Callable[[World], Matches]
    per_match: int = 2
    """Players of a match of the clean game."""
    answered: float = 0.0
    """The share of seeds that should be answered as the clean game is; 0 where "cannot tell" is as good."""
    traceless: bool = False
    """The distortion cannot be seen in the record: named on the page, not asked for."""
    transitive: bool = True
    """False where nobody is better than everybody else, so that no confident answer is right."""
    same_players: bool = True
    """False where some players are not those of the clean game, so that the better player's share is another."""
    n_players: int = N_PLAYERS
    n_matches: int = N_MATCHES

    @property
    def full_name(self) -> str:
        """With the game."""
        return f"{self.name}, {self.game.name}"

    @property
    def clean_name(self) -> str:
        """The undistorted game."""
        return self.game.name if self.per_match == 2 else f"{self.game.name} at tables of {self.per_match}"

    def matches(self, seed: int) -> Matches:
        """The record of this seed."""
        rng = np.random.default_rng([*self.full_name.encode(), seed])
        return self.make(World(self.game, rng, self.n_players, self.n_matches))


SITUATIONS: dict[str, Situation] = {}


def situation(
    name: str, sentence: str, *games: Game, kind: Kind = "own", **more: Any
) -> Callable[[Callable[[World], Matches]], Callable[[World], Matches]]:
    """Register a situation, once for each game that is played in it."""

    def register(make: Callable[[World], Matches]) -> Callable[[World], Matches]:
        for game in games:
            one = Situation(name, sentence, kind, game, make, **more)
            if one.full_name in SITUATIONS:
                raise ValueError(f"there are two situations {one.full_name}")
            SITUATIONS[one.full_name] = one
        return make

    return register


def clean_record(game: Game, per_match: int, seed: int) -> Matches:
    """The undistorted game: everybody meets everybody at random."""
    rng = np.random.default_rng([*game.name.encode(), per_match, seed])
    world = World(game, rng)
    if per_match == 2:
        first, second = world.meet()
        return world.record(first, second, world.score(first, second), world.clock())
    n_tables = N_MATCHES * 2 // per_match
    tables = world.sit(n_tables, per_match)
    return world.tables(tables, world.finish(tables), world.clock(n_tables))


def true_edge(game: Game, n_players: int = N_PLAYERS) -> float:
    """The share of matches that the better of two random members wins."""
    if isinstance(game, Deterministic):
        return 0.5 + game.x / 200
    skill = game.skills(np.random.default_rng(7), 10 * n_players)
    half = len(skill) // 2
    chance = np.concatenate([game.chance(skill[:half], np.roll(skill[half:], shift, axis=0)) for shift in range(50)])
    return float(np.maximum(chance, 1 - chance).mean())
