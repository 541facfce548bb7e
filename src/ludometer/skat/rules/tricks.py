"""The tricks of a game, replayed: whether each card is allowed, who takes the trick, and eyes and tricks by seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludometer.arrays import Codes
from ludometer.skat.rules import cards


@dataclass(frozen=True)
class Replay:
    """One game: the winner of each whole trick, and by seat eyes and tricks taken; the skat's eyes are not in."""

    winners: tuple[int, ...]
    eyes: tuple[int, int, int]
    tricks: tuple[int, int, int]
    fault: str | None = None


def replay_game(game: int, hands: Sequence[int], played: Sequence[int]) -> Replay:
    """Play the cards in order, forehand first; stop at a card that is not allowed. The plain twin.

    >>> hands = [cards.parse_cards(text) for text in ("CA", "C7", "SJ")]
    >>> replay_game(cards.SPADES, hands, [cards.parse_card(name) for name in ("CA", "C7", "SJ")])
    Replay(winners=(2,), eyes=(0, 0, 13), tricks=(0, 0, 1), fault=None)
    """
    left = [set(cards.list_cards(hand)) for hand in hands]
    eyes, tricks, winners = [0, 0, 0], [0, 0, 0], []
    leader, fault = 0, None
    trick: list[tuple[int, int]] = []
    for card in played:
        seat = (leader + len(trick)) % 3
        suit = cards.SUIT_OF[game, card]
        led = cards.SUIT_OF[game, trick[0][1]] if trick else suit
        if card not in left[seat]:
            fault = f"{cards.format_card(card)} is not in the hand of seat {seat}"
            break
        if suit != led and any(cards.SUIT_OF[game, other] == led for other in left[seat]):
            fault = f"{cards.format_card(card)} does not follow suit"
            break
        left[seat].remove(card)
        trick.append((seat, card))
        if len(trick) == 3:
            leader, _ = max(trick, key=lambda entry: _rank(game, entry[1], led))
            winners.append(leader)
            eyes[leader] += sum(int(cards.EYES_OF[card]) for _, card in trick)
            tricks[leader] += 1
            trick = []
    return Replay(tuple(winners), (eyes[0], eyes[1], eyes[2]), (tricks[0], tricks[1], tricks[2]), fault)


def _rank(game: int, card: int, led: int) -> tuple[bool, bool, int]:
    suit = cards.SUIT_OF[game, card]
    return suit == cards.TRUMP, suit == led, int(cards.STRENGTH_OF[game, card])


@dataclass(frozen=True, eq=False)
class Replays:
    """Many games: winners (n x 10, -1 for tricks not played), eyes and tricks (n x 3), and where play broke a rule."""

    winners: NDArray[np.int8]
    eyes: Codes
    tricks: Codes
    fault: NDArray[np.int8]
    """The place, 0 to 29, of the first card that was not allowed; -1 if all were."""

    def __len__(self) -> int:
        return len(self.fault)


def replay_games(game: ArrayLike, hands: ArrayLike, played: ArrayLike, n_played: ArrayLike) -> Replays:
    """`replay_game` for arrays: hands at play as masks (n x 3), cards in order (n x 30), how many of them count.

    A game below 0, which was not played, has no tricks.

    >>> hands = [[cards.parse_cards(text) for text in ("CA", "C7", "SJ")]]
    >>> found = replay_games([cards.SPADES], hands, [[6, 0, 15] + 27 * [255]], [3])
    >>> found.eyes.tolist(), found.winners[0, :2].tolist()
    ([[0, 0, 13]], [2, -1])
    """
    from ludometer.skat.kernels.tricks import replay_tricks

    kind = np.ascontiguousarray(game, np.int64)
    counts = np.where(kind < 0, 0, np.asarray(n_played, np.int64))
    n = len(kind)
    winners, fault = np.full((n, 10), -1, np.int8), np.empty(n, np.int8)
    eyes, tricks = np.zeros((n, 3), np.int32), np.zeros((n, 3), np.int32)
    masks, order = np.ascontiguousarray(hands, np.uint32), np.ascontiguousarray(played, np.uint8)
    replay_tricks(kind, masks, order, counts, winners, eyes, tricks, fault)
    return Replays(winners, eyes, tricks, fault)
