"""What stands beside strengths in their JSON document: events, two events compared, other choices, other measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludometer.intrinsic.study import NOT_ASKED
from ludometer.intrinsic.uncertainty import nullable

if TYPE_CHECKING:
    from ludometer.intrinsic import EventComparison, EventScale, MoveQuality, Sensitivity, Study, Variation


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
