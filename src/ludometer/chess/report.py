"""Chess strengths for readers: tables for the terminal, and the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.chess.strength.absent import NOT_ASKED
from ludometer.chess.strength.events import NAMELESS
from ludometer.chess.strength.study import ONE_EVENT
from ludometer.moves.uncertainty import NO_ESTIMATE, TOO_FEW, interval_words, whole
from ludometer.wording import format_table, percent, printable

if TYPE_CHECKING:
    from ludometer.chess.strength.calibration import CalibratedElo
    from ludometer.chess.strength.events import EventComparison, EventScale
    from ludometer.chess.strength.gains import MoveGains
    from ludometer.chess.strength.measures import MoveQuality, Sensitivity
    from ludometer.chess.strength.strengths import Strengths
    from ludometer.chess.strength.study import Study
    from ludometer.chess.strength.variation import Variation

NOTHING = "-"
_MATRIX = 14
"""A matrix of more players is not readable."""
_LISTED = 40

Cells = tuple[list[str], list[list[str]]]
"""The headers and the rows of a table."""

_TITLES = {
    "events": "events on one scale",
    "comparison": "players of two events",
    "filters": "other filters",
    "mate_values": "other values of mate",
    "quality": "Guid and Bratko's measures",
    "sensitivity": "Regan's measures",
}
GUID_BRATKO = "Guid and Bratko: from the 12th move on, within two pawns of equality"
REGAN = "Regan: sensitivity s (smaller is better), consistency c (larger is better), with standard errors"


def strength_text(study: Study, *, choices: bool = False, measures: bool = False) -> str:
    """The study for the terminal; other choices and measures only where they were asked for."""
    parts = [f"{_shorten(_players(study))}\n\n{_engine_words(study.strengths)}"]
    if study.events is not None:
        scale = study.events
        parts.append(f"events on one scale, with an engine of {scale.engine:.0f}\n{format_table(*_events(scale))}")
        for event in scale.events:
            parts.append(f"{printable(event) or NAMELESS}\n{format_table(*_event_players(scale, event))}")
    if study.comparison is not None:
        parts.append(_comparison_text(study.comparison))
    asked = ["events"]
    if choices:
        parts += [_variation_text(found) for found in (study.filters, study.mate_values) if found is not None]
        asked += ["filters", "mate_values"]
    if measures:
        parts += [f"{GUID_BRATKO}\n{_shorten(_quality(study.quality))}"] if study.quality else []
        parts += [f"{REGAN}\n{_shorten(_sensitivity(study.sensitivity))}"] if study.sensitivity else []
        asked += ["quality", "sensitivity"]
    return "\n\n".join([*parts, *_missing(study, asked)])


def strength_page(study: Study, title: str, *, command: str) -> str:
    """The report as one page."""
    from ludometer.report.templates import figures, render

    strengths = study.strengths
    rows = [row for row in strengths.to_frame().to_dicts() if row["relative"] is not None]
    return render(
        "chess.html",
        package="ludometer.chess",
        title=f"{title}: strength from the moves",
        command=command,
        study=study,
        strengths=strengths,
        figures=figures(study),
        level=f"{100 * strengths.intervals.level:g}%",
        lead=_lead(rows),
        is_rated=bool(rows) and rows[0]["strength"] is not None,
        certainty=_certainty(strengths),
        players=_players(study),
        slope=None if study.calibration is None else "{:.3f} [{:.3f}, {:.3f}]".format(*study.calibration.slope),
        pairs=_pairs(strengths),
        has_matrix=len(strengths.names) <= _MATRIX,
        events=None if study.events is None else _events(study.events),
        event_players=[] if study.events is None else _by_event(study.events),
        same=None if study.comparison is None else _same(study.comparison),
        matrix=None if study.comparison is None or not _is_readable(study.comparison) else _matrix(study.comparison),
        gains=_gains(study.gains),
        variations=[_variation(found) for found in (study.filters, study.mate_values) if found is not None],
        reference=_reference_words(strengths),
        inconsistency=strengths.inconsistency if np.isfinite(strengths.inconsistency) else None,
        quality=None if study.quality is None else _quality(study.quality),
        sensitivity=None if study.sensitivity is None else _sensitivity(study.sensitivity),
        missing_choices=_missing(study, ("filters", "mate_values")),
        missing_measures=_missing(study, ("quality", "sensitivity")),
        counts=_counts(study.gains),
        conventions=_conventions(study),
        left_out=_left_out(study.left_out),
    )


def _players(study: Study) -> Cells:
    """One row per player, with the calibrated Elo if there is one."""
    strengths, calibrated = study.strengths, study.calibrated
    span = f"{100 * strengths.intervals.level:g}% interval"
    extra = [] if calibrated is None else ["calibrated"]
    rows = []
    for row in strengths.to_frame().to_dicts():
        is_rated, against = row["strength"] is not None, row["engine_difference"]
        rows.append(
            [
                row["player"],
                whole(row["strength"] if is_rated else row["relative"], sign=not is_rated),
                interval_words(row["low"], row["high"]),
                *([] if calibrated is None else [_calibrated_words(calibrated[row["player"]])]),
                whole(row["rating"]),
                f"{row['games']:,}",
                f"{row['moves']:,}",
                NO_ESTIMATE if against is None else whole(against, sign=True),
                "" if against is None else interval_words(row["engine_low"], row["engine_high"], sign=True),
            ]
        )
    return ["player", "strength", span, *extra, "rating", "games", "moves", "to the engine", "interval"], rows


def _calibrated_words(found: CalibratedElo) -> str:
    """A calibrated Elo with its interval, or why there is none."""
    if found.elo is None:
        # the range itself is given elsewhere
        return (found.reason or NOTHING).partition(" of ")[0].replace("calibrated range", "range")
    if found.interval is None:
        return f"{found.elo:.0f} ({found.reason or 'no interval'})"
    low, high = (NOTHING if end is None else f"{end:.0f}" for end in found.interval)
    return f"{found.elo:.0f} [{low}, {high}]"


def _engine_words(strengths: Strengths) -> str:
    """The engine's strength, and pairs whose order is reversed through the engine."""
    engine, lines = strengths.engine, ["no rating is known: strengths have mean 0"]
    if engine.strength is not None:
        lines = [f"engine {engine.describe()}{' (given)' if engine.given is not None else ''}"]
    found = strengths.contradictions
    if found:
        lines.append(
            f"{len(found)} of {len(strengths.pairs)} pairs are reversed through the engine, such as {found[0]}"
        )
    return "\n".join(lines)


def _events(scale: EventScale) -> Cells:
    """One row per event."""
    rows = [
        [
            row["event"] or NAMELESS,
            whole(row["strength"]),
            interval_words(row["low"], row["high"]),
            whole(row["rating"]),
            whole(row["strength_minus_rating"], sign=True),
            f"{row['players']:,}",
            f"{row['games']:,}",
        ]
        for row in scale.events_frame().to_dicts()
    ]
    return ["event", "mean strength", "interval", "mean rating", "minus rating", "players", "games"], rows


def _by_event(scale: EventScale) -> list[tuple[str, Cells]]:
    listed = ((event or NAMELESS, _event_players(scale, event)) for event in scale.events)
    return [(f"{event}: {len(cells[1])} players", cells) for event, cells in listed]


def _event_players(scale: EventScale, event: str) -> Cells:
    """One row per player of one event, strongest first."""
    rows = [
        [
            row["player"],
            NO_ESTIMATE if row["strength"] is None else whole(row["strength"]),
            "" if row["strength"] is None else interval_words(row["low"], row["high"]),
            whole(row["rating"]),
            f"{row['games']:,}",
            f"{row['moves']:,}",
        ]
        for row in scale.to_frame().to_dicts()
        if row["event"] == event
    ]
    return ["player", "strength", "interval", "rating", "games", "moves"], rows


def _comparison_text(found: EventComparison) -> str:
    """Each player compared with themselves, then all with all where that is readable."""
    first, second = found.events
    parts = [f"{first} minus {second}, the same player in both", format_table(*_same(found))]
    if _is_readable(found):
        parts += [f"\nplayers at {first} (rows) against players at {second}", format_table(*_matrix(found))]
    return "\n".join(parts)


def _is_readable(found: EventComparison) -> bool:
    return 1 < len(found.players) <= _MATRIX


def _same(found: EventComparison) -> Cells:
    """One row per player, compared with themselves."""
    rows = [
        [
            row["player_1"],
            f"{row['expected_score']:.3f}",
            whole(row["difference"], sign=True),
            interval_words(row["low"], row["high"], sign=True),
        ]
        for row in found.same().to_dicts()
    ]
    return ["player", "expected score", "difference", "interval"], rows


def _matrix(found: EventComparison) -> Cells:
    """The form of Ferreira's Table 2: rows at the first event, columns at the second."""
    value = {(row["player_1"], row["player_2"]): row["difference"] for row in found.to_frame().to_dicts()}
    names = found.players
    return ["", *names], [[name, *(whole(value[name, other], sign=True) for other in names)] for name in names]


def _pairs(strengths: Strengths) -> Cells:
    """All pairs as a matrix (Ferreira's Table 1), or those with the largest differences where players are many."""
    names = [row["player"] for row in strengths.to_frame().to_dicts()]
    rows = strengths.pairs_frame().to_dicts()
    if len(names) > _MATRIX:
        cells = [
            [
                row["player_1"],
                row["player_2"],
                f"{row['expected_score']:.3f}",
                whole(row["difference"], sign=True),
                interval_words(row["low"], row["high"], sign=True),
            ]
            for row in sorted(rows, key=lambda row: -abs(row["difference"] or 0.0))[:_LISTED]
        ]
        return ["player", "against", "expected score", "difference", "interval"], cells
    found = {}
    for row in rows:
        if row["difference"] is not None:
            mark = "*" if row["low"] is not None and (row["low"] > 0 or row["high"] < 0) else ""
            found[row["player_1"], row["player_2"]] = f"{whole(row['difference'], sign=True)}{mark}"
            found[row["player_2"], row["player_1"]] = f"{whole(-row['difference'], sign=True)}{mark}"
    cells = [[name, *("" if name == other else found.get((name, other), NOTHING) for other in names)] for name in names]
    return ["", *names], cells


def _gains(gains: MoveGains) -> Cells:
    """One row per player, largest mean gain first."""
    moves, _ = gains.counts()
    samples = [(gains.players.names[int(code)], gains.value[gains.player == code]) for code in np.flatnonzero(moves)]
    rows = [
        [
            name,
            f"{len(mine):,}",
            f"{mine.mean() / 100:+.3f}",
            f"{np.median(mine) / 100:+.2f}",
            percent(np.mean(mine == 0)),
            percent(np.mean(mine <= -100)),
        ]
        for name, mine in sorted(samples, key=lambda sample: -sample[1].mean())
    ]
    return ["player", "moves", "mean gain", "median", "gain 0", "lost a pawn or more"], rows


def _variation_text(found: Variation) -> str:
    return f"effect of another {found.kind}, against {found.variants[0]}\n{format_table(*_variation(found))}"


def _variation(found: Variation) -> Cells:
    return [found.kind, "moves", "largest change (Elo)", "rank correlation"], found.cells()


def _quality(found: MoveQuality) -> Cells:
    """One row per player, smallest loss first."""
    shares = {"best_share": "best moves", "standard_share": "at equal difficulty"}
    if np.isnan(found.best_share).all():
        # only two lines of the engine show which moves were best
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


def _ends(row: Mapping[str, Any], name: str, form: str, factor: float = 1) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return TOO_FEW if low is None else f"[{form.format(factor * low)}, {form.format(factor * high)}]"


def _sensitivity(found: Sensitivity) -> Cells:
    """One row per player; moves outside the engine's lines are left out."""
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


def _missing(study: Study, names: Iterable[str]) -> list[str]:
    """Which of these parts cannot be shown, and why."""
    chosen, lines = list(names), []
    for name in chosen:
        why = study.absent.get(name, NOT_ASKED)
        lines += [] if why in (NOT_ASKED, ONE_EVENT) else [f"not shown, {_TITLES[name]}: {why}"]
    for name, found in (("filters", study.filters), ("mate_values", study.mate_values)):
        if found is not None and name in chosen:
            lines += [f"not shown, {variant}: {why}" for variant, why in found.reasons.items()]
    return lines


def _shorten(cells: Cells) -> str:
    headers, rows = cells
    more = [f"and {len(rows) - _LISTED:,} more (--json has all)"] if len(rows) > _LISTED else []
    return "\n".join([format_table(headers, rows[:_LISTED], left=(0,)), *more])


def _lead(rows: Sequence[Mapping[str, Any]]) -> str:
    """Who played best, and who played worst."""
    if not rows:
        return "No player has an estimate: every gain is on one side."
    key = "strength" if rows[0]["strength"] is not None else "relative"
    first, last = (
        f"{row[key]:{'' if key == 'strength' else '+'}.0f} {interval_words(row['low'], row['high'])}"
        for row in (rows[0], rows[-1])
    )
    words = f"By their moves {rows[0]['player']} played best, {first}"
    return words + (f", and {rows[-1]['player']} least well, {last}." if len(rows) > 1 else ".")


def _certainty(strengths: Strengths) -> str:
    """For how many pairs the interval excludes 0."""
    low, high = strengths.pairs.low, strengths.pairs.high
    known = np.isfinite(low)
    if not known.any():
        return "There are too few games to say who is stronger."
    apart = int((known & ((low > 0) | (high < 0))).sum())
    return (
        f"Of {int(known.sum())} pairs that met, {apart} differ at {100 * strengths.intervals.level:g}% confidence; for "
        "the others the order may be the reverse."
    )


def _reference_words(strengths: Strengths) -> str:
    name = strengths.against_engine.reference
    return {"engine": "its gains taken as 0", "pooled": "the gains of all players in its place"}.get(name, name)


def _counts(gains: MoveGains) -> str:
    """All games, players and moves, including moves that the filters leave out."""
    counts = (gains.n_games, "game"), (len(gains.players), "player"), (len(gains) + gains.n_left_out, "move")
    return ", ".join(f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in counts)


def _conventions(study: Study) -> str:
    from ludometer.chess.record.evaluations import Conventions

    found = Conventions(**study.provenance.parameters["conventions"])
    return f"Evaluations by {found.describe()}; a mate is worth {found.mate_value / 100:g} pawns."


def _left_out(left_out: Mapping[str, str]) -> str:
    if not left_out:
        return ""
    name, why = next(iter(left_out.items()))
    return f"{len(left_out)} games left out, such as game {name}: {why}."
