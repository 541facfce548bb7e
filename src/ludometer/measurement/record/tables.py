"""Flattened tables and teams: multiplayer matches that were written as pairs.

A table of six written as "the winner beat each of the others" is one result, not five, and 5 against 5 written as all
25 pairs is one result too. Measured pair by pair, the luck of one match looks like that of many that agree: skill.
Such pairs stand at one time, or in adjacent rows, and together they are perfect: one player beat all others, or all
met all and nobody upset the order, or each of one side beat each of the other. Days of real tournaments are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Mask
from ludometer.matches import Matches, Pairs
from ludometer.measurement.record.repeats import Meetings, mixed

Form = Literal["none", "winner", "order", "teams"]

_FEWEST = 20
"""Tables, below which nothing is said."""
_PERFECT = 0.95
"""The share of tables that must be perfect."""
_UNTELLABLE = 0.9
"""Where the better player wins as often as this anyway, days of real matches look perfect too."""
_INSIDE = 0.8
"""Where there are no times, the share of rows that must belong to perfect tables."""
_SAMPLE = 1 << 16
"""Rows that are looked at before the whole record is."""
_LONGEST = 150
"""Rows that one table makes at most, where there are no times."""
_TOUCHING = 0.3
"""Below this share of adjacent rows with a player in common, tables do not stand in adjacent rows."""


@dataclass(frozen=True)
class Flattened:
    """Whether pairs are what is left of tables or teams, and whether they were put together again."""

    kind: Form = "none"
    """The winner against each other, everybody against everybody, or each of a side against each of the other."""
    tables: int = 0
    rows: int = 0
    """Pairs that these tables make."""
    cured: bool = False

    @property
    def suspected(self) -> bool:
        """Whether anything was found."""
        return self.kind != "none"

    def lines(self) -> tuple[str, ...]:
        """In words."""
        if not self.suspected:
            return ()
        says = {
            "winner": "multiplayer matches, written as the winner against each other player",
            "order": "multiplayer matches, written as all pairs of their players",
            "teams": "matches of two teams, written as all pairs of opponents",
        }[self.kind]
        found = f"{self.rows:,} rows are {self.tables:,} {says}"
        remedy = "write one row per player, with the column of the match (--match)"
        if self.kind == "teams":
            done = "one pair of each match counts, since measure does not rate teams"
            remedy += " and of the team (--side), to rate them"
        else:
            done = "they were put together again"
            remedy += " and the place, to say so yourself"
        return (f"{found}; {done if self.cured else 'their pairs are not matches of their own'}; {remedy}",)

    def document(self) -> dict[str, Any]:
        """The JSON."""
        return {"suspected": self.suspected, "kind": self.kind, "tables": self.tables, "cured": self.cured}


def restore_tables(matches: Matches, *, cure: bool = True) -> tuple[Matches, Flattened]:
    """The matches with tables put together again, and what was found.

    >>> tables = np.random.default_rng(0).permuted(np.tile(np.arange(40), (30, 1)), axis=1)[:, :4]
    >>> flat = Matches.of_pairs(tables[:, [0]].repeat(3, axis=1).ravel(), tables[:, 1:].ravel(), np.ones(90))
    >>> whole, found = restore_tables(flat)
    >>> found.kind, found.tables, len(whole), whole.table.place[:4].tolist()
    ('winner', 30, 30, [1, 2, 2, 2])
    """
    table = matches.table
    if not isinstance(table, Pairs) or len(table) < 2 * _FEWEST or matches.side is not None:
        return matches, Flattened()
    found = _find_tables(matches, table)
    if found is None or found.foreseeable(table) >= _UNTELLABLE:
        return matches, Flattened()
    kind = found.kind
    about = Flattened(kind, found.n_tables, int(found.inside.sum()), cure)
    if not cure:
        return matches, about
    return (_one_pair_each(matches, found) if kind == "teams" else _put_together(matches, found)), about


def _find_tables(matches: Matches, pairs: Pairs) -> _Tables | None:
    """Tables at one time, or in adjacent rows; None if there are none."""
    if matches.time is not None and len(pairs):
        slot = np.concatenate(([0], np.cumsum(matches.time[1:] != matches.time[:-1])))
        if slot[-1] < len(pairs) - _FEWEST and (found := _look(pairs, slot)) is not None:
            return found
    if len(pairs) > _SAMPLE and _find_in_rows(_first_rows(pairs, _SAMPLE)) is None:
        return None
    return _find_in_rows(pairs)


def _find_in_rows(pairs: Pairs) -> _Tables | None:
    """Tables in adjacent rows."""
    if not _touches(pairs):
        return None
    rows = np.arange(len(pairs))
    slots = [_same_winner(pairs)]
    lengths = range(2, min(_LONGEST, len(pairs) // _FEWEST) + 1)
    if lengths:
        # a piece of a table is as perfect as the table, but leaves more matches
        slots.append(rows // min(lengths, key=lambda length: _sampled(pairs, length).left))
    best: _Tables | None = None
    for slot in slots:
        found = _Tables.of(pairs, slot)
        # where the winner stays on, half of the winners lose the next match, and many rows stand alone
        is_one = found.are_found and np.mean(found.inside) > _INSIDE and not _is_sorted(pairs, slot)
        # two tables in a row with one winner look like one table: equal lengths are better if they explain as much
        if is_one and (best is None or found.left < 1.05 * best.left or found.inside.all()):
            best = found
    return best


def _sampled(pairs: Pairs, length: int) -> _Tables:
    """The first tables, if each makes so many rows."""
    some = _first_rows(pairs, 5 * _FEWEST * length)
    return _Tables.of(some, np.arange(len(some)) // length)


def _first_rows(pairs: Pairs, n: int) -> Pairs:
    return Pairs(pairs.first[:n], pairs.second[:n], pairs.halves[:n])


def _look(pairs: Pairs, slot: Counts) -> _Tables | None:
    """Tables if pairs with one slot are such; a part of the record is looked at first, since most records have none."""
    if len(slot) > _SAMPLE:
        part = int(np.searchsorted(slot, slot[_SAMPLE])) or _SAMPLE
        if not _Tables.of(_first_rows(pairs, part), slot[:part]).are_found:
            return None
    found = _Tables.of(pairs, slot)
    return found if found.are_found else None


def _touches(pairs: Pairs) -> bool:
    """Whether adjacent rows have a player in common so often that tables may be written below each other."""
    first, second = pairs.first[:_SAMPLE], pairs.second[:_SAMPLE]
    one = (first[1:] == first[:-1]) | (second[1:] == second[:-1])
    return bool(np.mean(one | (first[1:] == second[:-1]) | (second[1:] == first[:-1])) > _TOUCHING)


def _same_winner(pairs: Pairs) -> Counts:
    """Rows that follow each other with one winner and other losers, numbered; a draw stands alone."""
    winner, loser = _winner_and_loser(pairs)
    # a loser who was beaten by this winner already begins a new table: where that was, counted from the last change
    change = np.concatenate(([True], (winner[1:] != winner[:-1]) | (winner[1:] < 0)))
    run = np.cumsum(change) - 1
    order = np.lexsort((np.arange(len(run)), loser, run))
    again = (run[order][1:] == run[order][:-1]) & (loser[order][1:] == loser[order][:-1])
    change[order[1:][again]] = True
    return np.cumsum(change) - 1


def _is_sorted(pairs: Pairs, slot: Counts) -> bool:
    """Whether this is a list sorted by winner: slots in a row have the same one, who does not come back later."""
    winner, _ = _winner_and_loser(pairs)
    holder = winner[np.flatnonzero(np.concatenate(([True], slot[1:] != slot[:-1])))]
    n_stretches = 1 + np.count_nonzero(holder[1:] != holder[:-1])
    return bool(n_stretches < 1.25 * len(np.unique(holder)) and len(holder) > 1.5 * n_stretches)


def _winner_and_loser(pairs: Pairs) -> tuple[Codes, Codes]:
    """-1 and the second player, where a match is drawn."""
    won, lost = pairs.halves == 2, pairs.halves == 0
    winner = np.where(won, pairs.first, np.where(lost, pairs.second, -1))
    return winner, np.where(lost, pairs.first, pairs.second)


@dataclass(frozen=True, eq=False)
class _Tables:
    """Players who met in one slot, directly or not, as tables; and which of these are perfect."""

    table: Counts
    """Of each row."""
    form: Codes
    """Of each table: 0 none, 1 a winner or a loser, 2 an order, 3 teams; -1 if only two players met."""
    seat_table: Counts
    seat_player: Codes
    wins: Counts
    losses: Counts
    met: Counts
    """Of each seat."""
    one: Codes
    other: Codes
    """Of each row, its seats."""

    @classmethod
    def of(cls, pairs: Pairs, slot: Counts) -> _Tables:
        """From who met in which slot."""
        from ludometer.kernels.skills.graph import components

        n_rows, n_players = len(pairs), int(max(pairs.first.max(), pairs.second.max())) + 1
        both = np.concatenate((slot * n_players + pairs.first, slot * n_players + pairs.second))
        key, seat = np.unique(both, return_inverse=True)
        one, other = seat[:n_rows].astype(np.int32), seat[n_rows:].astype(np.int32)
        label = components(one, other, len(key)).astype(np.int64)
        table = label[one]
        v, e = np.bincount(label), np.bincount(table)
        won, lost = pairs.halves == 2, pairs.halves == 0
        wins = np.bincount(one, won, len(key)) + np.bincount(other, lost, len(key))
        losses = np.bincount(one, lost, len(key)) + np.bincount(other, won, len(key))
        met = np.bincount(one, minlength=len(key)) + np.bincount(other, minlength=len(key))
        links = np.unique(np.minimum(one, other).astype(np.int64) * len(key) + np.maximum(one, other))
        n_links = np.bincount(label[(links // len(key))], minlength=len(v))
        simple = n_links == e
        most_won, most_lost = (_highest(label, own, len(v)) for own in (wins, losses))
        star = simple & (e == v - 1) & ((most_won == e) | (most_lost == e))
        ahead = np.sign((wins - losses)[one] - (wins - losses)[other])
        order = simple & (e == v * (v - 1) // 2) & (np.bincount(table, ahead != pairs.halves - 1, len(v)) == 0)
        # of teams each wins all its pairs or loses all; if they drew, those listed first are one team
        drawn = pairs.halves == 1
        all_drawn = np.bincount(table, drawn, len(v)) == e
        listed_first = np.bincount(one, minlength=len(key))
        high = np.where(all_drawn[label], listed_first == met, wins == met)
        low = np.where(all_drawn[label], listed_first == 0, losses == met)
        n_high, n_low = np.bincount(label, high, len(v)), np.bincount(label, low, len(v))
        teams = simple & (n_high * n_low == e) & (n_high + n_low == v) & (n_high > 1) & (n_low > 1)
        form = np.select([v < 3, star, order, teams], [-1, 1, 2, 3], 0).astype(np.int32)
        player = (key % n_players).astype(np.int32)
        return cls(table, form, label, player, wins.astype(np.int64), losses.astype(np.int64), met, one, other)

    @property
    def share(self) -> float:
        """How many of them are perfect."""
        return self.n_tables / max(int(np.count_nonzero(self.form >= 0)), 1)

    @property
    def left(self) -> float:
        """Matches that are left for each row, if perfect tables are put together."""
        return (self.n_tables + np.count_nonzero(~self.inside)) / len(self.table)

    @property
    def are_found(self) -> bool:
        """Whether there are enough, practically all of them perfect."""
        return self.n_tables >= _FEWEST and self.share >= _PERFECT

    def foreseeable(self, pairs: Pairs) -> float:
        """The share of results that are foreseen if whoever did better at other tables is expected to win."""
        n_players = int(self.seat_player.max()) + 1
        lead, met = self.wins - self.losses, self.met
        total, played = (np.bincount(self.seat_player, own, n_players) for own in (lead, met))
        elsewhere = (total[self.seat_player] - lead) / (played[self.seat_player] - met + 2)
        expected = np.sign(elsewhere[self.one] - elsewhere[self.other])
        return float(np.mean((1 + expected * (pairs.halves.astype(float) - 1)) / 2))

    @property
    def kind(self) -> Form:
        """What most of them are."""
        counts = np.bincount(self.form[self.form > 0], minlength=4)
        kinds: tuple[Form, ...] = ("none", "winner", "order", "teams")
        return kinds[int(np.argmax(counts))]

    @property
    def n_tables(self) -> int:
        """How many are perfect."""
        return int(np.count_nonzero(self.form > 0))

    @property
    def inside(self) -> Mask:
        """The rows of perfect tables."""
        return np.asarray(self.form[self.table] > 0)


def _highest(label: Counts, values: Any, n: int) -> Any:
    highest = np.zeros(n)
    np.maximum.at(highest, label, values)
    return highest


def _one_pair_each(matches: Matches, found: _Tables) -> Matches:
    """One row of each match of teams, chosen by who plays, not by how it ended; other rows stay."""
    who = Meetings.of(matches).who
    first_row = np.full(len(found.form), len(who), np.int64)
    np.minimum.at(first_row, found.table, np.arange(len(who)))
    lot = mixed(who ^ first_row[found.table].astype(np.uint64))
    order = np.lexsort((lot, found.table))
    new = np.concatenate(([True], found.table[order][1:] != found.table[order][:-1]))
    kept = ~found.inside
    kept[order[new]] = True
    return matches.take(kept)


def _put_together(matches: Matches, found: _Tables) -> Matches:
    """Perfect tables as multiplayer matches, the winner first; other rows stay matches of two."""
    pairs, inside = matches.pairs, found.inside
    n_rows = len(pairs)
    # every row that stays alone is a match of its own, after the tables
    alone = np.flatnonzero(~inside)
    first_row = np.full(len(found.form), n_rows, np.int64)
    np.minimum.at(first_row, found.table, np.arange(n_rows))
    seated = found.form[found.seat_table] > 0
    row = np.concatenate((first_row[found.seat_table[seated]], np.repeat(alone, 2)))
    player = np.concatenate((found.seat_player[seated], np.column_stack((pairs.first, pairs.second))[alone].ravel()))
    seats = matches.seats
    place = np.concatenate((found.losses[seated] + 1, seats.place.reshape(-1, 2)[alone].ravel()))
    order = np.lexsort((np.arange(len(row)), place, row))
    kept, counts = np.unique(row, return_counts=True)
    chosen = matches.take(_mask(kept, n_rows))
    columns: Any = {name: getattr(chosen, name) for name in ("session", "weight") if getattr(chosen, name) is not None}
    if chosen.covariates:
        columns["covariates"] = chosen.covariates
    return Matches.of_seats(
        np.concatenate(([0], np.cumsum(counts))),
        player[order],
        place[order],
        players=matches.players,
        time=chosen.time,
        ordered=True,
        **columns,
    )


def _mask(rows: Counts, n: int) -> Mask:
    mask = np.zeros(n, bool)
    mask[rows] = True
    return mask
