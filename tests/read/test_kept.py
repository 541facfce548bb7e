"""Optional columns are read on request, checked row by row, written and read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches, Pairs
from ludometer.read import ReadOptions, read_file, read_matches, stream_matches
from ludometer.report.files import write_matches
from tests.test_matches import full_records, rows_of

CUP = """date,home,away,home_score,away_score,event,neutral,level
2024-01-02,Ann,Ben,3,1,cup,no,2
2024-01-01,Ben,Cem,2,2,cup,yes,1
2024-01-03,Cem,Ann,0,1,,no,1
"""
DOUBLES = """match,player,place,team,points,day
1,Ann,1,red,30,mon
1,Ben,1,red,,mon
1,Cem,2,blue,12,mon
1,Dan,2,blue,12,mon
2,Ann,1,x,5,tue
2,Cem,2,y,4,tue
"""


def kept(text: str, tmp_path: Path, **options: Any) -> Matches:
    path = tmp_path / "games.csv"
    path.write_text(text)
    return read_matches(path, **options)


def test_nothing_is_kept_unasked(tmp_path: Path) -> None:
    assert kept(CUP, tmp_path, uses=()).columns == ()
    assert kept(DOUBLES, tmp_path).columns == ()
    # but who is at home, which the columns of the players say
    assert kept(CUP, tmp_path).columns == ("advantage",)


def test_columns_per_match_follow_the_order_of_time(tmp_path: Path) -> None:
    matches = kept(CUP, tmp_path, keep="score", advantage="neutral", weight="level", covariates="event,level")
    assert isinstance(matches.table, Pairs)
    assert matches.score is not None
    assert matches.score.tolist() == [2, 2, 3, 1, 0, 1]
    assert matches.advantages.tolist() == [0, 1, 1]
    assert matches.weight is not None
    assert matches.weight.tolist() == [1, 2, 1]
    # numbers stay numbers; a missing label is an empty one
    assert matches.covariates["level"].tolist() == [1, 2, 1]  # type: ignore[union-attr]
    assert matches.covariates["event"].text.to_list() == ["cup", "cup", ""]  # type: ignore[union-attr]
    assert kept(CUP, tmp_path, advantage="order").advantages.tolist() == [1, 1, 1]


def test_kept_columns_are_named_to_the_reader(tmp_path: Path) -> None:
    (tmp_path / "cup.csv").write_text(CUP)
    reading = read_file(tmp_path / "cup.csv", ReadOptions(advantage="neutral", keep="score"))
    assert reading.columns == "home, away, home_score : away_score, advantage neutral, score home_score : away_score"


def test_sides_and_scores_are_kept_by_seat(tmp_path: Path) -> None:
    matches = kept(DOUBLES, tmp_path, keep="all", session="day", seat_covariates="points")
    assert matches.side is not None
    assert matches.side.text.to_list() == ["red", "red", "blue", "blue", "x", "y"]
    assert matches.has_teams
    assert matches.score is not None
    np.testing.assert_array_equal(matches.score, [30, np.nan, 12, 12, 5, 4])
    assert matches.session is not None
    assert matches.session.text.to_list() == ["mon", "tue"]
    with pytest.raises(MatchDataError, match="cannot use teams"):
        matches.refuse_teams("elo")


def test_points_in_one_cell_are_scores_if_asked_for() -> None:
    frame = pl.DataFrame({"home": ["a", "b"], "away": ["b", "a"], "result": ["3-1", "draw"]})
    score = read_matches(frame, keep="score").score
    assert score is not None
    np.testing.assert_array_equal(score, [3, 1, np.nan, np.nan])
    assert read_matches(frame, keep="all").score is None
    with pytest.raises(LudometerError, match="result holds no points"):
        read_matches(frame.with_columns(result=pl.Series(["W", "L"])), keep="score")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("1,Ben,1,red", "1,Ben,2,red"), r"players of one side have different places: 1 \(row 2\)"),
        (("2,Cem,2,y", "2,Cem,2,x"), r"a match has only one side: 2 \(row 5, row 6\)"),
        (("2,Cem,2,y", "2,Cem,2,"), r"team is missing: 1 \(row 6\)"),
        (("4,tue", "4,wed"), r"a match has two values of session: 1 \(row 6\)"),
        (("12,mon", "few,mon"), r"points is not a number: 2 \(row 3: 'few' and 1 more like it\)"),
    ],
)
def test_faults_name_row_column_and_value(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(MatchDataError, match=message):
        kept(DOUBLES.replace(*change), tmp_path, keep="score", session="day", side="team")


def test_a_row_without_a_match_does_not_lend_its_side_to_another(tmp_path: Path) -> None:
    text = DOUBLES.replace("2,Cem,2,y", "2,Cem,2,x") + ",Eve,1,z,1,tue\n"
    with pytest.raises(MatchDataError, match="a match has only one side: 2"):
        kept(text, tmp_path, side="team")


def test_a_match_with_a_bad_side_falls_as_a_whole(tmp_path: Path) -> None:
    text = DOUBLES.replace("2,Cem,2,y", "2,Cem,2,x")
    matches = kept(text, tmp_path, side="team", drop_bad_rows=True)
    assert (len(matches), len(matches.players)) == (1, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": "colour"}, "--keep colour: write session, weight"),
        ({"keep": "weight"}, "--keep weight: no column holds it. Name it with --weight COLUMN"),
        ({"session": "evnt"}, "--session evnt: no such column; did you mean 'event'"),
        ({"weight": "event"}, "event is not a number above 0: 3"),
        (
            {"advantage": "event"},
            r"event does not say who has the advantage \(1, 0, -1, home, away, neutral\); labels .*: 3",
        ),
        ({"session": "event"}, r"event is missing: 1 \(row 3\)"),
        ({"side": "team"}, "--side team_1: no such column"),
    ],
)
def test_what_cannot_be_kept_is_refused(options: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(LudometerError, match=message):
        kept(CUP, tmp_path, **options)


def test_a_stream_keeps_nothing_more(tmp_path: Path) -> None:
    (tmp_path / "cup.csv").write_text(CUP)
    with pytest.raises(MatchDataError, match="leave out --stream"):
        stream_matches(tmp_path / "cup.csv", ReadOptions(keep="score"))


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl"])
@pytest.mark.parametrize("by_seat", [True, False])
@settings(max_examples=25)
@given(matches=full_records())
def test_written_records_are_read_again_as_they_were(
    suffix: str, by_seat: bool, matches: Matches, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if not by_seat and not isinstance(matches.table, Pairs):
        matches = matches.take(matches.sizes == 2)
        if not len(matches):
            return
    path = tmp_path_factory.mktemp("written") / f"record{suffix}"
    write_matches([matches], path, by_seat=by_seat)
    # results and scores of these records need not agree
    again = read_matches(path, keep="all", covariates="surface,wind", seat_covariates="age", as_read=True)
    assert rows_of(again) == rows_of(matches)
    assert again.fingerprint == matches.fingerprint
