"""What `skat score` does: games to list sheets, what differs from the rules, and outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ludometer.cli.options import note
from ludometer.skat.commands.anonymity import shown_command, warn_of_seed
from ludometer.skat.commands.source import data_of, read_games, write_series

if TYPE_CHECKING:
    import polars as pl

    from ludometer.skat.reading.games import SkatGames

_LINES = 5
_COLUMNS = ("series", "time", "player", "games", "points", "won", "lost", "score", "place")
_TOTALS = ("games", "points", "won", "lost")


def score_and_write(options: dict[str, Any]) -> None:
    """The command `skat score`."""
    from ludometer.report.files import write_frame
    from ludometer.skat.reading.games import has_totals

    found = read_games(options["games"], options)
    if options["anonymise"]:
        warn_of_seed(options)
        found = found.anonymised(seed=options["seed"])
    sheets = found.to_frame()
    totals = has_totals(found.results)
    if options["json_file"] != "-":
        _print_sheets(found, sheets, options, totals=totals)
    if options["out"]:
        kept = [
            name for name in _COLUMNS if name in sheets.columns and (totals or name not in _TOTALS)
        ]  # fmt: skip
        write_frame(sheets.select(kept), options["out"])
        note(f"wrote {found.n_series:,} series to {options['out']}")
    if options["matches"]:
        write_series(found.to_record(), options["matches"])
    if options["html"]:
        _write_page(found, sheets, options, totals=totals)
    if options["json_file"]:
        _write_document(found, sheets, options, totals=totals)


def _print_sheets(found: SkatGames, sheets: pl.DataFrame, options: dict[str, Any], *, totals: bool) -> None:
    from ludometer.report.text import printable
    from ludometer.skat.report.phrases import phrase
    from ludometer.skat.report.text import describe_check, describe_difference, sheet_table, show

    language = options["language"]
    labels = sheets["series"].unique(maintain_order=True).to_list()
    for label in labels[: options["top"]]:
        click.echo(printable(f"{phrase('series', language)} {label}"))
        click.echo(show(sheet_table(sheets.filter(series=label), language, has_totals=totals)) + "\n")
    if len(labels) > options["top"]:
        click.echo(phrase("and more of", language, n=f"{len(labels) - options['top']:,}", all=len(labels)))
    if not labels:
        note("no list is complete: --short keep shows the shorter ones, --length N cuts other lists")
    if found.n_agreed is not None:
        click.echo(describe_check(found.n_agreed, len(found.differences), language))
        for row in found.differences.head(_LINES).iter_rows(named=True):
            click.echo(printable("  " + describe_difference(row, language)))
        if len(found.differences) > _LINES:
            click.echo("  " + phrase("and more", language, n=f"{len(found.differences) - _LINES:,}"))


def _write_page(found: SkatGames, sheets: pl.DataFrame, options: dict[str, Any], *, totals: bool) -> None:
    from ludometer.skat.report.phrases import phrase
    from ludometer.skat.report.sheets import SheetsPage, write_sheets_page

    hidden = options["anonymise"] or options["games"] == "-"
    page = SheetsPage(
        name=phrase("Lists", options["language"]) if hidden else found.name,
        sheets=sheets,
        differences=found.differences,
        counts=data_of(found) | {"as_recorded": found.n_agreed},
        has_totals=totals,
        system=options["scoring"],
        command=shown_command(options),
        provenance=found.results.provenance,
        language=options["language"],
    )
    write_sheets_page(page, options["html"])
    note(f"wrote {options['html']}")


def _write_document(found: SkatGames, sheets: pl.DataFrame, options: dict[str, Any], *, totals: bool) -> None:
    from ludometer.report.documents import provenance_document
    from ludometer.report.files import write_json
    from ludometer.skat.report.documents import score_document

    data = data_of(found) | {
        "as_recorded": found.n_agreed,
        "flagged": None if found.n_agreed is None else len(found.differences),
        "players": sheets["player"].n_unique(),
    }
    body = score_document(
        sheets, found.differences, data, system=options["scoring"], has_totals=totals,
        damaged=[(fault.line, fault.reason) for fault in found.damaged],
    )  # fmt: skip
    origin = provenance_document([found.results.provenance], shown_command(options))
    absent = {"provenance.data": "series are not matches"}
    if origin["seed"] is not None:
        body["absent"].pop("provenance.seed")
    write_json(body | {"absent": body["absent"] | absent, "provenance": origin}, options["json_file"])
