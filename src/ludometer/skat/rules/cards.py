"""The 32 cards as numbers and hands as bit masks: a million deals are a few NumPy arrays.

Card = 8 * suit + rank, with suits C S H D as 0..3 and ranks 7 8 9 Q K T A J as 0..7: the order of a trump game, so of
two cards of a suit (or two trumps of that suit) the higher number wins, except for jacks. A hand is a uint32 whose bit
`card` is set. Games have the codes C S H D G N as 0..5.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludometer.arrays import Codes
from ludometer.errors import LudometerError

SUITS = "CSHD"
RANKS = "789QKTAJ"
GAMES = "CSHDGN"
CLUBS, SPADES, HEARTS, DIAMONDS, GRAND, NULL = range(6)
N_CARDS = 32
DECK = 0xFFFF_FFFF
JACKS = 0x8080_8080
TRUMP = 4
"""The suit of a trump, in `suit_of`."""

Masks = NDArray[np.uint32]
"""Hands: bit `card` is set."""

RANK_EYES = (0, 0, 0, 3, 4, 10, 11, 2)


def _bits(cards: Iterable[int]) -> int:
    return sum(1 << card for card in set(cards))


def parse_card(name: str) -> int:
    """The number of a card such as "CJ".

    >>> parse_card("CJ"), parse_card("D7")
    (7, 24)
    """
    if len(name) != 2 or name[0] not in SUITS or name[1] not in RANKS:
        raise LudometerError(f"{name!r} is not a card: write a suit (C S H D) and a rank (A K Q J T 9 8 7), such as CJ")
    return 8 * SUITS.index(name[0]) + RANKS.index(name[1])


def format_card(card: int) -> str:
    """The name of a card.

    >>> format_card(7)
    'CJ'
    """
    return SUITS[card >> 3] + RANKS[card & 7]


def parse_cards(names: str) -> int:
    """The mask of cards joined by dots or blanks; a card named twice is an error.

    >>> hex(parse_cards("CJ.SJ"))
    '0x8080'
    """
    cards = [parse_card(name) for name in names.replace(".", " ").split()]
    if len(set(cards)) < len(cards):
        raise LudometerError(f"a card appears twice in {names!r}")
    return _bits(cards)


def format_cards(mask: int) -> str:
    """The cards of a mask, joined by dots: jacks first, then suits from the top.

    >>> format_cards(parse_cards("D7 CA SJ CJ CT"))
    'CJ.SJ.CA.CT.D7'
    """
    cards = list_cards(mask)
    jacks = [card for card in cards if card & 7 == 7]
    others = sorted((card for card in cards if card & 7 != 7), key=lambda card: (card >> 3, -(card & 7)))
    return ".".join(map(format_card, jacks + others))


def list_cards(mask: int) -> list[int]:
    """The cards of a mask, in rising order.

    >>> list_cards(0b101)
    [0, 2]
    """
    return [card for card in range(N_CARDS) if int(mask) >> card & 1]


def gather_masks(cards: ArrayLike) -> Masks:
    """Masks from arrays of card numbers: the last axis is a hand.

    >>> gather_masks([[0, 1], [2, 31]]).tolist()
    [3, 2147483652]
    """
    bits = np.left_shift(np.uint32(1), np.asarray(cards).astype(np.uint32))
    masks: Masks = np.bitwise_or.reduce(bits, axis=-1, initial=np.uint32(0)).astype(np.uint32)
    return masks


def spread_masks(masks: ArrayLike) -> NDArray[np.bool_]:
    """One more axis of 32 truths: has the hand this card? The inverse view of `gather_masks`.

    >>> spread_masks([5])[0, :4].tolist()
    [True, False, True, False]
    """
    return (np.asarray(masks, np.uint32)[..., None] >> np.arange(N_CARDS, dtype=np.uint32) & np.uint32(1)).astype(bool)


def count_cards(masks: ArrayLike) -> NDArray[np.uint8]:
    """How many cards; count_cards(hands & TRUMPS[game]) is the number of trumps.

    >>> count_cards([5, 0]).tolist()
    [2, 0]
    """
    return np.bitwise_count(np.asarray(masks, np.uint32))


def count_eyes(masks: ArrayLike) -> Codes:
    """The eyes of hands: ace 11, ten 10, king 4, queen 3, jack 2; 120 in all.

    >>> count_eyes([DECK, parse_cards("CA.CT.D7")]).tolist()
    [120, 21]
    """
    masks = np.asarray(masks, np.uint32)
    shifts = np.array([0, 8, 16, 24], np.uint32)
    eyes: Codes = _BYTE_EYES[masks[..., None] >> shifts & np.uint32(255)].sum(axis=-1, dtype=np.int32)
    return eyes


def count_matadors(masks: ArrayLike, game: ArrayLike) -> NDArray[np.int8]:
    """The run of top trumps from the jack of clubs, in hand and skat: positive "with", negative "without"; 0 in null.

    >>> count_matadors(parse_cards("CJ.SJ.DJ.CA"), CLUBS).tolist()
    2
    >>> count_matadors([parse_cards("DA"), parse_cards("HJ")], [HEARTS, GRAND]).tolist()
    [-11, -2]
    """
    masks, game = np.broadcast_arrays(np.asarray(masks, np.uint32), np.asarray(game, np.int64))
    # eleven bits: the jacks from clubs down, then A T K Q 9 8 7 of the trump suit
    jacks = sum((masks >> np.uint32(8 * suit + 7) & np.uint32(1)) << np.uint32(3 - suit) for suit in range(4))
    suit = np.minimum(game, 3)
    side = masks >> (8 * suit).astype(np.uint32) & np.uint32(127)
    in_suits = _RUNS[(np.asarray(jacks) << np.uint32(7) | side)]
    runs = np.where(game == GRAND, np.clip(in_suits, -4, 4), in_suits)
    return np.where(game == NULL, np.int8(0), runs).astype(np.int8)


def suit_of(card: ArrayLike, game: ArrayLike) -> NDArray[np.int8]:
    """The suit that a card belongs to in a game, 0..3, or `TRUMP`.

    >>> suit_of([parse_card("HJ"), parse_card("HA"), parse_card("C7")], HEARTS).tolist()
    [4, 4, 0]
    """
    suits: NDArray[np.int8] = SUIT_OF[game, card]
    return suits


def _runs_of_trumps() -> NDArray[np.int8]:
    """How long the eleven trumps start with ones (positive) or with zeros (negative), by their bits."""
    runs = np.empty(2048, np.int8)
    for bits in range(2048):
        text = f"{bits:011b}"
        length = len(text) - len(text.lstrip(text[0]))
        runs[bits] = length if text[0] == "1" else -length
    return runs


def _tables() -> tuple[Any, Any, Any]:
    """By game and card: the suit, and the strength among cards of the same suit; by game: the mask of trumps."""
    suit = np.empty((6, N_CARDS), np.int8)
    strength = np.empty((6, N_CARDS), np.int8)
    null_order = "789TJQKA"
    for game in range(6):
        for card in range(N_CARDS):
            is_trump = game != NULL and (card & 7 == 7 or card >> 3 == game)
            suit[game, card] = TRUMP if is_trump else card >> 3
            if game == NULL:
                strength[game, card] = null_order.index(RANKS[card & 7])
            else:
                strength[game, card] = 10 - (card >> 3) if card & 7 == 7 else card & 7
    trumps = np.array([_bits(np.flatnonzero(row == TRUMP).tolist()) for row in suit], np.uint32)
    return suit, strength, trumps


_BYTE_EYES = np.array([sum(RANK_EYES[r] for r in range(8) if byte >> r & 1) for byte in range(256)], np.int32)
_RUNS = _runs_of_trumps()
SUIT_OF, STRENGTH_OF, TRUMPS = _tables()
EYES_OF = np.array([RANK_EYES[card & 7] for card in range(N_CARDS)], np.int32)
SUIT_MASKS = np.array(
    [[_bits(np.flatnonzero(SUIT_OF[game] == suit).tolist()) for suit in range(5)] for game in range(6)], np.uint32
)
"""By game and suit (0..3, 4 trumps): the cards with which that suit is followed."""


def deal_cards(n: int, *, seed: int | np.random.Generator = 0) -> tuple[Masks, Masks]:
    """Deal n times: the hands of forehand, middlehand and rearhand (n x 3), and the skat (n).

    >>> hands, skat = deal_cards(4, seed=1)
    >>> count_cards(hands).tolist()[0], count_cards(skat).tolist()
    ([10, 10, 10], [2, 2, 2, 2])
    >>> bool((hands.sum(axis=1) + skat == DECK).all())
    True
    """
    rng = np.random.default_rng(seed)
    order = rng.permuted(np.broadcast_to(np.arange(N_CARDS), (n, N_CARDS)), axis=1)
    return gather_masks(order[:, :30].reshape(n, 3, 10)), gather_masks(order[:, 30:])
