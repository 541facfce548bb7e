"""Results of two-player matches (1, 1-0, 1/2-1/2, W, draw, 3:1, a winner's name) as half points of the first player."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ludometer.arrays import Codes, Floats, Halves, Mask
from ludometer.read.columns.arena import is_both_bad, parse_vote
from ludometer.read.columns.codes import TextIndex
from ludometer.read.columns.names import WINNER, PairColumns, fold

if TYPE_CHECKING:
    import polars as pl

BAD = -1
UNPLAYED = -2
"""A match that was not finished: neither a fault nor a result."""

_WORDS = {
    "1": 2, "1.0": 2, "0.5": 1, ".5": 1, "0,5": 1, "0": 0, "0.0": 0, "½": 1, "1/2": 1, "-0": 0, "-0.0": 0,
    "1-0": 2, "0-1": 0, "1/2-1/2": 1, "½-½": 1, "0.5-0.5": 1, "1:0": 2, "0:1": 0,
    "w": 2, "d": 1, "l": 0, "win": 2, "won": 2, "draw": 1, "drawn": 1, "drew": 1, "tie": 1, "tied": 1,
    "loss": 0, "lost": 0, "lose": 0, "t": 1,
    "white": 2, "black": 0, "home": 2, "away": 0, "h": 2, "a": 0,
}  # fmt: skip
_SEAT_WORDS = {
    **dict.fromkeys(("w", "win", "won", "true", "yes"), 1.0),
    **dict.fromkeys(("d", "draw", "drawn", "drew", "tie", "tied", "t"), 0.5),
    **dict.fromkeys(("l", "loss", "lost", "lose", "false", "no"), 0.0),
}
"""What a row says of its own player."""
_SIDES = {
    **dict.fromkeys(("1", "a", "team_1", "team1", "team_a", "side_1", "first", "home"), 2),
    **dict.fromkeys(("2", "b", "team_2", "team2", "team_b", "side_2", "second", "away"), 0),
    "0": 1,
}
"""Where two teams meet, the winner is one of these."""
NO_PLAY = {
    "forfait", "forfeit", "forfeited", "walkover", "w.o.", "w.o", "wo", "w/o", "bye", "kampflos", "unplayed",
    "not played", "postponed", "cancelled", "canceled",
}  # fmt: skip
_NO_POINTS = ["", "na", "n/a", "nan", "null", "none", "-", "–", "?", *sorted(NO_PLAY)]
_FORFEIT = re.compile(
    r"[+-]\s*[-:/–]?\s*[+-]|\d\s*f\s*[-:–]\s*\d\s*f|[\d½/.,:–-]+\s*\(?\s*(ff?|forfeit|w\.?/?o\.?|walkover)\s*\)?"
)
"""A result without play: +:-, 1f-0f, 1-0 (ff), 3:0 w.o."""
_POINTS = re.compile(r"(\d{1,18})\s*[-–:]\s*(\d{1,18})")
"""Points of both players in one cell, such as 3-1."""


def parse_result(text: str) -> int:
    """What the first player scored in half points (2, 1, 0), -1 if it cannot be read, -2 if the match was not finished.

    >>> [parse_result(text) for text in ("1-0", "1/2-1/2", "L", "3:3", "7", "W.O.", "+:-", "1-0 (ff)")]
    [2, 1, 0, 1, -1, -2, -2, -2]
    """
    word = text.strip().casefold()
    if word in _WORDS:
        return _WORDS[word]
    if word in NO_PLAY or _FORFEIT.fullmatch(word):
        return UNPLAYED
    points = _POINTS.fullmatch(word)
    if points:
        ours, theirs = int(points[1]), int(points[2])
        return 1 + (ours > theirs) - (ours < theirs)
    try:
        halves = 2 * float(word.replace(",", "."))
    except ValueError:
        return BAD
    return int(halves) if halves in (0, 1, 2) else BAD


_FEW = 5
_SAMPLE = 1_000
UNFINISHED = UNPLAYED
"""A game of a PGN file that is not finished, too."""


@dataclass
class Outcomes:
    """Reads the columns that say how matches ended; each word is parsed once."""

    columns: PairColumns
    is_pgn: bool
    known: TextIndex = field(default_factory=TextIndex)
    both_bad: dict[str, int] = field(default_factory=dict)
    """Votes of an arena that neither answer was good, by the words for it; they count as ties."""
    _names_winners: bool | None = None

    def halves(self, frame: pl.DataFrame) -> tuple[Halves, list[tuple[Mask, str, str | None]]]:
        """Half points of the first player and what is wrong with them."""
        import polars as pl

        names = self.columns.score
        if not names:
            return np.full(len(frame), 2, np.int8), []
        if len(names) == 2:
            return _halves_of_points(*(frame[name] for name in names))
        if len(names) == 3:
            return _halves_of_one_hot(frame, names)
        (name,) = names
        column = frame[name]
        if self._names_winners is None:
            says = self.columns.is_arena or name.strip().casefold() == WINNER
            self._names_winners = says or self._holds_names(frame, name)
        if self._names_winners:
            return self._halves_of_winner(frame, name)
        if column.dtype.is_numeric() or column.dtype == pl.Boolean:
            halves = _halves_of_numbers(column)
            missing = column.is_null().to_numpy()
        else:
            halves, missing = self._meanings(column)
        return halves, [
            (missing, f"{name} is missing", None),
            (
                (halves == BAD) & ~missing,
                f"cannot read this {name} (write 1, 0.5, 0, 1-0, 1/2-1/2, 2:1, W, D or L)",
                name,
            ),
        ]

    def _holds_names(self, frame: pl.DataFrame, name: str) -> bool:
        """Whether most values of a column that the user named are one of the two players, and not all are results."""
        import polars as pl

        head = frame.head(_SAMPLE).select(
            pl.col(column).cast(pl.String).str.strip_chars()
            for column in {name, self.columns.first, self.columns.second}
        )
        value = head[name]
        names = ((value == head[self.columns.first]) | (value == head[self.columns.second])).sum()
        return 2 * names > len(head) and any(parse_result(text) < 0 for text in value.drop_nulls())

    def _meanings(self, column: pl.Series) -> tuple[Halves, Mask]:
        """Half points of results in text, and where there are none; each word is parsed once."""
        import polars as pl

        if column.dtype == pl.String and (known := self._by_known_words(column)) is not None:
            return known, np.zeros(len(column), bool)
        word = self._words(column)
        meaning = [UNFINISHED if self.is_pgn and text == "*" else parse_result(text) for text in self.known.words]
        return np.array([*meaning, BAD], np.int8)[word], word < 0

    def _by_known_words(self, column: pl.Series) -> Halves | None:
        """Half points where all values are among the few words seen so far: comparing is faster than looking up."""
        if column.null_count() or not 0 < self.known.n_known <= _FEW:
            return None
        halves, n_found = np.zeros(len(column), np.int8), 0
        for word in self.known.words:
            meaning = parse_result(word)
            if meaning >= 0:
                mask = (column == word).to_numpy().view(np.int8)
                n_found += int(np.count_nonzero(mask))
                if meaning:
                    halves += mask * np.int8(meaning)
        return halves if n_found == len(column) else None

    def _words(self, column: pl.Series) -> Codes:
        return self.known.codes([column])[:, 0]

    def _halves_of_winner(self, frame: pl.DataFrame, name: str) -> tuple[Halves, list[tuple[Mask, str, str | None]]]:
        """Half points where a column names the winner, or says that it was a draw."""
        import polars as pl

        winner, first, second = (
            frame[column].cast(pl.String).str.strip_chars().fill_null("").to_numpy()
            for column in (name, self.columns.first, self.columns.second)
        )
        word, missing = self._meanings(frame[name])
        codes = self._words(frame[name])
        # numbers are names here, never results
        wordy = np.array([text.isalpha() for text in self.known.words] + [False])[codes]
        others = np.where(wordy, word, BAD)
        if self.columns.is_arena:
            votes = [parse_vote(text) for text in self.known.words]
            vote = np.array([BAD if own is None else own for own in votes] + [BAD], np.int8)[codes]
            others = np.where(vote >= 0, vote, others)
            self._count_both_bad(codes[(winner != first) & (winner != second)])
        if self.columns.has_teams:
            meant = np.array([_SIDES.get(fold(text), BAD) for text in self.known.words] + [BAD], np.int8)[codes]
            others = np.where(meant >= 0, meant, others)
        halves = np.where(winner == first, 2, np.where(winner == second, 0, others)).astype(np.int8)
        halves[missing] = BAD
        return halves, [
            (missing, f"{name} is missing (write draw where nobody won)", None),
            ((halves == BAD) & ~missing, f"{name} names neither player, nor a draw", name),
        ]

    def _count_both_bad(self, codes: Codes) -> None:
        count = np.bincount(codes[codes >= 0], minlength=self.known.n_known)
        for word, n_votes in zip(self.known.words, count.tolist(), strict=True):
            if n_votes and is_both_bad(word):
                self.both_bad[word] = self.both_bad.get(word, 0) + n_votes

    def notes(self) -> list[str]:
        """What a reader of the results has to know, once everything was read."""
        if not self.both_bad:
            return []
        words, column = ", ".join(f"'{word}'" for word in self.both_bad), self.columns.score[0]
        n_votes = sum(self.both_bad.values())
        counts = "vote that both were bad counts as a tie" if n_votes == 1 else "votes that both were bad count as ties"
        remedy = "leave it out" if n_votes == 1 else "leave them out"
        return [f'{n_votes:,} {counts}; to {remedy}: --where "not {column} in ({words})"']


def _halves_of_one_hot(
    frame: pl.DataFrame, names: tuple[str, ...]
) -> tuple[Halves, list[tuple[Mask, str, str | None]]]:
    """Half points where three columns say who won, or that nobody did: one of them is 1."""
    import polars as pl

    won, lost, tied = (numbers(frame[name].cast(pl.Float64, strict=False)) == 1 for name in names)
    halves = (2 * won.astype(np.int8) + tied.astype(np.int8)).astype(np.int8)
    one = won.astype(np.int8) + lost + tied == 1
    halves[~one] = BAD
    return halves, [(~one, f"not one of {', '.join(names)} is 1", names[0])]


def _halves_of_points(first: pl.Series, second: pl.Series) -> tuple[Halves, list[tuple[Mask, str, str | None]]]:
    """Half points where two columns have points; where neither has any, the match is still to be played."""
    ours, theirs = numbers(first), numbers(second)
    bad = [~np.isfinite(points) for points in (ours, theirs)]
    with np.errstate(invalid="ignore"):
        halves = 1 + (ours > theirs).astype(np.int8) - (ours < theirs).astype(np.int8)
    unplayed = bad[0] & bad[1]
    if unplayed.any():
        unplayed &= _no_points(first) & _no_points(second)
        halves[unplayed] = UNPLAYED
    columns = zip((first, second), bad, strict=True)
    return halves, [(wrong & ~unplayed, f"{column.name} is not a number", column.name) for column, wrong in columns]


def _no_points(column: pl.Series) -> Mask:
    """Where a cell is empty, or says so."""
    import polars as pl

    words = column.cast(pl.String).str.strip_chars().str.to_lowercase().fill_null("")
    return words.is_in(_NO_POINTS).to_numpy()


def numbers(column: pl.Series) -> Floats:
    """The numbers of a column; NaN where there is none."""
    import polars as pl

    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    values = column.cast(pl.Float64, strict=False)
    if values.null_count() and column.dtype == pl.String:
        # stripping costs more than the cast: only where something was not understood
        values = column.str.strip_chars().cast(pl.Float64, strict=False)
    return (values.fill_null(float("nan")) if values.null_count() else values).to_numpy()


def seat_values(column: pl.Series) -> Floats:
    """Scores of seats, higher is better: numbers, or words such as won, draw and lost."""
    import polars as pl

    values = numbers(column)
    if column.dtype != pl.String or np.isfinite(values).all():
        return values
    words = column.str.strip_chars().str.to_lowercase()
    said = words.replace_strict(_SEAT_WORDS, default=None, return_dtype=pl.Float64)
    return np.where(np.isfinite(values), values, said.fill_null(float("nan")).to_numpy())


def split_points(column: pl.Series) -> Floats:
    """Points such as 3-1 or 2:2, shape (rows, 2); NaN where a result is written in another way."""
    import polars as pl

    # a few texts are written again and again: each is parsed once
    text = column.cast(pl.String).fill_null("")
    words = text.unique()
    both = words.str.strip_chars().str.extract_groups(f"^{_POINTS.pattern}$").struct.unnest()
    points = both.select(pl.all().cast(pl.Float64).fill_null(float("nan"))).to_numpy()
    return np.asarray(points[text.replace_strict(words, pl.Series(np.arange(len(words)))).to_numpy()])


def _halves_of_numbers(column: pl.Series) -> Halves:
    """Half points of 1, 0.5 and 0, by comparing; anything else is bad."""
    is_plain = (column.dtype.is_float() or column.dtype.is_integer()) and not column.null_count()
    values = column.to_numpy() if is_plain else numbers(column)
    won, drawn, lost = values == 1, values == 0.5, values == 0
    halves = won.view(np.int8) * np.int8(2) + drawn.view(np.int8)
    halves[~(won | drawn | lost)] = BAD
    return np.asarray(halves, np.int8)
