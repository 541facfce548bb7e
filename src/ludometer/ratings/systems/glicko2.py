"""Glickman's Glicko-2: ratings with deviations and volatilities, by rating periods."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings.periods import check_periods, periods_of, times_of
from ludometer.ratings.systems.dynamic import check_numbers, listed
from ludometer.ratings.systems.tuning import Choice, Knob
from ludometer.scale import expected_score, from_elo, to_elo


@dataclass(frozen=True)
class GlickoState:
    """Players' rows with the sums of the current period; matches so far, and the period of the last."""

    player: Floats
    n_matches: int
    period: float
    """Or its time, where a match is played at a time."""
    counts_pauses: bool


@dataclass(frozen=True)
class Glicko2:
    """Glickman, Example of the Glicko-2 system (2013): rating, deviation and volatility, updated period by period.

    Forecasts use the ratings before the match's period, with both deviations. A period has so many days (`period`) or
    matches of the record (`period_matches`); with neither it is a week where times are dates, one time where they are
    numbers such as months, and one match where there are none. Newcomers start at 1500 with deviation 350 and
    volatility 0.06.

    With the period "match" ratings change after each match, and deviations grow with the time since a player's last
    one: by the volatility in a week where times are dates, in a unit of time where they are numbers, and from match to
    match where there are none. Matches at equal times are then played in the order of the record; where that is not the
    order of play, a period of one day does not use it.

    Departures: deviations do not grow above a newcomer's; a step of more than one deviation goes no further than to the
    most likely rating.

    >>> system = Glicko2()
    >>> state, expected = system.play(system.start(2), Matches.of_pairs([0, 0], [1, 1], [1, 1]))
    >>> expected.round(3).tolist(), system.uncertainty(state).round().tolist()
    ([0.5, 0.757], [260.0, 260.0])
    """

    tau: float = 0.5
    period: float | Literal["match"] | None = None
    period_matches: int | None = None
    start_rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06
    name: ClassVar[str] = "glicko2"
    tunable: ClassVar[tuple[Knob | Choice, ...]] = (
        Knob("volatility", 1e-4, 1.0),
        Knob("deviation", 20.0, 1000.0),
        Knob("tau", 0.01, 3.0),
        Choice("period", ("match", 1.0, 7.0, 30.0)),
    )

    def __post_init__(self) -> None:
        check_numbers(
            tau=self.tau, start_rating=self.start_rating, deviation=self.deviation, volatility=self.volatility
        )
        for word in ("tau", "deviation", "volatility"):
            if getattr(self, word) <= 0:
                raise LudometerError(f"{word} must be above 0, not {getattr(self, word):g}")
        check_periods(None if self.period == "match" else self.period, self.period_matches)
        if self.period == "match" and self.period_matches is not None:
            raise LudometerError("give a rating period in days or in matches, not both")

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters that are given."""
        return listed(
            tau=self.tau,
            period=self.period,
            period_matches=self.period_matches,
            start_rating=self.start_rating,
            deviation=self.deviation,
            volatility=self.volatility,
        )

    def start(self, n_players: int) -> GlickoState:
        """Nobody has played."""
        return GlickoState(self._newcomers(n_players), 0, 0, True)

    def play(self, state: GlickoState, matches: Matches) -> tuple[GlickoState, Floats]:
        """Play the matches in order."""
        return self._play(state, matches, np.empty(0))

    def play_with_levels(self, state: GlickoState, matches: Matches) -> tuple[GlickoState, Floats, Floats]:
        """Play the matches in order; also the mean rating of each pair before its match."""
        middle = np.empty(len(matches))
        after, expected = self._play(state, matches, middle)
        return after, expected, self.start_rating + to_elo(middle)

    def _play(self, state: GlickoState, matches: Matches, middle: Floats) -> tuple[GlickoState, Floats]:
        from ludometer.kernels.systems.glicko2 import glicko_match_pass, glicko_pass

        pairs = matches.pairs
        grown = max(len(matches.players) - len(state.player), 0)
        player = np.concatenate((state.player, self._newcomers(grown)))
        expected = np.empty(len(pairs))
        results = (pairs.first, pairs.second, pairs.halves)
        if self.period == "match":
            when, counts_pauses = times_of(matches)
            glicko_match_pass(*results, when, counts_pauses, player, self.tau, self._largest, expected, middle)
            last = float(when[-1]) if len(when) else state.period
        else:
            games = None if self.period_matches is None else int(self.period_matches)
            period, counts_pauses = periods_of(matches, state.n_matches, days=self.period, games=games)
            glicko_pass(*results, period, counts_pauses, player, self.tau, self._largest, expected, middle)
            last = float(period[-1]) if len(period) else state.period
        return GlickoState(player, state.n_matches + len(pairs), last, counts_pauses), expected

    def enter(
        self,
        state: GlickoState,
        players: Codes,
        rating: Floats,
        sd: Floats,
        matches: Matches,  # noqa: ARG002 - deviations grow from the first match on
    ) -> GlickoState:
        """The state with new players at these ratings and SDs; without an SD it is a newcomer's."""
        from ludometer.kernels.systems.glicko2 import MU, PHI

        grown = max(int(players.max(initial=-1)) + 1 - len(state.player), 0)
        player = np.concatenate((state.player, self._newcomers(grown)))
        player[players, MU] = from_elo(rating - self.start_rating)
        player[players, PHI] = np.where(np.isnan(sd), self._largest, np.minimum(from_elo(sd), self._largest))
        return replace(state, player=player)

    def ratings(self, state: GlickoState) -> Floats:
        """In Elo points; the last period counts as over."""
        from ludometer.kernels.systems.glicko2 import MU

        return self.start_rating + to_elo(self._closed(state)[:, MU])

    def uncertainty(self, state: GlickoState) -> Floats:
        """The deviations in Elo points, grown by the pauses up to the last period."""
        from ludometer.kernels.systems.glicko2 import PHI

        return to_elo(self._closed(state)[:, PHI])

    def volatilities(self, state: GlickoState) -> Floats:
        """How much the ratings are expected to fluctuate, on Glickman's scale."""
        from ludometer.kernels.systems.glicko2 import SIGMA

        return self._closed(state)[:, SIGMA]

    def expect(self, state: GlickoState, first: Codes, second: Codes) -> Floats:
        """The logistic curve of the rating differences, flattened by both deviations."""
        from ludometer.kernels.systems.glicko2 import MU, PHI

        player = self._closed(state)
        variance = player[first, PHI] ** 2 + player[second, PHI] ** 2
        difference = player[first, MU] - player[second, MU]
        return expected_score(to_elo(difference / np.sqrt(1 + 3 * variance / math.pi**2)))

    def _closed(self, state: GlickoState) -> Floats:
        from ludometer.kernels.systems.glicko2 import close_periods, grow_deviations

        player = state.player.copy()
        if self.period == "match":
            grow_deviations(player, state.period, state.counts_pauses, self._largest)
        else:
            close_periods(player, int(state.period) + 1, state.counts_pauses, self.tau, self._largest)
        return player

    @property
    def _largest(self) -> float:
        return from_elo(self.deviation)

    def _newcomers(self, n_players: int) -> Floats:
        from ludometer.kernels.systems.glicko2 import newcomers

        return newcomers(n_players, self._largest, self.volatility)
