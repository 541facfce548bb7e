"""The JSON document of a measurement, and the reason for each of its nulls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ludometer.measurement.planning import RANDOM, REPEATS

if TYPE_CHECKING:
    from ludometer.measurement.luck.luck import LuckMetrics
    from ludometer.measurement.luck.population import PopulationLuck
    from ludometer.measurement.measurement import Measurement
    from ludometer.measurement.planning import WithinBudget
    from ludometer.measurement.spread import Persistence, Spread

_WIDE = "the record spreads more than the whole family of games does on this schedule"
_MULTIPLAYER = "only for two-player matches"


def describe_measurement(game: Measurement) -> dict[str, Any]:
    """All measures; what does not exist is null, and `absent` says why."""
    data, fit, met = game.data, game.best_fit, game.matchmaking
    absent = explain_absences(game)
    if game.is_quick:
        absent["provenance.seed"] = "nothing was simulated"
    return {
        "data": {
            "matches": data.n_matches,
            "players": data.n_players,
            "regulars": data.n_regulars,
            "dropped_matches": data.dropped_matches,
            "dropped_players": data.dropped_players,
            "draw_rate": data.draw_rate,
            "players_per_match": dict(zip(("min", "mean", "max"), data.players_per_match, strict=True)),
        },
        "record": game.record.document() | {"reactive": _reactive(game)},
        "edge": None if game.edge is None else game.edge.document(),
        "best_fit": {
            "k": fit.k,
            "k_interval": _interval(fit.k_interval),
            "loss": fit.loss,
            "loss_at_zero": fit.loss_at_zero,
            "passes": fit.passes,
        },
        "spread": [
            {name: value for name, value in vars(spread).items() if name != "share"}
            | {name: _interval(getattr(spread, name)) for name in ("sd_interval", "p_sd_interval", "rep_interval")}
            for spread in game.spread
        ],
        "matchmaking": {
            "mean_rating_difference": met.mean_rating_difference,
            "ratio_to_sd": met.ratio_to_sd,
            "ratio_if_random": met.ratio_if_random,
        },
        "persistence": vars(game.persistence),
        "luck": None if game.luck is None else _luck(game.luck, is_two_player=data.is_two_player),
        "one_better": _one_better(game),
        "yardstick": _yardstick(game),
        "verdict": _verdict(game),
        "legal": None if game.legal is None else [entry.document() for entry in game.legal.tests],
        **({} if game.budget is None else {"budget": _budget(game.budget)}),
        "absent": absent,
    }


def _reactive(game: Measurement) -> dict[str, Any] | None:
    """Whether the schedule was made by the results."""
    if game.routes is None:
        return None
    return {"difference_backwards": game.routes.backwards, "suspected": game.routes.suspected}


def _budget(budget: WithinBudget) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(budget).items()}


def _luck(luck: LuckMetrics, *, is_two_player: bool) -> dict[str, Any]:
    """L and l2, and the other measures of luck."""
    ridge, ratio = luck.ridge, luck.variance_ratio
    found: dict[str, Any] = {
        "corrected": _corrected(luck),
        "ridge": _ridge(luck),
        "bayes": _bayes(luck, is_two_player=is_two_player),
        "matchmaking": None,
        "season": None,
        "mauboussin": None if ratio is None else {"luck": _finite(ratio.luck), "balanced": ratio.balanced},
        "skill_chain": None,
        "repetitions": None,
    }
    if ridge is None:
        return found
    if ridge.as_played is not None and ridge.season is not None:
        found["matchmaking"] = {"L_as_played": ridge.as_played, "luck": ridge.as_played - ridge.luck}
        found["season"] = dict(zip(("matches", "luck"), ridge.season, strict=True))
    chain = {name: value for name, value in vars(ridge.chain).items() if name != "codes"}
    return found | {"skill_chain": chain, "repetitions": vars(ridge.repetitions)}


def _corrected(luck: LuckMetrics) -> dict[str, Any] | None:
    """Without the bias of fitted skills."""
    found = luck.corrected
    if found is None:
        return None
    return {
        "L": found.luck,
        "l2": found.l2,
        "intervals": {"L": list(found.luck_interval), "l2": list(found.l2_interval)},
        "variance": found.variance,
        "variance_interval": list(found.variance_interval),
        "per_match": found.per_match,
        "method": found.method,
    }


def _ridge(luck: LuckMetrics) -> dict[str, Any] | None:
    found = luck.ridge
    if found is None:
        return None
    path = found.path
    return {
        "model": found.model,
        "lambda": found.skills.ridge,
        "L": found.luck,
        "l2": found.l2,
        "t": found.skills.threshold if found.per_match == 2 else None,
        "per_match": found.per_match,
        "islands": found.skills.n_islands,
        "path": None
        if path is None
        else [{"lambda": value, "l2": l2} for value, l2 in zip(path.ridge.tolist(), path.l2.tolist(), strict=True)],
    }


def _bayes(luck: LuckMetrics, *, is_two_player: bool) -> dict[str, Any] | None:
    found = luck.population
    if found is None:
        return None
    other = found.other_prior
    return {
        "l2": found.l2,
        "l2_sd": found.l2_sd,
        "l2_interval": list(found.l2_interval),
        "sigma": found.sigma,
        "t": found.t if is_two_player else None,
        "rhat": _finite(found.rhat),
        "ess": _finite(found.ess),
        "prior": found.prior,
        "converged": found.converged,
        "other_prior": None if other is None else {"prior": other.prior, "l2": other.l2, "l2_sd": other.l2_sd},
        "halves": None if luck.halves is None else [half.l2 for half in luck.halves],
        "method": found.method,
        "bound": found.bound,
    }


def _one_better(game: Measurement) -> dict[str, Any] | None:
    """What being one SD better is worth: the figure that terminal and page show."""
    better = game.one_better
    if better is None:
        return None
    ends = {name: _interval(getattr(better, name)) for name in ("sd_interval", "p_interval", "rep_interval")}
    return vars(better) | ends


def _yardstick(game: Measurement) -> dict[str, Any]:
    x_deterministic, x_chess = game.published
    matched = game.yardstick
    found: dict[str, Any] | None = None
    if matched is not None:
        reference = {name: getattr(matched.reference, name) for name in ("name", "sd", "draws")}
        found = {"replicates": matched.replicates, "reference": reference}
        for name, inversion in matched.by_name().items():
            found[name] = None if inversion is None else _finite(inversion.estimate)
            found[f"{name}_interval"] = None if inversion is None else _interval(inversion.interval)
    return {"published": {"x_deterministic": x_deterministic, "x_chess": x_chess}, "matched": found}


def _verdict(game: Measurement) -> dict[str, Any] | None:
    verdict, pairing = game.verdict, game.matchmaking.pairing
    if verdict is None:
        return None
    return {
        "answer": verdict.answer,
        "statement": verdict.statement,
        "p_values": {"deterministic": verdict.p_deterministic, "chess": verdict.p_chess},
        "reasons": list(verdict.reasons),
        "matchmaking": {
            "detected": bool(pairing and pairing.detected),
            "corrected": bool(pairing and pairing.corrected),
            "correlation": pairing.correlation if pairing else 0.0,
        },
        "primary": verdict.primary,
        "checks": [
            vars(check)
            | {name: _interval(getattr(check, name)) for name in ("x_deterministic_interval", "x_chess_interval")}
            for check in verdict.checks
        ],
    }


def _interval(interval: Sequence[float | None] | None) -> list[float | None] | None:
    """[low, high]; an end beyond everything is null."""
    return None if interval is None else [None if end is None else _finite(end) for end in interval]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def explain_absences(game: Measurement) -> dict[str, str]:
    """What is null in the document, and why."""
    quick = (
        "left out by --quick"
        if game.main.share == 1
        else "left out with --share: benchmarks are played with the usual expectation"
    )
    nothing = "there is no SD to compare with, or no best fit in games simulated like the record"
    late = () if game.budget is None else game.budget.left_out
    if game.budget is not None:
        # what there was no time for is null for that reason
        quick = game.budget.reason
    unknown = quick if game.is_quick or REPEATS in late else nothing
    reasons = game.record.absent()
    for place, spread in enumerate(game.spread):
        few = f"fewer than two players have {spread.min_matches} matches"
        even = "a player one SD better scores hardly more than 50%: no number of games is enough"
        reasons |= _nulls(f"spread.{place}", spread, few if spread.sd is None else even)
        for name in ("sd_interval", "p_sd_interval", "rep_interval"):
            if getattr(spread, name) is None:
                reasons[f"spread.{place}.{name}"] = few if spread.sd is None else unknown
        for end, rep in enumerate(spread.rep_interval or ()):
            if rep is None:
                reasons[f"spread.{place}.rep_interval.{end}"] = even
    reasons |= _better_absences(game, unknown)
    if game.best_fit.k_interval is None:
        reasons["best_fit.k_interval"] = unknown
    few, exact = "too few regulars, or results that do not vary", "past averages determine all results exactly"
    reasons |= _nulls("persistence", game.persistence, few if game.persistence.slope is None else exact)
    if game.matchmaking.ratio_to_sd is None:
        reasons["matchmaking.ratio_to_sd"] = "there is no SD to compare with"
    if game.matchmaking.ratio_if_random is None:
        reasons["matchmaking.ratio_if_random"] = (
            quick
            if game.is_quick or RANDOM in late
            else "there is no SD to compare with, in the record or in games simulated like it"
        )
    for name, value in zip(("x_deterministic", "x_chess"), game.published, strict=True):
        if value is None:
            reasons[f"yardstick.published.{name}"] = (
                "there is no SD" if game.main.sd is None else "the SD is above the published line"
            )
    reasons |= _edge_absences(game, quick)
    legal = {"legal": quick} if game.legal is None else game.legal.absent()
    simulated = _yardstick_absences(game, unknown) | _verdict_absences(game, quick) | _luck_absences(game, quick)
    return reasons | simulated | legal


def _edge_absences(game: Measurement, quick: str) -> dict[str, str]:
    if game.routes is None:
        why = quick if game.is_quick or game.budget is not None else "there is no SD to compare with"
        return {"edge": why, "record.reactive": why}
    reasons = {}
    if game.routes.backwards is None:
        reasons["record.reactive.difference_backwards"] = "the ratings do not spread, or beyond all benchmarks"
    if game.edge is None:
        reasons["edge"] = (
            "results depend on the result just before, or rows are not in order of time"
            if game.routes.edge is not None
            else "nobody counts, all matches are ties, or the chains of draws do not settle"
        )
    elif game.edge.drift_per_year is None:
        reasons["edge.drift_per_year"] = "skills change, but times are not known"
    return reasons


def _better_absences(game: Measurement, unknown: str) -> dict[str, str]:
    better = game.one_better
    if better is None:
        return {"one_better": f"fewer than two players have {game.main.min_matches} matches"}
    even = "a player one SD better scores hardly more than 50%: no number of games is enough"
    reasons = {} if better.rep is not None else {"one_better.rep": even}
    for name in ("sd_interval", "p_interval", "rep_interval"):
        if getattr(better, name) is None:
            reasons[f"one_better.{name}"] = unknown
    reasons |= {
        f"one_better.rep_interval.{end}": even for end, rep in enumerate(better.rep_interval or ()) if rep is None
    }
    if better.sd_interval is not None and better.sd_interval[1] == math.inf:
        reasons["one_better.sd_interval.1"] = _WIDE
    return reasons


def _luck_absences(game: Measurement, quick: str) -> dict[str, str]:
    luck = game.luck
    if luck is None:
        return {"luck": quick}
    reasons = dict(luck.absent)
    if luck.ridge is None:
        names = ("matchmaking", "season", "skill_chain", "repetitions")
        reasons |= {f"luck.{name}": luck.absent["luck.ridge"] for name in names}
    else:
        if luck.ridge.per_match > 2:
            reasons["luck.ridge.t"] = _MULTIPLAYER
        if luck.ridge.path is None:
            reasons |= {f"luck.{name}": _MULTIPLAYER for name in ("ridge.path", "matchmaking", "season")}
        endless = "even a billion games would not be enough"
        reasons |= _nulls("luck.repetitions", luck.ridge.repetitions, endless)
    if luck.population is not None:
        reasons |= _population_absences(luck, luck.population, is_two_player=game.data.is_two_player)
    if luck.variance_ratio is None:
        reasons["luck.mauboussin"] = _MULTIPLAYER
    elif luck.variance_ratio.luck == math.inf:
        reasons["luck.mauboussin.luck"] = "all win rates are equal"
    return reasons


def _population_absences(luck: LuckMetrics, found: PopulationLuck, *, is_two_player: bool) -> dict[str, str]:
    reasons = {}
    if not is_two_player:
        reasons["luck.bayes.t"] = _MULTIPLAYER
    if found.other_prior is None:
        reasons["luck.bayes.other_prior"] = "not compared"
    if luck.halves is None:
        reasons["luck.bayes.halves"] = "one half of the record has no decided match"
    if found.method == "evidence":
        reasons |= {f"luck.bayes.{name}": "there are no draws: the evidence is integrated" for name in ("rhat", "ess")}
    else:
        reasons["luck.bayes.bound"] = "draws have effective draws instead"
    if found.rhat == math.inf:
        reasons["luck.bayes.rhat"] = "the draws do not vary"
    return reasons


def _yardstick_absences(game: Measurement, unknown: str) -> dict[str, str]:
    if game.yardstick is None:
        return {"yardstick.matched": unknown}
    reasons = {}
    for name, inversion in game.yardstick.by_name().items():
        if inversion is None:
            continue
        if inversion.estimate == math.inf:
            reasons[f"yardstick.matched.{name}"] = _WIDE
        for place, end in enumerate(inversion.interval):
            if end == math.inf:
                reasons[f"yardstick.matched.{name}_interval.{place}"] = _WIDE
    return reasons


def _verdict_absences(game: Measurement, quick: str) -> dict[str, str]:
    if game.verdict is None:
        return {"verdict": quick}
    reasons = {}
    if game.is_refused:
        reasons = {f"verdict.p_values.{name}": "the verdict is refused" for name in ("deterministic", "chess")}
    for place, check in enumerate(game.verdict.checks):
        few = f"there is no best fit, or too few players count: {check.counted:,}"
        for name, value in vars(check).items():
            if value is None:
                is_unit = name == "agrees" and check.answer is not None
                found = "a series of games as one is another question" if is_unit else _WIDE
                reasons[f"verdict.checks.{place}.{name}"] = few if check.sd is None else found
            if name.endswith("_interval"):
                ends = enumerate(value or ())
                reasons |= {f"verdict.checks.{place}.{name}.{end}": _WIDE for end, at in ends if at == math.inf}
    return reasons


def _nulls(place: str, values: Spread | Persistence | object, reason: str) -> dict[str, str]:
    return {
        f"{place}.{name}": reason
        for name, value in vars(values).items()
        if value is None and not name.endswith("_interval")
    }
