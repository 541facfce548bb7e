"""Where evaluations come from: the cache, comments in PGN, or a table; and moves as they are made."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import Command, note
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.intrinsic import Evaluations, Filters
    from ludometer.intrinsic.cache import Settings
    from ludometer.intrinsic.games import ChessGame
    from ludometer.read.chess_games import GameReading


def source_options(command: Command) -> Command:
    """Where evaluations are, and which of them."""
    options: tuple[Callable[[Any], Any], ...] = (
        click.option("--cache", metavar="FILE", help="The cache that analyse filled.  [default: the user's]"),
        click.option("--comments", is_flag=True, help="Use the [%eval] comments, not the cache."),
        click.option("--engine", metavar="NAME", help="Of several engines in the cache: part of its name."),
        click.option("--depth", type=click.IntRange(1), metavar="N", help="Of several depths in the cache: this one."),
        click.option("--nodes", type=click.IntRange(1), metavar="N", help="Likewise, of several numbers of nodes."),
        click.option("--lines", type=click.IntRange(1), metavar="N", help="Likewise, of several numbers of lines."),
        click.option("--hash", "hash_policy", type=click.Choice(["position", "game"]), help="Likewise, of both."),
        click.option(
            "--mate-value", type=click.FloatRange(0, min_open=True), default=39.0, show_default=True, metavar="PAWNS",
            help="What a mate is worth.",
        ),
        click.option("--drop-bad-rows", is_flag=True, help="Go on without rows of a table that have faults."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True)
class Loaded:
    """Evaluations, the games if they were read from PGN, and why some are left out."""

    title: str
    evaluations: Evaluations
    games: list[ChessGame] | None
    left_out: dict[str, str]


def load_games(files: Sequence[str]) -> GameReading:
    """The games of all files, told about; of several files their names tell the games apart."""
    from ludometer.read.chess_games import GameReading, read_chess_games

    readings = [read_chess_games(file) for file in files]
    for reading in readings:
        note(*reading.describe())
    if len(readings) == 1:
        return readings[0]
    games = [replace(game, name=f"{reading.name}:{game.name}") for reading in readings for game in reading.games]
    return GameReading(", ".join(reading.name for reading in readings), games)


def load_evaluations(options: dict[str, Any]) -> Loaded:
    """By the options and what the files are."""
    from ludometer.read.chess_games import is_pgn

    files, mate_value = options["file"], round(100 * options["mate_value"])
    _check_targets(options)
    if all(is_pgn(file) for file in files):
        return _load_pgn(files, options, mate_value)
    if len(files) > 1:
        raise LudometerError("several files are read if all are PGN; a table of evaluations stands alone")
    from ludometer.intrinsic import Conventions
    from ludometer.read.evaluations import read_evaluations

    conventions = Conventions(options["engine"], options["depth"], options["nodes"], mate_value)
    reading = read_evaluations(files[0], conventions=conventions, drop_bad_rows=options["drop_bad_rows"])
    note(*reading.describe())
    return Loaded(reading.name, reading.evaluations, None, {})


def filters_of(options: dict[str, Any]) -> Filters:
    """Which moves count, by the options; pawns become centipawns."""
    from ludometer.intrinsic import Filters

    window, gap = options["window"], options["gap"]
    return Filters(
        skip_plies=options["skip_plies"],
        window=None if window is None else round(100 * window),
        phase=options["phase"],
        gap=None if gap is None else _gap(gap),
    )


def watch_moves(file: str, *, every: float, once: bool) -> tuple[ChessGame, Iterator[str]]:
    """Who plays, and the moves as they come: from standard input, or from the last game of a PGN file that grows."""
    from ludometer.intrinsic.games import ChessGame

    if file == "-":
        return ChessGame("1", "White", "Black", ()), _spoken_moves()
    game, _ = _last_game(file)
    if game is None:
        raise LudometerError(f"{file}: there is no game yet")
    return game, _growing_moves(file, every, once)


def _spoken_moves() -> Iterator[str]:
    from ludometer.read.chess_games import parse_moves

    for line in sys.stdin:
        if not line.startswith(("[", "%")):
            yield from parse_moves(line)[0]


def _growing_moves(file: str, every: float, once: bool) -> Iterator[str]:
    n_seen = 0
    while True:
        game, is_over = _last_game(file)
        moves = () if game is None else game.moves
        if len(moves) < n_seen:
            raise LudometerError(f"{file}: moves were taken back, or another game has begun")
        yield from moves[n_seen:]
        n_seen = len(moves)
        if is_over or once:
            return
        time.sleep(every)


def _last_game(file: str) -> tuple[ChessGame | None, bool]:
    """The last game of a file as far as it is written, and whether its result stands at its end."""
    from ludometer.intrinsic.games import START, ChessGame
    from ludometer.read.chess_games import parse_moves, split_games

    try:
        with Path(file).open("rb") as stream:
            found = list(split_games(stream))
    except OSError as error:
        raise LudometerError(f"{file}: cannot be read ({error.strerror})") from error
    if not found:
        return None, False
    tags, text = found[-1]
    is_over = text.split()[-1:] in (["1-0"], ["0-1"], ["1/2-1/2"])
    # what is not followed by a space may be half a move
    whole = text if is_over or text[-1:].isspace() or _ends_with_newline(file) else text.rpartition(" ")[0]
    start = tags.get("FEN") or START
    names = (tags.get("White") or "White", tags.get("Black") or "Black")
    return ChessGame("1", *names, parse_moves(whole)[0], start=start), is_over


def _ends_with_newline(file: str) -> bool:
    return Path(file).read_bytes()[-1:] in (b"\n", b" ")


def _load_pgn(files: Sequence[str], options: dict[str, Any], mate_value: int) -> Loaded:
    from ludometer.intrinsic import Conventions, Evaluations

    reading = load_games(files)
    title = reading.name
    chosen = [
        name for name in ("cache", "engine", "depth", "nodes", "lines", "hash_policy") if options[name] is not None
    ]
    evaluated = [game for game in reading.games if game.evaluation]
    if options["comments"] or (evaluated and not chosen):
        if not evaluated:
            raise LudometerError(f"{reading.name}: no game has evaluations in comments ([%eval])")
        left_out = {game.name: "no evaluations in comments" for game in reading.games if not game.evaluation}
        material = _materials(evaluated) if options["phase"] else [None] * len(evaluated)
        games = [
            game.evaluated(game.evaluation, material=pieces) for game, pieces in zip(evaluated, material, strict=True)
        ]
        evaluations = Evaluations.of_games(games, conventions=Conventions(mate_value=mate_value))
        note(f"by the comments: {evaluations.describe()}", *_left_out(left_out))
        return Loaded(title, evaluations, reading.games, left_out)
    from ludometer.intrinsic.analysis import recall_evaluations
    from ludometer.intrinsic.cache import default_path

    cache = Path(options["cache"] or default_path())
    settings = _choose_settings(cache, options)
    evaluations, left_out = recall_evaluations(reading.games, settings, cache=cache, mate_value=mate_value)
    if not len(evaluations):
        raise LudometerError(
            f"{cache}: no game is evaluated by {settings.describe()}; ludometer chess analyse does that"
        )
    note(f"by {settings.describe()}: {evaluations.describe()}", *_left_out(left_out))
    return Loaded(title, evaluations, reading.games, left_out)


def _gap(text: str) -> tuple[float, float]:
    found = re.fullmatch(r"(\d+(?:\.\d*)?):(\d+(?:\.\d*)?)", text.strip())
    if not found:
        raise LudometerError(f"--gap: {text!r} is not such as 0.2:1 (pawns)")
    return 100 * float(found[1]), 100 * float(found[2])


def _materials(games: Sequence[ChessGame]) -> list[Sequence[int] | None]:
    from ludometer.intrinsic.moves import replay

    return [replay(game.moves, start=game.start).material for game in games]


def _choose_settings(path: Path, options: dict[str, Any]) -> Settings:
    """The one choice of engine and limits that the options leave."""
    from ludometer.intrinsic.cache import Cache

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


def _left_out(left_out: dict[str, str]) -> list[str]:
    if not left_out:
        return []
    name, reason = next(iter(left_out.items()))
    return [f"games left out: {len(left_out):,}, such as game {name}: {reason}"]


def _check_targets(options: dict[str, Any]) -> None:
    for name in ("json_file", "html", "annotated", "out"):
        target = options.get(name)
        if (
            target
            and str(target) != "-"
            and Path(target).resolve() in [Path(file).resolve() for file in options["file"]]
        ):
            raise LudometerError(f"{target} is the file that is read: write to another one")
