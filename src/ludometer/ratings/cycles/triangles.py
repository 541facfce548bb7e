"""Triangles (A beats B beats C beats A): how many there are, how many ratings alone would give, and their cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Floats
from ludometer.chart_style import ACCENT
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.parallel import Workers, map_tasks
from ludometer.ratings.cycles.pair_games import (
    Batch,
    PairGames,
    PairNoise,
    draw_ratings,
    logistic,
    make_batches,
    measure_pair_noise,
    prepare_games,
    sum_by_pair,
)
from ludometer.ratings.draws import draw_results
from ludometer.result import Provenance, Shown

if TYPE_CHECKING:
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
    """Of a share this large; the least possible is 1 / (simulations + 1)."""

    def document(self) -> dict[str, Any]:
        """The share and its range as JSON."""
        return {
            "observed": self.observed,
            "expected": self.expected,
            "expected_interval": [self.low, self.high],
            "p_value": self.p_value,
        }


@dataclass(frozen=True)
class Triangles(Shown):
    """Cyclic triads, the curl of the log-odds, and T, compared with what one rating per player would produce.

    T is the SD, over opponents and in Elo points, of what a player's rating is worth against them, with a pair's whole
    deviation assigned to one of the two. Everything that sets pairs apart for a while counts, changing strengths
    included: cut records of many years into shorter ones before you attribute T to styles.
    """

    min_games: int
    n_players: int
    n_pairs: int
    n_triads: int
    n_cyclic: int
    cyclic: TriangleShare | None
    """The share of triads that are cyclic; None without triads."""
    curl: TriangleShare | None
    """The curl's share of the weighted sum of squares of the log-odds."""
    gradient_share: float
    harmonic_share: float
    pair_noise: PairNoise
    """T in Elo points, with its interval and p-value."""
    provenance: Provenance

    @property
    def detected(self) -> bool:
        """More cyclic triads than ratings alone would give, at 5%, and pairs further apart than by chance."""
        return self.cyclic is not None and max(self.cyclic.p_value, self.pair_noise.p_value) < _LEVEL

    def to_frame(self) -> pl.DataFrame:
        """One row each for cyclic share, curl share and T: observed, expected from ratings alone, range, p-value."""
        import polars as pl

        rows = [
            {"measure": name, **vars(share)}
            for name, share in (("cyclic share", self.cyclic), ("curl share", self.curl))
            if share is not None
        ]
        low, high = self.pair_noise.interval or (None, None)
        # the range of T is its own interval
        rows.append(
            {
                "measure": "T",
                "observed": self.pair_noise.value,
                "expected": 0.0,
                "low": low,
                "high": high,
                "p_value": self.pair_noise.p_value,
            }
        )
        numbers = ("observed", "expected", "low", "high", "p_value")
        return pl.DataFrame(rows, schema={"measure": pl.String} | dict.fromkeys(numbers, pl.Float64))

    def document(self) -> dict[str, Any]:
        """The JSON document: shares compared with those from ratings alone, and T."""
        absent, endless, interval = {}, "no finite one explains the results", self.pair_noise.interval
        for name, value in (("cyclic_share", self.cyclic), ("curl_share", self.curl)):
            if value is None:
                absent[name] = "no three players all met often enough"
        if self.pair_noise.value is None:
            absent["T"] = endless
        if interval is None:
            absent["T_interval"] = endless
        elif interval[1] is None:
            absent["T_interval.1"] = endless
        return {
            "min_games": self.min_games,
            "players": self.n_players,
            "pairs": self.n_pairs,
            "triads": self.n_triads,
            "cyclic": self.n_cyclic,
            "cyclic_share": None if self.cyclic is None else self.cyclic.document(),
            "curl_share": None if self.curl is None else self.curl.document(),
            "T": self.pair_noise.value,
            "T_interval": None if interval is None else list(interval),
            "T_p_value": self.pair_noise.p_value,
            "detected": self.detected,
            "absent": absent,
        }

    def summary(self) -> str:
        """Pairs, cyclic triads, curl and T."""
        lines = [f"{self.n_pairs:,} pairs with {self.min_games} games or more, from {self.n_players:,} players"]
        for name, share in (
            (f"cyclic triads: {self.n_cyclic:,} of {self.n_triads:,}, a share of", self.cyclic),
            ("share of the curl in the log-odds:", self.curl),
        ):
            if share is not None:
                lines.append(
                    f"{name} {share.observed:.4f}; ratings alone give {share.expected:.4f} "
                    f"({share.low:.4f} to {share.high:.4f}), p = {share.p_value:.3g}"
                )
        if self.pair_noise.value is None:
            lines.append("T: no finite value; the pairing decides")
        else:
            ends = (
                ["?", "?"] if self.pair_noise.interval is None else [_points(end) for end in self.pair_noise.interval]
            )
            lines.append(
                f"T {self.pair_noise.value:.0f} Elo points ({ends[0]} to {ends[1]}), "
                f"p = {self.pair_noise.p_value:.3g}: extra noise of a rating against a random opponent"
            )
        lines.append(self._verdict)
        return "\n".join(lines)

    @property
    def _verdict(self) -> str:
        if self.detected:
            return "more triangles than ratings alone give"
        if self.pair_noise.p_value < _LEVEL:
            return "pairs deviate from the ratings, but not in triangles: strengths may have changed"
        return "no more triangles than ratings alone give"

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The shares, and the ranges that ratings alone would give."""
        import altair as alt

        rows = [row for row in self.to_frame().to_dicts() if row["measure"] != "T"]
        data = alt.InlineData(values=rows)
        chart = alt.Chart(data, width=270 if narrow else 420, height=60 * max(len(rows), 1))
        y = alt.Y("measure:N", title=None)
        span = chart.mark_rule(strokeWidth=6, color="#c9d3e0").encode(
            x=alt.X("low:Q", title="Share (bar: from ratings alone)"), x2="high:Q", y=y
        )
        points = chart.mark_point(filled=True, size=90, color=ACCENT).encode(
            x="observed:Q", y=y, tooltip=["measure:N", "observed:Q", "expected:Q", "p_value:Q"]
        )
        return {"triangles": span + points}


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
    """Compare the triangles of a record with those of records simulated from ratings alone (Smith 1994, section 6).

    Ratings are fitted by penalised logit to all matches, with a draw as half a win and half a loss. Simulated records
    have the same pairs and numbers of games among pairs with `min_games`, ratings drawn from the uncertainty of the
    fit, and draws by Davidson's model at the rate of the record. The curl is that of the Hodge decomposition of
    log((points + 1/2) / (opponent's points + 1/2)) with the games as weights.

    >>> duel = [(0, 1), (1, 2), (2, 0)] * 9
    >>> triangles = measure_triangles(Matches.of_pairs(*zip(*duel), [1, 1, 0.5] * 9), simulations=50)
    >>> triangles.n_triads, triangles.n_cyclic
    (1, 0)
    """
    if min_games < 2:
        raise LudometerError(f"min_games must be at least 2, not {min_games}: single games show no triangles")
    if simulations < 20:
        raise LudometerError(f"at least 20 simulated records are needed to show a range, not {simulations}")
    record = prepare_games(matches, min_games, ridge, advantage)
    batches = make_batches(simulations, seed)
    drawn = map_tasks(_simulate, batches, shared=(record,), workers=workers)
    cyclic, curl = (np.concatenate([part[k] for part in drawn]) for k in (0, 1))
    rating_variance = np.sum([part[2] for part in drawn], axis=0) / simulations
    ahead, behind = record.sides(record.points[:, np.newaxis])
    n_triads, n_cyclic = record.graph.count_cyclic(ahead, behind)
    gradient, twist, harmonic = (float(part[0]) for part in record.parts(record.points[:, np.newaxis]))
    total = gradient + twist + harmonic
    noise = measure_pair_noise(record, rating_variance, batches, workers)
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
        noise,
        Provenance("triangles", parameters, matches.fingerprint, seed),
    )


def _simulate(batch: Batch, record: PairGames) -> tuple[Floats, Floats, Floats]:
    """Cyclic triads and share of the curl per simulated record; squared rating errors per pair."""
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
    # a small margin, so that equal shares found by iteration count as equal
    p_value = (1 + int((simulated >= observed * (1 - 1e-9)).sum())) / (1 + len(simulated))
    return TriangleShare(observed, float(simulated.mean()), low, high, p_value)


def _points(end: float | None) -> str:
    return "no limit" if end is None or not math.isfinite(end) else f"{end:.0f}"
