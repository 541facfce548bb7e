"""Groups of options that commands share, as frozen dataclasses; `declared.takes` gives them to a command."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.declared import OutFile, option
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.measurement.record.repeats import RepeatsChoice
    from ludometer.parallel import Workers
    from ludometer.ratings.prizes import Prizes
    from ludometer.read import ReadOptions
    from ludometer.report.presenter import Output


@dataclass(frozen=True)
class FileOptions:
    """How to read a match file: its columns where they are not found by name, and the rows that count."""

    first: str | None = option("--first", metavar="COLUMN", help="First player column (files with one row per match).")
    second: str | None = option("--second", metavar="COLUMN", help="Second player column; of a team several: A,B.")
    split_names: str | None = option(
        "--split-names", metavar="TEXT", help='Text between the players of a team in one cell, such as "/".'
    )
    score: str | None = option(
        "--score",
        metavar="COLUMN[,COLUMN]",
        help="Column of the result or of the winner, or two columns of points; first-won: the first player won every "
        "match.",
    )
    time: str | None = option(
        "--time", metavar="COLUMN", help="Column that orders the matches; none: keep the order of the file."
    )
    match: str | None = option("--match", metavar="COLUMN", help="Match column (files with one row per player).")
    player: str | None = option("--player", metavar="COLUMN", help="Player column (files with one row per player).")
    place: str | None = option(
        "--place", metavar="COLUMN", help="Place column (files with one row per player); 1 is best."
    )
    prizes: str | None = option(
        "--prizes",
        metavar="RULE",
        help="Value of each place: winner, linear, top-heavy, numbers such as 50,30,20, a COLUMN or a FILE.",
    )
    session: str | None = option(
        "--session",
        metavar="COLUMN",
        help="Session column: the matches of a session share circumstances or luck. measure also takes the longest gap "
        "between two matches of a session (30m, 6h, 1d, or a number of rows), or none.",
    )
    weight: str | None = option("--weight", metavar="COLUMN", help="Column with the weight of each match.")
    advantage: str | None = option(
        "--advantage",
        metavar="COLUMN",
        help="Who has an advantage: none, order (the first player), or a column (1, 0, -1; home, away; neutral: yes or "
        "no).  [default: home and White, if the system uses it]",
    )
    side: str | None = option("--side", metavar="COLUMN", help="Team column (one row per match: COLUMN_1, COLUMN_2).")
    covariates: str | None = option(
        "--covariates", metavar="COLUMN,...", help="Columns to keep for models, one value per match."
    )
    seat_covariates: str | None = option(
        "--seat-covariates", metavar="NAME,...", help="Columns to keep for models, one value per player in a match."
    )
    keep: str | None = option(
        "--keep",
        metavar="WHAT,...",
        help="Keep columns under their usual names: score, session, weight, advantage, side, or all.",
    )
    order: str | None = option("--order", metavar="COLUMN,...", help="Columns that order the matches, if no time does.")
    date_format: str | None = option("--date-format", metavar="FORMAT", help="Format of dates, such as %d/%m/%Y.")
    where: str | None = option(
        "--where", metavar="FILTER", help='Use only these rows, such as "season = 2015 and not playoff".'
    )
    by: str | None = option("--by", metavar="COLUMN", help="Run once for each value of this column.")
    min_component: int | None = option(
        "--min-component", type=click.IntRange(1), metavar="N", help="Keep only connected groups of at least N players."
    )
    experience: str | None = option(
        "--experience", metavar="A:B", help="Keep only matches whose players all had A to B earlier matches."
    )
    drop_bad_rows: bool = option("--drop-bad-rows", is_flag=True, help="Leave out rows with faults.")
    repeats: RepeatsChoice = option(
        "--repeats",
        type=click.Choice(["divide", "drop", "keep"]),
        default="divide",
        help="Matches that stand in the file again: divide a file that was multiplied by its factor, drop all equal "
        "rows but one, or keep them.",
    )
    merge_names: bool = option(
        "--merge-names", is_flag=True, help="Treat names that differ only in capitals or blanks as one player."
    )

    as_read: bool = option(
        "--as-read", is_flag=True, help="Take places, scores and sides as they stand, even where they look mistaken."
    )

    def __post_init__(self) -> None:
        if self.where is not None and not self.where.strip():
            raise LudometerError('--where is empty: write a condition, such as "season = 2015"')

    @property
    def columns(self) -> ReadOptions:
        """What the reader needs to know."""
        from ludometer.read import ReadOptions

        prizes = self.prize_rule
        return ReadOptions(
            first=self.first,
            second=self.second,
            split_names=self.split_names,
            score=self.score,
            time=self.time,
            match=self.match,
            player=self.player,
            place=self.place,
            prizes=prizes.name if prizes.are_recorded else None,
            session=self.session,
            weight=self.weight,
            advantage=self.advantage,
            side=self.side,
            covariates=self.covariates or (),
            seat_covariates=self.seat_covariates or (),
            keep=self.keep or (),
            order=self.order or (),
            by=self.by,
            date_format=self.date_format,
            where=self.where,
            drop_bad_rows=self.drop_bad_rows,
            merge_names=self.merge_names,
            as_read=self.as_read,
        )

    @property
    def prize_rule(self) -> Prizes:
        """What each place is worth."""
        from ludometer.ratings.prizes import WINNER, make_prizes

        return WINNER if self.prizes is None else make_prizes(self.prizes)


def stream_option() -> Any:
    """For files of any length."""
    return option(
        "--stream", is_flag=True, help="Read a time-ordered file in batches, with only the players in memory."
    )


def base_option() -> Any:
    """The scale of multiplayer ratings."""
    return option(
        "--base",
        type=click.Choice(["10", "e"]),
        default="10",
        help="Scale of multiplayer ratings: 10 is Elo's, e the wider one of Duersch et al. 2020.",
    )


@dataclass(frozen=True)
class SeedOption:
    """Where random numbers start."""

    seed: int = option(
        "--seed",
        type=click.IntRange(0),
        default=0,
        metavar="SEED",
        help="Random seed: the same seed gives the same result.",
    )


@dataclass(frozen=True)
class WorkOptions(SeedOption):
    """Who does the work, and from which seed."""

    jobs: int | None = option(
        "--jobs", type=click.IntRange(1), show_default="all cores", metavar="N", help="Number of threads."
    )
    cluster: str | None = option(
        "--cluster", metavar="ADDRESS", help="Work on this Dask cluster instead, such as tcp://host:8786."
    )

    @property
    def workers(self) -> Workers:
        """Who does the work."""
        from ludometer.parallel import Workers

        return Workers(self.jobs or os.cpu_count() or 1, self.cluster)


def _json_target(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A file to write to, or "-"."""
    if value is not None and value != "-":
        OutFile().convert(value, parameter, context)
    return value


@dataclass(frozen=True)
class JsonOption:
    """A document for other programs."""

    json_file: str | None = option(
        "--json", callback=_json_target, metavar="FILE", help="Write the result as JSON; - is standard output."
    )

    @property
    def output(self) -> Output:
        """Where results go."""
        from ludometer.report.presenter import Output

        return Output(command_line(), self.json_file)


@dataclass(frozen=True)
class OutputOptions(JsonOption):
    """A page for people, and a document for other programs."""

    html: Path | None = option(
        "--html", type=OutFile(), metavar="FILE", help="Write a report as one self-contained page."
    )

    @property
    def output(self) -> Output:
        """Where results go."""
        from ludometer.report.presenter import Output

        return Output(command_line(), self.json_file, self.html)


_HOW = ("--jobs", "--cluster", "--resume")


def command_line(*, without: tuple[str, ...] = ()) -> str:
    """The command as it was given, to be repeated, without who did the work and when: that changes nothing in it.

    Nor do other options, such as where results are written to; they can be left out too.
    """
    dropped = (*_HOW, *without)
    words, rest = [], iter(sys.argv[1:])
    for word in rest:
        if word in dropped:
            next(rest, None)
        elif not word.startswith(tuple(f"{name}=" for name in dropped)):
            words.append(word)
    return shlex.join(["ludometer", *words])


def check_targets(read: Iterable[str], *targets: Path | str | None) -> None:
    """Refuse to write over a file that is read, or two results to one file, before any work is done."""
    sources = {Path(file).resolve() for file in read if file != "-" and "\0" not in file}
    written: set[Path] = set()
    for target in targets:
        if target is None or str(target) == "-":
            continue
        path = Path(target).resolve()
        if path in sources:
            raise LudometerError(f"{target} is the file that is read: write to another one")
        if path in written:
            raise LudometerError(f"{target}: two results cannot go into one file")
        written.add(path)
