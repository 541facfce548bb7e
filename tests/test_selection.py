"""Experience: counted as a reader of the record would, and clear words for bad ranges."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.selection import earlier_matches, least_experience, with_experience
from ludometer.simulate import simulate_strengths


def brute(matches: Matches) -> list[list[int]]:
    """For each match the earlier matches of each of its players."""
    seen: Counter[int] = Counter()
    rows = []
    seats = matches.seats
    for start, stop in zip(seats.starts[:-1], seats.starts[1:], strict=True):
        who = seats.player[start:stop].tolist()
        rows.append([seen[player] for player in who])
        seen.update(who)
    return rows


def records() -> list[Matches]:
    return [
        simulate_strengths(20, 300, activity=1.0, seed=1),
        simulate_strengths(20, 200, per_match=3, seed=2),
    ]


@given(st.lists(st.integers(0, 6), max_size=80))
def test_earlier_matches_are_those_of_a_plain_count(player: list[int]) -> None:
    seen: Counter[int] = Counter()
    plain = []
    for one in player:
        plain.append(seen[one])
        seen[one] += 1
    assert earlier_matches(np.array(player, np.int32)).tolist() == plain


@pytest.mark.parametrize("matches", records(), ids=["two", "three"])
def test_the_least_experienced_player_of_each_match(matches: Matches) -> None:
    assert least_experience(matches).tolist() == [min(row) for row in brute(matches)]


@pytest.mark.parametrize("matches", records(), ids=["two", "three"])
@pytest.mark.parametrize(
    ("text", "low", "high"), [("5:20", 5, 20), ("10:", 10, 10**9), (":8", 0, 8), (":", 0, 10**9), (" 3: 7 ", 3, 7)]
)
def test_all_players_of_a_kept_match_are_in_the_range(matches: Matches, text: str, low: int, high: int) -> None:
    inside = np.array([min(row) >= low and max(row) <= high for row in brute(matches)])
    kept = with_experience(matches, text)
    assert len(kept) == inside.sum() > 0
    whole = matches.take(inside)
    names, all_names = kept.players.names.to_numpy(), matches.players.names.to_numpy()
    assert names[kept.seats.player].tolist() == all_names[whole.seats.player].tolist()
    assert kept.seats.place.tolist() == whole.seats.place.tolist()
    assert (kept.counts > 0).all()


@pytest.mark.parametrize("text", ["", "5", "a:b", "5:2", "-3:", "1:2:3", "2.5:", "5-9", "x:", ":x"])
def test_a_bad_range_says_how_to_write_one(text: str) -> None:
    with pytest.raises(
        LudometerError,
        match=f"--experience {text}: write two numbers of matches, such as 150:250, or one, such as 150:",
    ):
        with_experience(records()[0], text)


def test_nobody_so_experienced_is_told() -> None:
    with pytest.raises(MatchDataError, match="in no match did all players have 1000: earlier matches"):
        with_experience(records()[0], "1000:")


def test_no_matches_stay_none() -> None:
    empty = Matches.of_pairs([], [], [], players=Players.numbered(3))
    assert len(with_experience(empty, "5:")) == 0
