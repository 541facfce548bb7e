"""Make the pictures of the documentation site: run ludometer on bundled files, take screenshots of the pages it writes.

    python scripts/make_screenshots.py build/screenshots

The folder gets reports/ with the pages themselves, a PNG of each, and an SVG of what the demo prints. A headless
Chromium draws the pages. Without one, the script says so and makes no PNGs; the site then links the pages.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

import ludometer
from run_pages import run

ROOT = Path(__file__).parents[1]
BUNDLED = Path(ludometer.__file__).parent / "demo"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH, HEIGHT = 1100, 860
"""Size of a screenshot in pixels."""

SECONDS = 120


def make_pages(folder: Path) -> dict[str, Path]:
    """Write the pages, by the name of their picture. Commands run in the folder, so that pages name no folders."""
    with contextlib.chdir(folder):
        printed = run(shlex.split("ludometer demo --html demo-report.html")).replace(str(BUNDLED), "…/ludometer/demo")
        Path("../demo-terminal.svg").write_text(draw_terminal("ludometer demo", printed), encoding="utf-8")
        inputs = [Path(name) for name in ("club.csv", "series.csv", "evaluations.csv")]
        shutil.copy(BUNDLED / "club.csv", "club.csv")
        play_series(Path("series.csv"))
        play_tournament()
        run(shlex.split("ludometer measure club.csv --html club-report.html"))
        run(shlex.split("ludometer skat rate series.csv --k 0.02 --start mean --html skat-report.html"))
        run(shlex.split("ludometer chess strength evaluations.csv --html chess-report.html"))
        for file in inputs:
            file.unlink()
    names = {"demo": "demo", "measure": "club", "skat": "skat", "chess": "chess"}
    return {name: folder / f"{report}-report.html" for name, report in names.items()}


def play_series(file: Path) -> None:
    """Simulate a year of a Skat club: series of 36 games at tables of three."""
    import numpy as np

    rng = np.random.default_rng(1)
    names = ["Anna", "Bert", "Carla", "Dirk", "Erna", "Franz", "Gerda", "Heinz", "Inge"]
    means = np.linspace(1050, 650, len(names))
    rows = ["series,player,score,date"]
    for week in range(52):
        seated = rng.permutation(len(names)).reshape(-1, 3)
        for table, players in enumerate(seated):
            scores = np.rint(rng.normal(means[players], 400))
            day = f"2025-{week // 4 % 12 + 1:02d}-{week % 4 * 7 + 1:02d}"
            series = week * len(seated) + table + 1
            rows += [f"{series},{names[who]},{score:.0f},{day}" for who, score in zip(players, scores, strict=True)]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")


def play_tournament() -> None:
    """Simulate the evaluations of the guide for chess analysts, by running its program."""
    page = (ROOT / "docs" / "guides" / "chess-analysts.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    exec(compile(program, "chess-analysts.md", "exec"), {})


def draw_terminal(title: str, printed: str) -> str:
    """A terminal with this text as SVG, without fonts from the network."""
    lines = printed.splitlines()
    console = Console(record=True, file=io.StringIO(), width=min(max(map(len, lines)), 125), legacy_windows=False)
    console.print(Text(printed.rstrip()))
    return re.sub(r"@font-face \{.*?\}\s*", "", console.export_svg(title=title), flags=re.S)


def find_browser() -> str | None:
    """Find a browser that can draw pages without a screen."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def photograph(browser: str, page: Path, picture: Path) -> None:
    """Take a screenshot of the top of a page."""
    command = [
        *(browser, "--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
        *(["--no-sandbox"] if os.geteuid() == 0 else []),  # Chromium refuses to sandbox root, as in containers
        f"--user-data-dir={picture.parent / 'browser'}",
        *(f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={picture}", page.as_uri()),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
    if not picture.exists():
        raise RuntimeError(f"{browser} drew no picture of {page.name}")


def main() -> None:
    """Make all pages and pictures in the folder given as argument."""
    folder = Path(sys.argv[1]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    reports = folder / "reports"
    reports.mkdir(parents=True)
    pages = make_pages(reports)
    browser = find_browser()
    if browser is None:
        print(f"no browser ({', '.join(BROWSERS)}): the site links the reports and has no pictures of them")
        return
    for name, page in pages.items():
        photograph(browser, page, folder / f"{name}.png")
    shutil.rmtree(folder / "browser", ignore_errors=True)


if __name__ == "__main__":
    main()
