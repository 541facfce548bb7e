"""The report on strength from moves: one self-contained HTML page, without network and without JavaScript."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ludometer.intrinsic import Filters, measure_gains
from ludometer.report.chess_sections import (
    calibration_section,
    choices_section,
    comparison_section,
    events_section,
    gains_section,
    measures_section,
    pairs_section,
    strengths_section,
    trajectories_section,
)
from ludometer.report.files import replacing
from ludometer.report.frame import frame_page
from ludometer.report.parts import bullets, paragraphs

if TYPE_CHECKING:
    from ludometer.intrinsic import CalibratedElo, Calibration, Evaluations, Strengths, Study


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
        f"Of {int(known.sum())} pairs that met, {apart} are told apart at {100 * strengths.level:g} %: for the others "
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
