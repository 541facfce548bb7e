"""One worker, several threads and a cluster that loses a worker give the same bytes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.parallel import Workers, _work, map_tasks
from ludometer.version import __version__

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Record:
    """Something large that all tasks look at."""

    value: Floats


def draw_sum(seed: int, record: Record, times: int) -> Floats:
    """A seeded task; slow enough that a worker can die in the middle."""
    time.sleep(0.05)
    assert record.value.flags.aligned
    assert not record.value.flags.writeable
    chosen = np.random.default_rng(seed).choice(record.value, 1000)
    return np.cumsum(times * chosen)


def fail_at_three(task: int) -> int:
    if task == 3:
        raise MatchDataError("row 3 is bad")
    return task


def shared_record() -> tuple[Record, int]:
    value = np.random.default_rng(0).standard_normal(2_000_000)
    value.setflags(write=False)
    return Record(value), 3


@dataclass(frozen=True)
class Cluster:
    """A scheduler and two workers, each a process."""

    address: str
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    where = folder / "scheduler.json"
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    words = [sys.executable, "-m", "dask"]
    at = ["--scheduler-file", str(where)]
    here = ["--host", "127.0.0.1", "--no-dashboard"]
    commands = [
        [*words, "scheduler", "--port", "0", *here, *at],
        *([*words, "worker", "--no-nanny", "--nthreads", "1", "--memory-limit", "0", *here, *at] for _ in range(2)),
    ]
    with (folder / "log.txt").open("wb") as log:
        started = [
            subprocess.Popen(command, cwd=folder, env=os.environ | {"PYTHONPATH": paths}, stdout=log, stderr=log)
            for command in commands
        ]
        try:
            end = time.monotonic() + 60
            while not (where.exists() and where.read_text().rstrip().endswith("}")):
                assert time.monotonic() < end, (folder / "log.txt").read_text()
                time.sleep(0.05)
            address = json.loads(where.read_text())["address"]
            wait_for_workers(address, 2)
            yield Cluster(address, started[1:])
        finally:
            for process in reversed(started):
                process.kill()
                process.wait()


def wait_for_workers(address: str, n_workers: int) -> None:
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(n_workers, timeout=60)


def test_several_threads_do_what_one_does_and_tell_how_far_they_are() -> None:
    told: list[int] = []
    alone = map_tasks(draw_sum, range(8), shared=shared_record())
    together = map_tasks(draw_sum, range(8), shared=shared_record(), workers=Workers(jobs=2), on_done=told.append)
    assert [part.tobytes() for part in together] == [part.tobytes() for part in alone]
    assert told == list(range(1, 9))


def test_a_cluster_that_loses_a_worker_gives_the_bytes_of_one_thread(cluster: Cluster) -> None:
    shared = shared_record()
    told: list[int] = []

    def watch(n_done: int) -> None:
        told.append(n_done)
        if n_done == 5:
            cluster.workers[0].kill()

    alone = map_tasks(draw_sum, range(40), shared=shared)
    workers = Workers(cluster=cluster.address)
    spread = map_tasks(draw_sum, range(40), shared=shared, workers=workers, on_done=watch)
    assert [part.tobytes() for part in spread] == [part.tobytes() for part in alone]
    assert all(part.flags.aligned and part.flags.writeable for part in spread)
    assert told == list(range(1, 41))
    assert cluster.workers[0].wait() != 0
    assert cluster.workers[1].poll() is None


@pytest.mark.parametrize("place", ["here", "threads", "cluster"])
def test_the_error_of_a_task_comes_through_unchanged(place: str, cluster: Cluster) -> None:
    workers = {"here": Workers(), "threads": Workers(jobs=2), "cluster": Workers(cluster=cluster.address)}[place]
    with pytest.raises(MatchDataError, match=r"^row 3 is bad$"):
        map_tasks(fail_at_three, range(6), workers=workers)


@pytest.mark.parametrize("place", ["threads", "cluster"])
def test_an_interrupt_stops_at_once(place: str, cluster: Cluster) -> None:
    workers = Workers(jobs=2) if place == "threads" else Workers(cluster=cluster.address)
    begun = time.monotonic()

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        map_tasks(time.sleep, [0.01] + [1.0] * 50, workers=workers, on_done=interrupt)
    assert time.monotonic() - begun < 8


def fail_late_at_two(task: int) -> int:
    """Task 2 fails after all that follow it."""
    time.sleep(0.2 if task == 2 else 0.0)
    if task >= 2:
        raise MatchDataError(f"row {task} is bad")
    return task


def test_the_first_task_that_fails_is_told_whichever_fails_first() -> None:
    for jobs in (1, 2, 4):
        with pytest.raises(MatchDataError, match="row 2 is bad"):
            map_tasks(fail_late_at_two, range(8), workers=Workers(jobs=jobs))


def test_no_tasks_are_no_results() -> None:
    assert map_tasks(fail_at_three, [], workers=Workers(jobs=2)) == []


def test_a_worker_with_another_version_is_refused() -> None:
    with pytest.raises(LudometerError, match=f"has ludometer {re.escape(__version__)}, not 0.0: install the same"):
        _work(b"", packed=b"", run="", version="0.0")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x"])
def test_a_cluster_that_is_not_there_is_told_in_one_line(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludometer.parallel._CONNECT_SECONDS", 1)
    with pytest.raises(LudometerError, match=f"^no Dask cluster answers at {address}$"):
        map_tasks(fail_at_three, [1], workers=Workers(cluster=address))


def test_without_dask_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(LudometerError, match=r"pip install '\.\[cluster\]'"):
        map_tasks(fail_at_three, [1], workers=Workers(cluster="tcp://127.0.0.1:9"))


@pytest.mark.parametrize("settings", [{"jobs": 0}, {"cluster": "localhost"}])
def test_impossible_workers_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(LudometerError):
        Workers(**settings)  # type: ignore[arg-type]


def test_the_module_itself_is_light() -> None:
    heavy = "('concurrent.futures', 'dask', 'numpy')"
    program = f"import sys, ludometer.parallel; sys.exit(any(m in sys.modules for m in {heavy}))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_outcomes_are_handed_over_as_they_come() -> None:
    seen: list[tuple[int, int]] = []
    for workers in (Workers(1), Workers(2)):
        seen.clear()
        map_tasks(pow, [5, 6, 7], shared=(2,), workers=workers, on_outcome=lambda *done: seen.append(done))
        assert sorted(seen) == [(0, 25), (1, 36), (2, 49)]
