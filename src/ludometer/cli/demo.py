"""ludometer demo: the main job on bundled data, from start to finish."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ludometer.cli.options import listen, note, out_path


@click.command("demo")
@click.option(
    "--html", default="demo-report.html", show_default=True, callback=out_path, metavar="FILE", help="The report."
)
def command(html: Path) -> None:
    """Measure three bundled games, write a report, and rate the players of a bundled league.

    All files were simulated, so the truth is known.

    \b
    ludometer demo
    """
    listen()
    from ludometer.cli.measure import compare, show
    from ludometer.demo import GAMES
    from ludometer.luck import compare_games, measure
    from ludometer.parallel import Workers
    from ludometer.read import read_matches
    from ludometer.report.page import write_page

    workers = Workers(os.cpu_count() or 1)
    games = [(name, measure(read_matches(path), workers=workers)) for name, path in GAMES.items()]
    click.echo("How much skill, how much luck?\n")
    show(*games[0])
    click.echo("Three games side by side\n")
    compare(games, compare_games(games))
    write_page(games, html, command=f"ludometer demo --html {html}")
    _rate_club()
    note(f"wrote {html}: open it in a browser")


def _rate_club() -> None:
    from ludometer.demo import CLUB
    from ludometer.ratings import evaluate, predict, rate
    from ludometer.read import read_file
    from ludometer.report.documents import as_text
    from ludometer.report.text import format_table

    reading = read_file(CLUB)
    frame = rate(reading.matches).to_frame()
    cells = (
        [f"{n}", row["player"], f"{row['rating']:.0f}", f"{row['matches']}", str(as_text(row["last"]))]
        for n, row in enumerate(frame.head(5).iter_rows(named=True), 1)
    )
    click.echo("\nHow strong is each player of a league?     ludometer rate club.csv --top 5")
    click.echo(format_table(["", "player", "rating", "matches", "last played"], cells, left=(1,)))
    click.echo("\nDo the ratings predict?                    ludometer evaluate club.csv")
    click.echo(evaluate(reading.matches).summary())
    best, middle = frame["player"][0], frame["player"][len(frame) // 2]
    click.echo(f"\nWho wins the next match?                   ludometer predict club.csv {best} {middle}")
    click.echo(predict(reading.matches, best, middle).summary() + "\n")
    note(f"the league is {CLUB}")
