"""Files as platforms export them: matches that stand there more than once, from one side or from both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ludometer.arrays import Array
from ludometer.matches import Matches, Pairs, reorder_seats


def exported(matches: Matches, rows: Array, turned: Array | None = None) -> Matches:
    """The record of a file with these rows, some of them from the other player's side."""
    turned = np.zeros(len(rows), bool) if turned is None else np.asarray(turned)
    time = None if matches.time is None else matches.time[rows]
    table = matches.table
    if isinstance(table, Pairs):
        first, second = table.first[rows], table.second[rows]
        halves = table.halves[rows]
        columns: Any = {}
        if matches.score is not None:
            points = matches.score.reshape(-1, 2)[rows]
            columns["score"] = np.where(turned[:, np.newaxis], points[:, ::-1], points)
        if not isinstance(matches.advantage, str):
            columns["advantage"] = np.where(turned, -1, 1) * matches.advantage[rows]
        made = Matches.of_pairs(
            np.where(turned, second, first),
            np.where(turned, first, second),
            np.where(turned, 2 - halves, halves).astype(np.int8),
            players=matches.players,
            time=time,
            **columns,
        )
        return replace(made, unasked=matches.unasked)
    starts, seats = reorder_seats(table.starts, rows)
    match = np.repeat(np.arange(len(rows)), np.diff(starts))
    seat = np.arange(len(seats)) - starts[:-1][match]
    last = np.diff(starts)[match] - 1
    seats = np.where(turned[match], seats - seat + last - seat, seats)
    return Matches.of_seats(starts, table.player[seats], table.place[seats], players=matches.players, time=time)


def layouts(n: int) -> Iterator[tuple[str, Array, Array]]:
    """Ways to write n matches more than once: the name, the rows, and which of them are from the other side."""
    rows = np.arange(n)
    none, cut, later = np.zeros(n, bool), int(0.55 * n), int(0.4 * n)
    yield "mirrored row by row", np.repeat(rows, 2), np.tile([False, True], n)
    yield "doubled row by row", np.repeat(rows, 2), np.zeros(2 * n, bool)
    yield "tripled row by row", np.repeat(rows, 3), np.zeros(3 * n, bool)
    yield "appended", np.tile(rows, 2), np.zeros(2 * n, bool)
    yield "appended from the other side", np.tile(rows, 2), np.concatenate((none, ~none))
    yield "appended twice", np.tile(rows, 3), np.zeros(3 * n, bool)
    yield "overlapping", np.concatenate((rows[:cut], rows[later:])), np.zeros(cut + n - later, bool)
    yield "mirrored and appended", np.tile(np.repeat(rows, 2), 2), np.tile([False, True], 2 * n)
