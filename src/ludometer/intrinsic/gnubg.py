"""GNU Backgammon as a program of its own: found, given a task, and stopped if it takes too long."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludometer.errors import LudometerError
from ludometer.intrinsic.engine import GAMES_FOLDER

PROGRAM = "gnubg"
TIMEOUT = 3600.0
"""Seconds for one task. At 2 plies a match to 7 points takes about half a minute of CPU time."""

_START_SECONDS = 30.0
_TASK, _SCRIPT, _RESULT = "task.json", "script.py", "result.json"
_VERSION = re.compile(r"GNU Backgammon (\S+)")


class GnubgFailure(LudometerError):  # noqa: N818 - what happened
    """The program ended without a result, or took too long."""


@dataclass
class Gnubg:
    """The program, and those of its processes that are at work; `close` ends them, from any thread.

    Every task has a process and a temporary folder of its own, which is taken away with all that is in it.
    """

    program: Path
    version: str
    timeout: float = TIMEOUT
    is_closed: bool = False
    running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(
        self, script: str, task: Mapping[str, Any], files: Mapping[str, bytes] | None = None
    ) -> tuple[dict[str, Any], dict[str, bytes]]:
        """What a script of its embedded Python found, and the other files that it wrote.

        The script reads task.json and writes result.json; `files` lie beside them. Nothing that comes from a user is
        ever part of a command: names of files are ours, and the rest is data in JSON.
        """
        given = dict(files or {})
        with tempfile.TemporaryDirectory(prefix="ludometer-gnubg-") as name:
            folder = Path(name)
            (folder / "preferences").mkdir()
            for file, data in {_SCRIPT: script.encode(), _TASK: json.dumps(task).encode(), **given}.items():
                (folder / file).write_bytes(data)
            self._work(folder)
            known = {_SCRIPT, _TASK, _RESULT, *given}
            written = {
                path.name: path.read_bytes()
                for path in sorted(folder.iterdir())
                if path.is_file() and path.name not in known
            }
            return self._read_result(folder), written

    def close(self) -> None:
        """End all that is at work."""
        with self.lock:
            self.is_closed = True
            for process in self.running:
                _kill(process)

    def _work(self, folder: Path) -> None:
        words = [str(self.program), "--tty", "--quiet", "--no-rc", "--prefsdir", str(folder / "preferences")]
        process = self._start([*words, "--python", _SCRIPT], folder)
        try:
            status = process.wait(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            raise GnubgFailure(f"GNU Backgammon did not come to an end within {self.timeout:g} seconds") from None
        finally:
            _kill(process)
            process.wait()
            with self.lock:
                self.running.discard(process)
        if status and not (folder / _RESULT).exists():
            how = f"signal {-status}" if status < 0 else f"status {status}"
            raise GnubgFailure(f"GNU Backgammon broke down ({how})")

    def _start(self, words: list[str], folder: Path) -> subprocess.Popen[bytes]:
        with self.lock:
            if self.is_closed:
                raise GnubgFailure("GNU Backgammon was stopped")
            try:
                # a session of its own: Ctrl-C is ours to handle, since an interrupted analysis would look complete
                process = subprocess.Popen(
                    words,
                    cwd=folder,
                    env=_environment(folder),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError as error:
                raise LudometerError(f"{self.program}: cannot be started ({error.strerror})") from error
            self.running.add(process)
        return process

    def _read_result(self, folder: Path) -> dict[str, Any]:
        path = folder / _RESULT
        if not path.exists():
            raise GnubgFailure(
                f"{self.program} ran no script: this build of GNU Backgammon has no Python inside; Debian's has"
            )
        try:
            found: dict[str, Any] = json.loads(path.read_bytes())
        except ValueError as error:
            raise GnubgFailure("GNU Backgammon left half a result") from error
        if "error" in found:
            raise GnubgFailure(str(found["error"]))
        return found


def find_gnubg(name: str = PROGRAM) -> Path:
    """Where GNU Backgammon is: a path, a program on the PATH, or in Debian's folder of games."""
    found = shutil.which(name) or shutil.which(name, path=GAMES_FOLDER)
    if found is None:
        raise LudometerError(
            f"GNU Backgammon ({name}) was found neither on the PATH nor in {GAMES_FOLDER}\n"
            "Install it, on Debian or Ubuntu: apt-get install gnubg; or name it by its path: --gnubg /path/to/gnubg"
        )
    return Path(found).resolve()


def open_gnubg(name: str = PROGRAM, *, timeout: float = TIMEOUT) -> Gnubg:
    """The program, asked for its version."""
    if not timeout > 0:
        raise LudometerError(f"GNU Backgammon needs more than {timeout:g} seconds")
    program = find_gnubg(name)
    try:
        said = subprocess.run(
            [str(program), "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_START_SECONDS,
            check=False,
        ).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LudometerError(f"{program}: cannot be started ({error})") from error
    found = _VERSION.search(said)
    if found is None:
        raise LudometerError(f"{program}: is not GNU Backgammon")
    return Gnubg(program, found[1], timeout)


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the user's: his Python, preferences and language would change what it does."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return kept | {"HOME": str(folder), "LC_ALL": "C.UTF-8", "TMPDIR": str(folder)}


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (OSError, AttributeError):
            process.kill()
