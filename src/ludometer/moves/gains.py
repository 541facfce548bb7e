"""Gains: what each move did to the evaluation, their distributions, and the expected score between two of them."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Array, Codes, Counts
from ludometer.errors import LudometerError
from ludometer.moves.evaluations import BLACK, UNKNOWN, Conventions, Evaluations
from ludometer.players import Players
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl

Phase = Literal["opening", "middlegame", "endgame"]

PERFORMANCE_SD = 200.0
"""Elo's standard deviation of one player's performance; a difference of two has root 2 times as much."""

_OPENING_PLIES = 20
_ENDGAME_MATERIAL = 26


@dataclass(frozen=True)
class Filters:
    """Which moves count; by default all of them, as in the paper.

    `skip_plies` leaves out the first moves, counted over both sides. `window` keeps moves from positions valued within
    so many centipawns of equality. `phase` keeps moves of one phase: the opening is the first 20 plies, the endgame
    begins where the pieces but pawns and kings of both sides together count 26 or less (a queen 9, a rook 5, others 3).
    `gap` keeps moves from positions where the best move was better than the second by that many centipawns.
    """

    skip_plies: int = 0
    window: int | None = None
    phase: Phase | None = None
    gap: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.skip_plies < 0:
            raise LudometerError(f"plies to skip are counted from 0 up, not {self.skip_plies}")
        if self.window is not None and self.window < 1:
            raise LudometerError(f"the window is 1 centipawn or wider, not {self.window}")
        if self.gap is not None and not 0 <= self.gap[0] < self.gap[1]:
            raise LudometerError(f"the gap goes from 0 or more up to more, not {self.gap[0]:g} to {self.gap[1]:g}")

    def describe(self) -> str:
        """In a few words."""
        words = [f"without the first {self.skip_plies} plies"] if self.skip_plies else []
        words += [f"within {self.window / 100:g} pawns"] if self.window is not None else []
        words += [f"{self.phase} only"] if self.phase else []
        words += [f"best move ahead by {self.gap[0] / 100:g} to {self.gap[1] / 100:g} pawns"] if self.gap else []
        return ", ".join(words) or "all moves"

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self) | {"gap": None if self.gap is None else list(self.gap)}


@dataclass(frozen=True, eq=False)
class Gains:
    """The gains of the moves that count, in whole centipawns, in the order of the games and their moves."""

    value: Codes
    player: Codes
    opponent: Codes
    game: Codes
    event: Codes
    ply: Codes
    players: Players
    events: tuple[str, ...]
    n_games: int
    n_left_out: int
    """Moves with a known gain that the filters left out."""
    filters: Filters
    conventions: Conventions
    provenance: Provenance

    def __len__(self) -> int:
        return len(self.value)

    def of(self, player: str) -> Codes:
        """The gains of one player."""
        return np.asarray(self.value[self.player == self.players.code(player)], np.int32)

    def counts(self) -> tuple[Counts, Counts]:
        """Moves and games of each player."""
        moves = np.bincount(self.player, minlength=len(self.players))
        seats = np.unique(np.column_stack((self.player, self.game)), axis=0)[:, 0]
        return moves, np.bincount(seats, minlength=len(self.players))

    def to_frame(self) -> pl.DataFrame:
        """The histograms: a row a player and gain (centipawns), with its count and share."""
        import polars as pl

        keys, count = np.unique(np.column_stack((self.player, self.value)), axis=0, return_counts=True)
        moves = np.bincount(self.player, minlength=len(self.players))
        names = self.players.names.gather(keys[:, 0])
        return pl.DataFrame({"player": names, "gain": keys[:, 1], "count": count, "share": count / moves[keys[:, 0]]})

    def summary(self) -> str:
        """Moves, mean gain and the share of gain 0 of each player, at most 17 of them."""
        moves, games = self.counts()
        lines = [f"{len(self):,} gains ({self.filters.describe()}; {self.n_left_out:,} left out)"]
        played = np.flatnonzero(moves)
        for code in played[:17]:
            mine = self.value[self.player == code]
            lines.append(
                f"{self.players.names[int(code)]:<20} moves {moves[code]:<6,} games {games[code]:<5,}"
                f"  mean {mine.mean() / 100:+.3f}  gain 0 {np.mean(mine == 0):.3f}"
            )
        return "\n".join(lines + ([f"and {len(played) - 17} players more"] if len(played) > 17 else []))

    def plot(self, *, low: int = -150, high: int = 100) -> altair.Chart:
        """Histograms in bins of 1 centipawn, one below the other (Ferreira's Figure 3), of at most 12 players."""
        import altair as alt

        moves, _ = self.counts()
        shown = set(self.players.names.gather(np.argsort(-moves, kind="stable")[:12]))
        rows = [row for row in self.to_frame().to_dicts() if low <= row["gain"] <= high and row["player"] in shown]
        chart: alt.Chart = (
            alt.Chart(alt.InlineData(values=rows), width=480, height=90)
            .mark_bar(color="#4c6a92", width=2)
            .encode(
                x=alt.X("gain:Q", title="Gain (centipawns)", scale=alt.Scale(domain=[low, high])),
                y=alt.Y("share:Q", title="Share"),
                row=alt.Row("player:N", title=None),
            )
        )
        return chart


def measure_gains(evaluations: Evaluations, *, filters: Filters | None = None) -> Gains:
    """The gain of each move: the evaluation after it less that before it, from the view of who moved.

    `g = s_after - s_before` for White, its negative for Black (Ferreira 2012, Algorithm 1, step 2).

    >>> from ludometer.moves.evaluations import EvaluatedGame
    >>> game = EvaluatedGame("1", "Ann", "Ben", [13, 10, 40, 40])
    >>> measure_gains(Evaluations.of_games([game])).value.tolist()
    [-3, -30, 0]
    """
    filters = filters or Filters()
    after = counting_moves(evaluations, filters)
    step = evaluations.evaluation[after].astype(np.int64) - evaluations.evaluation[after - 1]
    value = np.where(evaluations.side[after] == BLACK, -step, step).astype(np.int32)
    game = evaluations.game[after]
    return Gains(
        value,
        evaluations.player[after],
        evaluations.seats[game, 1 - evaluations.side[after]],
        game,
        evaluations.event[game],
        evaluations.ply[after],
        evaluations.players,
        evaluations.events,
        len(evaluations),
        int(evaluations.has_gain.sum()) - len(after),
        filters,
        evaluations.conventions,
        Provenance(
            "gains",
            {"filters": filters.to_dict(), "conventions": evaluations.conventions.to_dict()},
            evaluations.fingerprint,
        ),
    )


def expected_score(first: Array, second: Array) -> float:
    """P(X > Y) + P(X = Y) / 2 for independent draws X and Y: what the first scores on average (Ferreira 2012, eq. 2).

    It is the Mann-Whitney statistic over the number of pairs, found by sorting: `sum(rank in the other) / (m n)`.

    >>> expected_score(np.array([0, -5]), np.array([0, -10]))
    0.625
    """
    if not len(first) or not len(second):
        raise LudometerError("the expected score needs gains on both sides")
    ordered = np.sort(second)
    ranks = np.searchsorted(ordered, first, "left") + np.searchsorted(ordered, first, "right")
    return int(ranks.sum()) / (2 * len(first) * len(second))


def rating_difference(score: Any) -> Any:
    """d = 200 root 2 times the normal quantile of the expected score; infinite at 0 and 1 (Algorithm 1, step 5).

    >>> round(float(rating_difference(0.655)))
    113
    """
    from scipy.special import ndtri

    return PERFORMANCE_SD * math.sqrt(2) * ndtri(score)


def phases(evaluations: Evaluations, positions: Counts) -> Array:
    """The phase of each of these positions: 0 opening, 1 middlegame, 2 endgame; material has to be known."""
    if evaluations.material is None:
        raise LudometerError("the phase of the game needs the material of each position (column material)")
    late = evaluations.material[positions] <= _ENDGAME_MATERIAL
    return np.where(late, 2, np.where(evaluations.ply[positions] < _OPENING_PLIES, 0, 1))


def move_gaps(evaluations: Evaluations, positions: Counts) -> Array:
    """How much better the best move from each position is than the second, in centipawns; NaN where not known."""
    lines = evaluations.lines
    if lines is None or lines.shape[1] < 2:
        raise LudometerError(
            "this needs the evaluations of the best and second-best move: ludometer chess analyse --lines 2, or "
            "columns best and second"
        )
    best, second = lines[positions, 0].astype(np.float64), lines[positions, 1].astype(np.float64)
    known = (lines[positions, 0] != UNKNOWN) & (lines[positions, 1] != UNKNOWN)
    return np.where(known, np.abs(best - second), np.nan)


def counting_moves(evaluations: Evaluations, filters: Filters) -> Counts:
    """The positions after the moves that have a gain and pass the filters."""
    after = np.flatnonzero(evaluations.has_gain)
    kept = evaluations.ply[after] > filters.skip_plies
    if filters.window is not None:
        kept &= np.abs(evaluations.evaluation[after - 1].astype(np.int64)) <= filters.window
    if filters.phase is not None:
        names = ("opening", "middlegame", "endgame")
        if filters.phase == "opening" and evaluations.material is None:
            kept &= evaluations.ply[after - 1] < _OPENING_PLIES
        else:
            kept &= phases(evaluations, after - 1) == names.index(filters.phase)
    if filters.gap is not None:
        gap = move_gaps(evaluations, after - 1)
        kept &= (gap >= filters.gap[0]) & (gap <= filters.gap[1])
    return after[kept]
