"""Schedules that the benchmarks of the yardstick play on: who meets whom, results still open."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ludometer.arrays import Codes, Floats, Mask
from ludometer.matches import Matches
from ludometer.measurement.benchmarks.families import Family, Replicate
from ludometer.measurement.benchmarks.inversion import Target
from ludometer.players import Players
from ludometer.ratings.replicates import Schedule, fit_replicates

Given = TypeVar("Given")
Outcome = TypeVar("Outcome")

REGULAR = 25
"""Matches of those whose ratings count."""

POWER = 0.8
"""The r-th most active player plays in proportion to r to minus this."""

WITHIN_POOLS = 0.98


class Crew:
    """Processes that play games: those are so small that they keep Python busier than the kernels.

    They live as long as the run, so all its games are played by the same version of the code.
    """

    def __init__(self, jobs: int) -> None:
        self.pool = ProcessPoolExecutor(jobs, get_context("spawn")) if jobs > 1 else None
        self.jobs = jobs

    def map(self, function: Callable[[Given], Outcome], tasks: Sequence[Given]) -> list[Outcome]:
        """The outcomes of all tasks, in order."""
        if self.pool is None:
            return [function(task) for task in tasks]
        return list(self.pool.map(function, tasks, chunksize=max(1, min(8, len(tasks) // (4 * self.jobs)))))


class Draw:
    """Players in proportion to their activity."""

    def __init__(self, n_players: int, power: float, rng: np.random.Generator) -> None:
        self.ends = np.cumsum(np.arange(1.0, n_players + 1) ** -power)
        self.rng = rng

    def __call__(self, *shape: int) -> Codes:
        point = self.ends[-1] * self.rng.random(shape)
        drawn: Codes = np.minimum(np.searchsorted(self.ends, point), len(self.ends) - 1).astype(np.int32)
        return drawn


def meet_random(n_players: int, n_matches: int, *, power: float, rng: np.random.Generator) -> Matches:
    """Two players drawn by activity, 0 for all alike; who draws himself draws again."""
    draw = Draw(n_players, power, rng)
    first, second = draw(n_matches), draw(n_matches)
    while (again := np.flatnonzero(first == second)).size:
        second[again] = draw(len(again))
    return _schedule(n_players, first, second)


def meet_at_tables(n_players: int, n_matches: int, *, most: int, rng: np.random.Generator) -> Matches:
    """Tables of 3 to `most` players, all alike in activity."""
    sizes = rng.integers(3, most + 1, n_matches)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    player = np.concatenate([rng.choice(n_players, size, replace=False) for size in sizes])
    place = np.concatenate([np.arange(1, size + 1) for size in sizes])
    return Matches.of_seats(starts, player, place, players=Players.numbered(n_players), ordered=True)


def meet_closest(
    skill: Floats, n_matches: int, *, candidates: int, rng: np.random.Generator, power: float = POWER
) -> Matches:
    """The opponent is the one nearest in rank of several candidates, all drawn by activity."""
    n_players = len(skill)
    rank = skill.argsort().argsort()
    draw = Draw(n_players, power, rng)
    first, others = draw(n_matches), draw(n_matches, candidates)
    apart = np.abs(rank[others] - rank[first][:, np.newaxis])
    apart[others == first[:, np.newaxis]] = n_players
    second = others[np.arange(n_matches), apart.argmin(axis=1)]
    return _schedule(n_players, *_without_self(first, second))


def meet_in_pools(pool: Codes, n_matches: int, *, rng: np.random.Generator, power: float = POWER) -> Matches:
    """Opponents are drawn by activity from the same pool, but for 2% of the matches from all."""
    n_players = len(pool)
    draw = Draw(n_players, power, rng)
    first, second = draw(n_matches), draw(n_matches)
    inside = rng.random(n_matches) < WITHIN_POOLS
    for _ in range(1000):
        again = np.flatnonzero((first == second) | (inside & (pool[first] != pool[second])))
        if not again.size:
            break
        second[again] = draw(len(again))
    return _schedule(n_players, *_without_self(first, second))


def observe(schedule: Schedule, counted: Mask, results: Any, orders: Floats | None = None) -> Target:
    """The best-fit SD and k of one game."""
    fit = fit_replicates(schedule, np.asarray(results)[:, np.newaxis], counted=counted, guess=np.array([20.0]))
    return Target(schedule, counted, float(fit.sd[0]), float(fit.k[0]), orders)


def play(schedule: Schedule, family: Family, skill: Floats, value: float, seed: Sequence[int]) -> Any:
    """The results of one game of a family among these players."""
    key = np.random.SeedSequence(list(seed)).generate_state(2).astype(np.uint32)
    return Replicate(family, schedule, skill, key)(value)


def stored(name: str) -> dict[str, Any]:
    """What benchmarks/results/NAME.json holds; nothing if it is not there."""
    path = _path(name)
    results: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return results


def store(name: str, results: dict[str, Any]) -> None:
    """Write benchmarks/results/NAME.json."""
    _path(name).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _path(name: str) -> Path:
    return Path(__file__).parent / "results" / f"{name}.json"


def _without_self(first: Codes, second: Codes) -> tuple[Codes, Codes]:
    return first[first != second], second[first != second]


def _schedule(n_players: int, first: Codes, second: Codes) -> Matches:
    players = Players.numbered(n_players)
    return Matches.of_pairs(first, second, np.zeros(len(first), np.int8), players=players, ordered=True)
