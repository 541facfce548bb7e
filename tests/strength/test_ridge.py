"""The ridge's path equals single fits; cross-validation equals its definition and finds the skills' own variance."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.scale import elo_to_probit
from ludometer.simulate import simulate_strengths
from ludometer.strength.pairwise import fit_skills
from ludometer.strength.ridge import cross_validate_ridge, trace_ridge


def test_the_path_is_made_of_single_fits() -> None:
    matches = simulate_strengths(20, 400, sd=200, draws=0.1, seed=1)
    path = trace_ridge(matches, ridges=[0.05, 0.25, 2], advantage=True)
    for ridge, l2, threshold in zip(path.ridge, path.l2, path.threshold, strict=True):
        fit = fit_skills(matches, ridge=float(ridge), advantage=True)
        assert l2 == pytest.approx(fit.l2(), abs=1e-7)
        assert threshold == pytest.approx(fit.threshold, abs=1e-7)
    assert path.to_frame()["l2"].is_sorted()
    assert path.best is None
    assert "l2 from" in path.summary()
    assert path.plot().to_dict()


def test_the_loss_is_minus_the_mean_log_probability_of_what_was_left_out() -> None:
    matches = simulate_strengths(8, 90, sd=200, draws=0.3, seed=1)
    path = cross_validate_ridge(matches, ridges=[0.5], n_folds=3, seed=4)
    fold = np.random.default_rng(4).permutation(90) % 3
    assert path.losses is not None
    for k in range(3):
        fit = fit_skills(matches.take(fold != k), ridge=0.5)
        held = matches.take(fold == k).pairs
        chance = [
            fit.probabilities(int(i), int(j))[2 - half]
            for i, j, half in zip(held.first, held.second, held.halves, strict=True)
        ]
        assert path.losses[0, k] == pytest.approx(-np.mean(np.log(chance)), rel=1e-6)


def test_the_best_ridge_is_that_of_the_skills_variance() -> None:
    matches = simulate_strengths(300, 6_000, sd=150, seed=9)
    path = cross_validate_ridge(matches, n_folds=5, seed=1)
    # a ridge is a normal prior of the variance 1 / (2 ridge)
    truth = 1 / (2 * elo_to_probit(150.0) ** 2)
    assert path.plausible is not None
    assert path.best is not None
    assert path.plausible[0] <= path.best <= path.plausible[1]
    assert truth / 3 < path.best < 3 * truth
    assert path.spread is not None
    assert path.spread.min() == 0
    assert "best prediction" in path.summary()
    assert path.plot().to_dict()


def test_a_single_tie_is_unforeseen_once() -> None:
    pairs = simulate_strengths(10, 200, sd=100, seed=2).pairs
    halves = pairs.halves.copy()
    halves[17] = 1
    path = cross_validate_ridge(Matches.of_pairs(pairs.first, pairs.second, halves), ridges=[0.25], n_folds=4)
    assert path.unforeseen_ties == 1
    assert path.losses is not None
    assert np.isfinite(path.losses).all()


def test_bad_arguments_are_refused() -> None:
    matches = simulate_strengths(10, 50, seed=2)
    with pytest.raises(LudometerError, match="folds"):
        cross_validate_ridge(matches, n_folds=1)
    with pytest.raises(LudometerError, match="ridges"):
        trace_ridge(matches, ridges=[0.0, 1])
