"""Sweeps of the Gibbs sampler for the spread of skills in a population: two-player matches, ties by a threshold.

s_a normal with variance sigma^2, y_i | s normal with mean s_1 - s_2 and variance 2, a win if y > t, a tie if |y| <= t
(Gilbert and Wells, section 3.2.2). One sweep draws y given s and t, then all s together, then sigma given s (centred),
then sigma and t together given z = s / sigma with y integrated out (non-centred; Yu and Meng 2011 call the pair an
interweaving); where players have few matches, also sigma with all skills carried along (`Rescaling`). All s are the
solution of Q s = x'(y/2 + e_1/sqrt 2) + e_2/sigma with Q = x'x/2 + I/sigma^2 and standard normal e, found by conjugate
gradients from the last draw: nothing is ever factorised.

The paper's appendix B prints the precision x'x + sqrt(2)/sigma^2 for s. That is not the conditional distribution of
this model; it is kept under the name "printed" with the paper's own treatment of ties.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.gibbs.likelihood import Gaps, Record, gather_gaps, log_likelihood, log_normal_table
from ludometer.kernels.gibbs.random_numbers import Word, gamma, normal, normal_above_bound, normal_between, uniform
from ludometer.kernels.runtime.compile import kernel

_CG_ERROR, _CG_TOTAL = 1e-3, 0.01
"""When to stop solving for skills: r'D^-1 r of the residual r, for one skill (in squared SDs of its draw) and for all.

A draw off by e is a draw of the conditional distribution shifted by e, at a divergence of e'Qe / 2 from the right one;
e'Qe is a few times r'D^-1 r. So the second limits the error of whatever is computed from the skills.
"""

_MOST_STEPS = 500


class Meetings(NamedTuple):
    """Each pair of opponents once, in the row of the higher code, and the matches of each player."""

    starts: Counts
    opponent: Codes
    met: NDArray[np.float32]
    played: Floats


@kernel
def list_meetings(record: Record) -> Meetings:
    """The list of opponents with every pair once."""
    n = len(record.starts) - 1
    starts, played = np.zeros(n + 1, np.int64), np.zeros(n)
    opponent = np.empty(len(record.opponent) // 2, np.int32)
    met = np.empty(len(opponent), np.float32)
    end = 0
    for i in range(n):
        for k in range(record.starts[i], record.starts[i + 1]):
            played[i] += record.met[k]
            if record.opponent[k] < i:
                opponent[end], met[end] = record.opponent[k], record.met[k]
                end += 1
        starts[i + 1] = end
    return Meetings(starts, opponent, met, played)


@kernel
def solve_pair_skills(meetings: Meetings, weight: float, ridge: float, right: Floats, x: Floats) -> int:
    """Solve (weight x'x + ridge I) s = right for s, from what `x` holds, into `x`; returns the number of steps.

    Conjugate gradients, scaled by the diagonal. Results do not determine the mean of all skills, which would converge
    last: it is solved for beforehand and kept out of all directions (deflation: Nicolaides 1987).
    """
    n = len(x)
    rest, direction, image = np.empty(n), np.empty(n), np.empty(n)
    inverse = 1.0 / (weight * meetings.played + ridge)
    _apply(meetings, weight, ridge, x, image)
    mean = 0.0
    for i in range(n):
        rest[i] = right[i] - image[i]
        mean += rest[i]
    mean /= n
    size = middle = 0.0
    for i in range(n):
        x[i] += mean / ridge
        rest[i] -= mean
        direction[i] = rest[i] * inverse[i]
        size += rest[i] * direction[i]
        middle += direction[i]
    direction -= middle / n
    # a draw has about this size in every direction, so the error is in units of its SD
    enough = min(n * _CG_ERROR**2, _CG_TOTAL)
    steps = 0
    while size > enough and steps < _MOST_STEPS:
        step = size / _apply(meetings, weight, ridge, direction, image)
        new = middle = 0.0
        for i in range(n):
            x[i] += step * direction[i]
            rest[i] -= step * image[i]
            image[i] = rest[i] * inverse[i]
            new += rest[i] * image[i]
            middle += image[i]
        growth, middle = new / size, middle / n
        for i in range(n):
            direction[i] = image[i] - middle + growth * direction[i]
        size = new
        steps += 1
    return steps


@register_jitable
def _apply(meetings: Meetings, weight: float, ridge: float, x: Floats, image: Floats) -> float:
    """Q x into `image`, with Q = weight x'x + ridge I; returns x'Q x."""
    starts, opponent, met = meetings.starts, meetings.opponent, meetings.met
    for i in range(len(x)):
        here, own = x[i], 0.0
        for k in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
            j = np.uint32(opponent[k])
            part = met[k] * (here - x[j])
            own += part
            image[j] -= part
        image[i] = own
    size = 0.0
    for i in range(len(x)):
        image[i] = weight * image[i] + ridge * x[i]
        size += x[i] * image[i]
    return size


_STEPS = 4
"""Rescaling steps in a sweep: each costs a tenth of one."""

_ACCEPTED, _HASTE = 0.35, 2.0
"""The share of these steps that should be accepted, and how fast their length adapts to it."""


class Rescaling(NamedTuple):
    """A step of sigma that takes all skills along to where they would be under the new sigma.

    Where players have few matches, sigma given the skills is far more certain than sigma, so a chain that holds the
    skills, or z = s / sigma, fixed creeps. Here every skill keeps its place within its own player's distribution: if
    that is about normal with mean m(sigma) and SD w(sigma), the new skill is m' + (w' / w)(s - m). The step is accepted
    by the ratio of the posterior densities, y integrated out, times the product of all w' / w, so it is exact whatever
    m and w are; the better they are, the closer it comes to a step of sigma alone with the skills integrated out. The
    threshold t moves along with sqrt(1 + sigma^2), which keeps the rate of ties about constant.

    Held are m / sigma and log(w / sigma) of all players at equally spaced values of log sigma; empty: no such steps.
    """

    nodes: Floats
    mean: Floats
    width: Floats
    """(nodes, players)."""


def no_rescaling() -> Rescaling:
    """For records with many matches per player, which need none."""
    return Rescaling(np.empty(0), np.empty((0, 0)), np.empty((0, 0)))


class Priors(NamedTuple):
    """Priors of sigma and t, as in the sampler's model."""

    power: float
    rate: float
    top: float
    tie_sd: float


@register_jitable
def _log_density(record: Record, skill: Floats, sigma: float, t: float, priors: Priors, table: Floats) -> float:
    """The log density of all skills, log sigma and log t, up to a constant."""
    gaps, _ = gather_gaps(record, skill)
    value, _, _ = log_likelihood(gaps, 1.0, t, table)
    if priors.tie_sd > 0.0:
        value += math.log(t) - 0.5 * (t / priors.tie_sd) ** 2
    squares = 0.0
    for each in skill:
        squares += each * each
    precision = 1.0 / (sigma * sigma)
    return float(
        value - (len(skill) + priors.power - 1.0) * math.log(sigma) - (0.5 * squares + priors.rate) * precision
    )


@register_jitable
def _find_place(nodes: Floats, at: float) -> tuple[int, float]:
    """The node below, and the fraction of the way to the next; constant beyond the ends."""
    place = (at - nodes[0]) / (nodes[1] - nodes[0])
    place = min(max(place, 0.0), len(nodes) - 1.0)
    node = min(int(place), len(nodes) - 2)
    return node, place - node


@register_jitable
def _carry(rescaling: Rescaling, skill: Floats, before: float, after: float, carried: Floats) -> float:
    """All skills from one log sigma to another; the log of the product of w' / w."""
    i, f = _find_place(rescaling.nodes, before)
    j, g = _find_place(rescaling.nodes, after)
    old, new, ratio = math.exp(before), math.exp(after), after - before
    stretched = 0.0
    for a in range(len(skill)):
        width = (1.0 - f) * rescaling.width[i, a] + f * rescaling.width[i + 1, a]
        wider = (1.0 - g) * rescaling.width[j, a] + g * rescaling.width[j + 1, a]
        mean = old * ((1.0 - f) * rescaling.mean[i, a] + f * rescaling.mean[i + 1, a])
        moved = new * ((1.0 - g) * rescaling.mean[j, a] + g * rescaling.mean[j + 1, a])
        stretch = ratio + wider - width
        carried[a] = moved + math.exp(stretch) * (skill[a] - mean)
        stretched += stretch
    return stretched


@register_jitable
def rescale_skills(
    record: Record,
    priors: Priors,
    rescaling: Rescaling,
    skill: Floats,
    point: Floats,
    stride: Floats,
    table: Floats,
    adapts: bool,
    word: Word,
) -> Word:
    """Some steps of sigma with all skills and t.

    `stride` has the log of a step's SD and how often it was adapted, which is done during warm-up.
    """
    carried = np.empty(len(skill))
    value = _log_density(record, skill, point[0], point[1], priors, table)
    for _ in range(_STEPS):
        e, word = normal(word)
        u, word = uniform(word)
        before = math.log(point[0])
        after = before + math.exp(stride[0]) * e
        gain = -np.inf
        sigma = math.exp(after)
        t = point[1] * math.sqrt((1.0 + sigma * sigma) / (1.0 + point[0] * point[0]))
        new = value
        if sigma <= priors.top:
            gain = _carry(rescaling, skill, before, after, carried)
            new = _log_density(record, carried, sigma, t, priors, table)
            gain += new - value
        if math.log(u) < gain:
            skill[:] = carried
            point[0], point[1], value = sigma, t, new
        if adapts:
            stride[1] += 1.0
            stride[0] += _HASTE * (math.exp(min(gain, 0.0)) - _ACCEPTED) / math.sqrt(3.0 + stride[1])
    return word


__all__ = [
    "INTEGRATING",
    "MAXIMISING",
    "PRINTED_TIES",
    "Chain",
    "Model",
    "Record",
    "Rescaling",
    "draw_performances",
    "log_normal_table",
    "sweep_chain",
]

INTEGRATING, PRINTED_TIES, MAXIMISING = 0, 1, 2
"""What a sweep does after the skills: sigma and t with y integrated out, as the paper prints it, or stochastic EM."""

_ROOT2 = math.sqrt(2.0)
_BLOCK = 512
"""Rows for which gaps are looked up, draws made and sums stored in turn: each then waits less for memory."""

_MOVES, _MANY_ROWS = 4, 2_500
"""Steps of sigma and t in a sweep, and the rows from which on there is more than one: a grid of gaps makes them cheap.

Their number must not depend on the spread of the skills, as the use of the grid does: a chain that steps less often
where sigma is large stays there too long.
"""

_TRIES = 50
_NEWTON_SHARE, _LONGEST, _STRIDE = 0.75, 3.0, 1.5
"""How often sigma and t are proposed around the maximum instead of their present values; how far away that may be, and
the length of a step of the random walk, both in SDs."""


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
    """The state of a chain."""

    skill: Floats
    point: Floats
    """sigma and t."""
    curvature: Floats
    """Of the log posterior over sigma, over both, and over the cube root of t: averages during warm-up."""
    stride: Floats
    """The log of the length of a rescaling step, and how often it was adapted."""


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
def draw_sigma(model: Model, squares: float, n: int, sigma: float, word: Word) -> tuple[float, Word]:
    """sigma given s: its inverse square is a gamma, truncated at the top; after many misses it stays, equally exact."""
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
    """Metropolis-Hastings steps for sigma and t given z; the proposal adapts only during warm-up."""
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
    gaps, _ = gather_gaps(record, skill)
    moves = _MOVES if len(record.winner) + len(record.first) > _MANY_ROWS else 1
    for k in range(len(gaps.won)):
        gaps.won[k] /= point[0]
    for k in range(len(gaps.tied)):
        gaps.tied[k] /= point[0]
    sigma, point[1], word = _move_sigma_and_t(gaps, moves, model, chain, table, adapts, word)
    ratio = sigma / point[0]
    for i in range(len(skill)):
        skill[i] *= ratio
    point[0] = abs(sigma)
    return word


@register_jitable
def _sum_squares(values: Floats) -> float:
    """Without BLAS, whose threads cost more than they save here."""
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
    rescaling: Rescaling,
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
    right, meetings = np.empty(n), list_meetings(record)
    for sweep in range(len(draws)):
        ridge = model.share / (point[0] * point[0])
        for i in range(n):
            e, word = normal(word)
            right[i] = math.sqrt(ridge) * e
        word = draw_performances(record, skill, point[1], weight, right, word)
        solve_pair_skills(meetings, weight, ridge, right, skill)
        squares = _sum_squares(skill)
        if model.kind == MAXIMISING:
            point[0] = min(max(math.sqrt(squares / n), 1e-6), model.top)
            if model.tie_sd > 0.0:
                gaps, _ = gather_gaps(record, skill)
                point[1] = _maximise_t(gaps, point[1], table)
        else:
            point[0], word = draw_sigma(model, squares, n, point[0], word)
        if model.kind == PRINTED_TIES:
            if model.tie_sd > 0.0:
                point[1] = math.sqrt(2.0 * (1.0 + point[0] * point[0])) * quantile[sweep]
        elif model.kind == INTEGRATING:
            word = _rescale(record, model, chain, table, adapts, word)
            if len(rescaling.nodes) > 0:
                priors = Priors(model.power, model.rate, model.top, model.tie_sd)
                word = rescale_skills(record, priors, rescaling, skill, point, chain.stride, table, adapts, word)
        draws[sweep, 0], draws[sweep, 1] = point[0], point[1]
        if not adapts:
            for i in range(n):
                sums[0, i] += skill[i]
                sums[1, i] += skill[i] * skill[i]
    return word
