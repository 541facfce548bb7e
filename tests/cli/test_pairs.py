"""`predict --pairs`: many forecasts at once, as the single ones are; intervals of the win probability."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest

from ludometer.demo import CLUB
from ludometer.report.schema import load_schema
from tests.cli.conftest import Run


def checked(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    jsonschema.validate(document, load_schema("predict"))
    return document


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text("date,white,black,neutral\n2026-02-01,Dina,Wim,no\n2026-02-02,Bela,Rosa,yes\n,Wim,Dina,\n")
    return path


@pytest.mark.parametrize("system", ["elo", "static", "glicko2"])
def test_pairs_are_predicted_like_single_matches(run: Run, tmp_path: Path, pairs: Path, system: str) -> None:
    words, table = ("predict", CLUB, "--system", system), tmp_path / "t.csv"
    document = checked(run(*words, "--pairs", pairs, "--json", "-", "--csv", table).out)
    found = document["pairs"]
    assert [(one["player_1"], one["player_2"]) for one in found] == [("Dina", "Wim"), ("Bela", "Rosa"), ("Wim", "Dina")]
    assert [one["advantage"] for one in found] == [1, 0, 1]
    assert [one["time"] for one in found] == ["2026-02-01", "2026-02-02", None]
    for one in found[:2]:
        alone = checked(run(*words, one["player_1"], one["player_2"], "--json", "-").out)
        assert alone["outcomes"] == one["outcomes"]
        assert alone["expected_score"] == one["expected_score"]
        assert [player["rating"] for player in alone["players"]] == [one["rating_1"], one["rating_2"]]
    rows = pl.read_csv(table)
    assert rows["win"].to_list() == [one["outcomes"]["win"] for one in found]
    if system == "elo":
        assert {one["outcomes"]["interval"] for one in found} == {None}
        assert document["absent"] == {"pairs.outcomes.interval": "elo gives no errors of ratings in Elo points"}
        assert "win_low" not in rows.columns
        assert "95% interval" not in run(*words, "--pairs", pairs).out
        return
    for one in found:
        low, high = one["outcomes"]["interval"]
        assert 0 < low < one["outcomes"]["win"] < high < 1
    assert document["absent"] == {}
    assert rows.select("win_low", "win_high").rows() == [tuple(one["outcomes"]["interval"]) for one in found]
    assert "95% interval" in run(*words, "--pairs", pairs).out
    assert "Dina wins" in run(*words, "Dina", "Wim").out.splitlines()[1]
    assert "95% interval [" in run(*words, "Dina", "Wim").out.splitlines()[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "home,away\nDina,Wimm\nBela,Bela\n",
            "bad.csv, row 1, away: no player is called 'Wimm'; did you mean 'Wim'?\nbad.csv, row 2: 'Bela' meets",
        ),
        ("home,away\nDina,\n", "bad.csv: bad rows of 1\n  away is empty: 1 (row 1"),
        ("home,away,neutral\nDina,Wim,perhaps\n", "neutral is not yes or no: 1 (row 1: 'perhaps')"),
        ("who,whom\nDina,Wim\n", "no two columns name the players who meet: call them player_1 and player_2"),
        ("home,away\n", "the file has columns but no pairs"),
    ],
)
def test_a_bad_file_of_pairs_is_refused_with_row_and_column(run: Run, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    done = run("predict", CLUB, "--system", "elo", "--pairs", path)
    assert (done.status, done.out) == (2, "")
    assert said in done.err


def test_players_and_pairs_exclude_each_other_and_columns_may_be_named(run: Run, tmp_path: Path, pairs: Path) -> None:
    elo = ("--system", "elo")
    assert "not both" in run("predict", CLUB, "Dina", "Wim", "--pairs", pairs, *elo).err
    assert "or a file of pairs with --pairs" in run("predict", CLUB, "Dina", *elo).err
    assert "leave out --by" in run("predict", CLUB, "--pairs", pairs, "--by", "score_1", *elo).err
    assert "is the file that is read" in run("predict", CLUB, "--pairs", pairs, "--json", pairs, *elo).err
    games, named = tmp_path / "games.csv", tmp_path / "named.csv"
    games.write_text("A,B,r\n7,12,1\n12,7,1\n7,12,1\n")
    named.write_text("A,B\n12,7\n")
    done = run("predict", games, "--pairs", named, "--first", "A", "--second", "B", "--score", "r", "--json", "-", *elo)
    (pair,) = checked(done.out)["pairs"]
    assert (pair["player_1"], pair["player_2"]) == ("12", "7")
    assert pair["expected_score"] < 0.5
