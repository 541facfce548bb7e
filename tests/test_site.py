"""The documentation site: pages in its tree, links that lead somewhere, names and commands, outputs that are real."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import click
import pytest

import ludometer
from ludometer.cli import cli

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
PACKAGES = ("curves", "learning", "measurement", "moves", "ratings", "read", "simulate", "skat", "strength")
RESULTS = ROOT / "benchmarks" / "results"

sys.path.insert(0, str(ROOT / "scripts"))
run_pages = importlib.import_module("run_pages")
make_interval_tables = importlib.import_module("make_interval_tables")


def relative(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


@cache
def prose(page: Path) -> str:
    """A page without its code."""
    text = re.sub(r"^(`{3,})[^\n]*\n.*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


@cache
def anchors(page: Path) -> set[str]:
    """The headings of a page as the code host and the site name them."""
    text = re.sub(r"^(`{3,})[^\n]*\n.*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(slug if slug not in found else f"{slug}-1")
    return found


def test_the_settings_of_the_site_can_be_imported() -> None:
    found = importlib.util.spec_from_file_location("conf", DOCS / "conf.py")
    assert found is not None
    assert found.loader is not None
    conf = importlib.util.module_from_spec(found)
    found.loader.exec_module(conf)
    assert conf.version == ludometer.__version__
    source = ["before\n<!-- screenshot: no-such-picture | A caption. | no-such-page.html -->\nafter"]
    conf.put_pictures(None, "guides/page", source)
    assert source == ["before\n\nafter"]
    lines = ["`a|b` is |x| * 2", ">>> 2 * 3"]
    conf.keep_signs(None, "", "", None, None, lines)
    assert lines == [r"`a|b` is \|x\| \* 2", ">>> 2 * 3"]


def test_every_page_is_in_the_tree_once() -> None:
    listed = ["index"]
    for page in PAGES:
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
            entries = [line.strip() for line in tree.splitlines() if line.strip() and not line.startswith(":")]
            listed += [(page.parent / entry).relative_to(DOCS).as_posix() for entry in entries]
    assert sorted(listed) == sorted(relative(page).removesuffix(".md") for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        assert not re.match(r"https?:", target), f"{target}: the site needs no network"
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        assert other.is_file(), target
        if other.suffix == ".md":
            assert other.is_relative_to(DOCS), f"{target} is not part of the site"
        if anchor:
            assert anchor in anchors(other), target


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_tests_that_a_page_names_are_there(page: Path) -> None:
    for path, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)", page.read_text(encoding="utf-8")):
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{name}"


def test_every_public_name_is_in_the_api_reference() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("api-*.md"))
    listed = re.findall(r"^\.\. auto\w+:: ludometer\.([\w.]+)$", text, re.M)
    assert len(listed) == len(set(listed))
    public = {name for name in listed if "." not in name}
    assert not {*ludometer.__all__} - {"__version__"} - public, "add them to docs/api-*.md"
    assert not public - {*ludometer.__all__}, "take them out of docs/api-*.md"
    short = {name.rsplit(".", 1)[-1] for name in listed}
    for package in PACKAGES:
        missing = set(importlib.import_module(f"ludometer.{package}").__all__) - short
        assert not missing, f"add them to docs/api-*.md, from ludometer.{package}"


def test_every_command_is_in_the_command_reference() -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    context = click.Context(cli, info_name="ludometer")
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        paths = [name]
        if isinstance(command, click.Group):
            paths += [f"{name} {inner}" for inner in command.list_commands(context)]
        for path in paths:
            assert f"Usage: ludometer {path} " in page, path


def test_the_tables_of_coverage_are_those_of_the_benchmarks() -> None:
    page = make_interval_tables.PAGE.read_text(encoding="utf-8")
    assert make_interval_tables.fill(page) == page, "run scripts/make_interval_tables.py"


def test_what_the_page_of_intervals_says_beside_its_tables_is_so() -> None:
    """Sentences about results: whoever changes the results reads them again."""
    recovery = json.loads((RESULTS / "recovery.json").read_text(encoding="utf-8"))
    bad = {
        f"{game}, {kind}"
        for game in ("40% deterministic", "60% chess")
        for kind, result in recovery[f"pairings, {game}"].items()
        if result["sound"] > 0 and abs(result["corrected"] - float(game.split("%")[0])) > 5
    }
    assert bad == {
        "60% chess, 20000 players, 60000 matches, closest of 8",
        "60% chess, 20000 players, 60000 matches, pools by strength",
    }
    closer = json.loads((RESULTS / "intervals.json").read_text(encoding="utf-8"))["assortative, sparse"]["all"]
    assert closer["as_if_random_x"]["coverage"] < closer["x"]["coverage"] < 0.95 - 2 * closer["x"]["standard_error"]


@pytest.mark.parametrize("page", run_pages.PAGES, ids=relative)
def test_a_page_shows_what_is_printed(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert run_pages.renew(text) == text, f"run scripts/run_pages.py {relative(page)}"


@pytest.mark.skipif(importlib.util.find_spec("sphinx") is None, reason="needs Sphinx: make docs builds the site")
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-n", "-q", str(DOCS), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in (page.relative_to(DOCS).with_suffix(".html") for page in PAGES):
        assert (tmp_path / name).is_file()
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', page.read_text(encoding="utf-8"))
        assert not loaded, f"{page.name} needs a network: {loaded}"
