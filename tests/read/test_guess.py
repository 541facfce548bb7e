"""What columns seem to hold is told, and never used unasked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.read import ReadOptions, read_file, read_matches

NAMES = ["Ann", "Ben", "Cem", "Dan", "Eve"]
PAIRS = [(ours, theirs) for ours in NAMES for theirs in NAMES if ours != theirs]
RESULTS = ["1:0" if n % 3 else "1:1" for n in range(len(PAIRS))]


def _table(**more: Sequence[object]) -> pl.DataFrame:
    first, second = zip(*PAIRS, strict=True)
    days = [f"{n + 1:02}.03.2024" for n in range(len(PAIRS))]
    boards = [n % 4 for n in range(len(PAIRS))]
    return pl.DataFrame(
        {"Tag": days, "Brett": boards, "Spieler A": list(first), "Spieler B": list(second), **more}, strict=False
    )


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_the_error_names_the_options_that_the_first_rows_suggest(form: str, tmp_path: Path) -> None:
    path, table = tmp_path / f"verein.{form}", _table(Ergebnis=RESULTS)
    writers: dict[str, Any] = {"csv": table.write_csv, "parquet": table.write_parquet, "jsonl": table.write_ndjson}
    writers[form](path)
    with pytest.raises(LudometerError) as caught:
        read_matches(path)
    suggested = "--first 'Spieler A' --second 'Spieler B' --score Ergebnis --time Tag"
    assert str(caught.value).splitlines()[-1] == f"Judging by its first rows, try: {suggested}"
    options = ReadOptions(first="Spieler A", second="Spieler B", score="Ergebnis", time="Tag")
    assert len(read_file(path, options).matches) == len(PAIRS)


@pytest.mark.parametrize(
    ("columns", "suggested"),
    [
        ({"Sieger": [ours for ours, _ in PAIRS]}, "--score Sieger"),
        ({"Punkte": [1, 0] * (len(PAIRS) // 2)}, "--score Punkte"),
        ({"Runde": ["x"] * len(PAIRS)}, "--second 'Spieler B' --time Tag"),
    ],
)
def test_results_winners_and_nothing_are_told_apart(columns: dict[str, list[object]], suggested: str) -> None:
    with pytest.raises(LudometerError) as caught:
        read_matches(_table(**columns))
    assert suggested in str(caught.value).splitlines()[-1]


def test_two_columns_of_points_are_suggested_together() -> None:
    goals = {"Tore A": [n % 3 for n in range(len(PAIRS))], "Tore B": [n % 4 for n in range(len(PAIRS))]}
    with pytest.raises(LudometerError, match="--score 'Tore A,Tore B'"):
        read_matches(_table(**goals).drop("Brett"))


def test_nothing_is_suggested_where_no_columns_look_like_players() -> None:
    with pytest.raises(LudometerError) as caught:
        read_matches(pl.DataFrame({"a": [1.5, 2.5, 3.5], "b": ["x", "y", "z"], "c": [[1], [2], [3]]}))
    assert "seems to be" not in str(caught.value)


def test_dates_that_do_not_order_the_matches_are_noted() -> None:
    options = ReadOptions(first="Spieler A", second="Spieler B", score="Ergebnis")
    notes = read_file(_table(Ergebnis=RESULTS), options).notes
    assert notes == ("column Tag looks like dates, but does not order the matches; to use it: --time Tag",)
    assert read_file(_table(Ergebnis=RESULTS).rename({"Tag": "date"}), options).notes == ()


def test_a_column_of_winners_may_have_any_name() -> None:
    winners = [(ours, theirs, "draw")[n % 3] for n, (ours, theirs) in enumerate(PAIRS)]
    matches = read_matches(_table(Sieger=winners), first="Spieler A", second="Spieler B", score="Sieger")
    assert matches.pairs.score.tolist() == [(1.0, 0.0, 0.5)[n % 3] for n in range(len(PAIRS))]


def test_columns_that_are_taken_are_not_suggested_again() -> None:
    with pytest.raises(LudometerError, match=r"--second Spieler C: no such column; did you mean 'Spieler B'\?"):
        read_matches(_table(), first="Spieler A", second="Spieler C")


def test_equal_bad_values_are_counted_and_others_shown() -> None:
    results = [*["abandoned"] * 3, "?", *RESULTS[4:]]
    with pytest.raises(MatchDataError) as caught:
        read_matches(_table(result=results).rename({"Spieler A": "home", "Spieler B": "away"}))
    assert "4 (row 1: 'abandoned' and 2 more like it, row 4: '?')" in str(caught.value)


def test_empty_rows_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("home,away,result\nAnn,Ben,1-0\n\n,,\nBen,Ann,1-0\n", encoding="utf-8")
    assert read_file(path).describe()[1] == "2 of 4 rows skipped: they are empty"


def test_ids_winners_and_times_since_1970_are_suggested() -> None:
    ids = {name: 870_000 + 13 * place for place, name in enumerate(f"p{n}" for n in range(15))}
    pairs = [(one, other) for one in ids.values() for other in ids.values() if one != other]
    log = pl.DataFrame(
        {
            "player1_id": [one for one, _ in pairs],
            "player2_id": [other for _, other in pairs],
            "winner_id": [max(pair) for pair in pairs],
            "created_at": [1_700_000_000_000 + 375_000 * n for n in range(len(pairs))],
            "duration_ms": [50_000 + n for n in range(len(pairs))],
        }
    )
    with pytest.raises(LudometerError) as caught:
        read_matches(log)
    suggested = "--first player1_id --second player2_id --score winner_id --time created_at"
    assert str(caught.value).endswith(suggested)
    matches = read_matches(log, first="player1_id", second="player2_id", score="winner_id", time="created_at")
    assert matches.pairs.score.tolist() == [float(one > other) for one, other in pairs]
    assert str(matches.time[0] if matches.time is not None else "") == "2023-11-14T22:13:20.000000"


@pytest.mark.parametrize("given", [{}, {"match": "Partie", "player": "Spieler"}])
def test_one_row_a_player_is_suggested(given: dict[str, str]) -> None:
    games = [[NAMES[(n + seat) % 5] for seat in range(3 + n % 2)] for n in range(40)]
    rows = [
        (n, f"{1 + n % 28}.3.2024", name, seat + 1) for n, game in enumerate(games) for seat, name in enumerate(game)
    ]
    table = pl.DataFrame(rows, schema=["Partie", "Datum", "Spieler", "Platz"], orient="row")
    with pytest.raises(LudometerError) as caught:
        read_matches(table, **given)
    assert str(caught.value).endswith("--match Partie --player Spieler --place Platz --time Datum")


def test_nothing_is_repeated_that_was_said_already() -> None:
    with pytest.raises(LudometerError, match="no column holds the result") as caught:
        read_matches(_table(Runde=["x"] * len(PAIRS)), first="Spieler A", second="Spieler B")
    assert "seems to be" not in str(caught.value)


def test_dates_in_two_orders_are_refused_and_can_be_left_out_or_chosen() -> None:
    days = [f"{n + 1}/3/2024" if n % 2 else f"3/{n + 1}/2024" for n in range(len(PAIRS))]
    table = (
        _table(result=RESULTS).with_columns(pl.Series("date", days)).rename({"Spieler A": "home", "Spieler B": "away"})
    )
    with pytest.raises(LudometerError, match=r"two ways: 4 fit only MM/DD/YYYY.* 4 fit only DD/MM/YYYY.*--time none"):
        read_matches(table)
    assert read_matches(table, time="none").time is None
    assert len(read_matches(table, date_format="%d/%m/%Y", drop_bad_rows=True)) < len(PAIRS)


def test_one_date_the_other_way_round_is_a_bad_row() -> None:
    days = [f"{1 + n % 28}/3/2024" for n in range(300)]
    days[7] = "3/28/2024"
    table = pl.DataFrame({"home": ["a", "b"] * 150, "away": ["c", "d"] * 150, "result": ["1-0"] * 300, "date": days})
    with pytest.raises(MatchDataError, match="date is missing or not in the usual format"):
        read_matches(table)


def test_names_that_differ_only_in_capitals_are_noted_and_merged_on_request() -> None:
    table = pl.DataFrame(
        {"home": ["Ann", "BEN", "ann "], "away": ["Ben", "Cem  Can", "cem can"], "result": ["1-0", "0-1", "1-0"]}
    )
    reading = read_file(table)
    assert len(reading.matches.players) == 6
    assert reading.notes == (
        "3 names differ from another only in capitals or blanks, such as 'BEN' and 'Ben': each counts as a separate "
        "player; to join them: --merge-names",
    )
    merged = read_file(table, ReadOptions(merge_names=True))
    assert merged.matches.players.names.to_list() == ["Ann", "Ben", "Cem  Can"]
    assert merged.notes == ()


def test_walkovers_are_left_out_and_counted() -> None:
    results = ["W.O.", "forfait", *RESULTS[2:]]
    reading = read_file(_table(result=results).rename({"Spieler A": "home", "Spieler B": "away", "Tag": "date"}))
    assert len(reading.matches) == len(PAIRS) - 2
    assert reading.left_out == (f"2 of {len(PAIRS)} rows left out: the match was not finished",)


def test_what_was_dropped_is_told_with_its_reasons(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("home,away,result\nAnn,Ben,1-0\nBen,Ann,?\nBen,Ben,1-0\n", encoding="utf-8")
    told = read_file(path, ReadOptions(drop_bad_rows=True)).left_out
    assert told[0] == "2 of 3 rows dropped because of faults"
    assert told[1:] == (
        "  a player plays against themselves: 1 (row 3: 'Ben')",
        "  cannot read this result (write 1, 0.5, 0, 1-0, 1/2-1/2, 2:1, W, D or L): 1 (row 2: '?')",
    )


@pytest.mark.parametrize(
    ("contents", "remedy"), [(b"x", "unpack it first"), (b"[Content_Types].xml", "save the spreadsheet as CSV")]
)
def test_archives_and_spreadsheets_are_called_so(contents: bytes, remedy: str, tmp_path: Path) -> None:
    path = tmp_path / "games.zip"
    path.write_bytes(b"PK\x03\x04" + contents + bytes(range(200)))
    with pytest.raises(LudometerError, match=f"games.zip: zip archives cannot be read: {remedy}"):
        read_matches(path)
