"""Ratings over all time with hindsight: every player's path with its band, who was the best ever, and how sure.

What a match tells about a player goes backward in time as well as forward. Comparisons across eras rest on the chain of
players who met: where few played on from one era into the next, the bands say so.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ludometer.arrays import Counts, Floats, Mask, Times
from ludometer.errors import LudometerError, MatchDataError
from ludometer.kernels.state_space import history as kernels
from ludometer.matches import Matches, as_moment
from ludometer.parallel import Workers
from ludometer.players import Name, Players
from ludometer.ratings.driver import check_usable
from ludometer.ratings.listed import Ratings
from ludometer.ratings.state_space.packing import days_of
from ludometer.ratings.state_space.parameters import YEAR, Parameters
from ludometer.ratings.state_space.smoother import Bands, Mode, Smoother, Timeline, add_experience
from ludometer.ratings.state_space.system import FittedStateSpace, StateSpace
from ludometer.result import Provenance, Shown
from ludometer.scale import from_elo, to_elo
from ludometer.wording import format_table, time_text

if TYPE_CHECKING:
    import polars as pl

Estimate = Literal["expected", "most likely"]

BAND = 1.96
"""SDs on either side that hold 95%."""
ENOUGH_MATCHES = 30
"""Matches of a player who can be called the best: anyone may win a few."""
WITHOUT_FORM = {"form": 0.0, "form_days": Parameters.form_days}
"""Parameters that a smoother has no use for."""
_MOST_THREADS = 4
_CHARTED, _POINTS, _LISTED = 6, 150, 10


@dataclass(frozen=True)
class Comparison:
    """Two players at one time, or each at their best."""

    first: str
    second: str
    time: str | int | float | None
    """None: each at their best."""
    difference: float
    """Of the ratings, in Elo points, with its SD."""
    sd: float
    probability: float
    """That the first was the stronger."""

    def __str__(self) -> str:
        when = "each at their best" if self.time is None else f"at {self.time}"
        return (
            f"{self.first} stronger than {self.second}, {when}: {100 * self.probability:.0f}% "
            f"({self.difference:+.0f} ± {self.sd:.0f} points)"
        )


@dataclass(frozen=True, eq=False)
class History(Shown):
    """Every player's rating at each time that they played, with its SD, given the whole record."""

    players: Players
    timeline: Timeline
    time: Times
    """Of each node of the timeline, as the record gives it; without times the number of the match."""
    rating: Floats
    """Of each node, in Elo points."""
    sd: Floats
    """Of its error above the mean of all, weighted by matches: where the scale begins is a choice."""
    peaks: Floats
    """(players, draws): the highest rating that each ever had, in draws of all paths."""
    smoother: Smoother = field(repr=False)
    mode: Mode = field(repr=False)
    bands: Bands = field(repr=False)
    start_rating: float
    is_timed: bool
    draw_rate: float
    provenance: Provenance

    @property
    def converged(self) -> bool:
        """Whether the steps to these strengths came to an end."""
        return self.mode.converged

    @cached_property
    def matches(self) -> Counts:
        """Of each player."""
        return np.diff(self.timeline.starts[self.timeline.chain])

    def to_frame(self) -> pl.DataFrame:
        """player, time, rating, sd, matches: one row per player and time."""
        import polars as pl

        return pl.DataFrame(
            {
                "player": self.players.names.gather(self.timeline.player),
                "time": pl.Series(self.time),
                "rating": self.rating,
                "sd": self.sd,
                "matches": self.timeline.played,
            }
        )

    def at(self, time: Any) -> RatingsInHindsight:
        """The ratings at a time, with hindsight, of all who had played by then; a month or a year means its end.

        Between nodes the mean is on the line (in the variance of the walk) between the two, and the band is wider by
        the walk between.
        """
        found = self._paths_at(self._day(self._moment(time)))
        rating, sd = np.full((2, len(self.players)), np.nan)
        rating[found.known] = self.start_rating + to_elo(found.strength)
        sd[found.known] = to_elo(np.sqrt(found.variance))
        played = np.zeros(len(self.players), np.int64)
        played[found.known] = (self.timeline.before + self.timeline.played)[found.node]
        last = None
        if self.is_timed:
            last = np.zeros(len(self.players), self.time.dtype)
            last[found.known] = self.time[found.node]
        return RatingsInHindsight(
            players=self.players,
            rating=rating,
            matches=played,
            last=last,
            sd=sd,
            n_matches=int(played.sum()) // 2,
            draw_rate=self.draw_rate,
            provenance=self.provenance,
            history=self,
        )

    def at_end(self) -> RatingsInHindsight:
        """The ratings at the time of the last match."""
        return self.at(self.time.max())

    def best_ever(self, *, min_matches: int = ENOUGH_MATCHES, top: int = _LISTED) -> pl.DataFrame:
        """player, rating, sd, time, matches, probability: the highest points of paths, highest first.

        The probability is that of having had the highest rating of all at some time, among players with so many
        matches. Where nobody has as many, everybody counts.
        """
        import polars as pl

        able = self._able(min_matches)
        best = np.flatnonzero(able)
        drawn = self.peaks[best]
        wins = np.bincount(drawn.argmax(axis=0), minlength=len(best)) / drawn.shape[1]
        node = self._highest[best]
        frame = pl.DataFrame(
            {
                "player": self.players.names.gather(best),
                "rating": self.rating[node],
                "sd": self.sd[node],
                "time": pl.Series(self.time[node]),
                "matches": self.matches[best],
                "probability": wins,
            }
        )
        return frame.sort("rating", "player", descending=[True, False]).head(top)

    def compare(self, first: Name, second: Name, *, time: Any = None) -> Comparison:
        """How probably the first was the stronger: at a time, or each at their best.

        At a time the errors of both are taken together, with what they have in common.
        """
        i, j = self.players.code(first), self.players.code(second)
        names = (str(self.players.names[i]), str(self.players.names[j]))
        if not (self.matches[i] and self.matches[j]):
            raise LudometerError(f"{names[0] if not self.matches[i] else names[1]} has no match")
        if i == j:
            raise LudometerError(f"{names[0]} cannot be compared with themselves")
        if time is None:
            apart = self.peaks[i] - self.peaks[j]
            return Comparison(*names, None, float(apart.mean()), float(apart.std()), float((apart > 0).mean()))
        moment = self._moment(time)
        found = self._paths_at(self._day(moment))
        place = np.full(len(self.players), -1)
        place[found.known] = np.arange(len(found.node))
        for player, name in ((i, names[0]), (j, names[1])):
            if place[player] < 0:
                raise LudometerError(f"{name} had not played by {time}")
        weights, alone = np.zeros(len(self.mode.strength)), 0.0
        for player, sign in ((i, 1.0), (j, -1.0)):
            k = place[player]
            node = self.smoother.tree.n_levels + found.node[k]
            weights[node] += sign * (1 - found.share[k])
            if found.share[k]:
                weights[node + 1] += sign * found.share[k]
            alone += found.fresh[k]
        strength = found.strength[place[i]] - found.strength[place[j]]
        variance = self.smoother.vary(weights) + alone
        probability = 0.5 * math.erfc(-strength / math.sqrt(2 * variance))
        text = time if isinstance(time, str) else time_text(moment.item() if isinstance(moment, np.generic) else moment)
        return Comparison(*names, text, to_elo(float(strength)), to_elo(math.sqrt(variance)), probability)

    def path(self, player: Name) -> pl.DataFrame:
        """time, rating, sd, matches of one player."""
        import polars as pl

        code = self.players.code(player)
        own = slice(self.timeline.chain[code], self.timeline.chain[code + 1])
        return pl.DataFrame(
            {
                "time": pl.Series(self.time[own]),
                "rating": self.rating[own],
                "sd": self.sd[own],
                "matches": self.timeline.played[own],
            }
        )

    def summary(self) -> str:
        """Who was the best ever, and how sure."""
        n = int((self.matches > 0).sum())
        best = self.best_ever()
        begin, end = (_short(time_text(moment.item())) for moment in (self.time.min(), self.time.max()))
        lines = [
            f"{int(self.matches.sum()) // 2:,} matches of {n:,} players with hindsight, from {begin} to {end}",
            list_best(best),
        ]
        if not self.converged:
            lines.append("the steps to these ratings did not come to an end: take them as rough")
        return "\n".join(lines)

    def document(self) -> dict[str, Any]:
        """The JSON document: ratings at the end, the best ever, and all paths."""
        return self.at_end().document()

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The paths of the best with their 95% bands."""
        import altair as alt
        import polars as pl

        frame = self._charted()
        dated = self.time.dtype.kind == "M"
        x = alt.X(
            "time:T" if dated else "time:Q", title=None if dated else "Time", scale=alt.Scale(zero=False, nice=False)
        )
        order = frame["player"].unique(maintain_order=True).to_list()
        colour = alt.Color(
            "player:N",
            title=None,
            sort=order,
            legend=alt.Legend(orient="bottom", columns=2 if narrow else 3, symbolOpacity=1),
        )
        base = alt.Chart(
            alt.InlineData(values=_timed_rows(frame.with_columns(pl.selectors.float().round(1)))),
            width=300 if narrow else 560,
            height=300,
        )
        scale = alt.Scale(zero=False)
        band = base.mark_area(opacity=0.15).encode(
            x=x, y=alt.Y("low:Q", title="Rating (Elo points)", scale=scale), y2="high:Q", color=colour
        )
        line = base.mark_line(strokeWidth=1.5).encode(
            x=x, y=alt.Y("rating:Q", scale=scale), color=colour, tooltip=["player:N", "rating:Q"]
        )
        title = "Highest ratings, with 95% bands"
        return {"history": (band + line).properties(title=title)}

    def _charted(self) -> pl.DataFrame:
        """Points on the paths of the best: at their matches if these are few, else evenly spread over their careers."""
        import polars as pl

        frames = []
        for name in self.best_ever(top=_CHARTED)["player"]:
            own = self.path(name)
            if len(own) > _POINTS:
                own = own[np.linspace(0, len(own) - 1, _POINTS).round().astype(np.int64).tolist()]
            low, high = pl.col("rating") - BAND * pl.col("sd"), pl.col("rating") + BAND * pl.col("sd")
            frames.append(own.select(pl.lit(name).alias("player"), "time", "rating", low=low, high=high))
        return pl.concat(frames)

    def _able(self, min_matches: int) -> Mask:
        able = self.matches >= min_matches
        return able if able.any() else self.matches > 0

    @cached_property
    def _highest(self) -> Counts:
        """The node of each player's highest rating; those without a match have the next player's first."""
        order = np.lexsort((np.arange(len(self.rating)), -self.rating, self.timeline.player))
        return order[np.minimum(self.timeline.chain[:-1], len(order) - 1)]

    def _moment(self, time: Any) -> Any:
        """A time that a user gave; a day, a month or a year counts whole, so that its end is meant."""
        if isinstance(time, np.generic):
            return time
        moment = as_moment(time, self.time)
        if self.time.dtype.kind != "M":
            return moment
        text = str(time).strip().replace(" ", "T").removesuffix("Z")
        end = (np.datetime64(text) + 1).astype("datetime64[us]") - np.timedelta64(1, "us")
        return end.astype(self.time.dtype)

    def _day(self, moment: Any) -> float:
        if self.time.dtype.kind != "M":
            return float(moment)
        return float(days_of(np.asarray(moment, "datetime64[us]").reshape(1), 1, -np.inf)[0])

    def _paths_at(self, day: float) -> _Paths:
        timeline, tree, p = self.timeline, self.smoother.tree, self.smoother.parameters
        begin, end = timeline.chain[:-1], timeline.chain[1:]
        passed = np.concatenate(([0], np.cumsum(timeline.day <= day)))
        n_passed = passed[end] - passed[begin]
        known = n_passed > 0
        node = (begin + n_passed - 1)[known]
        is_last = node + 1 == end[known]
        after = np.minimum(node + 1, len(timeline) - 1)
        pause = day - timeline.day[node]
        n_now = timeline.before[node] + np.where(pause > 0, timeline.played[node], 0)
        young = 1 + p.young_drift * np.exp(-(timeline.before + timeline.played)[node] / p.young_matches)
        walked = from_elo(p.drift) ** 2 / YEAR * young * pause
        walked += np.where(pause > 0, from_elo(p.match_drift) ** 2 * timeline.played[node], 0.0)
        whole = np.where(is_last, np.inf, tree.step[tree.n_levels :][after])
        share = np.where(whole > 0, walked / np.where(whole > 0, whole, 1.0), 0.0)
        away = (self.mode.strength - tree.mean)[tree.n_levels :]
        recent = np.zeros(len(node))
        if p.activity:
            faded = kernels.fade(timeline.chain, timeline.pause, timeline.played, 1 / p.activity_days)[node]
            recent = (faded + np.where(pause > 0, timeline.played[node], 0)) * np.exp(-pause / p.activity_days)
        lost = -from_elo(p.rust) * np.expm1(-pause / YEAR)
        mean = tree.mean[tree.n_levels :][node] - lost + add_experience(n_now, recent, p)
        strength = mean + (1 - share) * away[node] + share * away[after]
        variance, link = self.bands.variance, self.bands.link
        fresh = walked * (1 - share)
        told = (1 - share) ** 2 * variance[node] + share**2 * variance[after] + 2 * share * (1 - share) * link[after]
        return _Paths(known, node, share, strength, told + fresh, fresh)


@dataclass(frozen=True, eq=False)
class RatingsInHindsight(Ratings):
    """Players with their ratings at one time, and the history they come from."""

    history: History = field(kw_only=True, repr=False)

    def document(self, rows: pl.DataFrame | None = None) -> dict[str, Any]:
        """The JSON document of the ratings, with the best ever, and the paths of the players listed."""
        body = super().document(rows)
        best = self.history.best_ever().iter_rows(named=True)
        return body | {
            "best_ever": [row | {"time": time_text(row["time"])} for row in best],
            "history": [
                {"player": row["player"], "path": _timed_rows(self.history.path(row["player"]))}
                for row in body["players"]
            ],
        }

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The paths of the best, and how the ratings spread."""
        return self.history.charts(narrow=narrow) | super().charts(narrow=narrow)


@dataclass(frozen=True, eq=False)
class _Paths:
    """Where those who had played by a time then were: on the way from a node to the next."""

    known: Mask
    """Of all players; what follows is of these."""
    node: Counts
    share: Floats
    """Of the way to the next node; 0 after the last."""
    strength: Floats
    variance: Floats
    fresh: Floats
    """What the walk since the node adds to the variance of the two nodes' mean."""


def rate_history(
    matches: Matches,
    *,
    system: StateSpace | FittedStateSpace | None = None,
    estimate: Estimate = "expected",
    n_draws: int | None = None,
    seed: int = 0,
    workers: Workers | None = None,
) -> History:
    """Every player's rating at each time that they played, given the whole record, with its SD.

    The parameters are those of the system, fitted to the record if they are not given. Ratings are expected ones, or
    the most likely. SDs have the opponents' errors in them: exactly in small records, else by `n_draws` draws of all
    paths, which also tell who may have been the best ever. The workers make no difference to the result.

    >>> matches = Matches.of_pairs([0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 1, 1], time=[0, 100, 900, 1000])
    >>> history = rate_history(matches, system=FittedStateSpace(Parameters(spread=200, drift=100)))
    >>> history.path("0")["rating"].round(1).to_list()
    [1532.0, 1527.5, 1436.1, 1430.5]
    >>> print(history.compare("0", "1", time=50))
    0 stronger than 1, at 50: 63% (+60 ± 178 points)
    """
    if not isinstance(matches, Matches):
        raise LudometerError("a history needs the whole record: leave out --stream")
    if not len(matches):
        raise MatchDataError("there are no matches")
    check_usable(_HINDSIGHT, matches)
    matches = replace(matches, score=None, covariates={}, seat_covariates={})
    fitted = _fitted(system, matches)
    timeline = Timeline.of(matches)
    smoother = Smoother(matches, timeline, fitted.values)
    mode = smoother.find_expected() if estimate == "expected" else smoother.find_most_likely()
    threads = Workers(jobs=min(_MOST_THREADS, os.cpu_count() or 1))
    bands = smoother.find_bands(
        mode, anchor=timeline.played.astype(np.float64), n_draws=n_draws, seed=seed, workers=workers or threads
    )
    time = np.arange(1, len(matches) + 1) if matches.time is None else matches.time
    strength = (mode.strength + smoother.tree.offset)[smoother.tree.n_levels :]
    return History(
        players=matches.players,
        timeline=timeline,
        time=time[timeline.match[timeline.starts[:-1]]],
        rating=fitted.start_rating + to_elo(strength),
        sd=to_elo(np.sqrt(bands.variance)),
        peaks=fitted.start_rating + to_elo(bands.peaks),
        smoother=smoother,
        mode=mode,
        bands=bands,
        start_rating=fitted.start_rating,
        is_timed=matches.time is not None,
        draw_rate=float(matches.draw_rate or 0.0),
        provenance=Provenance("state-space", fitted.parameters | {"estimate": estimate}, matches.fingerprint, seed),
    )


@dataclass(frozen=True)
class _Hindsight(FittedStateSpace):
    """What of a record a history uses."""

    name: ClassVar[str] = "a history"
    uses: ClassVar[tuple[str, ...]] = ("advantage", "weight")


_HINDSIGHT = _Hindsight()


def _fitted(system: StateSpace | FittedStateSpace | None, matches: Matches) -> FittedStateSpace:
    """The system with parameters; form, for which a history has no part, is not among those that are fitted."""
    if isinstance(system, FittedStateSpace):
        return system
    chosen = system or StateSpace()
    return replace(chosen, given={**WITHOUT_FORM, **chosen.given}).fitted(matches, in_sample=True)


def list_best(frame: pl.DataFrame) -> str:
    """The highest points of paths as a numbered table."""
    rows = [
        [
            str(n),
            row["player"],
            f"{row['rating']:.0f}",
            f"{row['sd']:.0f}",
            _short(time_text(row["time"])),
            f"{row['matches']:,}",
            f"{100 * row['probability']:.0f}%",
        ]
        for n, row in enumerate(frame.iter_rows(named=True), 1)
    ]
    return format_table(["", "player", "highest", "± SD", "when", "matches", "best ever"], rows, left=(1,))


def _short(moment: Any) -> str:
    return str(moment).split(".")[0]


def _timed_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return [row | {"time": time_text(row["time"])} for row in frame.iter_rows(named=True)]
