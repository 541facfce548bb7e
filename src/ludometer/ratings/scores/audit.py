"""Rate series with an audit of every update, from the beginning or from any date on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError
from ludometer.ratings.driver import prepare
from ludometer.ratings.scores.charts import View, plot_ratings
from ludometer.ratings.scores.elo import SeriesElo, SeriesEloFromMean, SeriesState
from ludometer.ratings.scores.record import SeriesRecord
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl


@dataclass(frozen=True)
class SeriesRatings:
    """Players with their ratings after the last series, and each update that led there."""

    players: pl.DataFrame
    """player, rating, sd, provisional, series, average (of the rated scores), last: best first."""
    updates: pl.DataFrame
    """A row a seat: series, number, time if known, player, score, total (S), level (R), before, expected, k, change,
    rating, sd."""
    score_sd: float
    """SD of a score about what was expected of it."""
    strength_sd: float
    """SD of strengths about the start value."""
    level: float
    """The mean score as a share of the mean rating: near 1 where ratings read as mean scores."""
    n_series: int
    """Series with an update here."""
    since: str | None
    state: SeriesState
    """Where the next series go on from."""
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """The players, best first."""
        return self.players

    def summary(self) -> str:
        """How many, how sure, and who leads."""
        begin = "" if self.since is None else f" from {self.since} on"
        lines = [
            f"{self.n_series:,} series of {len(self.players):,} players by {self.provenance.method}{begin}",
            f"a score spreads by {self.score_sd:.0f} about its expectation, strengths by {self.strength_sd:.0f} "
            "about the start",
        ]
        if not 0.8 < self.level < 1.25:
            lines.append(f"scores are {self.level:.2f} times the ratings: with a start at their mean both agree")
        for place, row in enumerate(self.players.head(10).iter_rows(named=True), 1):
            doubt = "  provisional" if row["provisional"] else ""
            lines.append(f"{place:4d}. {row['rating']:8.1f} ± {row['sd']:5.1f}  {row['player']}{doubt}")
        return "\n".join(lines)

    def plot(self, players: Sequence[str] | None = None, *, view: View = "contracted") -> altair.LayerChart:
        """How ratings went, with a band of one SD: of these players, or of the five best."""
        chosen = self.players["player"].head(5).to_list() if players is None else list(players)
        return plot_ratings(self.updates, chosen, view=view)

    def explain(self, player: str) -> list[str]:
        """Each update of one player in words and numbers."""
        import polars as pl

        rows = self.updates.filter(pl.col("player") == player)
        if not len(rows):
            raise LudometerError(f"nobody called {player!r} has an update here")
        return [
            f"series {row['series']}: scored {row['score']:.0f} of {row['total']:.0f}, expected {row['expected']:.2f}; "
            f"{row['before']:.2f} {row['change']:+.2f} = {row['rating']:.2f} (K {row['k']:g})"
            for row in rows.iter_rows(named=True)
        ]

    def compare(self, other: SeriesRatings) -> pl.DataFrame:
        """player, rating here, rating there and the difference, the largest first: what a correction did."""
        import polars as pl

        both = self.players.select("player", "rating").join(
            other.players.select("player", other="rating"), on="player", how="full", coalesce=True
        )
        difference = both.with_columns(difference=pl.col("other") - pl.col("rating"))
        return difference.sort(pl.col("difference").abs(), "player", descending=[True, False], nulls_last=True)


def rate_series(
    record: SeriesRecord,
    *,
    system: SeriesElo | SeriesEloFromMean | None = None,
    since: Any = None,
    ratings: Any = None,
) -> SeriesRatings:
    """Ratings after the last series, and each update with S, E and K; series Elo with K 0.02 unless another is given.

    With `since` (a date, or a series where there are no times) updates are listed from there on. What stood before
    comes from the earlier series of the record, or from `ratings`: a list of player → rating, or a frame with the
    columns player, rating and perhaps series; then earlier series are not looked at. So a corrected result, another K
    or another rule can be played from any date, and `compare` says what it changed.

    >>> record = SeriesRecord.of_columns([1, 1, 1], list("ABC"), [1200, 800, 800])
    >>> list_ = rate_series(record, ratings={"A": 1500, "B": 750, "C": 750})
    >>> list_.updates["expected"].to_list(), list_.updates["rating"].to_list()
    ([1400.0, 700.0, 700.0], [1496.0, 752.0, 752.0])
    """
    chosen: SeriesElo = prepare(system or SeriesElo(), record.matches)  # type: ignore[assignment]  # of these two
    if not isinstance(chosen, SeriesElo):
        raise LudometerError(f"series Elo is needed, not {chosen!r}; `rate` plays any system")
    played = np.ones(len(record), bool) if since is None else record.since(since)
    if not played.any():
        raise LudometerError(f"there are no series from {since} on")
    state = chosen.start(len(record.matches.players))
    if ratings is not None:
        state = _standing(chosen, record, ratings)
    elif not played.all():
        state = chosen.settle(state, record.matches.take(~played))
    part = record if played.all() else record.take(played)
    after, audit, _ = chosen.play_with_audit(state, part.matches)
    updates = _updates(chosen, part, np.flatnonzero(played) + 1, audit, after)
    listed = record if ratings is None else part
    return SeriesRatings(
        players=_players(chosen, listed, after),
        updates=updates,
        score_sd=after.sd,
        strength_sd=chosen.strength_sd(after),
        level=float(listed.score.mean() / chosen.ratings(after)[listed.seats.player].mean()),
        n_series=len(part),
        since=None if since is None else str(since),
        state=after,
        provenance=Provenance(chosen.name, chosen.parameters, record.matches.fingerprint),
    )


def _standing(system: SeriesElo, record: SeriesRecord, ratings: Any) -> SeriesState:
    """The state that a published list says; who is not on it is a newcomer."""
    import polars as pl

    table = pl.DataFrame(
        {"player": list(ratings), "rating": list(ratings.values())} if isinstance(ratings, Mapping) else ratings
    )
    if not {"player", "rating"} <= set(table.columns):
        raise LudometerError("a list of ratings has the columns player and rating")
    known = {name: code for code, name in enumerate(record.matches.players.names.to_list())}
    rows = table.filter(pl.col("player").is_in(list(known)))
    codes = np.array([known[name] for name in rows["player"].to_list()], np.int64)
    # without a number of series a rating counts as settled
    series = rows["series"].to_numpy() if "series" in rows.columns else np.full(len(rows), 1_000_000)
    stood = system.standing(rows["rating"].cast(pl.Float64).to_numpy(), series)
    state = system.start(len(known))
    state.player[codes] = stood.player
    return state


def _players(system: SeriesElo, record: SeriesRecord, state: SeriesState) -> pl.DataFrame:
    import polars as pl

    seats, matches = record.seats, record.matches
    n = len(state.player)
    played = np.bincount(seats.player, minlength=n)
    total = np.bincount(seats.player, weights=record.score, minlength=n)
    columns: dict[str, Any] = {
        "player": matches.players.names,
        "rating": system.ratings(state),
        "sd": system.uncertainty(state),
        "provisional": system.is_provisional(state),
        "series": state.player[:, 1].astype(np.int64),
        "average": total / np.maximum(played, 1),
    }
    last = np.zeros(n, np.int64)
    np.maximum.at(last, seats.player, np.repeat(np.arange(len(record)), seats.sizes))
    columns["last"] = pl.Series(record.labels).gather(last) if matches.time is None else matches.time[last]
    frame = pl.DataFrame(columns).filter(pl.Series(played > 0))
    return frame.sort("rating", "player", descending=[True, False])


def _updates(
    system: SeriesElo, record: SeriesRecord, number: Counts, audit: Floats, state: SeriesState
) -> pl.DataFrame:
    import polars as pl

    from ludometer.kernels.systems.scores import AFTER, BEFORE, EXPECTED, NOISE_AFTER, START_AFTER, STEP

    seats, matches = record.seats, record.matches
    seat_of = np.repeat(np.arange(len(record)), seats.sizes)
    columns: dict[str, Any] = {"series": pl.Series(record.labels).gather(seat_of), "number": number[seat_of]}
    if matches.time is not None:
        columns["time"] = matches.time[seat_of]
    columns |= {
        "player": matches.players.names.gather(seats.player),
        "score": record.score,
        "total": np.add.reduceat(record.score, seats.starts[:-1])[seat_of],
        "level": np.add.reduceat(audit[:, BEFORE], seats.starts[:-1])[seat_of],
        "before": audit[:, BEFORE],
        "expected": audit[:, EXPECTED],
        "k": audit[:, STEP],
        "change": audit[:, AFTER] - audit[:, BEFORE],
        "rating": audit[:, AFTER],
        "sd": system.deviation(state, audit[:, NOISE_AFTER], audit[:, START_AFTER]),
    }
    return pl.DataFrame(columns)
