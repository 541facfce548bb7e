"""Files as platforms export them, with matches that stand there more than once; and real records with equal rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ludometer.arrays import Array
from ludometer.matches import Matches, Pairs, reorder_seats

N = 1_500


def coin(n: int = N, *, seed: int = 0, days: int | None = 300, players: int = 40) -> Matches:
    """Random pairs, each match decided by a coin; several a day, so that some pairs meet twice on a day."""
    rng = np.random.default_rng(seed)
    first = rng.integers(players, size=n)
    second = (first + rng.integers(1, players, size=n)) % players
    time = None if days is None else np.sort(rng.integers(days, size=n))
    return Matches.of_pairs(first, second, rng.integers(2, size=n), time=time)


def games(
    n: int = N, *, p: Callable[[np.ndarray], np.ndarray], seed: int = 1, players: int = 40, **columns: Any
) -> Matches:
    """Players 0, 1, ... in order of strength; p gives the chance of the first by the difference."""
    rng = np.random.default_rng(seed)
    first = rng.integers(players, size=n)
    second = (first + rng.integers(1, players, size=n)) % players
    return Matches.of_pairs(first, second, (rng.random(n) < p(second - first)).astype(float), **columns)


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


def of(pairs: Any, times: int) -> tuple[Any, Any]:
    """Each pair so many times, as two columns."""
    several = np.repeat(pairs, times, axis=0)
    return several[:, 0], several[:, 1]


def natural_records() -> dict[str, Matches]:
    """Records with many equal rows that are matches of their own."""
    rng = np.random.default_rng(7)
    robin = np.array([(a, b) for a in range(40) for b in range(a)])
    strong = 1 / (1 + np.exp((robin[:, 0] - robin[:, 1]) / 4))
    twice = np.tile(robin, (2, 1))
    luck = (rng.random(len(twice)) < np.tile(strong, 2)).astype(float)
    pairs = robin[rng.integers(len(robin), size=900)]
    games_won = (rng.random((900, 3)) < 0.7).astype(float)
    days = np.repeat(np.arange(900), 2)
    # whoever wins stays and meets the next in the queue
    king, stays = 0, []
    for challenger in np.tile(np.arange(1, 30), 60):
        if challenger == king:
            continue
        won = rng.random() < 0.5
        stays.append((king, challenger, float(won)))
        king = king if won else int(challenger)
    first, second, result = (np.array(column) for column in zip(*stays, strict=True))
    return {
        "round robin twice, real luck": Matches.of_pairs(twice[:, 0], twice[:, 1], luck),
        "round robin twice, deterministic": Matches.of_pairs(twice[:, 0], twice[:, 1], np.zeros(len(twice))),
        "best of three": Matches.of_pairs(*of(pairs, 3), games_won.ravel()),
        "best of three with days": Matches.of_pairs(
            *of(pairs, 3), games_won.ravel(), time=np.repeat(np.arange(900), 3)
        ),
        "double-headers": Matches.of_pairs(*of(pairs, 2), (rng.random(1_800) < 0.6).astype(float), time=days),
        "double-headers, deterministic": Matches.of_pairs(*of(pairs, 2), np.zeros(1_800), time=days),
        "winner stays": Matches.of_pairs(first, second, result),
        "two engines": Matches.of_pairs(
            np.zeros(5_000, int), np.ones(5_000, int), rng.choice([0, 0.5, 1], 5_000, p=[0.05, 0.85, 0.1])
        ),
        "coin": coin(),
        "deterministic": games(p=lambda ahead: (ahead > 0).astype(float)),
    }
