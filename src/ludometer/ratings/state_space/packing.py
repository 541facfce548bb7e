"""Parameters as the kernels take them: natural units and days, in one lane or in eight."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludometer.arrays import Floats, Times
from ludometer.kernels.state_space import filter as rows
from ludometer.ratings.state_space.parameters import YEAR, Parameters
from ludometer.scale import from_elo

MOST_COUNTED = 1 << 14
"""Experience beyond this many matches adds nothing more."""

_RESULT = 0.25
"""The information of one result between equals, in natural units."""


def pack_values(parameters: Sequence[Parameters]) -> Floats:
    """(VALUES, candidates)."""
    values = np.empty((rows.VALUES, len(parameters)))
    for lane, one in enumerate(parameters):
        values[rows.SPREAD, lane] = from_elo(one.spread) ** 2
        values[rows.DRIFT, lane] = from_elo(one.drift) ** 2 / YEAR
        values[rows.MATCH_DRIFT, lane] = from_elo(one.match_drift) ** 2
        values[rows.ADVANTAGE, lane] = from_elo(one.advantage)
        values[rows.ENTRY_DRIFT, lane] = from_elo(one.entry_drift) ** 2 / YEAR
        values[rows.OPPONENT_SHARE, lane] = one.opponent_share
        values[rows.PAIRING, lane] = _RESULT * one.pairing
        values[rows.PAIRING_NEW, lane] = one.pairing_new
        values[rows.YOUNG_DRIFT, lane] = one.young_drift
        values[rows.INFORMATION, lane] = one.information
        values[rows.ACTIVITY_GAIN, lane] = from_elo(one.activity) / np.log(2)
        values[rows.ACTIVITY_RATE, lane] = 1 / one.activity_days
        values[rows.RUST, lane] = from_elo(one.rust)
        values[rows.FORM_SPREAD, lane] = from_elo(one.form) ** 2
        values[rows.FORM_RATE, lane] = 1 / one.form_days
    return values


def pack_tables(parameters: Sequence[Parameters], most: int) -> Floats:
    """(counts x TABLES, candidates): learning, newness and youth for 0 to `most` matches."""
    counts = np.arange(min(most, MOST_COUNTED) + 1.0)
    tables = np.empty((len(counts), rows.TABLES, len(parameters)))
    for lane, one in enumerate(parameters):
        experience = np.log2((one.learning_matches + counts) / one.learning_matches)
        tables[:, rows.LEARNT, lane] = from_elo(one.learning) * experience
        tables[:, rows.NEW, lane] = np.exp(-counts / one.pairing_matches)
        tables[:, rows.YOUNG, lane] = np.exp(-counts / one.young_matches)
    return tables.reshape(-1, len(parameters))


def days_of(time: Times | None, n: int, clock: float) -> Floats:
    """Times in days; without any, matches follow each other at distance 1 from the clock on."""
    if time is None:
        start = 0.0 if clock == -np.inf else clock + 1
        return start + np.arange(n, dtype=np.float64)
    if time.dtype == "datetime64[D]":
        return time.astype(np.int64).astype(np.float64)
    if time.dtype.kind == "M":
        return time.astype("datetime64[us]").astype(np.int64) / 86_400e6
    return time.astype(np.float64)
