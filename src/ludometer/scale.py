"""Natural units (log-odds) and Elo points, and the expected score: the only place of 400 and ln 10."""

from __future__ import annotations

import math
from typing import Literal, TypeVar

import numpy as np

from ludometer.arrays import Floats

Number = TypeVar("Number", float, Floats)
Base = Literal["10", "e"]

ELO = 400 / math.log(10)
"""Elo points in one natural unit (a factor e in the odds): 173.7."""

GUMBEL_SD = math.pi / math.sqrt(6)
"""The SD of one performance in the logistic model, in natural units: its variance is pi^2 / 6, that of probit is 1."""

_LOGISTIC_PER_NORMAL = 1.702
"""logistic(1.702 z) is never further than 0.0095 from Phi(z) (Haley 1952; Camilli 1994)."""

_PRINTED = 400.0


def points_per_unit(base: Base) -> float:
    """Points in one natural unit: Elo's, or with base e the printed scale of multiplayer ratings (Duersch et al. 2020).

    They take weights e^R and multiply R by 400 afterwards, which is a scale ln 10 times wider than Elo's.

    >>> round(points_per_unit("10"), 1), points_per_unit("e")
    (173.7, 400.0)
    """
    return _PRINTED if base == "e" else ELO


def to_elo(natural: Number) -> Number:
    """Log-odds to Elo points.

    >>> round(to_elo(math.log(10)))
    400
    """
    return natural * ELO


def from_elo(points: Number) -> Number:
    """Elo points to log-odds."""
    return points / ELO


def expected_score(difference: Floats) -> Floats:
    """1 / (1 + 10^(-difference / 400)): what a player that many Elo points better scores on average.

    >>> expected_score(np.array([0.0, 400.0])).round(3).tolist()
    [0.5, 0.909]
    """
    return np.asarray(1 / (1 + np.exp(np.clip(-np.asarray(difference) / ELO, -700, 700))))


def probit_to_elo(performance: Number) -> Number:
    """SDs of a normal performance to Elo points, so that Phi(d / root 2) is nearest to the logistic curve.

    >>> round(probit_to_elo(1.0))
    209
    """
    return performance * (_LOGISTIC_PER_NORMAL / math.sqrt(2) * ELO)


def elo_to_probit(points: Number) -> Number:
    """Elo points to SDs of a normal performance.

    >>> round(elo_to_probit(probit_to_elo(1.5)), 9)
    1.5
    """
    return points / (_LOGISTIC_PER_NORMAL / math.sqrt(2) * ELO)
