"""Tricks played again: the kernel and the plain twin agree, legal or not."""

from __future__ import annotations

import numpy as np

from ludometer.skat.rules import cards
from ludometer.skat.rules.tricks import replay_game, replay_games
from tests.skat.deals import play_at_random


def test_kernel_and_plain_replay_agree() -> None:
    rng = np.random.default_rng(5)
    hands, _ = cards.deal_cards(240, seed=5)
    games = np.arange(240) % 6
    played = np.full((240, 30), 255, np.uint8)
    counts = rng.integers(0, 31, 240)
    counts[:60] = 30
    for row in range(240):
        order = play_at_random(int(games[row]), [int(hand) for hand in hands[row]], rng)
        if row % 4 == 3:
            rng.shuffle(order)
        played[row, : counts[row]] = order[: counts[row]]
    found = replay_games(games, hands, played, counts)
    n_faults = 0
    for row in range(240):
        one = replay_game(int(games[row]), hands[row].tolist(), played[row, : counts[row]].tolist())
        assert found.eyes[row].tolist() == list(one.eyes)
        assert found.tricks[row].tolist() == list(one.tricks)
        assert [w for w in found.winners[row].tolist() if w >= 0] == list(one.winners)
        assert (found.fault[row] >= 0) == (one.fault is not None)
        n_faults += one.fault is not None
    assert 20 < n_faults < 100
    whole = (counts == 30) & (found.fault < 0)
    assert whole.sum() >= 45
    # the eyes that are missing lie in the skat
    assert np.all(found.tricks[whole].sum(axis=1) == 10)
    assert np.all(found.eyes[whole].sum(axis=1) == cards.count_eyes(np.bitwise_or.reduce(hands, axis=1))[whole])


def test_faults_are_named() -> None:
    hands = [cards.parse_cards(text) for text in ("CA.S7", "C7.S8", "CJ.S9")]
    revoke = replay_game(cards.HEARTS, hands, [cards.parse_card(name) for name in ("CA", "S8")])
    assert revoke.fault == "S8 does not follow suit"
    stranger = replay_game(cards.HEARTS, hands, [cards.parse_card("DA")])
    assert stranger.fault == "DA is not in the hand of seat 0"
    # a jack is no club in a game of hearts, but rearhand need not have one
    assert replay_game(cards.HEARTS, hands, [cards.parse_card(name) for name in ("CA", "C7", "CJ")]).winners == (2,)
    assert replay_games([-1], [hands], np.full((1, 30), 255), [0]).tricks.tolist() == [[0, 0, 0]]
