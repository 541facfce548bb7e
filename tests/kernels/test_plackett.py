"""The likelihood of finishing orders: against sums over orders, its derivatives against finite differences."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Floats
from ludometer.kernels.skills.plackett import evaluate_orders, log_likelihood_of_orders_plain, multiply_orders
from ludometer.matches import Matches
from ludometer.strength.ranked import Orders

N = 5


def evaluated(orders: Orders, skill: Floats) -> tuple[float, Floats, Floats]:
    n = len(skill)
    gradient, diagonal = np.empty(n), np.empty(n)
    inside, chance = np.empty(len(orders.player)), np.empty(len(orders.player))
    columns = (orders.starts, orders.player, orders.stop, orders.gone)
    value = evaluate_orders(*columns, orders.weight, skill, gradient, diagonal, inside, chance)
    hessian = np.empty((n, n))
    for k, unit in enumerate(np.eye(n)):
        multiply_orders(*columns, orders.weight, inside, chance, unit, hessian[k])
    np.testing.assert_allclose(np.diag(hessian), diagonal, atol=1e-9)
    return value, gradient, hessian


RACES = st.lists(st.tuples(st.permutations(range(N)), st.lists(st.integers(1, 4), min_size=2, max_size=N)), min_size=1)


@given(RACES, st.lists(st.floats(-6, 6), min_size=N, max_size=N), st.booleans())
def test_value_and_derivatives(races: list[tuple[list[int], list[int]]], skill: list[float], weighted: bool) -> None:
    starts = np.concatenate(([0], np.cumsum([len(places) for _, places in races])))
    player = [k for who, places in races for k in who[: len(places)]]
    matches = Matches.of_seats(starts, player, [place for _, places in races for place in places])
    orders = Orders.of(matches, np.linspace(0.5, 2, len(races)) if weighted else None)
    s = np.array(skill)[: len(matches.players)]
    value, gradient, hessian = evaluated(orders, s)
    plain = log_likelihood_of_orders_plain(orders.starts, orders.player, orders.stop, orders.gone, orders.weight, s)
    assert value == pytest.approx(plain, rel=1e-10, abs=1e-10)
    h = 1e-5
    for k in range(len(s)):
        step = h * np.eye(len(s))[k]
        (high, up, _), (low, down, _) = (evaluated(orders, s + sign * step) for sign in (1, -1))
        assert gradient[k] == pytest.approx((high - low) / (2 * h), rel=1e-4, abs=1e-4)
        np.testing.assert_allclose(-hessian[k], (up - down) / (2 * h), rtol=1e-4, atol=1e-4)


def test_an_order_has_its_probability_and_all_orders_add_up_to_one() -> None:
    skill = np.array([0.3, -1.0, 2.0, 0.0])
    total = 0.0
    for order in permutations(range(4)):
        places = np.argsort(order) + 1
        orders = Orders.of(Matches.of_seats([0, 4], [0, 1, 2, 3], places))
        total += np.exp(evaluated(orders, skill)[0])
    assert total == pytest.approx(1, abs=1e-12)


def test_efrons_ties_are_near_the_mean_over_their_orders() -> None:
    skill = np.array([0.3, -0.2, 0.5, 0.0])
    tied = Orders.of(Matches.of_seats([0, 4], [0, 1, 2, 3], [1, 2, 2, 4]))
    broken = [Orders.of(Matches.of_seats([0, 4], [0, 1, 2, 3], places)) for places in ([1, 2, 3, 4], [1, 3, 2, 4])]
    mean = np.log(np.mean([np.exp(evaluated(orders, skill)[0]) for orders in broken]))
    # over both orders, the denominators apart: Efron's is nearer than Breslow's, which counts all tied every time
    breslow = replace(tied, gone=np.zeros(4))
    efrons, breslows = (abs(evaluated(orders, skill)[0] - mean) for orders in (tied, breslow))
    assert efrons < 0.05 < breslows
