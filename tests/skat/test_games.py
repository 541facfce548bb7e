"""Values of games by the rules, one by one and in arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.errors import LudometerError
from ludometer.skat.language import WORDS, say
from ludometer.skat.rules.games import BIDS, Contract, HouseRules, score_game, score_games


@pytest.mark.parametrize(
    ("code", "told", "points"),
    [
        ("D", {"matadors": 1, "eyes": 70, "bid": 22}, -54),
        ("CO", {"matadors": 2, "eyes": 120, "tricks": 10}, 108),
        ("GO", {"matadors": 4, "eyes": 120, "tricks": 10}, 264),
        ("GHS", {"matadors": 4, "eyes": 89}, -384),
        ("C", {"matadors": -1, "eyes": 61}, 24),
        ("C", {"matadors": -1, "eyes": 60}, -48),
        ("C", {"matadors": 1, "eyes": 90}, 36),
        ("C", {"matadors": 1, "eyes": 89}, 24),
        ("C", {"matadors": 1, "eyes": 31}, -48),
        ("C", {"matadors": 1, "eyes": 30}, -72),
        ("C", {"matadors": 1, "eyes": 10, "tricks": 0}, -96),
        ("C", {"matadors": 1, "eyes": 10, "tricks": 0, "counts_levels": False}, -48),
        ("C", {"matadors": 1, "eyes": 70, "gave_up": True}, -48),
        ("S", {"matadors": 11, "eyes": 120, "tricks": 10}, 154),
        ("N", {"tricks": 0}, 23),
        ("NH", {"tricks": 0}, 35),
        ("NO", {"tricks": 0}, 46),
        ("NOH", {"tricks": 0}, 59),
        ("NOH", {"tricks": 1}, -118),
        ("N", {"tricks": 0, "bid": 24}, -46),
    ],
)
def test_value_by_the_rules(code: str, told: dict[str, Any], points: int) -> None:
    assert score_game(Contract.parse(code), **told).points == points


def test_there_are_63_bids() -> None:
    assert len(BIDS) == 63
    assert BIDS[:5] == (18, 20, 22, 23, 24)
    assert BIDS[-1] == 264


@given(
    st.integers(0, 5), st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.integers(1, 11), st.booleans(),
    st.integers(0, 120), st.integers(0, 10), st.sampled_from(BIDS), st.booleans(), st.booleans(),
)  # fmt: skip
def test_arrays_and_single_games_agree(
    game: int, hand: bool, schneider: bool, schwarz: bool, ouvert: bool, run: int, without: bool,
    eyes: int, tricks: int, bid: int, gave_up: bool, counts_levels: bool,
) -> None:  # fmt: skip
    matadors = (-1 if without else 1) * (min(run, 4) if game == 4 else run)
    if game == 5:
        schneider = schwarz = False
    told: dict[str, Any] = {"matadors": matadors, "eyes": eyes, "tricks": tricks, "bid": bid, "gave_up": gave_up}
    one = score_game(Contract(game, hand, schneider, schwarz, ouvert), counts_levels=counts_levels, **told)
    many = score_games(
        [game, game],
        hand=hand,
        schneider=schneider,
        schwarz=schwarz,
        ouvert=ouvert,
        counts_levels=counts_levels,
        **told,
    )
    assert (many.value[1], many.points[1], many.won[1], many.overbid[1]) == (
        one.value,
        one.points,
        one.won,
        one.overbid,
    )
    assert one.value >= bid or game == 5
    assert one.points in (one.value, -2 * one.value)


def test_a_folded_game_is_worth_nothing() -> None:
    scores = score_games([-1, 0], eyes=[0, 61])
    assert scores.points.tolist() == [0, 24]
    assert scores.to_frame().columns == ["value", "points", "won", "overbid"]


def test_contracts_are_told_in_codes_and_in_words() -> None:
    for text in ("CHS", "Kreuz Hand Schneider angesagt", "clubs hand schneider announced"):
        assert Contract.parse(text) == Contract(0, hand=True, schneider=True)
    for code in ("C", "HH", "CHS", "GHZ", "GO", "N", "NH", "NO", "NOH", "S", "SH", "DO"):
        contract = Contract.parse(code)
        assert contract.code == code
        assert Contract.parse(contract.describe("de")) == Contract.parse(contract.describe("en")) == contract


@pytest.mark.parametrize("text", ["", "X", "C banana", "clubs spades", "hand"])
def test_what_is_no_contract_is_refused(text: str) -> None:
    with pytest.raises(LudometerError, match="not a contract"):
        Contract.parse(text)


def test_impossible_games_are_refused() -> None:
    with pytest.raises(LudometerError, match="null"):
        Contract(5, schneider=True)
    with pytest.raises(LudometerError, match="from 0 to 5"):
        Contract(6)
    for matadors in (0, 5):
        with pytest.raises(LudometerError, match="matadors"):
            score_game(Contract.parse("G"), matadors=matadors)


def test_every_word_is_there_in_both_languages() -> None:
    assert all(say(word) and say(word, "de") for word in WORDS)
    with pytest.raises(LudometerError, match="language"):
        say("C", "fr")  # type: ignore[arg-type]


def test_house_rules_are_off_unless_asked_for() -> None:
    rules = HouseRules()
    for told in ({"kontra": True}, {"bock": True}):
        with pytest.raises(LudometerError, match="not part of the rules"):
            rules.multiply(24, **told)
    with pytest.raises(LudometerError, match="not part of the rules"):
        rules.score_ramsch([60, 40, 20], [5, 3, 2])
    assert rules.multiply([24, -48]).tolist() == [24, -48]


def test_house_rules_multiply() -> None:
    rules = HouseRules(kontra=True, bock=True, ramsch=True)
    assert rules.multiply(24, kontra=True).item() == 48
    assert rules.multiply(24, kontra=True, re=True, bock=True).item() == 192
    with pytest.raises(LudometerError, match="re answers"):
        rules.multiply(24, re=True)
    assert rules.score_ramsch(
        [[60, 40, 20], [60, 60, 0], [120, 0, 0]], [[5, 3, 2], [5, 5, 0], [10, 0, 0]]
    ).tolist() == [
        [-60, 0, 0],
        [-120, -120, 0],
        [120, 0, 0],
    ]
    assert rules.score_ramsch([60, 40, 20], [5, 3, 2], passed_on=2, bock=True).tolist() == [-480, 0, 0]
    with pytest.raises(LudometerError, match="120 eyes"):
        rules.score_ramsch([60, 40, 10], [5, 3, 2])
    assert np.all(rules.score_ramsch([120, 0, 0], [10, 0, 0], passed_on=1) == [240, 0, 0])
