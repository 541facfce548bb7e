"""Best-fit Elo of many games on one schedule: who meets whom stays, the results differ from game to game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.matches import Matches, Pairs
from ludometer.scale import from_elo, to_elo

_LANES = 8
_REACH = 2.5
"""The grid of one pass goes from the guess divided by this to the guess times this."""

_LOWEST, _HIGHEST = 0.02, 8000.0
"""A k below the lowest is called 0, and the game one without spread; above the highest there is no best k."""

_MOST_PASSES = 16


@dataclass(frozen=True)
class Replays:
    """The best k of each game, its loss, and the SD of the ratings of those who count, in Elo points."""

    k: Floats
    loss: Floats
    sd: Floats
    """(games), or (games, groups of players) if several groups count. Infinite where the loss falls with every k."""


@dataclass(frozen=True)
class Course:
    """A schedule as the kernels want it: who meets whom, and for matches of several the prizes."""

    matches: Matches
    prize: Floats | None = None

    @property
    def n_results(self) -> int:
        """Rows of a table of results: matches of two, or seats."""
        return len(self.matches) if isinstance(self.matches.table, Pairs) else len(self.matches.table.player)

    def play(self, results: Any, rating: Floats, step: Floats, loss: Floats) -> None:
        """One pass for all lanes; results are (n, games): half points of the first player, or shares of each seat."""
        table = self.matches.table
        if isinstance(table, Pairs):
            from ludometer.kernels.elo import elo_lanes

            elo_lanes(table.first, table.second, results, rating, step, loss)
        else:
            from ludometer.kernels.seats import seats_lanes

            assert self.prize is not None
            seats_lanes(table.starts, table.player, results, self.prize, rating, step, loss)


def fit_replays(course: Course, results: Any, *, counted: Mask, guess: Floats) -> Replays:
    """Fit each column of `results`, all in one pass if the guesses of k are within a factor of two or so.

    Eight k around each guess are tried; where the least loss lies at an edge, that game moves on and plays again. The
    best k is the minimum of a polynomial through the eight losses, and the SD there is interpolated like them.
    `counted` says whose SD: a mask of the players, or several as rows.
    """
    n_games, groups = results.shape[1], np.atleast_2d(counted)
    k, loss, sd = np.zeros(n_games), np.full(n_games, np.nan), np.zeros((n_games, len(groups)))
    centre = np.clip(np.asarray(guess, np.float64), 2 * _LOWEST, _HIGHEST / 2).copy()
    open_games = np.arange(n_games)
    for _ in range(_MOST_PASSES):
        grid = centre[open_games, np.newaxis] * np.geomspace(1 / _REACH, _REACH, _LANES)
        chosen = results if len(open_games) == n_games else np.ascontiguousarray(results[:, open_games])
        losses, spread = _play_grid(course, chosen, grid, groups)
        best = losses.argmin(axis=1)
        for row, game in enumerate(open_games):
            k[game], loss[game], sd[game] = _minimum(grid[row], losses[row], spread[row])
        low, high = best == 0, best == _LANES - 1
        ends = (low & (grid[:, 0] <= _LOWEST)) | (high & (grid[:, -1] >= _HIGHEST))
        for end in np.flatnonzero(ends):
            k[open_games[end]], sd[open_games[end]] = (0.0, 0.0) if low[end] else (np.inf, np.inf)
        centre[open_games] = np.where(low, grid[:, 0], grid[:, -1])
        open_games = open_games[(low | high) & ~ends]
        if not len(open_games):
            break
    return Replays(k, loss, sd[:, 0] if counted.ndim == 1 else sd)


def _play_grid(course: Course, results: Any, grid: Floats, groups: Mask) -> tuple[Floats, Floats]:
    """Losses (games, k) and SDs (games, k, groups) at each k of each game."""
    from ludometer.kernels import lanes

    n_lanes = grid.size
    rating, step, loss = (lanes.allocate(n, n_lanes) for n in (len(course.matches.players), 1, 1))
    step[0] = from_elo(grid.ravel())
    course.play(results, rating, step, loss)
    spread = np.stack([to_elo(np.std(rating[group], axis=0, ddof=1)) for group in groups], axis=1)
    return (2 * loss[0] / len(course.matches)).reshape(grid.shape), spread.reshape(*grid.shape, len(groups))


def _minimum(grid: Floats, losses: Floats, spread: Floats) -> tuple[float, float, Floats]:
    """k, loss and SD at the minimum of the polynomial of degree 6 through the losses, in ln k."""
    best = int(losses.argmin())
    if best in (0, len(grid) - 1):
        return float(grid[best]), float(losses[best]), spread[best]
    place = np.linspace(-1, 1, len(grid))
    curve = np.polynomial.polynomial.polyfit(place, losses - losses[best], 6)
    fine = np.linspace(place[best - 1], place[best + 1], 201)
    heights = np.polynomial.polynomial.polyval(fine, curve)
    lowest = int(heights.argmin())
    point = float(fine[lowest])
    if 0 < lowest < len(fine) - 1:
        before, at, after = heights[lowest - 1 : lowest + 2]
        bend = before - 2 * at + after
        point += 0.5 * (before - after) / bend * (fine[1] - fine[0]) if bend > 0 else 0.0
    nearby = slice(max(best - 2, 0), best + 3)
    sd = np.polynomial.polynomial.polyfit(place[nearby], spread[nearby], 3).T @ point ** np.arange(4)
    k = float(np.sqrt(grid[0] * grid[-1]) * np.sqrt(grid[-1] / grid[0]) ** point)
    return k, float(losses[best] + heights[lowest]), np.asarray(sd)
