"""ludometer predict: what will happen when two players meet."""

from __future__ import annotations

from typing import Any

import click

from ludometer.cli.options import document, file_options, json_option, listen, load, named, stream_option


@click.command("predict")
@file_options()
@click.argument("first_player", metavar="A")
@click.argument("second_player", metavar="B")
@stream_option
@click.option("--system", default="elo", show_default=True, help="Rating system: elo, or with parameters elo:k=32.")
@json_option
def command(**options: Any) -> None:
    """Probability of each result when A and B meet after the last match of FILE.

    How often equals draw comes from the record.

    \b
    ludometer predict football.csv Brazil Germany
    """
    listen()
    from ludometer.ratings import predict
    from ludometer.ratings.catalogue import make_system
    from ludometer.report.documents import prediction_document
    from ludometer.report.files import write_json
    from ludometer.report.text import printable

    system = make_system(options["system"])
    done = []
    for group in load(options):
        with named(group):
            result = predict(group.matches, options["first_player"], options["second_player"], system=system)
        if options["json_file"] != "-":
            if group.value is not None:
                click.echo(f"{options['by']}: {printable(group.value)}")
            click.echo("\n".join(printable(line) for line in result.summary().splitlines()))
        done.append((group, prediction_document(result) | {"data": group.count(result)}, result.provenance))
    if options["json_file"]:
        write_json(document(done, options["by"]), options["json_file"])
