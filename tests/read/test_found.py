"""What files say without being asked: who is at home, neutral ground, points; and files as people have them."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError
from ludometer.ratings import Elo, rate
from ludometer.read import Reading, ReadOptions, read_file, read_matches, stream_matches

USES = ("score", "advantage", "session", "side", "weight")

INTERNATIONAL = """date,home_team,away_team,home_score,away_score,tournament,neutral
1950-06-24,Brazil,Mexico,4,0,World Cup,FALSE
1950-06-25,Spain,USA,3,1,World Cup,TRUE
1950-06-29,USA,England,1,0,World Cup,true
2026-06-11,Mexico,Brazil,NA,NA,World Cup,FALSE
"""


def frame(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame(columns)


def games(first: str, second: str, **more: Any) -> pl.DataFrame:
    return frame(**{first: ["Ann", "Ben", "Cem"], second: ["Ben", "Cem", "Ann"]}, **({"result": [1, 0, 1]} | more))


def reading_of(text: str, tmp_path: Path, **options: Any) -> Reading:
    path = tmp_path / "games.csv"
    path.write_text(text)
    return read_file(path, ReadOptions(**options))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("home", "away"),
        ("White", "Black"),
        ("Home Team", "Away Team"),
        ("HomeTeam", "AwayTeam"),
        ("home_team", "away-team"),
    ],
)
def test_home_and_white_are_better_off(first: str, second: str) -> None:
    matches = read_matches(games(first, second))
    assert matches.advantage == "order"
    assert matches.columns == ("advantage",)
    assert read_matches(games(first, second), advantage="none").columns == ()
    assert read_matches(games(first, second), uses=()).columns == ()
    assert read_matches(games("a", "b"), first="a", second="b").columns == ()


@pytest.mark.parametrize(
    ("first", "second"), [("player_1", "player_2"), ("winner", "loser"), ("first", "second"), ("team1", "team2")]
)
def test_other_seats_are_equal(first: str, second: str) -> None:
    assert read_matches(games(first, second)).columns == ()


def test_what_nobody_asked_for_leaves_no_trace_in_other_numbers() -> None:
    found, plain = read_matches(games("white", "black")), read_matches(games("white", "black"), uses=())
    asked = read_matches(games("white", "black"), advantage="order")
    assert found.fingerprint == plain.fingerprint != asked.fingerprint
    assert found.take(np.array([True, False, True])).unasked == {"advantage"}
    assert found.with_columns(advantage="order").fingerprint == asked.fingerprint


def test_a_system_is_silent_about_what_nobody_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="ludometer"):
        rate(read_matches(games("home", "away")), system=Elo())
        assert not caplog.messages
        rate(read_matches(games("home", "away"), advantage="order"), system=Elo())
        assert caplog.messages == ["elo ignores the advantage"]


def test_neutral_ground_and_points_are_found_and_said(tmp_path: Path) -> None:
    reading = reading_of(INTERNATIONAL, tmp_path, uses=USES)
    matches = reading.matches
    assert matches.advantages.tolist() == [1, 0, 0]
    assert matches.score is not None
    assert matches.score.tolist() == [4, 0, 3, 1, 1, 0]
    assert matches.pairs.score.tolist() == [1, 1, 1]
    assert matches.unasked == {"advantage", "score"}
    assert reading.left_out == ("1 of 4 rows left out: the match was not finished",)
    assert reading.notes == (
        "home_team is better off, except in 2 matches on neutral ground: systems may use it; to leave it out: "
        "--advantage none",
    )
    assert reading.columns == (
        "home_team, away_team, home_score : away_score, advantage neutral, score home_score : away_score"
    )


def test_empty_cells_of_neutral_are_not_neutral(tmp_path: Path) -> None:
    text = INTERNATIONAL.replace("4,0,World Cup,FALSE", "4,0,World Cup, ")
    reading = reading_of(text, tmp_path, uses=USES)
    assert reading.matches.advantages.tolist() == [1, 0, 0]
    assert reading.notes[0] == "1 cell is empty in column neutral: not neutral ground"
    assert reading_of(text, tmp_path, advantage="neutral").matches.advantages.tolist() == [1, 0, 0]


def test_a_column_that_cannot_be_read_is_no_fault_unless_asked_for(tmp_path: Path) -> None:
    text = INTERNATIONAL.replace("TRUE", "Basel")
    reading = reading_of(text, tmp_path, uses=USES)
    assert reading.matches.advantage == "order"
    assert "column neutral is not used as advantage: neutral is not yes or no (in 1 row)" in reading.notes
    with pytest.raises(LudometerError, match=r"neutral is not yes or no: 1 \(row 2: 'Basel'\)"):
        reading_of(text, tmp_path, advantage="neutral")


def test_neutral_ground_tells_nothing_where_the_winner_comes_first() -> None:
    table = games("player_1", "player_2", neutral=[True, False, False])
    assert read_matches(table, uses=USES).advantages.tolist() == [0, 1, 1]
    assert read_matches(games("winner", "loser", neutral=[True, False, False]), uses=USES).columns == ()
    reading = read_file(table.with_columns(result=pl.lit(1)), ReadOptions(uses=USES))
    assert reading.matches.columns == ()
    assert reading.notes == ("column neutral is not used as advantage: the first player won every match (in 3 rows)",)
    assert read_matches(table, advantage="neutral").advantages.tolist() == [0, 1, 1]


def test_a_column_may_say_who_is_better_off() -> None:
    table = games("player_1", "player_2", host=["home", "AWAY", "neutral"], advantage=["1", "-1", "0"])
    assert read_matches(table, advantage="host").advantages.tolist() == [1, -1, 0]
    reading = read_file(table, ReadOptions(uses=USES))
    assert reading.matches.advantages.tolist() == [1, -1, 0]
    assert reading.notes == (
        "column advantage says who is better off: systems may use it; to leave it out: --advantage none",
    )
    labels = games("home", "away", city=["Rome", "Oslo", "Rome"])
    with pytest.raises(LudometerError, match="labels are kept by --covariates"):
        read_matches(labels, advantage="city")
    assert read_matches(labels, covariates="city").covariates["city"].text.to_list() == ["Rome", "Oslo", "Rome"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "names",
    [
        ("FTHG", "FTAG"),
        ("HG", "AG"),
        ("home_goals", "away_goals"),
        ("Score 1", "Score 2"),
        ("home score", "away score"),
    ],
)
def test_points_give_the_result_and_the_score(names: tuple[str, str]) -> None:
    table = frame(**{"HomeTeam": ["a", "b"], "AwayTeam": ["b", "a"], names[0]: [3, 1], names[1]: [1, 1]})
    matches = read_matches(table, uses=USES)
    assert matches.pairs.score.tolist() == [1, 0.5]
    assert matches.score is not None
    assert matches.score.tolist() == [3, 1, 1, 1]
    assert read_matches(table).score is None


def test_a_result_column_goes_before_points_that_may_be_missing() -> None:
    table = games("home", "away", FTHG=["2", "", "x"], FTAG=["1", "", "0"])
    matches = read_matches(table, uses=USES)
    assert matches.pairs.score.tolist() == [1, 0, 1]
    np.testing.assert_array_equal(matches.score, [2, 1, np.nan, np.nan, np.nan, 0])
    assert read_matches(games("home", "away", FTHG=["", "", ""], FTAG=["", "", ""]), uses=USES).score is None


def test_points_in_one_cell_are_found() -> None:
    matches = read_matches(games("home", "away", result=["3-1", "2:2", "draw"]), uses=USES)
    np.testing.assert_array_equal(matches.score, [3, 1, 2, 2, np.nan, np.nan])
    # who won is no score
    for words in (["1-0", "0-1", "1-0"], ["W", "L", "D"]):
        reading = read_file(games("home", "away", result=words), ReadOptions(uses=("score",)))
        assert (reading.matches.columns, reading.columns) == ((), "home, away, result")
    doubles = pl.DataFrame({"player_1a": ["a"], "player_1b": ["b"], "player_2a": ["c"], "result": ["1-0"]})
    assert read_matches(doubles, uses=("score",)).columns == ("side",)
    assert read_matches(games("white", "black", result=["3-1", "2-2", "0-1"]), uses=("score",)).columns == ()


def test_a_score_of_one_side_only_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(LudometerError, match=r"away_score is not a number: 1 \(row 1: ''\)"):
        reading_of(INTERNATIONAL.replace("4,0", "4,"), tmp_path)


def test_sessions_and_sides_are_found_where_they_make_sense() -> None:
    doubles = frame(
        match=[1, 1, 1, 1], player=["a", "b", "c", "d"], place=[1, 1, 2, 2], team=["x", "x", "y", "y"], session=[5] * 4
    )
    matches = read_matches(doubles, uses=USES)
    assert matches.has_teams
    assert matches.unasked == {"session", "side"}
    # a race: cars of one team come in apart
    race = doubles.with_columns(place=pl.Series([1, 2, 3, 4]), session=pl.Series([5, 5, 6, 6]))
    reading = read_file(race, ReadOptions(uses=USES))
    assert reading.matches.columns == ()
    assert reading.notes == (
        "column session is not used as session: a match has two values of session (in 2 rows)",
        "column team is not used as side: players of one side have different places (in 2 rows)",
    )
    # and a rating system that knows no teams does not refuse what nobody asked for
    assert len(rate(matches, system=Elo()).rating) == 4


def test_a_weight_counts_only_on_request() -> None:
    table = games("home", "away", weight=[1.0, 2.0, 3.0])
    assert "weight" not in read_matches(table, uses=USES).columns
    assert read_matches(table, weight="weight").weight.tolist() == [1, 2, 3]  # type: ignore[union-attr]


def test_a_stream_knows_who_is_better_off(tmp_path: Path) -> None:
    (tmp_path / "cup.csv").write_text(INTERNATIONAL)
    stream = stream_matches(tmp_path / "cup.csv", ReadOptions(uses=USES))
    (batch,) = stream
    assert (batch.columns, batch.advantages.tolist()) == (("advantage",), [1, 0, 0])
    assert stream.left_out()[-1].startswith("home_team is better off, except in 2 matches")
    (batch,) = stream_matches(tmp_path / "cup.csv", ReadOptions(advantage="none"))
    assert batch.columns == ()


def test_files_that_were_readable_are_read_as_before() -> None:
    # further names do not go before the usual ones
    table = games("player_1", "player_2", home_team=["x", "y", "z"], away_team=["z", "x", "y"], FTR=["A", "A", "A"])
    assert read_file(table).columns == "player_1, player_2, result"
    seats = frame(match=[1, 1], player=["a", "b"], place=[1, 2], home_team=["x", "x"], away_team=["y", "y"], ftr=[1, 1])
    assert read_file(seats).columns == "match, player, place"


def test_a_messy_football_file(tmp_path: Path) -> None:
    text = "\ufeffDiv; Date ;HomeTeam;AwayTeam;FTHG;FTAG;FTR\r\n" + "\r\n".join(
        [
            "E0;13/08/22; Arsenal ;Leeds;2;0;H",
            "E0;14/08/22;Leeds;ARSENAL;1;1;D",
            ";;;;;;",
            "E0;15/08/22;Fulham;Leeds;0;3;a",
            "",
        ]
    )
    reading = reading_of(text, tmp_path, uses=USES, merge_names=True)
    assert reading.matches.pairs.score.tolist() == [1, 0.5, 0]
    assert sorted(reading.matches.players.names) == ["Arsenal", "Fulham", "Leeds"]
    assert reading.matches.score is not None
    assert reading.left_out == ("1 of 4 rows skipped: they are empty",)


@pytest.mark.parametrize("day", [["20180131", "20180201", "20180215"], [20180131, 20180201, 20180215]])
def test_days_may_be_numbers(day: list[Any]) -> None:
    matches = read_matches(games("winner_name", "loser_name", tourney_date=day))
    assert matches.time is not None
    assert np.diff(matches.time).astype(int).tolist() == [1, 14]
    # but a number is a number
    plain = read_matches(games("winner_name", "loser_name", tourney_date=[20181301, 20181302, 20181303]))
    assert plain.time is not None
    assert plain.time.dtype.kind == "i"


def test_players_who_are_numbers_stay_names() -> None:
    table = frame(white=[10, 7], black=[7, 3], result=[1, 0])
    assert read_matches(table).players.names.to_list() == ["10", "7", "3"]
