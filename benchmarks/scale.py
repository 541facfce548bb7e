"""A record of 100 million matches and a million players, streamed through the kernel: memory and cost a match.

    sh benchmarks/run.sh scale [matches]

Simulates the file (streaming), plays it in eight lanes batch by batch, and compares the cost a match and lane, reading
included, with that of a million matches and 20,000 players in memory. Writes benchmarks/results/scale.json.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from ludometer.kernels.runtime import lanes
from ludometer.kernels.systems import elo
from ludometer.read import stream_matches
from ludometer.scale import from_elo
from ludometer.simulate import simulate_strengths
from speed import STEPS, pass_in_lanes

N_PLAYERS = 1_000_000


def peak_gib() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def play_stream(path: Path) -> tuple[int, float, float]:
    """Matches, seconds in all and seconds in the kernel of a file streamed through eight lanes."""
    step, loss, rating = lanes.allocate(1, 8), lanes.allocate(1, 8), lanes.allocate(0, 8)
    step[0] = from_elo(STEPS)
    n_matches, in_kernel, begin = 0, 0.0, time.perf_counter()
    for batch in stream_matches(path):
        if len(batch.players) > len(rating):
            grown = lanes.allocate(min(2 * len(batch.players), max(len(batch.players), N_PLAYERS)), 8)
            grown[: len(rating)] = rating
            rating = grown
        pairs = batch.pairs
        started = time.perf_counter()
        elo.elo_lanes(pairs.first, pairs.second, pairs.halves, rating, step, loss)
        in_kernel += time.perf_counter() - started
        n_matches += len(batch)
    assert np.isfinite(loss).all()
    return n_matches, time.perf_counter() - begin, in_kernel


def main() -> None:
    """Measure, print, store."""
    n_matches = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000_000
    small = pass_in_lanes(simulate_strengths(20_000, 1_000_000, activity=1.2, seed=0), 8)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.parquet"
        begin = time.perf_counter()
        words = f"simulate strengths --players {N_PLAYERS} --matches {n_matches} --activity 1.2 --out {path}"
        subprocess.run([Path(sys.executable).parent / "ludometer", *words.split()], check=True)
        simulated = time.perf_counter() - begin
        writer = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        print(f"simulate: {simulated:.0f} s, {path.stat().st_size / 2**20:,.0f} MiB, peak memory {writer:.2f} GiB")
        played, total, in_kernel = play_stream(path)
    results = {
        "matches": played,
        "players": N_PLAYERS,
        "peak_gib_streaming": round(peak_gib(), 3),
        "peak_gib_simulating": round(writer, 3),
        "cost_ratio_with_reading": round(total / played / 8 / small, 3),
        "cost_ratio_kernel": round(in_kernel / played / 8 / small, 3),
    }
    print(f"1e6 matches, 20,000 players, in memory: {small * 1e9:.2f} ns a match and lane")
    print(
        f"{played:,} matches, {N_PLAYERS:,} players, streamed: {total / played / 8 * 1e9:.2f} ns a match and lane "
        f"({in_kernel / played / 8 * 1e9:.2f} in the kernel), peak memory {peak_gib():.2f} GiB"
    )
    print(f"ratio {results['cost_ratio_with_reading']} with reading (wanted: at most 10, under 8 GiB)")
    (Path(__file__).parent / "results" / "scale.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
