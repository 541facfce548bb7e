"""Drift of ratings: means by period of a fixed cohort, of active players, of entrants and of leavers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Array, Counts, Floats, Mask, Times
from ludometer.chart_style import ACCENT, GREY, INK
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.driver import AnySystem, prepare
from ludometer.ratings.systems.elo import Elo
from ludometer.result import Provenance, Shown
from ludometer.wording import time_text

if TYPE_CHECKING:
    import polars as pl

Cohort = Literal["all", "first"]

_UNITS = {"day": "D", "week": "W", "month": "M", "year": "Y"}
_GROUPS = {
    "cohort": "fixed cohort",
    "active": "all active",
    "entrants": "entrants",
    "leavers": "leavers",
}


@dataclass(frozen=True, eq=False)
class Drift(Shown):
    """Mean ratings at the end of each period, in Elo points; NaN for an empty group.

    Entrants play for the first time in a period, leavers for the last; nobody is known to leave in the last period.
    A cohort's ratings also rise if its players learn more than their opponents: only with constant skills is that
    drift.
    """

    period: Array
    """Numbers, or the start of each period."""
    matches: Counts
    mean: dict[str, Floats]
    """By group: cohort, active, entrants, leavers."""
    count: dict[str, Counts]
    change: float | None
    """Of the cohort's mean, from the first period to the last; None without a cohort or a second period."""
    change_std_error: float | None
    """From the differences between its players."""
    cohort: Cohort
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """One row per period: matches, then mean rating and number of players of each group."""
        import polars as pl

        columns: dict[str, Any] = {"period": self.period, "matches": self.matches}
        for group in _GROUPS:
            columns[group] = pl.Series(self.mean[group]).fill_nan(None)
            columns[f"n_{group}"] = self.count[group]
        return pl.DataFrame(columns)

    def document(self) -> dict[str, Any]:
        """The JSON document; the mean of an empty group is null."""
        frame, absent = self.to_frame(), {}
        for name in ("change", "change_std_error"):
            if getattr(self, name) is None:
                absent[name] = "nobody played in all periods, or there is only one"
        for name in _GROUPS:
            if frame[name].null_count():
                absent[f"periods.{name}"] = "nobody in that period"
        return {
            "cohort": self.cohort,
            "change": self.change,
            "change_std_error": self.change_std_error,
            "periods": [row | {"period": time_text(row["period"])} for row in frame.iter_rows(named=True)],
            "absent": absent,
        }

    def summary(self) -> str:
        """The change of the cohort's mean, and the other means in the first and the last period."""
        who = "every period" if self.cohort == "all" else "the first period"
        n = int(self.count["cohort"][0])
        lines = [f"{len(self.period)} periods; cohort: {n:,} players active in {who}"]
        if self.change is not None:
            error = "" if self.change_std_error is None else f" ± {self.change_std_error:.1f}"
            lines.append(f"cohort's mean rating changes by {self.change:+.1f}{error}")
        for group, name in _GROUPS.items():
            known = self.mean[group][np.isfinite(self.mean[group])]
            if len(known):
                lines.append(f"{name}: {known[0]:.1f} in the first period, {known[-1]:.1f} in the last")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Mean ratings by period."""
        import altair as alt

        kind = "T" if self.period.dtype.kind == "M" else "Q"
        rows = [
            {"period": str(when) if kind == "T" else float(when), "mean": float(value), "who": name}
            for group, name in _GROUPS.items()
            for when, value in zip(self.period, self.mean[group], strict=True)
            if math.isfinite(value)
        ]
        colours = alt.Scale(domain=list(_GROUPS.values()), range=[INK, GREY, "#5a8f4e", ACCENT])
        chart = (
            alt.Chart(
                alt.InlineData(values=rows), width=270 if narrow else 480, height=260, title="Mean ratings by period"
            )
            .mark_line(point=True)
            .encode(
                x=alt.X(f"period:{kind}", title="Period"),
                y=alt.Y("mean:Q", title="Mean rating", scale=alt.Scale(zero=False)),
                color=alt.Color("who:N", title=None, scale=colours),
            )
        )
        return {"drift": chart}


def measure_drift(
    matches: Matches,
    *,
    system: AnySystem | None = None,
    period: float | str | None = None,
    cohort: Cohort = "all",
) -> Drift:
    """Play a record through a rating system (Elo with k 24 unless given) and take means after each period.

    A period is a number in units of the record's times, `day`, `week`, `month` or `year` for dates, or, if not given, a
    tenth of the matches. Play keeps the sum of ratings; entrants and leavers change it (Smith 1994, section 8.3).

    >>> matches = Matches.of_pairs([0, 1, 0, 1], [1, 2, 1, 2], [1, 0, 0.5, 1], time=[1, 1, 2, 2])
    >>> drift = measure_drift(matches, period=1)
    >>> drift.mean["active"].round(6).tolist(), drift.count["cohort"].tolist()
    ([1500.0, 1500.0], [3, 3])
    """
    if not len(matches):
        raise MatchDataError("there are no matches")
    if cohort not in ("all", "first"):
        raise LudometerError(
            f"the cohort is all (active in every period) or first (active in the first one), not {cohort!r}"
        )
    chosen = prepare(Elo() if system is None else system, matches)
    starts, labels = _periods(matches, period)
    state, rows, active = chosen.start(0), [], []
    for batch in _cut(matches, starts):
        state, _ = chosen.play(state, batch)
        rows.append(chosen.ratings(state))
        active.append(batch.counts > 0)
    rating, played = np.array(rows), np.array(active)
    groups = _groups(played, cohort)
    change, error = _change(rating, groups["cohort"][0])
    return Drift(
        period=labels,
        matches=np.diff(np.append(starts, len(matches))),
        mean={name: _mean(rating, chosen_few) for name, chosen_few in groups.items()},
        count={name: chosen_few.sum(axis=1) for name, chosen_few in groups.items()},
        change=change,
        change_std_error=error,
        cohort=cohort,
        provenance=Provenance(
            "drift",
            {"system": chosen.name, **chosen.parameters, "period": period, "cohort": cohort},
            matches.fingerprint,
        ),
    )


def _groups(played: Mask, cohort: Cohort) -> dict[str, Mask]:
    """(periods, players) for each group."""
    n_periods = len(played)
    ever = played.any(axis=0)
    first, last = played.argmax(axis=0), n_periods - 1 - played[::-1].argmax(axis=0)
    number = np.arange(n_periods)[:, np.newaxis]
    stays = played.all(axis=0) if cohort == "all" else played[0]
    return {
        "cohort": np.broadcast_to(stays, played.shape),
        "active": played,
        "entrants": ever & (first == number),
        # who plays in the last period may play again
        "leavers": ever & (last == number) & (number < n_periods - 1),
    }


def _mean(rating: Floats, who: Mask) -> Floats:
    n = who.sum(axis=1)
    total = np.where(who, rating, 0.0).sum(axis=1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def _change(rating: Floats, cohort: Mask) -> tuple[float | None, float | None]:
    n = int(cohort.sum())
    if not n or len(rating) < 2:
        return None, None
    change = rating[-1, cohort] - rating[0, cohort]
    return float(change.mean()), float(change.std(ddof=1) / math.sqrt(n)) if n > 1 else None


def _cut(matches: Matches, starts: Counts) -> Iterator[Matches]:
    for start, stop in pairwise([*starts.tolist(), len(matches)]):
        yield matches.part(start, stop)


def _periods(matches: Matches, period: float | str | None) -> tuple[Counts, Array]:
    """Where each period with matches starts, and its label."""
    if period is None:
        n = min(10, len(matches))
        return (np.arange(n) * len(matches) // n).astype(np.int64), np.arange(1, n + 1)
    if matches.time is None:
        raise LudometerError("the record has no times: leave the period out, for tenths of the matches")
    number = _period_numbers(matches.time, period)
    starts = np.flatnonzero(np.diff(number, prepend=number[:1] - 1))
    return starts.astype(np.int64), _labels(number[starts], period)


def _period_numbers(time: Times, period: float | str) -> Counts:
    if time.dtype.kind == "M":
        if period not in _UNITS:
            raise LudometerError(f"a period of dates is a day, week, month or year, not {period!r}")
        return np.asarray(time.astype(f"datetime64[{_UNITS[str(period)]}]").astype(np.int64))
    if isinstance(period, str) or not (math.isfinite(period) and period > 0):
        raise LudometerError(f"times are numbers in this record: a period is a number above 0, not {period!r}")
    return np.floor(time / period).astype(np.int64)


def _labels(number: Counts, period: float | str) -> Array:
    if isinstance(period, str):
        return number.astype(f"datetime64[{_UNITS[period]}]").astype("datetime64[D]")
    return number * period
