"""Where evaluations come from: the cache that an analysis filled, comments in PGN, or a table."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ludometer.chess.record.evaluations import MATE, Conventions, Evaluations
from ludometer.chess.record.pgn import ChessGame, GameReading, is_pgn, read_chess_games
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.chess.engine.cache import Settings

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SourceChoice:
    """Which evaluations to take, where a source has several, and what to do with them.

    Without `cache`, `engine`, `depth`, `nodes`, `lines` and `hash_policy`, comments in PGN take precedence over the
    cache. For a table, `engine`, `depth` and `nodes` say who made it.
    """

    cache: Path | None = None
    comments: bool = False
    engine: str | None = None
    depth: int | None = None
    nodes: int | None = None
    lines: int | None = None
    hash_policy: str | None = None
    mate_value: int = MATE
    drop_bad_rows: bool = False
    with_material: bool = False
    """Count the material of games with comments, which takes the rules of chess."""
    events: Sequence[str] = ()
    """Only these; all if there are none."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Players to rename."""

    @property
    def names_search(self) -> bool:
        """Whether it says which search of an engine to take."""
        chosen = (self.cache, self.engine, self.depth, self.nodes, self.lines, self.hash_policy)
        return any(value is not None for value in chosen)


@dataclass(frozen=True)
class LoadedEvaluations:
    """Evaluations, the games if they were read from PGN, and why some are left out."""

    title: str
    evaluations: Evaluations
    games: list[ChessGame] | None
    left_out: dict[str, str]


def load_games(files: Sequence[str]) -> GameReading:
    """The games of all files; where there are several files, the names of games begin with those of their files."""
    readings = [read_chess_games(file) for file in files]
    for reading in readings:
        _log_lines(*reading.describe())
    whole = readings[0]
    if len(readings) > 1:
        names = _number_alike([reading.name for reading in readings])
        games = [
            replace(game, name=f"{name}:{game.name}")
            for name, reading in zip(names, readings, strict=True)
            for game in reading.games
        ]
        whole = GameReading(f"{names[0]} and {len(names) - 1} more", games)
    if not whole.games:
        raise LudometerError(f"{whole.name}: no game can be used; see above which were left out")
    return whole


def load_evaluations(files: Sequence[str], choice: SourceChoice | None = None) -> LoadedEvaluations:
    """Evaluations from PGN files or one table, with the chosen events and names."""
    choice = choice or SourceChoice()
    if all(is_pgn(file) for file in files):
        loaded = _load_pgn(files, choice)
    elif len(files) > 1:
        raise LudometerError("several files must all be PGN; a table of evaluations is read alone")
    else:
        loaded = _load_table(files[0], choice)
    evaluations = loaded.evaluations.renamed(choice.names)
    return replace(loaded, evaluations=evaluations.of_events(choice.events) if choice.events else evaluations)


def _load_table(file: str, choice: SourceChoice) -> LoadedEvaluations:
    from ludometer.chess.record.tables import read_evaluations

    conventions = Conventions(choice.engine, choice.depth, choice.nodes, choice.mate_value)
    reading = read_evaluations(file, conventions=conventions, drop_bad_rows=choice.drop_bad_rows)
    _log_lines(*reading.describe())
    if conventions != Conventions(mate_value=choice.mate_value):
        _log_lines(f"taken as evaluations by {conventions.describe()}, as the options say")
    return LoadedEvaluations(reading.name, reading.evaluations, None, {})


def _load_pgn(files: Sequence[str], choice: SourceChoice) -> LoadedEvaluations:
    reading = load_games(files)
    evaluated = [game for game in reading.games if game.evaluation]
    if choice.comments or (evaluated and not choice.names_search):
        return _load_comments(reading, evaluated, choice)
    from ludometer.chess.engine.analysis import recall_evaluations
    from ludometer.chess.engine.cache import default_path

    cache = choice.cache or default_path()
    settings = _choose_settings(cache, choice)
    evaluations, left_out = recall_evaluations(reading.games, settings, cache=cache, mate_value=choice.mate_value)
    if not len(evaluations):
        name, reason = next(iter(left_out.items()))
        raise LudometerError(
            f"{cache}: no game is evaluated by {settings.describe()} (game {name}: {reason}); "
            "evaluate them with ludometer chess analyse"
        )
    _log_lines(f"by {settings.describe()}: {evaluations.describe()}", *_describe_left_out(left_out))
    return LoadedEvaluations(reading.name, evaluations, reading.games, left_out)


def _load_comments(reading: GameReading, evaluated: Sequence[ChessGame], choice: SourceChoice) -> LoadedEvaluations:
    if not evaluated:
        raise LudometerError(f"{reading.name}: no game has evaluations in comments ([%eval])")
    left_out = {game.name: "no evaluations in comments" for game in reading.games if not game.evaluation}
    games = [
        game.evaluated(game.evaluation, material=_count_material(game) if choice.with_material else None)
        for game in evaluated
    ]
    evaluations = Evaluations.of_games(games, conventions=Conventions(mate_value=choice.mate_value))
    _log_lines(f"by the comments: {evaluations.describe()}", *_describe_left_out(left_out))
    return LoadedEvaluations(reading.name, evaluations, reading.games, left_out)


def _count_material(game: ChessGame) -> Sequence[int]:
    from ludometer.chess.record.rules import replay

    return replay(game.moves, start=game.start).material


def _choose_settings(path: Path, choice: SourceChoice) -> Settings:
    """The one search in the cache that the choice leaves."""
    from ludometer.chess.engine.cache import Cache

    with Cache(path, create=False) as cache:
        known = cache.settings()
    named = {"depth": choice.depth, "nodes": choice.nodes, "multipv": choice.lines, "hash_policy": choice.hash_policy}
    found = [
        entry
        for entry in known
        if all(value is None or getattr(entry, name) == value for name, value in named.items())
        and (choice.engine or "").casefold() in entry.engine.casefold()
    ]
    if len(found) == 1:
        return found[0]
    listed = "\n".join(f"  {entry.describe()}" for entry in (found or known)) or "  nothing"
    reason = "has several; choose by --engine, --depth, --lines or --hash" if found else "has nothing that fits"
    raise LudometerError(f"{path}: the cache {reason}. It holds:\n{listed}")


def _number_alike(names: Sequence[str]) -> list[str]:
    """Names of files, numbered where two are alike: files of two folders may have one name."""
    return [
        name if names.count(name) == 1 else f"{name} ({names[: place + 1].count(name)})"
        for place, name in enumerate(names)
    ]


def _describe_left_out(left_out: dict[str, str]) -> list[str]:
    if not left_out:
        return []
    name, reason = next(iter(left_out.items()))
    return [f"games left out: {len(left_out):,}, such as game {name}: {reason}"]


def _log_lines(*lines: str) -> None:
    for line in lines:
        _log.info("%s", line)
