"""What a whole calibration costs, as a ratio: finding the best k of a record over one plain C pass through it.

    sh benchmarks/run.sh calibration

Both are timed in turns, in one run; the C loop is `one` of the folder `bench` in LUDOMETER_SHARED (default ../shared).
Writes benchmarks/results/calibration.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ludometer.ratings.systems.best_fit import fit_best_elo
from ludometer.simulate import simulate_strengths
from speed import N_MATCHES, N_PLAYERS, c_loops, fastest

ROUNDS = 12
WANTED = 12.0


def main() -> None:
    """Measure, print, store."""
    matches = simulate_strengths(N_PLAYERS, N_MATCHES, activity=1.2, seed=0)
    fit = fit_best_elo(matches)
    ours = theirs = float("inf")
    for _ in range(ROUNDS):
        limits = c_loops()
        if limits is None:
            sys.exit("C loops: not here (LUDOMETER_SHARED/bench, a C compiler)")
        theirs = min(theirs, limits["one"] * N_MATCHES)
        ours = min(ours, fastest(lambda: fit_best_elo(matches), 3))
    ratio = ours / theirs
    print(
        f"{fit.summary()}\nwhole calibration / one C pass   {ours:.3g} s : {theirs:.3g} s   ratio {ratio:8.3f}",
        end="   ",
    )
    print(f"(wanted: at most {WANTED:g})")
    results = {"matches": N_MATCHES, "players": N_PLAYERS, "passes": fit.passes, "ratio": round(ratio, 4)}
    path = Path(__file__).parent / "results" / "calibration.json"
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
