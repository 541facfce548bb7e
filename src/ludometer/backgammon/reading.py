"""Files of backgammon matches on their way to GNU Backgammon: unpacked, told apart, and in its encoding."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from ludometer.backgammon.matches import Format, MatchRecord
from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.files.source import plain_errors
from ludometer.read.files.unpack import unpacked

_LARGEST = 20_000_000
"""Bytes: a match has some thousands, a long session with all its analyses a few million."""

_PACKED = (".gz", ".zst", ".bz2")


def read_match_records(files: Sequence[str | Path]) -> list[MatchRecord]:
    """The matches of these files, plain or packed; - is standard input. Contents are looked at, not carried out.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "final.mat"
    ...     _ = path.write_bytes(b" 3 point match\\n")
    ...     read_match_records([path])
    [MatchRecord(name='final.mat', format='mat', data=b' 3 point match\\n')]
    """
    return [_read(file) for file in files]


def _read(file: str | Path) -> MatchRecord:
    if str(file) == "-":
        name, stream = "standard input", sys.stdin.buffer
        with plain_errors(name):
            return _record(name, unpacked(stream).read(_LARGEST + 1))
    path = Path(file)
    try:
        if path.is_dir() or not path.exists():
            raise LudometerError(
                f"{_shown(str(file))}: {'a folder, not a file of a match' if path.is_dir() else 'no such file'}"
            )
        name = _shown(path.name)
        with path.open("rb") as opened, plain_errors(name):
            return _record(name, unpacked(opened).read(_LARGEST + 1))
    except OSError as error:
        raise LudometerError(f"{_shown(str(file))}: cannot be read ({error.strerror})") from error
    except ValueError:
        raise LudometerError(f"{str(file)!r}: not the name of a file") from None


def _shown(name: str) -> str:
    """The name of a file without marks that would break a line or a screen."""
    return "".join(mark if mark.isprintable() else "\ufffd" for mark in name)


def _record(name: str, data: bytes) -> MatchRecord:
    if len(data) > _LARGEST:
        raise MatchDataError(f"{name}: is larger than {_LARGEST // 1_000_000} MB, so it is not the record of a match")
    if not data.strip():
        raise MatchDataError(f"{name}: the file is empty")
    if b"\0" in data[:4096]:
        raise MatchDataError(f"{name}: is not text; .mat, .sgf and .sgg files are")
    return MatchRecord(name, _format(name, data), _to_utf8(data))


def _format(name: str, data: bytes) -> Format:
    """By the contents where they tell, else by the ending of the name."""
    bare = name.lower()
    for ending in _PACKED:
        bare = bare.removesuffix(ending)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"(;"):
        return "sgf"
    return "sgg" if bare.endswith(".sgg") else "mat"


def _to_utf8(data: bytes) -> bytes:
    """Names in another encoding would end GNU Backgammon."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1").encode()
    return data
