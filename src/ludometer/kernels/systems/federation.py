"""Semidynamic ratings in natural units: sums over a period, turned into ratings at its end, with floors and bonuses."""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.runtime.compile import kernel

RATING, PEAK, SURPRISE, SCORE, OPPONENTS, MATCHES, IS_NEW = range(7)
"""Columns of a player: rating, its maximum so far, and over the matches of the period the sums of S - E, of S, of
opponents' ratings, and their number; whether it is the player's first period."""

AVERAGING, BONUS, FLOOR, NEWCOMERS = range(4)
"""Points that play created, by their cause; negative where they were destroyed."""

STEP, LOWEST, DROP, THRESHOLD, MEAN = range(5)
"""Rules: k; no rating below this; none so far below one's best; gains above this times the root of the matches count
twice; the mean of a period's newcomers. Infinite, or no number for the mean, where they do not apply."""


@kernel
def federation_pass(
    first: Codes,
    second: Codes,
    halves: Halves,
    period: Counts,
    player: Floats,
    members: Codes,
    clock: Counts,
    created: Floats,
    rules: Floats,
    averages: bool,
    expected: Floats,
) -> None:
    """Play the matches in order; `members` lists who has played in the period, `clock` is (period, how many)."""
    for t in range(len(first)):
        if period[t] != clock[0]:
            close_period(player, members, clock, created, rules, averages)
            clock[0] = period[t]
        i, j = np.int64(first[t]), np.int64(second[t])
        x, y = player[i, RATING], player[j, RATING]
        forecast = 1.0 / (1.0 + math.exp(y - x))
        expected[t] = forecast
        score = 0.5 * halves[t]
        _note(player, members, clock, i, score - forecast, score, y)
        _note(player, members, clock, j, forecast - score, 1.0 - score, x)


@register_jitable
def _note(player, members, clock, i, surprise, score, other):  # type: ignore[no-untyped-def]  # Numba infers the types
    if player[i, MATCHES] == 0.0:
        members[clock[1]] = i
        clock[1] += 1
    player[i, SURPRISE] += surprise
    player[i, SCORE] += score
    player[i, OPPONENTS] += other
    player[i, MATCHES] += 1.0


@kernel
def close_period(player: Floats, members: Codes, clock: Counts, created: Floats, rules: Floats, averages: bool) -> None:
    """New ratings of all who played in the period."""
    for place in range(clock[1]):
        i = members[place]
        n, rating = player[i, MATCHES], player[i, RATING]
        surprise = player[i, SURPRISE]
        if averages:
            surprise = player[i, SCORE] - n / (1.0 + math.exp(player[i, OPPONENTS] / n - rating))
        gain = rules[STEP] * surprise
        bonus = max(gain - rules[THRESHOLD] * math.sqrt(n), 0.0)
        played = rating + gain + bonus
        player[i, RATING] = max(played, rules[LOWEST], player[i, PEAK] - rules[DROP])
        player[i, PEAK] = max(player[i, PEAK], player[i, RATING])
        created[AVERAGING] += gain
        created[BONUS] += bonus
        created[FLOOR] += player[i, RATING] - played
        player[i, SURPRISE] = player[i, SCORE] = player[i, OPPONENTS] = player[i, MATCHES] = 0.0
    if not math.isnan(rules[MEAN]):
        _normalise_newcomers(player, members, clock, created, rules[MEAN])
    for place in range(clock[1]):
        player[members[place], IS_NEW] = 0.0
    clock[1] = 0


@register_jitable
def _normalise_newcomers(player, members, clock, created, mean):  # type: ignore[no-untyped-def]
    total, number = 0.0, 0
    for place in range(clock[1]):
        if player[members[place], IS_NEW] > 0.0:
            total += player[members[place], RATING]
            number += 1
    if number == 0:
        return
    shift = mean - total / number
    for place in range(clock[1]):
        i = members[place]
        if player[i, IS_NEW] > 0.0:
            player[i, RATING] += shift
            player[i, PEAK] = player[i, RATING]
    created[NEWCOMERS] += shift * number


def new_members(n_players: int) -> Floats:
    """Rows of players who have not played."""
    player = np.zeros((n_players, 8))
    player[:, IS_NEW] = 1.0
    return player
