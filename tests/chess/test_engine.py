"""Engines are found, asked, restarted and cached; what they say does not depend on kills or workers."""

from __future__ import annotations

import math
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ludometer.chess.engine.analysis import analyse_games, recall_evaluations
from ludometer.chess.engine.cache import Line, dump
from ludometer.chess.engine.uci import Engine, EngineFailure, Search, find_engine, read_lines
from ludometer.chess.record.pgn import ChessGame
from ludometer.chess.record.rules import replay
from ludometer.errors import LudometerError
from ludometer.parallel import Workers
from tests.chess.fake_engine import starts, write_engine

pytest.importorskip("chess", reason="python-chess is not installed")

ITALIAN = ("e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5", "c3", "Nf6", "d3", "d6")
QUEENS = ("d4", "d5", "c4", "e6", "Nc3", "Nf6", "Bg5", "Be7", "e3", "O-O")
ENGLISH = ("c4", "e5", "Nc3", "Nf6", "g3", "d5", "cxd5", "Nxd5", "Bg2", "Nb6")
MATE = ("e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#")
GAMES = [ChessGame(str(k), "Ann", "Ben", moves) for k, moves in enumerate((ITALIAN, QUEENS, ENGLISH, MATE), 1)]
DEPTH = Search(depth=1)


def stockfish() -> str:
    try:
        return str(find_engine("stockfish"))
    except LudometerError:
        pytest.skip("stockfish is not installed (apt-get install stockfish)")


def test_a_missing_engine_is_told_with_how_to_get_one() -> None:
    with pytest.raises(LudometerError, match="apt-get install stockfish"):
        find_engine("no-such-engine")


@pytest.mark.parametrize("wrong", [{}, {"depth": 3, "nodes": 4}, {"depth": 0}, {"depth": 1, "multipv": 0}])
def test_a_search_has_one_limit_and_whole_numbers(wrong: dict[str, int]) -> None:
    with pytest.raises(LudometerError):
        Search(**wrong)  # type: ignore[arg-type]


def test_only_the_last_complete_search_counts_and_bounds_do_not() -> None:
    said = [
        "info depth 3 multipv 1 score cp 10 pv e2e4",
        "info depth 3 multipv 2 score cp 5 pv d2d4",
        "info depth 4 multipv 1 score cp 12 pv e2e4",
        "info depth 4 multipv 1 score cp 99 lowerbound pv e2e4",
        "info depth 4 multipv 2 score mate -2 pv d2d4",
        "info depth 5 currmove e2e4",
        "bestmove e2e4",
    ]
    assert read_lines(said, sign=1, n_lines=2) == (Line("e2e4", 12.0), Line("d2d4", -math.inf))
    assert read_lines(said[:3], sign=-1, n_lines=2) == (Line("e2e4", -12.0),)
    with pytest.raises(EngineFailure, match="no evaluation"):
        read_lines(["bestmove e2e4"], sign=1, n_lines=1)


def test_every_position_is_asked_once_with_nothing_remembered(tmp_path: Path) -> None:
    engine, cache = str(write_engine(tmp_path)), tmp_path / "cache.sqlite"
    done = analyse_games(GAMES, engine=engine, search=DEPTH, cache=cache)
    said = (tmp_path / "log").read_text().splitlines()
    asked = [line for line in said if line.startswith("position")]
    # the start position is common to all games, and a mate is not asked about
    assert done.n_positions == 11 + 11 + 11 + 8
    assert done.n_new == len(asked) == len(set(asked)) == len(dump(cache)) == done.n_positions - 4 - 1 - 1
    assert all(said[k - 1] == "ucinewgame" for k, line in enumerate(said) if line.startswith("position"))
    assert done.n_engines == starts(tmp_path) == 1


def test_a_second_run_starts_no_engine(tmp_path: Path) -> None:
    engine, cache = str(write_engine(tmp_path)), tmp_path / "cache.sqlite"
    analyse_games(GAMES, engine=engine, search=DEPTH, cache=cache)
    before = dump(cache)
    again = analyse_games(GAMES, engine=engine, search=DEPTH, cache=cache)
    assert (again.n_engines, again.n_new, starts(tmp_path)) == (0, 0, 1)
    assert dump(cache) == before
    deeper = analyse_games(GAMES, engine=engine, search=Search(depth=2), cache=cache)
    assert deeper.n_new == len(before)


@pytest.mark.parametrize("policy", ["position", "game"])
def test_workers_change_nothing(tmp_path: Path, policy: str) -> None:
    engine = str(write_engine(tmp_path))
    search = Search(depth=1, hash_policy=policy)  # type: ignore[arg-type]
    for jobs in (1, 3):
        cache = tmp_path / f"{jobs}.sqlite"
        analyse_games(GAMES, engine=engine, search=search, cache=cache, workers=Workers(jobs))
    assert dump(tmp_path / "1.sqlite") == dump(tmp_path / "3.sqlite")


@pytest.mark.parametrize("flaw", ["crash", "hang"])
def test_a_failing_engine_is_restarted_and_the_game_tried_again(tmp_path: Path, flaw: str) -> None:
    (tmp_path / "sound").mkdir()
    sound, cache = write_engine(tmp_path / "sound"), tmp_path / "cache.sqlite"
    analyse_games(GAMES, engine=str(sound), search=DEPTH, cache=cache)
    flawed = str(write_engine(tmp_path, flaw=flaw))
    search = Search(depth=1, timeout=1.5)
    told: list[int] = []
    target = tmp_path / "flawed.sqlite"
    done = analyse_games(GAMES, engine=flawed, search=search, cache=target, on_positions=told.append)
    assert told[-1] == max(told) == done.n_positions
    assert (done.n_restarts, done.failed, done.n_engines) == (1, {}, 2)
    assert dump(tmp_path / "flawed.sqlite") == dump(cache)


def test_a_game_that_fails_twice_is_reported_and_the_others_go_on(tmp_path: Path) -> None:
    engine = str(write_engine(tmp_path, flaw="crash always"))
    # five positions of each start are evaluated, so the first game needs a third
    done = analyse_games(GAMES[:2], engine=engine, search=DEPTH, cache=tmp_path / "cache.sqlite")
    assert "ended while it was working" in done.failed["1"]
    evaluations, left_out = recall_evaluations(GAMES[:2], done.settings, cache=tmp_path / "cache.sqlite")
    assert set(left_out) == set(done.failed)
    assert len(evaluations) == 2 - len(done.failed)


def test_an_engine_that_always_fails_is_given_up(tmp_path: Path) -> None:
    engine = write_engine(tmp_path)
    engine.write_text(engine.read_text().replace("asked > 5", "True").replace("'none'", "'crash always'", 1))
    with pytest.raises(LudometerError, match="failed in 3 games in a row"):
        analyse_games(GAMES, engine=str(engine), search=DEPTH, cache=tmp_path / "cache.sqlite")


def test_a_program_that_is_no_engine_is_told(tmp_path: Path) -> None:
    with pytest.raises(LudometerError, match="ended"):
        Engine(find_engine("true"), DEPTH)


def test_a_carried_hash_gets_the_moves_and_is_redone_from_the_start(tmp_path: Path) -> None:
    engine, search = str(write_engine(tmp_path)), Search(depth=1, hash_policy="game")
    cache, again = tmp_path / "whole.sqlite", tmp_path / "again.sqlite"
    analyse_games(GAMES[:1], engine=engine, search=search, cache=cache)
    said = (tmp_path / "log").read_text().splitlines()
    assert said.count("ucinewgame") == 1
    assert any(line.endswith("moves e2e4 e7e5 g1f3") for line in said)
    shorter = [ChessGame("1", "Ann", "Ben", ITALIAN[:4])]
    analyse_games(shorter, engine=engine, search=search, cache=again)
    done = analyse_games(GAMES[:1], engine=engine, search=search, cache=again)
    assert done.n_new == 11
    assert dump(again) == dump(cache)


def test_two_lines_say_which_move_was_played(tmp_path: Path) -> None:
    engine, cache = str(write_engine(tmp_path)), tmp_path / "cache.sqlite"
    done = analyse_games(GAMES[3:], engine=engine, search=Search(depth=1, multipv=2), cache=cache)
    evaluations, _ = recall_evaluations(GAMES[3:], done.settings, cache=cache)
    assert evaluations.lines is not None
    assert evaluations.lines.shape == (8, 2)
    assert evaluations.choice is not None
    assert set(evaluations.choice.tolist()) == {-1}
    assert evaluations.evaluation[-1] == 3900
    assert evaluations.conventions.engine == "Fake 1.0 (multipv 2)"


def test_an_illegal_move_leaves_out_its_game_only(tmp_path: Path) -> None:
    games = [ChessGame("bad", "Ann", "Ben", ("e4", "Ke5")), *GAMES[:1]]
    done = analyse_games(games, engine=str(write_engine(tmp_path)), search=DEPTH, cache=tmp_path / "cache.sqlite")
    assert done.illegal == {"bad": "1... Ke5 is not a legal move"}
    assert done.n_games == 1
    assert done.to_frame()["game"].to_list() == ["bad"]


def test_positions_are_written_as_python_chess_writes_them() -> None:
    import chess

    rng = random.Random(3)
    for _ in range(20):
        board = chess.Board()
        moves: list[str] = []
        expected = [f"{board.epd()} 0 1"]
        while not board.is_game_over() and len(moves) < 120:
            move = rng.choice(list(board.legal_moves))
            moves.append(board.san(move) if rng.random() < 0.5 else move.uci())
            board.push(move)
            expected.append(f"{board.epd()} {board.halfmove_clock} 1")
        played = replay(moves)
        assert list(played.positions) == expected
        outcome = board.outcome()
        mated = outcome is not None and outcome.termination is chess.Termination.CHECKMATE
        assert (played.ending is not None and math.isinf(played.ending)) == mated


def test_options_reach_the_engine_and_the_key(tmp_path: Path) -> None:
    engine = find_engine(str(write_engine(tmp_path)))
    with Engine(engine, Search(depth=1, options=(("evalfile", "other.nnue"),), hash_mb=32)) as running:
        assert (running.settings.net, running.settings.hash_mb) == ("other.nnue", 32)
    assert "setoption name EvalFile value other.nnue" in (tmp_path / "log").read_text()
    with pytest.raises(LudometerError, match="no option 'Style'"):
        Engine(engine, Search(depth=1, options=(("Style", "wild"),)))
    with pytest.raises(LudometerError, match="ludometer sets this itself"):
        Search(depth=1, options=(("Threads", "8"),))


def test_a_killed_run_resumes_to_the_same_evaluations(tmp_path: Path) -> None:
    engine = write_engine(tmp_path, delay=0.05)
    program = f"""
import sys
from ludometer.chess.engine.analysis import analyse_games
from ludometer.chess.engine.uci import Search
from ludometer.chess.record.pgn import ChessGame
games = [ChessGame(str(k), "Ann", "Ben", moves) for k, moves in enumerate({[game.moves for game in GAMES]!r})]
analyse_games(games, engine={str(engine)!r}, search=Search(depth=1), cache=sys.argv[1])
"""
    command = [sys.executable, "-c", program]
    killed, rng = tmp_path / "killed.sqlite", random.Random(5)
    known = [0]
    for _ in range(2):
        process = subprocess.Popen([*command, str(killed)], stderr=subprocess.DEVNULL)
        while process.poll() is None and _count(killed) <= known[-1]:
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.3))
        assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        known.append(_count(killed))
    assert 0 < known[1] < known[2] < 35
    left_alone = tmp_path / "alone.sqlite"
    for cache, n_known in ((killed, known[2]), (left_alone, 0)):
        done = analyse_games(GAMES, engine=str(engine), search=DEPTH, cache=cache)
        assert done.n_new == 35 - n_known
    assert dump(killed) == dump(left_alone)


def _count(path: Path) -> int:
    try:
        return len(dump(path)) if path.exists() else 0
    except sqlite3.Error:
        return 0


def test_stockfish_sees_mates_and_says_the_same_twice(tmp_path: Path) -> None:
    engine = stockfish()
    search = Search(depth=5, multipv=2)
    for name in ("one", "two"):
        done = analyse_games(GAMES, engine=engine, search=search, cache=tmp_path / f"{name}.sqlite")
    assert dump(tmp_path / "one.sqlite") == dump(tmp_path / "two.sqlite")
    evaluations, left_out = recall_evaluations(GAMES, done.settings, cache=tmp_path / "two.sqlite")
    assert not left_out
    assert "Stockfish" in str(evaluations.conventions.engine)
    # before 4. Qxf7# and after it White mates
    assert evaluations.evaluation[-2:].tolist() == [3900, 3900]
    assert evaluations.choice is not None
    assert evaluations.choice[-2] == 0
    assert abs(int(evaluations.evaluation[0])) < 100
