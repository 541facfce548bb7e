"""Several events: one player in two of them, and all events on one scale through the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.chess.record.evaluations import Evaluations
from ludometer.chess.strength.absent import bounded, explain
from ludometer.chess.strength.gains import Filters, measure_gains
from ludometer.chess.strength.strengths import engine_strength
from ludometer.errors import LudometerError
from ludometer.moves.gains import ENGINE, Gains, Reference, Tally, count_moves, finite_frame, gather_samples
from ludometer.moves.pairs import AgainstReference, PairTable, compare_with_reference, tabulate_pairs
from ludometer.moves.uncertainty import USUAL, Intervals, interval_words, whole
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class EventComparison(Shown):
    """Players in one event (rows) against players in another (columns), with all their games there (Table 2)."""

    events: tuple[str, str]
    players: tuple[str, ...]
    """Who is compared, in both events."""
    pairs: PairTable
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """One row per pair: player_1 in the first event, player_2 in the second, first minus second."""
        return self.pairs.to_frame().drop("meetings")

    def same(self) -> pl.DataFrame:
        """Only the rows of a player compared with themselves: in which event did they play better?"""
        frame = self.to_frame()
        return frame.filter(frame["player_1"] == frame["player_2"])

    def summary(self) -> str:
        """Each player compared with themselves, at most 18 of them."""
        lines = [f"the same player in both events: {self.events[0]} minus {self.events[1]}"]
        for row in self.same().to_dicts()[:18]:
            shown, span = whole(row["difference"], sign=True), interval_words(row["low"], row["high"], sign=True)
            lines.append(f"{row['player_1']:<34} {row['expected_score']:.3f} {shown:>5} {span}")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The matrix of differences, as colours."""
        import altair as alt

        scale = alt.Scale(scheme="blueorange", domainMid=0)
        matrix = (
            alt.Chart(alt.InlineData(values=self.to_frame().to_dicts()), width=200 if narrow else 360)
            .mark_rect()
            .encode(
                x=alt.X("player_2:N", sort=list(self.players), title=self.events[1]),
                y=alt.Y("player_1:N", sort=list(self.players), title=self.events[0]),
                color=alt.Color("difference:Q", title="Difference", scale=scale),
            )
        )
        return {"comparison": matrix}

    def document(self) -> dict[str, Any]:
        """Players of two events: player_1 at the first, player_2 at the second."""
        return explain({"events": list(self.events), "pairs": [bounded(row) for row in self.to_frame().to_dicts()]})


@dataclass(frozen=True, eq=False)
class EventMeans:
    """Of each event: its name, its games, and the mean strength of its players with the interval."""

    names: tuple[str, ...]
    games: Counts
    strength: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class EventScale(Shown):
    """Players from several events on one scale: the engine's strength plus their difference from it (Table 5)."""

    means: EventMeans
    event: Codes
    """Of each player in an event: which event."""
    tally: Tally
    rating: Floats
    strength: Floats
    low: Floats
    high: Floats
    against_engine: AgainstReference
    engine: float
    provenance: Provenance

    @property
    def events(self) -> tuple[str, ...]:
        """Names of the events."""
        return self.means.names

    def to_frame(self) -> pl.DataFrame:
        """One row per player in an event, strongest first within each event."""
        columns = {
            "event": [self.events[code] for code in self.event],
            "player": self.tally.names,
            "moves": self.tally.moves,
            "games": self.tally.games,
            "rating": self.rating,
            "expected_score": self.against_engine.score,
            "difference": self.against_engine.difference,
            "strength": self.strength,
            "low": self.low,
            "high": self.high,
            "order": self.event,
        }
        frame = finite_frame(columns)
        return frame.sort("order", "strength", descending=[False, True], nulls_last=True).drop("order")

    def events_frame(self) -> pl.DataFrame:
        """One row per event: mean strength with its interval, mean rating, and the difference of both."""
        rated = [self.rating[(self.event == k) & np.isfinite(self.rating)] for k in range(len(self.events))]
        rating = np.array([values.mean() if len(values) else np.nan for values in rated])
        columns = {
            "event": self.events,
            "players": np.bincount(self.event, minlength=len(self.events)),
            "games": self.means.games,
            "strength": self.means.strength,
            "low": self.means.low,
            "high": self.means.high,
            "rating": rating,
            "strength_minus_rating": self.means.strength - rating,
        }
        return finite_frame(columns)

    def summary(self) -> str:
        """The events, at most 18 of them."""
        lines = [f"with an engine of {self.engine:.0f}"]
        for row in self.events_frame().to_dicts()[:18]:
            span = interval_words(row["low"], row["high"])
            rated = "" if row["rating"] is None else f"  ratings {row['rating']:.0f}"
            lines.append(f"{row['event']:<30} {row['players']:3} players {whole(row['strength']):>5} {span}{rated}")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The mean strength of each event with its interval; hollow points are mean ratings."""
        from ludometer.chess.strength.charts import ranked_chart

        shown = [
            {
                "name": row["event"] or NAMELESS,
                "value": row["strength"],
                "low": row["low"],
                "high": row["high"],
                "other": row["rating"],
            }
            for row in self.events_frame().to_dicts()
        ]
        return {"events": ranked_chart(shown, "Mean strength (Elo points)", other="mean rating", narrow=narrow)}

    def document(self) -> dict[str, Any]:
        """The events and their players."""
        document = {
            "engine": self.engine,
            "anchor": self.provenance.parameters["anchor"],
            "events": [bounded(row) for row in self.events_frame().to_dicts()],
            "players": [bounded(row) for row in self.to_frame().to_dicts()],
        }
        return explain(document)


NAMELESS = "without a name"
"""What an event without a name is called."""


def compare_events(
    evaluations: Evaluations,
    first: str,
    second: str,
    *,
    players: Sequence[str] | None = None,
    filters: Filters | None = None,
    intervals: Intervals = USUAL,
) -> EventComparison:
    """Players in one event against players in another; by default those who played in both."""
    gains = measure_gains(evaluations, filters=filters)
    codes = evaluations.event_code(first), evaluations.event_code(second)
    if codes[0] == codes[1]:
        raise LudometerError("name two different events to compare")
    sample, seats, games, _ = split_by_event(gains)
    place = {(int(player), int(event)): k for k, (player, event) in enumerate(seats)}
    chosen = _choose_players(gains, place, codes, players)
    names = tuple(gains.players.names[int(player)] for player, _ in seats)
    rows, columns = ([place[code, event] for code in chosen] for event in codes)
    one = np.repeat(np.array(rows, np.int32), len(columns))
    other = np.tile(np.array(columns, np.int32), len(rows))
    pairs = tabulate_pairs(
        gather_samples(gains, sample, len(seats)),
        (one, other),
        intervals.draw_weights(gains.n_games),
        names,
        (one, other),
        np.zeros(len(one), np.int64),
        np.minimum(games[one], games[other]),
        intervals,
    )
    parameters = {"events": [first, second]} | intervals.parameters | gains.provenance.parameters
    provenance = Provenance("comparison of events", parameters, evaluations.fingerprint, intervals.seed)
    return EventComparison((first, second), tuple(names[k] for k in rows), pairs, provenance)


def scale_events(
    evaluations: Evaluations,
    *,
    engine: float | None = None,
    anchor: str | None = None,
    ratings: Mapping[str, float] | None = None,
    filters: Filters | None = None,
    reference: Reference = ENGINE,
    intervals: Intervals = USUAL,
) -> EventScale:
    """All events on one scale: `engine + d` for each player in each event.

    The engine's strength is given, or found by Algorithm 3 from the ratings of the event `anchor`, or of all events.
    """
    gains = measure_gains(evaluations, filters=filters)
    sample, seats, games, moves = split_by_event(gains)
    weight = intervals.draw_weights(gains.n_games)
    against = compare_with_reference(gains, sample, reference, weight, games=games, intervals=intervals)
    rating = _ratings_by_event(evaluations, seats, ratings)
    used = seats[:, 1] == evaluations.event_code(anchor) if anchor is not None else np.ones(len(seats), bool)
    if engine is None:
        engine = engine_strength(rating[used], against.difference[used]).by_rating
    if engine is None:
        raise LudometerError("no player has a known rating: give the strength of the engine, or ratings")
    n_games = [len(np.unique(gains.game[gains.event == k])) for k in range(len(gains.events))]
    means = np.array([_mean(against, seats[:, 1] == k, n, intervals) for k, n in enumerate(n_games)])
    parameters = {"engine": engine, "anchor": anchor, "reference": reference.name}
    parameters |= intervals.parameters | gains.provenance.parameters
    return EventScale(
        EventMeans(gains.events, np.array(n_games, np.int64), *(means + engine).T),
        seats[:, 1].astype(np.int32),
        Tally(tuple(gains.players.names[int(code)] for code in seats[:, 0]), moves, games),
        rating,
        np.where(np.isfinite(against.difference), engine + against.difference, np.nan),
        engine + against.low,
        engine + against.high,
        against,
        engine,
        Provenance("events on one scale", parameters, evaluations.fingerprint, intervals.seed),
    )


def split_by_event(gains: Gains) -> tuple[Codes, Counts, Counts, Counts]:
    """Each player in each event as a sample: its number for each gain, (player, event) rows, games and moves."""
    seats, number = np.unique(np.column_stack((gains.player, gains.event)), axis=0, return_inverse=True)
    sample = np.asarray(number, np.int32).reshape(-1)
    moves, games = count_moves(sample, gains.game, len(seats))
    return sample, np.asarray(seats, np.int64), games, moves


def _choose_players(
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


def _ratings_by_event(evaluations: Evaluations, seats: Counts, ratings: Mapping[str, float] | None) -> Floats:
    found = np.full(len(seats), np.nan)
    for event in np.unique(seats[:, 1]):
        rows = seats[:, 1] == event
        found[rows] = evaluations.take(evaluations.event == event).known_ratings(ratings)[seats[rows, 0]]
    return found


def _mean(against: AgainstReference, rows: Mask, n_games: int, intervals: Intervals) -> tuple[float, float, float]:
    """The mean difference of an event's players with its interval."""
    used = rows & np.isfinite(against.difference)
    if not used.any():
        return (np.nan,) * 3
    mean, lanes = against.difference[used].mean(), against.lanes[used].mean(axis=0)
    low, high = intervals.around(mean, lanes, np.asarray(n_games))
    return float(mean), float(low), float(high)
