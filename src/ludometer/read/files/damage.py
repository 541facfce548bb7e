"""A look at the lengths in an Arrow file before it is read.

Polars allocates what a column says that it holds, or that it unpacks to. If that number is damaged the allocation
fails, which ends the process and cannot be caught, so it is looked at here: metadata only, by the format's own tables
(FlatBuffers).

A look at the numbers in a Parquet file before it is read.

Polars allocates what a page says that it holds. If that number is damaged the allocation fails, which ends the process
and cannot be caught, so it is looked at here: footer and page headers only, in the format's own notation (Thrift's
compact protocol).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.errors import MatchDataError
from ludometer.read.files.limits import FREE_BYTES, LARGEST_RATIO

if TYPE_CHECKING:
    from numpy.typing import NDArray

if TYPE_CHECKING:
    Bytes = NDArray[np.uint8]


_LARGEST = 1 << 31
"""Bytes of one column in one batch."""

_MAGIC = b"ARROW1"
_CONTINUED = 0xFFFFFFFF
_DICTIONARY, _RECORDS = 2, 3
# Places of fields in their tables.
_FOOTER_DICTIONARIES, _FOOTER_RECORDS = 2, 3
_MESSAGE_KIND, _MESSAGE_HEADER, _MESSAGE_BODY = 1, 2, 3
_BATCH_BUFFERS, _BATCH_PACKING = 2, 3
_DICTIONARY_BATCH = 1


def check_arrow(raw: Bytes) -> None:
    """Refuse an Arrow file or stream whose lengths cannot be."""
    try:
        places = _blocks(raw) if raw[:6].tobytes() == _MAGIC else _messages(raw)
        for start, body in places:
            _check_message(raw, start, body)
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise MatchDataError("cannot be read: its contents are damaged") from error


def _blocks(raw: Bytes) -> Iterator[tuple[int, int]]:
    """Where the metadata and the body of each batch of a file begin, by its footer."""
    if raw[-6:].tobytes() != _MAGIC:
        raise ValueError("it is cut off")
    size = _number("<i", raw, len(raw) - 10)
    footer = _Table.root(raw, len(raw) - 10 - size)
    for field in (_FOOTER_DICTIONARIES, _FOOTER_RECORDS):
        for place in footer.structs(field, 24):
            offset, metadata = _number("<q", raw, place), _number("<i", raw, place + 8)
            skipped = 8 if _number("<I", raw, offset) == _CONTINUED else 4
            yield offset + skipped, offset + metadata


def _messages(raw: Bytes) -> Iterator[tuple[int, int]]:
    """The same of a stream, message by message."""
    at = 0
    while at + 8 <= len(raw):
        size = _number("<I", raw, at)
        at += 4
        if size == _CONTINUED:
            size = _number("<I", raw, at)
            at += 4
        if not size:
            return
        yield at, at + size
        at += size + max(0, _Table.root(raw, at).scalar("<q", _MESSAGE_BODY))


def _check_message(raw: Bytes, start: int, body: int) -> None:
    message = _Table.root(raw, start)
    kind = message.scalar("<B", _MESSAGE_KIND)
    if kind not in (_DICTIONARY, _RECORDS):
        return
    batch = message.table(_MESSAGE_HEADER)
    if kind == _DICTIONARY and batch is not None:
        batch = batch.table(_DICTIONARY_BATCH)
    if batch is None:
        return
    is_packed = batch.table(_BATCH_PACKING) is not None
    for place in batch.structs(_BATCH_BUFFERS, 16):
        offset, length = _number("<q", raw, place), _number("<q", raw, place + 8)
        if not 0 <= length <= len(raw):
            raise ValueError("a length that the file does not have")
        # what packing does not make smaller is marked by -1
        if is_packed and length >= 8 and not -1 <= _number("<q", raw, body + offset) <= _LARGEST:
            raise ValueError("a length that no column has")


class _Table:
    """A table of FlatBuffers: fields by their numbers, found through a list of offsets."""

    def __init__(self, raw: Bytes, at: int) -> None:
        self.raw, self.at = raw, at
        self.offsets = at - _number("<i", raw, at)
        self.n_fields = (_number("<H", raw, self.offsets) - 4) // 2

    @classmethod
    def root(cls, raw: Bytes, at: int) -> _Table:
        return cls(raw, at + _number("<I", raw, at))

    def scalar(self, form: str, field: int) -> int:
        place = self._place(field)
        return 0 if place is None else _number(form, self.raw, place)

    def table(self, field: int) -> _Table | None:
        place = self._place(field)
        return None if place is None else _Table(self.raw, place + _number("<I", self.raw, place))

    def structs(self, field: int, size: int) -> Iterator[int]:
        """Where each entry of a list of structures of this size stands."""
        place = self._place(field)
        if place is None:
            return
        start = place + _number("<I", self.raw, place)
        count = _number("<I", self.raw, start)
        if count * size > len(self.raw):
            raise ValueError("a list that the file does not have")
        yield from range(start + 4, start + 4 + count * size, size)

    def _place(self, field: int) -> int | None:
        if field >= self.n_fields:
            return None
        offset = _number("<H", self.raw, self.offsets + 4 + 2 * field)
        return self.at + offset if offset else None


def _number(form: str, raw: Bytes, at: int) -> int:
    if at < 0:
        raise ValueError("a place before the file")
    found: int = struct.unpack_from(form, raw.data, at)[0]
    return found


FREE_ROWS = 10_000_000
"""Rows up to this number may take as little room as they like."""

_ROWS_PER_BYTE = 64
"""Even heads or tails take a bit a match, and packing finds what repeats; what is made to swell has no such bound."""

_MAGIC_of_parquet_check = b"PAR1"
_MOST_NESTED = 30
# Numbers of the fields in their structures.
_FILE_ROWS, _FILE_GROUPS = 3, 4
_GROUP_COLUMNS, _GROUP_ROWS = 1, 3
_CHUNK_FILE, _CHUNK_META = 1, 3
_META_VALUES, _META_SIZE, _META_DATA, _META_DICTIONARY = 5, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED = 2, 3
_PAGE_DATA, _PAGE_DICTIONARY, _PAGE_DATA_2 = 5, 7, 8
_HEADER_VALUES = 1
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)


def check_parquet(raw: Bytes) -> None:
    """Refuse a Parquet file whose numbers cannot be, or that swells as no record of games does."""
    try:
        n_rows = _check_footer(raw)
    except (IndexError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise MatchDataError("cannot be read: its contents are damaged") from error
    if n_rows > FREE_ROWS and n_rows > _ROWS_PER_BYTE * len(raw):
        raise MatchDataError(
            f"the header claims {n_rows:,} rows in {len(raw):,} bytes, more than {_ROWS_PER_BYTE} per byte, "
            "which no match record has"
        )


def _check_footer(raw: Bytes) -> int:
    """The number of rows, if all pages agree with what the footer says of them."""
    if len(raw) < 12 or raw[-4:].tobytes() != _MAGIC_of_parquet_check:
        raise ValueError("it is cut off")
    size = int.from_bytes(raw[-8:-4].tobytes(), "little")
    if size > len(raw) - 12:
        raise ValueError("a footer longer than the file")
    footer, _ = _Notation(raw, len(raw) - 8 - size, len(raw) - 8).structure()
    groups = footer.get(_FILE_GROUPS) or []
    for group in groups:
        for chunk in group[_GROUP_COLUMNS]:
            if _CHUNK_FILE not in chunk:
                _check_chunk(raw, chunk[_CHUNK_META], group[_GROUP_ROWS])
    if footer[_FILE_ROWS] != sum(group[_GROUP_ROWS] for group in groups):
        raise ValueError("parts that do not add up")
    return int(footer[_FILE_ROWS])


def _check_chunk(raw: Bytes, meta: dict[int, Any], n_rows: int) -> None:
    """One column of one part: its pages follow each other and hold as many values as are said."""
    starts = [meta[field] for field in (_META_DICTIONARY, _META_DATA) if meta.get(field, 0) > 0]
    at = min(starts)
    end = at + meta[_META_SIZE]
    if not 0 <= n_rows <= meta[_META_VALUES] or not 4 <= at <= end <= len(raw):
        raise ValueError("numbers that the file does not have")
    n_values = 0
    while at < end and n_values < meta[_META_VALUES]:
        page, at = _Notation(raw, at, end).structure()
        packed, unpacked = page[_PAGE_PACKED], page[_PAGE_UNPACKED]
        if packed < 0 or unpacked < 0 or at + packed > end:
            raise ValueError("a page longer than its column")
        if unpacked > FREE_BYTES and unpacked > LARGEST_RATIO * packed:
            raise ValueError("a page that swells")
        at += packed
        for kind in (_PAGE_DATA, _PAGE_DATA_2, _PAGE_DICTIONARY):
            held = page[kind][_HEADER_VALUES] if kind in page else 0
            if held < 0 or (kind == _PAGE_DICTIONARY and held > 8 * unpacked):
                raise ValueError("a page with more values than it can have")
            n_values += held if kind != _PAGE_DICTIONARY else 0
    if n_values != meta[_META_VALUES]:
        raise ValueError("pages that do not add up")


class _Notation:
    """Thrift's compact protocol: structures as numbered fields; texts are passed over."""

    def __init__(self, raw: Bytes, at: int, end: int) -> None:
        self.raw, self.at, self.end, self.depth = raw, at, end, 0

    def structure(self) -> tuple[dict[int, Any], int]:
        """The fields of the structure that begins here, and where it ends."""
        return self._fields(), self.at

    def _fields(self) -> dict[int, Any]:
        self.depth += 1
        if self.depth > _MOST_NESTED:
            raise ValueError("nested too deep")
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            kind = head & 15
            found[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        self.depth -= 1
        return found

    def _value(self, kind: int) -> Any:
        if kind in _INTEGERS:
            return self._signed()
        if kind == _STRUCT:
            return self._fields()
        if kind in (_LIST, _SET):
            return self._list()
        if kind == _BINARY:
            return self._skip(self._unsigned())
        if kind == _DOUBLE:
            return self._skip(8)
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        raise ValueError("no such kind of value")

    def _list(self) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._unsigned()
        if size > self.end - self.at:
            raise ValueError("a list longer than the file")
        return [self._value(kind) for _ in range(size)]

    def _skip(self, n_bytes: int) -> None:
        self.at += n_bytes
        if self.at > self.end:
            raise ValueError("a text longer than the file")

    def _byte(self) -> int:
        if self.at >= self.end:
            raise ValueError("it is cut off")
        self.at += 1
        return int(self.raw[self.at - 1])

    def _unsigned(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number without end")

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
