"""What a declarer's cards tell about winning: the parameters of Edelkamp's paper, counted from bit masks.

Trump games: free suits, eyes in the skat (4 groups), bids (4 groups), position, length of trumps, aces and tens beside
them, jacks, lost cards. Null: the holding in each suit. The paper does not give the bounds of its groups; these are
ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludometer.arrays import Array, Codes, Floats, Mask
from ludometer.errors import LudometerError
from ludometer.skat.rules.cards import GRAND, NULL, SUIT_MASKS, TRUMPS, Masks, count_cards, count_eyes

KINDS = ("suit", "grand", "null", "null hand", "null ouvert", "null ouvert hand")
SUIT_KIND, GRAND_KIND, NULL_KIND = range(3)

EYE_BORDERS = (4, 11, 15)
"""Groups of eyes in the skat: 0-3, 4-10, 11-14, 15 and more."""

BID_BORDERS = (19, 22, 24)
"""Groups of the last bid: 18 or none, 20, 22-23, 24 and more; programs that bid low would leave higher groups empty."""

TRUMP_FEATURES = (
    "trumps", "trumps above 6", "jack of clubs", "jack of spades", "jack of hearts", "jack of diamonds",
    "both black jacks", "trump ace", "trump ten", "side aces", "side tens with ace", "side tens guarded",
    "side tens bare", "free suits", "lost side cards", "lost trumps", "forehand", "middlehand", "eyes in skat",
    "skat 4-10", "skat 11-14", "skat 15 or more", "bid 20", "bid 22-23", "bid 24 or more",
)  # fmt: skip
GRAND_FEATURES = (
    "jacks", "jack of clubs", "jack of spades", "both black jacks", "aces", "tens with ace", "tens guarded",
    "tens bare", "free suits", "longest suit", "lost side cards", "lost trumps", "forehand", "middlehand",
    "forehand with few jacks", "eyes in skat", "skat 4-10", "skat 11-14", "skat 15 or more", "bid 20", "bid 22-23",
    "bid 24 or more",
)  # fmt: skip
NULL_FEATURES = ("holds the suit", "cards", "widest gap", "sum of gaps", "lowest is no seven", "bare")

_ACE, _TEN = 6, 5
_NULL_ORDER = (0, 1, 2, 5, 6, 3, 7, 4)
"""For the ranks 7 8 9 Q K T A J of a mask: their order in null."""


@dataclass(frozen=True)
class DeclaredGames:
    """Games as their declarers began to play: 10 cards in hand, 2 laid away (in hand games: left), the last bid.

    `game` is 0..5 for C S H D G N, `position` 0..2 for forehand, middlehand and rearhand.
    """

    game: Codes
    hand: Masks
    skat: Masks
    bid: Codes
    position: Codes
    hand_game: Mask
    ouvert: Mask

    @classmethod
    def of(
        cls,
        game: ArrayLike,
        hand: ArrayLike,
        skat: ArrayLike,
        *,
        bid: ArrayLike = 18,
        position: ArrayLike = 0,
        hand_game: ArrayLike = False,
        ouvert: ArrayLike = False,
    ) -> DeclaredGames:
        """Check the columns and make them equally long.

        >>> from ludometer.skat.rules.cards import parse_cards
        >>> games = DeclaredGames.of([0], [parse_cards("CJ SJ CA CT CK C9 SA ST HA D7")], [parse_cards("HT DT")])
        >>> games.kind.tolist(), count_stegen(games).tolist()
        ([0], [13.5])
        """
        given = (np.atleast_1d(game), hand, skat, bid, position, hand_game, ouvert)
        games, hands, skats, bids, positions, in_hand, is_ouvert = np.broadcast_arrays(*map(np.asarray, given))
        hands, skats = hands.astype(np.uint32), skats.astype(np.uint32)
        faults = {
            "without 10 cards in hand": (count_cards(hands) != 10).sum(),
            "without 2 cards in the skat": (count_cards(skats) != 2).sum(),
            "with a card both in hand and skat": (hands & skats != 0).sum(),
            "of an unknown game": ((games < 0) | (games > NULL)).sum(),
            "from an unknown position": ((positions < 0) | (positions > 2)).sum(),
        }
        wrong = [f"{n} games {fault}" for fault, n in faults.items() if n]
        if wrong:
            raise LudometerError("; ".join(wrong))
        whole = [np.ascontiguousarray(column, np.int32) for column in (games, bids, positions)]
        return cls(whole[0], hands, skats, whole[1], whole[2], in_hand.astype(bool), is_ouvert.astype(bool))

    def __len__(self) -> int:
        return len(self.game)

    @property
    def kind(self) -> Codes:
        """The index into `KINDS`: games of a kind share a model and a mean."""
        null = NULL_KIND + self.hand_game + 2 * self.ouvert
        kinds: Codes = np.where(self.game == NULL, null, np.where(self.game == GRAND, GRAND_KIND, SUIT_KIND))
        return kinds.astype(np.int32)

    def where(self, kept: Array) -> DeclaredGames:
        """The games of a mask or of these indices."""
        columns: dict[str, Any] = {name: column[kept] for name, column in vars(self).items()}
        return DeclaredGames(**columns)


def describe_suit_games(games: DeclaredGames) -> Floats:
    """The columns of `TRUMP_FEATURES`."""
    side = _Sides(games)
    jack = _jacks(games.hand)
    own = games.hand >> (8 * games.game).astype(np.uint32) & np.uint32(127)
    trumps = count_cards(games.hand & TRUMPS[games.game]).astype(float)
    pattern = _trump_pattern(games.hand, own)
    return np.column_stack(
        (
            trumps, np.maximum(trumps - 6, 0), *jack, jack[0] & jack[1], own >> _ACE & 1, own >> _TEN & 1,
            side.aces, side.tens_with_ace, side.tens_guarded, side.tens_bare, side.free, side.lost,
            lost_trumps()[pattern], *_circumstances(games),
        )
    ).astype(float)  # fmt: skip


def describe_grands(games: DeclaredGames) -> Floats:
    """The columns of `GRAND_FEATURES`."""
    side = _Sides(games)
    jack = _jacks(games.hand)
    jacks = np.sum(jack, axis=0)
    forehand, *others = _circumstances(games)
    return np.column_stack(
        (
            jacks, jack[0], jack[1], jack[0] & jack[1], side.aces, side.tens_with_ace, side.tens_guarded,
            side.tens_bare, side.free, side.longest, side.lost, lost_jacks()[_jack_bits(games.hand)], forehand,
            others[0], forehand * (jacks < 3), *others[1:],
        )
    ).astype(float)  # fmt: skip


def describe_null_suits(games: DeclaredGames) -> Floats:
    """The columns of `NULL_FEATURES` for each of the four suits: (games, 4, features)."""
    bytes_of = games.hand[:, None] >> np.array([0, 8, 16, 24], np.uint32) & np.uint32(255)
    described: Floats = _null_holdings()[bytes_of]
    return described


def count_stegen(games: DeclaredGames) -> Floats:
    """Von Stegen's count; grand is on its own scale (bid at 6; times 5/3 to compare with suit games); NaN for null.

    Suit: 1 for each trump, 1 more for each jack and for trump ace and ten, 1 for each ace and ten beside, 0.5 for two
    black jacks (1.5 with the third, 2 for all four, 0.5 for the three without clubs), 0.5 for each missing suit.
    Grand: 1 for each jack, ace and ten.
    """
    aces_and_tens = count_cards(games.hand & np.uint32(0x6060_6060))
    suits = np.minimum(games.game, 3)
    trumps = count_cards(games.hand & TRUMPS[suits])
    jacks = np.sum(_jacks(games.hand), axis=0)
    side = _Sides(games)
    in_suits = trumps + jacks + aces_and_tens + _stegen_jacks()[_jack_bits(games.hand)] + 0.5 * side.free
    in_grand = jacks + aces_and_tens
    count: Floats = np.where(games.game == GRAND, in_grand, in_suits).astype(float)
    count[games.game == NULL] = np.nan
    return count


@cache
def lost_in_suit() -> NDArray[np.int64]:
    """Tricks to be lost in a side suit, by the 7 bits of its holding (7 8 9 Q K T A).

    In each round the highest card still out beats all that is lower; holding the highest one wins. Otherwise the
    lowest card goes. The two others follow with their highest and lowest.
    """
    return np.array([_lost(bits, 7) for bits in range(128)])


@cache
def lost_trumps() -> NDArray[np.int64]:
    """The same for the 11 trumps of a suit game."""
    return np.array([_lost(bits, 11) for bits in range(2048)])


@cache
def lost_jacks() -> NDArray[np.int64]:
    """The same for the 4 trumps of a grand, by the bits of the jacks from diamonds up."""
    return np.array([_lost(bits, 4) for bits in range(16)])


@cache
def null_gaps() -> NDArray[np.int64]:
    """By the 8 bits of a holding: the sum of its gaps in null, 0 if it is safe (7 9 J K or better)."""
    return np.array([sum(_gaps(holding)) for holding in range(256)])


class _Sides:
    """What stands in the suits that are not trumps."""

    def __init__(self, games: DeclaredGames) -> None:
        n = len(games)
        self.aces, self.tens_with_ace, self.tens_guarded, self.tens_bare, self.free, self.lost, self.longest = (
            np.zeros(n, np.int64) for _ in range(7)
        )
        losses = lost_in_suit()
        for suit in range(4):
            beside = games.game != suit
            held = games.hand & SUIT_MASKS[GRAND, suit]
            cards = count_cards(held).astype(np.int64)
            bits = held >> np.uint32(8 * suit)
            ace, ten = (bits >> _ACE & 1).astype(bool), (bits >> _TEN & 1).astype(bool)
            self.aces += beside & ace
            self.tens_with_ace += beside & ten & ace
            self.tens_guarded += beside & ten & ~ace & (cards > 1)
            self.tens_bare += beside & ten & (cards == 1)
            self.free += beside & (cards == 0)
            self.lost += beside * losses[bits]
            self.longest = np.maximum(self.longest, beside * cards)


def _circumstances(games: DeclaredGames) -> tuple[Array, ...]:
    """Position, skat, bids; not whether it is a hand game: that tells more about the bidder than about the cards."""
    eyes = count_eyes(games.skat)
    skat = np.digitize(eyes, EYE_BORDERS)
    bids = np.digitize(games.bid, BID_BORDERS)
    groups = [skat == group for group in (1, 2, 3)] + [bids == group for group in (1, 2, 3)]
    return games.position == 0, games.position == 1, eyes, *groups


def _jacks(hand: Masks) -> list[NDArray[np.int64]]:
    """Has the hand the jacks of clubs, spades, hearts, diamonds?"""
    return [(hand >> np.uint32(8 * suit + 7) & np.uint32(1)).astype(np.int64) for suit in range(4)]


def _jack_bits(hand: Masks) -> NDArray[np.int64]:
    clubs, spades, hearts, diamonds = _jacks(hand)
    return diamonds + 2 * hearts + 4 * spades + 8 * clubs


def _trump_pattern(hand: Masks, own: Masks) -> NDArray[np.int64]:
    return (_jack_bits(hand) << 7) + own.astype(np.int64)


def _lost(bits: int, n_cards: int) -> int:
    own = [rank for rank in range(n_cards) if bits >> rank & 1]
    out = [rank for rank in range(n_cards) if not bits >> rank & 1]
    lost = 0
    while own and out:
        if own[-1] > out[-1]:
            own.pop()
            del out[:2]
        else:
            own.pop(0)
            out.pop()
            del out[:1]
            lost += 1
    return lost


def _gaps(holding: int) -> list[int]:
    """For each card of a suit from the lowest: how far it stands above 7, 9, J, K, as far as lower ones are out."""
    ranks = sorted(_NULL_ORDER[rank] for rank in range(8) if holding >> rank & 1)
    return [max(0, min(rank - 2 * place, rank - place)) if place < 4 else 0 for place, rank in enumerate(ranks)]


@cache
def _null_holdings() -> Floats:
    table = np.zeros((256, len(NULL_FEATURES)))
    for holding in range(1, 256):
        gaps = _gaps(holding)
        table[holding] = (1, len(gaps), max(gaps), sum(gaps), gaps[0] > 0, len(gaps) == 1)
    return table


@cache
def _stegen_jacks() -> Floats:
    """Von Stegen's bonus by the bits of the jacks, clubs being the highest."""
    bonus = np.zeros(16)
    bonus[[0b1100, 0b1101]], bonus[0b1110], bonus[0b1111], bonus[0b0111] = 0.5, 1.5, 2.0, 0.5
    return bonus
