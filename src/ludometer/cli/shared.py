"""Groups of options that commands share, as frozen dataclasses; `declared.takes` gives them to a command."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludometer.cli.declared import option
from ludometer.cli.options import WordedDefault, out_path

if TYPE_CHECKING:
    from ludometer.parallel import Workers
    from ludometer.report.presenter import Output


@dataclass(frozen=True)
class SeedOption:
    """Where random numbers start."""

    seed: int = option(
        "--seed",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        metavar="SEED",
        help="Random seed: the same seed gives the same result.",
    )


@dataclass(frozen=True)
class WorkOptions(SeedOption):
    """Who does the work, and from which seed."""

    jobs: int | None = option(
        "--jobs",
        cls=WordedDefault,
        type=click.IntRange(1),
        show_default="all cores",
        metavar="N",
        help="Threads to work with.",
    )
    cluster: str | None = option(
        "--cluster", metavar="ADDRESS", help="A Dask cluster to work on instead, such as tcp://host:8786."
    )

    @property
    def workers(self) -> Workers:
        """Who does the work."""
        from ludometer.parallel import Workers

        return Workers(self.jobs or os.cpu_count() or 1, self.cluster)


def _json_target(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A file to write to, or "-"; checked before any work is done."""
    if value is not None and value != "-":
        out_path(context, parameter, value)
    return value


@dataclass(frozen=True)
class JsonOption:
    """A document for other programs."""

    json_file: str | None = option(
        "--json", metavar="FILE", callback=_json_target, help="Write the result as JSON; - is standard output."
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
        "--html", callback=out_path, metavar="FILE", help="Write a report as one self-contained page."
    )

    @property
    def output(self) -> Output:
        """Where results go."""
        from ludometer.report.presenter import Output

        return Output(command_line(), self.json_file, self.html)


def command_line() -> str:
    """The command as it was given, to be repeated, without who did the work: that changes nothing in the result."""
    words, rest = [], iter(sys.argv[1:])
    for word in rest:
        if word in ("--jobs", "--cluster"):
            next(rest, None)
        elif not word.startswith(("--jobs=", "--cluster=")):
            words.append(word)
    return shlex.join(["ludometer", *words])
