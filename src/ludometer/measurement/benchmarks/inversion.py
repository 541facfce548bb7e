"""Which member of a family of games spreads like the record? Inversion by simulation on the record's own schedule.

Each replicate is one game of the family with all its chance fixed. Its spread rises with the parameter, and the value
at which it equals the record's is solved for, replicate by replicate. At the true value the record is one more
replicate: so the values between the 2.5% and the 97.5% quantile of the solutions are those at which the record's
spread is not unusual, a 95% interval by inversion, and the share of solutions below 50 is a p-value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.measurement.benchmarks.families import Family, Replicate
from ludometer.parallel import Workers, map_tasks
from ludometer.ratings.replicates import Schedule, fit_replicates

Interval = tuple[float, float]

HALF = 50.0
"""Percent: the line between predominantly skill and predominantly chance."""

GROUP = 4
"""Replicates that share one pass; fixed, since lanes and chunks must not depend on the number of workers."""

_TOLERANCE = 5e-3
"""A spread that misses the record's by less than this part of it is near enough for a last straight line."""

_FINE = 5e-4
"""A bracket this narrow, as a part of the whole range, needs no further search."""

_NOTHING = 1e-9
"""A spread below all that a best k above 0 leaves: what is solved for is where a replicate begins to spread."""

_SECANTS, _MOST_ROUNDS = 5, 14
"""Where the best k falls to 0 a spread can jump: after some secants the bracket is halved instead."""


@dataclass(frozen=True)
class Target:
    """What is matched: the SD of those who count, at the best k, on this schedule."""

    schedule: Schedule
    counted: Mask
    sd: float
    k: float
    skills: Floats | None = None
    """Skills for the replicates to take in turn, (players, n), where the schedule tells something about them."""


@dataclass(frozen=True)
class Share:
    """x percent of a benchmark with its interval; infinite beyond the whole benchmark."""

    x: float
    low: float
    high: float

    def __str__(self) -> str:
        """As in a table; an end that would round to the line of 50% shows on which side of it it is.

        >>> str(Share(38.7, 36.6, 41.2)), str(Share(np.inf, 98.0, np.inf)), str(Share(np.inf, 100.0, np.inf))
        ('39% [37, 41]', '> 100% [98, > 100]', '> 100%')
        >>> str(Share(36.0, 21.0, 49.8))
        '36% [21, 49.8]'
        """
        if not np.isfinite(self.x):
            return "> 100%" + (f" [{self.low:.0f}, > 100]" if self.low < 99.5 else "")
        ends = []
        for end in (self.low, self.high):
            digits = 1 if self.x < 9.5 or 0 < abs(end - HALF) < 0.5 else 0
            ends.append(f"{end:.{digits}f}" if np.isfinite(end) else "> 100")
        return f"{self.x:.{0 if self.x >= 9.5 else 1}f}% [{', '.join(ends)}]"

    @property
    def in_words(self) -> str:
        """As in a sentence: more than 100% instead of > 100%."""
        text = str(self)
        return "more than " + text[2:] if text.startswith(">") else text


@dataclass(frozen=True)
class Inversion:
    """Solutions of all replicates, sorted; infinite where the whole family spreads less than the record."""

    solutions: Floats
    highest: float = np.inf
    """The end of the family: no value beyond it is known."""
    from_zero: bool = False
    """The record does not spread at all: then neither does a replicate at any value from 0 to its solution."""

    @property
    def estimate(self) -> float:
        """The median: half of the replicates spread more at this value, half less."""
        return 0.0 if self.from_zero else float(np.quantile(self.solutions, 0.5, method="lower"))

    @property
    def interval(self) -> Interval:
        """The central 95%, by ranks: with n replicates each end leaves 2.5% of n + 1 outside."""
        n = len(self.solutions)
        place = 0.025 * (n + 1) - 1
        low, high = (float(_at(self.solutions, at)) for at in (place, n - 1 - place))
        return 0.0 if self.from_zero else min(low, self.highest), high

    @property
    def share(self) -> Share:
        """The estimate with its interval."""
        return Share(self.estimate, *self.interval)

    def p_value(self, value: float, *, above: bool) -> float:
        """How often a game of the family at `value` spreads as much as the record (`above`), or as little."""
        solved = self.solutions
        n_as_far = int((solved <= value).sum() if above else (solved >= value).sum())
        return (n_as_far + 1) / (len(solved) + 1)


def invert(
    target: Target,
    family: Family,
    *,
    replicates: int,
    seed: Sequence[int],
    workers: Workers | None = None,
    on_done: Callable[[int], None] | None = None,
) -> Inversion:
    """Solve every replicate; a pilot group says where to begin."""
    from_zero = not target.sd > 0
    if from_zero:
        target = replace(target, sd=_NOTHING)
    pilot = _solve((0, family.highest / 4, None), target, family, seed)
    begin, slope = _beginning(pilot, family)
    tasks = [(number, begin, slope) for number in range(1, 1 + -(-replicates // GROUP))]
    solved = map_tasks(_solve, tasks, shared=(target, family, seed), workers=workers, on_done=on_done)
    solutions = np.sort(np.concatenate([solution for solution, _ in solved])[:replicates])
    return Inversion(solutions, family.highest, from_zero)


def _beginning(pilot: tuple[Floats, Floats], family: Family) -> tuple[float, float | None]:
    solution, slope = pilot
    begin = float(np.median(np.minimum(solution, family.highest)))
    sound = slope[np.isfinite(slope)]
    return begin, float(np.median(sound)) if len(sound) else None


def _solve(
    task: tuple[int, float, float | None], target: Target, family: Family, seed: Sequence[int]
) -> tuple[Floats, Floats]:
    """Solutions of one group of replicates, and the slopes of their spread there: secants, all in step."""
    number, begin, slope = task
    games = [simulate_replicate(target, family, seed, replicate=number * GROUP + place) for place in range(GROUP)]
    paths = [_Path(begin, slope, family.highest, target.sd) for _ in games]
    guess = np.full(GROUP, target.k)
    for _ in range(_MOST_ROUNDS):
        moving = [place for place, path in enumerate(paths) if not path.done]
        if not moving:
            break
        results = np.column_stack([games[place](paths[place].value) for place in moving])
        fits = fit_replicates(target.schedule, results, counted=target.counted, guess=guess[moving])
        for place, sd, k in zip(moving, fits.sd, fits.k, strict=True):
            paths[place].note(float(sd))
            guess[place] = k if 0 < k < np.inf else target.k
    return np.array([path.solution for path in paths]), np.array([path.slope for path in paths])


def simulate_replicate(
    target: Target,
    family: Family,
    seed: Sequence[int],
    *,
    replicate: int,
    chance: Sequence[int] | None = None,
) -> Replicate:
    """A game of the family for this replicate: its skills from `seed`, its luck from there too or from `chance`."""
    rng = np.random.default_rng(np.random.SeedSequence([*seed, replicate]))
    skill = rng.standard_normal(len(target.schedule.matches.players))
    if target.skills is not None:
        skill = target.skills[:, replicate % target.skills.shape[1]]
    if chance is not None:
        rng = np.random.default_rng(np.random.SeedSequence([*chance, replicate]))
    return family.simulate(target.schedule, skill, rng)


class _Path:
    """The search of one replicate for the value at which its spread equals the record's."""

    def __init__(self, begin: float, slope: float | None, highest: float, sd: float) -> None:
        self.value, self.highest, self.target = begin, highest, sd
        self.below, self.above = (0.0, 0.0), (np.inf, np.inf)
        self.slope = np.nan if slope is None else slope
        self.rounds = 0
        self.done = False

    @property
    def solution(self) -> float:
        """The value, once done; before, the best guess."""
        return self.value

    def note(self, sd: float) -> None:
        """Take in the spread at the present value, and go on to the next."""
        self.rounds += 1
        if sd <= self.target:
            self.below = (self.value, sd)
        else:
            self.above = (self.value, sd)
        if abs(sd - self.target) <= _TOLERANCE * self.target:
            value = max(self._straight(sd), 0.0)
            self.value, self.done = value if value <= self.highest else np.inf, True
        elif sd < self.target and self.value >= self.highest:
            self.value, self.done = np.inf, True
        elif sd > self.target and self.value <= _FINE * self.highest:
            self.value, self.done = 0.0, True
        elif self.above[0] - self.below[0] <= _FINE * self.highest:
            self.value, self.done = 0.5 * (self.below[0] + self.above[0]), True
        else:
            self.value = self._next(sd)

    def _straight(self, sd: float) -> float:
        """Where a line through the present point meets the target: through both neighbours, or by the known slope."""
        (low, less), (high, more) = self.below, self.above
        if np.isfinite(more) and low > 0:
            self.slope = (more - less) / (high - low)
        if not self.slope > 0:
            self.slope = sd / self.value if sd > 0 else np.inf
        return self.value + (self.target - sd) / self.slope

    def _next(self, sd: float) -> float:
        low, high = self.below[0], min(self.above[0], self.highest)
        if self.rounds > _SECANTS or not np.isfinite(sd):
            return 0.5 * (low + high)
        value = self._straight(sd) if sd > 0 else 2 * self.value
        if self.above[0] > self.highest:
            # far below, where a spread rises faster than straight, no leap beyond four times the value
            return min(max(value, 1.01 * low), 4 * self.value, high)
        margin = 0.02 * (high - low)
        return min(max(value, low + margin), high - margin)


def _at(ordered: Floats, place: float) -> float:
    """An order statistic, interpolated between ranks; beyond the ends, the end."""
    place = min(max(place, 0.0), len(ordered) - 1.0)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    if not np.isfinite(ordered[high]):
        return float(ordered[high] if place > low else ordered[low])
    return float(ordered[low] + (place - low) * (ordered[high] - ordered[low]))
