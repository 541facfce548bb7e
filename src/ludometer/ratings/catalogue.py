"""Rating systems by name, as users write them: elo, or elo:k=32,start=0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ludometer.errors import LudometerError
from ludometer.ratings.driver import AnySystem
from ludometer.ratings.prizes import WINNER, Prizes
from ludometer.ratings.systems.best_fit import BestFit
from ludometer.ratings.systems.elo import Elo
from ludometer.scale import Base


@dataclass(frozen=True)
class Entry:
    """How a system is made of users' words."""

    make: Callable[..., AnySystem]
    words: dict[str, str]
    """Users' words → the system's parameters."""
    plays_several: bool = False
    """Whether it rates matches of more than two, and so knows prizes and bases."""
    remark: str = ""
    is_compared: bool = True
    """Whether `evaluate` has it without being asked."""


def make_system(text: str, *, prizes: Prizes = WINNER, base: Base = "10", **overrides: float | None) -> AnySystem:
    """A rating system from its name and parameters; overrides that are None do not count.

    >>> make_system("elo:k=32").parameters
    {'k': 32.0, 'start_rating': 1500.0}
    >>> make_system("glicko2:tau=0.3,period=30").parameters["period"]
    30.0
    """
    name, _, details = text.partition(":")
    name = name.strip()
    if name not in SYSTEMS:
        raise LudometerError(f"no rating system is called {name!r}; there are: {', '.join(SYSTEMS)}")
    entry = SYSTEMS[name]
    given = _read_parameters(text, details)
    for word, override in overrides.items():
        if override is not None and word in given:
            raise LudometerError(f"{word} is given twice: in --system {text} and by --{word}")
    given |= {word: value for word, value in overrides.items() if value is not None}
    for word in given:
        if word not in entry.words:
            raise LudometerError(f"{name} has no parameter {word!r}; it has: {', '.join(entry.words)}{entry.remark}")
    parameters = {entry.words[word]: value for word, value in given.items()}
    if entry.plays_several:
        return entry.make(**parameters, prizes=prizes, base=base)
    if prizes != WINNER or base != "10":
        raise LudometerError(f"{name} rates matches of two: it knows neither prizes nor base e")
    return entry.make(**parameters)


def all_systems(*, of_two: bool, prizes: Prizes = WINNER) -> list[AnySystem]:
    """Each system as its name alone makes it; for matches of several those that play them.

    >>> [system.name for system in all_systems(of_two=False)]
    ['elo', 'best-fit']
    """
    names = [name for name, entry in SYSTEMS.items() if entry.is_compared and (of_two or entry.plays_several)]
    return [make_system(name, prizes=prizes if SYSTEMS[name].plays_several else WINNER) for name in names]


def _read_parameters(text: str, details: str) -> dict[str, Any]:
    """Numbers, or h=optimal."""
    given: dict[str, Any] = {}
    for entry in filter(None, (part.strip() for part in details.split(","))):
        word, _, value = (part.strip() for part in entry.partition("="))
        if word == "h" and value in ("optimal", "log-loss"):
            given[word] = value
            continue
        try:
            given[word] = float(value)
        except ValueError as error:
            raise LudometerError(f"{text!r}: write parameters as elo:k=32") from error
    return given


def _make_dynamic(h: float | str = "log-loss", **parameters: Any) -> AnySystem:
    from ludometer.ratings.noise.tuning import Calibrated
    from ludometer.ratings.systems.dynamic import Dynamic

    if isinstance(h, str):
        return Calibrated(Dynamic(**parameters), "optimal" if h == "optimal" else "log-loss")
    return Dynamic(h=h, **parameters)


def _make_shrinking(h: float | str = "log-loss", **parameters: Any) -> AnySystem:
    from ludometer.ratings.noise.tuning import Calibrated
    from ludometer.ratings.systems.dynamic import DynamicShrinking

    if isinstance(h, str):
        return Calibrated(DynamicShrinking(**parameters), "optimal" if h == "optimal" else "log-loss")
    return DynamicShrinking(h=h, **parameters)


def _make_ics(**parameters: Any) -> AnySystem:
    from ludometer.ratings.systems.ics import InternetChess

    return InternetChess(**parameters)


def _make_smith(**parameters: Any) -> AnySystem:
    from ludometer.ratings.systems.smith import FittedSmith, Smith

    if {"h", "sd"} <= parameters.keys() and not isinstance(parameters["h"], str):
        return FittedSmith(**parameters)
    return Smith(**parameters)


def _make_glicko2(**parameters: Any) -> AnySystem:
    from ludometer.ratings.systems.glicko2 import Glicko2

    return Glicko2(**parameters)


def _make_static(**parameters: Any) -> AnySystem:
    from ludometer.ratings.systems.static import Static

    return Static(**parameters)


def _make_federation(averages: float = 0, **parameters: Any) -> AnySystem:
    from ludometer.ratings.systems.federation import Federation

    return Federation(averages=bool(averages), **parameters)


def _make_series_elo(*, prizes: Prizes = WINNER, base: Base = "10", first: float = 0, **parameters: Any) -> AnySystem:
    from ludometer.ratings.scores.elo import SeriesElo

    if base != "10":
        raise LudometerError("series Elo is on the scale of the scores: it knows no base")
    # the recorded prizes are the scores themselves; forecasts are of who wins
    own = WINNER if prizes.are_recorded else prizes
    return SeriesElo(first=int(first), prizes=own, **parameters)


def _make_additive_series_elo(**parameters: Any) -> AnySystem:
    return _make_series_elo(form="additive", **parameters)


_START = {"start": "start_rating"}
_SERIES = {"k": "k", **_START, "first": "first", "newcomer_k": "newcomer_k", "floor": "floor"}

SYSTEMS: dict[str, Entry] = {
    "elo": Entry(Elo, {"k": "k", **_START, "share": "share"}, plays_several=True),
    "best-fit": Entry(BestFit, {"share": "share"}, plays_several=True, remark="; its k is fitted"),
    "dynamic": Entry(_make_dynamic, {"h": "h", **_START, "retire": "retire_after"}),
    "dynamic-shrinking": Entry(_make_shrinking, {"h": "h", "floor": "floor", **_START}),
    "ics": Entry(_make_ics, {"h": "h", "games": "provisional", **_START, "target": "target"}),
    "smith": Entry(_make_smith, {"h": "h", "sd": "sd", "games": "games", **_START}),
    "glicko2": Entry(
        _make_glicko2,
        {
            "tau": "tau",
            "period": "period",
            "matches": "period_matches",
            **_START,
            "deviation": "deviation",
            "volatility": "volatility",
        },
    ),
    "static": Entry(_make_static, {"sd": "sd", **_START, "refit": "refit"}),
    "federation": Entry(
        _make_federation,
        {
            "k": "k",
            "period": "period",
            "matches": "period_matches",
            "averages": "averages",
            "floor": "floor",
            "drop": "drop",
            "bonus": "bonus",
            "newcomers": "newcomer_mean",
            **_START,
        },
        is_compared=False,
    ),
    "series-elo": Entry(_make_series_elo, _SERIES, plays_several=True, is_compared=False),
    "additive-series-elo": Entry(_make_additive_series_elo, _SERIES, plays_several=True, is_compared=False),
}
"""Name → how the system is made."""
