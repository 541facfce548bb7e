"""The verdict: what a measurement simulates to reach it, the answer, and the reasons in plain words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.matches import Matches, Pairs
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
    Repetition,
    Yardstick,
    make_schedule,
    make_target,
    match_yardstick,
    repeat_play,
    repeats_for,
    replicates_for,
    side_of,
)
from ludometer.measurement.planning import (
    BEST_FIT,
    CHECKS,
    LIKELIHOOD,
    LUCK,
    MORE,
    PAIRING,
    RANDOM,
    REPEATS,
    RUNGS,
    STAGES,
    YARDSTICKS,
    Timekeeper,
    rungs_up_to,
)
from ludometer.measurement.record.pairing import TOO_CLOSE, Pairing, ratio_if_random, study_pairing
from ludometer.measurement.record.seats import SeatAdvantage
from ludometer.measurement.verdict.checks import MATCHED_BRANCH, PAIRING_BRANCH, Check, Primary, plan_checks, run_checks
from ludometer.measurement.verdict.routes import LIKELIHOOD as BY_LIKELIHOOD
from ludometer.measurement.verdict.routes import Basis, Routes, hold, take_routes
from ludometer.measurement.verdict.wording import warn_of_close_pairing
from ludometer.parallel import Workers
from ludometer.progress import Stage
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.measurement.measurement import Measurement
    from ludometer.measurement.spread import Spread

_PAIRING, _MATCHED, _REPEATED, _ROUTES = PAIRING_BRANCH, MATCHED_BRANCH, 3, 4
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
    routes: Routes | None = None
    """Ways to x, and the better player's share; None where there is nothing to compare, or there was no time."""


@dataclass(frozen=True)
class Simulation:
    """What is simulated on: the connected matches, and the caller's choices."""

    matches: Matches
    whole: Matches | None
    """All matches, where some were left out for not being connected."""
    reference: Reference | None
    replicates: int | None
    seed: int
    workers: Workers
    keeper: Timekeeper
    seats: SeatAdvantage | None = None
    """What the better seat is worth in every expectation."""
    fresh: Matches | None = None
    """One match of each session, where results within sessions depend on each other: the verdict rests on these."""
    is_brief: bool = False
    """Only what the verdict rests on."""

    @property
    def basis(self) -> Matches:
        """What the verdict rests on."""
        return self.matches if self.fresh is None else self.fresh

    @property
    def wanted(self) -> int:
        """Replicates for the answer."""
        return self.replicates or replicates_for(len(self.matches))[0]

    def stages(self) -> dict[str, Stage]:
        """What is simulated, as far as it is known beforehand, in the order in which it is done."""
        extent, n_matches = self.keeper.extent, len(self.matches)
        games = {
            YARDSTICKS: 3 * (self.wanted + GROUP),
            # two families, at both ends of an interval, each pair of games twice
            REPEATS: 8 * repeats_for(n_matches),
            CHECKS: _usual_checks(extent.is_two_player) * _games_of_check(replicates_for(n_matches)[1]),
        }
        return {name: extent.stage(name, games.get(name, 0)) for name in STAGES if name != BEST_FIT}


def _games_of_check(replicates: int) -> int:
    return 2 * (replicates + GROUP)


def _usual_checks(is_two_player: bool) -> float:
    """Checks in records: parts of the record count as the part that they are."""
    return 8.5 if is_two_player else 6.0


@dataclass(frozen=True)
class Matched:
    """The record held against the yardsticks; None where there is nothing to compare, or no time."""

    pairing: Pairing | None = None
    target: Target | None = None
    yardstick: Yardstick | None = None
    routes: Routes | None = None
    """None where there was no time for the likelihood."""
    left_out: bool = False
    """There was no time for the yardsticks."""


@dataclass(frozen=True)
class Analysis:
    """What the simulations found; None where there is nothing to compare."""

    verdict: Verdict | None
    yardstick: Yardstick | None = None
    pairing: Pairing | None = None
    sd_intervals: tuple[Interval | None, ...] | None = None
    k_interval: Interval | None = None
    ratio_if_random: float | None = None
    left_out: tuple[str, ...] = ()
    """Stages that there was no time for."""
    checks_left_out: tuple[str, ...] = ()


def match_record(game: Measurement, simulation: Simulation) -> Matched:
    """Match the yardsticks; where the better players may be listed first, as if it were a seat too."""
    matched = _match_once(game, simulation)
    seats, is_two_player = simulation.seats, isinstance(simulation.basis.table, Pairs)
    if matched.routes is None or matched.yardstick is None or seats is None or not seats.misleads or not is_two_player:
        return matched
    seated = _match_once(game, replace(simulation, seats=replace(seats, applied=True)))
    if seated.yardstick is None:
        return matched
    routes = replace(matched.routes, seated=seated.yardstick, yardstick=hold(matched.yardstick, seated.yardstick))
    return replace(matched, routes=routes, yardstick=routes.yardstick)


def _match_once(game: Measurement, simulation: Simulation) -> Matched:
    """Study the pairing and match the yardsticks: with as many replicates as there is time for."""
    main, matches, keeper = game.main, simulation.basis, simulation.keeper
    if main.sd is None or (main.n < FEWEST_REGULARS and main.n < 3):
        return Matched()
    stages = simulation.stages()
    if keeper.budget is not None and not keeper.fits(stages[PAIRING], _yardsticks(simulation, RUNGS[0])):
        return Matched(left_out=True)
    with keeper.progress.stage(PAIRING):
        pairing = study_pairing(matches, seed=[simulation.seed, _PAIRING])
    target = _aim(game, simulation, pairing)

    def match(replicates: int, stage: str = YARDSTICKS) -> Yardstick:
        with keeper.progress.stage(stage):
            return match_yardstick(
                target,
                reference=(simulation.reference or Reference()).for_pairing(pairing),
                draws=game.data.draw_rate,
                replicates=replicates,
                seed=[simulation.seed, _MATCHED],
                workers=simulation.workers,
            )

    yardstick = match(simulation.wanted) if keeper.budget is None else _match_in_time(simulation, match)
    if yardstick is None:
        return Matched(pairing, target, None, left_out=True)
    if not np.isfinite(target.sd) or not keeper.fits(stages[LIKELIHOOD]):
        return Matched(pairing, target, yardstick)
    basis = Basis(
        matches,
        target.counted,
        game.data.prizes,
        max(target.k, 0.1),
        simulation.seats if simulation.seats is not None and simulation.seats.applied else None,
        [simulation.seed, _ROUTES],
        simulation.workers,
    )
    with keeper.progress.stage(LIKELIHOOD):
        backwards = _measure_backwards(target, yardstick, basis)
        routes = take_routes(yardstick, pairing, basis, backwards)
    return Matched(pairing, target, routes.yardstick, routes)


def _measure_backwards(target: Target, yardstick: Yardstick, basis: Basis) -> float | None:
    """How many points of x more the record shows when it is played backwards: many where the schedule reacts."""
    x, slope = yardstick.deterministic.estimate, yardstick.deterministic.slope
    if not (target.sd > 0 and np.isfinite(x) and slope):
        return None
    back = make_target(basis.matches.backwards(), basis.counted, basis.prizes, k=basis.k, seats=basis.seats)
    if not back.sd > 0:
        return -x
    return float(x * ((back.sd / target.sd) ** (1 / slope) - 1))


def _aim(game: Measurement, simulation: Simulation, pairing: Pairing) -> Target:
    """What is matched: the spread of those who count, seats allowed for, one match of each session."""
    main, scale, matches, prizes = game.main, game.scale_factor, simulation.basis, game.data.prizes
    counted, k = game.data.played >= main.min_matches, game.best_fit.k / scale
    if simulation.fresh is None and (simulation.seats is None or not simulation.seats.applied):
        assert main.sd is not None
        schedule = make_schedule(matches, prizes)
        return Target(schedule, counted, main.sd / scale, k, pairing.skills, pairing.weight)
    seats = simulation.seats if simulation.seats is not None and simulation.seats.applied else None
    return make_target(matches, counted, prizes, pairing=pairing, k=max(k, 0.1), seats=seats)


def _match_in_time(simulation: Simulation, match: Callable[[int, str], Yardstick]) -> Yardstick | None:
    """Few replicates first, then as many as leave time for the rest; those of the first are not played again."""
    keeper, rungs, stages = simulation.keeper, rungs_up_to(simulation.wanted), simulation.stages()
    first = next((rung for rung in reversed(rungs[:2]) if keeper.fits(_yardsticks(simulation, rung))), None)
    if first is None:
        return None
    rest = [stages[name] for name in (LUCK, REPEATS, RANDOM, CHECKS)]
    keeper.progress.plan([_yardsticks(simulation, first), *rest])
    yardstick = match(first, YARDSTICKS)
    for rung in reversed([rung for rung in rungs if rung > first]):
        more = replace(_yardsticks(simulation, rung - first), name=MORE)
        if keeper.fits(more, *rest):
            keeper.progress.plan([more, *rest])
            return match(rung, MORE)
    return yardstick


def _yardsticks(simulation: Simulation, replicates: int) -> Stage:
    return simulation.keeper.extent.stage(YARDSTICKS, 3 * (replicates + GROUP))


def analyse(game: Measurement, simulation: Simulation, matched: Matched) -> Analysis:
    """Find the intervals, judge, run the checks: in this order."""
    main, scale, keeper = game.main, game.scale_factor, simulation.keeper
    target, pairing, yardstick = matched.target, matched.pairing, matched.yardstick

    def judged(checks: Sequence[Check] = (), n_left_out: int = 0) -> Verdict:
        return judge(
            yardstick,
            pairing,
            checks,
            routes=matched.routes,
            n_left_out=n_left_out,
            n_regulars=main.n,
            min_matches=main.min_matches,
            primary=game.provenance.parameters,
        )

    if matched.left_out:
        shown = None if pairing is None else replace(pairing, skills=None)
        return Analysis(None, pairing=shown, left_out=(YARDSTICKS, LIKELIHOOD, REPEATS, RANDOM, CHECKS))
    if target is None or yardstick is None or pairing is None:
        return Analysis(judged(), ratio_if_random=_meet_anybody(game, simulation))
    if simulation.is_brief:
        return Analysis(judged(), yardstick, replace(pairing, skills=None))
    left_out: list[str] = [] if matched.routes is not None else [LIKELIHOOD]
    repeated = None
    counted = [entry for entry in game.spread if entry.sd is not None]
    if keeper.fits(simulation.stages()[REPEATS]):
        repeated = _repeat(game, simulation, matched, counted)
    else:
        left_out.append(REPEATS)
    known = () if repeated is None else repeated.sd_intervals
    intervals = dict(zip((entry.min_matches for entry in counted), known, strict=False))
    random = None
    if keeper.fits(simulation.stages()[RANDOM]):
        random = _meet_anybody(game, simulation)
    else:
        left_out.append(RANDOM)
    verdict = judged()
    missing: tuple[str, ...] = ()
    if verdict.p_deterministic is not None:
        checks, missing = _check(game, simulation, matched, verdict.answer)
        verdict = judged(checks, len(missing))
        if missing and not checks:
            left_out.append(CHECKS)
    return Analysis(
        verdict,
        yardstick,
        replace(pairing, skills=None),
        tuple(_scaled(intervals.get(entry.min_matches), scale) for entry in game.spread),
        None if repeated is None else _scaled(repeated.k_interval, scale),
        random,
        tuple(left_out),
        missing,
    )


def _repeat(game: Measurement, simulation: Simulation, matched: Matched, counted: Sequence[Spread]) -> Repetition:
    """On the schedule as it is: the published measures are of all matches, seats alike."""
    assert matched.yardstick is not None
    assert matched.target is not None
    yardstick = matched.yardstick if matched.routes is None else matched.routes.spread
    assert yardstick.skill is not None
    main, scale = game.main, game.scale_factor
    target = replace(matched.target, schedule=make_schedule(simulation.matches, game.data.prizes))
    if main.sd is not None:
        target = replace(target, sd=main.sd / scale, k=game.best_fit.k / scale)
    with simulation.keeper.progress.stage(REPEATS):
        return repeat_play(
            target,
            yardstick.skill,
            deterministic=yardstick.deterministic,
            groups=np.stack([game.data.played >= entry.min_matches for entry in counted]),
            sds=[entry.sd / game.scale_factor for entry in counted if entry.sd is not None],
            draws=game.data.draw_rate,
            pairs=repeats_for(len(simulation.matches)),
            seed=[simulation.seed, _REPEATED],
            workers=simulation.workers,
        )


def _meet_anybody(game: Measurement, simulation: Simulation) -> float | None:
    """What random opponents would show."""
    if not game.main.sd:
        return None
    with simulation.keeper.progress.stage(RANDOM):
        return ratio_if_random(
            simulation.matches,
            sd=game.main.sd / game.scale_factor,
            min_matches=game.main.min_matches,
            prizes=game.data.prizes,
            seed=simulation.seed,
        )


def _check(
    game: Measurement, simulation: Simulation, matched: Matched, answer: Answer
) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """The checks that there is time for, and the names of the others."""
    assert matched.yardstick is not None
    assert matched.pairing is not None
    spread = matched.yardstick if matched.routes is None else matched.routes.spread
    assert spread.skill is not None
    keeper, matches = simulation.keeper, simulation.basis
    primary = Primary(
        matches=matches,
        k=max(game.best_fit.k / game.scale_factor, 0.1),
        min_matches=game.main.min_matches,
        prizes=game.data.prizes,
        reference=simulation.reference or Reference(),
        pairing=matched.pairing,
        skill=min(spread.skill.estimate, Skilled.highest),
        replicates=replicates_for(len(matches))[1],
        seed=[simulation.seed],
        whole=simulation.whole,
        answer=answer,
        yardstick=spread,
        seats=simulation.seats,
        played=game.data.played,
        by_likelihood=matched.routes is not None and matched.routes.taken == BY_LIKELIHOOD,
    )
    plans = plan_checks(primary)
    records = sum(1.0 if plan.kept is None else plan.kept.share for plan in plans)
    games = records * _games_of_check(primary.replicates)
    stage = keeper.extent.stage(CHECKS, games)
    # one check is done by one worker
    one = replace(keeper.extent, jobs=1).stage(CHECKS, games / max(len(plans), 1))
    keeper.progress.plan([stage])
    stop = None if keeper.budget is None else lambda: not keeper.fits(one)
    with keeper.progress.stage(CHECKS):
        checks = run_checks(primary, plans, workers=simulation.workers, stop=stop)
    return checks, tuple(plan.name for plan in plans[len(checks) :])


def _scaled(interval: Interval | None, factor: float) -> Interval | None:
    return None if interval is None else (interval[0] * factor, interval[1] * factor)


def judge(
    yardstick: Yardstick | None,
    pairing: Pairing | None,
    checks: Sequence[Check],
    *,
    routes: Routes | None = None,
    n_left_out: int = 0,
    n_regulars: int,
    min_matches: int,
    primary: dict[str, Any],
) -> Verdict:
    """Weigh both yardsticks; refuse where too few players count or where pairing by strength hides the spread.

    `n_left_out` checks were not run, for lack of time.
    """
    digest = hashlib.sha256(json.dumps(primary, sort_keys=True).encode()).hexdigest()[:16]
    refusals = [*_refusals(yardstick, pairing, routes, n_regulars, min_matches)]
    if refusals or yardstick is None:
        statement = f"These data cannot tell: {refusals[0]}."
        return Verdict(CANNOT_TELL, statement, None, None, tuple(refusals), tuple(checks), digest, routes)
    p_values = _p_value(yardstick.deterministic), _p_value(yardstick.chess)
    reasons = (
        *_share_reasons(yardstick, by_likelihood=routes is not None and routes.taken == BY_LIKELIHOOD),
        _pairing_reason(pairing),
        *(() if routes is None else routes.reasons),
        *_check_reasons(checks, n_left_out),
    )
    statement = warn_of_close_pairing(_state(yardstick, p_values), pairing)
    return Verdict(yardstick.answer, statement, *p_values, reasons, tuple(checks), digest, routes)


def _refusals(
    yardstick: Yardstick | None, pairing: Pairing | None, routes: Routes | None, n_regulars: int, min_matches: int
) -> list[str]:
    refusals = []
    if n_regulars < FEWEST_REGULARS:
        refusals.append(
            f"only {n_regulars} {'player has' if n_regulars == 1 else 'players have'} {min_matches} matches or more, "
            f"and at least {FEWEST_REGULARS} are needed"
        )
    if routes is not None:
        refusals += routes.refusals()
    if pairing is not None and not pairing.is_sound and (routes is None or routes.likelihood is None):
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


def _share_reasons(yardstick: Yardstick, *, by_likelihood: bool = False) -> tuple[str, str]:
    """What the two shares mean; a share beyond the whole benchmark is no share any more."""
    spread = "on random pairs ratings would spread" if by_likelihood else "ratings spread"
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
    return f"{spread} {first}", f"{spread} {second}"


def _pairing_reason(pairing: Pairing | None) -> str:
    if pairing is None or not pairing.detected:
        return "pairings look random"
    if not pairing.follows:
        return (
            f"pairings are not random; whether they follow strength is open (p = {pairing.p_value:.2g}): so they do in "
            f"{percent(pairing.weight, 0)} of the simulated games"
        )
    return (
        f"pairings are not random: the strengths of opponents correlate at {pairing.correlation:.2f}; "
        "the simulated players are paired in the same way"
    )


def _check_reasons(checks: Sequence[Check], n_left_out: int) -> list[str]:
    late = []
    if n_left_out:
        late = [f"{n_left_out} {'check was' if n_left_out == 1 else 'checks were'} left out for lack of time"]
    return [*_agreement(checks), *late]


def _agreement(checks: Sequence[Check]) -> list[str]:
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
