"""Gains of chess moves: what each move did to the evaluation, and which moves count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Array, Counts
from ludometer.chess.record.evaluations import BLACK, UNKNOWN, Evaluations
from ludometer.errors import LudometerError
from ludometer.moves.gains import Gains
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl

Phase = Literal["opening", "middlegame", "endgame"]
PHASES: tuple[Phase, ...] = ("opening", "middlegame", "endgame")

_OPENING_PLIES = 20
_ENDGAME_MATERIAL = 26
_DRAWN = 12
_EDGE = 150
_BIN = 10


@dataclass(frozen=True)
class Filters:
    """Which moves count; by default all of them, as in the paper.

    `skip_plies` leaves out the first moves, counted over both sides. `window` keeps moves from positions valued within
    so many centipawns of equality. `phase` keeps moves of one phase: the opening is the first 20 plies; the endgame
    begins when the pieces of both sides, without pawns and kings, count 26 or less (queen 9, rook 5, others 3).
    `gap` keeps moves from positions where the best move was better than the second by that many centipawns.
    """

    skip_plies: int = 0
    window: int | None = None
    phase: Phase | None = None
    gap: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.skip_plies < 0:
            raise LudometerError(f"the number of plies to skip is 0 or more, not {self.skip_plies}")
        if self.window is not None and self.window < 1:
            raise LudometerError(f"the window is 1 centipawn or more, not {self.window}")
        if self.gap is not None and not 0 <= self.gap[0] < self.gap[1]:
            raise LudometerError(f"a gap needs two rising numbers from 0 up, not {self.gap[0]:g} to {self.gap[1]:g}")

    @classmethod
    def of_dict(cls, found: Mapping[str, Any]) -> Filters:
        """From a JSON object."""
        return cls(**dict(found) | {"gap": None if found["gap"] is None else tuple(found["gap"])})

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self) | {"gap": None if self.gap is None else list(self.gap)}

    def describe(self) -> str:
        """In a few words."""
        words = [f"without the first {self.skip_plies} plies"] if self.skip_plies else []
        words += [f"within {self.window / 100:g} pawns"] if self.window is not None else []
        words += [f"{self.phase} only"] if self.phase else []
        words += [f"best move ahead by {self.gap[0] / 100:g} to {self.gap[1] / 100:g} pawns"] if self.gap else []
        return ", ".join(words) or "all moves"


@dataclass(frozen=True, eq=False)
class MoveGains(Gains, Shown):
    """The gains of chess moves in centipawns."""

    filters: Filters

    def to_frame(self) -> pl.DataFrame:
        """The histograms: one row per player and gain, with its count and share."""
        import polars as pl

        keys, count = np.unique(np.column_stack((self.player, self.value)), axis=0, return_counts=True)
        moves, _ = self.counts()
        names = self.players.names.gather(keys[:, 0])
        return pl.DataFrame({"player": names, "gain": keys[:, 1], "count": count, "share": count / moves[keys[:, 0]]})

    def summary(self) -> str:
        """Moves, mean gain and the share of gain 0 of each player, for at most 17 players."""
        moves, games = self.counts()
        lines = [f"{len(self):,} gains ({self.filters.describe()}; {self.n_left_out:,} left out)"]
        played = np.flatnonzero(moves)
        for code in played[:17]:
            mine = self.value[self.player == code]
            lines.append(
                f"{self.players.names[int(code)]:<20} moves {moves[code]:<6,} games {games[code]:<5,}"
                f"  mean {mine.mean() / 100:+.3f}  gain 0 {np.mean(mine == 0):.3f}"
            )
        return "\n".join(lines + ([f"and {len(played) - 17} more players"] if len(played) > 17 else []))

    def document(self) -> dict[str, Any]:
        """The histograms by player."""
        return {"filters": self.filters.to_dict(), "gains": self.to_frame().to_dicts(), "absent": {}}

    def most_active(self) -> list[str]:
        """The players whose charts are drawn: those with most moves."""
        moves, _ = self.counts()
        order = np.argsort(-moves, kind="stable")[:_DRAWN]
        return [self.players.names[int(code)] for code in order if moves[code]]

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Histograms of the players with most moves (Ferreira's Figure 3)."""
        import altair as alt

        from ludometer.chart_style import INK
        from ludometer.chess.strength.charts import side_by_side
        from ludometer.wording import PERCENT_LABELS

        edges = np.arange(-_EDGE - _BIN / 2, _EDGE + _BIN, _BIN)
        rows_of: dict[str, list[dict[str, Any]]] = {}
        for name in self.most_active():
            mine = np.clip(self.of(name), -_EDGE, _EDGE)
            share = np.histogram(mine, edges)[0] / len(mine)
            rows_of[name] = [
                {"low": low / 100, "high": (low + _BIN) / 100, "share": part}
                for low, part in zip(edges[:-1].tolist(), share.tolist(), strict=True)
                if part
            ]
        top = max((row["share"] for rows in rows_of.values() for row in rows), default=1.0)
        within = alt.Scale(domain=[-1.55, 1.55])
        x = alt.X("low:Q", bin="binned", title="Gain (pawns)", scale=within, axis=_plain_axis(values=[-1, 0, 1]))
        share_axis = alt.Axis(labelExpr=PERCENT_LABELS, tickCount=3)

        def draw(rows: list[dict[str, Any]], is_first: bool) -> Any:
            title = "Share of moves" if is_first else None
            y = alt.Y("share:Q", title=title, scale=alt.Scale(domain=[0, top]), axis=share_axis)
            return alt.Chart(alt.InlineData(values=rows)).mark_bar(color=INK, opacity=0.8).encode(x=x, x2="high:Q", y=y)

        return {"gains": side_by_side(rows_of, draw, narrow=narrow)}


def _plain_axis(**settings: Any) -> Any:
    import altair as alt

    return alt.Axis(grid=False, **settings)


def measure_gains(evaluations: Evaluations, *, filters: Filters | None = None) -> MoveGains:
    """The gain of each move: the evaluation after it less that before it, from the mover's view.

    `g = s_after - s_before` for White, its negative for Black (Ferreira 2012, Algorithm 1, step 2).

    >>> from ludometer.chess import EvaluatedGame
    >>> game = EvaluatedGame("1", "Ann", "Ben", [13, 10, 40, 40])
    >>> measure_gains(Evaluations.of_games([game])).value.tolist()
    [-3, -30, 0]
    """
    filters = filters or Filters()
    after = counting_moves(evaluations, filters)
    step = evaluations.evaluation[after].astype(np.int64) - evaluations.evaluation[after - 1]
    game = evaluations.game[after]
    parameters = {"filters": filters.to_dict(), "conventions": evaluations.conventions.to_dict()}
    return MoveGains(
        value=np.where(evaluations.side[after] == BLACK, -step, step).astype(np.int32),
        player=evaluations.player[after],
        opponent=evaluations.seats[game, 1 - evaluations.side[after]],
        game=game,
        event=evaluations.event[game],
        ply=evaluations.ply[after],
        players=evaluations.players,
        events=evaluations.events,
        n_games=len(evaluations),
        n_left_out=int(evaluations.has_gain.sum()) - len(after),
        provenance=Provenance("gains", parameters, evaluations.fingerprint),
        filters=filters,
    )


def move_gaps(evaluations: Evaluations, rows: Counts) -> Array:
    """How much better the best move from each of these positions is than the second, in centipawns; NaN: unknown."""
    lines = evaluations.lines
    if lines is None or lines.shape[1] < 2:
        raise LudometerError(
            "this needs the evaluations of the best and second-best move: ludometer chess analyse --lines 2, or "
            "columns best and second"
        )
    best, second = lines[rows, 0].astype(np.float64), lines[rows, 1].astype(np.float64)
    known = (lines[rows, 0] != UNKNOWN) & (lines[rows, 1] != UNKNOWN)
    return np.where(known, np.abs(best - second), np.nan)


def counting_moves(evaluations: Evaluations, filters: Filters) -> Counts:
    """The rows of the positions after the moves that have a gain and pass the filters."""
    after = np.flatnonzero(evaluations.has_gain)
    kept = evaluations.ply[after] > filters.skip_plies
    if filters.window is not None:
        kept &= np.abs(evaluations.evaluation[after - 1].astype(np.int64)) <= filters.window
    if filters.phase is not None:
        kept &= _is_in_phase(evaluations, after - 1, filters.phase)
    if filters.gap is not None:
        gap = move_gaps(evaluations, after - 1)
        kept &= (gap >= filters.gap[0]) & (gap <= filters.gap[1])
    return after[kept]


def _is_in_phase(evaluations: Evaluations, rows: Counts, phase: Phase) -> Array:
    """Whether these positions belong to a phase of the game, by material and plies."""
    early = evaluations.ply[rows] < _OPENING_PLIES
    if evaluations.material is None:
        if phase == "opening":
            return np.asarray(early)
        raise LudometerError("the phase of the game needs the material of each position (column material)")
    late = evaluations.material[rows] <= _ENDGAME_MATERIAL
    return np.asarray(np.where(late, 2, np.where(early, 0, 1)) == PHASES.index(phase))
