"""The filter with hindsight: every so many days its past is smoothed again, and it goes on from there.

Forecasts use only matches before them: a refit takes in what was played before its period, and what it says about the
players' last match days takes the place of what the filter had come to believe.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ludometer.arrays import Codes, Floats, Halves
from ludometer.errors import LudometerError
from ludometer.kernels.state_space import filter as rows
from ludometer.matches import Matches
from ludometer.ratings.state_space.history import WITHOUT_FORM
from ludometer.ratings.state_space.packing import days_of
from ludometer.ratings.state_space.parameters import YEAR, Parameters
from ludometer.ratings.state_space.smoother import Smoother, Timeline
from ludometer.ratings.state_space.system import FilterState, FittedStateSpace, StateSpace

_DRAWS = 16
"""Draws for the errors of a refit, of which a forecast needs the rough size."""
_LATER, _REFITS = 0.7, 4
"""Parameters are judged on the matches after this share of a record, with so many refits."""
_MOST_REPEATS, _LEAST_GAIN = 4, 2e-5
"""A change is repeated at most so often, and kept if it gains so much per match."""
_RECENT = 2 * YEAR
"""Errors are those above the mean of players whose last match is no older than this."""


@dataclass(frozen=True, eq=False)
class RefitState:
    """What the filter believes, and all matches so far."""

    filtered: FilterState
    past: Matches | None = None
    """With times in days; the present period included."""
    period: float = -np.inf
    """The number of the period of the last match."""


@dataclass(frozen=True)
class RefitStateSpace:
    """The filter whose past is smoothed again every `days` days; without times, every so many matches.

    >>> system = RefitStateSpace(FittedStateSpace(), days=90)
    >>> matches = Matches.of_pairs([0, 1, 0], [1, 2, 2], [1, 1, 0.5], time=[0, 50, 200])
    >>> system.play(system.start(3), matches)[1].round(3).tolist()
    [0.5, 0.386, 0.807]
    """

    system: FittedStateSpace = field(default_factory=FittedStateSpace)
    days: float = 90.0
    name: ClassVar[str] = "state-space"
    uses: ClassVar[tuple[str, ...]] = ("advantage", "weight")

    def __post_init__(self) -> None:
        if not self.days > 0:
            raise LudometerError(f"refit is a number of days above 0, not {self.days}")
        if self.system.values.form:
            raise LudometerError("a refit has no part for form: fit the parameters without it (form 0)")

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of the filter, and when it is refitted."""
        return self.system.parameters | {"refit": self.days}

    @property
    def in_sample(self) -> bool | None:
        """Whether the parameters were fitted to what is scored."""
        return self.system.in_sample

    def start(self, n_players: int) -> RefitState:
        """Nobody has played."""
        return RefitState(self.system.start(n_players))

    def play(self, state: RefitState, matches: Matches) -> tuple[RefitState, Floats]:
        """Play the matches in order, period by period; the past is smoothed at the first match of a period."""
        day = days_of(matches.time, len(matches), state.filtered.clock)
        plain = Matches(matches.players, matches.pairs, day, weight=matches.weight, advantage=matches.advantages)
        period = np.floor(day / self.days)
        begins = np.flatnonzero(np.diff(period, prepend=np.nan) != 0).tolist()
        expected = np.empty(len(matches))
        filtered, past, last = state.filtered, state.past, state.period
        for begin, end in zip(begins, [*begins[1:], len(matches)], strict=True):
            part = plain.part(begin, end)
            if period[begin] != last and past is not None:
                filtered = self._refit(filtered, past)
            filtered, expected[begin:end] = self.system.play(filtered, part)
            past, last = part if past is None else _joined(past, part), float(period[begin])
        return RefitState(filtered, past, last), expected

    def ratings(self, state: RefitState) -> Floats:
        """In Elo points, of all matches so far with hindsight."""
        return self.system.ratings(self._concluded(state))

    def uncertainty(self, state: RefitState) -> Floats:
        """The SD of each rating at the time of the last match."""
        return self.system.uncertainty(self._concluded(state))

    def expect(self, state: RefitState, first: Codes, second: Codes, seat: Halves | int = 0) -> Floats:
        """What each first player is expected to score at the time of the last match."""
        return self.system.expect(self._concluded(state), first, second, seat)

    def _concluded(self, state: RefitState) -> FilterState:
        return state.filtered if state.past is None else self._refit(state.filtered, state.past)

    def _refit(self, state: FilterState, past: Matches) -> FilterState:
        """The filter's beliefs replaced by those of the smoother."""
        timeline = Timeline.of(past)
        smoother = Smoother(past, timeline, self.system.values)
        mode = smoother.find_expected()
        n_levels, played = smoother.tree.n_levels, np.diff(timeline.chain) > 0
        last = (timeline.chain[1:] - 1)[played]
        anchor = np.zeros(len(timeline))
        anchor[last[timeline.day[last] >= state.clock - _RECENT]] = 1.0
        bands = smoother.find_bands(mode, anchor=anchor, n_draws=_DRAWS)
        belief, level = state.belief.copy(), state.level.copy()
        players = np.flatnonzero(played)
        belief[players, rows.MEAN] = mode.strength[n_levels:][last]
        belief[players, rows.VARIANCE] = bands.variance[last]
        level[rows.ENTRY_LEVEL] = mode.strength[n_levels - 1]
        level[rows.MEAN_LEVEL] = smoother.mean_level(mode)
        return replace(state, belief=belief, level=level)


_CHANGES: tuple[dict[str, float], ...] = (
    {"information": 1.0},
    {"learning": 0.0, "spread": -1.5},
    {"learning": 0.0},
    {"young_drift": 0.0},
    {"pairing": 0.0, "pairing_new": 0.0},
    {"spread": -1.25},
    {"drift": -0.8},
    {"drift": -1.25},
    {"opponent_share": 0.0},
)
"""What is tried in this order: a parameter is set to a value, or multiplied by what follows the minus sign."""


def _changed(values: Parameters, change: dict[str, float], given: dict[str, Any]) -> Parameters:
    """Parameters after a change, which leaves those that were given as they are."""
    wanted = {name: value if value >= 0 else -value * getattr(values, name) for name, value in change.items()}
    sets = [name for name, value in change.items() if value >= 0]
    if sets and all(getattr(values, name) == change[name] for name in sets):
        # it is off already
        return values
    return values.moved({name: value for name, value in wanted.items() if name not in given})


@dataclass(frozen=True)
class Refit:
    """The system before it is fitted: the filter's parameters first, then what pays with hindsight.

    What makes up for a newcomer's lack of a past may pay in a filter and cost in a refit, which sees more of it. So
    ingredients are taken out, and spread and drift moved, as long as the later part of the record is forecast better.
    """

    system: StateSpace = field(default_factory=StateSpace)
    days: float = 90.0
    name: ClassVar[str] = "state-space"
    uses: ClassVar[tuple[str, ...]] = RefitStateSpace.uses

    def __post_init__(self) -> None:
        RefitStateSpace(days=self.days)

    @property
    def parameters(self) -> dict[str, Any]:
        """Those that were given."""
        return self.system.parameters | {"refit": self.days}

    @property
    def untuned(self) -> RefitStateSpace:
        """With the parameters that are used when none is fitted."""
        return RefitStateSpace(self.system.untuned, self.days)

    def fitted(self, matches: Matches, *, in_sample: bool) -> RefitStateSpace:
        """The system with parameters for these matches."""
        plain = replace(matches, score=None, covariates={}, seat_covariates={})
        given = dict(self.system.given)
        filtered = replace(self.system, given={**WITHOUT_FORM, **given}).fitted(plain, in_sample=in_sample)
        if filtered.fit is None:
            return RefitStateSpace(filtered, self.days)
        begin = int(_LATER * len(plain))
        judge = _Judge(self.days, plain, begin)
        best, least = filtered.values, judge.loss(filtered)
        for change in _CHANGES:
            for _ in range(_MOST_REPEATS):
                values = _changed(best, change, given)
                loss = least if values == best else judge.loss(replace(filtered, values=values))
                if not loss < least - _LEAST_GAIN:
                    break
                best, least = values, loss
        # errors are those of the filter's fit, and hold for what has not changed since
        errors = {
            name: error
            for name, error in filtered.fit.errors.items()
            if getattr(best, name, None) == getattr(filtered.values, name, None)
        }
        fit = replace(filtered.fit, parameters=best, errors=errors)
        return RefitStateSpace(replace(filtered, values=best, fit=fit), self.days)


@dataclass(frozen=True, eq=False)
class _Judge:
    """The later part of a record, to be forecast with a few refits."""

    days: float
    matches: Matches
    begin: int

    def loss(self, system: FittedStateSpace) -> float:
        """The mean log loss of the forecasts."""
        early, late = self.matches.part(0, self.begin), self.matches.part(self.begin, len(self.matches))
        day = days_of(late.time, len(late), -np.inf)
        refit = RefitStateSpace(system, max(self.days, float(np.ptp(day)) / _REFITS))
        # without a refit before the later part, and with one at its beginning
        state, _ = replace(refit, days=np.inf).play(refit.start(0), early)
        _, expected = refit.play(replace(state, period=-np.inf), late)
        score = late.pairs.score
        weight = np.ones(len(late)) if late.weight is None else late.weight
        return float(-np.average(score * np.log(expected) + (1 - score) * np.log1p(-expected), weights=weight))


def _joined(past: Matches, part: Matches) -> Matches:
    """One record of two, the second after the first."""
    pairs = (past.pairs, part.pairs)
    first, second, halves = (
        np.concatenate([getattr(own, name) for own in pairs]) for name in ("first", "second", "halves")
    )
    weights = [np.ones(len(own)) if own.weight is None else own.weight for own in (past, part)]
    has_weights = past.weight is not None or part.weight is not None
    assert past.time is not None
    assert part.time is not None
    return Matches(
        part.players,
        type(past.pairs)(first, second, halves),
        np.concatenate((past.time, part.time)),
        weight=np.concatenate(weights) if has_weights else None,
        advantage=np.concatenate((past.advantages, part.advantages)),
    )
