"""The matched yardstick: which benchmark game on the same schedule spreads like the record, with intervals.

Three families are inverted on the schedule of the record: x%-deterministic, x%-chess, and players with a normal spread
of skill. The last also tells how much the measures would vary if the same players played the same schedule again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.errors import MatchDataError
from ludometer.matches import Matches, Pairs
from ludometer.measurement.benchmarks.families import (
    CHESS_DRAWS,
    CHESS_SD,
    CHESS_SD_PAIRED,
    Deterministic,
    Family,
    Mixed,
    Skilled,
)
from ludometer.measurement.benchmarks.inversion import (
    GROUP,
    HALF,
    Interval,
    Inversion,
    Target,
    invert,
    simulate_replicate,
)
from ludometer.measurement.planning import BEST_FIT, PAIRING, YARDSTICKS, Extent
from ludometer.measurement.record.pairing import Pairing, study_pairing
from ludometer.measurement.record.seats import SeatAdvantage, estimate_advantage
from ludometer.parallel import Workers, map_tasks
from ludometer.progress import Progress
from ludometer.ratings.prizes import WINNER, Prizes, seat_columns
from ludometer.ratings.replicates import Schedule, fit_games, fit_replicates
from ludometer.ratings.systems.best_fit import fit_best_elo
from ludometer.selection import keep_connected

Answer = str
SKILL, CHANCE, DEPENDS, CANNOT_TELL = "skill", "chance", "depends", "cannot tell"

FEWEST_REGULARS = 10
"""Players who have to count for an answer."""

_DETERMINISTIC, _CHESS, _SKILL, _AGAIN = range(4)
_OF_REFERENCE = 19
"""Replicates of a reference, of which only the middle counts."""

_FEWEST_PAIRS = 8
"""Pairs that have a best fit at an end; with fewer it tells nothing."""


@dataclass(frozen=True)
class Reference:
    """The game that x%-chess keeps x percent of: its players' SD of skill in Elo points, and its share of draws."""

    name: str = "chess"
    sd: float = CHESS_SD
    draws: float = CHESS_DRAWS
    sd_paired: float | None = CHESS_SD_PAIRED
    """Where simulated players are paired by strength; None if it is the same."""

    def for_pairing(self, pairing: Pairing) -> Reference:
        """The game as it is compared with a record of this pairing: chess measured as the record is measured."""
        if self.sd_paired is None or not pairing.is_sound:
            return self
        return replace(self, sd=self.sd + pairing.weight * (self.sd_paired - self.sd))


@dataclass(frozen=True)
class Yardstick:
    """The record among benchmark games on its own schedule."""

    deterministic: Inversion
    chess: Inversion
    skill: Inversion | None
    """The SD of normal skills, in Elo points; None where it was not asked for."""
    replicates: int
    reference: Reference
    """The game of x%-chess, as it compares with a record of this pairing."""

    @property
    def answer(self) -> Answer:
        """Skill or chance if both intervals lie on that side of 50%, depends if they lie on different sides."""
        sides = [side_of(self.deterministic.interval), side_of(self.chess.interval)]
        if "" in sides:
            return CANNOT_TELL
        return sides[0] if sides[0] == sides[1] else DEPENDS

    def by_name(self) -> dict[str, Inversion | None]:
        """The inversions as the JSON document names them."""
        return {"x_deterministic": self.deterministic, "x_chess": self.chess, "sd_of_skills": self.skill}

    @property
    def confidence(self) -> int:
        """Percent between the ends of an interval."""
        return confidence(self.replicates)


def side_of(interval: Interval) -> Answer:
    """Skill if the whole interval lies above 50%, chance if below, nothing if it holds 50%."""
    low, high = interval
    return SKILL if low > HALF else CHANCE if high < HALF else ""


def confidence(replicates: int) -> int:
    """Percent between the ends of an interval by inversion: 95, or fewer where there are too few replicates for that.

    >>> [confidence(n) for n in (119, 39, 19, 9)]
    [95, 95, 90, 80]
    """
    return round(100 * (1 - 2 * max(0.025, 1 / (replicates + 1))))


@dataclass(frozen=True)
class Repetition:
    """How far measures move when the same players play the same schedule again: 95% intervals of their means."""

    sd_intervals: tuple[Interval | None, ...]
    """For each group of players who count; None where simulated games have no best fit."""
    k_interval: Interval | None


def make_schedule(matches: Matches, prizes: Prizes = WINNER, seats: SeatAdvantage | None = None) -> Schedule:
    """The schedule as the kernels want it; where `seats` differ, all expectations allow for that."""
    if isinstance(matches.table, Pairs):
        if seats is None or not seats.applied:
            return Schedule(matches)
        return Schedule(matches, None, seats.lead, seats.excess)
    return Schedule(matches, seat_columns(matches.table, prizes)[0])


def make_target(
    matches: Matches,
    counted: Mask,
    prizes: Prizes = WINNER,
    *,
    pairing: Pairing | None = None,
    k: float,
    seats: SeatAdvantage | None = None,
) -> Target:
    """What is matched of a record: the SD at its best k, which is looked for around `k`, seats allowed for."""
    schedule, table = make_schedule(matches, prizes, seats), matches.table
    results: Any = table.halves if isinstance(table, Pairs) else seat_columns(table, prizes)[1]
    fit = fit_replicates(schedule, np.ascontiguousarray(results[:, np.newaxis]), counted=counted, guess=np.array([k]))
    target = Target(schedule, counted, float(fit.sd[0]), float(fit.k[0]))
    return target if pairing is None else replace(target, skills=pairing.skills, weight=pairing.weight)


def replicates_for(n_matches: int) -> tuple[int, int]:
    """Replicates for the answer, and for each check of it: fewer for long records, which need fewer.

    n + 1 is a multiple of 40, so that ranks cut off 2.5% exactly; checks have 90% or 75% between their ends.
    """
    return (119, 19) if n_matches <= 1_000_000 else (39, 7)


def repeats_for(n_matches: int) -> int:
    """Pairs of games with the same players, at either end of the interval of their skill."""
    return 48 if n_matches <= 1_000_000 else 16


def match_yardstick(
    target: Target,
    *,
    reference: Reference,
    draws: float | None = None,
    replicates: int,
    seed: Sequence[int],
    near: Yardstick | None = None,
    workers: Workers | None = None,
    on_done: Callable[[int], None] | None = None,
) -> Yardstick:
    """Invert x%-deterministic and x%-chess, and the SD of skills where the share of `draws` of the record is given.

    The search begins at the solutions of a similar record, `near`, where there is one.
    """

    def solve(number: int, family: Family, known: Inversion | None = None) -> Inversion:
        return invert(
            target,
            family,
            replicates=replicates,
            seed=[*seed, number],
            near=known,
            workers=workers,
            on_done=on_done,
        )

    return Yardstick(
        solve(_DETERMINISTIC, Deterministic(), None if near is None else near.deterministic),
        solve(_CHESS, Mixed(reference.sd, reference.draws), None if near is None else near.chess),
        None if draws is None else solve(_SKILL, Skilled(draws)),
        replicates,
        reference,
    )


def repeat_play(
    target: Target,
    skill: Inversion,
    *,
    deterministic: Inversion | None = None,
    groups: Mask,
    sds: Sequence[float | None],
    draws: float,
    pairs: int = 48,
    seed: Sequence[int],
    workers: Workers | None = None,
    on_done: Callable[[int], None] | None = None,
) -> Repetition:
    """Intervals for what the same players would show on average if they played the schedule again and again.

    `sds` are the SDs of the record for each of the groups of players (masks as rows). Two games of the same simulated
    players differ by chance alone. How much depends on the skill: it is found at both ends of the interval of skills,
    and an end of the interval of an SD is the mean m at which the record is 1.96 of m's own standard errors off. It
    depends a little on the kind of game too: with the inversion of x%-deterministic the same is done in that family,
    and the wider end counts.
    """
    families: list[tuple[Family, Inversion]] = [(Skilled(draws), skill)]
    if deterministic is not None:
        families.append((Deterministic(draws), deterministic))
    tasks = [
        (family, value, [*seed, _AGAIN, kind, place, pair])
        for kind, (family, inversion) in enumerate(families)
        for place, value in enumerate(_finite_ends(inversion))
        for pair in range(0, pairs, 2)
    ]
    played = map_tasks(_play_twice, tasks, shared=(target, groups), workers=workers, on_done=on_done)
    each = len(tasks) // len(families)
    found = [_intervals(played[start : start + each], [*sds, target.k], pairs) for start in range(0, len(tasks), each)]
    hulls = [_hull([intervals[place] for intervals in found]) for place in range(len(sds) + 1)]
    return Repetition(tuple(hulls[:-1]), hulls[-1])


def _finite_ends(inversion: Inversion) -> tuple[float, float]:
    """The ends of an interval, or as far as the family goes."""
    low, high = inversion.interval
    return low, high if np.isfinite(high) else min(2 * low, inversion.highest)


def _intervals(played: Sequence[Floats], observed: Sequence[float | None], pairs: int) -> list[Interval | None]:
    """For each measure, from the games at both ends of one family, the first half of them at the lower."""
    from scipy.special import stdtrit

    halves = (np.concatenate(half) for half in (played[: len(played) // 2], played[len(played) // 2 :]))
    sound = (half[np.isfinite(half).all(axis=(1, 2))] for half in halves)
    # the mean of each measure, and its standard error by chance alone
    known = [
        (half.mean(axis=(0, 1)), np.sqrt(((half[:, 0] - half[:, 1]) ** 2).mean(axis=0) / 2))
        for half in sound
        if len(half) >= _FEWEST_PAIRS
    ]
    if not known:
        return [None] * len(observed)
    quantile = float(stdtrit(pairs, 0.975))
    low_end, high_end = (known * 2)[:2]
    return [
        None
        if value is None
        else _ends(value, quantile, *((mean[place], error[place]) for mean, error in (low_end, high_end)))
        for place, value in enumerate(observed)
    ]


def _hull(intervals: Sequence[Interval | None]) -> Interval | None:
    known = [interval for interval in intervals if interval is not None]
    return (min(low for low, _ in known), max(high for _, high in known)) if known else None


def _play_twice(task: tuple[Family, float, Sequence[int]], target: Target, groups: Mask) -> Floats:
    """Two sets of skills, each played twice: (skills, repeats, SDs and k)."""
    family, value, seed = task
    games = [
        simulate_replicate(
            target, family, [*seed, skills], chance=[*seed, skills, repeat], replicate=seed[-1] + skills
        ).at(value)
        for skills in (0, 1)
        for repeat in (1, 2)
    ]
    fits = fit_games(target.schedule, games, counted=groups, guess=np.full(4, max(target.k, 0.1)))
    return np.column_stack((fits.sd, fits.k)).reshape(2, 2, -1)


def _ends(observed: float, quantile: float, low: tuple[float, float], high: tuple[float, float]) -> Interval:
    """Where a mean m, with a standard error that runs straight between the two known points, is just compatible."""
    (at, error), (other, larger) = low, high
    slope = (larger - error) / (other - at) if other > at else 0.0

    def error_at(mean: float) -> float:
        return min(max(error + slope * (mean - at), min(error, larger)), max(error, larger))

    ends = []
    for side in (-1.0, 1.0):
        near, far = observed, observed + side * quantile * max(error, larger)
        for _ in range(60):
            middle = 0.5 * (near + far)
            is_compatible = abs(middle - observed) <= quantile * error_at(middle)
            near, far = (middle, far) if is_compatible else (near, middle)
        ends.append(near)
    return max(ends[0], 0.0), ends[1]


def measure_reference(name: str, matches: Matches, *, seed: int = 0, workers: Workers | None = None) -> Reference:
    """The game that x percent are kept of, from a record of it: the SD of its players' skills, and its draws.

    The SD is that of normal skills which spread like the record's ratings on its own schedule.
    """
    inside = keep_connected(matches).matches
    workers = workers or Workers()
    progress, extent = workers.progress or Progress(), Extent.of(inside, workers.jobs)
    # one of the three families of a measurement
    solving = replace(extent.stage(YARDSTICKS, _OF_REFERENCE + GROUP), rounds=1)
    progress.plan([extent.stage(BEST_FIT), extent.stage(PAIRING), solving])
    with progress.stage(BEST_FIT):
        best, played = fit_best_elo(inside), inside.counts
    counted = played >= 25
    if int(counted.sum()) < FEWEST_REGULARS:
        raise MatchDataError(f"the reference {name} has fewer than {FEWEST_REGULARS} players with 25 matches or more")
    with progress.stage(PAIRING):
        pairing = study_pairing(inside, seed=[seed, 0])
    sd = float(best.rating[counted].std(ddof=1))
    target = Target(make_schedule(inside), counted, sd, best.k, pairing.skills, pairing.weight)
    seats = estimate_advantage(inside)
    if seats.applied:
        target = make_target(inside, counted, pairing=pairing, k=max(best.k, 0.1), seats=seats)
    draws = inside.draw_rate or 0.0
    with progress.stage(YARDSTICKS):
        skill = invert(target, Skilled(draws), replicates=_OF_REFERENCE, seed=[seed, 1, _SKILL], workers=workers)
    if not 0 < skill.estimate < np.inf:
        raise MatchDataError(f"the ratings of the reference {name} do not spread")
    return Reference(name, skill.estimate, draws, None)
