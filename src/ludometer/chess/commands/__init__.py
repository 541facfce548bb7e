"""ludometer chess: strength from the moves themselves, by a chess engine."""

from __future__ import annotations

import sys
from typing import Any

import click

from ludometer.chess.commands.options import (
    check_targets,
    engine_strength_option,
    finite,
    measure_options,
    search_of,
    search_options,
    source_options,
)
from ludometer.cli.options import InOrder, WordedDefault, counting, html_option, json_option, listen, note, out_path
from ludometer.programs import Extra, Program

PROGRAMS = (Program("stockfish", "chess analyse, follow and play"),)
EXTRAS = (
    Extra("chess", "chess analyse, follow, play and games from other starts", ("chess",), "pip install '.[chess]'"),
)


@click.group("chess", short_help="Strength from the moves themselves, by a chess engine.", cls=InOrder)
def command() -> None:
    """Strength from the moves themselves: what each move did to an engine's evaluation of the game.

    analyse lets an engine evaluate games, strength reports; calibrate ties the scale to real ratings; follow watches
    a game while it is played; play lets the engine play itself.

    \b
    ludometer chess analyse games.pgn
    """


@command.command("analyse", short_help="Evaluate games by an engine.")
@click.argument("file", nargs=-1, required=True)
@search_options
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Engines at work.")
@click.option("--cluster", metavar="ADDRESS", help="A Dask cluster to work on instead, such as tcp://host:8786.")
@click.option("--cache", metavar="FILE", help="Where evaluations are kept.  [default: the user's cache folder]")
@json_option
def analyse(**options: Any) -> None:
    """Let an engine evaluate all positions of the games of FILE (PGN, plain or packed) and keep that in a cache.

    It can be stopped and started again at any time: what was evaluated is never evaluated again.

    \b
    ludometer chess analyse games.pgn --depth 12 --jobs 2
    ludometer chess analyse games.pgn.zst --engine /opt/engine --nodes 100000 --cache games.sqlite
    """
    listen()
    from ludometer.chess.commands.source import load_games
    from ludometer.chess.commands.strength import provenance
    from ludometer.chess.engine.analysis import analyse_games
    from ludometer.chess.engine.cache import default_path
    from ludometer.chess.report.documents import analysis_document
    from ludometer.parallel import Workers
    from ludometer.report.files import write_json

    check_targets(options)
    search, workers = search_of(options), Workers(options["jobs"], options["cluster"])
    reading = load_games(options["file"])
    n_positions = sum(game.n_positions for game in reading.games)
    try:
        with counting("evaluate", "positions", n_positions) as on_positions:
            analysis = analyse_games(
                reading.games,
                engine=options["engine"],
                search=search,
                cache=options["cache"] or default_path(),
                workers=workers,
                on_positions=on_positions,
            )
    except KeyboardInterrupt:
        note("interrupted; what was evaluated is kept: the same command goes on from there")
        sys.exit(1)
    if options["json_file"] != "-":
        click.echo(analysis.summary())
    if options["json_file"]:
        document = analysis_document(analysis)
        document["provenance"] = provenance(None, None)
        document["absent"] |= {"provenance.data": "the games are named", "provenance.seed": "nothing is drawn"}
        write_json(document, options["json_file"])
    if analysis.failed:
        note(*(f"game {name}: {reason}" for name, reason in analysis.failed.items()))
        sys.exit(1)


@command.command("strength", short_help="Strengths of players by their moves.")
@click.argument("file", nargs=-1, required=True)
@source_options
@measure_options
@click.option(
    "--method", type=click.Choice(["exact", "printed", "engine"]), default="exact", show_default=True,
    help="Least squares over pairs, the paper's iteration in whole numbers, or by way of the engine.",
)  # fmt: skip
@click.option(
    "--distribution", type=click.Choice(["player", "pair"]), default="player", show_default=True,
    help="Moves that a pair is compared by: all of each player's, or those of their games.",
)  # fmt: skip
@engine_strength_option
@click.option(
    "--replicates", type=click.IntRange(2), default=1000, show_default=True, metavar="N",
    help="Draws for the intervals.",
)  # fmt: skip
@click.option("--calibration", metavar="FILE", help="From ludometer chess calibrate: adds real Elo points.")
@click.option(
    "--anchor", metavar="EVENT", help="Events on one scale: the engine's strength by the ratings of this event only."
)
@click.option(
    "--compare", "compared", nargs=2, metavar="EVENT EVENT",
    help="Players of two events against each other, and each against himself.",
)  # fmt: skip
@click.option("--choices", is_flag=True, help="Show what other filters and values of mate do to the strengths.")
@click.option("--measures", is_flag=True, help="Add Guid and Bratko's mean loss and best moves, and Regan's s and c.")
@click.option("--annotated", metavar="FILE", callback=out_path, help="Write the games with [%eval] comments as PGN.")
@html_option
@json_option
def strength(**options: Any) -> None:
    """Measure the strengths of the players of FILE by their moves, with intervals.

    FILE is PGN whose evaluations are in the cache (from analyse) or in [%eval] comments, or a table of evaluations with
    columns game, ply, player, evaluation (pawns, White's view; ply 0 is the start position). Of several events all are
    also put on one scale, by the engine's strength.

    \b
    ludometer chess strength games.pgn
    ludometer chess strength games.pgn --skip-plies 24 --window 2 --html report.html
    ludometer chess strength evaluations.csv --method engine --engine-strength 2860
    ludometer chess strength london.pgn moscow.pgn --compare "London Classic" "Tal Memorial"
    ludometer chess strength games.pgn --choices --measures --json -
    """
    listen()
    from ludometer.chess.commands.strength import measure_and_write

    measure_and_write(options)


@command.command("calibrate", short_help="Tie these strengths to real ratings.")
@click.argument("file", nargs=-1, required=True)
@source_options
@measure_options
@click.option(
    "--units", type=click.Choice(["player", "band"]), default="player", show_default=True,
    help="What is held against its rating: players with enough games, or bands of neighbouring ratings.",
)  # fmt: skip
@click.option("--bands", type=click.IntRange(2), default=10, show_default=True, metavar="N", help="Number of bands.")
@click.option("--out", metavar="FILE", required=True, callback=out_path, help="Write the calibration here.")
@json_option
def calibrate(**options: Any) -> None:
    """Tie differences by moves to real Elo points, from rated games: a file for strength --calibration.

    It holds for one engine, depth and choice of moves.

    \b
    ludometer chess calibrate rated.pgn --units band --out calibration.json
    """
    listen()
    from ludometer.chess.commands.strength import calibrate_and_write

    calibrate_and_write(options)


@command.command("follow", short_help="Follow a game while it is played.")
@click.argument("file", default="-")
@search_options
@click.option("--white", metavar="NAME", help="Who plays White.  [default: as the PGN says]")
@click.option("--black", metavar="NAME", help="Who plays Black.  [default: as the PGN says]")
@engine_strength_option
@click.option(
    "--every", type=click.FloatRange(0.05), default=1, show_default=True, metavar="SECONDS", callback=finite,
    help="Between looks at the file.",
)  # fmt: skip
@click.option("--once", is_flag=True, help="Stop at the end of the file, finished or not.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each move instead.")
def follow(**options: Any) -> None:
    """Follow a game as it is played: moves on standard input, or the last game of a PGN file that grows.

    After each move: the evaluation (pawns, White's view), the move's gain, and how its player stands to the engine by
    all moves so far; with --engine-strength also his strength. It ends with the input, with the result in the PGN, or
    by Ctrl-C.

    \b
    echo "e4 e5 Nf3 Nc6" | ludometer chess follow
    ludometer chess follow live.pgn --depth 16
    """
    listen()
    from ludometer.chess.commands.follow import follow_game

    follow_game(options)


@command.command("play", short_help="Let an engine play itself.")
@click.argument("file", nargs=-1, required=True)
@search_options
@click.option(
    "--games", "n_games", cls=WordedDefault, type=click.IntRange(1), show_default="all", metavar="N",
    help="At most so many.",
)  # fmt: skip
@click.option(
    "--opening-plies", type=click.IntRange(0), default=16, show_default=True, metavar="N",
    help="Plies that are taken from the games of FILE.",
)  # fmt: skip
@click.option(
    "--max-plies", type=click.IntRange(1), default=300, show_default=True, metavar="N",
    help="Then a game is broken off.",
)  # fmt: skip
@click.option("--cache", metavar="FILE", help="Where evaluations are kept.  [default: the user's cache folder]")
@click.option("--out", metavar="FILE", required=True, callback=out_path, help="Write the games here, with [%eval].")
def play(**options: Any) -> None:
    """Let an engine play itself, from the openings of the games of FILE: what gains does it have itself?

    The games serve as the reference that players are held against, in place of gains of 0.

    \b
    ludometer chess play games.pgn --depth 10 --games 20 --out own.pgn
    ludometer chess strength games.pgn --depth 10 --reference own.pgn
    """
    listen()
    from ludometer.chess.commands.play import play_and_write

    play_and_write(options)
