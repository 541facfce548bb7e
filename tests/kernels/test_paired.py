"""The likelihood of pairs: its value against SciPy, its derivatives against finite differences, far tails included."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import log_ndtr

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.skills.paired import (
    balance_pairs,
    balance_pairs_plain,
    evaluate_pairs,
    gather_pairs,
    log_likelihood_plain,
    log_normal,
    log_normal_exactly,
    multiply_pairs,
)

N = 6


def record(*, ties: bool) -> tuple[Counts, Codes, Floats]:
    rng = np.random.default_rng(1)
    first = rng.integers(0, N, 60).astype(np.int32)
    second = ((first + rng.integers(1, N, 60)) % N).astype(np.int32)
    halves = (rng.integers(0, 3, 60) if ties else 2 * rng.integers(0, 2, 60)).astype(np.int8)
    return gather_pairs(first, second, halves, rng.uniform(0.5, 3, 60), N, ordered=True)


def evaluated(x: Floats, pairs: tuple[Counts, Codes, Floats], ties: bool, probit: bool) -> tuple[float, Floats, Floats]:
    gradient, diagonal, curvature = np.empty(N + 2), np.empty(N + 2), np.zeros((3, len(pairs[1])))
    value = evaluate_pairs(*pairs, ties, x[:N], float(x[N]), float(x[N + 1]), probit, gradient, curvature, diagonal)
    hessian = np.empty((N + 2, N + 2))
    for k, unit in enumerate(np.eye(N + 2)):
        multiply_pairs(pairs[0], pairs[1], curvature, ties, float(diagonal[N]), unit, hessian[k])
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-10)
    np.testing.assert_allclose(np.diag(hessian), diagonal, rtol=1e-10)
    return value, gradient, hessian


@pytest.mark.parametrize("probit", [True, False])
@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("scale", [0.5, 4.0, 15.0])
def test_value_and_derivatives(probit: bool, ties: bool, scale: float) -> None:
    pairs = record(ties=ties)
    x = np.append(scale * np.random.default_rng(2).standard_normal(N), [0.7 if ties else 0.0, 0.3])
    value, gradient, hessian = evaluated(x, pairs, ties, probit)
    assert value == pytest.approx(log_likelihood_plain(*pairs, x[:N], x[N], x[N + 1], probit), rel=1e-12)
    free = [k for k in range(N + 2) if ties or k != N]
    h = 1e-5
    for k in free:
        up, down = x.copy(), x.copy()
        up[k] += h
        down[k] -= h
        (high, slope_high, _), (low, slope_low, _) = (evaluated(z, pairs, ties, probit) for z in (up, down))
        assert gradient[k] == pytest.approx((high - low) / (2 * h), rel=1e-5, abs=1e-4)
        np.testing.assert_allclose(-hessian[k][free], (slope_high - slope_low)[free] / (2 * h), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("d", [0.0, 3.0, -3.0, 9.0, 14.0, 60.0, -60.0])
@pytest.mark.parametrize("half", [0, 1, 2])
def test_one_match_in_the_far_tail_keeps_its_digits(d: float, half: int) -> None:
    t = 1e-3 if half == 1 else 0.0
    pairs = gather_pairs(
        np.array([0], np.int32), np.array([1], np.int32), np.array([half], np.int8), np.empty(0), 2, ordered=True
    )
    gradient, diagonal, curvature = np.empty(4), np.empty(4), np.zeros((3, 1))
    value = evaluate_pairs(*pairs, half == 1, np.array([d, 0.0]), t, 0.0, True, gradient, curvature, diagonal)
    if half == 1:
        # a narrow band: the density of the difference, whose variance is 2, times its width
        expected = -(d**2) / 4 - math.log(math.sqrt(4 * math.pi)) + math.log(2 * t)
        assert value == pytest.approx(expected, rel=1e-4)
        assert gradient[0] == pytest.approx(-d / 2, rel=1e-3, abs=1e-6)
    else:
        sign = 1 if half == 2 else -1
        assert value == pytest.approx(float(log_ndtr(sign * d / math.sqrt(2))), rel=1e-12)
    assert np.isfinite(gradient).all()
    assert curvature[0, 0] >= 0


def test_balances_equal_their_plain_twin() -> None:
    pairs = record(ties=True)
    for fast, plain in zip(balance_pairs(*pairs), balance_pairs_plain(*pairs), strict=True):
        np.testing.assert_allclose(fast, plain)


def test_few_ties_leave_the_curvature_positive() -> None:
    pairs = record(ties=True)
    for t in (1e-8, 1e-4, 1.0, 30.0):
        x = np.append(np.linspace(-2, 2, N), [t, 0.1])
        _, _, hessian = evaluated(x, pairs, True, True)
        scale = 1 / np.sqrt(np.diag(hessian))
        assert np.linalg.eigvalsh(scale * hessian * scale[:, np.newaxis]).min() > -1e-6


def test_the_table_of_the_normal_distribution_is_as_good_as_its_formula() -> None:
    z = np.concatenate((np.linspace(-9, 9, 2_001), [-6.0, 2.0, np.nextafter(2.0, 0), np.nextafter(-6.0, -7)]))
    found = np.array([log_normal(value) for value in z])
    exact = np.array([log_normal_exactly(value) for value in z])
    np.testing.assert_allclose(found[:, 0], exact[:, 0], rtol=1e-13, atol=2e-15)
    np.testing.assert_allclose(found[:, 1], exact[:, 1], rtol=5e-12)
    np.testing.assert_allclose(exact[:, 0], log_ndtr(z), rtol=1e-12)
