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
    assert str(caught.value).splitlines()[-1] == f"By its first rows it seems to be: {suggested}"
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
    assert notes == ("column Tag looks like dates, but does not order the matches: --time Tag",)
    assert read_file(_table(Ergebnis=RESULTS).rename({"Tag": "date"}), options).notes == ()


def test_a_column_of_winners_may_have_any_name() -> None:
    winners = [(ours, theirs, "draw")[n % 3] for n, (ours, theirs) in enumerate(PAIRS)]
    matches = read_matches(_table(Sieger=winners), first="Spieler A", second="Spieler B", score="Sieger")
    assert matches.pairs.score.tolist() == [(1.0, 0.0, 0.5)[n % 3] for n in range(len(PAIRS))]


def test_columns_that_are_taken_are_not_suggested_again() -> None:
    with pytest.raises(LudometerError, match=r"--second Spieler C: no such column; do you mean 'Spieler B'\?"):
        read_matches(_table(), first="Spieler A", second="Spieler C")


def test_equal_bad_values_are_counted_and_others_shown() -> None:
    results = [*["abandoned"] * 3, "?", *RESULTS[4:]]
    with pytest.raises(MatchDataError) as caught:
        read_matches(_table(result=results).rename({"Spieler A": "home", "Spieler B": "away"}))
    assert "4 (row 1: 'abandoned' and 2 more like it, row 4: '?')" in str(caught.value)


def test_empty_rows_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("home,away,result\nAnn,Ben,1-0\n\n,,\nBen,Ann,1-0\n", encoding="utf-8")
    assert read_file(path).describe()[1] == "2 of 4 rows empty and skipped"
