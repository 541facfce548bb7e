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
from ludometer.scale import expected_score, from_elo
from ludometer.simulate.tables import batch_size, check_table, draw_tables, generator, join_batches, seat_matches
from ludometer.wording import percent

_SKILL, _ACTIVITY, _DRAWS, _MATCHES = range(4)


@dataclass(frozen=True)
class StrengthGame:
    """Players whose skills are normal with this SD (Elo points) meet at random; the better wins by the logistic curve.

    `draws` is the share of drawn matches (Davidson's model, which leaves the expected scores as they are); `activity`
    is the SD of the logarithm of how often a player plays: 0 for all alike, 1.2 for a platform with few busy players.
    More than two `per_match` finish by the rank-ordered logit (Plackett-Luce), without ties.
    """

    n_players: int
    sd: float = 200.0
    draws: float = 0.0
    activity: float = 0.0
    seed: int = 0
    per_match: int = 2

    def __post_init__(self) -> None:
        check_table(self.n_players, self.per_match, self.seed)
        if not 0 <= self.draws < 1:
            raise LudometerError(f"the share of draws must be from 0 to below 1, not {self.draws}")
        for name in ("sd", "activity"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise LudometerError(f"{name} must be a number from 0 up, not {value}")
        if self.activity > 10:
            raise LudometerError(f"activity is the SD of a logarithm: at most 10, not {self.activity}")
        if self.draws and self.per_match > 2:
            raise LudometerError(f"draws are for two-player matches, not for {self.per_match} players")

    @cached_property
    def skill(self) -> Floats:
        """The true skills in Elo points, by code."""
        return self.sd * generator(self.seed, _SKILL).standard_normal(self.n_players)

    @cached_property
    def nu(self) -> float:
        """Davidson's parameter at which the share of draws is what was asked for."""
        if not self.draws:
            return 0.0
        first, second = self._tables(generator(self.seed, _DRAWS), 1 << 17).T
        expected = expected_score(self.skill[first] - self.skill[second])
        nu = fit_draws(expected, self.draws)
        possible = float(draw_probability(expected, nu).mean())
        if possible < self.draws - 1e-3:
            raise LudometerError(
                f"with skills so far apart (SD {self.sd:g}) at most {percent(possible, 0)} of the matches can be "
                f"drawn, not {percent(self.draws, 0)}"
            )
        return nu

    def batches(self, n_matches: int) -> Iterator[Matches]:
        """The matches in batches of a fixed size."""
        players = Players.numbered(self.n_players)
        size = batch_size(self.per_match)
        for number, start in enumerate(range(0, n_matches, size)):
            rng = generator(self.seed, _MATCHES, number)
            table = self._tables(rng, size)
            kept = slice(n_matches - start)
            skill = self.skill[table]
            if self.per_match > 2:
                performance = from_elo(skill) + rng.gumbel(size=skill.shape)
                yield seat_matches(table[kept], performance[kept], players)
            else:
                halves = draw_results(expected_score(skill[:, 0] - skill[:, 1]), self.nu, rng)
                yield Matches.of_pairs(table[kept, 0], table[kept, 1], halves[kept], players=players, ordered=True)

    def _tables(self, rng: np.random.Generator, n: int) -> Codes:
        activities = self._activities if self.activity else None
        return draw_tables(rng, n, n_players=self.n_players, per_match=self.per_match, activities=activities)

    @cached_property
    def _activities(self) -> Floats:
        return np.exp(self.activity * generator(self.seed, _ACTIVITY).standard_normal(self.n_players)).cumsum()


def simulate_strengths(
    n_players: int,
    n_matches: int,
    *,
    sd: float = 200.0,
    draws: float = 0.0,
    activity: float = 0.0,
    per_match: int = 2,
    seed: int = 0,
) -> Matches:
    """Matches between players of normal strength; `StrengthGame` has the true skills, and batches for long records.

    >>> matches = simulate_strengths(100, 5000, sd=200, draws=0.1, seed=1)
    >>> len(matches), round(matches.draw_rate, 2)
    (5000, 0.1)
    """
    game = StrengthGame(n_players, sd, draws, activity, seed, per_match)
    return join_batches(game.batches(n_matches), Players.numbered(n_players))


def simulate_coin(
    n_players: int, n_matches: int, *, draws: float = 0.0, activity: float = 0.0, per_match: int = 2, seed: int = 0
) -> Matches:
    """Matches decided by a coin; those of more than two players by lot.

    >>> round(float(simulate_coin(10, 4000, seed=1).pairs.score.mean()), 1)
    0.5
    """
    game = StrengthGame(n_players, 0.0, draws, activity, seed, per_match)
    return join_batches(game.batches(n_matches), Players.numbered(n_players))
