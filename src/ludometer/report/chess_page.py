"""The report on strength from moves: one self-contained HTML page, without network and without JavaScript."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.errors import LudometerError
from ludometer.intrinsic import (
    Filters,
    compare_filters,
    fit_sensitivity,
    measure_gains,
    measure_quality,
    scale_events,
    vary_mate_value,
)
from ludometer.intrinsic.gain import Gains
from ludometer.report.charts import separate_ids
from ludometer.report.chess import calibrated_words, player_cells
from ludometer.report.chess_charts import calibration_chart, gain_histograms, strength_chart, trajectory_charts
from ludometer.report.files import replacing
from ludometer.report.parts import NOTHING, bullets, download, figure, number, paragraphs, percent, table

if TYPE_CHECKING:
    from ludometer.intrinsic import CalibratedElo, Calibration, Evaluations, Strengths, Variation

_STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
_MATRIX = 14
_REPLICATES = 200
"""For variants, whose intervals are not shown."""


def write_chess_page(
    evaluations: Evaluations,
    strengths: Strengths,
    path: Path,
    *,
    title: str,
    command: str,
    left_out: Mapping[str, str],
    calibrated: Mapping[str, CalibratedElo] | None = None,
    calibration: Calibration | None = None,
) -> None:
    """Write the report."""
    gains = measure_gains(evaluations, filters=_filters(strengths))
    body = [
        f"<h1>{escape(title)}: strength from the moves</h1>",
        f'<section class="answer">{_answer(strengths)}</section>',
        _strengths(strengths, calibrated),
        "" if calibration is None else _calibration(calibration),
        _pairs(strengths),
        _gains(gains),
        _trajectories(gains, strengths),
        _events(evaluations, strengths),
        _conventions(evaluations, strengths),
        _other_measures(evaluations, strengths),
        _method(evaluations, strengths, left_out, command),
    ]
    page = separate_ids("".join(body))
    with replacing(path) as draft:
        draft.write_text(
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title)}: strength from the moves</title><style>{_STYLE}</style></head>\n"
            f"<body><main>{page}</main></body></html>\n",
            encoding="utf-8",
        )


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


def _strengths(strengths: Strengths, calibrated: Mapping[str, CalibratedElo] | None) -> str:
    rows = strengths.to_frame().to_dicts()
    percent = f"{100 * strengths.level:g} %"
    headers = ["player", "games", "moves", "rating", "strength", f"interval ({percent})", "to the engine", "interval"]
    headers += ["calibrated Elo"] if calibrated is not None else []
    cells = [
        [*player_cells(row, strengths), *([calibrated_words(calibrated[row["player"]])] if calibrated else [])]
        for row in rows
    ]
    engine = strengths.engine
    span = "" if engine.interval is None or engine.given is not None else " [{:.0f}, {:.0f}]".format(*engine.interval)
    said = "" if engine.strength is None else f"The engine's strength is {engine.strength:.0f}{span}."
    caption = f"Strengths with {percent} intervals from a bootstrap over games. Hollow: the known rating."
    return (
        "<h2>Strengths</h2>"
        + figure(partial(strength_chart, strengths), caption)
        + table(headers, cells)
        + paragraphs(said)
        + download(strengths.to_frame(), "strengths.csv", "All strengths")
    )


def _calibration(calibration: Calibration) -> str:
    slope, low, high = calibration.slope
    return (
        "<h3>Calibration</h3>"
        + paragraphs(
            f"One point of rating is {slope:.3f} [{low:.3f}, {high:.3f}] points by moves, over "
            f"{len(calibration.names)} {calibration.units}s rated {calibration.range[0]:.0f} to "
            f"{calibration.range[1]:.0f}. Outside that range there is no calibrated Elo."
        )
        + figure(partial(calibration_chart, calibration), "Known ratings and differences by moves, with the fit.")
    )


def _pairs(strengths: Strengths) -> str:
    names = [row["player"] for row in strengths.to_frame().to_dicts()]
    head = "<h2>Pairs</h2>"
    link = download(strengths.pairs_frame(), "pairs.csv", "All pairs with intervals")
    if len(names) > _MATRIX:
        rows = strengths.pairs_frame().to_dicts()[:40]
        return (
            head + table(["player", "against", "expected", "difference", "interval"], [_pair(r) for r in rows]) + link
        )
    found = {}
    for row in strengths.pairs_frame().to_dicts():
        if row["difference"] is not None:
            mark = "*" if row["low"] is not None and (row["low"] > 0 or row["high"] < 0) else ""
            found[row["player_1"], row["player_2"]] = f"{row['difference']:+.0f}{mark}"
            found[row["player_2"], row["player_1"]] = f"{-row['difference']:+.0f}{mark}"
    cells = [[name, *("" if name == other else found.get((name, other), NOTHING) for other in names)] for name in names]
    return (
        head
        + paragraphs(
            "The player of the row less that of the column, in Elo points by moves. *: the interval leaves 0 out."
        )
        + table(["", *names], cells)
        + link
    )


def _pair(row: Mapping[str, object]) -> list[str]:
    span = "too few games" if row["low"] is None else f"[{row['low']:+.0f}, {row['high']:+.0f}]"
    difference = NOTHING if row["difference"] is None else f"{row['difference']:+.0f}"
    return [str(row["player_1"]), str(row["player_2"]), f"{row['expected_score']:.3f}", difference, span]


def _gains(gains: Gains) -> str:
    moves, _ = gains.counts()
    rows = [
        [
            gains.players.names[int(code)],
            f"{moves[code]:,}",
            f"{mine.mean() / 100:+.3f}",
            f"{np.median(mine) / 100:+.2f}",
            f"{np.mean(mine == 0):.1%}",
            f"{np.mean(mine <= -100):.1%}",
        ]
        for code in np.flatnonzero(moves)
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


def _trajectories(gains: Gains, strengths: Strengths) -> str:
    title = "The strength" if strengths.engine.strength is not None else "The difference to the engine"
    caption = (
        f"{title} by all moves so far, games in the order of the record, with a band of {100 * strengths.level:g} %. "
        "Where the line has not begun there is no estimate yet. From the fourth game on the moves of a game count as "
        "one cluster."
    )
    return "<h2>Move by move</h2>" + figure(partial(trajectory_charts, gains, strengths), caption)


def _events(evaluations: Evaluations, strengths: Strengths) -> str:
    """Several events on one scale; nothing where there is one, or no scale."""
    if len(evaluations.events) < 2 or strengths.engine.strength is None:
        return ""
    scale = scale_events(
        evaluations,
        engine=strengths.engine.strength,
        filters=_filters(strengths),
        replicates=_REPLICATES,
        level=strengths.level,
        min_games=strengths.min_games,
    )
    rows = [
        [
            row["event"],
            f"{row['players']}",
            number(row["strength"], 0),
            "too few games" if row["low"] is None else f"[{row['low']:.0f}, {row['high']:.0f}]",
            number(row["rating"], 0),
        ]
        for row in scale.events_frame().to_dicts()
    ]
    return (
        "<h2>Events</h2>"
        + paragraphs(f"All events on one scale, by an engine of {scale.engine:.0f}.")
        + table(["event", "players", "mean strength", "interval", "mean rating"], rows)
    )


def _conventions(evaluations: Evaluations, strengths: Strengths) -> str:
    """What a choice does to the result."""
    settings: dict[str, Any] = {"replicates": _REPLICATES, "seed": 0}
    filters = [Filters(skip_plies=16), Filters(skip_plies=24), Filters(window=200), Filters(24, 200)]
    parts = []
    for vary in (
        partial(compare_filters, evaluations, filters=filters, **settings),
        partial(vary_mate_value, evaluations, **settings),
    ):
        try:
            parts.append(_variation(vary()))
        except LudometerError as error:
            # a filter may leave out so much that players are no longer connected
            parts.append(paragraphs(f"Not shown: {error}."))
    words = (
        f"Pairs by way of the engine ({strengths.against_engine.reference}) differ from pairs compared directly by "
        f"{strengths.inconsistency:.0f} Elo points (RMS)."
        if np.isfinite(strengths.inconsistency)
        else ""
    )
    return (
        "<h2>What the choices do</h2>"
        + paragraphs("The same games under other choices, against all moves.")
        + "".join(parts)
        + paragraphs(words)
        + bullets(strengths.contradictions[:5])
    )


def _variation(found: Variation) -> str:
    rows = []
    for k, variant in enumerate(found.variants):
        change = np.abs(found.relative[k] - found.relative[0])
        largest = f"{np.nanmax(change):.0f}" if np.isfinite(change).any() else NOTHING
        order = found.rank_correlation[k]
        ranks = f"{order:.2f}" if np.isfinite(order) else NOTHING
        rows.append([variant, f"{int(found.moves[k].sum()):,}", largest, ranks])
    return table([found.kind, "moves", "largest change", "rank correlation"], rows)


def _other_measures(evaluations: Evaluations, strengths: Strengths) -> str:
    """Each where there are moves that it counts."""
    parts = []
    for describe in (_quality, _sensitivity):
        try:
            parts.append(describe(evaluations, strengths))
        except LudometerError as error:
            parts.append(paragraphs(f"Not shown: {error}."))
    return "<h2>Other measures</h2>" + "".join(parts)


def _quality(evaluations: Evaluations, strengths: Strengths) -> str:
    found = measure_quality(evaluations, replicates=_REPLICATES, level=strengths.level, min_games=strengths.min_games)
    rows = [
        [
            row["player"],
            f"{row['moves']:,}",
            number(row["loss"], 3),
            "too few games" if row["loss_low"] is None else f"[{row['loss_low']:.3f}, {row['loss_high']:.3f}]",
            percent(row["best_share"]),
            percent(row["standard_share"]),
        ]
        for row in found.to_frame().to_dicts()
    ]
    return paragraphs(
        "Guid and Bratko's: from the 12th move on and within two pawns, the mean loss of a move in pawns; the share of "
        "best moves needs two lines of the engine (--lines 2)."
    ) + table(["player", "moves", "mean loss", "interval", "best moves", "at equal difficulty"], rows)


def _sensitivity(evaluations: Evaluations, strengths: Strengths) -> str:
    if evaluations.lines is None or evaluations.lines.shape[1] < 2:
        return ""
    found = fit_sensitivity(evaluations, min_games=strengths.min_games)
    rows = [
        [row["player"], f"{row['moves']:,}", *(number(row[name], 3) for name in ("s", "s_error", "c", "c_error"))]
        for row in found.to_frame().to_dicts()
    ]
    return paragraphs(
        "Regan's: sensitivity s (smaller is better) and consistency c (larger is better), with standard errors."
    ) + table(["player", "moves", "s", "error", "c", "error"], rows)


def _method(evaluations: Evaluations, strengths: Strengths, left_out: Mapping[str, str], command: str) -> str:
    conventions, filters = evaluations.conventions, _filters(strengths)
    limit = (
        f"depth {conventions.depth}"
        if conventions.depth
        else f"{conventions.nodes:,} nodes"
        if conventions.nodes
        else ""
    )
    facts = [
        f"{evaluations.describe()}; {filters.describe()}.",
        f"Evaluations by {conventions.engine or 'an engine that is not named'}{', ' + limit if limit else ''}; a mate "
        f"is worth {conventions.mate_value / 100:g} pawns.",
        "Expected score of two players: the chance that a random move of one gained more than one of the other, "
        "ties count half. Difference: 200 √2 times the normal quantile of it. Strengths: least squares over pairs that "
        "met (Ferreira 2012).",
        f"Intervals: a Bayesian bootstrap over whole games with Student's t; fewer than {strengths.min_games} games "
        "give none.",
    ]
    facts += [
        f"{len(left_out)} games left out, such as game {name}: {why}." for name, why in list(left_out.items())[:1]
    ]
    return f"<h2>Data and method</h2>{bullets(facts)}<pre>{escape(command)}</pre>"


def _filters(strengths: Strengths) -> Filters:
    found = dict(strengths.provenance.parameters["filters"])
    return Filters(**found | {"gap": None if found["gap"] is None else tuple(found["gap"])})
