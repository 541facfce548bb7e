"""The page on skill and luck, with charts described but not drawn."""

from __future__ import annotations

from typing import Any

import pytest

from ludometer.backgammon.report import skill_page
from ludometer.backgammon.skill import measure_backgammon
from tests.backgammon.backgammon_records import made_up, move


@pytest.fixture
def described(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Charts in their two forms, the first ones checked against the grammar of Vega-Lite."""
    charts: list[dict[str, Any]] = []

    def describe(chart: Any) -> str:
        charts.append(chart.to_dict(validate=len(charts) < 10))
        return "<svg></svg>"

    monkeypatch.setattr("ludometer.report.templates.to_svg", describe)
    return charts


def test_many_matches_are_listed_and_the_first_ones_drawn(described: list[dict[str, Any]]) -> None:
    sides = [(0.1, 0.2, 0.3), (0.2, 0.1, 0.3), (0.1, 0.2, -0.3), (0.2, 0.1, -0.3)] * 3
    matches = [
        made_up([[move(0, loss=a, luck=luck), move(1, loss=b)]], winners=[0], length=1, name=f"match {k} <b>")
        for k, (a, b, luck) in enumerate(sides)
    ]
    matches.append(made_up([[move(0, loss=0.1), move(1, loss=0.2)]], winners=[1], length=0, name="session"))
    text = skill_page(matches, measure_backgammon(matches), command="ludometer <script>")
    assert "Of 13 matches with a winner, skill won 3 against the dice, luck won 3 against the better play" in text
    assert "neither explains 4." in text
    assert "<script" not in text
    assert "<b>" not in text
    assert text.count("<details>") == 8
    # skill against luck, error rates, losses, luck, and two for each of eight matches, wide and narrow
    assert len(described) == 2 * (4 + 2 * 8)


def test_a_match_that_is_not_over_has_no_result(described: list[dict[str, Any]]) -> None:
    match = made_up([[move(0, loss=0.1, luck=0.2), move(1, loss=0.2)]], winners=[0], length=7)
    text = skill_page([match], measure_backgammon([match]), command="ludometer")
    assert "nobody has won" in text
    assert "not over" in text
    assert len(described) == 10


def test_a_player_without_any_error_or_luck_can_be_drawn(described: list[dict[str, Any]]) -> None:
    match = made_up([[move(0, loss=0.0), move(1, loss=0.0)]] * 5, winners=[0] * 5, length=5)
    skill_page([match], measure_backgammon([match]), command="ludometer")
    assert len(described) == 10


def test_two_matches_are_too_few_for_a_picture_of_all(described: list[dict[str, Any]]) -> None:
    match = made_up([[move(0, loss=0.1, luck=0.2), move(1, loss=0.2)]], winners=[0], length=1)
    session = made_up([[move(0, loss=0.1), move(1, loss=0.2)]], winners=[1], length=0, name="session")
    text = skill_page([match, session], measure_backgammon([match, session]), command="ludometer")
    assert "Of 2 matches with a winner" in text
    assert "One point per match" not in text
    assert len(described) == 2 * (3 + 2 * 2)
