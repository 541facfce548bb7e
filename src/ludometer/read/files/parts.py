"""Many files as one record: a folder, a pattern or a list of files, whose rows follow each other.

The files are read by workers, each of which also codes the players' names of its own part; the codes of the whole
record are given where the parts come together, in order of first appearance. So a record in parts is read as the same
record in one file would be, to the last byte, whoever reads it.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.errors import LudometerError, MatchDataError
from ludometer.parallel import Workers, map_tasks
from ludometer.read.files.source import BATCH_ROWS, OddRows, Source

if TYPE_CHECKING:
    import polars as pl

KINDS = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), "CSV"),
    **dict.fromkeys((".parquet", ".pq"), "Parquet"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "JSON"),
    **dict.fromkeys((".arrow", ".feather", ".ipc", ".arrows"), "Arrow"),
    ".pgn": "PGN",
}
_PACKED = (".gz", ".zst", ".bz2", ".xz")

_AT_ONCE = 4
"""Files that each worker reads before their rows are taken in: rows that wait need memory."""

_ON_A_CLUSTER = 32
"""Files that a cluster reads at once."""


def find_parts(source: Any) -> list[Path] | None:
    """The files of a folder, of a pattern such as "games/*.parquet" or of a list; None if it is none of these."""
    if isinstance(source, list | tuple):
        return [Path(one) for one in source]
    if not isinstance(source, str | os.PathLike) or str(source) == "-":
        return None
    path = Path(source)
    if path.is_dir():
        return _of_folder(path)
    if path.exists() or not set("*?[") & set(str(path)):
        return None
    pattern = path.relative_to(path.anchor)
    found = [one for one in Path(path.anchor).glob(str(pattern)) if one.is_file()]
    if not found:
        raise LudometerError(f"{source}: no file fits this pattern")
    return _in_order(found)


def _of_folder(folder: Path) -> list[Path]:
    """The match files of a folder and of the folders in it, but for hidden ones and marks such as _SUCCESS."""
    kinds: dict[str, list[Path]] = {}
    for path in folder.rglob("*"):
        inside = path.relative_to(folder).parts
        if path.is_file() and not any(name.startswith((".", "_")) for name in inside) and (kind := _kind(path)):
            kinds.setdefault(kind, []).append(path)
    if not kinds:
        raise LudometerError(f"{folder}: a folder without match files ({', '.join(dict.fromkeys(KINDS.values()))})")
    if len(kinds) > 1:
        examples = ", ".join(str(min(paths)) for paths in kinds.values())
        raise LudometerError(
            f"{folder}: the files in this folder differ in kind ({examples}); name those of the record with a pattern "
            f'in quotation marks, such as "{folder}/*{_in_order(next(iter(kinds.values())))[0].suffix}"'
        )
    return _in_order(next(iter(kinds.values())))


def _kind(path: Path) -> str | None:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in _PACKED]
    return KINDS.get(suffixes[-1]) if suffixes else None


def _in_order(paths: Iterable[Path]) -> list[Path]:
    """By name, numbers in names by their size: part-2 is before part-10."""

    def key(path: Path) -> list[tuple[int, str]]:
        return [(int(word), "") if word.isdigit() else (-1, word) for word in re.split(r"(\d+)", str(path)) if word]

    return sorted(paths, key=key)


@dataclass(frozen=True)
class Part:
    """The rows of one file: the columns that were asked for, and which lines are no rows."""

    frame: pl.DataFrame
    odd: OddRows
    notes: tuple[str, ...]


@dataclass
class Parts:
    """Files whose rows follow each other, read several at a time."""

    name: str
    paths: list[Path]
    first: Source
    workers: Workers = field(default_factory=Workers)
    coded: tuple[str, ...] = ()
    """Columns of names: workers send them as codes, with each name once."""
    starts: list[int] = field(default_factory=lambda: [0])
    """The number of the first row of each file so far."""
    blank: list[Any] = field(default_factory=list)
    ragged: list[Any] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)

    def source(self) -> Source:
        """All rows as one source."""
        return replace(
            self.first,
            name=self.name,
            schema=dict(self.first.schema) | dict.fromkeys(_partition(self.paths[0]), _text()),
            open_batches=self.batches,
            odd_rows=self.odd_rows,
            parts=self,
        )

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Batches of the same size as those of one file: what is guessed from the first rows is the same then."""
        schema = {name: self.first.schema[name] for name in columns if name in self.first.schema}
        coded = tuple(name for name in self.coded if name in columns)
        return _rebatched(self._frames(list(columns), schema, coded))

    def _frames(
        self, columns: list[str], schema: Mapping[str, pl.DataType], coded: tuple[str, ...]
    ) -> Iterator[pl.DataFrame]:
        at_once = _ON_A_CLUSTER if self.workers.cluster else _AT_ONCE * self.workers.jobs
        # neither kept for another run nor counted as work: reading is quick
        workers = Workers(self.workers.jobs, self.workers.cluster)
        for start in range(0, len(self.paths), at_once):
            tasks = [str(path.absolute()) for path in self.paths[start : start + at_once]]
            for part in map_tasks(read_part, tasks, shared=(columns, schema, coded), workers=workers):
                row = self.starts[-1]
                self.blank.append(part.odd.blank + row)
                self.ragged.append(part.odd.ragged + row)
                self.notes |= dict.fromkeys(part.notes)
                self.starts.append(row + len(part.frame))
                yield part.frame

    def odd_rows(self) -> OddRows:
        """Of all rows so far."""
        none = [np.empty(0, np.int64)]
        return OddRows(np.concatenate(none + self.blank), np.concatenate(none + self.ragged))

    def locate(self, row: int) -> str:
        """Where a row is, for a message."""
        number = min(bisect_right(self.starts, row), len(self.paths)) - 1
        return f"row {row - self.starts[number] + 1:,} of {self.paths[number].name}"


def read_part(path: str, columns: Sequence[str], schema: Mapping[str, pl.DataType], coded: Sequence[str]) -> Part:
    """These columns of one file, in the types of the first file of the record; names as codes."""
    import polars as pl

    from ludometer.read.files.opening import open_file

    place = Path(path).name
    if not Path(path).is_file():
        raise LudometerError(f"{place}: not found by a worker: the workers of a cluster need the same folders")
    source, extra = open_file(path), _partition(Path(path))
    missing = [name for name in columns if name not in source.schema and name not in extra]
    if missing:
        raise MatchDataError(
            f"{place}: no column is called {missing[0]}, as in the first file of the record. "
            "Files of one record have the same columns"
        )
    own = [name for name in columns if name in source.schema]
    frames = list(source.batches(own))
    frame = (
        pl.concat(frames, rechunk=True) if frames else pl.DataFrame(schema={name: source.schema[name] for name in own})
    )
    frame = frame.with_columns(pl.lit(extra[name]).alias(name) for name in columns if name not in own).select(columns)
    for name, dtype in schema.items():
        if frame.schema[name] != dtype:
            try:
                frame = frame.with_columns(frame[name].cast(dtype))
            except pl.exceptions.PolarsError as error:
                raise MatchDataError(
                    f"{place}: column {name} holds {frame.schema[name]}, in the first file of the record {dtype}"
                ) from error
    return Part(_code_names(frame, coded), source.odd_rows(), source.notes)


def _code_names(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Names as codes with each name once, in whatever order: the reader asks for them in that of the rows."""
    import polars as pl

    texts = [name for name in columns if frame.schema[name] == pl.String]
    if not texts or not len(frame):
        return frame
    # an empty name too, so that rows can be compared with it
    words = pl.concat([pl.Series([""]), *(frame[name].drop_nulls().unique() for name in texts)]).unique()
    return frame.with_columns(pl.col(texts).cast(pl.Enum(words)))


def _rebatched(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The same rows in batches of the usual size."""
    waiting: list[pl.DataFrame] = []
    n_waiting = 0
    for frame in frames:
        start = 0
        while len(frame) - start + n_waiting >= BATCH_ROWS:
            stop = start + BATCH_ROWS - n_waiting
            yield _joined([*waiting, frame[start:stop]])
            waiting, n_waiting, start = [], 0, stop
        if start < len(frame):
            waiting.append(frame[start:])
            n_waiting += len(frame) - start
    if waiting:
        yield _joined(waiting)


def _joined(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """One frame; names of different files are texts again, since each has codes of its own."""
    import polars as pl

    if len(frames) == 1:
        return frames[0]
    texts = [name for name, dtype in frames[0].schema.items() if isinstance(dtype, pl.Enum)]
    return pl.concat([frame.with_columns(pl.col(texts).cast(pl.String)) for frame in frames], rechunk=True)


def _partition(path: Path) -> dict[str, str]:
    """Columns that folders name, as in year=2024/games.parquet."""
    named = (folder.partition("=") for folder in path.parts[:-1])
    return {column: value for column, mark, value in named if mark and column}


def _text() -> Any:
    import polars as pl

    return pl.String()
