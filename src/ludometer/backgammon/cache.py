"""Analyses that were paid for once: a SQLite file with one entry for each match record and way to analyse it."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from ludometer.errors import LudometerError

_FORMAT = 1
_WAIT_SECONDS = 60
_TABLE = "CREATE TABLE IF NOT EXISTS analyses (key TEXT PRIMARY KEY, analysis TEXT NOT NULL) WITHOUT ROWID"


class AnalysisCache:
    """A cache; every call opens the file anew, so that threads and processes can share it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     cache = AnalysisCache(Path(folder) / "backgammon.sqlite")
    ...     cache.store("key", {"found": 1})
    ...     cache.find("key"), cache.find("other")
    ({'found': 1}, None)
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._open()) as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
                if version not in (0, _FORMAT) or not tables <= {"analyses"}:
                    raise LudometerError(
                        f"{path}: a SQLite file, but not a cache of backgammon that this version knows"
                    )
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(_TABLE)
                connection.execute(f"PRAGMA user_version = {_FORMAT}")
        except (OSError, sqlite3.Error) as error:
            raise LudometerError(f"{path}: cannot be used as a cache ({error})") from error

    def find(self, key: str) -> dict[str, Any] | None:
        """What is known under this key."""
        with closing(self._open()) as connection:
            row = connection.execute("SELECT analysis FROM analyses WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def store(self, key: str, analysis: dict[str, Any]) -> None:
        """Keep an analysis, from this moment on."""
        with closing(self._open()) as connection:
            connection.execute("INSERT OR REPLACE INTO analyses VALUES (?, ?)", (key, json.dumps(analysis)))

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)


def default_path() -> Path:
    """Where analyses are kept if no other file is named."""
    root = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(root) / "ludometer" / "backgammon.sqlite"
