"""PGN headers become frames of clean columns, in file order, whatever the stream."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from ludometer.kernels.text.pgn import TAGS
from ludometer.read.files.pgn import COLUMNS, read_pgn_headers

SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[3] / "shared") / "data" / "chess"


class Pipe(io.RawIOBase):
    """A stream that cannot seek and gives less than it is asked for, again and again for ever if told so."""

    def __init__(self, data: bytes, *, endless: bool = False) -> None:
        self.left = data
        self.again = data if endless else b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.left = self.left or self.again
        part = self.left[: min(len(buffer), 1000)]
        self.left = self.left[len(part) :]
        buffer[: len(part)] = part
        return len(part)


def read_all(data: bytes, **options: int) -> pl.DataFrame:
    return pl.concat(read_pgn_headers(io.BytesIO(data), **options))


def read_one(*tags: str) -> dict[str, Any]:
    frame = read_all("".join(f"[{tag}]\n" for tag in tags).encode())
    assert frame.height == 1
    return frame.row(0, named=True)


def test_columns_are_the_tags_of_the_machine() -> None:
    assert tuple(re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=UTC)", "_", tag).lower() for tag in TAGS) == COLUMNS


def test_frame_has_all_columns() -> None:
    frame = read_all(b'[White "a"]\n[Black "b"]\n[Result "1-0"]\n[WhiteElo "2500"]\n\n1. e4 1-0\n')
    elos = ("white_elo", "black_elo")
    assert frame.schema == {name: pl.Int32 if name in elos else pl.String for name in COLUMNS}
    found = {name: value for name, value in frame.row(0, named=True).items() if value is not None}
    assert found == {"white": "a", "black": "b", "result": "1-0", "white_elo": 2500}


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"1. e4 e5 1-0\n", bytes(100)])
def test_stream_without_a_game_yields_nothing(data: bytes) -> None:
    assert list(read_pgn_headers(io.BytesIO(data))) == []


@pytest.mark.parametrize("value", ["", "?", "????.??.??"])
@pytest.mark.parametrize("tag", TAGS)
def test_what_is_unknown_is_null(tag: str, value: str) -> None:
    assert set(read_one(f'{tag} "{value}"').values()) == {None}


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2", "*", "½-½", '"1-0"', "1-0, # forfeit"])
def test_result_is_left_as_it_is(result: str) -> None:
    escaped = result.replace('"', '\\"')
    assert read_one(f'Result "{escaped}"')["result"] == result


@pytest.mark.parametrize(
    ("text", "elo"), [("2500", 2500), (" 2500 ", 2500), ("-", None), ("2500?", None), ("9" * 20, None), ("25.5", None)]
)
def test_elo_is_a_number_or_null(text: str, elo: int | None) -> None:
    row = read_one(f'WhiteElo "{text}"', f'BlackElo "{text}"')
    assert (row["white_elo"], row["black_elo"]) == (elo, elo)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2011.05.24", "2011-05-24"),
        ("2011-05-24", "2011-05-24"),
        ("2011/5/4", "2011-05-04"),
        (" 2011.05.24 ", "2011-05-24"),
        ("2011.05.??", "2011-05-01"),
        ("2011.??.??", "2011-01-01"),
        ("2011.??.24", "2011-01-24"),
        ("2011.?.?", "2011-01-01"),
        ("2011.05", "2011-05-01"),
        ("2011", "2011-01-01"),
        ("2012.02.29", "2012-02-29"),
        ("2011.02.29", None),
        ("2011.13.01", None),
        ("2011.00.00", None),
        ("0000.01.01", None),
        ("????.05.24", None),
        ("20??.05.24", None),
        ("24.05.2011", None),
        ("2011.05.24x", None),
        ("2011.05.24.1", None),
        ("٢٠١١.٠٥.٢٤", None),
        ("yesterday", None),
    ],
)
def test_date_is_iso_or_null(text: str, date: str | None) -> None:
    assert read_one(f'Date "{text}"')["date"] == date
    assert read_one(f'UTCDate "{text}"')["utc_date"] == date
    assert read_one(f'Date "{text}"', 'UTCDate "1999.12.31"')["date"] == (date or "1999-12-31")


def test_only_values_that_are_not_utf8_are_taken_for_latin1() -> None:
    frame = read_all(
        b'[White "M\xfcller"][Black "M\xc3\xbcller"][Site "K\xf6ln"]\n*\n[White "\xe2\x82\xac"][Black "b"]'
    )
    assert frame["white"].to_list() == ["Müller", "€"]
    assert frame["black"].to_list() == ["Müller", "b"]
    assert frame["site"].to_list() == ["Köln", None]


def test_frames_hold_as_many_games_as_asked() -> None:
    data = b"".join(b'[White "%d"]\n*\n' % i for i in range(25))
    for size, heights in ((10, [10, 10, 5]), (25, [25]), (1, [1] * 25), (100, [25])):
        frames = list(read_pgn_headers(io.BytesIO(data), games_per_frame=size))
        assert [frame.height for frame in frames] == heights
        assert pl.concat(frames)["white"].to_list() == [str(i) for i in range(25)]


def test_frames_come_before_the_stream_ends() -> None:
    source: Any = Pipe(b'[X ""]\n*\n' * 100, endless=True)
    frames = read_pgn_headers(source, games_per_frame=300_000)
    assert [next(frames).height for _ in range(2)] == [300_000, 300_000]


def test_pipe_is_read_like_a_file() -> None:
    data = b"".join(b'[White "%d"]\n[Black "b"]\n\n1. e4 {\n} *\n' % i for i in range(1000))
    source: Any = Pipe(data)
    assert_frame_equal(pl.concat(read_pgn_headers(source)), read_all(data))


@pytest.mark.parametrize("options", [{"games_per_frame": 0}, {"block_bytes": 0}, {"block_bytes": -1}])
def test_sizes_below_one_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        list(read_pgn_headers(io.BytesIO(b'[White "a"]'), **options))


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    parts=st.lists(
        st.sampled_from(
            [b'[White "', b'[Date "', b'"]', b"2011.05.24", b"\xfc", b"\xc3\xbc", b"?", b"\r\n", b"\n", b" * ", b"{"]
        )
        | st.binary(max_size=3),
        max_size=40,
    ),
    block_bytes=st.sampled_from([1, 2, 3, 7]),
)
def test_block_size_changes_nothing(parts: list[bytes], block_bytes: int) -> None:
    data = b'[Black "b"]\n' + b"".join(parts)
    assert_frame_equal(read_all(data, block_bytes=block_bytes), read_all(data))


@pytest.mark.parametrize(
    ("name", "n_games"), [("candidates_2011.pgn", 54), ("london_classic_2011.pgn", 36), ("byrne_fischer_1956.pgn", 1)]
)
def test_real_files_are_read_whole(name: str, n_games: int) -> None:
    path = SHARED / name
    if not path.exists():
        pytest.skip("needs the shared data folder (LUDOMETER_SHARED)")
    text = path.read_text(encoding="utf-8-sig")
    with path.open("rb") as file:
        frame = pl.concat(read_pgn_headers(file, games_per_frame=20, block_bytes=4096))
    assert frame.height == n_games
    for tag, column in (("White", "white"), ("Black", "black"), ("Result", "result"), ("Event", "event")):
        assert frame[column].to_list() == re.findall(rf'^\[{tag} "(.*)"\]', text, re.M)
    assert frame["date"].to_list() == [
        re.sub(r"\.(\?\?)?", lambda part: "-01" if part[1] else "-", day)
        for day in re.findall(r'^\[Date "(.*)"\]', text, re.M)
    ]
    elos = re.findall(r'^\[WhiteElo "(\d+)"\]', text, re.M)
    assert frame["white_elo"].drop_nulls().to_list() == [int(elo) for elo in elos]
