"""What each place of a match is worth: rules by name, lists, tables from a file, or a column of the record."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Seats

_TOP_HEAVY = (5.0, 3.0, 2.0)
_RULES = ("winner", "linear", "top-heavy")
_RECORDED = "recorded"


@dataclass(frozen=True)
class Prizes:
    """The prizes of the places of a match, made by `make_prizes` from what users write.

    "winner": the winner takes all. "linear": n - 1 for the first of n down to 0 for the last. "top-heavy": 5, 3 and 2
    for the first three. "50,30,20": these for the first places, nothing for the others. A CSV file with one row per
    place. Any other name is a column of the record.

    >>> make_prizes("top-heavy").shares(4).tolist()
    [1.0, 0.6, 0.4, 0.0]
    """

    name: str = "winner"
    rule: str = "winner"
    table: tuple[tuple[int | None, tuple[float, ...]], ...] = ()
    """Players in the match (None: any other number) and the prizes of the first places."""

    @property
    def are_recorded(self) -> bool:
        """Whether the matches carry them."""
        return self.rule == _RECORDED

    def shares(self, n: int) -> Floats:
        """Prizes of places 1 to n in a match of n, as shares of the largest."""
        if self.rule == "linear":
            return np.arange(n - 1, -1, -1) / (n - 1)
        prizes = self._first_places(n)[:n]
        shares = np.zeros(n)
        shares[: len(prizes)] = np.asarray(prizes) / prizes[0]
        return shares

    def _first_places(self, n: int) -> tuple[float, ...]:
        if self.rule == "winner":
            return (1.0,)
        if self.rule == "top-heavy":
            return _TOP_HEAVY
        if self.are_recorded:
            raise LudometerError(f"prizes {self.name} come from the record: there is no rule for {n} players")
        known = dict(self.table)
        if n not in known and None not in known:
            raise LudometerError(f"{self.name} has no prizes for matches with {n} players")
        return known.get(n) or known[None]


WINNER = Prizes()
"""The default: the winner takes all."""

RECORDED = Prizes(_RECORDED, _RECORDED)
"""The prizes that `Matches` carry."""


def make_prizes(text: str) -> Prizes:
    """Prizes from what users write: a rule, numbers, the name of a CSV file, or of a column of the record.

    >>> make_prizes("50,30,20").shares(5).tolist()
    [1.0, 0.6, 0.4, 0.0, 0.0]
    """
    name = text.strip()
    if not name:
        raise LudometerError("--prizes is empty: write winner, linear, top-heavy, numbers, a column or a CSV file")
    if name in _RULES:
        return Prizes(name, name)
    try:
        values = [float(part) for part in name.split(",") if part.strip()]
    except ValueError:
        values = []
    if values:
        return Prizes(name, "table", ((None, _checked(values, f"--prizes {name}")),))
    if name.lower().endswith(".csv"):
        return Prizes(name, "table", _read_table(Path(name)))
    return Prizes(name, _RECORDED)


def seat_columns(seats: Seats, prizes: Prizes) -> tuple[Floats, Floats]:
    """The prizes of places 1 to n of each match, and each seat's score, both as shares of the match's largest prize.

    Tied places share the prizes that they straddle.

    >>> from ludometer.matches import Matches
    >>> table = Matches.of_seats([0, 4], [0, 1, 2, 3], [1, 2, 2, 4]).seats
    >>> [column.round(2).tolist() for column in seat_columns(table, make_prizes("linear"))]
    [[1.0, 0.67, 0.33, 0.0], [1.0, 0.5, 0.5, 0.0]]
    """
    from ludometer.kernels.systems.multiplayer import share_prizes

    prize = _recorded_shares(seats, prizes.name) if prizes.are_recorded else _ruled_shares(seats, prizes)
    score = np.empty(len(prize))
    share_prizes(seats.starts, seats.place, prize, score)
    return prize, score


def _ruled_shares(seats: Seats, prizes: Prizes) -> Floats:
    sizes = np.flatnonzero(np.bincount(seats.sizes))
    if len(sizes) == 1:
        return np.tile(prizes.shares(int(sizes[0])), len(seats))
    prize = np.empty(len(seats.player))
    for n in sizes:
        rows = seats.starts[:-1][seats.sizes == n][:, np.newaxis] + np.arange(n)
        prize[rows] = prizes.shares(int(n))
    return prize


def _recorded_shares(seats: Seats, name: str) -> Floats:
    """What the seats of a match won, in order of their places."""
    if seats.prize is None:
        raise MatchDataError(f"prizes {name}: the matches have none")
    if not len(seats):
        return np.empty(0)
    slot = np.repeat(seats.starts[:-1], seats.sizes) + seats.place
    won = seats.prize[np.lexsort((-seats.prize, slot))]
    heads = seats.starts[:-1]
    _refuse(seats, ~np.isfinite(won) | (won < 0), f"{name}: a prize is not a number from 0 up")
    rises = np.append(False, np.diff(won) > 0)
    rises[heads] = False
    _refuse(seats, rises, f"{name}: a later place has a larger prize")
    first = np.zeros(len(won), bool)
    first[heads] = won[heads] <= 0
    _refuse(seats, first, f"{name}: nobody has a prize")
    return np.asarray(won / np.repeat(won[heads], seats.sizes))


def _refuse(seats: Seats, bad: Mask, fault: str) -> None:
    if bad.any():
        matches = np.unique(np.searchsorted(seats.starts, np.flatnonzero(bad), side="right"))
        shown = ", ".join(map(str, matches[:5])) + (" and more" if len(matches) > 5 else "")
        raise MatchDataError(f"prizes {fault}: {len(matches):,} of {len(seats):,} matches (match {shown})")


def _checked(values: list[float], place: str) -> tuple[float, ...]:
    if not all(math.isfinite(value) and value >= 0 for value in values):
        raise LudometerError(f"{place}: prizes are numbers from 0 up")
    if any(later > earlier for earlier, later in pairwise(values)):
        raise LudometerError(f"{place}: a later place has a larger prize")
    if values[0] <= 0:
        raise LudometerError(f"{place}: the first place has no prize")
    return tuple(values)


def _read_table(path: Path) -> tuple[tuple[int | None, tuple[float, ...]], ...]:
    """Prizes by number of players, from the columns place, prize and, if there, players."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as lines:
            rows = list(csv.DictReader(lines))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise LudometerError(f"--prizes {path}: cannot be read: {error}") from error
    if not rows or not {"place", "prize"} <= rows[0].keys():
        raise LudometerError(f"--prizes {path}: write one row per place, with the columns place and prize")
    places: dict[int | None, dict[int, float]] = {}
    for line, row in enumerate(rows, 2):
        try:
            players = int(row["players"]) if row.get("players") else None
            place, prize = int(row["place"]), float(row["prize"])
        except (TypeError, ValueError) as error:
            raise LudometerError(f"--prizes {path}, line {line}: place and players are whole numbers") from error
        if place in places.setdefault(players, {}):
            raise LudometerError(f"--prizes {path}, line {line}: place {place} is listed twice")
        places[players][place] = prize
    return tuple((players, _in_order(known, players, path)) for players, known in places.items())


def _in_order(known: dict[int, float], players: int | None, path: Path) -> tuple[float, ...]:
    where = f"--prizes {path}" + ("" if players is None else f", {players} players")
    if sorted(known) != list(range(1, len(known) + 1)):
        raise LudometerError(f"{where}: places must be 1, 2, 3, ... without a gap")
    if players is not None and (players < 2 or len(known) > players):
        raise LudometerError(f"{where}: {len(known)} places")
    return _checked([known[place] for place in sorted(known)], where)
