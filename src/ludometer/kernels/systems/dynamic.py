"""Passes of Smith's dynamic systems in natural units: constant, tabulated and shrinking steps, and retirement.

After a game R_1 += (h / 2) (S - E), R_2 -= (h / 2) (S - E), E = wp(R_1 - R_2): Smith 1994, equation 68.
A curve is a table of `curve_table` with nodes at equal distances (`spacing`) either side of 0; of length 0 it is the
logistic one. Steps that depend on |R_1 - R_2| have one value for each of 0, spacing, 2 spacing, ..., with straight
lines between them, which stay within their bounds.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel
from ludometer.kernels.systems.curve_table import look_up

_AHEAD = 16
_CACHED = 100_000
"""As in the Elo pass: from so many players on, ratings are prefetched some matches ahead."""

RATING, ENTRY, LAST, BEFORE, AFTER, ACTIVE = range(6)
"""Columns of a player in the pass with retirement: the rating, the last match, and the neighbours in a list
of all active players, longest idle first."""

OFFSET, POT, N_ACTIVE, HEAD, TAIL = range(5)
"""What belongs to the whole league: points that each active player was given, points that found nobody to go to, how
many are active, and the ends of their list."""

NOBODY = -1.0


@kernel
def dynamic_pass(
    first: Codes,
    second: Codes,
    halves: Halves,
    rating: Floats,
    step: float,
    curve: Floats,
    steps: Floats,
    spacing: float,
    expected: Floats,
) -> None:
    """Play the matches in order, moving `rating` (players, 1) in place; `expected` (n) gets the forecasts.

    `step` is h / 2; where there is a table `steps` it is that at each difference.
    """
    if JIT:
        first, second, rating = lanes.borrow(first), lanes.borrow(second), lanes.borrow(rating)
        curve, steps = lanes.borrow(curve), lanes.borrow(steps)
    n = len(first)
    flat = rating.reshape(-1)
    is_large, is_logistic, is_constant = len(flat) > _CACHED, len(curve) == 0, len(steps) == 0
    density = 1.0 / spacing
    for t in range(n):
        if is_large:
            _look_ahead(first, second, rating, t, n)
        i, j = np.uint32(first[t]), np.uint32(second[t])
        x, y = flat[i], flat[j]
        forecast = 1.0 / (1.0 + math.exp(y - x)) if is_logistic else _tabulated(x - y, curve, density)
        expected[t] = forecast
        move = (step if is_constant else _line(abs(x - y), steps, density)) * (0.5 * halves[t] - forecast)
        flat[i] = x + move
        flat[j] = y - move


@kernel
def shrinking_pass(
    first: Codes,
    second: Codes,
    halves: Halves,
    player: Floats,
    step: float,
    lowest: float,
    root: Floats,
    curve: Floats,
    spacing: float,
    expected: Floats,
) -> None:
    """The same with the step `step` (G_1 G_2)^(-1/3), never below `lowest`; G_i counts this game too.

    `player` (players, 2) has rating and games; `root` has G^(-1/3) for G from 0 to where it is computed instead.
    """
    if JIT:
        first, second, player = lanes.borrow(first), lanes.borrow(second), lanes.borrow(player)
        root, curve = lanes.borrow(root), lanes.borrow(curve)
    n = len(first)
    is_large, is_logistic = len(player) > _CACHED // 2, len(curve) == 0
    density = 1.0 / spacing
    for t in range(n):
        if is_large:
            _look_ahead(first, second, player, t, n)
        i, j = np.uint32(first[t]), np.uint32(second[t])
        x, y = player[i, 0], player[j, 0]
        forecast = 1.0 / (1.0 + math.exp(y - x)) if is_logistic else _tabulated(x - y, curve, density)
        expected[t] = forecast
        games, others = player[i, 1] + 1.0, player[j, 1] + 1.0
        size = max(step * _inverse_root(games, root) * _inverse_root(others, root), lowest)
        move = size * (0.5 * halves[t] - forecast)
        player[i, 0], player[i, 1] = x + move, games
        player[j, 0], player[j, 1] = y - move, others


@kernel
def retiring_pass(
    first: Codes,
    second: Codes,
    halves: Halves,
    day: Floats,
    player: Floats,
    league: Floats,
    idle: float,
    step: float,
    curve: Floats,
    steps: Floats,
    spacing: float,
    expected: Floats,
) -> None:
    """The pass of `dynamic_pass` in which players who have not played for more than `idle` days retire.

    What they won since they entered is shared out equally among those who stay, and taken back if they return.
    The rating of an active player is their column plus the league's offset, so that sharing out costs nothing.
    """
    if JIT:
        player, league = lanes.borrow(player), lanes.borrow(league)
        curve, steps = lanes.borrow(curve), lanes.borrow(steps)
    is_logistic, is_constant = len(curve) == 0, len(steps) == 0
    density = 1.0 / spacing
    for t in range(len(first)):
        i, j = np.int64(first[t]), np.int64(second[t])
        while league[HEAD] != NOBODY and player[int(league[HEAD]), LAST] + idle < day[t]:
            _retire_oldest(player, league)
        for k in (i, j):
            if player[k, ACTIVE] == 0.0:
                _activate(player, league, k)
            else:
                _unlink(player, league, k)
            _append(player, league, k, day[t])
        x, y = player[i, RATING], player[j, RATING]
        forecast = 1.0 / (1.0 + math.exp(y - x)) if is_logistic else _tabulated(x - y, curve, density)
        expected[t] = forecast
        move = (step if is_constant else _line(abs(x - y), steps, density)) * (0.5 * halves[t] - forecast)
        player[i, RATING] = x + move
        player[j, RATING] = y - move


@register_jitable
def _retire_oldest(player, league):  # type: ignore[no-untyped-def]  # Numba infers the types
    """All who played last at the same time retire together."""
    day = player[int(league[HEAD]), LAST]
    won = 0.0
    while league[HEAD] != NOBODY and player[int(league[HEAD]), LAST] == day:
        k = int(league[HEAD])
        _unlink(player, league, k)
        player[k, ACTIVE] = 0.0
        player[k, RATING] += league[OFFSET]
        won += player[k, RATING] - player[k, ENTRY]
        league[N_ACTIVE] -= 1.0
    _share(league, won)


@register_jitable
def _activate(player, league, k):  # type: ignore[no-untyped-def]
    """A newcomer, with nothing won yet, or a player who returns: what they had won is taken from the others."""
    _share(league, player[k, ENTRY] - player[k, RATING])
    player[k, RATING] -= league[OFFSET]
    player[k, ACTIVE] = 1.0
    league[N_ACTIVE] += 1.0


@register_jitable
def _share(league, points):  # type: ignore[no-untyped-def]
    league[POT] += points
    if league[N_ACTIVE] > 0.0:
        league[OFFSET] += league[POT] / league[N_ACTIVE]
        league[POT] = 0.0


@register_jitable
def _unlink(player, league, k):  # type: ignore[no-untyped-def]
    before, after = player[k, BEFORE], player[k, AFTER]
    if before == NOBODY:
        league[HEAD] = after
    else:
        player[int(before), AFTER] = after
    if after == NOBODY:
        league[TAIL] = before
    else:
        player[int(after), BEFORE] = before


@register_jitable
def _append(player, league, k, day):  # type: ignore[no-untyped-def]
    tail = league[TAIL]
    player[k, BEFORE], player[k, AFTER], player[k, LAST] = tail, NOBODY, day
    if tail == NOBODY:
        league[HEAD] = k
    else:
        player[int(tail), AFTER] = k
    league[TAIL] = k


@register_jitable
def _inverse_root(games, root):  # type: ignore[no-untyped-def]
    return root[np.uint32(games)] if games < len(root) else games ** (-1.0 / 3.0)


@register_jitable
def _tabulated(x, curve, density):  # type: ignore[no-untyped-def]
    """wp(x) by its table, which has as many nodes below 0 as above."""
    return look_up(curve, -0.5 * (len(curve) - 1) / density, density, x)


@register_jitable
def _line(size, steps, density):  # type: ignore[no-untyped-def]
    place = min(size * density, len(steps) - 1.0)
    node = min(int(place), len(steps) - 2)
    return steps[node] + (place - node) * (steps[node + 1] - steps[node])


@register_jitable
def _look_ahead(first, second, player, t, n):  # type: ignore[no-untyped-def]
    if JIT and t + _AHEAD < n:
        lanes.prefetch(player, first[t + _AHEAD], 0)
        lanes.prefetch(player, second[t + _AHEAD], 0)


def inverse_roots(n: int = 1 << 12) -> Floats:
    """G^(-1/3) for G from 0 (never asked for) to n - 1."""
    root = np.zeros(n)
    root[1:] = np.arange(1.0, n) ** (-1 / 3)
    return root


def linked_players(n_players: int, entry: float) -> Floats:
    """Rows of players who have not played yet."""
    player = np.zeros((n_players, 6))
    player[:, [RATING, ENTRY]] = entry
    player[:, [BEFORE, AFTER]] = NOBODY
    return player


def empty_league() -> Floats:
    """A league of nobody."""
    league = np.zeros(5)
    league[[HEAD, TAIL]] = NOBODY
    return league


def linked_ratings(player: Floats, league: Floats) -> Floats:
    """What the ratings are: of active players with the offset."""
    return np.asarray(player[:, RATING] + np.where(player[:, ACTIVE] > 0, league[OFFSET], 0.0))


def active_players(player: Floats) -> Counts:
    """Who has played and not retired since."""
    return np.flatnonzero(player[:, ACTIVE] > 0)


_SURE = 1e-15


@kernel
def sum_log_loss(halves: Halves, expected: Floats) -> float:
    """The sum of -(S ln E + (1 - S) ln(1 - E)), forecasts kept 1e-15 away from 0 and 1."""
    total = 0.0
    for t in range(len(halves)):
        e = min(max(expected[t], _SURE), 1.0 - _SURE)
        if halves[t] == 2:
            total -= math.log(e)
        elif halves[t] == 0:
            total -= math.log1p(-e)
        else:
            total -= 0.5 * (math.log(e) + math.log1p(-e))
    return total
