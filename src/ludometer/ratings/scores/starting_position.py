"""Scores without the luck of the starting position, which a column rates for each seat."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ludometer.arrays import Floats
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.ratings.scores.series import fingerprint_of, seat_column, series_frame, with_scores
from ludometer.result import Provenance
from ludometer.wording import percent

if TYPE_CHECKING:
    import altair
    import polars as pl

Form = Literal["difference", "quotient"]

_CLIP = (0.5, 2.0)


@dataclass(frozen=True)
class Adjustment:
    """Series with adjusted scores, and how much less a player's scores then vary."""

    series: Matches
    form: Form
    coefficient: float
    """Points subtracted per point of the position above its mean; 1 for a quotient."""
    std_error: float | None
    """Of the coefficient, if it was fitted."""
    variance_before: float
    """Of a player's scores around their own mean."""
    variance_after: float
    provenance: Provenance

    @property
    def reduction(self) -> float:
        """The share of the variance that was removed."""
        return 1 - self.variance_after / self.variance_before if self.variance_before > 0 else 0.0

    def to_frame(self) -> pl.DataFrame:
        """The series with their adjusted scores."""
        return series_frame(self.series)

    def summary(self) -> str:
        """The coefficient and what it removed."""
        error = "" if self.std_error is None else f" ± {self.std_error:.3f}"
        before, after = math.sqrt(self.variance_before), math.sqrt(self.variance_after)
        return (
            f"scores adjusted for the starting position by {self.form}, factor {self.coefficient:.3f}{error}: "
            f"within players they vary by {after:.1f} instead of {before:.1f} ({percent(self.reduction)} of the "
            "variance is gone)"
        )

    def plot(self) -> altair.Chart:
        """Scores against positions."""
        import altair as alt

        position, score = seat_column(self.series, "position"), seat_column(self.series, "score")
        rows = [{"position": float(x), "score": float(y)} for x, y in zip(position[:2000], score[:2000], strict=True)]
        chart: alt.Chart = (
            alt.Chart(alt.InlineData(values=rows), width=420, height=280, title="Scores by the strength of the start")
            .mark_circle(size=12, opacity=0.4, color="#24405f")
            .encode(
                x=alt.X("position:Q", title="Strength of the position", scale=alt.Scale(zero=False)),
                y=alt.Y("score:Q", title="Score", scale=alt.Scale(zero=False)),
            )
        )
        return chart


def adjust_for_position(series: Matches, *, coefficient: float | None = None, form: Form = "difference") -> Adjustment:
    """Remove the luck of the start, by the column position: a number on any scale, more is better.

    "difference": S' = S - b (V - mean V), a control variate. If V depends on chance alone, its mean is the same for all
    players and nobody gains; b is fitted by least squares within players, or given (1 where V is an expected score).
    "quotient": S' = S / c with c = V / mean V kept between 0.5 and 2, as Edelkamp's paper does with hands; it needs
    positive V, and where strong players score more it changes the scale.

    >>> from ludometer.ratings.scores.series import make_series
    >>> columns = {"series": [1, 1, 2, 2], "player": list("ABAB"), "score": [60, 40, 50, 70]}
    >>> columns |= {"position": [11, 9, 10, 10]}
    >>> adjust_for_position(make_series(columns), coefficient=5).series.score.tolist()
    [55.0, 45.0, 50.0, 70.0]
    """
    position, score = seat_column(series, "position"), seat_column(series, "score")
    error = None
    if form == "difference":
        if coefficient is None:
            coefficient, error = _fit(series, position, score)
        adjusted = score - coefficient * (position - position.mean())
    elif form == "quotient":
        if coefficient is not None or (position <= 0).any():
            raise LudometerError("a quotient needs positions above 0 and no coefficient")
        coefficient = 1.0
        adjusted = score / np.clip(position / position.mean(), *_CLIP)
    else:
        raise LudometerError(f"the form is difference or quotient, not {form!r}")
    return Adjustment(
        with_scores(series, adjusted),
        form,
        float(coefficient),
        error,
        _variance(series, score),
        _variance(series, adjusted),
        Provenance("adjust for position", {"form": form, "coefficient": coefficient}, fingerprint_of(series)),
    )


def _fit(series: Matches, position: Floats, score: Floats) -> tuple[float, float]:
    x, y = _within(series, position), _within(series, score)
    squares = float(x @ x)
    if squares <= 0:
        raise LudometerError("the positions do not differ, so there is nothing to adjust for")
    slope = float(x @ y) / squares
    rest = y - slope * x
    freedom = max(len(x) - int((series.counts > 0).sum()) - 1, 1)
    return slope, math.sqrt(float(rest @ rest) / freedom / squares)


def _within(series: Matches, values: Floats) -> Floats:
    """What each value differs from its player's mean."""
    player = series.seats.player
    mean = np.bincount(player, weights=values) / np.maximum(np.bincount(player), 1)
    return np.asarray(values - mean[player])


def _variance(series: Matches, values: Floats) -> float:
    rest = _within(series, values)
    return float(rest @ rest) / max(len(rest) - int((series.counts > 0).sum()), 1)
