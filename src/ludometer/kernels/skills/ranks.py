"""Rank-ordered logit: who finishes in which place, and the expected share of the prizes, exactly and fast.

A finishing order has the probability product of w / (sum of the weights still in). With an exponential clock of rate
w_i for each player, the order of the clocks has that law, so
P(i is k-th) = integral of w_i exp(-w_i t) [z^(k-1)] product over j != i of (1 - exp(-w_j t)) z + exp(-w_j t) dt.
With t = exp(s - exp(-s)) the integrand falls off at both ends faster than any exponential, and the trapezoidal rule in
s is exact to rounding with 30 to 200 nodes (Takahasi and Mori 1974).

With equal steps from place to place the expected share is a sum over opponents of w_i / (w_i + w_j); in large matches
it comes from `kernels.skills.smooth`.

Code written with `lanes.get` and `lanes.put` works both on one weight per player and on eight lanes of them.
"""

from __future__ import annotations

import math

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from ludometer.arrays import Floats
from ludometer.kernels.runtime.compile import kernel
from ludometer.kernels.runtime.lanes import exp, get, larger, put, smallest
from ludometer.kernels.skills.smooth import FEWEST, fused, sum_smooth

SPREAD = 170.0
"""Natural units below the best of a match beyond which a player counts as no weaker: no product of four underflows."""

SINGLE_SPREAD = 20.0
"""The same in single precision."""

_BEGIN = -3.5
"""Where the integral over s begins: there t is 1e-16 of the best player's mean time."""

_END = 40.0
"""Where it ends, in mean times of the weakest player."""

_EVEN = 1e-14
"""Prizes that are so near to equal steps count as such."""

_TERMS_PER_PLAYER = 0.75
"""Terms of a series per player up to which it costs less than a sum over pairs: measured."""

_DIGITS, _SINGLE_DIGITS = 35.0, 17.0
"""Minus the natural logarithm of the error that a series or a quadrature may leave, in both precisions."""

_SERIES_FROM = 12
"""Players below whom it never does."""

_MANY = 1 << 30
_TINY = 1e-30


def rank_probabilities_plain(weight: Floats) -> Floats:
    """The plain twin of `rank_probabilities`: half the step, and each player's product built afresh."""
    weight = np.asarray(weight, np.float64) / np.max(weight)
    n = len(weight)
    step = 0.5 * float(_step(n))
    s = np.arange(_BEGIN, math.log(_END / weight.min()) + step, step)
    t = np.exp(s - np.exp(-s))
    alive = np.exp(-np.outer(t, weight))
    gone = -np.expm1(-np.outer(t, weight))
    probability = np.empty((n, n))
    for i in range(n):
        others = np.ones((len(t), 1))
        for j in range(n):
            if j != i:
                still, now = others * alive[:, [j]], others * gone[:, [j]]
                others = np.pad(still, ((0, 0), (0, 1))) + np.pad(now, ((0, 0), (1, 0)))
        probability[i] = (step * t * (1 + np.exp(-s)) * weight[i] * alive[:, i]) @ others
    return probability


@kernel
def rank_probabilities(weight: Floats) -> Floats:
    """(n, n): the probability that player i finishes (k + 1)-th, for positive weights of any scale."""
    n = len(weight)
    scaled = weight / weight.max()
    alive, gone = np.empty(n), np.empty(n)
    product, others = np.empty(n + 1), np.empty(n)
    probability = np.zeros((n, n))
    step = _step(n)
    for node in range(_nodes(scaled.min(), step)):
        t, width = _node(node, step)
        for j in range(n):
            alive[j], gone[j] = math.exp(-scaled[j] * t), -math.expm1(-scaled[j] * t)
        product[:] = 0.0
        product[0] = 1.0
        for j in range(n):
            for k in range(j + 1, 0, -1):
                product[k] = alive[j] * product[k] + gone[j] * product[k - 1]
            product[0] *= alive[j]
        for i in range(n):
            _divide_out(product, alive[i], gone[i], others)
            density = width * scaled[i] * alive[i]
            for k in range(n):
                probability[i, k] += density * others[k]
    return probability


def expect_shares_plain(weight: Floats, prize: Floats) -> Floats:
    """The plain twin of `expect_shares`: the definition."""
    return rank_probabilities_plain(weight) @ prize


@kernel
def expect_shares(weight: Floats, prize: Floats) -> Floats:
    """Each player's expected prize: sum over k of prize_k P(i is k-th); prizes fall, or stay, with the place."""
    n = len(weight)
    scaled, expected = weight / weight.max(), np.empty(n)
    expect(scaled, n, prize, 0, expected, np.empty(scratch_rows(n)))
    return expected


@register_jitable
def scratch_rows(n):  # type: ignore[no-untyped-def]  # Numba infers the types
    """Rows of scratch that `expect` needs for matches of up to n players."""
    return (n + 2) * (n + 2)


@register_jitable(forceinline=True)
def expect(weight, n, prize, start, expected, scratch):  # type: ignore[no-untyped-def]  # Numba infers the types
    """Write the expected shares of n players, whose prizes stand from `start` on, the cheapest exact way.

    The largest weight is 1. The lowest prize is everybody's; only what places get beyond it depends on the order.
    """
    lowest, fall, n_paid, is_even = _rule(prize, start, n)
    if n_paid <= 1:
        _expect_winner(weight, n, lowest, prize[start] - lowest, expected)
    elif is_even:
        _expect_even(weight, n, lowest, fall, expected)
    elif n_paid <= 3:
        third = prize[start + 2] - lowest if n_paid == 3 else 0.0
        _expect_three(weight, n, lowest, prize[start] - lowest, prize[start + 1] - lowest, third, expected, scratch)
    else:
        _expect_paid(weight, n, prize, start, n_paid, expected, scratch)


@register_jitable(forceinline=True)
def expect_at(rating, n, prize, start, weight, expected, scratch):  # type: ignore[no-untyped-def]
    """`expect` at ratings in natural units; `weight` is scratch for one weight per player."""
    if n == 2:
        _expect_two(rating, prize[start + 1], prize[start] - prize[start + 1], expected)
        return
    if n >= FEWEST:
        lowest, fall, n_paid, is_even = _rule(prize, start, n)
        if is_even and n_paid > 1 and sum_smooth(rating, n, lowest, fall, expected, scratch):
            return
    weigh(rating, n, weight)
    expect(weight, n, prize, start, expected, scratch)


@register_jitable(forceinline=True)
def _rule(prize, start, n):  # type: ignore[no-untyped-def]
    """The lowest prize, the step from place to place if all are equal, the places above the lowest, are they equal."""
    lowest = prize[start + n - 1]
    n_paid, is_even = 0, True
    fall = (prize[start] - lowest) / (n - 1)
    for k in range(n):
        if prize[start + k] > lowest:
            n_paid += 1
        if abs(prize[start] - fall * k - prize[start + k]) > _EVEN:
            is_even = False
    return lowest, fall, n_paid, is_even


@register_jitable(forceinline=True)
def _expect_two(rating, lowest, first, expected):  # type: ignore[no-untyped-def]
    share = first / (1.0 + exp(get(rating, 1) - get(rating, 0)))
    put(expected, 0, lowest + share)
    put(expected, 1, (lowest + first) - share)


@register_jitable
def _expect_winner(weight, n, lowest, first, expected):  # type: ignore[no-untyped-def]
    total = get(weight, 0)
    for i in range(1, n):
        total = total + get(weight, i)
    share = first / total
    for i in range(n):
        put(expected, i, lowest + share * get(weight, i))


@register_jitable
def _expect_even(weight, n, lowest, fall, expected):  # type: ignore[no-untyped-def]
    """Equal steps from place to place: a step for each player that one is expected to beat, w_i / (w_i + w_j)."""
    for i in range(n):
        put(expected, i, get(weight, i) * 0.0)
    for i in range(0, n - 1, 2):
        a, b = get(weight, i), get(weight, i + 1)
        one = 1.0 / (a + b)
        of_a, of_b = get(expected, i) + one, get(expected, i + 1) + one
        j = i + 2
        while j + 1 < n:
            # one division serves four: 1/x = y / (xy), 1/y = x / (xy)
            c, d = get(weight, j), get(weight, j + 1)
            ac, ad, bc, bd = a + c, a + d, b + c, b + d
            with_a, with_b = ac * ad, bc * bd
            all_four = 1.0 / (with_a * with_b)
            with_a, with_b = with_b * all_four, with_a * all_four
            of_a, of_b = fused(ac + ad, with_a, of_a), fused(bc + bd, with_b, of_b)
            put(expected, j, fused(ad, with_a, fused(bd, with_b, get(expected, j))))
            put(expected, j + 1, fused(ac, with_a, fused(bc, with_b, get(expected, j + 1))))
            j += 2
        if j < n:
            ac, bc = a + get(weight, j), b + get(weight, j)
            both = 1.0 / (ac * bc)
            of_a, of_b = fused(bc, both, of_a), fused(ac, both, of_b)
            put(expected, j, fused(ac + bc, both, get(expected, j)))
        put(expected, i, lowest + fall * (a * of_a))
        put(expected, i + 1, lowest + fall * (b * of_b))
    if n % 2:
        put(expected, n - 1, lowest + fall * (get(weight, n - 1) * get(expected, n - 1)))


@register_jitable
def _expect_three(weight, n, lowest, first, second, third, expected, scratch):  # type: ignore[no-untyped-def]
    """The first two or three places: sums over the player, or the unordered pair, that came in before.

    With W the sum of weights and R those without some: P(i second) = w_i sum over j of u_j, u_j = w_j / (W R_j), and
    P(i third) = w_i sum over pairs of (u_j w_k + u_k w_j) / R_jk. All R and the sums without i are built from both
    ends, in n^2 additions: nothing is subtracted, so a player far ahead of the others costs no digits.
    """
    behind, lead, tail, later = 0, n + 1, 2 * n + 1, 3 * n + 1
    put(scratch, behind + n, get(weight, 0) * 0.0)
    for i in range(n - 1, -1, -1):
        put(scratch, behind + i, get(scratch, behind + i + 1) + get(weight, i))
    total = get(scratch, behind)
    before = get(weight, 0) * 0.0
    passed = before
    for i in range(n):
        own = get(weight, i)
        lead_i = own / (total * (before + get(scratch, behind + i + 1)))
        put(scratch, lead + i, lead_i)
        put(expected, i, first / total + second * passed)
        passed = passed + lead_i
        before = before + own
        put(scratch, later + i, own * 0.0)
    passed = get(weight, 0) * 0.0
    for i in range(n - 1, -1, -1):
        put(expected, i, get(expected, i) + second * passed)
        passed = passed + get(scratch, lead + i)
    if third > 0:
        middle, n_terms = _plan_third(weight, n, total, later, scratch) if n >= _SERIES_FROM else (total, _MANY)
        if n_terms < _TERMS_PER_PLAYER * n:
            _add_third_series(weight, n, total, middle, third, lead, later, n_terms, expected, scratch)
        else:
            _add_third(weight, n, third, behind, lead, tail, later, expected, scratch)
    for i in range(n):
        put(expected, i, lowest + get(weight, i) * get(expected, i))


@register_jitable
def _add_third(weight, n, third, behind, lead, tail, later, expected, scratch):  # type: ignore[no-untyped-def]
    """third P(i third) / w_i, pair by pair."""
    before = get(weight, 0) * 0.0
    both_before = before
    for i in range(n):
        own, lead_i = get(weight, i), get(scratch, lead + i)
        around = own * 0.0
        of_row, between = around, around
        for k in range(i + 1, n):
            other = get(weight, k)
            seen = get(scratch, later + k)
            around = around + seen
            rest = before + between + get(scratch, behind + k + 1)
            pair = (lead_i * other + get(scratch, lead + k) * own) / rest
            of_row = of_row + pair
            put(scratch, later + k, seen + pair)
            between = between + other
        put(scratch, tail + i, of_row)
        put(expected, i, get(expected, i) + third * (both_before + around))
        both_before = both_before + get(scratch, later + i)
        before = before + own
    passed = get(weight, 0) * 0.0
    for i in range(n - 1, -1, -1):
        put(expected, i, get(expected, i) + third * passed)
        passed = passed + get(scratch, tail + i)


@register_jitable
def _plan_third(weight, n, total, spare, scratch):  # type: ignore[no-untyped-def]
    """The middle weight, and the terms that `_add_third_series` needs in all lanes: many if somebody is far ahead."""
    best = get(weight, 0)
    worst = 0.0 - best
    for i in range(1, n):
        best = larger(best, get(weight, i))
        worst = larger(worst, 0.0 - get(weight, i))
    middle = (best - worst) * 0.5
    kept = get(scratch, spare)
    put(scratch, spare, (best + worst) * -0.5 / larger(total - best - middle, _TINY))
    ratio = -smallest(scratch, spare)
    put(scratch, spare, kept)
    n_terms = 1 + int(_digits(weight) / max(-math.log(max(ratio, _TINY)), 0.1)) if ratio < 0.5 else _MANY
    return middle, n_terms


@register_jitable
def _add_third_series(  # type: ignore[no-untyped-def]
    weight, n, total, middle, third, lead, later, n_terms, expected, scratch
):
    """The same, by power series: as nobody is far ahead, 1 / (W - w_i - w_k) is smooth in w_i.

    The pairs with i sum up to G_i = u_i A(w_i) + w_i B(w_i) - 2 u_i w_i / (W - 2 w_i), with A(x) = sum over all k of
    w_k / (W - x - w_k) and B the same of u_k. All pairs are half the sum of G. With the middle weight c, A is a power
    series in x - c whose coefficients are the sums of w_k / (W - c - w_k)^(m + 1).
    """
    zero = total * 0.0
    first, second = later, later + n_terms
    for m in range(2 * n_terms):
        put(scratch, later + m, zero)
    for k in range(n):
        nearness = 1.0 / (total - middle - get(weight, k))
        of_first, of_second = get(weight, k) * nearness, get(scratch, lead + k) * nearness
        for m in range(n_terms):
            put(scratch, first + m, get(scratch, first + m) + of_first)
            put(scratch, second + m, get(scratch, second + m) + of_second)
            of_first, of_second = of_first * nearness, of_second * nearness
    whole = zero
    pairs = second + n_terms
    for i in range(n):
        own, lead_i = get(weight, i), get(scratch, lead + i)
        x, a, b = own - middle, zero, zero
        for m in range(n_terms - 1, -1, -1):
            a, b = fused(a, x, get(scratch, first + m)), fused(b, x, get(scratch, second + m))
        pairs_of_i = lead_i * a + own * b - 2.0 * (lead_i * own) / (total - 2.0 * own)
        put(scratch, pairs + i, pairs_of_i)
        whole = whole + pairs_of_i
    for i in range(n):
        put(expected, i, get(expected, i) + third * (whole * 0.5 - get(scratch, pairs + i)))


@register_jitable
def _expect_paid(weight, n, prize, start, n_paid, expected, scratch):  # type: ignore[no-untyped-def]
    """Any prizes, by quadrature over the paid places.

    At a node, with l of the players before i finished, `worth[i + 1][l]` is the prize of the player who finishes
    next, on average over the players after i; `count[l]` is the probability of l. All terms are positive.
    """
    lowest = prize[start + n - 1]
    alive, count, worth = 0, n, n + n_paid
    weakest = smallest(weight, 0)
    for i in range(n):
        weakest = min(weakest, smallest(weight, i))
        put(expected, i, get(weight, i) * 0.0)
    # the error of the trapezoidal rule is exponential in 1 / step: half the digits at twice the step
    step = _step(n) * (_DIGITS / _digits(weight))
    for node in range(_nodes(weakest, step)):
        t, width = _node(node, step)
        zero = get(weight, 0) * 0.0
        for i in range(n):
            put(scratch, alive + i, exp(get(weight, i) * -t))
        row = worth + (n - 1) * n_paid
        for k in range(n_paid):
            put(scratch, row + k, zero + (prize[start + k] - lowest))
        for i in range(n - 1, 0, -1):
            still = get(scratch, alive + i)
            gone = 1.0 - still
            row -= n_paid
            last = min(i, n_paid)
            upper = get(scratch, row + n_paid)
            for k in range(last):
                here = upper
                upper = get(scratch, row + n_paid + k + 1) if k + 1 < n_paid else zero
                put(scratch, row + k, still * here + gone * upper)
        for k in range(n_paid):
            put(scratch, count + k, zero)
        put(scratch, count, zero + 1.0)
        for i in range(n):
            still = get(scratch, alive + i)
            gone = 1.0 - still
            row = worth + i * n_paid
            gain, lower = zero, zero
            for k in range(min(i + 1, n_paid)):
                here = get(scratch, count + k)
                gain = gain + here * get(scratch, row + k)
                put(scratch, count + k, still * here + gone * lower)
                lower = here
            if i + 1 < n_paid:
                put(scratch, count + i + 1, gone * lower)
            put(expected, i, get(expected, i) + width * (get(weight, i) * (still * gain)))
    for i in range(n):
        put(expected, i, lowest + get(expected, i))


@register_jitable(forceinline=True)
def weigh(rating, n, weight):  # type: ignore[no-untyped-def]
    """Weights exp(r - r_max) of the ratings of a match, not below exp(-SPREAD), or exp(-SINGLE_SPREAD)."""
    best = get(rating, 0)
    for i in range(1, n):
        best = larger(best, get(rating, i))
    for i in range(n):
        put(weight, i, exp(larger(get(rating, i) - best, -_spread(rating))))


def _spread(rating):  # type: ignore[no-untyped-def]
    return SINGLE_SPREAD if rating.dtype == np.float32 else SPREAD


@overload(_spread)
def _typed_spread(rating):  # type: ignore[no-untyped-def]
    spread = SINGLE_SPREAD if rating.dtype == types.float32 else SPREAD
    return lambda rating: spread  # noqa: ARG005


def _digits(weight):  # type: ignore[no-untyped-def]
    return _SINGLE_DIGITS if weight.dtype == np.float32 else _DIGITS


@overload(_digits)
def _typed_digits(weight):  # type: ignore[no-untyped-def]
    digits = _SINGLE_DIGITS if weight.dtype == types.float32 else _DIGITS
    return lambda weight: digits  # noqa: ARG005


@register_jitable
def _step(n):  # type: ignore[no-untyped-def]
    """The clocks of middle places scatter less the more players there are, so the step has to shrink with them."""
    return min(0.25, 0.6 / math.sqrt(n))


@register_jitable
def _nodes(weakest, step):  # type: ignore[no-untyped-def]
    return math.ceil((math.log(_END / weakest) - _BEGIN) / step) + 1


@register_jitable
def _node(node, step):  # type: ignore[no-untyped-def]
    """The time of a node and its width."""
    s = _BEGIN + node * step
    t = math.exp(s - math.exp(-s))
    return t, step * t * (1.0 + math.exp(-s))


@register_jitable
def _divide_out(product, alive, gone, others):  # type: ignore[no-untyped-def]
    """Coefficients of product / (alive + gone z), from the end at which errors do not grow."""
    n = len(others)
    if alive >= gone:
        carried = 0.0
        for k in range(n):
            carried = (product[k] - gone * carried) / alive
            others[k] = carried
    else:
        carried = 0.0
        for k in range(n - 1, -1, -1):
            carried = (product[k + 1] - alive * carried) / gone
            others[k] = carried
