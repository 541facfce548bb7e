"""Repeats: a record that holds its matches more than once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ludometer.matches import Matches

RepeatsChoice = Literal["divide", "drop", "keep"]
"""What becomes of repeats: a record that was multiplied is divided by its factor; of equal rows only one stays; or
all stay."""
Kind = Literal["none", "exact", "mirrored", "appended", "overlapping"]


@dataclass(frozen=True)
class Repeats:
    """What was found, and what became of it."""

    kind: Kind = "none"
    factor: int = 1
    """How often the repeated matches stand in the record."""
    found: int = 0
    """Rows that say again what another row says."""
    dropped: int = 0

    def lines(self) -> tuple[str, ...]:
        """In words."""
        return ()

    def document(self) -> dict[str, Any]:
        """The JSON."""
        return vars(self) | {}


def undo_repeats(matches: Matches, choice: RepeatsChoice = "divide") -> tuple[Matches, Repeats]:  # noqa: ARG001
    """The matches without those that stand in the record again, and what was found."""
    return matches, Repeats()
