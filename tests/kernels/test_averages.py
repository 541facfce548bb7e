"""Past averages equal their plain twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ludometer.kernels.skills.averages import (
    count_earlier,
    count_earlier_of_pairs,
    count_earlier_plain,
    past_averages,
    past_averages_plain,
    past_moments,
    past_moments_of_seats,
    past_moments_of_seats_plain,
)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4), st.integers(0, 2)), max_size=60))
def test_past_averages_equal_their_plain_twin(matches: list[tuple[int, int, int]]) -> None:
    first = np.array([i for i, _, _ in matches], np.int32)
    second = np.array([(i + d) % 5 for i, d, _ in matches], np.int32)
    halves = np.array([s for _, _, s in matches], np.int8)
    average, count = past_averages(first, second, halves, 5)
    plain_average, plain_count = past_averages_plain(first, second, halves, 5)
    np.testing.assert_array_equal(count, plain_count)
    np.testing.assert_allclose(average, plain_average, equal_nan=True)


def test_the_first_match_has_no_past() -> None:
    average, count = past_averages(np.array([0], np.int32), np.array([1], np.int32), np.array([2], np.int8), 2)
    assert np.isnan(average).all()
    assert (count == 0).all()


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(0, 1), st.floats(0, 1)), max_size=80))
def test_moments_of_seats_equal_their_plain_twin(seats: list[tuple[int, float, float]]) -> None:
    player = np.array([who for who, _, _ in seats], np.int32)
    score = np.array([share for _, share, _ in seats], np.float64)
    earned = np.array([other for _, _, other in seats], np.float64)
    fast, plain = (
        moments(player, score, earned, 5) for moments in (past_moments_of_seats, past_moments_of_seats_plain)
    )
    np.testing.assert_allclose(fast, plain, rtol=1e-9, atol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4), st.integers(0, 2)), max_size=60))
def test_matches_of_two_have_the_moments_of_their_seats(matches: list[tuple[int, int, int]]) -> None:
    first = np.array([i for i, _, _ in matches], np.int32)
    second = np.array([(i + d) % 5 for i, d, _ in matches], np.int32)
    halves = np.array([s for _, _, s in matches], np.int8)
    player = np.column_stack((first, second)).ravel()
    score = np.column_stack((halves / 2, 1 - halves / 2)).ravel()
    np.testing.assert_allclose(
        past_moments_of_seats(player, score, score, 5), past_moments(first, second, halves, 5), rtol=1e-9, atol=1e-12
    )


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), max_size=60))
def test_earlier_matches_equal_their_plain_twin(matches: list[tuple[int, int]]) -> None:
    first = np.array([i for i, _ in matches], np.int32)
    second = np.array([(i + d) % 5 for i, d in matches], np.int32)
    seats = np.column_stack((first, second)).ravel().astype(np.int32)
    plain = count_earlier_plain(seats)
    assert count_earlier(seats, np.zeros(5, np.int64)).tolist() == plain.tolist()
    least, most = count_earlier_of_pairs(first, second, 5)
    both = plain.reshape(-1, 2)
    assert least.tolist() == both.min(axis=1).tolist()
    assert most.tolist() == both.max(axis=1).tolist()
