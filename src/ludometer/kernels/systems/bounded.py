"""Ratings with uncertainties, match after match, on a logistic curve between a floor and a ceiling; many lanes at once.

In natural units: ratings start at 0 with a variance v_0 and gain a variance `drift` per match. With d = r_i - r_j +
advantage and the variance V of d, E[logistic(d)] is about L = logistic(d / root(1 + pi V / 8)) (MacKay 1992), and the
forecast E = floor + (ceiling - floor) L. Then r += v (ln P)', v -= v^2 I + ..., I = E'^2 / (E (1 - E)) being what the
match tells about d: the step of a density filter with the expected curvature, which keeps variances above 0.
"""

from __future__ import annotations

import math

import numpy as np

from ludometer.arrays import Codes, Floats, Halves
from ludometer.kernels.runtime.compile import JIT, kernel

_SURE = 1e-12
"""No forecast is surer: a match that goes against it costs 28, not infinitely much."""


def bounded_pass_plain(
    first: Codes, second: Codes, halves: Halves, n_players: int, settings: Floats, expected: Floats
) -> Floats:
    """The plain twin of `bounded_pass`."""
    variance_0, drift, floor, ceiling, advantage = settings.T
    rating, variance = np.zeros((n_players, len(settings))), np.tile(variance_0, (n_players, 1))
    loss = np.zeros(len(settings))
    for t, (i, j, half) in enumerate(zip(first, second, halves, strict=True)):
        tight = 1 / np.sqrt(1 + np.pi / 8 * (variance[i] + variance[j]))
        logistic = 1 / (1 + np.exp(-tight * (rating[i] - rating[j] + advantage)))
        forecast = np.clip(floor + (ceiling - floor) * logistic, _SURE, 1 - _SURE)
        score = half / 2
        loss -= score * np.log(forecast) + (1 - score) * np.log(1 - forecast)
        if len(expected):
            expected[t] = forecast
        slope = (ceiling - floor) * tight * logistic * (1 - logistic)
        weight = slope / (forecast * (1 - forecast))
        rating[i] += variance[i] * weight * (score - forecast)
        rating[j] -= variance[j] * weight * (score - forecast)
        variance[i] += drift - variance[i] ** 2 * weight * slope
        variance[j] += drift - variance[j] ** 2 * weight * slope
    return loss


def bounded_pass(
    first: Codes, second: Codes, halves: Halves, n_players: int, settings: Floats, expected: Floats
) -> Floats:
    """The log loss of each lane, summed over the matches.

    `settings` is (lanes, 5): variance at the start, drift, floor, ceiling, advantage of the first seat. `expected`
    (n, lanes) gets the forecasts; of length 0 they are not wanted.
    """
    play = _bounded_pass if JIT else bounded_pass_plain
    return play(first, second, halves, n_players, np.ascontiguousarray(settings, np.float64), expected)


@kernel
def _bounded_pass(
    first: Codes, second: Codes, halves: Halves, n_players: int, settings: Floats, expected: Floats
) -> Floats:
    n_lanes = len(settings)
    rating, variance = np.zeros((n_players, n_lanes)), np.empty((n_players, n_lanes))
    variance[:] = settings[:, 0]
    loss = np.zeros(n_lanes)
    wants_expected = len(expected) > 0
    for t in range(len(first)):
        i, j = np.uint32(first[t]), np.uint32(second[t])
        score = 0.5 * halves[t]
        for lane in range(n_lanes):
            drift, floor, advantage = settings[lane, 1], settings[lane, 2], settings[lane, 4]
            share = settings[lane, 3] - floor
            mine, other = variance[i, lane], variance[j, lane]
            tight = 1.0 / math.sqrt(1.0 + math.pi / 8.0 * (mine + other))
            logistic = 1.0 / (1.0 + math.exp(-tight * (rating[i, lane] - rating[j, lane] + advantage)))
            forecast = min(max(floor + share * logistic, _SURE), 1.0 - _SURE)
            if halves[t] == 2:
                loss[lane] -= math.log(forecast)
            elif halves[t] == 0:
                loss[lane] -= math.log(1.0 - forecast)
            else:
                loss[lane] -= 0.5 * (math.log(forecast) + math.log(1.0 - forecast))
            if wants_expected:
                expected[t, lane] = forecast
            slope = share * tight * logistic * (1.0 - logistic)
            weight = slope / (forecast * (1.0 - forecast))
            rating[i, lane] += mine * weight * (score - forecast)
            rating[j, lane] -= other * weight * (score - forecast)
            variance[i, lane] = mine + drift - mine * mine * weight * slope
            variance[j, lane] = other + drift - other * other * weight * slope
    return loss
