"""GNU Backgammon as a separate program: found, given a task, stopped if it takes too long; and the scripts it runs.

A script runs in the Python inside GNU Backgammon: it reads task.json, writes result.json, and only collects what the
program knows. What that means is worked out on our side, where it is tested.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludometer.errors import LudometerError
from ludometer.programs import GAMES_FOLDER, find_program

PROGRAM = "gnubg"
TIMEOUT = 3600.0
"""Seconds per task. At 2 plies a match to 7 points takes about half a minute of CPU time."""

_START_SECONDS = 30.0
_TASK, _SCRIPT, _RESULT = "task.json", "script.py", "result.json"
_VERSION = re.compile(r"GNU Backgammon (\S+)")


class GnubgFailure(LudometerError):  # noqa: N818 - what happened
    """The program ended without a result, or took too long."""


@dataclass
class Gnubg:
    """The program and its running processes; `close` ends them, from any thread.

    Every task has its own process and its own temporary folder, which is deleted afterwards.
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
        """Run a script in its embedded Python; return the result, and the other files that the script wrote.

        The script reads task.json and writes result.json; `files` are next to them. No user input is ever part of a
        command: file names are ours, and the rest is data in JSON.
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
        """End all running processes."""
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
            raise GnubgFailure(f"GNU Backgammon did not finish within {self.timeout:g} seconds") from None
        finally:
            _kill(process)
            process.wait()
            with self.lock:
                self.running.discard(process)
        if status and not (folder / _RESULT).exists():
            how = f"signal {-status}" if status < 0 else f"status {status}"
            raise GnubgFailure(f"GNU Backgammon crashed ({how})")

    def _start(self, words: list[str], folder: Path) -> subprocess.Popen[bytes]:
        with self.lock:
            if self.is_closed:
                raise GnubgFailure("GNU Backgammon was stopped")
            try:
                # in its own session: we handle Ctrl-C, since an interrupted analysis would look complete
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
                f"{self.program} did not run the script: use a build with Python inside, such as Debian's"
            )
        try:
            found: dict[str, Any] = json.loads(path.read_bytes())
        except ValueError as error:
            raise GnubgFailure("GNU Backgammon left an incomplete result") from error
        if "error" in found:
            raise GnubgFailure(str(found["error"]))
        return found


def find_gnubg(name: str = PROGRAM) -> Path:
    """The path of GNU Backgammon: as given, on the PATH, or in Debian's folder of games."""
    found = find_program(name)
    if found is None:
        raise LudometerError(
            f"GNU Backgammon ({name}) found neither on the PATH nor in {GAMES_FOLDER}\n"
            "Install it (Debian or Ubuntu: apt-get install gnubg), or give its path: --gnubg /path/to/gnubg"
        )
    return Path(found).resolve()


def open_gnubg(name: str = PROGRAM, *, timeout: float = TIMEOUT) -> Gnubg:
    """The program, asked for its version."""
    if not timeout > 0:
        raise LudometerError(f"the timeout must be above 0 seconds, not {timeout:g}")
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
        raise LudometerError(f"{program}: not GNU Backgammon")
    return Gnubg(program, found[1], timeout)


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the user's: their Python, preferences and language would change what it does."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return kept | {"HOME": str(folder), "LC_ALL": "C.UTF-8", "TMPDIR": str(folder)}


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (OSError, AttributeError):
            process.kill()


_FRAME = """
import json
import gnubg


def say(*commands):
    for command in commands:
        gnubg.command(command)


def main():
    with open("task.json", encoding="utf-8") as stream:
        task = json.load(stream)
    try:
        found = work(task)
    except Exception as error:
        found = {"error": "%s: %s" % (type(error).__name__, error)}
    with open("part.json", "w", encoding="utf-8") as stream:
        json.dump(found, stream)
    import os
    os.replace("part.json", "result.json")


say("set output output off", "set threads 1", "set display off", "set confirm new off", "set confirm save off")
"""

ANALYSE = (
    _FRAME
    + '''

def work(task):
    say(task["load"])
    if gnubg.match(0, 0, 0, 0) is None:
        return {"match": None}
    for part in ("chequerplay evaluation", "cubedecision evaluation"):
        say("set analysis %s plies %d" % (part, task["plies"]))
        say("set analysis %s noise 0" % part)
        say("set analysis %s cubeful on" % part)
    say("set analysis luckanalysis plies %d" % task["luck_plies"])
    # an analysis that the file brings along would be kept where it claims to be the better one
    say("analyse clear match", "analyse match")
    match = gnubg.match(1, 0, 0, 0)
    about = match["match-info"]
    length = about["match-length"]
    games = []
    for game in match["games"]:
        info = game["info"]
        score = (info["score-X"], info["score-O"])
        games.append({
            "score": score,
            "winner": {"X": 0, "O": 1}.get(info["winner"]),
            "points": info.get("points-won"),
            "actions": actions(game["game"], length, score, bool(info.get("crawford"))),
        })
    names = [about[seat]["name"] for seat in "XO"]
    return {"match": {"names": names, "length": length, "variation": about["variation"], "games": games}}


def actions(records, length, score, is_crawford):
    """Of each: kind, player, what one of equity is worth (match-winning chance or points), then what belongs to it."""
    cube, owner, doubles = 1, -1, []
    listed = []
    for record in records:
        kind = record["action"]
        if kind == "set":
            # dice without a move, as before a resignation; anything else was set up by hand
            kind = "roll" if "dice" in record else kind
        if kind not in ("move", "roll", "double", "take", "drop"):
            listed += [["set", 0, 0.0]] if kind == "set" else []
            continue
        player = "XO".index(record["player"])
        analysis = record.get("analysis") or {}
        state = gnubg.cubeinfo(cube, owner, player, length, score, int(is_crawford))
        unit = gnubg.eq2mwc(1.0, state) - gnubg.eq2mwc(0.0, state) if length else float(cube)
        cubes = [analysis.get(name) for name in ("nd-cubeful-eq", "dt-cubeful-eq")]
        if length:
            cubes = [None if value is None else gnubg.mwc2eq(value, state) for value in cubes]
        if kind == "roll":
            listed.append([kind, player, unit, analysis.get("luck-value")])
        elif kind == "move":
            moves = analysis.get("moves") or ()
            chosen = analysis.get("imove", 0)
            played = moves[chosen]["score"] if chosen < len(moves) else None
            listed.append([kind, player, unit, *cubes, len(moves), moves[0]["score"] if moves else None, played,
                           analysis.get("luck-value")])
        elif kind == "double":
            # a double that answers a double is a beaver
            listed.append(["beaver" if doubles else kind, player, unit, *cubes])
            doubles.append(player)
        else:
            # the answer to a beaver is no decision that is analysed
            listed.append([kind if len(doubles) == 1 else "beaver", player, unit])
            if kind == "take" and doubles:
                cube, owner = cube * 2 ** len(doubles), 1 - doubles[0]
            doubles = []
    return listed


main()
'''
)

PLAY = (
    _FRAME
    + """

say("set rng mersenne", "set beavers 0", "set automatic roll on", "set automatic move on", "set automatic bearoff on",
    "set player 0 gnubg", "set player 1 gnubg")


def work(task):
    return {"matches": [play(match) for match in task["matches"]]}


def play(match):
    for seat, player in enumerate(match["players"]):
        for part in ("chequerplay", "cubedecision"):
            prefix = "set player %d %s evaluation " % (seat, part)
            # noise that is a function of the position: drawn noise would come from a generator without a seed
            say(prefix + "plies %d" % player["plies"], prefix + "deterministic on",
                prefix + "noise %s" % repr(float(player["noise"])))
    say("set automatic game %s" % ("on" if match["length"] else "off"), "set seed %d" % match["seed"])
    say("new match %d" % match["length"] if match["length"] else "new session")
    # a new match forgets names, and has the date of today; two names that are equal for a moment would be refused
    names = [player["name"] for player in match["players"]]
    say("set player 0 name seat.0", "set player 1 name seat.1")
    say("set player 0 name " + names[0], "set player 1 name " + names[1], "set matchinfo date")
    found = gnubg.match(0, 0, 0, 0)
    if [found["match-info"][seat]["name"] for seat in "XO"] != names:
        raise ValueError("GNU Backgammon does not take the names %s and %s" % tuple(names))
    games = [game["info"] for game in found["games"]]
    points = [sum(game["points-won"] for game in games if game["winner"] == seat) for seat in "XO"]
    if match["file"]:
        say("%s %s" % ("save match" if match["file"].endswith(".sgf") else "export match mat", match["file"]))
    return {"games": len(games), "points": points}


main()
"""
)
