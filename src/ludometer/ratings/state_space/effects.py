"""Effects of columns on the strength of a side: shared by all, or each player's own."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

from ludometer.errors import LudometerError

Whose = Literal["all", "player"]

ADVANTAGE = "advantage"
"""The column of an effect that each player has in the better seat: their home strength."""
PLAY = ("share", "minutes")
"""Columns per seat that say how much of the match a player of a team played."""


@dataclass(frozen=True)
class Effect:
    """What a column does to strengths, in Elo points; an SD of 0 switches it off.

    Of "all": one effect per value of a column of labels, or one slope per unit of a column of numbers, that all
    players share; a column per match acts on the side that is better off. Of "player": each player's own deviation on
    a value (their strength on clay), slope, or strength in the better seat (the column "advantage").

    >>> Effect("surface", "player", sd=80).label
    'player surface'
    """

    column: str
    whose: Whose = "all"
    sd: float = 0.0
    """How far effects lie from 0 before anything is known of them."""
    drift: float = 0.0
    """The SD of what an effect changes in a year."""
    centre: float = 0.0
    """Numbers count from here, which also stands for unknown ones,"""
    unit: float = 1.0
    """and in this unit."""

    def __post_init__(self) -> None:
        if self.whose not in ("all", "player"):
            raise LudometerError(f"state-space: an effect is of all or of each player, not of {self.whose!r}")
        if not isinstance(self.column, str) or not self.column:
            raise LudometerError(f"state-space: an effect needs the name of a column, not {self.column!r}")
        for name in ("sd", "drift", "centre", "unit"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise LudometerError(f"state-space: {name} of {self.label} must be a number, not {value!r}")
        if self.sd < 0 or self.drift < 0 or not self.unit > 0:
            raise LudometerError(f"state-space: sd and drift of {self.label} must be at least 0, its unit more than 0")

    @property
    def label(self) -> str:
        """What it is called."""
        return self.column if self.whose == "all" else f"player {self.column}"

    @classmethod
    def of(cls, values: Effect | dict[str, Any]) -> Effect:
        """From names and values, as `document` gives them."""
        if isinstance(values, Effect):
            return values
        known = ", ".join(cls.__dataclass_fields__)
        if not isinstance(values, dict) or "column" not in values or not set(values) <= set(cls.__dataclass_fields__):
            raise LudometerError(f"state-space: an effect has {known}, not {values!r}")
        return cls(**values)

    def document(self) -> dict[str, Any]:
        """By name."""
        return asdict(self)

    def moved(self, values: dict[str, float]) -> Self:
        """With another SD or drift, where these values name it as in "player surface: sd"."""
        sd, drift = (values.get(f"{self.label}: {part}", getattr(self, part)) for part in ("sd", "drift"))
        return replace(self, sd=sd, drift=drift)
