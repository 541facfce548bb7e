"""ludometer demo: analyse the bundled games and write a report."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from ludometer.cli.declared import OutFile, option, takes
from ludometer.cli.screen import counting, listen, note


@dataclass(frozen=True)
class DemoOptions:
    """All of them."""

    html: Path = option(
        "--html",
        type=OutFile(),
        default="demo-report.html",
        metavar="FILE",
        help="Write a report as one self-contained page.",
    )


@click.command("demo")
@takes(DemoOptions)
def command(options: DemoOptions) -> None:
    """Analyse six games that programs played, rate the players, and write a report.

    Chess by Stockfish, GNU Backgammon, Skat by xskat, a dice game, a card game, and a coin: 42,000 matches, which come
    with the program.

    \b
    ludometer demo
    """
    listen()
    from ludometer.demo import GAMES
    from ludometer.parallel import Workers
    from ludometer.read import read_matches
    from ludometer.report.demo import analyse_games, render_demo
    from ludometer.report.presenter import Output, present

    output = Output(f"ludometer demo --html {options.html}", html=options.html)
    with counting("measuring", "games", total=len(GAMES)) as update:
        records = [(game, read_matches(game.path)) for game in GAMES]
        demo = analyse_games(records, workers=Workers(os.cpu_count() or 1), on_game=update)
    present(demo, output, page=partial(render_demo, demo, command=output.command))
    click.echo("\nNow yours:                         ludometer measure YOUR-FILE.csv --html report.html")
    note(f"the files are in {GAMES[0].path.parent}", f"open {options.html} in a browser")
