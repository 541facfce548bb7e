"""Gains of moves or decisions, samples of them side by side, and the expected score between two samples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.players import Players
from ludometer.result import Provenance

if TYPE_CHECKING:
    import polars as pl

PERFORMANCE_SD = 200.0
"""Elo's standard deviation of one player's performance; a difference of two has root 2 times as much."""

_LANES = 128
"""Lanes per pass: so many sums stay in the nearest memory. Fixed, so that bytes stay the same."""


@dataclass(frozen=True, eq=False)
class Gains:
    """The gains of all moves that count, as whole numbers, in order of play; 0 is what a perfect move gains."""

    value: Codes
    player: Codes
    opponent: Codes
    game: Codes
    event: Codes
    ply: Codes
    players: Players
    events: tuple[str, ...]
    n_games: int
    n_left_out: int
    """Moves with a known gain that do not count."""
    provenance: Provenance

    def __len__(self) -> int:
        return len(self.value)

    def of(self, player: str) -> Codes:
        """The gains of one player."""
        return np.asarray(self.value[self.player == self.players.code(player)], np.int32)

    def counts(self) -> tuple[Counts, Counts]:
        """Moves and games of each player."""
        return count_moves(self.player, self.game, len(self.players))


@dataclass(frozen=True, eq=False)
class Tally:
    """Who moved, how often, and in how many games."""

    names: tuple[str, ...]
    moves: Counts
    games: Counts


def count_moves(player: Codes, game: Codes, n_players: int) -> tuple[Counts, Counts]:
    """Moves and games of each player, from the player and the game of each move."""
    seats = np.unique(np.column_stack((player, game)), axis=0)[:, 0]
    moves, games = (np.bincount(codes, minlength=n_players) for codes in (player, seats))
    return np.asarray(moves, np.int64), np.asarray(games, np.int64)


def expected_score(first: Array, second: Array) -> float:
    """P(X > Y) + P(X = Y) / 2 for independent draws X and Y: what the first scores on average (Ferreira 2012, eq. 2).

    It is the Mann-Whitney statistic over the number of pairs, found by sorting: `sum(rank in the other) / (m n)`.

    >>> expected_score(np.array([0, -5]), np.array([0, -10]))
    0.625
    """
    if not len(first) or not len(second):
        raise LudometerError("the expected score needs gains on both sides")
    ordered = np.sort(second)
    ranks = np.searchsorted(ordered, first, "left") + np.searchsorted(ordered, first, "right")
    return int(ranks.sum()) / (2 * len(first) * len(second))


def rating_difference(score: Any) -> Any:
    """d = 200 root 2 times the normal quantile of the expected score; infinite at 0 and 1 (Algorithm 1, step 5).

    >>> round(float(rating_difference(0.655))), float(rating_difference(1.0))
    (113, inf)
    """
    from scipy.special import ndtri

    with np.errstate(divide="ignore"):
        return PERFORMANCE_SD * math.sqrt(2) * ndtri(score)


@dataclass(frozen=True, eq=False)
class Reference:
    """Gains that stand for the engine: distinct values, ascending, and how often each occurs.

    The paper takes the engine's gains as always 0 (Ferreira 2012, section 6), which agrees with no player's
    differences. The gains of all players pooled are a smoothed reference; those of an engine at play can be measured.
    """

    name: str
    value: Codes
    count: Counts

    @classmethod
    def of(cls, name: str, gains: Codes) -> Reference:
        """From a sample of gains."""
        if not len(gains):
            raise LudometerError("a reference needs gains")
        value, count = np.unique(gains, return_counts=True)
        return cls(name, value.astype(np.int32), count.astype(np.int64))

    def describe(self) -> str:
        """Its name and, where the name does not say all, which gains these are: 16 hexadecimal digits."""
        if self.name == "engine":
            return self.name
        digest = sha256(self.value.astype(np.int32).tobytes() + self.count.astype(np.int64).tobytes())
        return f"{self.name} {digest.hexdigest()[:16]}"

    @property
    def gains(self) -> Codes:
        """The sample itself."""
        return np.repeat(self.value, self.count)


ENGINE = Reference("engine", np.zeros(1, np.int32), np.ones(1, np.int64))
"""The engine as the paper has it: its gain is always 0."""


def pool_gains(gains: Gains) -> Reference:
    """The smoothed reference: the gains of all players together."""
    return Reference.of("pooled", gains.value)


@dataclass(frozen=True, eq=False)
class Samples:
    """Sample u holds `value[starts[u]:starts[u + 1]]`, ascending; a reference is in no game and keeps its weight."""

    value: Codes
    game: Codes
    starts: Counts
    n_games: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def scores(self, first: Codes, second: Codes, weight: Floats | None = None) -> Floats:
        """Expected scores of the first against the second, `[pair][lane]`; one lane of equal weights by default."""
        from ludometer.moves.kernel import weighted_scores

        weight = np.ones((self.n_games, 1)) if weight is None else weight
        first, second = (np.ascontiguousarray(codes, np.int32) for codes in (first, second))
        out = np.empty((len(first), weight.shape[1]))
        for lane in range(0, weight.shape[1], _LANES):
            part = weight[:, lane : lane + _LANES]
            rows = np.concatenate((part, np.ones((1, part.shape[1]))))
            out[:, lane : lane + _LANES] = weighted_scores(
                self.value, self.game, self.starts, first, second, np.ascontiguousarray(rows)
            )
        return out


def gather_samples(gains: Gains, sample: Codes, n_samples: int, *, references: Sequence[Reference] = ()) -> Samples:
    """Samples by the number of each gain's sample (-1: none); the references come behind them."""
    used = np.flatnonzero(sample >= 0)
    parts = [(gains.value[used], gains.game[used], sample[used])]
    for place, reference in enumerate(references):
        whole = reference.gains
        parts.append((whole, np.full(len(whole), gains.n_games), np.full(len(whole), n_samples + place)))
    value, game, number = (np.concatenate(columns).astype(np.int32) for columns in zip(*parts, strict=True))
    order = np.lexsort((game, value, number))
    starts = np.searchsorted(number[order], np.arange(n_samples + len(references) + 1))
    return Samples(value[order], game[order], starts.astype(np.int64), gains.n_games)


def finite_frame(columns: Mapping[str, Any]) -> pl.DataFrame:
    """A table with null in place of every number that is not finite."""
    import polars as pl

    return pl.DataFrame(columns).with_columns(pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64)))
