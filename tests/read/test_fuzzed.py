"""Inputs that once made a reader fail, kept; bombs and giant fields; and a short run of the fuzzer itself."""

from __future__ import annotations

import bz2
import gzip
import io
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from fuzzing.judging import judge, judge_message
from fuzzing.readers import Input
from fuzzing.running import plan
from fuzzing.targets import BY_NAME, TARGETS

from ludometer.chess.record.pgn import read_chess_games
from ludometer.errors import LudometerError, MatchDataError
from ludometer.read import read_file, read_matches
from ludometer.read.files import limits as bounds
from ludometer.read.files.damage import check_arrow, check_parquet
from ludometer.skat.reading.iss import read_skat

_CARDS = ".".join(suit + rank for suit in "CSHD" for rank in "J789QKTA")
_CALIBRATION = (
    b'{"format": "ludometer chess calibration 1", "version": "1", "conventions": {"engine": "x", "depth": 12, "nodes": '
    b'null, "mate_value": 3900}, "filters": {"skip_plies": 0, "window": null, "phase": null, "gap": %s}, "reference": '
    b'{"name": "engine", "gain": [0], "count": [1]}, "units": "player", "level": %s, "data": null, "seed": 0, '
    b'"points": [{"name": "a", "rating": 1000, "difference": -300, "error": 20}, {"name": "b", "rating": %s, '
    b'"difference": -200, "error": 20}], "held_out": {%s "n": 5, "coverage": 0.9, "rms_error": 55.0, "mean_width": %s}}'
)
_HELD = b'"n_refused": 1,'
_XSKAT = (
    " Computer1   Computer2   Computer3\n\n" + "-" * 40 + "\n"
    "  CLUB J      Diamond 7   Diamond_A\n  SPADE J     Heart J     Heart 7\n  SPADE A     Spade 9     Spade 8\n"
    "  CLUB A      Club 8      Club 7\n  Spade_7     Diamond 9   SPADE 10\n  Club 9      Heart A     CLUB 10\n"
    "  DIAMOND J   Heart 9     Heart_10\n  SPADE K     Diamond K   Diamond Q\n  SPADE Q     Heart K     Heart Q\n"
    "  Club_Q      Diamond 10  CLUB K\n{more}---- random_seed 5 0 2 -----------------\n"
    "  CLUB J      HEART J     Club 10\n  SPADE J     Club 8      Club K\n  DIAMOND J   Spade 9     Club 7\n"
    "  Club A      Heart A     Spade 10\n  Club Q      Heart K     Spade 8\n  Club 9      Heart 9     Heart 10\n"
    "  Spade A     Diamond 10  Heart Q\n  Spade K     Diamond K   Heart 7\n  Spade Q     Diamond 9   Diamond A\n"
    "  Spade 7     Diamond 7   Diamond Q\n" + "-" * 40 + "\nSkat is: Diamond 8,Heart 8\nSkat was: Heart 8,Diamond J\n"
    "Last bid: {bid}\nComputer1 played Grand\nWon with: {eyes} points\n" + "=" * 40 + "\n"
)


def _record(moves: str = "1 p 2 p 0 p", result: str = "passed") -> bytes:
    return f"(;GM[Skat]P0[a]P1[b]P2[c]MV[w {_CARDS} {moves} ]R[{result}] ;)".encode()


_SKAT = {"replay": True, "skip": True, "block": 1 << 22}
_ANY = {"skip": True, "short": "keep"}
KEPT: dict[str, tuple[str, bytes, dict[str, Any]]] = {
    "a column name without end": ("csv", b"home," + b"a" * 5_000 + b",away\nx,y,1\n", {}),
    "a column name that csv refuses": ("csv", b"home," + b"a" * 200_000 + b",away\nx,y,1\n", {}),
    "an end of line of old Macs in the header": ("csv", b"home,aw\ray,result\nAnn,Ben,1-0\n", {}),
    "a control character in a column name": ("csv", b"home,\x1b[2J\nAnn,Ben\n", {}),
    "a heading with doubled quotation marks": (
        "csv",
        b'home,away,"the ""best"""\nAnn,Ben,1-0\n',
        {"score": 'the "best"'},
    ),
    "more columns than a table has": ("csv", b"home,away,result" + b"," * 70_000 + b"\nAnn,Ben,1-0\n", {}),
    "two headings of quotation marks": ("csv", b'home,away,"""""","""""",result\nAnn,Ben,,,1-0\n', {}),
    "a format of dates that is none": ("csv", b"home,away,result,date\nAnn,Ben,1-0,x\n", {"date_format": "%H"}),
    "the same of a stream": ("stream", b"home,away,result,date\nAnn,Ben,1-0,x\n", {"date_format": "%Q"}),
    "a prize without end": ("prizes", b"place,prize\n1," + b"9" * 140_000 + b"\n", {"file": True}),
    "JSON that ends too early": ("json lines", b'{"home": "Ann", "away": "Ben", "result": 1', {}),
    "an array that ends too early": ("json array", b'[{"home": "Ann", "away": "Ben", "result": 1}', {}),
    "JSON as deep as the sea": ("json array", b"[{" + b'"a":[' * 3_000 + b"]" * 3_000 + b"}]", {}),
    "a name of many words in a filter": ("filter", b"s" + b"(" * 5_000, {}),
    "a column of a filter without end": ("filter", b"fla" + b"9" * 70_000, {}),
    "a rating system without end": ("options", b"elo:k=" + b"{" * 5_000, {"reader": "system"}),
    "a title without end": ("options", b'100"' + b'"' * 70_000, {"reader": "titles"}),
    "a move with a control character": (
        "chess games",
        b'[White "a"]\n\n1. Ab\x00 e5 *\n',
        {"replay": True, "follow": True},
    ),
    "a word without end in a game that is followed": (
        "chess games",
        b'[White "a"]\n\n' + b"," * 100_000 + b" e4",
        {"replay": False, "follow": True},
    ),
    "braces without end": ("chess games", b"e4 " + b"{" * 200_000 + b";", {"replay": False, "follow": False}),
    "a bid of 4,400 digits": ("Skat record", _record(f"1 {'1' * 4_400} 2 p 0 p"), {}),
    "a bid in other digits": ("Skat record", _record("1 ² 2 p 0 p"), {}),
    "a result of 4,400 digits": ("Skat record", _record(result=f"d:1 win v:{'9' * 4_400}"), {}),
    "a token without end": ("Skat record", _record(result="(" * 70_000), {}),
    "the same for the kernel": ("Skat server", _record(f"1 {'1' * 4_400} 2 p 0 p"), _SKAT),
    "eleven tricks": (
        "xskat log",
        _XSKAT.format(more="  CLUB J      Diamond 7   Diamond_A\n", bid=18, eyes=72).encode(),
        {},
    ),
    "a bid that no column holds": ("xskat log", _XSKAT.format(more="", bid=2**31, eyes=72).encode(), {}),
    "eyes that no column holds": ("xskat log", _XSKAT.format(more="", bid=18, eyes="1" * 40).encode(), {}),
    "gzip with a damaged middle": ("any Skat", gzip.compress(_record() * 40)[:60] + b"\xff" * 20, _ANY),
    "Zstandard with a damaged middle": ("any Skat", b"\x28\xb5\x2f\xfd\x00\x58\xff\xff\xff" + b"\xaa" * 30, _ANY),
    "bzip2 with a damaged middle": ("any Skat", b"BZh9" + b"\xaa" * 30, _ANY),
    "points that no integer holds": (
        "series",
        b"series,player,points,won,lost\n1,A,inf,1,0\n1,B,0,0,1\n1,C,0,0,0\n",
        {"record": False},
    ),
    "games that no integer holds": (
        "series",
        b"series,player,score,games\n1,A,5,1e19\n1,B,0,1\n1,C,0,1\n",
        {"record": False},
    ),
    "a score that no integer holds": (
        "series",
        b"series,player,score\n1,A,-1e308\n1,B,-inf\n1,C,0\n",
        {"record": False},
    ),
    "a number of points that overflows": ("score list", b"series,declarer,points\n1,A," + b"1" * 400 + b"\n", {}),
    "a value beyond 32 bits": ("score list", b"series,declarer,value,won\n1,A,4294967296,yes\n", {}),
    "a table of teams without rows": ("small tables", b"player,team\n", {"teams": True}),
    "a published list with infinite ratings": (
        "small tables",
        b"player,rating,series\nAnn,inf,1e300\n",
        {"teams": False},
    ),
    "a choice that no byte holds": (
        "evaluations",
        b"game,ply,player,evaluation,choice\n1,0,,0.1,1e30\n1,1,Ann,0.2,-9e99\n",
        {"drop": False},
    ),
    "material that no integer holds": (
        "evaluations",
        b"game,ply,player,evaluation,material\n1,0,,0.1,1e30\n1,1,Ann,0.2,4\n",
        {"drop": False},
    ),
    "an evaluation that overflows": (
        "evaluations",
        b"game,ply,player,evaluation,best\n1,0,,0.1,1e308\n1,1,Ann,-1e308,1\n",
        {"drop": False},
    ),
    "a gap with one end": ("calibration", _CALIBRATION % (b"[1]", b"0.95", b"1400", _HELD, b"200"), {}),
    "a check that lacks a number": ("calibration", _CALIBRATION % (b"null", b"0.95", b"1400", b"", b"200"), {}),
    "a width that is a list": ("calibration", _CALIBRATION % (b"null", b"0.95", b"1400", _HELD, b"[1]"), {}),
    "a level in words": ("calibration", _CALIBRATION % (b"null", b'"high"', b"1400", _HELD, b"200"), {}),
    "a rating that overflows": ("calibration", _CALIBRATION % (b"null", b"0.95", b"1e308", _HELD, b"200"), {}),
    "points without error": (
        "calibration",
        (_CALIBRATION % (b"null", b"0.95", b"1400", _HELD, b"200")).replace(b"20}", b"0}"),
        {},
    ),
    "half of a check on held-out units": (
        "calibration",
        (_CALIBRATION % (b"null", b"0.95", b"1400", _HELD, b"200")).replace(b"55.0", b"null"),
        {},
    ),
    "a rating of 40 digits": ("calibration", _CALIBRATION % (b"null", b"0.95", b"1" * 40, _HELD, b"200"), {}),
    "a model of lists": ("winning model", b'{"format": "FORMAT", "suit": [[1]], "normal": {}, "games": {}}', {}),
    "a model of words": ("winning model", b'{"format": "FORMAT", "suit": 5, "normal": {}, "games": {}}', {}),
    "a model without shares": ("winning model", b'{"format": "FORMAT"}', {}),
    "a model as deep as the sea": ("winning model", b'{"a":' * 100_000, {}),
    "a long record that comes byte by byte": (
        "Skat server",
        _record().replace(b"P0[a]", b"P0[" + b"a" * 140_000 + b"]"),
        {"replay": True, "skip": True, "block": 1},
    ),
    "a cache that is cut off": ("cache", b"", {"cut": 5_000}),
    "a cache with a wrong byte in its settings": ("cache", b"", {"find": b'{"depth"', "put": b'\xff"depth'}),
    "a cache with an evaluation that is none": ("cache", b"", {"find": b"e2e4 33", "put": b"e2e4x33"}),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_once_failed_is_read_or_refused_in_one_clear_message(name: str, tmp_path: Path) -> None:
    target, data, choices = KEPT[name]
    if target == "cache":
        data = _damaged_cache(choices)
    if target == "winning model":
        from ludometer.skat.luck.winning import FORMAT

        data = data.replace(b"FORMAT", FORMAT.encode())
    if target == "chess games":
        pytest.importorskip("chess", reason="python-chess is not installed")
    outcome = judge(BY_NAME[target], Input(data, choices), tmp_path)
    if outcome.kind == "slow":
        # the first to call a kernel has it compiled, which is not the input's time
        outcome = judge(BY_NAME[target], Input(data, choices), tmp_path)
    assert not outcome.is_failure, outcome


def _damaged_cache(choices: dict[str, Any]) -> bytes:
    from random import Random

    from fuzzing.targets import sound_cache

    data = sound_cache(Random(0))
    if "cut" in choices:
        return data[: choices["cut"]]
    assert choices["find"] in data
    return data.replace(choices["find"], choices["put"])


@pytest.mark.parametrize("target", [target.name for target in TARGETS])
def test_a_few_inputs_of_every_target_are_read_or_refused(target: str, tmp_path: Path) -> None:
    if target == "chess games":
        pytest.importorskip("chess", reason="python-chess is not installed")
    for seed in range(12):
        outcome = judge(BY_NAME[target], BY_NAME[target].input(seed), tmp_path)
        assert not outcome.is_failure or outcome.kind == "slow", (seed, outcome)


def test_an_input_follows_from_its_target_and_number() -> None:
    for target in TARGETS:
        assert target.input(7) == target.input(7)
        assert any(target.input(seed) != target.input(seed + 1) for seed in range(5))


def test_all_targets_together_get_as_many_inputs_as_were_asked_for() -> None:
    counts = plan(1_000_000)
    assert sum(counts.values()) >= 1_000_000
    assert counts.keys() == BY_NAME.keys()


@pytest.mark.parametrize(
    "wrong", ["", "  \n", "x" * 1_001, 'File "x.py", line 1', "panicked at", "a\x1b[2J", "<class 'int'>"]
)
def test_messages_that_are_not_for_people_are_found(wrong: str) -> None:
    assert judge_message(wrong)
    assert not judge_message("games.csv: row 3: no player; fill it in")


def zstd_bomb(head: bytes, mebibytes: int) -> bytes:
    """A frame of blocks that are one byte over and over: 4 bytes for 128 KiB."""
    out = bytearray(b"\x28\xb5\x2f\xfd\x00\x58" + struct.pack("<I", len(head) << 3)[:3] + head)
    n_blocks = 8 * mebibytes
    for place in range(n_blocks):
        out += struct.pack("<I", (1 << 17) << 3 | 1 << 1 | (place == n_blocks - 1))[:3] + b"a"
    return bytes(out)


def gzip_bomb(head: bytes, mebibytes: int) -> bytes:
    return gzip.compress(head) + gzip.compress(b"a" * (1 << 20), 9) * mebibytes


def bzip2_bomb(head: bytes, mebibytes: int) -> bytes:
    return bz2.compress(head) + bz2.compress(b"a" * (1 << 20)) * mebibytes


BOMBS = {"gzip": gzip_bomb, "Zstandard": zstd_bomb, "bzip2": bzip2_bomb}
HEADS = {"table": b"home,away,result\n", "games": b'[Event "x"]\n\n1. e4 {', "records": b"(;GM[Skat]CO["}


@pytest.mark.parametrize("packing", BOMBS)
@pytest.mark.parametrize("kind", HEADS)
def test_a_packed_file_that_swells_is_refused(
    packing: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "FREE_BYTES", 4 << 20)
    path = tmp_path / "bomb"
    path.write_bytes(BOMBS[packing](HEADS[kind], 40))
    read: Any = {"table": read_file, "games": read_chess_games, "records": read_skat}[kind]
    with pytest.raises(MatchDataError, match=r"^bomb: the packed file expands to more than 200 times its size"):
        read(path)
    if kind == "games":
        with pytest.raises(MatchDataError, match=r"^bomb: the packed file expands"):
            read_file(path)


def test_sound_files_are_unpacked_however_small_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "FREE_BYTES", 1 << 10)
    text = b"home,away,result\n" + b"".join(b"p%d,q%d,%d\n" % (n % 97, n % 89, n % 2) for n in range(20_000))
    import zstandard

    for data in (gzip.compress(text), bz2.compress(text), zstandard.ZstdCompressor().compress(text)):
        path = tmp_path / "games"
        path.write_bytes(data)
        assert len(read_matches(path)) == 20_000


def test_contents_that_do_not_fit_into_half_of_the_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "_half_of_memory", lambda: 1 << 20)
    path = tmp_path / "games.csv.gz"
    path.write_bytes(gzip.compress(b"home,away,result\n" + bytes(range(32, 127)) * 20_000))
    with pytest.raises(MatchDataError, match=r"^games.csv.gz: more than 1 MiB, half of this machine's memory"):
        read_file(path)


def test_packed_contents_come_in_the_sizes_that_are_asked_for() -> None:
    from ludometer.read.files.unpack import unpacker

    data = bytes(range(256)) * 1_000
    for packed in (gzip.compress(data), bz2.compress(data), zstd_plain(data) + zstd_plain(data[:7])):
        unpack = unpacker(packed[:4])
        assert unpack is not None
        stream = unpack(io.BytesIO(packed))
        parts = [stream.read(size) for size in (1, 1_000, 0, 99_999)]
        assert [len(part) for part in parts] == [1, 1_000, 0, 99_999]
        rest = stream.read()
        assert b"".join([*parts, rest]) == data + (data[:7] if packed.startswith(b"\x28") else b"")
        assert stream.read(5) == b""


def zstd_plain(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


_SMALL_MEMORY = """
import resource, sys
from ludometer.errors import LudometerError
from ludometer.read import read_file
from ludometer.read.files.damage import check_arrow
from ludometer.chess.record.pgn import read_chess_games
from ludometer.read.files.opening import open_source
open_source(sys.argv[1])
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (1 << 30)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for path in sys.argv[2:]:
    try:
        (read_chess_games if path.endswith(".pgn") else read_file)(path)
        print("read")
    except LudometerError as error:
        print("refused", error)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_bombs_and_giant_fields_are_refused_with_little_memory(tmp_path: Path) -> None:
    sound = tmp_path / "sound.csv"
    sound.write_bytes(b"home,away,result\nAnn,Ben,1-0\n")
    files = {
        "bomb.csv.zst": zstd_bomb(HEADS["table"], 64 << 10),
        "name.csv": b"home,away,result\n" + b"a" * 80_000_000 + b",Ben,1-0\n",
        "line.pgn": b'[Event "x"]\n\n1. e4 {' + b"a" * 80_000_000,
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    words = [sys.executable, "-c", _SMALL_MEMORY, str(sound), *(str(tmp_path / name) for name in files)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    bomb, name, line = done.stdout.splitlines()
    assert bomb.startswith("refused bomb.csv.zst: the packed file expands to more than 200 times its size")
    assert name.startswith("refused name.csv: a line is longer than 8 MiB: this is not a table")
    assert line.startswith("refused line.pgn: a line is longer than 64 MiB")


@pytest.mark.parametrize("packing", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("form", ["file", "stream"])
def test_arrow_files_are_read_and_damaged_lengths_in_them_are_refused(packing: Any, form: str, tmp_path: Path) -> None:
    rows = 500
    frame = pl.DataFrame(
        {
            "home": pl.Series(["a long name of a player"] * rows).cast(pl.Categorical),
            "away": ["another long name"] * rows,
            "result": [1, 0] * (rows // 2),
        }
    )
    out = io.BytesIO()
    (frame.write_ipc if form == "file" else frame.write_ipc_stream)(out, compression=packing)
    data = out.getvalue()
    path = tmp_path / "games.arrow"
    path.write_bytes(data)
    assert len(read_matches(path)) == rows
    reasons = []
    for place in range(0, len(data) - 8, 8):
        damaged = data[:place] + struct.pack("<q", 1 << 60) + data[place + 8 :]
        try:
            check_arrow(np.frombuffer(damaged, np.uint8))
        except MatchDataError as error:
            reasons.append(str(error))
    assert set(reasons) == {"cannot be read: its contents are damaged"}
    assert len(reasons) >= 3


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_giant_field_is_refused_with_its_row_in_every_format(suffix: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"home": ["Ann", "x" * 70_000], "away": ["Ben", "Cem"], "result": ["1-0", "0-1"]})
    path = tmp_path / f"games.{suffix}"
    writers: dict[str, Any] = {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}
    writers[suffix](path)
    with pytest.raises(LudometerError, match=rf"^games.{suffix}: row 2: home has 70,000 bytes"):
        read_matches(path)


def _typed(rows: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "home": pl.Series([f"player {row % 7}" for row in range(rows)]).cast(pl.Categorical),
            "away": [None if row % 5 == 0 else f"another {row % 3}" for row in range(rows)],
            "result": [row % 2 for row in range(rows)],
            "moves": [[row] * (row % 3) for row in range(rows)],
            "place": [{"town": "Ulm", "board": row} for row in range(rows)],
        }
    )


@pytest.mark.parametrize("packing", ["uncompressed", "snappy", "gzip", "lz4", "zstd", "brotli"])
@pytest.mark.parametrize("rows", [0, 1, 20_000])
def test_sound_parquet_files_pass_the_look_at_their_numbers(packing: Any, rows: int) -> None:
    out = io.BytesIO()
    _typed(rows).write_parquet(out, compression=packing, row_group_size=3_000, data_page_size=500)
    check_parquet(np.frombuffer(out.getvalue(), np.uint8))


def test_damaged_numbers_in_a_parquet_file_are_refused() -> None:
    out = io.BytesIO()
    _typed(40).write_parquet(out, compression="uncompressed")
    data, reasons = out.getvalue(), []
    for place in range(4, len(data)):
        for change in (b"\x1d", b"\xff\xff\xff\xff\xff\xff\xff\xff\x01"):
            damaged = data[:place] + change + data[place + len(change) :]
            try:
                check_parquet(np.frombuffer(damaged, np.uint8))
            except MatchDataError as error:
                reasons.append(str(error))
    assert set(reasons) == {"cannot be read: its contents are damaged"}
    # the rest of the file are values
    assert len(reasons) > len(data) // 4


def test_a_parquet_file_with_any_byte_damaged_is_read_or_refused(tmp_path: Path) -> None:
    """A negative number of values in a page once ended the process."""
    out = io.BytesIO()
    frame = pl.DataFrame({"home": ["Ann", "Ben", None], "away": ["Cem", "Ann", "Ben"], "result": ["1-0", "0-1", "1-0"]})
    frame.write_parquet(out, compression="gzip")
    data, path = out.getvalue(), tmp_path / "games.parquet"
    for place in range(4, len(data) - 8):
        path.write_bytes(data[:place] + b"\x1d" + data[place + 1 :])
        outcome = judge(BY_NAME["parquet"], Input(path.read_bytes(), {"suffix": ".parquet"}), tmp_path)
        assert not outcome.is_failure, (place, outcome)


def test_a_parquet_file_that_swells_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    pl.select(home=pl.repeat("Ann", 2_000_000), result=pl.repeat(1, 2_000_000)).write_parquet(out, compression="zstd")
    data = np.frombuffer(out.getvalue(), np.uint8)
    check_parquet(data)
    monkeypatch.setattr("ludometer.read.files.damage.FREE_ROWS", 1_000_000)
    with pytest.raises(MatchDataError, match=r"2,000,000 rows in .* more than 64 per byte"):
        check_parquet(data)


@pytest.mark.parametrize("name", ["games.parquet", "games.pq"])
def test_an_empty_parquet_file_is_called_empty(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(MatchDataError, match=f"{name}: the file is empty"):
        read_matches(tmp_path / name)
