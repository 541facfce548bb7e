"""What a peer of the forecast table is, and how its parameters are tuned: on the first half only."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from forecast_records import Record
from ludometer.arrays import Floats

Values = dict[str, float]

COLD = 0.2
"""Share of the matches of a search that only warm a system up: their forecasts do not count in it."""


@dataclass(frozen=True)
class Knob:
    """A parameter that is searched from `start`, between two ends, on a scale of logarithms unless `is_plain`."""

    name: str
    start: float
    low: float
    high: float
    is_plain: bool = False

    def place(self, value: float) -> float:
        """Where a value lies between the ends, 0 to 1."""
        low, high, at = (self._bend(one) for one in (self.low, self.high, value))
        return (at - low) / (high - low)

    def value(self, place: float) -> float:
        """The value at a place; outside 0 to 1 the end.

        >>> round(Knob("k", 20, 1, 100).value(0.5), 6), Knob("k", 20, 1, 100).value(2.0)
        (10.0, 100)
        """
        if not 0 < place < 1:
            return self.low if place <= 0 else self.high
        low, high = self._bend(self.low), self._bend(self.high)
        at = low + place * (high - low)
        return at if self.is_plain else math.exp(at)

    def _bend(self, value: float) -> float:
        return value if self.is_plain else math.log(value)


@dataclass(frozen=True)
class Ready:
    """A system that has been fitted to the first half of a record."""

    parameters: dict[str, Any]
    play: Callable[[], Floats]
    """Plays the record and forecasts its last half."""


@dataclass(frozen=True)
class Peer:
    """A system of a package that forecasts matches before they are played."""

    package: str
    """Its name on PyPI."""
    name: str
    module: str
    """What is imported."""
    forecast: Callable[[Record, Values, int], Floats] | None = None
    """Record, parameters and the first match that counts → what the first player is expected to score from there on."""
    knobs: tuple[Knob, ...] = ()
    fit: Callable[[Record], Ready] | None = None
    """Instead of a search: fits itself to the first half."""
    evaluations: int = 40
    """Of the search; none: as it comes."""
    most: int = 3_000_000
    """Records with more matches are left out."""
    tuned_on: int = 300_000
    """The search takes at most so many matches, the last of the first half."""
    objective: Callable[[Record, Values], float] | None = None
    """What the search lowers, where it is not the log loss of forecasts: the evidence of the package itself."""
    works: str = "match by match"
    """When results are taken in: match by match, or by which schedule the past is fitted again."""
    knows_sides: bool = False
    """Whether it is about home and White, and left out where there is no such thing."""
    knows_ground: bool = False
    """Whether it is about neutral ground, and left out where all matches have a home side or none has."""
    knows_points: bool = False
    """Whether it is about goals or points, and left out where the record has none."""
    remark: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether it is ludometer's."""
        return self.package == "ludometer"

    def suits(self, record: Record) -> bool:
        """Whether the record has what its line is about."""
        about = (
            (self.knows_sides, record.has_sides),
            (self.knows_ground, record.has_sides and not record.home.all()),
            (self.knows_points, record.points is not None),
        )
        return all(is_there for is_needed, is_there in about if is_needed)

    @property
    def is_here(self) -> bool:
        """Whether its package is installed."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """Of its package."""
        if self.is_ours:
            from ludometer import __version__

            return __version__
        return importlib.metadata.version(self.package)


@dataclass(frozen=True)
class Tuned:
    """Parameters that a search found, and what it took."""

    values: dict[str, Any]
    evaluations: int
    matches: int
    seconds: float


def tune(peer: Peer, record: Record) -> Tuned:
    """Lower the log loss of forecasts within the first half, by Nelder and Mead, a fixed number of evaluations."""
    seen = record.part(max(0, record.half - peer.tuned_on), record.half)
    begin = time.process_time()
    best = search(lambda values: first_half_loss(peer, seen, values), peer.knobs, peer.evaluations)
    best = {name: float(f"{value:.4g}") for name, value in best.items()}
    return Tuned(best, peer.evaluations, len(seen), time.process_time() - begin)


def first_half_loss(peer: Peer, seen: Record, values: Values) -> float:
    """What the search lowers."""
    if peer.objective is not None:
        return peer.objective(seen, values)
    assert peer.forecast is not None
    start = round(COLD * len(seen))
    expected = peer.forecast(seen, values, start)
    return float(seen.part(start, len(seen)).log_loss(expected).mean())


def search(loss: Callable[[Values], float], knobs: tuple[Knob, ...], evaluations: int) -> Values:
    """The best of so many evaluations; those outside the ends count at the ends.

    >>> found = search(lambda values: (values["k"] - 20) ** 2, (Knob("k", 50, 1, 400),), 40)
    >>> round(found["k"])
    20
    """
    from scipy.optimize import minimize

    seen: list[tuple[float, Values]] = []

    def at(place: Any) -> float:
        values = {knob.name: knob.value(float(one)) for knob, one in zip(knobs, place, strict=True)}
        outside = sum(max(0.0, -one, one - 1) for one in place)
        found = loss(values)
        found = found if math.isfinite(found) else 1e3
        seen.append((found, values))
        return found + float(outside)

    begin = np.array([knob.place(knob.start) for knob in knobs])
    corners = np.vstack([begin, begin + np.diag(np.where(begin < 0.5, 0.2, -0.2))])
    options: Any = {"maxfev": evaluations, "initial_simplex": corners, "xatol": 1e-4, "fatol": 1e-7}
    minimize(at, begin, method="Nelder-Mead", options=options)
    return min(seen, key=lambda pair: pair[0])[1]
