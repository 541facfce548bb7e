"""Checks: how much the verdict depends on each choice of the primary analysis, which is fixed beforehand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ludometer.arrays import Array, Counts, Mask
from ludometer.matches import Matches, Pairs
from ludometer.measurement.benchmarks.families import play_series
from ludometer.measurement.benchmarks.inversion import Interval, Share, Target, draw_players
from ludometer.measurement.benchmarks.yardstick import Reference, Yardstick, make_target, match_yardstick
from ludometer.measurement.record.pairing import Pairing, study_pairing
from ludometer.measurement.record.seats import SeatAdvantage
from ludometer.measurement.verdict.routes import Basis, measure_by_likelihood
from ludometer.parallel import Workers, map_tasks
from ludometer.ratings.prizes import Prizes, make_prizes
from ludometer.ratings.replicates import fit_replicates
from ludometer.selection import least_experience

UNITS = (3, 9, 35)
"""Series of this many games as one unit of play."""

_EXPERIENCE = ((0, 25), (25, 100), (100, None))
_FEWEST_COUNTED = 10
_PERIODS = 4
_DOUBTFUL = 0.02
"""How sure the pairing has to be for one answer to be enough."""

PAIRING_BRANCH, MATCHED_BRANCH, _SERIES = 0, 1, 2
"""Branches of the seed: the same as in the measurement of a record, so that a check is that of its part."""

_LONG = 1_000_000
"""Matches of a long record."""


@dataclass(frozen=True)
class Check:
    """One changed choice, and what became of the answer."""

    kind: str
    """What was changed: cutoff, half, activity, draws, prizes, component, unit, experience or period."""
    name: str
    matches: int
    counted: int
    sd: float | None = None
    x_deterministic: float | None = None
    x_deterministic_interval: Interval | None = None
    x_chess: float | None = None
    x_chess_interval: Interval | None = None
    answer: str | None = None
    agrees: bool | None = None
    """Whether the answer is that of the primary analysis; None where there are too few players for one."""

    @property
    def shares(self) -> tuple[Share, Share] | None:
        """x by strength and by the reference; None where there is no answer."""
        if self.x_deterministic_interval is None or self.x_chess_interval is None:
            return None
        found = (self.x_deterministic, self.x_deterministic_interval), (self.x_chess, self.x_chess_interval)
        one, other = (Share(np.inf if x is None else x, *interval) for x, interval in found)
        return one, other


@dataclass(frozen=True, eq=False)
class Kept:
    """Which matches a check works on, a bit for each: there are many checks, and records may be long."""

    bits: Array
    n: int

    @classmethod
    def of(cls, mask: Mask) -> Kept:
        """Those that are True."""
        return cls(np.packbits(mask), len(mask))

    @property
    def mask(self) -> Mask:
        """True for each match that is kept."""
        return np.unpackbits(self.bits, count=self.n).view(np.bool_)

    @property
    def share(self) -> float:
        """Of all matches."""
        return float(np.bitwise_count(self.bits).sum()) / max(self.n, 1)


@dataclass(frozen=True)
class Plan:
    """What one check works on: which matches, which players, which prizes; or a unit of play."""

    kind: str
    name: str
    kept: Kept | None = None
    min_matches: int | None = None
    prizes: Prizes | None = None
    unit: int = 1
    weight: float | None = None
    """As `Pairing.weight`, if it is not that of the primary analysis."""
    number: int = 0


@dataclass(frozen=True)
class Primary:
    """The primary analysis, from which checks differ in one choice each."""

    matches: Matches
    k: float
    min_matches: int
    prizes: Prizes
    reference: Reference
    pairing: Pairing
    """Of all these matches."""
    skill: float
    """The matched SD of skills, for units of play."""
    replicates: int
    seed: Sequence[int]
    whole: Matches | None = None
    """All matches, where some were left out for not being connected."""
    answer: str = ""
    yardstick: Yardstick | None = None
    """Its solutions, where the search of a check begins."""
    seats: SeatAdvantage | None = None
    """What the better seat is worth in every expectation."""
    played: Counts | None = None
    """Matches of each player in the whole record, of which `matches` may be a part."""
    by_likelihood: bool = False
    """Whether x is that of the likelihood."""


def run_checks(
    primary: Primary,
    plans: Sequence[Plan],
    *,
    workers: Workers | None = None,
    stop: Callable[[], bool] | None = None,
) -> tuple[Check, ...]:
    """These checks, or the first of them, until `stop` says that there is no time for another."""
    tasks = [(plan.number, plan) for plan in plans]
    return tuple(map_tasks(run_check, tasks, shared=(primary,), workers=workers, stop=stop))


def plan_checks(primary: Primary) -> list[Plan]:
    """Which checks make sense for this record; not those that would be the primary analysis again."""
    # numbered before any is left out: the seed of a check does not depend on the others
    numbered = (replace(plan, number=number) for number, plan in enumerate(_all_plans(primary)))
    return [plan for plan in numbered if not _is_primary(plan, primary)]


def _all_plans(primary: Primary) -> list[Plan]:
    matches, n = primary.matches, len(primary.matches)
    plans = [
        Plan("cutoff", f"players with {cutoff}+ matches", min_matches=cutoff)
        for cutoff in (1, 25, 100)
        if cutoff != primary.min_matches
    ]
    plans += [
        Plan("half", "first half of the record", _rows(n, 0, n // 2)),
        Plan("half", "second half of the record", _rows(n, n // 2, n)),
    ]
    busy = _most_active(matches)
    if busy.any():
        plans.append(Plan("activity", "without the most active 1%", Kept.of(~_anybody(matches, busy))))
    drawn = _drawn(matches)
    if drawn.any() and not drawn.all():
        name = "without draws" if _is_of_two(matches) else "without ties for first place"
        plans.append(Plan("draws", name, Kept.of(~drawn)))
    if not _is_of_two(matches):
        plans += [
            Plan("prizes", f"prizes: {name}", prizes=make_prizes(name))
            for name in ("winner", "linear")
            if name != primary.prizes.name
        ]
    if primary.pairing.skills is not None and primary.pairing.is_sound:
        plans += [
            Plan("pairing", f"opponents {words}", weight=weight)
            for weight, words in ((0.0, "as if paired at random"), (1.0, "as if paired by strength"))
            if abs(weight - primary.pairing.weight) > _DOUBTFUL
        ]
    if primary.whole is not None:
        plans.append(Plan("component", "with the smaller groups too"))
    if _is_of_two(matches):
        plans += [Plan("unit", f"{unit} games as one (model)", unit=unit) for unit in UNITS]
    least = least_experience(matches)
    for low, high in _EXPERIENCE:
        words = f"{low}+ earlier matches" if high is None else f"{low} to {high - 1} earlier matches"
        inside = (least >= low) & (least < (high or np.inf))
        plans.append(Plan("experience", f"the less experienced has {words}", Kept.of(inside)))
    for start, stop in _quarters(n):
        plans.append(Plan("period", _label(matches, start, stop), _rows(n, start, stop)))
    return plans


def _rows(n: int, start: int, stop: int) -> Kept:
    """Some matches in a row."""
    mask = np.zeros(n, bool)
    mask[start:stop] = True
    return Kept.of(mask)


def _is_primary(plan: Plan, primary: Primary) -> bool:
    """Whether another cutoff counts the same players: then nothing is checked."""
    counts = primary.matches.counts
    return plan.kind == "cutoff" and bool(
        np.array_equal(counts >= (plan.min_matches or 0), counts >= primary.min_matches)
    )


def run_check(task: tuple[int, Plan], primary: Primary) -> Check:
    """The changed record, measured as if it were the record: by the same route, with fewer replicates."""
    _, plan = task
    matches = primary.matches if plan.kept is None else primary.matches.take(plan.kept.mask)
    if plan.kind == "component" and primary.whole is not None:
        matches = primary.whole
    counted = _who_counts(plan, primary, matches)
    check = Check(plan.kind, plan.name, len(matches), int(counted.sum()))
    if check.counted < _FEWEST_COUNTED or not len(matches):
        return check
    pairing = primary.pairing
    if matches is not primary.matches:
        pairing = study_pairing(matches, seed=[*primary.seed, PAIRING_BRANCH])
    if plan.weight is not None:
        pairing = pairing.weighed(plan.weight)
    prizes, reference = plan.prizes or primary.prizes, primary.reference.for_pairing(pairing)
    target = make_target(matches, counted, prizes, pairing=pairing, k=primary.k, seats=primary.seats)
    if plan.unit > 1:
        target = _series(target, plan.unit, primary)
    if not np.isfinite(target.sd):
        return check
    yardstick = None
    if primary.by_likelihood and plan.unit == 1 and plan.weight is None:
        seats = primary.seats if primary.seats is not None and primary.seats.applied else None
        basis = Basis(matches, counted, prizes, primary.k, seats, primary.seed, Workers())
        yardstick = measure_by_likelihood(basis, reference)
    if yardstick is None:
        yardstick = match_yardstick(
            target,
            reference=reference,
            replicates=primary.replicates,
            seed=[*primary.seed, MATCHED_BRANCH],
            near=primary.yardstick,
        )
    answer = yardstick.answer
    return replace(
        check,
        sd=target.sd,
        x_deterministic=finite(yardstick.deterministic.estimate),
        x_deterministic_interval=yardstick.deterministic.interval,
        x_chess=finite(yardstick.chess.estimate),
        x_chess_interval=yardstick.chess.interval,
        answer=answer,
        agrees=answer == primary.answer if plan.kind != "unit" else None,
    )


def _who_counts(plan: Plan, primary: Primary, matches: Matches) -> Mask:
    """By all matches of the record, or by those that are left; of one match per session fewer are enough."""
    least = plan.min_matches or primary.min_matches
    if primary.played is None or len(primary.played) != len(matches.players):
        return matches.counts >= least
    if plan.kept is None:
        return np.asarray(primary.played >= least)
    part = primary.matches.counts.sum() / max(primary.played.sum(), 1)
    return np.asarray(matches.counts >= max(least * part, 1))


def finite(value: float) -> float | None:
    """None for an x beyond the family."""
    return float(value) if np.isfinite(value) else None


def _series(target: Target, unit: int, primary: Primary) -> Target:
    """The spread that these players would have if a series of games were one match, seats taking turns in it."""
    target = replace(target, schedule=replace(target.schedule, advantage=0.0, excess=0.0))
    # of a long record two games tell as much as four of a shorter one
    n = 4 if len(target.schedule.matches) <= _LONG else 2
    players = [draw_players(target, [*primary.seed, _SERIES, unit], replicate=replicate) for replicate in range(n)]
    results = np.column_stack(
        [play_series(target.schedule, skill, key, sd=primary.skill, games=unit) for skill, key in players]
    )
    fits = fit_replicates(target.schedule, results, counted=target.counted, guess=np.full(n, 2 * max(target.k, 0.1)))
    return replace(target, sd=float(fits.sd.mean()), k=float(fits.k.mean()))


def _is_of_two(matches: Matches) -> bool:
    return isinstance(matches.table, Pairs)


def _most_active(matches: Matches) -> Mask:
    """The most active 1% of those who played: none if there are fewer than 100."""
    counts = matches.counts
    n = int((counts > 0).sum()) // 100
    busy = np.zeros(len(counts), bool)
    if n:
        busy[np.argsort(-counts, kind="stable")[:n]] = True
    return busy


def _anybody(matches: Matches, chosen: Mask) -> Mask:
    """Matches in which any of these players sat."""
    table = matches.table
    if isinstance(table, Pairs):
        return np.asarray(chosen[table.first] | chosen[table.second])
    return np.logical_or.reduceat(chosen[table.player], table.starts[:-1])


def _drawn(matches: Matches) -> Mask:
    table = matches.table
    if isinstance(table, Pairs):
        return np.asarray(table.halves == 1)
    return np.asarray(np.add.reduceat(table.place == 1, table.starts[:-1]) > 1)


def _quarters(n: int) -> list[tuple[int, int]]:
    edges = [n * part // _PERIODS for part in range(_PERIODS + 1)]
    return [(start, stop) for start, stop in pairwise(edges) if stop > start]


def _label(matches: Matches, start: int, stop: int) -> str:
    if matches.time is None:
        return f"matches {start + 1:,} to {stop:,}"
    begin, end = (str(matches.time[place])[:10] for place in (start, stop - 1))
    return f"{begin} to {end}"
