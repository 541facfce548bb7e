"""Sentences about a verdict that terminal, page and the verdict itself share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludometer.measurement.benchmarks.inversion import Share
    from ludometer.measurement.measurement import Measurement
    from ludometer.measurement.record.pairing import Pairing
    from ludometer.measurement.verdict.checks import Check

CLOSE = 0.6
"""Correlation of the strengths of opponents above which the verdict itself carries a warning."""

_OTHER_QUESTIONS = ("unit", "experience", "period")
"""Kinds of checks that measure something else than the whole record: their range is no doubt about its share."""


def warn_of_close_pairing(statement: str, pairing: Pairing | None) -> str:
    """The statement of a verdict, with a warning where opponents were nearly equals.

    >>> from ludometer.measurement.record.pairing import Pairing
    >>> print(warn_of_close_pairing("Skill.", Pairing(True, 0.64, 1, 0.0, follows=True)))
    Skill. Caution: opponents were close in strength (correlation 0.64), so the shares may understate skill.
    """
    if pairing is None or pairing.correlation <= CLOSE or not pairing.is_sound:
        return statement
    return (
        f"{statement} Caution: opponents were close in strength (correlation {pairing.correlation:.2f}), so the shares "
        "may understate skill."
    )


def describe_p_values(game: Measurement) -> str | None:
    """Both p-values and what they are; None where there is no verdict that has them."""
    verdict, yardstick = game.verdict, game.yardstick
    if verdict is None or yardstick is None or verdict.p_deterministic is None or verdict.p_chess is None:
        return None
    smallest = 1 / (yardstick.replicates + 1)
    return (
        f"p-values {verdict.p_deterministic:.3f} for skill and {verdict.p_chess:.3f} for {game.reference_name}: how "
        "often a game of exactly 50% on this schedule spreads at least as far from 50% as the record does (the "
        f"smallest value that {yardstick.replicates} simulations can show is {smallest:.3f}). A p-value is not the "
        "probability that skill, or chance, predominates"
    )


def describe_range_over_checks(game: Measurement) -> str | None:
    """How far both shares move when one choice of the analysis changes; None without such checks."""
    if game.verdict is None or game.shares is None:
        return None
    shares = [check.shares for check in game.verdict.checks if _asks_the_same(check)]
    found = [pair for pair in shares if pair is not None]
    if not found:
        return None
    skill, kept = (_range([share, *(pair[place] for pair in found)]) for place, share in enumerate(game.shares))
    return f"range over checks: skill share {skill}, {game.reference_name} share {kept}"


def _asks_the_same(check: Check) -> bool:
    return check.kind not in _OTHER_QUESTIONS


def _range(shares: list[Share]) -> str:
    from ludometer.measurement.benchmarks.inversion import Share

    low, high = (end(share.x for share in shares) for end in (min, max))
    ends = [str(Share(value, value, value)).partition("%")[0] for value in (low, high)]
    return f"{ends[0]}%" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}%"
