"""The page of `skat score`: what was found, games to look at, how scores spread, and the sheet of every list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ludometer.report.parts import download, figure, paragraphs
from ludometer.skat.report.charts import score_chart
from ludometer.skat.report.parts import LONGEST, answer, method, rest, section, text_table, write_page
from ludometer.skat.report.phrases import localise, phrase, reason_in
from ludometer.skat.report.text import describe_check, plain_table, sheet_table
from ludometer.skat.words import Language

if TYPE_CHECKING:
    import polars as pl

    from ludometer.result import Provenance

_OPEN, _MOST = 3, 100
"""Sheets that stand open, and that are on the page at all; all are in the table to download."""

_METHOD = {
    "en": {
        "extended": "A score is points + 50 (won - lost) + 40 for each game that another player lost at a table of "
        "three, 30 at a table of four: the extended Seeger system.",
        "plain": "A score is points + 50 (won - lost): Seeger's system.",
        "points": "A score is the points of the games.",
    },
    "de": {
        "extended": "Leistung = Spielpunkte + 50 (gewonnen - verloren) + 40 für jedes von anderen verlorene Spiel am "
        "Dreiertisch, 30 am Vierertisch: erweitertes Seeger-System.",
        "plain": "Leistung = Spielpunkte + 50 (gewonnen - verloren): Seeger-System.",
        "points": "Leistung = Spielpunkte.",
    },
}


@dataclass(frozen=True)
class SheetsPage:
    """What the page shows."""

    name: str
    sheets: pl.DataFrame
    differences: pl.DataFrame
    counts: Mapping[str, int | None]
    """series, games, folded, left_out, as_recorded."""
    has_totals: bool
    system: str
    command: str
    provenance: Provenance
    language: Language = "en"


def write_sheets_page(page: SheetsPage, path: Path) -> None:
    """Write the page."""
    texts = (_METHOD[page.language][page.system],)
    parts = [
        _answer(page),
        _check(page),
        _scores(page),
        _lists(page),
        method(page.provenance, page.command, page.language, texts),
    ]
    write_page(path, f"{page.name}: {phrase('Lists', page.language)}", parts, page.language)


def _answer(page: SheetsPage) -> str:
    counts, language = page.counts, page.language
    lead = phrase("no lists", language)
    if len(page.sheets):
        best = page.sheets.row(int(page.sheets["score"].arg_max() or 0), named=True)
        lead = phrase(
            "lists lead",
            language,
            lists=localise(f"{counts['series']:,}", language),
            players=localise(f"{page.sheets['player'].n_unique():,}", language),
            player=best["player"],
            score=localise(f"{best['score']:,.0f}", language),
            series=best["series"],
        )
    games = check = ""
    if counts["games"] is not None:
        shown = {name: localise(f"{counts[name] or 0:,}", language) for name in ("games", "folded", "left_out")}
        games = phrase("of games", language, **shown)
    if (agreed := counts["as_recorded"]) is not None:
        check = describe_check(agreed, len(page.differences), language).rstrip(":") + "."
    return answer(lead, paragraphs(games, check))


def _check(page: SheetsPage) -> str:
    import polars as pl

    differences, language = page.differences, page.language
    if not len(differences):
        return ""
    shown = differences.head(LONGEST).with_columns(
        pl.col("reason").map_elements(lambda text: reason_in(text, language), return_dtype=pl.String)
    )
    rows = plain_table(shown, language, names={"written": "written value"})
    return section(
        "Check",
        language,
        text_table(rows, left=(2, 5), words=(0, 1)),
        rest(differences, language),
        download(differences, "differences.csv", phrase("Differences as a table", language)),
    )


def _scores(page: SheetsPage) -> str:
    if page.sheets["series"].n_unique() < 2:
        return ""
    draw = partial(score_chart, page.sheets["score"].to_list(), page.language)
    return section("Scores", page.language, figure(draw, phrase("scores rule", page.language)))


def _lists(page: SheetsPage) -> str:
    labels = page.sheets["series"].unique(maintain_order=True)
    if not len(labels):
        return ""
    html = ""
    for place, label in enumerate(labels.head(_MOST).to_list()):
        sheet = page.sheets.filter(series=label)
        rows = text_table(sheet_table(sheet, page.language, has_totals=page.has_totals), left=(1,))
        title = escape(f"{phrase('series', page.language)} {label}")
        is_open = " open" if place < _OPEN else ""
        html += f"<details{is_open}><summary>{title}</summary>{rows}</details>"
    return section(
        "Sheets",
        page.language,
        html,
        rest(labels.to_frame(), page.language, _MOST),
        download(page.sheets, "lists.csv", phrase("List as sheets", page.language)),
    )
