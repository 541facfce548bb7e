"""The PGN machine does what its plain twin does, wherever its blocks end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludometer.kernels.text.pgn import TAGS, scan_headers, scan_headers_plain

if TYPE_CHECKING:
    from collections.abc import Iterator

GAME = b'[Event "e"]\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
SAME = {"Event": "e", "White": "a", "Black": "b", "Result": "1-0"}

RULES: dict[str, tuple[bytes, list[dict[str, str]]]] = {
    "nothing": (b"", []),
    "blank": (b" \n\r\n\t", []),
    "text without a tag": (b"1. e4 e5 {a} 1-0\n", []),
    "two games": (GAME + GAME, [SAME, SAME]),
    "last line without its end": (GAME.rstrip(), [SAME]),
    "CR LF": ((GAME + GAME).replace(b"\n", b"\r\n"), [SAME, SAME]),
    "CR": ((GAME + GAME).replace(b"\n", b"\r"), [SAME, SAME]),
    "byte order mark": (b"\xef\xbb\xbf" + GAME, [SAME]),
    "files with byte order marks glued together": ((b"\xef\xbb\xbf" + GAME) * 2, [SAME, SAME]),
    "byte order mark before an escaped line": (b"\xef\xbb\xbf% [White 1]\n" + GAME, [SAME]),
    "white space before a tag": (b' \t[White "a"]', [{"White": "a"}]),
    "white space in a tag": (b'[ White\t "a" ] [Black"b"]', [{"White": "a", "Black": "b"}]),
    "several tags on a line": (b'[White "a"][Black "b"]  [Result "*"]', [{"White": "a", "Black": "b", "Result": "*"}]),
    "tag after text on its line": (b'[White "a"]\n1. e4 [Black "b"]', [{"White": "a"}]),
    "unknown tags": (b'[Annotator "x"]\n[White "a"]\n[Whites "x"]\n[white "x"]', [{"White": "a"}]),
    "only unknown tags": (b'[Annotator "x"]\n1. e4\n[Annotator "x"]', [{}, {}]),
    "long tag name": (b'[TerminationTermination "x"][Termination "y"]', [{"Termination": "y"}]),
    "escapes": (b'[White "a\\"b\\\\c\\d"]', [{"White": 'a"b\\c\\d'}]),
    "escape at the end": (b'[White "a\\\n[Black "b\\\\"]', [{"White": "a\\", "Black": "b\\"}]),
    "escape in an unknown tag": (b'[X "\\"] [Black "]\n[White "a"]', [{"White": "a"}]),
    "control bytes": (b'[White "a\tb\x00c\x1bd"]', [{"White": "a b c d"}]),
    "text after the value": (b'[White "a" x{y;] [Black "b"]', [{"White": "a", "Black": "b"}]),
    "empty value": (b'[White ""]', [{}]),
    "quote not closed": (b'[White "a]\n[Black "b\n[Site "c ] \r\n', [{"White": "a", "Black": "b", "Site": "c "}]),
    "no tags": (b'[White "a"]\n[Black]\n[Black b]\n["b"]\n[]\n[%clk 1]\n[\n[Site "s"]', [{"White": "a", "Site": "s"}]),
    "no tag starts a comment": (b'[White "a"]\n[%x {\n[Site "s"]\n} [Site "t"]', [{"White": "a"}]),
    "tag repeats": (b'[White "a"]\n[Site "s"]\n[Site "t"]', [{"White": "a", "Site": "t"}]),
    "headers only": (
        b'[White "a"]\n[Black "b"]\n[White "c"]\n[Result "*"]\n[Result "1-0"]\n[Event "e"]\n[Event "f"]',
        [{"White": "a", "Black": "b"}, {"White": "c", "Result": "*"}, {"Result": "1-0", "Event": "e"}, {"Event": "f"}],
    ),
    "tag after movetext": (b'[Site "a"]\n*\n[Site "b"]', [{"Site": "a"}, {"Site": "b"}]),
    "tag after movetext after a comment": (b'[Site "a"]\n{x} *\n[ECO "b"]', [{"Site": "a"}, {"ECO": "b"}]),
    "comments among tags": (
        b'[Site "a"]\n; x\n{y}\n% z\n[ECO "b"] ;{\n[White "w"] {x\n}\n[Black "b"]',
        [{"Site": "a", "ECO": "b", "White": "w", "Black": "b"}],
    ),
    "comment over lines": (b'[White "a"]\n1. e4 {x\n[White "b"]\n\n[White "c"]\n} e5\n' + GAME, [{"White": "a"}, SAME]),
    "comments in a long line": (
        b'[White "a"]\n' + b"1. e4 {[%clk 0:01]} e5 " * 20 + b"\n" + GAME,
        [{"White": "a"}, SAME],
    ),
    "brace in a line comment": (b'[White "a"]\n1. e4 ; {\n' + GAME, [{"White": "a"}, SAME]),
    "semicolon in a comment": (b'[White "a"]\n1. e4 {;} [\n' + GAME, [{"White": "a"}, SAME]),
    "line comment in a value": (b'[White "a;b{c"]', [{"White": "a;b{c"}]),
    "escaped line": (b'% [White "x"]\n' + GAME + b'%{\n% [White "x"]\n' + GAME, [SAME, SAME]),
    "percent sign elsewhere": (b'[Site "a"]\n %\n[Site "b"]', [{"Site": "a"}, {"Site": "b"}]),
    "percent sign in a comment": (b'[Site "a"]\n{\n%}\n[ECO "b"]', [{"Site": "a", "ECO": "b"}]),
    "comment not closed": (b'[White "a"]\n1. e4 {x\n\n' + GAME, [{"White": "a"}, SAME]),
    "comment not closed, CR LF": (b'[White "a"]\r\n1. e4 {x\r\n \r\n' + GAME, [{"White": "a"}, SAME]),
    "comment not closed, CR": (b'[White "a"]\r{x\r\r' + GAME, [{"White": "a"}, SAME]),
    "comment with a header but no blank line": (
        b'[White "a"]\r\n1. e4 {x\r\n[Event "x"]}\r\n' + GAME,
        [{"White": "a"}, SAME],
    ),
    "comment with an indented header": (b'[White "a"]\n{x\n\n [Event "x"]}\n*\n' + GAME, [{"White": "a"}, SAME]),
    "comment with half a header": (b'[White "a"]\n{x\n\n[Eve\n\n[Event}\n*\n' + GAME, [{"White": "a"}, SAME]),
    "comment before the first tag": (b"{x\n\n" + GAME, [SAME]),
}


def write_lines(games: list[dict[str, str]]) -> bytes:
    return "".join("\t".join(game.get(tag, "") for tag in TAGS) + "\n" for game in games).encode()


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@pytest.mark.parametrize("rule", RULES)
def test_machine_and_twin_keep_each_rule(rule: str) -> None:
    data, games = RULES[rule]
    assert scan_headers_plain(data) == write_lines(games)
    for size in (1, 2, 3, 7, 1000):
        assert b"".join(scan_headers(cut(data, size))) == write_lines(games)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("12345678", "12345678"),
        ("123456789", "12345678"),
        ("123456é", "123456é"),
        ("1234567é", "1234567"),
        ("123456é9", "123456"),
        ("12345€9", "12345"),
        ("123456€", "123456"),
        ("1234\U0001f6009", "1234"),
        ("1234567\\\\", "1234567\\"),
        ("12345678\\\\", "12345678"),
        ("1234567\\8", "1234567\\"),
        ("1234567]", "1234567]"),
    ],
)
def test_overlong_value_ends_with_a_whole_character(value: str, kept: str) -> None:
    data = f'[White "{value}"][Black "b"]'.encode()
    expected = write_lines([{"White": kept, "Black": "b"}])
    assert scan_headers_plain(data, value_bytes=8) == expected
    for size in (1, 2, 1000):
        assert b"".join(scan_headers(cut(data, size), value_bytes=8)) == expected


def test_lines_come_out_whole_when_the_room_for_them_is_short() -> None:
    data = GAME * 100
    room = len(TAGS) * 9
    pieces = list(scan_headers([data], out_bytes=room, value_bytes=8))
    assert len(pieces) > 1
    assert all(piece.endswith(b"\n") and len(piece) <= room for piece in pieces)
    assert b"".join(pieces) == write_lines([SAME] * 100)


def test_blocks_may_be_empty_or_writable() -> None:
    assert b"".join(scan_headers([b"", bytearray(GAME), b"", GAME])) == write_lines([SAME, SAME])


def test_machine_is_its_twin_for_each_byte_at_each_place() -> None:
    places = [
        b"",
        b" ",
        b'[X ""]',
        b"{x}",
        b"1",
        b";",
        b"%",
        b"[",
        b"[S",
        b"[Site ",
        b'[Site "',
        b'[Site "s',
        b'[Site "s\\',
    ]
    places += [b'[Site "s"', b"{", b"{x\n", b"{x\r", b"{x\r\n", b"{x\n ", b"{x\n\n", b"{x\r\r", b"{x\r\n\r\n"]
    places += [b"{\n\n" + b'[Event "'[:length] for length in range(1, 9)]
    bytes_ = b' \t\v\f\r\n"[]\\{};%aSEvent0_+#=:-.\x00\x7f\xef\xbb\xbf\xff'
    probes = [
        b'b"]\n[Round "r"]',
        b'\n[Round "r"]',
        b'\n[Event "e"]',
        b'\n\n[Event "e"]',
        b'}\n[Round "r"]',
        b' "v"][Round "r"]',
    ]
    probes += [
        b'[Event "e"]',
        b'vent "e"]',
        b'} 1\n[Round "r"]',
        b'1\n[Round "r"]',
        b'\n%\n[Round "r"]',
        b'{\n[Round "r"]',
        b'Site "t"]',
        b'%\n[Round "r"]',
        b'\r[Event "e"]',
    ]
    for place in places:
        for byte in bytes_:
            for probe in probes:
                data = b'[ECO "a"]\n' + place + bytes([byte]) + probe
                assert b"".join(scan_headers([data], value_bytes=8)) == scan_headers_plain(data, value_bytes=8), data


SOUP = st.lists(
    st.sampled_from(
        [b'[Event "', b'[White "', b'[Black "x"]', b'[Result "1-0"]', b'[Site "s"]', b'[A "b"]', b"UTCDate", b"White"]
        + [
            b'\n\n[Event "',
            b"\n\n",
            b"\n",
            b"\r\n",
            b"\r",
            b"\n[",
            b"\n{",
            b'"]',
            b"1. e4 ",
            b"0123456789",
            b"{[%clk 0:01]}",
        ]
        + [bytes([byte]) for byte in b'"][\\{};% \t\v\x00a-\xef\xbb\xbf\xc3\xa9\xff']
    ),
    max_size=60,
).map(b"".join)


@settings(deadline=None, derandomize=True, max_examples=800)
@given(data=SOUP, size=st.sampled_from([1, 2, 3, 5, 7, 64, 1000]))
def test_machine_is_its_twin(data: bytes, size: int) -> None:
    found = b"".join(scan_headers(cut(data, size), out_bytes=1, value_bytes=8))
    assert found == scan_headers_plain(data, value_bytes=8)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(data=st.binary(max_size=400), size=st.integers(1, 50))
def test_any_bytes_can_be_read(data: bytes, size: int) -> None:
    found = b"".join(scan_headers(cut(b'[White "' + data, size), value_bytes=16))
    assert found == scan_headers_plain(b'[White "' + data, value_bytes=16)
