"""Other programs that ludometer can use: engines, players, a browser."""

from __future__ import annotations

import shutil

GAMES_FOLDER = "/usr/games"
"""Where Debian keeps games, which is not on every PATH."""


def find_program(name: str) -> str | None:
    """Where a program is: at a path, on the PATH, or in Debian's folder of games."""
    return shutil.which(name) or shutil.which(name, path=GAMES_FOLDER)
