"""The curve of x%-deterministic games: the SD of best-fit Elo for x = 0, 5, ..., 100%, and Table 9 of the paper.

    sh benchmarks/run.sh curves

1,000 players and 1,000,000 matches of 2, 3, 4, 6 and 9 players for linear prizes, the same luck at every x; then 50,000
matches of two (100 a player), several seeds, beside the SDs that Duersch et al. (2020) print. Writes
benchmarks/results/curves.json.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ludometer.measurement.benchmarks.families import Deterministic, Replicate
from ludometer.measurement.benchmarks.yardstick import make_schedule
from ludometer.ratings.prizes import make_prizes
from ludometer.ratings.replicates import fit_replicates
from ludometer.simulate import simulate_coin
from schedules import store

N_PLAYERS, N_MATCHES = 1_000, 1_000_000
PER_MATCH = (2, 3, 4, 6, 9)
SHARES = tuple(range(0, 101, 5))
AT_HALF = {2: 120.0, 4: 119.0, 6: 119.0}
"""Players a match → the SD wanted at 50%, within 2."""

PRINTED = {50: 122.8, 40: 91.9, 30: 61.1, 20: 32.3, 15: 22.7, 10: 10.7}
"""Table 9."""

TABLE_MATCHES, SEEDS = 50_000, 20
AT_ONCE = 4
"""Games that share a pass."""


def measure_curve(
    per_match: int, n_matches: int, shares: tuple[int, ...], seed: int
) -> tuple[list[float], list[float]]:
    """SD and best k at each x, on one schedule and with the same luck."""
    schedule = make_schedule(simulate_coin(N_PLAYERS, n_matches, per_match=per_match, seed=seed), make_prizes("linear"))
    rng = np.random.default_rng([seed, per_match])
    key = rng.integers(0, 2**32, 2, dtype=np.uint32)
    game = Replicate(Deterministic(), schedule, rng.standard_normal(N_PLAYERS), key)
    counted = np.ones(N_PLAYERS, bool)
    sds: list[float] = []
    steps: list[float] = []
    for start in range(0, len(shares), AT_ONCE):
        results = np.column_stack([game(x) for x in shares[start : start + AT_ONCE]])
        fit = fit_replicates(
            schedule, results, counted=counted, guess=np.full(results.shape[1], max([3.0, *steps[-1:]]))
        )
        sds += fit.sd.tolist()
        steps += fit.k.tolist()
    return sds, steps


def whole_curves() -> dict[str, Any]:
    """The curves, and the seconds that they take."""
    measure_curve(2, 2_000, (50,), 0)
    measure_curve(3, 2_000, (50,), 0)
    rows: dict[str, Any] = {}
    for per_match in PER_MATCH:
        begin = time.perf_counter()
        sds, steps = measure_curve(per_match, N_MATCHES, SHARES, 1)
        seconds = time.perf_counter() - begin
        half = sds[SHARES.index(50)]
        rows[str(per_match)] = {
            "sd": [round(sd, 2) for sd in sds],
            "k": [round(step, 3) for step in steps],
            "sd_at_50": round(half, 2),
            "seconds": round(seconds, 2),
        }
        wanted = f"(wanted: {AT_HALF[per_match]:g} ± 2)" if per_match in AT_HALF else ""
        print(f"{per_match} a match   50%: SD {half:6.1f}   {seconds:5.1f} s   {wanted}", flush=True)
        print("   " + " ".join(f"{x}:{sd:.1f}" for x, sd in zip(SHARES, sds, strict=True)))
    total = sum(row["seconds"] for row in rows.values())
    print(f"all curves {total:.1f} s")
    return {"players": N_PLAYERS, "matches": N_MATCHES, "x": SHARES, "seconds": round(total, 2), "per_match": rows}


def table_nine() -> dict[str, Any]:
    """Means over seeds, each with a schedule of its own, and how far one seed is from another."""
    shares = (0, *sorted(PRINTED))
    sds = np.array([measure_curve(2, TABLE_MATCHES, shares, 100 + seed)[0] for seed in range(SEEDS)])
    rows: dict[str, Any] = {}
    for x, column in zip(shares, sds.T, strict=True):
        rows[str(x)] = {
            "mean": round(float(column.mean()), 2),
            "sd_over_seeds": round(float(column.std(ddof=1)), 2),
            "largest": round(float(column.max()), 2),
            "printed": PRINTED.get(x),
        }
        print(f"{x:3d}%   SD {column.mean():6.1f} ± {column.std(ddof=1):4.1f}   printed {PRINTED.get(x)}")
    return {"players": N_PLAYERS, "matches": TABLE_MATCHES, "seeds": SEEDS, "x": rows}


def main() -> None:
    """Measure, print, store."""
    results = {"curves": whole_curves(), "table_9": table_nine()}
    store("curves", results)


if __name__ == "__main__":
    main()
