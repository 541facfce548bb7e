"""The parameters of the state-space model, in Elo points and years, and what they say in words.

A parameter at its off value switches its ingredient off; `INGREDIENTS` lists them in the order in which they are tried.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, Self

from ludometer.errors import LudometerError

YEAR = 365.25
"""Days, or units of a time without dates, that the parameters call a year."""


@dataclass(frozen=True)
class Parameters:
    """How strengths start, move and show, in Elo points; off values switch an ingredient off.

    >>> Parameters(drift=35, advantage=34).advantage
    34
    """

    spread: float = 300.0
    """The SD of newcomers around the level at which they enter."""
    drift: float = 60.0
    """The SD of what a player's strength changes in a year (a random walk)."""
    match_drift: float = 0.0
    """The SD of what it changes by playing one match."""
    advantage: float = 0.0
    """What the better seat is worth: White, the home side, the first to move."""
    entry: float = 0.0
    """The level at which the first newcomers enter; those who play are around 0."""
    entry_sd: float = 0.0
    """How uncertain the entry level is at first: results of newcomers move it."""
    entry_drift: float = 0.0
    """The SD of what the entry level changes in a year."""
    opponent_share: float = 0.0
    """The share of their first opponent's lead over the mean level with which a newcomer enters."""
    pairing: float = 0.0
    """How much being paired says about being alike: its precision, in units of a result between equals."""
    pairing_new: float = 0.0
    """How many times more it says when one of the two is new."""
    pairing_matches: float = 50.0
    """After this many matches the extra of `pairing_new` has fallen to 37%."""
    learning: float = 0.0
    """Points gained by each doubling of experience."""
    learning_matches: float = 4.0
    """Experience counts from here: learning is in doublings of (this + matches played)."""
    young_drift: float = 0.0
    """How many times faster a newcomer's variance drifts, beside the common drift."""
    young_matches: float = 50.0
    """After this many matches that extra has fallen to 37%."""
    information: float = 1.0
    """The share of a result's information by which it makes the belief surer."""
    activity: float = 0.0
    """Points by which each doubling of (1 + recent matches) makes a player stronger for now."""
    activity_days: float = 60.0
    """How long a match counts as recent: after so many days 37% of it is left."""
    rust: float = 0.0
    """Points lost in a pause of a year, fading: 63% of what a long pause takes."""
    form: float = 0.0
    """The SD of form, which comes and goes around the strength."""
    form_days: float = 30.0
    """The memory of form: after so many days 37% of it is left."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int | float) or not math.isfinite(value):
                raise LudometerError(f"state-space: {field.name.replace('_', ' ')} must be a number, not {value!r}")
            if field.name not in _SIGNED and value < 0:
                raise LudometerError(f"state-space: {field.name.replace('_', ' ')} must be at least 0, not {value:g}")
        for name in ("spread", "pairing_matches", "learning_matches", "young_matches", "activity_days", "form_days"):
            if not getattr(self, name) > 0:
                raise LudometerError(f"state-space: {name.replace('_', ' ')} must be more than 0")

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        """From names and values, as `document` gives them."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise LudometerError(f"state-space has no parameter {unknown[0]!r}; it has: {', '.join(sorted(known))}")
        return cls(**values)

    def document(self) -> dict[str, float]:
        """All parameters by name."""
        return asdict(self)

    def without_pairing(self) -> Self:
        """The same model without what the schedule says about strength, for measures of skill."""
        return replace(self, pairing=0.0, pairing_new=0.0)


_SIGNED = frozenset({"advantage", "entry", "opponent_share", "learning", "activity", "rust"})

Scale = Literal["log", "linear"]


@dataclass(frozen=True)
class Knob:
    """One parameter as the fit moves it: where it begins when its ingredient is tried, and on which scale."""

    name: str
    begin: float
    scale: Scale = "log"
    step: float = 1.0
    """Points of a linear scale that count as one step of the fit."""


@dataclass(frozen=True)
class Ingredient:
    """A part of the model that is kept only if it pays."""

    name: str
    knobs: tuple[Knob, ...]
