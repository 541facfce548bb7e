"""Records of the Skat server: kernel and plain twin agree, blocks and workers change nothing, damage is named."""

from __future__ import annotations

import bz2
import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import zstandard
from polars.testing import assert_frame_equal

from ludometer.errors import LudometerError, MatchDataError
from ludometer.parallel import Workers
from ludometer.skat import language
from ludometer.skat.reading.iss import _blocks, read_skat, stream_skat
from ludometer.skat.reading.iss_record import parse_record
from ludometer.skat.records import schema
from ludometer.skat.rules import cards
from ludometer.skat.rules.series import gather_lists, score_series
from tests.skat.deals import write_record


@pytest.fixture(scope="module")
def lines() -> list[str]:
    rng = np.random.default_rng(11)
    return [write_record(rng, number) for number in range(160)]


def read(text: str | bytes, **options: Any) -> pl.DataFrame:
    data = text.encode() if isinstance(text, str) else text
    return read_skat(io.BytesIO(data), **options).records


def plain(lines: list[str]) -> pl.DataFrame:
    return pl.DataFrame([parse_record(line) for line in lines], schema=schema())


def test_kernel_and_plain_parser_agree(lines: list[str]) -> None:
    found = read("\n".join(lines))
    assert_frame_equal(found.select(list(schema())), plain(lines))
    assert found["line"].to_list() == list(range(1, len(lines) + 1))


def test_games_played_by_the_rules_are_scored_as_recorded_with_and_without_a_replay(lines: list[str]) -> None:
    for replay in (False, True):
        found = read("\n".join(lines), replay=replay)
        assert found["difference"].null_count() == len(lines)
        assert found.filter(pl.col("points") != pl.col("points_recorded")).height == 0
        assert set(found["kind"].unique().cast(pl.String)) == {"won", "lost", "folded"}
    assert found["illegal"].null_count() == len(lines)
    whole = found.filter(n_played=30)
    assert whole.height > 80
    assert (whole["eyes"] == whole["eyes_recorded"]).all()
    assert whole["overbid"].sum() > 0


def test_a_wrong_record_is_flagged_with_its_reason(lines: list[str]) -> None:
    line = next(line for line in lines if "bidok p:" in line and "win" in line and "m:0" not in line)
    start, stop = line.index(" v:"), line.index(" m:")
    other_value = line[:start] + " v:999" + line[stop:]
    other_run = other_value[: other_value.index(" m:")] + " m:9 bidok" + line[line.index(" p:") :]
    found = read("\n".join([line, other_value, other_run]), replay=True)
    assert found["difference"].to_list() == [None, language.OTHER_LEVELS, language.OTHER_MATADORS]
    loss = other_value.replace(" win ", " loss ")
    assert read(loss)["difference"].to_list() == [language.OTHER_RESULT]
    assert read(other_value.replace("bidok", "overbid"))["difference"].to_list() == [language.OTHER_OVERBID]


def test_an_illegal_card_is_found(lines: list[str]) -> None:
    whole = read("\n".join(lines), replay=True).filter(n_played=30)["line"].to_list()
    parts = lines[whole[0] - 1].split(" ")
    # the last two cards change places
    ends = next(k for k, part in enumerate(parts) if part.startswith("]R["))
    parts[ends - 1], parts[ends - 3] = parts[ends - 3], parts[ends - 1]
    assert read(" ".join(parts), replay=True)["illegal"].to_list() == [28]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress])
def test_packed_files_read_alike(lines: list[str], tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "games.sgf"
    path.write_bytes(pack("\n".join(lines).encode()))
    assert_frame_equal(read_skat(path).records, read("\n".join(lines)))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress])
def test_a_packed_file_that_was_cut_off_is_refused(lines: list[str], tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "games.sgf"
    path.write_bytes(pack("\n".join(lines).encode())[:-40])
    with pytest.raises(MatchDataError, match="cannot be read"):
        read_skat(path, skip_damaged=True)


def test_blocks_and_workers_change_nothing(lines: list[str]) -> None:
    text = "\n".join(lines).encode()
    whole = read(text, replay=True)
    for jobs in (1, 3):
        for size in (2_000, 9_000):
            stream = stream_skat(io.BytesIO(text), replay=True, workers=Workers(jobs), block_bytes=size)
            frames = list(stream)
            assert len(frames) > 5
            assert_frame_equal(pl.concat(frames), whole)


def test_memory_is_flat_because_blocks_are_read_as_they_are_asked_for(lines: list[str]) -> None:
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size: int = -1) -> bytes:  # noqa: ARG002
            Endless.given += 1
            return ("\n".join(lines) + "\n").encode()

    stream = iter(stream_skat(Endless(), block_bytes=1 << 16))  # type: ignore[arg-type]
    assert sum(next(stream).height for _ in range(5)) > 500
    assert Endless.given < 12


def test_the_form_of_many_lines_is_read_like_that_of_one(lines: list[str]) -> None:
    spread = []
    for line in lines[:20]:
        at = line.index("MV[w ") + 3
        head, moves = line[:at], line[at:]
        spread.append(head.replace("]", "]  # a note\n") + "\n # the deal ]\n " + moves.replace(" ", "\n "))
    text = "# a file\n\n" + "\n\n".join(spread)
    found = read(text, replay=True)
    assert found["line"][0] == 3
    assert_frame_equal(found.drop("line"), read("\n".join(lines[:20]), replay=True).drop("line"))


def damage(line: str) -> list[str]:
    """Lines that are no records, each in another way."""
    deal = line.index("MV[w ") + 5
    return [
        line[:-3],
        line.replace("]R[", "R(", 1),
        line.replace("P1[b]", "P1[]"),
        line[: line.index("MV[")] + line[line.index("R[", deal) :],
        line[:deal] + line[deal + 3 :],
        line[: deal + 3] + line[deal : deal + 2] + line[deal + 5 :],
        line.replace(" 2 p ", " 2 what "),
        line.replace(" 2 p ", " 5 p "),
        line[: line.index("]R[")] + "]R[nothing] ;)",
        "(;",
        "not a record at all",
    ]


def test_damaged_lines_are_named_and_skipped_on_request(lines: list[str]) -> None:
    bad = damage(lines[0])
    mixed = [text for pair in zip(lines, bad, strict=False) for text in pair]
    with pytest.raises(MatchDataError, match=r"line 2: .*line 4: .*and 6 more.*skip_damaged"):
        read("\n".join(mixed))
    found = read_skat(io.BytesIO("\n".join(mixed).encode()), skip_damaged=True)
    assert [fault.line for fault in found.damaged] == [2 * k + 2 for k in range(len(bad))]
    assert len({fault.reason for fault in found.damaged}) >= 7
    assert_frame_equal(found.records.drop("line"), read("\n".join(lines[: len(bad)])).drop("line"))
    for text in bad[:-2]:
        with pytest.raises(LudometerError):
            parse_record(text)
    assert "11 damaged" in found.summary()
    small = stream_skat(io.BytesIO("\n".join(mixed).encode()), skip_damaged=True, block_bytes=50)
    assert sum(frame.height for frame in small) == len(bad)
    assert tuple(small.damaged) == found.damaged


def test_broken_bytes_never_crash_the_reader(lines: list[str]) -> None:
    rng = np.random.default_rng(4)
    text = "\n".join(lines[:8]).encode()
    for _ in range(60):
        data = bytearray(text)
        for place in rng.integers(0, len(data), 4):
            data[place] = rng.integers(256)
        cut = bytes(data[: rng.integers(len(data))])
        found = read_skat(io.BytesIO(cut), skip_damaged=True, replay=True)
        assert found.records.height + len(found.damaged) <= 40


def test_a_players_view_with_hidden_cards_has_no_value() -> None:
    hidden = "|".join([".".join(["??"] * 10)] * 2 + ["CJ.C7.C8.C9.CQ.CK.CT.CA.SJ.S7", "??.??"])
    line = f"(;GM[Skat]SE[1]P0[a]P1[b]P2[c]MV[w {hidden} 1 18 0 p 2 p 1 CH 0 S9 1 S8 ]"
    line += "R[d:1 win v:24 m:1 bidok p:70 t:6] ;)"
    found = read(line)
    assert found["difference"].to_list() == [language.NOT_KNOWN]
    assert found["hand_2"][0] == cards.parse_cards("CJ.C7.C8.C9.CQ.CK.CT.CA.SJ.S7")
    assert found["hand_0"].to_list() == [0]
    assert_frame_equal(found.select(list(schema())), plain([line]))


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# nothing\n", b"\xef\xbb\xbf"])
def test_a_file_without_games_is_an_empty_frame(data: bytes) -> None:
    found = read(data, replay=True)
    assert found.height == 0
    assert {"points", "difference", "winners", "line"} <= set(found.columns)


def test_a_large_file_of_something_else_is_given_up_early() -> None:
    class Zeros(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            return bytes(max(size, 1))

    with pytest.raises(MatchDataError, match="not a file of ISS records"):
        read_skat(Zeros())  # type: ignore[arg-type]


def test_a_missing_file_is_named() -> None:
    with pytest.raises(LudometerError, match="no such file"):
        read_skat("nowhere.sgf")


def test_lists_of_a_session_are_scored() -> None:
    rng = np.random.default_rng(3)
    seats = [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    found = read("\n".join(write_record(rng, k, seats[k % 3]) for k in range(90)))
    results = score_series(gather_lists(found)).to_frame()
    assert results.height == 6
    played = found.filter(pl.col("kind") != "folded").head(72)
    assert results["points"].sum() == played["points_recorded"].sum()
    assert results["lost"].sum() == (~played["won_recorded"]).sum()


def test_the_public_sample_is_parsed_replayed_and_rescored(shared_data: Path) -> None:
    path = shared_data / "skat" / "iss_games.sgf"
    if not path.is_file():
        pytest.skip("needs the shared sample of records")
    reading = read_skat(path, replay=True)
    found = reading.records
    assert (found.height, reading.damaged) == (37, ())
    assert found["illegal"].null_count() == 37
    assert_frame_equal(found.select(list(schema())), plain(path.read_text().splitlines()))
    told = found.filter(pl.col("eyes").is_not_null() & (pl.col("discards") > 0))
    assert (told["eyes"] == told["eyes_recorded"]).all()
    assert (told["tricks"] == told["tricks_recorded"]).all()
    odd = found.filter(pl.col("difference").is_not_null())
    # clubs ouvert, lost with 13 eyes and no trick, but recorded as neither schneider nor schwarz; and a time-out
    # before the discard, with eleven matadors that nobody had
    assert odd.select("game_id", "difference").rows() == [
        ("13577", language.OTHER_FLAGS),
        ("10330141", language.BEFORE_DISCARD),
    ]
    assert odd["points"].to_list() == [-192, -96]
    assert odd["points_recorded"].to_list() == [-192, -288]
    assert found.filter(pl.col("points") == pl.col("points_recorded")).height == 36


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 1 << 20])
def test_a_pipe_that_gives_a_few_bytes_at_a_time_changes_nothing(size: int) -> None:
    text = b"(;one\n(;two a\r(;three\n\n(;four\n" * 20

    class Pipe(io.BytesIO):
        def read(self, n: int | None = -1) -> bytes:
            return super().read(min(size, n or size))

    for block in (1, 10, 64, 1 << 20):
        found = list(_blocks(Pipe(text), block))
        assert b"".join(part for part, _ in found) == text
        assert [line for _, line in found] == [
            1 + b"".join(part for part, _ in found[:place]).count(b"\n") for place in range(len(found))
        ]
        assert all(part.startswith(b"(;") for part, _ in found)
        assert block > 10 or len(found) > 20
