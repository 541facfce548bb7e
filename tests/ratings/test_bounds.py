"""Floors and ceilings fitted to simulated records that have them, and to some that have none."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.curves import Bounded, Logistic
from ludometer.errors import MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.bounds import Bounds, fit_bounds
from ludometer.simulate import mix, simulate_coin, simulate_strengths
from ludometer.simulate.curve_game import simulate_on_curve


def record(floor: float, ceiling: float, *, seed: int, n: int = 12_000) -> Matches:
    return simulate_on_curve(60, n, curve=Bounded(Logistic(), floor, ceiling), sd=400, seed=seed)


@pytest.fixture(scope="module")
def tenth() -> Bounds:
    return fit_bounds(record(0.1, 0.9, seed=1))


@pytest.mark.parametrize("floor", [0.05, 0.15])
def test_floors_are_found_again(floor: float) -> None:
    fits = [fit_bounds(record(floor, 1 - floor, seed=seed)) for seed in range(4)]
    assert all(fit.converged for fit in fits)
    # known to be about half a standard error low; four records are twice as sure as one
    misses = np.array([(fit.floor - floor) / fit.floor_error for fit in fits])
    assert abs(misses.mean() + 0.5) < 3 / 2
    assert max(fit.floor_error for fit in fits) < 0.015
    assert max(fit.gain.p_value for fit in fits) < 1e-6
    for fit in fits:
        assert fit.ceiling == pytest.approx(1 - fit.floor)
        assert fit.floor_error == fit.ceiling_error
        assert fit.gain.value > 2 * fit.gain.error


def test_the_gain_is_that_of_the_likelihood(tenth: Bounds) -> None:
    assert tenth.gain.likelihood_ratio == pytest.approx(2 * tenth.n_matches * tenth.gain.value)
    assert tenth.gain.log_loss < tenth.gain.log_loss_unbounded < np.log(2)
    assert tenth.share == pytest.approx(0.8, abs=0.04)
    assert tenth.curve == Bounded(Logistic(), tenth.floor, tenth.ceiling)
    assert tenth.advantage is None


def test_without_a_floor_none_is_found() -> None:
    fits = [fit_bounds(simulate_strengths(60, 6_000, sd=400, seed=seed)) for seed in range(3)]
    assert all(fit.floor < 3 * fit.floor_error for fit in fits)
    assert min(fit.gain.p_value for fit in fits) > 0.01
    assert max(fit.gain.value for fit in fits) < 1e-3


def test_bounds_of_two_seats_are_found_apart() -> None:
    fit = fit_bounds(record(0.05, 0.8, seed=3), advantage=True)
    assert abs(fit.floor - 0.05) < 3 * fit.floor_error
    assert abs(fit.ceiling - 0.8) < 3 * fit.ceiling_error
    assert fit.advantage is not None
    assert abs(fit.advantage) < 40
    assert "first seat" in fit.summary()


def test_a_first_seat_that_is_worth_points_is_no_bound() -> None:
    curve, game = Logistic(), np.random.default_rng(4)
    skill = game.normal(0, 300, 60)
    first = game.integers(0, 60, 12_000)
    second = (first + game.integers(1, 60, 12_000)) % 60
    won = game.random(12_000) < curve(skill[first] - skill[second] + 80)
    fit = fit_bounds(Matches.of_pairs(first, second, won), advantage=True)
    assert fit.advantage == pytest.approx(80, abs=15)
    assert fit.floor < 0.01
    assert fit.ceiling > 0.99


def test_a_half_played_game_has_a_share_of_one_half() -> None:
    # Duersch's footnote 34: every second match is a coin, so that expectations run from a quarter to three quarters
    half = mix(simulate_strengths(60, 15_000, sd=400, seed=1), 50, seed=1)
    fit = fit_bounds(half)
    assert abs(fit.share - 0.5) < 2 * 3 * fit.floor_error


def test_a_coin_has_no_bounds_to_be_found() -> None:
    fit = fit_bounds(simulate_coin(50, 5000, seed=1))
    assert fit.gain.value < 1e-3
    assert fit.gain.p_value > 0.01


def test_forecasts_with_bounds_meet_what_happens(tenth: Bounds) -> None:
    frame = tenth.to_frame()
    assert frame["matches"].sum() == tenth.n_matches
    assert len(frame) == 20
    n, score, bounded, _ = frame.to_numpy().T
    assert (np.abs(score - bounded) < 4 * np.sqrt(bounded * (1 - bounded) / n)).all()
    assert score.min() > 0.05


def test_its_words_and_picture_say_what_was_found(tenth: Bounds) -> None:
    text = tenth.summary()
    assert f"expectations from {tenth.floor:.3f}" in text
    assert "without bounds" in text
    assert len(text.splitlines()) <= 20
    assert "unbounded" in tenth.plot().to_json()
    assert tenth.provenance.method == "bounds"


def test_seats_do_not_matter_where_none_is_favoured() -> None:
    matches = record(0.1, 0.9, seed=5, n=4000)
    pairs = matches.pairs
    swapped = Matches.of_pairs(pairs.second, pairs.first, 1 - pairs.score)
    assert fit_bounds(swapped).floor == pytest.approx(fit_bounds(matches).floor, abs=1e-4)


def test_no_matches_and_matches_of_several_are_refused() -> None:
    with pytest.raises(MatchDataError, match="no matches"):
        fit_bounds(Matches.of_pairs([], [], []))
    with pytest.raises(MatchDataError, match="two-player matches"):
        fit_bounds(simulate_strengths(10, 20, per_match=3))
