"""ludometer demo: the main job on bundled data."""

from __future__ import annotations

import click

from ludometer.cli.options import listen, note


@click.command("demo")
def command() -> None:
    """Rate the players of a bundled league, check the forecasts, and predict a match."""
    listen()
    from ludometer.demo import CLUB
    from ludometer.ratings import evaluate, predict, rate
    from ludometer.read import read_file
    from ludometer.report.documents import as_text
    from ludometer.report.text import format_table

    reading = read_file(CLUB)
    note(*reading.describe())
    ratings = rate(reading.matches)
    frame = ratings.to_frame()
    cells = (
        [f"{n}", row["player"], f"{row['rating']:.0f}", f"{row['matches']}", str(as_text(row["last"]))]
        for n, row in enumerate(frame.head(8).iter_rows(named=True), 1)
    )
    click.echo("How strong is each player?       ludometer rate club.csv --top 8")
    click.echo(format_table(["", "player", "rating", "matches", "last played"], cells, left=(1,)))
    click.echo("\nDo the ratings predict?          ludometer evaluate club.csv")
    click.echo(evaluate(reading.matches).summary())
    best, middle = frame["player"][0], frame["player"][len(frame) // 2]
    click.echo(f"\nWho wins the next match?         ludometer predict club.csv {best} {middle}")
    click.echo(predict(reading.matches, best, middle).summary() + "\n")
    note(f"The league was simulated; the file is {CLUB}")
