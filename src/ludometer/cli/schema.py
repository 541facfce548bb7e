"""ludometer schema: the JSON Schema of a command's output."""

from __future__ import annotations

import json

import click


@click.command("schema")
@click.argument("words", nargs=-1, required=True, metavar="COMMAND")
def command(words: tuple[str, ...]) -> None:
    """Print the JSON Schema of what COMMAND writes with --json.

    COMMAND is, for example, rate, skat-rate or chess-strength.

    \b
    ludometer schema rate
    ludometer schema skat-rate
    """
    from ludometer.report.schema import load_schema

    click.echo(json.dumps(load_schema("-".join(words)), indent=1))
