"""Five Tricks, a card game for two: five cards each out of twenty, follow suit, trumps win; five deals make a match.

Ten to ace in four suits; the card that is turned up from the rest tells the trump suit, the others stay unseen. Who
takes more of the 25 tricks wins. Thinkers deal the cards they cannot see a number of times, solve each of these deals,
and play the card that takes most tricks over all of them; forgetful ones do not know what has been played.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import NamedTuple

from ladder import Ladder, Scores, Task, chance
from numba import int64, njit

CARDS, RANKS, HAND, DEALS = 20, 5, 5, 5


class View(NamedTuple):
    """What a player sees; a set of cards is the bits of a number."""

    hand: int
    seen: int
    """His own cards, all that have been played, and the one turned up."""
    trump: int
    led: int
    """The card to follow; -1 if he leads."""
    others: int
    """How many cards the other one has."""


Rule = Callable[[View, Random], int]


def think(view: View, rng: Random, *, deals: int, remembers: bool = True) -> int:
    """Deal the unseen cards, solve, add up; the lowest card of those that are equally good."""
    known = view.seen if remembers else view.hand | (1 << view.led if view.led >= 0 else 0)
    unseen = [card for card in range(CARDS) if not known >> card & 1]
    total = dict.fromkeys(playable(view), 0)
    for _ in range(deals if len(total) > 1 else 0):
        other = sum(1 << card for card in rng.sample(unseen, view.others))
        for card in total:
            total[card] += solve(card, view, other)
    return max(total, key=lambda card: (total[card], -(card % RANKS)))


def use_rule_of_thumb(view: View, _rng: Random) -> int:
    """Lead high; take a trick as cheaply as possible, or give the lowest card."""
    cards = sorted(playable(view), key=lambda card: (card // RANKS == view.trump, card % RANKS))
    if view.led < 0:
        return max(cards, key=lambda card: card % RANKS)
    return next((card for card in cards if beats(card, view.led, view.trump)), cards[0])


def play_highest(view: View, _rng: Random) -> int:
    """The highest card that may be played."""
    return max(playable(view), key=lambda card: card % RANKS)


def play_lowest(view: View, _rng: Random) -> int:
    """The lowest card that may be played."""
    return min(playable(view), key=lambda card: card % RANKS)


def play_any(view: View, rng: Random) -> int:
    """Any card that may be played."""
    return rng.choice(playable(view))


STYLES: list[tuple[str, Rule, float]] = [
    *(
        (f"thinker {deals} deal{'s' * (deals > 1)}", partial(think, deals=deals), rate)
        for deals in (1, 2, 4, 8, 16)
        for rate in (0, 0.1, 0.2, 0.35, 0.5)
    ),
    *(
        (f"forgetful {deals} deal{'s' * (deals > 1)}", partial(think, deals=deals, remembers=False), rate)
        for deals in (1, 4, 16)
        for rate in (0, 0.2)
    ),
    *(("rule of thumb", use_rule_of_thumb, rate) for rate in (0, 0.1, 0.2, 0.35, 0.5, 0.75)),
    ("highest card", play_highest, 0),
    ("lowest card", play_lowest, 0),
    ("any card", play_any, 0),
]
"""Name, rule, and the share of cards played at random."""


def play(task: Task) -> Scores:
    """The scores of both; they lead by turns in the first trick of a deal."""
    number, seated = task
    rng = chance("tricks", number)
    styles = [STYLES[player][1:] for player in seated]
    taken = sum(play_deal(rng, styles, leader=deal % 2) for deal in range(DEALS))
    first = float(2 * taken > DEALS * HAND)
    return first, 1 - first


def play_deal(rng: Random, styles: list[tuple[Rule, float]], leader: int) -> int:
    """Tricks of the first player."""
    cards = rng.sample(range(CARDS), 2 * HAND + 1)
    hands = [sum(1 << card for card in cards[:HAND]), sum(1 << card for card in cards[HAND:-1])]
    trump, played, taken = cards[-1] // RANKS, 1 << cards[-1], 0
    for left in range(HAND, 0, -1):
        led = -1
        for player, others in ((leader, left), (1 - leader, left - 1)):
            rule, rate = styles[player]
            view = View(hands[player], hands[player] | played, trump, led, others)
            card = play_any(view, rng) if rng.random() < rate else rule(view, rng)
            hands[player] ^= 1 << card
            played |= 1 << card
            if led < 0:
                led = card
            elif beats(card, led, trump):
                leader = player
        taken += leader == 0
    return taken


def playable(view: View) -> list[int]:
    """The cards of the suit that was led, if there are any, else all."""
    cards = [card for card in range(CARDS) if view.hand >> card & 1]
    follow = [card for card in cards if view.led >= 0 and card // RANKS == view.led // RANKS]
    return follow or cards


def beats(card: int, led: int, trump: int) -> bool:
    """Whether a card takes a trick that another one led."""
    suit = card // RANKS
    return card > led if suit == led // RANKS else suit == trump


def solve(card: int, view: View, other: int) -> int:
    """Tricks that a card takes if the other one has these cards and both go on as is best."""
    rest, left = view.hand ^ 1 << card, view.hand.bit_count()
    if view.led < 0:
        return left - int(most_tricks(other, rest, card, view.trump))
    if beats(card, view.led, view.trump):
        return 1 + int(most_tricks(rest, other, -1, view.trump))
    return left - 1 - int(most_tricks(other, rest, -1, view.trump))


@njit(int64(int64, int64, int64, int64))  # type: ignore[untyped-decorator]
def most_tricks(mover: int, other: int, led: int, trump: int) -> int:
    """Tricks of the player on move, who leads (-1) or follows a card, if all is known and both play as is best."""
    n_cards = has_suit = 0
    for card in range(CARDS):
        n_cards += mover >> card & 1
        if led >= 0 and card // RANKS == led // RANKS:
            has_suit |= mover >> card & 1
    most = 0
    for card in range(CARDS):
        suit = card // RANKS
        if not mover >> card & 1 or (has_suit and suit != led // RANKS):
            continue
        rest = mover ^ (1 << card)
        if led < 0:
            taken = n_cards - most_tricks(other, rest, card, trump)
        elif (card > led) if suit == led // RANKS else suit == trump:
            taken = 1 + most_tricks(rest, other, -1, trump)
        else:
            taken = n_cards - 1 - most_tricks(other, rest, -1, trump)
        most = max(most, taken)
    return most


LADDER = Ladder(
    "tricks",
    [name + (f" {rate:.0%} random" if rate else "") for name, _, rate in STYLES],
    play,
    matches=8_000,
)
