"""Whatever ends a command while it writes: the old file stays whole, nothing else is left, one line says why."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludometer.chess.engine.cache import Cache
from ludometer.demo import CLUB
from tests.cli.conftest import Done, Run
from tests.skat.deals import write_record

OLD = b"what was there before\n"
MOVES = ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small file of each kind that commands read."""
    folder = tmp_path_factory.mktemp("inputs")
    rng = np.random.default_rng(3)
    texts = {
        "club.csv": "\n".join(CLUB.read_text(encoding="utf-8").splitlines()[:400]) + "\n",
        "series.csv": "series,player,score\n"
        + "".join(f"{n},{who},{700 + 90 * place + n % 7}\n" for n in range(12) for place, who in enumerate("ABC")),
        "games.sgf": "\n".join(write_record(rng, n, se=str(n // 40)) for n in range(400)),
        "games.pgn": "\n".join(_game(n, rng) for n in range(40)),
        "ratings.csv": "player,rating\n" + "".join(f"p{n},{1200 + 7 * n % 900}\n" for n in range(300)),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: folder / name for name in texts}


def _game(number: int, rng: np.random.Generator) -> str:
    names = ("Ann", "Ben", "Cid", "Dan", "Eve", "Fay", "Gil")
    white, black = number % 7, (number + 1 + number // 7 % 6) % 7
    said = [f"{move} {{[%eval {rng.normal(0, 0.4 - 0.03 * white):.2f}]}}" for move in MOVES]
    elo = f'[WhiteElo "{1500 + 100 * white}"]\n[BlackElo "{1500 + 100 * black}"]\n'
    return f'[White "{names[white]}"]\n[Black "{names[black]}"]\n[Result "*"]\n{elo}\n{" ".join(said)} *\n'


COMMANDS: dict[str, tuple[str, ...]] = {
    "rate --json": ("rate", "club.csv", "--json", "out.json"),
    "rate --stream --json": ("rate", "club.csv", "--stream", "--json", "out.json"),
    "evaluate --json": ("evaluate", "club.csv", "--json", "out.json"),
    "predict --json": ("predict", "club.csv", "Tara", "Wim", "--json", "out.json"),
    "measure --json": ("measure", "club.csv", "--quick", "--json", "out.json"),
    "measure --html": ("measure", "club.csv", "--quick", "--html", "out.html"),
    "noise --json": ("noise", "--sigma", "200", "--games", "50", "--h", "20", "--json", "out.json"),
    "learn --json": ("learn", "ratings.csv", "--json", "out.json"),
    "learn --plot": ("learn", "ratings.csv", "--plot", "out.svg"),
    "simulate --out csv": ("simulate", "strengths", "--matches", "4000", "--out", "out.csv"),
    "simulate --out parquet": ("simulate", "strengths", "--matches", "4000", "--out", "out.parquet"),
    "simulate --out jsonl": ("simulate", "coin", "--matches", "4000", "--out", "out.jsonl"),
    "simulate --truth csv": ("simulate", "coin", "--matches", "10", "--out", "spare.csv", "--truth", "out.csv"),
    "simulate --truth parquet": ("simulate", "coin", "--out", "spare.csv", "--truth", "out.parquet"),
    "simulate mix": ("simulate", "mix", "club.csv", "--x", "50", "--out", "out.csv"),
    "skat score --out csv": ("skat", "score", "games.sgf", "--short", "keep", "--out", "out.csv"),
    "skat score --out parquet": ("skat", "score", "games.sgf", "--short", "keep", "--out", "out.parquet"),
    "skat score --matches": ("skat", "score", "games.sgf", "--short", "keep", "--matches", "out.csv"),
    "skat score --json": ("skat", "score", "games.sgf", "--short", "keep", "--json", "out.json"),
    "skat rate --json": ("skat", "rate", "series.csv", "--json", "out.json"),
    "skat rate --html": ("skat", "rate", "series.csv", "--html", "out.html"),
    "skat rate --matches": ("skat", "rate", "series.csv", "--matches", "out.parquet"),
    "skat sensitivity --json": ("skat", "sensitivity", "series.csv", "--json", "out.json"),
    "skat fit --out": ("skat", "fit", "games.sgf", "--out", "out.json"),
    "skat fit --plot": ("skat", "fit", "games.sgf", "--out", "spare.json", "--plot", "out.svg"),
    "skat fit --json": ("skat", "fit", "games.sgf", "--out", "spare.json", "--json", "out.json"),
    "chess strength --json": ("chess", "strength", "games.pgn", "--replicates", "20", "--json", "out.json"),
    "chess strength --html": ("chess", "strength", "games.pgn", "--replicates", "20", "--html", "out.html"),
    "chess strength --annotated": ("chess", "strength", "games.pgn", "--replicates", "20", "--annotated", "out.pgn"),
    "chess calibrate --out": ("chess", "calibrate", "games.pgn", "--units", "band", "--out", "out.json"),
    "chess calibrate --json": ("chess", "calibrate", "games.pgn", "--units", "band", "--out", "spare.json", "--json",
                               "out.json"),
}  # fmt: skip


class Writing:
    """A command whose output takes the place of an old file, in a folder of its own."""

    def __init__(self, run: Run, inputs: dict[str, Path], folder: Path, name: str) -> None:
        self.run, self.folder = run, folder
        self.out = folder / next(word for word in COMMANDS[name] if word.startswith("out."))
        self.out.write_bytes(OLD)
        self.words = [
            inputs.get(word) or (folder / word if word.startswith(("out.", "spare.")) else word)
            for word in COMMANDS[name]
        ]

    def __call__(self) -> Done:
        return self.run(*self.words)

    @property
    def left(self) -> set[str]:
        """What is in the folder beside a second output."""
        return {path.name for path in self.folder.iterdir() if not path.name.startswith("spare.")}


@pytest.fixture(params=COMMANDS)
def writing(request: pytest.FixtureRequest, run: Run, inputs: dict[str, Path], tmp_path: Path) -> Writing:
    if request.param.startswith("chess"):
        pytest.importorskip("chess", reason="python-chess is not installed")
    return Writing(run, inputs, tmp_path, request.param)


def test_a_command_that_is_stopped_or_finds_no_room_leaves_the_old_file_and_nothing_else(
    writing: Writing, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stopped_at_the_last_moment(monkeypatch, writing.out):
        done = writing()
    assert done.status == 1
    assert done.err.splitlines()[-1] == "interrupted; nothing was written"
    assert "Traceback" not in done.err
    assert writing.out.read_bytes() == OLD
    assert writing.left == {writing.out.name}
    if writing.out.suffix == ".html":
        # drawn for a second or two, and written like any other text
        return
    with full_disk(monkeypatch, writing.out):
        done = writing()
    assert done.status == 2
    assert done.err.splitlines()[-1].startswith(f"Error: {writing.out}: cannot be written (")
    assert "Traceback" not in done.err
    assert writing.out.read_bytes() == OLD
    assert writing.left == {writing.out.name}


@contextmanager
def stopped_at_the_last_moment(monkeypatch: pytest.MonkeyPatch, out: Path) -> Iterator[None]:
    """A real SIGINT when the draft is written and has not yet taken its place."""
    replace = Path.replace

    def interrupted(draft: Path, target: Path) -> Path:
        if Path(target) == out.resolve():
            os.kill(os.getpid(), signal.SIGINT)
        return replace(draft, target)

    # a shell that put the tests into the background has them ignore the signal
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(Path, "replace", interrupted)
            yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def full_disk(monkeypatch: pytest.MonkeyPatch, out: Path, most: int = 100) -> Iterator[None]:
    """While a draft is written no file can grow beyond so many bytes; what the command prints goes on."""
    make, unlink = tempfile.mkstemp, Path.unlink
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limited(*words: Any, **options: Any) -> tuple[int, str]:
        if out.name in options["prefix"]:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
        return make(*words, **options)

    def freed(path: Path, missing_ok: bool = False) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        unlink(path, missing_ok=missing_ok)

    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "mkstemp", limited)
        patched.setattr(Path, "unlink", freed)
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


_KILLED = """
import os, pathlib, signal, sys
from ludometer.cli import main
replace = pathlib.Path.replace
def killed(draft, target):
    os.kill(os.getpid(), signal.SIGKILL)
pathlib.Path.replace = killed
sys.argv = ["ludometer", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize("name", ["noise --json", "simulate --out parquet"])
def test_a_command_that_is_killed_leaves_the_old_file(
    run: Run, inputs: dict[str, Path], tmp_path: Path, name: str
) -> None:
    writing = Writing(run, inputs, tmp_path, name)
    words = [sys.executable, "-c", _KILLED, *map(str, writing.words)]
    assert subprocess.run(words, capture_output=True, check=False).returncode == -signal.SIGKILL
    assert writing.out.read_bytes() == OLD
    # nobody can take the draft away after a kill; it hides, and another run does not mind it
    assert all(left == writing.out.name or left.startswith(f".{writing.out.name}.") for left in writing.left)
    assert writing().status == 0
    assert writing.out.read_bytes() != OLD


def test_evaluations_that_were_stored_survive_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    program = (
        "import os, signal, sys\n"
        "from ludometer.chess.engine.cache import Cache, Line, Settings\n"
        "cache = Cache(sys.argv[1])\n"
        "number = cache.number(Settings('x', '', (), 12, None, 1, 16, 'position'))\n"
        "for place in range(50): cache.store(number, str(place), [Line('e2e4', 1.0)])\n"
        "cache.connection.execute('BEGIN IMMEDIATE')\n"
        "cache.store(number, 'half', [Line('e2e4', 1.0)])\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    with Cache(path, create=False) as cache:
        assert cache.count() == 50


@pytest.mark.parametrize(
    "name", ["rate --json", "simulate --out csv", "skat rate --matches", "skat score --out parquet"]
)
def test_a_place_that_cannot_be_written_is_told(run: Run, inputs: dict[str, Path], tmp_path: Path, name: str) -> None:
    if not Path("/proc/self").is_dir():
        pytest.skip("needs a folder that even the superuser cannot write to: /proc")
    words = Writing(run, inputs, tmp_path, name).words
    out = next(Path(str(word)).name for word in words if Path(str(word)).name.startswith("out."))
    done = run(*(Path("/proc/self") / out if Path(str(word)).name == out else word for word in words))
    assert done.status == 2
    assert done.err.splitlines()[-1].startswith(f"Error: /proc/self/{out}: cannot be written (")
    assert "Traceback" not in done.err


OVERWRITTEN: dict[str, tuple[str, ...]] = {
    "rate --json": ("rate", "club.csv", "--json", "club.csv"),
    "evaluate --json": ("evaluate", "club.csv", "--json", "club.csv"),
    "predict --json": ("predict", "club.csv", "Tara", "Wim", "--json", "club.csv"),
    "measure --json": ("measure", "club.csv", "--quick", "--json", "club.csv"),
    "measure --html": ("measure", "club.csv", "--quick", "--html", "club.csv"),
    "noise --json": ("noise", "club.csv", "--json", "club.csv"),
    "learn --json": ("learn", "ratings.csv", "--json", "ratings.csv"),
    "simulate mix": ("simulate", "mix", "club.csv", "--x", "50", "--out", "club.csv"),
    "simulate --on": ("simulate", "coin", "--on", "club.csv", "--out", "club.csv"),
    "simulate --truth": ("simulate", "coin", "--on", "club.csv", "--out", "other.csv", "--truth", "club.csv"),
    "skat score --out": ("skat", "score", "series.csv", "--out", "series.csv"),
    "skat rate --json": ("skat", "rate", "series.csv", "--json", "series.csv"),
    "skat rate --html": ("skat", "rate", "series.csv", "--html", "series.csv"),
    "skat sensitivity --json": ("skat", "sensitivity", "series.csv", "--json", "series.csv"),
    "skat fit --json": ("skat", "fit", "games.sgf", "--out", "other.json", "--json", "games.sgf"),
    "chess strength --annotated": ("chess", "strength", "games.pgn", "--annotated", "games.pgn"),
    "chess strength --json": ("chess", "strength", "games.pgn", "--json", "games.pgn"),
    "chess calibrate --out": ("chess", "calibrate", "games.pgn", "--out", "games.pgn"),
}


@pytest.mark.parametrize("name", OVERWRITTEN)
def test_the_file_that_is_read_is_never_written_to(
    run: Run, inputs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    words = OVERWRITTEN[name]
    source = next(word for word in words if word in inputs)
    # by another name: a link to the same file
    (tmp_path / source).symlink_to(inputs[source])
    before = inputs[source].read_bytes()
    place = words.index(source)
    monkeypatch.chdir(tmp_path)
    done = run(*words[:place], inputs[source], *words[place + 1 :])
    assert done.status == 2
    assert "is the file that is read: write to another one" in done.err
    assert inputs[source].read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [source]
