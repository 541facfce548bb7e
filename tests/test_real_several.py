"""Real records of several players a match, rated, evaluated and predicted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ludometer.ratings import fit_best_elo
from ludometer.read import ReadOptions, read_file
from tests.cli.conftest import Run, run

__all__ = ["run"]


def test_formula_one_agrees_with_a_few_independent_lines(shared_data: Path, run: Run) -> None:
    path = shared_data / "formula1_races.parquet"
    frame = pl.read_parquet(path).sort("date", "match_id", maintain_order=True)
    rating: dict[str, float] = {}
    for _, race in frame.group_by("match_id", maintain_order=True):
        who, place = race["player"].to_list(), race["rank"].to_numpy()
        own = np.array([rating.get(name, 1500.0) for name in who])
        beaten = 1 / (1 + 10 ** ((own[np.newaxis, :] - own[:, np.newaxis]) / 400))
        expected = (beaten.sum(axis=1) - 0.5) / (len(who) - 1)
        # a player's share is how many he left behind, ties counting half
        behind = (place[np.newaxis, :] > place[:, np.newaxis]).sum(axis=1)
        level = (place[np.newaxis, :] == place[:, np.newaxis]).sum(axis=1) - 1
        score = (behind + level / 2) / (len(who) - 1)
        rating |= dict(zip(who, (own + 24 * (score - expected)).tolist(), strict=True))
    rated = json.loads(run("rate", path, "--system", "elo", "--prizes", "linear", "--json", "-").out)
    assert {p["player"]: p["rating"] for p in rated["players"]} == pytest.approx(rating, abs=1e-6)


def test_formula_one_is_no_coin(shared_data: Path, run: Run) -> None:
    path = shared_data / "formula1_races.parquet"
    document = json.loads(run("evaluate", path, "--system", "best-fit", "--from", "2000-01-01", "--json", "-").out)
    assert document["systems"][0]["log_loss"] < document["coin"]["log_loss"] - 0.5
    assert document["systems"][0]["accuracy"] > 0.3
    places = json.loads(run("predict", path, "max-verstappen", "lewis-hamilton", "fernando-alonso", "--json", "-").out)[
        "places"
    ]
    np.testing.assert_allclose(np.sum(list(places.values()), axis=0), 1, atol=1e-9)


def test_race_for_the_galaxy_fits_alike_with_and_without_its_matches_of_more(shared_data: Path) -> None:
    path = shared_data / "race_for_the_galaxy.parquet"
    two = read_file(path, ReadOptions(order="game_no", where="site = 'genie' and players = 2")).matches
    fit = fit_best_elo(two)
    # an independent fit of its largest component: 19.2, 0.451
    assert fit.k == pytest.approx(19.2, abs=0.3)
    assert fit.loss == pytest.approx(0.451, abs=0.001)
    groups = read_file(path, ReadOptions(order="game_no", by="site")).groups
    assert set(groups) == {"flex", "genie"}
    everything = fit_best_elo(groups["genie"])
    assert 10 < everything.k < 40
    assert everything.loss < everything.loss_at_zero
