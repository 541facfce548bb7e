"""Prizes by every name that users may write, shared by ties, and refused in words."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.prizes import RECORDED, WINNER, Prizes, make_prizes, seat_columns


@pytest.mark.parametrize(
    ("text", "n", "shares"),
    [
        ("winner", 3, [1, 0, 0]),
        ("linear", 2, [1, 0]),
        ("linear", 5, [1, 0.75, 0.5, 0.25, 0]),
        ("top-heavy", 2, [1, 0.6]),
        ("top-heavy", 5, [1, 0.6, 0.4, 0, 0]),
        ("50,30,20", 2, [1, 0.6]),
        (" 50, 30, 20 ", 4, [1, 0.6, 0.4, 0]),
        ("7", 3, [1, 0, 0]),
    ],
)
def test_rules_and_lists_give_shares_of_the_first_prize(text: str, n: int, shares: list[float]) -> None:
    prizes = make_prizes(text)
    assert prizes.shares(n).tolist() == pytest.approx(shares)
    assert prizes.name == text.strip()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("30,50", "a later place has a larger prize"),
        ("0,0", "the first place has no prize"),
        ("3,-1", "numbers from 0 up"),
        ("inf,1", "numbers from 0 up"),
        (" ", "is empty"),
        ("absent.csv", "cannot be read"),
    ],
)
def test_impossible_prizes_are_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(LudometerError, match=message):
        make_prizes(text)


def test_a_table_may_differ_by_the_number_of_players(tmp_path: Path) -> None:
    path = tmp_path / "prizes.csv"
    path.write_text("players,place,prize\n3,1,60\n3,2,30\n,2,40\n,1,80\n,3,20\n")
    prizes = make_prizes(str(path))
    assert prizes.shares(3).tolist() == [1, 0.5, 0]
    assert prizes.shares(4).tolist() == [1, 0.5, 0.25, 0]
    path.write_text("players,place,prize\n3,1,60\n")
    with pytest.raises(LudometerError, match="no prizes for matches with 4 players"):
        make_prizes(str(path)).shares(4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rank,prize\n1,2\n", "columns place and prize"),
        ("place,prize\n", "columns place and prize"),
        ("place,prize\n1,2\n3,1\n", "without a gap"),
        ("place,prize\n1,2\n1,1\n", "line 3: place 1 is listed twice"),
        ("place,prize\n1,2\n2,much\n", "line 3"),
        ("place,prize\n1,2\n2,3\n", "a later place has a larger prize"),
        ("place,prize,players\n1,2,2\n2,1,2\n3,1,2\n", "2 players: 3 places"),
    ],
)
def test_faults_of_a_table_are_told(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "prizes.csv"
    path.write_text(text)
    with pytest.raises(LudometerError, match=message):
        make_prizes(str(path))


def test_any_other_name_is_a_column_of_the_record() -> None:
    prizes = make_prizes("won")
    assert prizes.are_recorded
    assert not WINNER.are_recorded
    with pytest.raises(LudometerError, match="come from the record"):
        prizes.shares(3)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=7), min_size=1, max_size=6),
    st.sampled_from(["winner", "linear", "top-heavy", "9,4,4,1"]),
)
def test_ties_share_the_prizes_that_they_straddle(places: list[list[int]], text: str) -> None:
    sizes = [len(match) for match in places]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    player = np.concatenate([np.arange(n) for n in sizes])
    seats = Matches.of_seats(starts, player, np.concatenate(places)).seats
    prize, score = seat_columns(seats, make_prizes(text))
    for start, stop in pairwise(starts):
        shares = make_prizes(text).shares(stop - start)
        assert prize[start:stop].tolist() == shares.tolist()
        place = seats.place[start:stop]
        by_hand = [shares[p - 1 : p - 1 + (place == p).sum()].mean() for p in place]
        assert score[start:stop].tolist() == pytest.approx(by_hand, abs=1e-15)


def test_recorded_prizes_follow_the_places() -> None:
    seats = Matches.of_seats([0, 3, 5], [0, 1, 2, 0, 1], [3, 1, 2, 1, 1], prize=[0, 8, 2, 5, 3]).seats
    prize, score = seat_columns(seats, RECORDED)
    assert prize.tolist() == [1, 0.25, 0, 1, 0.6]
    assert score.tolist() == [0, 1, 0.25, 0.8, 0.8]


def test_recorded_prizes_equal_the_rule_that_made_them() -> None:
    rng = np.random.default_rng(1)
    place = np.concatenate([rng.permutation(5) for _ in range(40)])
    starts, player = np.arange(0, 201, 5), np.tile(np.arange(5), 40)
    ruled = Matches.of_seats(starts, player, place).seats
    recorded = Matches.of_seats(starts, player, place, prize=10 * (4 - place)).seats
    for one, other in zip(seat_columns(ruled, make_prizes("linear")), seat_columns(recorded, RECORDED), strict=True):
        np.testing.assert_allclose(one, other)


@pytest.mark.parametrize(
    ("prize", "message"),
    [
        ([5, 3, 1, 1, 3, 0], r"larger prize: 1 of 2 matches \(match 2\)"),
        ([5, 3, 1, 0, 0, 0], r"nobody has a prize: 1 of 2 matches \(match 2\)"),
        ([5, 3, -1, 1, 0, 0], r"not a number from 0 up: 1 of 2 matches \(match 1\)"),
        ([np.nan, 3, 1, 1, 0, 0], r"not a number from 0 up: 1 of 2 matches \(match 1\)"),
    ],
)
def test_impossible_records_name_the_match(prize: list[float], message: str) -> None:
    seats = Matches.of_seats([0, 3, 6], [0, 1, 2, 0, 1, 2], [1, 2, 3, 1, 2, 3], prize=prize).seats
    with pytest.raises(MatchDataError, match=message):
        seat_columns(seats, Prizes("won", "recorded"))


def test_prizes_that_are_not_recorded_cannot_be_played_for() -> None:
    with pytest.raises(MatchDataError, match="prizes won: the matches have none"):
        seat_columns(Matches.of_seats([0, 3], [0, 1, 2], [1, 2, 3]).seats, make_prizes("won"))
