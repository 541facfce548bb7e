"""Schedules in which players meet anybody, those near them in strength, or those of their pool."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Floats
from ludometer.matches import Matches
from ludometer.measurement.benchmarks.families import Deterministic, Replicate
from ludometer.players import Players
from ludometer.ratings.replicates import Schedule


def closest_of(n_players: int, n_matches: int, candidates: int, *, seed: int = 0) -> tuple[Floats, Matches]:
    """Each opponent is the closest in strength of so many candidates; activity follows a power law.

    The strengths, and a schedule without results worth the name.
    """
    rng = np.random.default_rng(seed)
    activity = np.arange(1, n_players + 1.0) ** -0.8
    ends = np.cumsum(activity / activity.sum())
    strength = rng.permutation(n_players) / n_players
    first = _drawn(ends, rng.random(n_matches))
    others = _drawn(ends, rng.random(n_matches * candidates)).reshape(n_matches, candidates)
    apart = np.abs(strength[others] - strength[first][:, np.newaxis]) + 10 * (others == first[:, np.newaxis])
    second = others[np.arange(n_matches), apart.argmin(axis=1)]
    return strength, schedule_of(first, second, n_players)


def in_pools(n_players: int, n_matches: int, pools: int, *, seed: int = 0) -> Matches:
    """Players meet those of their own pool, and others once in twenty matches."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, n_players, (2, n_matches))
    strays = rng.random(n_matches) < 0.05
    second = np.where(strays, second, second - second % pools + first % pools)
    return schedule_of(first, np.minimum(second, n_players - 1), n_players)


def schedule_of(first: Floats, second: Floats, n_players: int) -> Matches:
    apart = first != second
    return Matches.of_pairs(
        first[apart].astype(np.int32),
        second[apart].astype(np.int32),
        np.zeros(int(apart.sum()), np.int8),
        players=Players.numbered(n_players),
        ordered=True,
    )


def played_at(matches: Matches, strength: Floats, x: float, *, seed: int = 0) -> Matches:
    """An x%-deterministic game on a schedule, by these strengths."""
    pairs = matches.pairs
    halves = Replicate(Deterministic(), Schedule(matches), strength, np.array([seed, 1], np.uint32))(x)
    return Matches.of_pairs(pairs.first, pairs.second, halves, players=matches.players, ordered=True)


def _drawn(ends: Floats, chance: Floats) -> Floats:
    return np.minimum(np.searchsorted(ends, chance), len(ends) - 1)
