"""The same work done by peers and by us, in one table with ratios; then how our cost grows.

    sh benchmarks/run.sh peers [--quick] [NAME ...]

Each peer runs in a process of its own, kept on one processor (Linux), after the data are in memory in the form that it
wants; processor time counts. A peer that is not installed, or fails, says so in its line and stops nothing. Named
peers are measured anew and the others kept; --quick takes a tenth of the matches and stores nothing. Without names
the growth is measured too (`growth`). Writes benchmarks/results/peers.json and the tables of docs/benchmarks.md.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from schedules import store, stored

PEERS = {
    "riix": ("peer_elo", "compare_riix"),
    "evalica": ("peer_elo", "compare_evalica"),
    "elote": ("peer_elo", "compare_elote"),
    "glicko2": ("peer_elo", "compare_glicko2"),
    "trueskill": ("peer_forecasts", "compare_trueskill"),
    "openskill": ("peer_forecasts", "compare_openskill"),
    "trueskillthroughtime": ("peer_forecasts", "compare_through_time"),
    "whole-history-rating": ("peer_forecasts", "compare_whole_history"),
    "choix": ("peer_fits", "compare_choix"),
    "scikit-learn": ("peer_fits", "compare_scikit_learn"),
    "numpyro": ("peer_fits", "compare_numpyro"),
}
"""Name of the distribution → the module and the function that compares it."""

HERE = Path(__file__).parent
MOST_SECONDS = 3_600


def measure_peer(name: str, share: float) -> dict[str, Any]:
    """One peer in a process of its own; why not, if it cannot be measured."""
    line = [sys.executable, str(HERE / "peers.py"), "--one", name, str(share)]
    try:
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return {"peer": name, "missing": f"not done within {MOST_SECONDS:,} seconds"}
    if done.returncode:
        return {"peer": name, "missing": (done.stderr.strip().splitlines() or ["failed"])[-1]}
    row: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return row


def run_one(name: str, share: float) -> dict[str, Any]:
    """Inside that process."""
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return {"peer": name, "missing": "not installed"}
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    module, function = PEERS[name]
    row = getattr(importlib.import_module(module), function)(share).to_dict()
    return {"peer": name, "version": version, **row, "load": round(os.getloadavg()[0], 1)}


def print_row(row: dict[str, Any]) -> None:
    """One line of the table as it is measured."""
    if "missing" in row:
        print(f"{row['peer']:22s} {row['missing']}", flush=True)
        return
    found = " ".join(f"{name} {loss:.4f}" for name, loss in row["log_loss"].items())
    if row["difference"] is not None:
        found = f"{row['difference']:.2g} {row['difference_unit']} apart"
    print(
        f"{row['peer']:22s} {row['work']:28s} {row['matches']:9,} matches  {row['microseconds']:10.4g} : "
        f"{row['our_microseconds']:8.4g} microseconds {row['unit']}   {row['ratio']:8.4g} times   {found}",
        flush=True,
    )


def main() -> None:
    """Measure, print, store."""
    words = sys.argv[1:]
    if words[:1] == ["--one"]:
        print(json.dumps(run_one(words[1], float(words[2]))))
        return
    is_quick, names = "--quick" in words, [word for word in words if word != "--quick"]
    if unknown := set(names) - PEERS.keys():
        sys.exit(f"no peer is called {', '.join(sorted(unknown))}; there are: {', '.join(PEERS)}")
    kept = {row["peer"]: row for row in stored("peers").get("peers", [])} if names else {}
    for name in names or PEERS:
        kept[name] = measure_peer(name, 0.1 if is_quick else 1.0)
        print_row(kept[name])
    if is_quick:
        return
    store("peers", {"peers": [kept[name] for name in PEERS if name in kept]})
    if not names:
        import growth

        growth.run(growth.MOST)
    import tables

    tables.write()


if __name__ == "__main__":
    main()
