"""A UCI chess engine as a separate program: found, started, asked, and stopped if it does not answer."""

from __future__ import annotations

import os
import re
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from ludometer.chess.engine.cache import Line, Settings
from ludometer.errors import LudometerError
from ludometer.programs import GAMES_FOLDER, find_program

HashPolicy = Literal["position", "game"]
"""Whether the engine's memory is cleared before each position, or carried through a game."""

TIMEOUT = 120.0
_START_SECONDS = 30.0
_HASH_MB = 16
_NETS = ("EvalFile", "EvalFileSmall", "WeightsFile")
_OWN_OPTIONS = ("hash", "threads", "multipv")
_OPTION = re.compile(r"option name (.+?) type (\w+)(?: default (.*?))?(?: min .*| max .*| var .*)?$")


class EngineFailure(LudometerError):  # noqa: N818 - what happened
    """The engine ended, did not answer in time, or answered nonsense."""


@dataclass(frozen=True)
class Search:
    """How the engine searches; exactly one of depth and nodes is given.

    >>> Search(depth=12).limit
    'depth 12'
    """

    depth: int | None = None
    nodes: int | None = None
    multipv: int = 1
    """How many best moves are evaluated; 2 show how hard a position is, and cost 2.6 times as much."""
    hash_mb: int = _HASH_MB
    hash_policy: HashPolicy = "position"
    options: tuple[tuple[str, str], ...] = ()
    timeout: float = TIMEOUT
    """Seconds per position, after which the engine counts as hanging."""

    def __post_init__(self) -> None:
        if (self.depth is None) == (self.nodes is None):
            raise LudometerError("an engine searches to a depth or a number of nodes: give exactly one")
        if min(value for value in (self.depth, self.nodes, self.multipv, self.hash_mb) if value is not None) < 1:
            raise LudometerError("depth, nodes, lines and megabytes of hash must be at least 1")
        if not self.timeout > 0:
            raise LudometerError(f"the timeout must be above 0 seconds, not {self.timeout:g}")
        own = [name for name, _ in self.options if name.lower() in _OWN_OPTIONS]
        if own:
            raise LudometerError(f"{', '.join(own)}: ludometer sets this itself; leave the option out")

    @property
    def limit(self) -> str:
        """As UCI writes it."""
        return f"depth {self.depth}" if self.depth is not None else f"nodes {self.nodes}"

    def settings(self, identity: Identity) -> Settings:
        """The search together with the engine: the key of the cache."""
        chosen = dict(self.options)
        known = {name.lower(): name for name in identity.defaults}
        missing = [name for name in chosen if name.lower() not in known]
        if missing:
            raise LudometerError(f"{identity.name} has no option {', '.join(map(repr, missing))}")
        if self.multipv > 1 and "multipv" not in known:
            raise LudometerError(f"{identity.name} evaluates only its best move (no option MultiPV)")
        options = tuple(sorted((known[name.lower()], value) for name, value in self.options))
        net = ", ".join(dict(options).get(name, identity.defaults[name]) for name in _NETS if name in identity.defaults)
        shown = tuple((name, value) for name, value in options if name not in _NETS)
        return Settings(identity.name, net, shown, self.depth, self.nodes, self.multipv, self.hash_mb, self.hash_policy)


@dataclass(frozen=True)
class Identity:
    """How an engine identifies itself: name with version, and its options with their defaults."""

    name: str
    defaults: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object."""
        return {"name": self.name, "defaults": self.defaults}


def find_engine(name: str) -> Path:
    """The path of an engine: as given, on the PATH, or in Debian's folder of games."""
    found = find_program(name)
    if found is not None:
        return Path(found).resolve()
    if Path(name).is_file():
        raise LudometerError(f"{name}: not an executable program, so not a chess engine")
    where = "at this path" if os.sep in name else f"neither on the PATH nor in {GAMES_FOLDER}"
    raise LudometerError(
        f"no chess engine {name!r} found {where}\n"
        "Install one (Debian or Ubuntu: apt-get install stockfish; macOS: brew install stockfish), "
        "or give the path of any UCI engine: --engine /path/to/engine"
    )


class Engine:
    """A running engine with one thread; `seconds` is the time spent on its start and its answers."""

    def __init__(self, program: Path, search: Search) -> None:
        self.program, self.search = program, search
        began = time.perf_counter()
        self._is_late = False
        try:
            self.process = subprocess.Popen(
                [str(program)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=program.parent if os.access(program.parent, os.R_OK) else None,
            )
        except OSError as error:
            raise LudometerError(f"{program}: cannot be started ({error.strerror})") from error
        try:
            self.identity = self._introduce()
        except EngineFailure as error:
            self.kill()
            raise EngineFailure(f"{error}: is it a UCI engine?") from error
        try:
            self.settings = search.settings(self.identity)
            self._configure()
        except BaseException:
            self.kill()
            raise
        self.seconds = time.perf_counter() - began

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin_game(self) -> None:
        """Forget everything."""
        began = time.perf_counter()
        self._talk(["ucinewgame", "isready"], "readyok", _START_SECONDS)
        self.seconds += time.perf_counter() - began

    def evaluate(self, position: str, moves: Sequence[str] = ()) -> tuple[Line, ...]:
        """The best moves, best first, from a position that is not over, reached from a FEN by these moves.

        By the policy "position" the engine forgets everything first, so the answer depends on the position alone.
        """
        began = time.perf_counter()
        made = f" moves {' '.join(moves)}" if moves else ""
        fresh = ["ucinewgame"] if self.search.hash_policy == "position" else []
        said = self._talk(
            [*fresh, f"position fen {position}{made}", f"go {self.search.limit}"], "bestmove", self.search.timeout
        )
        self.seconds += time.perf_counter() - began
        white_moves = (position.split()[1] == "w") == (len(moves) % 2 == 0)
        return read_lines(said, sign=1 if white_moves else -1, n_lines=self.search.multipv)

    def choose(self, position: str) -> str:
        """The move it would make: with limited strength, not the one it finds best."""
        fresh = ["ucinewgame"] if self.search.hash_policy == "position" else []
        asked = [*fresh, f"position fen {position}", f"go {self.search.limit}"]
        return self._talk(asked, "bestmove", self.search.timeout)[-1].split()[1]

    def close(self) -> None:
        """Ask it to end, and make sure that it does."""
        try:
            self._send(["quit"])
            self.process.wait(timeout=2)
        except (EngineFailure, subprocess.TimeoutExpired):
            pass
        self.kill()

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue

    def _introduce(self) -> Identity:
        said = self._talk(["uci"], "uciok", _START_SECONDS)
        names = [line.removeprefix("id name ") for line in said if line.startswith("id name ")]
        options = (_OPTION.match(line) for line in said)
        defaults = {found[1]: found[3] or "" for found in options if found}
        return Identity(names[0] if names else self.program.name, defaults)

    def _configure(self) -> None:
        known = {name.lower(): name for name in self.identity.defaults}
        own = {"threads": "1", "hash": str(self.search.hash_mb), "multipv": str(self.search.multipv)}
        wanted = {known[name]: value for name, value in own.items() if name in known}
        wanted |= {known[name.lower()]: value for name, value in self.search.options}
        commands = [f"setoption name {name} value {value}" for name, value in wanted.items()]
        self._talk([*commands, "isready"], "readyok", _START_SECONDS)

    def _talk(self, commands: Sequence[str], last: str, seconds: float) -> list[str]:
        """Send commands and read until a line begins with `last`; an engine that hangs is killed."""
        self._is_late = False
        watch = threading.Timer(seconds, self._give_up)
        watch.daemon = True
        watch.start()
        try:
            self._send(commands)
            return self._listen(last, seconds)
        finally:
            watch.cancel()

    def _send(self, commands: Sequence[str]) -> None:
        pipe = self.process.stdin
        assert pipe is not None
        try:
            pipe.write("".join(f"{command}\n" for command in commands).encode())
            pipe.flush()
        except (OSError, ValueError) as error:
            raise EngineFailure(f"{self.program.name} has ended{self._status()}") from error

    def _listen(self, last: str, seconds: float) -> list[str]:
        pipe, said = self.process.stdout, []
        assert pipe is not None
        for line in pipe:
            text = line.decode("utf-8", "replace").strip()
            said.append(text)
            if text.startswith(last):
                return said
        if self._is_late:
            raise EngineFailure(f"{self.program.name} did not answer within {seconds:g} seconds")
        raise EngineFailure(f"{self.program.name} ended while it was working{self._status()}")

    def _give_up(self) -> None:
        self._is_late = True
        self.process.kill()

    def _status(self) -> str:
        try:
            status = self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return ""
        return f" (status {status})"


def read_lines(said: Sequence[str], *, sign: int, n_lines: int) -> tuple[Line, ...]:
    """The last complete search in an engine's output; `sign` turns the mover's view into White's.

    >>> said = ["info depth 1 multipv 1 score cp 20 pv e7e5", "info depth 2 score mate -3 pv g8f6", "bestmove g8f6"]
    >>> read_lines(said, sign=-1, n_lines=1)
    (Line(move='g8f6', evaluation=inf),)
    """
    found: dict[int, tuple[int, Line]] = {}
    for text in said:
        words = text.split()
        if words[:1] != ["info"] or "score" not in words or "pv" not in words:
            continue
        # a score outside the window of the search is only a bound
        if "lowerbound" in words or "upperbound" in words:
            continue
        at = words.index("score")
        kind, value = words[at + 1], int(words[at + 2])
        number = int(words[words.index("multipv") + 1]) if "multipv" in words else 1
        depth = int(words[words.index("depth") + 1]) if "depth" in words else 0
        # mate 0 means that the side to move is mated
        evaluation = float(value) if kind == "cp" else float("inf") if value > 0 else float("-inf")
        found[number] = depth, Line(words[words.index("pv") + 1], sign * evaluation + 0.0)
    if 1 not in found:
        raise EngineFailure("the engine gave no evaluation")
    depth = found[1][0]
    kept = (found[number][1] for number in range(1, n_lines + 1) if number in found and found[number][0] == depth)
    return tuple(kept)
