"""The pass of Glickman's Glicko-2 in natural units, which are its own scale (173.7178 Elo points).

Sums over the matches of a rating period are kept for each player and turned into a new rating when they next play in
another period: players who pause cost nothing, and a period needs no sweep over all of them.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel

MU, PHI, SIGMA, PERIOD, INFORMATION, SURPRISE = range(6)
"""Columns of a player: rating, deviation, volatility, the period of their last match, and over its matches the sums
of g^2 E (1 - E) and of g (S - E)."""

WIDTH = 8
"""Columns in memory: one cache line."""

_TOLERANCE = 1e-6
_AHEAD = 16


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
) -> None:
    """Play the matches in order, moving `player` in place; forecasts are of the ratings before the period.

    Deviations grow by pauses up to `largest`.
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
        score = 0.5 * halves[t]
        _note(player, i, difference, phi_j, score)
        _note(player, j, -difference, phi_i, 1.0 - score)


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
        _update(player, i, tau)
    phi, sigma = player[i, PHI], player[i, SIGMA]
    if counts_pauses and last > -math.inf and period - last > 1.0:
        # Glickman's step 6 for each period missed; nobody is less certain than a newcomer
        phi = math.sqrt(phi * phi + (period - last - 1.0) * sigma * sigma)
    player[i, PHI] = min(phi, largest)
    player[i, PERIOD] = period


@register_jitable
def _note(player, i, difference, phi_other, score):  # type: ignore[no-untyped-def]
    g = 1.0 / math.sqrt(1.0 + 3.0 * phi_other * phi_other / (math.pi * math.pi))
    e = 1.0 / (1.0 + math.exp(-g * difference))
    player[i, INFORMATION] += g * g * e * (1.0 - e)
    player[i, SURPRISE] += g * (score - e)


@register_jitable
def _expect(difference, phi):  # type: ignore[no-untyped-def]
    g = 1.0 / math.sqrt(1.0 + 3.0 * phi * phi / (math.pi * math.pi))
    return 1.0 / (1.0 + math.exp(-g * difference))


@register_jitable
def _update(player, i, tau):  # type: ignore[no-untyped-def]
    """Steps 3 to 7 for one player and one period."""
    v = 1.0 / player[i, INFORMATION]
    delta = v * player[i, SURPRISE]
    phi = player[i, PHI]
    sigma = _new_volatility(player[i, SIGMA], phi, v, delta, tau)
    before = phi * phi + sigma * sigma
    after = 1.0 / (1.0 / before + 1.0 / v)
    player[i, MU] += after * player[i, SURPRISE]
    player[i, PHI], player[i, SIGMA] = math.sqrt(after), sigma
    player[i, INFORMATION] = player[i, SURPRISE] = 0.0


@register_jitable
def _new_volatility(sigma, phi, v, delta, tau):  # type: ignore[no-untyped-def]
    """The root of Glickman's f by the Illinois method (step 5)."""
    a = 2.0 * math.log(sigma)
    low = a
    if delta * delta > phi * phi + v:
        high = math.log(delta * delta - phi * phi - v)
    else:
        high = a - tau
        while _slack(high, a, phi, v, delta, tau) < 0.0:
            high -= tau
    f_low, f_high = _slack(low, a, phi, v, delta, tau), _slack(high, a, phi, v, delta, tau)
    while abs(high - low) > _TOLERANCE:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = _slack(middle, a, phi, v, delta, tau)
        if f_middle * f_high <= 0.0:
            low, f_low = high, f_high
        else:
            f_low *= 0.5
        high, f_high = middle, f_middle
    return math.exp(0.5 * low)


@register_jitable
def _slack(x, a, phi, v, delta, tau):  # type: ignore[no-untyped-def]
    e = math.exp(x)
    total = phi * phi + v + e
    return e * (delta * delta - total) / (2.0 * total * total) - (x - a) / (tau * tau)
