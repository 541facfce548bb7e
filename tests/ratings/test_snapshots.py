"""Noise from snapshots of a rating list: known noise is found, with an error that covers, by class and by lag."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError
from ludometer.ratings.noise.noise import measure_noise
from ludometer.ratings.noise.snapshots import noise_of_snapshots
from ludometer.simulate.league import LeagueGame, Season


def wander(n_players: int, n_moments: int, *, sd: float, correlation: float, seed: int, slope: float = 0.0) -> Any:
    """Ratings around constant levels whose errors decay from one snapshot to the next."""
    rng = np.random.default_rng(seed)
    level = 1500 + 300 * rng.standard_normal(n_players)
    error = sd * rng.standard_normal(n_players)
    columns: dict[str, list[Any]] = {"player": [], "time": [], "rating": []}
    for moment in range(n_moments):
        columns["player"] += [f"p{k}" for k in range(n_players)]
        columns["time"] += [moment] * n_players
        columns["rating"] += list(level + error + slope * moment)
        error = correlation * error + sd * np.sqrt(1 - correlation**2) * rng.standard_normal(n_players)
    return pl.DataFrame(columns)


def test_independent_snapshots_have_the_noise_and_its_error() -> None:
    found = [noise_of_snapshots(wander(200, 5, sd=50, correlation=0.0, seed=seed)) for seed in range(60)]
    noise = np.array([one.noise for one in found])
    stated = np.array([one.std_error for one in found], float)
    assert noise.mean() == pytest.approx(50, abs=4 * noise.std() / np.sqrt(60))
    # a sample SD of 60 has a relative error of 9%
    assert stated.mean() == pytest.approx(noise.std(ddof=1), rel=0.35)
    # SDs of five are low by 6%, as the root is not linear
    assert np.mean([one.mean_sd for one in found]) == pytest.approx(0.94 * 50, rel=0.01)


def test_correlated_snapshots_hide_noise_and_lags_find_it() -> None:
    found = noise_of_snapshots(wander(4000, 8, sd=55, correlation=0.7, seed=1))
    assert found.noise < 48
    assert found.settled is not None
    assert found.settled_std_error is not None
    assert found.correlation == pytest.approx(0.7, abs=0.03)
    assert abs(found.settled - 55) < 4 * found.settled_std_error
    assert found.settled_std_error < 2
    expected = 55 * np.sqrt(1 - 0.7 ** found.lags["lag"].to_numpy())
    np.testing.assert_allclose(found.lags["noise"].to_numpy(), expected, rtol=0.04)


def test_the_list_of_a_league_shows_the_noise_that_its_step_makes() -> None:
    game = LeagueGame(1000, sd=200, lifetimes="endless", start="truth", step=64, seed=5)
    season = Season(game)
    season.play_unseen(100_000)
    columns: dict[str, list[Any]] = {"player": [], "time": [], "rating": []}
    for moment in range(10):
        columns["player"] += range(1000)
        columns["time"] += [moment] * 1000
        columns["rating"] += (400 / np.log(10) * season.places.rating).tolist()
        season.play_unseen(8_000)
    found = noise_of_snapshots(columns)
    assert found.settled is not None
    assert found.settled_std_error is not None
    expected = measure_noise(sd=200, games=100, step=64).refined_fluctuation
    assert abs(found.settled - expected) < 4 * found.settled_std_error + 0.02 * expected
    assert found.noise < found.settled
    assert found.settled_std_error < 3


def test_classes_pool_to_the_whole() -> None:
    found = noise_of_snapshots(wander(500, 4, sd=40, correlation=0.0, seed=2), width=200)
    classes = found.classes
    assert classes["players"].sum() == found.n_players == 500
    pooled = np.sqrt(np.average(classes["noise"].to_numpy() ** 2, weights=classes["players"].to_numpy()))
    assert pooled == pytest.approx(found.noise)
    assert (classes["to"] - classes["from"]).unique().to_list() == [200.0]
    assert found.to_frame().equals(classes)
    assert "500 players in 4 snapshots" in found.summary()
    assert len(found.plot().to_dict()["layer"]) == 2


def test_learning_is_taken_out_by_each_ones_line() -> None:
    frame = wander(600, 6, sd=30, correlation=0.0, seed=3, slope=40)
    assert noise_of_snapshots(frame).noise > 70
    assert noise_of_snapshots(frame, detrend=True).noise == pytest.approx(30, rel=0.06)


def test_players_seen_once_do_not_count_and_gaps_do_not_matter() -> None:
    frame = wander(300, 6, sd=50, correlation=0.0, seed=4).sample(fraction=0.6, seed=1)
    once = pl.DataFrame({"player": ["guest"], "time": [2], "rating": [9000.0]})
    found = noise_of_snapshots(pl.concat([frame, once]))
    assert found.noise == pytest.approx(50, rel=0.1)
    assert found.noise == noise_of_snapshots(frame).noise


@pytest.mark.parametrize(
    "columns",
    [
        {"player": ["a"], "rating": [1.0]},
        {"player": ["a", "b"], "time": [1, 1], "rating": [1.0, 2.0]},
        {"player": ["a", "a"], "time": [1, 1], "rating": [1.0, 2.0]},
        {"player": ["a", "a"], "time": [1, 2], "rating": [1.0, float("nan")]},
        {"player": [], "time": [], "rating": []},
    ],
)
def test_lists_that_show_no_change_are_refused(columns: dict[str, Any]) -> None:
    with pytest.raises(LudometerError):
        noise_of_snapshots(columns)


def test_a_class_has_a_width() -> None:
    with pytest.raises(LudometerError, match="width"):
        noise_of_snapshots({"player": ["a", "a"], "time": [1, 2], "rating": [1, 2]}, width=0)
