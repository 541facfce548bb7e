"""Sweeps of the Gibbs sampler for the spread of skills in multiplayer matches, from finishing orders.

s_a normal with variance sigma^2, y of a seat normal with mean s and variance 1, seats finish in the order of y, the
highest first. Seats with equal places are coarse data: all below the seats before them and above those after them, in
any order. For two players without ties this is the model of `kernels.gibbs.pairs`: y_1 - y_2 has the variance 2.

An order does not depend on the level of a match, so the level is integrated out: with C = I - 11'/k the differences C y
have the mean C s and the covariance C, and given them all s are drawn together with the precision sum of x'C x +
I/sigma^2, by conjugate gradients. A two-player match has one difference, which is drawn afresh in each sweep. In larger
matches the gaps between neighbours are drawn in turn, each given the other gaps: a gap moves all seats on one side of
it. Only seats that share a place are drawn one by one, between their neighbours.

After sigma given s (centred) come two slices (Neal 2003) along which the orders stay: sigma given z = s / sigma and y
(non-centred; Yu and Meng 2011), and sigma given z and y / sigma, which scales everything together (Liu and Sabatti
2000). The performances of two-player matches are integrated out of both.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.gibbs.likelihood import Gaps, Record, gather_gaps, log_likelihood
from ludometer.kernels.gibbs.pairs import MAXIMISING, Model, draw_performances, draw_sigma
from ludometer.kernels.gibbs.random_numbers import Word, normal, normal_above, normal_between, uniform
from ludometer.kernels.runtime.compile import kernel

_CG_ERROR = 3e-4
"""The accepted error of a skill, in SDs of its draw."""

_MOST_STEPS = 500
_WIDTH, _MOST_WIDTHS = 3.0, 30
"""The first width of a slice, in SDs given all performances, and how far it is widened."""

_NARROW = 1e-12
"""Between bounds this close a performance stays: rounding may have reversed them."""


class Finishes(NamedTuple):
    """Two-player matches in rows, and the seats of larger ones by place, best first."""

    pairs: Record
    """Without ties, which carry no information here."""
    starts: Counts
    player: Codes
    stop: Counts
    """Where the group of seats tied with this one ends."""
    seats: Floats
    shared: Floats
    """Seats of each player in larger matches, and the sum of 1 / k over them."""


class Field(NamedTuple):
    """The state of a chain."""

    skill: Floats
    point: Floats
    """sigma and 0, the threshold of ties."""
    performance: Floats
    """y of each seat of the larger matches."""


@kernel
def draw_gaps(record: Finishes, skill: Floats, performance: Floats, word: Word) -> Word:
    """Draw each gap between groups of seats given all others, then the level of the match."""
    starts, player, stop = record.starts, record.player, record.stop
    for m in range(len(starts) - 1):
        start, end = starts[m], starts[m + 1]
        size = end - start
        above = below = shift = 0.0
        for seat in range(start, end):
            below += performance[seat] - skill[np.uint32(player[seat])]
        group = start
        while True:
            group_end, lowest = stop[group], np.inf
            for seat in range(group, group_end):
                y, s = performance[seat], skill[np.uint32(player[seat])]
                lowest = min(lowest, y)
                below -= y - s
                performance[seat] = y + shift
                above += y + shift - s
            if group_end == end:
                break
            highest = -np.inf
            for seat in range(group_end, stop[group_end]):
                highest = max(highest, performance[seat])
            rest = end - group_end
            precision = rest * (size - rest) / size
            tail = below + rest * shift
            mean = (tail - rest * (above + tail) / size) / precision
            sd = 1.0 / math.sqrt(precision)
            x, word = normal_above((highest - lowest - mean) / sd, word)
            shift -= mean + sd * x
            group = group_end
        e, word = normal(word)
        move = (math.sqrt(size) * e - above) / size
        for seat in range(start, end):
            performance[seat] += move
    return word


@kernel
def draw_tied(record: Finishes, skill: Floats, performance: Floats, word: Word) -> Word:
    """Draw each y of seats that share a place, between the lowest of the group above and the highest below."""
    starts, player, stop = record.starts, record.player, record.stop
    for m in range(len(starts) - 1):
        group, end, high = starts[m], starts[m + 1], np.inf
        while group < end:
            group_end, low, lowest = stop[group], -np.inf, np.inf
            is_tied = group_end > group + 1
            if is_tied and group_end < end:
                for seat in range(group_end, stop[group_end]):
                    low = max(low, performance[seat])
            for seat in range(group, group_end):
                s = skill[np.uint32(player[seat])]
                if is_tied and high == np.inf:
                    x, word = normal_above(low - s, word)
                    performance[seat] = s + x
                elif is_tied and low == -np.inf:
                    x, word = normal_above(s - high, word)
                    performance[seat] = s - x
                elif is_tied and high - low > _NARROW:
                    x, word = normal_between(low - s, high - s, word)
                    performance[seat] = s + x
                lowest = min(lowest, performance[seat])
            group, high = group_end, lowest
    return word


@kernel
def push_skills(record: Finishes, performance: Floats, right: Floats, word: Word) -> Word:
    """Add x'C(y + e) with standard normal e to `right`."""
    starts, player = record.starts, record.player
    for m in range(len(starts) - 1):
        start, end = starts[m], starts[m + 1]
        total = 0.0
        for seat in range(start, end):
            e, word = normal(word)
            total += performance[seat] + e
            right[np.uint32(player[seat])] += performance[seat] + e
        for seat in range(start, end):
            right[np.uint32(player[seat])] -= total / (end - start)
    return word


@register_jitable
def _multiply(record: Finishes, diagonal: Floats, x: Floats, image: Floats) -> None:
    """The precision of the skills times x."""
    met_from, opponent, met = record.pairs.starts, record.pairs.opponent, record.pairs.met
    for i in range(len(x)):
        shared = 0.0
        for k in range(met_from[i], met_from[i + 1]):
            shared += met[k] * x[np.uint32(opponent[k])]
        image[i] = diagonal[i] * x[i] - 0.5 * shared
    starts, player = record.starts, record.player
    for m in range(len(starts) - 1):
        start, end = starts[m], starts[m + 1]
        mean = 0.0
        for seat in range(start, end):
            mean += x[np.uint32(player[seat])]
        mean /= end - start
        for seat in range(start, end):
            image[np.uint32(player[seat])] -= mean


@kernel
def solve_skills(record: Finishes, ridge: float, right: Floats, x: Floats) -> int:
    """Solve (sum of x'C x + ridge I) s = right for s, from what `x` holds, into `x`; returns the number of steps."""
    n = len(x)
    met_from, met = record.pairs.starts, record.pairs.met
    whole, inverse, rest, direction, image = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        whole[i] = record.seats[i] + ridge
        for k in range(met_from[i], met_from[i + 1]):
            whole[i] += 0.5 * met[k]
        # one over the diagonal: a seat is part of the mean of its match
        inverse[i] = 1.0 / (whole[i] - record.shared[i])
    _multiply(record, whole, x, image)
    size = 0.0
    for i in range(n):
        rest[i] = right[i] - image[i]
        direction[i] = rest[i] * inverse[i]
        size += rest[i] * direction[i]
    # a draw has about this size in every direction, so the error is in units of its SD
    enough = n * _CG_ERROR**2
    steps = 0
    while size > enough and steps < _MOST_STEPS:
        _multiply(record, whole, direction, image)
        step = size / np.dot(direction, image)
        new = 0.0
        for i in range(n):
            x[i] += step * direction[i]
            rest[i] -= step * image[i]
            new += rest[i] * rest[i] * inverse[i]
        growth = new / size
        for i in range(n):
            direction[i] = rest[i] * inverse[i] + growth * direction[i]
        size = new
        steps += 1
    return steps


@kernel
def measure_products(record: Finishes, z: Floats, performance: Floats) -> tuple[float, float, float, float]:
    """z'Cz, z'Cy and y'Cy of the larger matches, and z'Cz of the two-player matches."""
    starts, player = record.starts, record.player
    zz = zy = yy = 0.0
    for m in range(len(starts) - 1):
        start, end = starts[m], starts[m + 1]
        z_mean = y_mean = 0.0
        for seat in range(start, end):
            z_mean += z[np.uint32(player[seat])]
            y_mean += performance[seat]
        z_mean /= end - start
        y_mean /= end - start
        for seat in range(start, end):
            a, b = z[np.uint32(player[seat])] - z_mean, performance[seat] - y_mean
            zz += a * a
            zy += a * b
            yy += b * b
    of_two = 0.0
    winner, loser, won = record.pairs.winner, record.pairs.loser, record.pairs.won
    for row in range(len(winner)):
        gap = z[np.uint32(winner[row])] - z[np.uint32(loser[row])]
        of_two += 0.5 * won[row] * gap * gap
    return zz, zy, yy, of_two


@register_jitable
def _log_density(gaps: Gaps, model: Model, part: tuple[float, float, float], sigma: float, table: Floats) -> float:
    """Larger matches add part_0 log sigma + part_1 sigma - part_2 sigma^2 / 2, two-player matches their likelihood."""
    if not 1e-12 < sigma <= model.top:
        return -np.inf
    value = (part[0] - model.power) * math.log(sigma) - model.rate / (sigma * sigma)
    value += (part[1] - 0.5 * part[2] * sigma) * sigma
    return float(value + log_likelihood(gaps, sigma, 0.0, table)[0])


@register_jitable
def _slice_sigma(
    gaps: Gaps,
    model: Model,
    part: tuple[float, float, float],
    width: float,
    sigma: float,
    table: Floats,
    word: Word,
) -> tuple[float, Word]:
    """One draw by a slice, stepped out and shrunk; `width` depends on nothing that the step changes."""
    u, word = uniform(word)
    level = _log_density(gaps, model, part, sigma, table) + math.log(u)
    u, word = uniform(word)
    v, word = uniform(word)
    low = sigma - width * u
    high = low + width
    to_left = int(v * _MOST_WIDTHS)
    to_right = _MOST_WIDTHS - 1 - to_left
    while to_left > 0 and low > 0.0 and _log_density(gaps, model, part, low, table) > level:
        low -= width
        to_left -= 1
    while to_right > 0 and high < model.top and _log_density(gaps, model, part, high, table) > level:
        high += width
        to_right -= 1
    low, high = max(low, 0.0), min(high, model.top)
    while high - low > 1e-14 * sigma:
        u, word = uniform(word)
        new = low + (high - low) * u
        if _log_density(gaps, model, part, new, table) > level:
            return new, word
        if new < sigma:
            low = new
        else:
            high = new
    return sigma, word


@register_jitable
def _move_sigma(record: Finishes, model: Model, field: Field, table: Floats, word: Word) -> Word:
    """Both slices: skills move with sigma; performances of larger matches stay in the first and move in the second."""
    skill, point, performance = field.skill, field.point, field.performance
    for i in range(len(skill)):
        skill[i] /= point[0]
    zz, zy, yy, of_two = measure_products(record, skill, performance)
    gaps, _ = gather_gaps(record.pairs, skill)
    if zz + of_two > 0.0:
        width = _WIDTH / math.sqrt(zz + of_two)
        point[0], word = _slice_sigma(gaps, model, (0.0, zy, zz), width, point[0], table, word)
    free = float(len(performance) - (len(record.starts) - 1))
    if free > 0.0:
        sigma = point[0]
        bend = (yy - 2.0 * sigma * zy) / (sigma * sigma) + zz
        width = _WIDTH / math.sqrt(2.0 * bend + of_two)
        point[0], word = _slice_sigma(gaps, model, (free, 0.0, bend), width, sigma, table, word)
        for seat in range(len(performance)):
            performance[seat] *= point[0] / sigma
    for i in range(len(skill)):
        skill[i] *= point[0]
    return word


@register_jitable
def _draw_skills(record: Finishes, sigma: float, field: Field, right: Floats, word: Word) -> Word:
    """Performances given skills, then all skills given performances and sigma."""
    skill, performance, ridge = field.skill, field.performance, 1.0 / (sigma * sigma)
    for i in range(len(skill)):
        e, word = normal(word)
        right[i] = math.sqrt(ridge) * e
    word = draw_performances(record.pairs, skill, 0.0, 0.5, right, word)
    word = draw_gaps(record, skill, performance, word)
    word = draw_tied(record, skill, performance, word)
    word = push_skills(record, performance, right, word)
    solve_skills(record, ridge, right, skill)
    return word


@kernel
def sweep_held(record: Finishes, sigma: float, field: Field, word: Word, squares: Floats, sums: Floats) -> Word:
    """As many sweeps as `squares` is long, sigma held: fills in the sums of s^2, adds s and s^2 to `sums` (2, n)."""
    skill = field.skill
    right = np.empty(len(skill))
    for sweep in range(len(squares)):
        word = _draw_skills(record, sigma, field, right, word)
        total = 0.0
        for i in range(len(skill)):
            square = skill[i] * skill[i]
            total += square
            sums[0, i] += skill[i]
            sums[1, i] += square
        squares[sweep] = total
    return word


@kernel
def sweep_field(
    record: Finishes, model: Model, field: Field, word: Word, table: Floats, draws: Floats, sums: Floats
) -> Word:
    """As many sweeps as `draws` (n, 2) has rows for sigma and 0; moves the chain, adds s and s^2 to `sums` (2, n)."""
    skill, point = field.skill, field.point
    n = len(skill)
    right = np.empty(n)
    for sweep in range(len(draws)):
        word = _draw_skills(record, point[0], field, right, word)
        squares = np.dot(skill, skill)
        if model.kind == MAXIMISING:
            point[0] = min(max(math.sqrt(squares / n), 1e-6), model.top)
        else:
            point[0], word = draw_sigma(model, squares, n, point[0], word)
            word = _move_sigma(record, model, field, table, word)
        draws[sweep, 0], draws[sweep, 1] = point[0], 0.0
        for i in range(n):
            sums[0, i] += skill[i]
            sums[1, i] += skill[i] * skill[i]
    return word
