"""The matched yardstick: which benchmark game on the same schedule spreads like the record, with intervals.

Three families are inverted on the schedule of the record: x%-deterministic, x%-chess, and players with a normal spread
of skill. The last also tells how much the measures would vary if the same players played the same schedule again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Floats
from ludometer.games.families import CHESS_DRAWS, CHESS_SD, Deterministic, Family, Mixed, Skilled
from ludometer.luck.inversion import Inversion, Target, deal, invert
from ludometer.matches import Matches, Pairs
from ludometer.parallel import Workers, map_tasks
from ludometer.ratings.prizes import WINNER, Prizes, seat_columns
from ludometer.ratings.replays import Course, fit_replays

Interval = tuple[float, float]

_DETERMINISTIC, _CHESS, _SKILL, _AGAIN = range(4)
_REPEATS = 48
"""Pairs of games with the same players, at either end of the interval of their skill."""

_QUANTILE = 1.985
"""Of Student's t with as many degrees of freedom as there are pairs: 97.5 %."""


@dataclass(frozen=True)
class Reference:
    """The game that x%-chess keeps x percent of: its players' SD of skill in Elo points, and its share of draws."""

    name: str = "chess"
    sd: float = CHESS_SD
    draws: float = CHESS_DRAWS


@dataclass(frozen=True)
class Yardstick:
    """The record among benchmark games on its own schedule."""

    deterministic: Inversion
    chess: Inversion
    skill: Inversion | None
    """The SD of normal skills, in Elo points; None where it was not asked for."""
    replicates: int


@dataclass(frozen=True)
class Repetition:
    """How far measures move when the same players play the same schedule again: 95 % intervals of their means."""

    sd_interval: Interval
    k_interval: Interval


def make_course(matches: Matches, prizes: Prizes = WINNER) -> Course:
    """The schedule as the kernels want it."""
    if isinstance(matches.table, Pairs):
        return Course(matches)
    return Course(matches, seat_columns(matches.table, prizes)[0])


def replicates_for(n_matches: int) -> tuple[int, int]:
    """Replicates for the answer, and for each check of it: fewer for long records, which need fewer.

    n + 1 is a multiple of 40, so that ranks cut off 2.5 % exactly; the checks have 95 %, 90 % or 80 % between their ends.
    """
    if n_matches <= 30_000:
        return 199, 39
    return (119, 19) if n_matches <= 1_000_000 else (39, 9)


def match_yardstick(
    target: Target,
    *,
    reference: Reference,
    draws: float | None = None,
    replicates: int,
    seed: Sequence[int],
    workers: Workers | None = None,
    on_done: Callable[[int], None] | None = None,
) -> Yardstick:
    """Invert x%-deterministic and x%-chess, and the SD of skills where the share of `draws` of the record is given."""

    def solve(number: int, family: Family) -> Inversion:
        return invert(target, family, replicates=replicates, seed=[*seed, number], workers=workers, on_done=on_done)

    return Yardstick(
        solve(_DETERMINISTIC, Deterministic()),
        solve(_CHESS, Mixed(reference.sd, reference.draws)),
        None if draws is None else solve(_SKILL, Skilled(draws)),
        replicates,
    )


def repeat_play(
    target: Target, skill: Inversion, *, draws: float, seed: Sequence[int], workers: Workers | None = None
) -> Repetition:
    """Intervals for what the same players would show on average, were they to play the schedule again and again.

    Two games of the same simulated players differ by chance alone. How much depends on the skill: it is found at both
    ends of the interval of skills, and an end of the interval of the SD is the mean m at which the record's SD is
    1.96 of its own standard errors off (inversion).
    """
    low, high = skill.interval
    ends = [low, high if np.isfinite(high) else max(2 * low, skill.estimate)]
    noises = [_noise_at(value, place, target, Skilled(draws), seed, workers) for place, value in enumerate(ends)]
    sd = _ends(target.sd, *((mean[0], noise[0]) for mean, noise in noises))
    k = _ends(target.k, *((mean[1], noise[1]) for mean, noise in noises))
    return Repetition(sd, k)


def _noise_at(
    value: float, place: int, target: Target, family: Family, seed: Sequence[int], workers: Workers | None
) -> tuple[Floats, Floats]:
    """Means of SD and k at one value of the family, and their standard errors by chance alone."""
    tasks = [[*seed, _AGAIN, place, pair] for pair in range(0, _REPEATS, 2)]
    played = np.concatenate(map_tasks(_play_twice, tasks, shared=(target, family, value), workers=workers))
    return played.mean(axis=(0, 1)), np.sqrt(((played[:, 0] - played[:, 1]) ** 2).mean(axis=0) / 2)


def _play_twice(seed: Sequence[int], target: Target, family: Family, value: float) -> Floats:
    """Two times two games: (skills, repeats, SD and k)."""
    games = [deal(target, family, [*seed, 0], chance=[*seed, chance], replicate=seed[-1]) for chance in (1, 2)]
    games += [deal(target, family, [*seed, 3], chance=[*seed, chance], replicate=seed[-1] + 1) for chance in (4, 5)]
    results = np.column_stack([game(value) for game in games])
    fits = fit_replays(target.course, results, counted=target.counted, guess=np.full(4, max(target.k, 0.1)))
    return np.stack((fits.sd, fits.k), axis=1).reshape(2, 2, 2)


def _ends(observed: float, low: tuple[float, float], high: tuple[float, float]) -> Interval:
    """Where a mean m, with a standard error that runs straight between the two known points, is just compatible."""
    (at, error), (other, larger) = low, high
    slope = (larger - error) / (other - at) if other > at else 0.0

    def error_at(mean: float) -> float:
        return max(error + slope * (mean - at), min(error, larger))

    ends = []
    for side in (-1.0, 1.0):
        end = observed
        for _ in range(50):
            end = observed + side * _QUANTILE * error_at(end)
        ends.append(end)
    return max(ends[0], 0.0), ends[1]

