"""The expected number of opponents beaten, as a smooth function of the rating: for large matches.

f(r) = sum over opponents s of 1 / (1 + exp(s - r)) is analytic but for poles at a distance of pi from the real line. So
1 / (1 + exp(s - r)) = 1/2 + sum over p, q of K_pq T_p(r) T_q(s), with Chebyshev's polynomials on the range of the
ratings, converges like a geometric series, and f needs of all opponents only their sums M_q = sum of T_q(s): its
coefficients are K M. For n players and m terms that is 2 n m + m^2 / 2 multiplications and additions, not n^2 / 2
divisions, and no exponential function. K depends on the range alone and is tabulated for a few.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from ludometer.arrays import Floats
from ludometer.kernels.runtime.lanes import get, larger, multiply_add, put, smallest

_HALF = np.array([0.9, 1.4, 1.85, 2.35, 2.8, 3.25, 3.7, 4.15, 4.6, 5.05])
"""Half ranges of ratings, in natural units, that K is tabulated for; if they are further apart, pairs are summed."""

_TERMS = np.array([[16, 20, 24, 28, 32, 36, 40, 44, 48, 52], [12, 12, 16, 16, 20, 20, 24, 24, 28, 28]])
"""Terms, in fours, that leave an error below 1e-13; and below 1e-7, which is enough in single precision."""

_PER_TERM = 1.4
"""Players per term from which on this costs less than weights and the sum over pairs: measured."""

FEWEST = 16
"""Below so many players it never does."""


def _tabulate(half: float, n_terms: int) -> Floats:
    """K for ratings within `half` of their middle, by interpolation in more nodes than terms; with signs as below."""
    n_nodes = n_terms + 24
    angle = (np.arange(n_nodes) + 0.5) * (np.pi / n_nodes)
    node = np.cos(angle)
    values = 0.5 * np.tanh(0.5 * half * (node[:, np.newaxis] - node))
    cosine = np.cos(np.arange(n_terms)[:, np.newaxis] * angle) * (2 / n_nodes)
    cosine[0] /= 2
    sign = np.where(np.arange(n_terms) % 4 < 2, 1.0, -1.0)
    return np.asarray(sign[:, np.newaxis] * sign * (cosine @ values @ cosine.T))


_TABLE = np.concatenate([_tabulate(half, n_terms).ravel() for half, n_terms in zip(_HALF, _TERMS[0], strict=True)])
_BEGIN = np.concatenate(([0], np.cumsum(_TERMS[0] ** 2)))
"""Every K, row by row, and where each begins."""


@register_jitable
def sum_smooth(rating, n, lowest, fall, expected, scratch):  # type: ignore[no-untyped-def]  # Numba infers the types
    """Write lowest + fall f(r), without the own share of f, for each player; if it does not pay, only say so."""
    middle, size = _find_range(rating, n, scratch)
    if size == len(_HALF) or n < _PER_TERM * _terms(rating, size):
        return False
    n_terms = _terms(rating, size)
    place, moment, factor = 0, n, n + n_terms
    scale = 2.0 / _HALF[size]
    for i in range(n):
        put(scratch, place + i, (get(rating, i) - middle) * scale)
    _add_moments(scratch, place, n, moment, n_terms)
    _find_factors(scratch, moment, factor, n_terms, size, fall)
    _evaluate(scratch, place, n, factor, n_terms, lowest + 0.5 * (n - 1) * fall, expected)
    return True


def _terms(rating, size):  # type: ignore[no-untyped-def]
    return _TERMS[int(rating.dtype == np.float32), size]


@overload(_terms)
def _typed_terms(rating, size):  # type: ignore[no-untyped-def]  # noqa: ARG001
    precision = int(rating.dtype == types.float32)
    return lambda rating, size: _TERMS[precision, size]  # noqa: ARG005


@register_jitable(forceinline=True)
def _find_range(rating, n, scratch):  # type: ignore[no-untyped-def]
    """The middle of the ratings, and which of the tabulated half ranges holds them in all lanes; len(_HALF) if none."""
    top = get(rating, 0)
    bottom = 0.0 - top
    for i in range(1, n):
        own = get(rating, i)
        top = larger(top, own)
        bottom = larger(bottom, 0.0 - own)
    put(scratch, 0, (top + bottom) * -0.5)
    half = -smallest(scratch, 0)
    size = 0
    while size < len(_HALF) and not half <= _HALF[size]:
        size += 1
    return (top - bottom) * 0.5, size


@register_jitable
def _add_moments(scratch, place, n, moment, n_terms):  # type: ignore[no-untyped-def]
    """M_q of the players, whose places 2x in the range, from -2 to 2, stand from `place` on.

    T_q is carried with the signs +, +, -, -, ...: so each step of T_q+1 = 2x T_q - T_q-1 is one fused operation.
    """
    zero = get(scratch, place) * 0.0
    one = zero + 1.0
    for q in range(moment, moment + n_terms):
        put(scratch, q, zero)
    # four players at once, because each step waits for the one before; those that are missing count 0
    for i in range(0, n, 4):
        a = get(scratch, place + i)
        b = get(scratch, place + i + 1) if i + 1 < n else zero
        c = get(scratch, place + i + 2) if i + 2 < n else zero
        d = get(scratch, place + i + 3) if i + 3 < n else zero
        minus_a, minus_b, minus_c, minus_d = zero - a, zero - b, zero - c, zero - d
        a_even, a_odd = one, a * 0.5
        b_even, b_odd = one if i + 1 < n else zero, b * 0.5
        c_even, c_odd = one if i + 2 < n else zero, c * 0.5
        d_even, d_odd = one if i + 3 < n else zero, d * 0.5
        for q in range(moment, moment + n_terms, 2):
            put(scratch, q, get(scratch, q) + ((a_even + b_even) + (c_even + d_even)))
            put(scratch, q + 1, get(scratch, q + 1) + ((a_odd + b_odd) + (c_odd + d_odd)))
            a_even, b_even = fused(minus_a, a_odd, a_even), fused(minus_b, b_odd, b_even)
            c_even, d_even = fused(minus_c, c_odd, c_even), fused(minus_d, d_odd, d_even)
            a_odd, b_odd = fused(a, a_even, a_odd), fused(b, b_even, b_odd)
            c_odd, d_odd = fused(c, c_even, c_odd), fused(d, d_even, d_odd)


@register_jitable
def _find_factors(scratch, moment, factor, n_terms, size, fall):  # type: ignore[no-untyped-def]
    """fall K M; K_pq is not 0 only if p + q is odd."""
    zero = get(scratch, moment) * 0.0
    width = _TERMS[0, size]
    for p in range(0, n_terms, 4):
        first, second, third, fourth = zero, zero, zero, zero
        row = _BEGIN[size] + p * width
        for q in range(0, n_terms, 2):
            even, odd = get(scratch, moment + q), get(scratch, moment + q + 1)
            first = first + odd * _TABLE[row + q + 1]
            second = second + even * _TABLE[row + width + q]
            third = third + odd * _TABLE[row + 2 * width + q + 1]
            fourth = fourth + even * _TABLE[row + 3 * width + q]
        put(scratch, factor + p, first * fall)
        put(scratch, factor + p + 1, second * fall)
        put(scratch, factor + p + 2, third * fall)
        put(scratch, factor + p + 3, fourth * fall)


@register_jitable
def _evaluate(scratch, place, n, factor, n_terms, floor, expected):  # type: ignore[no-untyped-def]
    """floor + sum of the factors times T_p, by Clenshaw's recurrence with the signs of `_add_moments`."""
    zero = get(scratch, place) * 0.0
    last = n - 1
    for i in range(0, n, 4):
        # those that are missing are the last one again
        j, k, l = min(i + 1, last), min(i + 2, last), min(i + 3, last)  # noqa: E741
        a, b, c, d = get(scratch, place + i), get(scratch, place + j), get(scratch, place + k), get(scratch, place + l)
        minus_a, minus_b, minus_c, minus_d = zero - a, zero - b, zero - c, zero - d
        a_even, a_odd, b_even, b_odd = zero, zero, zero, zero
        c_even, c_odd, d_even, d_odd = zero, zero, zero, zero
        for p in range(factor + n_terms - 2, factor - 1, -2):
            even, odd = get(scratch, p), get(scratch, p + 1)
            a_odd, b_odd = fused(minus_a, a_even, odd + a_odd), fused(minus_b, b_even, odd + b_odd)
            c_odd, d_odd = fused(minus_c, c_even, odd + c_odd), fused(minus_d, d_even, odd + d_odd)
            a_even, b_even = fused(a, a_odd, even + a_even), fused(b, b_odd, even + b_even)
            c_even, d_even = fused(c, c_odd, even + c_even), fused(d, d_odd, even + d_even)
        put(expected, i, floor + (a_even - (a * 0.5) * a_odd))
        put(expected, j, floor + (b_even - (b * 0.5) * b_odd))
        put(expected, k, floor + (c_even - (c * 0.5) * c_odd))
        put(expected, l, floor + (d_even - (d * 0.5) * d_odd))


def fused(a, b, c):  # type: ignore[no-untyped-def]
    """a * b + c, in lanes as one operation where the CPU can."""
    return a * b + c


@overload(fused)
def _typed_fused(a, b, c):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(a, types.Number):
        return lambda a, b, c: a * b + c
    return lambda a, b, c: multiply_add(a, b, c)  # noqa: PLW0108 - Numba wants a Python function
