"""Matched yardsticks, and intervals of what the same players would show if they played again."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.measurement.benchmarks.families import Deterministic, Family, Mixed, Skilled
from ludometer.measurement.benchmarks.inversion import Inversion, Target, invert, simulate_replicate
from ludometer.measurement.benchmarks.yardstick import (
    Reference,
    _ends,
    make_schedule,
    match_yardstick,
    repeat_play,
    replicates_for,
)
from ludometer.parallel import Workers
from ludometer.ratings.prizes import make_prizes
from ludometer.ratings.replicates import fit_replicates
from ludometer.ratings.systems.best_fit import fit_best_elo
from ludometer.simulate import simulate_coin, simulate_strengths

SCHEDULE = make_schedule(simulate_coin(40, 1_200, seed=2))
COUNTED = SCHEDULE.matches.counts >= 25


def target_with(sd: float, k: float = 20.0) -> Target:
    return Target(SCHEDULE, COUNTED, sd, k)


def test_the_yardstick_is_each_family_inverted() -> None:
    target = target_with(80.0)
    found = match_yardstick(target, reference=Reference("Go", 250.0, 0.0), draws=0.1, replicates=19, seed=[4])
    assert found.replicates == 19
    families: list[Family] = [Deterministic(), Mixed(250.0, 0.0), Skilled(0.1)]
    for number, inversion in enumerate((found.deterministic, found.chess, found.skill)):
        alone = invert(target, families[number], replicates=19, seed=[4, number])
        assert inversion is not None
        assert inversion.solutions.tobytes() == alone.solutions.tobytes()
    without = match_yardstick(target, reference=Reference(), replicates=19, seed=[4])
    assert without.skill is None
    assert without.deterministic.solutions.tobytes() == found.deterministic.solutions.tobytes()


def test_beside_a_game_of_more_skill_the_share_is_smaller() -> None:
    shares = [
        match_yardstick(
            target_with(60.0), reference=Reference("other", sd, 0.3), replicates=19, seed=[4]
        ).chess.estimate
        for sd in (100.0, 172.0, 300.0)
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 0.7 * shares[0]


def test_a_latent_sd_of_80_is_less_of_strength_than_of_chess() -> None:
    # spec 10: players with a latent SD of 80 are 37% deterministic but 60% chess, SD 40: 19 and 31
    matches = simulate_strengths(300, 30_000, sd=80, seed=3)
    fit, counted = fit_best_elo(matches), matches.counts >= 25
    target = Target(make_schedule(matches), counted, float(fit.rating[counted].std(ddof=1)), fit.k)
    found = match_yardstick(target, reference=Reference(), draws=0.0, replicates=19, seed=[1])
    assert found.deterministic.estimate == pytest.approx(37, abs=4)
    assert found.chess.estimate == pytest.approx(60, abs=7)
    assert found.skill is not None
    assert found.skill.estimate == pytest.approx(80, rel=0.1)


def test_the_sd_interval_covers_what_the_same_players_show_on_average() -> None:
    # the estimand: the mean SD of many games of the same players on the same schedule
    covered = []
    for seed in range(30):
        blank = target_with(0.0)
        games = [
            simulate_replicate(blank, Skilled(), [77, seed], chance=[78, seed, luck], replicate=0) for luck in range(41)
        ]
        results = np.column_stack([game(150.0) for game in games])
        fits = fit_replicates(SCHEDULE, results[:, :40], counted=COUNTED, guess=np.full(40, 30.0))
        own = fit_replicates(SCHEDULE, results[:, 40:], counted=COUNTED, guess=np.full(1, 30.0))
        target = target_with(float(own.sd[0]), float(own.k[0]))
        skill = invert(target, Skilled(), replicates=19, seed=[seed])
        found = repeat_play(
            target, skill, groups=COUNTED[np.newaxis], sds=[target.sd], draws=0.0, pairs=16, seed=[seed]
        )
        ((low, high),) = (interval for interval in found.sd_intervals if interval is not None)
        assert found.k_interval is not None
        assert found.k_interval[0] < target.k < found.k_interval[1]
        covered.append(low <= fits.sd.mean() <= high)
    # 28.5 of 30 on average; fewer than 25 once in 100
    assert sum(covered) >= 25


def test_the_interval_is_as_wide_as_games_of_the_same_players_differ() -> None:
    blank = target_with(0.0)
    games = [simulate_replicate(blank, Skilled(), [77, 1], chance=[78, 1, luck], replicate=0) for luck in range(60)]
    fits = fit_replicates(
        SCHEDULE, np.column_stack([game(150.0) for game in games]), counted=COUNTED, guess=np.full(60, 30.0)
    )
    target = target_with(float(np.median(fits.sd)), float(np.median(fits.k)))
    skill = Inversion(np.full(19, 150.0))
    found = repeat_play(target, skill, groups=COUNTED[np.newaxis], sds=[target.sd], draws=0.0, seed=[1])
    assert found.sd_intervals[0] is not None
    half = (found.sd_intervals[0][1] - found.sd_intervals[0][0]) / 2
    # an SD from 60 games is known to 9%, one from pairs likewise
    assert half == pytest.approx(2 * fits.sd.std(ddof=1), rel=0.35)


def test_groups_that_are_not_there_have_no_interval_and_threads_change_nothing() -> None:
    target = target_with(100.0)
    groups = np.stack([COUNTED, np.ones(40, bool), SCHEDULE.matches.counts >= 60])
    skill = invert(target, Skilled(), replicates=19, seed=[1])
    sds = [100.0, None, 110.0]
    told: list[int] = []
    alone = repeat_play(target, skill, groups=groups, sds=sds, draws=0.0, pairs=8, seed=[1])
    together = repeat_play(
        target,
        skill,
        groups=groups,
        sds=sds,
        draws=0.0,
        pairs=8,
        seed=[1],
        workers=Workers(jobs=2),
        on_done=told.append,
    )
    assert alone == together
    assert told == list(range(1, 9))
    assert alone.sd_intervals[1] is None
    assert [interval is not None for interval in alone.sd_intervals] == [True, False, True]


def test_where_no_simulated_game_has_a_best_fit_there_is_no_interval() -> None:
    # two players, one of whom always wins
    schedule = make_schedule(simulate_coin(2, 40, seed=1))
    target = Target(schedule, np.ones(2, bool), 400.0, 200.0)
    found = repeat_play(
        target,
        Inversion(np.full(19, 3e6)),
        groups=np.ones((1, 2), bool),
        sds=[400.0],
        draws=0.0,
        seed=[1],
    )
    assert found.sd_intervals == (None,)
    assert found.k_interval is None


@pytest.mark.parametrize("quantile", [1.96, 2.1])
def test_an_even_error_gives_the_usual_interval(quantile: float) -> None:
    assert _ends(100.0, quantile, (90.0, 5.0), (110.0, 5.0)) == pytest.approx((100 - 5 * quantile, 100 + 5 * quantile))


def test_an_error_that_grows_with_the_mean_reaches_further_up_than_down() -> None:
    low, high = _ends(100.0, 2.0, (50.0, 5.0), (150.0, 15.0))
    # 100 is two errors above the lower end and two below the upper
    assert 100 - low == pytest.approx(2 * (5 + (low - 50) / 10))
    assert high - 100 == pytest.approx(2 * (5 + (high - 50) / 10))
    assert high - 100 > 100 - low


def test_an_error_that_grows_as_fast_as_the_mean_does_not_run_away() -> None:
    low, high = _ends(5.0, 2.0, (1.0, 0.5), (10.0, 9.0))
    assert 5 < high <= 5 + 2 * 9
    # and the lower end is where 5 is two errors above
    assert 5 - low == pytest.approx(2 * (0.5 + (low - 1) * 8.5 / 9))
    assert _ends(0.5, 2.0, (1.0, 0.5), (10.0, 9.0))[0] == 0


def test_the_number_of_replicates_cuts_ranks_exactly() -> None:
    for n_matches in (100, 2_000_000):
        replicates, fewer = replicates_for(n_matches)
        assert (replicates + 1) % 40 == 0
        assert fewer < replicates


def test_the_schedule_of_a_table_has_prizes_for_every_place() -> None:
    schedule = make_schedule(simulate_coin(10, 5, per_match=3), make_prizes("linear"))
    assert schedule.prize is not None
    assert schedule.prize.tolist() == [1, 0.5, 0] * 5
    assert make_schedule(simulate_coin(10, 5)).prize is None
