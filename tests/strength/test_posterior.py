"""The posterior of strengths: against a dense computation with the same prior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from ludometer.arrays import Codes, Floats
from ludometer.scale import from_elo
from ludometer.simulate import simulate_strengths
from ludometer.strength import StrengthPosterior, fit_strengths, posterior

N = 40


def record(n_players: int = N, n_matches: int = 1_200, *, seed: int = 1) -> tuple[Codes, Codes, Floats]:
    pairs = simulate_strengths(n_players, n_matches, sd=150, draws=0.2, activity=0.8, seed=seed).pairs
    return pairs.first, pairs.second, pairs.score


def fitted(*, directions: Floats | None = None, n_draws: int = 8, seed: int = 1) -> StrengthPosterior:
    free = np.empty((N, 0)) if directions is None else directions
    return fit_strengths(
        *record(seed=seed), n_players=N, directions=free, n_draws=n_draws, rng=np.random.default_rng(3)
    )


def some_directions() -> Floats:
    return np.random.default_rng(7).standard_normal((N, 2))


def penalty_of(directions: Floats, variance: float) -> Floats:
    """The matrix of squares of what the directions and a constant leave."""
    free = np.column_stack((np.ones(N), directions))
    return (np.eye(N) - free @ np.linalg.pinv(free)) / variance


def dense_mode(penalty: Floats) -> Floats:
    """The maximum, by another method than Newton's."""
    first, second, score = record()

    def loss(strength: Floats) -> tuple[float, Floats]:
        difference = strength[first] - strength[second]
        expected = 1 / (1 + np.exp(-difference))
        likely = score * np.log(expected) + (1 - score) * np.log(1 - expected)
        gradient = np.bincount(first, score - expected, N) - np.bincount(second, score - expected, N)
        return float(0.5 * strength @ penalty @ strength - likely.sum()), penalty @ strength - gradient

    found = minimize(
        loss, np.zeros(N), jac=True, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-9, "maxiter": 5_000}
    )
    return np.asarray(found.x - found.x.mean())


def dense_covariance(mode: Floats, penalty: Floats) -> Floats:
    """The inverse of the curvature at the mode, of strengths around their mean."""
    first, second, _ = record()
    expected = 1 / (1 + np.exp(mode[second] - mode[first]))
    curvature = penalty.copy()
    for i, j, weight in zip(first, second, expected * (1 - expected), strict=True):
        curvature[[i, j], [i, j]] += weight
        curvature[[i, j], [j, i]] -= weight
    return np.asarray(np.linalg.pinv(curvature, rcond=1e-10), np.float64)


@pytest.mark.parametrize("directions", [np.empty((N, 0)), some_directions()], ids=["none", "two"])
def test_the_mode_is_that_of_a_dense_computation(directions: Floats) -> None:
    fit = fitted(directions=directions)
    dense = dense_mode(penalty_of(directions, fit.residual_sd**2))
    np.testing.assert_allclose(fit.mode, dense, atol=1e-3)
    assert fit.mode.std() > 0.3


@pytest.mark.parametrize("directions", [np.empty((N, 0)), some_directions()], ids=["none", "two"])
def test_the_draws_have_the_covariance_of_a_dense_computation(directions: Floats) -> None:
    n_draws = 4_000
    fit = fitted(directions=directions, n_draws=n_draws)
    dense = dense_covariance(fit.mode, penalty_of(directions, fit.residual_sd**2))
    around = fit.draws - fit.mode[:, np.newaxis]
    around -= around.mean(axis=0)
    scale = np.sqrt(np.diag(dense))
    error = np.abs(around @ around.T / n_draws - dense) / np.outer(scale, scale)
    # each entry has a standard error of at most the root of 2 / n; 1,600 of them, five errors
    assert error.max() < 5 * np.sqrt(2 / n_draws)
    assert np.abs(around.mean(axis=1) / scale).max() < 5 / np.sqrt(n_draws)


def test_a_direction_is_followed_without_a_penalty() -> None:
    first, second, score = record()
    truth = np.random.default_rng(5).standard_normal(N)
    won = np.random.default_rng(6).random(len(score)) < 1 / (1 + np.exp(2 * (truth[second] - truth[first])))
    free = fit_strengths(
        first,
        second,
        won.astype(float),
        n_players=N,
        directions=truth[:, np.newaxis],
        n_draws=4,
        rng=np.random.default_rng(1),
    )
    slope = np.polyfit(truth, free.mode, 1)[0]
    assert slope == pytest.approx(2, abs=0.3)
    assert free.residual_sd < 0.3
    assert free.p_value < 1e-6
    assert fitted().p_value == 1


def test_the_p_value_is_uniform_where_directions_mean_nothing() -> None:
    p = np.array(
        [
            fit_strengths(
                *record(n_matches=500, seed=seed),
                n_players=N,
                directions=np.random.default_rng(100 + seed).standard_normal((N, 1)),
                n_draws=1,
                rng=np.random.default_rng(3),
            ).p_value
            for seed in range(40)
        ]
    )
    for level in (0.1, 0.3, 0.5, 0.8):
        assert (p <= level).mean() == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 40))


def test_the_prior_is_as_wide_as_the_skills() -> None:
    # MacKay's condition: many players, enough matches
    pairs = simulate_strengths(400, 30_000, sd=150, seed=4).pairs
    fit = fit_strengths(
        pairs.first,
        pairs.second,
        pairs.score,
        n_players=400,
        directions=np.empty((400, 0)),
        n_draws=8,
        rng=np.random.default_rng(1),
    )
    # 400 skills: their SD itself is known to 3.5%
    assert fit.residual_sd == pytest.approx(from_elo(150.0), rel=0.12)
    # draws spread as the skills do, the mode less
    assert fit.mode.std() < fit.draws.std()
    assert fit.draws.std() == pytest.approx(fit.residual_sd, rel=0.1)


def test_swapping_seats_and_repeating_meetings_change_nothing() -> None:
    first, second, score = record()
    swap = np.random.default_rng(0).random(len(first)) < 0.5
    swapped = np.where(swap, second, first), np.where(swap, first, second), np.where(swap, 1 - score, score)
    order = np.random.default_rng(1).permutation(len(first))
    for columns in (swapped, (first[order], second[order], score[order])):
        fit = fit_strengths(*columns, n_players=N, directions=np.empty((N, 0)), n_draws=8, rng=np.random.default_rng(3))
        np.testing.assert_allclose(fit.mode, fitted().mode, atol=1e-6)
        np.testing.assert_allclose(fit.draws, fitted().draws, atol=1e-6)


def test_loose_players_are_held_less() -> None:
    first, second, score = record()
    looseness = np.where(np.arange(N) < 20, 0.0, 5.0)
    direction = np.random.default_rng(9).standard_normal((N, 1))
    tight, loose = (
        fit_strengths(
            first,
            second,
            score,
            n_players=N,
            directions=direction,
            looseness=error,
            n_draws=400,
            rng=np.random.default_rng(3),
        )
        for error in (np.zeros(N), looseness)
    )
    wide = loose.draws.std(axis=1) / tight.draws.std(axis=1)
    assert wide[20:].mean() > wide[:20].mean()


def test_random_numbers_that_are_drawn_again_are_those_that_were_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = fitted(directions=some_directions(), n_draws=12)
    monkeypatch.setattr(posterior, "_KEPT", 0)
    monkeypatch.setattr(posterior, "_PART", 50)
    again = fitted(directions=some_directions(), n_draws=12)
    assert again.draws.tobytes() == kept.draws.tobytes()
    assert again.residual_sd == kept.residual_sd
