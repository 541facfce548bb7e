"""The learning rate by rating bin, from a list of ratings: L / D = (N above + N in the bin / 2) / N in the bin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Array, Counts, Floats
from ludometer.chart_style import INK
from ludometer.errors import LudometerError
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class LearningBins(Shown):
    """Players and L / D, in bin widths, of each rating bin; NaN where a bin is empty.

    `log_error` is the standard error of log(L / D), sqrt(1 / n + 2 / (A + n / 2)) with A the players above, as if
    players were independent; NaN where L / D is not above 0, as may happen with entrants. Smith's printed errors have
    this size although the bins pool five snapshots of the same players, so they are too small; `snapshots` enlarges
    the errors by its root, as if the pooled lists were copies.
    """

    low: Floats
    """The lower ends of the bins; an upper end belongs to the next bin."""
    width: float
    count: Counts
    ratio: Floats
    log_error: Floats
    snapshots: int
    provenance: Provenance
    error: Floats
    """The standard error of L / D, in bin widths."""

    @property
    def points(self) -> Floats:
        """L / D in Elo points: how far a player rises in a mean lifetime."""
        return self.ratio * self.width

    def death_rate(self, learning: Floats, error: Floats) -> tuple[float, float]:
        """D and its standard error from learning rates of the bins (Elo points per unit of time; NaN: unknown).

        Smith 1994, section 7: the mean learning rate divided by the mean of L / D, both over the players of the bins
        with tracked learning. The error is that of the tracked learning alone.
        """
        known = np.isfinite(learning) & np.isfinite(error) & np.isfinite(self.ratio)
        weight = self.count[known].astype(np.float64)
        whole = float((weight * self.points[known]).sum())
        if not whole > 0:
            raise LudometerError("no bin has both players and a tracked learning rate")
        value = float((weight * learning[known]).sum()) / whole
        return value, math.sqrt(float(((weight * error[known]) ** 2).sum())) / whole

    def to_frame(self) -> pl.DataFrame:
        """One row per bin: from, to, players, L / D in bin widths, its error, and that of its logarithm."""
        import polars as pl

        columns = {
            "from": self.low,
            "to": self.low + self.width,
            "players": self.count,
            "ratio": self.ratio,
            "error": self.error,
            "log_error": self.log_error,
        }
        return pl.DataFrame(columns).with_columns(pl.col("ratio", "error", "log_error").fill_nan(None))

    def summary(self) -> str:
        """The bins, at most 18 of them."""
        lines = [f"L / D by rating, in units of {self.width:g} points, from {int(self.count.sum()):,} ratings"]
        used = np.flatnonzero(self.count > 0)
        lines += [
            f"{self.low[k]:8.0f} {int(self.count[k]):8,} players {self.ratio[k]:10.2f} ± {self.error[k]:.2f}"
            for k in used[:18]
        ]
        if len(used) > 18:
            lines.append(f"and {len(used) - 18} more bins")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """log(L / D) over the rating: a straight line under the learning model."""
        import altair as alt

        rows = [
            {
                "rating": float(self.low[k] + self.width / 2),
                "ratio": float(self.ratio[k]),
                "low": float(self.ratio[k] * np.exp(-1.96 * self.log_error[k])),
                "high": float(self.ratio[k] * np.exp(1.96 * self.log_error[k])),
            }
            for k in np.flatnonzero(self.ratio > 0)
        ]
        chart = alt.Chart(alt.InlineData(values=rows), width=270 if narrow else 480, height=260)
        x = alt.X("rating:Q", title="Rating (Elo points)", scale=alt.Scale(zero=False))
        title = f"L / D ({self.width:g} points)"
        y = alt.Y("ratio:Q", title=title, scale=alt.Scale(type="log"))
        errors = chart.mark_rule(color=INK).encode(
            x=x, y=alt.Y("low:Q", scale=alt.Scale(type="log"), title=title), y2="high:Q"
        )
        return {"learning": errors + chart.mark_point(filled=True, color=INK).encode(x=x, y=y)}


def bin_learning(
    ratings: Sequence[float] | Array,
    *,
    width: float = 100.0,
    start: float = 0.0,
    snapshots: int = 1,
    entrants: Sequence[float] | Array | None = None,
) -> LearningBins:
    """L / D by bins of this width, counted from `start` in both directions.

    Beginners are assumed to enter below the bins. With the ratings of `entrants`, players who entered above a rating
    have not learned to reach it: N (share of entrants above) is subtracted from the players above.

    >>> bin_learning([1210.0, 1290.0, 1350.0, 1420.0]).ratio.tolist()
    [1.5, 1.5, 0.5]
    """
    rating = check_ratings(ratings)
    if not (math.isfinite(width) and width > 0):
        raise LudometerError(f"the width of a bin must be above 0, not {width}")
    place = np.floor((rating - start) / width).astype(np.int64)
    lowest, span = int(place.min()), int(place.max() - place.min()) + 1
    if span > 100_000:
        raise LudometerError(f"{span:,} bins of {width:g} points are too many: take wider ones")
    count = np.bincount(place - lowest, minlength=span)
    joined = None
    if entrants is not None:
        entry = np.floor((check_ratings(entrants) - start) / width).astype(np.int64) - lowest
        # entrants below all bins pass through each of them, those above through none
        joined = np.bincount(np.clip(entry, -1, span) + 1, minlength=span + 2)
    return _measure(count, start + width * lowest, width, snapshots, joined)


def bin_counts(count: Sequence[int] | Array, *, low: float, width: float = 100.0, snapshots: int = 1) -> LearningBins:
    """L / D from the numbers of players in adjacent bins, the first of which begins at `low`.

    >>> bin_counts([2, 1, 1], low=1200).ratio.tolist()
    [1.5, 1.5, 0.5]
    """
    number = np.asarray(count)
    if number.ndim != 1 or not len(number) or (number < 0).any() or (number != np.floor(number)).any():
        raise LudometerError("the numbers of players must be whole numbers from 0 up")
    return _measure(number.astype(np.int64), low, width, snapshots, None)


def _measure(count: Counts, low: float, width: float, snapshots: int, joined: Counts | None) -> LearningBins:
    """`joined` are entrants below the first bin, in each bin, and above the last."""
    if snapshots < 1:
        raise LudometerError(f"snapshots must be at least 1, not {snapshots}")
    n = np.where(count > 0, count, np.nan)
    passed = _upwards(count)
    variance = 2 * passed
    if joined is not None:
        share = _upwards(joined)[1:-1] / joined.sum()
        passed = passed - count.sum() * share
        variance = variance + count.sum() ** 2 * share * (1 - share) / joined.sum()
    ratio = passed / n
    error = np.sqrt(snapshots * (ratio**2 / n + variance / n**2))
    log_error = np.divide(error, ratio, out=np.full(len(n), np.nan), where=ratio > 0)
    parameters = {"width": width, "low": low, "entrants": 0 if joined is None else int(joined.sum())}
    begin: Floats = low + width * np.arange(len(count), dtype=np.float64)
    provenance = Provenance("learning bins", parameters)
    return LearningBins(begin, width, count, ratio, log_error, snapshots, provenance, error)


def _upwards(count: Counts) -> Floats:
    """Players above a bin, and half of those in it."""
    return np.asarray(count[::-1].cumsum()[::-1] - count / 2)


def check_ratings(ratings: Sequence[float] | Array) -> Floats:
    """Ratings as an array; refuse what is not a list of numbers."""
    rating = np.asarray(ratings, np.float64)
    if rating.ndim != 1 or not len(rating):
        raise LudometerError("a list of ratings is needed")
    if not np.isfinite(rating).all():
        raise LudometerError(f"{int((~np.isfinite(rating)).sum()):,} ratings are not numbers")
    return rating
