"""Results of series as tables: headings of both languages, numbers and dates as people write them, faults with rows."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from ludometer.errors import MatchDataError
from ludometer.ratings.scores.series import series_frame, series_labels
from ludometer.skat.reading.series_tables import read_series, read_series_results, read_series_table

HEAD = "series,player,score\n"


def write(tmp_path: Path, text: str | bytes, name: str = "series.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_results_of_series_from_totals_and_from_scores(tmp_path: Path) -> None:
    path = write(
        tmp_path, "Serie;Name;Punkte;gewonnen;verloren\nx;A;492;12;0\nx;B;628;12;2\nx;C;660;10;1\nx;D;-32;6;5\n"
    )
    results = read_series_results(path)
    assert results.sheets["player"].to_list() == ["A", "C", "B", "D"]
    assert results.sheets["score"].to_list() == [1332, 1320, 1308, 108]
    assert read_series_results(path, system="plain").sheets["score"].to_list() == [1128, 1110, 1092, 18]
    given = read_series_results(
        pl.DataFrame({"series": [1, 1, 1], "player": ["A", "B", "C"], "score": [783, 592, 1245]})
    )
    assert given.sheets["player"].to_list() == ["C", "A", "B"]
    assert given.sheets["score"].to_list() == [1245, 783, 592]
    assert given.sheets["series"].to_list() == ["1"] * 3
    half = read_series_results(write(tmp_path, "series,player,score\n1,A,10.5\n1,B,20\n1,C,3\n"))
    assert half.sheets["score"].to_list() == [20.0, 10.5, 3.0]


def test_results_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MatchDataError, match="no column holds score"):
        read_series_results(write(tmp_path, "series,player,points\n1,A,3\n"))
    with pytest.raises(MatchDataError, match="row 2: score is 'many', not a number"):
        read_series_results(write(tmp_path, "series,player,score\n1,A,3\n1,B,many\n1,C,4\n"))
    with pytest.raises(MatchDataError, match="2 players"):
        read_series_results(write(tmp_path, "series,player,points,won,lost\n1,A,3,1,0\n1,B,4,1,0\n"))


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbfSerie;Spieler;Leistung\n1;M\xc3\xbcller;1200,5\n1;B;800\n1;C;\xe2\x88\x92300\n",
        "Serie;Spieler;Leistung\n1;Müller;1200,5\n1;B;800\n1;C;-300\n".encode("cp1252"),
        "Liste\tName\tGesamt\r\n1\t Müller\t1200.5\r\n\r\n1\tB\t800\r\n1\tC\t-300\r\n",
        '"series","player","score","seat"\n1,"Müller",1200.5,x\n1,B,800,\n1,C,-300,\n',
    ],
)
def test_tables_as_programs_and_people_write_them(tmp_path: Path, text: str | bytes) -> None:
    record = read_series(write(tmp_path, text))
    frame = series_frame(record)
    assert dict(zip(frame["player"], frame["score"], strict=True)) == {"Müller": 1200.5, "B": 800, "C": -300}
    results = read_series_results(write(tmp_path, text))
    assert results.sheets["player"].to_list() == ["Müller", "B", "C"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "1,A,1.200\n1,B,800\n", "row 1: score is '1.200', which may be 1200 or a number with three decimals"),
        (HEAD + "1,A,inf\n1,B,nan\n1,C,1e400\n", "row 1: score is 'inf', not a number; row 2: score is 'nan'"),
        (HEAD + "1,A,\n1,B,3\n", "row 1: score is empty, not a number"),
        (HEAD + "1,A,9\n1,B,7\n\n1,A,5\n", "rows 1 and 4: A appears twice in series 1"),
        (HEAD + "1,A,9\n1,B\n", "row 2 does not have 3 fields"),
        (HEAD + "1,A,9\n1,B,8,7\n", "row 2 does not have 3 fields"),
        (HEAD, "there are no rows"),
        ("series,score\n1,9\n", "no column holds player. The file has: series, score. Rename a column, or add one"),
        (
            "series,player,points,won,lost\n1,A,90,-3,1\n1,B,80,3.5,1\n1,C,9e9,1,1\n",
            "row 3: points is '9e9', not a whole number; row 1: won is '-3', not a whole number from 0 up; row 2: won",
        ),
        (
            "series,player,score,date\n1,A,9,31.1.2024\n1,B,8,31.1.2024\n1,C,7,32.1.2024\n",
            "row 3: the date is '32.1.2024'; write a date such as 2024-01-31 or 31.1.2024",
        ),
        ("series,player,score,date\n1,A,9,soon\n1,B,8,soon\n", "row 1: the date is 'soon'"),
        (
            "series,player,score,date\n1,A,9,31.1.2024\n1,B,8,1.2.2024\n",
            "rows 1 and 2: series 1 has two dates (2024-01-31 and 2024-02-01)",
        ),
    ],
)
def test_each_fault_is_told_with_row_column_and_remedy(tmp_path: Path, text: str, said: str) -> None:
    for read in (read_series, read_series_results):
        with pytest.raises(MatchDataError, match=re.escape(said)) as caught:
            read(write(tmp_path, text))
        assert str(caught.value).startswith("series.csv: ")


def test_dates_of_both_ways_of_writing_order_the_series(tmp_path: Path) -> None:
    text = "series,player,score,Datum\n2,A,9,1.2.2024\n2,B,8,1.2.2024\n1,A,9,2024-01-31\n1,B,8,31.1.2024\n"
    record = read_series(write(tmp_path, text))
    assert series_labels(record) == ["1", "2"]
    assert str(record.time[0]) == "2024-01-31"  # type: ignore[index]
    rounds = HEAD.replace("\n", ",time\n") + "x,A,9,10\nx,B,8,10\ny,A,9,9\ny,B,8,9\n"
    assert series_labels(read_series(write(tmp_path, rounds))) == ["y", "x"]


def test_a_score_far_from_all_others_is_noticed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    read_series_table(write(tmp_path, HEAD + "1,A,-1500\n1,B,0\n1,C,700\n"))
    assert not caplog.records
    read_series_table(write(tmp_path, HEAD + "1,A,1000000000\n1,B,800\n1,C,700\n"))
    assert "series.csv: row 1: a score of 1,000,000,000 is far from the others" in caplog.text
