"""Which entities play in a match, and with what weight: the sides of a record as sums over players and effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Covariate, Matches
from ludometer.players import Labels
from ludometer.ratings.state_space.effects import ADVANTAGE, PLAY, Effect


@dataclass(frozen=True, eq=False)
class Sides:
    """The sides of each match: sides[t] to sides[t + 1], of the seats from `starts` on in the order `seats`."""

    sides: Counts
    starts: Counts
    seats: Counts
    place: Codes
    ranked: Codes
    """The sides of a match in order of place."""
    share: Floats
    """The weight of each seat, in the order of `seats`."""

    @classmethod
    def of(cls, matches: Matches) -> Sides:
        """Sides in the order in which they first appear in a match; without teams each seat is one."""
        table = matches.seats
        n_seats = len(table.player)
        if matches.side is None:
            every = np.arange(n_seats + 1)
            ranked = _ranked(table.starts, table.place)
            return cls(table.starts, every, every[:-1], table.place, ranked, np.ones(n_seats))
        match = np.repeat(np.arange(len(table)), table.sizes)
        first = _first_with(match, matches.side.code)
        order = np.lexsort((np.arange(n_seats), first))
        heads = np.flatnonzero(np.diff(first[order], prepend=-1))
        starts = np.append(heads, n_seats)
        sides = np.append(np.searchsorted(match[order][heads], np.arange(len(table))), len(heads))
        place = _places(sides, table.place[order][heads])
        return cls(sides, starts, order, place, _ranked(sides, place), _shares(matches, starts, order))

    @property
    def sizes(self) -> Counts:
        """Players of each side."""
        return np.diff(self.starts)

    @property
    def match(self) -> Counts:
        """The match of each side."""
        return np.repeat(np.arange(len(self.sides) - 1), np.diff(self.sides))

    @property
    def side_of(self) -> Counts:
        """The side of each seat, in the order of `seats`."""
        return np.repeat(np.arange(len(self.starts) - 1), self.sizes)


@dataclass(frozen=True, eq=False)
class Known:
    """The entities of one effect so far: the values that were seen, and whose they are."""

    names: tuple[str, ...] = ()
    """Labels, in order of appearance."""
    keys: Counts = field(default_factory=lambda: np.zeros(0, np.int64))
    """value x 2^32 + player of each entity, in order of appearance."""

    def __len__(self) -> int:
        return len(self.keys)

    def grown(self, keys: Counts) -> tuple[Known, Codes]:
        """With the entities that are new, and the number of each of these."""
        from ludometer.kernels.text.keys import number_keys

        every = np.concatenate((self.keys, keys)).astype(np.uint64)
        size = 1 << (2 * len(every)).bit_length()
        numbers, new = np.empty(len(every), np.int32), np.empty(len(every), np.int64)
        # without a compiler NumPy would warn that hashes wrap around
        with np.errstate(over="ignore"):
            _, n = number_keys(every, np.zeros(size, np.uint64), np.full(size, -1, np.int32), 0, numbers, new)
        return replace(self, keys=every[new[:n]].astype(np.int64)), numbers[len(self.keys) :]


@dataclass(frozen=True, eq=False)
class Design:
    """Matches as the linear kernel takes them."""

    sides: Sides
    terms: Counts
    entity: Codes
    """Players by code, then the entities of the first effect, and so on."""
    load: Floats
    slot: Codes
    known: tuple[Known, ...]
    n_players: int

    @cached_property
    def kind(self) -> Codes:
        """Which effect each entity after the players is of."""
        return np.repeat(np.arange(len(self.known), dtype=np.int32), [len(one) for one in self.known])

    @property
    def most_sides(self) -> int:
        """Of one match."""
        return int(np.diff(self.sides.sides).max(initial=0))

    @property
    def most_terms(self) -> int:
        """Of one match."""
        return int(np.diff(self.terms[self.sides.sides]).max(initial=0))


def make_design(
    matches: Matches, effects: Sequence[Effect], known: Sequence[Known], n_players: int, sides: Sides | None = None
) -> Design:
    """The terms of all sides: the players, and what the effects add; entities that are `known` keep their numbers."""
    sides = Sides.of(matches) if sides is None else sides
    player = matches.seats.player[sides.seats]
    if not effects:
        return Design(sides, sides.starts, player, sides.share, np.zeros(0, np.int32), (), n_players)
    parts, grown = [(sides.side_of, player.astype(np.int64), sides.share)], list[Known]()
    n_entities, is_shared = n_players, False
    for effect, one in zip(effects, known, strict=True):
        own = _terms(matches, sides, effect, player, one)
        now, number = own.known.grown(own.keys)
        parts.append((own.side, n_entities + number.astype(np.int64), own.load))
        grown.append(now)
        n_entities += len(now)
        is_shared |= effect.whose == "all"
    side = np.concatenate([part[0] for part in parts])
    order = np.argsort(side, kind="stable")
    side = side[order]
    entity = np.concatenate([part[1] for part in parts])[order]
    load = np.concatenate([part[2] for part in parts])[order]
    terms = np.searchsorted(side, np.arange(len(sides.starts)))
    has_slots = is_shared and np.diff(sides.sides).max(initial=0) > 2
    slot = _slots(sides.match[side], terms[sides.sides[:-1]], entity) if has_slots else np.zeros(0, np.int32)
    return Design(sides, terms, entity.astype(np.int32), load, slot, tuple(grown), n_players)


@dataclass(frozen=True, eq=False)
class _Terms:
    """What an effect adds: to which side, of which entity, with which weight."""

    side: Counts
    keys: Counts
    load: Floats
    known: Known


def _terms(matches: Matches, sides: Sides, effect: Effect, player: Codes, known: Known) -> _Terms:
    """One term per seat; an effect of all on the better side has one per match."""
    seats_of_side = sides.side_of
    if effect.column == ADVANTAGE:
        # of each player: of all it is the advantage itself
        value = np.zeros(len(player), np.int64)
        better = _better(matches, sides)
        kept = better[sides.match[seats_of_side]] == seats_of_side
        return _kept(kept, seats_of_side, _key(value, player), sides.share, known)
    column, per_seat = find_column(matches, effect.column)
    if per_seat:
        column = _at(column, sides.seats)
    if effect.whose == "all" and not per_seat:
        side = _better(matches, sides)
        known, value, load = _coded(column, effect, known)
        return _kept((side >= 0) & (load != 0), side, value << 32, load, known)
    if not per_seat:
        column = _at(column, sides.match[seats_of_side])
    known, value, load = _coded(column, effect, known)
    if effect.whose == "player":
        return _kept(load != 0, seats_of_side, _key(value, player), load * sides.share, known)
    side, keys, load = _netted(sides, seats_of_side, value << 32, load * sides.share)
    return _kept(load != 0, side, keys, load, known)


def find_column(matches: Matches, name: str) -> tuple[Covariate, bool]:
    """A covariate by name, and whether it is one per seat."""
    if name in matches.seat_covariates:
        return matches.seat_covariates[name], True
    if name in matches.covariates:
        return matches.covariates[name], False
    there = ", ".join((*matches.covariates, *matches.seat_covariates)) or "none"
    raise MatchDataError(f"the ratings were fitted with the column {name!r}, which this record lacks; it has: {there}")


def _coded(column: Covariate, effect: Effect, known: Known) -> tuple[Known, Counts, Floats]:
    """Values by number and their weights: labels count 1, unknown ones 0; numbers count by size."""
    if not isinstance(column, Labels):
        weight = np.nan_to_num((column - effect.centre) / effect.unit)
        return known, np.zeros(len(column), np.int64), weight
    codes, first = np.unique(column.code, return_index=True)
    codes = codes[np.argsort(first)]
    number_of = {name: number for number, name in enumerate(known.names)}
    names = [str(name) for name in column.names.gather(codes).to_list()]
    number, weight = np.zeros(len(column.names), np.int64), np.zeros(len(column.names))
    number[codes] = [number_of.setdefault(name, len(number_of)) for name in names]
    weight[codes] = [float(name != "") for name in names]
    return replace(known, names=tuple(number_of)), number[column.code], weight[column.code]


def _key(value: Counts, player: Codes) -> Counts:
    return (value << 32) + player


def _kept(kept: Array, side: Counts, keys: Counts, load: Floats, known: Known) -> _Terms:
    return _Terms(side[kept], keys[kept], load[kept], known)


def _at(column: Covariate, rows: Counts) -> Covariate:
    return Labels(column.code[rows], column.names) if isinstance(column, Labels) else column[rows]


def _better(matches: Matches, sides: Sides) -> Counts:
    """The side of each match that is better off; -1 on neutral ground."""
    advantage = matches.advantages
    return np.where(advantage > 0, sides.sides[:-1], np.where(advantage < 0, sides.sides[1:] - 1, -1))


def _netted(sides: Sides, side: Counts, keys: Counts, load: Floats) -> tuple[Counts, Counts, Floats]:
    """What a side has twice counts once with both weights, and what two sides both have by the difference only."""
    match = sides.match[side]
    order = np.lexsort((side, keys, match))
    match, side, keys, load = match[order], side[order], keys[order], load[order]
    fresh = np.ones(len(match), bool)
    apart = (np.diff(side) != 0) & (np.diff(sides.sides)[match[1:]] != 2)
    fresh[1:] = (np.diff(match) != 0) | (np.diff(keys) != 0) | apart
    heads = np.flatnonzero(fresh)
    # what is there once keeps its side and its weight
    head_of = heads[np.cumsum(fresh) - 1]
    net = np.add.reduceat(np.where(side == side[head_of], load, -load), heads)
    return side[heads], keys[heads], net


def _slots(match: Counts, heads: Counts, entity: Counts) -> Codes:
    """The first term of its match with the same entity, for terms whose entity is there several times; else -1."""
    first = _first_with(match, entity)
    again = first != np.arange(len(first))
    if not again.any():
        return np.zeros(0, np.int32)
    again[first[again]] = True
    return np.where(again, first - heads[match], -1).astype(np.int32)


def _first_with(match: Counts, label: Counts | Codes) -> Counts:
    """For each row the first row of its match with the same label."""
    order = np.lexsort((np.arange(len(label)), label, match))
    fresh = np.ones(len(label), bool)
    fresh[1:] = (np.diff(match[order]) != 0) | (np.diff(label[order]) != 0)
    first = np.empty(len(label), np.int64)
    first[order] = order[np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0))]
    return first


def _places(sides: Counts, place: Codes) -> Codes:
    """Places among sides, from those among seats: 1, 2, 2, 4."""
    ranked = _ranked(sides, place)
    heads = np.repeat(sides[:-1], np.diff(sides))
    order = heads + ranked
    fresh = np.ones(len(place), bool)
    fresh[1:] = (np.diff(place[order]) != 0) | (np.diff(heads) != 0)
    rank = np.maximum.accumulate(np.where(fresh, np.arange(len(place)), 0)) - heads
    own = np.empty(len(place), np.int32)
    own[order] = rank + 1
    return own


def _ranked(sides: Counts, place: Codes) -> Codes:
    if (np.diff(sides) == 2).all():
        behind = place[::2] > place[1::2]
        return np.column_stack((behind, ~behind)).ravel().astype(np.int32)
    match = np.repeat(np.arange(len(sides) - 1), np.diff(sides))
    return (np.lexsort((np.arange(len(place)), place, match)) - sides[match]).astype(np.int32)


def _shares(matches: Matches, starts: Counts, seats: Counts) -> Floats:
    """Each seat's part in its side: 1, or its share of what the side played, where a column tells."""
    name = next((name for name in PLAY if name in matches.seat_covariates), None)
    if name is None:
        return np.ones(len(seats))
    played = matches.seat_covariates[name]
    if isinstance(played, Labels):
        raise LudometerError(f"the column {name} must hold numbers: how much of the match each player played")
    played = np.asarray(played[seats], np.float64)
    if (played < 0).any():
        row = int(seats[np.flatnonzero(played < 0)[0]]) + 1
        raise MatchDataError(f"{name} must be at least 0: a player cannot play less than nothing (row {row})")
    sizes = np.diff(starts)
    is_known = np.isfinite(played)
    total = np.add.reduceat(np.where(is_known, played, 0.0), starts[:-1])
    n_known = np.add.reduceat(is_known.astype(np.float64), starts[:-1])
    mean = np.where(total > 0, total / np.maximum(n_known, 1), 1.0)
    # who is unknown played as much as the others on average; where nobody played, all did alike
    filled = np.where(is_known & np.repeat(total > 0, sizes), played, np.repeat(mean, sizes))
    return np.asarray(filled / np.repeat(np.add.reduceat(filled, starts[:-1]), sizes))
