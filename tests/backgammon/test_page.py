"""The page on skill and luck, with charts described but not drawn."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ludometer.backgammon.report import page as backgammon_page
from ludometer.backgammon.report.page import write_backgammon_page
from ludometer.backgammon.skill import measure_backgammon
from tests.backgammon.backgammon_records import made_up, move


@pytest.fixture
def described(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Charts in their two forms, the first of each kind checked against the grammar of Vega-Lite."""
    charts: list[dict[str, Any]] = []
    checked: set[str] = set()

    def describe(draw: partial[Any], caption: str) -> str:
        assert caption.endswith(".")
        name = draw.func.__name__
        charts.extend(draw(narrow=narrow).to_dict(validate=name not in checked) for narrow in (False, True))
        checked.add(name)
        return "<svg></svg>"

    monkeypatch.setattr(backgammon_page, "figure", describe)
    return charts


def test_many_matches_are_listed_and_the_first_ones_drawn(tmp_path: Path, described: list[dict[str, Any]]) -> None:
    sides = [(0.1, 0.2, 0.3), (0.2, 0.1, 0.3), (0.1, 0.2, -0.3), (0.2, 0.1, -0.3)] * 3
    matches = [
        made_up([[move(0, loss=a, luck=luck), move(1, loss=b)]], winners=[0], length=1, name=f"match {k} <b>")
        for k, (a, b, luck) in enumerate(sides)
    ]
    matches.append(made_up([[move(0, loss=0.1), move(1, loss=0.2)]], winners=[1], length=0, name="session"))
    page = tmp_path / "page.html"
    write_backgammon_page(matches, measure_backgammon(matches), page, command="ludometer <script>")
    text = page.read_text()
    assert (
        "Of 13 matches with a winner, 3 were won by skill against the dice, 3 by luck against the better play" in text
    )
    assert "4 are accounted for by neither" in text
    assert "<script" not in text
    assert "<b>" not in text
    assert text.count("<details>") == 8
    # skill against luck, error rates, losses, luck, and two for each of eight matches, wide and narrow
    assert len(described) == 2 * (4 + 2 * 8)


def test_a_match_that_is_not_over_has_no_result(tmp_path: Path, described: list[dict[str, Any]]) -> None:
    match = made_up([[move(0, loss=0.1, luck=0.2), move(1, loss=0.2)]], winners=[0], length=7)
    page = tmp_path / "page.html"
    write_backgammon_page([match], measure_backgammon([match]), page, command="ludometer")
    text = page.read_text()
    assert "nobody has won" in text
    assert "not over" in text
    assert len(described) == 10


def test_a_player_without_any_error_or_luck_can_be_drawn(tmp_path: Path, described: list[dict[str, Any]]) -> None:
    match = made_up([[move(0, loss=0.0), move(1, loss=0.0)]] * 5, winners=[0] * 5, length=5)
    write_backgammon_page([match], measure_backgammon([match]), tmp_path / "page.html", command="ludometer")
    assert len(described) == 10
