"""Packed files are streams of their contents, and one that was cut off is noticed."""

from __future__ import annotations

import bz2
import gzip
import io
from typing import Any

import pytest
import zstandard

from ludometer.read import read_matches
from ludometer.read.files.unpack import unpacker

TEXT = b"player_1,player_2,score_1\n" + b"".join(b"A,B,%d\n" % (k % 2) for k in range(2000))
PACKERS = (gzip.compress, bz2.compress, zstandard.compress)


@pytest.mark.parametrize("pack", PACKERS)
def test_contents_come_as_they_were_packed(pack: Any) -> None:
    packed = pack(TEXT)
    unpack = unpacker(packed[:8])
    assert unpack is not None
    stream = unpack(io.BytesIO(packed))
    assert stream.read(10) == TEXT[:10]
    assert stream.read() == TEXT[10:]


@pytest.mark.parametrize("pack", PACKERS)
def test_a_cut_off_file_is_noticed(pack: Any) -> None:
    packed = pack(TEXT)[:-20]
    unpack = unpacker(packed[:8])
    assert unpack is not None
    with pytest.raises((EOFError, OSError)):
        unpack(io.BytesIO(packed)).read()


def test_plain_text_is_not_packed() -> None:
    assert unpacker(TEXT[:8]) is None


@pytest.mark.parametrize("pack", PACKERS)
def test_matches_are_read_from_any_of_them(tmp_path: Any, pack: Any) -> None:
    path = tmp_path / "matches"
    path.write_bytes(pack(TEXT))
    assert len(read_matches(path)) == 2000
