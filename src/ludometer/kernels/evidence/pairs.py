"""Expectation propagation over pairs of players: how likely all results are for a spread of skills, and its slopes.

s_a normal with variance q, a win with probability c/2 + (1 - c) Phi((d - t) / sqrt 2) where d is the difference of
skills, a tie with (1 - c) (Phi((t - d) / sqrt 2) - Phi((-t - d) / sqrt 2)): c is the share of matches that a coin
decides. All matches of two players are one factor, a function of d. It is replaced by a normal factor, the site
exp(-T d^2 / 2 + N d), such that d has the right mean and variance together with everything else (Minka 2001). What
everything else says of d comes from messages along the graph of pairs (loopy belief propagation), each of which is the
site with the other player integrated out; so parallel matches make no cycle.

Messages have the form exp(-P s^2 / 2 + W s), without the prior, so that all formulas hold down to q = 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.gibbs.likelihood import log_phi
from ludometer.kernels.runtime.compile import kernel

_ROOT2 = math.sqrt(2.0)

_RAREST = 1e-12
"""The least share of differences below t that are a tie: t is never 0 where there are ties."""

_LEAST, STEEPEST = 1e-3, 200.0
"""The least part of a variance that a factor leaves, and the most that it gains from one node to another."""


_FAR, _NARROW, _WIDE = 1.0, 0.3, 3.0
"""A mean so many SDs off the middle of the nodes, or a variance outside these bounds, is not theirs to find."""

_STEPS_TO_MODE = 12


class PairTable(NamedTuple):
    """Each pair of opponents once, ordered by the first and then the second player, and how their matches ended."""

    one: Codes
    other: Codes
    won: Floats
    lost: Floats
    tied: Floats
    """Matches won and lost by the first, and ties."""


class Messages(NamedTuple):
    """What each pair says: its site, and its messages to both players; and the sum of them for each player."""

    site: Floats
    """(pairs, 2): T and N."""
    letter: Floats
    """(pairs, 2): precision for the first, and for the second player."""
    precision: Floats
    """The sum of these by player, without the prior."""
    lean: Floats
    """Mean of each skill over q."""


class Point(NamedTuple):
    """Where the evidence is asked for."""

    q: float
    """sigma^2."""
    t: float
    share: float
    """Of coins."""


class Quadrature(NamedTuple):
    """An odd number of nodes and their weights for a standard normal variable, and pieces of log Phi."""

    node: Floats
    weight: Floats
    table: Floats


def no_messages(n_pairs: int, n_players: int) -> Messages:
    """Before anything is said."""
    return Messages(np.zeros((n_pairs, 2)), np.zeros((n_pairs, 2)), np.zeros(n_players), np.zeros(n_players))


@register_jitable
def match_win(x: float, sd: float, share: float, table: Floats) -> tuple[float, float, float]:
    """The derivatives of Z over the expected difference, divided by Z: first, second, third; of a win x SDs wide."""
    value, slope = log_phi(x, table)
    a = slope / sd
    if share > 0.0:
        chance = (1.0 - share) * math.exp(value)
        a *= chance / (0.5 * share + chance)
    return a, -a * x / sd, a * (x * x - 1.0) / (sd * sd)


@register_jitable
def match_tie(gap: float, t: float, sd: float, table: Floats) -> tuple[float, float, float, float]:
    """Like `match_win` for a tie, and the derivative of log Z over t."""
    # the side on which the two probabilities are not both near 1
    far = abs(gap)
    low, high = (-t - far) / sd, (t - far) / sd
    upper, above = log_phi(high, table)
    lower, below = log_phi(low, table)
    lack = math.exp(lower - upper)
    left = max(1.0 - lack, _RAREST)
    above, below = above / left / sd, below * lack / left / sd
    third = ((low * low - 1.0) * below - (high * high - 1.0) * above) / (sd * sd)
    sign = math.copysign(1.0, gap)
    return sign * (below - above), (low * below - high * above) / sd, sign * third, above + below


@register_jitable
def _mix_with_coins(chance: float, slope: float, share: float) -> tuple[float, float]:
    """The log probability of a win, and its slope, where a coin decides this share of the matches."""
    coin = 0.5 * share * math.exp(-max(chance, -600.0))
    return chance + math.log(1.0 - share + coin), slope * (1.0 - share) / (1.0 - share + coin)


@register_jitable
def log_results(
    d: float, won: float, lost: float, tied: float, t: float, share: float, table: Floats
) -> tuple[float, float]:
    """The log probability of all matches of two players who differ by d, and its slope over t."""
    value = by_t = 0.0
    if won > 0.0:
        chance, slope = log_phi((d - t) / _ROOT2, table)
        if share > 0.0:
            chance, slope = _mix_with_coins(chance, slope, share)
        value += won * chance
        by_t -= won * slope
    if lost > 0.0:
        chance, slope = log_phi((-d - t) / _ROOT2, table)
        if share > 0.0:
            chance, slope = _mix_with_coins(chance, slope, share)
        value += lost * chance
        by_t -= lost * slope
    if tied > 0.0:
        far = abs(d)
        upper, slope = log_phi((t - far) / _ROOT2, table)
        lower, slope_below = log_phi((-t - far) / _ROOT2, table)
        lack = math.exp(lower - upper)
        left = max(1.0 - lack, _RAREST)
        value += tied * (upper + math.log(left * (1.0 - share)))
        by_t += tied * (slope + slope_below * lack) / left
    return value, by_t / _ROOT2


@register_jitable
def _guess_site(
    gap: float, variance: float, won: float, lost: float, tied: float, point: Point, table: Floats
) -> tuple[float, float, float]:
    """The site (T, N) of one match, or a first one of more, and the slope of log Z over t."""
    t, share = point.t, point.share
    sd = math.sqrt(2.0 + variance)
    a = bend = by_t = 0.0
    if won > 0.0:
        first, second, _ = match_win((gap - t) / sd, sd, share, table)
        a, bend, by_t = won * first, won * (second - first * first), -won * first
    if lost > 0.0:
        first, second, _ = match_win((-gap - t) / sd, sd, share, table)
        a, bend, by_t = a - lost * first, bend + lost * (second - first * first), by_t - lost * first
    if tied > 0.0:
        first, second, _, slope = match_tie(gap, t, sd, table)
        a, bend, by_t = a + tied * first, bend + tied * (second - first * first), by_t + tied * slope
    if won + lost + tied > 1.0:
        # the steps of many matches together would be too long
        bend /= 1.0 + variance * max(-bend, 0.0)
        a /= 1.0 + variance * max(-bend, 0.0)
    bend = max(bend, (_LEAST - 1.0) / variance)
    precision = -bend / (1.0 + variance * bend)
    return precision, gap * precision + a * (1.0 + variance * precision), by_t


@register_jitable
def match_moments(
    gap: float,
    variance: float,
    site: tuple[float, float],
    won: float,
    lost: float,
    tied: float,
    point: Point,
    quadrature: Quadrature,
) -> tuple[float, float, float]:
    """The site (T, N) that stands for the matches of two players, and the slope of log Z over t.

    Everything else says that they differ by `gap` with this variance. One match has a closed form; the moments of more
    are sums over nodes around what the present `site` says, or around their mode where that is elsewhere.
    """
    if won + lost + tied == 1.0 or (site[0] == 0.0 and site[1] == 0.0):
        guess: tuple[float, float, float] = _guess_site(gap, variance, won, lost, tied, point, quadrature.table)
        return guess
    shrunk = max(1.0 + variance * site[0], _LEAST)
    width, centre = math.sqrt(variance / shrunk), (gap + variance * site[1]) / shrunk
    first, second, by_t = _sum_nodes(gap, variance, centre, width, won, lost, tied, point, quadrature)
    if abs(first) > _FAR or not _NARROW < second < _WIDE:
        # the site is not where the matches are, and the nodes miss them: they are put around the mode instead
        centre, width = _find_mode(gap, variance, centre, won, lost, tied, point, quadrature.table)
        first, second, by_t = _sum_nodes(gap, variance, centre, width, won, lost, tied, point, quadrature)
    mean, left = centre + width * first, width * width * second
    return 1.0 / left - 1.0 / variance, mean / left - gap / variance, by_t


@register_jitable
def _sum_nodes(
    gap: float,
    variance: float,
    centre: float,
    width: float,
    won: float,
    lost: float,
    tied: float,
    point: Point,
    quadrature: Quadrature,
) -> tuple[float, float, float]:
    """Mean and variance of the difference in terms of `centre` and `width`, where the nodes are; the slope over t."""
    t, share, table = point.t, point.share, quadrature.table
    value, slope = log_results(centre, won, lost, tied, t, share, table)
    middle = len(quadrature.node) // 2
    total = quadrature.weight[middle]
    by_t = total * slope
    first = second = 0.0
    # all relative to the middle
    top = value - 0.5 * (centre - gap) ** 2 / variance
    for k in range(len(quadrature.node)):
        if k == middle:
            continue
        x = quadrature.node[k]
        d = centre + width * x
        value, slope = log_results(d, won, lost, tied, t, share, table)
        w = value - 0.5 * (d - gap) ** 2 / variance + 0.5 * x * x - top
        w = quadrature.weight[k] * math.exp(min(w, STEEPEST))
        total += w
        first += w * x
        second += w * x * x
        by_t += w * slope
    first /= total
    return first, max(second / total - first * first, _LEAST), by_t / total


@register_jitable
def _find_mode(
    gap: float, variance: float, start: float, won: float, lost: float, tied: float, point: Point, table: Floats
) -> tuple[float, float]:
    """The likeliest difference of two players, and its SD by the bend there: Newton's steps, which a log-concave
    density lets arrive."""
    d, width = start, math.sqrt(variance)
    t, share = point.t, point.share
    for _ in range(_STEPS_TO_MODE):
        a = bend = 0.0
        if won > 0.0:
            first, second, _ = match_win((d - t) / _ROOT2, _ROOT2, share, table)
            a, bend = won * first, won * (second - first * first)
        if lost > 0.0:
            first, second, _ = match_win((-d - t) / _ROOT2, _ROOT2, share, table)
            a, bend = a - lost * first, bend + lost * (second - first * first)
        if tied > 0.0:
            first, second, _, _ = match_tie(d, t, _ROOT2, table)
            a, bend = a + tied * first, bend + tied * (second - first * first)
        strength = 1.0 / variance + max(-bend, 0.0)
        width = 1.0 / math.sqrt(strength)
        step = (a - (d - gap) / variance) / strength
        d += step
        if abs(step) < 0.1 * width:
            break
    return d, width


@kernel
def renew_sites(pairs: PairTable, messages: Messages, point: Point, quadrature: Quadrature) -> float:
    """Renew the site of every pair, and its messages of precision in turn; the slope of log Z over t.

    The mean of a pair's difference without the pair itself follows from the mean with it.
    """
    q = point.q
    site, letter, precision, lean = messages.site, messages.letter, messages.precision, messages.lean
    by_t = 0.0
    for row in range(len(pairs.one)):
        i, j = np.uint32(pairs.one[row]), np.uint32(pairs.other[row])
        cavity_i, cavity_j = precision[i] - letter[row, 0], precision[j] - letter[row, 1]
        variance_i, variance_j = q / (1.0 + q * cavity_i), q / (1.0 + q * cavity_j)
        variance = variance_i + variance_j
        old, pull = site[row, 0], site[row, 1]
        gap = q * (lean[i] - lean[j]) * (1.0 + old * variance) - variance * pull
        new, pull, slope = match_moments(
            gap, variance, (old, pull), pairs.won[row], pairs.lost[row], pairs.tied[row], point, quadrature
        )
        by_t += slope
        site[row, 0], site[row, 1] = new, pull
        letter[row, 0], letter[row, 1] = new / (1.0 + new * variance_j), new / (1.0 + new * variance_i)
        precision[i], precision[j] = cavity_i + letter[row, 0], cavity_j + letter[row, 1]
    return by_t


@register_jitable
def _log_normaliser(q: float, precision: float, weight: float) -> float:
    """The integral of a normal density with variance q times exp(-P s^2 / 2 + W s)."""
    widened = 1.0 + q * precision
    return 0.5 * (q * weight * weight / widened - math.log(widened))


@kernel
def weigh_evidence(pairs: PairTable, messages: Messages, point: Point, quadrature: Quadrature) -> tuple[float, float]:
    """The log evidence of the messages at their fixed point (Bethe's free energy), and its slope over c."""
    q, t, share = point.q, point.t, point.share
    site, letter, precision, lean = messages.site, messages.letter, messages.precision, messages.lean
    evidence = by_share = 0.0
    for player in range(len(precision)):
        evidence += _log_normaliser(q, precision[player], lean[player] * (1.0 + q * precision[player]))
    for row in range(len(pairs.one)):
        i, j = np.uint32(pairs.one[row]), np.uint32(pairs.other[row])
        cavity_i, cavity_j = precision[i] - letter[row, 0], precision[j] - letter[row, 1]
        variance_i, variance_j = q / (1.0 + q * cavity_i), q / (1.0 + q * cavity_j)
        variance, strong, pull = variance_i + variance_j, site[row, 0], site[row, 1]
        centre = q * (lean[i] - lean[j])
        gap, width = (
            centre * (1.0 + strong * variance) - variance * pull,
            math.sqrt(variance / (1.0 + strong * variance)),
        )
        # a message's weight is what is missing between the mean with it and the mean without it
        mean_i = q * lean[i] + variance_i / variance * (gap - centre)
        mean_j = q * lean[j] - variance_j / variance * (gap - centre)
        total = coin = 0.0
        for k in range(len(quadrature.node)):
            d = centre + width * quadrature.node[k]
            value, _ = log_results(d, pairs.won[row], pairs.lost[row], pairs.tied[row], t, share, quadrature.table)
            w = quadrature.weight[k] * math.exp(min(value - (pull - 0.5 * strong * d) * d, STEEPEST))
            ahead, behind = (
                log_phi((d - t) / _ROOT2, quadrature.table)[0],
                log_phi((-d - t) / _ROOT2, quadrature.table)[0],
            )
            win, loss = math.exp(max(ahead, -600.0)), math.exp(max(behind, -600.0))
            slope = pairs.won[row] * (0.5 - win) / (0.5 * share + (1.0 - share) * win)
            slope += pairs.lost[row] * (0.5 - loss) / (0.5 * share + (1.0 - share) * loss)
            slope -= pairs.tied[row] / (1.0 - share)
            total += w
            coin += w * slope
        by_share += coin / total
        # the site's own integral over the difference without the pair
        shrunk = 1.0 + strong * variance
        over_site = 0.5 * ((variance * pull * pull + 2.0 * pull * gap - strong * gap * gap) / shrunk - math.log(shrunk))
        evidence += math.log(total) + over_site
        evidence += _log_normaliser(q, cavity_i, mean_i / variance_i) + _log_normaliser(
            q, cavity_j, mean_j / variance_j
        )
        evidence -= _log_normaliser(q, precision[i], lean[i] * (1.0 + q * precision[i]))
        evidence -= _log_normaliser(q, precision[j], lean[j] * (1.0 + q * precision[j]))
    return evidence, by_share


@kernel
def solve_lean(starts: Counts, other: Codes, site: Floats, q: float, lean: Floats, tolerance: float, most: int) -> int:
    """Solve (I + q B) u = A'N from what `lean` holds; returns the number of steps."""
    n = len(lean)
    inverse, rest, direction, image = np.ones(n), np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        rest[i] = -lean[i]
    for i in range(n):
        own, pull = 0.0, 0.0
        for k in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
            j = np.uint32(other[k])
            weight = q * site[k, 0]
            part = site[k, 1] - weight * (lean[i] - lean[j])
            pull += part
            rest[j] -= part
            own += weight
            inverse[j] += weight
        rest[i] += pull
        inverse[i] += own
    size = total = 0.0
    for i in range(n):
        inverse[i] = 1.0 / inverse[i]
        direction[i] = rest[i] * inverse[i]
        size += rest[i] * direction[i]
        total += lean[i] * lean[i] / inverse[i]
    enough = tolerance * tolerance * max(total, size)
    steps = 0
    while size > enough and steps < most:
        image[:] = direction
        for i in range(n):
            here, own = direction[i], 0.0
            for k in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
                j = np.uint32(other[k])
                part = q * site[k, 0] * (here - direction[j])
                own += part
                image[j] -= part
            image[i] += own
        bend = 0.0
        for i in range(n):
            bend += direction[i] * image[i]
        step = size / bend
        new = 0.0
        for i in range(n):
            lean[i] += step * direction[i]
            rest[i] -= step * image[i]
            new += rest[i] * rest[i] * inverse[i]
        growth = new / size
        for i in range(n):
            direction[i] = rest[i] * inverse[i] + growth * direction[i]
        size = new
        steps += 1
    return steps
