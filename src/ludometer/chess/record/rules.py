"""The rules of chess, by python-chess: from written moves to positions. The only module that imports it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ludometer.chess.record.pgn import START
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    import chess

MISSING = "this needs the rules of chess from python-chess: pip install '.[chess]'"


class IllegalMove(LudometerError):  # noqa: N818 - what happened
    """A move that the position does not allow, or an impossible start position."""


@dataclass(frozen=True)
class Replay:
    """A game played through: its positions, starting before the first move, and the moves between them.

    A position is FEN without the move number, on which no evaluation depends; the moves since the last capture or pawn
    move stay, since a draw by 50 moves depends on them. `ending` is the game's end by the rules in its last position:
    an infinity for a mate (positive: White mates), 0 for a draw by stalemate or lack of material.
    """

    positions: tuple[str, ...]
    moves: tuple[str, ...]
    """In the notation of engines, e2e4."""
    material: tuple[int, ...]
    start: str
    ending: float | None


def replay(moves: Sequence[str], *, start: str = START) -> Replay:
    """Play moves, each written as in PGN or as e2e4, from the start position.

    >>> fools_mate = replay(["f3", "e5", "g4", "Qh4#"])
    >>> fools_mate.moves[-1], fools_mate.ending, fools_mate.positions[1]
    ('d8h4', -inf, 'rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1')
    """
    board = Board(start)
    for move in moves:
        board.push(move)
    return board.replay()


class Board:
    """A game that grows move by move."""

    def __init__(self, start: str = START) -> None:
        try:
            self._board: chess.Board = _rules().Board(start)
        except ValueError as error:
            raise IllegalMove(f"{start!r} is not a position: {error}") from error
        if not self._board.is_valid():
            raise IllegalMove(f"{start!r} is an impossible position")
        self.start = start
        self.moves: list[str] = []
        self.positions, self.material = [_position(self._board)], [_material(self._board)]

    def push(self, move: str) -> None:
        """Make a move; an illegal one is an error."""
        number = f"{self._board.fullmove_number}{'.' if self._board.turn else '...'}"
        try:
            made = _parse(self._board, move)
        except ValueError as error:
            raise IllegalMove(f"{number} {move} is not a legal move") from error
        self.moves.append(made.uci())
        self._board.push(made)
        self.positions.append(_position(self._board))
        self.material.append(_material(self._board))

    @property
    def ending(self) -> float | None:
        """The game's end by the rules, as in `Replay`; None while it can continue."""
        if self._board.is_checkmate():
            return float("-inf") if self._board.turn else float("inf")
        return 0.0 if self._board.is_stalemate() or self._board.is_insufficient_material() else None

    @property
    def is_drawn(self) -> bool:
        """Whether a draw can be claimed: the third repetition, or 50 moves without a capture or a pawn move."""
        return bool(self._board.is_repetition(3) or self._board.is_fifty_moves())

    def write(self, move: str) -> str:
        """A move that can be made now, as PGN writes it.

        >>> Board().write("g1f3")
        'Nf3'
        """
        return str(self._board.san(_parse(self._board, move)))

    def replay(self) -> Replay:
        """The game so far."""
        return Replay(tuple(self.positions), tuple(self.moves), tuple(self.material), self.start, self.ending)


def _rules() -> Any:
    try:
        import chess
    except ImportError as error:
        raise LudometerError(MISSING) from error
    return chess


def _parse(board: chess.Board, move: str) -> chess.Move:
    try:
        made = board.parse_san(move)
    except ValueError:
        made = board.parse_uci(move)
    if not made:
        raise ValueError("a null move")
    return made


def _position(board: chess.Board) -> str:
    """The position as FEN, with an en passant square only where such a capture is legal: equal positions must match."""
    files = "abcdefgh"
    square = board.ep_square
    passed = files[square % 8] + str(square // 8 + 1) if square is not None and board.has_legal_en_passant() else "-"
    turn = "w" if board.turn else "b"
    return f"{_placement(board)} {turn} {board.castling_xfen()} {passed} {board.halfmove_clock} 1"


def _placement(board: chess.Board) -> str:
    """The placement of the pieces, bit by bit: python-chess goes square by square, which took most of the time."""
    squares = ["1"] * 64
    kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    for kind, letter in zip(kinds, "pnbrqk", strict=True):
        for own, symbol in ((board.occupied_co[True], letter.upper()), (board.occupied_co[False], letter)):
            mask = kind & own
            while mask:
                lowest = mask & -mask
                squares[lowest.bit_length() - 1] = symbol
                mask ^= lowest
    text = "/".join("".join(squares[first : first + 8]) for first in range(56, -1, -8))
    for n in range(8, 1, -1):
        text = text.replace("1" * n, str(n))
    return text


def _material(board: chess.Board) -> int:
    """The pieces of both sides without pawns and kings: queen 9, rook 5, bishop and knight 3."""
    small = board.knights | board.bishops
    return 9 * board.queens.bit_count() + 5 * board.rooks.bit_count() + 3 * small.bit_count()
