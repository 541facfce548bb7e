"""ludometer simulate: match files with known truth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import Command, counting, listen, note, out_path
from ludometer.errors import LudometerError

if TYPE_CHECKING:
    from ludometer.games import StrengthGame


@click.group("simulate")
def command() -> None:
    """Write a match file with known truth: player_1, player_2, score_1, and the true skills on request."""


def _common(function: Command) -> Command:
    options = (
        click.option("--players", type=click.IntRange(2), default=1_000, show_default=True, help="Number of players."),
        click.option("--matches", type=click.IntRange(1), default=50_000, show_default=True, help="Number of matches."),
        click.option(
            "--draws",
            type=click.FloatRange(0, 1, max_open=True),
            default=0.0,
            show_default=True,
            help="Share of draws.",
        ),
        click.option(
            "--activity",
            type=click.FloatRange(0),
            default=0.0,
            show_default=True,
            help="How unequally often players play (SD of the logarithm).",
        ),
        click.option(
            "--seed", type=click.IntRange(0), default=0, show_default=True, help="The same seed gives the same file."
        ),
        click.option(
            "--out", required=True, callback=out_path, metavar="FILE", help="File to write: .parquet, .csv or .jsonl."
        ),
        click.option(
            "--truth",
            callback=out_path,
            metavar="FILE",
            help="Also write the true skills (player, skill): .csv or .parquet.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


@command.command("strengths")
@click.option(
    "--sd", type=click.FloatRange(0), default=200.0, show_default=True, help="SD of the skills in Elo points."
)
@_common
def strengths(sd: float, **options: Any) -> None:
    """Players with normal skills meet at random; results follow the logistic curve.

    \b
    ludometer simulate strengths --sd 200 --players 1000 --matches 50000 --draws 0.1 --out games.parquet
    """
    _write(sd, options)


@command.command("coin")
@_common
def coin(**options: Any) -> None:
    """Every match is decided by a coin.

    \b
    ludometer simulate coin --players 1000 --matches 50000 --out coin.csv
    """
    _write(0.0, options)


def _write(sd: float, options: dict[str, Any]) -> None:
    listen()
    from ludometer.games import StrengthGame
    from ludometer.report.files import TABLES, check_suffix, write_matches

    game = StrengthGame(options["players"], sd, options["draws"], options["activity"], options["seed"])
    out: Path = options["out"]
    if options["truth"]:
        check_suffix(options["truth"], TABLES)
        if options["truth"].resolve() == out.resolve():
            raise LudometerError(f"{out}: the matches and the true skills need two files")
    with counting("simulating", "matches", options["matches"]) as on_rows:
        write_matches(game.batches(options["matches"]), out, on_rows=on_rows)
    note(f"wrote {options['matches']:,} matches of {options['players']:,} players to {out}")
    if options["truth"]:
        _write_truth(game, options["truth"])


def _write_truth(game: StrengthGame, path: Path) -> None:
    import polars as pl

    from ludometer.report.files import write_frame

    write_frame(pl.DataFrame({"player": range(game.n_players), "skill": game.skill}), path)
    note(f"wrote the true skills to {path}")
