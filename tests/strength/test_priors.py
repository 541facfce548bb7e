"""Priors: densities that add up to 1, their moments by other routes, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.special import exp1

from ludometer.errors import LudometerError
from ludometer.scale import ELO
from ludometer.strength.priors import EmpiricalPrior, LearningPrior, NormalPrior, Prior, parse_prior

RATED = np.random.default_rng(1).normal(1600, 180, 3000)
PRIORS: list[Prior] = [NormalPrior(1500, 200), LearningPrior(0.05, origin=1000), EmpiricalPrior.of(RATED)]


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_a_density_adds_up_to_one_and_has_its_mean_and_sd(prior: Prior) -> None:
    x = np.linspace(max(prior.lowest, prior.mean - 12 * prior.sd), prior.mean + 12 * prior.sd, 200_001)
    density = np.exp(prior.log_density(x))
    assert simpson(density, x) == pytest.approx(1, abs=1e-6)
    mean = simpson(density * x, x)
    assert mean == pytest.approx(prior.mean, abs=1e-3)
    assert math.sqrt(simpson(density * (x - mean) ** 2, x)) == pytest.approx(prior.sd, abs=1e-3)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_slope_and_curvature_are_the_derivatives(prior: Prior) -> None:
    x = prior.mean + prior.sd * np.linspace(-1.5, 3, 50)
    _, slope, bend = prior.derivatives(x)
    up, here, down = (prior.derivatives(x + step)[0] for step in (0.5, 0.0, -0.5))
    assert slope == pytest.approx(up - down, abs=1e-6)
    assert bend == pytest.approx(-4 * (up - 2 * here + down), abs=2e-6)


def test_the_mean_of_the_learning_model_is_an_exponential_integral() -> None:
    for c8 in (0.001, 0.05, 1.0, 20.0):
        expected = math.exp(c8) * exp1(c8)
        assert LearningPrior(c8, origin=500).mean == pytest.approx(500 + ELO * expected, abs=1e-6)


def test_beginners_are_the_lowest_of_the_learning_model() -> None:
    prior = LearningPrior(0.05, origin=1000)
    density = np.exp(prior.log_density(np.array([999.999, 1000.0])))
    assert density == pytest.approx([0.0, 0.05 / ELO])


def test_the_empirical_prior_is_a_sum_of_kernels() -> None:
    rated = np.array([1300.0, 1450, 1480, 1500, 1550, 1700])
    prior, x = EmpiricalPrior.of(rated, bandwidth=40), np.linspace(1000, 2000, 101)

    def normal(mean: float, sd: float) -> np.ndarray:
        return np.exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * math.sqrt(2 * math.pi))

    plain = (sum(normal(rating, 40) for rating in rated) + normal(rated.mean(), rated.std(ddof=1))) / 7
    assert np.exp(prior.log_density(x)) == pytest.approx(plain, rel=1e-4)


def test_two_humps_are_told_from_one() -> None:
    rng = np.random.default_rng(2)
    assert not EmpiricalPrior.of(np.concatenate((rng.normal(0, 50, 500), rng.normal(600, 50, 500)))).log_concave
    assert EmpiricalPrior.of(RATED, bandwidth=400).log_concave


@pytest.mark.parametrize("text", ["flat", "uniform:0,1", "normal:0,inf"])
def test_a_flat_prior_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(LudometerError, match="infinitely high"):
        parse_prior(text)


def test_priors_are_read_as_users_write_them() -> None:
    assert parse_prior(" normal:1500, 200") == NormalPrior(1500, 200)
    assert parse_prior("learning:0.05") == LearningPrior(0.05)
    assert parse_prior("learning:0.05,150,1000") == LearningPrior(0.05, 150, 1000)


@pytest.mark.parametrize(
    "text", ["", "normal", "normal:1", "normal:a,b", "normal:0,-1", "learning:0", "empirical:x.csv"]
)
def test_what_is_no_prior_is_refused(text: str) -> None:
    with pytest.raises(LudometerError):
        parse_prior(text)


def test_an_empirical_prior_needs_ratings_that_differ() -> None:
    for ratings in ([], [1500], [1500, 1500], [1500, np.inf]):
        with pytest.raises(LudometerError, match="ratings"):
            EmpiricalPrior.of(ratings)
