"""Random numbers inside kernels: a generator of its own for each chain, normals, truncated normals, gammas.

The generator is SplitMix64 (Steele, Lea, Flood 2014): a counter in steps of an odd constant, mixed. Its one word comes
from NumPy's `SeedSequence`, so that a chain depends on its seed only, not on who runs it. Normals are Marsaglia and
Tsang's ziggurat (256 layers, as Doornik 2005), truncated normals exact rejection (Robert 1995), gammas Marsaglia and
Tsang 2000. Every function takes the word and returns its draw and the new word: an array in its place would have its
references counted at each call, which costs more than the draw.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Floats
from ludometer.kernels.runtime.compile import kernel

Word = np.uint64
"""The state of a generator."""

_RIGHTMOST, _AREA, _LAYERS = 3.6541528853610088, 0.00492867323399, 256
_TAIL = 0.6
"""Beyond it an exponential proposal is taken sooner than a normal without its sign."""

_WIDE, _STEEP = 2.5, 1.5
"""Between two bounds a uniform proposal is good if they are near and the density does not fall much between them."""

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
    """Standard normal, given that it is above `low`, which may lie as far out as one likes."""
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
    """True with probability exp(-height); mostly 1 - height tells already."""
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
