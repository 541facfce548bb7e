"""Players compared by their gains: each pair that met, and each player against a reference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.moves.gains import Gains, Reference, Samples, finite_frame, gather_samples, rating_difference
from ludometer.moves.uncertainty import USUAL, Intervals

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
    """Games that the interval rests on: those of the pair, or of the player with fewer games."""
    score: Floats
    difference: Floats
    low: Floats
    high: Floats
    lanes: Floats
    """Differences of the bootstrap replicates, `[pair][replicate]`."""

    def __len__(self) -> int:
        return len(self.first)

    def to_frame(self) -> pl.DataFrame:
        """One row per pair."""
        columns = {
            "player_1": [self.names[code] for code in self.first],
            "player_2": [self.names[code] for code in self.second],
            "meetings": self.n_meetings,
            "expected_score": self.score,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
        }
        return finite_frame(columns)


@dataclass(frozen=True, eq=False)
class AgainstReference:
    """Each player against the reference: expected score, difference (-inf: no estimate yet), error and interval."""

    reference: str
    score: Floats
    difference: Floats
    error: Floats
    low: Floats
    high: Floats
    lanes: Floats

    def take(self, kept: Codes) -> AgainstReference:
        """Only these players."""
        columns = ("score", "difference", "error", "low", "high", "lanes")
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})


def compare_pairs(
    gains: Gains, weight: Floats, *, distribution: Distribution = "player", intervals: Intervals = USUAL
) -> PairTable:
    """All pairs that met, by their distributions of gains (Algorithm 1), with intervals from the lanes of weights."""
    first, second, met = find_meetings(gains)
    if distribution == "player":
        samples = gather_samples(gains, gains.player, len(gains.players))
        _, games = gains.counts()
        rows, columns, n_games = first, second, np.minimum(games[first], games[second])
    elif not len(first):
        raise LudometerError(NO_PAIR)
    else:
        samples, rows, columns = _pair_samples(gains, first, second)
        n_games = met
    names = tuple(gains.players.names)
    return tabulate_pairs(samples, (rows, columns), weight, names, (first, second), met, n_games, intervals)


def tabulate_pairs(
    samples: Samples,
    sample_pairs: tuple[Codes, Codes],
    weight: Floats,
    names: tuple[str, ...],
    pairs: tuple[Codes, Codes],
    met: Counts,
    n_games: Counts,
    intervals: Intervals,
) -> PairTable:
    """The table of these pairs of samples; lane 0 of the weights is the estimate, the others are replicates."""
    score = samples.scores(*sample_pairs, weight)
    difference = np.asarray(rating_difference(score))
    low, high = intervals.around(difference[:, 0], difference[:, 1:], n_games)
    return PairTable(names, *pairs, met, n_games, score[:, 0], difference[:, 0], low, high, difference[:, 1:])


def compare_with_reference(
    gains: Gains,
    sample: Codes,
    reference: Reference,
    weight: Floats,
    *,
    games: Counts,
    intervals: Intervals = USUAL,
) -> AgainstReference:
    """Each sample of gains against the reference, whose own error is ignored; samples without gains are NaN.

    `sample` numbers the sample of each gain (-1: none), `games` counts the games of each sample.
    """
    n_samples = len(games)
    samples = gather_samples(gains, sample, n_samples, references=[reference])
    filled = np.flatnonzero(np.diff(samples.starts)[:n_samples]).astype(np.int32)
    score = np.full((n_samples, weight.shape[1]), np.nan)
    score[filled] = samples.scores(filled, np.full(len(filled), n_samples, np.int32), weight)
    difference = np.asarray(rating_difference(score))
    low, high = intervals.around(difference[:, 0], difference[:, 1:], games)
    error = intervals.errors(difference[:, 1:], games)
    return AgainstReference(reference.name, score[:, 0], difference[:, 0], error, low, high, difference[:, 1:])


def find_meetings(gains: Gains) -> tuple[Codes, Codes, Counts]:
    """Pairs in which both have moves that count in the same game, lower code first, and in how many games."""
    own = np.unique(np.column_stack((gains.game, gains.player, gains.opponent)), axis=0).astype(np.int64)
    game, player, opponent = own[own[:, 2] >= 0].T
    n = len(gains.players)
    both = np.intersect1d((game * n + player) * n + opponent, (game * n + opponent) * n + player)
    one, other = both % (n * n) // n, both % n
    # an engine that plays itself is no pair
    apart = one != other
    low, high = np.minimum(one, other)[apart], np.maximum(one, other)[apart]
    keys, count = np.unique(low * n + high, return_counts=True)
    # both seats of each game were counted
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32), (count // 2).astype(np.int64)


def _pair_samples(gains: Gains, first: Codes, second: Codes) -> tuple[Samples, Codes, Codes]:
    """Two samples per pair: the gains of each player in their games against the other."""
    n = len(gains.players)
    pair_key = first.astype(np.int64) * n + second
    low, high = np.minimum(gains.player, gains.opponent), np.maximum(gains.player, gains.opponent)
    key = low.astype(np.int64) * n + high
    place = np.minimum(np.searchsorted(pair_key, key), len(pair_key) - 1)
    sample = np.where(pair_key[place] == key, 2 * place + (gains.player != low), -1).astype(np.int32)
    samples = gather_samples(gains, sample, 2 * len(first))
    even = np.arange(0, 2 * len(first), 2, dtype=np.int32)
    return samples, even, even + 1
