"""What a measurement simulates: pairing, matched yardsticks, intervals, checks and the verdict, in this order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludometer.errors import MatchDataError
from ludometer.matches import Matches
from ludometer.measurement.benchmarks.families import Skilled
from ludometer.measurement.benchmarks.inversion import GROUP, Target, invert
from ludometer.measurement.benchmarks.yardstick import (
    Interval,
    Reference,
    Yardstick,
    make_course,
    match_yardstick,
    repeat_play,
    repeats_for,
    replicates_for,
)
from ludometer.measurement.record.pairing import Pairing, study_pairing
from ludometer.measurement.spread.spread import Spread
from ludometer.measurement.verdict.checks import Primary, plan_checks, run_checks
from ludometer.measurement.verdict.verdict import FEWEST_REGULARS, Verdict, combine, judge
from ludometer.parallel import Workers
from ludometer.ratings.prizes import Prizes
from ludometer.ratings.systems.best_fit import BestFitElo, fit_best_elo
from ludometer.selection import keep_connected

_PAIRING, _MATCHED, _REPEATED, _CHECKED = range(4)


@dataclass(frozen=True)
class Settings:
    """What the caller chose."""

    prizes: Prizes
    reference: Reference
    replicates: int | None
    seed: int
    workers: Workers | None
    on_progress: Callable[[int, int], None] | None
    primary: dict[str, Any]


@dataclass(frozen=True)
class Analysis:
    """What was found; nothing, before."""

    yardstick: Yardstick | None = None
    pairing: Pairing | None = None
    sd_intervals: tuple[Interval | None, ...] | None = None
    k_interval: Interval | None = None
    verdict: Verdict | None = None
    reference: Reference | None = None
    """The game that was compared with, as it stands beside a record of this pairing."""


def analyse(
    matches: Matches,
    best: BestFitElo,
    spread: tuple[Spread, ...],
    main: Spread,
    *,
    wider: float,
    whole: Matches | None,
    settings: Settings,
) -> Analysis:
    """Simulate what can be simulated. `wider` is how much wider than Elo's scale the ratings of `best` are."""

    def judged(yardstick: Yardstick | None, pairing: Pairing | None, checks: Any = ()) -> Verdict:
        return judge(
            yardstick,
            pairing,
            checks,
            n_regulars=main.n,
            min_matches=main.min_matches,
            reference=settings.reference.name,
            primary=settings.primary,
        )

    if main.sd is None or (main.n < FEWEST_REGULARS and main.n < 3):
        return Analysis(verdict=judged(None, None))
    replicates, fewer = replicates_for(len(matches))
    replicates = settings.replicates or replicates
    draws = matches.draw_rate or 0.0
    pairing = study_pairing(matches, seed=[settings.seed, _PAIRING])
    course, played = make_course(matches, settings.prizes), matches.counts
    target = Target(course, played >= main.min_matches, main.sd / wider, best.k / wider, pairing.orders)
    reference = settings.reference.for_pairing(pairing)
    counted = [entry for entry in spread if entry.sd is not None]
    pairs = repeats_for(len(matches))
    work = _Work(3 * -(-replicates // GROUP) + 2 * pairs, settings.on_progress)
    matched = match_yardstick(
        target,
        reference=reference,
        draws=draws,
        replicates=replicates,
        seed=[settings.seed, _MATCHED],
        workers=settings.workers,
        on_done=work.note,
    )
    assert matched.skill is not None
    repeated = repeat_play(
        target,
        matched.skill,
        deterministic=matched.deterministic,
        groups=np.stack([played >= entry.min_matches for entry in counted]),
        sds=[entry.sd / wider for entry in counted if entry.sd is not None],
        draws=draws,
        pairs=pairs,
        seed=[settings.seed, _REPEATED],
        workers=settings.workers,
        on_done=work.note,
    )
    intervals = dict(zip((entry.min_matches for entry in counted), repeated.sd_intervals, strict=True))
    verdict = judged(matched, pairing)
    if verdict.p_deterministic is not None:
        primary = Primary(
            matches=matches,
            k=max(best.k / wider, 0.1),
            min_matches=main.min_matches,
            prizes=settings.prizes,
            reference=reference,
            orders=pairing.orders,
            skill=min(matched.skill.estimate, Skilled.highest),
            draws=draws,
            replicates=fewer,
            seed=[settings.seed, _CHECKED],
            combine=combine,
            whole=whole,
            answer=verdict.answer,
        )
        work.add(len(plan_checks(primary)))
        verdict = judged(matched, pairing, run_checks(primary, workers=settings.workers, on_done=work.note))
    return Analysis(
        matched,
        pairing.without_orders(),
        tuple(_scaled(intervals.get(entry.min_matches), wider) for entry in spread),
        _scaled(repeated.k_interval, wider),
        verdict,
        reference,
    )


def measure_reference(name: str, matches: Matches, *, seed: int = 0, workers: Workers | None = None) -> Reference:
    """The game that x percent are kept of, from a record of it: the SD of its players' skills, and its draws.

    The SD is that of normal skills which spread like the record's ratings on its own schedule.
    """
    inside = keep_connected(matches).matches
    best, played = fit_best_elo(inside), inside.counts
    counted = played >= 25
    if int(counted.sum()) < FEWEST_REGULARS:
        raise MatchDataError(f"the reference {name} has fewer than {FEWEST_REGULARS} players with 25 matches or more")
    pairing = study_pairing(inside, seed=[seed, _PAIRING])
    sd = float(best.rating[counted].std(ddof=1))
    target = Target(make_course(inside), counted, sd, best.k, pairing.orders)
    draws = inside.draw_rate or 0.0
    skill = invert(target, Skilled(draws), replicates=19, seed=[seed, _MATCHED, 2], workers=workers)
    if not 0 < skill.estimate < np.inf:
        raise MatchDataError(f"the ratings of the reference {name} do not spread")
    return Reference(name, skill.estimate, draws, None)


class _Work:
    """Counts finished tasks over several rounds of them."""

    def __init__(self, total: int, on_progress: Callable[[int, int], None] | None) -> None:
        self.total, self.done, self.last, self.on_progress = total, 0, 0, on_progress

    def add(self, tasks: int) -> None:
        """More to do."""
        self.total += tasks

    def note(self, done_in_round: int) -> None:
        """So many of this round are done."""
        self.done += done_in_round - self.last if done_in_round > self.last else 1
        self.last = done_in_round
        if self.on_progress is not None:
            self.on_progress(min(self.done, self.total), self.total)


def _scaled(interval: Interval | None, factor: float) -> Interval | None:
    return None if interval is None else (interval[0] * factor, interval[1] * factor)
