"""Plackett-Luce skills: against SciPy, against the logit model of two, under symmetries, on simulated races."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from ludometer.arrays import Floats
from ludometer.errors import MatchDataError, NoFiniteFit
from ludometer.kernels.skills.plackett import log_likelihood_of_orders_plain
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.scale import from_elo
from ludometer.simulate import simulate_strengths
from ludometer.simulate.strengths import StrengthGame
from ludometer.strength.as_printed import printed_winner
from ludometer.strength.pairwise import fit_skills
from ludometer.strength.ranked import OrderLikelihood, Orders, fit_orders, thurstone_winner


def by_lbfgs(matches: Matches, ridge: float, weights: Floats | None = None) -> Floats:
    orders = Orders.of(matches, weights)

    def loss(s: Floats) -> float:
        columns = (orders.starts, orders.player, orders.stop, orders.gone, orders.weight)
        return ridge * float(s @ s) - log_likelihood_of_orders_plain(*columns, s)

    exactly: Any = {"ftol": 1e-15, "gtol": 1e-9, "maxfun": 10**6}
    return np.asarray(minimize(loss, np.zeros(len(matches.players)), method="L-BFGS-B", options=exactly).x)


def races_with_ties(seed: int = 0) -> Matches:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, 80)
    player = np.concatenate([rng.permutation(7)[:size] for size in sizes])
    return Matches.of_seats(np.concatenate(([0], np.cumsum(sizes))), player, rng.integers(1, 4, len(player)))


def test_newton_finds_what_lbfgs_finds() -> None:
    matches, weights = races_with_ties(), np.random.default_rng(1).uniform(0.2, 2, 80)
    fit = fit_orders(matches, weights=weights)
    assert fit.converged
    np.testing.assert_allclose(fit.skill, by_lbfgs(matches, 0.25, weights), atol=2e-5)
    free, other = fit_orders(matches, ridge=0), by_lbfgs(matches, 0.0)
    np.testing.assert_allclose(free.skill, other - other.mean(), atol=3e-5)
    assert free.log_likelihood > fit_orders(matches).log_likelihood


def test_races_of_two_have_the_logit_skills() -> None:
    matches = simulate_strengths(30, 800, sd=200, seed=3)
    np.testing.assert_allclose(fit_orders(matches).skill, fit_skills(matches, link="logit").skill, atol=1e-8)


RACES = st.lists(
    st.tuples(st.permutations(range(5)), st.lists(st.integers(1, 3), min_size=3, max_size=5)), min_size=1, max_size=12
)


def races_of(rows: list[tuple[list[int], list[int]]]) -> Matches:
    starts = np.concatenate(([0], np.cumsum([len(places) for _, places in rows])))
    player = [k for who, places in rows for k in who[: len(places)]]
    places = [place for _, places in rows for place in places]
    return Matches.of_seats(starts, player, places, players=Players.numbered(5))


@settings(max_examples=30)
@given(RACES, st.permutations(range(5)))
def test_symmetries(rows: list[tuple[list[int], list[int]]], names: list[int]) -> None:
    fit = fit_orders(races_of(rows))
    skill = np.nan_to_num(fit.skill)
    renamed = fit_orders(races_of([([names[k] for k in who], places) for who, places in rows]))
    np.testing.assert_allclose(np.nan_to_num(renamed.skill)[np.array(names)], skill, atol=1e-6)
    # seats in another order
    mirrored = fit_orders(races_of([(who[: len(p)][::-1] + who[len(p) :], p[::-1]) for who, p in rows]))
    np.testing.assert_allclose(np.nan_to_num(mirrored.skill), skill, atol=1e-6)
    twice = fit_orders(races_of(rows + rows))
    weighted = fit_orders(races_of(rows), weights=np.full(len(rows), 2.0))
    np.testing.assert_allclose(np.nan_to_num(twice.skill), np.nan_to_num(weighted.skill), atol=1e-6)


def test_simulated_skills_are_recovered() -> None:
    game = StrengthGame(100, sd=200, seed=5, per_match=6)
    fit = fit_orders(simulate_strengths(100, 8_000, sd=200, per_match=6, seed=5))
    truth = from_elo(game.skill)
    # 480 races each, which a few comparisons a race make precise to about 0.07
    assert np.std(fit.skill - truth) < 0.1
    assert np.std(fit.skill) == pytest.approx(np.std(truth), rel=0.05)


def test_places_chosen_anew_have_the_curvature_for_their_covariance() -> None:
    matches, weights = races_with_ties(), np.random.default_rng(1).uniform(0.2, 2, 80)
    skill, n_draws = np.linspace(-1.5, 1.5, 7), 4_000
    for weight in (None, weights):
        function = OrderLikelihood(Orders.of(matches, weight), 0.0, 7)
        function.evaluate(skill)
        curvature = np.array([function.multiply(unit) for unit in np.eye(7)])
        rng = np.random.default_rng(3)
        draws = np.array([function.replay(skill, rng) for _ in range(n_draws)])
        sd = np.sqrt(np.diag(curvature))
        assert (np.abs(draws.mean(axis=0)) < 4 * sd / n_draws**0.5).all()
        # a correlation from so many draws is known to 1 / root n, a variance to root 2 of that
        np.testing.assert_allclose(np.cov(draws.T) / np.outer(sd, sd), curvature / np.outer(sd, sd), atol=0.08)


def test_a_player_who_only_won_or_lost_is_named_when_there_is_no_ridge() -> None:
    players = Players.named(["Ann", "Ben", "Cem", "Dot"])
    matches = Matches.of_seats([0, 4, 8], [0, 1, 2, 3, 0, 2, 1, 3], [1, 2, 3, 4, 1, 2, 3, 4], players=players)
    with pytest.raises(NoFiniteFit, match=r"only won \(Ann\).*only lost \(Dot\)"):
        fit_orders(matches, ridge=0)
    assert fit_orders(matches).skill[0] > 0
    with pytest.raises(MatchDataError, match="no matches"):
        fit_orders(matches, weights=[0, 0])


def test_winners_of_normal_performances() -> None:
    rng = np.random.default_rng(0)
    skill = np.array([0.5, -0.3, 1.1, 0.0])
    performance = skill + rng.standard_normal((400_000, 4))
    share = np.bincount(performance.argmax(axis=1), minlength=4) / 400_000
    chance = thurstone_winner(skill)
    assert chance.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(chance, share, atol=5 * np.sqrt(0.25 / 400_000))
    # of two the printed product is right, of more it is not
    np.testing.assert_allclose(printed_winner(skill[:2]), thurstone_winner(skill[:2]), atol=1e-12)
    assert printed_winner(skill).sum() < 0.95
