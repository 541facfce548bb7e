"""A look at the lengths in an Arrow file before it is read.

Polars allocates what a column says that it holds, or that it unpacks to. If that number is damaged the allocation
fails, which ends the process and cannot be caught, so it is looked at here: metadata only, by the format's own tables
(FlatBuffers).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ludometer.errors import MatchDataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
