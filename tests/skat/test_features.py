from typing import Any

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.skat.luck.features import (
    GRAND_FEATURES,
    KINDS,
    NULL_FEATURES,
    TRUMP_FEATURES,
    DeclaredGames,
    count_stegen,
    describe_grands,
    describe_null_suits,
    describe_suit_games,
    lost_in_suit,
    null_gaps,
)
from ludometer.skat.rules.cards import (
    CLUBS,
    GRAND,
    HEARTS,
    NULL,
    RANKS,
    SUITS,
    deal_cards,
    format_card,
    list_cards,
    parse_cards,
)


def random_games(n: int, game: int | None = None) -> DeclaredGames:
    rng = np.random.default_rng(3)
    hands, skat = deal_cards(n, seed=rng)
    games = rng.integers(0, 5, n) if game is None else np.full(n, game)
    return DeclaredGames.of(
        games, hands[:, 0], skat, bid=rng.choice([18, 20, 24, 40], n), position=rng.integers(0, 3, n)
    )


def plain_sides(hand: int, game: int) -> dict[str, int]:
    names = [format_card(card) for card in list_cards(hand)]
    found = dict.fromkeys(("aces", "with ace", "guarded", "bare", "free"), 0)
    for code, suit in enumerate(SUITS):
        if code == game:
            continue
        ranks = {name[1] for name in names if name[0] == suit and name[1] != "J"}
        found["aces"] += "A" in ranks
        found["with ace"] += {"A", "T"} <= ranks
        found["guarded"] += "T" in ranks and "A" not in ranks and len(ranks) > 1
        found["bare"] += ranks == {"T"}
        found["free"] += not ranks
    return found


def test_suit_features_equal_a_count_card_by_card() -> None:
    games = random_games(300, HEARTS)
    table = dict(zip(TRUMP_FEATURES, describe_suit_games(games).T, strict=True))
    for i in range(len(games)):
        hand = int(games.hand[i])
        names = [format_card(card) for card in list_cards(hand)]
        sides = plain_sides(hand, HEARTS)
        assert table["trumps"][i] == sum(name[0] == "H" or name[1] == "J" for name in names)
        assert table["jack of spades"][i] == ("SJ" in names)
        assert table["trump ten"][i] == ("HT" in names)
        assert [table[f"side {x}"][i] for x in ("aces", "tens with ace", "tens guarded", "tens bare")] == [
            sides[x] for x in ("aces", "with ace", "guarded", "bare")
        ]
        assert table["free suits"][i] == sides["free"]
        assert table["forehand"][i] == (games.position[i] == 0)
        assert table["bid 24 or more"][i] == (games.bid[i] >= 24)


def test_grand_features_equal_a_count_card_by_card() -> None:
    games = random_games(300, GRAND)
    table = dict(zip(GRAND_FEATURES, describe_grands(games).T, strict=True))
    for i in range(len(games)):
        names = [format_card(card) for card in list_cards(int(games.hand[i]))]
        sides = plain_sides(int(games.hand[i]), GRAND)
        assert table["jacks"][i] == sum(name[1] == "J" for name in names)
        assert table["aces"][i] == sides["aces"]
        assert table["free suits"][i] == sides["free"]
        longest = max(sum(name[0] == suit and name[1] != "J" for name in names) for suit in SUITS)
        assert table["longest suit"][i] == longest


def holding(ranks: str) -> int:
    return sum(1 << RANKS.index(rank) for rank in ranks)


@pytest.mark.parametrize(
    ("ranks", "lost"),
    [("", 0), ("A", 0), ("T", 1), ("AT", 0), ("A7", 1), ("AK", 1), ("79", 2), ("789", 2), ("ATKQ987", 0)],
)
def test_lost_cards_of_holdings_that_are_known(ranks: str, lost: Any) -> None:
    # with seven, eight and nine two rounds draw all four cards of the others
    assert lost_in_suit()[holding(ranks)] == lost


@pytest.mark.parametrize(
    ("ranks", "gaps"), [("7", 0), ("79J", 0), ("7J", 2), ("8", 1), ("A", 7), ("", 0), ("789TJQKA", 0)]
)
def test_gaps_in_null_stand_above_seven_nine_jack_king(ranks: str, gaps: int) -> None:
    assert null_gaps()[holding(ranks)] == gaps


def test_null_is_described_suit_by_suit_in_the_order_of_null() -> None:
    games = DeclaredGames.of([NULL], [parse_cards("C7 C9 CJ CK S7 S8 H7 H8 H9 D8")], [parse_cards("CA SA")])
    described = describe_null_suits(games)
    assert described.shape == (1, 4, len(NULL_FEATURES))
    assert described[0, 0].tolist() == [1, 4, 0, 0, 0, 0]
    assert described[0, 3].tolist() == [1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("game", "cards", "count"),
    [
        # six trumps, two jacks, trump ace and ten, a side ace, half for two black jacks and half for a free suit
        (CLUBS, "CJ SJ CA CT C9 C8 SA S9 S8 H7", 6 + 2 + 2 + 1 + 0.5 + 0.5),
        (CLUBS, "CJ SJ HJ CA C9 C8 SA S9 D8 H7", 6 + 3 + 1 + 1 + 1.5),
        (CLUBS, "CJ SJ HJ DJ C9 C8 SA S9 D8 H7", 6 + 4 + 1 + 2),
        (CLUBS, "SJ HJ DJ CA C9 C8 SA S9 D8 H7", 6 + 3 + 1 + 1 + 0.5),
        (GRAND, "CJ SJ CA CT SA ST H9 H8 D8 D7", 6),
    ],
)
def test_stegens_count(game: int, cards: Any, count: float) -> None:
    assert count_stegen(DeclaredGames.of([game], [parse_cards(cards)], [parse_cards("HK DK")]))[0] == count


def test_kinds_tell_hand_and_ouvert_of_null_only() -> None:
    hand, skat = parse_cards("CJ SJ CA CT C9 C8 SA S9 S8 H7"), parse_cards("HK DK")
    games = DeclaredGames.of(
        [0, 4, 5, 5, 5, 5], [hand] * 6, skat, hand_game=[True, True, False, True, False, True],
        ouvert=[False, False, False, False, True, True],
    )  # fmt: skip
    assert [KINDS[kind] for kind in games.kind] == list(KINDS)


def test_all_faults_of_the_columns_are_named() -> None:
    with pytest.raises(LudometerError, match=r"1 games without 10 cards in hand; 1 games of an unknown game"):
        DeclaredGames.of([7], [parse_cards("CJ SJ")], [parse_cards("HK DK")])
