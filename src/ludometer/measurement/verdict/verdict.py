"""The verdict: what a measurement simulates to reach it, the answer, and the reasons in plain words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.matches import Matches
from ludometer.measurement.benchmarks.families import Skilled
from ludometer.measurement.benchmarks.inversion import GROUP, HALF, Interval, Inversion, Target
from ludometer.measurement.benchmarks.yardstick import (
    CANNOT_TELL,
    CHANCE,
    DEPENDS,
    FEWEST_REGULARS,
    SKILL,
    Answer,
    Reference,
    Yardstick,
    make_schedule,
    match_yardstick,
    repeat_play,
    repeats_for,
    replicates_for,
    side_of,
)
from ludometer.measurement.record.pairing import TOO_CLOSE, Pairing, study_pairing
from ludometer.measurement.verdict.checks import Check, Primary, plan_checks, run_checks
from ludometer.parallel import Workers
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.measurement.measurement import Measurement

_PAIRING, _MATCHED, _REPEATED, _CHECKED = range(4)
"""Branches of the seed."""


@dataclass(frozen=True)
class Verdict:
    """Whether skill or chance predominates, by the matched yardsticks."""

    answer: Answer
    statement: str
    p_deterministic: float | None
    """How often a game of 50% skill on this schedule spreads at least as much as the record; at most, if below 50%."""
    p_chess: float | None
    reasons: tuple[str, ...]
    checks: tuple[Check, ...]
    primary: str
    """A hash of the choices that make up the primary analysis, fixed before any check was seen."""


@dataclass(frozen=True)
class Simulation:
    """What is simulated on: the connected matches, and the caller's choices."""

    matches: Matches
    whole: Matches | None
    """All matches, where some were left out for not being connected."""
    reference: Reference | None
    replicates: int | None
    seed: int
    workers: Workers | None
    on_progress: Callable[[int, int], None] | None


@dataclass(frozen=True)
class Analysis:
    """What the simulations found; None where there is nothing to compare."""

    verdict: Verdict
    yardstick: Yardstick | None = None
    pairing: Pairing | None = None
    sd_intervals: tuple[Interval | None, ...] | None = None
    k_interval: Interval | None = None


def analyse(game: Measurement, simulation: Simulation) -> Analysis:
    """Study the pairing, match the yardsticks, find the intervals, judge, run the checks: in this order."""
    main, scale, matches = game.main, game.scale_factor, simulation.matches

    def judged(yardstick: Yardstick | None, pairing: Pairing | None, checks: Sequence[Check] = ()) -> Verdict:
        return judge(
            yardstick,
            pairing,
            checks,
            n_regulars=main.n,
            min_matches=main.min_matches,
            primary=game.provenance.parameters,
        )

    if main.sd is None or (main.n < FEWEST_REGULARS and main.n < 3):
        return Analysis(judged(None, None))
    replicates, fewer = replicates_for(len(matches))
    replicates = simulation.replicates or replicates
    draws, played, seed, workers = game.data.draw_rate, game.data.played, simulation.seed, simulation.workers
    pairing = study_pairing(matches, seed=[seed, _PAIRING])
    schedule = make_schedule(matches, game.data.prizes)
    target = Target(schedule, played >= main.min_matches, main.sd / scale, game.best_fit.k / scale, pairing.skills)
    reference = (simulation.reference or Reference()).for_pairing(pairing)
    counted = [entry for entry in game.spread if entry.sd is not None]
    pairs = repeats_for(len(matches))
    work = _Work(3 * -(-replicates // GROUP) + 2 * pairs, simulation.on_progress)
    matched = match_yardstick(
        target,
        reference=reference,
        draws=draws,
        replicates=replicates,
        seed=[seed, _MATCHED],
        workers=workers,
        on_done=work.note,
    )
    assert matched.skill is not None
    repeated = repeat_play(
        target,
        matched.skill,
        deterministic=matched.deterministic,
        groups=np.stack([played >= entry.min_matches for entry in counted]),
        sds=[entry.sd / scale for entry in counted if entry.sd is not None],
        draws=draws,
        pairs=pairs,
        seed=[seed, _REPEATED],
        workers=workers,
        on_done=work.note,
    )
    intervals = dict(zip((entry.min_matches for entry in counted), repeated.sd_intervals, strict=True))
    verdict = judged(matched, pairing)
    if verdict.p_deterministic is not None:
        primary = Primary(
            matches=matches,
            k=max(game.best_fit.k / scale, 0.1),
            min_matches=main.min_matches,
            prizes=game.data.prizes,
            reference=reference,
            paired_skills=pairing.skills,
            skill=min(matched.skill.estimate, Skilled.highest),
            replicates=fewer,
            seed=[seed, _CHECKED],
            whole=simulation.whole,
            answer=verdict.answer,
        )
        work.total += len(plan_checks(primary))
        verdict = judged(matched, pairing, run_checks(primary, workers=workers, on_done=work.note))
    return Analysis(
        verdict,
        matched,
        replace(pairing, skills=None),
        tuple(_scaled(intervals.get(entry.min_matches), scale) for entry in game.spread),
        _scaled(repeated.k_interval, scale),
    )


class _Work:
    """Counts finished tasks over several rounds of them."""

    def __init__(self, total: int, on_progress: Callable[[int, int], None] | None) -> None:
        self.total, self.done, self.last, self.on_progress = total, 0, 0, on_progress

    def note(self, done_in_round: int) -> None:
        """This many of the round are done."""
        self.done += done_in_round - self.last if done_in_round > self.last else 1
        self.last = done_in_round
        if self.on_progress is not None:
            self.on_progress(min(self.done, self.total), self.total)


def _scaled(interval: Interval | None, factor: float) -> Interval | None:
    return None if interval is None else (interval[0] * factor, interval[1] * factor)


def judge(
    yardstick: Yardstick | None,
    pairing: Pairing | None,
    checks: Sequence[Check],
    *,
    n_regulars: int,
    min_matches: int,
    primary: dict[str, Any],
) -> Verdict:
    """Weigh both yardsticks; refuse where too few players count or where pairing by strength hides the spread."""
    digest = hashlib.sha256(json.dumps(primary, sort_keys=True).encode()).hexdigest()[:16]
    refusals = _refusals(yardstick, pairing, n_regulars, min_matches)
    if refusals or yardstick is None:
        statement = f"These data cannot tell: {refusals[0]}."
        return Verdict(CANNOT_TELL, statement, None, None, tuple(refusals), tuple(checks), digest)
    p_values = _p_value(yardstick.deterministic), _p_value(yardstick.chess)
    reasons = (*_share_reasons(yardstick), _pairing_reason(pairing), *_check_reasons(checks))
    return Verdict(yardstick.answer, _state(yardstick, p_values), *p_values, reasons, tuple(checks), digest)


def _refusals(yardstick: Yardstick | None, pairing: Pairing | None, n_regulars: int, min_matches: int) -> list[str]:
    refusals = []
    if n_regulars < FEWEST_REGULARS:
        refusals.append(
            f"only {n_regulars} {'player has' if n_regulars == 1 else 'players have'} {min_matches} matches or more, "
            f"and at least {FEWEST_REGULARS} are needed"
        )
    if pairing is not None and not pairing.is_sound:
        refusals.append(
            "players faced almost only opponents of equal strength (the strengths of opponents correlate at "
            f"{pairing.correlation:.2f}; above {TOO_CLOSE:g} no benchmark is recovered), so the spread of ratings says "
            "little about skill"
        )
    if yardstick is None and not refusals:
        refusals.append("no best fit exists, or the ratings do not spread, so there is nothing to compare")
    return refusals


def _p_value(inversion: Inversion) -> float:
    return inversion.p_value(HALF, above=inversion.estimate > HALF)


def _state(yardstick: Yardstick, p_values: Sequence[float]) -> str:
    """The answer in one sentence."""
    rare = f"a half-skill, half-coin game would look like this {_how_often(max(p_values))}"
    if yardstick.answer in (SKILL, CHANCE):
        return f"{yardstick.answer.capitalize()} predominates, by both yardsticks: {rare}."
    name = yardstick.reference.name
    read = (
        (side_of(yardstick.chess.interval), name, f"{yardstick.chess.share.in_words} {name}"),
        (side_of(yardstick.deterministic.interval), "pure skill", f"{yardstick.deterministic.share.in_words} skill"),
    )
    clear = [f"compared with {other}, {side} predominates ({share})" for side, other, share in read if side]
    if yardstick.answer == DEPENDS:
        return f"It depends on the yardstick: {'; '.join(clear)}."
    either = "the record fits games of more than half skill as well as games of less"
    unclear = [(other, share) for side, other, share in read if not side]
    if clear:
        ((other, share),) = unclear
        return f"These data cannot tell: {clear[0]}, but compared with {other} {either} ({share})."
    return f"These data cannot tell: {either} ({', '.join(share for _, share in reversed(unclear))})."


def _how_often(p: float) -> str:
    """A p-value in words; the smallest that the replicates can show is a bound."""
    for bound in (0.01, 0.02, 0.05):
        if p <= bound:
            return f"{'less than' if p < bound else 'at most'} once in {round(1 / bound)} tries"
    return f"in {percent(p, 0)} of tries"


def _share_reasons(yardstick: Yardstick) -> tuple[str, str]:
    """What the two shares mean; a share beyond the whole benchmark is no share any more."""
    skill, kept, name = yardstick.deterministic.share, yardstick.chess.share, yardstick.reference.name
    first = (
        f"as in a game where {skill.in_words} of matches go to the better player outright and a coin decides the rest"
        if np.isfinite(skill.x)
        else f"more than in a game where the better player always wins ({skill.in_words} skill)"
    )
    second = (
        f"as in a game where {kept.in_words} of results are those of {name} players and a coin decides the rest"
        if np.isfinite(kept.x)
        else f"more than those of {name} players would ({kept.in_words} {name})"
    )
    return f"ratings spread {first}", f"ratings spread {second}"


def _pairing_reason(pairing: Pairing | None) -> str:
    if pairing is None or not pairing.detected:
        return "pairings look random"
    if not pairing.corrected:
        return f"pairings are not random, but they do not follow strength (p = {pairing.p_value:.2g})"
    return (
        f"pairings are not random: the strengths of opponents correlate at {pairing.correlation:.2f}; "
        "the simulated players are paired in the same way"
    )


def _check_reasons(checks: Sequence[Check]) -> list[str]:
    asked = [check for check in checks if check.agrees is not None]
    if not asked:
        return []
    same = sum(bool(check.agrees) for check in asked)
    if same == len(asked):
        return [{1: "the one check agrees", 2: "both checks agree"}.get(same, f"all {same} checks agree")]
    unclear = sum(check.answer == CANNOT_TELL and not check.agrees for check in asked)
    others = [f"{check.name} ({check.answer})" for check in asked if not check.agrees and check.answer != CANNOT_TELL]
    parts = [f"{same} of {len(asked)} checks agree{'s' * (same == 1)}"]
    if unclear:
        parts.append(f"{unclear} cannot tell")
    if others:
        parts.append(f"{len(others)} disagree{'s' * (len(others) == 1)}: {', '.join(others)}")
    return [", ".join(parts)]
