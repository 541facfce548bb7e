"""Several games: their order, and confidence that is antisymmetric."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.measurement import Measurement, compare_games, measure
from ludometer.measurement.benchmarks.inversion import Inversion
from ludometer.measurement.benchmarks.yardstick import Reference, Yardstick
from ludometer.simulate import simulate_coin, simulate_strengths

NOTHING = Inversion(np.zeros(3))
QUICK = measure(simulate_strengths(60, 3_000, seed=1), quick=True)
SPARSE = measure(simulate_strengths(60, 200, seed=1), quick=True)


def game_with(skills: list[float] | None, sd: float = 100.0) -> Measurement:
    """A measurement with these solutions for the SD of skills."""
    yardstick = (
        None if skills is None else Yardstick(NOTHING, NOTHING, Inversion(np.sort(np.array(skills))), 3, Reference())
    )
    return replace(QUICK, yardstick=yardstick, spread=(replace(QUICK.main, sd=sd),))


def test_the_order_is_that_of_the_matched_skills_not_of_the_ratings() -> None:
    games = [("a", game_with([50, 60, 70], sd=90)), ("b", game_with([80, 90, 99], sd=40)), ("none", SPARSE)]
    found = compare_games(games)
    assert list(found.names) == ["b", "a", "none"]
    assert list(found.sd_of_skills) == [90, 60, None]


def test_games_without_an_sd_of_skills_are_not_ranked() -> None:
    games = [("b", game_with(None, sd=140)), ("a", game_with([50, 60, 70], sd=90)), ("c", game_with(None, sd=200))]
    found = compare_games(games)
    assert found.names == ("a", "c", "b")
    assert [name for name, _ in found.ranked] == ["a"]
    assert np.isnan(found.more_skill).all()
    assert found.lines() == [
        "Order and confidence go by the SD of skills, each matched on its own schedule; not ranked, because none can "
        "be trusted: c, b."
    ]
    assert found.document()["comparison"]["unranked"] == ["c", "b"]


def test_quick_measurements_are_not_ranked_by_their_ratings() -> None:
    found = compare_games([("short", QUICK), ("sparse", SPARSE)])
    assert "game (not ranked)" in found.summary()
    assert "most skill first" not in found.summary()
    assert "--quick" in found.lines()[0]
    document = found.document()["comparison"]
    assert document["measure"] == "none"
    assert document["unranked"] == list(found.names)


def test_order_and_confidence_have_one_name() -> None:
    found = compare_games([("a", game_with([3, 5, 9])), ("b", game_with([1, 4, 5]))])
    assert found.document()["comparison"]["measure"] == "sd_of_skills"
    assert "SD of skills" in found.summary().splitlines()[0]
    assert found.lines()[0].startswith("Order and confidence go by the SD of skills")


def test_there_is_no_confidence_against_both_yardsticks() -> None:
    def with_shares(x: float, chess: float, skills: list[float]) -> Measurement:
        by_skill, by_chess = (Inversion(np.full(39, value)) for value in (x, chess))
        yardstick = Yardstick(by_skill, by_chess, Inversion(np.array(skills)), 39, Reference())
        return replace(QUICK, yardstick=yardstick)

    more, less = with_shares(30.0, 60.0, [150.0] * 3), with_shares(40.0, 70.0, [100.0] * 3)
    found = compare_games([("more", more), ("less", less)])
    assert found.names == ("more", "less")
    assert np.isnan(found.more_skill).all()
    assert found.against_yardsticks == (("more", "less"),)
    assert found.document()["comparison"]["against_yardsticks"] == [{"game": "more", "than": "less"}]
    assert "both yardsticks say the opposite" in found.lines()[1]
    # one yardstick alone may disagree
    one = compare_games([("more", with_shares(30.0, 80.0, [150.0] * 3)), ("less", less)])
    assert one.more_skill[0, 1] == 1
    assert one.against_yardsticks == ()


def test_confidence_is_the_share_of_pairs_in_that_order() -> None:
    found = compare_games([("a", game_with([3, 5, 9])), ("b", game_with([1, 4, 5]))])
    # of nine pairs six are larger and one is equal
    assert found.more_skill[0, 1] == pytest.approx((6 + 0.5) / 9)
    assert found.lines()[1:] == ["a shows more skill than b: 72% confidence"]
    sure = compare_games([("a", game_with([30, 50, 90])), ("b", game_with([1, 4, 5]))])
    assert sure.more_skill[0, 1] == 1
    assert sure.lines()[1:] == ["a shows more skill than b: more than 99% confidence"]


@given(*[st.lists(st.integers(0, 20).map(float) | st.just(np.inf), min_size=1, max_size=12) for _ in range(3)])
def test_confidence_for_and_against_add_up_to_1(one: list[float], other: list[float], third: list[float]) -> None:
    found = compare_games([("a", game_with(one)), ("b", game_with(other)), ("c", game_with(third))])
    for row in range(3):
        assert np.isnan(found.more_skill[row, row])
        for column in range(row):
            assert found.more_skill[row, column] + found.more_skill[column, row] == pytest.approx(1)
            assert 0 <= found.more_skill[row, column] <= 1
    by_name = dict(zip("abc", (one, other, third), strict=True))
    first, second = found.names[0], found.names[1]
    brute = np.mean([(x > y) + 0.5 * (x == y) for x in by_name[first] for y in by_name[second]])
    assert found.more_skill[0, 1] == pytest.approx(brute)


def test_the_document_has_each_two_games_once_and_no_nulls() -> None:
    found = compare_games([("a", game_with([3, 5, 9])), ("b", game_with([1, 4, 5])), ("none", SPARSE)])
    document = found.document()["comparison"]
    assert document["order"] == ["a", "b", "none"]
    assert document["sd_of_skills"] == {"a": 5, "b": 4}
    assert document["more_skill"] == [{"game": "a", "than": "b", "confidence": pytest.approx(6.5 / 9)}]


def test_games_of_known_truth_are_ordered_with_confidence() -> None:
    games = [
        (name, measure(matches, replicates=19))
        for name, matches in (
            ("coin", simulate_coin(30, 900, seed=1)),
            ("some skill", simulate_strengths(30, 900, sd=100, seed=2)),
            ("much skill", simulate_strengths(30, 900, sd=400, seed=3)),
        )
    ]
    found = compare_games(games)
    assert found.names == ("much skill", "some skill", "coin")
    assert found.more_skill[0, 1] > 0.95
    assert found.more_skill[1, 2] > 0.95
