"""Which games belong together: two with the same opening and colours reversed."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Codes, Counts, Mask
from ludometer.matches import Matches


def pair_games(matches: Matches) -> Codes:
    """The number of the pair of each game, from 0; a game without a partner is a pair of its own.

    With sessions (a round, an opening) partners are in the same one; else they are next to each other in the games of
    the two engines. Partners have the colours reversed: the k-th game of one colour belongs to the k-th of the other.

    >>> pair_games(Matches.of_pairs([0, 1, 0, 0], [1, 0, 1, 1], [1, 0, 0.5, 1])).tolist()
    [0, 0, 1, 2]
    """
    pairs = matches.pairs
    low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
    meeting = np.unique((low.astype(np.int64) << 32) | high, return_inverse=True)[1]
    reversed_colours = pairs.first != low
    if matches.session is not None:
        keys = np.unique(np.column_stack((meeting, matches.session.code)), axis=0, return_inverse=True)[1].ravel()
        return _number(_partners(keys, reversed_colours))
    return _number(_neighbours(meeting, reversed_colours))


def _partners(key: Counts, is_reversed: Mask) -> Counts:
    """The k-th game of one colour with the k-th of the other, within each key: the earlier of the two."""
    order = np.lexsort((np.arange(len(key)), is_reversed, key))
    rank = np.empty(len(key), np.int64)
    same = np.concatenate(([False], (np.diff(key[order]) == 0) & (np.diff(is_reversed[order].astype(np.int8)) == 0)))
    start = np.maximum.accumulate(np.where(same, 0, np.arange(len(key))))
    rank[order] = np.arange(len(key)) - start
    both = np.unique(np.column_stack((key, rank)), axis=0, return_inverse=True)[1].ravel()
    leader = np.full(int(both.max(initial=-1)) + 1, len(key))
    np.minimum.at(leader, both, np.arange(len(key)))
    return leader[both]


def _neighbours(key: Counts, is_reversed: Mask) -> Counts:
    """Of the games of each two engines, in order: a game with the next one, if its colours are reversed."""
    leader = np.arange(len(key))
    waiting: dict[int, int] = {}
    for game, (own, colour) in enumerate(zip(key.tolist(), is_reversed.tolist(), strict=True)):
        before = waiting.pop(own, None)
        if before is not None and bool(is_reversed[before]) != colour:
            leader[game] = before
        else:
            waiting[own] = game
    return leader


def _number(leader: Counts) -> Codes:
    """Pairs numbered in the order of their first games."""
    number = np.cumsum(leader == np.arange(len(leader))) - 1
    return np.asarray(number[leader], np.int32)
