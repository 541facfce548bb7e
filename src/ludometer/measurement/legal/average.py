"""The average player: do they succeed more often than chance would let them? (BVerwG 6 C 1.01)"""

from __future__ import annotations

import numpy as np

from ludometer.measurement.legal.deciles import binomial_interval
from ludometer.measurement.legal.entry import LegalTest, Literature, absent
from ludometer.measurement.legal.expectation import Expectations
from ludometer.measurement.legal.outcomes import SeatValues
from ludometer.wording import percent

LITERATURE = Literature(
    test="average player's success",
    question="How many players do better than chance, and how does the player in the middle do?",
    shows="Whether success is a matter of the many or of the few.",
    does_not_show="How much skill there is in a game between players: what some win others lose, so the average is at "
    "chance by construction. The test was made for machines that people play against.",
    source="Bundesverwaltungsgericht, judgment of 24 October 2001, BVerwG 6 C 1.01 (a crane machine): a game of chance "
    "if the average of the players does not succeed in more than half of the games.",
    argued="Germany.",
)

_FEWEST_PLAYERS = 10


def judge_average(values: SeatValues, found: Expectations) -> LegalTest:
    """The share of players above chance, and the success of the median player."""
    n = values.n_players
    if n < _FEWEST_PLAYERS:
        return absent(LITERATURE, f"only {n} players count; {_FEWEST_PLAYERS} are needed")
    above = int((found.mean > 0).sum())
    share, ends = above / n, binomial_interval(above, n)
    level = values.level if values.basis == "wins" else 0.0
    median = level + float(np.median(found.mean))
    low, high = (level + float(end) for end in _median_interval(np.sort(found.mean)))
    sure = int((found.mean > 1.96 * found.sigma / np.sqrt(np.maximum(found.played, 1))).sum())
    middle = (
        f"wins {percent(median)} [{percent(low)}, {percent(high)}] of their matches; chance gives {percent(level)}"
        if values.basis == "wins"
        else f"gets {median:+.3g} [{low:+.3g}, {high:+.3g}] {values.unit} per match above the mean of the table"
    )
    return LegalTest(
        LITERATURE,
        share,
        ends,
        f"{percent(share, 0)} [{percent(ends[0], 0)}, {percent(ends[1], 0)}] of players",
        f"{above:,} of {n:,} players did better than chance; {sure:,} by more than luck explains ({0.025 * n:,.0f} "
        f"would by chance alone). The player in the middle {middle}.",
        chance=0.5,
        details={
            "players_above": above,
            "players": n,
            "players_surely_above": sure,
            "median_player": median,
            "median_player_interval": [low, high],
        },
    )


def _median_interval(ordered: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, float]:
    """The ranks that hold the median with 95%, by the normal approximation of the binomial."""
    n = len(ordered)
    reach = 1.96 * np.sqrt(n) / 2
    low, high = int(np.floor(n / 2 - reach)), int(np.ceil(n / 2 + reach))
    return float(ordered[max(low, 0)]), float(ordered[min(high, n - 1)])
