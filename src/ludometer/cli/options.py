"""Options that commands share, and what they have in common before and after their one library call."""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click
from click.core import ParameterSource

from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.matches import Matches
    from ludometer.parallel import Workers
    from ludometer.ratings.prizes import Prizes
    from ludometer.read import MatchStream
    from ludometer.result import Provenance

Command = TypeVar("Command", bound=Callable[..., Any])


def add_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one decorator, in this order in the help."""

    def add(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return add


class InOrder(click.Group):
    """A group that lists its commands as they are defined: in the order of their use, not of the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """In the order of use."""
        return list(self.commands)


class WordedDefault(click.Option):
    """An option whose default is told in words, in the same brackets as the range of its numbers."""

    def get_help_extra(self, ctx: click.Context) -> click.types.OptionHelpExtra:
        """What stands in brackets, without click's parentheses around words."""
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra


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


@dataclass(frozen=True)
class Group:
    """Matches to work on: the whole file, or one value of --by."""

    value: str | None
    matches: Matches | MatchStream
    dropped_matches: int = 0
    dropped_players: int = 0
    bad_rows: int = 0
    remarks: tuple[str, ...] = ()
    """What was understood of the file, and what was left out of it."""

    def count(self, result: Counted) -> dict[str, Any]:
        """The data block of the JSON document, once the matches were played."""
        from ludometer.read import MatchStream

        bad_rows = self.bad_rows
        if isinstance(self.matches, MatchStream):
            note(*self.matches.left_out())
            bad_rows = self.matches.reader.n_dropped_rows
        return {
            "matches": result.n_matches,
            "players": result.n_players,
            "dropped_matches": self.dropped_matches,
            "dropped_players": self.dropped_players,
            "bad_rows": bad_rows,
            "draw_rate": result.draw_rate,
        }


class Counted(Protocol):
    """A result that knows how much it rests on."""

    @property
    def n_matches(self) -> int:
        """Matches played."""
        ...

    @property
    def n_players(self) -> int:
        """Players who played."""
        ...

    @property
    def draw_rate(self) -> float:
        """Share of draws."""
        ...


def load(options: dict[str, Any], *, connect: bool = True) -> list[Group]:
    """Read the file as the options say, tell what was understood, and return its groups.

    `connect` looks at the components too; a command that does so itself goes without.
    """
    from ludometer.matches import Seats
    from ludometer.read import ReadOptions, read_file, stream_matches

    names = {field.name for field in fields(ReadOptions)}
    given = {name: value for name, value in options.items() if name in names and value is not None}
    if given.pop("prizes", None) and (prizes := prizes_of(options)).are_recorded:
        given["prizes"] = prizes.name
    if "where" in given and not given["where"].strip():
        raise LudometerError('--where is empty: write a condition, such as "season = 2015"')
    for name in ("json_file", "html"):
        target = options.get(name)
        if target and str(target) != "-" and Path(target).resolve() == Path(options["file"]).resolve():
            raise LudometerError(f"{target} is the file that is read: write to another one")
    read_options = ReadOptions(**given)
    if options.get("stream"):
        for name in ("min_component", "experience"):
            if options.get(name):
                raise LudometerError(f"--{name.replace('_', '-')} needs the file whole: leave out --stream")
        stream = stream_matches(options["file"], read_options)
        note(*stream.describe())
        return [Group(None, stream)]
    with counting("read", "rows") as on_rows:
        reading = read_file(options["file"], read_options, on_rows=on_rows)
    remarks = reading.describe()
    table = next(iter(reading.groups.values())).table
    is_of_several = isinstance(table, Seats) and table.sizes.max(initial=0) > 2
    if is_of_several and "prizes" in options and options["prizes"] is None:
        remarks.append("played for the win only: --prizes linear counts every place")
    note(*remarks)
    groups = reading.groups.items()
    if options.get("experience"):
        from ludometer.selection import with_experience

        groups = {value: with_experience(matches, options["experience"]) for value, matches in groups}.items()
    if not connect:
        return [Group(value, matches, bad_rows=reading.n_bad_rows, remarks=tuple(remarks)) for value, matches in groups]
    return [_group(value, matches, options.get("min_component"), reading.n_bad_rows) for value, matches in groups]


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


@contextmanager
def named(group: Group) -> Iterator[None]:
    """Say which group of --by an error is about."""
    try:
        yield
    except LudometerError as error:
        if group.value is None:
            raise
        raise type(error)(f"{group.value}: {error}") from error


def refuse_options(reason: str, *, kept: tuple[str, ...] | None = None, refused: tuple[str, ...] = ()) -> None:
    """Options that were given but would do nothing: all but `kept`, or those in `refused`."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        is_idle = name in refused if kept is None else name not in kept
        if is_idle and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise LudometerError(f"{reason}: leave out {parameter.opts[-1]}")


def command_line() -> str:
    """The command as it was given, to be repeated, without who did the work: that changes nothing in the result."""
    words, rest = [], iter(sys.argv[1:])
    for word in rest:
        if word in ("--jobs", "--cluster"):
            next(rest, None)
        elif not word.startswith(("--jobs=", "--cluster=")):
            words.append(word)
    return shlex.join(["ludometer", *words])


def note(*lines: str) -> None:
    """What was understood, progress and warnings: to standard error."""
    from ludometer.report.text import printable

    for line in lines:
        click.echo(click.style(printable(line), dim=True), err=True)


def listen() -> None:
    """Show what the library logs, such as that it compiles."""

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            note(record.getMessage())

    log = logging.getLogger("ludometer")
    if not log.handlers:
        log.addHandler(Handler())
        log.setLevel(logging.INFO)


@contextmanager
def counting(verb: str, noun: str, total: int | None = None) -> Iterator[Callable[..., None] | None]:
    """Progress of long work on a terminal, told how much is done and, if it grew, of how much; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    bar = (
        (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        if total
        else (TextColumn("{task.completed:,} " + noun),)
    )
    with Progress(SpinnerColumn(), TextColumn(verb), *bar, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(verb, total=total)
        yield lambda done, of=None: progress.update(task, completed=done, total=of or total)


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


def _group(value: str | None, matches: Matches, min_component: int | None, bad_rows: int) -> Group:
    from ludometer.selection import keep_connected

    place = f"{value}: " if value is not None else ""
    if min_component is not None:
        kept = keep_connected(matches, min_players=min_component)
        if kept.dropped_matches:
            note(
                f"{place}{kept.dropped_matches:,} matches of {kept.dropped_players:,} players are left out: "
                "they are in smaller groups"
            )
        matches, dropped = kept.matches, (kept.dropped_matches, kept.dropped_players)
    else:
        largest = keep_connected(matches)
        dropped = (0, 0)
        if largest.dropped_players:
            note(
                f"{place}{largest.n_components:,} groups of players never met each other "
                f"({largest.dropped_players:,} players are outside the largest): ratings compare only within a group"
            )
    return Group(value, matches, *dropped, bad_rows)
