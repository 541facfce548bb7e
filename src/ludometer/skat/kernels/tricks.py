"""The replay of tricks: whether each card is allowed, and who takes the trick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.kernels.runtime.compile import kernel
from ludometer.skat.rules.cards import EYES_OF, STRENGTH_OF, SUIT_MASKS, SUIT_OF

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]


@kernel
def replay_tricks(
    game: Any, hands: Any, played: Bytes, n_played: Any, winners: Any, eyes: Any, tricks: Any, fault: Any
) -> None:
    """Play the cards in order, forehand first; `fault` is the place of the first card that could not be played, or -1.

    `hands` are those of play, after the discard. Winners of tricks, eyes and tricks by seat are what is left when the
    cards end, or up to the fault.
    """
    left = np.empty(3, np.uint32)
    for row in range(game.size):
        fault[row] = -1
        left[:] = hands[row]
        kind = game[row]
        leader = 0
        led = best = best_card = sum_eyes = 0
        for place in range(n_played[row]):
            card = played[row, place]
            turn = place % 3
            seat = (leader + turn) % 3
            bit = np.uint32(1) << np.uint32(card)
            suit = SUIT_OF[kind, card]
            if turn == 0:
                led = suit
            follows = left[seat] & SUIT_MASKS[kind, led]
            if not left[seat] & bit or (suit != led and follows):
                fault[row] = place
                break
            left[seat] &= ~bit
            is_better = (
                suit == 4
                if suit != SUIT_OF[kind, best_card]
                else STRENGTH_OF[kind, card] > STRENGTH_OF[kind, best_card]
            )
            if turn == 0 or is_better:
                best, best_card = seat, card
            sum_eyes = EYES_OF[card] + (sum_eyes if turn else 0)
            if turn == 2:
                winners[row, place // 3] = best
                eyes[row, best] += sum_eyes
                tricks[row, best] += 1
                leader = best
