"""Games whose gains are drawn from known distributions, so that strengths and their intervals can be checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.chess.record.evaluations import EvaluatedGame, Evaluations
from ludometer.moves.gains import expected_score, rating_difference

MOVES = 40
FORM = 0.5
"""The SD of the logarithm of a player's mean loss from game to game; half as much is common to both players."""

Schedule = Sequence[tuple[int, int]]


def draw_gains(rng: np.random.Generator, loss: float, form: float, n_moves: int = MOVES) -> Codes:
    """Gain 0 in three moves of ten, a small plus in one of eight, else an exponential loss of this mean."""
    kind = rng.random(n_moves)
    gain = -np.rint(rng.exponential(loss * form, n_moves))
    gain[kind < 0.3] = 0
    up = kind > 0.88
    gain[up] = np.rint(rng.exponential(8, int(up.sum())))
    return gain.astype(np.int32)


def draw_form(rng: np.random.Generator, common: float) -> float:
    return float(np.exp(common + rng.normal(0, FORM)))


def simulate(
    rng: np.random.Generator,
    losses: Sequence[float] | Floats,
    schedule: Schedule,
    *,
    ratings: Sequence[float] | Floats | None = None,
    event: str = "",
    n_moves: int = MOVES,
) -> list[EvaluatedGame]:
    """A game for each (white, black) of the schedule."""
    games = []
    for number, (i, j) in enumerate(schedule):
        common = rng.normal(0, FORM / 2)
        step = np.empty(2 * n_moves)
        step[::2] = draw_gains(rng, losses[i], draw_form(rng, common), n_moves)
        step[1::2] = -draw_gains(rng, losses[j], draw_form(rng, common), n_moves)
        rated = (np.nan, np.nan) if ratings is None else (float(ratings[i]), float(ratings[j]))
        level = 13 + np.concatenate(([0], np.cumsum(step)))
        games.append(EvaluatedGame(f"{event}{number}", f"P{i}", f"P{j}", level.tolist(), event, -1, rated[0], rated[1]))
    return games


def round_robin(n_players: int) -> list[tuple[int, int]]:
    return [(i, j) if (i + j) % 2 else (j, i) for i in range(n_players) for j in range(i)]


def true_gains(loss: float, n_games: int = 3000) -> Codes:
    """A large sample of the distribution that all games of such a player are drawn from."""
    rng = np.random.default_rng(99)
    parts = [draw_gains(rng, loss, draw_form(rng, rng.normal(0, FORM / 2))) for _ in range(n_games)]
    return np.concatenate(parts)


def true_differences(losses: Sequence[float] | Floats) -> Floats:
    """The rating difference of each pair, `[i][j]`, by those distributions."""
    whole = [true_gains(float(loss)) for loss in losses]
    return np.array([[float(rating_difference(expected_score(a, b))) for b in whole] for a in whole])


def evaluations(games: Sequence[EvaluatedGame]) -> Evaluations:
    return Evaluations.of_games(games)
