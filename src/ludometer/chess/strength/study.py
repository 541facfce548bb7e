"""A study: strengths with events on one scale, the effect of other choices, other measures, and real Elo points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.chess.record.evaluations import Evaluations
from ludometer.chess.strength.absent import NOT_ASKED, explain_parts
from ludometer.chess.strength.calibration import CalibratedElo, Calibration
from ludometer.chess.strength.events import EventComparison, EventScale, compare_events, scale_events
from ludometer.chess.strength.gains import MoveGains, measure_gains
from ludometer.chess.strength.measures import MoveQuality, Sensitivity, fit_sensitivity, measure_quality
from ludometer.chess.strength.strengths import Strengths, measure_strengths
from ludometer.chess.strength.trajectory import follow_player
from ludometer.chess.strength.variation import Variation, compare_filters, usual_filters, vary_mate_value
from ludometer.errors import LudometerError
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl

Measure = Callable[[], Any]

ONE_EVENT = "there is one event"
_CHOICES, _MEASURES = ("filters", "mate_values"), ("quality", "sensitivity")
_POINTS = 200
"""A small chart shows no more."""


@dataclass(frozen=True, eq=False)
class Study(Shown):
    """Strengths and, where they were asked for and exist, further results; `absent` says why one is missing."""

    strengths: Strengths
    gains: MoveGains
    events: EventScale | None = None
    comparison: EventComparison | None = None
    filters: Variation | None = None
    mate_values: Variation | None = None
    quality: MoveQuality | None = None
    sensitivity: Sensitivity | None = None
    calibration: Calibration | None = None
    absent: dict[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Games that could not be used, and why."""

    @property
    def provenance(self) -> Provenance:
        """That of the strengths."""
        return self.strengths.provenance

    @cached_property
    def calibrated(self) -> dict[str, CalibratedElo] | None:
        """Real Elo points by player, where there is a calibration."""
        return None if self.calibration is None else self.calibration.apply(self.strengths)

    @property
    def parts(self) -> list[Any]:
        """The results beside the strengths that exist."""
        found = (self.events, self.comparison, self.filters, self.mate_values, self.quality, self.sensitivity)
        return [part for part in found if part is not None]

    def to_frame(self) -> pl.DataFrame:
        """The strengths."""
        return self.strengths.to_frame()

    def summary(self) -> str:
        """The strengths, then the other parts."""
        return "\n\n".join(part.summary() for part in (self.strengths, *self.parts))

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The charts of all parts, and how the estimate developed move by move."""
        drawn: dict[str, Any] = {}
        for part in (self.strengths, self.gains, self.calibration, *self.parts):
            drawn |= {} if part is None else part.charts(narrow=narrow)
        return drawn | {"trajectories": self._draw_trajectories(narrow=narrow)}

    def document(self) -> dict[str, Any]:
        """Players, pairs and the engine, and the other parts that were asked for."""
        known = {name: self.absent.get(name, "") for name in ("events", "comparison")}
        known |= {"variation": f"{NOT_ASKED} (--choices)", "measures": f"{NOT_ASKED} (--measures)"}
        inner = self.strengths.document()
        known |= inner.pop("absent")
        document = {
            "data": {
                "games": self.gains.n_games,
                "players": len(self.strengths.names),
                "moves": int(self.strengths.tally.moves.sum()),
                "left_out": [{"game": name, "reason": reason} for name, reason in self.left_out.items()],
            },
            **inner,
            "players": [
                player | {"calibrated": self._calibrated(player["player"], f"players.{place}", known)}
                for place, player in enumerate(inner["players"])
            ],
            "events": None if self.events is None else self.events.document(),
            "comparison": None if self.comparison is None else self.comparison.document(),
            "variation": self._variation(known),
            "measures": self._measures(),
        }
        return explain_parts(document, known)

    def _calibrated(self, name: str, at: str, known: dict[str, str]) -> dict[str, Any] | None:
        if self.calibrated is None:
            return None
        found = self.calibrated[name]
        known |= {f"{at}.calibrated.{part}": found.reason or "not bounded" for part in ("elo", "interval")}
        known |= {f"{at}.calibrated.interval.{end}": "not bounded within the calibrated range" for end in (0, 1)}
        return {"elo": found.elo, "interval": None if found.interval is None else list(found.interval)}

    def _variation(self, known: dict[str, str]) -> dict[str, Any] | None:
        if self.absent.get("filters") == NOT_ASKED:
            return None
        found: dict[str, Any] = {}
        for name, variation in (("filters", self.filters), ("mate_values", self.mate_values)):
            known[f"variation.{name}"] = self.absent.get(name, "")
            document = {} if variation is None else variation.document()
            found[name] = document.get("variants")
            for path, why in document.get("absent", {}).items():
                known[f"variation.{name}.{path.removeprefix('variants.')}"] = why
        return found

    def _measures(self) -> dict[str, Any] | None:
        if self.absent.get("quality") == NOT_ASKED:
            return None
        known = {"guid_bratko": self.absent.get("quality", ""), "regan": self.absent.get("sensitivity", "")}
        parts = {"guid_bratko": self.quality, "regan": self.sensitivity}
        return explain_parts({name: None if part is None else part.document() for name, part in parts.items()}, known)

    def _draw_trajectories(self, *, narrow: bool) -> Any:
        """The estimate after each move, with its band, for the players with most moves."""
        import altair as alt

        from ludometer.chart_style import ACCENT, INK
        from ludometer.chess.strength.charts import side_by_side

        rows_of = {name: self._trajectory(name) for name in self.gains.most_active()}
        scale = alt.Scale(domain=_span([row for rows in rows_of.values() for row in rows]), clamp=True, nice=False)
        x = alt.X("move:Q", title="Moves", axis=alt.Axis(tickCount=3, grid=False))
        axis = alt.Axis(tickCount=4, format="d")

        def draw(rows: list[dict[str, float]], is_first: bool) -> Any:
            base = alt.Chart(alt.InlineData(values=rows))
            y = alt.Y("low:Q", title="Elo points" if is_first else None, scale=scale, axis=axis)
            band = base.mark_area(opacity=0.25, color=INK, clip=True).encode(x=x, y=y, y2="high:Q")
            line = base.mark_line(color=ACCENT, strokeWidth=1.5, clip=True)
            return band + line.encode(x=x, y=alt.Y("value:Q", scale=scale))

        return side_by_side(rows_of, draw, narrow=narrow)

    def _trajectory(self, player: str) -> list[dict[str, float]]:
        """The band of a player, thinned out to what a small chart shows."""
        engine, level = self.strengths.engine.strength, self.strengths.intervals.level
        found = follow_player(self.gains, player, engine=engine, level=level)
        step = max(1, len(found) // _POINTS)
        return [row for row in found.band() if (row["move"] - 1) % step == 0]


def study_strengths(
    evaluations: Evaluations,
    *,
    anchor: str | None = None,
    compared: tuple[str, str] | None = None,
    choices: bool = False,
    measures: bool = False,
    calibration: Calibration | None = None,
    left_out: Mapping[str, str] | None = None,
    **settings: Any,
) -> Study:
    """Strengths by `measure_strengths` with these settings, and what accompanies them.

    Where there are several events, all are put on one scale by the engine's strength, or by the ratings of the event
    `anchor`. `compared` names two events whose common players are compared. `choices` adds the effect of other filters
    and values of mate, `measures` adds Guid and Bratko's and Regan's, `calibration` real Elo points. `left_out` are
    games that could not be used, and why.

    >>> from ludometer.chess import EvaluatedGame
    >>> level = [0, 0, 20, 10, 40, 40, 40]
    >>> games = [EvaluatedGame(e, "Ann", "Ben", level, e, -1, 2000, 1900) for e in ("Rome", "Oslo")]
    >>> print(study_strengths(Evaluations.of_games(games)).events.summary())
    with an engine of 2148
    Rome                             2 players  1950 too few games  ratings 1950
    Oslo                             2 players  1950 too few games  ratings 1950
    """
    for event in (*(compared or ()), *(() if anchor is None else (anchor,))):
        evaluations.event_code(event)
    strengths = measure_strengths(evaluations, **settings)
    if calibration is not None:
        calibration.check(strengths.provenance.parameters)
    found: dict[str, Any] = {}
    absent = {"events": ONE_EVENT} | dict.fromkeys(("comparison", *_CHOICES, *_MEASURES), NOT_ASKED)
    if compared is not None:
        # what was named and cannot be compared is a mistake, not a gap
        found["comparison"] = compare_events(evaluations, *compared, **_part(settings, "filters", "intervals"))
    wanted = _other_measures(evaluations, settings) if measures else {}
    wanted |= _other_choices(evaluations, settings) if choices else {}
    wanted |= _events(evaluations, strengths, anchor, settings)
    for name, measure in wanted.items():
        try:
            found[name] = measure()
        except LudometerError as error:
            absent[name] = str(error)
    return Study(
        strengths,
        measure_gains(evaluations, filters=settings.get("filters")),
        **found,
        calibration=calibration,
        absent={name: why for name, why in absent.items() if name not in found},
        left_out=left_out or {},
    )


def _events(
    evaluations: Evaluations, strengths: Strengths, anchor: str | None, settings: Mapping[str, Any]
) -> dict[str, Measure]:
    """All events on one scale, where there are several."""
    if anchor is None and len(np.unique(evaluations.event)) < 2:
        return {}
    engine = strengths.engine.strength if anchor is None else None
    chosen = _part(settings, "filters", "ratings", "reference", "intervals")
    return {"events": partial(scale_events, evaluations, engine=engine, anchor=anchor, **chosen)}


def _other_choices(evaluations: Evaluations, settings: Mapping[str, Any]) -> dict[str, Measure]:
    """The effect of other choices on the strengths."""
    varied = {name: value for name, value in settings.items() if name != "filters"}
    filters = usual_filters(evaluations, settings.get("filters"))
    return {
        "filters": partial(compare_filters, evaluations, filters=filters, **varied),
        "mate_values": partial(vary_mate_value, evaluations, **settings),
    }


def _other_measures(evaluations: Evaluations, settings: Mapping[str, Any]) -> dict[str, Measure]:
    """What others measure; Guid and Bratko's has its own choice of moves."""
    min_games = {"min_games": settings["intervals"].min_games} if "intervals" in settings else {}
    return {
        "quality": partial(measure_quality, evaluations, **_part(settings, "intervals")),
        "sensitivity": partial(fit_sensitivity, evaluations, **_part(settings, "filters"), **min_games),
    }


def _part(settings: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: settings[name] for name in names if name in settings}


def _span(rows: list[dict[str, float]]) -> tuple[float, float]:
    """From a little below to a little above the lines once they have settled, so that the first moves do not rule."""
    settled = [row for row in rows if row["move"] > 20] or rows
    if not settled:
        return 0.0, 1.0
    low, high = (np.array([row[name] for row in settled]) for name in ("low", "high"))
    return float(np.floor(np.quantile(low, 0.02) / 50) * 50), float(np.ceil(np.quantile(high, 0.98) / 50) * 50)
