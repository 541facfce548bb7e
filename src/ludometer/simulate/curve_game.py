"""Games of known truth on any win probability function."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ludometer.arrays import Codes, Floats, Mask
from ludometer.curves import Curve, Logistic
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.simulate.tables import batch_size, check_table, draw_tables, generator, join_batches

_SKILL, _ACTIVITY, _DRAWS, _MATCHES = range(4)
"""As in `strengths`: a logistic game without draws has the same players and the same matches as there."""

Decide = Callable[[Codes, Codes, int, np.random.Generator], Mask]
"""The two players of each match, and how many of these matches are wanted → whether the first wins, at least of those.

What comes for a match must not depend on how many are wanted.
"""


@dataclass(frozen=True)
class CurveGame:
    """Players whose skills are normal with this SD (Elo points) meet at random; the first wins by the curve, no ties.

    `activity` is the SD of the logarithm of how often a player plays. A curve with a ceiling that is not 1 - floor
    favours a seat.

    >>> from ludometer.curves import Bounded, Stob
    >>> game = CurveGame(50, Bounded(Stob(), floor=0.1), sd=300, seed=1)
    >>> len(next(game.batches(1000)))
    1000
    """

    n_players: int
    curve: Curve = field(default_factory=Logistic)
    sd: float = 200.0
    activity: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_population(self.n_players, self.sd, self.activity, self.seed)

    @cached_property
    def skill(self) -> Floats:
        """The true skills in Elo points, by code."""
        return draw_skills(self.n_players, self.sd, self.seed)

    def batches(self, n_matches: int) -> Iterator[Matches]:
        """The matches in batches of a fixed size."""

        def decide(first: Codes, second: Codes, wanted: int, rng: np.random.Generator) -> Mask:  # noqa: ARG001
            expected = self.curve(self.skill[first] - self.skill[second])
            return np.asarray(rng.random(len(first)) < expected)

        return play_pairs(decide, n_matches, n_players=self.n_players, activity=self.activity, seed=self.seed)


def simulate_on_curve(
    n_players: int,
    n_matches: int,
    *,
    curve: Curve,
    sd: float = 200.0,
    activity: float = 0.0,
    seed: int = 0,
) -> Matches:
    """Matches between players of normal strength on any curve; `CurveGame` has the true skills, and batches.

    >>> from ludometer.curves import Normal
    >>> len(simulate_on_curve(100, 5000, curve=Normal(), seed=1))
    5000
    """
    game = CurveGame(n_players, curve, sd, activity, seed)
    return join_batches(game.batches(n_matches), Players.numbered(n_players))


def check_population(n_players: int, sd: float, activity: float, seed: int) -> None:
    """Refuse impossible numbers of players and spreads."""
    check_table(n_players, 2, seed)
    for name, value in (("sd", sd), ("activity", activity)):
        if not (math.isfinite(value) and value >= 0):
            raise LudometerError(f"{name} must be a number from 0 up, not {value}")
    if activity > 10:
        raise LudometerError(f"activity is the SD of a logarithm: at most 10, not {activity}")


def draw_skills(n_players: int, sd: float, seed: int) -> Floats:
    """Normal skills with this SD."""
    return sd * generator(seed, _SKILL).standard_normal(n_players)


def play_pairs(decide: Decide, n_matches: int, *, n_players: int, activity: float, seed: int) -> Iterator[Matches]:
    """Two-player matches, drawn and decided in batches of a fixed size; a longer run begins like a shorter one."""
    players = Players.numbered(n_players)
    activities = None
    if activity:
        activities = np.exp(activity * generator(seed, _ACTIVITY).standard_normal(n_players)).cumsum()
    size = batch_size(2)
    for number, start in enumerate(range(0, n_matches, size)):
        rng = generator(seed, _MATCHES, number)
        first, second = draw_tables(rng, size, n_players=n_players, activities=activities).T
        wanted = min(size, n_matches - start)
        halves = 2 * decide(first, second, wanted, rng)[:wanted].astype(np.int8)
        yield Matches.of_pairs(first[:wanted], second[:wanted], halves, players=players, ordered=True)
