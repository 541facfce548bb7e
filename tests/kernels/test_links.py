"""Links against dense matrices and their plain twins."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.arrays import Array, Codes, Floats, Halves
from ludometer.kernels.skills import links

N = 30


def drawn_links(n_matches: int = 200, seed: int = 0) -> tuple[Codes, Codes, Halves]:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, N - 1, (2, n_matches)).astype(np.int32)  # the last player has no match
    return first, second, rng.integers(0, 3, n_matches).astype(np.int8)


def adjacency(seed: int = 0) -> Floats:
    first, second, _ = drawn_links(seed=seed)
    met = np.zeros((N, N))
    np.add.at(met, (first, second), 1)
    np.fill_diagonal(met, 0)
    return np.asarray(met + met.T)


@pytest.mark.parametrize("with_results", [False, True])
@pytest.mark.parametrize("n_matches", [0, 1, 200])
def test_tallies_are_those_of_the_plain_twin(with_results: bool, n_matches: int) -> None:
    first, second, halves = drawn_links(n_matches)
    halves = halves if with_results else halves[:0]
    fast: tuple[Array, ...] = links.tally_links(first, second, halves, N)
    plain: tuple[Array, ...] = links.tally_links_plain(first, second, halves, N)
    for one, other in zip(fast, plain, strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


def test_tallies_say_what_the_lower_code_scored() -> None:
    first, second = np.array([2, 0, 1, 1], np.int32), np.array([0, 2, 1, 0], np.int32)
    starts, opponent, times, scored = links.tally_links(first, second, np.array([2, 1, 0, 0], np.int8), 3)
    assert (starts.tolist(), opponent.tolist()) == ([0, 2, 2, 2], [1, 2])
    assert (times.tolist(), scored.tolist()) == ([1, 2], [1, 0.5])


@pytest.mark.parametrize("shape", [(N,), (N, 8)])
def test_products_are_those_of_dense_matrices(shape: tuple[int, ...]) -> None:
    starts, opponent, times, _ = links.tally_links(*drawn_links(), N)
    met, x = adjacency(), np.random.default_rng(1).standard_normal(shape)
    result = np.full(shape, np.nan)
    links.add_opponents(starts, opponent, times, x, result)
    assert result == pytest.approx(met @ x)
    links.multiply_laplacian(starts, opponent, times.astype(np.float64), x, result)
    assert result == pytest.approx((np.diag(met.sum(axis=0)) - met) @ x)


def test_slopes_are_those_of_the_likelihood() -> None:
    tallied = links.tally_links(*drawn_links(), N)
    starts, opponent, times, scored = tallied
    strength = np.random.default_rng(2).standard_normal(N)
    row = np.repeat(np.arange(N), np.diff(starts))

    def likelihood(s: Floats) -> float:
        expected = 1 / (1 + np.exp(s[opponent] - s[row]))
        return float(scored @ np.log(expected) + (times - scored) @ np.log(1 - expected))

    gradient, weight, diagonal = np.empty(N), np.empty(len(opponent)), np.empty(N)
    links.slope_links(*tallied, strength, gradient, weight, diagonal)
    step = 1e-5 * np.eye(N)
    numeric = [(likelihood(strength + own) - likelihood(strength - own)) / 2e-5 for own in step]
    assert gradient == pytest.approx(np.array(numeric), abs=1e-6)
    expected = 1 / (1 + np.exp(strength[opponent] - strength[row]))
    assert weight == pytest.approx(times * expected * (1 - expected), abs=2e-9)
    assert diagonal == pytest.approx(np.bincount(row, weight, N) + np.bincount(opponent, weight, N))


def test_pushes_are_those_of_the_plain_twin_part_by_part() -> None:
    starts, opponent, times, _ = links.tally_links(*drawn_links(), N)
    weight = times.astype(np.float64)
    noise = np.random.default_rng(3).standard_normal((len(opponent), 16))
    whole, parts = np.zeros((N, 16)), np.zeros((N, 16))
    links.push_links_plain(starts, opponent, weight, noise, 0, N, whole)
    for low, high in ((0, 7), (7, 8), (8, N)):
        links.push_links(starts, opponent, weight, noise[starts[low] : starts[high]], low, high, parts)
    assert parts == pytest.approx(whole)
    assert whole.sum(axis=0) == pytest.approx(np.zeros(16), abs=1e-12)


@pytest.mark.parametrize("shape", [(N,), (N, 8)])
def test_what_is_along_a_basis_is_taken_off(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(4)
    basis, x = np.linalg.qr(rng.standard_normal((N, 3)))[0], rng.standard_normal(shape)
    rest = x.copy()
    links.take_off(basis, rest, np.empty((3, *shape[1:])))
    assert rest == pytest.approx(x - basis @ (basis.T @ x))
