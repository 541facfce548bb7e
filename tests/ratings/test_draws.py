"""Draws by the level of a pair: a known truth is found, batches do not matter, and forecasts of three outcomes gain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from ludometer.arrays import Floats, Halves
from ludometer.matches import Matches
from ludometer.ratings import BestFit, Dynamic, Elo, Glicko2, evaluate, predict
from ludometer.ratings.draws import DrawModel, DrawTally
from ludometer.ratings.driver import play_with_levels
from ludometer.ratings.state_space.effects import Effect
from ludometer.ratings.state_space.parameters import Parameters
from ludometer.ratings.state_space.system import FittedStateSpace
from ludometer.scale import expected_score
from ludometer.simulate import simulate_strengths
from tests.ratings.test_systems import league


def drawn_by(model: DrawModel, n: int, seed: int = 1) -> tuple[Floats, Halves, Floats]:
    """Forecasts, results and levels where draws follow this model."""
    rng = np.random.default_rng(seed)
    level, expected = rng.normal(1600, 250, n), rng.beta(4, 4, n)
    drawn = model.probability(expected, level)
    chance = rng.random(n)
    won = (chance < expected - drawn / 2).astype(np.int8) + (chance < expected + drawn / 2).astype(np.int8)
    return expected, won, level


def by_level(model: DrawModel, n_players: int = 80, n_matches: int = 8_000, seed: int = 1) -> Matches:
    """A record of players who do not change, and draw by their level."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(1500, 250, n_players)
    first = rng.integers(0, n_players, n_matches)
    second = (first + rng.integers(1, n_players, n_matches)) % n_players
    expected = expected_score(skill[first] - skill[second])
    drawn = model.probability(expected, (skill[first] + skill[second]) / 2)
    chance = rng.random(n_matches)
    score = ((chance < expected - drawn / 2).astype(float) + (chance < expected + drawn / 2)) / 2
    return Matches.of_pairs(first, second, score)


TRUTH = DrawModel(-0.3, 0.003, 1600.0)


def test_the_true_model_is_found() -> None:
    tally = DrawTally()
    tally.add(*drawn_by(TRUTH, 30_000))
    found = tally.model()
    # the latest quarter, at least one chunk: slopes are then known to 3%
    assert found.slope == pytest.approx(TRUTH.slope, rel=0.12)
    assert found.log_nu + found.slope * (1600 - found.centre) == pytest.approx(-0.3, abs=0.08)


def test_cells_are_as_good_as_the_matches_themselves() -> None:
    expected, halves, level = drawn_by(TRUTH, 10_000)
    tally = DrawTally()
    tally.add(expected, halves, level)

    def loss(point: Floats) -> float:
        return float(DrawModel(point[0], point[1] / 250, 1600.0).losses(expected, halves, level).mean())

    one_by_one = minimize(loss, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-10})
    assert tally.model().slope == pytest.approx(one_by_one.x[1] / 250, rel=0.02)


def test_batches_do_not_matter() -> None:
    expected, halves, level = drawn_by(TRUTH, 40_000)
    whole, parts = DrawTally(), DrawTally()
    whole.add(expected, halves, level)
    for part in np.split(np.arange(40_000), [5, 17_000, 17_001, 33_333]):
        parts.add(expected[part], halves[part], level[part])
    one, other = whole.model(), parts.model()
    assert (one.log_nu, one.slope, one.centre) == pytest.approx((other.log_nu, other.slope, other.centre), rel=1e-6)


def test_the_latest_matches_tell() -> None:
    early, late = drawn_by(DrawModel(-2.0, 0.0, 0.0), 80_000), drawn_by(TRUTH, 40_000, seed=2)
    tally = DrawTally()
    tally.add(*early)
    tally.add(*late)
    assert tally.model().slope == pytest.approx(TRUTH.slope, rel=0.12)


def test_a_level_that_says_nothing_does_not_count() -> None:
    dependent = 0
    for seed in range(40):
        tally = DrawTally()
        tally.add(*drawn_by(DrawModel(-0.3), 2_000, seed))
        dependent += tally.model().slope != 0
    # by chance one in 200
    assert dependent <= 2
    assert DrawTally().model().probability(np.array([0.5])).tolist() == [0]


def test_without_levels_it_is_the_draw_rate_of_the_record() -> None:
    expected, halves, _ = drawn_by(TRUTH, 5_000)
    tally = DrawTally()
    tally.add(expected, halves)
    model = tally.model()
    assert model.slope == 0
    assert model.probability(expected).mean() == pytest.approx((halves == 1).mean(), abs=1e-4)


@pytest.mark.parametrize("model", [DrawModel(), DrawModel(-0.5), DrawModel(3.0, 0.01, 1500.0)])
def test_the_three_outcomes_sum_to_one_and_keep_the_expected_score(model: DrawModel) -> None:
    expected, level = np.linspace(0.001, 0.999, 50), np.linspace(500, 3_000, 50)
    loss, draw, win = (np.exp(-model.losses(expected, np.full(50, outcome, np.int8), level)) for outcome in (0, 1, 2))
    np.testing.assert_allclose(loss + draw + win, 1, atol=1e-9)
    np.testing.assert_allclose(win + draw / 2, expected, atol=1e-9)


@pytest.mark.parametrize("system", [Elo(k=30, start_rating=1000), Glicko2(), Glicko2(period="match")])
def test_levels_are_the_mean_ratings_before_each_match(system: Any) -> None:
    matches = league()
    after, expected, level = play_with_levels(system, system.start(0), matches)
    plain, forecasts = system.play(system.start(0), matches)
    np.testing.assert_array_equal(expected, forecasts)
    np.testing.assert_array_equal(system.ratings(after), system.ratings(plain))
    assert level is not None
    if not isinstance(system, Elo):
        assert level.min() < 1400 < 1600 < level.max()
        return
    for k in (0, 40, len(matches) - 1):
        before = system.ratings(system.play(system.start(0), matches.part(0, k + 1).part(0, k))[0])
        pair = [matches.pairs.first[k], matches.pairs.second[k]]
        assert level[k] == pytest.approx(before[pair].mean())


def test_others_have_no_levels() -> None:
    matches = simulate_strengths(10, 50, seed=1)
    assert play_with_levels(Dynamic(), Dynamic().start(0), matches)[2] is None
    several = simulate_strengths(10, 50, per_match=3, seed=1)
    assert play_with_levels(Elo(), Elo().start(0), several)[2] is None


def test_evaluate_forecasts_three_outcomes_from_earlier_draws() -> None:
    matches = by_level(DrawModel(-0.3, 0.004, 1500.0))
    # the same forecasts, with levels and without
    elo, dynamic = evaluate(matches, systems=[Elo(k=20), Dynamic(h=40), "glicko2"]).systems[:2]
    assert elo.log_loss == pytest.approx(dynamic.log_loss)
    assert elo.log_loss_three is not None
    assert dynamic.log_loss_three is not None
    assert elo.log_loss_three < dynamic.log_loss_three - 0.01
    _, expected = Dynamic(h=40).play(Dynamic(h=40).start(0), matches)
    total = 0.0
    for begin in range(4_000, 8_000, 200):
        tally = DrawTally()
        tally.add(expected[:begin], matches.pairs.halves[:begin])
        ahead = slice(begin, begin + 200)
        total += float(tally.model().losses(expected[ahead], matches.pairs.halves[ahead]).sum())
    assert dynamic.log_loss_three == pytest.approx(total / 4_000)


def test_without_draws_there_are_two_outcomes() -> None:
    result = evaluate(simulate_strengths(30, 400, seed=1), systems=["elo"])
    assert result.systems[0].log_loss_three is None
    document = result.document()
    assert document["systems"][0]["log_loss_three"] is None
    assert "draws" in document["absent"]["systems.log_loss_three"]
    assert "win/draw/loss" not in result.summary()
    drawn = evaluate(simulate_strengths(30, 400, draws=0.3, seed=1), systems=["elo", BestFit()])
    assert all(score.log_loss_three for score in drawn.systems)
    assert "win/draw/loss" in drawn.summary()
    assert "systems.log_loss_three" not in drawn.document()["absent"]


def test_strong_players_are_predicted_to_draw_more() -> None:
    matches = by_level(DrawModel(-0.3, 0.004, 1500.0))
    rating = np.asarray(Elo(k=20).ratings(Elo(k=20).play(Elo(k=20).start(0), matches)[0]))
    order = [str(name) for name in np.argsort(rating)]
    weak = predict(matches, order[0], order[1], system=Elo(k=20))
    strong = predict(matches, order[-2], order[-1], system=Elo(k=20))
    assert strong.draw > weak.draw + 0.2
    assert strong.win + strong.draw / 2 == pytest.approx(strong.expected_score)


def test_levels_of_the_state_space_do_not_change_its_forecasts() -> None:
    matches = simulate_strengths(20, 400, draws=0.2, seed=1)
    plain = FittedStateSpace()
    assert play_with_levels(plain, plain.start(0), matches)[2] is not None
    # with effects of columns another filter plays
    labels = ["clay" if k % 3 else "grass" for k in range(400)]
    with_effect = FittedStateSpace(Parameters(effects=(Effect("surface", "player", sd=100.0),)))
    record = matches.with_columns(covariates={"surface": labels})
    for system, played in ((plain, matches), (with_effect, record)):
        _, expected, _ = play_with_levels(system, system.start(0), played)
        np.testing.assert_array_equal(expected, system.play(system.start(0), played)[1])


def test_a_handful_of_matches_does_not_make_draws_depend_on_the_level() -> None:
    tally = DrawTally()
    tally.add(np.array([0.5, 0.5, 0.3]), np.array([2, 1, 0], np.int8), np.array([1600.0, 1400.0, 1600.0]))
    assert tally.model().slope == 0
    assert tally.model().probability(np.array([0.5]), np.array([1650.0]))[0] > 0.1
