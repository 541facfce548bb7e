"""What players can expect per match above chance, with the luck of the record taken out.

The mean results of players vary by luck and by skill: the variance of player i's mean is tau² + sigma² / n_i. sigma is
the SD of one result around the player's mean; where results of a session hang together, it counts what a session adds.
tau² is estimated by its moments (Paule and Mandel 1982), its interval by the profile of Q (Viechtbauer 2007).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.measurement.legal.outcomes import SeatValues


@dataclass(frozen=True, eq=False)
class Expectations:
    """The spread of what players can expect."""

    mean: Floats
    """What each player got per match above chance."""
    played: Counts
    sigma: float
    """SD of one result, luck of sessions included."""
    tau: float
    """SD of what players can expect; 0 where luck explains all."""
    tau_interval: tuple[float, float]

    @property
    def shrunken(self) -> Floats:
        """What each player can expect: their mean, drawn towards that of all by as much as luck explains."""
        if self.tau == 0:
            return np.zeros(len(self.mean))
        return self.mean * self.tau**2 / (self.tau**2 + self.sigma**2 / np.maximum(self.played, 1))


def estimate_expectations(values: SeatValues) -> Expectations:
    """sigma, tau and its 95% interval."""
    played, mean = values.counts, values.means
    residual = values.value - mean[values.player]
    freedom = len(residual) - values.n_players
    variance = float((residual**2).sum() / freedom) if freedom > 0 else 0.0
    if values.has_sessions and variance > 0:
        # what the results of one player add up to in each session, against results that do not hang together
        session = np.unique(values.block, return_inverse=True)[1]
        _, group = np.unique(session.astype(np.int64) * values.n_players + values.player, return_inverse=True)
        variance *= float((np.bincount(group, residual) ** 2).sum() / (residual**2).sum())
    error = variance / np.maximum(played, 1)
    n = values.n_players
    if n < 2 or variance == 0:
        return Expectations(mean, played, float(np.sqrt(variance)), 0.0, (0.0, 0.0))
    low, high = (_solve_tau2(mean, error, quantile) for quantile in _chi2(n - 1, (0.975, 0.025)))
    tau2 = _solve_tau2(mean, error, n - 1.0)
    return Expectations(
        mean, played, float(np.sqrt(variance)), float(np.sqrt(tau2)), (float(np.sqrt(low)), float(np.sqrt(high)))
    )


def _chi2(freedom: int, quantiles: tuple[float, float]) -> tuple[float, float]:
    from scipy.special import gammaincinv

    low, high = (2 * float(gammaincinv(freedom / 2, quantile)) for quantile in quantiles)
    return low, high


def _solve_tau2(mean: Floats, error: Floats, target: float) -> float:
    """The tau² at which Q, which falls with it, is the target; 0 where Q is below it from the start."""

    def q(tau2: float) -> float:
        weight = 1 / (error + tau2)
        centre = (weight @ mean) / weight.sum()
        return float(weight @ (mean - centre) ** 2)

    if q(0.0) <= target:
        return 0.0
    low, high = 0.0, float(np.var(mean)) + float(error.max())
    while q(high) > target:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if q(middle) > target else (low, middle)
    return (low + high) / 2
