"""Where match records come from: a file, standard input or an Arrow object, as frames of the wanted columns."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.files.damage import check_arrow, check_parquet
from ludometer.read.files.limits import read_whole
from ludometer.read.files.nested import find_fields
from ludometer.read.files.parts import Parts, find_parts
from ludometer.read.files.source import BATCH_ROWS, HEAD_ROWS, Source, plain_errors
from ludometer.read.files.text import open_csv
from ludometer.read.files.unpack import put_back, unpacker

if TYPE_CHECKING:
    import polars as pl

_HEAD = 1 << 16
_TEXT = bytes(byte for byte in range(256) if byte >= 32 or byte in b"\t\r\n\f\x1a")
_ARROW_STREAM = b"\xff\xff\xff\xff"
_KNOWN = "CSV, JSON lines, Parquet, Arrow and PGN can be read"


def open_source(source: Any) -> Source:
    """Open a path, "-" for standard input, or anything that gives an Arrow stream.

    A folder, a pattern such as "games/*.parquet" and a list of paths are one record in several files.
    """
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "collect_schema"):
        return _table_source("table", source)
    if (paths := find_parts(source)) is None:
        return open_file(source)
    if not paths:
        raise LudometerError("a list of files names none")
    if len(paths) == 1 and not isinstance(source, list | tuple) and "=" not in str(paths[0].parent):
        return open_file(paths[0])
    name = f"{len(paths):,} files" if isinstance(source, list | tuple) else Path(source).name
    return Parts(name, paths, open_file(paths[0])).source()


def open_file(source: Any) -> Source:
    """Open one file, or "-" for standard input."""
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
        raise LudometerError(f"{source}: this is a folder; name a file")
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError as error:
        raise LudometerError(f"{source}: cannot be read ({error.strerror})") from error
    if unpacker(head) or _is_pgn(head, path.name) or not _is_text(str(path)):
        # Polars cannot open a name that is not valid Unicode
        return _stream_source(path.name, lambda: path.open("rb"))
    if head and (head.startswith(b"PAR1") or path.suffix.lower() in (".parquet", ".pq")):
        with plain_errors(path.name):
            check_parquet(np.memmap(path, np.uint8, "r"))
        return _lazy_source(path.name, lambda pl: pl.scan_parquet(path, glob=False))
    if head.startswith(b"ARROW1"):
        with plain_errors(path.name):
            check_arrow(np.memmap(path, np.uint8, "r"))
        return _lazy_source(path.name, lambda pl: pl.scan_ipc(_no_pattern(path)))
    if head.startswith(_ARROW_STREAM):
        return _bytes_source(path.name, head, path.read_bytes())
    return _text_source(path.name, head, path)


def _stream_source(name: str, opener: Callable[[], AbstractContextManager[BinaryIO]], *, once: bool = False) -> Source:
    """Open a stream that may be packed; PGN is read as it comes, anything else whole."""
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
    whole = put_back(head, stream)
    unpack = unpacker(head)
    if unpack is None:
        return head, whole
    contents = unpack(whole)
    head = _read_head(contents)
    return head, put_back(head, contents)


def _read_head(stream: BinaryIO) -> bytes:
    head = b""
    while len(head) < _HEAD and (more := stream.read(_HEAD - len(head))):
        head += more
    return head


def _bytes_source(name: str, head: bytes, data: bytes) -> Source:
    if head.startswith(b"PAR1"):
        with plain_errors(name):
            check_parquet(np.frombuffer(data, np.uint8))
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
    if head.startswith(b"PK\x03\x04"):
        kind = "save the spreadsheet as CSV" if b"[Content_Types].xml" in head else "unpack it first"
        raise LudometerError(f"{name}: zip archives cannot be read: {kind}")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise LudometerError(f"{name}: the text is in UTF-16; save it as UTF-8")
    text = head.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        raise MatchDataError(f"{name}: the file is empty")
    if len(head.translate(None, _TEXT)) > max(3, len(head) // 100):
        raise MatchDataError(f"{name}: not a table: it holds binary data ({_KNOWN})")
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
    return open_csv(name, data)


def _no_pattern(data: Path | bytes) -> Path | bytes:
    """The contents of a path whose name Polars would take for a pattern of files."""
    return data.read_bytes() if isinstance(data, Path) and set("*?[") & set(str(data)) else data


def _lazy_source(name: str, scan: Callable[[Any], pl.LazyFrame]) -> Source:
    import polars as pl

    with plain_errors(name):
        schema = scan(pl).collect_schema()
    fields = find_fields(schema)

    def batches(columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        wanted = [fields[column][0] if column in fields else pl.col(column) for column in columns]
        return iter(scan(pl).select(wanted).collect_batches(chunk_size=BATCH_ROWS))

    def head() -> pl.DataFrame:
        return scan(pl).head(HEAD_ROWS).with_columns(place for place, _ in fields.values()).collect()

    return Source(name, _with_fields(schema, fields), batches, head=head)


def _table_source(name: str, table: Any) -> Source:
    import polars as pl

    with plain_errors(name):
        try:
            frame = table.collect() if isinstance(table, pl.LazyFrame) else pl.DataFrame(table)
        except ImportError as error:
            raise LudometerError("to read pandas tables, install PyArrow: pip install pyarrow") from error
    fields = find_fields(frame.schema)
    return Source(
        name,
        _with_fields(frame.schema, fields),
        lambda columns: frame.select(
            [fields[column][0] if column in fields else pl.col(column) for column in columns]
        ).iter_slices(BATCH_ROWS),
        head=lambda: frame.head(HEAD_ROWS).with_columns(place for place, _ in fields.values()),
    )


def _with_fields(
    schema: Mapping[str, pl.DataType], fields: Mapping[str, tuple[pl.Expr, pl.DataType]]
) -> dict[str, pl.DataType]:
    return dict(schema) | {path: dtype for path, (_, dtype) in fields.items()}


def _pgn_source(name: str, opener: Callable[[], AbstractContextManager[BinaryIO]]) -> Source:
    import polars as pl

    from ludometer.read.files import pgn

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
