"""Parameters tuned to a record: those with which a system would have forecast it best, each match before it was played.

A system names what can be tuned in an attribute `tunable`, a tuple of `Knob` and `Choice`; one search tunes them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches, Seats
from ludometer.ratings.prizes import WINNER
from ludometer.ratings.scoring import Outcomes

if TYPE_CHECKING:
    from ludometer.ratings.driver import AnySystem

System = TypeVar("System")

COLD_START = 0.1
"""The share of the matches that is played but not counted: nobody is known yet, and a step that makes up for that would
be too large for the rest of the record."""

_REACH = 0.7
"""The first steps of the search: a factor of 2."""

_COARSE, _FINE = 0.2, 0.01
"""Where the search ends, in logarithms: a fifth for choosing between alternatives, a hundredth at last; a tenth of that
for a single number, where it costs little."""

_REFUSED = 50.0
"""The loss of parameters that the system refuses, above that of the surest wrong forecast."""


@dataclass(frozen=True)
class Knob:
    """A number that can be tuned, above 0 and searched on a logarithmic scale.

    >>> Knob("k", 0.5, 400.0).place(24.0)
    24.0
    """

    name: str
    """Of the parameter, as the system has it."""
    low: float
    high: float
    start: float | None = None
    """Where the search begins if the system has no number between the bounds."""

    def place(self, value: Any) -> float:
        """Where the search begins for a system with this value."""
        if isinstance(value, int | float) and self.low <= value <= self.high:
            return float(value)
        return math.sqrt(self.low * self.high) if self.start is None else self.start


@dataclass(frozen=True)
class Choice:
    """A parameter with a few possible values, all of which are tried."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Tuned:
    """A system whose parameters are tuned to a record first, but for those that are `fixed`: `fitted` gives it.

    >>> from ludometer.ratings.systems.elo import Elo
    >>> from ludometer.simulate import simulate_strengths
    >>> matches = simulate_strengths(100, 20_000, sd=200, seed=1)
    >>> 10 < Tuned(Elo()).fitted(matches, in_sample=True).k < 24
    True
    """

    untuned: AnySystem
    """The system as it comes."""
    fixed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.untuned.name

    @property
    def uses(self) -> tuple[str, ...]:
        """The columns of a record that it uses."""
        return tuple(getattr(self.untuned, "uses", ()))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that are not tuned."""
        free = {knob.name for knob in free_knobs(self.untuned, self.fixed)}
        return {word: value for word, value in self.untuned.parameters.items() if word not in free}

    def fitted(self, matches: Matches, *, in_sample: bool) -> Any:
        """The system with the parameters that forecast these matches best."""
        if not len(matches):
            raise MatchDataError("there are no matches")
        system: Any = self.untuned
        begun = system.fitted(matches, in_sample=in_sample) if hasattr(system, "fitted") else system
        return tune(begun, matches, fixed=self.fixed)


def free_knobs(system: Any, fixed: Collection[str] = ()) -> tuple[Knob | Choice, ...]:
    """What can be tuned of a system and is not fixed."""
    return tuple(knob for knob in getattr(system, "tunable", ()) if knob.name not in fixed)


def tune(system: System, matches: Matches, *, fixed: Collection[str] = (), cold_start: float = COLD_START) -> System:
    """The system with the parameters of least log loss on the matches after the cold start; never worse than it was.

    Alternatives (`Choice`) are compared after a coarse search each; the best of them is searched to the end.
    """
    knobs = free_knobs(system, fixed)
    if not knobs or not len(matches):
        return system
    most = getattr(system, "tuned_on", None)
    part = matches if most is None else matches.part(max(len(matches) - most, 0), len(matches))
    search = _Search(part, int(cold_start * len(part)), [knob for knob in knobs if isinstance(knob, Knob)])
    alternatives = list(_alternatives(system, [knob for knob in knobs if isinstance(knob, Choice)]))
    if len(alternatives) > 1:
        alternatives = [search.best_near(one, _COARSE) for one in alternatives]
    best = min((system, *alternatives), key=search.loss)
    found: System = min((best, search.best_near(best, _FINE)), key=search.loss)
    return found


def _alternatives(system: Any, choices: list[Choice]) -> Iterator[Any]:
    """The system with each combination of the choices that it accepts."""
    for values in product(*(choice.values for choice in choices)):
        try:
            yield replace(system, **dict(zip((choice.name for choice in choices), values, strict=True)))
        except LudometerError:
            continue


class _Search:
    """Losses of systems on one record, each computed once, and the best in the neighbourhood of one."""

    def __init__(self, matches: Matches, skipped: int, knobs: list[Knob]) -> None:
        self.matches, self.skipped, self.knobs = matches, skipped, knobs
        self.known: dict[Any, float] = {}

    def loss(self, system: Any) -> float:
        """The log loss after the cold start; large where the system cannot play the record."""
        if system not in self.known:
            try:
                loss = log_loss_of(system, self.matches, skipped=self.skipped)
            except LudometerError:
                loss = _REFUSED
            self.known[system] = loss if math.isfinite(loss) else _REFUSED
        return self.known[system]

    def best_near(self, system: Any, accuracy: float) -> Any:
        """Search from the system's own parameters, in their logarithms."""
        if not self.knobs or self.loss(system) >= _REFUSED:
            return system
        low, high = (np.log([getattr(knob, end) for knob in self.knobs]) for end in ("low", "high"))
        begin = np.log([knob.place(getattr(system, knob.name)) for knob in self.knobs])

        def at(point: Floats) -> Any:
            values = np.exp(np.clip(point, low, high)).tolist()
            return replace(system, **{knob.name: value for knob, value in zip(self.knobs, values, strict=True)})

        def loss(point: Floats) -> float:
            try:
                return self.loss(at(point))
            except LudometerError:
                return _REFUSED

        return at(minimise(loss, begin, low, high, accuracy))


def minimise(loss: Callable[[Floats], float], begin: Floats, low: Floats, high: Floats, accuracy: float) -> Floats:
    """A minimum of a smooth function between bounds with few evaluations and without derivatives.

    In one dimension downhill in steps of a factor 2, then Brent's method between the neighbours of the lowest; in
    several the same along the first, then a quadratic model in a region of trust (COBYQA).
    """
    from scipy.optimize import minimize

    first = _line_search(loss, begin, low, high, accuracy / 10 if len(begin) == 1 else _COARSE)
    if len(begin) == 1:
        return first
    found = minimize(
        loss,
        first,
        method="COBYQA",
        bounds=list(zip(low, high, strict=True)),
        options={"initial_tr_radius": _REACH, "final_tr_radius": accuracy, "maxfev": 40 * len(begin)},
    )
    place: Floats = np.asarray(found.x)
    return place if loss(place) < loss(first) else first


def _line_search(loss: Callable[[Floats], float], begin: Floats, low: Floats, high: Floats, accuracy: float) -> Floats:
    from scipy.optimize import minimize_scalar

    def along(x: float) -> Floats:
        return np.concatenate(([np.clip(x, low[0], high[0])], begin[1:]))

    def value(x: float) -> float:
        return loss(along(x))

    centre = float(begin[0])
    for step in (_REACH, -_REACH):
        while low[0] < centre + step < high[0] and value(centre + step) < value(centre):
            centre += step
    around = (max(centre - _REACH, float(low[0])), min(centre + _REACH, float(high[0])))
    found = minimize_scalar(value, bounds=around, method="bounded", options={"xatol": accuracy})
    return along(float(found.x) if found.fun < value(centre) else centre)


def log_loss_of(system: Any, matches: Matches, *, skipped: int = 0) -> float:
    """The mean log loss of a system's forecasts of a record, without the first ones."""
    from ludometer.kernels.systems.dynamic import sum_log_loss

    _, expected = system.play(system.start(0), matches)
    if not isinstance(matches.table, Seats):
        return sum_log_loss(matches.pairs.halves[skipped:], expected[skipped:]) / (len(matches) - skipped)
    judged = Outcomes.of(matches, getattr(system, "prizes", WINNER)).judge(expected)
    return float(judged.log_loss[skipped:].mean())
