"""Pig, a game of dice: roll as often as you like and hold to keep the sum; a 1 loses it. Who has 100 first wins.

The best play is solved for, so the ladder begins with a perfect player; below him are others who decide by a coin
now and then, and people's rules: hold at a sum, or roll a number of times.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from random import Random

import numpy as np
from ladder import Ladder, Scores, Task, chance

from ludometer.arrays import Floats, Mask

GOAL = 100
RATES = (0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
SUMS = (8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 30, 32, 36, 40)
TIMES = (3, 4, 5, 6, 7, 8, 9, 10)

Rule = Callable[[int, int, int, int, Random], bool]
"""Own score, the other's, sum of this turn, rolls of this turn, chance → whether to roll again."""


def perfectly(own: int, other: int, gained: int, _rolls: int, rng: Random, *, rate: float) -> bool:
    """As is best, but by a coin at some rate."""
    if rng.random() < rate:
        return rng.random() < 0.5
    return bool(best_play()[own, other, gained])


def to_a_sum(own: int, _other: int, gained: int, _rolls: int, _rng: Random, *, hold: int) -> bool:
    """Until the turn has a sum, or the game is won."""
    return gained < hold and own + gained < GOAL


def some_times(own: int, _other: int, gained: int, rolls: int, _rng: Random, *, times: int) -> bool:
    """A number of rolls, or until the game is won."""
    return rolls < times and own + gained < GOAL


RULES: dict[str, Rule] = {
    **{"perfect" + (f" {rate:.0%} by a coin" if rate else ""): partial(perfectly, rate=rate) for rate in RATES},
    **{f"holds at {hold}": partial(to_a_sum, hold=hold) for hold in SUMS},
    **{f"rolls {times} times": partial(some_times, times=times) for times in TIMES},
}


def play(task: Task) -> Scores:
    """The scores of both; the first player begins."""
    number, seated = task
    rng = chance("pig", number)
    rules = [list(RULES.values())[player] for player in seated]
    scores = [0, 0]
    turn = 0
    while max(scores) < GOAL:
        gained = rolls = 0
        while rolls == 0 or rules[turn](scores[turn], scores[1 - turn], gained, rolls, rng):
            die = rng.randint(1, 6)
            if die == 1:
                gained = 0
                break
            gained, rolls = min(gained + die, GOAL - scores[turn]), rolls + 1
            # nothing is left to gain
            if scores[turn] + gained == GOAL:
                break
        scores[turn] += gained
        turn = 1 - turn
    return float(scores[0] >= GOAL), float(scores[1] >= GOAL)


@cache
def best_play() -> Mask:
    """Whether to roll, by own score, the other's and the sum of this turn: what makes winning most probable."""
    return _best_turn(solve())[0]


@cache
def solve() -> Floats:
    """The probability that the player who begins a turn wins, by his score and the other's, if both play as is best.

    It is iterated until it stands still; within a turn it is worked out backwards.
    """
    wins = np.full((GOAL, GOAL), 0.5)
    while True:
        _, better = _best_turn(wins)
        if np.abs(better - wins).max() < 1e-12:
            return better
        wins = better


def _best_turn(wins: Floats) -> tuple[Mask, Floats]:
    """Decisions, and the probability of winning at the start of a turn, if the next turns are worth `wins`."""
    own = np.arange(GOAL)
    rolls = np.zeros((GOAL, GOAL, GOAL), bool)
    # worth[k]: of a sum k in this turn; with GOAL or more the game is won
    worth = np.ones((GOAL + 6, GOAL, GOAL))
    loses = 1 - wins.T
    for gained in range(GOAL - 1, -1, -1):
        is_won = own + gained >= GOAL
        kept = np.where(is_won[:, None], 1.0, 1 - wins.T[np.minimum(own + gained, GOAL - 1)])
        rolled = (loses + sum(worth[gained + die] for die in range(2, 7))) / 6
        rolls[:, :, gained] = (rolled > kept) if gained else True
        worth[gained] = np.maximum(rolled, kept) if gained else rolled
    return rolls, worth[0]


LADDER = Ladder("pig", list(RULES), play, matches=8_000)
