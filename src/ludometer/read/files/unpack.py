"""Packed files: gzip, bzip2 and Zstandard, recognised by their first bytes and read as streams, within bounds."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO, cast

from ludometer.read.files.limits import Contents, Packed

_PIECE = 1 << 11
"""Packed bytes that are unpacked at once: of Zstandard they may become 64 MiB."""

_HEAD = 4
"""First bytes that show the format."""


def unpacker(head: bytes) -> Callable[[BinaryIO], BinaryIO] | None:
    """What turns a stream with these first bytes into its contents; None if it is not packed."""
    if head.startswith(b"\x1f\x8b"):
        return partial(_unpack, _gunzip)
    if head.startswith(b"BZh"):
        return partial(_unpack, _bunzip)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return partial(_unpack, _unzstd)
    return None


def _unpack(unpack: Callable[[BinaryIO], BinaryIO], stream: BinaryIO) -> BinaryIO:
    packed = Packed(stream)
    return cast("BinaryIO", Contents(unpack(cast("BinaryIO", packed)), packed))


def unpacked(stream: BinaryIO) -> BinaryIO:
    """The contents of a stream that may be packed, as a stream; it need not be one that can go back."""
    head = stream.read(_HEAD)
    whole = put_back(head, stream)
    unpack = unpacker(head)
    return whole if unpack is None else unpack(whole)


def put_back(head: bytes, rest: BinaryIO) -> BinaryIO:
    """A stream whose first bytes were read, from its beginning."""
    return cast("BinaryIO", io.BufferedReader(_Headed(head, rest)))


class _Headed(io.RawIOBase):
    """A stream whose first bytes were looked at."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self.head, self.rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        held = self.head or self.rest.read(len(buffer))
        # some streams give more than they are asked for
        part, self.head = held[: len(buffer)], held[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def _gunzip(stream: BinaryIO) -> BinaryIO:
    import gzip

    return cast("BinaryIO", gzip.GzipFile(fileobj=stream))


def _bunzip(stream: BinaryIO) -> BinaryIO:
    import bz2

    return cast("BinaryIO", bz2.BZ2File(stream))


def _unzstd(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", _Zstandard(stream))


class _Zstandard(io.RawIOBase):
    """The contents of one or more Zstandard frames; unlike the library's reader it notices a file that was cut off."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.packed, self.ready, self.frame = stream, b"", bytearray(), _new_frame()
        self.at, self.is_between = 0, True

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while size < 0 or len(self.ready) < size:
            if self.at >= len(self.packed):
                self.packed, self.at = self.stream.read(1 << 20), 0
            if not self.packed:
                if not self.is_between:
                    raise EOFError("the packed file ends too early: it was cut off")
                break
            piece = self.packed[self.at : self.at + _PIECE]
            self.ready += self.frame.decompress(piece)
            self.at += len(piece)
            self.is_between = self.frame.eof
            if self.frame.eof:
                self.at -= len(self.frame.unused_data)
                self.frame = _new_frame()
        taken = len(self.ready) if size < 0 else size
        part = bytes(self.ready[:taken])
        del self.ready[:taken]
        return part


def _new_frame() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()
