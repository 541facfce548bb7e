"""The figures of docs/skat.md are those that the benchmark stored."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "skat.md"
RESULTS = ROOT / "benchmarks" / "results" / "skat.json"
FACTORS = {
    **{name: name for name in ("none", "i1", "i2", "i1 i2")},
    "i3": "i3 own cards",
    "i3:table": "i3 all cards",
}


@pytest.fixture(scope="module")
def stored() -> Any:
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def rows_below(heading: str) -> list[list[str]]:
    """The cells of the table whose first line starts so."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(heading))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def test_the_rank_correlations_are_those_of_the_benchmark(stored: Any) -> None:
    rows = rows_below("| levels differ in | factors |")
    assert len(rows) == 12
    for place, (_, factor, *cells, gone) in enumerate(rows):
        part = stored["bidding" if place < 6 else "card play"]
        for checkpoint, cell in zip(("5", "10", "20"), cells, strict=True):
            mean, error = part["rank correlation"][FACTORS[factor]][checkpoint]
            assert cell == f"{mean:.3f} ± {error:.3f}"
        removed = part["variance of a series within levels removed"].get(FACTORS[factor])
        assert gone == ("" if removed is None else f"{100 * removed[0]:.1f}%")
    assert f"{stored['seeds']} seeds, {stored['bots']} bots" in PAGE.read_text(encoding="utf-8")


def test_the_neutrality_of_i3_is_that_of_the_benchmark(stored: Any) -> None:
    rows = rows_below("| levels differ in | factor |")
    assert len(rows) == 4
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    for place, (_, factor, *cells, p) in enumerate(rows):
        part = stored["neutrality of i3"]["bidding" if place < 2 else "bidding and card play"]
        found = part[FACTORS[factor]]
        for (mean, error), cell in zip(found["moved on"], cells, strict=True):
            shown = re.fullmatch(r"(-?\d+\.\d) ± (\d+\.\d)", cell)
            assert shown is not None
            assert float(shown[1]) == round(mean, 1)
            assert float(shown[2]) == round(error, 1)
            # the claim below the table
            assert abs(mean) < 1.2
        assert p == f"{found['moved on, p']:.2f}"
        assert f"{part['deals']:,} deals" in text
        assert f"{part['leagues']} leagues of {part['deals a league']:,} deals" in text
        assert min(error for _, error in found["as played"]) > 2.5
        assert max(error for _, error in found["as played"]) < 6
