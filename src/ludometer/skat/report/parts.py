"""What the pages of the Skat commands have in common: the frame, sections, tables, and the command that made them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ludometer.report.files import replacing
from ludometer.report.frame import frame_page
from ludometer.report.parts import paragraphs, table
from ludometer.skat.report.phrases import phrase
from ludometer.skat.report.text import Table
from ludometer.skat.words import Language

if TYPE_CHECKING:
    import polars as pl

    from ludometer.result import Provenance

LONGEST = 200
"""Rows of a table on the page; all of them are in the file to download."""


def write_page(path: Path, title: str, parts: Sequence[str], language: Language) -> None:
    """One page without network or scripts."""
    body = "".join([f"<h1>{escape(title)}</h1>", *parts])
    with replacing(path) as draft:
        draft.write_text(frame_page(title, body, language=language), encoding="utf-8")


def answer(lead: str, *parts: str) -> str:
    """The first section: one sentence that says it, and what belongs to it."""
    return f'<section class="answer"><p class="lead">{escape(lead)}</p>{"".join(parts)}</section>'


def section(title: str, language: Language, *parts: str) -> str:
    """A section under a title in the language."""
    return f"<section><h2>{escape(phrase(title, language))}</h2>{''.join(parts)}</section>"


def text_table(rows: Table, *, left: Sequence[int] = (0,), words: Sequence[int] = ()) -> str:
    """A table of headings and rows."""
    return table(*rows, left=left, words=words)


def rest(frame: pl.DataFrame, language: Language, shown: int = LONGEST) -> str:
    """How many rows are not shown, if any."""
    return paragraphs(phrase("and more", language, n=f"{len(frame) - shown:,}") if len(frame) > shown else "")


def method(provenance: Provenance, command: str, language: Language, texts: Sequence[str]) -> str:
    """How it was done: formulas in words, parameters, version, and the command to repeat it."""
    said = ", ".join(f"{name} = {value}" for name, value in provenance.parameters.items() if name != "source")
    found = f". {phrase('Fingerprint', language)} <code>{escape(str(provenance.data))}</code>."
    return section(
        "Method",
        language,
        paragraphs(*texts),
        f"<p><code>{escape(provenance.method)}: {escape(said)}</code></p>" if said else "",
        f"<p>{phrase('Repeat with', language)}</p><pre>{escape(command)}</pre>",
        f"<p>ludometer {escape(provenance.version)}{'' if provenance.data is None else found}</p>",
    )
