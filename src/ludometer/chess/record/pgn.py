"""Chess games in PGN: read as a stream with the evaluations in their comments, and written with such comments."""

from __future__ import annotations

import io
import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ludometer.chess.record.evaluations import UNKNOWN, EvaluatedGame, Evaluations
from ludometer.errors import LudometerError, MatchDataError
from ludometer.read.columns.outcomes import parse_result
from ludometer.read.files.source import plain_errors
from ludometer.read.files.unpack import unpacked

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
"""The start position of chess."""

_READ_BYTES = 1 << 20
_LONGEST = 64 << 20
_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"')
_NUMBER = re.compile(r"\b\d+\.+|\$\d+")
_TOKEN = re.compile(r"\{([^}]*)\}?|;[^\n]*|([()])|([^\s(){};]+)")
_EVALUATION = re.compile(r"\[%eval\s+([^\s,\]]+)")
_RESULTS = frozenset(("1-0", "0-1", "1/2-1/2", "*"))
_LIKE_MOVES = ("0-0", "--")
_MOVE = re.compile(r"[A-Z]?[a-h]?[1-8]?[x:-]?[a-h][1-8](=?[A-Za-z])?[+#]*|[O0]-[O0](-[O0])?[+#]*")
_STANDARD = frozenset(("", "standard", "from position", "chess", "normal"))
_UNKNOWN = frozenset(("", "?", "-"))
_PGN_WIDTH = 80
_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")


@dataclass(frozen=True)
class ChessGame:
    """One game: its moves as written (e4, Nf3, O-O, or e2e4), not yet checked against the rules.

    `evaluation` holds what the comments say, in centipawns from White's view: first of the start position, then after
    each move; an infinity is a forced mate, NaN is not known. It is empty where no comment has one.
    """

    name: str
    white: str
    black: str
    moves: tuple[str, ...]
    event: str = ""
    halves: int = -1
    """White's score in half points; -1: unknown."""
    white_rating: float = math.nan
    black_rating: float = math.nan
    start: str = START
    evaluation: tuple[float, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    """The headers, in their order."""

    @property
    def n_positions(self) -> int:
        """The start position and one after each move."""
        return len(self.moves) + 1

    @property
    def white_begins(self) -> bool:
        """Whether White has the first move."""
        return self.start.split()[1:2] != ["b"]

    @property
    def first_ply(self) -> int:
        """Moves made before the start position, by its move number; never fewer than none."""
        fields = self.start.split()
        number = int(fields[5]) if len(fields) > 5 and fields[5].isdigit() else 1
        return max(0, 2 * (number - 1) + (not self.white_begins))

    def evaluated(
        self,
        evaluation: Sequence[float],
        *,
        lines: Sequence[Sequence[float]] | None = None,
        choice: Sequence[int] | None = None,
        material: Sequence[int] | None = None,
    ) -> EvaluatedGame:
        """With these evaluations of its positions."""
        return EvaluatedGame(
            name=self.name,
            white=self.white,
            black=self.black,
            evaluation=evaluation,
            event=self.event,
            halves=self.halves,
            white_rating=self.white_rating,
            black_rating=self.black_rating,
            first_ply=self.first_ply,
            white_begins=self.white_begins,
            lines=lines,
            choice=choice,
            material=material,
        )


@dataclass
class GameReading:
    """Games of one or more files, and how many were left out, by reason."""

    name: str
    games: list[ChessGame] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    def describe(self) -> list[str]:
        """In a few lines."""
        n_moves = sum(len(game.moves) for game in self.games)
        counts = ((len(self.games), "game"), (n_moves, "move"))
        lines = [f"{self.name}: " + ", ".join(f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in counts)]
        n_evaluated = sum(bool(game.evaluation) for game in self.games)
        lines[0] += f", games with evaluations in comments: {n_evaluated:,}" if n_evaluated else ""
        if self.left_out:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.left_out.items())
            lines.append(f"games left out: {reasons}")
        return lines


def read_chess_games(source: str | Path | BinaryIO) -> GameReading:
    """All games of a PGN file, plain or packed (.gz, .zst, .bz2), "-" or a binary stream.

    Games of other variants and games without moves (forfeits) are left out and counted; other start positions are kept.

    >>> import io
    >>> pgn = b'[White "Ann"]\\n[Black "Ben"]\\n\\n1. e4 {[%eval 0.3]} e5 (1... c5) 2. Nf3 {[%eval 0.25]} *\\n'
    >>> game = read_chess_games(io.BytesIO(pgn)).games[0]
    >>> game.moves, game.evaluation
    (('e4', 'e5', 'Nf3'), (nan, 30.0, nan, 25.0))
    """
    with _opened(source) as (name, stream), plain_errors(name):
        reading = GameReading(name)
        has_games = False
        for number, (tags, text) in enumerate(split_games(stream), 1):
            has_games = has_games or bool(tags) or is_like_moves(parse_moves(text)[0])
            _add(reading, tags, text, number)
    if not has_games:
        raise LudometerError(f"{reading.name}: contains no games in PGN")
    return reading


@contextmanager
def open_games(source: str | Path) -> Iterator[BinaryIO]:
    """The contents of a PGN file, plain or packed; a file that cannot be read is one clear error."""
    with _opened(source) as (name, stream), plain_errors(name):
        yield stream


def is_pgn(source: str | Path) -> bool:
    """Whether a file is PGN, by its name or its first line. Standard input is peeked at, not consumed."""
    if str(source) == "-":
        head = sys.stdin.buffer.peek(64) if isinstance(sys.stdin.buffer, io.BufferedReader) else b""
        return _begins_with_tag(head)
    if ".pgn" in Path(source).suffixes:
        return True
    with open_games(source) as stream:
        return _begins_with_tag(stream.read(4096))


def is_standard(tags: Mapping[str, str]) -> bool:
    """Whether a game is played by the rules of chess."""
    return tags.get("Variant", "").strip().lower() in _STANDARD


def split_games(stream: BinaryIO) -> Iterator[tuple[dict[str, str], str]]:
    """The headers and the text of the moves of each game in a stream of bytes."""
    tags: dict[str, str] = {}
    lines: list[str] = []
    in_comment = False
    for line in _lines(stream):
        if not in_comment:
            if line.startswith("["):
                if lines:
                    yield tags, "\n".join(lines)
                    tags, lines = {}, []
                found = _TAG.match(line)
                if found and found[1] in tags:
                    # the game before had headers only
                    yield tags, ""
                    tags = {}
                if found:
                    tags[found[1]] = found[2].replace('\\"', '"').replace("\\\\", "\\") if "\\" in line else found[2]
                    continue
            if not line.strip() or line.startswith("%"):
                continue
        lines.append(line)
        in_comment = _stays_open(line, in_comment)
    if lines or tags:
        yield tags, "\n".join(lines)


def parse_moves(text: str, *, white_begins: bool = True) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The moves of the main line, and the evaluation of each position from the comments; empty where there are none.

    >>> parse_moves("1. f3 e5 $2 2.g4 {a gift} (2. e4) Qh4# {[%eval #-1]} 0-1")
    (('f3', 'e5', 'g4', 'Qh4#'), (nan, nan, nan, nan, -inf))
    """
    if "{" not in text and "(" not in text and ";" not in text:
        return _moves(_NUMBER.sub(" ", text).split()), ()
    return _parse_annotated(text, white_begins)


def is_like_moves(words: Sequence[str]) -> bool:
    """Whether text without headers may be a game: its first word looks like a move, in any language's letters.

    >>> is_like_moves(["Sf3", "d5"]), is_like_moves(["e2e4"]), is_like_moves(["white,black,result"]), is_like_moves([])
    (True, True, False, False)
    """
    return bool(words) and _MOVE.fullmatch(words[0]) is not None


def parse_evaluation(text: str) -> float:
    """A comment's evaluation in centipawns from White's view; an infinity for a mate, NaN for nonsense.

    >>> parse_evaluation("-0.34"), parse_evaluation("#-3"), parse_evaluation("#4")
    (-34.0, -inf, inf)
    """
    try:
        if text.startswith("#"):
            return -math.inf if int(text[1:]) < 0 else math.inf
        pawns = float(text)
    except ValueError:
        return math.nan
    return round(100 * pawns, 6) if math.isfinite(pawns) else math.nan


def annotate(games: Sequence[ChessGame], evaluations: Evaluations) -> str:
    """PGN of the games that were evaluated, with `[%eval]` after each move and before the first one."""
    values = dict(zip(evaluations.games, range(len(evaluations)), strict=True))
    parts = []
    for game in games:
        if game.name in values:
            place = values[game.name]
            span = slice(int(evaluations.starts[place]), int(evaluations.starts[place + 1]))
            known = _plain_values(evaluations, span)
            parts.append(_annotated(game, known))
    return "\n".join(parts)


def format_evaluation(centipawns: float) -> str:
    """As in a PGN comment: pawns with two digits, a mate as # and its sign.

    >>> format_evaluation(-13.0), format_evaluation(float("-inf"))
    ('-0.13', '#-1')
    """
    if math.isinf(centipawns):
        return "#1" if centipawns > 0 else "#-1"
    return f"{centipawns / 100:.2f}"


def _parse_annotated(text: str, white_begins: bool) -> tuple[tuple[str, ...], tuple[float, ...]]:
    moves: list[str] = []
    found: dict[int, float] = {}
    depth = 0
    for comment, bracket, word in _TOKEN.findall(text):
        if bracket:
            depth = max(0, depth + (1 if bracket == "(" else -1))
        elif depth:
            continue
        elif word:
            moves += _moves(_NUMBER.sub(" ", word).split())
        elif "[%eval" in comment and (said := _EVALUATION.search(comment)):
            found[len(moves)] = parse_evaluation(said[1])
    if not found:
        return tuple(moves), ()
    if moves and moves[-1].endswith("#"):
        # engines do not evaluate a position in which the game is over
        found.setdefault(len(moves), math.inf if (len(moves) % 2 == 1) == white_begins else -math.inf)
    return tuple(moves), tuple(found.get(ply, math.nan) for ply in range(len(moves) + 1))


def _moves(words: Iterable[str]) -> tuple[str, ...]:
    """Words that are moves, without results and without annotation signs (! and ?)."""
    return tuple(
        word.rstrip("!?") if word[-1] in "!?" else word
        for word in words
        if word not in _RESULTS and (word[0].isalpha() or word.startswith(_LIKE_MOVES))
    )


def _add(reading: GameReading, tags: dict[str, str], text: str, number: int) -> None:
    if not is_standard(tags):
        return _leave_out(reading, "of another variant")
    start = tags.get("FEN", "").strip() or START
    moves, evaluation = parse_moves(text, white_begins=start.split()[1:2] != ["b"])
    if not moves:
        return _leave_out(reading, "without moves")
    result = tags.get("Result", "*").strip()
    reading.games.append(
        ChessGame(
            name=str(number),
            white=_player(tags, "White", number),
            black=_player(tags, "Black", number),
            moves=moves,
            event=tags.get("Event", "").strip().removeprefix("?"),
            halves=-1 if result == "*" else max(-1, parse_result(result)),
            white_rating=_rating(tags, "WhiteElo"),
            black_rating=_rating(tags, "BlackElo"),
            start=start,
            evaluation=evaluation,
            tags=tags,
        )
    )


def _leave_out(reading: GameReading, reason: str) -> None:
    reading.left_out[reason] = reading.left_out.get(reason, 0) + 1


def _player(tags: dict[str, str], side: str, number: int) -> str:
    """The name; players without one are named after the game."""
    name = tags.get(side, "").strip()
    return f"{side} of game {number}" if name in _UNKNOWN else name


def _rating(tags: dict[str, str], tag: str) -> float:
    try:
        rating = float(tags.get(tag, "nan"))
    except ValueError:
        return math.nan
    return rating if rating > 0 and math.isfinite(rating) else math.nan


def _stays_open(line: str, in_comment: bool) -> bool:
    """Whether a comment in braces continues on the next line."""
    if in_comment:
        closed = line.find("}")
        if closed < 0:
            return True
        line = line[closed + 1 :]
    if ";" not in line:
        return line.rfind("{") > line.rfind("}")
    # step by step: a regular expression would search from every brace to the end of the line
    at, note = 0, line.find(";")
    while (opened := line.find("{", at)) >= 0:
        if note < at:
            note = line.find(";", at)
            note = len(line) if note < 0 else note
        if note < opened:
            return False
        closed = line.find("}", opened)
        if closed < 0:
            return True
        at = closed + 1
    return False


def _lines(stream: BinaryIO) -> Iterator[str]:
    """Lines as text: UTF-8, or Latin-1 where a line is not."""
    rest = b""
    is_first = True
    while block := stream.read(_READ_BYTES):
        whole, newline, tail = block.rpartition(b"\n")
        if not newline:
            rest += block
            if len(rest) > _LONGEST:
                raise MatchDataError(f"a line is longer than {_LONGEST >> 20} MiB: not PGN")
            continue
        part, rest = rest + whole, tail
        if is_first:
            part, is_first = part.removeprefix(b"\xef\xbb\xbf"), False
        yield from _decoded(part)
    yield from _decoded(rest.removeprefix(b"\xef\xbb\xbf") if is_first else rest)


def _decoded(part: bytes) -> Iterator[str]:
    try:
        yield from (line.rstrip("\r") for line in part.decode().split("\n"))
    except UnicodeDecodeError:
        for line in part.split(b"\n"):
            try:
                yield line.decode().rstrip("\r")
            except UnicodeDecodeError:
                yield line.decode("latin-1").rstrip("\r")


@contextmanager
def _opened(source: str | Path | BinaryIO) -> Iterator[tuple[str, BinaryIO]]:
    if not isinstance(source, str | Path):
        yield "stream", unpacked(source)
        return
    if str(source) == "-":
        yield "standard input", unpacked(sys.stdin.buffer)
        return
    path = Path(source)
    if path.is_dir() or not path.exists():
        raise LudometerError(f"{source}: {'is a folder, not a file' if path.is_dir() else 'no such file'}")
    try:
        stream = path.open("rb")
    except OSError as error:
        raise LudometerError(f"{source}: cannot be read ({error.strerror})") from error
    with stream:
        yield path.name, unpacked(stream)


def _begins_with_tag(head: bytes) -> bool:
    return bool(_TAG.match(head.decode("latin-1").removeprefix("ï»¿").lstrip()))


def _plain_values(evaluations: Evaluations, span: slice) -> list[float]:
    """Centipawns, an infinity for a mate, NaN where not known."""
    columns = zip(evaluations.evaluation[span].tolist(), evaluations.mate[span].tolist(), strict=True)
    return [
        math.nan if value == UNKNOWN else math.copysign(math.inf, value) if mate else float(value)
        for value, mate in columns
    ]


def _annotated(game: ChessGame, values: Sequence[float]) -> str:
    tags = {name: game.tags.get(name, "?") for name in _TAGS} | dict(game.tags)
    head = [f'[{name} "{_escaped(value)}"]' for name, value in tags.items()]
    words = _comment(values[0])
    is_white, number = game.white_begins, game.first_ply // 2 + 1
    for ply, move in enumerate(game.moves, 1):
        # a comment precedes every move, so every move of Black gets its number
        words += [f"{number}{'.' if is_white else '...'}", move, *_comment(values[ply])]
        number, is_white = number + (not is_white), not is_white
    return "\n".join([*head, "", *_wrapped([*words, tags["Result"] if tags["Result"] != "?" else "*"]), ""])


def _comment(value: float) -> list[str]:
    return [] if math.isnan(value) else [f"{{ [%eval {format_evaluation(value)}] }}"]


def _wrapped(words: Sequence[str]) -> list[str]:
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > _PGN_WIDTH:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return [*lines, line]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
