"""ludometer doctor: what is installed."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil

import click

from ludometer.report.text import format_table
from ludometer.version import __version__

PACKAGES = ("altair", "click", "joblib", "numba", "numpy", "polars", "rich", "scipy", "vl-convert-python", "zstandard")
CLUSTER = ("dask", "distributed")
"""For --cluster only: pip install 'ludometer[cluster]'."""

PROGRAMS = {
    "chromium": "a browser, to look at reports in the tests",
    "stockfish": "a chess engine",
    "gnubg": "a backgammon engine",
    "xskat": "plays Skat",
}
"""Programs that parts of ludometer or its tests use where they are; scripts/system-programs.sh installs them."""


@click.command("doctor")
def command() -> None:
    """Tell which versions are installed and which programs were found."""
    import polars as pl

    click.echo(f"ludometer {__version__}, Python {platform.python_version()}, {platform.machine()}\n")
    versions = [[name, _version(name)] for name in (*PACKAGES, *CLUSTER)]
    click.echo(format_table(["package", "version"], versions, left=(0, 1)))
    if any(_version(name) == _MISSING for name in CLUSTER):
        click.echo("\n--cluster needs Dask: pip install 'ludometer[cluster]'")
    found = [[name, find_program(name) or "not found", use] for name, use in PROGRAMS.items()]
    click.echo("\n" + format_table(["program", "where", "what for"], found, left=(0, 1, 2)))
    missing = [name for name in PROGRAMS if not find_program(name)]
    if missing:
        click.echo(f"\nOn Debian: apt-get install {' '.join(missing)}. Nothing above needs them but what they are for.")
    click.echo(f"\n{pl.thread_pool_size()} threads for reading")


_MISSING = "not found"


def find_program(name: str) -> str | None:
    """Where a program is; Debian keeps games out of the usual path."""
    return shutil.which(name) or shutil.which(name, path="/usr/games")


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return _MISSING
