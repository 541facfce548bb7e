"""What teams' scores, surfaces, cars and finishing orders are worth to the forecasts of state-space, in one run.

    sh benchmarks/run.sh sides [RECORD ...]

On the records of real matches in LUDOMETER_SHARED (default ../shared). Every system is fitted to the first half of a
record and scored on the last half. Writes benchmarks/results/sides.json.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ludometer.matches import Matches
from ludometer.ratings import evaluate
from ludometer.ratings.catalogue import make_system
from ludometer.read import read_matches
from schedules import store

SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[2] / "shared")


def read(name: str, **options: Any) -> Matches:
    """A record of the shared data."""
    return read_matches(SHARED / "data" / f"{name}.parquet", **options)


def without(matches: Matches) -> Matches:
    """The record without scores and covariates."""
    return replace(matches, score=None, covariates={}, seat_covariates={})


def numbered(matches: Matches) -> Matches:
    """With matches at distance 1: the numbers of the site have gaps."""
    return replace(matches, time=np.arange(len(matches)))


def points(name: str, **options: Any) -> Callable[[], Matches]:
    """A league whose points are scores, with the home side first."""
    return lambda: read(name, score="points_1,points_2", keep="score", advantage="order", **options)


RECORDS: dict[str, Callable[[], Matches]] = {
    "formula1_races": lambda: read("formula1_races", match="match_id", place="rank", seat_covariates="constructor"),
    "race_for_the_galaxy": lambda: numbered(
        read("race_for_the_galaxy", match="match_id", place="rank", time="game_no", where="site = 'genie'")
    ),
    "football_international": lambda: read(
        "football_international", score="goals_1,goals_2", keep="score", advantage="neutral"
    ),
    "us_nfl": points("us_nfl", where="not neutral"),
    "us_nhl": points("us_nhl"),
    "us_mlb": points("us_mlb"),
    "tennis_atp_1968_2017": lambda: read(
        "tennis_atp_1968_2017", where="season >= 2008 and not walkover", covariates="surface"
    ),
}


def score(matches: Matches) -> dict[str, Any]:
    """Log loss of the last half, by tuned Elo, and by state-space without and with what the columns say."""
    time = matches.time
    assert time is not None
    half = time[len(matches) // 2]
    since = str(half) if time.dtype.kind == "M" else float(half)
    bare = without(matches)
    compared = evaluate(bare, systems=[make_system("best-fit"), make_system("state-space")], since=since)
    rows = {one.system: one.log_loss for one in compared.systems}
    words = next(one.parameters["in_words"] for one in compared.systems if one.system == "state-space")
    found: dict[str, Any] = {"matches": len(matches), "scored": compared.systems[0].n, **rows, "in words": words}
    if set(matches.columns) > set(bare.columns):
        (whole,) = evaluate(matches, systems=[make_system("state-space")], since=since).systems
        found |= {"with columns": whole.log_loss, "in words": whole.parameters["in_words"]}
    return found


def main(names: list[str]) -> None:
    """Score the records, those of these names."""
    results = {}
    for name in names or list(RECORDS):
        results[name] = score(RECORDS[name]())
        print(name, results[name], flush=True)
    if not names:
        store("sides", results)


if __name__ == "__main__":
    main(sys.argv[1:])
