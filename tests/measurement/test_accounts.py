"""Accounts that are odd are listed, and only those; nobody is left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludometer.matches import Matches
from ludometer.measurement.record.accounts import Account, list_accounts
from ludometer.measurement.record.study import study_record
from ludometer.players import Players
from tests.measurement.multiplied import natural_records

PLAYERS, N = 60, 6_000


def club(seed: int = 0, skill: float = 0.5) -> tuple[Any, Any, Any]:
    """Random pairs of a game with some skill."""
    rng = np.random.default_rng(seed)
    strength = skill * rng.standard_normal(PLAYERS)
    first = rng.integers(PLAYERS, size=N)
    second = (first + rng.integers(1, PLAYERS, size=N)) % PLAYERS
    won = rng.random(N) < 1 / (1 + np.exp(strength[second] - strength[first]))
    return first, second, won.astype(float)


def whys(matches: Matches) -> dict[str, str]:
    return {account.player: account.why for account in list_accounts(matches)}


@pytest.mark.parametrize("skill", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("seed", range(4))
def test_nobody_of_an_ordinary_club_is_listed(seed: int, skill: float) -> None:
    assert whys(Matches.of_pairs(*club(seed, skill))) == {}


@pytest.mark.parametrize(
    "name", ["coin", "round robin twice, real luck", "best of three", "deterministic", "double-headers"]
)
def test_nobody_of_real_records_is_listed(name: str) -> None:
    assert whys(natural_records()[name]) == {}


def test_who_never_loses_or_never_wins() -> None:
    first, second, won = club()
    for player, result in ((3, 1.0), (8, 0.0)):
        won = np.where(first == player, result, np.where(second == player, 1 - result, won))
    found = whys(Matches.of_pairs(first, second, won))
    assert set(found) == {"3", "8"}
    assert found["3"].startswith("never lost in")
    assert found["8"].startswith("never won in")


def test_who_meets_only_each_other_and_who_trades_wins() -> None:
    first, second, won = club()
    rng = np.random.default_rng(1)
    # two friends who hardly meet anyone else, and two regulars who take turns
    friends = [(60, 61, rng.integers(2)) for _ in range(80)] + [(60, 0, 1), (61, 1, 0)]
    turns = [(10, 11, number % 2) for number in range(40)]
    extra = np.array(friends + turns)
    order = rng.permutation(N + len(extra))
    order[np.isin(order, np.arange(N + 82, N + 122))] = np.arange(N + 82, N + 122)
    both = [np.concatenate((own, extra[:, place]))[order] for place, own in enumerate((first, second, won))]
    found = whys(Matches.of_pairs(both[0].astype(int), both[1].astype(int), both[2]))
    assert set(found) == {"60", "61", "10", "11"}
    assert found["60"] == "80 of 81 matches against one opponent"
    assert "trades wins with 11" in found["10"]


def test_who_changes_strength_at_a_date() -> None:
    first, second, won = club()
    day = np.arange(N) // 20
    late = day >= 180
    rng = np.random.default_rng(2)
    strong = (rng.random(N) < 0.95).astype(float)
    won = np.where(late & (first == 5), strong, np.where(late & (second == 5), 1 - strong, won))
    dates = np.datetime64("2024-01-01") + day
    found = whys(Matches.of_pairs(first, second, won, time=dates))
    assert set(found) == {"5"}
    words = found["5"].split()
    assert abs(np.datetime64(words[3].rstrip(":")) - np.datetime64("2024-06-29")) < np.timedelta64(12, "D")


def test_tables_and_the_list_in_the_study() -> None:
    rng = np.random.default_rng(3)
    seated = np.array([rng.permutation(40)[:4] for _ in range(2_000)])
    # player 9 wins wherever they sit
    own = (seated == 9).any(axis=1)
    seated[own] = np.column_stack((np.full(own.sum(), 9), [row[row != 9] for row in seated[own]]))
    names = Players.named([f"P{number}" for number in range(40)])
    record = Matches.of_seats(np.arange(0, 8_001, 4), seated.ravel(), np.tile([1, 2, 3, 4], 2_000), players=names)
    study = study_record(record)
    why = f"won every time in {own.sum()} matches"
    assert study.accounts == (Account("P9", why),)
    assert study.matches is record
    assert any("P9" in line and "stay" in line for line in study.lines())
    assert study.document()["accounts"] == [{"player": "P9", "why": why}]


def test_a_record_whose_players_all_have_few_matches_is_looked_at() -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(300, size=1_500)
    second = (first + rng.integers(1, 300, size=1_500)) % 300
    assert whys(Matches.of_pairs(first, second, rng.integers(0, 2, size=1_500).astype(float))) == {}
