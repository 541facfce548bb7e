"""Standard errors: against a dense inverse, against draws, and against the scatter of repeated records."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.simulate import simulate_strengths
from ludometer.strength.comparisons import gather
from ludometer.strength.pairwise import PenalisedLikelihood, fit_skills
from ludometer.strength.ranked import OrderLikelihood, Orders, fit_orders
from ludometer.strength.skills import Skills
from ludometer.strength.uncertainty import estimate_difference_errors, estimate_errors


def dense_covariance(matches: Matches, skills: Skills) -> Floats:
    """The inverse of the curvature, of skills around their islands' means."""
    pairs = gather(matches, ordered=skills.advantage is not None)
    function = PenalisedLikelihood(pairs, skills.link, skills.ridge)
    function.evaluate(np.append(np.nan_to_num(skills.skill), [skills.threshold, skills.advantage or 0.0]))
    n = pairs.n_players
    hessian = np.array([function.multiply(unit).copy() for unit in np.eye(n + 2)])
    if not pairs.ordered:
        hessian = hessian[:-1, :-1]
    covariance = np.linalg.pinv(hessian, rcond=1e-10)[:n, :n]
    centre = np.array([pairs.centre(unit) for unit in np.eye(n)])
    return np.asarray(centre @ covariance @ centre.T)


def dense_covariance_of_orders(matches: Matches, skills: Skills, weights: Floats | None = None) -> Floats:
    orders, n = Orders.of(matches, weights), len(skills.skill)
    function = OrderLikelihood(orders, skills.ridge, n)
    function.evaluate(np.nan_to_num(skills.skill))
    hessian = np.array([function.multiply(unit) for unit in np.eye(n)])
    centre = np.eye(n) - (skills.island[:, np.newaxis] == skills.island) / np.bincount(skills.island)[skills.island]
    return np.asarray(centre @ np.linalg.pinv(hessian, rcond=1e-10) @ centre.T)


def races(seed: int = 0) -> Matches:
    """Of 2 to 6, some places tied, in two islands, with one player who never played."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 7, 120)
    player = np.concatenate([rng.permutation(8)[:size] + (0 if match % 3 else 8) for match, size in enumerate(sizes)])
    place = rng.integers(1, 5, len(player))
    return Matches.of_seats(np.concatenate(([0], np.cumsum(sizes))), player, place, players=Players.numbered(17))


def records() -> list[tuple[Matches, Skills]]:
    matches = simulate_strengths(40, 700, sd=200, draws=0.25, activity=0.8, seed=6)
    islands = Matches.of_pairs(
        [0, 1, 2, 3, 4, 4], [1, 2, 0, 4, 3, 3], [1, 1, 1, 1, 1, 0.5], players=Players.numbered(6)
    )
    return [
        (matches, fit_skills(matches)),
        (matches, fit_skills(matches, link="logit", advantage=True)),
        (islands, fit_skills(islands)),
        (islands, fit_skills(islands, ridge=0)),
    ]


@pytest.mark.parametrize("number", range(4))
def test_errors_are_those_of_a_dense_inverse(number: int) -> None:
    matches, skills = records()[number]
    covariance = dense_covariance(matches, skills)
    errors = estimate_errors(matches, skills)
    np.testing.assert_allclose(errors[skills.played], np.sqrt(np.diag(covariance))[skills.played], rtol=1e-5)
    assert np.isnan(errors[~skills.played]).all()
    difference = estimate_difference_errors(matches, skills, [0, 1], [1, 2])
    for error, i, j in zip(difference, (0, 1), (1, 2), strict=True):
        assert error == pytest.approx(np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]), rel=1e-5)


def test_differences_between_islands_have_no_error() -> None:
    matches, skills = records()[2]
    assert np.isnan(estimate_difference_errors(matches, skills, [0], [3])).all()


@pytest.mark.parametrize("number", range(3))
def test_drawn_errors_are_near_the_exact_ones(number: int) -> None:
    matches, skills = records()[number]
    exact, drawn = estimate_errors(matches, skills), estimate_errors(matches, skills, n_draws=400, seed=1)
    np.testing.assert_allclose(drawn, exact, rtol=0.08)
    np.testing.assert_array_equal(drawn, estimate_errors(matches, skills, n_draws=400, seed=1))


def test_drawn_errors_without_a_ridge() -> None:
    matches = simulate_strengths(60, 6_000, sd=150, seed=2)
    skills = fit_skills(matches, ridge=0)
    np.testing.assert_allclose(
        estimate_errors(matches, skills, n_draws=100), estimate_errors(matches, skills), rtol=0.05
    )


def test_errors_are_as_large_as_the_scatter_of_repeated_records() -> None:
    rng = np.random.default_rng(7)
    truth = np.linspace(-1, 1, 12)
    first = rng.integers(0, 12, 3_000)
    second = (first + rng.integers(1, 12, 3_000)) % 12
    fits: list[Skills] = []
    expected: list[Floats] = []
    for _ in range(60):
        margin = truth[first] - truth[second] + np.sqrt(2) * rng.standard_normal(3_000)
        halves = np.where(margin > 0.3, 2, np.where(margin < -0.3, 0, 1)).astype(np.int8)
        matches = Matches.of_pairs(first, second, halves)
        fits.append(fit_skills(matches, ridge=1e-6))
        if len(expected) < 3:
            expected.append(estimate_errors(matches, fits[-1]))
    scatter = np.std([fit.skill for fit in fits], axis=0, ddof=1)
    # each of 12 SDs from 60 records is known to 9%, their mean to 3%
    assert scatter.mean() == pytest.approx(np.mean(expected), rel=0.1)


@pytest.mark.parametrize("ridge", [0.25, 0.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_errors_of_orders_are_those_of_a_dense_inverse(ridge: float, weighted: bool) -> None:
    matches = races()
    weights = np.random.default_rng(2).uniform(0.2, 3, len(matches)) if weighted else None
    skills = fit_orders(matches, ridge=ridge, weights=weights)
    covariance = dense_covariance_of_orders(matches, skills, weights)
    exact = np.where(skills.played, np.sqrt(np.diag(covariance)), np.nan)
    np.testing.assert_allclose(estimate_errors(matches, skills, weights=weights), exact, rtol=1e-5)
    drawn = estimate_errors(matches, skills, weights=weights, n_draws=400, seed=1)
    np.testing.assert_allclose(drawn, exact, rtol=0.08)
    first, second = [0, 3, 9, 0], [1, 7, 12, 9]
    difference = estimate_difference_errors(matches, skills, first, second, weights=weights)
    assert np.isnan(difference[3])
    for error, i, j in list(zip(difference, first, second, strict=True))[:3]:
        assert error == pytest.approx(np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]), rel=1e-5)


def test_errors_of_orders_of_two_are_those_of_the_logit_model() -> None:
    matches = simulate_strengths(30, 900, sd=150, seed=4)
    pairs, orders = fit_skills(matches, link="logit"), fit_orders(matches)
    np.testing.assert_allclose(estimate_errors(matches, orders), estimate_errors(matches, pairs), rtol=1e-5)


def test_errors_of_many_in_races_are_drawn() -> None:
    matches = simulate_strengths(400, 4_000, sd=200, per_match=5, seed=3)
    skills = fit_orders(matches)
    errors = estimate_errors(matches, skills)
    # of a difference, whose error is exact, against the two it is made of: opponents are many and nearly independent
    difference = estimate_difference_errors(matches, skills, np.arange(20), np.arange(20, 40))
    np.testing.assert_allclose(np.hypot(errors[:20], errors[20:40]), difference, rtol=0.05)


def test_errors_need_the_matches_of_the_fit() -> None:
    matches, skills = records()[0]
    with pytest.raises(LudometerError, match="fitted to"):
        estimate_errors(matches.part(0, 100), skills)
