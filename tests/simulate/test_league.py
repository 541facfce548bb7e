"""Leagues have the truth that was asked for, settle where theory says, and show what inflation is and what stops it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.ratings.driver import rate
from ludometer.ratings.noise.noise import measure_noise, optimal_step
from ludometer.ratings.systems.elo import Elo
from ludometer.simulate.league import LeagueGame, simulate_league

ELO = 400 / np.log(10)
H_ROOT = ELO / 4
"""max pq / (4 wp'), by which h is multiplied."""


def test_players_stay_for_their_games_and_the_league_keeps_its_size() -> None:
    league = LeagueGame(100, games=20, seed=1).play(10_000)
    gone = league.left >= 0
    new = league.entered >= 0
    assert (league.played[gone & new] == 20).all()
    assert (league.played[~gone] <= 20).all()
    assert (~gone).sum() == 100
    np.testing.assert_array_equal(league.played, league.matches.counts)
    assert league.skill.std() == pytest.approx(200, abs=4 * 200 / np.sqrt(2 * len(league.skill)))
    frame = league.to_frame()
    assert frame["left"].null_count() == 100
    assert frame.columns[:2] == ["player", "skill"]
    assert "still present" in league.summary()
    assert league.plot().to_dict()["mark"]["type"] == "point"


def test_exponential_lifetimes_have_the_mean_that_was_asked_for() -> None:
    league = LeagueGame(500, games=10, lifetimes="exponential", seed=2).play(50_000)
    # those who enter late are seen only if they leave soon
    done = (league.left >= 0) & (league.entered >= 0) & (league.entered < 60)
    played = league.played[done]
    assert played.mean() == pytest.approx(10, abs=4 * 10 / np.sqrt(len(played)))
    assert played.std() == pytest.approx(np.sqrt(90), rel=0.05)


def test_results_follow_the_skills_of_the_moment_and_ratings_are_those_of_elo() -> None:
    league = LeagueGame(60, lifetimes="endless", step=48, seed=3).play(20_000)
    pairs = league.matches.pairs
    expected = 1 / (1 + 10 ** ((league.skill[pairs.second] - league.skill[pairs.first]) / 400))
    for low in np.arange(0, 1, 0.2):
        here = (expected >= low) & (expected < low + 0.2)
        assert pairs.score[here].mean() == pytest.approx(expected[here].mean(), abs=4 * np.sqrt(0.25 / here.sum()))
    # h is twice k
    np.testing.assert_allclose(rate(league.matches, system=Elo(k=24, start_rating=0)).rating, league.rating, atol=1e-6)


def test_a_record_has_the_same_matches_whole_and_in_batches() -> None:
    game = LeagueGame(50, games=30, learning="unbounded", seed=4)
    whole = game.play(70_000).matches
    batches = list(game.batches(70_000))
    assert len(batches) > 1
    np.testing.assert_array_equal(np.concatenate([batch.pairs.halves for batch in batches]), whole.pairs.halves)
    np.testing.assert_array_equal(np.concatenate([batch.pairs.first for batch in batches]), whole.pairs.first)
    assert whole.time is not None
    assert (np.diff(whole.time) >= 0).all()
    assert whole.time[-1] == 2 * 69_999 // 50
    assert simulate_league(50, 1_000, games=30, seed=4).fingerprint != simulate_league(50, 1_000, seed=5).fingerprint
    shorter = simulate_league(50, 1_000, games=30, learning="unbounded", seed=4)
    assert shorter.fingerprint == whole.part(0, 1_000).fingerprint


def test_learners_spread_as_the_fluid_equation_says() -> None:
    # L = c7 exp(-R), D = 1 / G: p(R) = c8 exp(c8 + R - c8 exp(R)) with c8 = D / c7
    rate_of_learning, games = 0.1, 50
    game = LeagueGame(
        20_000, sd=0, games=games, lifetimes="exponential", learning="unbounded", learning_rate=rate_of_learning, seed=6
    )
    league = game.play(20_000 * games)
    skill = np.sort(league.skill[league.left < 0]) / ELO
    c8 = 1 / (games * rate_of_learning)
    share = -np.expm1(c8 - c8 * np.exp(skill))
    # ages are whole numbers of games, the density is for continuous time: the first ages differ by half a game
    late = skill > np.log1p(5 * rate_of_learning)
    assert np.abs(share - np.arange(1, len(skill) + 1) / len(skill))[late].max() < 0.02


def test_bounded_learners_never_pass_their_best() -> None:
    league = LeagueGame(500, sd=0, games=200, learning="bounded", learning_gain=300, learning_rate=0.05, seed=7).play(
        100_000
    )
    assert 299 < league.skill.max() < 300
    young = league.played == 10
    here = young & (league.entered >= 0)
    np.testing.assert_allclose(league.skill[here], 300 * (1 - np.exp(-0.5)), rtol=1e-9)


@pytest.mark.parametrize("by", ["skill", "rating"])
def test_matchmaking_brings_equals_together(by: Any) -> None:
    league = LeagueGame(300, lifetimes="endless", matchmaking=by, window=50, step=64, seed=8).play(40_000)
    late = league.matches.part(20_000, 40_000).pairs
    gap = np.abs(league.skill[late.first] - league.skill[late.second])
    at_random = 200 * 2 / np.sqrt(np.pi)
    if by == "skill":
        assert (gap <= 50).mean() > 0.95
    assert gap.mean() < 0.6 * at_random


@pytest.mark.parametrize(("step", "sd"), [(16.0, 200.0), (64.0, 324.0)])
def test_settled_noise_is_what_the_formulas_say(step: float, sd: float) -> None:
    league = LeagueGame(1000, sd=sd, games=100, lifetimes="endless", start="truth", step=step, seed=9)
    history = league.follow(6, warm_up=8)
    formula = measure_noise(sd=sd, games=100, step=step)
    assert history.total_noise == pytest.approx(formula.fluctuation, rel=0.06)
    assert history.total_noise == pytest.approx(formula.refined_fluctuation, rel=0.025)


@pytest.mark.parametrize(
    "settings",
    [
        {"sd": 324, "games": 35},
        {"sd": 150, "games": 100},
        {"sd": 324, "games": 35, "entry_error": 100},
        {"sd": 324, "games": 35, "lifetimes": "exponential"},
    ],
)
def test_at_our_step_the_noise_is_near_the_least(settings: dict[str, Any]) -> None:
    ours = optimal_step(**settings)
    noise = [
        LeagueGame(1500, step=factor * ours, seed=10, **settings).follow(3, warm_up=2).total_noise
        for factor in (0.6, 0.8, 1.0, 1.25, 1.6)
    ]
    assert noise[2] < 1.03 * min(noise)
    assert max(noise[0], noise[-1]) > 1.01 * noise[2]
    assert noise[2] == pytest.approx(measure_noise(step=ours, **settings).refined_total, rel=0.05)


def test_errors_end_at_the_same_size_whatever_the_start() -> None:
    # Smith 1994, claim 10, with the constant put right: the mean square error ends at about h max pq / (4 wp')
    step, n = 32.0, 400
    pairs = LeagueGame(n, lifetimes="endless", sd=200, seed=11).play(300_000)
    skill = pairs.skill - pairs.skill.mean()
    table = pairs.matches.pairs
    rng = np.random.default_rng(12)
    from ludometer.kernels.systems.elo import elo_pass

    for start in (np.zeros(n), skill, -skill, 700 * rng.standard_normal(n)):
        rating = ((start - start.mean()) / ELO)[:, np.newaxis].copy()
        squares = []
        for part in range(0, 300_000, 10_000):
            cut = slice(part, part + 10_000)
            elo_pass(
                table.first[cut],
                table.second[cut],
                table.halves[cut],
                rating,
                step / 2 / ELO,
                np.empty(0),
                np.empty((0, 2)),
            )
            squares.append(float(np.mean((ELO * rating[:, 0] - skill) ** 2)))
        assert np.mean(squares[15:]) == pytest.approx(step * H_ROOT, rel=0.1)


def learners(**changes: Any) -> LeagueGame:
    settings: dict[str, Any] = {
        "sd": 100,
        "games": 40,
        "lifetimes": "exponential",
        "learning": "unbounded",
        "learning_rate": 0.1,
        "start": "truth",
        "step": 64,
        "seed": 13,
    }
    return LeagueGame(300, **(settings | changes))


def test_sharing_out_what_leavers_gained_stops_deflation() -> None:
    left_alone, shared = (learners(shares_out=shares).follow(100) for shares in (False, True))
    # learners leave with more than they came with, and the rest sink to what newcomers are given
    assert left_alone.mean_rating[0] - left_alone.mean_rating[-1] > 50
    assert np.abs(left_alone.mean_rating[20:]).max() < 40
    assert np.abs(shared.mean_rating - shared.mean_rating[0]).max() < 2
    assert np.abs(shared.bias).mean() < 0.2 * np.abs(left_alone.bias[20:]).mean()
    np.testing.assert_array_equal(shared.mean_skill, left_alone.mean_skill)
    assert shared.to_frame().shape == (100, 6)
    assert "100 generations" in shared.summary()
    assert shared.plot().to_dict()["mark"]["type"] == "line"
    assert shared.noise_std_error < 5


@pytest.mark.parametrize(
    "settings",
    [
        {"n_players": 1},
        {"sd": -1.0},
        {"games": 0.5},
        {"lifetimes": "long"},
        {"learning": "fast"},
        {"matchmaking": "luck"},
        {"start": "top"},
        {"step": float("nan")},
        {"entry_error": 300.0},
        {"seed": -1},
    ],
)
def test_impossible_leagues_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(LudometerError):
        LeagueGame(**({"n_players": 5} | settings))


def test_no_match_is_no_league() -> None:
    with pytest.raises(LudometerError, match="at least 1 match"):
        LeagueGame(5).play(0)
