"""What federations do to ratings: updates per period, average opponents, floors, bonus points, newcomers' means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings.periods import check_periods, periods_of
from ludometer.ratings.systems.dynamic import check_numbers, listed
from ludometer.ratings.systems.tuning import Knob
from ludometer.scale import expected_score, from_elo, to_elo


@dataclass(frozen=True)
class FederationState:
    """Players' rows with the sums of the current period, who plays in it, and the points created so far."""

    player: Floats
    members: Codes
    clock: Counts
    """The current period, and the number of players in it."""
    created: Floats
    n_matches: int


@dataclass(frozen=True)
class Federation:
    """Elo that changes ratings at the end of each period only, with the options of real federations, all off.

    A period has so many days or `period_matches`; with neither see `Glicko2`. With `averages` a player's expectation is
    their number of matches times the expectation against the mean rating of their opponents, which is not the sum of
    the expectations. `floor`: no rating falls below it. `drop`: no rating falls more than this below its maximum.
    `bonus`: gains in a period above bonus times the root of its matches count twice. `newcomer_mean`: newcomers of a
    period are shifted to this mean. Each option creates or destroys points: `created` counts them.

    >>> league = Federation(k=32, floor=1490)
    >>> state, _ = league.play(league.start(2), Matches.of_pairs([0], [1], [1]))
    >>> league.ratings(state).tolist(), league.created(state)["floor"]
    ([1516.0, 1490.0], 6.0)
    """

    k: float = 32.0
    period: float | None = None
    period_matches: int | None = None
    averages: bool = False
    floor: float | None = None
    drop: float | None = None
    bonus: float | None = None
    newcomer_mean: float | None = None
    start_rating: float = 1500.0
    name: ClassVar[str] = "federation"
    tunable: ClassVar[tuple[Knob, ...]] = (Knob("k", 0.1, 1000.0),)

    def __post_init__(self) -> None:
        check_numbers(k=self.k, start_rating=self.start_rating)
        given = {word: getattr(self, word) for word in ("floor", "drop", "bonus", "newcomer_mean")}
        check_numbers(**listed(**given))
        if self.k < 0 or (self.drop or 0) < 0 or (self.bonus or 0) < 0:
            raise LudometerError("k, drop and bonus must be from 0 up")
        if self.floor is not None and self.floor > self.start_rating:
            raise LudometerError(f"the floor {self.floor:g} is above the start rating {self.start_rating:g}")
        check_periods(self.period, self.period_matches)

    @property
    def parameters(self) -> dict[str, Any]:
        """k, the start rating and the options that are on."""
        return listed(
            k=self.k,
            start_rating=self.start_rating,
            period=self.period,
            period_matches=self.period_matches,
            averages=self.averages or None,
            floor=self.floor,
            drop=self.drop,
            bonus=self.bonus,
            newcomer_mean=self.newcomer_mean,
        )

    def start(self, n_players: int) -> FederationState:
        """Everybody at the start rating."""
        from ludometer.kernels.systems.federation import new_members

        return FederationState(
            new_members(n_players), np.zeros(n_players, np.int32), np.zeros(2, np.int64), np.zeros(4), 0
        )

    def play(self, state: FederationState, matches: Matches) -> tuple[FederationState, Floats]:
        """Play the matches in order."""
        from ludometer.kernels.systems.federation import federation_pass, new_members

        pairs = matches.pairs
        games = None if self.period_matches is None else int(self.period_matches)
        period, _ = periods_of(matches, state.n_matches, days=self.period, games=games)
        grown = max(len(matches.players) - len(state.player), 0)
        player = np.concatenate((state.player, new_members(grown)))
        members = np.concatenate((state.members, np.zeros(grown, np.int32)))
        clock, created, expected = state.clock.copy(), state.created.copy(), np.empty(len(pairs))
        results = (pairs.first, pairs.second, pairs.halves)
        federation_pass(*results, period, player, members, clock, created, self._rules, self.averages, expected)
        return FederationState(player, members, clock, created, state.n_matches + len(pairs)), expected

    def ratings(self, state: FederationState) -> Floats:
        """In Elo points; the last period counts as over."""
        return self.start_rating + to_elo(self._closed(state)[0][:, 0])

    def expect(self, state: FederationState, first: Codes, second: Codes) -> Floats:
        """The logistic curve of the rating differences."""
        rating = self.ratings(state)
        return expected_score(rating[first] - rating[second])

    def created(self, state: FederationState) -> dict[str, float]:
        """Elo points that did not come from opponents, by cause: the sum of ratings has changed by their total."""
        causes = ("averaging", "bonus", "floor", "newcomers")
        return dict(zip(causes, to_elo(self._closed(state)[1]).tolist(), strict=True))

    def _closed(self, state: FederationState) -> tuple[Floats, Floats]:
        from ludometer.kernels.systems.federation import close_period

        player, created, clock = state.player.copy(), state.created.copy(), state.clock.copy()
        close_period(player, state.members, clock, created, self._rules, self.averages)
        return player, created

    @property
    def _rules(self) -> Floats:
        limits = (math.inf if value is None else from_elo(value) for value in (self.drop, self.bonus))
        lowest = -math.inf if self.floor is None else from_elo(self.floor - self.start_rating)
        mean = math.nan if self.newcomer_mean is None else from_elo(self.newcomer_mean - self.start_rating)
        return np.array([from_elo(self.k), lowest, *limits, mean])
