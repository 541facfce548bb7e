"""Best-fit Elo of many games on one schedule: the same pairings, different results.

`fit_replicates` takes results that are there, in columns. `fit_games` takes games that are given by skills, luck and a
rule, and deals their results while it rates them: four games at a time, in single precision, which moves a spread by
less than a millionth of it. Where the best k is so small that the losses of neighbouring k differ by less than single
precision can show, or where there is none, the games are dealt into columns instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Floats, Halves, Mask
from ludometer.matches import Matches, Pairs
from ludometer.scale import from_elo, to_elo

if TYPE_CHECKING:
    from ludometer.kernels.systems.dealing import Keys, Rule

_LANES = 8
_REACH = 2.5
"""The grid of one pass runs from the guess divided by this to the guess times this."""

_LOWEST, _HIGHEST = 0.02, 8000.0
"""A k below the lowest counts as 0, without spread; above the highest there is no best k."""

_MOST_PASSES = 16

_SINGLE_LANES, _SINGLE_REACH = 4, 1.5
"""The grid of a game in single precision: four k, from the guess divided by this to the guess times this."""

_LOWEST_SINGLE, _HIGHEST_SINGLE, _SINGLE_PASSES = 1.0, 400.0, 8
"""Where single precision is enough: at k = 1 neighbours on the grid differ in loss by 1e-5 of it, rounding by 1e-8."""

_PART = 1 << 20
"""Matches that are dealt into a column at once."""

_INSIDE = 0.85
"""A minimum so far out on the grid, or further, is looked for again with the grid around it."""


@dataclass(frozen=True)
class ReplicateFits:
    """The best k of each game, its loss, and the SD of the ratings of those who count, in Elo points."""

    k: Floats
    loss: Floats
    sd: Floats
    """(games), or (games, groups of players). Infinite where the loss falls with every k."""


@dataclass(frozen=True)
class Schedule:
    """Who meets whom, the prizes of multiplayer matches, and what seats are worth, as the kernels take them."""

    matches: Matches
    prize: Floats | None = None
    advantage: float = 0.0
    """What the better seat adds to the difference of two ratings, in natural units."""
    excess: float = 0.0
    """How much more than the other seat the better one scores, from -1 to 1, where strengths are equal on average."""

    @property
    def favoured(self) -> Halves | None:
        """Which seat is better off in each match; None if it is the first in all of them, or none in any."""
        advantage = self.matches.advantage
        return None if isinstance(advantage, str) or not self.advantage else advantage

    @property
    def n_results(self) -> int:
        """Rows of a table of results: two-player matches, or seats."""
        return len(self.matches) if isinstance(self.matches.table, Pairs) else len(self.matches.table.player)

    def play(self, results: Any, rating: Floats, step: Floats, loss: Floats) -> None:
        """One pass for all lanes; results are (n, games): half points of the first player, or shares of each seat."""
        table = self.matches.table
        if isinstance(table, Pairs):
            from ludometer.kernels.systems.elo import elo_lanes

            seats = 1.0, self.advantage, self.favoured
            elo_lanes(table.first, table.second, results, rating, step, loss, *seats)
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


@dataclass(frozen=True, eq=False)
class Game:
    """A game that need not be stored: the skills of its players (standard normal scores), its luck, its rule."""

    skill: Floats
    key: Keys
    rule: Rule

    def results(self, schedule: Schedule) -> Any:
        """Half points of the first player of each match, or each seat's share of the prizes."""
        from ludometer.kernels.systems.games import play_pairs, play_seats

        table = schedule.matches.table
        if isinstance(table, Pairs):
            # part by part, since dealing takes a hundred times the memory of the results
            halves, favoured = np.empty(len(table), np.int8), schedule.favoured
            for start in range(0, len(table), _PART):
                part = slice(start, start + _PART)
                better = None if favoured is None else favoured[part]
                own = table.first[part], table.second[part], self.skill, self.key, self.rule
                halves[part] = play_pairs(*own, favoured=better, start=start)
            return halves
        assert schedule.prize is not None
        return play_seats(table.starts, table.player, schedule.prize, self.skill, self.key, self.rule)


def fit_games(schedule: Schedule, games: Sequence[Game], *, counted: Mask, guess: Floats) -> ReplicateFits:
    """Fit each game as `fit_replicates` would fit its results, up to four at a time."""
    n_games, groups = len(games), np.atleast_2d(counted)
    k, loss, sd = np.zeros(n_games), np.full(n_games, np.nan), np.zeros((n_games, len(groups)))
    centre = np.asarray(guess, np.float64).copy()
    waiting, left = np.arange(n_games), list[int]()
    for _ in range(_SINGLE_PASSES):
        suits = (centre[waiting] >= _LOWEST_SINGLE) & (centre[waiting] <= _HIGHEST_SINGLE)
        left += waiting[~suits].tolist()
        waiting = waiting[suits]
        if not len(waiting):
            break
        grid = centre[waiting, np.newaxis] * np.geomspace(1 / _SINGLE_REACH, _SINGLE_REACH, _SINGLE_LANES)
        losses, spread = _deal_grid(schedule, [games[int(place)] for place in waiting], grid, groups)
        at, k[waiting], loss[waiting], sd[waiting] = _cubic_minima(grid, losses, spread)
        outside = np.abs(at) > _INSIDE
        # at an edge the minimum is beyond it: then the next grid begins there
        centre[waiting] = k[waiting] * _SINGLE_REACH ** np.where(np.abs(at) == 1, at, 0.0)
        waiting = waiting[outside]
    left += waiting.tolist()
    if left:
        results = np.column_stack([games[place].results(schedule) for place in left])
        fits = fit_replicates(schedule, results, counted=groups, guess=centre[left])
        k[left], loss[left], sd[left] = fits.k, fits.loss, fits.sd
    return ReplicateFits(k, loss, sd[:, 0] if counted.ndim == 1 else sd)


def _deal_grid(schedule: Schedule, games: Sequence[Game], grid: Floats, groups: Mask) -> tuple[Floats, Floats]:
    """Losses (games, k) and SDs (games, k, groups) at each k of each game, all chunks of four games in turn."""
    from ludometer.kernels.runtime import lanes
    from ludometer.kernels.systems import games as kernels
    from ludometer.kernels.systems.dealing import GAMES, make_deal

    table, parts = schedule.matches.table, []
    for begin in range(0, len(games), GAMES):
        few = games[begin : begin + GAMES]
        deal = make_deal([game.skill for game in few], [game.key for game in few], [game.rule for game in few])
        fill = [*range(begin, begin + len(few)), *[begin + len(few) - 1] * (GAMES - len(few))]
        rating, step, loss = (
            lanes.allocate_single(len(schedule.matches.players)),
            lanes.allocate_single(1),
            np.zeros((1, 16)),
        )
        step[0] = from_elo(grid[fill].T.ravel())
        if isinstance(table, Pairs):
            seats = schedule.advantage, schedule.favoured
            kernels.elo_games(table.first, table.second, deal, rating, step, loss, *seats)
        else:
            assert schedule.prize is not None
            kernels.seats_games(table.starts, table.player, schedule.prize, deal, rating, step, loss)
        spread = to_elo(kernels.spread_of(rating, groups))
        # (values) in the order of lanes: the four games at the first k, then at the second
        mine = [2 * loss[0] / len(schedule.matches), *spread]
        parts.append(np.stack([value.reshape(-1, GAMES).T[: len(few)] for value in mine], axis=2))
    found = np.concatenate(parts)
    return found[:, :, 0], found[:, :, 1:]


_SINGLE_PLACE = np.linspace(-1, 1, _SINGLE_LANES)
_CUBIC = np.linalg.inv(np.vander(_SINGLE_PLACE))
"""From values at the four points of a grid to the coefficients of the cubic through them, the highest first."""


def _cubic_minima(grid: Floats, losses: Floats, spread: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Where the cubic through the losses of each game is least, from -1 to 1; k, loss and SDs there."""
    least = losses.min(axis=1, keepdims=True)
    fine = np.linspace(-1, 1, 401)
    curve = np.polynomial.polynomial.polyval(fine, ((losses - least) @ _CUBIC.T)[:, ::-1].T)
    place = np.clip(curve.argmin(axis=1), 1, len(fine) - 2)
    # a parabola through the three lowest of the fine points
    before, here, after = (curve[np.arange(len(grid)), place + shift] for shift in (-1, 0, 1))
    bend = before - 2 * here + after
    shift = np.where(bend > 0, 0.5 * (before - after) / np.where(bend > 0, bend, 1.0), 0.0)
    at = np.clip(fine[place] + np.clip(shift, -1, 1) * (fine[1] - fine[0]), -1, 1)
    powers = at[:, np.newaxis] ** np.arange(3, -1, -1)
    k = np.sqrt(grid[:, 0] * grid[:, -1]) * np.sqrt(grid[:, -1] / grid[:, 0]) ** at
    value = np.einsum("gd,dl,gl->g", powers, _CUBIC, losses - least)
    return at, k, least[:, 0] + value, np.einsum("gd,dl,gls->gs", powers, _CUBIC, spread)


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
