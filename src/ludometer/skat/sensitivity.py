"""How ratings spread for chance factors and K, and which K and start put good and weak players where they should be."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.errors import LudometerError
from ludometer.ratings.scores.elo import SeriesElo
from ludometer.ratings.scores.record import SeriesRecord
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl

KS = (0.01, 0.02, 0.04, 0.08)
TOPS = (10, 25, 75, 90)
"""Per cent of the players who are at or above a rating."""


@dataclass(frozen=True)
class Sensitivity:
    """Ratings by chance factors and K: Edelkamp's Table VIII."""

    rows: pl.DataFrame
    """The factors, k, max, mean, min, top_10, top_25, top_75, top_90 and sd: the spread of ratings."""
    n_players: int
    n_series: int
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """A row for each combination."""
        return self.rows

    def summary(self) -> str:
        """The table's ends."""
        lines = [f"{self.n_series:,} series of {self.n_players:,} players"]
        for row in self.rows.head(18).iter_rows(named=True):
            factors = " ".join(str(value) for name, value in row.items() if name not in _NUMBERS)
            lines.append(
                f"{factors}  K {row['k']:<5g} max {row['max']:8.2f}  mean {row['mean']:7.2f}  min {row['min']:8.2f}"
                f"  SD {row['sd']:6.2f}"
            )
        return "\n".join(lines)

    def plot(self) -> altair.Chart:
        """From the lowest to the highest rating, by K, with a column for each choice of factors."""
        import altair as alt

        names = [name for name in self.rows.columns if name not in _NUMBERS]
        rows = [row | {"factors": " ".join(f"{name} {row[name]}" for name in names)} for row in self.rows.to_dicts()]
        base = alt.Chart(alt.InlineData(values=rows), width=110, height=240)
        x = alt.X("k:O", title="K")
        y = alt.Y("min:Q", title="Rating", scale=alt.Scale(zero=False))
        lines = base.mark_rule(color="#767676").encode(x=x, y=y, y2="max:Q")
        boxes = base.mark_bar(color="#24405f", width=12).encode(x=x, y="top_90:Q", y2="top_10:Q")
        chart: Any = (lines + boxes).facet(alt.Column("factors:N", title="Chance factors"))
        return chart  # type: ignore[no-any-return]


_NUMBERS = ("k", "max", "mean", "min", *(f"top_{top}" for top in TOPS), "sd")


def measure_sensitivity(
    records: Mapping[Hashable, SeriesRecord],
    *,
    k: Sequence[float] = KS,
    system: SeriesElo | None = None,
    names: Sequence[str] = ("i1", "i2"),
    min_series: int = 1,
) -> Sensitivity:
    """Max, mean, min and the top 10, 25, 75 and 90% of ratings for each record and K.

    The keys say which chance factors are in a record's scores: (1, 0) for i1 alone, in the order of `names`. Top 10%
    is the rating that one player in ten reaches. All players count who have `min_series`; as the sum of ratings stays,
    their mean is the start if that is 1 (the paper's printed means differ a little: its players cannot be all).

    >>> record = SeriesRecord.of_columns([1, 1, 1], list("ABC"), [1387, 1018, 152])
    >>> measure_sensitivity({(0, 0): record}, k=[0.02]).rows.select("max", "mean", "min").row(0)
    (860.69, 850.0, 835.99)
    """
    import polars as pl

    chosen = system or SeriesElo(start_rating=850.0)
    if not records or not k:
        raise LudometerError("a sensitivity table needs a record and a K")
    rows = []
    for key, record in records.items():
        factors = _factors(key, names)
        kept = record.matches.counts >= max(min_series, 1)
        if not kept.any():
            raise LudometerError(f"nobody has {min_series} series")
        for step in k:
            rows.append(factors | {"k": step} | _describe(_settle(replace(chosen, k=step), record)[kept]))
    first = next(iter(records.values()))
    return Sensitivity(
        pl.DataFrame(rows),
        int((first.matches.counts > 0).sum()),
        len(first),
        Provenance(
            "sensitivity", chosen.parameters | {"k": list(k), "min_series": min_series}, first.matches.fingerprint
        ),
    )


@dataclass(frozen=True)
class Placement:
    """The K and the start that put good and weak players nearest to where they should be."""

    k: float
    start: float
    good: float
    """Rating that the good reach with these."""
    weak: float
    noise: float
    """SD of a rating by chance at this K, sd sqrt(K / 2): a wide spread by a large K is noise as well."""
    targets: tuple[float, float]
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """One row."""
        import polars as pl

        names = ("k", "start", "good", "weak", "noise")
        return pl.DataFrame({name: [getattr(self, name)] for name in names})

    def summary(self) -> str:
        """K, start and what comes of them."""
        return (
            f"K {self.k:.4f} from {self.start:.0f}: good players {self.good:.0f} (wanted {self.targets[0]:.0f}), "
            f"weak ones {self.weak:.0f} (wanted {self.targets[1]:.0f}); a rating's noise is {self.noise:.0f}"
        )


def choose_step_and_start(
    record: SeriesRecord,
    *,
    good: float = 1100.0,
    weak: float = 650.0,
    top: float = 10.0,
    min_series: int = 10,
    k_range: tuple[float, float] = (0.002, 0.2),
    system: SeriesElo | None = None,
) -> Placement:
    """K and start with the top `top` % of players nearest to `good` and the bottom ones to `weak`, by least squares.

    The top is the mean rating of the best `top` % of those with `min_series`. The start moves both, K their distance:
    for each K the start that brings their middle to that of the targets, and of the K the best, on a grid of 49 that
    is made finer twice. Where K ends at a border the record cannot reach the targets.
    """
    chosen = system or SeriesElo()
    kept = record.matches.counts >= min_series
    if kept.sum() < 2:
        raise LudometerError(f"fewer than two players have {min_series} series")
    low, high = k_range
    if not 0 < low < high:
        raise LudometerError(f"K is looked for between two numbers above 0, not in {k_range}")
    best: tuple[float, float, float, float, float] = (math.inf, 0.0, 0.0, 0.0, 0.0)
    for _ in range(3):
        grid = np.geomspace(low, high, 49)
        for step in grid:
            start, ends = _centre(replace(chosen, k=float(step)), record, kept, top, 0.5 * (good + weak))
            miss = (ends[0] - good) ** 2 + (ends[1] - weak) ** 2
            best = min(best, (miss, float(step), start, *ends))
        ratio = grid[1] / grid[0]
        low, high = max(best[1] / ratio, k_range[0]), min(best[1] * ratio, k_range[1])
    _, step, start, upper, lower = best
    final = replace(chosen, k=step, start_rating=start)
    state = final.settle(final.start(0), record.matches)
    return Placement(
        step,
        start,
        upper,
        lower,
        state.sd * math.sqrt(step / 2),
        (good, weak),
        Provenance(
            "choose step and start",
            {"good": good, "weak": weak, "top": top, "min_series": min_series, "form": chosen.form},
            record.matches.fingerprint,
        ),
    )


def _factors(key: Hashable, names: Sequence[str]) -> dict[str, Any]:
    values = key if isinstance(key, tuple) else (key,)
    if len(values) == 1 and len(names) != 1:
        return {"factors": str(values[0])}
    if len(values) != len(names):
        raise LudometerError(f"{key!r} does not say {', '.join(names)}")
    return dict(zip(names, values, strict=True))


def _settle(system: SeriesElo, record: SeriesRecord) -> Floats:
    return system.ratings(system.settle(system.start(len(record.matches.players)), record.matches))


def _describe(rating: Floats) -> dict[str, float]:
    tops = {f"top_{top}": float(np.quantile(rating, 1 - top / 100)) for top in TOPS}
    ends = {"max": float(rating.max()), "mean": float(rating.mean()), "min": float(rating.min())}
    sd = float(rating.std(ddof=1)) if len(rating) > 1 else 0.0
    return {name: round(value, 2) for name, value in (ends | tops | {"sd": sd}).items()}


def _centre(
    system: SeriesElo, record: SeriesRecord, kept: Mask, top: float, middle: float
) -> tuple[float, tuple[float, float]]:
    """The start from which the middle of the good and the weak is where it is wanted, and both."""
    start = middle
    ends = (math.nan, math.nan)
    # ratings move with the start nearly point by point, so the shortfall itself is the next step
    for _ in range(12):
        rating = np.sort(_settle(replace(system, start_rating=start), record)[kept])
        n = max(round(len(rating) * top / 100), 1)
        ends = (float(rating[-n:].mean()), float(rating[:n].mean()))
        shortfall = middle - 0.5 * (ends[0] + ends[1])
        if abs(shortfall) < 1e-3:
            break
        start += shortfall
    return start, ends
