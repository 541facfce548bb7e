"""Every command studies its file first: repeats are divided and reported, or kept on request; doubt is asked about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest

from ludometer.demo import CLUB
from ludometer.report.schema import load_schema
from tests.cli.conftest import Run


def turned(rows: pl.DataFrame) -> pl.DataFrame:
    """From the other player's side."""
    swapped = rows.rename({"player_1": "player_2", "player_2": "player_1"})
    return swapped.with_columns(score_1=1 - pl.col("score_1")).select(rows.columns)


@pytest.fixture
def exports(tmp_path: Path) -> dict[str, Path]:
    """The club's file as platforms export it: from both sides, and in two exports that overlap."""
    club = pl.read_csv(CLUB, try_parse_dates=True)
    mirrored = pl.concat([club.with_row_index(), turned(club).with_row_index()]).sort("index", maintain_order=True)
    found = {"mirrored": mirrored.drop("index"), "overlapping": pl.concat([club[:900], club[700:]])}
    found["untimed"] = found["mirrored"].drop("date")
    paths = {name: tmp_path / f"{name}.csv" for name in found}
    for name, rows in found.items():
        rows.write_csv(paths[name])
    return paths


def measured(run: Run, *words: object) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(run("measure", *words, "--quick", "--json", "-").out)
    jsonschema.validate(document, load_schema("measure"))
    return document


def test_an_export_is_measured_like_the_original(run: Run, exports: dict[str, Path]) -> None:
    original = measured(run, CLUB)
    assert original.pop("record")["repeats"] == {"kind": "none", "factor": 1, "found": 0, "dropped": 0}
    for name, dropped in (("mirrored", 1_500), ("overlapping", 200)):
        document = measured(run, exports[name])
        assert document.pop("record")["repeats"] == {"kind": name, "factor": 2, "found": dropped, "dropped": dropped}
        for own in (document, original):
            own["provenance"].pop("command", None)
        assert document == original


def test_it_is_said_and_can_be_kept(run: Run, exports: dict[str, Path]) -> None:
    done = run("measure", exports["untimed"], "--quick")
    assert "1,500 rows repeat a match from the other player's side; left out" in " ".join(done.err.split())
    kept = measured(run, exports["mirrored"], "--repeats", "keep")
    assert kept["data"]["matches"] == 3_000
    assert kept["record"]["repeats"] == {"kind": "mirrored", "factor": 2, "found": 1_500, "dropped": 0}


def test_ratings_rest_on_every_match_once(run: Run, exports: dict[str, Path]) -> None:
    words = ("--system", "elo", "--json", "-")
    original = json.loads(run("rate", CLUB, *words).out)
    document = json.loads(run("rate", exports["mirrored"], *words).out)
    assert document["data"]["matches"] == 1_500
    assert document["players"] == original["players"]


def test_doubt_is_asked_about(run: Run, exports: dict[str, Path]) -> None:
    rows = pl.read_csv(exports["mirrored"])
    score = rows["score_1"].to_numpy().copy()
    score[1::90] = 1 - score[1::90]
    # draws stay draws: one view in 30 or 40 contradicts the other
    rows.with_columns(score_1=np.where(score == 0.5, 0.5, score)).write_csv(exports["mirrored"])
    done = run("rate", exports["mirrored"])
    assert done.status == 2
    assert "--match" in done.err
    assert "--repeats drop" in " ".join(done.err.split())
    assert run("rate", exports["mirrored"], "--repeats", "drop").status == 0
