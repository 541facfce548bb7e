"""Errors of means and slopes where results hang together: those of one player, and those of one match or session.

What one player wins another loses, so neither players nor matches are independent. The variance is that of the sums by
player, plus that of the sums by match (or session), less what both count (Cameron, Gelbach and Miller 2011).
"""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Floats
from ludometer.measurement.legal.outcomes import SeatValues


def clustered_variance(values: SeatValues, effect: Floats) -> float:
    """The variance of an estimate, given what each seat does to it.

    Where the difference would not be positive, the larger of the two sums of squares stands for it.
    """
    player, n = values.player.astype(np.int64), values.n_players
    block = np.unique(values.block, return_inverse=True)[1].astype(np.int64)
    both = np.unique(block * n + player, return_inverse=True)[1]
    by_player, by_block, counted_twice = (
        float((np.bincount(group, effect) ** 2).sum()) for group in (player, block, both)
    )
    found = by_player + by_block - counted_twice
    return (found if found > 0 else max(by_player, by_block)) * n / max(n - 1, 1)
