"""Chess by an engine: agreement with the paper, time inside the engine, workers, kills, and the rate of reading.

    sh benchmarks/run.sh engine [london] [workers] [waiting] [kills] [reading] [--engine stockfish]

Needs an engine and the games of the London Classic 2011. Writes benchmarks/results/engine.json.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.intrinsic import measure_strengths
from ludometer.intrinsic.analysis import Analysis, analyse_games, recall_evaluations, replay_games
from ludometer.intrinsic.cache import dump
from ludometer.intrinsic.engine import Search
from ludometer.parallel import Workers
from ludometer.read.chess_games import read_chess_games
from schedules import store, stored

SHARED = Path(os.environ.get("LUDOMETER_SHARED", Path(__file__).parents[2] / "shared"))
LONDON = SHARED / "data" / "chess" / "london_classic_2011.pgn"
TABLE = SHARED / "reference" / "ferreira_table1_4.csv"
N_KILLS = 10
WAITING = """#!{python}
import sys, time
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("id name Waiting\\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        time.sleep(0.02)
        print("info depth 1 score cp 0 pv e2e4\\nbestmove e2e4", flush=True)
    elif word == "quit":
        break
"""
"""An engine that needs no processor: what workers gain does then not depend on what else the machine does."""

N_GAMES = 10_000


def main() -> None:
    """Run the named parts, or all."""
    parts = {"london": london, "workers": workers, "waiting": waiting, "kills": kills, "reading": reading}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*", help="which to run; all by default")
    parser.add_argument("--engine", default="stockfish")
    options = parser.parse_args()
    results = stored("engine")
    for name in options.part or parts:
        results[name] = parts[name](options.engine)
        print(name, results[name])
        store("engine", results)


def london(engine: str) -> dict[str, Any]:
    """The London Classic 2011 at depth 10, twice from nothing and once from the cache."""
    games, search = read_chess_games(LONDON).games, Search(depth=10)
    with tempfile.TemporaryDirectory() as folder:
        one, two = Path(folder) / "one.sqlite", Path(folder) / "two.sqlite"
        first = analyse_games(games, engine=engine, search=search, cache=one)
        again = analyse_games(games, engine=engine, search=search, cache=one)
        second = analyse_games(games, engine=engine, search=search, cache=two)
        evaluations, _ = recall_evaluations(games, first.settings, cache=one)
        identical = dump(one) == dump(two)
    found = measure_strengths(evaluations)
    strength = {name.split(",")[0]: value for name, value in zip(found.names, found.strength, strict=True)}
    with TABLE.open(encoding="utf-8") as stream:
        printed = {row["player"]: float(row["strength"]) for row in csv.DictReader(stream)}
    ours, theirs = (np.array([table[name] for name in printed]) for table in (strength, printed))
    return {
        "engine": first.settings.describe(),
        "games": first.n_games,
        "positions": first.n_positions,
        "spearman": round(_spearman(ours, theirs), 3),
        "rms": round(float(np.sqrt(np.mean((ours - theirs) ** 2))), 1),
        "with_interval": int(np.isfinite(found.low).sum()),
        "players": len(found.names),
        "mean_half_width": round(float(np.mean(found.high - found.low) / 2), 1),
        "share_inside_engine": [round(run.engine_seconds / run.seconds, 4) for run in (first, second)],
        "seconds": [round(run.seconds, 1) for run in (first, second)],
        "second_run": {
            "engines_started": again.n_engines,
            "evaluated": again.n_new,
            "seconds": round(again.seconds, 2),
        },
        "from_nothing_twice_identical": identical,
    }


def workers(engine: str) -> dict[str, Any]:
    """One worker and two on the same games, in turns."""
    games, search = read_chess_games(LONDON).games[:12], Search(depth=9)
    runs: dict[int, list[Analysis]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(3):
            for jobs, done in runs.items():
                cache = Path(folder) / f"{turn}-{jobs}.sqlite"
                done.append(analyse_games(games, engine=engine, search=search, cache=cache, workers=Workers(jobs)))
        same = dump(Path(folder) / "0-1.sqlite") == dump(Path(folder) / "0-2.sqlite")
    best = {jobs: min(run.seconds for run in done) for jobs, done in runs.items()}
    return {
        "seconds": {str(jobs): [round(run.seconds, 2) for run in done] for jobs, done in runs.items()},
        "speedup": round(best[1] / best[2], 2),
        "identical": same,
        "load": round(os.getloadavg()[0], 1),
    }


def waiting(_: str) -> dict[str, Any]:
    """One worker and two with an engine that only waits 20 ms a position."""
    games = read_chess_games(LONDON).games[:8]
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "waiting"
        program.write_text(WAITING.format(python=sys.executable), encoding="utf-8")
        program.chmod(0o755)
        for jobs in (1, 2):
            cache = Path(folder) / f"{jobs}.sqlite"
            search = Search(depth=1)
            done = analyse_games(games, engine=str(program), search=search, cache=cache, workers=Workers(jobs))
            seconds[str(jobs)] = round(done.seconds, 2)
    load = round(os.getloadavg()[0], 1)
    return {"seconds": seconds, "speedup": round(seconds["1"] / seconds["2"], 2), "load": load}


def kills(engine: str) -> dict[str, Any]:
    """Killed by signal 9 at random moments and started again, against a run that was left alone."""
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        games, alone, killed = (Path(folder) / name for name in ("games.pgn", "alone.sqlite", "killed.sqlite"))
        games.write_text(
            "\n\n[Event".join(LONDON.read_text(encoding="utf-8").split("\n\n[Event")[:12]), encoding="utf-8"
        )
        began = time.perf_counter()
        _analyse(games, alone, engine).wait()
        whole = time.perf_counter() - began
        counts: list[int] = []
        while len(counts) < N_KILLS:
            process = _analyse(games, killed, engine)
            before = counts[-1] if counts else 0
            while process.poll() is None and _count(killed) <= before:
                time.sleep(0.02)
            time.sleep(rng.uniform(0, 0.1 * whole))
            if process.poll() is not None:
                break
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            counts.append(_count(killed))
        status = _analyse(games, killed, engine).wait()
        return {
            "kills": len(counts),
            "seconds_left_alone": round(whole, 1),
            "positions_after_each": counts,
            "positions": len(dump(alone)),
            "status_of_the_last_run": status,
            "equal": dump(alone) == dump(killed),
        }


def reading(_: str) -> dict[str, Any]:
    """Ten thousand games: our reader, with and without the rules, against python-chess; by CPU time."""
    import chess.pgn

    text = LONDON.read_bytes()
    copies = -(-N_GAMES // 36)
    data = (text.rstrip() + b"\n\n") * copies
    began = time.process_time()
    games = read_chess_games(io.BytesIO(data)).games
    read = time.process_time() - began
    began = time.process_time()
    replay_games(games[:360])
    played = (time.process_time() - began) / 360
    stream = io.StringIO(data[: len(data) * 360 // len(games)].decode())
    began, n = time.process_time(), 0
    while chess.pgn.read_game(stream) is not None:
        n += 1
    theirs = (time.process_time() - began) / n
    rate = len(games) / read
    return {
        "games": len(games),
        "moves": sum(len(game.moves) for game in games),
        "games_a_second": round(rate),
        "games_a_second_with_positions": round(1 / (1 / rate + played)),
        "python_chess_games_a_second": round(1 / theirs),
        "times_as_fast": round(rate * theirs, 1),
        "times_as_fast_with_positions": round(theirs / (1 / rate + played), 2),
    }


def _analyse(games: Path, cache: Path, engine: str) -> subprocess.Popen[bytes]:
    command = ["chess", "analyse", games, "--engine", engine, "--depth", 6, "--cache", cache]
    words = [sys.executable, "-m", "ludometer", *map(str, command)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _count(path: Path) -> int:
    try:
        return len(dump(path)) if path.exists() else 0
    except sqlite3.Error:
        return 0


def _spearman(one: Floats, other: Floats) -> float:
    return float(np.corrcoef(one.argsort().argsort(), other.argsort().argsort())[0, 1])


if __name__ == "__main__":
    main()
