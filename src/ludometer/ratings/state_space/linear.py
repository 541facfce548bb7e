"""The state-space model over matches of any kind: teams, several sides, covariates, margins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ludometer.arrays import Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.state_space import filter as rows
from ludometer.kernels.state_space import linear as kernel
from ludometer.matches import Matches
from ludometer.ratings.state_space.design import Design, Known, Sides, make_design
from ludometer.ratings.state_space.effects import Effect
from ludometer.ratings.state_space.packing import days_of, pack_tables, pack_values
from ludometer.ratings.state_space.parameters import YEAR, Parameters
from ludometer.ratings.state_space.runs import LANES, _aligned, new_careers
from ludometer.scale import from_elo


def pack_extras(parameters: Sequence[Parameters]) -> Floats:
    """(EXTRAS, candidates)."""
    extras = np.empty((kernel.EXTRAS, len(parameters)))
    for lane, one in enumerate(parameters):
        extras[kernel.LATER, lane] = one.later_places
        extras[kernel.MARGIN_GAIN, lane] = one.margin / from_elo(100.0)
        extras[kernel.MARGIN_NOISE, lane] = one.margin_noise**2
    return extras


def pack_kinds(parameters: Sequence[Sequence[Effect]]) -> Floats:
    """(effects x KIND_ROWS, candidates), from the effects of each candidate."""
    kinds = np.zeros((len(parameters[0]), kernel.KIND_ROWS, len(parameters)))
    for lane, effects in enumerate(parameters):
        for number, effect in enumerate(effects):
            kinds[number, kernel.PRIOR, lane] = from_elo(effect.sd) ** 2
            kinds[number, kernel.EFFECT_DRIFT, lane] = from_elo(effect.drift) ** 2 / YEAR if effect.sd else 0.0
    return kinds.reshape(-1, len(parameters))


def margins(matches: Matches, sides: Sides) -> Floats:
    """log(1 + the difference of the scores) of each match of two sides, from the first side's view; NaN if unknown.

    Who is ahead is what the result says, so that low scores may be the good ones. The score of a side is the mean over
    its players, whether they carry the score of the side or a part of it each.
    """
    if matches.score is None:
        return np.zeros(0)
    score = np.add.reduceat(matches.score[sides.seats], sides.starts[:-1]) / sides.sizes
    two = np.flatnonzero(np.diff(sides.sides) == 2)
    first = sides.sides[two]
    margin = np.full(len(matches), np.nan)
    ahead = np.sign(sides.place[first + 1] - sides.place[first])
    margin[two] = ahead * np.log1p(np.abs(score[first] - score[first + 1]))
    return margin if np.isfinite(margin).any() else np.zeros(0)


@dataclass(frozen=True, eq=False)
class LinearRuns:
    """Matches of any kind as the linear filter takes them."""

    matches: Matches
    sides: Sides
    day: Floats
    seat: Halves
    weight: Floats
    margin: Floats
    most_played: int
    by_order: bool = False
    """Whether candidates are judged by whole finishing orders, or by winners."""
    designs: dict[tuple[Effect, ...], Design] = field(default_factory=dict)

    @classmethod
    def of(cls, matches: Matches, clock: float = -np.inf, *, by_order: bool = False) -> LinearRuns:
        """With times in days."""
        has_seats = not isinstance(matches.advantage, str) or matches.advantage == "order"
        seat = matches.advantages if has_seats else np.zeros(0, np.int8)
        weight = np.zeros(0) if matches.weight is None else matches.weight
        day = days_of(matches.time, len(matches), clock)
        sides = Sides.of(matches)
        most = int(matches.counts.max(initial=0))
        return cls(matches, sides, day, seat, weight, margins(matches, sides), most, by_order)

    def __len__(self) -> int:
        return len(self.matches)

    def begin(self, candidates: Sequence[Parameters]) -> _LinearRun:
        """A run of up to eight candidates from the beginning."""
        every = [*candidates, *candidates[:1] * (LANES - len(candidates))]
        on = [n for n, _ in enumerate(every[0].effects) if any(one.effects[n].sd for one in every)]
        effects = [[one.effects[n] for n in on] for one in every]
        return _LinearRun(self, self.design(effects[0]), every, effects, len(candidates))

    def design(self, effects: Sequence[Effect]) -> Design:
        """The design with these effects, whatever their size."""
        key = tuple(Effect(one.column, one.of, centre=one.centre, unit=one.unit) for one in effects)
        if key not in self.designs:
            known = [Known() for _ in effects]
            self.designs[key] = make_design(self.matches, effects, known, len(self.matches.players), self.sides)
        return self.designs[key]


class _LinearRun:
    def __init__(
        self,
        runs: LinearRuns,
        design: Design,
        candidates: Sequence[Parameters],
        effects: Sequence[Sequence[Effect]],
        n_wanted: int,
    ) -> None:
        self.runs, self.design, self.n_wanted = runs, design, n_wanted
        n_entities = design.n_players + len(design.kind)
        self.career = new_careers(n_entities)
        self.belief = lanes.allocate(n_entities * rows.ROWS, LANES)
        self.level = lanes.allocate(rows.LEVELS, LANES)
        self.clock = np.array([-np.inf])
        self.values, self.extras = _aligned(pack_values(candidates)), _aligned(pack_extras(candidates))
        self.tables, self.kinds = _aligned(pack_tables(candidates, runs.most_played)), _aligned(pack_kinds(effects))
        self.scratch = lanes.allocate(kernel.scratch_rows(design.most_sides, design.most_terms), LANES)
        self.has_margin = any(one.margin for one in candidates)

    def play(self, start: int, stop: int) -> Floats:
        """The weighted log losses of these matches: (matches, candidates)."""
        runs, design, part = self.runs, self.design, slice(start, stop)
        loss = lanes.allocate(stop - start, LANES)
        kernel.linear_pass(
            design.sides.sides[start : stop + 1],
            design.terms,
            design.entity,
            design.load,
            design.slot,
            design.sides.place,
            design.sides.ranked,
            runs.day[part],
            runs.seat[part],
            runs.weight[part],
            runs.margin[part] if self.has_margin else np.zeros(0),
            design.kind,
            self.kinds,
            self.career,
            self.belief,
            self.level,
            self.clock,
            self.values,
            self.extras,
            self.tables,
            np.empty((0, LANES)),
            loss,
            self.scratch,
            runs.by_order,
        )
        return loss[:, : self.n_wanted]
