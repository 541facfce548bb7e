"""Strength from moves as JSON documents, as tables for the terminal, and as PGN with evaluations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ludometer.intrinsic.games import ChessGame, format_evaluation
from ludometer.intrinsic.uncertainty import nullable
from ludometer.report.text import format_table

if TYPE_CHECKING:
    from ludometer.intrinsic import CalibratedElo, Calibration, Evaluations, Strengths
    from ludometer.intrinsic.analysis import Analysis

_PGN_WIDTH = 80
_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")


def analysis_document(analysis: Analysis) -> dict[str, Any]:
    """What was evaluated, without the time it took."""
    settings = analysis.settings
    absent = {} if settings.depth is not None else {"engine.depth": "the search is limited by nodes"}
    if settings.nodes is None:
        absent["engine.nodes"] = "the search is limited by depth"
    return {
        "games": analysis.n_games,
        "positions": analysis.n_positions,
        "new": analysis.n_new,
        "known": analysis.n_known,
        "restarts": analysis.n_restarts,
        "failed": _reasons(analysis.failed),
        "illegal": _reasons(analysis.illegal),
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
        "absent": absent,
    }


def strengths_document(
    strengths: Strengths,
    evaluations: Evaluations,
    *,
    left_out: Mapping[str, str],
    calibrated: Mapping[str, CalibratedElo] | None = None,
) -> dict[str, Any]:
    """Players, pairs and the engine; what is null has its reason in `absent`."""
    absent: dict[str, str] = {}
    parameters, conventions = strengths.provenance.parameters, evaluations.conventions
    document = {
        "data": {
            "games": len(evaluations),
            "players": len(strengths.names),
            "moves": int(strengths.moves.sum()),
            "left_out": _reasons(left_out),
        },
        "conventions": conventions.to_dict(),
        "filters": parameters["filters"],
        "method": strengths.method,
        "distribution": parameters["distribution"],
        "level": strengths.level,
        "players": _players(strengths, calibrated, absent),
        "pairs": _pairs(strengths, absent),
        "engine": _engine(strengths, absent),
        "inconsistency": nullable(strengths.inconsistency),
        "contradictions": strengths.contradictions,
    }
    if document["inconsistency"] is None:
        absent["inconsistency"] = "no pair has an estimate both ways"
    for name in ("engine", "depth", "nodes"):
        if document["conventions"][name] is None:
            absent[f"conventions.{name}"] = "not known, or not a limit of the search"
    for name, value in document["filters"].items():
        if value is None:
            absent[f"filters.{name}"] = "not asked for"
    return document | {"absent": absent}


def calibration_document(calibration: Calibration) -> dict[str, Any]:
    """The slope, the range and the check on what was held out."""
    slope, low, high = calibration.slope
    held = calibration.held_out
    absent = {
        f"held_out.{name}": "nothing could be held out"
        for name in ("coverage", "rms_error", "mean_width")
        if getattr(held, name) is None
    }
    for name in ("engine", "depth", "nodes"):
        if getattr(calibration.conventions, name) is None:
            absent[f"conventions.{name}"] = "not known, or not a limit of the search"
    for name, value in calibration.filters.to_dict().items():
        if value is None:
            absent[f"filters.{name}"] = "not asked for"
    return {
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
        "absent": absent,
    }


def strengths_table(strengths: Strengths, calibrated: Mapping[str, CalibratedElo] | None, *, top: int) -> str:
    """The players as text, strongest first."""
    rows = strengths.to_frame().to_dicts()
    extra = ["calibrated"] if calibrated is not None else []
    headers = ["player", "games", "moves", "rating", "strength", "interval", "to the engine", "interval", *extra]
    cells = [
        [*player_cells(row, strengths), *([calibrated_words(calibrated[row["player"]])] if calibrated else [])]
        for row in rows[:top]
    ]
    lines = [format_table(headers, cells, left=(0,))]
    if len(rows) > top:
        lines.append(f"and {len(rows) - top:,} more (--json has all)")
    return "\n".join(lines)


def player_cells(row: Mapping[str, Any], strengths: Strengths) -> list[str]:
    """A row of the table of players as text."""
    value = row["strength"] if row["strength"] is not None else row["relative"]
    against = row["engine_difference"]
    span = "too few games" if row["engine_low"] is None else f"[{row['engine_low']:+.0f}, {row['engine_high']:+.0f}]"
    return [
        row["player"],
        f"{row['games']:,}",
        f"{row['moves']:,}",
        "-" if row["rating"] is None else f"{row['rating']:.0f}",
        "-" if value is None else f"{value:.0f}" if row["strength"] is not None else f"{value:+.0f}",
        strengths.interval_word(row),
        "no estimate yet" if against is None else f"{against:+.0f}",
        "" if against is None else span,
    ]


def calibrated_words(found: CalibratedElo) -> str:
    """A calibrated Elo with its interval, or why there is none."""
    if found.elo is None:
        return found.reason or "-"
    low, high = ("-" if end is None else f"{end:.0f}" for end in found.interval or (None, None))
    return f"{found.elo:.0f} [{low}, {high}]"


def annotate(games: Sequence[ChessGame], evaluations: Evaluations) -> str:
    """PGN of the games that were evaluated, with `[%eval]` after each move and before the first."""
    values = dict(zip(evaluations.games, range(len(evaluations)), strict=True))
    parts = []
    for game in games:
        if game.name in values:
            place = values[game.name]
            span = slice(int(evaluations.starts[place]), int(evaluations.starts[place + 1]))
            known = _plain_values(evaluations, span)
            parts.append(_annotated(game, known))
    return "\n".join(parts)


def _plain_values(evaluations: Evaluations, span: slice) -> list[float]:
    """Centipawns, an infinity for a mate, NaN where not known."""
    from ludometer.intrinsic.evaluations import UNKNOWN

    columns = zip(evaluations.evaluation[span].tolist(), evaluations.mate[span].tolist(), strict=True)
    return [
        math.nan if value == UNKNOWN else math.copysign(math.inf, value) if mate else float(value)
        for value, mate in columns
    ]


def _annotated(game: ChessGame, values: Sequence[float]) -> str:
    tags = {name: game.tags.get(name, "?") for name in _TAGS} | dict(game.tags)
    head = [f'[{name} "{_escaped(value)}"]' for name, value in tags.items()]
    words = _comment(values[0])
    is_white, number = game.white_begins, game.first_ply // 2 + 1
    for ply, move in enumerate(game.moves, 1):
        # every move has a comment before it, so every move of Black gets its number
        words += [f"{number}{'.' if is_white else '...'}", move, *_comment(values[ply])]
        number, is_white = number + (not is_white), not is_white
    return "\n".join([*head, "", *_wrapped([*words, tags["Result"] if tags["Result"] != "?" else "*"]), ""])


def _comment(value: float) -> list[str]:
    return [] if math.isnan(value) else [f"{{ [%eval {format_evaluation(value)}] }}"]


def _wrapped(words: Sequence[str]) -> list[str]:
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > _PGN_WIDTH:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return [*lines, line]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _reasons(found: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"game": name, "reason": reason} for name, reason in found.items()]


def _players(
    strengths: Strengths, calibrated: Mapping[str, CalibratedElo] | None, absent: dict[str, str]
) -> list[dict[str, Any]]:
    reasons = strengths.absent
    listed = []
    for place, row in enumerate(strengths.to_frame().to_dicts()):
        at = f"players.{place}"
        name = row["player"]
        for key in ("strength", "interval"):
            if f"{name}.{key}" in reasons:
                absent[f"{at}.{key}"] = reasons[f"{name}.{key}"]
        if row["rating"] is None:
            absent[f"{at}.rating"] = "no rating is known"
        if row["low"] is None:
            absent[f"{at}.interval"] = "too few games"
        if row["engine_difference"] is None:
            absent[f"{at}.against_engine.difference"] = "no estimate yet: every gain is on one side"
        if row["engine_low"] is None:
            absent[f"{at}.against_engine.interval"] = "too few games, or no estimate yet"
        listed.append(
            {
                "player": name,
                "moves": row["moves"],
                "games": row["games"],
                "rating": row["rating"],
                "strength": row["strength"],
                "relative": row["relative"],
                "interval": _interval(row["low"], row["high"]),
                "against_engine": {
                    "expected_score": row["engine_score"],
                    "difference": row["engine_difference"],
                    "interval": _interval(row["engine_low"], row["engine_high"]),
                },
                "calibrated": _calibrated(calibrated, name, at, absent),
            }
        )
    return listed


def _calibrated(
    calibrated: Mapping[str, CalibratedElo] | None, name: str, at: str, absent: dict[str, str]
) -> dict[str, Any] | None:
    if calibrated is None:
        absent[f"{at}.calibrated"] = "no calibration was given"
        return None
    found = calibrated[name]
    if found.elo is None or found.interval is None:
        absent[f"{at}.calibrated.{'elo' if found.elo is None else 'interval'}"] = found.reason or "not bounded"
    return {"elo": found.elo, "interval": None if found.interval is None else list(found.interval)}


def _pairs(strengths: Strengths, absent: dict[str, str]) -> list[dict[str, Any]]:
    listed = []
    for place, row in enumerate(strengths.pairs_frame().to_dicts()):
        for key, value in (("difference", row["difference"]), ("by_engine", row["by_engine"])):
            if value is None:
                absent[f"pairs.{place}.{key}"] = "no estimate yet: every gain is on one side"
        if row["low"] is None:
            absent[f"pairs.{place}.interval"] = "too few games"
        names = ("player_1", "player_2", "expected_score", "difference")
        listed.append(
            {name: row[name] for name in names}
            | {"interval": _interval(row["low"], row["high"]), "meetings": row["meetings"]}
            | {"by_engine": row["by_engine"]}
        )
    return listed


def _engine(strengths: Strengths, absent: dict[str, str]) -> dict[str, Any]:
    engine = strengths.engine
    strength = engine.given if engine.given is not None else engine.strength
    interval = None if engine.given is not None else engine.interval
    if strength is None:
        absent["engine.strength"] = "no rating is known"
    if interval is None:
        absent["engine.interval"] = "the strength was given" if engine.given is not None else "too few games"
    return {
        "strength": strength,
        "interval": None if interval is None else list(interval),
        "reference": strengths.against_engine.reference,
    }


def _interval(low: float | None, high: float | None) -> list[float] | None:
    return None if low is None or high is None else [low, high]
