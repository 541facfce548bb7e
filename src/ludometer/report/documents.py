"""Results as JSON documents, the contract with other programs; `schemas/` describes each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ludometer.measurement import Comparison, LuckMetrics, Measurement
from ludometer.result import Provenance


def measurement_document(measurement: Measurement) -> dict[str, Any]:
    """The measures of a game; what is not there is null, and `absent` says why."""
    fit, past = measurement.best_fit, measurement.persistence
    absent = measurement.absent()
    if measurement.provenance.seed is None:
        absent["provenance.seed"] = "nothing was simulated"
    fewest, mean, most = measurement.players_per_match
    return {
        "data": {
            "matches": measurement.n_matches,
            "players": measurement.n_players,
            "regulars": measurement.n_regulars,
            "dropped_matches": measurement.dropped_matches,
            "dropped_players": measurement.dropped_players,
            "draw_rate": measurement.draw_rate,
            "players_per_match": {"min": fewest, "mean": mean, "max": most},
        },
        "best_fit": {
            "k": fit.k,
            "k_interval": _interval(measurement.k_interval),
            "loss": fit.loss,
            "loss_at_zero": fit.loss_at_zero,
            "passes": fit.passes,
        },
        "spread": [
            {name: value for name, value in vars(spread).items() if name != "share"}
            | {name: _interval(getattr(spread, name)) for name in ("sd_interval", "p_sd_interval", "rep_interval")}
            for spread in measurement.spread
        ],
        "matchmaking": {
            "mean_rating_difference": measurement.mean_rating_difference,
            "ratio_to_sd": measurement.ratio_to_sd,
            "ratio_if_random": measurement.ratio_if_random,
        },
        "persistence": vars(past),
        "luck": luck_document(measurement),
        "yardstick": _yardstick(measurement),
        "verdict": _verdict(measurement),
        "absent": absent,
    }


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """The order of the games, and for each two the confidence that the first shows more skill."""
    names = comparison.names
    return {
        "order": list(names),
        "sd_of_skills": {name: sd for name, sd in zip(names, comparison.sd_of_skills, strict=True) if sd is not None},
        "more_skill": [
            {"game": names[row], "than": names[column], "confidence": float(comparison.more_skill[row, column])}
            for row in range(len(names))
            for column in range(row + 1, len(names))
            if math.isfinite(comparison.more_skill[row, column])
        ],
    }


def luck_document(measurement: Measurement) -> dict[str, Any] | None:
    """L and l2, and the other measures of luck."""
    luck = measurement.luck
    if luck is None:
        return None
    ridge, ratio = luck.ridge, luck.variance_ratio
    is_pairs = ridge is not None and ridge.as_played is not None
    return {
        "ridge": _ridge(luck),
        "bayes": _bayes(luck, is_pairs=measurement.players_per_match[2] == 2),
        "matchmaking": {"L_as_played": ridge.as_played, "luck": ridge.as_played - ridge.luck}
        if ridge is not None and ridge.as_played is not None
        else None,
        "season": {"matches": ridge.season[0], "luck": ridge.season[1]}
        if is_pairs and ridge is not None and ridge.season is not None
        else None,
        "mauboussin": None if ratio is None else {"luck": _finite(ratio.luck), "balanced": ratio.balanced},
        "skill_chain": None
        if ridge is None
        else {
            "probability": ridge.chain.probability,
            "length": ridge.chain.length,
            "bound": ridge.chain.bound,
            "between_quantiles": ridge.chain.between_quantiles,
        },
        "repetitions": None if ridge is None else vars(ridge.repetitions),
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


def _bayes(luck: LuckMetrics, *, is_pairs: bool) -> dict[str, Any] | None:
    found = luck.population
    if found is None:
        return None
    other = found.other_prior
    return {
        "l2": found.l2,
        "l2_sd": found.l2_sd,
        "l2_interval": list(found.l2_interval),
        "sigma": found.sigma,
        "t": found.t if is_pairs else None,
        "rhat": _finite(found.rhat),
        "ess": found.ess,
        "prior": found.prior,
        "converged": found.converged,
        "other_prior": None if other is None else {"prior": other.prior, "l2": other.l2, "l2_sd": other.l2_sd},
        "halves": None if luck.halves is None else [half.l2 for half in luck.halves],
    }


def _yardstick(measurement: Measurement) -> dict[str, Any]:
    x_deterministic, x_chess = measurement.published
    matched = measurement.yardstick
    found: dict[str, Any] | None = None
    if matched is not None:
        found = {"replicates": matched.replicates, "reference": _reference(measurement)}
        for name, inversion in (
            ("x_deterministic", matched.deterministic),
            ("x_chess", matched.chess),
            ("sd_of_skills", matched.skill),
        ):
            found[name] = None if inversion is None else _finite(inversion.estimate)
            found[f"{name}_interval"] = None if inversion is None else _interval(inversion.interval)
    return {"published": {"x_deterministic": x_deterministic, "x_chess": x_chess}, "matched": found}


def _reference(measurement: Measurement) -> dict[str, Any]:
    reference = measurement.reference
    return {"name": reference.name, "sd": reference.sd, "draws": reference.draws}


def _verdict(measurement: Measurement) -> dict[str, Any] | None:
    verdict, pairing = measurement.verdict, measurement.pairing
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


def provenance_document(origins: Sequence[Provenance], command: str) -> dict[str, Any]:
    """How to make the results again; several fingerprints stand in the order of the results."""
    data = [str(origin.data) for origin in origins if origin.data is not None]
    return {"version": origins[0].version, "command": command, "seed": origins[0].seed, "data": ",".join(data) or None}
