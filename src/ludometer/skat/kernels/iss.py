"""Records of the International Skat Server, from bytes to arrays: properties, deal, bidding, cards, result.

A record is `(;` properties `;)`, a property KEY[value]. Values end at the first `]`. In MV and R `#` starts a comment
that runs to the end of its line, so a record may span several lines. Two tables of letters (`suits`, `ranks`; 255: not
a letter) give the cards, card = 8 * suit + rank. Games C S H D G N are 0 to 5. The status of a record is 0, or its
place in `FAULTS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.kernels.runtime.compile import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

LF, CR, BLANK, HASH, MINUS, DOT = (ord(mark) for mark in "\n\r #-.")
ZERO, TWO, NINE, COLON, SEMICOLON, QUESTION, BAR = (ord(mark) for mark in "029:;?|")


def word_of(text: str) -> int:
    """A word as the number that its bytes make."""
    return int.from_bytes(text.encode(), "big")


@kernel
def skip_blank(block: Bytes, at: int, stop: int) -> int:
    """The next byte that is neither blank nor in a comment."""
    while at < stop:
        if block[at] == HASH:
            while at < stop and block[at] != LF:
                at += 1
        elif block[at] > BLANK:
            break
        else:
            at += 1
    return at


@kernel
def end_of_token(block: Bytes, at: int, stop: int) -> int:
    """Where the word that starts here ends."""
    while at < stop and block[at] > BLANK and block[at] != HASH:
        at += 1
    return at


@kernel
def parse_card(block: Bytes, at: int, stop: int, suits: Bytes, ranks: Bytes) -> int:
    """The card at this place; -1 if unknown (??), -2 if it is none."""
    if at + 2 > stop:
        return -2
    if block[at] == QUESTION and block[at + 1] == QUESTION:
        return -1
    suit, rank = int(suits[block[at]]), int(ranks[block[at + 1]])
    return -2 if suit == 255 or rank == 255 else suit * 8 + rank


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
    """Fill the arrays of one record from its moves, pairs of player and action; return its status."""
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
    """A note of the server: the skat, or that a player ran out of time or left."""
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


# columns of `results`
(
    RESULT_KIND,
    RESULT_DECLARER,
    RESULT_VALUE,
    RESULT_MATADORS,
    RESULT_OVERBID,
    RESULT_EYES,
    RESULT_TRICKS,
    RESULT_SCHNEIDER,
    RESULT_SCHWARZ,
    RESULT_PENALTY,
    RESULT_LEFT,
    RESULT_TIMED_OUT,
) = range(12)
RESULT_RESIGNED, N_RESULTS = 12, 13
# kinds of result
KIND_UNKNOWN, KIND_PASSED, KIND_WIN, KIND_LOSS, KIND_PENALISED = range(5)

_PASSED, _UNKNOWN, _WIN, _LOSS, _PENALTY = map(word_of, ("passed", "unknown", "win", "loss", "penalty"))
_BIDOK, _OVERBID = word_of("bidok"), word_of("overbid")
_FIELDS = ("d", "v", "m", "p", "t", "s", "z", "p0", "p1", "p2", "l", "to", "r")
_FIELD_WORDS = np.array([word_of(field) for field in _FIELDS], np.int64)
_FIELD_COLUMNS = np.array(
    [
        RESULT_DECLARER,
        RESULT_VALUE,
        RESULT_MATADORS,
        RESULT_EYES,
        RESULT_TRICKS,
        RESULT_SCHNEIDER,
        RESULT_SCHWARZ,
        -1,
        -2,
        -3,
        RESULT_LEFT,
        RESULT_TIMED_OUT,
        RESULT_RESIGNED,
    ],
    np.int64,
)
_NO_COLUMN = 99
_ODD_RESULT = 7
_LARGEST = 99_999


@kernel
def parse_result(block: Bytes, at: int, stop: int, result: Any) -> int:
    """Fill the row of one record; return its status, see `FAULTS`."""
    result[:] = 0
    result[RESULT_KIND] = result[RESULT_DECLARER] = result[RESULT_LEFT] = result[RESULT_TIMED_OUT] = -1
    at = skip_blank(block, at, stop)
    while at < stop:
        end = end_of_token(block, at, stop)
        word = np.int64(0)
        place = at
        while place < end and block[place] != COLON:
            word = (word << 8 | np.int64(block[place])) & 0xFF_FFFF_FFFF_FFFF
            place += 1
        good = (
            _parse_result_field(block, place + 1, end, word, result)
            if place < end
            else _parse_result_word(word, result)
        )
        if not good:
            return _ODD_RESULT
        at = skip_blank(block, end, stop)
    return _ODD_RESULT if result[RESULT_KIND] < 0 or not -1 <= result[RESULT_DECLARER] <= 2 else 0


@kernel
def _parse_result_field(block: Bytes, place: int, end: int, word: Any, result: Any) -> bool:
    """The number after the colon, in its column; unknown fields are ignored."""
    column = np.int64(_NO_COLUMN)
    for field in range(_FIELD_WORDS.size):
        if _FIELD_WORDS[field] == word:
            column = _FIELD_COLUMNS[field]
    sign = np.int64(1)
    if place < end and block[place] == MINUS:
        sign = np.int64(-1)
        place += 1
    if place == end:
        return False
    number = np.int64(0)
    while place < end:
        if not ZERO <= block[place] <= NINE or number > _LARGEST:
            return False
        number = number * 10 + np.int64(block[place]) - ZERO
        place += 1
    if column < 0:
        result[RESULT_PENALTY] |= (number != 0) << (-column - 1)
    elif column < _NO_COLUMN:
        result[column] = sign * number
    return True


@kernel
def _parse_result_word(word: Any, result: Any) -> bool:
    if word == _OVERBID:
        result[RESULT_OVERBID] = 1
        return True
    kind = -1
    if word == _PASSED:
        kind = KIND_PASSED
    elif word == _UNKNOWN:
        kind = KIND_UNKNOWN
    elif word == _WIN:
        kind = KIND_WIN
    elif word == _LOSS:
        kind = KIND_LOSS
    elif word == _PENALTY:
        kind = KIND_PENALISED
    if kind >= 0:
        result[RESULT_KIND] = kind
    return kind >= 0 or word == _BIDOK


KEYS = ("PC", "SE", "ID", "DT", "P0", "P1", "P2", "R0", "R1", "R2", "MV", "R")
"""The properties that are kept; the spans of their values are columns of `spans`, in this order."""

N_TEXTS = 10
"""The first of them are handed on as text."""

FAULTS = (
    "",
    "no end: ';)' is missing",
    "a property is not closed by ']'",
    "a player has no name",
    "no moves (MV) or no result (R)",
    "the deal is not 32 different cards",
    "a move cannot be read",
    "the result cannot be read",
    "text outside of records",
)
"""By the status of a record."""

_MOVES, _RESULT = 10, 11
_KEY_WORDS = np.array([word_of(key) for key in KEYS], np.int64)
_PAREN, _END, _OPEN, _CLOSE = (ord(mark) for mark in "()[]")


@kernel
def find_records(block: Bytes, starts: Any) -> int:
    """Note where lines start with `(;`; return how many."""
    n = 0
    fresh = True
    for at in range(block.size):
        byte = block[at]
        if byte in (LF, CR):
            fresh = True
        elif fresh and byte > BLANK:
            if byte == _PAREN and at + 1 < block.size and block[at + 1] == SEMICOLON:
                starts[n] = at
                n += 1
            # a byte order mark may stand before the first record
            fresh = byte >= 0xBB and at < 3
    return n


@kernel
def parse_records(
    block: Bytes,
    starts: Any,
    suits: Bytes,
    ranks: Bytes,
    spans: Any,
    status: Bytes,
    rests: Any,
    hands: Any,
    discards: Any,
    moves: Any,
    played: Bytes,
    results: Any,
) -> None:
    """Fill the arrays, one row per record; the last entry of `starts` is the end of the block."""
    for row in range(starts.size - 1):
        status[row] = _find_properties(block, starts[row] + 2, starts[row + 1], spans[row], rests, row)
        if status[row] == 0:
            start, stop = spans[row, _MOVES]
            status[row] = parse_moves(
                block, start, stop, suits, ranks, hands[row], discards[row : row + 1], moves[row], played[row]
            )
        if status[row] == 0:
            start, stop = spans[row, _RESULT]
            status[row] = parse_result(block, start, stop, results[row])


@kernel
def write_texts(block: Bytes, rows: Any, spans: Any, out: Bytes) -> int:
    """Write the first values of these records as lines with tabs; return how many bytes."""
    to = 0
    for row in rows:
        for column in range(N_TEXTS):
            for at in range(spans[row, column, 0], spans[row, column, 1]):
                out[to] = max(block[at], np.uint8(BLANK))
                to += 1
            out[to] = 9
            to += 1
        out[to - 1] = 10
    return to


@kernel
def _find_properties(  # noqa: PLR0912
    block: Bytes, at: int, stop: int, span: Any, rests: Any, row: int
) -> int:
    """Note the spans of the values; `rests[row]` is where the record ends."""
    span[:] = -1
    rests[row] = stop
    while True:
        at = skip_blank(block, at, stop)
        if at + 1 < stop and block[at] == SEMICOLON and block[at + 1] == _END:
            rests[row] = at + 2
            break
        word = np.int64(0)
        start = at
        while at < stop and block[at] > BLANK and block[at] != _OPEN and block[at] != SEMICOLON and block[at] != _CLOSE:
            word = (word << 8 | np.int64(block[at])) & 0xFFFF_FFFF_FFFF
            at += 1
        if at >= stop or at == start:
            return 1
        at = skip_blank(block, at, stop)
        if at >= stop or block[at] != _OPEN:
            return 1
        column = -1
        for key in range(_KEY_WORDS.size):
            if _KEY_WORDS[key] == word:
                column = key
        at += 1
        start = at
        while at < stop and block[at] != _CLOSE:
            if block[at] == HASH and column >= _MOVES:
                while at < stop and block[at] != LF:
                    at += 1
            else:
                at += 1
        if at >= stop:
            return 2
        if column >= 0:
            span[column, 0] = start
            span[column, 1] = at
        at += 1
    for column in range(4, 7):
        if span[column, 1] <= span[column, 0]:
            return 3
    return 4 if span[_MOVES, 0] < 0 or span[_RESULT, 0] < 0 else 0
