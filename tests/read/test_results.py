"""Results in all the ways people write them."""

from __future__ import annotations

import pytest

from ludometer.read.columns.outcomes import parse_result


@pytest.mark.parametrize(
    ("text", "halves"),
    [
        ("1", 2), ("1.0", 2), ("0.5", 1), (".5", 1), ("0,5", 1), ("½", 1), ("0", 0), ("0.00", 0), ("1e0", 2),
        ("1-0", 2), ("0-1", 0), ("1/2-1/2", 1), ("½-½", 1), (" 1-0 ", 2), ("0.5-0.5", 1),
        ("W", 2), ("d", 1), ("L", 0), ("Win", 2), ("DRAW", 1), ("loss", 0), ("tie", 1),
        ("H", 2), ("A", 0), ("white", 2), ("Black", 0),
        ("3-1", 2), ("2:2", 1), ("0 - 4", 0), ("10–7", 2),
        ("1,0", 2), ("0,0", 0), ("3000000000-1000000000", 2),
        ("7", -1), ("abc", -1), ("*", -1), ("2", -1), ("-1", -1), ("0.7", -1), ("nan", -1), ("inf", -1),
        ("6-4 6-3", -1), ("", -1),
    ],
)  # fmt: skip
def test_a_result_is_understood_or_refused(text: str, halves: int) -> None:
    assert parse_result(text) == halves
