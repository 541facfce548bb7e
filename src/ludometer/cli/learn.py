"""ludometer learn: how fast players improve, from a rating list or by following them through a record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludometer.cli.declared import Number, OutFile, argument, group, option, refuse_options, takes
from ludometer.cli.loading import load
from ludometer.cli.screen import listen, note
from ludometer.cli.shared import FileOptions, JsonOption, check_targets
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.learning import Learning
    from ludometer.matches import Matches

_OF_LISTS = ("file", "rating", "width", "origin", "snapshots", "plot", "json_file", "drop_bad_rows")


@dataclass(frozen=True)
class LearnOptions:
    """All of them."""

    file: str = argument()
    reading: FileOptions = group(FileOptions)
    rating: str | None = option(
        "--rating", show_default="rating or elo", metavar="COLUMN", help="Rating column, if FILE is a rating list."
    )
    width: float = option(
        "--width",
        type=Number(0, min_open=True, example=100),
        default=100,
        metavar="POINTS",
        help="Width of a rating class in Elo points.",
    )
    window: int = option(
        "--window",
        type=click.IntRange(5),
        default=25,
        metavar="N",
        help="Number of games from which a player's level is estimated.",
    )
    k: float | None = option(
        "--k",
        type=Number(0, min_open=True, example=24),
        show_default="the best",
        metavar="K",
        help="Elo step of the underlying ratings.",
    )
    start: float = option(
        "--start", type=Number(example=1500), default=1500, metavar="RATING", help="Rating of new players."
    )
    origin: float | None = option(
        "--origin", type=Number(example=1500), metavar="RATING", help="Rating of a beginner in the learning models."
    )
    snapshots: int = option(
        "--snapshots",
        type=click.IntRange(1),
        default=1,
        metavar="N",
        help="Number of lists of the same players in FILE.",
    )
    plot: Path | None = option("--plot", type=OutFile(".svg"), metavar="FILE", help="Draw both curves to this .svg.")
    json: JsonOption = group(JsonOption)


@click.command("learn")
@takes(LearnOptions)
def command(options: LearnOptions) -> None:
    """Measure how fast players learn (Smith 1994), from the distribution of ratings and by following players.

    FILE is a rating list (with a column rating) or a match file. In a steady state, the list shows for each class how
    fast players learn relative to how fast they leave (L / D); a match file also shows what they gained per game.

    \b
    ludometer learn ratings.csv
    ludometer learn chess.pgn.zst --plot learning.svg --json learning.json
    """
    listen()
    from ludometer.report.presenter import present, write_text

    check_targets([options.file], options.json.json_file, options.plot)
    if options.reading.by:
        raise LudometerError("learning is studied in one population: choose a part of the file with --where")
    study = _study(options)
    present(study, options.json.output, text=lambda: _text(study))
    if options.plot:
        from ludometer.chart_style import to_svg

        write_text(to_svg(study.plot()), options.plot)


def _study(options: LearnOptions) -> Learning:
    """The study of a list or of a record, whichever the file is."""
    from ludometer.learning import study_learning
    from ludometer.read.rating_list import collect_ratings, find_ratings

    found = find_ratings(options.file, options.rating)
    if found is None:
        refuse_options("only a rating list has snapshots", refused=("snapshots",))
        return study_learning(
            _load_record(options),
            width=options.width,
            origin=options.origin,
            games=options.window,
            k=options.k,
            start_rating=options.start,
        )
    refuse_options("a rating list has no matches", kept=_OF_LISTS)
    listed = collect_ratings(*found, drop_bad_rows=options.reading.drop_bad_rows)
    note(*listed.describe())
    study = study_learning(listed.rating, width=options.width, origin=options.origin, snapshots=options.snapshots)
    return replace(study, provenance=replace(study.provenance, data=listed.fingerprint))


def _load_record(options: LearnOptions) -> Matches:
    from ludometer.read.columns.names import ColumnsNotFound

    try:
        (loaded,) = load(options.file, options.reading)
    except ColumnsNotFound as error:
        raise ColumnsNotFound(f"{error}\nA rating list has a column rating, or one that --rating names") from None
    return loaded.record


def _text(study: Learning) -> str:
    """The summary, and one line per class."""
    from ludometer.wording import format_table

    followed = study.tracked is not None
    headers = ["rating", "players", "L / D", "error", *(["gain per game", "error"] if followed else [])]

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
    return f"{study.summary()}\n\n{format_table(headers, rows)}"
