"""Which win probabilities are functions of a difference: the differential criterion, tables, homogeneous ratios."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.simulate.linearisable import HomogeneousRatio, linearise, linearise_table
from ludometer.simulate.markov import first_to
from ludometer.simulate.points import win_first_to


def bent(x: Any, y: Any) -> Any:
    """Rises with x, falls with y, sums to 1 with the players exchanged, and is not a function of any difference."""
    return 0.5 + np.arctan((x - y) * (1 + x**2 + y**2)) / np.pi


def bent_by_x(x: Floats, y: Floats) -> Floats:
    u = (x - y) * (1 + x**2 + y**2)
    return np.asarray((1 + 2 * x**2 + (x - y) ** 2) / (1 + u**2) / np.pi)


def bent_by_y(x: Floats, y: Floats) -> Floats:
    return -bent_by_x(y, x)


@pytest.mark.parametrize(
    ("win", "rating"),
    [
        (lambda x, y: x / (x + y), np.log),
        (lambda x, y: win_first_to(x / (x + y), 3), np.log),
        (lambda x, y: 1 / (1 + np.exp(y**3 - x**3)), lambda x: x**3),
        (lambda x, y: 0.1 + 0.8 / (1 + np.exp(np.sinh(y) - np.sinh(x))), np.sinh),
        (lambda x, y: 0.5 + np.arctan(x - y) / np.pi, lambda x: x),
    ],
)
def test_functions_of_a_difference_are_found_with_their_rating(
    win: Callable[[Floats, Floats], Floats], rating: Callable[[Floats], Floats]
) -> None:
    found = linearise(win, low=0.5, high=2.5)
    assert found.linearisable
    true = rating(found.strength)
    scale = (found.rating[-1] - found.rating[0]) / (true[-1] - true[0])
    np.testing.assert_allclose(found.rating, scale * (true - true[0]), atol=1e-6)
    assert "a function of a difference" in found.summary()
    assert found.to_frame().shape == (65, 2)


def test_a_plausible_win_probability_may_be_no_function_of_a_difference() -> None:
    found = linearise(bent, low=-1, high=1)
    assert not found.linearisable
    assert found.gap > 0.1
    assert "not a function of any difference" in found.summary()


def test_exact_derivatives_leave_only_rounding() -> None:
    def power(x: Floats, y: Floats) -> Floats:
        return x**2 / (x**2 + y**2)

    def by_x(x: Floats, y: Floats) -> Floats:
        return 2 * x * y**2 / (x**2 + y**2) ** 2

    def by_y(x: Floats, y: Floats) -> Floats:
        return -2 * y * x**2 / (x**2 + y**2) ** 2

    assert linearise(power, low=1, high=9, slopes=(by_x, by_y)).gap < 1e-14
    exact, near = (linearise(bent, low=-1, high=1, slopes=way) for way in ((bent_by_x, bent_by_y), None))
    assert exact.gap == pytest.approx(near.gap, rel=1e-6)


def test_a_chance_that_does_not_rise_is_refused() -> None:
    with pytest.raises(LudometerError, match="rise with the first strength"):
        linearise(lambda x, y: y / (x + y), low=1, high=2)
    with pytest.raises(LudometerError, match="5 points or more"):
        linearise(lambda x, y: x / (x + y), low=2, high=1)


@given(st.lists(st.floats(0.1, 3), min_size=4, max_size=4), st.lists(st.floats(0.1, 3), min_size=4, max_size=4))
@settings(max_examples=25)
def test_ratios_of_homogeneous_polynomials_are_functions_of_a_difference(top: list[float], more: list[float]) -> None:
    ratio = HomogeneousRatio(tuple(top), tuple(np.add(top, more)))
    x, y = np.random.default_rng(1).uniform(0.2, 5, (2, 50))
    np.testing.assert_allclose(ratio(x, y), ratio.of_difference(np.log(x) - np.log(y)), rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_markov_games_chance_is_such_a_ratio_and_log_x_its_rating(n: int) -> None:
    from math import comb

    size = 2 * n - 1
    full = tuple(float(comb(size, k)) for k in range(size + 1))
    ratio = HomogeneousRatio(tuple(c if k < n else 0.0 for k, c in enumerate(full)), full)
    x, y = np.random.default_rng(2).uniform(0.2, 5, (2, 50))
    np.testing.assert_allclose(ratio(x, y), first_to(n).win_probability(x, y), rtol=1e-12)
    found = linearise(ratio, low=1, high=4)
    assert found.linearisable
    middle = found.strength[len(found.strength) // 2]
    np.testing.assert_allclose(found.rating, middle * np.log(found.strength), atol=1e-6)


def test_polynomials_of_different_degree_are_refused() -> None:
    with pytest.raises(LudometerError, match="same degree"):
        HomogeneousRatio((1.0,), (1.0, 1.0))


def test_a_table_of_chances_gives_its_ratings_back_in_order() -> None:
    rating = np.array([0.0, 0.13, 0.4, 0.71, 1.0])
    found = linearise_table(1 / (1 + np.exp(-3 * (rating[:, np.newaxis] - rating))))
    assert found.linearisable
    chance = 1 / (1 + np.exp(-3 * np.subtract.outer(rating, rating)))
    differences = np.subtract.outer(found.rating, found.rating)
    order = np.argsort(chance[~np.eye(5, dtype=bool)])
    assert (np.diff(differences[~np.eye(5, dtype=bool)][order]) > 1e-9).all()


def test_tables_without_ratings_are_found_out() -> None:
    # A beats B beats C beats A
    cycle = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])
    assert not linearise_table(cycle).linearisable
    # in order, but the double step from the first to the third is smaller than one of its two parts
    folded = np.array([[0.5, 0.4, 0.35], [0.6, 0.5, 0.3], [0.65, 0.7, 0.5]])
    found = linearise_table(folded)
    assert not found.linearisable
    assert np.isnan(found.rating).all()


def test_a_grid_of_a_function_that_is_none_of_a_difference_has_no_ratings() -> None:
    grid = np.linspace(-1, 1, 9)
    assert not linearise_table(bent(grid[:, np.newaxis], grid)).linearisable
    even = 1 / (1 + np.exp(grid - grid[:, np.newaxis]))
    found = linearise_table(even, tolerance=1e-9)
    assert found.linearisable
    np.testing.assert_allclose(found.rating, np.linspace(0, 1, 9), atol=1e-7)


def test_what_is_not_known_does_not_count() -> None:
    cycle = np.array([[np.nan, 0.7, np.nan], [0.3, np.nan, 0.7], [np.nan, 0.3, np.nan]])
    assert linearise_table(cycle).linearisable
    with pytest.raises(LudometerError, match="a row and a column"):
        linearise_table([[0.5, 0.5]])
