"""ludometer predict: what will happen when players meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import (
    Group,
    document,
    file_options,
    json_option,
    listen,
    load,
    named,
    prizes_of,
    stream_option,
    tell_system,
)

if TYPE_CHECKING:
    from ludometer.result import Provenance


@click.command("predict")
@file_options()
@click.argument("players", nargs=-1, required=True, metavar="A B [C]...")
@stream_option
@click.option("--system", default="elo", show_default=True, help="Rating system: elo, or with parameters elo:k=32.")
@json_option
def command(**options: Any) -> None:
    """Probability of each result when A and B meet after the last match of FILE, or of each place with more players.

    How often equals draw comes from the record.

    \b
    ludometer predict football.csv Brazil Germany
    ludometer predict races.csv Senna Prost Mansell
    """
    listen()
    from ludometer.ratings import predict
    from ludometer.ratings.catalogue import make_system
    from ludometer.report.documents import prediction_document
    from ludometer.report.files import write_json
    from ludometer.report.text import printable

    if len(options["players"]) < 2:
        raise click.UsageError("name the players who meet: two or more")
    system = make_system(options["system"], prizes=prizes_of(options))
    done: list[tuple[Group, dict[str, Any], Provenance]] = []
    for group in load(options):
        with named(group):
            result = predict(group.matches, *options["players"], system=system)
        if not done:
            tell_system(system.name, result.provenance.parameters)
        if options["json_file"] != "-":
            if group.value is not None:
                click.echo(f"{options['by']}: {printable(group.value)}")
            click.echo("\n".join(printable(line) for line in result.summary().splitlines()))
        done.append((group, prediction_document(result) | {"data": group.count(result)}, result.provenance))
    if options["json_file"]:
        write_json(document(done, options["by"]), options["json_file"])
