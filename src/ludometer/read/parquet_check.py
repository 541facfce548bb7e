"""A look at the numbers in a Parquet file before it is read.

Polars allocates what a page says that it holds. If that number is damaged the allocation fails, which ends the process
and cannot be caught, so it is looked at here: footer and page headers only, in the format's own notation (Thrift's
compact protocol).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.errors import MatchDataError
from ludometer.read.bounds import FREE_BYTES, LARGEST_RATIO

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

FREE_ROWS = 10_000_000
"""Rows up to this number may take as little room as they like."""

_ROWS_PER_BYTE = 64
"""Even heads or tails take a bit a match, and packing finds what repeats; what is made to swell has no such bound."""

_MAGIC = b"PAR1"
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
            f"{len(raw):,} bytes are said to hold {n_rows:,} rows, more than {_ROWS_PER_BYTE} a byte, as no record of "
            "games does"
        )


def _check_footer(raw: Bytes) -> int:
    """The number of rows, if all pages agree with what the footer says of them."""
    if len(raw) < 12 or raw[-4:].tobytes() != _MAGIC:
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
