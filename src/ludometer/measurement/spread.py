"""How far ratings spread, what that means for a match, and whether past success persists."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ludometer.arrays import Counts, Floats
from ludometer.matches import Matches, Pairs, Seats
from ludometer.ratings.prizes import WINNER, Prizes, seat_columns
from ludometer.ratings.systems.elo import play_observed
from ludometer.scale import expected_score, to_elo

if TYPE_CHECKING:
    import polars as pl

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
    """Share of matches decided by play, not by a coin (Duersch et al. 2020, footnote 34)."""

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


@dataclass(frozen=True)
class OneBetter:
    """What being one SD better is worth: the one figure for the score and the games needed that a report shows."""

    by: Literal["skills", "ratings"]
    """Whose SD: that of skills where it is known; ratings of players with few matches lie closer together."""
    sd: float
    """In Elo points."""
    sd_interval: tuple[float, float] | None
    p: float
    """What a player one SD better is expected to score."""
    p_interval: tuple[float, float] | None
    rep: int | None
    """How many games make them win the majority with more than 75% probability; None if no number does."""
    rep_interval: tuple[int | None, int | None] | None

    @classmethod
    def by_skills(cls, sd: float, interval: tuple[float, float]) -> OneBetter:
        """From the SD of skills; an infinite end wins always.

        >>> better = OneBetter.by_skills(100.0, (80.0, np.inf))
        >>> round(better.p, 2), better.rep, better.rep_interval
        (0.64, 7, (1, 9))
        """
        p, low, high = (float(value) for value in expected_score(np.array([sd, *interval])))
        return cls("skills", sd, interval, p, (low, high), repetitions(p), (repetitions(high), repetitions(low)))

    @classmethod
    def by_ratings(cls, spread: Spread) -> OneBetter | None:
        """By the published formula, from the SD of ratings; None where there is none."""
        if spread.sd is None or spread.p_sd is None:
            return None
        ends = spread.sd_interval, spread.p_sd_interval, spread.rep_interval
        return cls("ratings", spread.sd, ends[0], spread.p_sd, ends[1], spread.rep, ends[2])


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


@dataclass(frozen=True, eq=False)
class CutoffSweep:
    """The SD for every number of matches that a player may need to be counted."""

    min_matches: Counts
    n: Counts
    """Players who have that many."""
    sd: Floats
    """Of their ratings; NaN for fewer than two."""

    def to_frame(self) -> pl.DataFrame:
        """One row per cutoff."""
        import polars as pl

        frame = pl.DataFrame({"min_matches": self.min_matches, "players": self.n, "sd": self.sd})
        return frame.with_columns(pl.col("sd").fill_nan(None))


def sweep_cutoffs(rating: Floats, played: Counts, *, highest: int = 100) -> CutoffSweep:
    """The SD of those with at least 1, 2, ..., `highest` matches."""
    level = np.minimum(played, highest)
    centred = rating - rating.mean()
    n, total, squares = (
        np.bincount(level, weights=weight, minlength=highest + 1)[::-1].cumsum()[::-1][1:]
        for weight in (None, centred, centred * centred)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (squares - total * total / n) / (n - 1)
    sd = np.sqrt(np.where(n > 1, np.maximum(variance, 0), np.nan))
    return CutoffSweep(np.arange(1, highest + 1), n.astype(np.int64), sd)


def repetitions(p: float, confidence: float = 0.75) -> int | None:
    """The smallest odd n: a player who wins a game with probability p wins a best-of-n with more than this confidence.

    P(Binomial(n, p) > n / 2) = I_p(m, m) with n = 2 m - 1, which rises with m; None if p is a half, or so near it that
    more than a billion games are needed.

    >>> repetitions(0.9), repetitions(0.533), repetitions(0.6, 0.99)
    (1, 105, 133)
    """
    from scipy.special import betainc, ndtri

    if not p > 0.5:
        return None
    guess = (float(ndtri(confidence)) / (2 * (p - 0.5))) ** 2 if p < 1 else 1.0
    if guess > _MOST_REPETITIONS:
        return None
    low, high = 0, max(2, math.ceil(guess))
    while betainc(high, high, p) <= confidence:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if betainc(middle, middle, p) > confidence else (middle, high)
    return 2 * high - 1


class RatingDifferences:
    """The mean of |R_i - R_j| over matches, with the ratings at the time of each (Duersch et al. 2020, Table 3).

    It observes an Elo pass. In multiplayer matches it is the mean over the pairs of a match.
    """

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """A new pass begins."""
        self.total, self.n = 0.0, 0

    def add(self, part: Matches, expected: Floats, before: Floats) -> None:  # noqa: ARG002 - only ratings count here
        """The next matches."""
        self.n += len(part)
        if isinstance(part.table, Pairs):
            self.total += float(np.abs(before[:, 0] - before[:, 1]).sum())
            return
        seen = 0
        for few in part.parts():
            seats = few.seats
            self.total += _sum_differences(seats, before[seen : seen + len(seats.player)])
            seen += len(seats.player)

    @property
    def mean(self) -> float:
        """In Elo points."""
        return to_elo(self.total / self.n)


def mean_rating_difference(matches: Matches, *, k: float, prizes: Prizes = WINNER) -> float:
    """How far apart opponents were, in Elo points, at the time of each match."""
    apart = RatingDifferences()
    play_observed(matches, k, apart, prizes=prizes)
    return apart.mean


def _sum_differences(seats: Seats, value: Floats) -> float:
    """The sum over matches of the mean difference between two of its seats."""
    total = 0.0
    for size in np.unique(seats.sizes):
        rows = seats.starts[:-1][seats.sizes == size][:, np.newaxis] + np.arange(size)
        # in order of size each value is subtracted once per larger one, and added once per smaller one
        weight = (2 * np.arange(size) - size + 1) / (size * (size - 1) / 2)
        total += float((np.sort(value[rows], axis=1) @ weight).sum())
    return total


_FEWEST_PLAYERS = 3
"""Two who play only each other mirror each other: clustered by player their residuals cancel to an error of 0."""


@dataclass(frozen=True)
class Persistence:
    """OLS of the score in a match on the player's average score before it, errors clustered by player."""

    observations: int
    slope: float | None = None
    std_error: float | None = None
    t: float | None = None
    r2: float | None = None


def measure_persistence(matches: Matches, *, min_matches: int = 25, prizes: Prizes = WINNER) -> Persistence:
    """Regress S_i^t = a + b (average of i before t) for players with `min_matches` matches (Duersch et al., Table 4).

    One observation for each player and match with at least one earlier match. In a game of chance b is 0. In
    multiplayer matches S is the share of the largest prize, and matches of other sizes have other means: use b with
    care.
    """
    from ludometer.kernels.skills.averages import past_moments, past_moments_of_seats

    table, n_players = matches.table, len(matches.players)
    if isinstance(table, Seats):
        score = seat_columns(table, prizes)[1]
        moments = past_moments_of_seats(table.player, score, score, n_players)
    else:
        moments = past_moments(table.first, table.second, table.halves, n_players)
    return regress(moments[matches.counts >= min_matches])


def regress(moments: Floats) -> Persistence:
    """The regression from each player's sums of 1, x, y, xx, xy, yy.

    The variance is the sandwich with G / (G - 1) * (N - 1) / (N - 2) for G players and N observations.
    """
    n, x, y, xx, xy, yy = moments.sum(axis=0)
    n_players = len(moments)
    if n_players < _FEWEST_PLAYERS or n < 3:
        return Persistence(int(n))
    sxx, sxy, syy = xx - x * x / n, xy - x * y / n, yy - y * y / n
    if sxx <= 1e-12 * n or syy <= 1e-12 * n:
        return Persistence(int(n))
    slope = sxy / sxx
    intercept = (y - slope * x) / n
    # each player's sum of (x - mean) times residual
    residual = moments[:, 2] - intercept * moments[:, 0] - slope * moments[:, 1]
    weighted = moments[:, 4] - intercept * moments[:, 1] - slope * moments[:, 3]
    scores = weighted - x / n * residual
    variance = (scores @ scores) / sxx**2 * n_players / (n_players - 1) * (n - 1) / (n - 2)
    error = float(np.sqrt(variance))
    t = float(slope / error) if error > 1e-12 else None
    return Persistence(int(n), float(slope), error, t, min(1.0, float(sxy**2 / (sxx * syy))))
