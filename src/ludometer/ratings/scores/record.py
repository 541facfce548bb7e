"""Series of scores: lists, tables or rounds that several players finish with points; the input of series ratings.

One type carries them: `Matches` of seats, place by score, with the score that is rated as the recorded prize. So the
common driver plays them (`rate`, `evaluate`), and `measure` sees matches of several players. What is left here is what
a match has no room for: the series' labels, and columns of a seat such as points, games won and lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ludometer.arrays import Array, Counts, Floats, Mask, Times
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches, Seats, as_moment, owned
from ludometer.players import Players

if TYPE_CHECKING:
    import polars as pl

OTHERS_LOSS = {3: 40.0, 4: 30.0}
"""What a lost game gives to each of the others, by the size of a Skat table."""

_NAMES = {
    "series": ("series", "list", "table", "match", "match_id", "game_id"),
    "player": ("player", "name"),
    "time": ("time", "date", "datetime", "month"),
    "score": ("score",),
    "adjusted": ("adjusted", "adjusted_score"),
}
_EXTRAS = ("points", "won", "lost", "games", "position")


@dataclass(frozen=True, eq=False)
class SeriesRecord:
    """Series in order of time, each of two players or more with a score of any sign.

    >>> record = SeriesRecord.of_columns([1, 1, 1], ["Ann", "Ben", "Cem"], [1387, 1018, 152])
    >>> len(record), record.score.tolist(), record.matches.seats.place.tolist()
    (1, [1387.0, 1018.0, 152.0], [1, 2, 3])
    """

    matches: Matches
    """Seats; the prize is the score that is rated, the place that of the score as it was won."""
    labels: tuple[str, ...]
    """What each series is called."""
    columns: Mapping[str, Floats] = field(default_factory=dict)
    """Of each seat: score (as it was won), and where known points, won, lost, games, position."""

    @classmethod
    def of_columns(
        cls,
        series: Sequence[Any] | Array,
        player: Sequence[str],
        score: Sequence[float] | Floats | None = None,
        *,
        time: Sequence[Any] | Times | None = None,
        adjusted: Sequence[float] | Floats | None = None,
        **columns: Sequence[float] | Floats,
    ) -> Self:
        """A row a player in a series, rows in any order: the columns of `of_frame` by name."""
        import polars as pl

        named: dict[str, Any] = {"series": series, "player": player, "score": score, "time": time, "adjusted": adjusted}
        return cls.of_frame(pl.DataFrame({k: v for k, v in {**named, **columns}.items() if v is not None}))

    @classmethod
    def of_frame(cls, frame: Any, *, others_loss: Mapping[int, float] | None = None) -> Self:
        """From a frame or any Arrow table with the columns series, player, and score, or points, won and lost.

        Without a score it is points + 50 (won - lost) + B times the lost games of the others at the table, with
        `others_loss` saying B for each number of players (Skat: 40 for three, 30 for four). Series are in order of the
        column time or date, else as they first appear. `adjusted` is the score to be rated in the place of the
        score, where chance was taken out; games and position (a strength of the start) are kept.
        """
        import polars as pl

        table = _canonical(pl.DataFrame(frame))
        code, label = _number(table["series"])
        who, names = _number(table["player"])
        time = None if "time" not in table.columns else _series_times(table["time"].to_numpy(), code, label)
        order = np.argsort(code, kind="stable") if time is None else _time_order(code, time)
        sizes = np.bincount(code)
        shown = code[order]
        sequence = shown[np.append(True, np.diff(shown) != 0)] if len(shown) else shown
        starts = np.concatenate(([0], np.cumsum(sizes[sequence])))
        _refuse_small(sizes, label)
        columns = {name: table[name].to_numpy()[order] for name in ("score", *_EXTRAS) if name in table.columns}
        if "score" not in columns:
            columns["score"] = score_lists(starts, columns, others_loss)
        rated = table["adjusted"].to_numpy()[order] if "adjusted" in table.columns else columns["score"]
        matches = Matches.of_seats(
            starts,
            owned(who[order].astype(np.int32)),
            _finish(columns),
            prize=rated,
            players=Players.named(names),
            time=None if time is None else time[sequence],
            ordered=True,
        )
        return cls(matches, tuple(label[number] for number in sequence), columns)

    def __len__(self) -> int:
        return len(self.matches)

    @property
    def seats(self) -> Seats:
        """Who sat where, with the rated scores as prizes."""
        return self.matches.seats

    @property
    def score(self) -> Floats:
        """The score of each seat that is rated."""
        return scores_of(self.matches)

    def with_scores(self, scores: Floats) -> Self:
        """The same series, rated by these scores; places stay as they were won."""
        if np.shape(scores) != self.score.shape or not np.isfinite(scores).all():
            raise MatchDataError("adjusted scores have to be numbers, one for each seat")
        seats = replace(self.seats, prize=owned(np.array(scores, np.float64)))
        return replace(self, matches=replace(self.matches, table=seats))

    def take(self, kept: Mask) -> Self:
        """Only these series, in order; the players stay."""
        seats = np.repeat(kept, self.seats.sizes)
        labels = tuple(label for label, keep in zip(self.labels, kept, strict=True) if keep)
        return type(self)(self.matches.take(kept), labels, {name: own[seats] for name, own in self.columns.items()})

    def since(self, moment: Any) -> Mask:
        """Which series are from a date on; without times, from a series' label or number (the first is 1) on."""
        time = self.matches.time
        if time is not None:
            return np.asarray(time >= as_moment(moment, time))
        if str(moment) in self.labels:
            first = self.labels.index(str(moment))
        else:
            try:
                first = int(moment) - 1
            except (TypeError, ValueError) as error:
                raise LudometerError(f"the series have no times, and none is called {moment!r}") from error
        return np.arange(len(self)) >= first

    def to_frame(self) -> pl.DataFrame:
        """series, time if known, player, place, score and the other columns; adjusted where it is not the score."""
        import polars as pl

        seats = self.seats
        columns: dict[str, Any] = {"series": np.repeat(np.array(self.labels, object), seats.sizes)}
        if self.matches.time is not None:
            columns["time"] = np.repeat(self.matches.time, seats.sizes)
        columns |= {"player": self.matches.players.names.gather(seats.player), "place": seats.place, **self.columns}
        if not np.array_equal(self.score, self.columns["score"]):
            columns["adjusted"] = self.score
        return pl.DataFrame(columns, schema_overrides={"series": pl.String})

    def anonymised(self, *, seed: int = 0) -> Self:
        """The same series of players called P-1, P-2 and so on, in a random order of their sorted names.

        Series whose labels name players are called 1, 2 and so on.
        """
        names = self.matches.players.names.to_list()
        hidden = anonymous_names(names, seed=seed)
        players = Players.named([hidden[name] for name in names])
        labels = tuple(number_if_named(self.labels, names))
        return replace(self, matches=replace(self.matches, players=players), labels=labels)

    def column(self, name: str) -> Floats:
        """A column of the seats; it has to be there."""
        if name not in self.columns:
            raise MatchDataError(f"the series have no column {name}; there are: {', '.join(self.columns)}")
        return self.columns[name]


def anonymous_names(names: Sequence[str], *, seed: int = 0) -> dict[str, str]:
    """A number for each name, the same for the same names and seed, whatever their order.

    >>> anonymous_names(["Ann", "Ben"]) == anonymous_names(["Ben", "Ann"])
    True
    """
    known = sorted(set(names))
    number = np.random.default_rng(seed).permutation(len(known)) + 1
    return {name: f"P-{own}" for name, own in zip(known, number.tolist(), strict=True)}


def number_if_named(labels: Sequence[str], names: Sequence[str], *, prefix: str = "") -> list[str]:
    """The labels, or, if a name stands in one of them, numbers in their order: equal labels get one number.

    >>> number_if_named(["Friday", "Monday"], ["Ann"]), number_if_named(["Ann's", "Monday"], ["Ann"])
    (['Friday', 'Monday'], ['1', '2'])
    """
    import polars as pl

    column, wanted = pl.Series(labels, dtype=pl.String), [name for name in set(names) if name]
    if not wanted or not column.str.contains_any(wanted, ascii_case_insensitive=True).any():
        return list(labels)
    number = {label: f"{prefix}{place}" for place, label in enumerate(dict.fromkeys(labels), 1)}
    return [number[label] for label in labels]


def scores_of(matches: Matches) -> Floats:
    """The score of each seat, which series carry as their prize."""
    table = matches.table
    if not isinstance(table, Seats) or table.prize is None:
        raise MatchDataError(
            "scores of series are needed: name their column (--prizes score), or use SeriesRecord, which carries them"
        )
    return table.prize


def score_lists(
    starts: Counts, columns: Mapping[str, Floats], others_loss: Mapping[int, float] | None = None
) -> Floats:
    """points + 50 (won - lost) + B times the lost games of the others: the extended Seeger score of each seat.

    >>> list_ = {"points": [492, 628, 660, -32], "won": [12, 12, 10, 6], "lost": [0, 2, 1, 5]}
    >>> score_lists(np.array([0, 4]), {name: np.array(own) for name, own in list_.items()}).tolist()
    [1332.0, 1308.0, 1320.0, 108.0]
    """
    known = OTHERS_LOSS if others_loss is None else others_loss
    sizes = np.diff(starts)
    missing = sorted({int(n) for n in sizes} - set(known))
    if missing:
        raise MatchDataError(f"what a lost game gives to the others is not known for {missing[0]} players; give scores")
    lost = columns["lost"].astype(np.float64)
    others = np.repeat(np.add.reduceat(lost, starts[:-1]), sizes) - lost if len(lost) else lost
    each = np.repeat([known[int(n)] for n in sizes], sizes)
    return np.asarray(columns["points"] + 50.0 * (columns["won"] - lost) + each * others, np.float64)


def _canonical(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns that are known, under one name each, checked; numbers as such."""
    import polars as pl

    folded = {name.strip().casefold(): name for name in reversed(frame.columns)}
    found = {key: next((folded[name] for name in names if name in folded), None) for key, names in _NAMES.items()}
    found |= {name: folded.get(name) for name in _EXTRAS}
    has_score = found["score"] or all(found[name] for name in ("points", "won", "lost"))
    missing = [name for name in ("series", "player") if not found[name]]
    missing += [] if has_score else ["score (or points, won and lost)"]
    if missing:
        raise MatchDataError(f"no column holds {', '.join(missing)}. The file has: {', '.join(frame.columns)}")
    if not len(frame):
        raise MatchDataError("there are no series")
    numbers = ("score", "adjusted", *_EXTRAS)
    table = frame.select(
        pl.col(name).cast(pl.Float64, strict=False).alias(key) if key in numbers else pl.col(name).alias(key)
        for key, name in found.items()
        if name is not None
    )
    for name in table.columns:
        bad = ~table[name].is_finite().fill_null(False) if name in numbers else table[name].is_null()
        if bad.any():
            rows = bad.arg_true().to_list()
            shown = ", ".join(str(row + 1) for row in rows[:5]) + (" and more" if len(rows) > 5 else "")
            raise MatchDataError(f"{name} is missing or no number: {len(rows):,} of {len(frame):,} rows (row {shown})")
    return table


def _number(column: pl.Series) -> tuple[Counts, list[str]]:
    """Codes in order of appearance, and what they stand for."""
    import polars as pl

    keys = column.alias("key").to_frame()
    known = keys.unique(maintain_order=True).with_row_index("code")
    codes = keys.join(known, on="key", how="left", maintain_order="left")["code"].to_numpy().astype(np.int64)
    return codes, known["key"].cast(pl.String).to_list()


def _series_times(time: Array, code: Counts, label: list[str]) -> Times:
    """The time of each series, which all its rows have to share."""
    if time.dtype.kind not in "Miuf":
        try:
            time = time.astype("datetime64[us]")
            days = time.astype("datetime64[D]")
            time = days if (days == time).all() else time
        except ValueError as error:
            raise MatchDataError(f"a time is neither a number nor a date such as 2015-01-31: {error}") from error
    of_series = np.empty(len(label), time.dtype)
    of_series[code[::-1]] = time[::-1]
    differ = np.unique(code[of_series[code] != time])
    if len(differ):
        raise MatchDataError(f"{len(differ):,} series have rows of different times (series {label[differ[0]]})")
    return of_series


def _time_order(code: Counts, time: Times) -> Counts:
    """Rows by the time of their series, then as the series first appear."""
    rank = np.empty(len(time), np.int64)
    rank[np.argsort(time, kind="stable")] = np.arange(len(time))
    return np.argsort(rank[code], kind="stable")


def _refuse_small(sizes: Counts, label: list[str]) -> None:
    alone = np.flatnonzero(sizes < 2)
    if len(alone):
        raise MatchDataError(f"{len(alone):,} series have one player only (series {label[alone[0]]})")


def _finish(columns: Mapping[str, Floats]) -> Floats:
    """Numbers in finishing order: by score, then more games won, then fewer lost (the Skat federations' rule)."""
    ones = np.zeros(len(columns["score"]))
    keys = np.column_stack((-columns["score"], -columns.get("won", ones), columns.get("lost", ones)))
    order = np.lexsort(keys.T[::-1])
    rank = np.empty(len(keys), np.float64)
    fresh = np.append(True, (np.diff(keys[order], axis=0) != 0).any(axis=1)) if len(keys) else np.zeros(0, bool)
    rank[order] = np.cumsum(fresh)
    return rank
