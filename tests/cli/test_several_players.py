"""Commands on files with several players a match: prizes from rules, numbers, columns and tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from ludometer.demo import CLUB
from ludometer.read import read_matches
from ludometer.report.schema import load_schema
from tests.cli.conftest import Run


def checked(command: str, text: str) -> dict[str, Any]:
    """The JSON that a command wrote, held against its schema."""
    document: dict[str, Any] = json.loads(text)
    jsonschema.validate(document, load_schema(command))
    return document


@pytest.fixture
def races(tmp_path: Path) -> Path:
    """200 races of two to six of eight drivers; what they won is linear in the place."""
    rng = np.random.default_rng(3)
    lines = ["race,date,player,place,won"]
    for race in range(200):
        n = int(rng.integers(2, 7))
        drivers = rng.permutation(8)[:n]
        order = np.argsort(-(0.4 * drivers + rng.gumbel(size=n)))
        for place, driver in enumerate(drivers[order], 1):
            lines.append(f"{race},{2000 + race // 10},{'ABCDEFGH'[driver]},{place},{(n - place) * 10 or ''}")
    path = tmp_path / "races.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def ratings(run: Run, path: Path, *words: object) -> dict[str, float]:
    done = run("rate", path, "--match", "race", "--json", "-", *words)
    assert done.status == 0, done.err
    return {player["player"]: player["rating"] for player in checked("rate", done.out)["players"]}


def test_prizes_change_the_ratings_and_are_told(run: Run, races: Path) -> None:
    winner, linear = ratings(run, races), ratings(run, races, "--prizes", "linear")
    assert winner != linear
    assert winner == ratings(run, races, "--prizes", "winner")
    words = ("--match", "race", "--json", "-", "--prizes", "linear", "--system", "elo")
    document = checked("rate", run("rate", races, *words).out)
    assert document["parameters"] == {"k": 24.0, "start_rating": 1500.0, "prizes": "linear"}


def test_a_column_of_prizes_equals_the_rule_that_made_it(run: Run, races: Path) -> None:
    linear = ratings(run, races, "--prizes", "linear")
    assert ratings(run, races, "--prizes", "won") == pytest.approx(linear, abs=1e-9)
    matches = read_matches(races, match="race", prizes="won")
    assert matches.seats.prize is not None


def test_a_table_and_a_list_of_prizes_agree(run: Run, races: Path, tmp_path: Path) -> None:
    table = tmp_path / "prizes.csv"
    table.write_text("place,prize\n1,5\n2,3\n3,2\n")
    by_table = ratings(run, races, "--prizes", table)
    assert by_table == ratings(run, races, "--prizes", "5,3,2") == ratings(run, races, "--prizes", "top-heavy")


def test_unknown_prizes_are_one_clear_error(run: Run, races: Path) -> None:
    done = run("rate", races, "--match", "race", "--prizes", "wonn")
    assert done.status == 2
    assert "--prizes wonn: no such column; did you mean 'won'?" in done.err
    assert run("rate", races, "--match", "race", "--prizes", "1,2").status == 2
    assert run("rate", races, "--match", "race", "--prizes", "absent.csv").status == 2
    rising = run("rate", races, "--match", "race", "--prizes", "place")
    assert rising.status == 2
    assert "prizes place: a later place has a larger prize: 200 of 200 matches" in rising.err


def test_base_e_widens_the_scale(run: Run, races: Path) -> None:
    words = ("--system", "best-fit", "--prizes", "linear")
    usual, printed = ratings(run, races, *words), ratings(run, races, *words, "--base", "e")
    assert printed["H"] == pytest.approx(np.log(10) * usual["H"], rel=1e-3)
    two = run("rate", CLUB, "--base", "e")
    assert two.status == 2
    assert "two-player matches need base 10" in two.err


def test_evaluate_scores_matches_of_several(run: Run, races: Path) -> None:
    words = ("--match", "race", "--prizes", "linear", "--system", "elo:k=8", "--system", "best-fit")
    document = checked("evaluate", run("evaluate", races, "--json", "-", *words).out)
    assert {system["parameters"]["prizes"] for system in document["systems"]} == {"linear"}
    assert document["systems"][0]["log_loss"] < document["coin"]["log_loss"]
    assert min(row["from"] for system in document["systems"] for row in system["calibration"]) < 1
    assert "favourite expected" in run("evaluate", races, *words).out


def test_predict_gives_places_of_three_and_results_of_two(run: Run, races: Path) -> None:
    document = checked("predict", run("predict", races, "A", "E", "H", "--match", "race", "--json", "-").out)
    places = document["places"]
    assert list(places) == ["A", "E", "H"]
    assert [sum(row) for row in places.values()] == pytest.approx([1, 1, 1])
    assert places["H"][0] > places["A"][0]
    assert "outcomes" not in document
    two = checked("predict", run("predict", races, "A", "H", "--match", "race", "--json", "-").out)
    assert sum(two["outcomes"][outcome] for outcome in ("win", "draw", "loss")) == pytest.approx(1)
    assert "places" not in two
    assert "mean place" in run("predict", races, "A", "E", "H", "--match", "race").out
    assert run("predict", races, "A", "--match", "race").status == 2
