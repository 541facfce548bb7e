"""Matches: who played whom, in order of time, and how it ended; immutable, validated, columnar.

The fingerprint of a record tells whether two results rest on the same matches.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, TypedDict, Unpack

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats, Halves, Mask, Times
from ludometer.errors import LudometerError, MatchDataError
from ludometer.players import Labels, Players

Advantage = Literal["none", "order"] | Halves
"""Whether seats differ: not at all; in every match the first seat is better off (White, home, first to move); or, match
by match, 1 if the first seat is better off, -1 if the last one is, 0 on neutral ground."""
Covariate = Floats | Labels
Rows = Mask | Counts | slice

MATCH_COLUMNS = ("session", "weight", "advantage", "covariates")
SEAT_COLUMNS = ("score", "side", "seat_covariates")
"""The optional columns of a record. Those per seat follow the seats of `Matches.seats`."""
RESERVED = frozenset(
    ("match", "player", "player_1", "player_2", "place", "time", "prize", "result", *MATCH_COLUMNS, *SEAT_COLUMNS)
).union(f"{name}_{seat}" for name in ("score", "points", "side") for seat in (1, 2))
"""Names that a covariate cannot have: a written record would be read differently."""

_COUNTED = 1 << 22
"""Codes that are counted together."""

_MANY = 64
"""Up to this many seats, comparing each with each is faster than sorting all seats of a record."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two-player matches: two codes and what the first player scored, in half points."""

    first: Codes
    second: Codes
    halves: Halves

    def __len__(self) -> int:
        return len(self.first)

    @property
    def score(self) -> Floats:
        """What the first player scored: 1, 0.5 or 0."""
        return self.halves / 2


@dataclass(frozen=True, eq=False)
class Seats:
    """Multiplayer matches in Arrow's list layout: match m has the seats starts[m] to starts[m + 1]."""

    starts: Counts
    player: Codes
    place: Codes
    """1 is best; equal places are a tie, and the next place is as many later."""
    prize: Floats | None = None
    """What each seat won, where that is recorded."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Counts:
        """Players in each match."""
        return np.diff(self.starts)

    @property
    def drawn(self) -> Mask:
        """Matches whose first place is shared."""
        best = (self.place == 1).astype(np.int64)
        return np.add.reduceat(best, self.starts[:-1]) > 1 if len(self) else np.zeros(0, bool)


class Columns(TypedDict, total=False):
    """What may be known about matches beside players, results and times; an absent column costs nothing."""

    session: Sequence[Any] | Array | Labels
    """Per match: matches of one session share circumstances or luck."""
    weight: Sequence[float] | Array
    """Per match: how much it counts, more than 0; absent is 1."""
    advantage: Advantage | Sequence[int]
    covariates: Mapping[str, Sequence[Any] | Array | Labels]
    """Per match, by name: numbers (NaN is unknown) or labels that a model may use."""
    score: Sequence[float] | Array
    """Per seat: points, goals or a list score; NaN is unknown."""
    side: Sequence[Any] | Array | Labels
    """Per seat: the team. Players of one side share their place."""
    seat_covariates: Mapping[str, Sequence[Any] | Array | Labels]
    """Per seat, by name, like `covariates`."""


@dataclass(frozen=True, eq=False)
class Matches:
    """Who played whom, in order of time, and how it ended.

    Made by `Matches.of_pairs`, `Matches.of_seats` or `read_matches`, which check everything. The optional columns are
    those of `Columns`, per match and per seat; `seats` gives the order of the latter.

    >>> matches = Matches.of_pairs([0, 1], [1, 2], [1, 0.5], players=Players.named(["Ann", "Ben", "Cem"]))
    >>> len(matches), matches.draw_rate
    (2, 0.5)
    >>> derby = Matches.of_pairs([0], [1], [1], score=[3, 1], session=["2024"], advantage="order")
    >>> derby.score.tolist(), derby.session.text.to_list(), derby.columns
    ([3.0, 1.0], ['2024'], ('session', 'advantage', 'score'))
    """

    players: Players
    table: Pairs | Seats
    time: Times | None = None
    session: Labels | None = None
    weight: Floats | None = None
    advantage: Advantage = "none"
    covariates: Mapping[str, Covariate] = field(default_factory=dict)
    score: Floats | None = None
    side: Labels | None = None
    seat_covariates: Mapping[str, Covariate] = field(default_factory=dict)
    unasked: frozenset[str] = frozenset()
    """Optional columns that nobody named: a reader found them in a file. A system that cannot use them does without a
    word, and they are no part of the fingerprint."""

    @classmethod
    def of_pairs(
        cls,
        first: Sequence[int] | Array,
        second: Sequence[int] | Array,
        result: Sequence[float] | Array,
        *,
        players: Players | None = None,
        time: Sequence[Any] | Times | None = None,
        ordered: bool = False,
        **columns: Unpack[Columns],
    ) -> Self:
        """Two-player matches from codes and what the first player scored, sorted by time unless `ordered`.

        A result is 1, 0.5 or 0; as int8 it is in half points. Columns per seat hold the first and the second player of
        each match in turn, or are of shape (matches, 2).
        """
        faults = _Faults()
        first, second = _codes(first), _codes(second)
        halves = _halves(result, faults)
        if players is None:
            players = Players.numbered(int(max(first.max(initial=-1), second.max(initial=-1))) + 1)
        _same_length("matches", first=first, second=second, result=halves)
        _check_codes(len(players), faults, first, second)
        faults.add(first == second, "a player plays against themselves")
        table = Pairs(*map(_frozen, (first, second, halves)))
        return cls(players, table)._completed(time, columns, faults, ordered=ordered)

    @classmethod
    def of_seats(
        cls,
        starts: Sequence[int] | Array,
        player: Sequence[int] | Array,
        place: Sequence[float] | Array,
        *,
        prize: Sequence[float] | Array | None = None,
        players: Players | None = None,
        time: Sequence[Any] | Times | None = None,
        ordered: bool = False,
        **columns: Unpack[Columns],
    ) -> Self:
        """Matches from list offsets, codes and places (lower is better), sorted by time unless `ordered`.

        If all matches have two players and no prizes, they become pairs.
        """
        faults = _Faults()
        starts, player = np.asarray(starts, np.int64), _codes(player)
        places = np.asarray(place, np.float64)
        if players is None:
            players = Players.numbered(int(player.max(initial=-1)) + 1)
        prizes = None if prize is None else _own(np.asarray(prize), np.float64)
        _same_length("seats", player=player, place=places, **({} if prizes is None else {"prize": prizes}))
        if not len(starts) or starts[0] != 0 or starts[-1] != len(player) or (np.diff(starts) < 2).any():
            raise MatchDataError("starts must rise from 0 to the number of seats, by two or more seats per match")
        _check_codes(len(players), faults, player)
        faults.add(~np.isfinite(places), "a place is not a number")
        faults.add(_repeats(starts, player), "a player appears twice in one match")
        table = _table(starts, player, _competition_places(starts, np.nan_to_num(places)), prizes)
        return cls(players, table)._completed(time, columns, faults, ordered=ordered)

    def with_columns(self, **columns: Unpack[Columns]) -> Self:
        """The same matches with these columns, checked.

        >>> Matches.of_pairs([0, 0], [1, 1], [1, 0]).with_columns(session=["Monday", "Monday"]).session.code.tolist()
        [0, 0]
        """
        faults = _Faults()
        checked = replace(self, unasked=self.unasked.difference(columns), **_checked(self, columns, faults))
        faults.refuse()
        return checked

    def _completed(self, time: Any, columns: Columns, faults: _Faults, *, ordered: bool) -> Self:
        """With times and columns, checked and in order of time."""
        times = _times(time, len(self), faults)
        extra = _checked(self, columns, faults) if columns else {}
        faults.refuse()
        whole = replace(self, time=times, **extra) if times is not None or extra else self
        order = None if ordered else _time_order(times)
        return whole if order is None else whole._picked(order)

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[Self]:
        """One batch: so a whole file and a stream of batches are played by the same loop."""
        yield self

    @property
    def pairs(self) -> Pairs:
        """The two-player view; multiplayer matches are an error."""
        if isinstance(self.table, Seats):
            raise MatchDataError(
                f"two-player matches are needed; here a match has up to {self.table.sizes.max(initial=0)} players. "
                "If a column gives the number of players, keep the two-player matches with --where"
            )
        return self.table

    @cached_property
    def counts(self) -> Counts:
        """Matches of each player."""
        table = self.table
        columns = (table.player,) if isinstance(table, Seats) else (table.first, table.second)
        total = np.zeros(len(self.players), np.int64)
        for codes in columns:
            # in parts: counting makes 64-bit numbers of codes
            for start in range(0, len(codes), _COUNTED):
                total += np.bincount(codes[start : start + _COUNTED], minlength=len(total))
        return total

    @property
    def sizes(self) -> Counts:
        """Players in each match."""
        return self.table.sizes if isinstance(self.table, Seats) else np.broadcast_to(np.int64(2), len(self))

    @property
    def seats(self) -> Seats:
        """The list view of any matches: a two-player match has two seats, and a draw is a tie for the first place."""
        if isinstance(self.table, Seats):
            return self.table
        pairs = self.table
        player = np.column_stack((pairs.first, pairs.second)).ravel()
        place = np.column_stack((1 + (pairs.halves < 1), 1 + (pairs.halves > 1))).ravel().astype(np.int32)
        return Seats(np.arange(0, len(player) + 1, 2), player, place)

    @property
    def columns(self) -> tuple[str, ...]:
        """The optional columns that this record has."""
        return tuple(name for name in (*MATCH_COLUMNS, *SEAT_COLUMNS) if _is_there(getattr(self, name)))

    @property
    def advantages(self) -> Halves:
        """Of each match: 1 if the first seat is better off, -1 if the last one is, 0 if neither."""
        if isinstance(self.advantage, str):
            return np.full(len(self), self.advantage == "order", np.int8)
        return self.advantage

    @cached_property
    def has_teams(self) -> bool:
        """Whether some players share a side."""
        return self.side is not None and bool(_repeats(self.seats.starts, self.side.code).any())

    def refuse_teams(self, method: str) -> None:
        """Raise if players share a side, for methods that rate players one by one."""
        if self.has_teams:
            raise MatchDataError(
                f"{method} cannot use teams: it rates players who play each for themselves, and here players share a "
                "side. To rate each player alone, write one row per player and read it without --side; to rate each "
                "team as one player, write its name into one column"
            )

    @property
    def n_draws(self) -> int:
        """Drawn matches: of multiplayer matches, those whose first place is shared."""
        table = self.table
        return int(np.count_nonzero(table.drawn if isinstance(table, Seats) else table.halves == 1))

    @property
    def draw_rate(self) -> float | None:
        """The share of drawn matches, or of those whose first place is shared; None if there are no matches."""
        return self.n_draws / len(self) if len(self) else None

    @property
    def nbytes(self) -> int:
        """Memory of the columns in bytes, names apart."""
        table = [own for own in vars(self.table).values() if own is not None]
        extra = [own for name in self.columns for own in _arrays(getattr(self, name))]
        return sum(own.nbytes for own in (*table, *extra, *([] if self.time is None else [self.time])))

    def take(self, kept: Mask) -> Self:
        """Only these matches, in order; the players stay."""
        picked = self._picked(kept)
        seats = picked.table
        if isinstance(seats, Pairs):
            return picked
        return replace(picked, table=_table(seats.starts, seats.player, seats.place, seats.prize))

    def part(self, start: int, stop: int) -> Self:
        """Matches from start to before stop, sharing memory with these."""
        return self._picked(slice(start, stop))

    def backwards(self) -> Self:
        """The same matches, the last one first; without times, which would not rise."""
        return replace(self, time=None)._picked(np.arange(len(self))[::-1])

    def parts(self, size: int = 1 << 20) -> Iterator[Self]:
        """These matches in parts of a fixed size, for passes that need something for each match in memory."""
        for start in range(0, len(self), size):
            yield self.part(start, start + size)

    def recode(self, kept: Mask) -> Self:
        """The same matches with only these players' names, who must be all that play in them."""
        code = (np.cumsum(kept) - 1).astype(np.int32)
        table: Pairs | Seats
        if isinstance(self.table, Pairs):
            table = Pairs(_frozen(code[self.table.first]), _frozen(code[self.table.second]), self.table.halves)
        else:
            table = replace(self.table, player=_frozen(code[self.table.player]))
        return replace(self, players=self.players.take(kept), table=table)

    def _picked(self, rows: Rows) -> Self:
        """The matches at these rows, with everything that belongs to them."""
        table = self.table
        if isinstance(table, Seats) or any(_is_there(getattr(self, name)) for name in SEAT_COLUMNS):
            seats, starts = _seats_at(table, rows)
        if isinstance(table, Pairs):
            cut: Pairs | Seats = Pairs(*(_frozen(own[rows]) for own in (table.first, table.second, table.halves)))
        else:
            prize = None if table.prize is None else _frozen(table.prize[seats])
            cut = Seats(_frozen(starts), _frozen(table.player[seats]), _frozen(table.place[seats]), prize)
        extra = {name: _pick(getattr(self, name), rows if name in MATCH_COLUMNS else seats) for name in self.columns}
        return replace(self, table=cut, time=_pick(self.time, rows), **extra)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of who met whom, when and how it ended: the same in whatever file and however it was read."""

        return Fingerprint().add(self).hexdigest()


def as_moment(value: Any, time: Times) -> Any:
    """A date or number that a user gave, comparable with these times.

    >>> bool(as_moment("2015-01-31", np.array(["2015-02-01"], "datetime64[D]")) < np.datetime64("2015-02-01"))
    True
    """
    if time.dtype.kind != "M":
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise LudometerError(f"{value!r} is not a number, and the times of this file are numbers") from error
    text = str(value).strip().replace(" ", "T").removesuffix("Z")
    if not _ISO.fullmatch(text):
        raise LudometerError(f"{value!r} is not a date such as 2015-01-31")
    try:
        return np.datetime64(text, "us")
    except ValueError as error:
        raise LudometerError(f"{value!r} is not a date such as 2015-01-31") from error


_ISO = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?)?)?")


def reorder_seats(starts: Counts, order: Counts) -> tuple[Counts, Counts]:
    """The offsets of matches in another order, and where each of their seats stood before."""
    sizes = np.diff(starts)[order]
    before = np.repeat(starts[:-1][order] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return np.concatenate(([0], np.cumsum(sizes))), before


def _seats_at(table: Pairs | Seats, rows: Rows) -> tuple[Rows, Counts]:
    """Where the seats of these matches are, and their new offsets."""
    starts = table.starts if isinstance(table, Seats) else np.arange(0, 2 * len(table) + 1, 2)
    if isinstance(rows, slice):
        begin, stop, _ = rows.indices(len(table))
        offsets = starts[begin : stop + 1]
        return slice(offsets[0], offsets[-1]), offsets - offsets[0]
    order: Counts = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.int64)
    offsets, seats = reorder_seats(starts, order)
    return seats, offsets


def _pick(column: Any, rows: Rows) -> Any:
    """These rows of an optional column."""
    if column is None or isinstance(column, str):
        return column
    if isinstance(column, Mapping):
        return {name: _pick(own, rows) for name, own in column.items()}
    if isinstance(column, Labels):
        return Labels(_frozen(column.code[rows]), column.names)
    return _frozen(column[rows])


def _is_there(column: Any) -> bool:
    if column is None or isinstance(column, str):
        return column == "order"
    return not isinstance(column, Mapping) or bool(column)


def _arrays(column: Any) -> list[Array]:
    """The arrays of an optional column."""
    if isinstance(column, Mapping):
        return [array for own in column.values() for array in _arrays(own)]
    return [] if isinstance(column, str) else [column.code if isinstance(column, Labels) else column]


def _checked(matches: Matches, columns: Columns, faults: _Faults) -> dict[str, Any]:
    """The optional columns in their types, their faults noted."""
    n_matches, seats = len(matches), matches.seats
    checked: dict[str, Any] = {}
    for name, given in columns.items():
        n_rows = n_matches if name in MATCH_COLUMNS else len(seats.player)
        if name in ("covariates", "seat_covariates"):
            assert isinstance(given, Mapping)
            if clash := RESERVED.intersection(given):
                raise MatchDataError(f"a covariate cannot be called {min(clash)}: a match has such a column already")
            checked[name] = {own: _covariate(own, values, n_rows) for own, values in given.items()}
        elif name in ("session", "side"):
            checked[name] = _labels(name, given, n_rows, faults)
        elif not isinstance(given, str):
            checked[name] = _numbers(name, given, n_rows)
        else:
            checked[name] = given
    if "weight" in checked:
        weight = checked["weight"]
        faults.add(~(np.isfinite(weight) & (weight > 0)), "a weight is not a number above 0")
    if "score" in checked:
        faults.add(np.isinf(checked["score"]), "a score is infinite")
    if "side" in checked:
        _check_sides(seats, checked["side"].code, faults)
    if "advantage" in checked:
        checked["advantage"] = _advantage(checked["advantage"], faults)
    return checked


def _covariate(name: str, values: Any, n_rows: int) -> Covariate:
    """Numbers, or labels for anything else; a missing label is an empty one."""
    if not isinstance(values, Labels):
        values = np.asarray(values)
        if values.dtype.kind in "biuf":
            return _numbers(name, values, n_rows)
        values = Labels.of(values.ravel().tolist())
    _check_length(name, len(values), n_rows)
    labels: Labels = values.with_empty()
    return labels


def _numbers(name: str, values: Any, n_rows: int) -> Floats:
    try:
        array = np.asarray(values, np.float64).ravel()
    except (TypeError, ValueError) as error:
        raise MatchDataError(f"{name} must hold numbers: {error}") from error
    _check_length(name, len(array), n_rows)
    # + 0.0 makes a zero of a negative zero, so that equal records have equal fingerprints
    column: Floats = _frozen(array + 0.0)
    return column


def _labels(name: str, values: Any, n_rows: int, faults: _Faults) -> Labels:
    labels = values if isinstance(values, Labels) else Labels.of(np.asarray(values, dtype=object).ravel().tolist())
    _check_length(name, len(labels), n_rows)
    faults.add(labels.code < 0, f"a {name} is missing")
    return Labels(_frozen(labels.code), labels.names)


def _advantage(given: Any, faults: _Faults) -> Advantage:
    if isinstance(given, str):
        if given not in ("none", "order"):
            raise MatchDataError(f"advantage must be none, order, or 1, 0 or -1 for each match, not {given!r}")
        return given  # type: ignore[return-value]  # one of the two, as was just checked
    faults.add(~np.isin(given, (-1, 0, 1)), "an advantage is not 1, 0 or -1")
    column: Halves = _frozen(np.nan_to_num(given).astype(np.int8))
    return column


def _check_sides(seats: Seats, side: Codes, faults: _Faults) -> None:
    """Each match has two sides or more, and the players of one side share its place."""
    sizes = seats.sizes
    if not len(sizes):
        return
    shared = np.add.reduceat(_repeats(seats.starts, side).astype(np.int64), seats.starts[:-1])
    faults.add(sizes - shared < 2, "a match has only one side", unit="match", units="matches")
    match = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((side, match))
    mates = (np.diff(match[order]) == 0) & (np.diff(side[order]) == 0)
    differ = np.zeros(len(side), bool)
    differ[order[1:]] = mates & (np.diff(seats.place[order]) != 0)
    faults.add(differ, "players of one side have different places")


def owned(array: Any) -> Any:
    """Hand over an array that nobody else will change: `Matches` then needs no copy of its own."""
    array.setflags(write=False)
    return array


def _codes(values: Any) -> Codes:
    array = np.asarray(values)
    if not array.size:
        return np.empty(0, np.int32)
    if array.dtype.kind not in "iu":
        raise MatchDataError(f"players' codes must be whole numbers, not {array.dtype}")
    if array.dtype.itemsize > 4 or array.dtype.kind == "u":
        # at once: a cast to 32 bits would make other codes of these
        faults = _Faults()
        faults.add((array < 0) | (array >= 2**31), "a player's code is not from 0 to 2147483647")
        faults.refuse()
    codes: Codes = _own(array, np.int32)
    return codes


def _own(array: Any, dtype: Any) -> Any:
    """The array in this type and in one piece; a copy where its owner could still change it."""
    return np.ascontiguousarray(array.astype(dtype, copy=array.flags.writeable))


def _halves(result: Any, faults: _Faults) -> Halves:
    array = np.asarray(result)
    if array.dtype != np.int8:
        doubled = 2 * array.astype(np.float64)
        array = np.where(np.isfinite(doubled), doubled, -1)
        faults.add(~np.isin(array, (0, 1, 2)), "a result is not 1, 0.5 or 0")
    elif array.size and (array.min() < 0 or array.max() > 2):
        faults.add((array < 0) | (array > 2), "a result is not 0, 1 or 2 half points")
    return np.asarray(_own(array, np.int8))


def _times(time: Any, n_matches: int, faults: _Faults) -> Times | None:
    if time is None:
        return None
    array = np.asarray(time)
    if array.dtype.kind == "M":
        array = _own(array, "datetime64[D]" if array.dtype == np.dtype("datetime64[D]") else "datetime64[us]")
        bad = np.isnat(array)
    elif array.dtype.kind in "iu":
        array, bad = _own(array, np.int64), np.zeros(len(array), bool)
    elif array.dtype.kind == "f":
        array = _own(array, np.float64)
        bad = ~np.isfinite(array)
    else:
        raise MatchDataError(f"times must be dates or numbers, not {array.dtype}")
    _check_length("time", len(array), n_matches)
    faults.add(bad, "a time is missing")
    times: Times = _frozen(array)
    return times


def _table(starts: Counts, player: Codes, place: Codes, prize: Floats | None = None) -> Pairs | Seats:
    """Seats, or pairs if all matches have two players and no prizes are recorded."""
    if prize is None and len(starts) > 1 and (np.diff(starts) == 2).all():
        halves = (1 + np.sign(place[1::2] - place[0::2])).astype(np.int8)
        return Pairs(*map(_frozen, (player[0::2].copy(), player[1::2].copy(), halves)))
    return Seats(_frozen(starts), _frozen(player), _frozen(place), None if prize is None else _frozen(prize))


def _time_order(time: Times | None) -> Counts | None:
    """The stable order by time; None where they are in order already."""
    if time is None or len(time) < 2 or (time[1:] >= time[:-1]).all():
        return None
    return np.argsort(time, kind="stable")


def _repeats(starts: Counts, player: Codes) -> Mask:
    """Seats whose player sits in an earlier seat of the same match."""
    if np.diff(starts).max(initial=0) <= _MANY:
        from ludometer.kernels.systems.multiplayer import find_repeats

        repeats = np.empty(len(player), bool)
        find_repeats(starts, player, repeats)
        return repeats
    match = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((player, match))
    repeats = np.zeros(len(player), bool)
    repeats[order[1:]] = (np.diff(player[order]) == 0) & (np.diff(match[order]) == 0)
    return repeats


def _competition_places(starts: Counts, values: Floats) -> Codes:
    """1, 2, 2, 4: one more than the number of better seats in the match."""
    if np.diff(starts).max(initial=0) <= _MANY:
        from ludometer.kernels.systems.multiplayer import order_seats

        place = np.empty(len(values), np.int32)
        order_seats(starts, -values, place)
        return place
    match = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((values, match))
    rank = np.empty(len(values), np.int64)
    fresh = np.ones(len(values), bool)
    fresh[1:] = (np.diff(values[order]) != 0) | (np.diff(match[order]) != 0)
    rank[order] = np.maximum.accumulate(np.where(fresh, np.arange(len(values)), 0))
    return (rank - starts[match] + 1).astype(np.int32)


def _check_codes(n_players: int, faults: _Faults, *columns: Codes) -> None:
    for codes in columns:
        # finding the extremes is much faster than finding which rows are wrong
        if len(codes) and (codes.min() < 0 or codes.max() >= n_players):
            faults.add((codes < 0) | (codes >= n_players), f"a player's code is not from 0 to {n_players - 1}")


def _same_length(noun: str, **columns: np.ndarray[Any, Any]) -> None:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise MatchDataError(f"the columns of {noun} differ in length: {lengths}")


def _check_length(name: str, length: int, n_rows: int) -> None:
    if length != n_rows:
        raise MatchDataError(f"the columns differ in length: {length} values of {name}, where {n_rows} are needed")


class _Faults:
    """What is wrong with the columns of a record, reported all at once."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, bad: Mask, fault: str, *, unit: str = "row", units: str = "rows") -> None:
        """Note the rows with a fault."""
        rows = np.flatnonzero(bad)
        if len(rows):
            shown = ", ".join(str(row + 1) for row in rows[:5]) + (" and more" if len(rows) > 5 else "")
            self.lines.append(f"{fault}: {len(rows):,} of {len(bad):,} {units} ({unit} {shown})")

    def refuse(self) -> None:
        """Raise if there were any."""
        if self.lines:
            raise MatchDataError("\n".join(self.lines))


def _frozen(array: Any) -> Any:
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view


class Fingerprint:
    """A hash over who met whom, when and how it ended, batch by batch.

    Players and labels are numbered anew in order of appearance, so that neither the order of rows in a file nor names
    in rows that were left out make a difference, and batches give what the whole gives. Columns that are absent, or
    that nobody asked for, leave no trace.
    """

    def __init__(self) -> None:
        self._columns: dict[str, Any] = {}
        self._numberings: dict[str, _Numbering] = {"player": _Numbering()}

    def add(self, batch: Matches) -> Self:
        """Take in the next batch."""
        # in slices: numbering all of a long record at once would need several times its own memory
        parts = batch.parts() if isinstance(batch.table, Pairs) else (batch,)
        for part in parts:
            self._add(part)
        return self

    def hexdigest(self) -> str:
        """Sixteen hexadecimal digits."""
        whole = hashlib.sha256()
        for name, digest in self._columns.items():
            whole.update(name.encode() + digest.digest())
        for numbering in self._numberings.values():
            for text in numbering.names():
                whole.update(text)
        return whole.hexdigest()[:16]

    def _add(self, batch: Matches) -> None:
        table = batch.table
        if isinstance(table, Pairs):
            codes = np.column_stack((table.first, table.second)).ravel()
            self._update("player", codes, batch.players)
            self._update("halves", table.halves)
        else:
            self._update("player", table.player, batch.players)
            self._update("size", table.sizes)
            self._update("place", table.place)
            if table.prize is not None:
                self._update("prize", table.prize)
        if batch.time is not None:
            self._update("time", batch.time.astype(np.float64 if batch.time.dtype.kind != "M" else "datetime64[us]"))
        for name in batch.columns:
            if name in batch.unasked:
                continue
            column = batch.advantages if name == "advantage" else getattr(batch, name)
            for own, values in column.items() if isinstance(column, Mapping) else ((None, column),):
                key = name if own is None else f"{name} {own}"
                if isinstance(values, Labels):
                    self._update(key, values.code, values)
                else:
                    self._update(key, values)

    def _update(self, name: str, column: Array, named: Players | Labels | None = None) -> None:
        if named is not None:
            column = self._numberings.setdefault(name, _Numbering()).number(column, named)
        digest = self._columns.setdefault(name, hashlib.sha256(name.encode()))
        digest.update(np.ascontiguousarray(column).view(np.uint8).data)


class _Numbering:
    """Codes numbered anew in order of appearance, and what they stand for."""

    def __init__(self) -> None:
        self._number_of = np.full(1 << 10, -1, np.int32)
        self._seen: list[Counts] = []
        self._n_seen = 0
        self._named: Players | Labels | None = None

    def number(self, codes: Codes, named: Players | Labels) -> Codes:
        """The new numbers of these codes."""
        from ludometer.kernels.text.keys import number_small_keys

        self._named = named
        highest = int(codes.max(initial=0))
        if highest >= len(self._number_of):
            larger = np.full(1 << highest.bit_length(), -1, np.int32)
            larger[: len(self._number_of)] = self._number_of
            self._number_of = larger
        ids, numbers, new = codes.astype(np.int64), np.empty(len(codes), np.int32), np.empty(len(codes), np.int64)
        known = number_small_keys(ids, self._number_of, self._n_seen, numbers, new)
        self._seen.append(ids[new[: known - self._n_seen]])
        self._n_seen = known
        return numbers

    def names(self) -> Iterator[bytes]:
        """The lengths of the names in order of appearance, and the names."""
        if self._named is None:
            return
        names = self._named.names.gather(np.concatenate(self._seen))
        yield names.str.len_bytes().to_numpy().astype(np.int64).tobytes()
        yield "".join(names.to_list()).encode()
