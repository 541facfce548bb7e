"""Games between pairs who met often, and what ratings leave of them: flows on the graph of pairs, and T.

A flow has a part that ratings explain (gradient), a part around triangles (curl) and a rest (harmonic). T is the noise
that pairs add to ratings: how much further their results deviate from the ratings than by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.errors import LudometerError, MatchDataError
from ludometer.kernels.skills.conjugate_gradients import conjugate_gradients
from ludometer.kernels.skills.graph import add_curls, count_triads, order_edges
from ludometer.matches import Matches
from ludometer.parallel import Workers, map_tasks
from ludometer.ratings.draws import fit_draws
from ludometer.scale import to_elo

_TOLERANCE = 1e-5
"""Of the residual; the squares of a flow are then right to about the square of it."""


@dataclass(frozen=True, eq=False)
class PairGraph:
    """Who met whom, each pair once; a flow has one number per pair, from its first player's point of view."""

    first: Codes
    second: Codes
    n_players: int

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def incidence(self) -> Any:
        """(pairs, players), sparse: 1 for the first player, -1 for the second."""
        from scipy.sparse import csr_array

        n = len(self)
        column = np.column_stack((self.first, self.second)).ravel()
        value = np.tile([1.0, -1.0], n)
        return csr_array((value, column, np.arange(0, 2 * n + 1, 2)), shape=(n, self.n_players))

    @cached_property
    def _own(self) -> Any:
        """The incidence of the players who are in a pair, who may be few."""
        return self.incidence[:, np.union1d(self.first, self.second)]

    @cached_property
    def layout(self) -> tuple[Counts, Codes, Counts, Floats]:
        """The edges as the kernels of triads take them."""
        return order_edges(self.first, self.second, self.n_players)

    def project(self, flow: Floats, weight: Floats) -> Floats:
        """The gradient s_i - s_j nearest to the flow (pairs, lanes), by weighted least squares."""
        matrix = self._own
        turned = matrix.T.tocsr()
        laplacian = turned @ (weight[:, np.newaxis] * matrix)
        diagonal = laplacian.diagonal()[:, np.newaxis]
        right = turned @ (weight[:, np.newaxis] * flow)
        potential = conjugate_gradients(laplacian.__matmul__, right, diagonal, tolerance=_TOLERANCE)
        return np.asarray(matrix @ potential)

    def square_parts(self, flow: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
        """The weighted sums of squares of gradient, curl and harmonic part of each lane; they add up to the flow's.

        The Hodge decomposition (Jiang, Lim, Yao and Ye 2011): the curl part is spanned by flows around triads, the
        harmonic part runs around longer cycles only.
        """
        root = np.sqrt(weight)[:, np.newaxis]
        total = ((root * flow) ** 2).sum(axis=0)
        rest = root * (flow - self.project(flow, weight))
        left = (rest**2).sum(axis=0)
        curl = self._square_curl(rest, root)
        return np.asarray(total - left), curl, np.asarray(np.maximum(left - curl, 0.0))

    def count_cyclic(self, ahead: Mask, behind: Mask) -> tuple[int, Counts]:
        """The number of triads, and of cyclic ones in each lane, given who is ahead in each pair."""
        starts, neighbour, order, sign = self.layout
        signs = ((ahead.astype(np.int8) - behind)[order] * sign.astype(np.int8)[:, np.newaxis]).astype(np.int8)
        cyclic = np.zeros(signs.shape[1], np.int64)
        n_triads = count_triads(starts, neighbour, np.ascontiguousarray(signs), cyclic)
        return int(n_triads), cyclic

    def _square_curl(self, rest: Floats, root: Floats) -> Floats:
        """With B = C W^(-1/2): the projection of the rest on the range of B' solves B'B z = B'B rest.

        Without a preconditioner all steps stay in that range, so z is the projection itself and nothing is stored per
        triad.
        """
        starts, neighbour, order, sign = self.layout
        scale = sign[:, np.newaxis] / root[order]

        def multiply(flow: Floats) -> Floats:
            image = np.zeros_like(flow)
            add_curls(starts, neighbour, np.ascontiguousarray(scale * flow), image)
            return np.asarray(scale * image)

        ordered = np.ascontiguousarray(rest[order])
        right = multiply(ordered)
        curl = conjugate_gradients(multiply, right, np.ones((len(self), 1)), tolerance=_TOLERANCE)
        # with z off by e this is the square of the projection less e^2: a second-order error only
        return np.asarray((curl * (2 * ordered - curl)).sum(axis=0))


def draw_ratings(graph: PairGraph, weight: Floats, ridge: float, n_lanes: int, rng: np.random.Generator) -> Floats:
    """Deviations of ratings from their best fit (players, lanes), drawn from the normal distribution of the fit.

    H^-1 (B' W^(1/2) z + (2 ridge)^(1/2) z') has the covariance H^-1 of H = B'WB + 2 ridge (Papandreou and Yuille 2010).
    """
    turned = graph.incidence.T.tocsr()
    laplacian = turned @ (weight[:, np.newaxis] * graph.incidence)
    right = turned @ (np.sqrt(weight)[:, np.newaxis] * rng.standard_normal((len(graph), n_lanes)))
    right += np.sqrt(2 * ridge) * rng.standard_normal((graph.n_players, n_lanes))
    diagonal = (laplacian.diagonal() + 2 * ridge)[:, np.newaxis]
    return conjugate_gradients(lambda x: laplacian @ x + 2 * ridge * x, right, diagonal, tolerance=_TOLERANCE)


_LANES = 25
"""Simulated records at once; fixed, so that nothing depends on the number of workers."""


@dataclass(frozen=True, eq=False)
class PairGames:
    """The games of pairs that met often enough, and the ratings behind them."""

    graph: PairGraph
    games: Floats
    points: Floats
    """Per pair: number of games, and points of its first player."""
    pair: Counts
    score: Floats
    difference: Floats
    """Per game: its pair, the score of the pair's first player, and the log-odds of it by the ratings."""
    nu: float
    everybody: PairGraph
    weight: Floats
    """All pairs, also those that met less often, and how much information each has on its difference."""
    ridge: float

    @property
    def expected(self) -> Floats:
        """What the first player of the pair is expected to score in each game."""
        return logistic(self.difference)

    def sides(self, points: Floats) -> tuple[Mask, Mask]:
        """Who has the majority of points (pairs, lanes)."""
        games = self.games[:, np.newaxis]
        return points > games / 2, points < games / 2

    def parts(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Squares of gradient, curl and harmonic part of the shrunken log-odds."""
        flow = np.log(points + 0.5) - np.log(self.games[:, np.newaxis] - points + 0.5)
        return self.graph.square_parts(flow, self.games)


def prepare_games(matches: Matches, min_games: int, ridge: float, advantage: bool) -> PairGames:
    """Fit ratings to all matches and gather the games of pairs with at least `min_games`."""
    from ludometer.strength.comparisons import gather

    if not ridge > 0:
        raise LudometerError(f"the ridge must be above 0, not {ridge}: without it ratings have no uncertainty")
    skill, bonus = _fit(matches, ridge, advantage)
    pairs, comparisons = matches.pairs, gather(matches)
    met = comparisons.outcomes.sum(axis=0)
    kept = met >= min_games
    if not kept.any():
        raise MatchDataError(f"no two players met {min_games} times")
    everybody = PairGraph(comparisons.row, comparisons.opponent, len(matches.players))
    even = logistic(skill[everybody.first] - skill[everybody.second])
    graph = PairGraph(everybody.first[kept], everybody.second[kept], len(matches.players))
    pair, mirrored = _find_pairs(graph, pairs.first, pairs.second)
    chosen = pair >= 0
    difference = (skill[pairs.first] - skill[pairs.second] + bonus)[chosen]
    turn = np.where(mirrored[chosen], -1.0, 1.0)
    score = 0.5 + turn * (pairs.score[chosen] - 0.5)
    expected = logistic(turn * difference)
    return PairGames(
        graph,
        met[kept],
        sum_by_pair(pair[chosen], score, len(graph)),
        pair[chosen],
        score,
        turn * difference,
        fit_draws(expected, float((score == 0.5).mean())),
        everybody,
        met * even * (1 - even),
        ridge,
    )


def _fit(matches: Matches, ridge: float, advantage: bool) -> tuple[Floats, float]:
    """Skills and the first seat's advantage in log-odds; a draw is half a win and half a loss, as in Elo."""
    from ludometer.strength.pairwise import fit_skills

    pairs = matches.pairs
    first, second = (np.concatenate((code, code)) for code in (pairs.first, pairs.second))
    halves = np.concatenate((np.where(pairs.halves > 0, 2, 0), np.where(pairs.halves > 1, 2, 0))).astype(np.int8)
    doubled = Matches.of_pairs(first, second, halves, players=matches.players, ordered=True)
    # every game counts as two, so the ridge does too
    fit = fit_skills(doubled, link="logit", ridge=2 * ridge, advantage=advantage)
    return np.nan_to_num(fit.skill), fit.advantage or 0.0


def _find_pairs(graph: PairGraph, first: Codes, second: Codes) -> tuple[Counts, Mask]:
    """The pair of each match (-1 for none), and whether its first player has the second seat."""
    low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second)
    key, wanted = graph.first.astype(np.int64) * graph.n_players + graph.second, low * graph.n_players + high
    order = np.argsort(key)
    place = np.minimum(np.searchsorted(key, wanted, sorter=order), len(key) - 1)
    found = order[place]
    return np.where(key[found] == wanted, found, -1), first > second


class Batch(NamedTuple):
    """Records that are simulated together, with seeds for their games and for random signs."""

    games: np.random.SeedSequence
    signs: np.random.SeedSequence
    n_lanes: int


def make_batches(simulations: int, seed: int) -> list[Batch]:
    """Batches that add up to so many simulated records."""
    sizes = [min(_LANES, simulations - start) for start in range(0, simulations, _LANES)]
    children = np.random.SeedSequence(seed).spawn(2 * len(sizes))
    return [Batch(*part) for part in zip(children[0::2], children[1::2], sizes, strict=True)]


def sum_by_pair(pair: Counts, value: Floats, n_pairs: int) -> Floats:
    """The sum of the games' values in each pair."""
    return np.asarray(np.bincount(pair, value, n_pairs), np.float64)


def logistic(x: Floats) -> Floats:
    """1 / (1 + exp(-x))."""
    from scipy.special import expit

    return np.asarray(expit(x))


_LARGEST_NOISE = 20.0
"""In natural units, 3500 Elo points: results fixed by who meets whom have no finite T."""


@dataclass(frozen=True)
class PairNoise:
    """T, the noise that pairs add to ratings, in Elo points; see `Triangles`."""

    value: float | None
    """0 where pairs differ less than by chance, None where no finite value explains the results."""
    interval: tuple[float, float | None] | None
    """95%; an upper end of None has no limit."""
    p_value: float
    """Of a value this large without noise between pairs."""


def measure_pair_noise(
    record: PairGames, rating_variance: Floats, batches: list[Batch], workers: Workers | None
) -> PairNoise:
    """Estimate T; `rating_variance` is the squared error of the rating difference of each pair."""
    return _Estimator(record, rating_variance).measure(batches, workers)


class _Estimator:
    """T by moments: the squared residual of a pair beyond what the residuals of its games add up to by chance.

    Residuals of games are x - E; under ratings alone the sum over a pair is distributed like that with random signs of
    its own residuals, whatever the share of draws, so sums with random signs give both the expectation and the null.
    The gradient part is removed from both, so that neither the ratings nor their fit matter.
    """

    def __init__(self, record: PairGames, rating_variance: Floats) -> None:
        expected, self.record = record.expected, record
        information = expected * (1 - expected)
        self.weight = sum_by_pair(record.pair, information, len(record.graph))
        self.centre = sum_by_pair(record.pair, expected, len(record.graph)) / record.games
        # a residual is smaller by the influence of its own game on the fit
        leverage = np.minimum(information * rating_variance[record.pair], 0.9)
        self.residual = (record.score - expected) / np.sqrt(1 - leverage)
        self.observed = sum_by_pair(record.pair, record.score - expected, len(record.graph)) / self.weight

    def measure(self, batches: list[Batch], workers: Workers | None) -> PairNoise:
        """T, its interval, and how often random signs give pairs that far apart."""
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
        return PairNoise(None if value is None else to_elo(value), interval, p_value)

    def _between(self, noise: float, own: Floats) -> Floats:
        """What this T adds to the expected squares: games of a pair share their deviation."""
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
    """Squares of flows with random signs of the games' residuals, and how much of each pair's remains."""
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
    # by bisection, for a grid of expected scores up to a half
    low, high = np.full(len(centre), -60.0), np.zeros(len(centre))
    for _ in range(40):
        middle = (low + high) / 2
        mean = logistic(middle[:, np.newaxis] + noise * node) @ share
        low, high = np.where(mean < centre, middle, low), np.where(mean < centre, high, middle)
    variance = (logistic(high[:, np.newaxis] + noise * node) ** 2) @ share - centre**2
    return np.asarray(np.interp(np.minimum(expected, 1 - expected), np.append(0.0, centre), np.append(0.0, variance)))
