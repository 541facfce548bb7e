"""Steps that are found: by log loss and by theory."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings import rate
from ludometer.ratings.evaluation import evaluate
from ludometer.ratings.noise.noise import optimal_step
from ludometer.ratings.systems.calibrated import Calibrated, find_spread
from ludometer.ratings.systems.dynamic import Dynamic, DynamicShrinking
from ludometer.ratings.systems.tuning import log_loss_of
from ludometer.simulate import StrengthGame, simulate_coin, simulate_strengths


def test_the_loss_is_that_of_the_evaluation() -> None:
    matches = simulate_strengths(40, 3_000, draws=0.2, seed=1)
    assert log_loss_of(Dynamic(), matches) == pytest.approx(evaluate(matches, systems=[Dynamic()]).systems[0].log_loss)


@pytest.mark.parametrize("system", [Dynamic(), DynamicShrinking(), DynamicShrinking(floor=10)])
def test_the_step_has_the_least_log_loss(system: Dynamic | DynamicShrinking) -> None:
    matches = simulate_strengths(100, 10_000, sd=200, draws=0.1, seed=1)
    fitted = Calibrated(system, fixed=("floor",)).fitted(matches, in_sample=True)
    assert fitted.parameters["in_sample"] is True
    best = float(fitted.parameters["h"])

    def loss(h: float) -> float:
        # the cold start does not count
        return log_loss_of(replace(system, h=float(h)), matches, skipped=1_000)

    steps = np.geomspace(max(best / 3, 10), min(best * 3, 1389), 15)
    assert loss(best) <= min(loss(h) for h in steps)
    around = (best / 1.1, min(best * 1.1, 1389.0))
    brent = minimize_scalar(loss, bounds=around, method="bounded", options={"xatol": 1e-4})
    assert best == pytest.approx(float(brent.x), rel=2e-3)


def test_a_shrinking_step_predicts_unchanging_players_better() -> None:
    matches = simulate_strengths(100, 20_000, sd=200, seed=1)
    result = evaluate(matches, systems=[Calibrated(Dynamic()), Calibrated(DynamicShrinking())], tune=False)
    constant, shrinking = result.systems
    assert constant.difference > 5 * constant.difference_se > 0 == shrinking.difference


def test_the_spread_is_that_of_the_skills() -> None:
    game = StrengthGame(300, sd=200, seed=2)
    (matches,) = game.batches(30_000)
    assert find_spread(Dynamic(), matches) == pytest.approx(float(game.skill.std(ddof=1)), rel=0.08)


def test_the_optimal_step_is_that_of_theory() -> None:
    matches = simulate_strengths(300, 30_000, sd=200, seed=2)
    fitted = Calibrated(Dynamic(), "optimal").fitted(matches, in_sample=False)
    assert fitted.h == pytest.approx(optimal_step(sd=find_spread(Dynamic(), matches), games=200))
    assert fitted.parameters["in_sample"] is False


def test_a_coin_has_the_smallest_step() -> None:
    fitted = Calibrated(Dynamic()).fitted(simulate_coin(50, 20_000, seed=1), in_sample=True)
    assert isinstance(fitted.h, float)
    assert fitted.h < 1
    assert log_loss_of(fitted, simulate_coin(50, 20_000, seed=1)) == pytest.approx(math.log(2), abs=1e-4)


def test_it_has_to_see_the_record_first() -> None:
    matches = simulate_strengths(10, 200, seed=1)
    assert Calibrated(Dynamic()).parameters == {"start_rating": 1500.0}
    assert rate(matches, system=Calibrated(Dynamic())).provenance.parameters["in_sample"] is True
    with pytest.raises(LudometerError, match="needs the whole record"):
        rate(matches.parts(100), system=Calibrated(Dynamic()))
    with pytest.raises(MatchDataError, match="no matches"):
        Calibrated(Dynamic()).fitted(Matches.of_pairs([], [], []), in_sample=True)
    with pytest.raises(LudometerError, match="not 'luck'"):
        Calibrated(Dynamic(), "luck")  # type: ignore[arg-type]
