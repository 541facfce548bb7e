"""The play of Skat by simple rules: legal cards, who takes a trick, and a player who may blunder.

Cards are 0..31 and hands are bit masks as in `ludometer.skat.rules.cards`, whose tables are constants here. Suit 4 is
trumps; game 5 is null. Seats are 0 forehand, 1 middlehand, 2 rearhand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.kernels.runtime.compile import kernel
from ludometer.skat.rules.cards import EYES_OF, STRENGTH_OF, SUIT_MASKS, SUIT_OF

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
                taken += EYES_OF[card]
        while step < 30:
            table[:] = _NO_CARD
            for turn in range(3):
                seat = (lead + turn) % 3
                legal = legal_cards(left[seat], table[0], kind)
                if draws[i, step] < blunder[i, seat]:
                    # what is left of the draw is uniform again and picks the card
                    card = _pick(legal, draws[i, step] / blunder[i, seat])
                else:
                    # the declarer knows the discarded cards
                    seen = played | left[seat] | (skat[i] if seat == alone else np.uint32(0))
                    card = _choose(
                        legal, left[seat], seen, table, turn, lead, seat, alone, kind,

                    )  # fmt: skip
                table[turn] = card
                left[seat] &= ~(np.uint32(1) << np.uint32(card))
                played |= np.uint32(1) << np.uint32(card)
                cards[i, step] = card
                step += 1
            lead = (lead + winning_turn(table, 3, kind)) % 3
            if lead == alone:
                n_taken += 1
                for turn in range(3):
                    taken += EYES_OF[table[turn]]
                if kind == _NULL:
                    break
        eyes[i] = taken
        tricks[i] = n_taken


@kernel
def legal_cards(hand: Any, led: int, game: int) -> Any:
    """The cards that may be played: those of the suit led, else any."""
    if led < 0:
        return hand
    follow = hand & SUIT_MASKS[game, SUIT_OF[game, led]]
    return follow if follow else hand


@kernel
def winning_turn(table: Counts, n: int, game: int) -> int:
    """Which of the first n cards of a trick takes it."""
    best = 0
    for turn in range(1, n):
        if beats(table[turn], table[best], game):
            best = turn
    return best


@kernel
def beats(card: Any, other: Any, game: int) -> bool:
    """Does a card, played later, beat the one that leads the trick so far?"""
    suit, before = SUIT_OF[game, card], SUIT_OF[game, other]
    if suit == before:
        return STRENGTH_OF[game, card] > STRENGTH_OF[game, other]  # type: ignore[no-any-return]
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
    legal: Any, hand: Any, seen: Any, table: Counts, turn: int, lead: int, seat: int, alone: int, game: int
) -> int:
    """The legal card with the highest worth; each rule is a term of it."""
    best, highest = _NO_CARD, -1e9
    winner = 0
    if turn > 0:
        winner = winning_turn(table, turn, game)
    for card in range(32):
        if not legal >> np.uint32(card) & np.uint32(1):
            continue
        if game == _NULL:
            worth = _worth_in_null(card, hand, table, turn, winner, lead, seat, alone, game)
        elif turn == 0:
            worth = _worth_of_lead(card, hand, seen, seat, alone, game)
        else:
            worth = _worth_of_follow(card, seen, table, turn, winner, lead, seat, alone, game)
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
def _higher_unseen(card: Any, seen: Any, game: int) -> int:
    """How many cards of its suit that beat it have not been seen."""
    n = 0
    unseen = SUIT_MASKS[game, SUIT_OF[game, card]] & ~seen
    for other in range(32):
        if unseen >> np.uint32(other) & np.uint32(1) and STRENGTH_OF[game, other] > STRENGTH_OF[game, card]:
            n += 1
    return n


@kernel
def _worth_of_lead(card: int, hand: Any, seen: Any, seat: int, alone: int, game: int) -> float:
    """Declarer: draw trumps from the top, then masters; defender: masters, then a short suit towards the partner."""
    suit = SUIT_OF[game, card]
    unseen_trumps = _count(SUIT_MASKS[game, _TRUMP] & ~seen)
    above = _higher_unseen(card, seen, game)
    length = _count(hand & SUIT_MASKS[game, suit])
    points = float(EYES_OF[card])
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
    card: int, seen: Any, table: Counts, turn: int, winner: int, lead: int, seat: int, alone: int, game: int
) -> float:
    """Win what is worth it as cheaply as possible, give eyes to the partner's trick, little to the other side's."""
    points, force = float(EYES_OF[card]), float(STRENGTH_OF[game, card])
    trump = SUIT_OF[game, card] == _TRUMP
    cost = (3.0 + force) if trump else 0.0
    lying = 0.0
    for other in range(turn):
        lying += EYES_OF[table[other]]
    wins = beats(card, table[winner], game)
    partner_leads = seat != alone and (lead + winner) % 3 != alone
    last = turn == 2
    declarer_behind = not last and (seat + 1) % 3 == alone
    held = last or _higher_unseen(table[winner], seen, game) == 0
    if partner_leads and (held or not declarer_behind):
        # eyes for the partner, but no trumps
        return 2.0 * points - 2.0 * cost - (1.0 if wins else 0.0)
    if wins:
        safe = last or _higher_unseen(card, seen, game) == 0
        if safe:
            return 10.0 + lying + 2.0 * points - cost
        if seat == alone:
            # the declarer trumps in low and hopes
            return 4.0 + lying - points - cost
        return 2.0 - 2.0 * points - cost
    return -2.0 * points - cost


@kernel
def _worth_in_null(
    card: int, hand: Any, table: Counts, turn: int, winner: int, lead: int, seat: int, alone: int, game: int
) -> float:
    """Declarer: duck with the highest card that can, throw off dangerous ones; defenders: stay below the declarer."""
    force = float(STRENGTH_OF[game, card])
    length = _count(hand & SUIT_MASKS[game, SUIT_OF[game, card]])
    if turn == 0:
        if seat == alone:
            return -force + 0.2 * length
        return -force - 0.7 * length
    follows = SUIT_OF[game, card] == SUIT_OF[game, table[0]]
    if not follows:
        return force - 0.3 * length
    wins = beats(card, table[winner], game)
    if seat == alone:
        return -10.0 - force if wins else force
    if (lead + winner) % 3 == alone:
        return -20.0 - force if wins else force
    # stay low while the declarer is still to play; if the declarer is below, throw off high cards
    return -force if turn == 1 and (seat + 1) % 3 == alone else force
