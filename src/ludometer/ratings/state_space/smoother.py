"""Every player's strength at every time that they played, given the whole record: the most likely, and its errors.

One node per player and time. Strengths are a tree of normal steps (`kernels.state_space.history`): the level at which
newcomers enter moves over the calendar, players start around it, and their strengths walk from one match day to the
next. The most likely strengths are found by damped Newton steps, their errors from the curvature there (Laplace). The
expected ones are the same with each match averaged over the error of its difference, as the filter does it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.errors import LudometerError
from ludometer.kernels.runtime import lanes
from ludometer.kernels.state_space import history as kernels
from ludometer.kernels.state_space.filter import CURVATURE
from ludometer.matches import Matches
from ludometer.parallel import Workers, map_tasks
from ludometer.ratings.state_space.packing import MOST_COUNTED, days_of
from ludometer.ratings.state_space.parameters import YEAR, Parameters
from ludometer.scale import from_elo

_MOST_LEVELS = 240
"""Values of the entry level over the calendar: a month each for twenty years, longer in a longer record."""
_SHORTEST_LEVEL = YEAR / 12

_MOST_STEPS, _MOST_INNER = 60, 2_000
_SMALLEST = 3e-5
"""A step below it, in natural units, is the last: the error is then about its square, 1e-9."""

_AVERAGES, _PLACINGS = 2, 3
"""Rounds in which the errors of differences, and the places of newcomers, are brought up to date."""

_EXACT = 1_500
"""Up to so many nodes each is solved for; above, the opponents' errors are estimated by draws."""
_WORK, _FEWEST, _MOST = 1_000_000, 64, 256
"""Draws are made until this many strengths are drawn, within these bounds."""
_BATCH = 4
"""Groups of eight draws whose sums are in memory at once."""
_RESULT = 0.25
"""The information of one result between equals."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """Who played when: the nodes of each player in order of time, and the seats of their matches in the same order."""

    chain: Counts
    """Player i has the nodes chain[i] to chain[i + 1]."""
    starts: Counts
    """Node k has the sides starts[k] to starts[k + 1]."""
    match: Counts
    """Of each side."""
    opponent: Codes
    """The opponent's node, of each side."""
    seat: Codes
    """0 or 1, of each side."""
    day: Floats
    """Of each node."""

    @classmethod
    def of(cls, matches: Matches) -> Self:
        """From two-player matches in order of time; without times they are a day apart."""
        pairs, day = matches.pairs, days_of(matches.time, len(matches), -np.inf)
        chain, starts, match, opponent, seat = kernels.place_sides(pairs.first, pairs.second, day, len(matches.players))
        return cls(chain, starts, match, opponent, seat, day[match[starts[:-1]]])

    def __len__(self) -> int:
        return len(self.day)

    @cached_property
    def player(self) -> Codes:
        """Of each node."""
        return np.repeat(np.arange(len(self.chain) - 1, dtype=np.int32), np.diff(self.chain))

    @cached_property
    def is_first(self) -> Mask:
        """Whether a node is its player's first."""
        first = np.zeros(len(self), bool)
        first[self.chain[:-1][np.diff(self.chain) > 0]] = True
        return first

    @cached_property
    def played(self) -> Counts:
        """Matches of each node."""
        return np.diff(self.starts)

    @cached_property
    def before(self) -> Counts:
        """Matches that the player had played before each node."""
        begin = self.starts[self.chain[:-1]]
        return np.asarray(self.starts[:-1] - begin[self.player])

    @cached_property
    def pause(self) -> Floats:
        """Days since the player's node before; 0 at the first."""
        return np.where(self.is_first, 0.0, np.diff(self.day, prepend=self.day[:1]))


@dataclass(frozen=True, eq=False)
class Tree:
    """What is known about strengths before any result; the entry levels stand before the timeline's nodes."""

    n_levels: int
    parent: Codes
    step: Floats
    """The variance of each node around its parent."""
    mean: Floats
    """Expected strengths, without what experience and activity add for a match."""
    offset: Floats
    """What they add."""

    @classmethod
    def of(cls, timeline: Timeline, parameters: Parameters) -> Self:
        """The steps of the model; the first entry level is fixed, since only differences show."""
        n_levels, entered, level_step = _entry_levels(timeline, parameters)
        parent = np.arange(-1, n_levels + len(timeline) - 1, dtype=np.int32)
        parent[0] = 0
        parent[n_levels:][timeline.is_first] = entered
        step, mean, offset = np.zeros((3, n_levels + len(timeline)))
        step[1:n_levels] = level_step
        step[n_levels:] = _steps(timeline, parameters)
        mean[n_levels:] = -_lost_by_pauses(timeline, parameters)
        offset[n_levels:] = _offsets(timeline, parameters)
        return cls(n_levels, parent, step, mean, offset)


def _entry_levels(timeline: Timeline, parameters: Parameters) -> tuple[int, Codes, float]:
    """How many there are, at which each player entered, and the variance between two."""
    first = timeline.day[timeline.is_first]
    if not parameters.entry_drift or not len(first):
        return 1, np.zeros(len(first), np.int32), 0.0
    width = max(_SHORTEST_LEVEL, float(np.ptp(first)) / (_MOST_LEVELS - 1))
    entered = ((first - first.min()) / width).astype(np.int32)
    return int(entered.max()) + 1, entered, from_elo(parameters.entry_drift) ** 2 / YEAR * width


def _steps(timeline: Timeline, parameters: Parameters) -> Floats:
    """The variance of each node around the player's node before, or around the entry level."""
    young = 1 + parameters.young_drift * np.exp(-timeline.before / parameters.young_matches)
    by_time = from_elo(parameters.drift) ** 2 / YEAR * timeline.pause * young
    by_match = from_elo(parameters.match_drift) ** 2 * np.concatenate(([1], timeline.played[:-1]))[: len(timeline)]
    first = from_elo(parameters.spread) ** 2 + from_elo(parameters.match_drift) ** 2
    return np.where(timeline.is_first, first, by_time + by_match)


def _lost_by_pauses(timeline: Timeline, parameters: Parameters) -> Floats:
    if not parameters.rust:
        return np.zeros(len(timeline))
    lost = np.cumsum(from_elo(parameters.rust) * -np.expm1(-timeline.pause / YEAR))
    return np.asarray(lost - lost[timeline.chain[timeline.player]])


def add_experience(before: Counts, recent: Floats, parameters: Parameters) -> Floats:
    """What matches played, and recent ones, add to a strength in a match."""
    learnt = np.log2(1 + np.minimum(before, MOST_COUNTED) / parameters.learning_matches)
    return np.asarray(from_elo(parameters.learning) * learnt + from_elo(parameters.activity) * np.log2(1 + recent))


def _offsets(timeline: Timeline, parameters: Parameters) -> Floats:
    recent = np.zeros(len(timeline))
    if parameters.activity:
        recent = kernels.fade(timeline.chain, timeline.pause, timeline.played, 1 / parameters.activity_days)
    return add_experience(timeline.before, recent, parameters)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the matches tell, for each side."""

    score: Floats
    shift: Floats
    """What is added to the difference of strengths: experience, activity, and the advantage of a seat."""
    weight: Floats
    likeness: Floats
    """The precision with which being paired says that the two are alike."""

    @classmethod
    def of(cls, matches: Matches, timeline: Timeline, tree: Tree, parameters: Parameters) -> Self:
        """Each match seen from both of its seats."""
        first = timeline.seat == 0
        score = matches.pairs.score[timeline.match]
        node = np.repeat(np.arange(len(timeline)), timeline.played)
        offset = tree.offset[tree.n_levels :]
        advantage = from_elo(parameters.advantage) * matches.advantages[timeline.match]
        shift = offset[node] - offset[timeline.opponent] + np.where(first, advantage, -advantage)
        weight = np.ones(len(score)) if matches.weight is None else matches.weight[timeline.match]
        new = np.exp(-timeline.before / parameters.pairing_matches)
        likeness = _RESULT * parameters.pairing * (1 + parameters.pairing_new * (new[node] + new[timeline.opponent]))
        return cls(np.where(first, score, 1 - score), shift, weight, likeness)


@dataclass(frozen=True, eq=False)
class Mode:
    """The most likely strengths."""

    strength: Floats
    """Of all nodes, entry levels first; natural units."""
    information: Floats
    """The tree's precision times what strengths are away from their means."""
    n_steps: int
    converged: bool


@dataclass(frozen=True, eq=False)
class Bands:
    """Errors of strengths, in natural units, of the nodes of a timeline."""

    variance: Floats
    link: Floats
    """The covariance with the player's node before, or with the entry level."""
    peaks: Floats
    """(players, draws): the highest strength of each, what experience adds included, in draws of all strengths."""


class Smoother:
    """The posterior of all strengths of a record, as a function to be maximised and then bent."""

    def __init__(self, matches: Matches, timeline: Timeline, parameters: Parameters) -> None:
        if parameters.form:
            raise LudometerError(
                "a history has no part for form, which comes and goes: fit the parameters without it (form 0)"
            )
        self.timeline, self.parameters = timeline, parameters
        self.tree = Tree.of(timeline, parameters)
        self.evidence = Evidence.of(matches, timeline, self.tree, parameters)
        n_levels, n = self.tree.n_levels, len(self.tree.parent)
        self.n_matches = len(matches)
        # levels have no matches
        self.starts = np.concatenate((np.zeros(n_levels, np.int64), timeline.starts))
        self.other = (timeline.opponent + n_levels).astype(np.int32)
        self.gradient, self.gathered, self.gain = np.empty((3, n))
        self.curvature, self.kappa = np.empty(len(self.other)), _NOTHING
        self.placed = np.zeros(len(timeline.chain) - 1)

    def evaluate(self, strength: Floats, *, share: float = 1.0) -> float:
        """The log likelihood at these strengths; keeps its gradient and curvature, of a share of each result."""
        told = self.evidence
        value = kernels.evaluate_strengths(
            self.starts,
            self.other,
            told.score,
            told.shift,
            told.weight if share == 1 else share * told.weight,
            told.likeness,
            self.kappa,
            strength,
            self.gradient,
            self.curvature,
            self.gathered,
        )
        kernels.eliminate(self.tree.parent, self.tree.step, self.gathered, self.gain)
        return value

    def solve(self, rest: Floats, x: Floats, image: Floats, *, tolerance: float) -> float:
        """Add to x the inverse of the curvature times `rest`, which is used up; to `image` the tree times that.

        A number or eight lanes per node. Conjugate gradients, preconditioned with the tree; a lane ends when its
        residual, measured in the inverse of the tree, is `tolerance` of what it was. Returns the first such size.
        """
        parent, step, gain = self.tree.parent, self.tree.step, self.gain
        scaled, shape = rest.copy(), (1, *rest.shape[1:])
        kernels.solve_tree(parent, step, gain, 0, scaled)
        direction, carried, bent = np.zeros_like(rest), np.zeros_like(rest), scaled
        bends, new, none = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        kernels.turn(none, scaled, rest, direction, carried)
        begin = size = (rest * scaled).sum(axis=0).reshape(shape)
        enough = tolerance * tolerance * size
        for _ in range(_MOST_INNER):
            if (size <= enough).all():
                break
            kernels.bend(self.starts, self.other, self.curvature, direction, carried, bent, bends)
            # a lane that is done, or in a direction without curvature, which is rounding, rests
            goes = (size > enough) & (bends > 0)
            length = np.where(goes, size / np.where(goes, bends, 1.0), 0.0)
            kernels.move(parent, step, gain, length, direction, carried, x, image, rest, bent, new)
            shares = np.where(goes, new / np.where(goes, size, 1.0), 0.0)
            size = np.where(goes, new, 0.0)
            kernels.turn(shares, bent, rest, direction, carried)
        return float(begin.max())

    def maximise(self, start: Mode | None = None) -> Mode:
        """Newton's steps, halved until the posterior rises enough; the equations are solved as accurately as needed."""
        mean, n = self.tree.mean, len(self.tree.mean)
        strength, information = (mean.copy(), np.zeros(n)) if start is None else (start.strength, start.information)
        value = self.evaluate(strength) - 0.5 * _dot(strength - mean, information)
        first = norm = math.inf
        for n_steps in range(1, _MOST_STEPS + 1):
            slope = self.gradient - information
            step, image = np.zeros(n), np.zeros(n)
            tolerance = 0.1 if n_steps == 1 else max(1e-6, min(0.1, norm / first))
            right = slope.copy()
            norm = math.sqrt(self.solve(right, step, image, tolerance=tolerance))
            first = norm if n_steps == 1 else first
            bent = image - self.gathered * step
            rise, length = _dot(slope, step), 1.0
            while True:
                moved, pulled = strength + length * step, information + length * bent
                new = self.evaluate(moved) - 0.5 * _dot(moved - mean, pulled)
                if new >= value + 1e-4 * length * rise - 1e-12 * abs(value) or length < 1e-9:
                    break
                length *= 0.5
            strength, information, value = moved, pulled, new
            if float(np.abs(step).max(initial=0.0)) < _SMALLEST:
                return Mode(strength, information, n_steps, length == 1.0)
        return Mode(strength, information, _MOST_STEPS, False)

    def find_most_likely(self, start: Mode | None = None) -> Mode:
        """The mode of the posterior."""
        self.kappa = _NOTHING
        return self._settle(start)

    def find_expected(self, start: Mode | None = None) -> Mode:
        """Strengths near their posterior means: each match counts as averaged over the error of its difference.

        That error is taken from the two players' variances given all others, in which what the opponents' errors add
        and what two opponents' errors have in common are both left out: they are of like size.
        """
        mode = self.find_most_likely(start)
        variance, link = np.empty((2, len(self.tree.parent)))
        node = np.repeat(np.arange(len(variance)), np.diff(self.starts))
        for _ in range(_AVERAGES):
            self.evaluate(mode.strength)
            kernels.vary_alone(self.tree.parent, self.tree.step, self.gain, self.tree.n_levels, variance, link)
            self.kappa = 1 / np.sqrt(1 + CURVATURE * (variance[node] + variance[self.other]))
            mode = self._settle(mode)
        return mode

    def _settle(self, start: Mode | None) -> Mode:
        """The maximum, with newcomers placed by their first opponents' strengths there."""
        mode = self.maximise(start)
        for _ in range(_PLACINGS if self.parameters.opponent_share else 0):
            mode = self.maximise(self._place_newcomers(mode))
        return mode

    def _place_newcomers(self, mode: Mode) -> Mode:
        """Move the expected strengths of all players by their first opponent's lead over those who play."""
        timeline, tree = self.timeline, self.tree
        entered = timeline.starts[:-1][timeline.is_first]
        opponent, match = timeline.opponent[entered], timeline.match[entered]
        both_new = timeline.is_first[opponent] & (timeline.match[timeline.starts[opponent]] == match)
        lead = (mode.strength + tree.offset)[tree.n_levels :][opponent] - self._mean_levels(mode)[match]
        placed = np.zeros(len(timeline.chain) - 1)
        placed[np.diff(timeline.chain) > 0] = np.where(both_new, 0.0, self.parameters.opponent_share * lead)
        moved = placed[timeline.player] - self.placed[timeline.player]
        self.placed = placed
        mean, strength = tree.mean.copy(), mode.strength.copy()
        mean[tree.n_levels :] += moved
        strength[tree.n_levels :] += moved
        self.tree = replace(tree, mean=mean)
        return replace(mode, strength=strength)

    def mean_level(self, mode: Mode) -> float:
        """The running mean of those who play, as the filter keeps it, after the last match."""
        return float(self._mean_levels(mode)[-1])

    def _mean_levels(self, mode: Mode) -> Floats:
        """The running mean before each match, and after the last."""
        timeline = self.timeline
        seen = (mode.strength + self.tree.offset)[self.tree.n_levels :]
        first = timeline.seat == 0
        node = np.repeat(np.arange(len(timeline)), timeline.played)
        middle = np.empty(self.n_matches)
        middle[timeline.match[first]] = 0.5 * (seen[node[first]] + seen[timeline.opponent[first]])
        return kernels.follow(middle)

    def find_bands(
        self,
        mode: Mode,
        *,
        anchor: Floats | None = None,
        n_draws: int | None = None,
        seed: int = 0,
        workers: Workers | None = None,
    ) -> Bands:
        """The errors of all strengths, as the curvature at the mode gives them.

        A strength varies as it would if all others were known, plus what the opponents' errors add: exact in small
        records, else estimated from draws of all strengths. Errors are of the strengths above the mean of all nodes
        with the weights `anchor`; without it, above the level at which the first players entered.
        """
        tree, n = self.tree, len(self.tree.parent)
        weights = np.zeros(n)
        if anchor is not None:
            weights[tree.n_levels :] = anchor / anchor.sum()
        self.evaluate(mode.strength, share=self.parameters.information)
        if n_draws is None:
            n_draws = min(_MOST, max(_FEWEST, _WORK // n))
        level = (mode.strength + tree.offset)[tree.n_levels :]
        n_groups, exact = -(-n_draws // lanes.WIDTH), n <= _EXACT
        squares, products, peaks = np.zeros(n), np.zeros(n), list[Floats]()
        for begin in range(0, n_groups, _BATCH):
            tasks = [(seed, group) for group in range(begin, min(begin + _BATCH, n_groups))]
            shared = (level, weights, not exact)
            for square, product, peak in map_tasks(self._draw, tasks, shared=shared, workers=workers):
                squares += square
                products += product
                peaks.append(peak)
        if exact:
            variance, link = self._invert(weights)
        else:
            variance, link = self._vary_alone(weights)
            variance += squares / (lanes.WIDTH * n_groups)
            link += products / (lanes.WIDTH * n_groups)
        return Bands(variance[tree.n_levels :], link[tree.n_levels :], np.concatenate(peaks, axis=1))

    def _vary_alone(self, weights: Floats) -> tuple[Floats, Floats]:
        """Variances and covariances with the node before of what is a player's own, less its part in the mean."""
        tree = self.tree
        variance, link = np.empty((2, len(weights)))
        kernels.vary_alone(tree.parent, tree.step, self.gain, tree.n_levels, variance, link)
        shared = weights.copy()
        kernels.solve_tree(tree.parent, tree.step, self.gain, tree.n_levels, shared)
        return variance - 2 * shared, link - shared - shared[tree.parent]

    def vary(self, weights: Floats) -> float:
        """The variance of a weighted sum of strengths, by the curvature of the last evaluation."""
        x = np.zeros_like(weights)
        self.solve(weights.copy(), x, _NOTHING, tolerance=1e-8)
        return _dot(weights, x)

    def _draw(
        self, key: tuple[int, int], level: Floats, weights: Floats, wants_products: bool
    ) -> tuple[Floats, Floats, Floats]:
        """Sums of squares and products of what the opponents' errors add to each node, over eight draws; and peaks.

        A draw of the posterior around its mode: strengths x are drawn from the tree, matches are simulated with normal
        errors, and what they tell is solved for. Given the opponents' part of a draw and the entry levels, a player's
        own is normal around what the chain makes of them, so only the variance of that mean has to be estimated
        (Siden, Lindgren, Bolin and Villani 2018: Rao-Blackwellised Monte Carlo).
        """
        tree, timeline = self.tree, self.timeline
        n, rng = len(tree.parent), np.random.default_rng(key)
        x, right = lanes.allocate(n, lanes.WIDTH), lanes.allocate(n, lanes.WIDTH)
        rng.standard_normal(out=x)
        kernels.walk(tree.parent, tree.step, x)
        push = rng.standard_normal((self.n_matches, lanes.WIDTH))
        kernels.perturb(self.starts, timeline.match, timeline.seat, self.curvature, self.gathered, push, x, right)
        del push
        # first with all opponents held, which leaves as a right side what they then pull
        kernels.solve_tree(tree.parent, tree.step, self.gain, 0, right)
        x += right
        kernels.pull_by_opponents(self.starts, self.other, self.curvature, x, right)
        self.solve(right, x, _NOTHING_LANES, tolerance=1e-4)
        middle = (weights[:, None] * x).sum(axis=0)
        peak = np.empty((len(timeline.chain) - 1, lanes.WIDTH))
        kernels.find_peaks(timeline.chain, level, x[tree.n_levels :], peak)
        squares, products = np.zeros(n), np.zeros(n)
        if wants_products:
            kernels.pull_by_opponents(self.starts, self.other, self.curvature, x, right)
            right[: tree.n_levels] = x[: tree.n_levels]
            kernels.solve_tree(tree.parent, tree.step, self.gain, tree.n_levels, right)
            right -= middle
            kernels.add_products(tree.parent, right, squares, products)
        return squares, products, (peak - middle).astype(np.float32)

    def _invert(self, weights: Floats) -> tuple[Floats, Floats]:
        """The variance of each node and its covariance with its parent, exactly: one solution per node."""
        n, parent = len(self.tree.parent), self.tree.parent
        variance, link = np.empty(n), np.empty(n)
        for begin in range(0, n, lanes.WIDTH):
            nodes = np.arange(begin, min(begin + lanes.WIDTH, n))
            x, right = lanes.allocate(n, lanes.WIDTH), lanes.allocate(n, lanes.WIDTH)
            right[nodes, nodes - begin] = 1.0
            self.solve(right, x, _NOTHING_LANES, tolerance=1e-9)
            variance[nodes], link[nodes] = x[nodes, nodes - begin], x[parent[nodes], nodes - begin]
        shared = np.zeros(n)
        self.solve(weights.copy(), shared, _NOTHING, tolerance=1e-9)
        middle = _dot(weights, shared)
        return variance - 2 * shared + middle, link - shared - shared[parent] + middle


_NOTHING, _NOTHING_LANES = np.empty(0), np.empty((0, lanes.WIDTH))


def _dot(a: Floats, b: Floats) -> float:
    # not by BLAS, whose sums depend on the number of its threads
    return float((a * b).sum())
