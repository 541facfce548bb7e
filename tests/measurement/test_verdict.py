"""The four answers, their reasons, and p-values in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludometer.measurement.benchmarks.inversion import Inversion
from ludometer.measurement.benchmarks.yardstick import FEWEST_REGULARS, Reference, Yardstick, side_of
from ludometer.measurement.record.pairing import Pairing
from ludometer.measurement.verdict.checks import Check
from ludometer.measurement.verdict.verdict import Verdict, judge

RANDOM = Pairing(detected=False, correlation=0.0, n_directions=0, p_value=1.0, follows=False)


def around(low: float, high: float, n: int = 119) -> Inversion:
    return Inversion(np.linspace(low, high, n), 100.0)


LOW, MIDDLE, HIGH = around(5, 20), around(30, 70), around(60, 90)
BEYOND = Inversion(np.full(119, np.inf), 100.0)


def judged(deterministic: Inversion, chess: Inversion, *, reference: str = "chess", **changed: Any) -> Verdict:
    yardstick = Yardstick(deterministic, chess, None, len(deterministic.solutions), Reference(reference))
    settings: dict[str, Any] = {
        "yardstick": yardstick,
        "pairing": RANDOM,
        "checks": (),
        "n_regulars": 100,
        "min_matches": 25,
        "primary": {"cutoffs": [25]},
    }
    return judge(**(settings | changed))


@pytest.mark.parametrize(
    ("deterministic", "chess", "answer"),
    [
        (HIGH, HIGH, "skill"),
        (HIGH, BEYOND, "skill"),
        (BEYOND, BEYOND, "skill"),
        (LOW, LOW, "chance"),
        (LOW, HIGH, "depends"),
        (LOW, BEYOND, "depends"),
        (HIGH, LOW, "depends"),
        (MIDDLE, HIGH, "cannot tell"),
        (LOW, MIDDLE, "cannot tell"),
        (MIDDLE, MIDDLE, "cannot tell"),
        (around(50, 60), HIGH, "skill"),
        (around(49.9, 60, 19), HIGH, "cannot tell"),
    ],
)
def test_both_intervals_decide(deterministic: Inversion, chess: Inversion, answer: str) -> None:
    verdict = judged(deterministic, chess)
    assert verdict.answer == Yardstick(deterministic, chess, None, 119, Reference()).answer == answer
    assert verdict.p_deterministic is not None
    assert verdict.p_chess is not None


@pytest.mark.parametrize(
    ("interval", "side"),
    [((50.1, 60), "skill"), ((50, 60), ""), ((10, 49.9), "chance"), ((10, 50), ""), ((100, np.inf), "skill")],
)
def test_an_interval_that_holds_50_takes_no_side(interval: tuple[float, float], side: str) -> None:
    assert side_of(interval) == side


def test_skill_and_chance_are_said_with_the_larger_p_value() -> None:
    verdict = judged(HIGH, around(45, 90))
    assert verdict.p_deterministic == 1 / 120
    assert verdict.p_chess == pytest.approx(15 / 120)
    assert judged(HIGH, HIGH).statement == (
        "Skill predominates, by both yardsticks: a half-skill, half-coin game would look like this less than once in "
        "100 tries."
    )
    assert judged(LOW, LOW).statement == (
        "Chance predominates, by both yardsticks: a half-skill, half-coin game would look like this less than once in "
        "100 tries."
    )


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (119, "less than once in 100 tries"),
        (99, "like this at most once in 100 tries"),
        (59, "less than once in 50 tries"),
        (39, "less than once in 20 tries"),
        (19, "like this at most once in 20 tries"),
    ],
)
def test_a_p_value_is_a_bound_where_it_is_the_least_that_can_be_shown(n: int, words: str) -> None:
    assert words in judged(around(60, 90, n), around(70, 90, n)).statement


def test_the_p_value_is_that_of_a_direct_count() -> None:
    solutions = np.sort(np.random.default_rng(1).normal(52, 3, 119))
    verdict = judged(Inversion(solutions), HIGH)
    assert verdict.p_deterministic == (1 + int((solutions <= 50).sum())) / 120
    below = Inversion(np.sort(100 - solutions))
    assert judged(below, LOW).p_deterministic == verdict.p_deterministic


def test_depends_says_beside_what() -> None:
    statement = judged(LOW, HIGH).statement
    assert statement == (
        "It depends on the yardstick: compared with chess, skill predominates (75% [61, 89] chess); compared with pure "
        "skill, chance predominates (12% [5, 20] skill)."
    )
    assert "compared with Go" in judged(LOW, HIGH, reference="Go").statement


def test_cannot_tell_says_where_the_interval_holds_the_line() -> None:
    either = "the record fits games of more than half skill as well as games of less"
    assert f"skill predominates (75% [61, 89] chess), but compared with pure skill {either}" in (
        judged(MIDDLE, HIGH).statement
    )
    assert f"compared with chess {either}" in judged(LOW, MIDDLE).statement
    assert f"cannot tell: {either} (50% [31, 69] skill, 50% [31, 69] chess)" in judged(MIDDLE, MIDDLE).statement


@pytest.mark.parametrize(
    ("inversion", "words"),
    [
        (around(37, 41), "39% [37, 41]"),
        (around(3, 5), "4.0% [3.0, 5.0]"),
        (BEYOND, "more than 100%"),
        (Inversion(np.array([90.0, 95, 98, np.inf]), 100.0), "95% [90, > 100]"),
        (Inversion(np.zeros(19), 100.0, True), "0.0% [0.0, 0.0]"),
    ],
)
def test_x_in_words(inversion: Inversion, words: str) -> None:
    assert inversion.share.in_words == words


def test_too_few_regulars_are_refused_whatever_they_show() -> None:
    verdict = judged(HIGH, HIGH, n_regulars=FEWEST_REGULARS - 1)
    assert verdict.answer == "cannot tell"
    assert verdict.statement == (
        "These data cannot tell: only 9 players have 25 matches or more, and at least 10 are needed."
    )
    assert verdict.p_deterministic is verdict.p_chess is None
    assert judged(HIGH, HIGH, n_regulars=FEWEST_REGULARS).answer == "skill"


def test_pairing_that_is_too_close_is_refused() -> None:
    close = Pairing(detected=True, correlation=0.9, n_directions=3, p_value=0.0, follows=True)
    verdict = judged(HIGH, HIGH, pairing=close)
    assert verdict.answer == "cannot tell"
    assert "correlate at 0.90; above 0.75 no benchmark is recovered" in verdict.statement
    both = judged(HIGH, HIGH, pairing=close, n_regulars=3)
    assert len(both.reasons) == 2


def test_without_a_yardstick_there_is_nothing_to_weigh() -> None:
    verdict = judged(HIGH, HIGH, yardstick=None)
    assert verdict.answer == "cannot tell"
    assert "nothing to compare" in verdict.statement


def test_pairing_is_among_the_reasons() -> None:
    paired = Pairing(detected=True, correlation=0.45, n_directions=1, p_value=1e-9, follows=True)
    assert any("correlate at 0.45" in reason for reason in judged(HIGH, HIGH, pairing=paired).reasons)
    pools = Pairing(detected=True, correlation=0.0, n_directions=1, p_value=0.4, follows=False)
    assert any(
        "whether they follow strength is open (p = 0.4)" in reason
        for reason in judged(HIGH, HIGH, pairing=pools).reasons
    )
    assert any("pairings look random" in reason for reason in judged(HIGH, HIGH).reasons)


def checked(*answers: str | None) -> tuple[Check, ...]:
    """Checks of a game of skill with these answers; None for one without."""
    return tuple(
        Check("half", f"check {number}", 100, 50, answer=answer, agrees=None if answer is None else answer == "skill")
        for number, answer in enumerate(answers)
    )


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (("skill", "skill", None), "both checks agree"),
        (("skill", None), "the one check agrees"),
        (("skill", "cannot tell"), "1 of 2 checks agrees, 1 cannot tell"),
        (
            ("skill", "chance", "cannot tell"),
            "1 of 3 checks agrees, 1 cannot tell, 1 disagrees: check 1 (chance)",
        ),
        (
            ("depends", "chance"),
            "0 of 2 checks agree, 2 disagree: check 0 (depends), check 1 (chance)",
        ),
    ],
)
def test_checks_are_counted_in_words(answers: tuple[str | None, ...], words: str) -> None:
    verdict = judged(HIGH, HIGH, checks=checked(*answers))
    assert verdict.reasons[-1] == words
    assert len(verdict.checks) == len(answers)


def test_no_checks_are_no_reason() -> None:
    assert not any("checks" in reason for reason in judged(HIGH, HIGH, checks=checked(None)).reasons)


def test_the_primary_analysis_has_one_hash_and_another_analysis_another() -> None:
    one, same, other = (
        judged(HIGH, HIGH, primary=choices).primary
        for choices in ({"a": 1, "b": [2]}, {"b": [2], "a": 1}, {"a": 1, "b": [3]})
    )
    assert one == same != other
    assert len(one) == 16
    # what was found does not enter
    assert judged(LOW, LOW, primary={"a": 1, "b": [2]}).primary == one
