"""Games that are dealt inside the pass are those that the plain twins deal, and are rated like them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest

from ludometer.arrays import Floats
from ludometer.kernels.runtime import lanes
from ludometer.kernels.systems.dealing import CERTAIN, Rule, bounds, make_deal, uniforms
from ludometer.kernels.systems.elo import elo_lanes, elo_lanes_plain
from ludometer.kernels.systems.games import elo_games, play_pairs, play_seats, seats_games, spread_of
from ludometer.kernels.systems.multiplayer import seats_lanes, seats_lanes_plain
from ludometer.matches import Matches
from ludometer.measurement.benchmarks.yardstick import make_schedule
from ludometer.ratings.draws import draw_probability
from ludometer.ratings.prizes import make_prizes
from ludometer.ratings.replicates import Game, fit_games, fit_replicates
from ludometer.scale import from_elo
from ludometer.simulate import simulate_coin

RULES = [Rule(0.4, CERTAIN), Rule(0.4, 1.0, 0.8, 0.9), Rule(1.0, 0.9), Rule(0.9, 0.5, 0.5, 2.0)]
KEYS = [np.array([game + 1, 7 * game], np.uint32) for game in range(4)]
STEPS = from_elo(np.array([8.0, 16.0, 32.0, 64.0]))


def skills(n_players: int) -> list[Floats]:
    rng = np.random.default_rng(1)
    # as single precision holds them, so that both routes see the same
    return [rng.standard_normal(n_players).astype(np.float32).astype(np.float64) for _ in RULES]


def rounded(rule: Rule) -> Rule:
    return Rule(*(float(np.float32(value)) for value in rule))


def test_random_numbers_are_those_of_the_published_generator() -> None:
    # one round of Philox 2x32 by hand, from its definition
    product = 0xD256D193 * 5
    first = (product >> 32) ^ 0x1234 ^ 0x99, product & 0xFFFFFFFF
    word, weyl = first, 0x1234
    for _ in range(6):
        weyl = (weyl + 0x9E3779B9) & 0xFFFFFFFF
        product = 0xD256D193 * word[0]
        word = (product >> 32) ^ weyl ^ word[1], product & 0xFFFFFFFF
    found = uniforms(np.array([0x1234, 0x99], np.uint32), np.array([5], np.uint32))
    assert [int(u[0] * 2**23) for u in found] == [value >> 9 for value in word]


def test_random_numbers_are_uniform_and_independent() -> None:
    n = 200_000
    counter = np.arange(n, dtype=np.uint32)
    columns = [u for key in ((1, 0), (2, 0), (1, 1), (0, 0)) for u in uniforms(np.array(key, np.uint32), counter)]
    for u in columns:
        assert kstest(u, "uniform").pvalue > 1e-4
        assert abs(np.asarray(np.corrcoef(u[:-1], u[1:]))[0, 1]) < 4 / np.sqrt(n)
    together = np.asarray(np.corrcoef(columns))[np.triu_indices(len(columns), 1)]
    assert np.abs(together).max() < 4.5 / np.sqrt(n)


@pytest.mark.parametrize("nu", [0.0, 0.3, 2.0, 50.0])
def test_bounds_of_luck_are_those_of_davidsons_draws(nu: float) -> None:
    u = np.linspace(0.001, 0.999, 999)
    low, high = bounds(u, nu)
    for d in (-3.0, -0.4, 0.0, 1.0):
        expected = 1 / (1 + np.exp(-d))
        drawn = float(draw_probability(np.array([expected]), nu)[0]) if nu else 0.0
        assert (d > high).mean() == pytest.approx(expected - drawn / 2, abs=2e-3)
        assert (d > low).mean() == pytest.approx(expected + drawn / 2, abs=2e-3)


@pytest.mark.parametrize("rules", [RULES, [RULES[0]] * 4, RULES[:2]])
def test_dealt_pairs_are_rated_like_the_plain_twins_columns(rules: list[Rule]) -> None:
    matches = simulate_coin(60, 3_001, activity=0.8, seed=1)
    pairs, skill = matches.pairs, skills(60)
    rating, step, loss = lanes.allocate_single(60), lanes.allocate_single(1), np.zeros((1, 16))
    step[0] = np.repeat(STEPS, 4)
    elo_games(pairs.first, pairs.second, make_deal(skill[: len(rules)], KEYS[: len(rules)], rules), rating, step, loss)
    for game, rule in enumerate(rules):
        halves = play_pairs(pairs.first, pairs.second, skill[game], KEYS[game], rounded(rule))
        own, total = np.zeros((60, 4)), np.zeros((1, 4))
        elo_lanes_plain(pairs.first, pairs.second, halves, own, np.asarray(step[:, game::4], float), total)
        np.testing.assert_allclose(rating[:, game::4], own, atol=2e-5)
        np.testing.assert_allclose(loss[:, game::4], total, rtol=1e-6)


LEADING = [
    Rule(0.4, CERTAIN, coin_lead=1.0),
    Rule(0.4, 1.0, 0.8, 0.9, 0.5, 0.7),
    Rule(1.0, 0.9, lead=0.5),
    Rule(0.9, 0.5, 0.5, 2.0, -0.4, -0.4),
]


@pytest.mark.parametrize("named", [False, True])
def test_better_seats_are_dealt_and_allowed_for_like_the_plain_twins(named: bool) -> None:
    pairs, skill = simulate_coin(60, 3_001, activity=0.8, seed=1).pairs, skills(60)
    favoured = np.random.default_rng(2).integers(-1, 2, len(pairs)).astype(np.int8) if named else None
    rating, step, loss = lanes.allocate_single(60), lanes.allocate_single(1), np.zeros((1, 16))
    step[0] = np.repeat(STEPS, 4)
    elo_games(pairs.first, pairs.second, make_deal(skill, KEYS, LEADING), rating, step, loss, 0.5, favoured)
    for game, rule in enumerate(LEADING):
        halves = play_pairs(pairs.first, pairs.second, skill[game], KEYS[game], rounded(rule), favoured=favoured)
        steps, seats = np.asarray(step[:, game::4], float), (1.0, 0.5, favoured)
        own, total = np.zeros((60, 4)), np.zeros((1, 4))
        elo_lanes_plain(pairs.first, pairs.second, halves, own, steps, total, *seats)
        np.testing.assert_allclose(rating[:, game::4], own, atol=2e-5)
        np.testing.assert_allclose(loss[:, game::4], total, rtol=1e-6)
        for n_lanes in (8, 16):
            wide, some, lost = (lanes.allocate(n, n_lanes) for n in (60, 1, 1))
            some[0, :4] = steps
            elo_lanes(pairs.first, pairs.second, halves, wide, some, lost, *seats)
            np.testing.assert_allclose(wide[:, :4], own, atol=1e-12)
            np.testing.assert_allclose(lost[:, :4], total, rtol=1e-12)


def test_seats_that_do_not_differ_change_no_bit() -> None:
    pairs, skill = simulate_coin(60, 3_001, seed=1).pairs, skills(60)
    outcomes = []
    for favoured in (None, np.zeros(len(pairs), np.int8)):
        for advantage in (0.0,) if favoured is None else (0.0, 0.7):
            rating, step, loss = lanes.allocate_single(60), lanes.allocate_single(1), np.zeros((1, 16))
            step[0] = np.repeat(STEPS, 4)
            elo_games(pairs.first, pairs.second, make_deal(skill, KEYS, RULES), rating, step, loss, advantage, favoured)
            wide, some, lost = (lanes.allocate(n, 8) for n in (60, 1, 1))
            some[0, :4] = STEPS
            elo_lanes(pairs.first, pairs.second, pairs.halves, wide, some, lost, 1.0, advantage, favoured)
            outcomes.append((rating, loss, wide, lost))
    for other in outcomes[1:]:
        for one, same in zip(outcomes[0], other, strict=True):
            np.testing.assert_array_equal(one, same)


def test_every_match_needs_to_know_its_better_seat() -> None:
    pairs = simulate_coin(60, 100, seed=1).pairs
    rating, step, loss = (lanes.allocate(n, 8) for n in (60, 1, 1))
    with pytest.raises(ValueError, match="100 matches, and 3 of them"):
        elo_lanes(pairs.first, pairs.second, pairs.halves, rating, step, loss, 1.0, 0.5, np.ones(3, np.int8))


@pytest.mark.parametrize("prizes", ["winner", "linear", "50,30,20"])
def test_dealt_tables_are_rated_like_the_plain_twins_columns(prizes: str) -> None:
    rng = np.random.default_rng(5)
    sizes = np.append(rng.choice([2, 3, 4, 5, 9], 50), 24)
    player = np.concatenate([rng.permutation(60)[:size] for size in sizes])
    matches = Matches.of_seats(np.concatenate(([0], np.cumsum(sizes))), player, np.ones(len(player)))
    schedule, skill = make_schedule(matches, make_prizes(prizes)), skills(60)
    seats, rules = matches.seats, [Rule(rule.mix, rule.reach) for rule in RULES]
    rating, step, loss = lanes.allocate_single(60), lanes.allocate_single(1), np.zeros((1, 16))
    step[0] = np.repeat(STEPS, 4)
    assert schedule.prize is not None
    seats_games(seats.starts, seats.player, schedule.prize, make_deal(skill, KEYS, rules), rating, step, loss)
    for game, rule in enumerate(rules):
        share = play_seats(seats.starts, seats.player, schedule.prize, skill[game], KEYS[game], rounded(rule))
        own, total = np.zeros((60, 4)), np.zeros((1, 4))
        steps = np.asarray(step[:, game::4], float)
        seats_lanes_plain(seats.starts, seats.player, share[:, np.newaxis], schedule.prize, own, steps, total)
        np.testing.assert_allclose(rating[:, game::4], own, atol=5e-5)
        np.testing.assert_allclose(loss[:, game::4], total, rtol=1e-5)


@pytest.mark.parametrize("prizes", ["winner", "linear", "50,30,20"])
def test_large_tables_are_rated_like_columns_in_double_precision(prizes: str) -> None:
    # so large that opponents are not summed one by one, and that seats are sorted
    rng = np.random.default_rng(6)
    sizes = np.array([70, 2, 33, 1_001, 50])
    player = np.concatenate([rng.permutation(1_001)[:size] for size in sizes])
    matches = Matches.of_seats(np.concatenate(([0], np.cumsum(sizes))), player, np.ones(len(player)))
    schedule, skill = make_schedule(matches, make_prizes(prizes)), skills(1_001)
    seats, rules = matches.seats, [Rule(rule.mix, rule.reach) for rule in RULES]
    rating, step, loss = lanes.allocate_single(1_001), lanes.allocate_single(1), np.zeros((1, 16))
    step[0] = np.repeat(STEPS, 4)
    assert schedule.prize is not None
    seats_games(seats.starts, seats.player, schedule.prize, make_deal(skill, KEYS, rules), rating, step, loss)
    for game, rule in enumerate(rules):
        share = play_seats(seats.starts, seats.player, schedule.prize, skill[game], KEYS[game], rounded(rule))
        own, steps, total = (lanes.allocate(n, 8) for n in (1_001, 1, 1))
        steps[0, :4] = step[0, game::4]
        seats_lanes(seats.starts, seats.player, share[:, np.newaxis], schedule.prize, own, steps, total)
        np.testing.assert_allclose(rating[:, game::4], own[:, :4], atol=5e-5)
        # a thousand small losses are added to a large one in single precision
        np.testing.assert_allclose(loss[:, game::4], total[:, :4], rtol=3e-5)


def test_results_dealt_in_parts_are_those_dealt_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = make_schedule(simulate_coin(60, 1_003, seed=1))
    game, pairs = Game(skills(60)[1], KEYS[1], RULES[1]), schedule.matches.pairs
    at_once = play_pairs(pairs.first, pairs.second, game.skill, game.key, game.rule)
    monkeypatch.setattr("ludometer.ratings.replicates._PART", 100)
    np.testing.assert_array_equal(game.results(schedule), at_once)


def test_spreads_are_those_of_numpy() -> None:
    rating = lanes.allocate_single(500)
    rating[:] = np.random.default_rng(1).standard_normal((500, 16)) + 0.2
    groups = np.stack([np.ones(500, bool), np.arange(500) % 3 == 0])
    for row, group in zip(spread_of(rating, groups), groups, strict=True):
        np.testing.assert_allclose(row, np.std(rating[group].astype(float), axis=0, ddof=1), rtol=1e-9)


@pytest.mark.parametrize(("n_players", "n_matches", "per_match"), [(100, 5_000, 2), (40, 900, 2), (60, 1_500, 4)])
def test_games_are_fitted_as_their_results_are(n_players: int, n_matches: int, per_match: int) -> None:
    matches = simulate_coin(n_players, n_matches, per_match=per_match, activity=0.5, seed=1)
    schedule, counted = make_schedule(matches), matches.counts >= 25
    rules = [Rule(0.3, CERTAIN), Rule(0.95, CERTAIN), Rule(1.0, 0.9), Rule(1.0, 0.4), Rule(0.0, 1.0)]
    keys = [np.array([place, 2], np.uint32) for place in range(len(rules))]
    rng = np.random.default_rng(2)
    games = [Game(rng.standard_normal(n_players), key, rule) for key, rule in zip(keys, rules, strict=True)]
    for guess in (5.0, 40.0, 150.0):
        found = fit_games(schedule, games, counted=counted, guess=np.full(len(games), guess))
        results = np.column_stack([game.results(schedule) for game in games])
        exact = fit_replicates(schedule, results, counted=counted, guess=np.full(len(games), 20.0))
        np.testing.assert_allclose(found.sd, exact.sd, rtol=2e-3, atol=0.05)
        np.testing.assert_allclose(found.k, exact.k, rtol=5e-3, atol=0.01)
        np.testing.assert_allclose(found.loss, exact.loss, rtol=1e-3)


def test_games_do_not_depend_on_those_beside_them() -> None:
    schedule = make_schedule(simulate_coin(60, 2_000, seed=1))
    counted, skill = schedule.matches.counts >= 25, skills(60)
    rules = [RULES[1], RULES[3], RULES[1], RULES[3]]
    games = [Game(*one) for one in zip(skill, KEYS, rules, strict=True)]
    together = fit_games(schedule, games, counted=counted, guess=np.full(4, 20.0))
    for place, game in enumerate(games):
        alone = fit_games(schedule, [game], counted=counted, guess=np.array([20.0]))
        assert alone.loss[0] == pytest.approx(together.loss[place], rel=1e-12)
        assert alone.k[0] == pytest.approx(together.k[place], rel=1e-12)


def test_a_deal_of_fewer_games_repeats_the_last() -> None:
    deal = make_deal(skills(5)[:2], KEYS[:2], RULES[:2])
    np.testing.assert_array_equal(deal.skill[:, 1], deal.skill[:, 3])
    np.testing.assert_array_equal(deal.keys[:, 1::4], deal.keys[:, 2::4])
    np.testing.assert_array_equal(deal.rules[:, 1], deal.rules[:, 3])
    assert deal.has_draws
