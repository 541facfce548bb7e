"""The same deals played by different players: who won what others lost, McNemar's test, the difference of scores.

Edelkamp's Tables VI and VII: games of people, played again by an open-card solver and by a program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ludometer.arrays import Counts, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.result import Provenance, Shown
from ludometer.wording import PERCENT_LABELS, percent

if TYPE_CHECKING:
    import polars as pl

_MOST = 6
"""Players of the same deals: n players make a table of 2^n cells."""


@dataclass(frozen=True)
class PairComparison:
    """The second player against the first on the same deals.

    Only the second won `gained` deals, only the first `dropped`. `exact` and `mid_p` are McNemar's test, two-sided;
    `difference` is the difference of shares won (second minus first) with its interval (Bonett and Price 2012);
    `score_difference` the mean difference of scores per deal, where scores are known.
    """

    first: str
    second: str
    gained: int
    dropped: int
    exact: float
    mid_p: float
    difference: float
    interval: tuple[float, float]
    score_difference: float | None = None
    score_interval: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class DealComparison(Shown):
    """How often each combination of wins came up, and every two players compared."""

    players: tuple[str, ...]
    counts: Counts
    """Shape (2, 2, ...): one axis per player, 0 lost and 1 won."""
    comparisons: tuple[PairComparison, ...]
    confidence: float
    provenance: Provenance = field(default_factory=lambda: Provenance("same deals"))

    @property
    def won(self) -> dict[str, int]:
        """Deals won by each."""
        axes = range(self.counts.ndim)
        return {
            name: int(self.counts.sum(axis=tuple(a for a in axes if a != axis))[1])
            for axis, name in enumerate(self.players)
        }

    def to_frame(self) -> pl.DataFrame:
        """One row per combination: won by each player, and the number of deals."""
        import polars as pl

        cells = list(product((0, 1), repeat=len(self.players)))
        columns: dict[str, Any] = {name: [cell[axis] for cell in cells] for axis, name in enumerate(self.players)}
        return pl.DataFrame({**columns, "deals": [int(self.counts[cell]) for cell in cells]})

    def summary(self) -> str:
        """Shares won, and one line per pair of players."""
        n = int(self.counts.sum())
        lines = [
            f"{n:,} deals; won: " + ", ".join(f"{name} {won:,} ({percent(won / n)})" for name, won in self.won.items())
        ]
        for c in self.comparisons[:15]:
            score = ""
            if c.score_difference is not None and c.score_interval is not None:
                low, high = c.score_interval
                score = f"; score {c.score_difference:+.2f} per deal ({low:+.2f} to {high:+.2f})"
            lines.append(
                f"{c.second} against {c.first}: {c.gained:,} gained, {c.dropped:,} dropped, {c.difference:+.2%} "
                f"({c.interval[0]:+.2%} to {c.interval[1]:+.2%}), mid-p {c.mid_p:.3g}{score}"
            )
        return "\n".join(lines)

    def document(self) -> dict[str, Any]:
        """The counts and the comparisons."""
        return {"deals": self.to_frame().to_dicts(), "pairs": [vars(pair) for pair in self.comparisons], "absent": {}}

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """Difference of the shares won, with its interval."""
        import altair as alt

        rows = [
            {
                "pair": f"{c.second} minus {c.first}",
                "difference": c.difference,
                "low": c.interval[0],
                "high": c.interval[1],
            }
            for c in self.comparisons
        ]
        base = alt.Chart(alt.InlineData(values=rows)).encode(y=alt.Y("pair:N", title=None))
        bars = base.mark_rule().encode(
            x=alt.X("low:Q", title="difference of deals won", axis=alt.Axis(labelExpr=PERCENT_LABELS)), x2="high:Q"
        )
        whole = bars + base.mark_point(filled=True).encode(x="difference:Q")
        return {"differences": whole.properties(width=180 if narrow else 420)}


def compare_deals(
    won: Mapping[str, ArrayLike], *, scores: Mapping[str, ArrayLike] | None = None, confidence: float = 0.95
) -> DealComparison:
    """Compare players of the same deals: for each player won or lost per deal, and scores if known.

    >>> result = compare_deals({"people": [1, 1, 0, 0, 0], "program": [1, 1, 1, 1, 0]})
    >>> result.won, result.comparisons[0].gained, result.comparisons[0].exact
    ({'people': 2, 'program': 4}, 2, 0.5)
    """
    names = tuple(won)
    columns = [np.asarray(won[name]).astype(bool) for name in names]
    if len({len(column) for column in columns}) > 1:
        raise LudometerError("every player needs one result for each deal")
    if scores is not None and (
        set(scores) != set(names) or any(len(np.asarray(s)) != len(columns[0]) for s in scores.values())
    ):
        raise LudometerError("scores must be for the same players and deals as the results")
    _check_players(names)
    code = sum(column.astype(np.int64) << (len(names) - 1 - axis) for axis, column in enumerate(columns))
    counts = np.bincount(np.asarray(code), minlength=2 ** len(names)).reshape((2,) * len(names))
    earned = {name: np.asarray(values, float) for name, values in scores.items()} if scores else {}
    return _compare(names, counts, earned, confidence)


def compare_counts(players: Sequence[str], counts: ArrayLike, *, confidence: float = 0.95) -> DealComparison:
    """The same from a table of counts: by lost and won of each player, the last changing fastest.

    >>> human_and_solver_and_program = [4080, 4132, 297, 4768, 5273, 9442, 1085, 52820]
    >>> compare_counts(["human", "solver", "program"], human_and_solver_and_program).won
    {'human': 68620, 'solver': 58970, 'program': 71162}
    """
    names = tuple(players)
    _check_players(names)
    table = np.asarray(counts)
    if table.size != 2 ** len(names) or (table < 0).any() or not table.sum():
        raise LudometerError(f"{len(names)} players need {2 ** len(names)} counts from 0 up")
    return _compare(names, table.astype(np.int64).reshape((2,) * len(names)), {}, confidence)


def read_deals(path: str | Path, *, confidence: float = 0.95) -> DealComparison:
    """From a CSV with one row per deal and player: deal, player, won (0 or 1) and, if known, score.

    Every player must have played every deal once; missing and repeated rows are reported.
    """
    import polars as pl

    frame = pl.read_csv(path)
    missing = [name for name in ("deal", "player", "won") if name not in frame.columns]
    if missing:
        raise MatchDataError(f"{path}: no column {', '.join(missing)}; it needs deal, player, won and may have score")
    frame = frame.with_columns(pl.col("deal", "player").cast(pl.String))
    has_score = "score" in frame.columns
    faults = []
    if odd := frame.filter(~pl.col("won").cast(pl.String).is_in(["0", "1", "true", "false"]).fill_null(False)).height:
        faults.append(f"{odd} rows where won is neither 0 nor 1")
    if has_score and (odd := frame["score"].cast(pl.Float64, strict=False).null_count()):
        faults.append(f"{odd} rows without a score")
    players = frame["player"].unique(maintain_order=True).to_list()
    per_deal = frame.group_by("deal", maintain_order=True).agg(
        pl.len().alias("n"), pl.col("player").n_unique().alias("k")
    )
    uneven = per_deal.filter((pl.col("n") != len(players)) | (pl.col("k") != len(players)))
    if uneven.height:
        faults.append(f"{uneven.height} deals that not every player has exactly once, the first is {uneven['deal'][0]}")
    if faults:
        raise MatchDataError(f"{path}: " + "; ".join(faults))
    order = {deal: place for place, deal in enumerate(per_deal["deal"])}
    won, scores = {}, {}
    for name in players:
        own = frame.filter(pl.col("player") == name)
        place = np.argsort([order[deal] for deal in own["deal"]])
        won[name] = own["won"].cast(pl.String).is_in(["1", "true"]).to_numpy()[place]
        if has_score:
            scores[name] = own["score"].cast(pl.Float64).to_numpy()[place]
    return compare_deals(won, scores=scores if has_score else None, confidence=confidence)


def mcnemar(gained: int, dropped: int) -> tuple[float, float]:
    """The exact two-sided p and its mid-p, of the deals that only one of the two won (Fagerland et al. 2013).

    >>> [round(p, 4) for p in mcnemar(9, 1)]
    [0.0215, 0.0117]
    """
    from scipy.stats import binom

    n, fewer = gained + dropped, min(gained, dropped)
    if n == 0:
        return 1.0, 1.0
    exact = min(1.0, 2 * float(binom.cdf(fewer, n, 0.5)))
    at = float(binom.pmf(fewer, n, 0.5))
    return exact, 1 - at / 2 if gained == dropped else exact - at


def _compare(names: tuple[str, ...], counts: Counts, scores: Mapping[str, Floats], confidence: float) -> DealComparison:
    if not 0 < confidence < 1:
        raise LudometerError(f"confidence must be between 0 and 1, not {confidence}")
    comparisons = []
    for a, b in combinations(range(len(names)), 2):
        both = counts.sum(axis=tuple(axis for axis in range(counts.ndim) if axis not in (a, b)))
        gained, dropped = int(both[0, 1]), int(both[1, 0])
        difference, interval = _share_difference(gained, dropped, int(counts.sum()), confidence)
        score, score_interval = None, None
        if scores:
            score, score_interval = _mean_interval(scores[names[b]] - scores[names[a]], confidence)
        comparisons.append(
            PairComparison(
                names[a],
                names[b],
                gained,
                dropped,
                *mcnemar(gained, dropped),
                difference,
                interval,
                score,
                score_interval,
            )
        )
    return DealComparison(
        names, counts, tuple(comparisons), confidence, Provenance("same deals", {"confidence": confidence})
    )


def _share_difference(gained: int, dropped: int, n: int, confidence: float) -> tuple[float, tuple[float, float]]:
    """Bonett and Price: one deal added to each of the two cells that differ."""
    from scipy.stats import norm

    up, down = (gained + 1) / (n + 2), (dropped + 1) / (n + 2)
    half = norm.ppf(0.5 + confidence / 2) * np.sqrt((up + down - (up - down) ** 2) / (n + 2))
    return (gained - dropped) / n, (max(-1.0, float(up - down - half)), min(1.0, float(up - down + half)))


def _mean_interval(values: Floats, confidence: float) -> tuple[float, tuple[float, float] | None]:
    from scipy.stats import t

    mean, n = float(values.mean()), len(values)
    if n < 2:
        return mean, None
    half = float(t.ppf(0.5 + confidence / 2, n - 1) * values.std(ddof=1) / np.sqrt(n))
    return mean, (mean - half, mean + half)


def _check_players(names: tuple[str, ...]) -> None:
    if not 2 <= len(names) <= _MOST or len(set(names)) < len(names):
        raise LudometerError(f"two to {_MOST} different players are needed, not {', '.join(names) or 'none'}")
