"""Simulated players on any curve: results as the curve has them, and the logistic game as it was."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ludometer.curves import Bounded, Curve, Logistic, Normal, Stob, Timesharing
from ludometer.errors import LudometerError
from ludometer.simulate import simulate_strengths
from ludometer.simulate.curve_game import CurveGame, simulate_on_curve
from ludometer.simulate.markov import first_to


@pytest.mark.parametrize(
    "curve",
    [Timesharing(), Normal(), Stob(), Bounded(Logistic(), 0.1, 0.8), first_to(4, lead=2).curve()],
    ids=lambda curve: curve.name,
)
def test_results_come_as_the_curve_has_them(curve: Curve) -> None:
    game = CurveGame(200, curve, sd=300, seed=2)
    (record,) = game.batches(100_000)
    difference = game.skill[record.pairs.first] - game.skill[record.pairs.second]
    expected = curve(difference)
    for low, high in ((-2000, -400), (-400, -100), (-100, 100), (100, 400), (400, 2000)):
        part = (difference >= low) & (difference < high)
        error = math.sqrt(float((expected[part] * (1 - expected[part])).sum())) / part.sum()
        assert abs(float((record.pairs.score - expected)[part].mean())) < 4 * error
    assert record.n_draws == 0


@pytest.mark.parametrize("activity", [0.0, 1.0])
def test_on_the_logistic_curve_it_is_the_game_of_strengths(activity: float) -> None:
    same = simulate_on_curve(40, 3000, curve=Logistic(), sd=250, activity=activity, seed=7)
    assert same.fingerprint == simulate_strengths(40, 3000, sd=250, activity=activity, seed=7).fingerprint


def test_a_longer_run_begins_with_the_matches_of_a_shorter_one() -> None:
    short, long = (simulate_on_curve(30, n, curve=Stob(), seed=1) for n in (100, 300_000))
    np.testing.assert_array_equal(short.pairs.halves, long.pairs.halves[:100])
    assert len(long) == 300_000


@pytest.mark.parametrize("settings", [{"n_players": 1}, {"sd": math.nan}, {"activity": -1.0}, {"seed": -1}])
def test_impossible_games_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(LudometerError):
        CurveGame(**({"n_players": 5} | settings))  # type: ignore[arg-type]
