"""Records of the Skat server as bytes to arrays: where they start, what their properties are.

A record is `(;` properties `;)`, a property KEY[value]. Values end at the first `]`; in MV and R `#` comments the rest
of its line, so that the form of many lines is read as the form of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.kernels.runtime.compile import kernel
from ludometer.skat.kernels.iss_moves import parse_moves
from ludometer.skat.kernels.iss_results import parse_result
from ludometer.skat.kernels.iss_tokens import BLANK, CR, HASH, LF, SEMICOLON, skip_blank, word_of

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

_MV, _R = 10, 11
_KEY_WORDS = np.array([word_of(key) for key in KEYS], np.int64)
_PAREN, _END, _OPEN, _CLOSE = (ord(mark) for mark in "()[]")


@kernel
def find_records(block: Bytes, starts: Any) -> int:
    """Note where a line starts with `(;`; return how many do."""
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
    """Fill the arrays, a row a record; `starts` has the end of the block as its last entry."""
    for row in range(starts.size - 1):
        status[row] = _find_properties(block, starts[row] + 2, starts[row + 1], spans[row], rests, row)
        if status[row] == 0:
            start, stop = spans[row, _MV]
            status[row] = parse_moves(
                block, start, stop, suits, ranks, hands[row], discards[row : row + 1], moves[row], played[row]
            )
        if status[row] == 0:
            start, stop = spans[row, _R]
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
            if block[at] == HASH and column >= _MV:
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
    return 4 if span[_MV, 0] < 0 or span[_R, 0] < 0 else 0
