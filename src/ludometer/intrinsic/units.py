"""What a calibration holds against known ratings: players, or bands of seats of neighbouring ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.intrinsic.evaluations import Evaluations
from ludometer.intrinsic.gain import Gains

Units = Literal["player", "band"]
"""What is held against its rating: a player with enough games, or a band of seats of neighbouring ratings."""

MIN_UNITS = 8

Taken = tuple[Codes, tuple[str, ...], Floats, Counts]
"""The unit of each gain (-1: none), and of each unit its name, rating and number of games."""


def take_players(evaluations: Evaluations, gains: Gains, ratings: Mapping[str, float] | None) -> Taken:
    """Each player; a rating of his is the mean over his games, and those by name go first."""
    _, games = gains.counts()
    return gains.player, tuple(gains.players.names), evaluations.known_ratings(ratings), games


def take_bands(evaluations: Evaluations, gains: Gains, bands: int) -> Taken:
    """All seats with a known rating, in its order, in parts of equal size."""
    if bands < MIN_UNITS:
        raise LudometerError(f"a calibration needs {MIN_UNITS} bands or more, not {bands}")
    seat_rating = evaluations.rating.ravel()
    known = np.flatnonzero(np.isfinite(seat_rating))
    order = known[np.argsort(seat_rating[known], kind="stable")]
    band = np.full(len(seat_rating), -1, np.int32)
    band[order] = np.arange(len(order)) * bands // max(len(order), 1)
    mine = evaluations.seats[gains.game, 0] != gains.player
    sample = band[2 * gains.game.astype(np.int64) + mine]
    seats = np.unique(np.column_stack((sample, gains.game, mine)), axis=0)
    seats = seats[seats[:, 0] >= 0]
    place = 2 * seats[:, 1].astype(np.int64) + seats[:, 2]
    count = np.bincount(seats[:, 0], minlength=bands)
    mean = np.bincount(seats[:, 0], seat_rating[place], minlength=bands) / np.maximum(count, 1)
    names = tuple(f"band {k + 1}" for k in range(bands))
    # two seats of one game share its weight: what counts is games
    games = np.bincount(np.unique(seats[:, :2], axis=0)[:, 0], minlength=bands)
    return sample.astype(np.int32), names, np.where(count > 0, mean, np.nan), games
