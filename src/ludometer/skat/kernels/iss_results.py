"""The result of a record of the Skat server: words, and fields such as v:-48."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.kernels.runtime.compile import kernel
from ludometer.skat.kernels.iss_tokens import COLON, MINUS, NINE, ZERO, end_of_token, skip_blank, word_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

# columns of `results`
KIND, DECLARER, VALUE, MATADORS, OVERBID, EYES, TRICKS, SCHNEIDER, SCHWARZ, PENALTY, LEFT, TIMED_OUT = range(12)
RESIGNED, N_RESULTS = 12, 13
# kinds of result
UNKNOWN, PASSED, WIN, LOSS, PENALISED = range(5)

_PASSED, _UNKNOWN, _WIN, _LOSS, _PENALTY = map(word_of, ("passed", "unknown", "win", "loss", "penalty"))
_BIDOK, _OVERBID = word_of("bidok"), word_of("overbid")
_FIELDS = ("d", "v", "m", "p", "t", "s", "z", "p0", "p1", "p2", "l", "to", "r")
_FIELD_WORDS = np.array([word_of(field) for field in _FIELDS], np.int64)
_FIELD_COLUMNS = np.array(
    [DECLARER, VALUE, MATADORS, EYES, TRICKS, SCHNEIDER, SCHWARZ, -1, -2, -3, LEFT, TIMED_OUT, RESIGNED], np.int64
)
_NO_COLUMN = 99
_ODD_RESULT = 7
_LARGEST = 99_999


@kernel
def parse_result(block: Bytes, at: int, stop: int, result: Any) -> int:
    """Fill the row of one record; its status, as `kernels.skat.FAULTS` has them."""
    result[:] = 0
    result[KIND] = result[DECLARER] = result[LEFT] = result[TIMED_OUT] = -1
    at = skip_blank(block, at, stop)
    while at < stop:
        end = end_of_token(block, at, stop)
        word = np.int64(0)
        place = at
        while place < end and block[place] != COLON:
            word = (word << 8 | np.int64(block[place])) & 0xFF_FFFF_FFFF_FFFF
            place += 1
        good = _parse_field(block, place + 1, end, word, result) if place < end else _parse_word(word, result)
        if not good:
            return _ODD_RESULT
        at = skip_blank(block, end, stop)
    return _ODD_RESULT if result[KIND] < 0 or not -1 <= result[DECLARER] <= 2 else 0


@kernel
def _parse_field(block: Bytes, place: int, end: int, word: Any, result: Any) -> bool:
    """The number after the colon, under its column; those of unknown fields are passed over."""
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
        result[PENALTY] |= (number != 0) << (-column - 1)
    elif column < _NO_COLUMN:
        result[column] = sign * number
    return True


@kernel
def _parse_word(word: Any, result: Any) -> bool:
    if word == _OVERBID:
        result[OVERBID] = 1
        return True
    kind = -1
    if word == _PASSED:
        kind = PASSED
    elif word == _UNKNOWN:
        kind = UNKNOWN
    elif word == _WIN:
        kind = WIN
    elif word == _LOSS:
        kind = LOSS
    elif word == _PENALTY:
        kind = PENALISED
    if kind >= 0:
        result[KIND] = kind
    return kind >= 0 or word == _BIDOK
