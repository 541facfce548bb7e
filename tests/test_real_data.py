"""Real records, rated and evaluated as by an independent few lines of Python."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.cli.conftest import Run, run

__all__ = ["run"]

FILES = ["tennis_atp_1968_2017", "football_international", "chess_twic"]


def plain_elo(frame: pl.DataFrame, k: float = 24.0, start: float = 1500.0) -> tuple[dict[str, float], dict[str, float]]:
    """Ratings and scores of forecasts, match by match, with a dict and floats."""
    rating: dict[Any, float] = {}
    log_loss = brier = accuracy = 0.0
    rows = zip(
        *(frame.sort("date", maintain_order=True)[name].to_list() for name in ("player_1", "player_2", "score_1")),
        strict=True,
    )
    for i, j, s in rows:
        x, y = rating.get(i, start), rating.get(j, start)
        e = 1 / (1 + 10 ** ((y - x) / 400))
        log_loss -= s * math.log(e) + (1 - s) * math.log(1 - e)
        brier += (s - e) ** 2
        accuracy += 0.5 if s == 0.5 or e == 0.5 else (e > 0.5) == (s > 0.5)
        rating[i], rating[j] = x + k * (s - e), y - k * (s - e)
    n = len(frame)
    return {str(p): r for p, r in rating.items()}, {
        "log_loss": log_loss / n,
        "brier": brier / n,
        "accuracy": accuracy / n,
    }


@pytest.mark.parametrize("name", FILES)
def test_rate_and_evaluate_agree_with_a_few_independent_lines(shared_data: Path, run: Run, name: str) -> None:
    path = shared_data / f"{name}.parquet"
    ratings, scores = plain_elo(pl.read_parquet(path))
    rated = json.loads(run("rate", path, "--system", "elo", "--json", "-").out)
    assert {p["player"]: p["rating"] for p in rated["players"]} == pytest.approx(ratings, abs=1e-6)
    evaluated = json.loads(run("evaluate", path, "--system", "elo", "--no-tune", "--json", "-").out)["systems"][0]
    assert {key: evaluated[key] for key in scores} == pytest.approx(scores, rel=1e-9)
    assert evaluated["n"] == rated["data"]["matches"] == pl.read_parquet(path).height


def test_goals_decide_like_the_score_beside_them(shared_data: Path, run: Run) -> None:
    path = shared_data / "football_international.parquet"
    by_goals = json.loads(run("rate", path, "--system", "elo", "--score", "goals_1,goals_2", "--json", "-").out)
    frame = pl.read_parquet(path)
    score = (frame["goals_1"] > frame["goals_2"]).cast(pl.Float64) + 0.5 * (frame["goals_1"] == frame["goals_2"]).cast(
        pl.Float64
    )
    ratings, _ = plain_elo(frame.with_columns(score_1=score))
    assert {p["player"]: p["rating"] for p in by_goals["players"]} == pytest.approx(ratings, abs=1e-6)
    assert by_goals["data"]["draw_rate"] == pytest.approx((score == 0.5).sum() / len(score))


def test_filters_and_orders_count_what_they_should(shared_data: Path, run: Run) -> None:
    baseball = json.loads(
        run("rate", shared_data / "us_mlb.parquet", "--where", "season = 2015 and not playoff", "--json", "-").out
    )
    frame = pl.read_parquet(shared_data / "us_mlb.parquet").filter(pl.col("season") == 2015, ~pl.col("playoff"))
    assert baseball["data"]["matches"] == frame.height
    components = json.loads(
        run("rate", shared_data / "chess_kaggle2010.parquet", "--min-component", 5, "--json", "-").out
    )
    assert (components["data"]["matches"], components["data"]["players"]) == (64_953, 7_138)


def test_long_files_are_read_whole(shared_data: Path) -> None:
    from ludometer.read import ReadOptions, read_file

    races = read_file(shared_data / "formula1_races.parquet").matches
    assert (len(races), len(races.players)) == (1_160, 792)
    galaxy = read_file(shared_data / "race_for_the_galaxy.parquet", ReadOptions(by="site", order=("site", "game_no")))
    assert sum(map(len, galaxy.groups.values())) == 92_003


def test_pgn_headers_are_rated(shared_data: Path, run: Run) -> None:
    for name, games in (("candidates_2011", 54), ("london_classic_2011", 36), ("byrne_fischer_1956", 1)):
        done = run("rate", shared_data / "chess" / f"{name}.pgn", "--json", "-")
        text = (shared_data / "chess" / f"{name}.pgn").read_text(encoding="latin-1")
        document = json.loads(done.out)
        assert document["data"]["matches"] == text.count("[Result ") - text.count('[Result "*"]')
        assert document["data"]["matches"] == games
