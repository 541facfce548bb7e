"""Accounts that a human should look at; none of them is ever left out.

A list, not a judgement: someone who never loses may be a cheat, a program or a champion, and someone who changes
strength overnight may have sold the account or recovered from an illness. Each test allows for what players of this
record do anyway, and for having looked at all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.matches import Matches, Pairs
from ludometer.wording import percent

_MOST = 20
_FEWEST = 20
"""Matches below which nothing about a player is odd."""
_ODD = 1e-3
"""How rarely any player of the record would look like this by chance."""
_PARTNER = 0.9
"""The share of matches against one opponent that makes two players a closed pair."""
_MEETINGS = 12
"""Decided matches of a pair, below which nothing is said about how wins alternate."""
_STEP = 0.25
"""The smallest change of a score that is called a change of strength."""
_LONG = 40
"""Matches that a player needs for a change of strength to be looked for."""
_MOST_PLAYERS, _MOST_ROWS = 2_000, 1 << 21
"""Of longer records the most active players and the first rows are looked at, so that it takes seconds."""


@dataclass(frozen=True)
class Account:
    """A player, and what is odd about their results."""

    player: str
    why: str


@dataclass(frozen=True)
class _Odd:
    """A finding, and how rarely it would come about by chance."""

    chance: float
    code: int
    why: str


def list_accounts(matches: Matches) -> tuple[Account, ...]:
    """Accounts worth a look, the oddest first, at most 20.

    >>> rng = np.random.default_rng(0)
    >>> first, second = rng.permuted(np.tile(np.arange(20), (900, 1)), axis=1)[:, :2].T
    >>> coin = rng.integers(2, size=900)
    >>> list_accounts(Matches.of_pairs(first, second, np.where(first == 7, 1, np.where(second == 7, 0, coin))))
    (Account(player='7', why='never lost in 77 matches'),)
    """
    if len(matches) < 2 * _FEWEST:
        return ()
    found = list(_extremes(matches))
    if isinstance(matches.table, Pairs):
        table = matches.table
        part = Pairs(table.first[:_MOST_ROWS], table.second[:_MOST_ROWS], table.halves[:_MOST_ROWS])
        found += [*_of_two(part, matches), *_changes(part, matches)]
    best: dict[int, _Odd] = {}
    for odd in sorted(found, key=lambda odd: (odd.chance, odd.code)):
        best.setdefault(odd.code, odd)
    names = matches.players.names
    return tuple(Account(names[odd.code], odd.why) for odd in list(best.values())[:_MOST])


def _extremes(matches: Matches) -> Iterator[_Odd]:
    """Who never lost or never won, where hardly anybody comes near."""
    n_players, table = len(matches.players), matches.table
    played = matches.counts
    if isinstance(table, Pairs):
        lost = _count(table.first[table.halves == 0], n_players) + _count(table.second[table.halves == 2], n_players)
        won = _count(table.first[table.halves == 2], n_players) + _count(table.second[table.halves == 0], n_players)
        tests = {"never lost": lost, "never won": won}
    else:
        won = _count(table.player[table.place == 1], n_players)
        tests = {"won every time": played - won, "never won": won}
    enough = played >= _FEWEST
    for why, count in tests.items():
        if enough.sum() < _FEWEST:
            return
        # how often the best twentieth of the players avoids it in one match
        usual = float(np.quantile(1 - count[enough] / played[enough], 0.95))
        for code in np.flatnonzero(enough & (count == 0)):
            chance = int(enough.sum()) * min(usual, 1.0) ** int(played[code])
            if chance < _ODD:
                yield _Odd(chance, int(code), f"{why} in {played[code]:,} matches")


def _count(codes: Codes, n_players: int) -> Counts:
    return np.bincount(codes, minlength=n_players)


def _of_two(pairs: Pairs, matches: Matches) -> Iterator[_Odd]:
    """What is odd about two players together."""
    low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
    n_players = int(high.max()) + 1
    key, pair = np.unique(low.astype(np.int64) * n_players + high, return_inverse=True)
    low, high = (key // n_players).astype(np.int32), (key % n_players).astype(np.int32)
    yield from _closed_pairs(pair, low, high)
    yield from _traders(pairs, pair, low, high, matches)


def _closed_pairs(pair: Counts, low: Codes, high: Codes) -> Iterator[_Odd]:
    """Who plays nearly only against one other, who does likewise, where players have many opponents."""
    met = np.bincount(pair)
    n_players = int(high.max()) + 1
    played = np.bincount(low, met, n_players) + np.bincount(high, met, n_players)
    most = np.zeros(n_players)
    np.maximum.at(most, low, met)
    np.maximum.at(most, high, met)
    enough = played >= _FEWEST
    if enough.sum() < _FEWEST or np.median(most[enough] / played[enough]) > 0.5:
        return
    closed = (met >= _PARTNER * played[low]) & (met >= _PARTNER * played[high]) & enough[low]
    # nothing to compute: it is as odd as the most extreme record
    for place in np.flatnonzero(closed):
        for code in (low[place], high[place]):
            yield _Odd(0.0, int(code), f"{met[place]:,} of {int(played[code]):,} matches against one opponent")


def _traders(pairs: Pairs, pair: Counts, low: Codes, high: Codes, matches: Matches) -> Iterator[_Odd]:
    """Pairs whose wins alternate far more than those of other pairs do."""
    decided = np.flatnonzero((pairs.halves != 1) & (np.bincount(pair) >= _MEETINGS)[pair])
    order = decided[np.argsort(pair[decided], kind="stable")]
    won = (pairs.halves[order] == 2) == (pairs.first[order] < pairs.second[order])
    same = pair[order][1:] == pair[order][:-1]
    swapped = same & (won[1:] != won[:-1])
    n_steps = np.bincount(pair[order][1:], same, len(low))
    n_swaps = np.bincount(pair[order][1:], swapped, len(low))
    often = np.flatnonzero(n_steps >= _MEETINGS - 1)
    if not len(often):
        return
    usual = min(max(0.5, n_swaps.sum() / n_steps.sum()), 0.999)
    names = matches.players.names
    for place in often:
        chance = len(often) * _tail(n_swaps[place], n_steps[place], usual)
        if chance < _ODD:
            for code, other in ((low[place], high[place]), (high[place], low[place])):
                share = percent(n_swaps[place] / n_steps[place], 0)
                why = f"trades wins with {names[int(other)]}: {share} of {int(n_steps[place]) + 1:,} results alternate"
                yield _Odd(chance, int(code), why)


def _tail(successes: float, trials: float, rate: float) -> float:
    """A bound (Chernoff's) of the chance of so many successes or more."""
    share = successes / trials
    if share <= rate:
        return 1.0
    rest = 0.0 if share >= 1 else (1 - share) * math.log((1 - share) / (1 - rate))
    return math.exp(-trials * (share * math.log(share / rate) + rest))


def _changes(pairs: Pairs, matches: Matches) -> Iterator[_Odd]:
    """Who scores far better or worse from some match on, opponents allowed for."""
    n_players = len(matches.players)
    score = pairs.halves / 2
    played = _count(pairs.first, n_players) + _count(pairs.second, n_players)
    total = np.bincount(pairs.first, score, n_players) + np.bincount(pairs.second, 1 - score, n_players)
    mean = (total + 1) / (played + 2)
    active = played >= _LONG
    if np.count_nonzero(active) > _MOST_PLAYERS:
        active &= played >= np.partition(played, -_MOST_PLAYERS)[-_MOST_PLAYERS]
    rows = np.flatnonzero(active[pairs.first] | active[pairs.second])
    if not len(rows):
        return
    player = np.column_stack((pairs.first[rows], pairs.second[rows])).ravel()
    # what was scored beyond what the opponent usually allows
    beyond = np.column_stack(
        (score[rows] - (1 - mean[pairs.second[rows]]), 1 - score[rows] - (1 - mean[pairs.first[rows]]))
    ).ravel()
    order = np.argsort(player, kind="stable")
    order = order[active[player[order]]]
    when, player, beyond = order // 2, player[order], beyond[order]
    start = np.flatnonzero(np.concatenate(([True], player[1:] != player[:-1])))
    for begin, stop in zip(start, [*start[1:], len(player)], strict=True):
        odd = _change(beyond[begin:stop], int(active.sum()))
        if odd is not None:
            chance, at, before, after = odd
            row = int(rows[when[begin + at]])
            date = f"match {at + 1:,}" if matches.time is None else str(matches.time[row])[:10]
            mine = mean[player[begin]]
            own = [min(max(mine + own, 0.0), 1.0) for own in (before, after)]
            why = f"strength changed at {date}: scored {percent(own[0], 0)} before and {percent(own[1], 0)} after"
            yield _Odd(chance, int(player[begin]), why)


def _change(beyond: Floats, n_looked: int) -> tuple[float, int, float, float] | None:
    """The chance of so large a change, where it was, and how far the mean lay off before and after."""
    centred = beyond - beyond.mean()
    spread = math.sqrt(float(centred @ centred) / len(centred))
    if spread == 0:
        return None
    path = np.cumsum(centred)[:-1]
    at = int(np.argmax(np.abs(path))) + 1
    height = abs(float(path[at - 1])) / (spread * math.sqrt(len(centred)))
    # the highest point of a Brownian bridge
    chance = n_looked * 2 * math.exp(-2 * height**2)
    before, after = float(centred[:at].mean()), float(centred[at:].mean())
    return (chance, at, before, after) if chance < _ODD and abs(after - before) > _STEP else None
