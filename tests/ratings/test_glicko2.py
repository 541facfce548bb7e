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


def g(deviation: float) -> float:
    return 1 / math.sqrt(1 + 3 * deviation**2 / math.pi**2)


def new_volatility(sigma: float, phi: float, v: float, delta: float, tau: float, passed: float = 1.0) -> float:
    """Glickman's step 5 by another root finder."""
    a = math.log(sigma**2)

    def f(x: float) -> float:
        e = passed * math.exp(x)
        return e * (delta**2 - phi**2 - v - e) / (2 * (phi**2 + v + e) ** 2) - (x - a) / tau**2

    return math.exp(brentq(f, a - 20, a + 20, xtol=1e-12) / 2)


def bounded(step: float, variance: float, played: list[tuple[float, float, float]]) -> float:
    """A step beyond one deviation, no further than to the mode of as many equal matches; rows of g, E and S."""
    if abs(step) <= math.sqrt(variance):
        return step
    n, weight = len(played), sum(one for one, _, _ in played)
    mean = weight / n
    e = 0.5 - math.sqrt(max(0.25 - sum(one**2 * e * (1 - e) for one, e, _ in played) / (n * mean**2), 0.0))
    surplus = abs(sum(one * (s - e) for one, e, s in played)) / weight

    def slope(x: float) -> float:
        here = 1 / (1 + math.exp(-math.log(e / (1 - e)) - mean * x))
        return x - variance * weight * (min(e + surplus, 1.0) - here)

    likely = abs(step) if slope(abs(step)) < 0 else brentq(slope, 0, abs(step), xtol=1e-12)
    return math.copysign(max(math.sqrt(variance), likely), step)


def by_periods(matches: Matches, period: list[int], n: int, tau: float = 0.5) -> tuple[Floats, Floats, list[float]]:
    """All players updated in each period, as Glickman writes it, the volatility by another root finder."""
    mu, phi, sigma = np.zeros(n), np.full(n, 350 / SCALE), np.full(n, 0.06)
    pairs, forecasts = matches.pairs, []
    rows = list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.score.tolist(), strict=True))
    known = np.zeros(n, bool)

    for now in range(min(period), max(period) + 1):
        here = [row for row, when in zip(rows, period, strict=True) if when == now]
        sums = np.zeros((n, 2))
        played_by: dict[int, list[tuple[float, float, float]]] = {}
        for i, j, s in here:
            forecasts.append(1 / (1 + math.exp(-g(math.hypot(phi[i], phi[j])) * (mu[i] - mu[j]))))
            for a, b, score in ((i, j, s), (j, i, 1 - s)):
                e = 1 / (1 + math.exp(-g(phi[b]) * (mu[a] - mu[b])))
                sums[a] += g(phi[b]) ** 2 * e * (1 - e), g(phi[b]) * (score - e)
                played_by.setdefault(a, []).append((g(phi[b]), e, score))
        played = {k for row in here for k in row[:2]}
        known[list(played)] = True
        for k in range(n):
            if k not in played:
                phi[k] = min(math.hypot(phi[k], sigma[k]), 350 / SCALE) if known[k] else phi[k]
                continue
            v = 1 / sums[k, 0]
            delta = v * sums[k, 1]
            sigma[k] = new_volatility(sigma[k], phi[k], v, delta, tau)
            variance = phi[k] ** 2 + sigma[k] ** 2
            phi[k] = 1 / math.sqrt(1 / variance + 1 / v)
            mu[k] += bounded(phi[k] ** 2 * sums[k, 1], variance, played_by[k])
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


def match_by_match(
    matches: Matches, time: list[float] | None, n: int, system: Glicko2
) -> tuple[Floats, Floats, Floats, list[float]]:
    """Each match a period of its own, with deviations that grow in time."""
    mu, phi, sigma = np.zeros(n), np.full(n, system.deviation / SCALE), np.full(n, system.volatility)
    last: dict[int, float] = {}
    pairs, forecasts = matches.pairs, []
    for t, (i, j, s) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.score.tolist(), strict=True)):
        passed = {k: 0.0 if k not in last else 1.0 if time is None else time[t] - last[k] for k in (i, j)}
        grown = {k: min(math.sqrt(phi[k] ** 2 + passed[k] * sigma[k] ** 2), system.deviation / SCALE) for k in (i, j)}
        forecasts.append(1 / (1 + math.exp(-g(math.hypot(grown[i], grown[j])) * (mu[i] - mu[j]))))
        moved = {}
        for a, b, score in ((i, j, s), (j, i, 1 - s)):
            e = 1 / (1 + math.exp(-g(grown[b]) * (mu[a] - mu[b])))
            v = 1 / (g(grown[b]) ** 2 * e * (1 - e))
            surprise = g(grown[b]) * (score - e)
            if passed[a] > 0:
                sigma[a] = new_volatility(sigma[a], phi[a], v, v * surprise, system.tau, passed[a])
            variance = min(phi[a] ** 2 + passed[a] * sigma[a] ** 2, (system.deviation / SCALE) ** 2)
            after = 1 / (1 / variance + 1 / v)
            moved[a] = bounded(after * surprise, variance, [(g(grown[b]), e, score)])
            phi[a] = math.sqrt(after)
        for k, step in moved.items():
            mu[k] += step
            last[k] = 0.0 if time is None else time[t]
    for k, when in last.items():
        passed_now = 1.0 if time is None else time[-1] - when
        phi[k] = min(math.sqrt(phi[k] ** 2 + passed_now * sigma[k] ** 2), system.deviation / SCALE)
    return 1500 + SCALE * mu, SCALE * phi, sigma, forecasts


@pytest.mark.parametrize("timed", [True, False])
def test_a_match_at_a_time_is_that_of_a_few_lines_of_python(timed: bool) -> None:
    matches = league()
    pairs = matches.pairs
    assert matches.time is not None
    time = [int(day) / 7 for day in matches.time.astype(int)]
    if not timed:
        matches = Matches.of_pairs(pairs.first, pairs.second, pairs.score)
    system = Glicko2(period="match", tau=0.7, deviation=250, volatility=0.1)
    state, expected = system.play(system.start(0), matches)
    found = match_by_match(matches, time if timed else None, len(matches.players), system)
    np.testing.assert_allclose(expected, found[3], atol=1e-5)
    np.testing.assert_allclose(system.ratings(state), found[0], atol=1e-2)
    np.testing.assert_allclose(system.uncertainty(state), found[1], atol=1e-2)
    np.testing.assert_allclose(system.volatilities(state), found[2], rtol=1e-5)


def test_a_match_at_a_time_knows_earlier_matches_of_the_day_and_pauses() -> None:
    days = np.datetime64("2020-01-01") + np.array([0, 0, 0, 365])
    matches = Matches.of_pairs([0, 0, 0, 2], [1, 1, 1, 3], [1, 1, 1, 1], time=days)
    each = Glicko2(period="match")
    _, expected = each.play(each.start(0), matches)
    _, by_day = Glicko2(period=1).play(Glicko2(period=1).start(0), matches)
    assert 0.5 == expected[0] < expected[1] < expected[2]
    assert by_day[:3].tolist() == [0.5] * 3
    sure = each.uncertainty(each.play(each.start(0), matches.part(0, 3))[0])[0]
    paused = each.uncertainty(each.play(each.start(0), matches)[0])[0]
    # a year is 365 / 7 weeks
    assert paused == pytest.approx(math.hypot(sure, SCALE * 0.06 * math.sqrt(365 / 7)), rel=1e-3)


def after_wins(lead: float, n: int, deviation: float = 60.0) -> float:
    """Where a newcomer stands after beating so many players with this lead in one period."""
    player = newcomers(n + 1, from_elo(350.0), 0.06)
    player[1:, 0], player[1:, 1], player[1:, 3] = from_elo(lead), from_elo(deviation), 0
    system = Glicko2(period_matches=n)
    matches = Matches.of_pairs([0] * n, list(range(1, n + 1)), [1] * n)
    return float(system.ratings(system.play(GlickoState(player, n, 0, True), matches)[0])[0]) - 1500


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("lead", [0.0, 300.0, 650.0, 1200.0])
def test_no_rating_jumps_beyond_what_its_matches_tell(lead: float, n: int) -> None:
    # the most likely rating under the newcomer's prior, by a plain root of the slope
    variance, weight = (350 / SCALE) ** 2 + 0.06**2, g(60 / SCALE)

    def slope(x: float) -> float:
        return x / variance - n * weight / (1 + math.exp(weight * (x - lead / SCALE)))

    likely = SCALE * brentq(slope, 0, 100)
    found = after_wins(lead, n)
    assert found <= max(350.2, likely + 0.1)
    # Glickman's own step would be 3,044 points: 4,544 for a newcomer
    assert after_wins(650, 7) < 1_000
    assert found > min(likely, 350) * 0.8


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
        {"period": "match", "period_matches": 100},
        {"period": "day"},
    ],
)
def test_impossible_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(LudometerError):
        Glicko2(**parameters)  # type: ignore[arg-type]
