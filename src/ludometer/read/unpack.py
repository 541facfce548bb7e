"""Packed files: gzip and Zstandard, told by their first bytes and read as streams."""

from __future__ import annotations

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
    import zstandard

    reader: Any = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    return cast("BinaryIO", reader)
