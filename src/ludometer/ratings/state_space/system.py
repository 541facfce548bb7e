"""The state-space rating system: the filter behind the interface of all systems, fitted to the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ludometer.arrays import Codes, Floats, Halves
from ludometer.errors import LudometerError, MatchDataError
from ludometer.kernels.state_space import filter as rows
from ludometer.matches import Matches, Seats
from ludometer.players import Players
from ludometer.ratings.prizes import WINNER, Prizes
from ludometer.ratings.state_space.fitting import Fit, fit
from ludometer.ratings.state_space.linear import (
    EffectState,
    LinearRuns,
    effect_ingredients,
    forecast,
    is_plain,
    play_sides,
    possible_effects,
)
from ludometer.ratings.state_space.packing import MOST_COUNTED, days_of, pack_tables, pack_values
from ludometer.ratings.state_space.parameters import INGREDIENTS, Ingredient, Parameters
from ludometer.ratings.state_space.runs import PairRuns, new_careers, play_pairs
from ludometer.ratings.systems.elo import unusual
from ludometer.scale import Base, from_elo, to_elo

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings.state_space.refit import Refit

MOST_FITTED = 1_500_000
"""Parameters are fitted to at most so many matches, the first ones."""

MOST_AT_HOME = 100_000
"""Up to so many matches it is tried whether the better seat is worth more to some players: it takes longer."""


@dataclass(frozen=True, eq=False)
class FilterState:
    """What is believed of each player, in natural units, and when they played; see the rows of the filter kernel."""

    belief: Floats
    """(players, ROWS): strength, its variance, and so on."""
    career: Floats
    """(players, COLUMNS): time of the last match and matches played."""
    level: Floats
    """(LEVELS): the level of newcomers, its variance, the mean level of those who play."""
    clock: float = -np.inf
    """The time of the last match in days."""
    effects: tuple[EffectState, ...] = ()
    """What is believed of the effects of columns."""


@dataclass(frozen=True)
class FittedStateSpace:
    """The filter with its parameters: beliefs about all players, match after match.

    >>> system = FittedStateSpace(Parameters(spread=200, drift=0))
    >>> state, expected = system.play(system.start(2), Matches.of_pairs([0, 0], [1, 1], [1, 1]))
    >>> expected.round(3).tolist(), system.ratings(state).round(1).tolist()
    ([0.5, 0.663], [1628.0, 1372.0])
    >>> system.uncertainty(state).round(1).tolist()
    [170.5, 170.5]
    """

    values: Parameters = field(default_factory=Parameters)
    start_rating: float = 1500.0
    prizes: Prizes = WINNER
    in_sample: bool | None = None
    fit: Fit | None = field(default=None, compare=False, repr=False)
    name: ClassVar[str] = "state-space"
    uses: ClassVar[tuple[str, ...]] = ("advantage", "weight", "score", "side", "covariates", "seat_covariates")

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters by name, their standard errors where they were fitted, and what they say in words."""
        from ludometer.ratings.state_space.words import describe

        found: dict[str, Any] = (
            self.values.document() | {"start_rating": self.start_rating} | unusual(self.prizes, "10")
        )
        if self.fit is not None:
            found |= {"errors": self.fit.errors, "fitted_to": self.fit.n_matches}
        if self.in_sample is not None:
            found["in_sample"] = self.in_sample
        return found | {"in_words": describe(self.values, self.fit)}

    def start(self, n_players: int) -> FilterState:
        """Nobody has played."""
        return FilterState(np.zeros((n_players, rows.ROWS)), new_careers(n_players), np.zeros(rows.LEVELS))

    def play(self, state: FilterState, matches: Matches) -> tuple[FilterState, Floats]:
        """Play the matches in order."""
        state, expected, _ = self.play_with_levels(state, matches, wants_levels=False)
        return state, expected

    def _play_sides(self, state: FilterState, matches: Matches) -> tuple[FilterState, Floats, Floats]:
        """Play matches of any kind in order."""
        record = LinearRuns.of(matches, state.clock)
        _refuse_past(record.day, state.clock)
        belief, career = self._grown(state, len(matches.players))
        level, clock = state.level.copy(), np.array([state.clock])
        scaled, middle, effects = play_sides(self.values, record, belief, career, level, clock, state.effects)
        expected = forecast(matches, record.sides, scaled, self.prizes)
        after = FilterState(belief, career, level, float(clock[0]), effects)
        return after, expected, self.start_rating + to_elo(middle)

    def play_with_levels(
        self, state: FilterState, matches: Matches, *, wants_levels: bool = True
    ) -> tuple[FilterState, Floats, Floats]:
        """Play the matches in order; also the mean rating of the players of each match before it."""
        has_margins = self.values.margin > 0 and matches.score is not None
        if isinstance(matches.table, Seats) or self.values.effects or has_margins:
            return self._play_sides(state, matches)
        record = PairRuns.of(matches, state.clock)
        _refuse_past(record.day, state.clock)
        pairs, n = matches.pairs, len(matches)
        belief, career = self._grown(state, len(matches.players))
        level, clock = state.level.copy(), np.array([state.clock])
        expected, middle = np.empty(n), np.empty(n if wants_levels else 0)
        most = record.most_played + int(career[:, rows.BEFORE : rows.TODAY + 1].sum(axis=1).max(initial=0))
        play_pairs(
            pairs.first,
            pairs.second,
            pairs.halves,
            record.day,
            record.seat,
            record.weight,
            career,
            belief.reshape(-1),
            level,
            clock,
            self._packed,
            pack_tables([self.values], most)[:, 0].copy(),
            expected,
            middle,
            np.empty(0),
        )
        return (
            FilterState(belief, career, level, float(clock[0]), state.effects),
            expected,
            self.start_rating + to_elo(middle),
        )

    def enter(self, state: FilterState, players: Codes, rating: Floats, sd: Floats, matches: Matches) -> FilterState:
        """The state with new players at these ratings at the time of the first of the matches, without experience.

        A rating without an SD is as uncertain as a newcomer's.
        """
        belief, career = self._grown(state, max(len(state.career), int(players.max(initial=-1)) + 1))
        belief, career = belief.copy(), career.copy()
        values = self._packed
        learnt = float(pack_tables([self.values], 0).reshape(-1, rows.TABLES)[0, rows.LEARNT])
        form = values[rows.FORM_SPREAD]
        days = days_of(matches.time, len(matches), state.clock)
        belief[players] = 0.0
        belief[players, rows.MEAN] = from_elo(rating - self.start_rating) - learnt
        belief[players, rows.VARIANCE] = np.where(
            np.isnan(sd), values[rows.SPREAD], np.maximum(from_elo(sd) ** 2 - form, 0.0)
        )
        belief[players, rows.FORM_VARIANCE] = form
        career[players, rows.LAST] = days[0] if len(days) else state.clock
        return replace(state, belief=belief, career=career)

    def ratings(self, state: FilterState) -> Floats:
        """In Elo points: strength with what was learnt; the first newcomers enter at the start rating."""
        return self.start_rating + to_elo(self._now(state)[0])

    def uncertainty(self, state: FilterState) -> Floats:
        """The SD of each rating at the time of the last match of the record."""
        return to_elo(np.sqrt(self._now(state)[1]))

    def expect(self, state: FilterState, first: Codes, second: Codes, seat: Halves | int = 0) -> Floats:
        """What each first player is expected to score at the time of the last match, on neutral ground or not."""
        mean, variance = self._now(state)
        difference = mean[first] - mean[second] + from_elo(self.values.advantage) * np.asarray(seat)
        slope = 1 / np.sqrt(1 + rows.CURVATURE * (variance[first] + variance[second]))
        return np.asarray(1 / (1 + np.exp(np.clip(-slope * difference, -700, 700))))

    def effects(self, state: FilterState, players: Players) -> pl.DataFrame:
        """What columns do to strengths in this state, in Elo points: column, value, player, points, sd.

        The value of a column of numbers is empty, and points are per unit of the column; the player of an effect of all
        is empty.
        """
        import polars as pl

        types = {"column": pl.String, "value": pl.String, "player": pl.String, "points": pl.Float64, "sd": pl.Float64}
        names = players.names
        tables = [pl.DataFrame(schema=types)]
        for effect, own in zip(self.values.effects, state.effects, strict=False):
            value, player = own.known.keys >> 32, own.known.keys & 0xFFFFFFFF
            labels = pl.Series(own.known.names or [""], dtype=pl.String)
            columns = {
                "column": [effect.column] * len(own.known),
                "value": labels.gather(value),
                "player": names.gather(player) if effect.whose == "player" else [""] * len(own.known),
                "points": to_elo(own.belief[:, rows.MEAN]) / effect.unit,
                "sd": to_elo(np.sqrt(own.belief[:, rows.VARIANCE])) / effect.unit,
            }
            tables.append(pl.DataFrame(columns, schema=types))
        return pl.concat(tables).sort("column", "points", descending=[False, True], maintain_order=True)

    def expect_places(self, state: FilterState, players: Codes) -> Floats:
        """The probability of each place (columns) for each of these players (rows) in one match."""
        from ludometer.kernels.skills.ranks import SPREAD, rank_probabilities

        mean, variance = (moment[players] for moment in self._now(state))
        scaled = mean / np.sqrt(1 + 2 * rows.CURVATURE * variance.mean())
        return rank_probabilities(np.exp(np.maximum(scaled - scaled.max(), -SPREAD)))

    @cached_property
    def _packed(self) -> Floats:
        return pack_values([self.values])[:, 0].copy()

    def _grown(self, state: FilterState, n_players: int) -> tuple[Floats, Floats]:
        """The tables of players, with room for newcomers."""
        n_new = max(0, n_players - len(state.career))
        belief = np.concatenate((state.belief, np.zeros((n_new, rows.ROWS))))
        return belief, np.concatenate((state.career, new_careers(n_new)))

    def _now(self, state: FilterState) -> tuple[Floats, Floats]:
        """Means and variances at the time of the last match; of those without one as newcomers."""
        values, career, belief = self._packed, state.career, state.belief
        played = career[:, rows.LAST] > -np.inf
        pause = np.where(played, state.clock - np.where(played, career[:, rows.LAST], 0.0), 0.0)
        count = career[:, rows.BEFORE] + np.where(pause > 0, career[:, rows.TODAY], 0.0)
        most = int(min(count.max(initial=0), MOST_COUNTED))
        table = pack_tables([self.values], most).reshape(-1, rows.TABLES)[np.minimum(count, most).astype(np.int64)]
        recent = (belief[:, rows.ACTIVITY] + np.where(pause > 0, career[:, rows.TODAY], 0.0)) * np.exp(
            -pause * values[rows.ACTIVITY_RATE]
        )
        kept = np.exp(-pause * values[rows.FORM_RATE])
        mean = (
            belief[:, rows.MEAN]
            + table[:, rows.LEARNT]
            + values[rows.ACTIVITY_GAIN] * np.log1p(recent)
            + kept * belief[:, rows.FORM]
            - values[rows.RUST] * (1 - np.exp(-pause * rows.RUST_RATE))
        )
        drift = values[rows.DRIFT] * (1 + values[rows.YOUNG_DRIFT] * table[:, rows.YOUNG]) * pause
        form = kept**2 * belief[:, rows.FORM_VARIANCE] + values[rows.FORM_SPREAD] * (1 - kept**2)
        variance = belief[:, rows.VARIANCE] + drift + form + 2 * kept * belief[:, rows.FORM_COVARIANCE]
        entry, entry_variance = state.level[rows.ENTRY_LEVEL], state.level[rows.ENTRY_VARIANCE]
        fresh = values[rows.SPREAD] + entry_variance + values[rows.FORM_SPREAD]
        return np.where(played, mean, entry), np.where(played, variance, fresh)


@dataclass(frozen=True)
class StateSpace:
    """The state-space system before it is fitted: `fitted` finds its parameters for a record.

    Parameters that are given stay as they are; if all are given (a `Parameters`), nothing is fitted.
    """

    given: Mapping[str, Any] = field(default_factory=dict)
    start_rating: float = 1500.0
    prizes: Prizes = WINNER
    name: ClassVar[str] = "state-space"
    uses: ClassVar[tuple[str, ...]] = FittedStateSpace.uses

    def __post_init__(self) -> None:
        Parameters.of(dict(self.given))

    @property
    def parameters(self) -> dict[str, Any]:
        """Those that were given."""
        return {**self.given, "start_rating": self.start_rating} | unusual(self.prizes, "10")

    @property
    def untuned(self) -> FittedStateSpace:
        """With the parameters that are used when none is fitted."""
        return FittedStateSpace(Parameters.of(dict(self.given)), self.start_rating, self.prizes)

    def _runs(self, matches: Matches) -> PairRuns | LinearRuns:
        """The record for the pair filter, or where there may be effects for the one that knows them."""
        may_differ_at_home = len(matches) <= MOST_AT_HOME and bool(np.any(matches.advantages))
        if is_plain(matches) and not self.given.get("effects") and not may_differ_at_home:
            return PairRuns.of(matches)
        return LinearRuns.of(matches, by_order=self.prizes != WINNER)

    def fitted(self, matches: Matches, *, in_sample: bool) -> FittedStateSpace:
        """The system with parameters for these matches."""
        if not len(matches):
            raise MatchDataError("there are no matches")
        if len(self.given) == len(Parameters.__dataclass_fields__):
            return replace(self.untuned, in_sample=None)
        part = matches.part(0, min(len(matches), MOST_FITTED))
        runs = self._runs(part)
        has, fixed = {*matches.columns}, dict(self.given)
        ingredients: tuple[Ingredient, ...] = INGREDIENTS
        if _has_times(runs):
            has.add("time")
        if not runs.seat.any():
            has.discard("advantage")
        if isinstance(runs, LinearRuns):
            has |= runs.features
            if "effects" not in fixed:
                fixed["effects"] = possible_effects(part)
                ingredients = (*INGREDIENTS[:3], *effect_ingredients(fixed["effects"]), *INGREDIENTS[3:])
        found = fit(runs, frozenset(has), fixed=fixed, ingredients=ingredients)
        kept = tuple(effect for effect in found.parameters.effects if effect.sd > 0)
        values = replace(found.parameters, effects=kept)
        return FittedStateSpace(values, self.start_rating, self.prizes, in_sample, replace(found, parameters=values))


def _refuse_past(day: Floats, clock: float) -> None:
    if len(day) and day[0] < clock:
        raise MatchDataError("these matches begin before the last one that was played")


def _has_times(runs: PairRuns | LinearRuns) -> bool:
    """Whether time passes in the record."""
    return runs.matches.time is not None and bool(runs.day[-1] > runs.day[0])


def make_state_space(
    start_rating: float = 1500.0,
    *,
    prizes: Prizes = WINNER,
    base: Base = "10",
    refit: float | None = None,
    **given: float,
) -> StateSpace | Refit:
    """From what users write: state-space:drift=35, or state-space:refit=90."""
    if base != "10":
        raise LudometerError("state-space rates on Elo's own scale: leave out --base")
    if not all(isinstance(value, int | float) for value in given.values()):
        raise LudometerError("the parameters of state-space are numbers, such as state-space:drift=35")
    system = StateSpace(given, start_rating, prizes)
    if refit is None:
        return system
    from ludometer.ratings.state_space.refit import Refit

    return Refit(system, refit)
