"""Templates: what they are given is text, whatever it looks like; a slice's own extend those of the core."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import altair as alt
import jinja2
import polars as pl
import pytest

from ludometer.report.templates import Figure, environment, figures, number, percent, render
from ludometer.result import Provenance, Shown
from tests.report.test_injection import ATTRIBUTES, ELEMENTS, WICKED, Page


def part(call: str, **values: Any) -> str:
    """What one macro of parts.html makes of some values."""
    return environment().from_string(f'{{% import "parts.html" as parts %}}{{{{ parts.{call} }}}}').render(values)


def bars(names: tuple[str, ...]) -> Any:
    return alt.Chart(alt.InlineData(values=[{"name": name} for name in names])).mark_bar().encode(y="name:N")


@pytest.mark.parametrize("name", WICKED)
@pytest.mark.parametrize(
    "call",
    [
        "figure(chart, name)",
        "panels([chart.wide, chart.narrow], name)",
        "table([name, name], [[name, 1], [2.5, name]], words=[1], primary=true)",
        "download(frame, name, name)",
        "paragraphs([name, ''])",
        "bullets([name])",
        "numbers([[name, name, name, name]])",
    ],
)
def test_no_macro_lets_text_become_code(call: str, name: str) -> None:
    chart = Figure(bars((name, "Ann")), bars(("Ben", name)))
    page = Page(part(call, name=name, chart=chart, frame=pl.DataFrame({name: [name]})))
    assert page.tags <= ELEMENTS
    assert {attribute for _, attribute, _ in page.values} <= ATTRIBUTES
    assert page.others == []
    assert name in page.words or name in [value for _, _, value in page.values]


@pytest.mark.parametrize("name", WICKED)
def test_title_and_language_are_text(name: str) -> None:
    page = Page(render("base.html", title=name, language=name))
    assert page.tags == {"html", "head", "meta", "title", "style", "body", "main", "h1"}
    assert ("html", "lang", name) in page.values
    assert page.words.count(name) == 2


def test_a_name_that_reads_like_an_id_is_left_alone_beside_charts() -> None:
    name = ' id="a" url(#a) href="#a"'
    assert name in Page(part("figure(chart, name)", name=name, chart=Figure(bars((name,)), bars((name,))))).words


def test_a_value_that_is_missing_is_an_error_and_not_a_blank() -> None:
    with pytest.raises(jinja2.UndefinedError):
        render("base.html")


def test_a_slice_brings_templates_that_extend_those_of_the_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = tmp_path / "visiting" / "pages"
    pages.mkdir(parents=True)
    (tmp_path / "visiting" / "__init__.py").write_text("")
    (pages / "visit.html").write_text(
        '{% extends "base.html" %}{% import "parts.html" as parts %}'
        "{% block main %}{{ parts.bullets(players) }}{% endblock %}"
    )
    monkeypatch.syspath_prepend(tmp_path)
    text = render("visit.html", package="visiting", title="Go", players=["<Ann>"], language="de")
    assert text.startswith('<!DOCTYPE html>\n<html lang="de">')
    assert "<li>&lt;Ann&gt;</li>" in text
    with pytest.raises(jinja2.TemplateNotFound):
        render("visit.html", title="Go", players=[])


def test_the_charts_of_a_result_come_in_both_forms() -> None:
    class Drawn(Shown):
        provenance = Provenance("test")

        def summary(self) -> str:
            return "two charts"

        def to_frame(self) -> pl.DataFrame:
            return pl.DataFrame()

        def document(self) -> dict[str, Any]:
            return {}

        def charts(self, *, narrow: bool = False) -> dict[str, Any]:
            return {"first": f"first {narrow}", "second": f"second {narrow}"}

    drawn = figures(Drawn())
    assert [(name, one.wide, one.narrow) for name, one in drawn.items()] == [
        ("first", "first False", "first True"),
        ("second", "second False", "second True"),
    ]


def test_numbers_that_are_missing_are_dashes() -> None:
    assert (number(None), percent(None), percent(0.777), number(3.14159, 2)) == ("-", "-", "77.7%", "3.14")


def test_jinja_is_loaded_when_a_page_is_written_and_not_before() -> None:
    program = "import sys, ludometer.report.templates; sys.exit('jinja2' in sys.modules or 'altair' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
