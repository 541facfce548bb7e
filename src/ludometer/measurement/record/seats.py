"""Seats: what it is worth to be listed first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ludometer.matches import Matches


@dataclass(frozen=True)
class SeatAdvantage:
    """What the first seat is worth, in Elo points."""

    advantage: float | None = None
    interval: tuple[float, float] | None = None
    applied: bool = False

    def lines(self) -> tuple[str, ...]:
        """In words."""
        return ()

    def document(self) -> dict[str, Any]:
        """The JSON."""
        return vars(self) | {"interval": None if self.interval is None else list(self.interval)}

    def absent(self) -> dict[str, str]:
        """Why parts of it are null."""
        return {name: "not estimated" for name in ("advantage", "interval") if getattr(self, name) is None}


def estimate_advantage(matches: Matches, advantage: str | None = None) -> SeatAdvantage:  # noqa: ARG001
    """The advantage of the first seat."""
    return SeatAdvantage()
