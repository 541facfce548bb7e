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

import numba
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from ludometer.arrays import Counts

    Bytes = NDArray[np.uint8]

TAGS = (
    *("White", "Black", "Result", "Date", "WhiteElo", "BlackElo", "Event", "Site", "Round", "ECO", "TimeControl"),
    *("UTCDate", "UTCTime", "Variant", "Termination", "WhiteTitle", "BlackTitle"),
)
"""The tags that are kept, in the order in which a line holds them."""

VALUE_BYTES = 4096
"""How much of one tag's value is kept."""

_N_TAGS = len(TAGS)
_EVENT = TAGS.index("Event")
_OPENERS = sum(1 << TAGS.index(tag) for tag in ("Event", "White", "Black", "Result"))
"""The tags, as bits, that no game has twice."""

_WORD = 7
# A name is compared as two numbers of seven bytes each: int64 never overflows, not even where Numba is switched off.
_LOW_WORDS = np.array([int.from_bytes(tag.encode()[:_WORD], "big") for tag in TAGS], np.int64)
_HIGH_WORDS = np.array([int.from_bytes(tag.encode()[_WORD:], "big") for tag in TAGS], np.int64)
_RESCUE = np.frombuffer(b'[Event "', np.uint8)

_LF, _CR, _QUOTE, _PERCENT, _SEMICOLON = 10, 13, 34, 37, 59
_OPEN_BRACKET, _BACKSLASH, _CLOSE_BRACKET, _OPEN_BRACE, _CLOSE_BRACE = 91, 92, 93, 123, 125

_IS_LINE_END, _IS_WHITE, _IS_NAME, _IS_MARK, _ENDS_TEXT, _ENDS_VALUE, _ENDS_TAG, _ENDS_COMMENT = (
    1 << bit for bit in range(8)
)
_KINDS = np.zeros(256, np.uint8)
for _kind, _members in (
    (_IS_LINE_END, b"\r\n"),
    (_IS_WHITE, b" \t\v\f"),
    (_IS_NAME, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+#=:-"),
    (_IS_MARK, b"\xef\xbb\xbf"),
    (_ENDS_TEXT, b"\r\n{;"),
    (_ENDS_VALUE, b'\r\n"\\'),
    (_ENDS_TAG, b"\r\n]"),
    (_ENDS_COMMENT, b"\r\n}"),
):
    _KINDS[list(_members)] |= _kind

# What the machine remembers from block to block; from _LENGTHS on, the length of each column's value.
_MODE, _OPEN, _MOVES, _SEEN, _COLUMN, _LOW, _HIGH, _NAMED, _AFTER_BLANK, _AFTER_CR, _MATCHED, _WRITTEN = range(12)
_LENGTHS = 12

# Modes stand in the order of the four step functions, so that one comparison finds the function.
_LINE, _LEAD, _AFTER, _TEXT, _SKIP = range(5)
_TAG, _NAME, _GAP = range(5, 8)
_AT_QUOTE = 8
_VALUE, _ESCAPE, _CLOSE = range(9, 12)
_COMMENT, _COMMENT_LINE, _COMMENT_WHITE, _COMMENT_MATCH = range(12, 16)


def scan_headers(
    blocks: Iterable[bytes], *, out_bytes: int = 4 << 20, value_bytes: int = VALUE_BYTES
) -> Iterator[bytes]:
    """Yield lines of tab-separated values in the order of `TAGS`, one per game, some MiB of them at a time.

    Where one block ends and the next begins makes no difference to the lines.
    """
    state = np.zeros(_LENGTHS + _N_TAGS + 1, np.int64)
    fields = np.zeros((_N_TAGS + 1, value_bytes), np.uint8)
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
            yield _take(out, state)
    if state[_OPEN]:
        if not _has_room(state, fields, out):
            yield _take(out, state)
        _write_row(state, fields, out)
        yield _take(out, state)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def scan_block(block: Bytes, at: int, state: Counts, fields: Bytes, out: Bytes) -> int:
    """Run over a block from `at`; return its size, or the place to go on from once `out` has been emptied."""
    while at < block.size:
        mode = state[_MODE]
        if mode <= _SKIP:
            at = _step_outside(block, at, state)
        elif mode <= _GAP:
            at = _step_name(block, at, state)
        elif mode == _AT_QUOTE:
            column = _find_column(state[_LOW], state[_HIGH])
            if state[_OPEN] and (state[_MOVES] or (1 << column) & _OPENERS & state[_SEEN]):
                if not _has_room(state, fields, out):
                    break
                _write_row(state, fields, out)
            state[_OPEN] = 1
            state[_MOVES] = 0
            state[_SEEN] |= 1 << column
            state[_COLUMN] = column
            state[_LENGTHS + column] = 0
            state[_MODE] = _VALUE
            at += 1
        elif mode <= _CLOSE:
            at = _step_value(block, at, state, fields)
        else:
            at = _step_comment(block, at, state)
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


def _take(out: Bytes, state: Counts) -> bytes:
    lines = out[: state[_WRITTEN]].tobytes()
    state[_WRITTEN] = 0
    return lines


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _has_room(state: Counts, fields: Bytes, out: Bytes) -> bool:
    return bool(out.size - state[_WRITTEN] >= _N_TAGS * (fields.shape[1] + 1))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _write_row(state: Counts, fields: Bytes, out: Bytes) -> None:
    to = state[_WRITTEN]
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


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _find_column(low: int, high: int) -> int:
    for column in range(_N_TAGS):
        if _LOW_WORDS[column] == low and _HIGH_WORDS[column] == high:
            return column
    # Unknown tags share one column more, which no line holds.
    return _N_TAGS


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _step_outside(block: Bytes, at: int, state: Counts) -> int:
    """Go on outside tags and brace comments, up to the start of one."""
    mode = state[_MODE]
    while at < block.size:
        if mode >= _TEXT:
            at = _skip_text(block, at) if mode == _TEXT else _skip(block, at, _IS_LINE_END)
            if at == block.size:
                break
        byte = block[at]
        kind = _KINDS[byte]
        at += 1
        if kind & _IS_LINE_END:
            mode = _LINE
        elif byte == _OPEN_BRACE:
            state[_AFTER_BLANK] = 0
            mode = _COMMENT
            break
        elif byte == _OPEN_BRACKET and mode <= _LEAD:
            state[_LOW] = state[_HIGH] = state[_NAMED] = 0
            mode = _TAG
            break
        elif byte == _SEMICOLON or (byte == _PERCENT and mode == _LINE):
            mode = _SKIP
        elif kind & _IS_WHITE:
            if mode == _LINE:
                mode = _LEAD
        elif not (kind & _IS_MARK and mode == _LINE):
            state[_MOVES] = 1
            mode = _TEXT
    state[_MODE] = mode
    return at


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _step_name(block: Bytes, at: int, state: Counts) -> int:
    """Go on in a tag up to the quote that opens its value, or to the byte that shows that it is no tag."""
    mode = state[_MODE]
    while at < block.size:
        byte = block[at]
        kind = _KINDS[byte]
        if kind & _IS_NAME and mode != _GAP:
            word = _LOW if state[_NAMED] < _WORD else _HIGH
            if state[_NAMED] < 2 * _WORD:
                state[word] = state[word] << 8 | byte
            state[_NAMED] += 1
            mode = _NAME
        elif kind & _IS_WHITE:
            if mode == _NAME:
                mode = _GAP
        else:
            mode = _AT_QUOTE if byte == _QUOTE and mode != _TAG else _TEXT
            break
        at += 1
    state[_MODE] = mode
    return at


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _step_value(block: Bytes, at: int, state: Counts, fields: Bytes) -> int:
    """Go on in a tag's value, and from there to its bracket or the end of its line."""
    mode = state[_MODE]
    column = state[_COLUMN]
    limit = fields.shape[1]
    length = state[_LENGTHS + column]
    while at < block.size and mode != _CLOSE:
        if column == _N_TAGS and mode == _VALUE:
            at = _skip(block, at, _ENDS_VALUE)
            if at == block.size:
                break
        byte = block[at]
        if mode == _ESCAPE:
            mode = _VALUE
            if byte not in (_QUOTE, _BACKSLASH):
                # A lone backslash stands for itself, and its follower is looked at again.
                byte = np.uint8(_BACKSLASH)
                at -= 1
        elif _KINDS[byte] & _ENDS_VALUE:
            at += 1
            if byte == _BACKSLASH:
                mode = _ESCAPE
                continue
            length = _trim(fields[column], length, byte == _QUOTE)
            mode = _CLOSE if byte == _QUOTE else _LINE
            break
        if length < limit:
            fields[column, length] = byte if byte >= 32 else 32
        length += 1
        at += 1
    state[_LENGTHS + column] = length
    if mode == _CLOSE:
        at = _skip(block, at, _ENDS_TAG)
        if at < block.size:
            mode = _LEAD if block[at] == _CLOSE_BRACKET else _LINE
            at += 1
    state[_MODE] = mode
    return at


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _trim(field: Bytes, length: int, closed: bool) -> int:
    """Return how much of a value stands."""
    kept = min(length, field.size)
    if not closed:
        while kept > 0 and field[kept - 1] == 32:
            kept -= 1
        if kept > 0 and field[kept - 1] == _CLOSE_BRACKET:
            kept -= 1
    if length > field.size:
        # A character cut in two would make the whole field invalid UTF-8.
        while kept > 0 and 0x80 <= field[kept - 1] < 0xC0:
            kept -= 1
        if kept > 0 and field[kept - 1] >= 0xC0:
            kept -= 1
    return kept


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _step_comment(block: Bytes, at: int, state: Counts) -> int:
    """Go on in a brace comment up to its end, watching for the header of a new game after a blank line."""
    mode = state[_MODE]
    while at < block.size:
        if mode == _COMMENT:
            at = _skip(block, at, _ENDS_COMMENT)
            if at == block.size:
                break
        byte = block[at]
        kind = _KINDS[byte]
        if mode == _COMMENT_MATCH:
            if byte != _RESCUE[state[_MATCHED]]:
                mode = _COMMENT
                continue
            state[_MATCHED] += 1
            if byte == _QUOTE:
                state[_LOW] = _LOW_WORDS[_EVENT]
                state[_HIGH] = _HIGH_WORDS[_EVENT]
                state[_MOVES] = 1
                mode = _AT_QUOTE
                break
        elif byte == _CLOSE_BRACE:
            mode = _AFTER
            at += 1
            break
        elif kind & _IS_LINE_END:
            _note_line_end(state, mode, byte)
            mode = _COMMENT_LINE
        elif kind & _IS_WHITE:
            mode = _COMMENT_WHITE
        elif mode == _COMMENT_LINE and state[_AFTER_BLANK] and byte == _OPEN_BRACKET:
            state[_MATCHED] = 1
            mode = _COMMENT_MATCH
        else:
            mode = _COMMENT
        at += 1
    state[_MODE] = mode
    return at


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _note_line_end(state: Counts, mode: int, byte: int) -> None:
    if mode == _COMMENT_LINE and byte == _LF and state[_AFTER_CR]:
        # The LF of a CR LF is no blank line.
        state[_AFTER_CR] = 0
    else:
        state[_AFTER_BLANK] = mode != _COMMENT
        state[_AFTER_CR] = byte == _CR


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _skip(block: Bytes, at: int, kinds: int) -> int:
    while at < block.size and not _KINDS[block[at]] & kinds:
        at += 1
    return at


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _skip_text(block: Bytes, at: int) -> int:
    """Find the next byte that matters in movetext."""
    # Moves between two comments are short, and for them the loop over whole chunks would come too early.
    near = min(block.size, at + 16)
    while at < near:
        if _KINDS[block[at]] & _ENDS_TEXT:
            return at
        at += 1
    # Without a way out of the inner loop the compiler looks at all bytes of a chunk at once.
    while at + 64 <= block.size:
        found = False
        for i in range(64):
            byte = block[at + i]
            found |= (byte == _LF) | (byte == _CR) | (byte == _OPEN_BRACE) | (byte == _SEMICOLON)
        if found:
            break
        at += 64
    return _skip(block, at, _ENDS_TEXT)
