"""Standard normals above a bound from strips of equal area: exact, and hardly ever a second try (Chopin 2011).

The density lies under upright rectangles, all of one area, which is also that of the tail beyond the last. Those right
of the bound are as likely as each other, so one number picks a rectangle and the place in it. Rejection from the whole
normal takes few draws more, but a processor cannot guess which of them will do, and that costs more than the draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Floats
from ludometer.kernels.gibbs.truncated import Word, next_bits, normal, normal_above, uniform

_AREA = 1.0 / 1024.0
_LOWEST, _HIGHEST, _CELLS = -3.0, 2.25, 256
"""Bounds for which strips are used, and cells in one unit that tell the first strip of a bound."""

_U11, _LOW11, _STEP, _COARSE = np.uint64(11), np.uint64(2047), 2.0**-53, 1.0 / 2048.0


def _density(x: float) -> float:
    return math.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def _lack(right: float, left: float) -> float:
    return (right - left) * _density(left) - _AREA


def _bisect(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function is 0."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return low


def _build() -> tuple[Floats, Floats, Floats, Codes]:
    """Left ends, widths, lowest over highest density, and the strip in which each cell of bounds begins."""
    ends = [_bisect(lambda x: 0.5 * math.erfc(x / math.sqrt(2)) - _AREA, 1.0, 6.0)]
    while ends[-1] > _LOWEST:
        right = ends[-1]
        if right > 0.0:
            # the highest density is at the left end, or at 0
            end = right - _AREA / _density(0.0)
            if end > 0.0:
                end = _bisect(partial(_lack, right), 0.0, right)
        else:
            end = right - _AREA / _density(right)
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
    # a little less than the ratio: what is taken at once must lie under the density whatever the rounding
    return left, width, lowest / highest * (1.0 - 1e-12), first.astype(np.int32)


_LEFT, _WIDTH, _SURE, _STRIP = _build()
_LOG_HIGHEST = -0.5 * np.minimum(np.abs(_LEFT), np.abs(_LEFT + _WIDTH)) ** 2 * ((_LEFT > 0) | (_LEFT + _WIDTH < 0))
"""Of each strip, up to the constant of the normal density."""

_LAST = len(_LEFT) - 1


@register_jitable
def normal_above_bound(low: float, word: Word) -> tuple[float, Word]:
    """Standard normal, given that it is above `low`; as `normal_above`, by strips wherever most bounds are."""
    if low < _LOWEST:
        while True:
            x, word = normal(word)
            if x > low:
                return x, word
    if low >= _HIGHEST:
        x, word = normal_above(low, word)
        return x, word
    first = _STRIP[np.uint32((low - _LOWEST) * _CELLS)]
    count = _LAST + 1 - first
    while True:
        bits, word = next_bits(word)
        place = (np.float64(bits >> _U11) + 0.5) * _STEP * count
        strip = np.uint32(place)
        inside = place - strip
        strip = np.uint32(strip + first)
        height = np.float64(bits & _LOW11) * _COARSE
        if strip >= _LAST:
            # the tail has just the area of a strip: whatever is drawn from it is taken
            x, word = normal_above(_LEFT[_LAST], word)
            return x, word
        x = _LEFT[strip] + inside * _WIDTH[strip]
        if x > low:
            if height + _COARSE < _SURE[strip]:
                return x, word
            u, word = uniform(word)
            if math.log(height + _COARSE * u) < -0.5 * x * x - _LOG_HIGHEST[strip]:
                return x, word
