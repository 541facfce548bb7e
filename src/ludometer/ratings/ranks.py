"""How sure ranks are: intervals of ranks, groups that cannot be told apart, who is better with which probability.

Each rating is taken as normal around its value with its SD, independently of the others but for what all share, for
every system that gives errors. The errors of players who meet often move together: differences are a little surer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.players import Name

if TYPE_CHECKING:
    import polars as pl

    from ludometer.ratings.listed import Ratings

LEVEL = 0.95
"""The confidence of intervals, and of a difference that separates two groups."""

_FEWEST, _MOST, _WORK = 400, 4000, 20_000_000
"""Draws of all ratings: as many as this work allows."""

_LARGEST = 200_000
"""Players up to which all draws fit into memory."""


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks of players by code; rank 1 is best. Players with too few matches have none (0, and NaN)."""

    min_matches: int
    low: Counts
    """The best rank of the 95% interval."""
    high: Counts
    group: Counts
    """Players of a group cannot be told from its best; 1 is the best group."""
    better_than_next: Floats
    """The probability that a player is better than the next one on the list; NaN for the last."""

    def columns(self) -> dict[str, pl.Series]:
        """As columns of a table, empty where a player has no rank."""
        import polars as pl

        whole = {"rank_low": self.low, "rank_high": self.high, "group": self.group}
        columns = {name: pl.Series(values).replace(0, None) for name, values in whole.items()}
        return columns | {"better_than_next": pl.Series(self.better_than_next).fill_nan(None)}


def rank_players(ratings: Ratings, *, min_matches: int = 1, seed: int = 0) -> Ranks:
    """Ranks among players with at least so many matches.

    The 95% interval of a player's rank comes from draws of all ratings. Groups go down the list: a group ends before
    the first player whom its best one beats in strength with 95% probability.

    >>> from ludometer.ratings import Static, rate
    >>> from ludometer.simulate import simulate_strengths
    >>> listed = rate(simulate_strengths(20, 4_000, sd=300, seed=1), system=Static()).with_ranks()
    >>> row = listed.to_frame().row(0, named=True)
    >>> row["rank_low"], row["group"], row["rank_high"] <= 3
    (1, 1, True)
    """
    sd = ratings.relative_sd
    n_players = len(ratings.rating)
    ranked = _order(ratings, min_matches)
    if len(ranked) > _LARGEST:
        raise LudometerError(
            f"ranks of {len(ranked):,} players at once need too much memory: --min-matches leaves out those who rarely "
            f"play (at most {_LARGEST:,})"
        )
    low, high, group = (np.zeros(n_players, np.int64) for _ in range(3))
    better = np.full(n_players, np.nan)
    rating, error = ratings.rating[ranked], sd[ranked]
    low[ranked], high[ranked] = rank_intervals(rating, error, seed=seed)
    group[ranked] = _group(rating, error)
    better[ranked[:-1]] = probability_better(rating[:-1] - rating[1:], np.hypot(error[:-1], error[1:]))
    return Ranks(min_matches, low, high, group, better)


def compare_players(ratings: Ratings, first: Name, second: Name) -> float:
    """The probability that the first player is better than the second.

    >>> from ludometer.matches import Matches
    >>> from ludometer.ratings import Glicko2, rate
    >>> round(compare_players(rate(Matches.of_pairs([0], [1], [1]), system=Glicko2()), 0, 1), 2)
    0.79
    """
    codes = ratings.players.codes((first, second))
    one, other = codes[:1], codes[1:]
    return float(
        probability_better(ratings.rating[one] - ratings.rating[other], ratings.sd_of_difference(one, other))[0]
    )


def rank_intervals(rating: Floats, sd: Floats, *, seed: int = 0) -> tuple[Counts, Counts]:
    """The 95% interval of each rank, by draws of all ratings from their normals."""
    n_players = len(rating)
    n_draws = int(np.clip(_WORK // max(n_players, 1), _FEWEST, _MOST))
    rng = np.random.default_rng(seed)
    ranks = np.empty((n_draws, n_players), np.int32)
    places = np.arange(1, n_players + 1, dtype=np.int32)
    for draw in range(n_draws):
        # stable: players whose ratings are equal and without error keep the order of the list
        ranks[draw, np.argsort(-(rating + sd * rng.standard_normal(n_players)), kind="stable")] = places
    ends = np.quantile(ranks, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0, method="inverted_cdf")
    return ends[0].astype(np.int64), ends[1].astype(np.int64)


def probability_better(difference: Floats, sd: Floats) -> Floats:
    """That a normal difference of strength is above 0; a half where nothing differs and nothing is unsure."""
    from scipy.special import ndtr

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(ndtr(np.where(difference == 0, 0.0, difference / sd)))


def _group(rating: Floats, sd: Floats) -> Counts:
    """Of players from best to worst."""
    group, n_players = np.zeros(len(rating), np.int64), len(rating)
    best, number = 0, 1
    while best < n_players:
        below = probability_better(rating[best] - rating[best:], np.hypot(sd[best], sd[best:])) >= LEVEL
        end = best + int(np.argmax(below)) if below.any() else n_players
        group[best:end] = number
        best, number = end, number + 1
    return group


def _order(ratings: Ratings, min_matches: int) -> Codes:
    """The codes of players with enough matches, in the order of the list."""
    import polars as pl

    frame = pl.DataFrame({"rating": ratings.rating, "player": ratings.players.names})
    order = frame.select(pl.arg_sort_by("rating", "player", descending=[True, False])).to_series().to_numpy()
    ranked: Codes = order[ratings.matches[order] >= max(min_matches, 1)].astype(np.int32)
    return ranked
