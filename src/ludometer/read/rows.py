"""Rows of a table become arrays: players coded, results in half points, times parsed, every fault noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Halves, Mask, Times
from ludometer.errors import LudometerError
from ludometer.read.columns.codes import IntegerIndex, TextIndex
from ludometer.read.columns.doubts import Doubts, find_rivals
from ludometer.read.columns.kept import Kept, KeptReader, find_kept, numbers_or_empty
from ludometer.read.columns.names import PairColumns, ReadOptions, SeatColumns, find_named
from ludometer.read.columns.outcomes import UNFINISHED, Outcomes, numbers, seat_values
from ludometer.read.columns.teams import repeated_players, split_names
from ludometer.read.columns.times import TimeFormat, can_order, find_epoch, find_time_format, parse_times
from ludometer.read.columns.walkovers import find_walkovers
from ludometer.read.faults import Faults, first_values
from ludometer.read.filter import parse_where

if TYPE_CHECKING:
    import polars as pl

    from ludometer.read.files.source import Source

_MUST_BE_TIMES = ("date", "datetime")


@dataclass(frozen=True)
class PairRows:
    """A batch of two-player matches without its bad rows."""

    first: Codes
    second: Codes
    halves: Halves
    extra: Extra


@dataclass(frozen=True)
class TeamRows:
    """A batch of matches of two sides without its bad rows; -1 is nobody, since sides may differ in size."""

    ours: Codes
    theirs: Codes
    halves: Halves
    extra: Extra


@dataclass(frozen=True)
class SeatRows:
    """A batch of seats; rows with a fault are marked, since they drop the whole match."""

    row: Counts
    match: Codes
    player: Codes
    value: Floats
    prize: Floats | None
    bad: Mask
    extra: Extra


@dataclass(frozen=True)
class Extra:
    """What may go with each row: a time, the group of --by, the columns of --order, and further columns."""

    time: Times | None
    group: Codes | None
    order: pl.DataFrame | None
    kept: Kept = field(default_factory=Kept)

    def take(self, kept: Mask | Counts) -> Extra:
        """Only these rows."""
        return Extra(
            None if self.time is None else self.time[kept],
            None if self.group is None else self.group[kept],
            None if self.order is None else self.order[np.flatnonzero(kept) if kept.dtype == bool else kept],
            self.kept.take(kept),
        )


@dataclass
class RowReader:
    """Reads the rows of a source once and counts what it leaves out."""

    source: Source
    columns: PairColumns | SeatColumns
    options: ReadOptions
    faults: Faults = field(default_factory=Faults)
    n_rows: int = 0
    n_filtered: int = 0
    n_unfinished: int = 0
    n_empty: int = 0
    n_seats_dropped: int = 0
    """Seats of matches in which some row was bad."""
    notes: list[str] = field(default_factory=list)
    on_rows: Callable[[int], None] | None = None
    groups: TextIndex = field(default_factory=TextIndex)
    time_column: str | None = None
    _time_format: TimeFormat | None = None
    _time_is_chosen: bool = False

    def __post_init__(self) -> None:
        names = list(self.source.schema)
        if self.source.parts is not None:
            self.faults.locate = self.source.parts.locate
        self.kept = self._kept(names)
        self._refuse_nested()
        self.order_columns = find_named(names, self.options.order, "--order", file=self.source.name)
        by = (self.options.by,) if self.options.by else ()
        self.by_column: str | None = next(iter(find_named(names, by, "--by", file=self.source.name)), None)
        self.where = parse_where(self.options.where) if self.options.where else None
        self._condition: pl.Expr | None = None
        self._where_formats: dict[str, TimeFormat | None] = {}
        self._grouped_matches = IntegerIndex()
        if self.where:
            # names and types are checked before any row is read
            self.where.expression(self.source.schema)
        self.players = self._new_index(*self.player_columns, folds=self.options.merge_names)
        self.walkovers = find_walkovers(names, self.columns, file=self.source.name)
        if isinstance(self.columns, SeatColumns):
            self.matches = self._new_index(self.columns.match)
        else:
            self._outcomes = Outcomes(self.columns, self.source.is_pgn)
            rivals = (
                () if self.options.as_read else find_rivals(names, self.columns, self.options, file=self.source.name)
            )
            self.doubts = Doubts(self.columns, rivals)

    @property
    def columns_have_prizes(self) -> bool:
        """Whether a column says what each seat won."""
        return isinstance(self.columns, SeatColumns) and self.columns.prize is not None

    @property
    def left_out_any(self) -> bool:
        """Whether some rows were dropped after their players got codes: these may appear in no other row."""
        return bool(self.n_dropped_rows or self.n_unfinished)

    @property
    def n_dropped_rows(self) -> int:
        """Rows dropped because of faults; a bad seat drops its whole match."""
        return max(self.faults.n_bad_rows, self.n_seats_dropped)

    def pairs(self) -> Iterator[PairRows]:
        """Batches of a file whose rows are matches."""
        columns = self.columns
        assert isinstance(columns, PairColumns)
        for frame, row, ragged in self._frames((columns.first, columns.second, *columns.score), self.doubts.needed):
            codes = self.players.codes([frame[columns.first], frame[columns.second]])
            first, second = codes[:, 0].copy(), codes[:, 1].copy()
            halves, bad_score = self._outcomes.halves(frame)
            unfinished = halves == UNFINISHED  # a bye needs no second player
            bad = _Bad(self.faults, frame, row, ragged)
            bad.add((first < 0) & ~unfinished, f"{columns.first} is missing")
            bad.add((second < 0) & ~unfinished, f"{columns.second} is missing")
            bad.add((first == second) & (first >= 0), "a player plays against themselves", columns.first)
            for mask, kind, shown in bad_score:
                bad.add(mask, kind, shown)
            extra = self._extra(frame, bad)
            self.n_unfinished += int((unfinished & ~bad.rows).sum())
            kept = ~(bad.rows | unfinished)
            bad.close()
            self.walkovers.count(frame, kept)
            if not self.options.as_read:
                self.doubts.count(frame, halves)
            if kept.all():
                yield PairRows(first, second, halves, extra)
            else:
                yield PairRows(first[kept], second[kept], halves[kept], extra.take(kept))
        self.notes += self._outcomes.notes()

    def teams(self) -> Iterator[TeamRows]:
        """Batches of a file whose rows are matches of two sides."""
        columns = self.columns
        assert isinstance(columns, PairColumns)
        for frame, row, ragged in self._frames((*columns.players, *columns.score)):
            sides = [split_names(frame, names, columns.separator) for names in columns.sides]
            codes = self.players.codes([*sides[0], *sides[1]])
            ours, theirs = codes[:, : len(sides[0])], codes[:, len(sides[0]) :]
            halves, bad_score = self._outcomes.halves(frame)
            bad = _Bad(self.faults, frame, row, ragged)
            for side, names in zip((ours, theirs), columns.sides, strict=True):
                bad.add(side.max(axis=1) < 0, f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} missing")
            twice, both = repeated_players(ours, theirs)
            bad.add(both, "a player plays on both sides", columns.first)
            bad.add(twice & ~both, "a player appears twice on one side", columns.first)
            for mask, kind, shown in bad_score:
                bad.add(mask, kind, shown)
            extra = self._extra(frame, bad)
            unfinished = halves == UNFINISHED
            self.n_unfinished += int((unfinished & ~bad.rows).sum())
            kept = ~(bad.rows | unfinished)
            bad.close()
            self.walkovers.count(frame, kept)
            yield TeamRows(ours[kept], theirs[kept], halves[kept], extra.take(kept))

    def seats(self) -> Iterator[SeatRows]:
        """Batches of a file whose rows are players in a match."""
        columns = self.columns
        assert isinstance(columns, SeatColumns)
        value_column = columns.place or columns.score
        assert value_column
        prize_column = (columns.prize,) if columns.prize else ()
        for frame, row, ragged in self._frames((columns.match, columns.player, value_column, *prize_column)):
            match = self.matches.codes([frame[columns.match]])[:, 0]
            player = self.players.codes([frame[columns.player]])[:, 0]
            value = numbers(frame[value_column]) if columns.place else seat_values(frame[value_column])
            bad = _Bad(self.faults, frame, row, ragged)
            bad.add(match < 0, f"{columns.match} is missing")
            bad.add(player < 0, f"{columns.player} is missing")
            bad.add(~np.isfinite(value), f"{value_column} is not a number", value_column)
            # an empty cell is no prize
            prize = numbers_or_empty(frame[columns.prize], 0.0, bad.add) if columns.prize else None
            extra = self._extra(frame, bad)
            bad.close()
            if extra.group is not None:
                match = self._within_group(match, extra.group)
            yield SeatRows(row, match, player, value if columns.place else -value, prize, bad.rows, extra)

    def _frames(
        self, needed: tuple[str, ...], besides: tuple[str, ...] = ()
    ) -> Iterator[tuple[pl.DataFrame, Counts, Mask]]:
        """Frames of the columns that are needed, the numbers of their rows, and which of these are ragged lines.

        Blank lines and rows that --where leaves out are not in them.
        """
        import polars as pl

        by = (self.by_column,) if self.by_column else ()
        filtered = self.where.columns if self.where else ()
        wanted = (*needed, *besides, *self.columns.times, *self.order_columns, *by, *self.kept.sources)
        wanted += tuple(_present(filtered, self.source.schema))
        wanted += (self.walkovers.column,) if self.walkovers.column else ()
        for frame in self.source.batches(wanted):
            start, self.n_rows = self.n_rows, self.n_rows + len(frame)
            if self.on_rows:
                self.on_rows(self.n_rows)
            odd = self.source.odd_rows()
            keep = ~(_mask(odd.blank, start, self.n_rows) | self._empty(frame, needed))
            self.n_empty += int((~keep).sum())
            ragged = _mask(odd.ragged, start, self.n_rows)
            if self.where is not None:
                passes = self._passes(frame) | ragged
                self.n_filtered += int((keep & ~passes).sum())
                keep &= passes
            row = np.arange(start, self.n_rows)
            if not keep.all():
                frame, row, ragged = frame.filter(pl.Series(keep)), row[keep], ragged[keep]  # noqa: PLW2901
            if len(frame):
                yield frame, row, ragged

    def _empty(self, frame: pl.DataFrame, needed: tuple[str, ...]) -> Mask:
        """Rows of a spreadsheet that hold only separators."""
        import polars as pl

        if not self.source.is_csv or not (frame[needed[0]] == "").any():
            return np.zeros(len(frame), bool)
        return frame.select(pl.all_horizontal(pl.col(needed) == "")).to_series().to_numpy()

    def _passes(self, frame: pl.DataFrame) -> Mask:
        """Where --where holds; text with dates that are not ISO is compared as dates."""
        import polars as pl

        assert self.where is not None
        names = _present(self.where.columns, self.source.schema)
        if self._condition is None:
            for name in names:
                if self.source.schema[name] == pl.String:
                    self._where_formats[name] = _date_format(frame[name], name)
        days = {}
        for name, form in self._where_formats.items():
            if form is not None:
                times, wrong = parse_times(frame[name], form)
                days[name] = pl.Series(name, times).set(pl.Series(wrong), None)
            elif self.source.is_csv:
                days[name] = frame[name].set(frame[name] == "", None)
        frame = frame.with_columns(**days)
        if self._condition is None:
            self._condition = self.where.expression(
                dict(self.source.schema) | {name: day.dtype for name, day in days.items()}
            )
        return frame.select(self._condition.alias("passes"))["passes"].to_numpy()

    def _within_group(self, match: Codes, group: Codes) -> Codes:
        """Matches of different groups may have the same id."""
        import polars as pl

        keys = np.where((match < 0) | (group < 0), -1, (group.astype(np.int64) << 32) | match)
        codes = self._grouped_matches.codes([pl.Series(keys)])[:, 0]
        return np.where(keys < 0, -1, codes).astype(np.int32)

    def _refuse_nested(self) -> None:
        """Refuse lists, structures and bytes, which are neither names nor results."""
        import polars as pl

        columns = self.columns
        used = (*self.player_columns, *columns.times)
        used += (
            columns.score if isinstance(columns, PairColumns) else (columns.match, columns.place or columns.score or "")
        )
        if isinstance(columns, SeatColumns) and columns.prize:
            used += (columns.prize,)
        for name in (*used, *self.kept.sources):
            dtype = self.source.schema[name]
            if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
                raise LudometerError(f"{self.source.name}: column {name} holds {dtype}, not text or numbers")

    def _kept(self, names: list[str]) -> KeptReader:
        found = find_kept(names, self.options, self.columns, file=self.source.name)
        is_said = any(column.kind == "advantage" and column.is_asked for column in found)
        is_open = not is_said and self.options.advantage is None and "advantage" in self.options.used
        return KeptReader(
            found,
            isinstance(self.columns, PairColumns),
            advantage=None if is_said else self.options.advantage,
            has_unequal_seats=is_open and self.columns.is_unequal,
        )

    @property
    def coded_columns(self) -> tuple[str, ...]:
        """Columns of players that may come as codes: those of which nothing else is asked."""
        splits = isinstance(self.columns, PairColumns) and self.columns.separator is not None
        filtered = _present(self.where.columns if self.where else (), self.source.schema)
        asked = {*filtered, *self.order_columns, *self.kept.sources, self.by_column, self.walkovers.column}
        return () if splits else tuple(name for name in self.player_columns if name not in asked)

    @property
    def player_columns(self) -> tuple[str, ...]:
        """The columns of the file that hold players."""
        columns = self.columns
        return columns.players if isinstance(columns, PairColumns) else (columns.player,)

    def _new_index(self, *names: str, folds: bool = False) -> IntegerIndex | TextIndex:
        import polars as pl

        types = [self.source.schema[name] for name in names]
        splits = isinstance(self.columns, PairColumns) and self.columns.separator is not None
        whole = not splits and all(
            dtype.is_integer() and dtype not in (pl.UInt64, pl.Int128, pl.UInt128) for dtype in types
        )
        return IntegerIndex() if whole else TextIndex(folds=folds)

    def _extra(self, frame: pl.DataFrame, bad: _Bad) -> Extra:
        import polars as pl

        self._choose_time(frame)
        time = group = None
        if self.time_column:
            time, wrong = parse_times(frame[self.time_column], self._time_format)
            form = f" ({self._time_format.describe()})" if self._time_format else ""
            bad.add(wrong, f"{self.time_column} is missing or not in the usual format{form}", self.time_column)
        if self.by_column:
            group = self.groups.codes([frame[self.by_column].cast(pl.String)])[:, 0]
            bad.add(group < 0, f"{self.by_column} is missing")
        for name in self.order_columns:
            column = frame[name]
            empty = column.is_null() | (column == "") if column.dtype == pl.String else column.is_null()
            bad.add(empty.fill_null(value=True).to_numpy(), f"{name} is missing")
        order = frame.select(self.order_columns) if self.order_columns else None
        return Extra(time, group, order, self.kept.read(frame, bad.add))

    def _choose_time(self, frame: pl.DataFrame) -> None:
        """With the first rows, choose the first column that can be read as times."""
        import polars as pl

        if self._time_is_chosen:
            return
        self._time_is_chosen = True
        for name in self.columns.times:
            column = frame[name]
            if column.dtype in (pl.String, pl.Categorical, pl.Enum):
                column = column.cast(pl.String)
                column = column.filter(column.str.len_bytes() > 0)
                place = f"{self.source.name}, column {name}"
                self._time_format = find_time_format(column, name=place, given=self.options.date_format)
                usable = self._time_format is not None and len(column) > 0
            else:
                usable = can_order(column.dtype)
                self._time_format = find_epoch(column)
            if usable and self.options.date_format and self._time_format:
                _, wrong = parse_times(column, self._time_format)
                if wrong.all():
                    raise LudometerError(
                        f"{self.source.name}: no {name} fits --date-format {self.options.date_format}, "
                        f"for example {column[0]!r}; write %Y, %m, %d for year, month, day"
                    )
            if usable:
                self.time_column = name
                return
            example = next(iter(column), None)
            if example is None:
                self.notes.append(f"column {name} is empty: it does not order the matches")
            elif name == self.options.time or name.strip().casefold() in _MUST_BE_TIMES:
                raise LudometerError(
                    f"{self.source.name}: column {name} holds {example!r}, which is not a date, time or number. "
                    "Name another column with --time, or give the format of dates with --date-format"
                )
            else:
                self.notes.append(
                    f"column {name} holds {example!r}, which is not a time or number: it does not order the matches"
                )


@dataclass
class _Bad:
    """The bad rows of one batch; a line with shifted columns has no other faults."""

    faults: Faults
    frame: pl.DataFrame
    row: Counts
    ragged: Mask
    rows: Mask = field(init=False)

    def __post_init__(self) -> None:
        self.rows = self.ragged.copy()
        self.faults.add("more or fewer fields than the header", self.row[self.ragged])

    def add(self, mask: Mask, kind: str, shown: str | None = None) -> None:
        """Note rows with a fault; `shown` is the column whose values are quoted."""
        if mask.any():
            where = np.flatnonzero(mask & ~self.ragged)
            values: Any = first_values(self.frame[shown], where) if shown else ()
            self.faults.add(kind, self.row[where], values)
            self.rows |= mask

    def close(self) -> None:
        """Count each row once, however many faults it has."""
        self.faults.n_bad_rows += int(self.rows.sum())


def _mask(rows: Counts, start: int, stop: int) -> Mask:
    """Where these row numbers stand among the rows from start to stop."""
    mask = np.zeros(stop - start, bool)
    mask[rows[np.searchsorted(rows, start) : np.searchsorted(rows, stop)] - start] = True
    return mask


def _present(names: Iterable[str], schema: Mapping[str, pl.DataType]) -> list[str]:
    """The columns that a filter means, which may differ in upper and lower case."""
    wanted = {name.casefold() for name in names}
    return [name for name in schema if name.casefold() in wanted]


def _date_format(column: pl.Series, name: str) -> TimeFormat | None:
    """The format of dates that do not sort as text; None for anything else."""
    try:
        form = find_time_format(column, name=name)
    except LudometerError:
        return None
    return None if form is None or form.is_number or form.pattern.startswith("%Y") else form
