"""Tables of players: who plays whom, and how their performances become matches."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.kernels.systems.multiplayer import order_seats
from ludometer.matches import Matches, Pairs, Seats, owned
from ludometer.players import Players

_SEATS = 1 << 19


def batch_size(per_match: int) -> int:
    """Matches drawn with one generator: fixed, so that a longer run begins with the matches of a shorter one."""
    return max(_SEATS // per_match, 1)


def check_table(n_players: int, per_match: int, seed: int) -> None:
    """Refuse impossible numbers of players."""
    if n_players < 2:
        raise LudometerError(f"a game needs at least 2 players, not {n_players}")
    if not 2 <= per_match <= n_players:
        raise LudometerError(f"a match needs from 2 to all {n_players:,} players, not {per_match}")
    check_seed(seed)


def check_seed(seed: int) -> None:
    """Refuse a seed below 0."""
    if seed < 0:
        raise LudometerError(f"the seed must be a whole number from 0 up, not {seed}")


def generator(seed: int, *purpose: int) -> np.random.Generator:
    """The generator of one purpose and batch, independent of all others."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=purpose))


def draw_tables(
    rng: np.random.Generator, n: int, *, n_players: int, per_match: int = 2, activities: Floats | None = None
) -> Codes:
    """Different players for each of n matches, a row each; `activities` are cumulated, none for all alike.

    >>> draw_tables(np.random.default_rng(0), 2, n_players=3, per_match=3).tolist()
    [[2, 1, 0], [1, 0, 2]]
    """
    if activities is not None:
        return _draw_unequal(rng, n, per_match, activities)
    table = np.empty((n, per_match), np.int32)
    table[:, 0] = rng.integers(0, n_players, n)
    if per_match == 2:
        table[:, 1] = (table[:, 0] + rng.integers(1, n_players, n)) % n_players
        return table
    for seat in range(1, per_match):
        # a number among those that are left, counted on past the taken ones from the lowest up
        drawn = rng.integers(0, n_players - seat, n)
        for taken in np.sort(table[:, :seat], axis=1).T:
            drawn += drawn >= taken
        table[:, seat] = drawn
    return table


def seat_matches(table: Codes, performance: Floats, players: Players) -> Matches:
    """Matches of a table in which each finishes by performance: the highest is first."""
    n, per_match = table.shape
    if per_match == 2:
        halves = 2 * (performance[:, 0] > performance[:, 1]).astype(np.int8)
        return Matches.of_pairs(owned(table[:, 0].copy()), owned(table[:, 1].copy()), owned(halves), players=players)
    starts = np.arange(0, n * per_match + 1, per_match)
    place = rank_seats(starts, performance.ravel())
    # right by the way they were drawn, so the checks of `of_seats`, which sort all seats, are left out
    return Matches(players, Seats(owned(starts), owned(table.ravel()), owned(place)))


def rank_seats(starts: Counts, performance: Floats) -> Codes:
    """The place of each seat in its match: 1 for the highest."""
    place = np.empty(len(performance), np.int32)
    order_seats(starts, performance, place)
    return place


def join_batches(batches: Iterable[Matches], players: Players) -> Matches:
    """All matches of a game in one."""
    tables = [batch.table for batch in batches]
    if not tables:
        raise LudometerError("at least 1 match has to be played")

    def joined(name: str) -> Array:
        whole: Array = owned(np.concatenate([getattr(table, name) for table in tables]))
        return whole

    if isinstance(tables[0], Pairs):
        return Matches(players, Pairs(joined("first"), joined("second"), joined("halves")))
    per_match = int(tables[0].starts[1])
    player = joined("player")
    return Matches(players, Seats(owned(np.arange(0, len(player) + 1, per_match)), player, joined("place")))


def _draw_unequal(rng: np.random.Generator, n: int, per_match: int, ends: Floats) -> Codes:
    """Players in proportion to their activity, each once."""
    starts = np.concatenate(([0.0], ends[:-1]))
    table = np.empty((n, per_match), np.int32)
    for seat in range(per_match):
        # a point on the line of all activities with the parts of those already seated cut out
        taken = np.sort(table[:, :seat], axis=1).T
        own = ends[taken] - starts[taken]
        point = rng.random(n) * (ends[-1] - own.sum(axis=0))
        for player, length in zip(taken, own, strict=True):
            point = np.where(point < starts[player], point, point + length)
        drawn = np.minimum(np.searchsorted(ends, point, side="right"), len(ends) - 1)
        # rounding may lead to one who sits there already: the next one who does not
        while (again := (drawn == taken).any(axis=0)).any():
            drawn = np.where(again, (drawn + 1) % len(ends), drawn)
        table[:, seat] = drawn
    return table
