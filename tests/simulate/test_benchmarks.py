"""Benchmark games have the share of skill that was asked for, and leave a schedule as it is."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.matches import Matches, Seats
from ludometer.measurement import measure
from ludometer.players import Players
from ludometer.simulate import (
    DeterministicGame,
    coin_on,
    deterministic_on,
    mix,
    simulate_deterministic,
    simulate_strengths,
)


def some_record() -> Matches:
    """Matches of two to five named players at times, with ties."""
    rng = np.random.default_rng(5)
    sizes = rng.integers(2, 6, 30_000)
    player = np.concatenate([rng.permutation(8)[:size] for size in sizes])
    place = rng.integers(1, 4, len(player))
    names = Players.named([f"player {letter}" for letter in "abcdefgh"])
    starts = np.concatenate(([0], np.cumsum(sizes)))
    return Matches.of_seats(starts, player, place, players=names, time=np.sort(rng.integers(0, 9_000, len(sizes))))


def finishing_orders(matches: Matches, per_match: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Players of each match from first to last."""
    seats = matches.seats
    order = np.argsort(seats.place.reshape(-1, per_match), axis=1)
    return np.take_along_axis(seats.player.reshape(-1, per_match), order, axis=1).astype(np.int64)


def same_schedule(one: Matches, other: Matches) -> bool:
    columns = ("first", "second") if hasattr(one.table, "first") else ("starts", "player")
    same = all(np.array_equal(getattr(one.table, name), getattr(other.table, name)) for name in columns)
    times = one.time is other.time or (one.time is not None and np.array_equal(one.time, np.asarray(other.time)))
    return same and times and one.players is other.players


@pytest.mark.parametrize("x", [0, 20, 50, 90, 100])
def test_the_stronger_wins_half_of_what_is_left_to_chance(x: float) -> None:
    game = DeterministicGame(100, x, seed=1)
    pairs = next(game.batches(100_000)).pairs
    stronger = (game.skill[pairs.first] > game.skill[pairs.second]) == (pairs.halves == 2)
    assert stronger.mean() == pytest.approx((1 + x / 100) / 2, abs=4 * np.sqrt(0.25 / 100_000))
    assert not (pairs.halves == 1).any()
    assert sorted(game.skill) == list(range(100))


@pytest.mark.parametrize(("x", "sd"), [(50, 123.9), (20, 33.4), (10, 9.2)])
def test_the_spread_is_that_of_the_specification(x: float, sd: float) -> None:
    # 1,000 players and 50,000 matches, recomputed beforehand; the paper prints 122.8, 32.3 and 10.7
    game = measure(simulate_deterministic(1_000, 50_000, x=x, seed=1), quick=True)
    assert game.main.sd == pytest.approx(sd, abs=4)


def test_several_finish_in_order_of_strength_or_anyhow() -> None:
    sure = DeterministicGame(30, 100, per_match=5, seed=2)
    skill = sure.skill[finishing_orders(next(sure.batches(5_000)), 5)]
    assert (np.diff(skill, axis=1) < 0).all()
    orders = Counter(map(tuple, finishing_orders(simulate_deterministic(3, 60_000, x=0, per_match=3), 3).tolist()))
    assert set(orders) == set(permutations(range(3)))
    assert all(count == pytest.approx(10_000, abs=4 * np.sqrt(60_000 * 5 / 36)) for count in orders.values())
    half = DeterministicGame(3, 50, per_match=3, seed=3)
    by_skill = (np.diff(half.skill[finishing_orders(next(half.batches(60_000)), 3)], axis=1) < 0).all(axis=1)
    assert by_skill.mean() == pytest.approx(0.5 + 0.5 / 6, abs=4 * np.sqrt(0.25 / 60_000))


def test_players_of_a_table_are_different_and_all_alike() -> None:
    matches = simulate_deterministic(6, 60_000, x=50, per_match=4, seed=4)
    table = np.sort(matches.seats.player.reshape(-1, 4), axis=1)
    assert (np.diff(table, axis=1) > 0).all()
    assert matches.counts == pytest.approx(np.full(6, 40_000), abs=500)
    assert len(np.unique(table, axis=0)) == 15


@pytest.mark.parametrize("per_match", [2, 4])
def test_longer_runs_begin_like_shorter_ones_and_seeds_decide(per_match: int) -> None:
    settings = {"x": 30.0, "per_match": per_match, "seed": 9}
    short, long = (simulate_deterministic(50, n, **settings) for n in (1_000, 300_000))  # type: ignore[arg-type]
    assert short.fingerprint == long.part(0, 1_000).fingerprint
    assert short.fingerprint == simulate_deterministic(50, 1_000, **settings).fingerprint  # type: ignore[arg-type]
    assert short.fingerprint != simulate_deterministic(50, 1_000, x=30, per_match=per_match, seed=8).fingerprint


def test_mixing_keeps_the_schedule_the_draws_and_a_share_of_the_results() -> None:
    chess = simulate_strengths(30, 300_000, sd=200, draws=0.32, seed=1)
    half = mix(chess, 50, seed=2)
    assert same_schedule(half, chess)
    assert half.draw_rate == pytest.approx(0.32, abs=0.004)
    by_chance = 0.32**2 + 2 * 0.34**2
    assert (half.pairs.halves == chess.pairs.halves).mean() == pytest.approx(0.5 + 0.5 * by_chance, abs=0.01)
    assert mix(chess, 100, seed=2).fingerprint == chess.fingerprint
    assert mix(chess, 50, seed=2).fingerprint == half.fingerprint != mix(chess, 50, seed=3).fingerprint


def test_a_longer_record_is_mixed_like_a_shorter_one() -> None:
    games = simulate_strengths(30, 300_000, seed=1)
    part = games.part(0, 270_000)
    assert mix(part, 50).fingerprint == mix(games, 50).part(0, 270_000).fingerprint


def test_mixing_several_players_leaves_some_matches_and_their_ties() -> None:
    record = some_record()
    half = mix(record, 40, seed=3)
    assert same_schedule(half, record)
    assert isinstance(half.table, Seats)
    assert isinstance(record.table, Seats)
    heads, large = record.table.starts[:-1], record.table.sizes == 5
    kept = np.logical_and.reduceat(half.table.place == record.table.place, heads)
    assert kept[large].mean() == pytest.approx(0.4, abs=0.03)
    changed = np.repeat(~kept & large, record.table.sizes)
    assert np.array_equal(
        np.sort(half.table.place[changed].reshape(-1, 5), axis=1)[:, -1], np.full(changed.sum() // 5, 5)
    )
    assert mix(record, 100).fingerprint == record.fingerprint


def test_matches_of_two_among_larger_ones_draw_as_often_as_before() -> None:
    record = some_record()
    chance = coin_on(record, seed=4)
    assert isinstance(chance.table, Seats)
    heads = chance.table.starts[:-1][chance.table.sizes == 2]
    assert (chance.table.place[heads] == chance.table.place[heads + 1]).mean() == pytest.approx(1 / 3, abs=0.02)
    first = np.bincount(chance.table.player[chance.table.place == 1], minlength=8) / chance.counts
    assert np.ptp(first) < 0.03


def test_a_coin_on_a_schedule_shows_no_skill() -> None:
    chess = simulate_strengths(100, 50_000, sd=300, draws=0.3, activity=1, seed=5)
    chance = coin_on(chess, seed=1)
    assert same_schedule(chance, chess)
    assert chance.draw_rate == pytest.approx(0.3, abs=0.01)
    assert chance.pairs.score.mean() == pytest.approx(0.5, abs=0.01)
    spread = measure(chance, quick=True).main.sd
    assert spread is not None
    assert spread < 5


def test_strength_decides_on_any_schedule() -> None:
    for record in (some_record(), simulate_strengths(40, 20_000, draws=0.4, seed=6)):
        matches, skill = deterministic_on(record, 100, seed=7)
        assert same_schedule(matches, record)
        assert sorted(skill) == list(range(len(record.players)))
        seats = matches.seats
        match = np.repeat(np.arange(len(seats)), seats.sizes)
        order = np.lexsort((seats.place, match))
        falls = np.diff(skill[seats.player[order]]) < 0
        assert falls[np.diff(match) == 0].all()
        assert matches.fingerprint == deterministic_on(record, 100, seed=7)[0].fingerprint


def test_half_a_deterministic_game_on_a_schedule_is_won_by_the_stronger_in_three_of_four() -> None:
    matches, skill = deterministic_on(simulate_strengths(40, 100_000, draws=0.4, seed=6), 50)
    pairs = matches.pairs
    stronger = (skill[pairs.first] > skill[pairs.second]) == (pairs.halves == 2)
    assert stronger.mean() == pytest.approx(0.75, abs=4 * np.sqrt(0.25 / 100_000))
    assert matches.draw_rate == 0


@pytest.mark.parametrize("x", [-1, 100.1, float("nan")])
def test_a_share_beyond_all_and_nothing_is_refused(x: float) -> None:
    record = simulate_strengths(5, 10)
    for play in (lambda: DeterministicGame(5, x), lambda: mix(record, x), lambda: deterministic_on(record, x)):
        with pytest.raises(LudometerError, match="in percent, from 0 to 100"):
            play()


@pytest.mark.parametrize("settings", [{"n_players": 1}, {"per_match": 1}, {"per_match": 6}, {"seed": -1}])
def test_games_that_nobody_can_play_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(LudometerError):
        DeterministicGame(**({"n_players": 5, "x": 50} | settings))
    with pytest.raises(LudometerError, match="at least 1 match"):
        simulate_deterministic(5, 0, x=50)
    with pytest.raises(LudometerError, match="seed"):
        coin_on(simulate_strengths(5, 10), seed=-1)
