"""Packed files: gzip and Zstandard, told by their first bytes and read as streams."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, BinaryIO, cast


def unpacker(head: bytes) -> Callable[[BinaryIO], BinaryIO] | None:
    """What turns a stream with these first bytes into its contents; None if it is not packed."""
    if head.startswith(b"\x1f\x8b"):
        return _gunzip
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return _unzstd
    return None


def _gunzip(stream: BinaryIO) -> BinaryIO:
    import gzip

    return cast("BinaryIO", gzip.GzipFile(fileobj=stream))


def _unzstd(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", _Zstandard(stream))


class _Zstandard(io.RawIOBase):
    """The contents of one or more Zstandard frames; unlike the library's reader it notices a file that was cut off."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.ready, self.frame = stream, b"", _new_frame()
        self.is_between = True

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while size < 0 or len(self.ready) < size:
            packed = self.stream.read(1 << 20)
            if not packed:
                if not self.is_between:
                    raise EOFError("the packed file ends too early: it was cut off")
                break
            while packed:
                self.ready += self.frame.decompress(packed)
                self.is_between = self.frame.eof
                packed = self.frame.unused_data if self.frame.eof else b""
                if self.frame.eof:
                    self.frame = _new_frame()
        taken = len(self.ready) if size < 0 else size
        part, self.ready = self.ready[:taken], self.ready[taken:]
        return part


def _new_frame() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()
