"""Damped Newton steps, each solved by conjugate gradients: the maximum of a concave function of many unknowns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ludometer.arrays import Floats
from ludometer.kernels.skills.conjugate_gradients import conjugate_gradients

_MOST_STEPS = 60
_SMALLEST = 3e-5
"""A step below it, in units of performance, is the last: the error is then about its square, 1e-9."""

_FAR = 200.0
"""Skills this large are diverging."""


class Concave(Protocol):
    """A function to maximise, which keeps its curvature at the last point of evaluation."""

    diagonal: Floats

    def evaluate(self, x: Floats) -> tuple[float, Floats]:
        """The value and the gradient."""
        ...

    def multiply(self, x: Floats) -> Floats:
        """The product of minus the Hessian and x."""
        ...

    def longest_step(self, x: Floats, step: Floats) -> float:
        """The largest share of a step that stays where the function is defined."""
        ...


@dataclass(frozen=True)
class Maximum:
    """Where the steps ended."""

    x: Floats
    value: float
    n_steps: int
    converged: bool
    diverged: bool


def maximise(function: Concave, start: Floats, *, smallest: float = _SMALLEST) -> Maximum:
    """Newton's steps, halved until the function rises enough; the equations are solved as accurately as needed.

    x += a (minus the Hessian)^-1 gradient, a = 1, 1/2, 1/4, ... (Nocedal and Wright 2006, algorithm 7.1). A step below
    `smallest` is the last.
    """
    x = start
    value, gradient = function.evaluate(x)
    first = norm = _size(gradient, function.diagonal)
    for n_steps in range(_MOST_STEPS):
        if norm == 0:
            return Maximum(x, value, n_steps, True, False)
        tolerance = max(smallest / 30, min(0.1, norm / first))
        step = conjugate_gradients(function.multiply, gradient, function.diagonal, tolerance=tolerance)
        rise = float((gradient * step).sum())
        length = min(1.0, function.longest_step(x, step))
        while True:
            moved = x + length * step
            new, slope = function.evaluate(moved)
            if new >= value + 1e-4 * length * rise - 1e-12 * abs(value) or length < 1e-9:
                break
            length *= 0.5
        if not math.isfinite(new):
            return Maximum(x, value, n_steps, False, False)
        x, value, gradient = moved, new, slope
        largest = float(np.abs(length * step).max())
        norm = _size(gradient, function.diagonal)
        if largest < smallest:
            return Maximum(x, value, n_steps + 1, length == 1.0, False)
        if float(np.abs(x).max()) > _FAR:
            return Maximum(x, value, n_steps + 1, False, True)
    return Maximum(x, value, _MOST_STEPS, False, False)


def _size(gradient: Floats, diagonal: Floats) -> float:
    return math.sqrt(float(np.sum(np.where(diagonal > 0, gradient**2 / np.maximum(diagonal, 1e-300), 0.0))))
