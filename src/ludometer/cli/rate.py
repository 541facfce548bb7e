"""ludometer rate: a list of players."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import (
    Group,
    WordedDefault,
    base_option,
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
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings import Ratings
    from ludometer.result import Provenance

_SORTS = ("rating", "player", "matches", "last")


@click.command("rate")
@file_options()
@stream_option
@click.option(
    "--system",
    default="elo",
    show_default=True,
    metavar="SYSTEM",
    help="elo, best-fit, static, dynamic, dynamic-shrinking, ics, smith, glicko2, federation, with parameters "
    "elo:k=32,start=0; of scores: series-elo, additive-series-elo, with --prizes score.",
)
@click.option(
    "--k", type=float, metavar="K", help="Step of Elo: points for a win against an equal, times two.  [default: 24]"
)
@click.option("--start", type=float, metavar="RATING", help="Rating of a newcomer.  [default: 1500]")
@base_option
@click.option("--sort", type=click.Choice(_SORTS), default="rating", show_default=True, help="Order of the list.")
@click.option(
    "--top",
    cls=WordedDefault,
    type=click.IntRange(1),
    show_default="20 on screen, all in JSON",
    metavar="N",
    help="Only the first N of the list.",
)
@click.option("--search", metavar="TEXT", help="Only players whose name holds this, upper and lower case alike.")
@click.option(
    "--min-matches",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Only players with at least N matches.",
)
@json_option
def command(**options: Any) -> None:
    """Rate the players of FILE after its last match.

    \b
    ludometer rate games.csv --top 10
    ludometer rate chess.pgn.zst --k 16 --search carlsen
    ludometer rate results.parquet --by league --json ratings.json
    ludometer rate races.csv --match race --prizes linear
    ludometer rate league.csv --system glicko2
    """
    listen()
    from ludometer.ratings import rate
    from ludometer.ratings.catalogue import make_system
    from ludometer.report.files import write_json

    _check_numbers(options["k"], options["start"])
    system = make_system(
        options["system"], prizes=prizes_of(options), base=options["base"], k=options["k"], start=options["start"]
    )
    done: list[tuple[Group, dict[str, Any], Provenance]] = []
    for group in load(options):
        with named(group):
            ratings = rate(group.matches, system=system)
        if not done:
            tell_system(system.name, ratings.provenance.parameters)
        rows = ratings.choose(sort=options["sort"], search=options["search"], min_matches=options["min_matches"])
        if options["json_file"] != "-":
            _show(ratings, rows, options, group.value)
        found = rows.head(options["top"]) if options["top"] else rows
        body = ratings.document(found) | {"data": group.count(ratings)}
        done.append((group, body, ratings.provenance))
    if options["json_file"]:
        write_json(document(done, options["by"]), options["json_file"])


def _check_numbers(k: float | None, start: float | None) -> None:
    """Refuse what no system can take, by the name of the option."""
    if k is not None and not (k >= 0 and math.isfinite(k)):
        raise LudometerError(f"--k {k:g}: write a number from 0 up, such as 24")
    if start is not None and not math.isfinite(start):
        raise LudometerError(f"--start {start:g}: write a rating, such as 1500")


def _show(ratings: Ratings, rows: pl.DataFrame, options: dict[str, Any], value: str | None) -> None:
    from ludometer.report.text import format_table, printable
    from ludometer.wording import time_text

    if value is not None:
        click.echo(f"{options['by']}: {printable(value)}")
    if rows.is_empty():
        click.echo("no player fits")
        return
    shown = rows.head(options["top"] or 20)
    dated = ratings.last is not None
    certain = ratings.sd is not None
    headers = ["", "player", "rating", *(["± SD"] if certain else []), "matches", *(["last played"] if dated else [])]
    cells = (
        [
            f"{n}",
            row["player"],
            f"{row['rating']:.1f}",
            *([f"{row['sd']:.0f}"] if certain else []),
            f"{row['matches']:,}",
            *([str(time_text(row["last"])).split(".")[0]] if dated else []),
        ]
        for n, row in enumerate(shown.iter_rows(named=True), 1)
    )
    click.echo(format_table(headers, cells, left=(1,)))
    rest = len(rows) - len(shown)
    click.echo(
        f"and {rest:,} more (--top {len(rows)} shows all)\n" if rest and not options["top"] else "", nl=bool(value)
    )
