"""The system that Smith recommends: newcomers rated by the static system, then the dynamic one with its best step."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.systems.calibrated import find_spread
from ludometer.ratings.systems.dynamic import Dynamic, check_numbers, listed, step_knob
from ludometer.ratings.systems.steps import check_step
from ludometer.ratings.systems.tuning import Knob, tune
from ludometer.scale import expected_score, from_elo, to_elo

_SERVERS = 64.0
"""The internet chess server's step, where nobody has played long enough to find a better one."""

_SDS = (20.0, 1000.0)
"""Results without contradictions would spread ratings without end; a coin not at all."""


@dataclass(frozen=True)
class SmithState:
    """Players' rows, the pool of newcomers' posteriors, and sums over those who became established; natural units."""

    player: Floats
    pool: Floats
    free: Codes
    used: Codes
    entered: Floats


@dataclass(frozen=True)
class FittedSmith:
    """Smith's system with all its numbers: h after the first `games`, before them the expectation under the prior.

    A newcomer's rating is the expectation under a normal prior with this SD around the mean of established players (the
    start rating before there are any), given their results so far, with opponents, newcomers among them, fixed at their
    ratings before each game. An established player moves by (h / 2) (S - E); against one who has played n of their
    first games, by n / games of it. Uncertainty flattens the forecasts for newcomers.

    >>> system = FittedSmith(h=40, sd=300)
    >>> state, expected = system.play(system.start(2), Matches.of_pairs([0, 0], [1, 1], [1, 1]))
    >>> expected.round(3).tolist(), system.uncertainty(state).round().tolist()
    ([0.5, 0.772], [228.0, 228.0])
    """

    h: float
    sd: float
    games: int = 20
    start_rating: float = 1500.0
    in_sample: bool | None = None
    name: ClassVar[str] = "smith"

    def __post_init__(self) -> None:
        check_numbers(h=self.h, sd=self.sd, games=self.games, start_rating=self.start_rating)
        check_step(self.h)
        if self.sd <= 0:
            raise LudometerError(f"the SD of the strengths must be above 0, not {self.sd:g}")
        _check_games(self.games)

    @property
    def tunable(self) -> tuple[Knob, ...]:
        """The step of established players, and the spread of newcomers."""
        return (step_knob(), Knob("sd", *_SDS))

    @property
    def parameters(self) -> dict[str, Any]:
        """All, and whether they were fitted to the matches that the system is scored on."""
        return listed(h=self.h, sd=self.sd, games=self.games, start_rating=self.start_rating, in_sample=self.in_sample)

    def start(self, n_players: int) -> SmithState:
        """Nobody has played."""
        from ludometer.kernels.systems.smith import N_POINTS, unknown_players

        player = unknown_players(n_players, from_elo(self.sd))
        empty = np.zeros(0, np.int32)
        return SmithState(player, np.empty((0, N_POINTS)), empty, np.zeros(2, np.int32), np.zeros(3))

    def play(self, state: SmithState, matches: Matches) -> tuple[SmithState, Floats]:
        """Play the matches in order."""
        from ludometer.kernels.systems.smith import newcomers_pass, normal_prior, unknown_players

        pairs = matches.pairs
        grown = max(len(matches.players) - len(state.player), 0)
        player = np.concatenate((state.player, unknown_players(grown, from_elo(self.sd))))
        pool, free = _enough_rows(state, len(pairs), int((player[:, 2] < self.games).sum()))
        used, entered = state.used.copy(), state.entered.copy()
        expected = np.empty(len(pairs))
        results = (pairs.first, pairs.second, pairs.halves)
        prior = normal_prior(from_elo(self.sd))
        step = from_elo(self.h / 2)
        newcomers_pass(*results, player, pool, free, used, entered, *prior, float(self.games), step, expected)
        return SmithState(player, pool[: used[0]], free[: used[0]], used, entered), expected

    def ratings(self, state: SmithState) -> Floats:
        """In Elo points, around the start rating."""
        return self.start_rating + to_elo(state.player[:, 0])

    def uncertainty(self, state: SmithState) -> Floats:
        """Newcomers' posterior SD; of established players the fluctuation of ratings with this step, root (h / 4Q)."""
        settled = state.player[:, 2] >= self.games
        return to_elo(np.sqrt(np.where(settled, from_elo(self.h) / 4, state.player[:, 1])))

    def expect(self, state: SmithState, first: Codes, second: Codes) -> Floats:
        """The logistic curve of the rating differences, flattened by newcomers' uncertainty."""
        rating, variance = state.player[:, 0], state.player[:, 1]
        flat = np.sqrt(1 + math.pi / 8 * (variance[first] + variance[second]))
        return expected_score(to_elo((rating[first] - rating[second]) / flat))

    def entry_error(self, state: SmithState) -> float | None:
        """The root mean square of the posterior SDs with which players became established, in Elo points."""
        number, variance, _ = state.entered.tolist()
        return to_elo(math.sqrt(variance / number)) if number else None


@dataclass(frozen=True)
class Smith:
    """Smith's recommended system (1994, section 8), whose numbers are fitted to the record: `fitted` gives it.

    The SD of the prior is that of the strengths (`calibrated.find_spread`). By "optimal" h is the best in theory for
    that SD, the mean games of established players after their first, the error of newcomers at entry, and constant
    strengths; by "log-loss" it has the best forecasts, and is larger where strengths change. The first `games` are 20,
    as on the Internet Chess Server: by then results outweigh the prior, and a newcomer's error is 60 to 150 points.
    """

    h: float | Literal["optimal", "log-loss"] = "optimal"
    sd: float | None = None
    games: int = 20
    start_rating: float = 1500.0
    name: ClassVar[str] = "smith"

    def __post_init__(self) -> None:
        check_numbers(games=self.games, start_rating=self.start_rating)
        _check_games(self.games)
        if isinstance(self.h, str) and self.h not in ("optimal", "log-loss"):
            raise LudometerError(f"h is a number, log-loss or optimal, not {self.h!r}")

    @property
    def tunable(self) -> tuple[Knob, ...]:
        """Those of the fitted system: a theory chooses them, a better forecast can be tuned."""
        return (step_knob(), Knob("sd", *_SDS))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that are given."""
        return listed(h=self.h, sd=self.sd, games=self.games, start_rating=self.start_rating)

    def fitted(self, matches: Matches, *, in_sample: bool) -> FittedSmith:
        """The system with its numbers; `in_sample` if it will be scored on these matches too."""
        if not len(matches):
            raise MatchDataError("there are no matches")
        sd = float(np.clip(find_spread(Dynamic(), matches), *_SDS)) if self.sd is None else self.sd
        known = self.h if not isinstance(self.h, str) else _SERVERS
        system = FittedSmith(known, sd, self.games, self.start_rating, in_sample)
        if self.h == "optimal":
            return replace(system, h=_best_step_in_theory(system, matches))
        return tune(system, matches, fixed=("sd",)) if self.h == "log-loss" else system


def _best_step_in_theory(system: FittedSmith, matches: Matches) -> float:
    """From a first pass, whose step hardly matters for the error of newcomers at entry."""
    from ludometer.ratings.noise.noise import BOUND, optimal_step

    state, _ = system.play(system.start(0), matches)
    settled = matches.counts >= system.games
    if not settled.any():
        return system.h
    games = max(float((matches.counts[settled] - system.games).mean()), 1.0)
    step = optimal_step(sd=system.sd, games=games, entry_error=system.entry_error(state))
    return min(float(step), BOUND * (1 - 1e-9))


def _enough_rows(state: SmithState, n_matches: int, n_new: int) -> tuple[Floats, Codes]:
    """Copies of the pool and of its list of free rows, with room for all who may need one."""
    from ludometer.kernels.systems.smith import N_POINTS

    taken = len(state.pool) - int(state.used[1])
    n_rows = max(min(n_new, taken + 2 * n_matches), len(state.pool))
    pool, free = np.empty((n_rows, N_POINTS)), np.empty(n_rows, np.int32)
    pool[: len(state.pool)], free[: len(state.free)] = state.pool, state.free
    return pool, free


def _check_games(games: float) -> None:
    if games < 1 or games != int(games):
        raise LudometerError(f"the number of first games must be a whole number from 1 up, not {games}")
