"""Skills that change, matches that a coin decides, seats that differ: draws of all of it, given who met whom.

A player's skill is s_1, s_2, ... in the spells of a record: normal with SD sigma, and what is left of a skill after a
time is exp(-time / tau) of it. The first seat scores

    c / 2 + (1 - c) Phi((s_a - s_b + h) / sqrt 2)

against the second: c is the share of matches that a coin decides, h what the first seat is worth. A draw is half a win
and half a loss. Skills move one by one, and all spells of a player together; sigma, c and h move together while the
skills keep their ratios to sigma, since a larger sigma needs more coins. All moves are Metropolis's.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.gibbs.random_numbers import Word, normal, uniform
from ludometer.kernels.runtime.compile import kernel

_ROOT2 = math.sqrt(2.0)
_REACH, _CELLS = 8.0, 256
"""Where the table of Phi ends on both sides, and cells in one unit: exact to 1e-6."""

_SEAT_SD = 1.5
"""The SD of what is known of a seat's worth beforehand."""

SIGMA, COINS, SEAT, TAU, FIT, EDGE = range(6)
"""Columns of the draws: log sigma, the share of coins, h, log tau, the log likelihood, the better player's share."""

_LEAST, _MOST = -6.0, 3.4
"""Bounds of log sigma: at the second the better player wins practically all that a coin does not decide."""

_MOVES = 3
"""Moves of sigma, c and h together in each sweep."""


class Bouts(NamedTuple):
    """Every match from both sides, in order of the spells that see it."""

    starts: Counts
    """Of each spell, its first row; one more at the end."""
    other: Codes
    """The opponent's spell."""
    score: Floats
    """1, 0.5 or 0, of this spell's player."""
    seat: Floats
    """1 if they sat first, -1 if second, 0 if seats are alike."""


class Spells(NamedTuple):
    """A player in one part of the record, ordered by player and time."""

    starts: Counts
    """Of each player, the first spell; one more at the end."""
    gap: Floats
    """Time since the spell before, of the same player; unused for the first."""


class Population(NamedTuple):
    """How skills lie and what they decide; arrays of length 1, since kernels change them."""

    log_sigma: Floats
    coins: Floats
    seat: Floats
    log_tau: Floats


class Pace(NamedTuple):
    """How far moves reach."""

    skill: Floats
    """Of each spell."""
    shift: Floats
    """Of each player."""
    together: Floats
    """(3, 3): the lower triangle by which log sigma, the logit of c and h move together."""
    tau: float


class Limits(NamedTuple):
    """What does not change: bounds of log tau, the weight of a match, and what moves."""

    least_tau: float
    most_tau: float
    weight: float
    """1 over the variance of a score in that of a win: draws tell more than coins."""
    has_seats: bool
    has_spells: bool


def normal_table() -> Floats:
    """Phi at equal steps."""
    from scipy.special import ndtr

    return np.asarray(ndtr(np.linspace(-_REACH, _REACH, round(2 * _REACH * _CELLS) + 1)))


@register_jitable
def _phi(x: float, table: Floats) -> float:
    if x >= _REACH:
        return 1.0
    if x <= -_REACH:
        return 0.0
    at = (x + _REACH) * _CELLS
    cell = np.uint32(at)
    low: float = table[cell]
    high: float = table[cell + 1]
    return low + (at - cell) * (high - low)


@register_jitable
def _chance(gap: float, score: float, coins: float, table: Floats) -> float:
    """The probability of this result; of a draw the root of win times loss."""
    sign = -1.0 if score == 0.0 else 1.0
    win: float = 0.5 * coins + (1.0 - coins) * _phi(sign * gap / _ROOT2, table)
    if score != 0.5:
        return win + 1e-300
    return math.sqrt(max(win * (1.0 - win), 0.0)) + 1e-300


@register_jitable
def _gain(
    bouts: Bouts, spell: int, before: float, after: float, skill: Floats, coins: float, seat: float, table: Floats
) -> float:
    """What a spell's matches say of a new skill against the old one: the difference of log likelihoods."""
    total, product = 0.0, 1.0
    for row in range(bouts.starts[spell], bouts.starts[spell + 1]):
        base = bouts.seat[row] * seat - skill[bouts.other[row]]
        score = bouts.score[row]
        product *= _chance(base + after, score, coins, table) / _chance(base + before, score, coins, table)
        if product < 1e-100 or product > 1e100:
            total += math.log(product)
            product = 1.0
    return total + math.log(product)


@register_jitable
def _log_prior(value: float, before: float, kept: float, variance: float) -> float:
    """Of a skill after another one: what is kept of it, and new variance."""
    spread = variance * (1.0 - kept * kept) + 1e-12
    return -0.5 * (value - kept * before) ** 2 / spread


@kernel
def log_likelihood(bouts: Bouts, skill: Floats, scale: float, coins: float, seat: float, table: Floats) -> float:
    """Of all matches, skills times `scale`."""
    total = 0.0
    for spell in range(len(skill)):
        product = 1.0
        for row in range(bouts.starts[spell], bouts.starts[spell + 1]):
            if bouts.other[row] > spell:
                gap = scale * (skill[spell] - skill[bouts.other[row]]) + bouts.seat[row] * seat
                product *= _chance(gap, bouts.score[row], coins, table)
                if product < 1e-100:
                    total += math.log(product)
                    product = 1.0
        total += math.log(product)
    return total


@register_jitable
def _prior_of(skill: Floats, spells: Spells, tau: float, sigma: float) -> float:
    """The log density of all skills, without what depends on sigma alone."""
    total, variance = 0.0, sigma * sigma
    for player in range(len(spells.starts) - 1):
        first = spells.starts[player]
        for spell in range(first + 1, spells.starts[player + 1]):
            kept = math.exp(-spells.gap[spell] / tau)
            total += _log_prior(skill[spell], skill[spell - 1], kept, variance)
            total -= 0.5 * math.log(1.0 - kept * kept + 1e-12)
    return total


@register_jitable
def _squares(skill: Floats, spells: Spells, tau: float) -> float:
    """The sum of squares that has a chi-square distribution times sigma^2."""
    total = 0.0
    for player in range(len(spells.starts) - 1):
        first = spells.starts[player]
        if first == spells.starts[player + 1]:
            continue
        total += skill[first] * skill[first]
        for spell in range(first + 1, spells.starts[player + 1]):
            kept = math.exp(-spells.gap[spell] / tau)
            total += (skill[spell] - kept * skill[spell - 1]) ** 2 / (1.0 - kept * kept + 1e-12)
    return total


@register_jitable
def _move_skills(
    bouts: Bouts,
    spells: Spells,
    skill: Floats,
    population: Population,
    pace: Pace,
    weight: float,
    table: Floats,
    word: Word,
) -> tuple[int, Word]:
    """Each spell's skill on its own, and all of a player's together; how many of the first were taken."""
    taken = 0
    variance, tau = math.exp(2.0 * population.log_sigma[0]), math.exp(population.log_tau[0])
    coins, seat = population.coins[0], population.seat[0]
    for player in range(len(spells.starts) - 1):
        first, end = spells.starts[player], spells.starts[player + 1]
        for spell in range(first, end):
            before = skill[spell]
            z, word = normal(word)
            after = before + pace.skill[spell] * z
            gain = weight * _gain(bouts, spell, before, after, skill, coins, seat, table)
            if spell == first:
                gain -= 0.5 * (after * after - before * before) / variance
            else:
                kept = math.exp(-spells.gap[spell] / tau)
                gain += _log_prior(after, skill[spell - 1], kept, variance)
                gain -= _log_prior(before, skill[spell - 1], kept, variance)
            if spell + 1 < end:
                kept = math.exp(-spells.gap[spell + 1] / tau)
                gain += _log_prior(skill[spell + 1], after, kept, variance)
                gain -= _log_prior(skill[spell + 1], before, kept, variance)
            u, word = uniform(word)
            if math.log(u) < gain:
                skill[spell] = after
                taken += 1
        if end - first > 1:
            z, word = normal(word)
            by = pace.shift[player] * z
            gain = -0.5 * ((skill[first] + by) ** 2 - skill[first] ** 2) / variance
            for spell in range(first, end):
                matches = _gain(bouts, spell, skill[spell], skill[spell] + by, skill, coins, seat, table)
                gain += weight * matches
                if spell > first:
                    kept = math.exp(-spells.gap[spell] / tau)
                    gain += _log_prior(skill[spell] + by, skill[spell - 1] + by, kept, variance)
                    gain -= _log_prior(skill[spell], skill[spell - 1], kept, variance)
            u, word = uniform(word)
            if math.log(u) < gain:
                for spell in range(first, end):
                    skill[spell] += by
    return taken, word


@register_jitable
def _move_sigma(skill: Floats, spells: Spells, population: Population, word: Word) -> Word:
    """sigma alone, the skills as they are; its prior is Cauchy's, so that the share of skill is uniform."""
    n, before = len(skill), population.log_sigma[0]
    squares = _squares(skill, spells, math.exp(population.log_tau[0]))
    z, word = normal(word)
    after = before + 1.7 / math.sqrt(n) * z
    gain = -(n - 1.0) * (after - before)
    gain -= 0.5 * squares * (math.exp(-2.0 * after) - math.exp(-2.0 * before))
    gain -= math.log1p(math.exp(2.0 * after)) - math.log1p(math.exp(2.0 * before))
    u, word = uniform(word)
    if _LEAST < after < _MOST and math.log(u) < gain:
        population.log_sigma[0] = after
    return word


@register_jitable
def _move_tau(skill: Floats, spells: Spells, population: Population, pace: Pace, limits: Limits, word: Word) -> Word:
    z, word = normal(word)
    before = population.log_tau[0]
    after = before + pace.tau * z
    if limits.least_tau < after < limits.most_tau:
        sigma = math.exp(population.log_sigma[0])
        gain = _prior_of(skill, spells, math.exp(after), sigma) - _prior_of(skill, spells, math.exp(before), sigma)
        u, word = uniform(word)
        if math.log(u) < gain:
            population.log_tau[0] = after
    return word


@register_jitable
def _move_together(
    bouts: Bouts,
    skill: Floats,
    population: Population,
    pace: Pace,
    limits: Limits,
    fit: float,
    table: Floats,
    word: Word,
) -> tuple[float, int, Word]:
    """sigma, c and h, all skills with sigma; the log likelihood after it, and whether they moved."""
    z0, word = normal(word)
    z1, word = normal(word)
    z2, word = normal(word)
    reach = pace.together
    by_sigma = reach[0, 0] * z0
    by_coins = reach[1, 0] * z0 + reach[1, 1] * z1
    by_seat = reach[2, 0] * z0 + reach[2, 1] * z1 + reach[2, 2] * z2 if limits.has_seats else 0.0
    sigma, coins, seat = population.log_sigma[0], population.coins[0], population.seat[0]
    logit = math.log(coins / (1.0 - coins)) + by_coins
    u, word = uniform(word)
    if abs(logit) > 9.0 or not _LEAST < sigma + by_sigma < _MOST:
        return fit, 0, word
    new = 1.0 / (1.0 + math.exp(-logit))
    after = log_likelihood(bouts, skill, math.exp(by_sigma), new, seat + by_seat, table)
    gain = limits.weight * (after - fit)
    gain += by_sigma - math.log1p(math.exp(2.0 * (sigma + by_sigma))) + math.log1p(math.exp(2.0 * sigma))
    gain += math.log(new * (1.0 - new)) - math.log(coins * (1.0 - coins))
    gain -= 0.5 * ((seat + by_seat) ** 2 - seat * seat) / (_SEAT_SD * _SEAT_SD)
    if math.log(u) >= gain:
        return fit, 0, word
    population.log_sigma[0], population.coins[0], population.seat[0] = sigma + by_sigma, new, seat + by_seat
    scale = math.exp(by_sigma)
    for spell in range(len(skill)):
        skill[spell] *= scale
    return after, 1, word


@register_jitable
def _edge(
    spells: Spells, skill: Floats, ones: Codes, others: Codes, coins: float, seat: float, table: Floats, word: Word
) -> tuple[float, Word]:
    """How often the better of two players wins, over these pairs of players, each in one of their spells."""
    total = 0.0
    for row in range(len(ones)):
        value = 0.0
        for side in range(2):
            player = ones[row] if side == 0 else others[row]
            first, end = spells.starts[player], spells.starts[player + 1]
            u, word = uniform(word)
            mine = skill[first + np.uint32(u * (end - first))]
            value += mine if side == 0 else -mine
        both = _phi((value + seat) / _ROOT2, table) + _phi((value - seat) / _ROOT2, table)
        total += abs(both - 1.0)
    return 0.5 + 0.5 * (1.0 - coins) * total / len(ones), word


@kernel
def sweep_changing(
    bouts: Bouts,
    spells: Spells,
    skill: Floats,
    population: Population,
    pace: Pace,
    limits: Limits,
    pairs: tuple[Codes, Codes],
    table: Floats,
    draws: Floats,
    word: Word,
) -> tuple[int, int, Word]:
    """One sweep for each row of `draws`; how many moves of skills and of the population were taken."""
    moved = together = 0
    for sweep in range(len(draws)):
        taken, word = _move_skills(bouts, spells, skill, population, pace, limits.weight, table, word)
        moved += taken
        word = _move_sigma(skill, spells, population, word)
        if limits.has_spells:
            word = _move_tau(skill, spells, population, pace, limits, word)
        fit = log_likelihood(bouts, skill, 1.0, population.coins[0], population.seat[0], table)
        for _ in range(_MOVES):
            fit, taken, word = _move_together(bouts, skill, population, pace, limits, fit, table, word)
            together += taken
        draws[sweep, SIGMA], draws[sweep, COINS] = population.log_sigma[0], population.coins[0]
        draws[sweep, SEAT], draws[sweep, TAU], draws[sweep, FIT] = population.seat[0], population.log_tau[0], fit
        if len(pairs[0]) and (sweep + 1) % 4 == 0:
            draws[sweep, EDGE], word = _edge(
                spells, skill, pairs[0], pairs[1], population.coins[0], population.seat[0], table, word
            )
    return moved, together, word
