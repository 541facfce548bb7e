"""A measurement in plain words, and the reasons for what it does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ludometer.measurement.benchmarks.reference import neighbours
from ludometer.measurement.verdict.verdict import describe
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.measurement.measurement import Measurement
    from ludometer.measurement.spread.persistence import Persistence
    from ludometer.measurement.spread.spread import Spread


_WIDE = "the record spreads more than the whole family of games does on this schedule"
_SERIES = "a series of games as one is another question"


def answer_lines(game: Measurement) -> list[str]:
    """At most a screen: skill, where it stands, the fit, the verdict and its cautions."""
    main = game.main
    if main.sd is None or main.p_sd is None or main.p_1_99 is None:
        return [f"Skill      cannot be told: {main.n:,} players have {main.min_matches} matches or more"]
    interval = "" if main.sd_interval is None else f" [{main.sd_interval[0]:.1f}, {main.sd_interval[1]:.1f}]"
    lines = [
        f"Skill      SD of ratings {main.sd:.1f}{interval}     a player one SD better scores {percent(main.p_sd)}     "
        f"the best 1% score {percent(main.p_1_99)} against the worst 1%",
        f"           {_repeats(main)}",
        *_luck(game),
        *_stands(game, main.sd),
        *_fit(game),
    ]
    verdict = game.verdict
    if verdict is not None:
        lines.append(f"Verdict    {verdict.statement}")
        lines += [f"           {reason[0].upper()}{reason[1:]}." for reason in verdict.reasons[2:]]
    return lines


def _luck(game: Measurement) -> list[str]:
    """L and l2, and how certain the latter is."""
    luck = game.luck
    if luck is None or (luck.ridge is None and luck.population is None):
        return []
    parts = []
    if luck.population is not None:
        found = luck.population
        low, high = found.l2_interval
        parts.append(f"ℓ² {found.l2:.3f} [{low:.3f}, {high:.3f}] of the variance behind results")
        if not found.converged:
            parts[-1] += f" (only {found.ess:,.0f} effective draws, R-hat {found.rhat:.2f})"
    if luck.ridge is not None:
        # beside the population's ℓ² that of the fitted skills would only confuse: the report has it, and says why
        parts += [] if parts else [f"ℓ² by penalised skills {luck.ridge.l2:.3f}"]
        parts.append(f"L {luck.ridge.luck:.3f} of their information")
    return [f"Luck       {'     '.join(parts)}     (1: all luck)"]


def describe_place(sd: float) -> str:
    """Where an SD stands among the published games, in words.

    >>> describe_place(200.0)
    'between Tennis (218.8) and Chess (171.7) on the published scale'
    """
    above, below = neighbours(sd)
    if above and below:
        return f"between {above.label} ({above.sd:g}) and {below.label} ({below.sd:g}) on the published scale"
    if below:
        return f"above all published games (the highest is {below.label}, {below.sd:g})"
    return f"below all published games (the lowest is {above.label}, {above.sd:g})" if above else "nowhere"


def absences(game: Measurement) -> dict[str, str]:
    """What is null in the result, and why."""
    reasons: dict[str, str] = {}
    quick = (
        "left out by --quick"
        if game.main.share == 1
        else "left out with --share: benchmarks are played with the usual expectation"
    )
    is_quick = game.provenance.seed is None
    unknown = quick if is_quick else "there is no SD to compare with, or no best fit in games simulated like the record"
    for place, spread in enumerate(game.spread):
        few = f"fewer than two players have {spread.min_matches} matches"
        even = "one SD better is hardly better than even: no number is enough"
        reasons |= _nulls(f"spread.{place}", spread, few if spread.sd is None else even)
        for name in ("sd_interval", "p_sd_interval", "rep_interval"):
            if getattr(spread, name) is None:
                reasons[f"spread.{place}.{name}"] = few if spread.sd is None else unknown
        for end, rep in enumerate(spread.rep_interval or ()):
            if rep is None:
                reasons[f"spread.{place}.rep_interval.{end}"] = even
    if game.k_interval is None:
        reasons["best_fit.k_interval"] = unknown
    few, exact = "too few regulars, or results that do not vary", "past averages tell all results exactly"
    reasons |= _nulls("persistence", game.persistence, few if game.persistence.slope is None else exact)
    if game.ratio_to_sd is None:
        reasons["matchmaking.ratio_to_sd"] = "there is no SD to compare with"
    if game.ratio_if_random is None:
        reasons["matchmaking.ratio_if_random"] = (
            quick if is_quick else "there is no SD to compare with, in the record or in games simulated like it"
        )
    for name, value in zip(("x_deterministic", "x_chess"), game.published, strict=True):
        if value is None:
            reasons[f"yardstick.published.{name}"] = (
                "there is no SD" if game.main.sd is None else "the SD is above the published line"
            )
    return reasons | _yardstick_absences(game, unknown) | _verdict_absences(game, quick) | _luck_absences(game, quick)


def _luck_absences(game: Measurement, quick: str) -> dict[str, str]:
    luck = game.luck
    if luck is None:
        return {"luck": quick}
    reasons, several = dict(luck.absent), "more than two players"
    if luck.ridge is not None and luck.ridge.per_match > 2:
        reasons |= {f"luck.ridge.{name}": several for name in ("t", "path")}
        reasons |= {f"luck.{name}": several for name in ("matchmaking", "season")}
    elif luck.ridge is None:
        same = luck.absent["luck.ridge"]
        reasons |= {f"luck.{name}": same for name in ("matchmaking", "season", "skill_chain", "repetitions")}
    else:
        endless = "even a billion games would not be enough"
        reasons |= {
            f"luck.repetitions.{name}": endless
            for name in ("one_sd", "top_against_bottom")
            if getattr(luck.ridge.repetitions, name) is None
        }
    if luck.population is not None:
        if game.players_per_match[2] > 2:
            reasons["luck.bayes.t"] = several
        if luck.population.other_prior is None:
            reasons["luck.bayes.other_prior"] = "not compared"
        if luck.halves is None:
            reasons["luck.bayes.halves"] = "a half of the record has no decided match"
        if luck.population.rhat == float("inf"):
            reasons["luck.bayes.rhat"] = "the draws do not vary"
    if luck.variance_ratio is None:
        reasons["luck.mauboussin"] = several
    elif luck.variance_ratio.luck == float("inf"):
        reasons["luck.mauboussin.luck"] = "all win rates are equal"
    return reasons


def _yardstick_absences(game: Measurement, unknown: str) -> dict[str, str]:
    if game.yardstick is None:
        return {"yardstick.matched": unknown}
    reasons = {}
    for name, inversion in (
        ("x_deterministic", game.yardstick.deterministic),
        ("x_chess", game.yardstick.chess),
        ("sd_of_skills", game.yardstick.skill),
    ):
        if inversion is None:
            continue
        if inversion.estimate == float("inf"):
            reasons[f"yardstick.matched.{name}"] = _WIDE
        for place, end in enumerate(inversion.interval):
            if end == float("inf"):
                reasons[f"yardstick.matched.{name}_interval.{place}"] = _WIDE
    return reasons


def _verdict_absences(game: Measurement, quick: str) -> dict[str, str]:
    if game.verdict is None:
        return {"verdict": quick}
    reasons = {}
    if game.verdict.p_deterministic is None:
        reasons = {f"verdict.p_values.{name}": "the verdict is refused" for name in ("deterministic", "chess")}
    for place, check in enumerate(game.verdict.checks):
        few = f"there is no best fit, or too few players count: {check.counted:,}"
        for name, value in vars(check).items():
            if value is None:
                told = _SERIES if name == "agrees" and check.answer is not None else _WIDE
                reasons[f"verdict.checks.{place}.{name}"] = few if check.sd is None else told
            if name.endswith("_interval"):
                ends = enumerate(value or ())
                reasons |= {f"verdict.checks.{place}.{name}.{end}": _WIDE for end, at in ends if at == float("inf")}
    return reasons


def _stands(game: Measurement, sd: float) -> list[str]:
    place = describe_place(sd)
    if game.yardstick is None:
        return [f"Stands     {place}"]
    matched, name = game.yardstick, game.reference.name
    shares = [
        f"like {describe(inversion)} {of}" + (", the rest coins" if np.isfinite(inversion.estimate) else "")
        for inversion, of in ((matched.deterministic, "strength"), (matched.chess, name))
    ]
    lines = [f"Stands     on this schedule {'; '.join(shares)}", f"           {place}"]
    if matched.skill is not None and np.isfinite(matched.skill.estimate):
        low, high = matched.skill.interval
        end = f"{high:.0f}" if np.isfinite(high) else "more"
        lines[1] += f"; skills like these have an SD of {matched.skill.estimate:.0f} [{low:.0f}, {end}]"
    return lines


def _fit(game: Measurement) -> list[str]:
    fit, past = game.best_fit, game.persistence
    rival = "a coin" if game.players_per_match[2] == 2 else "all equal"
    lines = [
        f"Fit        k {fit.k:.4g}, loss {fit.loss:.4f} ({rival}: {fit.loss_at_zero:.4f})     "
        f"players who met were {game.mean_rating_difference:.0f} points apart"
        + ("" if fit.converged else "     the best k lies beyond the search")
    ]
    if past.slope is not None and past.std_error is not None:
        lines.append(
            f"Persists   {past.slope:.3f} of a past lead goes on (standard error {past.std_error:.3f}; chance: 0)"
        )
    return lines


def _repeats(spread: Spread) -> str:
    if spread.rep is None:
        return "no number of games would tell a player one SD better from his opponent"
    if spread.rep == 1:
        return "one game is enough for such a player to win with more than 75% probability"
    return f"such a player needs {spread.rep:,} games to win most of them with more than 75% probability"


def _nulls(place: str, values: Spread | Persistence, reason: str) -> dict[str, str]:
    return {
        f"{place}.{name}": reason
        for name, value in vars(values).items()
        if value is None and not name.endswith("_interval")
    }
