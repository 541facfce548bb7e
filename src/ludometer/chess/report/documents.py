"""Strength from moves as JSON documents; what is null has its reason in `absent`.

What stands beside strengths in their JSON document: events, two events compared, other choices, other measures.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ludometer.chess.strength.study import NOT_ASKED
from ludometer.chess.strength.trajectory import NO_ESTIMATE
from ludometer.moves.uncertainty import TOO_FEW, nullable

if TYPE_CHECKING:
    from ludometer.chess import (
        CalibratedElo,
        Calibration,
        EventComparison,
        EventScale,
        MoveQuality,
        Sensitivity,
        Study,
        Variation,
    )
    from ludometer.chess.engine.analysis import Analysis
    from ludometer.chess.engine.live import FollowedMove
    from ludometer.moves import Evaluations, Strengths

_LIMIT = "not known, or not a limit of the search"
_ONE_SIDE = f"{NO_ESTIMATE}: every gain is on one side"
_FEW = "too few games, or no estimate yet"
_LEFT = "too few players, or moves, are left to compare"
_UNHELD = "nothing could be held out, or no interval is bounded on both sides"
_LINES = "the engine's best moves are not known: ludometer chess analyse --lines 2"

_WHY = {
    **dict.fromkeys(("engine", "depth", "nodes"), _LIMIT),
    **dict.fromkeys(("window", "phase", "gap"), "not asked for"),
    **dict.fromkeys(("difference", "relative", "by_engine", "against_engine"), _ONE_SIDE),
    **dict.fromkeys(("interval", "mean_loss_interval", "s_error", "c_error"), _FEW),
    **dict.fromkeys(("change", "largest_change", "rank_correlation"), _LEFT),
    **dict.fromkeys(("coverage", "rms_error", "mean_width"), _UNHELD),
    **dict.fromkeys(("best_share", "best_share_interval"), _LINES),
    **dict.fromkeys(("standard_share", "standard_share_interval"), f"{_LINES}; or no moves in a class of difficulty"),
    **dict.fromkeys(("s", "c"), "no finite fit"),
    "rating": "no rating is known",
    "strength": f"no rating is known, or {NO_ESTIMATE}",
    "strength_minus_rating": "no rating is known",
    "anchor": "not asked for",
    "inconsistency": "no pair has an estimate both ways",
    "calibrated": "no calibration was given",
}
"""Why a number of this name is not there, where nothing closer is known."""


def analysis_document(analysis: Analysis) -> dict[str, Any]:
    """What was evaluated, without the time it took."""
    settings = analysis.settings
    document: dict[str, Any] = {
        "games": analysis.n_games,
        "positions": analysis.n_positions,
        "new": analysis.n_new,
        "known": analysis.n_known,
        "restarts": analysis.n_restarts,
        "failed": reasons(analysis.failed),
        "illegal": reasons(analysis.illegal),
        "engine": {
            "name": settings.engine,
            "net": settings.net,
            "options": dict(settings.options),
            "depth": settings.depth,
            "nodes": settings.nodes,
            "lines": settings.multipv,
            "hash_mb": settings.hash_mb,
            "hash": settings.hash_policy,
        },
    }
    return document | {"absent": explain(document)}


def strengths_document(
    study: Study,
    evaluations: Evaluations,
    *,
    left_out: Mapping[str, str],
    calibrated: Mapping[str, CalibratedElo] | None = None,
) -> dict[str, Any]:
    """Players, pairs and the engine, and what was asked for beside them."""
    strengths, known = study.strengths, dict[str, str]()
    parameters = strengths.provenance.parameters
    document = {
        "data": {
            "games": len(evaluations),
            "players": len(strengths.names),
            "moves": int(strengths.moves.sum()),
            "left_out": reasons(left_out),
        },
        "conventions": evaluations.conventions.to_dict(),
        "filters": parameters["filters"],
        "method": strengths.method,
        "distribution": parameters["distribution"],
        "level": strengths.level,
        "players": _players(strengths, calibrated, known),
        "pairs": _pairs(strengths, known),
        "engine": _engine(strengths, known),
        "inconsistency": nullable(strengths.inconsistency),
        "contradictions": strengths.contradictions,
        "events": None if study.events is None else events_part(study.events),
        "comparison": None if study.comparison is None else comparison_part(study.comparison),
        "variation": variation_part(study, known),
        "measures": measures_part(study, known),
    }
    for name in ("events", "comparison"):
        if document[name] is None:
            known[name] = study.absent[name]
    return document | {"absent": explain(document, known)}


def calibration_document(calibration: Calibration) -> dict[str, Any]:
    """The slope, the range and the check on what was held out."""
    slope, low, high = calibration.slope
    held = calibration.held_out
    document: dict[str, Any] = {
        "units": calibration.units,
        "n": len(calibration.names),
        "range": list(calibration.range),
        "slope": slope,
        "slope_interval": [low, high],
        "scatter": calibration.fit.scatter,
        "level": calibration.level,
        "conventions": calibration.conventions.to_dict(),
        "filters": calibration.filters.to_dict(),
        "reference": calibration.reference.name,
        "held_out": {name: getattr(held, name) for name in ("n", "n_refused", "coverage", "rms_error", "mean_width")},
        "points": [
            {"name": name, "rating": rating, "difference": difference, "error": error}
            for name, rating, difference, error in zip(
                calibration.names,
                calibration.rating.tolist(),
                calibration.difference.tolist(),
                calibration.error.tolist(),
                strict=True,
            )
        ],
    }
    return document | {"absent": explain(document)}


def followed_document(found: FollowedMove) -> dict[str, Any]:
    """A move of a game that is followed; pawns from White's view, the gain from that of who moved."""
    is_mate = math.isinf(found.evaluation)
    document = {
        "number": found.number,
        "move": found.move,
        "player": found.player,
        "evaluation": None if is_mate else found.evaluation / 100,
        "mate": ("white" if found.evaluation > 0 else "black") if is_mate else None,
        "gain": found.gain / 100,
        "expected_score": found.expected_score,
        "difference": found.difference,
        "interval": list(found.interval),
        "strength": found.strength,
    }
    known = {"evaluation": "a forced mate", "mate": "no mate is in sight"}
    known |= {f"interval.{end}": "not bounded" for end in (0, 1)}
    if found.difference is None:
        known["difference"] = f"{NO_ESTIMATE}: every gain so far was negative"
        known["strength"] = known["difference"]
    else:
        known["strength"] = "the strength of the engine was not given"
    return document | {"absent": explain(document, known)}


def reasons(found: Mapping[str, str]) -> list[dict[str, str]]:
    """Games left out, and why."""
    return [{"game": name, "reason": reason} for name, reason in found.items()]


def explain(document: Mapping[str, Any], known: Mapping[str, str] | None = None) -> dict[str, str]:
    """The reason of each null, by its path: a known one, else that of the name.

    >>> explain({"players": [{"rating": None}]})
    {'players.0.rating': 'no rating is known'}
    """
    known = known or {}
    return {path: known.get(path) or _WHY[_name(path)] for path in _nulls(document, "")}


def _nulls(value: Any, path: str) -> Iterable[str]:
    if value is None:
        yield path
        return
    entries: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, Mapping):
        entries = value.items()
    elif isinstance(value, Sequence) and not isinstance(value, str):
        entries = enumerate(value)
    for key, inner in entries:
        yield from _nulls(inner, f"{path}.{key}" if path else str(key))


def _name(path: str) -> str:
    """The last part that is not a place in a list."""
    return next(part for part in reversed(path.split(".")) if not part.isdigit())


def _players(
    strengths: Strengths, calibrated: Mapping[str, CalibratedElo] | None, known: dict[str, str]
) -> list[dict[str, Any]]:
    listed = []
    for place, row in enumerate(strengths.to_frame().to_dicts()):
        name, at = row["player"], f"players.{place}"
        if f"{name}.strength" in strengths.absent:
            known[f"{at}.strength"] = strengths.absent[f"{name}.strength"]
        if row["relative"] is not None:
            known[f"{at}.interval"] = TOO_FEW
        listed.append(
            {
                "player": name,
                "moves": row["moves"],
                "games": row["games"],
                "rating": row["rating"],
                "strength": row["strength"],
                "relative": row["relative"],
                "interval": interval(row["low"], row["high"]),
                "against_engine": {
                    "expected_score": row["engine_score"],
                    "difference": row["engine_difference"],
                    "interval": interval(row["engine_low"], row["engine_high"]),
                },
                "calibrated": None if calibrated is None else _calibrated(calibrated[name], at, known),
            }
        )
    return listed


def _calibrated(found: CalibratedElo, at: str, known: dict[str, str]) -> dict[str, Any]:
    for name in ("elo", "interval"):
        known[f"{at}.calibrated.{name}"] = found.reason or "not bounded"
    known |= {f"{at}.calibrated.interval.{end}": "not bounded within the calibrated range" for end in (0, 1)}
    return {"elo": found.elo, "interval": None if found.interval is None else list(found.interval)}


def _pairs(strengths: Strengths, known: dict[str, str]) -> list[dict[str, Any]]:
    names = ("player_1", "player_2", "expected_score", "difference", "meetings", "by_engine")
    rows = strengths.pairs_frame().to_dicts()
    known |= {f"pairs.{k}.interval": TOO_FEW for k, row in enumerate(rows) if row["difference"] is not None}
    return [{name: row[name] for name in names} | {"interval": interval(row["low"], row["high"])} for row in rows]


def _engine(strengths: Strengths, known: dict[str, str]) -> dict[str, Any]:
    engine = strengths.engine
    is_given = engine.given is not None
    known["engine.strength"] = "no rating is known"
    known["engine.interval"] = "the strength was given" if is_given else "no rating is known, or too few games"
    return {
        "strength": engine.strength,
        "interval": None if is_given or engine.interval is None else list(engine.interval),
        "reference": strengths.against_engine.reference,
    }


def events_part(scale: EventScale) -> dict[str, Any]:
    """All events on one scale, and their players."""
    return {
        "engine": scale.engine,
        "anchor": scale.provenance.parameters["anchor"],
        "events": [_bounded(row) for row in scale.events_frame().to_dicts()],
        "players": [_bounded(row) for row in scale.to_frame().to_dicts()],
    }


def comparison_part(found: EventComparison) -> dict[str, Any]:
    """Players of two events against each other: player_1 at the first, player_2 at the second."""
    return {"events": list(found.events), "pairs": [_bounded(row) for row in found.to_frame().to_dicts()]}


def variation_part(study: Study, known: dict[str, str]) -> dict[str, Any] | None:
    """What other filters and values of mate do; null if it was not asked for."""
    parts = {"filters": study.filters, "mate_values": study.mate_values}
    if study.absent.get("filters") == NOT_ASKED:
        known["variation"] = f"{NOT_ASKED} (--choices)"
        return None
    found: dict[str, Any] = {}
    for name, variation in parts.items():
        known[f"variation.{name}"] = study.absent.get(name, "")
        found[name] = None if variation is None else _variants(variation, f"variation.{name}", known)
    return found


def measures_part(study: Study, known: dict[str, str]) -> dict[str, Any] | None:
    """Guid and Bratko's, and Regan's; null if they were not asked for."""
    if study.absent.get("quality") == NOT_ASKED:
        known["measures"] = f"{NOT_ASKED} (--measures)"
        return None
    known["measures.guid_bratko"] = study.absent.get("quality", "")
    known["measures.regan"] = study.absent.get("sensitivity", "")
    return {
        "guid_bratko": None if study.quality is None else _quality(study.quality),
        "regan": None if study.sensitivity is None else _sensitivity(study.sensitivity),
    }


def interval(low: float | None, high: float | None) -> list[float] | None:
    """Both ends, or nothing."""
    return None if low is None or high is None else [low, high]


def _variants(found: Variation, at: str, known: dict[str, str]) -> list[dict[str, Any]]:
    rows, listed = found.to_frame().to_dicts(), []
    for k, variant in enumerate(found.variants):
        players = [_bounded(row) for row in rows[k * len(found.names) : (k + 1) * len(found.names)]]
        why = found.reasons.get(variant)
        if why is not None:
            known |= {f"{at}.{k}.{name}": why for name in ("players", "largest_change", "rank_correlation")}
        listed.append(
            {
                "variant": variant,
                "moves": int(found.moves[k].sum()),
                "largest_change": nullable(float(found.largest_change[k])),
                "rank_correlation": nullable(float(found.rank_correlation[k])),
                "players": None if why is not None else [_variant_player(row) for row in players],
            }
        )
    return listed


def _variant_player(row: dict[str, Any]) -> dict[str, Any]:
    names = ("player", "moves", "relative", "interval", "change")
    return {name: row[name] for name in names} | {"against_engine": row["engine_difference"]}


def _quality(found: MoveQuality) -> dict[str, Any]:
    listed = []
    for row in found.to_frame().to_dicts():
        shown = {name: row[name] for name in ("player", "moves", "games")}
        for name, source in (("mean_loss", "loss"), ("best_share", "best_share"), ("standard_share", "standard_share")):
            shown[name] = row[source]
            shown[f"{name}_interval"] = interval(row[f"{source}_low"], row[f"{source}_high"])
        listed.append(shown)
    return {"filters": found.provenance.parameters["filters"], "players": listed}


def _sensitivity(found: Sensitivity) -> dict[str, Any]:
    return {"players": found.to_frame().to_dicts()}


def _bounded(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose ends stand together."""
    rest = {name: value for name, value in row.items() if name not in ("low", "high")}
    return rest | {"interval": interval(row["low"], row["high"])}
