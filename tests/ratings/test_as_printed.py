"""Variants for comparison: the forum's proposal, clubs' numbers, the paper's list of ways to rate several players."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings import Elo, evaluate, rate
from ludometer.ratings.scores.as_printed import FORUM, MultiplayerElo, QuotientElo, all_variants
from ludometer.ratings.scores.audit import rate_series
from ludometer.skat.seasons import compare_variants, euroskat_handicap, kewel_rating
from tests.ratings.simulated_series import series_of, simulate_series


def test_the_proposal_of_2007_gives_its_own_example() -> None:
    record = series_of([1] * 4, list("ABCD"), [1000, 1100, 600, 900])
    ratings = rate_series(record, system=FORUM, ratings={"A": 1200, "B": 1100, "C": 1000, "D": 900})
    assert ratings.updates["change"].to_list() == pytest.approx([-5, 15, -25, 15], abs=1e-9)


def test_the_kewel_rating_rewards_those_who_play_more() -> None:
    n = np.array([1, 6, 60, 120])
    got = kewel_rating(np.full(4, 900.0), n)
    assert got.tolist() == pytest.approx([900 * math.log10(10_000 * own) / math.log10(600_000) for own in n])
    assert got[2] == 900
    assert kewel_rating(np.array([900.0]), np.array([8]), 8)[0] == 900
    with pytest.raises(LudometerError, match="1 series or more"):
        kewel_rating(np.array([900.0]), np.array([0]))


def test_the_handicap_makes_up_for_a_lower_average() -> None:
    assert euroskat_handicap(np.array([30.0]), np.array([36])).tolist() == pytest.approx([-203.4])


def test_the_rejected_quotient_is_the_formula_as_printed() -> None:
    record = series_of([1] * 3, list("ABC"), [1200, 800, 700])
    system = QuotientElo(f=9, start_rating=1000)
    state, _ = system.play(np.array([1500.0, 750.0, 750.0]), record)
    quotient = (1200 / 750) / (1500 / 750)
    assert system.ratings(state)[0] == pytest.approx((1500 * 9 + 1200 * math.sqrt(quotient)) / 10)
    negative = series_of([1] * 3, list("ABC"), [-200, 800, 700])
    assert system.play(system.start(3), negative)[0][0] == pytest.approx((9000 - 200) / 10)


def test_softmax_is_elo_for_the_win() -> None:
    record, _ = simulate_series(20, 500)
    one = rate(record, system=MultiplayerElo(k=24, method="softmax"))
    other = rate(record, system=Elo(k=24))
    np.testing.assert_allclose(one.rating, other.rating, atol=1e-8)


def test_for_two_players_all_ways_are_elo() -> None:
    matches = Matches.of_pairs([0, 1, 0, 2], [1, 2, 2, 1], [1, 1, 0, 1])
    expected = rate(matches, system=Elo(k=24)).rating
    for method in ("mean", "repeated", "points", "softmax", "each"):
        got = rate(matches, system=MultiplayerElo(k=24, method=method)).rating
        np.testing.assert_allclose(got, expected, atol=1e-9)


def test_the_mean_opponent_loses_points_and_half_a_point_a_player_keeps_them_among_equals() -> None:
    table = Matches.of_seats([0, 3], [0, 1, 2], [1, 2, 3])
    sums = {
        method: rate(table, system=MultiplayerElo(k=24, method=method)).rating.sum() - 4500
        for method in ("mean", "repeated", "points", "softmax", "each")
    }
    # a winner's 1 against the 3 halves that equals expect
    assert sums["mean"] == pytest.approx(-12)
    assert sums["repeated"] < sums["mean"]
    for method in ("points", "softmax", "each"):
        assert sums[method] == pytest.approx(0, abs=1e-9)


def test_each_opponent_in_turn_is_a_chain_of_two_player_games() -> None:
    table = Matches.of_seats([0, 3], [2, 0, 1], [1, 2, 3])
    chain = Matches.of_pairs([2, 2], [0, 1], [1, 1])
    got = rate(table, system=MultiplayerElo(k=24, method="each")).rating
    np.testing.assert_allclose(got, rate(chain, system=Elo(k=24)).rating, atol=1e-9)


def test_all_variants_stand_side_by_side_and_find_the_strong() -> None:
    record, strength = simulate_series(30, 6_000, spread=200, seed=3)
    frame = compare_variants(record, games=36)
    assert frame["series"].sum() == 18_000
    true = strength[[int(name[1:]) for name in frame["player"]]]
    for system in all_variants():
        assert np.corrcoef(frame[system.name], true)[0, 1] > 0.8, system.name
    for name in ("average", "kewel"):
        assert np.corrcoef(frame[name], true)[0, 1] > 0.9
    assert np.corrcoef(frame["handicap"], true)[0, 1] < -0.9
    assert frame["handicap"].to_list() == pytest.approx((24.35 * 36 - frame["average"]).to_list())
    result = evaluate(record, systems=all_variants())
    for score in result.systems:
        assert score.log_loss < result.coin.log_loss, score.system


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(LudometerError, match="softmax"):
        MultiplayerElo(method="median")  # type: ignore[arg-type]
    with pytest.raises(LudometerError, match="from 0 up"):
        QuotientElo(f=-1)
