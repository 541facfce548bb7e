"""ludometer rate: a list of players."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.declared import Number, argument, group, option, takes
from ludometer.cli.loading import columns_used, load, named
from ludometer.cli.screen import listen, note_system
from ludometer.cli.shared import FileOptions, JsonOption, base_option, check_targets, stream_option
from ludometer.ratings.catalogue import DEFAULT_SYSTEM, default_system, make_system
from ludometer.wording import format_table, time_text

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings import Ratings
    from ludometer.scale import Base

_SORTS = ("rating", "player", "matches", "last")
_SHOWN = 20


@dataclass(frozen=True)
class ListOptions:
    """Which players are listed, in which order."""

    sort: str = option("--sort", type=click.Choice(_SORTS), default="rating", help="Sort by this.")
    top: int | None = option(
        "--top",
        type=click.IntRange(1),
        show_default=f"{_SHOWN} on screen, all in JSON",
        metavar="N",
        help="List only the first N players.",
    )
    search: str | None = option(
        "--search", metavar="TEXT", help="List only players whose name contains this text, in upper or lower case."
    )
    min_matches: int = option(
        "--min-matches",
        type=click.IntRange(1),
        default=1,
        metavar="N",
        help="List only players with at least N matches.",
    )


@dataclass(frozen=True)
class RateOptions:
    """All of them."""

    file: str = argument()
    reading: FileOptions = group(FileOptions)
    stream: bool = stream_option()
    system: str | None = option(
        "--system",
        show_default=DEFAULT_SYSTEM,
        metavar="SYSTEM",
        help="Rating system: elo, best-fit, static, dynamic, dynamic-shrinking, ics, smith, glicko2 or federation, "
        "with parameters such as elo:k=32,start=0; for scores series-elo or additive-series-elo, with --keep score.",
    )
    k: float | None = option(
        "--k",
        type=Number(0, example=24),
        show_default="24",
        metavar="K",
        help="Elo step: twice the points gained by beating an equal player.",
    )
    start: float | None = option(
        "--start", type=Number(example=1500), show_default="1500", metavar="RATING", help="Rating of new players."
    )
    base: Base = base_option()
    listing: ListOptions = group(ListOptions)
    json: JsonOption = group(JsonOption)


@click.command("rate")
@takes(RateOptions)
def command(options: RateOptions) -> None:
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
    from ludometer.report.presenter import Part, present_parts

    check_targets([options.file], options.json.json_file)
    given: dict[str, Any] = {"prizes": options.reading.prize_rule, "base": options.base}
    given |= {"k": options.k, "start": options.start}
    named_system = None if options.system is None else make_system(options.system, **given)
    listing, parts = options.listing, list[Part]()
    uses = columns_used(named_system or make_system(DEFAULT_SYSTEM))
    for matches in load(options.file, options.reading, stream=options.stream, uses=uses):
        with named(matches):
            system = named_system or default_system(matches.matches, **given)
            ratings = rate(matches.matches, system=system)
        if not parts:
            note_system(system.name, ratings.provenance.parameters)
        text, document = partial(_text, ratings, listing), partial(_document, ratings, listing)
        parts.append(Part(matches.value, ratings, text, document, matches.count(ratings)))
    present_parts(parts, options.json.output, by=options.reading.by)


def _document(ratings: Ratings, listing: ListOptions) -> dict[str, Any]:
    rows = _choose(ratings, listing)
    return ratings.document(rows.head(listing.top or len(rows)))


def _text(ratings: Ratings, listing: ListOptions) -> str:
    rows = _choose(ratings, listing)
    table = _list_players(rows.head(listing.top or _SHOWN))
    rest = len(rows) - _SHOWN
    return f"{table}\nand {rest:,} more (--top {len(rows)} shows all)" if rest > 0 and not listing.top else table


def _choose(ratings: Ratings, listing: ListOptions) -> pl.DataFrame:
    return ratings.choose(sort=listing.sort, search=listing.search, min_matches=listing.min_matches)


def _list_players(frame: pl.DataFrame) -> str:
    """A numbered list of players with ratings and, where they are known, uncertainty and time of the last match."""
    if frame.is_empty():
        return "no player fits"
    columns = {
        "player": list(frame["player"]),
        "rating": [f"{rating:.1f}" for rating in frame["rating"]],
        "± SD": [f"{sd:.0f}" for sd in frame["sd"] if sd is not None],
        "matches": [f"{matches:,}" for matches in frame["matches"]],
        "last played": [str(time_text(last)).split(".")[0] for last in frame["last"] if last is not None],
    }
    known = {name: cells for name, cells in columns.items() if cells}
    numbers = map(str, range(1, len(frame) + 1))
    return format_table(["", *known], list(zip(numbers, *known.values(), strict=True)), left=(1,))
