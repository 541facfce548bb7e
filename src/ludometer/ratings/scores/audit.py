"""Ratings of series with every update, from the beginning or from any date on, and their charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings.scores.elo import SeriesElo, SeriesEloFromMean, SeriesState
from ludometer.ratings.scores.series import fingerprint_of, scores_of, series_labels, series_since
from ludometer.result import Provenance, Shown
from ludometer.wording import time_text

if TYPE_CHECKING:
    import altair
    import polars as pl


View = Literal["contracted", "expanded"]


@dataclass(frozen=True)
class SeriesRatings(Shown):
    """Players with their ratings after the last series, and each update that led there."""

    players: pl.DataFrame
    """player, rating, sd, provisional, series, average (of the rated scores), last: best first."""
    updates: pl.DataFrame
    """One row per seat: series, number, time if known, player, score, total (S), level (R), before, expected, k,
    change, rating, sd."""
    score_sd: float
    """SD of a score around what was expected of it."""
    strength_sd: float
    """SD of strengths around the start value."""
    level: float
    """The mean score as a share of the mean rating: near 1 where ratings read as mean scores."""
    n_series: int
    """Series with an update here."""
    since: str | None
    state: SeriesState
    """Where the next series continue."""
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """The players, best first."""
        return self.players

    def summary(self) -> str:
        """How many series, how certain the ratings are, and who leads."""
        begin = "" if self.since is None else f" from {self.since} on"
        lines = [
            f"{self.n_series:,} series of {len(self.players):,} players by {self.provenance.method}{begin}",
            f"scores vary by {self.score_sd:.0f} around their expectation, strengths by {self.strength_sd:.0f} "
            "around the start",
        ]
        if not is_level(self.level):
            lines.append(f"scores are {self.level:.2f} times the ratings: start at the mean score to make them agree")
        for place, row in enumerate(self.players.head(10).iter_rows(named=True), 1):
            doubt = "  provisional" if row["provisional"] else ""
            lines.append(f"{place:4d}. {row['rating']:8.1f} ± {row['sd']:5.1f}  {row['player']}{doubt}")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The five best players' ratings, series by series and over time."""
        best = self.players["player"].head(5).to_list()
        size: dict[str, Any] = {"width": 180, "height": 220, "longest": 12} if narrow else {}
        return {view: plot_ratings(self.updates, best, view=view, **size) for view in get_args(View)}

    def plot(self, players: Sequence[str] | None = None, *, view: View = "contracted") -> altair.LayerChart:
        """The course of ratings with a band of one SD, for these players or the five best."""
        chosen = self.players["player"].head(5).to_list() if players is None else list(players)
        return plot_ratings(self.updates, chosen, view=view)

    def document(self) -> dict[str, Any]:
        """The rating list and every update."""
        return {
            "system": self.provenance.method,
            "parameters": self.provenance.parameters,
            "data": {"series": self.n_series, "players": len(self.players), "since": self.since},
            "score_sd": self.score_sd,
            "strength_sd": self.strength_sd,
            "level": self.level,
            "players": json_rows(self.players),
            "updates": json_rows(self.updates),
            "absent": {} if self.since is not None else {"data.since": "all series are listed"},
        }

    def explain(self, player: str) -> list[str]:
        """Each update of one player in words and numbers."""
        rows = self.updates.filter(player=player)
        if not len(rows):
            raise LudometerError(f"nobody called {player!r} has an update here")
        return [
            f"series {row['series']}: scored {row['score']:.0f} of {row['total']:.0f}, expected {row['expected']:.2f}; "
            f"{row['before']:.2f} {row['change']:+.2f} = {row['rating']:.2f} (K {row['k']:g})"
            for row in rows.iter_rows(named=True)
        ]

    def compare(self, other: SeriesRatings) -> pl.DataFrame:
        """player, rating here, rating there and the difference, largest first: the effect of a correction."""
        import polars as pl

        both = self.players.select("player", "rating").join(
            other.players.select("player", other="rating"), on="player", how="full", coalesce=True
        )
        difference = both.with_columns(difference=pl.col("other") - pl.col("rating"))
        return difference.sort(pl.col("difference").abs(), "player", descending=[True, False], nulls_last=True)


def is_level(level: float) -> bool:
    """Whether ratings read as mean scores, roughly."""
    return 0.8 < level < 1.25


def rate_series(
    series: Matches, *, system: SeriesElo | SeriesEloFromMean | None = None, since: Any = None, ratings: Any = None
) -> SeriesRatings:
    """Ratings after the last series, and each update with S, E and K; by default series Elo with K 0.02.

    With `since` (a date, or a series where there are no times) updates are listed from there on. The ratings before it
    come from the earlier series, or from `ratings`: a mapping of player to rating, or a frame with the columns player,
    rating and optionally series; earlier series are then ignored. So a corrected result, another K or another rule can
    be played from any date, and `compare` shows what it changed.

    >>> from ludometer.ratings.scores.series import make_series
    >>> series = make_series({"series": [1, 1, 1], "player": list("ABC"), "score": [1200, 800, 800]})
    >>> rated = rate_series(series, ratings={"A": 1500, "B": 750, "C": 750})
    >>> rated.updates["expected"].to_list(), rated.updates["rating"].to_list()
    ([1400.0, 700.0, 700.0], [1496.0, 752.0, 752.0])
    """
    chosen = system.fitted(series, in_sample=True) if isinstance(system, SeriesEloFromMean) else system or SeriesElo()
    if not isinstance(chosen, SeriesElo):
        raise LudometerError(f"series Elo is needed, not {chosen!r}; `rate` plays any system")
    series.refuse_teams(chosen.name)
    played = np.ones(len(series), bool) if since is None else series_since(series, since)
    if not played.any():
        raise LudometerError(f"there are no series from {since} on")
    state = chosen.start(len(series.players))
    if ratings is not None:
        state = _standing(chosen, series, ratings)
    elif not played.all():
        state = chosen.settle(state, series.take(~played))
    part = series if played.all() else series.take(played)
    after, audit, _ = chosen.play_with_audit(state, part)
    listed = series if ratings is None else part
    return SeriesRatings(
        players=_players(chosen, listed, after),
        updates=_updates(chosen, part, np.flatnonzero(played) + 1, audit, after),
        score_sd=after.sd,
        strength_sd=chosen.strength_sd(after),
        level=float(scores_of(listed).mean() / chosen.ratings(after)[listed.seats.player].mean()),
        n_series=len(part),
        since=None if since is None else str(since),
        state=after,
        provenance=Provenance(chosen.name, chosen.parameters, fingerprint_of(series)),
    )


def json_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, with times as text or whole numbers."""
    import polars as pl

    times = [name for name in ("time", "last") if frame.schema.get(name, pl.String) != pl.String]
    return [row | {name: time_text(row[name]) for name in times} for row in frame.to_dicts()]


def _standing(system: SeriesElo, series: Matches, ratings: Any) -> SeriesState:
    """The state of a published list; players who are not on it are newcomers."""
    import polars as pl

    table = pl.DataFrame(
        {"player": list(ratings), "rating": list(ratings.values())} if isinstance(ratings, Mapping) else ratings
    )
    if not {"player", "rating"} <= set(table.columns):
        raise LudometerError("a list of ratings needs the columns player and rating")
    known = {name: code for code, name in enumerate(series.players.names.to_list())}
    rows = table.filter(pl.col("player").is_in(list(known)))
    codes = np.array([known[name] for name in rows["player"].to_list()], np.int64)
    # without a number of series a rating counts as settled
    played = rows["series"].to_numpy() if "series" in rows.columns else np.full(len(rows), 1_000_000)
    stood = system.standing(rows["rating"].cast(pl.Float64).to_numpy(), played)
    state = system.start(len(known))
    state.player[codes] = stood.player
    return state


def _players(system: SeriesElo, series: Matches, state: SeriesState) -> pl.DataFrame:
    import polars as pl

    player, n = series.seats.player, len(state.player)
    played = np.bincount(player, minlength=n)
    last = np.zeros(n, np.int64)
    np.maximum.at(last, player, np.repeat(np.arange(len(series)), series.sizes))
    columns: dict[str, Any] = {
        "player": series.players.names,
        "rating": system.ratings(state),
        "sd": system.uncertainty(state),
        "provisional": system.is_provisional(state),
        "series": state.player[:, 1].astype(np.int64),
        "average": np.bincount(player, weights=scores_of(series), minlength=n) / np.maximum(played, 1),
        "last": pl.Series(series_labels(series)).gather(last) if series.time is None else series.time[last],
    }
    frame = pl.DataFrame(columns).filter(pl.Series(played > 0))
    return frame.sort("rating", "player", descending=[True, False])


def _updates(system: SeriesElo, series: Matches, number: Counts, audit: Floats, state: SeriesState) -> pl.DataFrame:
    import polars as pl

    from ludometer.kernels.systems.scores import AFTER, BEFORE, EXPECTED, NOISE_AFTER, START_AFTER, STEP

    seats, score = series.seats, scores_of(series)
    match = np.repeat(np.arange(len(series)), seats.sizes)
    columns: dict[str, Any] = {"series": pl.Series(series_labels(series)).gather(match), "number": number[match]}
    if series.time is not None:
        columns["time"] = series.time[match]
    columns |= {
        "player": series.players.names.gather(seats.player),
        "score": score,
        "total": np.add.reduceat(score, seats.starts[:-1])[match],
        "level": np.add.reduceat(audit[:, BEFORE], seats.starts[:-1])[match],
        "before": audit[:, BEFORE],
        "expected": audit[:, EXPECTED],
        "k": audit[:, STEP],
        "change": audit[:, AFTER] - audit[:, BEFORE],
        "rating": audit[:, AFTER],
        "sd": system.deviation(state, audit[:, NOISE_AFTER], audit[:, START_AFTER]),
    }
    return pl.DataFrame(columns)


_COLOURS = ("#24405f", "#b4530a", "#4f7f3a", "#8b3f78", "#767676", "#2e8b95", "#a58a1f", "#6b4fa0")
_DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3))
"""For print, and for readers who cannot tell the colours apart."""

_LABEL_HEIGHT = 14
"""Pixels between the names at the ends of the lines."""


def plot_ratings(
    updates: pl.DataFrame,
    players: Sequence[str],
    *,
    view: View = "contracted",
    band: bool = True,
    title: str | None = None,
    x_title: str | None = None,
    y_title: str = "Rating (points per series)",
    date_format: str | None = None,
    longest: int = 22,
    width: int = 560,
    height: int = 280,
) -> altair.LayerChart:
    """The ratings of these players from the updates of `rate_series`, with a band of one SD on either side.

    "contracted": one step per series of the player; "expanded": all players on one axis of dates, or of series numbers
    where there are no dates (Edelkamp, figures 2 and 3). Each line ends in its player's name (cut to `longest` letters)
    and last rating.
    """
    import altair as alt

    rows = _rows(updates, players, view)
    order = list(players)
    low, high = _range(rows, band=band)
    ends = _ends(rows, order, gap=(high - low) * _LABEL_HEIGHT / height, longest=longest)
    shade = alt.Color("player:N", scale=alt.Scale(domain=order, range=_cycle(_COLOURS, len(order))), legend=None)
    dash = alt.StrokeDash(
        "player:N", scale=alt.Scale(domain=order, range=[list(own) for own in _cycle(_DASHES, len(order))]), legend=None
    )
    x = _axis(updates, view, x_title, date_format)
    y = alt.Y("rating:Q", title=y_title, scale=alt.Scale(domain=[low, high], zero=False, nice=False))
    whole = alt.Chart(alt.InlineData(values=rows), width=width, height=height, title=title or _title(view))
    lines = whole.mark_line(interpolate="step-after" if view == "expanded" else "linear").encode(
        x=x, y=y, color=shade, strokeDash=dash
    )
    shown = "low" if band else "rating"
    shadow = whole.mark_area(opacity=0.12 if band else 0.0).encode(
        x=x, y=f"{shown}:Q", y2="high:Q" if band else "rating:Q", color=shade
    )
    leads = [{"player": end["player"], "x": at, "rating": level} for end in ends for at, level in end["lead"]]
    leaders = alt.Chart(alt.InlineData(values=leads)).mark_line(strokeWidth=0.7, opacity=0.6).encode(
        x=x, y=y, color=shade
    )  # fmt: skip
    words = (
        alt.Chart(alt.InlineData(values=[{name: end[name] for name in ("player", "label", "at")} for end in ends]))
        .mark_text(align="left", baseline="middle", dx=5, fontSize=12)
        .encode(x=alt.value(width), y=alt.Y("at:Q"), text="label:N", color=shade)
    )
    chart: alt.LayerChart = shadow + leaders + lines + words
    return chart


def spread_apart(values: Sequence[float], gap: float) -> list[float]:
    """The places nearest to these values, in the same order, at least a gap apart.

    >>> spread_apart([10.0, 11.0, 30.0], 4.0)
    [8.5, 12.5, 30.0]
    """
    order = sorted(range(len(values)), key=lambda place: values[place])
    blocks: list[list[float]] = []
    for rank, place in enumerate(order):
        # positions without the gaps; those out of order are pooled
        blocks.append([values[place] - rank * gap, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, n = blocks.pop()
            before, m = blocks.pop()
            blocks.append([(before * m + mean * n) / (m + n), m + n])
    found = [0.0] * len(values)
    rank = 0
    for mean, n in blocks:
        for _ in range(int(n)):
            found[order[rank]] = mean + rank * gap
            rank += 1
    return found


def _ends(rows: list[dict[str, Any]], order: list[str], *, gap: float, longest: int) -> list[dict[str, Any]]:
    """For each player where the name stands, and the line that leads there."""
    last = {row["player"]: row for row in rows}
    edge = max(row["x"] for row in rows)
    at = spread_apart([last[player]["rating"] for player in order], gap)
    return [
        {
            "player": player,
            "label": f"{_cut(player, longest)} {last[player]['rating']:.0f}",
            "at": place,
            "lead": [(last[player]["x"], last[player]["rating"]), (edge, place)],
        }
        for player, place in zip(order, at, strict=True)
    ]


def _range(rows: list[dict[str, Any]], *, band: bool) -> tuple[float, float]:
    names = ("rating", "low", "high") if band else ("rating",)
    values = [row[name] for row in rows for name in names if row.get(name) is not None]
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 1.0
    return low - margin, high + margin


def _cycle(items: Sequence[Any], n: int) -> list[Any]:
    return [items[place % len(items)] for place in range(n)]


def _cut(name: str, longest: int) -> str:
    """A long name without its middle: names from one club often begin alike."""
    return name if len(name) <= longest else f"{name[: longest - 4]}…{name[-3:]}"


def _rows(updates: pl.DataFrame, players: Sequence[str], view: View) -> list[dict[str, Any]]:
    """One row per point, each player from the rating before their first series here."""
    import polars as pl

    if view not in ("contracted", "expanded"):
        raise LudometerError(f"the view must be contracted or expanded, not {view!r}")
    missing = sorted(set(players) - set(updates["player"].to_list()))
    if missing:
        raise LudometerError(f"no updates of {', '.join(map(repr, missing))}")
    chosen = updates.filter(pl.col("player").is_in(list(players)))
    moment = "step" if view == "contracted" else ("time" if "time" in updates.columns else "number")
    chosen = chosen.with_columns(step=pl.int_range(1, pl.len() + 1).over("player"))
    if moment == "time" and chosen["time"].dtype.is_temporal():
        chosen = chosen.with_columns(pl.col("time").cast(pl.Datetime("ms")).dt.to_string("iso:strict"))
    points = chosen.select(
        "player",
        "series",
        "rating",
        "score",
        "expected",
        x=pl.col(moment),
        low=pl.col("rating") - pl.col("sd"),
        high=pl.col("rating") + pl.col("sd"),
    )
    if view == "expanded":
        return points.to_dicts()
    begin = chosen.group_by("player", maintain_order=True).first()
    first = [{"player": row["player"], "x": 0, "rating": row["before"]} for row in begin.iter_rows(named=True)]
    return first + points.to_dicts()


def _axis(updates: pl.DataFrame, view: View, title: str | None, date_format: str | None) -> Any:
    import altair as alt

    scale = alt.Scale(nice=False, zero=False)
    if view == "contracted":
        axis = alt.Axis(tickMinStep=1)
        return alt.X("x:Q", title=title or "Series of the player", scale=scale, axis=axis)
    if "time" in updates.columns and updates["time"].dtype.is_temporal():
        axis = alt.Axis(format=date_format, tickCount=5) if date_format else alt.Axis()
        return alt.X("x:T", title=title or "Date", scale=alt.Scale(nice=False), axis=axis)
    usual = "Time" if "time" in updates.columns else "Series of the whole record"
    return alt.X("x:Q", title=title or usual, scale=scale)


def _title(view: View) -> str:
    return "Ratings, series by series" if view == "contracted" else "Ratings over time"
