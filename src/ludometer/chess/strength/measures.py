"""Other measures of play: Guid and Bratko's mean loss and share of best moves, Regan's sensitivity and consistency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats, Mask
from ludometer.chess.record.evaluations import BLACK, UNKNOWN, Evaluations
from ludometer.chess.strength.absent import explain
from ludometer.chess.strength.gains import Filters, counting_moves, move_gaps
from ludometer.errors import LudometerError
from ludometer.moves.gains import Tally, count_moves, finite_frame
from ludometer.moves.uncertainty import TOO_FEW, USUAL, Intervals, interval
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl

GUID_BRATKO = Filters(skip_plies=22, window=200)
"""Their choice: from the 12th move on, and only positions within two pawns of equality."""

_MEASURES = ("loss", "best_share", "standard_share")
_CLASSES = 5
_HALVINGS = 26
"""Then two steps by Newton give all digits."""


@dataclass(frozen=True, eq=False)
class MoveQuality(Shown):
    """Of each player: mean loss per move (pawns), share of best moves, and that share at equal difficulty.

    Shares are NaN where the best moves are not known. Difficulty is the gap between best and second-best move; at equal
    difficulty, each class of gaps has the weight that it has over all players.
    """

    tally: Tally
    loss: Floats
    best_share: Floats
    standard_share: Floats
    low: Floats
    """Lower ends, `[measure][player]`, in the order loss, best_share, standard_share."""
    high: Floats
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """One row per player, smallest loss first."""
        columns = {"player": self.tally.names, "moves": self.tally.moves, "games": self.tally.games}
        for k, name in enumerate(_MEASURES):
            columns |= {name: getattr(self, name), f"{name}_low": self.low[k], f"{name}_high": self.high[k]}
        return finite_frame(columns).sort("loss", "player")

    def summary(self) -> str:
        """One line per player, at most 18."""
        lines = ["mean loss per move (pawns), best moves, best moves at equal difficulty"]
        for row in self.to_frame().to_dicts()[:18]:
            span = TOO_FEW if row["loss_low"] is None else f"[{row['loss_low']:.3f}, {row['loss_high']:.3f}]"
            shares = "  ".join("    -" if row[k] is None else f"{row[k]:.3f}" for k in ("best_share", "standard_share"))
            lines.append(f"{row['player']:<22} {row['loss']:.3f} {span:<16} {shares}  {row['moves']:,} moves")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Mean losses with their intervals, smallest first."""
        from ludometer.chess.strength.charts import ranked_chart

        shown = [
            {"name": row["player"], "value": row["loss"], "low": row["loss_low"], "high": row["loss_high"]}
            for row in self.to_frame().to_dicts()
        ]
        return {"losses": ranked_chart(shown, "Mean loss per move (pawns)", form=".2f", narrow=narrow)}

    def document(self) -> dict[str, Any]:
        """The players with all three measures."""
        listed = []
        for row in self.to_frame().to_dicts():
            shown = {name: row[name] for name in ("player", "moves", "games")}
            for name, source in zip(("mean_loss", "best_share", "standard_share"), _MEASURES, strict=True):
                shown[name] = row[source]
                shown[f"{name}_interval"] = interval(row[f"{source}_low"], row[f"{source}_high"])
            listed.append(shown)
        return explain({"filters": self.provenance.parameters["filters"], "players": listed})


@dataclass(frozen=True, eq=False)
class Sensitivity(Shown):
    """Regan's sensitivity s (smaller: sees smaller differences) and consistency c (larger: fewer blunders).

    NaN where there is no finite fit; errors are NaN with too few games.
    """

    tally: Tally
    left_out: Counts
    """Moves that are none of the engine's lines, on which the model conditions."""
    s: Floats
    c: Floats
    s_error: Floats
    c_error: Floats
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """One row per player."""
        columns = {"player": self.tally.names, "moves": self.tally.moves, "games": self.tally.games}
        columns |= {name: getattr(self, name) for name in ("left_out", "s", "s_error", "c", "c_error")}
        return finite_frame(columns)

    def summary(self) -> str:
        """One line per player, at most 18."""
        lines = ["sensitivity s and consistency c"]
        for row in self.to_frame().to_dicts()[:18]:
            s, c = (
                "-" if row[k] is None else f"{row[k]:.3f}" + ("" if row[e] is None else f" ± {row[e]:.3f}")
                for k, e in (("s", "s_error"), ("c", "c_error"))
            )
            lines.append(f"{row['player']:<22} s {s:<18} c {c:<18} {row['moves']:,} moves")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """One point per player: s to the right, c upwards."""
        import altair as alt

        rows = [row for row in self.to_frame().to_dicts() if row["s"] is not None]
        near = alt.Scale(zero=False)
        width, height = (240, 240) if narrow else (360, 300)
        chart = alt.Chart(alt.InlineData(values=rows), width=width, height=height).mark_point(filled=True)
        x = alt.X("s:Q", title="Sensitivity s (smaller is better)", scale=near)
        y = alt.Y("c:Q", title="Consistency c", scale=near)
        return {"sensitivity": chart.encode(x=x, y=y, tooltip="player:N")}

    def document(self) -> dict[str, Any]:
        """The players."""
        return explain({"players": self.to_frame().to_dicts()})


def measure_quality(
    evaluations: Evaluations, *, filters: Filters = GUID_BRATKO, intervals: Intervals = USUAL
) -> MoveQuality:
    """Mean loss and share of best moves (Guid and Bratko 2006), with intervals by a bootstrap over games.

    The loss of a move is the evaluation of the best move less that of the move played, where the best is known, and
    never below 0; otherwise it is minus the gain.
    """
    after, game, player = _moves(evaluations, filters)
    loss, best = _losses(evaluations, after), _is_best(evaluations, after)
    n = len(evaluations.players)
    moves, games = count_moves(player, game, n)
    played = np.flatnonzero(moves)
    weight = intervals.draw_weights(len(evaluations))
    lanes = np.stack(
        (
            _weighted_means(loss / 100, np.isfinite(loss), game, player, weight, n)[played],
            _weighted_means(best, np.isfinite(best), game, player, weight, n)[played],
            _standardised(evaluations, after, best, game, player, weight)[played],
        )
    )
    tally = Tally(_names(evaluations, played), moves[played], games[played])
    low, high = intervals.around(lanes[..., 0], lanes[..., 1:], tally.games)
    parameters = {"filters": filters.to_dict()} | intervals.parameters
    provenance = Provenance("move quality", parameters, evaluations.fingerprint, intervals.seed)
    loss_mean, best_share, standard_share = lanes[..., 0]
    return MoveQuality(tally, loss_mean, best_share, standard_share, low, high, provenance)


def fit_sensitivity(
    evaluations: Evaluations, *, filters: Filters | None = None, min_games: int = USUAL.min_games
) -> Sensitivity:
    """Regan and Haworth's s and c for each player, by maximum likelihood from the engine's lines.

    A move that is `delta` worse than the best has `log(1/p) / log(1/p_best) = exp((delta / s)^c)`, where the
    probabilities of the lines add up to 1; delta is the difference of evaluations on the scale `ln(1 + |v|)` in pawns,
    so that a pawn counts less where the game is decided. They fit shares of moves over all legal moves; here only the
    engine's lines are known (two or more), so the fit is conditional on one of them being played. Errors allow for
    dependence between the moves of a game.
    """
    if evaluations.lines is None or evaluations.choice is None or evaluations.lines.shape[1] < 2:
        raise LudometerError(
            "s and c need the engine's best moves and which was played: ludometer chess analyse --lines 2, or columns "
            "best, second, choice"
        )
    after, game, player = _moves(evaluations, filters or Filters())
    deltas = _deltas(evaluations, after)
    choice = evaluations.choice[after - 1].astype(np.int64)
    usable = np.isfinite(deltas[:, :2]).all(axis=1)
    known = usable & (choice >= 0) & np.isfinite(deltas[np.arange(len(deltas)), np.maximum(choice, 0)])
    if not known.any():
        raise LudometerError("no move that counts is one of the engine's lines")
    n = len(evaluations.players)
    moves, games = count_moves(player[known], game[known], n)
    left_out = np.bincount(player[usable & ~known], minlength=n)
    played = np.flatnonzero(moves)
    fitted = np.full((len(played), 4), np.nan)
    for k, code in enumerate(played):
        mine = known & (player == code)
        fitted[k] = fit_choices(deltas[mine], choice[mine], game[mine], min_games=min_games)
    tally = Tally(_names(evaluations, played), moves[played], games[played])
    provenance = Provenance("sensitivity and consistency", {"min_games": min_games}, evaluations.fingerprint)
    s, c, s_error, c_error = fitted.T
    return Sensitivity(tally, left_out[played], s, c, s_error, c_error, provenance)


def _names(evaluations: Evaluations, codes: Array) -> tuple[str, ...]:
    return tuple(evaluations.players.names[int(code)] for code in codes)


def fit_choices(deltas: Floats, choice: Array, game: Array, *, min_games: int = USUAL.min_games) -> Floats:
    """s, c and their errors from choices among lines, each `deltas` worse than the best (NaN: no such line)."""
    from scipy.optimize import minimize

    def loss(parameters: Floats) -> float:
        return -float(_log_choices(parameters, deltas, choice).sum())

    starts = [np.log([s, c]) for s in (0.05, 0.2) for c in (0.4, 0.8)]
    start = min(starts, key=loss)
    bounds = [(np.log(1e-4), np.log(50.0)), (np.log(0.02), np.log(10.0))]
    found = minimize(loss, start, method="Nelder-Mead", bounds=bounds, options={"xatol": 1e-7, "fatol": 1e-9})
    edge = [min(value - low, high - value) < 1e-3 for value, (low, high) in zip(found.x, bounds, strict=True)]
    if any(edge):
        return np.full(4, np.nan)
    s, c = np.exp(found.x)
    error = _robust_errors(found.x, deltas, choice, game, min_games)
    return np.array([s, c, s * error[0], c * error[1]])


def choice_probabilities(deltas: Floats, s: float, c: float) -> Floats:
    """The probability of each line, `p_i = p_0 ^ exp((delta_i / s)^c)`, adding up to 1; 0 where there is no line.

    >>> choice_probabilities(np.array([[0.0, 0.0], [0.0, 0.1]]), 0.1, 0.5).round(3).tolist()
    [[0.5, 0.5], [0.667, 0.333]]
    """
    return np.where(np.isfinite(deltas), np.exp(_log_probabilities(deltas, s, c)), 0.0)


def _log_probabilities(deltas: Floats, s: float, c: float) -> Floats:
    there = np.isfinite(deltas)
    with np.errstate(over="ignore"):
        power = np.where(there, np.minimum((np.where(there, np.maximum(deltas, 0.0), 0.0) / s) ** c, 500.0), 0.0)
    exponent = np.where(there, np.exp(power), np.inf)
    # the best of k lines has a probability of 1 / k or more, and the sum of all rises with it
    low, high = -np.log(np.maximum(there.sum(axis=1), 1)), np.zeros(len(deltas))
    finite = np.where(there, exponent, 0.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        total = np.where(there, np.exp(middle[:, None] * finite), 0.0).sum(axis=1)
        low, high = np.where(total < 1, middle, low), np.where(total < 1, high, middle)
    best = (low + high) / 2
    for _ in range(2):
        part = np.where(there, np.exp(best[:, None] * finite), 0.0)
        best = np.clip(best - (part.sum(axis=1) - 1) / (part * finite).sum(axis=1), low, high)
    return np.where(there, best[:, None] * finite, -np.inf)


def _log_choices(parameters: Floats, deltas: Floats, choice: Array) -> Floats:
    log = _log_probabilities(deltas, *np.exp(parameters))
    return np.asarray(np.maximum(log[np.arange(len(choice)), choice], -1e6))


def _robust_errors(at: Floats, deltas: Floats, choice: Array, game: Array, min_games: int) -> Floats:
    """Standard errors of log s and log c: the sandwich with games as clusters, and its small-sample factor."""
    clusters, label = np.unique(game, return_inverse=True)
    n = len(clusters)
    if n < max(2, min_games):
        return np.full(2, np.nan)
    step = 1e-4
    units = np.eye(2) * step

    def value(move: Floats) -> Floats:
        return np.asarray(np.bincount(label, _log_choices(at + move, deltas, choice), minlength=n), np.float64)

    slope = np.column_stack([(value(unit) - value(-unit)) / (2 * step) for unit in units])
    hessian = np.array(
        [
            [(value(a + b) - value(a - b) - value(b - a) + value(-a - b)).sum() / (4 * step**2) for b in units]
            for a in units
        ]
    )
    bread = np.linalg.pinv(-hessian)
    meat = slope.T @ slope * n / (n - 1)
    return np.sqrt(np.maximum(np.diag(bread @ meat @ bread), 0.0))


def _moves(evaluations: Evaluations, filters: Filters) -> tuple[Counts, Codes, Codes]:
    """Positions after the moves that count, with game and player."""
    after = counting_moves(evaluations, filters)
    if not len(after):
        raise LudometerError(f"no moves count ({filters.describe()})")
    return after, evaluations.game[after], evaluations.player[after]


def _losses(evaluations: Evaluations, after: Counts) -> Floats:
    sign = np.where(evaluations.side[after] == BLACK, -1.0, 1.0)
    level = evaluations.evaluation.astype(np.float64)
    if evaluations.lines is None:
        return np.asarray(sign * (level[after - 1] - level[after]))
    best = evaluations.lines[after - 1, 0]
    loss = np.maximum(sign * (best - level[after]), 0.0)
    loss = np.where(best == UNKNOWN, np.nan, loss)
    return np.where(_is_best(evaluations, after) == 1, 0.0, loss)


def _is_best(evaluations: Evaluations, after: Counts) -> Floats:
    if evaluations.choice is None:
        return np.full(len(after), np.nan)
    return np.asarray(evaluations.choice[after - 1] == 0, np.float64)


def _weighted_means(value: Floats, used: Mask, game: Codes, player: Codes, weight: Floats, n: int) -> Floats:
    """Means of a value by player in each lane of weights of games."""
    pairs, seat = np.unique(np.column_stack((player[used], game[used])), axis=0, return_inverse=True)
    seat = seat.reshape(-1)
    total = np.bincount(seat, value[used], minlength=len(pairs))
    count = np.bincount(seat, minlength=len(pairs)).astype(np.float64)
    sums = np.zeros((2, n, weight.shape[1]))
    for k, part in enumerate((total, count)):
        np.add.at(sums[k], pairs[:, 0], part[:, None] * weight[pairs[:, 1]])
    with np.errstate(invalid="ignore"):
        return np.where(sums[1] > 0, sums[0] / np.where(sums[1] > 0, sums[1], 1.0), np.nan)


def _standardised(
    evaluations: Evaluations, after: Counts, best: Floats, game: Codes, player: Codes, weight: Floats
) -> Floats:
    """Best-move shares by class of gap, weighted as over all moves; NaN for players without a move in some class."""
    n = len(evaluations.players)
    nothing = np.full((n, weight.shape[1]), np.nan)
    if evaluations.lines is None or evaluations.choice is None or evaluations.lines.shape[1] < 2:
        return nothing
    gap = move_gaps(evaluations, after - 1)
    used = np.isfinite(gap) & np.isfinite(best)
    if not used.any():
        return nothing
    edges = np.unique(np.quantile(gap[used], np.linspace(0, 1, _CLASSES + 1)[1:-1]))
    label = np.searchsorted(edges, gap, "right")
    share = np.zeros((n, weight.shape[1]))
    for number in np.unique(label[used]):
        here = used & (label == number)
        share += here.sum() / used.sum() * _weighted_means(best, here, game, player, weight, n)
    return share


def _deltas(evaluations: Evaluations, after: Counts) -> Floats:
    """How much worse each line is than the best, on the scale ln(1 + |v|), from the mover's view."""
    assert evaluations.lines is not None
    lines = evaluations.lines[after - 1].astype(np.float64)
    there = evaluations.lines[after - 1] != UNKNOWN
    pawns = np.where(there, lines, 0.0) / 100
    scaled = np.where(there, np.sign(pawns) * np.log1p(np.abs(pawns)), np.nan)
    sign = np.where(evaluations.side[after] == BLACK, -1.0, 1.0)[:, None]
    return np.asarray(np.maximum(sign * (scaled[:, :1] - scaled), 0.0))
