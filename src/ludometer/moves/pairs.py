"""Pairs of players: what one is expected to score against the other by their gains, and the rating difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.moves.gains import Gains, rating_difference
from ludometer.moves.samples import Samples, gather_samples
from ludometer.moves.uncertainty import MIN_GAMES, find_intervals

if TYPE_CHECKING:
    import polars as pl

Distribution = Literal["player", "pair"]
"""Whose moves make a distribution: all of a player's (Ferreira's Table 1), or those of the pair's games (Table 3)."""


NO_PAIR = "no two players have moves that count in the same game"


@dataclass(frozen=True, eq=False)
class PairTable:
    """Expected scores and rating differences, first minus second; `low` and `high` are NaN with too few games."""

    names: tuple[str, ...]
    first: Codes
    second: Codes
    n_meetings: Counts
    n_games: Counts
    """Games that the interval rests on: of the pair, or of the one of the two who has fewer."""
    score: Floats
    difference: Floats
    low: Floats
    high: Floats
    lanes: Floats
    """Differences of the bootstrap replicates, `[pair][replicate]`."""

    def __len__(self) -> int:
        return len(self.first)

    def to_frame(self) -> pl.DataFrame:
        """A row a pair."""
        import polars as pl

        columns = {
            "player_1": [self.names[code] for code in self.first],
            "player_2": [self.names[code] for code in self.second],
            "meetings": self.n_meetings,
            "expected_score": self.score,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
        }
        numbers = ("expected_score", "difference", "low", "high")
        finite = [pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in numbers]
        return pl.DataFrame(columns).with_columns(finite)


def compare_pairs(
    gains: Gains,
    weight: Floats,
    *,
    distribution: Distribution = "player",
    level: float = 0.95,
    min_games: int = MIN_GAMES,
) -> PairTable:
    """All pairs that met, by their distributions of gains (Algorithm 1), with intervals from the lanes of weights."""
    first, second, met = find_meetings(gains)
    n_players = len(gains.players)
    if distribution == "player":
        samples = gather_samples(gains, gains.player, n_players)
        _, games = gains.counts()
        rows, columns, n_games = first, second, np.minimum(games[first], games[second])
    elif not len(first):
        raise LudometerError(NO_PAIR)
    else:
        samples, rows, columns = _pair_samples(gains, first, second)
        n_games = met
    return tabulate_pairs(
        samples,
        (rows, columns),
        weight,
        names=tuple(gains.players.names),
        pairs=(first, second),
        met=met,
        n_games=n_games,
        level=level,
        min_games=min_games,
    )


def tabulate_pairs(
    samples: Samples,
    sample_pairs: tuple[Codes, Codes],
    weight: Floats,
    *,
    names: tuple[str, ...],
    pairs: tuple[Codes, Codes],
    met: Counts,
    n_games: Counts,
    level: float,
    min_games: int,
) -> PairTable:
    """The table of these pairs of samples; lane 0 of the weights is the estimate, the others are replicates."""
    score = samples.scores(*sample_pairs, weight)
    with np.errstate(divide="ignore"):
        difference = np.asarray(rating_difference(score))
    low, high = find_intervals(difference[:, 0], difference[:, 1:], n_games, level=level, min_games=min_games)
    return PairTable(names, *pairs, met, n_games, score[:, 0], difference[:, 0], low, high, difference[:, 1:])


def find_meetings(gains: Gains) -> tuple[Codes, Codes, Counts]:
    """Pairs in which both have moves that count in the same game, lower code first, and in how many games."""
    own = np.unique(np.column_stack((gains.game, gains.player, gains.opponent)), axis=0)
    both = np.intersect1d(_seat_key(own, gains, 1), _seat_key(own, gains, 2))
    n = len(gains.players)
    pair = both % (n * n)
    # an engine that plays itself is no pair
    pair = pair[pair // n != pair % n]
    one, other = pair // n, pair % n
    keys, count = np.unique(np.minimum(one, other) * n + np.maximum(one, other), return_counts=True)
    # both seats of each game were counted
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32), (count // 2).astype(np.int64)


def _seat_key(own: Codes, gains: Gains, seat: int) -> Counts:
    n = len(gains.players)
    known = own[:, 2] >= 0
    game, mine, theirs = own[known, 0].astype(np.int64), own[known, seat].astype(np.int64), own[known, 3 - seat]
    return np.asarray((game * n + mine) * n + theirs)


def _pair_samples(gains: Gains, first: Codes, second: Codes) -> tuple[Samples, Codes, Codes]:
    """Two samples a pair: the gains of each in their games against the other."""
    n = len(gains.players)
    pair_key = first.astype(np.int64) * n + second
    low, high = np.minimum(gains.player, gains.opponent), np.maximum(gains.player, gains.opponent)
    key = low.astype(np.int64) * n + high
    place = np.minimum(np.searchsorted(pair_key, key), len(pair_key) - 1)
    sample = np.where(pair_key[place] == key, 2 * place + (gains.player != low), -1).astype(np.int32)
    samples = gather_samples(gains, sample, 2 * len(first))
    even = np.arange(0, 2 * len(first), 2, dtype=np.int32)
    return samples, even, even + 1
