"""Evaluations: the positions of games with the values that an engine gave them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from ludometer.arrays import Codes, Counts, Floats, Halves, Mask
from ludometer.errors import LudometerError
from ludometer.players import Players

UNKNOWN = int(np.iinfo(np.int32).min)
"""Stands for an unknown evaluation: a move to or from such a position has no gain."""

MATE = 3900
"""The value of a forced mate in centipawns (Ferreira 2012, section 3: all the pieces of the start position)."""

WHITE, BLACK, NOBODY = 0, 1, -1


@dataclass(frozen=True)
class Conventions:
    """How positions were evaluated; strengths by different conventions are on different scales."""

    engine: str | None = None
    """Name and version; None: not known."""
    depth: int | None = None
    nodes: int | None = None
    mate_value: int = MATE
    """Centipawns; evaluations beyond it are cut to it, since nothing is better than mate."""

    def __post_init__(self) -> None:
        if self.mate_value < 1:
            raise LudometerError(f"a mate is worth at least 1 centipawn, not {self.mate_value}")

    def describe(self) -> str:
        """Which engine, and how far it searched.

        >>> Conventions("Stockfish 15.1", depth=8).describe(), Conventions().describe()
        ('Stockfish 15.1, depth 8', 'an unnamed engine')
        """
        limits = [f"depth {self.depth}"] if self.depth else [f"{self.nodes:,} nodes"] if self.nodes else []
        return ", ".join([self.engine or "an unnamed engine", *limits])

    def to_dict(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self)


@dataclass(frozen=True)
class EvaluatedGame:
    """One game on its way into `Evaluations`; only the players and the evaluations are needed.

    `evaluation` holds centipawns from White's view, first of the position before the first move, then after each move;
    an infinity is a forced mate (positive: White mates), NaN is unknown. `lines` holds, for each position, the
    evaluations (White's view, centipawns) of the engine's best moves from there, best first, all of one length;
    `choice` says which of them was played (0 the best, -1 another or none). `material` counts the pieces of both sides
    without pawns and kings, queen 9, rook 5, bishop and knight 3: 62 at the start.
    """

    name: str
    white: str
    black: str
    evaluation: Sequence[float]
    event: str = ""
    halves: int = -1
    """White's score in half points; -1: unknown."""
    white_rating: float = float("nan")
    black_rating: float = float("nan")
    first_ply: int = 0
    white_begins: bool = True
    lines: Sequence[Sequence[float]] | None = None
    choice: Sequence[int] | None = None
    material: Sequence[int] | None = None


@dataclass(frozen=True, eq=False)
class Evaluations:
    """Games as evaluations of their positions: game g holds the positions `starts[g]:starts[g + 1]` in order of play.

    Per position: `ply` (moves made so far), `side` (who made the last of them: 0 White, 1 Black, -1 nobody yet),
    `evaluation` (centipawns, White's view, `UNKNOWN` where there is none) and `mate` (whether it stands for a mate).
    Per game: `seats` (codes of White and Black, -1 unknown), `rating` (of both, NaN unknown), `event`, `halves`
    (White's score, -1 unknown). None where the source has none: `lines`, `choice`, `material`.

    >>> game = EvaluatedGame("1", "Ann", "Ben", [13, 10, 40])
    >>> Evaluations.of_games([game]).describe()
    '1 game, 2 players, 2 moves'
    """

    games: tuple[str, ...]
    events: tuple[str, ...]
    players: Players
    starts: Counts
    ply: Codes
    side: Halves
    evaluation: Codes
    mate: Mask
    seats: Codes
    event: Codes
    halves: Halves
    rating: Floats
    lines: Codes | None = None
    choice: Halves | None = None
    material: Codes | None = None
    conventions: Conventions = field(default_factory=Conventions)

    def __post_init__(self) -> None:
        n_games, n = len(self.games), len(self.evaluation)
        shapes = [self.starts.shape == (n_games + 1,), self.seats.shape == self.rating.shape == (n_games, 2)]
        shapes += [column.shape == (n_games,) for column in (self.event, self.halves)]
        shapes += [column.shape == (n,) for column in (self.ply, self.side, self.mate)]
        shapes += [column is None or len(column) == n for column in (self.lines, self.choice, self.material)]
        if not all(shapes) or self.starts[0] != 0 or self.starts[-1] != n or (np.diff(self.starts) < 0).any():
            raise LudometerError("the columns of the evaluations do not fit together")

    @classmethod
    def of_games(cls, games: Iterable[EvaluatedGame], *, conventions: Conventions | None = None) -> Self:
        """Games in this order; players and events get codes in order of appearance."""
        conventions = conventions or Conventions()
        listed = list(games)
        names = [name for game in listed for name in (game.white, game.black)]
        players, events = list(dict.fromkeys(names)), list(dict.fromkeys(game.event for game in listed))
        code = {name: k for k, name in enumerate(players)}
        sizes = [len(game.evaluation) for game in listed]
        whole = _joined([np.asarray(game.evaluation, np.float64) for game in listed])
        evaluation, mate = to_centipawns(whole, conventions.mate_value)
        return cls(
            games=tuple(game.name for game in listed),
            events=tuple(events),
            players=Players.named(players),
            starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            ply=_joined([game.first_ply + np.arange(size) for game, size in zip(listed, sizes, strict=True)], np.int32),
            side=_joined([_sides(game) for game in listed], np.int8),
            evaluation=evaluation,
            mate=mate,
            seats=np.array([code[name] for name in names], np.int32).reshape(-1, 2),
            event=np.array([events.index(game.event) for game in listed], np.int32),
            halves=np.array([game.halves for game in listed], np.int8),
            rating=np.array([(game.white_rating, game.black_rating) for game in listed], np.float64).reshape(-1, 2),
            lines=_lines(listed, conventions.mate_value),
            choice=_optional([game.choice for game in listed], np.int8),
            material=_optional([game.material for game in listed], np.int32),
            conventions=conventions,
        )

    def __len__(self) -> int:
        return len(self.games)

    @cached_property
    def game(self) -> Codes:
        """The game of each position."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def player(self) -> Codes:
        """Who made the move that led to each position; -1: nobody, or a player without a name."""
        return np.where(self.side < 0, -1, self.seats[self.game, np.maximum(self.side, 0)]).astype(np.int32)

    @cached_property
    def has_gain(self) -> Mask:
        """Which positions were reached by a move whose gain is known."""
        known = self.evaluation != UNKNOWN
        found = np.zeros(len(known), bool)
        found[1:] = known[1:] & known[:-1] & (self.game[1:] == self.game[:-1]) & (np.diff(self.ply) == 1)
        return found & (self.player >= 0)

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits over all that a result can depend on."""
        digest = hashlib.sha256("\0".join((*self.games, "", *self.events, "", *self.players.names)).encode())
        columns = (self.starts, self.ply, self.side, self.evaluation, self.mate, self.seats, self.event, self.halves)
        for column in (*columns, self.rating, self.lines, self.choice, self.material):
            digest.update(b"-" if column is None else np.ascontiguousarray(column).tobytes())
        digest.update(repr(self.conventions).encode())
        return digest.hexdigest()[:16]

    def describe(self) -> str:
        """Games, players and moves with a gain, in one line."""
        counts = ((len(self), "game"), (len(self.players), "player"), (int(self.has_gain.sum()), "move"))
        return ", ".join(f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in counts)

    def known_ratings(self, ratings: Mapping[str, float] | None = None) -> Floats:
        """The rating of each player, a mean over their games; NaN: unknown. `ratings` by name take precedence."""
        seat, value = self.seats.ravel(), self.rating.ravel()
        used = (seat >= 0) & np.isfinite(value)
        count = np.bincount(seat[used], minlength=len(self.players))
        total = np.bincount(seat[used], value[used], minlength=len(self.players))
        with np.errstate(invalid="ignore"):
            known = np.where(count > 0, total / np.maximum(count, 1), np.nan)
        for name, rating in (ratings or {}).items():
            known[self.players.code(name)] = rating
        return known

    def take(self, kept: Mask) -> Self:
        """Only these games; players and events keep their codes."""
        rows = np.repeat(kept, np.diff(self.starts))
        part: dict[str, Any] = {name: getattr(self, name)[rows] for name in ("ply", "side", "evaluation", "mate")}
        part |= {name: getattr(self, name)[kept] for name in ("seats", "event", "halves", "rating")}
        for name in ("lines", "choice", "material"):
            column = getattr(self, name)
            part[name] = None if column is None else column[rows]
        part["games"] = tuple(name for name, keep in zip(self.games, kept, strict=True) if keep)
        part["starts"] = np.concatenate(([0], np.cumsum(np.diff(self.starts)[kept]))).astype(np.int64)
        return replace(self, **part)

    def of_events(self, names: Sequence[str]) -> Self:
        """Only the games of these events, which get codes in the order of their names here."""
        chosen = list(dict.fromkeys(names))
        codes = [self.event_code(name) for name in chosen]
        part = self.take(np.isin(self.event, codes))
        number = np.zeros(len(self.events), np.int32)
        number[codes] = np.arange(len(codes))
        return replace(part, events=tuple(chosen), event=number[part.event])

    def renamed(self, names: Mapping[str, str]) -> Self:
        """With other names for these players; two players who get the same name become one."""
        before = list(self.players.names)
        for name in names:
            self.players.code(name)
        after = list(dict.fromkeys(names.get(name, name) for name in before))
        place = {name: code for code, name in enumerate(after)}
        number = np.array([*(place[names.get(name, name)] for name in before), -1], np.int32)
        return replace(self, players=Players.named(after), seats=number[self.seats])

    def event_code(self, name: str) -> int:
        """The code of an event; an unknown name is an error that lists the known ones."""
        if not any(self.events):
            raise LudometerError(f"no event is called {name!r}: the games name no events (column event, tag Event)")
        if name not in self.events:
            raise LudometerError(f"no event is called {name!r}; there are: {', '.join(map(repr, self.events))}")
        return self.events.index(name)

    def with_mate_value(self, mate_value: int) -> Self:
        """The same evaluations with mates worth this much, and no evaluation beyond it."""
        conventions = replace(self.conventions, mate_value=mate_value)
        level = np.clip(self.evaluation.astype(np.int64), -mate_value, mate_value)
        level = np.where(self.mate, np.sign(self.evaluation.astype(np.int64)) * mate_value, level)
        level = np.where(self.evaluation == UNKNOWN, UNKNOWN, level)
        return replace(self, evaluation=level.astype(np.int32), conventions=conventions)


def to_centipawns(evaluation: Floats, mate_value: int) -> tuple[Codes, Mask]:
    """Whole centipawns, and which of them stand for mate: an infinity, or anything at or above the value of mate.

    >>> value, mate = to_centipawns(np.array([12.6, -np.inf, np.nan, 5000.0]), 3900)
    >>> value[[0, 1, 3]].tolist(), mate.tolist()
    ([13, -3900, 3900], [False, True, False, True])
    """
    known = ~np.isnan(evaluation)
    mate = known & (np.abs(evaluation) >= mate_value)
    cut = np.rint(np.clip(np.where(known, evaluation, 0.0), -mate_value, mate_value))
    return np.where(known, cut, UNKNOWN).astype(np.int32), mate


def _sides(game: EvaluatedGame) -> Halves:
    side = (np.arange(len(game.evaluation)) + (0 if game.white_begins else 1) + 1) % 2
    side[:1] = NOBODY
    return side.astype(np.int8)


def _joined(parts: Sequence[Any], dtype: Any = np.float64) -> Any:
    return np.concatenate([np.empty(0), *parts]).astype(dtype)


def _optional(columns: Sequence[Sequence[int] | None], dtype: Any) -> Any:
    if not columns or any(column is None for column in columns):
        return None
    return _joined(columns, dtype)


def _lines(games: Sequence[EvaluatedGame], mate_value: int) -> Codes | None:
    if not games or any(game.lines is None for game in games):
        return None
    whole = np.array([row for game in games for row in game.lines or ()], np.float64)
    return to_centipawns(whole, mate_value)[0] if whole.ndim == 2 else None
