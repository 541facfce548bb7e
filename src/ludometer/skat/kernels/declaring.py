"""Bidding, choice of a game and discard by counting: Skat before the first card.

Cards, games and seats as in `kernels.card_play`; `lost` (by the 7 bits of a side suit) and `gaps` (by the 8 bits of a
holding in null) come from `ludometer.skat.luck.features`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludometer.arrays import Array, Codes, Floats
from ludometer.kernels.runtime.compile import kernel

_GRAND = 4
_NULL = 5
_ACE, _TEN, _JACK = 6, 5, 7
_FIRST_BID = 18
_NULL_VALUE = 23
_GRAND_START, _GRAND_SLOPE = 4.0, 4.0
_EYES_A_POINT = 12.0
_SAFE_GAPS = 4
"""A null may have one small hole."""


@kernel
def declare(
    hands: Array,
    skat: Array,
    need: Floats,
    bids: Codes,
    base_values: Codes,
    eyes_of: Codes,
    lost: Array,
    gaps: Array,
    played: Array,
    laid: Array,
    game: Codes,
    declarer: Codes,
    bid: Codes,
) -> None:
    """Bid up to the value of the best game whose count reaches `need` (n, 3), take the skat, lay two away.

    Writes the hands as played, the cards laid away, the game and the declarer (-1 if all pass) and the last bid.
    """
    limits = np.zeros(3, np.int64)
    for i in range(len(skat)):
        for seat in range(3):
            limits[seat] = _limit(hands[i, seat], need[i, seat], base_values, lost, gaps)
            played[i, seat] = hands[i, seat]
        winner, reached = _auction(limits, bids)
        game[i], declarer[i], bid[i], laid[i] = -1, -1, 0, skat[i]
        if reached:
            cards = hands[i, winner] | skat[i]
            declarer[i], bid[i] = winner, reached
            kind, away = _choose_game(cards, reached, need[i, winner], base_values, eyes_of, lost, gaps)
            game[i], laid[i], played[i, winner] = kind, away, cards & ~away


@kernel
def _auction(limits: Array, bids: Codes) -> tuple[int, int]:
    """Middlehand bids to forehand, then rearhand to the winner; who answers only needs to hold."""
    winner, reached = 0, 0
    for bidder in (1, 2):
        asked, holds = limits[bidder], limits[winner]
        if asked < _FIRST_BID or (asked <= reached and holds >= asked):
            continue
        if holds >= asked:
            reached = max(reached, asked)
        else:
            reached = max(reached, _next_bid(max(holds, reached), bids))
            winner = bidder
    if reached == 0 and limits[0] >= _FIRST_BID:
        reached = _FIRST_BID
    return winner, reached


@kernel
def _next_bid(value: int, bids: Codes) -> int:
    for step in bids:
        if step > value:
            return step  # type: ignore[no-any-return]
    return bids[-1]  # type: ignore[no-any-return]


@kernel
def _limit(hand: Any, need: float, base_values: Codes, lost: Array, gaps: Array) -> int:
    """The most that a hand may bid."""
    limit = 0
    for game in range(5):
        if _count_strength(hand, game, lost) >= need:
            limit = max(limit, base_values[game] * (_matadors(hand, game) + 1))
    if limit < _NULL_VALUE and _null_gaps(hand, gaps) <= _SAFE_GAPS:
        limit = _NULL_VALUE
    return limit


@kernel
def _choose_game(
    cards: Any, reached: int, need: float, base_values: Codes, eyes_of: Codes, lost: Array, gaps: Array
) -> tuple[int, Any]:
    """The game and the two cards to lay away with the highest count; only if all are too small, one that is overbid."""
    best, best_game, best_away = -1e9, 0, np.uint32(0)
    for first in range(32):
        for second in range(first):
            away = np.uint32(1) << np.uint32(first) | np.uint32(1) << np.uint32(second)
            if cards & away != away:
                continue
            hand = cards & ~away
            eyes = (eyes_of[first] + eyes_of[second]) / _EYES_A_POINT
            for game in range(5):
                strength = _count_strength(hand, game, lost) + eyes
                if base_values[game] * (_matadors(cards, game) + 1) < reached:
                    strength -= 100.0
                if strength > best:
                    best, best_game, best_away = strength, game, away
            if reached <= _NULL_VALUE and best < need and _null_gaps(hand, gaps) <= _SAFE_GAPS:
                holes = need - _null_gaps(hand, gaps) - 0.01
                if holes > best:
                    best, best_game, best_away = holes, _NULL, away
    return best_game, best_away


@kernel
def _count_strength(hand: Any, game: int, lost: Array) -> float:
    """Trumps, jacks, aces and tens, less half of the tricks lost beside; grand scaled to the same need."""
    count = 0.0
    for suit in range(4):
        bits = hand >> np.uint32(8 * suit) & np.uint32(255)
        jack, ace, ten = bits >> np.uint32(_JACK) & 1, bits >> np.uint32(_ACE) & 1, bits >> np.uint32(_TEN) & 1
        bits &= np.uint32(127)
        if suit == game:
            count += 2.0 * jack + ace + ten
            while bits:
                bits &= bits - np.uint32(1)
                count += 1.0
            continue
        bare = bits == np.uint32(1) << np.uint32(_TEN)
        side = ace + (0.0 if bare else ten)
        free = 0.5 if bits == 0 else 0.0
        if game == _GRAND:
            count += jack + ace + (0.0 if bare else 0.5 * ten) - 0.3 * lost[bits]
        else:
            count += 2.0 * jack + side + free - 0.5 * lost[bits]
    # a grand is worth twice as much, so a good one goes before a better suit game
    return 7.0 + _GRAND_SLOPE * (count - _GRAND_START) if game == _GRAND else count


@kernel
def _matadors(cards: Any, game: int) -> int:
    """The run of top trumps from the jack of clubs that is held or lacked."""
    having = cards >> np.uint32(_JACK) & np.uint32(1)
    run = 0
    for suit in range(4):
        if cards >> np.uint32(8 * suit + _JACK) & np.uint32(1) != having:
            return run
        run += 1
    if game < _GRAND:
        for rank in range(_ACE, -1, -1):
            if cards >> np.uint32(8 * game + rank) & np.uint32(1) != having:
                return run
            run += 1
    return run


@kernel
def _null_gaps(hand: Any, gaps: Array) -> int:
    total = 0
    for suit in range(4):
        total += gaps[hand >> np.uint32(8 * suit) & np.uint32(255)]
    return total
