"""Inversion by simulation: x is found again, intervals cover, and who does the work changes nothing."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludometer.arrays import Floats
from ludometer.measurement.benchmarks.families import Deterministic, Family, Mixed, Skilled
from ludometer.measurement.benchmarks.inversion import GROUP, Inversion, Target, _solve, invert, simulate_replicate
from ludometer.measurement.benchmarks.yardstick import make_schedule
from ludometer.parallel import Workers
from ludometer.ratings.prizes import make_prizes
from ludometer.ratings.replicates import Schedule, fit_replicates
from ludometer.simulate import simulate_coin

SCHEDULE = make_schedule(simulate_coin(100, 5_000, activity=0.5, seed=1))
TINY = make_schedule(simulate_coin(30, 800, seed=2))


def target_of(schedule: Schedule, family: Family, value: float, seed: int) -> Target:
    """A game of the family with this value, as a record to be matched."""
    counted = schedule.matches.counts >= 25
    blank = Target(schedule, counted, 0.0, 20.0)
    results = np.column_stack([simulate_replicate(blank, family, [10_000, seed], replicate=0)(value)])
    fit = fit_replicates(schedule, results, counted=counted, guess=np.array([20.0]))
    return Target(schedule, counted, float(fit.sd[0]), float(fit.k[0]))


def sd_at(target: Target, family: Family, seed: list[int], replicate: int, value: float) -> float:
    """The spread of one replicate at one value."""
    results = np.column_stack([simulate_replicate(target, family, seed, replicate=replicate)(value)])
    return float(fit_replicates(target.schedule, results, counted=target.counted, guess=np.array([20.0])).sd[0])


@pytest.mark.parametrize(
    ("family", "value"),
    [(Deterministic(), 15), (Deterministic(), 60), (Mixed(), 40), (Skilled(0.2), 150.0), (Skilled(), 60.0)],
)
def test_the_value_of_a_simulated_game_is_found_again(family: Family, value: float) -> None:
    found = [invert(target_of(SCHEDULE, family, value, seed), family, replicates=39, seed=[seed]) for seed in range(4)]
    # four games: their mean is within three standard errors, which the solutions themselves show
    error = np.mean([one.solutions.std(ddof=1) for one in found]) / 2
    assert np.mean([one.estimate for one in found]) == pytest.approx(value, abs=3 * error)
    assert error < 0.1 * value
    assert sum(one.interval[0] <= value <= one.interval[1] for one in found) >= 3


def test_matches_of_several_are_found_again_too() -> None:
    for rule in ("winner", "linear"):
        schedule = make_schedule(simulate_coin(60, 2_000, per_match=4, seed=3), make_prizes(rule))
        found = invert(target_of(schedule, Deterministic(), 30, 1), Deterministic(), replicates=39, seed=[1])
        assert found.interval[0] < 30 < found.interval[1]
        assert found.interval[1] - found.interval[0] < 15


@pytest.mark.parametrize("family", [Deterministic(), Mixed(), Skilled(0.1)])
def test_at_its_solution_a_replicate_spreads_like_the_record(family: Family) -> None:
    target = Target(SCHEDULE, SCHEDULE.matches.counts >= 25, 60.0, 15.0)
    for number in (1, 2):
        solutions, slopes = _solve((number, family.highest / 4, None), target, family, [5])
        for place, solution in enumerate(solutions):
            replicate = number * GROUP + place
            assert sd_at(target, family, [5], replicate, solution) == pytest.approx(60, rel=0.01)
            assert sd_at(target, family, [5], replicate, 1.3 * solution) > 60 * 1.1
        assert (slopes > 0).all()


def test_the_beginning_of_the_search_does_not_matter() -> None:
    target = Target(SCHEDULE, SCHEDULE.matches.counts >= 25, 60.0, 15.0)
    searches = [_solve((1, begin, slope), target, Deterministic(), [5])[0] for begin, slope in ((3, None), (90, 1.2))]
    np.testing.assert_allclose(searches[0], searches[1], rtol=0.02)


def test_a_larger_spread_has_larger_solutions_in_every_replicate() -> None:
    target = Target(SCHEDULE, SCHEDULE.matches.counts >= 25, 1.0, 15.0)
    found = [invert(replace(target, sd=sd), Deterministic(), replicates=19, seed=[1]) for sd in (8, 25, 60, 120, 250)]
    for less, more in pairwise(found):
        assert (less.solutions < more.solutions).all()


def test_a_spread_beyond_the_family_has_no_x() -> None:
    target = Target(SCHEDULE, SCHEDULE.matches.counts >= 25, 20_000.0, 200.0)
    found = invert(target, Deterministic(), replicates=19, seed=[1])
    assert np.isinf(found.solutions).all()
    assert [found.estimate, *found.interval] == [np.inf, 100, np.inf]
    assert found.p_value(50, above=True) == 1 / 20
    assert found.p_value(50, above=False) == 1


def test_no_solution_lies_beyond_the_end_of_the_family() -> None:
    target = Target(TINY, TINY.matches.counts >= 25, 1.0, 100.0)
    at_the_end = [sd_at(target, Mixed(), [2], GROUP + place, 100.0) for place in range(GROUP)]
    for place, sd in enumerate(at_the_end):
        # a hair more than the whole family shows, and a hair less
        more, less = (
            _solve((1, 90.0, None), replace(target, sd=part * sd), Mixed(), [2])[0][place] for part in (1.003, 0.997)
        )
        assert more == np.inf
        assert 97 < less <= 100


def test_a_record_without_spread_may_be_any_game_that_often_has_none() -> None:
    target = Target(TINY, TINY.matches.counts >= 25, 0.0, 0.0)
    found = invert(target, Deterministic(), replicates=39, seed=[5])
    assert found.estimate == 0
    assert found.interval[0] == 0
    # below its solution a replicate does not spread, above it does
    solutions, _ = _solve((1, 25.0, None), replace(target, sd=1e-9), Deterministic(), [5])
    for place, solution in enumerate(solutions):
        if solution > 0:
            assert sd_at(target, Deterministic(), [5], GROUP + place, max(solution - 0.2, 0)) == 0
        assert sd_at(target, Deterministic(), [5], GROUP + place, solution + 0.2) > 0
    # at 8% about as many games have no spread as solutions say
    at_8 = [sd_at(target, Deterministic(), [4], replicate, 8.0) == 0 for replicate in range(200)]
    assert 0.05 < np.mean(at_8) < 0.95
    assert np.mean(found.solutions > 8) == pytest.approx(np.mean(at_8), abs=4 * np.sqrt(0.25 / 39))
    assert found.interval[1] > 8


def test_spreads_that_have_no_best_fit_leave_a_search_that_ends() -> None:
    # three players and few matches: at a quarter of the range of skills most games have no contradictions
    schedule = make_schedule(simulate_coin(3, 60, seed=1))
    for sd in (50.0, 400.0, 800.0):
        found = invert(Target(schedule, schedule.matches.counts >= 25, sd, 60.0), Skilled(), replicates=19, seed=[1])
        assert not np.isnan(found.solutions).any()
        assert found.interval[0] <= found.estimate <= found.interval[1]


@pytest.mark.parametrize("family", [Deterministic(), Skilled(0.3)])
def test_two_threads_solve_what_one_solves(family: Family) -> None:
    target = target_of(TINY, Deterministic(), 50, 1)
    told: list[int] = []
    alone = invert(target, family, replicates=39, seed=[7])
    together = invert(target, family, replicates=39, seed=[7], workers=Workers(jobs=2), on_done=told.append)
    assert alone.solutions.tobytes() == together.solutions.tobytes()
    assert told == list(range(1, 11))


def test_fewer_replicates_are_a_part_of_more_and_another_seed_gives_others() -> None:
    target = target_of(TINY, Deterministic(), 50, 1)
    more, fewer, other = (
        invert(target, Deterministic(), replicates=n, seed=[seed]) for n, seed in ((39, 7), (19, 7), (19, 8))
    )
    assert set(fewer.solutions) < set(more.solutions)
    assert not set(fewer.solutions) & set(other.solutions)
    assert len(fewer.solutions) == 19


def test_given_skills_are_used_in_turn() -> None:
    rng = np.random.default_rng(1)
    orders = rng.standard_normal((len(TINY.matches.players), 3))
    target = Target(TINY, TINY.matches.counts >= 25, 50.0, 20.0, orders)
    pairs = TINY.matches.pairs
    for replicate in range(5):
        order = orders[:, replicate % 3]
        halves = simulate_replicate(target, Deterministic(), [1], replicate=replicate)(100)
        np.testing.assert_array_equal(halves == 2, order[pairs.first] > order[pairs.second])


def test_the_same_players_can_have_other_luck() -> None:
    target = Target(TINY, TINY.matches.counts >= 25, 50.0, 20.0)
    one, other = (simulate_replicate(target, Deterministic(), [1], replicate=0, chance=[1, luck]) for luck in (1, 2))
    np.testing.assert_array_equal(one(100), other(100))
    assert (one(50) != other(50)).mean() > 0.2


@pytest.mark.parametrize(
    ("n", "ends"), [(119, (3, 117)), (39, (1, 39)), (19, (1, 19)), (199, (5, 195)), (9, (1, 9)), (59, (1.5, 58.5))]
)
def test_the_interval_leaves_its_share_of_ranks_outside(n: int, ends: tuple[float, float]) -> None:
    found = Inversion(np.arange(1.0, n + 1))
    assert found.interval == ends
    assert found.estimate == (n + 1) / 2


def test_a_p_value_counts_the_record_among_the_games() -> None:
    found = Inversion(np.arange(1.0, 40))
    assert found.p_value(0.5, above=True) == 1 / 40
    assert found.p_value(10, above=True) == 11 / 40
    assert found.p_value(10, above=False) == 31 / 40
    assert found.p_value(99, above=False) == 1 / 40


@given(st.lists(st.floats(0, 100) | st.just(np.inf), min_size=9, max_size=130), st.floats(0, 100))
def test_estimates_lie_inside_their_intervals_and_p_values_between_0_and_1(values: list[float], at: float) -> None:
    found = Inversion(np.sort(np.array(values)), 100.0)
    low, high = found.interval
    assert low <= min(found.estimate, 100)
    assert found.estimate <= high
    assert low <= 100
    above, below = found.p_value(at, above=True), found.p_value(at, above=False)
    assert 0 < above <= 1
    assert 0 < below <= 1
    assert above + below >= 1


def covered(family: Family, value: float, n: int) -> Floats:
    intervals = [
        invert(target_of(TINY, family, value, seed), family, replicates=39, seed=[seed]).interval for seed in range(n)
    ]
    return np.array([low <= value <= high for low, high in intervals])


@pytest.mark.parametrize(("family", "value"), [(Deterministic(), 45), (Skilled(), 120.0)])
def test_intervals_cover_the_truth_at_their_rate(family: Family, value: float) -> None:
    # 60 games and 95%: 57 on average, and fewer than 51 less than once in 100
    assert covered(family, value, 60).sum() >= 51


def test_an_interval_covers_a_little_skill_where_many_records_do_not_spread_at_all() -> None:
    # at 6% two of five records have an SD of 0: an interval of nothing but 0 would miss them all
    targets = [target_of(TINY, Deterministic(), 6, seed) for seed in range(30)]
    assert 8 <= sum(target.sd == 0 for target in targets) <= 20
    assert covered(Deterministic(), 6, 30).sum() >= 26


def test_p_values_at_the_truth_are_uniform() -> None:
    p = np.array(
        [
            invert(target_of(TINY, Deterministic(), 50, seed), Deterministic(), replicates=19, seed=[seed]).p_value(
                50, above=True
            )
            for seed in range(60)
        ]
    )
    for level in (0.2, 0.5, 0.8):
        assert (p <= level).mean() == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 60))
