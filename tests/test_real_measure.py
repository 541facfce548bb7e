"""Real records measured: the numbers of the specification, and those of the paper where it had the same source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest

from ludometer.report.documents import load_schema
from tests.cli.conftest import Run, run

__all__ = ["run"]


def measured(run: Run, path: Path) -> dict[str, Any]:
    done = run("measure", path, "--quick", "--json", "-")
    assert done.status == 0, done.err
    document: dict[str, Any] = json.loads(done.out)
    jsonschema.validate(document, load_schema("measure"))
    return document


def test_tennis_has_the_numbers_of_the_specification(shared_data: Path, run: Run) -> None:
    document = measured(run, shared_data / "tennis_atp_1968_2017.parquet")
    data, fit, (regulars, *_) = document["data"], document["best_fit"], document["spread"]
    assert (data["matches"], data["players"], data["regulars"]) == (733_846, 24_490, 7_025)
    assert fit["k"] == pytest.approx(46.95, abs=0.3)
    assert fit["loss"] == pytest.approx(0.4084, abs=0.0003)
    assert fit["loss_at_zero"] == pytest.approx(0.5)
    assert fit["passes"] == 4
    assert (regulars["min_matches"], regulars["n"]) == (25, 7_025)
    assert regulars["sd"] == pytest.approx(217.9, abs=0.5)
    assert regulars["max"] == pytest.approx(1445, abs=3)
    assert document["matchmaking"]["mean_rating_difference"] == pytest.approx(159.4, abs=0.5)
    assert document["persistence"]["slope"] == pytest.approx(0.5956, abs=0.002)
    assert document["persistence"]["std_error"] == pytest.approx(0.0068, abs=0.0002)


def test_tennis_is_close_to_the_paper(shared_data: Path, run: Run) -> None:
    # Duersch et al. 2020, Tables 2 to 4 and appendix, on the state of the same source in 2017
    document = measured(run, shared_data / "tennis_atp_1968_2017.parquet")
    assert document["best_fit"]["k"] == pytest.approx(48.1, rel=0.03)
    assert document["best_fit"]["loss"] == pytest.approx(0.411, abs=0.003)
    assert document["spread"][0]["sd"] == pytest.approx(218.8, rel=0.01)
    assert document["spread"][0]["p_sd"] == pytest.approx(0.779, abs=0.002)
    assert document["spread"][0]["rep"] == 1
    assert document["persistence"]["slope"] == pytest.approx(0.597, abs=0.002)
    assert document["persistence"]["r2"] == pytest.approx(0.026, abs=0.002)


def test_chess_has_the_numbers_of_the_specification(shared_data: Path, run: Run) -> None:
    document = measured(run, shared_data / "chess_twic.parquet")
    assert document["data"]["matches"] == 2_288_849
    assert document["best_fit"]["k"] == pytest.approx(49.7, abs=0.4)
    assert document["spread"][0]["sd"] == pytest.approx(157.4, abs=0.5)


def test_football_has_the_numbers_of_an_independent_few_lines(shared_data: Path, run: Run) -> None:
    path = shared_data / "football_international.parquet"
    document = measured(run, path)
    assert document["best_fit"]["k"] == pytest.approx(37.8, abs=0.05)
    assert document["best_fit"]["loss"] == pytest.approx(0.301, abs=0.0005)
    assert document["spread"][0]["sd"] == pytest.approx(247, abs=0.5)
    k, loss = document["best_fit"]["k"], 0.0
    rating: dict[str, float] = {}
    played: dict[str, int] = {}
    rows = pl.read_parquet(path).sort("date", maintain_order=True).select("player_1", "player_2", "score_1")
    assert document["data"]["dropped_matches"] == 0 or document["data"]["matches"] < len(rows)
    kept = largest_component(rows)
    for i, j, s in rows.iter_rows():
        if i in kept:
            x, y = rating.get(i, 0.0), rating.get(j, 0.0)
            miss = s - 1 / (1 + 10 ** ((y - x) / 400))
            loss += 2 * miss * miss
            rating[i], rating[j] = x + k * miss, y - k * miss
            played[i], played[j] = played.get(i, 0) + 1, played.get(j, 0) + 1
    regulars = [rating[player] for player in rating if played[player] >= 25]
    assert document["best_fit"]["loss"] == pytest.approx(loss / document["data"]["matches"], rel=1e-9)
    assert document["spread"][0]["n"] == len(regulars)
    assert document["spread"][0]["sd"] == pytest.approx(np.std(regulars, ddof=1), rel=1e-9)
    assert document["spread"][0]["q99"] == pytest.approx(np.quantile(regulars, 0.99), rel=1e-9)


def largest_component(rows: pl.DataFrame) -> set[str]:
    """Spread a label along the matches until nothing changes."""
    met: dict[str, set[str]] = {}
    for i, j in rows.select("player_1", "player_2").iter_rows():
        met.setdefault(i, set()).add(j)
        met.setdefault(j, set()).add(i)
    parts: list[set[str]] = []
    while met:
        part, border = set(), {next(iter(met))}
        while border:
            part |= border
            border = set().union(*(met.pop(player) for player in border)) - part
        parts.append(part)
    return max(parts, key=len)
