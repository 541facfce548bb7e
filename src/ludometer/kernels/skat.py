"""Records of the Skat server as bytes to arrays.

A record is `(;` properties `;)`, a property KEY[value]. Values end at the first `]`; in MV and R `#` comments the rest
of its line, so that the form of many lines is read as the form of one. Cards come by two tables of letters (`suits`,
`ranks`: 255 is no letter), card = 8 * suit + rank; games C S H D G N are 0 to 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.kernels.compile import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

KEYS = ("PC", "SE", "ID", "DT", "P0", "P1", "P2", "R0", "R1", "R2", "MV", "R")
"""The properties that are kept; the spans of their values are columns of `spans`, in this order."""

N_TEXTS = 10
"""The first of them are handed on as text."""

FAULTS = (
    "",
    "no end: ';)' is missing",
    "a property is not closed by ']'",
    "a player is not named",
    "no moves (MV) or no result (R)",
    "the deal is not 32 different cards",
    "a move is not understood",
    "the result is not understood",
    "text that is no record",
)
"""By the status of a record."""

CARDS_PLAYED = 30
NO_CARD = 255

# columns of `moves`
BID, DECLARER, GAME, ANNOUNCED, PICKED_UP, N_PLAYED, RESIGNED, LEFT, TIMED_OUT, N_MOVES = range(10)
# bits of ANNOUNCED
HAND, SCHNEIDER, SCHWARZ, OUVERT = 1, 2, 4, 8
# columns of `results`
KIND, R_DECLARER, VALUE, MATADORS, OVERBID, EYES, TRICKS, R_SCHNEIDER, R_SCHWARZ, PENALTY, R_LEFT, R_TIMED_OUT = range(
    12
)
R_RESIGNED, N_RESULTS = 12, 13
# kinds of result
UNKNOWN, PASSED, WIN, LOSS, PENALISED = range(5)

_MV, _R = 10, 11
_KEY_WORDS = np.array([int.from_bytes(key.encode(), "big") for key in KEYS], np.int64)


def _word(text: str) -> int:
    return int.from_bytes(text.encode(), "big")


_PASSED, _UNKNOWN, _WIN, _LOSS, _PENALTY = map(_word, ("passed", "unknown", "win", "loss", "penalty"))
_BIDOK, _OVERBID = _word("bidok"), _word("overbid")
_FIELDS = ("d", "v", "m", "p", "t", "s", "z", "p0", "p1", "p2", "l", "to", "r")
_FIELD_WORDS = np.array([_word(field) for field in _FIELDS], np.int64)
_FIELD_COLUMNS = np.array(
    [R_DECLARER, VALUE, MATADORS, EYES, TRICKS, R_SCHNEIDER, R_SCHWARZ, -1, -2, -3, R_LEFT, R_TIMED_OUT, R_RESIGNED],
    np.int64,
)

_LF, _CR, _BLANK, _HASH, _PAREN, _END, _MINUS, _DOT = (ord(mark) for mark in "\n\r #()-.")
_ZERO, _TWO, _NINE, _COLON, _SEMICOLON, _QUESTION, _OPEN, _CLOSE, _BAR = (ord(mark) for mark in "029:;?[]|")
_C, _E, _G, _H, _I, _L, _N, _O, _R_LETTER, _S, _T, _Z = (ord(letter) for letter in "CEGHILNORSTZ")
_SMALL_P, _SMALL_S, _SMALL_Y = (ord(letter) for letter in "psy")
_WORLD = ord("w") - _ZERO


@kernel
def find_records(block: Bytes, starts: Any) -> int:
    """Note where a line starts with `(;`; return how many do."""
    n = 0
    fresh = True
    for at in range(block.size):
        byte = block[at]
        if byte in (_LF, _CR):
            fresh = True
        elif fresh and byte > _BLANK:
            if byte == _PAREN and at + 1 < block.size and block[at + 1] == _SEMICOLON:
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
    """Fill the arrays, a row a record; `starts` has the end of the block as its last entry."""
    for row in range(starts.size - 1):
        status[row] = _find_properties(block, starts[row] + 2, starts[row + 1], spans[row], rests, row)
        if status[row] == 0:
            start, stop = spans[row, _MV]
            status[row] = _parse_moves(
                block, start, stop, suits, ranks, hands[row], discards[row : row + 1], moves[row], played[row]
            )
        if status[row] == 0:
            start, stop = spans[row, _R]
            status[row] = _parse_result(block, start, stop, results[row])


@kernel
def write_texts(block: Bytes, rows: Any, spans: Any, out: Bytes) -> int:
    """Write the first values of these records as lines with tabs; return how many bytes."""
    to = 0
    for row in rows:
        for column in range(N_TEXTS):
            for at in range(spans[row, column, 0], spans[row, column, 1]):
                out[to] = max(block[at], np.uint8(_BLANK))
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
        at = _skip_blank(block, at, stop)
        if at + 1 < stop and block[at] == _SEMICOLON and block[at + 1] == _END:
            rests[row] = at + 2
            break
        word = np.int64(0)
        start = at
        while (
            at < stop and block[at] > _BLANK and block[at] != _OPEN and block[at] != _SEMICOLON and block[at] != _CLOSE
        ):
            word = (word << 8 | np.int64(block[at])) & 0xFFFF_FFFF_FFFF
            at += 1
        if at >= stop or at == start:
            return 1
        at = _skip_blank(block, at, stop)
        if at >= stop or block[at] != _OPEN:
            return 1
        column = -1
        for key in range(_KEY_WORDS.size):
            if _KEY_WORDS[key] == word:
                column = key
        at += 1
        start = at
        while at < stop and block[at] != _CLOSE:
            if block[at] == _HASH and column >= _MV:
                while at < stop and block[at] != _LF:
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
    return 4 if span[_MV, 0] < 0 or span[_R, 0] < 0 else 0


@kernel
def _skip_blank(block: Bytes, at: int, stop: int) -> int:
    while at < stop:
        if block[at] == _HASH:
            while at < stop and block[at] != _LF:
                at += 1
        elif block[at] > _BLANK:
            break
        else:
            at += 1
    return at


@kernel
def _end_of_token(block: Bytes, at: int, stop: int) -> int:
    while at < stop and block[at] > _BLANK and block[at] != _HASH:
        at += 1
    return at


@kernel
def _parse_card(block: Bytes, at: int, stop: int, suits: Bytes, ranks: Bytes) -> int:
    """The card at this place; -1 if unknown (??), -2 if it is none."""
    if at + 2 > stop:
        return -2
    if block[at] == _QUESTION and block[at + 1] == _QUESTION:
        return -1
    suit, rank = int(suits[block[at]]), int(ranks[block[at + 1]])
    return -2 if suit == 255 or rank == 255 else suit * 8 + rank


@kernel
def _parse_deal(block: Bytes, at: int, stop: int, suits: Bytes, ranks: Bytes, hands: Any) -> bool:
    if stop - at != 95:
        return False
    seen = np.uint32(0)
    for place in range(32):
        card = _parse_card(block, at, stop, suits, ranks)
        at += 2
        if card < -1 or (place < 31 and block[at] != _DOT and block[at] != _BAR):
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
    first = _parse_card(block, at, stop, suits, ranks)
    second = _parse_card(block, at + 3, stop, suits, ranks)
    if first < 0 or second < 0 or first == second:
        return np.uint32(0)
    return np.uint32(1) << np.uint32(first) | np.uint32(1) << np.uint32(second)


@kernel
def _parse_moves(  # noqa: PLR0912, PLR0915
    block: Bytes, at: int, stop: int, suits: Bytes, ranks: Bytes, hands: Any, discards: Any, moves: Any, played: Bytes
) -> int:
    moves[BID] = 0
    moves[DECLARER] = moves[GAME] = moves[LEFT] = moves[TIMED_OUT] = -1
    moves[ANNOUNCED] = moves[PICKED_UP] = moves[N_PLAYED] = moves[RESIGNED] = 0
    hands[:] = 0
    discards[0] = 0
    played[:] = NO_CARD
    is_dealt = is_unknown = False
    at = _skip_blank(block, at, stop)
    while at < stop:
        who = np.int64(block[at]) - _ZERO
        end = _end_of_token(block, at, stop)
        if end - at != 1 or not (who == _WORLD or 0 <= who <= 2):
            return 6
        at = _skip_blank(block, end, stop)
        end = _end_of_token(block, at, stop)
        size = end - at
        if size == 0:
            return 6
        first = block[at]
        second = block[at + 1] if size > 1 else np.uint8(0)
        if who == _WORLD:
            if not is_dealt:
                is_dealt = _parse_deal(block, at, end, suits, ranks, hands)
                if not is_dealt:
                    return 5
            elif size == 4 and first == _T and second == _I and _ZERO <= block[at + 3] <= _TWO:
                moves[TIMED_OUT] = block[at + 3] - _ZERO
            elif size == 4 and first == _L and second == _E and _ZERO <= block[at + 3] <= _TWO:
                moves[LEFT] = block[at + 3] - _ZERO
            elif size == 5 and hands[3] == 0:
                hands[3] = _parse_pair(block, at, end, suits, ranks)
            elif size != 5:
                return 6
        elif not is_dealt:
            return 5
        elif _ZERO <= first <= _NINE:
            number = np.int64(0)
            for place in range(at, end):
                if not _ZERO <= block[place] <= _NINE:
                    return 6
                number = number * 10 + np.int64(block[place]) - _ZERO
            moves[BID] = min(number, np.int64(999))
        elif size == 1 and first in (_SMALL_P, _SMALL_Y):
            pass
        elif size == 1 and first == _SMALL_S:
            moves[DECLARER] = who
            moves[PICKED_UP] = 1
        elif size == 2 and first == _R_LETTER and second == _E:
            moves[RESIGNED] |= 1 << who
        elif moves[GAME] < 0:
            game = 4 if first == _G else 5 if first == _N else np.int64(suits[first])
            if game > 5:
                return 6
            flags = 0
            place = at + 1
            while place < end and block[place] != _DOT:
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
                    return 6
                place += 1
            if game < 5:
                if flags & OUVERT:
                    flags |= SCHWARZ
                if flags & SCHWARZ:
                    flags |= SCHNEIDER
                if flags & SCHNEIDER:
                    flags |= HAND
            if moves[PICKED_UP] and moves[DECLARER] != who:
                return 6
            moves[DECLARER] = who
            moves[GAME] = game
            moves[ANNOUNCED] = flags
            if moves[PICKED_UP] and place < end:
                discards[0] = _parse_pair(block, place + 1, end, suits, ranks)
        elif size >= 2 and first == _S and second == _C:
            pass
        elif moves[PICKED_UP] and discards[0] == 0 and size >= 5 and moves[N_PLAYED] == 0:
            discards[0] = _parse_pair(block, at, end, suits, ranks)
            if discards[0] == 0:
                return 6
        else:
            card = _parse_card(block, at, end, suits, ranks)
            if size != 2 or card < -1 or moves[N_PLAYED] >= CARDS_PLAYED:
                return 6
            # after an unknown card the order of play is lost
            is_unknown = is_unknown or card < 0
            if not is_unknown:
                played[moves[N_PLAYED]] = card
                moves[N_PLAYED] += 1
        at = _skip_blank(block, end, stop)
    return 0 if is_dealt else 5


@kernel
def _parse_result(block: Bytes, at: int, stop: int, result: Any) -> int:  # noqa: PLR0912
    result[:] = 0
    result[KIND] = -1
    result[R_DECLARER] = result[R_LEFT] = result[R_TIMED_OUT] = -1
    at = _skip_blank(block, at, stop)
    while at < stop:
        end = _end_of_token(block, at, stop)
        word = np.int64(0)
        place = at
        while place < end and block[place] != _COLON:
            word = (word << 8 | np.int64(block[place])) & 0xFF_FFFF_FFFF_FFFF
            place += 1
        if place < end:
            column = np.int64(99)
            for field in range(_FIELD_WORDS.size):
                if _FIELD_WORDS[field] == word:
                    column = _FIELD_COLUMNS[field]
            place += 1
            sign = np.int64(1)
            if place < end and block[place] == _MINUS:
                sign = np.int64(-1)
                place += 1
            if place == end:
                return 7
            number = np.int64(0)
            while place < end:
                if not _ZERO <= block[place] <= _NINE or number > 99_999:
                    return 7
                number = number * 10 + np.int64(block[place]) - _ZERO
                place += 1
            if column < 0:
                result[PENALTY] |= (number != 0) << (-column - 1)
            elif column < 99:
                result[column] = sign * number
        elif word == _PASSED:
            result[KIND] = PASSED
        elif word == _UNKNOWN:
            result[KIND] = UNKNOWN
        elif word == _WIN:
            result[KIND] = WIN
        elif word == _LOSS:
            result[KIND] = LOSS
        elif word == _PENALTY:
            result[KIND] = PENALISED
        elif word == _OVERBID:
            result[OVERBID] = 1
        elif word != _BIDOK:
            return 7
        at = _skip_blank(block, end, stop)
    return 7 if result[KIND] < 0 or not -1 <= result[R_DECLARER] <= 2 else 0
