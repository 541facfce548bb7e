"""Several events: one player in two of them, and all on one scale by the strength of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.moves.evaluations import Evaluations
from ludometer.moves.gains import Filters, Gains, measure_gains
from ludometer.moves.pairs import PairTable, tabulate_pairs
from ludometer.moves.samples import ENGINE, Reference, gather_samples
from ludometer.moves.strengths import AgainstEngine, engine_strength, hold_against
from ludometer.moves.uncertainty import MIN_GAMES, REPLICATES, TOO_FEW, draw_weights, find_intervals
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl


@dataclass(frozen=True, eq=False)
class EventComparison:
    """Players in one event (rows) against players in another (columns), all of each one's games there (Table 2)."""

    events: tuple[str, str]
    players: tuple[str, ...]
    """Who is compared, in both events."""
    pairs: PairTable
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """A row a pair: player_1 in the first event, player_2 in the second, first minus second."""
        return self.pairs.to_frame().drop("meetings")

    def same(self) -> pl.DataFrame:
        """Only the rows of a player against himself: in which event did he play better?"""
        frame = self.to_frame()
        return frame.filter(frame["player_1"] == frame["player_2"])

    def summary(self) -> str:
        """Each player against himself, at most 18 of them."""
        lines = [f"one player in both events: {self.events[0]} less {self.events[1]}"]
        for row in self.same().to_dicts():
            span = TOO_FEW if row["low"] is None else f"[{row['low']:+.0f}, {row['high']:+.0f}]"
            shown = "-" if row["difference"] is None else f"{row['difference']:+.0f}"
            lines.append(f"{row['player_1']:<34} {row['expected_score']:.3f} {shown:>5} {span}")
        return "\n".join(lines[:19])

    def plot(self) -> altair.Chart:
        """The matrix of differences, as colours."""
        import altair as alt

        chart: alt.Chart = (
            alt.Chart(alt.InlineData(values=self.to_frame().to_dicts()))
            .mark_rect()
            .encode(
                x=alt.X("player_2:N", sort=list(self.players), title=self.events[1]),
                y=alt.Y("player_1:N", sort=list(self.players), title=self.events[0]),
                color=alt.Color("difference:Q", title="Difference", scale=alt.Scale(scheme="blueorange", domainMid=0)),
            )
        )
        return chart


@dataclass(frozen=True, eq=False)
class EventScale:
    """Players of several events on one scale: the engine's strength plus their difference to it (Table 5)."""

    events: tuple[str, ...]
    event: Codes
    names: tuple[str, ...]
    moves: Counts
    games: Counts
    rating: Floats
    strength: Floats
    low: Floats
    high: Floats
    against_engine: AgainstEngine
    mean: Floats
    """Of each event: the mean strength of its players."""
    mean_low: Floats
    mean_high: Floats
    n_games: Counts
    """Of each event."""
    engine: float
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """A row a player in an event, strongest first within each."""
        import polars as pl

        columns = {
            "event": [self.events[code] for code in self.event],
            "player": self.names,
            "moves": self.moves,
            "games": self.games,
            "rating": self.rating,
            "expected_score": self.against_engine.score,
            "difference": self.against_engine.difference,
            "strength": self.strength,
            "low": self.low,
            "high": self.high,
            "order": self.event,
        }
        finite = pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64))
        frame = pl.DataFrame(columns).with_columns(finite)
        return frame.sort("order", "strength", descending=[False, True], nulls_last=True).drop("order")

    def events_frame(self) -> pl.DataFrame:
        """A row an event: its players' mean strength with interval, their mean rating, and the difference of both."""
        import polars as pl

        rating = np.array([self._mean_rating(code) for code in range(len(self.events))])
        columns = {
            "event": self.events,
            "players": np.bincount(self.event, minlength=len(self.events)),
            "games": self.n_games,
            "strength": self.mean,
            "low": self.mean_low,
            "high": self.mean_high,
            "rating": rating,
            "strength_minus_rating": self.mean - rating,
        }
        return pl.DataFrame(columns).with_columns(pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64)))

    def summary(self) -> str:
        """The events, at most 18 of them."""
        lines = [f"by an engine of {self.engine:.0f}"]
        for row in self.events_frame().to_dicts()[:18]:
            span = TOO_FEW if row["low"] is None else f"[{row['low']:.0f}, {row['high']:.0f}]"
            shown = "-" if row["strength"] is None else f"{row['strength']:.0f}"
            rated = "" if row["rating"] is None else f"  ratings {row['rating']:.0f}"
            lines.append(f"{row['event']:<30} {row['players']:3} players {shown:>5} {span}{rated}")
        return "\n".join(lines)

    def plot(self) -> altair.LayerChart:
        """Strengths with intervals, by event."""
        import altair as alt

        base = alt.Chart(alt.InlineData(values=self.to_frame().to_dicts()), width=480)
        y = alt.Y("player:N", title=None, sort=alt.EncodingSortField("strength", order="descending"))
        x = alt.X("strength:Q", title="Strength (Elo points)", scale=alt.Scale(zero=False))
        low = alt.X("low:Q", title="Strength (Elo points)")
        drawn: alt.LayerChart = base.mark_rule().encode(x=low, x2="high:Q", y=y, color="event:N") + base.mark_point(
            filled=True
        ).encode(x=x, y=y, color="event:N")
        return drawn

    def _mean_rating(self, event: int) -> float:
        known = (self.event == event) & np.isfinite(self.rating)
        return float(self.rating[known].mean()) if known.any() else np.nan


def compare_events(
    evaluations: Evaluations,
    first: str,
    second: str,
    *,
    players: Sequence[str] | None = None,
    filters: Filters | None = None,
    level: float = 0.95,
    replicates: int = REPLICATES,
    min_games: int = MIN_GAMES,
    seed: int = 0,
) -> EventComparison:
    """Players in one event against players in another; by default those who played in both."""
    gains = measure_gains(evaluations, filters=filters)
    codes = evaluations.event_code(first), evaluations.event_code(second)
    if codes[0] == codes[1]:
        raise LudometerError("two different events are compared")
    sample, units, games, _ = split_by_event(gains)
    place = {(int(player), int(event)): k for k, (player, event) in enumerate(units)}
    chosen = _chosen(gains, place, codes, players)
    names = tuple(gains.players.names[int(player)] for player, _ in units)
    rows, columns = ([place[code, event] for code in chosen] for event in codes)
    one = np.repeat(np.array(rows, np.int32), len(columns))
    other = np.tile(np.array(columns, np.int32), len(rows))
    pairs = tabulate_pairs(
        gather_samples(gains, sample, len(units)),
        (one, other),
        draw_weights(gains.n_games, replicates=replicates, seed=seed),
        names=names,
        pairs=(one, other),
        met=np.zeros(len(one), np.int64),
        n_games=np.minimum(games[one], games[other]),
        level=level,
        min_games=min_games,
    )
    parameters = {"events": [first, second], "level": level, "replicates": replicates, "min_games": min_games}
    provenance = Provenance(
        "comparison of events", parameters | gains.provenance.parameters, evaluations.fingerprint, seed
    )
    return EventComparison((first, second), tuple(names[k] for k in rows), pairs, provenance)


def scale_events(
    evaluations: Evaluations,
    *,
    engine: float | None = None,
    anchor: str | None = None,
    ratings: Mapping[str, float] | None = None,
    filters: Filters | None = None,
    reference: Reference = ENGINE,
    level: float = 0.95,
    replicates: int = REPLICATES,
    min_games: int = MIN_GAMES,
    seed: int = 0,
) -> EventScale:
    """All events on one scale: `engine + d` for each player in each event.

    The engine's strength is given, or found by Algorithm 3 from the ratings of the event `anchor`, or of all events.
    """
    gains = measure_gains(evaluations, filters=filters)
    sample, units, games, moves = split_by_event(gains)
    weight = draw_weights(gains.n_games, replicates=replicates, seed=seed)
    against = hold_against(gains, sample, len(units), reference, weight, games=games, level=level, min_games=min_games)
    rating = _ratings_by_event(evaluations, units, ratings)
    used = units[:, 1] == evaluations.event_code(anchor) if anchor is not None else np.ones(len(units), bool)
    if engine is None:
        engine = engine_strength(rating[used], against.difference[used]).by_rating
    if engine is None:
        raise LudometerError("no player has a known rating: give the strength of the engine, or ratings")
    strength = np.where(np.isfinite(against.difference), engine + against.difference, np.nan)
    events = range(len(gains.events))
    means = np.array([_event_mean(against, units[:, 1] == k, gains, k, level, min_games) for k in events])
    parameters = {"engine": engine, "anchor": anchor, "reference": reference.name, "replicates": replicates}
    parameters |= {"level": level, "min_games": min_games}
    return EventScale(
        gains.events,
        units[:, 1].astype(np.int32),
        tuple(gains.players.names[int(code)] for code in units[:, 0]),
        moves,
        games,
        rating,
        strength,
        engine + against.low,
        engine + against.high,
        against,
        means[:, 0] + engine,
        means[:, 1] + engine,
        means[:, 2] + engine,
        np.array([len(np.unique(gains.game[gains.event == k])) for k in events], np.int64),
        engine,
        Provenance("events on one scale", parameters | gains.provenance.parameters, evaluations.fingerprint, seed),
    )


def split_by_event(gains: Gains) -> tuple[Codes, Counts, Counts, Counts]:
    """Each player in each event as a sample: its number for each gain, (player, event) rows, games and moves."""
    units, number = np.unique(np.column_stack((gains.player, gains.event)), axis=0, return_inverse=True)
    sample = np.asarray(number, np.int32).reshape(-1)
    seats = np.unique(np.column_stack((sample, gains.game)), axis=0)[:, 0]
    n = len(units)
    games, moves = (np.asarray(np.bincount(codes, minlength=n), np.int64) for codes in (seats, sample))
    return sample, np.asarray(units, np.int64), games, moves


def _chosen(
    gains: Gains, place: Mapping[tuple[int, int], int], events: tuple[int, int], players: Sequence[str] | None
) -> list[int]:
    there = [code for code in range(len(gains.players)) if all((code, event) in place for event in events)]
    if players is not None:
        wanted = [gains.players.code(name) for name in players]
        missing = [gains.players.names[code] for code in wanted if code not in there]
        if missing:
            raise LudometerError(f"without moves in one of the events: {', '.join(missing)}")
        return wanted
    if not there:
        raise LudometerError("no player has moves in both events")
    return there


def _ratings_by_event(evaluations: Evaluations, units: Counts, ratings: Mapping[str, float] | None) -> Floats:
    found = np.full(len(units), np.nan)
    for event in np.unique(units[:, 1]):
        rows = units[:, 1] == event
        found[rows] = evaluations.take(evaluations.event == event).known_ratings(ratings)[units[rows, 0]]
    return found


def _event_mean(
    against: AgainstEngine, rows: Floats, gains: Gains, event: int, level: float, min_games: int
) -> tuple[float, float, float]:
    """The mean difference of an event's players with its interval."""
    used = rows & np.isfinite(against.difference)
    if not used.any():
        return (np.nan,) * 3
    mean, lanes = against.difference[used].mean(), against.lanes[used].mean(axis=0)
    n_games = len(np.unique(gains.game[gains.event == event]))
    low, high = find_intervals(mean, lanes, np.asarray(n_games), level=level, min_games=min_games)
    return float(mean), float(low), float(high)
