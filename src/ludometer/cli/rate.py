"""ludometer rate: a list of players."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from ludometer.cli.declared import Number, OutFile, argument, group, option, takes
from ludometer.cli.loading import Group, columns_used, load, named
from ludometer.cli.screen import listen, note, note_system
from ludometer.cli.shared import FileOptions, OutputOptions, base_option, check_targets, stream_option
from ludometer.errors import LudometerError
from ludometer.ratings.catalogue import DEFAULT_SYSTEM, default_system, make_system
from ludometer.wording import format_table

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings import Ratings, SavedState
    from ludometer.ratings.driver import AnySystem
    from ludometer.report.presenter import Part
    from ludometer.scale import Base

_SORTS = ("rating", "player", "matches", "last")
_SHOWN = 20


@dataclass(frozen=True)
class SystemOptions:
    """By which system players are rated."""

    system: str | None = option(
        "--system",
        show_default=DEFAULT_SYSTEM,
        metavar="SYSTEM",
        help="Rating system: state-space, elo, best-fit, static, dynamic, dynamic-shrinking, ics, smith, glicko2 or "
        "federation, with parameters such as elo:k=32,start=0; for scores series-elo or additive-series-elo, with "
        "--keep score.",
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
    parameters: Path | None = option(
        "--parameters",
        type=OutFile(".json"),
        metavar="FILE",
        help="Take the parameters of state-space from this file; if it is not there, fit them and write it.",
    )

    def make(self, matches: Any, reading: FileOptions) -> AnySystem:
        """The system that was named, or the default for these matches."""
        if self.parameters is not None and self.parameters.exists():
            return self._load()
        given: dict[str, Any] = {"prizes": reading.prize_rule, "base": self.base, "k": self.k, "start": self.start}
        return default_system(matches, **given) if self.system is None else make_system(self.system, **given)

    def _load(self) -> AnySystem:
        """The system with the parameters of a file."""
        from ludometer.ratings.state_space.files import load_parameters
        from ludometer.ratings.state_space.system import StateSpace

        assert self.parameters is not None
        if self.names_parameters() or self.system not in (None, "state-space"):
            raise LudometerError(f"{self.parameters} gives the system and its parameters: leave out others")
        return StateSpace(load_parameters(self.parameters).document())

    def keep(self, ratings: Ratings, reading: FileOptions) -> None:
        """Write the file of parameters if there is none."""
        from ludometer.ratings.state_space.files import parameters_in, save_parameters

        if self.parameters is None or self.parameters.exists():
            return
        if ratings.provenance.method != "state-space":
            raise LudometerError(f"{ratings.provenance.method} is not fitted: leave out --parameters")
        if reading.by is not None:
            raise LudometerError("--parameters holds one fit: leave out --by")
        save_parameters(parameters_in(ratings.provenance.parameters), self.parameters)
        note(f"{self.parameters}: the fitted parameters")

    def names_parameters(self, reading: FileOptions | None = None) -> bool:
        """Whether the command line says more than a name."""
        given = (self.k, self.start, None if reading is None else reading.prizes)
        return ":" in (self.system or "") or self.base != "10" or any(value is not None for value in given)


@dataclass(frozen=True)
class StateOptions:
    """Where ratings begin, and which part of the record counts."""

    state: Path | None = option(
        "--state",
        type=OutFile(),
        metavar="FILE",
        help="Go on from this state and write it anew: only matches that it does not hold are played. It is started if "
        "there is none.",
    )
    refit: bool = option(
        "--refit", is_flag=True, help="With --state: fit the parameters again and rate the whole record, all of FILE."
    )
    start_ratings: str | None = option(
        "--start-ratings",
        metavar="FILE",
        help="Start the players of this list (columns player, rating and, if known, sd) at their ratings.",
    )
    at: str | None = option("--at", metavar="DATE", help="Rate as of this day, month or year: leave out later matches.")
    history: bool = option(
        "--history",
        is_flag=True,
        help="Rate with hindsight: later matches tell about earlier strength too. Shows who was the best ever, and how "
        "sure; with --at the ratings of that time. JSON gets every player's path.",
    )
    since: str | None = option(
        "--since",
        metavar="DATE",
        show_default="the year of the last match",
        help="Show how much each rating has changed since this date.",
    )

    def check(self, reading: FileOptions, *, stream: bool) -> None:
        """Refuse what a state or a history cannot go with, before any work."""
        if self.history and stream:
            raise LudometerError("a history needs the whole record: leave out --stream")
        if self.history:
            alien = {"--state": self.state, "--start-ratings": self.start_ratings, "--since": self.since}
            for flag in (flag for flag, value in alien.items() if value is not None):
                raise LudometerError(f"a history is of one whole record: leave out {flag} or --history")
        if self.state is None:
            if self.refit:
                raise LudometerError("--refit fits the parameters of a state again: name one with --state")
            return
        given = {"--by": reading.by, "--min-component": reading.min_component, "--experience": reading.experience}
        for flag in (*(flag for flag, value in given.items() if value is not None), *(["--stream"] if stream else [])):
            raise LudometerError(f"a state holds one whole record: leave out {flag} or --state")


@dataclass(frozen=True)
class ListOptions:
    """Which players are listed, in which order."""

    ranks: bool = option(
        "--ranks",
        is_flag=True,
        help="Show how sure ranks are: 95% intervals, groups that cannot be told apart, and the probability that a "
        "player is better than the next.",
    )
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

    def choose(self, ratings: Ratings) -> pl.DataFrame:
        """The rows to list, without a limit."""
        return ratings.choose(sort=self.sort, search=self.search, min_matches=self.min_matches)


@dataclass(frozen=True)
class TableOptions(OutputOptions):
    """A page, a document and a table."""

    csv: Path | None = option(
        "--csv", type=OutFile(".csv", ".parquet"), metavar="FILE", help="Write the list as a table (.csv or .parquet)."
    )


@dataclass(frozen=True)
class RateOptions:
    """All of them."""

    file: str = argument()
    reading: FileOptions = group(FileOptions)
    stream: bool = stream_option()
    system: SystemOptions = group(SystemOptions)
    state: StateOptions = group(StateOptions)
    listing: ListOptions = group(ListOptions)
    output: TableOptions = group(TableOptions)


@click.command("rate")
@takes(RateOptions)
def command(options: RateOptions) -> None:
    """Rate the players of FILE after its last match.

    \b
    ludometer rate games.csv --top 10
    ludometer rate chess.pgn.zst --k 16 --search carlsen
    ludometer rate results.parquet --by league --json ratings.json
    ludometer rate races.csv --match race --prizes linear
    ludometer rate league.csv --system glicko2 --ranks --html league.html
    ludometer rate new-games.csv --state league.state
    ludometer rate chess.pgn --history --at 1972
    """
    listen()
    from ludometer.report.presenter import Part, present_parts

    listing, output = options.listing, options.output
    targets = (output.json_file, output.html, output.csv, options.state.state, options.system.parameters)
    check_targets([options.file], *targets)
    options.state.check(options.reading, stream=options.stream)
    # a name that nobody knows is refused before a long file is read
    asked = None if options.system.system is None else options.system.make(None, options.reading)
    saved, parts = _find_state(options), list[Part]()
    uses = columns_used(asked or (make_system(DEFAULT_SYSTEM) if saved is None else saved.origin))
    # the new matches of a state need not connect all players: its older ones did
    connect = saved is None or not saved.n_matches
    for matches in load(options.file, options.reading, stream=options.stream, connect=connect, uses=uses):
        with named(matches):
            ratings = _rate(matches, saved, options)
        if not parts:
            note_system(ratings.provenance.method, ratings.provenance.parameters)
            options.system.keep(ratings, options.reading)
        text, document = partial(_text, ratings, listing), partial(_document, ratings, listing)
        parts.append(Part(matches.value, ratings, text, document, matches.count(ratings)))
    by = options.reading.by
    if output.csv is not None:
        _write_table(parts, listing, output.csv, by)
    present_parts(parts, output.output, by=by, page=partial(_page, parts, listing, output, by))


def _find_state(options: RateOptions) -> SavedState | None:
    """The state to go on from, if it is there."""
    from ludometer.ratings import load_state

    path = options.state.state
    return load_state(path) if path is not None and path.exists() else None


def _rate(matches: Group, saved: SavedState | None, options: RateOptions) -> Ratings:
    """Rate one group of the file, and write the state if there is one."""
    from ludometer.ratings import new_state, rate, save_state
    from ludometer.read import read_start_ratings

    asked, record = options.state, matches.matches
    if asked.history:
        return _rate_history(record, options)
    start = None if asked.start_ratings is None else read_start_ratings(asked.start_ratings)
    system = None
    if saved is None or not _is_of_state(options, saved):
        system = options.system.make(record, options.reading)
    state = new_state(system) if saved is None and asked.state is not None and system is not None else saved
    with _naming_rows(matches, options):
        ratings = rate(
            record, system=system, state=state, refit=asked.refit, start_ratings=start, at=asked.at, since=asked.since
        )
    if options.listing.ranks:
        ratings = ratings.with_ranks(min_matches=options.listing.min_matches)
    if asked.state is not None and ratings.state is not None:
        save_state(ratings.state, asked.state)
        known = 0 if saved is None or asked.refit else saved.n_matches
        note(f"{asked.state}: {known:,} matches in the state, {ratings.n_matches - known:,} new")
    return ratings


@contextmanager
def _naming_rows(matches: Group, options: RateOptions) -> Iterator[None]:
    """Say in which row of the file a match stands that a state should hold and does not."""
    from ludometer.ratings.held import UnknownMatchesError
    from ludometer.read.row_search import find_row

    try:
        yield
    except UnknownMatchesError as error:
        row = find_row(options.file, options.reading.columns, matches.record, int(error.rows[0]))
        where = options.file if row is None else f"{options.file}, row {row:,}"
        raise UnknownMatchesError(f"{where}: {error}", error.rows) from error


def _rate_history(record: Any, options: RateOptions) -> Ratings:
    """Rate with hindsight, at the end of the record or at the time that was asked for."""
    from ludometer.ratings import rate_history
    from ludometer.ratings.state_space.system import StateSpace

    system = options.system.make(record, options.reading)
    if not isinstance(system, StateSpace):
        raise LudometerError(f"only state-space rates with hindsight, not {system.name}: leave out --history")
    history = rate_history(record, system=system)
    ratings = history.at_end() if options.state.at is None else history.at(options.state.at)
    return ratings.with_ranks(min_matches=options.listing.min_matches) if options.listing.ranks else ratings


def _is_of_state(options: RateOptions, saved: SavedState) -> bool:
    """Whether the command line asks for nothing but the system of the state."""
    name = options.system.system
    return (name is None or name.strip() == saved.name) and not options.system.names_parameters(options.reading)


def _write_table(parts: list[Part], listing: ListOptions, path: Path, by: str | None) -> None:
    """All groups in one table, with a column of the value of --by."""
    import polars as pl

    from ludometer.report.files import write_frame

    tables = [_rows(cast("Ratings", part.result), listing) for part in parts]
    if by is not None:
        tables = [rows.select(pl.lit(part.value).alias(by), pl.all()) for part, rows in zip(parts, tables, strict=True)]
    write_frame(pl.concat(tables), path)


def _page(parts: list[Part], listing: ListOptions, output: TableOptions, by: str | None) -> str:
    from ludometer.report.rating_page import RatedGroup, render_ratings

    rated = [(part.value, cast("Ratings", part.result)) for part in parts]
    groups = [RatedGroup(value, ratings, _rows(ratings, listing)) for value, ratings in rated]
    return render_ratings(groups, by=by, command=output.output.command)


def _rows(ratings: Ratings, listing: ListOptions) -> pl.DataFrame:
    """The rows that a file gets: all that were chosen, or the first of them."""
    rows = listing.choose(ratings)
    return rows.head(listing.top or len(rows))


def _document(ratings: Ratings, listing: ListOptions) -> dict[str, Any]:
    return ratings.document(_rows(ratings, listing))


def _text(ratings: Ratings, listing: ListOptions) -> str:
    rows = listing.choose(ratings)
    shown = rows.head(listing.top or _SHOWN)
    lines = [_list_players(ratings, shown)]
    rest = len(rows) - _SHOWN
    if rest > 0 and not listing.top:
        lines.append(f"and {rest:,} more (--top {len(rows)} shows all)")
    if shown["provisional"].any():
        lines.append(f"? provisional: {ratings.provisional.rule}")
    if history := getattr(ratings, "history", None):
        lines += ["", history.summary()]
    return "\n".join(lines)


def _list_players(ratings: Ratings, frame: pl.DataFrame) -> str:
    """A numbered list of players."""
    if frame.is_empty():
        return "no player fits"
    known = ratings.describe(frame)
    numbers = map(str, range(1, len(frame) + 1))
    return format_table(["", *known], list(zip(numbers, *known.values(), strict=True)), left=(1,))
