"""The Plackett-Luce likelihood of finishing orders, its gradient and curvature, each in time linear in the seats.

An order has the probability product over places of w / (sum of the weights w = exp(s) still in). Tied places are
Efron's (1977): the l-th of m tied (from 0) is chosen from those still in, the tied ones counted (1 - l / m) times each,
which is the average weight left in when l of them are gone. The logarithm is concave in s, ties or not.

Seats stand in their matches by place, best first; `stop[k]` is the end of the group of seats tied with seat k, and
`gone[k]` its l / m, 0 without ties.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats
from ludometer.kernels.runtime.compile import kernel


def log_likelihood_of_orders_plain(
    starts: Counts, player: Codes, stop: Counts, gone: Floats, weight: Floats, skill: Floats
) -> float:
    """The plain twin of `evaluate_orders`, which gives the sum only; `weight` has one per match, or length 0."""
    total = 0.0
    for m, (start, end) in enumerate(pairwise(starts)):
        own = skill[player[start:end]]
        inside = np.exp(own - own.max())
        part = 0.0
        group = start
        for k in range(start, end):
            if k > start and k == stop[k - 1]:
                group = k
            tied = inside[group - start : stop[k] - start].sum()
            part += own[k - start] - own.max() - math.log(inside[group - start :].sum() - gone[k] * tied)
        total += part * (weight[m] if len(weight) else 1.0)
    return total


@kernel
def evaluate_orders(
    starts: Counts,
    player: Codes,
    stop: Counts,
    gone: Floats,
    weight: Floats,
    skill: Floats,
    gradient: Floats,
    diagonal: Floats,
    inside: Floats,
    chance: Floats,
) -> float:
    """The log likelihood; writes the gradient, the diagonal of minus the Hessian, and two columns for the product.

    `inside` gets each seat's weight over the largest in its match, `chance` one over the sum that it was chosen from.
    """
    gradient[:] = 0
    diagonal[:] = 0
    total, product = 0.0, 1.0
    rest = np.zeros(_largest(starts) + 1)
    for m in range(len(starts) - 1):
        start, end = starts[m], starts[m + 1]
        counts = weight[m] if len(weight) else 1.0
        highest = skill[player[start]]
        for k in range(start + 1, end):
            highest = max(highest, skill[player[k]])
        rest[end - start] = 0.0
        for k in range(end - 1, start - 1, -1):
            inside[k] = math.exp(skill[player[k]] - highest)
            rest[k - start] = rest[k - start + 1] + inside[k]
        before, before_squares = 0.0, 0.0
        k = start
        while k < end:
            group_end = stop[k]
            if group_end == k + 1:
                # not tied, as most are: the same as below with nobody gone
                one = 1 / rest[k - start]
                chance[k] = one
                before += one
                before_squares += one * one
                w = inside[k]
                gradient[player[k]] += counts * (1 - w * before)
                diagonal[player[k]] += counts * w * (before - w * before_squares)
                if counts == 1.0 and one * w > 1e-150:
                    product *= one * w
                    if product < 1e-150:
                        total += math.log(product)
                        product = 1.0
                else:
                    total += counts * (math.log(one) + skill[player[k]] - highest)
                k = group_end
                continue
            tied = rest[k - start] - rest[group_end - start]
            own, own_squares, all_own, all_squares = 0.0, 0.0, 0.0, 0.0
            for seat in range(k, group_end):
                one = 1 / (rest[k - start] - gone[seat] * tied)
                chance[seat] = one
                part = 1 - gone[seat]
                own += part * one
                own_squares += part * part * one * one
                all_own += one
                all_squares += one * one
                total += counts * (math.log(one) + skill[player[seat]] - highest)
            for seat in range(k, group_end):
                w = inside[seat]
                chosen = w * (before + own)
                gradient[player[seat]] += counts * (1 - chosen)
                diagonal[player[seat]] += counts * (chosen - w * w * (before_squares + own_squares))
            before += all_own
            before_squares += all_squares
            k = group_end
    return total + math.log(product)


@kernel
def multiply_orders(
    starts: Counts,
    player: Codes,
    stop: Counts,
    gone: Floats,
    weight: Floats,
    inside: Floats,
    chance: Floats,
    x: Floats,
    result: Floats,
) -> None:
    """Write the product of minus the Hessian of the likelihood and x, from the columns of `evaluate_orders`."""
    result[:] = 0
    moment = np.zeros(_largest(starts) + 1)
    for m in range(len(starts) - 1):
        start, end = starts[m], starts[m + 1]
        counts = weight[m] if len(weight) else 1.0
        n = end - start
        moment[n] = 0.0
        for k in range(n - 1, -1, -1):
            moment[k] = moment[k + 1] + inside[start + k] * x[player[start + k]]
        before, before_mean = 0.0, 0.0
        k = 0
        while k < n:
            group_end = stop[start + k] - start
            if group_end == k + 1:
                one, who = chance[start + k], player[start + k]
                before += one
                before_mean += one * one * moment[k]
                result[who] += counts * inside[start + k] * (x[who] * before - before_mean)
                k = group_end
                continue
            tied_moment = moment[k] - moment[group_end]
            own, own_mean, all_own, all_mean = 0.0, 0.0, 0.0, 0.0
            for seat in range(k, group_end):
                share, one = gone[start + seat], chance[start + seat]
                mean = (moment[k] - share * tied_moment) * one
                own += (1 - share) * one
                own_mean += (1 - share) * one * mean
                all_own += one
                all_mean += one * mean
            for seat in range(k, group_end):
                who = player[start + seat]
                push = x[who] * (before + own) - before_mean - own_mean
                result[who] += counts * inside[start + seat] * push
            before += all_own
            before_mean += all_mean
            k = group_end


@register_jitable
def _largest(starts):  # type: ignore[no-untyped-def]  # Numba infers the types
    size = 0
    for m in range(len(starts) - 1):
        size = max(size, starts[m + 1] - starts[m])
    return size
