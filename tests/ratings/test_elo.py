"""Elo as a rating system: known values, halves equal the whole, names do not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import Elo, rate
from ludometer.ratings.catalogue import make_system
from ludometer.simulate import simulate_strengths

few_matches = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 5), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40
)


def matches_of(rows: list[tuple[int, int, float]], names: str = "abcdef") -> Matches:
    first = [i for i, _, _ in rows]
    second = [(i + d) % 6 for i, d, _ in rows]
    return Matches.of_pairs(first, second, [s for _, _, s in rows], players=Players.named(list(names)))


def test_one_win_between_equals_moves_both_by_half_of_k() -> None:
    elo = Elo(k=24)
    state, expected = elo.play(elo.start(2), Matches.of_pairs([0], [1], [1]))
    assert expected.tolist() == [0.5]
    assert elo.ratings(state).tolist() == pytest.approx([1512, 1488])


def test_a_favourite_by_400_points_is_expected_to_score_ten_elevenths() -> None:
    elo = Elo(k=800)
    state, _ = elo.play(elo.start(2), Matches.of_pairs([0], [1], [0.5]))
    state, _ = elo.play(state, Matches.of_pairs([0], [1], [1], players=Players.numbered(2)))
    gap = elo.ratings(state) @ [1, -1]
    assert gap == pytest.approx(800)
    assert elo.expect(state, np.array([0], np.int32), np.array([1], np.int32))[0] == pytest.approx(100 / 101)


@given(few_matches, st.integers(0, 40))
def test_two_halves_equal_the_whole_bit_for_bit(rows: list[tuple[int, int, float]], cut: int) -> None:
    elo, whole = Elo(k=32), matches_of(rows)
    part = np.arange(len(whole)) < cut
    state, expected = elo.play(elo.start(6), whole)
    begun, early = elo.play(elo.start(6), whole.take(part))
    before = begun.natural.copy()
    ended, late = elo.play(begun, whole.take(~part))
    np.testing.assert_array_equal(ended.natural, state.natural)
    np.testing.assert_array_equal(np.concatenate((early, late)), expected)
    np.testing.assert_array_equal(begun.natural, before)


@given(few_matches, st.permutations("abcdef"))
def test_renaming_players_permutes_the_list(rows: list[tuple[int, int, float]], names: list[str]) -> None:
    plain = dict(rate(matches_of(rows)).to_frame().select("player", "rating").iter_rows())
    renamed = dict(rate(matches_of(rows, "".join(names))).to_frame().select("player", "rating").iter_rows())
    for old, new in zip("abcdef", names, strict=True):
        assert plain.get(old) == renamed.get(new)


def test_strengths_are_recovered_in_order() -> None:
    from ludometer.simulate import StrengthGame

    game = StrengthGame(200, sd=200, seed=3)
    ratings = rate(simulate_strengths(200, 60_000, sd=200, seed=3), system=Elo(k=8))
    assert np.corrcoef(ratings.rating, game.skill)[0, 1] > 0.97


def test_newcomers_enter_between_batches() -> None:
    elo = Elo()
    state, _ = elo.play(elo.start(0), Matches.of_pairs([0], [1], [1]))
    state, _ = elo.play(state, Matches.of_pairs([2], [0], [1], players=Players.numbered(3)))
    assert len(elo.ratings(state)) == 3


@pytest.mark.parametrize("parameters", [{"k": -1.0}, {"k": float("nan")}, {"start_rating": float("inf")}])
def test_impossible_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(LudometerError):
        Elo(**parameters)  # type: ignore[arg-type]


def test_systems_are_made_by_name() -> None:
    assert make_system("elo") == Elo()
    assert make_system("elo:k=10,start=0") == Elo(k=10, start_rating=0)
    assert make_system("elo", k=5.0, start=None) == Elo(k=5)
    for text in ("elom", "elo:q=1", "elo:k"):
        with pytest.raises(LudometerError):
            make_system(text)
