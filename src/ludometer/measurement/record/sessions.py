"""Sessions: matches of the same players in a row, and whether their results depend on each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ludometer.arrays import Mask
from ludometer.matches import Matches


@dataclass(frozen=True, eq=False)
class Sessions:
    """Matches that share circumstances."""

    found: int = 0
    matches_in_sessions: int = 0
    gap: float | None = None
    dependent: bool = False
    p_value: float | None = None
    kept: Mask | None = None
    """One match per session, the first; None where all matches count."""

    def lines(self) -> tuple[str, ...]:
        """In words."""
        return ()

    def document(self) -> dict[str, Any]:
        """The JSON."""
        return {"found": self.found, "matches_in_sessions": self.matches_in_sessions, "gap": self.gap}

    def absent(self) -> dict[str, str]:
        """Why parts of it are null."""
        return {} if self.gap is not None else {"gap": "no sessions were found"}


def find_sessions(matches: Matches, session: str | float | None = None) -> Sessions:  # noqa: ARG001
    """The sessions of a record."""
    return Sessions()
