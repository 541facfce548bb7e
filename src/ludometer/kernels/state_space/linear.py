"""The filter of the state-space ratings over matches of any kind: sides that are weighted sums of entities.

A match is a set of sides, and the strength of a side is the sum of w_k x_k over its terms. An entity k is a player, a
player on one value of a column (their strength on clay), or an effect that all share (the advantage in one league);
each is x_k ~ N(m_k, v_k) in natural units, and entities count as independent. With the means X, the variances V and the
covariances C with the entry level of the sides, one step has a slope g and a curvature H over the sides, and

    m_k += v_k w_k g,   v_k -= v_k^2 w_k^2 H,   c_k -= v_k w_k (H C),   e += C g,   var(e) -= C H C,

where v_k takes the diagonal of H only. A step that tells more than half of what is unknown (many sides, or a column
that many of them share) is divided by what it tells beyond that, so that it does not overshoot. For two sides this is
the pass of `filter`. More sides finish by the rank-ordered logit (Plackett and Luce) on the scale
1 / kappa^2 = 1 + (pi / 8) (2 / n) sum of V, of which two sides are no special case: an order has the probability
product over stages of w / (sum of the w still in), w = exp(kappa X). Stage j counts later^j. Tied sides count as the
mean over the orders that turn them round: both orders of two, so that a draw is half a win. Being matched is an
observation that all sides are as strong as their mean. A margin takes the place of the result: a Gaussian observation
of a multiple of the difference between two sides.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.runtime import lanes
from ludometer.kernels.runtime.compile import JIT, kernel
from ludometer.kernels.skills.ranks import SPREAD as FURTHEST
from ludometer.kernels.skills.ranks import expect_at, expect_shares_plain
from ludometer.kernels.skills.ranks import scratch_rows as ranks_rows
from ludometer.kernels.state_space.filter import (
    ACTIVITY,
    ACTIVITY_GAIN,
    ACTIVITY_RATE,
    ADVANTAGE,
    BEFORE,
    CURVATURE,
    DRIFT,
    ENTRY,
    ENTRY_DRIFT,
    ENTRY_LEVEL,
    ENTRY_VARIANCE,
    FORM,
    FORM_COVARIANCE,
    FORM_RATE,
    FORM_SPREAD,
    FORM_VARIANCE,
    INFORMATION,
    LAST,
    LEARNT,
    MATCH_DRIFT,
    MEAN,
    MEAN_LEVEL,
    NEW,
    OPPONENT_SHARE,
    PAIRING,
    PAIRING_NEW,
    ROWS,
    RUST,
    RUST_RATE,
    SPREAD,
    TABLES,
    TODAY,
    VARIANCE,
    YOUNG,
    YOUNG_DRIFT,
    _any,
    _put_form,
)

LATER, MARGIN_GAIN, MARGIN_NOISE = range(3)
"""Rows of the parameters that only this pass has: how much a later place counts; what a natural unit adds to the
margin, and the variance of the margin around that."""
EXTRAS = 3

PRIOR, EFFECT_DRIFT = range(2)
"""Rows of a kind of effect: its variance at first, and per day."""
KIND_ROWS = 2

MOST_TURNS = 16
"""Tied sides are turned round at most so often."""

_X, _V, _C, _OFFSET, _G, _H, _HC, _W = range(8)
"""Rows of a side within a match: moments, offset, slope, curvature, curvature times C, and the weight exp(kappa X)."""
_SIDE_ROWS = 8
_STAGE_ROWS = 4
_TERM_ROWS = 3
_MEMORY = 1e-3
_LEAST = 1e-12


def scratch_rows(most_sides: int, most_terms: int) -> int:
    """Rows of scratch for matches of so many sides and terms."""
    return (_SIDE_ROWS + _STAGE_ROWS) * most_sides + _TERM_ROWS * most_terms


def linear_pass_plain(  # noqa: PLR0912, PLR0915 - all of one match, in order
    sides: Counts,
    terms: Counts,
    entity: Codes,
    load: Floats,
    slot: Codes,
    place: Codes,
    ranked: Codes,
    day: Floats,
    seat: Halves,
    weight: Floats,
    margin: Floats,
    kind: Codes,
    kinds: Floats,
    career: Floats,
    belief: Floats,
    level: Floats,
    clock: Floats,
    values: Floats,
    extras: Floats,
    tables: Floats,
    scaled: Floats,
    middle: Floats,
    loss: Floats,
    scratch: Floats,
    by_order: bool,
) -> None:
    """The plain twin of `linear_pass`, for one lane: a matrix of sides and entities, and all stages written out."""
    del slot, ranked, scratch
    n_players = len(career) - len(kind)
    table = tables.reshape(-1, TABLES)
    strength = belief.reshape(-1, ROWS)
    for t in range(len(sides) - 1):
        own = range(sides[t], sides[t + 1])
        n, now = len(own), day[t]
        who = np.unique(entity[terms[own[0]] : terms[own[-1] + 1]])
        loads, times = np.zeros((n, len(who))), np.zeros((n, len(who)))
        for s in range(n):
            for term in range(terms[own[s]], terms[own[s] + 1]):
                column = np.searchsorted(who, entity[term])
                loads[s, column] += load[term]
                times[s, column] += 1
        if -np.inf < clock[0] < now:
            level[ENTRY_VARIANCE] += values[ENTRY_DRIFT] * (now - clock[0])
        clock[0] = now
        players, effects = who[who < n_players], who[who >= n_players]
        is_new = np.array([career[k, LAST] == -np.inf for k in players])
        for k in effects:
            _enter_effect_plain(career[k], strength[k], now, kinds.reshape(-1, KIND_ROWS)[kind[k - n_players]])
        for k in players:
            _enter_plain(career[k], strength[k], now, values, table)
        counts = np.minimum(career[players, BEFORE].astype(int), len(table) - 1)
        learnt = table[counts, LEARNT]
        start = level[ENTRY_LEVEL]
        if not is_new.all():
            lead = np.mean(strength[players, MEAN][~is_new] + learnt[~is_new]) - level[MEAN_LEVEL]
            start += values[OPPONENT_SHARE] * lead
        for k in players[is_new]:
            strength[k] = 0.0
            strength[k, [MEAN, VARIANCE, ENTRY]] = start, values[SPREAD] + level[ENTRY_VARIANCE], level[ENTRY_VARIANCE]
            strength[k, FORM_VARIANCE] = values[FORM_SPREAD]
        strength[players, VARIANCE] += values[MATCH_DRIFT]
        if values[PAIRING] > 0:
            new = 2 * np.mean(table[counts, NEW])
            precision = values[PAIRING] * (1 + values[PAIRING_NEW] * new)
            x, v, c = _moments_plain(strength, who, loads, n_players)
            # a Gaussian whose precision is that of the deviations from the mean, turned round exactly
            centred = 2 * precision * (np.eye(n) - 1 / n)
            bend = centred @ np.linalg.inv(np.eye(n) + np.diag(v) @ centred)
            _step_plain(strength, level, who, loads, times, n_players, c, -bend @ x, np.diag(bend), bend @ c)
        active = values[ACTIVITY_GAIN] * np.log(1 + strength[players, ACTIVITY])
        mean = np.mean(strength[players, MEAN] + learnt + active)
        offset = loads[:, : len(players)] @ (learnt + active)
        if len(seat) and seat[t]:
            offset[0 if seat[t] > 0 else -1] += values[ADVANTAGE]
        x, v, c = _moments_plain(strength, who, loads, n_players)
        kappa = 1 / math.sqrt(1 + CURVATURE * 2 / n * v.sum())
        logits = kappa * (x + offset)
        worth = weight[t] if len(weight) else 1.0
        slope, bend, log_order = _order_plain(logits, place[own], extras[LATER])
        won = logits - logits.max()
        won = won - math.log(np.exp(won).sum())
        log_winner = np.mean(won[place[own] == 1])
        if len(scaled):
            scaled[own] = logits
        if len(middle):
            middle[t] = mean
        if len(loss):
            loss[t] = -worth * (log_order if by_order or n == 2 else log_winner)
        g, curve = kappa * slope, values[INFORMATION] * kappa**2 * bend
        h, hc = np.diag(curve), curve @ c
        if n == 2:
            steps = worth / (1 + max(worth - 1, 0) * h * v.sum())
        else:
            steps = worth / (1 + np.maximum(worth * h * v - 0.5, 0))
        g, h, hc = steps * g, steps * h, steps * hc
        if len(margin) and n == 2 and not np.isnan(margin[t]):
            apart = np.array([1.0, -1.0])
            gain = extras[MARGIN_GAIN]
            surprise = gain**2 * v.sum() + extras[MARGIN_NOISE] / worth
            g = apart * gain * (margin[t] - gain * (apart @ (x + offset))) / surprise
            told = values[INFORMATION] * gain**2 / surprise
            h, hc = np.full(2, told), apart * (apart @ c) * told
        _step_plain(strength, level, who, loads, times, n_players, c, g, h, hc)
        if values[ENTRY_DRIFT] > 0:
            level[ENTRY_VARIANCE] = max(level[ENTRY_VARIANCE], _LEAST)
        career[players, TODAY] += 1
        level[MEAN_LEVEL] += _MEMORY * (mean - level[MEAN_LEVEL])


def _enter_plain(career: Floats, strength: Floats, now: float, values: Floats, table: Floats) -> None:
    if career[LAST] == -np.inf:
        career[LAST] = now
    pause = now - career[LAST]
    if pause <= 0:
        return
    if values[ACTIVITY_GAIN]:
        strength[ACTIVITY] = (strength[ACTIVITY] + career[TODAY]) * math.exp(-pause * values[ACTIVITY_RATE])
    career[BEFORE] += career[TODAY]
    career[TODAY], career[LAST] = 0, now
    young = table[min(int(career[BEFORE]), len(table) - 1), YOUNG]
    strength[VARIANCE] += values[DRIFT] * (1 + values[YOUNG_DRIFT] * young) * pause
    strength[MEAN] -= values[RUST] * (1 - math.exp(-pause * RUST_RATE))
    kept = math.exp(-pause * values[FORM_RATE])
    strength[[FORM, FORM_COVARIANCE]] *= kept
    strength[FORM_VARIANCE] = kept**2 * strength[FORM_VARIANCE] + (1 - kept**2) * values[FORM_SPREAD]


def _enter_effect_plain(career: Floats, strength: Floats, now: float, kind: Floats) -> None:
    if career[LAST] == -np.inf:
        strength[VARIANCE] = kind[PRIOR]
    else:
        strength[VARIANCE] += kind[EFFECT_DRIFT] * (now - career[LAST])
    career[LAST] = now


def _moments_plain(strength: Floats, who: Codes, loads: Floats, n_players: int) -> tuple[Floats, Floats, Floats]:
    """Means, variances and covariances with the entry level of the sides."""
    own = strength[who]
    has_form = who < n_players
    mean = own[:, MEAN] + has_form * own[:, FORM]
    variance = own[:, VARIANCE] + has_form * (own[:, FORM_VARIANCE] + 2 * own[:, FORM_COVARIANCE])
    return loads @ mean, loads**2 @ variance, loads @ own[:, ENTRY]


def _order_plain(logits: Floats, place: Codes, later: float) -> tuple[Floats, Floats, float]:
    """The slope and the curvature of the log likelihood of a finishing order in the logits, and it itself."""
    groups = [np.flatnonzero(place == one) for one in np.unique(place)]
    slope, bend, total, passed = np.zeros(len(logits)), np.zeros((len(logits),) * 2), 0.0, 0
    for number, group in enumerate(groups):
        behind = np.concatenate([*groups[number + 1 :], np.zeros(0, int)])
        turns = min(len(group), MOST_TURNS)
        for turn in range(turns):
            order = np.roll(group, -(turn * len(group) // turns))
            for stage, first in enumerate(order):
                still = np.concatenate((order[stage:], behind))
                p = np.zeros(len(logits))
                p[still] = np.exp(logits[still] - logits[still].max())
                p /= p.sum()
                counts = later ** (passed + stage) / turns
                slope += counts * ((np.arange(len(p)) == first) - p)
                bend += counts * (np.diag(p) - np.outer(p, p))
                total += math.log(p[first]) / turns
        passed += len(group)
    return slope, bend, total


def _step_plain(
    strength: Floats,
    level: Floats,
    who: Codes,
    loads: Floats,
    times: Floats,
    n_players: int,
    c: Floats,
    g: Floats,
    h: Floats,
    hc: Floats,
) -> None:
    """Move the entry level and all entities by the slopes of the sides."""
    level[ENTRY_LEVEL] += c @ g
    level[ENTRY_VARIANCE] -= c @ hc
    for column, k in enumerate(who):
        own, w = strength[k], loads[:, column]
        told = w**2 @ h
        held = 1 / (1 + max(told * own[VARIANCE] - 0.5, 0)) if times[:, column].sum() > 1 else 1.0
        x = own[FORM_COVARIANCE] if k < n_players else 0.0
        gain, form_gain = own[VARIANCE] + x, own[FORM_VARIANCE] + x
        own[MEAN] += held * gain * (w @ g)
        own[VARIANCE] -= held * gain**2 * told
        own[ENTRY] -= held * gain * (w @ hc)
        if k < n_players:
            own[FORM] += held * form_gain * (w @ g)
            own[FORM_VARIANCE] -= held * form_gain**2 * told
            own[FORM_COVARIANCE] -= held * gain * form_gain * told


@kernel
def linear_pass(  # noqa: PLR0912, PLR0915 - all of one match, in order
    sides: Counts,
    terms: Counts,
    entity: Codes,
    load: Floats,
    slot: Codes,
    place: Codes,
    ranked: Codes,
    day: Floats,
    seat: Halves,
    weight: Floats,
    margin: Floats,
    kind: Codes,
    kinds: Floats,
    career: Floats,
    belief: Floats,
    level: Floats,
    clock: Floats,
    values: Floats,
    extras: Floats,
    tables: Floats,
    scaled: Floats,
    middle: Floats,
    loss: Floats,
    scratch: Floats,
    by_order: bool,
) -> None:
    """Play the matches in order, moving `career`, `belief`, `level` and `clock` in place.

    Match t has the sides sides[t] to sides[t + 1], and side s the terms terms[s] to terms[s + 1]: `entity` with the
    weight `load`. The first entities are players, `kind` says which kind of effect each of the others is. `slot` is -1,
    or for an entity that several sides of a match share the first of these terms, counted from the match's first; of
    length 0 it is -1 for all. `place` is that of a side, `ranked` the sides of a match in order of place. `weight`,
    `seat` and `margin` (NaN: unknown) of length 0 are not there.

    `scaled` gets kappa X of each side: the forecast is its softmax. `middle` gets the mean level of the players, `loss`
    the weighted log loss of each match: of two sides that of the result, of more that of the winner, or of the whole
    order if `by_order`. They are not wanted if they have length 0. Arrays of floats are flat or have eight lanes, but
    for those of the record, `career` and `clock`.
    """
    n_counts = len(tables) // TABLES
    n_players = len(career) - len(kind)
    has_weight, has_seat, has_margin = len(weight) > 0, len(seat) > 0, len(margin) > 0
    wants_scaled, wants_middle, wants_loss = len(scaled) > 0, len(middle) > 0, len(loss) > 0
    is_active, rusts, has_form = _any(values, ACTIVITY_GAIN), _any(values, RUST), _any(values, FORM_SPREAD)
    pairs, enters = _any(values, PAIRING), _any(values, ENTRY_DRIFT)
    spread, match_drift = lanes.get(values, SPREAD), lanes.get(values, MATCH_DRIFT)
    advantage, entry_drift = lanes.get(values, ADVANTAGE), lanes.get(values, ENTRY_DRIFT)
    share, pairing = lanes.get(values, OPPONENT_SHARE), lanes.get(values, PAIRING)
    pairing_new, information = lanes.get(values, PAIRING_NEW), lanes.get(values, INFORMATION)
    gain, form_spread = lanes.get(values, ACTIVITY_GAIN), lanes.get(values, FORM_SPREAD)
    later = lanes.get(extras, LATER)
    margin_gain, margin_noise = lanes.get(extras, MARGIN_GAIN), lanes.get(extras, MARGIN_NOISE)
    entry, entry_variance = lanes.get(level, ENTRY_LEVEL), lanes.get(level, ENTRY_VARIANCE)
    mean_level = lanes.get(level, MEAN_LEVEL)
    zero = 0.0 * spread
    if JIT:
        # counting the users of arrays that functions in the loop take would cost more than the functions
        terms, entity, load, slot = lanes.borrow(terms), lanes.borrow(entity), lanes.borrow(load), lanes.borrow(slot)
        place, ranked, career = lanes.borrow(place), lanes.borrow(ranked), lanes.borrow(career)
        belief, kinds, scratch = lanes.borrow(belief), lanes.borrow(kinds), lanes.borrow(scratch)
        values, tables = lanes.borrow(values), lanes.borrow(tables)
    for t in range(len(sides) - 1):
        begin, end, now = sides[t], sides[t + 1], day[t]
        n = end - begin
        if enters and -np.inf < clock[0] < now:
            entry_variance = entry_variance + entry_drift * (now - clock[0])
        clock[0] = now
        known, n_known, n_here, newness = zero, 0, 0, zero
        for s in range(n):
            offset = zero
            for term in range(terms[begin + s], terms[begin + s + 1]):
                k = int(entity[term])
                if k >= n_players:
                    _enter_effect(career, belief, k, now, kinds, KIND_ROWS * int(kind[k - n_players]))
                    continue
                count = _enter(career, belief, k, now, values, tables, n_counts, is_active, rusts, has_form)
                learnt = lanes.get(tables, count + LEARNT)
                offset = offset + load[term] * learnt
                newness = newness + lanes.get(tables, count + NEW)
                n_here += 1
                if career[k, BEFORE] + career[k, TODAY] > 0.0:
                    known = known + (lanes.get(belief, ROWS * k) + learnt)
                    n_known += 1
            lanes.put(scratch, _SIDE_ROWS * s + _OFFSET, offset)
        if n_known < n_here:
            start = entry
            if n_known > 0:
                start = start + share * (known * (1.0 / n_known) - mean_level)
            for term in range(terms[begin], terms[end]):
                k = int(entity[term])
                if k < n_players and career[k, BEFORE] + career[k, TODAY] == 0.0:
                    _put(belief, ROWS * k, start, spread + entry_variance, entry_variance)
                    lanes.put(belief, ROWS * k + FORM, zero)
                    lanes.put(belief, ROWS * k + FORM_VARIANCE, form_spread)
                    lanes.put(belief, ROWS * k + FORM_COVARIANCE, zero)
        for term in range(terms[begin], terms[end]):
            k = int(entity[term])
            if k < n_players:
                row = ROWS * k + VARIANCE
                lanes.put(belief, row, lanes.get(belief, row) + match_drift)
        _moments(belief, terms, entity, load, begin, n, n_players, has_form, scratch)
        if pairs:
            precision = pairing * (1.0 + pairing_new * (newness * (2.0 / n_here)))
            _pair(scratch, n, precision)
            entry, entry_variance = _step_entry(scratch, n, entry, entry_variance)
            _step(belief, terms, entity, load, slot, begin, n, n_players, has_form, scratch)
            _moments(belief, terms, entity, load, begin, n, n_players, has_form, scratch)
        mean = zero
        for s in range(n):
            offset = lanes.get(scratch, _SIDE_ROWS * s + _OFFSET)
            for term in range(terms[begin + s], terms[begin + s + 1]):
                k = int(entity[term])
                if k >= n_players:
                    continue
                mean = mean + lanes.get(belief, ROWS * k)
                mean = mean + lanes.get(tables, TABLES * min(int(career[k, BEFORE]), n_counts - 1) + LEARNT)
                if is_active:
                    active = gain * lanes.log(1.0 + lanes.get(belief, ROWS * k + ACTIVITY))
                    offset = offset + load[term] * active
                    mean = mean + active
            if has_seat and ((s == 0 and seat[t] > 0) or (s == n - 1 and seat[t] < 0)):
                offset = offset + advantage
            lanes.put(scratch, _SIDE_ROWS * s + _OFFSET, offset)
        mean = mean * (1.0 / n_here)
        worth = weight[t] if has_weight else 1.0
        if n == 2:
            lost = _two(scratch, place, begin, worth, information, has_weight)
        else:
            scale = _kappa(scratch, n)
            _weigh(scratch, n, scale)
            lost = _several(scratch, place, ranked, begin, n, scale, later, information, worth, by_order)
            if not by_order:
                lost = _winner_loss(scratch, place, begin, n)
        if wants_middle:
            lanes.put(middle, t, mean)
        if wants_loss:
            lanes.put(loss, t, worth * lost)
        if wants_scaled:
            scale = _kappa(scratch, n)
            for s in range(n):
                side = _SIDE_ROWS * s
                x = lanes.get(scratch, side + _X) + lanes.get(scratch, side + _OFFSET)
                lanes.put(scaled, begin + s, scale * x)
        if has_margin and n == 2 and not math.isnan(margin[t]):
            # the margin says all that the result says
            _observe(scratch, margin[t], worth, margin_gain, margin_noise, information)
        if enters:
            entry, entry_variance = _step_entry(scratch, n, entry, entry_variance)
            entry_variance = lanes.larger(entry_variance, _LEAST)
        _step(belief, terms, entity, load, slot, begin, n, n_players, has_form, scratch)
        for term in range(terms[begin], terms[end]):
            if entity[term] < n_players:
                career[entity[term], TODAY] += 1.0
        mean_level = mean_level + _MEMORY * (mean - mean_level)
    lanes.put(level, ENTRY_LEVEL, entry)
    lanes.put(level, ENTRY_VARIANCE, entry_variance)
    lanes.put(level, MEAN_LEVEL, mean_level)


def expect_sides_plain(sides: Counts, scaled: Floats, prize: Floats, expected: Floats) -> None:
    """The plain twin of `expect_sides`."""
    for start, stop in pairwise(sides):
        own = scaled[start:stop]
        expected[start:stop] = expect_shares_plain(np.exp(np.maximum(own - own.max(), -FURTHEST)), prize[start:stop])


@kernel
def expect_sides(sides: Counts, scaled: Floats, prize: Floats, expected: Floats) -> None:
    """Write what each side is expected to get: the prizes of places 1 to n of match t stand from sides[t] on."""
    most = 0
    for t in range(len(sides) - 1):
        most = max(most, sides[t + 1] - sides[t])
    own, weight, shares = np.empty(most), np.empty(most), np.empty(most)
    scratch = np.empty(ranks_rows(most))
    for t in range(len(sides) - 1):
        start, n = sides[t], sides[t + 1] - sides[t]
        for s in range(n):
            own[s] = scaled[start + s]
        expect_at(own, n, prize, start, weight, shares, scratch)
        for s in range(n):
            expected[start + s] = shares[s]


@register_jitable
def _enter(career, belief, i, now, values, tables, n_counts, is_active, rusts, has_form):  # type: ignore[no-untyped-def]
    """Bring a player to the present time; the place in the tables of the matches they played before it."""
    last = career[i, LAST]
    if last == -np.inf:
        career[i, LAST] = now
        return 0
    pause = now - last
    before = career[i, BEFORE]
    if pause > 0.0:
        row = ROWS * i
        if is_active:
            faded = lanes.exp(lanes.get(values, ACTIVITY_RATE) * (-pause))
            lanes.put(belief, row + ACTIVITY, (lanes.get(belief, row + ACTIVITY) + career[i, TODAY]) * faded)
        before += career[i, TODAY]
        career[i, BEFORE], career[i, TODAY], career[i, LAST] = before, 0.0, now
        count = TABLES * min(int(before), n_counts - 1)
        young = 1.0 + lanes.get(values, YOUNG_DRIFT) * lanes.get(tables, count + YOUNG)
        drift = lanes.get(values, DRIFT) * young * pause
        lanes.put(belief, row + VARIANCE, lanes.get(belief, row + VARIANCE) + drift)
        if rusts:
            lost = lanes.get(values, RUST) * (1.0 - math.exp(-pause * RUST_RATE))
            lanes.put(belief, row, lanes.get(belief, row) - lost)
        if has_form:
            kept = lanes.exp(lanes.get(values, FORM_RATE) * (-pause))
            fresh = lanes.get(values, FORM_SPREAD) * (1.0 - kept * kept)
            _put_form(
                belief,
                row,
                kept * lanes.get(belief, row + FORM),
                kept * kept * lanes.get(belief, row + FORM_VARIANCE) + fresh,
                kept * lanes.get(belief, row + FORM_COVARIANCE),
            )
        return count
    return TABLES * min(int(before), n_counts - 1)


@register_jitable
def _enter_effect(career, belief, k, now, kinds, row):  # type: ignore[no-untyped-def]  # Numba infers the types
    """Bring an effect to the present time."""
    last = career[k, LAST]
    if last == -np.inf:
        prior = lanes.get(kinds, row + PRIOR)
        _put(belief, ROWS * k, 0.0 * prior, prior, 0.0 * prior)
    elif now > last:
        drift = lanes.get(kinds, row + EFFECT_DRIFT) * (now - last)
        lanes.put(belief, ROWS * k + VARIANCE, lanes.get(belief, ROWS * k + VARIANCE) + drift)
    career[k, LAST] = now


@register_jitable
def _put(belief, row, mean, variance, covariance):  # type: ignore[no-untyped-def]
    lanes.put(belief, row + MEAN, mean)
    lanes.put(belief, row + VARIANCE, variance)
    lanes.put(belief, row + ENTRY, covariance)


@register_jitable
def _moments(belief, terms, entity, load, begin, n, n_players, has_form, scratch):  # type: ignore[no-untyped-def]
    """Mean, variance and covariance with the entry level of each side."""
    for s in range(n):
        x = 0.0 * lanes.get(belief, 0)
        v, c = x, x
        for term in range(terms[begin + s], terms[begin + s + 1]):
            k, w = int(entity[term]), load[term]
            row = ROWS * k
            x = x + w * lanes.get(belief, row)
            own = lanes.get(belief, row + VARIANCE)
            if has_form and k < n_players:
                x = x + w * lanes.get(belief, row + FORM)
                own = own + lanes.get(belief, row + FORM_VARIANCE) + 2.0 * lanes.get(belief, row + FORM_COVARIANCE)
            v = v + (w * w) * own
            c = c + w * lanes.get(belief, row + ENTRY)
        lanes.put(scratch, _SIDE_ROWS * s + _X, x)
        lanes.put(scratch, _SIDE_ROWS * s + _V, v)
        lanes.put(scratch, _SIDE_ROWS * s + _C, c)


@register_jitable
def _put_slopes(scratch, s, slope, curvature, cross):  # type: ignore[no-untyped-def]
    lanes.put(scratch, _SIDE_ROWS * s + _G, slope)
    lanes.put(scratch, _SIDE_ROWS * s + _H, curvature)
    lanes.put(scratch, _SIDE_ROWS * s + _HC, cross)


@register_jitable
def _pair(scratch, n, precision):  # type: ignore[no-untyped-def]
    """Being matched: the deviation of each side from their mean is seen as 0, exactly for sides that are independent.

    The posterior of x_i is r_i x_i + (1 - r_i) times the mean of x weighted by r, r = 1 / (1 + 2 precision v).
    """
    weights = 0.0 * precision
    means, slopes = weights, weights
    for s in range(n):
        r = 1.0 / (1.0 + 2.0 * precision * lanes.get(scratch, _SIDE_ROWS * s + _V))
        weights = weights + r
        means = means + r * lanes.get(scratch, _SIDE_ROWS * s + _X)
        slopes = slopes + r * lanes.get(scratch, _SIDE_ROWS * s + _C)
    part = 1.0 / weights
    means, slopes = means * part, slopes * part
    for s in range(n):
        x, c = lanes.get(scratch, _SIDE_ROWS * s + _X), lanes.get(scratch, _SIDE_ROWS * s + _C)
        r = 1.0 / (1.0 + 2.0 * precision * lanes.get(scratch, _SIDE_ROWS * s + _V))
        pull = 2.0 * precision * r
        _put_slopes(scratch, s, pull * (means - x), pull * (1.0 - r * part), pull * (c - slopes))


@register_jitable
def _two(scratch, place, begin, worth, information, has_weight):  # type: ignore[no-untyped-def]
    """The slopes of a match of two sides, and its loss."""
    x = lanes.get(scratch, _X) + lanes.get(scratch, _OFFSET)
    x = x - (lanes.get(scratch, _SIDE_ROWS + _X) + lanes.get(scratch, _SIDE_ROWS + _OFFSET))
    s2 = lanes.get(scratch, _V) + lanes.get(scratch, _SIDE_ROWS + _V)
    slope = lanes.get(scratch, _C) - lanes.get(scratch, _SIDE_ROWS + _C)
    y = 0.5
    if place[begin] != place[begin + 1]:
        y = 1.0 if place[begin] < place[begin + 1] else 0.0
    kappa = 1.0 / lanes.root(1.0 + CURVATURE * s2)
    odds = lanes.exp(0.0 - kappa * x)
    p = 1.0 / (1.0 + odds)
    g = kappa * (y - p)
    h = information * kappa * kappa * p * (p * odds)
    if has_weight:
        # each further result tells less: as many steps at once would overshoot
        counts = worth / (1.0 + max(worth - 1.0, 0.0) * h * s2)
        g, h = counts * g, counts * h
    _put_slopes(scratch, 0, g, h, h * slope)
    _put_slopes(scratch, 1, 0.0 - g, h, 0.0 - h * slope)
    if y == 1.0:
        return 0.0 - lanes.log(p)
    if y == 0.0:
        return 0.0 - lanes.log(p * odds)
    return -0.5 * lanes.log(p * (p * odds))


@register_jitable
def _kappa(scratch, n):  # type: ignore[no-untyped-def]
    s2 = lanes.get(scratch, _V)
    for s in range(1, n):
        s2 = s2 + lanes.get(scratch, _SIDE_ROWS * s + _V)
    return 1.0 / lanes.root(1.0 + (CURVATURE * 2.0 / n) * s2)


@register_jitable
def _weigh(scratch, n, scale):  # type: ignore[no-untyped-def]
    """The weights exp(kappa X - top) of the sides."""
    top = scale * (lanes.get(scratch, _X) + lanes.get(scratch, _OFFSET))
    for s in range(1, n):
        side = _SIDE_ROWS * s
        top = lanes.larger(top, scale * (lanes.get(scratch, side + _X) + lanes.get(scratch, side + _OFFSET)))
    for s in range(n):
        side = _SIDE_ROWS * s
        x = scale * (lanes.get(scratch, side + _X) + lanes.get(scratch, side + _OFFSET)) - top
        lanes.put(scratch, side + _W, lanes.exp(lanes.larger(x, -FURTHEST)))


@register_jitable
def _winner_loss(scratch, place, begin, n):  # type: ignore[no-untyped-def]
    """Minus the log of the winner's probability, on average over those who share the first place."""
    whole = lanes.get(scratch, _W)
    for s in range(1, n):
        whole = whole + lanes.get(scratch, _SIDE_ROWS * s + _W)
    won, n_first = 0.0 * whole, 0
    for s in range(n):
        if place[begin + s] == 1:
            won = won + lanes.log(lanes.get(scratch, _SIDE_ROWS * s + _W))
            n_first += 1
    return lanes.log(whole) - won * (1.0 / n_first)


@register_jitable
def _several(  # type: ignore[no-untyped-def]  # noqa: PLR0915 - the sums of all stages
    scratch, place, ranked, begin, n, scale, later, information, worth, wants_loss
):
    """The slopes of a finishing order, and minus its log likelihood if that is wanted.

    From the last place up, the weights of all sides behind; then from the first place down, for each group of ties and
    each of its turns, sums over the stages so far of 1/S, 1/S^2 and T/S^2, where S is the sum of the weights still in
    and T that of the weights times C. A side takes part in the stages up to its own.
    """
    zero = 0.0 * scale
    sums, products = _SIDE_ROWS * n, (_SIDE_ROWS + 1) * n
    behind, behind_weighted = (_SIDE_ROWS + 2) * n, (_SIDE_ROWS + 3) * n
    weights, weighted = zero, zero
    for rank in range(n - 1, -1, -1):
        lanes.put(scratch, behind + rank, weights)
        lanes.put(scratch, behind_weighted + rank, weighted)
        side = _SIDE_ROWS * int(ranked[begin + rank])
        weights = weights + lanes.get(scratch, side + _W)
        weighted = weighted + lanes.get(scratch, side + _W) * lanes.get(scratch, side + _C)
    stages, squares, crosses, lost, counts = zero, zero, zero, zero, zero + 1.0
    first = 0
    while first < n:
        last = first + 1
        while last < n and place[begin + ranked[begin + last]] == place[begin + ranked[begin + first]]:
            last += 1
        size = last - first
        turns = min(size, MOST_TURNS)
        weights = lanes.get(scratch, behind + last - 1)
        weighted = lanes.get(scratch, behind_weighted + last - 1)
        for rank in range(first, last):
            side = _SIDE_ROWS * int(ranked[begin + rank])
            for row in (_G, _H, _HC):
                lanes.put(scratch, side + row, zero)
        part = 1.0 / turns
        group_stages, group_squares, group_crosses, after = zero, zero, zero, counts
        for turn in range(turns):
            begins = turn * size // turns
            still, still_weighted = weights, weighted
            for j in range(size - 1, -1, -1):
                side = _SIDE_ROWS * int(ranked[begin + first + (begins + j) % size])
                w = lanes.get(scratch, side + _W)
                still = still + w
                still_weighted = still_weighted + w * lanes.get(scratch, side + _C)
                lanes.put(scratch, sums + j, still)
                lanes.put(scratch, products + j, still_weighted)
            a, b, d, after = stages, squares, crosses, counts
            for j in range(size):
                side = _SIDE_ROWS * int(ranked[begin + first + (begins + j) % size])
                w, still = lanes.get(scratch, side + _W), lanes.get(scratch, sums + j)
                inverse = 1.0 / still
                a = a + after * inverse
                b = b + after * (inverse * inverse)
                d = d + after * (lanes.get(scratch, products + j) * (inverse * inverse))
                if wants_loss:
                    lost = lost + part * (lanes.log(still) - lanes.log(w))
                bent = w * a
                lanes.put(scratch, side + _G, lanes.get(scratch, side + _G) + part * (after - bent))
                lanes.put(scratch, side + _H, lanes.get(scratch, side + _H) + part * (bent - w * w * b))
                cross = bent * lanes.get(scratch, side + _C) - w * d
                lanes.put(scratch, side + _HC, lanes.get(scratch, side + _HC) + part * cross)
                after = after * later
            group_stages = group_stages + part * a
            group_squares = group_squares + part * b
            group_crosses = group_crosses + part * d
        stages, squares, crosses, counts = group_stages, group_squares, group_crosses, after
        first = last
    for s in range(n):
        side = _SIDE_ROWS * s
        g = worth * scale * lanes.get(scratch, side + _G)
        bend = worth * information * scale * scale
        h, hc = bend * lanes.get(scratch, side + _H), bend * lanes.get(scratch, side + _HC)
        held = 1.0 / (1.0 + lanes.larger(h * lanes.get(scratch, side + _V) - 0.5, 0.0))
        _put_slopes(scratch, s, held * g, held * h, held * hc)
    return lost


@register_jitable
def _observe(scratch, margin, worth, gain, noise, information):  # type: ignore[no-untyped-def]
    """The slopes of a margin between two sides."""
    x = lanes.get(scratch, _X) + lanes.get(scratch, _OFFSET)
    x = x - (lanes.get(scratch, _SIDE_ROWS + _X) + lanes.get(scratch, _SIDE_ROWS + _OFFSET))
    s2 = lanes.get(scratch, _V) + lanes.get(scratch, _SIDE_ROWS + _V)
    slope = lanes.get(scratch, _C) - lanes.get(scratch, _SIDE_ROWS + _C)
    surprise = 1.0 / (gain * gain * s2 + noise * (1.0 / worth))
    g = gain * (margin - gain * x) * surprise
    h = information * gain * gain * surprise
    _put_slopes(scratch, 0, g, h, h * slope)
    _put_slopes(scratch, 1, 0.0 - g, h, 0.0 - h * slope)


@register_jitable
def _step_entry(scratch, n, entry, variance):  # type: ignore[no-untyped-def]
    """The entry level after a step."""
    for s in range(n):
        c = lanes.get(scratch, _SIDE_ROWS * s + _C)
        entry = entry + c * lanes.get(scratch, _SIDE_ROWS * s + _G)
        variance = variance - c * lanes.get(scratch, _SIDE_ROWS * s + _HC)
    return entry, variance


@register_jitable
def _step(belief, terms, entity, load, slot, begin, n, n_players, has_form, scratch):  # type: ignore[no-untyped-def]
    """Move all entities of a match by the slopes of their sides; what several sides share by all of them at once."""
    head, any_shared = terms[begin], False
    sums = (_SIDE_ROWS + _STAGE_ROWS) * n
    for s in range(n):
        side = _SIDE_ROWS * s
        g, h, hc = lanes.get(scratch, side + _G), lanes.get(scratch, side + _H), lanes.get(scratch, side + _HC)
        for term in range(terms[begin + s], terms[begin + s + 1]):
            k, w = int(entity[term]), load[term]
            if len(slot) == 0 or slot[term] < 0:
                _move(belief, ROWS * k, w * g, (w * w) * h, w * hc, has_form and k < n_players)
                continue
            any_shared = True
            row = sums + _TERM_ROWS * int(slot[term])
            if slot[term] == term - head:
                lanes.put(scratch, row, w * g)
                lanes.put(scratch, row + 1, (w * w) * h)
                lanes.put(scratch, row + 2, w * hc)
            else:
                lanes.put(scratch, row, lanes.get(scratch, row) + w * g)
                lanes.put(scratch, row + 1, lanes.get(scratch, row + 1) + (w * w) * h)
                lanes.put(scratch, row + 2, lanes.get(scratch, row + 2) + w * hc)
    if not any_shared:
        return
    for term in range(head, terms[begin + n]):
        if slot[term] != term - head:
            continue
        k, row = int(entity[term]), sums + _TERM_ROWS * (term - head)
        g, h, hc = lanes.get(scratch, row), lanes.get(scratch, row + 1), lanes.get(scratch, row + 2)
        held = 1.0 / (1.0 + lanes.larger(h * lanes.get(belief, ROWS * k + VARIANCE) - 0.5, 0.0))
        _move(belief, ROWS * k, held * g, held * h, held * hc, has_form and k < n_players)


@register_jitable
def _move(belief, row, g, h, hc, has_form):  # type: ignore[no-untyped-def]
    v, c = lanes.get(belief, row + VARIANCE), lanes.get(belief, row + ENTRY)
    if has_form:
        f, w, x = (
            lanes.get(belief, row + FORM),
            lanes.get(belief, row + FORM_VARIANCE),
            lanes.get(belief, row + FORM_COVARIANCE),
        )
        k, own = v + x, w + x
        lanes.put(belief, row + FORM, f + own * g)
        lanes.put(belief, row + FORM_VARIANCE, w - own * own * h)
        lanes.put(belief, row + FORM_COVARIANCE, x - k * own * h)
    else:
        k = v
    _put(belief, row, lanes.get(belief, row) + k * g, v - k * k * h, c - k * hc)
