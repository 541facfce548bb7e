"""ludometer rate --history."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from ludometer.report.schema import load_schema
from tests.cli.conftest import Run

ROWS = """date,player_1,player_2,score_1
2019-01-01,Ann,Ben,1
2019-06-01,Ann,Cem,1
2020-01-01,Ben,Cem,0.5
2020-06-01,Cem,Ann,1
2021-01-01,Cem,Ann,1
2021-06-01,Ben,Ann,1
"""


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.csv"
    path.write_text(ROWS)
    return path


def test_history_lists_players_and_the_best_ever(run: Run, games: Path, tmp_path: Path) -> None:
    system = ("--system", "state-space:drift=200,spread=200,match_drift=0")
    output = run("rate", games, "--history", *system).out
    assert "best ever" in output
    assert "with hindsight, from 2019-01-01 to 2021-06-01" in output
    document, page = tmp_path / "h.json", tmp_path / "h.html"
    done = run("rate", games, "--history", "--at", "2019", *system, "--json", document, "--html", page)
    assert done.status == 0
    body = json.loads(document.read_text())
    jsonschema.validate(body, load_schema("rate"))
    assert {row["player"] for row in body["players"]} == {"Ann", "Ben", "Cem"}
    paths = {row["player"]: row["path"] for row in body["history"]}
    assert paths["Ann"][0]["rating"] > paths["Ann"][-1]["rating"]
    assert [point["time"] for point in paths["Ben"]] == ["2019-01-01", "2020-01-01", "2021-06-01"]
    assert sum(row["probability"] for row in body["best_ever"]) == pytest.approx(1)
    assert "The players with the highest ratings ever" in page.read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--system", "elo"], "only state-space rates with hindsight"),
        (["--since", "2020"], "leave out --since or --history"),
        (["--stream"], "leave out --stream"),
    ],
)
def test_what_a_history_cannot_go_with_is_said(run: Run, games: Path, words: list[str], message: str) -> None:
    done = run("rate", games, "--history", *words)
    assert done.status != 0
    assert message in done.err
