"""A record of tournaments with known skills: tables of 8 to 200 players of whom some play often and most seldom."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from ludometer.arrays import Counts
from ludometer.scale import from_elo
from ludometer.simulate.tables import generator, rank_seats
from schedules import Draw

N_PLAYERS = 15_000
FEWEST, MEDIAN, MOST = 8, 24, 200
"""Players of the smallest, the middle and the largest tournaments."""

_SIZES_DIFFER = 0.8
"""The SD of the logarithm of the number of players."""

_POWER = 0.5
"""The r-th most active player enters in proportion to r to minus this: about one tournament in seven for the first."""

_SD = 120.0
"""The SD of skills, in Elo points."""


def draw_sizes(n_seats: int, rng: np.random.Generator) -> Counts:
    """Players of each tournament, n_seats in all; what is left over at the end joins the last one."""
    drawn = np.exp(rng.normal(np.log(MEDIAN), _SIZES_DIFFER, 2 * n_seats // FEWEST))
    sizes = np.clip(np.rint(drawn), FEWEST, MOST).astype(np.int64)
    sizes = sizes[: np.searchsorted(np.cumsum(sizes), n_seats, side="right")]
    sizes[-1] += n_seats - sizes.sum()
    return sizes


def simulate_tournaments(n_seats: int, *, n_players: int = N_PLAYERS, seed: int = 0) -> pl.DataFrame:
    """One row per seat: match, player, place; finishing orders are a rank-ordered logit of the skills."""
    rng = generator(seed, 0)
    sizes = draw_sizes(n_seats, rng)
    draw = Draw(n_players, _POWER, rng)
    skill = from_elo(_SD * rng.standard_normal(n_players))
    tables = []
    for size in sizes:
        # far more than enough draws, of which the first of each player counts
        drawn = draw(4 * int(size))
        _, first = np.unique(drawn, return_index=True)
        tables.append(drawn[np.sort(first)[:size]])
    player = np.concatenate(tables)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    place = rank_seats(starts, skill[player] + rng.gumbel(size=len(player)))
    return pl.DataFrame({"match": np.repeat(np.arange(len(sizes)), sizes), "player": player, "place": place})


def write_tournaments(path: Path, n_seats: int) -> None:
    """The record as a Parquet file."""
    simulate_tournaments(n_seats).write_parquet(path)
