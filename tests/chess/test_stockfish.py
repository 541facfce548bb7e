"""Stockfish itself, where it is installed: killed, on a cluster, behind a wrapper that crashes and hangs."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ludometer.chess.engine.analysis import analyse_games
from ludometer.chess.engine.cache import dump
from ludometer.chess.engine.uci import HashPolicy, Search, find_engine
from ludometer.chess.record.pgn import ChessGame
from ludometer.errors import LudometerError
from ludometer.parallel import Workers
from tests.test_parallel import Cluster, cluster

__all__ = ["cluster"]

chess = pytest.importorskip("chess", reason="python-chess is not installed")

_WRAPPER = r"""#!{python}
import os, subprocess, sys, time
engine = subprocess.Popen([{engine!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
last_words = {{"uci": "uciok", "isready": "readyok", "go": "bestmove"}}
for line in sys.stdin:
    word = (line.split() or [""])[0]
    if word == "go":
        with open({count!r}, "a") as count:
            count.write(".")
        asked = os.path.getsize({count!r})
        if asked in {crashes!r}:
            engine.kill()
            os._exit(5)
        if asked in {hangs!r}:
            engine.kill()
            time.sleep(600)
    engine.stdin.write(line)
    engine.stdin.flush()
    if word == "quit":
        break
    while word in last_words:
        said = engine.stdout.readline()
        print(said, end="", flush=True)
        if said.startswith(last_words[word]):
            break
engine.wait()
"""


@pytest.fixture(scope="module")
def stockfish() -> str:
    try:
        return str(find_engine("stockfish"))
    except LudometerError:
        pytest.skip("stockfish is not installed (apt-get install stockfish)")


def random_games(n_games: int, n_plies: int) -> list[ChessGame]:
    """Games of random moves, so that no two positions are alike."""
    rng, games = random.Random(7), []
    for number in range(n_games):
        board = chess.Board()
        moves: list[str] = []
        while len(moves) < n_plies and any(board.legal_moves):
            move = rng.choice(list(board.legal_moves))
            moves.append(move.uci())
            board.push(move)
        games.append(ChessGame(str(number), "Ann", "Ben", tuple(moves)))
    return games


def test_a_game_that_was_killed_with_a_carried_hash_is_redone_and_equals_one_left_alone(
    stockfish: str, tmp_path: Path
) -> None:
    games, search = random_games(2, 40), Search(depth=7, hash_policy="game")
    program = f"""
import sys
from ludometer.chess.engine.analysis import analyse_games
from ludometer.chess.engine.uci import Search
from ludometer.chess.record.pgn import ChessGame
games = [ChessGame(str(k), "Ann", "Ben", moves) for k, moves in enumerate({[game.moves for game in games]!r})]
analyse_games(games, engine={stockfish!r}, search=Search(depth=7, hash_policy="game"), cache=sys.argv[1])
"""
    killed, alone = tmp_path / "killed.sqlite", tmp_path / "alone.sqlite"
    first = games[0].n_positions
    process = subprocess.Popen([sys.executable, "-c", program, str(killed)])
    # into the middle of the second game
    while process.poll() is None and _count(killed) < first + 10:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    n_known = _count(killed)
    assert first + 10 <= n_known < 2 * first
    resumed = analyse_games(games, engine=stockfish, search=search, cache=killed)
    assert resumed.n_new == games[1].n_positions
    undisturbed = analyse_games(games, engine=stockfish, search=search, cache=alone)
    assert dump(killed) == dump(alone)
    # the memory does something: without it other evaluations come out
    fresh = tmp_path / "fresh.sqlite"
    analyse_games(games[:1], engine=stockfish, search=Search(depth=7), cache=fresh)
    carried = [lines for _, _, lines in dump(alone)]
    # both games begin with the start position
    assert len(carried) == undisturbed.n_new - 1 == 2 * first - 1
    assert {lines for _, _, lines in dump(fresh)} - set(carried)


@pytest.mark.parametrize("policy", ["position", "game"])
def test_a_cluster_gives_the_evaluations_of_one_engine(
    stockfish: str, tmp_path: Path, cluster: Cluster, policy: HashPolicy
) -> None:
    games, search = random_games(9, 16), Search(depth=3, hash_policy=policy)
    told: list[int] = []
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    analyse_games(games, engine=stockfish, search=search, cache=here)
    workers = Workers(cluster=cluster.address)
    done = analyse_games(
        games, engine="stockfish", search=search, cache=there, workers=workers, on_positions=told.append
    )
    assert dump(here) == dump(there)
    assert (done.failed, done.n_restarts) == ({}, 0)
    assert told[-1] == max(told) == done.n_positions
    # nine games are three batches, each with an engine there, and one was asked here who it is
    assert done.n_engines == 4
    again = analyse_games(games, engine="stockfish", search=search, cache=there, workers=workers)
    assert (again.n_engines, again.n_new) == (0, 0)


def test_crashes_and_hangs_cost_a_second_try_and_change_nothing(stockfish: str, tmp_path: Path) -> None:
    games = random_games(4, 12)
    whole = tmp_path / "whole.sqlite"
    analyse_games(games, engine=stockfish, search=Search(depth=4), cache=whole)
    flawed = _wrap(stockfish, tmp_path, crashes={5, 33}, hangs={20})
    search = Search(depth=4, timeout=1.5)
    found = tmp_path / "found.sqlite"
    done = analyse_games(games, engine=str(flawed), search=search, cache=found)
    assert (done.failed, done.n_restarts, done.n_engines) == ({}, 3, 4)
    assert dump(found) == dump(whole)


def test_a_game_that_fails_twice_is_reported_and_a_second_run_completes_it(stockfish: str, tmp_path: Path) -> None:
    games = random_games(3, 12)
    whole = tmp_path / "whole.sqlite"
    analyse_games(games, engine=stockfish, search=Search(depth=4), cache=whole)
    flawed = _wrap(stockfish, tmp_path, crashes={16}, hangs={19})
    search = Search(depth=4, timeout=1.5)
    found = tmp_path / "found.sqlite"
    done = analyse_games(games, engine=str(flawed), search=search, cache=found)
    assert list(done.failed) == ["1"]
    assert "did not answer within 1.5 seconds" in done.failed["1"]
    assert dump(found) != dump(whole)
    again = analyse_games(games, engine=str(flawed), search=search, cache=found)
    assert again.failed == {}
    assert 0 < again.n_new < games[1].n_positions
    assert dump(found) == dump(whole)


def _wrap(engine: str, folder: Path, *, crashes: set[int], hangs: set[int]) -> Path:
    """The engine behind a program that ends, or falls silent, at these searches."""
    program = folder / "flawed"
    program.write_text(
        _WRAPPER.format(python=sys.executable, engine=engine, count=str(folder / "count"), crashes=crashes, hangs=hangs)
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def _count(path: Path) -> int:
    try:
        return len(dump(path)) if path.exists() else 0
    except sqlite3.Error:
        return 0
