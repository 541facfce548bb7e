"""ludometer simulate writes files that ludometer reads, and keeps what it takes from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from ludometer.matches import Matches, Seats
from ludometer.players import Players
from ludometer.read import read_matches
from ludometer.report.files import write_matches
from ludometer.simulate import coin_on, deterministic_on, mix
from tests.cli.conftest import Run

SUFFIXES = [".parquet", ".csv", ".jsonl"]
TIMES = {
    "days": np.datetime64("1999-12-30") + np.arange(600) // 7,
    "clock": np.datetime64("2020-02-28T23:59:58.5", "us") + np.arange(600) * np.timedelta64(700_001, "us"),
    "whole": 1_900 + np.arange(600) // 7,
    "decimal": np.arange(600) / 7,
    "none": None,
}


def some_record(*, several: bool, time: Any = None) -> Matches:
    rng = np.random.default_rng(3)
    names = Players.named(["Ann", "Bo, Jr.", 'Cem "the cat"', "Dörte", "007", "Ed; Ed", "李"])
    sizes = rng.integers(2, 5, 600) if several else np.full(600, 2)
    player = np.concatenate([rng.permutation(7)[:size] for size in sizes])
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return Matches.of_seats(starts, player, rng.integers(1, 4, len(player)), players=names, time=time)


def write_record(matches: Matches, path: Path) -> Path:
    write_matches(matches.parts(250), path, by_seat=isinstance(matches.table, Seats))
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("several", [False, True])
def test_what_is_written_is_read_back(tmp_path: Path, suffix: str, times: str, several: bool) -> None:
    record = some_record(several=several, time=TIMES[times])
    assert read_matches(write_record(record, tmp_path / f"games{suffix}")).fingerprint == record.fingerprint


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("several", [False, True])
def test_mix_keeps_names_times_and_a_share_of_the_results(run: Run, tmp_path: Path, suffix: str, several: bool) -> None:
    record = some_record(several=several, time=TIMES["days"])
    source, out = write_record(record, tmp_path / "games.csv"), tmp_path / f"mixed{suffix}"
    done = run("simulate", "mix", source, "--x", 40, "--seed", 2, "--out", out)
    assert done.status == 0, done.err
    assert "wrote 600 matches of 7 players" in done.err
    assert read_matches(out).fingerprint == mix(read_matches(source), 40, seed=2).fingerprint
    expected = {"match", "player", "place", "time"} if several else {"player_1", "player_2", "score_1", "time"}
    if suffix == ".csv":
        assert set(pl.read_csv(out).columns) == expected


def test_mix_takes_all_that_says_how_to_read_a_file(run: Run, tmp_path: Path) -> None:
    source, out = tmp_path / "games.csv", tmp_path / "out.csv"
    source.write_text("a,b,res,year\nAnn,Ben,1-0,1999\nBen,Cem,0-1,2001\nDan,Eve,1-0,2001\nCem,Ann,1-0,2000\n")
    words = ("--first", "a", "--second", "b", "--score", "res", "--time", "year")
    assert run("simulate", "mix", source, "--x", 100, "--out", out, *words, "--where", "year > 1999").status == 0
    assert out.read_text() == "player_1,player_2,score_1,time\nCem,Ann,1.0,2000\nBen,Cem,0.0,2001\nDan,Eve,1.0,2001\n"
    assert run("simulate", "mix", source, "--x", 100, "--out", out, *words, "--min-component", 3).status == 0
    assert "Dan" not in out.read_text()
    split = run("simulate", "mix", source, "--x", 100, "--out", out, *words, "--by", "year")
    assert split.status == 2
    assert "--where" in split.err


@pytest.mark.parametrize("several", [False, True])
def test_a_schedule_gets_other_results_and_the_truth_has_its_names(run: Run, tmp_path: Path, several: bool) -> None:
    source = write_record(some_record(several=several, time=TIMES["clock"]), tmp_path / "games.parquet")
    record = read_matches(source)
    out, truth = tmp_path / "out.csv", tmp_path / "truth.csv"
    words = ("--on", source, "--seed", 5, "--out", out, "--truth", truth)
    assert run("simulate", "deterministic", "--x", 60, *words).status == 0
    matches, skill = deterministic_on(record, 60, seed=5)
    assert read_matches(out).fingerprint == matches.fingerprint
    told = pl.read_csv(truth, schema_overrides={"player": pl.String})
    assert dict(told.iter_rows()) == dict(zip(record.players.names, skill, strict=True))
    assert run("simulate", "coin", *words).status == 0
    assert read_matches(out).fingerprint == coin_on(record, seed=5).fingerprint
    assert pl.read_csv(truth)["skill"].abs().max() == 0


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", [("strengths", "--sd", 300), ("coin",), ("deterministic", "--x", 70)])
def test_matches_of_several_players_are_written_by_seat(
    run: Run, tmp_path: Path, kind: tuple[object, ...], suffix: str
) -> None:
    out = tmp_path / f"tables{suffix}"
    words = ("--players", 30, "--matches", 500, "--per-match", 4, "--seed", 1, "--out", out)
    assert run("simulate", *kind, *words, "--truth", tmp_path / "truth.csv").status == 0
    matches = read_matches(out)
    assert len(matches) == 500
    assert set(matches.seats.sizes) == {4}
    assert len(pl.read_csv(tmp_path / "truth.csv")) == 30
    first = out.read_bytes()
    assert run("simulate", *kind, *words).status == 0
    assert out.read_bytes() == first


def test_a_deterministic_game_is_measured_as_it_was_made(run: Run, tmp_path: Path) -> None:
    out, truth = tmp_path / "half.csv", tmp_path / "truth.csv"
    words = ("--players", 1_000, "--matches", 50_000, "--out", out, "--truth", truth)
    assert run("simulate", "deterministic", "--x", 50, *words).status == 0
    assert sorted(pl.read_csv(truth)["skill"]) == list(range(1_000))
    measured = json.loads(run("measure", out, "--quick", "--json", "-").out)
    assert measured["spread"][0]["sd"] == pytest.approx(123.9, abs=4)


def test_files_that_are_read_are_never_written_to(run: Run, tmp_path: Path) -> None:
    source = write_record(some_record(several=False), tmp_path / "games.csv")
    before = source.read_bytes()
    for words in (
        ("mix", source, "--x", 50, "--out", source),
        ("coin", "--on", source, "--out", tmp_path / "." / "games.csv"),
        ("deterministic", "--x", 50, "--on", source, "--out", tmp_path / "out.csv", "--truth", source),
    ):
        done = run("simulate", *words)
        assert done.status == 2
        assert "is the file that is read" in done.err
    assert source.read_bytes() == before
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("deterministic", "--out", "x.csv"), "--x"),
        (("deterministic", "--x", 101, "--out", "x.csv"), "101"),
        (("deterministic", "--x", "nan", "--out", "x.csv"), "--x nan: write a number from 0 to 100"),
        (("deterministic", "--x", 50, "--players", 5, "--per-match", 6, "--out", "x.csv"), "from 2 to all 5"),
        (("deterministic", "--x", 50, "--on", "games.csv", "--players", 9, "--out", "x.csv"), "leave out --players"),
        (("coin", "--on", "games.csv", "--per-match", 2, "--out", "x.csv"), "leave out --per-match"),
        (("coin", "--on", "none.csv", "--out", "x.csv"), "none.csv"),
        (
            ("coin", "--on", "odd.csv", "--out", "x.csv"),
            "odd.csv (--on): cannot find the columns of the two players; this file is",
        ),
        (
            ("deterministic", "--x", 5, "--on", "half.csv", "--out", "x.csv"),
            "half.csv (--on): no column holds the result",
        ),
        (("coin", "--on", "games.csv", "--out", "x.docx"), "ends in .parquet, .csv, .jsonl"),
        (("strengths", "--draws", 0.1, "--per-match", 3, "--out", "x.csv"), "draws are for two-player matches"),
        (("mix", "games.csv", "--out", "x.csv"), "--x"),
        (("mix", "none.csv", "--x", 50, "--out", "x.csv"), "none.csv"),
        (("mix", "games.csv", "--x", 50, "--out", "x.docx"), "ends in .parquet, .csv, .jsonl"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_record(some_record(several=False), tmp_path / "games.csv")
    (tmp_path / "odd.csv").write_text("weiss,schwarz,ergebnis\nAnn,Ben,1\n")
    (tmp_path / "half.csv").write_text("white,black,ergebnis\nAnn,Ben,1\n")
    done = run("simulate", *words)
    assert done.status == 2
    assert reason in done.err
    assert "Traceback" not in done.err
    assert "--first" not in done.err
    assert {path.name for path in tmp_path.iterdir()} == {"games.csv", "odd.csv", "half.csv"}


@pytest.mark.parametrize("kind", ["strengths", "coin", "deterministic", "mix"])
def test_every_kind_has_help_with_an_example(run: Run, kind: str) -> None:
    done = run("simulate", kind, "--help")
    assert done.status == 0
    assert f"  ludometer simulate {kind} " in done.out
