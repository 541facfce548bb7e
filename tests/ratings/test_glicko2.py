"""Glicko-2: its published example, a second route period by period, and what periods are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.kernels.systems.glicko2 import newcomers
from ludometer.matches import Matches
from ludometer.ratings.periods import periods_of
from ludometer.ratings.systems.glicko2 import Glicko2, GlickoState
from ludometer.scale import from_elo
from tests.ratings.test_systems import league

SCALE = 173.7178


def test_the_published_example() -> None:
    """Glickman, Example of the Glicko-2 system: mu' -0.2069, phi' 0.8722, sigma' 0.05999, as printed."""
    player = newcomers(4, 1.0, 0.06)
    player[:, 0] = from_elo(np.array([0.0, -100, 50, 200]))
    player[:, 1] = from_elo(np.array([200.0, 30, 100, 300]))
    system = Glicko2(tau=0.5, period_matches=3)
    matches = Matches.of_pairs([0, 0, 0], [1, 2, 3], [1, 0, 0])
    state, _ = system.play(GlickoState(player, 0, 0, True), matches)
    rating, deviation = system.ratings(state)[0], system.uncertainty(state)[0]
    assert f"{(rating - 1500) / SCALE:.4f}" == "-0.2069"
    assert f"{deviation / SCALE:.4f}" == "0.8722"
    assert f"{deviation:.2f}" == "151.52"
    assert math.floor(1e5 * system.volatilities(state)[0]) == 5999
    # printed from the rounded mu': 1464.06; without rounding 1464.05
    assert rating == pytest.approx(1500 - SCALE * 0.2069, abs=SCALE * 0.00005)


def by_periods(matches: Matches, period: list[int], n: int, tau: float = 0.5) -> tuple[Floats, Floats, list[float]]:
    """All players updated in each period, as Glickman writes it, the volatility by another root finder."""
    mu, phi, sigma = np.zeros(n), np.full(n, 350 / SCALE), np.full(n, 0.06)
    pairs, forecasts = matches.pairs, []
    rows = list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.score.tolist(), strict=True))
    known = np.zeros(n, bool)

    def g(deviation: float) -> float:
        return 1 / math.sqrt(1 + 3 * deviation**2 / math.pi**2)

    for now in range(min(period), max(period) + 1):
        here = [row for row, when in zip(rows, period, strict=True) if when == now]
        sums = np.zeros((n, 2))
        for i, j, s in here:
            forecasts.append(1 / (1 + math.exp(-g(math.hypot(phi[i], phi[j])) * (mu[i] - mu[j]))))
            for a, b, score in ((i, j, s), (j, i, 1 - s)):
                e = 1 / (1 + math.exp(-g(phi[b]) * (mu[a] - mu[b])))
                sums[a] += g(phi[b]) ** 2 * e * (1 - e), g(phi[b]) * (score - e)
        played = {k for row in here for k in row[:2]}
        known[list(played)] = True
        for k in range(n):
            if k not in played:
                phi[k] = min(math.hypot(phi[k], sigma[k]), 350 / SCALE) if known[k] else phi[k]
                continue
            v = 1 / sums[k, 0]
            delta = v * sums[k, 1]
            a = math.log(sigma[k] ** 2)

            def f(x: float, phi2: float = phi[k] ** 2, v: float = v, delta: float = delta, a: float = a) -> float:
                e = math.exp(x)
                return e * (delta**2 - phi2 - v - e) / (2 * (phi2 + v + e) ** 2) - (x - a) / tau**2

            sigma[k] = math.exp(brentq(f, a - 20, a + 20, xtol=1e-12) / 2)
            phi[k] = 1 / math.sqrt(1 / (phi[k] ** 2 + sigma[k] ** 2) + 1 / v)
            mu[k] += phi[k] ** 2 * sums[k, 1]
            phi[k] = min(phi[k], 350 / SCALE)
    return 1500 + SCALE * mu, SCALE * phi, forecasts


@pytest.mark.parametrize("days", [1, 7, 30])
def test_it_is_that_of_sweeps_over_all_players_in_each_period(days: int) -> None:
    matches = league()
    assert matches.time is not None
    system = Glicko2(period=days)
    state, expected = system.play(system.start(0), matches)
    period = [int(day) // days for day in matches.time.astype(int)]
    rating, deviation, forecasts = by_periods(matches, period, len(matches.players))
    # Glickman's own root stops at 1e-6 in the log of the variance
    np.testing.assert_allclose(expected, forecasts, atol=1e-5)
    np.testing.assert_allclose(system.ratings(state), rating, atol=1e-2)
    np.testing.assert_allclose(system.uncertainty(state), deviation, atol=1e-2)


def test_forecasts_within_a_period_are_made_before_it() -> None:
    system = Glicko2(period_matches=3)
    _, expected = system.play(system.start(0), Matches.of_pairs([0] * 4, [1] * 4, [1] * 4))
    assert expected[:3].tolist() == [0.5] * 3
    assert expected[3] > 0.7


def test_pauses_make_a_rating_less_certain_but_no_less_than_a_newcomers() -> None:
    days = np.datetime64("2020-01-01") + np.array([0] * 30 + [10 * 365, 1_000 * 365])
    matches = Matches.of_pairs([0] * 30 + [2, 2], [1] * 30 + [3, 3], [1, 0] * 16, time=days)
    system = Glicko2(period=7)
    sure, decade, long = (
        system.uncertainty(system.play(system.start(0), matches.part(0, n))[0])[0] for n in (30, 31, 32)
    )
    assert sure < decade < long
    assert long == pytest.approx(350)


def test_periods_are_absolute() -> None:
    dates = np.array(["1969-12-31", "1970-01-01", "1970-01-07", "1970-01-08"], "datetime64[D]")
    of_dates = Matches.of_pairs([0] * 4, [1] * 4, [1] * 4, time=dates)
    assert periods_of(of_dates, 0, days=None, games=None)[0].tolist() == [-1, 0, 0, 1]
    assert periods_of(of_dates.part(2, 4), 2, days=None, games=None)[0].tolist() == [0, 1]
    assert periods_of(of_dates, 5, days=None, games=3)[0].tolist() == [1, 2, 2, 2]
    hours = Matches.of_pairs([0] * 4, [1] * 4, [1] * 4, time=dates.astype("datetime64[us]"))
    assert periods_of(hours, 0, days=0.5, games=None)[0].tolist() == [-2, 0, 12, 14]
    months = Matches.of_pairs([0] * 3, [1] * 3, [1] * 3, time=[1, 1, 2])
    assert periods_of(months, 0, days=None, games=None)[0].tolist() == [1, 1, 2]
    bare = Matches.of_pairs([0] * 3, [1] * 3, [1] * 3)
    assert periods_of(bare, 4, days=None, games=None)[0].tolist() == [4, 5, 6]
    assert not periods_of(bare, 4, days=None, games=None)[1]
    with pytest.raises(MatchDataError, match="a rating period in days needs times"):
        periods_of(bare, 0, days=7, games=None)


@pytest.mark.parametrize(
    "parameters",
    [
        {"tau": 0},
        {"deviation": -1},
        {"volatility": float("nan")},
        {"period": 0},
        {"period_matches": 2.5},
        {"period": 7, "period_matches": 100},
    ],
)
def test_impossible_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(LudometerError):
        Glicko2(**parameters)  # type: ignore[arg-type]
