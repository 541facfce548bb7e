"""Matches analysed by GNU Backgammon through a cache: the loss of each decision and the luck of each roll."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludometer.arrays import Codes, Counts, Floats
from ludometer.backgammon.gnubg import ANALYSE, PROGRAM, TIMEOUT, Gnubg, GnubgFailure, open_gnubg
from ludometer.backgammon.records import MatchRecord, count_rolls
from ludometer.errors import LudometerError, MatchDataError
from ludometer.parallel import Workers, map_tasks

if TYPE_CHECKING:
    import polars as pl

KINDS = ("chequer", "double", "take")
"""Decisions: which chequers to move; whether to double; whether to take or to pass."""

CHEQUER, DOUBLE, TAKE = range(3)

_CLOSE = 0.16
"""A decision not to double counts if doubling would have cost less than this, or would have been right."""

_LOADING = {"mat": "import mat match.mat", "sgf": "load match match.sgf", "sgg": "import sgg match.sgg"}
_FORMAT = 1
_WAIT_SECONDS = 60
_TABLE = "CREATE TABLE IF NOT EXISTS analyses (key TEXT PRIMARY KEY, analysis TEXT NOT NULL) WITHOUT ROWID"


@dataclass(frozen=True)
class Evaluator:
    """How positions are evaluated: plies of lookahead, for decisions and for luck; never with noise."""

    plies: int = 2
    luck_plies: int = 0
    """GNU Backgammon's own choice: every roll is evaluated, not only the actual one, which is 21 times the work."""

    def __post_init__(self) -> None:
        for name in ("plies", "luck_plies"):
            if not 0 <= getattr(self, name) <= 4:
                raise LudometerError(f"{name.replace('_', ' ')} must be 0 to 4, not {getattr(self, name)}")

    def describe(self, version: str) -> str:
        """In a few words."""
        return f"GNU Backgammon {version}, {self.plies}-ply, luck {self.luck_plies}-ply"


@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions with a choice: moves where there were two or more, doubles, takes, passes, close doubles not made.

    `loss` is the equity given away, from 0 up, in units of the cube at the time. One of equity is worth `unit`:
    match-winning chance (1 is the match), or points in a money session. `player` is 0 or 1, `turn` counts the turns
    before the decision in its game, `kind` is one of `KINDS`.
    """

    loss: Floats
    unit: Floats
    game: Codes
    player: Codes
    kind: Codes
    turn: Codes


@dataclass(frozen=True, eq=False)
class Rolls:
    """Rolls with their `luck`: the equity after the roll less the mean over all rolls; `unit` as of `Decisions`."""

    luck: Floats
    unit: Floats
    game: Codes
    player: Codes
    turn: Codes


@dataclass(frozen=True, eq=False)
class AnalysedMatch:
    """A match as decisions and rolls, in order of play."""

    name: str
    names: tuple[str, str]
    length: int
    """Points that win; 0: a money session."""
    scores: Counts
    """Both players' points before each game."""
    winners: Codes
    """Of each game; -1: it was not finished."""
    points: Codes
    decisions: Decisions
    rolls: Rolls
    version: str
    evaluator: Evaluator

    @property
    def n_games(self) -> int:
        """Games, including an unfinished last one."""
        return len(self.winners)

    @property
    def final(self) -> tuple[int, int]:
        """The score at the end."""
        last = self.scores[-1].tolist()
        if self.winners[-1] >= 0:
            last[self.winners[-1]] += int(self.points[-1])
        return last[0], last[1]

    @property
    def is_over(self) -> bool:
        """Whether every game was finished and, unless for money, the match too."""
        return bool((self.winners >= 0).all()) and (self.length == 0 or max(self.final) >= self.length)

    @property
    def winner(self) -> int | None:
        """Who won; None: nobody, or it is not over."""
        first, second = self.final
        return None if not self.is_over or first == second else int(second > first)

    def to_frame(self) -> pl.DataFrame:
        """One row per decision and per roll, in order of play."""
        import polars as pl

        names = np.array(self.names, object)
        parts = [
            pl.DataFrame(
                {
                    "match": self.name,
                    "game": part.game + 1,
                    "turn": part.turn + 1,
                    "player": names[part.player].tolist(),
                    "kind": kind,
                    "loss": loss,
                    "luck": luck,
                    "unit": part.unit,
                },
                schema_overrides={"loss": pl.Float64, "luck": pl.Float64},
            )
            for part, kind, loss, luck in (
                (self.rolls, "roll", None, self.rolls.luck),
                (self.decisions, [KINDS[code] for code in self.decisions.kind], self.decisions.loss, None),
            )
        ]
        order = pl.col("kind").replace_strict({"double": 0, "take": 1, "roll": 2, "chequer": 3})
        return pl.concat(parts).sort("game", "turn", order, maintain_order=True)


def analyse_matches(
    records: Sequence[MatchRecord],
    *,
    evaluator: Evaluator | None = None,
    gnubg: str = PROGRAM,
    timeout: float = TIMEOUT,
    cache: str | Path | None = None,
    unfinished: bool = False,
    workers: Workers | None = None,
    on_done: Callable[[int], None] | None = None,
) -> list[AnalysedMatch]:
    """Analyse matches with GNU Backgammon, one process per match and `workers.jobs` of them at a time.

    What the cache holds is not analysed again; each analysis is kept as soon as it is done, so that an interrupted run
    continues where it stopped. Results depend on neither. `unfinished` accepts matches that are not over.
    """
    evaluator = evaluator or Evaluator()
    program = open_gnubg(gnubg, timeout=timeout)
    kept = None if cache is None else AnalysisCache(cache)

    def analyse(record: MatchRecord) -> AnalysedMatch:
        found = _find_analysis(record, evaluator, program, kept)
        return read_analysis(
            record.name,
            found,
            evaluator,
            program.version,
            n_rolls=None if unfinished else count_rolls(record),
            unfinished=unfinished,
        )

    try:
        found = map_tasks(analyse, records, workers=workers, on_done=on_done)
    finally:
        program.close()
    return _name_apart(found)


def read_analysis(
    name: str,
    analysis: dict[str, Any],
    evaluator: Evaluator,
    version: str,
    *,
    n_rolls: int | None = None,
    unfinished: bool = False,
) -> AnalysedMatch:
    """The output of the program as decisions and rolls; an impossible record is an error.

    `n_rolls` is how many rolls there should be, if that is known.
    """
    match = analysis["match"]
    if match is None:
        raise MatchDataError(f"{name}: GNU Backgammon finds no match in it: give .mat, .sgf or .sgg files")
    if match["variation"] != "Standard":
        raise MatchDataError(f"{name}: {match['variation']}, not standard backgammon")
    first, second = (str(player).strip() for player in match["names"])
    if first == second:
        raise MatchDataError(f"{name}: both players are called {first!r}: give them different names")
    decisions: list[tuple[float, ...]] = []
    rolls: list[tuple[float, ...]] = []
    for number, game in enumerate(match["games"]):
        _read_game(name, number, game["actions"], decisions, rolls)
    if not rolls:
        raise MatchDataError(f"{name}: it has no moves")
    if n_rolls is not None and n_rolls != len(rolls):
        raise MatchDataError(
            f"{name}: GNU Backgammon understands {len(rolls)} of {n_rolls} rolls: a move is against the rules, or the "
            "file is damaged"
        )
    games = match["games"]
    found = AnalysedMatch(
        name=name,
        names=(first, second),
        length=int(match["length"]),
        scores=np.array([game["score"] for game in games], np.int64),
        winners=np.array([-1 if game["winner"] is None else game["winner"] for game in games], np.int32),
        points=np.array([game["points"] or 0 for game in games], np.int32),
        decisions=_read_decisions(decisions),
        rolls=_read_rolls(rolls),
        version=version,
        evaluator=evaluator,
    )
    if not found.is_over and not unfinished:
        score = "-".join(map(str, found.final))
        goal = f" of a match to {found.length}" if found.length else ""
        raise MatchDataError(
            f"{name}: the record ends at {score}{goal}, before {'the match' if found.length else 'its last game'} is "
            "over: the file is cut off or was saved early; --unfinished accepts it"
        )
    return found


def no_double_loss(no_double: float, double_take: float) -> float:
    """Equity that not doubling gives away, from the equities without a double and after a double that is taken.

    After a double the opponent chooses what is worse for the doubler: a take, or a pass that is worth 1.

    >>> no_double_loss(0.6, 0.75), no_double_loss(0.9, 1.4), round(no_double_loss(1.2, 0.9), 3)
    (0.15000000000000002, 0.09999999999999998, 0.0)
    """
    return max(min(double_take, 1.0) - no_double, 0.0)


def double_loss(no_double: float, double_take: float) -> float:
    """Equity that doubling gives away.

    >>> double_loss(0.75, 0.5), double_loss(0.5, 0.75)
    (0.25, 0.0)
    """
    return max(no_double - min(double_take, 1.0), 0.0)


def answer_loss(double_take: float, *, took: bool) -> float:
    """Equity that taking or passing gives away: a pass costs 1, a take what the doubler then has.

    >>> answer_loss(1.25, took=True), answer_loss(0.75, took=False), answer_loss(0.75, took=True)
    (0.25, 0.25, 0.0)
    """
    return max(double_take - 1.0 if took else 1.0 - double_take, 0.0)


def _find_analysis(
    record: MatchRecord, evaluator: Evaluator, program: Gnubg, cache: AnalysisCache | None
) -> dict[str, Any]:
    key = json.dumps(
        {"record": hashlib.sha256(record.data).hexdigest(), "format": record.format, "gnubg": program.version}
        | {"script": hashlib.sha256(ANALYSE.encode()).hexdigest()[:16], **vars(evaluator)},
        sort_keys=True,
    )
    known = None if cache is None else cache.find(key)
    if known is not None:
        return known
    task = {"load": _LOADING[record.format], **vars(evaluator)}
    try:
        found, _ = program.run(ANALYSE, task, {f"match.{record.format}": record.data})
    except GnubgFailure as error:
        raise GnubgFailure(f"{record.name}: {error}") from error
    if cache is not None:
        cache.store(key, found)
    return found


def _read_decisions(rows: Sequence[tuple[float, ...]]) -> Decisions:
    loss, unit, *codes = zip(*rows, strict=True) if rows else [()] * 6
    return Decisions(np.array(loss, np.float64), np.array(unit, np.float64), *(np.array(c, np.int32) for c in codes))


def _read_rolls(rows: Sequence[tuple[float, ...]]) -> Rolls:
    luck, unit, *codes = zip(*rows, strict=True)
    return Rolls(np.array(luck, np.float64), np.array(unit, np.float64), *(np.array(c, np.int32) for c in codes))


def _read_game(
    name: str,
    game: int,
    actions: Sequence[Sequence[Any]],
    decisions: list[tuple[float, ...]],
    rolls: list[tuple[float, ...]],
) -> None:
    """Add the decisions (loss, unit, game, player, kind, turn) and rolls (luck, unit, game, player, turn) of a game."""
    offered, turn, last = None, 0, None
    for kind, player, unit, *rest in actions:
        if kind == "set":
            raise MatchDataError(
                f"{name}: game {game + 1} contains a position that was set up by hand, so it is not the play of a match"
            )
        if kind in ("move", "roll") and player == last:
            raise MatchDataError(f"{name}: game {game + 1}, turn {turn}: a move is missing or against the rules")
        if kind == "roll":
            rolls.append((_known(rest[0]), unit, game, player, turn))
        elif kind == "move":
            no_double, double_take, n_moves, best, played, luck = rest
            if no_double is not None and _is_close(no_double, double_take):
                decisions.append((no_double_loss(no_double, double_take), unit, game, player, DOUBLE, turn))
            rolls.append((_known(luck), unit, game, player, turn))
            if n_moves and played is None:
                raise MatchDataError(f"{name}: game {game + 1}, turn {turn + 1}: the move is against the rules")
            if n_moves > 1:
                decisions.append((max(best - played, 0.0), unit, game, player, CHEQUER, turn))
            turn, last = turn + 1, player
        elif kind == "double" and rest[0] is not None:
            offered = rest[1]
            decisions.append((double_loss(*rest), unit, game, player, DOUBLE, turn))
        elif kind in ("take", "drop") and offered is not None:
            decisions.append((answer_loss(offered, took=kind == "take"), unit, game, player, TAKE, turn))
            offered = None
        else:
            offered = None


def _known(luck: float | None) -> float:
    if luck is None:
        raise LudometerError("GNU Backgammon did not analyse the dice")
    return luck


def _is_close(no_double: float, double_take: float) -> bool:
    doubled = min(double_take, 1.0)
    return max(no_double, doubled) - doubled < _CLOSE


def _name_apart(matches: list[AnalysedMatch]) -> list[AnalysedMatch]:
    """Number files that have the same name, from different folders."""
    seen: dict[str, int] = {}
    named = []
    for match in matches:
        seen[match.name] = seen.get(match.name, 0) + 1
        n = seen[match.name]
        named.append(match if n == 1 else replace(match, name=f"{match.name} ({n})"))
    return named


class AnalysisCache:
    """The cache of analyses, a SQLite file; each call opens it anew, so that threads and processes can share it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     cache = AnalysisCache(Path(folder) / "backgammon.sqlite")
    ...     cache.store("key", {"found": 1})
    ...     cache.find("key"), cache.find("other")
    ({'found': 1}, None)
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._open()) as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
                if version not in (0, _FORMAT) or not tables <= {"analyses"}:
                    raise LudometerError(f"{path}: a SQLite file, but not a backgammon cache of this version")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(_TABLE)
                connection.execute(f"PRAGMA user_version = {_FORMAT}")
        except (OSError, sqlite3.Error) as error:
            raise LudometerError(f"{path}: cannot be used as a cache ({error})") from error

    def find(self, key: str) -> dict[str, Any] | None:
        """The analysis with this key, if it is there."""
        with closing(self._open()) as connection:
            row = connection.execute("SELECT analysis FROM analyses WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def store(self, key: str, analysis: dict[str, Any]) -> None:
        """Keep an analysis."""
        with closing(self._open()) as connection:
            connection.execute("INSERT OR REPLACE INTO analyses VALUES (?, ?)", (key, json.dumps(analysis)))

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)


def default_path() -> Path:
    """The cache that is used if none is named."""
    root = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(root) / "ludometer" / "backgammon.sqlite"
