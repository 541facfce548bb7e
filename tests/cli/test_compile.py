"""Kernels compiled ahead: the rehearsals run, and what cannot be kept is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludometer.cli.compile import FILES, REHEARSALS, rehearse
from ludometer.progress import Progress, State
from tests.cli.conftest import Run, run

__all__ = ["run"]


def test_the_rehearsals_run_and_leave_nothing_behind() -> None:
    before = Path.cwd()
    # those of measure differ in options that its own tests have
    lines = {line: seconds for line, seconds in REHEARSALS.items() if not line.startswith("measure")}
    told: list[State] = []
    assert rehearse(lines, FILES, Progress(told.append)) == {}
    assert list(dict.fromkeys(state.stage for state in told)) == list(lines)
    assert told[-1].done > 0.99
    assert Path.cwd() == before


def test_a_rehearsal_that_fails_is_told_and_the_others_go_on() -> None:
    lines = {"rate nowhere.csv": 1.0, "rate goals.csv --system elo": 1.0, "rate --nonsense": 1.0}
    failed = rehearse(lines, FILES, Progress())
    assert list(failed) == ["rate nowhere.csv", "rate --nonsense"]
    assert "nowhere.csv" in failed["rate nowhere.csv"]


def test_kernels_that_cannot_be_kept_are_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludometer.kernels.runtime.compile._Compilation.is_kept", False)
    done = run("compile")
    assert done.status == 2
    assert "no folder for compiled kernels is writable" in done.err
    assert "NUMBA_CACHE_DIR" in done.err
