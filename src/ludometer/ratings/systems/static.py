"""Static ratings as a rating system: refitted to all results under a prior as the record grows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches, Pairs
from ludometer.ratings.systems.tuning import Knob
from ludometer.scale import expected_score, from_elo, to_elo
from ludometer.strength.expected import (
    Estimate,
    Posterior,
    Record,
    find_means,
    find_mode,
    find_variances,
    fit_sd,
    measure_players,
)
from ludometer.strength.priors import NormalPrior, Prior

_FIRST = 50
"""Matches before the first fit."""

_GUESS = 200.0
"""The prior's SD before it is estimated."""

_MEANWHILE, _FINAL = 0.5, 1e-6
"""The accuracy of ratings while the record is played, and at the end: Elo points."""

_DRAWS = 16

_MOST_TOGETHER = 1000
"""Players whose covariance is a matter of a second."""


@dataclass(frozen=True, eq=False)
class Results:
    """Each pair of players once, sorted: how often they met, and half points of the one with the lower code."""

    key: Counts = field(default_factory=lambda: np.empty(0, np.int64))
    halves: Counts = field(default_factory=lambda: np.empty(0, np.int64))
    met: Counts = field(default_factory=lambda: np.empty(0, np.int64))

    def add(self, matches: tuple[Pairs, ...]) -> Results:
        """With more matches; whole numbers in a fixed order, so that nothing depends on the batches."""
        if not matches:
            return self
        first, second, halves = (
            np.concatenate([getattr(part, name) for part in matches]) for name in ("first", "second", "halves")
        )
        low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second)
        key = np.concatenate((self.key, (low << 32) | high))
        scored = np.concatenate((self.halves, np.where(first == low, halves, 2 - halves)))
        met = np.concatenate((self.met, np.ones(len(first), np.int64)))
        order = np.argsort(key, kind="stable")
        key = key[order]
        begin = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
        return Results(key[begin], np.add.reduceat(scored[order], begin), np.add.reduceat(met[order], begin))

    def record(self) -> Record:
        """The lists of opponents of all players up to the highest code that played."""
        low, high = self.key >> 32, (self.key & 0xFFFFFFFF).astype(np.int32)
        n_players = int(high.max()) + 1
        starts = np.concatenate(([0], np.cumsum(np.bincount(low, minlength=n_players))))
        return Record.of_pairs(starts, high, self.halves / 2, self.met.astype(np.float64))


@dataclass(frozen=True, eq=False)
class StaticState:
    """All results so far, and the ratings and the prior's SD of the last fit."""

    n_matches: int
    results: Results
    recent: tuple[Pairs, ...]
    """Matches that the results do not hold yet."""
    natural: Floats
    """Ratings of the last fit around the prior's mean, 0 for newcomers."""
    sd: float
    memory: dict[Any, tuple[Floats, Floats, float]] = field(
        default_factory=dict, repr=False, metadata={"is_saved": False}
    )
    """The ratings and SDs of all results and a newcomer's SD, once they were asked for."""


@dataclass(frozen=True)
class Static:
    """Expected ratings of all results so far (Smith 1994, section 8.1); newcomers stand at the prior's mean.

    The prior is normal with the start rating as its mean and this SD, which is estimated from the results if it is not
    given; or any `prior`. Forecasts use the ratings of the last fit: a new fit is due whenever the record has grown by
    the share `refit`, or, if that is 1 or more, every `refit` matches; only the count of matches decides. The ratings,
    SDs and expectations of a state are fitted to all its results.

    >>> static = Static(sd=200)
    >>> state, expected = static.play(static.start(2), Matches.of_pairs([0, 0], [1, 1], [1, 1]))
    >>> expected.tolist(), static.ratings(state).round(1).tolist()
    ([0.5, 0.5], [1614.3, 1385.7])
    """

    sd: float | None = None
    start_rating: float = 1500.0
    refit: float = 0.1
    prior: Prior | None = None
    name: ClassVar[str] = "static"
    tuned_on: ClassVar[int] = 200_000
    """Each refit plays all results so far: the last matches are enough to tune one number."""

    def __post_init__(self) -> None:
        if self.prior is not None and self.sd is not None:
            raise LudometerError("give a prior or the SD of a normal one, not both")
        if self.sd is not None:
            NormalPrior(self.start_rating, self.sd)
        if not math.isfinite(self.start_rating):
            raise LudometerError(f"the start rating must be a number, not {self.start_rating}")
        if not (math.isfinite(self.refit) and (0.001 <= self.refit < 1 or self.refit == int(self.refit) >= 1)):
            raise LudometerError(
                "refit is the share by which a record grows before ratings are fitted again, from 0.001 up, "
                f"or a number of matches, not {self.refit}"
            )

    @property
    def tunable(self) -> tuple[Knob, ...]:
        """The SD of a normal prior; how often ratings are fitted again is a matter of time, not of forecasts."""
        return (Knob("sd", 10.0, 2000.0, start=_GUESS),) if self.prior is None else ()

    @property
    def parameters(self) -> dict[str, Any]:
        """The prior, and when ratings are fitted again."""
        if self.prior is not None:
            return self.prior.parameters | {"refit": self.refit}
        sd: float | str = "estimated" if self.sd is None else self.sd
        return {"sd": sd, "start_rating": self.start_rating, "refit": self.refit}

    def start(self, n_players: int) -> StaticState:
        """Everybody at the prior's mean."""
        return StaticState(0, Results(), (), np.zeros(n_players), _GUESS if self.sd is None else self.sd)

    def play(self, state: StaticState, matches: Matches) -> tuple[StaticState, Floats]:
        """Forecast match after match, and fit again when it is due."""
        pairs = matches.pairs
        expected = np.empty(len(pairs))
        state = replace(state, natural=_grown(state.natural, len(matches.players)), memory={})
        done = 0
        while done < len(pairs):
            due = self._next_fit(state.n_matches)
            until = min(len(pairs), done + due - state.n_matches)
            part = Pairs(pairs.first[done:until], pairs.second[done:until], pairs.halves[done:until])
            expected[done:until] = _expect(state.natural, part.first, part.second)
            n_matches = state.n_matches + until - done
            state = replace(state, n_matches=n_matches, recent=(*state.recent, part), memory={})
            if n_matches == due:
                state = self._fit(state)
            done = until
        return state, expected

    def ratings(self, state: StaticState) -> Floats:
        """In Elo points, of all results so far."""
        return self._mean + to_elo(self._conclude(state)[0])

    def uncertainty(self, state: StaticState) -> Floats:
        """The SD of each rating in Elo points, its opponents' errors included."""
        return to_elo(self._conclude(state)[1])

    def newcomer_sd(self, state: StaticState) -> float:
        """The SD of the prior in Elo points, which is that of a player without a match."""
        return to_elo(self._conclude(state)[2])

    def shared_sd(self, state: StaticState) -> float:
        """The SD of the level of all who played, which only the prior tells: results are about differences."""
        _, error, newcomer = self._conclude(state)
        n_players = max(int((error < newcomer).sum()), 1)
        return to_elo(newcomer) / math.sqrt(n_players)

    def covariance(self, state: StaticState) -> Floats | None:
        """Of the ratings' errors, in Elo points squared; None where there are too many players for a matrix.

        Two players whose ratings rest on the same opponents err together: by as much as the curvature of all ratings at
        once says. The variances are those of `uncertainty`.
        """
        if not state.n_matches or len(state.natural) > _MOST_TOGETHER:
            return None
        _, posterior, found = self._fit_posterior(state)
        posterior.evaluate(found.rating)
        posterior.hold(measure_players(posterior, found.rating).pull)
        free = np.flatnonzero(posterior.free)
        curvature = np.array([posterior.multiply(unit).copy() for unit in np.eye(posterior.record.n_players)[free]])
        together = np.linalg.inv(curvature[:, free])
        correlation = np.eye(len(state.natural))
        correlation[np.ix_(free, free)] = together / np.sqrt(np.outer(np.diag(together), np.diag(together)))
        sd = self.uncertainty(state)
        return np.asarray(correlation * np.outer(sd, sd))

    def expect(self, state: StaticState, first: Codes, second: Codes) -> Floats:
        """The logistic curve of the rating differences, with ratings from all results so far."""
        return _expect(self._conclude(state)[0], first, second)

    @property
    def _mean(self) -> float:
        return self.start_rating if self.prior is None else self.prior.mean

    def _next_fit(self, n_matches: int) -> int:
        """The count of matches after which the next fit is due."""
        if self.refit >= 1:
            return (n_matches // int(self.refit) + 1) * int(self.refit)
        due = _FIRST
        while due <= n_matches:
            due = math.ceil(due * (1 + self.refit))
        return due

    def _fit(self, state: StaticState) -> StaticState:
        results = state.results.add(state.recent)
        record = results.record()
        sd, start = state.sd, state.natural[: record.n_players]
        if self.prior is None and self.sd is None:
            sd, start = fit_sd(record, sd, tolerance=0.01, start=start, most_guesses=1)
        found = self._estimate(record, sd, start, _MEANWHILE)[1]
        return replace(
            state, results=results, recent=(), natural=_grown(found.rating, len(state.natural)), sd=sd, memory={}
        )

    def _estimate(self, record: Record, sd: float, start: Floats, tolerance: float) -> tuple[Posterior, Estimate]:
        posterior = Posterior(record, self.prior or NormalPrior(0.0, sd), record.matches > 0)
        start = np.where(posterior.free, start, 0.0)
        if not start.any():
            start = find_mode(posterior, np.where(posterior.free, posterior.start(), 0.0)).x
        return posterior, find_means(posterior, start, tolerance=from_elo(tolerance))

    def _conclude(self, state: StaticState) -> tuple[Floats, Floats, float]:
        """Ratings and SDs of all results so far, of those without a match the prior's; the prior's SD."""
        if self not in state.memory:
            state.memory[self] = self._fit_all(state)
        return state.memory[self]

    def _fit_all(self, state: StaticState) -> tuple[Floats, Floats, float]:
        sd, n_players = state.sd, len(state.natural)
        newcomer = from_elo(self.prior.sd if self.prior else sd)
        rating, error = np.zeros(n_players), np.full(n_players, newcomer)
        if not state.n_matches:
            return rating, error, newcomer
        sd, posterior, found = self._fit_posterior(state)
        if self.prior is None:
            error[:] = newcomer = from_elo(sd)
        n = posterior.record.n_players
        given = measure_players(posterior, found.rating)
        variance = find_variances(posterior, found.rating, given, n_draws=None if n <= 300 else _DRAWS, seed=0)
        rating[:n] = found.rating
        error[:n] = np.where(posterior.free, np.sqrt(variance), error[:n])
        return rating, error, newcomer

    def _fit_posterior(self, state: StaticState) -> tuple[float, Posterior, Estimate]:
        """The prior's SD, the posterior of all results so far, and the ratings."""
        record = state.results.add(state.recent).record()
        sd, start = state.sd, state.natural[: record.n_players]
        if self.prior is None and self.sd is None:
            sd, start = fit_sd(record, sd, tolerance=1e-3, start=start)
        return sd, *self._estimate(record, sd, start, _FINAL)


def _expect(natural: Floats, first: Codes | Array, second: Codes | Array) -> Floats:
    return expected_score(to_elo(natural[first] - natural[second]))


def _grown(natural: Floats, n_players: int) -> Floats:
    return np.concatenate((natural, np.zeros(max(0, n_players - len(natural)))))
