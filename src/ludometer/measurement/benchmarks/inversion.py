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
from ludometer.kernels.systems.dealing import GAMES, Keys
from ludometer.measurement.benchmarks.families import Family, Replicate
from ludometer.parallel import Workers, map_tasks
from ludometer.ratings.replicates import Schedule, fit_games

Interval = tuple[float, float]

_GOLDEN = 0.5 * (5**0.5 - 1)
"""Multiples of it, without their whole part, lie evenly between 0 and 1 however many there are."""

HALF = 50.0
"""Percent: the line between predominantly skill and predominantly chance."""

GROUP = GAMES
"""Replicates that share one pass; fixed, since lanes and chunks must not depend on the number of workers."""

_NEAR, _TOLERANCE = 0.08, 5e-3
"""A spread that misses the record's by less than the first part of it is near enough for a last straight line, if the
slope is known; if not, by less than the second is near enough itself."""

_ROUGH = 0.03
"""The same for a pilot: it only has to find about where the others will be."""

_STEP, _LONGEST_STEP = 0.03, 0.15
"""How far on either side of the middle, as a part of it, the slope is measured, at least and at most."""

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
    weight: float = 1.0
    """The part of the replicates that take them; the others' players lie anywhere in the schedule."""

    @property
    def advantage(self) -> float:
        """What the better seat is worth in every expectation, in natural units."""
        return self.schedule.advantage


@dataclass(frozen=True)
class Share:
    """x percent of a benchmark with its interval; infinite beyond the whole benchmark."""

    x: float
    low: float
    high: float

    def __str__(self) -> str:
        """As in a table; ends that would round to the same number, or to the line of 50%, have a decimal.

        >>> str(Share(38.7, 36.6, 41.2)), str(Share(np.inf, 98.0, np.inf)), str(Share(np.inf, 100.0, np.inf))
        ('39% [37, 41]', '> 100% [98, > 100]', '> 100%')
        >>> str(Share(36.0, 21.0, 49.8)), str(Share(31.0, 30.8, 31.3))
        ('36% [21, 49.8]', '31% [30.8, 31.3]')
        """
        if not np.isfinite(self.x):
            return "> 100%" + (f" [{self.low:.0f}, > 100]" if self.low < 99.5 else "")
        ends = []
        narrow = np.isfinite(self.high) and f"{self.low:.0f}" == f"{self.high:.0f}"
        for end in (self.low, self.high):
            digits = 1 if narrow or self.x < 9.5 or 0 < abs(end - HALF) < 0.5 else 0
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
    slope: float | None = None
    """By how many percent a spread rises with a percent of the parameter, near the estimate."""
    ends: Interval | None = None
    """Of an interval that holds more than the solutions say, where there are several ways to measure."""

    @property
    def estimate(self) -> float:
        """The median: half of the replicates spread more at this value, half less."""
        return 0.0 if self.from_zero else float(np.quantile(self.solutions, 0.5, method="lower"))

    @property
    def interval(self) -> Interval:
        """The central 95%, by ranks: with n replicates each end leaves 2.5% of n + 1 outside."""
        if self.ends is not None:
            return self.ends
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
    near: Inversion | None = None,
    workers: Workers | None = None,
    on_done: Callable[[int], None] | None = None,
) -> Inversion:
    """Solve every replicate; a pilot group says where to begin and how the spread rises there, or a solution `near`."""
    from_zero = not target.sd > 0
    if from_zero:
        target = replace(target, sd=_NOTHING)
    if near is None or near.slope is None:
        begin, slope = _pilot(target, family, seed)
    else:
        begin, slope = float(np.clip(near.estimate, 0.01 * family.highest, family.highest)), near.slope
    numbers = range(1, 1 + -(-replicates // GROUP))
    solved: list[tuple[Floats, Floats]] = []
    if near is not None:
        # the first group sees how far off the similar record is, and the others begin there
        solved.append(_solve((1, begin, slope), target, family, seed))
        begin = float(np.clip(np.median(solved[0][0]), 0.01 * family.highest, family.highest))
    tasks = [(number, begin, slope) for number in numbers[len(solved) :]]
    solved += map_tasks(_solve, tasks, shared=(target, family, seed), workers=workers, on_done=on_done)
    solutions = np.sort(np.concatenate([solution for solution, _ in solved])[:replicates])
    return Inversion(solutions, family.highest, from_zero, slope)


def _pilot(target: Target, family: Family, seed: Sequence[int]) -> tuple[float, float | None]:
    """The median solution of one group, and the slope of its spreads there; None where they do not rise."""
    solutions, _ = _solve((0, family.guess(target.sd), None), target, family, seed, tolerance=_ROUGH)
    begin = float(np.median(np.minimum(solutions, family.highest)))
    if not begin > 0:
        return begin, None
    step = float(np.clip(solutions.std() / begin if np.isfinite(solutions).all() else 0.0, _STEP, _LONGEST_STEP))
    ends = begin * (1 - step), min(begin * (1 + step), family.highest)
    games = _replicates(target, family, seed, number=0)
    guess = np.full(GROUP, target.k)
    low, high = (
        fit_games(target.schedule, [game.at(end) for game in games], counted=target.counted, guess=guess).sd
        for end in ends
    )
    sound = (low > 0) & (high > low) & np.isfinite(high)
    if not sound.any():
        return begin, None
    slope = float(np.median(np.log(high[sound] / low[sound]) / np.log(ends[1] / ends[0])))
    return begin, slope


def _replicates(target: Target, family: Family, seed: Sequence[int], *, number: int) -> list[Replicate]:
    """Those of a group."""
    return [simulate_replicate(target, family, seed, replicate=number * GROUP + place) for place in range(GROUP)]


def _solve(
    task: tuple[int, float, float | None],
    target: Target,
    family: Family,
    seed: Sequence[int],
    *,
    tolerance: float = _TOLERANCE,
) -> tuple[Floats, Floats]:
    """Solutions of one group of replicates, and the slopes of their spread there: secants, all in step."""
    number, begin, slope = task
    games = _replicates(target, family, seed, number=number)
    paths = [_Path(begin, slope, family.highest, target.sd, tolerance) for _ in games]
    _search(target, games, paths)
    return np.array([path.value for path in paths]), np.array([path.slope for path in paths])


def solve_each(target: Target, games: Sequence[Replicate], sds: Floats, family: Family) -> Floats:
    """The value at which each game of a family has a spread of its own to reach; 0 where there is none."""
    solved, some = np.zeros(len(games)), [place for place, sd in enumerate(sds) if sd > 0]
    paths = [
        _Path(family.guess(float(sds[place])), None, family.highest, float(sds[place]), _TOLERANCE) for place in some
    ]
    _search(target, [games[place] for place in some], paths)
    solved[some] = [path.value for path in paths]
    return solved


def _search(target: Target, games: Sequence[Replicate], paths: Sequence[_Path]) -> None:
    """Go on until every path has arrived."""
    guess = np.full(len(games), target.k)
    for _ in range(_MOST_ROUNDS):
        moving = [place for place, path in enumerate(paths) if not path.done]
        if not moving:
            break
        played = [games[place].at(paths[place].value) for place in moving]
        fits = fit_games(target.schedule, played, counted=target.counted, guess=guess[moving])
        for place, sd, k in zip(moving, fits.sd, fits.k, strict=True):
            path, before = paths[place], paths[place].value
            path.note(float(sd))
            # the best k rises about as the spread does
            moved = np.clip(path.value / before, 0.25, 4.0) ** min(path.slope, 2.0)
            guess[place] = k * moved if 0 < k < np.inf else target.k


def simulate_replicate(
    target: Target,
    family: Family,
    seed: Sequence[int],
    *,
    replicate: int,
    chance: Sequence[int] | None = None,
) -> Replicate:
    """A game of the family for this replicate: its skills from `seed`, its luck from there too or from `chance`."""
    return Replicate(family, target.schedule, *draw_players(target, seed, replicate=replicate, chance=chance))


def draw_players(
    target: Target, seed: Sequence[int], *, replicate: int, chance: Sequence[int] | None = None
) -> tuple[Floats, Keys]:
    """The skills of a replicate's players, and the key of its luck."""
    if target.skills is not None and (replicate * _GOLDEN) % 1 < target.weight:
        skill = target.skills[:, replicate % target.skills.shape[1]]
    else:
        rng = np.random.default_rng(np.random.SeedSequence([*seed, replicate]))
        skill = rng.standard_normal(len(target.schedule.matches.players))
    luck = np.random.SeedSequence([*(seed if chance is None else chance), replicate], spawn_key=(1,))
    return skill, luck.generate_state(2, np.uint32).astype(np.uint32)


class _Path:
    """The search of one replicate for the value at which its spread equals the record's.

    Spreads are taken as powers of the value: `slope` is the power, 1 where it is not known.
    """

    def __init__(self, begin: float, slope: float | None, highest: float, sd: float, tolerance: float) -> None:
        self.value, self.highest, self.target = max(begin, _FINE * highest), highest, sd
        self.below, self.above = (0.0, 0.0), (np.inf, np.inf)
        self.slope, self.is_known = (1.0, False) if slope is None else (slope, True)
        self.tolerance = tolerance
        self.rounds = 0
        self.done = False

    def note(self, sd: float) -> None:
        """Take in the spread at the present value, and go on to the next, or to the solution."""
        self.rounds += 1
        if sd <= self.target:
            self.below = (self.value, sd)
        else:
            self.above = (self.value, sd)
        reached = self._is_reached(sd)
        if reached is not None:
            self.value, self.done = reached, True
        else:
            self.value = self._next(sd)

    def _is_reached(self, sd: float) -> float | None:
        """The solution, if this spread is near enough to it or nothing further can be found."""
        miss = abs(sd - self.target) / self.target
        if self.is_known and miss <= _NEAR:
            value = self._straight(sd)
            if abs(value - self.value) <= _NEAR * self.value and (value < self.highest or miss <= _TOLERANCE):
                return value if value <= self.highest else np.inf
        elif miss <= self.tolerance:
            value = self._straight(sd)
            return self.value if value <= self.highest else np.inf
        if sd < self.target and self.value >= self.highest:
            return np.inf
        if sd > self.target and self.value <= _FINE * self.highest:
            return 0.0
        if self.above[0] - self.below[0] <= _FINE * min(self.highest, 10 * self.above[0]):
            return 0.5 * (self.below[0] + self.above[0])
        return None

    def _straight(self, sd: float) -> float:
        """Where a power through the present point meets the target: through both neighbours, or by the known slope."""
        (low, less), (high, more) = self.below, self.above
        if np.isfinite(more) and less > 0:
            self.slope = max(np.log(more / less) / np.log(high / low), 1e-3)
        return float(self.value * np.exp(np.clip(np.log(self.target / sd) / self.slope, -50, 50)))

    def _next(self, sd: float) -> float:
        low, high = self.below[0], min(self.above[0], self.highest)
        if self.rounds > _SECANTS or not np.isfinite(sd):
            return 0.5 * (low + high)
        value = self._straight(sd) if sd > 0 else 2 * self.value
        if self.above[0] > self.highest:
            # far below, where a spread rises faster than known, no leap beyond four times the value
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
