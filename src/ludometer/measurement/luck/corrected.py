"""L and l2 without the bias of fitted skills: both are 1 on average where there is no skill, on any schedule.

Fitted skills contain luck of their own, so that they spread even if all players are equal. Here no skill is fitted: L
and l2 are those of a normal population, read off the variance q of its skills, and q is where the evidence of the
record, all skills integrated out, is largest. No prior keeps q away from 0, and q may be negative, as any unbiased
estimate of a variance may be: below 0 the log evidence is continued by its slope U and its information I at 0,

    U = sum over pairs of matches that share a player of g g',        I = variance of U if all are equal,

g being what a result says about the player (the expected order statistic of the place: +-0.564 of two). U is a sum of
products of results from different matches, so chance alone gives it the mean 0 whoever met whom how often.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.errors import MatchDataError, NoFiniteFit
from ludometer.matches import Matches, Pairs, Seats
from ludometer.measurement.luck.entropy import entropies

if TYPE_CHECKING:
    from ludometer.measurement.luck.evidence import Evidence
    from ludometer.measurement.luck.population import PopulationLuck

Interval = tuple[float, float]

_FLAT = "uniform:10"
"""The prior whose range of sigma holds every value that the evidence may favour."""

_NORMAL_95 = 1.959963984540054
_FAR = 100.0
"""The largest variance of skills that is told from a larger one: L has hardly anything left to fall."""

CLEAR, _TOO_FAR = 2.5, 5.0
"""SDs of U above 0 from which draws of sigma, which cannot be negative, tell all, and up to which one step from 0 may
stand for them."""

_BELOW, _STEPS = 8.0, 2_000
"""How many SDs the log evidence is continued below 0, and in how many steps."""

_MOST_LINKS = 20_000_000
"""Pairs of seats that are counted to see which players met more than once."""

_STEP, _REACH = 0.05, 9.0


@dataclass(frozen=True)
class CorrectedLuck:
    """L and l2 of the population, unbiased also where there is no skill; an estimate may then lie above 1."""

    luck: float
    luck_interval: Interval
    l2: float
    l2_interval: Interval
    variance: float
    """Of the skills, in variances of one performance; below 0 where results are more even than chance makes them."""
    variance_interval: Interval
    per_match: int
    """Players of the match that L is of."""
    method: Literal["evidence", "score", "draws"]
    """Where the variance comes from: the evidence; its slope at 0, for lack of it; or draws of sigma, far from 0."""

    @classmethod
    def of(
        cls,
        variance: float,
        interval: Interval,
        ties: float,
        per_match: int,
        method: Literal["evidence", "score", "draws"],
    ) -> CorrectedLuck:
        """From the variance of the skills, its 95% interval, and the share of ties between random opponents."""
        low, high = interval
        return cls(
            luck=_across_zero(variance, ties, per_match),
            luck_interval=(_across_zero(high, ties, per_match), _across_zero(low, ties, per_match)),
            l2=_mirrored_l2(variance),
            l2_interval=(_mirrored_l2(high), _mirrored_l2(low)),
            variance=variance,
            variance_interval=interval,
            per_match=per_match,
            method=method,
        )


def _across_zero(variance: float, ties: float, per_match: int) -> float:
    """L, as far above 1 as it would be below 1 for the opposite variance: so that estimates around 0 do not pull it."""
    found = population_luck(abs(variance), ties=ties, per_match=per_match)
    return found if variance >= 0 else 2 - found


def _mirrored_l2(variance: float) -> float:
    found = 1 / (1 + abs(variance))
    return found if variance >= 0 else 2 - found


def population_luck(variance: float, *, ties: float = 0.0, per_match: int = 2) -> float:
    """L of normal skills with this variance, opponents drawn at random, performances being normal with variance 1.

    A player of skill s performs at y = s + noise, a random opponent at N(0, 1 + variance). Two players tie as often as
    `ties` says; of more, each has a place.

    >>> population_luck(0.0), round(population_luck(1.0), 3), round(population_luck(1.0, per_match=4), 3)
    (1.0, 0.875, 0.878)
    """
    from scipy.special import ndtr, ndtri

    z = np.arange(-_REACH, _REACH + _STEP, _STEP)
    density = np.exp(-0.5 * z * z)
    density /= density.sum()
    skill = math.sqrt(variance) * z
    if per_match == 2:
        t = float(ndtri(0.5 * (1 + ties))) * math.sqrt(2 + 2 * variance)
        win = ndtr((skill - t) / math.sqrt(2 + variance))
        chances = np.column_stack((win, np.maximum(1 - win - win[::-1], 0.0), win[::-1]))
    else:
        above = ndtr(-(skill[:, np.newaxis] + z) / math.sqrt(1 + variance))
        chances = np.stack([density @ _at_place(above, place, per_match).T for place in range(per_match)], axis=1)
    overall = density @ chances
    return float(density @ entropies(chances) / entropies(overall))


def _at_place(above: Floats, place: int, size: int) -> Floats:
    """The probability that `place` of the others are ahead, each with the probability `above`."""
    return math.comb(size - 1, place) * above**place * (1 - above) ** (size - 1 - place)


class Start(NamedTuple):
    """The log evidence over the variance of skills, where there is none."""

    slope: float
    information: float
    """U and I."""
    precision: Floats
    """What the matches of each player would tell about their skill."""
    ties: float
    """The share of tied matches of two; 0 for multiplayer matches."""


def score_without_skill(matches: Matches) -> Start:
    """U and I of this record.

    >>> start = score_without_skill(Matches.of_pairs([0, 0, 1], [1, 2, 2], [1, 1, 1]))
    >>> round(start.slope, 3), round(start.information, 3)
    (0.318, 0.304)
    """
    table = matches.table
    return _score_pairs(table, matches) if isinstance(table, Pairs) else _score_seats(table, len(matches.players))


def _score_pairs(pairs: Pairs, matches: Matches) -> Start:
    from scipy.special import ndtr, ndtri

    n, ties = len(matches.players), matches.n_draws / max(len(matches), 1)
    decided = pairs.halves != 1
    first, second = pairs.first[decided], pairs.second[decided]
    sign = pairs.halves[decided] - 1.0
    x = float(ndtri(0.5 * (1 + ties)))
    # the slope of the log probability of a win at equal skills
    win = math.exp(-0.5 * x * x) / math.sqrt(4 * math.pi) / float(ndtr(-x)) if ties < 1 else 0.0
    told = win * (np.bincount(first, sign, n) - np.bincount(second, sign, n))
    count = np.asarray(np.bincount(first, minlength=n) + np.bincount(second, minlength=n), np.float64)
    low, high = np.minimum(first, second), np.maximum(first, second)
    met = np.unique(low.astype(np.int64) * n + high, return_counts=True)[1]
    shared = 0.5 * float((count * (count - 1)).sum()) + float((met * (met - 1.0)).sum())
    slope = 0.5 * float((told**2).sum() - win**2 * count.sum())
    return Start(slope, win**4 * shared, win**2 * count, ties)


def _score_seats(seats: Seats, n_players: int) -> Start:
    told = normal_scores_of_places(seats)
    squares = np.add.reduceat(told**2, seats.starts[:-1]) / seats.sizes
    own = np.repeat(squares, seats.sizes)
    player = seats.player
    total, square, precision, double = (
        np.asarray(np.bincount(player, weight, n_players), np.float64) for weight in (told, told**2, own, own**2)
    )
    shared = 0.5 * float((precision**2 - double).sum())
    if int((seats.sizes * (seats.sizes - 1) // 2).sum()) <= _MOST_LINKS:
        shared += _share_tables(seats, squares, n_players)
    return Start(0.5 * float((total**2).sum() - square.sum()), shared, precision, 0.0)


def _share_tables(seats: Seats, squares: Floats, n_players: int) -> float:
    """What tables that share two players add to the variance of U: results at one table are not independent."""
    keys, weights = [], []
    for size in np.unique(seats.sizes):
        chosen = seats.sizes == size
        player = seats.player[seats.starts[:-1][chosen, np.newaxis] + np.arange(size)]
        left, right = np.triu_indices(int(size), 1)
        low, high = (ends(player[:, left], player[:, right]) for ends in (np.minimum, np.maximum))
        keys.append((low.astype(np.int64) * n_players + high).ravel())
        weights.append(np.repeat(squares[chosen] / (size - 1), len(left)))
    row, weight = np.unique(np.concatenate(keys), return_inverse=True)[1], np.concatenate(weights)
    return float((np.bincount(row, weight) ** 2).sum() - (weight**2).sum())


def normal_scores_of_places(seats: Seats) -> Floats:
    """What the place of each seat says about its player: the expected performance of that place among equals.

    Equal places share the mean of theirs.

    >>> normal_scores_of_places(Seats(np.array([0, 3]), np.array([0, 1, 2]), np.array([1, 2, 2]))).round(3).tolist()
    [0.846, -0.423, -0.423]
    """
    match = np.repeat(np.arange(len(seats)), seats.sizes)
    key = match * (int(seats.sizes.max()) + 1) + seats.place
    _, row, times = np.unique(key, return_inverse=True, return_counts=True)
    last = seats.place.astype(np.int64) - 1 + times[row]
    scores, size = np.empty(len(key)), seats.sizes[match]
    for one in np.unique(seats.sizes):
        so_far = np.concatenate(([0.0], np.cumsum(_expected_order(int(one)))))
        here = size == one
        scores[here] = (so_far[last[here]] - so_far[seats.place[here] - 1]) / times[row[here]]
    return scores


def _expected_order(size: int) -> Floats:
    """The expected largest, second largest, ... of this many standard normal numbers."""
    from scipy.special import gammaln, log_ndtr

    z = np.arange(-_REACH, _REACH + _STEP, _STEP)
    below: Counts = np.arange(size - 1, -1, -1)[:, np.newaxis]
    above = size - 1 - below
    log_density = (
        gammaln(size + 1) - gammaln(above + 1) - gammaln(below + 1) + below * log_ndtr(z) + above * log_ndtr(-z)
    )
    return np.asarray(np.exp(log_density - 0.5 * z * z) @ z * _STEP / math.sqrt(2 * math.pi))


def correct_luck(
    matches: Matches, *, population: PopulationLuck | None = None, per_match: int = 2, seed: int = 0
) -> CorrectedLuck:
    """L and l2 of a record without the bias of fitted skills, with 95% intervals.

    The evidence of `population`, if it has some, is not integrated again; in multiplayer matches its draws are used
    where skill is certain, and the slope of the evidence at 0 where it is not.

    >>> from ludometer.simulate import simulate_coin, simulate_strengths
    >>> coin = correct_luck(simulate_coin(300, 900, seed=1))
    >>> skill = correct_luck(simulate_strengths(300, 9000, sd=200, seed=1))
    >>> coin.luck_interval[0] < 1 < coin.luck_interval[1], skill.luck_interval[1] < 0.9
    (True, True)
    """
    start = score_without_skill(matches)
    if not start.information > 0:
        raise MatchDataError("no two decided matches share a player")
    evidence = _find_evidence(matches, population, seed)
    if evidence is not None:
        variance, interval = _most_likely(evidence, start)
        return CorrectedLuck.of(variance, interval, start.ties, per_match, "evidence")
    skill = start.slope / math.sqrt(start.information)
    if skill > CLEAR and population is not None and population.draws is not None:
        variance, interval = _from_draws(population.draws.sigma, start)
        return CorrectedLuck.of(variance, interval, start.ties, per_match, "draws")
    if skill > _TOO_FAR:
        raise MatchDataError("there is skill, and how much only draws can tell: ask for them with --luck-draws 400")
    return CorrectedLuck.of(*_by_score(start), start.ties, per_match, "score")


def _find_evidence(matches: Matches, population: PopulationLuck | None, seed: int) -> Evidence | None:
    """That of the population if a flat prior chose its range, else anew for matches of two; None if there is none."""
    if population is not None and population.evidence is not None and population.prior == _FLAT:
        return population.evidence
    if matches.sizes.max() > 2:
        return None
    from ludometer.measurement.luck.population import integrate_evidence

    try:
        return integrate_evidence(
            matches, prior=_FLAT, start=1.0 if population is None else population.sigma, seed=seed
        )
    except NoFiniteFit:
        return None


def _most_likely(evidence: Evidence, start: Start) -> tuple[float, Interval]:
    """Where the evidence is largest, and where it is less by the factor of a 95% interval; continued below 0."""
    q, height = evidence.sigma**2, evidence.log_evidence
    if evidence.sigma[0] < evidence.sigma[1] - evidence.sigma[0]:
        # the range begins at 0
        spread = 1 / math.sqrt(start.information)
        below = np.linspace(-_BELOW * spread, 0, _STEPS + 1)
        fall = start.slope * below - 0.5 * start.information * below**2
        q, height = np.concatenate((below, q)), np.concatenate((height[0] - start.slope * q[0] + fall, height))
    top = int(height.argmax())
    level = height[top] - 0.5 * _NORMAL_95**2
    low = np.interp(level, *_rising(height[: top + 1], q[: top + 1]))
    high = np.interp(level, *_rising(height[top:][::-1], q[top:][::-1]))
    return float(q[top]), (float(low), float(high))


def _rising(height: Floats, q: Floats) -> tuple[Floats, Floats]:
    """A side of a peak, rising: at each place the highest so far."""
    return np.maximum.accumulate(height), q


def _from_draws(sigma: Floats, start: Start) -> tuple[float, Interval]:
    """Median and ends of draws under a flat prior of log(q + e), e being the variance that matches leave to a skill.

    Over that the evidence is nearly symmetric, so that the median is its peak.
    """
    q = np.sort(sigma.ravel() ** 2)
    weight = np.sqrt(q) / (q + 1 / float(start.precision.mean()))
    place = (np.cumsum(weight) - 0.5 * weight) / weight.sum()
    low, middle, high = (float(value) for value in np.interp([0.025, 0.5, 0.975], place, q))
    return middle, (low, high)


def _by_score(start: Start) -> tuple[float, Interval]:
    """One step from 0, and the variances of skills at which U would be no surprise.

    With skills of variance q, U varies more than by chance alone: by about sum P^2 (1 + q P)^2 instead of sum P^2.
    """
    estimate, spread = start.slope / start.information, 1 / math.sqrt(start.information)
    weight = start.precision**2 / float((start.precision**2).sum())

    def sd(q: float) -> float:
        return spread * math.sqrt(float(weight @ (1 + max(q, 0.0) * start.precision) ** 2))

    ends = []
    for side in (-1.0, 1.0):
        near, far = estimate, estimate + side * (_BELOW * spread if side < 0 else _FAR)
        for _ in range(60):
            middle = 0.5 * (near + far)
            is_compatible = abs(middle - estimate) <= _NORMAL_95 * sd(middle)
            near, far = (middle, far) if is_compatible else (near, middle)
        ends.append(near)
    return estimate, (ends[0], ends[1])
