"""Does the record look as one of independent results between players of normal skills would? What is odd about it.

Residuals are results minus what the drawn skills expect, for many draws: so the doubt about skills is in them, and
under the model each sum of products has mean 0 and a variance that is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.measurement.edge.chains import Draws, expected_scores
from ludometer.measurement.edge.duels import Duels

_SNAPSHOTS, _FEW, _LONG = 16, 4, 100_000
"""Draws that are looked at, and how many of a record longer than the last."""
_NEAR, _FAR = (1,), (2, 3, 4, 5, 6)
"""How many matches of a player later: the next, and some that follow."""

SURE = 3.5
"""Standard errors from which on a finding is no accident."""

STREAKS, CHANGE, MATCHUPS, SKEW, TAILS = 0.05, 0.005, 0.05, 0.5, 0.8
"""From which size on a finding matters: mean correlations of residuals; skewness and excess kurtosis of skills."""


_NO_CHANGE = 0.25
"""A correlation from one result to the next that no change of skills explains: rows are out of order, or worse."""


@dataclass(frozen=True)
class Finding:
    """How far a statistic of the record is from what the model expects."""

    size: float
    z: float

    def matters(self, least: float) -> bool:
        """Whether it is neither an accident nor small."""
        return self.z > SURE and self.size > least


@dataclass(frozen=True)
class Oddities:
    """What does not look like independent results between players of normal skills."""

    streaks: Finding
    """A player's results just after each other, against different opponents."""
    change: Finding
    """A player's results some matches apart."""
    matchups: Finding
    """Meetings of the same two players."""
    skew: Finding
    tails: Finding
    """Of the skills of those who count."""

    @property
    def reacts(self) -> bool:
        """Results depend on results just before, and not because strength changed for longer."""
        longer = 2.5 * max(self.change.size, 0.0)
        return self.streaks.matters(STREAKS) and (self.streaks.size > longer or self.streaks.size > _NO_CHANGE)

    @property
    def changes(self) -> bool:
        """Skills do not stay as they are."""
        return self.change.matters(CHANGE)

    @property
    def has_matchups(self) -> bool:
        """Some pairs have results of their own."""
        return self.matchups.matters(MATCHUPS)

    @property
    def has_outliers(self) -> bool:
        """Some players are of another kind than the others."""
        return (abs(self.skew.z) > SURE and abs(self.skew.size) > SKEW) or self.tails.matters(TAILS)


def look_for_oddities(duels: Duels, draws: Draws, counted: Mask) -> Oddities:
    """Means over draws of what each statistic is, in itself and in standard errors."""
    n_looks = min(_SNAPSHOTS if len(duels) <= _LONG else _FEW, draws.skills.shape[1])
    chosen = np.linspace(0, draws.skills.shape[1] - 1, n_looks).astype(np.int64)
    near, far, meet = _Products(duels, _NEAR), _Products(duels, _FAR), _Meetings(duels)
    sums = np.zeros((3, 2))
    skewness, kurtosis = [], []
    for at in chosen:
        skill, state = draws.skills[:, at].astype(np.float64), draws.state[at]
        p = expected_scores(duels, skill, state)
        residual, variance = duels.score - p, p * (1 - p)
        variance = variance * min(float((residual**2).sum() / variance.sum()), 1.0)
        for row, products in enumerate((near, far, meet)):
            sums[row] += products.total(residual, variance)
        who = skill[counted]
        z = (who - who.mean()) / max(float(who.std()), 1e-9)
        skewness.append(float((z**3).mean()))
        kurtosis.append(float((z**4).mean() - 3))
    n = max(int(counted.sum()), 1)
    streaks, change, matchups = (
        Finding(float(total / max(products.scale, 1e-9)), float(total / max(spread, 1e-9)))
        for (total, spread), products in zip(sums / len(chosen), (near, far, meet), strict=True)
    )
    return Oddities(
        streaks,
        change,
        matchups,
        Finding(float(np.mean(skewness)), float(np.mean(skewness) / np.sqrt(6 / n))),
        Finding(float(np.mean(kurtosis)), float(np.mean(kurtosis) / np.sqrt(24 / n))),
    )


class _Products:
    """Pairs of results of one player, so many matches apart, against different opponents."""

    def __init__(self, duels: Duels, lags: tuple[int, ...]) -> None:
        n = len(duels)
        player = np.concatenate((duels.first, duels.second))
        row = np.concatenate((np.arange(n), np.arange(n)))
        order = np.lexsort((row, player))
        who, rows = player[order], row[order]
        sign = np.where(order < n, 1.0, -1.0)
        opponent = np.concatenate((duels.second, duels.first))[order]
        one, other, both = [], [], []
        for lag in lags:
            same = np.flatnonzero((who[lag:] == who[:-lag]) & (opponent[lag:] != opponent[:-lag]))
            one.append(rows[same])
            other.append(rows[same + lag])
            both.append(sign[same] * sign[same + lag])
        self.one, self.other, self.sign = np.concatenate(one), np.concatenate(other), np.concatenate(both)
        self.scale = 1.0

    def total(self, residual: Floats, variance: Floats) -> tuple[float, float]:
        """The sum of products, and its standard error."""
        each = variance[self.one] * variance[self.other]
        self.scale = float(np.sqrt(each).sum())
        return float((self.sign * residual[self.one] * residual[self.other]).sum()), float(np.sqrt(each.sum()))


class _Meetings(_Products):
    """Meetings of the same two players, one after another."""

    def __init__(self, duels: Duels, lags: tuple[int, ...] = (1,)) -> None:  # noqa: ARG002 - one after another
        low, high = np.minimum(duels.first, duels.second), np.maximum(duels.first, duels.second)
        pair = low.astype(np.int64) * duels.n_players + high
        order = np.argsort(pair, kind="stable")
        same = np.flatnonzero(pair[order][1:] == pair[order][:-1])
        self.one, self.other = order[same], order[same + 1]
        side = np.where(duels.first == low, 1.0, -1.0)
        self.sign = side[self.one] * side[self.other]
        self.scale = 1.0
