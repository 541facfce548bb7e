"""Games of known truth: players with normal strengths and logistic results, or a coin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings.draws import draw_probability, draw_results, fit_draws
from ludometer.scale import expected_score

_BATCH = 1 << 18
"""Matches drawn with one generator: fixed, so that a longer run begins with the matches of a shorter one."""

_SKILL, _ACTIVITY, _DRAWS, _MATCHES = range(4)


@dataclass(frozen=True)
class StrengthGame:
    """Players whose skills are normal with this SD (Elo points) meet at random; the better wins by the logistic curve.

    `draws` is the share of drawn matches (Davidson's model, which leaves the expected scores as they are); `activity`
    is the SD of the logarithm of how often a player plays: 0 for all alike, 1.2 for a platform with few busy players.
    """

    n_players: int
    sd: float = 200.0
    draws: float = 0.0
    activity: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n_players < 2:
            raise LudometerError(f"a game needs at least 2 players, not {self.n_players}")
        if not 0 <= self.draws < 1:
            raise LudometerError(f"the share of draws must be from 0 to below 1, not {self.draws}")
        for name in ("sd", "activity"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise LudometerError(f"{name} must be a number from 0 up, not {value}")
        if self.activity > 10:
            raise LudometerError(f"activity is the SD of a logarithm: at most 10, not {self.activity}")
        if self.seed < 0:
            raise LudometerError(f"the seed must be a whole number from 0 up, not {self.seed}")

    @cached_property
    def skill(self) -> Floats:
        """The true skills in Elo points, by code."""
        return self.sd * self._rng(_SKILL).standard_normal(self.n_players)

    @cached_property
    def nu(self) -> float:
        """Davidson's parameter at which the share of draws is what was asked for."""
        if not self.draws:
            return 0.0
        first, second = self._meetings(self._rng(_DRAWS), 1 << 17)
        expected = expected_score(self.skill[first] - self.skill[second])
        nu = fit_draws(expected, self.draws)
        possible = float(draw_probability(expected, nu).mean())
        if possible < self.draws - 1e-3:
            raise LudometerError(
                f"with skills so far apart (SD {self.sd:g}) at most {possible:.0%} of the matches can be drawn, "
                f"not {self.draws:.0%}"
            )
        return nu

    def batches(self, n_matches: int) -> Iterator[Matches]:
        """The matches in batches of a fixed size."""
        players = Players.numbered(self.n_players)
        for number, start in enumerate(range(0, n_matches, _BATCH)):
            rng = self._rng(_MATCHES, number)
            first, second = self._meetings(rng, _BATCH)
            expected = expected_score(self.skill[first] - self.skill[second])
            halves = draw_results(expected, self.nu, rng)
            kept = slice(n_matches - start)
            yield Matches.of_pairs(first[kept], second[kept], halves[kept], players=players, ordered=True)

    def _meetings(self, rng: np.random.Generator, n: int) -> tuple[Codes, Codes]:
        """Pairs of different players."""
        if not self.activity:
            one = rng.integers(0, self.n_players, n)
            other = (one + rng.integers(1, self.n_players, n)) % self.n_players
            return one.astype(np.int32), other.astype(np.int32)
        ends = self._activities
        starts = np.concatenate(([0.0], ends[:-1]))
        first = np.minimum(np.searchsorted(ends, rng.random(n) * ends[-1], side="right"), self.n_players - 1)
        # a point on the line of all activities with the first player's part cut out
        own = ends[first] - starts[first]
        point = rng.random(n) * (ends[-1] - own)
        point = np.where(point < starts[first], point, point + own)
        second = np.minimum(np.searchsorted(ends, point, side="right"), self.n_players - 1)
        second = np.where(first == second, (second + 1) % self.n_players, second)
        return first.astype(np.int32), second.astype(np.int32)

    @cached_property
    def _activities(self) -> Floats:
        return np.exp(self.activity * self._rng(_ACTIVITY).standard_normal(self.n_players)).cumsum()

    def _rng(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=purpose))


def simulate_strengths(
    n_players: int, n_matches: int, *, sd: float = 200.0, draws: float = 0.0, activity: float = 0.0, seed: int = 0
) -> Matches:
    """Matches between players of normal strength; `StrengthGame` has the true skills, and batches for long records.

    >>> matches = simulate_strengths(100, 5000, sd=200, draws=0.1, seed=1)
    >>> len(matches), round(matches.draw_rate, 2)
    (5000, 0.1)
    """
    return _joined(StrengthGame(n_players, sd, draws, activity, seed), n_matches)


def simulate_coin(
    n_players: int, n_matches: int, *, draws: float = 0.0, activity: float = 0.0, seed: int = 0
) -> Matches:
    """Matches decided by a coin.

    >>> round(float(simulate_coin(10, 4000, seed=1).pairs.score.mean()), 1)
    0.5
    """
    return _joined(StrengthGame(n_players, 0.0, draws, activity, seed), n_matches)


def _joined(game: StrengthGame, n_matches: int) -> Matches:
    if n_matches < 1:
        raise LudometerError(f"at least 1 match has to be played, not {n_matches}")
    parts = [batch.pairs for batch in game.batches(n_matches)]
    columns = (np.concatenate([getattr(part, name) for part in parts]) for name in ("first", "second", "halves"))
    return Matches.of_pairs(*columns, players=Players.numbered(game.n_players), ordered=True)
