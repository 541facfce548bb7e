"""A study of learning: the distribution of ratings, what it says of learning, and learning as it was followed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Array, Floats
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
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl

_RECENT = 0.1
"""Who played in this last part of a record is among the living, whose ratings the fluid equation is about."""

_NEWCOMERS = 100
"""With fewer of them the level of newcomers cannot be told, nor how it drifts."""


@dataclass(frozen=True)
class DeathRate:
    """The share of players who leave, per game or per unit of time: tracked learning over L / D."""

    value: float
    error: float
    per: str
    """`game`, `year`, or `unit` of the record's own times."""


@dataclass(frozen=True, eq=False)
class Learning:
    """L / D by rating from the distribution, shapes of the distribution, and, of a record, learning as followed."""

    n_ratings: int
    bins: LearningBins
    distributions: Distributions
    tracked: Tracked | None
    death_rates: tuple[DeathRate, ...]
    """Per game and, with times, per unit of time; none without tracked learning."""
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """A row a bin: players, L / D in Elo points, learning per game by the fluid equation and as followed.

        The fluid equation's L needs D, which is the one that makes both agree over all bins.
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

    def summary(self) -> str:
        """The best shape, learning in all, and the death rate."""
        lines = [f"{self.n_ratings:,} ratings", *self.distributions.summary().splitlines()[1:]]
        if self.tracked is not None:
            lines += self.tracked.summary().splitlines()[:3]
        for rate in self.death_rates:
            lines.append(f"death rate {rate.value:.3g} ± {rate.error:.1g} a {rate.per}: tracked learning over L / D")
        return "\n".join(lines)

    def plot(self) -> altair.LayerChart:
        """Both curves: L from the distribution (line) and as followed (points), or L / D alone of a list of ratings."""
        import altair as alt

        if self.tracked is None:
            return self.bins.plot()
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
        # L / D grows without end towards the lowest rating: the picture shows where players were followed
        top = max((abs(point["rate"]) + point["high"] - point["low"] for point in points), default=1.0)
        line = [row for row in rows if row["fluid_per_game"] is not None and abs(row["fluid_per_game"]) <= top]
        x = alt.X("rating:Q", title="Rating (Elo points)", scale=alt.Scale(zero=False))
        title = "Learning (Elo points a game)"
        words = "Line: from the distribution of ratings. Points: players as followed, 95%"
        base = alt.Chart(alt.InlineData(values=points), width=480, height=260, title=words)
        drawn: alt.LayerChart = (
            base.mark_rule(color="#4c6a92").encode(x=x, y=alt.Y("low:Q", title=title), y2="high:Q")
            + base.mark_point(filled=True, color="#4c6a92").encode(x=x, y=alt.Y("rate:Q", title=title))
            + alt.Chart(alt.InlineData(values=line))
            .mark_line(color="#b4530a")
            .encode(x=x, y=alt.Y("fluid_per_game:Q", title=title))
        )
        return drawn


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
    """Study learning in a list of ratings, or in a record of matches of two, where players are followed too.

    From a record, the list is that of the Elo ratings of who played `games` matches or more, the last of them in the
    last tenth of the record. Where newcomers are too few to anchor the level, learning is relative to the opponents.

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
        raise LudometerError(f"fewer than ten players with {games} matches played in the last tenth of the record")
    return living


def _levelled(windows: Windows, new: Array) -> Floats:
    """Ratings of newcomers of the last half of the record: those of the time when the list was made, and enough."""
    late = np.median(windows.place[new])
    return windows.rating[new & (windows.place >= late)]


def _on_bins(tracked: Tracked, bins: LearningBins, name: str) -> tuple[Floats, Floats]:
    """Rates and errors of the classes, on the bins that they share their edges with."""
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
            # who does not learn does not tell how fast players leave
            if value > 0:
                rates.append(DeathRate(value, uncertain, per))
    return tuple(rates)
