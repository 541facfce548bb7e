"""Win, draw and loss: probabilities that keep the expected score and the record's share of draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import Fixtures, Glicko2, Static, predict, predict_pairs
from ludometer.ratings.draws import DrawTally, draw_probability, fit_draws
from ludometer.ratings.systems.elo import Elo
from ludometer.simulate import StrengthGame, simulate_strengths


@given(st.floats(1e-9, 1 - 1e-9), st.floats(0, 1e6))
def test_probabilities_of_results_are_probabilities(expected: float, nu: float) -> None:
    (draw,) = draw_probability(np.array([expected]), nu)
    assert draw >= 0
    assert expected - draw / 2 > -1e-12
    assert 1 - expected - draw / 2 > -1e-12
    assert draw == pytest.approx(draw_probability(np.array([1 - expected]), nu)[0], abs=1e-9)


def test_the_model_is_davidsons() -> None:
    s, nu = 1.7, 0.8
    total = s * s + nu * s + 1
    expected = (s * s + nu * s / 2) / total
    assert draw_probability(np.array([expected]), nu)[0] == pytest.approx(nu * s / total)


@pytest.mark.parametrize("share", [0.05, 0.32, 0.7, 0.95])
def test_the_share_of_draws_is_met(share: float) -> None:
    expected = np.random.default_rng(0).uniform(0.48, 0.52, 5_000)
    assert draw_probability(expected, fit_draws(expected, share)).mean() == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("share", [1e-6, 0.1, 0.5, 0.999])
def test_the_fit_is_that_of_a_root_finder(spread: float, share: float) -> None:
    from scipy.optimize import brentq

    rng = np.random.default_rng(1)
    expected, weight = 1 / (1 + np.exp(-spread * rng.standard_normal(300))), rng.random(300)
    # no more can be drawn than leaves the favourites their expectations
    share *= float(np.average(2 * np.minimum(expected, 1 - expected), weights=weight))

    def excess(log_nu: float) -> float:
        return float(np.average(draw_probability(expected, np.exp(log_nu)), weights=weight)) - share

    root = np.exp(brentq(excess, -20, 20, xtol=1e-13))
    assert fit_draws(expected, share, weight) == pytest.approx(root, rel=1e-8)


def test_a_record_without_draws_or_of_draws_only() -> None:
    expected = np.full(10, 0.5)
    assert fit_draws(expected, 0) == 0
    assert draw_probability(expected, fit_draws(expected, 1)).mean() == pytest.approx(1, abs=1e-6)
    assert DrawTally().fit() == 0


def test_draws_of_a_simulated_game_are_forecast_where_they_happen() -> None:
    game = StrengthGame(100, sd=250, draws=0.3, seed=5)
    (batch,) = game.batches(100_000)
    skill = game.skill
    expected = 1 / (1 + 10 ** (-(skill[batch.pairs.first] - skill[batch.pairs.second]) / 400))
    tally = DrawTally()
    tally.add(expected, batch.pairs.halves)
    forecast = draw_probability(expected, tally.fit())
    drawn = batch.pairs.halves == 1
    for low, high in ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 1)):
        here = (expected >= low) & (expected < high)
        error = np.sqrt(0.25 / here.sum())
        assert drawn[here].mean() == pytest.approx(forecast[here].mean(), abs=4 * error)


def test_a_prediction_keeps_the_expected_score() -> None:
    matches = simulate_strengths(10, 2_000, draws=0.2, seed=3)
    forecast = predict(matches, "3", "7")
    assert forecast.win + forecast.draw + forecast.loss == pytest.approx(1)
    assert forecast.win + forecast.draw / 2 == pytest.approx(forecast.expected_score)
    back = predict(matches, "7", "3")
    assert back.win == pytest.approx(forecast.loss)
    assert back.draw == pytest.approx(forecast.draw)


def test_players_must_be_known_and_different() -> None:
    matches = Matches.of_pairs([0], [1], [1], players=Players.named(["Ann", "Ben"]))
    with pytest.raises(LudometerError, match="no player is called 'Bern'"):
        predict(matches, "Ann", "Bern")
    with pytest.raises(LudometerError, match="is named twice"):
        predict(matches, "Ann", "Ann")


def test_the_summary_names_both_and_the_plot_is_drawn() -> None:
    matches = Matches.of_pairs([0], [1], [1], players=Players.named(["Ann", "Ben"]))
    forecast = predict(matches, "Ann", "Ben", system=Elo())
    assert forecast.summary().splitlines()[0] == "Ann (1512) against Ben (1488)"
    assert forecast.to_frame()["probability"].sum() == pytest.approx(1)
    assert forecast.plot().to_dict()["mark"]["type"] == "bar"


def test_players_called_by_numbers_are_found_and_shown_as_text() -> None:
    matches = Matches.of_pairs([0, 0], [1, 1], [1, 0.5], players=Players.named([7, 12]))
    forecast = predict(matches, 7, 12)
    assert forecast.players == ("7", "12")
    assert forecast.win == predict(matches, "7", np.int64(12)).win  # type: ignore[call-overload]
    assert forecast.summary().startswith("7 (")
    numbered = Matches.of_pairs([0, 0], [1, 2], [1, 0])
    assert set(predict(numbered, 0, 1, 2).places) == {"0", "1", "2"}
    for unknown in (3, "3"):
        with pytest.raises(LudometerError, match="no player is called '3'"):
            predict(numbered, 0, unknown)
    with pytest.raises(LudometerError, match="'7' is named twice"):
        predict(matches, 7, "7")
    with pytest.raises(LudometerError, match=r"text or a whole number, not 1\.5"):
        predict(matches, 7, 1.5)  # type: ignore[call-overload]
    with pytest.raises(LudometerError, match="the same name"):
        Players.named([7, "7"])


def test_many_pairs_at_once_and_their_intervals_hold_the_true_probability() -> None:
    held = []
    for seed in range(6):
        game = StrengthGame(20, sd=200, seed=seed)
        (matches,) = game.batches(800)
        pairs = [(a, b) for a in range(20) for b in range(20) if a != b]
        found = predict_pairs(matches, pairs, system=Static())
        first, second = np.array(pairs).T
        true = 1 / (1 + 10 ** (-(game.skill[first] - game.skill[second]) / 400))
        assert found.forecasts.interval is not None
        low, high = found.forecasts.interval.T
        held.append((low <= true) & (true <= high))
        assert ((low <= found.forecasts.win) & (found.forecasts.win <= high)).all()
    assert np.mean(held) == pytest.approx(0.95, abs=0.03)
    with pytest.raises(LudometerError, match="no pairs to predict"):
        predict_pairs(matches, [])
    with pytest.raises(LudometerError, match=r"pairs, row 2, player_2: no player is called '20'"):
        predict_pairs(matches, [(0, 1), (2, 20)], system=Static())


class Homely(Glicko2):
    """Glicko-2 that believes the seat is worth 100 points."""

    uses = ("advantage",)

    def expect(self, state: Any, first: Any, second: Any, seat: Any = 0) -> Any:
        rating, sd = self.ratings(state), self.uncertainty(state)
        slope = 1 / np.sqrt(1 + np.pi / 8 * (np.log(10) / 400) ** 2 * (sd[first] ** 2 + sd[second] ** 2))
        return 1 / (1 + 10 ** (-slope * (rating[first] - rating[second] + 100 * np.asarray(seat)) / 400))


def test_a_seat_moves_the_forecast_and_its_interval() -> None:
    matches = simulate_strengths(10, 2_000, seed=3)
    fixtures = Fixtures(("3", "3"), ("7", "7"), seat=np.array([1, 0], np.int8))
    found = predict_pairs(matches, fixtures, system=Homely(period_matches=1))
    home, neutral = found.forecasts.expected
    assert home > neutral + 0.02
    assert found.forecasts.interval is not None
    ends = -400 * np.log10(1 / found.forecasts.interval - 1)
    assert (ends[0] - ends[1]).tolist() == pytest.approx([100, 100])
    plain = predict_pairs(matches, fixtures, system=Glicko2(period_matches=1)).forecasts.expected
    assert plain[0] == plain[1]
