"""The posterior of the population's spread without draws: slopes of the log evidence at a few values of sigma.

At a fixed point of expectation propagation the derivative of the log evidence over sigma^2 = q is the explicit one,

    d log Z / dq = 1/2 sum over players of (m^2 / q^2 - P / (1 + q P)),

m being the mean of a skill and P the precision that the matches add to its prior. Over x = log(q + e), with about the
variance e that matches leave to a skill, it is a smooth function, also at q = 0 (estimates of skills have the variance
q + e), so a polynomial through a few nodes is the log evidence up to a constant.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ludometer.arrays import Codes, Floats, Halves
from ludometer.errors import LudometerError, MatchDataError, NoFiniteFit
from ludometer.kernels.evidence.corrections import correlate, measure_cumulants
from ludometer.kernels.evidence.pairs import (
    Messages,
    PairTable,
    Point,
    Quadrature,
    no_messages,
    renew_sites,
    solve_lean,
    weigh_evidence,
)
from ludometer.kernels.evidence.traces import solve_signs, sum_near
from ludometer.kernels.gibbs.likelihood import log_normal_table
from ludometer.kernels.gibbs.multiplayer import Finishes, sweep_held
from ludometer.kernels.gibbs.random_numbers import Word
from ludometer.kernels.runtime.lanes import WIDTH, allocate
from ludometer.matches import Matches

if TYPE_CHECKING:
    from ludometer.measurement.luck.population import SigmaPrior

_NEAR, _STILL = 0.3, 0.03
"""Passes stop when a step towards the maximum, or the slope's last change at a node, is that many posterior SDs: what
is left is a tenth of it."""

_PACE, _LONGEST = 1.3, 0.5
"""Steps to the maximum over those of the guessed information, which is too large, and the longest."""

_PACE_OF_T = 0.7
"""Steps of t are shorter than Newton's: the messages still follow the step before."""

_MOST_PASSES = 100
_LEAN_ERROR = 3e-5
"""Of all means together, relative."""

_SMALLEST, _TIE_SD = 1e-4, 5.0
"""The least q at which slopes are taken; the scale of the half-normal prior of t."""

_DENSE = 400
"""Players up to whom the inverse is computed; with more its trace comes from random signs."""

_SIGNS, _MOST_SIGNS, _NOISE = 8, 128, 0.03
"""Columns of random signs, at least and at most, and the error, in posterior SDs, at which they are enough."""

_SIGN_ERROR, _MOST_STEPS = 1e-3, 500
_OF_A_SEAT, _OF_A_WIN = 0.85, 0.3
"""About the precision that a seat of a large match, and a match of two, give to a skill."""

_EM_SWEEPS, _FORGOTTEN, _SWEEPS, _MOST_SWEEPS, _HELD_NOISE = 16, 6, 12, 160, 0.085
"""Sweeps to find the peak, after a step of sigma, at a time, and at most, and the noise at which there are enough."""

_SOME, _FLOWS = 20_000, 5
"""Pairs of a part that is large enough, and passes of the cumulants' flow along the graph."""

_LOOPS_LEFT, _SKEW_LEFT = 0.3, 0.2
"""What is left of the errors that the corrections remove: measured, see benchmarks/evidence.py."""

_NARROW, _REACH, _SHARE = 0.06, 2.2, 0.6
"""Up to this SD of log(q + e) three nodes are enough, at the maximum and so many SDs on both sides; the usual share of
the guessed information that is there."""

_TRIES, _NEARLY = 3, 0.6
"""How often three nodes are put elsewhere, and the least ratio of their SD and the one that they see."""

_NODES, _MOST_NODES, _BEYOND = 7, 15, 9.0
"""Nodes of a wide posterior, first and at most, and how far its log density has to fall towards the ends."""

_GRID = 4_000
_log = logging.getLogger(__name__)


class Slope(NamedTuple):
    """The log evidence at one q: its slope over q, and what it is made of."""

    q: float
    slope: float
    loops: float
    noise: float
    """The part of the slope that cycles of the graph add to that of a tree, and the slope's standard error."""
    skew: float
    """What the skewness of factors adds to the log evidence itself."""
    t: float
    """The most likely threshold of ties."""


class Peak(NamedTuple):
    """About where the evidence is largest."""

    q: float
    error: float
    """e, about the variance that matches leave to a skill."""
    sd: float
    """Of log(q + e)."""


class Game(Protocol):
    """A record whose log evidence has slopes; what it knows stays from one q to the next."""

    def find(self, q: float, highest: float) -> Peak:
        """The peak, searched for from this q on."""

    def slope(self, q: float) -> Slope:
        """At this q."""

    def skills(self) -> tuple[Floats, Floats]:
        """Mean and SD of all skills at the last q."""

    def sd_of_t(self) -> float:
        """The SD of t given sigma, at the last q."""


def tally_pairs(first: Codes, second: Codes, halves: Halves, n_players: int) -> PairTable:
    """Each pair of opponents once, with the numbers of their results.

    >>> tally_pairs(*map(np.array, ([0, 1, 0], [1, 0, 2], [2, 0, 1])), 3).won.tolist()
    [2.0, 0.0]
    """
    low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second).astype(np.int64)
    key, row = np.unique(low * n_players + high, return_inverse=True)
    tied = halves == 1
    won = ~tied & ((halves == 2) == (first == low))
    one, other = np.divmod(key, n_players)
    counts = [np.bincount(row[kind], minlength=len(key)).astype(np.float64) for kind in (won, ~tied & ~won, tied)]
    return PairTable(one.astype(np.int32), other.astype(np.int32), *counts)


def make_quadrature(nodes: int) -> Quadrature:
    """Gauss and Hermite's nodes."""
    x, weight = np.polynomial.hermite_e.hermegauss(nodes)
    return Quadrature(x, weight / weight.sum(), log_normal_table())


class PairGame:
    """Two-player matches, ties by a threshold, and a share of coins that is given."""

    def __init__(
        self,
        pairs: PairTable,
        n_players: int,
        *,
        tie_sd: float,
        share: float = 0.0,
        t: float | None = None,
        seed: int = 0,
    ) -> None:
        from scipy.special import ndtri

        self.pairs, self.n_players, self.tie_sd, self.share, self.seed = pairs, n_players, tie_sd, share, seed
        self.starts = np.searchsorted(pairs.one, np.arange(n_players + 1)).astype(np.int64)
        self.messages = no_messages(len(pairs.one), n_players)
        # coins give the factors long tails, which normal weights hardly reach
        self.quadrature, self.finer = (make_quadrature(nodes) for nodes in ((21, 31) if share else (7, 11)))
        self.q, self.t, self._bend = 1.0, 0.0, 0.0
        if tie_sd > 0:
            tied = pairs.tied.sum() / (pairs.won.sum() + pairs.lost.sum() + pairs.tied.sum())
            self.t = float(2 * ndtri((1 + tied) / 2))
        self.is_fixed = t is not None or tie_sd == 0
        self.t = self.t if t is None else t
        self._signs: list[tuple[Floats, Floats]] = []
        self.passes = 0

    def find(self, q: float, highest: float) -> Peak:
        """By a step of log(q + e), and of t, after each pass."""
        self.q = q
        for turn in range(_MOST_PASSES):
            by_t, value, information = self._pass()
            known = float(self.messages.precision.mean())
            if not known > 0:
                raise NoFiniteFit("results without contradictions have no normal evidence: use the sampler")
            error = 1 / known
            sd = 1 / (np.sqrt(information) * (self.q + error))
            if turn == 0:
                continue
            moved = self._move_t(by_t)
            step = min(max(_PACE * value * (self.q + error) * sd**2, -_LONGEST), _LONGEST)
            after = min(max((self.q + error) * np.exp(step) - error, _SMALLEST), highest)
            is_near = abs(after - self.q) * np.sqrt(information) <= _NEAR and moved <= _NEAR
            self.q = float(after)
            if is_near and turn > 1:
                break
        return Peak(self.q, error, float(sd / np.sqrt(_SHARE)))

    def slope(self, q: float) -> Slope:
        """At this q and the most likely t."""
        self.q = max(q, _SMALLEST)
        value, information = self._settle()
        loops, noise = self._close_loops(information)
        found = Slope(self.q, value + loops, loops, noise, self._weigh_skewness(), self.t)
        _log.debug("%d passes: %s", self.passes, found)
        return found

    def skills(self) -> tuple[Floats, Floats]:
        """Means are exact for the sites; variances too if there are few players, else as on a tree."""
        few = self.n_players <= _DENSE
        left = np.diag(self._inverse()) if few else 1 / (1 + self.q * self.messages.precision)
        return self.q * self.messages.lean, np.sqrt(self.q * left)

    def sd_of_t(self) -> float:
        """By the slope over t at another t, messages included."""
        if self.is_fixed:
            return 0.0
        t, here = self.t, self._pass()[0]
        self.t = t + 2 / np.sqrt(self._bend)
        for _ in range(3):
            there = self._pass()[0]
        bend = (here - there) / (self.t - t) + 1 / self.tie_sd**2
        self.t = t
        return float(max(bend, 0.1 * self._bend) ** -0.5)

    def weigh(self, q: float) -> tuple[float, float]:
        """The log evidence of the messages at this q, as on a tree, and its slope over the share of coins."""
        self.q = q
        self._settle()
        return weigh_evidence(self.pairs, self.messages, Point(q, self.t, self.share), make_quadrature(31))

    def _pass(self) -> tuple[float, float, float]:
        """All messages once: the slope over t, that over q, and about its information."""
        messages, point = self.messages, Point(self.q, self.t, self.share)
        by_t = renew_sites(self.pairs, messages, point, self.quadrature)
        solve_lean(self.starts, self.pairs.other, messages.site, self.q, messages.lean, _LEAN_ERROR, _MOST_STEPS)
        self.passes += 1
        added = messages.precision / (1 + self.q * messages.precision)
        return by_t, 0.5 * float((messages.lean**2 - added).sum()), 0.5 * float((added**2).sum())

    def _settle(self) -> tuple[float, float]:
        """Pass messages until the slope over q stays; the slope, and about its information."""
        before = np.inf
        for turn in range(_MOST_PASSES):
            by_t, value, information = self._pass()
            moved = self._move_t(by_t) if turn else 0.0
            if abs(value - before) <= _STILL * np.sqrt(information) and moved <= 2 * _STILL:
                break
            before = value
        if not np.isfinite(value):
            raise NoFiniteFit("the messages between opponents do not settle: measure the spread with the sampler")
        return value, information

    def _move_t(self, by_t: float) -> float:
        """A Newton step of t; its length in SDs."""
        if self.is_fixed:
            return 0.0
        if self._bend == 0.0:
            self._bend = self._bend_over_t()
        step = _PACE_OF_T * (by_t - self.t / self.tie_sd**2) / self._bend
        step = min(max(step, -0.5 * self.t), self.t)
        self.t += step
        return float(abs(step) * np.sqrt(self._bend))

    def _bend_over_t(self) -> float:
        """Minus the second derivative over t, all else as it is, from a part of the pairs."""
        every = max(1, len(self.pairs.one) // _SOME)
        columns: list[Any] = [np.ascontiguousarray(column[::every]) for column in self.pairs]
        part, messages = PairTable(*columns), self.messages
        slopes = []
        for t in (self.t, 1.01 * self.t):
            site, letter = (np.ascontiguousarray(a[::every]).copy() for a in (messages.site, messages.letter))
            copy = Messages(site, letter, messages.precision.copy(), messages.lean)
            slopes.append(renew_sites(part, copy, Point(self.q, t, self.share), self.quadrature))
        scale = sum(float(a.sum()) for a in self.pairs[2:]) / sum(float(a.sum()) for a in part[2:])
        return max(scale * (slopes[0] - slopes[1]) / (0.01 * self.t), 1.0) + 1 / self.tie_sd**2

    def _close_loops(self, information: float) -> tuple[float, float]:
        """How much the exact trace adds to the slope over q, and its standard error."""
        on_tree = float((1 / (1 + self.q * self.messages.precision)).sum())
        if self.n_players <= _DENSE:
            return 0.5 * (float(np.trace(self._inverse())) - on_tree) / self.q, 0.0
        found: list[float] = []
        while True:
            found += self._try_signs(len(found) // WIDTH)
            excess = 0.5 * (np.array(found) - on_tree) / self.q
            noise = float(excess.std(ddof=1) / np.sqrt(len(excess)))
            if noise <= _NOISE * np.sqrt(information) or len(found) >= _MOST_SIGNS:
                return float(excess.mean()), noise

    def _inverse(self) -> Floats:
        """Of I + q B."""
        one, other, weight = self.pairs.one, self.pairs.other, self.q * self.messages.site[:, 0]
        matrix = np.eye(self.n_players)
        matrix[one, other] -= weight
        matrix[other, one] -= weight
        for end in (one, other):
            matrix[np.diag_indices(self.n_players)] += np.bincount(end, weight, self.n_players)
        return np.asarray(np.linalg.inv(matrix))

    def _try_signs(self, column: int) -> list[float]:
        """Eight estimates of the trace of (I + q B)^-1; the same signs at every q."""
        if column == len(self._signs):
            rng = np.random.default_rng([self.seed, column])
            signs = allocate(self.n_players, WIDTH)
            signs[:] = 1 - 2 * rng.integers(0, 2, signs.shape, np.int8)
            self._signs.append((signs, allocate(self.n_players, WIDTH)))
        signs, solved = self._signs[column]
        far, near, site = np.empty((1, WIDTH)), np.empty((1, WIDTH)), self.messages.site
        solve_signs(self.starts, self.pairs.other, site, self.q, signs, solved, (_SIGN_ERROR, _MOST_STEPS), far)
        sum_near(self.pairs, self.messages, self.q, signs, near)
        return [float(value) for value in far[0] - near[0]]

    def _weigh_skewness(self) -> float:
        cumulants = np.empty(len(self.pairs.one))
        measure_cumulants(self.pairs, self.messages, Point(self.q, self.t, self.share), self.finer, cumulants)
        return correlate(self.pairs, self.messages, self.q, cumulants, _FLOWS) / 6


class OrderGame:
    """Multiplayer matches: the mean of m^2 + variance over all players from Gibbs sweeps with sigma held.

    Given sigma the draws of all skills are nearly independent, so a few dozen are enough where a player has many seats.
    """

    def __init__(self, record: Finishes, *, seed: int = 0) -> None:
        from ludometer.kernels.gibbs.random_numbers import make_word
        from ludometer.measurement.luck.sampler import start_field

        root = np.random.SeedSequence([seed, 1])
        self.record, self.n_players = record, len(record.seats)
        self.q, self.word, self.field = 1.0, make_word(root), start_field(record, 1.0)
        self.sums, self.count = np.zeros((2, self.n_players)), 0
        met = np.add.reduceat(np.append(record.pairs.met, 0.0), record.pairs.starts[:-1])
        met = np.where(np.diff(record.pairs.starts) > 0, met, 0.0)
        # only a guess: an order says nearly as much as the performances, a win about half
        self.precision = _OF_A_SEAT * (record.seats - record.shared) + _OF_A_WIN * met

    def find(self, q: float, highest: float) -> Peak:
        """By stochastic EM: sigma^2 becomes the mean of s^2."""
        path = []
        self.q = q
        for _ in range(_EM_SWEEPS):
            self.q = min(max(float(self._sweep(1)[0]) / self.n_players, _SMALLEST), highest)
            path.append(self.q)
        self.q = float(np.mean(path[_EM_SWEEPS // 2 :]))
        error = 1 / float(self.precision.mean())
        sd = 1 / (np.sqrt(self._information()) * (self.q + error))
        return Peak(self.q, error, float(sd))

    def slope(self, q: float) -> Slope:
        """Sweeps until the noise is small, or there have been many."""
        from ludometer.measurement.luck.diagnostics import effective_draws

        self.q = max(q, _SMALLEST)
        self._sweep(_FORGOTTEN)
        squares = np.empty(0)
        while True:
            squares = np.append(squares, self._sweep(_SWEEPS, counts=True))
            slopes = 0.5 * (squares / self.q - self.n_players) / self.q
            noise = float(slopes.std(ddof=1) / np.sqrt(min(effective_draws(slopes[np.newaxis]), len(slopes))))
            if noise <= _HELD_NOISE * np.sqrt(self._information()) or len(squares) >= _MOST_SWEEPS:
                return Slope(self.q, float(slopes.mean()), 0.0, noise, 0.0, 0.0)

    def skills(self) -> tuple[Floats, Floats]:
        """Over all draws so far."""
        mean, square = self.sums / max(self.count, 1)
        return mean, np.sqrt(np.maximum(square - mean**2, 0))

    def sd_of_t(self) -> float:
        """There is no threshold."""
        return 0.0

    def _information(self) -> float:
        return 0.5 * float(((self.precision / (1 + self.q * self.precision)) ** 2).sum())

    def _sweep(self, count: int, *, counts: bool = False) -> Floats:
        squares, sums = np.empty(count), np.zeros((2, self.n_players))
        with np.errstate(over="ignore"):  # without the JIT NumPy would warn of what a generator is made of
            after = sweep_held(self.record, self.q**0.5, self.field, self.word, squares, sums)
        self.word = Word(after)
        if counts:
            self.sums, self.count = self.sums + sums, self.count + count
        return squares


@dataclass(frozen=True)
class PopulationEvidence:
    """How likely a record is for one spread of skills and one share of coins, and how that changes with them."""

    log_evidence: float
    """Up to the order of results: every match has the probability of its own result."""
    by_log_sigma: float
    by_share: float
    """Slopes of the log evidence over log sigma and over the share of coins."""
    t: float
    """The threshold of ties, as given or most likely."""


def population_evidence(
    matches: Matches, *, sigma: float, share: float = 0.0, t: float | None = None, seed: int = 0
) -> PopulationEvidence:
    """The log evidence of two-player matches if skill decides all but a `share` of them and a coin those.

    A win has the probability share / 2 + (1 - share) Phi((d - t) / sqrt 2) for the difference d of skills, which are
    normal with SD `sigma`; a coin never ties. By expectation propagation with the first correction for skewness; cycles
    of the graph are in the slope over sigma, not in the value. t is the most likely one if it is not given. Skills do
    not change here: how likely a drift is the state-space ratings say (`ludometer.ratings.state_space`).

    >>> from ludometer.simulate import simulate_strengths
    >>> matches = simulate_strengths(40, 3000, sd=150, seed=1)
    >>> skill, coins = population_evidence(matches, sigma=0.7), population_evidence(matches, sigma=0.7, share=0.5)
    >>> skill.log_evidence > coins.log_evidence, skill.by_share < 0
    (True, True)
    """
    if not (sigma > 0 and 0 <= share < 1 and (t is None or t >= 0)):
        raise LudometerError("sigma is above 0, the share of coins from 0 to below 1, and t not negative")
    if not len(matches) or matches.sizes.max() > 2:
        raise MatchDataError("this evidence is that of two-player matches")
    played = matches.counts > 0
    pairs, n_players = (matches if played.all() else matches.recode(played)).pairs, int(played.sum())
    table = tally_pairs(pairs.first, pairs.second, pairs.halves, n_players)
    tie_sd = _TIE_SD if matches.n_draws else 0.0
    game = PairGame(table, n_players, tie_sd=tie_sd, share=share, t=t, seed=seed)
    slope = game.slope(sigma**2)
    log_evidence, by_share = game.weigh(sigma**2)
    by_log_sigma = 2 * sigma**2 * slope.slope
    return PopulationEvidence(log_evidence + slope.skew, by_log_sigma, by_share, game.t)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The posterior of sigma on a grid, and how far it may be off."""

    sigma: Floats
    log_evidence: Floats
    """Of each sigma, up to a constant: the prior is not in it."""
    mass: Floats
    """The posterior probability of each sigma."""
    t: Floats
    """The most likely threshold of ties at each sigma."""
    t_sd: float
    """SD of t given sigma."""
    skill: Floats
    skill_sd: Floats
    """At about the most likely sigma."""
    bound: float
    """How far the mean of l2 may be from that of endless draws, in posterior SDs."""
    parts: dict[str, float]
    """What it is made of: `loops` and `skewness` are what was corrected, `noise` and `nodes` are errors."""
    nodes: int

    def moments(self, values: Floats) -> tuple[float, float]:
        """Mean and SD of a function of sigma."""
        mean = float(self.mass @ values)
        return mean, float(np.sqrt(self.mass @ (values - mean) ** 2))

    def quantiles(self, levels: tuple[float, ...]) -> Floats:
        """Of sigma."""
        # half of a cell's mass lies below its middle
        return np.asarray(np.interp(levels, np.cumsum(self.mass) - 0.5 * self.mass, self.sigma))

    def under(self, prior: SigmaPrior) -> Floats:
        """The posterior probability of each sigma under another prior."""
        return _normalise(self.log_evidence + prior.log_density(self.sigma))


def _normalise(log_density: Floats) -> Floats:
    mass = np.exp(log_density - log_density.max())
    return np.asarray(mass / mass.sum())


def integrate(game: Game, prior: SigmaPrior, *, start: float = 1.0, details: bool = True) -> Evidence:
    """The posterior of sigma from slopes at a few nodes; the peak is searched for from sigma = `start` on.

    Without `details` t has no SD.

    >>> from ludometer.measurement.luck.population import make_prior
    >>> rng = np.random.default_rng(0)
    >>> skill, first = rng.standard_normal(30), rng.integers(0, 30, 2000)
    >>> second = (first + rng.integers(1, 30, 2000)) % 30
    >>> wins = skill[first] - skill[second] + rng.normal(0, 2**0.5, 2000) > 0
    >>> game = PairGame(tally_pairs(first, second, 2 * wins, 30), 30, tie_sd=0.0)
    >>> found = integrate(game, make_prior("uniform:10"))
    >>> 0.6 < found.moments(found.sigma)[0] < 1.5, found.bound < 0.1
    (True, True)
    """
    highest = prior.top**2
    peak = game.find(min(start**2, 0.9 * highest), highest)
    for _ in range(_TRIES):
        lowest, x, top = (float(np.log(q + peak.error)) for q in (0.0, peak.q, highest))
        if peak.sd > _NARROW or x - 4 * peak.sd <= lowest or x + 4 * peak.sd >= top:
            break
        line = _Line(peak.error, max(x - 6 * peak.sd, lowest), min(x + 6 * peak.sd, top))
        # the middle comes last: skills are taken there
        slopes = [game.slope(line.q(x + side * _REACH * peak.sd)) for side in (-1, 1, 0)]
        seen = _see_peak(slopes, peak, highest)
        if _NEARLY < peak.sd / seen.sd < 1 / _NEARLY and abs(np.log(seen.q + peak.error) - x) < 1.5 * seen.sd:
            line = _Line(peak.error, max(x - 6 * seen.sd, lowest), min(x + 6 * seen.sd, top))
            return _assemble(game, prior, slopes, line, details=details)
        peak = seen
    slopes, line = _take_wide(game, prior, peak, highest)
    game.slope(peak.q)
    return _assemble(game, prior, slopes, line, details=details)


def _see_peak(slopes: list[Slope], peak: Peak, highest: float) -> Peak:
    """The peak by Newton's step from the middle of three slopes."""
    x, over_x = (np.log([one.q + peak.error for one in slopes]), [one.slope * (one.q + peak.error) for one in slopes])
    bend = max((over_x[0] - over_x[1]) / (x[1] - x[0]), 0.05 / peak.sd**2)
    step = min(max(over_x[2] / bend, -_LONGEST), _LONGEST)
    q = min(max(float(np.exp(x[2] + step)) - peak.error, _SMALLEST), highest)
    return Peak(q, peak.error, float(bend**-0.5))


class _Line(NamedTuple):
    """A stretch of x = log(q + e)."""

    error: float
    low: float
    high: float

    def at(self, q: Floats) -> Floats:
        return np.asarray(np.log(q + self.error))

    def q(self, x: float) -> float:
        return max(float(np.exp(x) - self.error), 0.0)


def _take_wide(game: Game, prior: SigmaPrior, peak: Peak, highest: float) -> tuple[list[Slope], _Line]:
    """Slopes at Chebyshev's nodes from end to end of the posterior."""
    lowest, top = np.log(peak.error), np.log(highest + peak.error)
    x = np.log(peak.q + peak.error)
    line = _Line(peak.error, max(x - 5 * peak.sd, lowest), min(x + 5 * peak.sd, top))
    count = _NODES
    while True:
        angle = np.pi * (np.arange(count) + 0.5) / count
        places = line.low + (line.high - line.low) * 0.5 * (1 - np.cos(angle))
        slopes = [game.slope(line.q(place)) for place in places]
        sigma, log_evidence, _ = _interpolate(slopes, line, count)
        log_density = log_evidence + prior.log_density(sigma)
        is_short = log_density.max() - log_density[[0, -1]] < _BEYOND
        is_short &= [line.low > lowest, line.high < top]
        if count >= _MOST_NODES or not is_short.any():
            return slopes, line
        more = 0.5 * (line.high - line.low) * is_short
        line = _Line(peak.error, max(line.low - more[0], lowest), min(line.high + more[1], top))
        count += 2


def _interpolate(slopes: list[Slope], line: _Line, count: int) -> tuple[Floats, Floats, Floats]:
    """sigma on a grid, the log evidence there, and the part of skewness; by polynomials of so many coefficients."""
    from numpy.polynomial import Chebyshev

    q = np.array([slope.q for slope in slopes])
    x, over_x = np.log(q + line.error), [slope.slope * (slope.q + line.error) for slope in slopes]
    domain = [line.low, line.high]
    rise = Chebyshev.fit(x, over_x, count - 1, domain=domain).integ()
    skew = Chebyshev.fit(x, [slope.skew for slope in slopes], count - 1, domain=domain)
    ends = np.sqrt([line.q(line.low), line.q(line.high)])
    sigma = ends[0] + (ends[1] - ends[0]) * (np.arange(_GRID) + 0.5) / _GRID
    at = line.at(sigma**2)
    return sigma, np.asarray(rise(at) + skew(at)), np.asarray(skew(at))


def _assemble(game: Game, prior: SigmaPrior, slopes: list[Slope], line: _Line, *, details: bool) -> Evidence:
    from numpy.polynomial import Chebyshev

    sigma, log_evidence, skew = _interpolate(slopes, line, len(slopes))
    mass = _normalise(log_evidence + prior.log_density(sigma))
    l2, q = 1 / (1 + sigma**2), sigma**2
    mean, sd = _moments(mass, l2)
    mean_q, sd_q = _moments(mass, q)
    middle = min(slopes, key=lambda slope: abs(slope.q - mean_q))
    without = _normalise(log_evidence - skew + prior.log_density(sigma))
    parts = {
        "loops": abs(middle.loops) * sd_q,
        "skewness": abs(_moments(without, l2)[0] - mean) / sd,
        "noise": middle.noise * sd_q,
        "nodes": 0.0,
    }
    if len(slopes) > 3:
        _, coarser, _ = _interpolate(slopes, line, len(slopes) - 1)
        parts["nodes"] = abs(_moments(_normalise(coarser + prior.log_density(sigma)), l2)[0] - mean) / sd
    bound = (
        float(np.hypot(parts["noise"], parts["nodes"])) + _LOOPS_LEFT * parts["loops"] + _SKEW_LEFT * parts["skewness"]
    )
    skill, skill_sd = game.skills()
    x = line.at(np.array([slope.q for slope in slopes]))
    return Evidence(
        sigma=sigma,
        log_evidence=log_evidence,
        mass=mass,
        t=np.asarray(Chebyshev.fit(x, [slope.t for slope in slopes], len(slopes) - 1)(line.at(q))),
        t_sd=game.sd_of_t() if details else 0.0,
        skill=skill,
        skill_sd=skill_sd,
        bound=bound,
        parts=parts,
        nodes=len(slopes),
    )


def _moments(mass: Floats, values: Floats) -> tuple[float, float]:
    mean = float(mass @ values)
    return mean, float(np.sqrt(mass @ (values - mean) ** 2))
