"""The pass with bounds equals its plain twin."""

from __future__ import annotations

import numpy as np

from ludometer.kernels.systems.bounded import bounded_pass, bounded_pass_plain
from ludometer.simulate import simulate_strengths

SETTINGS = np.array(
    [
        [1.0, 1e-4, 0.0, 1.0, 0.0],
        [2.0, 1e-3, 0.1, 0.9, 0.0],
        [0.5, 1e-9, 0.05, 0.7, 0.3],
        [400.0, 1.0, 0.0, 1.0, 0.0],
    ]
)


def test_the_kernel_is_its_plain_twin() -> None:
    pairs = simulate_strengths(12, 800, sd=300, draws=0.2, seed=1).pairs
    columns = (pairs.first, pairs.second, pairs.halves, 12, SETTINGS)
    kernel, plain = np.empty((800, 4)), np.empty((800, 4))
    loss = bounded_pass(*columns, kernel)
    np.testing.assert_allclose(loss, bounded_pass_plain(*columns, plain), rtol=1e-11)
    np.testing.assert_allclose(kernel, plain, rtol=1e-9)
    np.testing.assert_array_equal(loss, bounded_pass(*columns, np.empty((0, 0))))


def test_forecasts_stay_between_the_bounds() -> None:
    pairs = simulate_strengths(12, 2000, sd=2000, seed=1).pairs
    expected = np.empty((2000, 4))
    bounded_pass(pairs.first, pairs.second, pairs.halves, 12, SETTINGS, expected)
    assert (expected >= SETTINGS[:, 2]).all()
    assert (expected <= SETTINGS[:, 3]).all()
    assert expected[0, 0] == 0.5


def test_a_lane_does_not_know_of_the_others() -> None:
    pairs = simulate_strengths(12, 300, seed=1).pairs
    columns = (pairs.first, pairs.second, pairs.halves, 12)
    single = [bounded_pass(*columns, lane[np.newaxis], np.empty((0, 0)))[0] for lane in SETTINGS]
    np.testing.assert_allclose(bounded_pass(*columns, SETTINGS, np.empty((0, 0))), single, rtol=1e-14)
