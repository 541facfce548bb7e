"""All of `measure` at full scale: 100 million two-player matches of a million players, with the cost of every stage.

    sh benchmarks/run.sh full_scale [matches [options of measure]]

Simulates the record to a folder of Parquet files, streaming, with skewed activity and a tenth of draws, a hundred
matches for each player. Then `ludometer measure FOLDER --json FILE` runs in a process of its own, whose processor time,
time by the clock and peak memory are told, in all and by stage: memory is the most that the process held in a stage.
Before it, `ludometer measure --quick` for the ratio. Stage by stage memory needs Linux. Sizes are stored beside each
other: writes benchmarks/results/full_scale.json.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "full_scale.json"
N_MATCHES = 100_000_000
MATCHES_PER_PLAYER = 100
N_FILES = 10
MOST_GIB, MOST_HOURS = 12, 2
"""What was promised for 100 million matches on two cores."""


def peak_gib(*, anew: bool = False) -> float | None:
    """The most memory that this process has held since it was last asked `anew`; None where that is not known."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
        if anew:
            Path("/proc/self/clear_refs").write_text("5")
    except (OSError, StopIteration):
        return None
    return peak / 2**20


class Stages:
    """Processor time, time by the clock and peak memory of each stage of a command."""

    def __init__(self) -> None:
        self.costs: dict[str, dict[str, float | None]] = {}
        self.begin()

    def begin(self) -> None:
        """A stage begins."""
        self.cpu, self.clock = time.process_time(), time.perf_counter()
        peak_gib(anew=True)

    def end(self, name: str) -> None:
        """A stage ends; one that comes twice is added up."""
        before = self.costs.get(name, {"cpu": 0.0, "seconds": 0.0, "peak_gib": 0.0})
        peak = peak_gib()
        self.costs[name] = {
            "cpu": round((before["cpu"] or 0.0) + time.process_time() - self.cpu, 2),
            "seconds": round((before["seconds"] or 0.0) + time.perf_counter() - self.clock, 2),
            "peak_gib": None if peak is None else round(max(before["peak_gib"] or 0.0, peak), 3),
        }
        self.begin()


def follow(words: list[str], path: Path) -> None:
    """Run the command line in this process, and write what each stage cost."""
    from ludometer.cli import cli
    from ludometer.progress import Progress

    stages, watched = Stages(), Progress.stage

    @contextmanager
    def stage(self: Progress, name: str) -> Iterator[None]:
        stages.end("reading and connecting" if not stages.costs else "between stages")
        with watched(self, name):
            yield
        stages.end(name)

    Progress.stage = stage  # type: ignore[method-assign]
    cli.main(words, standalone_mode=False)
    stages.end("between stages")
    path.write_text(json.dumps(stages.costs))


def run(*words: str) -> dict[str, float]:
    """Processor time, time by the clock and peak memory of a process."""
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, *words])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return {
        "cpu": round(usage.ru_utime + usage.ru_stime, 1),
        "seconds": round(time.perf_counter() - begin, 1),
        "peak_gib": round(usage.ru_maxrss / 2**20, 3),
    }


def run_followed(stages: Path, words: list[str]) -> tuple[dict[str, float], dict[str, Any]]:
    """What a command costs in all, and stage by stage."""
    whole = run(__file__, "follow", str(stages), *words)
    costs = json.loads(stages.read_text())
    # asking for the peak of each stage forgets that of the process
    whole["peak_gib"] = max(whole["peak_gib"], *(cost["peak_gib"] or 0.0 for cost in costs.values()))
    return whole, costs


def simulate(folder: Path, n_matches: int) -> dict[str, float]:
    """A record in parts; the players are the same in all, each part has results and pairings of its own."""
    whole = folder.parent / "whole.parquet"
    players = max(n_matches // MATCHES_PER_PLAYER, 100)
    words = f"simulate strengths --players {players} --matches {n_matches} --activity 1.2 --draws 0.1 --out {whole}"
    cost = run("-m", "ludometer", *words.split())
    split(whole, folder, n_matches)
    whole.unlink()
    return cost


def split(whole: Path, folder: Path, n_matches: int) -> None:
    """Write a file as several, row by row in the same order."""
    import polars as pl

    folder.mkdir()
    size = -(-n_matches // N_FILES)
    for number in range(N_FILES):
        pl.scan_parquet(whole).slice(number * size, size).sink_parquet(folder / f"part-{number}.parquet")


def measure(n_matches: int, options: list[str], folder: Path) -> dict[str, Any]:
    """All figures of one size."""
    parts, answer, stages = folder / "parts", folder / "answer.json", folder / "stages.json"
    simulate(folder / "few", 20_000)
    run("-m", "ludometer", "measure", str(folder / "few"), "--json", str(answer))  # compiles what is not compiled yet
    simulated = simulate(parts, n_matches)
    print(f"simulated {n_matches:,} matches: {simulated}", flush=True)
    words = ["measure", str(parts), "--json", str(answer)]
    quick, _ = run_followed(stages, [*words, "--quick"])
    print(f"quick: {quick}", flush=True)
    full, costs = run_followed(stages, [*words, *options])
    document = json.loads(answer.read_text())
    return {
        "matches": n_matches,
        "players": document["data"]["players"],
        "cores": os.cpu_count(),
        "options": options,
        "simulate": simulated,
        "quick": quick,
        "full": full,
        "ratio_of_cpu": round(full["cpu"] / quick["cpu"], 1),
        "stages": costs,
        "answer": document["verdict"]["answer"],
        "skill_share": document["yardstick"]["matched"]["x_deterministic"],
        "skill_share_interval": document["yardstick"]["matched"]["x_deterministic_interval"],
        "absent": document.get("absent", {}),
    }


def show(found: dict[str, Any]) -> None:
    """Print the stages, and whether the promise is kept."""
    n = found["matches"]
    print(f"{n:,} matches of {found['players']:,} players")
    print(f"{'stage':28}{'cpu s':>10}{'ns a match':>12}{'peak GiB':>10}")
    for name, cost in found["stages"].items():
        print(f"{name:28}{cost['cpu']:10.1f}{cost['cpu'] / n * 1e9:12.0f}{cost['peak_gib'] or 0:10.2f}")
    full = found["full"]
    print(f"{'all':28}{full['cpu']:10.1f}{full['cpu'] / n * 1e9:12.0f}{full['peak_gib']:10.2f}")
    print(
        f"{full['seconds'] / 3600:.2f} hours by the clock on {found['cores']} cores, "
        f"{found['ratio_of_cpu']} times --quick (wanted for {N_MATCHES:,}: under {MOST_GIB} GiB and {MOST_HOURS} hours)"
    )


def main() -> None:
    """Measure, print, store."""
    if sys.argv[1:2] == ["follow"]:
        follow(sys.argv[3:], Path(sys.argv[2]))
        return
    n_matches = int(float(sys.argv[1])) if len(sys.argv) > 1 else N_MATCHES
    folder = Path(tempfile.mkdtemp())
    try:
        found = measure(n_matches, sys.argv[2:], folder)
    finally:
        shutil.rmtree(folder)
    show(found)
    stored = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    stored[str(n_matches)] = found
    RESULTS.write_text(json.dumps(dict(sorted(stored.items(), key=lambda item: int(item[0]))), indent=1) + "\n")


if __name__ == "__main__":
    main()
