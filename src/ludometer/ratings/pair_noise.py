"""T, the noise that pairs add to ratings: how much further their results lie from the ratings than chance puts them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludometer.arrays import Floats
from ludometer.parallel import Workers, map_tasks
from ludometer.ratings.pair_games import Batch, PairGames, logistic, sum_by_pair
from ludometer.scale import to_elo

_LARGEST_NOISE = 20.0
"""In natural units, 3500 Elo points: results that are fixed by who meets whom have no finite T."""


class MeasuredNoise(NamedTuple):
    """T in Elo points, its 95 % interval, and the p-value of so much; see `Triangles`."""

    value: float | None
    interval: tuple[float, float | None] | None
    p_value: float


class PairNoise:
    """T by moments: the squared residual of a pair beyond that of its games, which chance alone adds up to.

    Residuals of games are x - E; under ratings alone the sum over a pair is what random signs of its own residuals
    give, whatever the share of draws, so that the sums with random signs are both what is subtracted and the null.
    The gradient part is taken off both: no rating then matters, and what fitting takes from the squares neither.
    """

    def __init__(self, record: PairGames, rating_variance: Floats) -> None:
        expected, self.record = record.expected, record
        information = expected * (1 - expected)
        self.weight = sum_by_pair(record.pair, information, len(record.graph))
        self.centre = sum_by_pair(record.pair, expected, len(record.graph)) / record.games
        # a residual is smaller by what its own game moved the fit
        leverage = np.minimum(information * rating_variance[record.pair], 0.9)
        self.residual = (record.score - expected) / np.sqrt(1 - leverage)
        self.observed = sum_by_pair(record.pair, record.score - expected, len(record.graph)) / self.weight

    def measure(self, batches: list[Batch], workers: Workers | None) -> MeasuredNoise:
        """T, its interval, and how often random signs give pairs so far apart."""
        shared = (self.record, self.residual, self.weight)
        parts = map_tasks(_flip_signs, batches, shared=shared, workers=workers)
        null = np.concatenate([part[0] for part in parts])
        kept, whole = (np.sum([part[k] for part in parts], axis=0) for k in (1, 2))
        own = np.divide(kept, whole, out=np.zeros_like(self.weight), where=whole > 0).clip(0, 1)
        off = self.observed - self.record.graph.project(self.observed[:, np.newaxis], self.weight)[:, 0]
        squares = self.weight * off**2
        chance = self.weight * kept / len(null)
        excess = float(squares.sum() - null.mean())
        value = self._invert(excess, own)
        explained = 0.0 if value == 0 else self._between(_LARGEST_NOISE if value is None else value, own)
        error = float(np.sqrt(((squares - chance - explained) ** 2).sum()))
        low, high = (self._invert(excess + side * 1.959964 * error, own) for side in (-1, 1))
        p_value = (1 + int((null >= squares.sum()).sum())) / (1 + len(null))
        interval = None if low is None else (to_elo(low), None if high is None else to_elo(high))
        return MeasuredNoise(None if value is None else to_elo(value), interval, p_value)

    def _between(self, noise: float, own: Floats) -> Floats:
        """What pairs with this T add to the expected squares: games of a pair share their deviation."""
        games = self.record.games
        shared = games * (games - 1) * pair_variance(self.centre, noise)
        return np.asarray(own * shared / self.weight)

    def _invert(self, excess: float, own: Floats) -> float | None:
        from scipy.optimize import brentq

        if excess <= 0:
            return 0.0
        if self._between(_LARGEST_NOISE, own).sum() <= excess:
            return None
        return float(brentq(lambda noise: self._between(noise, own).sum() - excess, 0.0, _LARGEST_NOISE, xtol=1e-6))


def _flip_signs(batch: Batch, record: PairGames, residual: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Squares of the flows that random signs of the games' residuals make, and of each pair how much of it stays."""
    rng = np.random.default_rng(batch.signs)
    flow = np.empty((len(record.graph), batch.n_lanes))
    for lane in range(batch.n_lanes):
        sign = 2.0 * rng.integers(0, 2, len(residual)) - 1
        flow[:, lane] = sum_by_pair(record.pair, sign * residual, len(record.graph)) / weight
    rest = flow - record.graph.project(flow, weight)
    squares = (weight[:, np.newaxis] * rest**2).sum(axis=0)
    return squares, (rest * flow).sum(axis=1), (flow**2).sum(axis=1)


def pair_variance(expected: Floats, noise: float) -> Floats:
    """The variance of logistic(d + noise z), z standard normal, with d such that the mean is the expected score.

    >>> pair_variance(np.array([0.5, 0.9]), 0.5).round(4).tolist()
    [0.014, 0.0021]
    """
    if noise == 0:
        return np.zeros_like(expected)
    node, share = np.polynomial.hermite_e.hermegauss(60)
    share = share / share.sum()
    centre = np.linspace(0, 0.5, 51)[1:]
    # on a grid of expected scores up to a half: by bisection, for all at once
    low, high = np.full(len(centre), -60.0), np.zeros(len(centre))
    for _ in range(40):
        middle = (low + high) / 2
        mean = logistic(middle[:, np.newaxis] + noise * node) @ share
        low, high = np.where(mean < centre, middle, low), np.where(mean < centre, high, middle)
    variance = (logistic(high[:, np.newaxis] + noise * node) ** 2) @ share - centre**2
    return np.asarray(np.interp(np.minimum(expected, 1 - expected), np.append(0.0, centre), np.append(0.0, variance)))
