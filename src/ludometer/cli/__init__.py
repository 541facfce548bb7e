"""The command line: read, one library call, write. Commands are loaded when they are called."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import sys
from pathlib import Path

import click

from ludometer.errors import LudometerError
from ludometer.extensions import COMMANDS, find_extensions, load_extension
from ludometer.version import __version__

for _threads in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    # before NumPy is loaded: the sums of a matrix library depend on its threads, and the work is divided by --jobs
    os.environ.setdefault(_threads, "1")

_EXTENSIONS = "..."
"""The place of the commands of slices and other packages among ours."""

_COMMANDS = {
    "demo": "Analyse six bundled games and write a report.",
    "measure": "Measure how much is skill and how much is luck.",
    "rate": "Rate the players.",
    "evaluate": "Compare rating systems by their forecasts.",
    "predict": "Predict the result when players meet.",
    "advise": "Find the matches that would tell most.",
    "arena": "Rate models or players from judged pairs, with covariates.",
    "engines": "Compare engines: pairs of games, error bars, sequential tests.",
    "noise": "Estimate rating error and the best update step.",
    "learn": "Measure how fast players improve.",
    _EXTENSIONS: "",
    "simulate": "Write a match file with known truth.",
    "schema": "Print the JSON Schema of a command's output.",
    "compile": "Compile everything ahead of the first run.",
    "doctor": "Show what is installed: versions, engines, a browser.",
    "completion": "Print a script that completes commands in the shell.",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, so that --help answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """In the order of a user's day."""
        others = [name for name in find_extensions(COMMANDS) if name not in _COMMANDS]
        names = ([name] if name != _EXTENSIONS else others for name in _COMMANDS)
        return [name for part in names for name in part]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, with its module."""
        command: click.Command
        if cmd_name in _COMMANDS:
            command = importlib.import_module(f"ludometer.cli.{cmd_name}").command
            # shells show it beside the name when they complete
            command.short_help = _COMMANDS[cmd_name]
        elif cmd_name in find_extensions(COMMANDS):
            command = load_extension(COMMANDS, cmd_name)
        else:
            return None
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands; ours without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, _COMMANDS.get(name) or self._describe(ctx, name)) for name in self.list_commands(ctx)]
            )

    def _describe(self, ctx: click.Context, name: str) -> str:
        """The short help of an extension: from its source, as importing all of them would take longer than the rest."""
        spec = importlib.util.find_spec(find_extensions(COMMANDS)[name].partition(":")[0])
        source = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
        if found := re.search(r'short_help="([^"]+)"', source):
            return found[1]
        command = self.get_command(ctx, name)
        return command.get_short_help_str(80) if command else ""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="ludometer")
def cli() -> None:
    """Measure how much of a game is skill and how much is luck, and how strong each player is.

    FILE is a CSV, Parquet, JSON lines, Arrow or PGN file of matches, plain or compressed (.gz, .zst, .bz2), or - for
    standard input. Start with: ludometer demo
    """


def main() -> None:
    """Run the command line: status 0 done, 2 bad usage or bad data, 1 anything else."""
    # SIGTERM ends the work like Ctrl-C, so that drafts of files are removed; also in the background of a shell, where
    # Ctrl-C is ignored
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        cli.main(prog_name="ludometer", standalone_mode=False)
    except LudometerError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted; nothing was written", err=True)
        sys.exit(1)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            # the reader of the output has gone, as in "ludometer rate ... | head"
            sys.stderr.close()
        else:
            click.echo(f"Error: the output cannot be written ({error.strerror or error})", err=True)
        # what is still in the buffer would fail once more when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
