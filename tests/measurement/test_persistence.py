"""Persistence: the sums against their plain twin, the regression against least squares on the long data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Floats
from ludometer.kernels.skills.averages import past_moments, past_moments_plain
from ludometer.matches import Matches
from ludometer.measurement.spread import Persistence, measure_persistence, regress
from ludometer.simulate import simulate_coin, simulate_strengths


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4), st.integers(0, 2)), max_size=60))
def test_past_moments_equal_their_plain_twin(matches: list[tuple[int, int, int]]) -> None:
    first = np.array([i for i, _, _ in matches], np.int32)
    second = np.array([(i + d) % 5 for i, d, _ in matches], np.int32)
    halves = np.array([s for _, _, s in matches], np.int8)
    np.testing.assert_allclose(
        past_moments(first, second, halves, 5), past_moments_plain(first, second, halves, 5), rtol=1e-12
    )


def long_data(matches: Matches, min_matches: int) -> tuple[Floats, Floats, Floats]:
    """Player, average before, score: an observation for each regular and match but his first."""
    past: dict[int, list[float]] = {}
    rows: list[tuple[int, float, float]] = []
    pairs = matches.pairs
    for i, j, s in zip(pairs.first.tolist(), pairs.second.tolist(), pairs.score.tolist(), strict=True):
        for player, score in ((i, s), (j, 1 - s)):
            before = past.setdefault(player, [])
            if before:
                rows.append((player, sum(before) / len(before), score))
            before.append(score)
    columns = np.array([row for row in rows if len(past[row[0]]) >= min_matches]).T
    return columns[0], columns[1], columns[2]


def clustered(player: Floats, x: Floats, y: Floats) -> tuple[float, float, float]:
    """Slope, clustered standard error and R², with matrices."""
    design = np.column_stack((np.ones(len(x)), x))
    bread = np.linalg.inv(design.T @ design)
    beta = bread @ design.T @ y
    residual = y - design @ beta
    groups = np.unique(player)
    sums = np.array([design[player == group].T @ residual[player == group] for group in groups])
    n, n_groups = len(y), len(groups)
    factor = n_groups / (n_groups - 1) * (n - 1) / (n - 2)
    error = np.sqrt((bread @ sums.T @ sums @ bread)[1, 1] * factor)
    return float(beta[1]), float(error), float(1 - (residual @ residual) / ((y - y.mean()) ** 2).sum())


@pytest.mark.parametrize(("sd", "draws", "seed"), [(0.0, 0.0, 1), (80.0, 0.3, 2), (250.0, 0.0, 3)])
def test_the_regression_is_least_squares_with_a_clustered_sandwich(sd: float, draws: float, seed: int) -> None:
    matches = simulate_strengths(40, 1_500, sd=sd, draws=draws, activity=1.0, seed=seed)
    past = measure_persistence(matches, min_matches=25)
    player, x, y = long_data(matches, 25)
    slope, error, r2 = clustered(player, x, y)
    assert past.observations == len(y)
    assert (past.slope, past.std_error, past.r2) == pytest.approx((slope, error, r2), rel=1e-8, abs=1e-12)
    assert past.t == pytest.approx(slope / error, rel=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_a_coin_has_no_memory(seed: int) -> None:
    past = measure_persistence(simulate_coin(300, 60_000, seed=seed))
    assert past.slope is not None
    assert past.std_error is not None
    assert abs(past.slope) < 3 * past.std_error


def test_skill_goes_on() -> None:
    past = measure_persistence(simulate_strengths(300, 60_000, sd=200))
    assert past.t is not None
    assert past.t > 10


def test_only_regulars_count() -> None:
    matches = simulate_strengths(60, 1_500, activity=1.0, seed=1)
    played = matches.counts
    for cutoff in (1, 25, 60):
        expected = int((played[played >= cutoff] - 1).sum())
        assert measure_persistence(matches, min_matches=cutoff).observations == expected


def test_two_players_mirror_each_other_and_have_no_standard_error() -> None:
    matches = Matches.of_pairs([0] * 60, [1] * 60, np.random.default_rng(0).integers(0, 2, 60))
    assert measure_persistence(matches) == Persistence(118)


def test_results_that_do_not_vary_have_no_slope() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 6, 400)
    draws = Matches.of_pairs(first, (first + rng.integers(1, 6, 400)) % 6, np.full(400, 0.5))
    assert measure_persistence(draws).slope is None
    assert measure_persistence(draws).observations == 800 - 6


def test_nobody_is_a_regular() -> None:
    assert measure_persistence(Matches.of_pairs([0, 1], [1, 2], [1, 1])) == Persistence(0)
    assert regress(np.zeros((0, 6))) == Persistence(0)


def test_a_perfect_fit_has_no_t() -> None:
    # one player wins all, the others lose all: the past tells every result
    others = np.tile([1, 2, 3], 40)
    past = measure_persistence(Matches.of_pairs(np.zeros(120, np.int32), others, np.ones(120)))
    assert (past.slope, past.r2) == pytest.approx((1, 1))
    assert past.t is None
    assert past.r2 is not None
    assert past.r2 <= 1
