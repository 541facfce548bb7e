"""How our cost per match grows: from 10,000 to 100 million matches and from 100 to a million players, beside plain C.

    sh benchmarks/run.sh growth [most matches]

Sizes that are stored already are not measured again, so a run that was stopped goes on; remove the file of results to
begin anew. Every size is simulated to a file, streamed from it, read, and measured in memory, in a process of its own.
Passes in memory, ours and in C, run on one processor and its time counts; of all else it is the wall clock, so the
machine should be quiet. A record has at least ten matches a player: in a shorter one not all would play. The C loops
are those of the folder `bench` in LUDOMETER_SHARED (default ../shared) on the same coded matches; without it, or
without a C compiler, they are left out.
Writes benchmarks/results/growth.json and docs/growth.svg.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ludometer.kernels.runtime import lanes
from ludometer.kernels.systems import elo
from ludometer.matches import Matches
from ludometer.measurement import measure
from ludometer.ratings import fit_best_elo
from ludometer.read import read_matches
from ludometer.scale import from_elo
from ludometer.simulate import simulate_strengths
from scale import peak_gib, play_stream
from schedules import store, stored
from speed import SHARED, STEPS

MOST = 100_000_000
SIZES = [(10**n, 10**p) for n in range(4, 9) for p in range(2, 7) if p < n]
"""Matches, players."""


def fastest(
    works: dict[str, Callable[[], Any]], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Seconds of the fastest of several runs of each work, taken in turn so that all see the same machine."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(repeats):
        for name, work in works.items():
            begin = clock()
            work()
            best[name] = min(best[name], clock() - begin)
    return best


def our_passes(matches: Matches) -> dict[str, Callable[[], Any]]:
    """One pass with one k, and one in eight lanes."""
    pairs, n_players = matches.pairs, len(matches.players)
    step = lanes.allocate(1, 8)
    step[0] = from_elo(STEPS)

    def one() -> None:
        rating, nothing = np.zeros((n_players, 1)), np.empty(0)
        elo.elo_pass(pairs.first, pairs.second, pairs.halves, rating, from_elo(16.0), nothing, nothing.reshape(0, 2))

    def eight() -> None:
        rating, loss = lanes.allocate(n_players, 8), lanes.allocate(1, 8)
        elo.elo_lanes(pairs.first, pairs.second, pairs.halves, rating, step, loss)

    return {"one k": one, "8 lanes": eight}


def c_passes(matches: Matches) -> dict[str, Callable[[], Any]]:
    """The same by the C loops."""
    if not (SHARED / "bench" / "limit.py").exists():
        return {}
    sys.path.insert(0, str(SHARED / "bench"))
    sys.dont_write_bytecode = True
    try:
        library: Any = _build(importlib.import_module("limit"))
    except (OSError, subprocess.CalledProcessError):
        return {}
    pairs, n_players = matches.pairs, len(matches.players)
    n, score = ctypes.c_long(len(matches)), pairs.score.astype(np.float64)
    columns = [_pointer(np.ascontiguousarray(column)) for column in (pairs.first, pairs.second, score)]

    def one() -> None:
        library.one(*columns, n, _pointer(np.zeros(n_players)), ctypes.c_double(16.0))

    def eight() -> None:
        rating, loss = lanes.allocate(n_players, 8), np.zeros(8)
        library.lanes8(*columns, n, _pointer(rating), _pointer(STEPS), _pointer(loss))

    return {"C, one k": one, "C, 8 lanes": eight}


def measure_size(path: Path) -> dict[str, Any]:
    """Nanoseconds per match of everything on one file, and per match and lane where there are lanes."""
    _warm_up()
    results: dict[str, Any] = {}
    n, total, _ = play_stream(path)
    repeats = 7 if n <= 1_000_000 else 3
    if n <= 1_000_000:
        total = min(total, *(play_stream(path)[1] for _ in range(2)))
    results["streamed, 8 lanes"] = total / 8
    results["peak_gib_streaming"] = round(peak_gib(), 2)
    begin = time.perf_counter()
    matches = read_matches(path)
    results["reading"] = time.perf_counter() - begin
    works: dict[str, Callable[[], Any]] = {
        "calibrating k": lambda: fit_best_elo(matches),
        "measure --quick": lambda: measure(matches, quick=True),
    }
    results |= fastest(works, min(repeats, 3) if n <= 10_000_000 else 1)
    results["peak_gib_measuring"] = round(peak_gib(), 2)
    passes = fastest(our_passes(matches) | c_passes(matches), repeats, time.process_time)
    results |= {name: seconds / (8 if "lanes" in name else 1) for name, seconds in passes.items()}
    nanoseconds = {
        name: value if name.startswith("peak") else float(f"{1e9 * value / n:.4g}") for name, value in results.items()
    }
    return {"matches": n, "players": len(matches.players), **nanoseconds, "load": round(os.getloadavg()[0], 1)}


def run(most: int) -> None:
    """All sizes that are not stored yet, each in a process of its own; print, store, draw."""
    import growth_chart

    rows = stored("growth").get("sizes", [])
    known = {(row["matches"], row["players"]) for row in rows}
    for n_matches, n_players in SIZES:
        if n_matches > most or (n_matches, n_players) in known:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "matches.parquet"
            words = f"simulate strengths --players {n_players} --matches {n_matches} --activity 1.2 --out {path}"
            subprocess.run([sys.executable, "-m", "ludometer", *words.split()], check=True, stdout=sys.stderr)
            line = [sys.executable, __file__, "--one", str(path)]
            done = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True)
        row = {"matches": n_matches, "players": n_players} | {
            name if name != "players" else "players_seen": value
            for name, value in json.loads(done.stdout.strip().splitlines()[-1]).items()
        }
        rows = sorted([*rows, row], key=lambda each: (each["matches"], each["players"]))
        store("growth", {"processors": os.cpu_count(), "sizes": rows})
        print(json.dumps(row), flush=True)
    growth_chart.draw(rows)


def _warm_up() -> None:
    """Kernels compiled or loaded before the clock runs."""
    small = simulate_strengths(100, 5_000, seed=1)
    for work in our_passes(small).values():
        work()
    measure(small, quick=True)


def _build(limit: Any) -> Any:
    """The C loops, whose file is gone once they are loaded."""
    with tempfile.TemporaryDirectory() as folder:
        before, tempfile.tempdir = tempfile.tempdir, folder
        try:
            return limit.build()
        finally:
            tempfile.tempdir = before


def _pointer(array: Any) -> ctypes.c_void_p:
    """Where an array is; the pointer keeps it alive."""
    pointer: ctypes.c_void_p = array.ctypes.data_as(ctypes.c_void_p)
    return pointer


def main() -> None:
    """One size, or all."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure_size(Path(sys.argv[2]))))
        return
    most = int(float(sys.argv[1])) if len(sys.argv) > 1 else MOST
    run(most)
    import tables

    tables.write()


if __name__ == "__main__":
    main()
