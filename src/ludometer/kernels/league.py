"""A league game by game in natural units: players enter, learn, meet, are rated, and leave; one place per player.

A place is taken again as soon as it falls free, by a newcomer with the next code, so the league keeps its size.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ludometer.arrays import Codes, Counts, Floats, Halves
from ludometer.kernels.runtime.compile import JIT, kernel

_TRIES = 50
"""Opponents tried before the nearest of them is taken, even outside the window."""

_ENDLESS = 1 << 62

ENTERED, LEFT, SKILL_AT_ENTRY, SKILL, RATING_AT_ENTRY, RATING, PLAYED = range(7)
"""The columns of `people`."""

OFFSET, VISITS, ERRORS, SQUARES = range(4)
"""The entries of `sums`: points shared out so far, then sums of 1, error and error^2 over both players of each game."""


class Rules(NamedTuple):
    """How a league is played; all numbers in natural units."""

    sd: float
    games: float
    """The mean lifetime; infinite if nobody leaves."""
    exponential: bool
    learning: int
    """0: none; 1: log(1 + rate t), 2: gain (1 - exp(-rate t)), after t games."""
    rate: float
    gain: float
    matchmaking: int
    """0: anybody; 1: within the window of true skill, 2: of rating."""
    window: float
    step: float
    unknown: float
    """The share of the variance of skill that is not known at entry: 1 if all enter at the mean."""
    shares_out: bool


class Places(NamedTuple):
    """Who is in the league, by place, and all who ever were, by code; moved in place."""

    code: Codes
    age: Counts
    life: Counts
    origin: Floats
    skill: Floats
    rating: Floats
    """Without the points shared out to all, which are `sums[OFFSET]`."""
    people: Floats
    """(codes, 7)."""
    counts: Counts
    """People so far, games so far."""
    sums: Floats


def play_league(
    rng: np.random.Generator, rules: Rules, places: Places, first: Codes, second: Codes, halves: Halves
) -> None:
    """Play as many games as `first` is long; `people` needs room for two more each."""
    play = _play_league if JIT else play_league_plain
    play(rng, rules, places, first, second, halves)


def enter(rng: np.random.Generator, rules: Rules, places: Places, place: int) -> None:
    """A newcomer takes a place."""
    (_enter if JIT else _enter_plain)(rng, rules, places, place)


def play_league_plain(
    rng: np.random.Generator, rules: Rules, places: Places, first: Codes, second: Codes, halves: Halves
) -> None:
    """The plain twin of `play_league`: points are given to each, not kept in one sum for all."""
    n = len(places.code)
    places.rating[:] += places.sums[OFFSET]
    given, places.sums[OFFSET] = places.sums[OFFSET], 0.0
    for t in range(len(first)):
        i = int(rng.random() * n)
        near = places.skill if rules.matchmaking == 1 else places.rating
        tried: list[int] = []
        while len(tried) < (_TRIES if rules.matchmaking else 1):
            tried.append((i + 1 + int(rng.random() * (n - 1))) % n)
            if rules.matchmaking and abs(near[tried[-1]] - near[i]) <= rules.window:
                break
        j = min(tried, key=lambda j: abs(near[j] - near[i])) if rules.matchmaking else tried[0]
        for place in (i, j):
            error = places.rating[place] - places.skill[place]
            places.sums[VISITS:] += (1, error, error**2)
        won = rng.random() < 1 / (1 + math.exp(places.skill[j] - places.skill[i]))
        first[t], second[t], halves[t] = places.code[i], places.code[j], 2 * won
        move = rules.step * (won - 1 / (1 + math.exp(places.rating[j] - places.rating[i])))
        places.rating[i] += move
        places.rating[j] -= move
        places.counts[1] += 1
        for place in (i, j):
            places.age[place] += 1
            places.skill[place] = places.origin[place] + _learned(rules, places.age[place])
            _note(places, place, 0.0)
            if places.age[place] >= places.life[place]:
                code = places.code[place]
                places.people[code, LEFT] = places.counts[1]
                if rules.shares_out:
                    share = (places.rating[place] - places.people[code, RATING_AT_ENTRY]) / (n - 1)
                    places.rating[np.arange(n) != place] += share
                    given += share
                _enter_plain(rng, rules, places, place)
    places.rating[:] -= given
    places.sums[OFFSET] = given


@kernel
def _play_league(
    rng: np.random.Generator, rules: Rules, places: Places, first: Codes, second: Codes, halves: Halves
) -> None:
    n = len(places.code)
    skill, rating, sums = places.skill, places.rating, places.sums
    for t in range(len(first)):
        i = int(rng.random() * n)
        j = _find(rng, rules, places, i, n)
        for place in (i, j):
            error = rating[place] + sums[OFFSET] - skill[place]
            sums[VISITS] += 1.0
            sums[ERRORS] += error
            sums[SQUARES] += error * error
        won = 1.0 if rng.random() < 1.0 / (1.0 + math.exp(skill[j] - skill[i])) else 0.0
        first[t], second[t], halves[t] = places.code[i], places.code[j], np.int8(2 * won)
        move = rules.step * (won - 1.0 / (1.0 + math.exp(rating[j] - rating[i])))
        rating[i] += move
        rating[j] -= move
        places.counts[1] += 1
        for place in (i, j):
            places.age[place] += 1
            skill[place] = places.origin[place] + _learned(rules, places.age[place])
            _note(places, place, sums[OFFSET])
            if places.age[place] >= places.life[place]:
                code = places.code[place]
                places.people[code, LEFT] = places.counts[1]
                if rules.shares_out:
                    # the leaver's own share, which the sum for all would include, leaves too
                    sums[OFFSET] += (places.people[code, RATING] - places.people[code, RATING_AT_ENTRY]) / (n - 1)
                _enter(rng, rules, places, place)


@register_jitable
def _find(rng, rules, places, i, n):  # type: ignore[no-untyped-def]  # Numba infers the types
    j = (i + 1 + int(rng.random() * (n - 1))) % n
    if rules.matchmaking == 0:
        return j
    near = places.skill if rules.matchmaking == 1 else places.rating
    best, gap = j, abs(near[j] - near[i])
    tries = 1
    while gap > rules.window and tries < _TRIES:
        j = (i + 1 + int(rng.random() * (n - 1))) % n
        tries += 1
        if abs(near[j] - near[i]) < gap:
            best, gap = j, abs(near[j] - near[i])
    return best


@register_jitable
def _learned(rules, age):  # type: ignore[no-untyped-def]
    if rules.learning == 1:
        return math.log1p(rules.rate * age)
    if rules.learning == 2:
        return -rules.gain * math.expm1(-rules.rate * age)
    return 0.0


@register_jitable
def _note(places, place, offset):  # type: ignore[no-untyped-def]
    code = places.code[place]
    places.people[code, SKILL] = places.skill[place]
    places.people[code, RATING] = places.rating[place] + offset
    places.people[code, PLAYED] += 1


def _enter_plain(rng, rules, places, place):  # type: ignore[no-untyped-def]
    """What is known at entry is an expectation: rating and error are not correlated, and the error has its variance."""
    code = places.counts[0]
    places.counts[0] += 1
    skill = rules.sd * rng.standard_normal()
    known = 1 - rules.unknown
    rating = known * skill + math.sqrt(known * rules.unknown) * rules.sd * rng.standard_normal()
    chance = rng.random()
    if not math.isfinite(rules.games):
        life = _ENDLESS
    elif rules.exponential:
        # a geometric number of games
        life = 1 + int(math.log1p(-chance) / math.log1p(-1 / rules.games)) if rules.games > 1 else 1
    else:
        life = int(rules.games) + (1 if chance < rules.games - int(rules.games) else 0)
    places.code[place], places.age[place], places.life[place] = code, 0, life
    places.origin[place] = places.skill[place] = skill
    places.rating[place] = rating - places.sums[OFFSET]
    places.people[code, ENTERED], places.people[code, LEFT] = places.counts[1], -1
    places.people[code, SKILL_AT_ENTRY] = places.people[code, SKILL] = skill
    places.people[code, RATING_AT_ENTRY] = places.people[code, RATING] = rating
    places.people[code, PLAYED] = 0


_enter = kernel(_enter_plain)
