"""ludometer arena: from an arena's file to ratings, effects and a document as the schema says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from ludometer.report.schema import load_schema
from tests.cli.conftest import Run, run

__all__ = ["run"]


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    """400 votes on four models, m0 the best, longer answers preferred."""
    rng = np.random.default_rng(0)
    lines = ["model_a,model_b,winner,judge,topic,length_a,length_b"]
    for _ in range(400):
        a, b = rng.choice(4, 2, replace=False)
        own, other = rng.integers(50, 400, 2)
        d = 0.8 * (b - a) + 0.5 * np.log2(own / other)
        word = "tie" if rng.random() < 0.2 else "model_a" if rng.random() < 1 / (1 + np.exp(-d)) else "model_b"
        lines.append(f"m{a},m{b},{word},j{rng.integers(2)},{['code', 'prose'][rng.integers(2)]},{own},{other}")
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def checked(text: str) -> Any:
    document = json.loads(text)
    jsonschema.validate(document, load_schema("arena"))
    return document


def test_arena_lists_models_with_intervals_ranks_and_effects(run: Run, votes: Path) -> None:
    done = run("arena", votes, "--seat-covariates", "length", "--contrast", "length=doubling", "--advantage", "order")
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "400 matches of 4 players, robust errors"
    assert lines[2].startswith("m0")
    assert any(line.startswith("length ") and line.endswith("doubling") for line in lines)


def test_the_document_is_as_the_schema_says(run: Run, votes: Path) -> None:
    words = ("--covariates", "judge", "--anchor", "m3=1000", "--json", "-")
    document = checked(run("arena", votes, *words).out)
    assert [player["rating"] for player in document["players"] if player["anchor"]] == [1000]
    assert {effect["name"] for effect in document["effects"]} == {
        "first seat",
        "first seat, judge j0",
        "first seat, judge j1",
    }
    by_topic = checked(
        run("arena", votes, "--by", "topic", "--errors", "bootstrap", "--draws", "50", "--json", "-").out
    )
    assert {group["value"] for group in by_topic["groups"]} == {"code", "prose"}
    assert by_topic["provenance"]["seed"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--anchor", "m0"), "write a name and its rating"),
        (("--anchor", "m9=1000"), "no player is called 'm9'"),
        (("--contrast", "length=log"), "difference, relative, doubling"),
        (("--seat-covariates", "width"), "no such column"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_message(
    run: Run, votes: Path, words: tuple[str, ...], message: str
) -> None:
    done = run("arena", votes, *words)
    assert done.status == 2
    assert message in done.err
    assert "Traceback" not in done.err


def test_every_other_command_reads_votes_too(run: Run, votes: Path) -> None:
    for words in (("rate", votes), ("predict", votes, "m0", "m1")):
        assert run(*words).status == 0
