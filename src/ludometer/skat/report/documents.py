"""Results of the Skat commands as JSON documents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ludometer.wording import time_text

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings.scores.audit import SeriesRatings
    from ludometer.skat.luck.calibration import Calibration
    from ludometer.skat.luck.winning import WinningModel
    from ludometer.skat.sensitivity import Placement, Sensitivity

_TOTALS = ("points", "won", "lost", "others_lost")


def score_document(
    sheets: pl.DataFrame,
    differences: pl.DataFrame,
    data: Mapping[str, Any],
    *,
    system: str,
    has_totals: bool,
    damaged: Sequence[tuple[int, str]] = (),
) -> dict[str, Any]:
    """List sheets, and the games that are recorded otherwise than by the rules."""
    absent = {"provenance.seed": "no lot was drawn"}
    rows = sheets.to_dicts()
    if data["games"] is None:
        absent |= dict.fromkeys(("data.games", "data.folded", "data.left_out"), "the file has results, not games")
    if data["as_recorded"] is None:
        absent |= dict.fromkeys(
            ("data.as_recorded", "data.flagged"), "the file has no values to compare with the rules"
        )
    if not has_totals and rows:
        absent |= {f"series.{name}": "the file has scores only" for name in _TOTALS}
        rows = [row | dict.fromkeys(_TOTALS) for row in rows]
    if rows and not all(row["games"] for row in rows):
        absent["series.games"] = "the file does not say how many"
        rows = [row | {"games": row["games"] or None} for row in rows]
    return {
        "system": system,
        "data": dict(data),
        "series": [
            row | {"time": time_text(row["time"]) or str(row["time"])} if "time" in row else row for row in rows
        ],
        "differences": differences.to_dicts(),
        "damaged": [{"line": line, "reason": reason} for line, reason in damaged],
        "absent": absent,
    }


def rate_document(
    ratings: SeriesRatings,
    players: pl.DataFrame,
    data: Mapping[str, Any],
    tables: Mapping[str, pl.DataFrame | None],
    *,
    chance: Mapping[str, Any] | None = None,
    sensitivity: Sensitivity | None = None,
    absent: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Rating list, every update, and the tables of a season; what was not asked for is null."""
    missing = {"provenance.seed": "nothing was drawn"} | dict(absent or {})
    found: dict[str, Any] = {name: None if frame is None else _rows(frame) for name, frame in tables.items()}
    if chance is None:
        missing["chance"] = "not asked for (--chance)"
    if sensitivity is None:
        missing["sensitivity"] = "not asked for (--sensitivity)"
    if "title" in players.columns and players["title"].null_count():
        missing["players.title"] = "no threshold is reached, or the rating is provisional"
    if data["games"] is None:
        missing["data.games"] = "the file has results, not games"
    if ratings.since is None:
        missing["data.since"] = "all series are listed"
    return {
        "system": ratings.provenance.method,
        "parameters": ratings.provenance.parameters,
        "data": dict(data) | {"since": ratings.since},
        "score_sd": ratings.score_sd,
        "strength_sd": ratings.strength_sd,
        "level": ratings.level,
        "players": _rows(players),
        "updates": _rows(ratings.updates),
        **found,
        "chance": None if chance is None else dict(chance),
        "sensitivity": None if sensitivity is None else sensitivity.to_frame().to_dicts(),
        "absent": missing,
    }


def sensitivity_document(
    found: Sensitivity, *, factors: Sequence[str], start: float, placement: Placement | None = None
) -> dict[str, Any]:
    """Table VIII's form, and on request the K and start for wanted ratings."""
    absent = {"provenance.seed": "nothing was drawn"}
    if placement is None:
        absent["placement"] = "not asked for (--targets)"
    return {
        "data": {"series": found.n_series, "players": found.n_players},
        "factors": list(factors),
        "start": start,
        "rows": found.to_frame().to_dicts(),
        "placement": None
        if placement is None
        else {name: getattr(placement, name) for name in ("k", "start", "good", "weak", "noise")}
        | {"targets": list(placement.targets)},
        "absent": absent,
    }


def fit_document(model: WinningModel, check: Calibration, *, held_out: int) -> dict[str, Any]:
    """What a model was fitted on, and how good one like it is on games that it had not seen."""
    absent = {f"parts.{name}": "too few games" for name in ("suit", "grand", "null") if getattr(model, name) is None}
    quality = [vars(row) for row in check.quality]
    if any(not math.isfinite(value) for row in quality for value in row.values() if isinstance(value, float)):
        absent["quality.auc"] = "all games of a kind were won, or all lost"
    return {
        "games": model.games,
        "normal": model.normal,
        "parts": {
            name: None if part is None else dict(zip(part.names, part.values, strict=True))
            for name, part in (("suit", model.suit), ("grand", model.grand), ("null", model.null))
        },
        "held_out": held_out,
        "quality": [{name: _finite(value) for name, value in row.items()} for row in quality],
        "calibration": [{name: _finite(value) for name, value in row.items()} for row in check.to_frame().to_dicts()],
        "absent": absent,
    }


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    times = [name for name in ("time", "last") if name in frame.columns and frame[name].dtype != _text()]
    return [row | {name: time_text(row[name]) for name in times} for row in frame.to_dicts()]


def _text() -> Any:
    import polars as pl

    return pl.String


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
