"""Work that is kept: the same outcomes, torn lines, other runs refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.journal import Journal, _sum
from ludometer.matches import Matches
from ludometer.measurement.benchmarks.families import Mixed, Skilled
from ludometer.measurement.luck.population import make_prior
from ludometer.measurement.verdict.checks import Check
from ludometer.parallel import Workers, map_tasks
from ludometer.progress import Progress, Stage

ABOUT = {"data": "abc", "seed": 0, "parameters": {"cutoffs": [25], "prizes": "winner"}}


def work(task: int, record: Any) -> tuple[Any, ...]:
    """An outcome of many kinds."""
    rng = np.random.default_rng(task)
    return rng.random((2, 3)) * record.sum(), task, 0.1 + task, np.inf, None, [rng.integers(0, 9, 4, dtype=np.int8)]


def broken(task: int, record: Any) -> tuple[Any, ...]:
    raise AssertionError(f"task {task} was done again")


def as_bytes(outcomes: list[tuple[Any, ...]]) -> list[Any]:
    return [(one[0].tobytes(), *one[1:5], one[5][0].tobytes(), one[5][0].dtype) for one in outcomes]


def keep_some(path: Path, n_tasks: int) -> None:
    with Journal(path) as journal:
        journal.begin(ABOUT)
        map_tasks(work, range(n_tasks), shared=(np.arange(3.0),), workers=Workers(journal=journal))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_was_interrupted_goes_on(tmp_path: Path, jobs: int) -> None:
    path, shared = tmp_path / "run.jsonl", (np.arange(3.0),)
    keep_some(path, 4)
    with Journal(path) as journal:
        journal.begin(ABOUT)
        progress = Progress(clock=lambda: 0.0)
        progress.plan([Stage("work", 1.0, rounds=1)])
        told: list[int] = []
        with progress.stage("work"):
            workers = Workers(jobs, journal=journal, progress=progress)
            outcomes = map_tasks(work, range(10), shared=shared, workers=workers, on_done=told.append)
        assert journal.n_found == 4
    assert as_bytes(outcomes) == as_bytes(map_tasks(work, range(10), shared=shared))
    assert told == list(range(1, 11))
    assert progress.state().done == 1


def test_what_is_kept_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.jsonl"
    keep_some(path, 3)
    monkeypatch.setattr(broken, "__qualname__", work.__qualname__)
    with Journal(path) as journal:
        workers = Workers(journal=journal)
        assert len(map_tasks(broken, range(3), shared=(np.arange(3.0),), workers=workers)) == 3
        with pytest.raises(AssertionError, match="task 0 was done again"):
            map_tasks(broken, range(3), shared=(np.arange(4.0),), workers=workers)


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_torn_last_line_is_work_to_be_done_again(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "run.jsonl"
    keep_some(path, 3)
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    with Journal(path) as journal:
        journal.begin(ABOUT)
        map_tasks(work, range(3), shared=(np.arange(3.0),), workers=Workers(journal=journal))
        assert journal.n_found == 2
    assert path.read_bytes() == whole


def test_a_torn_header_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    keep_some(path, 1)
    whole = path.read_bytes()
    path.write_bytes(whole[:30])
    keep_some(path, 1)
    assert path.read_bytes() == whole


def test_a_spoilt_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    keep_some(path, 3)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[1].replace(b"0.1", b"0.7"), *lines[2:]]))
    with Journal(path) as journal:
        journal.begin(ABOUT)
        outcomes = map_tasks(work, range(3), shared=(np.arange(3.0),), workers=Workers(journal=journal))
        assert journal.n_found == 2
    assert outcomes[0][2] == 0.1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"data": "abd"}, "other matches"),
        ({"seed": 1}, "seed was 0, is 1"),
        ({"parameters": {"cutoffs": [25]}}, "prizes was winner, is not given"),
        ({"version": "0.0"}, r"version was .*, is 0\.0"),
    ],
)
def test_the_file_of_another_run_is_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    path = tmp_path / "run.jsonl"
    keep_some(path, 1)
    before = path.read_bytes()
    with Journal(path) as journal, pytest.raises(LudometerError, match=f"holds the work of another run.*{words}"):
        journal.begin(ABOUT | change)
    assert path.read_bytes() == before


def test_several_games_in_one_run(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with Journal(path) as journal:
        journal.begin(ABOUT)
        journal.begin(ABOUT | {"data": "second"})
    with Journal(path) as journal:
        journal.begin(ABOUT)
        with pytest.raises(LudometerError, match="other matches"):
            journal.begin(ABOUT | {"data": "third"})


@pytest.mark.parametrize("text", ["player_1,player_2,score_1\nAnn,Bob,1\n", "notes without an end", '{"a": 1}\n'])
def test_a_file_of_something_else_stays_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(LudometerError, match="is not a file that --resume has written"):
        Journal(path)
    assert path.read_text() == text


def test_two_runs_cannot_use_one_file(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="files are locked on Unix only")
    with Journal(tmp_path / "run.jsonl"), pytest.raises(LudometerError, match="another run is using this file"):
        Journal(tmp_path / "run.jsonl")


def test_a_folder_or_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(LudometerError, match="cannot be used for --resume"):
        Journal(tmp_path)


def test_our_classes_come_back_and_others_are_refused(tmp_path: Path) -> None:
    check = Check("half", "first half", 10, 5, 1.5, np.float64(2.5), (1.0, np.inf))
    named = make_prior("uniform:10"), np.uint64(7), {"a": (1, 2.5)}
    path = tmp_path / "run.jsonl"
    with Journal(path) as journal:
        journal.begin(ABOUT)
        journal.keep("a", check)
        journal.keep("b", named)
        journal.keep("c", object())
    with Journal(path) as journal:
        assert journal.find("a") == (check,)
        assert journal.find("b") == (named,)
        assert journal.find("c") is None
    entry = {"key": "d", "outcome": {"class": "os:system", "fields": {"command": "true"}}}
    for name in ("os:system", "ludometer.journal:json", "ludometer.cli:main"):
        entry["outcome"]["class"] = name  # type: ignore[index]
        body = json.dumps(entry, separators=(",", ":"))
        other = tmp_path / "other.jsonl"
        other.write_bytes(path.read_bytes() + f'{{"sum":"{_sum(body)}","entry":{body}}}\n'.encode())
        with Journal(other) as journal, pytest.raises(LudometerError, match="does not hold"):
            journal.find("d")


def test_tasks_are_known_by_their_content() -> None:
    journal = Journal()
    record = Matches.of_pairs([0, 1], [1, 0], [1, 0.5])
    same = Matches.of_pairs([0, 1], [1, 0], [1, 0.5])
    other = Matches.of_pairs([0, 1], [1, 0], [1, 0])
    key = journal.key(work, (1, [2, 3]), (record, Skilled(0.1)))
    assert key == journal.key(work, (1, [2, 3]), (same, Skilled(0.1)))
    for task, shared in (
        ((1, [2, 4]), (record, Skilled(0.1))),
        ((1, (2, 3)), (record, Skilled(0.1))),
        ((1.0, [2, 3]), (record, Skilled(0.1))),
        ((1, [2, 3]), (other, Skilled(0.1))),
        ((1, [2, 3]), (record, Skilled(0.2))),
        ((1, [2, 3]), (record, Mixed(0.1, 1))),
    ):
        assert journal.key(work, task, shared) not in (key, None)
    assert journal.key(broken, (1, [2, 3]), (record, Skilled(0.1))) != key
    assert journal.key(lambda task: task, 1, ()) is None
    assert journal.key(work, object(), ()) is None
    strided = np.arange(8.0)[::2]
    assert journal.key(work, strided, ()) == journal.key(work, strided.copy(), ())
    seeds = np.random.SeedSequence(3)
    before = journal.key(work, seeds, ())
    seeds.spawn(1)
    assert journal.key(work, seeds, ()) != before


@pytest.mark.parametrize("jobs", [1, 3])
def test_work_that_is_stopped_keeps_the_first_tasks(jobs: int) -> None:
    begun: list[int] = []

    def count(task: int) -> int:
        begun.append(task)
        return task

    done = map_tasks(count, range(20), workers=Workers(jobs), stop=lambda: len(begun) >= 5)
    assert done == list(range(len(done)))
    assert 5 <= len(done) <= 5 + jobs
