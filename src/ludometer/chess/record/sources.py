"""Where evaluations come from: the cache, comments in PGN, or a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludometer.chess.commands.options import check_targets, filters_of, names_of
from ludometer.cli.options import note, refuse_options
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.chess import Calibration
    from ludometer.chess.engine.cache import Settings
    from ludometer.chess.record.pgn import ChessGame, GameReading
    from ludometer.moves import Evaluations, Reference

_OF_GAMES = ("cache", "comments", "lines", "hash_policy")


@dataclass(frozen=True)
class Loaded:
    """Evaluations, the games if they were read from PGN, and why some are left out."""

    title: str
    evaluations: Evaluations
    games: list[ChessGame] | None
    left_out: dict[str, str]


def load_games(files: Sequence[str]) -> GameReading:
    """The games of all files, told about; of several files their names tell the games apart."""
    from ludometer.chess.record.pgn import GameReading, read_chess_games

    readings = [read_chess_games(file) for file in files]
    for reading in readings:
        note(*reading.describe())
    if len(readings) == 1:
        whole = readings[0]
    else:
        names = _told_apart([reading.name for reading in readings])
        games = [
            replace(game, name=f"{name}:{game.name}")
            for name, reading in zip(names, readings, strict=True)
            for game in reading.games
        ]
        whole = GameReading(f"{names[0]} and {len(names) - 1} more", games)
    if not whole.games:
        raise LudometerError(f"{whole.name}: no game can be used; those left out stand above")
    return whole


def load_evaluations(options: dict[str, Any]) -> Loaded:
    """By the options and what the files are."""
    check_targets(options)
    names = names_of(options)
    loaded = _load(options["file"], options)
    if loaded.games is None and options["reference"] in ("engine", "pooled"):
        refuse_options("a table of evaluations needs no cache and no comments", refused=_OF_GAMES)
    evaluations = loaded.evaluations.renamed(names)
    _check_events(loaded, options)
    if options["events"]:
        evaluations = evaluations.of_events(options["events"])
    return replace(loaded, evaluations=evaluations)


def reference_of(options: dict[str, Any], evaluations: Evaluations, calibration: Calibration | None) -> Reference:
    """What players are held against; with a calibration by pooled gains these are the ones that were pooled then."""
    from ludometer.moves import ENGINE, measure_gains, pool_gains

    chosen = options["reference"]
    if chosen == "engine":
        return ENGINE
    if calibration is not None and chosen == calibration.reference.name:
        return calibration.reference
    if chosen == "pooled":
        return pool_gains(measure_gains(evaluations, filters=filters_of(options)))
    played = _load([chosen], options).evaluations
    return replace(pool_gains(measure_gains(played, filters=filters_of(options))), name=Path(chosen).name)


def _check_events(loaded: Loaded, options: dict[str, Any]) -> None:
    """Events can be chosen only where some are named."""
    if any(loaded.evaluations.events):
        return
    where = "column event" if loaded.games is None else "tag Event"
    for name, option in (("events", "--event"), ("anchor", "--anchor"), ("compared", "--compare")):
        if given := options.get(name):
            shown = given if isinstance(given, str) else " ".join(given)
            raise LudometerError(f"{option} {shown}: {loaded.title} names no events ({where})")


def _load(files: Sequence[str], options: dict[str, Any]) -> Loaded:
    from ludometer.chess.record.pgn import is_pgn

    mate_value = round(100 * options["mate_value"])
    if all(is_pgn(file) for file in files):
        return _load_pgn(files, options, mate_value)
    if len(files) > 1:
        raise LudometerError("several files are read if all are PGN; a table of evaluations stands alone")
    if options.get("annotated"):
        raise LudometerError("--annotated needs games in PGN: a table of evaluations has no moves")
    from ludometer.chess.record.tables import read_evaluations
    from ludometer.moves import Conventions

    conventions = Conventions(options["engine"], options["depth"], options["nodes"], mate_value)
    reading = read_evaluations(files[0], conventions=conventions, drop_bad_rows=options["drop_bad_rows"])
    note(*reading.describe())
    if any(options[name] is not None for name in ("engine", "depth", "nodes")):
        note(f"taken for evaluations by {conventions.describe()}, as the options say")
    return Loaded(reading.name, reading.evaluations, None, {})


def _load_pgn(files: Sequence[str], options: dict[str, Any], mate_value: int) -> Loaded:
    reading = load_games(files)
    chosen = ("cache", "engine", "depth", "nodes", "lines", "hash_policy")
    evaluated = [game for game in reading.games if game.evaluation]
    if options["comments"] or (evaluated and all(options[name] is None for name in chosen)):
        return _load_comments(reading, evaluated, mate_value, with_material=bool(options["phase"]))
    from ludometer.chess.engine.analysis import recall_evaluations
    from ludometer.chess.engine.cache import default_path

    cache = Path(options["cache"] or default_path())
    settings = _choose_settings(cache, options)
    evaluations, left_out = recall_evaluations(reading.games, settings, cache=cache, mate_value=mate_value)
    if not len(evaluations):
        name, reason = next(iter(left_out.items()))
        raise LudometerError(
            f"{cache}: no game is evaluated by {settings.describe()} (game {name}: {reason}); "
            "ludometer chess analyse evaluates games"
        )
    note(f"by {settings.describe()}: {evaluations.describe()}", *_left_out(left_out))
    return Loaded(reading.name, evaluations, reading.games, left_out)


def _load_comments(
    reading: GameReading, evaluated: Sequence[ChessGame], mate_value: int, *, with_material: bool
) -> Loaded:
    from ludometer.moves import Conventions, Evaluations

    if not evaluated:
        raise LudometerError(f"{reading.name}: no game has evaluations in comments ([%eval])")
    left_out = {game.name: "no evaluations in comments" for game in reading.games if not game.evaluation}
    material = _materials(evaluated) if with_material else [None] * len(evaluated)
    games = [game.evaluated(game.evaluation, material=pieces) for game, pieces in zip(evaluated, material, strict=True)]
    evaluations = Evaluations.of_games(games, conventions=Conventions(mate_value=mate_value))
    note(f"by the comments: {evaluations.describe()}", *_left_out(left_out))
    return Loaded(reading.name, evaluations, reading.games, left_out)


def _materials(games: Sequence[ChessGame]) -> list[Sequence[int] | None]:
    from ludometer.chess.record.rules import replay

    return [replay(game.moves, start=game.start).material for game in games]


def _choose_settings(path: Path, options: dict[str, Any]) -> Settings:
    """The one choice of engine and limits that the options leave."""
    from ludometer.chess.engine.cache import Cache

    with Cache(path, create=False) as cache:
        known = cache.settings()
    named = {"depth": options["depth"], "nodes": options["nodes"], "multipv": options["lines"]}
    named["hash_policy"] = options["hash_policy"]
    found = [
        entry
        for entry in known
        if all(value is None or getattr(entry, name) == value for name, value in named.items())
        and (options["engine"] or "").casefold() in entry.engine.casefold()
    ]
    if len(found) == 1:
        return found[0]
    listed = "\n".join(f"  {entry.describe()}" for entry in (found or known)) or "  nothing"
    reason = "has several; choose by --engine, --depth, --lines or --hash" if found else "has nothing that fits"
    raise LudometerError(f"{path}: the cache {reason}. There is:\n{listed}")


def _told_apart(names: Sequence[str]) -> list[str]:
    """Names of files, numbered where two are alike: files of two folders may have one name."""
    return [
        name if names.count(name) == 1 else f"{name} ({names[: place + 1].count(name)})"
        for place, name in enumerate(names)
    ]


def _left_out(left_out: dict[str, str]) -> list[str]:
    if not left_out:
        return []
    name, reason = next(iter(left_out.items()))
    return [f"games left out: {len(left_out):,}, such as game {name}: {reason}"]
