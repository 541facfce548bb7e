"""A game followed while it is played: after each move its evaluation, its gain, and the player's standing so far."""

from __future__ import annotations

import io
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ludometer.chess.engine.uci import Engine
from ludometer.chess.record.evaluations import MATE, Evaluations
from ludometer.chess.record.pgn import (
    START,
    ChessGame,
    is_like_moves,
    is_standard,
    open_games,
    parse_moves,
    split_games,
)
from ludometer.chess.record.rules import Board
from ludometer.chess.strength.absent import explain
from ludometer.chess.strength.gains import measure_gains
from ludometer.chess.strength.trajectory import follow_player
from ludometer.errors import LudometerError
from ludometer.moves.uncertainty import NO_ESTIMATE, nullable


@dataclass(frozen=True)
class FollowedMove:
    """The state after a move; differences are to the engine, None where there is no estimate yet."""

    number: str
    move: str
    player: str
    evaluation: float
    """Centipawns from White's view; an infinity is a forced mate."""
    gain: int
    expected_score: float
    difference: float | None
    interval: tuple[float | None, float | None]
    strength: float | None

    def describe(self) -> str:
        """In one line."""
        value = "mate" if math.isinf(self.evaluation) else f"{self.evaluation / 100:+.2f}"
        head = f"{self.number:>6} {self.move:<8} {value:>6}  gain {self.gain / 100:+6.2f}  {self.player}: "
        if self.difference is None:
            return head + NO_ESTIMATE
        low, high = ("-" if end is None else f"{end:+.0f}" for end in self.interval)
        strength = "" if self.strength is None else f", strength {self.strength:.0f}"
        return f"{head}{self.difference:+.0f} [{low}, {high}] to the engine{strength}"

    def document(self) -> dict[str, Any]:
        """As JSON: pawns from White's view, the gain from the mover's."""
        is_mate = math.isinf(self.evaluation)
        document = {
            "number": self.number,
            "move": self.move,
            "player": self.player,
            "evaluation": None if is_mate else self.evaluation / 100,
            "mate": ("white" if self.evaluation > 0 else "black") if is_mate else None,
            "gain": self.gain / 100,
            "expected_score": self.expected_score,
            "difference": self.difference,
            "interval": list(self.interval),
            "strength": self.strength,
        }
        no_estimate = f"{NO_ESTIMATE}: every gain so far was negative"
        no_strength = no_estimate if self.difference is None else "the strength of the engine was not given"
        known = {"evaluation": "a forced mate", "mate": "no mate is in sight", "difference": no_estimate}
        known |= {"interval.0": "not bounded", "interval.1": "not bounded", "strength": no_strength}
        return explain(document, known)


class Follower:
    """A game in progress, with the engine that evaluates it."""

    def __init__(
        self,
        engine: Engine,
        *,
        white: str = "White",
        black: str = "Black",
        start: str = START,
        strength: float | None = None,
        mate_value: int = MATE,
        level: float = 0.95,
    ) -> None:
        self.engine, self.strength, self.level = engine, strength, level
        self.game = ChessGame("1", white, black, (), start=start)
        self.board = Board(start)
        self.conventions = engine.settings.conventions(mate_value=mate_value)
        if engine.search.hash_policy == "game":
            engine.begin_game()
        self.evaluation = [self._evaluate()]

    def push(self, move: str) -> FollowedMove:
        """Add the next move."""
        self.board.push(move)
        self.evaluation.append(self._evaluate())
        ply = len(self.board.moves)
        is_white = (ply % 2 == 1) == self.game.white_begins
        player = self.game.white if is_white else self.game.black
        whole = Evaluations.of_games([self.game.evaluated(self.evaluation)], conventions=self.conventions)
        trajectory = follow_player(measure_gains(whole), player, engine=self.strength, level=self.level)
        difference = nullable(float(trajectory.difference[-1]))
        before = self.game.first_ply + ply - 1
        return FollowedMove(
            f"{before // 2 + 1}{'.' if is_white else '...'}",
            move,
            player,
            self.evaluation[-1],
            int(trajectory.gain[-1]),
            float(trajectory.score[-1]),
            difference,
            (nullable(float(trajectory.low[-1])), nullable(float(trajectory.high[-1]))),
            None if difference is None else nullable(float(trajectory.strength[-1])),
        )

    def _evaluate(self) -> float:
        if self.board.ending is not None:
            return self.board.ending
        if self.engine.search.hash_policy == "game":
            return self.engine.evaluate(self.board.positions[0], self.board.moves)[0].evaluation
        return self.engine.evaluate(self.board.positions[-1])[0].evaluation


def watch_moves(file: str, *, every: float, once: bool) -> tuple[ChessGame, Iterator[str]]:
    """The players, and the moves as they arrive: on standard input, or in the last game of a growing PGN file."""
    if file == "-":
        return ChessGame("1", "White", "Black", ()), _typed_moves()
    game, _ = _last_game(file)
    if game is None:
        raise LudometerError(f"{file}: no game has begun")
    return game, _growing_moves(file, every, once)


def _typed_moves() -> Iterator[str]:
    for line in sys.stdin:
        if not line.startswith(("[", "%")):
            yield from parse_moves(line)[0]


def _growing_moves(file: str, every: float, once: bool) -> Iterator[str]:
    n_seen = 0
    while True:
        game, is_over = _last_game(file)
        moves = () if game is None else game.moves
        if len(moves) < n_seen:
            raise LudometerError(f"{file}: moves were taken back, or another game has begun")
        yield from moves[n_seen:]
        n_seen = len(moves)
        if is_over or once:
            return
        time.sleep(every)


def _last_game(file: str) -> tuple[ChessGame | None, bool]:
    """The last game of a file as far as it is written, and whether it ends with a result."""
    with open_games(file) as stream:
        written = stream.read()
    found = list(split_games(io.BytesIO(written)))
    if not found:
        return None, False
    tags, text = found[-1]
    if not is_standard(tags):
        raise LudometerError(f"{file}: a game of another variant ({tags['Variant']})")
    is_over = text.split()[-1:] in (["1-0"], ["0-1"], ["1/2-1/2"])
    # a last word without a space or a new line after it may be half a move
    half = "" if is_over or written[-1:].isspace() or text[-1:].isspace() else "".join(text.split()[-1:])
    whole = text.removesuffix(half)
    start = tags.get("FEN") or START
    names = (tags.get("White") or "White", tags.get("Black") or "Black")
    moves = parse_moves(whole)[0]
    if moves and not is_like_moves(moves) and not any(headers for headers, _ in found):
        raise LudometerError(f"{file}: contains no games in PGN")
    return ChessGame("1", *names, moves, start=start), is_over
