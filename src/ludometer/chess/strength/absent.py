"""Why a number is null: the reason of each null in a JSON document, by its path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ludometer.moves.uncertainty import NO_ESTIMATE, TOO_FEW, interval

NOT_ASKED = "not asked for"
NO_RATING = "no rating is known"
_LINES = "the engine's best moves are not known: ludometer chess analyse --lines 2"

_WHY = {
    **dict.fromkeys(("engine", "depth", "nodes"), "not known, or not a limit of the search"),
    **dict.fromkeys(("window", "phase", "gap", "anchor"), NOT_ASKED),
    **dict.fromkeys(
        ("difference", "relative", "by_engine", "against_engine"), f"{NO_ESTIMATE}: every gain is on one side"
    ),
    **dict.fromkeys(("interval", "mean_loss_interval", "s_error", "c_error"), f"{TOO_FEW}, or {NO_ESTIMATE}"),
    **dict.fromkeys(("change", "largest_change", "rank_correlation"), "too few players or moves are left to compare"),
    **dict.fromkeys(
        ("coverage", "rms_error", "mean_width"), "nothing could be held out, or no interval is bounded on both sides"
    ),
    **dict.fromkeys(("best_share", "best_share_interval"), _LINES),
    **dict.fromkeys(("standard_share", "standard_share_interval"), f"{_LINES}; or no moves in a class of difficulty"),
    **dict.fromkeys(("s", "c"), "no finite fit"),
    **dict.fromkeys(("rating", "strength_minus_rating"), NO_RATING),
    "strength": f"{NO_RATING}, or {NO_ESTIMATE}",
    "inconsistency": "no pair has an estimate both ways",
    "calibrated": "no calibration was given",
}
"""Why a number of this name is null, where nothing more precise is known."""


def explain(document: Mapping[str, Any], known: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The document with `absent`: the reason of each null by its path, a known one or the usual one of its name.

    >>> explain({"players": [{"rating": None}]})["absent"]
    {'players.0.rating': 'no rating is known'}
    """
    known = known or {}
    return {**document, "absent": {path: known.get(path) or _WHY[_name(path)] for path in _nulls(document, "")}}


def explain_parts(document: Mapping[str, Any], known: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The same for a document whose values may be documents: their reasons move into the outer `absent`."""
    inner = {name: dict(part) for name, part in document.items() if isinstance(part, dict) and "absent" in part}
    reasons = dict(known or {})
    for name, part in inner.items():
        reasons |= {f"{name}.{path}": why for path, why in part.pop("absent").items()}
    return explain({**document, **inner}, reasons)


def bounded(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a frame with `low` and `high` as `interval`."""
    rest = {name: value for name, value in row.items() if name not in ("low", "high")}
    return rest | {"interval": interval(row["low"], row["high"])}


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
