"""What the conventions do to the strengths: other values of mate, other filters, each shown with its effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError
from ludometer.moves.evaluations import MATE, Evaluations
from ludometer.moves.gains import Filters, Phase
from ludometer.moves.strengths import Strengths, measure_strengths
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl

MATE_VALUES = (1000, 2000, MATE, 10_000)
"""Centipawns."""

_HARD = (20.0, 200.0)
"""A choice that counts, and is not forced: the best move is ahead of the second by 0.2 to 2 pawns."""


@dataclass(frozen=True, eq=False)
class Variation:
    """Relative strengths (mean 0) and differences to the engine under several conventions, `[variant][player]`.

    `rank_correlation` is Spearman's with the first variant, over players with moves in both. A variant that leaves too
    little to compare has no numbers; `reasons` says why.
    """

    kind: str
    variants: tuple[str, ...]
    names: tuple[str, ...]
    moves: Counts
    relative: Floats
    low: Floats
    high: Floats
    against_engine: Floats
    rank_correlation: Floats
    provenance: Provenance
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def largest_change(self) -> Floats:
        """Of each variant: the largest change of a strength against the first, in Elo points; NaN: there is none."""
        change = np.abs(self.relative - self.relative[0])
        known = np.isfinite(change)
        return np.where(known.any(axis=1), np.where(known, change, -np.inf).max(axis=1, initial=-np.inf), np.nan)

    def to_frame(self) -> pl.DataFrame:
        """A row a variant and player."""
        import polars as pl

        n = len(self.names)
        columns = {
            self.kind: np.repeat(self.variants, n),
            "player": self.names * len(self.variants),
            "moves": self.moves.ravel(),
            "relative": self.relative.ravel(),
            "low": self.low.ravel(),
            "high": self.high.ravel(),
            "change": (self.relative - self.relative[0]).ravel(),
            "engine_difference": self.against_engine.ravel(),
            "rank_correlation": np.repeat(self.rank_correlation, n),
        }
        return pl.DataFrame(columns).with_columns(pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64)))

    def summary(self) -> str:
        """A line a variant: moves, the largest change, and whether the order of the players stays."""
        lines = [f"strengths by {self.kind}, against {self.variants[0]}"]
        for k, (variant, largest, order) in enumerate(
            zip(self.variants[:18], self.largest_change, self.rank_correlation, strict=False)
        ):
            change = f"{largest:.0f}" if np.isfinite(largest) else "-"
            ranks = f"{order:.2f}" if np.isfinite(order) else "-"
            lines.append(f"{variant:<40} {int(self.moves[k].sum()):7,} moves  change up to {change}  ranks {ranks}")
        return "\n".join(lines)

    def plot(self) -> altair.Chart:
        """A line a player over the variants."""
        import altair as alt

        chart: alt.Chart = (
            alt.Chart(alt.InlineData(values=self.to_frame().to_dicts()), width=360, height=260)
            .mark_line(point=True)
            .encode(
                x=alt.X(f"{self.kind}:N", sort=list(self.variants), title=None),
                y=alt.Y("relative:Q", title="Strength (Elo points, mean 0)"),
                color=alt.Color("player:N", title=None),
            )
        )
        return chart


def vary_mate_value(evaluations: Evaluations, *, values: Sequence[int] = MATE_VALUES, **settings: Any) -> Variation:
    """Strengths with mates worth other values, in centipawns; the first variant is the value in use.

    `settings` are those of `measure_strengths`. Evaluations that were cut to the value in use stay there.
    """
    used = evaluations.conventions.mate_value
    others = [value for value in dict.fromkeys(values) if value != used]
    measured = {
        f"{value / 100:g} pawns": partial(measure_strengths, evaluations.with_mate_value(value), **settings)
        for value in (used, *others)
    }
    return _gather("mate value", measured, {"values": [used, *others]}, evaluations)


def compare_filters(
    evaluations: Evaluations, *, filters: Mapping[str, Filters] | Sequence[Filters], **settings: Any
) -> Variation:
    """Strengths under several filters, against all moves; `settings` are those of `measure_strengths`."""
    named = dict(filters) if isinstance(filters, Mapping) else {entry.describe(): entry for entry in filters}
    if not named:
        raise LudometerError("name at least one filter")
    variants = {"all moves": Filters()} | {name: entry for name, entry in named.items() if entry != Filters()}
    measured = {
        name: partial(measure_strengths, evaluations, filters=entry, **settings) for name, entry in variants.items()
    }
    shown = {name: entry.to_dict() for name, entry in variants.items()}
    return _gather("filter", measured, {"filters": shown}, evaluations)


def usual_filters(evaluations: Evaluations, chosen: Filters | None = None) -> list[Filters]:
    """One filter of each kind that these evaluations allow, and the chosen one first."""
    found = [chosen] if chosen is not None else []
    found += [Filters(skip_plies=16), Filters(skip_plies=24), Filters(window=200), Filters(24, 200)]
    if evaluations.material is not None:
        phases: tuple[Phase, ...] = ("opening", "middlegame", "endgame")
        found += [Filters(phase=phase) for phase in phases]
    if evaluations.lines is not None and evaluations.lines.shape[1] > 1:
        found.append(Filters(gap=_HARD))
    return list(dict.fromkeys(found))


def _gather(
    kind: str, measured: Mapping[str, Callable[[], Strengths]], parameters: dict[str, Any], evaluations: Evaluations
) -> Variation:
    found, reasons = _measure_each(measured)
    names = list(dict.fromkeys(name for entry in found.values() for name in entry.names))
    labels = list(measured)
    moves = np.zeros((len(labels), len(names)), np.int64)
    columns = np.full((4, len(labels), len(names)), np.nan)
    for label, entry in found.items():
        k = labels.index(label)
        place = [names.index(name) for name in entry.names]
        moves[k, place] = entry.moves
        # an interval around the strength, moved to the relative one
        shift = np.where(np.isfinite(entry.strength), entry.strength - entry.relative, 0.0)
        against = entry.against_engine.difference
        finite = np.where(np.isfinite(against), against, np.nan)
        columns[:, k, place] = entry.relative, entry.low - shift, entry.high - shift, finite
    order = np.array([_rank_correlation(columns[0, 0], row) for row in columns[0]])
    first = found[labels[0]].provenance
    shared = {name: value for name, value in first.parameters.items() if name != "filters"}
    provenance = Provenance(f"strengths by {kind}", shared | parameters, evaluations.fingerprint, first.seed)
    relative, low, high, against = columns
    return Variation(kind, tuple(labels), tuple(names), moves, relative, low, high, against, order, provenance, reasons)


def _measure_each(measured: Mapping[str, Callable[[], Strengths]]) -> tuple[dict[str, Strengths], dict[str, str]]:
    """All variants, and why some cannot be: a filter may leave out so much that players are no longer connected."""
    found: dict[str, Strengths] = {}
    reasons = {}
    for label, measure in measured.items():
        try:
            found[label] = measure()
        except LudometerError as error:
            if not found:
                # against the first all others are held
                raise
            reasons[label] = str(error)
    return found, reasons


def _rank_correlation(one: Floats, other: Floats) -> float:
    used = np.isfinite(one) & np.isfinite(other)
    if used.sum() < 3:
        return np.nan
    ranks = _ranks(one[used]), _ranks(other[used])
    return float(np.corrcoef(*ranks)[0, 1]) if np.ptp(ranks[0]) and np.ptp(ranks[1]) else np.nan


def _ranks(value: Floats) -> Floats:
    """Ranks, equal values sharing the middle one."""
    ordered = np.sort(value)
    return np.asarray((np.searchsorted(ordered, value, "left") + np.searchsorted(ordered, value, "right")) / 2)
