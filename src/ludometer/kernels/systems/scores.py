"""The sequential pass over series of scores, in score points: each player's expected part of the table's sum.

E_i = R_i S / R with S the sum of scores and R of ratings, R_i += K (S_i - E_i) (Edelkamp, "ELO System for Skat and
Other Games of Chance"). That needs S > 0 and all R_i > 0; otherwise, or on request, E_i = R_i + (S - R) / n.

The variance of a rating around the player's strength follows by linear error propagation: an update by K shrinks the
error by 1 - K (S / R) (1 - 1/n) and adds K^2 (1 - 1/n) times the variance of a score.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel
from ludometer.kernels.skills.ranks import SPREAD, expect_at, expect_shares_plain, scratch_rows

RATING, SERIES, NOISE, START = range(4)
"""Columns of a player: rating, series played, and the variance of the rating in units of that of a score (noise) and
of that of strengths around the start (what is left of the start's error)."""

BEFORE, EXPECTED, STEP, AFTER, NOISE_AFTER, START_AFTER = range(6)
"""Columns of an update, one row per seat."""

K, NEWCOMER_K, NEWCOMER_SERIES, FIRST, ADDITIVE, BALANCED, FLOOR = range(7)
"""The rules: K, a newcomer's K and after how many series it is K, how many first series are averaged, whether always
additive, whether unequal steps are balanced, and the lowest rating (minus infinity for none)."""


def series_pass_plain(
    starts: Counts,
    player: Codes,
    score: Floats,
    rules: Floats,
    state: Floats,
    spread: Floats,
    audit: Floats,
    sd: Floats,
) -> None:
    """The plain twin of `series_pass`."""
    for match, (start, stop) in enumerate(pairwise(starts)):
        who, own = player[start:stop], state[player[start:stop], RATING]
        series, result, n = state[who, SERIES], score[start:stop], stop - start
        total, level = float(result.sum()), float(own.sum())
        proportional = not rules[ADDITIVE] and total > 0 and bool((own > 0).all())
        expected = own * total / level if proportional else own + (total - level) / n
        if len(sd):
            sd[match] = math.sqrt(spread[0] / spread[1]) if spread[1] > 0 else 0.0
        spread += ((result - expected) @ (result - expected), n - 1)
        young = np.minimum(series / rules[NEWCOMER_SERIES], 1.0) if rules[NEWCOMER_SERIES] > 0 else np.ones(n)
        step = rules[NEWCOMER_K] + young * (rules[K] - rules[NEWCOMER_K])
        averages = series < rules[FIRST]
        if rules[BALANCED] and not averages.any() and (step != step[0]).any():
            expected = expected + (step @ (result - expected)) / step.sum()
        step = np.where(averages, 1 / (series + 1), step)
        expected = np.where(averages, own, expected)
        after = np.maximum(own + step * (result - expected), rules[FLOOR])
        fresh = np.where(averages, 1.0, 1 - 1 / n)
        left = 1 - step * np.where(averages, 1.0, fresh * (total / level if proportional else 1.0))
        noise, begin = left**2 * state[who, NOISE] + step**2 * fresh, left**2 * state[who, START]
        state[who] = np.column_stack((after, series + 1, noise, begin))
        if len(audit):
            audit[start:stop] = np.column_stack((own, expected, step, after, noise, begin))


@kernel
def _series_pass(
    starts: Counts,
    player: Codes,
    score: Floats,
    rules: Floats,
    state: Floats,
    spread: Floats,
    audit: Floats,
    sd: Floats,
) -> None:
    """Play the series in order, moving `state` (players, 4) in place.

    `spread` adds up squares of S_i - E_i and n - 1, whose quotient is the variance of a score. `audit` (seats, 6) gets
    each update, `sd` the SD of a score as known before each series; arrays of length 0 are not filled.
    """
    wants_audit, wants_sd = len(audit) > 0, len(sd) > 0
    for match in range(len(starts) - 1):
        start, stop = starts[match], starts[match + 1]
        n = stop - start
        total, level, positive = 0.0, 0.0, True
        for seat in range(start, stop):
            own = state[np.uint32(player[seat]), RATING]
            total += score[seat]
            level += own
            positive &= own > 0.0
        proportional = rules[ADDITIVE] == 0.0 and total > 0.0 and positive
        if wants_sd:
            sd[match] = math.sqrt(spread[0] / spread[1]) if spread[1] > 0.0 else 0.0
        spread[1] += n - 1
        shift = _shift(player, score, rules, state, start, stop, total, level, proportional)
        pull = total / level if proportional else 1.0
        for seat in range(start, stop):
            i = np.uint32(player[seat])
            own, series = state[i, RATING], state[i, SERIES]
            expected = _expect(own, total, level, n, proportional)
            spread[0] += (score[seat] - expected) ** 2
            expected += shift
            step, fresh = _step(rules, series), 1.0 - 1.0 / n
            left = 1.0 - step * fresh * pull
            if series < rules[FIRST]:
                # the mean of the first scores, as one step after the other
                step, expected, fresh = 1.0 / (series + 1.0), own, 1.0
                left = 1.0 - step
            state[i, RATING] = max(own + step * (score[seat] - expected), rules[FLOOR])
            state[i, SERIES] = series + 1.0
            state[i, NOISE] = left * left * state[i, NOISE] + step * step * fresh
            state[i, START] *= left * left
            if wants_audit:
                audit[seat, BEFORE], audit[seat, EXPECTED], audit[seat, STEP] = own, expected, step
                audit[seat, AFTER] = state[i, RATING]
                audit[seat, NOISE_AFTER], audit[seat, START_AFTER] = state[i, NOISE], state[i, START]


series_pass = _series_pass if JIT else series_pass_plain


def forecast_pass_plain(starts: Counts, before: Floats, sd: Floats, prize: Floats, expected: Floats) -> None:
    """The plain twin of `forecast_pass`."""
    for match, (start, stop) in enumerate(pairwise(starts)):
        scale = gumbel_scale(sd[match])
        own = before[start:stop] / scale if scale > 0 else np.zeros(stop - start)
        weight = np.exp(np.maximum(own - own.max(), -SPREAD))
        expected[start:stop] = expect_shares_plain(weight, prize[start:stop])


def forecast_pass(starts: Counts, before: Floats, sd: Floats, prize: Floats, expected: Floats) -> None:
    """Write each seat's expected share of the largest prize, from the ratings before and the SD of a score.

    Scores are assumed Gumbel around the ratings, so finishing orders are rank-ordered logit.
    """
    if not JIT:
        forecast_pass_plain(starts, before, sd, prize, expected)
        return
    largest = int(np.diff(starts).max(initial=0))
    own, weight, forecast = (np.empty(largest) for _ in range(3))
    _forecast_pass(starts, before, sd, prize, expected, own, weight, forecast, np.empty(scratch_rows(largest)))


@kernel
def _forecast_pass(
    starts: Counts,
    before: Floats,
    sd: Floats,
    prize: Floats,
    expected: Floats,
    own: Floats,
    weight: Floats,
    forecast: Floats,
    scratch: Floats,
) -> None:
    prize, own, weight = lanes.borrow(prize), lanes.borrow(own), lanes.borrow(weight)
    forecast, scratch = lanes.borrow(forecast), lanes.borrow(scratch)
    for match in range(len(starts) - 1):
        start = starts[match]
        n = starts[match + 1] - start
        scale = gumbel_scale(sd[match])
        for i in range(n):
            own[i] = before[start + i] / scale if scale > 0.0 else 0.0
        expect_at(own, n, prize, start, weight, forecast, scratch)
        for i in range(n):
            expected[start + i] = forecast[i]


@register_jitable
def gumbel_scale(sd):  # type: ignore[no-untyped-def]  # Numba infers the types
    """The scale of a Gumbel variable with this SD: rating points in a natural unit."""
    return sd * math.sqrt(6.0) / math.pi


@register_jitable
def _expect(own, total, level, n, proportional):  # type: ignore[no-untyped-def]
    return own * total / level if proportional else own + (total - level) / n


@register_jitable
def _step(rules, series):  # type: ignore[no-untyped-def]
    young = min(series / rules[NEWCOMER_SERIES], 1.0) if rules[NEWCOMER_SERIES] > 0.0 else 1.0
    return rules[NEWCOMER_K] + young * (rules[K] - rules[NEWCOMER_K])


@register_jitable
def _shift(player, score, rules, state, start, stop, total, level, proportional):  # type: ignore[no-untyped-def]
    """What is added to all expectations, so that changes with unequal steps add up to 0."""
    if rules[BALANCED] == 0.0 or rules[NEWCOMER_SERIES] <= 0.0:
        return 0.0
    moved, steps, unequal = 0.0, 0.0, False
    first = _step(rules, state[np.uint32(player[start]), SERIES])
    for seat in range(start, stop):
        i = np.uint32(player[seat])
        if state[i, SERIES] < rules[FIRST]:
            return 0.0
        step = _step(rules, state[i, SERIES])
        unequal |= step != first
        steps += step
        moved += step * (score[seat] - _expect(state[i, RATING], total, level, stop - start, proportional))
    return moved / steps if unequal else 0.0
