"""Skat from any file: what it is, folded games of xskat, and times of lists."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.ratings.scores.series import scores_of, seat_column
from ludometer.skat.reading.any_file import is_series_table, read_skat_games
from ludometer.skat.reading.series_tables import read_series, read_standing, read_teams
from ludometer.skat.reading.xskat import read_xskat
from ludometer.skat.rules import cards
from ludometer.skat.sheets import ListRules
from tests.skat.deals import write_record
from tests.skat.test_xskat import LOG

FOLDED = """\
 Computer1   Computer2   Computer3

----------------------------------------
  _Pass_      Pass        Pass
---- random_seed 1 337 3 ---------------
  CLUB J      Spade A     DIAMOND J
  SPADE J     Spade 10    Club A
  Club 10     Spade Q     Club K
  Club Q      Spade 7     Club 9
  Spade K     Heart K     Club 7
  Spade 8     Heart Q     Spade 9
  Heart 10    Diamond A   Heart A
  Heart 7     Diamond K   Heart 9
  Diamond 10  Diamond Q   Heart 8
  Diamond 7   Diamond 9   Diamond 8
----------------------------------------
Skat is: Club 8,Heart J
========================================
"""


def test_a_folded_game_of_xskat_keeps_its_deal() -> None:
    records = read_xskat((FOLDED + LOG).splitlines())
    row = records.row(0, named=True)
    assert records["kind"].cast(str).to_list() == ["folded", "won"]
    assert (row["points"], row["declarer"], row["game"], row["game_id"]) == (0, None, None, "337")
    hands = [row[f"hand_{seat}"] for seat in range(3)]
    assert [int(cards.count_cards(mask)) for mask in (*hands, row["skat"])] == [10, 10, 10, 2]
    assert sum(hands) + row["skat"] == 2**32 - 1
    assert row["skat"] == cards.parse_cards("C8 HJ")


def test_tricks_without_a_game_are_no_folded_game() -> None:
    with pytest.raises(MatchDataError, match="no declarer"):
        read_xskat(LOG.replace("Computer1 played Grand", "").splitlines())


def test_a_file_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record, log = tmp_path / "a", tmp_path / "b"
    record.write_text(write_record(np.random.default_rng(2), 1))
    log.write_text(FOLDED + LOG)
    assert read_skat_games(str(record), rules=ListRules(short="keep")).format == "ISS records"
    games = read_skat_games(str(log), rules=ListRules(short="keep", folded=True))
    assert (games.format, games.counts.games, games.counts.folded, games.n_series) == ("xskat log", 2, 1, 2)
    with pytest.raises(LudometerError, match="no such file"):
        read_skat_games(str(tmp_path / "c"))

    class Standard:
        buffer = io.BufferedReader(io.BytesIO((FOLDED + LOG).encode()))

    monkeypatch.setattr("sys.stdin", Standard)
    assert read_skat_games("-", rules=ListRules(short="keep")).format == "xskat log"


def test_lists_of_records_have_times(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    rng = np.random.default_rng(3)
    path.write_text("\n".join(write_record(rng, number) for number in range(50)))
    games = read_skat_games(str(path), rules=ListRules(length=10, folded=True))
    record = games.to_matches()
    assert len(record) == 5
    assert record.time is not None
    assert str(record.time[0])[:10] == "2020-01-02"
    assert seat_column(record, "games").tolist() == [10.0] * 15


def test_nothing_to_rate_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    path.write_text(write_record(np.random.default_rng(3), 1))
    with pytest.raises(MatchDataError, match="--short keep"):
        read_skat_games(str(path)).to_matches()


def test_series_tables_are_told_from_score_lists(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("Liste;Name;Gesamt\n1;A;9,5\n1;B;−3\n")
    assert is_series_table(str(path))
    assert scores_of(read_series(str(path))).tolist() == [9.5, -3.0]
    path.write_text("Liste;Alleinspieler;Punkte\n1;A;18\n")
    assert not is_series_table(str(path))


def test_small_tables_name_their_faults(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("player,team\nA,X\nA,Y\n")
    with pytest.raises(MatchDataError, match="two rows"):
        read_teams(str(path))
    path.write_text("player,rating\nA,high\n")
    with pytest.raises(MatchDataError, match="row 1: 'high' is not a rating"):
        read_standing(str(path))
    path.write_text("name,elo,series\nA,900,12\nB,800,\n")
    assert read_standing(str(path)).rows() == [("A", 900.0, 12), ("B", 800.0, 0)]
    path.write_text("who,team\nA,X\n")
    with pytest.raises(MatchDataError, match="no column is called player"):
        read_teams(str(path))
