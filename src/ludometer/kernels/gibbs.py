"""Sweeps of the Gibbs sampler for the spread of skills in a population of players: two a match, ties by a threshold.

s_a normal with variance sigma^2, y_i | s normal with mean s_1 - s_2 and variance 2, a win if y > t, a tie if |y| <= t
(Gilbert and Wells, section 3.2.2). One sweep draws y given s and t, then all s as one block, then sigma given s
(centred), then sigma and t together given z = s / sigma with y integrated out (non-centred; Yu and Meng 2011 call the
pair an interweaving). The block is the solution of Q s = x'(y/2 + e_1/sqrt 2) + e_2/sigma with Q = x'x/2 + I/sigma^2
and standard normal e, found by conjugate gradients from the last draw: nothing is ever factorised.

The paper's appendix B prints the precision x'x + sqrt(2)/sigma^2 for s. That is not the conditional distribution of
this model; it is kept under the name "printed" with the paper's own treatment of ties.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.compile import kernel
from ludometer.kernels.truncated import Word, gamma, normal, normal_above, normal_between, uniform

INTEGRATING, PRINTED_TIES, MAXIMISING = 0, 1, 2
"""How a sweep goes on after the skills: sigma and t with y integrated out, as the paper has it, or stochastic EM."""

_FIRST, _LAST, _CELLS = -40.0, 9.0, 32
"""Where the table of log Phi begins and ends, and cells in one unit: exact to 1e-9."""

_ROOT2 = math.sqrt(2.0)
_CG_ERROR = 3e-4
"""How far a skill may be from the solution, in SDs of its draw."""

_MOST_STEPS, _TRIES = 500, 50
_NEWTON_SHARE, _LONGEST, _STRIDE = 0.75, 3.0, 1.5
"""How often sigma and t are proposed around the maximum, and not around where they are; how far off that may be (in
SDs), and how far a step of the walk goes."""


class Record(NamedTuple):
    """Who beat whom how often, who tied with whom how often, and who met whom how often (a list for each player)."""

    winner: Codes
    loser: Codes
    won: Codes
    first: Codes
    second: Codes
    tied: Codes
    starts: Counts
    opponent: Codes
    met: Floats


class Model(NamedTuple):
    """The prior of sigma, proportional to sigma^-power exp(-rate / sigma^2) up to `top`, and of t: half normal."""

    kind: int
    weight: float
    share: float
    """Skills have the precision weight x'x + share / sigma^2: a half and 1; 1 and sqrt 2 as printed."""
    power: float
    rate: float
    top: float
    tie_sd: float
    """0: there are no ties, and t is 0."""


class Chain(NamedTuple):
    """Where a chain is."""

    skill: Floats
    point: Floats
    """sigma and t."""
    curvature: Floats
    """Of the log posterior over sigma, over both, over the cube root of t: averages while the chain warms up."""


def log_normal_table() -> Floats:
    """Cubic pieces of log Phi(x), which agree with it and its slope at the ends of each cell."""
    from scipy.special import log_ndtr

    x = np.linspace(_FIRST, _LAST, round((_LAST - _FIRST) * _CELLS) + 1)
    value = log_ndtr(x)
    slope = np.exp(-0.5 * x * x - value) / math.sqrt(2 * math.pi) / _CELLS
    rise = np.diff(value)
    return np.column_stack(
        (value[:-1], slope[:-1], 3 * rise - 2 * slope[:-1] - slope[1:], slope[:-1] + slope[1:] - 2 * rise)
    )


@register_jitable
def _log_phi(x: float, table: Floats) -> tuple[float, float]:
    """log Phi(x) and its slope."""
    if x < _FIRST + 1e-6:
        square = 1.0 / (x * x)
        return (
            -0.5 * x * x - math.log(-x) - 0.9189385332046727 - square * (1.0 - 2.5 * square),
            -x * (1.0 + square * (1.0 - 2.0 * square)),
        )
    if x >= _LAST:
        return 0.0, 0.0
    place = (x - _FIRST) * _CELLS
    cell = np.uint32(place)
    f = place - cell
    a, b, c, d = table[cell, 0], table[cell, 1], table[cell, 2], table[cell, 3]
    return a + f * (b + f * (c + f * d)), _CELLS * (b + f * (2.0 * c + 3.0 * f * d))


@kernel
def log_likelihood(
    record: Record, skill: Floats, scale: float, threshold: float, table: Floats
) -> tuple[float, float, float]:
    """The log probability of all results for skills scale * skill, and its slopes over the scale and the threshold.

    A win has Phi((d - t)/sqrt 2), a tie Phi((t - d)/sqrt 2) - Phi((-t - d)/sqrt 2), d being the difference.
    """
    total = by_scale = by_threshold = 0.0
    winner, loser, won = record.winner, record.loser, record.won
    for row in range(len(winner)):
        gap = skill[np.uint32(winner[row])] - skill[np.uint32(loser[row])]
        value, slope = _log_phi((scale * gap - threshold) / _ROOT2, table)
        total += won[row] * value
        by_scale += won[row] * slope * gap
        by_threshold -= won[row] * slope
    first, second, tied = record.first, record.second, record.tied
    product = 1.0
    for row in range(len(first)):
        gap = skill[np.uint32(first[row])] - skill[np.uint32(second[row])]
        # the side on which the two probabilities do not both come near 1
        if scale * gap < 0.0:
            gap = -gap
        upper, slope = _log_phi((threshold - scale * gap) / _ROOT2, table)
        lower, slope_below = _log_phi((-threshold - scale * gap) / _ROOT2, table)
        lack = lower - upper
        left = 1.0 - math.exp(lack) if lack < -0.01 else -math.expm1(lack)
        slope, slope_below = slope / left, slope_below * (1.0 - left) / left
        total += tied[row] * upper
        by_scale += tied[row] * (slope_below - slope) * gap
        by_threshold += tied[row] * (slope + slope_below)
        # a logarithm of many factors at once
        for _ in range(tied[row]):
            product *= left
            if product < 1e-200:
                total += math.log(product)
                product = 1.0
    total += math.log(product)
    return total, by_scale / _ROOT2, by_threshold / _ROOT2


@kernel
def draw_performances(
    record: Record, skill: Floats, threshold: float, weight: float, right: Floats, word: Word
) -> Word:
    """Draw all y and add x'(weight y + sqrt(weight) e) to `right`."""
    winner, loser, won = record.winner, record.loser, record.won
    for row in range(len(winner)):
        i, j = np.uint32(winner[row]), np.uint32(loser[row])
        gap = skill[i] - skill[j]
        low = (threshold - gap) / _ROOT2
        total = won[row] * gap
        for _ in range(won[row]):
            x, word = normal_above(low, word)
            total += _ROOT2 * x
        e, word = normal(word)
        push = weight * total + math.sqrt(weight * won[row]) * e
        right[i] += push
        right[j] -= push
    first, second, tied = record.first, record.second, record.tied
    for row in range(len(first)):
        i, j = np.uint32(first[row]), np.uint32(second[row])
        gap = skill[i] - skill[j]
        low, high = (-threshold - gap) / _ROOT2, (threshold - gap) / _ROOT2
        total = tied[row] * gap
        for _ in range(tied[row]):
            x, word = normal_between(low, high, word)
            total += _ROOT2 * x
        e, word = normal(word)
        push = weight * total + math.sqrt(weight * tied[row]) * e
        right[i] += push
        right[j] -= push
    return word


@kernel
def solve_block(record: Record, weight: float, ridge: float, right: Floats, x: Floats) -> int:
    """Solve (weight x'x + ridge I) s = right for s, from what `x` holds, into `x`; returns the number of steps."""
    starts, opponent, met = record.starts, record.opponent, record.met
    n = len(x)
    diagonal, rest, direction, image = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        played = shared = 0.0
        for k in range(starts[i], starts[i + 1]):
            played += met[k]
            shared += met[k] * x[np.uint32(opponent[k])]
        diagonal[i] = weight * played + ridge
        rest[i] = right[i] - diagonal[i] * x[i] + weight * shared
        direction[i] = rest[i] / diagonal[i]
    size = np.dot(rest, direction)
    # a draw has about this size in every direction, so the error is in units of its SD
    enough = n * _CG_ERROR**2
    steps = 0
    while size > enough and steps < _MOST_STEPS:
        along = 0.0
        for i in range(n):
            shared = 0.0
            for k in range(starts[i], starts[i + 1]):
                shared += met[k] * direction[np.uint32(opponent[k])]
            image[i] = diagonal[i] * direction[i] - weight * shared
            along += direction[i] * image[i]
        step = size / along
        new = 0.0
        for i in range(n):
            x[i] += step * direction[i]
            rest[i] -= step * image[i]
            new += rest[i] * rest[i] / diagonal[i]
        growth = new / size
        for i in range(n):
            direction[i] = rest[i] / diagonal[i] + growth * direction[i]
        size = new
        steps += 1
    return steps


@register_jitable
def _draw_sigma(model: Model, squares: float, n: int, sigma: float, word: Word) -> tuple[float, Word]:
    """sigma given s: its inverse square is a gamma, cut at the top; after many misses it stays, which is as exact."""
    for _ in range(_TRIES):
        g, word = gamma(0.5 * (model.power + n - 1.0), word)
        drawn = math.sqrt((model.rate + 0.5 * squares) / g)
        if drawn <= model.top:
            return drawn, word
    return sigma, word


@register_jitable
def _log_posterior(
    record: Record, model: Model, z: Floats, sigma: float, root: float, table: Floats
) -> tuple[float, float, float]:
    """Over sigma and the cube root of t, given z, with y integrated out; and its slopes.

    sigma may be negative: -sigma with -z is the same. With few ties t is nearly a gamma, its cube root nearly normal.
    """
    size = abs(sigma)
    if size > model.top or size < 1e-12 or (model.tie_sd > 0.0 and not 1e-9 < root < 6.0):
        return -np.inf, 0.0, 0.0
    has_ties = model.tie_sd > 0.0
    t = root**3 if has_ties else 0.0
    value, by_sigma, by_t = log_likelihood(record, z, sigma, t, table)
    value -= model.power * math.log(size) + model.rate / (size * size)
    by_sigma -= model.power / sigma - 2.0 * model.rate / (sigma * size * size)
    if not has_ties:
        return value, by_sigma, 0.0
    relative = t / model.tie_sd
    value += 2.0 * math.log(root) - 0.5 * relative * relative
    return value, by_sigma, 3.0 * root * root * (by_t - relative / model.tie_sd) + 2.0 / root


@register_jitable
def _measure_curvature(
    record: Record, model: Model, z: Floats, sigma: float, root: float, slopes: tuple[float, float], table: Floats
) -> tuple[float, float, float]:
    """Minus the second derivatives, from slopes nearby, made positive definite."""
    h = 1e-3 * max(sigma, 1e-2)
    _, by_sigma, by_root = _log_posterior(record, model, z, sigma - h, root, table)
    own = max((by_sigma - slopes[0]) / h, 1e-2)
    if model.tie_sd == 0.0:
        return own, 0.0, 1.0
    both = (by_root - slopes[1]) / h
    _, _, by_root = _log_posterior(record, model, z, sigma, root * (1.0 - 1e-3), table)
    other = max((by_root - slopes[1]) / (1e-3 * root), 5.0 / (root * root))
    bound = 0.97 * math.sqrt(own * other)
    return own, min(max(both, -bound), bound), other


@register_jitable
def _drift(by_sigma: float, by_root: float, curvature: Floats) -> tuple[float, float]:
    """Newton's step to the maximum, of a bounded length."""
    own, both, other = curvature[0], curvature[1], curvature[2]
    det = own * other - both * both
    a, b = (other * by_sigma - both * by_root) / det, (own * by_root - both * by_sigma) / det
    length = math.sqrt(max(a * by_sigma + b * by_root, 0.0))
    if length > _LONGEST:
        a, b = a * _LONGEST / length, b * _LONGEST / length
    return a, b


@register_jitable
def _distance(a: float, b: float, curvature: Floats) -> float:
    own, both, other = curvature[0], curvature[1], curvature[2]
    return float(own * a * a + 2.0 * both * a * b + other * b * b)


@register_jitable
def _move_sigma_and_t(
    record: Record, model: Model, z: Floats, chain: Chain, table: Floats, adapts: bool, word: Word
) -> tuple[float, float, Word]:
    """One Metropolis-Hastings step for sigma and t given z; the proposal changes only while the chain warms up."""
    has_ties, curvature = model.tie_sd > 0.0, chain.curvature
    sigma, t = chain.point[0], chain.point[1]
    root = t ** (1.0 / 3.0) if has_ties else 0.0
    value, by_sigma, by_root = _log_posterior(record, model, z, sigma, root, table)
    if adapts:
        fresh = _measure_curvature(record, model, z, sigma, root, (by_sigma, by_root), table)
        share = 1.0 if curvature[0] == 0.0 else 0.2
        for k in range(3):
            curvature[k] += share * (fresh[k] - curvature[k])
    e, word = normal(word)
    f, word = normal(word)
    own, both, other = curvature[0], curvature[1], curvature[2]
    b = f / math.sqrt(other - both * both / own) if has_ties else 0.0
    a = e / math.sqrt(own) - both / own * b
    coin, word = uniform(word)
    is_newton = coin < _NEWTON_SHARE
    if is_newton:
        to = _drift(by_sigma, by_root, curvature)
        new_sigma, new_root = sigma + to[0] + a, root + to[1] + b
    else:
        new_sigma, new_root = sigma + _STRIDE * a, root + _STRIDE * b
    new, new_by_sigma, new_by_root = _log_posterior(record, model, z, new_sigma, new_root, table)
    gain = new - value
    if is_newton and new > -np.inf:
        back = _drift(new_by_sigma, new_by_root, curvature)
        gain += 0.5 * _distance(a, b, curvature)
        gain -= 0.5 * _distance(sigma - new_sigma - back[0], root - new_root - back[1], curvature)
    u, word = uniform(word)
    if math.log(u) < gain:
        sigma, root = new_sigma, new_root
    return sigma, (root**3 if has_ties else 0.0), word


@register_jitable
def _maximise_t(record: Record, skill: Floats, t: float, table: Floats) -> float:
    """A Newton step, of at most a factor e, to the t that makes the results most likely given s."""
    _, _, slope = log_likelihood(record, skill, 1.0, t, table)
    _, _, nearby = log_likelihood(record, skill, 1.0, t * (1.0 - 1e-3), table)
    curvature = max((nearby * (1.0 - 1e-3) - slope) * t / 1e-3, 1.0)
    return t * math.exp(min(max(slope * t / curvature, -1.0), 1.0))


@kernel
def sweep_chain(
    record: Record,
    model: Model,
    chain: Chain,
    word: Word,
    table: Floats,
    adapts: bool,
    quantile: Floats,
    draws: Floats,
    sums: Floats,
) -> Word:
    """As many sweeps as `draws` (n, 2) has rows for sigma and t; moves the chain, adds s and s^2 to `sums` (2, n).

    `quantile` is, for the printed sampler only, Phi^-1((1 + p) / 2) for its draws of the tie rate p.
    """
    skill, point, n = chain.skill, chain.point, len(chain.skill)
    weight = model.weight
    right = np.empty(n)
    for sweep in range(len(draws)):
        ridge = model.share / (point[0] * point[0])
        for i in range(n):
            e, word = normal(word)
            right[i] = math.sqrt(ridge) * e
        word = draw_performances(record, skill, point[1], weight, right, word)
        solve_block(record, weight, ridge, right, skill)
        squares = np.dot(skill, skill)
        if model.kind == MAXIMISING:
            point[0] = min(max(math.sqrt(squares / n), 1e-6), model.top)
            if model.tie_sd > 0.0:
                point[1] = _maximise_t(record, skill, point[1], table)
        else:
            point[0], word = _draw_sigma(model, squares, n, point[0], word)
        if model.kind == PRINTED_TIES:
            if model.tie_sd > 0.0:
                point[1] = math.sqrt(2.0 * (1.0 + point[0] * point[0])) * quantile[sweep]
        elif model.kind == INTEGRATING:
            for i in range(n):
                skill[i] /= point[0]
            sigma, point[1], word = _move_sigma_and_t(record, model, skill, chain, table, adapts, word)
            for i in range(n):
                skill[i] *= sigma
            point[0] = abs(sigma)
        draws[sweep, 0], draws[sweep, 1] = point[0], point[1]
        if not adapts:
            for i in range(n):
                sums[0, i] += skill[i]
                sums[1, i] += skill[i] * skill[i]
    return word
