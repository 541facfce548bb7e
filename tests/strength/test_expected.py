"""Static ratings under a prior: by sweeps, by Newton, by brute force, and with what is known to be true."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from ludometer.arrays import Floats
from ludometer.errors import ConvergenceWarning, LudometerError
from ludometer.matches import Matches
from ludometer.scale import ELO
from ludometer.simulate.strengths import StrengthGame, simulate_strengths
from ludometer.strength.expected import (
    StaticRatings,
    expected_ratings,
    fit_normal_prior,
    marginal_sd,
    most_likely_ratings,
)
from ludometer.strength.pairwise import fit_skills
from ludometer.strength.priors import EmpiricalPrior, LearningPrior, NormalPrior, Prior

PRIORS: list[Prior] = [
    NormalPrior(1500, 200),
    LearningPrior(0.05, origin=1000),
    EmpiricalPrior.of(np.random.default_rng(3).normal(1500, 200, 300)),
]
THREE = Matches.of_pairs([0, 0, 1, 0, 1, 2, 0], [1, 2, 2, 1, 2, 0, 1], [1, 1, 0.5, 1, 1, 0.5, 0])
LEAGUE = simulate_strengths(120, 1500, sd=200, draws=0.2, seed=4)


def log_posterior(matches: Matches, prior: Prior, rating: Floats) -> Floats:
    """Match after match, a draw being half a win and half a loss; `rating` is (players, ...)."""
    total = prior.log_density(rating).sum(axis=0)
    pairs = matches.pairs
    for i, j, score in zip(pairs.first, pairs.second, pairs.score, strict=True):
        d = (rating[i] - rating[j]) / ELO
        total = total - score * np.logaddexp(0, -d) - (1 - score) * np.logaddexp(0, d)
    return np.asarray(total)


def mean_given_others(matches: Matches, prior: Prior, rating: Floats, player: int) -> tuple[float, float]:
    """By Simpson's rule on a fine grid."""
    from scipy.integrate import simpson

    low = max(prior.lowest, prior.mean - 10 * prior.sd)
    x = np.linspace(low, prior.mean + 10 * prior.sd, 20_001)
    level, pairs = prior.log_density(x), matches.pairs
    for i, j, score in zip(pairs.first, pairs.second, pairs.score, strict=True):
        if player in (i, j):
            d = (x - rating[j] if player == i else rating[i] - x) / ELO
            level = level - score * np.logaddexp(0, -d) - (1 - score) * np.logaddexp(0, d)
    density = np.exp(level - level.max())
    mean = simpson(density * x, x) / simpson(density, x)
    return float(mean), float(np.sqrt(simpson(density * (x - mean) ** 2, x) / simpson(density, x)))


def joint_moments(matches: Matches, prior: Prior, n: int = 161) -> tuple[Floats, Floats]:
    """Means and SDs of three players under the joint density, on a cube: Gauss and Legendre's nodes."""
    node, weight = np.polynomial.legendre.leggauss(n)
    low, high = max(prior.lowest, prior.mean - 7 * prior.sd), prior.mean + 7 * prior.sd
    x = 0.5 * (low + high) + 0.5 * (high - low) * node
    cube = np.array(np.meshgrid(x, x, x, indexing="ij"))
    level = log_posterior(matches, prior, cube.reshape(3, -1)).reshape(n, n, n)
    mass = np.exp(level - level.max()) * weight[:, None, None] * weight[:, None] * weight
    mass /= mass.sum()
    mean = (cube * mass).sum(axis=(1, 2, 3))
    second = ((cube - mean[:, None, None, None]) ** 2 * mass).sum(axis=(1, 2, 3))
    return mean, np.sqrt(second)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_each_rating_is_its_mean_given_the_others(prior: Prior) -> None:
    for matches, players in ((THREE, range(3)), (LEAGUE, range(0, 120, 12))):
        found = expected_ratings(matches, prior=prior)
        assert found.converged
        for player in players:
            mean, sd = mean_given_others(matches, prior, found.rating, player)
            assert found.rating[player] == pytest.approx(mean, abs=1e-6)
            assert found.sd[player] == pytest.approx(sd, abs=1e-5)


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_the_papers_sweeps_end_where_newton_does(prior: Prior) -> None:
    printed = expected_ratings(LEAGUE, prior=prior, procedure="printed", tolerance=1e-8)
    fast = expected_ratings(LEAGUE, prior=prior, tolerance=1e-8)
    assert printed.converged
    assert fast.rating == pytest.approx(printed.rating, abs=2e-6)
    assert fast.sd == pytest.approx(printed.sd, abs=1e-4)
    assert fast.n_sweeps < printed.n_sweeps / 2


def test_the_end_of_the_sweeps_is_near_the_joint_expectation_and_not_the_same() -> None:
    """The paper takes one for the other; the sweep holds the others at one value where the integral averages."""
    prior = NormalPrior(0, 200)
    joint, joint_sd = joint_moments(THREE, prior)
    swept, mode = expected_ratings(THREE, prior=prior), most_likely_ratings(THREE, prior=prior)
    off = np.abs(swept.rating - joint).max()
    assert 1e-3 < off < np.abs(mode.rating - joint).max()
    assert off < 0.05 * joint_sd.min()
    assert (swept.sd < joint_sd).all()
    assert np.abs(marginal_sd(THREE, swept) / joint_sd - 1).max() < 0.02


def test_one_player_against_fixed_ones_has_the_joint_expectation() -> None:
    prior, fixed = NormalPrior(0, 200), np.array([np.nan, 100.0, -50.0])
    found = expected_ratings(THREE, prior=prior, fixed=fixed)
    mean, sd = mean_given_others(THREE, prior, found.rating, 0)
    assert found.rating.tolist() == [pytest.approx(mean, abs=1e-6), 100, -50]
    assert found.sd[0] == pytest.approx(sd, abs=1e-6)
    assert np.isnan(found.sd[1:]).all()
    assert found.fixed.tolist() == [False, True, True]


@pytest.mark.parametrize("prior", [PRIORS[0], PRIORS[2]], ids=str)
def test_the_most_likely_ratings_are_the_maximum_by_another_route(prior: Prior) -> None:
    found = most_likely_ratings(THREE, prior=prior)

    def loss(x: Floats) -> float:
        return -float(log_posterior(THREE, prior, prior.mean + 100 * x))

    other = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-8})
    assert found.rating == pytest.approx(prior.mean + 100 * other.x, abs=1e-2)


def test_a_normal_prior_is_a_ridge_around_its_mean() -> None:
    matches = simulate_strengths(60, 700, sd=200, seed=2)
    ridge = fit_skills(matches, link="logit", ridge=0.5 * (ELO / 150) ** 2)
    found = most_likely_ratings(matches, prior=NormalPrior(1500, 150))
    assert found.rating - 1500 == pytest.approx(ELO * ridge.skill, abs=1e-5)


def test_the_lower_end_of_a_prior_holds_those_who_would_fall_below() -> None:
    prior = LearningPrior(0.5, origin=1000)
    matches = Matches.of_pairs([0, 0, 0, 1, 2, 3] * 5, [1, 2, 3, 3, 3, 1] * 5, [1, 1, 1, 1, 1, 0] * 5)
    found = most_likely_ratings(matches, prior=prior)
    assert found.converged
    assert found.rating.min() == pytest.approx(1000)
    best = float(log_posterior(matches, prior, np.maximum(found.rating, 1000)))
    rng = np.random.default_rng(0)
    for _ in range(300):
        near = np.maximum(found.rating + 20 * rng.standard_normal(4), 1000)
        assert float(log_posterior(matches, prior, near)) <= best


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_who_never_lost_and_who_never_won_are_finite(prior: Prior) -> None:
    matches = Matches.of_pairs([0] * 50 + [1] * 50, [1] * 50 + [2] * 50, [1] * 100)
    for found in (expected_ratings(matches, prior=prior), most_likely_ratings(matches, prior=prior)):
        assert np.isfinite(found.rating).all()
        assert found.rating[0] > found.rating[1] > found.rating[2]
        assert (found.sd > 0).all()


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**31), st.sampled_from(PRIORS))
def test_renaming_permutes_and_a_match_twice_is_weight_two(seed: int, prior: Prior) -> None:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 6, 15)
    second = (first + rng.integers(1, 6, 15)) % 6
    score = rng.integers(0, 3, 15) / 2
    order = rng.permutation(6)
    plain = expected_ratings(Matches.of_pairs(first, second, score), prior=prior, weights=np.full(15, 2.0))
    n = max(first.max(), second.max()) + 1
    twice = Matches.of_pairs(np.tile(order[first], 2), np.tile(order[second], 2), np.tile(score, 2))
    renamed = expected_ratings(twice, prior=prior)
    assert renamed.rating[order[:n]] == pytest.approx(plain.rating, abs=1e-5)
    mirrored = expected_ratings(Matches.of_pairs(second, first, 1 - score), prior=prior, weights=np.full(15, 2.0))
    assert mirrored.rating == pytest.approx(plain.rating, abs=1e-5)


def test_a_draw_is_half_a_win_and_half_a_loss() -> None:
    prior = NormalPrior(0, 200)
    drawn = expected_ratings(Matches.of_pairs([0, 1], [1, 2], [0.5, 1]), prior=prior)
    halves = Matches.of_pairs([0, 0, 1], [1, 1, 2], [1, 0, 1])
    split = expected_ratings(halves, prior=prior, weights=[0.5, 0.5, 1])
    assert split.rating == pytest.approx(drawn.rating, abs=1e-6)


def test_true_skills_lie_within_their_errors_as_often_as_they_should() -> None:
    game = StrengthGame(400, 200.0, seed=7)
    matches = simulate_strengths(400, 4000, sd=200, seed=7)
    found = expected_ratings(matches, prior=NormalPrior(0, 200))
    z = (found.rating - game.skill) / marginal_sd(matches, found, n_draws=32)
    # 400 players: the share within one SD has a standard error of 0.023, and the mean square one of 0.07
    assert abs((np.abs(z) < 1).mean() - 0.683) < 0.07
    assert abs((z**2).mean() - 1) < 0.21


def test_errors_of_many_by_draws_are_those_by_equations() -> None:
    found = expected_ratings(LEAGUE, prior=NormalPrior(0, 200))
    exact, drawn = marginal_sd(LEAGUE, found), marginal_sd(LEAGUE, found, n_draws=200)
    assert drawn == pytest.approx(exact, rel=0.02)
    assert (exact > found.sd).all()


def test_the_spread_of_skills_is_found_where_players_have_many_matches() -> None:
    game = StrengthGame(300, 200.0, seed=3)
    fitted = fit_normal_prior(simulate_strengths(300, 30_000, sd=200, seed=3), mean=1500)
    # the standard error of an SD of 300 players is 8
    assert abs(fitted.sd - game.skill.std()) < 8
    assert fitted.mean == 1500


def test_a_player_without_a_match_is_where_the_prior_is() -> None:
    matches = Matches.of_pairs([0, 2], [2, 0], [1, 1])
    found = expected_ratings(matches, prior=NormalPrior(1500, 120))
    assert (found.rating[1], found.sd[1]) == (pytest.approx(1500), pytest.approx(120))
    assert found.to_frame().height == 2


def test_a_result_is_described_and_drawn() -> None:
    found = expected_ratings(LEAGUE, prior=NormalPrior(1500, 200), fixed=[1600.0] + [np.nan] * 119)
    assert len(found.summary().splitlines()) <= 20
    assert "1 held fixed" in found.summary()
    assert found.to_frame().columns == ["player", "rating", "sd", "matches", "fixed"]
    assert found.to_frame()["sd"].null_count() == 1
    assert found.plot().to_dict()["layer"]
    assert found.provenance.parameters["prior"] == "normal"


def test_what_cannot_be_is_refused() -> None:
    prior = NormalPrior(0, 200)
    with pytest.raises(LudometerError, match="3 players but 2"):
        expected_ratings(THREE, prior=prior, fixed=[0, np.nan])
    with pytest.raises(LudometerError, match="must be numbers"):
        expected_ratings(THREE, prior=prior, fixed=[0, np.nan, np.inf])
    with pytest.raises(LudometerError, match="no procedure"):
        expected_ratings(THREE, prior=prior, procedure="magic")  # type: ignore[arg-type]
    with pytest.raises(LudometerError, match="a prior is needed"):
        expected_ratings(THREE, prior=None)  # type: ignore[arg-type]
    with pytest.raises(LudometerError, match="made of"):
        marginal_sd(LEAGUE, expected_ratings(THREE, prior=prior))


def test_sweeps_that_end_too_early_warn_and_say_so() -> None:
    with pytest.warns(ConvergenceWarning, match="settled"):
        found: StaticRatings = expected_ratings(LEAGUE, prior=PRIORS[0], procedure="printed", most_sweeps=2)
    assert not found.converged
    assert "did not converge" in found.summary()
