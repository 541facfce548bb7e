"""ludometer predict: what will happen when players meet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.declared import OutFile, argument, group, option, takes
from ludometer.cli.loading import Group, columns_used, load, named
from ludometer.cli.screen import listen, note, note_system
from ludometer.cli.shared import FileOptions, JsonOption, check_targets, stream_option
from ludometer.errors import LudometerError
from ludometer.ratings.catalogue import DEFAULT_SYSTEM, default_system, make_system

if TYPE_CHECKING:
    from ludometer.ratings import Fixtures
    from ludometer.ratings.driver import AnySystem
    from ludometer.report.presenter import Part


@dataclass(frozen=True)
class PredictOptions:
    """All of them."""

    file: str = argument()
    players: tuple[str, ...] = argument(nargs=-1, required=False, metavar="[A B [C]...]")
    pairs: str | None = option(
        "--pairs",
        metavar="PAIRS",
        help="Predict all matches of this file: columns player_1 and player_2, white and black, or home and away, and, "
        "if known, date and neutral.",
    )
    reading: FileOptions = group(FileOptions)
    stream: bool = stream_option()
    system: str | None = option(
        "--system",
        show_default=DEFAULT_SYSTEM,
        metavar="SYSTEM",
        help="Rating system, such as best-fit or elo:k=32; the same as in rate.",
    )
    csv: Path | None = option(
        "--csv", type=OutFile(".csv", ".parquet"), metavar="FILE", help="Write a table (.csv or .parquet)."
    )
    json: JsonOption = group(JsonOption)


@click.command("predict")
@takes(PredictOptions)
def command(options: PredictOptions) -> None:
    """Predict the result when A and B meet after the last match of FILE, or all places with more players.

    The record shows how often equal players draw. The 95% interval of the win probability comes from the errors of the
    two ratings, for systems that give them.

    \b
    ludometer predict football.csv Brazil Germany
    ludometer predict races.csv Senna Prost Mansell
    ludometer predict games.csv --pairs next-round.csv --csv forecasts.csv
    """
    listen()
    from ludometer.report.presenter import Part, present_parts

    check_targets([options.file, *filter(None, [options.pairs])], options.json.json_file, options.csv)
    fixtures = _read_pairs(options)
    prizes = options.reading.prize_rule
    named_system = None if options.system is None else make_system(options.system, prizes=prizes)
    uses = columns_used(named_system or make_system(DEFAULT_SYSTEM))
    loaded = load(options.file, options.reading, stream=options.stream, uses=uses)
    groups, left_out = _with_players(loaded, options.players)
    parts: list[Part] = []
    for matches in groups:
        with named(matches):
            system = named_system or default_system(matches.matches, prizes=prizes)
            result = _predict(matches, fixtures or options.players, system)
        if not parts:
            note_system(system.name, result.provenance.parameters)
        parts.append(Part(matches.value, result, data=matches.count(result)))
    if options.csv is not None:
        _write_table(parts, options.csv, options.reading.by)
    present_parts(parts, options.json.output, by=options.reading.by, left_out=left_out)


def _read_pairs(options: PredictOptions) -> Fixtures | None:
    """The pairs of the file that was named, if one was."""
    from ludometer.read import read_fixtures

    if options.pairs is None:
        if len(options.players) < 2:
            raise click.UsageError("name the players who meet: two or more, or a file of pairs with --pairs")
        return None
    if options.players:
        raise click.UsageError("name players or a file of pairs with --pairs, not both")
    if options.reading.by is not None:
        raise LudometerError("--pairs is about one whole record: leave out --by")
    return read_fixtures(options.pairs, first=options.reading.first, second=options.reading.second)


def _predict(matches: Group, asked: Fixtures | tuple[str, ...], system: AnySystem) -> Any:
    from ludometer.ratings import predict, predict_pairs

    if isinstance(asked, tuple):
        return predict(matches.matches, *asked, system=system)
    return predict_pairs(matches.matches, asked, system=system)


def _write_table(parts: list[Part], path: Path, by: str | None) -> None:
    """All groups in one table, with a column of the value of --by."""
    import polars as pl

    from ludometer.report.files import write_frame

    tables = [part.result.to_frame() for part in parts]
    if by is not None:
        tables = [rows.select(pl.lit(part.value).alias(by), pl.all()) for part, rows in zip(parts, tables, strict=True)]
    write_frame(pl.concat(tables), path)


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
