"""Columns are found by name, the first match wins, and options have the last word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ludometer.errors import LudometerError
from ludometer.read import read_matches
from ludometer.read.columns.names import PairColumns, ReadOptions, SeatColumns, find_columns


def find(names: str, **options: Any) -> PairColumns | SeatColumns:
    return find_columns(names.split(), ReadOptions(**options), file="x.csv")


@pytest.mark.parametrize(
    ("names", "first", "second", "score"),
    [
        ("player_1 player_2 score_1", "player_1", "player_2", ("score_1",)),
        ("White Black Result", "White", "Black", ("Result",)),
        ("winner loser score", "winner", "loser", ()),
        ("home away home_score away_score", "home", "away", ("home_score", "away_score")),
        ("player_1 player_2 score_1 score_2", "player_1", "player_2", ("score_1", "score_2")),
        ("player_1 player_2 score_1 goals_1 goals_2", "player_1", "player_2", ("score_1",)),
        ("first second points_1 points_2", "first", "second", ("points_1", "points_2")),
        ("winner loser player_1 player_2 result", "player_1", "player_2", ("result",)),
    ],
)
def test_two_players_are_found(names: str, first: str, second: str, score: tuple[str, ...]) -> None:
    found = find(names)
    assert isinstance(found, PairColumns)
    assert (found.first, found.second, found.score) == (first, second, score)


def test_several_players_are_found() -> None:
    found = find("match_id player rank points date")
    assert found == SeatColumns("match_id", "player", "rank", None, ("date",))
    assert find("game player score") == SeatColumns("game", "player", None, "score", ())


def test_options_name_columns() -> None:
    found = find("a b c d t", first="a", second="b", score="c,d", time="t")
    assert found == PairColumns("a", "b", ("c", "d"), ("t",))
    assert find("g p r", match="g", player="p", place="r") == SeatColumns("g", "p", "r", None, ())


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (
            "a b c",
            {},
            r"cannot find the columns of the two players.*--first COLUMN --second COLUMN(.|\n)*'a', 'b', 'c'",
        ),
        ("white black x", {}, "no column holds the result.*--score"),
        ("match player x", {}, "no column holds places or scores"),
        ("white black result", {"first": "whit"}, "--first whit: no such column; did you mean 'white'"),
        ("white black result", {"score": "a,b,c"}, "names 3"),
        ("x player place", {"player": "player"}, "no column holds the match"),
    ],
)
def test_what_is_not_found_is_said_with_the_remedy(names: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(LudometerError, match=message):
        find(names, **options)


def test_time_columns_come_in_the_order_of_the_contract() -> None:
    assert find("white black result round date Time").times == ("Time", "date", "round")


def test_the_first_may_have_won_every_match(tmp_path: Path) -> None:
    path = tmp_path / "siege.csv"
    path.write_text("Sieger;Verlierer\nAnna;Ben\nBen;Cem\n", encoding="utf-8")
    matches = read_matches(path, first="Sieger", second="Verlierer", score="first-won")
    assert matches.pairs.halves.tolist() == [2, 2]
