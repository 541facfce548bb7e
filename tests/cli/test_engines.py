"""ludometer engines: from a PGN file to errors, ratings and a test."""

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
def match(tmp_path: Path) -> Path:
    """100 pairs of games; dev is about 50 points better."""
    rng = np.random.default_rng(2)
    text = []
    for number in range(100):
        names = ("dev", "base")
        for white in (0, 1):
            expected = 0.57 if white == 0 else 0.43
            chance = rng.random()
            result = "1-0" if chance < expected - 0.2 else "1/2-1/2" if chance < expected + 0.2 else "0-1"
            text.append(
                f'[Event "test"]\n[Date "2024.01.01"]\n[Round "{number + 1}"]\n[White "{names[white]}"]\n'
                f'[Black "{names[1 - white]}"]\n[Result "{result}"]\n[FEN "8/8/8/8/8/8/8/K{number}k w - - 0 1"]\n\n'
                f"1. Kb1 {result}\n\n"
            )
    path = tmp_path / "match.pgn"
    path.write_text("".join(text))
    return path


def checked(text: str) -> Any:
    document = json.loads(text)
    jsonschema.validate(document, load_schema("engines"))
    return document


def test_a_match_is_summed_up_with_its_test(run: Run, match: Path) -> None:
    done = run("engines", match, "--sprt", "0,10")
    assert done.status == 0, done.err
    assert "200 of 200 games have a partner" in done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("dev against base: 200 games, ")
    assert lines[-1].startswith("SPRT 0 against 10 Elo, pairs: LLR ")


def test_rounds_openings_and_order_find_the_same_pairs(run: Run, match: Path) -> None:
    found = [
        checked(run("engines", match, "--pairs", pairs, "--json", "-").out)["meetings"][0]["pentanomial"]
        for pairs in ("order", "round", "fen")
    ]
    assert found[0] == found[1] == found[2]
    assert sum(found[0]) == 100


def test_the_document_is_as_the_schema_says(run: Run, match: Path) -> None:
    words = ("--anchor", "base=3000", "--sprt", "0,5", "--elo", "normalised", "--pairs", "none", "--json", "-")
    document = checked(run("engines", match, *words).out)
    assert document["meetings"][0]["pentanomial"] is None
    assert document["absent"]["meetings.0.pentanomial"] == "games were counted one by one"
    assert [one["rating"] for one in document["players"] if one["anchor"]] == [3000]
    assert document["meetings"][0]["sprt"]["decision"] in ("H0", "H1", "continue")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--sprt", "2"), "write two numbers"),
        (("--sprt", "2,0"), "H1 has to lie above H0"),
        (("--alpha", "0.1"), "there is no --sprt"),
        (("--pairs", "opening"), "no such column"),
        (("--engine", "Dev"), "no player is called 'Dev'"),
        (("--pairs", "round", "--session", "round"), "leave one out"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_message(
    run: Run, match: Path, words: tuple[str, ...], message: str
) -> None:
    done = run("engines", match, *words)
    assert done.status == 2
    assert message in done.err
