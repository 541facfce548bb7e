"""Drift by period: sums that play preserves, cohorts, and Smith's league of generations that deflates to a half."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings.noise.drift import measure_drift
from ludometer.ratings.systems.elo import Elo
from ludometer.read import read_matches
from ludometer.simulate import simulate_strengths
from ludometer.simulate.league import LeagueGame

UNIT = 200.0
"""Elo points in one unit of Smith's example."""


def generations(n_players: int, n_generations: int, n_rounds: int) -> Matches:
    """N beginners of strength 1 join N who have learnt to 2; all meet all; the old die, the young learn, and so on."""
    rng = np.random.default_rng(1)
    first, second, halves, time = [], [], [], []
    for generation in range(1, n_generations + 1):
        people = np.arange((generation - 1) * n_players, (generation + 1) * n_players)
        strength = np.repeat([2 * UNIT, UNIT], n_players)
        one = rng.integers(0, 2 * n_players, n_rounds)
        other = (one + rng.integers(1, 2 * n_players, n_rounds)) % (2 * n_players)
        expected = 1 / (1 + 10 ** ((strength[other] - strength[one]) / 400))
        first.append(people[one])
        second.append(people[other])
        halves.append((2 * (rng.random(n_rounds) < expected)).astype(np.int8))
        time.append(np.full(n_rounds, generation))
    return Matches.of_pairs(*(np.concatenate(column) for column in (first, second, halves)), time=np.concatenate(time))


def test_generations_that_learn_and_die_deflate_to_one_half() -> None:
    # Smith 1994, section 8.3: the mean rating in generation g is 2^-g + 1/2, newcomers being given 1
    n_generations = 6
    matches = generations(100, n_generations, 60_000)
    drift = measure_drift(matches, system=Elo(k=8, start_rating=UNIT), period=1)
    expected = 2.0 ** -np.arange(1, n_generations + 1) + 0.5
    np.testing.assert_allclose(drift.mean["active"] / UNIT, expected, atol=0.02)
    # the young sink to half a unit below the mean, which they take into the next generation
    np.testing.assert_allclose(drift.mean["entrants"][1:] / UNIT, expected[1:] - 0.5, atol=0.04)
    np.testing.assert_allclose(drift.mean["leavers"][:-1] / UNIT, expected[:-1] + 0.5, atol=0.04)
    assert np.isnan(drift.mean["leavers"][-1])
    assert drift.count["entrants"].tolist() == [200] + [100] * (n_generations - 1)
    assert drift.count["cohort"].max() == 0
    assert drift.change is None


def test_without_newcomers_nothing_drifts() -> None:
    drift = measure_drift(simulate_strengths(50, 5_000, seed=2), system=Elo(k=16))
    assert len(drift.period) == 10
    assert drift.matches.tolist() == [500] * 10
    np.testing.assert_allclose(drift.mean["active"], 1500, atol=1e-9)
    np.testing.assert_allclose(drift.mean["cohort"], 1500, atol=1e-9)
    assert drift.change == pytest.approx(0, abs=1e-9)
    assert drift.to_frame()["n_cohort"].to_list() == [50] * 10
    assert drift.to_frame()["leavers"].null_count() == 10
    assert "50 players active in every period" in drift.summary()
    assert drift.plot().to_dict()["mark"]["type"] == "line"


def test_groups_are_who_they_are_by_a_plain_loop() -> None:
    league = LeagueGame(60, games=25, learning="bounded", seed=3).play(3_000)
    matches = league.matches
    assert matches.time is not None
    drift = measure_drift(matches, system=Elo(k=32), period=20, cohort="first")
    rating: dict[int, float] = {}
    pairs, seen = matches.pairs, []
    for number in np.unique(matches.time // 20):
        here = np.flatnonzero(matches.time // 20 == number)
        for t in here:
            i, j = int(pairs.first[t]), int(pairs.second[t])
            x, y = rating.get(i, 1500.0), rating.get(j, 1500.0)
            move = 32 * (pairs.halves[t] / 2 - 1 / (1 + 10 ** ((y - x) / 400)))
            rating[i], rating[j] = x + move, y - move
        seen.append(({*pairs.first[here].tolist(), *pairs.second[here].tolist()}, dict(rating)))
    for k, (active, ratings) in enumerate(seen):
        before = set().union(*(who for who, _ in seen[:k]))
        after = set().union(*(who for who, _ in seen[k + 1 :]))
        groups = {"active": active, "entrants": active - before, "cohort": seen[0][0]}
        groups |= {"leavers": active - after} if k + 1 < len(seen) else {}
        for name, who in groups.items():
            assert drift.count[name][k] == len(who)
            if who:
                assert drift.mean[name][k] == pytest.approx(np.mean([ratings[code] for code in who]))
    assert drift.period.tolist() == [20 * k for k in range(len(seen))]


def test_learners_drive_a_league_down_that_gives_newcomers_a_fixed_rating() -> None:
    settings: dict[str, Any] = {"sd": 100, "games": 40, "learning": "unbounded", "learning_rate": 0.1, "seed": 4}
    matches = LeagueGame(200, **settings).play(40_000).matches
    drift = measure_drift(matches, system=Elo(k=32), period=40)
    ahead = (drift.mean["leavers"] - drift.mean["active"])[1:-1]
    assert ahead.mean() > 3 * ahead.std(ddof=1) / np.sqrt(len(ahead))
    # newcomers are given 1500
    assert (drift.mean["active"][1:] < 1495).all()


def test_dates_have_months_and_a_cohort_has_an_error() -> None:
    base = simulate_strengths(20, 1_200, seed=5).pairs
    days = np.datetime64("2020-01-15") + np.arange(1_200) // 10
    matches = Matches.of_pairs(base.first, base.second, base.halves, time=days)
    drift = measure_drift(matches, period="month")
    assert drift.period.astype(str).tolist() == [f"2020-0{month}-01" for month in range(1, 6)]
    assert drift.matches.sum() == 1_200
    assert drift.change_std_error is not None
    assert drift.change_std_error > 0
    assert drift.plot().to_dict()["encoding"]["x"]["type"] == "temporal"
    yearly = measure_drift(matches, period="year")
    assert yearly.change is None
    with pytest.raises(LudometerError, match="month or year"):
        measure_drift(matches, period=30)


def test_what_makes_no_periods_is_refused() -> None:
    matches = simulate_strengths(5, 50, seed=6)
    with pytest.raises(LudometerError, match="no times"):
        measure_drift(matches, period=1)
    timed = Matches.of_pairs([0, 1], [1, 2], [1, 1], time=[1, 2])
    for period in ("month", 0, float("nan")):
        with pytest.raises(LudometerError, match="above 0"):
            measure_drift(timed, period=period)
    with pytest.raises(LudometerError, match="cohort"):
        measure_drift(timed, cohort="last")  # type: ignore[arg-type]
    with pytest.raises(MatchDataError):
        measure_drift(Matches.of_pairs([], [], []))


def test_chess_players_who_stay_are_rated_higher_than_those_who_leave(shared_data: Path) -> None:
    matches = read_matches(shared_data / "chess_kaggle2010.parquet")
    drift = measure_drift(matches, cohort="first")
    assert drift.matches.sum() == len(matches)
    assert (drift.mean["leavers"] < drift.mean["active"])[1:-1].all()
    assert drift.count["entrants"].sum() == (matches.counts > 0).sum()
    # weak players leave, so those who stay rise without getting better
    assert drift.change is not None
    assert drift.change_std_error is not None
    assert drift.change > 3 * drift.change_std_error
