"""ludometer chess: strength from the moves themselves, by a chess engine."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.chess_source import filters_of, load_evaluations, load_games, source_options
from ludometer.cli.options import Command, command_line, counting, json_option, listen, note, out_path
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.intrinsic import Evaluations, Reference, Strengths
    from ludometer.intrinsic.engine import Search
    from ludometer.intrinsic.games import ChessGame


@click.group("chess")
def command() -> None:
    """Strength from the moves themselves: what each move did to an engine's evaluation of the game.

    analyse lets an engine evaluate games, strength reports; calibrate ties the scale to real ratings; follow watches
    a game while it is played.
    """


def _add(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    def add(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return add


_search_options = _add(
    click.option("--engine", default="stockfish", show_default=True, help="A UCI engine: its name or its path."),
    click.option("--depth", type=click.IntRange(1), metavar="N", help="Search to this depth.  [default: 12]"),
    click.option("--nodes", type=click.IntRange(1), metavar="N", help="Search this many nodes instead."),
    click.option(
        "--lines", type=click.IntRange(1), default=1, show_default=True, metavar="N",
        help="Best moves to evaluate; 2 tell how hard a position is, at 2.6 times the cost.",
    ),
    click.option(
        "--hash", "hash_policy", type=click.Choice(["position", "game"]), default="position", show_default=True,
        help="What the engine remembers: nothing from another position, or the game so far.",
    ),
    click.option("--hash-mb", type=click.IntRange(1), default=16, show_default=True, help="Its memory in MB."),
    click.option("--option", "engine_options", multiple=True, metavar="NAME=VALUE", help="An option of the engine."),
    click.option(
        "--timeout", type=click.FloatRange(0, min_open=True), default=120.0, show_default=True, metavar="SECONDS",
        help="For one position; then the engine counts as hanging.",
    ),
)  # fmt: skip

_measure_options = _add(
    click.option("--skip-plies", type=click.IntRange(0), default=0, metavar="N", help="Leave out the first N moves."),
    click.option(
        "--window", type=click.FloatRange(0, min_open=True), metavar="PAWNS",
        help="Only moves from positions within so many pawns of equality.",
    ),
    click.option("--phase", type=click.Choice(["opening", "middlegame", "endgame"]), help="Only moves of this phase."),
    click.option(
        "--gap", metavar="A:B", help="Only moves where the best was A to B pawns ahead of the second (--lines 2)."
    ),
    click.option(
        "--reference", type=click.Choice(["engine", "pooled"]), default="engine", show_default=True,
        help="What players are held against: gains of 0, or the gains of all.",
    ),
    click.option(
        "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
        help="Of the intervals.",
    ),
    click.option(
        "--min-games", type=click.IntRange(2), default=4, show_default=True, metavar="N",
        help="With fewer a player gets no interval.",
    ),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For the intervals."),
)  # fmt: skip


@command.command("analyse")
@click.argument("file", nargs=-1, required=True)
@_search_options
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
    from ludometer.intrinsic.analysis import analyse_games
    from ludometer.intrinsic.cache import default_path
    from ludometer.parallel import Workers
    from ludometer.report.chess import analysis_document
    from ludometer.report.files import write_json

    reading = load_games(options["file"])
    n_positions = sum(game.n_positions for game in reading.games)
    try:
        with counting("evaluate", "positions", n_positions) as on_positions:
            analysis = analyse_games(
                reading.games,
                engine=options["engine"],
                search=_search(options),
                cache=options["cache"] or default_path(),
                workers=Workers(options["jobs"], options["cluster"]),
                on_positions=on_positions,
            )
    except KeyboardInterrupt:
        note("interrupted; what was evaluated is kept: the same command goes on from there")
        sys.exit(1)
    if options["json_file"] != "-":
        click.echo(analysis.summary())
    if options["json_file"]:
        document = analysis_document(analysis)
        document["provenance"] = _provenance(None, None)
        document["absent"] |= {"provenance.data": "the games are named", "provenance.seed": "nothing is drawn"}
        write_json(document, options["json_file"])
    if analysis.failed:
        note(*(f"game {name}: {reason}" for name, reason in analysis.failed.items()))
        sys.exit(1)


@command.command("strength")
@click.argument("file", nargs=-1, required=True)
@source_options
@_measure_options
@click.option(
    "--method", type=click.Choice(["exact", "printed", "engine"]), default="exact", show_default=True,
    help="Least squares over pairs, the paper's iteration in whole numbers, or by way of the engine.",
)  # fmt: skip
@click.option(
    "--distribution", type=click.Choice(["player", "pair"]), default="player", show_default=True,
    help="Moves that a pair is compared by: all of each player's, or those of their games.",
)  # fmt: skip
@click.option(
    "--rating", "ratings", multiple=True, metavar="PLAYER=ELO", help="A known rating; goes before the file's."
)
@click.option("--engine-strength", type=float, metavar="ELO", help="A known strength of the engine.")
@click.option("--replicates", type=click.IntRange(2), default=1000, show_default=True, help="Draws for the intervals.")
@click.option("--calibration", metavar="FILE", help="From ludometer chess calibrate: adds real Elo points.")
@click.option("--annotated", metavar="FILE", callback=out_path, help="Write the games with [%eval] comments as PGN.")
@click.option("--html", metavar="FILE", callback=out_path, help="Write a report to open in a browser.")
@json_option
def strength(**options: Any) -> None:
    """Strengths of the players of FILE by their moves, with intervals.

    FILE is PGN whose evaluations are in the cache (from analyse) or in [%eval] comments, or a table of evaluations with
    columns game, ply, player, evaluation (pawns, White's view; ply 0 is the start position).

    \b
    ludometer chess strength games.pgn
    ludometer chess strength games.pgn --skip-plies 24 --window 2 --html report.html
    ludometer chess strength evaluations.csv --method engine --engine-strength 2860
    """
    listen()
    from ludometer.intrinsic import load_calibration, measure_strengths
    from ludometer.report.chess import strengths_document, strengths_table
    from ludometer.report.files import write_json

    loaded = load_evaluations(options)
    calibration = load_calibration(options["calibration"]) if options["calibration"] else None
    found = measure_strengths(
        loaded.evaluations,
        ratings=_ratings(options["ratings"]),
        filters=filters_of(options),
        distribution=options["distribution"],
        method=options["method"],
        reference=_reference(options, loaded.evaluations),
        engine=options["engine_strength"],
        level=options["level"],
        replicates=options["replicates"],
        min_games=options["min_games"],
        seed=options["seed"],
    )
    calibrated = calibration.apply(found) if calibration else None
    if options["json_file"] != "-":
        click.echo(strengths_table(found, calibrated, top=40))
        _tell_engine(found)
    if options["json_file"]:
        document = strengths_document(found, loaded.evaluations, left_out=loaded.left_out, calibrated=calibrated)
        document["provenance"] = _provenance(found.provenance.data, found.provenance.seed)
        write_json(document, options["json_file"])
    if options["annotated"]:
        _write_annotated(loaded.games, loaded.evaluations, options["annotated"])
    if options["html"]:
        from ludometer.report.chess_page import write_chess_page

        write_chess_page(
            loaded.evaluations,
            found,
            options["html"],
            title=loaded.title,
            command=command_line(),
            left_out=loaded.left_out,
            calibrated=calibrated,
            calibration=calibration,
        )


@command.command("calibrate")
@click.argument("file", nargs=-1, required=True)
@source_options
@_measure_options
@click.option(
    "--rating", "ratings", multiple=True, metavar="PLAYER=ELO", help="A known rating; goes before the file's."
)
@click.option(
    "--units", type=click.Choice(["player", "band"]), default="player", show_default=True,
    help="What is held against its rating: players with enough games, or bands of neighbouring ratings.",
)  # fmt: skip
@click.option("--bands", type=click.IntRange(2), default=10, show_default=True, help="Number of bands.")
@click.option("--out", metavar="FILE", required=True, callback=out_path, help="Write the calibration here.")
@json_option
def calibrate(**options: Any) -> None:
    """Tie differences by moves to real Elo points, from rated games: a file for strength --calibration.

    It holds for one engine, depth and choice of moves.

    \b
    ludometer chess calibrate rated.pgn --units band --out calibration.json
    """
    listen()
    from ludometer.intrinsic import calibrate as fit
    from ludometer.report.chess import calibration_document
    from ludometer.report.files import replacing, write_json

    loaded = load_evaluations(options)
    found = fit(
        loaded.evaluations,
        ratings=_ratings(options["ratings"]),
        units=options["units"],
        bands=options["bands"],
        filters=filters_of(options),
        reference=_reference(options, loaded.evaluations),
        level=options["level"],
        min_games=options["min_games"],
        seed=options["seed"],
    )
    with replacing(options["out"]) as draft:
        found.save(draft)
    if options["json_file"] != "-":
        click.echo(found.summary())
    if options["json_file"]:
        document = calibration_document(found) | {"provenance": _provenance(found.provenance.data, options["seed"])}
        write_json(document, options["json_file"])


@command.command("follow")
@click.argument("file", default="-")
@_search_options
@click.option("--white", metavar="NAME", help="Who plays White.  [default: as the PGN says]")
@click.option("--black", metavar="NAME", help="Who plays Black.  [default: as the PGN says]")
@click.option("--engine-strength", type=float, metavar="ELO", help="The engine's strength; then strengths are shown.")
@click.option("--every", type=click.FloatRange(0.05), default=1.0, show_default=True, help="Seconds between looks.")
@click.option("--once", is_flag=True, help="Stop at the end of the file, finished or not.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each move instead.")
def follow(**options: Any) -> None:
    """Follow a game as it is played: moves on standard input, or the last game of a PGN file that grows.

    After each move: the evaluation (pawns, White's view), the move's gain, and how its player stands to the engine by
    all moves so far. It ends with the input, or with the result in the PGN.

    \b
    echo "e4 e5 Nf3 Nc6" | ludometer chess follow
    ludometer chess follow live.pgn --depth 16
    """
    listen()
    from ludometer.cli.chess_source import watch_moves
    from ludometer.intrinsic.engine import Engine, find_engine
    from ludometer.intrinsic.live import Follower

    head, moves = watch_moves(options["file"], every=options["every"], once=options["once"])
    with Engine(find_engine(options["engine"]), _search(options)) as engine:
        note(engine.settings.describe())
        follower = Follower(
            engine,
            white=options["white"] or head.white,
            black=options["black"] or head.black,
            start=head.start,
            strength=options["engine_strength"],
        )
        for move in moves:
            found = follower.push(move)
            click.echo(json.dumps(_followed(vars(found))) if options["as_json"] else found.describe())


def _followed(found: dict[str, Any]) -> dict[str, Any]:
    """A mate is written as in PGN, since JSON knows no infinity."""
    from ludometer.intrinsic.games import format_evaluation

    return found | {"evaluation": format_evaluation(found["evaluation"]), "interval": list(found["interval"])}


def _search(options: dict[str, Any]) -> Search:
    from ludometer.intrinsic.engine import Search

    if options["depth"] is not None and options["nodes"] is not None:
        raise LudometerError("--depth and --nodes: give one of them")
    depth = options["depth"] if options["depth"] is not None or options["nodes"] is not None else 12
    pairs = (_pair(text, "--option") for text in options["engine_options"])
    return Search(
        depth=depth,
        nodes=options["nodes"],
        multipv=options["lines"],
        hash_mb=options["hash_mb"],
        hash_policy=options["hash_policy"],
        options=tuple(pairs),
        timeout=options["timeout"],
    )


def _ratings(pairs: tuple[str, ...]) -> dict[str, float]:
    found = {}
    for text in pairs:
        name, value = _pair(text, "--rating")
        try:
            found[name] = float(value)
        except ValueError:
            raise LudometerError(f"--rating: {value!r} is not a number") from None
    return found


def _pair(text: str, option: str) -> tuple[str, str]:
    name, sign, value = text.rpartition("=") if option == "--rating" else text.partition("=")
    if not sign or not name.strip():
        raise LudometerError(f"{option}: {text!r} is not such as NAME=VALUE")
    return name.strip(), value.strip()


def _reference(options: dict[str, Any], evaluations: Evaluations) -> Reference:
    from ludometer.intrinsic import ENGINE, measure_gains, pool_gains

    if options["reference"] == "engine":
        return ENGINE
    return pool_gains(measure_gains(evaluations, filters=filters_of(options)))


def _tell_engine(found: Strengths) -> None:
    engine = found.engine
    if engine.strength is not None:
        span = (
            "" if engine.interval is None or engine.given is not None else " [{:.0f}, {:.0f}]".format(*engine.interval)
        )
        click.echo(f"\nengine {engine.strength:.0f}{span}{' (given)' if engine.given is not None else ''}")
    else:
        click.echo("\nno rating is known: strengths have mean 0")
    contradictions = found.contradictions
    if contradictions:
        click.echo(
            f"{len(contradictions)} of {len(found.pairs)} pairs have another order by way of the engine, "
            f"such as {contradictions[0]}"
        )


def _write_annotated(games: list[ChessGame] | None, evaluations: Evaluations, path: Path) -> None:
    from ludometer.report.chess import annotate
    from ludometer.report.files import replacing

    if games is None:
        raise LudometerError("--annotated needs games in PGN: a table of evaluations has no moves")
    with replacing(path) as draft:
        draft.write_text(annotate(games, evaluations), encoding="utf-8")


def _provenance(data: str | None, seed: int | None) -> dict[str, Any]:
    from ludometer.report.documents import provenance_document
    from ludometer.result import Provenance

    return provenance_document([Provenance("chess", {}, data, seed)], command_line())
