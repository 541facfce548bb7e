"""Matches: who played whom, in order, and how it ended; immutable, validated, columnar.

A fingerprint of match data, to tell whether two results rest on the same record.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats, Halves, Mask, Times
from ludometer.errors import LudometerError, MatchDataError
from ludometer.kernels.text.keys import number_small_keys
from ludometer.players import Players

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MANY = 64
"""Up to so many seats, comparing each with each is faster than sorting all seats of a record."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Matches of two: two codes and what the first scored, in half points."""

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
    """Matches of several, in Arrow's list layout: match m has the seats starts[m] to starts[m + 1]."""

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


@dataclass(frozen=True, eq=False)
class Matches:
    """Who played whom, in order of time, and how it ended.

    Made by `Matches.of_pairs`, `Matches.of_seats` or `read_matches`, which check everything.

    >>> matches = Matches.of_pairs([0, 1], [1, 2], [1, 0.5], players=Players.named(["Ann", "Ben", "Cem"]))
    >>> len(matches), matches.draw_rate
    (2, 0.5)
    """

    players: Players
    table: Pairs | Seats
    time: Times | None = None

    @classmethod
    def of_pairs(
        cls,
        first: Sequence[int] | Array,
        second: Sequence[int] | Array,
        score: Sequence[float] | Array,
        *,
        players: Players | None = None,
        time: Sequence[Any] | Times | None = None,
        ordered: bool = False,
    ) -> Self:
        """Matches of two from codes and scores (1, 0.5, 0; int8: half points), sorted by time unless `ordered`."""
        first, second = _codes(first), _codes(second)
        halves = _halves(score)
        if players is None:
            players = Players.numbered(int(max(first.max(initial=-1), second.max(initial=-1))) + 1)
        _same_length("matches", first=first, second=second, score=halves)
        _codes_in_range(len(players), first, second)
        _refuse(first == second, "a player meets himself")
        times = _times(time, len(first))
        order = None if ordered else _time_order(times)
        if order is not None:
            first, second, halves = first[order], second[order], halves[order]
            times = None if times is None else times[order]
        return cls(players, Pairs(*map(_frozen, (first, second, halves))), None if times is None else _frozen(times))

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
    ) -> Self:
        """Matches from list offsets, codes and places (lower is better); all of two, without prizes, become pairs."""
        starts, player = np.asarray(starts, np.int64), _codes(player)
        places = np.asarray(place, np.float64)
        if players is None:
            players = Players.numbered(int(player.max(initial=-1)) + 1)
        prizes = None if prize is None else _own(np.asarray(prize), np.float64)
        _same_length("seats", player=player, place=places, **({} if prizes is None else {"prize": prizes}))
        if not len(starts) or starts[0] != 0 or starts[-1] != len(player) or (np.diff(starts) < 2).any():
            raise MatchDataError("starts must go from 0 to the number of seats, two or more seats a match")
        _codes_in_range(len(players), player)
        _refuse(~np.isfinite(places), "a place is not a number")
        _refuse(_repeats(starts, player), "a player sits twice in one match")
        times = _times(time, len(starts) - 1)
        order = None if ordered else _time_order(times)
        if order is not None:
            starts, before = reorder_seats(starts, order)
            player, places = player[before], places[before]
            prizes = None if prizes is None else prizes[before]
            times = None if times is None else times[order]
        table = _table(starts, player, _competition_places(starts, places), prizes)
        return cls(players, table, None if times is None else _frozen(times))

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[Self]:
        """One batch: so a whole file and a stream of batches are played by the same loop."""
        yield self

    @property
    def pairs(self) -> Pairs:
        """The two-player view; matches of more than two are an error."""
        if isinstance(self.table, Seats):
            raise MatchDataError(
                f"matches of two players are needed; here are up to {self.table.sizes.max(initial=0)} a match. "
                "Keep those of two with --where, if a column tells"
            )
        return self.table

    @cached_property
    def counts(self) -> Counts:
        """Matches of each player."""
        table = self.table
        columns = (table.player,) if isinstance(table, Seats) else (table.first, table.second)
        total = np.zeros(len(self.players), np.int64)
        for codes in columns:
            total += np.bincount(codes, minlength=len(total))
        return total

    @property
    def sizes(self) -> Counts:
        """Players in each match."""
        return self.table.sizes if isinstance(self.table, Seats) else np.full(len(self), 2)

    @property
    def seats(self) -> Seats:
        """The list view of any matches: two seats each for matches of two, a draw being a tie for the first place."""
        if isinstance(self.table, Seats):
            return self.table
        pairs = self.table
        player = np.column_stack((pairs.first, pairs.second)).ravel()
        place = np.column_stack((1 + (pairs.halves < 1), 1 + (pairs.halves > 1))).ravel().astype(np.int32)
        return Seats(np.arange(0, len(player) + 1, 2), player, place)

    @property
    def n_draws(self) -> int:
        """Drawn matches: of several players, those whose first place is shared."""
        table = self.table
        return int(np.count_nonzero(table.drawn if isinstance(table, Seats) else table.halves == 1))

    @property
    def draw_rate(self) -> float | None:
        """The share of drawn matches, or of those whose first place is shared; None if there are no matches."""
        return self.n_draws / len(self) if len(self) else None

    def take(self, kept: Mask) -> Self:
        """Only these matches, in order; the players stay."""
        time = None if self.time is None else _frozen(self.time[kept])
        if isinstance(self.table, Pairs):
            columns = (self.table.first[kept], self.table.second[kept], self.table.halves[kept])
            return type(self)(self.players, Pairs(*map(_frozen, columns)), time)
        table = self.table
        seats = np.repeat(kept, table.sizes)
        starts = np.concatenate(([0], np.cumsum(table.sizes[kept])))
        prize = None if table.prize is None else table.prize[seats]
        return type(self)(self.players, _table(starts, table.player[seats], table.place[seats], prize), time)

    def part(self, start: int, stop: int) -> Self:
        """Matches from start to before stop, sharing memory with these."""
        time = None if self.time is None else self.time[start:stop]
        table: Pairs | Seats = self.table
        if isinstance(table, Seats):
            starts = table.starts[start : stop + 1]
            seats = slice(starts[0], starts[-1])
            prize = None if table.prize is None else table.prize[seats]
            table = Seats(_frozen(starts - starts[0]), table.player[seats], table.place[seats], prize)
        else:
            table = Pairs(table.first[start:stop], table.second[start:stop], table.halves[start:stop])
        return type(self)(self.players, table, time)

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
        return type(self)(self.players.take(kept), table, self.time)

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
        _refuse((array < 0) | (array >= 2**31), "a player's code is not from 0 to 2147483647")
    codes: Codes = _own(array, np.int32)
    return codes


def _own(array: Any, dtype: Any) -> Any:
    """The array in this type and in one piece; a copy where its owner could still change it."""
    return np.ascontiguousarray(array.astype(dtype, copy=array.flags.writeable))


def _halves(score: Any) -> Halves:
    array = np.asarray(score)
    if array.dtype != np.int8:
        doubled = 2 * array.astype(np.float64)
        array = np.where(np.isfinite(doubled), doubled, -1)
        _refuse(~np.isin(array, (0, 1, 2)), "a score is not 1, 0.5 or 0")
    elif array.size and (array.min() < 0 or array.max() > 2):
        _refuse((array < 0) | (array > 2), "a score is not 0, 1 or 2 half points")
    return np.asarray(_own(array, np.int8))


def _times(time: Any, n_matches: int) -> Times | None:
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
    if len(array) != n_matches:
        raise MatchDataError(f"{n_matches} matches but {len(array)} times")
    _refuse(bad, "a time is missing")
    times: Times = array
    return times


def _table(starts: Counts, player: Codes, place: Codes, prize: Floats | None = None) -> Pairs | Seats:
    """Seats, or pairs where all matches are of two and no prizes are recorded."""
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


def _codes_in_range(n_players: int, *columns: Codes) -> None:
    for codes in columns:
        # the extremes are told much faster than which rows are wrong
        if len(codes) and (codes.min() < 0 or codes.max() >= n_players):
            _refuse((codes < 0) | (codes >= n_players), f"a player's code is not from 0 to {n_players - 1}")


def _same_length(noun: str, **columns: np.ndarray[Any, Any]) -> None:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise MatchDataError(f"the columns of {noun} differ in length: {lengths}")


def _refuse(bad: Mask, fault: str) -> None:
    rows = np.flatnonzero(bad)
    if len(rows):
        shown = ", ".join(str(row + 1) for row in rows[:5]) + (" and more" if len(rows) > 5 else "")
        raise MatchDataError(f"{fault}: {len(rows):,} of {len(bad):,} rows (row {shown})")


def _frozen(array: Any) -> Any:
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view


class Fingerprint:
    """A hash over who met whom, when and how it ended, batch by batch.

    Players are numbered anew in the order in which they play, so that neither the order of rows in a file nor
    players in rows that were left out make a difference, and batches give what the whole gives.
    """

    def __init__(self) -> None:
        self._columns: dict[str, Any] = {}
        self._players: Players | None = None
        self._number_of = np.full(1 << 10, -1, np.int32)
        self._seen: list[Counts] = []
        self._n_seen = 0

    def add(self, batch: Matches) -> Self:
        """Take in the next batch."""
        # in slices: numbering all of a long record at once would need several times its own memory
        parts = batch.parts() if isinstance(batch.table, Pairs) else (batch,)
        for part in parts:
            self._add(part)
        self._players = batch.players
        return self

    def hexdigest(self) -> str:
        """Sixteen hexadecimal digits."""
        whole = hashlib.sha256()
        for name, digest in self._columns.items():
            whole.update(name.encode() + digest.digest())
        if self._players is not None and self._seen:
            names = self._players.names.gather(np.concatenate(self._seen))
            whole.update(names.str.len_bytes().to_numpy().astype(np.int64).tobytes())
            whole.update("".join(names.to_list()).encode())
        return whole.hexdigest()[:16]

    def _add(self, batch: Matches) -> None:
        table = batch.table
        if isinstance(table, Pairs):
            codes = np.column_stack((table.first, table.second)).ravel()
            columns = {"player": self._numbers(codes), "halves": table.halves}
        else:
            columns = {"player": self._numbers(table.player), "size": table.sizes, "place": table.place}
            columns |= {} if table.prize is None else {"prize": table.prize}
        if batch.time is not None:
            numeric = np.float64 if batch.time.dtype.kind != "M" else "datetime64[us]"
            columns["time"] = batch.time.astype(numeric)
        for name, column in columns.items():
            digest = self._columns.setdefault(name, hashlib.sha256(name.encode()))
            digest.update(np.ascontiguousarray(column).view(np.uint8).data)

    def _numbers(self, codes: Codes) -> Codes:
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
