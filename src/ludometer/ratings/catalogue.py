"""Rating systems by name, as users write them: elo, or elo:k=32,start=0.

Other packages add systems through entry points in the group `ludometer.systems`, each of which names an `Entry`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ludometer.errors import LudometerError
from ludometer.extensions import SYSTEMS as GROUP
from ludometer.extensions import find_extensions, load_extension, load_reference
from ludometer.matches import Matches, Seats
from ludometer.ratings.driver import AnySystem
from ludometer.ratings.prizes import WINNER, Prizes
from ludometer.ratings.state_space.parameters import Parameters
from ludometer.scale import Base

DEFAULT_SYSTEM = "state-space"
"""What rates and predicts unless a system is named."""

PLAIN_SYSTEM = "elo"
"""What does so where the default cannot: for a stream if the default needs the whole record, for multiplayer matches if
it rates two-player matches only, and where a parameter is given that it does not have."""


@dataclass(frozen=True)
class Entry:
    """How a system is made from what users write.

    >>> Entry("ludometer.ratings.systems.elo:Elo", {"k": "k"}).load()(k=16.0).parameters["k"]
    16.0
    """

    make: str | Callable[..., AnySystem]
    """The system or a function that makes it, or where it is: module:name."""
    parameters: dict[str, str]
    """What users write → the name of the parameter."""
    multiplayer: bool = False
    """Whether it rates multiplayer matches, and so takes prizes and a base."""
    remark: str = ""
    """What a message about an unknown parameter adds."""
    is_compared: bool = True
    """Whether `evaluate` includes it by default."""

    def load(self) -> Callable[..., AnySystem]:
        """What makes the system, imported if need be."""
        make: Callable[..., AnySystem] = load_reference(self.make) if isinstance(self.make, str) else self.make
        return make


def make_system(text: str, *, prizes: Prizes = WINNER, base: Base = "10", **overrides: float | None) -> AnySystem:
    """A rating system from its name and parameters; overrides that are None do not count.

    >>> make_system("elo:k=32").parameters
    {'k': 32.0, 'start_rating': 1500.0}
    >>> make_system("glicko2:tau=0.3,period=30").parameters["period"]
    30.0
    """
    return _make(text, prizes, base, overrides)[0]


def make_tuned_system(text: str, *, prizes: Prizes = WINNER) -> AnySystem:
    """The same, with the parameters that are not given tuned to the record that the system will play.

    A system that names nothing to tune is left to fit itself.

    >>> make_tuned_system("glicko2:tau=0.3").parameters["tau"]
    0.3
    """
    from ludometer.ratings.systems.tuning import Tuned, free_knobs

    system, given = _make(text, prizes, "10", {})
    return Tuned(system, given) if free_knobs(system, given) else system


def _make(
    text: str, prizes: Prizes, base: Base, overrides: dict[str, float | None]
) -> tuple[AnySystem, tuple[str, ...]]:
    """The system, and the parameters that were given."""
    name, _, details = text.partition(":")
    name = name.strip()
    entry = find_entry(name)
    given = _read_parameters(text, details)
    for word, override in overrides.items():
        if override is not None and word in given:
            raise LudometerError(f"{word} is given twice: in --system {text} and by --{word}")
    given |= {word: value for word, value in overrides.items() if value is not None}
    for word in given:
        if word not in entry.parameters:
            known = ", ".join(entry.parameters)
            raise LudometerError(f"{name} has no parameter {word!r}; it has: {known}{entry.remark}")
    parameters = {entry.parameters[word]: value for word, value in given.items()}
    if entry.multiplayer:
        return entry.load()(**parameters, prizes=prizes, base=base), tuple(parameters)
    if prizes != WINNER or base != "10":
        raise LudometerError(f"{name} rates two-player matches: leave out --prizes and --base")
    return entry.load()(**parameters), tuple(parameters)


def default_system(matches: Any, *, prizes: Prizes = WINNER, base: Base = "10", **overrides: float | None) -> AnySystem:
    """The system for a record where none is named: `DEFAULT_SYSTEM`, or `PLAIN_SYSTEM` where that cannot rate it.

    >>> default_system(Matches.of_pairs([0], [1], [1]), k=32).parameters["k"]
    32
    """
    name = DEFAULT_SYSTEM
    entry = find_entry(name)
    given = {word for word, value in overrides.items() if value is not None}
    is_stream = not isinstance(matches, Matches)
    is_multiplayer = not is_stream and isinstance(matches.table, Seats)
    is_for_prizes = prizes != WINNER or is_multiplayer
    if not given <= entry.parameters.keys() or base != "10" or (is_for_prizes and not entry.multiplayer):
        name = PLAIN_SYSTEM
    system = make_system(name, prizes=prizes, base=base, **overrides)
    if is_stream and hasattr(system, "fitted"):
        system = make_system(PLAIN_SYSTEM, prizes=prizes, base=base, **overrides)
    return system


def system_names() -> list[str]:
    """The names of all systems: those built in, then those of other packages."""
    return [*SYSTEMS, *(name for name in find_extensions(GROUP) if name not in SYSTEMS)]


def find_entry(name: str) -> Entry:
    """The entry of a system, built in or of another package."""
    if name in SYSTEMS:
        return SYSTEMS[name]
    if name not in find_extensions(GROUP):
        raise LudometerError(f"no rating system is called {name!r}; there are: {', '.join(system_names())}")
    entry = load_extension(GROUP, name)
    if not isinstance(entry, Entry):
        raise LudometerError(f"the entry point {name} of {GROUP} has to name an Entry of the catalogue, not {entry!r}")
    return entry


def all_systems(*, multiplayer: bool, prizes: Prizes = WINNER, tune: bool = False) -> list[AnySystem]:
    """The systems that `evaluate` compares by default, or those of them that rate multiplayer matches.

    >>> [system.name for system in all_systems(multiplayer=True)]
    ['state-space', 'elo', 'best-fit']
    """
    entries = ((name, find_entry(name)) for name in system_names())
    kept = [(name, entry) for name, entry in entries if entry.is_compared and (entry.multiplayer or not multiplayer)]
    make = make_tuned_system if tune else make_system
    return [make(name, prizes=prizes if entry.multiplayer else WINNER) for name, entry in kept]


def _read_parameters(text: str, details: str) -> dict[str, Any]:
    """Numbers, or words where a parameter takes them."""
    given: dict[str, Any] = {}
    for entry in filter(None, (part.strip() for part in details.split(","))):
        word, _, value = (part.strip() for part in entry.partition("="))
        if value in _WORDS.get(word, ()):
            given[word] = value
            continue
        try:
            given[word] = float(value)
        except ValueError as error:
            raise LudometerError(f"{text!r}: write parameters as elo:k=32") from error
    return given


def _make_dynamic(h: float | str = "log-loss", *, name: str = "Dynamic", **parameters: Any) -> AnySystem:
    from ludometer.ratings.systems import dynamic
    from ludometer.ratings.systems.calibrated import Calibrated

    system = getattr(dynamic, name)
    if isinstance(h, str):
        return Calibrated(system(**parameters), "optimal" if h == "optimal" else "log-loss", tuple(parameters))
    made: AnySystem = system(h=h, **parameters)
    return made


def _make_shrinking(**parameters: Any) -> AnySystem:
    return _make_dynamic(name="DynamicShrinking", **parameters)


def _make_smith(**parameters: Any) -> AnySystem:
    from ludometer.ratings.systems.smith import FittedSmith, Smith

    if {"h", "sd"} <= parameters.keys() and not isinstance(parameters["h"], str):
        return FittedSmith(**parameters)
    return Smith(**parameters)


def _make_federation(averages: float = 0, **parameters: Any) -> AnySystem:
    from ludometer.ratings.systems.federation import Federation

    return Federation(averages=bool(averages), **parameters)


def _make_series_elo(*, prizes: Prizes = WINNER, base: Base = "10", first: float = 0, **parameters: Any) -> AnySystem:
    from ludometer.ratings.scores.elo import SeriesElo

    if base != "10":
        raise LudometerError("series Elo is on the scale of the scores: it has no base")
    # the recorded prizes are the scores themselves; forecasts are of who wins
    own = WINNER if prizes.are_recorded else prizes
    return SeriesElo(first=int(first), prizes=own, **parameters)


def _make_additive_series_elo(**parameters: Any) -> AnySystem:
    return _make_series_elo(form="additive", **parameters)


_WORDS = {"h": ("optimal", "log-loss"), "period": ("match",)}
"""What parameters may be besides numbers."""
_START = {"start": "start_rating"}
_PERIOD = {"period": "period", "matches": "period_matches"}
_SERIES = {"k": "k", **_START, "first": "first", "newcomer_k": "newcomer_k", "floor": "floor"}
_HOME = "ludometer.ratings.systems"

SYSTEMS: dict[str, Entry] = {
    "state-space": Entry(
        "ludometer.ratings.state_space.system:make_state_space",
        {name: name for name in Parameters.__dataclass_fields__ if name != "effects"} | _START | {"refit": "refit"},
        multiplayer=True,
        remark="; those that are not given are fitted",
    ),
    "elo": Entry(f"{_HOME}.elo:Elo", {"k": "k", **_START, "share": "share"}, multiplayer=True),
    "best-fit": Entry(f"{_HOME}.best_fit:BestFit", {"share": "share"}, multiplayer=True, remark="; its k is fitted"),
    "dynamic": Entry(_make_dynamic, {"h": "h", **_START, "retire": "retire_after"}),
    "dynamic-shrinking": Entry(_make_shrinking, {"h": "h", "floor": "floor", **_START}),
    "ics": Entry(f"{_HOME}.ics:InternetChess", {"h": "h", "games": "provisional", **_START, "target": "target"}),
    "smith": Entry(_make_smith, {"h": "h", "sd": "sd", "games": "games", **_START}),
    "glicko2": Entry(
        f"{_HOME}.glicko2:Glicko2",
        {"tau": "tau", **_PERIOD, **_START, "deviation": "deviation", "volatility": "volatility"},
    ),
    "static": Entry(f"{_HOME}.static:Static", {"sd": "sd", **_START, "refit": "refit"}),
    "federation": Entry(
        _make_federation,
        {"k": "k", **_PERIOD, "averages": "averages", "floor": "floor", "drop": "drop", "bonus": "bonus"}
        | {"newcomers": "newcomer_mean", **_START},
        is_compared=False,
    ),
    "series-elo": Entry(_make_series_elo, _SERIES, multiplayer=True, is_compared=False),
    "additive-series-elo": Entry(_make_additive_series_elo, _SERIES, multiplayer=True, is_compared=False),
}
"""The built-in systems by name."""
