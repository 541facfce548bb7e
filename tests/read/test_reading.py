"""Files of every format become the same matches; every fault is found, counted and shown."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Fingerprint, Matches, Pairs, Seats
from ludometer.read import ReadOptions, read_file, read_matches, stream_matches
from ludometer.read.files import opening as sources

GAMES = pl.DataFrame(
    {
        "date": ["2020-01-03", "2020-01-01", "2020-01-02", "2020-01-01"],
        "white": ["Ann", "Ben", "Cem", "Ann"],
        "black": ["Ben", "Cem", "Ann", "Cem"],
        "result": ["1-0", "1/2-1/2", "0-1", "1-0"],
    }
)


def names_and_scores(matches: Matches) -> list[tuple[str, str, float]]:
    names = matches.players.names
    pairs = matches.pairs
    return [(names[int(i)], names[int(j)], s) for i, j, s in zip(pairs.first, pairs.second, pairs.score, strict=True)]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


IN_ORDER = [("Ben", "Cem", 0.5), ("Ann", "Cem", 1.0), ("Cem", "Ann", 0.0), ("Ann", "Ben", 1.0)]


FORMATS = ["m.csv", "m.tsv", "m.semicolon", "m.bom", "m.crlf", "m.csv.gz", "m.csv.zst", "m.parquet", "m.jsonl"]
FORMATS += ["m.arrow", "m.arrows", "m.pgn", "m.pgn.zst"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_matches(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = GAMES.write_csv()
    tags = "".join(
        f'[Event "x"]\n[Date "{row["date"].replace("-", ".")}"]\n[White "{row["white"]}"]\n'
        f'[Black "{row["black"]}"]\n[Result "{row["result"]}"]\n\n1. e4 {row["result"]}\n\n'
        for row in GAMES.to_dicts()
    )
    stream = io.BytesIO()
    GAMES.write_ipc_stream(stream)
    contents = {
        "m.csv": text.encode(),
        "m.tsv": GAMES.write_csv(separator="\t").encode(),
        "m.semicolon": GAMES.write_csv(separator=";").encode(),
        "m.bom": b"\xef\xbb\xbf" + text.encode(),
        "m.crlf": text.replace("\n", "\r\n").encode(),
        "m.csv.gz": gzip.compress(text.encode()),
        "m.csv.zst": zstandard.compress(text.encode()),
        "m.jsonl": GAMES.write_ndjson().encode(),
        "m.arrows": stream.getvalue(),
        "m.pgn": tags.encode(),
        "m.pgn.zst": zstandard.compress(tags.encode()),
    }
    if name == "m.parquet":
        GAMES.write_parquet(path)
    elif name == "m.arrow":
        GAMES.write_ipc(path)
    else:
        path.write_bytes(contents[name])
    matches = read_matches(path)
    assert names_and_scores(matches) == IN_ORDER
    assert matches.fingerprint == read_matches(GAMES).fingerprint


def test_pandas_and_other_arrow_tables_are_read() -> None:
    class Foreign:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return GAMES.__arrow_c_stream__(requested_schema)

    assert names_and_scores(read_matches(Foreign())) == IN_ORDER


def test_numbers_booleans_points_and_winners_are_results() -> None:
    two = {"player_1": ["a", "b", "c"], "player_2": ["b", "c", "a"]}
    for column in ([1, 0, 1], [1.0, 0.0, 1.0], [True, False, True], ["W", "L", "W"]):
        assert read_matches(pl.DataFrame(two | {"score_1": column})).pairs.score.tolist() == [1, 0, 1]
    points = pl.DataFrame(two | {"score_1": [3, 1, 10**9], "score_2": [1, 1, 10**9 + 1]})
    assert read_matches(points).pairs.score.tolist() == [1, 0.5, 0]
    won = pl.DataFrame({"winner": ["a", "b"], "loser": ["b", "c"], "score": ["6-4 6-3", "6-0 6-0"]})
    assert read_matches(won).pairs.score.tolist() == [1, 1]


def test_a_column_may_name_the_winner() -> None:
    frame = pl.DataFrame({"player_1": [1, 2, 3, 1], "player_2": [2, 3, 1, 3], "winner": ["1", "3", " draw", "3"]})
    assert read_matches(frame).pairs.score.tolist() == [1, 0, 0.5, 0]
    with pytest.raises(MatchDataError, match=r"winner names neither player, nor a draw: 1 .row 4: '2'"):
        read_matches(frame.with_columns(winner=pl.Series(["1", "3", "tie", "2"])))


def test_nested_columns_are_refused() -> None:
    frame = pl.DataFrame({"white": [{"name": "a"}], "black": [{"name": "b"}], "result": ["1"]})
    with pytest.raises(LudometerError, match="column white holds Struct"):
        read_matches(frame)


def test_matches_that_stand_twice_at_the_same_moment_are_told() -> None:
    frame = pl.DataFrame(
        {"time": ["2020-01-01 10:00"] * 2 + ["2020-01-01 11:00"], "winner": ["a", "a", "b"], "loser": ["b", "b", "a"]}
    )
    assert "1 match repeats the one before" in read_file(frame).notes[0]


def test_integer_ids_of_different_width_and_nullable_floats_are_players() -> None:
    frame = pl.DataFrame(
        {"first": pl.Series([7, 8], dtype=pl.Int16), "second": pl.Series([8, 9], dtype=pl.Int64), "score": [1, 0]}
    )
    assert read_matches(frame).players.names.to_list() == ["7", "8", "9"]


def test_where_by_and_order_do_as_they_say() -> None:
    frame = pl.DataFrame(
        {
            "site": ["x", "y", "x", "y", "x"],
            "no": ["10", "2", "9", "1", "1"],
            "white": ["a", "a", "b", "b", "c"],
            "black": ["b", "b", "c", "c", "a"],
            "result": ["1", "0", "1", "0", "0.5"],
        }
    )
    assert len(read_matches(frame, where="site = 'x' and not no = 9")) == 2
    reading = read_file(frame, ReadOptions(by="site", order=("no",)))
    assert list(reading.groups) == ["x", "y"]
    assert names_and_scores(reading.groups["x"]) == [("c", "a", 0.5), ("b", "c", 1.0), ("a", "b", 1.0)]
    assert names_and_scores(reading.groups["y"]) == [("b", "c", 0.0), ("a", "b", 0.0)]
    with pytest.raises(MatchDataError, match="none of 5 rows passes --where"):
        read_matches(frame, where="site = 'z'")
    with pytest.raises(LudometerError, match="--by city: no such column"):
        read_file(frame, ReadOptions(by="city"))


BAD = """date,player_1,player_2,score_1
2020-01-01,Ann,Ben,1
2020-01-02,Ann,Ann,1
2020-01-03,,Ben,1
2020-01-04,Ann,Ben,7
2020-01-05,Ann,Ben,abc
2020-01-06,Ann,Ben
03/04/2020,Ann,Cem,1
2020-01-08,Ann,Ben,1,extra

2020-01-09,Ben,Cem,0.5
"""


def test_all_faults_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(MatchDataError) as caught:
        read_matches(write(tmp_path / "bad.csv", BAD))
    message = str(caught.value)
    assert "bad.csv: 7 bad rows of 10" in message
    for line in (
        "more or fewer fields than the header: 2 (row 6, row 8)",
        "player_1 is missing: 1 (row 3)",
        "a player plays against themselves: 1 (row 2: 'Ann')",
        "cannot read this score_1 (write 1, 0.5, 0, 1-0, 1/2-1/2, 2:1, W, D or L): 2 (row 4: '7', row 5: 'abc')",
        "date is missing or not in the usual format (YYYY-MM-DD): 1 (row 7: '03/04/2020')",
        "--drop-bad-rows",
    ):
        assert line in message


def test_bad_rows_are_dropped_and_counted_on_request(tmp_path: Path) -> None:
    reading = read_file(write(tmp_path / "bad.csv", BAD), ReadOptions(drop_bad_rows=True))
    assert names_and_scores(reading.matches) == [("Ann", "Ben", 1.0), ("Ben", "Cem", 0.5)]
    assert reading.n_bad_rows == 7
    assert "7 of 10 rows dropped because of faults" in reading.describe()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"\n \n", "the file is empty"),
        ("a.csv", b"white,black,result\n", "the file has columns but no matches"),
        ("a.csv", b"a,b\n1,2\n", "cannot find the columns of the two players"),
        ("a.csv", bytes(range(256)) * 40, "not a table"),
        ("a.parquet", bytes(range(256)) * 40, "cannot be read"),
        ("a.parquet", b"", "the file is empty"),
        ("a.parquet", b"PAR1" + bytes(range(256)) * 40 + b"PAR1", "cannot be read"),
        ("a.csv.gz", b"\x1f\x8b" + b"x" * 50, "cannot be read"),
        ("a.csv.zst", b"\x28\xb5\x2f\xfd" + b"x" * 50, "cannot be read"),
        ("a.jsonl", b'{"white": 1}\n{oops}\n', "cannot be read"),
        ("a.csv", "white,black,result\n".encode("utf-16"), "UTF-16"),
        ("a.csv", b'white,black,result\n"Ann,Ben,1\n', "a quotation mark is not closed"),
        ("a.pgn", b"", "no games"),
        ("a.pgn", b'[White "A"]\n[Black "B"]\n[Result "*"]\n\n*\n', "none of 1 games is finished"),
    ],
)
def test_files_that_hold_no_matches_give_one_clear_error(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(LudometerError, match=message) as caught:
        read_matches(path)
    assert name in str(caught.value)


def test_absent_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LudometerError, match="no such file"):
        read_matches(tmp_path / "none.csv")
    with pytest.raises(LudometerError, match="a folder"):
        read_matches(tmp_path)


def test_text_that_is_not_utf8_is_read_as_windows_1252(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("white,black,result\nJosé,Ünal,1\n".encode("cp1252"))
    reading = read_file(path)
    assert reading.matches.players.names.to_list() == ["José", "Ünal"]
    assert "Windows-1252" in reading.notes[0]


def test_names_with_separators_and_line_ends_survive_quoting(tmp_path: Path) -> None:
    frame = pl.DataFrame({"white": ['a "b", c', "x\ny"], "black": ["d", "e"], "result": ["1", "0"]})
    frame.write_csv(tmp_path / "q.csv")
    assert read_matches(tmp_path / "q.csv").players.names.to_list() == ['a "b", c', "d", "x\ny", "e"]


def test_a_round_that_is_no_number_does_not_order(tmp_path: Path) -> None:
    text = "round,white,black,result\nQF,a,b,1\nSF,b,c,1\n"
    reading = read_file(write(tmp_path / "r.csv", text))
    assert reading.matches.time is None
    assert "does not order the matches" in reading.notes[0]


def test_a_date_that_cannot_be_understood_is_an_error(tmp_path: Path) -> None:
    text = "date,white,black,result\nyesterday,a,b,1\n"
    with pytest.raises(LudometerError, match="'yesterday', which is not a date"):
        read_file(write(tmp_path / "d.csv", text))


SEATS = """match,player,place
1,Ann,1
1,Ben,2
1,Cem,2
2,Ben,1
2,Ann,2
"""


def test_one_row_a_player_makes_matches_of_several(tmp_path: Path) -> None:
    matches = read_matches(write(tmp_path / "s.csv", SEATS))
    assert isinstance(matches.table, Seats)
    np.testing.assert_array_equal(matches.table.starts, [0, 3, 5])
    np.testing.assert_array_equal(matches.table.place, [1, 2, 2, 1, 2])


def test_rows_of_a_match_need_not_stand_together_and_scores_order_too(tmp_path: Path) -> None:
    text = (
        "game_id,player,score,date\nb,Ann,10,2020-02-01\na,Ben,5,2020-01-01\nb,Ben,30,2020-02-01\na,Ann,5,2020-01-01\n"
    )
    matches = read_matches(write(tmp_path / "s.csv", text))
    assert isinstance(matches.table, Pairs)
    assert names_and_scores(matches) == [("Ben", "Ann", 0.5), ("Ann", "Ben", 0.0)]


PRIZES = """match,player,place,won
1,Ann,1,50
1,Ben,2,30
1,Cem,3,
2,Ben,1,40
2,Ann,2,20
"""


def test_prizes_are_read_from_the_column_that_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "p.csv", PRIZES)
    table = read_matches(path, prizes="Won").table
    assert isinstance(table, Seats)
    assert table.prize is not None
    # an empty cell is no prize
    assert table.prize.tolist() == [50, 30, 0, 40, 20]
    without = read_matches(path).table
    assert isinstance(without, Seats)
    assert without.prize is None
    assert "prizes won" in read_file(path, ReadOptions(prizes="won")).describe()[0]


def test_prizes_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    path = write(tmp_path / "p.csv", PRIZES.replace("30", "much"))
    with pytest.raises(MatchDataError, match="won is not a number: 1 \\(row 2: 'much'\\)"):
        read_matches(path, prizes="won")
    with pytest.raises(LudometerError, match=r"--prizes wonn: no such column; did you mean 'won'\?"):
        read_matches(path, prizes="wonn")
    with pytest.raises(LudometerError, match="prizes need a multiplayer record"):
        read_matches(GAMES, prizes="result")


def test_a_fault_in_a_seat_costs_the_whole_match(tmp_path: Path) -> None:
    text = SEATS + "3,Ann,1\n3,Ben,x\n4,Ann,1\n5,Ann,1\n5,Ann,2\n6,Cem,1\n6,Ben,2\n"
    path = write(tmp_path / "s.csv", text)
    with pytest.raises(MatchDataError) as caught:
        read_matches(path)
    message = str(caught.value)
    assert "place is not a number: 1 (row 7: 'x')" in message
    assert "a match has only one player: 1 (row 8)" in message
    assert "a player appears twice in one match: 1 (row 10)" in message
    kept = read_matches(path, drop_bad_rows=True)
    assert len(kept) == 3
    np.testing.assert_array_equal(kept.seats.sizes, [3, 2, 2])


def test_a_stream_gives_the_same_matches_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BATCH_ROWS", 3)
    frame = GAMES.sort("date", maintain_order=True)
    frame.write_parquet(tmp_path / "m.parquet")
    batches = list(stream_matches(tmp_path / "m.parquet"))
    assert len(batches) == 2
    whole = read_matches(tmp_path / "m.parquet")
    assert np.concatenate([batch.pairs.first for batch in batches]).tolist() == whole.pairs.first.tolist()
    assert batches[-1].players.names.to_list() == whole.players.names.to_list()


def test_a_stream_out_of_order_is_refused(tmp_path: Path) -> None:
    GAMES.write_parquet(tmp_path / "m.parquet")
    with pytest.raises(MatchDataError, match="not in order of date"):
        list(stream_matches(tmp_path / "m.parquet"))


def test_a_stream_reports_faults_at_its_end(tmp_path: Path) -> None:
    with pytest.raises(MatchDataError, match="7 bad rows of 10"):
        list(stream_matches(write(tmp_path / "bad.csv", BAD)))
    kept = list(stream_matches(tmp_path / "bad.csv", ReadOptions(drop_bad_rows=True)))
    assert sum(map(len, kept)) == 2


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs"]), min_size=1, max_size=6)


@given(st.data())
def test_writing_and_reading_round_trips(tmp_path: Path, data: Any) -> None:
    players = data.draw(st.lists(names.map(str.strip).filter(bool), min_size=2, max_size=5, unique=True))
    pairs = st.lists(st.sampled_from(players), min_size=2, max_size=2, unique=True)
    rows = data.draw(st.lists(st.tuples(pairs, st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=20))
    frame = pl.DataFrame(
        {"player_1": [p[0] for p, _ in rows], "player_2": [p[1] for p, _ in rows], "score_1": [s for _, s in rows]}
    )
    expected = [(p[0], p[1], s) for p, s in rows]
    frame.write_csv(tmp_path / "r.csv")
    frame.write_parquet(tmp_path / "r.parquet")
    frame.write_ndjson(tmp_path / "r.jsonl")
    for name in ("r.csv", "r.parquet", "r.jsonl"):
        assert names_and_scores(read_matches(tmp_path / name)) == expected


@given(st.binary(max_size=400), st.sampled_from([".csv", ".parquet", ".jsonl", ".pgn", ".csv.gz"]))
def test_random_bytes_never_give_a_traceback(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"random{suffix}"
    path.write_bytes(content)
    with pytest.raises(LudometerError):
        read_matches(path)


def test_odd_lines_are_found_in_every_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BATCH_ROWS", 3)
    lines = [f"p{n},q{n},1" for n in range(12)]
    lines[4] = ""
    lines[7] = "x,y"
    path = write(tmp_path / "odd.csv", "white,black,result\n" + "\n".join(lines) + "\n")
    with pytest.raises(MatchDataError, match=r"1 bad row of 12(.|\n)*fields than the header: 1 \(row 8\)"):
        read_matches(path)
    kept = read_matches(path, drop_bad_rows=True)
    assert [name for name, _, _ in names_and_scores(kept)] == [f"p{n}" for n in range(12) if n not in (4, 7)]


@pytest.mark.parametrize("size", [1, 2, 3, 250_000])
def test_batches_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(sources, "BATCH_ROWS", size)
    with pytest.raises(MatchDataError, match="7 bad rows of 10"):
        read_matches(write(tmp_path / "bad.csv", BAD))
    options = ReadOptions(drop_bad_rows=True)
    whole = read_file(tmp_path / "bad.csv", options).matches
    assert names_and_scores(whole) == [("Ann", "Ben", 1.0), ("Ben", "Cem", 0.5)]
    digest = Fingerprint()
    for batch in stream_matches(tmp_path / "bad.csv", options):
        digest.add(batch)
    assert digest.hexdigest() == whole.fingerprint
    seats = read_matches(write(tmp_path / "s.csv", SEATS))
    np.testing.assert_array_equal(seats.seats.starts, [0, 3, 5])


def test_the_fingerprint_is_the_same_whatever_the_order_of_rows() -> None:
    shuffled = GAMES[[3, 0, 2, 1]]
    assert read_matches(shuffled).fingerprint == read_matches(GAMES[[3, 1, 2, 0]]).fingerprint


def test_ids_of_matches_may_repeat_in_other_groups(tmp_path: Path) -> None:
    text = "site,match,player,place\nA,1,Ann,1\nA,1,Ben,2\nB,1,Cem,1\nB,1,Dan,2\n"
    groups = read_file(write(tmp_path / "g.csv", text), ReadOptions(by="site")).groups
    assert {value: names_and_scores(matches) for value, matches in groups.items()} == {
        "A": [("Ann", "Ben", 1.0)],
        "B": [("Cem", "Dan", 1.0)],
    }


def test_a_ragged_seat_costs_its_match_and_two_times_are_a_fault(tmp_path: Path) -> None:
    path = write(tmp_path / "s.csv", SEATS + "3,Ann,1\n3,Ben\n3,Cem,2\n")
    reading = read_file(path, ReadOptions(drop_bad_rows=True))
    np.testing.assert_array_equal(reading.matches.seats.sizes, [3, 2])
    assert reading.n_bad_rows == 3
    text = "match,player,place,date\n1,Ann,1,2020-01-01\n1,Ben,2,2020-01-02\n"
    with pytest.raises(MatchDataError, match="a match has two times"):
        read_matches(write(tmp_path / "t.csv", text))


def test_columns_that_belong_together_are_taken_together(tmp_path: Path) -> None:
    text = "home,away,home_score,away_score,winner\na,b,2,1,a\na,b,0,1,b\na,b,1,1,draw\n"
    assert read_matches(write(tmp_path / "h.csv", text)).pairs.score.tolist() == [1, 0, 0.5]
    text = "home,away,winner\na,b,home\nb,a,a\na,b,Draw\n"
    assert read_matches(write(tmp_path / "w.csv", text)).pairs.score.tolist() == [1, 0, 0.5]
    text = "winner, loser, score\na, b, 6-4 6-3\n"
    assert names_and_scores(read_matches(write(tmp_path / "s.csv", text))) == [("a", "b", 1.0)]


def test_ids_with_gaps_are_the_same_players() -> None:
    frame = pl.DataFrame({"first": [7, 8, 9], "second": [8.0, 9.0, 7.0], "score": [1, 0, 1]})
    assert read_matches(frame).players.names.to_list() == ["7", "8", "9"]
    gap = frame.with_columns(second=pl.Series([8.0, None, 7.0]))
    assert read_matches(gap, drop_bad_rows=True).players.names.to_list() == ["7", "8", "9"]


def test_dates_in_text_are_filtered_as_dates(tmp_path: Path) -> None:
    text = "date,white,black,result\n05.01.2015,a,b,1\n31.12.2014,b,c,1\n01.06.2016,c,a,1\n"
    matches = read_matches(write(tmp_path / "d.csv", text), where="date >= '2015-01-01'")
    assert [name for name, _, _ in names_and_scores(matches)] == ["a", "c"]


def test_an_order_makes_dates_unnecessary(tmp_path: Path) -> None:
    text = "date,no,white,black,result\nTBD,2,a,b,1\n,1,b,c,1\n"
    path = write(tmp_path / "o.csv", text)
    assert [name for name, _, _ in names_and_scores(read_matches(path, order=("no",)))] == ["b", "a"]


def test_names_of_files_are_not_patterns_and_types_may_change_late(tmp_path: Path) -> None:
    write(tmp_path / "m1.jsonl", '{"winner": "a", "loser": "b"}\n')
    write(tmp_path / "m[1].jsonl", '{"winner": "c", "loser": "d"}\n')
    assert names_and_scores(read_matches(tmp_path / "m[1].jsonl")) == [("c", "d", 1.0)]
    rows = ['{"white": "a", "black": "b", "score": 1}\n'] * 10_001 + ['{"white": "a", "black": "b", "score": 0.5}\n']
    assert read_matches(write(tmp_path / "late.jsonl", "".join(rows))).pairs.score[-1] == 0.5


ODD = ["white,black,result\ra,b,1\r", "  \nwhite,black,result\na,b,1\n", '"x;y";white;black;result\n1;a;b;1\n']


@pytest.mark.parametrize("text", ODD)
def test_odd_headers_and_line_ends_are_understood(tmp_path: Path, text: str) -> None:
    assert names_and_scores(read_matches(write(tmp_path / "h.csv", text))) == [("a", "b", 1.0)]


def test_a_record_that_is_split_needs_read_file_and_a_stream_is_read_once() -> None:
    with pytest.raises(LudometerError, match="read_file"):
        read_matches(GAMES, by="white")
    stream = stream_matches(GAMES.sort("date", maintain_order=True))
    assert sum(map(len, stream)) == 4
    with pytest.raises(LudometerError, match="only once"):
        list(stream)


def test_empty_cells_of_a_csv_are_null_in_a_filter(tmp_path: Path) -> None:
    path = write(tmp_path / "w.csv", "league,white,black,result\nA,a,b,1\n,b,c,1\nB,c,a,1\n")
    for where, names in (("league is null", ["b"]), ("league is not null", ["a", "c"]), ("league != 'A'", ["c"])):
        assert [name for name, _, _ in names_and_scores(read_matches(path, where=where))] == names


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_packed_file_that_was_cut_off_is_refused(tmp_path: Path, pack: Any) -> None:
    rng = np.random.default_rng(0)
    text = "winner,loser\n" + "".join(f"{a},{a + 1}\n" for a in rng.integers(0, 10**9, 50_000))
    packed = pack(text.encode())
    (tmp_path / "cut.csv").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(MatchDataError, match="cannot be read"):
        read_matches(tmp_path / "cut.csv")
    (tmp_path / "two.csv").write_bytes(packed + pack(b"1,2\n"))
    assert len(read_matches(tmp_path / "two.csv")) == 50_001


def test_json_arrays_and_lazy_frames_are_tables_too(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", '[{"winner": "a", "loser": "b"}, {"winner": "b", "loser": "a"}]')
    assert len(read_matches(path)) == 2
    assert len(read_matches(GAMES.lazy())) == 4
    with pytest.raises(LudometerError, match="not from dict"):
        read_matches({})


def test_rows_of_separators_only_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path / "tail.csv", "white,black,result\na,b,1\n,,\n,,\n")
    assert len(read_matches(path)) == 1


def test_two_columns_of_one_name_and_a_useless_date_format_are_told(tmp_path: Path) -> None:
    twice = read_file(write(tmp_path / "t.csv", "white,black,result,White\na,b,1,x\n"))
    assert "two columns are called white: the first one is used" in twice.notes
    path = write(tmp_path / "d.csv", "date,white,black,result\n2020-01-01,a,b,1\n")
    with pytest.raises(LudometerError, match="fits --date-format dd/mm/yyyy"):
        read_matches(path, date_format="dd/mm/yyyy")


def test_order_may_be_one_text() -> None:
    assert ReadOptions(order="site, no").order == ("site", "no")
