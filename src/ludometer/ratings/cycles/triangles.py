"""Triangles: A beats B beats C beats A. How many there are, how many ratings alone would give, and what they cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.parallel import Workers, map_tasks
from ludometer.ratings.cycles.games import (
    Batch,
    PairGames,
    PairNoise,
    draw_ratings,
    logistic,
    make_batches,
    prepare_games,
    sum_by_pair,
)
from ludometer.ratings.draws import draw_results
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl

_LEVEL = 0.05


@dataclass(frozen=True)
class TriangleShare:
    """A share as observed, and what ratings alone produce: the mean, 95% of the simulated records, and a p-value."""

    observed: float
    expected: float
    low: float
    high: float
    p_value: float
    """Of so large a share; the least possible is one over the simulations and one."""


@dataclass(frozen=True)
class Triangles:
    """Cyclic triads, the curl of the log-odds, and T, beside what one rating a player would produce.

    T is in Elo points the SD over opponents of what a player's rating is worth against them, all of a pair's deviation
    being laid on one of the two. Whatever sets pairs apart for a while counts, strengths that change included:
    records of many years should be cut into shorter ones before T is called a matter of styles.
    """

    min_games: int
    n_players: int
    n_pairs: int
    n_triads: int
    n_cyclic: int
    cyclic: TriangleShare | None
    """The share of cyclic triads; None without triads."""
    curl: TriangleShare | None
    """The share of the curl part in the weighted sum of squares of the log-odds."""
    gradient_share: float
    harmonic_share: float
    noise: float | None
    """T; 0 where pairs differ less than chance makes them, None where no finite one explains the results."""
    noise_interval: tuple[float, float | None] | None
    """95%; None for its upper end is without limit."""
    noise_p_value: float
    provenance: Provenance

    @property
    def detected(self) -> bool:
        """More cyclic triads than ratings alone would give, at 5%, and pairs further apart than chance makes them."""
        return self.cyclic is not None and max(self.cyclic.p_value, self.noise_p_value) < _LEVEL

    def to_frame(self) -> pl.DataFrame:
        """A row each for the cyclic and the curl share and T: observed, expected of ratings alone, range, p-value."""
        import polars as pl

        rows = [
            {"measure": name, **vars(share)}
            for name, share in (("cyclic share", self.cyclic), ("curl share", self.curl))
            if share is not None
        ]
        low, high = self.noise_interval or (None, None)
        # for T the range is its own interval
        rows.append(
            {
                "measure": "T",
                "observed": self.noise,
                "expected": 0.0,
                "low": low,
                "high": high,
                "p_value": self.noise_p_value,
            }
        )
        numbers = ("observed", "expected", "low", "high", "p_value")
        return pl.DataFrame(rows, schema={"measure": pl.String} | dict.fromkeys(numbers, pl.Float64))

    def summary(self) -> str:
        """The triangles in a few lines."""
        lines = [f"{self.n_pairs:,} pairs with {self.min_games} games or more, of {self.n_players:,} players"]
        for name, share in (
            (f"cyclic triads: {self.n_cyclic:,} of {self.n_triads:,}, a share of", self.cyclic),
            ("share of the curl in the log-odds:", self.curl),
        ):
            if share is not None:
                lines.append(
                    f"{name} {share.observed:.4f}; ratings alone give {share.expected:.4f} "
                    f"({share.low:.4f} to {share.high:.4f}), p = {share.p_value:.3g}"
                )
        if self.noise is None:
            lines.append("T: no finite one; who meets whom decides")
        else:
            ends = ["?", "?"] if self.noise_interval is None else [_points(end) for end in self.noise_interval]
            lines.append(
                f"T {self.noise:.0f} Elo points ({ends[0]} to {ends[1]}), p = {self.noise_p_value:.3g}: "
                "extra noise of a rating against a random opponent"
            )
        lines.append(self._verdict)
        return "\n".join(lines)

    @property
    def _verdict(self) -> str:
        if self.detected:
            return "triangles beyond what ratings give"
        if self.noise_p_value < _LEVEL:
            return "pairs lie off the ratings, but not in triangles: strengths may have changed"
        return "no triangles beyond what ratings give"

    def plot(self) -> altair.LayerChart:
        """The shares, and the ranges that ratings alone would give."""
        import altair as alt

        rows = [row for row in self.to_frame().to_dicts() if row["measure"] != "T"]
        data = alt.InlineData(values=rows)
        chart = alt.Chart(data, width=420, height=60 * max(len(rows), 1))
        y = alt.Y("measure:N", title=None)
        span = chart.mark_rule(strokeWidth=6, color="#c9d3e0").encode(
            x=alt.X("low:Q", title="Share (bar: from ratings alone)"), x2="high:Q", y=y
        )
        drawn: alt.LayerChart = span + chart.mark_point(filled=True, size=90, color="#b4530a").encode(
            x="observed:Q", y=y, tooltip=["measure:N", "observed:Q", "expected:Q", "p_value:Q"]
        )
        return drawn


def measure_triangles(
    matches: Matches,
    *,
    min_games: int = 3,
    simulations: int = 200,
    ridge: float = 0.25,
    advantage: bool = False,
    seed: int = 0,
    workers: Workers | None = None,
) -> Triangles:
    """Compare the triangles of a record with those of records that ratings alone would make (Smith 1994, section 6).

    Ratings are fitted by penalised logit to all matches, a draw being half a win and half a loss. Simulated records
    have the same pairs and numbers of games among pairs with `min_games`, ratings drawn from around the fit as its
    uncertainty has it, and draws by Davidson's model at the rate of the record. The curl is that of the Hodge
    decomposition of log((points + 1/2) / (points of the other + 1/2)) with the games as weights.

    >>> duel = [(0, 1), (1, 2), (2, 0)] * 9
    >>> triangles = measure_triangles(Matches.of_pairs(*zip(*duel), [1, 1, 0.5] * 9), simulations=50)
    >>> triangles.n_triads, triangles.n_cyclic
    (1, 0)
    """
    if min_games < 2:
        raise LudometerError(f"pairs with two games or more tell of triangles, not with {min_games}")
    if simulations < 20:
        raise LudometerError(f"20 simulated records are the fewest that show a range, not {simulations}")
    record = prepare_games(matches, min_games, ridge, advantage)
    batches = make_batches(simulations, seed)
    drawn = map_tasks(_simulate, batches, shared=(record,), workers=workers)
    cyclic, curl = (np.concatenate([part[k] for part in drawn]) for k in (0, 1))
    rating_variance = np.sum([part[2] for part in drawn], axis=0) / simulations
    ahead, behind = record.sides(record.points[:, np.newaxis])
    n_triads, n_cyclic = record.graph.count_cyclic(ahead, behind)
    gradient, twist, harmonic = (float(part[0]) for part in record.parts(record.points[:, np.newaxis]))
    total = gradient + twist + harmonic
    noise = PairNoise(record, rating_variance).measure(batches, workers)
    parameters = {"min_games": min_games, "simulations": simulations, "ridge": ridge, "advantage": advantage}
    return Triangles(
        min_games,
        len(np.union1d(record.graph.first, record.graph.second)),
        len(record.graph),
        n_triads,
        int(n_cyclic[0]),
        _compare(int(n_cyclic[0]) / n_triads, cyclic / n_triads) if n_triads else None,
        _compare(twist / total, curl) if n_triads and total > 0 else None,
        gradient / total if total > 0 else 0.0,
        harmonic / total if total > 0 else 0.0,
        noise.value,
        noise.interval,
        noise.p_value,
        Provenance("triangles", parameters, matches.fingerprint, seed),
    )


def _simulate(batch: Batch, record: PairGames) -> tuple[Floats, Floats, Floats]:
    """Of each simulated record the cyclic triads and the share of the curl; of each pair the squared rating errors."""
    rng = np.random.default_rng(batch.games)
    graph = record.graph
    deviation = draw_ratings(record.everybody, record.weight, record.ridge, batch.n_lanes, rng)
    shift = deviation[graph.first] - deviation[graph.second]
    points = np.empty((len(graph), batch.n_lanes))
    for lane in range(batch.n_lanes):
        expected = logistic(record.difference + shift[record.pair, lane])
        score = draw_results(expected, record.nu, rng) / 2
        points[:, lane] = sum_by_pair(record.pair, score, len(graph))
    cyclic = graph.count_cyclic(*record.sides(points))[1].astype(np.float64)
    gradient, curl, harmonic = record.parts(points)
    total = gradient + curl + harmonic
    return cyclic, np.where(total > 0, curl / np.maximum(total, 1e-300), 0.0), (shift**2).sum(axis=1)


def _compare(observed: float, simulated: Floats) -> TriangleShare:
    low, high = (float(end) for end in np.quantile(simulated, [0.025, 0.975]))
    # a hair, so that equal shares found by iterations count as equal
    p_value = (1 + int((simulated >= observed * (1 - 1e-9)).sum())) / (1 + len(simulated))
    return TriangleShare(observed, float(simulated.mean()), low, high, p_value)


def _points(end: float | None) -> str:
    return "without limit" if end is None or not math.isfinite(end) else f"{end:.0f}"
