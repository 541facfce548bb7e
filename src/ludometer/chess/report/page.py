"""The sections of the report on strength from moves.

The report on strength from moves: one self-contained HTML page, without network and without JavaScript.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.chess.report.charts import (
    calibration_chart,
    events_chart,
    gain_histograms,
    loss_chart,
    strength_chart,
    trajectory_charts,
)
from ludometer.chess.report.text import (
    MATRIX,
    absent_lines,
    event_players_cells,
    events_cells,
    matrix_cells,
    quality_cells,
    same_cells,
    sensitivity_cells,
    span_words,
    strengths_cells,
    variation_cells,
    whole,
)
from ludometer.moves import Filters, measure_gains
from ludometer.report.files import replacing
from ludometer.report.frame import frame_page
from ludometer.report.parts import NOTHING, bullets, download, figure, paragraphs, table
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.chess import CalibratedElo, Calibration, EventComparison, EventScale, Study
    from ludometer.moves import Evaluations, Gains, Strengths

_PAIRS = 40


def strengths_section(strengths: Strengths, calibrated: Mapping[str, CalibratedElo] | None) -> str:
    """Who played how well."""
    percent = f"{100 * strengths.level:g}%"
    engine = strengths.engine
    span = "" if engine.interval is None or engine.given is not None else " [{:.0f}, {:.0f}]".format(*engine.interval)
    said = "" if engine.strength is None else f"The engine's strength is {engine.strength:.0f}{span}."
    caption = f"Strengths with {percent} intervals from a bootstrap over games. Hollow: the known rating."
    return (
        "<h2>Strengths</h2>"
        + figure(partial(strength_chart, strengths), caption)
        + table(*strengths_cells(strengths, calibrated))
        + paragraphs(said)
        + download(strengths.to_frame(), "strengths.csv", "All strengths")
    )


def calibration_section(calibration: Calibration) -> str:
    """What differences by moves mean in real Elo points."""
    slope, low, high = calibration.slope
    return (
        "<h3>Calibration</h3>"
        + paragraphs(
            f"One point of rating is {slope:.3f} [{low:.3f}, {high:.3f}] points by moves, over "
            f"{len(calibration.names)} {calibration.units}s rated {calibration.range[0]:.0f} to "
            f"{calibration.range[1]:.0f}. Outside that range there is no calibrated Elo.",
            "The slope may be 0: these differences tell little about ratings." if low <= 0 else "",
        )
        + figure(
            partial(calibration_chart, calibration),
            "Known ratings and differences by moves with two standard errors on either side; the line is the fit.",
        )
    )


def pairs_section(strengths: Strengths) -> str:
    """All pairs that met, as a matrix where that is readable."""
    names = [row["player"] for row in strengths.to_frame().to_dicts()]
    rows = strengths.pairs_frame().to_dicts()
    link = download(strengths.pairs_frame(), "pairs.csv", "All pairs with intervals")
    if len(names) <= MATRIX:
        words = "The player of the row less that of the column, in Elo points by moves. *: the interval leaves 0 out."
        return "<h2>Pairs</h2>" + paragraphs(words) + table(*_matrix(names, rows)) + link
    rows = sorted(rows, key=lambda row: -abs(row["difference"] or 0.0))
    words = f"The {_PAIRS} pairs with the largest differences, of {len(rows)}." if len(rows) > _PAIRS else ""
    headers = ["player", "against", "expected score", "difference", "interval"]
    cells = [_pair(row) for row in rows[:_PAIRS]]
    return "<h2>Pairs</h2>" + paragraphs(words) + table(headers, cells, left=(0, 1)) + link


def _matrix(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """The form of Ferreira's Table 1."""
    found = {}
    for row in rows:
        if row["difference"] is not None:
            mark = "*" if row["low"] is not None and (row["low"] > 0 or row["high"] < 0) else ""
            found[row["player_1"], row["player_2"]] = f"{whole(row['difference'], sign=True)}{mark}"
            found[row["player_2"], row["player_1"]] = f"{whole(-row['difference'], sign=True)}{mark}"
    cells = [[name, *("" if name == other else found.get((name, other), NOTHING) for other in names)] for name in names]
    return ["", *names], cells


def _pair(row: Mapping[str, Any]) -> list[str]:
    difference, span = whole(row["difference"], sign=True), span_words(row["low"], row["high"], sign=True)
    return [row["player_1"], row["player_2"], f"{row['expected_score']:.3f}", difference, span]


def events_section(scale: EventScale) -> str:
    """Several events on one scale."""
    return (
        "<h2>Events</h2>"
        + paragraphs(
            f"All events on one scale, by an engine of {scale.engine:.0f}: its strength plus the difference to it. "
            "Where the mean strength of an event lies above the mean rating of its players, they played better than "
            "these ratings say on this scale."
        )
        + figure(partial(events_chart, scale), "Mean strength of the players of each event. Hollow: their mean rating.")
        + table(*events_cells(scale))
        + "".join(_event_players(scale, event) for event in scale.events)
        + download(scale.to_frame(), "events.csv", "Players of all events")
    )


def _event_players(scale: EventScale, event: str) -> str:
    """One event's players, folded."""
    headers, rows = event_players_cells(scale, event)
    title = f"{event or 'without a name'}: {len(rows)} players"
    return f"<details><summary>{escape(title)}</summary>{table(headers, rows)}</details>"


def comparison_section(found: EventComparison) -> str:
    """Players of two events against each other."""
    first, second = found.events
    matrix = ""
    if 1 < len(found.players) <= MATRIX:
        matrix = paragraphs(
            f"All against all: the player of the row at {first} less that of the column at {second}."
        ) + table(*matrix_cells(found))
    return (
        "<h2>Two events</h2>"
        + paragraphs(f"Who played in both: his moves at {first} against his moves at {second}.")
        + table(*same_cells(found))
        + matrix
        + download(found.to_frame(), "two-events.csv", "All pairs with intervals")
    )


def gains_section(gains: Gains) -> str:
    """What moves did to the evaluation."""
    moves, _ = gains.counts()
    rows = [
        [
            gains.players.names[int(code)],
            f"{moves[code]:,}",
            f"{mine.mean() / 100:+.3f}",
            f"{np.median(mine) / 100:+.2f}",
            percent(np.mean(mine == 0)),
            percent(np.mean(mine <= -100)),
        ]
        for code in sorted(np.flatnonzero(moves), key=lambda code: -gains.value[gains.player == code].mean())
        for mine in (gains.value[gains.player == code],)
    ]
    caption = (
        "Gain of each move in pawns: the evaluation after it less that before it, from the mover's view. Of the "
        "players with most moves; moves beyond the edges are in the outermost bars."
    )
    return (
        "<h2>Gains</h2>"
        + figure(partial(gain_histograms, gains), caption)
        + table(["player", "moves", "mean gain", "median", "gain 0", "lost a pawn or more"], rows)
        + download(gains.to_frame(), "gains.csv", "Histograms in centipawns")
    )


def trajectories_section(gains: Gains, strengths: Strengths) -> str:
    """The estimate after each move."""
    title = "The strength" if strengths.engine.strength is not None else "The difference to the engine"
    caption = (
        f"{title} by all moves so far, games in the order of the record, with a band of {100 * strengths.level:g}%. "
        "Where the line has not begun there is no estimate yet. From the fourth game on the moves of a game count as "
        "one cluster."
    )
    return "<h2>Move by move</h2>" + figure(partial(trajectory_charts, gains, strengths), caption)


def choices_section(study: Study) -> str:
    """What a choice does to the result."""
    strengths = study.strengths
    words = (
        f"Pairs by way of the engine ({_reference_words(strengths)}) differ from pairs compared directly by "
        f"{strengths.inconsistency:.0f} Elo points (RMS)."
        if np.isfinite(strengths.inconsistency)
        else ""
    )
    return (
        "<h2>What the choices do</h2>"
        + paragraphs("The same games under other choices, each against the first row.")
        + "".join(table(*variation_cells(found)) for found in (study.filters, study.mate_values) if found is not None)
        + bullets(absent_lines(study, ("filters", "mate_values")))
        + paragraphs(words)
        + bullets(strengths.contradictions[:5])
    )


def _reference_words(strengths: Strengths) -> str:
    name = strengths.against_engine.reference
    return {"engine": "its gains taken as always 0", "pooled": "the gains of all players in its place"}.get(name, name)


def measures_section(study: Study) -> str:
    """What others measure, each where there are moves that it counts."""
    parts = []
    if study.quality is not None:
        parts += [
            paragraphs(
                "Guid and Bratko's: from the 12th move on and within two pawns, the mean loss of a move in pawns; the "
                "share of best moves needs two lines of the engine (--lines 2)."
            ),
            figure(partial(loss_chart, study.quality), "Mean loss of a move with its interval: smaller is better."),
            table(*quality_cells(study.quality)),
        ]
    if study.sensitivity is not None:
        parts += [
            paragraphs(
                "Regan's: sensitivity s (smaller is better) and consistency c (larger is better), with standard "
                "errors, by moves that are among the engine's lines."
            ),
            table(*sensitivity_cells(study.sensitivity)),
        ]
    return "<h2>Other measures</h2>" + "".join(parts) + bullets(absent_lines(study, ("quality", "sensitivity")))


def write_chess_page(
    evaluations: Evaluations,
    study: Study,
    path: Path,
    *,
    title: str,
    command: str,
    left_out: Mapping[str, str],
    calibrated: Mapping[str, CalibratedElo] | None = None,
    calibration: Calibration | None = None,
) -> None:
    """Write the report."""
    strengths = study.strengths
    gains = measure_gains(evaluations, filters=_filters(strengths))
    body = [
        f"<h1>{escape(title)}: strength from the moves</h1>",
        f'<section class="answer">{_answer(strengths)}</section>',
        strengths_section(strengths, calibrated),
        "" if calibration is None else calibration_section(calibration),
        pairs_section(strengths),
        "" if study.events is None else events_section(study.events),
        "" if study.comparison is None else comparison_section(study.comparison),
        gains_section(gains),
        trajectories_section(gains, strengths),
        choices_section(study),
        measures_section(study),
        _method(evaluations, strengths, left_out, command),
    ]
    with replacing(path) as draft:
        draft.write_text(frame_page(f"{title}: strength from the moves", "".join(body)), encoding="utf-8")


def _answer(strengths: Strengths) -> str:
    rows = [row for row in strengths.to_frame().to_dicts() if row["relative"] is not None]
    if not rows:
        return paragraphs("No player has an estimate: every gain is on one side.")
    first, last = rows[0], rows[-1]
    key = "strength" if first["strength"] is not None else "relative"
    form = "{:.0f}" if key == "strength" else "{:+.0f}"
    words = f"By their moves {first['player']} played best, {form.format(first[key])} {strengths.interval_word(first)}"
    if len(rows) > 1:
        words += f", and {last['player']} least well, {form.format(last[key])} {strengths.interval_word(last)}"
    apart = _told_apart(strengths)
    return f'<p class="lead">{escape(words)}.</p>' + paragraphs(
        apart,
        "Strengths are on the scale of the known ratings: their mean is the mean of these ratings."
        if key == "strength"
        else "No rating is known, so strengths have the mean 0.",
        "A difference by moves is smaller than one by results: a game has many moves. Differences on this page are "
        "those of the method; only calibrated ones compare with differences of ratings.",
    )


def _told_apart(strengths: Strengths) -> str:
    """How many pairs have intervals without 0."""
    low, high = strengths.pairs.low, strengths.pairs.high
    known = np.isfinite(low)
    if not known.any():
        return "There are too few games to say who is stronger."
    apart = int((known & ((low > 0) | (high < 0))).sum())
    return (
        f"Of {int(known.sum())} pairs that met, {apart} are told apart at {100 * strengths.level:g}%: for the others "
        "the difference may as well be the other way round."
    )


def _method(evaluations: Evaluations, strengths: Strengths, left_out: Mapping[str, str], command: str) -> str:
    conventions, filters = evaluations.conventions, _filters(strengths)
    facts = [
        f"{evaluations.describe()}; {filters.describe()}.",
        f"Evaluations by {conventions.describe()}; a mate is worth {conventions.mate_value / 100:g} pawns.",
        "Expected score of two players: the chance that a random move of one gained more than one of the other, "
        "ties count half. Difference: 200 √2 times the normal quantile of it. Strengths: least squares over pairs that "
        "met (Ferreira 2012).",
        f"Intervals: a Bayesian bootstrap over whole games with Student's t; fewer than {strengths.min_games} games "
        "give none.",
    ]
    facts += [
        f"{len(left_out)} games left out, such as game {name}: {why}." for name, why in list(left_out.items())[:1]
    ]
    return f"<h2>How it was done</h2>{bullets(facts)}<p>Repeat with:</p><pre>{escape(command)}</pre>"


def _filters(strengths: Strengths) -> Filters:
    found = dict(strengths.provenance.parameters["filters"])
    return Filters(**found | {"gap": None if found["gap"] is None else tuple(found["gap"])})
