"""Bounds that keep a hostile or broken file from filling the memory: packed files that expand, endless fields."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

from ludometer.errors import MatchDataError

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

FREE_BYTES = 256 << 20
"""Contents up to this size may be packed as tightly as they like."""

LARGEST_RATIO = 200
"""Match records shrink 5 to 60 times when packed; what is made to expand, a thousand times and more."""

LONGEST_FIELD = 1 << 16
"""Bytes of a name, a result or a time."""

_STEP = 16 << 20
_WINDOW = 8 << 20
_NEWLINE = 10


class Packed(io.RawIOBase):
    """A packed stream that counts what was taken from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.n_bytes = stream, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        part = self.stream.read(size)
        self.n_bytes += len(part)
        return part


class Contents(io.RawIOBase):
    """The contents of a packed stream; raises where it expands beyond the bounds, before much is held."""

    def __init__(self, contents: BinaryIO, packed: Packed) -> None:
        self.contents, self.packed, self.n_bytes = contents, packed, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size is None or size < 0:
            return read_whole(cast("BinaryIO", self))
        parts, left = [], size
        while left and (part := self.contents.read(min(left, _STEP))):
            parts.append(part)
            left -= len(part)
            self.n_bytes += len(part)
            self._check()
        return b"".join(parts)

    def readinto(self, buffer: Any) -> int:
        part = self.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def _check(self) -> None:
        if self.n_bytes > FREE_BYTES and self.n_bytes > LARGEST_RATIO * self.packed.n_bytes:
            raise MatchDataError(
                f"the packed file expands to more than {LARGEST_RATIO} times its size ({self.n_bytes >> 20:,} MiB so "
                "far), which no match record does; if you trust it, unpack it first"
            )


def read_whole(stream: BinaryIO) -> bytes:
    """All that a stream holds, if it fits into half of the memory."""
    parts, n_bytes, most = [], 0, _half_of_memory()
    while part := stream.read(_STEP):
        parts.append(part)
        n_bytes += len(part)
        if n_bytes > most:
            raise MatchDataError(
                f"more than {most >> 20:,} MiB, half of this machine's memory; unpack it into a file, which is read in "
                "parts, or leave rows out"
            )
    return b"".join(parts)


def check_lines(raw: Bytes) -> None:
    """Refuse a table with a line that has no end, before anything holds it."""
    for start in range(0, len(raw) - _WINDOW + 1, _WINDOW):
        window = raw[start : start + _WINDOW]
        # nearly always there is one at once
        if not (window[:LONGEST_FIELD] == _NEWLINE).any() and not (window == _NEWLINE).any():
            raise MatchDataError(
                f"a line is longer than {_WINDOW >> 20} MiB: this is not a table, or it has no line ends"
            )


def check_fields(frame: pl.DataFrame, n_before: int) -> None:
    """Refuse text that is too long for any field: most often a quotation mark is missing."""
    import polars as pl

    longest = frame.select(pl.col(pl.String).str.len_bytes().max())
    for name in longest.columns:
        if (longest[name][0] or 0) > LONGEST_FIELD:
            row = int(frame[name].str.len_bytes().arg_max() or 0) + n_before + 1
            raise MatchDataError(
                f"row {row:,}: {name[:60]} has {longest[name][0]:,} bytes, and a field may have at "
                f"most {LONGEST_FIELD:,}; is a quotation mark left open?"
            )


def _half_of_memory() -> int:
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 4 << 30
    return whole // 2
