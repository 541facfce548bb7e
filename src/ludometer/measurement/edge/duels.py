"""Who met whom, two by two, as the likelihood wants it: one comparison that tells its own luck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.gibbs.changing import Bouts, Spells
from ludometer.matches import Matches, Pairs, Seats

MOST = 300_000
"""Matches; of a longer record as many are drawn."""


@dataclass(frozen=True, eq=False)
class Duels:
    """Two players, what the first scored, and when it was, as a part of the record."""

    first: Codes
    second: Codes
    score: Floats
    when: Floats
    n_players: int
    n_matches: int
    """Of the record, of which these may be a part."""

    def __len__(self) -> int:
        return len(self.first)

    @property
    def is_part(self) -> bool:
        """Whether some matches were left out, for there are so many."""
        return len(self) < self.n_matches

    @property
    def counts(self) -> Counts:
        """Of each player."""
        return np.bincount(self.first, minlength=self.n_players) + np.bincount(self.second, minlength=self.n_players)


def find_duels(matches: Matches, *, seed: int = 0, most: int = MOST) -> Duels:
    """Two-player matches as they are; of a multiplayer match who won against one of the others, or two by two.

    Where all places are known, seats are put together in twos at random: their orders are independent. Where only the
    winner is known, it is the winner and one of the others: that either of them won says nothing of which.

    >>> record = Matches.of_seats([0, 3, 6], [0, 1, 2, 2, 1, 0], [1, 2, 2, 1, 2, 2])
    >>> len(find_duels(record))
    2
    """
    rng = np.random.default_rng([seed, 20])
    table, n = matches.table, len(matches)
    row: Any
    if isinstance(table, Pairs):
        first, second, score = table.first, table.second, table.score
        row = np.arange(n)
    else:
        first, second, score, row = _of_tables(table, rng)
    if len(first) > most:
        chosen = np.sort(rng.choice(len(first), most, replace=False))
        first, second, score, row = first[chosen], second[chosen], score[chosen], row[chosen]
    return Duels(first, second, np.asarray(score, np.float64), _when(matches)[row], len(matches.players), n)


def _of_tables(table: Seats, rng: np.random.Generator) -> tuple[Any, Any, Any, Any]:
    """The first player, the second, the first one's score, and the match of each duel."""
    ones, others, rows = [], [], []
    only_winner = bool(np.add.reduceat(table.place > 2, table.starts[:-1]).max(initial=0) == 0)
    for size in np.unique(table.sizes):
        row = np.flatnonzero(table.sizes == size)
        seats = rng.permuted(table.starts[row][:, np.newaxis] + np.arange(size), axis=1)
        if only_winner and size > 2:
            # the winner comes first, whoever else it is after the shuffle comes second
            place = table.place[seats]
            order = np.argsort(place, axis=1, kind="stable")
            seats = np.take_along_axis(seats, order, axis=1)[:, :2]
        for left in range(0, seats.shape[1] - 1, 2):
            ones.append(seats[:, left])
            others.append(seats[:, left + 1])
            rows.append(row)
    one, other, row = np.concatenate(ones), np.concatenate(others), np.concatenate(rows)
    flip = rng.random(len(one)) < 0.5
    one, other = np.where(flip, other, one), np.where(flip, one, other)
    order = np.argsort(row, kind="stable")
    one, other, row = one[order], other[order], row[order]
    score = (1 + np.sign(table.place[other] - table.place[one])) / 2
    return table.player[one], table.player[other], score, row


def _when(matches: Matches) -> Floats:
    """0 at the beginning, 1 at the end: by time where it is known, else by number."""
    n = len(matches)
    if matches.time is not None and n > 1:
        time = matches.time.astype("datetime64[us]").astype(np.int64).astype(np.float64)
        if time[-1] > time[0] and np.isfinite(time).all():
            return np.asarray((time - time[0]) / (time[-1] - time[0]))
    return np.arange(n) / max(n, 1)


def lay_out(duels: Duels, *, spells: int = 1, seats: bool = False) -> tuple[Bouts, Spells]:
    """Every duel from both sides, players split into so many spells of equal length."""
    part = np.minimum((duels.when * spells).astype(np.int64), spells - 1)
    keys = [np.asarray(side, np.int64) * spells + part for side in (duels.first, duels.second)]
    known, place = np.unique(np.concatenate(keys), return_inverse=True)
    one, other = place[: len(duels)], place[len(duels) :]
    starts = np.searchsorted(known // spells, np.arange(duels.n_players + 1)).astype(np.int64)
    gap = np.diff(known % spells, prepend=0) / spells
    mine = np.concatenate((one, other))
    order = np.argsort(mine, kind="stable")
    side = np.repeat([1.0, -1.0] if seats else [0.0, 0.0], len(duels))
    bouts = Bouts(
        np.searchsorted(mine[order], np.arange(len(known) + 1)).astype(np.int64),
        np.concatenate((other, one))[order].astype(np.int32),
        np.concatenate((duels.score, 1 - duels.score))[order],
        side[order],
    )
    return bouts, Spells(starts, gap)
