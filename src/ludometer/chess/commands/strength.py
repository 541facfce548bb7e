"""What `chess strength` and `chess calibrate` do: evaluations from wherever they are, one library call, outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.chess.commands.options import check_targets, filters_of, ratings_of
from ludometer.chess.commands.source import Loaded, load_evaluations, reference_of
from ludometer.cli.options import command_line, note

if TYPE_CHECKING:
    from ludometer.chess import CalibratedElo, Calibration, Study

_PLAYERS = 40


def measure_and_write(options: dict[str, Any]) -> None:
    """The command `chess strength`."""
    from ludometer.chess import load_calibration, study_strengths

    calibration = load_calibration(options["calibration"]) if options["calibration"] else None
    ratings, filters = ratings_of(options), filters_of(options)
    loaded = load_evaluations(options)
    study = study_strengths(
        loaded.evaluations,
        ratings=ratings,
        filters=filters,
        distribution=options["distribution"],
        method=options["method"],
        reference=reference_of(options, loaded.evaluations, calibration),
        engine=options["engine_strength"],
        level=options["level"],
        replicates=options["replicates"],
        min_games=options["min_games"],
        seed=options["seed"],
        anchor=options["anchor"],
        compared=options["compared"],
        # the page shows everything
        choices=options["choices"] or options["html"] is not None,
        measures=options["measures"] or options["html"] is not None,
    )
    calibrated = calibration.apply(study.strengths) if calibration else None
    if calibration is not None and calibration.slope[1] <= 0:
        note("the slope of the calibration may be 0: its Elo points tell little, and their intervals have no ends")
    if options["json_file"] != "-":
        _tell(study, calibrated, options)
    _write(loaded, study, calibrated, calibration, options)


def calibrate_and_write(options: dict[str, Any]) -> None:
    """The command `chess calibrate`."""
    from ludometer.chess import calibrate
    from ludometer.chess.report.documents import calibration_document
    from ludometer.report.files import check_suffix, replacing, write_json

    check_targets(options)
    check_suffix(options["out"], (".json",))
    ratings, filters = ratings_of(options), filters_of(options)
    loaded = load_evaluations(options)
    found = calibrate(
        loaded.evaluations,
        ratings=ratings,
        units=options["units"],
        bands=options["bands"],
        filters=filters,
        reference=reference_of(options, loaded.evaluations, None),
        level=options["level"],
        min_games=options["min_games"],
        seed=options["seed"],
    )
    with replacing(options["out"]) as draft:
        found.save(draft)
    note(f"wrote {options['out']}")
    if options["json_file"] != "-":
        click.echo(found.summary())
    if options["json_file"]:
        document = calibration_document(found) | {"provenance": provenance(found.provenance.data, options["seed"])}
        write_json(document, options["json_file"])


def provenance(data: str | None, seed: int | None) -> dict[str, Any]:
    """Where a document comes from."""
    from ludometer.report.documents import provenance_document
    from ludometer.result import Provenance

    return provenance_document([Provenance("chess", {}, data, seed)], command_line())


def _tell(study: Study, calibrated: dict[str, CalibratedElo] | None, options: dict[str, Any]) -> None:
    from ludometer.chess.report import text as chess_text

    strengths = study.strengths
    parts = [
        chess_text.strengths_table(strengths, calibrated, top=_PLAYERS) + f"\n\n{chess_text.engine_words(strengths)}"
    ]
    parts += [chess_text.events_table(study.events)] if study.events else []
    parts += [chess_text.comparison_table(study.comparison)] if study.comparison else []
    if options["choices"]:
        parts += [chess_text.variation_table(found) for found in (study.filters, study.mate_values) if found]
    if options["measures"]:
        parts += [chess_text.quality_table(study.quality, top=_PLAYERS)] if study.quality else []
        parts += [chess_text.sensitivity_table(study.sensitivity, top=_PLAYERS)] if study.sensitivity else []
    click.echo("\n\n".join([*parts, *chess_text.absent_lines(study, _asked(options))]))


def _asked(options: dict[str, Any]) -> list[str]:
    """What is told on the terminal; the page shows more."""
    choices = ["filters", "mate_values"] if options["choices"] else []
    return ["events", *choices, *(["quality", "sensitivity"] if options["measures"] else [])]


def _write(
    loaded: Loaded,
    study: Study,
    calibrated: dict[str, CalibratedElo] | None,
    calibration: Calibration | None,
    options: dict[str, Any],
) -> None:
    from ludometer.chess.report.documents import strengths_document
    from ludometer.report.files import write_json

    evaluations, left_out = loaded.evaluations, loaded.left_out
    if options["json_file"]:
        document = strengths_document(study, evaluations, left_out=left_out, calibrated=calibrated)
        document["provenance"] = provenance(study.provenance.data, study.provenance.seed)
        write_json(document, options["json_file"])
    if options["annotated"]:
        _write_annotated(loaded, options["annotated"])
    if options["html"]:
        from ludometer.chess.report.page import write_chess_page

        write_chess_page(
            evaluations,
            study,
            options["html"],
            title=loaded.title,
            command=command_line(),
            left_out=left_out,
            calibrated=calibrated,
            calibration=calibration,
        )
        note(f"wrote {options['html']}")


def _write_annotated(loaded: Loaded, path: Path) -> None:
    from ludometer.chess.report.annotation import annotate
    from ludometer.report.files import replacing

    with replacing(path) as draft:
        draft.write_text(annotate(loaded.games or [], loaded.evaluations), encoding="utf-8")
    note(f"wrote {path}")
