"""The cache of evaluations: a SQLite file, written position by position, shared by threads and processes."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import wraps
from hashlib import sha256
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from ludometer.chess.record.evaluations import Conventions
from ludometer.chess.record.rules import Replay
from ludometer.errors import LudometerError

Given = ParamSpec("Given")
Found = TypeVar("Found")

_FORMAT = 1
_WAIT_SECONDS = 60
_TABLES = """
CREATE TABLE IF NOT EXISTS settings (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS programs (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, identity TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS evaluations (
  settings INTEGER NOT NULL, position TEXT NOT NULL, lines TEXT NOT NULL, PRIMARY KEY (settings, position)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Line:
    """One of an engine's best moves from a position, and its evaluation in centipawns from White's view.

    A mate is an infinity, positive where White mates.
    """

    move: str
    evaluation: float


@dataclass(frozen=True)
class Settings:
    """Everything that an evaluation depends on besides the position."""

    engine: str
    """Name and version, as the engine reports them."""
    net: str
    """The network it evaluates with, where it reports one."""
    options: tuple[tuple[str, str], ...]
    depth: int | None
    nodes: int | None
    multipv: int
    hash_mb: int
    hash_policy: str

    def to_text(self) -> str:
        """As a key."""
        return json.dumps(vars(self) | {"options": dict(self.options)}, sort_keys=True)

    @classmethod
    def of_text(cls, text: str) -> Self:
        """From a key."""
        found = json.loads(text)
        return cls(**found | {"options": tuple(sorted(found["options"].items()))})

    def describe(self) -> str:
        """In a few words."""
        limit = f"depth {self.depth}" if self.depth is not None else f"{self.nodes:,} nodes"
        words = [self.engine, limit, *([f"{self.multipv} lines"] if self.multipv > 1 else [])]
        words += ["hash carried through the game"] if self.hash_policy == "game" else []
        words += [f"{self.hash_mb} MB hash"] if self.hash_mb != 16 else []
        return ", ".join(words + [f"{name} = {value}" for name, value in self.options])

    def conventions(self, *, mate_value: int) -> Conventions:
        """The conventions of strengths; settings that not every engine has become part of its name."""
        plain = {"multipv": 1, "hash_mb": 16, "hash_policy": "position"}
        other = {name: getattr(self, name) for name, usual in plain.items() if getattr(self, name) != usual}
        words = [f"{name} {value}" for name, value in (*other.items(), *self.options)]
        name = f"{self.engine} ({', '.join(words)})" if words else self.engine
        return Conventions(name, self.depth, self.nodes, mate_value)

    def keys(self, game: Replay) -> list[str]:
        """The key of each position: itself or, with a hash carried through the game, all the moves that led to it."""
        if self.hash_policy != "game":
            return list(game.positions)
        digest, keys = sha256(game.positions[0].encode()), []
        for move in ("", *game.moves):
            digest.update(f" {move}".encode())
            keys.append(digest.hexdigest())
        return keys


def _reporting(method: Callable[Concatenate[Cache, Given], Found]) -> Callable[Concatenate[Cache, Given], Found]:
    """Turn what SQLite says of a damaged or full file, and contents that make no sense, into one clear error."""

    @wraps(method)
    def call(self: Cache, /, *given: Given.args, **named: Given.kwargs) -> Found:
        try:
            return method(self, *given, **named)
        except sqlite3.Error as error:
            raise LudometerError(f"{self.path}: the cache cannot be used ({error})") from error
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise LudometerError(f"{self.path}: the cache is damaged; delete it and analyse the games again") from error

    return call


class Cache:
    """An open cache; each thread and process opens its own."""

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.exists():
            raise LudometerError(f"{path}: there is no such cache; fill one with ludometer chess analyse")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.connection = sqlite3.connect(
                self.path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._prepare()
        except (OSError, UnicodeDecodeError, sqlite3.Error) as error:
            raise LudometerError(f"{path}: cannot be used as a cache ({error})") from error

    def _prepare(self) -> None:
        version = self.connection.execute("PRAGMA user_version").fetchone()[0]
        if version == _FORMAT:
            self.connection.execute("PRAGMA synchronous = NORMAL")
            return
        if version or self.connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            known = version < _FORMAT and self._has_tables()
            if not known:
                raise LudometerError(f"{self.path}: a SQLite file, but not a cache of this version")
        # With a write-ahead log each position survives a kill as soon as it is written, without waiting for the disk;
        # only a loss of power may cost the last few.
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = NORMAL")
        self.connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_FORMAT}; COMMIT;")

    def _has_tables(self) -> bool:
        """Whether the tables exist: another process may have made them a moment ago."""
        names = {name for (name,) in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return names == {"settings", "programs", "evaluations"}

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @_reporting
    def settings(self) -> list[Settings]:
        """All settings under which something was evaluated, oldest first."""
        rows = self.connection.execute("SELECT text FROM settings ORDER BY id").fetchall()
        return [Settings.of_text(text) for (text,) in rows]

    @_reporting
    def number(self, settings: Settings) -> int:
        """The number of these settings; new ones get the next."""
        text = settings.to_text()
        self.connection.execute("INSERT OR IGNORE INTO settings (text) VALUES (?)", (text,))
        return int(self.connection.execute("SELECT id FROM settings WHERE text = ?", (text,)).fetchone()[0])

    @_reporting
    def find(self, number: int, keys: Iterable[str]) -> dict[str, tuple[Line, ...]]:
        """Those of these positions that are known."""
        wanted, found = list(dict.fromkeys(keys)), {}
        for first in range(0, len(wanted), 500):
            part = wanted[first : first + 500]
            marks = ",".join("?" * len(part))
            query = f"SELECT position, lines FROM evaluations WHERE settings = ? AND position IN ({marks})"
            for key, text in self.connection.execute(query, (number, *part)):
                found[key] = unpack_lines(text)
        return found

    @_reporting
    def store(self, number: int, key: str, lines: Sequence[Line]) -> None:
        """Keep the lines of a position."""
        query = "INSERT OR REPLACE INTO evaluations VALUES (?, ?, ?)"
        self.connection.execute(query, (number, key, pack_lines(lines)))

    @_reporting
    def store_all(self, number: int, found: Iterable[tuple[str, Sequence[Line]]]) -> None:
        """Keep many at once."""
        rows = [(number, key, pack_lines(lines)) for key, lines in found]
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.executemany("INSERT OR REPLACE INTO evaluations VALUES (?, ?, ?)", rows)
        self.connection.execute("COMMIT")

    @_reporting
    def identity(self, program: Path) -> dict[str, Any] | None:
        """The identity of a program that was remembered, if it is still the same file; so it need not be started."""
        query = "SELECT stamp, identity FROM programs WHERE path = ?"
        row = self.connection.execute(query, (str(program),)).fetchone()
        return json.loads(row[1]) if row and row[0] == _stamp(program) else None

    @_reporting
    def remember(self, program: Path, identity: dict[str, Any]) -> None:
        """Remember the identity of a program."""
        row = (str(program), _stamp(program), json.dumps(identity, sort_keys=True))
        self.connection.execute("INSERT OR REPLACE INTO programs VALUES (?, ?, ?)", row)

    @_reporting
    def count(self) -> int:
        """The number of evaluations."""
        return int(self.connection.execute("SELECT count(*) FROM evaluations").fetchone()[0])


def dump(path: str | Path) -> list[tuple[str, str, str]]:
    """All evaluations with their settings, sorted: what two runs must agree on."""
    query = "SELECT text, position, lines FROM evaluations JOIN settings ON settings.id = settings ORDER BY 1, 2"
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.execute(query))


def default_path() -> Path:
    """The cache that is used if none is named."""
    root = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(root) / "ludometer" / "chess.sqlite"


def pack_lines(lines: Iterable[Line]) -> str:
    """As text.

    >>> pack_lines([Line("e2e4", 33.0), Line("d8h4", float("-inf"))])
    'e2e4 33;d8h4 -inf'
    """
    return ";".join(f"{line.move} {line.evaluation:.0f}" for line in lines)


def unpack_lines(text: str) -> tuple[Line, ...]:
    """From text.

    >>> unpack_lines("e2e4 33")
    (Line(move='e2e4', evaluation=33.0),)
    """
    parts = (part.split(" ") for part in text.split(";"))
    return tuple(Line(move, float(value)) for move, value in parts)


def _stamp(program: Path) -> str:
    status = program.stat()
    return f"{status.st_size} {status.st_mtime_ns}"
