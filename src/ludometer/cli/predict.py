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
    note,
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
@click.option(
    "--system",
    default="elo",
    show_default=True,
    metavar="SYSTEM",
    help="Rating system, such as best-fit or elo:k=32; the same as in rate.",
)
@json_option
def command(**options: Any) -> None:
    """Predict each result when A and B meet after the last match of FILE, or each place with more players.

    How often equals draw comes from the record.

    \b
    ludometer predict football.csv Brazil Germany
    ludometer predict races.csv Senna Prost Mansell
    """
    listen()
    from ludometer.ratings import predict
    from ludometer.ratings.catalogue import make_system
    from ludometer.report.files import write_json
    from ludometer.report.text import printable

    if len(options["players"]) < 2:
        raise click.UsageError("name the players who meet: two or more")
    system = make_system(options["system"], prizes=prizes_of(options))
    done: list[tuple[Group, dict[str, Any], Provenance]] = []
    groups, left_out = _with_players(load(options), options["players"])
    for group in groups:
        with named(group):
            result = predict(group.matches, *options["players"], system=system)
        if not done:
            tell_system(system.name, result.provenance.parameters)
        if options["json_file"] != "-":
            if group.value is not None:
                click.echo(f"{options['by']}: {printable(group.value)}")
            click.echo("\n".join(printable(line) for line in result.summary().splitlines()))
        done.append((group, result.document() | {"data": group.count(result)}, result.provenance))
    if options["json_file"]:
        body = document(done, options["by"])
        if left_out:
            body["absent"] |= {f"groups.{value}": reason for value, reason in left_out.items()}
        write_json(body, options["json_file"])


def _with_players(groups: list[Group], names: tuple[str, ...]) -> tuple[list[Group], dict[str, str]]:
    """The groups of --by that have all players, and why others are left out; all groups if none has them."""
    from ludometer.matches import Matches

    known, refused = [], dict[str, str]()
    for group in groups:
        if group.value is None:
            return groups, {}
        assert isinstance(group.matches, Matches)
        present = set(group.matches.players.names.to_list())
        missing = [repr(name) for name in names if name not in present]
        if missing:
            refused[group.value] = f"no player is called {' or '.join(missing)}"
        else:
            known.append(group)
    if not known:
        # what the first of them says has names to offer
        return groups, {}
    note(*(f"{value}: {reason}; left out" for value, reason in refused.items()))
    return known, refused
