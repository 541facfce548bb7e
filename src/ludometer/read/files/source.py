"""What match records are read from: rows with named columns, in batches, and the faults of a file in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Counts
from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.files.limits import check_fields

if TYPE_CHECKING:
    import polars as pl

    from ludometer.read.files.parts import Parts

BATCH_ROWS = 250_000
"""Rows of a batch; fixed, so that nothing depends on the machine."""

HEAD_ROWS = 1_000
"""Rows at which a guess looks."""

_JSON_FAULT = re.compile(r"\bat character (\d+)")
_INTERNAL = re.compile(r"panicked|unwrap\(|Error\(|Err\(|::|\.rs\b")


@dataclass(frozen=True)
class Source:
    """Rows with named columns, read in batches."""

    name: str
    schema: Mapping[str, pl.DataType]
    open_batches: Callable[[Sequence[str]], Iterator[pl.DataFrame]]
    odd_rows: Callable[[], OddRows] = field(default=lambda: OddRows())  # noqa: PLW0108 - defined below
    """Lines of text that are not rows; asked for after the first rows, so that both are found in parallel."""
    notes: tuple[str, ...] = ()
    is_pgn: bool = False
    is_csv: bool = False
    """Text, in which an empty cell is a missing value."""
    head: Callable[[], pl.DataFrame] | None = None
    """The first rows, where they can be seen before the rest is read."""
    parts: Parts | None = None
    """The files, if they are several."""

    def batches(self, columns: Iterable[str]) -> Iterator[pl.DataFrame]:
        """Frames of these columns, in the order of the file."""
        n_rows = 0
        with plain_errors(self.name):
            for frame in self.open_batches(list(dict.fromkeys(columns))):
                check_fields(frame, n_rows)
                n_rows += len(frame)
                yield frame


@dataclass(frozen=True)
class OddRows:
    """Rows, counted from 0, that are empty lines, and lines with fewer or more fields than the header."""

    blank: Counts = field(default_factory=lambda: np.empty(0, np.int64))
    ragged: Counts = field(default_factory=lambda: np.empty(0, np.int64))


@contextmanager
def plain_errors(name: str) -> Iterator[None]:
    """Errors of Polars, of decompression and of the disk, as one message without a traceback.

    One that names no file is given its name.
    """
    import gzip
    import zlib

    import polars as pl
    import zstandard

    try:
        yield
    except (
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
        OSError,
        gzip.BadGzipFile,
        zlib.error,
        EOFError,
        MemoryError,
        zstandard.ZstdError,
    ) as error:
        raise MatchDataError(f"{name}: cannot be read: {_in_plain_words(error)}") from error
    except LudometerError as error:
        if name in str(error.args[0] if error.args else ""):
            raise
        raise type(error)(f"{name}: {error}") from error


def _in_plain_words(error: BaseException) -> str:
    """The first line of a message; messages for Polars' developers, in other words."""
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else ""
    if place := _JSON_FAULT.search(text):
        return f"the JSON is not valid near character {int(place[1]):,}"
    if isinstance(error, MemoryError) or "allocate" in text:
        return "there is not enough memory"
    return "its contents are damaged" if not text or _INTERNAL.search(text) else text
