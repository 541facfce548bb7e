"""Sides of several players: one column each, several names in a cell, or one row per player."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.read import ReadOptions, read_file, read_matches, stream_matches
from ludometer.read.columns.teams import padded

DOUBLES = (["Ann", "Cem", "Ann"], ["Ben", "Dan", None], ["Cem", "Ben", "Ben"], ["Dan", "Eve", "Eve"])
FAMILIES = [
    ("player_1a", "player_1b", "player_2a", "player_2b"),
    ("player1_1", "player1_2", "player2_1", "player2_2"),
    ("Player A1", "Player A2", "Player B1", "Player B2"),
    ("team1_player1", "team1_player2", "team2_player1", "team2_player2"),
    ("team_a_player_1", "team_a_player_2", "team_b_player_1", "team_b_player_2"),
    ("home_player_1", "home_player_2", "away_player_1", "away_player_2"),
]


def table(names: tuple[str, ...], **more: Any) -> pl.DataFrame:
    return pl.DataFrame(dict(zip(names, DOUBLES, strict=True)) | more)


def seats(matches: Matches) -> list[list[tuple[str, int, str]]]:
    """Players, places and sides of each match."""
    assert matches.side is not None
    names, sides, own = matches.players.names.to_list(), matches.side.text.to_list(), matches.seats
    return [
        [(names[own.player[seat]], int(own.place[seat]), sides[seat]) for seat in range(start, stop)]
        for start, stop in zip(own.starts[:-1].tolist(), own.starts[1:].tolist(), strict=True)
    ]


EXPECTED = [
    [("Ann", 1, "1"), ("Ben", 1, "1"), ("Cem", 3, "2"), ("Dan", 3, "2")],
    [("Cem", 3, "1"), ("Dan", 3, "1"), ("Ben", 1, "2"), ("Eve", 1, "2")],
    # sides may differ in size
    [("Ann", 1, "1"), ("Ben", 1, "2"), ("Eve", 1, "2")],
]


@pytest.mark.parametrize("names", FAMILIES)
def test_one_column_per_player(names: tuple[str, ...]) -> None:
    matches = read_matches(table(names, result=["W", "L", "D"]))
    assert seats(matches) == EXPECTED
    assert matches.has_teams
    assert matches.advantage == ("order" if names[0].startswith("home") else "none")


@pytest.mark.parametrize(
    "names",
    [("winner_1", "winner_2", "loser_1", "loser_2"), ("winner1_name", "winner2_name", "loser1_name", "loser2_name")],
)
def test_winners_and_losers(names: tuple[str, ...]) -> None:
    matches = read_matches(table(names, score=["6-4 6-3", "7-5 6-1", "6-0 6-0"]))
    assert [[place for _, place, _ in match] for match in seats(matches)] == [[1, 1, 3, 3], [1, 1, 3, 3], [1, 2, 2]]


@pytest.mark.parametrize("words", [("1", "2", "draw"), ("Team 1", "team 2", "tie"), ("A", "B", "0")])
def test_the_winner_may_be_a_side(words: tuple[str, ...]) -> None:
    assert seats(read_matches(table(FAMILIES[0], winner=words))) == EXPECTED


def test_columns_may_be_named() -> None:
    frame = table(("x", "y", "z", "u"), result=["W", "L", "D"])
    assert seats(read_matches(frame, first="x,y", second="z, u")) == EXPECTED
    reading = read_file(frame, ReadOptions(first="x,y", second="z,u"))
    assert reading.columns == "x + y, z + u, result"
    with pytest.raises(LudometerError, match=r"--second w: no such column"):
        read_matches(frame, first="x,y", second="z,w")


@pytest.mark.parametrize(("mark", "separator"), [("/", "/"), ("&", " & "), (";", ";"), (" and ", " and ")])
def test_names_in_one_cell_are_split_on_request(mark: str, separator: str) -> None:
    first = [f"Ann{mark} Ben", f"Cem {mark}Dan", "Ann"]
    second = [f"Cem{mark}Dan", f"Ben{mark}Eve", f"Ben {mark} Eve"]
    frame = pl.DataFrame({"player_1": first, "player_2": second, "result": ["W", "L", "D"]})
    assert seats(read_matches(frame, split_names=separator)) == EXPECTED
    assert len(read_matches(frame).players) == 6


def test_a_word_between_names_is_not_looked_for_within_them() -> None:
    frame = pl.DataFrame({"winner": ["Sandy and Ben"], "loser": ["Cem"]})
    assert read_matches(frame, split_names=" and ").players.names.to_list() == ["Sandy", "Ben", "Cem"]


def test_batches_may_hold_more_names_than_others() -> None:
    joined = padded([np.array([[1]], np.int32), np.array([[2, 3], [4, -1]], np.int32)])
    assert joined.tolist() == [[1, -1], [2, 3], [4, -1]]


def test_names_that_look_like_several_players_are_noted() -> None:
    frame = pl.DataFrame({"winner": ["Ann/Ben", "Cem/Dan"], "loser": ["Cem/Dan", "Eve/Fay"]})
    assert read_file(frame).notes == (
        "most names look like several players, such as 'Ann/Ben': each counts as one player; to rate the players: "
        '--split-names "/"',
    )
    assert not read_file(frame, ReadOptions(split_names="/")).notes
    # a hyphen and a comma are parts of names
    plain = pl.DataFrame({"winner": ["Ann-Lee Low", "Low, Ann"], "loser": ["Eve, Fay", "Fay-Eve"]})
    assert not read_file(plain).notes


def test_scores_belong_to_sides_and_minutes_to_players() -> None:
    names = FAMILIES[0]
    minutes = {f"minutes_{own[-2:]}": [90, 45, 10 * seat] for seat, own in enumerate(names)}
    frame = table(names, score_1=[3, 0, 1], score_2=[1, 2, 1], **minutes)
    matches = read_matches(frame, keep="score", seat_covariates="minutes")
    assert matches.score is not None
    assert matches.score.tolist() == [3, 3, 1, 1, 0, 0, 2, 2, 1, 1, 1]
    assert matches.seat_covariates["minutes"].tolist() == [90] * 4 + [45] * 4 + [0, 20, 30]  # type: ignore[union-attr]
    shares = table(("winner_1", "winner_2", "loser_1", "loser_2"), **{f"winner_{i}_share": [0.5] * 3 for i in (1, 2)})
    shares = shares.with_columns(loser_1_share=pl.lit(0.25), loser_2_share=pl.lit(0.75))
    assert read_matches(shares, seat_covariates="share").seat_covariates["share"].tolist()[:4] == [0.5, 0.5, 0.25, 0.75]  # type: ignore[union-attr]


def test_sides_may_have_names_and_matches_times() -> None:
    frame = table(FAMILIES[0], result=["W", "L", "D"], date=["2024-03-01", "2024-01-01", "2024-02-01"])
    frame = frame.with_columns(team_1=pl.lit("Reds"), team_2=pl.lit("Blues"))
    matches = read_matches(frame, side="team")
    assert [match[0] for match in seats(matches)] == [("Cem", 3, "Reds"), ("Ann", 1, "Reds"), ("Ann", 1, "Reds")]


def test_sides_of_one_player_each_are_pairs() -> None:
    frame = pl.DataFrame({"player_1": ["Ann", "Ben"], "player_2": ["Ben", "Ann"], "result": ["1-0", "0-1"]})
    matches = read_matches(frame, split_names="/")
    assert matches.pairs.score.tolist() == [1, 0]
    assert not matches.has_teams


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("player_2a", ["Ann", "Ben", "Ben"], r"a player plays on both sides: 1 \(row 1: 'Ann'\)"),
        ("player_1b", ["Ann", "Dan", None], r"a player appears twice on one side: 1 \(row 1: 'Ann'\)"),
        ("result", ["W", "x", "D"], r"cannot read this result .*: 1 \(row 2: 'x'\)"),
    ],
)
def test_faults_name_row_and_value(column: str, values: list[str], message: str) -> None:
    frame = table(FAMILIES[0], result=["W", "L", "D"]).with_columns(pl.Series(column, values))
    with pytest.raises(LudometerError, match=message):
        read_matches(frame)
    assert len(read_matches(frame, drop_bad_rows=True)) == 2


def test_a_side_without_players_is_a_fault() -> None:
    frame = table(FAMILIES[0], result=["W", "L", "D"]).with_columns(player_1a=pl.Series(["Ann", "Cem", ""]))
    with pytest.raises(LudometerError, match=r"player_1a and player_1b are missing: 1 \(row 3\)"):
        read_matches(frame)


def test_what_teams_cannot_do_is_said() -> None:
    with pytest.raises(LudometerError, match="leave out --stream"):
        stream_matches(table(FAMILIES[0], result=["W", "L", "D"]))
    with pytest.raises(LudometerError, match=r"--split-names: write what stands between"):
        ReadOptions(split_names=" ")
    rows = pl.DataFrame({"match": [1, 1], "player": ["a", "b"], "place": [1, 2]})
    with pytest.raises(LudometerError, match=r"name their team with --side COLUMN"):
        read_matches(rows, split_names="/")
    with pytest.raises(LudometerError, match=r"holds 200 names: at most 100"):
        read_matches(pl.DataFrame({"winner": ["x/" * 199 + "y"], "loser": ["z"]}), split_names="/")


@pytest.mark.parametrize(
    "said",
    [
        {"place": [1, 1, 2, 2]},
        {"score": [3, 3, 1, 1]},
        {"result": ["Won", "W", "lost", "L"]},
        {"won": [True, True, False, False]},
        {"won": ["yes", "yes", "no", "no"]},
    ],
)
def test_one_row_per_player_with_a_side(said: dict[str, list[Any]]) -> None:
    rows = pl.DataFrame({"match": [7] * 4, "player": ["Ann", "Ben", "Cem", "Dan"], "side": ["x", "x", "y", "y"]} | said)
    rows = rows.with_columns(minutes=pl.Series([90, 45, 90, 90]))
    matches = read_matches(rows, side="side", seat_covariates="minutes")
    assert seats(matches) == [[("Ann", 1, "x"), ("Ben", 1, "x"), ("Cem", 3, "y"), ("Dan", 3, "y")]]
    assert matches.seat_covariates["minutes"].tolist() == [90, 45, 90, 90]  # type: ignore[union-attr]


def test_wide_and_long_teams_are_one_record() -> None:
    wide = read_matches(table(FAMILIES[0], result=["W", "L", "D"]))
    rows = [
        {"match": number, "player": player, "place": place, "side": side}
        for number, match in enumerate(EXPECTED)
        for player, place, side in match
    ]
    assert read_matches(pl.DataFrame(rows), side="side").fingerprint == wide.fingerprint
