"""Readings of one spread of skills, each into all others: Elo points, log-odds, SDs of performance, l2, L, games."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.errors import LudometerError
from ludometer.measurement.entropy.outcomes import entropies
from ludometer.measurement.spread.spread import repetitions
from ludometer.scale import GUMBEL_SD, elo_to_probit, expected_score, from_elo, probit_to_elo, to_elo
from ludometer.wording import percent

if TYPE_CHECKING:
    import polars as pl

LEAST_LUCK = 1 / (2 * math.log(2))
"""L of a normal population as its SD grows: who wins is certain, against whom one plays is not. 0.721."""

_STEP, _REACH = 1 / 64, 12.0


@dataclass(frozen=True)
class SpreadReading:
    """One SD of skills on all scales, for matches of two without ties.

    The normal and the logistic model are joined where their curves are nearest, at 1.702 / root 2 log-odds for one SD
    of a normal performance, as in `Skills.elo`: one SD of skills then means the same chance of winning in both, to
    0.0095. `l2` is that of the normal model. The logistic model has Gumbel performances, whose SD is pi / root 6
    log-odds, and so an l2 of its own, `logit_l2`: that is what `Skills.l2` of a logit fit is.
    """

    elo_sd: float
    logit_sd: float
    """In log-odds."""
    probit_sd: float
    """In SDs of a normal performance, whose variance is 1."""
    l2: float
    """1 / (1 + probit_sd^2)."""
    delta2: float
    """1 - l2."""
    logit_l2: float
    """1 / (1 + logit_sd^2 / (pi^2 / 6))."""
    p_sd: float
    """The probability that a player one SD better wins, by the logistic curve."""
    rep: int | None
    """Games until he leads with more than 75%; None if a billion would not do."""
    luck: float
    """L, the entropy luck of a normal population with this SD, by the normal model."""

    def to_frame(self) -> pl.DataFrame:
        """reading, value."""
        import polars as pl

        names = list(self.__dataclass_fields__)
        values = [getattr(self, name) for name in names]
        columns = {"reading": names, "value": [None if value is None else float(value) for value in values]}
        return pl.DataFrame(columns, schema={"reading": pl.String, "value": pl.Float64})

    def summary(self) -> str:
        """All readings in three lines."""
        rep = "no number of games is enough" if self.rep is None else f"{self.rep:,} games until he leads with 75%"
        return "\n".join(
            (
                f"SD of skills {self.elo_sd:.1f} Elo points, {self.logit_sd:.3f} log-odds, "
                f"{self.probit_sd:.3f} SDs of performance",
                f"l2 {self.l2:.3f}, delta2 {self.delta2:.3f} (Gumbel performances: l2 {self.logit_l2:.3f}), "
                f"L {self.luck:.3f}",
                f"one SD better wins {percent(self.p_sd)}, {rep}",
            )
        )


def read_spread(
    *,
    elo_sd: float | None = None,
    logit_sd: float | None = None,
    probit_sd: float | None = None,
    l2: float | None = None,
    delta2: float | None = None,
    logit_l2: float | None = None,
    p_sd: float | None = None,
) -> SpreadReading:
    """All readings of a spread of skills from one of them.

    >>> chess = read_spread(elo_sd=171.7)
    >>> round(chess.l2, 3), round(chess.p_sd, 3), chess.rep, round(chess.luck, 3)
    (0.597, 0.729, 3, 0.901)
    >>> round(read_spread(l2=chess.l2).elo_sd, 9)
    171.7
    """
    given = {
        "elo_sd": elo_sd,
        "logit_sd": logit_sd,
        "probit_sd": probit_sd,
        "l2": l2,
        "delta2": delta2,
        "logit_l2": logit_l2,
        "p_sd": p_sd,
    }
    known = {name: value for name, value in given.items() if value is not None}
    if len(known) != 1:
        raise LudometerError(f"give one reading of a spread, not {len(known)}: {', '.join(given)}")
    ((name, value),) = known.items()
    sd = _logit_sd(name, float(value))
    points = to_elo(sd)
    probit = elo_to_probit(points)
    p = float(expected_score(np.array(points)))
    return SpreadReading(
        elo_sd=points,
        logit_sd=sd,
        probit_sd=probit,
        l2=1 / (1 + probit**2),
        delta2=probit**2 / (1 + probit**2),
        logit_l2=1 / (1 + (sd / GUMBEL_SD) ** 2),
        p_sd=p,
        rep=repetitions(p),
        luck=normal_luck(probit),
    )


def normal_luck(probit_sd: float) -> float:
    """L of normally distributed skills in matches of two without ties, performances being normal with variance 1.

    Against an opponent drawn from the population a player of skill s wins with Phi(s / root(2 + SD^2)); L is the mean
    over s of the entropy of that, in bits, since over all players the outcome has one bit.

    >>> normal_luck(0.0), round(normal_luck(1.0), 3)
    (1.0, 0.875)
    """
    from scipy.special import ndtr

    # the trapezoidal rule, which for a smooth function under a normal density misses by rounding only
    z = np.arange(-_REACH, _REACH + _STEP, _STEP)
    density = np.exp(-0.5 * z * z) * (_STEP / math.sqrt(2 * math.pi))
    win = ndtr(z * (probit_sd / math.hypot(math.sqrt(2), probit_sd)))
    return float(density @ entropies(np.column_stack((win, win[::-1]))) / density.sum())


def _logit_sd(name: str, value: float) -> float:
    """The SD in log-odds from any reading, within its bounds."""
    low, high = {"p_sd": (0.5, 1.0), "delta2": (0.0, 1.0)}.get(name, (0.0, math.inf))
    if name in ("l2", "logit_l2"):
        if not 0 < value <= 1:
            raise LudometerError(f"{name} is a number above 0 and up to 1, not {value:g}")
        performances = math.sqrt((1 - value) / value)
        return GUMBEL_SD * performances if name == "logit_l2" else from_elo(probit_to_elo(performances))
    if not low <= value < high:
        raise LudometerError(f"{name} is a number from {low:g} up and below {high:g}, not {value:g}")
    if name == "p_sd":
        return math.log(value / (1 - value))
    if name == "delta2":
        return from_elo(probit_to_elo(math.sqrt(value / (1 - value))))
    if name == "probit_sd":
        return from_elo(probit_to_elo(value))
    return from_elo(value) if name == "elo_sd" else value
