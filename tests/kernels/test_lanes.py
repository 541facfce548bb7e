"""Eight lanes as one value do what eight numbers do."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from ludometer.arrays import Floats
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel

pytestmark = pytest.mark.skipif(not JIT, reason="lanes are there in compiled kernels only")


@kernel
def exponentials(x: Floats, y: Floats) -> None:
    for row in range(len(x)):
        lanes.put(y, row, lanes.exp(lanes.get(x, row)))


@kernel
def mixed_arithmetic(x: Floats, y: Floats) -> float:
    """Numbers on either side of lanes, and the larger and smallest of them."""
    value = lanes.get(x, 0)
    lanes.put(y, 0, 2.0 * value + 1.0 - value / 4.0)
    lanes.put(y, 1, 1.0 / value - (3.0 - value))
    lanes.put(y, 2, lanes.larger(value, 0.5))
    lanes.put(y, 3, lanes.larger(value, lanes.get(y, 1)))
    return float(lanes.smallest(x, 0))


def test_the_exponential_is_that_of_numpy() -> None:
    x = np.linspace(-60, 60, 8 * 1_250).reshape(-1, 8)
    in_lanes, one_by_one = np.empty_like(x), np.empty(x.size)
    exponentials(x, in_lanes)
    exponentials(x.ravel(), one_by_one)
    np.testing.assert_allclose(in_lanes, np.exp(x), rtol=5e-15)
    np.testing.assert_allclose(one_by_one, np.exp(x).ravel(), rtol=1e-15)


def test_the_exponential_does_not_overflow() -> None:
    x, y = np.array([[-1e9, -800, -700, 0, 1, 700, 800, 1e9]]), np.empty((1, 8))
    exponentials(x, y)
    np.testing.assert_allclose(y, np.exp(np.clip(x, -700, 700)), rtol=5e-14)


def test_numbers_and_lanes_mix() -> None:
    x = np.array([[0.25, 1, -2, 3, 0.5, -0.125, 8, 16]])
    y = np.empty((4, 8))
    assert mixed_arithmetic(x, y) == -2
    np.testing.assert_allclose(y[0], 2 * x[0] + 1 - x[0] / 4)
    np.testing.assert_allclose(y[1], 1 / x[0] - (3 - x[0]))
    np.testing.assert_allclose(y[2], np.maximum(x[0], 0.5))
    np.testing.assert_allclose(y[3], np.maximum(x[0], y[1]))


def test_the_plain_forms_agree() -> None:
    x = np.array([[0.25, 1, -2, 3, 0.5, -0.125, 8, 16]])
    plain, compiled = np.empty((4, 8)), np.empty((4, 8))
    assert mixed_arithmetic.py_func(x, plain) == mixed_arithmetic(x, compiled)  # type: ignore[attr-defined]
    np.testing.assert_allclose(plain, compiled)
    exponentials.py_func(x, plain[:1])  # type: ignore[attr-defined]
    np.testing.assert_allclose(plain[0], np.exp(x[0]))


def test_kernels_load_without_scipy_and_still_multiply() -> None:
    program = (
        "import sys, numpy as np\n"
        "from ludometer.kernels.runtime import compile\n"
        "import numba\n"
        "assert 'scipy.linalg' not in sys.modules\n"
        "multiply = numba.njit(lambda a, b: np.dot(a, b))\n"
        "assert multiply(np.ones(5), np.ones(5)) == 5\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@kernel
def logarithms(x: Floats, y: Floats) -> None:
    for row in range(len(x)):
        lanes.put(y, row, lanes.log(lanes.get(x, row)))


def test_single_precision_has_sixteen_lanes_and_its_own_functions() -> None:
    x = np.linspace(-80, 80, 16 * 1_000, dtype=np.float32).reshape(-1, 16)
    y: Any = np.empty_like(x)
    exponentials(x, y)  # type: ignore[arg-type]
    np.testing.assert_allclose(y, np.exp(x.astype(float)), rtol=5e-7)
    positive: Any = np.geomspace(1e-7, 1e7, 16 * 1_000).astype(np.float32).reshape(-1, 16)
    logarithms(positive, y)
    np.testing.assert_allclose(y, np.log(positive.astype(float)), rtol=3e-7, atol=3e-7)
    extreme: Any = np.array([[-1e9, -100, -87, 0, 87, 100, 1e9, *np.zeros(9)]], np.float32)
    exponentials(extreme, y[:1])
    np.testing.assert_allclose(y[:1], np.exp(np.clip(extreme.astype(float), -87, 87)), rtol=2e-5)


def test_numbers_and_sixteen_lanes_mix() -> None:
    x: Any = np.array([[0.25, 1, -2, 3, 0.5, -0.125, 8, 16, *range(1, 9)]], np.float32)
    y: Any = np.empty((4, 16), np.float32)
    assert mixed_arithmetic(x, y) == -2
    np.testing.assert_allclose(y[0], 2 * x[0] + 1 - x[0] / 4, rtol=1e-6)
    np.testing.assert_allclose(y[1], 1 / x[0] - (3 - x[0]), rtol=1e-6)
    np.testing.assert_allclose(y[2], np.maximum(x[0], 0.5))
    np.testing.assert_allclose(y[3], np.maximum(x[0], y[1]))
