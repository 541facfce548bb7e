"""The play of Skat by simple rules: legal cards, who takes a trick, and a player who may blunder.

Cards are 0..31 and hands are bit masks as in `ludometer.skat.rules.cards`, whose tables are handed in: `suit_of` and
`strength_of` by game and card, `eyes_of` by card, `suit_masks` by game and suit. Suit 4 is trumps; game 5 is null.
Seats are 0 forehand, 1 middlehand, 2 rearhand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.kernels.runtime.compile import kernel

_NULL = 5
_TRUMP = 4
_NO_CARD = -1


@kernel
def play_out(
    hands: Array,
    skat: Array,
    game: Codes,
    declarer: Codes,
    blunder: Floats,
    draws: Floats,
    suit_of: Array,
    strength_of: Array,
    eyes_of: Codes,
    suit_masks: Array,
    eyes: Codes,
    tricks: Codes,
    cards: Array,
) -> None:
    """Play deals to the end; writes the declarer's eyes (with the skat), tricks, and the cards in playing order.

    `hands` (n, 3) are those after the discard, `blunder` (n, 3) is the chance of each decision to be a random legal
    card, as `draws` (n, 30) from [0, 1) decide. A null game ends with the declarer's first trick; the cards not played
    stay -1.
    """
    left = np.zeros(3, np.uint32)
    table = np.full(3, _NO_CARD, np.int64)
    for i in range(len(game)):
        left[:] = hands[i]
        kind, alone, lead, step = game[i], declarer[i], 0, 0
        played, taken, n_taken = np.uint32(0), 0, 0
        for card in range(32):
            if skat[i] >> np.uint32(card) & np.uint32(1):
                taken += eyes_of[card]
        while step < 30:
            table[:] = _NO_CARD
            for turn in range(3):
                seat = (lead + turn) % 3
                legal = legal_cards(left[seat], table[0], kind, suit_of, suit_masks)
                if draws[i, step] < blunder[i, seat]:
                    # what is left of the draw is uniform again and picks the card
                    card = _pick(legal, draws[i, step] / blunder[i, seat])
                else:
                    # the declarer knows the discarded cards
                    seen = played | left[seat] | (skat[i] if seat == alone else np.uint32(0))
                    card = _choose(
                        legal, left[seat], seen, table, turn, lead, seat, alone, kind, suit_of, strength_of, eyes_of,
                        suit_masks,
                    )  # fmt: skip
                table[turn] = card
                left[seat] &= ~(np.uint32(1) << np.uint32(card))
                played |= np.uint32(1) << np.uint32(card)
                cards[i, step] = card
                step += 1
            lead = (lead + winning_turn(table, 3, kind, suit_of, strength_of)) % 3
            if lead == alone:
                n_taken += 1
                for turn in range(3):
                    taken += eyes_of[table[turn]]
                if kind == _NULL:
                    break
        eyes[i] = taken
        tricks[i] = n_taken


@kernel
def legal_cards(hand: Any, led: int, game: int, suit_of: Array, suit_masks: Array) -> Any:
    """The cards that may be played: those of the suit led, else any."""
    if led < 0:
        return hand
    follow = hand & suit_masks[game, suit_of[game, led]]
    return follow if follow else hand


@kernel
def winning_turn(table: Counts, n: int, game: int, suit_of: Array, strength_of: Array) -> int:
    """Which of the first n cards of a trick takes it."""
    best = 0
    for turn in range(1, n):
        if beats(table[turn], table[best], game, suit_of, strength_of):
            best = turn
    return best


@kernel
def beats(card: Any, other: Any, game: int, suit_of: Array, strength_of: Array) -> bool:
    """Does a card, played later, beat the one that leads the trick so far?"""
    suit, before = suit_of[game, card], suit_of[game, other]
    if suit == before:
        return strength_of[game, card] > strength_of[game, other]  # type: ignore[no-any-return]
    return suit == _TRUMP  # type: ignore[no-any-return]


@kernel
def _pick(legal: Any, share: float) -> int:
    """The card at a share in [0, 1) of those that are legal."""
    place = int(share * _count(legal))
    for card in range(32):
        if legal >> np.uint32(card) & np.uint32(1):
            if place == 0:
                return card
            place -= 1
    return _NO_CARD


@kernel
def _choose(
    legal: Any,
    hand: Any,
    seen: Any,
    table: Counts,
    turn: int,
    lead: int,
    seat: int,
    alone: int,
    game: int,
    suit_of: Array,
    strength_of: Array,
    eyes_of: Codes,
    suit_masks: Array,
) -> int:
    """The legal card with the highest worth; each rule is a term of it."""
    best, highest = _NO_CARD, -1e9
    winner = 0
    if turn > 0:
        winner = winning_turn(table, turn, game, suit_of, strength_of)
    for card in range(32):
        if not legal >> np.uint32(card) & np.uint32(1):
            continue
        if game == _NULL:
            worth = _worth_in_null(
                card, hand, table, turn, winner, lead, seat, alone, game, suit_of, strength_of, suit_masks
            )
        elif turn == 0:
            worth = _worth_of_lead(card, hand, seen, seat, alone, game, suit_of, strength_of, eyes_of, suit_masks)
        else:
            worth = _worth_of_follow(
                card, seen, table, turn, winner, lead, seat, alone, game, suit_of, strength_of, eyes_of, suit_masks
            )
        if worth > highest:
            best, highest = card, worth
    return best


@kernel
def _count(mask: Any) -> int:
    n = 0
    while mask:
        mask &= mask - np.uint32(1)
        n += 1
    return n


@kernel
def _higher_unseen(card: Any, seen: Any, game: int, suit_of: Array, strength_of: Array, suit_masks: Array) -> int:
    """How many cards of its suit that beat it have not been seen."""
    n = 0
    unseen = suit_masks[game, suit_of[game, card]] & ~seen
    for other in range(32):
        if unseen >> np.uint32(other) & np.uint32(1) and strength_of[game, other] > strength_of[game, card]:
            n += 1
    return n


@kernel
def _worth_of_lead(
    card: int,
    hand: Any,
    seen: Any,
    seat: int,
    alone: int,
    game: int,
    suit_of: Array,
    strength_of: Array,
    eyes_of: Codes,
    suit_masks: Array,
) -> float:
    """Declarer: draw trumps from the top, then masters; defender: masters, then a short suit towards the partner."""
    suit = suit_of[game, card]
    unseen_trumps = _count(suit_masks[game, _TRUMP] & ~seen)
    above = _higher_unseen(card, seen, game, suit_of, strength_of, suit_masks)
    length = _count(hand & suit_masks[game, suit])
    points = float(eyes_of[card])
    if seat == alone:
        if suit == _TRUMP:
            if unseen_trumps == 0:
                return -20.0 - points
            if above == 0:
                return 60.0 - 0.1 * points
            # driving out the higher trumps pays when enough are left behind
            return (30.0 if length > unseen_trumps // 2 + 1 else -10.0) - points
        if above == 0:
            return (50.0 if unseen_trumps == 0 else 20.0) + points - (0.0 if unseen_trumps == 0 else 3.0 * length)
        return length - 2.0 * points
    if suit == _TRUMP:
        return -30.0 - points
    if above == 0:
        return 20.0 + points - 3.0 * length
    # the partner sits behind the declarer, or before: a long suit then costs the declarer trumps
    towards = -length if (seat + 1) % 3 == alone else length
    return 0.5 * towards - 1.5 * points


@kernel
def _worth_of_follow(
    card: int,
    seen: Any,
    table: Counts,
    turn: int,
    winner: int,
    lead: int,
    seat: int,
    alone: int,
    game: int,
    suit_of: Array,
    strength_of: Array,
    eyes_of: Codes,
    suit_masks: Array,
) -> float:
    """Win what is worth it as cheaply as possible, give eyes to the partner's trick, little to the other side's."""
    points, force = float(eyes_of[card]), float(strength_of[game, card])
    trump = suit_of[game, card] == _TRUMP
    cost = (3.0 + force) if trump else 0.0
    lying = 0.0
    for other in range(turn):
        lying += eyes_of[table[other]]
    wins = beats(card, table[winner], game, suit_of, strength_of)
    partner_leads = seat != alone and (lead + winner) % 3 != alone
    last = turn == 2
    declarer_behind = not last and (seat + 1) % 3 == alone
    held = last or _higher_unseen(table[winner], seen, game, suit_of, strength_of, suit_masks) == 0
    if partner_leads and (held or not declarer_behind):
        # eyes for the partner, but no trumps
        return 2.0 * points - 2.0 * cost - (1.0 if wins else 0.0)
    if wins:
        safe = last or _higher_unseen(card, seen, game, suit_of, strength_of, suit_masks) == 0
        if safe:
            return 10.0 + lying + 2.0 * points - cost
        if seat == alone:
            # the declarer trumps in low and hopes
            return 4.0 + lying - points - cost
        return 2.0 - 2.0 * points - cost
    return -2.0 * points - cost


@kernel
def _worth_in_null(
    card: int,
    hand: Any,
    table: Counts,
    turn: int,
    winner: int,
    lead: int,
    seat: int,
    alone: int,
    game: int,
    suit_of: Array,
    strength_of: Array,
    suit_masks: Array,
) -> float:
    """Declarer: duck with the highest card that can, throw off dangerous ones; defenders: stay below the declarer."""
    force = float(strength_of[game, card])
    length = _count(hand & suit_masks[game, suit_of[game, card]])
    if turn == 0:
        if seat == alone:
            return -force + 0.2 * length
        return -force - 0.7 * length
    follows = suit_of[game, card] == suit_of[game, table[0]]
    if not follows:
        return force - 0.3 * length
    wins = beats(card, table[winner], game, suit_of, strength_of)
    if seat == alone:
        return -10.0 - force if wins else force
    if (lead + winner) % 3 == alone:
        return -20.0 - force if wins else force
    # stay low while the declarer is still to play; if the declarer is below, throw off high cards
    return -force if turn == 1 and (seat + 1) % 3 == alone else force
