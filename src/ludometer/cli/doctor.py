"""ludometer doctor: what is installed."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess

import click

from ludometer.programs import find_program
from ludometer.report.text import format_table
from ludometer.version import __version__

PACKAGES = ("altair", "click", "joblib", "numba", "numpy", "polars", "rich", "scipy", "vl-convert-python", "zstandard")
EXTRAS = {
    "chess": ("chess analyse, follow, play and games of other starts", ("chess",)),
    "cluster": ("--cluster: work on several machines", ("dask", "distributed")),
}
"""Parts that pip installs on request only, what they are for, and their packages."""

PROGRAMS = {
    "stockfish": ("chess analyse, follow and play", ()),
    "gnubg": ("backgammon analyse and play", ("--version",)),
    "xskat": ("plays Skat games for the bundled record", None),
    "chromium": ("a browser, to look at reports in the tests", ("--version",)),
}
"""Programs that parts of ludometer or its tests use where they are, and how they tell their version (None: not)."""

_PATIENCE = 10.0
_MISSING = "not found"


@click.command("doctor")
def command() -> None:
    """Tell which versions are installed, which programs were found, and how to get what is missing.

    \b
    ludometer doctor
    """
    import polars as pl

    from ludometer.kernels.runtime.compile import JIT, cache_folder

    click.echo(
        f"ludometer {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}\n"
    )
    click.echo(format_table(["package", "version"], [[name, _version(name)] for name in PACKAGES], left=(0, 1)))
    rows = [[name, package, _version(package), use] for name, (use, parts) in EXTRAS.items() for package in parts]
    click.echo("\n" + format_table(["extra", "package", "version", "what for"], rows, left=(0, 1, 2, 3)))
    for name, (_, parts) in EXTRAS.items():
        if any(_version(package) == _MISSING for package in parts):
            click.echo(f"  to install it: pip install '.[{name}]'")
    found = [[name, find_program(name) or _MISSING, _ask(name), use] for name, (use, _) in PROGRAMS.items()]
    click.echo("\n" + format_table(["program", "where", "version", "what for"], found, left=(0, 1, 2, 3)))
    missing = [name for name in PROGRAMS if not find_program(name)]
    if missing:
        click.echo(f"  on Debian or Ubuntu: apt-get install {' '.join(missing)}; nothing else needs them")
    lacks = [name for name in PACKAGES if _version(name) == _MISSING]
    click.echo(f"\nmissing: {', '.join(lacks)}; install ludometer again" if lacks else "\nEverything needed is there.")
    click.echo(f"{pl.thread_pool_size()} threads for reading")
    click.echo(f"compiled kernels: {cache_folder()}" if JIT else "kernels run as plain Python (NUMBA_DISABLE_JIT)")


def _ask(name: str) -> str:
    """The first line with a number in it of what a program says of itself."""
    where, how = find_program(name), PROGRAMS[name][1]
    if where is None:
        return ""
    if how is None:
        return "not told"
    try:
        told = subprocess.run(
            [where, *how],
            input="quit\n",
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "does not answer"
    said = next((line.strip() for line in told.splitlines() if any(c.isdigit() for c in line)), "")
    return said.split(" by ")[0].split(" built ")[0][:40]


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return _MISSING
