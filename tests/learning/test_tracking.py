"""Followed players show the learning curve of their league, and none where nobody learns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.learning.tracking import Tracked, follow_players, follow_ratings, rate_performance, rate_windows
from ludometer.matches import Matches
from tests.learning.league import curve, simulate_league

GAMES = 25


@pytest.fixture(scope="module")
def learners() -> Matches:
    return simulate_league(300, 900, learns=True, seed=1)


@pytest.fixture(scope="module")
def settled() -> Matches:
    return simulate_league(300, 900, learns=False, seed=2)


def known_changes(tracked: Tracked) -> Floats:
    """What the curve says of each row by experience: from the mean of one window to the mean of the next."""
    assert tracked.experience is not None
    early = tracked.experience.low - GAMES / 2
    return np.array([(curve(g + GAMES + np.arange(GAMES)) - curve(g + np.arange(GAMES))).mean() / GAMES for g in early])


def test_the_learning_curve_is_recovered(learners: Matches) -> None:
    tracked = follow_players(learners, games=GAMES, anchor="entrants")
    rates = tracked.experience
    assert rates is not None
    assert rates.low[:3].tolist() == [12.5, 37.5, 62.5]
    assert rates.per_game is not None
    assert rates.per_game_error is not None
    used = rates.players >= 30
    z = ((rates.per_game - known_changes(tracked)) / rates.per_game_error)[used]
    assert used.sum() >= 10
    assert np.abs(z).max() < 3.5
    assert abs(z.mean()) < 3 / np.sqrt(used.sum())
    # and it is a curve: the first games teach more than later ones
    assert rates.per_game[0] > 3 * rates.per_game[8:][used[8:]].mean()


def test_the_better_learn_more_slowly(learners: Matches) -> None:
    classes = follow_players(learners, games=GAMES, width=200, anchor="entrants").classes
    assert classes.per_game is not None
    assert classes.per_game_error is not None
    used = classes.players > 20
    slope, covariance = np.polyfit(
        classes.rating[used], classes.per_game[used], 1, w=1 / classes.per_game_error[used], cov="unscaled"
    )
    assert slope[0] < -4 * np.sqrt(covariance[0, 0])


@pytest.mark.parametrize("anchor", ["opponents", "entrants"])
def test_where_nobody_learns_none_is_found(settled: Matches, anchor: str) -> None:
    tracked = follow_players(settled, games=GAMES, anchor=anchor)  # type: ignore[arg-type]
    assert tracked.experience is not None
    for rates in (tracked.overall, tracked.classes, tracked.experience):
        assert rates.per_game is not None
        assert rates.per_game_error is not None
        used = rates.players >= 30
        z = (rates.per_game / rates.per_game_error)[used]
        assert np.abs(z).max() < 3.5
    # by time it is the same: a game a round
    assert tracked.overall.per_time is not None
    assert tracked.overall.per_game is not None
    np.testing.assert_allclose(tracked.overall.per_time, tracked.overall.per_game)


def test_a_class_from_the_same_games_would_find_forgetting(settled: Matches) -> None:
    windows, _ = rate_windows(settled, games=GAMES, k=24)
    late = np.flatnonzero(np.diff(windows.player) == 0) + 1
    before, change = windows.rating[late - 1], windows.rating[late] - windows.rating[late - 1]
    trap = np.polyfit(before, change, 1)[0]
    third = np.flatnonzero(windows.player[2:] == windows.player[:-2]) + 2
    slope, covariance = np.polyfit(
        windows.rating[third - 2], windows.rating[third] - windows.rating[third - 1], 1, cov=True
    )
    assert trap < -0.1
    assert abs(slope[0]) < 4 * np.sqrt(covariance[0, 0])


def test_errors_are_clustered_by_player() -> None:
    rng = np.random.default_rng(0)
    player = np.repeat(np.arange(40), 6)
    rating = 1500 + np.cumsum(rng.normal(2, 5, (40, 6)) + rng.normal(0, 3, (40, 1)), axis=1).ravel()
    tracked = follow_ratings(player, np.tile(np.arange(6.0), 40), rating, games=np.tile(10.0 * np.arange(6), 40))
    change = np.diff(rating.reshape(40, 6), axis=1)[:, 1:]
    residual = (change - change.mean()).sum(axis=1)
    error = np.sqrt(40 / 39 * (residual**2).sum()) / change.size
    assert tracked.overall.per_time is not None
    assert tracked.overall.per_time_error is not None
    assert tracked.overall.per_game is not None
    assert tracked.overall.per_time[0] == pytest.approx(change.mean())
    assert tracked.overall.per_time_error[0] == pytest.approx(error)
    assert tracked.overall.per_game[0] == pytest.approx(change.mean() / 10)
    assert (tracked.n_players, tracked.n_changes) == (40, 160)
    # a player's own pace makes the clustered error larger than that of independent changes
    assert error > 1.2 * change.std(ddof=1) / np.sqrt(change.size)


def test_performances_are_those_of_the_corrected_likelihood() -> None:
    rng = np.random.default_rng(1)
    opponent, score = rng.normal(0, 1, (6, 12)), rng.integers(0, 3, (6, 12)) / 2
    score[0] = 1

    def slope(rating: float, row: int) -> float:
        p = expit(rating - opponent[row])
        return float((score[row] - p).sum() + (p * (1 - p) * (1 - 2 * p)).sum() / (2 * (p * (1 - p)).sum()))

    expected = [brentq(slope, -15, 15, args=(row,)) for row in range(6)]
    assert rate_performance(opponent, score).tolist() == pytest.approx(expected, abs=1e-8)


def test_short_windows_are_not_biased() -> None:
    rng = np.random.default_rng(2)
    opponent = rng.normal(0, 0.5, (20_000, 15))
    score = (rng.random(opponent.shape) < expit(1.0 - opponent)).astype(float)
    found = rate_performance(opponent, score)
    assert found.mean() == pytest.approx(1.0, abs=4 * found.std() / np.sqrt(20_000) + 0.01)


def test_windows_share_no_game_and_begin_with_the_first(learners: Matches) -> None:
    windows, last = rate_windows(learners, games=GAMES, k=24)
    assert len(windows.player) == (learners.counts // GAMES).sum()
    assert len(last) == len(learners.players)
    fresh = np.flatnonzero(np.diff(windows.player, prepend=-1))
    assert (windows.number[fresh] == 0).all()
    assert windows.time is not None
    inside = np.diff(windows.player) == 0
    # a game a round
    np.testing.assert_allclose(np.diff(windows.time)[inside], GAMES)


def test_dates_count_in_years() -> None:
    time = np.array(["2010-01-01", "2011-01-01", "2012-01-01"] * 3, "datetime64[D]")
    tracked = follow_ratings(np.repeat(["a", "b", "c"], 3), time, [1500, 1600, 1610] * 3)
    assert tracked.time_unit == "year"
    assert tracked.overall.per_time is not None
    assert tracked.overall.per_time[0] == pytest.approx(10, rel=0.01)
    assert tracked.classes.low.tolist() == [1500]
    assert tracked.anchor is None


def test_the_result_can_be_read_and_drawn(learners: Matches) -> None:
    tracked = follow_players(learners, games=GAMES)
    assert set(tracked.to_frame()["by"]) == {"rating", "games"}
    assert len(tracked.summary().splitlines()) <= 20
    assert "relative to the opponents" in tracked.summary()
    assert len(tracked.plot().to_dict()["layer"]) == 2


def test_what_cannot_be_followed_is_refused() -> None:
    few = Matches.of_pairs([0, 1] * 10, [1, 0] * 10, [1, 0] * 10)
    calls: list[Callable[[], object]] = [
        lambda: follow_players(few, games=25),
        lambda: follow_players(few, games=15),
        lambda: follow_players(few, games=2),
        lambda: follow_players(few, games=5, anchor="entrants"),
        lambda: follow_players(few, anchor="stars"),  # type: ignore[arg-type]
        lambda: follow_ratings(["a"], [1], [1500.0, 1.0]),
        lambda: follow_ratings(["a", "a"], [1, 2], [1500.0, 1.0]),
        lambda: follow_ratings(["a", "a", "a"], [1, 1, 2], [1.0, 2.0, 3.0]),
        lambda: follow_ratings(["a", "a", "a"], ["x", "y", "z"], [1.0, 2.0, 3.0]),
    ]
    for call in calls:
        with pytest.raises(LudometerError):
            call()
