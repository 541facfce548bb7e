"""ludometer measure --pdf: the court's copy from the command line, and what is refused before any work."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import pytest

from ludometer.cli.court import digest_files
from tests.cli.conftest import Run


@pytest.fixture
def file(tmp_path: Path, run: Run) -> Path:
    path = tmp_path / "game.csv"
    run("simulate", "strengths", "--players", 40, "--matches", 1500, "--sd", 200, "--seed", 3, "--out", path)
    return path


def test_a_copy_is_the_same_wherever_it_is_written(file: Path, run: Run, tmp_path: Path) -> None:
    experts = tmp_path / "experts.txt"
    experts.write_text("1\n2\n\n3 \n")
    words = ("measure", file, "--replicates", 19, "--jobs", 1, "--author", "J. Doe", "--experts", experts)
    first = run(*words, "--pdf", tmp_path / "a.pdf", "--json", tmp_path / "a.json")
    assert first.status == 0, first.err
    second = run(*words, f"--pdf={tmp_path / 'b.pdf'}")
    assert second.status == 0, second.err
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()
    legal = {entry["test"]: entry for entry in json.loads((tmp_path / "a.json").read_text())["legal"]}
    assert legal["experts named beforehand"]["details"]["experts"] == 3


def test_what_cannot_be_written_is_refused_before_any_work(
    file: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.pdf"
    assert "one game" in run("measure", file, file, "--pdf", target).err
    assert "--quick" in run("measure", file, "--quick", "--pdf", target).err
    assert "is the file that is read" in run("measure", file, "--pdf", file).err
    assert "cannot be read" in run("measure", file, "--experts", tmp_path / "none.txt").err
    (tmp_path / "empty.txt").write_text("\n")
    assert "one per line" in run("measure", file, "--experts", tmp_path / "empty.txt").err
    (tmp_path / "odd.txt").write_text("Nobody\n")
    assert "not in the record: Nobody" in run("measure", file, "--experts", tmp_path / "odd.txt").err
    monkeypatch.setitem(sys.modules, "reportlab", None)
    assert 'pip install "ludometer[pdf]"' in run("measure", file, "--pdf", target).err
    assert not target.exists()


def test_files_are_known_by_their_digests(tmp_path: Path) -> None:
    one, other = tmp_path / "a.csv", tmp_path / "b.csv"
    one.write_text("1")
    other.write_text("2")
    digests = [(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in (one, other)]
    assert digest_files([str(one)]) == digests[:1]
    assert digest_files([str(tmp_path)]) == digests
    assert "standard input" in digest_files(["-"])[0][1]
    for number in range(30):
        (tmp_path / f"c{number:02}.csv").write_text(str(number))
    ((name, whole),) = digest_files([str(tmp_path)])
    assert "32 files" in name
    assert len(whole) == 64
