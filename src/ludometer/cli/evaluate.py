"""ludometer evaluate: rating systems compared by predicting before updating."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import (
    document,
    file_options,
    json_option,
    listen,
    load,
    named,
    note,
    prizes_of,
    stream_option,
)
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.ratings import Evaluation


@click.command("evaluate")
@file_options()
@stream_option
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="SYSTEM",
    help="Rating system, such as elo:k=32; may be repeated.  [default: those above]",
)
@click.option(
    "--from", "since", metavar="DATE", help="Score only matches from this time on; earlier ones are played only."
)
@click.option(
    "--bins",
    type=click.IntRange(1, 100),
    default=10,
    show_default=True,
    metavar="N",
    help="Bins of the calibration curve.",
)
@click.option("--timing", is_flag=True, help="Add the seconds each system took.")
@json_option
def command(**options: Any) -> None:
    """Score rating systems on FILE by their forecasts, each made before its match, best first.

    Systems: elo, best-fit, static, dynamic, dynamic-shrinking, ics, smith, glicko2; matches of several have the first
    two. Differences are those of log loss to the best system, with their standard errors over matches.

    \b
    ludometer evaluate games.csv
    ludometer evaluate games.csv --system elo:k=16 --system glicko2:tau=0.5
    ludometer evaluate results.parquet --from 2015-01-01 --json -
    """
    listen()
    from ludometer.ratings import evaluate
    from ludometer.ratings.catalogue import make_system
    from ludometer.report.files import write_json
    from ludometer.report.text import printable

    prizes = prizes_of(options)
    systems = [make_system(text, prizes=prizes) for text in options["systems"]] or None
    done = []
    for group in load(options):
        with named(group):
            result = evaluate(
                group.matches, systems=systems, since=options["since"], bins=options["bins"], prizes=prizes
            )
        if options["json_file"] != "-":
            if group.value is not None:
                click.echo(f"{options['by']}: {printable(group.value)}")
            click.echo(result.summary())
            fitted = [score.system for score in result.systems if score.parameters.get("in_sample")]
            if fitted:
                note(f"fitted to the matches they are scored on: {', '.join(fitted)}; --from DATE fits to earlier ones")
            if options["timing"]:
                click.echo("\n".join(f"{score.system}: {score.seconds:.3f} seconds" for score in result.systems))
            click.echo(_calibration_table(result))
        body = result.document(timing=options["timing"])
        done.append((group, body | {"data": group.count(result)}, result.provenance))
    if options["json_file"]:
        write_json(document(done, options["by"]), options["json_file"])


def _calibration_table(evaluation: Evaluation) -> str:
    """What the favourites of the best system scored, beside what was expected."""
    from ludometer.report.text import format_table

    best = evaluation.ranking[0]
    rows = (
        [
            f"{percent(row['low'], 0)} to {percent(row['high'], 0)}",
            percent(row["forecast"]),
            percent(row["score"]),
            f"{row['n']:,}",
        ]
        for row in best.calibration.to_frame().iter_rows(named=True)
    )
    table = format_table(["favourite expected", "on average", "scored", "matches"], rows)
    return f"\nDo the forecasts of {best.system} come true?\n{table}\n"
