"""Which matches a saved state holds, and whose ratings it holds: matches and players of other files are found again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Mask, Times
from ludometer.errors import MatchDataError
from ludometer.matches import Matches, Pairs
from ludometer.players import Players

Hashes = np.ndarray[tuple[int], np.dtype[np.uint64]]

_ALIKE = 10
"""A file without times that begins with so many matches of the state, and goes on differently, was edited."""

_REMEDY = "rate the whole record again with --refit, or without --state"


@dataclass(frozen=True, eq=False)
class Held:
    """The matches of a state: a hash of each in the order of play, and how many of them have the latest time."""

    hashes: Hashes = field(default_factory=lambda: np.empty(0, np.uint64))
    latest: Times | None = None
    """The latest time, as an array of one; None where matches have no times."""
    n_latest: int = 0

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def fingerprint(self) -> str:
        """Of all matches in their order: the same whether they came at once or in parts."""
        return hashlib.sha256(self.hashes.astype("<u8").tobytes()).hexdigest()[:16]

    def add(self, hashes: Hashes, time: Times | None) -> Self:
        """With these matches, which come after the others."""
        if not len(hashes):
            return self
        everything = np.concatenate((self.hashes, hashes))
        if time is None:
            return type(self)(everything)
        n_latest = int((time == time[-1]).sum())
        if self.latest is not None and self.latest[0] == time[-1]:
            n_latest += self.n_latest
        return type(self)(everything, time[-1:].copy(), n_latest)

    def find_new(self, matches: Matches, hashes: Hashes) -> Mask:
        """Which matches it does not hold; refused if one of them is older than the state."""
        if not len(self):
            return np.ones(len(matches), bool)
        if (matches.time is None) != (self.latest is None):
            has, lacks = ("the state", "the file") if matches.time is None else ("the file", "the state")
            raise MatchDataError(
                f"{has} has times and {lacks} has none: name the same column with --time as before, or {_REMEDY}"
            )
        if matches.time is None or self.latest is None:
            return self._find_new_by_order(matches, hashes)
        if (matches.time.dtype.kind == "M") != (self.latest.dtype.kind == "M"):
            raise MatchDataError(
                f"times are dates in one and numbers in the other: name the same column with --time, or {_REMEDY}"
            )
        return self._find_new_by_time(matches, hashes, matches.time < self.latest[0], matches.time == self.latest[0])

    def check_whole(self, hashes: Hashes) -> None:
        """Refuse a record that lacks matches of the state."""
        missing = len(self) - int(_among(self.hashes, hashes).sum())
        if missing:
            raise MatchDataError(
                f"--refit rates the whole record again, and this file lacks {missing:,} of the {len(self):,} matches "
                "of the state: give all matches"
            )

    def _find_new_by_time(self, matches: Matches, hashes: Hashes, before: Mask, at: Mask) -> Mask:
        """Older matches have to be held. Those of the latest time are new unless the state holds them."""
        old, latest = np.split(self.hashes, [len(self) - self.n_latest])
        unknown = np.flatnonzero(before)[~_among(hashes[before], old)]
        if len(unknown):
            many = f"{len(unknown):,} matches are" if len(unknown) > 1 else "a match is"
            raise UnknownMatchesError(
                f"{many} older than the last match of the state ({self.latest_text}) and not in it: match "
                f"{unknown[0] + 1:,} in order of time, {describe_match(matches, int(unknown[0]))}. Results of the past "
                f"cannot be played later: {_REMEDY}",
                unknown,
            )
        known = _among(hashes[at], latest)
        if known.any() and not known.all() and known.sum() < self.n_latest:
            row = int(np.flatnonzero(at)[known][0])
            raise UnknownMatchesError(
                f"the state holds {self.n_latest:,} matches of its last time, and the file only some of them: "
                f"{describe_match(matches, row)} may be one of them or another one like it. Give all matches of that "
                "time, or only matches after it, or name a finer --time",
                np.array([row]),
            )
        new = ~before
        new[np.flatnonzero(at)[known]] = False
        return new

    def _find_new_by_order(self, matches: Matches, hashes: Hashes) -> Mask:
        """Without times: what follows if the file begins with all matches of the state, else everything."""
        n, both = len(self), min(len(self), len(hashes))
        differs = hashes[:both] != self.hashes[:both]
        alike = int(np.argmax(differs)) if differs.any() else both
        new = np.ones(len(matches), bool)
        if alike == n:
            new[:n] = False
            return new
        is_part = alike == len(hashes) or np.array_equal(hashes, self.hashes[n - both :])
        if alike >= _ALIKE or is_part:
            what = "the file repeats matches of the state, and without times they cannot be told from new ones"
            if not is_part:
                what = (
                    f"the file begins like the state, but match {alike + 1:,} differs: {describe_match(matches, alike)}"
                )
            raise UnknownMatchesError(
                f"{what}: give the whole file with new matches at its end, or only new matches, or a column of times "
                f"(--time); to start again, {_REMEDY}",
                np.array([min(alike, len(matches) - 1)]),
            )
        return new

    @property
    def latest_text(self) -> str:
        """The latest time for a reader."""
        return "" if self.latest is None else str(self.latest[0]).replace("T", " ").removesuffix(".000000")


class UnknownMatchesError(MatchDataError):
    """Matches that a state should hold and does not; `rows` are their places in the record."""

    def __init__(self, message: str, rows: Counts | None = None) -> None:
        super().__init__(message)
        self.rows = np.zeros(0, np.int64) if rows is None else rows


def hash_matches(matches: Matches, *, with_scores: bool = False) -> Hashes:
    """A hash of each match, of its players' names, their places and the time: the same in whatever file.

    `with_scores` for systems to which a score is the result.

    >>> ann, ben = (Matches.of_pairs([a], [1 - a], [1 - a], players=Players.named(["Ann", "Ben"])) for a in (0, 1))
    >>> bool(hash_matches(ann)[0] == hash_matches(ben)[0])
    True
    """
    names = matches.players.names
    of_name = np.array([_hash_text(name) for name in names], np.uint64)
    seats = matches.seats
    seat = _mix(of_name[seats.player] + seats.place.astype(np.uint64))
    if with_scores and matches.score is not None:
        seat = _mix(seat + matches.score.view(np.uint64))
    total = np.add.reduceat(seat, seats.starts[:-1]) if len(seats) else np.empty(0, np.uint64)
    if matches.time is None:
        return _mix(total)
    kind = matches.time.dtype.kind
    moment = matches.time.astype("datetime64[us]").view(np.uint64) if kind == "M" else _bits(matches.time)
    return _mix(total ^ _mix(moment))


def describe_match(matches: Matches, place: int) -> str:
    """Who met whom when, for a message."""
    one = matches.part(place, place + 1)
    names = one.players.names.gather(one.seats.player).to_list()
    against = f"{names[0]} against {names[1]}" if len(names) == 2 else ", ".join(names[:4])
    when = "" if one.time is None else f" at {Held(latest=one.time).latest_text}"
    return f"{against}{when}"


def _among(hashes: Hashes, held: Hashes) -> Mask:
    """Which of these are held, each held one counted once: the second of two equal matches needs a second held one."""
    ordered = np.sort(held)
    n_held = np.searchsorted(ordered, hashes, "right") - np.searchsorted(ordered, hashes, "left")
    order = np.argsort(hashes, kind="stable")
    begins = np.searchsorted(hashes[order], hashes[order], "left")
    earlier = np.empty(len(hashes), np.int64)
    earlier[order] = np.arange(len(hashes)) - begins
    return np.asarray(earlier < n_held)


def _hash_text(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def _bits(time: Times) -> Hashes:
    # + 0.0 makes a zero of a negative zero
    return (time.astype(np.float64) + 0.0).view(np.uint64)


def _mix(values: Array) -> Hashes:
    """Steele, Lea and Flood's finaliser of splitmix64: every bit of the result depends on every bit of the value."""
    mixed = values.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


def number_by_play(matches: Matches) -> tuple[Matches, Codes]:
    """The same matches with players numbered in the order in which they first play, and the new code of each old one.

    So no result depends on the order in which a file lists its players.

    >>> matches, code = number_by_play(Matches.of_pairs([2, 1], [1, 0], [1, 1]))
    >>> matches.pairs.first.tolist(), matches.players.names.to_list(), code.tolist()
    ([0, 1], ['2', '1', '0'], [2, 1, 0])
    """
    order = _order_of_play(matches)
    code = np.empty(len(order), np.int32)
    code[order] = np.arange(len(order), dtype=np.int32)
    if np.array_equal(code, np.arange(len(code))):
        return matches, code
    return _renumbered(matches, code, Players((_whole(matches.players).gather(order),))), code


def number_by_name(matches: Matches, known: Players) -> Matches:
    """The same matches with the codes of these players, who are known by name; others follow in order of play."""
    import polars as pl

    order, names = _order_of_play(matches)[: int((matches.counts > 0).sum())], matches.players.names
    codes = pl.DataFrame({"player": known.names, "code": np.arange(len(known), dtype=np.int32)})
    found = pl.DataFrame({"player": names}).join(codes, on="player", how="left", maintain_order="left")["code"]
    code = found.fill_null(-1).to_numpy().copy()
    new = order[code[order] < 0]
    code[new] = len(known) + np.arange(len(new), dtype=np.int32)
    return _renumbered(matches, code, Players((pl.concat([known.names, names.gather(new)], rechunk=True),)))


def _order_of_play(matches: Matches) -> Counts:
    """The players' codes in the order in which they first play; those who do not play follow."""
    from ludometer.kernels.text.keys import number_small_keys

    n_players, n_known = len(matches.players), 0
    number = np.full(n_players, -1, np.int32)
    for part in matches.parts():
        codes = part.seats.player.astype(np.int64)
        n_known = number_small_keys(
            codes, number, n_known, np.empty(len(codes), np.int32), np.empty(len(codes), np.int64)
        )
    idle = number < 0
    number[idle] = n_known + np.arange(int(idle.sum()))
    return np.argsort(number)


def _renumbered(matches: Matches, code: Codes, players: Players) -> Matches:
    table = matches.table
    changed = (
        Pairs(code[table.first], code[table.second], table.halves)
        if isinstance(table, Pairs)
        else replace(table, player=code[table.player])
    )
    return replace(matches, players=players, table=changed)


def _whole(players: Players) -> Any:
    import polars as pl

    return pl.concat(players.chunks, rechunk=True) if len(players.chunks) > 1 else players.chunks[0]
