"""The posterior of players' strengths: logistic results, a normal prior, and a mean that may follow given directions.

Strengths s = V b + e with b free (a flat prior) and e_i normal with the variance v g_i + t: v is the variance of V b, g
the error of the directions for each player, and t, the variance that they leave, is fitted. The log posterior is the
sum of S ln E + (1 - S) ln(1 - E) minus half the squares of e over their variances. Around its maximum it is
approximated as normal (Laplace), and draws come from perturbed equations, so that no dense matrix is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.runtime.lanes import WIDTH
from ludometer.kernels.skills.links import multiply_laplacian, push_links, slope_links, take_off
from ludometer.strength.links import Links

_NEAR, _MOST_ROUNDS = 0.02, 12
"""A step of the log variance below the first is the last."""

_NEWTON_STEPS = 12
_LEAST_VARIANCE, _LARGEST_VARIANCE = 1e-3, 10.0
"""Of strengths in natural units, one of which is 174 Elo points."""

_DRAWS_WHILE_FITTING = 8

_PART = 1 << 17
"""Links whose random numbers are drawn together."""

_KEPT = 1 << 25
"""Random numbers that are kept for the next use; more are drawn again."""


@dataclass(frozen=True)
class StrengthPosterior:
    """The most likely strengths, draws around them, and the SD that the directions leave."""

    mode: Floats
    draws: Floats
    """(players, n), in natural units."""
    residual_sd: float
    p_value: float
    """Of Wald's test that strengths do not follow the directions; 1 without directions."""


def fit_strengths(
    first: Codes,
    second: Codes,
    score: Floats,
    *,
    n_players: int,
    directions: Floats,
    looseness: Floats | None = None,
    n_draws: int,
    rng: np.random.Generator,
) -> StrengthPosterior:
    """Fit by empirical Bayes: t is where the residuals are as large as the prior says they are (MacKay's condition).

    `directions` is (players, q): what strengths may follow without a penalty; a constant is always among them.
    `looseness` is g: the error of each player's place along them, in units of their variance.

    >>> first, second = np.array([0, 0, 1] * 30), np.array([1, 2, 2] * 30)
    >>> fit = fit_strengths(first, second, np.tile([1, 1, 1, 1, 1, 1, 0, 1, 0], 10), n_players=3,
    ...                     directions=np.empty((3, 0)), n_draws=4, rng=np.random.default_rng(0))
    >>> bool(fit.mode[0] > fit.mode[1] > fit.mode[2]), fit.draws.shape
    (True, (3, 4))
    """
    halves = np.rint(2 * np.asarray(score)).astype(np.int8)
    links = Links.of(np.asarray(first, np.int32), np.asarray(second, np.int32), n_players, halves=halves)
    return fit_linked(links, directions=directions, looseness=looseness, n_draws=n_draws, rng=rng)


def fit_linked(
    links: Links, *, directions: Floats, looseness: Floats | None = None, n_draws: int, rng: np.random.Generator
) -> StrengthPosterior:
    """The same of links that are tallied already."""
    n_players = links.n_players
    model = _Model(links, directions)
    loose = np.zeros(n_players) if looseness is None else looseness
    noise = _Noise(links, _DRAWS_WHILE_FITTING, rng, is_kept=True)
    mode, along = np.zeros(n_players), 0.1 if directions.shape[1] else 0.0
    search = _Search(np.log(_LEAST_VARIANCE), np.log(_LARGEST_VARIANCE))
    while not search.done:
        prior = _Prior(model, along * loose + np.exp(search.value))
        mode = prior.maximum(mode)
        along = model.variance_along(mode, prior) if directions.shape[1] else 0.0
        search.note(np.log(max(prior.excess(mode, noise), 1e-12)))
    prior = _Prior(model, along * loose + np.exp(search.value))
    mode = prior.maximum(mode)
    draws = mode[:, np.newaxis] + prior.draw(mode, _Noise(links, n_draws, rng))
    return StrengthPosterior(mode, draws, float(np.sqrt(np.exp(search.value))), prior.p_value(mode))


class _Search:
    """For the log variance at which the log excess is 0: secants inside a bracket, halved where they leave it.

    The first step is MacKay's: a residual variance that is too small by some factor shows that factor as excess.
    """

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high, self.value = low, high, 0.5 * (low + high)
        self.before: tuple[float, float] | None = None
        self.rounds, self.done = 0, False

    def note(self, excess: float) -> None:
        """Take in the log excess at the present value, and go on to the next."""
        self.rounds += 1
        if excess > 0:
            self.low = self.value
        else:
            self.high = self.value
        slope = -1.0
        if self.before is not None and self.before[0] != self.value:
            slope = min((excess - self.before[1]) / (self.value - self.before[0]), -0.2)
        self.before = self.value, excess
        following = self.value - excess / slope
        if not self.low < following < self.high:
            following = 0.5 * (self.low + self.high)
        self.done = abs(following - self.value) < _NEAR or self.rounds == _MOST_ROUNDS
        self.value = following


class _Model:
    """Who met whom, what strengths may follow, and room for what links tell at some strengths."""

    def __init__(self, links: Links, directions: Floats) -> None:
        self.links = links
        self.n_players = links.n_players
        self.free = np.column_stack((np.ones(links.n_players), directions))
        self.weight = np.empty(len(links))
        self.gradient, self.diagonal = np.empty((2, links.n_players))

    def look_at(self, strength: Floats) -> None:
        """Find the gradient of the likelihood at these strengths, the information of each link, and its sums."""
        links = self.links
        slope_links(
            links.starts,
            links.opponent,
            links.times,
            links.scored,
            strength,
            self.gradient,
            self.weight,
            self.diagonal,
        )

    def multiply(self, x: Floats) -> Floats:
        """The information of all links times x, which is one vector or eight."""
        image = np.empty_like(x)
        multiply_laplacian(self.links.starts, self.links.opponent, self.weight, x, image)
        return image

    def variance_along(self, strength: Floats, prior: _Prior) -> float:
        """The variance of the strengths along the directions, each player weighted by their matches."""
        along = strength - prior.project(prior.tight * strength) / prior.tight
        return float(np.cov(along, aweights=self.links.degree))


class _Noise:
    """The random numbers of n draws: for each link, and for each player.

    Those of links are drawn part by part, and again where they are too many to keep while the variance is fitted.
    """

    def __init__(self, links: Links, n: int, rng: np.random.Generator, *, is_kept: bool = False) -> None:
        self.n, self.n_lanes = n, -(-n // WIDTH) * WIDTH
        self.rows = _row_ranges(links.starts)
        self.sizes = [int(links.starts[high] - links.starts[low]) for low, high in self.rows]
        self.before = deepcopy(rng.bit_generator)
        drawn = self._draw(rng)
        self.kept = list(drawn) if is_kept and len(links) * n <= _KEPT else None
        for _ in drawn:
            pass  # the numbers of players follow those of links
        self.of_players = self._in_lanes(rng.standard_normal((links.n_players, n)))

    def parts(self) -> Iterator[tuple[int, int, Floats]]:
        """Ranges of rows, and the numbers of their links, (links, lanes)."""
        again = np.random.Generator(deepcopy(self.before))
        drawn = self._draw(again) if self.kept is None else iter(self.kept)
        for (low, high), noise in zip(self.rows, drawn, strict=True):
            yield low, high, noise

    def _draw(self, rng: np.random.Generator) -> Iterator[Floats]:
        for size in self.sizes:
            yield self._in_lanes(rng.standard_normal((size, self.n)))

    def _in_lanes(self, values: Floats) -> Floats:
        return values if self.n == self.n_lanes else np.pad(values, ((0, 0), (0, self.n_lanes - self.n)))


def _row_ranges(starts: Counts) -> list[tuple[int, int]]:
    """Rows with about as many links as a part has."""
    edges = np.searchsorted(starts, np.arange(0, starts[-1], _PART), side="right") - 1
    edges[:1] = 0
    return list(pairwise([*np.unique(edges).tolist(), len(starts) - 1]))


class _Prior:
    """The model with a variance for each player around the free directions."""

    def __init__(self, model: _Model, variance: Floats) -> None:
        self.model = model
        self.tight = 1 / np.sqrt(variance)
        # in units in which all players are equally loose
        self.basis = _orthonormal(self.tight[:, np.newaxis] * model.free)

    def project(self, scaled: Floats) -> Floats:
        """What the free directions leave."""
        left = np.array(scaled)
        take_off(self.basis, left, np.empty((self.basis.shape[1], *left.shape[1:])))
        return left

    def excess(self, mode: Floats, noise: _Noise) -> float:
        """Squares of the residuals at the mode over the number of them that the results determine: 1 if t is right."""
        shown = float(np.sum(self.project(self.tight * mode) ** 2))
        spread = [self.project(self._tighten(part)) for part in _in_eights(self.draw(mode, noise))]
        undetermined = sum(float(np.sum(part**2)) for part in spread) / noise.n
        return float(shown / max(self.model.n_players - self.basis.shape[1] - undetermined, 1.0))

    def maximum(self, strength: Floats) -> Floats:
        """Newton's steps to the most likely strengths."""
        model = self.model
        for _ in range(_NEWTON_STEPS):
            model.look_at(strength)
            step = self._solve(model.gradient - self._penalty(strength))
            largest = float(np.abs(step).max())
            strength = strength + step * min(1.0, 4.0 / max(largest, 1e-12))
            if largest < 1e-2:
                break
        return np.asarray(strength - strength.mean())

    def draw(self, mode: Floats, noise: _Noise) -> Floats:
        """Normal with the inverse of the curvature at the mode: solutions of equations with perturbed right sides."""
        model = self.model
        model.look_at(mode)
        right = np.zeros((model.n_players, noise.n_lanes))
        for low, high, part in noise.parts():
            push_links(model.links.starts, model.links.opponent, model.weight, part, low, high, right)
        for column, part in enumerate(_in_eights(noise.of_players)):
            eight = slice(WIDTH * column, WIDTH * (column + 1))
            right[:, eight] = self._solve(right[:, eight] + self._tighten(self.project(part)))
        return right[:, : noise.n]

    def p_value(self, mode: Floats) -> float:
        """Wald's test of the directions: their coefficients against what the results tell of them beside the residuals.

        With the information L of the results and the precision D of the prior, that is V' L V - V' L (L + D)^-1 L V.
        """
        from scipy.special import chdtrc

        model, directions = self.model, self.model.free[:, 1:]
        n_directions = directions.shape[1]
        if not n_directions:
            return 1.0
        along = mode - self.project(self.tight * mode) / self.tight
        coefficient = np.linalg.lstsq(model.free, along, rcond=None)[0][1:]
        model.look_at(mode)
        told = np.hstack([model.multiply(part) for part in _in_eights(directions)])

        def multiply(x: Floats) -> Floats:
            return np.asarray(model.multiply(x) + (self.tight**2)[:, np.newaxis] * x)

        diagonal = model.diagonal + self.tight**2
        explained = np.hstack([_conjugate_gradients(multiply, part, diagonal) for part in _in_eights(told)])
        told, explained = told[:, :n_directions], explained[:, :n_directions]
        information = directions.T @ told - told.T @ explained
        return float(chdtrc(n_directions, coefficient @ information @ coefficient))

    def _tighten(self, x: Floats) -> Floats:
        """Each player's number or numbers times the root of their precision."""
        return np.asarray(self.tight * x if x.ndim == 1 else self.tight[:, np.newaxis] * x)

    def _penalty(self, strength: Floats) -> Floats:
        return self._tighten(self.project(self._tighten(strength)))

    def _solve(self, right: Floats) -> Floats:
        """The solution where the model looks: the information of the results and the penalty times it are `right`."""
        model = self.model

        def multiply(x: Floats) -> Floats:
            return np.asarray(model.multiply(x) + self._penalty(x))

        return _conjugate_gradients(multiply, right - right.mean(axis=0), model.diagonal + self.tight**2)


def _orthonormal(columns: Floats) -> Floats:
    """An orthonormal basis of these columns, by the eigenvectors of their products: twice, which is exact.

    Columns that the others make up add nothing to it.
    """
    for _ in range(2):
        values, vectors = np.linalg.eigh(columns.T @ columns)
        sound = values > 1e-12 * values[-1]
        columns = columns @ (vectors[:, sound] / np.sqrt(values[sound]))
    return np.ascontiguousarray(columns)


def _in_eights(columns: Floats) -> Iterator[Floats]:
    """Eight columns at a time, side by side in memory; the last ones filled up with zeros."""
    for start in range(0, columns.shape[1], WIDTH):
        part = columns[:, start : start + WIDTH]
        missing = WIDTH - part.shape[1]
        yield np.ascontiguousarray(part if not missing else np.pad(part, ((0, 0), (0, missing))))


def _conjugate_gradients(multiply: Callable[[Floats], Floats], right: Floats, diagonal: Floats) -> Floats:
    """Solve for one column or for several at once, preconditioned by the diagonal, to a thousandth."""
    inverse = 1 / (diagonal if right.ndim == 1 else diagonal[:, np.newaxis])
    x = np.zeros_like(right)
    rest = right.copy()
    scaled = rest * inverse
    direction = scaled.copy()
    size = np.sum(rest * scaled, axis=0)
    enough = 1e-6 * np.maximum(size, 1e-300)
    for _ in range(500):
        image = multiply(direction)
        step = size / np.maximum(np.sum(direction * image, axis=0), 1e-300)
        x += step * direction
        rest -= step * image
        np.multiply(rest, inverse, out=scaled)
        new = np.sum(rest * scaled, axis=0)
        if np.all(new <= enough):
            break
        direction *= new / np.maximum(size, 1e-300)
        direction += scaled
        size = new
    return x
