"""Where a match of a record stands in its file: for messages about rows that only turn out to be wrong later."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ludometer.matches import Matches
from ludometer.ratings.held import hash_matches
from ludometer.read.columns.names import NO_TIME, ReadOptions
from ludometer.read.reading import read_file


def find_row(source: str, options: ReadOptions, matches: Matches, place: int) -> int | None:
    """The row of the match at this place in order of time; None if several rows are like it, or rows were left out.

    The file is read again in its own order, so this is for the way to an error.
    """
    if source == "-":
        return None
    reading = read_file(source, replace(options, time=NO_TIME, order=(), by=None, uses=()))
    if reading.n_rows != len(reading.matches):
        return None
    wanted = hash_matches(replace(matches.part(place, place + 1), time=None))
    rows = np.flatnonzero(hash_matches(replace(reading.matches, time=None)) == wanted)
    return int(rows[0]) + 1 if len(rows) == 1 else None
