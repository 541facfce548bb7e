"""From a source to `Matches`: whole, split by a column, or as a stream of batches with only the names in memory."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Codes, Counts, Mask, Times
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import MATCH_COLUMNS, Matches, owned, reorder_seats
from ludometer.parallel import Workers
from ludometer.read.columns.codes import TextIndex
from ludometer.read.columns.doubts import doubt_places
from ludometer.read.columns.guess import guess_columns, guess_dates
from ludometer.read.columns.kept import Kept
from ludometer.read.columns.names import ColumnsNotFound, PairColumns, ReadOptions, SeatColumns, find_columns
from ludometer.read.columns.teams import find_separator, padded, seats_of, spread
from ludometer.read.columns.times import find_time_format, parse_times
from ludometer.read.files.opening import open_source
from ludometer.read.files.source import Source, plain_errors
from ludometer.read.rows import Extra, PairRows, RowReader, SeatRows, TeamRows

if TYPE_CHECKING:
    import polars as pl


_NOBODY = ["bye", "freilos", "unknown", "n.n.", "nn", "tba", "tbd", "?", "-"]
"""Names that may stand for no player, or for several who are not known."""


@dataclass(frozen=True)
class Reading:
    """What a file held: its matches, split by --by if given, how its columns were read, and what was left out."""

    name: str
    groups: dict[str | None, Matches]
    by: str | None
    columns: str
    order: str
    n_rows: int
    n_bad_rows: int
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def matches(self) -> Matches:
        """All matches of a file that was not split."""
        (matches,) = self.groups.values()
        return matches

    def describe(self) -> list[str]:
        """How the file was read, in a few lines."""
        n_matches = sum(len(matches) for matches in self.groups.values())
        whose = (
            f" in {len(self.groups)} groups by {self.by}" if self.by else f" of {len(self.matches.players):,} players"
        )
        noun = "match" if n_matches == 1 else "matches"
        lines = [f"{self.name}: {n_matches:,} {noun}{whose} · {self.columns} · {self.order}"]
        return [*lines, *self.left_out, *self.notes]


def read_matches(source: Any, **options: Any) -> Matches:
    """Matches from a path, "-" (standard input) or anything with an Arrow stream: Polars, pandas, PyArrow, DuckDB.

    A folder, a pattern such as "games/*.parquet" and a list of paths are one record in several files.

    The options are those of `ReadOptions` but `by`: column names where they are not found by name, `where`, `order`,
    `drop_bad_rows`. All faults are reported at once.

    >>> import polars as pl
    >>> games = pl.DataFrame({"white": ["Ann", "Ben"], "black": ["Ben", "Cem"], "result": ["1-0", "1/2-1/2"]})
    >>> read_matches(games).pairs.score.tolist()
    [1.0, 0.5]
    """
    if options.get("by"):
        raise LudometerError("`by` splits the record: call read_file and use its `groups`")
    return read_file(source, ReadOptions(**options)).matches


def read_file(
    source: Any,
    options: ReadOptions | None = None,
    *,
    on_rows: Callable[[int], None] | None = None,
    workers: Workers | None = None,
) -> Reading:
    """Read a source whole and check every row; `on_rows` is called with the number of rows read so far.

    A folder, a pattern such as "games/*.parquet" or a list of files is one record, whose files `workers` read.
    """
    reader = _new_reader(open_source(source), options or ReadOptions(), workers)
    reader.on_rows = on_rows
    with plain_errors(reader.source.name):
        groups = _collect(reader)
        _note_alike(reader)
    return Reading(
        name=reader.source.name,
        groups=groups,
        by=reader.by_column,
        columns=", ".join((reader.columns.describe(), *(column.describe() for column in reader.kept.read_columns))),
        order=_describe_order(reader),
        n_rows=reader.n_rows,
        n_bad_rows=reader.n_dropped_rows,
        left_out=tuple(_left_out(reader)),
        notes=(*_notes_on_source(reader), *reader.notes, *_notes_on_columns(reader)),
    )


@dataclass
class MatchStream:
    """Two-player matches, batch by batch, in the order of the file, which must be that of time.

    Batches share their players: `players` grows as the stream is read, and codes keep their meaning.
    """

    reader: RowReader
    n_matches: int = 0
    _last: Times | None = field(default=None, repr=False)

    def __iter__(self) -> Iterator[Matches]:
        if self.reader.n_rows:
            raise LudometerError("a stream can be read only once: open it again")
        for rows in self.reader.pairs():
            if not len(rows.first):
                continue
            time = rows.extra.time
            if time is not None:
                previous = time[:1] if self._last is None else self._last
                if (np.diff(time) < np.zeros(1, np.diff(time).dtype)).any() or time[0] < previous[0]:
                    raise MatchDataError(
                        f"{self.reader.source.name}: not in order of {self.reader.time_column}, and a stream cannot be "
                        "sorted: sort the file, or leave out --stream"
                    )
                self._last = time[-1:]
            self.n_matches += len(rows.first)
            batch = Matches.of_pairs(
                owned(rows.first),
                owned(rows.second),
                owned(rows.halves),
                players=self.reader.players.players,
                time=time,
                ordered=True,
                **self.reader.kept.finish(rows.extra.kept, rows.extra.kept),
            )
            yield self.reader.kept.marked(batch)
        _check(self.reader, self.n_matches)

    def left_out(self) -> list[str]:
        """What was left out, once everything was read."""
        reader = self.reader
        return [*_left_out(reader), *_notes_on_source(reader), *reader.notes, *_notes_on_columns(reader)]

    def describe(self) -> list[str]:
        """How the file is read."""
        return [f"{self.reader.source.name}: streamed · {self.reader.columns.describe()} · in the order of the file"]


def stream_matches(source: Any, options: ReadOptions | None = None) -> MatchStream:
    """Open a source of two-player matches as a stream, for files of any length."""
    options = options or ReadOptions()
    if options.keeps:
        raise MatchDataError("a stream has players, results and times only: leave out --stream")
    if options.by or options.order:
        raise MatchDataError("--by and --order need the whole file: leave out --stream")
    # what labels mean is only known at the end of a file
    if options.uses:
        options = replace(options, uses=tuple(name for name in options.uses if name == "advantage"))
    reader = _new_reader(open_source(source), options)
    if not isinstance(reader.columns, PairColumns) or reader.columns.has_teams:
        raise MatchDataError("only files with one row per two-player match can be streamed: leave out --stream")
    return MatchStream(reader)


def _left_out(reader: RowReader) -> list[str]:
    counts = {
        "left out by --where": reader.n_filtered,
        "dropped because of faults": reader.n_dropped_rows,
        "left out: the match was not finished": reader.n_unfinished,
        "skipped: they are empty": reader.n_empty,
    }
    told = [f"{count:,} of {reader.n_rows:,} rows {why}" for why, count in counts.items() if count]
    return [*told, *reader.faults.lines()]


def _new_reader(source: Source, options: ReadOptions, workers: Workers | None = None) -> RowReader:
    try:
        columns = find_columns(list(source.schema), options, file=source.name)
    except ColumnsNotFound as error:
        with plain_errors(source.name):
            guess = guess_columns(source, options)
        raise ColumnsNotFound(f"{error}\n{guess}" if guess else str(error)) from None
    reader = RowReader(source, columns, options)
    if source.parts is not None:
        source.parts.workers = workers or Workers()
        source.parts.coded = reader.coded_columns
    if not columns.times and not options.order and not options.time:
        with plain_errors(source.name):
            dates = guess_dates(source)
        reader.notes += [
            f"column {name} looks like dates, but does not order the matches; to use it: --time {shlex.quote(name)}"
            for name in dates[:1]
        ]
    return reader


def _check(reader: RowReader, n_matches: int) -> None:
    """Refuse a file with bad rows (unless they are to be dropped) and one without any match."""
    name = reader.source.name
    if reader.faults and not reader.options.drop_bad_rows:
        raise MatchDataError(_fault_message(reader))
    if n_matches:
        if isinstance(reader.columns, PairColumns):
            _ask(reader, reader.doubts.questions())
        return
    if reader.faults:
        raise MatchDataError(_fault_message(reader) + "\nNo rows are left without them")
    if reader.n_filtered:
        raise MatchDataError(f"{name}: none of {reader.n_rows:,} rows passes --where {reader.options.where!r}")
    if reader.n_unfinished:
        raise MatchDataError(f"{name}: none of {reader.n_unfinished:,} games is finished")
    what = "the file has no games" if reader.source.is_pgn else "the file has columns but no matches"
    raise MatchDataError(f"{name}: {what}")


def _ask(reader: RowReader, questions: list[str]) -> None:
    """Refuse a file whose columns hardly mean what they seem to, unless the user says so."""
    if questions and not reader.options.as_read:
        raise MatchDataError("\n".join(f"{reader.source.name}: {question}" for question in questions))


def _fault_message(reader: RowReader) -> str:
    return reader.faults.message(reader.source.name, reader.n_rows, below_header=reader.source.is_csv)


def _collect(reader: RowReader) -> dict[str | None, Matches]:
    if not isinstance(reader.columns, PairColumns):
        return _collect_seats(reader)
    return _collect_teams(reader) if reader.columns.has_teams else _collect_pairs(reader)


def _collect_pairs(reader: RowReader) -> dict[str | None, Matches]:
    parts: list[PairRows] = list(reader.pairs())
    _check(reader, sum(len(part.first) for part in parts))
    extra = _concatenate_extra([part.extra for part in parts])
    columns = [np.concatenate([getattr(part, name) for part in parts]) for name in ("first", "second", "halves")]
    parts.clear()
    order = _order(reader, extra)
    if order is not None:
        columns, extra = [column[order] for column in columns], extra.take(order)
    columns = [owned(column) for column in columns]
    if reader.kept.is_unasked("advantage") and not reader.columns.is_unequal and (columns[2] == 2).all():
        # then the order of the players is that of the result
        reader.kept.leave_out("advantage", "the first player won every match", len(columns[2]))
    whole = Matches.of_pairs(
        *columns,
        players=reader.players.players,
        time=extra.time,
        ordered=order is not None or extra.group is not None,
        **reader.kept.finish(extra.kept, extra.kept),
    )
    _note_repeats(reader, whole)
    return _split(reader, reader.kept.marked(whole), extra)


def _collect_teams(reader: RowReader) -> dict[str | None, Matches]:
    """Matches of two sides become seats, whose sides are 1 and 2 unless --side names them."""
    parts: list[TeamRows] = list(reader.teams())
    _check(reader, sum(len(part.halves) for part in parts))
    extra = _concatenate_extra([part.extra for part in parts])
    ours, theirs = padded([part.ours for part in parts]), padded([part.theirs for part in parts])
    halves = np.concatenate([part.halves for part in parts])
    order = _order(reader, extra)
    if order is not None:
        ours, theirs, halves, extra = ours[order], theirs[order], halves[order], extra.take(order)
    present, starts, player, place, side = seats_of(ours, theirs, halves)
    per_seat = Kept(
        {key: spread(own, present, side) for key, own in extra.kept.values.items() if key[0] not in MATCH_COLUMNS}
    )
    columns = reader.kept.finish(extra.kept, per_seat)
    columns.setdefault("side", side + 1)
    whole = Matches.of_seats(
        starts,
        player,
        place,
        players=reader.players.players,
        time=extra.time,
        ordered=order is not None or extra.group is not None,
        **columns,
    )
    return _split(reader, reader.kept.marked(whole), extra)


def _notes_on_source(reader: RowReader) -> tuple[str, ...]:
    """Notes on the file, or on all files."""
    return reader.source.notes if reader.source.parts is None else tuple(reader.source.parts.notes)


def _notes_on_columns(reader: RowReader) -> list[str]:
    """Notes on walkovers and, for those who said what they use, on further columns."""
    walkovers = reader.walkovers.notes(dict(reader.source.schema))
    if reader.options.uses is None:
        return walkovers
    first = reader.columns.first if isinstance(reader.columns, PairColumns) else "the first player"
    return [*walkovers, *reader.kept.notes(first)]


def _note_alike(reader: RowReader) -> None:
    """Note names that differ only in capitals or blanks: one person would count as several."""
    if not isinstance(reader.players, TextIndex) or reader.players.folds or not reader.players.n_known:
        return
    names = reader.players.players.names
    columns = reader.columns
    if isinstance(columns, PairColumns) and not columns.has_teams and (separator := find_separator(names)):
        reader.notes.append(
            f"most names look like several players, such as {names[0]!r}: each counts as one player; to rate the "
            f'players: --split-names "{separator}"'
        )
    folded = names.str.to_lowercase().str.replace_all(r"\s+", " ")
    nobody = names.filter(folded.is_in(_NOBODY)).to_list()
    if nobody:
        listed = ", ".join(map(repr, nobody))
        tests = " or ".join(f"{column} in ({listed})" for column in reader.player_columns)
        reader.notes.append(f'{listed} counts as a player; if that is nobody: --where "not ({tests})"')
    others = len(names) - folded.n_unique()
    if others:
        known: dict[str, str] = {}
        pairs = zip(folded, names, strict=True)
        twin, name = next((known[key], name) for key, name in pairs if known.setdefault(key, name) != name)
        differ = "name differs" if others == 1 else "names differ"
        reader.notes.append(
            f"{others:,} {differ} from another only in capitals or blanks, such as {name!r} and {twin!r}: each counts "
            "as a separate player; to join them: --merge-names"
        )


def _note_repeats(reader: RowReader, whole: Matches) -> None:
    """Note repeated matches: copies, or, if times are days, two matches with the same result."""
    time = whole.time
    if time is None or time.dtype.kind != "M":
        return
    same = np.diff(time) == np.timedelta64(0)
    for column in (whole.pairs.first, whole.pairs.second, whole.pairs.halves):
        same &= column[1:] == column[:-1]
    if same.any():
        repeat = "match repeats" if same.sum() == 1 else "matches repeat"
        reader.notes.append(f"{same.sum():,} {repeat} the one before: same players, result and time; all are counted")


def _collect_seats(reader: RowReader) -> dict[str | None, Matches]:
    parts: list[SeatRows] = list(reader.seats())
    if not parts:
        _check(reader, 0)
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("row", "match", "player", "value", "bad", *(["prize"] if reader.columns_have_prizes else []))
    }
    extra = _concatenate_extra([part.extra for part in parts])
    bad_match = np.zeros(int(columns["match"].max(initial=-1)) + 2, bool)
    bad_match[columns["match"][columns["bad"]]] = True
    bad_match[-1] = True  # rows whose match is missing
    for kind, rows in _match_faults(reader, columns, bad_match, extra):
        reader.faults.add(kind, columns["row"][rows])
        reader.faults.n_bad_rows += len(rows)
        bad_match[columns["match"][rows]] = True
    seats = np.argsort(columns["match"], kind="stable")
    seats = seats[~bad_match[columns["match"][seats]]]
    match = columns["match"][seats]
    starts = np.concatenate((np.flatnonzero(np.diff(match, prepend=-1)), [len(match)]))
    _check(reader, len(starts) - 1)
    if isinstance(reader.columns, SeatColumns) and reader.columns.place:
        place = columns["value"][seats]
        _ask(reader, doubt_places(reader.columns.place, starts, place, is_filtered=bool(reader.n_filtered)))
    heads = extra.take(seats[starts[:-1]])
    order = _order(reader, heads)
    reader.n_seats_dropped = len(columns["match"]) - len(seats)
    if order is not None:
        starts, before = reorder_seats(starts, order)
        seats, heads = seats[before], heads.take(order)
    whole = Matches.of_seats(
        starts,
        columns["player"][seats],
        columns["value"][seats],
        prize=columns["prize"][seats] if reader.columns_have_prizes else None,
        players=reader.players.players,
        time=heads.time,
        ordered=order is not None or heads.group is not None,
        **reader.kept.finish(heads.kept, extra.kept.take(seats)),
    )
    return _split(reader, reader.kept.marked(whole), heads)


def _match_faults(
    reader: RowReader, columns: dict[str, Any], bad_match: Mask, extra: Extra
) -> Iterator[tuple[str, Counts]]:
    """Faults of whole matches: a single seat, a player twice, two times, one side."""
    match, player = columns["match"], columns["player"]
    sound = ~bad_match[match]
    seats = np.bincount(match[match >= 0], minlength=len(bad_match))
    yield "a match has only one player", np.flatnonzero(sound & (seats[match] == 1))
    yield "a player appears twice in one match", _repeated(match, player, sound)
    first_row = np.full(len(bad_match), len(match))
    np.minimum.at(first_row, match, np.arange(len(match)))
    head = np.minimum(first_row[match], len(match) - 1)
    shared = {("time", ""): extra.time} if extra.time is not None else {}
    shared |= {key: own for key, own in extra.kept.values.items() if key[0] in MATCH_COLUMNS}
    for (kind, name), values in shared.items():
        differs = (values != values[head]) & ~((values != values) & (values[head] != values[head]))  # noqa: PLR0124 - NaN
        fault = f"a match has two {'times' if kind == 'time' else f'values of {name or kind}'}"
        rows = np.flatnonzero(sound & differs)
        if reader.kept.is_unasked(kind):
            reader.kept.leave_out(kind, fault, len(rows))
        else:
            yield fault, rows
    side = extra.kept.values.get(("side", ""))
    if side is not None and reader.kept.is_unasked("side"):
        for fault, rows in _side_faults(columns, sound, side, head):
            reader.kept.leave_out("side", fault, len(rows))
    elif side is not None:
        yield from _side_faults(columns, sound, side, head)


def _side_faults(columns: dict[str, Any], sound: Mask, side: Codes, head: Counts) -> Iterator[tuple[str, Counts]]:
    """Matches with one side, and players of one side who do not share a place."""
    match = columns["match"]
    has_other = np.zeros(int(match.max(initial=-1)) + 2, bool)
    has_other[match[side != side[head]]] = True
    yield "a match has only one side", np.flatnonzero(sound & ~has_other[match])
    order = np.lexsort((columns["value"], side, match))
    mates = (np.diff(match[order]) == 0) & (np.diff(side[order]) == 0) & sound[order[1:]]
    differ = mates & (np.diff(columns["value"][order]) != 0)
    yield "players of one side have different places", np.sort(order[1:][differ])


def _repeated(match: Codes, player: Codes, sound: Mask) -> Counts:
    """Rows whose player has an earlier row in the same match."""
    order = np.lexsort((player, match))
    twice = (np.diff(match[order]) == 0) & (np.diff(player[order]) == 0)
    return np.sort(order[1:][twice & sound[order[1:]]])


def _concatenate_extra(parts: list[Extra]) -> Extra:
    import polars as pl

    def joined(arrays: list[Any]) -> Any:
        return np.concatenate(arrays) if arrays and arrays[0] is not None else None

    frames = [part.order for part in parts if part.order is not None]
    return Extra(
        joined([part.time for part in parts]),
        joined([part.group for part in parts]),
        pl.concat(frames) if frames else None,
        Kept.joined([part.kept for part in parts]),
    )


def _order(reader: RowReader, extra: Extra) -> Counts | None:
    """The order by the columns of --order, or by time if groups have to follow it; None leaves it to `Matches`."""
    import polars as pl

    if extra.order is not None:
        keys = [_sortable(extra.order[name], reader, name) for name in reader.order_columns]
        by_keys = pl.DataFrame(keys).select(pl.arg_sort_by(reader.order_columns, maintain_order=True))
        return by_keys.to_series().to_numpy().astype(np.int64)
    if extra.group is not None and extra.time is not None:
        return np.argsort(extra.time, kind="stable")
    return None


def _sortable(column: pl.Series, reader: RowReader, name: str) -> pl.Series:
    """A column to sort by: text with numbers or dates becomes numbers or dates."""
    import polars as pl

    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        return column
    form = find_time_format(column, name=name, given=None)
    if form:
        values, wrong = parse_times(column, form)
        if not wrong.any():
            return pl.Series(name, values)
    reader.notes.append(f"column {name} is sorted as text")
    return column


def _split(reader: RowReader, whole: Matches, extra: Extra) -> dict[str | None, Matches]:
    if extra.group is None:
        return {None: _without_idle(whole) if reader.left_out_any else whole}
    names = reader.groups.words.to_list()
    present = sorted(set(extra.group.tolist()), key=lambda code: names[code])
    return {names[code]: _without_idle(whole.take(extra.group == code)) for code in present}


def _without_idle(matches: Matches) -> Matches:
    """Without the players who appear only in rows that were left out."""
    plays = matches.counts > 0
    return matches if plays.all() else matches.recode(plays)


def _describe_order(reader: RowReader) -> str:
    if reader.order_columns:
        return f"in order of {', '.join(reader.order_columns)}"
    if reader.time_column:
        return f"in order of {reader.time_column}"
    return f"in the order of the {'file' if reader.source.parts is None else 'files'}"
