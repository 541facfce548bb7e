"""The better player's share: how often the better of two random members wins, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludometer.arrays import Floats, Mask
from ludometer.matches import Matches, Pairs
from ludometer.measurement.benchmarks.inversion import Interval
from ludometer.measurement.edge.chains import Draws, draw_chains
from ludometer.measurement.edge.duels import MOST, Duels, find_duels
from ludometer.measurement.edge.predictive import Oddities, look_for_oddities
from ludometer.measurement.edge.replay import LOGISTIC
from ludometer.parallel import Workers
from ludometer.scale import to_elo

_FEWEST_COUNTED = 3
_FEWEST_SPELLS, _MOST_SPELLS, _OF_A_SPELL = 12, 60, 15
"""Parts of the record in which skills may differ: as many as leave a player so many matches in each."""

_SHORT = 30_000
"""Duels where a short look is enough."""

_UNSETTLED = 1.2
"""R-hat above which chains do not agree, and nothing is said."""

_YEAR = 365.25 * 86_400e6
"""In microseconds."""

_NOTHING = 0.01
"""A share that may be so near a half is taken to reach it."""


@dataclass(frozen=True, eq=False)
class Edge:
    """How often the better player wins, by the likelihood of all results; what it is made of."""

    better_player_wins: float
    """Of matches between two random members who count; draws are halves, seats averaged out."""
    interval: Interval
    coin_share: float
    coin_interval: Interval
    """The share of matches that a coin decides. It is told apart from small differences by how often much weaker
    players win, and often hardly."""
    spread: float
    """The SD of skills where no coin decides, in Elo points; of very large ones only that they are."""
    has_draws: bool
    is_part: bool
    """Whether only a part of the matches was looked at, for there are so many."""
    change: float | None
    """The part of the record after which a third of a skill is left; None where skills stay."""
    drift_per_year: float | None
    """By how many Elo points a skill changes in a year (SD); 0 where skills stay, None where times are not known."""
    oddities: Oddities

    def document(self) -> dict[str, Any]:
        """The JSON `edge`."""
        return {
            "better_player_wins": self.better_player_wins,
            "interval": list(self.interval),
            "coin_share": self.coin_share,
            "coin_share_interval": list(self.coin_interval),
            "spread": self.spread,
            "drift_per_year": self.drift_per_year,
            "method": "likelihood of a random part of the matches" if self.is_part else "likelihood",
        }

    def sentence(self) -> str:
        """The plainest thing that can be said."""
        low, high = (100 * end for end in self.interval)
        digits = 0 if high - low >= 1.5 else 1
        verb = "scores" if self.has_draws else "wins"
        return (
            f"The better player {verb} {100 * self.better_player_wins:.{digits}f}% [{low:.{digits}f}, "
            f"{high:.{digits}f}] of matches between two random members (coin 50%, certainty 100%)."
        )


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The edge with the draws that it comes from."""

    edge: Edge
    draws: Draws
    changing: Draws | None
    """Draws of skills that change, where they do."""
    seen: float = 1.0
    """How often the better of a spell is the better of the moment, from 0 for a coin: what changes within it hides."""


def measure_edge(
    matches: Matches,
    counted: Mask,
    *,
    seats: bool = False,
    seed: Sequence[int] = (0,),
    workers: Workers | None = None,
    is_short: bool = False,
) -> Likelihood | None:
    """Draw skills and their population, and look for oddities; None where chains do not settle or nobody counts.

    >>> from ludometer.simulate import simulate_coin
    >>> coin = simulate_coin(100, 3000)
    >>> measure_edge(coin, coin.counts >= 25).edge.interval[0]
    0.5
    """
    duels = find_duels(matches, seed=seed[0], most=_SHORT if is_short else MOST)
    if int(counted.sum()) < _FEWEST_COUNTED or not len(duels) or bool((duels.score == 0.5).all()):
        return None
    length = 0.5 if is_short else 1.0
    draws = draw_chains(duels, counted, seed=[*seed, 1], seats=seats, workers=workers, length=length)
    if not draws.settled < _UNSETTLED:
        draws = draw_chains(duels, counted, seed=[*seed, 3], seats=seats, workers=workers, length=4 * length)
    if not draws.settled < _UNSETTLED:
        return None
    oddities = look_for_oddities(duels, draws, counted)
    changing, seen = None, 1.0
    if oddities.changes and not oddities.reacts and not is_short:
        spells = int(np.clip(duels.counts[counted].mean() / _OF_A_SPELL, _FEWEST_SPELLS, _MOST_SPELLS))
        changing = draw_chains(duels, counted, seed=[*seed, 2], seats=seats, spells=spells, workers=workers)
        if not changing.settled < _UNSETTLED:
            changing = draw_chains(
                duels, counted, seed=[*seed, 4], seats=seats, spells=spells, workers=workers, length=3.0
            )
        seen = _seen_of_a_spell(1 / (spells * float(np.median(changing.tau))))
    return Likelihood(_summarise(duels, draws, changing, seen, oddities, matches), draws, changing, seen)


def _seen_of_a_spell(length: float) -> float:
    """How well the mean skill of a spell, `length` times tau long, tells who is the better one at a moment of it.

    >>> round(_seen_of_a_spell(1e-6), 2), round(_seen_of_a_spell(1.0), 2)
    (1.0, 0.66)
    """
    kept = 2 / length * (1 - (1 - np.exp(-length)) / length) if length > 1e-4 else 1.0
    return float(2 / np.pi * np.arcsin(np.sqrt(kept)))


def _summarise(
    duels: Duels, draws: Draws, changing: Draws | None, seen: float, oddities: Oddities, matches: Matches
) -> Edge:
    shown = draws if changing is None else changing
    share = shown.edge.ravel()
    low, high = _narrowest(share, 0.5)
    # what skills do within a spell hides a part of the better player's lead
    interval = low, min(0.5 + (high - 0.5) / seen, 1.0)
    return Edge(
        # where it may be a coin, the likeliest share: half of the draws lie above the middle even of a coin
        better_player_wins=_likeliest(share) if interval[0] == 0.5 else float(np.median(share)),
        interval=interval,
        coin_share=float(np.median(shown.coins)),
        coin_interval=_narrowest(shown.coins.ravel(), 0.0),
        spread=float(to_elo(LOGISTIC * np.median(shown.sigma))),
        has_draws=isinstance(matches.table, Pairs) and bool((duels.score == 0.5).any()),
        is_part=duels.is_part,
        change=None if changing is None else float(np.median(changing.tau)),
        drift_per_year=_drift(shown, matches) if changing is not None else 0.0,
        oddities=oddities,
    )


def _drift(draws: Draws, matches: Matches) -> float | None:
    """What is new in a skill after a year, if the rest of it fades as it does within the record."""
    if matches.time is None:
        return None
    span = matches.time[[0, -1]].astype("datetime64[us]").astype(np.int64)
    years = float(span[1] - span[0]) / _YEAR
    if not years > 0:
        return None
    kept = np.exp(-1 / (years * np.median(draws.tau)))
    return float(to_elo(LOGISTIC * np.median(draws.sigma)) * np.sqrt(1 - kept**2))


def _likeliest(draws: Floats) -> float:
    """The mode: the half of the draws that lies closest together, and again."""
    ordered = np.sort(draws)
    while len(ordered) > 4:
        half = -(-len(ordered) // 2)
        at = int((ordered[half:] - ordered[: len(ordered) - half]).argmin())
        ordered = ordered[at : at + half]
    return float(ordered.mean())


def _narrowest(draws: Floats, lowest: float, level: float = 0.95) -> Interval:
    """The shortest interval with this share of the draws, down to the lowest value if it comes near it."""
    ordered = np.sort(draws)
    n = len(ordered)
    inside = min(int(np.ceil(level * n)), n - 1)
    width = ordered[inside:] - ordered[: n - inside]
    at = int(width.argmin())
    low, high = float(ordered[at]), float(ordered[at + inside])
    if low - lowest < _NOTHING and float(np.quantile(ordered, 0.1)) - lowest < _NOTHING:
        return lowest, float(np.quantile(ordered, level))
    return low, high
