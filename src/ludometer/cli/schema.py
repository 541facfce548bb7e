"""ludometer schema: the JSON Schema of a command's output."""

from __future__ import annotations

import json

import click


@click.command("schema")
@click.argument("command_name", metavar="COMMAND")
def command(command_name: str) -> None:
    """Print the JSON Schema of what COMMAND writes with --json.

    \b
    ludometer schema rate
    """
    from ludometer.report.documents import load_schema

    click.echo(json.dumps(load_schema(command_name), indent=1))
