"""Strength from moves as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.chess.strength.study import NOT_ASKED, ONE_EVENT
from ludometer.chess.strength.trajectory import NO_ESTIMATE
from ludometer.moves.uncertainty import TOO_FEW
from ludometer.report.text import format_table, printable
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.chess import CalibratedElo, EventComparison, EventScale, MoveQuality, Sensitivity, Study, Variation
    from ludometer.moves import Strengths

NOTHING = "-"
MATRIX = 14
"""A matrix of more players is not readable."""

Cells = tuple[list[str], list[list[str]]]
"""The headers and the rows of a table."""


def strengths_table(strengths: Strengths, calibrated: Mapping[str, CalibratedElo] | None, *, top: int) -> str:
    """The players, strongest first."""
    return _shortened(strengths_cells(strengths, calibrated), top)


def strengths_cells(strengths: Strengths, calibrated: Mapping[str, CalibratedElo] | None) -> Cells:
    """A row a player, with the calibrated Elo if there is one."""
    extra = ["calibrated"] if calibrated is not None else []
    span = f"{100 * strengths.level:g}% interval"
    headers = ["player", "strength", span, *extra, "rating", "games", "moves", "to the engine", "interval"]
    rows = []
    for row in strengths.to_frame().to_dicts():
        words = [calibrated_words(calibrated[row["player"]])] if calibrated is not None else []
        rows.append([*_strength_cells(row, strengths), *words, *_count_cells(row)])
    return headers, rows


def engine_words(strengths: Strengths) -> str:
    """The engine's strength, and pairs whose order by way of the engine is another."""
    engine, lines = strengths.engine, ["no rating is known: strengths have mean 0"]
    if engine.strength is not None:
        is_given = engine.given is not None
        span = "" if engine.interval is None or is_given else " [{:.0f}, {:.0f}]".format(*engine.interval)
        lines = [f"engine {engine.strength:.0f}{span}{' (given)' if is_given else ''}"]
    found = strengths.contradictions
    if found:
        lines.append(
            f"{len(found)} of {len(strengths.pairs)} pairs have another order by way of the engine, such as {found[0]}"
        )
    return "\n".join(lines)


def calibrated_words(found: CalibratedElo) -> str:
    """A calibrated Elo with its interval, or why there is none."""
    if found.elo is None:
        # the range itself stands elsewhere
        return (found.reason or NOTHING).partition(" of ")[0].replace("calibrated range", "range")
    if found.interval is None:
        return f"{found.elo:.0f} ({found.reason or 'no interval'})"
    low, high = (NOTHING if end is None else f"{end:.0f}" for end in found.interval)
    return f"{found.elo:.0f} [{low}, {high}]"


def events_table(scale: EventScale) -> str:
    """The events, then the players of each."""
    parts = [f"events on one scale, by an engine of {scale.engine:.0f}\n{format_table(*events_cells(scale))}"]
    for event in scale.events:
        parts.append(f"{printable(event) or 'without a name'}\n{format_table(*event_players_cells(scale, event))}")
    return "\n\n".join(parts)


def events_cells(scale: EventScale) -> Cells:
    """A row an event."""
    headers = ["event", "mean strength", "interval", "mean rating", "less rating", "players", "games"]
    rows = [
        [
            row["event"] or "without a name",
            whole(row["strength"]),
            span_words(row["low"], row["high"]),
            whole(row["rating"]),
            whole(row["strength_minus_rating"], sign=True),
            f"{row['players']:,}",
            f"{row['games']:,}",
        ]
        for row in scale.events_frame().to_dicts()
    ]
    return headers, rows


def event_players_cells(scale: EventScale, event: str) -> Cells:
    """A row a player of one event, strongest first."""
    headers = ["player", "strength", "interval", "rating", "games", "moves"]
    rows = [
        [
            row["player"],
            NO_ESTIMATE if row["strength"] is None else whole(row["strength"]),
            "" if row["strength"] is None else span_words(row["low"], row["high"]),
            whole(row["rating"]),
            f"{row['games']:,}",
            f"{row['moves']:,}",
        ]
        for row in scale.to_frame().to_dicts()
        if row["event"] == event
    ]
    return headers, rows


def comparison_table(found: EventComparison) -> str:
    """Each player against himself, then all against all where that is readable."""
    first, second = found.events
    parts = [f"{first} less {second}, one player in both", format_table(*same_cells(found))]
    if 1 < len(found.players) <= MATRIX:
        parts += [f"\nplayers at {first} (rows) against players at {second}", format_table(*matrix_cells(found))]
    return "\n".join(parts)


def same_cells(found: EventComparison) -> Cells:
    """A row a player against himself."""
    rows = [
        [
            row["player_1"],
            f"{row['expected_score']:.3f}",
            whole(row["difference"], sign=True),
            span_words(row["low"], row["high"], sign=True),
        ]
        for row in found.same().to_dicts()
    ]
    return ["player", "expected score", "difference", "interval"], rows


def matrix_cells(found: EventComparison) -> Cells:
    """The form of Ferreira's Table 2: rows at the first event, columns at the second."""
    value = {(row["player_1"], row["player_2"]): row["difference"] for row in found.to_frame().to_dicts()}
    names = found.players
    rows = [[name, *(whole(value[name, other], sign=True) for other in names)] for name in names]
    return ["", *names], rows


def variation_table(found: Variation) -> str:
    """A row a variant."""
    return f"what another {found.kind} does, against {found.variants[0]}\n{format_table(*variation_cells(found))}"


def variation_cells(found: Variation) -> Cells:
    """A row a variant: moves, the largest change of a strength, and whether the order stays."""
    rows = []
    for k, variant in enumerate(found.variants):
        change, order = found.largest_change[k], found.rank_correlation[k]
        rows.append(
            [
                variant,
                NOTHING if variant in found.reasons else f"{int(found.moves[k].sum()):,}",
                f"{change:.0f}" if np.isfinite(change) else NOTHING,
                f"{order:.2f}" if np.isfinite(order) else NOTHING,
            ]
        )
    return [found.kind, "moves", "largest change (Elo)", "rank correlation"], rows


def quality_table(found: MoveQuality, *, top: int) -> str:
    """Guid and Bratko's measures."""
    return f"Guid and Bratko: from the 12th move on, within two pawns\n{_shortened(quality_cells(found), top)}"


def quality_cells(found: MoveQuality) -> Cells:
    """A row a player, smallest loss first."""
    shares = {"best_share": "best moves", "standard_share": "at equal difficulty"}
    if np.isnan(found.best_share).all():
        # which moves were best takes two lines of the engine
        shares = {}
    headers = ["player", "moves", "mean loss (pawns)", "interval"]
    headers += [word for title in shares.values() for word in (title, "interval")]
    rows = []
    for row in found.to_frame().to_dicts():
        cells = [row["player"], f"{row['moves']:,}", f"{row['loss']:.3f}", _ends(row, "loss", "{:.3f}")]
        for name in shares:
            is_known = row[name] is not None
            cells += [percent(row[name]), _ends(row, name, "{:.1f}", 100)] if is_known else [NOTHING, ""]
        rows.append(cells)
    return headers, rows


def sensitivity_table(found: Sensitivity, *, top: int) -> str:
    """Regan's measures."""
    head = "Regan: sensitivity s (smaller is better), consistency c (larger is better), with standard errors"
    return f"{head}\n{_shortened(sensitivity_cells(found), top)}"


def sensitivity_cells(found: Sensitivity) -> Cells:
    """A row a player; moves that are none of the engine's lines are left out."""
    names = ("s", "s_error", "c", "c_error")
    rows = [
        [
            row["player"],
            f"{row['moves']:,}",
            f"{row['left_out']:,}",
            *(NOTHING if row[name] is None else f"{row[name]:.3f}" for name in names),
        ]
        for row in found.to_frame().to_dicts()
    ]
    return ["player", "moves", "left out", "s", "error", "c", "error"], rows


def absent_lines(study: Study, names: Iterable[str]) -> list[str]:
    """Which of these parts cannot be shown, and why."""
    chosen, lines = list(names), []
    for name in chosen:
        why = study.absent.get(name, NOT_ASKED)
        lines += [] if why in (NOT_ASKED, ONE_EVENT) else [f"not shown, {_TITLES[name]}: {why}"]
    for name, found in (("filters", study.filters), ("mate_values", study.mate_values)):
        if found is not None and name in chosen:
            lines += [f"not shown, {variant}: {why}" for variant, why in found.reasons.items()]
    return lines


def whole(value: float | None, *, sign: bool = False) -> str:
    """A whole number, or a dash; zero has no sign."""
    if value is None:
        return NOTHING
    return f"{value:{'+' if sign else ''}.0f}" if round(value) else "0"


def span_words(low: float | None, high: float | None, *, sign: bool = False) -> str:
    """An interval, or that there are too few games."""
    return TOO_FEW if low is None or high is None else f"[{whole(low, sign=sign)}, {whole(high, sign=sign)}]"


_TITLES = {
    "events": "events on one scale",
    "comparison": "players of two events",
    "filters": "other filters",
    "mate_values": "other values of mate",
    "quality": "Guid and Bratko's measures",
    "sensitivity": "Regan's measures",
}


def _strength_cells(row: Mapping[str, Any], strengths: Strengths) -> list[str]:
    is_rated = row["strength"] is not None
    value = whole(row["strength"] if is_rated else row["relative"], sign=not is_rated)
    return [row["player"], value, strengths.interval_word(row)]


def _count_cells(row: Mapping[str, Any]) -> list[str]:
    against = row["engine_difference"]
    return [
        whole(row["rating"]),
        f"{row['games']:,}",
        f"{row['moves']:,}",
        NO_ESTIMATE if against is None else whole(against, sign=True),
        "" if against is None else span_words(row["engine_low"], row["engine_high"], sign=True),
    ]


def _ends(row: Mapping[str, Any], name: str, form: str, factor: float = 1) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return TOO_FEW if low is None else f"[{form.format(factor * low)}, {form.format(factor * high)}]"


def _shortened(cells: Cells, top: int) -> str:
    headers, rows = cells
    more = [f"and {len(rows) - top:,} more (--json has all)"] if len(rows) > top else []
    return "\n".join([format_table(headers, rows[:top], left=(0,)), *more])
