"""R*: how far each player's second half repeats the first (Getty, Li, Yano, Gao and Hosoi 2018).

P and Q are a player's win fractions in the first and the second half of their matches. S = (P + Q - 1) / root 2 is what
both halves share, T = (Q - P) / root 2 what they do not. Each player is weighted by 1 / sigma_i² with
sigma_i² = 2 w (1 - w) / n, w being the win fraction in all n matches, and R* = 1 - sum of T² / sum of S². Halves of
pure chance have nothing in common (0), those of pure skill are equal (1). Players count if n w / 2 and n (1 - w) / 2
exceed 5.
"""

from __future__ import annotations

import numpy as np

from ludometer.arrays import Counts, Floats, Mask
from ludometer.measurement.legal.entry import LegalTest, Literature, absent
from ludometer.measurement.legal.outcomes import SeatValues

LITERATURE = Literature(
    test="split halves (R*)",
    question="How far does the second half of each player's matches repeat the first?",
    shows="How much of the differences between players lasts, on a scale from 0 (chance) to 1 (skill).",
    does_not_show="What decides one match: R* grows with the matches per player. The authors themselves give it "
    "together with the number of games played.",
    source="Getty, Li, Yano, Gao, Hosoi: Luck and the law: quantifying chance in fantasy sports and other contests, "
    "SIAM Review 60 (2018) 869-887. Here wins, points or money count relative to the table, without what the seat is "
    "worth.",
    argued="Written for the debate on daily fantasy sports in the United States.",
)

FEWEST_PLAYERS = 20
_FEWEST_HALF = 5.0
_FEWEST_MATCHES = 20
"""Where results are not wins and losses."""


def split_halves(values: SeatValues) -> LegalTest:
    """R* with its interval, by the variance of its two sums over players."""
    s2, t2 = weighted_squares(values)
    n = len(s2)
    if n < FEWEST_PLAYERS or s2.sum() == 0:
        return absent(LITERATURE, f"only {n} players have won and lost often enough; {FEWEST_PLAYERS} are needed")
    ratio = float(t2.sum() / s2.sum())
    error = _log_error(s2, t2)
    figure = 1 - ratio
    ends = _ends(ratio, error)
    low, high = _ends(1.0, float(np.sqrt(4.0 / n)))
    played = float(np.median(values.counts))
    return LegalTest(
        LITERATURE,
        figure,
        ends,
        f"{figure:.2f} [{ends[0]:.2f}, {ends[1]:.2f}]",
        f"R* is {figure:.2f} over {n:,} players with {played:,.0f} matches each (median). A game of chance would give "
        f"{low:.2f} to {high:.2f} with so many players.",
        chance=0.0,
        details={"players": n, "median_matches": played, "by_chance": [low, high]},
    )


def weighted_squares(values: SeatValues) -> tuple[Floats, Floats]:
    """S² and T² of each player who counts, in units of sigma_i²."""
    n, played = values.n_players, values.counts
    second = _is_second_half(values, played)
    sums = [np.bincount(values.player[half], values.value[half], n) for half in (~second, second)]
    counts = [np.bincount(values.player[half], minlength=n) for half in (~second, second)]
    p, q = (total / np.maximum(count, 1) for total, count in zip(sums, counts, strict=True))
    mean = values.means
    spread = np.maximum(values.sums(values.value**2) / np.maximum(played, 1) - mean**2, 0.0)
    kept = _counts(values, mean, spread)
    variance = 2 * spread[kept] / played[kept]
    return (p + q)[kept] ** 2 / 2 / variance, (q - p)[kept] ** 2 / 2 / variance


def _counts(values: SeatValues, mean: Floats, spread: Floats) -> Mask:
    played = values.counts
    if values.basis != "wins":
        return (played > _FEWEST_MATCHES) & (spread > 0)
    won = np.clip(mean + values.level, 0.0, 1.0)
    return (played * won / 2 > _FEWEST_HALF) & (played * (1 - won) / 2 > _FEWEST_HALF) & (spread > 0)


def _is_second_half(values: SeatValues, played: Counts) -> Mask:
    """Of each player's own matches; one in the middle belongs to the second half."""
    return values.earlier >= (played // 2)[values.player]


def _log_error(s2: Floats, t2: Floats) -> float:
    """The standard error of the log of sum T² / sum S²."""
    influence = (t2 / t2.sum() if t2.any() else t2) - s2 / s2.sum()
    return float(np.sqrt((influence**2).sum()))


def _ends(ratio: float, error: float) -> tuple[float, float]:
    return 1 - ratio * float(np.exp(1.96 * error)), 1 - ratio * float(np.exp(-1.96 * error))
