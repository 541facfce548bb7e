"""Rating systems by name, as users write them: elo, or elo:k=32,start=0."""

from __future__ import annotations

from typing import Any

from ludometer.errors import LudometerError
from ludometer.ratings.best_fit import BestFit
from ludometer.ratings.elo import Elo
from ludometer.ratings.prizes import WINNER, Prizes
from ludometer.ratings.system import AnySystem
from ludometer.scale import Base

SYSTEMS: dict[str, tuple[type[Any], dict[str, str]]] = {
    "elo": (Elo, {"k": "k", "start": "start_rating", "share": "share"}),
    "best-fit": (BestFit, {"share": "share"}),
}
"""Name → the system's class and its parameters, users' words first."""


def make_system(text: str, *, prizes: Prizes = WINNER, base: Base = "10", **overrides: float | None) -> AnySystem:
    """A rating system from its name and parameters; overrides that are None do not count.

    >>> make_system("elo:k=32").parameters
    {'k': 32.0, 'start_rating': 1500.0}
    """
    name, _, details = text.partition(":")
    if name.strip() not in SYSTEMS:
        raise LudometerError(f"no rating system is called {name!r}; there are: {', '.join(SYSTEMS)}")
    kind, words = SYSTEMS[name.strip()]
    given: dict[str, float] = {}
    for entry in filter(None, (part.strip() for part in details.split(","))):
        word, _, value = entry.partition("=")
        try:
            given[word.strip()] = float(value)
        except ValueError as error:
            raise LudometerError(f"{text!r}: write parameters as elo:k=32") from error
    for word, override in overrides.items():
        if override is not None and word in given:
            raise LudometerError(f"{word} is given twice: in --system {text} and by --{word}")
    given |= {word: value for word, value in overrides.items() if value is not None}
    for word in given:
        if word not in words:
            fitted = "" if "k" in words else "; its k is fitted"
            raise LudometerError(f"{name} has no parameter {word!r}; it has: {', '.join(words)}{fitted}")
    system: AnySystem = kind(**{words[word]: value for word, value in given.items()}, prizes=prizes, base=base)
    return system
