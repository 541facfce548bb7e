"""How outcomes are distributed over the players, and their entropy luck L."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Codes, Floats
from ludometer.luck.continuous import continuous_luck
from ludometer.players import Players
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl


@dataclass(frozen=True, eq=False)
class EntropyLuck:
    """L, and the distributions of outcomes that it comes from; entropies are in bits."""

    players: Players
    code: Codes
    """Whose distributions these are."""
    share: Floats
    """How often each of them plays."""
    outcomes: tuple[str, ...]
    by_player: Floats
    """(players, outcomes)."""
    bias: float
    """Bits added to the players' mean entropy, which is too small where each has few matches; 0 for models."""
    provenance: Provenance

    @property
    def overall(self) -> Floats:
        """The distribution of outcomes of whoever plays."""
        return np.asarray(self.share @ self.by_player)

    @property
    def entropy(self) -> float:
        """H(O)."""
        return float(entropies(self.overall))

    @property
    def conditional_entropy(self) -> float:
        """H(O | A)."""
        return min(float(self.share @ entropies(self.by_player)) + self.bias, self.entropy)

    @property
    def luck(self) -> float:
        """L: 1 if it does not matter who plays, 0 if that tells everything."""
        return self.conditional_entropy / self.entropy if self.entropy > 0 else math.nan

    @property
    def continuous(self) -> float:
        """exp(-I(O, A)), the luck of outcomes on a continuous scale (eq. 5), for many outcomes such as points.

        For normal scores its square is the variance that luck alone gives over that of all, as Mauboussin has it.
        """
        return continuous_luck((self.entropy - self.conditional_entropy) * math.log(2))

    @property
    def returns(self) -> float:
        """S = 1 - L, the returns to skill."""
        return 1 - self.luck

    def to_frame(self) -> pl.DataFrame:
        """A row a player: how often he plays, and the probability of each outcome."""
        import polars as pl

        columns = {name: self.by_player[:, k] for k, name in enumerate(self.outcomes)}
        return pl.DataFrame({"player": self.players.names.gather(self.code), "share": self.share, **columns})

    def summary(self) -> str:
        """The measure in one line."""
        return (
            f"L {self.luck:.3f}: of {self.entropy:.3f} bits in an outcome {self.conditional_entropy:.3f} stay open "
            f"when one knows who plays ({len(self.code):,} players)"
        )

    def plot(self) -> altair.Chart:
        """How the probability of the best outcome differs between players."""
        import altair as alt

        count, edge = np.histogram(self.by_player[:, 0], bins=20, range=(0, 1), weights=self.share)
        bars = [
            {"from": float(low), "to": float(high), "share": float(n)}
            for low, high, n in zip(edge[:-1], edge[1:], count, strict=True)
        ]
        chart: alt.Chart = (
            alt.Chart(alt.InlineData(values=bars), width=420, height=220)
            .mark_bar(color="#4c6a92")
            .encode(
                x=alt.X("from:Q", bin="binned", title=f"Probability of: {self.outcomes[0]}"),
                x2="to:Q",
                y=alt.Y("share:Q", title="Share of players"),
            )
        )
        return chart


def entropies(distribution: Floats) -> Floats:
    """In bits, over the last axis.

    >>> entropies(np.array([[0.5, 0.5], [1.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    from scipy.special import entr

    return np.asarray(entr(distribution).sum(axis=-1) / math.log(2))
