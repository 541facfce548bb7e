"""Static ratings as a rating system: parts equal the whole, forecasts know only the past, the end is the library's."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import Elo, evaluate, rate
from ludometer.ratings.systems.static import Static
from ludometer.simulate.strengths import StrengthGame, simulate_strengths
from ludometer.strength.expected import expected_ratings, fit_normal_prior, marginal_sd
from ludometer.strength.priors import LearningPrior, NormalPrior

LEAGUE = simulate_strengths(60, 1200, sd=200, draws=0.2, seed=1)
SYSTEMS = [Static(), Static(sd=150), Static(refit=100), Static(prior=LearningPrior(0.1))]


@settings(deadline=None, max_examples=4)
@given(st.lists(st.integers(0, 1200), max_size=4), st.sampled_from(SYSTEMS))
def test_playing_parts_equals_playing_the_whole_bit_for_bit(cuts: list[int], system: Static) -> None:
    whole, expected = system.play(system.start(0), LEAGUE)
    state, parts = system.start(0), []
    ends = [0, *sorted(cuts), len(LEAGUE)]
    for begin, end in pairwise(ends):
        part = LEAGUE.part(begin, end)
        # as in a stream, where later players are not known yet
        known = int(max(LEAGUE.pairs.first[:end].max(initial=0), LEAGUE.pairs.second[:end].max(initial=0))) + 1
        state, forecast = system.play(state, Matches(Players.numbered(known), part.table))
        parts.append(forecast)
    assert np.array_equal(np.concatenate(parts), expected)
    assert np.array_equal(system.ratings(state), system.ratings(whole))
    assert np.array_equal(system.uncertainty(state), system.uncertainty(whole))


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_a_forecast_knows_nothing_of_its_match_and_of_later_ones(system: Static) -> None:
    pairs = LEAGUE.pairs
    halves = pairs.halves.copy()
    halves[700:] = 2 - halves[700:]
    changed = Matches.of_pairs(pairs.first, pairs.second, halves, players=LEAGUE.players)
    _, expected = system.play(system.start(60), LEAGUE)
    _, others = system.play(system.start(60), changed)
    assert np.array_equal(expected[:701], others[:701])
    assert not np.array_equal(expected[701:], others[701:])


def test_rate_gives_the_expected_ratings_of_all_results() -> None:
    found = expected_ratings(LEAGUE, prior=NormalPrior(1500, 150))
    system = Static(sd=150)
    state, _ = system.play(system.start(0), LEAGUE)
    assert rate(LEAGUE, system=system).rating == pytest.approx(found.rating, abs=1e-5)
    assert system.uncertainty(state) == pytest.approx(marginal_sd(LEAGUE, found), abs=1e-3)
    one, two = np.array([0]), np.array([1])
    difference = found.rating[0] - found.rating[1]
    assert system.expect(state, one, two)[0] == pytest.approx(1 / (1 + 10 ** (-difference / 400)), abs=1e-7)


def test_an_sd_that_is_not_given_is_estimated() -> None:
    prior = fit_normal_prior(LEAGUE, mean=1500)
    found = expected_ratings(LEAGUE, prior=prior)
    # both searches end within a thousandth of the SD
    assert rate(LEAGUE, system=Static()).rating == pytest.approx(found.rating, abs=1)


def test_forecasts_of_constant_players_beat_elo() -> None:
    matches = simulate_strengths(200, 20_000, sd=200, seed=5)
    scores = evaluate(matches, systems=[Static(), Elo(k=24), Elo(k=12)])
    static, *others = (score.log_loss for score in scores.systems)
    assert static < min(others)


def test_ratings_are_those_of_the_true_skills() -> None:
    game, matches = StrengthGame(200, 200.0, seed=5), simulate_strengths(200, 20_000, sd=200, seed=5)
    system = Static()
    state, _ = system.play(system.start(0), matches)
    z = (system.ratings(state) - 1500 - game.skill + game.skill.mean()) / system.uncertainty(state)
    # 200 players: the mean square of z has a standard error of 0.1
    assert abs((z**2).mean() - 1) < 0.3


def test_nobody_has_played_yet() -> None:
    system = Static(sd=120, start_rating=1000)
    state = system.start(3)
    assert system.ratings(state).tolist() == [1000] * 3
    assert system.uncertainty(state) == pytest.approx([120] * 3)
    assert system.expect(state, np.array([0]), np.array([2])).tolist() == [0.5]


def test_when_to_fit_depends_on_the_count_alone() -> None:
    every, growing = Static(refit=100), Static(refit=0.5)
    assert [every._next_fit(n) for n in (0, 99, 100, 250)] == [100, 100, 200, 300]
    assert [growing._next_fit(n) for n in (0, 49, 50, 74, 75)] == [50, 50, 75, 75, 113]


def test_what_cannot_be_is_refused() -> None:
    wrongs: list[dict[str, Any]] = [{"sd": 0.0}, {"sd": -1.0}, {"refit": 0.0}, {"refit": 1.5}, {"start_rating": np.nan}]
    for wrong in wrongs:
        with pytest.raises(LudometerError):
            Static(**wrong)
    with pytest.raises(LudometerError, match="infinitely"):
        Static(sd=np.inf)
    with pytest.raises(LudometerError, match="not both"):
        Static(sd=200, prior=NormalPrior(0, 200))
    several = Matches.of_seats([0, 3], [0, 1, 2], [1, 2, 3])
    with pytest.raises(MatchDataError, match="two-player matches"):
        rate(several, system=Static())
