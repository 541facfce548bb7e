"""Luck of outcomes on a continuous scale, such as points or money: L = exp(-I(O, A)).

How outcomes are distributed over the players, and their entropy luck L.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Array, Codes, Floats
from ludometer.errors import LudometerError, MatchDataError
from ludometer.players import Players
from ludometer.result import Provenance

if TYPE_CHECKING:
    import altair
    import polars as pl


def continuous_luck(information: float) -> float:
    """L = exp(-I(O, A)) for outcomes on a continuous scale, with the information in nats (Gilbert and Wells, eq. 5).

    >>> continuous_luck(0.0), round(continuous_luck(1.0), 3)
    (1.0, 0.368)
    """
    if not information >= 0:
        raise LudometerError(f"information is a number from 0 up, not {information}")
    return math.exp(-information)


def measure_continuous_luck(player: Sequence[int] | Array, score: Sequence[float] | Array) -> float:
    """L = exp(-I) for scores that are normal around each player's mean: root of (variance within / variance of all).

    Then I = ln(variance of all / variance within) / 2. The variances are unbiased: that within players pools their
    squares over N - players, that between them is what the analysis of variance leaves, at least 0.

    >>> rng = np.random.default_rng(0)
    >>> who = np.repeat(np.arange(500), 50)
    >>> round(measure_continuous_luck(who, rng.normal(size=500)[who] + rng.normal(size=25_000)), 1)
    0.7
    """
    who = np.unique(np.asarray(player), return_inverse=True)[1]
    value = np.asarray(score, np.float64)
    count = np.bincount(who)
    total, groups = len(value), len(count)
    if groups < 2 or total <= groups or not np.isfinite(value).all():
        raise MatchDataError("at least two players, one of them with two scores, and finite scores are needed")
    mean = np.bincount(who, value) / count
    within = float(((value - mean[who]) ** 2).sum()) / (total - groups)
    between = float((count * (mean - value.mean()) ** 2).sum()) / (groups - 1)
    size = (total - float((count**2).sum()) / total) / (groups - 1)
    variance = max((between - within) / size, 0.0)
    return math.sqrt(within / (within + variance)) if within + variance else math.nan


def information_of_densities(density: Floats, spacing: float, *, share: Floats | None = None) -> float:
    """I(O, A) in nats from players' densities (players, grid), on a grid with this spacing.

    >>> grid = np.arange(-10, 10, 0.01)
    >>> both = np.exp(-0.5 * (grid - np.array([[-5.0], [5.0]])) ** 2) / math.sqrt(2 * math.pi)
    >>> round(information_of_densities(both, 0.01), 3) == round(math.log(2), 3)
    True
    """
    from scipy.special import entr

    how_often = np.full(len(density), 1 / len(density)) if share is None else share / share.sum()
    own, all_together = entr(density).sum(axis=1) * spacing, float(entr(how_often @ density).sum()) * spacing
    return max(all_together - float(how_often @ own), 0.0)


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
