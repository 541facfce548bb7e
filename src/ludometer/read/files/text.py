"""Tables as text: which mark separates the fields, in which encoding, and which lines are not rows."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ludometer.errors import MatchDataError
from ludometer.read.files.limits import check_lines
from ludometer.read.files.source import BATCH_ROWS, HEAD_ROWS, OddRows, Source, plain_errors

_MOST_COLUMNS = 10_000


def open_csv(name: str, data: Path | bytes) -> Source:
    """Open a table whose first line names the columns."""
    import polars as pl

    raw = np.memmap(data, np.uint8, "r") if isinstance(data, Path) else np.frombuffer(data, np.uint8)
    notes: tuple[str, ...] = ()
    with plain_errors(name):
        check_lines(raw)
    if raw.max(initial=0) > 127 and not _is_utf8(raw):
        data = raw.tobytes().decode("cp1252", "replace").encode()
        raw = np.frombuffer(data, np.uint8)
        notes = ("the text is not UTF-8 and was read as Windows-1252",)
    separator, fields = _header(name, raw)
    n_fields = len(fields)
    counts = Counter(entry.strip().casefold() for entry in fields)
    notes += tuple(f"two columns are called {entry}: the first one is used" for entry, n in counts.items() if n > 1)

    def scan() -> pl.LazyFrame:
        return pl.scan_csv(
            data,
            separator=separator,
            infer_schema=False,
            empty_string_is_null=False,
            extra_columns="ignore",
            glob=not isinstance(data, Path),
        )

    with plain_errors(name):
        schema = scan().collect_schema()
    # Polars leaves the doubled quotation marks of a quoted heading as they are
    plain = {old: new for old, new in zip(schema, fields, strict=False) if '""' in old and fields.count(new) == 1}
    with plain_errors(name):
        schema = scan().rename(plain).collect_schema()

    @cache
    def scanning() -> Future[OddRows]:
        pool = ThreadPoolExecutor(1)
        found = pool.submit(_find_odd_rows, name, raw, separator, n_fields)
        pool.shutdown(wait=False)
        return found

    def batches(columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        scanning()
        try:
            yield from scan().rename(plain).select(columns).collect_batches(chunk_size=BATCH_ROWS)
        except pl.exceptions.PolarsError:
            # an open quote is the likely reason, and the scan says where
            scanning().result()
            raise
        finally:
            # a file that its owner cuts short while it is looked at would end the process
            wait([scanning()])

    def head() -> pl.DataFrame:
        return scan().rename(plain).head(HEAD_ROWS).collect()

    return Source(name, dict(schema), batches, lambda: scanning().result(), notes, is_csv=True, head=head)


def _find_odd_rows(name: str, raw: np.ndarray[Any, np.dtype[np.uint8]], separator: str, n_fields: int) -> OddRows:
    from ludometer.kernels.text.lines import BLANK, odd_rows

    rows, kinds, is_open = odd_rows(raw, ord(separator), n_fields)
    if is_open:
        place = f" (row {rows[-1]:,} or before)" if len(rows) else ""
        raise MatchDataError(
            f"{name}: a quotation mark is not closed{place}: close it, or double it inside a quoted text"
        )
    header = int(np.setdiff1d(np.arange(len(rows) + 1), rows[kinds == BLANK])[0])
    below = rows > header
    rows, kinds = rows[below] - header - 1, kinds[below]
    # in a file of one column an empty line is a value that is missing
    blank = rows[kinds == BLANK] if n_fields > 1 else np.empty(0, np.int64)
    return OddRows(blank, rows[kinds != BLANK])


def _is_utf8(raw: np.ndarray[Any, np.dtype[np.uint8]]) -> bool:
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(raw), 1 << 24):
            decoder.decode(raw[start : start + (1 << 24)].tobytes(), final=start + (1 << 24) >= len(raw))
    except UnicodeDecodeError:
        return False
    return True


def _header(name: str, raw: np.ndarray[Any, np.dtype[np.uint8]]) -> tuple[str, list[str]]:
    """The separator and the columns, from the first line that is not empty."""
    text = raw[: 1 << 20].tobytes().decode("utf-8-sig", "replace").lstrip("\r\n \t")
    # an end of line of old Macs amid others is a blank to Polars, an error to csv
    text = text.replace("\r\n", "\n").replace("\r", " ")
    try:
        split = {mark: next(csv.reader(io.StringIO(text), delimiter=mark), []) for mark in ",;\t|"}
    except csv.Error as error:
        raise MatchDataError(f"{name}: the first line is too long to name columns") from error
    separator = max(split, key=lambda mark: len(split[mark]))
    fields = split[separator]
    if len(fields) > _MOST_COLUMNS:
        raise MatchDataError(f"{name}: {len(fields):,} columns are too many for a table of matches")
    if not any(entry.strip() for entry in fields):
        raise MatchDataError(f"{name}: the first line names no columns")
    return separator, fields
