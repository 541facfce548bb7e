"""What the documentation shows is true: examples run, commands and names are there, pages are up to date."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import ludometer
from ludometer.read.columns import names as columns
from tests.cli.conftest import Run, run

__all__ = ["run"]

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


def test_the_readmes_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = blocks(ROOT / "README.md", "python")
    exec(compile(program, "README.md", "exec"), {})
    assert "Ann" in capsys.readouterr().out


RUNNING = (
    *("advice.md", "arena.md", "luck.md", "curves.md", "systems.md", "noise.md", "learning.md"),
    *(
        "skat.md",
        "backgammon.md",
        "chess.md",
        "engines.md",
        "files.md",
        "long-runs.md",
        "ratings.md",
        "record.md",
        "state-space-teams.md",
    ),
)


@pytest.mark.parametrize("page", RUNNING)
def test_the_python_of_a_page_runs(page: str) -> None:
    programs = blocks(ROOT / "docs" / page, "python")
    assert programs
    for program in programs:
        exec(compile(program, page, "exec"), {})


def test_the_readmes_commands_print_what_they_show(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = 0
    for block in blocks(ROOT / "README.md", "console"):
        for entry in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = entry.partition("\n")
            words = command.replace('"', "").split()
            if words[0] == "cat":
                Path(words[1]).write_text(output)
                continue
            done = run(*words[1:])
            assert done.status == 0, done.err
            assert done.out.rstrip() == output.rstrip()
            shown += 1
    assert shown >= 4


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "make_docs.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("package", ["", ".curves", ".learning", ".measurement", ".ratings", ".simulate", ".strength"])
def test_every_public_name_has_a_docstring(package: str) -> None:
    module = import_module(f"ludometer{package}")
    for name in module.__all__:
        assert getattr(module, name).__doc__, name


def test_the_top_level_stays_small() -> None:
    assert len(ludometer.__all__) <= 45


def test_every_column_name_of_the_contract_is_documented() -> None:
    page = (ROOT / "docs" / "files.md").read_text()
    points = tuple(name for pair in columns.POINTS for name in pair)
    for name in (
        *columns.FIRST,
        *columns.SECOND,
        *columns.RESULT,
        *points,
        *columns.TIME,
        *columns.MATCH,
        *columns.PLACE,
    ):
        assert f"`{name}`" in page, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_importing_ludometer_loads_no_library() -> None:
    program = (
        "import sys, ludometer; sys.exit(', '.join(m for m in ('numpy', 'polars', 'numba') if m in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = ludometer.nonsense
    assert "rate" in dir(ludometer)


def test_the_rooms_on_the_architecture_page_are_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    source = ROOT / "src" / "ludometer"
    named = re.findall(r"`([a-z_]+(?:/[a-z_]*)+)`", page)
    assert len(named) > 30
    for name in named:
        assert (source / name).is_dir() or (source / f"{name}.py").is_file(), name


def test_the_glossary_is_short_and_in_order() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| ([^|]+) \|", page.split("## Glossary")[1], re.M)[2:]
    assert 40 < len(words) <= 60
    assert words == sorted(words, key=lambda word: word.replace("ℓ²", "l2").lower())
