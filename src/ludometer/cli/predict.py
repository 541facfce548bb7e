"""ludometer predict: what will happen when players meet."""

from __future__ import annotations

from dataclasses import dataclass

import click

from ludometer.cli.declared import argument, group, option, takes
from ludometer.cli.loading import Group, columns_used, load, named
from ludometer.cli.screen import listen, note, note_system
from ludometer.cli.shared import FileOptions, JsonOption, check_targets, stream_option
from ludometer.ratings.catalogue import DEFAULT_SYSTEM, default_system, make_system


@dataclass(frozen=True)
class PredictOptions:
    """All of them."""

    file: str = argument()
    players: tuple[str, ...] = argument(nargs=-1, required=True, metavar="A B [C]...")
    reading: FileOptions = group(FileOptions)
    stream: bool = stream_option()
    system: str | None = option(
        "--system",
        show_default=DEFAULT_SYSTEM,
        metavar="SYSTEM",
        help="Rating system, such as best-fit or elo:k=32; the same as in rate.",
    )
    json: JsonOption = group(JsonOption)


@click.command("predict")
@takes(PredictOptions)
def command(options: PredictOptions) -> None:
    """Predict the result when A and B meet after the last match of FILE, or all places with more players.

    The record shows how often equal players draw.

    \b
    ludometer predict football.csv Brazil Germany
    ludometer predict races.csv Senna Prost Mansell
    """
    listen()
    from ludometer.ratings import predict
    from ludometer.report.presenter import Part, present_parts

    check_targets([options.file], options.json.json_file)
    if len(options.players) < 2:
        raise click.UsageError("name the players who meet: two or more")
    prizes = options.reading.prize_rule
    named_system = None if options.system is None else make_system(options.system, prizes=prizes)
    uses = columns_used(named_system or make_system(DEFAULT_SYSTEM))
    loaded = load(options.file, options.reading, stream=options.stream, uses=uses)
    groups, left_out = _with_players(loaded, options.players)
    parts: list[Part] = []
    for matches in groups:
        with named(matches):
            system = named_system or default_system(matches.matches, prizes=prizes)
            result = predict(matches.matches, *options.players, system=system)
        if not parts:
            note_system(system.name, result.provenance.parameters)
        parts.append(Part(matches.value, result, data=matches.count(result)))
    present_parts(parts, options.json.output, by=options.reading.by, left_out=left_out)


def _with_players(groups: list[Group], names: tuple[str, ...]) -> tuple[list[Group], dict[str, str]]:
    """The groups of --by that have all players, and why others are left out; all groups if none has them."""
    missing = {}
    for one in groups:
        if one.value is not None:
            present = set(one.record.players.names)
            missing[one.value] = [repr(name) for name in names if name not in present]
    if all(missing.values()):
        # a whole file, or no group fits: the error about the first one suggests names
        return groups, {}
    left_out = {value: f"no player is called {' or '.join(absent)}" for value, absent in missing.items() if absent}
    note(*(f"{value}: {reason}; left out" for value, reason in left_out.items()))
    return [one for one in groups if one.value not in left_out], left_out
