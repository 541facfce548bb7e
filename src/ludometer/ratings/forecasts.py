"""What forecasts were worth once the matches are played, match by match."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Counts, Floats, Mask
from ludometer.matches import Matches, Seats
from ludometer.ratings.prizes import Prizes, seat_columns

_SURE = 1e-15
"""Forecasts are kept this far from 0 and 1 in the log loss, which stays finite."""


@dataclass(frozen=True)
class Judged:
    """One number a match for each way to score a forecast, and the favourite: what he was to score, and scored."""

    log_loss: Floats
    brier: Floats
    accuracy: Floats
    favourite: Floats
    scored: Floats

    def take(self, kept: Mask) -> Judged:
        """Only these matches."""
        return Judged(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Outcomes:
    """How matches ended, ready for the forecasts of several systems."""

    matches: Matches
    score: Floats
    """What the first player scored, or each seat's share of the largest prize."""

    @classmethod
    def of(cls, matches: Matches, prizes: Prizes) -> Outcomes:
        """The outcomes of matches that were played for these prizes."""
        if isinstance(matches.table, Seats):
            return cls(matches, seat_columns(matches.table, prizes)[1])
        return cls(matches, matches.pairs.score)

    def coin(self) -> Floats:
        """The forecasts of somebody who knows nothing: all players of a match are equal."""
        table = self.matches.table
        if isinstance(table, Seats):
            return np.repeat(_sum(self.score, table.starts) / table.sizes, table.sizes)
        return np.full(len(self.score), 0.5)

    def judge(self, expected: Floats) -> Judged:
        """Score forecasts.

        Of two players: log loss -(S ln E + (1 - S) ln(1 - E)), Brier score (S - E)^2 of one side, accuracy with one
        half for a draw or an even forecast. Of several, with shares s = S / sum of S and e = E / sum of E: log loss
        -(sum of s ln e), half the sum of (S - E)^2, and whether the seat with the highest expectation came first,
        where those who share either place share the point. For two players these are the same.
        """
        table = self.matches.table
        if isinstance(table, Seats):
            return _judge_seats(table, self.score, expected)
        return _judge_pairs(self.score, expected)


def _judge_pairs(score: Floats, expected: Floats) -> Judged:
    sure = np.clip(expected, _SURE, 1 - _SURE)
    even = (expected == 0.5) | (score == 0.5)
    return Judged(
        log_loss=-(score * np.log(sure) + (1 - score) * np.log1p(-sure)),
        brier=(score - expected) ** 2,
        accuracy=np.where(even, 0.5, (expected > 0.5) == (score > 0.5)),
        favourite=np.maximum(expected, 1 - expected),
        scored=np.where(expected == 0.5, 0.5, np.where(expected > 0.5, score, 1 - score)),
    )


def _judge_seats(table: Seats, score: Floats, expected: Floats) -> Judged:
    starts, sizes = table.starts, table.sizes
    if not len(table):
        return Judged(*np.zeros((5, 0)))
    share = score / np.repeat(_sum(score, starts), sizes)
    forecast = expected / np.repeat(_sum(expected, starts), sizes)
    highest = np.maximum.reduceat(expected, starts[:-1])
    is_favourite = expected == np.repeat(highest, sizes)
    n_favourites = _sum(is_favourite, starts)
    won = table.place == 1
    return Judged(
        log_loss=-_sum(share * np.log(np.maximum(forecast, _SURE)), starts),
        brier=0.5 * _sum((score - expected) ** 2, starts),
        accuracy=_sum(is_favourite & won, starts) / n_favourites / _sum(won, starts),
        favourite=highest,
        scored=_sum(np.where(is_favourite, score, 0.0), starts) / n_favourites,
    )


def _sum(values: Floats | Mask, starts: Counts) -> Floats:
    """Sums over the seats of each match."""
    return np.asarray(np.add.reduceat(values.astype(np.float64), starts[:-1])) if len(starts) > 1 else np.zeros(0)
