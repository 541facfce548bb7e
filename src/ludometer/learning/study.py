"""`study_learning`: the distribution of ratings, the learning rate it implies, and that of tracked players."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Array, Floats
from ludometer.chart_style import ACCENT, INK
from ludometer.errors import LudometerError
from ludometer.learning.bins import LearningBins, bin_learning, check_ratings
from ludometer.learning.populations import Distributions, fit_distributions
from ludometer.learning.tracking import (
    WARM_UP,
    Anchor,
    Tracked,
    Windows,
    best_step,
    first_places,
    follow_windows,
    rate_windows,
)
from ludometer.matches import Matches
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl

_RECENT = 0.1
"""Players with a match in this last part of a record are active: the fluid equation is about their ratings."""

_NEWCOMERS = 100
"""With fewer, neither the level of newcomers nor its drift can be estimated."""


@dataclass(frozen=True)
class DeathRate:
    """The share of players who leave, per game or per unit of time: tracked learning divided by L / D."""

    value: float
    error: float
    per: str
    """`game`, `year`, or `unit` of the record's own times."""


@dataclass(frozen=True, eq=False)
class Learning(Shown):
    """L / D by rating, shapes of the distribution of ratings, and, for a record of matches, tracked learning."""

    n_ratings: int
    bins: LearningBins
    distributions: Distributions
    tracked: Tracked | None
    death_rates: tuple[DeathRate, ...]
    """Per game and, with times, per unit of time; empty without tracked learning."""
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """One row per bin: players, L / D in Elo points, learning per game by the fluid equation and as tracked.

        The fluid equation's L needs D: the value at which both agree over all bins.
        """
        import polars as pl

        nothing = np.full(len(self.bins.low), np.nan)
        tracked, error = (nothing, nothing) if self.tracked is None else _on_bins(self.tracked, self.bins, "per_game")
        death = next((rate.value for rate in self.death_rates if rate.per == "game"), math.nan)
        columns = {
            "from": self.bins.low,
            "to": self.bins.low + self.bins.width,
            "players": self.bins.count,
            "learning_over_death": self.bins.points,
            "learning_over_death_error": self.bins.error * self.bins.width,
            "fluid_per_game": death * self.bins.points,
            "tracked_per_game": tracked,
            "tracked_per_game_error": error,
        }
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))

    def document(self) -> dict[str, Any]:
        """The JSON document: L / D by class, shapes of the distribution, and tracked learning."""
        absent, frame = self.provenance.absent(), self.to_frame()
        for name in frame.columns:
            if frame[name].null_count():
                absent[f"bins.{name}"] = "nobody in that class, or nobody was followed through it"
        tracked = None if self.tracked is None else self.tracked.document()
        if tracked is None:
            absent |= {
                "tracked": "a list of ratings: players cannot be tracked",
                "death_rates": "players were not tracked",
            }
        else:
            absent |= {f"tracked.{name}": reason for name, reason in tracked.pop("absent").items()}
        return {
            "ratings": self.n_ratings,
            "bins": frame.to_dicts(),
            "shapes": [fit.document() for fit in self.distributions.fits],
            "tracked": tracked,
            "death_rates": None if tracked is None else [vars(rate) for rate in self.death_rates],
            "absent": absent,
        }

    def summary(self) -> str:
        """The shapes, overall learning, and the death rate."""
        lines = [f"{self.n_ratings:,} ratings", *self.distributions.summary().splitlines()[1:]]
        if self.tracked is not None:
            lines += self.tracked.summary().splitlines()[:3]
        for rate in self.death_rates:
            lines.append(
                f"death rate {rate.value:.3g} ± {rate.error:.1g} per {rate.per}: tracked learning divided by L / D"
            )
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """L from the distribution (line) and as tracked (points), or L / D alone for a list of ratings; the shapes."""
        shapes = self.distributions.charts(narrow=narrow)
        if self.tracked is None:
            return self.bins.charts(narrow=narrow) | shapes
        return {"learning": self._draw_learning(narrow)} | shapes

    def _draw_learning(self, narrow: bool) -> Any:
        import altair as alt

        rows = [row for row in self.to_frame().to_dicts() if row["players"] > 0]
        for row in rows:
            row["rating"] = (row["from"] + row["to"]) / 2
        points = [
            {
                "rating": row["rating"],
                "rate": row["tracked_per_game"],
                "low": row["tracked_per_game"] - 1.96 * row["tracked_per_game_error"],
                "high": row["tracked_per_game"] + 1.96 * row["tracked_per_game_error"],
            }
            for row in rows
            if row["tracked_per_game"] is not None
        ]
        # L / D grows without limit towards the lowest rating: the chart shows where players were tracked
        top = max((abs(point["rate"]) + point["high"] - point["low"] for point in points), default=1.0)
        line = [row for row in rows if row["fluid_per_game"] is not None and abs(row["fluid_per_game"]) <= top]
        x = alt.X("rating:Q", title="Rating (Elo points)", scale=alt.Scale(zero=False))
        title = "Learning (Elo points per game)"
        legend = "Line: from the distribution of ratings. Points: tracked players, 95%"
        base = alt.Chart(alt.InlineData(values=points), width=270 if narrow else 480, height=260, title=legend)
        return (
            base.mark_rule(color=INK).encode(x=x, y=alt.Y("low:Q", title=title), y2="high:Q")
            + base.mark_point(filled=True, color=INK).encode(x=x, y=alt.Y("rate:Q", title=title))
            + alt.Chart(alt.InlineData(values=line))
            .mark_line(color=ACCENT)
            .encode(x=x, y=alt.Y("fluid_per_game:Q", title=title))
        )


def study_learning(
    source: Matches | Sequence[float] | Array,
    *,
    width: float = 100.0,
    games: int = 25,
    k: float | None = None,
    start_rating: float = 1500.0,
    anchor: Anchor = "entrants",
    origin: float | None = None,
    scale: float | None = None,
    snapshots: int = 1,
) -> Learning:
    """Study learning in a list of ratings, or in a record of two-player matches, where players are tracked too.

    The list of a record has the Elo ratings of players with `games` matches or more and a match in the last tenth of
    the record. Where newcomers are too few to anchor the level, learning is relative to the opponents.

    >>> from ludometer.learning.fluid import LearningModel
    >>> study = study_learning(LearningModel(c8=0.1, origin=800).curve(np.arange(1, 200) / 40))
    >>> study.n_ratings, study.tracked is None
    (199, True)
    """
    settings = {"origin": origin, "scale": scale}
    given = {name: value for name, value in settings.items() if value is not None}
    if not isinstance(source, Matches):
        rating = check_ratings(source)
        bins = bin_learning(rating, width=width, snapshots=snapshots)
        shapes = fit_distributions(rating, origin=origin, scale=scale)
        provenance = Provenance("learning", {"width": width, "snapshots": snapshots} | given)
        return Learning(len(rating), bins, shapes, None, (), provenance)
    step = best_step(source) if k is None else k
    windows, last = rate_windows(source, games=games, k=step)
    first = first_places(source)
    new = (windows.number == 0) & (first[windows.player] > WARM_UP)
    chosen: Anchor = anchor if int(new.sum()) >= _NEWCOMERS else "opponents"
    parameters = {"width": width, "games": games, "k": step, "start_rating": start_rating, "anchor": chosen} | given
    provenance = Provenance("learning", parameters, source.fingerprint)
    tracked = follow_windows(
        windows,
        games=games,
        width=width,
        start_rating=start_rating,
        anchor=chosen,
        first_place=first,
        time_unit=None if source.time is None else ("year" if source.time.dtype.kind == "M" else "unit"),
        provenance=provenance,
    )
    rating = start_rating + last[_living(source, games)]
    entrants = start_rating + _levelled(windows, new) if int(new.sum()) >= _NEWCOMERS else None
    bins = bin_learning(rating, width=width, entrants=entrants)
    shapes = fit_distributions(rating, origin=origin, scale=scale)
    return Learning(len(rating), bins, shapes, tracked, _death_rates(tracked, bins), provenance)


def _living(matches: Matches, games: int) -> Array:
    recent = np.zeros(len(matches.players), bool)
    table = matches.part(int((1 - _RECENT) * len(matches)), len(matches)).pairs
    recent[table.first] = recent[table.second] = True
    living = recent & (matches.counts >= games)
    if int(living.sum()) < 10:
        raise LudometerError(f"fewer than ten players with {games} matches are active in the last tenth of the record")
    return living


def _levelled(windows: Windows, new: Array) -> Floats:
    """Ratings of newcomers in the later half of the record: recent enough for the list, and enough of them."""
    late = np.median(windows.place[new])
    return windows.rating[new & (windows.place >= late)]


def _on_bins(tracked: Tracked, bins: LearningBins, name: str) -> tuple[Floats, Floats]:
    """Rates and errors of the classes, on the bins with the same edges."""
    value, error = getattr(tracked.classes, name), getattr(tracked.classes, f"{name}_error")
    out = np.full((2, len(bins.low)), np.nan)
    if value is not None:
        place = np.rint((tracked.classes.low - bins.low[0]) / bins.width).astype(np.int64)
        inside = (place >= 0) & (place < len(bins.low))
        out[0, place[inside]], out[1, place[inside]] = value[inside], error[inside]
    return out[0], out[1]


def _death_rates(tracked: Tracked, bins: LearningBins) -> tuple[DeathRate, ...]:
    rates = []
    for name, per in (("per_game", "game"), ("per_time", tracked.time_unit)):
        learning, error = _on_bins(tracked, bins, name)
        if per is not None and np.isfinite(learning * bins.ratio).any():
            value, uncertain = bins.death_rate(learning, error)
            # players who do not learn do not show how fast players leave
            if value > 0:
                rates.append(DeathRate(value, uncertain, per))
    return tuple(rates)
