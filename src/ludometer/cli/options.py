"""Options as dictionaries, for commands that are not yet declared: use `declared`, `shared`, `screen`, `loading`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ludometer.cli import loading
from ludometer.cli.declared import InOrder, WordedDefault, refuse_options
from ludometer.cli.loading import Group, named
from ludometer.cli.screen import counting, listen, note
from ludometer.cli.shared import FileOptions, command_line
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.parallel import Workers
    from ludometer.ratings.prizes import Prizes
    from ludometer.result import Provenance

__all__ = [
    "Group",
    "InOrder",
    "WordedDefault",
    "add_options",
    "command_line",
    "counting",
    "listen",
    "named",
    "note",
    "refuse_options",
]

Command = TypeVar("Command", bound=Callable[..., Any])


def add_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one decorator, in this order in the help."""

    def add(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def file_options(*, several: bool = False, optional: bool = False) -> Callable[[Command], Command]:
    """The file, or several, and everything that says how to read it."""
    return add_options(
        click.argument("file", nargs=-1 if several else 1, required=not optional),
        click.option("--first", metavar="COLUMN", help="Column of the first player."),
        click.option("--second", metavar="COLUMN", help="Column of the second player."),
        click.option(
            "--score",
            metavar="COLUMN[,COLUMN]",
            help="Column of the result or the winner, or two of points; first-won: the first player won every match.",
        ),
        click.option("--time", metavar="COLUMN", help="Column that orders the matches; none: the order of the file."),
        click.option("--match", metavar="COLUMN", help="Column of the match, where a row is a player in a match."),
        click.option("--player", metavar="COLUMN", help="Column of the player, likewise."),
        click.option("--place", metavar="COLUMN", help="Column of the place, likewise; 1 is best."),
        click.option(
            "--prizes",
            metavar="RULE",
            help="Worth of places: winner, linear, top-heavy, 50,30,20, COLUMN or FILE.",
        ),
        click.option("--order", metavar="COLUMN,...", help="Columns that order the matches instead of a time."),
        click.option("--date-format", metavar="FORMAT", help="How dates are written, such as %d/%m/%Y."),
        click.option("--where", metavar="FILTER", help="Rows that count, such as \"season = 2015 and not playoff\"."),
        click.option("--by", metavar="COLUMN", help="Run once for each value of this column."),
        click.option("--min-component", type=click.IntRange(1), metavar="N", help="Keep groups of N players or more."),
        click.option("--experience", metavar="A:B", help="Matches whose players all had A to B earlier ones."),
        click.option("--drop-bad-rows", is_flag=True, help="Go on without rows that have faults."),
        click.option("--merge-names", is_flag=True, help="Names that differ only in capitals or blanks are one."),
    )  # fmt: skip


def stream_option(command: Command) -> Command:
    """For files of any length."""
    return click.option(
        "--stream",
        is_flag=True,
        help="Read a file that is in time order batch by batch, with only the players in memory.",
    )(command)


seed_option = click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="SEED",
    help="Seed of all chance: the same seed gives the same result.",
)


def work_options(jobs: str, cluster: str) -> Callable[[Command], Command]:
    """Who does the work, in these words, and from which seed."""
    return add_options(
        seed_option,
        click.option(
            "--jobs", cls=WordedDefault, type=click.IntRange(1), show_default="all cores", metavar="N", help=jobs
        ),
        click.option(
            "--cluster", metavar="ADDRESS", help=f"A Dask cluster to {cluster} on instead, such as tcp://host:8786."
        ),
    )


simulation_options = work_options("Threads to work with.", "work")


def workers_of(options: dict[str, Any]) -> Workers:
    """Who does the work, by --jobs and --cluster."""
    import os

    from ludometer.parallel import Workers

    return Workers(options["jobs"] or os.cpu_count() or 1, options["cluster"])


def base_option(command: Command) -> Command:
    """The scale of ratings of several players."""
    return click.option(
        "--base",
        type=click.Choice(["10", "e"]),
        default="10",
        show_default=True,
        help="Scale for matches of several: 10 is Elo's, e the wider one of Duersch et al. 2020.",
    )(command)


def html_option(command: Command) -> Command:
    """A report for people."""
    option = click.option(
        "--html", callback=out_path, metavar="FILE", help="Write a report as one self-contained page."
    )
    return option(command)


def json_option(command: Command) -> Command:
    """A document for other programs."""
    option = click.option(
        "--json", "json_file", metavar="FILE", callback=_target, help="Write the result as JSON; - is standard output."
    )
    return option(command)


def _target(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A file to write to, or "-"; checked before any work is done."""
    if value is not None and value != "-":
        out_path(context, parameter, value)
    return value


def load(options: dict[str, Any], *, connect: bool = True) -> list[Group]:
    """Read the file as the options say, note what was understood, and return its groups."""
    for name in ("json_file", "html"):
        target = options.get(name)
        if target and str(target) != "-" and Path(target).resolve() == Path(options["file"]).resolve():
            raise LudometerError(f"{target} is the file that is read: write to another one")
    names = {field.name for field in fields(FileOptions)}
    typed = FileOptions(**{name: value for name, value in options.items() if name in names})
    return loading.load(options["file"], typed, stream=options.get("stream", False), connect=connect)


def tell_system(system: str, parameters: dict[str, Any]) -> None:
    """By what ratings were made, and what it was set to."""
    words = [f"{name.replace('_', ' ')} {value:.4g}" for name, value in parameters.items() if _is_number(value)]
    note(f"by {system}{': ' if words else ''}{', '.join(words)}; ludometer evaluate tells which system predicts best")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def prizes_of(options: dict[str, Any]) -> Prizes:
    """What places are worth, by --prizes."""
    from ludometer.ratings.prizes import WINNER, make_prizes

    return make_prizes(options["prizes"]) if options.get("prizes") is not None else WINNER


def document(groups: list[tuple[Group, dict[str, Any], Provenance]], by: str | None) -> dict[str, Any]:
    """One document of a command: flat for a whole file, a list for --by."""
    from ludometer.report.documents import provenance_document

    origin = provenance_document([provenance for _, _, provenance in groups], command_line())
    if by is None:
        return groups[0][1] | {"provenance": origin}
    bodies = [dict(body) for _, body, _ in groups]
    absent = {
        f"groups.{place}.{name}": reason
        for place, body in enumerate(bodies)
        for name, reason in body.pop("absent", {}).items()
    }
    values = (group.value for group, _, _ in groups)
    listed = [{"value": value} | body for value, body in zip(values, bodies, strict=True)]
    return {"by": by, "groups": listed, "absent": absent, "provenance": origin}


def out_path(_: click.Context, __: click.Parameter, value: str | None) -> Path | None:
    """A path to write to, whose folder must be there before the work begins."""
    if value is None:
        return None
    path = Path(value)
    if not value.strip() or path.is_dir():
        raise LudometerError(f"{value!r} is not the name of a file to write to")
    if not path.parent.is_dir():
        raise LudometerError(f"{path}: there is no folder {path.parent}")
    return path
