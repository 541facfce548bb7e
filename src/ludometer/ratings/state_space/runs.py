"""Prequential runs of the filter: candidates of parameters side by side, each match forecast before it is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ludometer.arrays import Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.state_space import filter as rows
from ludometer.matches import Matches
from ludometer.ratings.state_space.packing import days_of, pack_tables, pack_values
from ludometer.ratings.state_space.parameters import Parameters

LANES = lanes.WIDTH


class Run(Protocol):
    """Up to eight candidates on their way through a record."""

    def play(self, start: int, stop: int) -> Floats:
        """The weighted log losses of the matches from start to before stop: (matches, candidates)."""
        ...


class Runs(Protocol):
    """A record on which candidates can be run."""

    def __len__(self) -> int:
        """Matches."""
        ...

    def n_results(self, start: int) -> int:
        """Results between two sides from a match on."""
        ...

    def begin(self, candidates: Sequence[Parameters]) -> Run:
        """A run of up to eight candidates from the beginning."""
        ...


@dataclass(frozen=True, eq=False)
class PairRuns:
    """Two-player matches as the filter takes them."""

    matches: Matches
    day: Floats
    seat: Halves
    weight: Floats
    most_played: int

    @classmethod
    def of(cls, matches: Matches, clock: float = -np.inf) -> PairRuns:
        """With times in days."""
        has_seats = not isinstance(matches.advantage, str) or matches.advantage == "order"
        seat = matches.advantages if has_seats else np.zeros(0, np.int8)
        weight = np.zeros(0) if matches.weight is None else matches.weight
        day = days_of(matches.time, len(matches), clock)
        for own in (day, seat, weight):
            # the columns of a record are read-only, and one kind of array is one compilation
            own.flags.writeable = False
        return cls(matches, day, seat, weight, int(matches.counts.max(initial=0)))

    def __len__(self) -> int:
        return len(self.matches)

    def n_results(self, start: int) -> int:
        """Matches from a match on."""
        return len(self.matches) - start

    def begin(self, candidates: Sequence[Parameters]) -> _PairRun:
        """A run of up to eight candidates from the beginning."""
        spare = [candidates[0]] * (LANES - len(candidates))
        return _PairRun(self, [*candidates, *spare], len(candidates))


class _PairRun:
    def __init__(self, runs: PairRuns, candidates: Sequence[Parameters], n_wanted: int) -> None:
        n_players = len(runs.matches.players)
        self.runs, self.n_wanted = runs, n_wanted
        self.career = new_careers(n_players)
        self.belief = lanes.allocate(n_players * rows.ROWS, LANES)
        self.level = lanes.allocate(rows.LEVELS, LANES)
        self.clock = np.array([-np.inf])
        self.values = align(pack_values(candidates))
        self.tables = align(pack_tables(candidates, runs.most_played))

    def play(self, start: int, stop: int) -> Floats:
        """The weighted log losses of these matches: (matches, candidates)."""
        runs, pairs = self.runs, self.runs.matches.pairs
        loss, none = lanes.allocate(stop - start, LANES), np.empty((0, LANES))
        part = slice(start, stop)
        play_pairs(
            pairs.first[part],
            pairs.second[part],
            pairs.halves[part],
            runs.day[part],
            runs.seat[part],
            runs.weight[part],
            self.career,
            self.belief,
            self.level,
            self.clock,
            self.values,
            self.tables,
            none,
            none,
            loss,
        )
        return loss[:, : self.n_wanted]


def play_pairs(*arguments: Any) -> None:
    """The compiled pass; without a compiler the same code as plain Python."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
        rows.filter_pass(*arguments)


def new_careers(n_players: int) -> Floats:
    """Players who have not played."""
    career = np.zeros((n_players, rows.COLUMNS))
    career[:, rows.LAST] = -np.inf
    return career


def align(array: Floats) -> Floats:
    """On a cache line's boundary, with whole vectors of lanes."""
    packed = lanes.allocate(*array.shape)
    packed[:] = array
    return packed
