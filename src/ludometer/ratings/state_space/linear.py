"""The state-space model over matches of any kind: teams, several sides, covariates, margins."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ludometer.arrays import Counts, Floats, Halves
from ludometer.errors import LudometerError, MatchDataError
from ludometer.kernels.runtime import lanes
from ludometer.kernels.state_space import filter as rows
from ludometer.kernels.state_space import linear as kernel
from ludometer.matches import Covariate, Matches, Pairs, Seats
from ludometer.players import Labels
from ludometer.ratings.prizes import WINNER, Prizes, seat_columns
from ludometer.ratings.state_space.design import Design, Known, Sides, make_design
from ludometer.ratings.state_space.effects import ADVANTAGE, PLAY, Effect
from ludometer.ratings.state_space.packing import days_of, pack_tables, pack_values
from ludometer.ratings.state_space.parameters import YEAR, Ingredient, Knob, Parameters
from ludometer.ratings.state_space.runs import LANES, align, new_careers
from ludometer.scale import from_elo

_MOST_VALUES = 0.5
"""A column of labels with more different values than this share of its rows is left out."""

_LOGISTIC_PER_NORMAL = 1.702
"""logistic(1.702 z) is never further than 0.0095 from Phi(z)."""

_log = logging.getLogger(__name__)


def pack_extras(parameters: Sequence[Parameters]) -> Floats:
    """(EXTRAS, candidates)."""
    extras = np.empty((kernel.EXTRAS, len(parameters)))
    for lane, one in enumerate(parameters):
        extras[kernel.LATER, lane] = min(one.later_places, 1.0)
        # the gain at which who is ahead follows the same logistic curve as results without margins
        extras[kernel.MARGIN_GAIN, lane] = one.margin / _LOGISTIC_PER_NORMAL
        extras[kernel.MARGIN_NOISE, lane] = one.margin**2
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

    @property
    def features(self) -> set[str]:
        """What the record has for ingredients that need it, beside its columns."""
        several = {"several sides"} if np.diff(self.sides.sides).max(initial=0) > 2 else set()
        return several | ({"margins"} if len(self.margin) else set())

    def n_results(self, start: int) -> int:
        """Results between two sides from a match on: one less than sides in each."""
        return int(np.diff(self.sides.sides)[start:].sum()) - (len(self) - start)

    def begin(self, candidates: Sequence[Parameters]) -> _LinearRun:
        """A run of up to eight candidates from the beginning, all with margins or all without."""
        every = [*candidates, *[candidates[0]] * (LANES - len(candidates))]
        on = [n for n, _ in enumerate(every[0].effects) if any(one.effects[n].sd for one in every)]
        effects = [[one.effects[n] for n in on] for one in every]
        return _LinearRun(self, self.design(effects[0]), every, effects, len(candidates))

    def design(self, effects: Sequence[Effect]) -> Design:
        """The design with these effects, whatever their size."""
        key = tuple(Effect(one.column, one.whose, centre=one.centre, unit=one.unit) for one in effects)
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
        self.values, self.extras = align(pack_values(candidates)), align(pack_extras(candidates))
        self.tables, self.kinds = align(pack_tables(candidates, runs.most_played)), align(pack_kinds(effects))
        self.scratch = lanes.allocate(kernel.scratch_rows(design.most_sides, design.most_terms), LANES)
        self.has_margin = any(one.margin for one in candidates)

    def play(self, start: int, stop: int) -> Floats:
        """The weighted log losses of these matches: (matches, candidates)."""
        loss = lanes.allocate(stop - start, LANES)
        _play(
            self.runs,
            self.design,
            slice(start, stop),
            self.kinds,
            (self.career, self.belief, self.level, self.clock),
            (self.values, self.extras, self.tables),
            np.empty((0, LANES)),
            np.empty((0, LANES)),
            loss,
            self.scratch,
            has_margin=self.has_margin,
        )
        return loss[:, : self.n_wanted]


def _play(
    runs: LinearRuns,
    design: Design,
    part: slice,
    kinds: Floats,
    state: tuple[Floats, Floats, Floats, Floats],
    packed: tuple[Floats, Floats, Floats],
    scaled: Floats,
    middle: Floats,
    loss: Floats,
    scratch: Floats,
    *,
    has_margin: bool,
) -> None:
    """The compiled pass over a part of the matches."""
    sides = design.sides
    kernel.linear_pass(
        sides.sides[part.start : part.stop + 1],
        design.terms,
        design.entity,
        design.load,
        design.slot,
        sides.place,
        sides.ranked,
        runs.day[part],
        runs.seat[part],
        runs.weight[part],
        runs.margin[part] if has_margin else np.zeros(0),
        design.kind,
        kinds,
        *state,
        *packed,
        scaled,
        middle,
        loss,
        scratch,
        runs.by_order,
    )


@dataclass(frozen=True, eq=False)
class EffectState:
    """What is believed of the entities of one effect."""

    known: Known
    belief: Floats
    """(entities, ROWS), like that of players."""
    career: Floats

    def __post_init__(self) -> None:
        n = len(self.known)
        if self.belief.shape != (n, rows.ROWS) or self.career.shape != (n, rows.COLUMNS):
            raise LudometerError(f"an effect with {n} entities, and beliefs of {len(self.belief)}")

    @classmethod
    def new(cls) -> EffectState:
        """Before any match."""
        return cls(Known(), np.zeros((0, rows.ROWS)), new_careers(0))


def play_sides(
    parameters: Parameters,
    runs: LinearRuns,
    belief: Floats,
    career: Floats,
    level: Floats,
    clock: Floats,
    effects: Sequence[EffectState],
) -> tuple[Floats, Floats, tuple[EffectState, ...]]:
    """Play all matches, moving players, level and clock in place.

    Returns kappa X of each side, the mean level of the players of each match, and the effects afterwards.
    """
    known = [one.known for one in effects] or [Known() for _ in parameters.effects]
    design = make_design(runs.matches, parameters.effects, known, len(career), runs.sides)
    olds = effects or [EffectState.new() for _ in parameters.effects]
    beliefs, careers = [belief], [career]
    for old, now in zip(olds, design.known, strict=True):
        n_new = len(now) - len(old.known)
        beliefs.append(np.concatenate((old.belief, np.zeros((n_new, rows.ROWS)))))
        careers.append(np.concatenate((old.career, new_careers(n_new))))
    every_belief, every_career = np.concatenate(beliefs), np.concatenate(careers)
    most = runs.most_played + int(career[:, rows.BEFORE : rows.TODAY + 1].sum(axis=1).max(initial=0))
    scaled, middle = np.empty(len(runs.sides.place)), np.empty(len(runs))
    packed = (pack_values([parameters]), pack_extras([parameters]), pack_tables([parameters], most))
    values, extras, tables = (one[:, 0].copy() for one in packed)
    _play(
        runs,
        design,
        slice(0, len(runs)),
        pack_kinds([parameters.effects])[:, 0].copy(),
        (every_career, every_belief.reshape(-1), level, clock),
        (values, extras, tables),
        scaled,
        middle,
        np.empty(0),
        np.zeros(kernel.scratch_rows(design.most_sides, design.most_terms)),
        has_margin=parameters.margin > 0,
    )
    ends = np.cumsum([len(one) for one in careers])
    belief[:], career[:] = every_belief[: ends[0]], every_career[: ends[0]]
    after = tuple(
        EffectState(one, every_belief[low:high], every_career[low:high])
        for one, low, high in zip(design.known, ends[:-1], ends[1:], strict=True)
    )
    return scaled, middle, after


def forecast(matches: Matches, sides: Sides, scaled: Floats, prizes: Prizes) -> Floats:
    """What the first player is expected to score, or each seat's expected share of the largest prize.

    The players of a side share what it gets, as tied places do. Prizes for more than the winner need sides of one size.
    """
    if not isinstance(matches.table, Seats):
        return np.asarray(1 / (1 + np.exp(np.clip(scaled[1::2] - scaled[::2], -700, 700))))
    sizes = sides.sizes
    if prizes == WINNER:
        prize = np.zeros(len(scaled))
        prize[sides.sides[:-1]] = 1.0
        share = sizes.astype(np.float64)
    else:
        prize, share = _side_prizes(matches.table, sides, prizes), np.ones(len(sizes))
    won = np.empty(len(scaled))
    kernel.expect_sides(sides.sides, scaled, prize, won)
    expected = np.empty(len(sides.seats))
    expected[sides.seats] = np.repeat(won / share, sizes)
    return expected


def _side_prizes(table: Seats, sides: Sides, prizes: Prizes) -> Floats:
    """What each place among the sides is worth to each player of a side."""
    prize, _ = seat_columns(table, prizes)
    sizes, heads = sides.sizes, sides.sides[:-1]
    if (sizes != np.repeat(sizes[heads], np.diff(sides.sides))).any():
        raise MatchDataError(
            f"prizes {prizes.name}: sides of different sizes can only play for the win (--prizes winner)"
        )
    return np.asarray(np.add.reduceat(prize, sides.starts[:-1]) / sizes)


def is_plain(matches: Matches) -> bool:
    """Whether the pair filter can play these: two players, and no column beside advantage and weight."""
    plain = isinstance(matches.table, Pairs) and not matches.covariates and not matches.seat_covariates
    return plain and matches.score is None


def possible_effects(matches: Matches) -> tuple[Effect, ...]:
    """The effects that the columns of a record can have, all switched off; why others cannot is logged.

    A column per match acts through the better seat, or on each player in their own way. A column that never varies,
    or with hardly a value twice, can do neither.
    """
    seats, has_seats = matches.seats, bool(np.any(matches.advantages))
    effects = []
    played = PLAY if matches.has_teams else ()
    columns = [(name, column, False) for name, column in matches.covariates.items()]
    columns += [(name, column, True) for name, column in matches.seat_covariates.items() if name not in played]
    for name, column, per_seat in columns:
        if fault := _useless(column):
            _log.warning("state-space leaves out the column %s: %s", name, fault)
            continue
        centre, unit = (0.0, 1.0) if isinstance(column, Labels) else (np.nanmean(column), np.nanstd(column))
        if has_seats or (per_seat and _varies(column, seats.starts)):
            effects.append(Effect(name, "all", centre=float(centre), unit=float(unit)))
        effects.append(Effect(name, "player", centre=float(centre), unit=float(unit)))
    return (*effects, Effect(ADVANTAGE, "player")) if has_seats else tuple(effects)


def _useless(column: Covariate) -> str:
    """Why a column cannot tell anything."""
    if isinstance(column, Labels):
        values = np.unique(column.code)
        if len(values) == 1:
            return f"it is always {column.names[int(values[0])]!r}"
        return "hardly a value is there twice" if len(values) > _MOST_VALUES * len(column) else ""
    known = column[np.isfinite(column)]
    return "it never varies" if not len(known) or known.min() == known.max() else ""


def _varies(column: Covariate, starts: Counts) -> bool:
    """Whether seats of one match differ."""
    values = column.code if isinstance(column, Labels) else np.nan_to_num(column)
    return bool((np.maximum.reduceat(values, starts[:-1]) != np.minimum.reduceat(values, starts[:-1])).any())


def effect_ingredients(effects: Sequence[Effect]) -> tuple[Ingredient, ...]:
    """Each effect as a part that is kept only if it pays, and then its drift."""
    found = list[Ingredient]()
    for effect in effects:
        label = effect.label
        found.append(Ingredient(label, (Knob(f"{label}: sd", 60.0),)))
        found.append(Ingredient(f"drift of {label}", (Knob(f"{label}: drift", 30.0),), needs=label))
    return tuple(found)
