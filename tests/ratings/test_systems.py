"""What holds for every rating system of two players: halves, newcomers, names, seats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings import rate
from ludometer.ratings.systems.dynamic import Dynamic, DynamicShrinking
from ludometer.ratings.systems.federation import Federation
from ludometer.ratings.systems.glicko2 import Glicko2
from ludometer.ratings.systems.ics import InternetChess
from ludometer.ratings.systems.smith import FittedSmith
from ludometer.scale import expected_score
from ludometer.simulate import simulate_strengths

SYSTEMS: list[Any] = [
    Dynamic(h=64),
    Dynamic(h=lambda x: 40 + x / 10),
    Dynamic(h=64, curve=lambda x: expected_score(1.3 * x)),
    Dynamic(h=64, retire_after=12),
    DynamicShrinking(h=300, floor=20),
    DynamicShrinking(h=300, curve=lambda x: expected_score(1.3 * x)),
    InternetChess(),
    InternetChess(provisional=3),
    FittedSmith(h=40, sd=250),
    FittedSmith(h=40, sd=250, games=2),
    Glicko2(),
    Glicko2(period="match"),
    Glicko2(period=1),
    Glicko2(period_matches=40),
    Federation(),
    Federation(period_matches=70, averages=True, floor=1400, drop=100, bonus=5, newcomer_mean=1450),
]
LABELS = [f"{place} {system.name}" for place, system in enumerate(SYSTEMS)]


def league(n_players: int = 60, n_matches: int = 1_500, seed: int = 3) -> Matches:
    """Players who come and go: at each time only a window of them plays."""
    rng = np.random.default_rng(seed)
    window = (np.arange(n_matches) * (n_players - 12)) // n_matches
    first = window + rng.integers(0, 12, n_matches)
    second = window + (first - window + rng.integers(1, 12, n_matches)) % 12
    skill = rng.normal(0, 250, n_players)
    draw = rng.random(n_matches) < 0.2
    won = rng.random(n_matches) < expected_score(skill[first] - skill[second])
    days = np.datetime64("1969-12-20") + np.arange(n_matches) // 20
    return Matches.of_pairs(first, second, np.where(draw, 0.5, won), time=days, players=Players.numbered(n_players))


def arrays(state: Any) -> list[Any]:
    return [value for value in vars(state).values() if isinstance(value, np.ndarray)]


@pytest.mark.parametrize("system", SYSTEMS, ids=LABELS)
def test_parts_equal_the_whole_bit_for_bit(system: Any) -> None:
    whole = league()
    state, expected = system.play(system.start(0), whole)
    for cuts in ([700], [1, 333, 334, 1499], [0, 1500]):
        part, forecasts = system.start(0), list[Any]()
        for low, high in zip([0, *cuts], [*cuts, 1500], strict=True):
            before = [array.copy() for array in arrays(part)]
            after, early = system.play(part, whole.part(low, high))
            for old, now in zip(before, arrays(part), strict=True):
                np.testing.assert_array_equal(old, now)
            part, forecasts = after, [*forecasts, early]
        np.testing.assert_array_equal(np.concatenate(forecasts), expected)
        np.testing.assert_array_equal(system.ratings(part), system.ratings(state))


@pytest.mark.parametrize("system", SYSTEMS, ids=LABELS)
def test_newcomers_enter_by_codes_beyond_the_state(system: Any) -> None:
    whole = league()
    pairs = whole.pairs
    state, expected = system.play(system.start(0), whole)
    n_early = int(max(pairs.first[:500].max(), pairs.second[:500].max())) + 1
    assert whole.time is not None
    assert n_early < 60
    first = Matches.of_pairs(
        pairs.first[:500],
        pairs.second[:500],
        pairs.halves[:500],
        time=whole.time[:500],
        players=Players.numbered(n_early),
    )
    begun, early = system.play(system.start(0), first)
    ended, late = system.play(begun, whole.part(500, 1500))
    np.testing.assert_array_equal(np.concatenate((early, late)), expected)
    np.testing.assert_array_equal(system.ratings(ended), system.ratings(state))


@pytest.mark.parametrize("system", SYSTEMS, ids=LABELS)
def test_swapping_seats_mirrors_the_forecasts(system: Any) -> None:
    whole = league()
    pairs = whole.pairs
    mirrored = Matches.of_pairs(pairs.second, pairs.first, 1 - pairs.score, time=whole.time)
    _, expected = system.play(system.start(0), whole)
    _, others = system.play(system.start(0), mirrored)
    np.testing.assert_allclose(others, 1 - expected, atol=1e-9)


@pytest.mark.parametrize("system", SYSTEMS, ids=LABELS)
def test_forecasts_are_better_than_a_coin_and_lie_inside(system: Any) -> None:
    whole = league(seed=5)
    state, expected = system.play(system.start(0), whole)
    assert (expected > 0).all()
    assert (expected < 1).all()
    score = whole.pairs.score
    assert -(score * np.log(expected) + (1 - score) * np.log(1 - expected)).mean() < np.log(2)
    first, second = np.array([3, 50], np.int32), np.array([50, 3], np.int32)
    assert system.expect(state, first, second).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "system", [SYSTEMS[k] for k in (0, 1, 2, 4, 6, 8)], ids=[LABELS[k] for k in (0, 1, 2, 4, 6, 8)]
)
def test_what_is_expected_next_is_what_the_next_match_is_forecast(system: Any) -> None:
    whole = league()
    state, _ = system.play(system.start(0), whole.part(0, 1000))
    _, forecast = system.play(state, whole.part(1000, 1001))
    pairs = whole.pairs
    now = system.expect(state, pairs.first[1000:1001], pairs.second[1000:1001])
    # smith and ics rate newcomers when they first play
    assert now == pytest.approx(forecast, abs=1e-12)


def test_systems_that_know_how_sure_they_are_fill_the_list() -> None:
    matches = simulate_strengths(30, 2_000, seed=1)
    for system, low, high in ((Glicko2(), 20, 120), (FittedSmith(h=40, sd=250), 30, 60)):
        sd = rate(matches, system=system).sd
        assert sd is not None
        assert (sd > low).all()
        assert (sd < high).all()
    assert rate(matches, system=Dynamic()).sd is None
