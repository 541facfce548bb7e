"""Paired comparisons: two-player matches gathered into pairs, and the likelihood of skills over them.

Pairs are in Arrow's list layout: row i holds the opponents of player i from starts[i] to starts[i + 1], each once, so
that a sum over pairs reads each of them one time. Nothing ever has the size players times players.

The performances of two differ by d = s_i - s_j + advantage plus noise; the first wins if that is above t, loses if it
is below -t, else they tie: P(win) = F(d - t), P(loss) = F(-d - t), P(tie) = F(t - d) - F(-t - d). F(x) is Phi(x / root
2) for normal performances of variance 1 (probit) and 1 / (1 + exp(-x)) for Gumbel ones (logit; with ties that is Rao
and Kupper 1967). The logarithms are concave in (d, t) (Burridge 1981; Pratt 1981).

In all vectors t and the advantage follow the skills. `evaluate_cycles` has the model in which the better of two may
depend on the pair: d = s_i - s_j + u_i v_j - u_j v_i, a skill and a place in a plane; the second part changes its sign
with the seats, as it must (Chen and Joachims 2016; Balduzzi et al. 2018). It has no ties: a tie counts as half a win
and half a loss.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel


def gather_pairs_plain(
    first: Codes, second: Codes, halves: Halves, weight: Floats, n_players: int, ordered: bool
) -> tuple[Counts, Codes, Floats]:
    """The plain twin of `gather_pairs`."""
    rows: list[dict[int, list[float]]] = [{} for _ in range(n_players)]
    for t in range(len(first)):
        i, j, half = int(first[t]), int(second[t]), int(halves[t])
        if not ordered and i > j:
            i, j, half = j, i, 2 - half
        rows[i].setdefault(j, [0.0, 0.0, 0.0])[2 - half] += float(weight[t]) if len(weight) else 1.0
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    opponent = np.array([j for row in rows for j in row], np.int32)
    outcomes = np.array([counts for row in rows for counts in row.values()], np.float64).reshape(-1, 3).T.copy()
    return starts, opponent, outcomes


def gather_pairs(
    first: Codes, second: Codes, halves: Halves, weight: Floats, n_players: int, *, ordered: bool
) -> tuple[Counts, Codes, Floats]:
    """(starts, opponents, outcomes): outcomes are (3, pairs), wins, ties and losses of the row's player.

    The row's player is the one with the lower code, or, if `ordered`, the one in the first seat. `weight` is one per
    match, or of length 0 for ones.
    """
    if not JIT:
        return gather_pairs_plain(first, second, halves, weight, n_players, ordered)
    return _gather_pairs(first, second, halves, weight, n_players, ordered)


@kernel
def _gather_pairs(
    first: Codes, second: Codes, halves: Halves, weight: Floats, n_players: int, ordered: bool
) -> tuple[Counts, Codes, Floats]:
    n_matches = len(first)
    # by row: a counting sort of the matches, then in each row a slot for each new opponent
    begin = np.zeros(n_players + 1, np.int64)
    for t in range(n_matches):
        row = first[t] if ordered else min(first[t], second[t])
        begin[row + 1] += 1
    for i in range(n_players):
        begin[i + 1] += begin[i]
    place = begin[:-1].copy()
    # in order of rows, so that the next passes read in order
    met, kinds, sorted_weight = np.empty(n_matches, np.int32), np.empty(n_matches, np.int8), np.empty(len(weight))
    for t in range(n_matches):
        i, j, kind = first[t], second[t], 2 - halves[t]
        if not ordered and i > j:
            i, j, kind = j, i, 2 - kind
        met[place[i]] = j
        kinds[place[i]] = kind
        if len(weight):
            sorted_weight[place[i]] = weight[t]
        place[i] += 1
    # pairs are counted first: room for a pair per match would be several times as much as is needed
    starts, slot, n_pairs = np.zeros(n_players + 1, np.int64), np.full(n_players, -1, np.int64), 0
    for i in range(n_players):
        row_start = n_pairs
        for k in range(begin[i], begin[i + 1]):
            if slot[met[k]] < row_start:
                slot[met[k]] = n_pairs
                n_pairs += 1
        starts[i + 1] = n_pairs
    opponent, outcomes = np.empty(n_pairs, np.int32), np.zeros((3, n_pairs))
    slot[:] = -1
    n_pairs = 0
    for i in range(n_players):
        row_start = n_pairs
        for k in range(begin[i], begin[i + 1]):
            j = met[k]
            if slot[j] < row_start:
                slot[j] = n_pairs
                opponent[n_pairs] = j
                n_pairs += 1
            outcomes[kinds[k], slot[j]] += sorted_weight[k] if len(weight) else 1.0
    return starts, opponent, outcomes


_ROOT_HALF = math.sqrt(0.5)
_LOG_ROOT_TAU = 0.5 * math.log(2 * math.pi)
_SMALL = 1e-150
_TAIL = -6.0
"""Below it the normal distribution comes from its continued fraction, which neither underflows nor cancels."""


def log_likelihood_plain(
    starts: Counts, opponent: Codes, outcomes: Floats, skill: Floats, t: float, advantage: float, probit: bool
) -> float:
    """The plain twin of `evaluate_pairs`, which gives the sum only."""
    from scipy.special import log_ndtr

    def log_cdf(x: Floats) -> Floats:
        return np.asarray(log_ndtr(x * _ROOT_HALF) if probit else -np.logaddexp(0, -x))

    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    d = skill[row] - skill[opponent] + advantage
    total = float(outcomes[0] @ log_cdf(d - t) + outcomes[2] @ log_cdf(-d - t))
    if outcomes[1].any():
        # in the lower tail, where a difference of two logarithms keeps its digits
        upper, lower = log_cdf(t - np.abs(d)), log_cdf(-t - np.abs(d))
        total += float(outcomes[1] @ (upper + np.log(-np.expm1(lower - upper))))
    return total


def evaluate_pairs(
    starts: Counts,
    opponent: Codes,
    outcomes: Floats,
    ties: bool,
    skill: Floats,
    t: float,
    advantage: float,
    probit: bool,
    gradient: Floats,
    curvature: Floats,
    diagonal: Floats,
) -> float:
    """The log likelihood; writes the gradient, the pairs' curvature (3, pairs) and the diagonal of the Hessian.

    `curvature` holds minus the second derivatives in dd, dt and tt of each pair; of its rows only the first is
    written, and t is taken as 0, unless there are `ties`.
    """
    if JIT and not ties and not probit:
        return _evaluate_logit(starts, opponent, outcomes, skill, advantage, gradient, curvature, diagonal)
    return _evaluate(starts, opponent, outcomes, ties, skill, t, advantage, probit, gradient, curvature, diagonal)


@kernel
def _evaluate_logit(
    starts: Counts,
    opponent: Codes,
    outcomes: Floats,
    skill: Floats,
    advantage: float,
    gradient: Floats,
    curvature: Floats,
    diagonal: Floats,
) -> float:
    """`_evaluate` for the logit model without ties, with eight exponentials at a time."""
    n, widest = len(starts) - 1, 0
    for i in range(n):
        widest = max(widest, starts[i + 1] - starts[i])
    width = widest + lanes.WIDTH
    away, win, loss = np.zeros((1, width)), np.zeros((1, width)), np.zeros((1, width))
    gradient[:] = 0
    diagonal[:] = 0
    total, product = 0.0, 1.0
    for i in range(n):
        begin, size = starts[i], starts[i + 1] - starts[i]
        centre, own_gradient, own_diagonal = skill[i] + advantage, 0.0, 0.0
        for k in range(size):
            away[0, k] = skill[opponent[begin + k]] - centre
        for k in range(0, size, lanes.WIDTH):
            odds = lanes.exponential(lanes.load(away, 0, k))
            chance = 1.0 / (odds + 1.0)
            lanes.store(win, 0, k, chance)
            lanes.store(loss, 0, k, odds * chance)
        for k in range(size):
            e = begin + k
            won, lost, up, down = outcomes[0, e], outcomes[2, e], win[0, k], loss[0, k]
            g, dd, likely = won * down - lost * up, (won + lost) * up * down, won * up + lost * down
            if max(won, lost) == 1 and won + lost == 1 and likely > _SMALL:
                product *= likely
                if product < _SMALL:
                    total += math.log(product)
                    product = 1.0
            else:
                total += won * log_cdf(-away[0, k], False)[0] + lost * log_cdf(away[0, k], False)[0]
            curvature[0, e] = dd
            own_gradient += g
            own_diagonal += dd
            gradient[opponent[e]] -= g
            diagonal[opponent[e]] += dd
        gradient[i] += own_gradient
        gradient[n + 1] += own_gradient
        diagonal[i] += own_diagonal
        diagonal[n + 1] += own_diagonal
    return total + math.log(product)


@kernel
def _evaluate(
    starts: Counts,
    opponent: Codes,
    outcomes: Floats,
    ties: bool,
    skill: Floats,
    t: float,
    advantage: float,
    probit: bool,
    gradient: Floats,
    curvature: Floats,
    diagonal: Floats,
) -> float:
    n = len(starts) - 1
    gradient[:] = 0
    diagonal[:] = 0
    # a product of probabilities needs one logarithm now and then, not one each
    total, product = 0.0, 1.0
    for i in range(n):
        own_gradient, own_diagonal = 0.0, 0.0
        for e in range(starts[i], starts[i + 1]):
            j = opponent[e]
            d = skill[i] - skill[j] + advantage
            won, lost = outcomes[0, e], outcomes[2, e]
            if ties:
                value, g, gt, dd, dt, tt = _with_tie(d, t, won, outcomes[1, e], lost, probit)
                total += value
                curvature[1, e] = dt
                curvature[2, e] = tt
                gradient[n] += gt
                diagonal[n] += tt
            else:
                win, loss, up, down, dd = _decided(d, won, lost, probit)
                g = won * up - lost * down
                if max(won, lost) == 1 and won + lost == 1 and win * won + loss * lost > _SMALL:
                    product *= win * won + loss * lost
                    if product < _SMALL:
                        total += math.log(product)
                        product = 1.0
                else:
                    total += won * log_cdf(d, probit)[0] + lost * log_cdf(-d, probit)[0]
            curvature[0, e] = dd
            own_gradient += g
            own_diagonal += dd
            gradient[j] -= g
            diagonal[j] += dd
        gradient[i] += own_gradient
        gradient[n + 1] += own_gradient
        diagonal[i] += own_diagonal
        diagonal[n + 1] += own_diagonal
    return total + math.log(product)


@register_jitable
def _with_tie(d, t, won, tied, lost, probit):  # type: ignore[no-untyped-def]  # Numba infers the types
    """The sum over a pair's results with its derivatives in d and t, and minus its second derivatives dd, dt, tt."""
    value, g, gt, dd, dt, tt = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if won > 0:
        logarithm, slope, bend = log_cdf(d - t, probit)
        value += won * logarithm
        g += won * slope
        gt -= won * slope
        dd += won * bend
        dt -= won * bend
        tt += won * bend
    if lost > 0:
        logarithm, slope, bend = log_cdf(-d - t, probit)
        value += lost * logarithm
        g -= lost * slope
        gt -= lost * slope
        dd += lost * bend
        dt += lost * bend
        tt += lost * bend
    if tied > 0:
        logarithm, slope, slope_t, bend, bend_dt, bend_tt = log_tie(d, t, probit)
        value += tied * logarithm
        g += tied * slope
        gt += tied * slope_t
        dd += tied * bend
        dt += tied * bend_dt
        tt += tied * bend_tt
    return value, g, gt, dd, dt, tt


@register_jitable
def _decided(d, won, lost, probit):  # type: ignore[no-untyped-def]  # Numba infers the types
    """Without ties: P(win), P(loss), the slopes of their logarithms in d and -d, and the pair's curvature."""
    # without a branch on the sign of d, which no processor can foresee
    if not probit:
        odds = math.exp(min(max(-d, -700.0), 700.0))
        win = 1 / (1 + odds)
        loss = odds * win
        return win, loss, loss, win, (won + lost) * win * loss
    z = d * _ROOT_HALF
    if abs(z) > -_TAIL:
        _, up, bend_up = log_cdf(d, probit)
        _, down, bend_down = log_cdf(-d, probit)
        return 0.0, 0.0, up, down, won * bend_up + lost * bend_down
    small_p = 0.5 * math.erfc(abs(d) * 0.5)
    above = 1.0 if d > 0 else 0.0
    win = above * (1 - small_p) + (1 - above) * small_p
    loss = above * small_p + (1 - above) * (1 - small_p)
    density = math.exp(-0.5 * z * z - _LOG_ROOT_TAU)
    up, down = density / win, density / loss
    bend = 0.5 * (won * up * (up + z) + lost * down * (down - z))
    return win, loss, up * _ROOT_HALF, down * _ROOT_HALF, bend


def balance_pairs_plain(starts: Counts, opponent: Codes, outcomes: Floats) -> tuple[Floats, Floats]:
    """The plain twin of `balance_pairs`."""
    n = len(starts) - 1
    row, net, met = np.repeat(np.arange(n), np.diff(starts)), outcomes[0] - outcomes[2], outcomes.sum(axis=0)
    ahead = np.asarray(np.bincount(row, net, n) - np.bincount(opponent, net, n), np.float64)
    return ahead, np.asarray(np.bincount(row, met, n) + np.bincount(opponent, met, n), np.float64)


@kernel
def balance_pairs(starts: Counts, opponent: Codes, outcomes: Floats) -> tuple[Floats, Floats]:
    """Wins minus losses of each player, and their matches, as sums of weights."""
    n = len(starts) - 1
    ahead, met = np.zeros(n), np.zeros(n)
    for i in range(n):
        for e in range(starts[i], starts[i + 1]):
            net, total = outcomes[0, e] - outcomes[2, e], outcomes[0, e] + outcomes[1, e] + outcomes[2, e]
            ahead[i] += net
            met[i] += total
            ahead[opponent[e]] -= net
            met[opponent[e]] += total
    return ahead, met


@kernel
def multiply_pairs(
    starts: Counts, opponent: Codes, curvature: Floats, ties: bool, bend_t: float, x: Floats, result: Floats
) -> None:
    """Write the product of minus the Hessian of the likelihood and x, both with t and advantage behind the skills.

    `bend_t` is the sum of the pairs' curvature in tt, which stands in the diagonal of `evaluate_pairs`.
    """
    n = len(starts) - 1
    result[:] = 0
    along_t, along_advantage = x[n], x[n + 1]
    total_t, total_advantage = 0.0, 0.0
    for i in range(n):
        own = 0.0
        centre = x[i] + along_advantage
        if ties:
            for e in range(starts[i], starts[i + 1]):
                j = opponent[e]
                d = centre - x[j]
                push = curvature[0, e] * d + curvature[1, e] * along_t
                total_t += curvature[1, e] * d
                own += push
                result[j] -= push
        else:
            for e in range(starts[i], starts[i + 1]):
                j = opponent[e]
                push = curvature[0, e] * (centre - x[j])
                own += push
                result[j] -= push
        result[i] += own
        total_advantage += own
    result[n] = total_t + bend_t * along_t
    result[n + 1] = total_advantage


@register_jitable
def log_cdf(x, probit):  # type: ignore[no-untyped-def]  # Numba infers the types
    """ln F(x), its first derivative, and minus its second."""
    if probit:
        z = x * _ROOT_HALF
        logarithm, hazard = log_normal(z)
        return logarithm, hazard * _ROOT_HALF, 0.5 * hazard * (z + hazard)
    if x > 0:
        small = math.exp(-x)
        loss = small / (1 + small)
        return -math.log1p(small), loss, loss / (1 + small)
    small = math.exp(x)
    return x - math.log1p(small), 1 / (1 + small), small / ((1 + small) * (1 + small))


_NODES_PER_UNIT, _HIGHEST = 64, 2.0
"""ln Phi is tabulated from the tail up to this: beyond, where it is small, no table keeps its relative error small."""


def _log_normal_table() -> Floats:
    """Coefficients of polynomials of degree 5 for ln Phi between nodes, with its values, slopes and bends at both.

    Their error is 2e-16 in the value and 3e-13 in the slope.
    """
    z = np.arange(_TAIL, _HIGHEST + 0.5 / _NODES_PER_UNIT, 1 / _NODES_PER_UNIT)
    below = np.array([0.5 * math.erfc(-node * _ROOT_HALF) for node in z])
    hazard = np.exp(-0.5 * z * z - _LOG_ROOT_TAU) / below
    y, d, s = np.log(below), hazard / _NODES_PER_UNIT, -hazard * (z + hazard) / _NODES_PER_UNIT**2
    rise, d0, d1, s0, s1 = np.diff(y), d[:-1], d[1:], s[:-1], s[1:]
    cubic = 10 * rise - 6 * d0 - 4 * d1 - 1.5 * s0 + 0.5 * s1
    quartic = -15 * rise + 8 * d0 + 7 * d1 + 1.5 * s0 - s1
    quintic = 6 * rise - 3 * (d0 + d1) - 0.5 * s0 + 0.5 * s1
    return np.column_stack((y[:-1], d0, 0.5 * s0, cubic, quartic, quintic))


_LOG_NORMAL = _log_normal_table()


@register_jitable
def log_normal(z):  # type: ignore[no-untyped-def]  # Numba infers the types
    """ln Phi(z) and its derivative phi / Phi."""
    if _TAIL <= z < _HIGHEST:
        place = (z - _TAIL) * _NODES_PER_UNIT
        node = min(int(place), len(_LOG_NORMAL) - 1)
        x, a, b, c = place - node, _LOG_NORMAL[node, 1], _LOG_NORMAL[node, 2], _LOG_NORMAL[node, 3]
        d, e = _LOG_NORMAL[node, 4], _LOG_NORMAL[node, 5]
        logarithm = _LOG_NORMAL[node, 0] + x * (a + x * (b + x * (c + x * (d + x * e))))
        slope = a + x * (2 * b + x * (3 * c + x * (4 * d + x * 5 * e)))
        return logarithm, slope * _NODES_PER_UNIT
    return log_normal_exactly(z)


@register_jitable
def log_normal_exactly(z):  # type: ignore[no-untyped-def]  # Numba infers the types
    """The plain twin of `log_normal`, for any z."""
    if z < _TAIL:
        # Phi(-x) = phi(x) / (x + 1 / (x + 2 / (x + 3 / ...)))
        hazard = -z
        for k in range(24, 0, -1):
            hazard = k / hazard - z
        return -0.5 * z * z - _LOG_ROOT_TAU - math.log(hazard), hazard
    density = math.exp(-0.5 * z * z - _LOG_ROOT_TAU)
    if z < 0:
        below = 0.5 * math.erfc(-z * _ROOT_HALF)
        return math.log(below), density / below
    above = 0.5 * math.erfc(z * _ROOT_HALF)
    return math.log1p(-above), density / (1 - above)


@register_jitable
def log_tie(d, t, probit):  # type: ignore[no-untyped-def]  # Numba infers the types
    """ln P(tie), its derivatives in d and t, and minus its second derivatives in dd, dt and tt."""
    # in the lower tail, where a difference of two logarithms keeps its digits; mirrored back below
    sign = 1.0 if d >= 0 else -1.0
    upper, lower = t - sign * d, -t - sign * d
    log_upper, slope_upper, _ = log_cdf(upper, probit)
    log_lower, slope_lower, _ = log_cdf(lower, probit)
    below = log_lower - log_upper
    share = -math.expm1(below)
    a, b = slope_upper / share, slope_lower * math.exp(below) / share
    if probit:
        bend_a, bend_b = -0.5 * upper * a, -0.5 * lower * b
    else:
        bend_a, bend_b = -math.tanh(0.5 * upper) * a, -math.tanh(0.5 * lower) * b
    slope, slope_t = b - a, a + b
    dd = slope * slope - bend_a + bend_b
    tt = slope_t * slope_t - bend_a + bend_b
    dt = slope * slope_t + bend_a + bend_b
    return log_upper + math.log(share), sign * slope, slope_t, max(dd, 0.0), sign * dt, tt


def evaluate_cycles_plain(
    starts: Counts, opponent: Codes, won: Floats, lost: Floats, x: Floats, probit: bool
) -> tuple[float, Floats]:
    """The plain twin of `evaluate_cycles`: the sum, and the slope of each pair in d."""
    from scipy.special import log_ndtr

    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    s, u, v = x
    d = s[row] - s[opponent] + u[row] * v[opponent] - u[opponent] * v[row]
    if not probit:
        up, down = -np.logaddexp(0, -d), -np.logaddexp(0, d)
        return float(won @ up + lost @ down), won * np.exp(down) - lost * np.exp(up)
    z = d / math.sqrt(2)
    up, down = log_ndtr(z), log_ndtr(-z)
    log_density = -0.5 * z * z - 0.5 * math.log(4 * math.pi)
    return float(won @ up + lost @ down), won * np.exp(log_density - up) - lost * np.exp(log_density - down)


@kernel
def evaluate_cycles(
    starts: Counts,
    opponent: Codes,
    won: Floats,
    lost: Floats,
    x: Floats,
    probit: bool,
    gradient: Floats,
    slope: Floats,
) -> float:
    """The log likelihood at x = (skills, u, v); writes the gradient, (3, players) too, and each pair's slope in d."""
    n = len(starts) - 1
    gradient[:] = 0
    total = 0.0
    for i in range(n):
        own, own_u, own_v = 0.0, 0.0, 0.0
        s_i, u_i, v_i = x[0, i], x[1, i], x[2, i]
        for e in range(starts[i], starts[i + 1]):
            j = np.uint32(opponent[e])
            d = s_i - x[0, j] + u_i * x[2, j] - x[1, j] * v_i
            wins, losses = won[e], lost[e]
            if probit:
                up, slope_up, _ = log_cdf(d, True)
                down, slope_down, _ = log_cdf(-d, True)
                total += wins * up + losses * down
                g = wins * slope_up - losses * slope_down
            else:
                small = math.exp(-abs(d))
                near = 1 / (1 + small)
                # the logarithm of the likelier of the two results; the other's is |d| less
                likely = -math.log1p(small)
                if d > 0:
                    total += (wins + losses) * likely - losses * d
                    g = wins - (wins + losses) * near
                else:
                    total += (wins + losses) * likely + wins * d
                    g = wins - (wins + losses) * small * near
            slope[e] = g
            own += g
            own_u += g * x[2, j]
            own_v -= g * x[1, j]
            gradient[0, j] -= g
            gradient[1, j] -= g * v_i
            gradient[2, j] += g * u_i
        gradient[0, i] += own
        gradient[1, i] += own_u
        gradient[2, i] += own_v
    return total
