"""Series of players whose strengths are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludometer.arrays import Array, Floats
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.ratings.scores.series import make_series


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
) -> tuple[Matches, Floats]:
    """Random tables; scores are normal around the strength; the column position shows the part `luck` (SD).

    The strengths are by player code, with exactly this mean.
    """
    rng = np.random.default_rng(seed)
    strength = rng.normal(mean, spread, n_players)
    strength += mean - strength.mean()
    player = rng.permuted(np.tile(np.arange(n_players), (n_series, 1)), axis=1)[:, :size].ravel()
    position = rng.normal(0, luck, player.shape)
    score = np.round(strength[player] + position + rng.normal(0, np.sqrt(sd**2 - luck**2), player.shape))
    series = Matches.of_seats(
        np.arange(0, len(player) + 1, size),
        player,
        -score,
        players=Players.named([f"P{code}" for code in range(n_players)]),
        score=score,
        covariates={"series": [str(number + 1) for number in range(n_series)]},
        seat_covariates={"position": position},
    )
    return series, strength


def series_of(series: Sequence[Any] | Array, player: Sequence[str], score: Any, **columns: Any) -> Matches:
    """Series from columns, with one entry per seat."""
    return make_series({"series": series, "player": player, "score": score, **columns})
