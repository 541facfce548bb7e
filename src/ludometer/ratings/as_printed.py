"""Formulas and procedures as the papers print them, kept to reproduce their numbers: use the corrected ones instead.

Smith's noise (`measure_noise` corrects it), and the search for the best k of Duersch et al.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ludometer.arrays import Floats
from ludometer.chart_style import ACCENT, INK
from ludometer.ratings.noise.noise import BOUND, check_league
from ludometer.result import Provenance, Shown
from ludometer.scale import ELO, from_elo

if TYPE_CHECKING:
    import polars as pl

_FINEST = 1e-4
"""Where the search stops halving: no k gained anything, or rounding hides the gain."""


@dataclass(frozen=True)
class PrintedTerms:
    """Smith's noise in Elo points: of those who have not converged, of fluctuation, and the root of both squares."""

    converging: float
    fluctuation: float
    total: float
    optimal_step: float
    bound: float

    def terms(self) -> dict[str, float]:
        """The numbers by the names of the JSON document."""
        return {
            "converging": self.converging,
            "fluctuation": self.fluctuation,
            "total": self.total,
            "h_opt": self.optimal_step,
            "h_bound": self.bound,
        }


@dataclass(frozen=True)
class PrintedNoise(PrintedTerms, Shown):
    """The printed formulas for opponents one SD away, and under `equal` those of footnote 13 for equal opponents."""

    equal: PrintedTerms
    provenance: Provenance

    def to_frame(self) -> pl.DataFrame:
        """One row for opponents one SD away, and one for equal opponents."""
        import polars as pl

        names = PrintedTerms.__dataclass_fields__
        rows = [{name: getattr(terms, name) for name in names} for terms in (self, self.equal)]
        return pl.DataFrame(rows).insert_column(0, pl.Series("opponents", ["one SD away", "equal"]))

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return self.terms() | {"equal": self.equal.terms(), "absent": self.provenance.absent()}

    def summary(self) -> str:
        """Both variants, and why they are wrong."""
        lines = ["as printed (the fluctuation is too low: eq. 87 squares the probabilities of winning and losing)"]
        for name, terms in (("opponents one SD away", self), ("equal opponents", self.equal)):
            lines.append(
                f"{name}: converging {terms.converging:.1f}, fluctuation {terms.fluctuation:.1f}, "
                f"total {terms.total:.1f}, best step {terms.optimal_step:.1f}"
            )
        return "\n".join([*lines, f"errors shrink below {self.bound:.0f}"])

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """The parts of the noise in both variants."""
        import altair as alt

        parts = ("converging", "fluctuation", "total")
        bars = [
            {"opponents": name, "part": part, "noise": getattr(terms, part)}
            for name, terms in (("one SD away", self), ("equal", self.equal))
            for part in parts
        ]
        chart = (
            alt.Chart(alt.InlineData(values=bars), width=240 if narrow else 300, height=220, title="Noise as printed")
            .mark_bar()
            .encode(
                x=alt.X("part:N", title=None, sort=list(parts)),
                xOffset="opponents:N",
                y=alt.Y("noise:Q", title="Noise (Elo points)"),
                color=alt.Color("opponents:N", title="Opponents", scale=alt.Scale(range=[INK, ACCENT])),
            )
        )
        return {"parts": chart}


def measure_printed_noise(*, sd: float, games: float, step: float) -> PrintedNoise:
    """Smith 1994, eq. 81, 92, 94 and 95 as printed, and as footnote 13 changes them for equal opponents.

    Not converged: sd^2 / (2 root(3) G h), which gives the printed numbers where eq. 81 has no 2; fluctuation:
    root(h / (2 wp')) wp (1 - wp); best step: 3^(-1/3) (sd^2 root(wp') / (wp (1 - wp) G))^(2/3).

    >>> printed = measure_printed_noise(sd=324, games=35, step=64)
    >>> round(printed.total, 1), round(printed.equal.total, 1), round(printed.optimal_step, 1)
    (28.8, 39.7, 53.0)
    """
    check_league(sd=sd, games=games, step=step)
    away, equal = (_printed(sd, games, step, difference) for difference in (sd, 0.0))
    parameters = {"sd": sd, "games": games, "step": step}
    return PrintedNoise(**vars(away), equal=equal, provenance=Provenance("printed noise", parameters))


def _printed(sd: float, games: float, step: float, difference: float) -> PrintedTerms:
    expected = 1 / (1 + math.exp(-float(from_elo(difference))))
    both, slope = expected * (1 - expected), expected * (1 - expected) / ELO
    converging = sd**2 / (2 * math.sqrt(3) * games * step)
    fluctuation = math.sqrt(step / slope / 2) * both
    best = 3 ** (-1 / 3) * (sd**2 * math.sqrt(slope) / (both * games)) ** (2 / 3)
    return PrintedTerms(converging, fluctuation, math.hypot(converging, fluctuation), best, BOUND)


class Search(Protocol):
    """Losses of a record by k."""

    converged: bool

    def try_steps(self, steps: Floats) -> Floats:
        """The loss at each k."""
        ...


def search_best_step(search: Search) -> float:
    """Duersch et al. 2020, A.4: try k = 0, 40, 80, 120, 160, centre on the best, halve the step, and repeat."""
    centre, step, at_the_top = 80.0, 40.0, True
    while step > _FINEST:
        grid = np.maximum(centre + step * np.arange(-2, 3), 0.0)
        losses = search.try_steps(np.concatenate(([0.0], grid)))
        best = 1 + int(np.argmin(losses[1:]))
        centre, at_the_top = float(grid[best - 1]), at_the_top and best == len(grid)
        around = search.try_steps(np.maximum([centre - step, centre + step], 0.0))
        gain = losses[0] - losses[best]
        if gain > 0 and (around - losses[best]).sum() / gain < 1e-6:
            break
        step /= 2
    # halving from 40 reaches no further than 240: a best k above that is not found
    search.converged = not at_the_top
    return centre
