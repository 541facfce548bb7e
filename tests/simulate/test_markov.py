"""Markov games: where they end by three routes, what is refused, and their curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludometer.curves import Logistic, check_curve, tabulate
from ludometer.errors import LudometerError
from ludometer.simulate.markov import MarkovGame, absorb, eliminate, first_to, lead_by, solve_dense, solve_sparse
from ludometer.simulate.points import win_first_to, win_lead_by

X = np.linspace(-3000, 3000, 401)


def up(x: Any, y: Any) -> Any:
    return x / (x + y)


def down(x: Any, y: Any) -> Any:
    return y / (x + y)


@pytest.mark.parametrize("n_states", [1, 2, 7, 30])
def test_three_routes_lead_to_the_same_ends(n_states: int) -> None:
    rng = np.random.default_rng(n_states)
    source, target = (index.ravel() for index in np.indices((n_states, n_states + 2)))
    steps = rng.dirichlet(np.full(n_states + 2, 0.3), (5, n_states)).reshape(5, -1)
    by_elimination = eliminate(source, target, steps, n_states=n_states)
    np.testing.assert_allclose(solve_dense(source, target, steps, n_states=n_states), by_elimination, rtol=1e-10)
    np.testing.assert_allclose(solve_sparse(source, target, steps, n_states=n_states), by_elimination, rtol=1e-10)
    np.testing.assert_array_equal(absorb(source, target, steps, n_states=n_states), by_elimination)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_a_lead_of_n_is_logistic(n: int) -> None:
    curve = lead_by(n).curve()
    assert np.abs(curve(X) - Logistic()(X)).max() < 1e-12
    # R = log X gains a factor n (theorem 6)
    assert curve.points_per_unit == pytest.approx(n * Logistic().points_per_unit, rel=1e-9)


def test_small_chances_keep_their_digits() -> None:
    x = np.array([-20_000.0, -10_000.0])
    np.testing.assert_allclose(lead_by(4).curve()(x), Logistic()(x), rtol=1e-8)
    assert Logistic()(x)[0] < 1e-49
    exact = np.array([1e-8, 1e-40])
    np.testing.assert_allclose(lead_by(5).win_probability(exact, 1.0), exact**5, rtol=1e-7)


@pytest.mark.parametrize("n", [1, 2, 3, 12])
def test_chains_of_points_win_as_the_closed_forms_say(n: int) -> None:
    p = np.linspace(0.02, 0.98, 25)
    np.testing.assert_allclose(lead_by(n).win_probability(p, 1 - p), win_lead_by(p, n), rtol=1e-11)
    np.testing.assert_allclose(first_to(n).win_probability(p, 1 - p), win_first_to(p, n), rtol=1e-11)


def test_large_chains_are_solved_sparsely() -> None:
    p = np.array([0.5, 0.51, 0.6])
    game = lead_by(200)
    assert len(game.states) == 399
    np.testing.assert_allclose(game.win_probability(p, 1 - p), win_lead_by(p, 200), rtol=1e-8)


def test_a_game_of_tennis() -> None:
    p = np.linspace(0.05, 0.95, 19)
    q = 1 - p
    # four points to at most two, or three all and then two ahead
    known = p**4 * (1 + 4 * q + 10 * q**2) + 20 * p**3 * q**3 * p**2 / (p**2 + q**2)
    np.testing.assert_allclose(first_to(4, lead=2).win_probability(p, q), known, rtol=1e-12)
    assert len(first_to(4, lead=2).states) == 18


@pytest.mark.parametrize("game", [first_to(2), first_to(3), first_to(4, lead=2)])
def test_every_markov_game_has_an_exponential_tail(game: MarkovGame) -> None:
    check = check_curve(game.curve())
    assert check.increasing
    assert check.complete
    assert check.symmetric
    assert check.exponential_tail


def test_its_slope_inverse_and_table_are_those_of_its_curve() -> None:
    curve = first_to(3, lead=2).curve()
    np.testing.assert_allclose(curve.slope(X), (curve(X + 0.5) - curve(X - 0.5)), atol=1e-8)
    p = np.array([1e-12, 0.2, 0.9])
    np.testing.assert_allclose(curve(curve.inverse(p)), p, rtol=1e-11)
    assert np.abs(tabulate(curve)(X) - curve(X)).max() < 1e-9


def test_a_game_that_a_coin_may_decide_has_a_floor() -> None:
    # one time in five a coin ends the game at once: even perfect play loses a tenth (footnote 7)
    game = MarkovGame.of_table(
        {
            "start": {"play": 0.8, "first": 0.1, "second": 0.1},
            "play": {"first": up, "second": down},
        }
    )
    check = check_curve(game.curve())
    assert (check.lower, check.upper) == pytest.approx((0.1, 0.9), abs=1e-12)
    assert check.exponential_tail


def test_a_matrix_that_depends_on_the_players_is_a_game_too() -> None:
    def matrix(x: float, y: float) -> Any:
        # both always right or wrong at once: play on
        p, q = x / (1 + x), y / (1 + y)
        return np.array([[p * q + (1 - p) * (1 - q), p * (1 - q), q * (1 - p)]])

    game = MarkovGame.of_function(matrix)
    assert game.check.is_chain
    assert game.check.is_fair
    assert game.check.is_linear
    assert np.abs(game.curve()(X) - Logistic()(X)).max() < 1e-12


def test_a_table_of_numbers_has_a_chance_but_no_curve() -> None:
    ruin = MarkovGame.of_table({"one": {"first": 0.6, "second": 0.4}})
    assert float(ruin.win_probability(1.0, 1.0)) == pytest.approx(0.6)
    with pytest.raises(LudometerError, match="does not exchange the winners"):
        ruin.curve()
    coin = MarkovGame.of_table({"one": {"first": 0.5, "second": 0.5}})
    with pytest.raises(LudometerError, match="does not rise at 0"):
        coin.curve()


def test_a_game_in_which_more_than_the_ratio_matters_has_no_curve() -> None:
    uneven = MarkovGame.of_table(
        {
            "start": {
                "first": lambda x, y: 0.5 + 0.5 * (x - y) / (1 + x + y),
                "second": lambda x, y: 0.5 - 0.5 * (x - y) / (1 + x + y),
            }
        }
    )
    assert uneven.check.is_fair
    with pytest.raises(LudometerError, match="not a function of X / Y"):
        uneven.curve()


def test_the_start_may_be_any_state() -> None:
    table = {"behind": {"second": down, "level": up}, "level": {"behind": down, "first": up}}
    assert float(MarkovGame.of_table(table).win_probability(1.0, 1.0)) == pytest.approx(1 / 3)
    assert float(MarkovGame.of_table(table, start="level").win_probability(1.0, 1.0)) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ({"start": {"first": 0.5, "second": 0.4}}, r"sum to 1 \(off by 0\.1\)"),
        ({"start": {"first": 1.2, "second": -0.2}}, "not probabilities"),
        ({"start": {"first": up, "second": down}, "island": {"first": 1.0}}, "from the start to island"),
        ({"start": {"first": up, "trap": down}, "trap": {"trap": 1.0}}, "to an end from trap"),
        ({"start": {"first": up, "elsewhere": down}}, "not in the table: elsewhere"),
        ({"start": {"first": up, "second": down}, "first": {"start": 1.0}}, "cannot have steps"),
    ],
)
def test_what_is_no_game_is_refused(table: dict[str, dict[str, Any]], fault: str) -> None:
    with pytest.raises(LudometerError, match=fault):
        MarkovGame.of_table(table)


def test_other_impossible_games_are_refused() -> None:
    with pytest.raises(LudometerError, match="needs 4 columns"):
        MarkovGame.of_function(lambda *_: np.full((2, 3), 1 / 3))
    with pytest.raises(LudometerError, match="no state 'middle'"):
        MarkovGame.of_table({"start": {"first": up, "second": down}}, start="middle")
    with pytest.raises(LudometerError, match="X and Y must be above 0"):
        lead_by(1).win_probability(0.0, 1.0)
    with pytest.raises(LudometerError, match="at least 1 point"):
        lead_by(0)
    for n, lead in ((0, 1), (2, 3)):
        with pytest.raises(LudometerError, match="a lead of 1 up to all"):
            first_to(n, lead=lead)
