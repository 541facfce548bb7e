"""How right the time left is that a bar shows, and what stages cost.

    sh benchmarks/run.sh progress [--only RECORD,...] [--jobs N] [--costs]

Each record is measured once in this process, after a short one that loads everything. The time left that was shown is
compared with the true one when 10, 25, 50 and 75% of the time were over. `--costs` measures processor time on one core
instead and prints the table of costs of `ludometer.measurement.planning` that fits best. The records are those of
LUDOMETER_SHARED (default ../shared; left out where absent) and the bundled club. Writes
benchmarks/results/progress.json; records that are not asked for stay as they are in it.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from ludometer import measure, read_matches
from ludometer.matches import Matches
from ludometer.measurement.planning import STAGES, Extent
from ludometer.parallel import Workers
from ludometer.progress import Progress, Stage
from ludometer.ratings.prizes import make_prizes
from ludometer.simulate import simulate_deterministic, simulate_strengths
from schedules import store, stored

SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[2] / "shared") / "data"
CLUB = Path(__file__).parents[1] / "src" / "ludometer" / "demo" / "club.csv"
RECORDS = {
    "club": (CLUB, "winner"),
    "football": (SHARED / "football_international.parquet", "winner"),
    "race": (SHARED / "race_for_the_galaxy.parquet", "linear"),
    "tennis": (SHARED / "tennis_atp_1968_2017.parquet", "winner"),
    "chess": (SHARED / "chess_twic.parquet", "winner"),
}
MORE = {"nhl": (SHARED / "us_nhl.parquet", "winner"), "formula1": (SHARED / "formula1_races.parquet", "linear")}
"""Beside the others where costs are fitted."""

MARKS = (0.1, 0.25, 0.5, 0.75)
_EVERY = 0.05


def watch(matches: Matches, prizes: str, jobs: int) -> dict[str, Any]:
    """Seconds that a measurement took, and at each mark how many times the true time left was shown."""
    progress, seen, over = Progress(), list[tuple[float, float]](), threading.Event()

    def look() -> None:
        while not over.wait(_EVERY):
            left = progress.state().seconds_left
            if left is not None:
                seen.append((time.monotonic(), left))

    looking = threading.Thread(target=look)
    begun = time.monotonic()
    looking.start()
    try:
        measure(matches, prizes=make_prizes(prizes), workers=Workers(jobs), progress=progress)
    finally:
        over.set()
        looking.join()
    end = time.monotonic()
    ratios = {}
    for mark in MARKS:
        moment, left = min(seen, key=lambda look: abs(look[0] - begun - mark * (end - begun)))
        ratios[f"{mark:.0%}"] = round(left / (end - moment), 2)
    return {"matches": len(matches), "seconds": round(end - begun, 2), "shown_by_true": ratios}


def spend(matches: Matches, prizes: str) -> dict[str, tuple[list[float], float]]:
    """For each stage what its cost depends on, and the processor time that it took."""
    asked, ask = dict[str, list[float]](), Extent.stage

    def stage(self: Extent, name: str, games: float = 0.0) -> Stage:
        # parts of a stage are asked for too
        if games >= asked.get(name, [0.0] * 4)[2]:
            asked[name] = [1.0, self.seats, games, games * self.seats]
        return ask(self, name, games)

    Extent.stage = stage  # type: ignore[method-assign]
    progress = Progress(clock=time.process_time)
    try:
        measure(matches, prizes=make_prizes(prizes), progress=progress)
    finally:
        Extent.stage = ask  # type: ignore[method-assign]
    return {name: (asked[name], seconds) for name, seconds in progress.finished.items() if name in asked}


def fit_costs(spent: list[dict[str, tuple[list[float], float]]]) -> None:
    """Print the costs that are least wrong in proportion."""
    from scipy.optimize import nnls

    for name in STAGES:
        rows = [one[name] for one in spent if name in one]
        factors, seconds = np.array([row for row, _ in rows]), np.array([found for _, found in rows])
        # where games are simulated the record itself costs nothing
        used = [0, 2, 3] if factors[:, 2].any() else [0, 1]
        costs = np.zeros(4)
        costs[used], _ = nnls(factors[:, used] / seconds[:, np.newaxis], np.ones(len(rows)))
        off = factors @ costs / seconds
        numbers = ", ".join(f"{cost:.2g}" for cost in costs)
        print(f"    {name}: Cost({numbers}),  # off by {off.min():.2f} to {off.max():.2f}")


def main() -> None:
    """Measure, print, store."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--costs", action="store_true")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else list(RECORDS | MORE if options.costs else RECORDS)
    # so that nothing is loaded or compiled later on
    for warm in (simulate_strengths(30, 900, draws=0.2), simulate_deterministic(30, 900, x=60, per_match=4)):
        measure(warm, replicates=19, prizes=make_prizes("linear"))
    found = stored("progress")
    spent: dict[str, list[dict[str, tuple[list[float], float]]]] = {"winner": [], "linear": []}
    for name in wanted:
        path, prizes = (RECORDS | MORE)[name]
        if not path.exists():
            print(f"{name}: {path.name} is not there")
            continue
        matches = read_matches(path)
        if options.costs:
            spent[prizes].append(spend(matches, prizes))
            print(name, {stage: round(seconds, 2) for stage, (_, seconds) in spent[prizes][-1].items()}, flush=True)
        else:
            found[name] = watch(matches, prizes, options.jobs)
            print(f"{name}: {found[name]}", flush=True)
    if options.costs:
        for kind, runs in spent.items():
            print("two players" if kind == "winner" else "multiplayer")
            fit_costs(runs)
    else:
        store("progress", found)


if __name__ == "__main__":
    main()
