"""How K and chance factors move ratings, and which K and start bring good and weak players to wanted ratings."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.chart_style import ACCENT, GREY, INK
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings.scores.elo import SeriesElo
from ludometer.ratings.scores.series import fingerprint_of
from ludometer.result import Provenance, Shown
from ludometer.skat.language import Language, localise, number_axis, phrase

if TYPE_CHECKING:
    import polars as pl

    from ludometer.skat.luck.factors import Lost, Strength
    from ludometer.skat.sheets import SkatGames

KS = (0.01, 0.02, 0.04, 0.08)
TOPS = (10, 25, 75, 90)
"""Percent of the players who are at or above a rating."""


@dataclass(frozen=True)
class Placement:
    """The K and start that bring good and weak players nearest to the wanted ratings."""

    k: float
    start: float
    good: float
    """Rating that good players reach with these."""
    weak: float
    noise: float
    """SD of a rating by chance at this K, sd sqrt(K / 2): a large K spreads ratings by noise as well."""
    targets: tuple[float, float]
    provenance: Provenance

    def document(self) -> dict[str, Any]:
        """For JSON."""
        numbers = {name: getattr(self, name) for name in ("k", "start", "good", "weak", "noise")}
        return numbers | {"targets": list(self.targets)}

    def summary(self) -> str:
        """K, start and what comes of them."""
        return (
            f"K {self.k:.4f} from {self.start:.0f}: good players {self.good:.0f} (wanted {self.targets[0]:.0f}), "
            f"weak ones {self.weak:.0f} (wanted {self.targets[1]:.0f}); noise of a rating {self.noise:.0f}"
        )


@dataclass(frozen=True)
class Sensitivity(Shown):
    """Ratings by chance factors and K: Edelkamp's Table VIII."""

    rows: pl.DataFrame
    """The factors, k, max, mean, min, top_10, top_25, top_75, top_90 and sd: how far ratings lie apart."""
    n_players: int
    n_series: int
    provenance: Provenance
    placement: Placement | None = None

    @property
    def factors(self) -> list[str]:
        """The chance factors that were switched on and off."""
        return [name for name in self.rows.columns if name not in _NUMBERS]

    @property
    def start(self) -> float:
        """The start rating."""
        return float(self.provenance.parameters["start_rating"])

    def to_frame(self) -> pl.DataFrame:
        """One row per combination."""
        return self.rows

    def summary(self, language: Language = "en") -> str:
        """The table and, where targets were given, the K and start that come nearest to them."""
        from ludometer.skat.report.tables import describe_sensitivity

        return describe_sensitivity(self, language)

    def charts(self, *, narrow: bool = False, language: Language = "en") -> dict[str, Any]:
        """Ratings from the lowest to the highest, for each K and choice of factors."""
        import altair as alt

        rows = [
            row
            | {
                "case": " ".join(
                    [*(name for name in self.factors if row[name]), localise(f"K {row['k']:g}", language)]
                ),
                "label": f"{row['max']:.0f}",
            }
            for row in self.rows.to_dicts()
        ]
        base = alt.Chart(alt.InlineData(values=rows))
        y = alt.Y("case:N", sort=[row["case"] for row in rows], title=None)
        x = alt.X(
            "min:Q",
            title=phrase("rating axis", language),
            scale=alt.Scale(zero=False),
            axis=number_axis(language, narrow=narrow),
        )
        whole = base.mark_rule(color=GREY).encode(y=y, x=x, x2="max:Q")
        middle = base.mark_bar(color=INK, height=9).encode(y=y, x="top_90:Q", x2="top_10:Q")
        text = base.mark_text(align="left", dx=5, color=ACCENT, fontSize=11).encode(y=y, x="max:Q", text="label:N")
        return {"spread": (whole + middle + text).properties(width=170 if narrow else 440, height=26 * len(rows))}

    def document(self) -> dict[str, Any]:
        """The rows and, on request, the K and start for wanted ratings."""
        absent = {"provenance.seed": "nothing was drawn"}
        if self.placement is None:
            absent["placement"] = "not asked for (--targets)"
        return {
            "data": {"series": self.n_series, "players": self.n_players},
            "factors": self.factors,
            "start": self.start,
            "rows": self.rows.to_dicts(),
            "placement": None if self.placement is None else self.placement.document(),
            "absent": absent,
        }


_NUMBERS = ("k", "max", "mean", "min", *(f"top_{top}" for top in TOPS), "sd")


def measure_sensitivity(
    versions: Mapping[Hashable, Matches],
    *,
    k: Sequence[float] = KS,
    system: SeriesElo | None = None,
    names: Sequence[str] = ("i1", "i2"),
    min_series: int = 1,
) -> Sensitivity:
    """Max, mean, min and the top 10, 25, 75 and 90% of ratings for each version of the series and each K.

    The keys tell which chance factors the scores of a version are corrected by: (1, 0) for i1 alone, in the order of
    `names`. Top 10% is the rating that one player in ten reaches. Players with `min_series` count. The sum of ratings
    is constant, so the mean is the start if all players count (the paper's printed means differ slightly).

    >>> from ludometer.ratings.scores.series import make_series
    >>> series = make_series({"series": [1, 1, 1], "player": list("ABC"), "score": [1387, 1018, 152]})
    >>> measure_sensitivity({(0, 0): series}, k=[0.02]).rows.select("max", "mean", "min").row(0)
    (860.69, 850.0, 835.99)
    """
    import polars as pl

    chosen = system or SeriesElo(start_rating=850.0)
    if not versions or not k:
        raise LudometerError("a sensitivity table needs series and a K")
    rows = []
    for key, series in versions.items():
        factors = _factors(key, names)
        kept = series.counts >= max(min_series, 1)
        if not kept.any():
            raise LudometerError(f"no player has at least {max(min_series, 1)} series")
        for step in k:
            rows.append(factors | {"k": step} | _describe(_settle(replace(chosen, k=step), series)[kept]))
    first = next(iter(versions.values()))
    return Sensitivity(
        pl.DataFrame(rows),
        int((first.counts > 0).sum()),
        len(first),
        Provenance("sensitivity", chosen.parameters | {"k": list(k), "min_series": min_series}, fingerprint_of(first)),
    )


def study_sensitivity(
    series: Matches,
    games: SkatGames | None,
    *,
    names: Sequence[str] = ("i1", "i2"),
    k: Sequence[float] = KS,
    system: SeriesElo | None = None,
    strength: Strength | None = None,
    lost: Lost = "divide",
    min_series: int = 1,
    seed: int = 0,
) -> Sensitivity:
    """The table of series from a file: with game records for every choice of the factors, else without them."""
    from ludometer.skat.luck.factors import ChanceFactors, correct_series

    corrected: dict[Hashable, Matches] = {(0,) * len(names): series}
    if games is not None and games.records is not None:
        for key in product((0, 1), repeat=len(names)):
            on = dict(zip(names, key, strict=True))
            factors = ChanceFactors(bool(on.get("i1")), bool(on.get("i2")), "own" if on.get("i3") else None, lost)
            if any(key):
                corrected[key] = correct_series(series, games, factors, strength=strength, seed=seed)
    return measure_sensitivity(corrected, k=k, system=system, names=names, min_series=max(min_series, 1))


def choose_step_and_start(
    series: Matches,
    *,
    good: float = 1100.0,
    weak: float = 650.0,
    top: float = 10.0,
    min_series: int = 10,
    k_range: tuple[float, float] = (0.002, 0.2),
    system: SeriesElo | None = None,
) -> Placement:
    """K and start that bring the best `top`% of players nearest to `good` and the last to `weak`, by least squares.

    The best are measured by the mean rating of the best `top`% of players with `min_series`. The start moves both ends,
    K their distance: for each K on a grid of 49, refined twice, the start brings their middle to that of the targets.
    If K ends at a bound of its range, the series cannot reach the targets.
    """
    chosen = system or SeriesElo()
    kept = series.counts >= min_series
    if kept.sum() < 2:
        raise LudometerError(f"fewer than two players have {min_series} series")
    low, high = k_range
    if not 0 < low < high:
        raise LudometerError(f"K is searched between two numbers above 0, not in {k_range}")
    best: tuple[float, float, float, float, float] = (math.inf, 0.0, 0.0, 0.0, 0.0)
    for _ in range(3):
        grid = np.geomspace(low, high, 49)
        for step in grid:
            start, ends = _centre(replace(chosen, k=float(step)), series, kept, top, 0.5 * (good + weak))
            miss = (ends[0] - good) ** 2 + (ends[1] - weak) ** 2
            best = min(best, (miss, float(step), start, *ends))
        ratio = grid[1] / grid[0]
        low, high = max(best[1] / ratio, k_range[0]), min(best[1] * ratio, k_range[1])
    _, step, start, upper, lower = best
    final = replace(chosen, k=step, start_rating=start)
    state = final.settle(final.start(0), series)
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
            fingerprint_of(series),
        ),
    )


def _factors(key: Hashable, names: Sequence[str]) -> dict[str, Any]:
    values = key if isinstance(key, tuple) else (key,)
    if len(values) == 1 and len(names) != 1:
        return {"factors": str(values[0])}
    if len(values) != len(names):
        raise LudometerError(f"{key!r} does not tell {', '.join(names)}")
    return dict(zip(names, values, strict=True))


def _settle(system: SeriesElo, series: Matches) -> Floats:
    return system.ratings(system.settle(system.start(len(series.players)), series))


def _describe(rating: Floats) -> dict[str, float]:
    tops = {f"top_{top}": float(np.quantile(rating, 1 - top / 100)) for top in TOPS}
    ends = {"max": float(rating.max()), "mean": float(rating.mean()), "min": float(rating.min())}
    sd = float(rating.std(ddof=1)) if len(rating) > 1 else 0.0
    return {name: round(value, 2) for name, value in (ends | tops | {"sd": sd}).items()}


def _centre(
    system: SeriesElo, series: Matches, kept: Mask, top: float, middle: float
) -> tuple[float, tuple[float, float]]:
    """The start that brings the middle of good and weak players to where it is wanted, and both ends."""
    start = middle
    ends = (math.nan, math.nan)
    # ratings move with the start nearly point by point, so the shortfall itself is the next step
    for _ in range(12):
        rating = np.sort(_settle(replace(system, start_rating=start), series)[kept])
        n = max(round(len(rating) * top / 100), 1)
        ends = (float(rating[-n:].mean()), float(rating[:n].mean()))
        shortfall = middle - 0.5 * (ends[0] + ends[1])
        if abs(shortfall) < 1e-3:
            break
        start += shortfall
    return start, ends
