"""Columns that can be read but hardly mean what they seem to: the reader asks instead of swallowing them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Counts, Floats, Halves
from ludometer.read.columns.names import (
    OTHER_POINTS,
    OTHER_RESULT,
    POINTS,
    RESULT,
    WINNER,
    Finder,
    PairColumns,
    ReadOptions,
    fold,
)
from ludometer.read.columns.outcomes import Outcomes, numbers

if TYPE_CHECKING:
    import polars as pl

_MEANT = "--as-read"
_ENOUGH = 100
"""Decided matches from which one side may win too often."""

_NEARLY_ALL = 0.97
_SELDOM = 0.01
"""The share of matches in which two columns may name different winners: slips of those who wrote them."""

_FEW_ROWS = 20
"""Rows from which columns that hold nothing but 0, 0.5 and 1 are results, not points."""

_MOST = 0.5
"""The share of matches without a first place, or with a place beyond the last seat, that places cannot have."""


def find_rivals(
    names: list[str], columns: PairColumns, options: ReadOptions, *, file: str
) -> tuple[tuple[str, ...], ...]:
    """Other columns of the file that also say who won; none where the user named the one that counts."""
    if options.score or not columns.score or columns.is_arena or columns.has_teams:
        return ()
    usual = {*RESULT, WINNER}.union(*POINTS)
    # further names count only where the usual ones do not suffice
    finder = Finder(tuple(names), file, is_wide=not usual.issuperset(fold(name) for name in columns.score))
    taken = {*columns.score, *columns.players}
    single = [(name,) for name in finder.all_of((*finder.known(RESULT, OTHER_RESULT), WINNER))]
    pairs = [finder.all_of(pair) for pair in finder.known(POINTS, OTHER_POINTS)]
    known = [*single, *(pair for pair in pairs if len(pair) == 2)]
    return tuple(dict.fromkeys(rival for rival in known if not taken.intersection(rival)))


@dataclass
class Doubts:
    """What is odd about the results of two-player matches, counted over the batches of a file."""

    columns: PairColumns
    rivals: tuple[tuple[str, ...], ...] = ()
    n_first: int = 0
    n_second: int = 0
    compared: dict[tuple[str, ...], tuple[int, int]] = field(default_factory=dict)
    """Of each rival: rows in which both name a winner, and those in which it is not the same."""
    sums: Counts = field(default_factory=lambda: np.zeros(3, np.int64))
    """Rows of two columns, those with other values than 0, 0.5 and 1, those in which both won or both lost."""

    def __post_init__(self) -> None:
        self._readers = {rival: Outcomes(replace(self.columns, score=rival), is_pgn=False) for rival in self.rivals}

    @property
    def needed(self) -> tuple[str, ...]:
        """Columns to read besides."""
        return tuple(dict.fromkeys(name for rival in self.rivals for name in rival))

    def count(self, frame: pl.DataFrame, halves: Halves) -> None:
        """The next rows, and the results read from them."""
        self.n_first += int(np.count_nonzero(halves == 2))
        self.n_second += int(np.count_nonzero(halves == 0))
        for rival, reader in self._readers.items():
            other, _ = reader.halves(frame)
            both = np.isin(halves, (0, 2)) & np.isin(other, (0, 2))
            n_both, n_differ = self.compared.get(rival, (0, 0))
            self.compared[rival] = n_both + int(both.sum()), n_differ + int((both & (other != halves)).sum())
        if len(self.columns.score) == 2:
            ours, theirs = (numbers(frame[name]) for name in self.columns.score)
            plain = np.isin(ours, (0.0, 0.5, 1.0)) & np.isin(theirs, (0.0, 0.5, 1.0))
            known = np.isfinite(ours) & np.isfinite(theirs)
            self.sums += (int(known.sum()), int((known & ~plain).sum()), int((plain & (ours + theirs != 1)).sum()))

    def questions(self) -> list[str]:
        """What to ask the user; nothing where all is well."""
        return [*self._ask_about_rivals(), *self._ask_about_sums(), *self._ask_about_sides()]

    def _ask_about_rivals(self) -> list[str]:
        asked = []
        mine = " and ".join(self.columns.score)
        for rival, (both, differ) in self.compared.items():
            if differ > _SELDOM * both and differ:
                other = " and ".join(rival)
                asked.append(
                    f"columns {mine} and {other} name different winners in {differ:,} of {both:,} matches. Say which "
                    f"counts: --score {','.join(self.columns.score)} or --score {','.join(rival)}"
                )
        return asked

    def _ask_about_sums(self) -> list[str]:
        rows, others, wrong = self.sums.tolist()
        if rows < _FEW_ROWS or others or wrong <= _SELDOM * rows:
            return []
        first, second = self.columns.score
        return [
            f"columns {first} and {second} hold only 0, 0.5 and 1, but in {wrong:,} of {rows:,} matches they say that "
            f"both won or both lost. If one of them is the result: --score {first}; if these are points, and such "
            f"matches are draws: {_MEANT}"
        ]

    def _ask_about_sides(self) -> list[str]:
        decided = self.n_first + self.n_second
        most = max(self.n_first, self.n_second)
        # where the winner is always listed first, that is how the file is written
        if not self.columns.score or decided < _ENOUGH or most < _NEARLY_ALL * decided or self.n_first == decided:
            return []
        is_first = self.n_first > self.n_second
        winner = self.columns.first if is_first else self.columns.second
        listed = "winners are listed first: --score first-won; " if is_first else ""
        return [
            f"{winner} wins {most:,} of {decided:,} decided matches by {' and '.join(self.columns.score)}: is that the "
            f"result? Name another column with --score COLUMN; {listed}if it is meant: {_MEANT}"
        ]


def doubt_places(column: str, starts: Counts, place: Floats, *, is_filtered: bool) -> list[str]:
    """What to ask about places: whether somebody came first, and nobody after the last seat.

    Rows that --where leaves out may have held the first place, or all others.

    >>> doubt_places("points", np.array([0, 2, 4]), np.array([10.0, 7.0, 0.0, 12.0]), is_filtered=False)[0][:40]
    'column points does not look like places '
    """
    best, worst = (function.reduceat(place, starts[:-1]) for function in (np.minimum, np.maximum))
    n_matches = len(best)
    odd = int(np.count_nonzero((place < 1) | (place != np.floor(place))))
    without_first, beyond = int(np.count_nonzero(best != 1)), int(np.count_nonzero(worst > np.diff(starts)))
    if is_filtered and not odd:
        return []
    if without_first > _MOST * n_matches:
        why = f"in {without_first:,} of {n_matches:,} matches nobody has place 1"
    elif beyond > _MOST * n_matches:
        why = f"in {beyond:,} of {n_matches:,} matches somebody has a place beyond the number of players"
    else:
        return []
    low, high = float(place.min()), float(place.max())
    return [
        f"column {column} does not look like places (1 is best): {why}; its values run from {low:g} to {high:g}. If "
        f"more is better, name it with --score {column} instead of --place; if lower is better: {_MEANT}"
    ]
