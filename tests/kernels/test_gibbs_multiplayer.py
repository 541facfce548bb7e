"""The parts of a sweep over finishing orders against plain twins, and the whole against an integral."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from ludometer.arrays import Floats
from ludometer.kernels.gibbs.multiplayer import (
    Finishes,
    draw_gaps,
    draw_tied,
    measure_products,
    push_skills,
    solve_skills,
)
from ludometer.kernels.gibbs.random_numbers import make_word
from ludometer.matches import Matches
from ludometer.measurement.luck.population import make_prior
from ludometer.measurement.luck.sampler import make_model, sample_population, tally_orders
from ludometer.strength.ranked import Orders

WORD = make_word(np.random.SeedSequence(3))


def tally(rows: Sequence[tuple[Any, Any]], n_players: int) -> Finishes:
    starts = np.concatenate(([0], np.cumsum([len(who) for who, _ in rows])))
    player, place = (np.concatenate([row[column] for row in rows]) for column in (0, 1))
    return tally_orders(Orders.of(Matches.of_seats(starts, player, place)), n_players)


def mixed(seed: int = 0, n_players: int = 7) -> Finishes:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, 40)
    return tally([(rng.permutation(n_players)[:size], rng.integers(1, 5, size)) for size in sizes], n_players)


def centre(size: int) -> Floats:
    return np.eye(size) - 1 / size


def dense(record: Finishes) -> Floats:
    """The sum of x'C x over all matches."""
    total = np.zeros((len(record.seats), len(record.seats)))
    pairs = record.pairs
    for i, j, won in zip(pairs.winner, pairs.loser, pairs.won, strict=True):
        total[np.ix_([i, j], [i, j])] += won * centre(2)
    for start, end in zip(record.starts[:-1], record.starts[1:], strict=True):
        who = record.player[start:end]
        total[np.ix_(who, who)] += centre(end - start)
    return total


@pytest.mark.parametrize("ridge", [0.01, 3.0])
def test_the_block_of_skills_is_solved(ridge: float) -> None:
    record, rng = mixed(), np.random.default_rng(1)
    right, x = rng.standard_normal(7), rng.standard_normal(7)
    precision = dense(record) + ridge * np.eye(7)
    np.testing.assert_allclose(np.diag(dense(record)), record.seats - record.shared + met(record) / 2)
    solve_skills(record, ridge, right, x)
    error = x - np.linalg.solve(precision, right)
    assert error @ precision @ error < 7 * 1e-6


def met(record: Finishes) -> Floats:
    pairs = record.pairs
    return np.array([pairs.met[pairs.starts[i] : pairs.starts[i + 1]].sum() for i in range(7)])


def test_products_are_those_of_plain_sums() -> None:
    record, rng = mixed(), np.random.default_rng(2)
    z, y = rng.standard_normal(7), rng.standard_normal(len(record.player))
    expected = np.zeros(3)
    for start, end in zip(record.starts[:-1], record.starts[1:], strict=True):
        a, b = centre(end - start) @ z[record.player[start:end]], centre(end - start) @ y[start:end]
        expected += [a @ a, a @ b, b @ b]
    found = measure_products(record, z, y)
    np.testing.assert_allclose(found[:3], expected)
    assert found[0] + found[3] == pytest.approx(z @ dense(record) @ z)


@pytest.mark.parametrize("places", [[1, 2, 3, 4], [1, 2, 2, 4], [1, 1, 3, 4, 4], [1, 2, 2, 2]])
def test_performances_are_those_of_rejection(places: list[int]) -> None:
    n, rng = 20_000, np.random.default_rng(4)
    size, skill = len(places), np.array([0.3, -0.4, 0.8, 0.1, -0.2])[: len(places)]
    record = tally([(list(range(size)), places)] * n, size)
    y = np.tile(np.linspace(1, -1, size), n)
    word = WORD
    with np.errstate(over="ignore"):
        for _ in range(30):
            word = np.uint64(draw_tied(record, skill, y, np.uint64(draw_gaps(record, skill, y, word))))
    found = y.reshape(n, size)
    tries = skill + rng.standard_normal((2_000_000, size))
    pairs = [(i, j) for i in range(size) for j in range(size) if places[i] < places[j]]
    kept = tries[np.all([tries[:, i] > tries[:, j] for i, j in pairs], axis=0)]
    assert all((found[:, i] > found[:, j]).all() for i, j in pairs)
    error = np.sqrt(found.var(axis=0) / n + kept.var(axis=0) / len(kept))
    assert (np.abs(found.mean(axis=0) - kept.mean(axis=0)) < 4 * error).all()
    for column in range(size):
        assert stats.ks_2samp(found[:, column] - found[:, 0], kept[:, column] - kept[:, 0]).pvalue > 1e-3
        assert stats.ks_2samp(found[:, column], kept[:, column]).pvalue > 1e-3


def test_pushes_have_the_right_moments() -> None:
    record = tally([([2, 0, 1], [1, 2, 3])] * 2, 3)
    y, n = np.array([1.0, 0.2, -2.0, 0.7, 0.1, -0.3]), 4_000
    draws, word = np.zeros((n, 3)), WORD
    with np.errstate(over="ignore"):
        for row in range(n):
            word = np.uint64(push_skills(record, y, draws[row], word))
    mean = (centre(3) @ (y[:3] + y[3:]))[[1, 2, 0]]
    assert (np.abs(draws.mean(axis=0) - mean) < 4 * np.sqrt(2 * 2 / 3 / n)).all()
    np.testing.assert_allclose(np.cov(draws.T), 2 * centre(3), atol=4 * 2 * 2 / 3 / n**0.5)


def order_chance(above: Floats, own: Floats, below: Floats) -> Floats:
    """The chance of y_above > y > y_below for the skills of three seats, by trapezoids over y."""
    y = np.arange(-9, 9.01, 0.2) + own[:, np.newaxis]
    density = np.exp(-0.5 * (y - own[:, np.newaxis]) ** 2) / math.sqrt(2 * math.pi)
    inside = special.ndtr(above[:, np.newaxis] - y) * density * special.ndtr(y - below[:, np.newaxis])
    return np.asarray(0.2 * inside.sum(axis=1))


@pytest.mark.parametrize("prior", ["uniform:3", "invgamma:2,1"])
def test_the_posterior_of_three_players_is_that_of_the_integral(prior: str) -> None:
    rows = [([0, 1, 2], [1, 2, 3])] * 5 + [([0, 1, 2], [2, 1, 3])] * 2
    rows += [([2, 0, 1], [2, 1, 2])] * 2 + [([1, 0], [2, 1])] * 3
    rows += [([0, 1, 2], [1, 1, 1]), ([0, 2], [1, 1])]
    model = make_model(make_prior(prior))
    sample = sample_population(tally(rows, 3), model, ess=3_000, budget=20_000, seed=5)
    assert sample.converged
    # three skills around their mean lie in a plane: the mean chance at each distance from its middle
    distance, angle = np.linspace(0, 40, 801), np.arange(0, 2 * np.pi, np.pi / 24)
    around = np.outer(np.cos(angle), [1, -1, 0]) / 2**0.5 + np.outer(np.sin(angle), [1, 1, -2]) / 6**0.5
    a, b, c = (distance[:, np.newaxis, np.newaxis] * around).reshape(-1, 3).T
    ahead = order_chance(a, b, c)
    either = ahead + order_chance(a, c, b)
    likelihood = ahead**5 * order_chance(b, a, c) ** 2 * either**2 * special.ndtr((a - b) / 2**0.5) ** 3
    by_distance = likelihood.reshape(len(distance), -1).mean(axis=1)
    sigma = np.linspace(0, min(make_prior(prior).top, 12.0), 1_201)[1:]
    rayleigh = distance / sigma[:, np.newaxis] ** 2 * np.exp(-0.5 * (distance / sigma[:, np.newaxis]) ** 2)
    weight = rayleigh @ by_distance * np.exp(make_prior(prior).log_density(sigma))
    weight /= weight.sum()
    l2 = 1 / (1 + sigma**2)
    mean = weight @ l2
    sd = math.sqrt(weight @ (l2 - mean) ** 2)
    drawn = 1 / (1 + sample.sigma**2)
    assert drawn.mean() == pytest.approx(mean, abs=4 * sd / 3_000**0.5)
    for level in (0.1, 0.5, 0.9):
        quantile = np.interp(level, np.cumsum(weight), sigma)
        assert (sample.sigma < quantile).mean() == pytest.approx(level, abs=4 * math.sqrt(level * (1 - level) / 3_000))


def test_one_match_says_nothing_of_the_spread() -> None:
    # whoever wins, each order was as probable: the posterior is the prior
    record = tally([([0, 1, 2, 3], [1, 2, 3, 4])], 4)
    sample = sample_population(record, make_model(make_prior("uniform:2")), ess=2_000, seed=1)
    every = np.linspace(0, sample.sigma.size - 1, 1_000).astype(int)
    assert stats.kstest(sample.sigma.ravel()[every] / 2, "uniform").pvalue > 1e-3
