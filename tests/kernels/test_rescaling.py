"""Messages against integrals, and steps of sigma with all skills against the posterior they must leave as it is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from ludometer.kernels.gibbs.likelihood import Record, log_normal_table
from ludometer.kernels.gibbs.propagation import pass_messages
from ludometer.measurement.luck import sampler as gibbs
from ludometer.measurement.luck.population import make_prior
from ludometer.measurement.luck.sampler import (
    approximate_skills,
    make_model,
    sample_population,
    tally_results,
)

TABLE = log_normal_table()


def moments_of_two(sigma: float, t: float, wins: int, losses: int, ties: int) -> tuple[float, float]:
    """Mean and variance of the first of two players' skills, by quadrature over both."""
    z, weight = np.polynomial.hermite_e.hermegauss(80)
    gap = sigma * (z[:, np.newaxis] - z)
    won, lost = special.ndtr((gap - t) / 2**0.5), special.ndtr((-gap - t) / 2**0.5)
    joint = won**wins * lost**losses * (1 - won - lost) ** ties * weight[:, np.newaxis] * weight
    marginal = joint.sum(axis=1) / joint.sum()
    mean = sigma * (marginal @ z)
    return float(mean), float(marginal @ (sigma * z - mean) ** 2)


@pytest.mark.parametrize("sigma", [0.2, 1.0, 3.0])
@pytest.mark.parametrize(("halves", "t"), [(2, 0.0), (2, 0.7), (1, 0.7)])
def test_messages_of_a_single_match_are_exact(sigma: float, halves: int, t: float) -> None:
    record = tally_results(np.array([0]), np.array([1]), np.array([halves]), 2)
    mean, variance = np.empty(2), np.empty(2)
    pass_messages(record, sigma, t, TABLE, mean, variance)
    expected = moments_of_two(sigma, t, int(halves == 2), 0, int(halves == 1))
    assert mean[0] == pytest.approx(expected[0], abs=1e-6)
    assert variance[0] == pytest.approx(expected[1], rel=1e-5)


@pytest.mark.parametrize("results", [(2, 2), (2, 0), (1, 2)])
def test_messages_along_a_chain_of_matches_come_near_the_integral(results: tuple[int, int]) -> None:
    sigma, t = 1.2, 0.4
    record = tally_results(np.array([0, 1]), np.array([1, 2]), np.array(results), 3)
    mean, variance = np.empty(3), np.empty(3)
    pass_messages(record, sigma, t, TABLE, mean, variance)
    z, weight = np.polynomial.hermite_e.hermegauss(60)
    gap = sigma * (z[:, np.newaxis] - z)
    won, lost = special.ndtr((gap - t) / 2**0.5), special.ndtr((-gap - t) / 2**0.5)
    one, two = ({2: won, 0: lost, 1: 1 - won - lost}[result] for result in results)
    middle = (weight @ one) * weight * (two @ weight)
    middle /= middle.sum()
    assert mean[1] == pytest.approx(sigma * (middle @ z), abs=0.01)
    assert variance[1] == pytest.approx(sigma**2 * (middle @ z**2 - (middle @ z) ** 2), rel=0.02)


def test_messages_of_the_same_result_many_times_stay_within_bounds() -> None:
    record = tally_results(np.zeros(60, int), np.ones(60, int), np.repeat([2, 0, 1], [45, 10, 5]), 2)
    mean, variance = np.empty(2), np.empty(2)
    pass_messages(record, 1.2, 0.4, TABLE, mean, variance)
    expected = moments_of_two(1.2, 0.4, 45, 10, 5)
    assert 0 < mean[0] == pytest.approx(-mean[1], rel=1e-3)
    assert 0 < variance[0] < expected[1]


def two_each(n: int, sigma: float, t: float, seed: int) -> Record:
    rng = np.random.default_rng(seed)
    first = np.arange(n, dtype=np.int32)
    second = np.roll(first, -1)
    skill = sigma * rng.standard_normal(n)
    y = skill[first] - skill[second] + rng.normal(0, 2**0.5, n)
    return tally_results(first, second, (1 + np.sign(y) * (np.abs(y) > t)).astype(np.int8), n)


@pytest.mark.parametrize("t", [0.0, 0.6])
def test_steps_with_all_skills_leave_the_posterior_as_it_is(t: float, monkeypatch: pytest.MonkeyPatch) -> None:
    record = two_each(40, 1.0, t, 3)
    model = make_model(make_prior("uniform:2"), tie_sd=2.0 if t else 0.0)
    samples = []
    for few in (0, 10):
        monkeypatch.setattr(gibbs, "_FEW_MATCHES", few)
        samples.append(sample_population(record, model, chains=4, ess=800, budget=40_000, seed=few + 1))
    without, with_steps = samples
    assert without.converged
    assert with_steps.converged
    assert with_steps.ess[0] / with_steps.sigma.size > 1.3 * without.ess[0] / without.sigma.size
    for level in (0.1, 0.5, 0.9):
        quantile = np.quantile(without.sigma, level)
        assert (with_steps.sigma < quantile).mean() == pytest.approx(
            level, abs=4 * math.sqrt(level * (1 - level) / 400)
        )
    if t:
        assert with_steps.t.mean() == pytest.approx(without.t.mean(), abs=4 * without.t.std() / 400**0.5)
    assert stats.pearsonr(with_steps.skill, without.skill).statistic > 0.99


def test_a_record_with_many_matches_a_player_does_without_them() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 30, 600, np.int32)
    second = (first + rng.integers(1, 30, 600, np.int32)) % 30
    record = tally_results(first, second, 2 * rng.integers(0, 2, 600, np.int8), 30)
    assert len(gibbs._TwoPlayer(record, make_model(make_prior("uniform:10"))).rescaling.nodes) == 0


def test_players_who_lost_all_are_expected_below_those_who_won_all() -> None:
    record = tally_results(np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([2, 2, 2]), 3)
    rescaling = approximate_skills(record, 10.0)
    assert (np.diff(rescaling.mean, axis=1) < 0).all()
    assert (rescaling.width < 0).all()
