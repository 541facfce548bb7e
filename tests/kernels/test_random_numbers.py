"""Random numbers of kernels have the distributions they are called after."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from ludometer.kernels.gibbs.random_numbers import Word, fill_gammas, fill_normals, fill_uniforms, make_word

N = 60_000
BOUNDS = [
    (-np.inf, np.inf),
    (-3.0, np.inf),
    (0.3, np.inf),
    (0.6, np.inf),
    (2.0, np.inf),
    (38.0, np.inf),
    (-np.inf, 1.0),
    (-np.inf, -5.0),
    (-0.5, 0.5),
    (-4.0, 3.0),
    (-0.2, 6.0),
    (0.2, 0.3),
    (0.2, 4.0),
    (3.0, 9.0),
    (-9.0, -3.0),
    (-30.1, -30.0),
]


def word(seed: int) -> Word:
    return make_word(np.random.SeedSequence(seed))


@pytest.mark.parametrize("number", range(len(BOUNDS)))
def test_normals_between_bounds_have_their_distribution_however_far_out(number: int) -> None:
    low, high = BOUNDS[number]
    with np.errstate(over="ignore"):
        drawn = fill_normals(word(number), low, high, np.empty(N))
    assert low <= drawn.min() < drawn.max() <= high
    if low <= -high:
        drawn, low, high = -drawn, -high, -low
    # in logarithms of the upper tail, which do not vanish
    above = special.log_ndtr(-drawn) - special.log_ndtr(-low)
    share = np.expm1(above) / np.expm1(special.log_ndtr(-high) - special.log_ndtr(-low))
    assert stats.kstest(share, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_normals_have_the_tails_of_normals(seed: int) -> None:
    with np.errstate(over="ignore"):
        drawn = fill_normals(word(seed), -np.inf, np.inf, np.empty(2_000_000))
    edges = [-np.inf, -4, -3.6541528853610088, -3, -1, -0.2, 0, 0.2, 1, 3, 3.6541528853610088, 4, np.inf]
    expected = np.diff(special.ndtr(edges)) * len(drawn)
    assert stats.chisquare(np.histogram(drawn, edges)[0], expected).pvalue > 1e-3


@pytest.mark.parametrize("shape", [0.3, 0.5, 1.0, 2.5, 4000.0])
def test_gammas_are_gammas(shape: float) -> None:
    with np.errstate(over="ignore"):
        drawn = fill_gammas(word(7), shape, np.empty(N))
    assert stats.kstest(drawn, stats.gamma(shape).cdf).pvalue > 1e-3


def test_seeds_tell_generators_apart_and_repeat_them() -> None:
    with np.errstate(over="ignore"):
        one, same, other = (fill_uniforms(word(seed), np.empty(N)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert abs(np.corrcoef(one, other)[0, 1]) < 4 / N**0.5
    assert abs(np.corrcoef(one[1:], one[:-1])[0, 1]) < 4 / N**0.5
    assert stats.kstest(one, "uniform").pvalue > 1e-3
