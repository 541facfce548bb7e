"""How good stated chances of winning are: log loss, AUC and a calibration table, by kind of game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.result import Provenance
from ludometer.skat.luck.features import KINDS

if TYPE_CHECKING:
    import altair
    import polars as pl

_BINS = 10


@dataclass(frozen=True, eq=False)
class Quality:
    """One kind of game: the log loss of the model and of the mean alone, and the area under the ROC curve."""

    kind: str
    games: int
    won: float
    log_loss: float
    base_log_loss: float
    auc: float


@dataclass(frozen=True, eq=False)
class Calibration:
    """Predicted and observed shares of games won in groups of equal size, and the quality by kind."""

    quality: tuple[Quality, ...]
    kind: tuple[str, ...]
    predicted: Floats
    observed: Floats
    std_error: Floats
    games: Counts
    provenance: Provenance = field(default_factory=lambda: Provenance("calibration"))

    def to_frame(self) -> pl.DataFrame:
        """One row a group: kind, games, predicted, observed, std_error."""
        import polars as pl

        columns = {name: getattr(self, name) for name in ("games", "predicted", "observed", "std_error")}
        return pl.DataFrame({"kind": list(self.kind), **columns})

    def summary(self) -> str:
        """One line a kind."""
        head = f"{'':18}{'games':>9}{'won':>8}{'log loss':>10}{'of mean':>9}{'AUC':>7}"
        lines = [
            f"{q.kind:18}{q.games:>9,}{q.won:>8.3f}{q.log_loss:>10.3f}{q.base_log_loss:>9.3f}{q.auc:>7.3f}"
            for q in self.quality
        ]
        return "\n".join((head, *lines))

    def plot(
        self,
        *,
        columns: int = 3,
        size: int = 180,
        x_title: str = "predicted chance",
        y_title: str = "games won",
        names: Mapping[str, str] | None = None,
    ) -> altair.FacetChart:
        """Observed against predicted with two standard errors, a panel a kind; on the diagonal the model is right."""
        import altair as alt

        shown = names or {}
        rows = [
            row
            | {
                "kind": shown.get(row["kind"], row["kind"]),
                "low": max(row["observed"] - 2 * row["std_error"], 0),
                "high": min(row["observed"] + 2 * row["std_error"], 1),
                "least": 0,
                "most": 1,
            }
            for row in self.to_frame().to_dicts()
        ]
        scale = alt.Scale(domain=[0, 1])
        base = alt.Chart().encode(x=alt.X("predicted:Q", title=x_title, scale=scale, axis=alt.Axis(values=[0, 0.5, 1])))
        points = base.mark_circle(size=40, color="#24405f", opacity=1).encode(y=alt.Y("observed:Q", scale=scale))
        bars = base.mark_rule(color="#24405f").encode(y=alt.Y("low:Q", title=y_title, scale=scale), y2="high:Q")
        diagonal = (
            alt.Chart()
            .mark_rule(strokeDash=[4, 4], color="#b4530a")
            .encode(x=alt.X("least:Q", scale=scale), y=alt.Y("least:Q"), x2="most:Q", y2="most:Q")
        )
        layers = alt.layer(diagonal, bars, points).properties(width=size, height=size)
        order = [shown.get(quality.kind, quality.kind) for quality in self.quality]
        chart: altair.FacetChart = layers.properties(data=alt.InlineData(values=rows)).facet(
            alt.Facet("kind:N", title=None, sort=order, header=alt.Header(labelFontSize=13)), columns=columns
        )
        return chart


def calibrate(chance: Floats, won: Array, kind: Codes) -> Calibration:
    """Compare chances with results; games whose chance is NaN are left out.

    >>> chance = np.repeat([0.25, 0.75], 100)
    >>> won = np.r_[np.arange(100) < 25, np.arange(100) < 75]
    >>> result = calibrate(chance, won, np.zeros(200, np.int32))
    >>> round(result.quality[0].log_loss, 4), result.quality[0].auc
    (0.5623, 0.75)
    """
    quality: list[Quality] = []
    names: list[str] = []
    rows: list[tuple[float, float, float, int]] = []
    for code, name in enumerate(KINDS):
        chosen = (kind == code) & ~np.isnan(chance)
        if not chosen.any():
            continue
        p, w = chance[chosen], np.asarray(won)[chosen].astype(float)
        mean = w.mean()
        quality.append(
            Quality(name, len(w), float(mean), _log_loss(p, w), _log_loss(np.full(len(w), mean), w), _auc(p, w))
        )
        order = np.argsort(p, kind="stable")
        for group in np.array_split(order, min(_BINS, max(1, len(order) // 10))):
            error = np.sqrt((p[group] * (1 - p[group])).sum()) / len(group)
            rows.append((float(p[group].mean()), float(w[group].mean()), float(error), len(group)))
            names.append(name)
    predicted, observed, error, games = (np.array(column) for column in zip(*rows, strict=True))
    return Calibration(tuple(quality), tuple(names), predicted, observed, error, games)


def _log_loss(p: Floats, won: Floats) -> float:
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return float(-np.mean(won * np.log(p) + (1 - won) * np.log1p(-p)))


def _auc(p: Floats, won: Floats) -> float:
    """The chance that a game won had the higher prediction than a game lost; ties count half."""
    from scipy.stats import rankdata

    n_won = won.sum()
    n_lost = len(won) - n_won
    if not n_won or not n_lost:
        return float("nan")
    return float((rankdata(p)[won > 0].sum() - n_won * (n_won + 1) / 2) / (n_won * n_lost))
