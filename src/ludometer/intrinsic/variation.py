"""What the conventions do to the strengths: other values of mate, other filters, each shown with its effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError
from ludometer.intrinsic.evaluations import MATE, Evaluations
from ludometer.intrinsic.gain import Filters
from ludometer.intrinsic.strengths import Strengths, measure_strengths
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl

MATE_VALUES = (1000, 2000, MATE, 10_000)


@dataclass(frozen=True, eq=False)
class Variation:
    """Relative strengths (mean 0) and differences to the engine under several conventions, `[variant][player]`.

    `rank_correlation` is Spearman's with the first variant, over players with moves in both.
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
        for k, variant in enumerate(self.variants[:18]):
            change = np.abs(self.relative[k] - self.relative[0])
            largest = f"{np.nanmax(change):.0f}" if np.isfinite(change).any() else "-"
            order = self.rank_correlation[k]
            ranks = f"{order:.2f}" if np.isfinite(order) else "-"
            lines.append(f"{variant:<40} {int(self.moves[k].sum()):7,} moves  change up to {largest}  ranks {ranks}")
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
    found = [measure_strengths(evaluations.with_mate_value(value), **settings) for value in (used, *others)]
    labels = [f"{value / 100:g} pawns" for value in (used, *others)]
    return _gather("mate value", labels, found, {"values": [used, *others]}, evaluations)


def compare_filters(
    evaluations: Evaluations, *, filters: Mapping[str, Filters] | Sequence[Filters], **settings: Any
) -> Variation:
    """Strengths under several filters, against all moves; `settings` are those of `measure_strengths`."""
    named = dict(filters) if isinstance(filters, Mapping) else {entry.describe(): entry for entry in filters}
    if not named:
        raise LudometerError("name at least one filter")
    variants = {"all moves": Filters()} | {name: entry for name, entry in named.items() if entry != Filters()}
    found = [measure_strengths(evaluations, filters=entry, **settings) for entry in variants.values()]
    shown = {name: entry.to_dict() for name, entry in variants.items()}
    return _gather("filter", list(variants), found, {"filters": shown}, evaluations)


def _gather(
    kind: str, labels: Sequence[str], found: Sequence[Strengths], parameters: dict[str, Any], evaluations: Evaluations
) -> Variation:
    names = list(dict.fromkeys(name for entry in found for name in entry.names))
    moves = np.zeros((len(found), len(names)), np.int64)
    columns = np.full((4, len(found), len(names)), np.nan)
    for k, entry in enumerate(found):
        place = [names.index(name) for name in entry.names]
        moves[k, place] = entry.moves
        # an interval around the strength, moved to the relative one
        shift = np.where(np.isfinite(entry.strength), entry.strength - entry.relative, 0.0)
        against = entry.against_engine.difference
        finite = np.where(np.isfinite(against), against, np.nan)
        columns[:, k, place] = entry.relative, entry.low - shift, entry.high - shift, finite
    order = np.array([_rank_correlation(columns[0, 0], row) for row in columns[0]])
    shared = {name: value for name, value in found[0].provenance.parameters.items() if name != "filters"}
    provenance = Provenance(
        f"strengths by {kind}", shared | parameters, evaluations.fingerprint, found[0].provenance.seed
    )
    return Variation(
        kind, tuple(labels), tuple(names), moves, columns[0], columns[1], columns[2], columns[3], order, provenance
    )


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
