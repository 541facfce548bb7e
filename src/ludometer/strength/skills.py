"""Skills: one number per player that fits a whole record, with a tie threshold, and the share of luck."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ludometer.arrays import Codes, Floats, Mask
from ludometer.chart_style import INK
from ludometer.errors import LudometerError
from ludometer.players import Players
from ludometer.result import Provenance, Shown
from ludometer.scale import GUMBEL_SD, probit_to_elo, to_elo

if TYPE_CHECKING:
    import polars as pl

Link = Literal["probit", "logit"]


@dataclass(frozen=True, eq=False)
class Skills(Shown):
    """Skills of all players, around 0, in units of the model: probit, with performances of SD 1, or logit.

    Players without a match have NaN. Skills of different islands, between which nobody played, cannot be compared.
    """

    players: Players
    skill: Floats
    """By code: in SDs of normal performances, or in log-odds."""
    link: Link
    threshold: float
    """t: performances that differ by no more are a tie; 0 without ties."""
    advantage: float | None
    """What the first seat adds to the difference of performances; None unless fitted."""
    ridge: float
    log_likelihood: float
    """Of the results, without the penalty."""
    n_matches: float
    """The sum of their weights."""
    island: Codes
    """The connected part of each player."""
    n_steps: int
    converged: bool
    provenance: Provenance

    @property
    def played(self) -> Mask:
        """Who has a skill."""
        return np.isfinite(self.skill)

    @property
    def n_islands(self) -> int:
        """Connected parts with players who have a skill."""
        return len(np.unique(self.island[self.played]))

    @property
    def n_players(self) -> int:
        """Players with a skill."""
        return int(np.count_nonzero(self.played))

    @property
    def performance(self) -> Floats:
        """Skills in SDs of one player's performance, whatever the model."""
        return self.skill if self.link == "probit" else self.skill / GUMBEL_SD

    @property
    def elo(self) -> Floats:
        """Skills in Elo points; for the probit model by the logistic curve nearest to the normal one."""
        return probit_to_elo(self.skill) if self.link == "probit" else to_elo(self.skill)

    def l2(self, *, ddof: int = 1) -> float:
        """1 / (1 + sum s^2 / (A - ddof)): the share of luck in a performance (Gilbert and Wells, eq. 15).

        With ddof = 1 their Table 2 comes out as printed; eq. 15 itself has ddof = 0.
        """
        known = self.performance[self.played]
        if len(known) <= ddof:
            raise LudometerError(f"{len(known)} players are too few for a variance")
        return 1 / (1 + float(known @ known) / (len(known) - ddof))

    def probabilities(self, first: int, second: int) -> tuple[float, float, float]:
        """The probabilities that the first player wins, ties and loses, by code."""
        d = float(self.skill[first] - self.skill[second]) + (self.advantage or 0.0)
        win, loss = (float(p) for p in cdf(np.array([d, -d]) - self.threshold, self.link))
        return win, 1 - win - loss, loss

    def to_frame(self) -> pl.DataFrame:
        """One row per player, best first: the skill, in Elo points too, and the island."""
        import polars as pl

        frame = pl.DataFrame(
            {"player": self.players.names, "skill": self.skill, "elo": self.elo, "island": self.island}
        )
        return frame.filter(pl.Series(self.played)).sort("skill", descending=True, maintain_order=True)

    def summary(self) -> str:
        """The size of the record, l2, the tie threshold and the advantage."""
        lines = [
            f"{self.n_players:,} players, {self.n_matches:,.10g} matches, {self.link} model, ridge {self.ridge:g}",
            f"l2 {self.l2():.3f}" if self.n_players > 1 else "one player",
            f"tie threshold {self.threshold:.3f}"
            + ("" if self.advantage is None else f", advantage of the first seat {self.advantage:+.3f}"),
        ]
        if self.n_islands > 1:
            lines.append(f"{self.n_islands:,} islands, each around 0: skills of different islands cannot be compared")
        if not self.converged:
            lines.append("the fit did not converge")
        return "\n".join(lines)

    def charts(self, *, narrow: bool = False) -> dict[str, Any]:
        """A histogram of the skills in Elo points."""
        import altair as alt

        count, edge = np.histogram(self.elo[self.played], bins="sturges")
        bars = [
            {"from": float(low), "to": float(high), "players": int(n)}
            for low, high, n in zip(edge[:-1], edge[1:], count, strict=True)
        ]
        chart = (
            alt.Chart(alt.InlineData(values=bars), width=270 if narrow else 420, height=220)
            .mark_bar(color=INK)
            .encode(
                x=alt.X("from:Q", bin="binned", title="Skill (Elo points)"),
                x2="to:Q",
                y=alt.Y("players:Q", title="Players"),
            )
        )
        return {"skills": chart}


def cdf(x: Floats, link: Link) -> Floats:
    """F(x), the probability that two performances of equal skill differ by at most x.

    >>> cdf(np.array([0.0, 1.0]), "logit").round(3).tolist()
    [0.5, 0.731]
    """
    from scipy.special import expit, ndtr

    return np.asarray(ndtr(x * math.sqrt(0.5)) if link == "probit" else expit(x))


def quantile(p: float, link: Link) -> float:
    """The x at which F(x) = p.

    >>> quantile(0.5, "probit")
    0.0
    """
    from scipy.special import logit, ndtri

    return float(math.sqrt(2) * ndtri(p)) if link == "probit" else float(logit(p))


def check_link(link: str) -> None:
    """Refuse any other link than probit and logit."""
    if link not in ("probit", "logit"):
        raise LudometerError(f"no link is called {link!r}; there are: probit, logit")
