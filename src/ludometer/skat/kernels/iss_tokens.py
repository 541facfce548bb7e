"""Words and cards in the bytes of a record of the Skat server."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
