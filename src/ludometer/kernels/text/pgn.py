"""A byte machine that turns blocks of PGN text into one line of tab-separated tag values per game, and its plain twin.

The rules both follow:

* A tag is `[Name "value"]` where a line has had nothing but white space and other tags so far. `\\"` and `\\\\` in a
  value are unescaped; control bytes become spaces; a value without its closing quote ends with its line (and gives
  up the `]` at its end); of an overlong value the first bytes are kept, down to a whole UTF-8 character.
* Of a tag that repeats within a game the last value counts, but a second Event, White, Black or Result opens a new
  game, as does any tag after movetext. What looks like a tag but is none is skipped and counts for nothing.
* `{...}` is a comment wherever a tag or a move could stand, and may span lines. If its closing brace was forgotten, a
  line that starts with `[Event "` after a blank line ends it and opens a new game.
* `;` comments the rest of its line, `%` in column 0 the whole line. Comments are not movetext; all else is.
* A byte order mark before any line is skipped, since files are often glued together. CR, LF and CR LF end a line.
* Text before the first tag belongs to no game; one tag makes a game.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ludometer.kernels.runtime.compile import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from ludometer.arrays import Counts

    Bytes = NDArray[np.uint8]

TAGS = (
    *("White", "Black", "Result", "Date", "WhiteElo", "BlackElo", "Event", "Site", "Round", "ECO", "TimeControl"),
    *("UTCDate", "UTCTime", "Variant", "Termination", "WhiteTitle", "BlackTitle", "FEN"),
)
"""The tags that are kept, in the order in which a line holds them."""

VALUE_BYTES = 4096
"""How much of one tag's value is kept."""

_N_TAGS = len(TAGS)
_OPENERS = sum(1 << TAGS.index(tag) for tag in ("Event", "White", "Black", "Result"))
"""The tags, as bits, that no game has twice."""

_WORD = 7
# A name is compared as two numbers of seven bytes each: int64 never overflows, not even where Numba is switched off.
_LOW_WORDS = np.array([int.from_bytes(tag.encode()[:_WORD], "big") for tag in TAGS], np.int64)
_HIGH_WORDS = np.array([int.from_bytes(tag.encode()[_WORD:], "big") for tag in TAGS], np.int64)
_EVENT_WORD = int.from_bytes(b"Event", "big")

# What the machine remembers from block to block; from _LENGTHS on, the length of each column's value.
_MODE, _OPEN, _MOVES, _SEEN, _COLUMN, _LOW, _HIGH, _NAMED, _LENGTH, _WRITTEN, _LENGTHS = range(11)

# Where the machine is. Outside: at the start of a line, after white space or a tag, after a comment, in text, in the
# rest of a line that does not matter.
_LINE, _LEAD, _AFTER, _TEXT, _SKIP = range(5)
# In a tag: before, in and after its name, at the quote, in the value, after a backslash, after the value.
_TAG, _NAME, _GAP, _QUOTE, _VALUE, _ESCAPE, _CLOSE = range(5, 12)
# In a comment: in a line, at its start after a line with text (ended by CR or LF), after white space, at its start
# after a blank line (ended by CR or LF), and after each byte of `[Event "`, the last of which is at the quote.
_NOTE, _NOTE_CR, _NOTE_LF, _NOTE_WHITE, _BLANK_CR, _BLANK_LF, _RESCUE = range(12, 19)
_N_MODES = _RESCUE + len("[Event ")

_HOLD = 64
"""Added to the next mode where the byte is to be looked at again in that mode."""
_MOVE = 128
"""Added to the next mode where movetext begins."""


def scan_headers(
    blocks: Iterable[bytes | bytearray], *, out_bytes: int = 4 << 20, value_bytes: int = VALUE_BYTES
) -> Iterator[bytes]:
    """Yield lines of tab-separated values in the order of `TAGS`, one per game, some MiB of them at a time.

    Where one block ends and the next begins makes no difference to the lines.
    """
    state = np.zeros(_LENGTHS + _N_TAGS, np.int64)
    fields = np.zeros((_N_TAGS, value_bytes), np.uint8)
    out = np.empty(max(out_bytes, _N_TAGS * (value_bytes + 1)), np.uint8)
    # The last line may lack its end.
    for block in chain(blocks, (b"\n",)):
        if not block:
            continue
        array = np.frombuffer(block, np.uint8)
        # Else a bytearray would make Numba compile everything a second time.
        array.flags.writeable = False
        at = 0
        while (at := scan_block(array, at, state, fields, out)) < array.size:
            yield _take(state, out)
    if state[_OPEN]:
        if not _write_row(state, fields, out):
            yield _take(state, out)
            _write_row(state, fields, out)
        yield _take(state, out)


# One long function: each call of a smaller one that is given arrays costs as much as some thirty bytes do here.
@kernel
def scan_block(block: Bytes, at: int, state: Counts, fields: Bytes, out: Bytes) -> int:  # noqa: PLR0912, PLR0915
    """Run over a block from `at`; return its size, or the place to go on from once `out` has been emptied."""
    size, limit = block.size, fields.shape[1]
    mode, column, length = state[_MODE], state[_COLUMN], state[_LENGTH]
    low, high, named = state[_LOW], state[_HIGH], state[_NAMED]
    # Where the compiler knows that no index is negative, it need not ask whether one counts from the end.
    at = max(at, 0)
    while at < size:
        if mode == _VALUE and column < _N_TAGS:
            while at < size and _TABLE[_VALUE, block[at]] == _VALUE:
                if length < limit:
                    fields[column, length] = max(block[at], 32)
                length += 1
                at += 1
        elif mode == _NAME:
            while at < size and _TABLE[_NAME, block[at]] == _NAME:
                if named < _WORD:
                    low = low << 8 | np.int64(block[at])
                elif named < 2 * _WORD:
                    high = high << 8 | np.int64(block[at])
                named += 1
                at += 1
        while at < size and _TABLE[mode, block[at]] == mode:
            at += 1
        if at == size:
            break
        step = _TABLE[mode, block[at]]
        to = step & (_HOLD - 1)
        if step & _MOVE:
            state[_MOVES] = 1
        if to == _TAG:
            low = high = named = 0
        elif to == _QUOTE and mode >= _RESCUE:
            low, high = _EVENT_WORD, 0
        elif mode == _QUOTE:
            tag = _find_column(low, high)
            is_new = state[_MOVES] or (1 << tag) & _OPENERS & state[_SEEN]
            if is_new and state[_OPEN] and not _write_row(state, fields, out):
                break
            state[_OPEN] = 1
            state[_MOVES] = 0
            state[_SEEN] |= 1 << tag
            column, length = tag, 0
        elif mode == _ESCAPE:
            if column < _N_TAGS and length < limit:
                fields[column, length] = 92 if step & _HOLD else block[at]
            length += 1
        elif mode == _VALUE and to != _ESCAPE and column < _N_TAGS:
            if to == _LINE or length > limit:
                length = _trim(fields[column], length, to == _CLOSE)
            state[_LENGTHS + column] = length
        mode = to
        at += 0 if step & _HOLD else 1
    state[_MODE], state[_COLUMN], state[_LENGTH] = mode, column, length
    state[_LOW], state[_HIGH], state[_NAMED] = low, high, named
    return at


def scan_headers_plain(data: bytes, *, value_bytes: int = VALUE_BYTES) -> bytes:
    """Do what `scan_headers` does, line by line, for a whole file at once: the twin that tests compare it with."""
    games: list[dict[bytes, bytes]] = []
    moves = in_comment = after_blank = False
    for line in re.split(rb"\r\n|\r|\n", data):
        if in_comment:
            if after_blank and line.startswith(b'[Event "'):
                in_comment, moves, may_be_tag, rest = False, True, True, line
            else:
                after_blank = not line.strip(b" \t\v\f")
                in_comment, may_be_tag, rest = b"}" not in line, False, line.partition(b"}")[2]
        else:
            rest = line.lstrip(b"\xef\xbb\xbf")
            may_be_tag = True
            if rest.startswith(b"%"):
                continue
        while not in_comment and (rest := rest.lstrip(b" \t\v\f")) and not rest.startswith(b";"):
            if may_be_tag and (tag := _PLAIN_TAG.match(rest)):
                name, value = tag["name"], _clean_plain(tag["value"], tag["end"] is not None, value_bytes)
                repeats = name in (b"Event", b"White", b"Black", b"Result") and games and name in games[-1]
                if not games or moves or repeats:
                    games.append({})
                games[-1][name] = value
                moves, rest = False, rest[tag.end() :]
                continue
            moves = moves or not (rest.startswith(b"{") or (may_be_tag and rest.startswith(b"[")))
            stop = re.search(rb"[{;]", rest)
            if stop is None or stop[0] == b";":
                break
            _, brace, rest = rest[stop.end() :].partition(b"}")
            in_comment, may_be_tag, after_blank = not brace, False, False
    return b"".join(b"\t".join(game.get(tag.encode(), b"") for tag in TAGS) + b"\n" for game in games)


_PLAIN_TAG = re.compile(
    rb"""\[[ \t\v\f]* (?P<name>[\w+\#=:-]+) [ \t\v\f]* " (?P<value>(?:\\["\\]|[^"])*) (?P<end>"[^]]*\]?)?""", re.X
)


def _clean_plain(value: bytes, closed: bool, value_bytes: int) -> bytes:
    value = re.sub(rb"[\x00-\x1f]", b" ", re.sub(rb'\\(["\\])', rb"\1", value))
    kept = value[:value_bytes]
    if not closed:
        kept = kept.rstrip(b" ").removesuffix(b"]")
    return kept if len(value) <= value_bytes else re.sub(rb"[\xc0-\xff]?[\x80-\xbf]*\Z", b"", kept, count=1)


def _take(state: Counts, out: Bytes) -> bytes:
    lines = out[: state[_WRITTEN]].tobytes()
    state[_WRITTEN] = 0
    return lines


@kernel
def _find_column(low: int, high: int) -> int:
    # Unknown tags share one column more, which no line holds.
    found = _N_TAGS
    for column in range(_N_TAGS):
        if _LOW_WORDS[column] == low and _HIGH_WORDS[column] == high:
            found = column
    return found


@kernel
def _trim(field: Bytes, length: int, closed: bool) -> int:
    """Return how much to keep of a value that is overlong or lacks its closing quote."""
    kept = min(length, field.size)
    if not closed:
        while kept > 0 and field[kept - 1] == 32:
            kept -= 1
        if kept > 0 and field[kept - 1] == 93:
            kept -= 1
    if length > field.size:
        # A character cut in two would make the whole field invalid UTF-8.
        while kept > 0 and 0x80 <= field[kept - 1] < 0xC0:
            kept -= 1
        if kept > 0 and field[kept - 1] >= 0xC0:
            kept -= 1
    return kept


@kernel
def _write_row(state: Counts, fields: Bytes, out: Bytes) -> bool:
    """Append the game to `out` and clear it; return False, and do nothing, where there might be no room for it."""
    to = state[_WRITTEN]
    if out.size - to < _N_TAGS * (fields.shape[1] + 1):
        return False
    for column in range(_N_TAGS):
        for i in range(state[_LENGTHS + column]):
            out[to] = fields[column, i]
            to += 1
        out[to] = 9
        to += 1
        state[_LENGTHS + column] = 0
    out[to - 1] = 10
    state[_WRITTEN] = to
    state[_SEEN] = 0
    return True


def _build_table() -> Bytes:
    """Lay out which mode each byte leads to from each mode."""
    white, line_end, name = b" \t\v\f", b"\r\n", b"+#=:-_0123456789" + bytes(range(65, 91)) + bytes(range(97, 123))
    table = np.empty((_N_MODES, 256), np.uint8)

    def lead(modes: Iterable[int], others: int, *steps: tuple[bytes, int]) -> None:
        for mode in modes:
            table[mode] = others
            for members, step in steps:
                table[mode, list(members)] = step

    always = (line_end, _LINE), (b"{", _NOTE), (b";", _SKIP)
    lead([_LINE], _TEXT | _MOVE, *always, (white, _LEAD), (b"[", _TAG), (b"%", _SKIP), (b"\xef\xbb\xbf", _LINE))
    lead([_LEAD], _TEXT | _MOVE, *always, (white, _LEAD), (b"[", _TAG))
    lead([_AFTER], _TEXT | _MOVE, *always, (white, _AFTER))
    lead([_TEXT], _TEXT, *always)
    lead([_SKIP], _SKIP, (line_end, _LINE))
    lead([_TAG], _TEXT | _HOLD, (white, _TAG), (name, _NAME | _HOLD))
    lead([_NAME], _TEXT | _HOLD, (white, _GAP), (name, _NAME), (b'"', _QUOTE | _HOLD))
    lead([_GAP], _TEXT | _HOLD, (white, _GAP), (b'"', _QUOTE | _HOLD))
    lead([_QUOTE], _VALUE)
    lead([_VALUE], _VALUE, (line_end, _LINE), (b'"', _CLOSE), (b"\\", _ESCAPE))
    lead([_ESCAPE], _VALUE | _HOLD, (b'"\\', _VALUE))
    lead([_CLOSE], _CLOSE, (line_end, _LINE), (b"]", _LEAD))
    inside = (b"}", _AFTER), (white, _NOTE_WHITE)
    lead([_NOTE, *range(_RESCUE, _N_MODES)], _NOTE, (b"}", _AFTER), (b"\r", _NOTE_CR), (b"\n", _NOTE_LF))
    lead([_NOTE_LF, _NOTE_WHITE], _NOTE, *inside, (b"\r", _BLANK_CR), (b"\n", _BLANK_LF))
    lead([_NOTE_CR], _NOTE, *inside, (b"\r", _BLANK_CR), (b"\n", _NOTE_LF))
    lead([_BLANK_CR, _BLANK_LF], _NOTE, *inside, (b"\r", _BLANK_CR), (b"\n", _BLANK_LF), (b"[", _RESCUE))
    for i, byte in enumerate(b"Event "):
        table[_RESCUE + i, byte] = _RESCUE + i + 1
    table[_N_MODES - 1, ord('"')] = _QUOTE | _HOLD | _MOVE
    return table


_TABLE = _build_table()
