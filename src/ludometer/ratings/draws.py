"""How often a match is drawn, given the expected score of the first player.

Davidson's model (1970): win : draw : loss = s^2 : nu s : 1. A rating system forecasts the expected score E only;
s follows from E and nu, so a forecast keeps its E whatever the draw rate.
"""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Floats, Halves
from ludometer.matches import Matches, Seats

_LARGEST = 1e9


def draw_probability(expected: Floats, nu: float) -> Floats:
    """The probability of a draw, from the positive root of (1 - E) s^2 + nu (1/2 - E) s - E = 0.

    >>> draw_probability(np.array([0.5, 0.9]), 1.0).round(3).tolist()
    [0.333, 0.147]
    """
    favourite = np.maximum(expected, 1 - expected)
    rest = np.maximum(1 - favourite, 1e-100)
    middle = nu * (favourite - 0.5)
    s = (middle + np.sqrt(middle * middle + 4 * favourite * rest)) / (2 * rest)
    # 1 / (s + 1 / s + nu) times nu, which cannot overflow
    return np.asarray(nu / (s + 1 / s + nu))


def draw_results(expected: Floats, nu: float, rng: np.random.Generator) -> Halves:
    """Random results in half points of the first player, one for each expected score.

    >>> draw_results(np.array([1.0, 0.0]), 0.0, np.random.default_rng(0)).tolist()
    [2, 0]
    """
    drawn = draw_probability(expected, nu) if nu else np.zeros(1)
    chance = rng.random(len(expected))
    return (chance < expected - drawn / 2).astype(np.int8) + (chance < expected + drawn / 2).astype(np.int8)


def fit_draws(expected: Floats, draw_rate: float, weight: Floats | None = None) -> float:
    """The nu at which the forecasts give the draw rate of the record on average."""
    from scipy.optimize import brentq

    if draw_rate <= 0 or not len(expected):
        return 0.0

    def excess(log_nu: float) -> float:
        return float(np.average(draw_probability(expected, np.exp(log_nu)), weights=weight)) - draw_rate

    low, high = -np.log(_LARGEST), np.log(_LARGEST)
    if excess(high) <= 0:
        return _LARGEST
    if excess(low) >= 0:
        return 0.0
    return float(np.exp(brentq(excess, low, high, xtol=1e-10)))


class DrawTally:
    """Forecasts in narrow bins, and the number of draws, for records of any length."""

    n_bins = 2000

    def __init__(self) -> None:
        self.count = np.zeros(self.n_bins)
        self.total = np.zeros(self.n_bins)
        self.n_draws = 0

    def add(self, expected: Floats, halves: Halves) -> None:
        """Take in forecasts and results."""
        place = np.minimum((expected * self.n_bins).astype(np.int64), self.n_bins - 1)
        self.count += np.bincount(place, minlength=self.n_bins)
        self.total += np.bincount(place, weights=expected, minlength=self.n_bins)
        self.n_draws += int((halves == 1).sum())

    def add_matches(self, expected: Floats, matches: Matches) -> None:
        """Take in the forecasts of a rating system; of a multiplayer record, those of two-player matches."""
        table = matches.table
        if not isinstance(table, Seats):
            self.add(expected, table.halves)
            return
        first = table.starts[:-1][table.sizes == 2]
        # the first player's share of the expectation
        short, others = 1 - expected[first], 1 - expected[first + 1]
        told = short + others > 0
        score = others[told] / (short + others)[told]
        self.add(score, (1 + np.sign(table.place[first + 1] - table.place[first])).astype(np.int8)[told])

    def fit(self) -> float:
        """nu of the record."""
        used = self.count > 0
        if not used.any():
            return 0.0
        mean = self.total[used] / self.count[used]
        return fit_draws(mean, self.n_draws / self.count.sum(), self.count[used])
