"""ludometer doctor: what is installed."""

from __future__ import annotations

import importlib
import importlib.metadata
import platform
import subprocess

import click

from ludometer.extensions import COMMANDS, find_extensions
from ludometer.programs import Extra, Program, find_program
from ludometer.version import __version__
from ludometer.wording import format_table

PACKAGES = (
    "altair",
    "click",
    "jinja2",
    "numba",
    "numpy",
    "polars",
    "rich",
    "scipy",
    "vl-convert-python",
    "zstandard",
)
EXTRAS = (
    Extra("cluster", "--cluster: work on several machines", ("dask", "distributed"), "pip install '.[cluster]'"),
    Extra("pdf", "measure --pdf: the court's copy", ("reportlab",), "pip install '.[pdf]'"),
)
PROGRAMS = (Program("chromium", "a browser that looks at reports in the tests", ("--version",)),)

_PATIENCE = 10.0
_MISSING = "not found"


@click.command("doctor")
def command() -> None:
    """Show which versions are installed, which programs were found, and how to install what is missing.

    \b
    ludometer doctor
    """
    extras, programs = _wanted()
    click.echo(
        f"ludometer {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}\n"
    )
    click.echo(format_table(["package", "version"], [[name, _version(name)] for name in PACKAGES], left=(0, 1)))
    click.echo("\n" + _describe_extras(extras))
    click.echo("\n" + _describe_programs(programs))
    lacks = [name for name in PACKAGES if _version(name) == _MISSING]
    click.echo(f"\nmissing: {', '.join(lacks)}; install ludometer again" if lacks else "\nEverything needed is there.")
    click.echo(_describe_runtime())


def _wanted() -> tuple[list[Extra], list[Program]]:
    """Extras and programs of the commands that slices and other packages add, and our own."""
    modules = [importlib.import_module(reference.partition(":")[0]) for reference in find_extensions(COMMANDS).values()]
    extras = [extra for module in modules for extra in getattr(module, "EXTRAS", ())]
    programs = [program for module in modules for program in getattr(module, "PROGRAMS", ())]
    return [*extras, *EXTRAS], [*programs, *PROGRAMS]


def _describe_extras(extras: list[Extra]) -> str:
    rows = [[extra.name, name, _version(name), extra.purpose] for extra in extras for name in extra.packages]
    lines = [format_table(["extra", "package", "version", "what for"], rows, left=(0, 1, 2, 3))]
    missing = (extra for extra in extras if any(_version(package) == _MISSING for package in extra.packages))
    return "\n".join([*lines, *(f"  to install {extra.name}: {extra.install}" for extra in missing)])


def _describe_programs(programs: list[Program]) -> str:
    rows = [[one.name, find_program(one.name) or _MISSING, _ask(one), one.purpose] for one in programs]
    lines = [format_table(["program", "where", "version", "what for"], rows, left=(0, 1, 2, 3))]
    if missing := [one.name for one in programs if not find_program(one.name)]:
        lines.append(f"  on Debian or Ubuntu: apt-get install {' '.join(missing)}; nothing else needs them")
    return "\n".join(lines)


def _describe_runtime() -> str:
    import polars as pl

    from ludometer.kernels.runtime.compile import JIT, cache_folder

    kernels = f"compiled kernels: {cache_folder()}" if JIT else "kernels run as plain Python (NUMBA_DISABLE_JIT)"
    return f"{pl.thread_pool_size()} threads for reading\n{kernels}"


def _ask(program: Program) -> str:
    """The first line with a number in it from a program's description of itself."""
    where = find_program(program.name)
    if where is None:
        return ""
    if program.version is None:
        return "not known"
    try:
        told = subprocess.run(
            [where, *program.version],
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
