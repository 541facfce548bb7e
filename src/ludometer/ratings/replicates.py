"""Best-fit Elo of many games on one schedule: the same pairings, different results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.matches import Matches, Pairs
from ludometer.scale import from_elo, to_elo

_LANES = 8
_REACH = 2.5
"""The grid of one pass runs from the guess divided by this to the guess times this."""

_LOWEST, _HIGHEST = 0.02, 8000.0
"""A k below the lowest counts as 0, without spread; above the highest there is no best k."""

_MOST_PASSES = 16


@dataclass(frozen=True)
class ReplicateFits:
    """The best k of each game, its loss, and the SD of the ratings of those who count, in Elo points."""

    k: Floats
    loss: Floats
    sd: Floats
    """(games), or (games, groups of players). Infinite where the loss falls with every k."""


@dataclass(frozen=True)
class Schedule:
    """Who meets whom, and the prizes of multiplayer matches, as the kernels take them."""

    matches: Matches
    prize: Floats | None = None

    @property
    def n_results(self) -> int:
        """Rows of a table of results: two-player matches, or seats."""
        return len(self.matches) if isinstance(self.matches.table, Pairs) else len(self.matches.table.player)

    def play(self, results: Any, rating: Floats, step: Floats, loss: Floats) -> None:
        """One pass for all lanes; results are (n, games): half points of the first player, or shares of each seat."""
        table = self.matches.table
        if isinstance(table, Pairs):
            from ludometer.kernels.systems.elo import elo_lanes

            elo_lanes(table.first, table.second, results, rating, step, loss)
        else:
            from ludometer.kernels.systems.multiplayer import seats_lanes

            assert self.prize is not None
            seats_lanes(table.starts, table.player, results, self.prize, rating, step, loss)


def fit_replicates(schedule: Schedule, results: Any, *, counted: Mask, guess: Floats) -> ReplicateFits:
    """Fit each column of `results`, in one pass if the guesses of k are right within a factor of about two.

    Eight k around each guess are tried; a game whose least loss is at an edge is played again further on. The best k is
    the minimum of a polynomial through the eight losses, and the SD there is interpolated in the same way. `counted` is
    a mask of the players whose SD counts, or several masks as rows.
    """
    n_games, groups = results.shape[1], np.atleast_2d(counted)
    k, loss, sd = np.zeros(n_games), np.full(n_games, np.nan), np.zeros((n_games, len(groups)))
    centre = np.clip(np.asarray(guess, np.float64), 2 * _LOWEST, _HIGHEST / 2).copy()
    open_games = np.arange(n_games)
    for _ in range(_MOST_PASSES):
        grid = centre[open_games, np.newaxis] * np.geomspace(1 / _REACH, _REACH, _LANES)
        chosen = results if len(open_games) == n_games else np.ascontiguousarray(results[:, open_games])
        losses, spread = _play_grid(schedule, chosen, grid, groups)
        k[open_games], loss[open_games], sd[open_games] = _minima(grid, losses, spread)
        # without contradictions the loss is constant, except for rounding, from some k on; with draws alone, from 0 on
        least = losses <= losses.min(axis=1, keepdims=True) * (1 + 1e-13)
        high = least[:, -1] & (losses[:, -1] > 0)
        low = least[:, 0] & ~high
        ends = (low & (grid[:, 0] <= _LOWEST)) | (high & (grid[:, -1] >= _HIGHEST))
        for end in np.flatnonzero(ends):
            k[open_games[end]], sd[open_games[end]] = (0.0, 0.0) if low[end] else (np.inf, np.inf)
        centre[open_games] = np.where(low, grid[:, 0], grid[:, -1])
        open_games = open_games[(low | high) & ~ends]
        if not len(open_games):
            break
    return ReplicateFits(k, loss, sd[:, 0] if counted.ndim == 1 else sd)


def _play_grid(schedule: Schedule, results: Any, grid: Floats, groups: Mask) -> tuple[Floats, Floats]:
    """Losses (games, k) and SDs (games, k, groups) at each k of each game."""
    from ludometer.kernels.runtime import lanes

    n_lanes = grid.size
    rating, step, loss = (lanes.allocate(n, n_lanes) for n in (len(schedule.matches.players), 1, 1))
    step[0] = from_elo(grid.ravel())
    schedule.play(results, rating, step, loss)
    spread = np.stack([to_elo(np.std(rating[group], axis=0, ddof=1)) for group in groups], axis=1)
    return (2 * loss[0] / len(schedule.matches)).reshape(grid.shape), spread.reshape(*grid.shape, len(groups))


_PLACE = np.linspace(-1, 1, _LANES)
_FINE = np.linspace(-1, 1, 2001)
_LOSS_CURVE, _SD_CURVE = (
    np.vander(_FINE, degree + 1) @ np.linalg.pinv(np.vander(_PLACE, degree + 1)) for degree in (6, 5)
)
"""From values at the eight points of a grid, equally spaced in ln k, to a polynomial through them at fine steps."""


def _minima(grid: Floats, losses: Floats, spread: Floats) -> tuple[Floats, Floats, Floats]:
    """k, loss and SDs of each game at the minimum of the polynomial of degree 6 through its losses."""
    rows = np.arange(len(grid))
    best = losses.argmin(axis=1)
    least = losses[rows, best]
    curve = (losses - least[:, np.newaxis]) @ _LOSS_CURVE.T
    # between the neighbours of the best point only
    apart = np.abs(_FINE - _PLACE[best][:, np.newaxis]) > _PLACE[1] - _PLACE[0]
    at = np.where(apart, np.inf, curve).argmin(axis=1)
    ratio = np.sqrt(grid[:, -1] / grid[:, 0])
    k = np.sqrt(grid[:, 0] * grid[:, -1]) * ratio ** _FINE[at]
    sd = np.einsum("gl,gls->gs", _SD_CURVE[at], spread)
    return k, least + np.minimum(curve[rows, at], 0.0), sd
