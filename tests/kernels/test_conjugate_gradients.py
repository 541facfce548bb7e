"""Conjugate gradients solve what a dense solver solves."""

from __future__ import annotations

import numpy as np

from ludometer.kernels.skills.conjugate_gradients import conjugate_gradients


def test_a_positive_matrix_is_solved() -> None:
    rng = np.random.default_rng(0)
    root = rng.standard_normal((40, 40))
    matrix = root @ root.T + np.diag(rng.uniform(1, 1e4, 40))
    right = rng.standard_normal(40)
    solved = conjugate_gradients(matrix.__matmul__, right, matrix.diagonal())
    np.testing.assert_allclose(solved, np.linalg.solve(matrix, right), rtol=1e-7, atol=1e-10)


def test_a_laplacian_is_solved_up_to_a_constant_and_isolated_unknowns_stay_0() -> None:
    rng = np.random.default_rng(1)
    weight = np.triu(rng.uniform(0, 1, (12, 12)), 1)
    weight[:, 11] = 0
    weight += weight.T
    laplacian = np.diag(weight.sum(axis=1)) - weight
    right = rng.standard_normal(12)
    right[11] = 0
    right[:11] -= right[:11].mean()
    solved = conjugate_gradients(laplacian.__matmul__, right, laplacian.diagonal())
    assert solved[11] == 0
    np.testing.assert_allclose(laplacian @ solved, right, atol=1e-8)


def test_nothing_to_solve_is_nothing() -> None:
    assert not conjugate_gradients(np.eye(3).__matmul__, np.zeros(3), np.ones(3)).any()
