"""Two-player matches gathered into pairs with counts of wins, ties and losses, and the islands that pairs form.

Also separation: records whose likelihood has no maximum, because some players only won or only lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats, Mask
from ludometer.errors import LudometerError, MatchDataError, NoFiniteFit
from ludometer.matches import Matches
from ludometer.players import Players


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Who met whom and how it ended, each pair once, in list layout: row i has the opponents of player i.

    A pair is in the row of the lower code or, if `ordered`, in that of the first seat, and then may be in both.
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
        """The player in whose row each pair is."""
        return np.repeat(np.arange(self.n_players, dtype=np.int32), np.diff(self.starts))

    @cached_property
    def totals(self) -> tuple[float, float, float]:
        """Wins, ties and losses of the rows' players in total."""
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
        from ludometer.kernels.skills.graph import components

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
    """Gather two-player matches into pairs; `ordered` distinguishes the first seat, `weights` has one per match.

    >>> pairs = gather(Matches.of_pairs([0, 1, 0], [1, 0, 2], [1, 0.5, 1]))
    >>> len(pairs), pairs.outcomes.T.tolist(), pairs.n_islands
    (2, [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]], 1)
    """
    from ludometer.kernels.skills.paired import gather_pairs

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
    """One weight per match, from 0 up; empty for None."""
    if weights is None:
        return np.empty(0)
    weight = np.ascontiguousarray(weights, np.float64)
    if weight.shape != (n_matches,):
        raise LudometerError(f"{n_matches} matches but {weight.size} weights")
    if not (np.isfinite(weight) & (weight >= 0)).all():
        raise LudometerError("weights of matches must be numbers from 0 up")
    return weight


_NAMED = 5
_MOST_PAIRS = 50_000
"""Above it no linear programme is solved: a fit that diverges is then recognised by its steps."""


def refuse_separation(comparisons: Comparisons, players: Players) -> None:
    """Raise unless skills and threshold have a finite maximum without a ridge, and name the players concerned.

    In each island every player must be linked to every other by a chain of wins and ties (Ford 1957; Zermelo 1929), and
    the threshold must not grow with the skills, as it does where gaps of 1 fit every win and at most 1 every tie.
    """
    wins, ties, losses = (column > 0 for column in comparisons.outcomes)
    row, opponent = comparisons.row, comparisons.opponent
    winner = np.concatenate((row[wins], opponent[losses], row[ties], opponent[ties]))
    loser = np.concatenate((opponent[wins], row[losses], opponent[ties], row[ties]))
    refuse_one_way(winner, loser, comparisons.island, players)
    n_decided = int(wins.sum() + losses.sum())
    if ties.any() and not _has_cycle(winner[:n_decided], loser[:n_decided], len(players)):
        gap = np.where(np.arange(len(winner)) < int(wins.sum() + losses.sum()), -1.0, 1.0)
        if _has_potential(winner, loser, gap, len(players)):
            raise NoFiniteFit(
                "ties and wins leave the tie threshold without an upper bound: skills of whole steps explain every "
                "result, and larger ones better; a ridge above 0 gives a finite fit"
            )


def refuse_separation_by_seats(comparisons: Comparisons, players: Players) -> None:
    """Raise where skills and the first seat's advantage can grow together without limit and contradict no result.

    A linear programme: is there a direction in which no result gets less likely, and some more (Albert and Anderson
    1984)?
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    if len(comparisons) > _MOST_PAIRS:
        return
    n, rows, columns, values, n_rows = comparisons.n_players, [], [], [], 0
    # (outcome, sign of the difference, sign of the threshold) of what must not fall
    for outcome, sign, threshold in ((0, 1, -1), (2, -1, -1), (1, 1, 1), (1, -1, 1)):
        seen = np.flatnonzero(comparisons.outcomes[outcome] > 0)
        here = n_rows + np.arange(len(seen))
        for column, value in (
            (comparisons.row[seen], sign),
            (comparisons.opponent[seen], -sign),
            (np.full(len(seen), n), threshold),
            (np.full(len(seen), n + 1), sign),
        ):
            rows.append(here)
            columns.append(column)
            values.append(np.full(len(seen), float(value)))
        n_rows += len(seen)
    shape = (n_rows, n + 2)
    gains = coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape).tocsr()
    gain: Floats = np.asarray(gains.sum(axis=0), np.float64)
    against: Any = -gains
    found: Any = linprog(-gain, A_ub=against, b_ub=np.zeros(n_rows), bounds=(-1, 1), method="highs")
    if found.status == 0 and found.fun < -1e-6:
        moving = np.flatnonzero(np.abs(found.x[:n]) > 1e-6)
        names = ", ".join(players.names.gather(moving[:_NAMED]).to_list()) + (", ..." if len(moving) > _NAMED else "")
        raise NoFiniteFit(
            f"without a ridge no finite advantage of the first seat fits best, together with the skills of {names}: "
            "no result contradicts a larger one. A ridge above 0 gives a finite fit"
        )


def refuse_one_way(winner: Codes, loser: Codes, island: Codes, players: Players) -> None:
    """Raise unless in each island every player can be reached from every other, from winners to losers."""
    part = _strong_parts(winner, loser, len(island))
    outside = part[winner] != part[loser]
    if not outside.any():
        return
    beaten, beating = np.zeros(len(island), bool), np.zeros(len(island), bool)
    beaten[part[loser[outside]]] = True
    beating[part[winner[outside]]] = True
    unbeaten, unbeating = ~beaten[part] & beating[part], beaten[part] & ~beating[part]
    raise NoFiniteFit(
        f"without a ridge no finite skills fit best: {_who(unbeaten, part, players, 'won')}; "
        f"{_who(unbeating, part, players, 'lost')}. A ridge above 0 gives a finite fit"
    )


def _who(chosen: Mask, part: Codes, players: Players, verb: str) -> str:
    codes = np.flatnonzero(chosen)
    names = ", ".join(players.names.gather(codes[:_NAMED]).to_list()) + (", ..." if len(codes) > _NAMED else "")
    alone = len(np.unique(part[codes])) == len(codes)
    only = f"only {verb}" if alone else f"only {verb}, alone or as a group against the others"
    return f"{len(codes):,} player{'' if len(codes) == 1 else 's'} {only} ({names})"


def _strong_parts(winner: Codes, loser: Codes, n_players: int) -> Codes:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(winner), np.int8), (winner, loser)), shape=(n_players, n_players))
    return np.asarray(connected_components(graph.tocsr(), connection="strong")[1], np.int32)


def _has_cycle(winner: Codes, loser: Codes, n_players: int) -> bool:
    part = _strong_parts(winner, loser, n_players)
    return bool((part[winner] == part[loser]).any())


def _has_potential(start: Codes, end: Codes, length: Floats, n_players: int) -> bool:
    """Whether no cycle has a negative length (Bellman and Ford), so that x_end <= x_start + length can hold for all."""
    distance = np.zeros(n_players)
    for _ in range(n_players + 1):
        shorter = distance.copy()
        np.minimum.at(shorter, end, distance[start] + length)
        if np.array_equal(shorter, distance):
            return True
        distance = shorter
    return False
