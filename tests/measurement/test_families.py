"""Families of games: the share of skill that was asked for, and one luck for all values of the parameter."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludometer.arrays import Floats
from ludometer.kernels.systems.dealing import Keys, uniforms
from ludometer.matches import Matches
from ludometer.measurement.benchmarks.families import Deterministic, Family, Mixed, Replicate, Skilled, play_series
from ludometer.measurement.benchmarks.yardstick import make_schedule
from ludometer.ratings.prizes import make_prizes
from ludometer.ratings.replicates import Schedule
from ludometer.scale import expected_score
from ludometer.simulate import simulate_coin, simulate_strengths

N = 60_000
FAMILIES: dict[str, Family] = {"deterministic": Deterministic(), "chess": Mixed(), "skilled": Skilled(0.2)}


def schedule_of_two(n_matches: int = N, n_players: int = 50) -> Schedule:
    return make_schedule(simulate_coin(n_players, n_matches, seed=1))


def schedule_of_several(prizes: str = "linear", n_matches: int = N // 3, per_match: int = 3) -> Schedule:
    return make_schedule(simulate_coin(50, n_matches, per_match=per_match, seed=1), make_prizes(prizes))


def skills(n_players: int = 50, seed: int = 2) -> Floats:
    return np.random.default_rng(seed).standard_normal(n_players)


def luck(seed: int = 3) -> Keys:
    return np.array([seed, 1], np.uint32)


def dealt(family: Family, schedule: Schedule, seed: int = 3) -> Replicate:
    return Replicate(family, schedule, skills(), luck(seed))


def better_scores(schedule: Schedule, halves: Floats, skill: Floats) -> Floats:
    """What the better player of each match scored."""
    pairs = schedule.matches.pairs
    score: Floats = np.asarray(halves) / 2
    return np.where(skill[pairs.first] > skill[pairs.second], score, 1 - score)


@pytest.mark.parametrize("x", [0, 3, 20, 50, 90])
def test_the_better_player_wins_all_but_half_of_what_is_left_to_chance(x: float) -> None:
    schedule = schedule_of_two()
    halves = dealt(Deterministic(), schedule)(x)
    assert set(np.unique(halves)) == {0, 2}
    share = better_scores(schedule, halves, skills()).mean()
    assert share == pytest.approx((1 + x / 100) / 2, abs=4 * np.sqrt(0.25 / N))


def test_all_strength_is_the_exact_order() -> None:
    schedule = schedule_of_two()
    assert better_scores(schedule, dealt(Deterministic(), schedule)(100), skills()).min() == 1


@pytest.mark.parametrize("name", FAMILIES)
def test_at_0_every_family_is_a_coin_for_anybody(name: str) -> None:
    schedule = schedule_of_two()
    halves = dealt(FAMILIES[name], schedule)(0)
    score = better_scores(schedule, halves, skills())
    assert score.mean() == pytest.approx(0.5, abs=4 * np.sqrt(0.25 / N))
    # and the first seat has no advantage either
    assert (halves / 2).mean() == pytest.approx(0.5, abs=4 * np.sqrt(0.25 / N))


@settings(max_examples=30)
@given(st.floats(0, 100), st.floats(0, 100), st.integers(0, 1_000))
def test_the_same_luck_at_two_values_differs_only_between_them(one: float, other: float, seed: int) -> None:
    low, high = sorted((one, other))
    schedule = schedule_of_two(2_000)
    # the first of its random numbers says which matches are real
    chance = 100 * uniforms(luck(seed), np.arange(2_000, dtype=np.uint32))[0]
    game = dealt(Deterministic(), schedule, seed)
    less, more = game(low), game(high)
    outside = ~((chance >= low) & (chance < high))
    np.testing.assert_array_equal(less[outside], more[outside])
    # inside, the better wins at the higher value
    assert (better_scores(schedule, more, skills())[~outside] == 1).all()


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("values", [(10, 11), (30, 60), (99, 100)])
def test_the_better_player_never_scores_less_on_average_at_a_higher_value(
    name: str, values: tuple[float, float]
) -> None:
    schedule = schedule_of_two()
    game = dealt(FAMILIES[name], schedule)
    less, more = (better_scores(schedule, game(value), skills()).mean() for value in values)
    assert less < more
    changed = (game(values[0]) != game(values[1])).mean()
    assert changed <= (values[1] - values[0]) / 100 + 4 * np.sqrt(0.25 / N)
    np.testing.assert_array_equal(game(values[0]), game(values[0]))


def test_with_skill_alone_a_stronger_first_player_never_does_worse_with_the_same_luck() -> None:
    schedule = schedule_of_two()
    pairs, skill = schedule.matches.pairs, skills()
    game = dealt(Skilled(), schedule)
    results = np.stack([game(sd) for sd in (0, 50, 200, 1_000)])
    first_is_better = skill[pairs.first] > skill[pairs.second]
    assert (np.diff(results[:, first_is_better], axis=0) >= 0).all()
    assert (np.diff(results[:, ~first_is_better], axis=0) <= 0).all()


@pytest.mark.parametrize("sd", [0, 80, 300])
def test_skilled_players_score_what_elo_expects(sd: float) -> None:
    schedule, skill = schedule_of_two(), skills()
    pairs = schedule.matches.pairs
    expected = expected_score(sd * (skill[pairs.first] - skill[pairs.second]))
    score = dealt(Skilled(), schedule)(sd) / 2
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (expected >= low) & (expected < low + 0.2)
        if inside.sum() > 100:
            error = np.sqrt((expected[inside] * (1 - expected[inside])).sum()) / inside.sum()
            assert score[inside].mean() == pytest.approx(expected[inside].mean(), abs=4 * error)


@pytest.mark.parametrize("draws", [0.0, 0.1, 0.32, 0.45])
def test_draws_are_as_frequent_as_asked_for(draws: float) -> None:
    schedule = schedule_of_two()
    error = 4 * np.sqrt(0.25 / N)
    for family in (Skilled(draws), Mixed(172.0, draws)):
        for value in (0, 40, 100):
            drawn = (dealt(family, schedule)(value) == 1).mean()
            # Davidson's parameter is fitted to a sample of 2,000 matches
            assert drawn == pytest.approx(draws, abs=error + (0.01 if draws and value else 0)), (family, value)


def test_all_of_chess_is_players_with_its_sd_and_half_is_between() -> None:
    schedule, skill = schedule_of_two(), skills()
    pairs = schedule.matches.pairs
    expected = expected_score(172.0 * (skill[pairs.first] - skill[pairs.second]))
    favourite = np.maximum(expected, 1 - expected).mean()
    for x in (0, 50, 100):
        share = better_scores(schedule, dealt(Mixed(), schedule)(x), skill).mean()
        assert share == pytest.approx(0.5 + x / 100 * (favourite - 0.5), abs=4 * np.sqrt(0.25 / N))


@pytest.mark.parametrize("games", [3, 9])
def test_a_series_is_won_by_who_wins_most_of_its_games(games: int) -> None:
    schedule, skill = schedule_of_two(), skills()
    pairs = schedule.matches.pairs
    p = expected_score(60.0 * (skill[pairs.first] - skill[pairs.second]))
    # a second route: the games of each series are played out
    won = np.random.default_rng(9).binomial(games, p) > games / 2
    halves = play_series(schedule, skill, luck(), sd=60, games=games)
    assert set(np.unique(halves)) == {0, 2}
    by_model, played_out = (
        better_scores(schedule, np.asarray(result, float), skill).mean() for result in (halves, 2 * won)
    )
    assert by_model == pytest.approx(played_out, abs=4 * np.sqrt(0.5 / N))
    assert by_model > better_scores(schedule, dealt(Skilled(), schedule)(60), skill).mean() + 0.02


def test_at_a_table_all_strength_is_the_order_of_strength() -> None:
    schedule = schedule_of_several("linear")
    seats, skill = schedule.matches.seats, skills()
    shares = dealt(Deterministic(), schedule)(100).reshape(-1, 3)
    order = np.argsort(-skill[seats.player].reshape(-1, 3), axis=1)
    np.testing.assert_array_equal(np.take_along_axis(shares, order, axis=1), np.tile([1, 0.5, 0], (len(seats), 1)))


@pytest.mark.parametrize("family", [Deterministic(), Mixed(), Skilled()])
def test_at_a_table_no_strength_makes_all_orders_alike(family: Family) -> None:
    schedule = schedule_of_several("linear")
    seats, skill = schedule.matches.seats, skills()
    shares = dealt(family, schedule)(0).reshape(-1, 3)
    order = np.argsort(-skill[seats.player].reshape(-1, 3), axis=1)
    found = Counter(map(tuple, np.take_along_axis(shares, order, axis=1).tolist()))
    assert len(found) == 6
    n = len(seats)
    for count in found.values():
        assert count == pytest.approx(n / 6, abs=4 * np.sqrt(n * 5 / 36))


@pytest.mark.parametrize("x", [20, 70])
def test_at_a_table_the_best_wins_by_strength_or_by_lot(x: float) -> None:
    schedule = schedule_of_several("winner")
    seats, skill = schedule.matches.seats, skills()
    game = dealt(Deterministic(), schedule)
    best = np.argmax(skill[seats.player].reshape(-1, 3), axis=1)
    shares = game(x).reshape(-1, 3)
    np.testing.assert_array_equal(shares.sum(axis=1), 1)
    won = shares[np.arange(len(seats)), best].mean()
    assert won == pytest.approx((1 + 2 * x / 100) / 3, abs=4 * np.sqrt(0.25 / len(seats)))
    # whole matches change with x, never a part of one
    changed = (game(x) != game(x + 10)).reshape(-1, 3).any(axis=1)
    assert 0 < changed.mean() < 0.1 + 4 * np.sqrt(0.25 / len(seats))


def test_at_a_table_skilled_players_win_as_a_rank_ordered_logit_says() -> None:
    schedule = schedule_of_several("winner")
    seats, skill = schedule.matches.seats, skills()
    weight = 10 ** (150 * skill[seats.player].reshape(-1, 3) / 400)
    expected = weight / weight.sum(axis=1, keepdims=True)
    won = dealt(Skilled(), schedule)(150).reshape(-1, 3)
    for low in (0.0, 0.25, 0.5):
        inside = (expected >= low) & (expected < low + 0.25)
        error = np.sqrt((expected[inside] * (1 - expected[inside])).sum()) / inside.sum()
        assert won[inside].mean() == pytest.approx(expected[inside].mean(), abs=4 * error)


def test_tables_of_unequal_size_pay_each_its_own_prizes() -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(2, 6, 500)
    player = np.concatenate([rng.permutation(50)[:size] for size in sizes])
    starts = np.concatenate(([0], np.cumsum(sizes)))
    schedule = make_schedule(Matches.of_seats(starts, player, np.ones(len(player))), make_prizes("linear"))
    for family in (Deterministic(), Mixed(), Skilled()):
        shares = dealt(family, schedule)(60)
        for start, size in zip(starts[:-1], sizes, strict=True):
            paid = np.sort(shares[start : start + size])
            np.testing.assert_allclose(paid, np.arange(size) / (size - 1))


@pytest.mark.parametrize("family", [Deterministic(), Mixed(), Skilled(0.3)])
def test_another_seed_is_another_game(family: Family) -> None:
    schedule = schedule_of_two(2_000)
    assert (dealt(family, schedule, 3)(50) != dealt(family, schedule, 4)(50)).any()
    np.testing.assert_array_equal(dealt(family, schedule, 3)(50), dealt(family, schedule, 3)(50))


def test_a_family_ends_where_it_says() -> None:
    assert (Deterministic.highest, Mixed.highest, Skilled.highest) == (100, 100, 3000)
    schedule = simulate_strengths(50, 5_000, sd=0)
    certain = dealt(Skilled(), make_schedule(schedule))(Skilled.highest)
    assert better_scores(make_schedule(schedule), certain, skills()).mean() > 0.97
