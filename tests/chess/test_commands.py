"""ludometer chess: games are analysed, measured, calibrated and followed, and mistakes are told in one message."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import pty
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
import zstandard

from ludometer.chess import fit_sensitivity, measure_quality, scale_events
from ludometer.chess.record.evaluations import Evaluations
from ludometer.chess.record.pgn import read_chess_games
from ludometer.report.schema import load_schema
from tests.chess.fake_engine import starts, write_engine
from tests.chess.test_events import two_events
from tests.chess.test_measures import choosing_games
from tests.chess.test_stockfish import stockfish
from tests.cli.conftest import Run

__all__ = ["stockfish"]

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


def check(document: dict[str, Any], name: str) -> None:
    """By its schema, and each null with a reason, no reason without a null."""
    jsonschema.validate(document, load_schema(name))
    nulls = set(_nulls({key: value for key, value in document.items() if key not in ("absent", "provenance")}, ""))
    told = {path for path in document["absent"] if not path.startswith("provenance")}
    assert told == nulls


def _nulls(value: Any, path: str) -> Iterator[str]:
    if value is None:
        yield path.removeprefix(".")
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _nulls(inner, f"{path}.{key}")


def write_table(games: Evaluations, path: Path) -> None:
    """As a table of evaluations, with the engine's lines where they are known."""
    names, rows = [*games.players.names, ""], []
    for k, game in enumerate(games.game.tolist()):
        row = {
            "game": games.games[game],
            "ply": games.ply[k],
            "player": names[games.player[k]],
            "evaluation": games.evaluation[k] / 100,
            "event": games.events[games.event[game]],
            "rating": games.rating[game, max(0, games.side[k])],
        }
        if games.lines is not None and games.choice is not None:
            row |= {"best": games.lines[k, 0] / 100, "second": games.lines[k, 1] / 100, "choice": games.choice[k] + 1}
        rows.append(row)
    pl.DataFrame(rows).with_columns(pl.col("rating").fill_nan(None)).write_csv(path)


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
    check(found, "chess-analyse")
    assert (found["games"], found["new"], found["known"]) == (15, 0, found["positions"])
    assert found["engine"]["name"] == "Fake 1.0"
    assert starts(tmp_path) == 1


def test_strengths_have_pairs_intervals_and_reasons(run: Run, analysed: tuple[Path, Path], tmp_path: Path) -> None:
    pgn, cache = analysed
    done = run("chess", "strength", pgn, "--cache", cache, "--json", "-")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    check(found, "chess-strength")
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
    assert f"wrote {annotated}\n" in first.err
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
    assert f"wrote {page}\n" in done.err
    assert done.status == 0, done.err
    text = page.read_text()
    for heading in ("Strengths", "Pairs", "Gains", "Move by move", "Effect of choices", "How it was done"):
        assert f"<h2>{heading}</h2>" in text
    assert "<script" not in text
    assert 'src="http' not in text
    assert text.count("<svg") >= 6


def test_two_lines_tell_how_hard_positions_were(run: Run, pgn: Path, tmp_path: Path) -> None:
    cache, page = tmp_path / "two.sqlite", tmp_path / "two.html"
    search = ("--engine", write_engine(tmp_path), "--depth", 1, "--lines", 2, "--cache", cache)
    assert run("chess", "analyse", pgn, *search).status == 0
    # this engine's second line is always 7 centipawns behind its first
    words = ("chess", "strength", pgn, "--cache", cache)
    every, done = (run(*words, "--gap", gap, "--html", page, "--json", "-") for gap in ("0:1", "0.05:0.1"))
    found = json.loads(done.out)
    check(found, "chess-strength")
    assert found["filters"]["gap"] == [5, 10]
    assert found["data"]["moves"] == json.loads(every.out)["data"]["moves"] > 0
    assert "no move counts" in run(*words, "--gap", "0.08:1").err
    variants = {entry["variant"]: entry for entry in found["variation"]["filters"]}
    assert variants["best move ahead by 0.05 to 0.1 pawns"]["moves"] == found["data"]["moves"]
    assert variants["best move ahead by 0.2 to 2 pawns"]["players"] is None
    # no game is long enough for Guid and Bratko, and no move is one of this engine's
    assert found["measures"] == {"guid_bratko": None, "regan": None}
    reasons = {
        "guid_bratko": "no moves count (without the first 22 plies, within 2 pawns)",
        "regan": "no move that counts is one of the engine's lines",
    }
    assert {name: found["absent"][f"measures.{name}"] for name in reasons} == reasons
    assert all(reason in unescape(page.read_text()) for reason in reasons.values())


def test_other_measures_are_those_of_the_library(run: Run, tmp_path: Path) -> None:
    games = choosing_games((0.1, 0.6), n_games=6)
    table, page = tmp_path / "lines.csv", tmp_path / "page.html"
    write_table(games, table)
    words = ("chess", "strength", table, "--rating", "Ann=2000", "--rating", "Ben=1900", "--measures", "--choices")
    done = run(*words, "--json", "-", "--html", page)
    assert done.status == 0, done.err
    found = json.loads(done.out)
    check(found, "chess-strength")
    quality, fitted = measure_quality(games), fit_sensitivity(games)
    ours = {row["player"]: row for row in found["measures"]["guid_bratko"]["players"]}
    for k, name in enumerate(quality.tally.names):
        assert ours[name]["mean_loss"] == pytest.approx(quality.loss[k])
        assert ours[name]["best_share"] == pytest.approx(quality.best_share[k])
        low, high = ours[name]["standard_share_interval"]
        assert low < quality.standard_share[k] < high
    regan = {row["player"]: row for row in found["measures"]["regan"]["players"]}
    assert regan["Ann"]["s"] == pytest.approx(fitted.s[fitted.tally.names.index("Ann")])
    assert regan["Ann"]["s"] < regan["Ben"]["s"]
    shown = run(*words).out
    for text in (shown, page.read_text()):
        assert f"{regan['Ann']['s']:.3f}" in text
        assert f"{ours['Ben']['mean_loss']:.3f}" in text
        assert "not shown" not in text


def test_events_stand_on_one_scale_and_their_players_against_each_other(run: Run, tmp_path: Path) -> None:
    table, page = tmp_path / "events.csv", tmp_path / "page.html"
    write_table(two_events(), table)
    words = ("chess", "strength", table, "--compare", "London", "Moscow", "--anchor", "Moscow")
    done = run(*words, "--json", "-", "--html", page)
    assert done.status == 0, done.err
    found = json.loads(done.out)
    check(found, "chess-strength")
    scale = scale_events(two_events(), anchor="Moscow")
    assert found["events"]["engine"] == pytest.approx(scale.engine)
    assert [row["event"] for row in found["events"]["events"]] == ["London", "Moscow"]
    for row, mean in zip(found["events"]["events"], scale.means.strength, strict=True):
        assert row["strength"] == pytest.approx(mean)
        assert row["interval"][0] < mean < row["interval"][1]
    assert len(found["events"]["players"]) == 9
    assert found["comparison"]["events"] == ["London", "Moscow"]
    assert len(found["comparison"]["pairs"]) == 16
    same = [row for row in found["comparison"]["pairs"] if row["player_1"] == row["player_2"]]
    assert all(row["interval"][0] < row["difference"] < row["interval"][1] for row in same)
    shown = run(*words).out
    assert "events on one scale, with an engine of" in shown
    assert "London minus Moscow, the same player in both" in shown
    assert "<h2>Events</h2>" in page.read_text()
    assert "<h2>Two events</h2>" in page.read_text()
    one = json.loads(run("chess", "strength", table, "--event", "Moscow", "--json", "-").out)
    assert one["absent"]["events"] == "there is one event"
    assert one["data"]["games"] == 30


def test_who_evaluated_a_table_is_told_by_options(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "events.csv"
    write_table(two_events(), table)
    done = run("chess", "strength", table, "--engine", "Houdini 1.5", "--depth", 12, "--json", "-")
    assert "taken as evaluations by Houdini 1.5, depth 12, as the options say\n" in done.err
    assert json.loads(done.out)["conventions"]["depth"] == 12
    assert "taken for" not in run("chess", "strength", table).err


def test_two_names_are_made_one(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "events.csv"
    write_table(two_events(), table)
    done = run("chess", "strength", table, "--rename", "P3=P4", "--json", "-")
    players = {row["player"]: row for row in json.loads(done.out)["players"]}
    assert set(players) == {"P0", "P1", "P2", "P4"}
    assert players["P4"]["games"] == 9 + 12 + 12 - 3
    assert "--rename P3: write NAME=NAME" in run("chess", "strength", table, "--rename", "P3").err


def test_what_choices_do_is_told(run: Run, analysed: tuple[Path, Path], tmp_path: Path) -> None:
    table = tmp_path / "events.csv"
    write_table(two_events(), table)
    words = ("chess", "strength", table, "--choices", "--skip-plies", 2)
    found = json.loads(run(*words, "--json", "-").out)
    check(found, "chess-strength")
    first, chosen = found["variation"]["filters"][:2]
    assert (first["variant"], first["largest_change"]) == ("all moves", 0)
    assert first["rank_correlation"] == pytest.approx(1)
    assert chosen["variant"] == "without the first 2 plies"
    relative = {row["player"]: row["relative"] for row in found["players"]}
    assert {row["player"]: row["relative"] for row in chosen["players"]} == pytest.approx(relative)
    assert [entry["variant"] for entry in found["variation"]["mate_values"]] == [
        "39 pawns", "10 pawns", "20 pawns", "100 pawns",
    ]  # fmt: skip
    shown = run(*words).out
    assert f"without the first 2 plies  {chosen['moves']:,}" in re.sub(" {3,}", "  ", shown)
    plain = json.loads(run(*words[:3], "--json", "-").out)
    assert plain["absent"]["variation"] == "not asked for (--choices)"
    pgn, cache = analysed
    # no game has 24 plies
    short = run("chess", "strength", pgn, "--cache", cache, "--choices")
    assert "not shown, without the first 24 plies: no move counts" in short.out


def test_gains_of_other_games_can_stand_for_the_engine(run: Run, analysed: tuple[Path, Path], tmp_path: Path) -> None:
    pgn, cache = analysed
    words = ("chess", "strength", pgn, "--cache", cache, "--json", "-")
    pooled = json.loads(run(*words, "--reference", "pooled").out)
    same = tmp_path / "same.pgn"
    same.write_text(pgn.read_text())
    other = json.loads(run(*words, "--reference", same).out)
    assert other["engine"]["reference"] == "same.pgn"
    assert [row["against_engine"] for row in other["players"]] == [row["against_engine"] for row in pooled["players"]]
    assert "no such file" in run(*words, "--reference", tmp_path / "nothing.pgn").err


def test_a_table_of_evaluations_reproduces_the_paper(run: Run, shared_data: Path) -> None:
    path = shared_data / "chess" / "byrne_fischer_1956_houdini15a_d20.csv"
    done = run("chess", "strength", path, "--method", "engine", "--engine-strength", 2860, "--json", "-")
    found = json.loads(done.out)
    check(found, "chess-strength")
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
    check(found, "chess-calibrate")
    assert found["slope_interval"][0] > 0
    assert found["n"] == 12
    applied = run("chess", "strength", table, "--calibration", out, "--json", "-")
    assert applied.status == 0, applied.err
    players = json.loads(applied.out)
    check(players, "chess-strength")
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
    for move in moves:
        check(move, "chess-follow")
    assert [row["number"] for row in moves] == ["1.", "1...", "2.", "2...", "3.", "3...", "4."]
    assert [row["player"] for row in moves[:2]] == ["Ann", "Black"]
    assert (moves[-1]["evaluation"], moves[-1]["mate"]) == (None, "white")
    assert moves[0]["mate"] is None
    assert abs(moves[0]["evaluation"]) < 1
    assert moves[0]["absent"]["strength"].startswith(("no estimate yet", "the strength of the engine"))


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
        (("analyse", "games.pgn", "--depth", 3, "--nodes", 5), "give only one of them"),
        (("analyse", "games.pgn", "--option", "nonsense"), "--option nonsense: write NAME=VALUE, such as"),
        (("strength", "games.pgn", "--cache", "nowhere.sqlite"), "no such cache"),
        (("strength", "games.pgn", "--comments"), "no game has evaluations"),
        (("strength", "games.pgn", "--comments", "--html", "games.pgn"), "is the file that is read"),
        (("strength", "games.pgn", "--drop-bad-rows"), "no such cache"),
        (("strength", "games.pgn", "--rating", "Ann=inf"), "--rating Ann=inf: write PLAYER=ELO, such as Ann=2400"),
        (("strength", "games.pgn", "--rating", "Ann"), "--rating Ann: write PLAYER=ELO, such as Ann=2400"),
        (("strength", "table.csv", "--rename", "Ann"), "--rename Ann: write NAME=NAME, such as"),
        (("strength", "table.csv", "--gap", "wide"), "--gap wide: write two numbers of pawns, such as 0.2:1"),
        (("strength", "games.pgn", "--engine-strength", "nan"), "--engine-strength nan: write a number"),
        (("strength", "games.pgn", "--calibration", "nothing.json"), "nothing.json: no such file"),
        (("strength", "table.csv", "--annotated", "out.pgn"), "has no moves"),
        (("strength", "table.csv", "--rating", "Nobody=2000"), "no player is called 'Nobody'"),
        (
            ("strength", "table.csv", "--event", "Paris"),
            "the games name no events (column event, tag Event)",
        ),
        (
            ("strength", "table.csv", "--anchor", "Paris"),
            "the games name no events (column event, tag Event)",
        ),
        (
            ("strength", "table.csv", "--compare", "Paris", "Rome"),
            "no event is called 'Paris'",
        ),
        (("strength", "table.csv", "--lines", 2), "needs no cache and no comments: leave out --lines"),
        (("strength", "table.csv", "--cache", "c.sqlite"), "needs no cache and no comments: leave out --cache"),
        (("strength", "table.csv", "--gap", "0:1"), "--lines 2"),
        (("strength", "table.csv", "--skip-plies", 400), "leaves out all 2 moves"),
        (
            (
                "strength",
                "alone.csv",
            ),
            "through the engine",
        ),
        (("calibrate", "table.csv", "--out", "out.json"), "no rating is known"),
        (("calibrate", "missing.csv", "--out", "out.csv"), "out.csv: write to a file that ends in .json"),
        (("analyse", "games.pgn", "--depth", 0), "not in the range"),
        (("analyse", "games.pgn", "--jobs", -1), "not in the range"),
        (("follow", "nothing.pgn", "--engine", "fake"), "no such file"),
        (("follow", "table.csv", "--engine", "fake", "--once"), "table.csv: contains no games in PGN"),
        (("play", "table.csv", "--engine", "fake", "--out", "out.pgn"), "table.csv: contains no games in PGN"),
    ],
)
def test_mistakes_are_told_in_one_message(
    run: Run, pgn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[object, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    write_engine(tmp_path)
    (tmp_path / "table.csv").write_text("game,ply,player,evaluation\n1,0,,0\n1,1,Ann,-0.1\n1,2,Ben,0.1\n")
    (tmp_path / "alone.csv").write_text("game,ply,player,evaluation\n1,0,,0\n1,1,Ann,-0.1\n")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = run("chess", *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


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
    check(found, "chess-analyse")
    assert found["failed"][0]["game"] == "1"
    assert "the engine was" not in done.out


@pytest.mark.parametrize("document", ["chess-analyse", "chess-strength", "chess-calibrate", "chess-follow"])
def test_schemas_are_printed(run: Run, document: str) -> None:
    assert json.loads(run("schema", document).out)["title"]
    assert document in run("schema", "nonsense").err


HEAD = '[White "Ann"]\n[Black "Ben"]\n'
MESSY = {
    "empty.pgn": (b"", "contains no games"),
    "words.pgn": (b"hello world\n", "words.pgn: contains no games in PGN"),
    "table.pgn": (b"white,black,result\nAnn,Ben,1-0\n", "table.pgn: contains no games in PGN"),
    "binary.pgn": (bytes(range(256)) * 4, "binary.pgn: contains no games in PGN"),
    "wrong.pgn": (b"1. e5 e4 *\n", "1. e5 is not a legal move"),
    "german.pgn": (b"1. Sf3 Sf6 *\n", "1. Sf3 is not a legal move"),
    "header.pgn": (HEAD.encode(), "1 without moves"),
    "forfeit.pgn": (f"{HEAD}\n{{ White did not come }} 0-1\n".encode(), "1 without moves"),
    "variant.pgn": (f'{HEAD}[Variant "Chess960"]\n\n1. e4 e5 *\n'.encode(), "1 of another variant"),
    "position.pgn": (f'{HEAD}[FEN "nonsense"]\n\n1. e4 *\n'.encode(), "is not a position"),
    "cut.pgn.gz": (gzip.compress(HEAD.encode() + b"\n1. e4 e5 *\n")[:-9], "cannot be read"),
    "cut.pgn.bz2": (bz2.compress(HEAD.encode() + b"\n1. e4 e5 *\n")[:-9], "cannot be read"),
}


@pytest.mark.parametrize("name", MESSY)
def test_files_without_a_game_are_told_in_one_message_and_leave_nothing(run: Run, tmp_path: Path, name: str) -> None:
    content, said = MESSY[name]
    (tmp_path / name).write_bytes(content)
    engine, cache = write_engine(tmp_path), tmp_path / "cache.sqlite"
    before = sorted(path.name for path in tmp_path.iterdir())
    for words in (("analyse",), ("strength", "--comments")):
        extra = ("--engine", engine, "--depth", 1) if words == ("analyse",) else ()
        done = run("chess", *words, tmp_path / name, *extra, "--cache", cache, "--json", tmp_path / "out.json")
        assert (done.status, done.out) == (2, "")
        assert "Traceback" not in done.err
        assert words != ("analyse",) or said in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_games_of_all_kinds_and_packings_are_read_alike(run: Run, tmp_path: Path) -> None:
    """A byte order mark, variations, comments, another start position; what is not playable is counted."""
    text = (
        f"\ufeff{HEAD}\n1. e4 (1. d4 d5 (1... Nf6)) 1... e5 $1 {{good}} 2. Nf3 ; to here\nNc6 1-0\n\n"
        f'{HEAD}[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"]\n\n1... Kd7 2. e4 Ke6 3. Ke2 *\n\n'
        f"{HEAD}\n1. e4 e5 2. Ke3 *\n\n{HEAD}\n1-0\n"
    ).encode()
    packed = {"a.pgn": text, "a.pgn.gz": gzip.compress(text), "a.pgn.bz2": bz2.compress(text)}
    packed["a.pgn.zst"] = zstandard.ZstdCompressor().compress(text)
    engine, found = write_engine(tmp_path), []
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
        cache = tmp_path / f"{name}.sqlite"
        done = run(
            "chess", "analyse", tmp_path / name, "--engine", engine, "--depth", 1, "--cache", cache, "--json", "-"
        )
        assert "1 without moves" in done.err
        found.append({key: value for key, value in json.loads(done.out).items() if key != "provenance"})
    assert found[0]["games"] == 2
    assert found[0]["illegal"] == [{"game": "3", "reason": "2. Ke3 is not a legal move"}]
    assert all(entry == found[0] for entry in found)


def test_what_is_read_is_never_written_over(run: Run, pgn: Path, tmp_path: Path) -> None:
    before = pgn.read_bytes()
    engine = write_engine(tmp_path)
    done = run("chess", "analyse", pgn, "--engine", engine, "--depth", 1, "--cache", tmp_path / "c", "--json", pgn)
    assert (done.status, done.out) == (2, "")
    assert "is the file that is read" in done.err
    assert starts(tmp_path) == 0
    twice = run("chess", "strength", pgn, "--json", tmp_path / "x", "--html", tmp_path / "x")
    assert "two results cannot go into one file" in twice.err
    assert pgn.read_bytes() == before


def test_without_an_engine_it_is_told_how_to_get_one(
    run: Run, pgn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("ludometer.programs.GAMES_FOLDER", str(tmp_path))
    for words in (("analyse", pgn, "--cache", tmp_path / "c.sqlite"), ("follow", pgn)):
        done = run("chess", *words)
        assert (done.status, done.out) == (2, "")
        assert "apt-get install stockfish" in done.err
    assert not (tmp_path / "c.sqlite").exists()
    notes = tmp_path / "notes.txt"
    notes.write_text("no program")
    assert "not an executable program" in run("chess", "analyse", pgn, "--engine", notes).err
    assert "a UCI engine" in run("chess", "analyse", pgn, "--engine", "/bin/true", "--cache", tmp_path / "c.sqlite").err


def test_an_engine_that_plays_itself_is_a_reference(run: Run, pgn: Path, tmp_path: Path, stockfish: str) -> None:
    cache, own = tmp_path / "cache.sqlite", tmp_path / "own.pgn"
    search = ("--engine", stockfish, "--depth", 2, "--cache", cache)
    done = run("chess", "play", pgn, *search, "--opening-plies", 6, "--games", 3, "--max-plies", 30, "--out", own)
    assert done.status == 0, done.err
    assert done.out.startswith("3 games, 1 player, ")
    assert f"wrote {own}\n" in done.err
    assert run("chess", "analyse", pgn, *search).status == 0
    # by the cache, and by the comments alone
    words = ("chess", "strength", pgn, "--cache", cache, "--reference", own, "--json", "-")
    found = json.loads(run(*words).out)
    check(found, "chess-strength")
    assert found["engine"]["reference"] == "own.pgn"
    assert found["inconsistency"] is not None
    assert all(game.evaluation for game in read_chess_games(own).games)
    refused = run("chess", "play", pgn, *search, "--opening-plies", 60, "--out", tmp_path / "none.pgn")
    assert (refused.status, refused.out) == (2, "")
    assert not (tmp_path / "none.pgn").exists()


def test_progress_with_the_time_left_is_shown_on_a_terminal(pgn: Path, tmp_path: Path) -> None:
    engine = write_engine(tmp_path, delay=0.02)
    command = ["-m", "ludometer", "chess", "analyse", pgn, "--engine", engine, "--depth", 1, "--cache", tmp_path / "c"]
    head, tail = pty.openpty()
    with subprocess.Popen([sys.executable, *map(str, command)], stderr=tail, stdout=subprocess.DEVNULL) as process:
        os.close(tail)
        said = b""
        while True:
            try:
                part = os.read(head, 4096)
            except OSError:
                break
            if not part:
                break
            said += part
        assert process.wait() == 0
    os.close(head)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode())
    assert re.search(r"evaluate .* +[1-9]\d*/156 0:00:0\d", plain), plain


def test_a_table_loads_nothing_that_the_answer_does_not_use(tmp_path: Path) -> None:
    write_table(two_events(), tmp_path / "table.csv")
    code = (
        "import sys\nfrom ludometer.cli import main\n"
        f"sys.argv = ['ludometer', 'chess', 'strength', {str(tmp_path / 'table.csv')!r}, '--replicates', '20']\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "engine" in done.stdout
    loaded = set(done.stderr.split())
    assert "ludometer.chess.strength.strengths" in loaded
    unused = ("measurement", "ratings", "simulate", "learning", "kernels.gibbs", "kernels.systems", "report.templates")
    assert not [name for name in loaded if name.startswith(tuple(f"ludometer.{room}" for room in unused))]
    assert not {"altair", "jinja2", "chess", "rich", "scipy.stats"} & loaded
