"""How often a match is drawn, given the expected score of the first player.

Davidson's model (1970): win : draw : loss = s^2 : nu s : 1. A rating system forecasts the expected score E only;
s follows from E and nu, so a forecast keeps its E whatever the draw rate. Strong players draw more often in some games:
log nu may change with the level of a pair, the mean of their ratings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ludometer.arrays import Counts, Floats, Halves
from ludometer.matches import Matches, Seats

_LARGEST = 1e9

_SURE = 1e-15
"""Probabilities are kept this far from 0, so that the log loss stays finite."""


_CLOSE = 1e-11
"""A step of log nu that changes nothing."""

_FEWEST = 20
"""With fewer draws, or fewer decisions, a model by level would follow single matches."""


def draw_probability(expected: Floats, nu: float | Floats) -> Floats:
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
    """The nu at which the forecasts give the draw rate of the record on average.

    >>> even, apart = np.full(3, 0.5), np.array([0.2, 0.5, 0.9])
    >>> round(fit_draws(even, 1 / 3), 6), round(float(draw_probability(apart, fit_draws(apart, 0.4)).mean()), 9)
    (1.0, 0.4)
    """
    if draw_rate <= 0 or not len(expected):
        return 0.0

    def excess(log_nu: float) -> float:
        return float(np.average(draw_probability(expected, np.exp(log_nu)), weights=weight)) - draw_rate

    # draws are most frequent between equals, so what suits them is too little for all
    even = 2 * draw_rate / max(1 - draw_rate, 1 / _LARGEST)
    low, high = np.log(even), np.log(_LARGEST)
    if low >= high or excess(high) <= 0:
        return _LARGEST
    below = excess(low)
    if below >= 0:
        return even
    while (above := excess(min(low + 1, high))) < 0:
        low, below = low + 1, above
    return float(np.exp(_root(excess, (low, below), (min(low + 1, high), above))))


def _root(rising: Callable[[float], float], low: tuple[float, float], high: tuple[float, float]) -> float:
    """Where a rising function is 0, between two points of it on either side: straight lines, as Illinois has them.

    SciPy has better ones, but its optimisers take longer to load than a short record takes to measure.
    """
    (left, below), (right, above) = low, high
    side = 0
    while right - left > _CLOSE and above > below:
        at = (left * above - right * below) / (above - below)
        found = rising(at)
        if abs(found) <= 1e-15:
            return at
        if found < 0:
            moved = at - left
            left, below = at, found
            above = above / 2 if side < 0 else above
            side = -1
        else:
            moved = right - at
            right, above = at, found
            below = below / 2 if side > 0 else below
            side = 1
        if moved < _CLOSE:
            return at
    return (left + right) / 2


@dataclass(frozen=True)
class DrawModel:
    """log nu = log_nu + slope (level - centre): slope 0 where draws do not depend on the level.

    >>> even = np.array([0.5, 0.5])
    >>> DrawModel(0.0, 0.002, 1500.0).probability(even, np.array([1500.0, 2000.0])).round(3).tolist()
    [0.333, 0.576]
    """

    log_nu: float = -np.inf
    slope: float = 0.0
    """Per Elo point."""
    centre: float = 0.0

    def probability(self, expected: Floats, level: Floats | None = None) -> Floats:
        """The probability of a draw, by what is expected and the mean rating of the pair."""
        shift = 0.0 if level is None else self.slope * (level - self.centre)
        return draw_probability(expected, np.exp(np.minimum(self.log_nu + shift, np.log(_LARGEST))))

    def losses(self, expected: Floats, halves: Halves, level: Floats | None = None) -> Floats:
        """The log loss of win, draw and loss, match by match."""
        drawn = self.probability(expected, level)
        happened = np.choose(halves, (1 - expected - drawn / 2, drawn, expected - drawn / 2))
        return np.asarray(-np.log(np.maximum(happened, _SURE)))


class DrawTally:
    """Forecasts in narrow bins, and the number of draws, for records of any length.

    Where the levels of the pairs are known, also in cells of forecast and level, chunk by chunk of the record: levels
    and customs drift, so a model of draws by level is fitted to the latest quarter.
    """

    n_bins = 2000
    n_columns = 50
    row_height = 25.0
    """Cells are a 50th of the forecast wide and 25 Elo points of level high."""
    chunk = 1 << 14
    """Matches; counted from the first of the record, so that batches do not matter."""

    def __init__(self) -> None:
        self.count = np.zeros(self.n_bins)
        self.total = np.zeros(self.n_bins)
        self.n_draws = 0
        self.chunks: list[_Cells] = []
        self.n_in_cells = 0

    def add(self, expected: Floats, halves: Halves, level: Floats | None = None) -> None:
        """Take in forecasts and results, and the mean rating of each pair where it is known."""
        if level is not None:
            self._add_cells(expected, halves, level)
        place = np.minimum((expected * self.n_bins).astype(np.int64), self.n_bins - 1)
        self.count += np.bincount(place, minlength=self.n_bins)
        self.total += np.bincount(place, weights=expected, minlength=self.n_bins)
        self.n_draws += int((halves == 1).sum())

    def add_matches(self, expected: Floats, matches: Matches, level: Floats | None = None) -> None:
        """Take in the forecasts of a rating system; of a multiplayer record, those of two-player matches."""
        table = matches.table
        if not isinstance(table, Seats):
            self.add(expected, table.halves, level)
            return
        first = table.starts[:-1][table.sizes == 2]
        # the first player's share of the expectation
        short, others = 1 - expected[first], 1 - expected[first + 1]
        told = short + others > 0
        score = others[told] / (short + others)[told]
        self.add(score, (1 + np.sign(table.place[first + 1] - table.place[first])).astype(np.int8)[told])

    def model(self) -> DrawModel:
        """nu of the record, by the level of a pair where that forecasts it better."""
        nu = self.fit()
        if nu <= 0:
            return DrawModel()
        flat = DrawModel(float(np.log(nu)))
        if not self.n_in_cells:
            return flat
        latest = _Cells()
        for chunk in reversed(self.chunks):
            latest = latest.join(chunk)
            if 4 * latest.n_matches >= self.n_in_cells:
                break
        return latest.fit_level(flat)

    def fit(self) -> float:
        """nu of the record."""
        used = self.count > 0
        if not used.any():
            return 0.0
        mean = self.total[used] / self.count[used]
        return fit_draws(mean, self.n_draws / self.count.sum(), self.count[used])

    def _add_cells(self, expected: Floats, halves: Halves, level: Floats) -> None:
        column = np.minimum((expected * self.n_columns).astype(np.int64), self.n_columns - 1)
        key = self.n_columns * np.floor(level / self.row_height).astype(np.int64) + column
        values = np.stack([*(halves == outcome for outcome in (0, 1, 2)), expected, level])
        done = 0
        while done < len(key):
            room = self.chunk - self.n_in_cells % self.chunk
            if room == self.chunk:
                self.chunks.append(_Cells())
            part = slice(done, done + room)
            self.chunks[-1] = self.chunks[-1].join(_Cells(key[part], values[:, part]))
            self.n_in_cells += len(key[part])
            done += room


@dataclass(frozen=True)
class _Cells:
    """Sums over matches with about the same forecast and level: losses, draws, wins, forecasts, levels."""

    key: Counts = field(default_factory=lambda: np.zeros(0, np.int64))
    sums: Floats = field(default_factory=lambda: np.zeros((5, 0)))

    @property
    def n_matches(self) -> int:
        return int(self.sums[:3].sum())

    def join(self, other: _Cells) -> _Cells:
        key, place = np.unique(np.concatenate((self.key, other.key)), return_inverse=True)
        sums = np.concatenate((self.sums, other.sums), axis=1)
        return _Cells(key, np.stack([np.bincount(place, row, minlength=len(key)) for row in sums]))

    def fit_level(self, flat: DrawModel) -> DrawModel:
        """The most likely model by level, if it is likelier than the flat one by more than chance."""
        from scipy.optimize import minimize

        outcomes = self.sums[:3]
        n = outcomes.sum(axis=0)
        expected, level = self.sums[3:] / n
        centre = float(np.average(level, weights=n))
        width = float(np.sqrt(np.average((level - centre) ** 2, weights=n)))
        if width <= 0 or min(outcomes[1].sum(), n.sum() - outcomes[1].sum()) < _FEWEST:
            return flat

        def loss(model: DrawModel) -> float:
            kinds = (np.full(len(n), outcome, np.int8) for outcome in range(3))
            return sum(
                float(number @ model.losses(expected, kind, level))
                for number, kind in zip(outcomes, kinds, strict=True)
            )

        def at(point: Floats) -> DrawModel:
            return DrawModel(float(point[0]), float(point[1]) / width, centre)

        def mean_loss(point: Floats) -> float:
            return loss(at(point)) / float(n.sum())

        found = minimize(mean_loss, np.array([flat.log_nu, 0.0]), method="BFGS")
        # Schwarz's criterion for one more parameter
        return at(found.x) if loss(flat) - loss(at(found.x)) > 0.5 * np.log(n.sum()) else flat
