"""What the whole answer costs beside the quick one, and whether it is still the same answer.

    sh benchmarks/run.sh answer [--only RECORD,...] [--costs]

Every record is measured by the command line in a process of its own, `--jobs 1`, with compiled kernels at hand. The
cost is processor time, of `measure` once and of `measure --quick` at its best of two; for the bundled club it is the
wall clock. The records are those of LUDOMETER_SHARED (default ../shared; left out where absent), the bundled club, and
simulated tournaments with 900,000 seats. `--costs` measures only those that have a wanted ratio.

The answers are compared with benchmarks/results/answers_before.json: point estimates in widths of their interval, ends
of intervals in Monte Carlo standard errors of the difference. That file holds the figures of the commit that it names,
made there by `measure --jobs 1 --json` of each record and `answer.py --summarise FOLDER COMMIT`. Writes
benchmarks/results/answer.json; records that are not asked for stay as they are in it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedules import store, stored
from tournaments import write_tournaments

SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[2] / "shared")
CLUB = Path(__file__).parents[1] / "src" / "ludometer" / "demo" / "club.csv"
N_SEATS = 900_000
TOURNAMENTS = "tournaments"
MOST_SHIFT, MOST_ERRORS = 0.1, 3.0
"""How far a point estimate may move, in widths of its interval, and an end, in standard errors."""

_TAIL = 1.959964
_END_ERROR = 2.670851
"""The standard error of the 2.5% quantile of n normal draws is this times their SD over the root of n."""


@dataclass(frozen=True)
class Record:
    """A record, how it is measured, and what its answer may cost."""

    file: str
    options: tuple[str, ...] = ()
    most_ratio: float | None = None
    """`measure` by `measure --quick` in processor time."""
    most_seconds: float | None = None
    """`measure` by the wall clock."""


LINEAR = ("--prizes", "linear")
RECORDS = {
    "tennis": Record("tennis_atp_1968_2017.parquet", most_ratio=40),
    "chess_twic": Record("chess_twic.parquet", most_ratio=40),
    TOURNAMENTS: Record("", LINEAR, most_ratio=100),
    "club": Record(str(CLUB), most_seconds=3),
    "race_for_the_galaxy": Record("race_for_the_galaxy.parquet", LINEAR),
    "formula1": Record("formula1_races.parquet", LINEAR),
    "football_international": Record("football_international.parquet"),
    "us_nhl": Record("us_nhl.parquet"),
    "chess_kaggle2010": Record("chess_kaggle2010.parquet"),
}


@dataclass(frozen=True)
class Cost:
    """Seconds of one run."""

    processor: float
    wall: float
    peak_gib: float


def run(path: Path, *options: str) -> Cost:
    """What `ludometer measure` costs, once its kernels are compiled."""
    while True:
        cost, said = _run_once(path, *options)
        if "compiling for this machine" not in said:
            return cost


def _run_once(path: Path, *options: str) -> tuple[Cost, str]:
    words = [sys.executable, "-m", "ludometer", "measure", str(path), "--jobs", "1", *options]
    with tempfile.TemporaryFile("w+") as said:
        begin = time.perf_counter()
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    if child.returncode:
        sys.exit(f"{' '.join(words)}: {text}")
    # the largest child so far would be what RUSAGE_CHILDREN gives; this is the child's own
    assert isinstance(usage, resource.struct_rusage)
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 2**20), text


def find(name: str, folder: Path) -> Path | None:
    """The file of a record, made if it is simulated; None if it is not here."""
    if name == TOURNAMENTS:
        path = folder / f"{TOURNAMENTS}.parquet"
        if not path.exists():
            write_tournaments(path, N_SEATS)
        return path
    path = SHARED / "data" / RECORDS[name].file
    return path if path.exists() else None


def summarise(document: dict[str, Any]) -> dict[str, Any]:
    """The figures of an answer with their intervals, how many draws made them, and what every check says."""
    matched, bayes = document["yardstick"]["matched"] or {}, document["luck"]["bayes"] or {}
    n_replicates = matched.get("replicates")
    figures = {
        name: _figure(matched.get(name), matched.get(f"{name}_interval"), n_replicates)
        for name in ("x_deterministic", "x_chess", "sd_of_skills")
    }
    for row in document["spread"]:
        figures[f"sd_{row['min_matches']}"] = _figure(row["sd"], row.get("sd_interval"), n_replicates)
    best = document["best_fit"]
    figures["k"] = _figure(best["k"], best.get("k_interval"), n_replicates)
    figures["l2"] = _figure(bayes.get("l2"), bayes.get("l2_interval"), bayes.get("ess"))
    verdict = document["verdict"]
    checks = {check["name"]: check["answer"] for check in verdict["checks"]}
    return {"figures": figures, "answer": verdict["answer"], "checks": checks}


def _figure(value: float | None, interval: list[float | None] | None, draws: float | None) -> dict[str, Any]:
    return {"value": value, "interval": interval, "draws": draws}


def compare(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """How far every figure has moved, and which checks say something else."""
    figures = {
        name: moved
        for name, old in before["figures"].items()
        if (moved := compare_figure(old, after["figures"][name])) is not None
    }
    other = sorted(
        name for name, answer in before["checks"].items() if after["checks"].get(name, "not there") != answer
    )
    return {
        "figures": figures,
        "answer": [before["answer"], after["answer"]],
        "checks": len(before["checks"]),
        "checks_that_differ": {name: [before["checks"][name], after["checks"].get(name)] for name in other},
    }


def compare_figure(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any] | None:
    """The shift of the value in widths of the interval, and of both ends in standard errors of their difference.

    An end's error is that of a quantile of as many draws as there were, of a normal distribution on that side of the
    value. What is there once only has moved without bound; what is there neither time has not.

    >>> old = {"value": 50.0, "interval": [40.0, 60.0], "draws": 100}
    >>> compare_figure(old, {"value": 51.0, "interval": [41.0, 60.0], "draws": 100})
    {'shift': 0.05, 'ends': [0.52, 0.0]}
    """
    if before["interval"] is None and after["interval"] is None:
        return None
    shift = _difference(before["value"], after["value"])
    if shift:
        ends = [end for end in before["interval"] or () if end is not None]
        width = max(ends) - min(ends) if len(ends) == 2 else 0.0
        shift = shift / width if width else math.inf
    errors = [
        _end_errors(before, after, side, _difference(old, new))
        for side, (old, new) in enumerate(
            zip(before["interval"] or (None, None), after["interval"] or (None, None), strict=True)
        )
    ]
    return {"shift": _rounded(shift, 3), "ends": [_rounded(error, 2) for error in errors]}


def _difference(before: float | None, after: float | None) -> float:
    if before is None or after is None:
        return 0.0 if before is after else math.inf
    return after - before


def _end_errors(before: dict[str, Any], after: dict[str, Any], side: int, difference: float) -> float:
    """The difference of an end in its standard errors."""
    if not difference or math.isinf(difference):
        return difference
    variance = 0.0
    for figure in (before, after):
        if figure["draws"]:
            sd = _half_width(figure, side) / _TAIL
            variance += (_END_ERROR * sd) ** 2 / figure["draws"]
    return difference / math.sqrt(variance) if variance else math.inf


def _half_width(figure: dict[str, Any], side: int) -> float:
    if figure["value"] is not None:
        return abs(float(figure["interval"][side]) - float(figure["value"]))
    low, high = figure["interval"]
    return 0.0 if low is None or high is None else (high - low) / 2


def _rounded(value: float, digits: int) -> float | None:
    """For JSON, which has no infinity: None for what has no bound."""
    return None if math.isinf(value) else round(value, digits)


def measure(name: str, path: Path, folder: Path, before: dict[str, Any] | None) -> dict[str, Any]:
    """Costs and answers of one record."""
    record = RECORDS[name]
    answer = folder / f"{name}.json"
    quick = min((run(path, *record.options, "--quick") for _ in range(2)), key=lambda cost: cost.processor)
    whole = run(path, *record.options, "--json", str(answer))
    row: dict[str, Any] = {
        "quick_seconds": round(quick.processor, 2),
        "seconds": round(whole.processor, 2),
        "ratio": round(whole.processor / quick.processor, 1),
        "wall_seconds": round(whole.wall, 2),
        "peak_gib": round(whole.peak_gib, 2),
        "most_ratio": record.most_ratio,
        "most_seconds": record.most_seconds,
        "load": round(os.getloadavg()[0], 1),
    }
    if before is not None:
        row["compared"] = compare(before, summarise(json.loads(answer.read_text(encoding="utf-8"))))
    return row


def show(name: str, row: dict[str, Any]) -> None:
    """The costs in a line, then every figure that has moved too far and every check that differs."""
    wanted = f" (wanted: at most {row['most_ratio']:g})" if row["most_ratio"] else ""
    if row["most_seconds"]:
        wanted = f" (wanted: at most {row['most_seconds']:g} s by the clock)"
    print(
        f"{name:23s} {row['seconds']:8.2f} s / {row['quick_seconds']:6.2f} s = {row['ratio']:6.1f}, "
        f"{row['wall_seconds']:.2f} s by the clock, {row['peak_gib']:.2f} GiB{wanted}",
        flush=True,
    )
    compared = row.get("compared")
    if compared is None:
        return
    for figure, moved in compared["figures"].items():
        low, high = (_short(end) for end in moved["ends"])
        mark = "" if is_same(moved) else "   too far"
        print(f"    {figure:18s} shift {_short(moved['shift']):>7s} widths, ends {low:>6s} {high:>6s} errors{mark}")
    print(f"    verdict {' -> '.join(compared['answer'])}; {compared['checks']} checks", flush=True)
    for check, (old, new) in compared["checks_that_differ"].items():
        print(f"    check {check}: {old} -> {new}", flush=True)


def is_same(moved: dict[str, Any]) -> bool:
    """Whether a figure is where it was, within what is allowed."""
    if moved["shift"] is None or None in moved["ends"]:
        return False
    return bool(abs(moved["shift"]) <= MOST_SHIFT and max(map(abs, moved["ends"])) <= MOST_ERRORS)


def _short(value: float | None) -> str:
    return "-" if value is None else f"{value:+.2f}"


def keep_before(folder: Path, commit: str) -> None:
    """Write answers_before.json from the documents in a folder."""
    answers = {
        name: summarise(json.loads((folder / f"{name}.json").read_text(encoding="utf-8")))
        for name in RECORDS
        if (folder / f"{name}.json").exists()
    }
    store("answers_before", {"commit": commit, "records": answers})


def main() -> None:
    """Measure, print, store."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default=",".join(RECORDS), help="records, with commas between them")
    parser.add_argument("--costs", action="store_true", help="only records that have a wanted cost")
    parser.add_argument("--summarise", nargs=2, metavar=("FOLDER", "COMMIT"), help="keep the answers of a commit")
    asked = parser.parse_args()
    if asked.summarise:
        keep_before(Path(asked.summarise[0]), asked.summarise[1])
        return
    names = asked.only.split(",")
    if unknown := set(names) - set(RECORDS):
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(RECORDS)}")
    subprocess.run([sys.executable, "-m", "ludometer", "compile"], check=True, stderr=subprocess.DEVNULL)
    results, before = stored("answer"), stored("answers_before").get("records", {})
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            if asked.costs and not (RECORDS[name].most_ratio or RECORDS[name].most_seconds):
                continue
            path = find(name, Path(folder))
            if path is None:
                print(f"{name:23s} left out: {RECORDS[name].file} is not in LUDOMETER_SHARED", flush=True)
                continue
            results[name] = measure(name, path, Path(folder), before.get(name))
            show(name, results[name])
            store("answer", {known: results[known] for known in RECORDS if known in results})


if __name__ == "__main__":
    main()
