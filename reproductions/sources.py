"""Where the records come from: the shared folder, or files that the user has."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ludometer.matches import Matches
from ludometer.ratings.prizes import WINNER, Prizes
from ludometer.read import read_matches
from ludometer.selection import keep_connected

Value = TypeVar("Value")

SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[2] / "shared")


@dataclass(frozen=True)
class Sources:
    """The folder of real data, and a file for each game whose record the user has; nothing is worked out twice."""

    shared: Path = SHARED
    files: Mapping[str, str] = field(default_factory=dict)
    """Game as the paper calls it → a file of matches that ludometer reads (docs/files.md)."""
    prizes: Prizes = WINNER
    """Of the user's files with several players."""
    _known: dict[str, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def complete(self) -> bool:
        """Whether the shared data are there."""
        return (self.shared / "data").is_dir()

    def path(self, name: str) -> Path | None:
        """A file of the shared data, if it is there."""
        path = self.shared / "data" / name
        return path if path.exists() else None

    def once(self, name: str, work: Callable[[], Value]) -> Value:
        """The result of some work, remembered under a name."""
        if name not in self._known:
            self._known[name] = work()
        return self._known[name]  # type: ignore[return-value]

    def matches(self, name: str, *, where: str | None = None, min_players: int | None = None) -> Matches | None:
        """The connected matches of a shared file, or None where it is missing."""
        path = self.path(name)
        if path is None:
            return None
        return keep_connected(read_matches(path, where=where), min_players=min_players).matches

    def record(self, name: str, where: str | None = None) -> Matches | None:
        """All matches of a shared file, connected or not."""
        path = self.path(name)
        return None if path is None else read_matches(path, where=where)
