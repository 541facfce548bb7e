"""A league by the compiled kernel equals its plain twin, which gives shared points to each player by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludometer.arrays import Codes, Halves
from ludometer.kernels.league import Places, Rules, enter, play_league, play_league_plain

RULES = Rules(
    sd=1.2,
    games=6.5,
    exponential=False,
    learning=0,
    rate=0.1,
    gain=1.0,
    matchmaking=0,
    window=0.3,
    step=0.2,
    unknown=1.0,
    shares_out=True,
)


def play(rules: Rules, by: Any, n_matches: int = 400) -> tuple[Places, Codes, Codes, Halves]:
    rng, n = np.random.default_rng(1), 12
    places = Places(
        code=np.zeros(n, np.int32),
        age=np.zeros(n, np.int64),
        life=np.zeros(n, np.int64),
        origin=np.zeros(n),
        skill=np.zeros(n),
        rating=np.zeros(n),
        people=np.zeros((n + 2 * n_matches, 7)),
        counts=np.zeros(2, np.int64),
        sums=np.zeros(4),
    )
    for place in range(n):
        enter(rng, rules, places, place)
    first, second = np.empty(n_matches, np.int32), np.empty(n_matches, np.int32)
    halves = np.empty(n_matches, np.int8)
    half = n_matches // 2
    by(rng, rules, places, first[:half], second[:half], halves[:half])
    by(rng, rules, places, first[half:], second[half:], halves[half:])
    return places, first, second, halves


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"shares_out": False, "unknown": 0.4},
        {"exponential": True, "learning": 1},
        {"matchmaking": 1, "learning": 2},
        {"matchmaking": 2, "games": float("inf")},
        {"games": 1.0, "exponential": True},
    ],
)
def test_the_kernel_equals_its_plain_twin(changes: dict[str, Any]) -> None:
    rules = RULES._replace(**changes)
    fast, plain = play(rules, play_league), play(rules, play_league_plain)
    for own, other in zip(fast[1:], plain[1:], strict=True):
        np.testing.assert_array_equal(own, other)
    for name in Places._fields:
        own, other = getattr(fast[0], name), getattr(plain[0], name)
        np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-9, err_msg=name)
    assert (fast[1] != fast[2]).all()
