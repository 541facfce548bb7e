"""What each seat won, relative to its table: in money or points where a record has them, else in wins.

A value is what a seat got above the mean of its table, so chance gives 0. What the seat itself is worth (White, home,
first to move) is taken out as the mean of that seat, unless the file lists players in the order in which they finished.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.matches import Matches, Pairs, Seats
from ludometer.ratings.prizes import Prizes, seat_columns
from ludometer.ratings.systems.elo import play_observed
from ludometer.scale import to_elo
from ludometer.selection import earlier_matches

Basis = Literal["money", "points", "wins"]

MOST_SEATS = 2_000_000
"""Of a longer record the matches of a random sample of players are used."""

_LISTED_BY_RESULT = 0.98
"""Where so many matches list their players in the order in which they finished, the order is no seat."""

_FEWEST_SEATS = 200
_MOST_SIZES = 64
"""Tables up to this size have seats of their own; at larger ones a seat means little."""


@dataclass(frozen=True, eq=False)
class SeatValues:
    """The matches of the players who count, one entry per seat, in order of time."""

    player: Codes
    """From 0 up, among the players who count."""
    block: Counts
    """Matches of one session have the same number; without sessions each match has its own."""
    value: Floats
    """What the seat got above the mean of its table, without what the seat is worth."""
    opponents: Floats
    """Mean rating of the opponents before the match, in Elo points."""
    earlier: Counts
    """Matches that the player had played before."""
    codes: Codes
    """The code of each player in the record."""
    basis: Basis
    level: float
    """What a seat gets on average: 0.5 wins of a duel."""
    first_seat: float | None
    """What the first seat got above the mean of its table, before it was taken out; None where seats are no seats."""
    has_sessions: bool
    sampled: bool
    """Whether only some of the players are here, because the record is long."""

    @property
    def n_players(self) -> int:
        """How many players count."""
        return len(self.codes)

    @property
    def counts(self) -> Counts:
        """Matches of each of them."""
        return np.bincount(self.player, minlength=self.n_players)

    def sums(self, of: Floats | None = None) -> Floats:
        """The values, or these numbers, summed by player."""
        return np.bincount(self.player, self.value if of is None else of, self.n_players).astype(np.float64)

    @property
    def means(self) -> Floats:
        """What each player got per match above chance."""
        return self.sums() / np.maximum(self.counts, 1)

    @property
    def unit(self) -> str:
        """What a value of 1 is, for a reader."""
        return {"money": "units of money", "points": "points", "wins": "wins"}[self.basis]


def collect_values(
    matches: Matches,
    *,
    k: float,
    min_matches: int,
    prizes: Prizes,
    seed: Sequence[int],
    most: int = MOST_SEATS,
) -> SeatValues:
    """The values of the players with at least `min_matches` matches; k is that of the ratings of their opponents.

    >>> duels = Matches.of_pairs([0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0])
    >>> from ludometer.ratings.prizes import WINNER
    >>> collect_values(duels, k=10, min_matches=1, prizes=WINNER, seed=[0]).means.tolist()
    [0.25, -0.25]
    """
    basis = _basis(matches)
    counted, sampled = _choose_players(matches.counts, min_matches, seed, most)
    collector = _Collector(counted, basis, prizes)
    play_observed(matches, k, collector, prizes=prizes)
    return collector.finish(sampled=sampled)


def _basis(matches: Matches) -> Basis:
    """Columns that nobody asked for stay unused: they are no part of the fingerprint."""
    if isinstance(matches.table, Seats) and matches.table.prize is not None:
        return "money"
    if matches.score is not None and "score" not in matches.unasked and np.nanstd(matches.score) > 0:
        return "points"
    return "wins"


def _choose_players(counts: Counts, min_matches: int, seed: Sequence[int], most: int) -> tuple[Mask, bool]:
    counted = counts >= min_matches
    if counts[counted].sum() <= most:
        return counted, False
    drawn = np.random.default_rng([*seed, 0]).permutation(np.flatnonzero(counted))
    kept = drawn[: max(int(np.searchsorted(np.cumsum(counts[drawn]), most)), 1)]
    chosen = np.zeros(len(counts), bool)
    chosen[kept] = True
    return chosen, True


class _Collector:
    """Sees a pass of Elo ratings, part by part, and keeps what belongs to the players who count."""

    def __init__(self, counted: Mask, basis: Basis, prizes: Prizes) -> None:
        self.basis, self.prizes = basis, prizes
        self.codes = np.flatnonzero(counted).astype(np.int32)
        self.place = np.full(len(counted), -1, np.int32)
        self.place[self.codes] = np.arange(len(self.codes), dtype=np.int32)
        self.restart()

    def restart(self) -> None:
        """A new pass begins."""
        self.kept: list[tuple[Codes, Counts, Floats, Floats, Counts]] = []
        self.n_matches = self.n_listed_by_result = 0
        self.seat_sums, self.seat_counts = np.zeros((2, 3 * _MOST_SIZES * _MOST_SIZES))
        self.direction = self.total = 0.0
        self.has_sessions = False

    def add(self, part: Matches, expected: Floats, before: Floats) -> None:  # noqa: ARG002 - ratings are enough
        """The next matches."""
        seats = part.seats
        starts, sizes = seats.starts, seats.sizes
        match = np.repeat(np.arange(len(part)), sizes)
        worth = _worth(part, seats, self.basis, self.prizes)
        value = _centred(worth, starts, sizes)
        rating = to_elo(before.ravel())
        others = (np.repeat(np.add.reduceat(rating, starts[:-1]), sizes) - rating) / (sizes[match] - 1)
        key = _seat_keys(part, starts, sizes, match)
        known = np.isfinite(value)
        self.total += float(worth[known].sum())
        self.seat_sums += np.bincount(key[known], value[known], minlength=len(self.seat_sums))
        self.seat_counts += np.bincount(key[known], minlength=len(self.seat_counts))
        if self.basis == "points":
            self.direction -= float(np.nansum(value * _centred(seats.place.astype(float), starts, sizes)))
        falls = np.concatenate((np.diff(seats.place) < 0, [False]))
        falls[starts[1:] - 1] = False
        self.n_listed_by_result += len(part) - len(np.unique(match[falls]))
        self.has_sessions = part.session is not None
        block = match + self.n_matches if part.session is None else part.session.code[match].astype(np.int64)
        chosen = (self.place[seats.player] >= 0) & known
        self.kept.append((self.place[seats.player][chosen], block[chosen], value[chosen], others[chosen], key[chosen]))
        self.n_matches += len(part)

    def finish(self, *, sampled: bool) -> SeatValues:
        player, block, value, others, key = (np.concatenate(column) for column in zip(*self.kept, strict=True))
        first = None
        if self.n_listed_by_result < _LISTED_BY_RESULT * self.n_matches:
            # a kind of seat with few matches would lose its players' own results with its mean
            mean = np.where(self.seat_counts >= _FEWEST_SEATS, self.seat_sums / np.maximum(self.seat_counts, 1), 0.0)
            value = value - mean[key]
            listed_first = np.arange(len(mean)) % _MOST_SIZES == 0
            total = self.seat_counts[listed_first].sum()
            first = float(self.seat_sums[listed_first].sum() / total) if total else None
        if self.direction < 0:
            # fewer points are better, as in golf
            value, first = -value, None if first is None else -first
        return SeatValues(
            player,
            block,
            value,
            others,
            earlier_matches(player),
            self.codes,
            self.basis,
            self.total / max(float(self.seat_counts.sum()), 1.0),
            first,
            self.has_sessions,
            sampled,
        )


def _worth(part: Matches, seats: Seats, basis: Basis, prizes: Prizes) -> Floats:
    """What each seat got."""
    if basis == "money":
        assert seats.prize is not None
        return seats.prize
    if basis == "points":
        assert part.score is not None
        return part.score
    if isinstance(part.table, Pairs):
        return np.column_stack((part.table.score, 1 - part.table.score)).ravel()
    return seat_columns(seats, prizes)[1]


def _centred(worth: Floats, starts: Counts, sizes: Counts) -> Floats:
    """Above the mean of the table; a table with an unknown number is unknown."""
    return worth - np.repeat(np.add.reduceat(worth, starts[:-1]) / sizes, sizes)


def _seat_keys(part: Matches, starts: Counts, sizes: Counts, match: Counts) -> Counts:
    """Which kind of seat it is: its place in the list, the size of the table, and whom the venue favours."""
    seat = np.minimum(np.arange(len(match)) - starts[:-1][match], _MOST_SIZES - 1)
    size = np.minimum(sizes[match], _MOST_SIZES) - 1
    favoured = part.advantages[match].astype(np.int64) + 1
    return np.asarray((favoured * _MOST_SIZES + size) * _MOST_SIZES + seat)
