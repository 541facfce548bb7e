"""Prints how large the source tree is, how its modules hang together, and how much of it usual commands touch.

    python scripts/measure_house.py
    python scripts/measure_house.py --src other/src --python other/.venv/bin/python

Imports are read from the sources, those inside functions and those for types too; command modules that are found by
their names at run time count as imported by nobody. Functions are counted with a profile hook in a second run, when
all is compiled; compiled functions are not seen by it.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compare_outputs import write_club, write_evaluations, write_season

PACKAGE = "ludometer"

COMMANDS = {
    "measure": ("measure", "club.csv"),
    "rate": ("rate", "club.csv"),
    "skat rate": ("skat", "rate", "season.csv"),
    "chess strength": ("chess", "strength", "evaluations.csv"),
}
"""What is run, on small files that are made here."""

_RUNS = 5

_WATCH = """
import json, sys, threading
out, package, *words = sys.argv[1:]
codes = set()

def watch(frame, event, _):
    if event == "call":
        codes.add(frame.f_code)

sys.argv = [package, *words]
threading.setprofile(watch)
sys.setprofile(watch)
try:
    __import__(package + ".cli")
    sys.modules[package + ".cli"].main()
except SystemExit as ending:
    assert not ending.code, ending.code
finally:
    sys.setprofile(None)
    threading.setprofile(None)
files = {name: getattr(module, "__file__", None) or "" for name, module in list(sys.modules.items())}
own = {file: name for name, file in files.items() if name.split(".")[0] == package and not name.endswith("__main__")}
# bodies of modules and classes are no functions (they have no fast locals), nor are comprehensions
called = {(own[c.co_filename], c.co_qualname) for c in codes
          if c.co_filename in own and c.co_flags & 1 and not c.co_name.startswith("<")}
others = {name.split(".")[0] for name, file in files.items() if "site-packages" in file}
found = {
    "loaded": sorted(set(own.values())),
    "called": sorted(called),
    "packages": sorted(name for name in others if not name.startswith("_") and name != package),
}
with open(out, "w") as stream:
    json.dump(found, stream)
"""
"""A program that runs a command of the package and tells what was loaded and called."""


@dataclass(frozen=True)
class Import:
    """That a module imports another, or a name from it."""

    importer: str
    module: str
    name: str | None = None


def read_modules(package: Path) -> dict[str, ast.Module]:
    """All modules by their full names."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    return found


def find_imports(modules: dict[str, ast.Module], packages: set[str]) -> Iterator[Import]:
    """Each import of one module of the tree by another, wherever it stands."""
    for importer, tree in modules.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from (Import(importer, alias.name) for alias in node.names if alias.name in modules)
            elif isinstance(node, ast.ImportFrom):
                source = _absolute(node, importer, importer in packages)
                for alias in node.names:
                    if f"{source}.{alias.name}" in modules:
                        yield Import(importer, f"{source}.{alias.name}")
                    elif source in modules:
                        yield Import(importer, source, alias.name)


def _absolute(node: ast.ImportFrom, importer: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = importer.split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join([*parts, *([node.module] if node.module else [])])


def count_importers(modules: dict[str, ast.Module], imports: list[Import]) -> dict[str, int]:
    """Module → how many others import it."""
    importers: dict[str, set[str]] = {name: set() for name in modules}
    for one in imports:
        if one.importer != one.module:
            importers[one.module].add(one.importer)
    return {name: len(who) for name, who in importers.items()}


def follow_exports(imports: list[Import], packages: set[str]) -> list[Import]:
    """The same with names traced through packages to where they are defined, and without what packages only pass on."""
    homes: dict[tuple[str, str | None], str] = {
        (one.importer, one.name): one.module for one in imports if one.importer in packages and one.name
    }
    traced = []
    for one in imports:
        module = one.module
        while (module, one.name) in homes and homes[module, one.name] != module:
            module = homes[module, one.name]
        if one.importer not in packages:
            traced.append(Import(one.importer, module, one.name))
    return traced


def describe_tree(package: Path) -> Iterator[tuple[str, str]]:
    """Sizes and imports, as rows of a table."""
    modules = read_modules(package)
    paths = sorted(package.rglob("*.py"))
    lines = {str(path.relative_to(package)): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    packages = {name for name in modules if (package.parent / Path(*name.split(".")) / "__init__.py").exists()}
    largest = max(lines, key=lambda name: lines[name])
    yield "modules", f"{len(lines):,}"
    yield "lines", f"{sum(lines.values()):,}"
    yield "largest module", f"{lines[largest]:,} lines ({largest})"
    yield "median module", f"{statistics.median(lines.values()):,.0f} lines"
    yield "modules of fewer than 100 lines", f"{sum(count < 100 for count in lines.values()):,}"
    imports = list(find_imports(modules, packages))
    direct = count_importers(modules, imports)
    traced = count_importers(modules, follow_exports(imports, packages))
    yield "imports between modules", f"{len({(one.importer, one.module) for one in imports}):,}"
    yield "imported by exactly one other module", f"{sum(count == 1 for count in direct.values()):,}"
    users = sum(count == 1 for name, count in traced.items() if name not in packages)
    yield "  the same, names traced through __init__", f"{users:,}"


def count_public_names(python: Path, src: Path) -> int:
    """How many names the package offers."""
    code = f"import {PACKAGE}; print(len({PACKAGE}.__all__))"
    return int(_run(python, src, "-c", code))


def watch_command(python: Path, src: Path, folder: Path, words: tuple[str, ...]) -> dict[str, Any]:
    """What a command loads and calls, once all is compiled."""
    _run(python, src, "-c", f"from {PACKAGE}.cli import main; main()", *words, folder=folder)
    out = folder / "watched.json"
    _run(python, src, "-c", _WATCH, str(out), PACKAGE, *words, folder=folder)
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def describe_commands(python: Path, src: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """What usual commands touch, as rows of a table."""
    for name, words in COMMANDS.items():
        found = watch_command(python, src, folder, words)
        yield f"{name}: modules loaded", f"{len(found['loaded']):,}"
        yield f"{name}: modules with a function called", f"{len({module for module, _ in found['called']}):,}"
        yield f"{name}: functions called", f"{len(found['called']):,}"
        yield f"{name}: other packages loaded", f"{len(found['packages'])} ({', '.join(found['packages'])})"


def describe_start(python: Path, src: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """How long a small command takes beside the imports that it cannot do without, on the clock and of the CPU."""
    rate = ("-c", f"from {PACKAGE}.cli import main; main()", "rate", "club.csv")
    rating, importing = [], []
    for _ in range(_RUNS):
        rating.append(_take_time(python, src, folder, *rate))
        importing.append(_take_time(python, src, folder, "-c", "import numba, polars"))
    for place, kind in enumerate(("seconds", "CPU seconds")):
        ours, theirs = (min(times[place] for times in runs) for runs in (rating, importing))
        yield f"rate: {kind}, best of {_RUNS}", f"{ours:.2f}"
        yield f"import numba, polars: {kind}, best of {_RUNS}", f"{theirs:.2f}"
        yield f"ratio of {kind}", f"{ours / theirs:.2f}"


def _take_time(python: Path, src: Path, folder: Path, *words: str) -> tuple[float, float]:
    """Seconds on the clock and of the CPU."""
    before, start = os.times(), time.perf_counter()
    _run(python, src, *words, folder=folder)
    took, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return took, used


def _run(python: Path, src: Path, *words: str, folder: Path | None = None) -> str:
    """What a program prints, with this source tree before any that is installed."""
    done = subprocess.run(
        [str(python), *words],
        cwd=folder,
        env=dict(os.environ) | {"PYTHONPATH": str(src)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(words[-3:])} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--src", type=Path, default=Path("src"), help="folder that holds the package")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="Python with all it needs")
    options = parser.parse_args()
    src, python = options.src.absolute(), options.python.absolute()
    rows = [*describe_tree(src / PACKAGE), ("public names", f"{count_public_names(python, src):,}")]
    with tempfile.TemporaryDirectory(prefix="ludometer-house-") as name:
        folder = Path(name)
        for write in (write_club, write_season, write_evaluations):
            write(folder)
        rows += [*describe_commands(python, src, folder), *describe_start(python, src, folder)]
    width = max(len(label) for label, _ in rows)
    print("\n".join(f"{label:{width}}  {value}" for label, value in rows))


if __name__ == "__main__":
    main()
