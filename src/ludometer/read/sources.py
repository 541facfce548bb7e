"""Where match records come from: a file, standard input or an Arrow object, as frames of the wanted columns."""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from ludometer.arrays import Counts
from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.arrow_check import check_arrow
from ludometer.read.bounds import check_fields, check_lines, read_whole
from ludometer.read.unpack import unpacker

if TYPE_CHECKING:
    import polars as pl

BATCH_ROWS = 250_000
"""Rows of a batch; fixed, so that nothing depends on the machine."""

_HEAD = 1 << 16
_TEXT = bytes(byte for byte in range(256) if byte >= 32 or byte in b"\t\r\n\f\x1a")
_ARROW_STREAM = b"\xff\xff\xff\xff"
_JSON_FAULT = re.compile(r"\bat character (\d+)")
_INTERNAL = re.compile(r"panicked|unwrap\(|Error\(|Err\(|::|\.rs\b")
_MOST_COLUMNS = 10_000
_KNOWN = "CSV, JSON lines, Parquet, Arrow and PGN are read"


@dataclass(frozen=True)
class Source:
    """Rows with named columns, read in batches."""

    name: str
    schema: Mapping[str, pl.DataType]
    open_batches: Callable[[Sequence[str]], Iterator[pl.DataFrame]]
    odd_rows: Callable[[], OddRows] = field(default=lambda: OddRows())  # noqa: PLW0108 - defined below
    """Lines of text that are no rows; asked for when the first rows are there, so that both are found side by side."""
    notes: tuple[str, ...] = ()
    is_pgn: bool = False
    is_csv: bool = False
    """Text, in which an empty cell is a missing value."""

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


def open_source(source: Any) -> Source:
    """A source from a path, "-" for standard input, or anything that gives an Arrow stream."""
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "collect_schema"):
        return _table_source("table", source)
    if not isinstance(source, str | os.PathLike):
        raise LudometerError(
            f"matches are read from a path or a table with an Arrow stream, not from {type(source).__name__}"
        )
    if str(source) == "-":
        return _stream_source("standard input", lambda: nullcontext(sys.stdin.buffer), once=True)
    path = Path(source)
    if path.exists() and not path.is_file() and not path.is_dir():
        # a pipe, as in <(zcat games.gz): it can be read only once
        return _stream_source(path.name, lambda: path.open("rb"), once=True)
    if not path.exists():
        raise LudometerError(f"{source}: no such file")
    if path.is_dir():
        raise LudometerError(f"{source}: a folder, not a file of matches")
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError as error:
        raise LudometerError(f"{source}: cannot be read ({error.strerror})") from error
    if unpacker(head) or _is_pgn(head, path.name) or not _is_text(str(path)):
        # Polars cannot open a name that is no Unicode text
        return _stream_source(path.name, lambda: path.open("rb"))
    if head.startswith(b"PAR1") or path.suffix.lower() in (".parquet", ".pq"):
        return _lazy_source(path.name, lambda pl: pl.scan_parquet(path, glob=False))
    if head.startswith(b"ARROW1"):
        with plain_errors(path.name):
            check_arrow(np.memmap(path, np.uint8, "r"))
        return _lazy_source(path.name, lambda pl: pl.scan_ipc(_no_pattern(path)))
    if head.startswith(_ARROW_STREAM):
        return _bytes_source(path.name, head, path.read_bytes())
    return _text_source(path.name, head, path)


def _stream_source(name: str, opener: Callable[[], AbstractContextManager[BinaryIO]], *, once: bool = False) -> Source:
    """A source from a stream that may be packed; PGN is read as it comes, anything else whole."""
    with plain_errors(name), ExitStack() as opened:
        head, whole = _unpacked(opened.enter_context(opener()))
        if not _is_pgn(head, name):
            return _bytes_source(name, head, read_whole(whole))
        if once:
            still_open = opened.pop_all()

            @contextmanager
            def continued() -> Iterator[BinaryIO]:
                with still_open:
                    yield whole

            return _pgn_source(name, continued)

    @contextmanager
    def reopened() -> Iterator[BinaryIO]:
        with opener() as stream:
            yield _unpacked(stream)[1]

    return _pgn_source(name, reopened)


def _unpacked(stream: BinaryIO) -> tuple[bytes, BinaryIO]:
    """The first bytes of a stream's contents, and all of them as a stream."""
    head = _read_head(stream)
    whole = cast("BinaryIO", _Chained(head, stream))
    unpack = unpacker(head)
    if unpack is None:
        return head, whole
    contents = unpack(whole)
    head = _read_head(contents)
    return head, cast("BinaryIO", _Chained(head, contents))


def _read_head(stream: BinaryIO) -> bytes:
    head = b""
    while len(head) < _HEAD and (more := stream.read(_HEAD - len(head))):
        head += more
    return head


def _bytes_source(name: str, head: bytes, data: bytes) -> Source:
    if head.startswith(b"PAR1"):
        return _lazy_source(name, lambda pl: pl.scan_parquet(io.BytesIO(data)))
    if head.startswith((b"ARROW1", _ARROW_STREAM)):
        with plain_errors(name):
            check_arrow(np.frombuffer(data, np.uint8))
    if head.startswith(b"ARROW1"):
        return _lazy_source(name, lambda pl: pl.scan_ipc(io.BytesIO(data)))
    if head.startswith(_ARROW_STREAM):
        import polars as pl

        with plain_errors(name):
            return _table_source(name, pl.read_ipc_stream(io.BytesIO(data)))
    return _text_source(name, head, data)


def _text_source(name: str, head: bytes, data: Path | bytes) -> Source:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise LudometerError(f"{name}: the text is in UTF-16; save it as UTF-8")
    text = head.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        raise MatchDataError(f"{name}: the file is empty")
    if len(head.translate(None, _TEXT)) > max(3, len(head) // 100):
        raise MatchDataError(f"{name}: not a table: it holds bytes that are no text ({_KNOWN})")
    if text.startswith((b"[{", b"[ {", b"[\n", b"[\r")):
        import polars as pl

        with plain_errors(name):
            return _table_source(name, pl.read_json(data))
    if text.startswith(b"{"):
        return _lazy_source(name, lambda pl: pl.scan_ndjson(_no_pattern(data), infer_schema_length=None))
    first_line = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    if (b"\r" in head and b"\n" not in head) or (first_line.strip(b"\r") and not first_line.strip()):
        # line ends of old Macs, or blanks before the header: rare enough to put right in memory
        content = data.read_bytes() if isinstance(data, Path) else data
        data = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").lstrip(b"\xef\xbb\xbf \t\n")
    return _csv_source(name, data)


def _no_pattern(data: Path | bytes) -> Path | bytes:
    """A path whose name would be taken for a pattern of several files, as its contents."""
    return data.read_bytes() if isinstance(data, Path) and set("*?[") & set(str(data)) else data


def _csv_source(name: str, data: Path | bytes) -> Source:
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
    notes += tuple(f"two columns are called {entry}: the first counts" for entry, n in counts.items() if n > 1)

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

    return Source(name, dict(schema), batches, lambda: scanning().result(), notes, is_csv=True)


def _find_odd_rows(name: str, raw: np.ndarray[Any, np.dtype[np.uint8]], separator: str, n_fields: int) -> OddRows:
    from ludometer.kernels.fields import BLANK, odd_rows

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


def _lazy_source(name: str, scan: Callable[[Any], pl.LazyFrame]) -> Source:
    import polars as pl

    with plain_errors(name):
        schema = scan(pl).collect_schema()

    def batches(columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        return iter(scan(pl).select(columns).collect_batches(chunk_size=BATCH_ROWS))

    return Source(name, dict(schema), batches)


def _table_source(name: str, table: Any) -> Source:
    import polars as pl

    with plain_errors(name):
        try:
            frame = table.collect() if isinstance(table, pl.LazyFrame) else pl.DataFrame(table)
        except ImportError as error:
            raise LudometerError("pandas hands over its tables by PyArrow: pip install pyarrow") from error
    return Source(name, dict(frame.schema), lambda columns: frame.select(columns).iter_slices(BATCH_ROWS))


def _pgn_source(name: str, opener: Callable[[], AbstractContextManager[BinaryIO]]) -> Source:
    import polars as pl

    from ludometer.read import pgn

    elos = {"white_elo", "black_elo"}
    schema = {column: pl.Int32() if column in elos else pl.String() for column in pgn.COLUMNS}

    def batches(columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        with opener() as stream:
            for frame in pgn.read_pgn_headers(stream, games_per_frame=BATCH_ROWS):
                yield frame.select(columns)

    return Source(name, schema, batches, is_pgn=True)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_pgn(head: bytes, name: str) -> bool:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return re.match(rb'\[[A-Za-z]\w*\s+"', text) is not None or ".pgn" in Path(name.lower()).suffixes


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
        raise MatchDataError(f"{name}: {len(fields):,} columns are more than a table of matches has")
    if not any(entry.strip() for entry in fields):
        raise MatchDataError(f"{name}: the first line names no columns")
    return separator, fields


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
    """The first line of a message; what only a programmer of Polars would understand, in other words."""
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else ""
    if place := _JSON_FAULT.search(text):
        return f"the JSON is not sound near character {int(place[1]):,}"
    if isinstance(error, MemoryError) or "allocate" in text:
        return "the memory is not enough"
    return "its contents are damaged" if not text or _INTERNAL.search(text) else text


class _Chained(io.RawIOBase):
    """A stream whose first bytes were read already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self.head, self.rest = head, rest

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size is None or size < 0:
            head, self.head = self.head, b""
            return head + self.rest.read()
        if self.head:
            part, self.head = self.head[:size], self.head[size:]
            return part
        return self.rest.read(size)
