"""Matches of points: closed forms and recursions, and which curves are closed under them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.curves import Curve, Logistic, Normal, Stob, Timesharing
from ludometer.errors import LudometerError
from ludometer.simulate.points import (
    check_closure,
    match_stretch,
    odds_gap,
    timesharing_gap,
    win_first_to,
    win_first_to_recursion,
    win_lead_by,
    win_lead_by_recursion,
)

P = np.linspace(0, 1, 101)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 20])
def test_closed_forms_are_the_recursions(n: int) -> None:
    np.testing.assert_allclose(win_lead_by(P, n), win_lead_by_recursion(P, n), atol=1e-14)
    np.testing.assert_allclose(win_first_to(P, n), win_first_to_recursion(P, n), atol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_closed_forms_are_as_printed(n: int) -> None:
    q = 1 - P
    np.testing.assert_allclose(win_lead_by(P, n), P**n / (P**n + q**n), atol=1e-14)
    printed = P**n * sum(math.comb(n + j - 1, j) * q**j for j in range(n))
    np.testing.assert_allclose(win_first_to(P, n), printed, atol=1e-14)


def test_two_points_win_with_p_squared_times_3_less_2_p() -> None:
    np.testing.assert_allclose(win_first_to(P, 2), P**2 * (3 - 2 * P), atol=1e-15)


@given(st.floats(0, 1), st.integers(1, 60))
def test_what_one_wins_the_other_loses_and_longer_matches_suit_the_better(p: float, n: int) -> None:
    both = np.array([p, 1 - p])
    for win in (win_lead_by, win_first_to):
        assert win(both, n).sum() == pytest.approx(1, abs=1e-12)
        assert win(both, n + 1).max() >= win(both, n).max() - 1e-12


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 40])
def test_logistic_is_closed_under_lead_by_n_for_every_n(n: int) -> None:
    closure = check_closure(Logistic(), n)
    assert closure.closed
    assert closure.gap < 1e-14
    assert closure.stretch == n


@pytest.mark.parametrize("n", [2, 3, 5])
def test_logistic_is_not_closed_under_first_to_n(n: int) -> None:
    closure = check_closure(Logistic(), n, kind="first to")
    assert not closure.closed
    assert closure.gap > 0.005
    assert "is not closed under matches of first to" in closure.summary()


@pytest.mark.parametrize("curve", [Timesharing(), Normal(), Stob()], ids=lambda curve: curve.name)
def test_no_other_curve_is_closed_under_lead_by_n(curve: Curve) -> None:
    assert check_closure(curve, 2).gap > 0.005


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_stobs_curve_is_closed_under_first_to_its_own_number_of_points_alone(n: int) -> None:
    gaps = {m: check_closure(Stob(points=n), m, kind="first to").gap for m in (2, 3, 4, 6)}
    assert gaps.pop(n) < 1e-13
    assert min(gaps.values()) > 1e-5


def test_the_best_of_three_stretches_the_scale_by_3_over_2() -> None:
    closure = check_closure(Stob(), 2, kind="first to")
    assert closure.stretch == 1.5
    assert closure.closed
    assert "is closed under matches of first to 2: the scale is 1.5 wider" in closure.summary()


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_the_stretch_is_the_slope_of_the_match_between_equals(n: int) -> None:
    around = np.array([0.5 - 1e-5, 0.5 + 1e-5])
    assert np.diff(win_lead_by(around, n))[0] / 2e-5 == pytest.approx(match_stretch(n), rel=1e-7)
    assert np.diff(win_first_to(around, n))[0] / 2e-5 == pytest.approx(match_stretch(n, kind="first to"), rel=1e-7)


def test_each_functional_equation_has_its_own_curve() -> None:
    curves: list[Curve] = [Logistic(), Timesharing(), Normal(), Stob()]
    assert [curve.name for curve in curves if timesharing_gap(curve) < 1e-12] == ["timesharing"]
    assert [curve.name for curve in curves if odds_gap(curve) < 1e-12] == ["logistic"]


def test_impossible_matches_are_refused() -> None:
    with pytest.raises(LudometerError, match="at least 1 point"):
        win_lead_by(P, 0)
    with pytest.raises(LudometerError, match="from 0 to 1"):
        win_first_to(np.array([1.2]), 2)
    with pytest.raises(LudometerError, match="'lead by' or 'first to'"):
        check_closure(Logistic(), 2, kind="best of")  # type: ignore[arg-type]
