"""Curves from tables inside kernels: the same as by Hermite's polynomials and as the curves themselves."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.arrays import Floats
from ludometer.curves import Bounded, Curve, Logistic, Normal, Stob, Timesharing, tabulate
from ludometer.kernels.runtime.compile import kernel
from ludometer.kernels.systems.curve_table import look_up, look_up_slope, read_table, read_table_plain
from ludometer.scale import ELO

CURVES = [Logistic(), Timesharing(), Normal(), Stob(), Bounded(Logistic(), 0.1)]


@kernel
def expect(knots: Floats, low: float, per_step: float, rating: Floats) -> Floats:
    """As a rating system's kernel would: natural units, one difference at a time."""
    out = np.empty((len(rating), 2))
    for t in range(len(rating)):
        out[t, 0] = look_up(knots, low, per_step, rating[t])
        out[t, 1] = look_up_slope(knots, low, per_step, rating[t])
    return out


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_kernels_read_values_to_1e_9_and_slopes_to_1e_6(curve: Curve) -> None:
    x = np.linspace(-40, 40, 8001) + 1e-4
    value, slope = expect(*tabulate(curve).natural, x).T
    assert np.abs(value - curve(ELO * x)).max() < 1e-9
    assert np.abs(slope - ELO * curve.slope(ELO * x)).max() < 1e-6


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_the_kernel_is_its_plain_twin(curve: Curve) -> None:
    table = tabulate(curve)
    x = np.concatenate((np.random.default_rng(2).normal(0, 800, 5000), table.low + table.step * np.arange(4097)))
    np.testing.assert_allclose(read_table(*table.elo, x), read_table_plain(*table.elo, x), rtol=0, atol=4e-16)


def test_beyond_its_ends_a_table_is_constant_and_no_number_reads_no_foreign_memory() -> None:
    table = tabulate(Logistic())
    ends = read_table(*table.elo, np.array([-np.inf, -1e300, np.nan, 1e300, np.inf]))
    first, last = table.knots[0, 0], table.knots[-1, 0]
    assert ends.tolist() == [first, first, first, last, last]
    assert [look_up_slope(*table.elo, x) for x in (-1e9, 1e9, np.nan)] == [0, 0, 0]


def test_knots_are_read_exactly_and_shapes_are_kept() -> None:
    table = tabulate(Stob())
    x: Floats = table.low + table.step * np.arange(len(table.knots), dtype=np.float64)
    np.testing.assert_allclose(read_table(*table.elo, x), table.knots[:, 0], atol=1e-15)
    assert read_table(*table.elo, x[:6].reshape(2, 3)).shape == (2, 3)
    assert table(np.array(0.0)) == 0.5
