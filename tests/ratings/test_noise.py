"""Noise of ratings: the printed numbers, the corrected formulas, and what a record shows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.as_printed import measure_printed_noise
from ludometer.ratings.noise.noise import (
    carry_noise,
    estimate_noise,
    mean_slope,
    measure_noise,
    optimal_step,
    settle_noise,
)
from ludometer.read import read_matches
from ludometer.simulate import simulate_coin, simulate_strengths
from ludometer.simulate.league import LeagueGame

ELO = 400 / math.log(10)


def test_the_printed_formulas_give_the_printed_numbers() -> None:
    # Smith 1994, section 7: sd 324, h = 64, G = 35
    printed = measure_printed_noise(sd=324, games=35, step=64)
    assert [f"{x:.1f}" for x in (printed.converging, printed.fluctuation, printed.total)] == ["13.5", "25.4", "28.8"]
    assert [f"{x:.1f}" for x in (printed.equal.fluctuation, printed.equal.total)] == ["37.3", "39.7"]
    assert [f"{x:.1f}" for x in (printed.optimal_step, printed.equal.optimal_step)] == ["53.0", "41.0"]
    assert f"{printed.bound:.0f}" == f"{printed.equal.bound:.0f}" == "1390"
    assert printed.to_frame()["opponents"].to_list() == ["one SD away", "equal"]
    assert "28.8" in printed.summary()
    assert printed.plot().to_dict()["mark"]["type"] == "bar"
    assert printed.provenance.parameters == {"sd": 324, "games": 35, "step": 64}


@pytest.mark.parametrize(
    ("settings", "best"),
    [
        ({"sd": 324, "games": 35}, 308),
        ({"sd": 324, "games": 200}, 129),
        ({"sd": 324, "games": 1000}, 58),
        ({"sd": 150, "games": 100}, 68),
        ({"sd": 324, "games": 159.5}, 144),
        ({"sd": 324, "games": 35, "entry_error": 150}, 134),
        ({"sd": 324, "games": 35, "entry_error": 100}, 79),
        ({"sd": 324, "games": 35, "entry_error": 60}, 35),
    ],
)
def test_the_best_step_is_the_known_one(settings: dict[str, Any], best: int) -> None:
    assert round(optimal_step(**settings)) == best
    noise = measure_noise(step=best, **settings)
    for other in (0.9 * best, 1.1 * best):
        assert measure_noise(step=other, **settings).total > noise.total


def test_the_total_is_the_formula_by_other_means() -> None:
    sd, games, step, error = 250.0, 80, 50.0, 120.0
    slope, _ = quad(lambda d: norm.pdf(d, scale=math.sqrt(2) * sd) / (4 * ELO * math.cosh(d / 2 / ELO) ** 2), -9e3, 9e3)
    ages = np.linspace(0, games, 20_001)
    settled = step * ELO / 4
    decay = np.exp(-step * slope * ages)
    mean = np.trapezoid(settled + (error**2 - settled) * decay, ages) / games
    assert measure_noise(sd=sd, games=games, step=step, entry_error=error).total == pytest.approx(math.sqrt(mean))
    longer = np.linspace(0, 60 * games, 400_001)
    weight = np.exp(-longer / games)
    decay = np.exp(-step * slope * longer)
    mean = np.trapezoid(weight * (settled + (error**2 - settled) * decay), longer) / games
    exponential = measure_noise(sd=sd, games=games, step=step, entry_error=error, lifetimes="exponential")
    assert exponential.total == pytest.approx(math.sqrt(mean), rel=1e-4)


def test_the_fluctuation_is_that_of_the_corrected_formula() -> None:
    noise = measure_noise(sd=324, games=35, step=64)
    assert f"{noise.fluctuation:.1f}" == "52.7"
    assert f"{noise.bound:.0f}" == "1390"
    # simulated: 55.3 to 55.6
    assert 55 < noise.refined_fluctuation < 56
    assert noise.to_frame()["optimal_step"].round(0).to_list() == [308]
    assert "best step 308" in noise.summary()
    assert len(noise.plot().to_dict()["layer"]) == 2


def test_large_step_terms_vanish_with_the_step() -> None:
    for step in (0.5, 0.05):
        noise = measure_noise(sd=200, games=200_000, step=step, entry_error=5)
        assert noise.refined_fluctuation == pytest.approx(noise.fluctuation, rel=step / 100)
        assert noise.refined_total == pytest.approx(noise.total, rel=0.005)


def test_moments_by_stages_equal_moments_game_by_game() -> None:
    sd, step, games, error = 1.5, 0.4, 60, 1.0
    skill, slope = sd * sd, mean_slope(2 * sd * sd)
    others = np.array([error**2, -(error**2)])
    rng = np.random.default_rng(1)
    first, second = rng.standard_normal((2, 40_000))
    for _ in range(6):
        v, c, path = error**2, -(error**2), []
        for _ in range(games):
            path.append((v, c))
            rated = 2 * skill + 2 * c + v + 2 * others[1] + others[0]
            shared = 2 * skill + c + others[1]
            change = mean_slope(rated)
            gap = math.sqrt(rated) * first
            truth = shared / math.sqrt(rated) * first
            truth = truth + math.sqrt(2 * skill - shared**2 / rated) * second
            forecast, expected = 1 / (1 + np.exp(-gap)), 1 / (1 + np.exp(-truth))
            miss = float(np.mean(expected * (1 - expected) + (expected - forecast) ** 2))
            v, c = (
                v + 2 * step * (c * slope - (c + v) * change) + step**2 * miss,
                c + step * (skill * slope - (skill + c) * change),
            )
        others = np.array(path).mean(axis=0)
    staged = carry_noise(sd=sd, step=step, games=games, entry_error=error, exponential=False)
    assert staged == pytest.approx(math.sqrt(others[0]), rel=0.01)


def test_those_who_stay_long_enough_settle() -> None:
    settled = settle_noise(sd=1.0, step=0.3)
    assert carry_noise(sd=1.0, step=0.3, games=20_000, entry_error=0.5, exponential=False) == pytest.approx(
        settled, rel=0.01
    )


@pytest.mark.parametrize(
    ("settings", "tolerance"),
    [
        ({"n_players": 600, "sd": 200, "games": 60}, 0.1),
        ({"n_players": 600, "sd": 60, "games": 60}, 0.1),
        ({"n_players": 600, "sd": 200, "games": 60, "matchmaking": "rating"}, 0.1),
    ],
)
def test_a_record_shows_the_sd_of_its_skills_and_the_mean_games(settings: dict[str, Any], tolerance: float) -> None:
    league = LeagueGame(seed=3, **settings).play(20_000)
    noise = estimate_noise(league.matches, step=32)
    played = league.played > 0
    assert noise.sd == pytest.approx(math.sqrt(np.cov(league.skill, fweights=league.played)), rel=tolerance)
    assert noise.games == pytest.approx(league.played[played].mean())
    assert noise.optimal_step == pytest.approx(optimal_step(sd=noise.sd, games=noise.games))
    assert noise.provenance.data == league.matches.fingerprint


def test_draws_do_not_narrow_skills_and_a_coin_has_none() -> None:
    drawn = estimate_noise(simulate_strengths(300, 15_000, sd=200, draws=0.3, seed=4), step=32)
    assert drawn.sd == pytest.approx(200, rel=0.1)
    assert estimate_noise(simulate_coin(300, 15_000, seed=4), step=32).sd < 25


def test_chess_players_spread_less_than_smiths_server_and_play_few_games(shared_data: Path) -> None:
    matches = read_matches(shared_data / "chess_kaggle2010.parquet")
    noise = estimate_noise(matches, step=48)
    assert noise.games == pytest.approx(2 * len(matches) / (matches.counts > 0).sum())
    assert 100 < noise.sd < 250
    assert noise.fluctuation < noise.total < noise.sd


@pytest.mark.parametrize(
    "settings",
    [
        {"sd": 0},
        {"sd": math.nan},
        {"games": 0.5},
        {"step": 0},
        {"step": 1400},
        {"entry_error": 0},
        {"lifetimes": "long"},
    ],
)
def test_what_is_no_league_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(LudometerError):
        measure_noise(**({"sd": 200, "games": 50, "step": 32} | settings))


def test_no_matches_have_no_noise() -> None:
    with pytest.raises(MatchDataError):
        estimate_noise(Matches.of_pairs([], [], []), step=32)
