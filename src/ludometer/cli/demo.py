"""ludometer demo: the main job on bundled data, from start to finish."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import click

from ludometer.cli.options import counting, listen, note, out_path
from ludometer.wording import percent

if TYPE_CHECKING:
    from ludometer.measurement import Measurement
    from ludometer.report.demo import Contest


_BESIDE = ("Go", "Tennis", "Chess", "Tetris (2p)", "Rummy (2p)", "Skat", "Backgammon", "Poker (2p)", "Yahtzee (2p)")
"""Published games that have a line on the screen; the report has them all."""

_DRAWS = 200
"""Effective draws for the interval of ℓ², fewer than `measure` takes, so that all is done within a minute."""


@click.command("demo")
@click.option(
    "--html",
    default="demo-report.html",
    show_default=True,
    callback=out_path,
    metavar="FILE",
    help="Write a report as one self-contained page.",
)
def command(html: Path) -> None:
    """Measure six games that programs played, rate the players, and write a report.

    Chess by Stockfish, GNU Backgammon, Skat by xskat, a game of dice, one of cards, and a coin: 42,000 matches, which
    come with the program.

    \b
    ludometer demo
    """
    listen()
    from ludometer.demo import GAMES
    from ludometer.measurement import LuckChoices, measure
    from ludometer.parallel import Workers
    from ludometer.read import read_matches
    from ludometer.report.demo import CAUTION, Contest, find_strengths, write_demo

    workers = Workers(os.cpu_count() or 1)
    games: list[tuple[str, Measurement]] = []
    contests: list[Contest] = []
    with counting("measuring", "games", total=len(GAMES)) as update:
        for about in GAMES:
            matches = read_matches(about.path)
            games.append((about.name, measure(matches, luck=LuckChoices(draws=_DRAWS), workers=workers)))
            contests.append(Contest(about, find_strengths(matches)))
            if update:
                update(len(games), len(GAMES))
    _show_scale(games)
    _show_players(contests)
    click.echo("\n" + fill(CAUTION, 100))
    write_demo(games, contests, html, command=f"ludometer demo --html {html}")
    click.echo("\nNow yours:                         ludometer measure YOUR-FILE.csv --html report.html")
    note(f"the files are in {GAMES[0].path.parent}")
    note(f"wrote {html}: open it in a browser")


def _show_scale(games: Sequence[tuple[str, Measurement]]) -> None:
    """The measured games among some of the published ones, from the widest spread of ratings to the narrowest."""
    from ludometer.measurement.benchmarks.published import reference_games
    from ludometer.report.text import format_table

    rows = [
        (game.sd, [f"  {game.label}", f"{game.sd:.1f}", percent(game.p_sd), "", "", "published"])
        for game in reference_games()
        if game.game in _BESIDE
    ]
    for name, game in games:
        matched, verdict, spread = game.yardstick, game.verdict, game.main
        assert matched is not None
        assert verdict is not None
        assert spread.sd is not None
        assert spread.p_sd is not None
        shares = (str(one.share) for one in (matched.deterministic, matched.chess))
        rows.append((spread.sd, [f"◆ {name}", f"{spread.sd:.1f}", percent(spread.p_sd), *shares, verdict.answer]))
    rows.sort(key=lambda row: -row[0])
    headers = ["", "SD of ratings", "one SD better scores", "like strength", "like chess", "verdict"]
    click.echo("How much skill, how much luck?     ◆ measured now, beside games as people played them\n")
    click.echo(format_table(headers, [cells for _, cells in rows], left=(0, 5)))


def _show_players(contests: Sequence[Contest]) -> None:
    """The first and the last of each game."""
    from ludometer.report.text import format_table

    click.echo("\nHow strong is each player?         Elo points around the mean, ± 95%\n")
    rows = [[contest.about.name, *(contest.best(place) for place in (0, -1))] for contest in contests]
    click.echo(format_table(["", "strongest", "weakest"], rows, left=(0, 1, 2)))
