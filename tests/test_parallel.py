"""One worker, several threads and a cluster that loses a worker give the same bytes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.measurement import LuckChoices, measure
from ludometer.measurement.planning import YARDSTICKS
from ludometer.parallel import Workers, _work, map_tasks
from ludometer.progress import Progress, State
from ludometer.read import read_file
from ludometer.simulate import simulate_strengths
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
    add: Callable[[], subprocess.Popen[bytes]]
    """Starts one more worker."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("distributed", reason="clusters need Dask: pip install '.[cluster]'")
    folder = tmp_path_factory.mktemp("cluster")
    where = folder / "scheduler.json"
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    words = [sys.executable, "-m", "dask"]
    at = ["--scheduler-file", str(where)]
    here = ["--host", "127.0.0.1", "--no-dashboard"]
    worker = [*words, "worker", "--no-nanny", "--nthreads", "1", "--memory-limit", "0", *here, *at]
    started: list[subprocess.Popen[bytes]] = []
    environment = os.environ | {"PYTHONPATH": paths} | {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "MKL")}
    with (folder / "log.txt").open("wb") as log:

        def start(command: list[str]) -> subprocess.Popen[bytes]:
            started.append(subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log))
            return started[-1]

        start([*words, "scheduler", "--port", "0", *here, *at])
        both = [start(worker) for _ in range(2)]
        try:
            end = time.monotonic() + 60
            while not (where.exists() and where.read_text().rstrip().endswith("}")):
                assert time.monotonic() < end, (folder / "log.txt").read_text()
                time.sleep(0.05)
            address = json.loads(where.read_text())["address"]
            wait_for_workers(address, 2)
            yield Cluster(address, both, lambda: start(worker))
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


def test_a_record_in_parts_is_measured_alike_by_one_thread_and_by_a_cluster_that_loses_a_worker(
    cluster: Cluster, tmp_path: Path
) -> None:
    """All of `measure`: files read, yardsticks, repeated play, checks and luck; a worker dies amid the simulations."""
    for number, start in enumerate(range(0, 900, 300)):
        part = simulate_strengths(24, 900, sd=250, draws=0.1, seed=5).part(start, start + 300)
        names, pairs = [f"player {code}" for code in range(24)], part.pairs
        rows = zip(pairs.first.tolist(), pairs.second.tolist(), pairs.score.tolist(), strict=True)
        lines = [f"{names[one]},{names[other]},{score}" for one, other, score in rows]
        (tmp_path / f"part-{number}.csv").write_text("\n".join(["player_1,player_2,score_1", *lines]) + "\n")
    doomed = cluster.add()
    wait_for_workers(cluster.address, 1 + sum(process.poll() is None for process in cluster.workers))

    def document(workers: Workers, kill_at: int | None) -> str:
        matches = read_file(tmp_path, workers=workers).matches
        seen: list[State] = []

        def watch(state: State) -> None:
            if state.stage == YARDSTICKS:
                seen.append(state)
                if len(seen) == kill_at:
                    doomed.kill()

        choices = LuckChoices(draws=40)
        progress = Progress(watch)
        game = measure(matches, luck=choices, replicates=19, seed=1, workers=workers, progress=progress)
        assert kill_at is None or len(seen) > kill_at
        return json.dumps(game.document())

    alone = document(Workers(jobs=1), None)
    # told first that the stage begins, then of each task: some are done, others wait
    assert document(Workers(cluster=cluster.address), 3) == alone
    assert doomed.wait() == -signal.SIGKILL


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
