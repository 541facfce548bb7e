"""Gains have the sign of who moved, the expected score is the cross-correlation's, filters leave out what they say."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.chess.record.evaluations import UNKNOWN, Conventions, EvaluatedGame, Evaluations
from ludometer.chess.strength.gains import Filters, measure_gains
from ludometer.errors import LudometerError
from ludometer.moves.gains import expected_score, rating_difference
from tests.chess.simulated import round_robin, simulate

samples = st.lists(st.integers(-60, 20), min_size=1, max_size=40)


@given(samples, samples)
def test_the_expected_score_is_that_of_the_cross_correlation(first: list[int], second: list[int]) -> None:
    low, n = -60, 81
    f, g = (np.bincount(np.array(part) - low, minlength=n) / len(part) for part in (first, second))
    # Ferreira 2012, eq. 1 and 2, as printed
    correlation = np.correlate(f, g, "full")
    by_histogram = 0.5 * correlation[n - 1] + correlation[n:].sum()
    assert expected_score(np.array(first), np.array(second)) == pytest.approx(by_histogram, abs=1e-12)


@given(samples, samples)
def test_the_two_expected_scores_add_up_to_one(first: list[int], second: list[int]) -> None:
    one, other = np.array(first), np.array(second)
    assert expected_score(one, other) + expected_score(other, one) == pytest.approx(1, abs=1e-15)
    assert expected_score(one, one) == 0.5


def test_the_rating_difference_is_the_normal_quantile() -> None:
    assert rating_difference(0.655) == pytest.approx(200 * np.sqrt(2) * NormalDist().inv_cdf(0.655))
    with np.errstate(divide="ignore"):
        assert np.isneginf(rating_difference(0.0))


def test_gains_have_the_view_of_who_moved_also_when_black_begins() -> None:
    steps = [10.0, 30.0, 20.0, 20.0]
    white = EvaluatedGame("1", "Ann", "Ben", steps)
    black = EvaluatedGame("2", "Ann", "Ben", steps, first_ply=7, white_begins=False)
    gains = measure_gains(Evaluations.of_games([white, black]))
    assert gains.value.tolist() == [20, 10, 0, -20, -10, 0]
    names = gains.players.names
    assert [names[int(code)] for code in gains.player] == ["Ann", "Ben", "Ann", "Ben", "Ann", "Ben"]
    assert gains.of("Ann").tolist() == [20, 0, -10]


def test_a_move_next_to_an_unknown_evaluation_has_no_gain() -> None:
    game = EvaluatedGame("1", "Ann", "Ben", [0, 5, float("nan"), 5, 9])
    found = Evaluations.of_games([game])
    assert found.evaluation[2] == UNKNOWN
    assert measure_gains(found).ply.tolist() == [1, 4]


def test_mates_are_worth_what_the_conventions_say_and_nothing_is_worth_more() -> None:
    game = EvaluatedGame("1", "Ann", "Ben", [0, 5000, float("inf"), float("-inf")])
    found = Evaluations.of_games([game])
    assert found.evaluation.tolist() == [0, 3900, 3900, -3900]
    assert found.mate.tolist() == [False, True, True, True]
    assert found.with_mate_value(1000).evaluation.tolist() == [0, 1000, 1000, -1000]
    assert Evaluations.of_games([game], conventions=Conventions(mate_value=200)).evaluation[1] == 200
    with pytest.raises(LudometerError, match="centipawn"):
        Conventions(mate_value=0)


def game_with_lines() -> Evaluations:
    return Evaluations.of_games(
        [
            EvaluatedGame(
                "1",
                "Ann",
                "Ben",
                [0, 10, 500, 480, 490],
                lines=[[0, -50], [10, 12], [500, 100], [480, 481], [490, 0]],
                choice=[0, -1, 1, 0, -1],
                material=[62, 62, 40, 20, 20],
            )
        ]
    )


@pytest.mark.parametrize(
    ("filters", "plies"),
    [
        (Filters(), [1, 2, 3, 4]),
        (Filters(skip_plies=2), [3, 4]),
        (Filters(window=200), [1, 2]),
        (Filters(phase="opening"), [1, 2, 3]),
        (Filters(phase="endgame"), [4]),
        (Filters(gap=(20, 1000)), [1, 3]),
        (Filters(skip_plies=1, gap=(20, 1000)), [3]),
    ],
)
def test_filters_keep_the_moves_they_name(filters: Filters, plies: list[int]) -> None:
    gains = measure_gains(game_with_lines(), filters=filters)
    assert gains.ply.tolist() == plies
    assert gains.n_left_out == 4 - len(plies)


def test_histograms_count_every_move_once() -> None:
    gains = measure_gains(Evaluations.of_games(simulate(np.random.default_rng(1), [10, 20, 30], round_robin(3))))
    frame = gains.to_frame()
    assert frame["count"].sum() == len(gains) == 240
    assert frame.group_by("player").sum()["share"].to_list() == pytest.approx([1, 1, 1])
    assert len(gains.plot().to_dict()["concat"]) == len(gains.most_active())
    assert len(gains.summary().splitlines()) == 4
    moves, games = gains.counts()
    assert moves.tolist() == [80, 80, 80]
    assert games.tolist() == [2, 2, 2]


def test_what_a_filter_needs_is_asked_for() -> None:
    bare = Evaluations.of_games([EvaluatedGame("1", "Ann", "Ben", [0, 10, 20])])
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: Filters(skip_plies=-1), "plies"),
        (lambda: Filters(window=0), "window"),
        (lambda: Filters(gap=(5, 5)), "gap"),
        (lambda: measure_gains(bare, filters=Filters(gap=(0, 5))), "best and second"),
        (lambda: measure_gains(bare, filters=Filters(phase="endgame")), "material"),
        (lambda: expected_score(np.empty(0), np.ones(1)), "both sides"),
    ]
    for call, words in calls:
        with pytest.raises(LudometerError, match=words):
            call()


def test_taking_games_keeps_their_moves_and_the_fingerprint_tells_records_apart() -> None:
    whole = Evaluations.of_games(simulate(np.random.default_rng(2), [10, 20, 30], round_robin(3)))
    part = whole.take(np.array([True, False, True]))
    assert part.games == ("0", "2")
    gains = measure_gains(whole)
    np.testing.assert_array_equal(measure_gains(part).value, gains.value[gains.game != 1])
    assert part.fingerprint != whole.fingerprint
    assert whole.take(np.ones(3, bool)).fingerprint == whole.fingerprint
