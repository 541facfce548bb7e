"""One map over tasks: in this thread, in several threads, or on a Dask cluster, with the same results."""

from __future__ import annotations

import pickle
import threading
import uuid
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeVar

from ludometer.errors import LudometerError
from ludometer.version import __version__

if TYPE_CHECKING:
    from ludometer.journal import Journal
    from ludometer.progress import Progress

Outcome = TypeVar("Outcome")

_CONNECT_SECONDS = 10
_LEFT_OUT: Any = object()


@dataclass(frozen=True)
class Workers:
    """Who does the work: threads of this process, or the Dask cluster at this address, which then takes their place.

    >>> Workers(jobs=4)
    Workers(jobs=4, cluster=None)
    """

    jobs: int = 1
    cluster: str | None = None
    journal: Journal | None = field(default=None, repr=False, compare=False)
    """Where outcomes are kept and looked up."""
    progress: Progress | None = field(default=None, repr=False, compare=False)
    """Is told of every task that is done."""

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise LudometerError(f"jobs must be a whole number from 1 up, not {self.jobs}")
        if self.cluster is not None and "://" not in self.cluster:
            raise LudometerError(f"--cluster {self.cluster}: write an address, such as tcp://10.0.0.1:8786")


def map_tasks(
    function: Callable[..., Outcome],
    tasks: Sequence[Any],
    *,
    shared: tuple[Any, ...] = (),
    workers: Workers | None = None,
    on_done: Callable[[int], None] | None = None,
    on_outcome: Callable[[int, Outcome], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> list[Outcome]:
    """`[function(task, *shared) for task in tasks]`, whoever does the work; `on_done` is told how many are done.

    `on_outcome` is given the number of each task and its outcome as soon as it is there, in this thread.

    The results depend on the workers in nothing, so a task that needs randomness carries its own seed, and `function`
    changes neither `shared` nor anything else. On a cluster `function` is one that its workers can import, or small
    enough to be sent; `shared` travels once to each worker, and a worker that dies costs only time. Outcomes that the
    journal of the workers holds are not worked for again. Once `stop` says so no task is begun any more, and the
    outcomes are those of the tasks before the first that was left out.

    >>> map_tasks(pow, [1, 2, 3], shared=(2,), workers=Workers(jobs=2))
    [1, 4, 9]
    """
    workers = workers or Workers()
    journal, progress = workers.journal, workers.progress
    keys: list[str | None] = [None] * len(tasks) if journal is None else journal.keys(function, tasks, shared)
    outcomes: dict[int, Outcome] = {}

    def note(number: int, outcome: Outcome) -> None:
        outcomes[number] = outcome
        if on_outcome:
            on_outcome(number, outcome)
        if on_done:
            on_done(len(outcomes))
        if progress is not None:
            progress.step()

    if progress is not None:
        progress.begin_round(len(tasks))
    if journal is not None:
        for number, key in enumerate(keys):
            if found := journal.find(key):
                note(number, *found)
    waiting = [number for number in range(len(tasks)) if number not in outcomes]
    with closing(_perform(function, [tasks[number] for number in waiting], shared, workers, stop)) as finished:
        for place, outcome in finished:
            if journal is not None:
                journal.keep(keys[waiting[place]], outcome)
            note(waiting[place], outcome)
    return [outcomes[number] for number in takewhile(outcomes.__contains__, range(len(tasks)))]


def _perform(
    function: Callable[..., Outcome],
    tasks: Sequence[Any],
    shared: tuple[Any, ...],
    workers: Workers,
    stop: Callable[[], bool] | None,
) -> Generator[tuple[int, Outcome]]:
    """Numbers and outcomes of tasks as they come, until `stop` says so."""
    if not tasks:
        return
    is_over = stop or (lambda: False)
    if workers.cluster is not None:
        with closing(_on_cluster(function, tasks, shared, workers.cluster)) as finished:
            for done in finished:
                yield done
                if is_over():
                    return
        return

    def begin(task: Any) -> Any:
        return _LEFT_OUT if is_over() else function(task, *shared)

    if workers.jobs > 1 and len(tasks) > 1:
        finished = _in_threads(begin, tasks, workers.jobs)
    else:
        finished = ((number, begin(task)) for number, task in enumerate(tasks))
    with closing(finished):
        for number, outcome in finished:
            if outcome is not _LEFT_OUT:
                yield number, outcome


def _in_threads(function: Callable[[Any], Outcome], tasks: Sequence[Any], jobs: int) -> Generator[tuple[int, Outcome]]:
    """Kernels let go of the interpreter's lock, so threads are enough and nothing has to be copied."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    threads = ThreadPoolExecutor(min(jobs, len(tasks)))
    try:
        numbers = {threads.submit(function, task): number for number, task in enumerate(tasks)}
        for future in as_completed(numbers):
            if future.exception() is not None:
                break
            yield numbers[future], future.result()
    finally:
        # those that have begun are waited for: tasks begin in order, so the first of them that fails is always the same
        threads.shutdown(cancel_futures=True)
    for future in numbers:
        if not future.cancelled():
            future.result()


def _on_cluster(
    function: Callable[..., Outcome], tasks: Sequence[Any], shared: tuple[Any, ...], address: str
) -> Generator[tuple[int, Outcome]]:
    """What tasks share is the result of another task.

    Data that are scattered live on workers only and are lost with the last worker that holds them. Of a task the
    scheduler keeps the input: it is run again when its worker dies.
    """
    with _connected(address) as client:
        import cloudpickle
        import dask
        from distributed import as_completed

        # one piece in which arrays lie aligned and keep their flags, as they do here; Dask's own way promises neither
        packed = cloudpickle.dumps((function, shared), protocol=5)
        # pure=False: the name of a task is drawn, not found by reading all its data
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": max(len(packed) * 2, 10_000_000)}):
            sent = client.submit(bytes, packed, pure=False)
        run = uuid.uuid4().hex
        packed_tasks = [cloudpickle.dumps(task, protocol=5) for task in tasks]
        futures = client.map(_work, packed_tasks, packed=sent, run=run, version=__version__, pure=False)
        numbers = {future.key: number for number, future in enumerate(futures)}
        try:
            for future in as_completed(futures, loop=client.loop):
                yield numbers[future.key], cloudpickle.loads(future.result())
        finally:
            client.cancel([sent, *futures], force=True)


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client of the cluster; what Dask says of a cluster that is not there, or gives up, in our words."""
    try:
        from distributed import Client, KilledWorker
        from distributed.client import FutureCancelledError
    except ImportError as error:
        raise LudometerError("a cluster needs Dask: pip install '.[cluster]'") from error
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise LudometerError(f"no Dask cluster answers at {address}") from error
    try:
        _await_worker(client, address)
        yield client
    except KilledWorker as error:
        raise LudometerError(f"workers of {address} keep dying at the same task: {error}") from error
    except FutureCancelledError as error:
        raise LudometerError(f"the Dask cluster at {address} is lost: its scheduler does not answer") from error
    finally:
        client.close(timeout=2)


def _await_worker(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
    except TimeoutError as error:
        raise LudometerError(f"the Dask cluster at {address} has no workers") from error


_unpacking = threading.Lock()
_unpacked: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def _work(task: bytes, *, packed: bytes, run: str, version: str) -> bytes:
    """One task, on a worker of a cluster, which unpacks what the tasks of a run share only once."""
    if version != __version__:
        raise LudometerError(f"a worker of the cluster has ludometer {__version__}, not {version}: install the same")
    with _unpacking:
        if run not in _unpacked:
            _unpacked.clear()
            _unpacked[run] = pickle.loads(packed)  # noqa: S301 - from our own client, by way of the scheduler
        function, shared = _unpacked[run]
    import cloudpickle

    outcome: bytes = cloudpickle.dumps(function(pickle.loads(task), *shared), protocol=5)  # noqa: S301
    return outcome
