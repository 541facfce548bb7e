"""ludometer measure: how much skill, how much luck."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.loading import load_by_usual_names
from ludometer.cli.options import (
    WordedDefault,
    base_option,
    command_line,
    counting,
    file_options,
    html_option,
    json_option,
    listen,
    load,
    note,
    prizes_of,
    simulation_options,
    workers_of,
)
from ludometer.errors import LudometerError, MatchDataError, NoFiniteFit
from ludometer.wording import percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludometer.matches import Matches
    from ludometer.measurement import Comparison, LuckChoices, Measurement, Reference


@click.command("measure")
@file_options(several=True)
@click.option("--quick", is_flag=True, help="Leave out what has to be simulated: intervals, yardstick, verdict.")
@click.option(
    "--cutoffs",
    default="25,1,100",
    show_default=True,
    metavar="N,...",
    help="Players with at least so many matches count.",
)
@click.option(
    "--search",
    type=click.Choice(["lanes", "printed"]),
    default="lanes",
    show_default=True,
    help="How the best k is found; printed is the paper's own procedure.",
)
@base_option
@click.option(
    "--share",
    metavar="SHARE",
    help="Share of the matches that are played, the rest being coins: bounds expectations; fit finds it.",
)
@click.option(
    "--reference",
    metavar="FILE",
    help="A record (usual column names) of the game to compare with, instead of chess.",
)
@click.option(
    "--replicates",
    cls=WordedDefault,
    type=click.IntRange(19),
    show_default="by size of the file",
    metavar="N",
    help="Simulated games for each interval.",
)
@click.option(
    "--ridge",
    default="0.25",
    show_default=True,
    metavar="LAMBDA",
    help="Penalty of the skills for L and ℓ²; cv takes the one that predicts best.",
)
@click.option(
    "--luck-model",
    type=click.Choice(["probit", "logit"]),
    default="probit",
    show_default=True,
    help="Performances behind these skills: normal, or Gumbel.",
)
@click.option(
    "--luck-prior",
    default="uniform:10",
    show_default=True,
    metavar="PRIOR",
    help="Prior of the spread of skills: uniform:10, or invgamma:2,1 as printed.",
)
@click.option(
    "--luck-draws",
    cls=WordedDefault,
    type=click.IntRange(0),
    show_default="by size of the file",
    metavar="N",
    help="Effective draws of that spread, 0 for none.",
)
@simulation_options
@html_option
@json_option
def command(**options: Any) -> None:
    """Measure how much skill the game in FILE shows; several files are compared.

    The measure is the spread of best-fit Elo ratings (Duersch, Lambrecht, Oechssler 2020). The verdict rests on
    benchmark games simulated on the same schedule.

    \b
    ludometer measure games.csv --html report.html
    ludometer measure chess.parquet poker.parquet --by site --json -
    ludometer measure races.csv --prizes linear --reference chess.parquet
    """
    listen()
    from ludometer.matches import Matches
    from ludometer.measurement import compare_games, measure
    from ludometer.report.files import write_json
    from ludometer.report.presenter import show as present_text

    settings: dict[str, Any] = {
        "cutoffs": _cutoffs(options["cutoffs"]),
        "min_component": options["min_component"],
        "procedure": options["search"],
        "prizes": prizes_of(options),
        "base": options["base"],
        "quick": options["quick"],
        "replicates": options["replicates"],
        "luck": _luck_choices(options),
        "seed": options["seed"],
        "workers": workers_of(options),
    }
    if options["reference"] and not options["quick"]:
        settings["reference"] = _reference(options)
    games: list[tuple[str, Measurement]] = []
    remarks: dict[str, tuple[str, ...]] = {}
    refused: dict[str, str] = {}
    is_one = len(options["file"]) == 1 and not options["by"]
    for file in options["file"]:
        for group in load(options | {"file": file, "min_component": None}, connect=False):
            name = Path(file).name.split(".")[0] if file != "-" else "standard input"
            name += f", {options['by']} {group.value}" if group.value is not None else ""
            name = _unlike(name, [known for known, _ in games])
            assert isinstance(group.matches, Matches)
            remarks[name] = group.remarks
            try:
                if options["share"]:
                    settings["share"] = _share(options["share"], group.matches)
                with _simulating() as on_progress:
                    games.append((name, measure(group.matches, **settings, on_progress=on_progress)))
            except (MatchDataError, NoFiniteFit) as error:
                if is_one:
                    raise
                # the other games are still wanted
                refused[name] = str(error)
                note(f"{name} cannot be measured: {error}")
                continue
            if options["json_file"] != "-":
                show(*games[-1])
    if not games:
        raise MatchDataError("none of the games can be measured: " + "; ".join(refused))
    comparison = None if is_one else compare_games(games, refused=refused)
    if options["json_file"] != "-" and comparison is not None and len(games) > 1:
        present_text(comparison.summary())
    if options["json_file"]:
        write_json(_document(games, comparison), options["json_file"])
    if options["html"]:
        from ludometer.report.page import render_page
        from ludometer.report.presenter import write_text

        write_text(render_page(games, command=command_line(), remarks=remarks), options["html"])


def _unlike(name: str, known: list[str]) -> str:
    """The name, numbered if another file has it too."""
    alike = (f"{name} ({number})" for number in range(2, len(known) + 3))
    return next(alike_name for alike_name in (name, *alike) if alike_name not in known)


def _cutoffs(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError as error:
        raise LudometerError(f"--cutoffs {text}: write whole numbers with commas, such as 25,1,100") from error


def _luck_choices(options: dict[str, Any]) -> LuckChoices:
    from ludometer.measurement import LuckChoices
    from ludometer.measurement.luck.population import make_prior

    text, ridge = options["ridge"], None
    if text != "cv":
        try:
            ridge = float(text)
        except ValueError as error:
            raise LudometerError(f"--ridge {text}: write a number, such as 0.25, or cv") from error
    if ridge is not None and not (ridge >= 0 and math.isfinite(ridge)):
        raise LudometerError(f"--ridge {text}: write a number from 0 up, such as 0.25, or cv")
    try:
        make_prior(options["luck_prior"])
    except LudometerError:
        prior = options["luck_prior"]
        raise LudometerError(f"--luck-prior {prior}: write a prior, such as uniform:10 or invgamma:2,1") from None
    return LuckChoices(
        "cv" if ridge is None else ridge, options["luck_model"], options["luck_prior"], options["luck_draws"]
    )


def _share(text: str, matches: Matches) -> float:
    """A share of matches as a fraction, or the one that fits best."""
    from ludometer.ratings import fit_share

    if text == "fit":
        share = fit_share(matches)
        note(f"bounded forecasts fit best if {percent(share)} of the matches are played and the rest are coins")
        return share
    try:
        return float(text)
    except ValueError as error:
        raise LudometerError(f"--share {text}: write a fraction such as 0.5, or fit") from error


def _reference(options: dict[str, Any]) -> Reference:
    """The game to compare with, read with the usual names of columns."""
    from ludometer.measurement import measure_reference

    file = options["reference"]
    matches = load_by_usual_names(file, "--reference")
    name = Path(file).name.split(".")[0]
    found = measure_reference(name, matches, seed=options["seed"], workers=workers_of(options))
    note(f"{name}: players' skills have an SD of {found.sd:.0f}, {percent(found.draws, 0)} of its matches are drawn")
    return found


@contextmanager
def _simulating() -> Iterator[Callable[[int, int], None] | None]:
    """Progress of the simulations, whose number grows as they go."""
    with counting("simulating", "games", total=1) as update:
        yield update


def show(name: str, game: Measurement) -> None:
    """Print one game: what it rests on, and the answer."""
    from ludometer.measurement.summary import describe_record
    from ludometer.report.presenter import show as present_text

    present_text(f"{name}     {describe_record(game.data)}\n\n{game.summary()}\n")


def _document(games: list[tuple[str, Measurement]], comparison: Comparison | None) -> dict[str, Any]:
    """One game, or several with those that were refused."""
    from ludometer.report.presenter import describe_provenance

    origins = [game.provenance for _, game in games] if comparison is None else [comparison.provenance]
    body = games[0][1].document() if comparison is None else comparison.document()
    return body | {"provenance": describe_provenance(origins, command_line())}
