"""Dynamic systems by a second route, refused steps, and retirement that keeps the sum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from ludometer.arrays import Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches
from ludometer.ratings import Elo
from ludometer.ratings.systems.dynamic import Dynamic, DynamicShrinking
from ludometer.ratings.systems.steps import check_curve, check_step, step_bound, step_of
from ludometer.scale import expected_score
from ludometer.simulate import simulate_strengths
from tests.ratings.test_systems import league


def thurstone(x: Floats) -> Floats:
    return np.asarray(norm.cdf(np.asarray(x) / (np.sqrt(2) * 200)))


def test_a_constant_step_is_elo_with_half_of_it() -> None:
    matches = simulate_strengths(40, 3_000, draws=0.2, seed=1)
    dynamic, elo = Dynamic(h=64), Elo(k=32)
    state, expected = dynamic.play(dynamic.start(0), matches)
    same, forecasts = elo.play(elo.start(0), matches)
    np.testing.assert_array_equal(expected, forecasts)
    np.testing.assert_array_equal(dynamic.ratings(state), elo.ratings(same))


@pytest.mark.parametrize("curve", [None, thurstone])
def test_steps_that_depend_on_the_difference_are_those_of_plain_python(curve: object) -> None:
    matches = simulate_strengths(15, 800, draws=0.2, seed=3)
    wp = thurstone if curve else lambda x: 1 / (1 + 10 ** (-x / 400))
    system = Dynamic(h=lambda x: 80 - x / 80, curve=thurstone if curve else None)
    state, expected = system.play(system.start(0), matches)
    rating = [0.0] * 15
    pairs = matches.pairs
    rows = zip(pairs.first.tolist(), pairs.second.tolist(), pairs.score.tolist(), expected, strict=True)
    for i, j, s, forecast in rows:
        x = rating[i] - rating[j]
        e = float(wp(np.array(x)))
        assert forecast == pytest.approx(e, abs=1e-7)
        move = (80 - abs(x) / 80) / 2 * (s - e)
        rating[i] += move
        rating[j] -= move
    np.testing.assert_allclose(system.ratings(state), 1500 + np.array(rating), atol=1e-4)


def test_a_tabulated_curve_equals_the_exact_one() -> None:
    matches = simulate_strengths(40, 3_000, draws=0.2, seed=1)
    table, exact = Dynamic(h=64, curve=expected_score), Dynamic(h=64)
    state, expected = table.play(table.start(0), matches)
    same, forecasts = exact.play(exact.start(0), matches)
    np.testing.assert_allclose(expected, forecasts, atol=1e-8)
    first, second = np.array([0, 1], np.int32), np.array([2, 3], np.int32)
    np.testing.assert_allclose(table.expect(state, first, second), exact.expect(same, first, second), atol=1e-8)


def test_shrinking_steps_are_those_of_plain_python() -> None:
    matches = simulate_strengths(5, 12_000, draws=0.2, seed=3)
    system = DynamicShrinking(h=400, floor=0.5)
    state, expected = system.play(system.start(0), matches)
    rating, games = [0.0] * 5, [0] * 5
    pairs = matches.pairs
    smallest = 400.0
    for i, j, s, forecast in zip(
        pairs.first.tolist(), pairs.second.tolist(), pairs.score.tolist(), expected, strict=True
    ):
        games[i] += 1
        games[j] += 1
        e = 1 / (1 + 10 ** ((rating[j] - rating[i]) / 400))
        assert forecast == pytest.approx(e, abs=1e-12)
        h = max(400 * (games[i] * games[j]) ** (-1 / 3), 0.5)
        smallest = min(h, smallest)
        rating[i] += h / 2 * (s - e)
        rating[j] -= h / 2 * (s - e)
    # beyond the table of roots too
    assert max(games) > 4_096
    assert smallest > 0.5
    np.testing.assert_allclose(system.ratings(state), 1500 + np.array(rating), atol=1e-9)


def test_the_floor_of_a_shrinking_step_holds() -> None:
    matches = simulate_strengths(5, 3_000, seed=3)
    shrinking, constant = DynamicShrinking(h=64, floor=64), Dynamic(h=64)
    np.testing.assert_allclose(
        shrinking.play(shrinking.start(0), matches)[1], constant.play(constant.start(0), matches)[1], atol=1e-12
    )


def test_the_bound_of_a_constant_step_is_1390() -> None:
    assert step_bound(np.array([0.0]))[0] == pytest.approx(1390, abs=0.5)
    check_step(1389.0)
    with pytest.raises(LudometerError, match="h = 1391 at a difference of 0: it must be below 1390"):
        Dynamic(h=1391)


def test_the_bound_grows_with_the_difference_as_chords_flatten() -> None:
    x = np.array([0.0, 100, 400, 1000])
    bound = step_bound(x)
    assert (np.diff(bound) > 0).all()
    # the steepest chord from x by a search of its own
    y = np.linspace(-3000, 3000, 600_001)
    for one, least in zip(x, bound, strict=True):
        away = np.abs(y - one) > 1e-6
        chord = (expected_score(y) - expected_score(np.array(one)))[away] / (y - one)[away]
        assert least == pytest.approx(2 / chord.max(), rel=1e-4)


@pytest.mark.parametrize(
    ("h", "message"),
    [
        (0.0, "h = 0 at a difference of 0: a step must be a number above 0"),
        (lambda x: 100 - x, "h = 0 at a difference of 100"),
        (lambda x: np.where(x == 400, 3000, 30), "h = 3000 at a difference of 400: it must be below"),
        (lambda x: np.where(x > 50, np.nan, 30), "h = nan at a difference of 52"),
        ("fast", "h must be a number, not 'fast'"),
        (float("nan"), "h must be a number"),
    ],
)
def test_unstable_steps_are_refused_with_the_difference(h: object, message: str) -> None:
    with pytest.raises(LudometerError, match=message):
        Dynamic(h=h)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "curve", [lambda x: 0.5 + 0 * x, lambda x: expected_score(-x), lambda x: np.minimum(expected_score(x), 0.9)]
)
def test_what_is_no_win_probability_is_refused(curve: object) -> None:
    with pytest.raises(LudometerError, match="no win probability at a difference of"):
        check_curve(curve)  # type: ignore[arg-type]
    check_curve(thurstone)


def test_changes_that_invite_abuse_are_refused() -> None:
    stable = step_of(lambda x: (30 + abs(x)) * expected_score(-x))
    assert stable(50.0) == pytest.approx(80)
    # a fixed prize for a win: weak opponents would be worth most
    with pytest.raises(LudometerError, match=r"at x = 4: players would gain by choosing opponents"):
        step_of(lambda x: 10 + 0 * x)


@pytest.mark.parametrize("parameters", [{"floor": -1}, {"floor": 400}, {"h": lambda _: 3}, {"h": 2000}])
def test_impossible_shrinking_is_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(LudometerError):
        DynamicShrinking(**parameters)  # type: ignore[arg-type]


def plain_retirement(matches: Matches, h: float, idle: int) -> tuple[dict[int, float], set[int], list[float]]:
    """Everybody's rating in full, shared out by hand."""
    rating: dict[int, float] = {}
    last: dict[int, int] = {}
    active: set[int] = set()
    forecasts, pot = [], 0.0

    def share(points: float) -> None:
        nonlocal pot
        pot += points
        if active:
            for k in active:
                rating[k] += pot / len(active)
            pot = 0.0

    assert matches.time is not None
    pairs, days = matches.pairs, matches.time.astype(int).tolist()
    for i, j, s, day in zip(pairs.first.tolist(), pairs.second.tolist(), pairs.score.tolist(), days, strict=True):
        while active and min(last[k] for k in active) + idle < day:
            oldest = min(last[k] for k in active)
            leaving = {k for k in active if last[k] == oldest}
            active -= leaving
            share(sum(rating[k] for k in leaving))
        for k in (i, j):
            rating.setdefault(k, 0.0)
            if k not in active:
                share(-rating[k])
                active.add(k)
            last[k] = day
        e = 1 / (1 + 10 ** ((rating[j] - rating[i]) / 400))
        forecasts.append(e)
        rating[i] += h / 2 * (s - e)
        rating[j] -= h / 2 * (s - e)
    return rating, active, forecasts


def test_retirement_is_that_of_plain_python_and_keeps_the_mean_of_active_players() -> None:
    matches = league()
    for idle in (3, 12, 1000):
        system = Dynamic(h=64, start_rating=0, retire_after=idle)
        state, expected = system.play(system.start(0), matches)
        rating, active, forecasts = plain_retirement(matches, 64, idle)
        np.testing.assert_allclose(expected, forecasts, atol=1e-10)
        ratings = system.ratings(state)
        np.testing.assert_allclose(ratings[list(rating)], list(rating.values()), atol=1e-8)
        assert ratings[list(active)].mean() == pytest.approx(0, abs=1e-9)
        assert (len(active) < 30) == (idle < 1000)


def test_without_retirement_leavers_take_their_points_along() -> None:
    matches = league()
    plain, kept = Dynamic(h=64), Dynamic(h=64, retire_after=12)
    active = list(plain_retirement(matches, 64, 12)[1])
    ratings = plain.ratings(plain.play(plain.start(0), matches)[0])
    assert abs(ratings[active].mean() - 1500) > 1
    ratings = kept.ratings(kept.play(kept.start(0), matches)[0])
    assert ratings[active].mean() == pytest.approx(1500)


def test_who_returns_gets_his_points_back() -> None:
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-02", "2020-06-01", "2020-06-02"], "datetime64[D]")
    matches = Matches.of_pairs([0, 1, 3, 1, 0], [1, 2, 4, 3, 1], [1, 0.5, 0.5, 0.5, 0.5], time=days)
    system = Dynamic(h=64, retire_after=200)
    before = system.ratings(system.play(system.start(0), matches.part(0, 3))[0])
    short = Dynamic(h=64, retire_after=151)
    state, _ = short.play(short.start(0), matches.part(0, 4))
    # player 0 left with 16 points: 4 each for the four who stayed
    now = short.ratings(state)
    assert before[0] == now[0] == 1516
    assert now[2] == pytest.approx(before[2] + 4)
    state, _ = short.play(state, matches.part(4, 5))
    # 2 and 4 have left by then; the mean of who plays is where all entered
    assert short.ratings(state)[[0, 1, 3]].mean() == pytest.approx(1500)


def test_retirement_needs_times() -> None:
    system = Dynamic(retire_after=30)
    with pytest.raises(MatchDataError, match="retirement needs times"):
        system.play(system.start(0), Matches.of_pairs([0], [1], [1]))
    with pytest.raises(LudometerError, match="days above 0"):
        Dynamic(retire_after=0)
