"""Score lists as tables: headings of both languages, points by the rules beside those written, faults with rows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.skat.reading.score_lists import read_score_lists
from ludometer.skat.rules.games import HouseRules
from ludometer.skat.rules.series import score_series


def write(tmp_path: Path, text: str, name: str = "list.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_points_by_three_ways_of_writing(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "series,game,player_1,player_2,player_3,declarer,contract,matadors,bid,eyes,tricks,value,points,won\n"
        "1,1,A,B,C,A,,,,,,,24,\n"
        "1,2,A,B,C,B,,,,,,36,,no\n"
        "1,3,A,B,C,3,D,1,22,70,,,,\n"
        "1,4,A,B,C,,,,,,,,,\n"
        "1,5,A,B,C,A,clubs ouvert,with 2,,120,10,,,\n"
        "1,6,A,B,C,B,N,,,,,,,yes\n"
        "1,7,A,B,C,C,GHS,4,18,89,,,-384,\n",
    )
    found = read_score_lists(path)
    assert found["points"].to_list() == [24, -72, -54, 0, 108, 23, -384]
    assert found["declarer"].to_list() == ["A", "B", "C", None, "A", "B", "C"]
    assert found["difference"].null_count() == 7
    results = score_series(found)
    assert dict(zip(results.sheets["player"].to_list(), results.sheets["score"].to_list(), strict=True)) == {
        "A": 132 + 100 + 120,
        "B": -49 + 0 + 80,
        "C": -438 - 100 + 40,
    }
    assert set(results.sheets["games"].to_list()) == {7}


def test_german_headings_and_words(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "Serie;Spieler 1;Spieler 2;Spieler 3;Spieler 4;Alleinspieler;Ansage;Spitzen;Schneider;gewonnen;Punkte\n"
        "5;Jörg;Uwe;Ina;Eva;Jörg;Kreuz Hand;ohne 3;ja;ja;72\n"
        "5;Jörg;Uwe;Ina;Eva;Eva;Grand;mit 2;nein;nein;-144\n"
        "5;Jörg;Uwe;Ina;Eva;Uwe;Null Ouvert;;;ja;46\n"
        "5;Jörg;Uwe;Ina;Eva;;eingepasst;;;;0\n",
    )
    found = read_score_lists(path)
    assert found["difference"].null_count() == 4
    assert found["points_by_rules"].to_list() == [72, -144, 46, None]
    assert score_series(found).sheets["n_seats"].to_list() == [4] * 4


def test_what_was_written_wrong_is_flagged(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "series,declarer,contract,matadors,won,points\n1,A,S,1,yes,33\n1,B,S,1,yes,22\n1,C,H,2,no,30\n1,C,,,no,30\n",
    )
    found = read_score_lists(path)
    assert found["difference"].to_list() == [
        "33 written, 22 by the rules",
        None,
        "30 written, -60 by the rules",
        "30 points, but lost",
    ]
    assert found["player_3"].to_list() == ["C"] * 4
    assert found["difference"].is_not_null().sum() == 3


def test_house_rules_count_only_where_they_hold(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "series,player_1,player_2,player_3,declarer,contract,matadors,won,kontra,re,ramsch,points\n"
        "1,A,B,C,A,S,1,yes,x,x,,88\n1,A,B,C,B,,,,,,x,-70\n",
    )
    with pytest.raises(MatchDataError, match=r"2 bad rows of 2: row 1: kontra.*row 2: Ramsch"):
        read_score_lists(path)
    games = read_score_lists(path, house_rules=HouseRules(kontra=True, ramsch=True))
    assert games["difference"].null_count() == 2
    results = score_series(games)
    assert dict(zip(results.sheets["player"].to_list(), results.sheets["score"].to_list(), strict=True)) == {
        "A": 138,
        "B": -70,
        "C": 0,
    }


def test_faults_are_named_with_their_rows(tmp_path: Path) -> None:
    head = "series,declarer,contract,matadors,eyes,points,won\n"
    good = "1,A,,,,24,\n1,B,,,,24,\n1,C,,,,24,\n"
    bad = [
        "1,A,X,1,70,,",
        "1,A,C,many,70,,",
        "1,A,C,0,70,,",
        "1,A,,,,2x,",
        "1,A,,,,,",
        ",A,,,,24,",
        "1,,,,,24,",
        "1,A,,,,24,eh",
        "1,A,C,1,175,,",
        "1,A,,,,99999999,",
    ]
    for row in bad:
        with pytest.raises(MatchDataError, match="row 4: "):
            read_score_lists(write(tmp_path, head + good + row + "\n"))
    with pytest.raises(MatchDataError, match="declarers"):
        read_score_lists(write(tmp_path, head + "1,A,,,,24,\n"))
    with pytest.raises(MatchDataError, match="that seat is empty"):
        read_score_lists(write(tmp_path, head + "1,4,,,,24,\n"))
    with pytest.raises(LudometerError, match="no column is called declarer"):
        read_score_lists(write(tmp_path, "series,points\n1,2\n"))


def test_seats_bids_and_numbers_of_games_are_checked(tmp_path: Path) -> None:
    head = "series,game,player_1,player_2,player_3,declarer,contract,matadors,eyes,bid,points\n"
    for rows, said in (
        ("1,1,A,B,A,A,,,,,24", "row 1: A sits at two seats (player_1 and player_3)"),
        ("1,1,A,B,,A,,,,,24", "row 1: fewer than three players"),
        ("1,1,A,B,C,D,,,,,24", "row 1: the declarer D is not at the table (A, B, C)"),
        ("1,1,A,B,C,A,C,1,70,19,24", "row 1: 19 is not a possible bid"),
        ("1,7,A,B,C,A,,,,,24\n1,7,A,B,C,B,,,,,36", "rows 1 and 2: game 7 appears twice in series 1"),
        ("", "there are no rows"),
    ):
        with pytest.raises(MatchDataError, match=re.escape(said)):
            read_score_lists(write(tmp_path, head + rows + "\n"))
    blank = read_score_lists(write(tmp_path, head + "1,1,A,B,C,A,,,,,24\n\n1,2,A,B,C,B,,,,,36\n"))
    assert blank["points"].to_list() == [24, 36]
