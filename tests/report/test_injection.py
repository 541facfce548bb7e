"""Names from files and from the command line are shown, never run: in pages, in tables inside them, on a terminal."""

from __future__ import annotations

import base64
import io
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from ludometer.errors import LudometerError
from ludometer.report.templates import environment
from tests.cli import conftest as command_line
from tests.cli.conftest import Run

run = command_line.run

RUNS = "top.document.title='pwned'"
WICKED = (
    f"<script>{RUNS}</script>",
    f'"><img src=x onerror="{RUNS}">',
    f"'><svg onload={RUNS}>",
    f"</script></style></title><script>{RUNS}</script>",
    f'</text></svg><iframe srcdoc="<script>{RUNS}</script>">',
    f']]><!--<a href="javascript:{RUNS}">x</a>',
    "&lt;b&gt; &#60;i&#62; {{7*7}} ${7*7}",
    "line\u2028separator\u2029and \u202eright to left",
    '=HYPERLINK("http://x","y")',
    "\x1b[2J\x1b]0;title\x07 bell",
)
TAME = tuple(f"Player {place}" for place in range(len(WICKED)))
FILE = "<img src=x onerror=top[`document`][`title`]=`pwned`>\"'&"
"""A name of a file: without slashes and dots."""

ELEMENTS = frozenset(
    re.findall(
        r"\S+",
        """
        a b body br circle clippath code defs details div ellipse figcaption figure g h1 h2 h3 head html i li line
        main meta ol p path pre rect section small span strong style sub summary sup svg table tbody td text th
        thead title tr tspan ul
        """,
    )
)
"""What pages are made of: nothing that loads, runs, or asks."""

ATTRIBUTES = frozenset(
    re.findall(
        r"\S+",
        """
        aria-hidden aria-label aria-roledescription charset class clip-path content cx cy d display download dx dy
        fill fill-opacity font-family font-size font-style font-weight height href id lang name opacity open
        pointer-events r role rx ry scope stroke stroke-dasharray stroke-linecap stroke-linejoin stroke-miterlimit
        stroke-opacity stroke-width style text-anchor transform version viewbox width x x1 x2 xmlns xmlns:xlink y y1
        y2
        """,
    )
)


class Page(HTMLParser):
    """The elements of a page with their attributes, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.values: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.others: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.values += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)


Make = Callable[[Any, Path, tuple[str, ...], str], Path]


def _csv(path: Path, columns: dict[str, Any]) -> Path:
    pl.DataFrame(columns).write_csv(path)
    return path


def _matches(names: tuple[str, ...], n: int = 400) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    first = rng.integers(len(names), size=n)
    second = (first + rng.integers(1, len(names), size=n)) % len(names)
    won = rng.random(n) < 1 / (1 + np.exp((first - second) / 3.0))
    return {"player_1": [names[k] for k in first], "player_2": [names[k] for k in second], "score_1": won.astype(int)}


def measure_one(run: Run, folder: Path, names: tuple[str, ...], file: str) -> Path:
    path, page = _csv(folder / f"{file}.csv", _matches(names)), folder / "one.html"
    done = run("measure", path, "--replicates", 19, "--luck-draws", 0, "--jobs", 1, "--html", page)
    assert done.status == 0, done.err
    return page


def measure_groups(run: Run, folder: Path, names: tuple[str, ...], file: str) -> Path:
    columns = _matches(names, 600)
    columns[names[0]] = [names[1 + k % 2] for k in range(600)]
    path, page = _csv(folder / f"{file}.csv", columns), folder / "groups.html"
    done = run("measure", path, "--quick", "--by", names[0], "--html", page)
    assert done.status == 0, done.err
    return page


def measure_prizes(run: Run, folder: Path, names: tuple[str, ...], file: str) -> Path:
    rng = np.random.default_rng(6)
    seats = np.concatenate([rng.permutation(len(names))[:3] for _ in range(300)])
    columns = {
        "match": np.repeat(np.arange(300), 3),
        "player": [names[k] for k in seats],
        "place": np.tile([1, 2, 3], 300),
        names[1]: np.tile([5, 2, 0], 300),
    }
    path, page = _csv(folder / f"{file}.csv", columns), folder / "prizes.html"
    done = run("measure", path, "--quick", "--prizes", names[1], "--html", page)
    assert done.status == 0, done.err
    return page


def rate_skat(run: Run, folder: Path, names: tuple[str, ...], file: str) -> Path:
    rows = [(n, names[(n + seat) % len(names)], 700 + 90 * seat + n % 7) for n in range(40) for seat in range(3)]
    columns = {
        "series": [row[0] for row in rows],
        "player": [row[1] for row in rows],
        "score": [row[2] for row in rows],
    }
    path, page = _csv(folder / f"{file}.csv", columns), folder / "skat.html"
    teams = _csv(folder / "teams.csv", {"player": list(names), "team": [names[k // 3] for k in range(len(names))]})
    words = ("--titles", f"500={FILE.replace(',', ' ')}", "--draw", names[2], "--explain", names[2], "--teams", teams)
    done = run("skat", "rate", path, *words, "--html", page)
    assert done.status == 0, done.err
    assert "\x1b" not in done.out
    return page


def chess_strength(run: Run, folder: Path, names: tuple[str, ...], file: str) -> Path:
    pytest.importorskip("chess", reason="python-chess is not installed")
    rng = np.random.default_rng(7)
    games = []
    for n in range(50):
        white, black = names[n % len(names)], names[(n + 1 + n // 9) % len(names)]
        tags = {"White": white, "Black": black, "Event": names[n % 2], "Result": "*", "WhiteElo": "1800"}
        head = "".join('[{} "{}"]\n'.format(k, v.replace("\\", "\\\\").replace('"', '\\"')) for k, v in tags.items())
        moves = " ".join(f"{m} {{[%eval {rng.normal(0, 0.3):.2f}]}}" for m in ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6"))
        games.append(f"{head}\n{moves} *\n")
    path, page = folder / f"{file}.pgn", folder / "chess.html"
    path.write_text("\n".join(games), encoding="utf-8")
    done = run("chess", "strength", path, "--replicates", 20, "--html", page)
    assert done.status == 0, done.err
    assert "\x1b" not in done.out
    return page


PAGES: dict[str, Make] = {
    "one game": measure_one,
    "groups": measure_groups,
    "prizes": measure_prizes,
    "skat": rate_skat,
    "chess": chess_strength,
}
_SEEN: dict[str, Path] = {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.mark.parametrize("kind", PAGES)
def test_wicked_names_add_no_element_and_no_attribute(run: Run, folder: Path, kind: str) -> None:
    wicked = Page(_written(run, folder, kind).read_text(encoding="utf-8"))
    assert wicked.tags <= ELEMENTS
    assert {name for _, name, _ in wicked.values} <= ATTRIBUTES
    assert wicked.others == []
    for tag, name, value in wicked.values:
        assert not re.match(r"on[a-z]", name), (tag, name)
        if name in ("href", "src", "srcdoc", "xlink:href", "action", "style"):
            assert "javascript" not in value
            assert "pwned" not in value
    # they are there as words
    text = "".join(wicked.words)
    shown = [name for name in WICKED if name in text]
    assert len(shown) >= 3
    assert "onerror=top[`document`]" in text


def _written(run: Run, folder: Path, kind: str) -> Path:
    if kind not in _SEEN:
        (folder / kind).mkdir()
        _SEEN[kind] = PAGES[kind](run, folder / kind, WICKED, FILE)
    return _SEEN[kind]


def test_nothing_runs_in_a_browser(run: Run, folder: Path) -> None:
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("needs chromium; scripts/system-programs.sh installs it on Debian")
    pages = [_written(run, folder, kind) for kind in PAGES]
    control = folder / "control.html"
    control.write_text("<script>top.document.title += ' control'</script>", encoding="utf-8")
    frames = "".join(f'<iframe src="{path.as_uri()}"></iframe>' for path in (*pages, control))
    frame = folder / "frame.html"
    frame.write_text(f"<!DOCTYPE html><title>quiet</title>{frames}", encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    shown = subprocess.run(
        [program, *flags, f"--user-data-dir={folder / 'profile'}", "--allow-file-access-from-files",
         "--virtual-time-budget=3000", "--dump-dom", frame.as_uri()],
        capture_output=True, text=True, check=True, timeout=120,
    ).stdout  # fmt: skip
    assert re.findall(r"<title>(.*?)</title>", shown) == ["quiet control"]


def test_formulas_are_defused_in_tables_to_download_and_other_names_are_left() -> None:
    names = [
        '=HYPERLINK("http://x")',
        "@SUM(1)",
        "+cmd|' /C calc'!A0",
        "-2+3(x)",
        "\t=f(x)",
        "=Anna=",
        "-1",
        "@nick",
        "O'Neil",
    ]
    frame = pl.DataFrame({"player": names, "rating": [1.5] * 9})
    html = _part("download(frame, name, label)", frame=frame, name='a"b.csv', label="All <b>")
    (data,) = re.findall(r'base64,([^"]*)"', html)
    found = pl.read_csv(io.BytesIO(base64.b64decode(data)))["player"].to_list()
    assert found == [*(f"'{name}" for name in names[:5]), *names[5:]]
    page = Page(html)
    assert [value for _, name, value in page.values if name == "download"] == ['a"b.csv']
    assert [word for word in page.words if word.strip()] == ["All <b> (CSV)"]


def _part(call: str, **values: Any) -> str:
    return environment().from_string(f'{{% import "parts.html" as parts %}}{{{{ parts.{call} }}}}').render(values)


def test_cells_and_headings_are_words() -> None:
    page = Page(_part("table(headers, [headers])", headers=WICKED[:6]))
    assert page.tags == {"div", "table", "thead", "tbody", "tr", "th", "td"}
    assert [word for word in page.words if word.strip()] == [*WICKED[:6], *WICKED[:6]]


def test_a_file_name_that_is_no_text_ends_in_a_message_or_a_page(run: Run, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.csv")
    page, document = tmp_path / "page.html", tmp_path / "out.json"
    path.write_bytes(pl.DataFrame(_matches(TAME, 200)).write_csv().encode())
    done = run("measure", path, "--quick", "--html", page, "--json", document)
    assert done.status == 0, done.err
    assert "Traceback" not in done.err
    assert "caf" in page.read_text(encoding="utf-8")
    assert "caf" in document.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [WICKED[-1], "\x9b31m", "\x00", "\u202e"])
def test_messages_cannot_write_on_the_screen(run: Run, tmp_path: Path, name: str) -> None:
    path = tmp_path / "games.csv"
    path.write_text(f"winner,loser,{name}\nAnn,Ann,x\n", encoding="utf-8")
    for words in (("rate", path), ("rate", path, "--by", "nobody"), ("predict", path, name.replace("\x00", ""), "Ben")):
        done = run(*words)
        assert done.status == 2
        assert not [sign for sign in done.err + done.out if not (sign.isprintable() or sign == "\n")]


def test_a_message_is_short_whatever_it_quotes() -> None:
    assert len(str(LudometerError("no column " + "x" * 100_000 + ": name another"))) < 300
    assert str(LudometerError("no column " + "x" * 100_000 + ": name another")).endswith(": name another")
    assert len(str(LudometerError("many words " * 10_000))) <= 1_000
