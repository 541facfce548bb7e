"""Inputs in worker processes with limits, watched from outside: a worker that dies or hangs names its input."""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import queue
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

from fuzzing.judging import SECONDS, judge
from fuzzing.targets import BY_NAME, TARGETS

_PART = 2_000
"""Inputs of a worker's task."""

_EXTRA_MEMORY = 3 << 30
_HANGS = 6 * SECONDS
_KEPT = 20


@dataclass
class Tally:
    """What became of the inputs of one target."""

    target: str
    inputs: int = 0
    read: int = 0
    refused: int = 0
    failures: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    examples: list[tuple[int, str]] = field(default_factory=list)
    """Seed and reason of the first failures."""

    def add(self, other: Tally) -> None:
        """Those of another part."""
        for name in ("inputs", "read", "refused", "failures", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.slowest = max(self.slowest, other.slowest)
        self.examples = (self.examples + other.examples)[:_KEPT]


def plan(inputs: int, names: tuple[str, ...] = ()) -> dict[str, int]:
    """How many inputs each target gets: cheap ones more, and all together at least so many."""
    chosen = [BY_NAME[name] for name in names] or list(TARGETS)
    whole = sum(target.share for target in chosen)
    return {target.name: -int(-inputs * target.share // whole) for target in chosen}


def run(
    counts: dict[str, int],
    *,
    first_seed: int = 0,
    jobs: int = 1,
    on_part: Callable[[dict[str, Tally]], None] | None = None,
) -> dict[str, Tally]:
    """Try so many inputs of each target."""
    # small inputs gain nothing from threads
    os.environ |= dict.fromkeys(("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    tallies = {name: Tally(name) for name in counts}
    context = multiprocessing.get_context("spawn")
    tasks, results = context.Queue(), context.Queue()
    parts = list(_parts(counts, first_seed))
    for part in parts:
        tasks.put(part)
    workers = [_Worker(context, tasks, results) for _ in range(jobs)]
    left = len(parts)
    while left:
        with contextlib.suppress(queue.Empty):
            part = results.get(timeout=1.0)
            left -= 1
            tallies[part.target].add(part)
            if on_part:
                on_part(tallies)
        for worker in workers:
            lost = worker.lost()
            if lost is None:
                continue
            (name, start, seed, stop), reason = lost
            tallies[name].add(Tally(name, 1, failures=1, examples=[(seed, reason)]))
            # what came before in the part was lost with the worker and is tried again
            rest = [part for part in ((name, start, seed), (name, seed + 1, stop)) if part[1] < part[2]]
            left += len(rest) - 1
            for part in rest:
                tasks.put(part)
    for worker in workers:
        worker.stop()
    return tallies


def _parts(counts: dict[str, int], first_seed: int) -> Iterator[tuple[str, int, int]]:
    """Parts of all targets in turn, so that each is tried early."""
    begun = dict.fromkeys(counts, 0)
    while any(begun[name] < count for name, count in counts.items()):
        for name, count in counts.items():
            if begun[name] < count:
                stop = min(begun[name] + _PART, count)
                yield name, first_seed + begun[name], first_seed + stop
                begun[name] = stop


class _Worker:
    """A process and what it is at."""

    def __init__(self, context: Any, tasks: Any, results: Any) -> None:
        self.context, self.tasks, self.results = context, tasks, results
        self._start()

    def _start(self) -> None:
        self.at: Synchronized[int] = self.context.Value("q", -1)
        self.since: Synchronized[float] = self.context.Value("d", 0.0)
        self.begun: Synchronized[float] = self.context.Value("d", 0.0)
        self.part: Any = self.context.Array("q", 3)
        self.process = self.context.Process(
            target=_work, args=(self.tasks, self.results, _Clock(self.at, self.since, self.begun), self.part)
        )
        self.process.start()

    def lost(self) -> tuple[tuple[str, int, int, int], str] | None:
        """The input at which the process died, or hung and was ended; a new process takes its place."""
        reason = ""
        if not self.process.is_alive():
            if self.process.exitcode == 0:
                return None
            reason = f"the process died (status {self.process.exitcode})"
        elif self.at.value >= 0 and self._spent() > _HANGS:
            self.process.kill()
            self.process.join()
            reason = f"it hangs: more than {_HANGS:.0f} seconds"
        if not reason:
            return None
        (target, start, stop), seed = self.part[:], self.at.value
        self._start()
        if seed < 0:
            raise RuntimeError(f"a worker cannot start: {reason}")
        return (TARGETS[target].name, start, seed, stop), reason

    def _spent(self) -> float:
        """Seconds of work on the input; on a busy machine the clock says little. One that sleeps for long hangs too."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        worked = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") - self.since.value
        slept = time.monotonic() - self.begun.value
        return max(worked, slept / 400)

    def stop(self) -> None:
        """No more work."""
        self.tasks.put(None)
        self.process.join(timeout=20)
        if self.process.is_alive():
            self.process.kill()


@dataclass
class _Clock:
    """Which input a worker is at, and since when, by its own work and by the clock; seen from outside."""

    at: Any
    since: Any
    begun: Any

    def start(self, seed: int, *, grace: float = 0.0) -> None:
        self.since.value, self.begun.value = time.process_time() + grace, time.monotonic() + grace
        self.at.value = seed

    def stop(self) -> None:
        self.at.value = -1


def _work(tasks: Any, results: Any, clock: _Clock, part: Any) -> None:
    faulthandler.disable()
    sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - panics of Polars talk to it
    os.dup2(sys.stderr.fileno(), 2)
    root = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=root) as folder:
        is_warm = set[str]()
        while (task := tasks.get()) is not None:
            name, start, stop = task
            part[:] = [[target.name for target in TARGETS].index(name), start, stop]
            if name not in is_warm:
                # imports and compiling are not the input's time
                for seed in range(start, min(start + 20, stop)):
                    clock.start(seed, grace=120)
                    judge(BY_NAME[name], BY_NAME[name].input(seed), Path(folder))
                is_warm.add(name)
                _limit_memory()
            results.put(_try_part(name, start, stop, Path(folder), clock))
            clock.stop()


def _try_part(name: str, start: int, stop: int, folder: Path, clock: _Clock) -> Tally:
    tally, target = Tally(name), BY_NAME[name]
    begun = time.process_time()
    parent = os.getppid()
    for seed in range(start, stop):
        if os.getppid() != parent:
            # nobody waits for the result any more
            os._exit(1)
        clock.start(seed)
        outcome = judge(target, target.input(seed), folder)
        tally.inputs += 1
        tally.slowest = max(tally.slowest, outcome.seconds)
        tally.read += outcome.kind == "read"
        tally.refused += outcome.kind == "refused"
        if outcome.is_failure:
            tally.failures += 1
            if len(tally.examples) < _KEPT:
                tally.examples.append((seed, f"{outcome.kind}: {outcome.reason}"))
    tally.seconds = time.process_time() - begun
    return tally


def _limit_memory() -> None:
    """What is mapped now, and some more; beyond that an allocation fails."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + _EXTRA_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
