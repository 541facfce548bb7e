"""The court's copy: what it holds, that any text is safe in it, and that the same content gives the same bytes."""

from __future__ import annotations

import io
import re
import sys
import zlib
from base64 import a85decode
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from ludometer.errors import LudometerError
from ludometer.measurement import Measurement, measure
from ludometer.measurement.legal.objections import list_objections
from ludometer.measurement.legal.questions import answer_questions
from ludometer.measurement.record.repeats import Repeats
from ludometer.measurement.record.tables import Flattened
from ludometer.parallel import Workers
from ludometer.report.court import Case, compose_court_copy
from ludometer.report.legal import LegalView
from ludometer.report.page import render_page
from ludometer.report.pdf import Block, Chart, Heading, Paper, Table, Text, render_pdf, write_pdf
from ludometer.simulate import simulate_coin, simulate_strengths

CASE = Case("Dr. Łukasz Müller", "12 O 345/26", (("game.csv", "0123" * 16),), "ludometer measure game.csv")


@cache
def game() -> Measurement:
    return measure(simulate_strengths(60, 3_000, sd=180, seed=1), replicates=19, workers=Workers(1))


@cache
def coin() -> Measurement:
    return measure(simulate_coin(40, 1_500, seed=2), replicates=19, workers=Workers(1))


def told(paper: Paper) -> str:
    """All words of a paper."""
    words = [paper.title, *(" ".join(row) for row in paper.front)]
    for block in paper.blocks:
        if isinstance(block, Heading):
            words.append(block.text)
        elif isinstance(block, Text):
            words.append(f"{block.bold} {block.text}")
        elif isinstance(block, Table):
            words += [" ".join(row) for row in (block.headers, *block.rows)]
        else:
            words.append(block.caption)
    return "\n".join(words)


def test_the_paper_holds_what_a_court_needs() -> None:
    found = game()
    paper = compose_court_copy("poker", found, CASE, remarks=["game.csv: 3,000 matches"])
    text = told(paper)
    assert found.verdict is not None
    assert found.shares is not None
    for wanted in (
        CASE.author,
        CASE.name,
        "0123" * 16,
        found.verdict.statement,
        str(found.shares[0]),
        "Predominance: is more than half",
        "Material element: is chance more than nothing?",
        "Tests that courts and regulators have used",
        "The verdict rests on none of these tests",
        "Likely objections",
        "game.csv: 3,000 matches",
        "SHA-256",
        CASE.command,
        f"ludometer {found.provenance.version}",
        str(found.provenance.data),
        found.verdict.primary,
    ):
        assert wanted in text, wanted
    assert all(test.literature.source in text for test in LegalView(found).tests)
    assert all(check.answer is None or check.answer in text for check in found.verdict.checks)
    assert sum(isinstance(block, Chart) for block in paper.blocks) == 2


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    paper = compose_court_copy("poker", game(), CASE)
    first, second = render_pdf(paper), render_pdf(paper)
    assert first == second
    assert first != render_pdf(replace(paper, title="another"))
    write_pdf(paper, tmp_path / "copy.pdf")
    assert (tmp_path / "copy.pdf").read_bytes() == first
    # no clock: the dates are those of a file without one
    assert set(re.findall(rb"D:(\d{8})", first)) == {b"20000101"}
    pages = len(re.findall(rb"/Type /Page\b(?!s)", first))
    assert pages >= 4
    assert len(re.findall(rb"/MediaBox \[ 0 0 595\.27\d* 841\.8\d* \]", first)) == pages


def test_any_text_can_be_printed() -> None:
    blocks: list[Block] = [
        Text("<b>no markup</b> & <script>", bold="<para>", bullet=True),
        Text("A" * 500),
        Text("名前 \x00 \ud800 Ω ł ж"),
        Table(["<a>", "b"], [["&", "x" * 300], ["", ""]], (0.5, 0.5)),
        Table((), [[str(row), "value"] for row in range(200)], (0.5, 0.5)),
        Heading(""),
    ]
    paper = Paper("T & <T>", blocks, author="名", footer="f" * 400, front=[("File", "C" * 300)])
    assert render_pdf(paper).startswith(b"%PDF-")


def test_pages_are_numbered() -> None:
    """The streams of pages hold glyphs, not letters: as many pages, as many different feet."""
    many = render_pdf(Paper("t", [Text("word") for _ in range(120)]))
    pages = len(re.findall(rb"/Type /Page\b(?!s)", many))
    streams = [
        zlib.decompress(a85decode(stream.strip(), adobe=False) if not stream.startswith(b"x") else stream)
        for stream in re.findall(rb"/ASCII85Decode /FlateDecode \][^\n]*\n>>\nstream\n(.*?)~>endstream", many, re.S)
    ]
    feet = {stream.rsplit(b"BT", 1)[-1] for stream in streams if b"BT" in stream}
    assert pages >= 3
    assert len(feet) == pages


def test_without_reportlab_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "reportlab", None)
    with pytest.raises(LudometerError, match=re.escape('pip install "ludometer[pdf]"')):
        render_pdf(Paper("t", []))


def test_the_questions_of_the_law_have_lines_of_their_own() -> None:
    predominance, material, chance = answer_questions(game())
    verdict = game().verdict
    assert verdict is not None
    assert predominance.answer == verdict.statement
    assert material.answer.startswith(("Yes", "No", "Not shown"))
    assert chance.answer.startswith("Yes")
    assert answer_questions(coin())[2].answer.startswith("Not shown")
    assert "coin had decided" in answer_questions(coin())[1].answer
    assert answer_questions(replace(game(), verdict=None)) == ()


def test_objections_are_answered_by_this_record() -> None:
    answers = {entry.objection: entry.answer for entry in list_objections(game())}
    shares = game().shares
    assert shares is not None
    assert f"{game().data.n_matches:,} matches" in answers["There are too few matches or players."]
    assert str(shares[1]) in answers["The yardstick was chosen to suit."]
    assert "first half" in answers["Players change with time."].lower()
    routes = game().routes
    assert routes is not None
    reacts = answers["Who meets whom depends on results (queues, Swiss, winner stays)."]
    assert str(routes.spread.deterministic.share) in reacts
    assert "no sign" in answers["The record holds matches twice."]
    assert len(answers) >= 12
    assert not any(re.search(r"\b(?:None|nan|inf)\b", answer) for answer in answers.values())


def test_objections_tell_what_was_found_in_a_record() -> None:
    found = game()
    study = replace(found.record, repeats=Repeats("mirrored", 2, 500, 500), flattened=Flattened("order", 70, 420, True))
    studied = replace(found, data=replace(found.data, study=study))
    answers = {entry.objection: entry.answer for entry in list_objections(studied)}
    assert "500 rows" in answers["The record holds matches twice."]
    assert "mirrored" in answers["The record holds matches twice."]
    assert "put together again" in answers["Rows are parts of larger tables or of team matches."]


def test_the_page_has_the_same_section() -> None:
    text = render_page([("poker", game())], command="ludometer measure x")
    assert "Tests that courts and regulators have used" in text
    assert "Material element" in text
    assert "Likely objections" in text
    quick = measure(simulate_coin(40, 1_500), quick=True)
    assert "courts and regulators" not in render_page([("coin", quick)], command="x")


def test_pictures_use_the_fonts_of_the_package() -> None:
    from PIL import Image

    from ludometer.report.pdf import _to_png

    picture = Image.open(io.BytesIO(_to_png(game().charts()["yardsticks"])))
    assert picture.width > 800
