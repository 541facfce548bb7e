"""Sweeps of the Gibbs sampler for the spread of skills in a population of players: two a match, ties by a threshold.

s_a normal with variance sigma^2, y_i | s normal with mean s_1 - s_2 and variance 2, a win if y > t, a tie if |y| <= t
(Gilbert and Wells, section 3.2.2). One sweep draws y given s and t, then all s as one block, then sigma given s
(centred), then sigma and t together given z = s / sigma with y integrated out (non-centred; Yu and Meng 2011 call the
pair an interweaving); where players have few matches, also sigma with all skills carried along (`transport`). The
block is the solution of Q s = x'(y/2 + e_1/sqrt 2) + e_2/sigma with Q = x'x/2 + I/sigma^2 and standard normal e, found
by conjugate gradients from the last draw: nothing is ever factorised.

The paper's appendix B prints the precision x'x + sqrt(2)/sigma^2 for s. That is not the conditional distribution of
this model; it is kept under the name "printed" with the paper's own treatment of ties.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Floats
from ludometer.kernels.gibbs.equations import halve, solve_block
from ludometer.kernels.gibbs.likelihood import Gaps, Record, gather_gaps, log_likelihood, log_normal_table
from ludometer.kernels.gibbs.rescaling import Priors, Transport, transport_skills
from ludometer.kernels.gibbs.strips import normal_above_bound
from ludometer.kernels.gibbs.truncated import Word, gamma, normal, normal_between, uniform
from ludometer.kernels.runtime.compile import kernel

__all__ = [
    "INTEGRATING",
    "MAXIMISING",
    "PRINTED_TIES",
    "Chain",
    "Model",
    "Record",
    "Transport",
    "draw_performances",
    "log_normal_table",
    "sweep_chain",
]

INTEGRATING, PRINTED_TIES, MAXIMISING = 0, 1, 2
"""How a sweep goes on after the skills: sigma and t with y integrated out, as the paper has it, or stochastic EM."""

_ROOT2 = math.sqrt(2.0)
_BLOCK = 512
"""Rows of which the gaps are looked up, the draws made and the sums stored: in turn each waits less for memory."""

_MOVES = 4
"""Steps of sigma and t in a sweep where a grid of gaps makes them cheap."""

_TRIES = 50
_NEWTON_SHARE, _LONGEST, _STRIDE = 0.75, 3.0, 1.5
"""How often sigma and t are proposed around the maximum, and not around where they are; how far off that may be (in
SDs), and how far a step of the walk goes."""


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
    stride: Floats
    """The log of how far sigma steps with all skills, and how often that was fitted."""


@kernel
def draw_performances(
    record: Record, skill: Floats, threshold: float, weight: float, right: Floats, word: Word
) -> Word:
    """Draw all y and add x'(weight y + sqrt(weight) e) to `right`."""
    gap = np.empty(_BLOCK)
    for begin in range(0, len(record.winner), _BLOCK):
        block = slice(begin, min(begin + _BLOCK, len(record.winner)))
        one, other, times = record.winner[block], record.loser[block], record.won[block]
        _look_up(one, other, skill, gap)
        for row in range(len(one)):
            low, total = (threshold - gap[row]) / _ROOT2, times[row] * gap[row]
            for _ in range(times[row]):
                x, word = normal_above_bound(low, word)
                total += _ROOT2 * x
            e, word = normal(word)
            gap[row] = weight * total + math.sqrt(weight * times[row]) * e
        _push(one, other, gap, right)
    for begin in range(0, len(record.first), _BLOCK):
        block = slice(begin, min(begin + _BLOCK, len(record.first)))
        one, other, times = record.first[block], record.second[block], record.tied[block]
        _look_up(one, other, skill, gap)
        for row in range(len(one)):
            low, high = (-threshold - gap[row]) / _ROOT2, (threshold - gap[row]) / _ROOT2
            total = times[row] * gap[row]
            for _ in range(times[row]):
                x, word = normal_between(low, high, word)
                total += _ROOT2 * x
            e, word = normal(word)
            gap[row] = weight * total + math.sqrt(weight * times[row]) * e
        _push(one, other, gap, right)
    return word


@register_jitable
def _look_up(one: Codes, other: Codes, skill: Floats, gap: Floats) -> None:
    for row in range(len(one)):
        gap[row] = skill[np.uint32(one[row])] - skill[np.uint32(other[row])]


@register_jitable
def _push(one: Codes, other: Codes, push: Floats, right: Floats) -> None:
    for row in range(len(one)):
        right[np.uint32(one[row])] += push[row]
        right[np.uint32(other[row])] -= push[row]


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
def _log_posterior(gaps: Gaps, model: Model, sigma: float, root: float, table: Floats) -> tuple[float, float, float]:
    """Over sigma and the cube root of t, given the gaps of z, with y integrated out; and its slopes.

    sigma may be negative: -sigma with -z is the same. With few ties t is nearly a gamma, its cube root nearly normal.
    """
    size = abs(sigma)
    if size > model.top or size < 1e-12 or (model.tie_sd > 0.0 and not 1e-9 < root < 6.0):
        return -np.inf, 0.0, 0.0
    has_ties = model.tie_sd > 0.0
    t = root**3 if has_ties else 0.0
    value, by_sigma, by_t = log_likelihood(gaps, sigma, t, table)
    value -= model.power * math.log(size) + model.rate / (size * size)
    by_sigma -= model.power / sigma - 2.0 * model.rate / (sigma * size * size)
    if not has_ties:
        return value, by_sigma, 0.0
    relative = t / model.tie_sd
    value += 2.0 * math.log(root) - 0.5 * relative * relative
    return value, by_sigma, 3.0 * root * root * (by_t - relative / model.tie_sd) + 2.0 / root


@register_jitable
def _measure_curvature(
    gaps: Gaps, model: Model, sigma: float, root: float, slopes: tuple[float, float], table: Floats
) -> tuple[float, float, float]:
    """Minus the second derivatives, from slopes nearby, made positive definite."""
    h = 1e-3 * max(sigma, 1e-2)
    _, by_sigma, by_root = _log_posterior(gaps, model, sigma - h, root, table)
    own = max((by_sigma - slopes[0]) / h, 1e-2)
    if model.tie_sd == 0.0:
        return own, 0.0, 1.0
    both = (by_root - slopes[1]) / h
    _, _, by_root = _log_posterior(gaps, model, sigma, root * (1.0 - 1e-3), table)
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
    gaps: Gaps, moves: int, model: Model, chain: Chain, table: Floats, adapts: bool, word: Word
) -> tuple[float, float, Word]:
    """Metropolis-Hastings steps for sigma and t given z; the proposal changes only while the chain warms up."""
    has_ties, curvature = model.tie_sd > 0.0, chain.curvature
    sigma, t = chain.point[0], chain.point[1]
    root = t ** (1.0 / 3.0) if has_ties else 0.0
    value, by_sigma, by_root = _log_posterior(gaps, model, sigma, root, table)
    if adapts:
        fresh = _measure_curvature(gaps, model, sigma, root, (by_sigma, by_root), table)
        share = 1.0 if curvature[0] == 0.0 else 0.2
        for k in range(3):
            curvature[k] += share * (fresh[k] - curvature[k])
    own, both, other = curvature[0], curvature[1], curvature[2]
    for _ in range(moves):
        e, word = normal(word)
        f, word = normal(word)
        b = f / math.sqrt(other - both * both / own) if has_ties else 0.0
        a = e / math.sqrt(own) - both / own * b
        coin, word = uniform(word)
        is_newton = coin < _NEWTON_SHARE
        if is_newton:
            to = _drift(by_sigma, by_root, curvature)
            new_sigma, new_root = sigma + to[0] + a, root + to[1] + b
        else:
            new_sigma, new_root = sigma + _STRIDE * a, root + _STRIDE * b
        new, new_by_sigma, new_by_root = _log_posterior(gaps, model, new_sigma, new_root, table)
        gain = new - value
        if is_newton and new > -np.inf:
            back = _drift(new_by_sigma, new_by_root, curvature)
            gain += 0.5 * _distance(a, b, curvature)
            gain -= 0.5 * _distance(sigma - new_sigma - back[0], root - new_root - back[1], curvature)
        u, word = uniform(word)
        if math.log(u) < gain:
            sigma, root = new_sigma, new_root
            value, by_sigma, by_root = new, new_by_sigma, new_by_root
    return sigma, (root**3 if has_ties else 0.0), word


@register_jitable
def _rescale(record: Record, model: Model, chain: Chain, table: Floats, adapts: bool, word: Word) -> Word:
    """Move sigma and t given z, and the skills with sigma."""
    skill, point = chain.skill, chain.point
    gaps, is_grid = gather_gaps(record, skill)
    for k in range(len(gaps.won)):
        gaps.won[k] /= point[0]
    for k in range(len(gaps.tied)):
        gaps.tied[k] /= point[0]
    sigma, point[1], word = _move_sigma_and_t(gaps, _MOVES if is_grid else 1, model, chain, table, adapts, word)
    ratio = sigma / point[0]
    for i in range(len(skill)):
        skill[i] *= ratio
    point[0] = abs(sigma)
    return word


@register_jitable
def _sum_squares(values: Floats) -> float:
    """By hand: a product of BLAS starts threads, which take more time than they save."""
    total = 0.0
    for value in values:
        total += value * value
    return total


@register_jitable
def _maximise_t(gaps: Gaps, t: float, table: Floats) -> float:
    """A Newton step, of at most a factor e, to the t that makes the results most likely given s."""
    _, _, slope = log_likelihood(gaps, 1.0, t, table)
    _, _, nearby = log_likelihood(gaps, 1.0, t * (1.0 - 1e-3), table)
    curvature = max((nearby * (1.0 - 1e-3) - slope) * t / 1e-3, 1.0)
    return t * math.exp(min(max(slope * t / curvature, -1.0), 1.0))


@kernel
def sweep_chain(
    record: Record,
    model: Model,
    transport: Transport,
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
    right, meetings = np.empty(n), halve(record)
    for sweep in range(len(draws)):
        ridge = model.share / (point[0] * point[0])
        for i in range(n):
            e, word = normal(word)
            right[i] = math.sqrt(ridge) * e
        word = draw_performances(record, skill, point[1], weight, right, word)
        solve_block(meetings, weight, ridge, right, skill)
        squares = _sum_squares(skill)
        if model.kind == MAXIMISING:
            point[0] = min(max(math.sqrt(squares / n), 1e-6), model.top)
            if model.tie_sd > 0.0:
                gaps, _ = gather_gaps(record, skill)
                point[1] = _maximise_t(gaps, point[1], table)
        else:
            point[0], word = _draw_sigma(model, squares, n, point[0], word)
        if model.kind == PRINTED_TIES:
            if model.tie_sd > 0.0:
                point[1] = math.sqrt(2.0 * (1.0 + point[0] * point[0])) * quantile[sweep]
        elif model.kind == INTEGRATING:
            word = _rescale(record, model, chain, table, adapts, word)
            if len(transport.nodes) > 0:
                priors = Priors(model.power, model.rate, model.top, model.tie_sd)
                word = transport_skills(record, priors, transport, skill, point, chain.stride, table, adapts, word)
        draws[sweep, 0], draws[sweep, 1] = point[0], point[1]
        if not adapts:
            for i in range(n):
                sums[0, i] += skill[i]
                sums[1, i] += skill[i] * skill[i]
    return word
