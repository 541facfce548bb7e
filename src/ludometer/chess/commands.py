"""ludometer chess: strength from the moves, by a chess engine."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.declared import (
    InOrder,
    Number,
    OutFile,
    argument,
    group,
    option,
    refuse_options,
    takes,
)
from ludometer.cli.screen import counting, listen, note
from ludometer.cli.shared import JsonOption, OutputOptions, check_targets
from ludometer.errors import LudometerError
from ludometer.moves.options import IntervalOptions, choice, count, replicates_option, seconds
from ludometer.programs import Extra, Program

if TYPE_CHECKING:
    from ludometer.chess.engine.uci import HashPolicy, Search
    from ludometer.chess.record.evaluations import Evaluations
    from ludometer.chess.record.pgn import ChessGame
    from ludometer.chess.record.sources import SourceChoice
    from ludometer.chess.strength.calibration import Calibration, Units
    from ludometer.chess.strength.gains import Filters, Phase
    from ludometer.chess.strength.strengths import Method
    from ludometer.moves.gains import Reference
    from ludometer.moves.pairs import Distribution

PROGRAMS = (Program("stockfish", "chess analyse, follow and play"),)
EXTRAS = (
    Extra("chess", "chess analyse, follow, play and games from other starts", ("chess",), "pip install '.[chess]'"),
)

HASHES = ("position", "game")
_OF_GAMES = ("cache", "comments", "lines", "hash_policy")
_OWN_CACHE = "File that keeps the evaluations.  [default: in the user's cache folder]"


@click.group("chess", short_help="Measure strength from the moves, by a chess engine.", cls=InOrder)
def command() -> None:
    """Measure strength from the moves: how each move changed an engine's evaluation of the game.

    analyse evaluates games with an engine, strength reports on the players, calibrate ties the scale to real ratings,
    follow watches a game while it is played, play lets the engine play itself.

    \b
    ludometer chess analyse games.pgn
    """


@dataclass(frozen=True)
class SearchOptions:
    """How an engine searches."""

    engine: str = option("--engine", default="stockfish", metavar="ENGINE", help="Name or path of a UCI engine.")
    depth: int | None = option(
        "--depth",
        type=click.IntRange(1),
        show_default="12",
        metavar="N",
        help="Search to this depth.",
    )
    nodes: int | None = count("--nodes", "Search this many nodes instead of to a depth.")
    lines: int = count(
        "--lines", "Number of best moves to evaluate; 2 shows how hard a position is, at 2.6 times the cost.", 1
    )
    hash_policy: HashPolicy = choice(
        "--hash", HASHES, "Clear the engine's memory before each position, or carry it through the game.", "position"
    )
    hash_mb: int = count("--hash-mb", "Memory of the engine in MB.", 16)
    engine_options: tuple[str, ...] = option(
        "--option", multiple=True, metavar="NAME=VALUE", help="Set an option of the engine; may be repeated."
    )
    timeout: float = seconds("--timeout", "Time for one position, after which the engine counts as hanging.", 120)

    @property
    def search(self) -> Search:
        """How the engine searches."""
        from ludometer.chess.engine.uci import Search

        if self.depth is not None and self.nodes is not None:
            raise LudometerError("--depth and --nodes: give only one of them")
        depth = 12 if self.depth is None and self.nodes is None else self.depth
        form = 'NAME=VALUE, such as "Skill Level=10"'
        options = tuple(_split(text, "--option", form, may_be_empty=True) for text in self.engine_options)
        return Search(depth, self.nodes, self.lines, self.hash_mb, self.hash_policy, options, self.timeout)


@dataclass(frozen=True)
class SourceOptions:
    """Where evaluations come from, and which of them count."""

    cache: Path | None = option(
        "--cache", type=Path, metavar="FILE", help="Cache that analyse filled.  [default: the user's]"
    )
    comments: bool = option("--comments", is_flag=True, help="Use the [%eval] comments, not the cache.")
    engine: str | None = option(
        "--engine", metavar="ENGINE", help="Part of the engine's name, if the cache has several engines."
    )
    depth: int | None = count("--depth", "Depth to use, if the cache has several.")
    nodes: int | None = count("--nodes", "Number of nodes to use, if the cache has several.")
    lines: int | None = count("--lines", "Number of lines to use, if the cache has several.")
    hash_policy: str | None = choice("--hash", HASHES, "Kind of hash to use, if the cache has both.")
    mate_value: float = option("--mate-value", type=Number(0.01), default=39, metavar="PAWNS", help="Value of a mate.")
    drop_bad_rows: bool = option("--drop-bad-rows", is_flag=True, help="Leave out rows of a table that have faults.")
    events: tuple[str, ...] = option(
        "--event", multiple=True, metavar="EVENT", help="Use only this event; may be repeated."
    )
    names: tuple[str, ...] = option(
        "--rename",
        multiple=True,
        metavar="NAME=NAME",
        help='Rename a player, such as "Kramnik,V=Kramnik, Vladimir".',
    )

    def to_choice(self, *, with_material: bool) -> SourceChoice:
        """Which evaluations to take."""
        from ludometer.chess.record.sources import SourceChoice

        form = 'NAME=NAME, such as "Kramnik,V=Kramnik, Vladimir"'
        names = dict(_split(text, "--rename", form) for text in self.names)
        read = {"mate_value": round(100 * self.mate_value), "names": names, "with_material": with_material}
        return SourceChoice(**vars(self) | read)


@dataclass(frozen=True)
class MeasureOptions(IntervalOptions):
    """Which moves count, and how intervals are made."""

    skip_plies: int = count("--skip-plies", "Leave out the first N plies (moves of either side).", 0, least=0)
    window: float | None = option(
        "--window", type=Number(0.01), metavar="PAWNS", help="Use only moves from positions within PAWNS of equality."
    )
    phase: Phase | None = choice("--phase", ["opening", "middlegame", "endgame"], "Use only moves of this phase.")
    gap: str | None = option(
        "--gap",
        metavar="A:B",
        help="Use only positions where the best move is A to B pawns better than the second (--lines 2).",
    )
    reference: str = option(
        "--reference", default="engine", metavar="engine|pooled|FILE",
        help="Compare with gains of 0, the gains of all players, or those in a FILE of an engine's own games.",
    )  # fmt: skip
    ratings: tuple[str, ...] = option(
        "--rating", multiple=True, metavar="PLAYER=ELO", help="Known rating; takes precedence over the file's."
    )

    @property
    def filters(self) -> Filters:
        """Which moves count; pawns become centipawns."""
        from ludometer.chess.strength.gains import Filters

        window = None if self.window is None else round(100 * self.window)
        return Filters(self.skip_plies, window, self.phase, None if self.gap is None else _parse_gap(self.gap))

    @property
    def known_ratings(self) -> dict[str, float]:
        """Ratings by name."""
        found = {}
        form = "PLAYER=ELO, such as Ann=2400"
        for text in self.ratings:
            name, value = _split(text, "--rating", form, at_last=True)
            try:
                found[name] = float(value)
            except ValueError:
                found[name] = math.nan
            if not math.isfinite(found[name]):
                raise LudometerError(f"--rating {text}: write {form}")
        return found

    def find_reference(
        self, evaluations: Evaluations, choice: SourceChoice, calibration: Calibration | None = None
    ) -> Reference:
        """What players are compared with; a calibration brings its own pooled gains along."""
        from ludometer.chess.record.sources import load_evaluations
        from ludometer.chess.strength.gains import measure_gains
        from ludometer.moves.gains import ENGINE, pool_gains

        if self.reference == "engine":
            return ENGINE
        if calibration is not None and self.reference == calibration.reference.name:
            return calibration.reference
        if self.reference == "pooled":
            return pool_gains(measure_gains(evaluations, filters=self.filters))
        played = load_evaluations([self.reference], replace(choice, events=(), names={})).evaluations
        return replace(pool_gains(measure_gains(played, filters=self.filters)), name=Path(self.reference).name)


def engine_strength_option() -> Any:
    """A strength that is known from elsewhere."""
    return option("--engine-strength", type=Number(), metavar="ELO", help="Known strength of the engine.")


@dataclass(frozen=True)
class AnalyseOptions:
    """Options of `chess analyse`."""

    file: tuple[str, ...] = argument(nargs=-1)
    search: SearchOptions = group(SearchOptions)
    jobs: int = count("--jobs", "Number of engines.", 1)
    cluster: str | None = option(
        "--cluster", metavar="ADDRESS", help="Work on this Dask cluster instead, such as tcp://host:8786."
    )
    cache: Path | None = option("--cache", type=Path, metavar="FILE", help=_OWN_CACHE)
    out: JsonOption = group(JsonOption)


@command.command("analyse", short_help="Evaluate games with an engine.")
@takes(AnalyseOptions)
def analyse(options: AnalyseOptions) -> None:
    """Evaluate all positions of the games in FILE (PGN, plain or packed) with an engine, and keep the evaluations.

    You can stop and restart it at any time: no position is evaluated twice.

    \b
    ludometer chess analyse games.pgn --depth 12 --jobs 2
    ludometer chess analyse games.pgn.zst --engine /opt/engine --nodes 100000 --cache games.sqlite
    """
    listen()
    from ludometer.chess.engine.analysis import analyse_games
    from ludometer.chess.engine.cache import default_path
    from ludometer.chess.record.sources import load_games
    from ludometer.parallel import Workers
    from ludometer.report.presenter import present

    check_targets(options.file, options.out.json_file)
    search = options.search.search
    games = load_games(options.file).games
    try:
        with counting("evaluate", "positions", sum(game.n_positions for game in games)) as on_positions:
            analysis = analyse_games(
                games,
                engine=options.search.engine,
                search=search,
                cache=options.cache or default_path(),
                workers=Workers(options.jobs, options.cluster),
                on_positions=on_positions,
            )
    except KeyboardInterrupt:
        note("interrupted; the evaluations so far are kept: repeat the command to continue")
        sys.exit(1)
    present(analysis, options.out.output)
    if analysis.failed:
        note(*(f"game {name}: {reason}" for name, reason in analysis.failed.items()))
        sys.exit(1)


@dataclass(frozen=True)
class StrengthOptions:
    """Options of `chess strength`."""

    file: tuple[str, ...] = argument(nargs=-1)
    source: SourceOptions = group(SourceOptions)
    measure: MeasureOptions = group(MeasureOptions)
    method: Method = choice(
        "--method", ["exact", "printed", "engine"],
        "Solve least squares over pairs, repeat the paper's integer iteration, or go through the engine.", "exact",
    )  # fmt: skip
    distribution: Distribution = choice(
        "--distribution", ["player", "pair"],
        "Compare a pair by all moves of both players, or by those of their games against each other.", "player",
    )  # fmt: skip
    engine_strength: float | None = engine_strength_option()
    replicates: int = replicates_option()
    calibration: Path | None = option(
        "--calibration", type=Path, metavar="FILE", help="Add real Elo points, from a file written by chess calibrate."
    )
    anchor: str | None = option(
        "--anchor", metavar="EVENT", help="Find the engine's strength from the ratings of this event only."
    )
    compared: tuple[str, str] | None = option(
        "--compare", nargs=2, metavar="EVENT EVENT", help="Compare the players of two events with each other."
    )
    choices: bool = option(
        "--choices", is_flag=True, help="Show how strengths depend on filters and on the value of mate."
    )
    measures: bool = option(
        "--measures", is_flag=True, help="Add Guid and Bratko's mean loss and best moves, and Regan's s and c."
    )
    annotated: Path | None = option(
        "--annotated", type=OutFile(), metavar="FILE", help="Write the games as PGN with [%eval] comments."
    )
    out: OutputOptions = group(OutputOptions)


@command.command("strength", short_help="Measure the strength of players by their moves.")
@takes(StrengthOptions)
def strength(options: StrengthOptions) -> None:
    """Measure the strength of the players in FILE by their moves, with intervals.

    FILE is PGN whose evaluations are in the cache (from analyse) or in [%eval] comments, or a table of evaluations with
    columns game, ply, player, evaluation (pawns, White's view; ply 0 is the start position). Several events are also
    put on one scale, by the engine's strength.

    \b
    ludometer chess strength games.pgn
    ludometer chess strength games.pgn --skip-plies 24 --window 2 --html report.html
    ludometer chess strength evaluations.csv --method engine --engine-strength 2860
    ludometer chess strength london.pgn moscow.pgn --compare "London Classic" "Tal Memorial"
    ludometer chess strength games.pgn --choices --measures --json -
    """
    listen()
    from ludometer.chess.record.sources import load_evaluations
    from ludometer.chess.report import strength_page, strength_text
    from ludometer.chess.strength.calibration import load_calibration
    from ludometer.chess.strength.study import study_strengths
    from ludometer.report.presenter import present

    check_targets(options.file, options.out.json_file, options.out.html, options.annotated)
    calibration = None if options.calibration is None else load_calibration(options.calibration)
    measure = options.measure
    choice = options.source.to_choice(with_material=measure.phase is not None)
    ratings, filters = measure.known_ratings, measure.filters
    loaded = load_evaluations(options.file, choice)
    _refuse_for_tables(loaded.games, options)
    study = study_strengths(
        loaded.evaluations,
        ratings=ratings,
        filters=filters,
        distribution=options.distribution,
        method=options.method,
        reference=measure.find_reference(loaded.evaluations, choice, calibration),
        engine=options.engine_strength,
        intervals=replace(measure.intervals, replicates=options.replicates),
        anchor=options.anchor,
        compared=options.compared or None,
        # the page shows everything
        choices=options.choices or options.out.html is not None,
        measures=options.measures or options.out.html is not None,
        calibration=calibration,
        left_out=loaded.left_out,
    )
    if calibration is not None and calibration.slope[1] <= 0:
        note("the slope of the calibration may be 0: its Elo points say little, and their intervals are not bounded")
    output = options.out.output
    present(
        study,
        output,
        text=lambda: strength_text(study, choices=options.choices, measures=options.measures),
        page=lambda: strength_page(study, loaded.title, command=output.command),
    )
    if options.annotated:
        _write_annotated(loaded.games or [], loaded.evaluations, options.annotated)
    if options.out.html:
        note(f"wrote {options.out.html}")


def _refuse_for_tables(games: list[ChessGame] | None, options: StrengthOptions) -> None:
    """Refuse options that only PGN can use."""
    if games is not None:
        return
    if options.annotated:
        raise LudometerError("--annotated needs games in PGN: a table of evaluations has no moves")
    if options.measure.reference in ("engine", "pooled"):
        refuse_options("a table of evaluations needs no cache and no comments", refused=_OF_GAMES)


def _write_annotated(games: list[ChessGame], evaluations: Evaluations, path: Path) -> None:
    from ludometer.chess.record.pgn import annotate
    from ludometer.writing import replacing

    with replacing(path) as draft:
        draft.write_text(annotate(games, evaluations), encoding="utf-8")
    note(f"wrote {path}")


@dataclass(frozen=True)
class CalibrateOptions:
    """Options of `chess calibrate`."""

    file: tuple[str, ...] = argument(nargs=-1)
    source: SourceOptions = group(SourceOptions)
    measure: MeasureOptions = group(MeasureOptions)
    units: Units = choice(
        "--units", ["player", "band"], "Fit players with enough games, or bands of neighbouring ratings.", "player"
    )
    bands: int = count("--bands", "Number of bands.", 10, least=2)
    calibration: Path = option(
        "--out", required=True, type=OutFile(), metavar="FILE", help="Write the calibration here."
    )
    out: JsonOption = group(JsonOption)


@command.command("calibrate", short_help="Tie these strengths to real ratings.")
@takes(CalibrateOptions)
def calibrate(options: CalibrateOptions) -> None:
    """Fit differences by moves to real Elo points of rated games, and write a file for strength --calibration.

    It is valid for one engine, depth and choice of moves.

    \b
    ludometer chess calibrate rated.pgn --units band --out calibration.json
    """
    listen()
    from ludometer.chess.record.sources import load_evaluations
    from ludometer.chess.strength import calibration
    from ludometer.report.files import check_suffix
    from ludometer.report.presenter import present
    from ludometer.writing import replacing

    check_targets(options.file, options.out.json_file, options.calibration)
    check_suffix(options.calibration, (".json",))
    measure = options.measure
    choice = options.source.to_choice(with_material=measure.phase is not None)
    ratings, filters = measure.known_ratings, measure.filters
    loaded = load_evaluations(options.file, choice)
    if loaded.games is None and measure.reference in ("engine", "pooled"):
        refuse_options("a table of evaluations needs no cache and no comments", refused=_OF_GAMES)
    found = calibration.calibrate(
        loaded.evaluations,
        ratings=ratings,
        units=options.units,
        bands=options.bands,
        filters=filters,
        reference=measure.find_reference(loaded.evaluations, choice),
        intervals=measure.intervals,
    )
    with replacing(options.calibration) as draft:
        found.save(draft)
    note(f"wrote {options.calibration}")
    present(found, options.out.output)


@dataclass(frozen=True)
class FollowOptions:
    """Options of `chess follow`."""

    file: str = argument(required=False, default="-")
    search: SearchOptions = group(SearchOptions)
    white: str | None = option("--white", metavar="NAME", help="White's name.  [default: from the PGN]")
    black: str | None = option("--black", metavar="NAME", help="Black's name.  [default: from the PGN]")
    engine_strength: float | None = engine_strength_option()
    every: float = option(
        "--every",
        type=Number(0.05),
        default=1,
        metavar="SECONDS",
        help="Time between looks at the file.",
    )
    once: bool = option("--once", is_flag=True, help="Stop at the end of the file, even if the game is not over.")
    as_json: bool = option("--json", is_flag=True, help="Print one JSON object per move instead.")


@command.command("follow", short_help="Follow a game while it is played.")
@takes(FollowOptions)
def follow(options: FollowOptions) -> None:
    """Follow a game while it is played: moves on standard input, or the last game of a growing PGN file.

    Each move is followed by its evaluation (pawns, White's view), its gain, and the player's difference to the engine
    by all moves so far; with --engine-strength also the player's strength. It ends with the input, with a result in
    the PGN, or with Ctrl-C.

    \b
    echo "e4 e5 Nf3 Nc6" | ludometer chess follow
    ludometer chess follow live.pgn --depth 16
    """
    listen()
    import json

    from ludometer.chess.engine.live import Follower, watch_moves
    from ludometer.chess.engine.uci import Engine, find_engine

    search, program = options.search.search, find_engine(options.search.engine)
    head, moves = watch_moves(options.file, every=options.every, once=options.once)
    n_moves = 0
    with Engine(program, search) as engine:
        note(engine.settings.describe())
        follower = Follower(
            engine,
            white=options.white or head.white,
            black=options.black or head.black,
            start=head.start,
            strength=options.engine_strength,
        )
        try:
            for move in moves:
                found = follower.push(move)
                n_moves += 1
                click.echo(json.dumps(found.document()) if options.as_json else found.describe())
        except KeyboardInterrupt:
            # a game that is watched has no other end
            note(f"stopped after {n_moves} moves")
            return
    if not n_moves:
        note("there were no moves")


@dataclass(frozen=True)
class PlayOptions:
    """Options of `chess play`."""

    file: tuple[str, ...] = argument(nargs=-1)
    search: SearchOptions = group(SearchOptions)
    n_games: int | None = option(
        "--games",
        type=click.IntRange(1),
        show_default="all",
        metavar="N",
        help="Most games to play.",
    )
    opening_plies: int = count("--opening-plies", "Plies to take from each game of FILE.", 16, least=0)
    max_plies: int = count("--max-plies", "Break off a game after this many plies.", 300)
    cache: Path | None = option("--cache", type=Path, metavar="FILE", help=_OWN_CACHE)
    games: Path = option(
        "--out", required=True, type=OutFile(), metavar="FILE", help="Write the games here, with [%eval] comments."
    )


@command.command("play", short_help="Let an engine play itself.")
@takes(PlayOptions)
def play(options: PlayOptions) -> None:
    """Let an engine play itself, from the openings of the games in FILE, to see the gains of its own moves.

    The games can serve as the reference that players are compared with, in place of gains of 0.

    \b
    ludometer chess play games.pgn --depth 10 --games 20 --out own.pgn
    ludometer chess strength games.pgn --depth 10 --reference own.pgn
    """
    listen()
    from ludometer.chess.engine.analysis import recall_evaluations
    from ludometer.chess.engine.cache import default_path
    from ludometer.chess.engine.play import play_itself
    from ludometer.chess.record.sources import load_games
    from ludometer.chess.strength.gains import measure_gains
    from ludometer.report.presenter import Output, present

    check_targets(options.file, options.games)
    search, cache = options.search.search, options.cache or default_path()
    openings = load_games(options.file).games
    with counting("play", "positions") as on_positions:
        games, settings = play_itself(
            openings[: options.n_games],
            engine=options.search.engine,
            search=search,
            cache=cache,
            n_plies=options.opening_plies,
            max_plies=options.max_plies,
            on_positions=on_positions,
        )
    evaluations, _ = recall_evaluations(games, settings, cache=cache)
    _write_annotated(games, evaluations, options.games)
    click.echo(f"{evaluations.describe()}, by {settings.describe()}")
    present(measure_gains(evaluations), Output("chess play"))


def _parse_gap(text: str) -> tuple[float, float]:
    found = re.fullmatch(r"(\d+(?:\.\d*)?):(\d+(?:\.\d*)?)", text.strip())
    if not found:
        raise LudometerError(f"--gap {text}: write two numbers of pawns, such as 0.2:1")
    return 100 * float(found[1]), 100 * float(found[2])


def _split(text: str, flag: str, form: str, *, at_last: bool = False, may_be_empty: bool = False) -> tuple[str, str]:
    """What is before and after the first equals sign, or the last one."""
    name, sign, value = text.rpartition("=") if at_last else text.partition("=")
    if not sign or not name.strip() or not (value.strip() or may_be_empty):
        raise LudometerError(f"{flag} {text}: write {form}")
    return name.strip(), value.strip()
