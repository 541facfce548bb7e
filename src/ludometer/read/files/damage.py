"""A look at the numbers in a Parquet or Arrow file before Polars reads it.

Polars allocates what a page or a buffer says that it holds. If that number is damaged, the allocation fails and ends
the process, which no `except` can prevent (Polars 2.1: about one in 800 files with one damaged number). Reading such
files in a child process would cost its start and a second reading of each file. So the numbers are checked here: only
footers and headers, in the formats' own notations (Thrift's compact protocol and FlatBuffers).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ludometer.errors import MatchDataError
from ludometer.read.files.limits import FREE_BYTES, LARGEST_RATIO

if TYPE_CHECKING:
    from ludometer.read.files.limits import Bytes

_DAMAGED = "cannot be read: its contents are damaged"

FREE_ROWS = 10_000_000
"""Up to this number of rows, a Parquet file may be as small as it likes."""

_ROWS_PER_BYTE = 64
"""Even heads or tails take a bit per match; what is made to expand has no such bound."""

_MOST_NESTED = 30
# Parquet: numbers of the fields in their structures.
_FILE_ROWS, _FILE_GROUPS = 3, 4
_GROUP_COLUMNS, _GROUP_ROWS = 1, 3
_CHUNK_FILE, _CHUNK_META = 1, 3
_META_VALUES, _META_SIZE, _META_DATA, _META_DICTIONARY = 5, 7, 9, 11
_PAGE_UNPACKED, _PAGE_PACKED = 2, 3
_PAGE_DATA, _PAGE_DICTIONARY, _PAGE_DATA_2 = 5, 7, 8
_HEADER_VALUES = 1
# Thrift: kinds of values.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS = (4, 5, 6)

_LARGEST = 1 << 31
"""Bytes of one column in one batch of an Arrow file."""

_CONTINUED = 0xFFFFFFFF
_DICTIONARY, _RECORDS = 2, 3
# Arrow: places of fields in their tables.
_FOOTER_DICTIONARIES, _FOOTER_RECORDS = 2, 3
_MESSAGE_KIND, _MESSAGE_HEADER, _MESSAGE_BODY = 1, 2, 3
_BATCH_BUFFERS, _BATCH_PACKING = 2, 3
_DICTIONARY_BATCH = 1


def check_parquet(raw: Bytes) -> None:
    """Refuse a Parquet file whose numbers are impossible, or that expands as no match record does."""
    try:
        n_rows = _check_footer(raw)
    except (IndexError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise MatchDataError(_DAMAGED) from error
    if n_rows > FREE_ROWS and n_rows > _ROWS_PER_BYTE * len(raw):
        raise MatchDataError(
            f"the header claims {n_rows:,} rows in {len(raw):,} bytes, more than {_ROWS_PER_BYTE} per byte, "
            "which no match record has"
        )


def _check_footer(raw: Bytes) -> int:
    """The number of rows, if all pages agree with what the footer says about them."""
    size = int.from_bytes(raw[-8:-4].tobytes(), "little")
    _demand(raw[-4:].tobytes() == b"PAR1" and size <= len(raw) - 12)
    footer = _Thrift(raw, len(raw) - 8 - size, len(raw) - 8).structure()
    groups = footer.get(_FILE_GROUPS) or []
    for group in groups:
        for chunk in group[_GROUP_COLUMNS]:
            if _CHUNK_FILE not in chunk:
                _check_chunk(raw, chunk[_CHUNK_META], group[_GROUP_ROWS])
    _demand(footer[_FILE_ROWS] == sum(group[_GROUP_ROWS] for group in groups))
    return int(footer[_FILE_ROWS])


def _check_chunk(raw: Bytes, meta: dict[int, Any], n_rows: int) -> None:
    """One column of one group: its pages follow each other and hold as many values as they should."""
    at = min(meta[field] for field in (_META_DICTIONARY, _META_DATA) if meta.get(field, 0) > 0)
    end = at + meta[_META_SIZE]
    _demand(0 <= n_rows <= meta[_META_VALUES] and 4 <= at <= end <= len(raw))
    n_values = 0
    while at < end and n_values < meta[_META_VALUES]:
        header = _Thrift(raw, at, end)
        page = header.structure()
        packed, unpacked = page[_PAGE_PACKED], page[_PAGE_UNPACKED]
        at = header.at + packed
        _demand(packed >= 0 and unpacked >= 0 and at <= end)
        _demand(unpacked <= FREE_BYTES or unpacked <= LARGEST_RATIO * packed)
        for kind in (_PAGE_DATA, _PAGE_DATA_2, _PAGE_DICTIONARY):
            held = page[kind][_HEADER_VALUES] if kind in page else 0
            _demand(held >= 0 and (kind != _PAGE_DICTIONARY or held <= 8 * unpacked))
            n_values += held if kind != _PAGE_DICTIONARY else 0
    _demand(n_values == meta[_META_VALUES])


def _demand(is_possible: bool) -> None:
    if not is_possible:
        raise ValueError(_DAMAGED)


class _Thrift:
    """Thrift's compact protocol: structures as numbered fields; texts are passed over."""

    def __init__(self, raw: Bytes, at: int, end: int) -> None:
        self.raw, self.at, self.end, self.depth = raw, at, end, 0

    def structure(self) -> dict[int, Any]:
        """The fields of the structure that begins here; `at` is then behind it."""
        self.depth += 1
        _demand(self.depth <= _MOST_NESTED)
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
            return self.structure()
        if kind in (_LIST, _SET):
            return self._list()
        if kind in (_BINARY, _DOUBLE):
            size = self._unsigned() if kind == _BINARY else 8
            self.at += size
            return _demand(self.at <= self.end)
        _demand(kind in (_TRUE, _FALSE, _BYTE))
        return self._byte()

    def _list(self) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._unsigned()
        _demand(size <= self.end - self.at)
        return [self._value(kind) for _ in range(size)]

    def _byte(self) -> int:
        _demand(self.at < self.end)
        self.at += 1
        return int(self.raw[self.at - 1])

    def _unsigned(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError(_DAMAGED)

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)


def check_arrow(raw: Bytes) -> None:
    """Refuse an Arrow file or stream whose lengths are impossible."""
    try:
        is_file = raw[:6].tobytes() == b"ARROW1"
        for start, body in _blocks(raw) if is_file else _messages(raw):
            _check_message(raw, start, body)
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise MatchDataError(_DAMAGED) from error


def _blocks(raw: Bytes) -> Iterator[tuple[int, int]]:
    """Where the metadata and the body of each batch of a file begin, by its footer."""
    _demand(raw[-6:].tobytes() == b"ARROW1")
    size = _number("<i", raw, len(raw) - 10)
    footer = _Table.root(raw, len(raw) - 10 - size)
    for field in (_FOOTER_DICTIONARIES, _FOOTER_RECORDS):
        for place in footer.structs(field, 24):
            offset, metadata = _number("<q", raw, place), _number("<i", raw, place + 8)
            skipped = 8 if _number("<I", raw, offset) == _CONTINUED else 4
            yield offset + skipped, offset + metadata


def _messages(raw: Bytes) -> Iterator[tuple[int, int]]:
    """The same for a stream, message by message."""
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
    batch = message.table(_MESSAGE_HEADER) if kind in (_DICTIONARY, _RECORDS) else None
    if kind == _DICTIONARY and batch is not None:
        batch = batch.table(_DICTIONARY_BATCH)
    if batch is None:
        return
    is_packed = batch.table(_BATCH_PACKING) is not None
    for place in batch.structs(_BATCH_BUFFERS, 16):
        offset, length = _number("<q", raw, place), _number("<q", raw, place + 8)
        _demand(0 <= length <= len(raw))
        # -1 marks what packing does not make smaller
        _demand(not is_packed or length < 8 or -1 <= _number("<q", raw, body + offset) <= _LARGEST)


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
        _demand(count * size <= len(self.raw))
        yield from range(start + 4, start + 4 + count * size, size)

    def _place(self, field: int) -> int | None:
        if field >= self.n_fields:
            return None
        offset = _number("<H", self.raw, self.offsets + 4 + 2 * field)
        return self.at + offset if offset else None


def _number(form: str, raw: Bytes, at: int) -> int:
    _demand(at >= 0)
    found: int = struct.unpack_from(form, raw.data, at)[0]
    return found
