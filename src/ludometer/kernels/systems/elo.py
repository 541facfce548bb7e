"""The sequential Elo pass in natural units: one rating per player, or many lanes (many k) in one pass.

E = 1 / (1 + exp(-(r_i - r_j))), r_i += step (S - E), r_j -= step (S - E); Duersch et al. 2020, section 2.
The loss is the sum of (S - E)^2 over matches, one side only: the paper's both-sided loss is twice this.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel

_AHEAD = 16
"""Matches between asking for a rating's cache line and using it: with a million players that is 2.5 times faster."""

_CACHED = 100_000
"""So many ratings stay in the cache by themselves, and asking ahead only costs."""


def elo_pass_plain(
    first: Codes,
    second: Codes,
    halves: Halves,
    rating: Floats,
    step: float,
    expected: Floats,
    before: Floats,
    share: float = 1.0,
    loss: float = 0.0,
) -> float:
    """The plain twin of `elo_pass`."""
    for t in range(len(first)):
        i, j = first[t], second[t]
        x, y = rating[i, 0], rating[j, 0]
        forecast = share * _logistic(x - y) + (1 - share) / 2
        if len(expected):
            expected[t] = forecast
        if len(before):
            before[t, 0], before[t, 1] = x, y
        miss = halves[t] / 2 - forecast
        loss += miss * miss
        rating[i, 0] = x + step * miss
        rating[j, 0] = y - step * miss
    return loss


def elo_pass(
    first: Codes,
    second: Codes,
    halves: Halves,
    rating: Floats,
    step: float,
    expected: Floats,
    before: Floats,
    share: float = 1.0,
    loss: float = 0.0,
) -> float:
    """Play the matches in order, moving `rating` (players, 1) in place, and return the loss so far, from `loss` on.

    `expected` (n) gets the forecasts and `before` (n, 2) the ratings at match time; of length 0 they are not wanted.
    """
    play = _elo_pass if JIT else elo_pass_plain
    return play(first, second, halves, rating, step, expected, before, float(share), float(loss))


@kernel
def _elo_pass(
    first: Codes,
    second: Codes,
    halves: Halves,
    rating: Floats,
    step: float,
    expected: Floats,
    before: Floats,
    share: float,
    loss: float,
) -> float:
    floor = 0.5 * (1.0 - share)
    n = len(first)
    wants_expected, wants_before = len(expected) > 0, len(before) > 0
    flat = rating.reshape(-1)
    is_large = len(flat) > _CACHED
    for t in range(n):
        if is_large:
            _look_ahead(first, second, rating, t, n)
        # unsigned: no index counts from the end, and nothing has to ask
        i, j = np.uint32(first[t]), np.uint32(second[t])
        x, y = flat[i], flat[j]
        forecast = share / (1.0 + math.exp(y - x)) + floor
        if wants_expected:
            expected[t] = forecast
        if wants_before:
            before[t, 0], before[t, 1] = x, y
        miss = 0.5 * halves[t] - forecast
        loss += miss * miss
        flat[i] = x + step * miss
        flat[j] = y - step * miss
    return loss


def elo_lanes_plain(
    first: Codes,
    second: Codes,
    halves: Halves,
    rating: Floats,
    step: Floats,
    loss: Floats,
    share: float = 1.0,
    advantage: float = 0.0,
    favoured: Halves | None = None,
) -> None:
    """The plain twin of `elo_lanes`."""
    halves = halves if halves.ndim == 2 else halves[:, np.newaxis]
    group = np.arange(rating.shape[1]) * halves.shape[1] // rating.shape[1]
    lead = np.full(len(first), advantage) if favoured is None else advantage * favoured
    for i, j, half, ahead in zip(first, second, halves, lead, strict=True):
        x, y = rating[i].copy(), rating[j].copy()
        miss = half[group] / 2 - share / (1 + np.exp(np.clip(y - x - ahead, -700, 700))) - (1 - share) / 2
        loss[0] += miss * miss
        rating[i] = x + step[0] * miss
        rating[j] = y - step[0] * miss


def elo_lanes(
    first: Codes,
    second: Codes,
    halves: Halves,
    rating: Floats,
    step: Floats,
    loss: Floats,
    share: float = 1.0,
    advantage: float = 0.0,
    favoured: Halves | None = None,
) -> None:
    """Play the matches once for every lane, a lane having its own step: moves `rating`, adds to `loss`, in place.

    `rating` is (players, lanes), `step` and `loss` are (1, lanes), all made by `lanes.allocate`. `halves` is (n), or
    (n, groups) to play as many games on one schedule: the lanes are in as many equal parts, each with its own results.
    With a `share` below 1 the forecast is share E + (1 - share) / 2 (Duersch et al. 2020, footnote 34). The first seat
    is taken as better by `advantage`, in natural units, or the seat that `favoured` names (1 first, -1 second, 0 none).
    """
    results = halves if halves.ndim == 2 else halves[:, np.newaxis]
    if not rating.shape[1] == step.shape[1] == loss.shape[1] or rating.shape[1] % (lanes.WIDTH * results.shape[1]):
        raise ValueError("ratings, steps and losses need the same number of lanes, a multiple of eight in each group")
    for array in (rating, step, loss):
        if array.dtype != np.float64 or not array.flags.c_contiguous or (array is not rating and not len(array)):
            raise ValueError("ratings, steps and losses have to come from lanes.allocate")
    if JIT:
        seats = everywhere(favoured, len(first))
        _elo_lanes(first, second, results, rating, step, loss, float(share), float(advantage), seats)
    else:
        elo_lanes_plain(first, second, results, rating, step, loss, float(share), float(advantage), favoured)


_FIRST = np.empty(0, np.int8)
_FIRST.flags.writeable = False


def everywhere(favoured: Halves | None, n_matches: int) -> Halves:
    """Which seat is better off as kernels take it, read-only; of length 0 it is the first in every match."""
    if favoured is None:
        return _FIRST
    if len(favoured) != n_matches:
        raise ValueError(f"there are {n_matches} matches, and {len(favoured)} of them have a favoured seat")
    seats = np.ascontiguousarray(favoured, np.int8).view()
    seats.flags.writeable = False
    return seats


@kernel
def _elo_lanes(
    first: Codes,
    second: Codes,
    halves: Halves,
    rating: Floats,
    step: Floats,
    loss: Floats,
    share: float,
    advantage: float,
    favoured: Halves,
) -> None:
    n, n_groups = halves.shape
    width = rating.shape[1] // n_groups
    slope, floor = lanes.splat(-share), 0.5 * (1.0 - share)
    is_large = rating.size > _CACHED
    lead, has_sides = advantage, len(favoured) > 0
    if rating.shape[1] == lanes.WIDTH:
        # one vector: its step and its loss stay in registers
        factor, total = lanes.load(step, 0, 0), lanes.load(loss, 0, 0)
        for t in range(n):
            if is_large:
                _look_ahead(first, second, rating, t, n)
            if has_sides:
                lead = advantage * favoured[t]
            i, j = first[t], second[t]
            x, y = lanes.load(rating, i, 0), lanes.load(rating, j, 0)
            miss = _miss(x, y, lead, 0.5 * halves[t, 0] - floor, slope)
            total = lanes.multiply_add(miss, miss, total)
            lanes.store(rating, i, 0, x + factor * miss)
            lanes.store(rating, j, 0, y - factor * miss)
        lanes.store(loss, 0, 0, total)
        return
    for t in range(n):
        if is_large:
            _look_ahead(first, second, rating, t, n)
        if has_sides:
            lead = advantage * favoured[t]
        i, j = first[t], second[t]
        for group in range(n_groups):
            score = 0.5 * halves[t, group] - floor
            for lane in range(group * width, (group + 1) * width, lanes.WIDTH):
                x, y = lanes.load(rating, i, lane), lanes.load(rating, j, lane)
                miss = _miss(x, y, lead, score, slope)
                lanes.store(loss, 0, lane, lanes.multiply_add(miss, miss, lanes.load(loss, 0, lane)))
                move = lanes.load(step, 0, lane) * miss
                lanes.store(rating, i, lane, x + move)
                lanes.store(rating, j, lane, y - move)


@register_jitable
def _miss(x, y, lead, score, slope):  # type: ignore[no-untyped-def]  # Numba infers the types
    """score + slope / (1 + exp(y - x - lead)): one step fewer than if the forecast were computed first."""
    one = lanes.splat(1.0)
    return lanes.multiply_add(slope, one / (one + lanes.exponential(y - x - lanes.splat(lead))), lanes.splat(score))


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(min(700.0, max(-700.0, -x))))


@register_jitable
def _look_ahead(first, second, rating, t, n):  # type: ignore[no-untyped-def]  # Numba infers the types
    if t + _AHEAD < n:
        for lane in range(0, rating.shape[1], lanes.WIDTH):
            lanes.prefetch(rating, first[t + _AHEAD], lane)
            lanes.prefetch(rating, second[t + _AHEAD], lane)
