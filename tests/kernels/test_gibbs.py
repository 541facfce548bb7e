"""The parts of a sweep against plain twins, and the whole against integrals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, special, stats
from scipy.sparse import linalg as sparse_linalg

from ludometer.arrays import Floats
from ludometer.kernels.gibbs.likelihood import Gaps, gather_gaps, log_likelihood
from ludometer.kernels.gibbs.pairs import (
    Chain,
    Record,
    draw_performances,
    list_meetings,
    log_normal_table,
    no_rescaling,
    solve_pair_skills,
    sweep_chain,
)
from ludometer.kernels.gibbs.random_numbers import Word, make_word, normal_above_bound
from ludometer.kernels.runtime.compile import JIT, kernel
from ludometer.measurement.luck.population import make_prior
from ludometer.measurement.luck.sampler import make_model, sample_population, tally_results

TABLE = log_normal_table()


@kernel
def fill_above(word: Word, low: float, out: Floats) -> Floats:
    for n in range(len(out)):
        out[n], word = normal_above_bound(low, word)
    return out


def random_record(seed: int, n_players: int = 6, n_matches: int = 40) -> Record:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n_players, n_matches).astype(np.int32)
    second = ((first + rng.integers(1, n_players, n_matches)) % n_players).astype(np.int32)
    return tally_results(first, second, rng.integers(0, 3, n_matches).astype(np.int8), n_players)


def log_likelihood_plain(record: Record, skill: Floats, scale: float, threshold: float) -> float:
    """The plain twin, in logarithms throughout."""
    wins = scale * (skill[record.winner] - skill[record.loser])
    ties = np.abs(scale * (skill[record.first] - skill[record.second]))
    upper, lower = (special.log_ndtr((sign * threshold - ties) / 2**0.5) for sign in (1, -1))
    total = record.won @ special.log_ndtr((wins - threshold) / 2**0.5)
    return float(total + record.tied @ (upper + np.log(-np.expm1(lower - upper))))


@given(st.integers(0, 2**32), st.floats(-5, 5), st.floats(1e-4, 5))
def test_the_likelihood_equals_its_plain_twin(seed: int, scale: float, threshold: float) -> None:
    record, skill = random_record(seed), np.random.default_rng(seed + 1).standard_normal(6)
    gaps, is_grid = gather_gaps(record, skill)
    assert not is_grid
    value, by_scale, by_threshold = log_likelihood(gaps, scale, threshold, TABLE)
    assert value == pytest.approx(log_likelihood_plain(record, skill, scale, threshold), rel=1e-6, abs=1e-6)
    h = 1e-5 * threshold
    up, down = (log_likelihood_plain(record, skill, scale, threshold + step) for step in (h, -h))
    assert by_threshold == pytest.approx((up - down) / (2 * h), rel=1e-4, abs=1e-3)
    up, down = (log_likelihood_plain(record, skill, scale + step, threshold) for step in (1e-5, -1e-5))
    assert by_scale == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("gap", [-200.0, -60.0, -56.6, -30.0, 12.0, 200.0])
def test_the_likelihood_of_an_extreme_result_is_right(gap: float) -> None:
    value, slope, _ = log_likelihood(Gaps(np.ones(1), np.ones(1), np.empty(0), np.empty(0)), gap, 0.0, TABLE)
    expected = float(special.log_ndtr(gap / 2**0.5))
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-12)
    mills = math.exp(-0.25 * gap * gap - expected) / math.sqrt(4 * math.pi) if gap > -50 else -gap / 2
    assert slope == pytest.approx(mills, rel=1e-2 if gap < -50 else 1e-5, abs=1e-12)


@given(st.integers(0, 2**32), st.floats(0.1, 3), st.sampled_from([0.5, 1.0]))
def test_the_block_solves_its_equations(seed: int, sigma: float, weight: float) -> None:
    record, rng = random_record(seed), np.random.default_rng(seed)
    matrix = np.zeros((6, 6))
    for i in range(6):
        for k in range(record.starts[i], record.starts[i + 1]):
            matrix[i, i] += weight * record.met[k]
            matrix[i, record.opponent[k]] -= weight * record.met[k]
    matrix += np.eye(6) / sigma**2
    right, solution = rng.standard_normal(6), rng.standard_normal(6)
    solve_pair_skills(list_meetings(record), weight, 1 / sigma**2, right, solution)
    sd = np.sqrt(np.diag(np.linalg.inv(matrix)))
    assert (np.abs(solution - np.linalg.solve(matrix, right)) < 0.01 * sd).all()


@pytest.mark.parametrize("low", [-9.0, -3.0, -2.999, -0.4, 0.0, 0.7, 2.2499, 2.25, 6.0])
def test_normals_above_a_bound_are_truncated_normals(low: float) -> None:
    n = 100_000 if JIT else 2_000
    with np.errstate(over="ignore"):
        drawn = fill_above(make_word(np.random.SeedSequence(8)), low, np.empty(n))
    assert drawn.min() > low
    assert stats.kstest(drawn, stats.truncnorm(low, np.inf).cdf).pvalue > 1e-3


@pytest.mark.parametrize(("sigma", "t"), [(0.05, 0.02), (0.7, 0.9), (2.5, 1.5)])
def test_a_grid_of_gaps_has_the_likelihood_of_the_gaps(sigma: float, t: float) -> None:
    record, skill = random_record(1, 300, 60_000), sigma * np.random.default_rng(2).standard_normal(300)
    gaps, is_grid = gather_gaps(record, skill)
    assert is_grid
    assert len(gaps.won) + len(gaps.tied) < 2_000
    assert gaps.wins.sum() == pytest.approx(record.won.sum())
    assert gaps.ties.sum() == pytest.approx(record.tied.sum())
    won, tied = skill[record.winner] - skill[record.loser], skill[record.first] - skill[record.second]
    rows = Gaps(won, record.won.astype(float), tied, record.tied.astype(float))
    for scale, threshold in ((1.0, t), (1.1, t), (0.9, 1.1 * t)):
        on_grid, exact = (log_likelihood(each, scale, threshold, TABLE) for each in (gaps, rows))
        assert on_grid[0] == pytest.approx(exact[0], abs=2e-8 * 60_000)
        assert on_grid[1:] == pytest.approx(exact[1:], rel=1e-5, abs=1e-6 * 60_000)


def sparse_chain(n_players: int, n_matches: int, seed: int) -> tuple[Record, Chain, Word]:
    """A record in which some play a hundred times as often as others, and a chain that has been on its way."""
    rng = np.random.default_rng(seed)
    first = (n_players * rng.random(n_matches) ** 3).astype(np.int32)
    second = ((first + rng.integers(1, n_players // 10, n_matches)) % n_players).astype(np.int32)
    skill = rng.standard_normal(n_players)
    y = skill[first] - skill[second] + rng.normal(0, 2**0.5, n_matches)
    record = tally_results(first, second, (1 + np.sign(y) * (np.abs(y) > 0.8)).astype(np.int8), n_players)
    chain = Chain(np.zeros(n_players), np.array([1.0, 0.8]), np.zeros(3), np.zeros(2))
    model, word = make_model(make_prior("uniform:10"), tie_sd=5.0), make_word(np.random.SeedSequence(seed))
    draws, sums = np.empty((30, 2)), np.zeros((2, n_players))
    return (
        record,
        chain,
        Word(sweep_chain(record, model, no_rescaling(), chain, word, TABLE, True, np.empty(0), draws, sums)),
    )


@pytest.mark.skipif(not JIT, reason="plain Python takes minutes")
def test_where_the_block_stops_does_not_move_sigma() -> None:
    # sigma sees the sum of squares, which has an SD of sqrt(2 n) sigma^2 given sigma: the error is in units of that
    n = 4_000
    record, chain, word = sparse_chain(n, 40_000, 1)
    ridge, rng, shift, energy = 1 / chain.point[0] ** 2, np.random.default_rng(3), [], []
    meetings = list_meetings(record)
    player = np.repeat(np.arange(n), np.diff(record.starts))
    matrix = sparse.csr_array((-0.5 * record.met, (player, record.opponent)), (n, n))
    matrix = matrix + sparse.diags_array(0.5 * meetings.played + ridge)
    for _ in range(12):
        right = rng.normal(0, ridge**0.5, n)
        word = np.uint64(draw_performances(record, chain.skill, chain.point[1], 0.5, right, word))
        solution = chain.skill.copy()
        steps = solve_pair_skills(meetings, 0.5, ridge, right, solution)
        assert 3 < steps < 40
        exact, failed = sparse_linalg.cg(matrix, right, solution, rtol=1e-12, maxiter=2_000)
        assert not failed
        error = solution - exact
        energy.append(error @ (matrix @ error))
        shift.append((solution @ solution - exact @ exact) * ridge / (2 * n) ** 0.5)
    assert max(energy) < 0.05
    assert abs(np.mean(shift)) < 0.01
    assert max(np.abs(shift)) < 0.03


def test_performances_have_the_moments_of_truncated_normals() -> None:
    # three wins and two ties; the sum of draws in the equations, many times over
    first, second = np.array([0, 0, 0, 1, 1], np.int32), np.array([1, 1, 1, 2, 2], np.int32)
    record = tally_results(first, second, np.array([2, 2, 2, 1, 1], np.int8), 3)
    skill, t, weight, n = np.array([0.3, 1.0, -0.5]), 0.4, 0.5, 20_000
    right, draws = np.zeros(3), np.empty((n, 3))
    word = make_word(np.random.SeedSequence(3))
    with np.errstate(over="ignore"):
        for row in range(n):
            right[:] = 0
            word = np.uint64(draw_performances(record, skill, t, weight, right, word))
            draws[row] = right
    win = stats.truncnorm((t + 0.7) / 2**0.5, np.inf, -0.7, 2**0.5)
    tie = stats.truncnorm((-t - 1.5) / 2**0.5, (t - 1.5) / 2**0.5, 1.5, 2**0.5)
    mean = np.array(
        [3 * weight * win.mean(), 2 * weight * tie.mean() - 3 * weight * win.mean(), -2 * weight * tie.mean()]
    )
    variance = [3 * weight**2 * win.var() + 3 * weight, None, 2 * weight**2 * tie.var() + 2 * weight]
    error = draws.std(axis=0) / n**0.5
    assert (np.abs(draws.mean(axis=0) - mean) < 4 * error).all()
    for column in (0, 2):
        assert draws[:, column].var() == pytest.approx(variance[column], rel=0.05)


@pytest.mark.parametrize(
    ("prior", "wins", "losses", "ties"),
    [("uniform:3", 5, 1, 0), ("invgamma:2,1", 9, 2, 0), ("uniform:2", 4, 1, 3), ("invgamma:2,1", 2, 2, 1)],
)
def test_the_posterior_of_two_players_is_that_of_the_integral(prior: str, wins: int, losses: int, ties: int) -> None:
    n = wins + losses + ties
    halves = np.repeat([2, 0, 1], [wins, losses, ties]).astype(np.int8)
    record = tally_results(np.zeros(n, np.int32), np.ones(n, np.int32), halves, 2)
    tie_sd = 1.5 if ties else 0.0
    model = make_model(make_prior(prior), tie_sd=tie_sd)
    sample = sample_population(record, model, chains=4, ess=6_000, budget=40_000, seed=5)
    assert sample.converged
    top = make_prior(prior).top
    sigma = np.linspace(0, min(top, 40.0), 3_001)[1:]
    t = np.linspace(0, 9, 301)[1:] if ties else np.zeros(1)
    z, weight = np.polynomial.hermite_e.hermegauss(60)
    # the difference of two skills is normal with variance 2 sigma^2
    gap = 2**0.5 * sigma[:, np.newaxis, np.newaxis] * z
    t_grid = t[np.newaxis, :, np.newaxis]
    upper, lower = special.ndtr((t_grid - gap) / 2**0.5), special.ndtr((-t_grid - gap) / 2**0.5)
    likelihood = ((1 - upper) ** wins * lower**losses * (upper - lower) ** ties) @ weight
    prior_density = np.exp(make_prior(prior).log_density(sigma))[:, np.newaxis]
    if ties:
        prior_density = prior_density * np.exp(-0.5 * (t / tie_sd) ** 2)
    joint = likelihood * prior_density
    by_sigma = joint.sum(axis=1) / joint.sum()
    l2 = 1 / (1 + sigma**2)
    mean = by_sigma @ l2
    sd = math.sqrt(by_sigma @ (l2 - mean) ** 2)
    drawn = 1 / (1 + sample.sigma**2)
    assert drawn.mean() == pytest.approx(mean, abs=4 * sd / 6_000**0.5)
    for level in (0.1, 0.9):
        quantile = np.interp(level, np.cumsum(by_sigma), sigma)
        assert (sample.sigma < quantile).mean() == pytest.approx(level, abs=0.02)
    if ties:
        by_t = joint.sum(axis=0) / joint.sum()
        t_mean = by_t @ t
        assert sample.t.mean() == pytest.approx(t_mean, abs=0.01 + 4 * math.sqrt(by_t @ (t - t_mean) ** 2 / 6_000))
