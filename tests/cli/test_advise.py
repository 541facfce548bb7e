"""ludometer advise: matches that would tell most, as a table and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ludometer.report.schema import load_schema
from tests.cli.conftest import Run, run

__all__ = ["run"]

CLUB = Path(__file__).parents[2] / "src" / "ludometer" / "demo" / "club.csv"


def checked(text: str) -> Any:
    document = json.loads(text)
    jsonschema.validate(document, load_schema("advise"))
    return document


def test_advise_lists_matches_and_says_what_the_first_would_tell(run: Run) -> None:
    done = run("advise", CLUB, "--system", "static", "--top", "3")
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "Matches that would tell most about the ratings of all players, by static:"
    assert len(lines) == 6
    assert "would shrink the error of their difference from" in lines[-1]
    assert "rated by static" in done.err


@pytest.mark.parametrize("goal", ["ratings", "ranks", "top"])
def test_the_document_is_as_the_schema_says(run: Run, goal: str) -> None:
    document = checked(run("advise", CLUB, "--system", "glicko2", "--goal", goal, "--json", "-").out)
    assert document["goal"] == goal
    assert len(document["matches"]) == 10
    assert document["absent"] == {"player": "the matches of all players were compared"}


def test_one_player_and_groups(run: Run, tmp_path: Path) -> None:
    document = checked(run("advise", CLUB, "--system", "static", "--for", "Hana", "--json", "-").out)
    assert {match["player_1"] for match in document["matches"]} == {"Hana"}
    path = tmp_path / "two.csv"
    path.write_text("winner,loser,site\nAnn,Ben,x\nBen,Cem,x\nAnn,Ben,y\nCem,Ann,y\n")
    document = checked(run("advise", path, "--system", "static", "--by", "site", "--json", "-").out)
    assert [group["value"] for group in document["groups"]] == ["x", "y"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--system", "elo"), "elo gives no uncertainty: use static, glicko2 or state-space"),
        (("--for", "Hanna", "--system", "static"), "did you mean 'Hana'"),
        (("--min-matches", "100000", "--system", "static"), "advice needs two players"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_message(run: Run, words: tuple[str, ...], message: str) -> None:
    done = run("advise", CLUB, *words)
    assert done.status == 2
    assert message in done.err
