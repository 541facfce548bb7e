"""The filter of the state-space ratings over two-player matches: one forward pass, for one lane or for eight.

A player's strength is x ~ N(m, v) before a match, in natural units. With d = m_i - m_j + offsets and s^2 = v_i + v_j
the forecast integrates over both: p = 1 / (1 + exp(-kappa d)), kappa = 1 / sqrt(1 + pi s^2 / 8) (MacKay 1992). The
step is that of a Gaussian with the same slope and curvature: with g = kappa (y - p) and h = kappa^2 p (1 - p)

    m_i += v_i g,   m_j -= v_j g,   v_i -= v_i^2 h,   v_j -= v_j^2 h.

The level e at which newcomers enter is a random walk whose covariance c with each strength is kept, so that results of
newcomers move it: with C = c_i - c_j, e += C g, c_i -= v_i h C, c_j += v_j h C, var(e) -= C^2 h. Being paired is an
observation that m_i - m_j = 0, made before the forecast. What depends on the number of matches played (learning, the
extras of newcomers) comes from tables, and counts only matches before the present time: the order of matches at equal
times says nothing.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel

MEAN, VARIANCE, ENTRY, ACTIVITY, FORM, FORM_VARIANCE, FORM_COVARIANCE = range(7)
"""Rows of a belief: strength, its variance and its covariance with the entry level; recent matches; form, its variance
and its covariance with the strength."""
ROWS = 8

LAST, BEFORE, TODAY = range(3)
"""Columns of a career: time of the last match (-inf: none), matches before that time, matches at that time."""
COLUMNS = 4

ENTRY_LEVEL, ENTRY_VARIANCE, MEAN_LEVEL = range(3)
"""Rows of the common level: of newcomers, its variance, and the running mean of those who play."""
LEVELS = 3

(
    SPREAD,
    DRIFT,
    MATCH_DRIFT,
    ADVANTAGE,
    ENTRY_DRIFT,
    OPPONENT_SHARE,
    PAIRING,
    PAIRING_NEW,
    YOUNG_DRIFT,
    INFORMATION,
    ACTIVITY_GAIN,
    ACTIVITY_RATE,
    RUST,
    FORM_SPREAD,
    FORM_RATE,
) = range(15)
"""Rows of the parameters: variances, variances per day and match, natural units, rates per day."""
VALUES = 15

LEARNT, NEW, YOUNG = range(3)
"""Rows of the tables for each number of matches: what was learnt by then, and how new and how young a player is."""
TABLES = 3

CURVATURE = math.pi / 8
RUST_RATE = 1 / 365.25
MEMORY = 1e-3
"""The weight of one match in the mean level of those who play."""
_LEAST = 1e-12
_CACHED = 100_000
"""So many numbers stay in the cache by themselves, and asking ahead only costs."""
_AHEAD = 12
"""Matches between asking for a player's cache lines and using them."""


@kernel
def filter_pass(  # noqa: PLR0912, PLR0915 - all of one match, in order
    first: Codes,
    second: Codes,
    halves: Halves,
    day: Floats,
    seat: Halves,
    weight: Floats,
    career: Floats,
    belief: Floats,
    level: Floats,
    clock: Floats,
    values: Floats,
    tables: Floats,
    expected: Floats,
    middle: Floats,
    loss: Floats,
) -> None:
    """Play the matches in order, moving `career`, `belief`, `level` and `clock` in place.

    `belief` is (players x ROWS), `level` (LEVELS), `values` (VALUES), `tables` (counts x TABLES), either flat or with
    eight lanes; of the same kind, and with one row per match or none if they are not wanted: `expected` (the forecast),
    `middle` (the pair's mean level) and `loss` (the log loss of the forecast times the weight). A `weight` of length 0
    is 1 for all matches, a `seat` of length 0 is 0.
    """
    if JIT:
        career, belief, clock = lanes.borrow(career), lanes.borrow(belief), lanes.borrow(clock)
        values, tables = lanes.borrow(values), lanes.borrow(tables)
        expected, middle, loss = lanes.borrow(expected), lanes.borrow(middle), lanes.borrow(loss)
    n, n_counts = len(first), len(tables) // TABLES
    is_large = belief.size > _CACHED
    strengths = belief.reshape((len(career), -1))
    has_weight, has_seat = len(weight) > 0, len(seat) > 0
    wants_expected, wants_middle = len(expected) > 0, len(middle) > 0
    wants_loss = len(loss) > 0
    is_active, rusts, has_form = _any(values, ACTIVITY_GAIN), _any(values, RUST), _any(values, FORM_SPREAD)
    pairs, enters = _any(values, PAIRING), _any(values, ENTRY_DRIFT)
    spread, match_drift = lanes.get(values, SPREAD), lanes.get(values, MATCH_DRIFT)
    advantage, entry_drift = lanes.get(values, ADVANTAGE), lanes.get(values, ENTRY_DRIFT)
    share, pairing, pairing_new = (
        lanes.get(values, OPPONENT_SHARE),
        lanes.get(values, PAIRING),
        lanes.get(values, PAIRING_NEW),
    )
    information, gain = lanes.get(values, INFORMATION), lanes.get(values, ACTIVITY_GAIN)
    form_spread, form_rate = lanes.get(values, FORM_SPREAD), lanes.get(values, FORM_RATE)
    drift, young_drift = lanes.get(values, DRIFT), lanes.get(values, YOUNG_DRIFT)
    activity_rate, rust = lanes.get(values, ACTIVITY_RATE), lanes.get(values, RUST)
    moment = clock[0]
    entry, entry_variance = lanes.get(level, ENTRY_LEVEL), lanes.get(level, ENTRY_VARIANCE)
    mean_level = lanes.get(level, MEAN_LEVEL)
    for t in range(n):
        if JIT and is_large and t + _AHEAD < n:
            _look_ahead(career, strengths, first[t + _AHEAD])
            _look_ahead(career, strengths, second[t + _AHEAD])
        i, j, now = int(first[t]), int(second[t]), day[t]
        if enters and -np.inf < moment < now:
            entry_variance = entry_variance + entry_drift * (now - moment)
        moment = now
        i_is_new, j_is_new = career[i, LAST] == -np.inf, career[j, LAST] == -np.inf
        a, b = ROWS * i, ROWS * j
        pause_i, pause_j = _pause(career[i, LAST], now), _pause(career[j, LAST], now)
        if is_active:
            recent_i = _faded(lanes.get(belief, a + ACTIVITY), career[i, TODAY], activity_rate, pause_i)
            recent_j = _faded(lanes.get(belief, b + ACTIVITY), career[j, TODAY], activity_rate, pause_j)
            lanes.put(belief, a + ACTIVITY, recent_i)
            lanes.put(belief, b + ACTIVITY, recent_j)
        if pause_i > 0.0 or i_is_new:
            career[i, BEFORE] += career[i, TODAY]
            career[i, TODAY], career[i, LAST] = 0.0, now
        if pause_j > 0.0 or j_is_new:
            career[j, BEFORE] += career[j, TODAY]
            career[j, TODAY], career[j, LAST] = 0.0, now
        n_i = TABLES * min(int(career[i, BEFORE]), n_counts - 1)
        n_j = TABLES * min(int(career[j, BEFORE]), n_counts - 1)
        offset_i, offset_j = lanes.get(tables, n_i + LEARNT), lanes.get(tables, n_j + LEARNT)
        m_i, v_i, c_i = lanes.get(belief, a), lanes.get(belief, a + VARIANCE), lanes.get(belief, a + ENTRY)
        m_j, v_j, c_j = lanes.get(belief, b), lanes.get(belief, b + VARIANCE), lanes.get(belief, b + ENTRY)
        if pause_i > 0.0:
            v_i = v_i + drift * (1.0 + young_drift * lanes.get(tables, n_i + YOUNG)) * pause_i
        if pause_j > 0.0:
            v_j = v_j + drift * (1.0 + young_drift * lanes.get(tables, n_j + YOUNG)) * pause_j
        if rusts:
            m_i = m_i - rust * (1.0 - math.exp(-pause_i * RUST_RATE))
            m_j = m_j - rust * (1.0 - math.exp(-pause_j * RUST_RATE))
        if i_is_new or j_is_new:
            lead_i, lead_j = m_i + offset_i - mean_level, m_j + offset_j - mean_level
            if i_is_new:
                m_i, v_i, c_i = entry, spread + entry_variance, entry_variance
                if not j_is_new:
                    m_i = m_i + share * lead_j
            if j_is_new:
                m_j, v_j, c_j = entry, spread + entry_variance, entry_variance
                if not i_is_new:
                    m_j = m_j + share * lead_i
        v_i, v_j = v_i + match_drift, v_j + match_drift
        # what a result moves: the variance of the strength, and with form its covariance with strength and form
        k_i, k_j = v_i, v_j
        if has_form:
            kept_i, kept_j = lanes.exp(form_rate * (-pause_i)), lanes.exp(form_rate * (-pause_j))
            f_i, x_i = kept_i * lanes.get(belief, a + FORM), kept_i * lanes.get(belief, a + FORM_COVARIANCE)
            f_j, x_j = kept_j * lanes.get(belief, b + FORM), kept_j * lanes.get(belief, b + FORM_COVARIANCE)
            w_i = form_spread + kept_i * kept_i * (lanes.get(belief, a + FORM_VARIANCE) - form_spread)
            w_j = form_spread + kept_j * kept_j * (lanes.get(belief, b + FORM_VARIANCE) - form_spread)
            w_i, w_j = form_spread if i_is_new else w_i, form_spread if j_is_new else w_j
            k_i, k_j = v_i + x_i, v_j + x_j
            l_i, l_j = w_i + x_i, w_j + x_j
            s2 = k_i + l_i + k_j + l_j
            difference = m_i + f_i - m_j - f_j
        else:
            s2 = v_i + v_j
            difference = m_i - m_j
        if enters:
            # what others have told about the entry level since, these players' covariance with it does not know
            c_i, c_j = _at_most(c_i, entry_variance), _at_most(c_j, entry_variance)
        slope = c_i - c_j
        if pairs:
            newness = lanes.get(tables, n_i + NEW) + lanes.get(tables, n_j + NEW)
            precision = pairing * (1.0 + pairing_new * newness)
            h = precision / (1.0 + precision * s2)
            g = h * difference
            m_i, m_j = m_i - k_i * g, m_j + k_j * g
            entry = entry - slope * g
            entry_variance = entry_variance - slope * slope * h
            c_i, c_j = c_i - k_i * h * slope, c_j + k_j * h * slope
            v_i, v_j = v_i - k_i * k_i * h, v_j - k_j * k_j * h
            if has_form:
                f_i, f_j = f_i - l_i * g, f_j + l_j * g
                w_i, w_j = w_i - l_i * l_i * h, w_j - l_j * l_j * h
                x_i, x_j = x_i - k_i * l_i * h, x_j - k_j * l_j * h
                k_i, k_j = v_i + x_i, v_j + x_j
                l_i, l_j = w_i + x_i, w_j + x_j
                s2 = k_i + l_i + k_j + l_j
                difference = m_i + f_i - m_j - f_j
            else:
                k_i, k_j = v_i, v_j
                s2 = v_i + v_j
                difference = m_i - m_j
            slope = c_i - c_j
        if is_active:
            offset_i = offset_i + gain * lanes.log(1.0 + recent_i)
            offset_j = offset_j + gain * lanes.log(1.0 + recent_j)
        difference = difference + offset_i - offset_j
        if has_seat:
            difference = difference + advantage * (1.0 * seat[t])
        kappa = 1.0 / lanes.root(1.0 + CURVATURE * s2)
        x = kappa * difference
        odds = lanes.exp(0.0 - x)
        p = 1.0 / (1.0 + odds)
        mean = 0.5 * (m_i + m_j + offset_i + offset_j)
        if wants_expected:
            lanes.put(expected, t, p)
        if wants_middle:
            lanes.put(middle, t, mean)
        worth = weight[t] if has_weight else 1.0
        if wants_loss:
            lanes.put(loss, t, (-worth) * _log_likelihood(p, odds, halves[t]))
        g = kappa * (0.5 * halves[t] - p)
        h = information * kappa * kappa * p * (p * odds)
        if has_weight:
            # each further result tells less: as many steps at once would overshoot
            counts = worth / (1.0 + max(worth - 1.0, 0.0) * h * s2)
            g, h = counts * g, counts * h
        if enters:
            entry = entry + slope * g
            entry_variance = lanes.larger(entry_variance - slope * slope * h, _LEAST)
            lanes.put(belief, a + ENTRY, c_i - k_i * h * slope)
            lanes.put(belief, b + ENTRY, c_j + k_j * h * slope)
        lanes.put(belief, a, m_i + k_i * g)
        lanes.put(belief, b, m_j - k_j * g)
        lanes.put(belief, a + VARIANCE, v_i - k_i * k_i * h)
        lanes.put(belief, b + VARIANCE, v_j - k_j * k_j * h)
        if has_form:
            _put_form(belief, a, f_i + l_i * g, w_i - l_i * l_i * h, x_i - k_i * l_i * h)
            _put_form(belief, b, f_j - l_j * g, w_j - l_j * l_j * h, x_j - k_j * l_j * h)
        career[i, TODAY] += 1.0
        career[j, TODAY] += 1.0
        mean_level = mean_level + MEMORY * (mean - mean_level)
    clock[0] = moment
    lanes.put(level, ENTRY_LEVEL, entry)
    lanes.put(level, ENTRY_VARIANCE, entry_variance)
    lanes.put(level, MEAN_LEVEL, mean_level)


@register_jitable
def _look_ahead(career, strengths, i):  # type: ignore[no-untyped-def]  # Numba infers the types
    lanes.prefetch(career, i, 0)
    for column in range(0, strengths.shape[1], lanes.WIDTH):
        lanes.prefetch(strengths, i, column)


@register_jitable
def _at_most(value, most):  # type: ignore[no-untyped-def]
    return value - lanes.larger(value - most, 0.0)


@register_jitable
def _any(values, row):  # type: ignore[no-untyped-def]  # Numba infers the types
    """Whether an ingredient is on in any lane."""
    return np.count_nonzero(values.reshape((VALUES, -1))[row]) > 0


@register_jitable
def _pause(last, now):  # type: ignore[no-untyped-def]
    """The time since the last match; 0 for a newcomer."""
    return now - last if last > -np.inf else 0.0


@register_jitable
def _faded(recent, played, rate, pause):  # type: ignore[no-untyped-def]
    """The recent matches of a player, without those at the present time."""
    return (recent + played) * lanes.exp(rate * (-pause)) if pause > 0.0 else recent


@register_jitable
def _put_form(belief, row, form, variance, covariance):  # type: ignore[no-untyped-def]
    lanes.put(belief, row + FORM, form)
    lanes.put(belief, row + FORM_VARIANCE, variance)
    lanes.put(belief, row + FORM_COVARIANCE, covariance)


@register_jitable
def _log_likelihood(p, odds, halves):  # type: ignore[no-untyped-def]
    """y log(p) + (1 - y) log(1 - p), where 1 - p = p odds."""
    if halves == 2:
        return lanes.log(p)
    if halves == 0:
        return lanes.log(p * odds)
    return 0.5 * lanes.log(p * (p * odds))
