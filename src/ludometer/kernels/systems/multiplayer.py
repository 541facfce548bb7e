"""The sequential Elo pass over multiplayer matches, in natural units: one rating per player, or many lanes.

Rank-ordered logit (`kernels.ranks`): E_i = sum over places of prize_k P(i is k-th), r_i += step (S_i - E_i);
Duersch et al. 2020, section 4. Prizes are shares of the largest one. The loss is half the sum of (S_i - E_i)^2 over
seats, which for two-player matches is the one-sided loss of `kernels.systems.elo`: the paper's loss is twice this.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel
from ludometer.kernels.skills.ranks import SPREAD, expect_at, expect_shares_plain, scratch_rows

_AHEAD = 40
"""Seats between asking for a rating's cache line and using it."""

_CACHED = 250_000
"""So many ratings stay in the cache by themselves, and asking ahead only costs."""

SORTED_FROM = 1000
"""Seats from which on sorting costs less than comparing each with each."""


def seats_pass_plain(
    starts: Counts,
    player: Codes,
    score: Floats,
    prize: Floats,
    rating: Floats,
    step: float,
    expected: Floats,
    before: Floats,
) -> float:
    """The plain twin of `seats_pass`."""
    loss = 0.0
    for start, stop in pairwise(starts):
        who = player[start:stop]
        own = rating[who, 0]
        forecast = expect_shares_plain(np.exp(np.maximum(own - own.max(), -SPREAD)), prize[start:stop])
        if len(expected):
            expected[start:stop] = forecast
        if len(before):
            before[start:stop] = own
        miss = score[start:stop] - forecast
        loss += 0.5 * float(miss @ miss)
        rating[who, 0] = own + step * miss
    return loss


def seats_pass(
    starts: Counts,
    player: Codes,
    score: Floats,
    prize: Floats,
    rating: Floats,
    step: float,
    expected: Floats,
    before: Floats,
) -> float:
    """Play the matches in order, moving `rating` (players, 1) in place, and return the loss.

    `score` is each seat's share of the largest prize, `prize` holds the shares of places 1 to n of match m from
    starts[m] on. `expected` gets the forecasts and `before` the ratings at match time, both one per seat; of length 0
    they are not wanted.
    """
    if not JIT:
        return seats_pass_plain(starts, player, score, prize, rating, step, expected, before)
    largest = int(np.diff(starts).max(initial=0))
    own, weight, forecast = (np.empty(largest) for _ in range(3))
    scratch = np.empty(scratch_rows(largest))
    return _seats_pass(starts, player, score, prize, rating, step, expected, before, own, weight, forecast, scratch)


@kernel
def _seats_pass(
    starts: Counts,
    player: Codes,
    score: Floats,
    prize: Floats,
    rating: Floats,
    step: float,
    expected: Floats,
    before: Floats,
    own: Floats,
    weight: Floats,
    forecast: Floats,
    scratch: Floats,
) -> float:
    prize, own, weight, forecast, scratch = _borrow(prize, own, weight, forecast, scratch)
    wants_expected, wants_before = len(expected) > 0, len(before) > 0
    loss = 0.0
    for match in range(len(starts) - 1):
        start = starts[match]
        n = starts[match + 1] - start
        for i in range(n):
            own[i] = rating[player[start + i], 0]
        expect_at(own, n, prize, start, weight, forecast, scratch)
        for i in range(n):
            if wants_expected:
                expected[start + i] = forecast[i]
            if wants_before:
                before[start + i] = own[i]
            miss = score[start + i] - forecast[i]
            loss += 0.5 * (miss * miss)
            rating[player[start + i], 0] = own[i] + step * miss
    return loss


def seats_lanes_plain(
    starts: Counts, player: Codes, score: Floats, prize: Floats, rating: Floats, step: Floats, loss: Floats
) -> None:
    """The plain twin of `seats_lanes`."""
    each = rating.shape[1] // score.shape[1]
    nothing = np.empty(0)
    for lane in range(rating.shape[1]):
        own_score, own_step = score[:, lane // each], float(step[0, lane])
        loss[0, lane] += seats_pass_plain(
            starts, player, own_score, prize, rating[:, lane : lane + 1], own_step, nothing, nothing
        )


def seats_lanes(
    starts: Counts, player: Codes, score: Floats, prize: Floats, rating: Floats, step: Floats, loss: Floats
) -> None:
    """Play the matches once for every lane, a lane having its own step: moves `rating`, adds to `loss`, in place.

    `rating` is (players, lanes), `step` and `loss` are (1, lanes), all made by `lanes.allocate`. `score` is
    (seats, groups): the lanes are in that many equal parts, each with its own scores.
    """
    if not rating.shape[1] == step.shape[1] == loss.shape[1] or rating.shape[1] % lanes.WIDTH:
        raise ValueError("ratings, steps and losses need the same number of lanes, a multiple of eight")
    for array in (rating, step, loss):
        if array.dtype != np.float64 or not array.flags.c_contiguous or (array is not rating and not len(array)):
            raise ValueError("ratings, steps and losses have to come from lanes.allocate")
    if score.ndim != 2 or not score.shape[1] or rating.shape[1] % (lanes.WIDTH * score.shape[1]):
        raise ValueError("the lanes have to be in as many equal parts, of multiples of eight, as there are scores")
    if not JIT:
        seats_lanes_plain(starts, player, score, prize, rating, step, loss)
        return
    largest = int(np.diff(starts).max(initial=0))
    own, weight, forecast = (lanes.allocate(largest, lanes.WIDTH) for _ in range(3))
    scratch = lanes.allocate(scratch_rows(largest), lanes.WIDTH)
    _seats_lanes(starts, player, score, prize, rating, step, loss, own, weight, forecast, scratch)


@kernel
def _seats_lanes(
    starts: Counts,
    player: Codes,
    score: Floats,
    prize: Floats,
    rating: Floats,
    step: Floats,
    loss: Floats,
    own: Floats,
    weight: Floats,
    forecast: Floats,
    scratch: Floats,
) -> None:
    prize, own, weight, forecast, scratch = _borrow(prize, own, weight, forecast, scratch)
    player, score, rating = lanes.borrow(player), lanes.borrow(score), lanes.borrow(rating)
    step, loss = lanes.borrow(step), lanes.borrow(loss)
    n_lanes = rating.shape[1]
    each = n_lanes // score.shape[1]
    is_large = rating.size > _CACHED
    for match in range(len(starts) - 1):
        start = starts[match]
        n = starts[match + 1] - start
        if is_large:
            _look_ahead(player, rating, start, n)
        if n == 2:
            _play_two(player, score, prize, rating, step, loss, start)
            continue
        for lane in range(0, n_lanes, lanes.WIDTH):
            group = lane // each
            for i in range(n):
                lanes.store(own, i, 0, lanes.load(rating, player[start + i], lane))
            expect_at(own, n, prize, start, weight, forecast, scratch)
            own_step = lanes.load(step, 0, lane)
            total = lanes.splat(0.0)
            for i in range(n):
                miss = score[start + i, group] - lanes.load(forecast, i, 0)
                total = lanes.multiply_add(miss, miss, total)
                moved = lanes.load(own, i, 0) + own_step * miss
                lanes.store(rating, player[start + i], lane, moved)
            lanes.store(loss, 0, lane, lanes.load(loss, 0, lane) + total * 0.5)


@register_jitable(forceinline=True)
def _play_two(player, score, prize, rating, step, loss, start):  # type: ignore[no-untyped-def]
    """A match of two, without a detour through memory: half of the cost of larger ones is there."""
    each = rating.shape[1] // score.shape[1]
    i, j = player[start], player[start + 1]
    lowest, first = prize[start + 1], prize[start] - prize[start + 1]
    for lane in range(0, rating.shape[1], lanes.WIDTH):
        x, y = lanes.load(rating, i, lane), lanes.load(rating, j, lane)
        share = first / (1.0 + lanes.exp(y - x))
        miss = (score[start, lane // each] - lowest) - share
        other_miss = (score[start + 1, lane // each] - (lowest + first)) + share
        total = lanes.multiply_add(miss, miss, other_miss * other_miss)
        own_step = lanes.load(step, 0, lane)
        lanes.store(rating, i, lane, x + own_step * miss)
        lanes.store(rating, j, lane, y + own_step * other_miss)
        lanes.store(loss, 0, lane, lanes.load(loss, 0, lane) + total * 0.5)


def order_seats_plain(starts: Counts, key: Floats, place: Codes) -> None:
    """The plain twin of `order_seats`."""
    for start, stop in pairwise(starts):
        for seat in range(start, stop):
            place[seat] = 1 + sum(1 for other in range(start, stop) if key[other] > key[seat])


def order_seats(starts: Counts, key: Floats, place: Codes) -> None:
    """Write the place of each seat in its match by `key`, largest first: 1, 2, 2, 4 where two keys are equal."""
    order = _order_seats if JIT else order_seats_plain
    order(starts, key, place)


@kernel
def _order_seats(starts: Counts, key: Floats, place: Codes) -> None:
    key, place = lanes.borrow(key), lanes.borrow(place)
    for match in range(len(starts) - 1):
        start, stop = starts[match], starts[match + 1]
        order_match(key[start:stop], stop - start, place[start:stop])


@register_jitable
def order_match(key, n, place):  # type: ignore[no-untyped-def]  # Numba infers the types
    """Write the places of the first n by `key`, as `order_seats` does for many matches."""
    if n < SORTED_FROM:
        # counted from 0 on, so that no index can count from the end: then the comparisons are SIMD code
        for i in range(n):
            better = 0
            for j in range(n):
                better += key[j] > key[i]
            place[i] = 1 + better
        return
    order = np.argsort(key[:n])
    for i in range(n):
        seat = order[n - 1 - i]
        is_tied = i > 0 and key[seat] == key[order[n - i]]
        place[seat] = place[order[n - i]] if is_tied else i + 1


def share_prizes_plain(starts: Counts, place: Codes, prize: Floats, score: Floats) -> None:
    """The plain twin of `share_prizes`."""
    for start, stop in pairwise(starts):
        for seat in range(start, stop):
            n_tied = int((place[start:stop] == place[seat]).sum())
            slot = start + place[seat] - 1
            score[seat] = prize[slot : slot + n_tied].mean()


@kernel
def share_prizes(starts: Counts, place: Codes, prize: Floats, score: Floats) -> None:
    """Write what each seat gets: the prize of its place, or the mean of those that tied places straddle.

    `prize` holds those of places 1 to n of match m from starts[m] on; places are 1, 2, 2, 4.
    """
    n_tied = np.zeros(len(place) + 1, np.int32)
    for match in range(len(starts) - 1):
        start, stop = starts[match], starts[match + 1]
        for seat in range(start, stop):
            n_tied[start + place[seat] - 1] += 1
        for seat in range(start, stop):
            slot = start + place[seat] - 1
            total = prize[slot]
            for tied in range(1, n_tied[slot]):
                total += prize[slot + tied]
            score[seat] = total / n_tied[slot]


def find_repeats_plain(starts: Counts, player: Codes, repeats: Mask) -> None:
    """The plain twin of `find_repeats`."""
    for start, stop in pairwise(starts):
        for seat in range(start, stop):
            repeats[seat] = player[seat] in player[start:seat]


@kernel
def find_repeats(starts: Counts, player: Codes, repeats: Mask) -> None:
    """Mark each seat whose player sits in an earlier seat of the same match."""
    for match in range(len(starts) - 1):
        start = starts[match]
        own = player[start : starts[match + 1]]
        for i in range(len(own)):
            found = False
            for j in range(i):
                found |= own[j] == own[i]
            repeats[start + i] = found


@register_jitable
def _borrow(prize, own, weight, forecast, scratch):  # type: ignore[no-untyped-def]  # Numba infers the types
    """What is handed on for every match, without counting its users."""
    return (
        lanes.borrow(prize),
        lanes.borrow(own),
        lanes.borrow(weight),
        lanes.borrow(forecast),
        lanes.borrow(scratch),
    )


@register_jitable
def _look_ahead(player, rating, start, n):  # type: ignore[no-untyped-def]  # Numba infers the types
    for seat in range(start + _AHEAD, min(start + _AHEAD + n, len(player))):
        for lane in range(0, rating.shape[1], lanes.WIDTH):
            lanes.prefetch(rating, player[seat], lane)
