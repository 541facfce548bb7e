"""Is the first seat better, or are the better players listed first? Often nothing in a record can tell.

A seat that is worth something and players who differ in how often they sit there look like strength; strength looks
like a seat if the favourite, or the winner, is listed first. It is a seat if everybody has it about equally often, if
players form two camps (hosts and guests) that have no order inside, or if the same two players met in both orders and
players differ more in how often they sit first than in how often they win: a listing by result cannot do that.
"""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Mask
from ludometer.matches import Pairs

_A_LISTING = 0.93
"""A first seat that scores more is a way of listing."""

_EVEN = 0.06
"""The SD of shares of first seats, beyond chance, that does no harm."""

_CAMP, _CAMPS = 0.1, 0.8
"""A player who sits first less often than the first, or more often than 1 minus it, is of a camp; and how many are."""

_MIXED, _MORE = 0.1, 1.05
"""The part of matches between two players who met in both orders, and by how much shares of first seats have to differ
more than shares of wins."""


def is_a_seat(table: Pairs, counted: Mask) -> bool:
    """Whether what the first seat scores more is surely that of a seat.

    >>> rng = np.random.default_rng(1)
    >>> hosts, guests = rng.integers(0, 50, 4000), rng.integers(50, 100, 4000)
    >>> wins = (2 * (rng.random(4000) < 0.7)).astype(np.int8)
    >>> is_a_seat(Pairs(hosts, guests, wins), np.ones(100, bool))
    True
    >>> one, other = np.sort(rng.choice(100, (4000, 2)) * 2 + [0, 1], axis=1).T
    >>> is_a_seat(Pairs(one, other, wins), np.ones(200, bool))
    False
    """
    n = len(counted)
    first, second = (np.bincount(side, minlength=n).astype(np.float64) for side in (table.first, table.second))
    played = first + second
    who = counted & (played > 0)
    if not who.any() or table.score.mean() > _A_LISTING:
        return False
    share = first[who] / played[who]
    by_chance = float((0.25 / played[who]).mean())
    differ = float(share.var()) - by_chance
    if differ < _EVEN**2:
        return True
    if float(((share < _CAMP) | (share > 1 - _CAMP)).mean()) > _CAMPS:
        return True
    points = np.bincount(table.first, weights=table.score, minlength=n)
    points += np.bincount(table.second, weights=1 - table.score, minlength=n)
    wins = points[who] / played[who]
    return _share_mixed(table, n) > _MIXED and differ > _MORE**2 * (float(wins.var()) - by_chance)


def _share_mixed(table: Pairs, n: int) -> float:
    """The part of all matches that belongs to two players who met in both orders."""
    low, high = np.minimum(table.first, table.second), np.maximum(table.first, table.second)
    pair = low.astype(np.int64) * n + high
    _, place = np.unique(pair, return_inverse=True)
    forward = np.bincount(place, weights=table.first == low)
    total = np.bincount(place)
    mixed = (forward > 0) & (forward < total)
    return float(total[mixed].sum() / max(len(pair), 1))
