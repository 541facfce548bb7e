"""The command line: read, one library call, write. Commands are loaded when they are called."""

from __future__ import annotations

import importlib
import os
import signal
import sys

import click

from ludometer.errors import LudometerError
from ludometer.extensions import COMMANDS, find_extensions, load_extension
from ludometer.version import __version__

_EXTENSIONS = "..."
"""Where the commands of slices and other packages stand among ours."""

_COMMANDS = {
    "demo": "The main job on bundled data, from start to finish.",
    "measure": "How much skill, how much luck.",
    "rate": "Ratings of the players.",
    "evaluate": "Rating systems compared by predicting before updating.",
    "predict": "Probability of each result between players.",
    "noise": "How far ratings lie from the truth, and the best step.",
    "learn": "How fast players get better.",
    _EXTENSIONS: "",
    "simulate": "Write a match file with known truth.",
    "schema": "The JSON Schema of a command's output.",
    "doctor": "What is installed: versions, engines, a browser.",
    "completion": "Completion of commands and options in the shell.",
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
                [(name, _COMMANDS.get(name) or self._told(ctx, name)) for name in self.list_commands(ctx)]
            )

    def _told(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        return command.get_short_help_str(80) if command else ""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="ludometer")
def cli() -> None:
    """How much of a game is skill, how much luck, and how strong is each player.

    FILE is a CSV, Parquet, JSON lines, Arrow or PGN file of matches, plain or packed (.gz, .zst, .bz2), or - for
    standard input. Start with: ludometer demo
    """


def main() -> None:
    """Run the command line: status 0 done, 2 bad usage or bad data, 1 anything else."""
    # a polite kill ends the work like Ctrl-C, so that drafts of files are taken away; also where a shell that put us
    # into the background has Ctrl-C ignored
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
