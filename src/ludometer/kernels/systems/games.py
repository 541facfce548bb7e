"""Benchmark games on one schedule: four games at four values of k each, dealt, played and rated in one pass.

The plain twin of each pass deals the same luck as columns of results, and rates them with the plain pass of
`kernels.systems.elo` or `kernels.systems.multiplayer`.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats, Halves, Mask, Singles
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel
from ludometer.kernels.skills.ranks import expect_at, scratch_rows
from ludometer.kernels.systems.dealing import Deal, Keys, Rule, bounds, count_better, deal_pairs, deal_seats, uniforms
from ludometer.kernels.systems.elo import elo_lanes_plain, everywhere
from ludometer.kernels.systems.multiplayer import SORTED_FROM, order_match, order_seats, seats_lanes_plain

_BLOCK = 256
"""Matches that are dealt at once: their luck stays in the first cache, and their losses in single precision."""

_AHEAD = 12
"""Matches between asking for a rating's cache line and using it."""

_SEATS_AHEAD = 40

_CACHED = 400_000
"""So many ratings stay in the cache by themselves, and asking ahead only costs."""


def play_pairs(
    first: Codes,
    second: Codes,
    skill: Floats,
    key: Keys,
    rule: Rule,
    *,
    favoured: Halves | None = None,
    start: int = 0,
) -> Halves:
    """The results of one game in half points of the first player: the plain twin of what `elo_games` deals.

    The first match given is number `start` of the schedule. The seat that is better off is the first, or as `favoured`.
    """
    choice, u = uniforms(key, np.arange(start, start + len(first), dtype=np.uint32))
    played = choice < rule.mix
    low, high = bounds(u, np.where(played, rule.nu, rule.coin_nu))
    d = np.where(played, rule.reach * (skill[first] - skill[second]), 0.0)
    if rule.has_lead:
        d += np.where(played, rule.lead, rule.coin_lead) * (1 if favoured is None else favoured)
    return (d > low).astype(np.int8) + (d > high).astype(np.int8)


def elo_games(
    first: Codes,
    second: Codes,
    deal: Deal,
    rating: Singles,
    step: Singles,
    loss: Floats,
    advantage: float = 0.0,
    favoured: Halves | None = None,
) -> None:
    """Play four games at four values of k: moves `rating` (players, 16), adds to `loss` (1, 16), in place.

    `rating` and `step` come from `lanes.allocate_single`. The loss is the sum of (S - E)^2 over matches. Forecasts take
    the better seat as better by `advantage`, as those of `elo_lanes` do.
    """
    if JIT:
        reach, low, high, lead, lost = (
            lanes.allocate_single(n) for n in (_BLOCK // 4, _BLOCK // 4, _BLOCK // 4, _BLOCK // 4, 1)
        )
        skill, keys, rules, has_draws, has_lead = deal
        seats = everywhere(favoured, len(first))
        differ = has_lead or advantage != 0
        luck = (skill, keys, rules, has_draws, differ, float(advantage), seats)
        _elo_games(first, second, *luck, rating, step, loss, reach, low, high, lead, lost)
        return
    for game in range(4):
        mine = slice(game, 16, 4)
        rule = Rule(*(float(value) for value in deal.rules[:, game]))
        skills = deal.skill[:, game].astype(np.float64)
        halves = play_pairs(first, second, skills, deal.keys[:, game], rule, favoured=favoured)
        own, total = rating[:, mine].astype(np.float64), loss[:, mine].copy()
        own_step = step[:, mine].astype(np.float64)
        elo_lanes_plain(first, second, halves, own, own_step, total, advantage=advantage, favoured=favoured)
        rating[:, mine], loss[:, mine] = own, total


@kernel
def _elo_games(
    first: Codes,
    second: Codes,
    skill: Singles,
    keys: Keys,
    rules: Singles,
    has_draws: bool,
    has_lead: bool,
    advantage: float,
    favoured: Halves,
    rating: Singles,
    step: Singles,
    loss: Floats,
    reach: Singles,
    low: Singles,
    high: Singles,
    lead: Singles,
    lost: Singles,
) -> None:
    n, is_large, has_sides = len(first), rating.size > _CACHED, len(favoured) > 0
    first, second, skill, rating = lanes.borrow(first), lanes.borrow(second), lanes.borrow(skill), lanes.borrow(rating)
    reach, low, high, lead = lanes.borrow(reach), lanes.borrow(low), lanes.borrow(high), lanes.borrow(lead)
    keys, rules, favoured = lanes.borrow(keys), lanes.borrow(rules), lanes.borrow(favoured)
    factor = lanes.load(step, 0, 0)
    nothing = factor * 0.0
    half, one = nothing + 0.5, nothing + 1.0
    side = 1.0
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        deal_pairs(keys, rules, has_draws, has_lead, start, stop - start, reach, low, high, lead)
        total = nothing
        for t in range(start, stop):
            if is_large:
                _look_ahead(first, second, skill, rating, t, n)
            i, j = first[t], second[t]
            row, column = (t - start) >> 2, 4 * ((t - start) & 3)
            d = lanes.load_repeated(reach, row, column) * (
                lanes.load_repeated(skill, i, 0) - lanes.load_repeated(skill, j, 0)
            )
            x, y = lanes.load(rating, i, 0), lanes.load(rating, j, 0)
            apart = y - x
            if has_lead:
                if has_sides:
                    side = 1.0 * favoured[t]
                d = d + lanes.load_repeated(lead, row, column) * side
                apart = apart - advantage * side
            score = lanes.choose_above(d, lanes.load_repeated(high, row, column), one, nothing)
            if has_draws:
                drawn = lanes.choose_above(d, lanes.load_repeated(low, row, column), half, nothing)
                score = lanes.choose_above(score, half, score, drawn)
            miss = score - one / (one + lanes.exp(apart))
            total = lanes.multiply_add(miss, miss, total)
            move = factor * miss
            lanes.store(rating, i, 0, x + move)
            lanes.store(rating, j, 0, y - move)
        lanes.store(lost, 0, 0, total)
        for lane in range(lanes.SINGLE_WIDTH):
            loss[0, lane] += lost[0, lane]


def play_seats(starts: Counts, player: Codes, prize: Floats, skill: Floats, key: Keys, rule: Rule) -> Floats:
    """Each seat's share of the prizes in one game: the plain twin of what `seats_games` deals.

    Seats finish in the order of reach times skill plus Gumbel noise, a rank-ordered logit; where a match is not played,
    in the order of the noise.
    """
    choice, u = uniforms(key, np.arange(len(player), dtype=np.uint32))
    played = np.repeat(choice[starts[:-1]] < rule.mix, np.diff(starts))
    order = np.where(played, rule.reach * skill[player], 0.0) - np.log(-np.log(u))
    place = np.empty(len(player), np.int32)
    order_seats(starts, order, place)
    return np.asarray(prize[np.repeat(starts[:-1], np.diff(starts)) + place - 1])


def seats_games(
    starts: Counts, player: Codes, prize: Floats, deal: Deal, rating: Singles, step: Singles, loss: Floats
) -> None:
    """Play four games of multiplayer matches at four values of k, as `elo_games` does; half the loss of all seats."""
    if JIT:
        largest = int(np.diff(starts).max(initial=0))
        rows = tuple(lanes.allocate_single(largest) for _ in range(5))
        key, place, scratch = np.empty(largest, np.float32), np.empty(largest, np.int32), scratch_rows(largest)
        space = lanes.allocate_single(scratch)
        skill, keys, rules = deal[:3]
        _seats_games(starts, player, prize, skill, keys, rules, rating, step, loss, rows, space, key, place)
        return
    for game in range(4):
        mine = slice(game, 16, 4)
        rule = Rule(*(float(value) for value in deal.rules[:, game]))
        share = play_seats(starts, player, prize, deal.skill[:, game].astype(np.float64), deal.keys[:, game], rule)
        own, total = rating[:, mine].astype(np.float64), loss[:, mine].copy()
        seats_lanes_plain(starts, player, share[:, np.newaxis], prize, own, step[:, mine].astype(np.float64), total)
        rating[:, mine], loss[:, mine] = own, total


@kernel
def _seats_games(
    starts: Counts,
    player: Codes,
    prize: Floats,
    skill: Singles,
    keys: Keys,
    rules: Singles,
    rating: Singles,
    step: Singles,
    loss: Floats,
    rows: tuple[Singles, ...],
    scratch: Singles,
    key: Singles,
    place: Codes,
) -> None:
    player, prize, skill, rating = lanes.borrow(player), lanes.borrow(prize), lanes.borrow(skill), lanes.borrow(rating)
    keys, rules, order, share = lanes.borrow(keys), lanes.borrow(rules), lanes.borrow(rows[0]), lanes.borrow(rows[1])
    own, weight, forecast = lanes.borrow(rows[2]), lanes.borrow(rows[3]), lanes.borrow(rows[4])
    better = weight
    scratch, key, place = lanes.borrow(scratch), lanes.borrow(key), lanes.borrow(place)
    factor = lanes.load(step, 0, 0)
    nothing = factor * 0.0
    total, n_seen = nothing, 0
    for match in range(len(starts) - 1):
        start = starts[match]
        n = starts[match + 1] - start
        _look_ahead_seats(player, skill, rating, start, n)
        deal_seats(keys, rules, skill, player, start, n, order)
        if n < SORTED_FROM:
            count_better(order, n, better)
            for row in range((n + 3) // 4):
                for lane in range(min(lanes.SINGLE_WIDTH, 4 * (n - 4 * row))):
                    share[row, lane] = prize[start + int(better[row, lane])]
        else:
            _sort_games(order, n, prize, start, key, place, share)
        for i in range(n):
            lanes.store(own, i, 0, lanes.load(rating, player[start + i], 0))
        expect_at(own, n, prize, start, weight, forecast, scratch)
        for i in range(n):
            miss = lanes.load_repeated(share, i >> 2, 4 * (i & 3)) - lanes.load(forecast, i, 0)
            total = lanes.multiply_add(miss, miss, total)
            lanes.store(rating, player[start + i], 0, lanes.load(own, i, 0) + factor * miss)
        n_seen += n
        if n_seen >= _BLOCK or match == len(starts) - 2:
            lanes.store(own, 0, 0, total)
            for lane in range(lanes.SINGLE_WIDTH):
                loss[0, lane] += 0.5 * own[0, lane]
            total, n_seen = nothing, 0


@register_jitable
def _sort_games(order, n, prize, start, key, place, share):  # type: ignore[no-untyped-def]  # Numba infers the types
    """The shares of a very large match, its games one by one."""
    for game in range(4):
        for i in range(n):
            key[i] = order[i >> 2, 4 * (i & 3) + game]
        order_match(key, n, place)
        for i in range(n):
            share[i >> 2, 4 * (i & 3) + game] = prize[start + place[i] - 1]


@register_jitable
def _look_ahead_seats(player, skill, rating, start, n):  # type: ignore[no-untyped-def]  # Numba infers the types
    for seat in range(start + _SEATS_AHEAD, min(start + _SEATS_AHEAD + n, len(player))):
        lanes.prefetch(rating, player[seat], 0)
        lanes.prefetch(skill, player[seat], 0)


@register_jitable
def _look_ahead(first, second, skill, rating, t, n):  # type: ignore[no-untyped-def]  # Numba infers the types
    if t + _AHEAD < n:
        i, j = first[t + _AHEAD], second[t + _AHEAD]
        lanes.prefetch(rating, i, 0)
        lanes.prefetch(rating, j, 0)
        lanes.prefetch(skill, i, 0)
        lanes.prefetch(skill, j, 0)


@kernel
def spread_of(rating: Singles, groups: Mask) -> Floats:
    """The SD of each lane (groups, 16) over the players of each group, in double precision; their mean is near 0."""
    n_groups, n = groups.shape
    total, squares = np.zeros((n_groups, lanes.SINGLE_WIDTH)), np.zeros((n_groups, lanes.SINGLE_WIDTH))
    count = np.zeros(n_groups)
    for group in range(n_groups):
        for player in range(n):
            if groups[group, player]:
                count[group] += 1
                for lane in range(lanes.SINGLE_WIDTH):
                    value = np.float64(rating[player, lane])
                    total[group, lane] += value
                    squares[group, lane] += value * value
        for lane in range(lanes.SINGLE_WIDTH):
            rest = squares[group, lane] - total[group, lane] ** 2 / count[group]
            squares[group, lane] = math.sqrt(max(rest, 0.0) / (count[group] - 1))
    return squares
