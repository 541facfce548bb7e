"""Checks: which are planned for which record, what they work on, and what they find."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ludometer.matches import Matches
from ludometer.measurement.benchmarks.families import Deterministic
from ludometer.measurement.benchmarks.inversion import Target, invert
from ludometer.measurement.benchmarks.yardstick import SKILL, Reference, make_schedule
from ludometer.measurement.record.pairing import Pairing
from ludometer.measurement.verdict.checks import (
    UNITS,
    Check,
    Kept,
    Plan,
    Primary,
    finite,
    plan_checks,
    run_check,
    run_checks,
)
from ludometer.parallel import Workers
from ludometer.ratings.prizes import WINNER, Prizes, make_prizes
from ludometer.ratings.systems.best_fit import fit_best_elo
from ludometer.simulate import simulate_deterministic, simulate_strengths

LINEAR = make_prizes("linear")


def primary_of(
    matches: Matches,
    *,
    prizes: Prizes = WINNER,
    min_matches: int = 25,
    whole: Matches | None = None,
    pairing: Pairing | None = None,
) -> Primary:
    return Primary(
        matches=matches,
        k=20.0,
        min_matches=min_matches,
        prizes=prizes,
        reference=Reference(),
        pairing=pairing or Pairing(False, 0.0, 0, 1.0, follows=False),
        skill=150.0,
        replicates=9,
        seed=[1, 3],
        whole=whole,
        answer=SKILL,
    )


def kinds(plans: list[Plan]) -> list[str]:
    return list(dict.fromkeys(plan.kind for plan in plans))


def named(plans: list[Plan], name: str) -> Plan:
    (found,) = [plan for plan in plans if plan.name == name]
    return found


def test_two_players_without_draws_have_units_and_no_prizes() -> None:
    plans = plan_checks(primary_of(simulate_strengths(60, 3_000)))
    assert kinds(plans) == ["cutoff", "half", "unit", "experience", "period"]
    assert [plan.unit for plan in plans if plan.kind == "unit"] == list(UNITS)
    # all have 25 matches: a cutoff of 1 would count the same players
    assert [plan.min_matches for plan in plans if plan.kind == "cutoff"] == [100]


def test_draws_and_busy_players_are_left_out_in_turn() -> None:
    matches = simulate_strengths(250, 3_000, draws=0.3, activity=1.0)
    plans = plan_checks(primary_of(matches))
    assert kinds(plans) == ["cutoff", "half", "activity", "draws", "unit", "experience", "period"]
    assert [plan.min_matches for plan in plans if plan.kind == "cutoff"] == [1, 100]
    decisive = named(plans, "without draws")
    assert decisive.kept is not None
    assert (matches.take(decisive.kept.mask).pairs.halves != 1).all()
    assert decisive.kept.mask.sum() == len(matches) - matches.n_draws
    quiet = named(plans, "without the most active 1%")
    assert quiet.kept is not None
    # two of 250
    busiest = np.argsort(-matches.counts, kind="stable")[:2]
    pairs = matches.pairs
    np.testing.assert_array_equal(~quiet.kept.mask, np.isin(pairs.first, busiest) | np.isin(pairs.second, busiest))


def test_several_players_have_prizes_and_no_units() -> None:
    matches = simulate_strengths(60, 1_000, per_match=4)
    plans = plan_checks(primary_of(matches))
    assert kinds(plans) == ["cutoff", "half", "prizes", "experience", "period"]
    assert named(plans, "prizes: linear").prizes == LINEAR
    other = plan_checks(primary_of(matches, prizes=LINEAR))
    assert [plan.name for plan in other if plan.kind == "prizes"] == ["prizes: winner"]
    both = plan_checks(primary_of(matches, prizes=make_prizes("top-heavy")))
    assert [plan.name for plan in both if plan.kind == "prizes"] == ["prizes: winner", "prizes: linear"]


def test_ties_for_the_first_place_are_left_out_in_turn() -> None:
    rng = np.random.default_rng(1)
    place = rng.integers(1, 4, 900)
    matches = Matches.of_seats(np.arange(0, 901, 3), np.tile([0, 1, 2], 300), place)
    plan = named(plan_checks(primary_of(matches)), "without ties for first place")
    assert plan.kept is not None
    tied = (np.sort(place.reshape(-1, 3), axis=1)[:, 0:2] == place.reshape(-1, 3).min(axis=1)[:, np.newaxis]).all(
        axis=1
    )
    np.testing.assert_array_equal(~plan.kept.mask, tied)
    assert 0 < tied.sum() < 300


def test_a_record_of_draws_alone_has_no_check_without_them() -> None:
    matches = simulate_strengths(60, 300)
    drawn = Matches.of_pairs(matches.pairs.first, matches.pairs.second, np.full(300, 0.5))
    assert "draws" not in kinds(plan_checks(primary_of(drawn)))


@pytest.mark.parametrize("matches", [simulate_strengths(60, 3_001), simulate_strengths(60, 999, per_match=3)])
@pytest.mark.parametrize(("kind", "n"), [("half", 2), ("period", 4), ("experience", 3)])
def test_parts_hold_every_match_once(matches: Matches, kind: str, n: int) -> None:
    parts = [plan.kept.mask for plan in plan_checks(primary_of(matches)) if plan.kind == kind and plan.kept]
    assert len(parts) == n
    total = sum(part.astype(int) for part in parts if part is not None)
    np.testing.assert_array_equal(total, 1)


def test_experience_bands_are_those_of_a_plain_count() -> None:
    matches = simulate_strengths(30, 3_000, activity=0.5, seed=2)
    seen = np.zeros(30, int)
    band = []
    for i, j in zip(matches.pairs.first, matches.pairs.second, strict=True):
        least = min(seen[i], seen[j])
        band.append(0 if least < 25 else 1 if least < 100 else 2)
        seen[i] += 1
        seen[j] += 1
    plans = [plan for plan in plan_checks(primary_of(matches)) if plan.kind == "experience"]
    assert [plan.name.removeprefix("the less experienced has ") for plan in plans] == [
        "0 to 24 earlier matches",
        "25 to 99 earlier matches",
        "100+ earlier matches",
    ]
    for place, plan in enumerate(plans):
        assert plan.kept is not None
        np.testing.assert_array_equal(plan.kept.mask, np.array(band) == place)
    assert set(band) == {0, 1, 2}


def test_periods_are_told_by_dates_where_there_are_any() -> None:
    pairs = simulate_strengths(30, 8).pairs
    days = np.arange("2020-01-01", "2020-01-09", dtype="datetime64[D]")
    dated = Matches.of_pairs(pairs.first, pairs.second, pairs.halves, time=days)
    names = [plan.name for plan in plan_checks(primary_of(dated)) if plan.kind == "period"]
    assert names[0] == "2020-01-01 to 2020-01-02"
    plain = [plan.name for plan in plan_checks(primary_of(simulate_strengths(30, 8))) if plan.kind == "period"]
    assert plain == ["matches 1 to 2", "matches 3 to 4", "matches 5 to 6", "matches 7 to 8"]


def test_fewer_matches_than_periods_have_fewer_periods() -> None:
    matches = Matches.of_pairs([0, 0], [1, 1], [1, 0])
    assert len([plan for plan in plan_checks(primary_of(matches)) if plan.kind == "period"]) == 2


def test_a_check_is_the_analysis_of_the_changed_record() -> None:
    matches = simulate_deterministic(40, 4_000, x=70, seed=1)
    primary = replace(primary_of(matches), replicates=39)
    plans = plan_checks(primary)
    number = plans.index(named(plans, "second half of the record"))
    check = run_check((number, plans[number]), primary)
    later = matches.take(np.arange(4_000) >= 2_000)
    fit, counted = fit_best_elo(later), later.counts >= 25
    sd = float(fit.rating[counted].std(ddof=1))
    assert (check.matches, check.counted) == (2_000, int(counted.sum()))
    assert check.sd == pytest.approx(sd, rel=1e-3)
    alone = invert(Target(make_schedule(later), counted, sd, fit.k), Deterministic(), replicates=39, seed=[5])
    assert check.x_deterministic == pytest.approx(alone.estimate, abs=8)
    assert check.x_deterministic_interval is not None
    assert check.x_deterministic_interval[0] < 70 < check.x_deterministic_interval[1]
    assert check.answer == SKILL
    assert check.agrees is True


def test_the_answer_of_another_unit_is_another_question() -> None:
    matches = simulate_strengths(60, 3_000, sd=60, seed=1)
    primary = replace(primary_of(matches), skill=60.0)
    tasks = [(number, plan) for number, plan in enumerate(plan_checks(primary)) if plan.kind == "unit"]
    checks = [run_check(task, primary) for task in tasks]
    assert [check.agrees for check in checks] == [None, None, None]
    shares = [check.x_deterministic or 100 for check in checks]
    # skill accumulates: the longer the series the more of it is strength
    assert shares == sorted(shares)
    assert shares[0] > 30
    # one game of players so far apart is less of strength: spec 10 has 37% at an SD of 80
    assert shares[0] > 37 * 60 / 80


def test_too_few_players_have_no_answer() -> None:
    matches = simulate_strengths(60, 3_000)
    plan = Plan("cutoff", "players with 100+ matches", min_matches=1_000)
    check = run_check((0, plan), primary_of(matches))
    assert check == Check("cutoff", "players with 100+ matches", 3_000, 0)
    nothing = Plan("experience", "nobody", Kept.of(np.zeros(3_000, bool)))
    assert run_check((0, nothing), primary_of(matches)) == Check("experience", "nobody", 0, 0)


def test_players_who_are_not_connected_count_in_one_check() -> None:
    inside = simulate_strengths(60, 3_000, sd=200, seed=1)
    other = simulate_strengths(30, 1_000, sd=200, seed=2).pairs
    pairs = inside.pairs
    whole = Matches.of_pairs(
        np.concatenate((pairs.first, 60 + other.first)),
        np.concatenate((pairs.second, 60 + other.second)),
        np.concatenate((pairs.halves, other.halves)),
    )
    primary = primary_of(inside, whole=whole)
    plans = plan_checks(primary)
    plan = named(plans, "with the smaller groups too")
    check = run_check((plans.index(plan), plan), primary)
    assert (check.matches, check.counted) == (4_000, int((whole.counts >= 25).sum()))
    assert check.sd == pytest.approx(fit_best_elo(whole).rating[whole.counts >= 25].std(ddof=1), rel=1e-3)
    assert "component" not in kinds(plan_checks(primary_of(inside)))


def test_prizes_change_what_is_fitted() -> None:
    matches = simulate_deterministic(40, 1_500, x=40, per_match=4, seed=3)
    primary = primary_of(matches)
    plans = plan_checks(primary)
    plan = named(plans, "prizes: linear")
    check = run_check((plans.index(plan), plan), primary)
    fit = fit_best_elo(matches, prizes=LINEAR)
    assert check.sd == pytest.approx(fit.rating[matches.counts >= 25].std(ddof=1), rel=1e-3)
    assert check.x_deterministic_interval is not None
    assert check.x_deterministic_interval[0] - 4 < 40 < check.x_deterministic_interval[1] + 4


def test_two_threads_check_what_one_checks() -> None:
    primary = primary_of(simulate_strengths(20, 600, draws=0.2, seed=4))
    plans = plan_checks(primary)
    alone = run_checks(primary, plans)
    assert run_checks(primary, plans, workers=Workers(jobs=2)) == alone
    assert [check.name for check in alone] == [plan.name for plan in plans]


def test_checks_stop_when_time_is_up_and_those_that_were_run_are_whole() -> None:
    primary = primary_of(simulate_strengths(20, 600, draws=0.2, seed=4))
    plans = plan_checks(primary)
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > 2

    assert run_checks(primary, plans, stop=stop) == run_checks(primary, plans[:2])


def test_beyond_the_family_is_none() -> None:
    assert finite(np.inf) is None
    assert finite(np.float64(3)) == 3
