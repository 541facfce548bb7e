"""Columns beside players, result and time that are kept on request: scores, sides, sessions, weights, covariates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ludometer.arrays import Array, Codes, Floats, Mask
from ludometer.errors import LudometerError
from ludometer.matches import MATCH_COLUMNS, Columns, Matches
from ludometer.players import Labels
from ludometer.read.columns.arena import SEATS
from ludometer.read.columns.codes import TextIndex
from ludometer.read.columns.names import OTHER_POINTS, POINTS, Finder, PairColumns, ReadOptions, SeatColumns, fold
from ludometer.read.columns.outcomes import numbers, split_points

if TYPE_CHECKING:
    import polars as pl

KNOWN = {
    "session": ("session", "session_id"),
    "weight": ("weight",),
    "advantage": ("advantage", "neutral", "is_neutral", "neutral_ground", "neutral_site", "neutral_venue"),
    "side": ("side", "team"),
    "score": ("score", "points", "goals"),
}
"""What --keep can ask for, and the names under which it is found."""

FOUND = ("session", "advantage", "side", "score")
"""What a system may use without being asked for. A weight may be a boxer's: it counts only on request."""

ALL = "all"
_NEUTRAL = "neutral"
_AHEAD = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "y", "home", "h", "first", "white"), 1),
    **dict.fromkeys(("-1", "-1.0", "away", "a", "second", "black"), -1),
    **dict.fromkeys(("0", "0.0", "false", "no", "neutral", "n", "none"), 0),
}
_GROUND = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "y", "neutral", "n"), 0),
    **dict.fromkeys(("0", "0.0", "false", "no"), 1),
}
"""In a column called neutral: true is neutral ground, false or nothing an advantage of the first seat."""

Note = Callable[[Mask, str, str | None], None]
"""Notes rows with a fault: which ones, what it is, and the column whose values are shown."""


@dataclass(frozen=True)
class KeptColumn:
    """A column of the record, and where it comes from."""

    kind: str
    """session, weight, advantage, covariates, score, side or seat_covariates."""
    sources: tuple[str, ...]
    """One column of the file; two for a column per seat in a file with one row per match."""
    name: str = ""
    """Of a covariate."""
    is_asked: bool = True
    """Whether the user asked for it; if not, it is left out where it cannot be read."""

    @property
    def key(self) -> tuple[str, str]:
        """What distinguishes it from the others."""
        return self.kind, self.name

    @property
    def is_per_match(self) -> bool:
        """Whether it has one value per match."""
        return self.kind in MATCH_COLUMNS

    def describe(self) -> str:
        """In a few words, for the user."""
        found = " : ".join(self.sources)
        return f"{self.name or self.kind} {found}" if (self.name or self.kind) != found else found


@dataclass(frozen=True)
class Kept:
    """Values of the columns that are kept, row by row."""

    values: Mapping[tuple[str, str], Array] = field(default_factory=dict)

    def take(self, rows: Any) -> Kept:
        """Only these rows."""
        return Kept({key: own[rows] for key, own in self.values.items()})

    @classmethod
    def joined(cls, parts: Sequence[Kept]) -> Kept:
        """The rows of all parts."""
        return cls({key: np.concatenate([part.values[key] for part in parts]) for key in parts[0].values})


def find_kept(
    names: Sequence[str], options: ReadOptions, columns: PairColumns | SeatColumns, *, file: str
) -> tuple[KeptColumn, ...]:
    """The columns to keep in a file with these column names."""
    finder = Finder(tuple(names), file, is_wide=True)
    unknown = [name for name in options.keep if name not in KNOWN and name != ALL]
    if unknown:
        raise LudometerError(f"--keep {unknown[0]}: write {', '.join(KNOWN)} or {ALL}")
    found = [_find_known(kind, finder, options, columns) for kind in KNOWN]
    for option, kind, wanted in (
        ("--covariates", "covariates", options.covariates),
        ("--seat-covariates", "seat_covariates", options.seat_covariates),
    ):
        found += [KeptColumn(kind, _sources(finder, option, kind, name, columns), name) for name in wanted]
    return tuple(one for one in found if one is not None)


def _find_known(
    kind: str, finder: Finder, options: ReadOptions, columns: PairColumns | SeatColumns
) -> KeptColumn | None:
    given = None if kind == "score" else getattr(options, kind)
    if kind == "advantage" and given in ("order", "none") and given not in finder.names:
        return None
    if given:
        return KeptColumn(kind, _sources(finder, f"--{kind}", kind, given, columns))
    is_asked = kind in options.keep or ALL in options.keep
    if not is_asked and (kind not in options.used or kind not in FOUND):
        return None
    sources = _points(finder, options, columns) if kind == "score" else _known_sources(finder, kind, columns)
    if not is_asked and sources and not _tells_unasked(kind, sources[0], columns):
        return None
    if sources:
        return KeptColumn(kind, sources, is_asked=is_asked)
    if kind in options.keep:
        remedy = "" if kind == "score" else f". Name it with --{kind} COLUMN"
        raise LudometerError(f"{finder.file}: --keep {kind}: no column holds it{remedy}\n{finder.listing()}")
    return None


def _tells_unasked(kind: str, source: str, columns: PairColumns | SeatColumns) -> bool:
    """Whether a column says something to a system that was not told what it means."""
    if kind == "side":
        # one player a side is no team
        return isinstance(columns, SeatColumns)
    # beside the winner and the loser, neutral ground does not tell who is at home elsewhere
    return kind != "advantage" or not _is_ground(source) or bool(isinstance(columns, PairColumns) and columns.score)


def _sources(finder: Finder, option: str, kind: str, name: str, columns: PairColumns | SeatColumns) -> tuple[str, ...]:
    """The column of this name; of columns per seat, where a row is a match, those that end in _1 and _2 (_a and _b)."""
    wanted: tuple[str, ...] = (name,)
    if kind not in MATCH_COLUMNS and isinstance(columns, PairColumns):
        letters, numbers = (_of_seats(name, marks) for marks in (SEATS, ("1", "2")))
        is_lettered = columns.is_arena and len(finder.all_of(own.casefold() for own in letters)) == len(SEATS)
        wanted = letters if is_lettered else numbers
        if kind == "seat_covariates" and columns.has_teams:
            wanted = _columns_of_players(finder, name, columns) or wanted
    return tuple(found for own in wanted if (found := finder.named(option, own)))


def _columns_of_players(finder: Finder, name: str, columns: PairColumns) -> tuple[str, ...]:
    """One column per player of a team: minutes_1a beside player_1a, winner_1_minutes beside winner_1."""
    found = []
    for player in map(fold, columns.players):
        beside = (f"{player}_{fold(name)}", f"{fold(name)}_{player}")
        found.append(finder.first_of((player.replace("player", fold(name)), *beside) if "player" in player else beside))
    return tuple(own for own in found if own) if all(found) else ()


def _of_seats(name: str, marks: Sequence[str]) -> tuple[str, ...]:
    """The two columns of a value per player: the mark stands at the end, or where the name has a star."""
    return tuple(name.replace("*", mark) if "*" in name else f"{name}_{mark}" for mark in marks)


def _known_sources(finder: Finder, kind: str, columns: PairColumns | SeatColumns) -> tuple[str, ...]:
    if kind in MATCH_COLUMNS or isinstance(columns, SeatColumns):
        single = finder.first_of(KNOWN[kind])
        return (single,) if single else ()
    for name in KNOWN[kind]:
        both = tuple(found for seat in (1, 2) if (found := finder.first_of((f"{name}_{seat}",))))
        if len(both) == 2:
            return both
    return ()


def _points(finder: Finder, options: ReadOptions, columns: PairColumns | SeatColumns) -> tuple[str, ...]:
    """Where scores are: in the columns of the result if these are points, or in others that are called so."""
    if isinstance(columns, SeatColumns):
        own = columns.score or finder.named("--score", options.score)
        return (own,) if own else _known_sources(finder, "score", columns)
    if len(columns.score) == 2:
        return columns.score
    for pair in (*POINTS, *OTHER_POINTS):
        both = tuple(found for name in pair if (found := finder.first_of((name,))))
        if len(both) == 2:
            return both
    is_read = "score" in options.keep or (ALL not in options.keep and fold(columns.first) not in ("white", "winner"))
    return columns.score[:1] if is_read else ()


@dataclass
class KeptReader:
    """Reads the columns that are kept, batch by batch."""

    columns: tuple[KeptColumn, ...]
    is_row_a_match: bool
    advantage: str | None = None
    """none or order, where no column says it."""
    has_unequal_seats: bool = False
    """Whether the first player is better off by the names of the columns, and nobody said anything else."""
    _labels: dict[tuple[str, str], TextIndex] = field(default_factory=dict)
    _unread: dict[KeptColumn, tuple[str, int]] = field(default_factory=dict)
    """Columns that nobody asked for and that cannot be read: why, and in how many rows."""
    _n_blank: dict[str, int] = field(default_factory=dict)
    """Empty cells of columns in which that means something."""
    _without_points: set[KeptColumn] = field(default_factory=set)
    _is_begun: bool = False
    _n_even: int | None = None
    """Matches in which nobody is better off, if there is an advantage that nobody asked for."""

    @property
    def sources(self) -> tuple[str, ...]:
        """All columns of the file that are needed."""
        return tuple(name for column in self.columns for name in column.sources)

    def read(self, frame: pl.DataFrame, note: Note) -> Kept:
        """The values of one batch; what is wrong with them is noted, for columns that were asked for as a fault."""
        return Kept({column.key: self._read(column, frame, self._judge(column, note)) for column in self.columns})

    def leave_out(self, kind: str, why: str, n_rows: int) -> None:
        """Do without a column that nobody asked for, because of faults in these rows, if there are any."""
        if n_rows:
            column = next(one for one in self.columns if one.kind == kind and not one.is_asked)
            self._unread.setdefault(column, (why, n_rows))

    def is_unasked(self, kind: str) -> bool:
        """Whether there is a column of this kind that nobody asked for."""
        return any(column.kind == kind and not column.is_asked for column in self.columns)

    def finish(self, per_match: Kept, per_seat: Kept) -> Columns:
        """The columns of the record: rows of matches, and rows of seats."""
        found: dict[str, Any] = {} if self.advantage is None else {"advantage": self.advantage}
        if self.has_unequal_seats:
            found["advantage"] = "order"
        for column in self.read_columns:
            values = (per_match if column.is_per_match else per_seat).values[column.key]
            index = self._labels.get(column.key)
            finished = values.ravel() if index is None else _finished(values.ravel(), index, is_free=bool(column.name))
            is_empty = column.kind == "score" and bool(np.isnan(values).all())
            if is_empty and not column.is_asked:
                self._without_points.add(column)
                continue
            if is_empty and self.is_row_a_match and len(column.sources) == 1:
                raise LudometerError(f"--keep score: {' and '.join(column.sources)} holds no points, such as 3-1")
            if column.name:
                found.setdefault(column.kind, {})[column.name] = finished
            else:
                found[column.kind] = finished
        return cast("Columns", found)

    def marked(self, matches: Matches) -> Matches:
        """The record, or its next batch, with a mark on the columns that nobody asked for."""
        unasked = {column.kind for column in self.columns if not column.is_asked}
        unasked |= {"advantage"} if self.has_unequal_seats else set()
        found = unasked.intersection(matches.columns)
        if not found:
            return matches
        if "advantage" in found:
            self._n_even = (self._n_even or 0) + int((matches.advantages == 0).sum())
        return replace(matches, unasked=frozenset(found))

    @property
    def read_columns(self) -> tuple[KeptColumn, ...]:
        """The columns that could be read."""
        return tuple(one for one in self.columns if one not in self._unread and one not in self._without_points)

    def notes(self, first: str) -> list[str]:
        """What was found without being asked for, what was not, and how to switch it off."""
        told = [
            f"{n:,} {'cell is' if n == 1 else 'cells are'} empty in column {name}: not neutral ground"
            for name, n in self._n_blank.items()
            if n
        ]
        told += [
            f"column {' : '.join(column.sources)} is not used as {column.kind}: {why} (in {n:,} "
            f"{'row' if n == 1 else 'rows'})"
            for column, (why, n) in self._unread.items()
        ]
        if self._n_even is not None:
            column = next((own.sources[0] for own in self.read_columns if own.kind == "advantage"), None)
            who = (
                "column advantage says who is better off"
                if column and not _is_ground(column)
                else f"{first} is better off"
            )
            on = (
                f", except in {self._n_even:,} {'match' if self._n_even == 1 else 'matches'} on neutral ground"
                if column and _is_ground(column)
                else ""
            )
            told.append(f"{who}{on}: systems may use it; to leave it out: --advantage none")
        return told

    def _points(self, column: KeptColumn, cells: pl.Series) -> Floats:
        """Points such as 3-1; none of a column that nobody asked for, if its first rows tell only who won."""
        is_new, self._is_begun = not self._is_begun, True
        points = np.empty((len(cells), 0))
        if column not in self._without_points and not (cells.dtype.is_numeric() and not column.is_asked):
            points = split_points(cells)
        if is_new and not column.is_asked and not (points > 1).any():
            self._without_points.add(column)
        return points if column not in self._without_points else points[:, :0]

    def _judge(self, column: KeptColumn, note: Note) -> Note:
        if column.is_asked:
            return note

        def give_up(mask: Mask, why: str, _: str | None) -> None:
            if mask.any() and column.kind != "score":
                before = self._unread.get(column, (why, 0))
                self._unread[column] = before[0], before[1] + int(mask.sum())

        return give_up

    def _read(self, column: KeptColumn, frame: pl.DataFrame, note: Note) -> Array:
        parts = [frame[name] for name in column.sources]
        if column.kind in ("session", "side") or (column.name and not _is_numeric(parts)):
            codes = self._labels.setdefault(column.key, TextIndex()).codes(parts)
            if not column.name:
                for seat, name in enumerate(column.sources):
                    note(codes[:, seat] < 0, f"{name} is missing", None)
            return codes[:, 0] if len(parts) == 1 else codes
        if column.kind == "score" and self.is_row_a_match and len(parts) == 1:
            return self._points(column, parts[0])
        if column.kind == "advantage" and _is_ground(parts[0].name):
            name = parts[0].name
            self._n_blank[name] = self._n_blank.get(name, 0) + int(_blank(parts[0]).sum())
        values = np.column_stack([_VALUES[column.kind](part, note) for part in parts])
        return values[:, 0] if len(parts) == 1 else values


def _is_numeric(columns: Sequence[pl.Series]) -> bool:
    return all(column.dtype.is_numeric() for column in columns)


def _finished(codes: Codes, index: TextIndex, *, is_free: bool) -> Labels | Floats:
    """Labels; for a covariate whose values are all numbers or missing, the numbers."""
    import polars as pl

    names = index.words
    if is_free:
        values = names.cast(pl.Float64, strict=False)
        if not values.null_count():
            return np.append(values.to_numpy(), np.nan)[codes]
    return Labels(codes, names)


def _weights(column: pl.Series, note: Note) -> Floats:
    values = numbers(column)
    with np.errstate(invalid="ignore"):
        note(~(np.isfinite(values) & (values > 0)), f"{column.name} is not a number above 0", column.name)
    return values


def _advantages(column: pl.Series, note: Note) -> Floats:
    import polars as pl

    is_ground = _is_ground(column.name)
    words = column.cast(pl.String).str.strip_chars().str.to_lowercase()
    values = words.replace_strict(_GROUND if is_ground else _AHEAD, default=None, return_dtype=pl.Float64)
    if is_ground:
        values = values.set(pl.Series(_blank(column)), 1.0)
    kind = (
        "is not yes or no"
        if is_ground
        else "does not say who has the advantage (1, 0, -1, home, away, neutral); labels are kept by --covariates"
    )
    note(values.is_null().to_numpy(), f"{column.name} {kind}", column.name)
    return values.fill_null(0.0).to_numpy()


def _is_ground(name: str) -> bool:
    """Whether a column says which matches are on neutral ground."""
    return _NEUTRAL in fold(name)


def _blank(column: pl.Series) -> Mask:
    """Where a column has no value."""
    import polars as pl

    is_empty = column.is_null()
    if column.dtype == pl.String:
        is_empty |= column.str.strip_chars() == ""
    return is_empty.fill_null(value=True).to_numpy()


def numbers_or_empty(column: pl.Series, empty: float, note: Note) -> Floats:
    """The numbers of a column; what is neither a number nor empty is noted."""
    blank = _blank(column)
    values = numbers(column)
    note(~(np.isfinite(values) | blank), f"{column.name} is not a number", column.name)
    return np.where(blank, empty, values)


def _scores(column: pl.Series, note: Note) -> Floats:
    values = numbers_or_empty(column, np.nan, note)
    return np.where(np.isfinite(values), values, np.nan)


_VALUES: dict[str, Callable[[pl.Series, Note], Floats]] = {
    "weight": _weights,
    "advantage": _advantages,
    "score": _scores,
    "covariates": _scores,
    "seat_covariates": _scores,
}
