"""The pass over series equals its plain twin, and keeps the sum of ratings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.skills.ranks import expect_shares_plain
from ludometer.kernels.systems import scores as series


def random_series(seed: int, n_series: int, n_players: int, low: float) -> tuple[Counts, Codes, Floats]:
    """Tables of two to all players, with scores from `low` up."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, n_players + 1, n_series)
    player = [rng.permutation(n_players)[:n] for n in sizes] + [np.empty(0, np.int64)]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return starts, np.concatenate(player).astype(np.int32), rng.uniform(low, 2000.0, sizes.sum())


def fresh(n_players: int, start: float = 800.0) -> Floats:
    state = np.zeros((n_players, 4))
    state[:, series.RATING], state[:, series.START] = start, 1.0
    return state


@given(
    st.integers(0, 2**32),
    st.integers(0, 15),
    st.integers(2, 6),
    st.sampled_from([0.0, -3000.0]),
    st.tuples(st.floats(0, 0.2), st.floats(0, 0.4), st.integers(0, 5), st.integers(0, 3), st.booleans(), st.booleans()),
    st.sampled_from([-math.inf, 700.0]),
)
def test_the_pass_equals_its_plain_twin(
    seed: int, n_series: int, n_players: int, low: float, rules: tuple[float, ...], floor: float
) -> None:
    starts, player, score = random_series(seed, n_series, n_players, low)
    outcome = []
    for play in (series.series_pass, series.series_pass_plain):
        state, spread = fresh(n_players), np.zeros(2)
        audit, sd = np.empty((len(player), 6)), np.empty(n_series)
        play(starts, player, score, np.array([*rules, floor], np.float64), state, spread, audit, sd)
        outcome.append((state, spread, audit, sd))
    for one, other in zip(*outcome, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_what_is_not_wanted_changes_nothing() -> None:
    starts, player, score = random_series(3, 50, 5, 0.0)
    rules = np.array([0.02, 0.08, 10, 0, 0, 1, -math.inf])
    states = []
    for n in (len(player), 0):
        state, spread = fresh(5), np.zeros(2)
        series.series_pass(starts, player, score, rules, state, spread, np.empty((n, 6)), np.empty(50 if n else 0))
        states.append(np.append(state.ravel(), spread))
    assert np.array_equal(states[0], states[1])


@pytest.mark.parametrize("shape", [[1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [1.0, 0.6, 0.4]])
def test_forecasts_are_rank_ordered_logit_of_the_ratings_by_the_scale_of_a_score(shape: list[float]) -> None:
    before, sd, prize = np.array([900.0, 800.0, 700.0] * 2), np.array([400.0, 0.0]), np.array(shape * 2)
    got, plain = np.empty(6), np.empty(6)
    starts = np.array([0, 3, 6])
    series.forecast_pass(starts, before, sd, prize, got)
    series.forecast_pass_plain(starts, before, sd, prize, plain)
    np.testing.assert_allclose(got, plain, atol=1e-9)
    scale = 400 * math.sqrt(6) / math.pi
    np.testing.assert_allclose(got[:3], expect_shares_plain(np.exp(before[:3] / scale), prize[:3]), atol=1e-9)
    # nothing was played yet: all are equal
    np.testing.assert_allclose(got[3:], sum(shape) / 3, atol=1e-9)
