"""ludometer learn: how fast players get better, from a rating list or by following them through a record."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import (
    command_line,
    file_options,
    json_option,
    listen,
    load,
    note,
    out_path,
    refuse_options,
)
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.cli.options import Group
    from ludometer.learning import Learning

_OF_LISTS = ("file", "rating", "width", "origin", "snapshots", "plot", "json_file", "drop_bad_rows")


@click.command("learn")
@file_options()
@click.option("--rating", metavar="COLUMN", help="Column of a rating list; a file with it is no match file.")
@click.option(
    "--width",
    type=float,
    default=100,
    show_default=True,
    metavar="POINTS",
    help="Width of a rating class in Elo points.",
)
@click.option(
    "--window",
    type=click.IntRange(5),
    default=25,
    show_default=True,
    metavar="N",
    help="Games of a player that tell his level.",
)
@click.option("--k", type=float, metavar="K", help="Step of the ratings behind it.  [default: the best]")
@click.option("--start", type=float, default=1500, show_default=True, metavar="RATING", help="Rating of a newcomer.")
@click.option("--origin", type=float, metavar="RATING", help="Rating of a beginner in the learning models.")
@click.option(
    "--snapshots",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Lists of the same players in the file.",
)
@click.option("--plot", callback=out_path, metavar="FILE", help="Draw both curves: .svg.")
@json_option
def command(**options: Any) -> None:
    """Measure how fast players learn, after Smith 1994: by the shape of the ratings of FILE and by following players.

    FILE is a rating list (a column rating) or a match file. In a steady state the list tells how fast players learn in
    each class, measured in how fast they leave (L / D); a match file tells also what they gained from game to game.

    \b
    ludometer learn ratings.csv
    ludometer learn chess.pgn.zst --plot learning.svg --json learning.json
    """
    listen()
    from ludometer.learning import study_learning
    from ludometer.matches import Matches
    from ludometer.read.rating_list import collect_ratings, find_ratings
    from ludometer.report.documents import provenance_document
    from ludometer.report.files import check_suffix, write_json
    from ludometer.report.leagues import learning_document

    _check_numbers(options)
    if options["plot"]:
        check_suffix(options["plot"], (".svg",))
    target = options["json_file"]
    if target not in (None, "-") and Path(target).resolve() == Path(options["file"]).resolve():
        raise LudometerError(f"{target} is the file that is read: write to another one")
    if options["by"]:
        raise LudometerError("learning is studied in one population: choose a part of the file with --where")
    shared = {"width": options["width"], "origin": options["origin"]}
    found = find_ratings(options["file"], options["rating"])
    if found is not None:
        refuse_options("a rating list has no matches", kept=_OF_LISTS)
        listed = collect_ratings(*found, drop_bad_rows=options["drop_bad_rows"])
        note(*listed.describe())
        study = study_learning(listed.rating, **shared, snapshots=options["snapshots"])
        study = replace(study, provenance=replace(study.provenance, data=listed.fingerprint))
    else:
        refuse_options("snapshots are those of a rating list", refused=("snapshots",))
        (group,) = _load_record(options)
        assert isinstance(group.matches, Matches)
        study = study_learning(
            group.matches, **shared, games=options["window"], k=options["k"], start_rating=options["start"]
        )
    if options["json_file"] != "-":
        _show(study)
    if options["json_file"]:
        origin = provenance_document([study.provenance], command_line())
        write_json(learning_document(study) | {"provenance": origin}, options["json_file"])
    if options["plot"]:
        _draw(study, options["plot"])


def _check_numbers(options: dict[str, Any]) -> None:
    """Before anything is read: numbers that are some, as click takes nan and inf for numbers too."""
    width, step = options["width"], options["k"]
    if not (width > 0 and math.isfinite(width)):
        raise LudometerError(f"--width {width:g}: write a width above 0, such as 100")
    if step is not None and not (step > 0 and math.isfinite(step)):
        raise LudometerError(f"--k {step:g}: write a number above 0, such as 24")
    for name in ("start", "origin"):
        if options[name] is not None and not math.isfinite(options[name]):
            raise LudometerError(f"--{name} {options[name]:g}: write a rating, such as 1500")


def _load_record(options: dict[str, Any]) -> list[Group]:
    try:
        return load(options)
    except LudometerError as error:
        if "no columns hold the two players" not in str(error):
            raise
        raise type(error)(f"{error}. A rating list has a column rating, or one that --rating names") from error


def _show(study: Learning) -> None:
    from ludometer.report.text import format_table

    click.echo(study.summary() + "\n")
    followed = study.tracked is not None
    headers = ["rating", "players", "L / D", "error", *(["gained a game", "error"] if followed else [])]

    def cell(value: float | None, form: str) -> str:
        return "-" if value is None else format(value, form)

    rows = [
        [
            f"{row['from']:.0f} to {row['to']:.0f}",
            f"{row['players']:,}",
            cell(row["learning_over_death"], ".0f"),
            cell(row["learning_over_death_error"], ".0f"),
            *([cell(row["tracked_per_game"], "+.2f"), cell(row["tracked_per_game_error"], ".2f")] if followed else []),
        ]
        for row in study.to_frame().iter_rows(named=True)
        if row["players"]
    ]
    click.echo(format_table(headers, rows))


def _draw(study: Learning, path: Any) -> None:
    from ludometer.drawing import to_svg
    from ludometer.report.files import replacing

    with replacing(path) as draft:
        draft.write_text(to_svg(study.plot()), encoding="utf-8")
    note(f"wrote {path}")
