"""A record in many files is read as the same record in one file: players, order, notes and faults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.parallel import Workers
from ludometer.read import Reading, ReadOptions, read_file, read_matches, stream_matches
from ludometer.read.files import parts as files

Write = Callable[[pl.DataFrame, Path], None]


def games(n_matches: int = 60, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 12, n_matches)
    second = (first + rng.integers(1, 12, n_matches)) % 12
    return pl.DataFrame(
        {
            "player_1": [f"Player {i}" for i in first],
            "player_2": [f"Player {i}" for i in second],
            "score_1": rng.integers(0, 3, n_matches) / 2,
            "date": [f"2024-{1 + i // 28 % 12:02}-{1 + i % 28:02}" for i in rng.integers(0, 300, n_matches)],
        }
    )


def in_parts(frame: pl.DataFrame, folder: Path, write: Write, suffix: str, size: int = 7) -> Path:
    folder.mkdir(exist_ok=True)
    for number, start in enumerate(range(0, len(frame), size)):
        write(frame[start : start + size], folder / f"part-{number}{suffix}")
    return folder


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    frame.write_csv(path)


def assert_same(one: Matches, other: Matches) -> None:
    assert one.fingerprint == other.fingerprint
    assert one.players.names.to_list() == other.players.names.to_list()
    assert one.pairs.first.tobytes() == other.pairs.first.tobytes()
    assert one.pairs.second.tobytes() == other.pairs.second.tobytes()
    assert one.pairs.halves.tobytes() == other.pairs.halves.tobytes()


def read_both(frame: pl.DataFrame, folder: Path, **options: object) -> tuple[Reading, Reading]:
    """The record in one CSV file, and in parts of seven rows."""
    frame.write_csv(folder / "whole.csv")
    split = in_parts(frame, folder / "parts", write_csv, ".csv")
    chosen = ReadOptions(**options)  # type: ignore[arg-type]
    return read_file(folder / "whole.csv", chosen), read_file(split, chosen)


@pytest.mark.parametrize(
    ("write", "suffix"),
    [
        (write_csv, ".csv"),
        (lambda frame, path: frame.write_parquet(path), ".parquet"),
        (lambda frame, path: frame.write_ndjson(path), ".jsonl"),
        (lambda frame, path: frame.write_ipc(path), ".arrow"),
    ],
)
@pytest.mark.parametrize("batch", [5, 10, 250_000])
def test_parts_of_every_kind_are_one_record(
    tmp_path: Path, write: Write, suffix: str, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = games()
    write(frame, tmp_path / f"whole{suffix}")
    folder = in_parts(frame, tmp_path / "parts", write, suffix)
    monkeypatch.setattr(files, "BATCH_ROWS", batch)
    whole = read_matches(tmp_path / f"whole{suffix}")
    assert_same(read_matches(folder), whole)
    assert_same(read_matches(f"{folder}/part-*{suffix}"), whole)
    assert_same(read_file(folder, workers=Workers(jobs=2)).matches, whole)


def test_a_list_of_files_is_read_in_its_own_order(tmp_path: Path) -> None:
    frame = games().drop("date")
    folder = in_parts(frame, tmp_path / "parts", write_csv, ".csv", size=30)
    backwards = read_matches([folder / "part-1.csv", folder / "part-0.csv"])
    frame[30:].vstack(frame[:30]).write_csv(tmp_path / "backwards.csv")
    assert_same(backwards, read_matches(tmp_path / "backwards.csv"))


def test_numbers_in_names_count_by_their_size(tmp_path: Path) -> None:
    frame = games(120).drop("date")
    frame.write_csv(tmp_path / "whole.csv")
    folder = in_parts(frame, tmp_path / "parts", write_csv, ".csv")
    assert len(list(folder.iterdir())) > 10
    assert_same(read_matches(folder), read_matches(tmp_path / "whole.csv"))


def test_names_are_numbered_without_rows_that_are_left_out(tmp_path: Path) -> None:
    whole, split = read_both(games(), tmp_path, where="score_1 > 0.2 and date > '2024-03-01'")
    assert 5 < len(whole.matches) < 50
    assert_same(split.matches, whole.matches)
    assert split.left_out == whole.left_out


@pytest.mark.parametrize("options", [{"by": "player_1"}, {"order": ("score_1",)}, {"merge_names": True}])
def test_options_that_look_at_names_or_order_see_one_record(tmp_path: Path, options: dict[str, object]) -> None:
    whole, split = read_both(games(), tmp_path, **options)
    assert split.groups.keys() == whole.groups.keys()
    for value, matches in whole.groups.items():
        assert_same(split.groups[value], matches)


def test_untidy_names_blank_lines_and_missing_results_are_as_in_one_file(tmp_path: Path) -> None:
    header = "player_1,player_2,score_1\n"
    texts = ["Ann ,Ben,1\n\n Ann,Cem,0\n,,\n", "Ben,Ann,0\n\nCem,Ann,0.5\n", "ann,  Dora,1\n"]
    (tmp_path / "parts").mkdir()
    for number, text in enumerate(texts):
        (tmp_path / "parts" / f"{number}.csv").write_text(header + text)
    (tmp_path / "whole.csv").write_text(header + "".join(texts))
    whole, split = read_file(tmp_path / "whole.csv"), read_file(tmp_path / "parts")
    assert_same(split.matches, whole.matches)
    assert (split.left_out, split.notes, split.n_rows) == (whole.left_out, whole.notes, whole.n_rows)
    assert any("capitals" in note for note in split.notes)


def test_a_fault_is_told_with_its_file_and_its_row_there(tmp_path: Path) -> None:
    header = "player_1,player_2,score_1\n"
    (tmp_path / "a.csv").write_text(header + "Ann,Ben,1\nAnn,Cem,0\n")
    (tmp_path / "b.csv").write_text(header + "Ann,Ben,1\nAnn,Ann,0\nBen,Cem,7\nBen,Cem\n")
    with pytest.raises(MatchDataError, match=r"3 bad rows of 6") as caught:
        read_matches(tmp_path)
    told = str(caught.value)
    assert "row 2 of b.csv: 'Ann'" in told
    assert "row 3 of b.csv: '7'" in told
    assert "row 4 of b.csv" in told
    assert len(read_matches(tmp_path, drop_bad_rows=True)) == 3


def test_a_match_may_have_its_seats_in_two_files(tmp_path: Path) -> None:
    seats = pl.DataFrame(
        {"match": [1, 1, 1, 2, 2, 2], "player": ["a", "b", "c", "c", "a", "d"], "place": [1, 2, 3, 1, 1, 3]}
    )
    seats.write_csv(tmp_path / "whole.csv")
    folder = in_parts(seats, tmp_path / "parts", write_csv, ".csv", size=4)
    assert read_matches(folder).fingerprint == read_matches(tmp_path / "whole.csv").fingerprint


def test_folders_may_name_a_column(tmp_path: Path) -> None:
    frame = games(40)
    for site, part in (("here", frame[:25]), ("there", frame[25:])):
        (tmp_path / f"site={site}").mkdir()
        part.write_parquet(tmp_path / f"site={site}" / "games.parquet")
    (tmp_path / "_SUCCESS").touch()
    reading = read_file(tmp_path, ReadOptions(by="site"))
    assert {value: len(matches) for value, matches in reading.groups.items()} == {"here": 25, "there": 15}
    assert len(read_matches(tmp_path, where="site = 'there'")) == 15


def test_types_may_differ_if_one_can_be_read_as_the_other(tmp_path: Path) -> None:
    both: tuple[list[object], ...] = ([1, 2], ["3", "4"])
    for number, ids in enumerate(both):
        pl.DataFrame({"player_1": ids, "player_2": ids[::-1], "score_1": [1, 0]}).write_parquet(
            tmp_path / f"{number}.parquet"
        )
    assert read_matches(tmp_path).players.names.to_list() == ["1", "2", "3", "4"]
    pl.DataFrame({"player_1": ["x"], "player_2": ["y"], "score_1": [1]}).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(MatchDataError, match=r"2\.parquet: column player_1 holds String, in the first file .* Int64"):
        read_matches(tmp_path)


def test_a_stream_goes_through_all_files(tmp_path: Path) -> None:
    frame = games().drop("date")
    frame.write_csv(tmp_path / "whole.csv")
    folder = in_parts(frame, tmp_path / "parts", write_csv, ".csv")
    streamed = list(stream_matches(folder))
    assert sum(map(len, streamed)) == 60
    assert streamed[-1].players.names.to_list() == read_matches(tmp_path / "whole.csv").players.names.to_list()


def test_what_is_no_record_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(LudometerError, match="a folder without match files"):
        read_matches(tmp_path)
    games().write_csv(tmp_path / "a.csv")
    games().write_parquet(tmp_path / "b.parquet")
    with pytest.raises(LudometerError, match=r"differ in kind .* name those of the record with a pattern"):
        read_matches(tmp_path)
    with pytest.raises(LudometerError, match="no file fits this pattern"):
        read_matches(tmp_path / "*.jsonl")
    with pytest.raises(LudometerError, match="a list of files names none"):
        read_matches([])
    games().drop("score_1").write_csv(tmp_path / "c.csv")
    with pytest.raises(MatchDataError, match=r"c\.csv: no column is called score_1"):
        read_matches(f"{tmp_path}/*.csv")
