"""Sums over all pairs of players of a smooth function of their difference, without the pairs: by interpolation."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ludometer.arrays import Floats

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
