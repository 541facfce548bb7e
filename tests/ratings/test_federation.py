"""Federations' switches: what each does to ratings and to their sum."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import Elo, evaluate
from ludometer.ratings.systems.federation import Federation
from ludometer.simulate import simulate_strengths
from tests.ratings.test_systems import league


def final(system: Federation, matches: Matches) -> tuple[Floats, dict[str, float]]:
    state, _ = system.play(system.start(0), matches)
    return system.ratings(state), system.created(state)


def test_with_a_period_for_each_match_and_no_switch_it_is_elo() -> None:
    matches = simulate_strengths(30, 2_000, draws=0.2, seed=1)
    federation, elo = Federation(k=24), Elo(k=24)
    state, expected = federation.play(federation.start(0), matches)
    same, forecasts = elo.play(elo.start(0), matches)
    np.testing.assert_allclose(expected, forecasts, atol=1e-12)
    np.testing.assert_allclose(federation.ratings(state), elo.ratings(same), atol=1e-9)


def test_within_a_period_ratings_do_not_move() -> None:
    system = Federation(period_matches=3)
    state, expected = system.play(system.start(0), Matches.of_pairs([0] * 4, [1] * 4, [1] * 4))
    assert expected[:3].tolist() == [0.5] * 3
    assert expected[3] == pytest.approx(1 / (1 + 10 ** (-96 / 400)))
    assert system.ratings(state)[0] > 1548


@pytest.mark.parametrize(
    "switches",
    [
        {},
        {"averages": True},
        {"floor": 1450},
        {"drop": 50},
        {"bonus": 10},
        {"newcomer_mean": 1400},
        {"averages": True, "floor": 1400, "drop": 100, "bonus": 5, "newcomer_mean": 1450},
    ],
)
def test_the_sum_of_ratings_changes_by_what_was_created(switches: dict[str, float]) -> None:
    ratings, created = final(Federation(period=7, **switches), league())  # type: ignore[arg-type]
    assert ratings.sum() - 1500 * len(ratings) == pytest.approx(sum(created.values()), abs=1e-6)
    used = {"averages": "averaging", "floor": "floor", "drop": "floor", "bonus": "bonus", "newcomer_mean": "newcomers"}
    for cause in ("averaging", "floor", "bonus", "newcomers"):
        is_on = cause in {used[switch] for switch in switches}
        assert (abs(created[cause]) > 1) == is_on


def test_averaging_is_that_of_the_rule() -> None:
    system = Federation(k=40, period_matches=3)
    state, _ = system.play(
        system.start(0), Matches.of_pairs([1, 1, 1], [2, 2, 2], [1, 1, 1], players=Players.numbered(3))
    )
    before = system.ratings(state)
    averages = Federation(k=40, period_matches=3, averages=True)
    again, _ = averages.play(state, Matches.of_pairs([0, 0], [1, 2], [1, 0], players=Players.numbered(3)))
    # 1 point of two matches against an average opponent of 1500, who is as strong
    assert averages.ratings(again)[0] == pytest.approx(1500)
    expected = 1 / (1 + 10 ** ((1500 - before[1]) / 400))
    assert averages.ratings(again)[1] == pytest.approx(before[1] + 40 * (0 - expected))


def test_floors_and_drops_hold() -> None:
    matches = league()
    lowest, _ = final(Federation(period=7, floor=1450), matches)
    assert lowest.min() >= 1450
    system = Federation(period=1, drop=30)
    best, state = np.full(60, 1500.0), system.start(60)
    for low in range(0, 1500, 20):
        state, _ = system.play(state, matches.part(low, low + 20))
        best = np.maximum(best, system.ratings(state))
    assert (system.ratings(state) >= best - 30 - 1e-9).all()
    assert (system.ratings(state) < best - 29.9).any()


def test_a_bonus_counts_what_is_above_twice() -> None:
    matches = Matches.of_pairs([0] * 4, [1, 2, 3, 4], [1] * 4)
    plain, _ = final(Federation(k=32, period_matches=4), matches)
    ratings, created = final(Federation(k=32, period_matches=4, bonus=10), matches)
    assert plain[0] == pytest.approx(1564)
    assert ratings[0] == pytest.approx(1564 + 64 - 20)
    assert created["bonus"] == pytest.approx(44)


def test_newcomers_of_a_period_have_the_mean_that_was_set() -> None:
    matches = Matches.of_pairs([0, 2, 4], [1, 3, 0], [1, 0.5, 1], time=[1, 2, 2])
    state, _ = (system := Federation(newcomer_mean=1300)).play(system.start(0), matches.part(0, 1))
    np.testing.assert_allclose(system.ratings(state)[:2], [1316, 1284])
    ratings, _ = final(system, matches)
    assert ratings[[2, 3, 4]].mean() == pytest.approx(1300)


def test_updates_once_a_period_predict_worse_and_floors_inflate() -> None:
    matches = league(n_matches=6_000)
    often, rarely = Federation(k=32, period_matches=1), Federation(k=32, period_matches=600)
    scores = evaluate(matches, systems=[often, rarely]).systems
    assert scores[1].difference > 2 * scores[1].difference_se
    floored, _ = final(Federation(period=7, floor=1500), matches)
    assert floored.mean() > 1520


@pytest.mark.parametrize(
    "parameters", [{"k": -1}, {"floor": 1600}, {"drop": -1}, {"bonus": float("nan")}, {"period": 0}]
)
def test_impossible_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(LudometerError):
        Federation(**parameters)  # type: ignore[arg-type]
