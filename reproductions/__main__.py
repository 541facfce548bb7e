"""Makes published tables again: `python -m reproductions [TABLE ...]`, all of them without a name.

Prints each number as published and, below it, ours. With --write the results are stored in reproductions/results.json
and shown in docs/reproductions.md; the same data give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from ludometer.ratings.prizes import make_prizes
from reproductions import duersch, edelkamp, ferreira, gilbert_wells, smith
from reproductions.cells import OUTCOMES, Table
from reproductions.results import load_results, store_results
from reproductions.sources import Sources

PAPERS = (duersch, gilbert_wells, edelkamp, ferreira, smith)


def all_tables() -> dict[str, Callable[[Sources], Table]]:
    """Name → what makes the table, paper by paper."""
    return {name: make for paper in PAPERS for name, make in paper.tables().items()}


@click.command(help=__doc__)
@click.argument("names", metavar="[TABLE]...", nargs=-1)
@click.option("--list", "listed", is_flag=True, help="Name the tables and do nothing.")
@click.option("--data", multiple=True, metavar="GAME=FILE", help="A record that you have, for the row of that name.")
@click.option("--prizes", default="winner", show_default=True, help="Of your files with several players a match.")
@click.option("--write", is_flag=True, help="Store the results and write the page; needs the shared data.")
def main(names: Sequence[str], listed: bool, data: Sequence[str], prizes: str, write: bool) -> None:
    """Make the tables, print them, and store them if asked to."""
    known = all_tables()
    if listed:
        click.echo("\n".join(known))
        return
    if unknown := [name for name in names if name not in known]:
        raise click.UsageError(f"there is no table {unknown[0]!r}; --list names them")
    files = dict(_split(entry) for entry in data)
    sources = Sources(files=files, prizes=make_prizes(prizes))
    if write and (files or not sources.complete):
        raise click.UsageError("--write stores what the shared data give: set LUDOMETER_SHARED, and leave out --data")
    made = []
    for name in names or known:
        table = known[name](sources)
        click.echo(_show(table))
        made.append(table)
    if write:
        stored = load_results()
        store_results([*_merge(known, stored, made)])


def _split(entry: str) -> tuple[str, str]:
    game, _, path = entry.partition("=")
    if not path:
        raise click.UsageError(f"--data is GAME=FILE, not {entry!r}")
    return game, path


def _show(table: Table) -> str:
    counts = table.counts()
    tally = ", ".join(f"{counts[outcome]} {words}" for outcome, (_, words) in OUTCOMES.items() if counts[outcome])
    lines = [table.title, "", table.to_text(), "", *table.notes, *table.remarks(), tally, ""]
    return "\n".join(lines)


def _merge(known: dict[str, Callable[[Sources], Table]], stored: Sequence[Table], made: Sequence[Table]) -> list[Table]:
    by_name = {table.name: table for table in (*stored, *made)}
    return [by_name[name] for name in known if name in by_name]


if __name__ == "__main__":
    main(prog_name="python -m reproductions")
