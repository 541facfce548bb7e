"""The trace of the inverse of a large sparse matrix from random signs, eight columns of them at a time.

B is the precision that results give to all skills: the Laplacian of the graph of pairs with the sites' precisions as
weights. The derivative of log det(I + q B) over q is tr B (I + q B)^-1, and z'B (I + q B)^-1 z has that mean for random
signs z (Hutchinson 1990). The equations are solved by conjugate gradients, scaled by the diagonal.

Most of the noise comes from players who are one or two matches apart. Along a tree their covariances follow from the
messages, and what these would add has the mean 0 for random signs, so it is taken away.
"""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.evidence.pairs import Messages, PairTable
from ludometer.kernels.runtime.compile import JIT, kernel
from ludometer.kernels.runtime.lanes import load, splat, store


@kernel
def _multiply(starts: Counts, other: Codes, site: Floats, q: float, x: Floats, image: Floats) -> None:
    """(I + q B) x for eight columns."""
    for i in range(len(x)):
        store(image, i, 0, load(x, i, 0))
    for i in range(len(x)):
        here, own = load(x, i, 0), splat(0.0)
        for k in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
            j = np.intp(other[k])
            part = (here - load(x, j, 0)) * (q * site[k, 0])
            own = own + part
            store(image, j, 0, load(image, j, 0) - part)
        store(image, i, 0, load(image, i, 0) + own)


def solve_signs(
    starts: Counts, other: Codes, site: Floats, q: float, z: Floats, x: Floats, limits: tuple[float, int], sums: Floats
) -> int:
    """Solve (I + q B) x = z for eight columns from what `x` holds, into `x`, and put z'(I + q B)^-1 z into `sums`.

    With what is left of z, r, that is z'x + x'r, off by r'(I + q B)^-1 r only. `limits` are the error of one unknown
    and the number of steps, which is returned.
    """
    solve = _solve_signs if JIT else solve_signs_plain
    return solve(starts, other, site, q, z, x, limits, sums)


def solve_signs_plain(
    starts: Counts, other: Codes, site: Floats, q: float, z: Floats, x: Floats, limits: tuple[float, int], sums: Floats
) -> int:
    """The same with NumPy."""
    one, weight = np.repeat(np.arange(len(x)), np.diff(starts)), q * site[:, :1]

    def multiply(columns: Floats) -> Floats:
        image, part = columns.copy(), weight * (columns[one] - columns[other])
        np.add.at(image, one, part)
        np.subtract.at(image, other, part)
        return image

    diagonal = np.ones((len(x), 1))
    np.add.at(diagonal, one, weight)
    np.add.at(diagonal, other, weight)
    rest = z - multiply(x)
    direction = rest / diagonal
    size, steps = (rest * direction).sum(axis=0), 0
    while steps < limits[1] and size.max() > len(x) * limits[0] ** 2:
        image = multiply(direction)
        step = size / ((direction * image).sum(axis=0) + 1e-300)
        x += step * direction
        rest -= step * image
        new = (rest * rest / diagonal).sum(axis=0)
        direction = rest / diagonal + new / (size + 1e-300) * direction
        size, steps = new, steps + 1
    sums[0] = (x * (z + rest)).sum(axis=0)
    return steps


@kernel
def _solve_signs(
    starts: Counts, other: Codes, site: Floats, q: float, z: Floats, x: Floats, limits: tuple[float, int], sums: Floats
) -> int:
    n = len(x)
    inverse = np.ones(n)
    for i in range(n):
        for k in range(starts[i], starts[i + 1]):
            inverse[i] += q * site[k, 0]
            inverse[other[k]] += q * site[k, 0]
    rest, direction, image = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    _multiply(starts, other, site, q, x, image)
    size = splat(0.0)
    for i in range(n):
        inverse[i] = 1.0 / inverse[i]
        left = load(z, i, 0) - load(image, i, 0)
        store(rest, i, 0, left)
        store(direction, i, 0, left * inverse[i])
        size = size + left * left * inverse[i]
    enough = n * limits[0] * limits[0]
    steps = 0
    while steps < limits[1]:
        store(sums, 0, 0, size)
        if sums.max() <= enough:
            break
        _multiply(starts, other, site, q, direction, image)
        bend = splat(0.0)
        for i in range(n):
            bend = bend + load(direction, i, 0) * load(image, i, 0)
        # a column that is solved already stays
        step = size / (bend + 1e-300)
        new = splat(0.0)
        for i in range(n):
            store(x, i, 0, load(x, i, 0) + step * load(direction, i, 0))
            left = load(rest, i, 0) - step * load(image, i, 0)
            store(rest, i, 0, left)
            new = new + left * left * inverse[i]
        growth = new / (size + 1e-300)
        for i in range(n):
            store(direction, i, 0, load(rest, i, 0) * inverse[i] + growth * load(direction, i, 0))
        size = new
        steps += 1
    total = splat(0.0)
    for i in range(n):
        total = total + load(x, i, 0) * (load(z, i, 0) + load(rest, i, 0))
    store(sums, 0, 0, total)
    return steps


def sum_near(pairs: PairTable, messages: Messages, q: float, z: Floats, sums: Floats) -> None:
    """z'C z / q with the covariances C of players one or two pairs apart, for eight columns, into `sums` (1, 8)."""
    add = _sum_near if JIT else sum_near_plain
    add(pairs, messages, q, z, sums)


def sum_near_plain(pairs: PairTable, messages: Messages, q: float, z: Floats, sums: Floats) -> None:
    """The same with NumPy: once to every neighbour, then from there to all of theirs but back."""
    one, other, strong = pairs.one, pairs.other, messages.site[:, 0]
    ends = ((one, 0, other, 1), (other, 1, one, 0))
    regression = {}
    for _, _, far, column in ends:
        left = strong * q / (1 + q * (messages.precision[far] - messages.letter[:, column]))
        regression[column] = (left / (1 + left))[:, np.newaxis]
    once = np.zeros_like(z)
    for end, _, far, column in ends:
        np.add.at(once, end, regression[column] * z[far])
    spread = 1 / (1 + q * messages.precision)[:, np.newaxis]
    total = (once * z * spread).sum(axis=0)
    for end, back, far, column in ends:
        beyond = once[far] - regression[back] * z[end]
        total += (regression[column] * beyond * z[end] * spread[end]).sum(axis=0)
    sums[0] = total


@kernel
def _sum_near(pairs: PairTable, messages: Messages, q: float, z: Floats, sums: Floats) -> None:
    letter, precision, site = messages.letter, messages.precision, messages.site
    n = len(precision)
    once = np.zeros((n, 8))
    for row in range(len(pairs.one)):
        i, j = np.intp(pairs.one[row]), np.intp(pairs.other[row])
        far_i = site[row, 0] * q / (1.0 + q * (precision[i] - letter[row, 0]))
        far_j = site[row, 0] * q / (1.0 + q * (precision[j] - letter[row, 1]))
        store(once, i, 0, load(once, i, 0) + load(z, j, 0) * (far_j / (1.0 + far_j)))
        store(once, j, 0, load(once, j, 0) + load(z, i, 0) * (far_i / (1.0 + far_i)))
    total = splat(0.0)
    for player in range(n):
        total = total + load(once, player, 0) * load(z, player, 0) * (1.0 / (1.0 + q * precision[player]))
    for row in range(len(pairs.one)):
        i, j = np.intp(pairs.one[row]), np.intp(pairs.other[row])
        far_i = site[row, 0] * q / (1.0 + q * (precision[i] - letter[row, 0]))
        far_j = site[row, 0] * q / (1.0 + q * (precision[j] - letter[row, 1]))
        to_i, to_j = far_j / (1.0 + far_j), far_i / (1.0 + far_i)
        # from i to j and on to another than i, and the same from j
        beyond_j = load(once, j, 0) - load(z, i, 0) * to_j
        beyond_i = load(once, i, 0) - load(z, j, 0) * to_i
        total = total + beyond_j * load(z, i, 0) * (to_i / (1.0 + q * precision[i]))
        total = total + beyond_i * load(z, j, 0) * (to_j / (1.0 + q * precision[j]))
    store(sums, 0, 0, total)
