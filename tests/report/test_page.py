"""The report: self-contained, well-formed, safe with any name, readable on a phone and on paper."""

from __future__ import annotations

import base64
import io
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from ludometer.games import simulate_coin, simulate_strengths
from ludometer.luck import Measurement, measure
from ludometer.matches import Matches
from ludometer.players import Players
from ludometer.report.charts import separate_ids
from ludometer.report.page import render_page, write_page

SCRIPT = "<script>alert(1)</script>"
VOID = {"meta", "br", "hr", "img", "input", "link"}
EVENTS = re.compile(r"on[a-z]+$")


@cache
def skill() -> Measurement:
    return measure(simulate_strengths(80, 4_000, sd=180, draws=0.1, seed=1))


@cache
def coin() -> Measurement:
    return measure(simulate_coin(50, 3_000, seed=2), quick=True)


@cache
def even() -> Measurement:
    return measure(Matches.of_pairs([0] * 60, [1] * 60, [0.5] * 60))


@cache
def nobody() -> Measurement:
    """A game without regulars."""
    return measure(simulate_strengths(100, 400, seed=3))


@cache
def wicked() -> Measurement:
    """Players whose names would like to be code."""
    names = [SCRIPT, '"><img src=x onerror=alert(1)>', "&amp;", "'onclick='x", "</td></table>", 'id="c1-a', "=1+1"]
    pairs = simulate_strengths(len(names), 900, seed=4).pairs
    return measure(Matches.of_pairs(pairs.first, pairs.second, pairs.halves, players=Players.named(names)))


GAMES: dict[str, list[tuple[str, Callable[[], Measurement]]]] = {
    "one": [("chess", skill)],
    "several": [("coin", coin), ("chess", skill), ("draws", even)],
    "quick": [("coin", coin)],
    "all draws": [("draws", even)],
    "nobody": [("club", nobody)],
    "nobody and others": [("club", nobody), ("chess", skill), ("coin", coin)],
    "nobody and one": [("club", nobody), ("chess", skill)],
    "nobody at all": [("club", nobody), ("cup", nobody)],
    "wicked": [(SCRIPT, wicked)],
    "wicked two": [(SCRIPT, wicked), ('"><img src=x onerror=alert(1)>', skill)],
}
KINDS = list(GAMES)


def games(kind: str) -> list[tuple[str, Measurement]]:
    return [(name, game()) for name, game in GAMES[kind]]


@cache
def page(kind: str) -> str:
    return render_page(games(kind), command=f"ludometer measure '{SCRIPT}.csv' --html report.html")


class Reader(HTMLParser):
    """Collects what a page holds and insists on balanced tags."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_needs_nothing_from_outside(kind: str) -> None:
    reader = Reader(page(kind))
    namespaces = {value for _, name, value in reader.attributes if name.startswith("xmlns")}
    assert set(re.findall(r"https?://[^\s\"'<>)]*", page(kind))) <= namespaces
    assert all(name.startswith("http://www.w3.org/") for name in namespaces)
    assert not reader.tags.keys() & {"script", "link", "iframe", "object", "embed", "img", "base", "form"}
    for tag, name, value in reader.attributes:
        assert not EVENTS.match(name), (tag, name)
        if name in {"href", "src", "xlink:href", "srcset", "action"}:
            assert value.startswith(("data:text/csv;base64,", "#")), (tag, name)
    style = re.findall(r"<style>(.*?)</style>", page(kind), re.S)
    assert len(style) == 1
    assert not re.search(r"@import|url\(", style[0])


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_balanced_and_says_what_it_is(kind: str) -> None:
    reader = Reader(page(kind))
    assert page(kind).startswith("<!DOCTYPE html>")
    assert [reader.tags[tag] for tag in ("html", "head", "title", "body", "main", "h1")] == [1] * 6
    assert ("html", "lang", "en") in reader.attributes
    assert ("meta", "charset", "utf-8") in reader.attributes
    assert any(name == "content" and value.startswith("width=device-width") for _, name, value in reader.attributes)
    assert not re.search(r"\b(?:nan|NaN|None|inf)\b", reader.text)


@pytest.mark.parametrize("kind", KINDS)
def test_no_id_is_used_twice(kind: str) -> None:
    ids = Counter(value for _, name, value in Reader(page(kind)).attributes if name == "id")
    assert not [name for name, count in ids.items() if count > 1]


def test_ids_of_several_drawings_are_kept_apart_and_words_are_left_alone() -> None:
    drawing = '<svg><clipPath id="a"/><g clip-path="url(#a)"/><use xlink:href="#a"/><text> id="a" url(#a)</text></svg>'
    text = separate_ids(f"<p>{drawing}</p><p>{drawing}</p>")
    attributes = Reader(text).attributes
    assert [value for _, name, value in attributes if name == "id"] == ["c1-a", "c2-a"]
    assert [value for _, name, value in attributes if name == "clip-path"] == ["url(#c1-a)", "url(#c2-a)"]
    assert [value for _, name, value in attributes if name == "xlink:href"] == ["#c1-a", "#c2-a"]
    assert text.count(' id="a" url(#a)</text>') == 2


@pytest.mark.parametrize("kind", ["one", "several", "nobody"])
def test_the_same_games_give_the_same_bytes(kind: str) -> None:
    again = render_page(games(kind), command=f"ludometer measure '{SCRIPT}.csv' --html report.html")
    assert again == page(kind)


@pytest.mark.parametrize("kind", ["wicked", "wicked two"])
def test_names_are_shown_as_they_are_and_never_run(kind: str) -> None:
    reader = Reader(page(kind))
    assert "<script" not in page(kind)
    assert "<img" not in page(kind)
    for name in wicked().players.names:
        assert name in reader.text
    assert f"{SCRIPT}.csv" in reader.text
    assert SCRIPT in reader.text


def test_one_game_is_answered_in_a_sentence_with_its_numbers() -> None:
    reader = Reader(page("one"))
    main = skill().main
    assert main.sd is not None
    assert main.p_sd is not None
    assert f"{main.sd:.1f}" in reader.text
    assert f"scores {main.p_sd:.1%}" in reader.text
    assert f"{main.rep:,}" in reader.text
    assert str(skill().provenance.data) in reader.text
    for heading in ("Does it depend on who counts?", "The players", "Does it predict?", "Other measures", "The data"):
        assert heading in reader.text
    # the scale twice (wide and narrow screens), cutoffs, histogram, calibration, loss
    assert reader.tags["svg"] == 6


def test_the_best_players_lead_the_list() -> None:
    best = int(np.argmax(skill().best_fit.rating))
    rows = re.findall(r"<tr><td>1</td><td class=\"left\">(.*?)</td><td>(.*?)</td>", page("one"))
    assert rows == [(str(skill().players.names[best]), f"{skill().best_fit.rating[best]:.0f}")]


def test_several_games_are_sorted_by_skill() -> None:
    text = page("several")
    summaries = re.findall(r"<summary>(.*?)</summary>", text)
    assert summaries == ["chess", "coin", "draws", "The published games"]
    assert "Most skill shows in <b>chess</b>" in text
    assert "least in <b>draws</b>" in text
    assert "The games side by side" in text


def test_a_game_that_cannot_be_told_is_not_called_the_least_skilful() -> None:
    assert "least in <b>coin</b>" in page("nobody and others")
    assert "Of 1 game these data cannot tell." in page("nobody and others")
    assert "Only <b>chess</b>" in page("nobody and one")
    assert "in no game do two players have enough matches" in page("nobody at all")
    assert "these data cannot tell: only 0 players have 25 matches or more" in page("nobody")


def downloads(text: str) -> dict[str, pl.DataFrame]:
    found = re.findall(r'download="([^"]+)" href="data:text/csv;base64,([^"]+)"', text)
    return {name: pl.read_csv(io.BytesIO(base64.b64decode(data))) for name, data in found}


def test_the_downloads_hold_the_tables() -> None:
    game, tables = skill(), downloads(page("one"))
    assert tables.keys() == {"ratings.csv", "sd-by-cutoff.csv", "spread.csv"}
    ratings = tables["ratings.csv"]
    assert ratings.columns == ["player", "rating", "matches"]
    expected = sorted(game.best_fit.rating[game.played >= 25], reverse=True)
    np.testing.assert_allclose(ratings["rating"].to_numpy(), expected)
    by_name = dict(zip(map(str, game.players.names), game.best_fit.rating, strict=True))
    for name, rating in ratings.select("player", "rating").iter_rows():
        assert by_name[str(name)] == pytest.approx(rating)
    sweep = tables["sd-by-cutoff.csv"]
    assert sweep["min_matches"].to_list() == list(range(1, 101))
    assert sweep["players"].to_list() == game.n_by_cutoff.tolist()
    for sd, wanted in zip(sweep["sd"].to_list(), game.sd_by_cutoff.tolist(), strict=True):
        assert (sd is None) == bool(np.isnan(wanted))
        assert sd is None or float(sd) == pytest.approx(wanted)
    assert tables["spread.csv"]["min_matches"].to_list() == [25, 1, 100]
    assert tables["spread.csv"]["sd"][0] == pytest.approx(game.main.sd)


def test_downloads_keep_names_that_would_like_to_be_code() -> None:
    names = downloads(page("wicked"))["ratings.csv"]["player"].to_list()
    assert sorted(names) == sorted(wicked().players.names)


def test_a_page_is_written_whole(tmp_path: Path) -> None:
    write_page(games("one"), tmp_path / "report.html", command="ludometer measure chess.csv")
    written = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert written == render_page(games("one"), command="ludometer measure chess.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def chromium(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("needs chromium; scripts/system-programs.sh installs it on Debian")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    return subprocess.run(
        [program, *flags, f"--user-data-dir={folder / 'profile'}", *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


@pytest.mark.parametrize("width", [360, 1100])
def test_a_page_is_no_wider_than_the_screen(tmp_path: Path, width: int) -> None:
    # a window of a browser may not get narrower than 500 px, a frame in it may: so the page is looked at in one
    path = tmp_path / "page.html"
    widths = "const root = document.documentElement; const widths = [root.scrollWidth, root.clientWidth, innerWidth]"
    measuring = f"<script>{widths}; parent.document.title = widths</script>"
    path.write_text(page("wicked two").replace("<details>", "<details open>") + measuring, encoding="utf-8")
    frame = tmp_path / "frame.html"
    style = f"width:{width}px; height:900px; border:0"
    frame.write_text(f'<!DOCTYPE html><title>?</title><iframe src="page.html" style="{style}"></iframe>')
    shown = chromium(
        tmp_path,
        "--allow-file-access-from-files",
        f"--window-size={max(width, 500) + 100},1000",
        "--dump-dom",
        frame.as_uri(),
    ).stdout
    content, visible, inner = map(int, re.findall(r"<title>(.*?)</title>", shown)[0].split(","))
    assert inner == width
    assert content <= visible


def test_a_page_prints(tmp_path: Path) -> None:
    path, paper = tmp_path / "page.html", tmp_path / "page.pdf"
    path.write_text(page("one"), encoding="utf-8")
    chromium(tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={paper}", path.as_uri())
    assert paper.read_bytes().startswith(b"%PDF-")
    assert paper.stat().st_size > 10_000
