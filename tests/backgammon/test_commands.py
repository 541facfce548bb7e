"""The commands for backgammon, with GNU Backgammon where it is installed."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import polars as pl
import pytest

from ludometer.read import read_file
from ludometer.report.schema import load_schema
from tests.backgammon.backgammon_records import HAND_WRITTEN, needs_gnubg
from tests.cli.conftest import Run

MONEY = HAND_WRITTEN.replace(" 1 point match", " 0 point match").replace("Ann", "Cleo")
"""The same for money, with another player."""


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "final.mat", tmp_path / "session.mat"]
    for path, text in zip(paths, (HAND_WRITTEN, MONEY), strict=True):
        path.write_text(text)
    return paths


@needs_gnubg
def test_an_analysis_is_a_document_that_fits_its_schema(run: Run, files: list[Path]) -> None:
    done = run("backgammon", "analyse", *files, "--plies", 0, "--json", "-")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    jsonschema.validate(found, load_schema("backgammon-analyse"))
    # eight moves, and in the session one double not made that was close
    assert found["data"] == {
        "matches": 2, "games": 2, "players": 3, "decisions": 9, "left_out_decisions": 0, "rolls": 8,
    }  # fmt: skip
    by_name = {row["player"]: row for row in found["players"]}
    assert by_name["Ann"]["error_rate"] < by_name["Ben"]["error_rate"]
    assert by_name["Ann"]["luck"]["points"] is by_name["Cleo"]["luck"]["matches"] is None
    for match in found["matches"]:
        assert match["skill"] + match["luck"] + match["rest"] == pytest.approx(match["result"])
        assert match["winner"] in match["sentence"]
    assert [match["unit"] for match in found["matches"]] == ["match", "points"]
    nulls = [path for path, value in _leaves(found) if value is None]
    assert set(nulls) == set(found["absent"])


def _leaves(value: object, path: str = "") -> list[tuple[str, object]]:
    if isinstance(value, dict):
        parts = [(str(name), part) for name, part in value.items() if path or name != "absent"]
    elif isinstance(value, list):
        parts = [(str(place), part) for place, part in enumerate(value)]
    else:
        return [(path, value)]
    return [leaf for name, part in parts for leaf in _leaves(part, f"{path}.{name}".lstrip("."))]


@needs_gnubg
def test_the_result_depends_on_no_number_of_jobs_and_no_cache(run: Run, files: list[Path], tmp_path: Path) -> None:
    words = ("backgammon", "analyse", *files, "--plies", 0, "--json", "-")
    first = run(*words, "--jobs", 2)
    kept = run(*words)
    (tmp_path / "cache" / "ludometer" / "backgammon.sqlite").unlink()
    again = run(*words)
    assert first.status == 0, first.err
    assert first.out == kept.out == again.out


@needs_gnubg
def test_the_terminal_shows_skill_and_luck_apart(run: Run, files: list[Path]) -> None:
    done = run("backgammon", "analyse", files[0], "--plies", 0)
    assert done.status == 0, done.err
    assert "1 match · 1 game · 4 decisions · 4 rolls · GNU Backgammon" in done.out
    assert "final.mat: match to 1, Ann beat Ben 1-0" in done.out
    assert "played better by" in done.out
    assert "too few games" in done.out


@needs_gnubg
def test_the_report_is_one_page_that_needs_nothing_else(run: Run, files: list[Path], tmp_path: Path) -> None:
    page, moves = tmp_path / "report.html", tmp_path / "moves.csv"
    done = run("backgammon", "analyse", files[0], "--plies", 0, "--html", page, "--moves", moves)
    assert done.status == 0, done.err
    assert f"wrote {moves}\nwrote {page}\n" in done.err
    text = page.read_text()
    for heading in ("Skill", "Luck", "Roll by roll", "How it was done"):
        assert f"<h2>{heading}</h2>" in text
    assert "<script" not in text
    assert 'src="http' not in text
    assert text.count("<svg") == 10
    table = pl.read_csv(moves)
    assert table.columns == ["match", "game", "turn", "player", "kind", "loss", "luck", "unit"]
    assert table["luck"].count() == 4


@needs_gnubg
@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.mat", b"", "the file is empty"),
        ("text.mat", b"hello world\n", "finds no match in it"),
        ("chess.sgf", b"(;GM[1]FF[4];B[aa])", "finds no match in it"),
        ("cut.sgf", b"(;FF[4]GM[6]CA[UTF-8]MI[length:3][game:0]PW[a]PB[b];B[53lq", "finds no match in it"),
        ("cut.mat", HAND_WRITTEN[:-25].encode(), "understands|the record ends at 0-0 of a match to 1"),
        ("nothing.mat", HAND_WRITTEN[:110].encode(), "no moves|the record ends|finds no match"),
        ("random.mat", bytes(range(1, 256)) * 8, "finds no match in it"),
    ],
)
def test_a_bad_file_is_one_clear_error(run: Run, tmp_path: Path, name: str, data: bytes, words: str) -> None:
    import re

    (tmp_path / name).write_bytes(data)
    page = tmp_path / "page.html"
    done = run("backgammon", "analyse", tmp_path / name, "--plies", 0, "--html", page, "--json", tmp_path / "out.json")
    assert done.status == 2
    assert done.err.startswith(f"Error: {name}: ")
    assert re.search(words, done.err)
    assert done.err.count("\n") == 1
    assert not page.exists()
    assert not (tmp_path / "out.json").exists()


@needs_gnubg
def test_a_match_that_is_not_over_can_be_taken_as_it_is(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "early.mat"
    path.write_text(HAND_WRITTEN.replace("      Wins 1 point\n", ""))
    assert "--unfinished" in run("backgammon", "analyse", path, "--plies", 0).err
    done = run("backgammon", "analyse", path, "--plies", 0, "--unfinished", "--json", "-")
    assert done.status == 0, done.err
    assert "not over" in done.err
    (match,) = json.loads(done.out)["matches"]
    assert (match["winner"], match["result"], match["decided"]) == (None, None, "nothing")


@needs_gnubg
def test_the_name_of_a_file_is_never_carried_out(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / 'a "folder"; quit'
    folder.mkdir()
    for name in ('x"; set player 0 name Eve; ".mat', "line\nbreak $(touch pwned) `id` '.mat", "-r.mat", "a\\b%s.mat"):
        path = folder / name
        path.write_text(HAND_WRITTEN)
        done = run("backgammon", "analyse", path, "--plies", 0, "--json", "-")
        assert done.status == 0, done.err
        (match,) = json.loads(done.out)["matches"]
        assert [row["player"] for row in match["players"]] == ["Ann", "Ben"]
        path.write_text("nonsense")
        assert run("backgammon", "analyse", path).err.count("\n") == 1
    assert not list(tmp_path.rglob("pwned"))
    assert not Path("pwned").exists()


def test_without_the_program_the_message_says_how_to_get_it(run: Run, files: list[Path], tmp_path: Path) -> None:
    for words in (("analyse", files[0]), ("play", "--out", tmp_path / "out.csv")):
        done = run("backgammon", *words, "--gnubg", "no-such-backgammon")
        assert done.status == 2
        assert "apt-get install gnubg" in done.err
    assert not (tmp_path / "out.csv").exists()


def test_the_file_that_is_read_is_not_written(run: Run, files: list[Path]) -> None:
    done = run("backgammon", "analyse", files[0], "--html", files[0])
    assert done.status == 2
    assert "is the file that is read" in done.err
    assert files[0].read_text() == HAND_WRITTEN


@needs_gnubg
def test_matches_that_it_plays_are_a_record_for_every_method(run: Run, tmp_path: Path) -> None:
    out, records = tmp_path / "results.csv", tmp_path / "records"
    words = ("backgammon", "play", "--player", "strong", "--player", "weak=0:0.2", "--matches", 2, "--seed", 1)
    done = run(*words, "--records", records, "--out", out, "--json", "-")
    assert done.status == 0, done.err
    assert f"wrote {out}\nwrote 2 records to {records}\n" in done.err
    found = json.loads(done.out)
    jsonschema.validate(found, load_schema("backgammon-play"))
    assert [row["matches"] for row in found["players"]] == [2, 2]
    assert sum(row["won"] for row in found["players"]) == 2
    table = pl.read_csv(out)
    assert table.columns == ["player_1", "player_2", "score_1"]
    assert set(table["player_1"]) | set(table["player_2"]) == {"strong", "weak"}
    assert len(read_file(str(out)).groups[None]) == 2
    names = sorted(path.name for path in records.iterdir())
    assert names == ["match-1.mat", "match-2.mat"]
    analysed = run("backgammon", "analyse", *records.iterdir(), "--plies", 0, "--json", "-")
    winners = [match["winner"] for match in json.loads(analysed.out)["matches"]]
    won = {row["player"]: row["won"] for row in found["players"]}
    assert {name: winners.count(name) for name in won} == won


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--player", "a=9"), "plies must be 0 to 2"),
        (("--player", "a", "--player", "b=x"), "--player b=x: write NAME=PLIES:NOISE"),
        (("--player", "a", "--player", "A"), "same name"),
        (("--player", "a"), "at least two players"),
        (("--player", "a;quit", "--player", "b"), "not a valid name"),
    ],
)
def test_players_that_cannot_be_are_bad_usage(run: Run, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = run("backgammon", "play", *words, "--out", tmp_path / "out.csv")
    assert done.status == 2
    assert message in done.err
    assert not (tmp_path / "out.csv").exists()
