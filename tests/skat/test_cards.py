"""Cards as numbers and masks agree with cards as names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.errors import LudometerError
from ludometer.skat.rules import cards

MASKS = st.integers(0, cards.DECK)


def test_the_pack_has_32_cards_and_120_eyes() -> None:
    names = [cards.format_card(card) for card in range(32)]
    assert len(set(names)) == 32
    assert [cards.parse_card(name) for name in names] == list(range(32))
    assert int(cards.count_eyes(cards.DECK)) == 120 == int(cards.EYES_OF.sum())


@given(MASKS)
def test_cards_of_a_hand_come_back(mask: int) -> None:
    assert cards.parse_cards(cards.format_cards(mask)) == mask
    assert int(cards.gather_masks(cards.list_cards(mask))) == mask
    assert np.flatnonzero(cards.spread_masks(mask)).tolist() == cards.list_cards(mask)
    assert int(cards.count_eyes(mask)) == sum(int(cards.EYES_OF[card]) for card in cards.list_cards(mask))
    assert int(cards.count_cards(mask)) == len(cards.list_cards(mask))


@given(MASKS, st.integers(0, 4))
def test_matadors_are_the_run_of_top_trumps(mask: int, game: int) -> None:
    tops = ["CJ", "SJ", "HJ", "DJ"] + ([cards.SUITS[game] + rank for rank in "ATKQ987"] if game < 4 else [])
    has = [mask >> cards.parse_card(name) & 1 for name in tops]
    run = next((k for k, held in enumerate(has) if held != has[0]), len(has))
    assert int(cards.count_matadors(mask, game)) == (run if has[0] else -run)


def test_games_have_their_trumps_and_orders() -> None:
    assert cards.count_cards(cards.TRUMPS).tolist() == [11, 11, 11, 11, 4, 0]
    for game, order in ((cards.HEARTS, "CJ SJ HJ DJ HA HT HK HQ H9 H8 H7"), (cards.NULL, "SA SK SQ SJ ST S9 S8 S7")):
        strengths = [cards.STRENGTH_OF[game, cards.parse_card(name)] for name in order.split()]
        assert strengths == sorted(strengths, reverse=True)
        assert len(set(strengths)) == len(strengths)
    assert [int(row.sum()) for row in cards.SUIT_MASKS.astype(np.int64)] == [cards.DECK] * 6


def test_a_deal_gives_every_card_once_and_to_every_seat_alike() -> None:
    hands, skat = cards.deal_cards(20_000, seed=3)
    assert np.all(np.bitwise_or.reduce(hands, axis=1) | skat == cards.DECK)
    share = cards.spread_masks(hands).mean(axis=0)
    assert np.abs(share - 10 / 32).max() < 5 * np.sqrt(10 / 32 * 22 / 32 / 20_000)


@pytest.mark.parametrize("name", ["", "C", "XJ", "C1", "cj", "CJJ"])
def test_what_is_no_card_is_refused(name: str) -> None:
    with pytest.raises(LudometerError, match="not a card"):
        cards.parse_card(name)
    with pytest.raises(LudometerError, match="twice"):
        cards.parse_cards("CJ.CJ")
