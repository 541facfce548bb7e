"""Damage: what goes wrong with a text or a binary file, from one wrong byte to a wrong encoding."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Callable, Sequence
from random import Random

Mutation = Callable[[bytes, Random], bytes]

NUMBERS = (
    *(
        "0",
        "1",
        "-1",
        "2",
        "0.5",
        "1e308",
        "-1e308",
        "1e400",
        "1e-400",
        "nan",
        "NaN",
        "-nan",
        "inf",
        "-inf",
        "Infinity",
    ),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "4294967296"),
    *("2147483648", "1" * 40, "1" * 4_400, "0x10", "1_000", "1,5", "1.5.2", "+1", "--1", "1e", "٣", "½", "１", "−3"),
    *("00000000000000000001", "1e999999999", "0.1e-1", "1.", ".5", "5%", "1/2", "1/0", "-0", "1e18", "127", "128"),
)
DATES = (
    *("2020-01-31", "2020-02-30", "2020-13-01", "0000-00-00", "9999-12-31", "10000-01-01", "-0001-01-01", "1-1-1"),
    *("31.12.1999", "12/31/1999", "31/12/1999", "1/2/03", "01-02-2003", "2020.??.??", "????.??.??", "2020", "2020-01"),
    *("2020-01-01T00:00:00Z", "2020-01-01 25:61:61", "2020-01-01T00:00:00+99:99", "2020-01-01 00:00:00.123456789"),
    *("292278994-08-17", "1677-09-21", "2262-04-12 00:00:00", "Jan 1 2020", "2020-06-30 23:59:60", "2020-W01-1"),
)
WORDS = (
    *("", " ", "\t", "null", "None", "NULL", "true", "false", "*", "?", "-", "=cmd()", "@x", "draw", "W", "L", "1-0"),
    *("0-1", "1/2-1/2", "3:1", "99999999999999999999-1", "<script>alert(1)</script>", "</script>", '"', '""', "'"),
    *("\x1b[2J", "\u202eabc", "\u200f", "\u2028", "\u2029", "\ufeff", "\x00", "\x7f", "\x85", "\xa0", "é", "ß", "İ"),
    *("😀", "a\u0301", "\ud7ff", "\U0010ffff", "{}", "[]", "{%s}", "%n", "$(id)", "`id`", "../..", "a" * 300, "^.*$"),
    *("\r", "\n", "\r\n", "\f", "\v", "\x1a", "\x1c", "[Event", "(;", "random_seed", "PAR1", "ARROW1", "\\", "\\u0000"),
)
PIECES = tuple(piece.encode() for piece in (*NUMBERS, *DATES, *WORDS))
MARKS = tuple(
    mark.encode()
    for mark in (",", ";", "\t", "|", '"', "'", "\n", "\r\n", "\r", " ", "[", "]", "{", "}", "(", ")", ":")
)
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff", b"+/v8", b"\xef\xbb")


def mutate(data: bytes, rng: Random, mutations: Sequence[Mutation], *, most: int = 5) -> bytes:
    """Damage data some times over, often not at all: what is whole has to be read too."""
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3, most))):
        data = rng.choice(mutations)(data, rng)
    return data[:_LARGEST]


_LARGEST = 1 << 20
"""Inputs stay small; large ones are tested one by one."""


def _place(data: bytes, rng: Random) -> int:
    return rng.randrange(len(data) + 1)


def flip(data: bytes, rng: Random) -> bytes:
    """A few bytes wrong."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if out:
            at = rng.randrange(len(out))
            out[at] = rng.choice((out[at] ^ (1 << rng.randrange(8)), rng.randrange(256), 0, 255))
    return bytes(out)


def truncate(data: bytes, rng: Random) -> bytes:
    """Cut off, at either end."""
    at = _place(data, rng)
    return data[:at] if rng.random() < 0.8 else data[at:]


def remove(data: bytes, rng: Random) -> bytes:
    """A piece lost."""
    at = _place(data, rng)
    return data[:at] + data[at + rng.choice((1, 2, 8, 60)) :]


def duplicate(data: bytes, rng: Random) -> bytes:
    """A piece twice, or many times."""
    at, size = _place(data, rng), rng.choice((1, 4, 30, 200))
    return data[:at] + data[at : at + size] * rng.choice((2, 2, 3, 40)) + data[at + size :]


def splice(data: bytes, rng: Random) -> bytes:
    """A piece moved elsewhere."""
    at, size, to = _place(data, rng), rng.choice((1, 5, 50)), _place(data, rng)
    return data[:to] + data[at : at + size] + data[to:]


def insert(data: bytes, rng: Random) -> bytes:
    """An odd word somewhere."""
    at = _place(data, rng)
    return data[:at] + rng.choice((PIECES, MARKS))[rng.randrange(len(MARKS))] + data[at:]


def insert_piece(data: bytes, rng: Random) -> bytes:
    """An odd number, date or name somewhere."""
    at = _place(data, rng)
    return data[:at] + rng.choice(PIECES) + data[at:]


def swap_lines(data: bytes, rng: Random) -> bytes:
    """Two lines change places."""
    lines = data.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def drop_line(data: bytes, rng: Random) -> bytes:
    """A line lost, or empty."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    lines[at : at + 1] = rng.choice(([], [b""], [b"   "], [lines[at], lines[at]]))
    return b"\n".join(lines)


def replace_field(data: bytes, rng: Random) -> bytes:
    """A cell that holds something else."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    mark = max((b",", b";", b"\t", b" ", b":"), key=lines[at].count)
    fields = lines[at].split(mark)
    place = rng.randrange(len(fields))
    new = rng.choice(PIECES) if rng.random() < 0.8 else rng.choice(fields)
    fields[place : place + 1] = rng.choice(([new], [new], [new], [], [fields[place], new]))
    lines[at] = mark.join(fields)
    return b"\n".join(lines)


def change_marks(data: bytes, rng: Random) -> bytes:
    """Another separator, quote or end of lines, everywhere or from some place on."""
    at = rng.choice((0, 0, _place(data, rng)))
    return data[:at] + data[at:].replace(rng.choice(MARKS), rng.choice(MARKS))


def mix_line_ends(data: bytes, rng: Random) -> bytes:
    """Each line ends in its own way."""
    ends = (b"\n", b"\r\n", b"\r", b"\n\n", b"\x0b", b"\xe2\x80\xa8")
    return b"".join(line + rng.choice(ends) for line in data.split(b"\n"))


def quote(data: bytes, rng: Random) -> bytes:
    """A quotation mark that opens, closes or does neither."""
    at = _place(data, rng)
    return data[:at] + rng.choice((b'"', b'""', b"'", b'\\"', b'"""')) + data[at:]


def mark_order(data: bytes, rng: Random) -> bytes:
    """A byte order mark, where it belongs or not."""
    at = rng.choice((0, 0, _place(data, rng)))
    return data[:at] + rng.choice(_BOMS) + data[at:]


def recode(data: bytes, rng: Random) -> bytes:
    """Text in another encoding."""
    text = data.decode("utf-8", "replace")
    name = rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "utf-7", "cp037"))
    return text.encode(name, "replace")


def lengthen(data: bytes, rng: Random) -> bytes:
    """A field that is very long."""
    at = _place(data, rng)
    return (
        data[:at]
        + rng.choice((b"a", b"9", b'"', b"\xc3\xa9", b"(", b"{", b","))
        * rng.choice((300, 300, 300, 300, 5_000, 70_000))
        + data[at:]
    )


def nest(data: bytes, rng: Random) -> bytes:
    """Brackets within brackets."""
    depth, at = rng.choice((3, 3, 100, 100, 3_000)), _place(data, rng)
    opening, closing = rng.choice(
        ((b"[", b"]"), (b"{", b"}"), (b"(", b")"), (b'{"a":', b"}"), (b"[[{", b"}]]"), (b"not (", b")"))
    )
    return (
        data[:at] + opening * depth + rng.choice((b"", b"1")) + closing * rng.choice((depth, depth - 1, 0)) + data[at:]
    )


def sprinkle_nul(data: bytes, rng: Random) -> bytes:
    """Bytes that are not text."""
    at = _place(data, rng)
    return (
        data[:at]
        + rng.choice((b"\x00", b"\x01\x02", b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xf8\x88")) * rng.choice((1, 5))
        + data[at:]
    )


BYTES: tuple[Mutation, ...] = (flip, flip, flip, truncate, remove, duplicate, splice)
TEXT: tuple[Mutation, ...] = (
    *(flip, truncate, remove, duplicate, splice, insert, insert_piece, insert_piece, swap_lines, drop_line),
    *(replace_field, replace_field, replace_field, change_marks, mix_line_ends, quote, mark_order, recode, lengthen),
    *(nest, sprinkle_nul),
)


def pack(data: bytes, rng: Random) -> bytes:
    """Packed in one of the ways that are read, or in one that is not."""
    import zstandard

    packed = rng.choice(
        (
            lambda: gzip.compress(data, 1),
            lambda: gzip.compress(data[:20], 1) + gzip.compress(data[20:], 1),
            lambda: zstandard.ZstdCompressor(level=1).compress(data),
            lambda: zstandard.ZstdCompressor(level=1, write_checksum=True).compress(data) * 2,
            lambda: bz2.compress(data, 1),
            lambda: zlib.compress(data, 1),
            lambda: gzip.compress(gzip.compress(data, 1), 1),
        )
    )()
    return mutate(packed, rng, BYTES, most=2) if rng.random() < 0.5 else packed
