"""Tracked learning: how the ratings of players change, by rating class and by games played.

A rating that is high by luck falls afterwards, and one that is low rises: a class chosen by the same games as the
change would show strong players forgetting and weak ones learning where nobody does either. So three windows of a
player's games are taken that share no game: the first gives the class, the change is from the second to the third. One
bias remains: players who stop after bad results are not tracked further, so the others seem to learn a little less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.chart_style import INK
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.result import Provenance, Shown
from ludometer.scale import from_elo, to_elo
from ludometer.selection import earlier_matches

if TYPE_CHECKING:
    import polars as pl

YEAR = 365.25
"""Days."""


@dataclass(frozen=True, eq=False)
class Windows:
    """One row per window of a player, sorted by player and time; ratings in Elo points around 0."""

    player: Codes
    number: Counts
    """0 for a player's first games."""
    rating: Floats
    place: Floats
    """Where in the record the window lies, from 0 to 1, by matches."""
    time: Floats | None
    """The mean time of its games: in years, or in the record's own numbers."""


def rate_windows(matches: Matches, *, games: int, k: float) -> tuple[Windows, Floats]:
    """The performance of each player in each full window of so many games, and all players' last Elo ratings.

    Opponents count with their Elo ratings before each game. Everybody starts with the rating that a first pass, from
    the end of the record to its beginning, gave them: from equal starts ratings would spread for a long time, and the
    strong would seem to learn and the weak to forget. A player's own rating is not used, so that windows share no game.
    """
    if games < 5:
        raise LudometerError(f"a window needs five games or more, not {games}")
    pairs = matches.pairs
    before, last = _ratings_before(matches, k)
    player = np.column_stack((pairs.first, pairs.second)).ravel()
    opponent = before[:, ::-1].ravel()
    score = np.column_stack((pairs.score, 1 - pairs.score)).ravel()
    number = earlier_matches(player) // games
    order = np.lexsort((np.arange(len(player)), number, player))
    player, number = player[order], number[order]
    fresh = np.ones(len(player), bool)
    fresh[1:] = (np.diff(player) != 0) | (np.diff(number) != 0)
    starts = np.flatnonzero(fresh)
    full = np.diff(np.append(starts, len(player))) == games
    if not full.any():
        raise LudometerError(f"no player has {games} games: take shorter windows (--window N)")
    rows = (starts[full][:, np.newaxis] + np.arange(games)).ravel()
    chosen = order[rows]
    rating = rate_performance(opponent[chosen].reshape(-1, games), score[chosen].reshape(-1, games))
    match = (chosen // 2).reshape(-1, games)
    time = None if matches.time is None else _years(matches)[match].mean(axis=1)
    place = match.mean(axis=1) / max(len(matches) - 1, 1)
    return Windows(player[starts[full]], number[starts[full]], to_elo(rating), place, time), to_elo(last)


def rate_performance(opponent: Floats, score: Floats) -> Floats:
    """The rating, per row, at which a player is expected to score what they did against these opponents.

    In natural units, by maximum likelihood with Firth's correction (1993): sum (S - E) + sum pq (1 - 2p) / (2 sum pq)
    is 0. It removes the bias of short windows and is finite for players who won every game.

    >>> rate_performance(np.zeros((2, 4)), np.array([[1.0, 1, 0, 0], [1, 1, 1, 1]])).round(2).tolist()
    [0.0, 2.2]
    """
    from scipy.special import expit

    mean = score.mean(axis=1)
    games = score.shape[1]
    share = (mean * games + 0.5) / (games + 1)
    rating = opponent.mean(axis=1) + np.log(share / (1 - share))
    for _ in range(50):
        expected = expit(rating[:, np.newaxis] - opponent)
        each = expected * (1 - expected)
        weight = np.maximum(each.sum(axis=1), 1e-12)
        slope = (score - expected).sum(axis=1) + (each * (0.5 - expected)).sum(axis=1) / weight
        step = np.clip(slope / weight, -1.0, 1.0)
        rating = rating + step
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return np.asarray(rating)


def _ratings_before(matches: Matches, k: float) -> tuple[Floats, Floats]:
    """Both players' ratings before each match, in natural units, and all ratings after the last."""
    from ludometer.kernels.systems.elo import elo_pass

    pairs, step = matches.pairs, from_elo(k)
    rating, before = np.zeros((len(matches.players), 1)), np.empty((len(matches), 2))
    first, second = np.ascontiguousarray(pairs.first[::-1]), np.ascontiguousarray(pairs.second[::-1])
    halves = np.ascontiguousarray(pairs.halves[::-1])
    elo_pass(first, second, halves, rating, step, np.empty(0), np.empty((0, 2)))
    elo_pass(pairs.first, pairs.second, pairs.halves, rating, step, np.empty(0), before)
    return before, rating[:, 0]


def _years(matches: Matches) -> Floats:
    time = matches.time
    assert time is not None
    if time.dtype.kind == "M":
        return np.asarray(time.astype("datetime64[us]").astype(np.int64) / (YEAR * 86_400e6))
    return time.astype(np.float64)


Anchor = Literal["opponents", "entrants"]

WARM_UP = 0.1
"""Players in this first part of a record may have played long before; those who appear later count as entrants."""

_KNOTS = 4
_FEWEST_PLAYERS = 2


@dataclass(frozen=True, eq=False)
class Rates:
    """Mean changes of rating by class, with errors clustered by player; NaN with fewer than two players."""

    low: Floats
    """Where each class begins: a rating, or a number of games."""
    width: float
    players: Counts
    changes: Counts
    rating: Floats
    """The mean of the ratings between which changes were measured."""
    per_game: Floats | None
    per_game_error: Floats | None
    per_time: Floats | None
    per_time_error: Floats | None

    def to_frame(self) -> pl.DataFrame:
        """One row per class."""
        import polars as pl

        columns: dict[str, Any] = {
            "from": self.low,
            "to": self.low + self.width,
            "players": self.players,
            "changes": self.changes,
            "rating": self.rating,
        }
        for name in ("per_game", "per_game_error", "per_time", "per_time_error"):
            value = getattr(self, name)
            columns[name] = pl.Series([None] * len(self.low), dtype=pl.Float64) if value is None else pl.Series(value)
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))

    def document(self) -> list[dict[str, Any]]:
        """One entry per class."""
        return [
            {name: None if isinstance(v, float) and not math.isfinite(v) else v for name, v in row.items()}
            for row in self.to_frame().iter_rows(named=True)
        ]


@dataclass(frozen=True, eq=False)
class Tracked(Shown):
    """How the ratings of tracked players change: overall, by rating class and by number of games played."""

    n_players: int
    n_changes: int
    overall: Rates
    """One class with all changes that count for `classes`."""
    classes: Rates
    experience: Rates | None
    """By games played, for players who entered during the record; None for lists of ratings."""
    time_unit: Literal["year", "unit"] | None
    """The unit of `per_time`: a year, or one of the record's own numbers."""
    anchor: Anchor | None
    """`opponents`: learning relative to the opponents; `entrants`: newcomers of all times count as equal."""
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """The classes by rating, then by games played; the column `by` says which."""
        import polars as pl

        parts = [("rating", self.classes)] + ([] if self.experience is None else [("games", self.experience)])
        return pl.concat([rates.to_frame().select(pl.lit(by).alias("by"), pl.all()) for by, rates in parts])

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        absent = {}
        if self.time_unit is None:
            absent["time_unit"] = "the record has no times"
        if self.experience is None:
            absent["experience"] = "nobody entered in the course of the record"
        if self.anchor is None:
            absent["anchor"] = "a list of ratings"
        overall, classes = self.overall.document(), self.classes.document()
        experience = None if self.experience is None else self.experience.document()
        if any(value is None for row in (*overall, *classes, *(experience or ())) for value in row.values()):
            absent["rates"] = "fewer than two players in a class, or no times"
        return {
            "players": self.n_players,
            "changes": self.n_changes,
            "anchor": self.anchor,
            "time_unit": self.time_unit,
            "overall": overall[0],
            "classes": classes,
            "experience": experience,
            "absent": absent,
        }

    def summary(self) -> str:
        """Learning overall and by class."""
        lines = [f"{self.n_changes:,} changes of rating of {self.n_players:,} players, classes from other games"]
        names = {"opponents": "relative to the opponents", "entrants": "newcomers of all times count as equal"}
        if self.anchor is not None:
            lines.append(names[self.anchor])
        lines.append("all: " + _describe(self.overall, 0, self.time_unit))
        for k in range(min(len(self.classes.low), 16)):
            label = f"{self.classes.low[k]:.0f} to {self.classes.low[k] + self.classes.width:.0f}"
            lines.append(
                f"{label}, {int(self.classes.players[k]):,} players: {_describe(self.classes, k, self.time_unit)}"
            )
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The learning rate over the rating."""
        import altair as alt

        name = "per_game" if self.classes.per_game is not None else "per_time"
        rows = [
            {"rating": row["rating"], "rate": row[name], "low": row[name] - 1.96 * e, "high": row[name] + 1.96 * e}
            for row in self.classes.to_frame().to_dicts()
            if (e := row[f"{name}_error"]) is not None
        ]
        chart = alt.Chart(alt.InlineData(values=rows), width=270 if narrow else 480, height=260)
        x = alt.X("rating:Q", title="Rating (Elo points)", scale=alt.Scale(zero=False))
        title = f"Learning (Elo points per {'game' if name == 'per_game' else self.time_unit})"
        errors = chart.mark_rule(color=INK).encode(x=x, y=alt.Y("low:Q", title=title), y2="high:Q")
        points = chart.mark_point(filled=True, color=INK).encode(x=x, y=alt.Y("rate:Q", title=title))
        return {"learning": errors + points}


def follow_players(
    matches: Matches,
    *,
    games: int = 25,
    width: float = 100.0,
    k: float | None = None,
    start_rating: float = 1500.0,
    anchor: Anchor = "opponents",
) -> Tracked:
    """Measure learning in a record of two-player matches, from performances in windows of so many games per player.

    Results are relative, so learning is relative to the opponents, some of whom learn too. With `anchor="entrants"`
    newcomers of all times count as equal, and the change of their level during the record is subtracted from everybody.
    `k` is that of the opponents' Elo ratings, best fit unless given.
    """
    if anchor not in ("opponents", "entrants"):
        raise LudometerError(f"the anchor is opponents or entrants, not {anchor!r}")
    step = best_step(matches) if k is None else k
    windows, _ = rate_windows(matches, games=games, k=step)
    return follow_windows(
        windows,
        games=games,
        width=width,
        start_rating=start_rating,
        anchor=anchor,
        first_place=first_places(matches),
        time_unit=None if matches.time is None else ("year" if matches.time.dtype.kind == "M" else "unit"),
        provenance=Provenance(
            "followed players",
            {"games": games, "width": width, "k": step, "start_rating": start_rating, "anchor": anchor},
            matches.fingerprint,
        ),
    )


def follow_windows(
    windows: Windows,
    *,
    games: int,
    width: float,
    start_rating: float,
    anchor: Anchor,
    first_place: Floats,
    time_unit: Literal["year", "unit"] | None,
    provenance: Provenance,
) -> Tracked:
    """Like `follow_players`, from rated windows; `first_place` is where in the record each player appears."""
    new = first_place[windows.player] > WARM_UP
    drift = _Drift(windows, new) if anchor == "entrants" else None
    rating = start_rating + windows.rating - (0.0 if drift is None else drift.at(windows.place))
    # rows with three successive windows of one player
    third = np.flatnonzero((windows.player[2:] == windows.player[:-2]) & (np.diff(windows.number, 2) == 0)) + 2
    second = np.flatnonzero((windows.player[1:] == windows.player[:-1]) & new[1:]) + 1
    if not len(third):
        raise LudometerError(f"no player has {3 * games} games: take shorter windows (--window N)")

    def steps(late: Counts) -> _Steps:
        early = late - 1
        time = None if windows.time is None else windows.time[late] - windows.time[early]
        basis = None if drift is None else drift.basis(windows.place[late]) - drift.basis(windows.place[early])
        return _Steps(
            windows.player[late],
            (rating[late] + rating[early]) / 2,
            rating[late] - rating[early],
            np.full(len(late), float(games)),
            time,
            basis,
            None if drift is None else drift.covariance,
        )

    followed = steps(third)
    experience = None
    if len(second):
        # from the middle of one window to the middle of the next
        played = np.asarray((windows.number[second] - 0.5) * games, np.float64)
        experience = steps(second).rates(played, float(games), games / 2)
    return Tracked(
        len(np.unique(followed.player)),
        len(third),
        followed.rates(np.zeros(len(third)), 1.0),
        followed.rates(rating[third - 2], width),
        experience,
        time_unit,
        anchor,
        provenance,
    )


def follow_ratings(
    player: Sequence[Any] | Array,
    time: Sequence[Any] | Array,
    rating: Sequence[float] | Array,
    *,
    games: Sequence[float] | Array | None = None,
    width: float = 100.0,
) -> Tracked:
    """Measure learning in rating lists of several dates: one row per player and date.

    One list gives the class, the two lists after it the change. Lists that follow each other faster than a rating
    forgets its games still share some luck. `games` is the number that each player had played.

    >>> tracked = follow_ratings(["a"] * 4 + ["b"] * 4, [1, 2, 3, 4] * 2, [1500, 1510, 1520, 1530] * 2)
    >>> tracked.overall.per_time.tolist()
    [10.0]
    """
    from ludometer.learning.bins import check_ratings

    value, moment = check_ratings(rating), np.asarray(time)
    code = np.unique(np.asarray(player), return_inverse=True)[1]
    if not len(code) == len(moment) == len(value):
        raise LudometerError("a player, a time and a rating are needed in each row")
    is_date = moment.dtype.kind in "MUO"
    try:
        when = moment.astype("datetime64[us]").astype(np.int64) / (YEAR * 86_400e6) if is_date else moment.astype(float)
    except ValueError as error:
        raise LudometerError("times must be dates such as 2015-01-31, or numbers") from error
    order = np.lexsort((when, code))
    codes: Codes = code[order].astype(np.int32)
    when, value = when[order], value[order]
    if ((np.diff(codes) == 0) & (np.diff(when) == 0)).any():
        raise LudometerError("a player appears twice in the list of one date")
    played = None if games is None else np.asarray(games, np.float64)[order]
    late = np.flatnonzero(codes[2:] == codes[:-2]) + 2
    if not len(late):
        raise LudometerError("no player is in three lists")
    followed = _Steps(
        codes[late],
        (value[late] + value[late - 1]) / 2,
        value[late] - value[late - 1],
        None if played is None else played[late] - played[late - 1],
        when[late] - when[late - 1],
        None,
        None,
    )
    return Tracked(
        len(np.unique(followed.player)),
        len(late),
        followed.rates(np.zeros(len(late)), 1.0),
        followed.rates(value[late - 2], width),
        None,
        "year" if is_date else "unit",
        None,
        Provenance("followed ratings", {"width": width}),
    )


def best_step(matches: Matches) -> float:
    """The k of best-fit Elo, and 24 where a record has none."""
    from ludometer.errors import NoFiniteFit
    from ludometer.ratings.systems.best_fit import fit_best_elo

    try:
        # in a game without skill the best k is 0, and opponents would have no ratings
        return fit_best_elo(matches).k or 1.0
    except NoFiniteFit:
        return 24.0


def first_places(matches: Matches) -> Floats:
    """Where in the record, from 0 to 1, each player appears first."""
    pairs = matches.pairs
    first = np.full(len(matches.players), len(matches))
    number = np.arange(len(matches))[::-1]
    # backwards, so that the first stays
    for codes in (pairs.first, pairs.second):
        earliest = np.full(len(matches.players), len(matches))
        earliest[codes[::-1]] = number
        first = np.minimum(first, earliest)
    return np.asarray(first / max(len(matches) - 1, 1))


@dataclass(frozen=True, eq=False)
class _Steps:
    """Changes of rating, one per row."""

    player: Codes
    rating: Floats
    change: Floats
    games: Floats | None
    time: Floats | None
    basis: Floats | None
    """What each coefficient of the drift subtracts from the change, and the covariance of these coefficients."""
    covariance: Floats | None

    def rates(self, value: Floats, width: float, start: float = 0.0) -> Rates:
        """Rates in classes of this width, counted from the start, by the value of each row."""
        place = np.floor((value - start) / width).astype(np.int64)
        classes, member = np.unique(place, return_inverse=True)
        rows = [np.flatnonzero(member == k) for k in range(len(classes))]
        per_game = None if self.games is None else np.array([self._rate(chosen, self.games) for chosen in rows])
        per_time = None if self.time is None else np.array([self._rate(chosen, self.time) for chosen in rows])
        return Rates(
            np.asarray(start + classes * width, np.float64),
            width,
            np.array([len(np.unique(self.player[chosen])) for chosen in rows]),
            np.array([len(chosen) for chosen in rows]),
            np.array([self.rating[chosen].mean() for chosen in rows]),
            None if per_game is None else per_game[:, 0],
            None if per_game is None else per_game[:, 1],
            None if per_time is None else per_time[:, 0],
            None if per_time is None else per_time[:, 1],
        )

    def _rate(self, chosen: Counts, length: Floats) -> tuple[float, float]:
        """The sum of changes over the sum of lengths, and its standard error clustered by player."""
        whole = float(length[chosen].sum())
        code = np.unique(self.player[chosen], return_inverse=True)[1]
        n_players = int(code.max()) + 1
        if n_players < _FEWEST_PLAYERS or whole <= 0:
            return math.nan, math.nan
        rate = float(self.change[chosen].sum()) / whole
        residual = np.bincount(code, self.change[chosen] - rate * length[chosen])
        variance = n_players / (n_players - 1) * float((residual**2).sum()) / whole**2
        if self.basis is not None and self.covariance is not None:
            slope = self.basis[chosen].sum(axis=0) / whole
            variance += float(slope @ self.covariance @ slope)
        return rate, math.sqrt(variance)


class _Drift:
    """The level of entrants over the record: a piecewise linear fit to their first windows."""

    def __init__(self, windows: Windows, new: Array) -> None:
        chosen = new & (windows.number == 0)
        place, rating = windows.place[chosen], windows.rating[chosen]
        if len(place) < 10 * _KNOTS:
            raise LudometerError(f"{len(place)} newcomers are too few to estimate the drift of the record's level")
        self.knots = np.quantile(place, np.linspace(0, 1, _KNOTS))[1:-1]
        design = np.column_stack((np.ones(len(place)), self.basis(place)))
        self.beta, *_ = np.linalg.lstsq(design, rating, rcond=None)
        residual = rating - design @ self.beta
        bread = np.linalg.pinv(design.T @ design)
        meat = (design * (residual**2)[:, np.newaxis]).T @ design
        self.covariance: Floats = (bread @ meat @ bread)[1:, 1:]

    def basis(self, place: Floats) -> Floats:
        """The place in the record, and its distance beyond each knot."""
        return np.column_stack((place, *(np.maximum(place - knot, 0.0) for knot in self.knots)))

    def at(self, place: Floats) -> Floats:
        """The drift, 0 at the end of the record, which has the ratings that lists show."""
        end = self.basis(np.ones(1))
        return np.asarray((self.basis(place) - end) @ self.beta[1:])


def _describe(rates: Rates, k: int, unit: str | None) -> str:
    parts = []
    for value, error, name in (
        (rates.per_game, rates.per_game_error, "game"),
        (rates.per_time, rates.per_time_error, "year" if unit == "year" else "unit of time"),
    ):
        if value is not None and error is not None and math.isfinite(value[k]):
            parts.append(f"{value[k]:+.3g} ± {error[k]:.2g} Elo points per {name}")
    return ", ".join(parts) or "too few players"
