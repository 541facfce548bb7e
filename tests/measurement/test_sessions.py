"""Sessions are found; luck that is shared within them is told from strength, and counts once in what is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from ludometer.arrays import Array, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.measurement.benchmarks.families import Deterministic
from ludometer.measurement.benchmarks.inversion import invert
from ludometer.measurement.benchmarks.yardstick import make_target
from ludometer.measurement.record.sessions import Sessions, find_sessions
from ludometer.simulate import simulate_coin

N_PLAYERS, N_MATCHES, MINUTE, DAY = 300, 9_000, 60, 86_400
START = np.datetime64("2024-01-01T00:00:00")


@dataclass(frozen=True)
class Evening:
    """Sessions of some games of the same two players: who, when, and what the first scores."""

    first: Counts
    second: Counts
    seconds: Floats
    won: Array

    def record(self, *, times: bool = True, named: bool = False) -> Matches:
        games = self.won.shape[1]
        time = START + self.seconds.ravel().astype("timedelta64[s]") if times else None
        rows = np.repeat(self.first, games), np.repeat(self.second, games), self.won.ravel().astype(float)
        matches = Matches.of_pairs(*rows, time=time, ordered=not times)
        if not named:
            return matches
        return Matches.of_pairs(*rows, time=time, session=np.repeat(np.arange(len(self.first)), games))


def evenings(seed: int, *, games: int = 3, x: float = 0.0, shared: bool = False, momentum: float = 0.0) -> Evening:
    """x percent of the better player's wins, else coins: of their own or of the session; or who won last has more."""
    rng = np.random.default_rng([seed, games, int(x)])
    n = N_MATCHES // games
    first = rng.integers(0, N_PLAYERS, n)
    second = (first + rng.integers(1, N_PLAYERS, n)) % N_PLAYERS
    skill = rng.standard_normal(N_PLAYERS)
    ahead = np.sign(skill[first] - skill[second])
    seconds = np.sort(rng.random(n))[:, np.newaxis] * 30 * DAY + 6 * MINUTE * np.arange(games)
    if shared:
        by_skill = rng.random((n, games)) < x / 100
        return Evening(first, second, seconds, np.where(by_skill, ahead[:, np.newaxis] > 0, rng.random((n, 1)) < 0.5))
    won, bonus = np.zeros((n, games)), np.zeros(n)
    for game in range(games):
        won[:, game] = rng.random(n) < 0.5 + x / 200 * ahead + bonus
        bonus = momentum * (2 * won[:, game] - 1)
    return Evening(first, second, seconds, won)


def days(seed: int, *, form: float, dates: bool = False) -> Matches:
    """24 players a day, ten games each against changing opponents; who is in better form that day has more."""
    rng = np.random.default_rng([seed, 10])
    parts: list[tuple[Any, ...]] = []
    for day in range(N_MATCHES // 120):
        here = rng.permutation(N_PLAYERS)[:24]
        today = np.zeros(N_PLAYERS)
        today[here] = rng.standard_normal(24)
        for game in range(10):
            first, second = rng.permutation(here).reshape(2, -1)
            won = rng.random(12) < 0.5 + form * np.sign(today[first] - today[second])
            parts.append((first, second, won, np.full(12, day * DAY + (0 if dates else (1_080 + 20 * game) * MINUTE))))
    first, second, won, seconds = (np.concatenate(column) for column in zip(*parts, strict=True))
    time = START.astype("datetime64[D]" if dates else "datetime64[s]") + (
        (seconds // DAY).astype("timedelta64[D]") if dates else seconds.astype("timedelta64[s]")
    )
    return Matches.of_pairs(first, second, won.astype(float), time=time)


def hands(seed: int, *, shared: bool) -> Matches:
    """Tables of five that play four hands, with the same luck or luck of their own."""
    rng = np.random.default_rng([seed, 4])
    n = 1_500
    tables = np.argsort(rng.random((n, N_PLAYERS)), axis=1)[:, :5]
    luck = np.repeat(rng.random((n, 5)), 4, axis=0) if shared else rng.random((4 * n, 5))
    place = luck.argsort(axis=1).argsort(axis=1) + 1
    return Matches.of_seats(np.arange(0, 20 * n + 1, 5), np.repeat(tables, 4, axis=0).ravel(), place.ravel())


@pytest.mark.parametrize("times", [True, False])
@pytest.mark.parametrize("x", [0, 20])
def test_coins_that_are_shared_are_found_and_count_once(x: float, times: bool) -> None:
    evening = evenings(1, x=x, shared=True)
    found = find_sessions(evening.record(times=times))
    assert (found.kind, found.dependent, found.unit) == ("pair", True, "seconds" if times else "rows")
    assert found.gap == (6 * MINUTE if times else 1)
    assert found.found == pytest.approx(len(evening.first), abs=5)
    assert found.kept is not None
    assert int(found.kept.sum()) == pytest.approx(len(evening.first), abs=5)
    assert "depend on each other" in found.lines()[0]
    assert found.document()["matches_kept"] == int(found.kept.sum())


def test_momentum_a_form_of_the_day_and_hands_with_the_same_luck_are_found() -> None:
    momentum = find_sessions(evenings(2, games=5, x=20, momentum=0.2).record())
    assert (momentum.kind, momentum.dependent) == ("pair", True)
    for dates in (False, True):
        form = find_sessions(days(2, form=0.2, dates=dates))
        assert (form.kind, form.dependent) == ("player", True)
        assert form.kept is not None
        # nobody twice on one day
        assert int(form.kept.sum()) == N_MATCHES // 120 * 12
    table = find_sessions(hands(2, shared=True))
    assert (table.kind, table.dependent, table.found) == ("table", True, 1_500)


def test_independent_luck_is_rarely_called_dependent() -> None:
    clean = [evenings(seed, x=x).record() for seed in range(2) for x in (0, 20, 60)]
    clean += [days(seed, form=0.0) for seed in range(2)] + [hands(seed, shared=False) for seed in range(2)]
    found = [find_sessions(matches) for matches in clean]
    assert all(one.found > 0 and one.p_value is not None for one in found)
    assert sum(one.dependent for one in found) <= 3
    assert all(not one.lines() for one in found if not one.dependent)


def test_what_is_kept_measures_the_game_without_the_shared_luck() -> None:
    for x, evening in ((20, evenings(0, x=20, shared=True)), (20, evenings(0, games=5, x=20, momentum=0.2))):
        matches = evening.record()
        counted = matches.counts >= 25
        whole = invert(make_target(matches, counted, k=10.0), Deterministic(), replicates=39, seed=[1])
        assert whole.interval[0] > x
        found = find_sessions(matches)
        assert found.kept is not None
        target = make_target(matches.take(found.kept), counted, k=10.0)
        low, high = invert(target, Deterministic(), replicates=39, seed=[1]).interval
        assert low <= x <= high


def test_a_record_without_sessions_has_none() -> None:
    found = find_sessions(simulate_coin(200, 6_000, seed=1))
    assert (found.found, found.p_value, found.kept) == (0, None, None)
    assert found.absent()["gap"] == "no sessions were found"


def test_rows_that_are_sorted_by_player_are_no_sessions() -> None:
    table = simulate_coin(200, 6_000, seed=1).pairs
    winner, loser = (
        np.where(table.halves > 0, table.first, table.second),
        np.where(table.halves > 0, table.second, table.first),
    )
    order = np.argsort(winner, kind="stable")
    assert not find_sessions(Matches.of_pairs(winner[order], loser[order], np.ones(len(order)), ordered=True)).found


def test_a_user_says_what_a_session_is() -> None:
    evening = evenings(4, shared=True)
    matches = evening.record()
    assert not find_sessions(matches, "none").dependent
    assert not find_sessions(matches, "1m").found
    assert find_sessions(matches, "30m").gap == 30 * MINUTE
    assert find_sessions(matches, "2").unit == "rows"
    column = find_sessions(evening.record(named=True))
    assert (column.kind, column.gap, column.found, column.dependent) == ("column", None, len(evening.first), True)
    for wrong, why in (("soon", "a gap such as"), ("column", "no column of sessions")):
        with pytest.raises(LudometerError, match=why):
            find_sessions(matches, wrong)
    with pytest.raises(LudometerError, match="no times"):
        find_sessions(evening.record(times=False), "30m")


def test_sessions_that_take_turns_in_the_rows_are_found() -> None:
    evening = evenings(5, shared=True)
    # ten tables play at once
    n = len(evening.first) // 10 * 10
    order = np.arange(3 * n).reshape(-1, 10, 3).transpose(0, 2, 1).ravel()
    first, second = (np.repeat(own[:n], 3)[order] for own in (evening.first, evening.second))
    mixed = Matches.of_pairs(first, second, evening.won[:n].ravel()[order].astype(float), ordered=True)
    found = find_sessions(mixed)
    assert (found.kind, found.unit, found.gap, found.dependent) == ("pair", "rows", 10, True)
    assert found.kept is not None
    assert int(found.kept.sum()) == pytest.approx(n, abs=0.02 * n)


def test_what_is_kept_is_what_going_through_the_record_keeps() -> None:
    matches = days(6, form=0.2)
    kept = find_sessions(matches).kept
    assert kept is not None
    taken: set[tuple[int, int]] = set()
    assert matches.time is not None
    pairs, day = matches.pairs, matches.time.astype("datetime64[D]").astype(np.int64)
    for row, (one, other, at) in enumerate(zip(pairs.first, pairs.second, day, strict=True)):
        own = {(int(one), int(at)), (int(other), int(at))}
        assert bool(kept[row]) == (not own & taken)
        if kept[row]:
            taken |= own


def test_equal_records_are_judged_equally() -> None:
    one, other = (find_sessions(evenings(7, x=20).record()) for _ in range(2))
    assert one.p_value == other.p_value
    assert isinstance(one, Sessions)
