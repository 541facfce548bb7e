"""Chess by an engine: agreement with the paper, time inside the engine, workers, kills, and the rate of reading.

    sh benchmarks/run.sh engine [london] [workers] [waiting] [kills] [reading] [events] [levels] [--engine stockfish]

Needs an engine (levels: Stockfish) and the games of shared/data/chess. Writes benchmarks/results/engine.json.
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
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.chess import calibrate, study_strengths
from ludometer.chess.engine.analysis import Analysis, analyse_games, recall_evaluations, replay_games
from ludometer.chess.engine.cache import dump
from ludometer.chess.engine.play import Choose, play_game, play_itself
from ludometer.chess.engine.uci import Engine, Search, find_engine
from ludometer.chess.record.evaluations import Evaluations
from ludometer.chess.record.pgn import ChessGame, read_chess_games
from ludometer.chess.strength.calibration import HeldOut, Units
from ludometer.chess.strength.gains import measure_gains
from ludometer.chess.strength.strengths import measure_strengths
from ludometer.moves import ENGINE, pool_gains
from ludometer.moves.uncertainty import Intervals
from ludometer.parallel import Workers
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
"""An engine that needs no processor: the gain by more workers then does not depend on the load of the machine."""

N_GAMES = 10_000


def main() -> None:
    """Run the named parts, or all."""
    parts = {"london": london, "workers": workers, "waiting": waiting, "kills": kills, "reading": reading}
    parts |= {"events": events, "levels": levels}
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
    """The London Classic 2011 at depth 10, twice with an empty cache and once from the cache."""
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
    """One worker and two with an engine that only waits 20 ms per position."""
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
    """Killed by signal 9 at random moments and restarted, compared with an uninterrupted run."""
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


def events(engine: str) -> dict[str, Any]:
    """All events on one scale through the engine; calibration by ratings; the engine's own gains as the reference."""
    games = [
        replace(game, name=f"{path.stem}:{game.name}")
        for path in sorted(LONDON.parent.glob("*.pgn"))
        for game in read_chess_games(path).games
    ]
    search = Search(depth=8)
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "all.sqlite"
        done = analyse_games(games, engine=engine, search=search, cache=cache)
        evaluations, _ = recall_evaluations(games, done.settings, cache=cache)
        played, _ = play_itself(games[:36:3], engine=engine, search=search, cache=cache)
        own, _ = recall_evaluations(played, done.settings, cache=cache)
    study = study_strengths(evaluations, method="engine")
    assert study.events is not None
    gains = measure_gains(evaluations)
    itself = replace(pool_gains(measure_gains(own)), name="itself")
    references = {reference.name: reference for reference in (ENGINE, pool_gains(gains), itself)}
    inconsistency = {
        name: round(measure_strengths(evaluations, method="engine", reference=reference).inconsistency, 1)
        for name, reference in references.items()
    }
    return {
        "engine": done.settings.describe(),
        "events": [_rounded(row) for row in study.events.events_frame().to_dicts()],
        "players": [_rounded(row) for row in study.events.to_frame().to_dicts()],
        "calibration": {units: _calibrated(evaluations, units) for units in ("player", "band")},
        "own_games": len(own),
        "own_mean_gain": round(float(measure_gains(own).value.mean()) / 100, 3),
        "mean_gain": round(float(gains.value.mean()) / 100, 3),
        "inconsistency": inconsistency,
    }


def levels(engine: str) -> dict[str, Any]:
    """Engines of limited strength against each other: a calibration by their nominal ratings, read for others.

    Their moves are drawn by the clock, so a second run gives other games.
    """
    nominal = [1350 + 125 * k for k in range(13)]
    openings = [game.moves[:8] for game in read_chess_games(LONDON).games]
    games: list[ChessGame] = []
    program, search = find_engine(engine), Search(depth=8)
    engines = [Engine(program, replace(search, options=_limited(elo))) for elo in nominal]
    try:
        for gap in (1, 2, 3):
            for one in range(len(nominal) - gap):
                pair = (one, one + gap) if (one + gap) % 2 else (one + gap, one)
                white, black = (_mover(engines[k]) for k in pair)
                game = play_game(white, black, opening=openings[len(games) % len(openings)], max_plies=120)
                names, ratings = zip(*((f"level {nominal[k]}", nominal[k]) for k in pair), strict=True)
                games.append(
                    replace(
                        game,
                        name=str(len(games)),
                        white=names[0],
                        black=names[1],
                        white_rating=ratings[0],
                        black_rating=ratings[1],
                    )
                )
    finally:
        for running in engines:
            running.close()
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "levels.sqlite"
        done = analyse_games(games, engine=engine, search=search, cache=cache)
        evaluations, _ = recall_evaluations(games, done.settings, cache=cache)
    made = calibrate(evaluations, intervals=Intervals(min_games=3))
    low, high = made.fit.value(np.array(made.range))
    refused = {side: made.predict(float(d), 10.0).reason for side, d in (("below", low - 5), ("above", high + 5))}
    return {"games": len(games), "depth": 8, **_calibrated(evaluations, "player", min_games=3), "refused": refused}


def _mover(engine: Engine) -> Choose:
    return lambda board: engine.choose(board.positions[-1])


def _limited(elo: int) -> tuple[tuple[str, str], ...]:
    return (("UCI_LimitStrength", "true"), ("UCI_Elo", str(elo)))


def _calibrated(evaluations: Evaluations, units: Units, *, min_games: int = 4) -> dict[str, Any]:
    found = calibrate(evaluations, units=units, intervals=Intervals(min_games=min_games))
    slope, low, high = found.slope
    held = {name: getattr(found.held_out, name) for name in HeldOut.__dataclass_fields__}
    return {
        "units": len(found.names),
        "range": [round(end) for end in found.range],
        "slope": round(slope, 3),
        "slope_interval": [round(low, 3), round(high, 3)],
        "held_out": {name: value if value is None else round(value, 3) for name, value in held.items()},
    }


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in row.items()}


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
