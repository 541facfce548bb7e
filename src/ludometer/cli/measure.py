"""ludometer measure: how much skill, how much luck."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import command_line, file_options, json_option, listen, load, note, out_path
from ludometer.errors import LudometerError, MatchDataError, NoFiniteFit

if TYPE_CHECKING:
    from ludometer.luck import Measurement


@click.command("measure")
@file_options(several=True)
@click.option("--quick", is_flag=True, help="Leave out what has to be simulated.")
@click.option("--cutoffs", default="25,1,100", show_default=True, help="Players with at least so many matches count.")
@click.option(
    "--search",
    type=click.Choice(["lanes", "printed"]),
    default="lanes",
    show_default=True,
    help="How the best k is found; printed is the paper's own procedure.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For what is simulated.")
@click.option("--html", callback=out_path, metavar="FILE", help="Write a report as one self-contained page.")
@json_option
def command(**options: Any) -> None:
    """Measure how much skill the game in FILE shows; several files are compared.

    The measure is the spread of best-fit Elo ratings (Duersch, Lambrecht, Oechssler 2020).

    \b
    ludometer measure games.csv --html report.html
    ludometer measure chess.parquet poker.parquet --by site --json -
    """
    listen()
    from ludometer.luck import measure
    from ludometer.matches import Matches
    from ludometer.report.files import write_json

    cutoffs = _cutoffs(options["cutoffs"])
    settings: dict[str, Any] = {
        "cutoffs": cutoffs,
        "min_component": options["min_component"],
        "procedure": options["search"],
        "quick": options["quick"],
        "seed": options["seed"],
    }
    games: list[tuple[str, Measurement]] = []
    refused: dict[str, str] = {}
    is_one = len(options["file"]) == 1 and not options["by"]
    for file in options["file"]:
        for group in load(options | {"file": file, "min_component": None}, connect=False):
            name = Path(file).name.split(".")[0] if file != "-" else "standard input"
            name += f", {options['by']} {group.value}" if group.value is not None else ""
            assert isinstance(group.matches, Matches)
            try:
                games.append((name, measure(group.matches, **settings)))
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
    if options["json_file"] != "-" and len(games) > 1:
        compare(games)
    if options["json_file"]:
        write_json(_document(games, None if is_one else refused), options["json_file"])
    if options["html"]:
        from ludometer.report.page import write_page

        write_page(games, options["html"], command=command_line())
        note(f"wrote {options['html']}")


def _cutoffs(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError as error:
        raise LudometerError(f"--cutoffs {text}: write whole numbers with commas, such as 25,1,100") from error


def show(name: str, game: Measurement) -> None:
    """Print one game: what it rests on, the answer, what it means."""
    from ludometer.report.text import printable

    dropped = f" · {game.dropped_matches:,} matches dropped: not connected" if game.dropped_matches else ""
    click.echo(
        f"{printable(name)}     {game.n_matches:,} matches · {game.n_players:,} players · "
        f"{game.n_regulars:,} regulars (25 matches or more){dropped}\n"
    )
    click.echo(game.summary() + "\n")


def compare(games: list[tuple[str, Measurement]]) -> None:
    """Print several games side by side."""
    from ludometer.report.text import format_table

    rows = [
        [
            name,
            f"{game.main.sd:.1f}" if game.main.sd is not None else "-",
            f"{game.main.p_sd:.1%}" if game.main.p_sd is not None else "-",
            f"{game.main.rep:,}" if game.main.rep else "-",
            f"{game.n_matches:,}",
        ]
        for name, game in _ordered(games)
    ]
    click.echo(format_table(["game, most skill first", "SD", "one SD better", "games needed", "matches"], rows))


def _ordered(games: list[tuple[str, Measurement]]) -> list[tuple[str, Measurement]]:
    return sorted(games, key=lambda game: -(game[1].main.sd if game[1].main.sd is not None else -1))


def _document(games: list[tuple[str, Measurement]], refused: dict[str, str] | None) -> dict[str, Any]:
    """One game, or several with those that were refused."""
    from ludometer.report.documents import measurement_document, provenance_document

    origin = {"provenance": provenance_document([game.provenance for _, game in games], command_line())}
    if refused is None:
        return measurement_document(games[0][1]) | origin
    return {
        "games": [{"name": name} | measurement_document(game) for name, game in games],
        "comparison": {"order": [name for name, _ in _ordered(games)]},
        "absent": {f"games.{name}": reason for name, reason in refused.items()},
    } | origin
