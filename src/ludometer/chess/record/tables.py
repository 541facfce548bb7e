"""Tables of evaluations, one row per position, read into `Evaluations`; all faults are reported at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Array, Codes, Counts, Floats, Halves, Mask
from ludometer.chess.record.evaluations import Conventions, Evaluations, to_centipawns
from ludometer.errors import LudometerError, MatchDataError
from ludometer.players import Players
from ludometer.read.columns.outcomes import BAD, numbers, parse_result
from ludometer.read.faults import Faults, first_values
from ludometer.read.files.opening import open_source
from ludometer.read.files.source import Source

if TYPE_CHECKING:
    import polars as pl

COLUMNS: dict[str, tuple[str, ...]] = {
    "game": ("game", "game_id", "match", "match_id"),
    "ply": ("ply",),
    "player": ("player",),
    "white": ("white",),
    "black": ("black",),
    "evaluation": ("evaluation", "eval"),
    "side": ("side", "color", "colour"),
    "event": ("event",),
    "result": ("result",),
    "rating": ("rating", "elo"),
    "white_rating": ("white_elo", "whiteelo", "white_rating"),
    "black_rating": ("black_elo", "blackelo", "black_rating"),
    "best": ("best",),
    "second": ("second",),
    "choice": ("choice",),
    "material": ("material",),
}
"""What a column may be called; the first that is there counts. `evaluation`, `best` and `second` are in pawns."""


def find_columns(opened: Source) -> dict[str, str]:
    """The columns of a table by their meaning; an error names those that are missing."""
    folded = {name.strip().casefold(): name for name in reversed(list(opened.schema))}
    named = {
        key: next(folded[word] for word in words if word in folded)
        for key, words in COLUMNS.items()
        if any(word in folded for word in words)
    }
    wanted = [key for key in ("game", "ply", "evaluation") if key not in named]
    if "player" not in named and not {"white", "black"} <= named.keys():
        wanted.append("player (or white and black)")
    if wanted:
        shown = ", ".join(repr(name) for name in list(opened.schema)[:20])
        raise LudometerError(
            f"{opened.name}: a table of evaluations needs columns game, ply, player and evaluation; "
            f"missing: {', '.join(wanted)}\nThe file has: {shown}"
        )
    if "player" in named:
        # the column player says who moved: White and Black would say it again
        named = {key: name for key, name in named.items() if key not in ("white", "black")}
    return named


_MATE = re.compile(r"([+-]?)\s*(?:#|m|mate)\s*([+-]?)\s*\d*", re.IGNORECASE)
_OPEN = -2
_LARGEST = 1e9
_SIDES = {"w": 0, "white": 0, "b": 1, "black": 1}


@dataclass(frozen=True, eq=False)
class EvaluationReading:
    """Evaluations, and how the file was read."""

    name: str
    evaluations: Evaluations
    columns: tuple[str, ...]
    n_bad_rows: int
    notes: tuple[str, ...]

    def describe(self) -> list[str]:
        """In a few lines."""
        lines = [f"{self.name}: {self.evaluations.describe()} · {', '.join(self.columns)}"]
        lines += [f"{self.n_bad_rows:,} bad rows left out"] if self.n_bad_rows else []
        return lines + list(self.notes)


def read_evaluations(
    source: Any, *, conventions: Conventions | None = None, drop_bad_rows: bool = False
) -> EvaluationReading:
    """Evaluations from a path, "-" or a table with columns game, ply, player and evaluation (pawns, White's view).

    Ply 0 is the position before the first move, whose player is empty; without it the first move has no gain. A mate
    is written #3, -#3, #-3, M3, or as a number at or above the value of mate (39). Odd plies are White's unless a
    column `side` says otherwise. Optional: event, result (White's), rating (of the mover) or white_elo and black_elo,
    best and second (evaluations of the engine's best moves from here), choice (which of them was played next: 1, 2; 0
    another), material.

    >>> import polars as pl
    >>> rows = {"game": [1, 1, 1], "ply": [0, 1, 2], "player": [None, "Ann", "Ben"], "evaluation": [0.13, 0.1, 0.4]}
    >>> read_evaluations(pl.DataFrame(rows)).evaluations.evaluation.tolist()
    [13, 10, 40]
    """
    opened = open_source(source)
    if opened.is_pgn:
        raise LudometerError(f"{opened.name}: a PGN file, not a table of evaluations")
    named = find_columns(opened)
    frame = _whole(opened, list(named.values()))
    rows = _Rows(frame, named, conventions or Conventions(), Faults())
    rows.read()
    odd = opened.odd_rows()
    rows.add(np.isin(np.arange(len(frame)), odd.ragged), "a line with fewer or more fields than the header", None)
    rows.bad[odd.blank[odd.blank < len(frame)]] = True
    rows.check_games()
    rows.faults.n_bad_rows = int(rows.at_fault.sum())
    if rows.faults and not drop_bad_rows:
        raise MatchDataError(rows.faults.message(opened.name, len(frame), below_header=opened.is_csv))
    if not (~rows.bad).any():
        raise MatchDataError(f"{opened.name}: no row is usable")
    evaluations = rows.gather()
    return EvaluationReading(
        opened.name, evaluations, tuple(named.values()), rows.faults.n_bad_rows, (*opened.notes, *_notes(evaluations))
    )


@dataclass
class _Rows:
    """The columns of a table as arrays, and which rows cannot be used."""

    frame: pl.DataFrame
    named: dict[str, str]
    conventions: Conventions
    faults: Faults
    bad: Mask = field(init=False)
    at_fault: Mask = field(init=False)
    games: tuple[str, ...] = ()
    game: Codes = field(init=False)
    players: tuple[str, ...] = ()
    player: Codes = field(init=False)
    ply: Counts = field(init=False)
    side: Halves = field(init=False)
    evaluation: Codes = field(init=False)
    mate: Mask = field(init=False)

    def __post_init__(self) -> None:
        self.bad, self.at_fault = np.zeros(len(self.frame), bool), np.zeros(len(self.frame), bool)

    def add(self, mask: Array, kind: str, column: str | None) -> None:
        """Note a fault of these rows, but not of blank lines."""
        mask = np.asarray(mask, bool) & ~(self.bad & ~self.at_fault)
        rows = np.flatnonzero(mask)
        values = first_values(self.frame[column], rows) if column else ()
        self.faults.add(kind, rows, values)
        self.at_fault |= mask
        self.bad |= mask

    def read(self) -> None:
        """Each column by itself."""
        self.bad |= np.array(self.frame.select(_nothing(self.frame)).to_series(), bool)
        self.games, self.game = _codes(self._text("game"))
        self.add(self.game < 0, f"{self.named['game']} is missing", None)
        ply = self._numbers("ply")
        whole = np.isfinite(ply) & (ply >= 0) & (ply == np.floor(ply)) & (ply < 1 << 30)
        self.add(~whole, f"{self.named['ply']} is not a whole number from 0 up", self.named["ply"])
        self.ply = np.where(whole, ply, 0).astype(np.int64)
        self.side = self._sides()
        self._read_players()
        value, empty = self._evaluations("evaluation")
        self.add(empty, f"{self.named['evaluation']} is missing", None)
        name = self.named["evaluation"]
        self.add(np.isnan(value) & ~empty, f"{name} is neither a number of pawns nor a mate (#3)", name)
        self.evaluation, self.mate = to_centipawns(_centipawns(value), self.conventions.mate_value)
        for key in ("best", "second"):
            if key in self.named:
                value, empty = self._evaluations(key)
                kind = f"{self.named[key]} is neither a number of pawns nor a mate (#3)"
                self.add(np.isnan(value) & ~empty, kind, self.named[key])
        if "result" in self.named:
            self.add(self._results() == BAD, f"{self.named['result']} is not a result", self.named["result"])
        for key in ("rating", "white_rating", "black_rating", "choice", "material"):
            if key in self.named:
                filled = ~self._empty(key)
                self.add(
                    ~np.isfinite(self._numbers(key)) & filled, f"{self.named[key]} is not a number", self.named[key]
                )

    def check_games(self) -> None:
        """Faults that show only when the rows of a game are seen together."""
        good = np.flatnonzero(~self.bad)
        order = good[np.lexsort((good, self.ply[good], self.game[good]))]
        same = (np.diff(self.game[order]) == 0) & (np.diff(self.ply[order]) == 0)
        self._add_at(order[1:][same], "the same ply twice in a game", self.named["ply"])
        moved = np.flatnonzero(~self.bad & (self.player >= 0) & (self.side >= 0))
        key = self.game[moved].astype(np.int64) * 2 + self.side[moved]
        player, who = np.append(self.player[moved], -1), self.named.get("player") or self.named["white"]
        own, other = _first_rows_of(key, key), _first_rows_of(key ^ 1, key)
        self._add_at(moved[player[:-1] != player[own]], "another player has this side of the game", who)
        # the side that appears first is taken as theirs
        both = (player[:-1] == player[other]) & (other < own)
        self._add_at(moved[both], "a player has both sides of the game", who)

    def gather(self) -> Evaluations:
        """The usable rows, by game and ply, games in order of appearance."""
        good = np.flatnonzero(~self.bad)
        order = good[np.lexsort((self.ply[good], self.game[good]))]
        used, number_of = np.unique(self.game[order], return_inverse=True)
        game = np.asarray(number_of, np.int32).reshape(-1)
        n_games = len(used)
        seats = np.full((n_games, 2), -1, np.int32)
        moved = (self.side[order] >= 0) & (self.player[order] >= 0)
        seats[game[moved], self.side[order][moved]] = self.player[order][moved]
        seats = self._named_seats(order, game, seats)
        events, event = _codes(self._text("event").fill_null("")) if "event" in self.named else (("",), None)
        per_game = _first_rows(game, n_games)
        kept = np.unique(seats[seats >= 0])
        number = np.full(len(self.players) + 1, -1, np.int32)
        number[kept] = np.arange(len(kept))
        return Evaluations(
            games=tuple(self.games[code] for code in used),
            events=events,
            players=Players.named([self.players[code] for code in kept]),
            starts=np.searchsorted(game, np.arange(n_games + 1)).astype(np.int64),
            ply=self.ply[order].astype(np.int32),
            side=self.side[order],
            evaluation=self.evaluation[order],
            mate=self.mate[order],
            seats=number[seats],
            event=np.zeros(n_games, np.int32) if event is None else event[order][per_game].astype(np.int32),
            halves=self._halves(order, game, n_games),
            rating=self._ratings(order, game, n_games),
            lines=self._lines(order),
            choice=self._choice(order),
            material=self._material(order),
            conventions=self.conventions,
        )

    def _read_players(self) -> None:
        """Who moved: from the column player, or by side from White's and Black's."""
        if "player" in self.named:
            self.players, self.player = _codes(self._text("player"))
            self.add((self.player < 0) & (self.side >= 0), f"{self.named['player']} is missing", None)
            return
        import polars as pl

        white, black = self._text("white"), self._text("black")
        self.players, both = _codes(pl.concat([white, black]))
        seats = both.reshape(2, -1)
        for seat, key in enumerate(("white", "black")):
            self.add(seats[seat] < 0, f"{self.named[key]} is missing", None)
        self.player = np.where(self.side < 0, -1, seats[np.maximum(self.side, 0), np.arange(len(self.side))])
        self.player = self.player.astype(np.int32)

    def _named_seats(self, order: Counts, game: Codes, seats: Codes) -> Codes:
        """Seats of players who made no move, where White and Black have columns."""
        if "player" in self.named:
            return seats
        code = {name: k for k, name in enumerate(self.players)}
        for seat, key in enumerate(("white", "black")):
            text = self._text(key).gather(order[_first_rows(game, len(seats))])
            found = np.array([code.get(name, -1) for name in text], np.int32)
            seats[:, seat] = np.where(seats[:, seat] < 0, found, seats[:, seat])
        return seats

    def _sides(self) -> Halves:
        side = np.where(self.ply == 0, -1, (self.ply + 1) % 2).astype(np.int8)
        if "side" not in self.named:
            return side
        text = self._text("side").str.to_lowercase()
        found = np.array([_SIDES.get(word, -2) if word else -1 for word in text], np.int8)
        self.add(found == -2, f"{self.named['side']} is neither w nor b", self.named["side"])
        return np.where((found >= 0) & (self.ply > 0), found, side).astype(np.int8)

    def _halves(self, order: Counts, game: Codes, n_games: int) -> Halves:
        if "result" not in self.named:
            return np.full(n_games, -1, np.int8)
        return np.maximum(self._results()[order][_first_rows(game, n_games)], BAD)

    def _results(self) -> Halves:
        """White's half points; -1 is not a result, -2 unknown."""
        text = self._text("result").to_list()
        words = {word: _OPEN if word in (None, "*") else parse_result(word) for word in set(text)}
        return np.array([words[word] for word in text], np.int8)

    def _ratings(self, order: Counts, game: Codes, n_games: int) -> Floats:
        rating = np.full((n_games, 2), np.nan)
        if "rating" in self.named:
            value, side = self._numbers("rating")[order], self.side[order]
            used = np.flatnonzero(np.isfinite(value) & (side >= 0))[::-1]
            # the first row of a seat is written last
            rating[game[used], side[used]] = value[used]
        for seat, key in enumerate(("white_rating", "black_rating")):
            if key in self.named:
                rating[:, seat] = self._numbers(key)[order][_first_rows(game, n_games)]
        return rating

    def _lines(self, order: Counts) -> Codes | None:
        if "best" not in self.named:
            return None
        keys = [key for key in ("best", "second") if key in self.named]
        values = [to_centipawns(_centipawns(self._evaluations(key)[0]), self.conventions.mate_value)[0] for key in keys]
        return np.column_stack(values)[order].astype(np.int32)

    def _choice(self, order: Counts) -> Halves | None:
        if "choice" not in self.named:
            return None
        value = self._numbers("choice")[order]
        return np.where(np.isfinite(value), np.clip(value, 0, 100) - 1, -1).astype(np.int8)

    def _material(self, order: Counts) -> Codes | None:
        if "material" not in self.named:
            return None
        value = self._numbers("material")[order]
        # unknown material counts as full, so never as an endgame
        return np.where(np.isfinite(value), np.clip(value, 0, 1000), 62).astype(np.int32)

    def _evaluations(self, key: str) -> tuple[Floats, Mask]:
        """Pawns, an infinity for a mate, NaN where there is neither; and where there is nothing."""
        value, empty = self._numbers(key).copy(), self._empty(key)
        rest = np.flatnonzero(np.isnan(value) & ~empty)
        if len(rest):
            for row, word in zip(rest, self._text(key).gather(rest), strict=True):
                mate = _MATE.fullmatch(word)
                if mate:
                    value[row] = -np.inf if "-" in (mate[1], mate[2]) else np.inf
        return value, empty

    def _numbers(self, key: str) -> Floats:
        return numbers(self.frame[self.named[key]])

    def _empty(self, key: str) -> Mask:
        return np.asarray(self._text(key).is_null())

    def _text(self, key: str) -> pl.Series:
        return _trimmed(self.frame[self.named[key]])

    def _add_at(self, rows: Counts, kind: str, column: str) -> None:
        mask = np.zeros(len(self.bad), bool)
        mask[rows] = True
        self.add(mask, kind, column)


def _centipawns(pawns: Floats) -> Floats:
    """Pawns as centipawns; what is beyond any evaluation becomes a mate instead of overflowing."""
    return np.where(np.abs(pawns) > _LARGEST, np.copysign(np.inf, pawns), pawns) * 100


def _whole(opened: Source, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    batches = list(opened.batches(columns))
    if not batches or not sum(map(len, batches)):
        raise MatchDataError(f"{opened.name}: the table has no rows")
    return pl.concat(batches, rechunk=True)


def _nothing(frame: pl.DataFrame) -> pl.Expr:
    """Whether a row is empty."""
    import polars as pl

    texts = [pl.col(name).cast(pl.String).str.strip_chars().fill_null("") == "" for name in frame.columns]
    return pl.all_horizontal(texts).alias("empty")


def _trimmed(column: pl.Series) -> pl.Series:
    """Text without outer space; empty text is null."""
    import polars as pl

    text = column.cast(pl.String).str.strip_chars()
    return text.set(text == "", None)


def _codes(text: pl.Series) -> tuple[tuple[str, ...], Codes]:
    """The distinct words in order of appearance, and the number of each row's word; -1: none."""
    words = text.drop_nulls().unique(maintain_order=True)
    number = {word: k for k, word in enumerate(words)}
    return tuple(words), np.array([-1 if word is None else number[word] for word in text], np.int32)


def _first_rows_of(wanted: Counts, key: Counts) -> Counts:
    """The first row with each wanted key; the number of rows where none has it."""
    keys, first = np.unique(np.append(key, -1), return_index=True)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, first[place], len(key))


def _first_rows(game: Codes, n_games: int) -> Counts:
    return np.searchsorted(game, np.arange(n_games))


def _notes(evaluations: Evaluations) -> list[str]:
    notes = []
    without_start = int((evaluations.ply[evaluations.starts[:-1]] != 0).sum())
    if without_start:
        notes.append(f"{without_start:,} games without ply 0: their first move has no gain")
    inner = np.ones(len(evaluations.ply), bool)
    inner[evaluations.starts[:-1]] = False
    gaps = int((inner[1:] & (np.diff(evaluations.ply) != 1)).sum())
    if gaps:
        notes.append(f"{gaps:,} gaps between plies: the moves after them have no gain")
    return notes
