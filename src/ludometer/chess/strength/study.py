"""A study: strengths with all that stands beside them, which are events on one scale, other choices, other measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.chess.choices import Variation, compare_filters, usual_filters, vary_mate_value
from ludometer.chess.events import EventComparison, EventScale, compare_events, scale_events
from ludometer.chess.measures import MoveQuality, Sensitivity, fit_sensitivity, measure_quality
from ludometer.errors import LudometerError
from ludometer.moves.evaluations import Evaluations
from ludometer.moves.strengths import Strengths, measure_strengths
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl

Measure = Callable[[], Any]

NOT_ASKED, ONE_EVENT = "not asked for", "there is one event"
_CHOICES, _MEASURES = ("filters", "mate_values"), ("quality", "sensitivity")
_INTERVALS = ("level", "replicates", "min_games", "seed")


@dataclass(frozen=True, eq=False)
class Study:
    """Strengths and, where they were asked for and can be had, what stands beside them; `absent` says why not."""

    strengths: Strengths
    events: EventScale | None = None
    comparison: EventComparison | None = None
    filters: Variation | None = None
    mate_values: Variation | None = None
    quality: MoveQuality | None = None
    sensitivity: Sensitivity | None = None
    absent: dict[str, str] = field(default_factory=dict)

    @property
    def provenance(self) -> Provenance:
        """That of the strengths."""
        return self.strengths.provenance

    def to_frame(self) -> pl.DataFrame:
        """The strengths."""
        return self.strengths.to_frame()

    def summary(self) -> str:
        """The strengths, then what stands beside them."""
        parts = (self.events, self.comparison, self.filters, self.mate_values, self.quality, self.sensitivity)
        return "\n\n".join(part.summary() for part in (self.strengths, *parts) if part is not None)

    def plot(self) -> altair.LayerChart:
        """The strengths."""
        return self.strengths.plot()


def study_strengths(
    evaluations: Evaluations,
    *,
    anchor: str | None = None,
    compared: tuple[str, str] | None = None,
    choices: bool = False,
    measures: bool = False,
    **settings: Any,
) -> Study:
    """Strengths by `measure_strengths` with these settings, and what stands beside them.

    Of several events all are put on one scale, by the engine's strength, or by the ratings of the event `anchor`.
    `compared` names two events whose common players are held against each other. `choices` adds what other filters and
    values of mate do, `measures` Guid and Bratko's and Regan's.

    >>> from ludometer.moves.evaluations import EvaluatedGame
    >>> level = [0, 0, 20, 10, 40, 40, 40]
    >>> games = [EvaluatedGame(e, "Ann", "Ben", level, e, -1, 2000, 1900) for e in ("Rome", "Oslo")]
    >>> print(study_strengths(Evaluations.of_games(games)).events.summary())
    by an engine of 2148
    Rome                             2 players  1950 too few games  ratings 1950
    Oslo                             2 players  1950 too few games  ratings 1950
    """
    strengths = measure_strengths(evaluations, **settings)
    found: dict[str, Any] = {}
    absent = {"events": ONE_EVENT} | dict.fromkeys(("comparison", *_CHOICES, *_MEASURES), NOT_ASKED)
    if compared is not None:
        # what was named and cannot be is a mistake, not a gap
        found["comparison"] = compare_events(evaluations, *compared, **_part(settings, "filters", *_INTERVALS))
    wanted = _measures(evaluations, settings) if measures else {}
    wanted |= _choices(evaluations, settings) if choices else {}
    wanted |= _events(evaluations, strengths, anchor, settings)
    for name, measure in wanted.items():
        try:
            found[name] = measure()
        except LudometerError as error:
            absent[name] = str(error)
    return Study(strengths, **found, absent={name: why for name, why in absent.items() if name not in found})


def _events(
    evaluations: Evaluations, strengths: Strengths, anchor: str | None, settings: Mapping[str, Any]
) -> dict[str, Measure]:
    """All events on one scale, where there are several."""
    if anchor is not None:
        evaluations.event_code(anchor)
    elif len(np.unique(evaluations.event)) < 2:
        return {}
    engine = strengths.engine.strength if anchor is None else None
    chosen = _part(settings, "filters", "ratings", "reference", *_INTERVALS)
    return {"events": partial(scale_events, evaluations, engine=engine, anchor=anchor, **chosen)}


def _choices(evaluations: Evaluations, settings: Mapping[str, Any]) -> dict[str, Measure]:
    """What other choices do to the strengths."""
    varied = {name: value for name, value in settings.items() if name != "filters"}
    filters = usual_filters(evaluations, settings.get("filters"))
    return {
        "filters": partial(compare_filters, evaluations, filters=filters, **varied),
        "mate_values": partial(vary_mate_value, evaluations, **settings),
    }


def _measures(evaluations: Evaluations, settings: Mapping[str, Any]) -> dict[str, Measure]:
    """What others measure; Guid and Bratko's has a choice of moves of its own."""
    return {
        "quality": partial(measure_quality, evaluations, **_part(settings, *_INTERVALS)),
        "sensitivity": partial(fit_sensitivity, evaluations, **_part(settings, "filters", "min_games")),
    }


def _part(settings: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: settings[name] for name in names if name in settings}
