"""Smith's dynamic systems: a step that may depend on the difference or shrink, and retirement that keeps the sum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings.periods import days_of
from ludometer.ratings.systems.steps import (
    Curve,
    Step,
    check_step,
    describe,
    largest_step,
    spacing,
    tabulate_curve,
    tabulate_half_step,
)
from ludometer.ratings.systems.tuning import Knob
from ludometer.scale import expected_score, from_elo, to_elo


@dataclass(frozen=True)
class DynamicState:
    """Players' rows and the league's own numbers, in natural units around the start rating."""

    player: Floats
    """(players, columns): the rating first."""
    league: Floats


@dataclass(frozen=True)
class Dynamic:
    """After a game R_1 += (h / 2) (S - E), R_2 -= (h / 2) (S - E), E = wp(R_1 - R_2): Smith 1994, equation 68.

    h is a number or a function of the size of the difference, in Elo points; steps at which ratings would be unstable
    are refused. The curve wp is the logistic one, which makes this Elo with k = h / 2, or any function of the
    difference. With `retire_after` a player who has not played for so many days retires: the points they won since they
    entered are shared out equally among those who stay, and taken back if they return, so that the mean of active
    players stays where newcomers enter. That needs times; choose more days than any break of the whole league.

    >>> system = Dynamic(h=64)
    >>> state, expected = system.play(system.start(2), Matches.of_pairs([0, 0], [1, 1], [1, 1]))
    >>> expected.round(3).tolist(), system.ratings(state).round(1).tolist()
    ([0.5, 0.546], [1530.5, 1469.5])
    """

    h: Step = 64.0
    start_rating: float = 1500.0
    curve: Curve | None = None
    retire_after: float | None = None
    in_sample: bool | None = None
    """Whether a fitted h is scored on the matches that it was fitted to."""
    name: ClassVar[str] = "dynamic"

    def __post_init__(self) -> None:
        check_numbers(h=self.h, start_rating=self.start_rating)
        if self.retire_after is not None and not (math.isfinite(self.retire_after) and self.retire_after > 0):
            raise LudometerError(f"players retire after a number of days above 0, not {self.retire_after}")
        check_step(self.h, curve=self.curve)

    @property
    def tunable(self) -> tuple[Knob, ...]:
        """The step, unless it is a function."""
        return () if callable(self.h) else (step_knob(self.curve),)

    @property
    def parameters(self) -> dict[str, Any]:
        """h and the start rating; the curve and retirement where they are given."""
        return listed(
            h=describe(self.h),
            start_rating=self.start_rating,
            curve=describe(self.curve),
            retire_after=self.retire_after,
            in_sample=self.in_sample,
        )

    def start(self, n_players: int) -> DynamicState:
        """Everybody at the start rating."""
        from ludometer.kernels.systems.dynamic import empty_league

        return DynamicState(self._newcomers(n_players), empty_league())

    def play(self, state: DynamicState, matches: Matches) -> tuple[DynamicState, Floats]:
        """Play the matches in order."""
        from ludometer.kernels.systems.dynamic import dynamic_pass, retiring_pass

        pairs = matches.pairs
        grown = max(len(matches.players) - len(state.player), 0)
        player, league = np.concatenate((state.player, self._newcomers(grown))), state.league.copy()
        expected = np.empty(len(pairs))
        first, second, halves = pairs.first, pairs.second, pairs.halves
        half, steps = self._half_step
        if self.retire_after is None:
            dynamic_pass(first, second, halves, player, half, self._table, steps, spacing(), expected)
        else:
            day, idle = days_of(matches, "retirement"), float(self.retire_after)
            retiring_pass(
                first, second, halves, day, player, league, idle, half, self._table, steps, spacing(), expected
            )
        return DynamicState(player, league), expected

    def enter(
        self,
        state: DynamicState,
        players: Codes,
        rating: Floats,
        sd: Floats,  # noqa: ARG002 - there are none here
        matches: Matches,  # noqa: ARG002
    ) -> DynamicState:
        """The state with new players at these ratings; there is no place for their SDs."""
        if self.retire_after is not None:
            raise LudometerError("players cannot start at given ratings where they retire: leave out one of the two")
        return _entered(state, players, rating - self.start_rating)

    def ratings(self, state: DynamicState) -> Floats:
        """In Elo points, around the start rating; retired players keep theirs."""
        return self.start_rating + to_elo(self._natural(state))

    def expect(self, state: DynamicState, first: Codes, second: Codes) -> Floats:
        """The curve of the rating differences."""
        natural = self._natural(state)
        return read(self._table, natural[first] - natural[second])

    def _natural(self, state: DynamicState) -> Floats:
        from ludometer.kernels.systems.dynamic import linked_ratings

        return state.player[:, 0] if self.retire_after is None else linked_ratings(state.player, state.league)

    def _newcomers(self, n_players: int) -> Floats:
        from ludometer.kernels.systems.dynamic import linked_players

        return np.zeros((n_players, 1)) if self.retire_after is None else linked_players(n_players, 0.0)

    @cached_property
    def _table(self) -> Floats:
        return tabulate_curve(self.curve)

    @cached_property
    def _half_step(self) -> tuple[float, Floats]:
        return tabulate_half_step(self.h)


@dataclass(frozen=True)
class DynamicShrinking:
    """The dynamic system with h_t = h (G_1 G_2)^(-1/3), G_i the games of the two so far with this one.

    Smith 1994, section 5: the first games move a rating most. With a `floor` h_t never falls below it, so that ratings
    still follow players whose strength changes.

    >>> system = DynamicShrinking(h=240)
    >>> state, _ = system.play(system.start(2), Matches.of_pairs([0, 0], [1, 1], [1, 0]))
    >>> system.ratings(state).round(1).tolist()
    [1509.6, 1490.4]
    """

    h: float = 240.0
    floor: float = 0.0
    start_rating: float = 1500.0
    curve: Curve | None = None
    in_sample: bool | None = None
    """As in `Dynamic`."""
    name: ClassVar[str] = "dynamic-shrinking"

    def __post_init__(self) -> None:
        if callable(self.h):
            raise LudometerError("a shrinking step is a number, the step at the first game")
        check_numbers(h=self.h, floor=self.floor, start_rating=self.start_rating)
        if self.floor < 0 or self.floor > self.h:
            raise LudometerError(f"the floor of the step must be from 0 to h = {self.h:g}, not {self.floor:g}")
        check_step(self.h, curve=self.curve)

    @property
    def tunable(self) -> tuple[Knob, ...]:
        """The step at the first game and the one below which it does not fall."""
        return (step_knob(self.curve), Knob("floor", 0.1, largest_step(self.curve), start=20.0))

    @property
    def parameters(self) -> dict[str, Any]:
        """h, its floor and the start rating; the curve where it is given."""
        return listed(
            h=self.h,
            floor=self.floor,
            start_rating=self.start_rating,
            curve=describe(self.curve),
            in_sample=self.in_sample,
        )

    def start(self, n_players: int) -> DynamicState:
        """Everybody at the start rating, without games."""
        return DynamicState(np.zeros((n_players, 2)), np.empty(0))

    def play(self, state: DynamicState, matches: Matches) -> tuple[DynamicState, Floats]:
        """Play the matches in order."""
        from ludometer.kernels.systems.dynamic import inverse_roots, shrinking_pass

        pairs = matches.pairs
        grown = max(len(matches.players) - len(state.player), 0)
        player = np.concatenate((state.player, np.zeros((grown, 2))))
        expected = np.empty(len(pairs))
        step, lowest = from_elo(self.h / 2), from_elo(self.floor / 2)
        results = (pairs.first, pairs.second, pairs.halves)
        shrinking_pass(*results, player, step, lowest, inverse_roots(), self._table, spacing(), expected)
        return DynamicState(player, state.league), expected

    def enter(
        self,
        state: DynamicState,
        players: Codes,
        rating: Floats,
        sd: Floats,  # noqa: ARG002 - there are none here
        matches: Matches,  # noqa: ARG002
    ) -> DynamicState:
        """The state with new players at these ratings, without games; there is no place for their SDs."""
        return _entered(state, players, rating - self.start_rating)

    def ratings(self, state: DynamicState) -> Floats:
        """In Elo points, around the start rating."""
        return self.start_rating + to_elo(state.player[:, 0])

    def expect(self, state: DynamicState, first: Codes, second: Codes) -> Floats:
        """The curve of the rating differences."""
        return read(self._table, state.player[first, 0] - state.player[second, 0])

    @cached_property
    def _table(self) -> Floats:
        return tabulate_curve(self.curve)


def step_knob(curve: Curve | None = None) -> Knob:
    """h from 0.3 up to the largest stable step."""
    largest = largest_step(curve)
    return Knob("h", largest / 4096, largest)


def _entered(state: DynamicState, players: Codes, above_start: Floats) -> DynamicState:
    """With new players this far above the start rating."""
    grown = max(int(players.max(initial=-1)) + 1 - len(state.player), 0)
    player = np.concatenate((state.player, np.zeros((grown, state.player.shape[1]))))
    player[players, 0] = from_elo(above_start)
    return DynamicState(player, state.league)


def read(table: Floats, difference: Floats) -> Floats:
    """The curve at differences in natural units, by its table; without one the logistic curve."""
    from ludometer.kernels.systems.curve_table import read_table

    if not len(table):
        return expected_score(to_elo(difference))
    return read_table(table, -spacing() * (len(table) - 1) / 2, 1 / spacing(), difference)


def check_numbers(**values: Any) -> None:
    """Refuse parameters that are not finite numbers; functions pass."""
    for word, value in values.items():
        if callable(value):
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise LudometerError(f"{word.replace('_', ' ')} must be a number, not {value!r}")


def listed(**values: Any) -> dict[str, Any]:
    """Parameters by name, without those that are None."""
    return {word: value for word, value in values.items() if value is not None}
