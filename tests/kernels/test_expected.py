"""One player's integral, by the kernel and by a dense sum over a fine grid; what Newton's steps need, by NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.arrays import Floats
from ludometer.kernels.skills.expected import (
    evaluate_ratings,
    look_up,
    mirror_pairs,
    multiply_curvature,
    sweep_ratings,
)
from ludometer.scale import ELO, from_elo
from ludometer.strength.priors import EmpiricalPrior, LearningPrior, NormalPrior, Prior

EMPIRICAL = EmpiricalPrior.of(np.random.default_rng(5).normal(0, 150, 400) + np.repeat([0, 500], 200))
PRIORS: list[Prior] = [
    NormalPrior(0, 200),
    NormalPrior(1500, 60),
    NormalPrior(0, 2000),
    LearningPrior(0.05),
    LearningPrior(3.0, scale=60, origin=1000),
    EMPIRICAL,
]


def moments_by_brute_force(prior: Prior, opponents: Floats, met: Floats, points: float) -> tuple[float, float]:
    """Mean and SD in Elo points by Simpson's rule on a fine grid; opponents are Elo points too."""
    from scipy.integrate import simpson

    low = max(prior.lowest, min(opponents.min(), prior.mean - 10 * prior.sd) - 1500)
    x = np.linspace(low, max(opponents.max(), prior.mean + 10 * prior.sd) + 1500, 40_001)
    level = points * x / ELO + prior.log_density(x)
    for rating, times in zip(opponents, met, strict=True):
        level -= times * np.logaddexp(0, (x - rating) / ELO)
    density = np.exp(level - level.max())
    total = simpson(density, x)
    mean = simpson(density * x, x) / total
    return float(mean), float(np.sqrt(simpson(density * (x - mean) ** 2, x) / total))


def moments_by_kernel(prior: Prior, opponents: Floats, met: Floats, points: float) -> tuple[float, float]:
    n = len(opponents)
    starts, opponent = np.array([0] + [n] * (n + 1)), np.arange(1, n + 1, dtype=np.int32)
    rating = np.concatenate(([0.0], from_elo(opponents - prior.mean)))
    free = np.arange(n + 1) == 0
    mean, variance, pull = np.empty((3, n + 1))
    sweep_ratings(
        starts, opponent, met, np.full(n + 1, points), rating, free, prior.table(), False, mean, variance, pull
    )
    return prior.mean + ELO * float(mean[0]), ELO * float(np.sqrt(variance[0]))


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_the_integral_is_exact_to_a_millionth_of_a_point(prior: Prior) -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 7, 60):
        opponents = prior.mean + prior.sd * rng.standard_normal(n)
        met = rng.integers(1, 9, n).astype(float)
        for points in (0.0, met.sum() / 2, met.sum()):
            mean, sd = moments_by_brute_force(prior, opponents, met, points)
            found = moments_by_kernel(prior, opponents, met, points)
            assert found == pytest.approx((mean, sd), abs=1e-6)


def test_walls_on_both_sides_and_broken_weights_are_no_trouble() -> None:
    prior = NormalPrior(0, 1000)
    opponents, met = np.array([-900.0, 900.0, 100.0]), np.array([300.0, 300.0, 0.37])
    mean, sd = moments_by_brute_force(prior, opponents, met, 300.2)
    assert moments_by_kernel(prior, opponents, met, 300.2) == pytest.approx((mean, sd), abs=1e-6)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_the_table_is_the_prior(prior: Prior) -> None:
    x = prior.mean + prior.sd * np.linspace(-4, 4, 1001)
    x = x[x >= prior.lowest]
    value, slope, bend = look_up(prior.table(), from_elo(x - prior.mean))
    expected = prior.derivatives(x)
    assert np.ptp(value - expected[0]) < 1e-8
    assert slope == pytest.approx(expected[1] * ELO, abs=1e-6)
    assert bend == pytest.approx(expected[2] * ELO**2, abs=1e-3)


def test_the_pull_is_one_less_what_all_opponents_move() -> None:
    opponents, met = np.array([-100.0, 50.0, 250.0]), np.array([3.0, 1.0, 2.0])
    for prior in (NormalPrior(0, 200), LearningPrior(0.3), EMPIRICAL):
        n = len(opponents)
        starts, opponent = np.array([0] + [n] * (n + 1)), np.arange(1, n + 1, dtype=np.int32)
        free = np.arange(n + 1) == 0
        means = []
        variance, pull = np.empty((2, n + 1))
        for shift in (1e-4, -1e-4, 0.0):
            rating = np.concatenate(([0.0], from_elo(opponents - prior.mean) + shift))
            mean = np.empty(n + 1)
            points = np.full(n + 1, 2.5)
            sweep_ratings(starts, opponent, met, points, rating, free, prior.table(), False, mean, variance, pull)
            means.append(mean[0])
        moved = (means[0] - means[1]) / 2e-4
        assert pull[0] * variance[0] == pytest.approx(1 - moved, abs=1e-6)


def test_likelihood_gradient_and_curvature_are_those_of_plain_numpy() -> None:
    rng = np.random.default_rng(2)
    n = 6
    row, opponent = np.triu_indices(n, 1)
    starts = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=n))))
    met = rng.integers(1, 5, len(row)).astype(float)
    scored = np.round(2 * met * rng.random(len(row))) / 2
    lists = mirror_pairs(starts, opponent.astype(np.int32), scored, met)
    free = np.array([True, True, True, False, True, False])
    x = rng.standard_normal(n)

    def likelihood(y: Floats) -> float:
        d = y[row] - y[opponent]
        counted = free[row] | free[opponent]
        return float((scored * d - met * np.logaddexp(0, d))[counted].sum())

    gradient, curvature, diagonal = np.empty(n), np.empty(2 * len(row)), np.empty(n)
    value = evaluate_ratings(*lists, x, free, gradient, curvature, diagonal)
    moved = x + 0.3 * free * rng.standard_normal(n)
    gain = evaluate_ratings(*lists, moved, free, np.empty(n), np.empty(2 * len(row)), np.empty(n)) - value
    assert gain == pytest.approx(likelihood(moved) - likelihood(x), abs=1e-12)
    result, unit = np.empty(n), np.eye(n)
    for i in np.flatnonzero(free):
        slope = (likelihood(x + 1e-5 * unit[i]) - likelihood(x - 1e-5 * unit[i])) / 2e-5
        assert gradient[i] == pytest.approx(slope, abs=1e-7)
        multiply_curvature(lists[0], lists[1], curvature, diagonal, free, unit[i], result)
        up, down = np.empty(n), np.empty(n)
        scratch, bend = np.empty(2 * len(row)), np.empty(n)
        evaluate_ratings(*lists, x + 1e-5 * unit[i], free, up, scratch, bend)
        evaluate_ratings(*lists, x - 1e-5 * unit[i], free, down, scratch, bend)
        assert result == pytest.approx(-(up - down) / 2e-5, abs=1e-8)
