"""How strengths depend on choices: other values of mate and other filters, each with its effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.chess.record.evaluations import MATE, Evaluations
from ludometer.chess.strength.absent import explain
from ludometer.chess.strength.gains import PHASES, Filters
from ludometer.chess.strength.strengths import Strengths, measure_strengths
from ludometer.errors import LudometerError
from ludometer.moves.gains import finite_frame
from ludometer.moves.uncertainty import interval, nullable
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl

MATE_VALUES = (1000, 2000, MATE, 10_000)
"""Centipawns."""

_HARD = (20.0, 200.0)
"""A choice that matters and is not forced: the best move is ahead of the second by 0.2 to 2 pawns."""


@dataclass(frozen=True, eq=False)
class Variation(Shown):
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
        """The largest change of a strength against the first variant, in Elo points; NaN: there is none."""
        change = np.abs(self.relative - self.relative[0])
        known = np.isfinite(change)
        return np.where(known.any(axis=1), np.where(known, change, -np.inf).max(axis=1, initial=-np.inf), np.nan)

    def to_frame(self) -> pl.DataFrame:
        """One row per variant and player."""
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
        return finite_frame(columns)

    def cells(self) -> list[list[str]]:
        """One row per variant as text: moves, largest change, and rank correlation."""
        return [
            [
                variant,
                "-" if variant in self.reasons else f"{int(self.moves[k].sum()):,}",
                f"{self.largest_change[k]:.0f}" if np.isfinite(self.largest_change[k]) else "-",
                f"{self.rank_correlation[k]:.2f}" if np.isfinite(self.rank_correlation[k]) else "-",
            ]
            for k, variant in enumerate(self.variants)
        ]

    def summary(self) -> str:
        """One line per variant, at most 18."""
        lines = [f"strengths by {self.kind}, against {self.variants[0]}"]
        for variant, moves, change, ranks in self.cells()[:18]:
            lines.append(f"{variant:<40} {moves:>7} moves  change up to {change}  ranks {ranks}")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """One line per player over the variants."""
        import altair as alt

        chart = (
            alt.Chart(alt.InlineData(values=self.to_frame().to_dicts()), width=220 if narrow else 360, height=260)
            .mark_line(point=True)
            .encode(
                x=alt.X(f"{self.kind}:N", sort=list(self.variants), title=None),
                y=alt.Y("relative:Q", title="Strength (Elo points, mean 0)"),
                color=alt.Color("player:N", title=None),
            )
        )
        return {self.kind.replace(" ", "_"): chart}

    def document(self) -> dict[str, Any]:
        """The variants with their players."""
        known: dict[str, str] = {}
        rows, listed = self.to_frame().to_dicts(), []
        for k, variant in enumerate(self.variants):
            why = self.reasons.get(variant)
            if why is not None:
                names = ("players", "largest_change", "rank_correlation")
                known |= {f"variants.{k}.{name}": why for name in names}
            players = [
                {name: row[name] for name in ("player", "moves", "relative", "change")}
                | {"interval": interval(row["low"], row["high"]), "against_engine": row["engine_difference"]}
                for row in rows[k * len(self.names) : (k + 1) * len(self.names)]
            ]
            listed.append(
                {
                    "variant": variant,
                    "moves": int(self.moves[k].sum()),
                    "largest_change": nullable(float(self.largest_change[k])),
                    "rank_correlation": nullable(float(self.rank_correlation[k])),
                    "players": None if why is not None else players,
                }
            )
        return explain({"variants": listed}, known)


def vary_mate_value(evaluations: Evaluations, *, values: Sequence[int] = MATE_VALUES, **settings: Any) -> Variation:
    """Strengths with mates worth other values, in centipawns; the first variant is the value in use.

    `settings` are those of `measure_strengths`. Evaluations that were cut to the value in use stay there.
    """
    used = evaluations.conventions.mate_value
    chosen = list(dict.fromkeys((used, *values)))
    measured = {
        f"{value / 100:g} pawns": partial(measure_strengths, evaluations.with_mate_value(value), **settings)
        for value in chosen
    }
    return _gather("mate value", measured, {"values": chosen}, evaluations)


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
    """The chosen filter first, then one of each kind that these evaluations allow."""
    found = [chosen] if chosen is not None else []
    found += [Filters(skip_plies=16), Filters(skip_plies=24), Filters(window=200), Filters(24, 200)]
    if evaluations.material is not None:
        found += [Filters(phase=phase) for phase in PHASES]
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
        moves[k, place] = entry.tally.moves
        # the interval around the strength, moved to the relative one
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
    """All variants, and why some cannot be measured: a filter may leave players that no pair joins."""
    found: dict[str, Strengths] = {}
    reasons = {}
    for label, measure in measured.items():
        try:
            found[label] = measure()
        except LudometerError as error:
            if not found:
                # all others are compared with the first
                raise
            reasons[label] = str(error)
    return found, reasons


def _rank_correlation(one: Floats, other: Floats) -> float:
    """Spearman's, over what is finite in both; NaN with fewer than three, or no spread."""
    used = np.isfinite(one) & np.isfinite(other)
    if used.sum() < 3:
        return np.nan
    ranks = _ranks(one[used]), _ranks(other[used])
    return float(np.corrcoef(*ranks)[0, 1]) if np.ptp(ranks[0]) and np.ptp(ranks[1]) else np.nan


def _ranks(value: Floats) -> Floats:
    """Ranks, equal values sharing the middle one; loading scipy.stats for it would take longer than all else."""
    ordered = np.sort(value)
    return np.asarray((np.searchsorted(ordered, value, "left") + np.searchsorted(ordered, value, "right")) / 2)
