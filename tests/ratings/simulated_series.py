"""Series of players whose strengths are known."""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Floats
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings.scores.record import SeriesRecord


def simulate_series(
    n_players: int,
    n_series: int,
    *,
    size: int = 3,
    mean: float = 850.0,
    spread: float = 100.0,
    sd: float = 400.0,
    luck: float = 0.0,
    seed: int = 1,
) -> tuple[SeriesRecord, Floats]:
    """Random tables; a score is normal about the strength, of which `luck` (SD) is seen in the column position.

    The strengths are by player code, with exactly this mean.
    """
    rng = np.random.default_rng(seed)
    strength = rng.normal(mean, spread, n_players)
    strength += mean - strength.mean()
    player = rng.permuted(np.tile(np.arange(n_players), (n_series, 1)), axis=1)[:, :size].ravel()
    position = rng.normal(0, luck, player.shape)
    score = np.round(strength[player] + position + rng.normal(0, np.sqrt(sd**2 - luck**2), player.shape))
    starts = np.arange(0, len(player) + 1, size)
    matches = Matches.of_seats(
        starts, player, -score, prize=score, players=Players.named([f"P{code}" for code in range(n_players)])
    )
    labels = tuple(str(number + 1) for number in range(n_series))
    return SeriesRecord(matches, labels, {"score": score, "position": position}), strength
