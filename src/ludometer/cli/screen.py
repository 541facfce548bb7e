"""What a command says on standard error while it works: notes, the library's log, progress."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click


def note(*lines: str) -> None:
    """Write what was understood, and warnings, to standard error."""
    from ludometer.wording import printable

    for line in lines:
        click.echo(click.style(printable(line), dim=True), err=True)


def note_system(system: str, parameters: dict[str, Any]) -> None:
    """Note by which system ratings were made, and how it was set."""
    from ludometer.wording import describe_parameters

    words = describe_parameters(parameters)
    note(f"rated by {system}{': ' if words else ''}{words}; ludometer evaluate shows which system predicts best")


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
    """Show the progress of long work on a terminal; nothing in a pipe.

    What it yields is called with how much is done and, where the total has grown, with the new total.
    """
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
