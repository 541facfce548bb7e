"""ludometer noise: how far ratings lie from the truth, and the step that is best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import (
    command_line,
    file_options,
    json_option,
    listen,
    load,
    note,
    refuse_options,
    simulation_options,
    workers_of,
)
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.result import Provenance


@click.command("noise")
@file_options(optional=True)
@click.option(
    "--sigma", type=float, metavar="POINTS", help="SD of the players' true strengths.  [default: that of FILE]"
)
@click.option("--games", type=float, metavar="G", help="Mean games in a player's lifetime.  [default: those of FILE]")
@click.option(
    "--h",
    "step",
    type=float,
    default=32,
    show_default=True,
    metavar="H",
    help="Step: the winner gains h / 2 (1 - E), k is h / 2.",
)
@click.option("--entry-error", type=float, metavar="POINTS", help="Error of a newcomer's rating.  [default: sigma]")
@click.option(
    "--lifetimes", type=click.Choice(["fixed", "exponential"]), default="fixed", show_default=True, help="Their shape."
)
@click.option("--printed", is_flag=True, help="The formulas as Smith printed them, which are wrong.")
@click.option("--period", metavar="PERIOD", help="Of the drift of FILE: day, week, month, year or a number.")
@simulation_options
@json_option
def command(**options: Any) -> None:
    """Compute the noise in ratings that a step h gives, and the h that is best (after Smith 1994, corrected).

    Without FILE a calculator. With FILE the SD of strengths and the games of a player come from the record, and what
    else disturbs its ratings is told: triangles (A beats B beats C beats A) and drift by period.

    \b
    ludometer noise --sigma 324 --games 35 --h 64
    ludometer noise --sigma 324 --games 35 --h 64 --printed
    ludometer noise league.csv --h 32 --period year
    """
    listen()
    from ludometer.report.documents import provenance_document
    from ludometer.report.files import write_json

    body, lines, origin = _of_file(options) if options["file"] else _calculate(options)
    if options["json_file"] != "-":
        click.echo("\n".join(lines))
    if options["json_file"]:
        write_json(body | {"provenance": provenance_document([origin], command_line())}, options["json_file"])


def _calculate(options: dict[str, Any]) -> tuple[dict[str, Any], list[str], Provenance]:
    from ludometer.ratings import measure_noise, measure_printed_noise
    from ludometer.report.leagues import noise_document, printed_noise_document

    for name in ("sigma", "games"):
        if options[name] is None:
            raise click.UsageError(f"--{name} is needed where there is no FILE to take it from")
    kept = ("sigma", "games", "step", "entry_error", "lifetimes", "printed", "json_file")
    refuse_options("there is no FILE", kept=kept)
    numbers = {"sd": options["sigma"], "games": options["games"], "step": options["step"]}
    if options["printed"]:
        if options["entry_error"] is not None or options["lifetimes"] != "fixed":
            raise LudometerError("the printed formulas know no --entry-error and no --lifetimes")
        printed = measure_printed_noise(**numbers)
        return printed_noise_document(printed), printed.summary().splitlines(), printed.provenance
    noise = measure_noise(**numbers, entry_error=options["entry_error"], lifetimes=options["lifetimes"])
    return noise_document(noise), noise.summary().splitlines(), noise.provenance


def _of_file(options: dict[str, Any]) -> tuple[dict[str, Any], list[str], Provenance]:
    from ludometer.matches import Matches
    from ludometer.ratings import Dynamic, estimate_noise, measure_drift, measure_noise, measure_triangles
    from ludometer.report.leagues import (
        drift_absences,
        drift_document,
        noise_document,
        triangles_absences,
        triangles_document,
    )

    if options["printed"]:
        raise LudometerError("--printed is the calculator's: give --sigma and --games instead of a file")
    if options["by"]:
        raise LudometerError("noise is told of one league: choose a part of the file with --where")
    (group,) = load(options)
    matches, seed = group.matches, options["seed"]
    assert isinstance(matches, Matches)
    settings = {"step": options["step"], "entry_error": options["entry_error"], "lifetimes": options["lifetimes"]}
    noise = estimate_noise(matches, **settings, seed=seed)
    if options["sigma"] is not None or options["games"] is not None:
        sd = noise.sd if options["sigma"] is None else options["sigma"]
        games = noise.games if options["games"] is None else options["games"]
        noise = measure_noise(sd=sd, games=games, **settings)
    lines, absent, triangles = noise.summary().splitlines(), {}, None
    try:
        triangles = measure_triangles(matches, seed=seed, workers=workers_of(options))
        lines += ["", "Triangles", *triangles.summary().splitlines()]
    except LudometerError as error:
        absent["triangles"] = str(error)
        note(f"no triangles: {error}")
    period = options["period"]
    drift = measure_drift(matches, system=Dynamic(h=options["step"]), period=_period(period))
    lines += ["", "Drift", *drift.summary().splitlines()]
    body = noise_document(noise) | {
        "triangles": None if triangles is None else triangles_document(triangles),
        "drift": drift_document(drift),
    }
    body["absent"] |= absent | drift_absences(drift)
    if triangles is not None:
        body["absent"] |= triangles_absences(triangles)
    return body, lines, noise.provenance


def _period(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
