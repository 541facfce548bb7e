"""A whole measurement is the same to the byte, whoever did the work."""

from __future__ import annotations

import json

import pytest

from ludometer.matches import Matches
from ludometer.measurement import Measurement, measure
from ludometer.parallel import Workers
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
    told: list[tuple[int, int]] = []
    together = measure(
        record, replicates=19, seed=3, workers=Workers(jobs=2), on_progress=lambda done, of: told.append((done, of))
    )
    assert bytes_of(together) == alone
    assert [done for done, _ in told] == list(range(1, len(told) + 1))
    assert told[-1][0] == told[-1][1]
    assert bytes_of(measure(record, replicates=19, seed=4)) != alone


def test_a_cluster_that_loses_a_worker_measures_what_one_thread_measures(
    record: Matches, alone: bytes, cluster: Cluster
) -> None:
    def watch(done: int, _: int) -> None:
        if done == 5:
            cluster.workers[0].kill()

    spread = measure(record, replicates=19, seed=3, workers=Workers(cluster=cluster.address), on_progress=watch)
    assert bytes_of(spread) == alone
    assert cluster.workers[0].wait() != 0
    assert cluster.workers[1].poll() is None
