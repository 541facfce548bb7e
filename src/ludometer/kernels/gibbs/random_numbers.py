"""Random numbers inside kernels: one generator per chain, normals, truncated normals, gammas.

The generator is SplitMix64 (Steele, Lea, Flood 2014): a counter in steps of an odd constant, mixed. Its one word comes
from NumPy's `SeedSequence`, so that a chain depends on its seed only, not on who runs it. Normals are Marsaglia and
Tsang's ziggurat (256 layers, as Doornik 2005), truncated normals exact rejection (Robert 1995) or rectangles of equal
area (Chopin 2011), gammas Marsaglia and Tsang 2000. Every function takes the word and returns its draw and the new
word: references to an array would be counted at each call, which costs more than the draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Floats
from ludometer.kernels.runtime.compile import kernel

Word = np.uint64
"""The state of a generator."""

_RIGHTMOST, _AREA, _LAYERS = 3.6541528853610088, 0.00492867323399, 256
_TAIL = 0.6
"""Beyond it an exponential proposal is accepted sooner than the absolute value of a normal."""

_WIDE, _STEEP = 2.5, 1.5
"""Between two bounds a uniform proposal is good if they are close and the density does not fall much between them."""

_WEYL, _MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_ONE, _U11, _U27, _U30, _U31, _LOW = (np.uint64(n) for n in (1, 11, 27, 30, 31, 255))
_STEP = 2.0**-53


def _layers() -> tuple[Floats, Floats]:
    edge = np.zeros(_LAYERS + 1)
    edge[0], edge[1] = _AREA / math.exp(-0.5 * _RIGHTMOST**2), _RIGHTMOST
    for n in range(2, _LAYERS):
        edge[n] = math.sqrt(-2 * math.log(_AREA / edge[n - 1] + math.exp(-0.5 * edge[n - 1] ** 2)))
    return edge, edge[1:] / edge[:-1]


_EDGE, _RATIO = _layers()


def make_word(seed: np.random.SeedSequence) -> Word:
    """The state of a generator with this seed.

    >>> word = make_word(np.random.SeedSequence(1))
    >>> fill_uniforms(word, np.empty(3)).round(2).tolist()
    [0.32, 0.68, 0.7]
    """
    return Word(seed.generate_state(1, np.uint64)[0])


@register_jitable
def next_bits(word: Word) -> tuple[np.uint64, Word]:
    """64 random bits."""
    word = word + _WEYL
    bits = (word ^ (word >> _U30)) * _MIX_1
    bits = (bits ^ (bits >> _U27)) * _MIX_2
    return bits ^ (bits >> _U31), word


@register_jitable
def uniform(word: Word) -> tuple[float, Word]:
    """Between 0 and 1, neither included."""
    bits, word = next_bits(word)
    return (np.float64(bits >> _U11) + 0.5) * _STEP, word


@register_jitable
def normal(word: Word) -> tuple[float, Word]:
    """Standard normal."""
    while True:
        bits, word = next_bits(word)
        layer = bits & _LOW
        u = 2.0 * (np.float64(bits >> _U11) + 0.5) * _STEP - 1.0
        x = u * _EDGE[layer]
        if abs(u) < _RATIO[layer]:
            return x, word
        if layer == 0:
            x, word = _far_tail(word)
            return math.copysign(x, u), word
        lower = math.exp(-0.5 * (_EDGE[layer] ** 2 - x * x))
        upper = math.exp(-0.5 * (_EDGE[layer + _ONE] ** 2 - x * x))
        v, word = uniform(word)
        if upper + v * (lower - upper) < 1.0:
            return x, word


@register_jitable
def _far_tail(word: Word) -> tuple[float, Word]:
    while True:
        u, word = uniform(word)
        v, word = uniform(word)
        x = -math.log(u) / _RIGHTMOST
        if -2.0 * math.log(v) > x * x:
            return _RIGHTMOST + x, word


@register_jitable
def normal_above(low: float, word: Word) -> tuple[float, Word]:
    """Standard normal, given that it is above `low`, however far out that is."""
    if low < _TAIL:
        while True:
            x, word = normal(word)
            if low >= 0.0:
                x = abs(x)
            if x > low:
                return x, word
    rate = 0.5 * (low + math.sqrt(low * low + 4.0))
    while True:
        u, word = uniform(word)
        v, word = uniform(word)
        x = low - math.log(u) / rate
        if _falls_under(0.5 * (x - rate) ** 2, v):
            return x, word


@register_jitable
def normal_between(low: float, high: float, word: Word) -> tuple[float, Word]:
    """Standard normal, given that it lies between two bounds."""
    sign = 1.0
    if high <= 0.0:
        sign, low, high = -1.0, -high, -low
    width, nearest = high - low, max(low, 0.0)
    if width < _WIDE and nearest * width < _STEEP:
        while True:
            u, word = uniform(word)
            v, word = uniform(word)
            x = low + width * u
            if _falls_under(0.5 * (x * x - nearest * nearest), v):
                return sign * x, word
    while True:
        x, word = normal_above(low, word)
        if x < high:
            return sign * x, word


@register_jitable
def _falls_under(height: float, u: float) -> bool:
    """True with probability exp(-height); mostly 1 - height decides already."""
    return u < 1.0 - height or u < math.exp(-height)


@register_jitable
def gamma(shape: float, word: Word) -> tuple[float, Word]:
    """Gamma with this shape and scale 1."""
    boost = 1.0
    if shape < 1.0:
        u, word = uniform(word)
        boost = u ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x, word = normal(word)
        u, word = uniform(word)
        v = (1.0 + c * x) ** 3
        if v > 0.0 and math.log(u) < 0.5 * x * x + d - d * v + d * math.log(v):
            return d * v * boost, word


@kernel
def fill_uniforms(word: Word, out: Floats) -> Floats:
    """The next numbers between 0 and 1, for tests."""
    for n in range(len(out)):
        out[n], word = uniform(word)
    return out


@kernel
def fill_normals(word: Word, low: float, high: float, out: Floats) -> Floats:
    """The next normals between two bounds, either of which may be infinite, for tests."""
    for n in range(len(out)):
        if low == -np.inf and high == np.inf:
            x, word = normal(word)
        elif high == np.inf:
            x, word = normal_above(low, word)
        elif low == -np.inf:
            x, word = normal_above(-high, word)
            x = -x
        else:
            x, word = normal_between(low, high, word)
        out[n] = x
    return out


@kernel
def fill_gammas(word: Word, shape: float, out: Floats) -> Floats:
    """The next gammas, for tests."""
    for n in range(len(out)):
        out[n], word = gamma(shape, word)
    return out


# Normals above a bound from rectangles (Chopin 2011): exact, and hardly ever a second try. The density lies under
# upright rectangles, all of one area, which is also that of the tail beyond the last. Those right of the bound are
# equally likely, so one number picks a rectangle and the place in it. Rejection from the whole normal needs few more
# draws, but a processor cannot predict which of them succeeds, and that costs more than the draws.

_RECTANGLE = 1.0 / 1024.0
_LOWEST, _HIGHEST, _CELLS = -3.0, 2.25, 256
"""Bounds for which rectangles are used, and cells per unit that give the first rectangle of a bound."""

_LOW11, _COARSE = np.uint64(2047), 1.0 / 2048.0


def _density(x: float) -> float:
    return math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def _lack(right: float, left: float) -> float:
    return (right - left) * _density(left) - _RECTANGLE


def _bisect(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function is 0."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return low


def _build() -> tuple[Floats, Floats, Floats, Codes]:
    """Left ends, widths, lowest over highest density, and the rectangle in which each cell of bounds begins."""
    ends = [_bisect(lambda x: 0.5 * math.erfc(x / math.sqrt(2)) - _RECTANGLE, 1.0, 6.0)]
    while ends[-1] > _LOWEST:
        right = ends[-1]
        if right > 0.0:
            # the highest density is at the left end, or at 0
            end = right - _RECTANGLE / _density(0.0)
            if end > 0.0:
                end = _bisect(partial(_lack, right), 0.0, right)
        else:
            end = right - _RECTANGLE / _density(right)
        ends.append(end)
    left: Floats = np.array(ends[::-1])
    width = np.append(np.diff(left), 0.0)
    lowest, highest = np.empty(len(left)), np.empty(len(left))
    for k in range(len(left) - 1):
        both = _density(left[k]), _density(left[k + 1])
        lowest[k], highest[k] = min(both), _density(0.0) if left[k] < 0.0 < left[k + 1] else max(both)
    lowest[-1], highest[-1] = 0.0, _density(left[-1])
    bound = _LOWEST + np.arange(round((_HIGHEST - _LOWEST) * _CELLS) + 1) / _CELLS
    first = np.searchsorted(left, bound, side="right") - 1
    # a little less than the ratio: what is accepted at once must lie under the density whatever the rounding
    return left, width, lowest / highest * (1.0 - 1e-12), first.astype(np.int32)


_LEFT, _WIDTH, _SURE, _FIRST = _build()
_LOG_HIGHEST = -0.5 * np.minimum(np.abs(_LEFT), np.abs(_LEFT + _WIDTH)) ** 2 * ((_LEFT > 0) | (_LEFT + _WIDTH < 0))
"""Of each rectangle, up to the constant of the normal density."""

_LAST = len(_LEFT) - 1


@register_jitable
def normal_above_bound(low: float, word: Word) -> tuple[float, Word]:
    """Standard normal, given that it is above `low`; as `normal_above`, by rectangles where most bounds are."""
    if low < _LOWEST:
        while True:
            x, word = normal(word)
            if x > low:
                return x, word
    if low >= _HIGHEST:
        x, word = normal_above(low, word)
        return x, word
    first = _FIRST[np.uint32((low - _LOWEST) * _CELLS)]
    count = _LAST + 1 - first
    while True:
        bits, word = next_bits(word)
        place = (np.float64(bits >> _U11) + 0.5) * _STEP * count
        rectangle = np.uint32(place)
        inside = place - rectangle
        rectangle = np.uint32(rectangle + first)
        height = np.float64(bits & _LOW11) * _COARSE
        if rectangle >= _LAST:
            # the tail has the area of a rectangle: whatever is drawn from it is accepted
            x, word = normal_above(_LEFT[_LAST], word)
            return x, word
        x = _LEFT[rectangle] + inside * _WIDTH[rectangle]
        if x > low:
            if height + _COARSE < _SURE[rectangle]:
                return x, word
            u, word = uniform(word)
            if math.log(height + _COARSE * u) < -0.5 * x * x - _LOG_HIGHEST[rectangle]:
                return x, word
