"""A game followed while it is played: after each move its evaluation, its gain, and how its player stands so far."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ludometer.chess.engine.uci import Engine
from ludometer.chess.record.evaluations import MATE, Evaluations
from ludometer.chess.record.pgn import START, ChessGame
from ludometer.chess.record.rules import Board
from ludometer.chess.strength.trajectory import NO_ESTIMATE, follow_player
from ludometer.moves.gains import measure_gains
from ludometer.moves.uncertainty import nullable


@dataclass(frozen=True)
class FollowedMove:
    """What is known after a move; differences are to the engine, None where there is no estimate yet."""

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
        """In a line."""
        value = "mate" if math.isinf(self.evaluation) else f"{self.evaluation / 100:+.2f}"
        head = f"{self.number:>6} {self.move:<8} {value:>6}  gain {self.gain / 100:+6.2f}  {self.player}: "
        if self.difference is None:
            return head + NO_ESTIMATE
        low, high = ("-" if end is None else f"{end:+.0f}" for end in self.interval)
        strength = "" if self.strength is None else f", strength {self.strength:.0f}"
        return f"{head}{self.difference:+.0f} [{low}, {high}] to the engine{strength}"


class Follower:
    """A game in progress, with the engine that values it."""

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
        """Take the next move."""
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
