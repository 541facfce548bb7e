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
from ludometer.ratings.state_space.packing import days_of
from ludometer.ratings.state_space.parameters import YEAR
from ludometer.ratings.state_space.smoother import Smoother, Timeline
from ludometer.ratings.state_space.system import FilterState, FittedStateSpace

_DRAWS = 16
"""Draws for the errors of a refit, of which a forecast needs the rough size."""
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
    [0.5, 0.426, 0.675]
    """

    system: FittedStateSpace = field(default_factory=FittedStateSpace)
    days: float = 90.0
    name: ClassVar[str] = "state-space"
    uses: ClassVar[tuple[str, ...]] = ("advantage", "weight")

    def __post_init__(self) -> None:
        if not (np.isfinite(self.days) and self.days > 0):
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
