"""Records of real matches as every system and every peer of the forecast table sees them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ludometer.arrays import Codes, Counts, Floats, Mask
from ludometer.matches import Matches
from ludometer.players import Players

SHARED = Path(os.environ.get("LUDOMETER_SHARED") or Path(__file__).parents[2] / "shared")

MONTH = 30.4375
"""Days."""

ROUNDS = ("Q1", "Q2", "Q3", "Q4", "ER", "RR", "R128", "R64", "R32", "R16", "QF", "SF", "BR", "F")
"""Rounds of a tennis tournament in order of play; the file dates all of them by the first day."""


@dataclass(frozen=True)
class Record:
    """Matches in order of time; what the first player scored is 1, 0.5 or 0."""

    name: str
    first: Codes
    second: Codes
    score: Floats
    day: Floats
    home: Mask
    """Whether the first player has the advantage of a side: home (not on neutral ground), or White."""
    players: int
    points: Floats | None = None
    """Goals or points of both, (matches, 2), where the file has them."""

    def __len__(self) -> int:
        return len(self.first)

    @property
    def half(self) -> int:
        """The first match that is scored: the nearest to the middle that begins a day."""
        begins = 1 + np.flatnonzero(np.diff(self.day))
        return int(begins[np.abs(begins - len(self) // 2).argmin()]) if len(begins) else len(self) // 2

    @property
    def has_sides(self) -> bool:
        """Whether position means something."""
        return bool(self.home.any())

    @property
    def draw_rate(self) -> float:
        """Draws per match."""
        return float((self.score == 0.5).mean())

    def part(self, begin: int, end: int) -> Record:
        """Matches begin to end, as a record of its own; codes stay."""
        cut = slice(begin, end)
        columns = (self.first[cut], self.second[cut], self.score[cut], self.day[cut], self.home[cut])
        return Record(self.name, *columns, self.players, None if self.points is None else self.points[cut])

    def without_sides(self) -> Record:
        """The same matches, with nobody at home."""
        return replace(self, home=np.zeros_like(self.home))

    def with_sides(self) -> Record:
        """The same matches, with the first player at home in all."""
        return replace(self, home=np.ones_like(self.home))

    def matches(self, *, points: bool = False) -> Matches:
        """As ludometer takes it, with goals or points if they are asked for."""
        columns: Any = {"score": self.points} if points else {}
        return Matches.of_pairs(
            self.first,
            self.second,
            self.score,
            players=Players.numbered(self.players),
            time=self.day.astype("M8[D]"),
            advantage=self.home.astype(np.int8) if self.has_sides else "none",
            ordered=True,
            **columns,
        )

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Consecutive matches on one day in which nobody plays twice: to forecast all before any is the same as one
        after another."""
        day, first, second = self.day.tolist(), self.first.tolist(), self.second.tolist()
        begin, seen = 0, set[int]()
        for match in range(len(self)):
            if day[match] != day[begin] or first[match] in seen or second[match] in seen:
                yield begin, match
                begin = match
                seen.clear()
            seen.add(first[match])
            seen.add(second[match])
        if len(self):
            yield begin, len(self)

    def log_loss(self, expected: Floats) -> Floats:
        """Of each match; a draw is half a win and half a loss."""
        inside = np.clip(expected, 1e-6, 1 - 1e-6)
        return -(self.score * np.log(inside) + (1 - self.score) * np.log1p(-inside))


def clustered_error(record: Record, difference: Floats) -> float:
    """Standard error of the mean difference of two losses, clustered by player.

    Every match belongs to two players. Matches that share a player are taken as dependent, whatever else happens: the
    sums of squares by player, less those by pair, which are in both players' sums.
    """
    centred = difference - difference.mean()
    by_player = np.bincount(record.first, centred, record.players) + np.bincount(record.second, centred, record.players)
    low, high = np.minimum(record.first, record.second), np.maximum(record.first, record.second)
    _, pair = np.unique(low.astype(np.int64) * record.players + high, return_inverse=True)
    by_pair = np.bincount(pair, centred)
    # with few players the two sums may cross; independent matches are the least that is claimed
    variance = max(float((by_player**2).sum() - (by_pair**2).sum()), float((centred**2).sum()))
    return float(np.sqrt(variance)) / len(record)


def load_record(name: str) -> Record:
    """A record of the shared data, without exact duplicates and walkovers."""
    frame = pl.read_parquet(SHARED / "data" / f"{FILES[name]}.parquet").unique(maintain_order=True)
    if "walkover" in frame.columns:
        frame = frame.filter(~pl.col("walkover"))
    day = _days(frame)
    order = np.argsort(day, kind="stable")
    frame, day = frame[order], day[order]
    names, codes = np.unique(
        np.concatenate([frame["player_1"].to_numpy(), frame["player_2"].to_numpy()]), return_inverse=True
    )
    first, second = codes.reshape(2, -1).astype(np.int32)
    score = frame["score_1"].to_numpy().astype(np.float64)
    home = np.full(len(frame), name not in WITHOUT_SIDES)
    if "neutral" in frame.columns:
        home &= ~frame["neutral"].to_numpy()
    points = next(([f"{word}_1", f"{word}_2"] for word in ("goals", "points") if f"{word}_1" in frame.columns), None)
    scored = None if points is None else frame.select(points).to_numpy().astype(np.float64)
    return Record(name, first, second, score, day - day[0], home, len(names), scored)


def _days(frame: pl.DataFrame) -> Floats:
    """Time in days; a tennis round is a day, and Kaggle's chess has months."""
    if "month" in frame.columns:
        return np.round(frame["month"].to_numpy() * MONTH)
    day = frame["date"].cast(pl.Date).to_physical().to_numpy().astype(np.float64)
    if "round" in frame.columns:
        place: Counts = np.array([ROUNDS.index(word) for word in frame["round"].cast(pl.String)])
        first_round = (
            frame.with_columns(place=place).select(pl.col("place").min().over("tourney_id", "date"))["place"].to_numpy()
        )
        day += place - first_round
    return day


FILES = {
    "football": "football_international",
    "chess": "chess_twic",
    "tennis": "tennis_atp_1968_2017",
    "ice hockey": "us_nhl",
    "baseball": "us_mlb",
    "basketball": "us_nba",
    "american football": "us_nfl",
    "chess by months": "chess_kaggle2010",
}
"""Record → file in the shared data."""

WITHOUT_SIDES = {"tennis"}
