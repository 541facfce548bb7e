"""Samples of gains side by side: of players, of players in an event, and of the engine that they are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.errors import LudometerError
from ludometer.moves.gains import Gains

_LANES = 128
"""Weights that one pass carries: what it adds up then stays in the nearest memory. Fixed, so bytes stay the same."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Gains that stand for the engine: distinct values, ascending, and how often each occurs.

    The paper takes the engine's gains as always 0 (Ferreira 2012, section 6), which no player's differences agree
    with; pooled gains of the players themselves are the smoothed reference; an engine's own can be measured.
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
    """Sample u holds `value[starts[u]:starts[u + 1]]`, ascending; a reference is of no game and keeps its weight."""

    value: Codes
    game: Codes
    starts: Counts
    n_games: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def scores(self, first: Codes, second: Codes, weight: Floats | None = None) -> Floats:
        """Expected scores of the first against the second, `[pair][lane]`; one lane of equal weights by default."""
        from ludometer.moves.kernels.gains import weighted_scores

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
