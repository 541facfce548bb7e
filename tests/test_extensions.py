"""A stranger's package adds a command and a rating system through entry points."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from ludometer.extensions import COMMANDS, SYSTEMS, find_extensions, load_extension

STRANGER = '''
"""A stranger's package: a greeting, and a rating system that counts wins."""

from dataclasses import dataclass
from typing import ClassVar

import click
import numpy as np

from ludometer.programs import Extra, Program
from ludometer.ratings.catalogue import Entry
from ludometer.scale import expected_score

PROGRAMS = (Program("greeting-engine", "greets aloud"),)
EXTRAS = (Extra("loud", "a loud voice", ("no-such-package",), "pip install 'stranger[loud]'"),)


@click.command("greet")
@click.argument("name")
def greet(name):
    """Greet NAME."""
    click.echo(f"hello {name}")


@dataclass(frozen=True)
class Wins:
    worth: float = 10.0
    name: ClassVar[str] = "wins"

    @property
    def parameters(self):
        return {"worth": self.worth}

    def start(self, n_players):
        return np.zeros(n_players)

    def play(self, state, matches):
        rating, pairs = np.zeros(len(matches.players)), matches.pairs
        rating[: len(state)] = state
        expected = np.empty(len(pairs))
        for n, (first, second, score) in enumerate(zip(pairs.first, pairs.second, pairs.score)):
            expected[n] = expected_score(rating[first] - rating[second])
            rating[first] += self.worth * score
            rating[second] += self.worth * (1 - score)
        return rating, expected

    def ratings(self, state):
        return state

    def expect(self, state, first, second):
        return expected_score(state[first] - state[second])


entry = Entry(Wins, {"worth": "worth"})
'''


@pytest.fixture
def stranger(tmp_path: Path) -> dict[str, str]:
    """The environment of a process in which the package is installed."""
    (tmp_path / "stranger.py").write_text(STRANGER)
    info = tmp_path / "stranger-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[{COMMANDS}]\ngreet = stranger:greet\n\n[{SYSTEMS}]\n# counts\nwins = stranger:entry\n"
    )
    (tmp_path / "games.csv").write_text("winner,loser\nAnn,Ben\nAnn,Cem\nBen,Cem\nCem,Ben\n")
    return dict(os.environ, PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))


def run(stranger: dict[str, str], *words: str) -> str:
    folder = stranger["PYTHONPATH"].partition(os.pathsep)[0]
    command = [sys.executable, "-m", "ludometer", *words]
    return subprocess.run(command, env=stranger, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_a_strangers_command_is_listed_and_runs(stranger: dict[str, str]) -> None:
    assert "greet" in run(stranger, "--help")
    assert run(stranger, "greet", "Ann") == "hello Ann\n"


def test_the_doctor_looks_for_what_a_strangers_command_needs(stranger: dict[str, str]) -> None:
    told = run(stranger, "doctor")
    assert re.search(r"^greeting-engine +not found +greets aloud$", told, re.M)
    assert re.search(r"^loud +no-such-package +not found +a loud voice$", told, re.M)
    assert "to install loud: pip install 'stranger[loud]'" in told


def test_the_schema_of_a_strangers_command_is_found_beside_it(stranger: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "greet.json").write_text('{"type": "object"}')
    assert json.loads(run(stranger, "schema", "greet")) == {"type": "object"}


def test_a_strangers_system_rates_and_is_evaluated(stranger: dict[str, str]) -> None:
    rated = json.loads(run(stranger, "rate", "games.csv", "--system", "wins:worth=5", "--json", "-"))
    assert rated["system"] == "wins"
    assert {row["player"]: row["rating"] for row in rated["players"]} == {"Ann": 10, "Ben": 5, "Cem": 5}
    scored = json.loads(run(stranger, "evaluate", "games.csv", "--system", "wins", "--system", "elo", "--json", "-"))
    assert {row["system"] for row in scored["systems"]} == {"wins", "elo"}
    compared = json.loads(run(stranger, "evaluate", "games.csv", "--json", "-"))
    assert "wins" in {row["system"] for row in compared["systems"]}


@pytest.mark.parametrize("group", [COMMANDS, SYSTEMS, "console_scripts", "pytest11"])
def test_entry_points_are_those_that_the_standard_library_finds(group: str) -> None:
    assert find_extensions(group) == {
        point.name: point.value.split("[")[0].strip() for point in entry_points(group=group)
    }


def test_the_first_distribution_on_the_search_path_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, value in (("new", "math:pi"), ("old", "math:e")):
        info = tmp_path / folder / "twice-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: twice\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(
            f"[other]\nunused = os:sep\n[constants]\nnumber = {value} [extra]\n{folder} = {value}\n"
        )
    monkeypatch.setattr(sys, "path", [str(tmp_path / "new"), str(tmp_path / "old"), *sys.path])
    find_extensions.cache_clear()
    assert find_extensions("constants") == {"number": "math:pi", "new": "math:pi"}
    assert {point.name for point in entry_points(group="constants")} == {"number", "new"}
    assert load_extension("constants", "number") > 3
    find_extensions.cache_clear()
