"""Speed of the rating systems' passes as multiples of the plain Elo pass with one k, and how they predict, in one run.

    sh benchmarks/run.sh systems

On the records of real matches in LUDOMETER_SHARED (default ../shared): chess_twic for speed, all three for prediction.
Writes benchmarks/results/systems.json.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ludometer.kernels.systems.elo import elo_pass
from ludometer.matches import Matches
from ludometer.ratings import evaluate
from ludometer.ratings.catalogue import make_system
from ludometer.read import read_matches
from ludometer.scale import from_elo
from schedules import store

SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[2] / "shared")
BOUND = 3.0
PASSES = {
    "dynamic": ("dynamic:h=64", True),
    "dynamic-shrinking": ("dynamic-shrinking:h=600", True),
    "ics": ("ics", True),
    "dynamic with retirement": ("dynamic:h=64,retire=730", False),
    "smith": ("smith:h=40,sd=150", False),
    "glicko2": ("glicko2", False),
    "glicko2, one match per period": ("glicko2:matches=1", False),
}
"""Name → the system, and whether its pass is wanted within three times Elo's."""

RECORDS = ("football_international", "tennis_atp_1968_2017", "chess_twic")
PREDICTING = ("elo", "best-fit", "dynamic", "dynamic:h=optimal", "dynamic-shrinking", "ics", "smith", "glicko2")
REPEATS = 7


def play(system: Any, matches: Matches) -> None:
    """One pass from the start."""
    system.play(system.start(0), matches)


def passes(matches: Matches) -> dict[str, Any]:
    """Seconds of each pass over Elo's, each the fastest of several, taken in turn so that all see the same machine."""
    pairs, expected = matches.pairs, np.empty(len(matches))

    def elo() -> None:
        rating = np.zeros((len(matches.players), 1))
        elo_pass(pairs.first, pairs.second, pairs.halves, rating, from_elo(24.0), expected, np.empty((0, 2)))

    work: dict[str, Callable[[], Any]] = {"elo": elo}
    for name, (text, _) in PASSES.items():
        system: Any = make_system(text)
        work[name] = partial(play, system, matches)
    seconds = dict.fromkeys(work, float("inf"))
    for _ in range(REPEATS):
        for name, run in work.items():
            begin = time.perf_counter()
            run()
            seconds[name] = min(seconds[name], time.perf_counter() - begin)
    ratios: dict[str, Any] = {}
    for name, (_, is_bound) in PASSES.items():
        ratios[name] = round(seconds[name] / seconds["elo"], 2)
        wanted = f"(wanted: at most {BOUND:g})" if is_bound else ""
        print(f"{name:26s} {seconds[name]:7.3f} s   {ratios[name]:6.2f} times Elo's {seconds['elo']:.3f} s   {wanted}")
    return {"matches": len(matches), "players": len(matches.players), "times the Elo pass": ratios}


def predictions(matches: Matches) -> list[dict[str, Any]]:
    """Log loss of each system, and its difference to the best, with the standard error."""
    result = evaluate(matches, systems=[make_system(text) for text in PREDICTING], tune=False)
    print(result.summary(), flush=True)
    rows = result.to_frame().to_dicts()
    return [{key: round(value, 5) if isinstance(value, float) else value for key, value in row.items()} for row in rows]


def main() -> None:
    """Measure, print, store."""
    records = {name: read_matches(SHARED / "data" / f"{name}.parquet") for name in RECORDS}
    results: dict[str, Any] = {"speed": passes(records["chess_twic"]), "prediction": {}}
    for name, matches in records.items():
        print(f"\n{name}")
        results["prediction"][name] = predictions(matches)
    store("systems", results)


if __name__ == "__main__":
    main()
