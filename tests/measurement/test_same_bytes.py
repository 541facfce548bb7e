"""A whole measurement is the same to the byte, whoever did the work."""

from __future__ import annotations

import json

import pytest

from ludometer.matches import Matches
from ludometer.measurement import Measurement, measure
from ludometer.measurement.planning import STAGES
from ludometer.parallel import Workers
from ludometer.progress import Progress, State
from ludometer.simulate import simulate_strengths
from tests.test_parallel import Cluster, cluster

__all__ = ["cluster"]


def bytes_of(game: Measurement) -> bytes:
    return json.dumps(game.document(), sort_keys=True).encode()


@pytest.fixture(scope="module")
def record() -> Matches:
    return simulate_strengths(30, 800, sd=120, draws=0.2, seed=4)


@pytest.fixture(scope="module")
def alone(record: Matches) -> bytes:
    return bytes_of(measure(record, replicates=19, seed=3))


def test_two_threads_measure_what_one_measures(record: Matches, alone: bytes) -> None:
    told: list[State] = []
    together = measure(record, replicates=19, seed=3, workers=Workers(jobs=2), progress=Progress(told.append))
    assert bytes_of(together) == alone
    assert list(dict.fromkeys(state.stage for state in told)) == list(STAGES)
    assert told[-1].done == pytest.approx(1)
    assert bytes_of(measure(record, replicates=19, seed=4)) != alone


def test_a_cluster_that_loses_a_worker_measures_what_one_thread_measures(
    record: Matches, alone: bytes, cluster: Cluster
) -> None:
    seen: list[State] = []

    def watch(state: State) -> None:
        seen.append(state)
        if sum(state.stage == "yardsticks" for state in seen) == 5:
            cluster.workers[0].kill()

    workers = Workers(cluster=cluster.address)
    spread = measure(record, replicates=19, seed=3, workers=workers, progress=Progress(watch))
    assert bytes_of(spread) == alone
    assert cluster.workers[0].wait() != 0
    assert cluster.workers[1].poll() is None
