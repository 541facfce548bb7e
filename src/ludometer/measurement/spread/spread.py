"""How far ratings spread: their SD and quantiles, and what these mean for a match."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.scale import expected_score

_MOST_REPETITIONS = 1e9


@dataclass(frozen=True)
class Spread:
    """The ratings of players with at least `min_matches` matches; what does not exist is None."""

    min_matches: int
    n: int
    sd: float | None = None
    min: float | None = None
    q01: float | None = None
    q99: float | None = None
    max: float | None = None
    p_sd: float | None = None
    """What a player one SD better is expected to score."""
    p_1_99: float | None = None
    """What a player at the 99% quantile is expected to score against one at the 1% quantile."""
    rep: int | None = None
    """How many games make the player who is one SD better win the majority with more than 75% probability."""
    sd_interval: tuple[float, float] | None = None
    """95%: of what the same players would show on average, playing the same schedule again and again."""
    share: float = 1.0
    """Of the matches that are played; the rest are coins (Duersch et al. 2020, footnote 34)."""

    @property
    def p_sd_interval(self) -> tuple[float, float] | None:
        """p_sd at the ends of the interval of the SD."""
        if self.sd_interval is None:
            return None
        low, high = (float(p) for p in _bounded(np.array(self.sd_interval), self.share))
        return low, high

    @property
    def rep_interval(self) -> tuple[int | None, int | None] | None:
        """rep at the ends of the interval of the SD; None for an end that no number of games reaches."""
        if self.p_sd_interval is None:
            return None
        low, high = self.p_sd_interval
        return repetitions(high), repetitions(low)


def measure_spread(rating: Floats, played: Counts, *, min_matches: int, share: float = 1.0) -> Spread:
    """The spread of those who played at least `min_matches` matches (Duersch et al. 2020, Tables 2, 5, 6).

    >>> measure_spread(np.array([-100.0, 0.0, 100.0]), np.array([30, 30, 30]), min_matches=25).sd
    100.0
    """
    chosen = rating[played >= min_matches]
    if len(chosen) < 2:
        return Spread(min_matches, len(chosen), share=share)
    sd = float(chosen.std(ddof=1))
    q01, q99 = (float(value) for value in np.quantile(chosen, [0.01, 0.99]))
    p_sd, p_1_99 = (float(p) for p in _bounded(np.array([sd, q99 - q01]), share))
    return Spread(
        min_matches,
        len(chosen),
        sd,
        float(chosen.min()),
        q01,
        q99,
        float(chosen.max()),
        p_sd,
        p_1_99,
        repetitions(p_sd),
        share=share,
    )


def _bounded(difference: Floats, share: float) -> Floats:
    expected = expected_score(difference)
    return expected if share == 1 else share * expected + (1 - share) / 2


def sweep_cutoffs(rating: Floats, played: Counts, *, highest: int = 100) -> tuple[Counts, Counts, Floats]:
    """Cutoffs 1 to `highest`, how many players reach each, and the SD of their ratings (NaN for fewer than two)."""
    level = np.minimum(played, highest)
    centred = rating - rating.mean()
    n, total, squares = (
        np.bincount(level, weights=weight, minlength=highest + 1)[::-1].cumsum()[::-1][1:]
        for weight in (None, centred, centred * centred)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (squares - total * total / n) / (n - 1)
    sd = np.sqrt(np.where(n > 1, np.maximum(variance, 0), np.nan))
    return np.arange(1, highest + 1), n.astype(np.int64), sd


def repetitions(p: float) -> int | None:
    """The smallest odd n at which who wins a game with probability p wins most of n with more than 75%.

    P(Binomial(n, p) > n / 2) = I_p(m, m) with n = 2 m - 1, which rises with m; None if p is a half, or so near it that
    more than a billion games are needed.

    >>> repetitions(0.9), repetitions(0.533)
    (1, 105)
    """
    from scipy.special import betainc

    if not p > 0.5:
        return None
    guess = (0.6744897501960817 / (2 * (p - 0.5))) ** 2 if p < 1 else 1.0
    if guess > _MOST_REPETITIONS:
        return None
    low, high = 0, max(2, math.ceil(guess))
    while betainc(high, high, p) <= 0.75:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if betainc(middle, middle, p) > 0.75 else (middle, high)
    return 2 * high - 1
