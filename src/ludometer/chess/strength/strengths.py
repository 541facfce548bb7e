"""Strengths of a tournament from its rating differences, and the strength of the engine from those of the players.

Strengths of the players of a tournament from their moves, with intervals, and the strength of the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.errors import LudometerError, NoFiniteFit
from ludometer.moves.evaluations import Evaluations
from ludometer.moves.gains import Filters, Gains, measure_gains, rating_difference
from ludometer.moves.pairs import NO_PAIR, Distribution, PairTable, compare_pairs
from ludometer.moves.samples import ENGINE, Reference, gather_samples
from ludometer.moves.uncertainty import (
    MIN_GAMES,
    REPLICATES,
    TOO_FEW,
    combine_intervals,
    draw_weights,
    find_errors,
    find_intervals,
    nullable,
)
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl

_PRINTED_PASSES = 10_000


def solve_strengths(
    first: Codes, second: Codes, difference: Floats, n_players: int, *, names: Sequence[str] | None = None
) -> Floats:
    """Strengths with mean 0 that minimise `sum (r_i - r_j - d_ij)^2` over the pairs (Ferreira 2012, eq. 3), exactly.

    The minimum solves the Laplacian system of the graph of pairs. `difference` may have lanes, `[pair][lane]`.
    Players in no pair, or in parts that no pair joins, are an error that names the parts.

    >>> solve_strengths(np.array([0, 1]), np.array([1, 2]), np.array([10.0, 20.0]), 3).round(9).tolist()
    [13.333333333, 3.333333333, -16.666666667]
    """
    first, second = np.asarray(first, np.int32), np.asarray(second, np.int32)
    difference = np.asarray(difference, np.float64)
    _check_finite(first, second, difference, names)
    check_connected(first, second, n_players, names)
    flow = np.zeros((n_players, *difference.shape[1:]))
    np.add.at(flow, first, difference)
    np.subtract.at(flow, second, difference)
    if n_players == 1:
        return flow
    laplacian = np.zeros((n_players, n_players))
    for one, other in ((first, second), (second, first)):
        np.add.at(laplacian, (one, one), 1.0)
        np.subtract.at(laplacian, (one, other), 1.0)
    strength = np.zeros_like(flow)
    # with the first player at 0 the system has one solution
    strength[1:] = np.linalg.solve(laplacian[1:, 1:], flow[1:])
    return np.asarray(strength - strength.mean(axis=0))


def iterate_as_printed(first: Codes, second: Codes, difference: Floats, rating: Floats) -> Floats:
    """Algorithm 2 as the printed strengths come out of it: player by player, each rounded to a whole number at once.

    Each player's strength becomes the mean of `r_j + d_ij` over his opponents, until nothing changes; then all are
    shifted to the mean of the known ratings. Rounding stops it before the least squares are reached: of Table 1 it
    gives every printed strength, the exact solution six of nine.
    """
    if not np.isfinite(rating).all():
        raise LudometerError("the printed iteration starts from the ratings of all players; some are not known")
    check_connected(first, second, len(rating))
    to: list[list[tuple[int, float]]] = [[] for _ in rating]
    for i, j, d in zip(np.asarray(first).tolist(), np.asarray(second).tolist(), difference.tolist(), strict=True):
        to[i].append((j, d))
        to[j].append((i, -d))
    strength = [float(value) for value in rating]
    for _ in range(_PRINTED_PASSES):
        before = list(strength)
        for i, met in enumerate(to):
            if met:
                strength[i] = float(round(sum(strength[j] + d for j, d in met) / len(met)))
        if strength == before:
            break
    else:
        raise NoFiniteFit("the printed iteration does not come to rest; the exact strengths exist")
    settled = np.array(strength)
    return np.asarray(np.rint(settled + rating.mean() - settled.mean()))


def shift_to_ratings(strength: Floats, rating: Floats) -> float | None:
    """What to add so that players with a known rating have its mean; None where no rating is known (step 4)."""
    known = np.isfinite(rating)
    return float(rating[known].mean() - strength[known].mean()) if known.any() else None


@dataclass(frozen=True)
class EngineStrength:
    """The strength of the engine (Algorithm 3): the mean of `r_i - d_i` over players with a finite difference."""

    by_rating: float | None
    """From the known ratings."""
    by_strength: float | None
    """From the estimated strengths of all players."""
    interval: tuple[float, float] | None = None
    n_players: int = 0
    """Players with a known rating and a finite difference."""
    given: float | None = None
    """A strength that was handed in and is used instead."""

    @property
    def strength(self) -> float | None:
        """What is used: the given one, else that by ratings."""
        return self.by_rating if self.given is None else self.given


def engine_strength(rating: Floats, difference: Floats, strength: Floats | None = None) -> EngineStrength:
    """The engine's strength from ratings and the players' differences against it; both may be unknown (NaN) for some.

    >>> engine_strength(np.array([2800.0, 2700.0]), np.array([-60.0, -140.0])).strength
    2850.0
    """
    finite = np.isfinite(difference)
    used = finite & np.isfinite(rating)
    by_rating = float((rating[used] - difference[used]).mean()) if used.any() else None
    by_strength = None
    if strength is not None and (placed := finite & np.isfinite(strength)).any():
        by_strength = float((strength[placed] - difference[placed]).mean())
    return EngineStrength(by_rating, by_strength, n_players=int(used.sum()))


def check_connected(first: Codes, second: Codes, n_players: int, names: Sequence[str] | None = None) -> None:
    """All players have to be joined by pairs; else the error names the parts."""
    from ludometer.kernels.skills.components import components

    label = components(np.asarray(first, np.int32), np.asarray(second, np.int32), n_players)
    n_parts = int(label.max(initial=0)) + 1
    if n_parts <= 1:
        return
    parts = [_listed(np.flatnonzero(label == part), names) for part in range(min(n_parts, 6))]
    more = f"; and {n_parts - 6} parts more" if n_parts > 6 else ""
    raise LudometerError(
        f"the players fall into {n_parts} groups that no pair joins, so their strengths cannot be compared: "
        f"{'; '.join(parts)}{more}. Take one part, or compare them by way of the engine (method engine)"
    )


def _check_finite(first: Codes, second: Codes, difference: Floats, names: Sequence[str] | None) -> None:
    if not len(first):
        return
    rows = np.flatnonzero(~np.isfinite(difference.reshape(len(first), -1)).all(axis=1))
    if len(rows):
        i, j = int(first[rows[0]]), int(second[rows[0]])
        pair = f"{_name(i, names)} and {_name(j, names)}"
        raise NoFiniteFit(
            f"every gain of one is above every gain of the other, so there is no finite difference: {pair}"
            + (f" and {len(rows) - 1} pairs more" if len(rows) > 1 else "")
            + ". More moves help, or a comparison by way of the engine (method engine)"
        )


def _listed(codes: Array, names: Sequence[str] | None) -> str:
    more = f" and {len(codes) - 5} more" if len(codes) > 5 else ""
    return ", ".join(_name(int(code), names) for code in codes[:5]) + more


def _name(code: int, names: Sequence[str] | None) -> str:
    return str(code) if names is None else names[code]


Method = Literal["exact", "printed", "engine"]
"""Least squares solved exactly; the integer iteration behind the printed tables; or the engine's strength plus d."""


@dataclass(frozen=True, eq=False)
class AgainstEngine:
    """Each player against the reference: expected score, difference (-inf: no estimate yet), error and interval."""

    reference: str
    score: Floats
    difference: Floats
    error: Floats
    low: Floats
    high: Floats
    lanes: Floats


@dataclass(frozen=True, eq=False)
class Strengths:
    """Of each player who moved: moves, games, rating, strength with its interval, and how he stands to the engine.

    `relative` has mean 0 over the players and needs no ratings; without any the interval is that of `relative`.
    NaN: no rating is known, or too few games.
    """

    names: tuple[str, ...]
    moves: Counts
    games: Counts
    rating: Floats
    relative: Floats
    strength: Floats
    low: Floats
    high: Floats
    against_engine: AgainstEngine
    pairs: PairTable
    engine: EngineStrength
    method: Method
    level: float
    min_games: int
    provenance: Provenance

    @property
    def inconsistency(self) -> float:
        """The RMS over pairs of `d_i - d_j` by the engine less `d_ij`, in Elo points."""
        by_engine = self.by_engine
        used = np.isfinite(by_engine) & np.isfinite(self.pairs.difference)
        return float(np.sqrt(np.mean((by_engine[used] - self.pairs.difference[used]) ** 2))) if used.any() else np.nan

    @property
    def by_engine(self) -> Floats:
        """The difference of each pair by way of the engine."""
        d = self.against_engine.difference
        with np.errstate(invalid="ignore"):
            return np.asarray(d[self.pairs.first] - d[self.pairs.second])

    @property
    def contradictions(self) -> list[str]:
        """Pairs whose order is one way by their own gains and the other way by the engine."""
        by_engine, direct = self.by_engine, self.pairs.difference
        return [
            f"{self.names[self.pairs.first[k]]} - {self.names[self.pairs.second[k]]}: {direct[k]:+.0f} by their gains, "
            f"{by_engine[k]:+.0f} by the engine"
            for k in np.flatnonzero(direct * by_engine < 0)
        ]

    @property
    def absent(self) -> dict[str, str]:
        """Why a number is not there, by player."""
        why = {}
        for code, name in enumerate(self.names):
            if not np.isfinite(self.strength[code]):
                known = np.isfinite(self.against_engine.difference[code]) or self.method != "engine"
                why[f"{name}.strength"] = "no rating is known" if known else "no estimate yet: every gain is negative"
            elif not np.isfinite(self.low[code]):
                why[f"{name}.interval"] = TOO_FEW
        return why

    def to_frame(self) -> pl.DataFrame:
        """A row a player, strongest first."""
        import polars as pl

        engine = self.against_engine
        columns = {
            "player": self.names,
            "moves": self.moves,
            "games": self.games,
            "rating": self.rating,
            "strength": self.strength,
            "low": self.low,
            "high": self.high,
            "relative": self.relative,
            "engine_score": engine.score,
            "engine_difference": engine.difference,
            "engine_low": engine.low,
            "engine_high": engine.high,
        }
        frame = pl.DataFrame(columns)
        finite = pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64))
        return frame.with_columns(finite).sort("relative", "player", descending=[True, False], nulls_last=True)

    def pairs_frame(self) -> pl.DataFrame:
        """A row a pair: directly, with its interval, and by way of the engine."""
        import polars as pl

        by_engine = pl.Series("by_engine", self.by_engine)
        return self.pairs.to_frame().with_columns(pl.when(by_engine.is_finite()).then(by_engine).alias("by_engine"))

    def summary(self) -> str:
        """The table of strengths, at most 15 players, then the engine and what contradicts."""
        rows = self.to_frame().to_dicts()
        lines = [f"{int(self.moves.sum()):,} moves, pairs: {len(self.pairs):,}, {100 * self.level:g}% intervals"]
        lines += [_line(row, self.interval_word(row)) for row in rows[:14]]
        if len(rows) > 14:
            lines.append(f"and {len(rows) - 14} players more")
        if self.engine.strength is not None:
            span = self.engine.interval
            words = "" if span is None else f" [{span[0]:.0f}, {span[1]:.0f}]"
            lines.append(f"engine {self.engine.strength:.0f}{words}")
        lines.append(f"pairs by the engine ({self.against_engine.reference}) differ by {self.inconsistency:.0f} (RMS)")
        found = self.contradictions
        if found:
            lines.append(f"{len(found)} of {len(self.pairs)} pairs have another sign by the engine, such as {found[0]}")
        return "\n".join(lines)

    def interval_word(self, row: Mapping[str, object]) -> str:
        """The interval of a row of the frame, or why there is none."""
        return TOO_FEW if row["low"] is None else f"[{row['low']:.0f}, {row['high']:.0f}]"

    def plot(self) -> altair.LayerChart:
        """Strengths with their intervals, strongest first; a hollow point is the known rating."""
        import altair as alt

        rows = self.to_frame().to_dicts()
        key = "strength" if any(row["strength"] is not None for row in rows) else "relative"
        x = alt.X(f"{key}:Q", title="Strength (Elo points)", scale=alt.Scale(zero=False))
        y = alt.Y("player:N", sort=[row["player"] for row in rows], title=None)
        base = alt.Chart(alt.InlineData(values=rows), width=480)
        drawn: alt.LayerChart = (
            base.mark_rule(color="#4c6a92").encode(x=alt.X("low:Q", title="Strength (Elo points)"), x2="high:Q", y=y)
            + base.mark_point(filled=True, color="#4c6a92").encode(x=x, y=y)
            + base.mark_point(color="#b4530a").encode(x="rating:Q", y=y)
        )
        return drawn


def measure_strengths(
    evaluations: Evaluations,
    *,
    ratings: Mapping[str, float] | None = None,
    filters: Filters | None = None,
    distribution: Distribution = "player",
    method: Method = "exact",
    reference: Reference = ENGINE,
    engine: float | None = None,
    level: float = 0.95,
    replicates: int = REPLICATES,
    min_games: int = MIN_GAMES,
    seed: int = 0,
) -> Strengths:
    """Strengths in Elo points on the scale of the known ratings (Ferreira 2012, Algorithms 1 to 4).

    Every strength has an interval from a Bayesian bootstrap over games. `ratings` by name go before those of the games;
    without any, only relative strengths exist. `engine` is a known strength of the engine, for `method="engine"`.

    >>> from ludometer.moves.evaluations import EvaluatedGame
    >>> game = EvaluatedGame("1", "Ann", "Ben", [0, 0, 20, 10, 40, 40, 40], white_rating=2000, black_rating=1900)
    >>> found = measure_strengths(Evaluations.of_games([game]))
    >>> found.strength.round().tolist(), found.interval_word(found.to_frame().row(0, named=True))
    ([2058.0, 1842.0], 'too few games')
    """
    gains = measure_gains(evaluations, filters=filters)
    if not len(gains):
        raise LudometerError(_nothing_counts(gains))
    weight = draw_weights(gains.n_games, replicates=replicates, seed=seed)
    pairs = compare_pairs(gains, weight, distribution=distribution, level=level, min_games=min_games)
    moves, games = gains.counts()
    played = np.flatnonzero(moves).astype(np.int32)
    rating = evaluations.known_ratings(ratings)[played]
    against = hold_against(
        gains, gains.player, len(moves), reference, weight, games=games, level=level, min_games=min_games
    )
    against = _take(against, played)
    pairs = _renumber(pairs, played)
    names = tuple(pairs.names)
    found = _estimates(pairs, rating, against, method, engine)
    shift = _shift(found, rating, against, method, engine)
    strength = found + (np.nan if shift is None else shift)
    relative = found - (found[np.isfinite(found)].mean() if np.isfinite(found).any() else 0.0)
    centre = relative if shift is None else strength
    if method == "engine":
        low, high = find_intervals(centre, against.lanes, games[played], level=level, min_games=min_games)
    elif distribution == "pair":
        low, high = _pair_intervals(centre, pairs, rating, level=level, min_games=min_games)
    else:
        lanes = solve_strengths(pairs.first, pairs.second, pairs.lanes, len(names))
        # the mean of the ratings is known; what the bootstrap moves is how strengths lie around it
        low, high = find_intervals(
            centre, lanes - _anchor(lanes, rating), games[played], level=level, min_games=min_games
        )
    parameters = {
        "distribution": distribution,
        "method": method,
        "reference": reference.describe(),
        "replicates": replicates,
        "level": level,
        "min_games": min_games,
        **gains.provenance.parameters,
    }
    measured = engine_strength(rating, against.difference, strength)
    return Strengths(
        names,
        moves[played],
        games[played],
        rating,
        relative,
        strength,
        low,
        high,
        against,
        pairs,
        replace(
            measured,
            interval=_engine_interval(against, rating, gains.n_games, level=level, min_games=min_games),
            given=engine,
        ),
        method,
        level,
        min_games,
        Provenance("strength from moves", parameters, evaluations.fingerprint, seed),
    )


def hold_against(
    gains: Gains,
    sample: Codes,
    n_samples: int,
    reference: Reference,
    weight: Floats,
    *,
    games: Counts,
    level: float,
    min_games: int,
) -> AgainstEngine:
    """Each sample of gains against the reference, whose own error is left out; samples without gains are NaN."""
    samples = gather_samples(gains, sample, n_samples, references=[reference])
    filled = np.flatnonzero(np.diff(samples.starts)[:n_samples]).astype(np.int32)
    score = np.full((n_samples, weight.shape[1]), np.nan)
    score[filled] = samples.scores(filled, np.full(len(filled), n_samples, np.int32), weight)
    with np.errstate(divide="ignore"):
        difference = np.asarray(rating_difference(score))
    low, high = find_intervals(difference[:, 0], difference[:, 1:], games, level=level, min_games=min_games)
    error = find_errors(difference[:, 1:], games, min_games=min_games)
    return AgainstEngine(reference.name, score[:, 0], difference[:, 0], error, low, high, difference[:, 1:])


def _estimates(
    pairs: PairTable, rating: Floats, against: AgainstEngine, method: Method, engine: float | None
) -> Floats:
    """Strengths before their shift."""
    if method == "engine":
        level = engine_strength(rating, against.difference).by_rating if engine is None else engine
        finite = np.isfinite(against.difference)
        return np.where(finite, against.difference, np.nan) + (level or 0.0)
    if method == "printed":
        return iterate_as_printed(pairs.first, pairs.second, np.rint(pairs.difference), rating)
    if not len(pairs):
        raise LudometerError(f"{NO_PAIR}; by way of the engine (method engine) there are strengths")
    return solve_strengths(pairs.first, pairs.second, pairs.difference, len(rating), names=pairs.names)


def _shift(found: Floats, rating: Floats, against: AgainstEngine, method: Method, engine: float | None) -> float | None:
    """What lifts the estimates to the scale of ratings; None where there is none."""
    if method != "engine":
        return shift_to_ratings(found, rating)
    is_known = engine is not None or engine_strength(rating, against.difference).by_rating is not None
    return 0.0 if is_known and np.isfinite(found).any() else None


def _nothing_counts(gains: Gains) -> str:
    if gains.n_left_out:
        return f"no move counts: {gains.filters.describe()} leaves out all {gains.n_left_out:,} moves with a gain"
    return "no move has a gain that counts: evaluations before and after a move are needed"


def _pair_intervals(
    centre: Floats, pairs: PairTable, rating: Floats, *, level: float, min_games: int
) -> tuple[Floats, Floats]:
    """Where each pair has a distribution of its own, pairs share no games, and a strength is a sum over pairs.

    Replicates of the whole would see nothing of a pair with a single game, whose weight cancels.
    """
    parts = solve_strengths(pairs.first, pairs.second, np.eye(len(pairs)), len(rating))
    error = find_errors(pairs.lanes, pairs.n_games, min_games=min_games)
    return combine_intervals(centre, parts - _anchor(parts, rating), error, pairs.n_games, level=level)


def _anchor(lanes: Floats, rating: Floats) -> Floats:
    """The mean over the players whose ratings are known, or over all."""
    known = np.isfinite(rating)
    return np.asarray(lanes[known if known.any() else slice(None)].mean(axis=0))


def _engine_interval(
    against: AgainstEngine, rating: Floats, n_games: int, *, level: float, min_games: int
) -> tuple[float, float] | None:
    used = np.isfinite(rating) & np.isfinite(against.difference)
    if not used.any():
        return None
    value = (rating[used] - against.difference[used]).mean()
    lanes = (rating[used, None] - against.lanes[used]).mean(axis=0)
    low, high = find_intervals(value, lanes, np.asarray(n_games), level=level, min_games=min_games)
    ends = nullable(float(low)), nullable(float(high))
    return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])


def _take(against: AgainstEngine, kept: Codes) -> AgainstEngine:
    columns = ("score", "difference", "error", "low", "high", "lanes")
    return replace(against, **{name: getattr(against, name)[kept] for name in columns})


def _renumber(pairs: PairTable, played: Codes) -> PairTable:
    number = np.full(len(pairs.names), -1, np.int32)
    number[played] = np.arange(len(played))
    names = tuple(pairs.names[code] for code in played)
    return replace(pairs, names=names, first=number[pairs.first], second=number[pairs.second])


def _line(row: Mapping[str, object], span: str) -> str:
    value = row["strength"] if row["strength"] is not None else row["relative"]
    text = "     -" if value is None else f"{value:6.0f}"
    against = row["engine_difference"]
    engine = "no estimate yet" if against is None else f"{against:+.0f} against the engine"
    return f"{row['player']!s:<22} {text} {span:<14} games {row['games']:<4} {engine}"
