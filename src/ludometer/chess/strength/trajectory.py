"""A player's strength after each of their moves, with a band (Ferreira 2012, Algorithm 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Array, Codes, Floats
from ludometer.errors import LudometerError
from ludometer.moves.gains import ENGINE, Gains, Reference, finite_frame, rating_difference
from ludometer.moves.uncertainty import NO_ESTIMATE, USUAL, check_level, score_interval
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl

_PRIOR_MOVES = 4.0
"""Prior on the variance of a move's score: worth so many moves with the variance of pure wins and losses."""


@dataclass(frozen=True, eq=False)
class Trajectory(Shown):
    """After each move of a player: the expected score against the engine, the difference, and a band.

    A difference of -inf is "no estimate yet": every gain so far was negative. In the first games the band is about the
    play in these games, with moves as independent draws; from the fourth game on it is about the player, and the moves
    of a game count as one cluster.
    """

    player: str
    game: Codes
    ply: Codes
    gain: Codes
    score: Floats
    difference: Floats
    low: Floats
    high: Floats
    engine: float | None
    """The engine's strength, to which differences are added; None: not known."""
    level: float
    provenance: Provenance

    def __len__(self) -> int:
        return len(self.gain)

    @property
    def strength(self) -> Floats:
        """Strengths after each move, `engine + difference`."""
        return self.difference + (np.nan if self.engine is None else self.engine)

    @property
    def n_without(self) -> int:
        """Moves at the start after which there is no estimate yet."""
        finite = np.isfinite(self.difference)
        return int(np.argmax(finite)) if finite.any() else len(self)

    def to_frame(self) -> pl.DataFrame:
        """One row per move; null where there is no estimate yet, or no end of the band."""
        columns = {
            "move": np.arange(1, len(self) + 1),
            "game": self.game,
            "ply": self.ply,
            "gain": self.gain,
            "expected_score": self.score,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "strength": self.strength,
        }
        return finite_frame(columns)

    def document(self) -> dict[str, Any]:
        """The moves."""
        rows = self.to_frame().to_dicts()
        why = f"{NO_ESTIMATE}, no end of the band, or no strength of the engine"
        absent = {f"moves.{k}.{name}": why for k, row in enumerate(rows) for name in row if row[name] is None}
        absent |= {"engine": "not given"} if self.engine is None else {}
        return {"player": self.player, "engine": self.engine, "level": self.level, "moves": rows, "absent": absent}

    def band(self) -> list[dict[str, float]]:
        """Value, low and high after each move, with the engine's strength added where it is known; finite ones only."""
        shift = self.engine or 0.0
        columns = np.column_stack((self.difference, self.low, self.high)) + shift
        return [
            {"move": k + 1, "value": value, "low": low, "high": high}
            for k, (value, low, high) in enumerate(columns.tolist())
            if np.isfinite((value, low, high)).all()
        ]

    def summary(self) -> str:
        """How long there was no estimate, and the latest one."""
        lines = [f"{self.player}: {len(self)} moves"]
        if self.n_without:
            moves = "move" if self.n_without == 1 else f"{self.n_without} moves"
            lines.append(f"{NO_ESTIMATE} after the first {moves}: every gain was negative")
        if np.isfinite(self.difference[-1]):
            ends = f"[{_signed(self.low[-1])}, {_signed(self.high[-1])}]"
            lines.append(f"against the engine {self.difference[-1]:+.0f} {ends} ({100 * self.level:g}%)")
            if self.engine is not None:
                lines.append(f"strength {self.strength[-1]:.0f}, the engine being {self.engine:.0f}")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The difference, or the strength, after each move, and its band."""
        import altair as alt

        from ludometer.chart_style import INK

        title = "Difference to the engine" if self.engine is None else "Strength (Elo points)"
        x = alt.X("move:Q", title=f"Moves of {self.player}", scale=alt.Scale(domain=[0, len(self)]))
        base = alt.Chart(alt.InlineData(values=self.band()), width=260 if narrow else 480, height=240)
        low, value = (alt.Y(f"{name}:Q", title=title, scale=alt.Scale(zero=False)) for name in ("low", "value"))
        area = base.mark_area(opacity=0.2, color=INK).encode(x=x, y=low, y2="high:Q")
        return {"trajectory": area + base.mark_line(color=INK).encode(x=x, y=value)}


def follow_player(
    gains: Gains, player: str, *, engine: float | None = None, reference: Reference = ENGINE, level: float = 0.95
) -> Trajectory:
    """The strength of a player after each of their moves, games in the order of the record.

    >>> from ludometer.chess import EvaluatedGame, Evaluations, measure_gains
    >>> game = EvaluatedGame("1", "Ann", "Ben", [13, 10, 10, 10, 30, 30])
    >>> print(follow_player(measure_gains(Evaluations.of_games([game])), "Ann", engine=2860).summary())
    Ann: 3 moves
    no estimate yet after the first move: every gain was negative
    against the engine -122 [-397, +183] (95%)
    strength 2738, the engine being 2860
    """
    mine = gains.player == gains.players.code(player)
    value, game = gains.value[mine], gains.game[mine]
    if not len(value):
        raise LudometerError(f"{player} has no moves that count")
    score, low, high = trace_scores(value, game, reference=reference, level=level)
    difference, below, above = (np.asarray(rating_difference(p)) for p in (score, low, high))
    parameters = {"player": player, "engine": engine, "reference": reference.name, "level": level}
    provenance = Provenance("trajectory", parameters | gains.provenance.parameters, gains.provenance.data)
    return Trajectory(player, game, gains.ply[mine], value, score, difference, below, above, engine, level, provenance)


def trace_scores(
    value: Codes, game: Codes, *, reference: Reference = ENGINE, level: float = 0.95
) -> tuple[Floats, Floats, Floats]:
    """The expected score against the reference after each gain, and both ends of its band."""
    check_level(level)
    ordered = reference.gains
    won = (np.searchsorted(ordered, value, "left") + np.searchsorted(ordered, value, "right")) / (2 * len(ordered))
    n = np.arange(1, len(won) + 1, dtype=np.float64)
    score = np.cumsum(won) / n
    n_effective, quantile = _effective(won, score, n, game, level)
    low, high = score_interval(score, n_effective, quantile)
    # at 0 and 1 rounding may carry an end past the estimate
    return score, np.minimum(low, score), np.maximum(high, score)


def _effective(won: Floats, score: Floats, n: Floats, game: Codes, level: float) -> tuple[Floats, Array]:
    """How many wins and losses would be as sure as the moves so far, and the quantile that goes with them."""
    from scipy.special import ndtri, stdtrit

    spread = score * (1 - score)
    squares = np.cumsum(won**2) - n * score**2
    ratio = (squares + _PRIOR_MOVES * spread) / np.where(spread > 0, (n + _PRIOR_MOVES) * spread, 1.0)
    n_effective = n / np.where(spread > 0, np.maximum(ratio, 1e-9), 1.0)
    n_games = np.cumsum(np.concatenate(([1], np.diff(game) != 0)))
    many = n_games >= USUAL.min_games
    clustered = _cluster_variance(won, score, n_games) / n**2
    with np.errstate(divide="ignore", invalid="ignore"):
        by_game = np.where(clustered > 0, spread / clustered, np.inf)
    n_effective = np.where(many, np.minimum(n_effective, np.maximum(by_game, 1.0)), n_effective)
    upper = (1 + level) / 2
    return n_effective, np.where(many, stdtrit(np.maximum(n_games - 1, 1), upper), ndtri(upper))


def _cluster_variance(won: Floats, score: Floats, n_games: Array) -> Floats:
    """The variance of the sum of scores after each move, games being independent and moves of a game not."""
    first = np.flatnonzero(np.concatenate(([True], np.diff(n_games) > 0)))
    start = first[n_games - 1]
    before = np.concatenate(([0.0], np.cumsum(won)))
    current, length = before[1:] - before[start], np.arange(1, len(won) + 1) - start
    ends = np.concatenate((first[1:], [len(won)])) - 1

    def over_finished(part: Floats) -> Floats:
        return np.asarray(np.concatenate(([0.0], np.cumsum(part[ends])))[n_games - 1] + part)

    sums, cross, sizes = (
        over_finished(part) for part in (current**2, current * length, length.astype(np.float64) ** 2)
    )
    scatter = sums - 2 * score * cross + score**2 * sizes
    return np.asarray(np.maximum(scatter, 0.0) * n_games / np.maximum(n_games - 1, 1))


def _signed(value: float) -> str:
    return f"{value:+.0f}" if np.isfinite(value) else "-"
