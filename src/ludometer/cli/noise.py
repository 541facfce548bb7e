"""ludometer noise: how far ratings are from the truth, and the best update step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ludometer.cli.declared import Number, argument, group, option, refuse_options, takes
from ludometer.cli.loading import load
from ludometer.cli.screen import listen, note
from ludometer.cli.shared import FileOptions, JsonOption, WorkOptions, check_targets
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.ratings.noise.noise import Lifetimes

_OF_CALCULATOR = ("sigma", "games", "step", "entry_error", "lifetimes", "printed", "json_file")


@dataclass(frozen=True)
class NoiseOptions:
    """All of them."""

    file: str | None = argument(required=False)
    reading: FileOptions = group(FileOptions)
    sigma: float | None = option(
        "--sigma",
        type=Number(example=324),
        show_default="estimated from FILE",
        metavar="POINTS",
        help="SD of the players' true strengths.",
    )
    games: float | None = option(
        "--games",
        type=Number(example=35),
        show_default="counted in FILE",
        metavar="G",
        help="Mean number of games in a player's career.",
    )
    step: float = option(
        "--h",
        type=Number(example=32),
        default=32,
        metavar="H",
        help="Update step: the winner gains h / 2 (1 - E); k is h / 2.",
    )
    entry_error: float | None = option(
        "--entry-error",
        type=Number(example=200),
        show_default="sigma",
        metavar="POINTS",
        help="Error of a new player's rating.",
    )
    lifetimes: Lifetimes = option(
        "--lifetimes",
        type=click.Choice(["fixed", "exponential"]),
        default="fixed",
        help="Distribution of career lengths.",
    )
    printed: bool = option("--printed", is_flag=True, help="Use the formulas as Smith printed them, which are wrong.")
    period: str | None = option(
        "--period", metavar="PERIOD", help="Periods for the drift in FILE: day, week, month, year or a number."
    )
    work: WorkOptions = group(WorkOptions)
    json: JsonOption = group(JsonOption)


@click.command("noise")
@takes(NoiseOptions)
def command(options: NoiseOptions) -> None:
    """Estimate the rating error for an update step h, and the best h (after Smith 1994, corrected).

    Without FILE this is a calculator. With FILE the SD of strengths and the number of games come from the record, and
    the output adds what else disturbs its ratings: triangles (A beats B beats C beats A) and drift by period.

    \b
    ludometer noise --sigma 324 --games 35 --h 64
    ludometer noise --sigma 324 --games 35 --h 64 --printed
    ludometer noise league.csv --h 32 --period year
    """
    listen()
    if options.file:
        _study_file(options.file, options)
    else:
        _calculate(options)


def _calculate(options: NoiseOptions) -> None:
    from ludometer.ratings import measure_noise, measure_printed_noise
    from ludometer.report.presenter import present

    if options.sigma is None or options.games is None:
        missing = "--sigma" if options.sigma is None else "--games"
        raise click.UsageError(f"{missing} is needed if there is no FILE")
    refuse_options("there is no FILE", kept=_OF_CALCULATOR)
    numbers = {"sd": options.sigma, "games": options.games, "step": options.step}
    if options.printed:
        refuse_options("the printed formulas do not have this option", refused=("entry_error", "lifetimes"))
        present(measure_printed_noise(**numbers), options.json.output)
        return
    noise = measure_noise(**numbers, entry_error=options.entry_error, lifetimes=options.lifetimes)
    present(noise, options.json.output)


def _study_file(file: str, options: NoiseOptions) -> None:
    from ludometer.ratings import study_noise
    from ludometer.report.presenter import present

    if options.printed:
        raise LudometerError("--printed needs no file: give --sigma and --games instead")
    if options.reading.by:
        raise LudometerError("noise is estimated for one league: choose a part of the file with --where")
    check_targets([file], options.json.json_file)
    (loaded,) = load(file, options.reading)
    study = study_noise(
        loaded.record,
        step=options.step,
        sd=options.sigma,
        games=options.games,
        entry_error=options.entry_error,
        lifetimes=options.lifetimes,
        period=_period(options.period),
        seed=options.work.seed,
        workers=options.work.workers,
    )
    if study.no_triangles:
        note(f"no triangles: {study.no_triangles}")
    present(study, options.json.output)


def _period(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
