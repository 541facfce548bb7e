"""The moves of a record of the Skat server: deal, bidding, contract, cards.

Cards come by two tables of letters (`suits`, `ranks`: 255 is no letter), card = 8 * suit + rank; games C S H D G N are
0 to 5. The status of a record is 0, or its place in `kernels.skat.FAULTS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.kernels.runtime.compile import kernel
from ludometer.skat.kernels.iss_tokens import BAR, DOT, NINE, TWO, ZERO, end_of_token, parse_card, skip_blank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

CARDS_PLAYED = 30
NO_CARD = 255

# columns of `moves`
BID, DECLARER, GAME, ANNOUNCED, PICKED_UP, N_PLAYED, RESIGNED, LEFT, TIMED_OUT, HAS_UNKNOWN, N_MOVES = range(11)
# bits of ANNOUNCED
HAND, SCHNEIDER, SCHWARZ, OUVERT = 1, 2, 4, 8

_GRAND, _NULL = 4, 5
_NO_DEAL, _ODD_MOVE = 5, 6
_C, _E, _G, _H, _I, _L, _N, _O, _R, _S, _T, _Z = (ord(letter) for letter in "CEGHILNORSTZ")
_SMALL_P, _SMALL_S, _SMALL_Y = (ord(letter) for letter in "psy")
_WORLD = ord("w") - ZERO


@kernel
def parse_moves(
    block: Bytes, at: int, stop: int, suits: Bytes, ranks: Bytes, hands: Any, discards: Any, moves: Any, played: Bytes
) -> int:
    """Fill the arrays of one record from its moves, pairs of who and what; its status."""
    moves[:] = 0
    moves[DECLARER] = moves[GAME] = moves[LEFT] = moves[TIMED_OUT] = -1
    hands[:] = 0
    discards[0] = 0
    played[:] = NO_CARD
    is_dealt = False
    at = skip_blank(block, at, stop)
    while at < stop:
        who = np.int64(block[at]) - ZERO
        end = end_of_token(block, at, stop)
        if end - at != 1 or not (who == _WORLD or 0 <= who <= 2):
            return _ODD_MOVE
        at = skip_blank(block, end, stop)
        end = end_of_token(block, at, stop)
        if end == at:
            return _ODD_MOVE
        if not is_dealt:
            is_dealt = who == _WORLD and _parse_deal(block, at, end, suits, ranks, hands)
            if not is_dealt:
                return _NO_DEAL
        elif who == _WORLD:
            if not _parse_event(block, at, end, suits, ranks, hands, moves):
                return _ODD_MOVE
        elif not _parse_word(block, at, end, who, moves) and not (
            _parse_contract(block, at, end, who, suits, ranks, discards, moves)
            if moves[GAME] < 0
            else _parse_card_move(block, at, end, suits, ranks, discards, moves, played)
        ):
            return _ODD_MOVE
        at = skip_blank(block, end, stop)
    return 0 if is_dealt else _NO_DEAL


@kernel
def _parse_event(block: Bytes, at: int, end: int, suits: Bytes, ranks: Bytes, hands: Any, moves: Any) -> bool:
    """What the server itself notes: the skat, or that somebody ran out of time or left."""
    size, first, second = end - at, block[at], block[at + 1] if end - at > 1 else np.uint8(0)
    names_seat = size == 4 and ZERO <= block[at + 3] <= TWO
    if names_seat and first == _T and second == _I:
        moves[TIMED_OUT] = block[at + 3] - ZERO
    elif names_seat and first == _L and second == _E:
        moves[LEFT] = block[at + 3] - ZERO
    elif size != 5:
        return False
    elif hands[3] == 0:
        hands[3] = _parse_pair(block, at, end, suits, ranks)
    return True


@kernel
def _parse_word(block: Bytes, at: int, end: int, who: Any, moves: Any) -> bool:
    """A bid, pass, hold, taking the skat or resigning; False if it is none of them."""
    size, first = end - at, block[at]
    if ZERO <= first <= NINE:
        number = np.int64(0)
        for place in range(at, end):
            if not ZERO <= block[place] <= NINE:
                return False
            number = number * 10 + np.int64(block[place]) - ZERO
        moves[BID] = min(number, np.int64(999))
        return True
    if size == 1 and first in (_SMALL_P, _SMALL_Y):
        return True
    if size == 1 and first == _SMALL_S:
        moves[DECLARER] = who
        moves[PICKED_UP] = 1
        return True
    if size == 2 and first == _R and block[at + 1] == _E:
        moves[RESIGNED] |= 1 << who
        return True
    return False


@kernel
def _parse_contract(
    block: Bytes, at: int, end: int, who: Any, suits: Bytes, ranks: Bytes, discards: Any, moves: Any
) -> bool:
    """The game, what is announced with it, and the two cards laid away if they stand here."""
    first = block[at]
    game = np.int64(_GRAND) if first == _G else np.int64(_NULL) if first == _N else np.int64(suits[first])
    if game > _NULL or (moves[PICKED_UP] and moves[DECLARER] != who):
        return False
    flags = 0
    place = at + 1
    while place < end and block[place] != DOT:
        mark = block[place]
        if mark == _O:
            flags |= OUVERT
        elif mark == _H:
            flags |= HAND
        elif mark == _S:
            flags |= SCHNEIDER
        elif mark == _Z:
            flags |= SCHWARZ
        else:
            return False
        place += 1
    if game < _NULL:
        if flags & OUVERT:
            flags |= SCHWARZ
        if flags & SCHWARZ:
            flags |= SCHNEIDER
        if flags & SCHNEIDER:
            flags |= HAND
    moves[DECLARER], moves[GAME], moves[ANNOUNCED] = who, game, flags
    if moves[PICKED_UP] and place < end:
        discards[0] = _parse_pair(block, place + 1, end, suits, ranks)
    return True


@kernel
def _parse_card_move(
    block: Bytes, at: int, end: int, suits: Bytes, ranks: Bytes, discards: Any, moves: Any, played: Bytes
) -> bool:
    """After the contract: a card played, the two laid away, or all shown, which changes nothing."""
    size = end - at
    if size >= 2 and block[at] == _S and block[at + 1] == _C:
        return True
    if moves[PICKED_UP] and discards[0] == 0 and size >= 5 and moves[N_PLAYED] == 0:
        discards[0] = _parse_pair(block, at, end, suits, ranks)
        return bool(discards[0] != 0)
    card = parse_card(block, at, end, suits, ranks)
    if size != 2 or card < -1 or moves[N_PLAYED] >= CARDS_PLAYED:
        return False
    # after an unknown card the order of play is lost
    if card < 0:
        moves[HAS_UNKNOWN] = 1
    if not moves[HAS_UNKNOWN]:
        played[moves[N_PLAYED]] = card
        moves[N_PLAYED] += 1
    return True


@kernel
def _parse_deal(block: Bytes, at: int, stop: int, suits: Bytes, ranks: Bytes, hands: Any) -> bool:
    if stop - at != 95:
        return False
    seen = np.uint32(0)
    for place in range(32):
        card = parse_card(block, at, stop, suits, ranks)
        at += 2
        if card < -1 or (place < 31 and block[at] != DOT and block[at] != BAR):
            return False
        at += 1
        if card >= 0:
            bit = np.uint32(1) << np.uint32(card)
            if seen & bit:
                return False
            seen |= bit
            hands[place // 10] |= bit
    return True


@kernel
def _parse_pair(block: Bytes, at: int, stop: int, suits: Bytes, ranks: Bytes) -> np.uint32:
    """The mask of two cards with a dot between; 0 if they are not known."""
    first = parse_card(block, at, stop, suits, ranks)
    second = parse_card(block, at + 3, stop, suits, ranks)
    if first < 0 or second < 0 or first == second:
        return np.uint32(0)
    return np.uint32(1) << np.uint32(first) | np.uint32(1) << np.uint32(second)
