"""Strengths of players from their moves, with intervals, and the strength of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Array, Codes, Floats
from ludometer.chess.record.evaluations import Evaluations
from ludometer.chess.strength.absent import NO_RATING, explain
from ludometer.chess.strength.gains import Filters, MoveGains, measure_gains
from ludometer.errors import LudometerError, NoFiniteFit
from ludometer.moves.gains import ENGINE, Reference, Tally, finite_frame
from ludometer.moves.pairs import (
    NO_PAIR,
    AgainstReference,
    Distribution,
    PairTable,
    compare_pairs,
    compare_with_reference,
)
from ludometer.moves.uncertainty import NO_ESTIMATE, TOO_FEW, USUAL, Intervals, interval, interval_words, nullable
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
    import polars as pl

Method = Literal["exact", "printed", "engine"]
"""Least squares solved exactly; the integer iteration behind the printed tables; or the engine's strength plus d."""

_PRINTED_PASSES = 10_000


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
    """A strength that was given and is used instead."""

    @property
    def strength(self) -> float | None:
        """The strength in use: the given one, else that by ratings."""
        return self.by_rating if self.given is None else self.given

    @property
    def shown_interval(self) -> tuple[float, float] | None:
        """The interval of the strength in use; a given one has none."""
        return self.interval if self.given is None else None

    def describe(self) -> str:
        """The strength and its interval.

        >>> EngineStrength(2860.4, None, (2840.0, 2880.0)).describe()
        '2860 [2840, 2880]'
        """
        ends = self.shown_interval
        return f"{self.strength:.0f}" + (f" [{ends[0]:.0f}, {ends[1]:.0f}]" if ends else "")


@dataclass(frozen=True, eq=False)
class Strengths(Shown):
    """Of each player who moved: rating, strength with its interval, and the difference to the engine.

    `relative` has mean 0 over the players and needs no ratings; without any the interval is that of `relative`.
    NaN: no rating is known, or too few games.
    """

    tally: Tally
    rating: Floats
    relative: Floats
    strength: Floats
    low: Floats
    high: Floats
    against_engine: AgainstReference
    pairs: PairTable
    engine: EngineStrength
    method: Method
    intervals: Intervals
    provenance: Provenance

    @property
    def names(self) -> tuple[str, ...]:
        """The players."""
        return self.tally.names

    @property
    def filters(self) -> Filters:
        """Which moves count."""
        return Filters.of_dict(self.provenance.parameters["filters"])

    @property
    def by_engine(self) -> Floats:
        """Each pair's difference as measured through the engine, `d_i - d_j`."""
        d = self.against_engine.difference
        with np.errstate(invalid="ignore"):
            return np.asarray(d[self.pairs.first] - d[self.pairs.second])

    @property
    def inconsistency(self) -> float:
        """The RMS over pairs of `d_i - d_j` through the engine less `d_ij`, in Elo points."""
        by_engine = self.by_engine
        used = np.isfinite(by_engine) & np.isfinite(self.pairs.difference)
        return float(np.sqrt(np.mean((by_engine[used] - self.pairs.difference[used]) ** 2))) if used.any() else np.nan

    @property
    def contradictions(self) -> list[str]:
        """Pairs whose order by their own gains is the reverse of that through the engine."""
        by_engine, direct = self.by_engine, self.pairs.difference
        return [
            f"{self.names[self.pairs.first[k]]} - {self.names[self.pairs.second[k]]}: {direct[k]:+.0f} by their gains, "
            f"{by_engine[k]:+.0f} by the engine"
            for k in np.flatnonzero(direct * by_engine < 0)
        ]

    def to_frame(self) -> pl.DataFrame:
        """One row per player, strongest first."""
        engine = self.against_engine
        columns = {
            "player": self.names,
            "moves": self.tally.moves,
            "games": self.tally.games,
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
        return finite_frame(columns).sort("relative", "player", descending=[True, False], nulls_last=True)

    def pairs_frame(self) -> pl.DataFrame:
        """One row per pair: the direct difference with its interval, and that through the engine."""
        import polars as pl

        by_engine = pl.Series("by_engine", self.by_engine)
        return self.pairs.to_frame().with_columns(pl.when(by_engine.is_finite()).then(by_engine).alias("by_engine"))

    def summary(self) -> str:
        """At most 14 players, the engine, and contradictions."""
        rows = self.to_frame().to_dicts()
        n_moves, level = int(self.tally.moves.sum()), 100 * self.intervals.level
        lines = [f"{n_moves:,} moves, pairs: {len(self.pairs):,}, {level:g}% intervals"]
        lines += [_line(row) for row in rows[:14]]
        lines += [f"and {len(rows) - 14} more players"] if len(rows) > 14 else []
        lines += [f"engine {self.engine.describe()}"] if self.engine.strength is not None else []
        lines.append(f"pairs by the engine ({self.against_engine.reference}) differ by {self.inconsistency:.0f} (RMS)")
        found = self.contradictions
        if found:
            lines.append(f"{len(found)} of {len(self.pairs)} pairs are reversed by the engine, such as {found[0]}")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Strengths with their intervals, strongest first; hollow points are known ratings."""
        from ludometer.chess.strength.charts import ranked_chart

        rows = self.to_frame().to_dicts()
        key = "strength" if any(row["strength"] is not None for row in rows) else "relative"
        title = "Strength by moves (Elo points)" if key == "strength" else "Strength by moves (Elo points, mean 0)"
        shown = [
            {"name": row["player"], "value": row[key], "low": row["low"], "high": row["high"], "other": row["rating"]}
            for row in rows
        ]
        return {"strengths": ranked_chart(shown, title, other="rating", narrow=narrow)}

    def document(self) -> dict[str, Any]:
        """Players, pairs and the engine."""
        known = {
            "engine.strength": NO_RATING,
            "engine.interval": f"{NO_RATING}, or {TOO_FEW}" if self.engine.given is None else "the strength was given",
        }
        parameters = self.provenance.parameters
        ends = self.engine.shown_interval
        document = {
            "conventions": parameters["conventions"],
            "filters": parameters["filters"],
            "method": self.method,
            "distribution": parameters["distribution"],
            "level": self.intervals.level,
            "players": self._player_documents(known),
            "pairs": self._pair_documents(known),
            "engine": {
                "strength": self.engine.strength,
                "interval": None if ends is None else list(ends),
                "reference": self.against_engine.reference,
            },
            "inconsistency": nullable(self.inconsistency),
            "contradictions": self.contradictions,
        }
        return explain(document, known)

    def _player_documents(self, known: dict[str, str]) -> list[dict[str, Any]]:
        listed = []
        for place, row in enumerate(self.to_frame().to_dicts()):
            is_behind = self.method == "engine" and row["engine_difference"] is None
            known[f"players.{place}.strength"] = f"{NO_ESTIMATE}: every gain is negative" if is_behind else NO_RATING
            if row["relative"] is not None:
                known[f"players.{place}.interval"] = TOO_FEW
            against = {
                "expected_score": row["engine_score"],
                "difference": row["engine_difference"],
                "interval": interval(row["engine_low"], row["engine_high"]),
            }
            names = ("player", "moves", "games", "rating", "strength", "relative")
            shown = {name: row[name] for name in names} | {"interval": interval(row["low"], row["high"])}
            listed.append(shown | {"against_engine": against})
        return listed

    def _pair_documents(self, known: dict[str, str]) -> list[dict[str, Any]]:
        names = ("player_1", "player_2", "expected_score", "difference", "meetings", "by_engine")
        rows = self.pairs_frame().to_dicts()
        known |= {f"pairs.{k}.interval": TOO_FEW for k, row in enumerate(rows) if row["difference"] is not None}
        return [{name: row[name] for name in names} | {"interval": interval(row["low"], row["high"])} for row in rows]


def measure_strengths(
    evaluations: Evaluations,
    *,
    ratings: Mapping[str, float] | None = None,
    filters: Filters | None = None,
    distribution: Distribution = "player",
    method: Method = "exact",
    reference: Reference = ENGINE,
    engine: float | None = None,
    intervals: Intervals = USUAL,
) -> Strengths:
    """Strengths in Elo points on the scale of the known ratings (Ferreira 2012, Algorithms 1 to 4).

    `ratings` by name take precedence over those of the games; without any, only relative strengths exist. `engine` is
    a known strength of the engine, for `method="engine"`.

    >>> from ludometer.chess import EvaluatedGame
    >>> game = EvaluatedGame("1", "Ann", "Ben", [0, 0, 20, 10, 40, 40, 40], white_rating=2000, black_rating=1900)
    >>> measure_strengths(Evaluations.of_games([game])).strength.round().tolist()
    [2058.0, 1842.0]
    """
    gains = measure_gains(evaluations, filters=filters)
    if not len(gains):
        raise LudometerError(_nothing_counts(gains))
    weight = intervals.draw_weights(gains.n_games)
    moves, games = gains.counts()
    played = np.flatnonzero(moves).astype(np.int32)
    pairs = _renumber(compare_pairs(gains, weight, distribution=distribution, intervals=intervals), played)
    rating = evaluations.known_ratings(ratings)[played]
    against = compare_with_reference(gains, gains.player, reference, weight, games=games, intervals=intervals)
    against = against.take(played)
    tally = Tally(pairs.names, moves[played], games[played])
    found = _estimate(pairs, rating, against, method, engine)
    shift = _find_shift(found, rating, against, method, engine)
    strength = found + (np.nan if shift is None else shift)
    relative = found - (found[np.isfinite(found)].mean() if np.isfinite(found).any() else 0.0)
    centre = relative if shift is None else strength
    if method == "engine":
        low, high = intervals.around(centre, against.lanes, tally.games)
    elif distribution == "pair":
        low, high = _pair_intervals(centre, pairs, rating, intervals)
    else:
        lanes = solve_strengths(pairs.first, pairs.second, pairs.lanes, len(pairs.names))
        # the mean of the ratings is known; what the bootstrap moves is how strengths lie around it
        low, high = intervals.around(centre, lanes - _anchor(lanes, rating), tally.games)
    by_engine = replace(
        engine_strength(rating, against.difference, strength),
        interval=_engine_interval(against, rating, gains.n_games, intervals),
        given=engine,
    )
    parameters = {"distribution": distribution, "method": method, "reference": reference.describe()}
    parameters |= intervals.parameters | gains.provenance.parameters
    provenance = Provenance("strength from moves", parameters, evaluations.fingerprint, intervals.seed)
    return Strengths(
        tally, rating, relative, strength, low, high, against, pairs, by_engine, method, intervals, provenance
    )


def solve_strengths(
    first: Codes, second: Codes, difference: Floats, n_players: int, *, names: Sequence[str] | None = None
) -> Floats:
    """Strengths with mean 0 that minimise `sum (r_i - r_j - d_ij)^2` over the pairs (Ferreira 2012, eq. 3), exactly.

    The minimum solves the Laplacian system of the graph of pairs. `difference` may have lanes, `[pair][lane]`.
    Players in no pair, or in groups that no pair joins, are an error that names the groups.

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

    Each player's strength becomes the mean of `r_j + d_ij` over their opponents, until nothing changes; then all are
    shifted to the mean of the known ratings. Rounding stops it before the least squares are reached: it gives every
    printed strength of Table 1, the exact solution six of nine.
    """
    if not np.isfinite(rating).all():
        raise LudometerError("the printed iteration starts from the ratings of all players; some are not known")
    check_connected(first, second, len(rating))
    opponents: list[list[tuple[int, float]]] = [[] for _ in rating]
    for i, j, d in zip(np.asarray(first).tolist(), np.asarray(second).tolist(), difference.tolist(), strict=True):
        opponents[i].append((j, d))
        opponents[j].append((i, -d))
    strength = [float(value) for value in rating]
    for _ in range(_PRINTED_PASSES):
        before = list(strength)
        for i, met in enumerate(opponents):
            if met:
                strength[i] = float(round(sum(strength[j] + d for j, d in met) / len(met)))
        if strength == before:
            break
    else:
        raise NoFiniteFit("the printed iteration does not converge; use the exact method")
    settled = np.array(strength)
    return np.asarray(np.rint(settled + rating.mean() - settled.mean()))


def shift_to_ratings(strength: Floats, rating: Floats) -> float | None:
    """What to add so that players with a known rating have its mean; None where no rating is known (step 4)."""
    known = np.isfinite(rating)
    return float(rating[known].mean() - strength[known].mean()) if known.any() else None


def engine_strength(rating: Floats, difference: Floats, strength: Floats | None = None) -> EngineStrength:
    """The engine's strength from ratings and the players' differences to it; NaN where one is not known.

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
    """Refuse players whom no chain of pairs joins; the error names the groups."""
    from ludometer.kernels.skills.graph import components

    label = components(np.asarray(first, np.int32), np.asarray(second, np.int32), n_players)
    n_groups = int(label.max(initial=0)) + 1
    if n_groups <= 1:
        return
    groups = [_listed(np.flatnonzero(label == group), names) for group in range(min(n_groups, 6))]
    more = f"; and {n_groups - 6} more groups" if n_groups > 6 else ""
    raise LudometerError(
        f"the players fall into {n_groups} groups that no pair joins, so their strengths cannot be compared: "
        f"{'; '.join(groups)}{more}. Take one group, or compare them through the engine (method engine)"
    )


def _check_finite(first: Codes, second: Codes, difference: Floats, names: Sequence[str] | None) -> None:
    if not len(first):
        return
    rows = np.flatnonzero(~np.isfinite(difference.reshape(len(first), -1)).all(axis=1))
    if len(rows):
        pair = f"{_name(int(first[rows[0]]), names)} and {_name(int(second[rows[0]]), names)}"
        raise NoFiniteFit(
            f"every gain of one is above every gain of the other, so there is no finite difference: {pair}"
            + (f" and {len(rows) - 1} more pairs" if len(rows) > 1 else "")
            + ". Add moves, or compare through the engine (method engine)"
        )


def _listed(codes: Array, names: Sequence[str] | None) -> str:
    more = f" and {len(codes) - 5} more" if len(codes) > 5 else ""
    return ", ".join(_name(int(code), names) for code in codes[:5]) + more


def _name(code: int, names: Sequence[str] | None) -> str:
    return str(code) if names is None else names[code]


def _estimate(
    pairs: PairTable, rating: Floats, against: AgainstReference, method: Method, engine: float | None
) -> Floats:
    """Strengths before their shift."""
    if method == "engine":
        level = engine_strength(rating, against.difference).by_rating if engine is None else engine
        return np.where(np.isfinite(against.difference), against.difference, np.nan) + (level or 0.0)
    if method == "printed":
        return iterate_as_printed(pairs.first, pairs.second, np.rint(pairs.difference), rating)
    if not len(pairs):
        raise LudometerError(f"{NO_PAIR}; compare them through the engine instead (method engine)")
    return solve_strengths(pairs.first, pairs.second, pairs.difference, len(rating), names=pairs.names)


def _find_shift(
    found: Floats, rating: Floats, against: AgainstReference, method: Method, engine: float | None
) -> float | None:
    """What lifts the estimates to the scale of ratings; None where no rating is known."""
    if method == "engine":
        is_known = engine is not None or engine_strength(rating, against.difference).by_rating is not None
        return 0.0 if is_known and np.isfinite(found).any() else None
    return shift_to_ratings(found, rating)


def _nothing_counts(gains: MoveGains) -> str:
    if gains.n_left_out:
        return f"no move counts: {gains.filters.describe()} leaves out all {gains.n_left_out:,} moves with a gain"
    return "no move has a gain that counts: evaluations before and after a move are needed"


def _pair_intervals(centre: Floats, pairs: PairTable, rating: Floats, intervals: Intervals) -> tuple[Floats, Floats]:
    """Where each pair has a distribution of its own, pairs share no games, and a strength is a sum over pairs.

    Replicates of the whole would see nothing of a pair with a single game, whose weight cancels.
    """
    parts = solve_strengths(pairs.first, pairs.second, np.eye(len(pairs)), len(rating))
    error = intervals.errors(pairs.lanes, pairs.n_games)
    return intervals.around_sums(centre, parts - _anchor(parts, rating), error, pairs.n_games)


def _anchor(lanes: Floats, rating: Floats) -> Floats:
    """The mean over the players whose ratings are known, or over all."""
    known = np.isfinite(rating)
    return np.asarray(lanes[known if known.any() else slice(None)].mean(axis=0))


def _engine_interval(
    against: AgainstReference, rating: Floats, n_games: int, intervals: Intervals
) -> tuple[float, float] | None:
    used = np.isfinite(rating) & np.isfinite(against.difference)
    if not used.any():
        return None
    value = (rating[used] - against.difference[used]).mean()
    lanes = (rating[used, None] - against.lanes[used]).mean(axis=0)
    low, high = (float(end) for end in intervals.around(value, lanes, np.asarray(n_games)))
    return (low, high) if np.isfinite((low, high)).all() else None


def _renumber(pairs: PairTable, played: Codes) -> PairTable:
    number = np.full(len(pairs.names), -1, np.int32)
    number[played] = np.arange(len(played))
    names = tuple(pairs.names[code] for code in played)
    return replace(pairs, names=names, first=number[pairs.first], second=number[pairs.second])


def _line(row: Mapping[str, Any]) -> str:
    value = row["strength"] if row["strength"] is not None else row["relative"]
    text = "     -" if value is None else f"{value:6.0f}"
    against = row["engine_difference"]
    engine = NO_ESTIMATE if against is None else f"{against:+.0f} to the engine"
    span = interval_words(row["low"], row["high"])
    return f"{row['player']!s:<22} {text} {span:<14} games {row['games']:<4} {engine}"
