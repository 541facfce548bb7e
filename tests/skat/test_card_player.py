from typing import Any

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.skat.luck.factors import dealt_hands
from ludometer.skat.programs.card_player import play_contracts, play_deals, simulate_games
from ludometer.skat.programs.xskat import find_xskat, play_xskat
from ludometer.skat.reading.xskat import read_xskat
from ludometer.skat.rules.cards import (
    DECK,
    EYES_OF,
    NULL,
    STRENGTH_OF,
    SUIT_OF,
    count_cards,
    count_eyes,
    count_matadors,
    deal_cards,
    list_cards,
    parse_cards,
)
from ludometer.skat.rules.games import BASE_VALUES, BIDS


def replay(hands: Any, game: int, declarer: int, cards: Any) -> Any:
    """Plain twin: checks every card against the rules; gives the declarer's eyes without the skat, and his tricks."""
    left = [set(list_cards(int(hand))) for hand in hands]
    lead, eyes, tricks = 0, 0, 0
    played = [int(card) for card in cards if card >= 0]
    for begin in range(0, len(played), 3):
        trick = played[begin : begin + 3]
        seats = [(lead + turn) % 3 for turn in range(3)]
        suit = SUIT_OF[game, trick[0]]
        for seat, card in zip(seats, trick, strict=True):
            assert card in left[seat]
            if SUIT_OF[game, card] != suit:
                assert all(SUIT_OF[game, other] != suit for other in left[seat])
            left[seat].remove(card)

        def rank(card: Any, led: Any = suit) -> Any:
            own = SUIT_OF[game, card]
            return (own == 4, own == led, STRENGTH_OF[game, card])

        lead = seats[max(range(3), key=lambda turn: rank(trick[turn]))]
        if lead == declarer:
            tricks += 1
            eyes += sum(EYES_OF[card] for card in trick)
    return eyes, tricks


@pytest.mark.parametrize("blunder", [0.0, 0.3, 1.0])
def test_every_card_is_allowed_and_the_eyes_are_those_of_the_tricks(blunder: Any) -> None:
    games = simulate_games(300, blunder=blunder, seed=2)
    for i in games.played:
        eyes, tricks = replay(games.hands[i], games.game[i], games.declarer[i], games.cards[i])
        assert tricks == games.tricks[i]
        assert eyes + count_eyes(games.laid[i]) == games.eyes[i]


def test_null_is_played_until_the_declarer_takes_a_trick() -> None:
    hands, skat = deal_cards(300, seed=3)
    game, declarer = np.full(300, NULL, np.int32), (np.arange(300) % 3).astype(np.int32)
    _, tricks, cards = play_contracts(hands, skat, game, declarer, blunder=0.2)
    for i in range(300):
        assert replay(hands[i], NULL, declarer[i], cards[i])[1] == tricks[i] <= 1
        assert ((cards[i] >= 0).sum() == 30) or tricks[i] == 1


def test_no_card_is_lost_or_doubled_by_bidding_and_discard() -> None:
    games = simulate_games(2000, seed=4)
    assert (np.bitwise_or.reduce(games.hands, axis=1) | games.laid == DECK).all()
    assert (count_cards(games.hands) == 10).all()
    rows = games.played
    others = (games.declarer[rows] + 1) % 3
    np.testing.assert_array_equal(games.hands[rows, others], games.dealt[rows, others])
    assert np.isin(games.bid[rows], BIDS).all()
    assert (games.bid[games.declarer < 0] == 0).all()


def test_a_game_is_overbid_only_when_the_skat_spoils_all_that_reach_the_bid() -> None:
    games = simulate_games(5000, seed=5)
    rows = games.played[games.game[games.played] != NULL]
    whole = games.hands[rows, games.declarer[rows]] | games.laid[rows]
    values = np.stack([BASE_VALUES[game] * (np.abs(count_matadors(whole, game)) + 1) for game in range(5)])
    chosen = values[games.game[rows], np.arange(len(rows))]
    too_small = chosen < games.bid[rows]
    assert (values[:, too_small] < games.bid[rows][too_small]).all()
    assert too_small.mean() < 0.05


def test_blunders_cost_points_and_the_more_the_worse() -> None:
    hands, skat = deal_cards(6000, seed=6)
    means = []
    for rate in (0.0, 0.2, 0.6):
        games = play_deals(hands, skat, blunder=[rate, 0.0, 0.0])
        own = games.declarer == 0
        means.append((games.points[own] + np.where(games.won[own], 50, -50)).mean())
    assert means[0] > means[1] + 3 > means[2] + 6


def test_without_blunders_play_does_not_depend_on_the_seed_and_with_them_it_does() -> None:
    hands, skat = deal_cards(200, seed=7)
    first, second = (play_deals(hands, skat, seed=seed).cards for seed in (1, 2))
    np.testing.assert_array_equal(first, second)
    loose = [play_deals(hands, skat, blunder=0.2, seed=seed).cards for seed in (1, 1, 2)]
    np.testing.assert_array_equal(loose[0], loose[1])
    assert (loose[0] != loose[2]).any()


def test_who_answers_wins_the_bidding_between_equals() -> None:
    strong = parse_cards("CJ SJ HJ DJ CA CT CK CQ C9 C8")
    rest = [parse_cards("SA ST SK SQ S9 S8 S7 C7 D7 D8"), parse_cards("HA HT HK HQ H9 H8 H7 D9 DQ DK")]
    skat = parse_cards("DA DT")
    for seat in range(3):
        hands = list(rest)
        hands.insert(seat, strong)
        assert play_deals([hands], [skat]).declarer[0] == seat


def test_a_rate_above_one_is_refused() -> None:
    with pytest.raises(LudometerError, match="from 0 to 1"):
        simulate_games(1, blunder=1.5)


def test_xskat_plays_the_same_games_for_the_same_seed_and_deals_them_alike_at_all_levels() -> None:
    if find_xskat() is None:
        pytest.skip("needs the program xskat")
    first, again, other = (play_xskat(30, levels, seed=4) for levels in ((-4, -2, 0), (-4, -2, 0), (0, -4, -4)))
    assert first == again != other
    mine, theirs = (read_xskat(log.splitlines()) for log in (first, other))
    assert mine.select("hand_0", "hand_1", "hand_2", "skat").equals(theirs.select("hand_0", "hand_1", "hand_2", "skat"))
    with pytest.raises(LudometerError, match="levels from -4 to 0"):
        play_xskat(1, (1, 0, 0), seed=1)


def test_xskat_does_not_shuffle_evenly_so_means_of_deals_are_taken_seat_by_seat() -> None:
    if find_xskat() is None:
        pytest.skip("needs xskat: apt-get install xskat")
    hands = dealt_hands(read_xskat(play_xskat(3000, (0, 0, 0), seed=4).splitlines(), replay=False))
    share = (hands & np.uint32(parse_cards("CJ")) != 0).mean(axis=0)
    assert share[1] - 10 / 32 > 4 * np.sqrt(10 / 32 * 22 / 32 / 3000)
