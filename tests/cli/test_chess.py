"""ludometer chess: games are analysed, measured, calibrated and followed, and mistakes are told in one message."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import jsonschema
import pytest

from ludometer.read.chess_games import read_chess_games
from ludometer.report.documents import load_schema
from tests.cli.conftest import Run
from tests.intrinsic.fake_engine import starts, write_engine

pytest.importorskip("chess", reason="python-chess is not installed")

OPENINGS = (
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7",
    "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O",
    "1. c4 e5 2. Nc3 Nf6 3. g3 d5 4. cxd5 Nxd5 5. Bg2 Nb6",
    "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6",
    "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#",
)
PLAYERS = {"Ann": 2000, "Ben": 1900, "Cid": 1850}


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    """Each of three players against each other, five openings."""
    path, names = tmp_path / "games.pgn", list(PLAYERS)
    games = []
    for k in range(15):
        white, black = names[k % 3], names[(k + 1) % 3]
        games.append(
            f'[Event "Club"]\n[White "{white}"]\n[Black "{black}"]\n[Result "*"]\n[WhiteElo "{PLAYERS[white]}"]\n'
            f'[BlackElo "{PLAYERS[black]}"]\n\n{OPENINGS[k % 5]} *\n'
        )
    path.write_text("\n".join(games))
    return path


@pytest.fixture
def analysed(run: Run, pgn: Path, tmp_path: Path) -> tuple[Path, Path]:
    cache = tmp_path / "cache.sqlite"
    done = run("chess", "analyse", pgn, "--engine", write_engine(tmp_path), "--depth", 3, "--cache", cache)
    assert done.status == 0, done.err
    return pgn, cache


def test_an_analysis_is_told_as_json_and_its_repetition_starts_no_engine(
    run: Run, analysed: tuple[Path, Path], tmp_path: Path
) -> None:
    pgn, cache = analysed
    done = run("chess", "analyse", pgn, "--engine", tmp_path / "fake", "--depth", 3, "--cache", cache, "--json", "-")
    found = json.loads(done.out)
    jsonschema.validate(found, load_schema("chess-analyse"))
    assert (found["games"], found["new"], found["known"]) == (15, 0, found["positions"])
    assert found["engine"]["name"] == "Fake 1.0"
    assert starts(tmp_path) == 1


def test_strengths_have_pairs_intervals_and_reasons(run: Run, analysed: tuple[Path, Path], tmp_path: Path) -> None:
    pgn, cache = analysed
    done = run("chess", "strength", pgn, "--cache", cache, "--json", "-")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    jsonschema.validate(found, load_schema("chess-strength"))
    assert {row["player"] for row in found["players"]} == set(PLAYERS)
    assert all(row["interval"][0] < row["strength"] < row["interval"][1] for row in found["players"])
    assert sum(row["strength"] for row in found["players"]) == pytest.approx(sum(PLAYERS.values()))
    assert len(found["pairs"]) == 3
    assert found["conventions"] == {"engine": "Fake 1.0", "depth": 3, "nodes": None, "mate_value": 3900}
    assert found["engine"]["strength"] is not None
    again = run("chess", "strength", pgn, "--cache", cache, "--json", "-")
    assert again.out == done.out
    table = run("chess", "strength", pgn, "--cache", cache)
    assert "to the engine" in table.out
    assert starts(tmp_path) == 1


def test_annotated_games_give_the_same_strengths_without_a_cache(
    run: Run, analysed: tuple[Path, Path], tmp_path: Path
) -> None:
    pgn, cache = analysed
    annotated = tmp_path / "annotated.pgn"
    first = run("chess", "strength", pgn, "--cache", cache, "--annotated", annotated, "--json", "-")
    read = read_chess_games(annotated).games
    assert [game.moves for game in read] == [game.moves for game in read_chess_games(pgn).games]
    second = run("chess", "strength", annotated, "--json", "-")
    assert second.status == 0, second.err
    one, two = (json.loads(done.out) for done in (first, second))
    assert one["players"] == two["players"]
    assert one["pairs"] == two["pairs"]


def test_filters_change_what_counts(run: Run, analysed: tuple[Path, Path]) -> None:
    pgn, cache = analysed
    words = ("chess", "strength", pgn, "--cache", cache, "--json", "-")
    everything = json.loads(run(*words).out)["data"]["moves"]
    later = json.loads(run(*words, "--skip-plies", 4).out)
    assert later["data"]["moves"] == everything - 15 * 4
    assert later["filters"]["skip_plies"] == 4
    near = json.loads(run(*words, "--window", 0.5, "--phase", "opening", "--reference", "pooled").out)
    assert 0 < near["data"]["moves"] < everything
    assert near["engine"]["reference"] == "pooled"


def test_the_report_is_one_page_that_needs_nothing_else(run: Run, analysed: tuple[Path, Path], tmp_path: Path) -> None:
    pgn, cache = analysed
    page = tmp_path / "report.html"
    done = run("chess", "strength", pgn, "--cache", cache, "--html", page)
    assert done.status == 0, done.err
    text = page.read_text()
    for heading in ("Strengths", "Pairs", "Gains", "Move by move", "What the choices do", "Data and method"):
        assert f"<h2>{heading}</h2>" in text
    assert "<script" not in text
    assert 'src="http' not in text
    assert text.count("<svg") >= 6


def test_two_lines_add_the_measures_of_difficulty(run: Run, pgn: Path, tmp_path: Path) -> None:
    cache, page = tmp_path / "two.sqlite", tmp_path / "two.html"
    words = ("--engine", write_engine(tmp_path), "--depth", 1, "--lines", 2, "--cache", cache)
    assert run("chess", "analyse", pgn, *words).status == 0
    done = run("chess", "strength", pgn, "--cache", cache, "--gap", "0:1", "--html", page, "--json", "-")
    assert done.status == 0, done.err
    assert json.loads(done.out)["filters"]["gap"] == [0, 100]
    text = page.read_text()
    # no game is long enough for Guid and Bratko, and no move is one of this engine's
    assert "<h2>Other measures</h2>" in text
    assert "Regan" in text or "Not shown: " in text


def test_a_table_of_evaluations_reproduces_the_paper(run: Run, shared_data: Path) -> None:
    path = shared_data / "chess" / "byrne_fischer_1956_houdini15a_d20.csv"
    done = run("chess", "strength", path, "--method", "engine", "--engine-strength", 2860, "--json", "-")
    found = json.loads(done.out)
    jsonschema.validate(found, load_schema("chess-strength"))
    by_name = {row["player"]: row for row in found["players"]}
    assert {name: round(row["strength"]) for name, row in by_name.items()} == {"Fischer": 2817, "Byrne": 2675}
    assert {name: round(row["against_engine"]["difference"], 1) for name, row in by_name.items()} == {
        "Fischer": -43.4,
        "Byrne": -185.4,
    }
    (pair,) = found["pairs"]
    sign = 1 if pair["player_1"] == "Fischer" else -1
    assert round(sign * pair["difference"], 1) == 112.8
    assert pair["interval"] is None
    assert found["absent"]["pairs.0.interval"] == "too few games"


def test_a_calibration_is_written_and_applied(run: Run, tmp_path: Path) -> None:
    """Players whose losses grow as their ratings fall, in a table of evaluations."""
    import numpy as np

    rng = np.random.default_rng(4)
    rows = ["game,ply,player,evaluation,rating"]
    game = 0
    for one in range(12):
        for other in range(one):
            for pair in ((one, other), (other, one)):
                game += 1
                level = 0
                rows.append(f"{game},0,,0,")
                for ply in range(1, 41):
                    who = pair[(ply + 1) % 2]
                    loss = int(rng.exponential(60 - 3.5 * who)) if rng.random() < 0.95 - 0.04 * who else 0
                    level += -loss if ply % 2 else loss
                    rows.append(f"{game},{ply},P{who},{level / 100},{1500 + 100 * who}")
    table, out = tmp_path / "rated.csv", tmp_path / "calibration.json"
    table.write_text("\n".join(rows))
    done = run("chess", "calibrate", table, "--out", out, "--json", "-")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    jsonschema.validate(found, load_schema("chess-calibrate"))
    assert found["slope_interval"][0] > 0
    assert found["n"] == 12
    applied = run("chess", "strength", table, "--calibration", out, "--json", "-")
    assert applied.status == 0, applied.err
    players = json.loads(applied.out)
    jsonschema.validate(players, load_schema("chess-strength"))
    elos = [row["calibrated"]["elo"] for row in players["players"] if row["calibrated"]["elo"] is not None]
    assert len(elos) >= 8
    assert max(elos) - min(elos) > 400
    refused = run("chess", "strength", table, "--calibration", out, "--skip-plies", 4)
    assert refused.status == 2
    assert "other conventions" in refused.err


def test_moves_on_standard_input_are_followed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("e4 e5\n2. Qh5 Nc6\nf1c4 Nf6 Qxf7#\n"))
    done = run("chess", "follow", "--engine", write_engine(tmp_path), "--depth", 1, "--white", "Ann", "--json")
    assert done.status == 0, done.err
    moves = [json.loads(line) for line in done.out.splitlines()]
    assert [row["number"] for row in moves] == ["1.", "1...", "2.", "2...", "3.", "3...", "4."]
    assert [row["player"] for row in moves[:2]] == ["Ann", "Black"]
    assert moves[-1]["evaluation"] == "#1"


def test_a_growing_file_is_followed_until_its_result(run: Run, tmp_path: Path) -> None:
    live = tmp_path / "live.pgn"
    live.write_text('[White "Ann"]\n[Black "Ben"]\n\n1. e4 e5 2. N')

    def go_on() -> None:
        time.sleep(0.3)
        with live.open("a") as stream:
            stream.write("f3 Nc6 ")
        time.sleep(0.2)
        with live.open("a") as stream:
            stream.write("3. Bb5 1-0\n")

    writer = threading.Thread(target=go_on)
    writer.start()
    engine = write_engine(tmp_path)
    done = run("chess", "follow", live, "--engine", engine, "--depth", 1, "--every", 0.05, "--engine-strength", 2800)
    writer.join()
    assert done.status == 0, done.err
    assert [line.split()[1] for line in done.out.splitlines()] == ["e4", "e5", "Nf3", "Nc6", "Bb5"]
    assert "Ann: " in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("analyse", "games.pgn", "--engine", "no-such-engine"), "apt-get install stockfish"),
        (("analyse", "missing.pgn"), "no such file"),
        (("analyse", "games.pgn", "--depth", 3, "--nodes", 5), "give one of them"),
        (("analyse", "games.pgn", "--option", "nonsense"), "not such as NAME=VALUE"),
        (("strength", "games.pgn", "--cache", "nowhere.sqlite"), "no such cache"),
        (("strength", "games.pgn", "--comments"), "no game has evaluations"),
        (("strength", "games.pgn", "--comments", "--html", "games.pgn"), "is the file that is read"),
        (("strength", "games.pgn", "--drop-bad-rows"), "no such cache"),
    ],
)
def test_mistakes_are_told_in_one_message(
    run: Run, pgn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    done = run("chess", *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


def test_of_several_depths_in_the_cache_one_is_chosen(run: Run, analysed: tuple[Path, Path], tmp_path: Path) -> None:
    pgn, cache = analysed
    run("chess", "analyse", pgn, "--engine", tmp_path / "fake", "--depth", 4, "--cache", cache)
    unclear = run("chess", "strength", pgn, "--cache", cache)
    assert unclear.status == 2
    assert "has several" in unclear.err
    chosen = run("chess", "strength", pgn, "--cache", cache, "--depth", 4, "--json", "-")
    assert json.loads(chosen.out)["conventions"]["depth"] == 4
    assert "nothing that fits" in run("chess", "strength", pgn, "--cache", cache, "--depth", 9).err


def test_a_game_in_which_the_engine_fails_is_reported(run: Run, pgn: Path, tmp_path: Path) -> None:
    engine = write_engine(tmp_path, flaw="crash always")
    few = tmp_path / "few.pgn"
    few.write_text("\n".join(pgn.read_text().split("\n\n[Event")[:1]))
    done = run(
        "chess", "analyse", few, "--engine", engine, "--depth", 1, "--cache", tmp_path / "c.sqlite", "--json", "-"
    )
    assert done.status == 1
    found = json.loads(done.out)
    jsonschema.validate(found, load_schema("chess-analyse"))
    assert found["failed"][0]["game"] == "1"
    assert "the engine was" not in done.out


@pytest.mark.parametrize("document", ["chess-analyse", "chess-strength", "chess-calibrate"])
def test_schemas_are_printed(run: Run, document: str) -> None:
    assert json.loads(run("schema", document).out)["title"]
