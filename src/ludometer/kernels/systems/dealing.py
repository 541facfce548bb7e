"""The luck of benchmark games, dealt where it is used: random numbers by replicate and match, none of them stored.

A game of a benchmark is given by the skills of its players and a rule. With probability `mix` a match is played, else
it is a coin. In a match that is played the first player's expected score is E = 1 / (1 + exp(-d)) with d = reach times
the difference of the skills; draws follow Davidson's model, win : draw : loss = s^2 : nu s : 1, with s from E. As s
rises with d, a uniform number u is a win, or at least a draw, from a certain d on. So luck is two bounds for d, which
depend on u and nu only: no match needs an exponential function to be played. Where one seat is better off, its lead is
added to d, in matches that are played and in coins.

The random numbers are those of Philox 2x32 with seven rounds (Salmon, Moraes, Dror and Shaw 2011): a function of the
game's key and of the number of the match, so that any match of any game can be dealt by anybody at any time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, register_jitable
from numpy.typing import NDArray

from ludometer.arrays import Floats, Singles
from ludometer.kernels.runtime import lanes

GAMES = 4
"""Games that one vector of single precision holds: each at four values of k."""

Keys = NDArray[np.uint32]

_MULTIPLIER, _WEYL, _ROUNDS = 0xD256D193, 0x9E3779B9, 7

CERTAIN = 1e30
"""The reach of a game that the better player always wins."""

_MOST_DRAWS = 1e6
"""The largest nu: single precision still holds the squares of what it makes of it."""


class Rule(NamedTuple):
    """How a benchmark game is played; nu is Davidson's parameter of draws."""

    mix: float
    """The share of matches that are played, not tossed."""
    reach: float
    """The difference in natural units that one SD of skill makes."""
    nu: float = 0.0
    coin_nu: float = 0.0
    """Of coins that fall on their edge."""
    lead: float = 0.0
    """What the better seat adds to d in matches that are played; two-player matches only."""
    coin_lead: float = 0.0
    """The same in coins."""

    @property
    def has_lead(self) -> bool:
        """Whether seats differ."""
        return self.lead != 0 or self.coin_lead != 0


class Deal(NamedTuple):
    """Four games as kernels take them: lane 4 k + g is game g at the k-th of its four values of k."""

    skill: Singles
    """(players, 4)."""
    keys: Keys
    """(2, 16)."""
    rules: Singles
    """(6, 16): a row for each number of the rule."""
    has_draws: bool
    has_lead: bool


def make_deal(skills: list[Floats], keys: list[Keys], rules: list[Rule]) -> Deal:
    """Up to four games; where there are fewer the last is played again."""
    fill = [*range(len(rules)), *[len(rules) - 1] * (GAMES - len(rules))]
    skill = np.ascontiguousarray(np.column_stack([skills[place] for place in fill]), np.float32)
    key = np.ascontiguousarray(np.tile(np.column_stack([keys[place] for place in fill]), 4), np.uint32)
    bounded = [_bounded(rules[place]) for place in fill]
    rows = np.ascontiguousarray(np.tile(np.array(bounded, np.float32).T, 4))
    return Deal(skill, key, rows, bool((rows[2:4] > 0).any()), any(rule.has_lead for rule in rules))


def _bounded(rule: Rule) -> Rule:
    return rule._replace(nu=min(rule.nu, _MOST_DRAWS), coin_nu=min(rule.coin_nu, _MOST_DRAWS))


def uniforms(key: Keys, counter: NDArray[np.uint32]) -> tuple[Floats, Floats]:
    """Two uniform numbers for each counter, strictly between 0 and 1: the plain twin of what kernels draw.

    >>> one, other = uniforms(np.array([1, 2], np.uint32), np.arange(100_000, dtype=np.uint32))
    >>> one.mean().round(2), np.corrcoef(one, other)[0, 1].round(2) + 0
    (np.float64(0.5), np.float64(0.0))
    """
    low, high, weyl = counter.astype(np.uint64), np.full(len(counter), key[1], np.uint64), int(key[0])
    mask = np.uint64(0xFFFFFFFF)
    for _ in range(_ROUNDS):
        product = low * np.uint64(_MULTIPLIER)
        low, high = (product >> np.uint64(32)) ^ np.uint64(weyl) ^ high, product & mask
        weyl = (weyl + _WEYL) & 0xFFFFFFFF
    one, other = (((word >> np.uint64(9)).astype(np.float64) + 0.5) / 2**23 for word in (low, high))
    return one, other


def bounds(u: Floats, nu: Floats | float) -> tuple[Floats, Floats]:
    """The d beyond which a uniform number is at least a draw, and a win."""
    nu = np.minimum(nu, _MOST_DRAWS)
    odds = u / (1 - u)
    win = (u * nu + np.sqrt((u * nu) ** 2 + 4 * u * (1 - u))) / (2 * (1 - u))
    draw = 2 * odds / (nu + np.sqrt(nu * nu + 4 * odds))
    low, high = (np.log((s * s + 0.5 * nu * s) / (1 + 0.5 * nu * s)) for s in (draw, win))
    return low, high


@intrinsic
def draw_uniforms(typing: Any, keys: Any, counter: Any) -> Any:  # noqa: ARG001
    """Two uniform numbers for each of sixteen lanes, lane 4 m + g being number `counter` + m of game g."""
    words = ir.VectorType(ir.IntType(32), lanes.SINGLE_WIDTH)
    wide = ir.VectorType(ir.IntType(64), lanes.SINGLE_WIDTH // 2)

    def constant(kind: Any, number: int) -> Any:
        return ir.Constant(kind, [number] * kind.count)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, args[0])

        def row(number: int) -> Any:
            pointer = builder.gep(view.data, [ir.Constant(ir.IntType(64), number * lanes.SINGLE_WIDTH)])
            return builder.load(builder.bitcast(pointer, words.as_pointer()), align=4)

        weyl, high = row(0), row(1)
        number = builder.trunc(args[1], ir.IntType(32))
        first = builder.insert_element(ir.Constant(words, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
        low = builder.add(
            builder.shuffle_vector(first, first, constant(words, 0)),
            ir.Constant(words, [place // 4 for place in range(lanes.SINGLE_WIDTH)]),
        )
        for _ in range(_ROUNDS):
            # two words in each wide lane: even and odd ones are multiplied apart
            pair, factor, shift = builder.bitcast(low, wide), constant(wide, _MULTIPLIER), constant(wide, 32)
            lower, upper = constant(wide, 0xFFFFFFFF), constant(wide, 0xFFFFFFFF00000000)
            even = builder.mul(builder.and_(pair, lower), factor)
            odd = builder.mul(builder.lshr(pair, shift), factor)
            carried = builder.or_(builder.lshr(even, shift), builder.and_(odd, upper))
            kept = builder.or_(builder.and_(even, lower), builder.shl(odd, shift))
            low = builder.xor(builder.xor(builder.bitcast(carried, words), weyl), high)
            high = builder.bitcast(kept, words)
            weyl = builder.add(weyl, constant(words, _WEYL))
        both = []
        for word in (low, high):
            # 1 + n / 2^23 by its bits, then (n + 1/2) / 2^23
            bits = builder.or_(builder.lshr(word, constant(words, 9)), constant(words, 0x3F800000))
            less = ir.Constant(lanes.SINGLES.vector, [float(np.float32(1 - 2**-24))] * lanes.SINGLE_WIDTH)
            both.append(builder.fsub(builder.bitcast(bits, lanes.SINGLES.vector), less))
        return context.make_tuple(builder, signature.return_type, both)

    return types.UniTuple(lanes.SINGLES, 2)(keys, types.int64), codegen


@register_jitable
def deal_pairs(keys, rules, has_draws, has_lead, start, n, reach, low, high, lead):  # type: ignore[no-untyped-def]
    """Write what luck makes of matches start to start + n: how far skill reaches in each, the bounds of d, the lead."""
    mix, own_reach, nu, coin_nu = (
        lanes.load(rules, 0, 0),
        lanes.load(rules, 1, 0),
        lanes.load(rules, 2, 0),
        lanes.load(rules, 3, 0),
    )
    nothing = mix * 0.0
    for row in range((n + 3) // 4):
        choice, u = draw_uniforms(keys, start + 4 * row)
        lanes.store(reach, row, 0, lanes.choose_above(mix, choice, own_reach, nothing))
        if has_lead:
            lanes.store(lead, row, 0, lanes.choose_above(mix, choice, lanes.load(rules, 4, 0), lanes.load(rules, 5, 0)))
        if has_draws:
            here = lanes.choose_above(mix, choice, nu, coin_nu)
            rest = 1.0 - u
            odds = u / rest
            edge = u * here
            win = (edge + lanes.root(edge * edge + 4.0 * (u * rest))) / (2.0 * rest)
            draw = 2.0 * odds / (here + lanes.root(here * here + 4.0 * odds))
            half = 0.5 * here
            lanes.store(low, row, 0, lanes.log((draw * draw + half * draw) / (1.0 + half * draw)))
            lanes.store(high, row, 0, lanes.log((win * win + half * win) / (1.0 + half * win)))
        else:
            lanes.store(high, row, 0, lanes.log(u / (1.0 - u)))


@register_jitable
def deal_seats(keys, rules, skill, player, start, n, order):  # type: ignore[no-untyped-def]
    """Write the order in which the n seats of a match finish in each game, the largest first.

    A row of `order` holds four seats, lane 4 m + g being the m-th of them in game g; those of the last row that are not
    there are nobody's.
    """
    mix, own_reach = lanes.load(rules, 0, 0), lanes.load(rules, 1, 0)
    nothing = mix * 0.0
    reach = nothing
    last = start + n - 1
    for row in range((n + 3) // 4):
        seat = start + 4 * row
        choice, u = draw_uniforms(keys, seat)
        if row == 0:
            # the luck of the first seat says whether the match is played
            lanes.store(order, 0, 0, choice)
            reach = lanes.choose_above(mix, lanes.load_repeated(order, 0, 0), own_reach, nothing)
        own = lanes.load_four(
            skill,
            player[seat],
            player[min(seat + 1, last)],
            player[min(seat + 2, last)],
            player[min(seat + 3, last)],
        )
        noise = nothing - lanes.log(nothing - lanes.log(u))
        lanes.store(order, row, 0, lanes.multiply_add(reach, own, noise))


@register_jitable
def count_better(order, n, better):  # type: ignore[no-untyped-def]
    """Write how many of the n seats of a match finish before each, rows as in `order`."""
    nothing = lanes.load(order, 0, 0) * 0.0
    one = nothing + 1.0
    n_rows = (n + 3) // 4
    row = 0
    # four rows at once share what is loaded of each seat
    while row + 3 < n_rows:
        a, b = lanes.load(order, row, 0), lanes.load(order, row + 1, 0)
        c, d = lanes.load(order, row + 2, 0), lanes.load(order, row + 3, 0)
        of_a, of_b, of_c, of_d = nothing, nothing, nothing, nothing
        for seat in range(n):
            other = lanes.load_repeated(order, seat >> 2, 4 * (seat & 3))
            of_a = lanes.choose_above(other, a, of_a + one, of_a)
            of_b = lanes.choose_above(other, b, of_b + one, of_b)
            of_c = lanes.choose_above(other, c, of_c + one, of_c)
            of_d = lanes.choose_above(other, d, of_d + one, of_d)
        lanes.store(better, row, 0, of_a)
        lanes.store(better, row + 1, 0, of_b)
        lanes.store(better, row + 2, 0, of_c)
        lanes.store(better, row + 3, 0, of_d)
        row += 4
    while row < n_rows:
        own, count = lanes.load(order, row, 0), nothing
        for seat in range(n):
            other = lanes.load_repeated(order, seat >> 2, 4 * (seat & 3))
            count = lanes.choose_above(other, own, count + one, count)
        lanes.store(better, row, 0, count)
        row += 1
