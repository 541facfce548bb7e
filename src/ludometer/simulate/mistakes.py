"""Games of right and wrong moves (WM, WM^n): who is n mistakes behind loses. Smith 1994, sections 3.2 and 3.3.

Both move at once, each right with their own probability; a wrong move against a right one is a mistake that counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.curves import Logistic, check_probabilities
from ludometer.errors import LudometerError
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.scale import ELO
from ludometer.simulate.curve_game import check_population, draw_skills, play_pairs
from ludometer.simulate.tables import join_batches

_MOST_MOVES = 10_000_000

_TOGETHER = 1 << 13
"""Games that are played side by side: few enough not to play many that nobody wants."""


def win_by_moves(right: Floats, opponent: Floats, *, ahead: int = 1) -> Floats:
    """[P_A (1 - P_B)]^n / ([P_A (1 - P_B)]^n + [P_B (1 - P_A)]^n): the chance of A, right with P_A (eq. 28).

    NaN where nobody can ever make a mistake that counts: both always right, or both always wrong.

    >>> win_by_moves(np.array([0.9]), np.array([0.8]), ahead=2).round(3).tolist()
    [0.835]
    """
    _check_ahead(ahead)
    mine, theirs = check_probabilities(right), check_probabilities(opponent)
    up, down = mine * (1 - theirs), theirs * (1 - mine)
    with np.errstate(invalid="ignore"):
        # over the larger of the two, so that powers of small numbers do not vanish both
        larger = np.maximum(up, down)
        up, down = (up / larger) ** ahead, (down / larger) ** ahead
    return np.asarray(up / (up + down))


def right_move_probability(
    rating: Floats, *, ahead: int = 1, half_rating: float = 0.0, points_per_unit: float = ELO
) -> Floats:
    """1 / (1 + exp(-(R - R_half) / (n unit))): how often a player of this rating moves right (eq. 31).

    `half_rating` is the rating of a player who is right half the time.

    >>> right_move_probability(np.array([0.0, 400.0]), ahead=2).round(3).tolist()
    [0.5, 0.76]
    """
    _check_ahead(ahead)
    return Logistic(ahead * points_per_unit)(np.asarray(rating) - half_rating)


def rate_moves(right: Floats, *, ahead: int = 1, half_rating: float = 0.0, points_per_unit: float = ELO) -> Floats:
    """The rating of a player who moves right so often: the inverse of `right_move_probability`.

    >>> rate_moves(np.array([0.5, 10 / 11])).round(6).tolist()
    [0.0, 400.0]
    """
    _check_ahead(ahead)
    return half_rating + Logistic(ahead * points_per_unit).inverse(right)


@dataclass(frozen=True, eq=False)
class PlayedGames:
    """Games played to the end: whether the first won, and in how many moves."""

    won: Mask
    n_moves: Counts


def play_moves(right: Floats, opponent: Floats, *, ahead: int = 1, rng: np.random.Generator) -> PlayedGames:
    """Play games move by move until one side is n mistakes behind.

    >>> games = play_moves(np.full(1000, 0.9), np.full(1000, 0.8), rng=np.random.default_rng(1))
    >>> bool(abs(games.won.mean() - 0.692) < 0.05)
    True
    """
    _check_ahead(ahead)
    mine, theirs = check_probabilities(right), check_probabilities(opponent)
    if (mine * (1 - theirs) + theirs * (1 - mine) < 100 / _MOST_MOVES).any():
        raise LudometerError("a game never ends if both players are nearly always right, or both nearly always wrong")
    won, n_moves = np.zeros(len(mine), bool), np.zeros(len(mine), np.int64)
    still, lead, moves = np.arange(len(mine)), np.zeros(len(mine), np.int64), 0
    while len(still):
        moves += 1
        lead += (rng.random(len(still)) < mine[still]).astype(np.int64) - (rng.random(len(still)) < theirs[still])
        over = np.abs(lead) >= ahead
        if over.any():
            won[still[over]], n_moves[still[over]] = lead[over] > 0, moves
            still, lead = still[~over], lead[~over]
    return PlayedGames(won, n_moves)


@dataclass(frozen=True)
class MoveGame:
    """Players whose ratings are normal with this SD (Elo points) play WM^n, `ahead` being n: logistic results.

    How often each moves right follows from their rating; a player of `half_rating` does half the time. Played move by
    move, or, with `by_moves` false, decided by the formula, which comes to the same.

    >>> game = MoveGame(50, sd=200, ahead=3, seed=1)
    >>> len(next(game.batches(100))), bool((np.abs(game.right - 0.5) < 0.5).all())
    (100, True)
    """

    n_players: int
    sd: float = 200.0
    ahead: int = 1
    half_rating: float = 0.0
    activity: float = 0.0
    seed: int = 0
    by_moves: bool = True

    def __post_init__(self) -> None:
        check_population(self.n_players, self.sd, self.activity, self.seed)
        _check_ahead(self.ahead)
        if not np.isfinite(self.half_rating):
            raise LudometerError(f"the rating of a player right half the time must be a number, not {self.half_rating}")

    @cached_property
    def skill(self) -> Floats:
        """The true ratings in Elo points, by code."""
        return draw_skills(self.n_players, self.sd, self.seed)

    @cached_property
    def right(self) -> Floats:
        """How often each moves right, by code."""
        return right_move_probability(self.skill, ahead=self.ahead, half_rating=self.half_rating)

    def batches(self, n_matches: int) -> Iterator[Matches]:
        """The matches in batches of a fixed size."""

        def decide(first: Codes, second: Codes, wanted: int, rng: np.random.Generator) -> Mask:
            mine, theirs = self.right[first], self.right[second]
            if not self.by_moves:
                return np.asarray(rng.random(len(mine)) < win_by_moves(mine, theirs, ahead=self.ahead))
            parts = [slice(start, start + _TOGETHER) for start in range(0, wanted, _TOGETHER)]
            return np.concatenate([play_moves(mine[k], theirs[k], ahead=self.ahead, rng=rng).won for k in parts])

        return play_pairs(decide, n_matches, n_players=self.n_players, activity=self.activity, seed=self.seed)


def simulate_moves(
    n_players: int,
    n_matches: int,
    *,
    sd: float = 200.0,
    ahead: int = 1,
    half_rating: float = 0.0,
    activity: float = 0.0,
    seed: int = 0,
) -> Matches:
    """Matches of WM^n between players of normal rating, move by move; `MoveGame` has the ratings, and batches.

    >>> len(simulate_moves(20, 300, ahead=2, seed=1))
    300
    """
    game = MoveGame(n_players, sd, ahead, half_rating, activity, seed)
    return join_batches(game.batches(n_matches), Players.numbered(n_players))


def _check_ahead(ahead: int) -> None:
    if ahead < 1:
        raise LudometerError(f"a game ends when one is at least 1 mistake behind, not {ahead}")
