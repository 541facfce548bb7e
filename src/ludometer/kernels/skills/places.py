"""Places against random opponents: the probability of each place for a player among k, the others drawn from all.

A player performs at y; each opponent is above y with probability u_b(y) = 1 - F(y - s_b). Over all choices of k - 1
others the sums of products of u (for those above) and 1 - u are elementary symmetric functions, which one pass over
the players builds, and from which any one player can be divided out: no choice is ever listed.

`sum_over_players` sums a smooth function of the difference over all pairs of players by interpolation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, product

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Floats
from ludometer.kernels.runtime.compile import kernel

STEP = 0.25
"""Between the nodes of the trapezoidal rule, whose error is below exp(-pi^2 / STEP) for Gumbel and normal densities."""


def place_chances_plain(skill: Floats, weight: Floats, size: int, own: int, normal: bool) -> Floats:
    """The plain twin of `place_chances` for the player `own`: all choices of opponents and of those above."""
    nodes = make_nodes(skill, normal)
    chance, total = np.zeros(size), 0.0
    density = _density_plain(nodes - skill[own], normal)
    above = np.array([1 - _cdf_plain(nodes - s, normal) for s in skill])
    for others in combinations([b for b in range(len(skill)) if b != own], size - 1):
        share = math.prod(float(weight[b]) for b in others)
        total += share
        for pattern in product((0, 1), repeat=size - 1):
            factors = [above[b] if up else 1 - above[b] for b, up in zip(others, pattern, strict=True)]
            chance[sum(pattern)] += share * STEP * float((density * np.prod(factors, axis=0)).sum())
    return chance / total


def make_nodes(skill: Floats, normal: bool) -> Floats:
    """Performances that cover all that matter."""
    low, high = (8.5, 8.5) if normal else (4.0, 37.0)
    return np.arange(skill.min() - low, skill.max() + high + STEP, STEP)


def _cdf_plain(x: Floats, normal: bool) -> Floats:
    from scipy.special import ndtr

    return np.asarray(ndtr(x) if normal else np.exp(-np.exp(-x)))


def _density_plain(x: Floats, normal: bool) -> Floats:
    return np.asarray(np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) if normal else np.exp(-x - np.exp(-x)))


@kernel
def place_chances(
    skill: Floats, weight: Floats, own_skill: Floats, own_weight: Floats, size: int, normal: bool, nodes: Floats
) -> Floats:
    """(own skills, places): the probability of each place for a player with this skill, who is one of `skill`.

    The opponents are size - 1 others, a set of them having the product of their weights as its weight. The chances are
    in proportion only: the sum over places is that of the weights of all sets, over STEP.
    """
    chance = np.zeros((len(own_skill), size))
    table, rest = np.empty((size, size)), np.empty((size, size))
    for y in nodes:
        _symmetric(skill, weight, y, size, normal, table)
        for a in range(len(own_skill)):
            density = _density(y - own_skill[a], normal)
            if density < 1e-300:
                continue
            above = 1 - _cdf(y - own_skill[a], normal)
            _divide(table, own_weight[a] * above, own_weight[a] * (1 - above), size, rest)
            for place in range(size):
                chance[a, place] += density * rest[place, size - 1 - place]
    return chance


@register_jitable
def _symmetric(skill, weight, y, size, normal, table):  # type: ignore[no-untyped-def]  # Numba infers the types
    """Sums over all choices of r above and m below, by their weights, for r + m below the size."""
    table[:] = 0
    table[0, 0] = 1
    for b in range(len(skill)):
        below = _cdf(y - skill[b], normal)
        up, down = weight[b] * (1 - below), weight[b] * below
        for chosen in range(size - 1, 0, -1):
            for r in range(chosen, -1, -1):
                m = chosen - r
                more = 0.0
                if r:
                    more += up * table[r - 1, m]
                if m:
                    more += down * table[r, m - 1]
                table[r, m] += more


@register_jitable
def _divide(table, up, down, size, rest):  # type: ignore[no-untyped-def]  # Numba infers the types
    """The same sums without one of the players."""
    for chosen in range(size):
        for r in range(chosen + 1):
            m = chosen - r
            value = table[r, m]
            if r:
                value -= up * rest[r - 1, m]
            if m:
                value -= down * rest[r, m - 1]
            rest[r, m] = value


@register_jitable
def _cdf(x, normal):  # type: ignore[no-untyped-def]  # Numba infers the types
    if normal:
        return 0.5 * math.erfc(-x * 0.7071067811865476)
    return math.exp(-math.exp(min(-x, 700.0)))


@register_jitable
def _density(x, normal):  # type: ignore[no-untyped-def]  # Numba infers the types
    if normal:
        return math.exp(-0.5 * x * x) * 0.3989422804014327
    return math.exp(-x - math.exp(min(-x, 700.0)))


_CHUNK = 1 << 13


def sum_over_players_plain(function: Callable[[Floats], Floats], skill: Floats, weight: Floats) -> Floats:
    """The plain twin of `sum_over_players`: all pairs."""
    return np.asarray(function(skill[:, np.newaxis] - skill) @ weight)


def sum_over_players(function: Callable[[Floats], Floats], skill: Floats, weight: Floats) -> Floats:
    """The sum over players b of weight_b f(s_a - s_b) for each player a.

    It is a smooth function of s_a: computed in Chebyshev's nodes, interpolated between. f has to be analytic around the
    real line up to the distance 3 (the logistic function has poles at pi, the normal distribution none); a polynomial
    of degree n then misses by rho^-n, ln rho = arsinh(3 / half the range): rounding is all that is left.

    >>> sum_over_players(np.tanh, np.array([0.0, 1.0]), np.ones(2)).round(6).tolist()
    [-0.761594, 0.761594]
    """
    from numpy.polynomial import chebyshev

    low, high = float(skill.min()), float(skill.max())
    middle, half = 0.5 * (low + high), max(0.5 * (high - low), 1e-3)
    degree = 12 + math.ceil(32 / math.asinh(3 / half))
    node = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    at_nodes = np.zeros(degree + 1)
    for start in range(0, len(skill), _CHUNK):
        part = slice(start, start + _CHUNK)
        at_nodes += function(middle + half * node[:, np.newaxis] - skill[part]) @ weight[part]
    # in the roots of a Chebyshev polynomial the lower ones are orthogonal: the coefficients are sums over the nodes
    coefficient = 2 / (degree + 1) * (at_nodes @ chebyshev.chebvander(node, degree))
    coefficient[0] /= 2
    return np.asarray(chebyshev.chebval((skill - middle) / half, coefficient))
