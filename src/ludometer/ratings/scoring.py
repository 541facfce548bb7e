"""Forecasts scored: log loss, Brier score, accuracy and calibration of rating systems, and how surely they differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Counts, Floats, Mask
from ludometer.matches import Matches, Seats
from ludometer.ratings.prizes import Prizes, seat_columns

if TYPE_CHECKING:
    import polars as pl

_SURE = 1e-15
"""Forecasts are kept this far from 0 and 1, so that the log loss stays finite."""


@dataclass(frozen=True)
class Judged:
    """Forecasts scored, one number per match, and the favourite: what they were expected to score, and scored."""

    log_loss: Floats
    brier: Floats
    accuracy: Floats
    favourite: Floats
    scored: Floats

    def take(self, kept: Mask) -> Judged:
        """Only these matches."""
        return Judged(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Outcomes:
    """How matches ended, ready to score the forecasts of any system."""

    matches: Matches
    score: Floats
    """What the first player scored, or each seat's share of the largest prize."""

    @classmethod
    def of(cls, matches: Matches, prizes: Prizes) -> Outcomes:
        """The outcomes of matches that were played for these prizes."""
        if isinstance(matches.table, Seats):
            return cls(matches, seat_columns(matches.table, prizes)[1])
        return cls(matches, matches.pairs.score)

    def coin(self) -> Floats:
        """The forecasts of somebody who knows nothing: equal chances in every match."""
        table = self.matches.table
        if isinstance(table, Seats):
            return np.repeat(_sum(self.score, table.starts) / table.sizes, table.sizes)
        return np.full(len(self.score), 0.5)

    def judge(self, expected: Floats) -> Judged:
        """Score forecasts.

        Two players: log loss -(S ln E + (1 - S) ln(1 - E)), Brier score (S - E)^2 of one side, accuracy with one half
        for a draw or an even forecast. Multiplayer, with shares s = S / sum of S and e = E / sum of E: log loss
        -(sum of s ln e), half the sum of (S - E)^2, and whether the seat with the highest expectation came first;
        seats that share either place share the point. For two players both definitions agree.
        """
        table = self.matches.table
        if isinstance(table, Seats):
            return _judge_seats(table, self.score, expected)
        return _judge_pairs(self.score, expected)


def _judge_pairs(score: Floats, expected: Floats) -> Judged:
    sure = np.clip(expected, _SURE, 1 - _SURE)
    even = (expected == 0.5) | (score == 0.5)
    return Judged(
        log_loss=-(score * np.log(sure) + (1 - score) * np.log1p(-sure)),
        brier=(score - expected) ** 2,
        accuracy=np.where(even, 0.5, (expected > 0.5) == (score > 0.5)),
        favourite=np.maximum(expected, 1 - expected),
        scored=np.where(expected == 0.5, 0.5, np.where(expected > 0.5, score, 1 - score)),
    )


def _judge_seats(table: Seats, score: Floats, expected: Floats) -> Judged:
    starts, sizes = table.starts, table.sizes
    if not len(table):
        return Judged(*np.zeros((5, 0)))
    share = score / np.repeat(_sum(score, starts), sizes)
    forecast = expected / np.repeat(_sum(expected, starts), sizes)
    highest = np.maximum.reduceat(expected, starts[:-1])
    is_favourite = expected == np.repeat(highest, sizes)
    n_favourites = _sum(is_favourite, starts)
    won = table.place == 1
    return Judged(
        log_loss=-_sum(share * np.log(np.maximum(forecast, _SURE)), starts),
        brier=0.5 * _sum((score - expected) ** 2, starts),
        accuracy=_sum(is_favourite & won, starts) / n_favourites / _sum(won, starts),
        favourite=highest,
        scored=_sum(np.where(is_favourite, score, 0.0), starts) / n_favourites,
    )


def _sum(values: Floats | Mask, starts: Counts) -> Floats:
    """Sums over the seats of each match."""
    return np.asarray(np.add.reduceat(values.astype(np.float64), starts[:-1])) if len(starts) > 1 else np.zeros(0)


@dataclass(frozen=True)
class Calibration:
    """What favourites scored, in bins of what they were expected to score: a forecast of 70% should come true in 70%.

    The favourite's side is counted, so that it does not matter who is listed first; an even forecast counts one half.
    In multiplayer matches both are shares of the largest prize.
    """

    low: Floats
    high: Floats
    n: Counts
    forecast: Floats
    score: Floats
    interval_low: Floats
    interval_high: Floats

    def to_frame(self) -> pl.DataFrame:
        """One row per bin with forecasts."""
        import polars as pl

        return pl.DataFrame({name: getattr(self, name) for name in self.__dataclass_fields__})

    def document(self) -> list[dict[str, Any]]:
        """One entry per bin."""
        return [
            {"from": row["low"], "to": row["high"]}
            | {name: row[name] for name in ("n", "forecast", "score")}
            | {"score_interval": [row["interval_low"], row["interval_high"]]}
            for row in self.to_frame().iter_rows(named=True)
        ]


@dataclass(frozen=True)
class Figures:
    """Means over the matches that are scored."""

    log_loss: float
    brier: float
    accuracy: float


@dataclass(frozen=True)
class SystemScore:
    """How well one system predicted."""

    system: str
    log_loss: float
    brier: float
    accuracy: float
    n: int
    calibration: Calibration
    seconds: float
    parameters: dict[str, Any] = field(default_factory=dict)
    difference: float = 0.0
    """Log loss above that of the best system."""
    difference_se: float = 0.0
    """Its standard error, clustered by player (`Differences`)."""
    tuned: bool = False
    """Whether parameters were tuned or fitted to the matches before those that are scored."""
    untuned: Figures | None = None
    """How well the system predicted as it comes; None if that is what was scored."""
    log_loss_three: float | None = None
    """Of win, draw and loss, with draws fitted to the matches before those that are scored."""

    @property
    def figures(self) -> Figures:
        """Log loss, Brier score and accuracy."""
        return Figures(self.log_loss, self.brier, self.accuracy)

    def document(self) -> dict[str, Any]:
        """The numbers without parameters and calibration."""
        names = ("system", "log_loss", "brier", "accuracy", "n", "difference", "difference_se")
        return {name: getattr(self, name) for name in names}


class Differences:
    """Differences in log loss between systems, with errors that know who played: the coin comes first.

    Matches that share a player are not independent: one whom a system misjudges is misjudged in all their matches. The
    variance of a sum counts every pair of matches with a player in common: the squares of the players' sums, less what
    they count more than once, which is the square of the sum over all matches of the same players. (Where two matches
    of more than two share some of their players they count for each, which errs on the safe side.)
    """

    def __init__(self, n_systems: int) -> None:
        self.of_player = np.zeros((n_systems + 1, 0))
        """Sums of the log losses of each player's matches, by system, and the number of these matches."""
        self.of_group = np.zeros((n_systems + 1, 0))
        """The same for all matches of the same players, and their number."""
        self.group: Counts = np.zeros(0, np.int64)
        self.size: Counts = np.zeros(0, np.int64)
        """Of each group: what its players hash to, and how many they are."""
        self.squares = np.zeros((n_systems, n_systems))
        self.n = 0

    def add(self, matches: Matches, losses: list[Floats]) -> None:
        """Take in the log losses of the same matches, system by system."""
        self.n += len(matches)
        rows = np.stack((*losses, np.ones(len(matches))))
        self._add_players(matches, rows)
        self._add_groups(matches, rows)
        for i, one in enumerate(losses):
            for j, other in enumerate(losses[:i]):
                self.squares[i, j] += float(np.square(one - other).sum())
                self.squares[j, i] = self.squares[i, j]

    def compare(self, scores: list[SystemScore]) -> list[SystemScore]:
        """The scores with their differences to the best system."""
        best = 1 + int(np.argmin([score.log_loss for score in scores[1:]]))
        return [
            replace(score, difference=self.mean(k, best), difference_se=self.error(k, best))
            for k, score in enumerate(scores)
        ]

    def mean(self, one: int, other: int) -> float:
        """By how much the log loss of one system is above that of another."""
        total = self.of_group[one].sum() - self.of_group[other].sum()
        return float(total / self.n)

    def error(self, one: int, other: int) -> float:
        """Its standard error: never below that of independent matches, which a few players could show by chance."""
        mean = self.mean(one, other)
        player, group = (sums[one] - sums[other] - mean * sums[-1] for sums in (self.of_player, self.of_group))
        n_players = max(int((self.of_player[-1] > 0).sum()), 2)
        clustered = float(player @ player - (self.size - 1) @ (group * group)) * n_players / (n_players - 1)
        independent = (self.squares[one, other] - self.n * mean**2) * self.n / max(self.n - 1, 1)
        return float(np.sqrt(max(clustered, independent, 0.0)) / self.n)

    def _add_players(self, matches: Matches, rows: Floats) -> None:
        n_players = len(matches.players)
        table, sums = matches.table, np.zeros((len(rows), n_players))
        sums[:, : self.of_player.shape[1]] = self.of_player
        for place, row in enumerate(rows):
            if isinstance(table, Seats):
                sums[place] += np.bincount(table.player, np.repeat(row, table.sizes), minlength=n_players)
            else:
                for player in (table.first, table.second):
                    sums[place] += np.bincount(player, row, minlength=n_players)
        self.of_player = sums

    def _add_groups(self, matches: Matches, rows: Floats) -> None:
        group = np.concatenate((self.group, _groups(matches)))
        size = np.concatenate((self.size, matches.sizes))
        sums = np.concatenate((self.of_group, rows), axis=1)
        self.group, first, place = np.unique(group, return_index=True, return_inverse=True)
        self.size = size[first]
        self.of_group = np.stack([np.bincount(place, row, minlength=len(first)) for row in sums])


def _groups(matches: Matches) -> Counts:
    """A number for each match that is the same for the same players, in whatever order."""
    table = matches.table
    if not isinstance(table, Seats):
        low, high = np.minimum(table.first, table.second), np.maximum(table.first, table.second)
        return np.asarray((low.astype(np.int64) << 32) | high)
    if not len(table):
        return np.zeros(0, np.int64)
    # sums of mixed codes (Steele's SplitMix64): two sets of players collide once in 2^64
    mixed = table.player.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.add.reduceat(mixed ^ (mixed >> np.uint64(31)), table.starts[:-1]).view(np.int64)


class Scoring:
    """Forecasts of rating systems, and of a coin beside them, scored part by part."""

    def __init__(self, n_systems: int, *, bins: int = 10, lowest: float = 0.5) -> None:
        self.scores = [_Scores(bins, lowest) for _ in range(n_systems + 1)]

    def add(self, outcomes: Outcomes, forecasts: Iterable[Floats], counted: Mask | None = None) -> list[Floats]:
        """Score what each system expected of the same matches; returns the log losses of those that count."""
        every = chain([outcomes.coin()], forecasts)
        judged = zip(self.scores, every, strict=True)
        return [score.add(outcomes.judge(expected), counted) for score, expected in judged]

    def finish(self, parameters: dict[str, dict[str, Any]]) -> list[SystemScore]:
        """The coin, and the systems by their names, in the order of their forecasts."""
        named = {"coin flip": {}, **parameters}.items()
        return [score.finish(name, given) for score, (name, given) in zip(self.scores, named, strict=True)]


class _Scores:
    """Sums over the forecasts of one system."""

    def __init__(self, bins: int, lowest: float) -> None:
        self.bins, self.lowest = bins, lowest
        self.n = 0
        self.log_loss = self.brier = self.accuracy = self.seconds = 0.0
        self.count, self.forecast, self.score = np.zeros((3, bins))

    def add(self, judged: Judged, counted: Mask | None) -> Floats:
        """Take in forecasts, and return the log losses of those that count."""
        if counted is not None:
            judged = judged.take(counted)
        self.n += len(judged.brier)
        self.log_loss += float(judged.log_loss.sum())
        self.brier += float(judged.brier.sum())
        self.accuracy += float(judged.accuracy.sum())
        share = (judged.favourite - self.lowest) / (1 - self.lowest)
        place = np.minimum((share * self.bins).astype(np.int64), self.bins - 1)
        self.count += np.bincount(place, minlength=self.bins)
        self.forecast += np.bincount(place, weights=judged.favourite, minlength=self.bins)
        self.score += np.bincount(place, weights=judged.scored, minlength=self.bins)
        return judged.log_loss

    def finish(self, name: str, parameters: dict[str, Any]) -> SystemScore:
        n = max(self.n, 1)
        return SystemScore(
            name,
            self.log_loss / n,
            self.brier / n,
            self.accuracy / n,
            self.n,
            self._calibration(),
            self.seconds,
            parameters,
        )

    def _calibration(self) -> Calibration:
        edges = np.linspace(self.lowest, 1, self.bins + 1)
        used = self.count > 0
        n = self.count[used]
        score = self.score[used] / n
        low, high = wilson_interval(score, n)
        return Calibration(
            edges[:-1][used], edges[1:][used], n.astype(np.int64), self.forecast[used] / n, score, low, high
        )


def wilson_interval(share: Floats, n: Floats, z: float = 1.959964) -> tuple[Floats, Floats]:
    """The 95% interval of a share of n by Wilson's score; with draws, which vary less, it is on the wide side.

    >>> [round(float(end), 3) for end in wilson_interval(np.array(0.7), np.array(100))]
    [0.604, 0.781]
    """
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
