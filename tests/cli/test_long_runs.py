"""Long runs: what a terminal shows, what an interrupted run keeps, what a budget leaves out."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, run

__all__ = ["run"]

CLUB = Path(__file__).parents[2] / "src" / "ludometer" / "demo" / "club.csv"
WORDS = ["measure", str(CLUB), "--replicates", "19", "--luck-draws", "100"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a run writes that nothing disturbs."""
    path = tmp_path_factory.mktemp("whole") / "whole.json"
    subprocess.run([sys.executable, "-m", "ludometer", *WORDS, "--json", str(path)], check=True, capture_output=True)
    return path.read_bytes()


def _without_target(document: bytes) -> Any:
    found = json.loads(document)
    found["provenance"]["command"] = re.sub(r" --json \S+", "", found["provenance"]["command"])
    return found


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_killed_goes_on_to_the_same_result(
    run: Run, tmp_path: Path, whole: bytes, number: signal.Signals
) -> None:
    kept, result = tmp_path / "run.jsonl", tmp_path / "result.json"
    words = [*WORDS, "--resume", str(kept), "--jobs", "1", "--json", str(result)]
    work = subprocess.Popen([sys.executable, "-m", "ludometer", *words], stderr=subprocess.PIPE, text=True)
    while not kept.exists() or kept.read_bytes().count(b"\n") < 12:
        assert work.poll() is None
        time.sleep(0.005)
    work.send_signal(number)
    _, said = work.communicate()
    assert not result.exists()
    if number == signal.SIGINT:
        assert f"what has been simulated is kept in {kept}: the same command goes on from it" in said
    lines = kept.read_bytes().count(b"\n")
    done = run(*words[:-4], "--jobs", "2", "--json", result)
    assert done.status == 0, done.err
    n_found = int(re.findall(r"(\d+) pieces of work were done before and taken from", done.err)[0])
    assert 11 <= n_found == lines - 1
    assert _without_target(result.read_bytes()) == _without_target(whole)
    assert "--resume" not in result.read_text()
    again = run(*WORDS, "--resume", kept, "--seed", "1")
    assert again.status == 2
    assert again.err.count("\n") <= 4
    assert f"{kept} holds the work of another run (seed was 0, is 1)" in again.err


def test_a_file_that_is_read_or_written_otherwise_is_not_taken_for_resume(run: Run, tmp_path: Path) -> None:
    before = CLUB.read_bytes()
    assert run("measure", CLUB, "--resume", CLUB).status == 2
    assert CLUB.read_bytes() == before
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    done = run("measure", CLUB, "--resume", other)
    assert done.status == 2
    assert "is not a file that --resume has written" in done.err
    assert other.read_text() == "mine"


def test_a_reference_and_several_files_are_kept_too(run: Run, tmp_path: Path) -> None:
    kept, halves = tmp_path / "run.jsonl", [tmp_path / "early.csv", tmp_path / "late.csv"]
    header, *rows = CLUB.read_text().splitlines(keepends=True)
    for path, part in zip(halves, (rows[:750], rows[750:]), strict=True):
        path.write_text(header + "".join(part))
    words = ["measure", *halves, "--reference", CLUB, "--replicates", 19, "--luck-draws", 0, "--json", "-"]
    alone, first, second = run(*words), run(*words, "--resume", kept), run(*words, "--resume", kept)
    assert alone.status == first.status == second.status == 0, first.err
    assert alone.out == first.out == second.out
    assert "pieces of work were done before" not in first.err
    assert "pieces of work were done before" in second.err


def test_a_budget_is_kept_to_and_told(run: Run, tmp_path: Path) -> None:
    done = run("measure", CLUB, "--budget", "0.001", "--json", tmp_path / "a.json", "--html", tmp_path / "a.html")
    assert done.status == 0, done.err
    assert "Budget     within 0.001 s: left out: the yardsticks and the verdict" in done.out
    found = json.loads((tmp_path / "a.json").read_text())
    assert found["budget"]["replicates"] == 0
    assert found["absent"]["verdict"] == "left out: the budget of 0.001 s did not leave time for it"
    assert "budget of time" in (tmp_path / "a.html").read_text()
    assert run("measure", CLUB, "--budget", "0").status == 2


def on_terminal(words: list[str], **settings: str) -> tuple[str, str]:
    """What a terminal shows that is standard error only, and what goes to standard output."""
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    main, other = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"} | settings
    work = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=other)
    os.close(other)
    shown = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    printed = work.communicate()[0].decode()
    assert work.returncode == 0
    os.close(main)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()), printed


def test_a_terminal_sees_the_stages_and_a_pipe_sees_nothing() -> None:
    words = [sys.executable, "-m", "ludometer", *WORDS]
    shown, printed = on_terminal(words)
    assert re.search(r"(yardsticks|repeats|checks) +\S+ +\d+% +\d+ s left", shown)
    piped = subprocess.run(words, capture_output=True, text=True, check=True)
    assert piped.stdout == printed
    assert "left" not in piped.stderr


def test_a_terminal_sees_what_is_being_compiled(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "ludometer", "rate", str(CLUB), "--system", "elo"]
    shown, printed = on_terminal(words, NUMBA_CACHE_DIR=str(tmp_path))
    assert re.search(r"compiling for this machine, once: kernel 2, \w+", shown)
    assert "compiling" not in printed
    assert "compiling" not in on_terminal(words, NUMBA_CACHE_DIR=str(tmp_path))[0]
