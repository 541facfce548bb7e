"""The internet chess server's system, rule by rule and by a second route."""

from __future__ import annotations

import numpy as np
import pytest

from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings.systems.ics import InternetChess
from tests.ratings.test_systems import league


def plain(matches: Matches, h: float = 64, limit: int = 20) -> tuple[list[float], list[float]]:
    """The rules as quoted, with dicts and floats in Elo points."""
    n = len(matches.players)
    rating, values, games = [1600.0] * n, [[] for _ in range(n)], [0] * n  # type: ignore[var-annotated]
    forecasts = []
    pairs = matches.pairs
    for i, j, s in zip(pairs.first.tolist(), pairs.second.tolist(), pairs.score.tolist(), strict=True):
        e = 1 / (1 + 10 ** ((rating[j] - rating[i]) / 400))
        forecasts.append(e)
        established = [rating[k] for k in range(n) if games[k] >= limit]
        extra = (1720 - np.mean(established)) / 10 if established else 0.0
        old, played = list(rating), list(games)
        for a, b, outcome, change in ((i, j, 2 * s - 1, s - e), (j, i, 1 - 2 * s, e - s)):
            if played[a] >= limit:
                weight = played[b] / 20 if played[b] < limit else 1
                rating[a] += weight * h / 2 * change
                continue
            if played[b] < limit:
                values[a].append((old[a] + old[b]) / 2 + 200 * outcome)
            else:
                values[a].append(old[b] + 400 * outcome)
            games[a] += 1
            rating[a] = float(np.mean(values[a]) + extra)
    return rating, forecasts


def test_it_is_that_of_plain_python() -> None:
    matches = league(n_matches=4_000)
    system = InternetChess()
    state, expected = system.play(system.start(0), matches)
    rating, forecasts = plain(matches)
    np.testing.assert_allclose(expected, forecasts, atol=1e-9)
    np.testing.assert_allclose(system.ratings(state), rating, atol=1e-6)
    assert int(state.established[1]) > 30


def test_a_first_win_between_newcomers_is_worth_200() -> None:
    system = InternetChess()
    state, expected = system.play(system.start(0), Matches.of_pairs([0], [1], [1]))
    assert expected.tolist() == [0.5]
    np.testing.assert_allclose(system.ratings(state), [1800, 1400])


def test_established_players_move_by_elo_alone() -> None:
    system = InternetChess(provisional=1)
    state, _ = system.play(system.start(0), Matches.of_pairs([0], [1], [0.5]))
    np.testing.assert_allclose(system.ratings(state), [1600, 1600])
    state, _ = system.play(state, Matches.of_pairs([0], [1], [1]))
    np.testing.assert_allclose(system.ratings(state), [1616, 1584])


def test_an_established_player_does_not_move_against_one_who_never_played() -> None:
    matches = Matches.of_pairs([0] * 20, [1] * 20, [0.5] * 20)
    system = InternetChess()
    state, _ = system.play(system.start(3), matches)
    before = system.ratings(state)
    state, _ = system.play(state, Matches.of_pairs([0], [2], [0]))
    after = system.ratings(state)
    assert after[0] == before[0]
    # the opponent's rating + 400, and a tenth of 1720 less the mean
    assert after[2] == pytest.approx(before[0] + 400 + (1720 - before[:2].mean()) / 10)


@pytest.mark.parametrize("parameters", [{"provisional": 0}, {"provisional": 2.5}, {"h": 0}, {"target": float("nan")}])
def test_impossible_parameters_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(LudometerError):
        InternetChess(**parameters)  # type: ignore[arg-type]
