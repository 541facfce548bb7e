"""Conjugate gradients with a diagonal preconditioner: equations are solved by products with their matrix alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludometer.arrays import Floats

_TINY = 1e-300


def conjugate_gradients(
    multiply: Callable[[Floats], Floats],
    right: Floats,
    diagonal: Floats,
    *,
    tolerance: float = 1e-10,
    most_steps: int = 2_000,
) -> Floats:
    """Solve A x = right for a symmetric A that is positive, or not negative with `right` in its range.

    It ends when the residual, measured in the inverse of the diagonal, is `tolerance` of what it was; where the
    diagonal is 0 the unknown stays 0 (Hestenes and Stiefel 1952).

    >>> matrix = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> conjugate_gradients(matrix.__matmul__, np.array([3.0, 4.0]), matrix.diagonal()).round(9).tolist()
    [1.0, 1.0]
    """
    inverse = np.where(diagonal > 0, 1 / np.maximum(diagonal, _TINY), 0.0)
    x, rest = np.zeros_like(right), right.copy()
    scaled = inverse * rest
    direction = scaled.copy()
    size = _dot(rest, scaled)
    enough = tolerance * tolerance * size
    for _ in range(most_steps):
        if size <= enough:
            break
        image = multiply(direction)
        bend = _dot(direction, image)
        if bend <= 0:
            # a direction without curvature: rounding, or nothing is left to solve
            break
        step = size / bend
        x += step * direction
        rest -= step * image
        np.multiply(inverse, rest, out=scaled)
        before, size = size, _dot(rest, scaled)
        direction *= size / before
        direction += scaled
    return x


def _dot(a: Floats, b: Floats) -> float:
    # not by BLAS, whose threads cost more than they save here, and whose sums depend on their number
    return float((a * b).sum())
