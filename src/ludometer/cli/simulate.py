"""ludometer simulate: match files with known truth, and real ones with results replaced."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ludometer.cli.loading import load_by_usual_names
from ludometer.cli.options import (
    InOrder,
    add_options,
    counting,
    file_options,
    listen,
    load,
    note,
    out_path,
    seed_option,
)
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from ludometer.arrays import Floats
    from ludometer.matches import Matches
    from ludometer.players import Players
    from ludometer.simulate import DeterministicGame, MoveGame, StrengthGame


@click.group("simulate", cls=InOrder)
def command() -> None:
    """Write a match file with known truth, and the true skills on request.

    Columns: player_1, player_2, score_1; or match, player, place where a match has more than two players.

    \b
    ludometer simulate coin --out coin.csv
    """


_two_players = add_options(
    click.option(
        "--players", type=click.IntRange(2), default=1_000, show_default=True, metavar="N", help="Number of players."
    ),
    click.option(
        "--matches", type=click.IntRange(1), default=50_000, show_default=True, metavar="N", help="Number of matches."
    ),
)
_population = add_options(
    _two_players,
    click.option(
        "--per-match", type=click.IntRange(2), default=2, show_default=True, metavar="N", help="Players in a match."
    ),
)
_activity = click.option(
    "--activity",
    type=click.FloatRange(0),
    default=0,
    show_default=True,
    metavar="SD",
    help="How unequally often players play (SD of the logarithm).",
)
_habits = add_options(
    click.option(
        "--draws",
        type=click.FloatRange(0, 1, max_open=True),
        default=0,
        show_default=True,
        metavar="SHARE",
        help="Share of draws.",
    ),
    _activity,
)
_share = click.option(
    "--x",
    type=click.FloatRange(0, 100),
    required=True,
    metavar="PERCENT",
    help="Percent of the matches that are not left to chance.",
)
_schedule = click.option(
    "--on",
    metavar="FILE",
    help="Take players, meetings and times from this match file (usual column names) and replace the results only.",
)
_target = add_options(
    seed_option,
    click.option(
        "--out", required=True, callback=out_path, metavar="FILE", help="File to write: .parquet, .csv or .jsonl."
    ),
)
_truth = click.option(
    "--truth", callback=out_path, metavar="FILE", help="Also write the true skills (player, skill): .csv or .parquet."
)


@command.command("strengths", short_help="Normal skills, logistic results.")
@click.option(
    "--sd",
    type=click.FloatRange(0),
    default=200,
    show_default=True,
    metavar="POINTS",
    help="SD of the skills in Elo points.",
)
@_population
@_habits
@_target
@_truth
def strengths(**options: Any) -> None:
    """Simulate players with normal skills who meet at random; results follow the logistic curve.

    \b
    ludometer simulate strengths --sd 200 --players 1000 --matches 50000 --draws 0.1 --out games.parquet
    """
    _check_targets(options)
    _write_strengths(options["sd"], options)


@command.command("coin", short_help="Coins only.")
@_population
@_habits
@_schedule
@_target
@_truth
def coin(**options: Any) -> None:
    """Simulate matches that a coin decides; --on takes the share of draws from the file.

    \b
    ludometer simulate coin --players 1000 --matches 50000 --out coin.csv
    ludometer simulate coin --on games.csv --out coin.csv
    """
    _check_targets(options)
    if options["on"] is None:
        _write_strengths(0.0, options)
        return
    import numpy as np

    from ludometer.simulate import coin_on

    matches = coin_on(_load_schedule(options), seed=options["seed"])
    _write_record(matches, options, np.zeros(len(matches.players)))


@command.command("deterministic", short_help="x % strength, the rest coins.")
@_share
@_population
@_schedule
@_target
@_truth
def deterministic(**options: Any) -> None:
    """Simulate matches of which x percent go to the better, or end in order of strength; the others are a coin.

    The true skills are the order of strength: 0 is the weakest.

    \b
    ludometer simulate deterministic --x 50 --players 1000 --matches 50000 --out half.parquet
    ludometer simulate deterministic --x 50 --on games.csv --out half.csv
    """
    _check_targets(options)
    from ludometer.simulate import DeterministicGame, deterministic_on

    if options["on"] is None:
        game = DeterministicGame(options["players"], options["x"], options["per_match"], options["seed"])
        _write_game(game, options)
        return
    matches, skill = deterministic_on(_load_schedule(options), options["x"], seed=options["seed"])
    _write_record(matches, options, skill)


@command.command("mix", short_help="x % of a file, the rest coins.")
@file_options()
@_share
@_target
def mixed(**options: Any) -> None:
    """Keep each match of FILE with a probability of x percent, and replace the result of the others by chance.

    Two players draw as often as in FILE, else either wins; several finish in a random order.

    \b
    ludometer simulate mix chess.parquet --x 50 --out half-chess.parquet
    """
    _check_targets(options)
    if options["by"]:
        raise LudometerError("one file is written, so --by cannot split it: choose a part with --where")
    from ludometer.simulate import mix

    matches = mix(_load(options), options["x"], seed=options["seed"])
    _write_record(matches, options)


@command.command("wm", short_help="Right and wrong moves.")
@click.option(
    "--sd",
    type=click.FloatRange(0),
    default=200,
    show_default=True,
    metavar="POINTS",
    help="SD of the ratings in Elo points.",
)
@click.option(
    "--ahead",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Mistakes that decide a game: n.",
)
@_two_players
@_activity
@_target
@_truth
def right_moves(**options: Any) -> None:
    """Simulate games of moves right or wrong, made at once; who is n mistakes ahead loses (WM, WM^n of Smith 1994).

    \b
    ludometer simulate wm --ahead 3 --players 500 --matches 20000 --out wm.parquet --truth ratings.csv
    """
    _check_targets(options)
    from ludometer.simulate import MoveGame

    settings = {name: options[name] for name in ("sd", "ahead", "activity", "seed")}
    _write_game(MoveGame(options["players"], **settings), options)


@command.command("league", short_help="Players enter, learn and leave.")
@click.option(
    "--sd",
    type=click.FloatRange(0),
    default=200,
    show_default=True,
    metavar="POINTS",
    help="SD of the skills at entry in Elo points.",
)
@click.option(
    "--games", type=click.FloatRange(1), default=100, show_default=True, metavar="G", help="Mean games of a career."
)
@click.option(
    "--lifetimes",
    type=click.Choice(["fixed", "exponential", "endless"]),
    default="fixed",
    show_default=True,
    help="How long careers are.",
)
@click.option(
    "--learning",
    type=click.Choice(["none", "unbounded", "bounded"]),
    default="none",
    show_default=True,
    help="How players get better: by log(1 + rate t) after t games, or towards a gain.",
)
@click.option(
    "--learning-rate",
    type=click.FloatRange(0),
    default=0.02,
    show_default=True,
    metavar="RATE",
    help="The rate, for a game.",
)
@click.option(
    "--learning-gain",
    type=click.FloatRange(0),
    default=200,
    show_default=True,
    metavar="POINTS",
    help="The gain, in Elo points.",
)
@click.option(
    "--matchmaking",
    type=click.Choice(["random", "skill", "rating"]),
    default="random",
    show_default=True,
    help="Opponents: anybody, or those near in skill or in rating.",
)
@click.option(
    "--window",
    type=click.FloatRange(0),
    default=100,
    show_default=True,
    metavar="POINTS",
    help="How near, in Elo points.",
)
@click.option(
    "--h",
    "step",
    type=click.FloatRange(0),
    default=32,
    show_default=True,
    metavar="H",
    help="Step of these ratings.",
)
@_two_players
@_target
@_truth
def league(**options: Any) -> None:
    """Simulate a league that keeps its size: players enter, learn, meet, and leave.

    Times are rounds, a match a player. The truth has also when each player entered and left, and his skill at entry.

    \b
    ludometer simulate league --games 200 --learning unbounded --out league.parquet --truth players.csv
    """
    _check_targets(options)
    from ludometer.simulate import LeagueGame

    names = ("sd", "games", "lifetimes", "learning", "learning_rate", "learning_gain", "matchmaking", "window", "step")
    game = LeagueGame(options["players"], **{name: options[name] for name in names}, seed=options["seed"])
    played = game.play(options["matches"])
    _write_record(played.matches, options)
    if options["truth"]:
        _write_truth(played.to_frame(), options)


def _write_strengths(sd: float, options: dict[str, Any]) -> None:
    from ludometer.simulate import StrengthGame

    settings = (options[name] for name in ("draws", "activity", "seed", "per_match"))
    _write_game(StrengthGame(options["players"], sd, *settings), options)


def _check_targets(options: dict[str, Any]) -> None:
    """Before any work: files that can be written, and that are not the one that is read."""
    listen()
    from ludometer.report.files import RECORDS, TABLES, check_suffix

    out: Path = options["out"]
    truth: Path | None = options.get("truth")
    check_suffix(out, RECORDS)
    if truth:
        check_suffix(truth, TABLES)
        if truth.resolve() == out.resolve():
            raise LudometerError(f"{out}: the matches and the true skills need two files")
    source = options.get("file") or options.get("on")
    for target in (out, truth):
        if source and target and source != "-" and Path(source).resolve() == target.resolve():
            raise LudometerError(f"{target} is the file that is read: write to another one")


def _load_schedule(options: dict[str, Any]) -> Matches:
    """The matches of --on, which leaves nothing to say about them."""
    context = click.get_current_context()
    for name in ("players", "matches", "per_match", "draws", "activity"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise LudometerError(f"--on takes this from {options['on']}: leave out --{name.replace('_', '-')}")
    return load_by_usual_names(options["on"], "--on")


def _load(options: dict[str, Any]) -> Matches:
    from ludometer.matches import Matches

    (group,) = load(options, connect=bool(options.get("min_component")))
    assert isinstance(group.matches, Matches)
    return group.matches


def _write_game(game: DeterministicGame | StrengthGame | MoveGame, options: dict[str, Any]) -> None:
    from ludometer.players import Players

    n_matches, by_seat = options["matches"], getattr(game, "per_match", 2) > 2
    _write(game.batches(n_matches), n_matches, Players.numbered(game.n_players), options, by_seat, game.skill)


def _write_record(matches: Matches, options: dict[str, Any], skill: Floats | None = None) -> None:
    from ludometer.matches import Seats

    by_seat = isinstance(matches.table, Seats)
    _write(matches.parts(), len(matches), matches.players, options, by_seat, skill)


def _write(
    batches: Iterable[Matches],
    n_matches: int,
    players: Players,
    options: dict[str, Any],
    by_seat: bool,
    skill: Floats | None,
) -> None:
    from ludometer.report.files import write_matches

    with counting("simulating", "matches", n_matches) as on_rows:
        write_matches(batches, options["out"], by_seat=by_seat, on_rows=on_rows)
    note(f"wrote {n_matches:,} matches of {len(players):,} players to {options['out']}")
    if skill is not None and options["truth"]:
        import polars as pl

        _write_truth(pl.DataFrame({"player": players.names, "skill": skill}), options)


def _write_truth(frame: pl.DataFrame, options: dict[str, Any]) -> None:
    from ludometer.report.files import write_frame

    write_frame(frame, options["truth"])
    note(f"wrote the true skills to {options['truth']}")
