"""Win probability functions: their equations, tails, inverses, scales and tables."""

from __future__ import annotations

import math
from typing import Self

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Floats
from ludometer.curves import (
    CURVES,
    ELO_SLOPE,
    Bounded,
    Curve,
    Logistic,
    Normal,
    Stob,
    Timesharing,
    check_curve,
    invert,
    make_curve,
    natural_unit,
    tabulate,
)
from ludometer.errors import LudometerError
from ludometer.scale import ELO, expected_score

PLAIN: list[Curve] = [Logistic(), Timesharing(), Normal(), Stob(), Stob(points=3), Stob(points=9)]
ALL: list[Curve] = [*PLAIN, Bounded(Logistic(), 0.1), Bounded(Stob(), 0.02), Bounded(Normal(), 0.05, 0.8)]
POINTS = np.linspace(-3000, 3000, 1201)


def name(curve: Curve) -> str:
    return f"{curve.name} {curve.parameters}"


def koenigs(x: float, n_steps: int = 60) -> float:
    """Stob's curve for two points less 1/2 by its equation alone: begun so near 0 that it is a straight line there."""
    f = x / 1.5**n_steps
    for _ in range(n_steps):
        f = f * (3 - 4 * f * f) / 2
    return f


def coefficients(x: Floats, y: Floats) -> Floats:
    """The first four of the polynomial through these 13 points."""
    return np.asarray(np.polynomial.Polynomial.fit(x, y, 12).convert().coef[:4], np.float64)


@pytest.mark.parametrize("curve", PLAIN, ids=name)
def test_a_curve_rises_from_0_to_1_and_sees_both_players_alike(curve: Curve) -> None:
    check = check_curve(curve)
    assert check.increasing
    assert check.complete
    assert check.symmetric
    assert curve(np.array([-np.inf, 0.0, np.inf])).tolist() == [0, 0.5, 1]


@pytest.mark.parametrize("curve", ALL, ids=name)
def test_the_slope_is_the_derivative(curve: Curve) -> None:
    # not across 0, where timesharing bends
    x = POINTS[POINTS != 0]
    near, far = (curve(x + h) - curve(x - h) for h in (1, 2))
    np.testing.assert_allclose(curve.slope(x), (8 * near - far) / 12, atol=1e-12)
    assert curve.slope(POINTS).max() == pytest.approx(float(curve.slope(np.array(0.0))))


@pytest.mark.parametrize("curve", PLAIN, ids=name)
def test_the_inverse_leads_back_even_far_out(curve: Curve) -> None:
    p = np.array([1e-100, 1e-9, 0.01, 0.3, 0.5, 0.8, 0.999])
    np.testing.assert_allclose(curve(curve.inverse(p)), p, rtol=1e-12)
    assert curve.inverse(np.array([0.0, 0.5, 1.0])).tolist() == [-np.inf, 0, np.inf]
    with pytest.raises(LudometerError, match="from 0 to 1"):
        curve.inverse(np.array([1.1]))


@pytest.mark.parametrize("curve", ALL, ids=name)
def test_any_slope_at_0_can_be_asked_for(curve: Curve) -> None:
    steep = curve.with_slope(0.01)
    assert float(steep.slope(np.array(0.0))) == pytest.approx(0.01, rel=1e-12)
    # the same curve on another scale
    stretch = 0.01 / float(curve.slope(np.array(0.0)))
    np.testing.assert_allclose(steep(POINTS), curve(stretch * POINTS), atol=1e-13)
    with pytest.raises(LudometerError):
        curve.with_slope(0.0)


@pytest.mark.parametrize("curve", [Logistic(), Timesharing(), Normal(), Stob()], ids=name)
def test_by_default_all_rise_at_0_as_elos_curve_does(curve: Curve) -> None:
    assert float(curve.slope(np.array(0.0))) == pytest.approx(math.log(10) / 1600, rel=1e-14)
    assert natural_unit(curve) == pytest.approx(ELO)


def test_the_logistic_curve_is_elos() -> None:
    np.testing.assert_array_equal(Logistic()(POINTS), expected_score(POINTS))


def test_the_largest_step_on_elos_curve_is_1390() -> None:
    assert round(check_curve(Logistic()).largest_step) == 1390


@given(st.floats(0.01, 900), st.floats(0.01, 900))
def test_timesharing_satisfies_its_equation(x: float, y: float) -> None:
    curve = Timesharing(200.0)
    both, one, other = 1 - curve(np.array([x + y, x, y]))
    assert both == pytest.approx(2 * one * other, abs=1e-15)


def test_only_logistic_and_timesharing_have_an_exponential_tail() -> None:
    tails = {curve.name: check_curve(curve) for curve in (Logistic(), Timesharing(), Normal(), Stob())}
    assert {kind for kind, check in tails.items() if check.exponential_tail} == {"logistic", "timesharing"}
    assert tails["logistic"].tail_rate == pytest.approx(1 / ELO, rel=1e-6)
    assert tails["timesharing"].tail_rate == pytest.approx(math.log(2) / Timesharing().halving, rel=1e-6)
    assert tails["normal"].tail_exponent == pytest.approx(2, abs=0.02)
    assert tails["stob"].tail_exponent == pytest.approx(math.log(2) / math.log(1.5), abs=0.002)


@pytest.mark.parametrize("n", [2, 3, 4, 7, 25])
def test_stobs_curve_satisfies_its_equation(n: int) -> None:
    from scipy.special import betainc

    curve, x = Stob(1.0, n), np.linspace(-30, 30, 2001)
    np.testing.assert_allclose(curve(curve.stretch * x), betainc(n, n, curve(x)), rtol=1e-11, atol=1e-290)


def test_stobs_curve_is_what_its_equation_alone_leads_to() -> None:
    x = np.array([0.01, 0.1, 0.124, 0.126, 0.3, 0.7, 1.5, 3.0])
    np.testing.assert_allclose(Stob(1.0)(x), [0.5 + koenigs(float(z)) for z in x], rtol=1e-15)


@pytest.mark.parametrize("steepness", [1.0, 0.3])
def test_the_series_of_stobs_curve_has_the_printed_coefficients(steepness: float) -> None:
    curve = Stob(steepness)
    # (wp - 1/2) / x as a polynomial in x^2, through points from near 0 to where the series alone does not serve
    square = 0.2 * (1 - np.cos(np.pi * (np.arange(13) + 0.5) / 13)) / 2 / steepness**2
    x = np.sqrt(square)
    fitted = coefficients(square, (curve(x) - 0.5) / x)
    printed = [steepness, -16 / 15 * steepness**3, 1024 / 975 * steepness**5, -65536 / 77805 * steepness**7]
    np.testing.assert_allclose(fitted, printed, rtol=1e-6)
    np.testing.assert_allclose(fitted[:3], printed[:3], rtol=1e-8)


def test_the_series_follows_from_the_equation_alone() -> None:
    square = 0.2 * (1 - np.cos(np.pi * (np.arange(13) + 0.5) / 13)) / 2
    values = np.array([koenigs(float(z)) / z for z in np.sqrt(square)])
    fitted = coefficients(square, values)
    np.testing.assert_allclose(fitted, [1, -16 / 15, 1024 / 975, -65536 / 77805], rtol=1e-6)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_tail_of_stobs_curve_falls_with_the_printed_power(n: int) -> None:
    curve = Stob(1.0, n)
    assert Stob(1.0).tail_exponent == pytest.approx(1.709511, abs=5e-7)
    # ln wp(-x) = -A x^a: its slope over x and over kappa x, a period of what A may still do
    x = np.array([4.0, 4.0 * curve.stretch])
    near, far = curve.slope(-x) / curve(-x)
    assert 1 + math.log(far / near) / math.log(curve.stretch) == pytest.approx(curve.tail_exponent, abs=1e-9)


def test_stobs_curve_lies_between_logistic_and_normal_far_out() -> None:
    x = np.array([-2000.0])
    assert Normal()(x) < Stob()(x) < Logistic()(x)


def test_even_the_best_lose_between_bounds() -> None:
    curve = Bounded(Logistic(), 0.1)
    assert curve.ceiling == 0.9
    check = check_curve(curve)
    assert (check.lower, check.upper) == pytest.approx((0.1, 0.9))
    assert check.increasing
    assert check.symmetric
    assert not check.complete
    # exponentially to constants that are not 0 and 1 (footnote 7)
    assert check.exponential_tail
    np.testing.assert_allclose(curve.inverse(curve(np.array([-300.0, 0.0, 50.0]))), [-300, 0, 50], atol=1e-9)
    assert curve.inverse(np.array([0.1, 0.9])).tolist() == [-np.inf, np.inf]
    with pytest.raises(LudometerError, match=r"below 0\.1 or above 0\.9"):
        curve.inverse(np.array([0.05]))


def test_bounds_that_favour_a_seat_are_seen() -> None:
    check = check_curve(Bounded(Normal(), 0.05, 0.8))
    assert not check.symmetric
    assert check.asymmetry == pytest.approx(0.15)
    assert "differs from 1 by up to 0.15" in check.summary()
    assert check.to_frame().shape == (1, 8)


@pytest.mark.parametrize(("floor", "ceiling"), [(-0.1, 0.9), (0.6, 0.4), (0.5, 0.5), (0.2, 1.1)])
def test_impossible_bounds_are_refused(floor: float, ceiling: float) -> None:
    with pytest.raises(LudometerError, match="the floor below the ceiling"):
        Bounded(Logistic(), floor, ceiling)


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_impossible_scales_are_refused(value: float) -> None:
    for make in (Logistic, Timesharing, Normal, Stob):
        with pytest.raises(LudometerError, match="a number above 0"):
            make(value)
    with pytest.raises(LudometerError, match="from 2 to 25 points"):
        Stob(points=1)


@pytest.mark.parametrize("curve", ALL, ids=name)
@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
def test_a_table_keeps_to_the_curve(curve: Curve, tolerance: float) -> None:
    table = tabulate(curve, tolerance=tolerance)
    x = np.random.default_rng(1).uniform(-15_000, 15_000, 20_000)
    x = np.concatenate((x, POINTS / 7, [-1e9, 1e9]))
    assert np.abs(table(x) - curve(x)).max() < tolerance
    assert table.error < tolerance
    assert (table.name, table.parameters) == (curve.name, curve.parameters)


def test_a_finer_table_than_rounding_is_refused() -> None:
    with pytest.raises(LudometerError, match="1e-13"):
        tabulate(Logistic(), tolerance=1e-15)


@given(st.floats(1e-12, 1 - 1e-12))
def test_the_search_finds_what_the_formula_gives(p: float) -> None:
    found = float(invert(Logistic(), np.array(p)))
    assert found == pytest.approx(float(Logistic().inverse(np.array(p))), rel=1e-9, abs=1e-9)


def test_curves_are_made_by_name() -> None:
    assert sorted(CURVES) == ["logistic", "normal", "stob", "timesharing"]
    for kind in CURVES:
        curve = make_curve(kind, slope=0.002, floor=0.05)
        assert float(curve.slope(np.array(0.0))) == pytest.approx(0.002)
        assert float(curve(np.array(-1e5))) == pytest.approx(0.05)
        assert make_curve(kind) == CURVES[kind]().with_slope(ELO_SLOPE)
    with pytest.raises(LudometerError, match="no curve is called 'cubic'"):
        make_curve("cubic")


class Flat:
    """No win probability function."""

    name = "flat"
    parameters: dict[str, float] = {}  # noqa: RUF012

    def __call__(self, x: Floats) -> Floats:
        return np.full(np.shape(x), 0.5)

    def slope(self, x: Floats) -> Floats:
        return np.zeros(np.shape(x))

    def inverse(self, p: Floats) -> Floats:
        return np.zeros(np.shape(p))

    def with_slope(self, slope: float) -> Self:  # noqa: ARG002
        return self


def test_a_curve_that_does_not_rise_is_refused() -> None:
    with pytest.raises(LudometerError, match="does not rise at 0"):
        check_curve(Flat())


class Wavy(Flat):
    """Rises at 0, but not everywhere."""

    name = "wavy"

    def __call__(self, x: Floats) -> Floats:
        return Logistic()(x) + 0.02 * np.sin(np.asarray(x) / 50) * np.exp(-((np.asarray(x) / 600) ** 2))

    def slope(self, x: Floats) -> Floats:
        return np.asarray((self(np.asarray(x) + 0.01) - self(np.asarray(x) - 0.01)) / 0.02)


def test_a_curve_that_falls_somewhere_is_found_out() -> None:
    check = check_curve(Wavy())
    assert not check.increasing
    assert check.symmetric
    assert "does not rise everywhere" in check.summary()
