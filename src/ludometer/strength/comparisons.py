"""Comparisons: matches of two gathered into pairs with counts of wins, ties and losses, and the islands they form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats, Mask
from ludometer.errors import LudometerError, MatchDataError
from ludometer.matches import Matches


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Who met whom and how it ended, each pair once, in list layout: row i has the opponents of player i.

    A pair stands in the row of the lower code, or, if `ordered`, in that of the first seat, and may then stand in both.
    """

    starts: Counts
    opponent: Codes
    outcomes: Floats
    """(3, pairs): wins, ties and losses of the row's player, as sums of weights."""
    ordered: bool = False

    def __len__(self) -> int:
        return len(self.opponent)

    @property
    def n_players(self) -> int:
        """All players, also those without a match."""
        return len(self.starts) - 1

    @cached_property
    def row(self) -> Codes:
        """The player in whose row each pair stands."""
        return np.repeat(np.arange(self.n_players, dtype=np.int32), np.diff(self.starts))

    @cached_property
    def totals(self) -> tuple[float, float, float]:
        """Wins, ties and losses of the rows' players, in all."""
        wins, ties, losses = (float(column.sum()) for column in self.outcomes)
        return wins, ties, losses

    @property
    def tie_rate(self) -> float:
        """Ties over all."""
        return self.totals[1] / sum(self.totals)

    @cached_property
    def played(self) -> Mask:
        """Who has a match."""
        seen = np.diff(self.starts) > 0
        seen[self.opponent] = True
        return seen

    @cached_property
    def island(self) -> Codes:
        """The connected part of each player, numbered from 0; those without a match are parts of their own."""
        from ludometer.kernels.components import components

        return components(self.row, self.opponent, self.n_players)

    @cached_property
    def n_islands(self) -> int:
        """Connected parts of those who played: skills of different islands cannot be compared."""
        return len(np.unique(self.island[self.played]))

    def centre(self, skill: Floats) -> Floats:
        """Skills with the mean 0 in every island."""
        size = np.bincount(self.island, minlength=1)
        return np.asarray(skill - (np.bincount(self.island, skill) / np.maximum(size, 1))[self.island])


def gather(matches: Matches, *, ordered: bool = False, weights: Sequence[float] | Array | None = None) -> Comparisons:
    """Gather matches of two into pairs; `ordered` keeps apart who had the first seat, `weights` are one a match.

    >>> pairs = gather(Matches.of_pairs([0, 1, 0], [1, 0, 2], [1, 0.5, 1]))
    >>> len(pairs), pairs.outcomes.T.tolist(), pairs.n_islands
    (2, [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]], 1)
    """
    from ludometer.kernels.pairs import gather_pairs

    pairs, n_players = matches.pairs, len(matches.players)
    weight = check_weights(weights, len(matches))
    first, second, halves = pairs.first, pairs.second, pairs.halves
    if len(weight) and not weight.all():
        kept = weight > 0
        first, second, halves, weight = first[kept], second[kept], halves[kept], weight[kept]
    if not len(first):
        raise MatchDataError("there are no matches")
    return Comparisons(*gather_pairs(first, second, halves, weight, n_players, ordered=ordered), ordered)


def check_weights(weights: Sequence[float] | Array | None, n_matches: int) -> Floats:
    """One weight a match, from 0 up; none for None."""
    if weights is None:
        return np.empty(0)
    weight = np.ascontiguousarray(weights, np.float64)
    if weight.shape != (n_matches,):
        raise LudometerError(f"{n_matches} matches but {weight.size} weights")
    if not (np.isfinite(weight) & (weight >= 0)).all():
        raise LudometerError("weights of matches must be numbers from 0 up")
    return weight
