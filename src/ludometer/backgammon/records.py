"""Records of backgammon matches: files that are read, unpacked, recognised and recoded for GNU Backgammon."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.files.source import plain_errors
from ludometer.read.files.unpack import unpacked

Format = Literal["mat", "sgf", "sgg"]
"""Jellyfish's text of a match, which most programs write; GNU Backgammon's own; GamesGrid's."""

_LARGEST = 20_000_000
"""Bytes: a match has a few thousand, a long session with all its analyses a few million."""

_PACKED = (".gz", ".zst", ".bz2")
_ROLL = re.compile(rb"(?<!\d)\d\d:")
_TURNS = re.compile(rb"^\s*\d+\).*", re.MULTILINE)


@dataclass(frozen=True)
class MatchRecord:
    """The record of a match, as its file has it."""

    name: str
    format: Format
    data: bytes


def read_match_records(files: Sequence[str | Path]) -> list[MatchRecord]:
    """The matches of these files, plain or packed; - is standard input. Contents are data and never executed.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "final.mat"
    ...     _ = path.write_bytes(b" 3 point match\\n")
    ...     read_match_records([path])
    [MatchRecord(name='final.mat', format='mat', data=b' 3 point match\\n')]
    """
    return [_read(file) for file in files]


def count_rolls(record: MatchRecord) -> int | None:
    """Count the rolls in the text of a match: GNU Backgammon skips those that it does not understand.

    >>> count_rolls(MatchRecord("a.mat", "mat", b" Ann : 0    Ben : 0\\n  1) 31: 8/5 6/5     42: 8/4 6/4\\n"))
    2
    """
    if record.format != "mat":
        return None
    return sum(len(_ROLL.findall(line)) for line in _TURNS.findall(record.data))


def _read(file: str | Path) -> MatchRecord:
    if str(file) == "-":
        name, stream = "standard input", sys.stdin.buffer
        with plain_errors(name):
            return _record(name, unpacked(stream).read(_LARGEST + 1))
    path = Path(file)
    try:
        if path.is_dir() or not path.exists():
            raise LudometerError(
                f"{_shown(str(file))}: {'is a folder, not a file' if path.is_dir() else 'no such file'}"
            )
        name = _shown(path.name)
        with path.open("rb") as opened, plain_errors(name):
            return _record(name, unpacked(opened).read(_LARGEST + 1))
    except OSError as error:
        raise LudometerError(f"{_shown(str(file))}: cannot be read ({error.strerror})") from error
    except ValueError:
        raise LudometerError(f"{str(file)!r}: not a file name") from None


def _shown(name: str) -> str:
    """The name of a file without control characters."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)


def _record(name: str, data: bytes) -> MatchRecord:
    if len(data) > _LARGEST:
        raise MatchDataError(f"{name}: larger than {_LARGEST // 1_000_000} MB, so not the record of a match")
    if not data.strip():
        raise MatchDataError(f"{name}: the file is empty")
    if b"\0" in data[:4096]:
        raise MatchDataError(f"{name}: not text; give a .mat, .sgf or .sgg file")
    return MatchRecord(name, _format(name, data), _to_utf8(data))


def _format(name: str, data: bytes) -> Format:
    """The format, by the contents where they show it, otherwise by the ending of the name."""
    bare = name.lower()
    for ending in _PACKED:
        bare = bare.removesuffix(ending)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"(;"):
        return "sgf"
    return "sgg" if bare.endswith(".sgg") else "mat"


def _to_utf8(data: bytes) -> bytes:
    """As UTF-8: names in another encoding would crash GNU Backgammon."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1").encode()
    return data
