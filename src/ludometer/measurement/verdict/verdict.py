"""The verdict: skill, chance, depends on the yardstick, or these data cannot tell; with its reasons in plain words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludometer.measurement.benchmarks.inversion import Inversion
from ludometer.measurement.benchmarks.yardstick import Yardstick
from ludometer.measurement.record.pairing import TOO_CLOSE, Pairing
from ludometer.measurement.verdict.checks import Check

HALF = 50.0
"""Percent: the line between predominantly skill and predominantly chance."""

FEWEST_REGULARS = 10

Answer = str
BEYOND = "> 100"
"""The end of an interval that lies above the widest game of its family."""

SKILL, CHANCE, DEPENDS, CANNOT_TELL = "skill", "chance", "depends", "cannot tell"


@dataclass(frozen=True)
class Verdict:
    """What the matched yardsticks say of the question whether skill or chance predominates."""

    answer: Answer
    statement: str
    p_deterministic: float | None
    """How often a game of 50% strength on this schedule spreads as much as the record, or as little if it is below."""
    p_chess: float | None
    reasons: tuple[str, ...]
    checks: tuple[Check, ...]
    primary: str
    """A hash of the choices that make up the primary analysis, fixed before any check was seen."""


def judge(
    yardstick: Yardstick | None,
    pairing: Pairing | None,
    checks: Sequence[Check],
    *,
    n_regulars: int,
    min_matches: int,
    reference: str,
    primary: dict[str, Any],
) -> Verdict:
    """Weigh both yardsticks; refuse where too few players count or where pairing by strength hides the spread."""
    digest = hashlib.sha256(json.dumps(primary, sort_keys=True).encode()).hexdigest()[:16]
    refusals = _refusals(yardstick, pairing, n_regulars, min_matches)
    if refusals or yardstick is None:
        return Verdict(
            CANNOT_TELL, f"These data cannot tell: {refusals[0]}.", None, None, tuple(refusals), tuple(checks), digest
        )
    answer = combine(yardstick)
    p_values = _p_value(yardstick.deterministic), _p_value(yardstick.chess)
    reasons = [
        f"on this schedule the record spreads like {describe(yardstick.deterministic)} strength and the rest coins",
        f"on this schedule it spreads like {describe(yardstick.chess)} {reference}, the other results being coins",
        *_pairing_reasons(pairing),
        *_check_reasons(checks),
    ]
    statement = _statement(answer, yardstick, p_values, reference)
    return Verdict(answer, statement, *p_values, tuple(reasons), tuple(checks), digest)


def combine(yardstick: Yardstick) -> Answer:
    """Skill or chance if both intervals lie on that side of 50%, depends if they lie on different sides."""
    sides = [side_of(inversion.interval) for inversion in (yardstick.deterministic, yardstick.chess)]
    if "" in sides:
        return CANNOT_TELL
    return sides[0] if sides[0] == sides[1] else DEPENDS


def side_of(interval: tuple[float, float]) -> Answer:
    """Skill above the line, chance below it, nothing if the interval holds it."""
    low, high = interval
    return SKILL if low > HALF else CHANCE if high < HALF else ""


def describe(inversion: Inversion) -> str:
    """x with its interval in words: "39% [37, 41]", or "more than 100%"."""
    return describe_share(inversion.estimate, inversion.interval)


def describe_share(x: float, interval: tuple[float, float]) -> str:
    """The same of numbers; an end that would round to the line of 50% shows on which side of it it is.

    >>> describe_share(38.7, (36.6, 41.2)), describe_share(float("inf"), (98.0, float("inf")))
    ('39% [37, 41]', 'more than 100% [98, > 100]')
    >>> describe_share(36.0, (21.0, 49.8))
    '36% [21, 49.8]'
    """
    if not np.isfinite(x):
        low = f"{interval[0]:.0f}, " if interval[0] < 99.5 else ""
        return "more than 100%" + (f" [{low}{BEYOND}]" if low else "")
    ends = []
    for end in interval:
        digits = 1 if x < 9.5 or 0 < abs(end - HALF) < 0.5 else 0
        ends.append(f"{end:.{digits}f}" if np.isfinite(end) else BEYOND)
    return f"{x:.{0 if x >= 9.5 else 1}f}% [{', '.join(ends)}]"


def _refusals(yardstick: Yardstick | None, pairing: Pairing | None, n_regulars: int, min_matches: int) -> list[str]:
    refusals = []
    if n_regulars < FEWEST_REGULARS:
        refusals.append(
            f"only {n_regulars} {'player has' if n_regulars == 1 else 'players have'} {min_matches} matches or more, "
            f"and {FEWEST_REGULARS} are needed at least"
        )
    if pairing is not None and not pairing.is_sound:
        refusals.append(
            "players met almost only their like (the strengths of opponents correlate with "
            f"{pairing.correlation:.2f}; above {TOO_CLOSE:g} no benchmark is recovered), so the spread of ratings says "
            "little about skill"
        )
    if yardstick is None and not refusals:
        refusals.append("no best fit exists, or the ratings do not spread, so there is nothing to compare")
    return refusals


def _p_value(inversion: Inversion) -> float:
    return inversion.p_value(HALF, above=inversion.estimate > HALF)


def _statement(answer: Answer, yardstick: Yardstick, p_values: Sequence[float], reference: str) -> str:
    chance = f"p {_below(max(p_values))} that a game of 50% would spread like this"
    deterministic, chess = (describe(inversion) for inversion in (yardstick.deterministic, yardstick.chess))
    if answer == SKILL:
        return f"Predominantly skill, by both yardsticks ({chance} or more)."
    if answer == CHANCE:
        return f"Predominantly chance, by both yardsticks ({chance} or less)."
    if answer == DEPENDS:
        larger = side_of(yardstick.chess.interval)
        return (
            f"It depends on the yardstick: {larger} beside {reference} ({chess} {reference}), "
            f"{side_of(yardstick.deterministic.interval)} beside a game of pure strength ({deterministic} strength)."
        )
    both_ways = "they fit games of more than 50% skill as well as of less"
    told = (
        (side_of(yardstick.deterministic.interval), "pure strength", f"{deterministic} strength"),
        (side_of(yardstick.chess.interval), reference, f"{chess} {reference}"),
    )
    clear = [f"{side} beside {name} ({share})" for side, name, share in told if side]
    unclear = [(name, share) for side, name, share in told if not side]
    if clear:
        ((name, share),) = unclear
        return f"These data cannot tell: {clear[0]}, but beside {name} {both_ways} ({share})."
    shares = ", ".join(share for _, share in unclear)
    return f"These data cannot tell: beside pure strength and {reference} {both_ways} ({shares})."


def _below(p: float) -> str:
    """A p-value in words; the smallest that the replicates can show is a bound."""
    for bound in (0.01, 0.02, 0.05):
        if p <= bound:
            return f"< {bound:g}" if p < bound else f"= {bound:g}"
    return f"= {p:.2f}"


def _pairing_reasons(pairing: Pairing | None) -> list[str]:
    if pairing is None or not pairing.detected:
        return ["who met whom is as at random, so far as the schedule shows"]
    if not pairing.corrected:
        return [f"the schedule is not random, but strengths do not follow it (p = {pairing.p_value:.2g})"]
    return [
        f"the schedule is not random: the strengths of opponents correlate with {pairing.correlation:.2f}; "
        "the simulated players are paired alike"
    ]


def _check_reasons(checks: Sequence[Check]) -> list[str]:
    told = [check for check in checks if check.agrees is not None]
    if not told:
        return []
    same = sum(bool(check.agrees) for check in told)
    if same == len(told):
        many = {1: "the one check gives", 2: "both checks give"}.get(same, f"all {same} checks give")
        return [f"{many} the same answer"]
    unclear = sum(check.answer == CANNOT_TELL and not check.agrees for check in told)
    others = [f"{check.name} ({check.answer})" for check in told if not check.agrees and check.answer != CANNOT_TELL]
    parts = [f"{same} of {len(told)} checks give{'s' * (same == 1)} the same answer"]
    if unclear:
        parts.append(f"{unclear} cannot tell")
    if others:
        parts.append(f"{len(others)} give{'s' * (len(others) == 1)} another: {', '.join(others)}")
    return [", ".join(parts)]
