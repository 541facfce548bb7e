"""What a command says on standard error while it works: notes, the library's log, progress."""

from __future__ import annotations

import logging
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import click

if TYPE_CHECKING:
    from ludometer.progress import Progress


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


class _Screen:
    """What is on the line that comes and goes at the bottom of a terminal."""

    compiling = ""
    """Which kernel is being compiled, in words."""
    bar: ClassVar[Callable[[str], object] | None] = None
    """A bar that says so itself."""

    @classmethod
    def compile(cls, kernel: tuple[str, int] | None) -> None:
        """Say what is being compiled: in the bar if there is one, else on a line of its own that goes again."""
        cls.compiling = "" if kernel is None else f"compiling for this machine, once: kernel {kernel[1]}, {kernel[0]}"
        if cls.bar is not None:
            cls.bar(cls.compiling)
        else:
            sys.stderr.write(f"\r\x1b[2K{cls.compiling}")
            sys.stderr.flush()


class _Handler(logging.Handler):
    """Notes what the library logs; on a terminal, what it compiles is said while it does."""

    def emit(self, record: logging.LogRecord) -> None:
        if hasattr(record, "kernel") and (_Screen.bar is not None or sys.stderr.isatty()):
            _Screen.compile(record.kernel)
        elif record.levelno >= logging.INFO:
            note(record.getMessage())


def listen() -> None:
    """Show what the library logs, such as that it compiles."""
    log = logging.getLogger("ludometer")
    if not log.handlers:
        log.addHandler(_Handler())
        log.setLevel(logging.INFO)
        if sys.stderr.isatty():
            logging.getLogger("ludometer.kernels.runtime.compile").setLevel(logging.DEBUG)


@contextmanager
def following(name: str = "") -> Iterator[Progress | None]:
    """One bar for all stages of long work, with the time left, on a terminal; nothing in a pipe.

    What it yields is given to the library; `name` says which game the bar is about, where there is more than one.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.spinner import Spinner
    from rich.table import Table

    from ludometer.progress import Progress

    progress, spinner = Progress(), Spinner("dots")

    def draw() -> Table:
        state = progress.state()
        words = (name, _Screen.compiling or state.stage)
        row = Table.grid(padding=(0, 1))
        cells: list[Any] = [spinner, textwrap.shorten(": ".join(word for word in words if word), 60, placeholder=" …")]
        if state.seconds_left is not None:
            cells += [ProgressBar(1.0, state.done, width=30), f"{state.done:.0%}", state.time_left]
        row.add_row(*cells)
        return row

    live = Live(get_renderable=draw, console=Console(file=sys.stderr), refresh_per_second=8, transient=True)
    with live, _saying(lambda _: live.refresh()):
        yield progress


@contextmanager
def _saying(bar: Callable[[str], object]) -> Iterator[None]:
    """Let this bar say what is being compiled."""
    _Screen.bar = bar
    try:
        yield
    finally:
        _Screen.bar = None


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
    words = TextColumn("{task.description}")
    with Progress(SpinnerColumn(), words, *bar, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(verb, total=total)
        with _saying(lambda text: progress.update(task, description=text or verb)):
            yield lambda done, of=None: progress.update(task, completed=done, total=of or total)
