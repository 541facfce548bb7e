"""Speed as ratios, each measured in one run: against plain C, against peers, against Polars, against `import click`.

    sh benchmarks/run.sh speed

The C loops are those of the folder `bench` in LUDOMETER_SHARED (default ../shared); without it, or without a C
compiler, that line is left out. Writes benchmarks/results/speed.json.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ludometer.kernels.runtime import lanes
from ludometer.kernels.systems import elo
from ludometer.matches import Matches
from ludometer.read import read_matches
from ludometer.scale import from_elo
from ludometer.simulate import simulate_strengths

N_MATCHES, N_PLAYERS = 1_000_000, 20_000
STEPS = np.array([2.0, 4, 8, 12, 16, 24, 32, 48])
SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[2] / "shared")


def fastest(work: Callable[[], Any], repeats: int = 7) -> float:
    """Seconds of the fastest of several runs."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def pass_in_lanes(matches: Matches, n_lanes: int) -> float:
    """Seconds a match and lane of one pass with this many lanes."""
    pairs = matches.pairs
    step = lanes.allocate(1, n_lanes)
    step[0] = from_elo(np.resize(STEPS, step.shape[1]))

    def work() -> None:
        rating, loss = lanes.allocate(len(matches.players), n_lanes), lanes.allocate(1, n_lanes)
        elo.elo_lanes(pairs.first, pairs.second, pairs.halves, rating, step, loss)

    work()
    return fastest(work) / len(matches) / n_lanes


def one_pass(matches: Matches) -> float:
    """Seconds of one pass with one k over coded matches."""
    pairs = matches.pairs

    def work() -> None:
        elo.elo_pass(
            pairs.first,
            pairs.second,
            pairs.halves,
            np.zeros((len(matches.players), 1)),
            0.1,
            np.empty(0),
            np.empty((0, 2)),
        )

    work()
    return fastest(work)


def c_loops() -> dict[str, float] | None:
    """Seconds a match and lane of the C loops."""
    if not (SHARED / "bench" / "limit.py").exists():
        return None
    sys.path.insert(0, str(SHARED / "bench"))
    sys.dont_write_bytecode = True
    try:
        limits: dict[str, float] = importlib.import_module("limit").limit(N_MATCHES, N_PLAYERS)
    except (OSError, subprocess.CalledProcessError):
        return None
    return limits


def evalica_call(matches: Matches) -> float:
    """Seconds of evalica's elo over the same coded matches, with its index made beforehand."""
    import evalica
    import pandas as pd

    pairs = matches.pairs
    winners = [(evalica.Winner.Y, evalica.Winner.Draw, evalica.Winner.X)[half] for half in pairs.halves]
    first, second = pairs.first.tolist(), pairs.second.tolist()
    index = pd.Index(range(len(matches.players)))
    return fastest(lambda: evalica.elo(first, second, winners, index=index, k=16.0), 3)


def riix_fit(matches: Matches) -> float:
    """Seconds of riix's sequential update over the same coded matches."""
    from riix.models.elo import Elo

    matchups = np.column_stack((matches.pairs.first, matches.pairs.second))
    score = matches.pairs.score
    return fastest(lambda: Elo(list(range(len(matches.players))), k=16.0).fit_batch(matchups, score), 1)


def csv_ratio(folder: Path) -> tuple[float, float]:
    """Seconds of reading and coding a CSV with names and day dates, and of Polars' bare read of it."""
    matches = simulate_strengths(N_PLAYERS, N_MATCHES, draws=0.1, seed=1)
    names = pl.Series([f"Player {n:05d}" for n in range(N_PLAYERS)])
    days = np.sort(np.random.default_rng(1).integers(0, 18_000, N_MATCHES)).astype("datetime64[D]")
    path = folder / "matches.csv"
    pl.DataFrame(
        {
            "date": days,
            "player_1": names.gather(matches.pairs.first),
            "player_2": names.gather(matches.pairs.second),
            "score_1": matches.pairs.score,
        }
    ).write_csv(path)
    ours, bare = float("inf"), float("inf")
    for _ in range(7):
        ours = min(ours, fastest(lambda: read_matches(path), 1))
        bare = min(bare, fastest(lambda: pl.read_csv(path), 1))
    return ours, bare


def help_ratio() -> tuple[float, float]:
    """Seconds of `ludometer --help` and of `python -c 'import click'`, both as processes."""
    program = Path(sys.executable).parent / "ludometer"
    words = ([str(program), "--help"], [sys.executable, "-c", "import click"])
    ours, click = (fastest(partial(subprocess.run, line, capture_output=True, check=True), 15) for line in words)
    return ours, click


def main() -> None:
    """Measure, print, store."""
    matches = simulate_strengths(N_PLAYERS, N_MATCHES, activity=1.2, seed=0)
    results: dict[str, float] = {}

    def report(name: str, ours: float, theirs: float, bound: str) -> None:
        results[name] = round(ours / theirs, 4)
        print(f"{name:46s} {ours:.3g} s : {theirs:.3g} s   ratio {ours / theirs:8.3f}   (wanted: {bound})", flush=True)

    limits = c_loops()
    if limits:
        ours = {n_lanes: pass_in_lanes(matches, n_lanes) for n_lanes in (8, 16, 32)}
        single = one_pass(matches) / N_MATCHES
        # the machine's pace moves: C before and after, whichever is faster
        limits = {name: min(seconds, (c_loops() or limits)[name]) for name, seconds in limits.items()}
        for n_lanes, seconds in ours.items():
            report(f"{n_lanes} lanes / C with 8, a match and lane", seconds, limits["lanes8"], "at most 2, aim 1.3")
        report("one lane / C, a match", single, limits["one"], "-")
    else:
        print("C loops: not here (LUDOMETER_SHARED/bench, a C compiler)")
    seconds = one_pass(matches)
    report("one pass / evalica 0.4.2", seconds, evalica_call(matches), "at most 1/15 = 0.067")
    report("one pass / riix 0.0.6", seconds, riix_fit(matches), "at most 1/100 = 0.01")
    with tempfile.TemporaryDirectory() as folder:
        report("reading and coding a CSV / Polars' bare read", *csv_ratio(Path(folder)), "at most 3")
    report("ludometer --help / python -c 'import click'", *help_ratio(), "at most 2")
    (Path(__file__).parent / "results" / "speed.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
