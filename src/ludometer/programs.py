"""Other programs and packages that ludometer can use: engines, players, a browser, extras of pip.

A command's module may name those that it needs in `PROGRAMS` and `EXTRAS`; `ludometer doctor` looks for them.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass

GAMES_FOLDER = "/usr/games"
"""Where Debian keeps games, which is not on every PATH."""


@dataclass(frozen=True)
class Program:
    """A program that a command uses if it is installed; `version` are the arguments that make it print its version."""

    name: str
    purpose: str
    version: tuple[str, ...] | None = ()
    """None: it does not tell."""


@dataclass(frozen=True)
class Extra:
    """Packages that are installed on request only."""

    name: str
    purpose: str
    packages: tuple[str, ...]
    install: str
    """The command that installs them."""


def find_program(name: str) -> str | None:
    """Where a program is: at a path, on the PATH, or in Debian's folder of games."""
    return shutil.which(name) or shutil.which(name, path=GAMES_FOLDER)
