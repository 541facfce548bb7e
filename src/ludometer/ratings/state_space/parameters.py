"""The parameters of the state-space model, in Elo points and years, and what they say in words.

A parameter at its off value switches its ingredient off; `INGREDIENTS` lists them in the order in which they are tried.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from ludometer.errors import LudometerError
from ludometer.ratings.state_space.effects import Effect

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
    entry_drift: float = 0.0
    """The SD of what the level of newcomers changes in a year; their results move it. The first ones enter at 0."""
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
    later_places: float = 1.0
    """How much each place of a finishing order counts compared with the place before it."""
    margin: float = 0.0
    """The SD of margins around what the strengths let expect, where they count: log(1 + difference of the scores)."""
    effects: tuple[Effect, ...] = ()
    """What columns of the record do to strengths."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name == "effects":
                continue
            value = getattr(self, field.name)
            if not isinstance(value, int | float) or not math.isfinite(value):
                raise LudometerError(f"state-space: {field.name.replace('_', ' ')} must be a number, not {value!r}")
            if field.name not in _SIGNED and value < 0:
                raise LudometerError(f"state-space: {field.name.replace('_', ' ')} must be at least 0, not {value:g}")
        for name in _POSITIVE:
            if not getattr(self, name) > 0:
                raise LudometerError(f"state-space: {name.replace('_', ' ')} must be more than 0")

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        """From names and values, as `document` gives them."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise LudometerError(f"state-space has no parameter {unknown[0]!r}; it has: {', '.join(sorted(known))}")
        effects = values.get("effects", ())
        if not isinstance(effects, list | tuple):
            raise LudometerError(f"state-space: effects must be a list, not {effects!r}")
        return cls(**{**values, "effects": tuple(Effect.of(one) for one in effects)})

    def document(self) -> dict[str, Any]:
        """All parameters by name."""
        return asdict(self) | {"effects": [effect.document() for effect in self.effects]}

    def value(self, name: str) -> float:
        """A parameter by name; those of effects are called as in "player surface: sd".

        >>> Parameters(effects=(Effect("surface", "player", sd=80),)).value("player surface: sd")
        80.0
        """
        label, _, part = name.partition(": ")
        if not part:
            return float(getattr(self, name))
        return next(float(getattr(effect, part)) for effect in self.effects if effect.label == label)

    def moved(self, values: dict[str, float]) -> Self:
        """With other values of some parameters, by the names of `value`."""
        own = {name: value for name, value in values.items() if ": " not in name}
        effects = tuple(effect.moved(values) for effect in self.effects)
        return replace(self, **own, effects=effects)

    def without_pairing(self) -> Self:
        """The same model without what the schedule says about strength, for measures of skill."""
        return replace(self, pairing=0.0, pairing_new=0.0)


_POSITIVE = (
    "spread",
    "pairing_matches",
    "learning_matches",
    "young_matches",
    "activity_days",
    "form_days",
    "later_places",
)
_SIGNED = frozenset({"advantage", "opponent_share", "learning", "activity", "rust"})


@dataclass(frozen=True)
class Knob:
    """One parameter as the fit moves it: where it begins when its ingredient is tried, and on which scale."""

    name: str
    begin: float
    is_log: bool = True
    step: float = 1.0
    """What counts as 1 on a linear scale; on the scale of logarithms 1 is a factor e."""
    doubt: float = 1.5
    """The SD of the belief that it is near its beginning, on its scale: it keeps short records sensible."""

    def to_scale(self, value: float) -> float:
        """Where a value is on the scale of the fit."""
        return math.log(value) if self.is_log else value / self.step

    def from_scale(self, place: float) -> float:
        """The value at a place, kept between what a computer can tell from 0 and a million."""
        if self.is_log:
            return math.exp(min(max(place, -25.0), 14.0))
        return min(max(place * self.step, -1e6), 1e6)


@dataclass(frozen=True)
class Ingredient:
    """A part of the model that is kept only if it pays."""

    name: str
    knobs: tuple[Knob, ...]
    needs: str = ""
    """What has to be there: a column of the record, or another ingredient."""


BASIC = Ingredient("strength", (Knob("spread", 250.0, doubt=0.7), Knob("drift", 60.0, doubt=1.0)))
TIMELESS = Ingredient("strength", (Knob("spread", 250.0, doubt=0.7), Knob("match_drift", 5.0, doubt=1.0)))
"""The basic ingredient of a record without times."""

INGREDIENTS = (
    Ingredient("advantage", (Knob("advantage", 0.0, is_log=False, step=30.0, doubt=5.0),), needs="advantage"),
    Ingredient("later places", (Knob("later_places", 0.8),), needs="several sides"),
    Ingredient("margin", (Knob("margin", 1.0),), needs="margins"),
    Ingredient("entry", (Knob("entry_drift", 50.0),)),
    Ingredient("first opponent", (Knob("opponent_share", 0.1, is_log=False, step=0.3),)),
    Ingredient("pairing", (Knob("pairing", 0.1),)),
    Ingredient("learning", (Knob("learning", 5.0, is_log=False, step=30.0), Knob("learning_matches", 5.0))),
    Ingredient("young drift", (Knob("young_drift", 1.0), Knob("young_matches", 50.0)), needs="time"),
    Ingredient("pairing of newcomers", (Knob("pairing_new", 1.0), Knob("pairing_matches", 50.0)), needs="pairing"),
    Ingredient("information", (Knob("information", 0.9, doubt=0.5),)),
    Ingredient("activity", (Knob("activity", 2.0, is_log=False, step=30.0), Knob("activity_days", 60.0)), needs="time"),
    Ingredient("rust", (Knob("rust", 5.0, is_log=False, step=30.0),), needs="time"),
    Ingredient("form", (Knob("form", 40.0), Knob("form_days", 60.0)), needs="time"),
    Ingredient("drift by matches", (Knob("match_drift", 5.0),), needs="time"),
)
"""What is tried beside the basic one, in this order; each is kept if it pays."""
