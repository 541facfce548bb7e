"""The pass of Glickman's Glicko-2 in natural units, which are its own scale (173.7178 Elo points).

Sums over the matches of a rating period are kept for each player and turned into a new rating when they next play in
another period: players who pause cost nothing, and a period needs no sweep over all of them.

A departure: Glickman takes one Newton step from the rating before the period. Far from it the curve is not what it was
there, and seven wins against players 650 points stronger would lead 2400 points beyond them. A step of more than one
deviation therefore goes no further than to the most likely rating.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel

MU, PHI, SIGMA, PERIOD, INFORMATION, SURPRISE, WEIGHT, MATCHES = range(8)
"""Columns of a player: rating, deviation, volatility, the period (or the time) of their last match, and over the
matches of the period the sums of g^2 E (1 - E), of g (S - E) and of g, and their number."""

WIDTH = 8
"""Columns in memory: one cache line."""

_TOLERANCE = 1e-6
_AHEAD = 16
_HALVINGS = 40


@kernel
def glicko_pass(
    first: Codes,
    second: Codes,
    halves: Halves,
    period: Counts,
    counts_pauses: bool,
    player: Floats,
    tau: float,
    largest: float,
    expected: Floats,
    middle: Floats,
) -> None:
    """Play the matches in order, moving `player` in place; forecasts are of the ratings before the period.

    Deviations grow by pauses up to `largest`. `middle` gets the mean rating of each pair, unless its length is 0.
    """
    if JIT:
        player = lanes.borrow(player)
    n = len(first)
    for t in range(n):
        if JIT and t + _AHEAD < n:
            lanes.prefetch(player, first[t + _AHEAD], 0)
            lanes.prefetch(player, second[t + _AHEAD], 0)
        i, j = np.uint32(first[t]), np.uint32(second[t])
        _enter_period(player, i, period[t], counts_pauses, tau, largest)
        _enter_period(player, j, period[t], counts_pauses, tau, largest)
        difference = player[i, MU] - player[j, MU]
        phi_i, phi_j = player[i, PHI], player[j, PHI]
        expected[t] = _expect(difference, math.sqrt(phi_i * phi_i + phi_j * phi_j))
        if len(middle):
            middle[t] = 0.5 * (player[i, MU] + player[j, MU])
        score = 0.5 * halves[t]
        _note(player, i, difference, phi_j, score)
        _note(player, j, -difference, phi_i, 1.0 - score)


@kernel
def glicko_match_pass(
    first: Codes,
    second: Codes,
    halves: Halves,
    time: Floats,
    is_timed: bool,
    player: Floats,
    tau: float,
    largest: float,
    expected: Floats,
    middle: Floats,
) -> None:
    """Play a match at a time, moving `player` in place; deviations grow with the time since a player's last match.

    Without times one unit passes between the matches of a player.
    """
    if JIT:
        player = lanes.borrow(player)
    n = len(first)
    for t in range(n):
        if JIT and t + _AHEAD < n:
            lanes.prefetch(player, first[t + _AHEAD], 0)
            lanes.prefetch(player, second[t + _AHEAD], 0)
        i, j = np.uint32(first[t]), np.uint32(second[t])
        passed_i = _passed(player, i, time[t], is_timed)
        passed_j = _passed(player, j, time[t], is_timed)
        phi_i, phi_j = _grown(player, i, passed_i, largest), _grown(player, j, passed_j, largest)
        difference = player[i, MU] - player[j, MU]
        expected[t] = _expect(difference, math.sqrt(phi_i * phi_i + phi_j * phi_j))
        if len(middle):
            middle[t] = 0.5 * (player[i, MU] + player[j, MU])
        score = 0.5 * halves[t]
        _note(player, i, difference, phi_j, score)
        _note(player, j, -difference, phi_i, 1.0 - score)
        _update(player, i, tau, passed_i, largest)
        _update(player, j, tau, passed_j, largest)
        player[i, PERIOD] = player[j, PERIOD] = time[t]


@kernel
def grow_deviations(player: Floats, time: float, is_timed: bool, largest: float) -> None:
    """Bring the deviations of all who played to a time, or to their next match."""
    for i in range(len(player)):
        if player[i, PERIOD] > -math.inf:
            u = np.uint32(i)
            player[u, PHI] = _grown(player, u, _passed(player, u, time, is_timed), largest)


@kernel
def close_periods(player: Floats, period: int, counts_pauses: bool, tau: float, largest: float) -> None:
    """Bring all players to the beginning of a period, those who never played as they are."""
    for i in range(len(player)):
        if player[i, PERIOD] > -math.inf:
            _enter_period(player, np.uint32(i), period, counts_pauses, tau, largest)


def newcomers(n_players: int, phi: float, sigma: float) -> Floats:
    """Rows of players who have not played."""
    player = np.zeros((n_players, WIDTH))
    player[:, PHI], player[:, SIGMA], player[:, PERIOD] = phi, sigma, -np.inf
    return player


@register_jitable
def _enter_period(player, i, period, counts_pauses, tau, largest):  # type: ignore[no-untyped-def]  # Numba infers
    last = player[i, PERIOD]
    if last == period:
        return
    if player[i, INFORMATION] > 0.0:
        _update(player, i, tau, 1.0, math.inf)
    phi, sigma = player[i, PHI], player[i, SIGMA]
    if counts_pauses and last > -math.inf and period - last > 1.0:
        # Glickman's step 6 for each period missed; nobody is less certain than a newcomer
        phi = math.sqrt(phi * phi + (period - last - 1.0) * sigma * sigma)
    player[i, PHI] = min(phi, largest)
    player[i, PERIOD] = period


@register_jitable
def _passed(player, i, time, is_timed):  # type: ignore[no-untyped-def]
    """The time since a player's last match; nothing passes before their first."""
    last = player[i, PERIOD]
    if last == -math.inf:
        return 0.0
    return max(time - last, 0.0) if is_timed else 1.0


@register_jitable
def _grown(player, i, passed, largest):  # type: ignore[no-untyped-def]
    phi, sigma = player[i, PHI], player[i, SIGMA]
    return min(math.sqrt(phi * phi + passed * sigma * sigma), largest)


@register_jitable
def _note(player, i, difference, phi_other, score):  # type: ignore[no-untyped-def]
    g = 1.0 / math.sqrt(1.0 + 3.0 * phi_other * phi_other / (math.pi * math.pi))
    e = 1.0 / (1.0 + math.exp(-g * difference))
    player[i, INFORMATION] += g * g * e * (1.0 - e)
    player[i, SURPRISE] += g * (score - e)
    player[i, WEIGHT] += g
    player[i, MATCHES] += 1.0


@register_jitable
def _expect(difference, phi):  # type: ignore[no-untyped-def]
    g = 1.0 / math.sqrt(1.0 + 3.0 * phi * phi / (math.pi * math.pi))
    return 1.0 / (1.0 + math.exp(-g * difference))


@register_jitable
def _update(player, i, tau, passed, largest):  # type: ignore[no-untyped-def]
    """Steps 3 to 7 for one player, after so many units of time: one for a period."""
    v = 1.0 / player[i, INFORMATION]
    delta = v * player[i, SURPRISE]
    phi = player[i, PHI]
    sigma = _new_volatility(player[i, SIGMA], phi, v, delta, tau, passed)
    before = min(phi * phi + passed * sigma * sigma, largest * largest)
    after = 1.0 / (1.0 / before + 1.0 / v)
    player[i, MU] += _bounded(after * player[i, SURPRISE], before, player, i)
    player[i, PHI], player[i, SIGMA] = math.sqrt(after), sigma
    player[i, INFORMATION] = player[i, SURPRISE] = player[i, WEIGHT] = player[i, MATCHES] = 0.0


@register_jitable
def _bounded(step, before, player, i):  # type: ignore[no-untyped-def]
    """The step, which goes beyond one deviation only up to the most likely rating."""
    size, deviation = abs(step), math.sqrt(before)
    if size <= deviation:
        return step
    weight, n = player[i, WEIGHT], player[i, MATCHES]
    likely = _most_likely(before, player[i, INFORMATION], abs(player[i, SURPRISE]), weight, n, size)
    return math.copysign(max(deviation, likely), step)


@register_jitable
def _most_likely(before, information, surprise, weight, n, furthest):  # type: ignore[no-untyped-def]
    """How far the maximum of prior and likelihood is, at most `furthest`, in the direction of the surprise.

    The sums stand for as many equal matches: with the mean g, and the expectation and score that give the same sums.
    """
    g = weight / n
    e = 0.5 - math.sqrt(max(0.25 - information / (n * g * g), 0.0))
    e = max(e, 1e-12)
    score = min(e + surprise / weight, 1.0)
    odds = math.log(e / (1.0 - e))
    low, high = 0.0, furthest
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if middle < before * weight * (score - 1.0 / (1.0 + math.exp(-odds - g * middle))):
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@register_jitable
def _new_volatility(sigma, phi, v, delta, tau, passed):  # type: ignore[no-untyped-def]
    """The root of Glickman's f by the Illinois method (step 5), after so many units of time; without any as it was."""
    if passed <= 0.0:
        return sigma
    a = 2.0 * math.log(sigma)
    low = a
    if delta * delta > phi * phi + v:
        high = math.log((delta * delta - phi * phi - v) / passed)
    else:
        high = a - tau
        while _slack(high, a, phi, v, delta, tau, passed) < 0.0:
            high -= tau
    f_low, f_high = _slack(low, a, phi, v, delta, tau, passed), _slack(high, a, phi, v, delta, tau, passed)
    while abs(high - low) > _TOLERANCE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = _slack(middle, a, phi, v, delta, tau, passed)
        if f_middle * f_high <= 0.0:
            low, f_low = high, f_high
        else:
            f_low *= 0.5
        high, f_high = middle, f_middle
    return math.exp(0.5 * low)


@register_jitable
def _slack(x, a, phi, v, delta, tau, passed):  # type: ignore[no-untyped-def]
    e = passed * math.exp(x)
    total = phi * phi + v + e
    return e * (delta * delta - total) / (2.0 * total * total) - (x - a) / (tau * tau)
