"""Rating systems on real records: best-fit Elo by an independent few lines, and nobody worse than a coin."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ludometer.ratings import BestFit, evaluate
from ludometer.ratings.systems.calibrated import Calibrated
from ludometer.ratings.systems.dynamic import Dynamic, DynamicShrinking
from ludometer.ratings.systems.elo import Elo
from ludometer.ratings.systems.glicko2 import Glicko2
from ludometer.ratings.systems.ics import InternetChess
from ludometer.ratings.systems.smith import Smith
from ludometer.read import read_matches

FILES = {"tennis_atp_1968_2017": 46.95, "football_international": 37.8}
"""The record and its best k, fitted independently (the README beside the data)."""


def plain_log_loss(frame: pl.DataFrame, k: float) -> float:
    """Elo match by match with a dict and floats."""
    rating: dict[Any, float] = {}
    loss = 0.0
    ordered = frame.sort("date", maintain_order=True)
    for i, j, s in ordered.select("player_1", "player_2", "score_1").iter_rows():
        x, y = rating.get(i, 0.0), rating.get(j, 0.0)
        e = 1 / (1 + 10 ** ((y - x) / 400))
        loss -= s * math.log(e) + (1 - s) * math.log(1 - e)
        rating[i], rating[j] = x + k * (s - e), y - k * (s - e)
    return loss / len(frame)


@pytest.mark.parametrize("name", FILES)
def test_systems_predict_real_matches_better_than_a_coin(shared_data: Path, name: str) -> None:
    path = shared_data / f"{name}.parquet"
    matches = read_matches(path)
    systems: list[Any] = [
        Elo(),
        BestFit(),
        Calibrated(Dynamic()),
        Calibrated(DynamicShrinking()),
        InternetChess(),
        Smith(),
        Glicko2(),
    ]
    result = evaluate(matches, systems=systems, tune=False)
    scores = {score.system: score for score in result.systems}
    assert len(scores) == len(systems)
    for score in scores.values():
        assert score.log_loss < result.coin.log_loss - 0.05
        assert score.accuracy > 0.6
    best_fit = scores["best-fit"]
    assert best_fit.parameters["k"] == pytest.approx(FILES[name], rel=2e-3)
    frame = pl.read_parquet(path)
    assert best_fit.log_loss == pytest.approx(plain_log_loss(frame, best_fit.parameters["k"]), rel=1e-9)
    # the step with the least log loss cannot be worse than that with the least squared error
    assert scores["dynamic"].log_loss <= best_fit.log_loss
    assert scores["dynamic"].parameters["h"] == pytest.approx(2 * FILES[name], rel=0.1)


def test_all_of_the_catalogue_rates_football(shared_data: Path) -> None:
    matches = read_matches(shared_data / "football_international.parquet").part(30_000, 40_000)
    result = evaluate(matches)
    assert not result.left_out
    assert len(result.systems) == 9
    assert all(score.log_loss < result.coin.log_loss for score in result.systems)
    assert result.coin.difference > 10 * result.coin.difference_se
